//! The waiting jobs of one document, judged and merged in memory one after another. A job that cannot be merged is left
//! out and never sinks its neighbours.

use crate::restore::restored;
use knowledge::base::{KnowledgeBase, OnOverBudget};
use knowledge::judge::{Verdict, judge};
use knowledge::merge::{Change, Merger, Rules};
use queue_layout::{Claimed, Job, JobError};

/// A claimed job, read.
#[derive(Debug, Clone)]
pub struct Ready {
    /// The claim.
    pub claimed: Claimed,
    /// The job.
    pub job: Job,
}

/// What a batch makes of a document.
#[derive(Debug, Clone)]
pub struct Merged {
    /// The whole text afterwards.
    pub text: Vec<u8>,
    /// One per job, in order.
    pub outcomes: Vec<JobOutcome>,
}

/// What a merge made of one job.
#[derive(Debug, Clone, PartialEq)]
pub enum JobOutcome {
    /// It is in the text; what changed, one per entry.
    In(Vec<Change>),
    /// It cannot be merged.
    Failed(JobError),
    /// A person must say yes first.
    Review(JobError),
}

/// Merges jobs into a text, in their order.
#[must_use]
pub fn merge_jobs(
    text: &[u8],
    jobs: &[&Job],
    base: &KnowledgeBase,
    base_text: &dyn Fn(&str) -> Option<String>,
) -> Merged {
    let mut merger = match Merger::open(text) {
        Ok(merger) => merger,
        Err(refusal) => {
            let outcomes = jobs.iter().map(|_| JobOutcome::Failed(refusal.clone().into())).collect();
            return Merged { text: text.to_vec(), outcomes };
        }
    };
    let rules = base.rules();
    let one = |job: &&Job| match &job.restore {
        Some(restore) => restored(&mut merger, restore, base),
        None => merge_one(&mut merger, job, base, &rules, base_text),
    };
    let outcomes = jobs.iter().map(one).collect();
    // One last look at the whole: what the edits say of the document must be what a fresh reader of it says.
    if let Err(refusal) = merger.verify() {
        let outcomes = jobs.iter().map(|_| JobOutcome::Failed(refusal.clone().into())).collect();
        return Merged { text: text.to_vec(), outcomes };
    }
    Merged { text: merger.text().as_bytes().to_vec(), outcomes }
}

fn merge_one(
    merger: &mut Merger,
    job: &Job,
    base: &KnowledgeBase,
    rules: &Rules,
    base_text: &dyn Fn(&str) -> Option<String>,
) -> JobOutcome {
    match judge(base, &job.entries, job.approved_by.is_some()) {
        Verdict::Write => {}
        Verdict::Review(problem) => return JobOutcome::Review(problem.into()),
        Verdict::Refuse(problem) => return JobOutcome::Failed(problem.into()),
    }
    // Over its budget is a question for a person where the knowledge base says so; their yes answers it.
    let asks = base.on_over_budget == OnOverBudget::Review;
    let approved = Rules { chars_max: None, ..rules.clone() };
    let rules = if asks && job.approved_by.is_some() { &approved } else { rules };
    match merger.apply(&job.entries, rules, base_text) {
        Ok(changes) => JobOutcome::In(changes),
        Err(refusal) if asks && refusal.code == "over_budget" => JobOutcome::Review(refusal.into()),
        Err(refusal) => JobOutcome::Failed(refusal.into()),
    }
}
