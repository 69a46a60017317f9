//! A claimant: a worker or an operator that moves jobs. It holds the flock on `locks/worker-<name>` for as long as it lives;
//! whoever can take that lock knows that it died, and may recover what it left in `processing/<name>/`.

use super::WorkerVerbs;
use super::ended::Ended;
use crate::Layout;
use crate::Queue;
use crate::error::{QueueError, Result};
use crate::format::id::JobId;
use crate::format::job::Job;
use crate::format::name::{Form, JobName};
use crate::format::state::State;
use crate::format::{bundle, text};
use crate::look::names::Listed;
use declaration::{Code, Problem};
use durable::{Disk, Lock, Moved};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Most workers and operators at a time in one home. A limit so that `locks/` stays small: names are slots.
pub const CLAIMANTS_MAX: usize = 64;

/// A living worker or operator and its directory in `processing/`.
#[derive(Debug)]
pub struct Claimant {
    pub(crate) queue: Queue,
    name: String,
    /// Whether the directory's own name is durable. If not, a power cut could remove the directory with the jobs moved into it.
    rooted: AtomicBool,
    /// The directories of days, in `done/` and `receipts/`, whose names are durable.
    pub(crate) days: Mutex<BTreeSet<PathBuf>>,
    /// What ended and is not in the counters yet.
    pub(crate) uncounted: Mutex<Vec<Ended>>,
    _alive: Lock,
}

/// A job that we have claimed: nobody else may move it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    pub(crate) id: JobId,
    /// The name of its file. Other jobs in the same file are claimed with it.
    pub(crate) name: JobName,
    /// The directory it was taken from, which must be synced too before the claim is durable.
    pub(crate) from: Option<State>,
}

impl Claimed {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.id
    }

    /// Whether it shares its file with other jobs.
    #[must_use]
    pub fn is_bundled(&self) -> bool {
        matches!(self.name.form, Form::Bundle(_))
    }

    /// Whether two jobs are in one file.
    #[must_use]
    pub fn shares_file(&self, other: &Claimed) -> bool {
        self.name == other.name
    }

    /// The claims on a file, one for each job in it.
    pub(crate) fn each(name: JobName, from: Option<State>) -> impl Iterator<Item = Claimed> {
        name.ids().map(move |id| Claimed { id, name, from })
    }

    /// The same job in a file of its own.
    pub(crate) fn alone(&self) -> Claimed {
        let name = if self.is_bundled() { self.name.alone(self.id) } else { self.name };
        Claimed { name, ..self.clone() }
    }

    /// Whether it is a dropped declaration, not yet a job.
    #[must_use]
    pub fn is_drop(&self) -> bool {
        self.name.form == Form::Drop
    }
}

