//! A yes or a no to proposals, many together.

use crate::output::Reviewed;
use crate::{Decisions, Failure};
use operator::{Action, ApprovedWords};
use queue_layout::{JobId, Listed};
use std::collections::BTreeSet;

impl Decisions {
    /// Says yes or no to each of these proposals, in this order; what is held is left alone. A yes is for what the worker
    /// proposed. Once the control stops, the rest is left (`not_asked`).
    /// What was decided, and why the rest was not, where trouble ended it.
    ///
    /// # Errors
    /// A disk error before the first was decided.
    pub fn review(&self, jobs: Vec<Listed>, yes: bool) -> Result<(Reviewed, Option<Failure>), Failure> {
        let holds = self.home.queue().holds()?;
        let (held, free): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|listed| holds.job(listed.id));
        let mut moved = if yes { self.home.moved_sections(&free)? } else { Vec::new() };
        let action = if yes { Action::Approve(ApprovedWords::AsProposed) } else { Action::Reject };
        let (done, failure) = match self.all(&free, &action) {
            Ok(done) => (done, None),
            Err(undecided) => (*undecided.before, Some(undecided.failure)),
        };
        let decided = if yes { &done.requeued } else { &done.ended };
        let decided: BTreeSet<JobId> = decided.iter().filter_map(|id| id.parse().ok()).collect();
        moved.retain(|section| decided.contains(&section.id));
        let ids: Vec<JobId> = decided.into_iter().collect();
        let (approved, rejected) = if yes { (Some(ids), None) } else { (None, Some(ids)) };
        let held = held.iter().map(|listed| listed.id).collect();
        let (not_asked, skipped) = (done.not_asked, done.skipped);
        Ok((Reviewed { approved, held, moved, not_asked, rejected, skipped }, failure))
    }
}

impl Reviewed {
    /// The proposals that were decided about.
    #[must_use]
    pub fn decided(&self) -> &[JobId] {
        self.approved.as_ref().or(self.rejected.as_ref()).map_or(&[], Vec::as_slice)
    }
}
