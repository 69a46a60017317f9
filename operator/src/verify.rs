//! What became of a job: for scripts.

use declaration::{Fault, Timestamp};
use queue_layout::{JobId, Queue, Receipt, Result, State};
use serde::Serialize;
use std::path::PathBuf;

/// What became of a job.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
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

/// How a job stands, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Its changes are in the document.
    Applied,
    /// The document said it already.
    Unchanged,
    /// It will be taken up.
    Waiting,
    /// It waits for `resolve`.
    Failed,
    /// It waits for `review`.
    Review,
    /// A person ended it.
    Dropped,
}

/// Looks a job up by the beginning of its id.
///
/// # Errors
/// `NoSuchJob`, `AmbiguousId`; a disk error.
pub fn verify(queue: &Queue, prefix: &str) -> Result<Verdict> {
    let listed = queue.find(prefix)?;
    let found = queue.load(&listed)?;
    let receipt = found.receipt;
    let fate = match (listed.state, receipt.as_ref().map(|receipt| receipt.outcome)) {
        (_, Some(queue_layout::Outcome::Applied)) => Fate::Applied,
        (_, Some(queue_layout::Outcome::Unchanged)) => Fate::Unchanged,
        (_, Some(_)) => Fate::Dropped,
        (State::Failed, None) => Fate::Failed,
        (State::Review, None) => Fate::Review,
        (_, None) => Fate::Waiting,
    };
    let error = found.job.as_ref().and_then(|job| job.error.clone()).or(found.unreadable);
    let error = error
        .or_else(|| found.job.as_ref().and_then(|job| job.attempts.last()).map(|last| last.error.clone()));
    Ok(Verdict {
        id: listed.id,
        fate,
        state: listed.state,
        document: found.job.map(|job| job.document.path),
        due: listed.due,
        error: error.filter(|_| receipt.is_none()),
        document_hash: receipt.as_ref().and_then(|receipt| receipt.document_hash.clone()),
        version: receipt.as_ref().and_then(|receipt| receipt.version),
        receipt,
    })
}
