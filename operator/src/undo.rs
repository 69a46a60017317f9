//! A yes or a no that a person takes back. What is not merged yet waits for one again; what was rejected is proposed again, as
//! a new job, because its receipt stays. Pure, but for finding what there is to take back.

use crate::resolve::Actor;
use declaration::{Advice, Code, Fault, Timestamp};
use queue_layout::{Ending, Job, JobId, Listed, LocatedJob, Queue, QueueError, Receipt, Result, State};

/// A decision that can be taken back.
pub(crate) enum Standing {
    /// A yes to a job that waits for the worker.
    Yes,
    /// A no to this job.
    No(Box<Job>),
}

/// The decisions that can be taken back: every yes to what is not merged yet, and every no since then. In the order of the jobs.
///
/// # Errors
/// A disk error.
pub fn decided(queue: &Queue, since: Timestamp) -> Result<Vec<Listed>> {
    let mut jobs = queue.operator().approved_waiting()?;
    for id in queue.operator().rejected_since(since)? {
        match queue.find(&id.to_string()) {
            Ok(listed) if listed.state == State::Done => jobs.push(listed),
            // Its receipt was pruned.
            Ok(_) | Err(QueueError::NoSuchJob(_)) => {}
            Err(e) => return Err(e),
        }
    }
    jobs.sort_by_key(|listed| listed.id);
    jobs.dedup_by_key(|listed| listed.id);
    Ok(jobs)
}

/// The decision about a job, when it can be taken back; else why not.
pub(crate) fn standing(found: LocatedJob) -> Result<Standing> {
    let LocatedJob { listed, job, receipt, .. } = found;
    let nothing = |why: String| Err(QueueError::NothingToTakeBack { id: listed.id.to_string(), why });
    match (listed.state, job, receipt) {
        (State::Pending | State::Deferred, Some(job), _) if job.approved_by.is_some() => Ok(Standing::Yes),
        (State::Pending | State::Deferred, ..) => nothing("nobody has said yes to it".to_owned()),
        (State::Failed | State::Review, ..) => nothing("it waits for a decision".to_owned()),
        (State::Processing, ..) => Err(QueueError::TakenMeanwhile(listed.id.to_string())),
        (State::Done, Some(job), Some(receipt)) if receipt.outcome == Ending::Rejected => {
            Ok(Standing::No(Box::new(job)))
        }
        (State::Done, _, Some(Receipt { outcome: Ending::Applied, version, .. })) => {
            let version = version.map_or_else(String::new, |version| format!(" in version {version}"));
            nothing(format!("it is merged{version}, and only a rollback takes that out"))
        }
        (State::Done, ..) => nothing("it ended, and by nobody's no".to_owned()),
    }
}

/// A job whose yes is taken back, as it waits for another one.
pub(crate) fn without_yes(queue: &Queue, job: Job, who: &Actor) -> Job {
    let seal = Some(job.words_hash());
    let error = Some(why(queue, "the yes", who));
    Job { approved_by: None, attempts: Vec::new(), kills: 0, suspected: 0, error, seal, ..job }
}

/// A job that was rejected, as it is proposed again: the same one whenever that is done.
pub(crate) fn proposed_again(queue: &Queue, job: &Job, who: &Actor, now: Timestamp) -> Job {
    let id = JobId::of_report(job.id.declared_at(), &["undo", &job.id.to_string()]);
    let again = Job { id, rev: 0, created_at: now, key: None, waits_in: None, ..job.clone() };
    Job { error: Some(why(queue, "the no", who)), ..without_yes(queue, again, who) }
}

fn why(queue: &Queue, what: &str, who: &Actor) -> Fault {
    let reason = who.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    Fault::new(Code::NeedsReview, format!("{} took {what} back{reason}", who.name))
        .hint(queue.say(&Advice::ReviewSome))
}
