//! Printing: lines and diffs for people, JSON for programs, colour where it is wanted, relative times.

use crate::failure::{self, Failure};
use crate::language;
use crate::visible::{in_json, visible};
use crate::wrap::{for_stderr, for_stdout};
use declaration::Timestamp;
pub use declaration::span;
use declaration::terminal::without_hidden;
use engine::output::Answer;
use policy::settings::millis;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;

/// Prints a value as JSON, indented, on stdout.
pub fn json<T: Answer + ?Sized>(value: &T) -> Result<(), Failure> {
    pretty(value)
}

fn pretty<T: Serialize + ?Sized>(value: &T) -> Result<(), Failure> {
    printed_json(serde_json::to_string_pretty(value))
}

/// JSON may have any character in a text as it is but for C0. Those that are not shown are written as JSON's own escapes, so
/// that a program reads the same value and a terminal is sent none of them.
fn printed_json(text: serde_json::Result<String>) -> Result<(), Failure> {
    let text = text.map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
    sent(&in_json(&format!("{text}\n")))
}

/// Prints a value as JSON, with the fields of every object in alphabetical order.
pub fn json_sorted<T: Answer + ?Sized>(value: &T) -> Result<(), Failure> {
    let sorted = serde_json::to_value(value).map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
    pretty(&sorted)
}

/// Prints a value as JSON on a line of its own.
pub fn json_line<T: Answer + ?Sized>(value: &T) -> Result<(), Failure> {
    printed_json(serde_json::to_string(value))
}

/// Prints a line on stdout, flushed. That the reader has gone is no failure of ours. Only our own colours take effect; every
/// other control character is shown as text, also into a pipe: behind `head` or `grep` there is a terminal again, or a model.
pub fn line(text: &str) -> Result<(), Failure> {
    write(&format!("{text}\n"))
}

/// Prints sentences in our own words on stdout: in the person's language, the commands in them typed for the home that `--home`
/// named, and on a terminal broken between words.
pub fn say(text: &str) -> Result<(), Failure> {
    line(&for_stdout(&crate::own_name::typed(&language::said(text))))
}

/// A line on stderr. Where that is full or closed nobody reads it, and the exit code says the same.
pub fn tell_line(text: impl std::fmt::Display) {
    tell_part(format_args!("{text}\n"));
}

/// The same without an end of the line.
pub fn tell_part(text: impl std::fmt::Display) {
    use std::io::Write as _;
    let _ = std::io::stderr().write_all(text.to_string().as_bytes());
}

/// The same on stderr, behind our name: what is said beside an answer.
pub fn tell(text: &str) {
    let said = language::said(text);
    tell_line(for_stderr(&format!("last-word: {}", visible(&crate::own_name::typed(&said)))));
}

/// Which documents could not be read, each with the reason: what is printed is without them.
pub fn tell_unread(unread: &[String]) {
    for problem in unread {
        tell(&format!("warning: not searched: {problem}"));
    }
}

/// Text of a document. Scripts get its bytes; for an agent what nobody would see of it is written out, as a model reads that too.
pub fn read(text: &str) -> Result<(), Failure> {
    match without_hidden(text) {
        Cow::Owned(shown) if agents::mark(std::env::vars_os()).is_some() => data(&format!("{shown}\n")),
        _ => data(&format!("{text}\n")),
    }
}

/// The same without the line's end, for a question.
pub fn write(text: &str) -> Result<(), Failure> {
    sent(&visible(text))
}

/// Prints what a program reads, byte for byte; a terminal is sent it as `write` does.
pub fn data(text: &str) -> Result<(), Failure> {
    // To ask whether it is a terminal is a system call: only done where it matters.
    match visible(text) {
        Cow::Owned(shown) if std::io::stdout().is_terminal() => sent(&shown),
        _ => sent(text),
    }
}

fn sent(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(coloured(text).as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(failure::unwritable),
    }
}

