//! What is old enough to go, decided by names and the time alone; and its going, in bounded steps, so that a worker can
//! take one at the end of each run.

use declaration::{Timestamp, counted};
use documents::{DocumentError, Documents};
use policy::settings::Retention;
use queue_layout::{Event, JournalEntry, Pruned, Queue, Result};
use serde::Serialize;

/// What is old enough to go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PrunePlan {
    /// Days of `done/`: the receipts, and the keys that lead to them.
    pub done: Vec<String>,
    /// Days of the journal.
    pub journal: Vec<String>,
}

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The days that are older than they are kept: their last moment is.
#[must_use]
pub fn plan_prune(
    now: Timestamp,
    retention: &Retention,
    done_days: &[String],
    journal_days: &[String],
) -> PrunePlan {
    PrunePlan {
        done: old(now, retention.done_ms, done_days),
        journal: old(now, retention.journal_ms, journal_days),
    }
}

fn old(now: Timestamp, kept_ms: u64, days: &[String]) -> Vec<String> {
    let ended =
        |day: &String| Timestamp::parse(&format!("{day}T00:00:00Z")).map(|begin| begin.plus_ms(DAY_MS));
    // Today is never old, however short the retention: jobs that end today are still looked up.
    let is_old = |day: &&String| ended(day).is_some_and(|end| end <= now && end.plus_ms(kept_ms) <= now);
    days.iter().filter(is_old).cloned().collect()
}

/// What would go now.
///
/// # Errors
/// A disk error.
pub fn look_for_old(queue: &Queue, now: Timestamp, retention: &Retention) -> Result<PrunePlan> {
    Ok(plan_prune(now, retention, &queue.done_days()?, &queue.journal().days()?))
}

/// Clears away at most about `files_max` files of what is old, oldest first. The second value is whether more is left.
///
/// # Errors
/// A disk error: what is not cleared stays for the next time.
pub fn prune_some(
    queue: &Queue,
    now: Timestamp,
    retention: &Retention,
    files_max: usize,
) -> Result<(Pruned, bool)> {
    let plan = look_for_old(queue, now, retention)?;
    let mut pruned = Pruned::default();
    for day in &plan.journal {
        pruned.journals += usize::from(queue.journal().prune(day)?);
    }
    let mut room = files_max;
    let mut left = false;
    for day in &plan.done {
        if room == 0 {
            left = true;
            break;
        }
        let done = queue.operator().prune_done(day, room)?;
        room -= done.receipts.min(room);
        pruned = pruned.plus(done);
    }
    queue.sessions().trim_records()?;
    for held in queue.operator().stale_holds()? {
        pruned.holds += usize::from(queue.operator().unhold(&held)?);
    }
    Ok((pruned, left || room == 0))
}

/// Removes earlier texts beyond what is kept, of every document; `keep` says how many of the document with that key.
/// The log of each document stays, and with it what `blame` needs.
///
/// # Errors
/// A disk error.
pub fn prune_texts(
    documents: &Documents,
    keep: &dyn Fn(&str) -> u32,
    dry_run: bool,
) -> std::result::Result<usize, DocumentError> {
    let mut pruned = 0;
    for history in documents.histories()? {
        // The newest is what the last commit displaced: a recovery may still ask for it.
        pruned += documents.prune_history(&history, keep(&history.key).max(1), dry_run)?;
    }
    Ok(pruned)
}

/// Writes down what was cleared away.
pub fn tell_pruned(queue: &Queue, pruned: &Pruned, by: &str, now: Timestamp) {
    if !pruned.is_nothing() {
        let event = JournalEntry::new(now, Event::Pruned).by(by).saying(None, pruned_sentence(pruned));
        // What was done is done; a journal that cannot be written changes nothing of it.
        let _ = queue.journal().write(&[event]);
    }
}

/// In words.
#[must_use]
pub fn pruned_sentence(pruned: &Pruned) -> String {
    format!(
        "{}, {}, {} of the journal, {}, {} of ended jobs",
        counted(pruned.receipts, "receipt"),
        counted(pruned.keys, "key"),
        counted(pruned.journals, "day"),
        counted(pruned.texts, "earlier text"),
        counted(pruned.holds, "hold")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_goes_when_its_last_moment_is_older_than_it_is_kept() {
        let retention = Retention { done_ms: 2 * DAY_MS, journal_ms: 0, snapshots: 5 };
        let days: Vec<String> =
            ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22", "2027-01-01", "keep"]
                .map(String::from)
                .into();
        let now = |text: &str| Timestamp::parse(text).unwrap();
        let plan = plan_prune(now("2026-11-22T23:59:59Z"), &retention, &days, &days);
        assert_eq!(plan.done, ["2026-11-19"]);
        assert_eq!(plan.journal, ["2026-11-19", "2026-11-20", "2026-11-21"], "never today's");
        let plan = plan_prune(now("2026-11-23T00:00:00Z"), &retention, &days, &[]);
        assert_eq!(plan.done, ["2026-11-19", "2026-11-20"]);
        assert_eq!(
            plan_prune(Timestamp(0), &retention, &days, &days),
            PrunePlan::default(),
            "a clock that lost its battery"
        );
    }
}
