//! Reads fields of JSON that other programs write. A field that is missing, null or of another type counts as not given.

use crate::event::HookEvent;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The first of these fields that is a text and not empty.
pub(crate) fn text(value: &Value, names: &[&str]) -> Option<String> {
    let found = names.iter().find_map(|name| value.get(name)?.as_str().filter(|text| !text.is_empty()));
    found.map(str::to_owned)
}

/// The first of these fields that is true.
pub(crate) fn is_true(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// In which field an agent names a tool call.
pub(crate) const CALL: [&str; 4] = ["tool_use_id", "toolUseId", "tool_call_id", "call_id"];

/// The fields that most agents send with every event, under the names that Claude Code gave them.
pub(crate) fn common_fields(payload: &Value) -> HookEvent {
    HookEvent {
        native: text(payload, &["hook_event_name", "hookEventName"]).unwrap_or_default(),
        session: text(payload, &["session_id", "sessionId"]),
        cwd: path(payload, &["cwd"]),
        reason: text(payload, &["source", "trigger", "reason"]),
        stamp: text(payload, &["timestamp"]),
        call: text(payload, &CALL),
        prompt: text(payload, &["submitted_prompt", "prompt", "user_prompt"]),
        subagent: text(payload, &["agent_id", "agentId"]).is_some(),
        ..HookEvent::default()
    }
}

/// An absolute path.
pub(crate) fn path(payload: &Value, names: &[&str]) -> Option<PathBuf> {
    text(payload, names).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// `{"hookSpecificOutput": {"hookEventName": …, name: text}}`.
pub(crate) fn specific(event: &HookEvent, fields: Value) -> Option<String> {
    let mut output = json!({ "hookEventName": event.native });
    merge(&mut output, fields);
    Some(json!({ "hookSpecificOutput": output }).to_string())
}

/// Adds the fields of one object to another.
pub(crate) fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
