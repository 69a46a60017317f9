//! What only an operator does to waiting jobs: makes deferred ones due, takes them out of `staging/`, and ends or puts back what
//! nobody could read.

use super::OperatorVerbs;
use super::claimant::{Claimant, Claimed};
use crate::error::{QueueError, Result};
use crate::format::id::IdTime;
use crate::format::job::{Job, Receipt};
use crate::format::name::{DocKey, Form, JobName};
use crate::format::state::State;
use crate::look::doubtful::OriginalReceipt;
use crate::look::names::Listed;
use crate::moves::{NewFile, Renamed};
use declaration::Timestamp;
use durable::Moved;

impl OperatorVerbs<'_> {
    /// Jobs that wait for their next attempt become runnable now; those that moved meanwhile are left as they are.
    ///
    /// # Errors
    /// A disk error.
    pub fn make_due(&self, deferred: &[Listed]) -> Result<()> {
        let (from, to) = (self.queue.layout.dir(State::Deferred), self.queue.layout.dir(State::Pending));
        let mut renamed = self.queue.moves().begin();
        for listed in deferred.iter().filter(|listed| listed.state == State::Deferred) {
            let Some(name) = JobName::parse(&listed.name) else { continue };
            renamed.rename(&from.join(&*listed.name), &to.join(name.moved().to_string()))?;
        }
        renamed.durable().map(drop)
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
            let mended = NewFile { tmp, bytes: bytes.to_vec(), target };
            let written = self.queue.moves().write_again(vec![mended])?;
            self.queue.change_mark()?;
            let durable = written.place()?.durable()?;
            return self.remove_reason(durable.then_remove([from])?, listed);
        }
        self.queue.change_mark()?;
        let mut renamed = self.queue.moves().begin();
        if renamed.rename(&from, &target)? == Moved::Gone {
            renamed.not_durable();
            return Err(QueueError::TakenMeanwhile(listed.id.to_string()));
        }
        renamed.arrived()?;
        self.remove_reason(renamed, listed)
    }

    /// Ends bytes that could not be read: they stay beside their receipt in `done/`.
    ///
    /// # Errors
    /// A disk error.
    pub fn discard_original(&self, listed: &Listed, receipt: &Receipt, now: Timestamp) -> Result<()> {
        let day = self.queue.layout.done_day(&now.day());
        self.queue.moves().make_dir(&day)?;
        let original = format!("{}.original", listed.id);
        let record = OriginalReceipt { receipt: receipt.clone(), original: original.clone() };
        let bytes = serde_json::to_vec(&record)
            .map_err(|e| QueueError::Encode { what: "a receipt", message: e.to_string() })?;
        let tmp = self.queue.layout.tmp().join(format!("{}.discarded", listed.id));
        let record = NewFile { tmp, bytes, target: day.join(format!("{}.json", listed.id)) };
        let record = self.queue.moves().write_again(vec![record])?;
        let mut renamed = self.queue.moves().begin();
        renamed.place(&self.queue.layout.dir(listed.state).join(&*listed.name), &day.join(original))?;
        record.place_with(&mut renamed)?;
        renamed.arrived()?;
        self.remove_reason(renamed, listed)
    }

    /// The reason goes with the bytes, which have arrived elsewhere.
    fn remove_reason(&self, mut renamed: Renamed<'_>, listed: &Listed) -> Result<()> {
        let dir = self.queue.layout.dir(listed.state);
        if let Some(stem) = listed.name.strip_suffix(".original") {
            renamed.remove(&dir.join(format!("{stem}.yaml")))?;
        }
        renamed.durable().map(drop)
    }

    /// How many milliseconds the next id will be dated ahead of the clock: it was set back. The order of ids is kept; ages
    /// are counted too short until the clock has caught up.
    ///
    /// # Errors
    /// A disk error.
    pub fn ids_ahead_ms(&self, now: Timestamp) -> Result<u64> {
        Ok(IdTime::parse(&self.queue.mark()?).millis.saturating_sub(now.millis()))
    }
}

impl Claimant {
    /// Takes a job out of `staging/`; `None` when somebody else was faster. Not durable by itself: `secure` is for many.
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
        match self.rename_in(&from, &claimed.name)? {
            Moved::Done => {
                self.disk().point("resolve.claimed");
                Ok(Some(claimed))
            }
            Moved::Gone | Moved::Taken => Ok(None),
        }
    }
}
