//! What became of a job: for scripts.

use declaration::{Fault, Timestamp};
use queue_layout::{Ending, JobId, Queue, Receipt, Result, State};
use serde::Serialize;
use std::path::PathBuf;

/// What became of a job.
#[derive(Debug, Clone, Serialize)]
pub struct Verified {
    /// The job.
    pub id: JobId,
    /// How it stands, in one word: `applied`, `unchanged`, `dropped` by a person, `failed`, `review`, or `waiting`.
    pub fate: &'static str,
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
        self.receipt.is_none() && matches!(self.state, State::Failed | State::Review)
    }

    /// Whether it will be taken up, or is in hand.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.receipt.is_none() && !self.needs_somebody()
    }
}

/// How a job stands, in one word.
fn fate(state: State, ending: Option<Ending>) -> &'static str {
    match (state, ending) {
        (_, Some(Ending::Applied)) => "applied",
        (_, Some(Ending::Unchanged)) => "unchanged",
        (_, Some(Ending::Discarded | Ending::Rejected | Ending::RejectedAgain)) => "dropped",
        (State::Failed, None) => "failed",
        (State::Review, None) => "review",
        (_, None) => "waiting",
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
        fate: fate(listed.state, receipt.as_ref().map(|receipt| receipt.outcome)),
        state: listed.state,
        document: found.job.map(|job| job.document.path),
        due: listed.due,
        error: error.filter(|_| receipt.is_none()),
        document_hash: receipt.as_ref().and_then(|receipt| receipt.document_hash.clone()),
        version: receipt.as_ref().and_then(|receipt| receipt.version),
        receipt,
    })
}
