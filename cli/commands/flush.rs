//! `flush`: a session's buffer becomes jobs.

use crate::failure::Failure;
use crate::progress;
use crate::render;
use crate::speaker::{SpeakerFlags, speaker};
use crate::world::World;
use engine::output::Flushed;

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
    world.check()?;
    let (flushed, whose) = if args.all {
        let flushed = progress::waiting("making jobs of what was planned", || world.flush_all())?;
        (flushed, "all sessions".to_owned())
    } else {
        let speaker = speaker(&args.speaker, world)?;
        let flushed = progress::waiting("making jobs of what was planned", || world.flush(&speaker))?;
        (flushed, format!("{} ({})", speaker.describe(), speaker.known_by))
    };
    if world.json {
        render::json(&Flushed { flushed })?;
        return Ok(0);
    }
    for id in &flushed {
        render::line(&id.to_string())?;
    }
    if flushed.is_empty() {
        render::say(&format!("{whose}: nothing was planned"))?;
    }
    Ok(0)
}
