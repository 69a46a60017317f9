//! `metrics`: the queue in numbers, as text for Prometheus.

use crate::failure::Failure;
use crate::render;
use crate::world::World;
use engine::output::Metrics;

/// The queue in numbers, as text for Prometheus
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let (status, measured) = world.measure(&world.cwd)?;
    if world.json {
        let operator::Measured { counters, watching, blocked_documents, .. } = measured;
        render::json(&Metrics { blocked_documents, counters, status, watching })?;
    } else {
        render::line(operator::metrics(&status, &measured).trim_end())?;
    }
    Ok(0)
}
