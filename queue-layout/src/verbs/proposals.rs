//! What was proposed first: the seal of each proposal, in `approvals/<id>.seal`, written when it is put into `staging/review/`
//! for the first time and never changed. A proposal that comes there again with other words (somebody moved its file back into
//! `pending`) loses its seal, so that a yes to what was looked at before is none to these words.

use crate::Queue;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::job::Job;
use crate::moves::NewFile;
use declaration::{Advice, Code, Fault};
use std::path::PathBuf;

/// A seal is one line; what is larger is none.
const SEAL_BYTES_MAX: u64 = 4 << 10;
pub(super) const ENDING: &str = ".seal";
/// How a seal begins; anything else is what a power cut left.
const BEGINNING: &str = "sha256:";

/// A job, and the seal it was first proposed with.
pub(super) type FirstSeal = (JobId, String);

impl Queue {
    /// A proposal; without its seal, and saying so, where it was proposed before with other words. One that is proposed for the
    /// first time is added to `new`: those are to be remembered once they are durable.
    pub(super) fn held_to_the_first(&self, job: Job, new: &mut Vec<FirstSeal>) -> Result<Job> {
        let Some(seal) = &job.seal else { return Ok(job) };
        match self.first_seal(job.id)? {
            Some(first) if first == *seal || job.has_words(&first) => Ok(job),
            // Words that were changed after a yes say more already.
            Some(_) if job.error.as_ref().is_some_and(|error| error.code == Code::ApprovalMismatch) => {
                Ok(Job { seal: None, ..job })
            }
            Some(_) => {
                let decide = self.say(&Advice::ReviewSome);
                let error = Fault::new(
                    Code::ApprovalMismatch,
                    "its words were changed after they were proposed, or its document leads to another file",
                )
                .hint(format!("look at it, then say yes or no: `{decide}`"));
                Ok(Job { seal: None, error: Some(error), ..job })
            }
            None => {
                new.push((job.id, seal.clone()));
                Ok(job)
            }
        }
    }

    /// Remembers the seals of new proposals. Not synced: where a power cut takes one, the next proposal of that job is the first.
    /// `by`: the worker's name, so that what it leaves in `tmp/` when it dies is known to be its.
    pub(super) fn remember_seals(&self, by: &str, seals: &[FirstSeal]) -> Result<()> {
        if seals.is_empty() {
            return Ok(());
        }
        self.moves().make_dir(&self.layout.approvals())?;
        for (id, seal) in seals {
            let tmp = self.layout.tmp().join(format!("{by}.{id}{ENDING}"));
            let file = NewFile { tmp, bytes: format!("{seal}\n").into_bytes(), target: self.seal_path(*id) };
            self.moves().write_unsynced(file)?.replace()?.not_durable();
        }
        Ok(())
    }

    fn first_seal(&self, id: JobId) -> Result<Option<String>> {
        match self.disk.read(&self.seal_path(id), SEAL_BYTES_MAX) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e.into()),
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                Ok(text.strip_suffix('\n').filter(|seal| seal.starts_with(BEGINNING)).map(str::to_owned))
            }
        }
    }

    fn seal_path(&self, id: JobId) -> PathBuf {
        self.layout.approvals().join(format!("{id}{ENDING}"))
    }
}
