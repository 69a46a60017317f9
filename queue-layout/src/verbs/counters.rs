//! Counters since the home was made: totals that only grow, for monitoring. They are not synced, because nothing is decided
//! by them: a power cut may set them back, like a restart those of any program. Each worker counts the jobs it settles in a
//! file of its own, together with marks of the receipts it has counted: whoever recovers a killed worker counts the
//! receipts without a mark, so that none is counted twice.

use super::WorkerVerbs;
use super::ended::Ended;
use crate::Queue;
use crate::error::Result;
use crate::verbs::claimant::Claimant;
use declaration::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::PoisonError;

/// The version of the file.
pub const COUNTERS_VERSION: u32 = 2;

/// Upper bounds of the histogram's buckets, in milliseconds; a last bucket is for everything above.
pub const BOUNDS_MS: [u64; 12] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 30_000];

/// How long things took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Durations {
    /// For each bound how many took at most that long and longer than the bound before; the last: longer than all bounds.
    pub buckets: [u64; BOUNDS_MS.len() + 1],
    /// The sum, in milliseconds.
    pub sum_ms: u64,
}

impl Durations {
    /// Counts one.
    pub fn add(&mut self, took_ms: u64) {
        let at = BOUNDS_MS.iter().position(|bound| took_ms <= *bound).unwrap_or(BOUNDS_MS.len());
        self.buckets[at] += 1;
        self.sum_ms = self.sum_ms.saturating_add(took_ms);
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(mut self, other: Durations) -> Durations {
        for (mine, theirs) in self.buckets.iter_mut().zip(other.buckets) {
            *mine = mine.saturating_add(theirs);
        }
        self.sum_ms = self.sum_ms.saturating_add(other.sum_ms);
        self
    }
}

/// Totals since the home was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Counters {
    /// The version of the file: `COUNTERS_VERSION`.
    pub version: u32,
    /// Jobs that changed their document.
    pub applied: u64,
    /// Jobs that changed nothing: their document had the text already.
    pub unchanged: u64,
    /// Jobs that failed for a person to look at.
    pub failed: u64,
    /// Jobs that were put before a person for a yes.
    pub review: u64,
    /// Attempts that failed and are retried later.
    pub retried: u64,
    /// Jobs that killed too many workers.
    pub poisoned: u64,
    /// Claims of dead workers that were given back or ended.
    pub recovered: u64,
    /// Enqueues with a key that was known already.
    pub duplicates: u64,
    /// Runs that ended well.
    pub runs: u64,
    /// Runs that trouble of the machine ended.
    pub troubles: u64,
    /// Commits of documents, from the claims to the receipts.
    pub merges: Durations,
    /// Calls of fsync by workers.
    pub fsyncs: u64,
    /// What they took together, in microseconds.
    pub fsync_us: u64,
    /// When a run ended well last; 0: never.
    pub last_success: u64,
    /// When trouble of the machine ended the first of the runs that failed since; 0: the last run ended well. It is kept
    /// here because these bytes are written over in place: on a full disk no line can be added to the journal.
    pub failing_since: u64,
}

impl Counters {
    /// The sums of both, with the later of the two times.
    #[must_use]
    pub fn plus(self, other: Counters) -> Counters {
        Counters {
            version: COUNTERS_VERSION,
            applied: self.applied.saturating_add(other.applied),
            unchanged: self.unchanged.saturating_add(other.unchanged),
            failed: self.failed.saturating_add(other.failed),
            review: self.review.saturating_add(other.review),
            retried: self.retried.saturating_add(other.retried),
            poisoned: self.poisoned.saturating_add(other.poisoned),
            recovered: self.recovered.saturating_add(other.recovered),
            duplicates: self.duplicates.saturating_add(other.duplicates),
            runs: self.runs.saturating_add(other.runs),
            troubles: self.troubles.saturating_add(other.troubles),
            merges: self.merges.plus(other.merges),
            fsyncs: self.fsyncs.saturating_add(other.fsyncs),
            fsync_us: self.fsync_us.saturating_add(other.fsync_us),
            last_success: self.last_success.max(other.last_success),
            failing_since: match () {
                () if other.runs > 0 => 0,
                () if self.failing_since > 0 => self.failing_since,
                () => other.failing_since,
            },
        }
    }

    /// When a run ended well last.
    #[must_use]
    pub fn last_success_at(&self) -> Option<Timestamp> {
        Some(Timestamp(self.last_success)).filter(|at| at.millis() > 0)
    }

    /// Since when every run failed.
    #[must_use]
    pub fn failing_since_at(&self) -> Option<Timestamp> {
        Some(Timestamp(self.failing_since)).filter(|at| at.millis() > 0)
    }

