//! The command line.

pub mod operate;
pub mod quick;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The durable write path for what AI agents learn: declared once, durable at once, merged exactly once.
#[derive(Debug, Parser)]
#[command(
    name = "last-word",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes: 0 done, 1 could not, 2 usage, 3 refused (nothing was enqueued), 4 somebody is needed, 75 try again."
)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// The heading of the flags every command takes.
const EVERYWHERE: &str = "Everywhere";
/// The heading of the flags that choose jobs.
const WHICH: &str = "Which jobs";
/// The heading of the flags that say what shall be done.
const WHAT: &str = "What to do";

/// What every command takes.
#[derive(Debug, ClapArgs)]
pub struct Global {
    /// The home [default: $LAST_WORD_HOME, else ~/.config/agents/last-word]
    #[arg(long, global = true, value_name = "DIR", help_heading = EVERYWHERE)]
    pub home: Option<PathBuf>,
    /// Print JSON with stable field names
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// auto, always or never [default: auto, on a terminal and without NO_COLOR]
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true, help_heading = EVERYWHERE)]
    pub color: Colour,
    /// Say on stderr what is done; twice: every job
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = EVERYWHERE)]
    pub verbose: u8,
}

/// When colour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the home: directories, a commented config.yaml, schema.yaml
    Init(Init),
    /// Put declarations into the queue; each id is printed once that job is durable
    Enqueue(Enqueue),
    /// Put one entry into the session's buffer; it becomes a job when the session ends
    Plan(Plan),
    /// The session's buffer becomes jobs now
    Flush(Flush),
    /// A document or one section of it, and what still waits for it
    Read(Read),
    /// What a session that starts here would be given
    Context(Context),
    /// Wire an agent, or schedule the worker (cron, systemd, launchd); shows the diff first
    Install(Install),
    /// Take the wiring, or the schedule, out again
    Uninstall(Install),
    /// For agents: an event on standard input, the reply on standard output
    Hook(Hook),
    /// Merge what waits: drains the queue and ends
    Work(Work),
    /// The worker by hand, for some documents; --dry-run shows the diffs and changes nothing
    Apply(Apply),
    /// Is it working? What failed and what to type, what is held, who ran last
    Status(Status),
    /// List jobs
    List(List),
    /// One job whole: where it is from, what was tried, the diff it would make now
    Show(Show),
    /// Why a job is where it is, in one sentence
    Why(operate::Why),
    /// What became of a job, for scripts: its document's hash and version
    Verify(Verify),
    /// Is everything in place? Home, permissions, worker, which agents are wired and when each last called
    Doctor(operate::Doctor),
    /// Retry, edit, decide or discard what failed; on a terminal it asks
    Resolve(Resolve),
    /// Say yes or no to what waits for a review
    Review(Review),
    /// Stop merging: the whole queue, a document or a job; alone it lists what is held
    Hold(operate::Hold),
    /// Let go what is held
    Release(operate::Release),
    /// What happened: to everything, a job or a document; --follow as it happens
    Log(operate::Log),
    /// The versions of a document: when, by whom, what they changed
    History(operate::History),
    /// What changed in a document between two versions
    Diff(operate::Diff),
    /// Who wrote which section of a document, and why
    Blame(operate::Blame),
    /// Put a document back to an earlier version, by a job that can itself be rolled back
    Rollback(operate::Rollback),
    /// Clear away old receipts, journals and earlier texts
    Prune(operate::Prune),
    /// The queue in numbers, as text for Prometheus
    Metrics,
    /// Check declarations and configuration: every problem with file:line:column
    Validate(Validate),
    /// Print the JSON Schema of a declaration
    Schema,
    /// Print what completes commands and flags in a shell
    Completions(operate::Completions),
    /// Print the manual pages
    Man(operate::Man),
    /// Show it all at work on sample data, in a directory of its own that is left for inspection
    Demo(Demo),
}

