//! Ending what waits for a person: back to `pending` (as it is, or edited), or to `done` with who and why. Each action
//! claims the job first, so two people at two terminals cannot both do it.

use crate::sides::{Ours, conflict_of, ours, theirs};
use declaration::{Fault, Timestamp};
use queue_layout::{
    Approval, Claimant, Ending, Event, Job, JournalEntry, Listed, Queue, QueueError, Receipt, Rejection,
    Result, Settlement, StagedItem, State,
};

/// What to do with a job that waits.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Back to `pending`, its attempts reset.
    Retry,
    /// Back to `pending` with changed entries (checked by `Job::read_edited`).
    Edit(Box<Job>),
    /// Back to `pending` as bytes that somebody mended, for a file that could not be read.
    Mend(Vec<u8>),
    /// The document's side of the conflict stands: the entry is left out, and the job ended when nothing is left of it.
    Ours,
    /// The job's side of the conflict stands: back to `pending`, to be put over what was looked at; or over the section
    /// with this hash, which an earlier job of the same person leaves there.
    Theirs(Option<String>),
    /// Ended: thrown away.
    Discard,
    /// Back to `pending` with a person's yes to what they were shown.
    Approve(Shown),
    /// Ended: a person's no.
    Reject,
}

/// Which words a person says yes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Those that the worker proposed, whoever may have edited the file since.
    AsProposed,
    /// Those with this hash (`Job::words_hash`): they stood on the screen.
    Words(String),
}

impl Shown {
    /// A job that stands on the screen.
    #[must_use]
    pub fn of(job: Option<&Job>) -> Shown {
        job.map_or(Shown::AsProposed, |job| Shown::Words(job.words_hash()))
    }
}

/// Who acts, how, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The person, e.g. the login name.
    pub name: String,
    /// How they are known to decide: on a terminal, or as which decider of the configuration.
    pub channel: String,
    /// Why, in their words.
    pub reason: Option<String>,
}

/// Puts back into `staging/` what somebody resolving had in hand when their terminal died: else the jobs declared after
/// it would be chosen without it, and overtake it.
///
/// # Errors
/// A disk error.
pub fn give_back_staged(queue: &Queue, now: Timestamp) -> Result<()> {
    let released = queue.operator().give_back_staged(now)?;
    let told: Vec<JournalEntry> = released
        .into_iter()
        .map(|id| JournalEntry { id: Some(id), ..JournalEntry::new(now, Event::Recovered) })
        .collect();
    // They are back; a journal that cannot be written changes nothing of it.
    let _ = queue.journal().write(&told);
    Ok(())
}

/// Does one action on one staged job. Answers where it is now: in `pending` again, or in `done`.
///
/// # Errors
/// `TakenMeanwhile` when it is no longer there; a disk error.
pub fn resolve_one(
    claimant: &Claimant,
    listed: &Listed,
    action: Action,
    who: &Actor,
    now: Timestamp,
) -> Result<State> {
    let queue = claimant.queue();
    let mut event = JournalEntry::new(now, event_of(&action)).by(&who.name);
    event.id = Some(listed.id);
    event.message.clone_from(&who.reason);
    let done = match queue.read_staged(listed)? {
        StagedItem::Original { error } => {
            event.code = Some(error.code.to_string());
            original(claimant, listed, &error, &action, who, now)?
        }
        StagedItem::Job(job) => {
            event.document = Some(job.document.path.display().to_string());
            event.code = job.error.as_ref().map(|error| error.code.to_string());
            if action == Action::Ours {
                // The only place that tells of an entry whose job goes on without it.
                event.message = left_out(&job, who);
            }
            staged(claimant, listed, *job, &action, who, now)?
        }
    };
    // What was done is durable; a journal that cannot be written changes nothing of it.
    let _ = queue.journal().write(&[event]);
    Ok(done)
}

