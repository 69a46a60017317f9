//! The disk of this machine, through rustix: one method, one effect, its syncs where the contract says, and how long the
//! lock of a directory is waited for.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)] // the one place that may

use crate::error::{DiskAction, DiskError, Result};
#[cfg(target_os = "linux")]
use crate::extended::carry;
use crate::flock::{self, Flock};
use crate::{Attributes, Disk, FileKind, FileSystem, InPlace, Lock, Moved, PIECE_BYTES, Space, Stat};
use rustix::buffer::spare_capacity;
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::io::{Errno, retry_on_intr};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

/// The least that is read at once where a file does not say how long it is, in bytes.
const READ_BYTES_MIN: usize = 4096;
/// The most that is read of a lock file, in bytes: the longest we write (the counters) is half of it.
const LOCK_BYTES_MAX: usize = 4096;

/// So many new files are synced by one sync of their file system: eight times faster here than one by one, and slower
/// only where others have written a great deal that waits to reach the disk.
const TOGETHER_MIN: usize = 16;
/// So many new files are open at once where each is synced by its own descriptor: a quarter of what the strictest usual
/// limit (`ulimit -n 256`, macOS) leaves a process.
const OPEN_MAX: usize = 64;

/// How often the flock of a directory is tried, and the time between: a commit takes milliseconds.
const IN_PLACE_NAPS: u32 = 50;
const IN_PLACE_NAP: std::time::Duration = std::time::Duration::from_millis(5);

/// The disk of this machine.
#[derive(Debug, Default)]
pub struct RealDisk {
    /// Tells the time, in microseconds of a clock that is never set; without one nothing is timed.
    clock: Option<fn() -> u64>,
    synced: AtomicU64,
    synced_us: AtomicU64,
    uid: OnceLock<u32>,
    #[cfg(feature = "crash-points")]
    trouble: Option<crate::InjectedFault>,
}

impl RealDisk {
    /// The disk of this machine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The disk of this machine, with trouble on order.
    #[cfg(feature = "crash-points")]
    #[must_use]
    pub fn with_injected_fault(trouble: crate::InjectedFault) -> Self {
        RealDisk { trouble: Some(trouble), ..RealDisk::default() }
    }

    /// The same disk, with its syncs timed.
    #[must_use]
    pub fn timed(self, clock: fn() -> u64) -> Self {
        RealDisk { clock: Some(clock), ..self }
    }

    /// All that comes out of a pipe or a device, until its writer is done: opened so that it waits for one.
    ///
    /// # Errors
    /// As the system says; `len_max` bytes at most, else `EFBIG`.
    pub fn read_stream(&self, path: &Path, len_max: u64) -> Result<Vec<u8>> {
        let err = |e: Errno| DiskError::new(DiskAction::Read, path, e);
        let file = open(path, OFlags::RDONLY | OFlags::NOCTTY, Mode::empty()).map_err(err)?;
        read_all(&file, 0, len_max).map_err(err)
    }

    #[cfg(feature = "crash-points")]
    fn step(&self, action: DiskAction, path: &Path) -> Result<()> {
        let Some(trouble) = &self.trouble else { return Ok(()) };
        let what = format!("{action:?} {}", path.display());
        trouble.step(&what).map_err(|e| DiskError::new(action, path, e))
    }

    /// Names are fetched many at a time: here some of a large directory are, and others are not.
    #[cfg(feature = "crash-points")]
    fn in_the_middle_of(&self, dir: &Path) {
        if dir.ends_with("pending") {
            self.point("list.pending");
        }
    }

    #[cfg(not(feature = "crash-points"))]
    #[inline(always)]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps)]
    fn step(&self, _action: DiskAction, _path: &Path) -> Result<()> {
        Ok(())
    }
}

impl Disk for RealDisk {
    fn uid(&self) -> u32 {
        *self.uid.get_or_init(|| rustix::process::geteuid().as_raw())
    }

    fn uptime_us(&self) -> u64 {
        self.clock.map_or(0, |clock| clock())
    }

    fn give_way(&self) {
        std::thread::sleep(2 * IN_PLACE_NAP);
    }

    fn synced(&self) -> (u64, u64) {
        (self.synced.load(Ordering::Relaxed), self.synced_us.load(Ordering::Relaxed))
    }

    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>> {
        let err = |e: Errno| DiskError::new(DiskAction::Read, path, e);
        let (file, len) = open_file(path, len_max).map_err(err)?;
        read_all(&file, len, len_max).map_err(err)
    }

