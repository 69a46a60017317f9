//! One process's way to the simulated disk: its steps are counted and named, the n-th can fail, and the n-th can be the
//! one it did not live to make.

use super::tree::{Body, Inode, InodeId, Renaming, Tree};
use super::{Abilities, Machine, Pause, Step};
use crate::error::{DiskAction, DiskError, Result};
use crate::{Attributes, Disk, FileKind, FileSystem, InPlace, Lock, Moved, Nature, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How often others may go on during a listing: enough for two enqueues in a row.
const LISTING_PAUSES: usize = 24;

/// An operation that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectedFailure {
    /// The how manieth step of the process, from 1.
    pub at: u64,
    /// With which error number.
    pub errno: i32,
    /// Every later step too.
    pub for_good: bool,
}

/// A process: what it does to the disk ends with it, and so do its locks.
#[derive(Debug)]
pub struct SimulatedProcess {
    machine: Machine,
    life: Mutex<Life>,
}

#[derive(Debug, Default)]
struct Life {
    steps: Vec<Step>,
    fault: Option<InjectedFailure>,
    dies_before: Option<u64>,
    dead: bool,
    locks: Vec<u64>,
    bytes_read: u64,
}

/// Whether a step is made.
enum Turn {
    Go,
    /// It fails, with its own side effects.
    Fails(Errno),
    /// Its process is dead: nothing happens.
    Dead,
}

/// The lock of an open file description.
#[derive(Debug)]
struct Held {
    machine: Machine,
    inode: InodeId,
    number: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.machine.state();
        if state.locks.get(&self.inode) == Some(&self.number) {
            state.locks.remove(&self.inode);
        }
    }
}

impl SimulatedProcess {
    pub(super) fn new(machine: Machine) -> SimulatedProcess {
        SimulatedProcess { machine, life: Mutex::default() }
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process as a queue stores it.
    #[must_use]
    pub fn shared(self) -> Arc<dyn Disk> {
        Arc::new(self)
    }

    /// An operation of it shall fail.
    #[must_use]
    pub fn failing(self, fault: InjectedFailure) -> SimulatedProcess {
        self.life().fault = Some(fault);
        self
    }

    /// It is killed before its n-th step (from 1).
    #[must_use]
    pub fn dying_before(self, step: u64) -> SimulatedProcess {
        self.life().dies_before = Some(step);
        self
    }

    /// What it did, in order.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        self.life().steps.clone()
    }

