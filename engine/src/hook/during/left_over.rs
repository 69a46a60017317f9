//! Commands of sessions that are gone, where no hook of theirs could say what was changed: a commit was in the way, the home could not
//! be used, the agent was killed. A worker compares them.

use super::Running;
use crate::hook::{Call, Here, Seen};
use crate::{Failure, Home};
use agents::HookEvent;
use queue_layout::{QUIET_MS_MAX, Session, has_ended};

impl Home {
    /// Compares what commands of sessions changed that ended, or were not heard of for `QUIET_MS_MAX`; `status` tells it. Before anything
    /// is merged over it, and after what dead workers left is recovered.
    ///
    /// # Errors
    /// The machine is in trouble. A session that our user may not look into is passed over.
    pub(crate) fn compare_left_over(&self) -> Result<(), Failure> {
        for session in self.queue().sessions().all()? {
            match self.compare_left_by(&session) {
                Err(e) if e.is_machine_trouble() => return Err(e.into()),
                _ => {}
            }
        }
        Ok(())
    }

    fn compare_left_by(&self, session: &Session) -> Result<(), queue_layout::QueueError> {
        let Some(mut running) = session.running::<Running>()? else { return Ok(()) };
        let (now, log) = (self.now(), session.log()?);
        let quiet_ms = now.since_ms(session.last_heard(&log)?.max(running.seen_at));
        let has_ended = has_ended(&log);
        let agent = running.who.as_ref().and_then(|who| agents::find(&who.agent));
        if !has_ended && quiet_ms < QUIET_MS_MAX {
            return Ok(());
        }
        if let Some((agent, who)) = agent.zip(running.who.take()).filter(|_| running.is_due()) {
            let event = HookEvent { session: Some(who.session), ..HookEvent::default() };
            let cwd = who.cwd.as_deref().unwrap_or(&self.user_home);
            let here = Here { home: self, cwd, seen: &Seen::new(self) };
            Call { agent, event: &event, here, unattended: &|| true, context_off: true }.commands_ended();
        } else if (has_ended || quiet_ms >= super::CALL_MS_MAX) && running.untold.is_empty() {
            // Nothing is to be compared any more, and nobody asks again.
            session.forget_running()?;
        }
        Ok(())
    }
}
