//! One screen that answers "is it working?": whether jobs complete, not whether a process is alive. By names alone,
//! except where only the content says it: the document behind a hint (for the few that are shown) and the code of what
//! failed.

use crate::space::{Shortage, shortage};
use declaration::{Fault, Timestamp};
use queue_layout::{
    Counters, DocKey, Event, Hold, Holds, JobId, JournalEntry, Listed, Queue, Result, StagedItem, State,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
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
    /// Documents that jobs wait for, those with most first, at most `DOCUMENTS_MAX`.
    pub documents: Vec<DocumentStatus>,
    /// Documents that jobs wait for beyond these.
    pub more_documents: usize,
    /// What failed, by error code, most first.
    pub failures: Vec<FailureGroup>,
    /// Failed jobs beyond `FAILURES_MAX`, which are not looked into for this.
    pub more_failures: usize,
    /// Files in state directories that are not ours.
    pub foreign: Vec<String>,
    /// Workers and operators at work now.
    pub working: Vec<String>,
    /// Directories of dead workers; the next run recovers them.
    pub dead: Vec<String>,
    /// Jobs that these had claimed.
    pub dead_jobs: usize,
    /// The last run of a worker that ended well and that the journal of today or yesterday knows.
    pub last_run: Option<JournalEntry>,
    /// Since when every run was ended by trouble of the machine; nothing when the last one ended well.
    pub failing_since: Option<Timestamp>,
    /// What the journal has of the last of these. A full disk leaves no line there.
    pub trouble: Option<JournalEntry>,
    /// What the disk of the home is short of.
    pub shortage: Option<Shortage>,
    /// Jobs that ended in the document, a minute, over the last `RATE_MS`.
    pub jobs_per_minute: f64,
    /// What is held: it waits until somebody releases it.
    pub held: Vec<Hold>,
    /// When the next deferred job is due.
    pub next_due: Option<Timestamp>,
    /// Since when a job waits that nothing keeps from being merged, when that is longer than `STALLED_MS`.
    pub stalled: Option<Timestamp>,
    /// Documents whose first waiting job is put off for longer than `STALLED_MS`, or for longer than `LONG_WAIT_MS` to come,
    /// and not held.
    pub stuck: usize,
    /// What is wrong with `config.yaml`, the first of it: nothing can be enqueued or merged until it is mended. Filled in by
    /// `misconfigured`.
    pub configuration: Option<String>,
    /// What lies in inboxes for longer than `STALLED_MS`. Filled in by `left_in_inboxes`.
    pub left: Vec<PathBuf>,
    /// Declarations in the inbox of the project somebody looks from, where no person listed that project. They are not
    /// taken in, and nobody is needed for them. Filled in by whoever knows the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlisted: Option<Unlisted>,
    /// What was changed past the queue within `CHANGED_MS` while commands of agents ran, the newest of each document first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_in_commands: Vec<JournalEntry>,
    /// Whether somebody is needed: nothing can be done with this configuration, the disk has no room, the last run was
    /// ended by trouble, a worker died with claims, or a job failed, waits for a yes, is not taken up, cannot be done
    /// for long, or does not belong there.
    pub needs_somebody: bool,
}

/// Declarations in the inbox of a project that is not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unlisted {
    /// The project.
    pub project: PathBuf,
    /// How many there are.
    pub files: usize,
}

/// How many documents a status names.
pub const DOCUMENTS_MAX: usize = 20;
/// How many failed jobs are looked into, the newest.
pub const FAILURES_MAX: usize = 2_000;
/// A job that waits this long with nothing in its way says that no worker comes.
pub const STALLED_MS: u64 = 15 * 60 * 1000;
/// A wait for the next attempt longer than this is longer than the usual schedule ever makes it.
pub const LONG_WAIT_MS: u64 = 60 * 1000;
/// How long it is told that something was changed past the queue while a command ran.
pub const CHANGED_MS: u64 = 24 * 60 * 60 * 1000;
/// What "jobs per minute" looks back on.
pub const RATE_MS: u64 = 10 * 60 * 1000;

/// How many jobs are in a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StateCount {
    /// The state.
    pub state: State,
    /// How many; of `done` those of today (UTC), because of thousands a day nobody wants a sum.
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
    /// When that one is tried again.
    pub due: Option<Timestamp>,
    /// Why that one was put off.
    pub error: Option<Fault>,
    /// Whether the document, or its first job, is held.
    pub held: bool,
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

