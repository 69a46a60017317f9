//! The few ways we change a disk, every fsync, and the named crash points. Nothing else in the product touches
//! `std::fs` (held by clippy's `disallowed-methods`).
//!
//! Rules kept here so that nobody else has to know them: a write is whole or absent; EINTR is retried where the kernel
//! may return it; a failed fsync is reported as such and never retried (the page cache may already have dropped the
//! data); a directory's fsync is believed only after `fstat` on the same descriptor succeeds (XFS answers 0 on a file
//! system that was shut down). No mmap and no io_uring: neither can be followed by a crash rig.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod error;
#[cfg(target_os = "linux")]
mod extended;
mod file_system;
mod flock;
#[cfg(feature = "crash-points")]
mod injected_fault;
mod real;
#[cfg(feature = "simulated")]
pub mod simulated;

pub use error::{DiskAction, DiskError, Result};
pub use file_system::{FileSystem, Nature};
#[cfg(feature = "crash-points")]
pub use injected_fault::InjectedFault;
pub use real::RealDisk;

use std::any::Any;
use std::ffi::OsString;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// How much of a file is read at once where it is read in pieces, in bytes.
pub const PIECE_BYTES: usize = 64 << 10;

/// What a file is and whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What kind of file it is.
    pub kind: FileKind,
    /// Bytes.
    pub len: u64,
    /// Permission bits (07777).
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Device number of the file system it is on.
    pub device: u64,
    /// Inode number; with `device` the identity of the file.
    pub inode: u64,
    /// Last change of the content, milliseconds since the epoch (0 when before it).
    pub modified_ms: u64,
    /// Last change of the content, the name or the rights, milliseconds since the epoch: no program sets it to another time.
    pub changed_ms: u64,
}

/// What is left on a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Bytes that our user may still write.
    pub bytes: u64,
    /// New files and directories; `None` where there is no such limit.
    pub files: Option<u64>,
    /// Whether it is mounted read-only.
    pub read_only: bool,
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link (only from `Disk::stat_link`).
    Link,
    /// A device, socket or pipe.
    Other,
}

/// Mode and owner a new file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// Permission bits, set exactly (the umask does not apply).
    pub mode: u32,
    /// Owner and group; `None` leaves the process's own.
    pub owner: Option<(u32, u32)>,
}

impl Attributes {
    /// 0600, ours: every file of the queue.
    pub const PRIVATE: Attributes = Attributes { mode: 0o600, owner: None };
}

/// How a move ended. Losing a race is normal and not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// The file is at its new name.
    Done,
    /// The source is not there: somebody else was faster.
    Gone,
    /// The target exists; nothing was changed.
    Taken,
}

/// An flock, held until dropped; the kernel lets go when the process dies, however it dies.
#[derive(Debug)]
pub struct Lock {
    _held: Box<dyn Any + Send + Sync>,
}

/// How taking the flock on a file or directory that is there for another reason ended.
#[derive(Debug)]
pub enum InPlace {
    /// It is ours, and this is what was locked: something else may stand at the path by now.
    Held(Lock, Stat),
    /// Somebody else holds it.
    Busy,
    /// Nothing is there.
    Missing,
    /// It may not be opened, or the file system has no such locks.
    Unsupported,
}

/// A disk. Two implementors: the real one, and the simulated one of the tests.
///
/// Every method names one effect. None creates missing parents; none follows up on its own failure.
pub trait Disk: Send + Sync + Debug {
    /// The whole content of a file.
    ///
    /// # Errors
    /// As the system says; `len_max` bytes at most, else `EFBIG`.
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>>;

    /// The same piece by piece, for who needs no copy of all of it: `PIECE_BYTES` at a time, fewer only where it ends, for as long
    /// as `each` says that it wants more.
    ///
    /// # Errors
    /// As `read`; then some pieces were given already.
    fn each_piece(&self, path: &Path, len_max: u64, each: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
        let bytes = self.read(path, len_max)?;
        bytes.chunks(PIECE_BYTES).all(each);
        Ok(())
    }

    /// The last `len_max` bytes of a file, and whether that is all of it.
    ///
    /// # Errors
    /// As the system says.
    fn read_tail(&self, path: &Path, len_max: u64) -> Result<(Vec<u8>, bool)>;