    fn each_piece(&self, path: &Path, len_max: u64, each: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
        let err = |e: Errno| DiskError::new(DiskAction::Read, path, e);
        let (file, len) = open_file(path, len_max).map_err(err)?;
        let whole = usize::try_from(len).unwrap_or(PIECE_BYTES).saturating_add(1);
        let mut buffer = vec![0; whole.min(PIECE_BYTES)];
        let mut filled = 0;
        let mut bytes = 0;
        loop {
            if filled == buffer.len() {
                // It grew since its length was asked.
                buffer.resize(PIECE_BYTES, 0);
            }
            let count = retry_on_intr(|| rustix::io::read(&file, &mut buffer[filled..])).map_err(err)?;
            filled += count;
            bytes += count as u64;
            if bytes > len_max {
                return Err(err(Errno::FBIG));
            }
            // As in `read_all`.
            let is_end = count == 0 || len > 0 && bytes >= len && filled < buffer.len();
            if !is_end && filled < PIECE_BYTES {
                continue;
            }
            if filled > 0 && !each(&buffer[..filled]) || is_end {
                return Ok(());
            }
            filled = 0;
        }
    }

    fn read_tail(&self, path: &Path, len_max: u64) -> Result<(Vec<u8>, bool)> {
        let err = |e: std::io::Error| DiskError::new(DiskAction::Read, path, e);
        let mut file = File::from(open(path, READ_AT_ONCE, Mode::empty()).map_err(|e| err(e.into()))?);
        let len = regular(&file).map_err(err)?.len();
        let start = len.saturating_sub(len_max);
        if start > 0 {
            file.seek(SeekFrom::Start(start)).map_err(err)?;
        }
        // With room for all of it, and some for the read that finds the end, `read_to_end` needs no small pieces.
        let room = usize::try_from(len - start).unwrap_or(0).saturating_add(READ_BYTES_MIN);
        let mut bytes = Vec::with_capacity(room);
        file.take(len_max).read_to_end(&mut bytes).map_err(err)?;
        Ok((bytes, start == 0))
    }

    fn read_at(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>> {
        let err = |e: std::io::Error| DiskError::new(DiskAction::Read, path, e);
        // A pipe has no offset: the seek fails.
        let mut file = File::from(open(path, READ_AT_ONCE, Mode::empty()).map_err(|e| err(e.into()))?);
        file.seek(SeekFrom::Start(offset)).map_err(err)?;
        let mut bytes = Vec::new();
        file.take(len_max).read_to_end(&mut bytes).map_err(err)?;
        Ok(bytes)
    }

    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        let mut names = Vec::new();
        self.each_name(dir, &mut |name| names.push(name))?;
        Ok(names)
    }

    fn each_name(&self, dir: &Path, each: &mut dyn FnMut(OsString)) -> Result<()> {
        let err = |e: Errno| DiskError::new(DiskAction::List, dir, e);
        let opened = open(dir, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).map_err(err)?;
        let mut entries = fs::Dir::new(opened).map_err(err)?;
        loop {
            match entries.read() {
                None => return Ok(()),
                Some(Err(Errno::INTR)) => {}
                Some(Err(e)) => return Err(err(e)),
                Some(Ok(entry)) => {
                    #[cfg(feature = "crash-points")]
                    self.in_the_middle_of(dir);
                    let name = entry.file_name().to_bytes();
                    if name != b"." && name != b".." {
                        each(OsString::from_vec(name.to_vec()));
                    }
                }
            }
        }
    }

    fn stat(&self, path: &Path) -> Result<Option<Stat>> {
        stat_at(path, AtFlags::empty())
    }

    fn stat_link(&self, path: &Path) -> Result<Option<Stat>> {
        stat_at(path, AtFlags::SYMLINK_NOFOLLOW)
    }

