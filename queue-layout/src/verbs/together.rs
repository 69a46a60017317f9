//! Group commit: calls that come while others are being made durable are made durable together, by one sync of their files
//! and one of each directory. A call is answered when its own jobs are durable, and only then.
//!
//! `bring` gives jobs their ids and their place in the order; `wait` makes them durable, with all that was brought by then.
//! Whoever waits first does it for all, so that no thread is needed for it and a call that is alone pays nothing.

use super::ProducerVerbs;
use crate::error::{QueueError, Result};
use crate::format::job::Job;
use crate::format::name::{DocKey, JobName};
use crate::moves::NewFile;
use crate::verbs::draft::{Draft, Enqueued};
use crate::{Queue, State};
use declaration::Timestamp;
use durable::{DiskAction, DiskError};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Jobs with a key in one round: each holds the lock file of its key open, and a process may be limited to 256 files.
pub(super) const KEYS_MAX: usize = 64;

/// What the threads that share a queue have brought.
#[derive(Debug, Default)]
pub(crate) struct Together {
    calls: Mutex<Calls>,
    /// Held by who makes a round durable.
    publishing: Mutex<()>,
}

#[derive(Debug, Default)]
struct Calls {
    /// In the order of their ids.
    waiting: Vec<Call>,
    /// Jobs of the round that is being made durable.
    underway: Vec<Arc<[Job]>>,
}

/// One call: its jobs, the files they go into, and where its end is told.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) jobs: Arc<[Job]>,
    pub(super) files: Vec<(JobName, NewFile)>,
    ended: Arc<Mutex<Option<Ended>>>,
}

/// How a call ended: its jobs that are durable, in order, and why the others are not.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pub(super) durable: Vec<Enqueued>,
    pub(super) failed: Option<QueueError>,
}

/// Jobs that have their ids and their place in the order, and are not durable.
#[derive(Debug)]
#[must_use]
pub struct Brought {
    queue: Queue,
    ended: Arc<Mutex<Option<Ended>>>,
}

impl ProducerVerbs<'_> {
    /// Takes ids for drafts, in their order and above those of every draft brought before. Nothing is written. `random` is as
    /// for `enqueue`.
    ///
    /// # Errors
    /// `KeyTaken`, of several drafts. A disk error.
    pub fn bring(
        &self,
        drafts: Vec<Draft>,
        now: Timestamp,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Brought> {
        let ended = Arc::<Mutex<Option<Ended>>>::default();
        // Held while the ids are taken: the order of ids is the order in which they are made durable.
        let mut calls = held(&self.queue.together.calls);
        let jobs = self.queue.jobs_of(drafts, now, random)?;
        let files = self.queue.files_of(&jobs)?;
        calls.waiting.push(Call { jobs: jobs.into(), files, ended: Arc::clone(&ended) });
        Ok(Brought { queue: self.queue.clone(), ended })
    }
}

impl Brought {
    /// Makes them durable, with all that was brought by now, unless another thread does. `acknowledge` is called for each
    /// that is.
    ///
    /// # Errors
    /// As for `enqueue`. An error of the disk is that of every call it covered.
    pub fn wait(self, acknowledge: &mut dyn FnMut(&Enqueued)) -> Result<()> {
        let together = &self.queue.together;
        let publishing = held(&together.publishing);
        let ended = loop {
            if let Some(ended) = held(&self.ended).take() {
                break ended;
            }
            let round = together.next_round();
            if round.is_empty() {
                return Err(self.queue.publisher_died());
            }
            self.queue.publish_round(round);
            held(&together.calls).underway.clear();
        };
        drop(publishing);
        ended.durable.iter().for_each(acknowledge);
        ended.failed.map_or(Ok(()), Err)
    }
}

impl Call {
    /// Tells whoever waits how it ended.
    pub(super) fn end(self, ended: Ended) {
        *held(&self.ended) = Some(ended);
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.jobs.iter().filter_map(|job| job.key.as_deref())
    }
}

impl Together {
    /// The oldest calls that wait, each key once and no more of them than a round may have: who uses a key again finds it known in
    /// the next round. A call with more keys is a round by itself.
    fn next_round(&self) -> Vec<Call> {
        let mut calls = held(&self.calls);
        let (mut keys, mut count) = (HashSet::new(), 0);
        for call in &calls.waiting {
            if !call.keys().all(|key| keys.insert(key)) || keys.len() > KEYS_MAX {
                break;
            }
            count += 1;
        }
        let count = count.max(1).min(calls.waiting.len());
        let round: Vec<Call> = calls.waiting.drain(..count).collect();
        calls.underway = round.iter().map(|call| Arc::clone(&call.jobs)).collect();
        round
    }
}

impl Queue {
    /// The jobs for a document that this process has brought and that are in no directory yet, in the order of their ids. Who
    /// looks for what waits asks this first and lists then: a job leaves here only when it is there.
    #[must_use]
    pub fn brought(&self, doc: DocKey) -> Vec<Job> {
        let calls = held(&self.together.calls);
        let waiting = calls.waiting.iter().map(|call| &call.jobs);
        let jobs = calls.underway.iter().chain(waiting).flat_map(|jobs| jobs.iter());
        jobs.filter(|job| job.document.doc == doc).cloned().collect()
    }

    /// A thread that made others' jobs durable has died over it: nobody knows what is.
    fn publisher_died(&self) -> QueueError {
        let source = std::io::ErrorKind::Interrupted.into();
        let path = self.layout.dir(State::Pending);
        DiskError { action: DiskAction::SyncDir, path, to: None, source }.into()
    }
}

/// A thread that panicked while it held the lock has left nothing half done: each change is one call.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
