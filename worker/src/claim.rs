//! Claiming the next jobs of a document: what happens to each waiting file is decided by a pure function of what was found.

use crate::batch::Ready;
use crate::error::RunError;
use crate::group::{Group, LocatedDocument};
use crate::report::Report;
use crate::{BATCH_JOBS_MAX, SUSPECT_JOBS_MAX};
use declaration::Problem;
use queue_layout::{
    Claimed, EndedJobs, Event, Holds, Job, JobId, JournalEntry, Listed, QueueError, Settlement,
};
use std::collections::BTreeSet;
use std::path::Path;

/// How full the next commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Batch {
    /// Jobs that are claimed for it.
    jobs: usize,
    /// Jobs that may be.
    jobs_max: usize,
}

impl Batch {
    /// A file is taken whole, even if it is more than there is room for; but then alone.
    fn fits(self, jobs: usize) -> bool {
        self.jobs == 0 || self.jobs + jobs <= self.jobs_max
    }
}

/// A waiting file as it was found.
#[derive(Debug, Default)]
struct Seen {
    /// It cannot be read as a job.
    is_no_job: bool,
    /// What stands in `done/` under ids of its jobs and is no receipt.
    doubtful: Vec<Listed>,
    /// Some of its jobs have receipts already.
    has_ended: bool,
    /// Its other jobs, each with where its document is.
    jobs: Vec<(Job, Where)>,
}

/// Where the document of a job is, seen from the one that is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// It is this one.
    Here,
    /// It is the same file under another name, of another knowledge base: `CLAUDE.md`, a link to `AGENTS.md`.
    OtherName,
    /// It is another one, or is not found.
    Elsewhere,
}

/// What happens to a waiting file.
#[derive(Debug, PartialEq)]
enum ClaimStep {
    /// It waits, and so do all behind it.
    Stop,
    /// It has no room in this commit, and begins the next.
    NextBatch,
    /// It is no job: it goes to a person.
    SetAside,
    /// Nobody can tell whether its jobs have ended: a person is asked. Those behind wait.
    Doubtful(Vec<Listed>),
    /// All its jobs have ended before: it is a copy, and goes.
    Ended,
    /// These jobs are claimed. The next commit then takes at most so many; `stop` when those behind wait.
    Claim { jobs: Vec<Job>, jobs_max: usize, stop: bool },
}

/// What the name alone decides; a file is read only when the name decides nothing.
fn unread(of_file: &[Listed], batch: Batch, is_held: &dyn Fn(JobId) -> bool) -> Option<ClaimStep> {
    if of_file.first().is_some_and(|first| is_held(first.id)) {
        return Some(ClaimStep::Stop);
    }
    (!batch.fits(of_file.len())).then_some(ClaimStep::NextBatch)
}

/// What happens to a file, of what was found.
fn decide(seen: Seen, batch: Batch, is_held: &dyn Fn(JobId) -> bool) -> ClaimStep {
    if seen.is_no_job {
        return ClaimStep::SetAside;
    }
    if !seen.doubtful.is_empty() {
        return ClaimStep::Doubtful(seen.doubtful);
    }
    if seen.has_ended && seen.jobs.is_empty() {
        return ClaimStep::Ended;
    }
    // Jobs from a held one on wait, and from one that is merged by the rules of another name of the file: its turn comes before
    // theirs. Those of another document that shares the hint, or of one that cannot be found, have their own turn.
    let waits = |(job, place): &(Job, Where)| is_held(job.id) || *place == Where::OtherName;
    let held = seen.jobs.iter().position(waits);
    let until = held.unwrap_or(seen.jobs.len());
    let here = seen.jobs.into_iter().take(until).filter(|(_, place)| *place == Where::Here);
    let jobs: Vec<Job> = here.map(|(job, _)| job).collect();
    let jobs_max = jobs.iter().map(together_max).fold(batch.jobs_max, usize::min);
    if !jobs.is_empty() && !(Batch { jobs_max, ..batch }).fits(jobs.len()) {
        return ClaimStep::NextBatch;
    }
    ClaimStep::Claim { jobs, jobs_max, stop: held.is_some() }
}