    fn lasting_id(&self, dir: &Path) -> Result<Option<(u64, u64)>> {
        let metadata = match std::fs::metadata(dir) {
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            other => other.map_err(|e| DiskError::new(DiskAction::Stat, dir, e))?,
        };
        let born = metadata.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let of = born.map_or(metadata.dev(), |born| u64::try_from(born.as_nanos()).unwrap_or(u64::MAX));
        Ok(Some((of, metadata.ino())))
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf> {
        std::fs::canonicalize(path).map_err(|e| DiskError::new(DiskAction::Stat, path, e))
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf> {
        std::fs::read_link(path).map_err(|e| DiskError::new(DiskAction::Stat, path, e))
    }

    fn write_new(&self, path: &Path, bytes: &[u8], attributes: Attributes) -> Result<()> {
        self.write_durable(path, bytes, attributes, None, Links::Followed)
    }

    fn write_in_place_of(&self, old: &Path, path: &Path, bytes: &[u8], attributes: Attributes) -> Result<()> {
        self.write_durable(path, bytes, attributes, Some(old), Links::Followed)
    }

    fn write_resolved(
        &self,
        old: Option<&Path>,
        path: &Path,
        bytes: &[u8],
        attributes: Attributes,
    ) -> Result<()> {
        self.write_durable(path, bytes, attributes, old, Links::Refused)
    }

    fn write_many_new(&self, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
        if let [(path, bytes)] = files {
            return self.write_new(path, bytes, Attributes::PRIVATE);
        }
        let mut begun: Vec<(&PathBuf, File)> = Vec::with_capacity(files.len().min(OPEN_MAX));
        let mut together = false;
        for (n, (path, bytes)) in files.iter().enumerate() {
            let file = self.begin(path, bytes, Attributes::PRIVATE, None, Links::Followed)?;
            together |= n == 0 && files.len() >= TOGETHER_MIN && syncs_together(&file);
            if together {
                // Of these only the first and the last are asked for errors below.
                begun.truncate(1);
            } else {
                start_write_back(&file);
            }
            begun.push((path, file));
            if begun.len() == OPEN_MAX {
                for (path, file) in begun.drain(..) {
                    self.sync(DiskAction::SyncFile, path, &file)?;
                }
            }
        }
        if let (true, [(first, opened), .., (last, written)]) = (together, begun.as_slice()) {
            // The descriptor is older than what was written: an error of any write-back since is told to it.
            self.sync_file_system(first, opened)?;
            // Where a file system was shut down, its syncs are heard to succeed; a file's does not.
            return self.sync(DiskAction::SyncFile, last, written);
        }
        // Every file is synced by its own descriptor: an error of write-back is reported once, to this descriptor.
        for (path, file) in &begun {
            self.sync(DiskAction::SyncFile, path, file)?;
        }
        Ok(())
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.step(DiskAction::Write, path)?;
        let err = |e: std::io::Error| DiskError::new(DiskAction::Write, path, e);
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NONBLOCK;
        let mut file = File::from(open(path, flags, Mode::from_raw_mode(0o600)).map_err(|e| err(e.into()))?);
        regular(&file).map_err(err)?;
        file.write_all(bytes).map_err(err)
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        let file = open(path, READ_AT_ONCE, Mode::empty())
            .map_err(|e| DiskError::new(DiskAction::SyncFile, path, e))?;
        self.sync(DiskAction::SyncFile, path, &File::from(file))
    }

    fn move_new(&self, from: &Path, to: &Path) -> Result<Moved> {
        self.step(DiskAction::Move, from)?;
        let done = retry_on_intr(|| fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE));
        match done {
            // A file system without the flag (some network and FUSE ones): link and unlink say the same, in two steps.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => match self.link_new(from, to)? {
                Moved::Done => self.remove(from).map(|_| Moved::Done),
                lost => Ok(lost),
            },
            other => moved(other, from, to),
        }
    }

    fn replace(&self, from: &Path, to: &Path) -> Result<()> {
        self.step(DiskAction::Move, from)?;
        retry_on_intr(|| fs::renameat(CWD, from, CWD, to))
            .map_err(|e| DiskError::new(DiskAction::Move, from, e).to(to))
    }