impl Status {
    /// The same where the configuration cannot be used.
    #[must_use]
    pub fn misconfigured(self, why: String) -> Status {
        Status { configuration: Some(why), needs_somebody: true, ..self }
    }

    /// The same with what nobody takes out of the inboxes.
    #[must_use]
    pub fn left_in_inboxes(self, left: Vec<PathBuf>) -> Status {
        Status { needs_somebody: self.needs_somebody || !left.is_empty(), left, ..self }
    }
}

/// Looks at a queue. What the configuration has to say is not known here.
///
/// # Errors
/// A disk error.
pub fn status(queue: &Queue, now: Timestamp) -> Result<Status> {
    let mut scans = BTreeMap::new();
    let mut foreign = Vec::new();
    let mut states = Vec::new();
    for state in State::ALL.into_iter().filter(|state| *state != State::Done) {
        let scan = queue.scan(state)?;
        foreign.extend(scan.foreign.iter().map(|name| format!("{}/{name}", state.as_str())));
        // A declaration that was moved in by hand waits like any other job.
        let count = scan.jobs.len() + scan.dropped.len();
        let oldest = scan.jobs.iter().map(|job| job.id).min().map(JobId::declared_at);
        states.push(StateCount { state, count, oldest });
        scans.insert(state, scan.jobs);
    }
    states.push(StateCount { state: State::Done, count: queue.count_receipts(&now.day())?, oldest: None });
    foreign.sort();
    let of = |state| scans.get(&state).map_or(&[][..], Vec::as_slice);
    let holds = queue.holds()?;
    let Workers { working, dead, dead_jobs } = workers(queue, of(State::Processing))?;
    let (failures, more_failures) = failures(queue, of(State::Failed))?;
    let (documents, more_documents) = documents(queue, &holds, of(State::Pending), of(State::Deferred))?;
    let ran = Ran::look(queue, now)?;
    let shortage = shortage(queue.space()?);
    let first = first_of_each(&holds, of(State::Pending), of(State::Deferred));
    let stalled = stalled(&first, ran.last.as_ref().map(|last| last.at), now);
    let stuck = first.into_iter().filter(|job| is_stuck(*job, now)).count();
    let needs_somebody = !of(State::Failed).is_empty()
        || !of(State::Review).is_empty()
        || !foreign.is_empty()
        || !dead.is_empty()
        || ran.failing_since.is_some()
        || shortage.is_some()
        || stalled.is_some()
        || stuck > 0;
    Ok(Status {
        at: now,
        home: queue.home().to_owned(),
        documents,
        more_documents,
        failures,
        more_failures,
        foreign,
        working,
        dead,
        dead_jobs,
        last_run: ran.last,
        failing_since: ran.failing_since,
        trouble: ran.trouble,
        shortage,
        jobs_per_minute: ran.per_minute,
        held: queue.operator().hold_notes()?,
        next_due: of(State::Deferred).iter().filter_map(|job| job.due).min(),
        stalled,
        stuck,
        configuration: None,
        left: Vec::new(),
        unlisted: None,
        changed_in_commands: changed_in_commands(queue, now)?,
        needs_somebody,
        states,
    })
}

fn changed_in_commands(queue: &Queue, now: Timestamp) -> Result<Vec<JournalEntry>> {
    let mut changed: Vec<JournalEntry> = queue.sessions().changed()?;
    changed.retain(|changed| now.since_ms(changed.at) < CHANGED_MS);
    changed.reverse();
    let mut known = BTreeSet::new();
    changed.retain(|changed| known.insert(changed.document.clone()));
    Ok(changed)
}

/// What failed, by error code, most first; and how many failed jobs beyond `FAILURES_MAX` were not looked into.
///
/// # Errors
/// A disk error.
pub fn failure_groups(queue: &Queue) -> Result<(Vec<FailureGroup>, usize)> {
    failures(queue, &queue.scan(State::Failed)?.jobs)
}

/// Whether workers run. The fields are those of `Status`.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerHealth {
    /// The last run that ended well.
    pub last_run: Option<JournalEntry>,
    /// Since when every run was ended by trouble of the machine.
    pub failing_since: Option<Timestamp>,
    /// The last of these.
    pub trouble: Option<JournalEntry>,
    /// Since when a job waits with nothing in its way.
    pub stalled: Option<Timestamp>,
}