#[derive(Debug, ClapArgs)]
pub struct Init {
    /// Also make `.agents/` in this project, an inbox for `*.md.yaml` declarations
    #[arg(long)]
    pub project: bool,
    /// Make it also on a network file system or in a synchronised folder, where its promises do not hold
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  last-word enqueue declaration.yaml
  printf '%s' \"$json\" | last-word enqueue - --key \"$SESSION-$(printf '%s' \"$json\" | cksum | cut -d' ' -f1)\"
  last-word enqueue --to user --heading Preferences --op append --content '- prefers tabs'")]
pub struct Enqueue {
    /// Declarations in YAML or JSON; `-` is standard input (also when nothing is named)
    #[arg(value_name = "FILE", conflicts_with = "to")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub entry: EntryFlags,
    /// Enqueued again with the same key it is the same job: repeating is safe. Other words with that key are refused
    #[arg(long, allow_hyphen_values = true)]
    pub key: Option<String>,
    /// Return with the outcome; at most so many seconds [default: 60]
    #[arg(long, value_name = "SECS", num_args = 0..=1, default_missing_value = "60", require_equals = true)]
    pub wait: Option<u64>,
    /// The agent that says it [default: $LAST_WORD_AGENT]
    #[arg(long)]
    pub agent: Option<String>,
    /// Its session [default: $LAST_WORD_SESSION]
    #[arg(long)]
    pub session: Option<String>,
}

/// One entry by flags.
#[derive(Debug, Default, ClapArgs)]
pub struct EntryFlags {
    /// One entry by flags: the knowledge base, or the document's path
    #[arg(long, value_name = "KB|PATH", requires = "heading")]
    pub to: Option<String>,
    /// Its heading; given several times: ancestors first
    #[arg(long, value_name = "TEXT", requires = "to")]
    pub heading: Vec<String>,
    /// Its level, 1 to 6
    #[arg(long, default_value_t = 2, requires = "to", value_name = "N")]
    pub level: i64,
    /// no-op, update, append, replace, clear or delete [default: by the content]
    #[arg(long, value_name = "OP", requires = "to")]
    pub op: Option<String>,
    /// Its text; `-` is standard input
    #[arg(long, value_name = "TEXT|-", requires = "to", allow_hyphen_values = true)]
    pub content: Option<String>,
    /// For replace: the text to be replaced
    #[arg(long, value_name = "TEXT", requires = "to", allow_hyphen_values = true)]
    pub old_text: Option<String>,
    /// Why it is said
    #[arg(long, requires = "to")]
    pub reason: Option<String>,
    /// How sure its author is, 0 to 1
    #[arg(long, requires = "to", value_name = "0..1")]
    pub confidence: Option<f64>,
    /// Where its author has it from; never more trusted than the author itself
    #[arg(long, requires = "to", value_name = "CLASS")]
    pub trust: Option<TrustName>,
    /// From that day on `status` asks whether it still holds
    #[arg(long, requires = "to", value_name = "YYYY-MM-DD")]
    pub review_by: Option<String>,
}

/// A class of trust.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum TrustName {
    User,
    Agent,
    Tool,
    Web,
}

impl TrustName {
    pub fn trust(self) -> declaration::Trust {
        match self {
            TrustName::User => declaration::Trust::User,
            TrustName::Agent => declaration::Trust::Agent,
            TrustName::Tool => declaration::Trust::Tool,
            TrustName::Web => declaration::Trust::Web,
        }
    }
}

