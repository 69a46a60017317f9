//! The agents' dialects: one file per agent says how its hook JSON becomes a `HookEvent`, and how our `Reply` becomes the
//! JSON it accepts. Pure: values in, values out. A new agent is one file and one line here; if `marks` knew it already, its
//! row there goes.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod configure;
mod event;
mod fields;
mod form;
mod instructions;
mod marks;
mod patch;
mod process;
mod risk;
mod server;
mod shell;
mod tool;
mod transcript;
mod wiring;

pub use configure::{WantedHooks, unwire, wire};
pub use event::{EventKind, HookEvent, Reply};
pub use form::{Called, FormFile, OwnForm};
pub use instructions::{with_block, without_block};
pub use marks::{Marks, known, mark, session};
pub use process::{Opens, Process};
pub use risk::risk;
pub use server::{EDITORS, EditorServers, ListForm, ServerList, has_server, with_server, without_server};
pub use shell::{
    ALLOWED, ByGit, Chosen, CommandDirs, CopiedTree, DiskOfLine, GitReach, How, NoDisk, OurCall,
    SimpleCommand, WrittenPath, absolute, changes_or_starts, denied_by_rules, found_in_path, is_allowed, led,
    names_in, our_calls, plain, without_reads,
};
pub use tool::{ToolCall, ToolIntent, intent, may_write_unseen, switches_hooks_off};
pub use transcript::{Said, SessionPlace, TranscriptOf, said};
pub use wiring::{
    Allow, Deny, Hook, HookNesting, Instructions, NamedHome, RulesFile, RulesList, RulesText, Timeout, Wiring,
};

use serde_json::Value;

/// How one agent's hooks are read and answered.
pub trait Agent: Sync + std::fmt::Debug {
    /// Its name on our command line: `claude_code`.
    fn name(&self) -> &'static str;

    /// Its name for people.
    fn title(&self) -> &'static str;

    /// Reads an event. Unknown and missing fields are tolerated; an event that we do not know is `EventKind::Other`.
    fn read(&self, payload: &Value) -> HookEvent;

    /// The exact bytes for stdout. `None` when this agent takes no such reply at this event: then it is sent nothing.
    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String>;

    /// The answer that means "nothing to say, go on" at every event.
    fn neutral(&self) -> &'static str {
        "{}"
    }

    /// The length of a text as this agent counts it against its limits: most cut by UTF-16 units, some by bytes.
    fn length(&self, text: &str) -> usize {
        text.encode_utf16().count()
    }

    /// An environment variable, and the beginning of its value, which mean that no person is at the terminal. Then we ask
    /// nothing: a program reads the agent's last answer, and a question of ours could change it.
    fn unattended(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// The arguments of its own command line that mean the same: `-p`, `exec`.
    fn headless(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a run without a person is over at the stop event, because the agent never reports the end of a session.
    fn ends_at_stop(&self) -> bool {
        false
    }

    /// Whether it takes no text at a prompt, so that only at a stop it can be asked what it learned.
    fn is_asked_at_stop(&self) -> bool {
        false
    }

    /// Whether the model has lost what the session was shown after this event, or is not told what is said at it: then it
    /// is shown beside the next prompt.
    fn loses_context(&self, _event: &HookEvent) -> bool {
        false
    }

    /// Whether the model still has what the session was shown at this start: then it is not shown a second time.
    fn keeps_context(&self, _event: &HookEvent) -> bool {
        false
    }

    /// Whether the commands of its subagents name a session of which no hook is told.
    fn names_subagents_apart(&self) -> bool {
        false
    }

    /// Whether its hooks do not report what is typed into a command that is still running.
    fn hides_what_is_typed(&self) -> bool {
        false
    }

    /// Whether the agent escapes `<` in what it is told, so that we must write tags in another way.
    fn escapes_tags(&self) -> bool {
        false
    }

    /// The files of a project that it shows its model by itself.
    fn reads(&self) -> &'static [OwnFile] {
        &[]
    }

    /// What it leaves in the environment of its commands. An agent without marks would be taken for a person.
    fn marks(&self) -> Marks;

    /// Where and how its hooks are configured; `None` when that is not ours to write.
    fn wiring(&self) -> Option<Wiring>;

    /// Where it lists the servers of the Model Context Protocol that it starts; `None` when that is not ours to write.
    fn servers(&self) -> Option<ServerList> {
        None
    }

    /// The plugin, extension or skill that it loads.
    fn form(&self) -> Option<OwnForm> {
        None
    }

    /// Whether `install` can make it call us.
    fn can_be_installed(&self) -> bool {
        self.wiring().is_some() || self.form().is_some()
    }
}

/// A file of a project that an agent reads by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnFile {
    /// Its name, in the project's root.
    pub name: &'static str,
    /// When it is.
    pub when: ReadWhen,
}

/// When an agent reads a file by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadWhen {
    /// Wherever it is.
    Always,
    /// Not where this file stands beside it.
    Unless(&'static str),
    /// Only where this file beside it imports it (`@name`).
    ImportedBy(&'static str),
}

impl OwnFile {
    /// One that is read wherever it is.
    pub(crate) const fn always(name: &'static str) -> OwnFile {
        OwnFile { name, when: ReadWhen::Always }
    }
}

/// Declares the modules and the list of agents together.
macro_rules! agents {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*

        /// Every agent we speak to.
        pub static ALL: &[&dyn Agent] = &[$(&$name::AGENT),*];
    };
}

agents![claude_code, codex, gemini_cli, copilot, cursor, qwen_code, opencode, generic];

/// The agent of that name; `-` and `_` are the same.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Agent> {
    let name = name.replace('-', "_");
    ALL.iter().copied().find(|agent| agent.name() == name)
}
