//! Agents that use the open format IndenScale/agenthooks: `event_type`, `work_dir`, a decision in JSON with exit 0. Hooks
//! there are directories with a `HOOK.md`, which are not ours to write.

use crate::event::{HookEvent, EventKind, Reply};
use crate::fields::{CALL, path, text};
use crate::marks::Marks;
use crate::tool::ToolCall;
use crate::wiring::Wiring;
use crate::Agent;
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct Generic;
pub(crate) static AGENT: Generic = Generic;

impl Agent for Generic {
    fn name(&self) -> &'static str {
        "generic"
    }

    fn title(&self) -> &'static str {
        "an agent that speaks agenthooks"
    }

    fn read(&self, payload: &Value) -> HookEvent {
        read_with(payload, ToolCall::read)
    }

    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String> {
        let fields = match (reply, &event.kind) {
            (Reply::Neutral, _) => return Some(self.neutral().to_owned()),
            (
                Reply::Context(text),
                EventKind::SessionStarted | EventKind::PromptSubmitted | EventKind::ToolWanted(_) | EventKind::ToolUsed(_),
            ) => {
                json!({ "decision": "allow", "additional_context": text })
            }
            (Reply::Deny(reason), EventKind::ToolWanted(_)) | (Reply::Ask(reason), EventKind::Stopping { .. }) => {
                json!({ "decision": "deny", "reason": reason })
            }
            _ => return None,
        };
        Some(fields.to_string())
    }

    fn marks(&self) -> Marks {
        // The last two are what several agents agreed to set; the first two are what we ask a hook's author to set.
        Marks::named(&["LAST_WORD_AGENT", "LAST_WORD_SESSION", "AGENT", "AI_AGENT"])
    }

    fn wiring(&self) -> Option<Wiring> {
        None
    }
}

/// Reads an event whose tool calls are read in a way of their own.
pub(crate) fn read_with(payload: &Value, read: fn(&str, &Value) -> ToolCall) -> HookEvent {
    let native = text(payload, &["event_type"]).unwrap_or_default();
    let call = || {
        let name = text(payload, &["tool_name"]).unwrap_or_default();
        read(&name, payload.get("tool_input").unwrap_or(&Value::Null))
    };
    let kind = match native.as_str() {
        "pre-session" => EventKind::SessionStarted,
        "pre-agent-turn" => EventKind::PromptSubmitted,
        "pre-tool-call" => EventKind::ToolWanted(call()),
        "post-tool-call" | "post-tool-call-failure" => EventKind::ToolUsed(call()),
        "pre-context-compact" => EventKind::Compacting,
        // The payload does not say whether the agent was sent back before; our own record of the session does.
        "pre-agent-turn-stop" => EventKind::Stopping { again: false },
        "post-subagent" => EventKind::SubagentStopped,
        "post-session" => EventKind::SessionEnded,
        _ => EventKind::Other,
    };
    HookEvent {
        kind,
        native,
        session: text(payload, &["session_id"]),
        cwd: path(payload, &["work_dir"]),
        reason: text(payload, &["exit_reason", "stop_reason"]),
        call: text(payload, &CALL),
        ..HookEvent::default()
    }
}
