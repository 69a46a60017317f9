//! What an agent's hook can tell us, and what we can answer: the same for every agent.

use crate::tool::ToolCall;
use std::path::PathBuf;

/// An event of an agent's session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookEvent {
    /// What happened or is about to.
    pub kind: EventKind,
    /// The event's name as the agent says it; some replies repeat it.
    pub native: String,
    /// The session.
    pub session: Option<String>,
    /// Its working directory.
    pub cwd: Option<PathBuf>,
    /// The project's root, where the agent says it.
    pub project: Option<PathBuf>,
    /// Why: a start's source, a compaction's trigger, an end's reason.
    pub reason: Option<String>,
    /// The agent's own time of it, as it writes it: two reports of one event have the same.
    pub stamp: Option<String>,
    /// The tool call it is about, as the agent names it: the events before and behind one call have the same.
    pub call: Option<String>,
    /// It is about a subagent, not about the session a person talks to.
    pub subagent: bool,
    /// What a person said, at a prompt.
    pub prompt: Option<String>,
    /// A prompt that no person typed: the agent goes on by itself.
    pub continued: bool,
}

/// The kinds of events we act on.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum EventKind {
    /// A session started, was resumed, cleared or compacted (`reason`).
    SessionStarted,
    /// A person said something.
    PromptSubmitted,
    /// A tool is about to run.
    ToolWanted(ToolCall),
    /// A tool ran.
    ToolUsed(ToolCall),
    /// The conversation is about to be summarised.
    Compacting,
    /// The agent is about to end its turn. `again`: it was already sent back once.
    Stopping {
        /// A stop hook already made it go on.
        again: bool,
    },
    /// A subagent is done.
    SubagentStopped,
    /// The session is over.
    SessionEnded,
    /// None of these.
    #[default]
    Other,
}

/// What we answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Nothing to say.
    Neutral,
    /// Text for the model.
    Context(String),
    /// The tool may run without anybody's yes.
    Allow,
    /// The tool must not run; why, for the model.
    Deny(String),
    /// Go on with this before you stop.
    Ask(String),
}
