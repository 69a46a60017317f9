//! What happened in the last day, as figures over time: how many jobs came and went in each quarter of an hour, and how many
//! waited at its end. Counted from the journal's lines, back from the counts of now; pure.

use declaration::Timestamp;
use queue_layout::{Event, JobId, JournalEntry};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The length of one step.
pub const STEP_MS: u64 = 15 * 60 * 1000;
/// How many steps are shown: a day.
pub const STEPS: u64 = 96;

/// The last day in steps, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// How long a step is, in milliseconds.
    pub step_ms: u64,
    /// The steps; the last one has not ended.
    pub steps: Vec<TimelineStep>,
}

/// What happened in one step, in jobs, and what waited at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TimelineStep {
    /// When it began.
    pub at: Timestamp,
    /// Came in.
    pub declared: usize,
    /// Ended in their documents.
    pub merged: usize,
    /// Failed.
    pub failed: usize,
    /// Came to wait for a yes.
    pub asked: usize,
    /// Decided about by a person.
    pub decided: usize,
    /// Waited for a worker or their next attempt.
    pub queued: usize,
    /// Waited because they had failed.
    pub waiting_failed: usize,
    /// Waited for a yes.
    pub waiting_review: usize,
}

impl TimelineStep {
    /// All that waited at its end, for a worker or a person.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queued + self.waiting_failed + self.waiting_review
    }
}

/// Where a job waited for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StagedAs {
    Failed,
    Review,
}

/// How many more (or fewer) wait after a step than before it.
#[derive(Debug, Clone, Copy, Default)]
struct Flow {
    seen: TimelineStep,
    queued: i64,
    failed: i64,
    review: i64,
}

/// What lines of the journal add up to. Lines may be added as they are written; steps that are too old are forgotten.
/// That a job was declared is no line of the journal: its id says when.
#[derive(Debug, Clone, Default)]
pub struct JournalTally {
    steps: BTreeMap<u64, Flow>,
    /// Where the jobs wait that came to wait while we counted.
    staged: HashMap<JobId, StagedAs>,
    /// Jobs that a person put back into the queue while we counted, and that are there yet.
    put_back: HashSet<JobId>,
}

impl JournalTally {
    /// Counts an event.
    pub fn add(&mut self, happened: &JournalEntry) {
        let Some(id) = happened.id else { return };
        let event = happened.event;
        match event {
            Event::Applied | Event::Unchanged => {
                self.leaves_queue(id);
                self.flow(happened.at).seen.merged += 1;
                self.flow(happened.at).queued -= 1;
            }
            Event::Failed | Event::Poisoned => {
                self.leaves_queue(id);
                self.staged.insert(id, StagedAs::Failed);
                let flow = self.flow(happened.at);
                flow.seen.failed += 1;
                (flow.queued, flow.failed) = (flow.queued - 1, flow.failed + 1);
            }
            Event::Review => {
                self.leaves_queue(id);
                self.staged.insert(id, StagedAs::Review);
                let flow = self.flow(happened.at);
                flow.seen.asked += 1;
                (flow.queued, flow.review) = (flow.queued - 1, flow.review + 1);
            }
            // What a person lost to a save, or saved late: put before them without having been in the queue.
            Event::Reverted => {
                self.staged.insert(id, StagedAs::Review);
                let flow = self.flow(happened.at);
                flow.seen.asked += 1;
                flow.review += 1;
            }
            Event::LateWrite | Event::LeftOut => {
                self.staged.insert(id, StagedAs::Failed);
                let flow = self.flow(happened.at);
                flow.seen.failed += 1;
                flow.failed += 1;
            }
            Event::Retried | Event::Edited | Event::TookOurs | Event::TookTheirs | Event::Approved => {
                self.decided(id, happened);
                self.put_back.insert(id);
                self.flow(happened.at).queued += 1;
            }
            Event::Discarded | Event::Rejected => self.decided(id, happened),
            _ => {}
        }
    }

    fn flow(&mut self, at: Timestamp) -> &mut Flow {
        self.steps.entry(at.millis() / STEP_MS).or_default()
    }

    /// A job that leaves the queue came in when it was declared, or when it was put back.
    fn leaves_queue(&mut self, id: JobId) {
        if !self.put_back.remove(&id) {
            self.flow(id.declared_at()).declare();
        }
    }

    fn decided(&mut self, id: JobId, happened: &JournalEntry) {
        let was = self.staged.remove(&id).unwrap_or(staged_before(happened.event));
        self.flow(happened.at).decide(was);
    }

    /// Forgets what is too old to be shown.
    pub fn forget(&mut self, now: Timestamp) {
        let first = (now.millis() / STEP_MS).saturating_sub(STEPS);
        self.steps = self.steps.split_off(&first);
    }

