//! What `install` and `uninstall` share whatever is wired: changes of files as values, shown as a diff, written whole. A
//! thing more that can be installed is one file that answers a `Plan`.

pub mod agent;

use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use durable::{Attributes, Disk};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// What would be done.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files that would change, those that would not left out.
    pub changes: Vec<Change>,
    /// What a person must know or do afterwards.
    pub afterwards: Vec<String>,
}

/// One file's change.
#[derive(Debug)]
pub struct Change {
    /// The file as it is named; a link is kept.
    pub path: PathBuf,
    /// What it says now; `None` when it is not there.
    pub before: Option<String>,
    /// What it shall say; `None` to remove it.
    pub after: Option<String>,
    /// The mode of a new file.
    pub mode: u32,
}

/// Largest configuration that is edited, in bytes.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// What a file says; `None` when it is not there.
pub fn read(world: &World, path: &Path) -> Result<Option<String>, Failure> {
    match world.disk.read(path, FILE_BYTES_MAX) {
        Ok(bytes) => {
            String::from_utf8(bytes).map(Some).map_err(|_| refused(world, path, "it is not UTF-8 text"))
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// A file that is not touched, because we do not understand it.
pub fn refused(world: &World, path: &Path, why: &str) -> Failure {
    Failure::new(format!("{} cannot be edited: {why}", world.short(path)))
        .hint("mend it and run this again; nothing was written")
}

/// Shows a plan, asks, and carries it out.
pub fn carry_out(world: &World, plan: &Plan, yes: bool) -> Result<u8, Failure> {
    let changes: Vec<&Change> = plan.changes.iter().filter(|change| change.before != change.after).collect();
    if changes.is_empty() {
        return done(world, &changes, plan, "nothing to do: it is as it should be");
    }
    if !world.json {
        for change in &changes {
            let (before, after) = (change.before.as_deref(), change.after.as_deref());
            let name = world.short(&change.path);
            render::line(&operator::unified_diff(
                before.unwrap_or_default(),
                after.unwrap_or_default(),
                &name,
            ))?;
        }
    }
    if !yes && !agreed(world)? {
        return Err(Failure::new("nothing was written").hint("--yes writes it without asking"));
    }
    for change in &changes {
        write(world, change)?;
    }
    done(world, &changes, plan, "")
}

fn agreed(world: &World) -> Result<bool, Failure> {
    if !world.interactive() {
        return Ok(false);
    }
    eprint!("write this? [y/N] ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn done(world: &World, changes: &[&Change], plan: &Plan, nothing: &str) -> Result<u8, Failure> {
    if world.json {
        let paths = |removed: bool| -> Vec<&PathBuf> {
            changes
                .iter()
                .filter(|change| change.after.is_none() == removed)
                .map(|change| &change.path)
                .collect()
        };
        let value = serde_json::json!({ "written": paths(false), "removed": paths(true), "afterwards": plan.afterwards });
        render::json(&value)?;
        return Ok(0);
    }
    if !nothing.is_empty() {
        return render::line(nothing).map(|()| 0);
    }
    for change in changes {
        let did = if change.after.is_some() { "wrote" } else { "removed" };
        render::line(&format!("{did} {}", world.short(&change.path)))?;
    }
    for line in &plan.afterwards {
        render::line(line)?;
    }
    Ok(0)
}

/// Whole or not at all, through a link to the file it leads to, and only over what was read.
fn write(world: &World, change: &Change) -> Result<(), Failure> {
    let path = world.canonicalise(&change.path).unwrap_or_else(|_| change.path.clone());
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(refused(world, &change.path, "it has no directory"));
    };
    make_dirs(world, dir)?;
    if read(world, &path)? != change.before {
        return Err(Failure::new(format!("{} changed meanwhile", world.short(&path)))
            .hint("run it again")
            .code(failure::TRY_AGAIN));
    }
    let Some(after) = &change.after else {
        world.disk.remove(&path)?;
        return Ok(world.disk.sync_dir(dir)?);
    };
    let attributes = match world.disk.stat(&path)? {
        Some(stat) => Attributes { mode: stat.mode, owner: Some((stat.uid, stat.gid)) },
        None => Attributes { mode: change.mode, owner: None },
    };
    let tmp = dir.join(format!(".{}.last-word-install", name.to_string_lossy()));
    // What an earlier one left that was killed.
    world.disk.remove(&tmp)?;
    world.disk.write_new(&tmp, after.as_bytes(), attributes)?;
    world.disk.replace(&tmp, &path)?;
    Ok(world.disk.sync_dir(dir)?)
}

fn make_dirs(world: &World, dir: &Path) -> Result<(), Failure> {
    let mut missing = Vec::new();
    for dir in dir.ancestors() {
        if world.disk.stat(dir)?.is_some() {
            break;
        }
        missing.push(dir);
    }
    for dir in missing.into_iter().rev() {
        world.disk.make_dir(dir)?;
    }
    Ok(())
}