/// Whose session: for `plan` and `flush`.
#[derive(Debug, ClapArgs)]
pub struct SpeakerFlags {
    /// The agent that says it [default: $LAST_WORD_AGENT, else that of the project's most recent session]
    #[arg(long)]
    pub agent: Option<String>,
    /// Its session [default: $LAST_WORD_SESSION, else the project's most recent one]
    #[arg(long)]
    pub session: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  last-word plan --to user --heading Preferences --op append --content '- prefers tabs'
  last-word plan --list
  last-word plan --drop 01a200aa
The entry is checked at once and is durable when its id is printed. It becomes a job when the session ends, at `flush`,
or when a worker finds the session gone.")]
pub struct Plan {
    #[command(flatten)]
    pub entry: EntryFlags,
    /// What this session planned so far
    #[arg(long, conflicts_with_all = ["to", "drop"])]
    pub list: bool,
    /// Take an entry back: its id, or a beginning of it that no other has
    #[arg(long, value_name = "ID", conflicts_with = "to")]
    pub drop: Option<String>,
    #[command(flatten)]
    pub speaker: SpeakerFlags,
}

#[derive(Debug, ClapArgs)]
pub struct Flush {
    #[command(flatten)]
    pub speaker: SpeakerFlags,
    /// The buffers of all sessions
    #[arg(long, conflicts_with_all = ["agent", "session"])]
    pub all: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Read {
    /// The knowledge base, or the document's path
    #[arg(value_name = "KB|PATH")]
    pub what: String,
    /// Only this section; given several times: ancestors first
    #[arg(long, value_name = "TEXT")]
    pub heading: Vec<String>,
    /// The section's level [default: that of the only section with this heading]
    #[arg(long, value_name = "N", requires = "heading")]
    pub level: Option<u8>,
    /// With the sections below it
    #[arg(long, requires = "heading")]
    pub subtree: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Context {
    /// The agent whose limits count
    #[arg(long, default_value = "generic")]
    pub agent: String,
    /// What this session was given, as it was
    #[arg(long)]
    pub session: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Install {
    /// claude_code, codex, gemini_cli, copilot, cursor or qwen_code; or cron, systemd, launchd
    #[arg(value_name = "AGENT|SCHEDULE")]
    pub what: String,
    /// An agent: for this project only, in its own files
    #[arg(long)]
    pub project: bool,
    /// systemd: one service that stays (`work --watch`), instead of one that is started when there is something to do
    #[arg(long)]
    pub watch: bool,
    /// systemd: without what needs unprivileged user namespaces
    #[arg(long)]
    pub unconfined: bool,
    /// Write without asking
    #[arg(long, short)]
    pub yes: bool,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "`last-word install AGENT` writes the calls of this into the agent's configuration. It always ends with
exit 0 and prints nothing but a reply; what went wrong is in the journal. LAST_WORD_DISABLE=1, `enabled: false` in
config.yaml, or a file named `disabled` in the home or in the project's .agents/ switch it off."
)]
pub struct Hook {
    /// claude_code, codex, gemini_cli, copilot, cursor, qwen_code or generic
    #[arg(long)]
    pub agent: String,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "From cron, every minute:
  * * * * * $HOME/.cargo/bin/last-word work
Silent when all is well. A second `work` meanwhile ends at once with exit 0.")]
pub struct Work {
    /// Documents merged at the same time [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Wait for retries that are due within so many seconds
    #[arg(long, value_name = "SECS", default_value_t = Work::WAIT_RETRIES)]
    pub wait_retries: u64,
    /// Work beside a worker that runs already, instead of ending at once
    #[arg(long)]
    pub join: bool,
    /// Stay, and merge what comes; SIGTERM ends it, SIGHUP reads the settings anew
    #[arg(long, conflicts_with = "join")]
    pub watch: bool,
    /// Stay on, at most so many seconds, while something in pending/ has to wait (for systemd, which would start us again)
    #[arg(long, value_name = "SECS", conflicts_with_all = ["watch", "join"])]
    pub stay: Option<u64>,
    /// End with exit 1 when nothing moved for so many seconds; the next run recovers what was in hand
    #[arg(long, value_name = "SECS", default_value_t = Work::STUCK_AFTER, value_parser = clap::value_parser!(u64).range(1..))]
    pub stuck_after: u64,
    /// Leave the process session of whoever started it, so as to outlive it
    #[arg(long, hide = true)]
    pub own_session: bool,
}

impl Work {
    /// Seconds it waits for retries.
    pub const WAIT_RETRIES: u64 = 30;
    /// Seconds without anything that moves after which it ends.
    pub const STUCK_AFTER: u64 = 300;
}

#[derive(Debug, ClapArgs)]
pub struct Apply {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Only jobs of this document (a path, or a knowledge base), also before they are due
    #[arg(long, value_name = "DOC")]
    pub file: Option<String>,
    /// Jobs (ids or their beginnings), also before they are due; or declarations that are not enqueued yet
    #[arg(value_name = "JOB|FILE.yaml")]
    pub what: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Status {
    /// For monitoring: one line, and exit 4 when somebody is needed
    #[arg(long)]
    pub check: bool,
    /// Keep the screen up to date, until Ctrl-C
    #[arg(long, conflicts_with = "check")]
    pub watch: bool,
}

/// A state as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StateName {
    Pending,
    Deferred,
    Processing,
    Failed,
    Review,
    Done,
}

#[derive(Debug, Default, ClapArgs)]
pub struct Selection {
    /// Only jobs of this document (part of its path, or a knowledge base)
    #[arg(long, value_name = "DOC", help_heading = WHICH)]
    pub document: Option<String>,
    /// Only of this agent
    #[arg(long, help_heading = WHICH)]
    pub agent: Option<String>,
    /// Only of this session
    #[arg(long, help_heading = WHICH)]
    pub session: Option<String>,
    /// Only with this error code
    #[arg(long, value_name = "CODE", help_heading = WHICH)]
    pub error: Option<String>,
    /// Only declared longer ago than this, e.g. 90s, 10m, 2h, 3d
    #[arg(long, value_name = "AGE", help_heading = WHICH)]
    pub older: Option<String>,
    /// Only declared since then
    #[arg(long, value_name = "AGE", help_heading = WHICH)]
    pub newer: Option<String>,
    /// Only with this text in a heading or content
    #[arg(long, allow_hyphen_values = true, help_heading = WHICH)]
    pub text: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct List {
    /// Only this state [default: all but done]
    pub state: Option<StateName>,
    #[command(flatten)]
    pub selection: Selection,
    /// oldest, newest, or due (what is due next) first [default: by state, then oldest]
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    pub sort: Option<SortName>,
    /// At most so many; 0 for all [default: 100, with --json all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// An order as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SortName {
    /// Oldest first
    Oldest,
    /// Newest first
    Newest,
    /// What is due next first
    Due,
}

#[derive(Debug, ClapArgs)]
pub struct Show {
    /// The job: its id, or a beginning of it that no other has
    pub id: String,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Exit codes: 0 its changes are in the document (or it ended as a person wished), 1 no such job,
4 it failed or waits for a review, 75 it is still on its way."
)]
pub struct Verify {
    /// The job: its id, or a beginning of it that no other has
    pub id: String,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "On a terminal, without an action, it goes through the jobs one by one and asks. Each answer is done at once: quit, or lose
the connection, and go on later where you were. In a script say what to do:

  last-word resolve --error ambiguous --retry --dry-run   how many, and which
  last-word resolve --error ambiguous --retry             all of them, in the order they were declared
  EDITOR=\"sed -i s/Restrat/Restart/\" last-word resolve --error section_missing --edit
  last-word list failed --json | jq -r '.[].id' | last-word resolve - --discard --reason 'old'

What is held (`last-word hold ID`) is left alone."
)]
pub struct Resolve {
    /// Jobs: ids, their beginnings, or their files in staging/failed; `-` reads ids from standard input
    #[arg(value_name = "ID|FILE")]
    pub ids: Vec<String>,
    /// All that failed
    #[arg(long, conflicts_with = "ids", help_heading = WHICH)]
    pub all: bool,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub action: ResolveAction,
    /// With --edit: the new text of the job, instead of an editor; `-` is standard input
    #[arg(long, value_name = "FILE", requires = "edit", help_heading = WHAT)]
    pub with: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Why, for the journal
    #[arg(long)]
    pub reason: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[group(multiple = false)]
pub struct ResolveAction {
    /// Back into the queue, attempts reset
    #[arg(long, help_heading = WHAT)]
    pub retry: bool,
    /// Change it in $EDITOR first, then back into the queue
    #[arg(long, help_heading = WHAT)]
    pub edit: bool,
    /// Of a conflict: the document's side stands, and the entry is left out
    #[arg(long, help_heading = WHAT)]
    pub ours: bool,
    /// Of a conflict: the job's side stands, over the text it was in conflict with
    #[arg(long, help_heading = WHAT)]
    pub theirs: bool,
    /// End it: the document stays as it is
    #[arg(long, help_heading = WHAT)]
    pub discard: bool,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "On a terminal, without --approve or --reject, it shows each proposal with the change it would make now, and asks. A proposal
whose section changed meanwhile is merged with that change, which is said; where it cannot be, it becomes a failed job
with a conflict. An agent's session can neither approve nor reject."
)]
pub struct Review {
    /// Jobs: ids or their beginnings
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// All that wait
    #[arg(long, conflicts_with = "ids")]
    pub all: bool,
    /// Yes: they are merged
    #[arg(long, conflicts_with = "reject")]
    pub approve: bool,
    /// No: they end
    #[arg(long)]
    pub reject: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Why, for the journal
    #[arg(long)]
    pub reason: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Validate {
    /// Declarations, or a config.yaml; the home's configuration when nothing is named
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Demo {
    /// Where; made new, and left for inspection
    #[arg(long, value_name = "DIR", default_value = "demo-home")]
    pub dir: PathBuf,
    /// A home in trouble instead, to practise on: 300 failures, two stuck documents, one proposal
    #[arg(long)]
    pub broken: bool,
}
