//! A claimed job on its way through the worker, and the move that its outcome makes.

use crate::commit::receipt;
use declaration::{Advice, Code, Fault, Timestamp};
use policy::knowledge_base::KnowledgeBase;
use queue_layout::{
    Approval, Claimed, Ending, Event, Job, JournalEntry, Outcome, Queue, Receipt, Result, SeenPlace,
    Settlement,
};
use std::path::{Path, PathBuf};

/// A claimed job, read.
#[derive(Debug, Clone)]
pub(crate) struct Ready {
    /// The claim.
    pub claimed: Claimed,
    /// The job.
    pub job: Job,
    /// The yes that was given to it, where one was.
    pub approval: Option<Approval>,
}

impl Ready {
    /// A claimed job with the yes that was given to it. What says that it was approved, and has no record that fits its words
    /// and its document's file, is approved by nobody: it says so in its error, and is asked about again.
    /// `file`: where its document is now, links resolved.
    pub fn of(claimed: Claimed, job: Job, file: &Path, queue: &Queue) -> Result<Ready> {
        if job.approved_by.is_none() {
            return Ok(Ready { claimed, job, approval: None });
        }
        let why = match queue.worker().approval(job.id)? {
            Some(approval) if approval.fits(&job) => match &job.proposed_for {
                Some(before) if before != file => format!(
                    "{} approved it for {}, and its document leads to {} now",
                    approval.by,
                    before.display(),
                    file.display()
                ),
                _ => return Ok(Ready { claimed, job, approval: Some(approval) }),
            },
            Some(approval) => format!("what {} approved was changed since", approval.by),
            None => "it says that it was approved, and there is no record of that".to_owned(),
        };
        Ok(Ready { claimed, job, approval: None }.asked_about_again(why, queue))
    }

    /// The same where its document is not there, and would begin with a text that nobody said yes to.
    pub fn for_another_template(self, kb: &KnowledgeBase, queue: &Queue) -> Ready {
        let who = self.job.approved_by.clone().unwrap_or_default();
        let template = kb.template.as_deref().unwrap_or_default();
        let why = format!(
            "its document is not there, and begins with {template}, which says something else since {who} approved it"
        );
        self.asked_about_again(why, queue)
    }

    fn asked_about_again(self, why: String, queue: &Queue) -> Ready {
        let decide = queue.say(&Advice::ReviewSome);
        let error = Fault::new(Code::ApprovalMismatch, why)
            .hint(format!("look at it, then say yes or no: `{decide}`"));
        Ready { job: Job { approved_by: None, error: Some(error), ..self.job }, approval: None, ..self }
    }
}

/// What was committed, for the receipts of its jobs.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommitFacts {
    /// Hash of the document with the jobs in it.
    pub document_hash: Option<String>,
    /// The version; `None` when nothing changed.
    pub version: Option<u64>,
    /// The document's file, links resolved; `None` where no document was found.
    pub file: Option<PathBuf>,
    /// Hash of the template that it would begin with, where it was not there.
    pub begins_with: Option<String>,
}

/// The move that an outcome makes. A job that is tried again later goes back as it is: who may put it off, and for how
/// long, is decided before.
pub(crate) fn settlement(
    mut job: Job,
    approval: Option<Approval>,
    outcome: Outcome,
    facts: &CommitFacts,
    by: &str,
    now: Timestamp,
) -> Settlement {
    match outcome {
        Outcome::Applied(changes) | Outcome::Unchanged(changes) => {
            let receipt = receipt(changes, facts.document_hash.clone(), facts.version, by, now);
            Settlement::Done(Box::new(job), Receipt { approval, ..receipt })
        }
        Outcome::Retry(_) => Settlement::Pending(Box::new(job)),
        Outcome::Failed(fault) => {
            job.error = Some(fault);
            Settlement::Failed(Box::new(job))
        }
        Outcome::Review { fault, seen } => Settlement::Review(Box::new(proposed(job, facts, fault, seen))),
    }
}

/// A proposal, with the hashes of its sections as they are now, so that a later change of them is seen. It is sealed
/// with the hash of its words: a yes that is given without looking at the file counts for these words only.
fn proposed(mut job: Job, facts: &CommitFacts, fault: Fault, seen: Vec<SeenPlace>) -> Job {
    for (entry, seen) in job.entries.iter_mut().zip(seen) {
        match seen.seen {
            Some(taken_out) => (entry.base, entry.meta.seen) = (seen.base, Some(taken_out)),
            None => entry.base = entry.base.take().or(seen.base),
        }
    }
    job.error = Some(fault);
    job.approved_by = None;
    job.proposed_for = facts.file.clone().or(job.proposed_for);
    job.begins_with.clone_from(&facts.begins_with);
    job.seal = Some(job.words_hash());
    job
}

/// The line of the journal about a job that is settled so.
pub(crate) fn event(settlement: &Settlement, by: &str, now: Timestamp) -> Option<JournalEntry> {
    let line = |kind, job: &Job| JournalEntry::new(now, kind).job(job.id, &job.document.path).by(by);
    let saying = |event: JournalEntry, fault: Option<&Fault>| match fault {
        Some(fault) => event.saying(Some(fault.code.as_str()), &fault.message),
        None => event,
    };
    Some(match settlement {
        Settlement::Done(job, receipt) => match receipt.outcome {
            Ending::Applied => line(Event::Applied, job),
            Ending::RejectedAgain => {
                let reason = receipt.reason.as_deref().unwrap_or_default();
                line(Event::Rejected, job).saying(Some("rejected_again"), reason)
            }
            _ => line(Event::Unchanged, job),
        },
        Settlement::Deferred(job, _) => {
            saying(line(Event::Deferred, job), job.attempts.last().map(|attempt| &attempt.error))
        }
        Settlement::Failed(job) => saying(line(Event::Failed, job), job.error.as_ref()),
        Settlement::Doubtful(job, _) => {
            line(Event::Failed, job).saying(Some("receipt_unreadable"), "its receipt is none")
        }
        Settlement::Review(job) => saying(line(Event::Review, job), job.error.as_ref()),
        Settlement::Pending(_) => return None,
    })
}
