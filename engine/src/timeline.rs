//! The last day as figures over time, from the journal. Whoever shows it again and again keeps what was counted, and reads only
//! the lines that are new.

use crate::{Failure, Home};
use declaration::Timestamp;
use operator::{JournalTally, Status, Timeline};
use queue_layout::State;

/// A day in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// How far the journal was counted.
#[derive(Debug, Clone, Default)]
pub struct JournalFollower {
    tally: JournalTally,
    /// The day that is read; `None` before the first look.
    day: Option<String>,
    /// How many bytes of it were.
    read: u64,
}

impl Home {
    /// What happened in the last day, beside what waits now.
    ///
    /// # Errors
    /// A disk error.
    pub fn timeline(&self, status: &Status, follower: &mut JournalFollower) -> Result<Timeline, Failure> {
        self.follow_journal(follower)?;
        let mut in_queue = Vec::new();
        for state in [State::Pending, State::Deferred, State::Processing] {
            in_queue.extend(self.queue().scan(state)?.jobs.iter().map(|job| job.id));
        }
        let waits = |state| status.states.iter().find(|of| of.state == state).map_or(0, |of| of.count);
        let (failed, review) = (waits(State::Failed), waits(State::Review));
        Ok(follower.tally.timeline(&in_queue, failed, review, self.now()))
    }

    /// Counts what the journal says of the last day. A first look reads that of yesterday and today in pieces, which takes a while
    /// where much happened; later ones read what was written since.
    ///
    /// # Errors
    /// A disk error.
    pub fn follow_journal(&self, follower: &mut JournalFollower) -> Result<(), Failure> {
        let now = self.now();
        let yesterday = Timestamp(now.millis().saturating_sub(DAY_MS)).day();
        let mut day = follower.day.clone().filter(|day| *day >= yesterday).unwrap_or_else(|| {
            follower.read = 0;
            yesterday
        });
        loop {
            follower.read = self.count_lines(&mut follower.tally, &day, follower.read)?;
            if day >= now.day() {
                break;
            }
            (day, follower.read) = (now.day(), 0);
        }
        follower.day = Some(day);
        follower.tally.forget(now);
        Ok(())
    }

    /// Counts the lines of a day from here on; how far they reach.
    fn count_lines(&self, tally: &mut JournalTally, day: &str, mut from: u64) -> Result<u64, Failure> {
        loop {
            let (events, reached) = self.queue().journal().lines_from(day, from)?;
            if reached == from {
                return Ok(from);
            }
            events.iter().for_each(|event| tally.add(event));
            from = reached;
        }
    }
}
