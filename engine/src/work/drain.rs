//! One drain of the queue, or of some documents: first it recovers what dead workers left and takes in dropped files, then
//! it makes passes until nothing is runnable.

use super::{Worker, sentence};
use crate::{Failure, Notice, flush};
use declaration::Timestamp;
use policy::reached::OtherRules;
use policy::settings::Settings;
use producer::InboxFile;
use queue_layout::{Claimant, Counters, DocKey, Event, JournalEntry, Queue, QueueError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use worker::{Backoff, Context, Report};

/// Old files that one run clears away at most: a minute's worth of receipts, many times over, in a few milliseconds.
const PRUNED_PER_RUN: usize = 500;

pub(super) struct Drain<'a> {
    pub(super) worker: &'a Worker,
    pub(super) settings: &'a Settings,
    /// Whether these are no longer the settings of the file: the run ends, for another to go by the new ones.
    pub(super) changed: &'a (dyn Fn() -> bool + Sync),
    pub(super) only: Option<&'a [DocKey]>,
    /// This is a further look for jobs that came meanwhile: housekeeping is left out, and a run that found nothing is not
    /// written to the journal.
    pub(super) again: bool,
    /// It is not the first drain of its turn: one that moved nothing is no run of its own, so that `status` tells what the
    /// turn did.
    pub(super) further: bool,
    /// The rules of other homes, once they were asked for.
    pub(super) others: OnceLock<Vec<OtherRules>>,
}

/// How much of what people saved was put before a person in a run.
#[derive(Debug, Default)]
struct PutBefore {
    review: AtomicU64,
    failed: AtomicU64,
}

impl PutBefore {
    fn see(&self, event: Event) {
        match event {
            Event::Reverted => &self.review,
            Event::LateWrite | Event::LeftOut => &self.failed,
            _ => return,
        }
        .fetch_add(1, Ordering::Relaxed);
    }

    fn report(&self) -> Report {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Report { review: of(&self.review), failed: of(&self.failed), ..Report::default() }
    }
}