    /// The bytes of a file from an offset on: `len_max` of them, fewer only where it ends.
    ///
    /// # Errors
    /// As the system says.
    fn read_at(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>>;

    /// The names in a directory, unsorted, without `.` and `..`.
    ///
    /// # Errors
    /// As the system says.
    fn list(&self, dir: &Path) -> Result<Vec<OsString>>;

    /// The same one by one: a million names are a hundred megabytes.
    ///
    /// # Errors
    /// As the system says; then some names were given already.
    fn each_name(&self, dir: &Path, each: &mut dyn FnMut(OsString)) -> Result<()> {
        self.list(dir)?.into_iter().for_each(each);
        Ok(())
    }

    /// The file at a path, with symbolic links followed; `None` if there is none.
    ///
    /// # Errors
    /// As the system says, except "not there".
    fn stat(&self, path: &Path) -> Result<Option<Stat>>;

    /// The file at a path, with symbolic links not followed; `None` if there is none.
    ///
    /// # Errors
    /// As the system says, except "not there".
    fn stat_link(&self, path: &Path) -> Result<Option<Stat>>;

    /// What tells a directory from every other one of this machine, also after a restart, when its device may have another number:
    /// its inode, and when it was made; where the file system does not say that, its device. `None` if there is none.
    ///
    /// # Errors
    /// As the system says, except "not there".
    fn lasting_id(&self, dir: &Path) -> Result<Option<(u64, u64)>>;

    /// The path with every symbolic link resolved.
    ///
    /// # Errors
    /// As the system says.
    fn canonical(&self, path: &Path) -> Result<PathBuf>;

    /// Whether a path lies in a folder once all links are followed; not so where one of the two is not there.
    fn is_within(&self, path: &Path, folder: &Path) -> bool {
        let folder = self.canonical(folder);
        folder.is_ok_and(|folder| self.canonical(path).is_ok_and(|path| path.starts_with(folder)))
    }

    /// What a symbolic link points to, as written in it.
    ///
    /// # Errors
    /// As the system says.
    fn read_link(&self, path: &Path) -> Result<PathBuf>;

    /// Makes a new file with these bytes and syncs it. The name itself is durable only after `sync_dir`.
    /// A failure removes what was begun.
    ///
    /// # Errors
    /// `EEXIST` when the name is taken; as the system says.
    fn write_new(&self, path: &Path, bytes: &[u8], attributes: Attributes) -> Result<()>;

    /// The same for a file that is to take the place of `old`: it also gets what that one has beside mode and owner, its access
    /// control list and extended attributes, where this disk knows such things. It is never more open than `old`.
    ///
    /// # Errors
    /// As `write_new`.
    fn write_in_place_of(
        &self,
        _old: &Path,
        path: &Path,
        bytes: &[u8],
        attributes: Attributes,
    ) -> Result<()> {
        self.write_new(path, bytes, attributes)
    }

    /// The same, with `old` where there is one, for a path whose directories were resolved before: where one of them is a link by now,
    /// it fails, and nothing is made elsewhere.
    ///
    /// # Errors
    /// `ELOOP` for such a link; as `write_new`.
    fn write_resolved(
        &self,
        old: Option<&Path>,
        path: &Path,
        bytes: &[u8],
        attributes: Attributes,
    ) -> Result<()> {
        match old {
            Some(old) => self.write_in_place_of(old, path, bytes, attributes),
            None => self.write_new(path, bytes, attributes),
        }
    }

    /// Makes many new private files and syncs them together: write-back of all is begun before the first is waited
    /// for, or one sync of the file system stands for all. After an error some of them may exist.
    ///
    /// # Errors
    /// As `write_new`.
    fn write_many_new(&self, files: &[(PathBuf, Vec<u8>)]) -> Result<()>;

    /// Adds bytes at the end of a file in one write, making it (0600) when missing. Not synced.
    ///
    /// # Errors
    /// As the system says.
    fn append(&self, path: &Path, bytes: &[u8]) -> Result<()>;

    /// Syncs a file's content.
    ///
    /// # Errors
    /// As the system says; never retry it.
    fn sync_file(&self, path: &Path) -> Result<()>;

    /// Renames without replacing.
    ///
    /// # Errors
    /// As the system says, except for the two ordinary losses (`Moved`).
    fn move_new(&self, from: &Path, to: &Path) -> Result<Moved>;

    /// Renames over what is there.
    ///
    /// # Errors
    /// As the system says.
    fn replace(&self, from: &Path, to: &Path) -> Result<()>;

    /// Swaps two names in one step.
    ///
    /// # Errors
    /// `Unsupported` where the file system cannot; as the system says.
    fn exchange(&self, a: &Path, b: &Path) -> Result<()>;

    /// A second name for a file, without replacing.
    ///
    /// # Errors
    /// As the system says, except for the two ordinary losses (`Moved`).
    fn link_new(&self, from: &Path, to: &Path) -> Result<Moved>;

    /// Removes a file; false when it was not there.
    ///
    /// # Errors
    /// As the system says, except "not there".
    fn remove(&self, path: &Path) -> Result<bool>;

    /// Sets the permission bits of a file or directory of ours.
    ///
    /// # Errors
    /// As the system says.
    fn set_mode(&self, path: &Path, mode: u32) -> Result<()>;

    /// Makes a directory (0700); false when one is there already.
    ///
    /// # Errors
    /// As the system says.
    fn make_dir(&self, path: &Path) -> Result<bool>;

    /// The same, where no directory of the path may be a link: one that was put there since the path was resolved is refused.
    ///
    /// # Errors
    /// As `make_dir`; `ELOOP` for a link.
    fn make_dir_resolved(&self, path: &Path) -> Result<bool> {
        self.make_dir(path)
    }

    /// Removes an empty directory; false when it was not there or is not empty.
    ///
    /// # Errors
    /// As the system says, except those two.
    fn remove_dir(&self, path: &Path) -> Result<bool>;

    /// Makes the names in a directory durable.
    ///
    /// # Errors
    /// As the system says; never retry it.
    fn sync_dir(&self, dir: &Path) -> Result<()>;

    /// Takes the flock on a lock file (made when missing); `None` when somebody holds it.
    ///
    /// # Errors
    /// As the system says.
    fn try_lock(&self, path: &Path) -> Result<Option<Lock>>;

    /// Waits for the flock on a lock file. Only for locks that are held for microseconds or milliseconds.
    ///
    /// # Errors
    /// As the system says.
    fn lock(&self, path: &Path) -> Result<Lock>;

    /// Takes the flock on a file or directory that is there for another reason, without making or changing it. With
    /// `patient`, waits a moment for whoever holds it.
    ///
    /// # Errors
    /// As the system says when it is looked at; that it cannot be locked is an answer.
    fn lock_in_place(&self, path: &Path, patient: bool) -> Result<InPlace>;

    /// Replaces the small content of a lock file while holding its lock: `next` sees the old bytes and answers the
    /// new ones. Not synced: a power cut may give an older content or none.
    ///
    /// # Errors
    /// As the system says.
    fn update_locked(&self, path: &Path, next: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> Result<()>;

    /// What kind of file system a path is on.
    ///
    /// # Errors
    /// As the system says.
    fn file_system(&self, path: &Path) -> Result<FileSystem>;

    /// What is left on the file system of a path. A simulated disk has room for everything.
    ///
    /// # Errors
    /// As the system says.
    fn space(&self, _path: &Path) -> Result<Space> {
        Ok(Space { bytes: u64::MAX, files: None, read_only: false })
    }

    /// The user whose files we make: the effective user id. What decides for us must belong to them.
    fn uid(&self) -> u32;

    /// A named place where tests may crash us. Does nothing on a disk that is not told to.
    fn point(&self, _name: &'static str) {}

    /// Microseconds of a clock that is never set; always the same where nothing is timed.
    fn uptime_us(&self) -> u64 {
        0
    }

    /// Pauses for longer than somebody who waits for the flock of a directory does between two looks at it.
    fn give_way(&self) {}

    /// How many syncs there were, and the microseconds they took together; zero where nobody counts.
    fn synced(&self) -> (u64, u64) {
        (0, 0)
    }
}