    /// Reads the file; `None` for one of a newer version. What cannot be read counts as nothing counted.
    fn read(bytes: &[u8]) -> Option<Counters> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let text = bytes.trim_ascii_end();
        match serde_json::from_slice::<Versioned>(text) {
            Ok(found) if found.version > COUNTERS_VERSION => None,
            _ => Some(serde_json::from_slice(text).unwrap_or_default()),
        }
    }
}

/// The version of a worker's file.
const ENDED_VERSION: u32 = 1;
/// Receipts and batches of them whose marks are kept: each thread of a worker is at one, and 64 are many threads.
const MARKS_MAX: usize = 128;

/// What one worker counted of jobs that ended, in `locks/counters-w<N>`; whoever has its slot later goes on with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct EndedCounters {
    version: u32,
    applied: u64,
    unchanged: u64,
    /// Marks of what was counted last, oldest first.
    marks: Vec<String>,
}

impl EndedCounters {
    fn read(bytes: &[u8]) -> EndedCounters {
        serde_json::from_slice(bytes.trim_ascii_end()).unwrap_or_default()
    }

    fn count(&mut self, ended: &Ended) {
        self.version = ENDED_VERSION;
        self.applied = self.applied.saturating_add(ended.applied);
        self.unchanged = self.unchanged.saturating_add(ended.unchanged);
        self.marks.push(ended.mark.clone());
        let excess = self.marks.len().saturating_sub(MARKS_MAX);
        self.marks.drain(..excess);
    }
}

impl Claimant {
    /// Counts jobs that have their receipts. What cannot be counted now is counted with the next ones, or by `count_left`: nothing is
    /// decided by the counters.
    pub(crate) fn count_ended(&self, ended: Ended) {
        if ended.applied + ended.unchanged > 0 {
            self.uncounted.lock().unwrap_or_else(PoisonError::into_inner).push(ended);
            let _ = self.count_left();
        }
    }

    /// The same for a dead worker, which may have counted them itself.
    pub(crate) fn count_ended_once(&self, ended: Ended) {
        self.count_ended(Ended { perhaps_counted: true, ..ended });
    }

    /// Counts what ended and could not be counted before.
    ///
    /// # Errors
    /// A disk error; then the metrics will miss these jobs.
    pub fn count_left(&self) -> Result<()> {
        let mut uncounted = self.uncounted.lock().unwrap_or_else(PoisonError::into_inner);
        if uncounted.is_empty() {
            return Ok(());
        }
        let path = self.layout().lock(&format!("{OF_WORKERS}{}", self.name()));
        self.disk().update_locked(&path, &mut |old| {
            let mut known = EndedCounters::read(old);
            if known.version > ENDED_VERSION {
                return old.to_vec();
            }
            for ended in uncounted.iter() {
                if !(ended.perhaps_counted && known.marks.contains(&ended.mark)) {
                    known.count(ended);
                }
            }
            let mut line = serde_json::to_vec(&known).unwrap_or_default();
            line.push(b'\n');
            line
        })?;
        uncounted.clear();
        Ok(())
    }
}

/// The beginning of the names of workers' counter files.
const OF_WORKERS: &str = "counters-";

impl WorkerVerbs<'_> {
    /// Adds to what was counted. A file of a newer version is left as it is.
    ///
    /// # Errors
    /// A disk error; callers go on: nothing is decided by it.
    pub fn count(&self, more: &Counters) -> Result<()> {
        self.queue.disk.update_locked(
            &self.queue.layout.lock("counters"),
            &mut |old| match Counters::read(old) {
                Some(known) => {
                    let mut line = serde_json::to_vec(&known.plus(*more)).unwrap_or_default();
                    line.push(b'\n');
                    line
                }
                None => old.to_vec(),
            },
        )?;
        Ok(())
    }
}

impl Queue {
    /// What was counted so far.
    ///
    /// # Errors
    /// A disk error.
    pub fn counters(&self) -> Result<Counters> {
        let own = self.counted_in(&self.layout.lock("counters"))?;
        let mut all = Counters::read(&own).unwrap_or_default();
        for name in self.list_or_gone(&self.layout.locks())? {
            if name.starts_with(OF_WORKERS) {
                let ended = EndedCounters::read(&self.counted_in(&self.layout.lock(&name))?);
                all.applied = all.applied.saturating_add(ended.applied);
                all.unchanged = all.unchanged.saturating_add(ended.unchanged);
            }
        }
        Ok(all)
    }

