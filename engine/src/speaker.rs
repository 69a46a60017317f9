//! Whose session is spoken for: the one that was named, else the project's most recent one.

use crate::{Failure, Home};
use declaration::Timestamp;
use queue_layout::{Queue, Session, has_ended};
use std::path::Path;

/// An agent's session, and how we came to think so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speaker {
    /// The agent.
    pub agent: String,
    /// The session, as the agent names it.
    pub session: String,
    /// How we know, in words.
    pub known_by: &'static str,
}

impl Speaker {
    /// The agent's name where a person types.
    pub const PERSON: &str = "person";
    /// The name of an agent that nobody named.
    pub const UNNAMED: &str = "agent";

    /// Its place on the disk.
    pub(crate) fn place(&self, queue: &Queue) -> Session {
        queue.sessions().of(&self.agent, &self.session)
    }

    /// `session S of AGENT`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self.agent.as_str() {
            Speaker::UNNAMED => format!("session {} (its agent is not named)", self.session),
            Speaker::PERSON => format!("your own session ({})", self.session),
            agent => format!("session {} of {agent}", self.session),
        }
    }
}

impl Home {
    /// The agent whose session has this name and has not ended, where it is one agent's.
    #[must_use]
    pub fn agent_of_session(&self, session: &str) -> Option<String> {
        let all = self.queue().sessions().all().unwrap_or_default();
        let logs = all.into_iter().filter_map(|session| session.log().ok()).filter(|log| !has_ended(log));
        let who = logs.filter_map(|log| log.iter().rev().find_map(|noted| noted.who.clone()));
        let mut agents: Vec<String> =
            who.filter(|who| who.session == session && !who.agent.is_empty()).map(|who| who.agent).collect();
        agents.sort();
        agents.dedup();
        agents.pop().filter(|_| agents.is_empty())
    }

    /// The session that was heard of last in this project (or directory, where there is no project) and has not ended;
    /// of this agent, where one is named.
    ///
    /// # Errors
    /// A disk error.
    pub fn most_recent_session(&self, cwd: &Path, agent: Option<&str>) -> Result<Option<Speaker>, Failure> {
        let queue = self.queue();
        let project = self.project(cwd);
        let mut best: Option<(Timestamp, Speaker)> = None;
        for session in queue.sessions().all()? {
            let log = match session.log() {
                // Somebody else's.
                Err(e) if !e.is_machine_trouble() => continue,
                other => other?,
            };
            let Some(who) = log.iter().rev().find_map(|noted| noted.who.clone()) else { continue };
            let here = match &project {
                Some(project) => who.project.as_ref() == Some(project),
                None => who.cwd.as_deref() == Some(cwd),
            };
            let other = agent.is_some_and(|agent| agent.replace('-', "_") != who.agent.replace('-', "_"));
            let heard = log.last().map(|noted| noted.at).unwrap_or_default();
            if here && !other && !has_ended(&log) && best.as_ref().is_none_or(|(at, _)| *at < heard) {
                let known_by = "the most recent session here";
                best = Some((heard, Speaker { agent: who.agent, session: who.session, known_by }));
            }
        }
        Ok(best.map(|(_, speaker)| speaker))
    }
}
