//! Clearing away what is old: receipts with the keys that lead to them, bytes that were discarded unread, journals, and
//! holds of jobs that ended. Which days are old is decided elsewhere; here they go, a bounded number of files at a time.
//!
//! Of a receipt with a key the key goes first, for good, and then the receipt: a crash between leaves a receipt whose
//! key is forgotten a little early, never a key that nobody would find again.

use super::{Journal, OperatorVerbs};
use crate::Queue;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::job::{Ending, Job};
use crate::format::state::State;
use crate::look::names::bundle_in;
use crate::verbs::keys::key_hash;
use crate::{HeldThing, JOB_BYTES_MAX};
use durable::FileKind;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// What was cleared away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Receipts, and originals beside them.
    pub receipts: usize,
    /// Idempotency keys.
    pub keys: usize,
    /// Days of the journal.
    pub journals: usize,
    /// Earlier texts of documents.
    pub texts: usize,
    /// Holds of jobs that ended.
    pub holds: usize,
}

impl Pruned {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Pruned) -> Pruned {
        Pruned {
            receipts: self.receipts + other.receipts,
            keys: self.keys + other.keys,
            journals: self.journals + other.journals,
            texts: self.texts + other.texts,
            holds: self.holds + other.holds,
        }
    }

    /// Whether nothing was.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Pruned::default()
    }
}

impl OperatorVerbs<'_> {
    /// Clears at most `files_max` files out of a day of `done/`, and the day when it is empty then. Receipts of jobs
    /// that are still somewhere else (a crash left them in two places) stay for recovery.
    ///
    /// # Errors
    /// A disk error: what is not cleared stays for the next time.
    pub fn prune_done(&self, day: &str, files_max: usize) -> Result<Pruned> {
        let dir = self.queue.layout.done_day(day);
        let live = self.queue.live()?;
        let mut names = self.queue.list_or_gone(&dir)?;
        let is_live = |name: &String| match bundle_in(name) {
            Some(bundle) => bundle.ids().any(|id| live.contains(&id)),
            None => receipt_id(name).is_some_and(|id| live.contains(&id)),
        };
        names.retain(|name| !is_live(name));
        // Somebody put a directory there. It is not ours to remove, so the day's directory stays.
        let mut there = Vec::with_capacity(names.len());
        for name in names {
            if !name.ends_with(ORIGINAL) || !self.queue.is_dir(&dir.join(&name))? {
                there.push(name);
            }
        }
        let mut names = there;
        names.truncate(files_max);
        let jobs = |name: &String| bundle_in(name).map_or(1, |bundle| bundle.jobs() as usize);
        let mut pruned = Pruned { receipts: names.iter().map(jobs).sum(), ..Pruned::default() };
        for name in &names {
            pruned.keys += usize::from(self.queue.forget_key_of(&dir.join(name), receipt_id(name))?);
        }
        if pruned.keys > 0 {
            self.queue.moves().confirm([self.queue.layout.keys()])?;
        }
        self.queue.disk.point("prune.keys");
        self.queue.forget_approvals(names.iter().filter_map(|name| receipt_id(name)))?;
        for name in &names {
            self.queue.disk.remove(&dir.join(name))?;
        }
        self.queue.disk.point("prune.receipts");
        // Removed before the directory of their day: as long as that is there, the next run looks here again.
        if self.queue.list_or_gone(&dir)?.is_empty() {
            self.queue.prune_receipts(day)?;
        }
        if self.queue.disk.remove_dir(&dir)? {
            self.queue.moves().confirm([self.queue.layout.dir(State::Done)])?;
        }
        Ok(pruned)
    }

    /// The held jobs that have ended: nothing is left to hold.
    ///
    /// # Errors
    /// A disk error.
    pub fn stale_holds(&self) -> Result<Vec<HeldThing>> {
        let holds = self.queue.holds()?;
        let mut stale = Vec::new();
        for id in holds.jobs() {
            // Looked for twice: one look could miss a job that moves back meanwhile.
            let ended = |found: Option<crate::Listed>| found.is_none_or(|found| found.state == State::Done);
            if ended(self.queue.locate_alone(id)?) && ended(self.queue.locate_alone(id)?) {
                stale.push(HeldThing::Job(id));
            }
        }
        Ok(stale)
    }
}

impl Journal<'_> {
    /// Removes a day's journal; false when there is none.
    ///
    /// # Errors
    /// A disk error.
    pub fn prune(&self, day: &str) -> Result<bool> {
        Ok(self.queue.disk.remove(&self.queue.layout.journal(day))?)
    }
}

impl Queue {
    /// The days that have receipts, oldest first.
    ///
    /// # Errors
    /// A disk error.
    pub fn done_days(&self) -> Result<Vec<String>> {
        let mut days = self.list_or_gone(&self.layout.dir(State::Done))?;
        days.retain(|day| is_day(day));
        days.sort();
        Ok(days)
    }

    fn is_dir(&self, path: &Path) -> Result<bool> {
        Ok(self.disk.stat_link(path)?.is_some_and(|stat| stat.kind == FileKind::Directory))
    }

    /// Every id that has not ended, by names alone.
    fn live(&self) -> Result<BTreeSet<JobId>> {
        let mut live = BTreeSet::new();
        for state in State::ALL.into_iter().filter(|state| *state != State::Done) {
            live.extend(self.list(state)?.jobs.into_iter().map(|listed| listed.id));
        }
        Ok(live)
    }

    /// Forgets the key of a receipt, if it has one and the key is still that job's.
    fn forget_key_of(&self, receipt: &Path, id: Option<JobId>) -> Result<bool> {
        // Bytes that were discarded unread may be too many to be read, or not ours to read.
        let Some(id) = id.filter(|_| !receipt.to_string_lossy().ends_with(ORIGINAL)) else {
            return Ok(false);
        };
        let bytes = match self.disk.read(receipt, JOB_BYTES_MAX) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            other => other?,
        };
        // Bytes that were discarded unread have a receipt that is no job, and never had a key.
        let Ok((job, receipt)) = Job::from_json(&bytes) else { return Ok(false) };
        if receipt.is_some_and(|receipt| receipt.outcome == Ending::Rejected) {
            self.forget_rejection(&job)?;
        }
        let Some(hash) = job.key.map(|key| key_hash(&key)) else { return Ok(false) };
        let _held = self.disk.lock(&self.layout.lock(&format!("key-{}", &hash[..2])))?;
        let mut forgot = false;
        for name in [hash.clone(), format!("{hash}.new")] {
            let path = self.layout.keys().join(name);
            if self.read_keyed(&path)?.is_some_and(|job| job.id == id) {
                forgot |= self.disk.remove(&path)?;
            }
        }
        Ok(forgot)
    }
}

/// How the names of bytes end that were discarded unread.
const ORIGINAL: &str = ".original";

fn receipt_id(name: &str) -> Option<JobId> {
    name.rsplit_once('.').and_then(|(id, _)| id.parse().ok())
}

fn is_day(name: &str) -> bool {
    let shape =
        |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    name.len() == 10 && name.bytes().enumerate().all(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_are_days() {
        assert!(is_day("2026-11-22"));
        for other in ["", "2026-11-2", "2026_11_22", "keep-these!", "2026-11-221"] {
            assert!(!is_day(other), "{other}");
        }
    }
}