    fn counted_in(&self, path: &Path) -> Result<Vec<u8>> {
        match self.disk.read(path, 4096) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => Ok(read?),
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // as something else would be in its place
mod tests {
    use super::*;
    use crate::Layout;
    use std::fs;
    use std::sync::Arc;

    fn ended(mark: &str, applied: u64) -> Ended {
        Ended { mark: mark.to_owned(), applied, unchanged: 1, perhaps_counted: false }
    }

    #[test]
    fn what_could_not_be_counted_is_counted_later_and_once() {
        let home = tempfile::tempdir().unwrap();
        for dir in ["locks", "processing"] {
            fs::create_dir(home.path().join(dir)).unwrap();
        }
        let queue = Queue::new(Arc::new(durable::RealDisk::new()), Layout::new(home.path()));
        let worker = queue.claimant().unwrap();
        let counted = || queue.counters().map(|all| (all.applied, all.unchanged)).unwrap();
        let in_the_way = home.path().join("locks/counters-w1");
        fs::create_dir(&in_the_way).unwrap();
        worker.count_ended(ended("one", 3));
        assert!(worker.count_left().is_err(), "who has run this hears of it");
        fs::remove_dir(&in_the_way).unwrap();
        assert_eq!(counted(), (0, 0));
        worker.count_ended(ended("two", 1));
        assert_eq!(counted(), (4, 2), "with the next ones");
        fs::rename(&in_the_way, home.path().join("aside")).unwrap();
        fs::create_dir(&in_the_way).unwrap();
        worker.count_ended_once(ended("two", 1));
        worker.count_ended_once(ended("three", 1));
        fs::remove_dir(&in_the_way).unwrap();
        fs::rename(home.path().join("aside"), &in_the_way).unwrap();
        worker.count_left().unwrap();
        worker.count_left().unwrap();
        assert_eq!(counted(), (5, 3));
    }

    #[test]
    fn a_duration_is_in_the_first_bucket_that_holds_it() {
        let mut durations = Durations::default();
        [0, 1, 2, 3, 30_000, 30_001].into_iter().for_each(|ms| durations.add(ms));
        assert_eq!(durations.buckets, [2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(durations.plus(durations).sum_ms, 2 * 60_007);
    }

    #[test]
    fn marks_are_bounded_and_fit_into_a_lock_file() {
        let mut counted =
            EndedCounters { applied: u64::MAX, unchanged: u64::MAX, ..EndedCounters::default() };
        for n in 0..3 * MARKS_MAX {
            counted.count(&ended(&format!("{n:012}"), 1));
        }
        assert_eq!(counted.marks.len(), MARKS_MAX);
        assert_eq!(counted.marks.last().map(String::as_str), Some("000000000383"));
        let bytes = serde_json::to_vec(&counted).unwrap();
        assert!(bytes.len() < 4096, "what is read of it: {}", bytes.len());
        assert_eq!(EndedCounters::read(&bytes), counted);
        assert_eq!(EndedCounters::read(b"torn"), EndedCounters::default());
    }

    #[test]
    fn runs_fail_since_the_first_that_failed_until_one_ends_well() {
        let failed = |at| Counters { troubles: 1, failing_since: at, ..Counters::default() };
        let ended = Counters { runs: 1, last_success: 9, ..Counters::default() };
        let since = |counters: Counters| counters.failing_since_at().map(Timestamp::millis);
        assert_eq!(since(failed(5).plus(failed(7))), Some(5));
        assert_eq!(since(failed(5).plus(ended)), None);
        // The clock may have been set back in between, so the order of the runs counts, not their times.
        assert_eq!(since(ended.plus(failed(3)).plus(Counters::default())), Some(3));
    }

    #[test]
    fn a_newer_file_is_not_written_over_and_a_torn_one_begins_anew() {
        let older = Counters::read(b"{\"version\":1,\"applied\":7,\"last_success\":9}").unwrap();
        assert_eq!((older.applied, older.failing_since_at()), (7, None));
        assert_eq!(Counters::read(b"{\"version\":3,\"applied\":1,\"new\":3}"), None);
        assert_eq!(Counters::read(b"{\"version\":1,\"appl"), Some(Counters::default()));
        assert_eq!(Counters::read(b""), Some(Counters::default()));
        let full = Counters { applied: u64::MAX, fsync_us: u64::MAX, ..Counters::default() }.plus(Counters {
            merges: Durations { buckets: [u64::MAX; 13], sum_ms: u64::MAX },
            last_success: u64::MAX,
            failing_since: u64::MAX,
            ..Counters::default()
        });
        let bytes = serde_json::to_vec(&full).unwrap();
        assert!(bytes.len() < 2048, "far below what is read of it: {}", bytes.len());
        assert_eq!(Counters::read(&bytes), Some(full));
    }
}
