//! `export`: writes what is remembered as files that other programs read.

use crate::failure::{self, Failure};
use crate::progress;
use crate::render;
use crate::world::World;
use engine::{Exit, Exportable};
use std::path::{Path, PathBuf};

/// Write what is remembered as files that other programs read; nothing here is changed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is written are the items that hold: kind, text, tags, day and the lines below; with jsonl also the time, how sure their
author was, and whose word they are. `last-word adopt --from DIR` reads each format back as the same items.
Exit codes: 0 all of them, 1 could not, or not all: a document could not be read and is named.

Examples:
  last-word export --format jsonl > memory.jsonl
  last-word export --format claude --to ~/exported         a CLAUDE.md
  last-word export --format basic-memory --to ~/exported   notes, one for each month"
)]
pub struct Args {
    /// As what they are written
    #[arg(long, value_name = "FORMAT", value_parser = ["basic-memory", "jsonl", "claude", "agents-md"])]
    pub format: String,
    /// The folder that the files are written to; no file is written over [default: standard output]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let look = || world.exportable(&args.format, &world.cwd);
    let exportable = progress::waiting("reading the items", look)?;
    match &args.to {
        Some(folder) => into_folder(folder, &exportable, world)?,
        None => to_output(args, &exportable, world)?,
    }
    // Who takes an export for all there is, and moves to another machine with it, would lose the rest unseen.
    render::tell_unread(&exportable.unread);
    Ok(if exportable.unread.is_empty() { 0 } else { failure::COULD_NOT })
}

fn into_folder(folder: &Path, exportable: &Exportable, world: &World) -> Result<(), Failure> {
    let write = || world.export(exportable, &world.cwd.join(folder));
    let exported = progress::waiting("writing the files", write)?;
    if world.json {
        return render::json(&exported);
    }
    for path in &exported.files {
        render::line(&world.short(path))?;
    }
    let items = render::count(exported.items, "item");
    render::say(&format!("{items}; `last-word adopt --from {}` reads them back", folder.display()))?;
    if exported.tasks > 0 {
        render::say(&format!("not among them: {}", render::count(exported.tasks, "task")))?;
    }
    Ok(())
}

fn to_output(args: &Args, exportable: &Exportable, world: &World) -> Result<(), Failure> {
    if world.json || exportable.files.len() > 1 || args.format == "basic-memory" {
        let message = match world.json {
            true => "with --json the files need a folder",
            false => "these are several files",
        };
        return Err(Failure::new(message).hint("name a folder with --to").exit(Exit::Usage));
    }
    exportable.files.first().map_or(Ok(()), |(_, text)| render::data(text))?;
    if exportable.tasks > 0 {
        render::tell_line(format!("not among them: {}", render::count(exportable.tasks, "task")));
    }
    Ok(())
}
