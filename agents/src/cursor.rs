//! Cursor. Always answers JSON; a session is its conversation, its project the first workspace root. It takes no context
//! at a prompt or before a tool.

use crate::event::{HookEvent, EventKind, Reply};
use crate::fields::{common_fields, path, text};
use crate::marks::Marks;
use crate::tool::ToolCall;
use crate::server::{ListForm, ServerList};
use crate::wiring::{Hook, Instructions, HookNesting, Timeout, Wiring};
use crate::{Agent, OwnFile};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug)]
pub(crate) struct Cursor;
pub(crate) static AGENT: Cursor = Cursor;

impl Agent for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn read(&self, payload: &Value) -> HookEvent {
        let root = payload
            .get("workspace_roots")
            .and_then(|roots| roots.get(0)?.as_str())
            .map(PathBuf::from)
            .filter(|root| root.is_absolute());
        let event = common_fields(payload);
        let session = text(payload, &["conversation_id", "session_id"]);
        let cwd = path(payload, &["cwd"]).or_else(|| root.clone());
        HookEvent { kind: kind(&event.native, payload), session, cwd, project: root, ..event }
    }

    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String> {
        let fields = match (reply, &event.kind) {
            (Reply::Neutral, _) => return Some(self.neutral().to_owned()),
            (Reply::Context(text), EventKind::SessionStarted | EventKind::ToolUsed(_)) => json!({ "additional_context": text }),
            (Reply::Deny(reason), EventKind::ToolWanted(_)) => json!({
                "permission": "deny", "agent_message": reason,
                "user_message": "last-word: this document is written through the queue",
            }),
            (Reply::Ask(reason), EventKind::Stopping { .. }) => json!({ "followup_message": reason }),
            _ => return None,
        };
        Some(fields.to_string())
    }

    fn headless(&self) -> &'static [&'static str] {
        &["-p", "--print"]
    }

    fn is_asked_at_stop(&self) -> bool {
        true
    }

    fn reads(&self) -> &'static [OwnFile] {
        const FILES: [OwnFile; 1] = [OwnFile::always("AGENTS.md")];
        &FILES
    }

    fn marks(&self) -> Marks {
        // Cursor sets the trace id in a person's own terminal too.
        Marks {
            prefix: Some("CURSOR_"),
            of_people: &["_HOME", "_API_KEY", "_CONFIG_DIR", "TRACE_ID"],
            ..Marks::named(&["CURSOR_AGENT"]).programs(&["cursor-agent"])
        }
    }

    fn servers(&self) -> Option<ServerList> {
        Some(ServerList {
            user: ".cursor/mcp.json",
            variable: None,
            project: ".cursor/mcp.json",
            form: ListForm::Json("mcpServers"),
        })
    }

    fn wiring(&self) -> Option<Wiring> {
        Some(Wiring {
            user: ".cursor/hooks.json",
            variable: None,
            project: ".cursor/hooks.json",
            nesting: HookNesting::Flat,
            hooks: &[
                Hook { event: "sessionStart", matcher: None, timeout_s: 10 },
                Hook { event: "preToolUse", matcher: None, timeout_s: 10 },
                Hook { event: "postToolUse", matcher: None, timeout_s: 10 },
                Hook { event: "stop", matcher: None, timeout_s: 10 },
                Hook { event: "sessionEnd", matcher: None, timeout_s: 10 },
            ],
            shown_as: None,
            timeout: Timeout::Seconds("timeout"),
            top: &[("version", 1)],
            allow: None,
            deny: None,
            rules: None,
            instructions: Instructions { user: None, is_announced: false, project: "AGENTS.md" },
            trusted_in: None,
            afterwards: "a project's hooks run only in a workspace that Cursor trusts",
        })
    }
}

fn kind(native: &str, payload: &Value) -> EventKind {
    let call = || {
        let name = text(payload, &["tool_name"]).unwrap_or_default();
        ToolCall::read(&name, payload.get("tool_input").unwrap_or(&Value::Null))
    };
    match native {
        "sessionStart" => EventKind::SessionStarted,
        "beforeSubmitPrompt" => EventKind::PromptSubmitted,
        "preToolUse" => EventKind::ToolWanted(call()),
        // The fields of the call stand at the top level of the payload.
        "beforeShellExecution" => EventKind::ToolWanted(ToolCall::read("Shell", payload)),
        "postToolUse" => EventKind::ToolUsed(call()),
        "preCompact" => EventKind::Compacting,
        // A person who stopped the agent does not want it to go on.
        "stop" if text(payload, &["status"]).is_none_or(|status| status == "completed") => {
            let loops = payload.get("loop_count").and_then(Value::as_u64).unwrap_or(0);
            EventKind::Stopping { again: loops > 0 }
        }
        "subagentStop" => EventKind::SubagentStopped,
        "sessionEnd" => EventKind::SessionEnded,
        _ => EventKind::Other,
    }
}
