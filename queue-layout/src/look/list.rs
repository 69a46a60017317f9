//! Which jobs are in which state, from the names of files alone (`names`): no file is opened.

use crate::Queue;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::name::{DocKey, Form, JobName, is_hidden};
use crate::format::state::State;
use crate::look::names::{
    BUNDLE_ENDING, Listed, SINCE_LEN, Scan, UNREADABLE, bundle_in, escaped, flat, gone_is_empty, job_in,
    receipt_of, staged,
};
use crate::moves::order::first_differences;
use durable::FileKind;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

impl Queue {
    /// The jobs in a state, by name alone, in the order of their ids; `done` newest day first.
    ///
    /// # Errors
    /// A disk error.
    pub fn list(&self, state: State) -> Result<Scan> {
        let mut scan = self.scan(state)?;
        if state != State::Done {
            scan.jobs.sort_by_key(|job| (job.id, job.rev));
        }
        Ok(scan)
    }

    /// The same in no particular order, for counting.
    ///
    /// # Errors
    /// A disk error.
    pub fn scan(&self, state: State) -> Result<Scan> {
        match state {
            State::Pending | State::Deferred => self.list_flat(state),
            State::Processing => self.list_processing(),
            State::Failed | State::Review => self.list_staging(state),
            State::Done => self.list_done(),
        }
    }

    /// How many jobs ended on a day.
    ///
    /// # Errors
    /// A disk error.
    pub fn count_receipts(&self, day: &str) -> Result<usize> {
        let mut jobs = 0;
        let counted = self.disk.each_name(&self.layout.done_day(day), &mut |name| {
            let Some(name) = name.to_str() else { return };
            jobs += match name.ends_with(".json") {
                true => 1,
                false => bundle_in(name).map_or(0, |bundle| bundle.jobs() as usize),
            };
        });
        gone_is_empty(counted)?;
        Ok(jobs)
    }

    /// `pending` and `deferred` together, in the order of ids: what a worker may take. Where a power cut left an id in
    /// both, only the copy with the highest rev is in `jobs`; the others are the second value.
    ///
    /// # Errors
    /// A disk error.
    pub fn list_runnable(&self) -> Result<(Scan, Vec<Listed>)> {
        let mut scan = self.scan(State::Pending)?;
        // Foreign files in deferred/ are not taken in as declarations; `doctor` reports them.
        scan.jobs.extend(self.scan(State::Deferred)?.jobs);
        let stale = newest_of_each(&mut scan.jobs);
        Ok((scan, stale))
    }

    /// The same without files that are no jobs, and of each document only the oldest: what a worker may take next, in
    /// memory that does not grow with what waits. So many of each document at most, and fewer where there would be more
    /// than `in_all` of all; one file of each in any case.
    ///
    /// No job is in it while one of the same document that arrived before it is not (see `order`). That holds against who
    /// brings new jobs; with `others`, also against claimants that move waiting ones meanwhile.
    ///
    /// # Errors
    /// A disk error.
    pub fn list_oldest(
        &self,
        per_document: usize,
        in_all: usize,
        others: bool,
    ) -> Result<(Vec<Listed>, Vec<Listed>)> {
        let before = self.mark()?;
        let (mut jobs, mut stale) = self.oldest_seen(per_document, in_all)?;
        if !others && self.mark()? == before {
            return Ok((jobs, stale));
        }
        // Repeated until each document has a job that both listings saw, or no job. Otherwise a worker could end with nothing to
        // do while jobs wait that were left out here.
        loop {
            let first: Vec<_> = jobs.iter().map(|job| (job.id, job.doc)).collect();
            (jobs, stale) = self.oldest_seen(per_document, in_all)?;
            let second: Vec<_> = jobs.iter().map(|job| (job.id, job.doc)).collect();
            let differ = first_differences(&first, &second);
            let is_sure = |(id, doc): &(JobId, DocKey)| differ.get(doc).is_none_or(|from| id < from);
            let sure: BTreeSet<DocKey> = second.iter().filter(|job| is_sure(job)).map(|job| job.1).collect();
            if second.iter().all(|(_, doc)| sure.contains(doc)) {
                jobs.retain(|job| is_sure(&(job.id, job.doc)));
                return Ok((jobs, stale));
            }
        }
    }

