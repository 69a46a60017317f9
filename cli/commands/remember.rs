//! `remember`: adds one fact. Prints the id that `item show` takes, and what the fact waits for.

use crate::failure::Failure;
use crate::render;
use crate::world::World;
use engine::Remember;
use engine::output::{Fate, Foreseen, Remembered};

/// Remember one fact, event or opinion: a line of a list
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word remember 'Prefers tabs over spaces' --kind O --entity editor
  last-word remember 'Deploys on Fridays' --to facts --confidence 0.9
It goes below the day it is said on, into `facts` (else `memory`). What the document says already is not added again.")]
pub struct Args {
    /// What is to be remembered
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
    /// W a fact about the world or the project, B what was done, O an opinion or preference, E an event; or a lower-case word
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// What it is about, as a #tag
    #[arg(long, value_name = "NAME")]
    pub entity: Vec<String>,
    /// How sure you are, 0 to 1
    #[arg(long, value_name = "0..1")]
    pub confidence: Option<f64>,
    /// The knowledge base, or the document's path [default: facts]
    #[arg(long, value_name = "KB|PATH")]
    pub to: Option<String>,
    /// The heading it goes under [default: the day]
    #[arg(long, value_name = "TEXT")]
    pub heading: Vec<String>,
    /// Why it is said
    #[arg(long)]
    pub reason: Option<String>,
    /// From that day on `status` asks whether it still holds
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub review_by: Option<String>,
    /// The agent that says it [default: $LAST_WORD_AGENT, else the one whose session the environment names]
    #[arg(long)]
    pub agent: Option<String>,
    /// Its session [default: $LAST_WORD_SESSION, else the one that the environment names]
    #[arg(long)]
    pub session: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let said = Remember {
        text: args.text.join(" "),
        kind: args.kind.clone(),
        entities: args.entity.clone(),
        confidence: args.confidence,
        to: args.to.clone(),
        heading: args.heading.clone(),
        reason: args.reason.clone(),
        review_by: args.review_by.clone(),
    };
    say(world, &world.remember(&world.caller(args.agent.as_deref(), args.session.as_deref()), &said)?)
}

/// The id, and what becomes of it.
pub fn say(world: &World, said: &Remembered) -> Result<u8, Failure> {
    if world.json {
        render::json(said)?;
        return Ok(0);
    }
    let why = said.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    let id = if said.item.is_empty() { said.job.to_string() } else { said.item.clone() };
    let document = world.short(&said.document);
    let then = match said.state {
        Foreseen::Stands(Fate::Applied) => format!("is in {document}"),
        Foreseen::Known | Foreseen::Stands(Fate::Unchanged) => format!("{document} says it already"),
        Foreseen::WillAsk | Foreseen::Stands(Fate::Review) => {
            format!("waits for a yes{why}; `last-word review` once a worker saw it")
        }
        Foreseen::WillFail | Foreseen::Stands(Fate::Failed) => {
            format!("cannot be merged as things are{why}; `last-word resolve` once a worker saw it")
        }
        Foreseen::Stands(Fate::Waiting | Fate::Dropped) => {
            format!("queued; {document} is changed at the next `last-word work`")
        }
    };
    render::say(&format!("{id}  {then}"))?;
    Ok(0)
}
