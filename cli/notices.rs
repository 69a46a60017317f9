//! What a home tells while it works, for whoever sits here or reads the log: warnings on stderr, a progress bar on a
//! terminal, events at `-v`, and systemd's questions answered.

use crate::failure::print;
use crate::logs;
use crate::progress::Progress;
use crate::visible::visible;
use engine::Notice;
use queue_layout::{Event, JournalEntry};
use sd_notify::NotifyState;
use std::sync::Mutex;

/// Tells people and systemd. With `-vv` every event is a line, and a bar between them would be in the way.
pub fn teller(verbose: u8) -> impl Fn(Notice<'_>) + Send + Sync + 'static {
    let progress: Mutex<Option<Progress>> = Mutex::new(None);
    move |notice| match notice {
        Notice::JournalEntry(happened) => {
            logs::happened(happened);
            // A panic elsewhere has said what there is to say.
            if verbose < 2
                && is_outcome(happened)
                && let Ok(mut progress) = progress.lock()
                && let Some(progress) = progress.as_mut()
            {
                progress.step();
            }
        }
        Notice::Warning(text) => eprintln!("last-word: warning: {}", visible(text)),
        Notice::RunBegins(runnable) => {
            set(&progress, || Progress::is_seen().then(|| Progress::new(runnable(), "jobs merged")))
        }
        Notice::RunEnds => set(&progress, || None),
        Notice::Woken(sign) => logs::noted("woken", sign.as_str()),
        Notice::Watching => say(&[NotifyState::Ready, NotifyState::Status("watching")]),
        Notice::Alive => say(&[NotifyState::Watchdog]),
        Notice::Trouble(failure) => {
            print(failure);
            say(&[NotifyState::Status(&failure.sentence().replace('\n', " "))]);
        }
        Notice::TroubleOver => {
            eprintln!("last-word: the trouble is over");
            say(&[NotifyState::Status("watching")]);
        }
        Notice::SettingsUnusable(failure) => {
            eprintln!("last-word: the settings of before stay in force: {}", visible(&failure.sentence()));
            eprintln!("hint: last-word validate");
        }
        _ => {}
    }
}

/// Tells systemd, where it listens. That nobody hears it changes nothing.
pub fn say(state: &[NotifyState<'_>]) {
    let _ = sd_notify::notify(state);
}

fn set(progress: &Mutex<Option<Progress>>, next: impl FnOnce() -> Option<Progress>) {
    if let Ok(mut progress) = progress.lock() {
        *progress = next();
    }
}

fn is_outcome(happened: &JournalEntry) -> bool {
    matches!(happened.event, Event::Applied | Event::Unchanged | Event::Failed | Event::Review)
}
