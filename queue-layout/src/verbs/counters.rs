//! What was counted since the home was made: totals that only grow, for whoever draws curves of them. Not synced and
//! nothing is decided by them: a power cut may set them back, as a restart sets back those of any program.

use super::WorkerVerbs;
use crate::Queue;
use crate::error::Result;
use declaration::Timestamp;
use serde::{Deserialize, Serialize};

/// The version of the file.
pub const COUNTERS_VERSION: u32 = 2;

/// Upper bounds of the histogram's buckets, in milliseconds; one bucket more is for what took longer.
pub const BOUNDS_MS: [u64; 12] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 30_000];

/// How long things took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Durations {
    /// How many took no longer than each bound and longer than the one before; the last: longer than all.
    pub buckets: [u64; BOUNDS_MS.len() + 1],
    /// All of them together, in milliseconds.
    pub sum_ms: u64,
}

impl Durations {
    /// One more.
    pub fn add(&mut self, took_ms: u64) {
        let at = BOUNDS_MS.iter().position(|bound| took_ms <= *bound).unwrap_or(BOUNDS_MS.len());
        self.buckets[at] += 1;
        self.sum_ms = self.sum_ms.saturating_add(took_ms);
    }

    /// Both together.
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
    /// Jobs whose document said it already.
    pub unchanged: u64,
    /// Jobs that failed for a person to look at.
    pub failed: u64,
    /// Jobs that were put before a person for a yes.
    pub review: u64,
    /// Attempts that are made again later.
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
    /// These, and then `other`: sums, and the later time.
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
        match self.disk.read(&self.layout.lock("counters"), 4096) {
            Ok(bytes) => Ok(Counters::read(&bytes).unwrap_or_default()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Counters::default()),
            Err(e) => Err(e.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_in_the_first_bucket_that_holds_it() {
        let mut durations = Durations::default();
        [0, 1, 2, 3, 30_000, 30_001].into_iter().for_each(|ms| durations.add(ms));
        assert_eq!(durations.buckets, [2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(durations.plus(durations).sum_ms, 2 * 60_007);
    }

    #[test]
    fn runs_fail_since_the_first_that_failed_until_one_ends_well() {
        let failed = |at| Counters { troubles: 1, failing_since: at, ..Counters::default() };
        let ended = Counters { runs: 1, last_success: 9, ..Counters::default() };
        let since = |counters: Counters| counters.failing_since_at().map(Timestamp::millis);
        assert_eq!(since(failed(5).plus(failed(7))), Some(5));
        assert_eq!(since(failed(5).plus(ended)), None);
        // The clock was set back in between: the order of the runs decides.
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
