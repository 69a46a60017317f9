//! Documents on disk, the locks on them, and every earlier version. Reads documents and keeps their history; the
//! protocol that commits a new text is `worker`'s, built from the steps offered here. No path of the history is built
//! outside this crate.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod canonical_paths;
mod document;
mod during;
mod exchange;
mod following;
mod forget;
mod half_saved;
mod history;
mod interim;
mod known_text;
mod trim;

pub use canonical_paths::CanonicalPaths;
pub use document::{Document, Hashed, PlaceLock, Present, hash};
pub use during::{AfterCommand, BeforeCommand, DuringCommand};
pub use exchange::{Exchanged, Staged};
pub use following::{ChangedBy, SectionHashes, Unexplained};
pub use history::{HistoryOf, JobRecord, LateAside, Note, Revision, SomeCommand, Version};
pub use interim::Interim;
pub use trim::LOG_BYTES_MAX;

use durable::{Disk, DiskError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Largest document that is read, in bytes. A knowledge file of 16 MiB is a mistake somewhere.
pub const DOCUMENT_BYTES_MAX: u64 = 16 << 20;

/// Result of a documents step.
pub type Result<T> = std::result::Result<T, DocumentError>;

/// Why a step could not be done.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The document's path is not a regular file.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// Something else stands where a directory above the document should be.
    #[error("{} is no directory, so there can be no document below it", .0.display())]
    NotADirectory(PathBuf),
    /// Larger than `DOCUMENT_BYTES_MAX`.
    #[error("{} is larger than {} bytes", .0.display(), DOCUMENT_BYTES_MAX)]
    TooLarge(PathBuf),
    /// Its file system knows no way to replace it that would keep what somebody saves at that moment.
    #[error(
        "the file system of {} ({on}) can neither exchange two files nor give one a second name, so what somebody saves while \
         it is replaced could be lost", path.display()
    )]
    NoSafeReplace {
        /// The document.
        path: PathBuf,
        /// What kind it is.
        on: &'static str,
    },
    /// It belongs to a user or group that our user cannot give a file to.
    #[error(
        "{} belongs to user id {uid} and group id {gid}: a merge keeps a document's owner, and you cannot give it to them",
        path.display()
    )]
    OwnerNotKept {
        /// The document.
        path: PathBuf,
        /// Its owner.
        uid: u32,
        /// Its group.
        gid: u32,
    },
    /// A line of a document's history cannot be read.
    #[error("line {line} of {} cannot be read: {message}", path.display())]
    BadHistory {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Why.
        message: String,
    },
    /// A line of a document's history is of a newer format.
    #[error("line {line} of {} cannot be read: its format {format} is newer than this build reads", path.display())]
    NewerHistory {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Its format.
        format: u32,
    },
}

impl DocumentError {
    /// Whether the machine is in trouble rather than this document.
    #[must_use]
    pub fn is_machine_trouble(&self) -> bool {
        matches!(self, DocumentError::Disk(e) if e.is_machine_trouble())
    }

    /// What the person in front of it can do.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            DocumentError::Disk(e) => e.hint().to_owned(),
            DocumentError::NotAFile(path) => {
                format!("move away what stands at {}, then retry the job", path.display())
            }
            DocumentError::NotADirectory(path) => format!("move {} away", path.display()),
            DocumentError::TooLarge(_) => "split the document".to_owned(),
            DocumentError::NoSafeReplace { .. } => {
                "move the document to another file system (ext4, XFS, Btrfs, APFS), name that path in config.yaml, and retry the job"
                    .to_owned()
            }
            DocumentError::OwnerNotKept { path, .. } => format!(
                "a document is merged by its owner: have it be yours (sudo chown \"$USER\": {}), or give each user a document of their own; then retry the job",
                path.display()
            ),
            DocumentError::NewerHistory { .. } => "a newer last-word wrote it: run that one".to_owned(),
            DocumentError::BadHistory { path, .. } => {
                format!("move {} away; earlier versions beside it stay", path.display())
            }
        }
    }
}

/// The documents of a home: where their history and their locks are.
#[derive(Debug, Clone)]
pub struct Documents {
    disk: Arc<dyn Disk>,
    history: PathBuf,
    locks: PathBuf,
    /// What logs said when they were last looked at; shared by clones.
    followed: following::FollowedLogs,
    /// Locks on the directories of documents; shared by clones.
    places: document::PlaceLocks,
    /// The text of the document that was read last to be merged onto; shared by clones.
    known: Arc<Mutex<Arc<known_text::KnownText>>>,
    /// Directories of old documents, each in the directory of the others.
    archives: Arc<[PathBuf]>,
}

impl Documents {
    /// The documents with its history and its locks in these directories.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, history: PathBuf, locks: PathBuf) -> Self {
        let (followed, places) = (following::FollowedLogs::default(), document::PlaceLocks::default());
        Documents { disk, history, locks, followed, places, known: Arc::default(), archives: Arc::default() }
    }

    /// The same for who only reads: a document that is not in its place is read in the one of these directories that is beside it. Who merges has it
    /// brought back first.
    #[must_use]
    pub fn and_archives(&self, archives: impl IntoIterator<Item = PathBuf>) -> Self {
        Documents { archives: archives.into_iter().collect(), ..self.clone() }
    }
}
