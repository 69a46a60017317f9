//! The waiting jobs of one document: found, locked, claimed in order, merged and committed batch after batch.

use crate::archive::bring_back;
use crate::batch::{CommitFacts, Ready};
use crate::commit::{Commit, Committed, Left};
use crate::error::RunError;
use crate::pass::{Clock, View, runnable_head};
use crate::report::Report;
use crate::rewrite::rewritten;
use crate::{BATCH_JOBS_MAX, Context, LOOK_AHEAD_IN_ALL_MAX, LOOK_AHEAD_JOBS_MAX};
use declaration::{Code, Fault, Problem, Target};
use documents::Document;
use policy::knowledge_base::Surroundings;
use policy::reached;
use queue_layout::{Claimant, Claimed, DocKey, Durations, Holds, Job, Listed, Outcome, QueueError};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many jobs go into the next commit, by how long the last one took: whoever asks a worker to end waits for no more
/// than a batch.
fn next_jobs_max(jobs: usize, took_ms: u64) -> usize {
    let took_ms = usize::try_from(took_ms).unwrap_or(usize::MAX);
    if took_ms <= BATCH_MS {
        return BATCH_JOBS_MAX;
    }
    (jobs.saturating_mul(BATCH_MS) / took_ms).clamp(BATCH_JOBS_MIN, BATCH_JOBS_MAX)
}

/// What a batch may take before the next one is smaller, in milliseconds.
const BATCH_MS: usize = 1000;
/// Fewer jobs would cost more in commits than they save in waiting.
const BATCH_JOBS_MIN: usize = 16;

/// Where a job's document is now: by what the job says, and by the configuration and the links of now. A knowledge base that
/// is gone is not written to, and one that moved is written to where it is.
pub(crate) fn located(
    context: &Context<'_>,
    job: &Job,
) -> Result<Result<LocatedDocument, Outcome>, RunError> {
    let Some(first) = job.entries.first() else {
        return Ok(Err(Outcome::Failed(Fault::new(Code::NoEntries, "the job has no entries"))));
    };
    let home = context.user_home;
    let cwd = job.producer.cwd.as_deref().unwrap_or(home);
    let around = Surroundings { home, project: job.document.project.as_deref(), cwd, today: None };
    let found = context.resolve_with_rules(&first.key.target, &around)?;
    Ok(found.map_err(unplaced).map(|(found, others)| LocatedDocument {
        document: Document { path: found.path, canonical: found.canonical },
        kb: found.index,
        others,
    }))
}

/// The waiting jobs of one document (or of several that share a hint).
pub(crate) struct Group<'a> {
    pub context: Context<'a>,
    pub claimant: &'a Claimant,
    view: &'a View,
    /// Where targets lead, by the configuration and the links of now.
    places: RefCell<Vec<(Named, Result<LocatedDocument, Outcome>)>>,
    /// How we left the document: nobody else can make a version of it while we have its lock.
    left: Cell<Option<Left>>,
    /// What was done so far.
    report: Cell<Report>,
}

/// A target, and the project and working directory it was named in.
type Named = (Target, Option<PathBuf>, Option<PathBuf>);

/// A document and its knowledge base, by index; and others whose rules hold for it, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocatedDocument {
    pub document: Document,
    pub kb: usize,
    pub others: Vec<usize>,
}

