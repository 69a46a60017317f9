//! What agents' files said before `install` changed them, so that `uninstall` can restore them byte for byte. It is used
//! only while a file says what we wrote; a file that was changed since is edited instead.

use super::FileChange;
use crate::failure::Failure;
use crate::world::World;
use durable::{Attributes, Disk};
use markdown_merge::hash;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The text of a file before and after.
#[derive(Debug, Serialize, Deserialize)]
struct Original {
    /// The file, links resolved.
    path: PathBuf,
    /// What it said; `None` where it was not there.
    before: Option<String>,
    /// The hash of what we wrote.
    after: String,
    /// The directories that were made for it, the deepest first.
    #[serde(default)]
    made: Vec<PathBuf>,
}

/// Largest record, in bytes: a settings file, escaped.
const RECORD_BYTES_MAX: u64 = 16 << 20;

/// What a file said before we changed it, if it still says what we wrote.
pub fn original(world: &World, path: &Path, now: Option<&str>) -> Option<Option<String>> {
    let kept = read(world, path)?;
    (now.map(hash).as_deref() == Some(kept.after.as_str())).then_some(kept.before)
}

/// The directories that were made for a file, the deepest first.
pub fn made(world: &World, path: &Path) -> Vec<PathBuf> {
    read(world, path).map(|kept| kept.made).unwrap_or_default()
}

/// Keeps what a file said before this change, and which directories were `made` for it. `has_ours`: the file had something
/// of ours already, so its text from before that is not known.
pub fn keep(world: &World, change: &FileChange, has_ours: bool, made: Vec<PathBuf>) -> Result<(), Failure> {
    let Some(after) = &change.after else { return forget(world, &change.path) };
    let made = if made.is_empty() { self::made(world, &change.path) } else { made };
    let before = match original(world, &change.path, change.before.as_deref()) {
        Some(before) => before,
        None if has_ours => return forget(world, &change.path),
        None => change.before.clone(),
    };
    forget(world, &change.path)?;
    let (path, record) = place(world, &change.path);
    if world.disk.stat(world.layout().home())?.is_none() {
        return Ok(());
    }
    let kept = Original { path, before, after: hash(after), made };
    let bytes =
        serde_json::to_vec(&kept).map_err(|e| Failure::new(format!("cannot keep the original: {e}")))?;
    if let Some(dir) = record.parent() {
        world.disk.make_dir(dir)?;
        world.disk.write_new(&record, &bytes, Attributes::PRIVATE)?;
        world.disk.sync_dir(dir)?;
    }
    Ok(())
}

/// Removes the record, and the directory with the last record.
pub fn forget(world: &World, path: &Path) -> Result<(), Failure> {
    let (_, record) = place(world, path);
    if world.disk.remove(&record)?
        && let Some(dir) = record.parent()
    {
        world.disk.remove_dir(dir)?;
    }
    Ok(())
}

fn read(world: &World, path: &Path) -> Option<Original> {
    let (path, record) = place(world, path);
    let bytes = world.disk.read(&record, RECORD_BYTES_MAX).ok()?;
    serde_json::from_slice::<Original>(&bytes).ok().filter(|kept| kept.path == path)
}

/// The file, links resolved, and where its original is kept.
fn place(world: &World, path: &Path) -> (PathBuf, PathBuf) {
    let path = world.canonicalise(path).unwrap_or_else(|_| path.to_owned());
    let name = hash(&path.to_string_lossy());
    let name: String = name.chars().filter(char::is_ascii_hexdigit).rev().take(16).collect();
    let record = world.layout().installed(&name);
    (path, record)
}
