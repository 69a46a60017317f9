//! What went wrong with a disk, on which file, while doing what.

use std::io;
use std::path::{Path, PathBuf};

/// Result of a disk operation.
pub type Result<T> = std::result::Result<T, DiskError>;

/// What we were doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskAction {
    /// Reading a file.
    Read,
    /// Listing a directory.
    List,
    /// Asking for a file's facts.
    Stat,
    /// Writing a file.
    Write,
    /// Making a file's content durable.
    SyncFile,
    /// Making a directory's names durable.
    SyncDir,
    /// Renaming, linking or exchanging.
    Move,
    /// Removing.
    Remove,
    /// Making a directory.
    MakeDir,
    /// Locking.
    Lock,
}

impl DiskAction {
    fn verb(self) -> &'static str {
        match self {
            DiskAction::Read => "read",
            DiskAction::List => "list",
            DiskAction::Stat => "look at",
            DiskAction::Write => "write",
            DiskAction::SyncFile => "fsync",
            DiskAction::SyncDir => "fsync the directory",
            DiskAction::Move => "move",
            DiskAction::Remove => "remove",
            DiskAction::MakeDir => "make the directory",
            DiskAction::Lock => "lock",
        }
    }
}

/// A disk operation that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {} {}", .action.verb(), paths(.path, .to.as_deref()))]
pub struct DiskError {
    /// What we were doing.
    pub action: DiskAction,
    /// To which file.
    pub path: PathBuf,
    /// For moves: to which name.
    pub to: Option<PathBuf>,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// For several who are told of the same failure.
impl Clone for DiskError {
    fn clone(&self) -> Self {
        let source = match self.source.raw_os_error() {
            Some(raw) => io::Error::from_raw_os_error(raw),
            None => io::Error::new(self.source.kind(), self.source.to_string()),
        };
        DiskError { action: self.action, path: self.path.clone(), to: self.to.clone(), source }
    }
}

fn paths(path: &Path, to: Option<&Path>) -> String {
    match to {
        Some(to) => format!("{} to {}", path.display(), to.display()),
        None => path.display().to_string(),
    }
}

impl DiskError {
    pub(crate) fn new(action: DiskAction, path: &Path, source: impl Into<io::Error>) -> Self {
        DiskError { action, path: path.to_owned(), to: None, source: source.into() }
    }

    pub(crate) fn to(mut self, to: &Path) -> Self {
        self.to = Some(to.to_owned());
        self
    }

    /// The kind of the system's error.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    /// Whether an fsync failed: what was written may or may not be durable, and nobody can find out.
    #[must_use]
    pub fn is_sync(&self) -> bool {
        matches!(self.action, DiskAction::SyncFile | DiskAction::SyncDir)
    }

    /// Whether there was no room for it, on the disk or in somebody's quota.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// Whether the machine is in trouble rather than this one file: then the run stops, and no job loses an attempt.
    #[must_use]
    pub fn is_machine_trouble(&self) -> bool {
        use rustix::io::Errno;
        const TROUBLE: [Errno; 9] = [
            Errno::NOSPC,
            Errno::DQUOT,
            Errno::ROFS,
            Errno::IO,
            Errno::MFILE,
            Errno::NFILE,
            Errno::NOMEM,
            Errno::STALE,
            Errno::NODEV,
        ];
        self.is_sync()
            || self.source.raw_os_error().is_some_and(|raw| TROUBLE.iter().any(|e| e.raw_os_error() == raw))
    }

    /// What the person in front of it can do.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        use io::ErrorKind as K;
        use rustix::io::Errno;
        match self.kind() {
            K::StorageFull | K::QuotaExceeded => {
                "free some space on that disk, then run the command again; nothing was lost"
            }
            K::ReadOnlyFilesystem => {
                "the file system is read-only: remount it writable, or choose another home with --home"
            }
            K::PermissionDenied => "check the owner and permissions of that path (`ls -ld`)",
            K::CrossesDevices => {
                "every directory of the home must be on one file system; move the odd one back"
            }
            K::NotFound => "make what is missing",
            _ if [Errno::MFILE, Errno::NFILE]
                .map(|e| Some(e.raw_os_error()))
                .contains(&self.source.raw_os_error()) =>
            {
                "too many files are open: raise the limit (`ulimit -n 1024`), then run the command again"
            }
            _ if self.is_sync() => {
                "the disk did not confirm the write: look at the kernel's log before trusting it"
            }
            _ => "look at the path and the kernel's log, then run the command again",
        }
    }
}
