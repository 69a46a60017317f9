//! How a command that failed is printed: messages on stderr, then the hint.

use crate::visible::visible;
pub use engine::{Exit, Failure, chain, problem_lines};

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

/// Standard output cannot be written.
pub fn unwritable(e: std::io::Error) -> Failure {
    Failure::new(format!("cannot write the output: {e}"))
}
