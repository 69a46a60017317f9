//! Taking apart what a dead worker left in `processing/<worker>/`, and sweeping `tmp/`.

use super::{OperatorVerbs, WorkerVerbs};
use crate::error::{QueueError, Result};
use crate::format::id::JobId;

use crate::format::name::{Form, JobName};
use crate::format::state::State;
use crate::look::names::{Listed, bundle_of};
use crate::verbs::claimant::{Claimant, Claimed};
use crate::verbs::ended::Ended;
use crate::verbs::settle::Settlement;
use declaration::Timestamp;
use declaration::{Advice, Code, Fault};
use std::collections::{BTreeMap, BTreeSet};

/// After this many workers died while they held a job it is set aside as `poison`.
pub const KILLS_MAX: u32 = 3;
/// The states a job can wait in.
const WAITING: [State; 4] = [State::Pending, State::Deferred, State::Failed, State::Review];
/// Jobs that are given back in one step. Small, so that a recovery that is killed again and again still makes progress.
const GIVE_BACK_TOGETHER: usize = 16;
/// A dropped file that moved this often is set aside: it has no field in which kills could be counted.
const DROP_REV_MAX: u32 = 2 * KILLS_MAX;
/// A file in `tmp/` this old was left by a process that died.
const TMP_AGE_MAX_MS: u64 = 60 * 60 * 1000;

/// How long the draft of an edit is kept whose terminal was lost.
const DRAFT_AGE_MAX_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// What became of a dead worker's claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Back in `pending` (or in `staging`, for an operator's).
    pub released: Vec<JobId>,
    /// Set aside: it killed too many workers.
    pub poisoned: Vec<JobId>,
    /// Were settled already; the claimed copy was removed.
    pub finished: Vec<JobId>,
    /// Could not be read; set aside verbatim.
    pub quarantined: Vec<JobId>,
    /// Put before a person: what stood in the place of their receipts was none.
    pub doubtful: Vec<JobId>,
}

impl WorkerVerbs<'_> {
    /// The dead workers that left something, each now ours to take apart. The directories of the living are not touched.
    ///
    /// # Errors
    /// A disk error.
    pub fn dead_workers(&self) -> Result<Vec<Claimant>> {
        let mut dead = Vec::new();
        for worker in self.queue.workers_with_claims()? {
            let Some(claimant) = self.queue.adopt(&worker)? else { continue };
            if self.queue.disk.stat_link(&claimant.dir())?.is_some() {
                claimant.recovery().confirm_moves()?;
                claimant.finish_splits()?;
                claimant.finish_endings()?;
            }
            if self.queue.list_or_gone(&claimant.dir())?.is_empty() {
                self.queue.disk.remove_dir(&claimant.dir())?;
            } else {
                dead.push(claimant);
            }
        }
        Ok(dead)
    }

    /// Removes old files in `tmp/`, left by processes that died while writing. Nothing ever reads them.
    ///
    /// # Errors
    /// A disk error.
    pub fn sweep(&self, now: Timestamp) -> Result<usize> {
        let mut swept = 0;
        for path in self.queue.operator().abandoned(now)? {
            swept += usize::from(self.queue.disk.remove(&path)?);
        }
        Ok(swept)
    }

    /// Removes older copies of jobs, named by `list_runnable`.
    ///
    /// # Errors
    /// A disk error.
    pub fn remove_stale(&self, stale: &[Listed]) -> Result<()> {
        let mut files: BTreeMap<(State, &str), u32> = BTreeMap::new();
        for listed in stale {
            *files.entry((listed.state, &listed.name)).or_default() += 1;
        }
        for ((state, name), jobs) in files {
            // A file goes when all in it is known elsewhere.
            if JobName::parse(name).is_none_or(|name| jobs >= name.jobs()) {
                self.queue.disk.remove(&self.queue.layout.dir(state).join(name))?;
            }
        }
        Ok(())
    }
}

