//! `release`: lets go what `hold` held.

use super::hold;
use crate::failure::Failure;
use crate::render;
use crate::world::World;

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
    world.check()?;
    let things = hold::things(&args.what, world)?;
    if things.is_empty() {
        return hold::list(world).map(|()| 0);
    }
    let who = world.who(args.reason.as_deref())?;
    let mut rows = Vec::new();
    for thing in things {
        let released = world.release(thing, &who)?;
        if !world.json {
            let said = if released.was_held { "released" } else { "was not held" };
            render::line(&format!("{said}: {}", hold::name(world, &released.released)))?;
        }
        rows.push(released);
    }
    if world.json {
        return render::json_sorted(&rows).map(|()| 0);
    }
    let any = rows.iter().any(|row| row.was_held);
    if any {
        render::line("`last-word work` merges what waited")?;
    }
    if !world.holds()?.is_empty() {
        render::line("\nstill held:")?;
        hold::list(world)?;
    }
    Ok(0)
}
