//! How a command that failed is printed: messages on stderr, then the hint.

use crate::args::Colour;
use crate::language;
use crate::render::{self, escape};
use crate::visible::visible;
use crate::wrap::{self, for_stderr};
use declaration::secrets::unrepeated;
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
        let said = format!("last-word: {}", visible(&unrepeated(&language::said(message))));
        crate::render::tell_line(for_stderr(&said));
    }
    if let Some(hint) = &failure.hint {
        let hint = format!("hint: {}", crate::advice::sentence(hint));
        crate::render::tell_line(for_stderr(&visible(&unrepeated(&language::said(&hint)))));
    }
}

/// Prints what clap says: on stderr what is wrong with a command line, on stdout the help that was asked for.
pub fn print_usage(said: &clap::Error) {
    if said.use_stderr() { print_mistake(said) } else { print_help(said) }
}

/// A mistake repeats words of the command line: where these would steer a terminal or look like a secret, it is printed without
/// clap's colours, with those words written out or left out. So is one in another language.
fn print_mistake(said: &clap::Error) {
    let plain = said.to_string();
    let text = language::said(&plain);
    let text = unrepeated(&text);
    let shown = visible(&text);
    match *shown == *plain {
        true => drop(said.print()),
        false => crate::render::tell_part(for_stderr(&shown)),
    }
}

/// A help has nothing foreign in it: its escape sequences are clap's. A reader that closes the pipe has seen enough.
fn print_help(said: &clap::Error) {
    let page = crate::world::page(Colour::Auto);
    let plain = said.to_string();
    let text = match language::said(&plain) {
        Cow::Owned(other) => other,
        Cow::Borrowed(_) if page.width.is_none() => return drop(said.print()),
        Cow::Borrowed(_) if page.colour => said.render().ansi().to_string().replace("\u{1b}[", &escape("")),
        Cow::Borrowed(_) => plain.clone(),
    };
    drop(render::write(&match page.width {
        Some(columns) => wrap::help(&text, columns),
        None => text,
    }));
}

/// Standard output cannot be written.
pub fn unwritable(e: std::io::Error) -> Failure {
    Failure::new(format!("cannot write the output: {e}"))
}