    /// The last day, where these jobs are in the queue now and so many failed or wait for a yes. The journal may lack lines, so
    /// that no count falls below zero.
    #[must_use]
    pub fn timeline(&self, in_queue: &[JobId], failed: usize, review: usize, now: Timestamp) -> Timeline {
        let mut flows = self.steps.clone();
        for id in in_queue.iter().filter(|id| !self.put_back.contains(id)) {
            flows.entry(id.declared_at().millis() / STEP_MS).or_default().declare();
        }
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (mut queued, mut failed, mut review) = (signed(in_queue.len()), signed(failed), signed(review));
        let last = now.millis() / STEP_MS;
        let mut steps = Vec::new();
        for at in (last.saturating_sub(STEPS - 1)..=last).rev() {
            let flow = flows.get(&at).copied().unwrap_or_default();
            steps.push(TimelineStep {
                at: Timestamp(at * STEP_MS),
                queued: not_below_zero(queued),
                waiting_failed: not_below_zero(failed),
                waiting_review: not_below_zero(review),
                ..flow.seen
            });
            (queued, failed, review) = (queued - flow.queued, failed - flow.failed, review - flow.review);
        }
        steps.reverse();
        Timeline { step_ms: STEP_MS, steps }
    }
}

impl Flow {
    fn declare(&mut self) {
        self.seen.declared += 1;
        self.queued += 1;
    }

    fn decide(&mut self, was: StagedAs) {
        self.seen.decided += 1;
        match was {
            StagedAs::Failed => self.failed -= 1,
            StagedAs::Review => self.review -= 1,
        }
    }
}

/// Where a job waited that a person decided about, when the journal does not have its coming there.
fn staged_before(event: Event) -> StagedAs {
    if matches!(event, Event::Approved | Event::Rejected) { StagedAs::Review } else { StagedAs::Failed }
}

fn not_below_zero(count: i64) -> usize {
    usize::try_from(count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const HOUR_MS: u64 = 60 * 60 * 1000;

    /// The id of a job that was declared at this hour.
    fn id(hour: u64, n: u64) -> JobId {
        let ms = format!("{:012x}", hour * HOUR_MS);
        format!("{}-{}-7000-8000-{n:012x}", &ms[..8], &ms[8..]).parse().unwrap()
    }

    /// What happened: at this hour, to the job of that number, which was declared at that hour.
    fn tally(events: &[(u64, Event, u64, u64)]) -> JournalTally {
        let mut tally = JournalTally::default();
        for (hour, event, n, declared) in events {
            let at = Timestamp(hour * HOUR_MS);
            tally.add(&JournalEntry::new(at, *event).job(id(*declared, *n), Path::new("/a.md")));
        }
        tally
    }

    /// Of the steps in which an hour begins: queued, failed, for review.
    fn hours(timeline: &Timeline) -> Vec<(usize, usize, usize)> {
        let at_hour = timeline.steps.iter().filter(|step| step.at.millis() % HOUR_MS == 0);
        at_hour.map(|step| (step.queued, step.waiting_failed, step.waiting_review)).collect()
    }

    #[test]
    fn what_waited_is_counted_back_from_now() {
        let tally = tally(&[
            (31, Event::Applied, 1, 30),
            (31, Event::Failed, 2, 30),
            (32, Event::Review, 3, 30),
            (33, Event::Edited, 3, 30),
        ]);
        let in_queue = [id(30, 3), id(33, 4)];
        let timeline = tally.timeline(&in_queue, 1, 0, Timestamp(34 * HOUR_MS));
        assert_eq!(timeline.steps.len(), 96);
        let found = hours(&timeline);
        assert_eq!(
            found[found.len() - 6..],
            [(0, 0, 0), (3, 0, 0), (1, 1, 0), (0, 1, 1), (2, 1, 0), (2, 1, 0)]
        );
        let sum = |of: fn(&TimelineStep) -> usize| timeline.steps.iter().map(of).sum::<usize>();
        assert_eq!((sum(|step| step.declared), sum(|step| step.merged), sum(|step| step.decided)), (4, 1, 1));
    }

    #[test]
    fn what_was_never_queued_counts_from_when_it_was_put_before_a_person() {
        let tally = tally(&[(31, Event::Reverted, 1, 31), (32, Event::LateWrite, 2, 32)]);
        let found = hours(&tally.timeline(&[], 1, 1, Timestamp(33 * HOUR_MS)));
        assert_eq!(found[found.len() - 4..], [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 1)]);
    }

    #[test]
    fn a_journal_with_gaps_never_counts_below_zero() {
        let tally = tally(&[(31, Event::Discarded, 9, 2), (32, Event::Approved, 8, 2)]);
        let timeline = tally.timeline(&[], 0, 0, Timestamp(33 * HOUR_MS));
        assert!(timeline.steps.iter().all(|step| step.queued <= 1 && step.waiting_failed <= 1));
    }

    #[test]
    fn what_is_too_old_is_forgotten() {
        let mut tally = tally(&[(2, Event::Applied, 1, 1), (40, Event::Applied, 2, 40)]);
        tally.forget(Timestamp(41 * HOUR_MS));
        assert_eq!(tally.steps.len(), 1);
    }
}
