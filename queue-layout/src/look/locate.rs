//! Finding a job wherever it is, and what became of it.

use crate::Queue;
use crate::error::{QueueError, Result};
use crate::format::bundle;
use crate::format::id::JobId;
use crate::format::job::{Job, Receipt, unreadable};
use crate::format::name::{DocKey, Form, JobName};
use crate::format::state::State;
use crate::look::doubtful::{EndedJobs, OriginalReceipt};
use crate::look::names::{Listed, bundle_in, bundle_of, receipt_of};
use crate::look::staging::{StagedItem, taken_if_gone};
use declaration::Fault;
use declaration::Problem;
use std::collections::BTreeMap;
use std::path::Path;

/// A job found, with what can be read of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedJob {
    /// Where it is.
    pub listed: Listed,
    /// The job; `None` for bytes nobody can read.
    pub job: Option<Job>,
    /// How it ended, when it did.
    pub receipt: Option<Receipt>,
    /// What is wrong with the file, when it cannot be read.
    pub unreadable: Option<Fault>,
}

/// Moves that a file of several jobs may have made between a copy of it and its end: claimed, given back, claimed again.
const MOVES_MAX: u32 = 8;

impl Queue {
    /// Where a job is now; the live copy with the highest rev where a crash left two.
    ///
    /// # Errors
    /// A disk error.
    pub fn locate(&self, id: JobId) -> Result<Option<Listed>> {
        match self.locate_alone(id)? {
            None => self.ended_in_bundle(id),
            found => Ok(found),
        }
    }

    /// The same of a job that never shared a file: the days of `done/` need not be listed. Looks twice: one look goes the
    /// way that jobs go, and a job that moves back meanwhile (released, retried) could be missed by it.
    pub(crate) fn locate_alone(&self, id: JobId) -> Result<Option<Listed>> {
        match self.look_for(id)? {
            None => self.look_for(id),
            found => Ok(found),
        }
    }

    /// Whether a job is anywhere: what is no receipt does not count.
    pub(crate) fn is_known(&self, id: JobId) -> Result<bool> {
        match self.locate_alone(id)? {
            Some(listed) if listed.state == State::Done => self.is_receipt(&listed),
            found => Ok(found.is_some()),
        }
    }

    fn look_for(&self, id: JobId) -> Result<Option<Listed>> {
        let text = id.to_string();
        for state in [State::Deferred, State::Pending, State::Processing, State::Failed, State::Review] {
            let found = self.scan_beginning(state, &text)?;
            if let Some(listed) = found.into_iter().max_by_key(|listed| listed.rev) {
                return Ok(Some(listed));
            }
        }
        self.locate_done(id)
    }

    /// Finds jobs by the beginning of their id, in every state.
    ///
    /// # Errors
    /// `NoSuchJob`, `AmbiguousId`; a disk error.
    pub fn find(&self, prefix: &str) -> Result<Listed> {
        if let Ok(id) = prefix.parse::<JobId>() {
            return self.find_id(id)?.ok_or_else(|| QueueError::NoSuchJob(prefix.to_owned()));
        }
        if prefix.is_empty() {
            return Err(QueueError::NoSuchJob(prefix.to_owned()));
        }
        let mut fits: Vec<Listed> = Vec::new();
        for state in State::ALL.into_iter().filter(|state| *state != State::Done) {
            fits.extend(self.scan_beginning(state, prefix)?);
        }
        let since = JobId::earliest(prefix).map(|earliest| earliest.declared_at().day());
        let done = self.done_beginning(prefix, since.as_deref())?;
        if done.is_empty() && fits.is_empty() && since.is_some() {
            // A clock that was set back can make a job end before the day it was declared on.
            fits.extend(self.done_beginning(prefix, None)?);
        }
        fits.extend(done);
        fits.sort_by_key(|listed| (listed.id, std::cmp::Reverse(listed.rev)));
        fits.dedup_by_key(|listed| listed.id);
        match fits.as_slice() {
            [] => Err(QueueError::NoSuchJob(prefix.to_owned())),
            [one] => Ok(one.clone()),
            [first, second, ..] => Err(QueueError::AmbiguousId {
                prefix: prefix.to_owned(),
                count: fits.len(),
                first: first.id.to_string(),
                second: second.id.to_string(),
            }),
        }
    }

