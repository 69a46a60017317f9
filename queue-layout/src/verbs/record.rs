//! Records of what takes several runs to end: a purge, an adoption that is taken back. One file each; whoever goes on after a crash
//! needs the record alone.

use crate::Queue;
use crate::error::{QueueError, Result};
use crate::moves::NewFile;
use durable::FileKind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// How the name of a record ends.
const ENDING: &str = ".json";

/// The records of one kind.
pub(super) struct Records<'q> {
    pub queue: &'q Queue,
    /// Where they are.
    pub dir: PathBuf,
    /// What one is, for an error.
    pub what: &'static str,
    /// How the name of a new one begins in `tmp/`.
    pub tmp: &'static str,
    /// One that is larger is none, in bytes.
    pub bytes_max: u64,
}

impl Records<'_> {
    /// Writes a record down, in the place of the one before; durable when it returns.
    pub fn write(&self, id: &str, record: &impl Serialize) -> Result<()> {
        self.queue.moves().make_dir(&self.dir)?;
        let bytes = serde_json::to_vec(record)
            .map_err(|e| QueueError::Encode { what: self.what, message: e.to_string() })?;
        let tmp = self.queue.layout.tmp().join(format!("{}{id}", self.tmp));
        self.queue
            .moves()
            .write_again(vec![NewFile { tmp, bytes, target: self.path(id) }])?
            .replace()?
            .durable()
            .map(drop)
    }

    /// Those that are there, each with why it cannot be read where it cannot. A file of another name is none.
    pub fn each<T: DeserializeOwned>(&self) -> Result<Vec<Result<T>>> {
        let mut names = self.queue.list_or_gone(&self.dir)?;
        names.retain(|name| name.ends_with(ENDING) && !name.starts_with('.'));
        let read = |name: String| {
            let path = self.dir.join(name);
            let bytes = self.queue.bytes_of(&path, self.bytes_max).transpose()?;
            Some(bytes.and_then(|bytes| read(&path, &bytes)))
        };
        Ok(names.into_iter().filter_map(read).collect())
    }

    /// Removes a record, for good.
    pub fn end(&self, id: &str) -> Result<()> {
        let mut renamed = self.queue.moves().begin();
        renamed.remove(&self.path(id))?;
        renamed.durable().map(drop)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.dir.join(format!("{id}{ENDING}"))
    }
}

impl Queue {
    /// The bytes of a file; `None` of what is none (any more).
    pub(super) fn bytes_of(&self, path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>> {
        if self.disk.stat_link(path)?.is_none_or(|stat| stat.kind != FileKind::File) {
            return Ok(None);
        }
        match self.disk.read(path, bytes_max) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            other => Ok(Some(other?)),
        }
    }
}

fn read<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| QueueError::Unreadable {
        path: path.to_owned(),
        problems: vec![declaration::Problem::new(declaration::Code::Unreadable, e.to_string())],
    })
}
