//! `work`: drains the queue and ends. Silent when all is well; jobs that fail are no failure of the run.

mod heart;
mod rest;
mod turns;
mod watch;

pub use heart::Heart;
pub use turns::{Turn, Turns};

use crate::failure::Failure;
use crate::inbox::{self, Inbox};
use crate::logs;
use crate::progress::Progress;
use crate::render;
use crate::world::{World, now, random};
use declaration::Timestamp;
use documents::Documents;
use policy::settings::Settings;
use producer::InboxFile;
use queue_layout::{Claimant, Counters, DocKey, Event, Happened, Queue, QueueError};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use worker::{Context, Report, Retry};

/// Merge what waits: drains the queue and ends
#[derive(Debug, clap::Args)]
#[command(after_help = "From cron, every minute:
  * * * * * $HOME/.cargo/bin/last-word work
Silent when all is well. A second `work` meanwhile ends at once with exit 0.")]
pub struct Args {
    /// Documents merged at the same time [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Wait for retries that are due within so many seconds
    #[arg(long, value_name = "SECS", default_value_t = Args::WAIT_RETRIES)]
    pub wait_retries: u64,
    /// Work beside a worker that runs already, instead of ending at once
    #[arg(long)]
    pub join: bool,
    /// Stay, and merge what comes; SIGTERM ends it, SIGHUP reads the settings anew
    #[arg(long, conflicts_with = "join")]
    pub watch: bool,
    /// Stay on, at most so many seconds, while something in pending/ has to wait (for systemd, which would start us again)
    #[arg(long, value_name = "SECS", conflicts_with_all = ["watch", "join"])]
    pub stay: Option<u64>,
    /// End with exit 1 when nothing moved for so many seconds; the next run recovers what was in hand
    #[arg(long, value_name = "SECS", default_value_t = Args::STUCK_AFTER, value_parser = clap::value_parser!(u64).range(1..))]
    pub stuck_after: u64,
    /// Leave the process session of whoever started it, so as to outlive it
    #[arg(long, hide = true)]
    pub own_session: bool,
}

impl Args {
    /// Seconds it waits for retries.
    pub const WAIT_RETRIES: u64 = 30;
    /// Seconds without anything that moves after which it ends.
    pub const STUCK_AFTER: u64 = 300;
}

/// Old files that one run clears away at most: a minute's worth of receipts, many times over, in a few milliseconds.
const PRUNED_PER_RUN: usize = 500;

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    if args.own_session {
        // It fails only where we lead a group already, which outlives its session as well.
        let _ = rustix::process::setsid();
    }
    let stop = stop_on_signals()?;
    match (begin(args, world, &stop), args.stay) {
        (Err(failure), Some(stay)) => {
            // Whoever asked us to stay would start us again at once, and again.
            failure.print();
            wait(Duration::from_secs(stay), &stop);
            Ok(failure.code)
        }
        (other, _) => other,
    }
}

fn begin(args: &Args, world: &World, stop: &AtomicBool) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let settings = world.settings_to_keep()?;
    let heart = Heart::watched(Duration::from_secs(args.stuck_after));
    let wait_retries_ms = args.wait_retries.saturating_mul(1000);
    let turns = Turns {
        world,
        queue,
        threads: args.threads,
        // A worker that stays has a timer for them.
        wait_retries_ms: if args.watch || args.stay.is_some() { 0 } else { wait_retries_ms },
        join: args.join,
        stop,
        heart: &heart,
    };
    if args.watch || args.stay.is_some() {
        let stay = |secs| watch::Stay { at_most: Duration::from_secs(secs), wait_retries_ms };
        return watch::run(&turns, settings, args.stay.map(stay));
    }
    let working = heart.working();
    let turn = turns.take(&settings, false)?;
    drop(working);
    match turn {
        Turn::Busy => logs::said("busy", "another worker is running; it takes what waits"),
        Turn::Done(report) if world.json => render::json(&report_json(&report))?,
        // Cron and systemd hear nothing of jobs that failed; who types it wants to know what came of it.
        Turn::Done(report) if world.verbose == 0 && std::io::stderr().is_terminal() => {
            let next =
                if report.failed + report.review + report.deferred > 0 { "; last-word status" } else { "" };
            eprintln!("last-word: {}{next}", sentence(&report));
        }
        Turn::Done(_) => {}
    }
    Ok(0)
}

