//! `install` and `uninstall`: wires an agent to call us, or has the worker called, and undoes it.

use crate::args::Install;
use crate::failure::Failure;
use crate::install::schedule::Schedule;
use crate::install::{Plan, agent, carry_out};
use crate::world::World;

pub fn run(args: &Install, world: &World) -> Result<u8, Failure> {
    if Schedule::find(&args.what).is_none() {
        agent::find(&args.what)?;
    }
    // Without a home hooks would be silent for ever, and a schedule would fail every minute.
    world.queue()?;
    carry_out(world, &plan(args, world, true)?, args.yes)
}

pub fn undo(args: &Install, world: &World) -> Result<u8, Failure> {
    carry_out(world, &plan(args, world, false)?, args.yes)
}

fn plan(args: &Install, world: &World, install: bool) -> Result<Plan, Failure> {
    match Schedule::find(&args.what) {
        Some(schedule) => schedule.plan(world, args, install),
        None if args.watch || args.unconfined => {
            Err(Failure::new("--watch and --unconfined are for systemd").exit(crate::failure::Exit::Usage))
        }
        None => agent::plan(world, &args.what, args.project, install),
    }
}
