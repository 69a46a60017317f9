//! One pass over what is runnable: jobs grouped by document, documents in parallel, jobs of one document in the order
//! of their ids. While the first waiting job of a document is not due or is held, the later ones wait too.

use crate::batch::{Ready, proposed};
use crate::commit::{Commit, Committed, Left, receipt};
use crate::error::{RunError, Trouble};
use crate::recover::recover;
use crate::retry::delay_ms;
use crate::rewrite::rewritten;
use crate::{BATCH_JOBS_MAX, Context, LOOK_AHEAD_IN_ALL_MAX, LOOK_AHEAD_JOBS_MAX, SUSPECT_JOBS_MAX};
use declaration::{Code, Fault, Problem, Target, Timestamp, Trust};
use documents::Document;
use policy::knowledge_base::Surroundings;
use queue_layout::{
    Attempt, Claimant, Claimed, DocKey, Durations, Event, Holds, Job, JobId, JournalEntry, Listed, Outcome,
    QueueError, Receipt, Rejection, Settlement,
};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use trial::JobOutcome;

/// What a pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// Jobs that changed their document.
    pub applied: u64,
    /// Jobs whose document said it already, or that a person has said no to before.
    pub unchanged: u64,
    /// Jobs that are tried again later.
    pub deferred: u64,
    /// Jobs that wait for `resolve`.
    pub failed: u64,
    /// Jobs that wait for `review`.
    pub review: u64,
    /// Files of several jobs that could not be read as they were: their jobs wait apart now.
    pub apart: u64,
    /// How long the commits took, by the clock on the wall.
    pub merges: Durations,
    /// When the next waiting job is due, if one waits.
    pub next_due: Option<Timestamp>,
}

impl Report {
    /// Both together; the earlier due time.
    #[must_use]
    pub fn plus(self, other: Report) -> Report {
        Report {
            applied: self.applied + other.applied,
            unchanged: self.unchanged + other.unchanged,
            deferred: self.deferred + other.deferred,
            failed: self.failed + other.failed,
            review: self.review + other.review,
            apart: self.apart + other.apart,
            merges: self.merges.plus(other.merges),
            next_due: [self.next_due, other.next_due].into_iter().flatten().min(),
        }
    }

    /// Jobs that were taken up.
    #[must_use]
    pub fn handled(&self) -> u64 {
        self.applied + self.unchanged + self.deferred + self.failed + self.review
    }
}

/// Takes up everything that is runnable now, until nothing is.
///
/// # Errors
/// Trouble of the machine. What was in hand is given back where that is still possible.
pub fn pass(context: &Context<'_>, claimant: &Claimant) -> Result<Report, RunError> {
    let mut total = Report::default();
    loop {
        if claimant.others_hold()? {
            recover(context)?;
        }
        let view = View::take(context, claimant)?;
        // One moment for both: a job that fell due between two would be neither taken up nor waited for.
        let clock = Clock::of(context);
        let groups = view.runnable(clock);
        total.next_due = view.next_due(clock);
        if groups.is_empty() || context.stopping() {
            return Ok(total);
        }
        let done = in_parallel(context, claimant, &view, groups)?;
        total = total.plus(done);
        if done.handled() + done.apart == 0 {
            // Everything left is somebody else's at the moment, or moved under our hands.
            return Ok(total);
        }
    }
}

/// What was waiting at a moment, and how to tell whether it still is.
struct View {
    jobs: Vec<Listed>,
    holds: Holds,
    epoch: u64,
    alone: bool,
}

impl View {
    fn take(context: &Context<'_>, claimant: &Claimant) -> Result<View, RunError> {
        // Both before the scan: whoever comes later shows in the count.
        let (epoch, alone) = (context.queue.worker().epoch()?, !claimant.others_hold()?);
        let (mut jobs, stale) =
            context.queue.list_oldest(LOOK_AHEAD_JOBS_MAX, LOOK_AHEAD_IN_ALL_MAX, false)?;
        context.queue.worker().remove_stale(&stale)?;
        if let Some(only) = context.only {
            jobs.retain(|job| only.contains(&job.doc));
        }
        let holds = context.queue.holds()?;
        jobs.retain(|job| !holds.queue() && !holds.hint(job.doc));
        Ok(View { jobs, holds, epoch, alone })
    }