    /// Where a job is, by the names it may have before every name is looked at: a receipt has one name a day, and a
    /// waiting job one for each document and move.
    fn find_id(&self, id: JobId) -> Result<Option<Listed>> {
        let done = self.locate_done(id)?;
        if let Some(done) = &done
            && self.is_receipt(done)?
        {
            return Ok(Some(done.clone()));
        }
        if let Some(pending) = self.locate_pending(id)? {
            return Ok(Some(pending));
        }
        let text = id.to_string();
        for state in [State::Failed, State::Review, State::Deferred] {
            let found = self.scan_beginning(state, &text)?.into_iter().max_by_key(|listed| listed.rev);
            if found.is_some() {
                return Ok(found);
            }
        }
        match self.locate(id)? {
            Some(listed) => Ok(Some(listed)),
            // A file that was dropped, or mended, under this id became jobs whose ids follow from it.
            None => match self.locate(id.sibling(1))? {
                None => self.set_aside_with(id),
                found => Ok(found),
            },
        }
    }

    /// A job in `pending` that moved seldom, of a document that was ever locked.
    fn locate_pending(&self, id: JobId) -> Result<Option<Listed>> {
        const MOVES_LIKELY: u32 = 3;
        let dir = self.layout.dir(State::Pending);
        for lock in self.list_or_gone(&self.layout.locks())? {
            let hint = lock.strip_prefix("doc-").and_then(|key| key.get(..8)).and_then(DocKey::parse);
            let Some(doc) = hint else { continue };
            for rev in 0..MOVES_LIKELY {
                let name = JobName { id, doc, rev, due: None, form: Form::Job }.to_string();
                if self.disk.stat_link(&dir.join(&name))?.is_some() {
                    let (due, within, since) = (None, None, None);
                    return Ok(Some(Listed {
                        state: State::Pending,
                        id,
                        doc,
                        rev,
                        due,
                        within,
                        since,
                        name: name.into(),
                    }));
                }
            }
        }
        Ok(None)
    }

    /// Receipts whose ids begin so, of that day and later ones.
    fn done_beginning(&self, prefix: &str, since: Option<&str>) -> Result<Vec<Listed>> {
        let mut found = Vec::new();
        for day in self.list_or_gone(&self.layout.dir(State::Done))? {
            if since.is_none_or(|since| day.as_str() >= since) {
                let names = self.list_or_gone(&self.layout.done_day(&day))?;
                let begin = names.iter().filter(|name| name.starts_with(prefix));
                found.extend(begin.filter_map(|name| receipt_of(&day, name)));
                let bundles = names.iter().filter_map(|name| bundle_in(name));
                let jobs = bundles.flat_map(|bundle| bundle_of(&bundle, &day));
                found.extend(jobs.filter(|listed| listed.id.to_string().starts_with(prefix)));
            }
        }
        Ok(found)
    }

    /// The jobs in a file; of a bundle all of them.
    pub(crate) fn read_file(
        &self,
        name: &JobName,
        path: &Path,
    ) -> Result<std::result::Result<Vec<Job>, Vec<Problem>>> {
        let bytes = match self.read_one(path)? {
            Ok(bytes) => bytes,
            Err(problem) => return Ok(Err(vec![problem])),
        };
        Ok(match name.form {
            Form::Bundle(_) => bundle::read(name, &bytes),
            // The id in the name counts, not the one in the file: somebody may have copied the file.
            _ => Job::from_json(&bytes).map(|(job, _)| vec![Job { id: name.id, rev: name.rev, ..job }]),
        })
    }

