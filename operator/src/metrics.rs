//! The queue in numbers, in the text format of Prometheus. The names are a promise: docs/METRICS.md lists them, and a test
//! holds the two together.

use crate::Status;
use declaration::Timestamp;
use queue_layout::{BOUNDS_MS, Counters, DocKey, Durations, Listed, Queue, Result, State};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What is measured at a moment, besides what `status` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// The totals.
    pub counters: Counters,
    /// Documents whose first waiting job is held, or waits for its next attempt.
    pub blocked_documents: usize,
    /// Whether a `work --watch` lives.
    pub watching: bool,
}

/// Documents whose first waiting job is held, or waits for its next attempt: everything behind it waits too.
///
/// # Errors
/// A disk error.
pub fn blocked_documents(queue: &Queue) -> Result<usize> {
    let holds = queue.holds()?;
    let (scan, _) = queue.list_runnable()?;
    let mut first: BTreeMap<DocKey, &Listed> = BTreeMap::new();
    for job in scan.jobs.iter().filter(|job| !job.is_drop()) {
        let known = first.entry(job.doc).or_insert(job);
        if job.id < known.id {
            *known = job;
        }
    }
    let is_held = |job: &Listed| holds.queue() || holds.hint(job.doc) || holds.job(job.id);
    Ok(first.values().filter(|job| job.due.is_some() || is_held(job)).count())
}

/// All of it, as text.
#[must_use]
pub fn metrics(status: &Status, measured: &Measured) -> String {
    let mut page = MetricsText::default();
    page.gauges(status, measured);
    page.totals(&measured.counters);
    page.text
}

#[derive(Default)]
struct MetricsText {
    text: String,
}

impl MetricsText {
    fn gauges(&mut self, status: &Status, measured: &Measured) {
        self.head("last_word_jobs", "gauge", "Jobs by state.");
        for of in status.states.iter().filter(|of| of.state != State::Done) {
            self.sample("last_word_jobs", &format!("{{state=\"{}\"}}", of.state.as_str()), of.count);
        }
        let waiting = |state| move |of: &&crate::StateCount| of.state == state;
        let oldest = |state| status.states.iter().find(waiting(state)).and_then(|of| of.oldest);
        let age = |at: Option<Timestamp>| at.map_or(0, |at| status.at.since_ms(at) / 1000);
        self.gauge(
            "last_word_oldest_pending_seconds",
            "Age of the oldest job that can be merged, 0 when there is none.",
            age(oldest(State::Pending)),
        );
        self.gauge(
            "last_word_stalled_seconds",
            "Since when a job waits with nothing in its way, 0 when none does: no worker comes.",
            age(status.stalled),
        );
        self.gauge(
            "last_word_blocked_documents",
            "Documents whose first waiting job is held or waits for its next attempt.",
            measured.blocked_documents,
        );
        self.gauge("last_word_held", "Holds: of the queue, of documents, of jobs.", status.held.len());
        self.gauge(
            "last_word_needs_somebody",
            "1 when somebody is needed: what `status --check` says.",
            u8::from(status.needs_somebody),
        );
        self.gauge(
            "last_word_dead_claims",
            "Jobs that a dead worker had in hand: the next run recovers them.",
            status.dead_jobs,
        );
        self.gauge(
            "last_word_failing_seconds",
            "Since when trouble of the machine ended every run, 0 when the last one ended well.",
            // At least 1, also in the first second: 0 says that the last run ended well.
            status.failing_since.map_or(0, |since| (status.at.since_ms(since) / 1000).max(1)),
        );
        self.gauge(
            "last_word_space_short",
            "1 when the disk of the home is full, out of inodes or read-only, or will be soon.",
            u8::from(status.shortage.is_some()),
        );
        self.gauge("last_word_watching", "1 while a `work --watch` lives.", u8::from(measured.watching));
        let last = measured.counters.last_success_at().map_or(0, |at| at.millis() / 1000);
        self.gauge(
            "last_word_last_success_timestamp_seconds",
            "When a run ended well last, 0 for never.",
            last,
        );
    }

