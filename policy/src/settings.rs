//! The configuration: what a person writes in `config.yaml`, laid over the defaults of
//! `engine/src/default-config.yaml`.
//! Every problem has a place; nothing unknown is ignored, and a field whose behaviour is not built is refused.

mod cache;
mod duration;
mod embeddings;
mod file_edit;
mod knowledge_bases;
mod overlay;
mod schema;
mod start;

pub use duration::millis;
pub use embeddings::Embeddings;
pub use file_edit::{
    with_bases, with_budget, with_decider, with_memory, with_memory_bank, with_project, without_base,
};
pub use schema::{CHANNELS, DECIDABLE, SettingField, fields};

use crate::knowledge_base::KnowledgeBase;
use crate::start::Start;
use declaration::Code;
use declaration::problem::Problem;
use declaration::reading::near::did_you_mean;
use declaration::reading::node::{Node, Value};
use declaration::reading::rules::PathProblem;
use declaration::reading::schema::{Misfit, misfits};
use declaration::reading::{bounded, input, located, yaml};
use serde::{Deserialize, Serialize};

/// The version of the configuration that this build supports.
pub const VERSION: i64 = 1;

/// Bytes a configuration may have (`too_large`).
pub const CONFIG_BYTES_MAX: usize = 256 << 10;

/// Everything that can be configured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The documents that may be written, in the order configured.
    pub knowledge_bases: Vec<KnowledgeBase>,
    /// The names of those shown to an agent at session start, in order.
    pub session_bootstrap: Vec<String>,
    /// How often and when something that failed is tried again.
    pub retry: Retry,
    /// How long things are kept.
    pub retention: Retention,
    /// Projects whose `.agents/` is looked into for declarations; `~` is not yet resolved.
    pub projects: Vec<String>,
    /// Scripts and schedules that decide in a person's name.
    pub deciders: Vec<Decider>,
    /// By which channels a person may say yes or no to what waits for that: `terminal`, `page`, `decider`.
    pub review_channels: Vec<String>,
    /// True: every knowledge base that may be written asks for a yes before each change, whatever its policy says.
    pub explicit_only: bool,
    /// False: every hook answers neutrally and does nothing.
    pub enabled: bool,
    /// What hooks do in an agent's session.
    pub hooks: Hooks,
    /// What a session is shown at its start.
    pub start: Start,
    /// What a session is told unasked beside a prompt.
    pub recall: Unasked,
    /// Whether `recall` looks into what agents keep of their sessions as well.
    pub transcripts: bool,
    /// Where the meaning of texts is asked for; `None`: words alone answer.
    pub embeddings: Option<Embeddings>,
    /// What hooks keep agents from.
    pub guard: Guard,
    /// The file in which each run leaves its numbers for Prometheus; `~` is not yet resolved.
    pub metrics_textfile: Option<String>,
}

/// A script or a schedule that a person lets decide. It names itself: `--as NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decider {
    /// Its name.
    pub name: String,
    /// The commands it may use as a person would.
    pub commands: Vec<String>,
}

/// What hooks do in an agent's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hooks {
    /// Most characters an agent is shown at its start, as it counts them.
    pub context_chars: usize,
    /// The tag around daily logs and the last session.
    pub recent_tag: String,
    /// A directory of `YYYY-MM-DD.md`; `~` is not yet resolved.
    pub daily_logs: String,
    /// Ask once, before a session stops or is summarised, for what it learned.
    pub ask: bool,
    /// Say once what failed or waits for a yes.
    pub remind: bool,
    /// Start a worker when a session ends.
    pub drain: bool,
}

/// What a session is told unasked beside a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unasked {
    /// At most so many items; 0: nothing.
    pub auto: usize,
    /// At most so many characters, all of them together.
    pub auto_chars: usize,
}

/// What hooks keep agents from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    /// Writing to a managed document by hand.
    pub documents: Mode,
    /// Writing to what decides over documents (the home, the agents' hook settings), and the commands of persons.
    pub control: Mode,
    /// A write of high risk to a project whose knowledge was not read.
    pub unread: Mode,
    /// Detail documents of a project that a session reads before it changes something there: paths below the project or its
    /// `memory-bank/`. One that a project does not have is not asked for.
    pub require: Vec<String>,
    /// Changing a file of a project before they were read.
    pub require_edits: Mode,
    /// What is hard to undo, before they were read.
    pub require_risky: Mode,
}

/// How much a guard does, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing.
    Off,
    /// It says so, and lets it happen.
    Warn,
    /// It does not let it happen.
    Block,
}

/// How often and when something that failed is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// Attempts after the first.
    pub retries: u32,
    /// The wait before the first of them; it doubles each time.
    pub base_ms: u64,
    /// The longest wait.
    pub cap_ms: u64,
    /// How long to wait for a document's lock before that counts as a failure.
    pub lock_wait_ms: u64,
}

