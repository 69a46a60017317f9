//! A disk in memory for tests: what it forgets in a power cut is chosen, every operation can fail, be the last one of its
//! process, or be the place where another process goes on. Compiled only with the feature `simulated`.
//!
//! What it promises is what ext4, xfs and btrfs promise, and no more: a name is durable after an fsync of its directory,
//! bytes after an fsync of their file, all else in any combination. Two things are whole: a rename never loses the file
//! from both names (it may leave it under both), and an exchange happened or did not. A failed fsync of a file
//! leaves its pages clean: a second one says 0 and writes nothing. (Names are in a journal: one that cannot be written
//! stays so, and a later success means them too.)

mod cut;
mod process;
mod tree;

pub use cut::{Cut, Cuts};
pub use process::{InjectedFailure, SimulatedProcess};
pub use tree::Data;

use crate::error::DiskAction;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tree::{InodeId, Tree};

/// One thing a process did to the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What.
    pub action: DiskAction,
    /// To which file.
    pub path: PathBuf,
    /// To which name, of a move.
    pub to: Option<PathBuf>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.action, self.path.display())?;
        self.to.as_ref().map_or(Ok(()), |to| write!(f, " to {}", to.display()))
    }
}

impl Step {
    /// Whether it may have changed what is on the disk or what is durable of it.
    #[must_use]
    pub fn changes(&self) -> bool {
        use DiskAction::{MakeDir, Move, Remove, SyncDir, SyncFile, Write};
        matches!(self.action, Write | SyncFile | SyncDir | Move | Remove | MakeDir)
    }
}

/// What a file system knows to do.
#[derive(Debug, Clone, Copy)]
struct Abilities {
    exchange: bool,
    link: bool,
}

/// The disk as it was right after a step.
#[derive(Debug, Clone)]
pub struct Image {
    /// That step.
    pub step: Step,
    tree: Tree,
    abilities: Abilities,
}

/// Why a process gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// It is about to make a step, or in the middle of a listing.
    Step,
    /// It waits for a lock that another one holds.
    Wait,
}

/// Called before every operation, without any lock held: where a scheduler switches.
pub type Switch = Arc<dyn Fn(Pause) + Send + Sync>;

/// Whether a listing sees a name that came or went while it went on. On a real disk that depends on where in the directory
/// the name is.
pub type Glimpse = Arc<dyn Fn(&OsStr) -> bool + Send + Sync>;

/// A computer: one disk, and processes that come and go.
#[derive(Clone)]
pub struct Machine {
    state: Arc<Mutex<State>>,
    switch: Option<Switch>,
    glimpse: Option<Glimpse>,
}

struct State {
    tree: Tree,
    /// Who holds the flock on a file: a number of its own for each time it was taken.
    locks: BTreeMap<InodeId, u64>,
    locks_taken: u64,
    images: Option<Vec<Image>>,
    abilities: Abilities,
}

impl State {
    fn record(&mut self, step: impl FnOnce() -> Step) {
        let Some(images) = &mut self.images else { return };
        let step = step();
        if step.changes() {
            images.push(Image { step, tree: self.tree.clone(), abilities: self.abilities });
        }
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").finish_non_exhaustive()
    }
}

impl Default for Machine {
    fn default() -> Self {
        Machine::new()
    }
}

impl Machine {
    /// A computer with an empty disk.
    #[must_use]
    pub fn new() -> Machine {
        Machine::of(Tree::new(), Abilities { exchange: true, link: true })
    }

