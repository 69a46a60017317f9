//! `flush`: a session's buffer becomes jobs.

use crate::{Failure, Home, Speaker};
use declaration::Timestamp;
use queue_layout::{Event, JobId, JournalEntry, Noted, Queue, Session, What, Who};

impl Home {
    /// What a session has planned becomes jobs, durable when this returns.
    ///
    /// # Errors
    /// A disk error; what became a job before stays one.
    pub fn flush(&self, speaker: &Speaker) -> Result<Vec<JobId>, Failure> {
        let queue = self.queue();
        session(queue, &speaker.place(queue), self.now())
    }

    /// The same for every session there is, whether it lives or not.
    ///
    /// # Errors
    /// As for `flush`.
    pub fn flush_all(&self) -> Result<Vec<JobId>, Failure> {
        let queue = self.queue();
        let mut flushed = Vec::new();
        for place in queue.sessions().all()? {
            flushed.extend(session(queue, &place, self.now())?);
        }
        Ok(flushed)
    }
}

/// Flushes one buffer and notes that it did. When that note cannot be written, the jobs are durable all the same.
pub(crate) fn session(queue: &Queue, session: &Session, now: Timestamp) -> Result<Vec<JobId>, Failure> {
    let flushed = session.flush()?;
    if !flushed.is_empty() {
        let noted = Noted { detail: Some(flushed.len().to_string()), ..Noted::new(now, What::Flushed) };
        let _ = session.note(&[noted]);
        let _ = queue.journal().write(&events(&flushed, session.name(), now));
    }
    Ok(flushed)
}

/// Flushes the sessions of this agent, in the same directory or project, that no hook ever reported: none will report their end,
/// either. A session that goes on after that can no longer take an entry back, and loses nothing else.
pub(crate) fn untold(queue: &Queue, who: &Who, now: Timestamp) -> Result<Vec<JobId>, Failure> {
    let own = format!("{}-", who.agent);
    let mut flushed = Vec::new();
    for place in queue.sessions().all()?.into_iter().filter(|place| place.name().starts_with(&own)) {
        if place.planned_count()? == 0 {
            continue;
        }
        let log = place.log()?;
        let is_same = |of: &Who| of.cwd == who.cwd || (of.project.is_some() && of.project == who.project);
        let is_here = |noted: &Noted| noted.who.as_ref().is_some_and(is_same);
        let by_commands = |noted: &Noted| matches!(noted.what, What::Planned | What::Flushed);
        if log.iter().any(is_here) && log.iter().all(by_commands) {
            flushed.extend(session(queue, &place, now)?);
        }
    }
    Ok(flushed)
}

/// The journal's lines for entries that became jobs.
pub(crate) fn events(flushed: &[JobId], by: &str, now: Timestamp) -> Vec<JournalEntry> {
    let event = |id: &JobId| JournalEntry { id: Some(*id), ..JournalEntry::new(now, Event::Flushed).by(by) };
    flushed.iter().map(event).collect()
}
