//! Ending what waits for a person: back to `pending` (as it is, or edited), or to `done` with who and why. Each action
//! claims the job first, so two people at two terminals cannot both do it.

use knowledge::Timestamp;
use queue_layout::{
    Claimant, Event, Happened, Job, Listed, Outcome, QueueError, Receipt, Result, Settlement, StagedItem,
};

/// What to do with a job that waits.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Back to `pending`, its attempts reset.
    Retry,
    /// Back to `pending` with changed entries (checked by `Queue::read_edited`).
    Edit(Box<Job>),
    /// Back to `pending` as bytes that somebody mended, for a file that could not be read.
    Mend(Vec<u8>),
    /// Ended: thrown away.
    Discard,
    /// Back to `pending` with a person's yes.
    Approve,
    /// Ended: a person's no.
    Reject,
}

/// Who acts, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    /// The person, e.g. the login name.
    pub name: String,
    /// Why, in their words.
    pub reason: Option<String>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolved {
    /// It is in `pending` again.
    Requeued,
    /// It ended.
    Ended,
}

/// Does one action on one staged job.
///
/// # Errors
/// `TakenMeanwhile` when it is no longer there; a disk error.
pub fn resolve_one(
    claimant: &Claimant<'_>,
    listed: &Listed,
    action: Action,
    who: &Who,
    now: Timestamp,
) -> Result<Resolved> {
    let queue = claimant.queue();
    let done = match queue.read_staged(listed)? {
        StagedItem::Original { .. } => original(claimant, listed, &action, who, now)?,
        StagedItem::Job(job) => staged(claimant, listed, *job, &action, who, now)?,
    };
    let mut event = Happened::new(now, event_of(&action)).by(&who.name);
    event.id = Some(listed.id);
    event.message.clone_from(&who.reason);
    // What was done is durable; a journal that cannot be written changes nothing of it.
    let _ = queue.journal(&[event]);
    Ok(done)
}

fn staged(
    claimant: &Claimant<'_>,
    listed: &Listed,
    job: Job,
    action: &Action,
    who: &Who,
    now: Timestamp,
) -> Result<Resolved> {
    let claimed = claimant
        .claim_staged(listed, &job)?
        .ok_or_else(|| QueueError::TakenMeanwhile(listed.id.to_string()))?;
    // What was claimed, not what was looked at before: somebody may have saved the file in between.
    let job = claimant.read(&claimed)?;
    let afresh = |job: Job| Job { attempts: Vec::new(), kills: 0, suspected: 0, ..job };
    let (settlement, done) = match action {
        Action::Retry | Action::Mend(_) => (Settlement::Pending(Box::new(afresh(job))), Resolved::Requeued),
        Action::Edit(edited) => {
            let edited = Job { entries: edited.entries.clone(), source: edited.source.clone(), ..job };
            (Settlement::Pending(Box::new(afresh(edited))), Resolved::Requeued)
        }
        Action::Approve => {
            let approved = Job { approved_by: Some(who.name.clone()), ..afresh(job) };
            (Settlement::Pending(Box::new(approved)), Resolved::Requeued)
        }
        Action::Discard => (ended(job, Outcome::Discarded, who, now), Resolved::Ended),
        Action::Reject => (ended(job, Outcome::Rejected, who, now), Resolved::Ended),
    };
    claimant.settle(vec![(claimed, settlement)], now, true)?;
    Ok(done)
}

fn original(
    claimant: &Claimant<'_>,
    listed: &Listed,
    action: &Action,
    who: &Who,
    now: Timestamp,
) -> Result<Resolved> {
    let queue = claimant.queue();
    match action {
        // A job whose YAML a hand had spoilt, and another hand mended.
        Action::Edit(mended) if queue.is_staged_job(listed) => {
            let claimed = claimant
                .claim_staged(listed, mended)?
                .ok_or_else(|| QueueError::TakenMeanwhile(listed.id.to_string()))?;
            let job =
                Job { id: listed.id, attempts: Vec::new(), kills: 0, suspected: 0, ..(**mended).clone() };
            claimant.settle(vec![(claimed, Settlement::Pending(Box::new(job)))], now, true)?;
        }
        Action::Retry | Action::Edit(_) | Action::Approve => queue.retry_original(listed, None)?,
        Action::Mend(bytes) => queue.retry_original(listed, Some(bytes))?,
        Action::Discard | Action::Reject => {
            queue.discard_original(listed, &receipt(Outcome::Discarded, who, now), now)?;
            return Ok(Resolved::Ended);
        }
    }
    Ok(Resolved::Requeued)
}

fn ended(job: Job, outcome: Outcome, who: &Who, now: Timestamp) -> Settlement {
    Settlement::Done(Box::new(job), receipt(outcome, who, now))
}

fn receipt(outcome: Outcome, who: &Who, now: Timestamp) -> Receipt {
    Receipt {
        outcome,
        at: now,
        by: who.name.clone(),
        reason: who.reason.clone(),
        document_hash: None,
        version: None,
        changes: Vec::new(),
    }
}

fn event_of(action: &Action) -> Event {
    match action {
        Action::Retry => Event::Retried,
        Action::Edit(_) | Action::Mend(_) => Event::Edited,
        Action::Discard => Event::Discarded,
        Action::Approve => Event::Approved,
        Action::Reject => Event::Rejected,
    }
}
