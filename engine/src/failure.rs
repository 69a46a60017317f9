//! How a verb fails: an exit code that scripts rely on, a message that names its thing, and an advice.

use declaration::{Advice, Code, Problem};
use documents::DocumentError;
use durable::DiskError;
use operator::NoRollback;
use queue_layout::{QueueError, advice_of_disk};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use worker::{RunError, chain};

/// The exit codes of the command line, and what each means. Surfaces of another kind map them to what their protocol has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Could not: a message says what, which file and why.
    CouldNot = 1,
    /// The command line, or the request, is wrong.
    Usage = 2,
    /// Refused: the declaration is bad, and nothing of it was enqueued.
    Refused = 3,
    /// It was done, and somebody is needed: a job failed or waits for a yes.
    SomebodyNeeded = 4,
    /// Busy, or uncertain: try again.
    TryAgain = 75,
}

impl Exit {
    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// Why a verb could not do what it was asked for. What happened to a job is an outcome and never a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure it is.
    pub exit: Exit,
    /// One line each.
    pub messages: Vec<String>,
    /// What can be done; a surface says how.
    pub hint: Option<Advice>,
    /// What is wrong with the declaration or the configuration, where that is why: codes and places, for programs.
    pub problems: Vec<Problem>,
}

impl Failure {
    /// Could not, for this reason.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Failure { exit: Exit::CouldNot, messages: vec![message.into()], hint: None, problems: Vec::new() }
    }

    /// The same with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Advice>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with another exit code.
    #[must_use]
    pub fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// A bad declaration or configuration: every problem on a line of its own, `file:line:column: message`.
    #[must_use]
    pub fn refused(name: &str, problems: &[Problem]) -> Self {
        let messages = problem_lines(name, problems);
        Failure { exit: Exit::Refused, messages, hint: None, problems: problems.to_vec() }
    }

    /// All that it says, in one line.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.messages.join("; ")
    }

    /// The first thing that is wrong, on one line, and how many more there are.
    #[must_use]
    pub fn first(&self) -> String {
        let first = self.messages.first().map_or("", |message| message.lines().next().unwrap_or(""));
        match self.messages.len().max(self.problems.len()) {
            0 | 1 => first.to_owned(),
            all => format!("{first} (and {} more)", all - 1),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl Error for Failure {}

/// How many problems that are alike are told one by one.
const ALIKE_SHOWN: usize = 3;

/// `file:line:column: message [code]`, each followed by its hint. Of many that say the same, of entry after entry, the first few,
/// and how many more there are.
#[must_use]
pub fn problem_lines(name: &str, problems: &[Problem]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (problem, alike) in groups(problems) {
        let place =
            problem.place.map_or_else(String::new, |place| format!(":{}:{}", place.line, place.column));
        let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
        let more = match alike.last().map(|last| last.place) {
            None => String::new(),
            Some(None) => format!("\n  … and {} more like it", alike.len()),
            Some(Some(place)) => {
                format!("\n  … and {} more like it, up to line {}", alike.len(), place.line)
            }
        };
        lines.push(format!("{name}{place}: {} [{}]{hint}{more}", problem.message, problem.code));
    }
    lines
}

/// The problems that are told, each with those that are not because they are like it.
fn groups(problems: &[Problem]) -> Vec<(&Problem, Vec<&Problem>)> {
    let mut told: Vec<(&Problem, Vec<&Problem>)> = Vec::new();
    // Where the last of its kind is among those told, and how many of the kind are there.
    let mut kinds: HashMap<(Code, String), (usize, usize)> = HashMap::new();
    for problem in problems {
        let words = problem.message.replace(|c: char| c.is_ascii_digit(), "");
        let (last, shown) = kinds.entry((problem.code.clone(), words)).or_default();
        match told.get_mut(*last) {
            Some((_, alike)) if *shown == ALIKE_SHOWN => alike.push(problem),
            _ => {
                (*last, *shown) = (told.len(), *shown + 1);
                told.push((problem, Vec::new()));
            }
        }
    }
    told
}

impl From<DiskError> for Failure {
    fn from(e: DiskError) -> Self {
        Failure::new(chain(&e)).hint(advice_of_disk(&e))
    }
}

impl From<QueueError> for Failure {
    fn from(e: QueueError) -> Self {
        let exit = match e {
            QueueError::TakenMeanwhile(_) | QueueError::TooManyWorkers(_) => Exit::TryAgain,
            QueueError::KeyTaken { .. } => Exit::Refused,
            _ => Exit::CouldNot,
        };
        Failure { exit, hint: e.advice(), ..Failure::new(chain(&e)) }
    }
}

impl From<DocumentError> for Failure {
    fn from(e: DocumentError) -> Self {
        RunError::from(e).into()
    }
}

impl From<NoRollback> for Failure {
    fn from(e: NoRollback) -> Self {
        let failure = Failure::new(chain(&e));
        match e {
            NoRollback::Documents(e) => e.into(),
            NoRollback::NoSuchVersion { document, .. } | NoRollback::NotKept { document, .. } => {
                failure.hint(Advice::SeeVersions(document.to_string()))
            }
            NoRollback::Nothing(_) => failure.hint("what stands there now is all there is"),
            NoRollback::Changed { .. } => {
                failure.hint("it is no version of the document; put back by hand what should be there")
            }
            NoRollback::EditedSince { version, .. } => failure.hint(format!(
                "edit the document; or put back the whole of it, which takes your edits with it: --to {version}"
            )),
            NoRollback::Purged { .. } => {
                failure.hint("compare the two, and put back by hand what should be there")
            }
            NoRollback::NotText { .. } => failure.hint("only text can be shown and put back"),
        }
    }
}

impl From<RunError> for Failure {
    fn from(e: RunError) -> Self {
        Failure { hint: e.advice(), ..Failure::new(chain(&e)) }
    }
}
