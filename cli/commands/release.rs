//! `release`: lets go what `hold` held.

use super::hold;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use serde_json::json;

/// Let go what is held
#[derive(Debug, clap::Args)]
#[command(after_help = "Without anything to release it lists what is held.")]
pub struct Args {
    #[command(flatten)]
    pub what: super::hold::Held,
    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let things = hold::things(&args.what, world, &queue)?;
    if things.is_empty() {
        return hold::list(world, &queue).map(|()| 0);
    }
    let who = world.who(args.reason.as_deref())?;
    let mut rows = Vec::new();
    let mut any = false;
    for thing in things {
        let was = operator::release(&queue, &thing, &who, world.now())?;
        any |= was;
        if !world.json {
            let said = if was { "released" } else { "was not held" };
            render::line(&format!("{said}: {}", hold::name(world, &thing)))?;
        }
        rows.push(json!({ "released": thing, "was_held": was }));
    }
    if world.json {
        return render::json(&rows).map(|()| 0);
    }
    if any {
        render::line("`last-word work` merges what waited")?;
    }
    if !queue.hold_notes()?.is_empty() {
        render::line("\nstill held:")?;
        hold::list(world, &queue)?;
    }
    Ok(0)
}
