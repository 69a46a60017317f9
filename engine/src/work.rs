//! The worker of a home: recovers, takes in what was left, and merges until nothing is runnable; once, or for as long as it
//! is wanted.

mod configured;
mod control;
mod drain;
mod index;
mod rest;
mod turns;
mod watch;
mod watchdog;

pub use control::Control;
pub use watch::{Stay, Watched};
pub use watchdog::Watchdog;

use crate::{Caller, Failure, Home};
use configured::Configured;
use drain::Drain;
use policy::settings::Settings;
use queue_layout::{DocKey, JournalEntry};
use std::sync::OnceLock;
use std::time::Duration;
use worker::Report;

/// Somebody who merges what waits in a home. Nothing happens until one of its verbs is called.
#[derive(Debug, Clone)]
pub struct Worker {
    pub(crate) home: Home,
    /// The declarations that were left in files are taken in for it.
    pub(crate) caller: Caller,
    /// Whose crontab or shell it is.
    person: String,
    threads: Option<usize>,
    wait_retries_ms: u64,
    join: bool,
    control: Control,
    watchdog: Watchdog,
}

/// How a turn at the queue ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Somebody else drains it, and takes what waits.
    Busy,
    /// Nothing is left that could be merged now.
    Done(Report),
}

impl Home {
    /// A worker for this home, in the name of a person: the journal has it.
    #[must_use]
    pub fn worker(&self, caller: Caller, person: impl Into<String>) -> Worker {
        Worker {
            home: self.clone(),
            caller,
            person: person.into(),
            threads: None,
            wait_retries_ms: 0,
            join: false,
            control: Control::new(),
            watchdog: Watchdog::off(),
        }
    }
}

impl Worker {
    /// Merges so many documents at the same time, instead of as many as there are processors.
    #[must_use]
    pub fn threads(self, threads: Option<usize>) -> Worker {
        Worker { threads, ..self }
    }

    /// Stays while a retry is due within this time, instead of leaving it to the next run.
    #[must_use]
    pub fn wait_for_retries(self, time: Duration) -> Worker {
        Worker { wait_retries_ms: watch::millis(time), ..self }
    }

    /// Works beside one that drains already: different documents are merged by either.
    #[must_use]
    pub fn join(self, join: bool) -> Worker {
        Worker { join, ..self }
    }

    /// Is stopped, and woken, by this.
    #[must_use]
    pub fn control(self, control: Control) -> Worker {
        Worker { control, ..self }
    }

    /// Shows this that it lives.
    #[must_use]
    pub fn watchdog(self, watchdog: Watchdog) -> Worker {
        Worker { watchdog, ..self }
    }

    /// Merges until nothing is runnable and no retry is due soon. Jobs that fail are no failure of the run.
    ///
    /// # Errors
    /// The home or its configuration cannot be used, or the machine is in trouble.
    pub fn work(&self) -> Result<Turn, Failure> {
        let mut configured = Configured::read(&self.home)?;
        let _working = self.watchdog.working();
        let mut total: Option<Report> = None;
        loop {
            let report = match self.turn(&configured, total.is_some())? {
                Turn::Busy => return Ok(total.map_or(Turn::Busy, Turn::Done)),
                Turn::Done(report) => Report { next_due: None, ..total.unwrap_or_default() }.plus(report),
            };
            if self.control.is_stopped() || !configured.changed(&self.home) {
                return Ok(Turn::Done(report));
            }
            total = Some(report);
            configured.look(self, false);
        }
    }

    /// The same for some documents only, or for all where none is named. It may run beside another worker, so it leaves sessions
    /// and inboxes alone.
    pub(crate) fn work_on(&self, documents: &[DocKey], settings: &Settings) -> Result<Report, Failure> {
        let settings = &*self.home.bound(settings);
        let only = Some(documents).filter(|documents| !documents.is_empty());
        Drain {
            worker: self,
            settings,
            changed: &|| false,
            only,
            again: false,
            further: false,
            others: OnceLock::new(),
        }
        .run()
    }

    /// Only gives back the claims of dead workers, and removes the temp files that they left.
    ///
    /// # Errors
    /// The machine is in trouble.
    pub fn recover(&self, settings: &Settings) -> Result<(), Failure> {
        Drain {
            worker: self,
            settings,
            changed: &|| false,
            only: None,
            again: true,
            further: false,
            others: OnceLock::new(),
        }
        .recover()
    }

    /// Writes to the journal. What it tells of is done already, so that a journal that cannot be written is only a warning.
    pub(crate) fn journal(&self, events: &[JournalEntry]) {
        events.iter().for_each(|event| self.home.host.happened(event));
        if let Err(e) = self.home.queue().journal().write(events) {
            self.home.host.warn(&e);
        }
    }
}

/// What a run did, in words.
#[must_use]
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
