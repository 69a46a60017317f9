//! Idempotency: a job enqueued with a key is the same job however often it is enqueued.
//!
//! `keys/<hash>` is a hard link to the job as it was enqueued. Under the key's lock:
//! 1. link `tmp/…` → `keys/<hash>.new`, sync `keys/`; 2. move `tmp/…` → `pending/`, sync; 3. rename `.new` → `<hash>`.
//!
//! A crash between leaves `.new`: the next enqueue of that key finishes what was begun, with the job's first id.

use crate::Queue;
use crate::enqueue::{Enqueued, encode};
use crate::error::Result;
use crate::job::Job;
use crate::list::State;
use crate::{JOB_BYTES_MAX, QueueError};
use sha2::{Digest, Sha256};
use std::path::Path;

impl Queue<'_> {
    /// Enqueues a job that has a key, or answers the job that has it already.
    pub(crate) fn publish_keyed(&self, job: &Job) -> Result<Enqueued> {
        let hash = key_hash(job.key.as_deref().unwrap_or_default());
        // 256 lock files, never unlinked: keys that share one wait for each other for a millisecond.
        let _held = self.disk.lock(&self.layout.lock(&format!("key-{}", &hash[..2])))?;
        let (known, begun) = (self.layout.keys().join(&hash), self.layout.keys().join(format!("{hash}.new")));
        if let Some(first) = self.read_keyed(&known)? {
            return Ok(Enqueued { id: first.id, document: first.document, new: false });
        }
        if let Some(first) = self.read_keyed(&begun)? {
            self.finish(&first, &begun, &known)?;
            return Ok(Enqueued { id: first.id, document: first.document, new: false });
        }
        let tmp = self.tmp_of(job);
        self.disk.write_many_new(&[(tmp.clone(), encode(job)?)])?;
        self.disk.point("key.written");
        self.disk.link_new(&tmp, &begun)?;
        self.disk.sync_dir(&self.layout.keys())?;
        self.disk.point("key.linked");
        self.disk.move_new(&tmp, &self.pending_path(job))?;
        self.disk.sync_dir(&self.layout.dir(State::Pending))?;
        self.disk.point("key.moved");
        self.disk.replace(&begun, &known)?;
        self.disk.sync_dir(&self.layout.keys())?;
        self.disk.point("key.durable");
        Ok(Enqueued { id: job.id, document: job.document.clone(), new: true })
    }

    /// The enqueue that made `.new` died: was its job moved to `pending/` or not? It was if it is anywhere.
    fn finish(&self, job: &Job, begun: &Path, known: &Path) -> Result<()> {
        // Twice: a job that moves back (released, deferred) while we look could be missed once.
        if self.locate_alone(job.id)?.is_none() && self.locate_alone(job.id)?.is_none() {
            // A second name for the same file: nothing is written again, and a name that is there already stays.
            self.disk.link_new(begun, &self.pending_path(job))?;
        }
        self.disk.sync_dir(&self.layout.dir(State::Pending))?;
        self.disk.replace(begun, known)?;
        self.disk.sync_dir(&self.layout.keys())?;
        Ok(())
    }

    pub(crate) fn read_keyed(&self, path: &Path) -> Result<Option<Job>> {
        match self.disk.read(path, JOB_BYTES_MAX) {
            // It was synced before it was linked here: what cannot be read is damage, and never counts as "not there".
            Ok(bytes) => match Job::from_json(&bytes) {
                Ok((job, _)) => Ok(Some(job)),
                Err(problems) => Err(QueueError::Unreadable { path: path.to_owned(), problems }),
            },
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(QueueError::from(e)),
        }
    }
}

pub(crate) fn key_hash(key: &str) -> String {
    hex(&Sha256::digest(key.as_bytes()))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
