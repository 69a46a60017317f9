//! `context`: what a session that starts here would be given.

use crate::failure::{self, Failure};
use crate::hook::start;
use crate::render;
use crate::world::World;

/// What a session that starts here would be given
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent whose limits count
    #[arg(long, default_value = "generic")]
    pub agent: String,
    /// What this session was given, as it was
    #[arg(long)]
    pub session: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let settings = world.settings()?;
    let agent = agents::find(&args.agent).ok_or_else(|| {
        let names: Vec<&str> = agents::ALL.iter().map(|agent| agent.name()).collect();
        Failure::new(format!("there is no agent `{}`", args.agent))
            .hint(names.join(", "))
            .code(failure::USAGE)
    })?;
    let kept = match &args.session {
        Some(session) => queue.session(agent.name(), session).context()?,
        None => None,
    };
    let text = match kept {
        Some(text) => text,
        None => start::build(world, &queue, &settings, &|text| agent.length(text))?.text,
    };
    if world.json {
        let length = agent.length(&text);
        render::json(&serde_json::json!({ "agent": agent.name(), "length": length, "context": text }))?;
    } else if !text.is_empty() {
        render::line(text.trim_end_matches('\n'))?;
    } else if world.interactive() {
        render::line("nothing is known yet; a session would be shown nothing")?;
    }
    Ok(0)
}
