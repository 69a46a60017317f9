//! A file of several jobs as text: the jobs that one input declares for one document share a file, one line a job, so that a
//! hundred of them cost one file, one pair of syncs, and one rename a move. Its name says how many there are, and their ids
//! follow from the first: everybody else sees jobs.

use super::id::JobId;
use super::job::Job;
use super::name::JobName;
use super::text;
use declaration::{Code, Problem, Target};
use memchr::memchr_iter;
use std::collections::BTreeMap;

/// Most bytes in a file of more than one job.
pub(crate) const BYTES_MAX: usize = 1 << 20;

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
pub(crate) fn read(name: &JobName, bytes: &[u8]) -> Result<Vec<Job>, Vec<Problem>> {
    let lines = lines(name, bytes)?;
    name.ids().zip(lines).map(|(id, line)| job(name, id, line)).collect()
}

/// One of them.
pub(crate) fn read_one(name: &JobName, id: JobId, bytes: &[u8]) -> Result<Job, Vec<Problem>> {
    let place = name.place_of(id).and_then(|n| usize::try_from(n).ok());
    let found = place.and_then(|n| lines(name, bytes).map(|lines| lines.get(n).copied()).transpose());
    match found {
        Some(line) => job(name, id, line?),
        None => Err(vec![Problem::new(Code::BadBundle, format!("job {id} is not in it"))]),
    }
}

fn lines<'b>(name: &JobName, bytes: &'b [u8]) -> Result<Vec<&'b str>, Vec<Problem>> {
    let refuse = |what: String| Err(vec![Problem::new(Code::BadBundle, what)]);
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

fn job(name: &JobName, id: JobId, line: &str) -> Result<Job, Vec<Problem>> {
    let refuse = |problem: Problem| {
        let number = name.place_of(id).unwrap_or_default() + 1;
        Problem { message: format!("line {number}: {}", problem.message), ..problem }
    };
    let (mut job, _) = Job::from_json(line.as_bytes())
        .map_err(|problems| problems.into_iter().map(refuse).collect::<Vec<_>>())?;
    if job.id != id {
        let message = format!("it is job {}, and {id} by the name of the file", job.id);
        return Err(vec![refuse(Problem::new(Code::BadBundle, message))]);
    }
    job.rev = name.rev;
    Ok(job)
}

/// What a split makes of a file: its jobs, and for each that cannot be read what is left of it, so that every id that was
/// given out is found again and the others are not kept waiting.
pub(crate) fn pieces(name: &JobName, bytes: &[u8]) -> BTreeMap<JobId, Result<Job, Vec<u8>>> {
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
    // A line too many has no id of its own. It must not be lost, so it stays with the last job.
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
