//! For whose session a command speaks: by flags, else by the environment, else the project's most recent session.

use crate::failure::{Exit, Failure};
use crate::world::World;
use engine::Speaker;
use std::io::IsTerminal;

/// Whose session: for `plan` and `flush`.
#[derive(Debug, clap::Args)]
pub struct SpeakerFlags {
    /// The agent that says it [default: $LAST_WORD_AGENT, else that of the project's most recent session]
    #[arg(long)]
    pub agent: Option<String>,
    /// Its session [default: $LAST_WORD_SESSION, else the project's most recent one]
    #[arg(long)]
    pub session: Option<String>,
}

/// The name of an agent that nobody named.
const UNNAMED: &str = "agent";

pub fn speaker(flags: &SpeakerFlags, world: &World) -> Result<Speaker, Failure> {
    let env = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let agent = flags.agent.clone().or_else(|| env("LAST_WORD_AGENT"));
    let found = |agent: String, session: String, known_by| Ok(Speaker { agent, session, known_by });
    if let Some(session) = flags.session.clone() {
        return found(agent.unwrap_or_else(|| UNNAMED.to_owned()), session, "--session");
    }
    if let Some(session) = env("LAST_WORD_SESSION") {
        return found(agent.unwrap_or_else(|| UNNAMED.to_owned()), session, "$LAST_WORD_SESSION");
    }
    if let Some((of, session)) = agents::session(agent.as_deref(), env) {
        return found(of.to_owned(), session, "the agent's environment");
    }
    if let Some(speaker) = world.most_recent_session(&world.cwd, agent.as_deref())? {
        return Ok(speaker);
    }
    let by_hand =
        agent.is_none() && std::io::stdin().is_terminal() && agents::mark(std::env::vars_os()).is_none();
    if by_hand {
        return found(Speaker::PERSON.to_owned(), world.person(), "you typed it");
    }
    Err(Failure::new("no agent's session is known here")
        .hint("name one with --session, any word will do; or declare at once with `last-word enqueue`")
        .exit(Exit::Usage))
}
