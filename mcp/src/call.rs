//! One call of a tool: what it works with, whether the client still wants the answer, and the answer.

use crate::session::Session;
use engine::secrets::unrepeated;
use engine::{Caller, Failure, Home, without_hidden};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Handle;

/// What a tool works with. It runs on a thread of its own, so it may wait for a disk.
pub(crate) struct Call {
    pub(crate) home: Home,
    pub(crate) session: Arc<Session>,
    pub(crate) caller: Caller,
    pub(crate) runtime: Handle,
    /// Whether the client cancelled the call.
    pub(crate) cancelled: Box<dyn Fn() -> bool + Send>,
    /// Takes how far the call is, for a client that asked for progress.
    pub(crate) progress: Arc<Mutex<String>>,
    /// Its turn among the calls of its sort.
    pub(crate) turn: RefCell<Option<InTurn>>,
}

/// A call's turn; the next one has it when this is dropped.
pub(crate) enum InTurn {
    /// Of the calls that change something.
    Changing { _held: tokio::sync::OwnedMutexGuard<()> },
    /// Of those that only read.
    Reading { _held: tokio::sync::OwnedSemaphorePermit },
}

/// A tool's answer: as text, and as a value of its output schema.
#[derive(Debug)]
pub(crate) struct ToolAnswer {
    pub(crate) text: String,
    pub(crate) value: Value,
    /// Nothing of what was asked for was done.
    pub(crate) is_error: bool,
}

impl Call {
    /// Whether the client cancelled the call: then the rest is not done.
    pub(crate) fn is_cancelled(&self) -> bool {
        (self.cancelled)()
    }

    /// Ends its turn, though it goes on: what it says has its place in the order, and waits for the disk beside what the next
    /// ones say.
    pub(crate) fn let_next_begin(&self) {
        self.turn.take();
    }

    /// Waits a moment.
    pub(crate) fn pause(&self, time: Duration) {
        self.runtime.block_on(tokio::time::sleep(time));
    }

    /// Says how far it is.
    pub(crate) fn is_at(&self, words: String) {
        *self.progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = words;
    }

    /// A document's path as a person writes it.
    pub(crate) fn short(&self, path: &std::path::Path) -> String {
        self.home.short(path)
    }
}

/// The arguments of a call. An argument that is missing, unknown or of another type is named in the error.
pub(crate) fn arguments<T: DeserializeOwned>(given: JsonObject, example: &str) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(given)).map_err(|e| {
        let message = format!("the arguments cannot be used: {e}");
        Failure::new(message).hint(format!("for example {example}"))
    })
}

impl ToolAnswer {
    pub(crate) fn result(self) -> CallToolResult {
        // A document of somebody else's can hold what nobody sees in it and a model reads.
        let content = vec![ContentBlock::text(without_hidden(&self.text))];
        let mut result =
            if self.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = Some(shown(self.value));
        result
    }
}

/// The same in every text of a value.
fn shown(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_hidden(&text).into_owned()),
        Value::Array(values) => Value::Array(values.into_iter().map(shown).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (key, shown(value))).collect())
        }
        other => other,
    }
}

/// A failure as a tool's error: what failed and why, and what to do next.
pub(crate) fn failed(failure: &Failure, home: &Home) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(sentence(failure, home))])
}

/// What a failure says, with what can be done about it.
pub(crate) fn sentence(failure: &Failure, home: &Home) -> String {
    let hint = failure.hint.as_ref().map(|hint| format!("\nnext: {}", home.host().say(hint)));
    format!("{}{}", said(failure), hint.unwrap_or_default())
}

/// What a failure says, without what looks like a secret: it names what was wrong in the words of the call.
pub(crate) fn said(failure: &Failure) -> String {
    let lines: Vec<_> = failure.messages.iter().map(|message| unrepeated(message)).collect();
    lines.join("\n")
}