impl OperatorVerbs<'_> {
    /// Puts back into `staging/` the jobs that operators had claimed when they died, so that they can be decided about again.
    /// What a dead worker left is recovered by the next run: it may have a commit to finish.
    ///
    /// # Errors
    /// A disk error.
    pub fn give_back_staged(&self, now: Timestamp) -> Result<Vec<JobId>> {
        let mut released = Vec::new();
        for dead in self.queue.worker().dead_workers()? {
            let held = dead.recovery().held()?;
            if held.iter().all(|claimed| claimed.name.form == Form::Staged)
                && dead.commits().intents()?.is_empty()
            {
                released.extend(dead.recovery().give_back(&held, now)?.released);
                dead.end()?;
            }
        }
        Ok(released)
    }

    /// What `sweep` would remove.
    ///
    /// # Errors
    /// A disk error.
    pub fn abandoned(&self, now: Timestamp) -> Result<Vec<std::path::PathBuf>> {
        let mut found = Vec::new();
        for name in self.queue.disk.list(&self.queue.layout.tmp())? {
            let path = self.queue.layout.tmp().join(&name);
            let abandoned = match claimant_of(&name.to_string_lossy()) {
                // Whether its writer lives is told by the writer's lock, not by the file's age.
                Some(worker) => !self.queue.is_alive(worker)?,
                None => {
                    let stat = self.queue.disk.stat_link(&path)?;
                    let named = name.to_string_lossy();
                    let draft_of = named.strip_suffix(crate::layout::EDIT_DRAFT);
                    let age_max = if draft_of.is_some() { DRAFT_AGE_MAX_MS } else { TMP_AGE_MAX_MS };
                    let is_old = stat.is_some_and(|s| now.millis().saturating_sub(s.modified_ms) > age_max);
                    // What a person wrote for a job that still waits for them is gone on with, however late.
                    is_old && !draft_of.is_some_and(|id| self.still_waits(id).unwrap_or(true))
                }
            };
            if abandoned {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Whether the job of a draft is in `staging/`.
    fn still_waits(&self, id: &str) -> Result<bool> {
        let Ok(id) = id.parse::<JobId>() else { return Ok(false) };
        let listed = self.queue.locate(id)?;
        Ok(listed.is_some_and(|listed| matches!(listed.state, State::Failed | State::Review)))
    }
}

/// What whoever takes over a dead claimant's directory does with the claims in it.
#[derive(Debug, Clone, Copy)]
pub struct RecoveryVerbs<'c> {
    claimant: &'c Claimant,
}

impl Claimant {
    /// The handle for recovering a claimant's claims: a dead one's, or our own after trouble.
    #[must_use]
    pub fn recovery(&self) -> RecoveryVerbs<'_> {
        RecoveryVerbs { claimant: self }
    }
}

