//! Commands of sessions that are gone, where no hook of theirs could say what was changed: a commit was in the way, the home could not
//! be used, the agent was killed. A worker compares them.

use super::Running;
use super::compared::CLOCK_MS;
use crate::hook::{Call, Here, Seen};
use crate::{Failure, Home};
use agents::HookEvent;
use queue_layout::{QUIET_MS_MAX, QueueError, Session, has_ended};

impl Home {
    /// Compares what commands of sessions changed that ended, or were not heard of for `QUIET_MS_MAX`; `status` tells it. What was changed
    /// later than that is nobody's command's. Before anything is merged over it, and after what dead workers left is recovered.
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

    fn compare_left_by(&self, session: &Session) -> Result<(), QueueError> {
        if !session.has_running()? {
            return Ok(());
        }
        // Whoever holds it is alive, and comes to it.
        let Some(_held) = session.try_lock()? else { return Ok(()) };
        let Some(mut running) = session.running::<Running>()? else { return Ok(()) };
        let (now, log) = (self.now(), session.log()?);
        let heard = session.last_heard(&log)?.max(running.seen_at);
        let (has_ended, quiet_ms) = (has_ended(&log), now.since_ms(heard));
        if !has_ended && quiet_ms < QUIET_MS_MAX {
            return Ok(());
        }
        // A session that is only silent may go on: its own hooks compare again.
        let is_over = has_ended || quiet_ms >= super::CALL_MS_MAX;
        if running.is_due() {
            let Some(who) = running.who.clone() else { return Ok(()) };
            let Some(agent) = agents::find(&who.agent) else { return Ok(()) };
            if self.queue().sessions().of(&who.agent, &who.session).name() != session.name() {
                return Ok(());
            }
            let event = HookEvent { session: Some(who.session), ..HookEvent::default() };
            let cwd = who.cwd.as_deref().unwrap_or(&self.user_home);
            let here = Here { home: self, cwd, seen: &Seen::new(self) };
            let call = Call {
                agent,
                event: &event,
                here,
                unattended: &|| true,
                beside: &Vec::new,
                context_off: true,
            };
            let until = if has_ended { heard } else { heard.plus_ms(QUIET_MS_MAX) };
            let settings = call.guarding().ok().flatten();
            call.compare(self.queue(), settings.as_ref(), &mut running, Some(until.plus_ms(CLOCK_MS)));
            if is_over {
                running.calls.clear();
            }
            session.keep_running(&running, now)?;
        }
        if is_over && !running.is_due() && running.untold.is_empty() {
            session.forget_running()?;
        }
        Ok(())
    }
}
