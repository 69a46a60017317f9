//! How a worker is told from outside, by a signal or another thread, to end or to read its configuration again.

use crossbeam_channel::{Receiver, Sender, bounded};
use queue_layout::Sign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Signs that may wait to be heard. More say nothing more.
const SIGNS_MAX: usize = 64;

/// Ends a worker, or wakes one that watches. Clones speak to the same worker.
#[derive(Debug, Clone)]
pub struct Control {
    stop: Arc<AtomicBool>,
    reread: Arc<AtomicBool>,
    pub(crate) sender: Sender<Sign>,
    pub(crate) signs: Receiver<Sign>,
}

impl Default for Control {
    fn default() -> Self {
        let (sender, signs) = bounded(SIGNS_MAX);
        Control { stop: Arc::default(), reread: Arc::default(), sender, signs }
    }
}

impl Control {
    /// A control nobody has used yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the run after the batch in hand; what is left goes back.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Has a watching worker read the configuration again, also when the file looks as before.
    pub fn read_settings(&self) {
        self.reread.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Has a watching worker look whether one of the two was asked for. For those who set the flags themselves.
    pub fn wake(&self) {
        // A full channel means that the worker has signs to read, so it is awake.
        let _ = self.sender.try_send(Sign::Settings);
    }

    /// The flag behind `stop`, for a signal handler, which may do no more than set one.
    #[must_use]
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// The flag behind `read_settings`.
    #[must_use]
    pub fn settings_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.reread)
    }

    /// Whether the worker is to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the configuration is to be read again; asked for once each time.
    pub(crate) fn take_reread(&self) -> bool {
        self.reread.swap(false, Ordering::Relaxed)
    }
}
