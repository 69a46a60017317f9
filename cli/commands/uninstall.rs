//! `uninstall`: takes out what `install` wrote.

use super::install;
use crate::failure::Failure;
use crate::install::carry_out;
use crate::world::World;

/// Take the wiring, or the schedule, out again
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    pub of: install::Args,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let plan = install::plan(&args.of, world, false)?;
    world.who("uninstall", None)?;
    carry_out(world, &plan, args.of.yes)
}