/// In short naps, so that a signal is heeded within a tenth of a second.
fn wait(time: Duration, stop: &AtomicBool) {
    let began = Instant::now();
    while began.elapsed() < time && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn report_json(report: &Report) -> serde_json::Value {
    serde_json::json!({
        "applied": report.applied, "unchanged": report.unchanged, "deferred": report.deferred,
        "failed": report.failed, "review": report.review, "next_due": report.next_due,
    })
}

/// What a run did, in words.
pub fn sentence(report: &Report) -> String {
    let counts = [
        (report.applied, "applied"),
        (report.unchanged, "unchanged"),
        (report.deferred, "deferred"),
        (report.failed, "failed"),
        (report.review, "for review"),
    ];
    let words = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let words: Vec<String> = words.collect();
    if words.is_empty() { "nothing to do".to_owned() } else { words.join(", ") }
}

/// SIGTERM and SIGINT end the run after the batch in hand; what is left goes back.
pub fn stop_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        // A second signal ends the process at once: claims are recovered by the next run.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|e| Failure::new(format!("cannot listen for signals: {e}")))?;
    }
    Ok(stop)
}

/// One drain of the queue, or of one document.
pub struct Drain<'a> {
    pub world: &'a World,
    pub queue: Queue,
    pub settings: &'a Settings,
    pub only: Option<&'a [DocKey]>,
    pub threads: Option<usize>,
    pub wait_retries_ms: u64,
    /// Only a further look at what may have come meanwhile: what is done once in a while is left out, and a run that found
    /// nothing is not worth a line.
    pub again: bool,
    pub stop: &'a AtomicBool,
    pub heart: &'a Heart,
}

