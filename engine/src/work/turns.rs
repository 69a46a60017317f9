//! Turns at the queue: under the one lock of those who drain, until nothing is left that could be merged now.

use super::configured::Configured;
use super::drain::Drain;
use super::{Turn, Worker};
use crate::Failure;
use queue_layout::{Listed, State};
use std::sync::OnceLock;
use worker::Report;

impl Worker {
    /// One turn. `again`: only a further look, which is worth no line in the journal when it finds nothing.
    /// It ends early where the settings changed meanwhile: what is left is for the new ones.
    pub(crate) fn turn(&self, configured: &Configured, again: bool) -> Result<Turn, Failure> {
        let settings = &*self.home.bound(&configured.settings);
        let changed = || configured.changed(&self.home);
        let mut total = Report::default();
        let mut again = again;
        let mut further = false;
        loop {
            let alone = match self.join {
                true => None,
                false => match self.home.disk.try_lock(&self.home.layout.run_lock())? {
                    Some(lock) => Some(lock),
                    None => return Ok(Turn::Busy),
                },
            };
            let report = Drain {
                worker: self,
                settings,
                changed: &changed,
                only: None,
                again,
                further,
                others: OnceLock::new(),
            }
            .run()?;
            (again, further) = (true, true);
            total = Report { next_due: None, ..total }.plus(report);
            drop(alone);
            // A hook that enqueued while we were ending found the lock taken and left its job to us. What still waits
            // after a drain that moved nothing is held, or somebody else's.
            let ends = self.join || self.control.is_stopped() || changed();
            if ends || !self.waits()? || report.handled() == 0 {
                // Without the lock, and once for all drains: another worker need not wait for a cache.
                if settings.recall.auto > 0 && total.applied > 0 || settings.embeddings.is_some() {
                    let is_stopped = || self.control.is_stopped();
                    self.home.keep_index_fresh(&self.caller.cwd, settings, &is_stopped);
                }
                return Ok(Turn::Done(total));
            }
        }
    }

    /// Whether something waits that nobody holds.
    fn waits(&self) -> Result<bool, Failure> {
        let queue = self.home.queue();
        let holds = queue.holds()?;
        let free = |job: &Listed| !job.is_drop() && !holds.job(job.id) && !holds.hint(job.doc);
        Ok(!holds.queue() && queue.list(State::Pending)?.jobs.iter().any(free))
    }
}