impl Drain<'_> {
    /// Recovers, takes in what was left, and merges until nothing is runnable and no retry is due soon.
    pub(super) fn run(&self) -> Result<Report, Failure> {
        let queue = self.queue();
        let runnable = || queue.list_runnable().map_or(0, |(scan, _)| scan.jobs.len());
        self.tell(Notice::RunBegins(&runnable));
        let ended = self.run_to_the_end();
        self.tell(Notice::RunEnds);
        ended
    }

    fn run_to_the_end(&self) -> Result<Report, Failure> {
        let mut report = Report::default();
        let synced = self.worker.home.disk.synced();
        let put_before = PutBefore::default();
        let tell = |happened: &JournalEntry| {
            self.worker.watchdog.alive();
            put_before.see(happened.event);
            self.tell(Notice::JournalEntry(happened));
        };
        let warn = |e: &dyn std::error::Error| self.worker.home.host.warn(e);
        let stop = || self.worker.control.is_stopped() || (self.changed)();
        let projects = |file: &Path| self.worker.home.projects_around(file, self.settings);
        let context = self.context(&tell, &warn, &stop, &projects);
        let (name, result) = match self.begin(&context, &mut report) {
            Ok(claimant) => {
                let name = claimant.name().to_owned();
                (name, self.drain_and_end(&context, claimant, &mut report))
            }
            // One that failed before it had a slot has no number.
            Err(failure) => ("work".to_owned(), Err(failure)),
        };
        if result.is_ok() && self.only.is_none() {
            self.archive(&context);
            let home = &self.worker.home;
            for ended in [home.go_on_purging(), home.go_on_undoing()] {
                if let Err(failure) = ended {
                    self.tell(Notice::Warning(&failure.sentence()));
                }
            }
        }
        let ended = self.now();
        // What was put before a person without having waited is told, and counts as no job's outcome.
        let told = report.plus(put_before.report());
        self.journal_end(&name, &told, &result, ended);
        self.count(&report, synced, &result, ended);
        if result.is_ok() && self.only.is_none() && !self.again {
            self.clear_away(&name);
        }
        result.map(|()| told)
    }

    /// After trouble the claimant's directory and claims stay for the next run to recover.
    fn drain_and_end(
        &self,
        context: &Context<'_>,
        claimant: Claimant,
        report: &mut Report,
    ) -> Result<(), Failure> {
        self.drain(context, &claimant, report)?;
        if let Err(e) = claimant.count_left() {
            (context.warn)(&e);
        }
        Ok(claimant.end()?)
    }

    /// What comes before the first claim.
    fn begin(&self, context: &Context<'_>, report: &mut Report) -> Result<Claimant, Failure> {
        worker::recover(context, report)?;
        if !self.again {
            self.queue().worker().sweep(self.now())?;
        }
        if self.only.is_none() {
            // Before anybody looks at the history: a purge that was cut short has changed half of it.
            self.worker.home.go_on_purging()?;
            if !self.again {
                self.worker.home.compare_left_over()?;
            }
        }
        Ok(self.queue().claimant()?)
    }

    /// Only gives back the claims of dead workers, and removes the temp files that they left.
    pub(super) fn recover(&self) -> Result<(), Failure> {
        let tell = |happened: &JournalEntry| self.tell(Notice::JournalEntry(happened));
        let warn = |e: &dyn std::error::Error| self.worker.home.host.warn(e);
        let context = self.context(&tell, &warn, &|| false, &|_| Vec::new());
        worker::recover(&context, &mut Report::default())?;
        self.queue().worker().sweep(self.now())?;
        Ok(())
    }

    /// What is done is added to `total`, also where it ends in trouble.
    fn drain(&self, context: &Context<'_>, claimant: &Claimant, total: &mut Report) -> Result<(), Failure> {
        if self.only.is_none() && !self.again {
            worker::stale_saves(context, claimant)?;
        }
        loop {
            self.worker.watchdog.alive();
            if (self.changed)() {
                return Ok(());
            }
            if self.only.is_none() {
                self.flush_sessions(claimant)?;
                self.take_in(claimant, total)?;
                self.ask_for_indexes(true)?;
            }
            total.next_due = None;
            let before = total.handled();
            worker::pass(context, claimant, total)?;
            // What was merged now may be of an index.
            if self.only.is_none() && total.handled() > before && self.ask_for_indexes(false)? {
                worker::pass(context, claimant, total)?;
            }
            let soon = |due: &Timestamp| due.since_ms(self.now()) <= self.worker.wait_retries_ms;
            match total.next_due.filter(soon) {
                Some(due) if !(context.stop)() => self.sleep_until(due),
                _ => return Ok(()),
            }
        }
    }

    /// Removes some of what is older than retention keeps. A failure here is a warning, and does not fail the run.
    fn clear_away(&self, by: &str) {
        let (queue, retention) = (self.queue(), &self.settings.retention);
        match operator::prune_some(queue, self.now(), retention, PRUNED_PER_RUN) {
            Ok((pruned, _)) => operator::tell_pruned(queue, &pruned, by, self.now()),
            Err(e) => self.worker.home.host.warn(&e),
        }
        if let Err(failure) = self.worker.home.prune_copies(false) {
            self.worker.home.host.warn(&failure);
        }
    }

    /// Daily logs that are old. The day it is here is asked only where there are any.
    fn archive(&self, context: &Context<'_>) {
        if self.settings.knowledge_bases.iter().any(|kb| kb.keep_days.is_some())
            && let Err(e) = worker::archive(context, &self.worker.home.moment().day())
        {
            self.worker.home.host.warn(&e);
        }
    }

    /// Sleeps in steps of 100 ms, so that a signal ends the run within that time.
    fn sleep_until(&self, due: Timestamp) {
        loop {
            let left = due.since_ms(self.now());
            if left == 0 || self.worker.control.is_stopped() {
                return;
            }
            self.worker.watchdog.alive();
            (self.worker.home.host.sleep)(Duration::from_millis(left.min(100)));
        }
    }

    /// Makes jobs of the buffers of sessions that are gone, so that a killed agent loses nothing that it declared.
    fn flush_sessions(&self, claimant: &Claimant) -> Result<(), Failure> {
        let flushed = self.queue().sessions().flush_gone(self.now(), self.settings.retention.done_ms)?;
        flushed.left.iter().for_each(|(session, e)| self.left(session, e));
        self.worker.journal(&flush::events(&flushed.jobs, claimant.name(), self.now()));
        Ok(())
    }

    /// What cannot be read as a declaration is counted as failed.
    fn take_in(&self, claimant: &Claimant, total: &mut Report) -> Result<(), Failure> {
        let (home, moment) = (&self.worker.home, self.now());
        let producer = self.worker.caller.producer("drop");
        let inbox = self.inbox(moment)?;
        let mut random = || (home.host.random)();
        let taken = home.saying(self.settings, &self.worker.caller.cwd, &producer, None, |said| {
            producer::take_in(claimant, &inbox, &said, moment, &mut random)
        })?;
        let mut events = Vec::new();
        for job in &taken.jobs {
            events.push(
                JournalEntry::new(moment, Event::TakenIn).job(job.id, &job.document.path).by(claimant.name()),
            );
        }
        total.failed += u64::try_from(taken.refused.len()).unwrap_or(u64::MAX);
        for (id, problems) in &taken.refused {
            let mut event = JournalEntry::new(moment, Event::Failed).by(claimant.name());
            event.id = Some(*id);
            let first = problems.first();
            let message = first.map(ToString::to_string).unwrap_or_default();
            events.push(event.saying(first.map(|problem| problem.code.as_str()), message));
        }
        self.worker.journal(&events);
        taken.left.iter().for_each(|(path, e)| self.left(path, e));
        Ok(())
    }

    /// The declarations that were left in inboxes.
    fn inbox(&self, moment: Timestamp) -> Result<Vec<InboxFile>, Failure> {
        let mut found = Vec::new();
        for inbox in self.worker.home.inboxes(self.settings) {
            match self.worker.home.inbox(&inbox, moment) {
                Err(e) if !e.is_machine_trouble() => self.left(&inbox.dir, &e),
                other => {
                    let other = other?;
                    other.refused.iter().for_each(|(path, e)| self.left(path, e));
                    let here = |path| InboxFile { path, project: inbox.project.clone() };
                    found.extend(other.ready.into_iter().map(here));
                }
            }
        }
        Ok(found)
    }

    /// Warns, once a run, of a file in an inbox or a session buffer that cannot be taken in. The others are taken in all the same.
    fn left(&self, path: &Path, e: &QueueError) {
        if !self.again {
            let (path, why) = (self.worker.home.short(path), crate::chain(e));
            let say = |advice| format!("; hint: {}", self.worker.home.host.say(&advice));
            let hint = e.advice().map_or_else(String::new, say);
            self.tell(Notice::Warning(&format!("{path} is left where it is: {why}{hint}")));
        }
    }

    /// Adds this run to the totals. A failure here is a warning, and does not fail the run.
    fn count(&self, report: &Report, before: (u64, u64), result: &Result<(), Failure>, at: Timestamp) {
        let home = &self.worker.home;
        let (fsyncs, fsync_us) = home.disk.synced();
        let ended = match result {
            Ok(()) if self.further && report.handled() == 0 => Counters::default(),
            Ok(()) => Counters { runs: 1, last_success: at.millis(), ..Counters::default() },
            Err(_) => Counters { troubles: 1, failing_since: at.millis(), ..Counters::default() },
        };
        let spent =
            Counters { fsyncs: fsyncs - before.0, fsync_us: fsync_us - before.1, ..Counters::default() };
        let counted =
            self.queue().worker().count(&report.counters().plus(ended).plus(spent)).map_err(Failure::from);
        let written =
            counted.and_then(|()| home.write_metrics_textfile(self.settings, &self.worker.caller.cwd));
        if let (Err(failure), Ok(_)) = (written, result) {
            self.tell(Notice::Warning(&failure.sentence()));
        }
    }

    fn journal_end(&self, name: &str, report: &Report, result: &Result<(), Failure>, at: Timestamp) {
        let (event, message) = match result {
            Ok(()) if self.again && report.handled() == 0 => return,
            Ok(()) => (Event::RunEnded, sentence(report)),
            Err(failure) => (Event::Trouble, failure.sentence()),
        };
        // The name of a worker is that of a free slot, such as `w1`: user and process say which one it was.
        let pid = self.worker.caller.pid.map_or_else(String::new, |pid| format!(" (pid {pid})"));
        let by = format!("{name} of {}{pid}", self.worker.person);
        let event = JournalEntry::new(at, event).by(&by).saying(None, message);
        self.tell(Notice::JournalEntry(&event));
        // A scheduled run every minute would soon leave room for nothing else in the journal: a run that did nothing is
        // only counted (`Counters::runs`, `last_success`).
        if result.is_ok() && report.handled() == 0 {
            return;
        }
        match self.queue().journal().write(&[event]) {
            Err(e) if result.is_ok() => self.worker.home.host.warn(&e),
            // After trouble the caller prints its error already: a second message would say the same.
            _ => {}
        }
    }

    fn context<'c>(
        &'c self,
        tell: &'c (dyn Fn(&JournalEntry) + Sync),
        warn: &'c (dyn Fn(&dyn std::error::Error) + Sync),
        stop: &'c (dyn Fn() -> bool + Sync),
        projects: &'c (dyn Fn(&Path) -> Vec<PathBuf> + Sync),
    ) -> Context<'c> {
        let Worker { home, threads, .. } = self.worker;
        Context {
            queue: home.queue(),
            disk: &*home.disk,
            documents: home.documents(),
            kbs: &self.settings.knowledge_bases,
            others: self.others.get_or_init(|| home.other_rules()),
            user_home: &home.user_home,
            retry: Backoff {
                retries: self.settings.retry.retries,
                base_ms: self.settings.retry.base_ms,
                cap_ms: self.settings.retry.cap_ms,
            },
            snapshots: self.settings.retention.snapshots,
            run: &*home.host.run,
            threads: threads.unwrap_or_else(|| (home.host.threads)()).max(1),
            projects,
            only: self.only,
            now: &*home.host.now,
            random: &*home.host.random,
            stop,
            warn,
            tell,
        }
    }

    fn queue(&self) -> &Queue {
        self.worker.home.queue()
    }

    fn now(&self) -> Timestamp {
        self.worker.home.now()
    }

    fn tell(&self, notice: Notice<'_>) {
        (self.worker.home.host.tell)(notice);
    }
}