    /// Reads a listed job.
    ///
    /// # Errors
    /// `TakenMeanwhile` when it moved since it was listed; a disk error.
    pub fn load(&self, listed: &Listed) -> Result<LocatedJob> {
        let mut found = LocatedJob { listed: listed.clone(), job: None, receipt: None, unreadable: None };
        if matches!(listed.state, State::Failed | State::Review) {
            match self.read_staged(listed)? {
                StagedItem::Job(job) => found.job = Some(*job),
                StagedItem::Original { error } => found.unreadable = Some(error),
            }
            return Ok(found);
        }
        let mut path = self.layout.dir(listed.state);
        path.extend(listed.within.as_deref());
        let bytes = match taken_if_gone(self.read_one(&path.join(&*listed.name)), listed)? {
            Ok(bytes) => bytes,
            Err(problem) => {
                found.unreadable = Some(problem.into());
                return Ok(found);
            }
        };
        let read = match JobName::parse(&listed.name) {
            Some(name) if matches!(name.form, Form::Bundle(_)) => {
                bundle::read_one(&name, listed.id, &bytes).map(|job| (job, None))
            }
            _ => Job::from_json(&bytes),
        };
        match read {
            Ok((job, receipt)) => {
                // The id in the name counts, as it does for a worker.
                let job = Job { id: listed.id, ..job };
                found.receipt = match (&listed.within, receipt) {
                    (Some(day), None) if listed.state == State::Done => self.receipt_of_batch(&job, day)?,
                    (_, receipt) => receipt,
                };
                found.job = Some(job);
            }
            Err(problems) => match serde_json::from_slice::<OriginalReceipt>(&bytes) {
                Ok(original) => found.receipt = Some(original.receipt),
                Err(_) => found.unreadable = Some(unreadable(&problems)),
            },
        }
        Ok(found)
    }

    /// Reads a waiting job and all that share its file, in their order; `None` for bytes nobody can read.
    ///
    /// # Errors
    /// `TakenMeanwhile` when it moved since it was listed; a disk error.
    pub fn load_file(&self, listed: &Listed) -> Result<Option<Vec<Job>>> {
        let Some(name) = JobName::parse(&listed.name) else { return Ok(None) };
        let read = self.read_file(&name, &self.layout.dir(listed.state).join(&*listed.name));
        Ok(taken_if_gone(read, listed)?.ok())
    }

    /// What became of a job that ended; `None` while it has not, or when the receipt was pruned.
    ///
    /// # Errors
    /// A disk error.
    pub fn receipt(&self, id: JobId) -> Result<Option<Receipt>> {
        let alone = self.locate_done(id)?;
        match alone.map_or_else(|| self.ended_in_bundle(id), |alone| Ok(Some(alone)))? {
            Some(listed) => Ok(self.load(&listed)?.receipt),
            None => Ok(None),
        }
    }

    /// The days on which these jobs ended; nothing of those that have not. One look at all of `done/`, however many they are.
    ///
    /// # Errors
    /// A disk error.
    pub fn ended(&self, ids: &[JobId]) -> Result<BTreeMap<JobId, String>> {
        let bundles = self.ended_bundles()?;
        let mut ended = BTreeMap::new();
        for id in ids {
            let in_bundle = bundles.iter().find(|(_, bundle)| bundle.place_of(*id).is_some());
            let day = match in_bundle {
                Some((day, _)) => Some(day.clone()),
                None => self.locate_done(*id)?.and_then(|receipt| receipt.within),
            };
            ended.extend(day.map(|day| (*id, day)));
        }
        Ok(ended)
    }

    /// The bundles that ended, with their days, newest day first.
    pub(crate) fn ended_bundles(&self) -> Result<Vec<(String, JobName)>> {
        let mut days = self.list_or_gone(&self.layout.dir(State::Done))?;
        days.sort_by(|a, b| b.cmp(a));
        let mut bundles = Vec::new();
        for day in days {
            let names = self.list_or_gone(&self.layout.done_day(&day))?;
            bundles.extend(names.iter().filter_map(|name| Some((day.clone(), bundle_in(name)?))));
        }
        Ok(bundles)
    }