    /// Whether nobody else can have moved a waiting job since.
    fn still_true(&self, context: &Context<'_>) -> Result<bool, RunError> {
        Ok(self.alone && context.queue.worker().epoch()? == self.epoch)
    }

    /// For each document the jobs that may be taken up now.
    fn runnable(&self, clock: Clock) -> Vec<Vec<Listed>> {
        let mut groups: BTreeMap<DocKey, Vec<&Listed>> = BTreeMap::new();
        for job in self.jobs.iter().filter(|job| !job.is_drop()) {
            groups.entry(job.doc).or_default().push(job);
        }
        let runnable = groups.into_values().map(|group| runnable_head(group, &self.holds, clock));
        runnable.filter(|group| !group.is_empty()).collect()
    }

    fn next_due(&self, clock: Clock) -> Option<Timestamp> {
        let free = self.jobs.iter().filter(|job| !self.holds.job(job.id));
        free.filter_map(|job| job.due).filter(|due| !clock.is_due(*due)).min()
    }
}

/// What time it is, and how far ahead a job can have been put off.
#[derive(Debug, Clone, Copy)]
struct Clock {
    now: Timestamp,
    longest_ms: u64,
}

impl Clock {
    fn of(context: &Context<'_>) -> Clock {
        // Twice the longest wait, so that jitter and a cap that was lowered since have room.
        let longest_ms = context.retry.cap_ms.max(context.retry.base_ms).saturating_mul(2);
        Clock { now: (context.now)(), longest_ms }
    }

    /// A job that is due further ahead than any wait is long was put off by a clock that has been set back since: it
    /// would wait for as long as the clock was wrong.
    fn is_due(self, due: Timestamp) -> bool {
        due <= self.now || due.since_ms(self.now) > self.longest_ms
    }
}

/// The jobs before the first one that is not due yet, or is held.
fn runnable_head(group: Vec<&Listed>, holds: &Holds, clock: Clock) -> Vec<Listed> {
    let free = |job: &&&Listed| job.due.is_none_or(|due| clock.is_due(due)) && !holds.job(job.id);
    group.iter().take_while(free).map(|job| (*job).clone()).collect()
}

fn in_parallel(
    context: &Context<'_>,
    claimant: &Claimant,
    view: &View,
    groups: Vec<Vec<Listed>>,
) -> Result<Report, RunError> {
    let threads = context.threads.clamp(1, groups.len().max(1));
    let (sender, receiver) = crossbeam_channel::unbounded();
    for group in groups {
        // The receiver lives as long as this function.
        let _ = sender.send(group);
    }
    drop(sender);
    let total = Mutex::new(Ok(Report::default()));
    let work = || {
        for group in &receiver {
            if context.stopping() || total.lock().is_ok_and(|total| total.is_err()) {
                break;
            }
            let places = RefCell::default();
            let (left, aside) = (Cell::default(), Cell::default());
            let done = Group { context: *context, claimant, view, places, left, aside }.run(group);
            if let Ok(mut total) = total.lock() {
                match (&mut *total, done) {
                    (Ok(sum), Ok(done)) => *sum = sum.plus(done),
                    (Err(_), _) => {}
                    (slot, Err(e)) => *slot = Err(e),
                }
            }
        }
    };
    if threads == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
    // A thread that panicked took the process with it, or its panic went on through `scope`.
    total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How many jobs may go into a commit with this one: a job that workers may have died of is tried with few, then alone.
fn together_max(job: &Job) -> usize {
    match (job.kills, job.suspected) {
        (0, 0) => BATCH_JOBS_MAX,
        (0, 1) => SUSPECT_JOBS_MAX,
        _ => 1,
    }
}

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

/// The waiting jobs of one document (or of several that share a hint).
struct Group<'a> {
    context: Context<'a>,
    claimant: &'a Claimant,
    view: &'a View,
    /// Where targets lead, by the configuration and the links of now.
    places: RefCell<Vec<(Named, Result<LocatedDocument, Fault>)>>,
    /// How we left the document: nobody else can make a version of it while we have its lock.
    left: Cell<Option<Left>>,
    /// What became of files that could not be read.
    aside: Cell<Report>,
}

