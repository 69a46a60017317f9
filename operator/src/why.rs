//! Why a job is where it is: what it waits for, when it is due, what failed.

use declaration::{Fault, Timestamp};
use queue_layout::{Ending, Holds, Job, JobId, Listed, LocatedJob, Queue, Result, State};
use serde::Serialize;

/// The reason a job is where it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// The job.
    pub id: JobId,
    /// Where it is.
    pub state: State,
    /// Why.
    pub because: Because,
    /// Who changed what its author said, where a person did that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_by: Option<String>,
}

/// The one reason that counts most.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// Everything is held.
    QueueHeld,
    /// Its document is held.
    DocumentHeld,
    /// It is held itself.
    JobHeld,
    /// An earlier job of its document waits, and the order is kept.
    Behind {
        /// That job.
        id: JobId,
        /// When it is tried again.
        due: Option<Timestamp>,
        /// Whether it is held.
        held: bool,
        /// Why it was put off.
        error: Option<Fault>,
    },
    /// It failed for a reason that may pass, and is tried again.
    TriedAgain {
        /// When.
        due: Timestamp,
        /// Why it was put off.
        error: Option<Fault>,
    },
    /// A worker or operator has it.
    InHand {
        /// Who.
        by: String,
        /// Whether that process lives; the claims of a dead one are recovered by the next run.
        alive: bool,
    },
    /// Nothing keeps it: the next run merges it.
    NextRun,
    /// It failed.
    Failed {
        /// Of what.
        error: Option<Fault>,
    },
    /// It waits for a yes.
    NeedsYes {
        /// Who asks for it.
        error: Option<Fault>,
    },
    /// It ended.
    Ended {
        /// How; `None` when the receipt says nothing.
        outcome: Option<Ending>,
        /// By whom.
        by: Option<String>,
        /// Why, when a person did it.
        reason: Option<String>,
        /// A save took what it wrote out again: the job that says it anew, and where that is.
        #[serde(skip_serializing_if = "Option::is_none")]
        taken_out: Option<SaidAgain>,
    },
}

/// A job that says again what a save took out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SaidAgain {
    /// The job.
    pub id: JobId,
    /// Where it is.
    pub state: State,
}

/// Says why a job is where it is.
///
/// # Errors
/// A disk error; `TakenMeanwhile` when it moved under our eyes.
pub fn why(queue: &Queue, listed: &Listed) -> Result<Why> {
    let found = queue.load(listed)?;
    let because = match listed.state {
        State::Done => ended(queue, &found)?,
        State::Failed => Because::Failed { error: error_of(&found) },
        State::Review => Because::NeedsYes { error: error_of(&found) },
        State::Processing => {
            let by = listed.within.clone().unwrap_or_default();
            Because::InHand { alive: queue.is_alive(&by)?, by }
        }
        State::Pending | State::Deferred => waiting(queue, &found)?,
    };
    let edited_by = found.job.as_ref().and_then(|job| job.edited_by()).map(str::to_owned);
    Ok(Why { id: listed.id, state: listed.state, because, edited_by })
}

fn waiting(queue: &Queue, found: &LocatedJob) -> Result<Because> {
    let listed = &found.listed;
    let holds = queue.holds()?;
    if let Some(held) = held(&holds, listed) {
        return Ok(held);
    }
    let jobs = queue.list_runnable()?.0.jobs;
    let same = jobs.iter().filter(|job| job.doc == listed.doc && !job.is_drop());
    // The first one that cannot be merged yet holds up all behind it.
    let blocks = |job: &&Listed| job.id < listed.id && (job.state == State::Deferred || holds.job(job.id));
    if let Some(first) = same.filter(|_| !listed.is_drop()).find(blocks) {
        let error = queue.load(first).ok().as_ref().and_then(error_of);
        return Ok(Because::Behind { id: first.id, due: first.due, held: holds.job(first.id), error });
    }
    Ok(match listed.due {
        Some(due) => Because::TriedAgain { due, error: error_of(found) },
        None => Because::NextRun,
    })
}

fn held(holds: &Holds, listed: &Listed) -> Option<Because> {
    if holds.queue() {
        Some(Because::QueueHeld)
    } else if holds.hint(listed.doc) {
        Some(Because::DocumentHeld)
    } else {
        holds.job(listed.id).then_some(Because::JobHeld)
    }
}

fn error_of(found: &LocatedJob) -> Option<Fault> {
    let job = found.job.as_ref();
    let attempt = || job.and_then(|job| job.attempts.last()).map(|last| last.error.clone());
    job.and_then(|job| job.error.clone()).or_else(|| found.unreadable.clone()).or_else(attempt)
}

fn ended(queue: &Queue, found: &LocatedJob) -> Result<Because> {
    let receipt = found.receipt.as_ref();
    Ok(Because::Ended {
        outcome: receipt.map(|receipt| receipt.outcome),
        by: receipt.map(|receipt| receipt.by.clone()),
        reason: receipt.and_then(|receipt| receipt.reason.clone()),
        taken_out: found.job.as_ref().map(|job| said_again(queue, job)).transpose()?.flatten(),
    })
}

/// The proposal to write again what a save took out of a job: its id has the moment of that job.
fn said_again(queue: &Queue, job: &Job) -> Result<Option<SaidAgain>> {
    for state in [State::Review, State::Pending, State::Deferred, State::Failed, State::Done] {
        let listed = queue.list(state)?.jobs;
        let of_moment = listed
            .iter()
            .filter(|other| other.id != job.id && other.id.declared_at().millis() == job.created_at.millis());
        for other in of_moment {
            let Ok(found) = queue.load(other) else { continue };
            let again = found.job.and_then(|job| job.again);
            if again.is_some_and(|again| again.job == job.id) {
                return Ok(Some(SaidAgain { id: other.id, state }));
            }
        }
    }
    Ok(None)
}
