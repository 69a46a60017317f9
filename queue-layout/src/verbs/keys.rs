//! Idempotency: a job enqueued with a key is the same job however often it is enqueued.
//!
//! `keys/<hash>` is a hard link to the job as it was enqueued. Under the key's lock:
//! 1. link `tmp/…` → `keys/<hash>.new`, sync `keys/`; 2. move `tmp/…` → `pending/`, sync; 3. rename `.new` → `<hash>`.
//!
//! A crash between, or a power cut after, leaves `.new`: the next enqueue of that key finishes what was begun, with the job's first id.
//! So the last rename is not synced: nothing is promised by it that `.new` does not say.
//!
//! Who declares something else with a key that is taken is told so, as by any service with idempotency keys: to answer the
//! first id would say "it is safe" of words that are nowhere.

use crate::Queue;
use crate::error::Result;
use crate::format::hex;
use crate::format::job::Job;
use crate::format::state::State;
use crate::verbs::draft::Enqueued;
use crate::{JOB_BYTES_MAX, QueueError};
use declaration::Entry;
use declaration::fingerprint::FORGOTTEN;
use durable::Lock;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

impl Queue {
    /// Holds the locks of these keys, each lock once and in the order of their names: two processes never wait for each other. 256
    /// lock files, never unlinked: keys that share one wait for each other for a millisecond.
    pub(super) fn lock_keys<'k>(&self, keys: impl Iterator<Item = &'k str>) -> Result<Vec<Lock>> {
        let names: BTreeSet<String> = keys.map(|key| format!("key-{}", &key_hash(key)[..2])).collect();
        names.into_iter().map(|name| Ok(self.disk.lock(&self.layout.lock(&name))?)).collect()
    }

    /// The job that has the key of this one already; one that was begun and not finished is finished.
    pub(super) fn known_by_key(&self, job: &Job) -> Result<Option<Enqueued>> {
        let Some(hash) = job.key.as_deref().map(key_hash) else { return Ok(None) };
        let (known, begun) = (self.layout.keys().join(&hash), self.layout.keys().join(format!("{hash}.new")));
        let first = match self.read_keyed(&known)? {
            Some(first) => {
                same(&first, job)?;
                first
            }
            None => {
                let Some(first) = self.read_keyed(&begun)? else { return Ok(None) };
                same(&first, job)?;
                self.finish(&first, &begun, &known)?;
                first
            }
        };
        Ok(Some(Enqueued { id: first.id, document: first.document, new: false }))
    }

    /// Whether something was enqueued with this key, as far as can be seen now.
    pub(crate) fn is_known_key(&self, key: &str) -> bool {
        let known = self.layout.keys().join(key_hash(key));
        let mut names = [known.with_extension("new"), known].into_iter();
        names.any(|path| self.read_keyed(&path).is_ok_and(|job| job.is_some()))
    }

    /// That no key of these jobs stands for something else: asked of all before the first of several is enqueued.
    pub(crate) fn keys_are_free(&self, jobs: &[Job]) -> Result<()> {
        for job in jobs.iter().filter(|job| job.key.is_some()) {
            let known = self.layout.keys().join(key_hash(job.key.as_deref().unwrap_or_default()));
            for path in [known.with_extension("new"), known] {
                self.read_keyed(&path)?.map_or(Ok(()), |first| same(&first, job))?;
            }
        }
        Ok(())
    }

    /// The enqueue that made `.new` died: was its job moved to `pending/` or not? It was if it is anywhere.
    fn finish(&self, job: &Job, begun: &Path, known: &Path) -> Result<()> {
        let mut renamed = self.moves().begin();
        if !self.is_known(job.id)? {
            // A second name for the same file: nothing is written again, and a name that is there already stays.
            renamed.link(begun, &self.pending_path(job))?;
        }
        // Also when it was there: whoever moved it may have died before it was durable.
        renamed.and(self.layout.dir(State::Pending)).durable()?;
        let mut renamed = self.moves().begin();
        renamed.rename_over(begun, known)?;
        renamed.not_durable();
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

/// Whether a job that is declared again says what it said. Why, how sure and on which day's page is another matter: the
/// same hook may be a minute later.
fn same(first: &Job, again: &Job) -> Result<()> {
    let words = |job: &Job| {
        let said = |entry: &Entry| {
            let Entry { key, operation, content, old_text, expect, scope, .. } = entry.clone();
            (key.heading, key.level, operation, content, old_text, expect, scope)
        };
        job.entries.iter().map(said).collect::<Vec<_>>()
    };
    // What it said is forgotten, and cannot be held against what is said now.
    let forgotten = |entry: &Entry| entry.content.as_ref().is_some_and(|text| text.contains(FORGOTTEN));
    if words(first) == words(again) || first.entries.iter().any(forgotten) {
        return Ok(());
    }
    // The key as it was given, without `#<n>`, the number that we add to each job of one input.
    let key = first.key.as_deref().unwrap_or_default();
    let key = key.rsplit_once('#').map_or(key, |(given, _)| given);
    Err(QueueError::KeyTaken { key: key.to_owned(), id: first.id.to_string() })
}

pub(crate) fn key_hash(key: &str) -> String {
    hex(&Sha256::digest(key.as_bytes()))
}
