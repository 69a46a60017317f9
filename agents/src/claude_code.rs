//! Claude Code. The neutral answer is an empty one: at some events plain text on stdout becomes context of the model.

use crate::event::{HookEvent, EventKind, Reply};
use crate::fields::{common_fields, is_true, specific};
use crate::form::{self, OwnForm};
use crate::marks::Marks;
use crate::tool::ToolCall;
use crate::server::{ListForm, ServerList};
use crate::wiring::{Deny, Allow, Hook, Instructions, HookNesting, Timeout, Wiring};
use crate::{Agent, OwnFile, ReadWhen, fields};
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct ClaudeCode;
pub(crate) static AGENT: ClaudeCode = ClaudeCode;

impl Agent for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude_code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn read(&self, payload: &Value) -> HookEvent {
        let event = common_fields(payload);
        HookEvent { kind: kind(&event.native, payload), ..event }
    }

    fn neutral(&self) -> &'static str {
        ""
    }

    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String> {
        match reply {
            Reply::Neutral => Some(self.neutral().to_owned()),
            reply => structured(event, reply),
        }
    }

    /// `claude -p` and the SDKs, as seen with 2.1.197.
    fn unattended(&self) -> Option<(&'static str, &'static str)> {
        Some(("CLAUDE_CODE_ENTRYPOINT", "sdk"))
    }

    fn headless(&self) -> &'static [&'static str] {
        &["-p", "--print"]
    }

    /// Some versions read `AGENTS.md` where there is no `CLAUDE.md`, and some do not (2.1.197). We show it too: twice is
    /// better than never.
    fn reads(&self) -> &'static [OwnFile] {
        const FILES: [OwnFile; 2] = [OwnFile::always("CLAUDE.md"), OwnFile { name: "AGENTS.md", when: ReadWhen::ImportedBy("CLAUDE.md") }];
        &FILES
    }

    fn marks(&self) -> Marks {
        Marks {
            session: Some("CLAUDE_CODE_SESSION_ID"),
            ..Marks::named(&["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"]).programs(&["claude", "claude-code", "claude-agent-sdk"])
        }
    }

    fn servers(&self) -> Option<ServerList> {
        Some(ServerList {
            user: ".claude.json",
            variable: Some(("CLAUDE_CONFIG_DIR", ".claude.json")),
            project: ".mcp.json",
            form: ListForm::TypedJson("mcpServers"),
        })
    }

    fn form(&self) -> Option<OwnForm> {
        Some(OwnForm {
            dir: ".claude/skills/last-word",
            variable: Some(("CLAUDE_CONFIG_DIR", "skills/last-word")),
            hooks: None,
            files: form::claude_code,
        })
    }

    fn wiring(&self) -> Option<Wiring> {
        const TOOLS: Option<&str> = Some("Bash|Edit|Monitor|MultiEdit|NotebookEdit|PowerShell|Read|Write|mcp__.*");
        // Those that may write a file which is not named in what they are given.
        const UNSEEN: Option<&str> = Some("Bash|Monitor|PowerShell|mcp__.*");
        Some(Wiring {
            user: ".claude/settings.json",
            variable: Some(("CLAUDE_CONFIG_DIR", "settings.json")),
            project: ".claude/settings.json",
            nesting: HookNesting::Grouped,
            hooks: &[
                Hook { event: "SessionStart", matcher: None, timeout_s: 10 },
                Hook { event: "UserPromptSubmit", matcher: None, timeout_s: 10 },
                Hook { event: "PreToolUse", matcher: TOOLS, timeout_s: 10 },
                Hook { event: "PostToolUse", matcher: UNSEEN, timeout_s: 10 },
                // No `Stop`: it says on the screen that one runs (2.1.330).
                Hook { event: "SessionEnd", matcher: None, timeout_s: 10 },
            ],
            shown_as: None,
            timeout: Timeout::Seconds("timeout"),
            top: &[],
            allow: Some(Allow { keys: &["permissions", "allow"], around: ("Bash(", ":*)") }),
            deny: Some(Deny {
                keys: &["permissions", "deny"],
                command: ("Bash(", ":*)"),
                file: Some(("Edit(", ")")),
            }),
            rules: None,
            instructions: Instructions { user: Some(".claude/CLAUDE.md"), is_announced: false, project: "CLAUDE.md" },
            trusted_in: None,
            afterwards: "",
        })
    }
}

/// The kind of an event, by the names that Claude Code introduced and other agents took over.
pub(crate) fn kind(native: &str, payload: &Value) -> EventKind {
    kind_with(native, payload, ToolCall::read)
}

/// The same for an agent whose calls are read in another way.
pub(crate) fn kind_with(native: &str, payload: &Value, read: fn(&str, &Value) -> ToolCall) -> EventKind {
    let call = || {
        let name = fields::text(payload, &["tool_name", "toolName"]).unwrap_or_default();
        let input = ["tool_input", "toolArgs", "toolInput"].iter().find_map(|name| payload.get(name));
        read(&name, input.unwrap_or(&Value::Null))
    };
    match native {
        "SessionStart" => EventKind::SessionStarted,
        "UserPromptSubmit" => EventKind::PromptSubmitted,
        "PreToolUse" => EventKind::ToolWanted(call()),
        "PostToolUse" => EventKind::ToolUsed(call()),
        "PreCompact" => EventKind::Compacting,
        "Stop" => EventKind::Stopping { again: is_true(payload, "stop_hook_active") },
        "SubagentStop" => EventKind::SubagentStopped,
        "SessionEnd" => EventKind::SessionEnded,
        _ => EventKind::Other,
    }
}

/// The replies that Claude Code and those that follow it take as JSON.
pub(crate) fn structured(event: &HookEvent, reply: &Reply) -> Option<String> {
    match (reply, &event.kind) {
        (
            Reply::Context(text),
            EventKind::SessionStarted | EventKind::PromptSubmitted | EventKind::ToolWanted(_) | EventKind::ToolUsed(_),
        ) => {
            specific(event, json!({ "additionalContext": text }))
        }
        (Reply::Deny(reason), EventKind::ToolWanted(_)) => {
            specific(event, json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }))
        }
        (Reply::Ask(reason), EventKind::Stopping { .. }) => {
            Some(json!({ "decision": "block", "reason": reason }).to_string())
        }
        _ => None,
    }
}
