//! What a reviewer said no to, so that nobody is asked the same twice: `keys/no-<fingerprint>` names the job that was
//! rejected, when and by whom. It goes with that job's receipt.

use super::{OperatorVerbs, WorkerVerbs};
use crate::Queue;
use crate::error::Result;
use crate::format::hex;
use crate::format::id::JobId;
use crate::format::job::{Ending, Job, Receipt};
use crate::moves::NewFile;
use declaration::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// How long a no is remembered, in milliseconds: thirty days, and no longer than its receipt is kept.
pub const REMEMBERED_MS: u64 = 30 * 24 * 60 * 60 * 1000;
const RECORD_BYTES_MAX: u64 = 64 << 10;
/// How the names of the records begin.
const BEGINNING: &str = "no-";

/// A no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// The job that was rejected.
    pub id: JobId,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: String,
    /// Why, in their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Rejection {
    /// The no that a receipt gives; `None` where it says something else.
    #[must_use]
    pub fn of(job: &Job, receipt: &Receipt) -> Option<Rejection> {
        let Receipt { at, by, reason, .. } = receipt.clone();
        (receipt.outcome == Ending::Rejected).then_some(Rejection { id: job.id, at, by, reason })
    }

    /// What is said of a job that asks the same again.
    #[must_use]
    pub fn sentence(&self) -> String {
        let why = self.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        format!("{} rejected the same on {} (job {}){why}", self.by, self.at.day(), self.id)
    }
}

impl Job {
    /// What it asks for, in a hash: the document and the changes, not who asks, when, or how surely.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut digest = Sha256::new();
        let mut add = |text: &str| {
            digest.update(text.len().to_le_bytes());
            digest.update(text.as_bytes());
        };
        add(&self.document.path.to_string_lossy());
        for entry in &self.entries {
            add(&entry.key.heading.join("\n"));
            add(&entry.key.level.to_string());
            add(entry.operation.as_str());
            add(if entry.scope == declaration::Scope::Own { "own" } else { "subtree" });
            // Blank edges are no other proposal.
            add(entry.content.as_deref().unwrap_or_default().trim());
            add(entry.old_text.as_deref().unwrap_or_default());
            if let Some(times) = entry.expect {
                add(&format!("expect {times}"));
            }
        }
        hex(&digest.finalize())
    }
}

impl OperatorVerbs<'_> {
    /// Remembers noes that are about to be given, each by the fingerprint of what was rejected: they count when the jobs'
    /// receipts say the same.
    ///
    /// # Errors
    /// A disk error.
    pub fn remember_rejections(&self, rejections: &[(String, Rejection)]) -> Result<()> {
        if rejections.is_empty() {
            return Ok(());
        }
        let file = |(fingerprint, rejection): &(String, Rejection)| {
            let bytes = serde_json::to_vec(rejection).unwrap_or_default();
            let tmp = self.queue.layout.tmp().join(format!("{}.no", rejection.id));
            NewFile { tmp, bytes, target: self.queue.rejection(fingerprint) }
        };
        let files = rejections.iter().map(file).collect();
        self.queue.moves().write_again(files)?.replace()?.durable()?;
        self.queue.disk.point("rejected.remembered");
        Ok(())
    }
}

impl WorkerVerbs<'_> {
    /// The no that was given to the same proposal in the last thirty days.
    ///
    /// # Errors
    /// A disk error.
    pub fn rejected_before(&self, job: &Job, now: Timestamp) -> Result<Option<Rejection>> {
        let bytes = match self.queue.disk.read(&self.queue.rejection(&job.fingerprint()), RECORD_BYTES_MAX) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        // What cannot be read costs a person a second question, nothing else.
        let found = serde_json::from_slice::<Rejection>(&bytes).ok();
        let Some(found) = found.filter(|rejection| now.since_ms(rejection.at) <= REMEMBERED_MS) else {
            return Ok(None);
        };
        let receipt = self.queue.receipt(found.id)?;
        Ok(receipt.filter(|receipt| receipt.outcome == Ending::Rejected).map(|_| found))
    }
}

impl Queue {
    /// Forgets the no of a receipt that goes, when it is still the last one.
    pub(crate) fn forget_rejection(&self, job: &Job) -> Result<bool> {
        let path = self.rejection(&job.fingerprint());
        let bytes = self.disk.read(&path, RECORD_BYTES_MAX).unwrap_or_default();
        let is_its =
            serde_json::from_slice::<Rejection>(&bytes).is_ok_and(|rejection| rejection.id == job.id);
        Ok(is_its && self.disk.remove(&path)?)
    }

    /// Every no that is remembered and can be read.
    pub(super) fn rejections(&self) -> Result<Vec<Rejection>> {
        let keys = self.layout.keys();
        let mut found = Vec::new();
        for name in self.list_or_gone(&keys)?.iter().filter(|name| name.starts_with(BEGINNING)) {
            match self.disk.read(&keys.join(name), RECORD_BYTES_MAX) {
                Err(e) if e.is_machine_trouble() => return Err(e.into()),
                read => found.extend(read.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())),
            }
        }
        Ok(found)
    }

    fn rejection(&self, fingerprint: &str) -> PathBuf {
        self.layout.keys().join(format!("{BEGINNING}{fingerprint}"))
    }
}
