//! Claims given back to `pending`: all of a file's jobs by a move, some of them after the file was split.

use super::claimant::{Claimant, Claimed};
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::name::JobName;
use crate::format::state::State;
use crate::look::names::Listed;
use std::collections::BTreeMap;

impl Claimant {
    /// Claims a job from `pending` or `deferred`; `None` when somebody else was faster. Not durable by itself: if a power cut
    /// undoes it, the job is back in `pending`. Other jobs in the same file are left there, each in a file of its own.
    ///
    /// # Errors
    /// A disk error.
    pub fn claim(&self, listed: &Listed) -> Result<Option<Claimed>> {
        let claims = self.claim_file(listed)?;
        Ok(self.keep(claims, &|id| id == listed.id)?.pop())
    }

    /// Keeps these of some claims, and gives the others back to `pending`.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep(&self, claims: Vec<Claimed>, wanted: &dyn Fn(JobId) -> bool) -> Result<Vec<Claimed>> {
        if claims.iter().all(|claimed| wanted(claimed.id)) {
            return Ok(claims);
        }
        let (kept, others): (Vec<Claimed>, Vec<Claimed>) =
            self.split(&claims)?.into_iter().partition(|claimed| wanted(claimed.id));
        self.release(&others)?;
        Ok(kept)
    }

    /// Gives claims back to `pending`; only the `rev` in their names changes. A bundle of which only some jobs are given back is
    /// split.
    ///
    /// # Errors
    /// A disk error.
    pub fn release(&self, claims: &[Claimed]) -> Result<()> {
        if claims.is_empty() {
            return Ok(());
        }
        let mut files: BTreeMap<JobName, u32> = BTreeMap::new();
        for claimed in claims {
            *files.entry(claimed.name).or_default() += 1;
        }
        if files.iter().any(|(name, jobs)| *jobs != name.jobs()) {
            return self.release(&self.split(claims)?);
        }
        let mut renamed = self.queue.moves().begin();
        for file in files.keys() {
            let target = self.layout().dir(State::Pending).join(file.moved().to_string());
            renamed.place(&self.dir().join(file.to_string()), &target)?;
        }
        renamed.durable().map(drop)
    }
}