    fn exchange(&self, a: &Path, b: &Path) -> Result<()> {
        self.step(DiskAction::Move, a)?;
        match retry_on_intr(|| fs::renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                let unsupported = std::io::Error::from(std::io::ErrorKind::Unsupported);
                Err(DiskError::new(DiskAction::Move, a, unsupported).to(b))
            }
            other => other.map_err(|e| DiskError::new(DiskAction::Move, a, e).to(b)),
        }
    }

    fn link_new(&self, from: &Path, to: &Path) -> Result<Moved> {
        self.step(DiskAction::Move, from)?;
        moved(retry_on_intr(|| fs::linkat(CWD, from, CWD, to, AtFlags::empty())), from, to)
    }

    fn remove(&self, path: &Path) -> Result<bool> {
        self.step(DiskAction::Remove, path)?;
        match retry_on_intr(|| fs::unlinkat(CWD, path, AtFlags::empty())) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(e) => Err(DiskError::new(DiskAction::Remove, path, e)),
        }
    }

    fn set_mode(&self, path: &Path, mode: u32) -> Result<()> {
        let set = retry_on_intr(|| fs::chmod(path, mode_of(mode)));
        set.map_err(|e| DiskError::new(DiskAction::Write, path, e))
    }

    fn make_dir(&self, path: &Path) -> Result<bool> {
        self.step(DiskAction::MakeDir, path)?;
        match retry_on_intr(|| fs::mkdirat(CWD, path, Mode::from_raw_mode(0o700))) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => match self.stat(path)? {
                Some(Stat { kind: FileKind::Directory, .. }) => Ok(false),
                _ => Err(DiskError::new(DiskAction::MakeDir, path, Errno::NOTDIR)),
            },
            Err(e) => Err(DiskError::new(DiskAction::MakeDir, path, e)),
        }
    }

    fn make_dir_resolved(&self, path: &Path) -> Result<bool> {
        self.step(DiskAction::MakeDir, path)?;
        let err = |e: Errno| DiskError::new(DiskAction::MakeDir, path, e);
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(err(Errno::INVAL));
        };
        let above = open_dir_without_links(above).map_err(err)?;
        match retry_on_intr(|| fs::mkdirat(&above, name, Mode::from_raw_mode(0o700))) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => {
                let found = fs::statat(&above, name, AtFlags::SYMLINK_NOFOLLOW).map_err(err)?;
                let is_dir = fs::FileType::from_raw_mode(found.st_mode) == fs::FileType::Directory;
                if is_dir { Ok(false) } else { Err(err(Errno::NOTDIR)) }
            }
            Err(e) => Err(err(e)),
        }
    }

    fn remove_dir(&self, path: &Path) -> Result<bool> {
        self.step(DiskAction::Remove, path)?;
        match retry_on_intr(|| fs::unlinkat(CWD, path, AtFlags::REMOVEDIR)) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(e) => Err(DiskError::new(DiskAction::Remove, path, e)),
        }
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        let opened = open(dir, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
            .map_err(|e| DiskError::new(DiskAction::SyncDir, dir, e))?;
        let opened = File::from(opened);
        self.sync(DiskAction::SyncDir, dir, &opened)?;
        fs::fstat(&opened).map(|_| ()).map_err(|e| DiskError::new(DiskAction::SyncDir, dir, e))
    }

    fn try_lock(&self, path: &Path) -> Result<Option<Lock>> {
        let held = Flock::attempted(lock_file(path)?);
        let held = held.map_err(|e| DiskError::new(DiskAction::Lock, path, e))?;
        Ok(held.ok().map(|held| Lock { _held: Box::new(held) }))
    }

    fn lock(&self, path: &Path) -> Result<Lock> {
        let held = Flock::waited_for(lock_file(path)?);
        let held = held.map_err(|e| DiskError::new(DiskAction::Lock, path, e))?;
        Ok(Lock { _held: Box::new(held) })
    }

    fn lock_in_place(&self, path: &Path, patient: bool) -> Result<InPlace> {
        // For reading: a directory is opened in no other way, and what watches a file is told of one opened for writing.
        let mut file = match open(path, READ_AT_ONCE, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(InPlace::Missing),
            Err(Errno::ACCESS | Errno::PERM | Errno::NXIO) => return Ok(InPlace::Unsupported),
            Err(e) => return Err(DiskError::new(DiskAction::Lock, path, e)),
        };
        let facts = fs::fstat(&file).map_err(|e| DiskError::new(DiskAction::Lock, path, e))?;
        for _ in 0..IN_PLACE_NAPS {
            match Flock::attempted(file) {
                Ok(Ok(held)) => return Ok(InPlace::Held(Lock { _held: Box::new(held) }, stat_of(&facts))),
                Ok(Err(_)) if !patient => break,
                Ok(Err(still_open)) => file = still_open,
                // NFS wants a file that is open for writing, others know no flock.
                Err(_) => return Ok(InPlace::Unsupported),
            }
            std::thread::sleep(IN_PLACE_NAP);
        }
        Ok(InPlace::Busy)
    }

    fn update_locked(&self, path: &Path, next: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> Result<()> {
        let file = lock_file(path)?;
        let err = |e| DiskError::new(DiskAction::Lock, path, e);
        flock::wait_for(&file).map_err(err)?;
        let mut old = vec![0; LOCK_BYTES_MAX];
        let len = file.read_at(&mut old, 0).map_err(err)?;
        old.truncate(len);
        let new = next(&old);
        self.step(DiskAction::Write, path)?;
        file.write_all_at(&new, 0).map_err(err)?;
        if new.len() < old.len() {
            file.set_len(new.len() as u64).map_err(err)?;
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn file_system(&self, path: &Path) -> Result<FileSystem> {
        let facts =
            retry_on_intr(|| fs::statfs(path)).map_err(|e| DiskError::new(DiskAction::Stat, path, e))?;
        Ok(FileSystem::by_number(u32::try_from(facts.f_type & 0xffff_ffff).unwrap_or(0)))
    }

    #[cfg(not(target_os = "linux"))]
    fn file_system(&self, _path: &Path) -> Result<FileSystem> {
        Ok(FileSystem::UNKNOWN)
    }

    fn space(&self, path: &Path) -> Result<Space> {
        let facts =
            retry_on_intr(|| fs::statvfs(path)).map_err(|e| DiskError::new(DiskAction::Stat, path, e))?;
        // File systems that make inodes as they need them count none.
        let files = (facts.f_files > 0).then_some(facts.f_favail);
        let read_only = facts.f_flag.contains(fs::StatVfsMountFlags::RDONLY);
        Ok(Space { bytes: facts.f_bavail.saturating_mul(facts.f_frsize), files, read_only })
    }

    #[cfg(feature = "crash-points")]
    fn point(&self, name: &'static str) {
        if let Some(trouble) = &self.trouble {
            trouble.point(name);
        }
    }
}

/// What is done with links among the directories of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    Followed,
    Refused,
}

/// Opens a file whose path has no link in it, in one step: between a look at the path and the opening somebody could put a link there.
#[cfg(target_os = "linux")]
fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    let flags = flags | OFlags::CLOEXEC;
    match retry_on_intr(|| openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS)) {
        // Older kernels, and sandboxes that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_resolved(path, flags, mode),
        other => other,
    }
}

