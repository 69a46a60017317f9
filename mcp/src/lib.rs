//! The Model Context Protocol in front of a home: five tools and two prompts over standard input and output, for agents
//! that have no shell. Engine, policy and provenance are the same as for hooks; no tool approves or purges anything.

/// The example of README.md, so that it is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod call;
mod frames;
mod prompts;
mod schema;
mod server;
mod session;
mod tools;

use engine::{Failure, Home};
use frames::Frames;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use serde_json::{Value, json};
use server::Server;
use std::path::PathBuf;
use std::time::Duration;

/// Threads that may wait for a disk, beside the one that speaks the protocol: two of them read standard input and write
/// standard output, and each call that waits to be made durable with the others has one. They are started when they are needed.
const THREADS: usize = 64;
/// How long calls that are under way may go on after the client has gone. What they made durable stays.
const LAST_CALLS: Duration = Duration::from_secs(2);

/// What a model is told about the server as a whole.
const INSTRUCTIONS: &str = "Memory in the person's own Markdown documents. Recall before you answer about the person, the \
    project or earlier work; remember what will still be true and useful later, without secrets. `durable` means kept \
    safely, not yet in the document: ask outcome before you say that it is. `waits` means a person decides; tell them \
    the command in `next`, which you cannot run for them.";

/// Which tools there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolSet {
    /// The five tools.
    #[default]
    Five,
    /// The five tools, and those by which an S4 agent knows its memory.
    S4,
}

/// Serves one client on standard input and output, until it goes.
///
/// # Errors
/// The client does not speak the protocol, or a thread cannot be started.
pub fn serve(home: Home, cwd: PathBuf, tools: ToolSet) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(|e| Failure::new(format!("cannot start to serve: {e}")))?;
    let served = runtime.block_on(async {
        let (reader, writer) = rmcp::transport::stdio_pipes();
        let running = Server::new(home, cwd, tools).serve((Frames::of(reader), writer)).await;
        let running = running.map_err(|e| match e {
            // The client went before it said or read anything.
            ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. } => None,
            other => Some(other.to_string()),
        })?;
        running.waiting().await.map(drop).map_err(|e| Some(e.to_string()))
    });
    // The thread that reads standard input may block for ever: it is not waited for.
    runtime.shutdown_timeout(LAST_CALLS);
    match served {
        Ok(()) | Err(None) => Ok(()),
        Err(Some(why)) => Err(Failure::new(format!("the client does not speak the protocol: {why}"))
            .hint("an agent starts this command; see docs/AGENTS.md for how")),
    }
}

/// Everything that a client is told before its first call: instructions, tools, prompts. A test counts what that costs a
/// model.
#[must_use]
pub fn listing(tools: ToolSet) -> Value {
    json!({
        "instructions": INSTRUCTIONS,
        "tools": tools::all(tools).iter().map(tools::Tool::listed).collect::<Vec<_>>(),
        "prompts": prompts::all(),
    })
}
