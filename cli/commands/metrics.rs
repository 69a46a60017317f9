//! `metrics`: the queue in numbers, as text for Prometheus; and the same as a file, for node_exporter's textfile collector.

use crate::failure::Failure;
use crate::render;
use crate::world::World;
use durable::{Attributes, Disk};
use operator::Measured;
use policy::settings::Settings;
use queue_layout::Queue;
use std::path::PathBuf;

/// The queue in numbers, as text for Prometheus
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Others read it: node_exporter runs as a user of its own.
const TEXTFILE: Attributes = Attributes { mode: 0o644, owner: None };

pub fn run(_: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let (status, measured) = measure(world, &queue)?;
    if world.json {
        render::json(&serde_json::json!({ "counters": measured.counters, "watching": measured.watching,
            "blocked_documents": measured.blocked_documents, "status": status }))?;
    } else {
        render::line(operator::metrics(&status, &measured).trim_end())?;
    }
    Ok(0)
}

fn measure(world: &World, queue: &Queue) -> Result<(operator::Status, Measured), Failure> {
    let watching = world.disk.try_lock(&world.layout.watch_lock())?.is_none();
    let blocked_documents = operator::blocked_documents(queue)?;
    let measured = Measured { counters: queue.counters()?, blocked_documents, watching };
    Ok((super::status::look(world, queue)?, measured))
}

/// Writes the file that `metrics.textfile` names, whole or not at all.
pub fn write_textfile(world: &World, queue: &Queue, settings: &Settings) -> Result<(), Failure> {
    let Some(name) = &settings.metrics_textfile else { return Ok(()) };
    let path = match name.strip_prefix("~/") {
        Some(rest) => world.user_home.join(rest),
        None => PathBuf::from(name),
    };
    let (status, measured) = measure(world, queue)?;
    let text = operator::metrics(&status, &measured);
    // Not `*.prom`: half of it is never read. One run at a time writes, and a torn one is written over.
    let tmp = path.with_extension("prom.last-word-new");
    world.disk.remove(&tmp)?;
    world.disk.write_new(&tmp, text.as_bytes(), TEXTFILE)?;
    Ok(world.disk.replace(&tmp, &path)?)
}
