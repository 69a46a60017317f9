//! The agents' dialects: one file per agent says how its hook JSON becomes a `HookEvent`, and how our `Reply` becomes the
//! JSON it accepts. Pure: values in, values out. An agent more is one file and one line here.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod configure;
mod event;
mod fields;
mod instructions;
mod marks;
mod patch;
mod process;
mod risk;
mod shell;
mod tool;
mod wiring;

pub use configure::{Wanted, unwire, wire};
pub use event::{HookEvent, Kind, Reply};
pub use instructions::{with_block, without_block};
pub use marks::{Marks, known, mark, session};
pub use process::Process;
pub use risk::risk;
pub use shell::{DECIDING, How, OurCall, SimpleCommand, Written, absolute, our_calls};
pub use tool::{Intent, ToolCall, intent};
pub use wiring::{Allow, Deny, Hook, HookNesting, Instructions, Rules, Timeout, Wiring};

use serde_json::Value;

/// What an agent's hooks say and hear.
pub trait Agent: Sync + std::fmt::Debug {
    /// Its name on our command line: `claude_code`.
    fn name(&self) -> &'static str;

    /// Its name for people.
    fn title(&self) -> &'static str;

    /// Reads an event. Unknown and missing fields are tolerated; what is no event we know is `Kind::Other`.
    fn read(&self, payload: &Value) -> HookEvent;

    /// The exact bytes for stdout. `None` when this agent cannot be told that at this event: then it is told nothing.
    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String>;

    /// What says "nothing to say, go on", at every event.
    fn neutral(&self) -> &'static str {
        "{}"
    }

    /// The length of a text as this agent counts it against its limits: most cut by UTF-16 units, some by bytes.
    fn length(&self, text: &str) -> usize {
        text.encode_utf16().count()
    }

    /// A variable, and how its value begins, that say that nobody sits there: whoever runs the agent reads its last
    /// answer, and an asking would put another one in its place.
    fn unattended(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// What it leaves in the environment of its commands: an agent without marks would pass for a person.
    fn marks(&self) -> Marks;

    /// Where and how its hooks are configured; `None` when that is not ours to write.
    fn wiring(&self) -> Option<Wiring>;
}

/// Declares the modules and the list of agents together.
macro_rules! agents {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*

        /// Every agent we speak to.
        pub static ALL: &[&dyn Agent] = &[$(&$name::AGENT),*];
    };
}

agents![claude_code, codex, gemini_cli, copilot, cursor, qwen_code, generic];

/// The agent of that name; `-` and `_` are the same.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Agent> {
    let name = name.replace('-', "_");
    ALL.iter().copied().find(|agent| agent.name() == name)
}
