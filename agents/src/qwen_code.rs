//! Qwen Code: the shape of Claude Code. A timeout of 1000 or more is read as milliseconds there, so ours stay below. `qwen -p`
//! tells no end of its session.

use crate::{Agent, OwnFile};
use crate::claude_code::{kind, structured};
use crate::event::{HookEvent, Reply};
use crate::fields::{common_fields, text};
use crate::form::{self, OwnForm};
use crate::marks::Marks;
use crate::server::{ListForm, ServerList};
use crate::wiring::{Allow, Deny, Hook, Instructions, HookNesting, Timeout, Wiring};
use serde_json::Value;

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
        let event = common_fields(payload);
        // Results of tools and answers of hooks come as prompts, too; only a person's has its own text beside it.
        let is_prompt = event.native == "UserPromptSubmit" && payload.get("prompt_id").is_some();
        let continued = is_prompt && text(payload, &["submitted_prompt"]).is_none();
        HookEvent { kind: kind(&event.native, payload), continued, ..event }
    }

    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String> {
        match reply {
            Reply::Neutral => Some(self.neutral().to_owned()),
            reply => structured(event, reply),
        }
    }

    fn headless(&self) -> &'static [&'static str] {
        &["-p", "--prompt"]
    }

    fn ends_at_stop(&self) -> bool {
        true
    }

    fn escapes_tags(&self) -> bool {
        true
    }

    fn reads(&self) -> &'static [OwnFile] {
        const FILES: [OwnFile; 2] = [OwnFile::always("QWEN.md"), OwnFile::always("AGENTS.md")];
        &FILES
    }

    fn marks(&self) -> Marks {
        Marks { session: Some("QWEN_CODE_SESSION_ID"), ..Marks::named(&["QWEN_CODE"]).programs(&["qwen", "qwen-code"]) }
    }

    fn servers(&self) -> Option<ServerList> {
        Some(ServerList {
            user: ".qwen/settings.json",
            variable: None,
            project: ".qwen/settings.json",
            form: ListForm::Json("mcpServers"),
        })
    }

    fn form(&self) -> Option<OwnForm> {
        Some(OwnForm {
            dir: ".qwen/extensions/last-word",
            variable: None,
            hooks: None,
            files: form::qwen_code,
        })
    }

    fn wiring(&self) -> Option<Wiring> {
        const TOOLS: Option<&str> = Some("write_file|edit|run_shell_command|monitor|read_file|mcp__.*");
        const UNSEEN: Option<&str> = Some("run_shell_command|monitor|mcp__.*");
        Some(Wiring {
            user: ".qwen/settings.json",
            variable: None,
            project: ".qwen/settings.json",
            nesting: HookNesting::Grouped,
            hooks: &[
                Hook { event: "SessionStart", matcher: None, timeout_s: 10 },
                Hook { event: "UserPromptSubmit", matcher: None, timeout_s: 10 },
                Hook { event: "PreToolUse", matcher: TOOLS, timeout_s: 10 },
                Hook { event: "PostToolUse", matcher: UNSEEN, timeout_s: 10 },
                Hook { event: "Stop", matcher: None, timeout_s: 10 },
                Hook { event: "SessionEnd", matcher: None, timeout_s: 10 },
            ],
            shown_as: None,
            timeout: Timeout::Seconds("timeout"),
            top: &[],
            allow: Some(Allow { keys: &["permissions", "allow"], around: ("Bash(", " *)") }),
            deny: Some(Deny {
                keys: &["permissions", "deny"],
                command: ("Bash(", " *)"),
                file: Some(("Edit(", ")")),
            }),
            rules: None,
            instructions: Instructions { user: Some(".qwen/QWEN.md"), is_announced: true, project: "QWEN.md" },
            trusted_in: None,
            afterwards: "a project's hooks run only in folders that Qwen Code trusts",
        })
    }
}
