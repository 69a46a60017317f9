//! `uninstall`: takes out what `install` wrote.

use super::install;
use crate::failure::Failure;
use crate::world::World;

/// Take the wiring, or the schedule, out again
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    pub of: install::Args,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    install::undo(&args.of, world)
}
