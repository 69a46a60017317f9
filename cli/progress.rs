//! A line on stderr for work that takes longer than a second; it disappears when the work is done. Where stderr is no
//! terminal, a line every few seconds for work that a person asked for.

use crate::visible::visible;
use std::io::{IsTerminal, Write};
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
            false => writeln!(std::io::stderr(), "last-word: {} of {} {}", self.done, self.all, self.doing),
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
    format!("{}{} {done} of {all} {doing}", "█".repeat(filled), "░".repeat(BAR - filled))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_bar() {
        assert!(line(0, 10, "retry").starts_with("░"));
        assert!(line(5, 10, "retry").ends_with("░ 5 of 10 retry"));
        assert!(!line(10, 10, "retry").contains('░') && !line(0, 0, "x").contains('░'));
    }
}