impl RecoveryVerbs<'_> {
    /// Everything it holds.
    ///
    /// # Errors
    /// A disk error.
    pub fn held(&self) -> Result<Vec<Claimed>> {
        let names = self.claimant.queue.list_or_gone(&self.claimant.dir())?;
        let mut held: Vec<Claimed> = names
            .iter()
            .filter_map(|name| JobName::parse(name))
            .flat_map(|name| Claimed::each(name, None))
            .collect();
        held.sort_by_key(|claimed| (claimed.id, claimed.name.rev));
        Ok(held)
    }

    /// Gives back what a dead worker held: each job with one kill more, or set aside as poison after too many.
    ///
    /// # Errors
    /// A disk error: what is not given back yet stays, for the next recovery.
    pub fn give_back(&self, claims: &[Claimed], now: Timestamp) -> Result<Recovered> {
        self.take_back_unfinished(claims)?;
        let known = Known { newest: self.revs_elsewhere()?, ended: self.claimant.queue.ended_bundles()? };
        self.remove_older(claims)?;
        let mut recovered = Recovered::default();
        // When several jobs were held it is not known which one killed the worker: only a job held alone is set aside.
        let alone = claims.len() == 1;
        for together in self.apart(claims, &known, &mut recovered, now)?.chunks(GIVE_BACK_TOGETHER) {
            self.give_back_some(together, &known, alone, &mut recovered, now)?;
        }
        Ok(recovered)
    }

    /// The same claims, each in a file of its own; a bundle all of whose jobs are known elsewhere is left whole. A bundle that
    /// cannot be read is set aside.
    fn apart(
        &self,
        claims: &[Claimed],
        known: &Known,
        recovered: &mut Recovered,
        now: Timestamp,
    ) -> Result<Vec<Claimed>> {
        let mut apart = Vec::with_capacity(claims.len());
        let mut files: BTreeMap<JobName, Vec<Claimed>> = BTreeMap::new();
        for claimed in claims {
            files.entry(claimed.name).or_default().push(claimed.clone());
        }
        for of_file in files.into_values() {
            if of_file.iter().all(|claimed| !claimed.is_bundled() || known.further(claimed).is_some()) {
                apart.extend(of_file);
                continue;
            }
            match self.claimant.split(&of_file) {
                Err(QueueError::Unreadable { problems, .. }) => {
                    of_file
                        .first()
                        .map_or(Ok(()), |first| self.claimant.quarantine(first, &problems, now))?;
                    recovered.quarantined.extend(of_file.iter().map(Claimed::id));
                }
                other => apart.extend(other?),
            }
        }
        apart.sort_by_key(|claimed| (claimed.id, claimed.name.rev));
        Ok(apart)
    }

    /// When an operator died while putting jobs back, and only some jobs of a document had reached `pending`: takes those out
    /// again. The others go back to `staging/`, and later jobs must not overtake earlier ones.
    fn take_back_unfinished(&self, claims: &[Claimed]) -> Result<()> {
        let mut staged: BTreeMap<JobId, JobName> = BTreeMap::new();
        staged.extend(claims.iter().filter(|c| c.name.form == Form::Staged).map(|c| (c.id, c.name)));
        if staged.len() < 2 {
            return Ok(());
        }
        let newer = |listed: &Listed| staged.get(&listed.id).is_some_and(|name| listed.rev > name.rev);
        let mut arrived = self.claimant.queue.scan(State::Pending)?.jobs;
        arrived.retain(newer);
        let elsewhere: BTreeSet<JobId> = arrived.iter().map(|listed| listed.id).collect();
        let mut unfinished = BTreeSet::new();
        for (id, name) in staged.iter().filter(|(id, _)| !elsewhere.contains(id)) {
            if self.claimant.queue.locate_done(*id)?.is_none() {
                unfinished.insert(name.doc);
            }
        }
        arrived.retain(|listed| unfinished.contains(&listed.doc));
        if arrived.is_empty() {
            return Ok(());
        }
        // One that a worker has claimed by now is no longer there, and is left.
        self.claimant.queue.worker().remove_stale(&arrived)?;
        // Before anything is put back: a job must not be in `staging/` and in `pending/` at once.
        self.claimant.queue.moves().confirm([self.claimant.layout().dir(State::Pending)])
    }

    /// Removes the copies that a power cut left in the directory a job was claimed from. Where the job goes back to `pending`,
    /// its new copy has a higher rev. Where it is set aside as poison, a copy left behind would be run once more.
    fn remove_older(&self, claims: &[Claimed]) -> Result<()> {
        let held: BTreeMap<JobId, u32> =
            claims.iter().map(|claimed| (claimed.id, claimed.name.rev)).collect();
        for state in [State::Pending, State::Deferred] {
            let mut older = self.claimant.queue.scan(state)?.jobs;
            older.retain(|listed| held.get(&listed.id).is_some_and(|rev| listed.rev < *rev));
            if !older.is_empty() {
                // The claims' own names first: a job must never be in neither.
                self.claimant.queue.moves().confirm([self.claimant.dir()])?;
                self.claimant.queue.worker().remove_stale(&older)?;
                self.claimant.queue.moves().confirm([self.claimant.layout().dir(state)])?;
            }
        }
        Ok(())
    }

    fn give_back_some(
        &self,
        claims: &[Claimed],
        known: &Known,
        alone: bool,
        recovered: &mut Recovered,
        now: Timestamp,
    ) -> Result<()> {
        let mut settlements = Vec::new();
        let mut finished = Vec::new();
        let mut days = BTreeSet::new();
        let mut ended = Vec::new();
        for claimed in claims {
            let id = claimed.id();
            let further = match known.further(claimed) {
                None => self.claimant.queue.locate_done(id)?.map(Further::Ended),
                further => further,
            };
            if let Some(doubtful) = self.doubtful(id, further.as_ref())? {
                match (self.claimant.read(claimed), &further) {
                    (Ok(job), Some(Further::Ended(_))) => {
                        let settlement = Settlement::Doubtful(Box::new(job), doubtful);
                        settlements.push((claimed.clone(), settlement));
                        recovered.doubtful.push(id);
                        continue;
                    }
                    // The dead claimant was setting both aside: the job waits for a person already.
                    (Ok(_), _) => self.claimant.set_receipt_aside(&doubtful)?,
                    (Err(e), _) if e.is_machine_trouble() => return Err(e),
                    // Neither can be read.
                    (Err(_), _) => {
                        self.claimant.quarantine(claimed, &[self.claimant.queue.doubt(&doubtful)], now)?;
                        self.claimant.set_receipt_aside(&doubtful)?;
                        recovered.quarantined.push(id);
                        continue;
                    }
                }
            }
            if let Some(further) = further {
                if let Further::Ended(listed) = further {
                    self.count_if_new(claimed, &listed)?;
                    days.extend(listed.within);
                    ended.push(id);
                }
                recovered.finished.push(id);
                finished.push(claimed.clone());
                continue;
            }
            match claimed.name.form {
                Form::Drop => self.give_back_drop(claimed, recovered, now)?,
                Form::Job | Form::Bundle(_) | Form::Staged => {
                    match self.given_back(claimed, alone, recovered, now)? {
                        Some(settlement) => settlements.push((claimed.clone(), settlement)),
                        None => recovered.quarantined.push(id),
                    }
                }
            }
        }
        self.claimant.settle(settlements, now, false)?;
        // The dead claimant may not have synced what it wrote in place of its claims: that comes before the claims are removed.
        if !finished.is_empty() {
            self.claimant.queue.moves().confirm(WAITING.map(|state| self.claimant.layout().dir(state)))?;
            self.confirm_days(&days)?;
            self.claimant.queue.use_up_approvals(ended.into_iter())?;
        }
        self.claimant.let_go(&finished)
    }

    /// Counts a job that ended in a file of its own just before its worker died. Its receipt is from this claim only if the `rev`
    /// fits; one of an earlier claim was counted then.
    fn count_if_new(&self, claimed: &Claimed, ended: &Listed) -> Result<()> {
        let found = match self.claimant.queue.load(ended) {
            Err(e) if e.is_machine_trouble() => return Err(e),
            Err(_) => return Ok(()),
            Ok(found) => found,
        };
        if let (Some(job), Some(receipt)) = (found.job, found.receipt)
            && job.rev == claimed.name.rev.saturating_add(1)
        {
            self.claimant.count_ended_once(Ended::new(&claimed.name, [receipt.outcome]));
        }
        Ok(())
    }

    /// The file in `done/` under the name of a held job's receipt, where it is not a receipt.
    fn doubtful(&self, id: JobId, further: Option<&Further>) -> Result<Option<Listed>> {
        let found = match further {
            None => None,
            Some(Further::Waits) => self.claimant.queue.locate_done(id)?,
            Some(Further::Ended(listed)) => Some(listed.clone()),
        };
        match found {
            Some(listed) if !self.claimant.queue.is_receipt(&listed)? => Ok(Some(listed)),
            _ => Ok(None),
        }
    }

    /// Syncs the receipts of these jobs: whoever wrote them may have died before syncing.
    ///
    /// # Errors
    /// A disk error.
    pub fn confirm_receipts(&self, ids: &[JobId]) -> Result<()> {
        self.confirm_days(&self.claimant.queue.ended(ids)?.into_values().collect())
    }

    /// Syncs the directories that a dead claimant may have moved jobs to without having synced them.
    fn confirm_moves(&self) -> Result<()> {
        self.claimant.queue.moves().confirm(WAITING.map(|state| self.claimant.layout().dir(state)))?;
        self.confirm_days(&self.claimant.queue.done_days()?.into_iter().collect())?;
        self.claimant.queue.moves().confirm([self.claimant.dir()])
    }

    fn confirm_days(&self, days: &BTreeSet<String>) -> Result<()> {
        let done = (!days.is_empty()).then(|| self.claimant.layout().dir(State::Done));
        self.claimant
            .queue
            .moves()
            .confirm(done.into_iter().chain(days.iter().map(|day| self.claimant.layout().done_day(day))))
    }

    /// Where a job of a dead worker goes; `None` when it could not be read and is set aside already.
    fn given_back(
        &self,
        claimed: &Claimed,
        alone: bool,
        recovered: &mut Recovered,
        now: Timestamp,
    ) -> Result<Option<Settlement>> {
        let mut job = match self.claimant.read(claimed) {
            Ok(job) => Box::new(job),
            Err(QueueError::Unreadable { problems, .. }) => {
                self.claimant.quarantine(claimed, &problems, now)?;
                return Ok(None);
            }
            Err(e) => return Err(e),
        };
        if claimed.name.form == Form::Staged {
            recovered.released.push(job.id);
            let review = job.waits_in == Some(State::Review);
            return Ok(Some(if review { Settlement::Review(job) } else { Settlement::Failed(job) }));
        }
        let count = if alone { &mut job.kills } else { &mut job.suspected };
        *count = count.saturating_add(1);
        if job.kills < KILLS_MAX {
            recovered.released.push(job.id);
            return Ok(Some(Settlement::Pending(job)));
        }
        recovered.poisoned.push(job.id);
        let message = format!("{} workers died while they held this job and nothing else", job.kills);
        job.error =
            Some(Fault::new(Code::Poison, message).hint(self.claimant.queue.say(&Advice::TryWithoutWriting)));
        Ok(Some(Settlement::Failed(job)))
    }

    fn give_back_drop(&self, claimed: &Claimed, recovered: &mut Recovered, now: Timestamp) -> Result<()> {
        self.claimant.queue.drop_second_names(
            &[self.claimant.path(claimed)],
            &self.claimant.queue.list(State::Pending)?.dropped,
        )?;
        if claimed.name.rev < DROP_REV_MAX {
            recovered.released.push(claimed.id());
            return self.claimant.release(std::slice::from_ref(claimed));
        }
        recovered.poisoned.push(claimed.id());
        let problem =
            declaration::Problem::new(Code::Poison, "several processes died while reading this file");
        self.claimant.quarantine(claimed, &[problem], now)
    }

    /// The highest rev of every id outside `processing/`. What waits in `staging/` was put there after its claim, so
    /// it is newer than any claimed copy.
    fn revs_elsewhere(&self) -> Result<BTreeMap<JobId, u32>> {
        let mut revs = BTreeMap::new();
        for state in [State::Pending, State::Deferred, State::Failed, State::Review] {
            for listed in self.claimant.queue.list(state)?.jobs {
                let rev = if matches!(state, State::Failed | State::Review) { u32::MAX } else { listed.rev };
                let known = revs.entry(listed.id).or_insert(rev);
                *known = rev.max(*known);
            }
        }
        Ok(revs)
    }
}

