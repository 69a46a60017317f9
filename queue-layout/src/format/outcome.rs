//! What became of a job. A value, never an error: a job that fails or must wait is no trouble of whoever ran it.

use declaration::Fault;
use markdown_merge::{Change, ChangeKind};

/// What became of a job when it was tried.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Its changes are in the document's text; one per entry.
    Applied(Vec<Change>),
    /// The document said it already; one per entry, each of the kind `Unchanged`.
    Unchanged(Vec<Change>),
    /// Something that may pass was in the way, so it is tried again later. All jobs of a batch have this outcome or
    /// none: the later ones must not overtake the first.
    Retry(Fault),
    /// It cannot be merged as it is; a person must look.
    Failed(Fault),
    /// A person must say yes first.
    Review {
        /// Why.
        fault: Fault,
        /// For each entry what stood in its place when this was found: what changes there before the yes comes is merged
        /// with, or a conflict, and never lost.
        seen: Vec<SeenPlace>,
    },
}

/// What stood in the place of an entry when a person's yes was found wanting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenPlace {
    /// The entry's `base` from now on, where its author named none.
    pub base: Option<String>,
    /// Its `seen`, where the entry takes out what it finds: changes of jobs before it are none that it did not see.
    pub seen: Option<String>,
}

impl Outcome {
    /// The outcome of a job that was merged.
    #[must_use]
    pub fn merged(changes: Vec<Change>) -> Outcome {
        match changes.iter().any(|change| change.kind != ChangeKind::Unchanged) {
            true => Outcome::Applied(changes),
            false => Outcome::Unchanged(changes),
        }
    }

    /// What changed, one per entry; `None` for a job that is not in the text.
    #[must_use]
    pub fn changes(&self) -> Option<&[Change]> {
        match self {
            Outcome::Applied(changes) | Outcome::Unchanged(changes) => Some(changes),
            Outcome::Retry(_) | Outcome::Failed(_) | Outcome::Review { .. } => None,
        }
    }

    /// Why the job is not in the text; `None` for one that is.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Outcome::Applied(_) | Outcome::Unchanged(_) => None,
            Outcome::Retry(fault) | Outcome::Failed(fault) | Outcome::Review { fault, .. } => Some(fault),
        }
    }
}
