//! Who asks something of a home, and from where.

use crate::replaced_text::{DocumentsRead, Presents};
use crate::{Home, Speaker};
use declaration::{Trust, terminal};
use policy::settings::Settings;
use producer::Submission;
use queue_layout::Producer;
use std::path::{Path, PathBuf};

/// Who asks, and from where: a command line, an agent's hook, a request of a server. What a declaration says of its own
/// origin is not believed; this is what is written down.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The working directory, absolute: relative paths and the project go by it.
    pub cwd: PathBuf,
    /// The agent, as our command line names it; empty for a person.
    pub agent: String,
    /// The agent's session; empty where there is none.
    pub session: String,
    /// How far its word goes.
    pub trust: Trust,
    /// The machine it is on.
    pub machine: String,
    /// Its process; `None` where that says nothing.
    pub pid: Option<u32>,
}

impl Caller {
    /// A program of the person's own, in this directory.
    #[must_use]
    pub fn program(cwd: impl Into<PathBuf>) -> Caller {
        Caller {
            cwd: cwd.into(),
            agent: String::new(),
            session: String::new(),
            trust: Trust::User,
            machine: crate::system::machine(),
            pid: Some(std::process::id()),
        }
    }

    /// An agent's session, in this directory: what it says is trusted no more than an agent is.
    #[must_use]
    pub fn agent(cwd: impl Into<PathBuf>, agent: impl Into<String>, session: impl Into<String>) -> Caller {
        let (agent, session): (String, String) = (agent.into(), session.into());
        // A person's own session is no agent's, whatever a program calls itself.
        let agent = if agent == Speaker::PERSON { Speaker::UNNAMED.to_owned() } else { agent };
        Caller { agent, session, trust: Trust::Agent, ..Caller::program(cwd) }
    }

    /// Whether a job that says this of where it comes from was declared by this agent's session.
    #[must_use]
    pub fn said(&self, producer: &Producer) -> bool {
        let plain = |name: &str| name.replace('-', "_");
        !producer.claimed
            && !self.session.is_empty()
            && self.session == producer.session
            && plain(named_as(&self.agent)) == plain(&producer.agent)
    }

    /// What jobs say of where they come from. `event`: what brought them, one word.
    #[must_use]
    pub fn producer(&self, event: &str) -> Producer {
        Producer {
            trust: Some(self.trust),
            agent: named_as(&self.agent).to_owned(),
            session: self.session.clone(),
            event: event.to_owned(),
            host: self.machine.clone(),
            pid: self.pid,
            cwd: Some(self.cwd.clone()),
            claimed: false,
        }
    }
}

/// What is written of an agent's name. One that a history or `blame` would show as if a person had done it is none: whoever calls decides
/// about `person` itself, which is a person's own session.
fn named_as(agent: &str) -> &str {
    if agent != Speaker::PERSON && reads_as_a_person(agent) { Speaker::UNNAMED } else { agent }
}

/// Names that a reader takes for somebody who is no program.
const PERSONS: [&str; 12] = [
    "person",
    "you",
    "user",
    "root",
    "human",
    "me",
    "myself",
    "owner",
    "admin",
    "administrator",
    "somebody",
    "anybody",
];

fn reads_as_a_person(name: &str) -> bool {
    let seen = |c: &char| !c.is_control() && terminal::not_shown(*c).is_none() && !terminal::is_invisible(*c);
    let plain: String = name.chars().filter(seen).flat_map(char::to_lowercase).collect();
    let words: Vec<&str> =
        plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_said = |word: &str| ["a", "an", "the", "by", "hand", "typed", "of"].contains(&word);
    // Greek, Cyrillic or Cherokee letters among Latin ones stand there to be taken for those.
    let is_other = |c: char| matches!(c, '\u{370}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}');
    let is_mixed = plain.contains(|c: char| c.is_ascii_alphabetic()) && plain.contains(is_other);
    is_mixed || !words.is_empty() && words.iter().all(|word| PERSONS.contains(word) || is_said(word))
}

impl Home {
    /// What is known of the place where something is said; drafts are made with it.
    pub(crate) fn saying<T>(
        &self,
        settings: &Settings,
        cwd: &Path,
        producer: &Producer,
        project: Option<&Path>,
        make: impl FnOnce(Submission<'_>) -> T,
    ) -> T {
        let presents = Presents::default();
        let read = DocumentsRead::default();
        make(Submission {
            kbs: &settings.knowledge_bases,
            around: self.around(cwd, project),
            canonicalise: &|path| self.canonicalise(path),
            producer,
            moment: &|at| self.moment_at(at),
            home_of_item: &|id| self.home_of_item(settings, cwd, project, id),
            would_replace: &|entry, found, earlier| self.would_replace(entry, found, earlier, &presents),
            seen: &|entry, found, written| self.seen(entry, found, written, &read),
            written: None,
            key: None,
        })
    }

    /// The drafts of declarations, made by the configuration of now; nothing is enqueued. `event` is as for
    /// `Caller::producer`.
    ///
    /// # Errors
    /// What the configuration or the policy refuses of them.
    pub fn drafts(
        &self,
        caller: &Caller,
        event: &str,
        declarations: Vec<declaration::Declaration>,
        key: Option<&str>,
        settings: &Settings,
    ) -> Result<Vec<queue_layout::Draft>, Vec<declaration::reading::Unplaced>> {
        let project = self.project_of(&caller.cwd, &declarations, settings);
        let producer = caller.producer(event);
        self.saying(settings, &caller.cwd, &producer, project.as_deref(), |said| {
            // A declaration that is repeated with its key had its effect already: the text that it would replace is its own.
            // Asked only where an operation is left open: a hook waits for this.
            let open = declarations.iter().any(|declaration| !declaration.unnamed.is_empty());
            let again = open && key.is_some_and(|key| self.queue().producer().is_known_key(key));
            let said = Submission { key, ..said };
            let said = if again { Submission { would_replace: &|_, _, _| None, ..said } } else { said };
            producer::drafts(declarations, &said)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_agent_is_named_as_a_person() {
        for (name, is_one) in [
            ("claude-code", false),
            ("codex", false),
            ("agent", false),
            ("", false),
            ("my tool by hand", false),
            ("агент", false),
            ("José-bot", false),
            ("---", false),
            ("我的助手", false),
            ("person", false),
            ("Person", true),
            ("person ", true),
            ("pers\u{200d}on", true),
            ("p\u{435}rson", true),
            ("by hand", true),
            ("the user", true),
            ("root", true),
            ("you", true),
            ("(by hand)", true),
        ] {
            assert_eq!(named_as(name) == Speaker::UNNAMED && name != Speaker::UNNAMED, is_one, "{name:?}");
        }
    }
}