    /// One listing of both states, `deferred` first: a job that moves from there to `pending` meanwhile is then seen in `pending`.
    fn oldest_seen(&self, mut per_document: usize, in_all: usize) -> Result<(Vec<Listed>, Vec<Listed>)> {
        let mut oldest: BTreeMap<DocKey, Oldest> = BTreeMap::new();
        let mut jobs = 0;
        for state in [State::Deferred, State::Pending] {
            self.disk.each_name(&self.layout.dir(state), &mut |name| {
                let Some(parsed) = name.to_str().and_then(job_in) else { return };
                let of_document = oldest.entry(parsed.doc).or_default();
                jobs -= of_document.jobs;
                of_document.add(File { name: parsed, state }, per_document);
                jobs += of_document.jobs;
                // The limit is halved each time, so the list is cut only a few times in all.
                while jobs > in_all && per_document > 1 {
                    per_document /= 2;
                    oldest.values_mut().for_each(|of_document| of_document.keep(per_document));
                    jobs = oldest.values().map(|of_document| of_document.jobs).sum();
                }
            })?;
        }
        let older = oldest.values_mut().flat_map(|oldest| std::mem::take(&mut oldest.older));
        let older: Vec<Listed> = older.flat_map(File::jobs).collect();
        let files = oldest.into_values().flat_map(|oldest| oldest.files.into_vec());
        let mut jobs: Vec<Listed> = files.flat_map(File::jobs).collect();
        let mut stale = newest_of_each(&mut jobs);
        stale.extend(older);
        Ok((jobs, stale))
    }

    /// What is in `pending` besides jobs, in the order of ids. The names of those, a million perhaps, are not kept.
    pub(crate) fn scan_strays(&self) -> Result<Scan> {
        let mut names = Vec::new();
        self.disk.each_name(&self.layout.dir(State::Pending), &mut |name| {
            if let Ok(name) = name.into_string()
                && job_in(&name).is_none_or(|job| job.form == Form::Drop)
            {
                names.push(name);
            }
        })?;
        let mut scan = flat(State::Pending, names.into_iter());
        self.name_directories(&mut scan)?;
        scan.jobs.sort_by_key(|job| (job.id, job.rev));
        Ok(scan)
    }

    /// A directory is not taken for a declaration, whatever its name: it is left where it is, as a foreign file.
    fn name_directories(&self, scan: &mut Scan) -> Result<()> {
        for name in std::mem::take(&mut scan.dropped) {
            let stat = self.disk.stat_link(&self.layout.dir(State::Pending).join(&name))?;
            let is_dir = stat.is_some_and(|stat| stat.kind == FileKind::Directory);
            (if is_dir { &mut scan.foreign } else { &mut scan.dropped }).push(name);
        }
        scan.foreign.sort();
        Ok(())
    }

    fn list_flat(&self, state: State) -> Result<Scan> {
        let (mut names, mut odd) = (Vec::new(), Vec::new());
        for name in self.disk.list(&self.layout.dir(state))? {
            match name.into_string() {
                Ok(name) => names.push(name),
                Err(name) => odd.push(escaped(&name)),
            }
        }
        let mut scan = flat(state, names.into_iter());
        scan.foreign.extend(odd);
        self.name_directories(&mut scan)?;
        Ok(scan)
    }

    /// The jobs in a state whose ids begin with this; other names are not parsed.
    ///
    /// # Errors
    /// A disk error.
    pub(crate) fn scan_beginning(&self, state: State, prefix: &str) -> Result<Vec<Listed>> {
        let id_at = match state {
            State::Pending => 0,
            State::Deferred => crate::format::name::DUE_DIGITS + 1,
            State::Failed | State::Review => SINCE_LEN + 1,
            State::Processing | State::Done => {
                let jobs = self.scan(state)?.jobs.into_iter();
                return Ok(jobs.filter(|listed| listed.id.to_string().starts_with(prefix)).collect());
            }
        };
        let begins = |name: &std::ffi::OsString| {
            let name = name.as_encoded_bytes();
            // A bundle's name has only the id of its first job, so bundles are always parsed.
            name.get(id_at..).is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
                || name.ends_with(BUNDLE_ENDING.as_bytes())
        };
        let names = self.disk.list(&self.layout.dir(state))?.into_iter().filter(begins);
        let names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        let mut jobs = match state {
            State::Failed | State::Review => staged(state, &names).jobs,
            _ => flat(state, names.into_iter()).jobs,
        };
        jobs.retain(|listed| listed.id.to_string().starts_with(prefix));
        Ok(jobs)
    }

    fn list_processing(&self) -> Result<Scan> {
        let (workers, foreign) = self.in_processing()?;
        let mut scan = Scan { foreign, ..Scan::default() };
        for worker in workers {
            let dir = self.layout.dir(State::Processing).join(&worker);
            for name in self.list_or_gone(&dir)? {
                if let Some(parsed) = JobName::parse(&name) {
                    scan.jobs.extend(Listed::each(State::Processing, &parsed, &name, Some(&worker)));
                } else if !is_hidden(&name) && !crate::format::intent::is_intent(&name) {
                    scan.foreign.push(format!("{worker}/{name}"));
                }
            }
        }
        Ok(scan)
    }

    /// Everybody who has a directory in `processing/`, alive or dead.
    ///
    /// # Errors
    /// A disk error.
    pub fn claimants(&self) -> Result<Vec<String>> {
        self.workers_with_claims()
    }

