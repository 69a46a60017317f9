//! `schema`: the JSON Schema of a declaration, as YAML or JSON.

use crate::failure::Failure;
use crate::render;
use crate::world::World;
use engine::output::PrintedSchema;
use engine::{schema, schema_text};

/// Print the JSON Schema of a declaration
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, world: &World) -> Result<u8, Failure> {
    if world.json {
        render::json(&PrintedSchema(schema()?))?;
    } else {
        render::line(schema_text()?.trim_end())?;
    }
    Ok(0)
}
