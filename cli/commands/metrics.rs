//! `metrics`: the queue in numbers, as text for Prometheus.

use crate::failure::Failure;
use crate::render;
use crate::world::World;

/// The queue in numbers, as text for Prometheus
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    if world.json {
        render::json(&world.metrics(&world.cwd)?)?;
    } else {
        render::data(&format!("{}\n", world.metrics_text(&world.cwd)?.trim_end()))?;
    }
    Ok(0)
}
