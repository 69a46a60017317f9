//! What a run did, in numbers.

use declaration::Timestamp;
use queue_layout::{Counters, Durations, Ending, JobId, Recovered, Settlement};

/// What was done with jobs, each counted when it was settled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// Jobs that changed their document.
    pub applied: u64,
    /// Jobs whose document said it already, or that a person has said no to before.
    pub unchanged: u64,
    /// Jobs that are tried again later.
    pub deferred: u64,
    /// Jobs that wait for `resolve`.
    pub failed: u64,
    /// Jobs that wait for `review`.
    pub review: u64,
    /// Files of several jobs that could not be read as they were: their jobs wait apart now.
    pub apart: u64,
    /// How long the commits took, by the clock on the wall.
    pub merges: Durations,
    /// Claims of dead workers that were given back to the queue.
    pub recovered: u64,
    /// Jobs that were set aside because workers died of them.
    pub poisoned: u64,
    /// Other claims of dead workers that wait for a person now.
    pub recovered_for_a_person: u64,
    /// When the next waiting job is due, if one waits.
    pub next_due: Option<Timestamp>,
}

impl Report {
    /// Both together; the earlier due time.
    #[must_use]
    pub fn plus(self, other: Report) -> Report {
        Report {
            applied: self.applied + other.applied,
            unchanged: self.unchanged + other.unchanged,
            deferred: self.deferred + other.deferred,
            failed: self.failed + other.failed,
            review: self.review + other.review,
            apart: self.apart + other.apart,
            merges: self.merges.plus(other.merges),
            recovered: self.recovered + other.recovered,
            poisoned: self.poisoned + other.poisoned,
            recovered_for_a_person: self.recovered_for_a_person + other.recovered_for_a_person,
            next_due: [self.next_due, other.next_due].into_iter().flatten().min(),
        }
    }

    /// One job more: the only place where outcomes are counted.
    pub(crate) fn count(&mut self, settlement: &Settlement) {
        match settlement {
            Settlement::Done(_, receipt) if receipt.outcome == Ending::Applied => self.applied += 1,
            Settlement::Done(..) => self.unchanged += 1,
            Settlement::Deferred(_, due) => {
                self.deferred += 1;
                self.next_due = self.next_due.into_iter().chain([*due]).min();
            }
            Settlement::Failed(_) | Settlement::Doubtful(..) => self.failed += 1,
            Settlement::Review(_) => self.review += 1,
            Settlement::Pending(_) => {}
        }
    }

    /// What was recovered of one dead worker.
    pub(crate) fn count_recovered(&mut self, recovered: &Recovered) {
        let count = |ids: &[JobId]| u64::try_from(ids.len()).unwrap_or(u64::MAX);
        self.recovered += count(&recovered.released);
        self.poisoned += count(&recovered.poisoned);
        self.recovered_for_a_person += count(&recovered.quarantined) + count(&recovered.doubtful);
    }

    /// The same as totals of the home; without the jobs that ended, which are counted as they are settled.
    #[must_use]
    pub fn counters(&self) -> Counters {
        Counters {
            failed: self.failed + self.recovered_for_a_person,
            review: self.review,
            retried: self.deferred,
            poisoned: self.poisoned,
            recovered: self.recovered,
            merges: self.merges,
            ..Counters::default()
        }
    }

    /// Jobs that were taken up.
    #[must_use]
    pub fn handled(&self) -> u64 {
        self.applied + self.unchanged + self.deferred + self.failed + self.review
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `work` says and what the totals of the home say are counted together, but for what a worker counts as it settles.
    #[test]
    fn the_totals_are_those_of_the_report() {
        let report =
            Report { applied: 1, unchanged: 2, deferred: 3, failed: 4, review: 5, ..Report::default() };
        let recovered = Recovered {
            released: vec![JobId::of_report(Timestamp(1), &["a"])],
            doubtful: vec![JobId::of_report(Timestamp(1), &["b"])],
            ..Recovered::default()
        };
        let mut both = report;
        both.count_recovered(&recovered);
        let Counters { applied, unchanged, failed, review, retried, recovered, poisoned, .. } =
            both.counters();
        assert_eq!((applied, unchanged, retried, failed, review), (0, 0, 3, 5, 5));
        assert_eq!((recovered, poisoned), (1, 0));
        assert_eq!(both.handled(), report.handled(), "what was recovered was not taken up");
    }
}