    /// The names of the directories in `processing/`: workers that hold claims, or did when they died.
    pub(crate) fn workers_with_claims(&self) -> Result<Vec<String>> {
        self.in_processing().map(|(workers, _)| workers)
    }

    /// The names in `processing/`: first the directories of workers, then what is no directory and so nobody's.
    fn in_processing(&self) -> Result<(Vec<String>, Vec<String>)> {
        let dir = self.layout.dir(State::Processing);
        let (mut workers, mut foreign) = (Vec::new(), Vec::new());
        for name in self.disk.list(&dir)? {
            let Ok(name) = name.into_string() else { continue };
            if is_hidden(&name) {
                continue;
            }
            match self.disk.stat_link(&dir.join(&name))?.map(|stat| stat.kind) {
                Some(FileKind::Directory) => workers.push(name),
                Some(_) => foreign.push(name),
                // It ended in between.
                None => {}
            }
        }
        workers.sort();
        Ok((workers, foreign))
    }

    pub(crate) fn list_staging(&self, state: State) -> Result<Scan> {
        Ok(staged(state, &self.list_or_gone(&self.layout.dir(state))?))
    }

    fn list_done(&self) -> Result<Scan> {
        let mut days = self.list_or_gone(&self.layout.dir(State::Done))?;
        days.sort_by(|a, b| b.cmp(a));
        let mut scan = Scan::default();
        for day in days {
            let mut of_day = Vec::new();
            for name in self.list_or_gone(&self.layout.done_day(&day))? {
                match (receipt_of(&day, &name), bundle_in(&name)) {
                    (Some(listed), _) => of_day.push(listed),
                    (None, Some(bundle)) => {
                        of_day.extend(Listed::each(State::Done, &bundle, &name, Some(&day)));
                    }
                    (None, None)
                        if is_hidden(&name)
                            || [".original", UNREADABLE].iter().any(|end| name.ends_with(end)) => {}
                    (None, None) => scan.foreign.push(format!("{day}/{name}")),
                }
            }
            of_day.sort_by_key(|job| std::cmp::Reverse(job.id));
            scan.jobs.extend(of_day);
        }
        Ok(scan)
    }
}

/// Puts jobs in the order of their ids; where an id is there several times, only the highest rev stays. Answers the others.
fn newest_of_each(jobs: &mut Vec<Listed>) -> Vec<Listed> {
    jobs.sort_unstable_by_key(age);
    let mut stale = Vec::new();
    let mut last: Option<JobId> = None;
    jobs.retain(|job| {
        let first = last != Some(job.id);
        last = Some(job.id);
        if !first {
            stale.push(job.clone());
        }
        first
    });
    stale
}

/// The order of ids; of one id the highest rev first.
fn age(listed: &Listed) -> (JobId, Reverse<u32>) {
    (listed.id, Reverse(listed.rev))
}

/// The oldest waiting files of a document.
#[derive(Default)]
struct Oldest {
    files: BinaryHeap<File>,
    jobs: usize,
    /// Older copies of jobs that were kept. They are dropped too, or they would be found once the newer copies are done.
    older: Vec<File>,
}

impl Oldest {
    /// Adds a file, and drops those that are not needed for `jobs_max` jobs.
    fn add(&mut self, file: File, jobs_max: usize) {
        self.jobs += file.name.jobs() as usize;
        self.files.push(file);
        self.keep(jobs_max);
    }

    /// Drops files that are not needed for that many jobs. A bundle is kept or dropped whole.
    fn keep(&mut self, jobs_max: usize) {
        while let Some(last) = self.files.peek() {
            let without = self.jobs - last.name.jobs() as usize;
            if without < jobs_max {
                break;
            }
            self.jobs = without;
            // Of copies of one job the newest is popped last, so if the next on the heap has the same id, this is an older copy.
            let gone = self.files.pop();
            let is_older = |gone: &File| self.files.peek().is_some_and(|kept| kept.name.id == gone.name.id);
            self.older.extend(gone.filter(is_older));
        }
    }
}

/// A waiting file, compared by its age: in a heap the youngest is on top.
#[derive(PartialEq, Eq)]
struct File {
    name: JobName,
    state: State,
}

impl File {
    fn age(&self) -> (JobId, Reverse<u32>, State) {
        (self.name.id, Reverse(self.name.rev), self.state)
    }

    fn jobs(self) -> impl Iterator<Item = Listed> {
        // A job as its file's name shows it; the file is not opened.
        Listed::each(self.state, &self.name, &self.name.to_string(), None)
    }
}

impl Ord for File {
    fn cmp(&self, other: &Self) -> Ordering {
        self.age().cmp(&other.age())
    }
}

impl PartialOrd for File {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
