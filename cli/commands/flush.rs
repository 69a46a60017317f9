//! `flush`: a session's buffer becomes jobs.

use crate::failure::Failure;
use crate::render;
use crate::speaker::{SpeakerFlags, speaker};
use crate::world::World;
use declaration::Timestamp;
use queue_layout::{Event, Happened, JobId, Noted, Queue, Session, What};

/// The session's buffer becomes jobs now
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub speaker: SpeakerFlags,
    /// The buffers of all sessions
    #[arg(long, conflicts_with_all = ["agent", "session"])]
    pub all: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let (sessions, whose) = if args.all {
        (queue.sessions()?, "all sessions".to_owned())
    } else {
        let speaker = speaker(&args.speaker, world, &queue)?;
        let whose = format!("{} ({})", super::plan::whose(&speaker), speaker.known_by);
        (vec![speaker.place], whose)
    };
    let mut flushed = Vec::new();
    for session in &sessions {
        flushed.extend(one(&queue, session, world.now())?);
    }
    if world.json {
        render::json(&serde_json::json!({ "flushed": flushed }))?;
        return Ok(0);
    }
    for id in &flushed {
        render::line(&id.to_string())?;
    }
    if flushed.is_empty() {
        render::line(&format!("{whose}: nothing was planned"))?;
    }
    Ok(0)
}

/// Flushes one buffer and writes down that it was. Whatever the writing down says, the jobs are durable.
pub fn one(queue: &Queue, session: &Session, now: Timestamp) -> Result<Vec<JobId>, Failure> {
    let flushed = session.flush()?;
    if !flushed.is_empty() {
        let noted =
            Noted { at: now, what: What::Flushed, detail: Some(flushed.len().to_string()), who: None };
        let _ = session.note(&[noted]);
        let _ = queue.journal(&events(&flushed, session.name(), now));
    }
    Ok(flushed)
}

/// The journal's lines for entries that became jobs.
pub fn events(flushed: &[JobId], by: &str, now: Timestamp) -> Vec<Happened> {
    let event = |id: &JobId| Happened { id: Some(*id), ..Happened::new(now, Event::Flushed).by(by) };
    flushed.iter().map(event).collect()
}
