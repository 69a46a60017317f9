//! A yes or a no to proposals, or neither any more, many together. Whether one may say it is `Decisions` in `resolve.rs`; whether
//! a yes counts for the words that were shown, `operator/src/resolve.rs`.

use crate::output::{AlreadyMerged, LeftAlone, Reviewed};
use crate::{Decisions, Failure, Home};
use declaration::Timestamp;
use operator::{Action, ApprovedWords};
use queue_layout::{JobId, Listed, State};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

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

    /// Those of the jobs that are merged, by their documents; and the others. By the logs of the documents: of thousands of jobs
    /// only the first one of each document is read.
    fn already_merged(
        &self,
        skipped: Vec<LeftAlone>,
    ) -> Result<(Vec<AlreadyMerged>, Vec<LeftAlone>), Failure> {
        let mut logs = BTreeMap::new();
        let mut place_of: BTreeMap<String, (PathBuf, u64)> = BTreeMap::new();
        let (mut merged, mut others): (BTreeMap<PathBuf, Vec<u64>>, _) = (BTreeMap::new(), Vec::new());
        for left in skipped {
            if !place_of.contains_key(&left.id)
                && let Some(path) = self.merged_into(&left.id)
                && !logs.contains_key(&path)
            {
                let revisions = self.documents().revisions(&self.documents().find(&path)?)?;
                for revision in &revisions {
                    let jobs = revision.jobs.iter();
                    place_of.extend(jobs.map(|job| (job.id.clone(), (path.clone(), revision.version))));
                }
                logs.insert(path, revisions);
            }
            match place_of.get(&left.id) {
                Some((path, version)) => merged.entry(path.clone()).or_default().push(*version),
                None => others.push(left),
            }
        }
        let of_document = |(document, versions): (PathBuf, Vec<u64>)| {
            let first = versions.iter().min().copied().unwrap_or_default();
            let since = logs.get(&document).into_iter().flatten().filter(|one| one.version >= first);
            let in_all: usize = since.map(|revision| revision.jobs.len()).sum();
            let jobs = versions.len();
            let others = in_all.saturating_sub(jobs);
            AlreadyMerged { back_to: first.saturating_sub(1), document, jobs, others }
        };
        Ok((merged.into_iter().map(of_document).collect(), others))
    }

    /// The document of a job that has ended.
    fn merged_into(&self, id: &str) -> Option<PathBuf> {
        let found = self.load(id).ok().filter(|found| found.listed.state == State::Done)?;
        found.job.map(|job| job.document.path)
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
        let not_asked = done.not_asked;
        let (merged, skipped) = match verdict {
            ReviewAnswer::TakenBack => self.home.already_merged(done.skipped)?,
            _ => (Vec::new(), done.skipped),
        };
        let reviewed = Reviewed { approved, held, merged, moved, not_asked, rejected, skipped, taken_back };
        Ok((reviewed, failure))
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