#[cfg(not(target_os = "linux"))]
fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    open_resolved(path, flags, mode)
}

/// Opens a directory whose path has no link in it, to make something in it.
fn open_dir_without_links(dir: &Path) -> rustix::io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match retry_on_intr(|| openat2(CWD, dir, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)) {
            Err(Errno::NOSYS | Errno::PERM) => {}
            other => return other,
        }
    }
    let is_resolved = || std::fs::canonicalize(dir).is_ok_and(|found| found == dir);
    let opened = open(dir, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?;
    // Behind the opening: what was opened is what the path led to then, or it is not the same any more.
    if is_resolved() { Ok(opened) } else { Err(Errno::LOOP) }
}

/// The same in two steps: the file is removed again where its directory is another one behind its links.
fn open_resolved(path: &Path, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    let dir = path.parent().unwrap_or_else(|| Path::new("/"));
    let is_resolved = || std::fs::canonicalize(dir).is_ok_and(|found| found == dir);
    if !is_resolved() {
        return Err(if dir.exists() { Errno::LOOP } else { Errno::NOENT });
    }
    let file = open(path, flags, mode)?;
    if !is_resolved() {
        abandon(path);
        return Err(Errno::LOOP);
    }
    Ok(file)
}

impl RealDisk {
    /// Makes, fills and syncs a new file; removes it again when that fails.
    fn write_durable(
        &self,
        path: &Path,
        bytes: &[u8],
        attributes: Attributes,
        old: Option<&Path>,
        links: Links,
    ) -> Result<()> {
        let file = self.begin(path, bytes, attributes, old, links)?;
        self.sync(DiskAction::SyncFile, path, &file).inspect_err(|_| abandon(path))
    }

