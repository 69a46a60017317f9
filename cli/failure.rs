//! How a command fails: an exit code, a message that names its thing, and a hint of what to type.

use crate::visible::visible;
use declaration::Problem;
use documents::DocumentError;
use durable::DiskError;
use operator::NoRollback;
use queue_layout::QueueError;
use std::error::Error;
use worker::RunError;

/// Could not: a message says what, which file and why.
pub const COULD_NOT: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// The declaration is bad; nothing was enqueued.
pub const REFUSED: u8 = 3;
/// `status --check`: somebody is needed.
pub const SOMEBODY_NEEDED: u8 = 4;
/// Busy, or uncertain: try again.
pub const TRY_AGAIN: u8 = 75;

/// A command that failed.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// One line each.
    pub messages: Vec<String>,
    /// What to type.
    pub hint: Option<String>,
}

impl Failure {
    /// Could not, for this reason.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { code: COULD_NOT, messages: vec![message.into()], hint: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with another exit code.
    #[must_use]
    pub fn code(mut self, code: u8) -> Self {
        self.code = code;
        self
    }

    /// A bad declaration or configuration: every problem on a line of its own, `file:line:column: message`.
    pub fn refused(name: &str, problems: &[Problem]) -> Self {
        Failure { code: REFUSED, messages: problem_lines(name, problems), hint: None }
    }

    /// The first thing that is wrong, on one line, and how many more there are.
    pub fn first(&self) -> String {
        let first = self.messages.first().map_or("", |message| message.lines().next().unwrap_or(""));
        match self.messages.len() {
            0 | 1 => first.to_owned(),
            all => format!("{first} (and {} more)", all - 1),
        }
    }

    pub fn print(&self) {
        for message in &self.messages {
            eprintln!("last-word: {}", visible(message));
        }
        if let Some(hint) = &self.hint {
            eprintln!("hint: {}", visible(hint));
        }
    }
}

/// `file:line:column: message [code]`, each followed by its hint.
pub fn problem_lines(name: &str, problems: &[Problem]) -> Vec<String> {
    let line = |problem: &Problem| {
        let place =
            problem.place.map_or_else(String::new, |place| format!(":{}:{}", place.line, place.column));
        let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
        format!("{name}{place}: {} [{}]{hint}", problem.message, problem.code)
    };
    problems.iter().map(line).collect()
}

/// An error with the causes behind it, in one line.
pub fn chain(e: &dyn Error) -> String {
    let mut text = e.to_string();
    let mut source = e.source();
    while let Some(next) = source {
        let next_text = next.to_string();
        if !text.ends_with(&next_text) {
            text.push_str(": ");
            text.push_str(&next_text);
        }
        source = next.source();
    }
    text
}

impl From<DiskError> for Failure {
    fn from(e: DiskError) -> Self {
        Failure::new(chain(&e)).hint(e.hint())
    }
}

impl From<QueueError> for Failure {
    fn from(e: QueueError) -> Self {
        let code = match e {
            QueueError::TakenMeanwhile(_) | QueueError::TooManyWorkers(_) => TRY_AGAIN,
            QueueError::KeyTaken { .. } => REFUSED,
            _ => COULD_NOT,
        };
        Failure { code, messages: vec![chain(&e)], hint: e.hint() }
    }
}

impl From<DocumentError> for Failure {
    fn from(e: DocumentError) -> Self {
        Failure::new(chain(&e)).hint(e.hint())
    }
}

impl From<NoRollback> for Failure {
    fn from(e: NoRollback) -> Self {
        let failure = Failure::new(chain(&e));
        match e {
            NoRollback::Documents(e) => e.into(),
            NoRollback::NoSuchVersion { document, .. } | NoRollback::NotKept { document, .. } => {
                failure.hint(format!("`last-word history {document}` shows which versions are kept"))
            }
            NoRollback::Nothing(document) => failure.hint(format!("last-word history {document}")),
            NoRollback::NotText { .. } => failure.hint("only text can be shown and put back"),
        }
    }
}

impl From<RunError> for Failure {
    fn from(e: RunError) -> Self {
        Failure { code: COULD_NOT, messages: vec![chain(&e)], hint: e.hint() }
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        Failure::new(format!("cannot write the output: {e}"))
    }
}