/// What is known of jobs outside of `processing/`.
struct Known {
    /// The highest rev of every id that waits.
    newest: BTreeMap<JobId, u32>,
    /// The bundles that ended, with their days.
    ended: Vec<(String, JobName)>,
}

/// How a claimed job has gone further elsewhere.
enum Further {
    /// It waits, as a newer copy.
    Waits,
    /// It ended: by its name this is its receipt.
    Ended(Listed),
}

impl Known {
    /// Whether a claimed job has gone further elsewhere. One that ended in a file of its own is not known here.
    fn further(&self, claimed: &Claimed) -> Option<Further> {
        if self.newest.get(&claimed.id).is_some_and(|rev| *rev > claimed.name.rev) {
            return Some(Further::Waits);
        }
        let ended = self.ended.iter().find(|(_, bundle)| bundle.place_of(claimed.id).is_some());
        let receipt =
            |(day, bundle): &(String, JobName)| bundle_of(bundle, day).find(|listed| listed.id == claimed.id);
        ended.and_then(receipt).map(Further::Ended)
    }
}

/// The claimant that writes a file in `tmp/`: `w7.<id>.settle`.
fn claimant_of(tmp_name: &str) -> Option<&str> {
    let (worker, _) = tmp_name.split_once('.')?;
    let slot = worker.strip_prefix('w')?;
    slot.bytes().all(|b| b.is_ascii_digit()).then_some(worker)
}
