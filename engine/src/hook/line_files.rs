//! What a shell line leaves to the disk: whether a directory is there, and what stands in a patch or a script that it names.

use super::Here;
use super::git_index::{self, GitKnows};
use agents::{How, WrittenPath, plain};
use durable::FileKind;
use std::path::{Path, PathBuf};

const PATCH_BYTES_MAX: u64 = 1 << 20;
const SCRIPT_BYTES_MAX: u64 = 256 << 10;
/// A script outside of a repository may be the agent's when it changed within this time, in milliseconds.
const OWN_SCRIPT_MS: u64 = 24 * 60 * 60 * 1000;

/// Where a pattern means scripts anywhere below a directory, so deep is looked, at so many names, for so many.
const DEPTH_MAX: usize = 4;
const NAMES_MAX: usize = 2_000;
const SCRIPTS_MAX: usize = 24;
/// Directories in which nobody looks for scripts of their own.
const SKIPPED: [&str; 4] = [".git", "node_modules", "target", ".venv"];

/// The disk, for the reading of a line.
pub(super) struct LineFiles<'a>(pub(super) Here<'a>);

impl agents::DiskOfLine for LineFiles<'_> {
    fn is_missing(&self, dir: &Path) -> bool {
        self.0.home.disk.stat(&plain(dir)).is_ok_and(|stat| stat.is_none())
    }

    fn patch(&self, file: &Path) -> Option<String> {
        self.text(file, PATCH_BYTES_MAX)
    }

    fn script(&self, file: &Path) -> Option<String> {
        let path = self.0.canonical(file).ok()?;
        self.is_own(&path).then(|| self.text(&path, SCRIPT_BYTES_MAX)).flatten()
    }

    /// The newest: what the agent wrote is among them.
    fn scripts(&self, pattern: &WrittenPath) -> Vec<PathBuf> {
        let text = plain(&pattern.path).display().to_string();
        let fixed = text.split(['*', '?', '[']).next().unwrap_or_default();
        let (dir, _) = fixed.rsplit_once('/').unwrap_or_default();
        // So many directories deep.
        let steps =
            if pattern.how == How::Below { DEPTH_MAX } else { text[dir.len()..].matches('/').count() };
        newest(self.files_in(Path::new(dir), steps, &|path| pattern.reaches(path)))
    }

    fn below(&self, dir: &Path, is_meant: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
        newest(self.files_in(dir, DEPTH_MAX, is_meant))
    }
}

fn newest(mut found: Vec<(PathBuf, u64)>) -> Vec<PathBuf> {
    found.sort_by_key(|(_, modified_ms)| std::cmp::Reverse(*modified_ms));
    found.into_iter().map(|(path, _)| path).take(SCRIPTS_MAX).collect()
}

impl LineFiles<'_> {
    /// The files in a directory and so many levels below that are meant, each with the time of its last change.
    fn files_in(&self, dir: &Path, levels: usize, is_meant: &dyn Fn(&Path) -> bool) -> Vec<(PathBuf, u64)> {
        let disk = &*self.0.home.disk;
        let (mut found, mut dirs, mut names) = (Vec::new(), vec![dir.to_owned()], 0);
        for _ in 0..levels {
            for dir in std::mem::take(&mut dirs) {
                for name in disk.list(&dir).unwrap_or_default() {
                    names += 1;
                    let path = dir.join(&name);
                    let Some(stat) = disk.stat(&path).ok().flatten() else { continue };
                    match stat.kind {
                        _ if names > NAMES_MAX => return found,
                        FileKind::Directory if SKIPPED.iter().all(|skipped| name != *skipped) => {
                            dirs.push(path)
                        }
                        FileKind::File if is_meant(&path) => found.push((path, stat.modified_ms)),
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// Whether the agent may have written a file itself: what a person committed is theirs, and may write what it likes.
    fn is_own(&self, path: &Path) -> bool {
        let disk = &*self.0.home.disk;
        let Some(stat) = disk.stat(path).ok().flatten().filter(|stat| stat.kind == FileKind::File) else {
            return false;
        };
        match git_index::of(self.0, path) {
            Some(GitKnows::Unchanged) => false,
            Some(GitKnows::Changed) => true,
            Some(GitKnows::Untracked { .. } | GitKnows::Untold) | None => {
                self.0.home.now().millis().saturating_sub(stat.modified_ms) < OWN_SCRIPT_MS
            }
        }
    }

    fn text(&self, file: &Path, bytes_max: u64) -> Option<String> {
        let bytes = self.0.home.disk.read(&plain(file), bytes_max).ok()?;
        (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}
