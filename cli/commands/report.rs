//! `report`: the overview and what waits, as one HTML file for who only passes by.

use crate::failure::Failure;
use crate::progress;
use crate::render;
use crate::world::World;
use durable::{Attributes, Disk};
use std::path::PathBuf;

/// Write the overview and what waits as one HTML file, with nothing to click
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file; one that is there is written over, whole or not at all. - prints it
    #[arg(long, value_name = "FILE", required = true)]
    pub html: PathBuf,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let html = progress::waiting("looking at everything", || ::page::report(&world.home, &world.cwd))?;
    if args.html.as_os_str() == "-" {
        render::write(&html)?;
        return Ok(0);
    }
    let path = world.cwd.join(&args.html);
    let mut beside = path.clone().into_os_string();
    beside.push(".last-word-new");
    let beside = PathBuf::from(beside);
    // Half of one that was killed.
    world.disk.remove(&beside)?;
    // What waits may be nobody else's to read.
    world.disk.write_new(&beside, html.as_bytes(), Attributes::PRIVATE)?;
    world.disk.replace(&beside, &path)?;
    if !world.json {
        render::say(&format!("wrote {}", world.short(&path)))?;
    }
    Ok(0)
}
