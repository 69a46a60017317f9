//! What only an operator does to waiting jobs: makes deferred ones due, takes them out of `staging/`, and ends or puts back what
//! nobody could read.

use super::OperatorVerbs;
use super::claimant::{Claimant, Claimed};
use crate::error::{QueueError, Result};
use crate::format::id::Stamp;
use crate::format::job::{Job, Receipt};
use crate::format::name::{DocKey, Form, JobName};
use crate::format::state::State;
use crate::look::doubtful::OriginalReceipt;
use crate::look::list::Listed;
use declaration::Timestamp;
use durable::{Attributes, Moved};

impl OperatorVerbs<'_> {
    /// Jobs that wait for their next attempt become runnable now; those that moved meanwhile are left as they are.
    ///
    /// # Errors
    /// A disk error.
    pub fn make_due(&self, deferred: &[Listed]) -> Result<()> {
        let (from, to) = (self.queue.layout.dir(State::Deferred), self.queue.layout.dir(State::Pending));
        for listed in deferred.iter().filter(|listed| listed.state == State::Deferred) {
            let Some(name) = JobName::parse(&listed.name) else { continue };
            self.queue.disk.move_new(&from.join(&*listed.name), &to.join(name.moved().to_string()))?;
        }
        if !deferred.is_empty() {
            self.queue.disk.sync_dir(&to)?;
            self.queue.disk.sync_dir(&from)?;
        }
        Ok(())
    }

    /// Puts bytes that could not be read back to `pending`, as they are or as somebody mended them: they are read
    /// again as a dropped declaration; jobs that only had to be made readable, or waited for a newer build, as what they were.
    ///
    /// # Errors
    /// A disk error.
    pub fn retry_original(&self, listed: &Listed, mended: Option<&[u8]>) -> Result<()> {
        let dir = self.queue.layout.dir(listed.state);
        let from = dir.join(&*listed.name);
        let drop = JobName { id: listed.id, doc: DocKey::UNKNOWN, rev: 0, due: None, form: Form::Drop };
        let before = if mended.is_none() { self.queue.name_before(listed) } else { None };
        let name = before.map_or(drop, |name| name.moved());
        let target = self.queue.layout.dir(State::Pending).join(name.to_string());
        if let Some(bytes) = mended {
            let tmp = self.queue.layout.tmp().join(format!("{}.mended", listed.id));
            self.queue.disk.remove(&tmp)?;
            self.queue.disk.write_new(&tmp, bytes, Attributes::PRIVATE)?;
            self.queue.change_mark()?;
            self.queue.place(&tmp, &target)?;
            self.queue.disk.sync_dir(&self.queue.layout.dir(State::Pending))?;
            self.queue.disk.remove(&from)?;
            return self.remove_reason(listed);
        }
        self.queue.change_mark()?;
        if self.queue.disk.move_new(&from, &target)? == Moved::Gone {
            return Err(QueueError::TakenMeanwhile(listed.id.to_string()));
        }
        self.queue.disk.sync_dir(&self.queue.layout.dir(State::Pending))?;
        self.remove_reason(listed)
    }

    /// Ends bytes that could not be read: they stay beside their receipt in `done/`.
    ///
    /// # Errors
    /// A disk error.
    pub fn discard_original(&self, listed: &Listed, receipt: &Receipt, now: Timestamp) -> Result<()> {
        let day = self.queue.layout.done_day(&now.day());
        self.queue.disk.make_dir(&day)?;
        // Also when it is there: whoever made it may have died before it was durable.
        self.queue.disk.sync_dir(&self.queue.layout.dir(State::Done))?;
        let original = format!("{}.original", listed.id);
        let record = OriginalReceipt { receipt: receipt.clone(), original: original.clone() };
        let bytes = serde_json::to_vec(&record)
            .map_err(|e| QueueError::Encode { what: "a receipt", message: e.to_string() })?;
        let tmp = self.queue.layout.tmp().join(format!("{}.discarded", listed.id));
        self.queue.disk.remove(&tmp)?;
        self.queue.disk.write_new(&tmp, &bytes, Attributes::PRIVATE)?;
        self.queue.place(&self.queue.layout.dir(listed.state).join(&*listed.name), &day.join(original))?;
        self.queue.place(&tmp, &day.join(format!("{}.json", listed.id)))?;
        self.queue.disk.sync_dir(&day)?;
        self.remove_reason(listed)
    }

    fn remove_reason(&self, listed: &Listed) -> Result<()> {
        let dir = self.queue.layout.dir(listed.state);
        if let Some(stem) = listed.name.strip_suffix(".original") {
            self.queue.disk.remove(&dir.join(format!("{stem}.yaml")))?;
        }
        self.queue.disk.sync_dir(&dir)?;
        Ok(())
    }

    /// How many milliseconds the next id will be dated ahead of the clock: it was set back. The order of ids is kept; ages
    /// are counted too short until the clock has caught up.
    ///
    /// # Errors
    /// A disk error.
    pub fn ids_ahead_ms(&self, now: Timestamp) -> Result<u64> {
        Ok(Stamp::parse(&self.queue.mark()?).millis.saturating_sub(now.millis()))
    }
}

impl Claimant {
    /// Takes a job out of `staging/`; `None` when somebody else was faster.
    ///
    /// # Errors
    /// A disk error.
    pub fn claim_staged(&self, listed: &Listed, job: &Job) -> Result<Option<Claimed>> {
        let name = JobName {
            id: listed.id,
            doc: job.document.doc,
            rev: job.rev.saturating_add(1),
            due: None,
            form: Form::Staged,
        };
        let claimed = Claimed { id: listed.id, name, from: Some(listed.state) };
        let from = self.layout().dir(listed.state).join(&*listed.name);
        self.root()?;
        match self.disk().move_new(&from, &self.path(&claimed))? {
            Moved::Done => {
                self.secure(std::slice::from_ref(&claimed))?;
                self.disk().point("resolve.claimed");
                Ok(Some(claimed))
            }
            Moved::Gone | Moved::Taken => Ok(None),
        }
    }
}