impl Drain<'_> {
    /// Recovers, takes in what was left, and merges until nothing is runnable and no retry is due soon.
    pub fn run(&self) -> Result<Report, Failure> {
        let settings = self.settings;
        let documents = self.world.documents();
        let progress = self.progress()?;
        let counted = Mutex::new(Counters::default());
        let synced = self.world.disk.synced();
        let tell = |happened: &Happened| {
            self.heart.beat();
            if let Ok(mut counted) = counted.lock() {
                count(&mut counted, happened.event);
            }
            self.tell(happened, progress.as_ref());
        };
        let context = self.context(settings, &documents, &tell);
        worker::recover(&context)?;
        if !self.again {
            self.queue.sweep(now())?;
        }
        let claimant = self.queue.claimant()?;
        let result = self.drain(&context, &claimant, settings);
        if result.is_ok() && self.only.is_none() {
            self.archive(&context, settings);
        }
        self.journal_end(&claimant, &result);
        self.count(counted.into_inner().unwrap_or_default(), synced, &result);
        if result.is_ok() && self.only.is_none() && !self.again {
            self.clear_away(&claimant, settings);
        }
        // After trouble its directory and claims stay for the next run to recover.
        let report = result?;
        claimant.end()?;
        Ok(report)
    }

    fn tell(&self, happened: &Happened, progress: Option<&Mutex<Progress>>) {
        logs::happened(happened);
        match progress {
            Some(progress) if self.world.verbose < 2 && is_outcome(happened) => {
                // A panic elsewhere has said what there is to say.
                if let Ok(mut progress) = progress.lock() {
                    progress.step();
                }
            }
            _ => {}
        }
    }

    /// Only gives back what the dead had in hand, and sweeps up what they left half-written.
    pub fn recover(&self) -> Result<(), Failure> {
        let documents = self.world.documents();
        worker::recover(&self.context(self.settings, &documents, &logs::happened))?;
        self.queue.sweep(now())?;
        Ok(())
    }

    /// How far it is, for somebody who sits at a terminal and watches.
    fn progress(&self) -> Result<Option<Mutex<Progress>>, Failure> {
        if !Progress::is_seen() {
            return Ok(None);
        }
        Ok(Some(Mutex::new(Progress::new(self.queue.list_runnable()?.0.jobs.len(), "jobs merged"))))
    }

    fn drain(
        &self,
        context: &Context<'_>,
        claimant: &Claimant,
        settings: &Settings,
    ) -> Result<Report, Failure> {
        let mut total = Report::default();
        if self.only.is_none() && !self.again {
            worker::look_back(context, claimant)?;
        }
        loop {
            self.heart.beat();
            if self.only.is_none() {
                self.flush_sessions(claimant, settings)?;
                self.take_in(claimant, settings)?;
            }
            let report = worker::pass(context, claimant)?;
            total = Report { next_due: None, ..total }.plus(report);
            match report.next_due {
                Some(due) if !self.stopping() && due.since_ms(now()) <= self.wait_retries_ms => {
                    self.sleep_until(due)
                }
                _ => return Ok(total),
            }
        }
    }

    /// A little of what is old. That it cannot be cleared away is said, and is no failure of the run.
    fn clear_away(&self, claimant: &Claimant, settings: &Settings) {
        match operator::prune_some(&self.queue, now(), &settings.retention, PRUNED_PER_RUN) {
            Ok((pruned, _)) => operator::tell_pruned(&self.queue, &pruned, claimant.name(), now()),
            Err(e) => warn(&e),
        }
    }

    /// Daily logs that are old. The day it is here is asked only where there are any.
    fn archive(&self, context: &Context<'_>, settings: &Settings) {
        if settings.knowledge_bases.iter().any(|base| base.keep_days.is_some())
            && let Err(e) = worker::archive(context, &self.world.moment().day())
        {
            warn(&e);
        }
    }

    fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// In short naps, so that a signal is heeded within a tenth of a second.
    fn sleep_until(&self, due: Timestamp) {
        loop {
            let left = due.since_ms(now());
            if left == 0 || self.stopping() {
                return;
            }
            self.heart.beat();
            std::thread::sleep(Duration::from_millis(left.min(100)));
        }
    }

    /// What sessions that are gone had planned becomes jobs: an agent that was killed loses nothing it declared.
    fn flush_sessions(&self, claimant: &Claimant, settings: &Settings) -> Result<(), Failure> {
        let flushed = self.queue.flush_gone(now(), settings.retention.done_ms)?;
        flushed.left.iter().for_each(|(session, e)| self.left(session, e));
        self.journal(&super::flush::events(&flushed.jobs, claimant.name(), now()));
        Ok(())
    }

    fn take_in(&self, claimant: &Claimant, settings: &Settings) -> Result<(), Failure> {
        let (world, moment) = (self.world, now());
        let producer = world.producer(None, None, "drop");
        let inbox = self.inbox(settings, moment)?;
        let taken = world.saying(settings, &producer, None, |said| {
            producer::take_in(claimant, &inbox, &said, moment, &mut random)
        })?;
        let mut events = Vec::new();
        for job in &taken.jobs {
            events.push(
                Happened::new(moment, Event::TakenIn).job(job.id, &job.document.path).by(claimant.name()),
            );
        }
        for (id, problems) in &taken.refused {
            let mut event = Happened::new(moment, Event::Failed).by(claimant.name());
            event.id = Some(*id);
            let first = problems.first();
            let message = first.map(ToString::to_string).unwrap_or_default();
            events.push(event.saying(first.map(|problem| problem.code.as_str()), message));
        }
        self.journal(&events);
        taken.left.iter().for_each(|(path, e)| self.left(path, e));
        Ok(())
    }

    /// The declarations that were left in inboxes.
    fn inbox(&self, settings: &Settings, moment: Timestamp) -> Result<Vec<InboxFile>, Failure> {
        let mut found = Vec::new();
        for Inbox { dir, project } in inbox::all(self.world, settings) {
            match self.queue.inbox(&dir, moment) {
                Err(e) if !e.is_machine_trouble() => self.left(&dir, &e),
                other => {
                    let here = |path| InboxFile { path, project: project.clone() };
                    found.extend(other?.into_iter().map(here));
                }
            }
        }
        Ok(found)
    }

    /// What cannot be taken out of an inbox or a session is said once a run, and keeps nobody else waiting.
    fn left(&self, path: &Path, e: &QueueError) {
        if !self.again {
            let (path, why) = (self.world.short(path), crate::failure::chain(e));
            eprintln!(
                "last-word: warning: {} is left where it is: {}",
                crate::visible::visible(&path.to_string()),
                crate::visible::visible(&why.to_string())
            );
        }
    }

    /// Adds this run to the totals. That it cannot is said, and is no failure of the run.
    fn count(&self, counted: Counters, before: (u64, u64), result: &Result<Report, Failure>) {
        let (fsyncs, fsync_us) = self.world.disk.synced();
        let ended = match result {
            Ok(report) => Counters {
                runs: 1,
                last_success: now().millis(),
                merges: report.merges,
                ..Counters::default()
            },
            Err(_) => Counters { troubles: 1, ..Counters::default() },
        };
        let spent =
            Counters { fsyncs: fsyncs - before.0, fsync_us: fsync_us - before.1, ..Counters::default() };
        let counted = self.queue.count(&counted.plus(ended).plus(spent)).map_err(Failure::from);
        let written =
            counted.and_then(|()| super::metrics::write_textfile(self.world, &self.queue, self.settings));
        if let (Err(failure), Ok(_)) = (written, result) {
            eprintln!("last-word: warning: {}", crate::visible::visible(&failure.messages.join("; ")));
        }
    }

    fn journal_end(&self, claimant: &Claimant, result: &Result<Report, Failure>) {
        let (event, message) = match result {
            Ok(report) if self.again && report.handled() == 0 => return,
            Ok(report) => (Event::RunEnded, sentence(report)),
            Err(failure) => (Event::Trouble, failure.messages.join("; ")),
        };
        // Whose crontab it was, and which process: `w1` is whoever came first.
        let by = format!("{} of {} (pid {})", claimant.name(), self.world.person(), std::process::id());
        let event = Happened::new(now(), event).by(&by).saying(None, message);
        logs::happened(&event);
        match self.queue.journal(&[event]) {
            Err(e) if result.is_ok() => warn(&e),
            // In trouble one line is enough, and it is said by whoever asked for the run.
            _ => {}
        }
    }

    /// What the journal tells of is durable already: that it cannot be written is said, and changes nothing.
    fn journal(&self, events: &[Happened]) {
        events.iter().for_each(logs::happened);
        if let Err(e) = self.queue.journal(events) {
            warn(&e);
        }
    }

    fn context<'c>(
        &'c self,
        settings: &'c Settings,
        documents: &'c Documents,
        tell: &'c (dyn Fn(&Happened) + Sync),
    ) -> Context<'c> {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Context {
            queue: &self.queue,
            documents,
            bases: &settings.knowledge_bases,
            user_home: &self.world.user_home,
            retry: Retry {
                retries: settings.retry.retries,
                base_ms: settings.retry.base_ms,
                cap_ms: settings.retry.cap_ms,
            },
            snapshots: settings.retention.snapshots,
            run: &crate::program::run,
            threads: self.threads.unwrap_or_else(cores).max(1),
            only: self.only,
            now: &now,
            random: &random,
            stop: self.stop,
            warn: &warn,
            tell,
        }
    }
}

fn warn(e: &dyn std::error::Error) {
    eprintln!("last-word: warning: {}", crate::visible::visible(&crate::failure::chain(e)));
}

fn count(counted: &mut Counters, event: Event) {
    let counter = match event {
        Event::Applied => &mut counted.applied,
        Event::Unchanged => &mut counted.unchanged,
        Event::Failed => &mut counted.failed,
        Event::Review => &mut counted.review,
        Event::Deferred => &mut counted.retried,
        Event::Poisoned => &mut counted.poisoned,
        Event::Recovered => &mut counted.recovered,
        _ => return,
    };
    *counter += 1;
}

fn is_outcome(happened: &Happened) -> bool {
    matches!(happened.event, Event::Applied | Event::Unchanged | Event::Failed | Event::Review)
}
