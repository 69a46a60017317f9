//! One decision about many jobs. A signal stops it between two steps.

use crate::commands::work::stop_on_signals;
use crate::failure::{Exit, Failure};
use crate::render;
use crate::world::World;
use engine::Decisions;

/// Decisions that SIGINT and SIGTERM stop. Jobs that are left then are counted as not decided.
pub fn until_a_signal(decisions: Decisions) -> Result<Decisions, Failure> {
    Ok(decisions.controlled(&stop_on_signals()?))
}

/// Says that a signal came before all were decided.
pub fn stopped(not_asked: usize, world: &World) -> Result<u8, Failure> {
    if !world.json {
        render::tell(&format!("stopped by a signal; say the same again to go on with the {not_asked}"));
    }
    Ok(Exit::TryAgain.code())
}
