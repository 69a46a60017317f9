//! Turns at the queue: under the one lock of those who drain, until nothing is left that could be merged now.

use super::Drain;
use super::heart::Heart;
use crate::failure::Failure;
use crate::world::World;
use durable::Disk;
use policy::settings::Settings;
use queue_layout::{Happened, Listed, Queue, State};
use std::sync::atomic::{AtomicBool, Ordering};
use worker::Report;

/// What a worker takes its turns with.
pub struct Turns<'a> {
    pub world: &'a World,
    pub queue: Queue,
    pub threads: Option<usize>,
    pub wait_retries_ms: u64,
    /// Beside one that drains already.
    pub join: bool,
    pub stop: &'a AtomicBool,
    pub heart: &'a Heart,
}

/// How a turn ended.
pub enum Turn {
    /// Somebody else drains, and takes what waits.
    Busy,
    /// Nothing is left that could be merged now.
    Done(Report),
}

impl Turns<'_> {
    /// One turn. `again`: only a further look, which is worth no line in the journal when it finds nothing.
    pub fn take(&self, settings: &Settings, again: bool) -> Result<Turn, Failure> {
        let mut total = Report::default();
        let mut again = again;
        loop {
            let alone = match self.join {
                true => None,
                false => match self.world.disk.try_lock(&self.world.layout.run_lock())? {
                    Some(lock) => Some(lock),
                    None => return Ok(Turn::Busy),
                },
            };
            let drain = Drain {
                world: self.world,
                queue: self.queue.clone(),
                settings,
                only: None,
                threads: self.threads,
                wait_retries_ms: self.wait_retries_ms,
                again,
                stop: self.stop,
                heart: self.heart,
            };
            again = true;
            let report = drain.run()?;
            total = Report { next_due: None, ..total }.plus(report);
            drop(alone);
            // A hook that enqueued while we were ending found the lock taken and left its job to us. What still waits
            // after a drain that moved nothing is held, or somebody else's.
            if self.join || self.stop.load(Ordering::Relaxed) || !self.waits()? || report.handled() == 0 {
                return Ok(Turn::Done(total));
            }
        }
    }

    /// Whether something waits that nobody holds.
    fn waits(&self) -> Result<bool, Failure> {
        let holds = self.queue.holds()?;
        let free = |job: &Listed| !job.is_drop() && !holds.job(job.id) && !holds.hint(job.doc);
        Ok(!holds.queue() && self.queue.list(State::Pending)?.jobs.iter().any(free))
    }

    /// What the journal tells of is done already: that it cannot be written is said, and changes nothing.
    pub fn journal(&self, events: &[Happened]) {
        events.iter().for_each(crate::logs::happened);
        if let Err(e) = self.queue.journal(events) {
            super::warn(&e);
        }
    }
}
