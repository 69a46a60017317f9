//! Bundles: the jobs that one input declares for one document share a file, one line a job, so that a hundred of them
//! cost one file, one pair of syncs, and one rename a move. Its name says how many there are, and their ids follow from the
//! first: everybody else sees jobs. They stay together while they fare alike; before one of them goes its own way, each
//! gets a file of its own (`split`).
//!
//! A split is done where jobs are claimed, and durable before any of them moves on, so a bundle is never found beside a
//! job of it that has gone further.

use crate::claimant::{Claimant, Claimed, text};
use crate::enqueue::encode;
use crate::error::{QueueError, Result};
use crate::id::JobId;
use crate::job::Job;
use crate::name::{Form, JobName};
use crate::{JOB_BYTES_MAX, Queue};
use declaration::{Problem, Target};
use memchr::memchr_iter;
use std::collections::{BTreeMap, BTreeSet};

/// Most bytes in a file of more than one job.
pub(crate) const BYTES_MAX: usize = 1 << 20;

const _: () = assert!(BYTES_MAX as u64 <= JOB_BYTES_MAX);

/// Whether a job may be in one file with the one declared just before it: what is said here is said of both.
pub(crate) fn goes_with(before: &Job, job: &Job) -> bool {
    let is_plain = |job: &Job| job.key.is_none() && job.restore.is_none();
    is_plain(before)
        && is_plain(job)
        && before.document == job.document
        && before.producer == job.producer
        && target(before) == target(job)
}

fn target(job: &Job) -> Option<&Target> {
    job.entries.first().map(|entry| &entry.key.target)
}

/// The jobs in the file of this name, in their order.
pub(crate) fn read(name: &JobName, bytes: &[u8]) -> std::result::Result<Vec<Job>, Vec<Problem>> {
    let lines = lines(name, bytes)?;
    name.ids().zip(lines).map(|(id, line)| job(name, id, line)).collect()
}

/// One of them.
pub(crate) fn read_one(name: &JobName, id: JobId, bytes: &[u8]) -> std::result::Result<Job, Vec<Problem>> {
    let place = name.place_of(id).and_then(|n| usize::try_from(n).ok());
    let found = place.and_then(|n| lines(name, bytes).map(|lines| lines.get(n).copied()).transpose());
    match found {
        Some(line) => job(name, id, line?),
        None => Err(vec![Problem::new("bad_bundle", format!("job {id} is not in it"))]),
    }
}

fn lines<'b>(name: &JobName, bytes: &'b [u8]) -> std::result::Result<Vec<&'b str>, Vec<Problem>> {
    let refuse = |what: String| Err(vec![Problem::new("bad_bundle", what)]);
    let Some(whole) = text(bytes)?.strip_suffix('\n') else {
        return refuse("its last line is cut off, or it is empty".to_owned());
    };
    let mut from = 0;
    let ends = memchr_iter(b'\n', whole.as_bytes()).chain([whole.len()]);
    let lines: Vec<&str> = ends.map(|end| &whole[std::mem::replace(&mut from, end + 1)..end]).collect();
    if u32::try_from(lines.len()) != Ok(name.jobs()) {
        return refuse(format!("it has {} lines, and {} jobs by its name", lines.len(), name.jobs()));
    }
    Ok(lines)
}

fn job(name: &JobName, id: JobId, line: &str) -> std::result::Result<Job, Vec<Problem>> {
    let refuse = |problem: Problem| {
        let number = name.place_of(id).unwrap_or_default() + 1;
        Problem { message: format!("line {number}: {}", problem.message), ..problem }
    };
    let (mut job, _) = Job::from_json(line.as_bytes())
        .map_err(|problems| problems.into_iter().map(refuse).collect::<Vec<_>>())?;
    if job.id != id {
        let message = format!("it is job {}, and {id} by the name of the file", job.id);
        return Err(vec![refuse(Problem::new("bad_bundle", message))]);
    }
    job.rev = name.rev;
    Ok(job)
}

/// What a split makes of a file: its jobs, and for each that cannot be read what is left of it, so that every id that was
/// given out is found again and the others are not kept waiting.
fn pieces(name: &JobName, bytes: &[u8]) -> BTreeMap<JobId, std::result::Result<Job, Vec<u8>>> {
    if let Ok(jobs) = read(name, bytes) {
        return jobs.into_iter().map(|job| (job.id, Ok(job))).collect();
    }
    let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let (mut found, mut rest) = (BTreeMap::new(), Vec::new());
    for line in bytes.split(|b| *b == b'\n').filter(|line| !is_blank(line)) {
        match Job::from_json(line) {
            Ok((job, _)) if name.place_of(job.id).is_some() && !found.contains_key(&job.id) => {
                found.insert(job.id, (job, line));
            }
            _ => rest.push(line),
        }
    }
    // A line too many has no id of its own, and must not be lost: it goes with the last job.
    if !rest.is_empty()
        && found.len() == name.jobs() as usize
        && let Some((_, (_, line))) = found.pop_last()
    {
        rest.insert(0, line);
    }
    let mut pieces: BTreeMap<_, _> = found.into_iter().map(|(id, (job, _))| (id, Ok(job))).collect();
    let mut missing =
        name.ids().filter(|id| !pieces.contains_key(id)).collect::<Vec<_>>().into_iter().peekable();
    let mut rest = rest.into_iter();
    while let Some(id) = missing.next() {
        let left = match missing.peek() {
            Some(_) => rest.next().unwrap_or_default().to_vec(),
            None => rest.by_ref().collect::<Vec<_>>().join(&b'\n'),
        };
        pieces.insert(id, Err(left));
    }
    pieces
}

