//! Decisions that a person takes back: which there are, and what is left of them in the queue.

use super::OperatorVerbs;
use super::rejected::Rejection;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::job::Job;
use crate::look::names::Listed;
use declaration::Timestamp;
use std::collections::BTreeSet;

impl OperatorVerbs<'_> {
    /// The jobs that somebody said yes to and that wait for the worker, in the order of their ids.
    ///
    /// # Errors
    /// A disk error.
    pub fn approved_waiting(&self) -> Result<Vec<Listed>> {
        let names = self.queue.list_or_gone(&self.queue.layout.approvals())?;
        let yes = names.iter().filter_map(|name| name.strip_suffix(super::approvals::ENDING)?.parse().ok());
        let yes: BTreeSet<JobId> = yes.collect();
        let mut jobs = self.queue.list_runnable()?.0.jobs;
        jobs.retain(|listed| yes.contains(&listed.id));
        jobs.sort_by_key(|listed| listed.id);
        Ok(jobs)
    }

    /// The jobs that somebody said no to since then, as far as each no is the last one to what it proposed.
    ///
    /// # Errors
    /// A disk error.
    pub fn rejected_since(&self, since: Timestamp) -> Result<Vec<JobId>> {
        let mut found: Vec<Rejection> = self.queue.rejections()?;
        found.retain(|rejection| rejection.at >= since);
        found.sort_by_key(|rejection| rejection.id);
        Ok(found.into_iter().map(|rejection| rejection.id).collect())
    }

    /// Removes the records of a yes, before their jobs wait for another one. Not synced: a job that waits for a yes does not say
    /// that it has one, so a record that a power cut leaves counts for nothing.
    ///
    /// # Errors
    /// A disk error.
    pub fn forget_yes(&self, ids: &[JobId]) -> Result<()> {
        for id in ids {
            self.queue.disk.remove(&self.queue.approval_path(*id))?;
        }
        self.queue.disk.point("undo.yes_forgotten");
        Ok(())
    }

    /// Forgets that there was a no to what these jobs proposed.
    ///
    /// # Errors
    /// A disk error.
    pub fn forget_no(&self, jobs: &[Job]) -> Result<()> {
        jobs.iter().try_for_each(|job| self.queue.forget_rejection(job).map(drop))
    }
}
