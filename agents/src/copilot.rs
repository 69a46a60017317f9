//! GitHub Copilot CLI, and VS Code's own agent, which reads the same files. The case of an event's name chooses the
//! dialect: we install the capitalised ones, and read both. An answer says it in the way of each.

use crate::claude_code::kind_with;
use crate::event::{HookEvent, EventKind, Reply};
use crate::fields::{common_fields, merge, text};
use crate::form::{self, OwnForm};
use crate::marks::Marks;
use crate::server::{ListForm, ServerList};
use crate::tool::ToolCall;
use crate::wiring::{Hook, Instructions, HookNesting, Timeout, Wiring};
use crate::{Agent, OwnFile};
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct Copilot;
pub(crate) static AGENT: Copilot = Copilot;

impl Agent for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn title(&self) -> &'static str {
        "GitHub Copilot CLI and VS Code"
    }

    fn read(&self, payload: &Value) -> HookEvent {
        let mut event = common_fields(payload);
        event.native = match event.native.as_str() {
            "" => unnamed(payload).to_owned(),
            name => capitalised(name).to_owned(),
        };
        event.reason = event.reason.or_else(|| text(payload, &["stopReason"]));
        // A subagent has a session of its own, and this event is the only one that tells of its end.
        if event.native == "Stop" && event.subagent {
            return HookEvent { kind: EventKind::SessionEnded, subagent: false, ..event };
        }
        // A server's tool is `server-tool`; in VS Code `mcp_server_tool`.
        let read = |name: &str, input: &Value| ToolCall::read_joined(name, input, '-');
        HookEvent { kind: kind_with(&event.native, payload, read), ..event }
    }

    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String> {
        let fields = match (reply, &event.kind) {
            (Reply::Neutral, _) => return Some(self.neutral().to_owned()),
            (
                Reply::Context(text),
                EventKind::SessionStarted | EventKind::PromptSubmitted | EventKind::ToolUsed(_),
            ) => {
                json!({ "additionalContext": text })
            }
            (Reply::Allow, EventKind::ToolWanted(_)) => json!({ "permissionDecision": "allow" }),
            (Reply::Deny(reason), EventKind::ToolWanted(_)) => {
                json!({ "permissionDecision": "deny", "permissionDecisionReason": reason })
            }
            (Reply::Ask(reason), EventKind::Stopping { .. }) => json!({ "decision": "block", "reason": reason }),
            _ => return None,
        };
        let mut specific = json!({ "hookEventName": event.native });
        merge(&mut specific, fields.clone());
        let mut reply = fields;
        merge(&mut reply, json!({ "hookSpecificOutput": specific }));
        Some(reply.to_string())
    }

    fn headless(&self) -> &'static [&'static str] {
        &["-p", "--prompt"]
    }

    fn loses_context(&self, event: &HookEvent) -> bool {
        event.kind == EventKind::Compacting
    }

    /// The variable in a subagent's shell has another id than its hooks are told, as seen with 1.0.102.
    fn names_subagents_apart(&self) -> bool {
        true
    }

    fn reads(&self) -> &'static [OwnFile] {
        const FILES: [OwnFile; 4] = [
            OwnFile::always("AGENTS.md"),
            OwnFile::always("CLAUDE.md"),
            OwnFile::always("GEMINI.md"),
            OwnFile::always(".github/copilot-instructions.md"),
        ];
        &FILES
    }

    /// Its limit is 10 KB.
    fn length(&self, text: &str) -> usize {
        text.len()
    }

    fn marks(&self) -> Marks {
        Marks {
            session: Some("COPILOT_AGENT_SESSION_ID"),
            ..Marks::named(&["COPILOT_CLI", "COPILOT_AGENT"]).programs(&["copilot", "github-copilot-cli"])
        }
    }

    fn servers(&self) -> Option<ServerList> {
        Some(ServerList {
            user: ".copilot/mcp-config.json",
            variable: Some(("COPILOT_HOME", "mcp-config.json")),
            project: ".mcp.json",
            form: ListForm::TypedJson("mcpServers"),
        })
    }

    fn form(&self) -> Option<OwnForm> {
        Some(OwnForm {
            dir: ".copilot/skills/last-word",
            variable: Some(("COPILOT_HOME", "skills/last-word")),
            hooks: None,
            files: form::skill_alone,
        })
    }

    fn wiring(&self) -> Option<Wiring> {
        Some(Wiring {
            user: ".copilot/hooks/last-word.json",
            variable: Some(("COPILOT_HOME", "hooks/last-word.json")),
            project: ".github/hooks/last-word.json",
            nesting: HookNesting::Flat,
            hooks: &[
                Hook { event: "SessionStart", matcher: None, timeout_s: 10 },
                Hook { event: "UserPromptSubmit", matcher: None, timeout_s: 10 },
                Hook { event: "PreToolUse", matcher: None, timeout_s: 10 },
                Hook { event: "PostToolUse", matcher: None, timeout_s: 10 },
                Hook { event: "PreCompact", matcher: None, timeout_s: 10 },
                Hook { event: "Stop", matcher: None, timeout_s: 10 },
                Hook { event: "SessionEnd", matcher: None, timeout_s: 10 },
            ],
            shown_as: None,
            timeout: Timeout::Seconds("timeout"),
            top: &[("version", 1)],
            allow: None,
            deny: None,
            rules: None,
            instructions: Instructions { user: Some(".copilot/copilot-instructions.md"), is_announced: false, project: "AGENTS.md" },
            trusted_in: None,
            afterwards: "a project's hooks run only once Copilot trusts its folder",
        })
    }
}

fn capitalised(name: &str) -> &str {
    match name {
        "sessionStart" => "SessionStart",
        "sessionEnd" => "SessionEnd",
        "userPromptSubmitted" | "userPromptSubmit" => "UserPromptSubmit",
        "preToolUse" => "PreToolUse",
        "postToolUse" => "PostToolUse",
        "preCompact" => "PreCompact",
        "agentStop" | "stop" => "Stop",
        "subagentStop" => "SubagentStop",
        other => other,
    }
}

/// The camel-case dialect does not always name its event: its fields do.
fn unnamed(payload: &Value) -> &'static str {
    let has = |name: &str| payload.get(name).is_some();
    if has("toolResult") {
        "PostToolUse"
    } else if has("toolName") {
        "PreToolUse"
    } else if has("trigger") {
        "PreCompact"
    } else if has("agentName") || has("agentId") {
        "SubagentStop"
    } else if has("stopReason") || has("stop_hook_active") {
        "Stop"
    } else if has("source") {
        "SessionStart"
    } else if has("reason") {
        "SessionEnd"
    } else if has("prompt") {
        "UserPromptSubmit"
    } else {
        ""
    }
}
