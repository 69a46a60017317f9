//! Approvals: records in `approvals/` of a person's yes to a job. Written before the approved job goes back to `pending`, read
//! by the worker that claims it, removed once the job has ended and its receipt, which repeats the yes, is durable.

use super::{OperatorVerbs, WorkerVerbs, proposals};
use crate::Queue;
use crate::error::{QueueError, Result};
use crate::format::approval::Approval;
use crate::format::id::JobId;
use crate::moves::NewFile;
use std::io::ErrorKind;
use std::path::PathBuf;

/// A record is a few lines; a larger file is not read as one.
const APPROVAL_BYTES_MAX: u64 = 64 << 10;
pub(super) const ENDING: &str = ".json";

impl OperatorVerbs<'_> {
    /// Writes approvals, many at once; durable when it returns. Only then may a job go back to `pending` with `approved_by`.
    ///
    /// # Errors
    /// A disk error.
    pub fn record_approvals(&self, approvals: &[Approval]) -> Result<()> {
        self.queue.record_approvals(approvals)
    }
}

impl WorkerVerbs<'_> {
    /// The approval of a job; whether it fits the job's words of now is for the caller to check. `None` also for a record that
    /// cannot be parsed: a person is then asked again.
    ///
    /// # Errors
    /// A disk error.
    pub fn approval(&self, id: JobId) -> Result<Option<Approval>> {
        match self.queue.disk.read(&self.queue.approval_path(id), APPROVAL_BYTES_MAX) {
            // If the file cannot be opened now it may still be a valid approval: that is an error, not a missing yes.
            Err(e) if e.is_machine_trouble() || e.kind() == ErrorKind::PermissionDenied => Err(e.into()),
            Err(_) => Ok(None),
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        }
    }
}

impl Queue {
    pub(crate) fn record_approvals(&self, approvals: &[Approval]) -> Result<()> {
        if approvals.is_empty() {
            return Ok(());
        }
        self.moves().make_dir(&self.layout.approvals())?;
        let file = |approval: &Approval| {
            let bytes = serde_json::to_vec(approval)
                .map_err(|e| QueueError::Encode { what: "an approval", message: e.to_string() })?;
            let tmp = self.layout.tmp().join(format!("{}.approval", approval.id));
            Ok(NewFile { tmp, bytes, target: self.approval_path(approval.id) })
        };
        let files = approvals.iter().map(file).collect::<Result<Vec<_>>>()?;
        let written = self.moves().write_again(files)?;
        self.disk.point("approval.written");
        written.replace()?.durable()?;
        self.disk.point("approval.durable");
        Ok(())
    }

    /// Removes the records of jobs that have ended, once their receipts are durable and before their claims go: a yes is for one
    /// merge, and the same file put into `pending` again is asked about. Durable when it returns, so that no power cut brings
    /// a record back without its claim.
    pub(crate) fn use_up_approvals(&self, ended: impl Iterator<Item = JobId>) -> Result<()> {
        let mut any = false;
        for id in ended {
            self.disk.remove(&self.approval_path(id))?;
            any = true;
        }
        // Also where none is there any more: whoever removed it may have died before that was durable.
        if any && self.disk.stat(&self.layout.approvals())?.is_some() {
            self.disk.point("approval.removed");
            self.moves().confirm([self.layout.approvals()])?;
            self.disk.point("approval.used");
        }
        Ok(())
    }

    /// Removes the records of jobs whose receipts are pruned, and the seals of their proposals.
    pub(crate) fn forget_approvals(&self, ended: impl Iterator<Item = JobId>) -> Result<()> {
        let there = self.list_or_gone(&self.layout.approvals())?;
        if there.is_empty() {
            return Ok(());
        }
        let names = ended.flat_map(|id| [ENDING, proposals::ENDING].map(|ending| format!("{id}{ending}")));
        for name in names.filter(|name| there.contains(name)) {
            self.disk.remove(&self.layout.approvals().join(name))?;
        }
        Ok(())
    }

    pub(super) fn approval_path(&self, id: JobId) -> PathBuf {
        self.layout.approvals().join(format!("{id}{ENDING}"))
    }
}
