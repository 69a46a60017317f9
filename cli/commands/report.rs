//! `report`: the overview and what waits, as one HTML file for who only passes by.

use crate::failure::Failure;
use crate::progress;
use crate::render;
use crate::world::World;
use durable::{Attributes, Disk};
use engine::Exit;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Write the overview and what waits as one HTML file, with nothing to click
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file; a report that is there is written over, whole or not at all, and nothing else is. - prints it
    #[arg(long, value_name = "FILE", required = true)]
    pub html: PathBuf,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let html = progress::waiting("looking at everything", || ::page::report(&world.home, &world.cwd))?;
    if args.html.as_os_str() == "-" {
        render::data(&html)?;
        return Ok(0);
    }
    let path = world.cwd.join(&args.html);
    check_target(world, &path)?;
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

/// What to do instead.
const NEW_FILE: &str = "name a new file: last-word report --html report.html";
/// What every report of ours has in its first lines.
const TITLE: &[u8] = b"<title>last-word, ";
/// As far as that is looked for, in bytes.
const BEGINNING: usize = 4096;
/// A file that is longer is no report.
const LEN_MAX: u64 = 64 << 20;

/// Refuses a file that is there and no report, a managed document, and everything in the home: an agent may call this, too.
fn check_target(world: &World, path: &Path) -> Result<(), Failure> {
    let refused = |why: &str| {
        let message = format!("{} {why}", world.short(path));
        Failure::new(message).hint(NEW_FILE).exit(Exit::Usage)
    };
    world.check_written(path, NEW_FILE)?;
    match world.disk.read(path, LEN_MAX) {
        Ok(bytes) => {
            let beginning = &bytes[..bytes.len().min(BEGINNING)];
            let is_one = beginning.windows(TITLE.len()).any(|part| part == TITLE);
            if is_one { Ok(()) } else { Err(refused("is there already and is no report of last-word")) }
        }
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        Err(_) => Err(refused("is there already and cannot be read as a report of last-word")),
    }
}
