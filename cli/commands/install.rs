//! `install` and `uninstall`: wires an agent to call us, and undoes it.

use crate::args::Install;
use crate::failure::Failure;
use crate::install::{agent, carry_out};
use crate::world::World;

pub fn run(args: &Install, world: &World) -> Result<u8, Failure> {
    agent::find(&args.what)?;
    // Hooks without a home would be silent for ever.
    world.queue()?;
    carry_out(world, &agent::plan(world, &args.what, args.project, true)?, args.yes)
}

pub fn undo(args: &Install, world: &World) -> Result<u8, Failure> {
    carry_out(world, &agent::plan(world, &args.what, args.project, false)?, args.yes)
}
