//! Making a home, and the cache of its settings.

use crate::error::Result;
use crate::layout::{HOME_DIRS, Layout};
use crate::moves::{Moves, NewFile};
use durable::{Attributes, Disk};
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
        // Directories that were there are synced, too: whoever made them may have died before they were durable.
        moves.confirm(self.home().parent())?;
        moves.confirm([self.home(), &self.home().join("staging")])?;
        self.check(disk)?;
        Ok(made)
    }

    /// Replaces `config.cache`: a reader finds the old one or the new one, whole. Its name is not synced. After a
    /// power cut the old cache may be back; it records which `config.yaml` it was made from, so nobody believes it
    /// for another one.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_config(&self, disk: &dyn Disk, bytes: &[u8]) -> Result<()> {
        // Whoever declares keeps a new text, also several at once.
        let _one_at_a_time = disk.lock(&self.lock("config"))?;
        let tmp = self.tmp().join("config.cache");
        let new = NewFile { tmp, bytes: bytes.to_vec(), target: self.config_cache() };
        Moves::on(disk).write_again(vec![new])?.replace()?.not_durable();
        Ok(())
    }

    /// Puts another text in the place of `config.yaml`, durably, with its mode and owner, where a link leads; false when it
    /// does not say `before` any more.
    ///
    /// # Errors
    /// A disk error.
    pub fn replace_config(&self, disk: &dyn Disk, before: &[u8], after: &[u8]) -> Result<bool> {
        let _one_at_a_time = disk.lock(&self.lock("config"))?;
        let path = disk.canonical(&self.config())?;
        let (Some(dir), Some(stat)) = (path.parent(), disk.stat(&path)?) else { return Ok(false) };
        let tmp = dir.join(".config.yaml.last-word-new");
        let new = NewFile { tmp, bytes: after.to_vec(), target: path.clone() };
        let attributes = Attributes { mode: stat.mode, owner: Some((stat.uid, stat.gid)) };
        let written = Moves::on(disk).write_like(new, attributes)?;
        if disk.read(&path, after.len() as u64 + before.len() as u64)? != before {
            written.abandon();
            return Ok(false);
        }
        written.replace()?.durable()?;
        Ok(true)
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