/// Whether workers run, without a look at what failed and what is done.
///
/// # Errors
/// A disk error.
pub fn worker_health(queue: &Queue, now: Timestamp) -> Result<WorkerHealth> {
    let (pending, deferred) = (queue.scan(State::Pending)?.jobs, queue.scan(State::Deferred)?.jobs);
    let first = first_of_each(&queue.holds()?, &pending, &deferred);
    let Ran { last, failing_since, trouble, .. } = Ran::look(queue, now)?;
    let stalled = stalled(&first, last.as_ref().map(|last| last.at), now);
    Ok(WorkerHealth { last_run: last, failing_since, trouble, stalled })
}

/// Who has a directory in `processing/`.
#[derive(Default)]
struct Workers {
    working: Vec<String>,
    dead: Vec<String>,
    dead_jobs: usize,
}

/// Who lives, and who died with jobs in hand. Somebody who died with none left an empty directory, which is nobody's
/// concern.
fn workers(queue: &Queue, held: &[Listed]) -> Result<Workers> {
    let mut found = Workers::default();
    for worker in queue.claimants()? {
        if queue.is_alive(&worker)? {
            found.working.push(worker);
        } else if held.iter().any(|job| job.within.as_ref() == Some(&worker)) {
            found.dead.push(worker);
        }
    }
    if found.dead.is_empty() {
        return Ok(found);
    }
    // It ended between the listing and the look at its lock, and settled its jobs before: none is left.
    let still: Vec<Listed> = queue.scan(State::Processing)?.jobs;
    let left = |worker: &String| {
        let its = |job: &&Listed| job.within.as_ref() == Some(worker);
        still.iter().filter(its).filter(|job| held.iter().any(|before| before.id == job.id)).count()
    };
    found.dead.retain(|worker| left(worker) > 0);
    found.dead_jobs = found.dead.iter().map(left).sum();
    Ok(found)
}

fn documents(
    queue: &Queue,
    holds: &Holds,
    pending: &[Listed],
    deferred: &[Listed],
) -> Result<(Vec<DocumentStatus>, usize)> {
    let mut documents: BTreeMap<DocKey, (DocumentStatus, &Listed)> = BTreeMap::new();
    for job in pending.iter().chain(deferred).filter(|job| !job.is_drop()) {
        let (document, first) = documents.entry(job.doc).or_insert_with(|| (document_of(job, holds), job));
        *(if job.state == State::Pending { &mut document.pending } else { &mut document.deferred }) += 1;
        if job.id < document.first {
            (document.first, document.due) = (job.id, job.due);
            *first = job;
        }
    }
    let mut found: Vec<_> = documents.into_values().collect();
    found.sort_by_key(|(document, _)| std::cmp::Reverse(document.pending + document.deferred));
    let more = found.len().saturating_sub(DOCUMENTS_MAX);
    let mut shown = Vec::new();
    for (mut document, first) in found.into_iter().take(DOCUMENTS_MAX) {
        // A job that was taken meanwhile leaves its document without a path in this report.
        if let Some(job) = queue.load(first).ok().and_then(|found| found.job) {
            document.error = job.attempts.into_iter().next_back().map(|attempt| attempt.error);
            document.path = Some(job.document.path);
        }
        document.held |= holds.job(document.first);
        shown.push(document);
    }
    Ok((shown, more))
}

fn document_of(job: &Listed, holds: &Holds) -> DocumentStatus {
    let held = holds.queue() || holds.hint(job.doc);
    let (path, error) = (None, None);
    DocumentStatus { path, doc: job.doc, pending: 0, deferred: 0, first: job.id, due: job.due, error, held }
}

fn failures(queue: &Queue, failed: &[Listed]) -> Result<(Vec<FailureGroup>, usize)> {
    let mut newest: Vec<&Listed> = failed.iter().collect();
    newest.sort_by_key(|listed| std::cmp::Reverse(listed.id));
    let more = newest.len().saturating_sub(FAILURES_MAX);
    newest.truncate(FAILURES_MAX);
    let mut groups: BTreeMap<String, (usize, &Listed)> = BTreeMap::new();
    for listed in newest {
        match queue.staged_code(listed) {
            Err(queue_layout::QueueError::TakenMeanwhile(_)) => {}
            other => groups.entry(other?.to_string()).or_insert((0, listed)).0 += 1,
        }
    }
    let mut found = Vec::with_capacity(groups.len());
    for (code, (count, listed)) in groups {
        let example = match queue.read_staged(listed) {
            Ok(item) => message_of(&item),
            Err(queue_layout::QueueError::TakenMeanwhile(_)) => String::new(),
            Err(e) => return Err(e),
        };
        found.push(FailureGroup { code, count, example, id: listed.id });
    }
    found.sort_by_key(|group| std::cmp::Reverse(group.count));
    Ok((found, more))
}

