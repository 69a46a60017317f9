//! Where a claimed job ends: `done`, `deferred`, `staging/failed`, `staging/review`, or back in `pending`.
//!
//! The copy at the new place is durable before the claimed one is removed; a crash between leaves an id in two places, and
//! `recover` keeps the newer one. Jobs that end together are moved unchanged: their outcomes are in one file of receipts,
//! which is durable before they move.

use crate::error::{QueueError, Result};
use crate::format::id::JobId;
use crate::format::job::{Job, Receipt};
use crate::format::name::{Form, JobName};
use crate::format::state::State;
use crate::look::doubtful::aside;
use crate::look::names::{Listed, stem};
use crate::look::staging;
use crate::moves::NewFile;
use crate::verbs::claimant::{Claimant, Claimed};
use crate::verbs::draft::{encode, job_name};
use crate::verbs::ended::Ended;
use crate::verbs::receipts::TOGETHER_MIN;
use declaration::{Code, Problem, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What becomes of a claimed job.
#[derive(Debug, Clone, PartialEq)]
pub enum Settlement {
    /// It ended.
    Done(Box<Job>, Receipt),
    /// It is tried again when it is due; the attempt is in the job.
    Deferred(Box<Job>, Timestamp),
    /// A person must look: `resolve`. The job carries its error.
    Failed(Box<Job>),
    /// A person must say yes: `review`. The job carries what it waits for as its error.
    Review(Box<Job>),
    /// A person must look: the file in `done/` under the name of its receipt is not one. That file is set aside too.
    Doubtful(Box<Job>, Listed),
    /// Back to `pending`: it was not tried, or is to be tried again from the start.
    Pending(Box<Job>),
}

impl Settlement {
    fn doubtful(&self) -> Option<Listed> {
        match self {
            Settlement::Doubtful(_, listed) => Some(listed.clone()),
            _ => None,
        }
    }
}

impl Claimant {
    /// Settles claims, many at once: their files share their syncs. The claims themselves must be `secure`d before
    /// anything was built on them; here they are secured again when `secured` is false.
    ///
    /// # Errors
    /// A disk error: what is not settled stays claimed, and `recover` finishes it.
    pub fn settle(&self, batch: Vec<(Claimed, Settlement)>, now: Timestamp, secured: bool) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        if !secured {
            let claims: Vec<Claimed> = batch.iter().map(|(claimed, _)| claimed.clone()).collect();
            self.secure(&claims)?;
        }
        let batch = self.unbundled(batch)?;
        let (ended, others): (Vec<_>, Vec<_>) = batch.into_iter().partition(may_move);
        if ended.len() < TOGETHER_MIN {
            return self.settle_written(ended.into_iter().chain(others).collect(), now);
        }
        let ended = ended.into_iter().filter_map(|(claimed, settlement)| match settlement {
            Settlement::Done(_, receipt) => Some((claimed, receipt)),
            _ => None,
        });
        self.settle_moved(&ended.collect::<Vec<_>>(), &now.day())?;
        self.settle_written(others, now)
    }

    /// The same; a job whose bundle is not settled as a whole gets a file of its own.
    fn unbundled(&self, batch: Vec<(Claimed, Settlement)>) -> Result<Vec<(Claimed, Settlement)>> {
        let mut ending: BTreeMap<JobName, u32> = BTreeMap::new();
        for (claimed, _) in batch.iter().filter(|one| may_move(one)) {
            *ending.entry(claimed.name).or_default() += 1;
        }
        let parts = |claimed: &Claimed| ending.get(&claimed.name) != Some(&claimed.name.jobs());
        let parting = batch.iter().map(|(claimed, _)| claimed).filter(|claimed| claimed.is_bundled());
        let parting: Vec<Claimed> = parting.filter(|claimed| parts(claimed)).cloned().collect();
        if parting.is_empty() {
            return Ok(batch);
        }
        self.split_secured(&parting)?;
        let alone = |(claimed, settlement): (Claimed, Settlement)| {
            (if parts(&claimed) { claimed.alone() } else { claimed }, settlement)
        };
        Ok(batch.into_iter().map(alone).collect())
    }

    /// Moves jobs to `done` unchanged, after their receipts.
    fn settle_moved(&self, ended: &[(Claimed, Receipt)], day: &str) -> Result<()> {
        let done = self.layout().done_day(day);
        self.make_day(&done)?;
        self.write_receipts(ended, day)?;
        if let Some((first, _)) = ended.first() {
            let outcomes = ended.iter().map(|(_, receipt)| receipt.outcome);
            self.count_ended(Ended::new(&first.name, outcomes));
        }
        let approved = ended.iter().filter(|(_, receipt)| receipt.approval.is_some());
        self.queue.use_up_approvals(approved.map(|(claimed, _)| claimed.id()))?;
        let files: BTreeSet<JobName> = ended.iter().map(|(claimed, _)| claimed.name).collect();
        self.move_to_done(&files, day)
    }

    /// Writes changed jobs at their new places, then removes the claims.
    fn settle_written(&self, batch: Vec<(Claimed, Settlement)>, now: Timestamp) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let claims: Vec<Claimed> = batch.iter().map(|(claimed, _)| claimed.clone()).collect();
        let mut files = Vec::with_capacity(batch.len());
        let mut dirs = BTreeSet::new();
        let standing = self.standing_in_staging(&batch)?;
        let doubtful: Vec<Listed> =
            batch.iter().filter_map(|(_, settlement)| settlement.doubtful()).collect();
        let ended: Vec<Ended> = batch.iter().filter_map(counted).collect();
        let mut seals = Vec::new();
        let approved: Vec<JobId> = batch.iter().filter_map(approved).collect();
        for (claimed, settlement) in batch {
            let settlement = match settlement {
                Settlement::Review(job) => {
                    Settlement::Review(Box::new(self.queue.held_to_the_first(*job, &mut seals)?))
                }
                other => other,
            };
            let (bytes, dir, name) = self.placement(&claimed, settlement, now, &standing)?;
            // The worker's name is in it because after a power cut two workers may settle copies of one id.
            let tmp = self.layout().tmp().join(format!("{}.{}.settle", self.name(), claimed.id()));
            files.push(NewFile { tmp, bytes, target: dir.join(name) });
            dirs.insert(dir);
        }
        self.make_done_days(&dirs)?;
        let written = self.queue.moves().write_again(files)?;
        self.disk().point("settle.written");
        let renamed = written.place()?;
        self.disk().point("settle.moved");
        renamed.durable()?;
        self.disk().point("settle.durable");
        self.queue.remember_seals(self.name(), &seals)?;
        self.queue.use_up_approvals(approved.into_iter())?;
        ended.into_iter().for_each(|ended| self.count_ended(ended));
        // From here on a crash is repaired by whoever recovers the claims.
        doubtful.iter().try_for_each(|listed| self.set_receipt_aside(listed))?;
        self.let_go(&claims)
    }

    /// Puts a file that nobody can read into `staging/failed/` verbatim, with the reason beside it.
    ///
    /// # Errors
    /// A disk error.
    pub fn quarantine(&self, claimed: &Claimed, problems: &[Problem], now: Timestamp) -> Result<()> {
        self.quarantine_all(&[(claimed.clone(), problems.to_vec())], now)
    }

    /// The same with many files, which share their syncs.
    ///
    /// # Errors
    /// A disk error.
    pub fn quarantine_all(&self, files: &[(Claimed, Vec<Problem>)], now: Timestamp) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        let claims: Vec<Claimed> = files.iter().map(|(claimed, _)| claimed.clone()).collect();
        self.secure(&claims)?;
        let mut originals = Vec::new();
        let mut reasons = Vec::new();
        for (claimed, problems) in files {
            let (original, reason) = self.set_aside_as(claimed, problems, now)?;
            originals.push((self.path(claimed), original));
            reasons.push(reason);
        }
        let reasons = self.queue.moves().write_again(reasons)?;
        let mut renamed = self.queue.moves().begin();
        // The bytes before the reason: after a crash a file without its reason can be recovered, a reason without its file cannot.
        originals.iter().try_for_each(|(path, original)| renamed.place(path, original))?;
        self.disk().point("quarantine.moved");
        reasons.place_with(&mut renamed)?;
        renamed.durable().map(drop)
    }

    /// Where a file that nobody can read goes, and the reason beside it.
    fn set_aside_as(
        &self,
        claimed: &Claimed,
        problems: &[Problem],
        now: Timestamp,
    ) -> Result<(PathBuf, NewFile)> {
        let failed = self.layout().dir(State::Failed);
        // A bundle is set aside whole, under the id of its first job.
        let id = claimed.name.id;
        let stem = stem(now, id);
        let original = failed.join(format!("{stem}.original"));
        let mut problems = problems.to_vec();
        for problem in problems.iter_mut().filter(|problem| problem.code == Code::UnreadableFile) {
            problem.hint = Some(self.queue.remedy(&self.path(claimed), &original, id)?);
        }
        let reason = staging::reason(claimed.name, &problems, now, self.queue.wording);
        let tmp = self.layout().tmp().join(format!("{}.{id}.reason", self.name()));
        let target = failed.join(format!("{stem}.yaml"));
        Ok((original, NewFile { tmp, bytes: reason.into_bytes(), target }))
    }

    /// Removes claimed files whose successor is durable elsewhere: of a file with several jobs, that of each.
    ///
    /// # Errors
    /// A disk error.
    pub fn let_go(&self, claims: &[Claimed]) -> Result<()> {
        let files: BTreeSet<JobName> = claims.iter().map(|claimed| claimed.name).collect();
        let mut renamed = self.queue.moves().begin();
        for file in &files {
            renamed.remove(&self.dir().join(file.to_string()))?;
        }
        self.disk().point("settle.removed");
        renamed.durable().map(drop)
    }

    /// Sets aside what stands in the place of a receipt. A bundle stays: it may be the receipt of others.
    pub(super) fn set_receipt_aside(&self, listed: &Listed) -> Result<()> {
        let day = self.layout().done_day(listed.within.as_deref().unwrap_or_default());
        let name = aside(&listed.name);
        if name != *listed.name {
            let mut renamed = self.queue.moves().begin();
            renamed.rename_over(&day.join(&*listed.name), &day.join(name))?;
            // After a power cut the file may have both names. Renaming one hard link over the other does nothing, so it is removed.
            renamed.remove(&day.join(&*listed.name))?;
            renamed.durable()?;
        }
        Ok(())
    }

    /// Which jobs of a batch wait in `staging/` already, and under which names. Names there begin with the time of the settle, so
    /// one job could otherwise get two names.
    fn standing_in_staging(&self, batch: &[(Claimed, Settlement)]) -> Result<BTreeMap<JobId, StagedAt>> {
        let goes_there = |(claimed, settlement): &(Claimed, Settlement)| {
            matches!(settlement, Settlement::Failed(_) | Settlement::Doubtful(..) | Settlement::Review(_))
                .then(|| claimed.id())
        };
        let ids: BTreeSet<JobId> = batch.iter().filter_map(goes_there).collect();
        let mut standing = BTreeMap::new();
        if ids.is_empty() {
            return Ok(standing);
        }
        for state in [State::Failed, State::Review] {
            let there = self.queue.list_staging(state)?.jobs.into_iter();
            let ours = there.filter(|listed| ids.contains(&listed.id) && listed.name.ends_with(".yaml"));
            standing.extend(ours.map(|listed| (listed.id, (state, listed.name.to_string()))));
        }
        Ok(standing)
    }

    /// The bytes, directory and name of a job at its new place.
    fn placement(
        &self,
        claimed: &Claimed,
        settlement: Settlement,
        now: Timestamp,
        standing: &BTreeMap<JobId, StagedAt>,
    ) -> Result<(Vec<u8>, PathBuf, String)> {
        let rev = claimed.name.rev.saturating_add(1);
        let with_rev = |mut job: Box<Job>| {
            job.rev = rev;
            job
        };
        Ok(match settlement {
            Settlement::Done(job, receipt) => {
                let job = Job { waits_in: None, seal: None, ..*with_rev(job) };
                let bytes = job.to_json(Some(&receipt)).map_err(|m| encode_error("a receipt", m))?;
                (bytes, self.layout().done_day(&now.day()), format!("{}.json", job.id))
            }
            Settlement::Deferred(job, due) => {
                let job = with_rev(job);
                let name = JobName { due: Some(due), ..job_name(&job) };
                (encode(&job)?, self.layout().dir(State::Deferred), name.to_string())
            }
            Settlement::Pending(job) => {
                let job = Job { error: None, waits_in: None, seal: None, ..*with_rev(job) };
                (encode(&job)?, self.layout().dir(State::Pending), job_name(&job).to_string())
            }
            Settlement::Doubtful(job, receipt) => {
                let job = Job { error: Some(self.queue.doubt(&receipt).into()), ..*with_rev(job) };
                self.staged(job, State::Failed, now, standing)?
            }
            Settlement::Failed(job) => self.staged(*with_rev(job), State::Failed, now, standing)?,
            Settlement::Review(job) => self.staged(*with_rev(job), State::Review, now, standing)?,
        })
    }

    fn staged(
        &self,
        job: Job,
        state: State,
        now: Timestamp,
        standing: &BTreeMap<JobId, StagedAt>,
    ) -> Result<(Vec<u8>, PathBuf, String)> {
        let job = Job { waits_in: Some(state), ..job };
        let yaml = job.to_yaml().map_err(|m| encode_error("a job in YAML", m))?;
        let text = staging::with_header(&job, state, &yaml, self.queue.wording);
        // `place` does not replace a file. The copy in `staging/` is the newest of its job; any other was put back from a backup or
        // left by a power cut.
        let (state, name) = match standing.get(&job.id) {
            Some((state, name)) => (*state, name.clone()),
            None => (state, format!("{}.yaml", stem(now, job.id))),
        };
        Ok((text.into_bytes(), self.layout().dir(state), name))
    }

    fn make_done_days(&self, dirs: &BTreeSet<PathBuf>) -> Result<()> {
        let done = self.layout().dir(State::Done);
        dirs.iter().filter(|dir| dir.parent() == Some(&done)).try_for_each(|day| self.make_day(day))
    }
}

/// Where a job waits in `staging/`: the state and the name of its file.
type StagedAt = (State, String);

/// What the counters take of a job that ended alone.
fn counted((claimed, settlement): &(Claimed, Settlement)) -> Option<Ended> {
    match settlement {
        Settlement::Done(_, receipt) => Some(Ended::new(&claimed.name, [receipt.outcome])),
        _ => None,
    }
}

/// The job of a settlement that ends it, where there may be a yes to it: a person ended it, or it was merged with one.
fn approved((claimed, settlement): &(Claimed, Settlement)) -> Option<JobId> {
    match settlement {
        Settlement::Done(job, receipt) => {
            (job.approved_by.is_some() || receipt.approval.is_some() || receipt.channel.is_some())
                .then(|| claimed.id())
        }
        _ => None,
    }
}

/// Whether a job that ended can be moved unchanged: its file is a job already, and only its receipt is new.
fn may_move((claimed, settlement): &(Claimed, Settlement)) -> bool {
    matches!(claimed.name.form, Form::Job | Form::Bundle(_)) && matches!(settlement, Settlement::Done(..))
}

fn encode_error(what: &'static str, message: String) -> QueueError {
    QueueError::Encode { what, message }
}