fn staged(
    claimant: &Claimant,
    listed: &Listed,
    job: Job,
    action: &Action,
    who: &Actor,
    now: Timestamp,
) -> Result<State> {
    let queue = claimant.queue();
    let sides = matches!(action, Action::Ours | Action::Theirs(_));
    if sides && conflict_of(&job).is_none() {
        return Err(no_conflict(&job));
    }
    let claimed = claimant
        .claim_staged(listed, &job)?
        .ok_or_else(|| QueueError::TakenMeanwhile(listed.id.to_string()))?;
    // What was claimed, not what was looked at before: somebody may have saved the file in between.
    let job = claimant.read(&claimed)?;
    let afresh = |job: Job| Job { attempts: Vec::new(), kills: 0, suspected: 0, ..job };
    let (settlement, done) = match action {
        Action::Retry | Action::Mend(_) => (Settlement::Pending(Box::new(afresh(job))), State::Pending),
        Action::Edit(edited) => {
            // Whoever writes a proposal's text themselves has said yes to it.
            let asks = listed.state == State::Review || job.approved_by.is_some();
            let (entries, source) = (edited.entries.clone(), edited.source.clone());
            let edited = Job { entries, source, ..afresh(job) };
            let edited = if asks { approved(queue, edited, who, now)? } else { edited };
            (Settlement::Pending(Box::new(edited)), State::Pending)
        }
        Action::Ours | Action::Theirs(_) => match side(&job, action, who, now) {
            // Of what was approved before, another part stands now.
            Some((Settlement::Pending(job), done)) if job.approved_by.is_some() => {
                (Settlement::Pending(Box::new(approved(queue, *job, who, now)?)), done)
            }
            Some((settlement, done)) => (settlement, done),
            None => {
                // Somebody saved the file while we claimed it: it goes back as they saved it.
                let refusal = no_conflict(&job);
                claimant.settle(vec![(claimed, Settlement::Failed(Box::new(job)))], now, true)?;
                return Err(refusal);
            }
        },
        Action::Approve(shown) => {
            if let Some(refusal) = not_shown(&job, shown) {
                // As it is, and with the seal it has: whoever looks at it next sees what was refused here.
                claimant.settle(vec![(claimed, Settlement::Review(Box::new(job)))], now, true)?;
                return Err(refusal);
            }
            let approved = approved(queue, afresh(job), who, now)?;
            (Settlement::Pending(Box::new(approved)), State::Pending)
        }
        Action::Discard => (ended(job, Ending::Discarded, who, now), State::Done),
        Action::Reject => (ended(job, Ending::Rejected, who, now), State::Done),
    };
    if let Settlement::Done(job, receipt) = &settlement
        && receipt.outcome == Ending::Rejected
    {
        // First: it counts only with the receipt, and a no that is given is remembered.
        let Receipt { at, by, reason, .. } = receipt.clone();
        queue.operator().remember_rejection(job, &Rejection { id: job.id, at, by, reason })?;
    }
    claimant.settle(vec![(claimed, settlement)], now, true)?;
    Ok(done)
}

/// The job with a person's yes, whose record is durable: only then may it go back to `pending`.
fn approved(queue: &Queue, job: Job, who: &Actor, now: Timestamp) -> Result<Job> {
    let job = Job { approved_by: Some(who.name.clone()), ..job };
    queue.operator().record_approval(&Approval::of(&job, &who.name, &who.channel, now))?;
    Ok(job)
}

/// Why a yes is not for what the file says now.
fn not_shown(job: &Job, shown: &Shown) -> Option<QueueError> {
    let now = job.words_hash();
    let why = match (shown, &job.seal) {
        (Shown::Words(words), _) if *words == now => return None,
        (Shown::Words(_), _) => "its file was changed while it was on the screen",
        (Shown::AsProposed, Some(seal)) if *seal == now => return None,
        (Shown::AsProposed, Some(_)) => "its file was changed after the worker proposed it",
        // Proposed by a version that wrote none, or somebody took it out: nobody can tell, so that it has to be looked at.
        (Shown::AsProposed, None) => {
            "it has no seal: an older version proposed it, or somebody took the seal out of its file"
        }
    };
    Some(QueueError::ProposalChanged { id: job.id.to_string(), why })
}

