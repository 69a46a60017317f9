//! Injected faults, for tests: the process aborts or stops at a named point, aborts before the n-th change of the
//! disk, or the n-th change fails with a chosen error. Compiled only with the feature `crash-points`.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which fault to inject, and how many changes and points were passed so far.
#[derive(Debug, Default)]
pub struct InjectedFault {
    /// Abort at the n-th passing (from 1) of the named point.
    pub crash_at_point: Option<(String, u64)>,
    /// Stop (SIGSTOP) at the named points, each time: whoever started us does something, and sends SIGCONT.
    pub stop_at_points: Vec<String>,
    /// Abort before the n-th change (from 1).
    pub crash_at_step: Option<u64>,
    /// The n-th change (from 1) fails with this errno; with `true` every later one too.
    pub fail_at_step: Option<(u64, i32, bool)>,
    /// A file that gets one line per point and step, so that a test can learn what there is to break.
    pub trace: Option<PathBuf>,
    steps: AtomicU64,
    passed: AtomicU64,
}

impl InjectedFault {
    /// Reads an order such as `point=commit.exchanged:2`, `stop=commit.intended`, `step=17`, `fail=17:28`, `fail-from=17:5`, `trace=/path`;
    /// several are separated by commas. `None` for an order that cannot be read.
    #[must_use]
    pub fn parse(order: &str) -> Option<Self> {
        let mut trouble = InjectedFault::default();
        for part in order.split(',').filter(|part| !part.is_empty()) {
            let (what, value) = part.split_once('=')?;
            let (head, tail) = value.split_once(':').unwrap_or((value, "1"));
            match what {
                "point" => trouble.crash_at_point = Some((head.to_owned(), tail.parse().ok()?)),
                "stop" => trouble.stop_at_points.push(value.to_owned()),
                "step" => trouble.crash_at_step = Some(value.parse().ok()?),
                "fail" => trouble.fail_at_step = Some((head.parse().ok()?, tail.parse().ok()?, false)),
                "fail-from" => trouble.fail_at_step = Some((head.parse().ok()?, tail.parse().ok()?, true)),
                "trace" => trouble.trace = Some(PathBuf::from(value)),
                _ => return None,
            }
        }
        Some(trouble)
    }

    /// A change is about to be made.
    pub(crate) fn step(&self, what: &str) -> io::Result<()> {
        let step = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
        self.note(&format!("step {step} {what}"));
        if self.crash_at_step == Some(step) {
            std::process::abort();
        }
        match self.fail_at_step {
            Some((at, errno, for_good)) if step == at || (for_good && step > at) => {
                Err(io::Error::from_raw_os_error(errno))
            }
            _ => Ok(()),
        }
    }

    /// A named point is passed.
    pub(crate) fn point(&self, name: &str) {
        self.note(&format!("point {name}"));
        if self.stop_at_points.iter().any(|wanted| wanted == name) {
            // A failed signal is not reported here: the test waits for the stop, and fails without it.
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        }
        if let Some((wanted, nth)) = &self.crash_at_point
            && wanted == name
            && self.passed.fetch_add(1, Ordering::SeqCst) + 1 == *nth
        {
            std::process::abort();
        }
    }

    #[allow(clippy::disallowed_methods, clippy::disallowed_types)]
    fn note(&self, line: &str) {
        use std::io::Write;
        if let Some(path) = &self.trace
            && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path)
        {
            // An error is ignored here: the test that reads the trace fails without the line.
            let _ = file.write_all(format!("{line}\n").as_bytes());
        }
    }
}