impl Queue {
    /// The jobs in a file; of a bundle all of them.
    pub(crate) fn read_file(
        &self,
        name: &JobName,
        path: &std::path::Path,
    ) -> Result<std::result::Result<Vec<Job>, Vec<Problem>>> {
        let bytes = match self.read_one(path)? {
            Ok(bytes) => bytes,
            Err(problem) => return Ok(Err(vec![problem])),
        };
        Ok(match name.form {
            Form::Bundle(_) => read(name, &bytes),
            // The name says who it is: somebody may have copied the file.
            _ => Job::from_json(&bytes).map(|(job, _)| vec![Job { id: name.id, rev: name.rev, ..job }]),
        })
    }
}

impl Claimant {
    /// Gives each of these jobs that shares its file with others a file of its own, and those others too; also those that
    /// cannot be read. The claims are durable then.
    ///
    /// # Errors
    /// A disk error; `Unreadable` for a file too large to be one. Cut short, it is finished by whoever recovers.
    pub fn split(&self, claims: &[Claimed]) -> Result<Vec<Claimed>> {
        if !claims.iter().any(Claimed::is_bundled) {
            return Ok(claims.to_vec());
        }
        self.secure(claims)?;
        self.split_secured(claims)
    }

    /// The same with claims that are durable already: else a power cut would put the bundle back beside its jobs.
    pub(crate) fn split_secured(&self, claims: &[Claimed]) -> Result<Vec<Claimed>> {
        let bundles: BTreeSet<JobName> =
            claims.iter().filter(|claimed| claimed.is_bundled()).map(|claimed| claimed.name).collect();
        self.split_files(&bundles)?;
        Ok(claims.iter().map(Claimed::alone).collect())
    }

    /// Keeps these of some claims, and gives the others back to `pending`.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep(&self, claims: Vec<Claimed>, wanted: &dyn Fn(JobId) -> bool) -> Result<Vec<Claimed>> {
        if claims.iter().all(|claimed| wanted(claimed.id)) {
            return Ok(claims);
        }
        let (kept, others): (Vec<Claimed>, Vec<Claimed>) =
            self.split(&claims)?.into_iter().partition(|claimed| wanted(claimed.id));
        self.release(&others)?;
        Ok(kept)
    }

    /// Finishes what a dead worker began: a bundle beside jobs of its own was being split, and none of them has moved on.
    pub(crate) fn finish_splits(&self) -> Result<()> {
        let names = self.queue.list_or_gone(&self.dir())?;
        let names: Vec<JobName> = names.iter().filter_map(|name| JobName::parse(name)).collect();
        let begun = |bundle: &JobName| {
            let job = |name: &JobName| name.form == Form::Job && bundle.place_of(name.id).is_some();
            matches!(bundle.form, Form::Bundle(_)) && names.iter().any(job)
        };
        let begun: BTreeSet<JobName> = names.iter().copied().filter(begun).collect();
        match self.split_files(&begun) {
            // Damaged since: it is set aside like any file that nobody can read, beside the jobs that were written.
            Err(QueueError::Unreadable { .. }) => Ok(()),
            other => other,
        }
    }

    fn split_files(&self, bundles: &BTreeSet<JobName>) -> Result<()> {
        if bundles.is_empty() {
            return Ok(());
        }
        let (mut files, mut moves) = (Vec::new(), Vec::new());
        for bundle in bundles {
            let claimed = Claimed { id: bundle.id, name: *bundle, from: None };
            for (id, piece) in pieces(bundle, &self.bytes(&claimed)?) {
                let name = bundle.alone(id);
                let bytes = match piece {
                    Ok(job) => encode(&Job { rev: name.rev, ..job })?,
                    Err(left) => left,
                };
                let tmp = self.layout().tmp().join(format!("{}.{id}.split", self.name()));
                self.disk().remove(&tmp)?;
                files.push((tmp.clone(), bytes));
                moves.push((tmp, self.dir().join(name.to_string())));
            }
        }
        self.disk().write_many_new(&files)?;
        self.disk().point("split.written");
        for (tmp, target) in &moves {
            self.queue.place(tmp, target)?;
        }
        self.disk().sync_dir(&self.dir())?;
        self.disk().point("split.durable");
        for bundle in bundles {
            self.disk().remove(&self.dir().join(bundle.to_string()))?;
        }
        // Before any of them moves on: a bundle that came back would bring it back.
        self.disk().sync_dir(&self.dir())?;
        self.disk().point("split.removed");
        Ok(())
    }
}