    fn ended_in_bundle(&self, id: JobId) -> Result<Option<Listed>> {
        let bundles = self.ended_bundles()?;
        let found = bundles.iter().find(|(_, bundle)| bundle.place_of(id).is_some());
        Ok(found.and_then(|(day, bundle)| bundle_of(bundle, day).find(|listed| listed.id == id)))
    }

    /// Which jobs of a waiting file have ended, of these days of `done/` (sorted): somebody put back a copy, from a backup say.
    /// A look or two for a job of today; only what is found is opened.
    ///
    /// # Errors
    /// A disk error.
    pub fn ended_before(&self, of_file: &[Listed], days: &[String]) -> Result<EndedJobs> {
        let mut ended = EndedJobs::default();
        for listed in self.with_receipts(of_file, days)? {
            let is_receipt = self.is_receipt(&listed)?;
            (if is_receipt { &mut ended.receipts } else { &mut ended.doubtful }).push(listed);
        }
        Ok(ended)
    }

    /// What stands in `done/` in the place of receipts of these jobs, by names alone.
    fn with_receipts(&self, of_file: &[Listed], days: &[String]) -> Result<Vec<Listed>> {
        let (Some(first), Some(last)) = (of_file.first(), of_file.last()) else { return Ok(Vec::new()) };
        let Some(name) = JobName::parse(&first.name) else { return Ok(Vec::new()) };
        // No job ends before the day it was declared on, unless a clock was wrong: one that was ahead when the job was declared
        // gives it a day that nothing has ended on.
        let declared = first.id.declared_at().day();
        let newest = days.iter().max().cloned().unwrap_or_default();
        let from = declaration::time::day_before(&declared.min(newest), 1).unwrap_or_default();
        let days: Vec<&String> = days.iter().filter(|day| **day >= from).collect();
        let day_of = |file: &str| -> Result<Option<&String>> {
            for day in &days {
                if self.disk.stat_link(&self.layout.done_day(day).join(file))?.is_some() {
                    return Ok(Some(*day));
                }
            }
            Ok(None)
        };
        if matches!(name.form, Form::Bundle(_)) {
            for rev in 0..=name.rev.saturating_add(MOVES_MAX) {
                let bundle = JobName { rev, due: None, ..name };
                if let Some(day) = day_of(&bundle.to_string())? {
                    return Ok(bundle_of(&bundle, day).collect());
                }
            }
            // A bundle that was split: its first and its last job tell what became of it.
            if day_of(&format!("{}.json", first.id))?.is_none()
                && day_of(&format!("{}.json", last.id))?.is_none()
            {
                return Ok(Vec::new());
            }
        }
        let mut ended = Vec::new();
        for job in of_file {
            let name = format!("{}.json", job.id);
            ended.extend(day_of(&name)?.and_then(|day| receipt_of(day, &name)));
        }
        Ok(ended)
    }

    /// Where a job is that ended in a file of its own. One look a day: a receipt's name is the job's id alone.
    pub(crate) fn locate_done(&self, id: JobId) -> Result<Option<Listed>> {
        let mut days = self.list_or_gone(&self.layout.dir(State::Done))?;
        days.sort_by(|a, b| b.cmp(a));
        for day in days {
            let name = format!("{id}.json");
            if self.disk.stat_link(&self.layout.done_day(&day).join(&name))?.is_some() {
                return Ok(receipt_of(&day, &name));
            }
        }
        Ok(None)
    }

    /// The text of a staged file as a person would edit it.
    ///
    /// # Errors
    /// `TakenMeanwhile`; `Unreadable` when it is too large, no file, or not ours to read; a disk error.
    pub fn staged_text(&self, listed: &Listed) -> Result<Vec<u8>> {
        let path = self.layout.dir(listed.state).join(&*listed.name);
        let read = taken_if_gone(self.read_one(&path), listed)?;
        read.map_err(|problem| QueueError::Unreadable { path, problems: vec![problem] })
    }
}
