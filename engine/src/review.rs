//! A yes or a no to proposals, or neither any more, many together.

use crate::output::Reviewed;
use crate::{Decisions, Failure, Home};
use declaration::Timestamp;
use operator::{Action, ApprovedWords};
use queue_layout::{JobId, Listed};
use std::collections::{BTreeMap, BTreeSet};

/// What a person says to proposals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewAnswer {
    /// They are merged.
    Yes,
    /// They end.
    No,
    /// Neither, any more: a yes to what is not merged yet, or a no, is taken back.
    TakenBack,
}

impl Home {
    /// The decisions that can be taken back: of all jobs every yes to what is not merged yet and every no since then; of named
    /// ones whatever was decided, which may be more than can be taken back.
    ///
    /// # Errors
    /// A name fits no job or several; a disk error.
    pub fn decided(&self, names: &[String], since: Timestamp) -> Result<Vec<Listed>, Failure> {
        if names.is_empty() {
            return Ok(operator::decided(self.queue(), since)?);
        }
        // Thousands may come from a listing: each whole id is found without a look at the directories.
        let waiting = self.queue().operator().approved_waiting()?.into_iter();
        let waiting: BTreeMap<String, Listed> =
            waiting.map(|listed| (listed.id.to_string(), listed)).collect();
        let find = |name: &String| waiting.get(name).cloned().map_or_else(|| self.queue().find(name), Ok);
        let mut jobs = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        jobs.sort_by_key(|listed| listed.id);
        jobs.dedup_by_key(|listed| listed.id);
        Ok(jobs)
    }
}

impl Decisions {
    /// Says yes or no to each of these proposals, or takes that back, in this order; what is held is left alone. A yes is for what the worker
    /// proposed. Once the control stops, the rest is left (`not_asked`).
    /// What was decided, and why the rest was not, where trouble ended it.
    ///
    /// # Errors
    /// A disk error before the first was decided.
    pub fn review(
        &self,
        jobs: Vec<Listed>,
        verdict: ReviewAnswer,
    ) -> Result<(Reviewed, Option<Failure>), Failure> {
        let holds = self.home.queue().holds()?;
        let (held, free): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|listed| holds.job(listed.id));
        let mut moved =
            if verdict == ReviewAnswer::Yes { self.home.moved_sections(&free)? } else { Vec::new() };
        let action = match verdict {
            ReviewAnswer::Yes => Action::Approve(ApprovedWords::AsProposed),
            ReviewAnswer::No => Action::Reject,
            ReviewAnswer::TakenBack => Action::TakeBack,
        };
        let (done, failure) = match self.all(&free, &action) {
            Ok(done) => (done, None),
            Err(undecided) => (*undecided.before, Some(undecided.failure)),
        };
        let decided = if verdict == ReviewAnswer::No { &done.ended } else { &done.requeued };
        let decided: BTreeSet<JobId> = decided.iter().filter_map(|id| id.parse().ok()).collect();
        moved.retain(|section| decided.contains(&section.id));
        let ids: Vec<JobId> = decided.into_iter().collect();
        let (approved, rejected, taken_back) = match verdict {
            ReviewAnswer::Yes => (Some(ids), None, None),
            ReviewAnswer::No => (None, Some(ids), None),
            ReviewAnswer::TakenBack => (None, None, Some(ids)),
        };
        let held = held.iter().map(|listed| listed.id).collect();
        let (not_asked, skipped) = (done.not_asked, done.skipped);
        Ok((Reviewed { approved, held, moved, not_asked, rejected, skipped, taken_back }, failure))
    }
}

impl Reviewed {
    /// The proposals that were decided about.
    #[must_use]
    pub fn decided(&self) -> &[JobId] {
        let ids = self.approved.as_ref().or(self.rejected.as_ref()).or(self.taken_back.as_ref());
        ids.map_or(&[], Vec::as_slice)
    }
}
