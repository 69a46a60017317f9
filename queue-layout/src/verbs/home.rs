//! Making a home, and the cache of its settings.

use crate::error::Result;
use crate::layout::{HOME_DIRS, Layout};
use crate::moves::{Moves, NewFile};
use durable::Disk;
use std::path::PathBuf;

impl Layout {
    /// Makes what is missing of the home's directories and makes them durable. Answers what was made.
    ///
    /// # Errors
    /// A disk error; `ForeignFileSystem` when a directory is a mount of another file system.
    pub fn create(&self, disk: &dyn Disk) -> Result<Vec<PathBuf>> {
        let mut made = Vec::new();
        for dir in self.missing_ancestors(disk)? {
            if disk.make_dir(&dir)? {
                made.push(dir);
            }
        }
        for dir in HOME_DIRS.map(|name| self.home().join(name)) {
            if disk.make_dir(&dir)? {
                made.push(dir);
            }
        }
        let moves = Moves::on(disk);
        moves.confirm(made.iter().filter_map(|dir| dir.parent()))?;
        // Also what is there: whoever made it may have died before it was durable.
        moves.confirm(self.home().parent())?;
        moves.confirm([self.home(), &self.home().join("staging")])?;
        self.check(disk)?;
        Ok(made)
    }

    /// Writes `config.cache` anew: whoever reads it finds the one before or this one. Its name is not synced: after a power cut
    /// it may be the one before, which says itself that it is of another `config.yaml`.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_config(&self, disk: &dyn Disk, bytes: &[u8]) -> Result<()> {
        let tmp = self.tmp().join("config.cache");
        let new = NewFile { tmp, bytes: bytes.to_vec(), target: self.config_cache() };
        Moves::on(disk).write_again(vec![new])?.replace()?.not_durable();
        Ok(())
    }

    fn missing_ancestors(&self, disk: &dyn Disk) -> Result<Vec<PathBuf>> {
        let mut missing = Vec::new();
        for dir in self.home().ancestors().filter(|dir| !dir.as_os_str().is_empty()) {
            if disk.stat(dir)?.is_some() {
                break;
            }
            missing.push(dir.to_owned());
        }
        missing.reverse();
        Ok(missing)
    }
}
