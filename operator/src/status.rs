//! One screen that answers "is it working?". By names alone, except where only the content says it: the document behind
//! a hint (one file per document) and the error of what failed.

use knowledge::Timestamp;
use queue_layout::{DocKey, Event, Happened, Hold, JobId, Listed, Queue, Result, StagedItem, State};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The state of a queue at a moment.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// When it was looked at.
    pub at: Timestamp,
    /// The home.
    pub home: PathBuf,
    /// Every state with its count.
    pub states: Vec<StateCount>,
    /// Documents that jobs wait for.
    pub documents: Vec<DocumentStatus>,
    /// What failed, by error code, most first.
    pub failures: Vec<FailureGroup>,
    /// Files in state directories that are not ours.
    pub foreign: Vec<String>,
    /// Workers and operators at work now.
    pub working: Vec<String>,
    /// Directories of dead workers; the next run recovers them.
    pub dead: Vec<String>,
    /// The last run of a worker that the journal of today or yesterday knows.
    pub last_run: Option<Happened>,
    /// What is held: it waits until somebody releases it.
    pub held: Vec<Hold>,
    /// When the next deferred job is due.
    pub next_due: Option<Timestamp>,
    /// Whether somebody is needed: something failed, waits for a yes, or does not belong there.
    pub needs_somebody: bool,
}

/// How many jobs are in a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StateCount {
    /// The state.
    pub state: State,
    /// How many.
    pub count: usize,
    /// When the oldest was declared.
    pub oldest: Option<Timestamp>,
}

/// What waits for one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentStatus {
    /// Its path, when one of its jobs could be read.
    pub path: Option<PathBuf>,
    /// The hint in its jobs' names.
    pub doc: DocKey,
    /// Jobs that are runnable.
    pub pending: usize,
    /// Jobs that wait for their next attempt.
    pub deferred: usize,
    /// Its first waiting job, which all others wait for.
    pub first: JobId,
}

/// What failed with one error code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailureGroup {
    /// The code.
    pub code: String,
    /// How many.
    pub count: usize,
    /// The message of one of them.
    pub example: String,
    /// That one.
    pub id: JobId,
}

/// Looks at a queue.
///
/// # Errors
/// A disk error.
pub fn status(queue: &Queue<'_>, now: Timestamp) -> Result<Status> {
    let mut scans = BTreeMap::new();
    let mut foreign = Vec::new();
    let mut states = Vec::new();
    for state in State::ALL {
        let scan = queue.list(state)?;
        foreign.extend(scan.foreign.iter().map(|name| format!("{}/{name}", state.as_str())));
        let oldest = scan.jobs.iter().map(|job| job.id.declared_at()).min();
        states.push(StateCount {
            state,
            // A declaration that was moved in by hand waits like any other job.
            count: scan.jobs.len() + scan.dropped.len(),
            oldest: oldest.filter(|_| state != State::Done),
        });
        scans.insert(state, scan.jobs);
    }
    let of = |state| scans.get(&state).map_or(&[][..], Vec::as_slice);
    let (working, dead) = workers(queue, of(State::Processing))?;
    let failures = failures(queue, of(State::Failed))?;
    let needs_somebody =
        !of(State::Failed).is_empty() || !of(State::Review).is_empty() || !foreign.is_empty();
    Ok(Status {
        at: now,
        home: queue.home().to_owned(),
        documents: documents(queue, of(State::Pending), of(State::Deferred))?,
        failures,
        foreign,
        working,
        dead,
        last_run: last_run(queue, now)?,
        held: queue.hold_notes()?,
        next_due: of(State::Deferred).iter().filter_map(|job| job.due).min(),
        needs_somebody,
        states,
    })
}

/// Who lives, and who died with jobs in hand. Somebody who died with none left an empty directory, which is nobody's
/// concern.
fn workers(queue: &Queue<'_>, held: &[Listed]) -> Result<(Vec<String>, Vec<String>)> {
    let mut working = Vec::new();
    let mut dead = Vec::new();
    for worker in queue.claimants()? {
        if queue.is_alive(&worker)? {
            working.push(worker);
        } else if held.iter().any(|job| job.within.as_ref() == Some(&worker)) {
            dead.push(worker);
        }
    }
    Ok((working, dead))
}

fn documents(queue: &Queue<'_>, pending: &[Listed], deferred: &[Listed]) -> Result<Vec<DocumentStatus>> {
    let mut documents: BTreeMap<DocKey, (DocumentStatus, &Listed)> = BTreeMap::new();
    for job in pending.iter().chain(deferred).filter(|job| !job.is_drop()) {
        let fresh = DocumentStatus { path: None, doc: job.doc, pending: 0, deferred: 0, first: job.id };
        let (document, first) = documents.entry(job.doc).or_insert((fresh, job));
        *(if job.state == State::Pending { &mut document.pending } else { &mut document.deferred }) += 1;
        if job.id < document.first {
            document.first = job.id;
            *first = job;
        }
    }
    let mut found = Vec::with_capacity(documents.len());
    for (mut document, first) in documents.into_values() {
        // A job that was taken meanwhile leaves its document without a path in this report.
        document.path = queue.load(first).ok().and_then(|found| found.job).map(|job| job.document.path);
        found.push(document);
    }
    Ok(found)
}

fn failures(queue: &Queue<'_>, failed: &[Listed]) -> Result<Vec<FailureGroup>> {
    let mut groups: BTreeMap<String, FailureGroup> = BTreeMap::new();
    for listed in failed {
        let item = match queue.read_staged(listed) {
            Err(queue_layout::QueueError::TakenMeanwhile(_)) => continue,
            other => other?,
        };
        let (code, example) = error_of(&item);
        let group = FailureGroup { code: code.clone(), count: 0, example, id: listed.id };
        groups.entry(code).or_insert(group).count += 1;
    }
    let mut groups: Vec<FailureGroup> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    Ok(groups)
}

fn error_of(item: &StagedItem) -> (String, String) {
    item.error().map_or_else(
        || ("unknown".to_owned(), "no error is noted in the file".to_owned()),
        |error| (error.code.clone(), error.message.clone()),
    )
}

fn last_run(queue: &Queue<'_>, now: Timestamp) -> Result<Option<Happened>> {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    for day in [now.day(), Timestamp(now.millis().saturating_sub(DAY_MS)).day()] {
        let last =
            queue.journal_tail(&day)?.into_iter().rev().find(|happened| happened.event == Event::RunEnded);
        if last.is_some() {
            return Ok(last);
        }
    }
    Ok(None)
}
