//! `session save`: writes the summary of a session as a section of its day.

use super::remember::say;
use crate::failure::Failure;
use crate::progress;
use crate::world::World;
use engine::SessionNote;

/// Save what a session leaves behind: summary, decisions, what is to be done
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Save it; saved again under the same topic it takes the place of what was saved before
    Save(Save),
}

#[derive(Debug, clap::Args)]
struct Save {
    /// What it was about
    #[arg(long, value_name = "TEXT")]
    topic: String,
    /// What was done
    #[arg(long, value_name = "TEXT")]
    summary: String,
    /// What was decided; may be given several times
    #[arg(long, value_name = "TEXT")]
    decision: Vec<String>,
    /// What is to be done; may be given several times
    #[arg(long, value_name = "TEXT")]
    todo: Vec<String>,
    /// The agent that says it [default: $LAST_WORD_AGENT]
    #[arg(long)]
    agent: Option<String>,
    /// Its session [default: $LAST_WORD_SESSION]
    #[arg(long)]
    session: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let Verb::Save(save) = &args.verb;
    let note = SessionNote {
        topic: save.topic.clone(),
        summary: save.summary.clone(),
        decisions: save.decision.clone(),
        todos: save.todo.clone(),
    };
    let caller = world.caller(save.agent.as_deref(), save.session.as_deref());
    let saved = progress::waiting("reading the days before", || world.save_session(&caller, &note))?;
    say(world, &saved)
}