    /// Whether it was killed.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.life().dead
    }

    /// How much it has read of files so far, in bytes.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.life().bytes_read
    }

    fn count_read(&self, len: usize) {
        self.life().bytes_read += len as u64;
    }

    fn turn(&self, action: DiskAction, path: &Path, to: Option<&Path>) -> Turn {
        self.machine.pause(Pause::Step);
        let mut life = self.life();
        if life.dead {
            return Turn::Dead;
        }
        let step = life.steps.len() as u64 + 1;
        if life.dies_before == Some(step) {
            life.dead = true;
            let locks = std::mem::take(&mut life.locks);
            self.machine.state().locks.retain(|_, number| !locks.contains(number));
            return Turn::Dead;
        }
        life.steps.push(Step { action, path: path.to_owned(), to: to.map(Path::to_owned) });
        match life.fault {
            Some(fault) if step == fault.at || (fault.for_good && step > fault.at) => {
                Turn::Fails(Errno::from_raw_os_error(fault.errno))
            }
            _ => Turn::Go,
        }
    }

    /// One step: `go` on the tree, or `fails` on it when it shall fail.
    fn step<T>(
        &self,
        action: DiskAction,
        path: &Path,
        to: Option<&Path>,
        go: impl FnOnce(&mut Tree) -> std::result::Result<T, Errno>,
        fails: impl FnOnce(&mut Tree) -> std::result::Result<(), Errno>,
    ) -> Result<T> {
        let turn = self.turn(action, path, to);
        let mut state = self.machine.state();
        let done = match turn {
            Turn::Dead => return Err(named(action, path, to, killed())),
            Turn::Go => go(&mut state.tree),
            Turn::Fails(errno) => {
                // A failing operation may still have an effect: it is carried out as far as it can be.
                let _ = fails(&mut state.tree);
                Err(errno)
            }
        };
        state.record(|| Step { action, path: path.to_owned(), to: to.map(Path::to_owned) });
        done.map_err(|errno| named(action, path, to, errno.into()))
    }

    fn look<T>(
        &self,
        action: DiskAction,
        path: &Path,
        go: impl FnOnce(&mut Tree) -> std::result::Result<T, Errno>,
    ) -> Result<T> {
        self.step(action, path, None, go, |_| Ok(()))
    }

    /// Makes and fills a new file in two steps; what could not be filled is removed, as the real one does.
    fn begin(&self, path: &Path, bytes: &[u8], attributes: Attributes) -> Result<InodeId> {
        let file = self.look(DiskAction::Write, path, |tree| tree.create(path))?;
        let filled = self.step(
            DiskAction::Write,
            path,
            None,
            |tree| {
                tree.set_attributes(file, attributes.mode, attributes.owner)?;
                tree.write(file, bytes.to_vec())
            },
            |tree| tree.write(file, bytes[..bytes.len() / 2].to_vec()),
        );
        filled.inspect_err(|_| self.abandon(path))?;
        Ok(file)
    }

    fn abandon(&self, path: &Path) {
        if !self.is_dead() {
            let _ = self.machine.state().tree.remove(path, false);
        }
    }

    fn sync_inode(&self, path: &Path, file: InodeId) -> Result<()> {
        let fails = |tree: &mut Tree| tree.fail_sync_file(file);
        self.step(DiskAction::SyncFile, path, None, |tree| tree.sync_file(file), fails)
    }

    fn rename(&self, from: &Path, to: &Path, how: Renaming) -> Result<()> {
        self.step(DiskAction::Move, from, Some(to), |tree| tree.rename(from, to, how), |_| Ok(()))
    }

    fn moved(&self, done: Result<()>, from: &Path) -> Result<Moved> {
        match done {
            Ok(()) => Ok(Moved::Done),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(Moved::Taken),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let there = self.machine.state().tree.find(from, false).is_ok();
                if there { Err(e) } else { Ok(Moved::Gone) }
            }
            Err(e) => Err(e),
        }
    }

    /// Takes the lock if it is free; the lock file is made when missing.
    fn take(&self, path: &Path) -> Result<Option<Lock>> {
        let inode = self.look(DiskAction::Lock, path, |tree| match tree.find(path, true) {
            Ok(inode) => Ok(inode),
            Err(Errno::NOENT) => tree.create(path),
            Err(errno) => Err(errno),
        })?;
        Ok(self.take_inode(inode))
    }

    fn take_inode(&self, inode: InodeId) -> Option<Lock> {
        let mut state = self.machine.state();
        if state.locks.contains_key(&inode) {
            return None;
        }
        state.locks_taken += 1;
        let number = state.locks_taken;
        state.locks.insert(inode, number);
        drop(state);
        self.life().locks.push(number);
        let held = Held { machine: self.machine.clone(), inode, number };
        Some(Lock { _held: Box::new(held) })
    }

    fn take_patiently(&self, path: &Path) -> Result<Lock> {
        loop {
            match self.take(path)? {
                Some(lock) => return Ok(lock),
                None if self.machine.switch.is_some() => self.machine.pause(Pause::Wait),
                // No other process is on this computer, so nobody could ever release the lock.
                None => return Err(DiskError::new(DiskAction::Lock, path, Errno::DEADLK)),
            }
        }
    }

    /// Names that were there all the time are seen; of names that came or went meanwhile, some are.
    fn listed_slowly(
        &self,
        dir: &Path,
        before: Vec<OsString>,
        glimpse: &dyn Fn(&OsStr) -> bool,
    ) -> Vec<OsString> {
        for _ in 0..LISTING_PAUSES {
            self.machine.pause(Pause::Step);
        }
        let after = self.machine.state().tree.list(dir).unwrap_or_default();
        let came = after.iter().filter(|name| !before.contains(name) && glimpse(name));
        let stayed = before.iter().filter(|name| after.contains(name) || glimpse(name));
        stayed.chain(came).cloned().collect()
    }

    fn stat_at(&self, path: &Path, follow: bool) -> Result<Option<Stat>> {
        self.look(DiskAction::Stat, path, |tree| match tree.find(path, follow) {
            Ok(id) => Ok(Some(stat(tree.device, id, tree.inode(id)?))),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(errno),
        })
    }
}