impl<'a> Group<'a> {
    pub fn new(context: Context<'a>, claimant: &'a Claimant, view: &'a View) -> Group<'a> {
        Group {
            context,
            claimant,
            view,
            places: RefCell::default(),
            left: Cell::default(),
            report: Cell::default(),
        }
    }

    /// What was done, also by a run that ended in an error.
    pub fn report(&self) -> Report {
        self.report.get()
    }

    pub(crate) fn count(&self, more: Report) {
        self.report.set(self.report.get().plus(more));
    }

    /// Merges the jobs, batch after batch, until none is left that may be taken up now.
    pub fn run(&self, waiting: Vec<Listed>) -> Result<(), RunError> {
        let Some((place, first)) = self.first_place(&waiting)? else { return Ok(()) };
        let place = match place {
            Ok(place) => place,
            Err(outcome) => return self.settle_unplaced(&first, &outcome),
        };
        // Another worker has the document; what it leaves is taken up by its next pass, or by ours.
        let Some(_only_writer) = self.context.documents.try_lock(&place.document)? else {
            return Ok(());
        };
        // Dead workers may hold earlier jobs of this document, or a half-made commit: that is recovered before the next look.
        let untouched = self.view.still_true(&self.context)?;
        let hints = self.view.hints(first.doc);
        if !untouched && self.claimant.others_hold_document(&hints, &place.document.canonical)? {
            return Ok(());
        }
        let waiting = if untouched { waiting } else { self.waiting_now(&hints)? };
        let mut rest = waiting.as_slice();
        let mut jobs_max = BATCH_JOBS_MAX;
        while !rest.is_empty() && !self.context.stopping() && self.report().deferred == 0 {
            // Asked anew for each batch, under the document's lock: after a hold no further one begins.
            let holds = self.context.queue.holds()?;
            if holds.queue() || self.is_held(&holds, &place)? {
                break;
            }
            // Before anything is claimed. Another home's commit in the same directory was waited for as long as one takes;
            // what waits here has its turn in the next run.
            let Some(_in_place) = self.context.documents.lock_place(&place.document)? else { break };
            let (ready, later) = self.claim(rest, &place, &holds, jobs_max)?;
            rest = later;
            if !ready.is_empty() {
                bring_back(&self.context, &self.context.kbs[place.kb], &place.document)?;
                let ready = self.rewritten(&place, ready);
                let jobs = ready.len();
                let took_ms = self.commit_or_give_back(&place, ready)?;
                jobs_max = next_jobs_max(jobs, took_ms);
            }
        }
        if let Err(e) = self.context.documents.trim(&place.document) {
            // The jobs are settled; the next run trims the log again.
            (self.context.warn)(&e);
        }
        Ok(())
    }

    /// Whether a document is held, or where it lies in the archive from which it would be brought back.
    fn is_held(&self, holds: &Holds, place: &LocatedDocument) -> Result<bool, RunError> {
        let Document { path, canonical } = &place.document;
        let archived = self.context.as_archived(&self.context.kbs[place.kb], path);
        let archived = archived.map(|path| self.context.documents.canonical(&path)).transpose()?;
        Ok(holds.document(canonical) || archived.is_some_and(|archived| holds.document(&archived)))
    }

    fn rewritten(&self, place: &LocatedDocument, ready: Vec<Ready>) -> Vec<Ready> {
        let kb = &self.context.kbs[place.kb];
        if kb.rewriter.is_empty() { ready } else { rewritten(kb, &ready, self.context.run) }
    }

    /// Commits a batch. Answers how long that took, in milliseconds.
    fn commit_or_give_back(&self, place: &LocatedDocument, ready: Vec<Ready>) -> Result<u64, RunError> {
        let began = (self.context.now)();
        let claims: Vec<Claimed> = ready.iter().map(|ready| ready.claimed.clone()).collect();
        // Not settled: give back what is still ours, so that no kill is counted for it. An intent stays with its
        // claims: whoever recovers must find both.
        self.commit(place, ready).inspect_err(|_| self.give_back(&claims))?;
        let took_ms = (self.context.now)().since_ms(began);
        let mut merges = Durations::default();
        merges.add(took_ms);
        self.count(Report { merges, ..Report::default() });
        Ok(took_ms)
    }

    /// The document of the first job that can be read, without claiming it: claims are made under its lock only.
    #[allow(clippy::type_complexity)]
    fn first_place(
        &self,
        waiting: &[Listed],
    ) -> Result<Option<(Result<LocatedDocument, Outcome>, Listed)>, RunError> {
        for listed in waiting {
            match self.context.queue.load(listed) {
                Ok(found) => match found.job {
                    Some(job) => return Ok(Some((self.place(&job)?, listed.clone()))),
                    None if self.set_aside(listed)? => {}
                    None => return Ok(None),
                },
                Err(QueueError::TakenMeanwhile(_)) => {}
                Err(e) if e.is_machine_trouble() => return Err(e.into()),
                Err(_) if self.set_aside(listed)? => {}
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The same as [`located`], asked once for each way in which a document is named.
    pub(crate) fn place(&self, job: &Job) -> Result<Result<LocatedDocument, Outcome>, RunError> {
        let Some(first) = job.entries.first() else { return located(&self.context, job) };
        let (target, project, cwd) = (&first.key.target, &job.document.project, &job.producer.cwd);
        let is_same = |named: &Named| (&named.0, &named.1, &named.2) == (target, project, cwd);
        // A few at most: agents name one document in one way.
        if let Some((_, known)) = self.places.borrow().iter().find(|(named, _)| is_same(named)) {
            return Ok(known.clone());
        }
        let found = located(&self.context, job)?;
        self.places.borrow_mut().push(((target.clone(), project.clone(), cwd.clone()), found.clone()));
        Ok(found)
    }

    /// The same jobs as they wait now, under the document's lock: another worker may have put an earlier one back.
    fn waiting_now(&self, hints: &BTreeSet<DocKey>) -> Result<Vec<Listed>, RunError> {
        let (jobs, _) = self.context.queue.list_oldest(LOOK_AHEAD_JOBS_MAX, LOOK_AHEAD_IN_ALL_MAX, true)?;
        let group: Vec<&Listed> = jobs.iter().filter(|job| hints.contains(&job.doc)).collect();
        Ok(runnable_head(group, &self.view.holds, Clock::of(&self.context)))
    }

    /// A job whose document cannot be found: it fails, and the others pass. One that cannot be looked at may be found
    /// later (a permission given back), and the others wait.
    fn settle_unplaced(&self, listed: &Listed, outcome: &Outcome) -> Result<(), RunError> {
        let claims = self.claimant.claim_file(listed)?;
        let Some(first) = claims.first() else { return Ok(()) };
        // What shares its file shares its document.
        let jobs = match self.claimant.read_file(first) {
            Err(QueueError::Unreadable { .. }) => {
                return self.take_apart(&claims).map(|_| ());
            }
            other => other?,
        };
        let ready = claims.into_iter().zip(jobs).map(|(claimed, job)| Ready { claimed, job, approval: None });
        let batch = ready.map(|ready| (ready, outcome.clone())).collect();
        self.settle(batch, &CommitFacts::default(), (self.context.now)(), false)
    }

    fn commit(&self, place: &LocatedDocument, ready: Vec<Ready>) -> Result<(), RunError> {
        let LocatedDocument { document, kb, others } = place;
        let kb = reached::strictest(self.context.kbs, *kb, others);
        let canonical = |path: &Path| {
            let found = self.context.documents.canonical(path);
            found.map_err(|e| std::io::Error::new(e.kind(), e.source.to_string()))
        };
        let same_file = |one: &Path, other: &Path| self.context.documents.is_same_file(one, other);
        let archived =
            self.context.as_archived(&kb, &document.path).map(|path| canonical(&path).unwrap_or(path));
        let (others, projects) = (self.context.others, self.context.projects);
        let bound = |kb, file: &Path| reached::bound_at(kb, file, others, &canonical, &same_file, projects);
        let kb = [Some(document.canonical.clone()), archived]
            .into_iter()
            .flatten()
            .fold(kb, |kb, file| bound(kb, &file));
        let kb = &*kb;
        let left = self.left.take();
        let commit =
            Commit { context: self.context, claimant: self.claimant, document, kb, jobs: &ready, left };
        let Committed { outcomes, document_hash, version, left, begins_with } = commit.run()?;
        self.left.set(left);
        let now = (self.context.now)();
        let batch = ready.first().map(|first| first.job.id);
        let file = Some(document.canonical.clone());
        let facts = CommitFacts { document_hash, version, file, begins_with };
        // The claims of a commit were made durable before it.
        let secured = version.is_some();
        self.settle(ready.into_iter().zip(outcomes).collect(), &facts, now, secured)?;
        match batch.filter(|_| secured) {
            Some(batch) => Ok(self.claimant.commits().remove_intent(batch)?),
            None => Ok(()),
        }
    }

    fn give_back(&self, claims: &[Claimed]) {
        let begun = |first: &Claimed| match self.claimant.commits().intents() {
            Ok(intents) => intents.iter().any(|intent| intent.batch == first.id()),
            Err(_) => true,
        };
        if !claims.first().is_none_or(begun) {
            // An error is ignored: the claims stay, and the next run recovers them.
            let _ = self.claimant.without_ended(claims).and_then(|claims| self.claimant.release(&claims));
        }
    }
}

/// What a job becomes whose document cannot be found.
fn unplaced(problem: Problem) -> Outcome {
    match problem.code {
        Code::TargetUnreadable => Outcome::Retry(problem.into()),
        _ => Outcome::Failed(problem.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_took_long_is_followed_by_a_smaller_one() {
        assert_eq!(next_jobs_max(1000, 0), BATCH_JOBS_MAX);
        assert_eq!(next_jobs_max(3, 1000), BATCH_JOBS_MAX);
        assert_eq!(next_jobs_max(1000, 4000), 250);
        assert_eq!(next_jobs_max(250, 60_000), BATCH_JOBS_MIN);
        assert_eq!(next_jobs_max(usize::MAX, u64::MAX), BATCH_JOBS_MIN);
    }
}
