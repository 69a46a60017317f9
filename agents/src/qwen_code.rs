//! Qwen Code: the shape of Claude Code, with context also at `PreCompact`. A timeout of 1000 or more is read as
//! milliseconds there, so ours stay below.

use crate::Agent;
use crate::claude_code::{kind, structured};
use crate::event::{HookEvent, Kind, Reply};
use crate::fields::{base, specific};
use crate::marks::Marks;
use crate::wiring::{Deny, Hook, Instructions, HookNesting, Timeout, Wiring};
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct QwenCode;
pub(crate) static AGENT: QwenCode = QwenCode;

impl Agent for QwenCode {
    fn name(&self) -> &'static str {
        "qwen_code"
    }

    fn title(&self) -> &'static str {
        "Qwen Code"
    }

    fn read(&self, payload: &Value) -> HookEvent {
        let event = base(payload);
        HookEvent { kind: kind(&event.native, payload), ..event }
    }

    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String> {
        match (reply, &event.kind) {
            (Reply::Neutral, _) => Some(self.neutral().to_owned()),
            (Reply::Ask(text), Kind::Compacting) => specific(event, json!({ "additionalContext": text })),
            (reply, _) => structured(event, reply),
        }
    }

    fn marks(&self) -> Marks {
        Marks { session: Some("QWEN_CODE_SESSION_ID"), ..Marks::named(&["QWEN_CODE"]).programs(&["qwen", "qwen-code"]) }
    }

    fn wiring(&self) -> Option<Wiring> {
        const TOOLS: Option<&str> = Some("write_file|edit|run_shell_command|read_file|mcp__.*");
        Some(Wiring {
            user: ".qwen/settings.json",
            variable: None,
            project: ".qwen/settings.json",
            nesting: HookNesting::Grouped,
            hooks: &[
                Hook { event: "SessionStart", matcher: None, timeout_s: 10 },
                Hook { event: "UserPromptSubmit", matcher: None, timeout_s: 10 },
                Hook { event: "PreToolUse", matcher: TOOLS, timeout_s: 10 },
                Hook { event: "PreCompact", matcher: None, timeout_s: 10 },
                Hook { event: "Stop", matcher: None, timeout_s: 10 },
                Hook { event: "SessionEnd", matcher: None, timeout_s: 10 },
            ],
            timeout: Timeout::Seconds("timeout"),
            top: &[],
            allow: None,
            deny: Some(Deny {
                keys: &["permissions", "deny"],
                command: ("Bash(", " *)"),
                file: Some(("Edit(", ")")),
            }),
            rules: None,
            instructions: Instructions { user: Some(".qwen/QWEN.md"), project: "QWEN.md" },
            afterwards: "a project's hooks run only in folders that Qwen Code trusts",
        })
    }
}
