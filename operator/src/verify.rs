//! What became of a job: for scripts.

use declaration::{Fault, Timestamp};
use queue_layout::{Ending, JobId, Queue, Receipt, Result, State};
use serde::Serialize;
use std::path::PathBuf;

/// How a job stands, in one word: of where it is and how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Its changes are in the document.
    Applied,
    /// The document said it already.
    Unchanged,
    /// A person ended it.
    Dropped,
    /// It waits for `resolve`.
    Failed,
    /// It waits for `review`.
    Review,
    /// It waits for a worker, or a worker has it.
    Waiting,
}

/// What became of a job.
#[derive(Debug, Clone, Serialize)]
pub struct Verified {
    /// The job.
    pub id: JobId,
    /// How it stands.
    pub fate: Fate,
    /// Where it is.
    pub state: State,
    /// Its document.
    pub document: Option<PathBuf>,
    /// When it is due, in `deferred`.
    pub due: Option<Timestamp>,
    /// `sha256:<hex>` of the document with its changes in it.
    pub document_hash: Option<String>,
    /// The version of the document that has them first (`last-word history`).
    pub version: Option<u64>,
    /// How it ended.
    pub receipt: Option<Receipt>,
    /// Why it waits.
    pub error: Option<Fault>,
}

impl Verified {
    /// Whether it waits for a person.
    #[must_use]
    pub fn needs_somebody(&self) -> bool {
        matches!(self.fate, Fate::Failed | Fate::Review)
    }

    /// Whether it will be taken up, or is in hand.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.fate == Fate::Waiting
    }
}

impl Fate {
    fn of(state: State, ending: Option<Ending>) -> Fate {
        match (state, ending) {
            (_, Some(Ending::Applied)) => Fate::Applied,
            (_, Some(Ending::Unchanged)) => Fate::Unchanged,
            (_, Some(Ending::Discarded | Ending::Rejected | Ending::RejectedAgain)) => Fate::Dropped,
            (State::Failed, None) => Fate::Failed,
            (State::Review, None) => Fate::Review,
            (State::Pending | State::Deferred | State::Processing | State::Done, None) => Fate::Waiting,
        }
    }
}

/// Looks a job up by the beginning of its id.
///
/// # Errors
/// `NoSuchJob`, `AmbiguousId`; a disk error.
pub fn verify(queue: &Queue, prefix: &str) -> Result<Verified> {
    let listed = queue.find(prefix)?;
    let found = queue.load(&listed)?;
    let receipt = found.receipt;
    let error = found.job.as_ref().and_then(|job| job.error.clone()).or(found.unreadable);
    let error = error
        .or_else(|| found.job.as_ref().and_then(|job| job.attempts.last()).map(|last| last.error.clone()));
    Ok(Verified {
        id: listed.id,
        fate: Fate::of(listed.state, receipt.as_ref().map(|receipt| receipt.outcome)),
        state: listed.state,
        document: found.job.map(|job| job.document.path),
        due: listed.due,
        error: error.filter(|_| receipt.is_none()),
        document_hash: receipt.as_ref().and_then(|receipt| receipt.document_hash.clone()),
        version: receipt.as_ref().and_then(|receipt| receipt.version),
        receipt,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A receipt decides, wherever the job's file still is; without one the place does.
    #[test]
    fn a_fate_is_of_the_receipt_and_else_of_the_place() {
        use State::{Deferred, Done, Failed, Pending, Processing, Review};
        let places = [Pending, Deferred, Processing, Failed, Review, Done];
        let ended = [
            (Ending::Applied, Fate::Applied),
            (Ending::Unchanged, Fate::Unchanged),
            (Ending::Discarded, Fate::Dropped),
            (Ending::Rejected, Fate::Dropped),
            (Ending::RejectedAgain, Fate::Dropped),
        ];
        for (place, (ending, fate)) in places.iter().flat_map(|place| ended.map(|ended| (*place, ended))) {
            assert_eq!(Fate::of(place, Some(ending)), fate, "{place:?} {ending:?}");
        }
        let open = [Fate::Waiting, Fate::Waiting, Fate::Waiting, Fate::Failed, Fate::Review, Fate::Waiting];
        assert_eq!(places.map(|place| Fate::of(place, None)), open);
    }
}
