//! `context`: what a session that starts here would be given.

use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use engine::output::SessionContext;

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
    world.check()?;
    let agent = agents::find(&args.agent).ok_or_else(|| {
        let names: Vec<&str> = agents::ALL.iter().map(|agent| agent.name()).collect();
        Failure::new(format!("there is no agent `{}`", args.agent))
            .hint(names.join(", "))
            .exit(failure::Exit::Usage)
    })?;
    if let Some(session) = &args.session
        && world.context_given(agent, session)?.is_none()
    {
        let name = agent.name();
        render::tell(&format!(
            "what the session `{session}` of the agent `{name}` was given is not known here; this is what a new one would be given (--agent names another agent)"
        ));
    }
    let text = world.context(agent, args.session.as_deref(), &world.cwd)?;
    if world.json {
        let length = agent.length(&text);
        render::json(&SessionContext { agent: agent.name(), context: text, length })?;
    } else if !text.is_empty() {
        render::read(text.trim_end_matches('\n'))?;
    } else if world.interactive() {
        render::say("nothing is known yet; a session would be shown nothing")?;
    }
    Ok(0)
}