fn named(action: DiskAction, path: &Path, to: Option<&Path>, source: io::Error) -> DiskError {
    let error = DiskError::new(action, path, source);
    match to {
        Some(to) => error.to(to),
        None => error,
    }
}

fn killed() -> io::Error {
    io::Error::other("this process was killed")
}

fn stat(device: u64, id: InodeId, inode: &Inode) -> Stat {
    let (kind, len) = match &inode.body {
        Body::File(content) => (FileKind::File, content.now.len() as u64),
        Body::Directory(_) => (FileKind::Directory, 0),
        Body::Link(_) => (FileKind::Link, 0),
    };
    let (uid, gid) = inode.owner;
    let (modified_ms, changed_ms) = (inode.modified_ms, inode.modified_ms);
    Stat { kind, len, mode: inode.mode, uid, gid, device, inode: id as u64, modified_ms, changed_ms }
}

impl Disk for SimulatedProcess {
    fn uid(&self) -> u32 {
        super::tree::OWNER.0
    }

    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>> {
        let bytes = self.look(DiskAction::Read, path, |tree| tree.bytes(path))?;
        if bytes.len() as u64 > len_max {
            return Err(DiskError::new(DiskAction::Read, path, Errno::FBIG));
        }
        self.count_read(bytes.len());
        Ok(bytes.to_vec())
    }

    fn read_tail(&self, path: &Path, len_max: u64) -> Result<(Vec<u8>, bool)> {
        let bytes = self.look(DiskAction::Read, path, |tree| tree.bytes(path))?;
        let start = bytes.len().saturating_sub(usize::try_from(len_max).unwrap_or(usize::MAX));
        self.count_read(bytes.len() - start);
        Ok((bytes[start..].to_vec(), start == 0))
    }

    fn read_at(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>> {
        let bytes = self.look(DiskAction::Read, path, |tree| tree.bytes(path))?;
        let bounded = |len: u64| usize::try_from(len).unwrap_or(usize::MAX);
        let start = bounded(offset).min(bytes.len());
        let end = start.saturating_add(bounded(len_max)).min(bytes.len());
        self.count_read(end - start);
        Ok(bytes[start..end].to_vec())
    }

    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        let before = self.look(DiskAction::List, dir, |tree| tree.list(dir))?;
        match &self.machine.glimpse {
            Some(glimpse) if self.machine.switch.is_some() => Ok(self.listed_slowly(dir, before, &**glimpse)),
            _ => Ok(before),
        }
    }

    fn stat(&self, path: &Path) -> Result<Option<Stat>> {
        self.stat_at(path, true)
    }

    fn stat_link(&self, path: &Path) -> Result<Option<Stat>> {
        self.stat_at(path, false)
    }