/// Prints a unified diff, in colour where it is wanted.
pub fn diff(page: Page, diff: &str) -> Result<(), Failure> {
    diff_lines(page, diff).try_for_each(|text| line(&text))
}

/// The lines of a unified diff, in colour where it is wanted.
pub fn diff_lines(page: Page, diff: &str) -> impl Iterator<Item = String> {
    diff.trim_end_matches('\n').lines().map(move |text| page.paint(tone_of(text), text))
}

fn tone_of(line: &str) -> Tone {
    match line.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Tone::Strong,
        [b'@', ..] => Tone::Dim,
        [b'+', ..] => Tone::Good,
        [b'-', ..] => Tone::Bad,
        _ => Tone::Plain,
    }
}

/// What a text is, for its colour. The words always say it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// A heading.
    Strong,
    /// Less important.
    Dim,
    /// All is well; added.
    Good,
    /// Somebody should look.
    Warn,
    /// Failed; taken away.
    Bad,
}

/// A page with fewer columns is narrow.
const NARROW: usize = 100;

/// The page that is printed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Columns of the terminal; `None` where there is none, and nothing is cut.
    pub width: Option<usize>,
    /// Its lines.
    pub height: Option<usize>,
    /// Whether colour is wanted.
    pub colour: bool,
}

impl Page {
    /// The standard output. `wanted`: what `--color` says, `None` for "where it makes sense".
    pub fn stdout(wanted: Option<bool>, dumb: bool) -> Page {
        let terminal = std::io::stdout().is_terminal();
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok().filter(|_| terminal);
        let some = |count: u16| Some(usize::from(count)).filter(|count| *count > 0);
        Page {
            width: size.and_then(|size| some(size.ws_col)),
            height: size.and_then(|size| some(size.ws_row)),
            colour: wanted.unwrap_or(terminal && !dumb),
        }
    }

    /// Whether it has so few columns that names are shown instead of paths.
    pub fn is_narrow(self) -> bool {
        self.width.is_some_and(|width| width < NARROW)
    }

    /// The text in its colour.
    pub fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            _ if !self.colour || text.is_empty() => return text.to_owned(),
            Tone::Plain => return text.to_owned(),
            Tone::Strong => "1",
            Tone::Dim => "2",
            Tone::Good => "32",
            Tone::Warn => "33",
            Tone::Bad => "31",
        };
        format!("{}{text}{}", escape(&format!("{code}m")), escape("0m"))
    }
}

pub use declaration::counted as count;

/// A control sequence of our own (`K`: clear to the line's end), to be printed with `line`.
pub fn escape(sequence: &str) -> String {
    format!("{}{sequence}", mark())
}

/// Stands for `ESC [` in painted text until it is printed. It contains this process's number, which no foreign text can
/// know, so only our own colours become escape sequences.
pub fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| format!("\u{fdd0}{:016x};", engine::Host::system().random()))
}

/// Painted text without its colours.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{fdd0}') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(mark());
    let mut seen = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Our control sequences end with their first letter.
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |at| at + 1);
        seen.push_str(part.get(end..).unwrap_or_default());
    }
    Cow::Owned(seen)
}

/// Painted text with the escape sequences of a terminal.
pub fn coloured(text: &str) -> Cow<'_, str> {
    if text.contains('\u{fdd0}') { Cow::Owned(text.replace(mark(), "\x1b[")) } else { Cow::Borrowed(text) }
}

/// How long ago a moment was, in its largest unit: `3 min ago`.
pub fn ago(now: Timestamp, then: Timestamp) -> String {
    then.ago(now)
}

/// A length of time as a person types it, in milliseconds.
pub fn parse_span(text: &str) -> Result<u64, Failure> {
    millis(text).map_err(|advice| {
        Failure::new(format!("`{text}` is not a length of time"))
            .hint(advice)
            .exit(crate::failure::Exit::Usage)
    })
}
