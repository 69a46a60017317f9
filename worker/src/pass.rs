//! One pass over what is runnable: jobs grouped by document, documents in parallel, jobs of one document in the order
//! of their ids. While the first waiting job of a document is not due or is held, the later ones wait too. The hint in a
//! job's name tells its document as it was when it was declared: where that is elsewhere now, by the configuration or
//! by a home that was moved, its jobs are one group with those declared since.

use crate::error::RunError;
use crate::group::{Group, located};
use crate::recover::recover;
use crate::report::Report;
use crate::{Context, LOOK_AHEAD_IN_ALL_MAX, LOOK_AHEAD_JOBS_MAX};
use declaration::Timestamp;
use queue_layout::{Claimant, DocKey, Holds, Listed};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Takes up everything that is runnable now, until nothing is. What is done is added to `total`, also where the pass ends
/// in an error.
///
/// # Errors
/// Trouble of the machine. What was in hand is given back where that is still possible.
pub fn pass(context: &Context<'_>, claimant: &Claimant, total: &mut Report) -> Result<(), RunError> {
    let mut leads = Leads::default();
    loop {
        if claimant.others_hold()? {
            recover(context, total)?;
        }
        let view = View::take(context, claimant, &mut leads)?;
        // The same moment for both questions: a job that falls due between two would be neither taken up nor waited
        // for.
        let clock = Clock::of(context);
        let groups = view.runnable(clock);
        total.next_due = view.next_due(clock);
        if groups.is_empty() || context.stopping() {
            return Ok(());
        }
        let (done, ended) = in_parallel(context, claimant, &view, groups);
        *total = total.plus(done);
        ended?;
        if done.handled() + done.apart == 0 {
            // What is left is claimed by another worker, or was moved since it was listed.
            return Ok(());
        }
    }
}

/// Which document the jobs of a hint are for now, as the hint of that document. Asked once for each hint: what changes during a
/// pass is seen by the next one, and until then decided by the document's lock.
#[derive(Debug, Clone, Default)]
pub(crate) struct Leads(BTreeMap<DocKey, DocKey>);

impl Leads {
    /// Looks at the first job of each new hint. One that cannot be read, or whose document is not found, keeps its hint: what
    /// is to be done about it is decided when its turn comes.
    fn look(&mut self, context: &Context<'_>, jobs: &[Listed]) -> Result<(), RunError> {
        for listed in jobs.iter().filter(|job| !job.is_drop()) {
            if self.0.contains_key(&listed.doc) {
                continue;
            }
            let job = match context.queue.load(listed) {
                Ok(found) => found.job,
                Err(e) if e.is_machine_trouble() => return Err(e.into()),
                Err(_) => None,
            };
            let place = job.map(|job| located(context, &job)).transpose()?;
            let now = match place {
                Some(Ok(place)) => DocKey::of(&place.document.canonical),
                _ => listed.doc,
            };
            self.0.insert(listed.doc, now);
        }
        Ok(())
    }

    fn of(&self, hint: DocKey) -> DocKey {
        self.0.get(&hint).copied().unwrap_or(hint)
    }

    /// Every hint by which jobs of the same document wait.
    fn same(&self, hint: DocKey) -> BTreeSet<DocKey> {
        let now = self.of(hint);
        let others = self.0.iter().filter(|(_, lead)| **lead == now).map(|(hint, _)| *hint);
        others.chain([hint, now]).collect()
    }
}

/// What was waiting at a moment, and how to tell whether it still is.
pub(crate) struct View {
    jobs: Vec<Listed>,
    leads: Leads,
    pub holds: Holds,
    epoch: u64,
    alone: bool,
}

impl View {
    fn take(context: &Context<'_>, claimant: &Claimant, leads: &mut Leads) -> Result<View, RunError> {
        // Both are read before the scan, so that a claimant that begins later changes the count.
        let (epoch, alone) = (context.queue.worker().epoch()?, !claimant.others_hold()?);
        let (mut jobs, stale) =
            context.queue.list_oldest(LOOK_AHEAD_JOBS_MAX, LOOK_AHEAD_IN_ALL_MAX, false)?;
        context.queue.worker().remove_stale(&stale)?;
        if let Some(only) = context.only {
            jobs.retain(|job| only.contains(&job.doc));
        }
        let holds = context.queue.holds()?;
        jobs.retain(|job| !holds.queue() && !holds.hint(job.doc));
        leads.look(context, &jobs)?;
        Ok(View { jobs, leads: leads.clone(), holds, epoch, alone })
    }

    /// Every hint by which jobs of the same document wait.
    pub fn hints(&self, hint: DocKey) -> BTreeSet<DocKey> {
        self.leads.same(hint)
    }

    /// Whether nobody else can have moved a waiting job since.
    pub fn still_true(&self, context: &Context<'_>) -> Result<bool, RunError> {
        Ok(self.alone && context.queue.worker().epoch()? == self.epoch)
    }

    /// For each document the jobs that may be taken up now.
    fn runnable(&self, clock: Clock) -> Vec<Vec<Listed>> {
        let mut groups: BTreeMap<DocKey, Vec<&Listed>> = BTreeMap::new();
        for job in self.jobs.iter().filter(|job| !job.is_drop()) {
            groups.entry(self.leads.of(job.doc)).or_default().push(job);
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
pub(crate) struct Clock {
    now: Timestamp,
    longest_ms: u64,
}

impl Clock {
    pub fn of(context: &Context<'_>) -> Clock {
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
pub(crate) fn runnable_head(group: Vec<&Listed>, holds: &Holds, clock: Clock) -> Vec<Listed> {
    let free = |job: &&&Listed| job.due.is_none_or(|due| clock.is_due(due)) && !holds.job(job.id);
    group.iter().take_while(free).map(|job| (*job).clone()).collect()
}

fn in_parallel(
    context: &Context<'_>,
    claimant: &Claimant,
    view: &View,
    groups: Vec<Vec<Listed>>,
) -> (Report, Result<(), RunError>) {
    let threads = context.threads.clamp(1, groups.len().max(1));
    let (sender, receiver) = crossbeam_channel::unbounded();
    for group in groups {
        // Sending cannot fail: the receiver lives as long as this function.
        let _ = sender.send(group);
    }
    drop(sender);
    let total = Mutex::new((Report::default(), Ok(())));
    let work = || {
        for waiting in &receiver {
            if context.stopping() || total.lock().is_ok_and(|total| total.1.is_err()) {
                break;
            }
            let group = Group::new(*context, claimant, view);
            let ended = group.run(waiting);
            if let Ok(mut total) = total.lock() {
                total.0 = total.0.plus(group.report());
                // Of several errors the first is told.
                if total.1.is_ok() {
                    total.1 = ended;
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
