//! How a command that failed is printed: messages on stderr, then the hint.

use crate::args::Colour;
use crate::language;
use crate::render::{self, escape};
use crate::visible::visible;
use crate::wrap::{self, for_stderr};
use declaration::secrets;
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
        eprintln!("{}", for_stderr(&said));
    }
    if let Some(hint) = &failure.hint {
        let hint = format!("hint: {}", crate::advice::sentence(hint));
        eprintln!("{}", for_stderr(&visible(&unrepeated(&language::said(&hint)))));
    }
}

/// The text without words that look like secrets: a message names what was wrong in the words of who typed it.
fn unrepeated(text: &str) -> Cow<'_, str> {
    if secrets::find(text).is_none() {
        return Cow::Borrowed(text);
    }
    let word = |word| if secrets::find(word).is_some() { "(not repeated)" } else { word };
    let words: Vec<&str> = text.split(' ').map(word).collect();
    let shown = words.join(" ");
    // One that several words make up.
    Cow::Owned(if secrets::find(&shown).is_some() {
        "what it says looks like a secret".to_owned()
    } else {
        shown
    })
}

/// Prints what is wrong with a command line, on stderr, or the help that it asked for, on stdout. It repeats the words of the
/// line: where a terminal would obey one of them, all of it is printed plain, with those written out.
pub fn print_usage(said: &clap::Error) {
    let plain = said.to_string();
    // What is said in another language is plain: its words are not where clap's colours are.
    if let Cow::Owned(other) = language::said(&plain) {
        match said.use_stderr() {
            true => eprint!("{}", for_stderr(&visible(&unrepeated(&other)))),
            // As with clap's own: whoever does not read it to the end has seen enough.
            false => drop(render::write(&match crate::world::page(Colour::Auto).width {
                Some(columns) => wrap::help(&other, columns),
                None => other,
            })),
        }
        return;
    }
    let text = unrepeated(&plain);
    let shown = visible(&text);
    if said.use_stderr() && *shown != *plain {
        eprint!("{}", for_stderr(&shown));
        return;
    }
    let page = crate::world::page(Colour::Auto);
    match page.width.filter(|_| !said.use_stderr()) {
        // Nothing foreign is in a help: its escape sequences are clap's.
        Some(columns) => {
            let help = said.render();
            let help = if page.colour { help.ansi().to_string() } else { help.to_string() };
            drop(render::write(&wrap::help(&help.replace("\u{1b}[", &escape("")), columns)));
        }
        None => drop(said.print()),
    }
}

/// Standard output cannot be written.
pub fn unwritable(e: std::io::Error) -> Failure {
    Failure::new(format!("cannot write the output: {e}"))
}