    fn of(tree: Tree, abilities: Abilities) -> Machine {
        let state = State { tree, locks: BTreeMap::new(), locks_taken: 0, images: None, abilities };
        Machine { state: Arc::new(Mutex::new(state)), switch: None, glimpse: None }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same computer, where `switch` is called before every operation.
    #[must_use]
    pub fn switching(&self, switch: Switch) -> Machine {
        Machine { state: Arc::clone(&self.state), switch: Some(switch), glimpse: self.glimpse.clone() }
    }

    /// The same computer, where a listing takes time as on real disks: others go on meanwhile, and of what they move in
    /// and out `glimpse` says what is seen.
    #[must_use]
    pub fn listing_slowly(&self, glimpse: Glimpse) -> Machine {
        Machine { state: Arc::clone(&self.state), switch: self.switch.clone(), glimpse: Some(glimpse) }
    }

    fn pause(&self, why: Pause) {
        if let Some(switch) = &self.switch {
            switch(why);
        }
    }

    /// A new process on it.
    #[must_use]
    pub fn process(&self) -> SimulatedProcess {
        SimulatedProcess::new(self.clone())
    }

    /// A file system without `RENAME_EXCHANGE`.
    pub fn without_exchange(&self) {
        self.state().abilities.exchange = false;
    }

    /// One without second names for a file either, as FAT is to kernels before 6.0.
    pub fn without_links(&self) {
        self.state().abilities = Abilities { exchange: false, link: false };
    }

    /// The time that files get as that of their last change, in milliseconds since the epoch.
    pub fn set_clock(&self, now_ms: u64) {
        self.state().tree.clock_ms = now_ms;
    }

    /// Everything durable, as after an orderly shutdown.
    pub fn sync_all(&self) {
        self.state().tree.sync_all();
    }

    /// From here on, an image of the disk is kept after every step that changes something.
    pub fn record(&self) {
        self.state().images = Some(Vec::new());
    }

    /// The images kept so far; none are kept any more.
    #[must_use]
    pub fn recorded(&self) -> Vec<Image> {
        self.state().images.take().unwrap_or_default()
    }

    /// How many images were kept so far.
    #[must_use]
    pub fn recorded_so_far(&self) -> usize {
        self.state().images.as_ref().map_or(0, Vec::len)
    }

    /// Another computer with a copy of this one's disk as it is now, and no process on it: all were killed.
    #[must_use]
    pub fn copy(&self) -> Machine {
        let state = self.state();
        Machine::of(state.tree.clone(), state.abilities)
    }

    /// What a power cut now may leave.
    #[must_use]
    pub fn cuts(&self, subsets_max: usize) -> Cuts {
        cut::cuts(&self.state().tree, subsets_max)
    }

    /// Another computer with what such a power cut leaves.
    #[must_use]
    pub fn after(&self, cut: &Cut) -> Machine {
        let state = self.state();
        Machine::of(state.tree.after_cut(&cut.kept, cut.data), state.abilities)
    }

    /// Equal for two disks that hold the same files.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest_without(&[])
    }

    /// The same, leaving out what is in directories of these names.
    #[must_use]
    pub fn digest_without(&self, dirs: &[&str]) -> u64 {
        self.state().tree.digest(dirs)
    }

    /// Every path with its bytes; directories have none.
    #[must_use]
    pub fn files(&self) -> BTreeMap<PathBuf, Option<Arc<Vec<u8>>>> {
        self.state().tree.files()
    }

    /// The bytes of a file, if it is there.
    #[must_use]
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        self.state().tree.bytes(path).ok().map(|bytes| bytes.to_vec())
    }

    /// A person saves a file, durably: written in place, or beside it and renamed over it. `edit` sees what the file
    /// says now (nothing, when there is none). Parents must exist.
    ///
    /// # Errors
    /// As the system says.
    pub fn save(
        &self,
        path: &Path,
        by_rename: bool,
        edit: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> std::io::Result<()> {
        self.pause(Pause::Step);
        let mut state = self.state();
        let tree = &mut state.tree;
        let old = tree.bytes(path).unwrap_or_default();
        let target = if by_rename { path.with_extension("person") } else { path.to_owned() };
        let file = match tree.walk(&target, true) {
            Ok((file, _)) => file,
            Err(_) => tree.create(&target)?,
        };
        tree.set_attributes(file, 0o644, None)?;
        tree.write(file, edit(&old))?;
        tree.sync_file(file)?;
        if by_rename {
            tree.rename(&target, path, tree::Renaming::Over)?;
        }
        if let Some(dir) = path.parent() {
            let (dir, _) = tree.walk(dir, true)?;
            tree.sync_dir(dir);
        }
        Ok(())
    }

    /// A symbolic link, durable.
    ///
    /// # Errors
    /// As the system says.
    pub fn link_to(&self, path: &Path, target: &Path) -> std::io::Result<()> {
        let mut state = self.state();
        state.tree.make_link(path, target)?;
        state.tree.sync_all();
        Ok(())
    }
}

impl Image {
    /// A computer with this disk, all processes killed, and what is not durable still not durable.
    #[must_use]
    pub fn machine(&self) -> Machine {
        Machine::of(self.tree.clone(), self.abilities)
    }
}
