//! A run that no longer gets anywhere ends: a lock that is never given back, a disk that never answers, a program that
//! never ends must not stop merging for good. The next run recovers its claims, and a job that
//! ended three runs is shown to a person.

use crate::{Host, Notice};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Looks between two signs of life before a run is given up. Many short ones instead of one long: a process that was
/// stopped, or a machine that slept, has missed one look and not all of them.
const LOOKS: u32 = 10;

/// Counts the signs of life of a worker while there is work, and notices when there are none.
#[derive(Debug, Clone, Default)]
pub struct Watchdog {
    signs: Arc<AtomicU64>,
    thread: Option<Sender<bool>>,
}

/// There is work, until this is dropped.
#[derive(Debug)]
pub(crate) struct Working<'a>(&'a Watchdog);

impl Watchdog {
    /// One that nobody listens to: somebody sits in front of it.
    #[must_use]
    pub fn off() -> Watchdog {
        Watchdog::default()
    }

    /// One that calls `stuck` when nothing has moved for so long while there was work: whoever runs the worker is to end
    /// the process, since no thread can be ended from outside. As long as things move, the host is told `Notice::Alive`.
    #[must_use]
    pub fn new(host: &Host, stuck_after: Duration, stuck: impl FnOnce() + Send + 'static) -> Watchdog {
        let signs: Arc<AtomicU64> = Arc::default();
        let (sender, receiver) = bounded(4);
        let (seen, host) = (Arc::clone(&signs), host.clone());
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
                                return stuck();
                            }
                            if silent == 0 {
                                (host.tell)(Notice::Alive);
                            }
                        }
                    }
                }
            }
        });
        Watchdog { signs, thread: Some(sender) }
    }

    /// Something moved.
    pub(crate) fn alive(&self) {
        self.signs.fetch_add(1, Ordering::Relaxed);
    }

    /// Work begins.
    pub(crate) fn working(&self) -> Working<'_> {
        self.tell(true);
        Working(self)
    }

    fn tell(&self, working: bool) {
        if let Some(thread) = &self.thread {
            // It lives as long as we do, or has said that nothing moves.
            let _ = thread.send(working);
        }
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.tell(false);
    }
}