    fn totals(&mut self, counters: &Counters) {
        self.head("last_word_jobs_total", "counter", "What became of jobs.");
        let outcomes = [
            ("applied", counters.applied),
            ("unchanged", counters.unchanged),
            ("failed", counters.failed),
            ("review", counters.review),
            ("retried", counters.retried),
            ("poisoned", counters.poisoned),
        ];
        for (outcome, count) in outcomes {
            self.sample("last_word_jobs_total", &format!("{{outcome=\"{outcome}\"}}"), count);
        }
        self.head(
            "last_word_runs_total",
            "counter",
            "Runs of workers, and those that trouble of the machine ended.",
        );
        self.sample("last_word_runs_total", "{result=\"ok\"}", counters.runs);
        self.sample("last_word_runs_total", "{result=\"trouble\"}", counters.troubles);
        self.counter(
            "last_word_recovered_claims_total",
            "Jobs a dead worker had in hand, given back or ended by a later one.",
            counters.recovered,
        );
        self.counter(
            "last_word_duplicates_total",
            "Enqueues whose key was known already: nothing was added.",
            counters.duplicates,
        );
        self.histogram(&counters.merges);
        self.counter("last_word_fsyncs_total", "Calls of fsync by workers.", counters.fsyncs);
        self.head("last_word_fsync_seconds_total", "counter", "What those calls took together.");
        let us = counters.fsync_us;
        self.sample("last_word_fsync_seconds_total", "", format!("{}.{:06}", us / 1_000_000, us % 1_000_000));
    }

    fn histogram(&mut self, merges: &Durations) {
        const NAME: &str = "last_word_merge_duration_seconds";
        self.head(NAME, "histogram", "One document's jobs, from their claims to their receipts.");
        let mut count = 0;
        for (bound, bucket) in BOUNDS_MS.iter().zip(merges.buckets) {
            count += bucket;
            self.sample(&format!("{NAME}_bucket"), &format!("{{le=\"{}\"}}", seconds(*bound)), count);
        }
        count += merges.buckets[BOUNDS_MS.len()];
        self.sample(&format!("{NAME}_bucket"), "{le=\"+Inf\"}", count);
        self.sample(&format!("{NAME}_sum"), "", seconds(merges.sum_ms));
        self.sample(&format!("{NAME}_count"), "", count);
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl std::fmt::Display) {
        self.head(name, "gauge", help);
        self.sample(name, "", value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, "counter", help);
        self.sample(name, "", value);
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing into a String does not fail.
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.text, "{name}{labels} {value}");
    }
}

/// Milliseconds as seconds, without a trailing zero.
fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_as_seconds() {
        let said: Vec<String> = [0, 1, 20, 1000, 1500, 30_000].map(seconds).into();
        assert_eq!(said, ["0", "0.001", "0.02", "1", "1.5", "30"]);
    }

    #[test]
    fn a_histogram_counts_upwards() {
        let mut merges = Durations::default();
        [1, 3, 60_000].into_iter().for_each(|ms| merges.add(ms));
        let mut page = MetricsText::default();
        page.histogram(&merges);
        let of = |le: &str| {
            let begin = format!("last_word_merge_duration_seconds_bucket{{le=\"{le}\"}} ");
            page.text.lines().find_map(|line| line.strip_prefix(&begin)).map(str::to_owned)
        };
        assert_eq!(
            (of("0.001"), of("0.005"), of("30"), of("+Inf")),
            (Some("1".into()), Some("2".into()), Some("2".into()), Some("3".into()))
        );
        assert!(
            page.text.ends_with("_sum 60.004\nlast_word_merge_duration_seconds_count 3\n"),
            "{}",
            page.text
        );
    }
}