fn original(
    claimant: &Claimant,
    listed: &Listed,
    error: &Fault,
    action: &Action,
    who: &Actor,
    now: Timestamp,
) -> Result<State> {
    let queue = claimant.queue();
    match action {
        // A job whose YAML a hand had spoilt, and another hand mended.
        Action::Edit(mended) if listed.is_staged_job() => {
            let claimed = claimant
                .claim_staged(listed, mended)?
                .ok_or_else(|| QueueError::TakenMeanwhile(listed.id.to_string()))?;
            let job =
                Job { id: listed.id, attempts: Vec::new(), kills: 0, suspected: 0, ..(**mended).clone() };
            claimant.settle(vec![(claimed, Settlement::Pending(Box::new(job)))], now, true)?;
        }
        Action::Ours | Action::Theirs(_) => {
            return Err(QueueError::NoConflict { id: listed.id.to_string(), code: None });
        }
        // A staged job is no declaration: as it is it would come back as something else.
        Action::Retry | Action::Approve(_) if listed.is_staged_job() => {
            return Err(queue.unreadable(listed, error));
        }
        Action::Retry | Action::Edit(_) | Action::Approve(_) => {
            queue.operator().retry_original(listed, None)?
        }
        Action::Mend(bytes) => queue.operator().retry_original(listed, Some(bytes))?,
        Action::Discard | Action::Reject => {
            queue.operator().discard_original(listed, &receipt(Ending::Discarded, who, now), now)?;
            return Ok(State::Done);
        }
    }
    Ok(State::Pending)
}

fn side(job: &Job, action: &Action, who: &Actor, now: Timestamp) -> Option<(Settlement, State)> {
    let again = |job: Job| {
        let afresh = Job { attempts: Vec::new(), kills: 0, suspected: 0, ..job };
        (Settlement::Pending(Box::new(afresh)), State::Pending)
    };
    if let Action::Theirs(over) = action {
        return theirs(job, over.as_deref()).map(again);
    }
    let Ours { rest, .. } = ours(job)?;
    if rest.is_empty() {
        return Some((ended(job.clone(), Ending::Discarded, who, now), State::Done));
    }
    Some(again(Job { entries: rest, ..job.clone() }))
}

/// What is left out when the document's side stands, whole: its job goes on without it.
fn left_out(job: &Job, who: &Actor) -> Option<String> {
    let Ours { left_out, rest } = ours(job)?;
    let entry = left_out.filter(|_| !rest.is_empty());
    let left_out = entry.map(|entry| {
        let content = entry.content.unwrap_or_default();
        format!("left out: {} {}: {content}", entry.operation.as_str(), entry.key.heading.join(" > "))
    });
    let parts: Vec<String> = [who.reason.clone(), left_out].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn no_conflict(job: &Job) -> QueueError {
    QueueError::NoConflict {
        id: job.id.to_string(),
        code: job.error.as_ref().map(|error| error.code.to_string()),
    }
}

fn ended(job: Job, outcome: Ending, who: &Actor, now: Timestamp) -> Settlement {
    Settlement::Done(Box::new(job), receipt(outcome, who, now))
}

fn receipt(outcome: Ending, who: &Actor, now: Timestamp) -> Receipt {
    Receipt {
        outcome,
        at: now,
        by: who.name.clone(),
        channel: Some(who.channel.clone()),
        approval: None,
        reason: who.reason.clone(),
        same_as: None,
        document_hash: None,
        version: None,
        changes: Vec::new(),
    }
}

fn event_of(action: &Action) -> Event {
    match action {
        Action::Retry => Event::Retried,
        Action::Edit(_) | Action::Mend(_) => Event::Edited,
        Action::Ours => Event::TookOurs,
        Action::Theirs(_) => Event::TookTheirs,
        Action::Discard => Event::Discarded,
        Action::Approve(_) => Event::Approved,
        Action::Reject => Event::Rejected,
    }
}
