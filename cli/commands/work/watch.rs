//! `work --watch`: stays, and merges what comes. File events are a hint, the scan every minute is the truth, and the next
//! due time is the timer. At rest it waits in one system call and uses no processor time.

use super::heart;
use super::rest::Rest;
use super::{Turn, Turns};
use crate::failure::{self, Failure};
use crate::logs;
use crate::world::World;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use durable::{Disk, Stat};
use notify::event::{EventKind, ModifyKind, RenameMode};
use notify::{RecursiveMode, Watcher};
use policy::settings::Settings;
use queue_layout::{Event, Happened, Layout, Sign, State};
use sd_notify::NotifyState;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Signs that may wait to be heard. More say nothing more.
const SIGNS_MAX: usize = 64;

/// How long a worker stays that does not stay for good.
#[derive(Debug, Clone, Copy)]
pub struct Stay {
    /// At most, and only while something in `pending/` has to wait.
    pub at_most: Duration,
    /// Also while a retry is due within so many milliseconds.
    pub wait_retries_ms: u64,
}

/// Stays until it is told to end, or as long as `stay` says.
pub fn run(turns: &Turns<'_>, settings: Settings, stay: Option<Stay>) -> Result<u8, Failure> {
    let world = turns.world;
    let Some(_the_only_one) = world.disk.try_lock(&world.layout.watch_lock())? else {
        if stay.is_some() {
            // Whoever stays already takes what comes.
            return Ok(0);
        }
        return Err(Failure::new("another `work --watch` watches this home already")
            .hint("last-word status says who; one is enough")
            .code(failure::TRY_AGAIN));
    };
    let (sender, signs) = bounded(SIGNS_MAX);
    let reread = listen(&sender)?;
    let mut watch = Watch {
        turns,
        configured: Configured { stamp: stamp(world), settings },
        files: Files::new(&world.layout, sender),
        rest: Rest::default(),
        began: Instant::now(),
        trouble: None,
        ready: false,
    };
    watch.stay(&signs, &reread, stay)?;
    say(&[NotifyState::Stopping]);
    // One that stays for good said so; whoever started the other looks at how it ended.
    Ok(if stay.is_some() && watch.trouble.is_some() { failure::COULD_NOT } else { 0 })
}

struct Watch<'a> {
    turns: &'a Turns<'a>,
    configured: Configured,
    files: Files,
    rest: Rest,
    began: Instant,
    /// What was said of the trouble the machine is in.
    trouble: Option<String>,
    ready: bool,
}

