//! The arguments of the operator's further commands.

use clap::Args as ClapArgs;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Without anything to hold it lists what is held. What is held still takes declarations; they wait.
A worker finishes the batch it has in hand and begins no further one. Later jobs of a document wait behind a held one.

Examples:
  last-word hold --document user --reason 'I am rewriting it'
  last-word hold --all"
)]
pub struct Hold {
    #[command(flatten)]
    pub what: Held,
    /// Why, for `status` and the journal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Without anything to release it lists what is held.")]
pub struct Release {
    #[command(flatten)]
    pub what: Held,
    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// What `hold` and `release` are about.
#[derive(Debug, ClapArgs)]
pub struct Held {
    /// Jobs: ids, or beginnings of them that no other has
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// A document: a knowledge base, or a path
    #[arg(long, value_name = "DOC")]
    pub document: Vec<String>,
    /// The whole queue
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "A version is the document from one commit of ours until the next, with what people saved in it meanwhile.
Version 0 is what it was before the first commit."
)]
pub struct History {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
    /// At most so many versions, newest first; 0 for all
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  last-word diff user          what the last commit changed, and what was saved since
  last-word diff user 3        from version 3 to now
  last-word diff user 3 4      from version 3 to version 4")]
pub struct Diff {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
    /// From this version [default: the one before the newest]
    #[arg(value_name = "A")]
    pub from: Option<u64>,
    /// To this version [default: the document as it is now]
    #[arg(value_name = "B")]
    pub to: Option<u64>,
}

#[derive(Debug, ClapArgs)]
pub struct Blame {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "A rollback is a job like any other: `last-word work` merges it, and it can itself be rolled back. What is
changed between now and then stays; where both changed the same lines the job fails, and you decide.

Examples:
  last-word rollback user               undo the last commit
  last-word rollback user --to 3        as it was in version 3 (`last-word history user`)
  last-word rollback user --dry-run     only show the change"
)]
pub struct Rollback {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
    /// To this version [default: the one before the newest]
    #[arg(long, value_name = "REV")]
    pub to: Option<u64>,
    /// Why, for the history
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Show the change, and enqueue nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "What is kept is set by `retention` in config.yaml. An idempotency key is kept as long as the receipt of its job,
and the log that `blame` reads is kept for good. `last-word work` clears away a little at the end of each run."
)]
pub struct Prune {
    /// Say what would go, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Exit codes: 0 all is well, or worth knowing at most; 4 something does not work until somebody acts."
)]
pub struct Doctor {
    /// Mend what can be mended: missing directories, permissions, what the dead left, an outdated schedule or wiring, and, when the disk is nearly full, what is older than `retention`
    #[arg(long)]
    pub fix: bool,
    /// With --fix: also write files that are not ours (schedules, agents' settings) without asking
    #[arg(long, short, requires = "fix")]
    pub yes: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Why {
    /// The job: its id, or a beginning of it that no other has
    pub id: String,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "With --json an array; with --json --follow one object a line.

Examples:
  last-word log --since 2h
  last-word log --follow
  last-word log --id 01a200aa-04f6      everything that happened to a job")]
pub struct Log {
    /// Only since then: an age (90s, 10m, 2h, 3d), a day (2026-11-22), or a time in RFC 3339
    #[arg(long, value_name = "AGE|TIME")]
    pub since: Option<String>,
    /// Go on as it happens, until Ctrl-C
    #[arg(short, long)]
    pub follow: bool,
    /// Only of this job: its id, or a beginning of it that no other has
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Only of this document: a knowledge base, or part of its path
    #[arg(long, value_name = "DOC")]
    pub document: Option<String>,
    /// At most so many, the newest; 0 for all [default: 100, with --since all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "  bash   last-word completions bash > ~/.local/share/bash-completion/completions/last-word
  zsh    last-word completions zsh > ~/.zfunc/_last-word    (with ~/.zfunc in $fpath)
  fish   last-word completions fish > ~/.config/fish/completions/last-word.fish"
)]
pub struct Completions {
    /// For which shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  last-word man resolve | man -l -
  last-word man --dir ~/.local/share/man/man1")]
pub struct Man {
    /// The command [default: the page on all of it]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
    /// Write the pages of all commands into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}
