//! The arguments of the operator's further commands.

use clap::Args as ClapArgs;

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
