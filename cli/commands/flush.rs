//! `flush`: a session's buffer becomes jobs.

use crate::args::Flush;
use crate::failure::Failure;
use crate::render;
use crate::speaker::speaker;
use crate::world::World;
use engine::output::Flushed;

pub fn run(args: &Flush, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let (flushed, whose) = if args.all {
        (world.flush_all()?, "all sessions".to_owned())
    } else {
        let speaker = speaker(&args.speaker, world)?;
        (world.flush(&speaker)?, format!("{} ({})", speaker.describe(), speaker.known_by))
    };
    if world.json {
        render::json(&Flushed { flushed })?;
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
