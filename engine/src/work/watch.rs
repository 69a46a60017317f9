//! A worker that stays, and merges what comes. File events are a hint, the scan every minute is the truth, and the next due
//! time is the timer. At rest it waits in one system call and uses no processor time.

use super::configured::Configured;
use super::rest::Rest;
use super::{Turn, Worker};
use crate::{Failure, Notice};
use crossbeam_channel::{RecvTimeoutError, Sender};
use notify::event::{EventKind, ModifyKind, RenameMode};
use notify::{RecursiveMode, Watcher};
use queue_layout::{Layout, Sign, State};
use std::time::Duration;

/// How long a worker stays that does not stay for good.
#[derive(Debug, Clone, Copy)]
pub struct Stay {
    /// At most, and only while something in `pending/` has to wait.
    pub at_most: Duration,
    /// Also while a retry is due within this time.
    pub wait_retries: Duration,
}

/// How a worker that watched has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// It was told to end, or had nothing left to stay for.
    Ended,
    /// The same, and its last run was in trouble, which was told.
    InTrouble,
    /// Another one watches this home already, and takes what comes.
    Already,
}

impl Worker {
    /// Stays until it is stopped, or as long as `stay` says. `nap_max`: it wakes at least this often, to say that it lives.
    ///
    /// # Errors
    /// Only at the beginning: the home or its configuration cannot be used. Later trouble is told, and waited out.
    pub fn watch(&self, stay: Option<Stay>, nap_max: Option<Duration>) -> Result<Watched, Failure> {
        let configured = Configured::read(&self.home)?;
        let Some(_the_only_one) = self.home.disk.try_lock(&self.home.layout.watch_lock())? else {
            return Ok(Watched::Already);
        };
        let mut watch = Watch {
            worker: self,
            configured,
            files: Files::new(self),
            rest: Rest::default(),
            began: (self.home.host.elapsed)(),
            nap_max,
            trouble: None,
            ready: false,
        };
        watch.stay(stay)?;
        Ok(if watch.trouble.is_some() { Watched::InTrouble } else { Watched::Ended })
    }
}

struct Watch<'a> {
    worker: &'a Worker,
    configured: Configured,
    files: Files,
    rest: Rest,
    began: Duration,
    nap_max: Option<Duration>,
    /// What was said of the trouble the machine is in.
    trouble: Option<String>,
    ready: bool,
}

impl Watch<'_> {
    fn stay(&mut self, stay: Option<Stay>) -> Result<(), Failure> {
        let until = stay.map_or(u64::MAX, |stay| millis(stay.at_most));
        let signs = &self.worker.control.signs;
        while !self.worker.control.is_stopped() {
            self.configured.look(self.worker, self.worker.control.take_reread());
            if self.rest.left_ms(self.at()) == 0 {
                self.look();
            }
            if let Some(stay) = stay
                && (self.at() >= until || self.is_over(stay)?)
            {
                return Ok(());
            }
            self.tell(Notice::Alive);
            let wait = self.rest.left_ms(self.at()).min(until - self.at().min(until));
            let wait = Duration::from_millis(wait);
            match signs.recv_timeout(self.nap_max.map_or(wait, |nap| wait.min(nap))) {
                Ok(sign) => {
                    let at = self.at();
                    self.tell(Notice::Woken(sign));
                    self.rest = signs
                        .try_iter()
                        .fold(self.rest.hearing(at, sign), |rest, sign| rest.hearing(at, sign));
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
        Ok(())
    }

    /// One look: everything that is runnable is merged.
    fn look(&mut self) {
        let at = self.at();
        // Again each time: a directory that was made, or made anew, since.
        if self.rest.is_scan(at) {
            self.files.watch();
        }
        let turn = {
            let _working = self.worker.watchdog.working();
            self.worker.turn(&self.configured, !self.rest.is_scan(at))
        };
        let at = self.at();
        let next_due = match turn {
            Ok(Turn::Done(report)) => report.next_due,
            Ok(Turn::Busy) => None,
            Err(failure) => {
                self.rest = Rest::after_trouble(at);
                return self.complain(&failure);
            }
        };
        self.rest = Rest::after_run(at, self.worker.home.now(), next_due);
        if self.configured.changed(&self.worker.home) {
            // What was left for the new settings.
            self.rest = self.rest.hearing(at, Sign::Job);
        }
        if self.trouble.take().is_some() {
            self.tell(Notice::TroubleOver);
        }
        if !self.ready {
            self.ready = true;
            self.tell(Notice::Watching);
        }
    }

    /// Once for each trouble, however long it lasts.
    fn complain(&mut self, failure: &Failure) {
        let words = failure.sentence();
        if self.trouble.as_ref() != Some(&words) {
            self.tell(Notice::Trouble(failure));
        }
        self.trouble = Some(words);
    }

    /// Whether a worker that does not stay for good has nothing left to stay for.
    fn is_over(&self, stay: Stay) -> Result<bool, Failure> {
        if self.trouble.is_some() || self.rest.expects(self.at(), millis(stay.wait_retries)) {
            return Ok(false);
        }
        let scan = self.worker.home.queue().scan(State::Pending)?;
        Ok(scan.jobs.is_empty() && scan.dropped.is_empty())
    }

    /// Milliseconds of a clock that is never set.
    fn at(&self) -> u64 {
        millis((self.worker.home.host.elapsed)() - self.began)
    }

    fn tell(&self, notice: Notice<'_>) {
        (self.worker.home.host.tell)(notice);
    }
}

/// The watched directories. Without them, where the system has no more watches to give, the scan remains.
struct Files {
    layout: Layout,
    watcher: Option<notify::RecommendedWatcher>,
}

impl Files {
    fn new(worker: &Worker) -> Files {
        let layout = worker.home.layout.clone();
        let watcher = watcher(&layout, worker.control.sender.clone());
        if let Err(e) = &watcher {
            let text = format!("no file events ({e}); looks once a minute");
            (worker.home.host.tell)(Notice::Warning(&text));
        }
        let mut files = Files { layout, watcher: watcher.ok() };
        files.watch();
        files
    }

    /// What is missing, or cannot be watched, is found by the scan.
    fn watch(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        for dir in self.layout.watched() {
            let _ = watcher.watch(&dir, RecursiveMode::NonRecursive);
        }
    }
}

fn watcher(layout: &Layout, heard: Sender<Sign>) -> notify::Result<notify::RecommendedWatcher> {
    let known = layout.clone();
    notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        for sign in event.map(|event| signs(&known, &event)).unwrap_or_default() {
            // Full: enough is waiting to be heard.
            let _ = heard.try_send(sign);
        }
    })
}

/// What an event is a sign of. That something was read, or went away, is a sign of nothing: our own doing, mostly.
fn signs(layout: &Layout, event: &notify::Event) -> Vec<Sign> {
    if event.need_rescan() {
        return vec![Sign::Job];
    }
    let away = matches!(
        event.kind,
        EventKind::Access(notify::event::AccessKind::Open(_) | notify::event::AccessKind::Read)
            | EventKind::Modify(ModifyKind::Name(RenameMode::From) | ModifyKind::Metadata(_))
    );
    // A hold that is taken away is a removal.
    let sign = |path: &std::path::PathBuf| layout.sign_of(path);
    if away { Vec::new() } else { event.paths.iter().filter_map(sign).collect() }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
