//! A line on stderr for work that takes longer than a second; it disappears when the work is done. Where stderr is no
//! terminal, a line every few seconds for work in steps that a person asked for.

use crate::language::said;
use crate::visible::visible;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How far a piece of work is.
pub struct Progress {
    all: usize,
    done: usize,
    doing: String,
    begun: Instant,
    told: Option<Instant>,
    terminal: bool,
}

const BAR: usize = 24;
const AFTER: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(100);
/// The time between two lines in a log.
const EVERY_IN_LOG: Duration = Duration::from_secs(5);

impl Progress {
    /// Whether a person would see it.
    pub fn is_seen() -> bool {
        std::io::stderr().is_terminal()
    }

    /// Begins a piece of work of so many steps.
    pub fn new(all: usize, doing: &str) -> Self {
        let terminal = Progress::is_seen();
        Progress { all, done: 0, doing: doing.to_owned(), begun: Instant::now(), told: None, terminal }
    }

    /// So many more steps are done.
    pub fn steps(&mut self, more: usize) {
        self.done += more;
        let (first, next) = if self.terminal { (AFTER, EVERY) } else { (EVERY_IN_LOG, EVERY_IN_LOG) };
        let due = self.told.map_or(self.begun.elapsed() >= first, |told| told.elapsed() >= next);
        if !due {
            return;
        }
        self.told = Some(Instant::now());
        // If the terminal is gone, the work goes on.
        let _ = match self.terminal {
            true => write!(std::io::stderr(), "\r{}\x1b[K", visible(&line(self.done, self.all, &self.doing))),
            false => writeln!(std::io::stderr(), "last-word: {}", counted(self.done, self.all, &self.doing)),
        };
        let _ = std::io::stderr().flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.told.is_some() && self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(done: usize, all: usize, doing: &str) -> String {
    let filled = (done * BAR).checked_div(all).unwrap_or(BAR).min(BAR);
    format!("{}{} {}", "█".repeat(filled), "░".repeat(BAR - filled), counted(done, all, doing))
}

fn counted(done: usize, all: usize, doing: &str) -> String {
    said(&format!("{done} of {all} {doing}")).into_owned()
}

/// Does a piece of work of which nobody knows how far it is. On a terminal a line says, from the first second on, what is done and for
/// how long. Whatever `work` prints would stand in that line, so that it only computes.
pub fn waiting<T>(doing: &str, work: impl FnOnce() -> T) -> T {
    if !Progress::is_seen() {
        return work();
    }
    let (ended, end) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || tell_until(doing, &end));
        let _ended = ended;
        work()
    })
}

/// The line, once a second, until the other side hangs up.
fn tell_until(doing: &str, end: &Receiver<()>) {
    let mut seconds = 0;
    while end.recv_timeout(AFTER) == Err(RecvTimeoutError::Timeout) {
        seconds += 1;
        // If the terminal is gone, the work goes on.
        let _ = write!(std::io::stderr(), "\r{}\x1b[K", visible(&waited(doing, seconds)));
    }
    if seconds > 0 {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

fn waited(doing: &str, seconds: u64) -> String {
    format!("{}, {}", said(doing), said(&format!("{seconds} s")))
}

#[cfg(test)]
mod tests {
    use super::{line, tell_until, waited, waiting};

    #[test]
    fn what_is_waited_for_and_how_long() {
        assert_eq!(waited("looking through the documents", 3), "looking through the documents, 3 s");
        assert_eq!(waiting("adding", || 1 + 1), 2);
        let (ended, end) = std::sync::mpsc::channel();
        drop(ended);
        tell_until("nothing", &end);
    }

    #[test]
    fn a_bar() {
        assert!(line(0, 10, "retry").starts_with("░"));
        assert!(line(5, 10, "retry").ends_with("░ 5 of 10 retry"));
        assert!(!line(10, 10, "retry").contains('░') && !line(0, 0, "x").contains('░'));
    }
}
