//! How a command that failed is printed: messages on stderr, then the hint.

use crate::visible::visible;
pub use engine::{Exit, Failure, chain, problem_lines};
use std::borrow::Cow;

/// Could not: a message says what, which file and why.
pub const COULD_NOT: u8 = Exit::CouldNot.code();
/// The command line is wrong.
pub const USAGE: u8 = Exit::Usage.code();
/// The declaration is bad; nothing was enqueued.
pub const REFUSED: u8 = Exit::Refused.code();
/// `status --check`: somebody is needed.
pub const SOMEBODY_NEEDED: u8 = Exit::SomebodyNeeded.code();
/// Busy, or uncertain: try again.
pub const TRY_AGAIN: u8 = Exit::TryAgain.code();

/// Prints a failure on stderr.
pub fn print(failure: &Failure) {
    for message in &failure.messages {
        eprintln!("last-word: {}", visible(message));
    }
    if let Some(hint) = &failure.hint {
        eprintln!("hint: {}", visible(&crate::advice::sentence(hint)));
    }
}

/// Prints what is wrong with a command line, on stderr, or the help that it asked for, on stdout. It repeats the words of the
/// line: where a terminal would obey one of them, all of it is printed plain, with those written out.
pub fn print_usage(said: &clap::Error) {
    match visible(&said.to_string()) {
        Cow::Owned(shown) if said.use_stderr() => eprint!("{shown}"),
        _ => drop(said.print()),
    }
}

/// Standard output cannot be written.
pub fn unwritable(e: std::io::Error) -> Failure {
    Failure::new(format!("cannot write the output: {e}"))
}
