//! `release`: lets go what `hold` held.

use super::hold;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use queue_layout::{HeldThing, State};

/// Let go what is held
#[derive(Debug, clap::Args)]
#[command(after_help = "Without anything to release it lists what is held.")]
pub struct Args {
    #[command(flatten)]
    pub what: super::hold::HoldTargets,
    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let things = hold::things(&args.what, world)?;
    if things.is_empty() {
        return hold::list(world).map(|()| 0);
    }
    let who = world.who("release", args.reason.as_deref())?;
    let mut rows = Vec::new();
    for thing in things {
        let released = world.release(thing, &who)?;
        if !world.json {
            let name = hold::name(world, &released.released);
            render::say(&match (released.was_held, &released.released) {
                (true, _) => format!("released: {name}"),
                (false, HeldThing::Queue) => "there is no hold on the whole queue".to_owned(),
                (false, _) => format!("was not held: {name}"),
            })?;
        }
        rows.push(released);
    }
    if world.json {
        return render::json_sorted(&rows).map(|()| 0);
    }
    let any = rows.iter().any(|row| row.was_held);
    let waits = |state| world.jobs_in(state).is_ok_and(|jobs| !jobs.is_empty());
    if any && (waits(State::Pending) || waits(State::Deferred)) {
        render::say("`last-word work` merges what waits")?;
    }
    if !world.holds()?.is_empty() {
        render::say("\nstill held:")?;
        hold::list(world)?;
    }
    Ok(0)
}
