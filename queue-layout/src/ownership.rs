//! Whose a file is. What decides for a user (the home, its configuration, what is left in an inbox) must belong to that user,
//! and nobody else may be able to write to it.

use crate::error::{QueueError, Result};
use durable::{Disk, FileKind, Stat};
use std::path::Path;

/// The permission bits that let the group or everybody write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// The permission bits that let the group or everybody reach what is in a directory.
const ENTERED_BY_OTHERS: u32 = 0o011;
/// In a directory with this bit, a name can be changed only by the owner of its file.
const STICKY: u32 = 0o1000;
/// The administrator, who can write everywhere anyway.
const ROOT: u32 = 0;

/// A file or directory of our user that nobody else can write to.
///
/// # Errors
/// `NotOurs`, `OpenToOthers`.
pub(crate) fn ours(disk: &dyn Disk, path: &Path, stat: &Stat) -> Result<()> {
    if stat.uid != disk.uid() {
        return Err(QueueError::NotOurs { path: path.to_owned(), uid: stat.uid, our_uid: disk.uid() });
    }
    closed(path, stat)
}

/// The same for a directory of the home, which nobody else should look into either.
///
/// # Errors
/// `NotOurs`, `OpenToOthers`.
pub(crate) fn ours_alone(disk: &dyn Disk, dir: &Path, stat: &Stat) -> Result<()> {
    ours(disk, dir, stat).map_err(|e| match e {
        QueueError::OpenToOthers { path, mode, .. } => QueueError::OpenToOthers { path, mode, chmod: "700" },
        other => other,
    })
}

/// The same for a file that is in the directory `dir`: where nobody else gets into that, its own mode lets nobody write.
pub(crate) fn ours_in(disk: &dyn Disk, dir: &Stat, path: &Path, stat: &Stat) -> Result<()> {
    let reachable = dir.mode & ENTERED_BY_OTHERS != 0;
    ours(disk, path, &Stat { mode: if reachable { stat.mode } else { 0 }, ..*stat })
}

/// A file of our user or of the administrator that nobody else can write to, also where it is a link: then neither can
/// somebody else put another file in the place of the one it leads to.
pub(crate) fn ours_or_roots(disk: &dyn Disk, path: &Path) -> Result<()> {
    match disk.stat_link(path)? {
        None => Ok(()),
        Some(stat) if stat.kind != FileKind::Link => trusted(disk, path, &stat),
        Some(_) => leads_to_ours_or_roots(disk, path),
    }
}

fn leads_to_ours_or_roots(disk: &dyn Disk, link: &Path) -> Result<()> {
    let Some(stat) = disk.stat(link)? else { return Ok(()) };
    trusted(disk, link, &stat)?;
    let target = disk.canonical(link)?;
    let Some(dir) = target.parent() else { return Ok(()) };
    match disk.stat(dir)? {
        Some(stat) if stat.mode & STICKY == 0 => trusted(disk, dir, &stat),
        _ => Ok(()),
    }
}

fn trusted(disk: &dyn Disk, path: &Path, stat: &Stat) -> Result<()> {
    if stat.uid == ROOT { closed(path, stat) } else { ours(disk, path, stat) }
}

fn closed(path: &Path, stat: &Stat) -> Result<()> {
    if stat.mode & WRITABLE_BY_OTHERS != 0 {
        return Err(QueueError::OpenToOthers { path: path.to_owned(), mode: stat.mode, chmod: "go-w" });
    }
    Ok(())
}