    /// Makes and fills a new file; removes it again when that fails. Where it takes the place of another, with what that has.
    fn begin(
        &self,
        path: &Path,
        bytes: &[u8],
        attributes: Attributes,
        old: Option<&Path>,
        links: Links,
    ) -> Result<File> {
        self.step(DiskAction::Write, path)?;
        let err = |e: std::io::Error| DiskError::new(DiskAction::Write, path, e);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let opened = match links {
            Links::Followed => open(path, flags, Mode::from_raw_mode(0o600)),
            Links::Refused => open_without_links(path, flags, Mode::from_raw_mode(0o600)),
        };
        let mut file = File::from(opened.map_err(|e| err(e.into()))?);
        let filled = (|| {
            // Owner first: a change of owner clears set-id bits of the mode.
            if let Some((uid, gid)) = attributes.owner {
                let made = fs::fstat(&file)?;
                if (made.st_uid, made.st_gid) != (uid, gid) {
                    std::os::unix::fs::fchown(&file, Some(uid), Some(gid))?;
                }
            }
            let mode = match old {
                Some(old) => carry(old, &file, attributes.mode)?,
                None => attributes.mode,
            };
            if mode != Attributes::PRIVATE.mode {
                fs::fchmod(&file, mode_of(mode))?;
            }
            file.write_all(bytes)
        })();
        match filled {
            Ok(()) => Ok(file),
            Err(e) => {
                abandon(path);
                Err(err(e))
            }
        }
    }

    /// Everything that was written to the file system this file is on.
    #[cfg(target_os = "linux")]
    fn sync_file_system(&self, path: &Path, file: &File) -> Result<()> {
        self.step(DiskAction::SyncFile, path)?;
        fs::syncfs(file).map_err(|e| DiskError::new(DiskAction::SyncFile, path, e))
    }

    #[cfg(not(target_os = "linux"))]
    fn sync_file_system(&self, path: &Path, file: &File) -> Result<()> {
        self.sync(DiskAction::SyncFile, path, file)
    }

    fn sync(&self, action: DiskAction, path: &Path, file: &File) -> Result<()> {
        self.step(action, path)?;
        let began = self.clock.map(|clock| clock());
        let synced = file.sync_all();
        if let (Some(clock), Some(began)) = (self.clock, began) {
            self.synced.fetch_add(1, Ordering::Relaxed);
            self.synced_us.fetch_add(clock().saturating_sub(began), Ordering::Relaxed);
        }
        synced.map_err(|e| DiskError::new(action, path, e))
    }
}

/// How a file is opened to be read. `O_NONBLOCK`: a pipe left in a home must not hang a worker, which no signal would end then; without
/// effect on files.
const READ_AT_ONCE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// The facts of an open file that is no pipe, device or directory.
fn regular(file: &File) -> std::io::Result<std::fs::Metadata> {
    let facts = file.metadata()?;
    if facts.is_file() { Ok(facts) } else { Err(std::io::Error::other("it is no file")) }
}

/// A file and its length, of which at most `len_max` bytes are to be read.
fn open_file(path: &Path, len_max: u64) -> rustix::io::Result<(OwnedFd, u64)> {
    let file = open(path, READ_AT_ONCE, Mode::empty())?;
    let facts = fs::fstat(&file)?;
    if FileType::from_raw_mode(facts.st_mode).is_dir() {
        return Err(Errno::ISDIR);
    }
    let len = u64::try_from(facts.st_size).unwrap_or(0);
    if len > len_max { Err(Errno::FBIG) } else { Ok((file, len)) }
}