    fn lasting_id(&self, dir: &Path) -> Result<Option<(u64, u64)>> {
        // No number is given twice.
        Ok(self.stat_at(dir, true)?.map(|stat| (stat.inode, stat.inode)))
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf> {
        self.look(DiskAction::Stat, path, |tree| tree.walk(path, true).map(|(_, real)| real))
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf> {
        self.look(DiskAction::Stat, path, |tree| match &tree.inode(tree.find(path, false)?)?.body {
            Body::Link(target) => Ok(target.clone()),
            _ => Err(Errno::INVAL),
        })
    }

    fn write_new(&self, path: &Path, bytes: &[u8], attributes: Attributes) -> Result<()> {
        let file = self.begin(path, bytes, attributes)?;
        self.sync_inode(path, file).inspect_err(|_| self.abandon(path))
    }

    fn write_many_new(&self, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
        let mut begun = Vec::with_capacity(files.len());
        for (path, bytes) in files {
            begun.push((path, self.begin(path, bytes, Attributes::PRIVATE)?));
        }
        begun.into_iter().try_for_each(|(path, file)| self.sync_inode(path, file))
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let add = |tree: &mut Tree, bytes: &[u8]| {
            let file = match tree.find(path, true) {
                Ok(file) => file,
                Err(Errno::NOENT) => tree.create(path)?,
                Err(errno) => return Err(errno),
            };
            let mut all = tree.bytes(path)?.to_vec();
            all.extend_from_slice(bytes);
            tree.write(file, all)
        };
        // What fails has written some of it: so does a disk that is full.
        let fails = |tree: &mut Tree| add(tree, &bytes[..bytes.len() / 2]);
        self.step(DiskAction::Write, path, None, |tree| add(tree, bytes), fails)
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        let find = |tree: &Tree| tree.find(path, true);
        self.step(
            DiskAction::SyncFile,
            path,
            None,
            |tree| find(tree).and_then(|file| tree.sync_file(file)),
            |tree| find(tree).and_then(|file| tree.fail_sync_file(file)),
        )
    }

    fn move_new(&self, from: &Path, to: &Path) -> Result<Moved> {
        self.moved(self.rename(from, to, Renaming::New), from)
    }

    fn replace(&self, from: &Path, to: &Path) -> Result<()> {
        self.rename(from, to, Renaming::Over)
    }

    fn exchange(&self, a: &Path, b: &Path) -> Result<()> {
        if !self.machine.state().abilities.exchange {
            let unsupported = io::Error::from(io::ErrorKind::Unsupported);
            return Err(DiskError::new(DiskAction::Move, a, unsupported).to(b));
        }
        self.rename(a, b, Renaming::Exchange)
    }

    fn link_new(&self, from: &Path, to: &Path) -> Result<Moved> {
        if !self.machine.state().abilities.link {
            return Err(DiskError::new(DiskAction::Move, from, Errno::PERM).to(to));
        }
        let linked = self.step(DiskAction::Move, from, Some(to), |tree| tree.link(from, to), |_| Ok(()));
        self.moved(linked, from)
    }

    fn remove(&self, path: &Path) -> Result<bool> {
        self.look(DiskAction::Remove, path, |tree| match tree.remove(path, false) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(errno),
        })
    }

    fn set_mode(&self, path: &Path, mode: u32) -> Result<()> {
        self.look(DiskAction::Write, path, |tree| {
            let id = tree.find(path, true)?;
            tree.set_attributes(id, mode, None)
        })
    }

    fn make_dir(&self, path: &Path) -> Result<bool> {
        self.look(DiskAction::MakeDir, path, |tree| match tree.make_dir(path) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => match &tree.inode(tree.find(path, true)?)?.body {
                Body::Directory(_) => Ok(false),
                _ => Err(Errno::NOTDIR),
            },
            Err(errno) => Err(errno),
        })
    }

    fn remove_dir(&self, path: &Path) -> Result<bool> {
        self.look(DiskAction::Remove, path, |tree| match tree.remove(path, true) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT | Errno::NOTEMPTY) => Ok(false),
            Err(errno) => Err(errno),
        })
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        self.look(DiskAction::SyncDir, dir, |tree| {
            let id = tree.find(dir, true)?;
            tree.sync_dir(id);
            Ok(())
        })
    }

    fn try_lock(&self, path: &Path) -> Result<Option<Lock>> {
        self.take(path)
    }

    fn lock(&self, path: &Path) -> Result<Lock> {
        self.take_patiently(path)
    }

    fn lock_in_place(&self, path: &Path, _patient: bool) -> Result<InPlace> {
        let found = self.look(DiskAction::Lock, path, |tree| match tree.find(path, true) {
            Ok(id) => Ok(Some((id, stat(tree.device, id, tree.inode(id)?)))),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(errno),
        });
        let found = match found {
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return Ok(InPlace::Unsupported),
            other => other?,
        };
        let Some((id, stat)) = found else { return Ok(InPlace::Missing) };
        Ok(self.take_inode(id).map_or(InPlace::Busy, |lock| InPlace::Held(lock, stat)))
    }

    fn update_locked(&self, path: &Path, next: &mut dyn FnMut(&[u8]) -> Vec<u8>) -> Result<()> {
        let _held = self.take_patiently(path)?;
        let old = self.machine.state().tree.bytes(path).unwrap_or_default();
        let new = next(&old);
        let write = |tree: &mut Tree, bytes: Vec<u8>| {
            let file = tree.find(path, true)?;
            tree.write(file, bytes)
        };
        // Half overwritten.
        let half: Vec<u8> = new[..new.len() / 2]
            .iter()
            .chain(old.get(new.len() / 2..).unwrap_or_default())
            .copied()
            .collect();
        self.step(DiskAction::Write, path, None, |tree| write(tree, new), |tree| write(tree, half))
    }

    fn file_system(&self, _path: &Path) -> Result<FileSystem> {
        let Abilities { link, .. } = self.machine.state().abilities;
        let nature = if link { Nature::Local } else { Nature::Fat };
        Ok(FileSystem { name: "simulated", nature })
    }
}
