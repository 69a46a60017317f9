//! What git knows of a file, read from its index without git: whether it knows the file, and whether the file has changes that are
//! not committed.

use durable::{Disk, FileKind, Stat};
use std::path::{Path, PathBuf};

/// Largest index that is read, in bytes: some 200,000 files.
const INDEX_BYTES_MAX: u64 = 64 << 20;
const IGNORE_BYTES_MAX: u64 = 256 << 10;
const LINK_BYTES_MAX: u64 = 4096;

/// What git knows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitKnows {
    /// The file is as it was when git looked at it last.
    Unchanged,
    /// It changed since.
    Changed,
    /// Git does not know it.
    Untracked {
        /// Whether `.gitignore` of the repository's root names it.
        ignored: bool,
    },
    /// Its index cannot be read, so it may be anything.
    Untold,
}

/// The root of the repository that a file or directory is in.
pub(super) fn root_of(disk: &dyn Disk, path: &Path) -> Option<PathBuf> {
    let is_root = |dir: &&Path| disk.stat_link(&dir.join(".git")).is_ok_and(|stat| stat.is_some());
    path.ancestors().find(is_root).map(Path::to_owned)
}

/// What git knows of a file, whose links are resolved; `None` outside of repositories.
pub(super) fn of(disk: &dyn Disk, file: &Path) -> Option<GitKnows> {
    let root = root_of(disk, file)?;
    let stat = disk.stat(file).ok().flatten()?;
    let name = file.strip_prefix(&root).ok()?.to_string_lossy().into_owned();
    let Some(dir) = directory(disk, &root) else { return Some(GitKnows::Untold) };
    let index = dir.join("index");
    if disk.stat(&index).is_ok_and(|stat| stat.is_none()) {
        return Some(untracked(disk, &root, file));
    }
    let Ok(bytes) = disk.read(&index, INDEX_BYTES_MAX) else { return Some(GitKnows::Untold) };
    Some(match entry(&bytes, name.as_bytes()) {
        Some(Some(entry)) if entry.is_of(&stat) => GitKnows::Unchanged,
        Some(Some(_)) => GitKnows::Changed,
        Some(None) => untracked(disk, &root, file),
        None => GitKnows::Untold,
    })
}

/// The directory with the index: `.git`, or what that file of a worktree names.
fn directory(disk: &dyn Disk, root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if disk.stat(&git).ok()??.kind == FileKind::Directory {
        return Some(git);
    }
    let text = disk.read(&git, LINK_BYTES_MAX).ok()?;
    let named = String::from_utf8(text).ok()?;
    Some(root.join(named.trim().strip_prefix("gitdir:")?.trim()))
}

fn untracked(disk: &dyn Disk, root: &Path, file: &Path) -> GitKnows {
    let text = disk.read(&root.join(".gitignore"), IGNORE_BYTES_MAX).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '!']));
    let left_out = agents::WrittenPath {
        path: root.join("*"),
        how: agents::How::Below,
        chosen: agents::Chosen { except: lines.map(str::to_owned).collect(), ..agents::Chosen::default() },
    };
    GitKnows::Untracked { ignored: !left_out.reaches(file) }
}

/// A file as git saw it.
#[derive(Debug, PartialEq, Eq)]
struct IndexEntry {
    modified_ms: u64,
    /// The lower 32 bits.
    len: u32,
}

impl IndexEntry {
    fn is_of(&self, stat: &Stat) -> bool {
        self.modified_ms == stat.modified_ms && u64::from(self.len) == stat.len & u64::from(u32::MAX)
    }
}

const HEADER_BYTES: usize = 12;
/// An entry up to the hash.
const STAT_BYTES: usize = 40;
const SHA1_BYTES: usize = 20;
const EXTENDED: u16 = 0x4000;

/// The entry of a file; `Some(None)` where the index has none, `None` where it cannot be read.
fn entry(index: &[u8], wanted: &[u8]) -> Option<Option<IndexEntry>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let version = number(4)?;
    if !index.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut at = HEADER_BYTES;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..number(8)? {
        let start = at;
        let (seconds, nanoseconds, len) = (number(at + 8)?, number(at + 12)?, number(at + 36)?);
        at += STAT_BYTES + SHA1_BYTES;
        let flags = u16::from_be_bytes(index.get(at..at + 2)?.try_into().ok()?);
        at += if flags & EXTENDED == 0 { 2 } else { 4 };
        if version == 4 {
            let (cut, used) = varint(index.get(at..)?)?;
            at += used;
            name.truncate(name.len().checked_sub(cut)?);
        } else {
            name.clear();
        }
        let end = at + index.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(index.get(at..end)?);
        if name == wanted {
            let modified_ms = u64::from(seconds) * 1000 + u64::from(nanoseconds) / 1_000_000;
            return Some(Some(IndexEntry { modified_ms, len }));
        }
        // Names are in the order of their bytes.
        if name.as_slice() > wanted {
            return Some(None);
        }
        at = if version == 4 { end + 1 } else { start + (end - start + 8) / 8 * 8 };
    }
    Some(None)
}

/// A number of git's variable width, and how many bytes it has.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut used = 1;
    while bytes.get(used - 1)? & 0x80 != 0 {
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(bytes.get(used)? & 0x7f);
        used += 1;
    }
    Some((value, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of version 2 or 4 with these files, each with its time and length.
    fn index(version: u32, files: &[(&str, u64, u32)]) -> Vec<u8> {
        let count = u32::try_from(files.len()).unwrap();
        let mut bytes = [b"DIRC".as_slice(), &version.to_be_bytes(), &count.to_be_bytes()].concat();
        let mut before = "";
        for (name, modified_ms, len) in files {
            let start = bytes.len();
            let number = |value: u64| u32::try_from(value).unwrap();
            let (seconds, nanoseconds) = (number(modified_ms / 1000), number(modified_ms % 1000 * 1_000_000));
            let words = [0, 0, seconds, nanoseconds, 0, 0, 0, 0, 0, *len];
            bytes.extend(words.iter().flat_map(|word: &u32| word.to_be_bytes()));
            bytes.extend([0; SHA1_BYTES + 2]);
            if version == 4 {
                bytes.push(u8::try_from(before.len()).unwrap());
                bytes.extend(name.as_bytes());
                bytes.push(0);
            } else {
                bytes.extend(name.as_bytes());
                bytes.resize(start + (bytes.len() - start + 8) / 8 * 8, 0);
            }
            before = name;
        }
        bytes
    }

    #[test]
    fn entries_of_every_version_are_found() {
        for version in [2, 4] {
            let bytes = index(version, &[("AGENTS.md", 7_005, 3), ("docs/a.md", 8_005, 4), ("x", 9_005, 5)]);
            let found = |name: &str| entry(&bytes, name.as_bytes()).unwrap();
            assert_eq!(found("docs/a.md"), Some(IndexEntry { modified_ms: 8_005, len: 4 }), "{version}");
            assert_eq!(found("x").map(|entry| entry.len), Some(5), "{version}");
            assert_eq!(found("b"), None, "{version}");
            assert_eq!(entry(&bytes[..bytes.len() - 12], b"z"), None, "cut off: {version}");
        }
        assert_eq!(entry(b"DIRC\0\0\0\x09\0\0\0\0", b"x"), None);
    }
}
