//! The waiting jobs of one document, judged and merged in memory one after another. A job that cannot be merged is left
//! out and never sinks its neighbours.

use crate::restore::restored;
use declaration::{Entry, Operation, Scope};
use markdown_merge::{Change, Merger, Rules};
use policy::confidence_note::marked;
use policy::judge::{Verdict, judge};
use policy::knowledge_base::{KnowledgeBase, OnOverBudget};
use policy::stamp::stamp;
use queue_layout::{Claimed, Job, JobError};
use std::borrow::Cow;

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
    Review {
        /// Why.
        error: JobError,
        /// For each entry the hash of its section as it was when this was found, where the entry would overwrite it: a
        /// section that changes before the yes comes is then merged with, or a conflict, and never lost.
        seen: Vec<Option<String>>,
    },
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
    let approved = job.approved_by.is_some();
    match judge(base, &job.asked()) {
        Verdict::Write => {}
        Verdict::Review(problem) => return review(merger, job, problem.into()),
        Verdict::Refuse(problem) => return JobOutcome::Failed(problem.into()),
    }
    // Over its budget is a question for a person where the knowledge base says so; their yes answers it.
    let asks = base.on_over_budget == OnOverBudget::Review;
    let rules = match approved {
        true if asks => {
            Cow::Owned(Rules { chars_max: None, tokens_max: None, section_chars_max: None, ..rules.clone() })
        }
        // Which sections an entry reaches is known only here.
        false if !base.headings.review.is_empty() => {
            Cow::Owned(Rules { headings: base.headings.clone(), ..rules.clone() })
        }
        _ => Cow::Borrowed(rules),
    };
    // A person's yes makes knowledge of a guess.
    let entries = if approved {
        Cow::Borrowed(job.entries.as_slice())
    } else {
        marked(base, job.producer.trust(), &job.entries)
    };
    match merger.apply(&*entries, &rules, base_text) {
        Ok(changes) => {
            stamp(merger, base, &changes, job.created_at, job.said_by());
            JobOutcome::In(changes)
        }
        Err(refusal) if asks && refusal.code == "over_budget" => review(merger, job, refusal.into()),
        Err(refusal) if refusal.code == "needs_review" => review(merger, job, refusal.into()),
        Err(refusal) => JobOutcome::Failed(refusal.into()),
    }
}

fn review(merger: &Merger, job: &Job, error: JobError) -> JobOutcome {
    let overwrites = |entry: &Entry| {
        matches!(entry.operation, Operation::Update | Operation::Clear | Operation::Delete)
            && entry.scope == Scope::Own
            && entry.base.is_none()
    };
    let hash_of = |entry: &Entry| {
        let key = &entry.key;
        let text = merger.section_text(&key.heading, key.level, entry.scope).ok().flatten();
        text.filter(|_| overwrites(entry)).map(markdown_merge::hash)
    };
    JobOutcome::Review { error, seen: job.entries.iter().map(hash_of).collect() }
}

/// A job that waits for a yes, with what its author's sections said when it came.
pub(crate) fn proposed(mut job: Job, error: JobError, seen: Vec<Option<String>>) -> Job {
    for (entry, seen) in job.entries.iter_mut().zip(seen) {
        entry.base = entry.base.take().or(seen);
    }
    job.error = Some(error);
    job
}
