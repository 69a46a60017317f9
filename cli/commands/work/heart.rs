//! A run that no longer gets anywhere ends: a lock that is never given back, a disk that never answers, a program that
//! never ends must not stop merging for good. What it had in hand is recovered by the next run, and what killed three
//! runs is put before a person.

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use sd_notify::NotifyState;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Looks between two beats before a run is given up. Many short ones instead of one long: a process that was stopped, or
/// a machine that slept, has missed one look and not all of them.
const LOOKS: u32 = 10;

/// Beats while there is work.
#[derive(Debug)]
pub struct Heart {
    beats: Arc<AtomicU64>,
    thread: Option<Sender<bool>>,
}

/// There is work, until this is dropped.
#[derive(Debug)]
pub struct Working<'a>(&'a Heart);

impl Heart {
    /// A heart that is not listened to: somebody sits in front of it.
    pub fn unwatched() -> Heart {
        Heart { beats: Arc::default(), thread: None }
    }

    /// A heart that ends the process when it stops beating for so long while there is work. systemd's watchdog is told
    /// as long as it beats.
    pub fn watched(stuck_after: Duration) -> Heart {
        let beats: Arc<AtomicU64> = Arc::default();
        let (sender, receiver) = bounded(4);
        let seen = Arc::clone(&beats);
        std::thread::spawn(move || {
            let look = stuck_after / LOOKS;
            // Waits without a timer as long as there is no work.
            while let Ok(working) = receiver.recv() {
                let (mut working, mut silent, mut last) = (working, 0, seen.load(Ordering::Relaxed));
                while working {
                    match receiver.recv_timeout(look) {
                        Ok(next) => working = next,
                        Err(RecvTimeoutError::Disconnected) => return,
                        Err(RecvTimeoutError::Timeout) => {
                            let now = seen.load(Ordering::Relaxed);
                            silent = if now == last { silent + 1 } else { 0 };
                            last = now;
                            if silent >= LOOKS {
                                give_up(stuck_after);
                            }
                            if silent == 0 {
                                alive();
                            }
                        }
                    }
                }
            }
        });
        Heart { beats, thread: Some(sender) }
    }

    /// Something moved.
    pub fn beat(&self) {
        self.beats.fetch_add(1, Ordering::Relaxed);
    }

    /// Work begins.
    pub fn working(&self) -> Working<'_> {
        self.tell(true);
        Working(self)
    }

    fn tell(&self, working: bool) {
        if let Some(thread) = &self.thread {
            // It lives as long as we do.
            let _ = thread.send(working);
        }
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.tell(false);
    }
}

/// Tells systemd's watchdog, where there is one. That nobody hears it is no reason to stop.
pub fn alive() {
    let _ = sd_notify::notify(&[NotifyState::Watchdog]);
}

fn give_up(after: Duration) -> ! {
    eprintln!(
        "last-word: nothing moved for {} s, so this run ends; what it had in hand is recovered by the next one",
        after.as_secs()
    );
    eprintln!(
        "hint: last-word status; a lock that is never given back shows in: lsof +D ~/.config/agents/last-word/locks"
    );
    std::process::exit(i32::from(crate::failure::COULD_NOT));
}