fn message_of(item: &StagedItem) -> String {
    item.error().map_or_else(|| "no error is noted in the file".to_owned(), |error| error.message.clone())
}

/// Of every document that nothing holds, the first job: the others wait for it.
fn first_of_each(holds: &Holds, pending: &[Listed], deferred: &[Listed]) -> Vec<Waits> {
    if holds.queue() {
        return Vec::new();
    }
    let mut first: BTreeMap<DocKey, &Listed> = BTreeMap::new();
    for job in pending.iter().chain(deferred).filter(|job| !job.is_drop()) {
        let known = first.entry(job.doc).or_insert(job);
        if job.id < known.id {
            *known = job;
        }
    }
    let free = first.into_values().filter(|job| !holds.hint(job.doc) && !holds.job(job.id));
    free.map(|job| (job.id.declared_at(), job.due)).collect()
}

/// When a job was declared, and when it is tried again if it was put off.
type Waits = (Timestamp, Option<Timestamp>);

/// Since when the oldest of these could have been merged: it is due.
/// What was declared while the clock was ahead, or until it has caught up with the ids, seems to come from the future: it
/// waits at least since somebody last ran.
fn stalled(first: &[Waits], last_run: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    let since = |(declared, due): &Waits| match due {
        // A deferred one waits since it is due.
        Some(due) => *due,
        None if *declared <= now => *declared,
        None => last_run.map_or(*declared, |ran| ran.min(*declared)),
    };
    let since = first.iter().map(since).min()?;
    (now.since_ms(since) > STALLED_MS).then_some(since)
}

/// Whether a job is put off again and again, or for long: whatever is in its way does not pass by itself.
fn is_stuck((declared, due): Waits, now: Timestamp) -> bool {
    due.is_some_and(|due| {
        due > now && (due.since_ms(now) > LONG_WAIT_MS || now.since_ms(declared) > STALLED_MS)
    })
}

/// What the journal of today or yesterday says of the runs.
#[derive(Default)]
struct Ran {
    last: Option<JournalEntry>,
    failing_since: Option<Timestamp>,
    trouble: Option<JournalEntry>,
    per_minute: f64,
}

impl Ran {
    fn look(queue: &Queue, now: Timestamp) -> Result<Ran> {
        const DAY_MS: u64 = 24 * 60 * 60 * 1000;
        let mut ran = Ran::default();
        for day in [now.day(), Timestamp(now.millis().saturating_sub(DAY_MS)).day()] {
            let events = queue.journal().tail(&day)?;
            if ran.per_minute == 0.0 {
                ran.per_minute = per_minute(&events, now);
            }
            ran.trouble = ran.trouble.or_else(|| latest(&events, Event::Trouble, now));
            ran.last = latest(&events, Event::RunEnded, now);
            if ran.last.is_some() {
                break;
            }
        }
        let counters = queue.counters()?;
        // Of two at the same moment the one of the journal, which says more, is taken.
        ran.last = idle_run(&counters, now).into_iter().chain(ran.last).max_by_key(|last| last.at);
        ran.failing_since = ran.failing_since(&counters);
        ran.trouble =
            ran.trouble.filter(|trouble| ran.failing_since.is_some_and(|since| trouble.at >= since));
        Ok(ran)
    }

    /// The totals know it by the order of the runs, also where the disk had no room for a line in the journal. Where they
    /// could not be written, the journal knows it.
    fn failing_since(&self, counters: &Counters) -> Option<Timestamp> {
        let ended = [self.last.as_ref().map(|last| last.at), counters.last_success_at()];
        let ended = ended.into_iter().flatten().max().unwrap_or(Timestamp(0));
        let journal = self.trouble.as_ref().map(|trouble| trouble.at).filter(|at| *at > ended);
        counters.failing_since_at().or(journal)
    }
}

