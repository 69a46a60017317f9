//! What a home reports while it works, for people and logs: warnings on stderr, a progress bar on a terminal, events at
//! `-v`, and systemd's notifications.

use crate::failure::print;
use crate::language;
use crate::logs;
use crate::progress::Progress;
use crate::render;
use engine::{Action, Notice};
use queue_layout::{Event, JournalEntry};
use sd_notify::NotifyState;
use std::sync::Mutex;

/// Reports to people and to systemd. With `-vv` every event is a line, so there is no progress bar.
pub fn teller(verbose: u8) -> impl Fn(Notice<'_>) + Send + Sync + 'static {
    let progress: Mutex<Option<Progress>> = Mutex::new(None);
    // A run may decide about jobs, too: what a purge makes needless.
    let decisions: Mutex<Option<Progress>> = Mutex::new(None);
    move |notice| match notice {
        Notice::JournalEntry(happened) => {
            logs::happened(happened);
            if verbose < 2 && is_outcome(happened) {
                steps(&progress, 1);
            }
        }
        Notice::Warning(text) => render::tell(&format!("warning: {text}")),
        Notice::RunBegins(runnable) => {
            set(&progress, || Progress::is_seen().then(|| Progress::new(runnable(), "jobs merged")))
        }
        Notice::RunEnds => set(&progress, || None),
        Notice::DecisionsBegin { jobs, action } => {
            set(&decisions, || Some(Progress::new(jobs, decision(action))));
        }
        Notice::Decided(more) => steps(&decisions, more),
        Notice::DecisionsEnd => set(&decisions, || None),
        Notice::Woken(sign) => logs::noted("woken", sign.as_str()),
        Notice::Watching => say(&[NotifyState::Ready, NotifyState::Status("watching")]),
        Notice::Alive => say(&[NotifyState::Watchdog]),
        Notice::Trouble(failure) => {
            print(failure);
            say(&[NotifyState::Status(&failure.sentence().replace('\n', " "))]);
        }
        Notice::TroubleOver => {
            render::tell("the trouble is over");
            say(&[NotifyState::Status("watching")]);
        }
        Notice::SettingsUnusable(failure) => {
            render::tell(&format!("the settings of before stay in force: {}", failure.sentence()));
            crate::render::tell_line(language::said("hint: last-word validate"));
        }
        _ => {}
    }
}

/// Notifies systemd, where it listens. A failure changes nothing.
pub fn say(state: &[NotifyState<'_>]) {
    let _ = sd_notify::notify(state);
}

fn steps(progress: &Mutex<Option<Progress>>, more: usize) {
    // A panic in another thread has printed its message already.
    if let Ok(mut progress) = progress.lock()
        && let Some(progress) = progress.as_mut()
    {
        progress.steps(more);
    }
}

fn set(progress: &Mutex<Option<Progress>>, next: impl FnOnce() -> Option<Progress>) {
    if let Ok(mut progress) = progress.lock() {
        *progress = next();
    }
}

/// What is done to each of many jobs, for the bar.
fn decision(action: &Action) -> &'static str {
    match action {
        Action::Retry | Action::Mend(_) => "retried",
        Action::Edit(_) => "edited",
        Action::Ours => "with the document's side taken",
        Action::Theirs(_) => "with the job's side taken",
        Action::Discard => "discarded",
        Action::Approve(_) => "approved",
        Action::Reject => "rejected",
        Action::TakeBack => "taken back",
    }
}

fn is_outcome(happened: &JournalEntry) -> bool {
    matches!(happened.event, Event::Applied | Event::Unchanged | Event::Failed | Event::Review)
}