/// The content of a file that had `len` bytes when it was looked at. A read that gets less than it asked for, and all
/// that was to be there, has met the end of a regular file: no further one is needed to learn that.
fn read_all(file: &OwnedFd, len: u64, len_max: u64) -> rustix::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0).saturating_add(1));
    loop {
        match rustix::io::read(file, spare_capacity(&mut bytes)) {
            Ok(count) => {
                let filled = bytes.len() as u64;
                if filled > len_max {
                    return Err(Errno::FBIG);
                }
                let all = len > 0 && filled >= len && bytes.len() < bytes.capacity();
                if count == 0 || all {
                    return Ok(bytes);
                }
                if bytes.len() == bytes.capacity() {
                    bytes.reserve(bytes.len().max(READ_BYTES_MIN));
                }
            }
            Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
}

/// Removes a file we just made and could not finish. Should that fail too, the sweep of `tmp/` takes it later.
fn abandon(path: &Path) {
    let _ = fs::unlinkat(CWD, path, AtFlags::empty());
}

fn open(path: &Path, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    retry_on_intr(|| fs::open(path, flags | OFlags::CLOEXEC, mode))
}

fn lock_file(path: &Path) -> Result<File> {
    let opened = open(path, OFlags::RDWR | OFlags::CREATE, Mode::from_raw_mode(0o600));
    opened.map(File::from).map_err(|e| DiskError::new(DiskAction::Lock, path, e))
}

fn moved(result: rustix::io::Result<()>, from: &Path, to: &Path) -> Result<Moved> {
    match result {
        Ok(()) => Ok(Moved::Done),
        Err(Errno::EXIST) => Ok(Moved::Taken),
        // ENOENT also stands for a missing target directory: that is no lost race.
        Err(Errno::NOENT) if fs::statat(CWD, from, AtFlags::SYMLINK_NOFOLLOW).is_err() => Ok(Moved::Gone),
        Err(e) => Err(DiskError::new(DiskAction::Move, from, e).to(to)),
    }
}

fn stat_at(path: &Path, flags: AtFlags) -> Result<Option<Stat>> {
    match retry_on_intr(|| fs::statat(CWD, path, flags)) {
        Ok(raw) => Ok(Some(stat_of(&raw))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(e) => Err(DiskError::new(DiskAction::Stat, path, e)),
    }
}

/// Permissions as this system has them: in 16 bits on a Mac.
fn mode_of(bits: u32) -> Mode {
    #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
    let raw = fs::RawMode::try_from(bits & 0o7777);
    Mode::from_raw_mode(raw.unwrap_or(0o600))
}

fn stat_of(raw: &fs::Stat) -> Stat {
    let kind = match FileType::from_raw_mode(raw.st_mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    };
    let since = |seconds: u64, nanos: u64| seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000);
    let seconds = |time| u64::try_from(time).unwrap_or(0);
    #[allow(clippy::useless_conversion)] // signed on some systems
    let nanos = |part| u64::try_from(part).unwrap_or(0);
    // Of other widths on a Mac.
    #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
    let (mode, device) = (u32::from(raw.st_mode), u64::try_from(raw.st_dev).unwrap_or(u64::MAX));
    Stat {
        kind,
        len: u64::try_from(raw.st_size).unwrap_or(0),
        mode: mode & 0o7777,
        uid: raw.st_uid,
        gid: raw.st_gid,
        device,
        inode: raw.st_ino,
        modified_ms: since(seconds(raw.st_mtime), nanos(raw.st_mtime_nsec)),
        changed_ms: since(seconds(raw.st_ctime), nanos(raw.st_ctime_nsec)),
    }
}

/// Whether one sync of the file system is a sync of this file: where that has been tried by cutting the power, and the
/// kernel (5.8 and newer) tells its errors.
#[cfg(target_os = "linux")]
fn syncs_together(file: &File) -> bool {
    const TRIED: [u32; 2] = [0xef53, 0x5846_5342]; // ext4, xfs (linux/magic.h)
    let kind = fs::fstatfs(file).map_or(0, |facts| u32::try_from(facts.f_type & 0xffff_ffff).unwrap_or(0));
    let release = rustix::system::uname();
    let mut numbers = release.release().to_str().unwrap_or_default().split('.').map(str::parse::<u32>);
    let number = |next: Option<std::result::Result<u32, _>>| next.and_then(|n| n.ok()).unwrap_or(0);
    let kernel = (number(numbers.next()), number(numbers.next()));
    TRIED.contains(&kind) && kernel >= (5, 8)
}

#[cfg(not(target_os = "linux"))]
fn syncs_together(_file: &File) -> bool {
    false
}

/// Elsewhere such lists are no extended attributes, and say nothing in the mode.
#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps)]
fn carry(_old: &Path, _new: &File, mode: u32) -> rustix::io::Result<u32> {
    Ok(mode)
}

/// Asks the kernel to begin writing the file out, without waiting: many files then share the disk's time.
fn start_write_back(file: &File) {
    // Only advice: the fsync that follows is what counts.
    #[cfg(target_os = "linux")]
    let _ = fs::fadvise(file, 0, None, fs::Advice::DontNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}