impl WorkerVerbs<'_> {
    /// How many claimants ever began. If this is the same as before a scan of waiting jobs, and nobody else held a claim then
    /// (`others_hold`), the scan is still valid under a document's lock.
    ///
    /// # Errors
    /// A disk error.
    pub fn epoch(&self) -> Result<u64> {
        match self.queue.disk.read(&self.queue.layout.lock("epoch"), 64) {
            Ok(bytes) => Ok(parse_epoch(&bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(0),
            Err(e) => Err(e.into()),
        }
    }
}

impl Queue {
    /// Becomes a claimant in the first free slot. The slot of a dead one that still holds claims is not free: `recover` empties
    /// it.
    ///
    /// # Errors
    /// A disk error; `TooManyWorkers`.
    pub fn claimant(&self) -> Result<Claimant> {
        for slot in 1..=CLAIMANTS_MAX {
            let name = format!("w{slot}");
            let Some(alive) = self.disk.try_lock(&self.layout.worker_lock(&name))? else { continue };
            let claimant = self.living(name, alive);
            // Made under the lock: otherwise a recovery could take the directory for a dead worker's.
            if self.disk.make_dir(&claimant.dir())? || self.disk.list(&claimant.dir())?.is_empty() {
                self.bump_epoch()?;
                return Ok(claimant);
            }
        }
        Err(QueueError::TooManyWorkers(CLAIMANTS_MAX))
    }

    /// Takes over the directory of a dead worker; `None` while its owner lives.
    pub(crate) fn adopt(&self, name: &str) -> Result<Option<Claimant>> {
        let alive = self.disk.try_lock(&self.layout.worker_lock(name))?;
        Ok(alive.map(|alive| self.living(name.to_owned(), alive)))
    }

    fn living(&self, name: String, alive: Lock) -> Claimant {
        Claimant {
            queue: self.clone(),
            name,
            rooted: AtomicBool::new(false),
            days: Mutex::default(),
            uncounted: Mutex::default(),
            _alive: alive,
        }
    }

    fn bump_epoch(&self) -> Result<()> {
        self.disk.update_locked(&self.layout.lock("epoch"), &mut |old| {
            format!("{:020}\n", parse_epoch(old).wrapping_add(1)).into_bytes()
        })?;
        Ok(())
    }

    /// Whether the owner of a directory in `processing/` lives.
    ///
    /// # Errors
    /// A disk error.
    pub fn is_alive(&self, worker: &str) -> Result<bool> {
        Ok(self.disk.try_lock(&self.layout.worker_lock(worker))?.is_none())
    }
}

impl Claimant {
    /// Its name: `w1` … `w64`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The queue it works on.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.queue.disk
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.queue.layout
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.layout().dir(State::Processing).join(&self.name)
    }

    pub(crate) fn path(&self, claimed: &Claimed) -> PathBuf {
        self.dir().join(claimed.name.to_string())
    }

    /// Makes the name of our directory durable, once, before anything is moved into it.
    pub(crate) fn root(&self) -> Result<()> {
        if !self.rooted.load(Ordering::Acquire) {
            self.queue.moves().confirm([self.layout().dir(State::Processing)])?;
            self.rooted.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Claims a job and all others in its file, in their order; none when somebody else was faster. Not durable by itself, like
    /// `claim`.
    ///
    /// # Errors
    /// A disk error.
    pub fn claim_file(&self, listed: &Listed) -> Result<Vec<Claimed>> {
        let Some(name) = JobName::parse(&listed.name) else { return Ok(Vec::new()) };
        let name = name.moved();
        let from = self.layout().dir(listed.state).join(&*listed.name);
        match self.rename_in(&from, &name)? {
            Moved::Done => {
                self.disk().point("claim.moved");
                Ok(Claimed::each(name, Some(listed.state)).collect())
            }
            Moved::Gone | Moved::Taken => Ok(Vec::new()),
        }
    }

    /// Renames a file into our directory. Not durable: a claim that a power cut takes back is a job where it was.
    pub(super) fn rename_in(&self, from: &Path, name: &JobName) -> Result<Moved> {
        self.root()?;
        let mut renamed = self.queue.moves().begin();
        let moved = renamed.rename(from, &self.dir().join(name.to_string()))?;
        renamed.not_durable();
        Ok(moved)
    }

    /// Makes claims durable, so that from here on no power cut puts them back. The target directory first: a job must
    /// never be in neither.
    ///
    /// # Errors
    /// A disk error; then nothing may be built on these claims.
    pub fn secure(&self, claims: &[Claimed]) -> Result<()> {
        let came_from = |state: &State| claims.iter().any(|claim| claim.from == Some(*state));
        let states = [State::Pending, State::Deferred, State::Failed, State::Review].into_iter();
        let dirs = states.filter(came_from).map(|state| self.layout().dir(state));
        self.queue.moves().confirm([self.dir()].into_iter().chain(dirs))?;
        self.disk().point("claim.secured");
        Ok(())
    }

    /// Whether anybody else has a directory in `processing/`.
    ///
    /// # Errors
    /// A disk error.
    pub fn others_hold(&self) -> Result<bool> {
        Ok(self.queue.workers_with_claims()?.iter().any(|worker| *worker != self.name))
    }

    /// Reads a claimed job.
    ///
    /// # Errors
    /// `Unreadable` when it is not one; a disk error.
    pub fn read(&self, claimed: &Claimed) -> Result<Job> {
        let path = self.path(claimed);
        let bytes = self.bytes(claimed)?;
        let read = match claimed.name.form {
            Form::Job => Job::from_json(&bytes).map(|(job, _)| job),
            Form::Bundle(_) => bundle::read_one(&claimed.name, claimed.id, &bytes),
            Form::Staged => text(&bytes).and_then(Job::from_yaml),
            Form::Drop => Err(vec![Problem::new(Code::NotAJob, "not read yet")]),
        };
        let mut job = read.map_err(|problems| QueueError::Unreadable { path, problems })?;
        // The name counts the moves, and the name decides which of two copies is the newer one.
        job.rev = claimed.name.rev;
        job.id = claimed.id;
        Ok(job)
    }

    /// Reads a claimed job and all that share its file, in their order.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_file(&self, claimed: &Claimed) -> Result<Vec<Job>> {
        if !claimed.is_bundled() {
            return Ok(vec![self.read(claimed)?]);
        }
        let read = bundle::read(&claimed.name, &self.bytes(claimed)?);
        read.map_err(|problems| QueueError::Unreadable { path: self.path(claimed), problems })
    }

    /// The bytes of a claimed file as they are.
    /// What is wrong with this file alone (too large, not ours to read) is `Unreadable`.
    pub(crate) fn bytes(&self, claimed: &Claimed) -> Result<Vec<u8>> {
        let path = self.path(claimed);
        let read = self.queue.read_one(&path)?;
        read.map_err(|problem| QueueError::Unreadable { path, problems: vec![problem] })
    }

    /// Ends its work: removes its empty directory and lets the lock go. Not after trouble of the machine: what was moved
    /// out of the directory may not be durable where it is now, and would go with it in a power cut. Whoever recovers makes
    /// it durable first; until then drop the claimant, and the directory stays.
    ///
    /// # Errors
    /// A disk error. A directory that is not empty stays for `recover`.
    pub fn end(self) -> Result<()> {
        self.disk().remove_dir(&self.dir())?;
        Ok(())
    }
}

fn parse_epoch(bytes: &[u8]) -> u64 {
    std::str::from_utf8(bytes).ok().and_then(|text| text.trim_end().parse().ok()).unwrap_or(0)
}
