//! What ends a run, and what only defers or fails a document's jobs.

use declaration::Fault;
use documents::DocumentError;
use queue_layout::QueueError;

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
    pub fn hint(&self) -> Option<String> {
        match self {
            RunError::Queue(e) => e.hint(),
            RunError::Documents(e) => Some(e.hint()),
        }
    }
}

/// Why a document's batch did not get through.
#[derive(Debug)]
pub enum Trouble {
    /// The run ends.
    Run(RunError),
    /// This document's jobs are tried again later.
    Later(Fault),
    /// This document's jobs fail.
    Never(Fault),
}

impl From<QueueError> for Trouble {
    fn from(e: QueueError) -> Self {
        Trouble::Run(e.into())
    }
}

impl From<RunError> for Trouble {
    fn from(e: RunError) -> Self {
        Trouble::Run(e)
    }
}

impl From<DocumentError> for Trouble {
    /// Trouble of the machine ends the run; trouble of one file may pass (a permission given back, a directory
    /// mounted), so it is tried again before a person is asked.
    fn from(e: DocumentError) -> Self {
        if e.is_machine_trouble() {
            return Trouble::Run(e.into());
        }
        let error = Fault::new(code(&e), cause(&e)).hint(e.hint());
        match e {
            DocumentError::NotAFile(_) | DocumentError::TooLarge(_) => Trouble::Never(error),
            DocumentError::Disk(_) | DocumentError::NotADirectory(_) | DocumentError::BadHistory { .. } => {
                Trouble::Later(error)
            }
        }
    }
}

fn code(e: &DocumentError) -> &'static str {
    match e {
        DocumentError::Disk(_) | DocumentError::NotADirectory(_) => "document_unreachable",
        DocumentError::NotAFile(_) => "document_not_a_file",
        DocumentError::TooLarge(_) => "document_too_large",
        DocumentError::BadHistory { .. } => "bad_history",
    }
}

/// An error with the causes behind it, in one line.
fn cause(e: &dyn std::error::Error) -> String {
    let mut text = e.to_string();
    let mut source = e.source();
    while let Some(next) = source {
        text.push_str(": ");
        text.push_str(&next.to_string());
        source = next.source();
    }
    text
}
