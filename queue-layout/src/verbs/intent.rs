//! Writing and removing intents: each is durable before what it announces is done to a document.

use super::WorkerVerbs;
use super::claimant::Claimant;
use crate::error::{QueueError, Result};
use crate::format::id::JobId;
use crate::format::intent::{Intent, is_intent};
use crate::format::name::{DocKey, Form, JobName};
use crate::format::state::State;
use crate::moves::NewFile;
use crate::{JOB_BYTES_MAX, Queue};
use declaration::{Code, Problem};
use durable::Disk;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a commit writes beside the document: its intent, and the text that a program is asked about.
#[derive(Debug, Clone, Copy)]
pub struct CommitVerbs<'c> {
    pub(super) claimant: &'c Claimant,
}

impl Claimant {
    /// For who commits to a document.
    #[must_use]
    pub fn commits(&self) -> CommitVerbs<'_> {
        CommitVerbs { claimant: self }
    }

    /// Whether somebody else holds waiting jobs of a document, or is between an exchange of it and its end. Asked under
    /// the document's lock, where only the dead can: their jobs come before ours, so they are recovered first. `hints`: by which
    /// its jobs may be named.
    ///
    /// # Errors
    /// A disk error.
    pub fn others_hold_document(&self, hints: &BTreeSet<DocKey>, canonical: &Path) -> Result<bool> {
        for worker in self.queue.workers_with_claims()?.iter().filter(|worker| *worker != self.name()) {
            let dir = self.layout().dir(State::Processing).join(worker);
            let names = self.queue.list_or_gone(&dir)?;
            let of_document = |name: &String| {
                let is_job = |form| matches!(form, Form::Job | Form::Bundle(_));
                JobName::parse(name).is_some_and(|name| is_job(name.form) && hints.contains(&name.doc))
            };
            if names.iter().any(of_document) {
                return Ok(true);
            }
        }
        Ok(self.queue.others_intents(self.name())?.iter().any(|intent| intent.canonical == canonical))
    }
}

impl CommitVerbs<'_> {
    /// Writes an intent, in the place of an earlier one of the same commit, and makes it durable.
    ///
    /// # Errors
    /// A disk error: then nothing of it may be done.
    pub fn write_intent(&self, intent: &Intent) -> Result<()> {
        let bytes = serde_json::to_vec(intent)
            .map_err(|e| QueueError::Encode { what: "an intent", message: e.to_string() })?;
        let tmp =
            self.claimant.layout().tmp().join(format!("{}.{}.intent", self.claimant.name(), intent.batch));
        let new = NewFile { tmp, bytes, target: self.intent_path(intent.batch) };
        self.claimant.queue.moves().write_again(vec![new])?.replace()?.durable().map(drop)
    }

    /// Removes an intent whose commit is settled. Not synced: an intent that comes back after a
    /// power cut is looked at again and found done.
    ///
    /// # Errors
    /// A disk error.
    pub fn remove_intent(&self, batch: JobId) -> Result<()> {
        self.claimant.disk().remove(&self.intent_path(batch))?;
        Ok(())
    }

    /// Removes an intent whose commit did not happen, for good: its temp file may go after it.
    ///
    /// # Errors
    /// A disk error.
    pub fn withdraw_intent(&self, batch: JobId) -> Result<()> {
        let mut renamed = self.claimant.queue.moves().begin();
        if renamed.remove(&self.intent_path(batch))? {
            renamed.durable()?;
        } else {
            renamed.not_durable();
        }
        Ok(())
    }

    /// The intents that were written and are not removed: a dead worker's, where its claimant was taken over.
    ///
    /// # Errors
    /// A disk error; `Unreadable` for one we cannot read: it is never taken for absent.
    pub fn intents(&self) -> Result<Vec<Intent>> {
        let names = self.claimant.queue.list_or_gone(&self.claimant.dir())?;
        names
            .iter()
            .filter(|name| is_intent(name))
            .map(|name| read(self.claimant.disk(), &self.claimant.dir().join(name)))
            .collect()
    }

    fn intent_path(&self, batch: JobId) -> PathBuf {
        self.claimant.dir().join(format!("commit-{batch}.json"))
    }
}

impl WorkerVerbs<'_> {
    /// Every intent of every worker, dead or alive: documents between an exchange and its end.
    ///
    /// # Errors
    /// A disk error; `Unreadable`.
    pub fn intents(&self) -> Result<Vec<Intent>> {
        self.queue.others_intents("")
    }
}

impl Queue {
    /// The same without those of one worker.
    pub(crate) fn others_intents(&self, own: &str) -> Result<Vec<Intent>> {
        let mut all = Vec::new();
        for worker in self.workers_with_claims()?.iter().filter(|worker| *worker != own) {
            let dir = self.layout.dir(State::Processing).join(worker);
            for name in self.list_or_gone(&dir)?.iter().filter(|name| is_intent(name)) {
                match read(&*self.disk, &dir.join(name)) {
                    Err(QueueError::Disk(e)) if e.kind() == std::io::ErrorKind::NotFound => {}
                    other => all.push(other?),
                }
            }
        }
        Ok(all)
    }
}

fn read(disk: &dyn Disk, path: &Path) -> Result<Intent> {
    let bytes = disk.read(path, JOB_BYTES_MAX)?;
    let refuse = |message: String| {
        QueueError::Unreadable {
        path: path.to_owned(),
        problems: vec![
            Problem::new(Code::BadIntent, message)
                .hint("a commit was cut short and we cannot tell how far it came: compare the document with its history"),
        ],
    }
    };
    let intent: Intent = serde_json::from_slice(&bytes).map_err(|e| refuse(e.to_string()))?;
    if !Intent::FORMATS.contains(&intent.format) {
        return Err(refuse(format!("format {}, this build reads 1 to 3", intent.format)));
    }
    Ok(intent)
}