/// How many jobs may go into a commit with this one: a job that workers may have died of is tried with few, then alone.
fn together_max(job: &Job) -> usize {
    match (job.kills, job.suspected) {
        (0, 0) => BATCH_JOBS_MAX,
        (0, 1) => SUSPECT_JOBS_MAX,
        _ => 1,
    }
}

impl Group<'_> {
    /// Claims the next jobs of this document in their order, as many as go into one commit; and what is left.
    pub(crate) fn claim<'w>(
        &self,
        waiting: &'w [Listed],
        place: &LocatedDocument,
        holds: &Holds,
        jobs_max: usize,
    ) -> Result<(Vec<Ready>, &'w [Listed]), RunError> {
        let is_held = |id: JobId| holds.job(id);
        let mut batch = Batch { jobs: 0, jobs_max };
        let mut ready: Vec<Ready> = Vec::new();
        let mut rest = waiting;
        let days = self.context.queue.done_days()?;
        // A file at a time: most have one job.
        for of_file in waiting.chunk_by(Listed::shares_file) {
            let Some(first) = of_file.first() else { continue };
            let step = match unread(of_file, batch, &is_held) {
                Some(step) => step,
                None => decide(self.seen_of(of_file, place, &days)?, batch, &is_held),
            };
            let goes_on = match step {
                ClaimStep::Stop => false,
                ClaimStep::NextBatch => return Ok((ready, rest)),
                ClaimStep::SetAside => self.set_aside(first)?,
                ClaimStep::Doubtful(receipts) => self.doubtful(first, &receipts).map(|()| false)?,
                ClaimStep::Ended => self.take_out(first, place).map(|()| true)?,
                ClaimStep::Claim { jobs, jobs_max, stop } => {
                    if !jobs.is_empty() {
                        ready.extend(self.claim_these(first, jobs, &place.document.canonical)?);
                    }
                    batch = Batch { jobs: ready.len(), jobs_max };
                    !stop
                }
            };
            if !goes_on {
                return Ok((ready, &[]));
            }
            rest = &rest[of_file.len()..];
        }
        Ok((ready, &[]))
    }

    /// What is to be known of a waiting file before it is claimed.
    fn seen_of(
        &self,
        of_file: &[Listed],
        place: &LocatedDocument,
        days: &[String],
    ) -> Result<Seen, RunError> {
        let Some(first) = of_file.first() else { return Ok(Seen::default()) };
        let jobs = match self.context.queue.load_file(first) {
            Ok(Some(jobs)) => jobs,
            Err(QueueError::TakenMeanwhile(_)) => Vec::new(),
            Err(e) if e.is_machine_trouble() => return Err(e.into()),
            Ok(None) | Err(_) => return Ok(Seen { is_no_job: true, ..Seen::default() }),
        };
        let EndedJobs { receipts, doubtful } = self.context.queue.ended_before(of_file, days)?;
        let mut seen = Seen { doubtful, ..Seen::default() };
        for job in jobs {
            if receipts.iter().any(|receipt| receipt.id == job.id) {
                seen.has_ended = true;
            } else {
                let its = match self.place(&job)? {
                    Ok(its) if its == *place => Where::Here,
                    Ok(its) if its.document.canonical == place.document.canonical => Where::OtherName,
                    _ => Where::Elsewhere,
                };
                seen.jobs.push((job, its));
            }
        }
        Ok(seen)
    }

    /// Removes a copy of jobs that have ended; their receipts stay.
    fn take_out(&self, listed: &Listed, place: &LocatedDocument) -> Result<(), RunError> {
        let claims = self.claimant.claim_file(listed)?;
        let ids: Vec<JobId> = claims.iter().map(Claimed::id).collect();
        self.claimant.recovery().confirm_receipts(&ids)?;
        self.claimant.let_go(&claims)?;
        let told = |id: &JobId| {
            JournalEntry::new((self.context.now)(), Event::Unchanged)
                .job(*id, &place.document.path)
                .by(self.claimant.name())
                .saying(None, "it has ended before: a copy of it that waited again is removed")
        };
        self.context.happened(&ids.iter().map(told).collect::<Vec<_>>());
        Ok(())
    }

    /// Something stands in `done/` under the ids of these jobs and is no receipt: job and file are put before a person. The
    /// jobs that share the file wait on.
    fn doubtful(&self, listed: &Listed, receipts: &[Listed]) -> Result<(), RunError> {
        let receipt_of = |id: JobId| receipts.iter().find(|receipt| receipt.id == id);
        let claims = self.claimant.claim_file(listed)?;
        let claims = self.claimant.keep(claims, &|id| receipt_of(id).is_some())?;
        let mut settlements = Vec::new();
        for claimed in claims {
            let (job, Some(receipt)) = (self.claimant.read(&claimed)?, receipt_of(claimed.id())) else {
                continue;
            };
            settlements.push((claimed, Settlement::Doubtful(Box::new(job), receipt.clone())));
        }
        self.settle_as(settlements, (self.context.now)(), false)
    }

    /// Claims these jobs of a file. `document`: the path of their document, links resolved.
    fn claim_these(&self, listed: &Listed, jobs: Vec<Job>, document: &Path) -> Result<Vec<Ready>, RunError> {
        let ids: BTreeSet<JobId> = jobs.iter().map(|job| job.id).collect();
        let claims = self.claimant.keep(self.claimant.claim_file(listed)?, &|id| ids.contains(&id))?;
        let ready = claims
            .into_iter()
            .zip(jobs)
            .map(|(claimed, job)| Ready::of(claimed, job, document, self.context.queue));
        Ok(ready.collect::<Result<_, _>>()?)
    }

    /// A waiting file that is no job goes into `staging/failed/`, verbatim, with the reason. Of a file of several jobs only
    /// those that are none go; the others wait on, each in a file of its own. False when any do: those behind must not
    /// overtake them.
    pub(crate) fn set_aside(&self, listed: &Listed) -> Result<bool, RunError> {
        let claims = self.claimant.claim_file(listed)?;
        let Some(first) = claims.first() else { return Ok(true) };
        match self.claimant.read_file(first) {
            Ok(_) => {
                self.claimant.release(&claims)?;
                Ok(false)
            }
            Err(QueueError::Unreadable { .. }) => self.take_apart(&claims),
            Err(e) => Err(e.into()),
        }
    }

    /// The same with the claims on such a file.
    pub(crate) fn take_apart(&self, claims: &[Claimed]) -> Result<bool, RunError> {
        let claims = match self.claimant.split(claims) {
            Err(QueueError::Unreadable { problems, .. }) => {
                claims.first().map_or(Ok(()), |first| self.quarantine(first, &problems))?;
                return Ok(true);
            }
            other => other?,
        };
        let mut jobs = Vec::new();
        for claimed in claims {
            match self.claimant.read(&claimed) {
                Ok(_) => jobs.push(claimed),
                Err(QueueError::Unreadable { problems, .. }) => self.quarantine(&claimed, &problems)?,
                Err(e) => return Err(e.into()),
            }
        }
        self.claimant.release(&jobs)?;
        let apart = u64::from(!jobs.is_empty());
        self.count(Report { apart, ..Report::default() });
        Ok(jobs.is_empty())
    }

    fn quarantine(&self, claimed: &Claimed, problems: &[Problem]) -> Result<(), RunError> {
        let now = (self.context.now)();
        self.claimant.quarantine(claimed, problems, now)?;
        self.count(Report { failed: 1, ..Report::default() });
        let mut event = JournalEntry::new(now, Event::Failed).by(self.claimant.name());
        event.id = Some(claimed.id());
        let message = problems.first().map(ToString::to_string).unwrap_or_default();
        self.context.happened(&[event.saying(problems.first().map(|p| p.code.as_str()), message)]);
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use declaration::Timestamp;
    use queue_layout::{DocKey, DocumentRef, Producer};

    /// A job of no entries; a larger `n` was declared later.
    pub(crate) fn job(n: u64) -> Job {
        let path = Path::new("/notes.md");
        Job {
            id: JobId::of_report(Timestamp(1_700_000_000_000 + n), &[]),
            rev: 0,
            created_at: Timestamp(n),
            document: DocumentRef {
                kb: "notes".to_owned(),
                path: path.to_owned(),
                project: None,
                doc: DocKey::of(path),
            },
            key: None,
            producer: Producer::default(),
            attempts: Vec::new(),
            kills: 0,
            suspected: 0,
            source: String::new(),
            entries: Vec::new(),
            error: None,
            waits_in: None,
            approved_by: None,
            seal: None,
            proposed_for: None,
            begins_with: None,
            again: None,
            restore: None,
        }
    }

    fn found(jobs: &[Job]) -> Seen {
        Seen { jobs: jobs.iter().map(|job| (job.clone(), Where::Here)).collect(), ..Seen::default() }
    }

    const EMPTY: Batch = Batch { jobs: 0, jobs_max: 10 };
    const NOT_HELD: &dyn Fn(JobId) -> bool = &|_| false;

    fn claim(jobs: &[Job], jobs_max: usize, stop: bool) -> ClaimStep {
        ClaimStep::Claim { jobs: jobs.to_vec(), jobs_max, stop }
    }

    #[test]
    fn what_is_no_job_goes_to_a_person_and_what_has_ended_goes() {
        let no_job = Seen { is_no_job: true, ..Seen::default() };
        assert_eq!(decide(no_job, EMPTY, NOT_HELD), ClaimStep::SetAside);
        let ended = Seen { has_ended: true, ..Seen::default() };
        assert_eq!(decide(ended, EMPTY, NOT_HELD), ClaimStep::Ended);
        let one_left = Seen { has_ended: true, ..found(&[job(2)]) };
        assert_eq!(decide(one_left, EMPTY, NOT_HELD), claim(&[job(2)], 10, false));
        assert_eq!(decide(Seen::default(), EMPTY, NOT_HELD), claim(&[], 10, false), "taken meanwhile");
    }

    #[test]
    fn a_held_job_stops_those_behind_it() {
        let held = |id| id == job(2).id;
        assert_eq!(decide(found(&[job(1), job(2), job(3)]), EMPTY, &held), claim(&[job(1)], 10, true));
        assert_eq!(decide(found(&[job(2)]), EMPTY, &held), claim(&[], 10, true));
    }

    #[test]
    fn jobs_of_another_document_are_left_out() {
        let of = |place| Seen { jobs: vec![(job(1), place), (job(2), Where::Here)], ..Seen::default() };
        assert_eq!(decide(of(Where::Elsewhere), EMPTY, NOT_HELD), claim(&[job(2)], 10, false));
        assert_eq!(decide(of(Where::OtherName), EMPTY, NOT_HELD), claim(&[], 10, true));
    }

    #[test]
    fn a_job_that_workers_died_of_makes_the_batch_smaller() {
        let suspected = [Job { suspected: 1, ..job(1) }];
        let many = Batch { jobs: 0, jobs_max: 1000 };
        assert_eq!(decide(found(&suspected), many, NOT_HELD), claim(&suspected, SUSPECT_JOBS_MAX, false));
        let killer = [Job { kills: 1, ..job(2) }];
        assert_eq!(decide(found(&killer), many, NOT_HELD), claim(&killer, 1, false));
        let begun = Batch { jobs: 1, jobs_max: 1000 };
        assert_eq!(decide(found(&killer), begun, NOT_HELD), ClaimStep::NextBatch, "it is tried alone");
        let full = Batch { jobs: SUSPECT_JOBS_MAX, jobs_max: 1000 };
        assert_eq!(decide(found(&suspected), full, NOT_HELD), ClaimStep::NextBatch);
    }

    #[test]
    fn a_file_is_taken_whole_or_begins_the_next_batch() {
        let three = [job(1), job(2), job(3)];
        let room_for_two = Batch { jobs: 1, jobs_max: 3 };
        assert_eq!(decide(found(&three), room_for_two, NOT_HELD), ClaimStep::NextBatch);
        let nothing_yet = Batch { jobs: 0, jobs_max: 2 };
        assert_eq!(decide(found(&three), nothing_yet, NOT_HELD), claim(&three, 2, false), "alone");
    }
}