/// The last of these events that happened by now. What was written while the clock was ahead says nothing of the time since:
/// after midnight it can be all that the journal of the day has.
fn latest(events: &[JournalEntry], event: Event, now: Timestamp) -> Option<JournalEntry> {
    events.iter().rev().find(|happened| happened.event == event && happened.at <= now).cloned()
}

/// The last run that ended well, by the counters: one that did nothing is not in the journal.
fn idle_run(counters: &Counters, now: Timestamp) -> Option<JournalEntry> {
    let at = counters.last_success_at().filter(|at| *at <= now)?;
    Some(JournalEntry::new(at, Event::RunEnded).saying(None, "nothing to do"))
}

/// Jobs that ended in the document, a minute. Where the events at hand do not reach back as far, over what they cover.
fn per_minute(events: &[JournalEntry], now: Timestamp) -> f64 {
    let recent = |happened: &&JournalEntry| now.since_ms(happened.at) <= RATE_MS && happened.at <= now;
    let ended = |happened: &&JournalEntry| matches!(happened.event, Event::Applied | Event::Unchanged);
    let count = events.iter().filter(recent).filter(ended).count();
    let covered = events.first().map_or(RATE_MS, |first| now.since_ms(first.at)).min(RATE_MS);
    // Never less than a minute: three jobs in the last second are not a hundred and eighty a minute.
    #[allow(clippy::cast_precision_loss)]
    let minutes = covered.max(60_000) as f64 / 60_000.0;
    #[allow(clippy::cast_precision_loss)]
    let rate = count as f64 / minutes;
    (rate * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_under_a_clock_that_was_ahead_is_not_the_last_one() {
        let now = Timestamp(10_000_000);
        let ended = |at: u64| JournalEntry::new(Timestamp(at), Event::RunEnded);
        let ahead = ended(now.millis() + 26 * 60_000);
        assert_eq!(latest(std::slice::from_ref(&ahead), Event::RunEnded, now), None);
        let known = latest(&[ended(9_000_000), ahead], Event::RunEnded, now);
        assert_eq!(known.map(|run| run.at), Some(Timestamp(9_000_000)));
    }

    #[test]
    fn stuck_is_what_is_put_off_for_long_and_stalled_what_nobody_takes_up() {
        let now = Timestamp(100 * 60_000);
        let ago = |minutes: u64| Timestamp(now.millis() - minutes * 60_000);
        let later = Some(Timestamp(now.millis() + 30_000));
        assert!(is_stuck((ago(16), later), now));
        assert!(!is_stuck((ago(14), later), now), "it may still pass");
        assert!(is_stuck((ago(1), Some(Timestamp(now.millis() + 61_000))), now), "put off for long");
        assert!(!is_stuck((ago(16), Some(ago(1))), now), "the next run tries it");
        assert!(!is_stuck((ago(16), None), now), "nobody has tried it yet");
        assert_eq!(stalled(&[(ago(16), later)], None, now), None);
        assert_eq!(stalled(&[(ago(16), None), (ago(14), None)], None, now), Some(ago(16)));
        assert_eq!(stalled(&[(ago(60), Some(ago(14)))], None, now), None);
        // Declared while the clock was an hour ahead.
        let ahead = Timestamp(now.millis() + 60 * 60_000);
        assert_eq!(stalled(&[(ahead, None)], Some(ago(16)), now), Some(ago(16)));
        assert_eq!(stalled(&[(ahead, None)], Some(ago(14)), now), None, "somebody ran");
        assert_eq!(stalled(&[(ahead, None)], None, now), None, "nobody knows");
    }

    #[test]
    fn jobs_per_minute_over_what_the_events_cover() {
        let now = Timestamp(100 * 60_000);
        let at = |ago_s: u64, event| JournalEntry::new(Timestamp(now.millis() - ago_s * 1000), event);
        assert_eq!(per_minute(&[], now).to_bits(), 0.0f64.to_bits());
        let old = [
            at(3000, Event::Applied),
            at(500, Event::Applied),
            at(400, Event::Failed),
            at(5, Event::Unchanged),
        ];
        assert!((per_minute(&old, now) - 0.2).abs() < 1e-9, "two in ten minutes");
        let young: Vec<_> = (0..30).map(|n| at(120 - n, Event::Applied)).collect();
        assert!((per_minute(&young, now) - 15.0).abs() < 1e-9, "thirty in two minutes");
    }
}