/// A target, and the project and working directory it was named in.
type Named = (Target, Option<PathBuf>, Option<PathBuf>);

/// A document and its knowledge base, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LocatedDocument {
    document: Document,
    base: usize,
}

impl Group<'_> {
    fn run(&self, waiting: Vec<Listed>) -> Result<Report, RunError> {
        let report = self.run_readable(waiting)?;
        Ok(report.plus(self.aside.get()))
    }

    fn run_readable(&self, waiting: Vec<Listed>) -> Result<Report, RunError> {
        let Some((place, first)) = self.first_place(&waiting)? else { return Ok(Report::default()) };
        let place = match place {
            Ok(place) => place,
            Err(error) => return self.settle_unplaced(&first, error),
        };
        // Somebody else is at it: what they leave is taken up by their next pass, or by ours.
        let Some(_only_writer) = self.context.documents.try_lock(&place.document)? else {
            return Ok(Report::default());
        };
        // The dead left earlier jobs of this document, or a commit half-way: recovered first, before the next look.
        let untouched = self.view.still_true(&self.context)?;
        if !untouched && self.claimant.others_hold_document(first.doc, &place.document.canonical)? {
            return Ok(Report::default());
        }
        let waiting = if untouched { waiting } else { self.waiting_now(&waiting)? };
        let mut total = Report::default();
        let mut rest = waiting.as_slice();
        let mut jobs_max = BATCH_JOBS_MAX;
        while !rest.is_empty() && !self.context.stopping() && total.deferred == 0 {
            // Asked anew for each batch, under the document's lock: after a hold no further one begins.
            let holds = self.context.queue.holds()?;
            if holds.queue() || holds.document(&place.document.canonical) {
                break;
            }
            let (ready, later) = self.claim(rest, &place, &holds, jobs_max)?;
            rest = later;
            if !ready.is_empty() {
                let ready = self.rewritten(&place, ready);
                let jobs = ready.len();
                let done = self.commit_or_give_back(&place, ready)?;
                jobs_max = next_jobs_max(jobs, done.merges.sum_ms);
                total = total.plus(done);
            }
        }
        if let Err(e) = self.context.documents.trim(&place.document) {
            // What it tells of is settled; the next run tries again.
            (self.context.warn)(&e);
        }
        Ok(total)
    }

    fn rewritten(&self, place: &LocatedDocument, ready: Vec<Ready>) -> Vec<Ready> {
        let base = &self.context.bases[place.base];
        if base.rewriter.is_empty() { ready } else { rewritten(base, &ready, self.context.run) }
    }

    fn commit_or_give_back(&self, place: &LocatedDocument, ready: Vec<Ready>) -> Result<Report, RunError> {
        let began = (self.context.now)();
        let claims: Vec<Claimed> = ready.iter().map(|ready| ready.claimed.clone()).collect();
        // Not settled: give back what is still ours, so that no kill is counted for it. An intent stays with its
        // claims: whoever recovers must find both.
        let mut report = self.commit(place, ready).inspect_err(|_| self.give_back(&claims))?;
        report.merges.add((self.context.now)().since_ms(began));
        Ok(report)
    }

    /// The document of the first job that can be read, without claiming it: claims are made under its lock only.
    #[allow(clippy::type_complexity)]
    fn first_place(
        &self,
        waiting: &[Listed],
    ) -> Result<Option<(Result<LocatedDocument, Fault>, Listed)>, RunError> {
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

    /// Where a job's document is now: by what the job says, and by the configuration and the links of now. A knowledge
    /// base that is gone is not written to, and one that moved is written to where it is.
    fn place(&self, job: &Job) -> Result<Result<LocatedDocument, Fault>, RunError> {
        let Some(first) = job.entries.first() else {
            return Ok(Err(Fault::new("no_entries", "the job has no entries")));
        };
        let (target, project, cwd) = (&first.key.target, &job.document.project, &job.producer.cwd);
        let is_same = |named: &Named| (&named.0, &named.1, &named.2) == (target, project, cwd);
        // A few at most: agents name one document in one way.
        if let Some((_, known)) = self.places.borrow().iter().find(|(named, _)| is_same(named)) {
            return Ok(known.clone());
        }
        let found = self.find_place(target, job)?;
        self.places.borrow_mut().push(((target.clone(), project.clone(), cwd.clone()), found.clone()));
        Ok(found)
    }

    fn find_place(&self, target: &Target, job: &Job) -> Result<Result<LocatedDocument, Fault>, RunError> {
        let home = self.context.user_home;
        let cwd = job.producer.cwd.as_deref().unwrap_or(home);
        let around = Surroundings { home, project: job.document.project.as_deref(), cwd, today: None };
        let found = self.context.resolve(target, &around)?;
        Ok(found.map_err(Fault::from).map(|found| LocatedDocument {
            document: Document { path: found.path, canonical: found.canonical },
            base: found.index,
        }))
    }

    /// The same jobs as they wait now, under the document's lock: another worker may have put an earlier one back.
    fn waiting_now(&self, before: &[Listed]) -> Result<Vec<Listed>, RunError> {
        let Some(doc) = before.first().map(|job| job.doc) else { return Ok(Vec::new()) };
        let (jobs, _) = self.context.queue.list_oldest(LOOK_AHEAD_JOBS_MAX, LOOK_AHEAD_IN_ALL_MAX, true)?;
        let group: Vec<&Listed> = jobs.iter().filter(|job| job.doc == doc).collect();
        Ok(runnable_head(group, &self.view.holds, Clock::of(&self.context)))
    }

    /// Claims the next jobs of this document in their order, as many as go into one commit; and what is left.
    fn claim<'w>(
        &self,
        waiting: &'w [Listed],
        place: &LocatedDocument,
        holds: &Holds,
        jobs_max: usize,
    ) -> Result<(Vec<Ready>, &'w [Listed]), RunError> {
        let mut ready: Vec<Ready> = Vec::new();
        let mut room = jobs_max;
        let mut rest = waiting;
        let days = self.context.queue.done_days()?;
        // A file at a time: most have one job.
        for of_file in waiting.chunk_by(Listed::shares_file) {
            let Some(first) = of_file.first() else { continue };
            if holds.job(first.id) {
                return Ok((ready, &[]));
            }
            // Whole even if it is more than there is room for, but then alone. Asked before it is read: it would be read again.
            let fits = |room: usize, jobs: usize| ready.is_empty() || ready.len() + jobs <= room;
            if !fits(room, of_file.len()) {
                return Ok((ready, rest));
            }
            let jobs = match self.context.queue.load_file(first) {
                Ok(jobs) => jobs,
                Err(QueueError::TakenMeanwhile(_)) => Some(Vec::new()),
                Err(e) if e.is_machine_trouble() => return Err(e.into()),
                Err(_) => None,
            };
            let Some(mut jobs) = jobs else {
                if self.set_aside(first)? {
                    rest = &rest[of_file.len()..];
                    continue;
                }
                return Ok((ready, &[]));
            };
            let ended = self.context.queue.ended_before(of_file, &days)?;
            if !ended.doubtful.is_empty() {
                self.doubtful(first, &ended.doubtful)?;
                return Ok((ready, &[]));
            }
            if !ended.receipts.is_empty() {
                jobs.retain(|job| !ended.receipts.iter().any(|receipt| receipt.id == job.id));
                if jobs.is_empty() {
                    self.take_out(first, place)?;
                    rest = &rest[of_file.len()..];
                    continue;
                }
            }
            let whole = jobs.len();
            // Those from a held one on wait; those of another document that shares the hint, or of one that cannot be
            // found, have their own turn.
            let held = jobs.iter().position(|job| holds.job(job.id));
            jobs.truncate(held.unwrap_or(whole));
            jobs = self.at(place, jobs)?;
            if !jobs.is_empty() {
                room = jobs.iter().map(together_max).fold(room, usize::min);
                if !fits(room, jobs.len()) {
                    return Ok((ready, rest));
                }
                ready.extend(self.claim_these(first, jobs)?);
            }
            if held.is_some() {
                return Ok((ready, &[]));
            }
            rest = &rest[of_file.len()..];
        }
        Ok((ready, &[]))
    }

    /// Those of some jobs whose document this is.
    fn at(&self, place: &LocatedDocument, jobs: Vec<Job>) -> Result<Vec<Job>, RunError> {
        let mut here = Vec::with_capacity(jobs.len());
        for job in jobs {
            if self.place(&job)?.as_ref() == Ok(place) {
                here.push(job);
            }
        }
        Ok(here)
    }

    /// A copy of jobs that have ended goes; their receipts stay.
    fn take_out(&self, listed: &Listed, place: &LocatedDocument) -> Result<(), RunError> {
        let claims = self.claimant.claim_file(listed)?;
        let ids: Vec<JobId> = claims.iter().map(Claimed::id).collect();
        self.claimant.confirm_receipts(&ids)?;
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

    /// Jobs of a file under whose ids something stands in `done/` that is no receipt: both are put before a person. Those that
    /// share the file wait on.
    fn doubtful(&self, listed: &Listed, receipts: &[Listed]) -> Result<(), RunError> {
        let receipt_of = |id: JobId| receipts.iter().find(|receipt| receipt.id == id);
        let claims = self.claimant.claim_file(listed)?;
        let claims = self.claimant.keep(claims, &|id| receipt_of(id).is_some())?;
        let now = (self.context.now)();
        let (mut settlements, mut events) = (Vec::new(), Vec::new());
        for claimed in claims {
            let (job, Some(receipt)) = (self.claimant.read(&claimed)?, receipt_of(claimed.id())) else {
                continue;
            };
            let event = JournalEntry::new(now, Event::Failed).job(job.id, &job.document.path);
            events.push(
                event.by(self.claimant.name()).saying(Some("receipt_unreadable"), "its receipt is none"),
            );
            settlements.push((claimed, Settlement::Doubtful(Box::new(job), receipt.clone())));
        }
        let failed = u64::try_from(settlements.len()).unwrap_or(u64::MAX);
        self.claimant.settle(settlements, now, false)?;
        self.aside.set(Report { failed, ..Report::default() }.plus(self.aside.get()));
        self.context.happened(&events);
        Ok(())
    }

    /// Claims these jobs of a file.
    fn claim_these(&self, listed: &Listed, jobs: Vec<Job>) -> Result<Vec<Ready>, RunError> {
        let ids: BTreeSet<JobId> = jobs.iter().map(|job| job.id).collect();
        let claims = self.claimant.keep(self.claimant.claim_file(listed)?, &|id| ids.contains(&id))?;
        Ok(claims.into_iter().zip(jobs).map(|(claimed, job)| Ready { claimed, job }).collect())
    }

    /// A waiting file that is no job: into `staging/failed/`, verbatim, with the reason. Of a file of several, those that
    /// are none: the others wait on, each in a file of its own. False when any do: those behind must not overtake them.
    fn set_aside(&self, listed: &Listed) -> Result<bool, RunError> {
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
    fn take_apart(&self, claims: &[Claimed]) -> Result<bool, RunError> {
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
        self.aside.set(Report { apart, ..Report::default() }.plus(self.aside.get()));
        Ok(jobs.is_empty())
    }

    fn quarantine(&self, claimed: &Claimed, problems: &[Problem]) -> Result<(), RunError> {
        let now = (self.context.now)();
        self.claimant.quarantine(claimed, problems, now)?;
        self.aside.set(Report { failed: 1, ..Report::default() }.plus(self.aside.get()));
        let mut event = JournalEntry::new(now, Event::Failed).by(self.claimant.name());
        event.id = Some(claimed.id());
        let message = problems.first().map(ToString::to_string).unwrap_or_default();
        self.context.happened(&[event.saying(problems.first().map(|p| p.code.as_str()), message)]);
        Ok(())
    }

    /// A job whose document cannot be found: it fails, and the others pass. One that cannot be looked at may be found
    /// later (a permission given back), and the others wait.
    fn settle_unplaced(&self, listed: &Listed, error: Fault) -> Result<Report, RunError> {
        let claims = self.claimant.claim_file(listed)?;
        let Some(first) = claims.first() else { return Ok(Report::default()) };
        // What shares its file shares its document.
        let jobs = match self.claimant.read_file(first) {
            Err(QueueError::Unreadable { .. }) => {
                self.take_apart(&claims)?;
                return Ok(Report::default());
            }
            other => other?,
        };
        let ready = claims.into_iter().zip(jobs).map(|(claimed, job)| Ready { claimed, job });
        let now = (self.context.now)();
        if error.code == Code::TargetUnreadable {
            return self.defer(&ready.collect::<Vec<_>>(), &error, now);
        }
        let failed = |ready| (ready, JobOutcome::Failed(error.clone()));
        self.settle(ready.map(failed).collect(), None, now, false)
    }

    fn commit(&self, place: &LocatedDocument, ready: Vec<Ready>) -> Result<Report, RunError> {
        let LocatedDocument { document, base } = place;
        let base = &self.context.bases[*base];
        let left = self.left.take();
        let commit =
            Commit { context: self.context, claimant: self.claimant, document, base, jobs: &ready, left };
        let committed = commit.run();
        if let Ok(committed) = &committed {
            self.left.set(committed.left.clone());
        }
        let now = (self.context.now)();
        match committed {
            Ok(committed) => self.settle_committed(ready, committed, now),
            Err(Trouble::Run(e)) => Err(e),
            Err(Trouble::Never(error)) => {
                let all = ready.into_iter().map(|ready| (ready, JobOutcome::Failed(error.clone()))).collect();
                self.settle(all, None, now, false)
            }
            Err(Trouble::Later(error)) => self.defer(&ready, &error, now),
        }
    }

    fn settle_committed(
        &self,
        ready: Vec<Ready>,
        committed: Committed,
        now: Timestamp,
    ) -> Result<Report, RunError> {
        let Committed { outcomes, document_hash, version, .. } = committed;
        let secured = version.is_some();
        let batch = ready.first().map(|first| first.job.id);
        let all = ready.into_iter().zip(outcomes).collect();
        let report = self.settle(all, document_hash.map(|hash| (hash, version)), now, secured)?;
        if let Some(batch) = batch.filter(|_| secured) {
            self.claimant.remove_intent(batch)?;
        }
        Ok(report)
    }

    fn settle(
        &self,
        outcomes: Vec<(Ready, JobOutcome)>,
        document: Option<(String, Option<u64>)>,
        now: Timestamp,
        secured: bool,
    ) -> Result<Report, RunError> {
        let mut report = Report::default();
        let mut events = Vec::with_capacity(outcomes.len());
        let mut settlements = Vec::with_capacity(outcomes.len());
        for (ready, outcome) in outcomes {
            let (settlement, event) = match self.said_no(&ready.job, &outcome, now)? {
                Some(rejection) => self.rejected_again(ready.job, rejection, now, &mut report),
                None => self.settlement(ready.job, outcome, document.as_ref(), now, &mut report),
            };
            settlements.push((ready.claimed, settlement));
            events.push(event);
        }
        self.claimant.settle(settlements, now, secured)?;
        self.context.happened(&events);
        Ok(report)
    }

    /// Whether a person said no to the same not long ago. What a person proposes themselves is always asked.
    fn said_no(
        &self,
        job: &Job,
        outcome: &JobOutcome,
        now: Timestamp,
    ) -> Result<Option<Rejection>, RunError> {
        let asks = matches!(outcome, JobOutcome::Review { .. }) && job.producer.trust() < Trust::User;
        Ok(asks.then(|| self.context.queue.worker().rejected_before(job, now)).transpose()?.flatten())
    }

    fn rejected_again(
        &self,
        job: Job,
        rejection: Rejection,
        now: Timestamp,
        report: &mut Report,
    ) -> (Settlement, JournalEntry) {
        report.unchanged += 1;
        let reason = rejection.sentence();
        let event = JournalEntry::new(now, Event::Rejected)
            .job(job.id, &job.document.path)
            .by(self.claimant.name())
            .saying(Some("rejected_again"), &reason);
        let receipt = Receipt {
            outcome: Outcome::RejectedAgain,
            at: now,
            by: self.claimant.name().to_owned(),
            reason: Some(reason),
            same_as: Some(rejection.id),
            document_hash: None,
            version: None,
            changes: Vec::new(),
        };
        (Settlement::Done(Box::new(job), receipt), event)
    }

    fn settlement(
        &self,
        mut job: Job,
        outcome: JobOutcome,
        document: Option<&(String, Option<u64>)>,
        now: Timestamp,
        report: &mut Report,
    ) -> (Settlement, JournalEntry) {
        let event =
            |kind| JournalEntry::new(now, kind).job(job.id, &job.document.path).by(self.claimant.name());
        match outcome {
            JobOutcome::In(changes) => {
                let (hash, version) = document.cloned().map_or((None, None), |(h, v)| (Some(h), v));
                let receipt = receipt(changes, hash, version, self.claimant.name(), now);
                let kind = match receipt.outcome {
                    Outcome::Applied => Event::Applied,
                    _ => Event::Unchanged,
                };
                *(if kind == Event::Applied { &mut report.applied } else { &mut report.unchanged }) += 1;
                let event = event(kind);
                (Settlement::Done(Box::new(job), receipt), event)
            }
            JobOutcome::Failed(error) => {
                report.failed += 1;
                let event = event(Event::Failed).saying(Some(&error.code), &error.message);
                job.error = Some(error);
                (Settlement::Failed(Box::new(job)), event)
            }
            JobOutcome::Review { error, seen } => {
                report.review += 1;
                let event = event(Event::Review).saying(Some(&error.code), &error.message);
                (Settlement::Review(Box::new(proposed(job, error, seen))), event)
            }
        }
    }

    /// The document could not be written for a reason that may pass. The first job carries the attempt; those behind
    /// it go back as they are and wait for it, because order is kept.
    fn defer(&self, ready: &[Ready], error: &Fault, now: Timestamp) -> Result<Report, RunError> {
        let claims: Vec<Claimed> = ready.iter().map(|ready| ready.claimed.clone()).collect();
        let claims = self.claimant.split(&claims)?;
        let (Some(first), Some((claimed, rest))) = (ready.first(), claims.split_first()) else {
            return Ok(Report::default());
        };
        let mut job = first.job.clone();
        job.attempts.push(Attempt { at: now, worker: self.claimant.name().to_owned(), error: error.clone() });
        let failed = u32::try_from(job.attempts.len()).unwrap_or(u32::MAX);
        let event = |kind| {
            JournalEntry::new(now, kind)
                .job(first.job.id, &first.job.document.path)
                .by(self.claimant.name())
                .saying(Some(&error.code), &error.message)
        };
        let mut report = Report::default();
        let (settlement, event) = match delay_ms(&self.context.retry, failed, (self.context.random)()) {
            Some(delay) => {
                report.deferred = 1;
                let due = now.plus_ms(delay);
                report.next_due = Some(due);
                (Settlement::Deferred(Box::new(job), due), event(Event::Deferred))
            }
            None => {
                report.failed = 1;
                job.error = Some(error.clone());
                (Settlement::Failed(Box::new(job)), event(Event::Failed))
            }
        };
        // The deferred one first: were the others back before it, they could overtake it after a crash.
        self.claimant.settle(vec![(claimed.clone(), settlement)], now, false)?;
        self.claimant.release(rest)?;
        self.context.happened(&[event]);
        Ok(report)
    }

    fn give_back(&self, claims: &[Claimed]) {
        let begun = |first: &Claimed| match self.claimant.intents() {
            Ok(intents) => intents.iter().any(|intent| intent.batch == first.id()),
            Err(_) => true,
        };
        if !claims.first().is_none_or(begun) {
            // When even this fails the claims stay, and the next run recovers them.
            let _ = self.claimant.release(claims);
        }
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
