//! The machine itself: the only place below the surfaces that reads its clocks, its randomness and its processors, starts
//! programs, and asks a server on it.

mod embeddings;
mod program;

pub use program::{command, run};

use crate::Host;
use declaration::Timestamp;
use durable::RealDisk;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

impl Host {
    /// This machine: its clock, its randomness, its programs. Nobody is told anything, and agents type `last-word`.
    #[must_use]
    pub fn system() -> Host {
        Host {
            now: Arc::new(now),
            offset_min: Arc::new(|| chrono::Local::now().offset().local_minus_utc() / 60),
            elapsed: Arc::new(elapsed),
            sleep: Arc::new(std::thread::sleep),
            random: Arc::new(random),
            threads: Arc::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get)),
            run: Arc::new(program::run),
            embed: Arc::new(embeddings::ask),
            command: Arc::new(|| "last-word".to_owned()),
            home_without_option: Arc::new(|| None),
            program_files: Arc::new(Vec::new),
            tell: Arc::new(|_| {}),
            wording: declaration::Advice::in_words,
        }
    }
}

/// The disk of this machine, with its syncs timed.
#[must_use]
pub fn disk() -> RealDisk {
    RealDisk::new().timed(elapsed_us)
}

/// The same with crashes and errors on order, as `LAST_WORD_TROUBLE` words them; `None` when that cannot be read.
#[cfg(feature = "crash-points")]
#[must_use]
pub fn disk_with_injected_fault(order: &str) -> Option<RealDisk> {
    Some(RealDisk::with_injected_fault(durable::InjectedFault::parse(order)?).timed(elapsed_us))
}

/// The time now. A clock before 1970 counts as 1970.
fn now() -> Timestamp {
    #[cfg(feature = "crash-points")]
    if let Some(simulated) = simulated_now() {
        return simulated;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// 64 random bits from the kernel.
pub fn random() -> u64 {
    // No randomness is no reason to lose a declaration: process id and nanoseconds keep two apart.
    of_kernel().unwrap_or_else(|| {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
        (u64::from(std::process::id()) << 32) ^ u64::from(nanos)
    })
}

#[cfg(target_os = "linux")]
fn of_kernel() -> Option<u64> {
    let mut bytes = [0u8; 8];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    (got == Ok(bytes.len())).then_some(u64::from_ne_bytes(bytes))
}

/// `rustix` has Linux's call alone.
#[cfg(not(target_os = "linux"))]
fn of_kernel() -> Option<u64> {
    getrandom::u64().ok()
}

/// In test builds `LAST_WORD_CLOCK=<ms>x<rate>` replaces the clock: the time at our start, and how many times
/// faster it runs than the real one.
#[cfg(feature = "crash-points")]
fn simulated_now() -> Option<Timestamp> {
    static CLOCK: OnceLock<Option<(u64, u64)>> = OnceLock::new();
    let read = || {
        let order = std::env::var("LAST_WORD_CLOCK").ok()?;
        let (at, rate) = order.split_once('x')?;
        Some((at.parse().ok()?, rate.parse().ok()?))
    };
    let (at, rate) = (*CLOCK.get_or_init(read))?;
    Some(Timestamp(at + elapsed_us() / 1000 * rate))
}

/// A clock that is never set: how long ago it was asked for the first time.
fn elapsed() -> Duration {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed()
}

fn elapsed_us() -> u64 {
    u64::try_from(elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// The name of this machine.
pub(crate) fn machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
