//! For whose session a command speaks: by flags, else by the environment, else the project's most recent session.

use crate::failure::{Exit, Failure};
use crate::world::{World, variable};
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

/// Whose session is meant. A person's own is spoken for by a person alone, whoever names it.
pub fn speaker(flags: &SpeakerFlags, world: &World) -> Result<Speaker, Failure> {
    let speaker = named(flags, world)?;
    if speaker.agent == Speaker::PERSON && speaker.known_by != BY_HAND && !world.may_be_a_person() {
        return Err(Failure::new(format!("`{}` is a person's own session", Speaker::PERSON))
            .hint("name the session of the agent that calls, with --agent and --session"));
    }
    Ok(speaker)
}

/// Refuses to take back, from an agent's session, what another one planned.
pub fn check_own(speaker: &Speaker) -> Result<(), Failure> {
    match agents::session(None, variable) {
        Some((_, own)) if own != speaker.session => {
            let theirs = speaker.describe();
            Err(Failure::new(format!("{theirs} planned it, and this is session {own}"))
                .hint("a session takes back what it planned itself; a person, at a terminal, what any did"))
        }
        _ => Ok(()),
    }
}

const BY_HAND: &str = "you typed it";

fn named(flags: &SpeakerFlags, world: &World) -> Result<Speaker, Failure> {
    let agent = flags.agent.clone().or_else(|| variable("LAST_WORD_AGENT"));
    let found = |agent: String, session: String, known_by| Ok(Speaker { agent, session, known_by });
    // The end of a session merges what its agent planned in it: so whose it is has to be known, where it can be.
    let agent_of = |session: &str| {
        let known = agent.clone().or_else(|| world.home.agent_of_session(session));
        known.unwrap_or_else(|| Speaker::UNNAMED.to_owned())
    };
    if let Some(session) = flags.session.clone() {
        return found(agent_of(&session), session, "--session");
    }
    if let Some(session) = variable("LAST_WORD_SESSION") {
        return found(agent_of(&session), session, "$LAST_WORD_SESSION");
    }
    if let Some((of, session)) = agents::session(agent.as_deref(), variable) {
        return found(of.to_owned(), session, "the agent's environment");
    }
    if let Some(speaker) = world.most_recent_session(&world.cwd, agent.as_deref())? {
        return Ok(speaker);
    }
    let by_hand =
        agent.is_none() && std::io::stdin().is_terminal() && agents::mark(std::env::vars_os()).is_none();
    if by_hand {
        return found(Speaker::PERSON.to_owned(), world.person(), BY_HAND);
    }
    Err(Failure::new("no agent's session is known here")
        .hint("name one with --session, any word will do; or declare at once with `last-word enqueue`")
        .exit(Exit::Usage))
}