impl Watch<'_> {
    fn stay(
        &mut self,
        signs: &Receiver<Sign>,
        reread: &AtomicBool,
        stay: Option<Stay>,
    ) -> Result<(), Failure> {
        let until = stay.map_or(u64::MAX, |stay| millis(stay.at_most));
        while !self.turns.stop.load(Ordering::Relaxed) {
            self.configured.look(self.turns, reread.swap(false, Ordering::Relaxed));
            if self.rest.left_ms(self.at()) == 0 {
                self.look();
            }
            if let Some(stay) = stay
                && (self.at() >= until || self.is_over(stay)?)
            {
                return Ok(());
            }
            heart::alive();
            let wait = self.rest.left_ms(self.at()).min(until - self.at().min(until));
            match signs.recv_timeout(self.nap(wait)) {
                Ok(sign) => {
                    let at = self.at();
                    logs::noted("woken", sign.as_str());
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
            let _working = self.turns.heart.working();
            self.turns.take(&self.configured.settings, !self.rest.is_scan(at))
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
        self.rest = Rest::after_run(at, self.turns.world.now(), next_due);
        if self.trouble.take().is_some() {
            eprintln!("last-word: the trouble is over");
            say(&[NotifyState::Status("watching")]);
        }
        if !self.ready {
            self.ready = true;
            say(&[NotifyState::Ready, NotifyState::Status("watching")]);
        }
    }

    /// Once for each trouble, however long it lasts.
    fn complain(&mut self, failure: &Failure) {
        let words = failure.messages.join("; ");
        if self.trouble.as_ref() != Some(&words) {
            failure.print();
            say(&[NotifyState::Status(&words.replace('\n', " "))]);
        }
        self.trouble = Some(words);
    }

    /// Whether a worker that does not stay for good has nothing left to stay for.
    fn is_over(&self, stay: Stay) -> Result<bool, Failure> {
        if self.trouble.is_some() || self.rest.expects(self.at(), stay.wait_retries_ms) {
            return Ok(false);
        }
        let scan = self.turns.queue.scan(State::Pending)?;
        Ok(scan.jobs.is_empty() && scan.dropped.is_empty())
    }

    /// Milliseconds of a clock that is never set.
    fn at(&self) -> u64 {
        millis(self.began.elapsed())
    }

    /// Short enough for systemd's watchdog, where there is one.
    fn nap(&self, wait_ms: u64) -> Duration {
        let wait = Duration::from_millis(wait_ms);
        sd_notify::watchdog_enabled().map_or(wait, |dog| wait.min(dog / 3))
    }
}

/// The settings, and which file they were read from.
struct Configured {
    settings: Settings,
    stamp: Option<Stat>,
}

impl Configured {
    /// Reads the settings anew when the file changed or somebody asked. Bad ones are said once, and those of before stay:
    /// an editor that is half-way must not stop what works.
    fn look(&mut self, turns: &Turns<'_>, asked: bool) {
        let now = stamp(turns.world);
        if now == self.stamp && !asked {
            return;
        }
        self.stamp = now;
        let at = turns.world.now();
        let event = match turns.world.settings_to_keep() {
            Ok(settings) => {
                self.settings = settings;
                Happened::new(at, Event::SettingsRead)
            }
            Err(failure) => {
                let words = failure.messages.join("; ");
                eprintln!("last-word: the settings of before stay in force: {words}");
                eprintln!("hint: last-word validate");
                Happened::new(at, Event::SettingsKept).saying(None, words)
            }
        };
        turns.journal(&[event]);
    }
}

fn stamp(world: &World) -> Option<Stat> {
    world.disk.stat(&world.layout.config()).ok().flatten()
}

/// The watched directories. Without them, where the system has no more watches to give, the scan remains.
struct Files {
    layout: Layout,
    watcher: Option<notify::RecommendedWatcher>,
    // Kept so that the channel stays open when there is no watcher.
    _sender: Sender<Sign>,
}

impl Files {
    fn new(layout: &Layout, sender: Sender<Sign>) -> Files {
        let (known, heard) = (layout.clone(), sender.clone());
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            for sign in event.map(|event| signs(&known, &event)).unwrap_or_default() {
                // Full: enough is waiting to be heard.
                let _ = heard.try_send(sign);
            }
        });
        if let Err(e) = &watcher {
            eprintln!("last-word: warning: no file events ({e}); looks once a minute");
        }
        let mut files = Files { layout: layout.clone(), watcher: watcher.ok(), _sender: sender };
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

/// Signals wake us; what they mean is in flags. The flag for SIGHUP is answered, the others are known already.
fn listen(sender: &Sender<Sign>) -> Result<Arc<AtomicBool>, Failure> {
    let reread = Arc::new(AtomicBool::new(false));
    let cannot = |e: std::io::Error| Failure::new(format!("cannot listen for signals: {e}"));
    signal_hook::flag::register(SIGHUP, Arc::clone(&reread)).map_err(cannot)?;
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(cannot)?;
    let sender = sender.clone();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if sender.send(Sign::Settings).is_err() {
                return;
            }
        }
    });
    Ok(reread)
}

/// Tells systemd, where it listens. That nobody hears it changes nothing.
fn say(state: &[NotifyState<'_>]) {
    let _ = sd_notify::notify(state);
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
