//! What ends a run; and what trouble with one document means for its jobs, which is an outcome and no error.

use declaration::{Advice, Code, Fault};
use documents::DocumentError;
use queue_layout::{Outcome, QueueError};
use std::error::Error;

/// The run could not go on. Jobs that were in hand are given back, or recovered by the next run; nobody's attempts are
/// spent.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The queue.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// A document, when the machine itself is in trouble.
    #[error(transparent)]
    Documents(#[from] DocumentError),
}

impl From<durable::DiskError> for RunError {
    fn from(e: durable::DiskError) -> Self {
        RunError::Queue(e.into())
    }
}

impl RunError {
    /// What the person in front of it can do.
    #[must_use]
    pub fn advice(&self) -> Option<Advice> {
        match self {
            RunError::Queue(e) => e.advice(),
            RunError::Documents(DocumentError::Disk(e)) => Some(queue_layout::advice_of_disk(e)),
            RunError::Documents(e) => Some(e.hint().into()),
        }
    }
}

/// What trouble with one document's file means for its jobs. Trouble of the machine ends the run; trouble of one file may
/// pass (a permission given back, a directory mounted), so it is tried again before a person is asked.
pub(crate) fn outcome_of(e: DocumentError) -> Result<Outcome, RunError> {
    if e.is_machine_trouble() {
        return Err(e.into());
    }
    let fault = Fault::new(code(&e), chain(&e)).hint(e.hint());
    Ok(match e {
        DocumentError::NotAFile(_)
        | DocumentError::TooLarge(_)
        | DocumentError::NoSafeReplace { .. }
        | DocumentError::OwnerNotKept { .. } => Outcome::Failed(fault),
        DocumentError::Disk(_)
        | DocumentError::NotADirectory(_)
        | DocumentError::BadHistory { .. }
        | DocumentError::NewerHistory { .. } => Outcome::Retry(fault),
    })
}

fn code(e: &DocumentError) -> Code {
    match e {
        DocumentError::Disk(_) | DocumentError::NotADirectory(_) => Code::DocumentUnreachable,
        DocumentError::NotAFile(_) => Code::DocumentNotAFile,
        DocumentError::TooLarge(_) => Code::DocumentTooLarge,
        DocumentError::NoSafeReplace { .. } | DocumentError::OwnerNotKept { .. } => Code::NoSafeReplace,
        DocumentError::BadHistory { .. } | DocumentError::NewerHistory { .. } => Code::BadHistory,
    }
}

/// An error with the causes behind it, in one line. A cause that is quoted at the end already is not said twice.
#[must_use]
pub fn chain(e: &dyn Error) -> String {
    let mut text = e.to_string();
    let mut source = e.source();
    while let Some(next) = source {
        let next_text = next.to_string();
        if !text.ends_with(&next_text) {
            text.push_str(": ");
            text.push_str(&next_text);
        }
        source = next.source();
    }
    text
}
