//! What a shell line leaves to the disk: whether a directory is there, and what stands in a patch or a script that it names.

use super::Here;
use super::git_index::{self, GitKnows};
use agents::plain;
use durable::FileKind;
use std::path::Path;

const PATCH_BYTES_MAX: u64 = 1 << 20;
const SCRIPT_BYTES_MAX: u64 = 256 << 10;
/// A script outside of a repository may be the agent's when it changed within this time, in milliseconds.
const OWN_SCRIPT_MS: u64 = 24 * 60 * 60 * 1000;

/// The disk, for the reading of a line.
pub(super) struct LineFiles<'a>(pub(super) Here<'a>);

impl agents::DiskOfLine for LineFiles<'_> {
    fn is_missing(&self, dir: &Path) -> bool {
        self.0.home.disk.stat(&plain(dir)).is_ok_and(|stat| stat.is_none())
    }

    fn patch(&self, file: &Path) -> Option<String> {
        self.text(file, PATCH_BYTES_MAX)
    }

    /// A script that a person committed is theirs, and may write what it likes.
    fn script(&self, file: &Path) -> Option<String> {
        let disk = &*self.0.home.disk;
        let path = self.0.canonical(file).ok()?;
        let stat = disk.stat(&path).ok().flatten().filter(|stat| stat.kind == FileKind::File)?;
        let is_own = match git_index::of(disk, &path) {
            Some(GitKnows::Unchanged | GitKnows::Untold) => false,
            Some(GitKnows::Changed) => true,
            Some(GitKnows::Untracked { .. }) | None => {
                self.0.home.now().millis().saturating_sub(stat.modified_ms) < OWN_SCRIPT_MS
            }
        };
        is_own.then(|| self.text(&path, SCRIPT_BYTES_MAX)).flatten()
    }
}

impl LineFiles<'_> {
    fn text(&self, file: &Path, bytes_max: u64) -> Option<String> {
        let bytes = self.0.home.disk.read(&plain(file), bytes_max).ok()?;
        (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}