/// How long things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// Receipts and idempotency keys.
    pub done_ms: u64,
    /// The journal.
    pub journal_ms: u64,
    /// Earlier versions of a document, in number.
    pub snapshots: u32,
}

impl Settings {
    /// Reads a configuration. What it leaves out is taken from `defaults`; the defaults themselves are read with `None`
    /// and must be complete. `knowledge_bases` replaces the default ones as a whole.
    ///
    /// # Errors
    /// All problems found, each with its place.
    pub fn parse(text: &str, defaults: Option<&Settings>) -> Result<Settings, Vec<Problem>> {
        let text = input::text(text.as_bytes()).map_err(|problem| {
            vec![problem.hint("`version: 1` alone is a configuration; `init` writes a full one")]
        })?;
        let mut root = one_document(text).map_err(|problem| vec![problem])?;
        let mut misfit = Vec::new();
        misfits(&mut root, &schema::SETTINGS, "", &mut misfit);
        says_nothing(&root, "", &mut misfit);
        let mut found = Vec::new();
        if let Some(unknown) = unknown_version(&root) {
            return Err(of_configuration(located(text, &root, Vec::new(), vec![unknown])));
        }
        let settings = overlay::lay(&root, defaults, misfit.is_empty(), &mut found);
        match settings {
            Some(settings) if found.is_empty() && misfit.is_empty() => Ok(settings),
            _ => Err(of_configuration(bounded(located(text, &root, misfit, found)))),
        }
    }

    /// Whether the decider of that name may use a command as a person would; `None` when there is no such decider.
    #[must_use]
    pub fn decides(&self, name: &str, command: &str) -> Option<bool> {
        let decider = self.deciders.iter().find(|decider| decider.name == name)?;
        Some(decider.commands.iter().any(|allowed| allowed == command))
    }

    /// Whether somebody known by this channel may say yes or no to what waits for that. A channel begins with its word:
    /// `terminal, asked`, `decider nightly`.
    #[must_use]
    pub fn reviews_by(&self, channel: &str) -> bool {
        let word = channel.split([' ', ',']).next().unwrap_or_default();
        !CHANNELS.contains(&word) || self.review_channels.iter().any(|allowed| allowed == word)
    }

    /// The knowledge base of that name.
    #[must_use]
    pub fn knowledge_base(&self, name: &str) -> Option<&KnowledgeBase> {
        self.knowledge_bases.iter().find(|kb| kb.name == name)
    }
}

/// Settings that keep something from being written. Left out they do not; where one stands there without a value (half typed, or cut off),
/// it is not left out.
const RESTRICTING: [&str; 3] = ["knowledge_bases", "explicit_only", "review"];

/// Notes which of them, and what inside of them, has no value.
fn says_nothing(node: &Node, path: &str, found: &mut Vec<Misfit>) {
    let Value::Map(pairs) = &node.value else { return };
    for pair in pairs.iter().filter(|pair| !path.is_empty() || RESTRICTING.contains(&pair.name.as_str())) {
        let path = if path.is_empty() { pair.name.clone() } else { format!("{path}.{}", pair.name) };
        // A list of nothing allows nothing, and would allow all.
        let is_empty = match &pair.value.value {
            Value::Null => true,
            Value::List(items) => items.is_empty() && path.ends_with(".headings.allow"),
            _ => false,
        };
        if is_empty {
            let problem = Problem::new(Code::WrongType, format!("{path} has no value"));
            let problem = problem.hint("write its value, or take the line out");
            found.push(Misfit { at: pair.at, other: None, problem });
        }
        says_nothing(&pair.value, &path, found);
    }
}

fn one_document(text: &str) -> Result<Node, Problem> {
    let mut nodes = yaml::nodes(text, CONFIG_BYTES_MAX)?;
    match (nodes.pop(), nodes.len()) {
        (Some(root), 0) => Ok(root),
        (None, _) => Err(Problem::new(Code::EmptyInput, "the configuration is empty")),
        _ => Err(Problem::new(Code::SeveralDocuments, "the configuration has several documents (`---`)")),
    }
}

/// A newer configuration is not interpreted: only its version is reported.
fn unknown_version(root: &Node) -> Option<PathProblem> {
    match root.get("version").map(|node| &node.value) {
        Some(Value::Integer(version)) if *version != VERSION => {
            let message = format!("version {version} of the configuration is not supported");
            let problem = Problem::new(Code::UnknownVersion, message);
            Some(PathProblem::new(
                "version",
                problem.hint(format!("write `version: {VERSION}`, or run the newer build that wrote it")),
            ))
        }
        _ => None,
    }
}

/// What is said of the whole is said of the configuration: the rules are those of a declaration, and so are their words.
fn of_configuration(mut problems: Vec<Problem>) -> Vec<Problem> {
    for problem in &mut problems {
        if let Some(rest) = problem.message.strip_prefix("the declaration ") {
            problem.message = format!("the configuration {rest}");
        }
    }
    problems
}
