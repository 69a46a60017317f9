//! Whose session a command speaks for: flags, else the environment, else the project's most recent session.

use crate::failure::{self, Failure};
use crate::world::World;
use declaration::Timestamp;
use queue_layout::{Queue, Session, Who, has_ended};

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

/// An agent's session, and how we came to think so.
#[derive(Debug)]
pub struct Speaker {
    /// The agent.
    pub agent: String,
    /// The session, as the agent names it.
    pub session: String,
    /// How we know, in words.
    pub known_by: &'static str,
    /// Its place on the disk.
    pub place: Session,
}

/// An agent that nobody named.
const UNNAMED: &str = "agent";

pub fn speaker(flags: &SpeakerFlags, world: &World, queue: &Queue) -> Result<Speaker, Failure> {
    let env = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let agent = flags.agent.clone().or_else(|| env("LAST_WORD_AGENT"));
    let found = |agent: String, session: String, known_by| {
        let place = queue.session(&agent, &session);
        Ok(Speaker { agent, session, known_by, place })
    };
    if let Some(session) = flags.session.clone() {
        return found(agent.unwrap_or_else(|| UNNAMED.to_owned()), session, "--session");
    }
    if let Some(session) = env("LAST_WORD_SESSION") {
        return found(agent.unwrap_or_else(|| UNNAMED.to_owned()), session, "$LAST_WORD_SESSION");
    }
    if let Some((of, session)) = agents::session(agent.as_deref(), env) {
        return found(of.to_owned(), session, "the agent's environment");
    }
    match most_recent(world, queue, agent.as_deref())? {
        Some((who, place)) => Ok(Speaker {
            agent: who.agent,
            session: who.session,
            known_by: "the most recent session here",
            place,
        }),
        None => Err(Failure::new("no session is known here")
            .hint("name it with --session, or declare at once with `last-word enqueue`")
            .code(failure::USAGE)),
    }
}

/// The session that was heard of last in this project (or directory, where there is no project) and has not ended.
fn most_recent(world: &World, queue: &Queue, agent: Option<&str>) -> Result<Option<(Who, Session)>, Failure> {
    let project = world.project();
    let mut best: Option<(Timestamp, Who, Session)> = None;
    for session in queue.sessions()? {
        let log = match session.log() {
            // Somebody else's.
            Err(e) if !e.is_machine_trouble() => continue,
            other => other?,
        };
        let Some(who) = log.iter().rev().find_map(|noted| noted.who.clone()) else { continue };
        let here = match &project {
            Some(project) => who.project.as_ref() == Some(project),
            None => who.cwd.as_ref() == Some(&world.cwd),
        };
        let other = agent.is_some_and(|agent| agent.replace('-', "_") != who.agent.replace('-', "_"));
        let heard = log.last().map(|noted| noted.at).unwrap_or_default();
        if here && !other && !has_ended(&log) && best.as_ref().is_none_or(|(at, _, _)| *at < heard) {
            best = Some((heard, who, session));
        }
    }
    Ok(best.map(|(_, who, session)| (who, session)))
}
