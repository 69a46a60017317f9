//! Who asks something of a home, and from where.

use crate::Home;
use crate::replaced_text::{DocumentsRead, Presents};
use declaration::Trust;
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
        let (agent, session) = (agent.into(), session.into());
        Caller { agent, session, trust: Trust::Agent, ..Caller::program(cwd) }
    }

    /// Whether a job that says this of where it comes from was declared by this agent's session.
    #[must_use]
    pub fn said(&self, producer: &Producer) -> bool {
        let plain = |name: &str| name.replace('-', "_");
        !producer.claimed
            && !self.session.is_empty()
            && self.session == producer.session
            && plain(&self.agent) == plain(&producer.agent)
    }

    /// What jobs say of where they come from. `event`: what brought them, one word.
    #[must_use]
    pub fn producer(&self, event: &str) -> Producer {
        Producer {
            trust: Some(self.trust),
            agent: self.agent.clone(),
            session: self.session.clone(),
            event: event.to_owned(),
            host: self.machine.clone(),
            pid: self.pid,
            cwd: Some(self.cwd.clone()),
            claimed: false,
        }
    }
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
