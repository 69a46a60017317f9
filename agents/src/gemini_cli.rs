//! Gemini CLI. It reads stderr where stdout is empty, so neutral is `{}`; any exit code of 2 or more blocks. What is said at a
//! start it puts before the prompt of `gemini -p`, so that a prompt that is a command (`/remember …`) is one no more, its `@` are
//! taken for files, and a resume leaves that prompt out; on a terminal it does not hear it at `/clear` or a resume. So nothing is
//! said there, and the context comes beside the first prompt. A compression loses it.

use crate::event::{HookEvent, EventKind, Reply};
use crate::fields::{common_fields, is_true, specific};
use crate::form::{self, OwnForm};
use crate::marks::Marks;
use crate::tool::ToolCall;
use crate::server::{ListForm, ServerList};
use crate::wiring::{Hook, HookNesting, Instructions, RulesFile, RulesList, RulesText, Timeout, Wiring};
use crate::{Agent, OwnFile, fields};
use serde_json::{Value, json};

#[derive(Debug)]
pub(crate) struct GeminiCli;
pub(crate) static AGENT: GeminiCli = GeminiCli;

impl Agent for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini_cli"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn read(&self, payload: &Value) -> HookEvent {
        let event = common_fields(payload);
        let call = || {
            let name = fields::text(payload, &["tool_name"]).unwrap_or_default();
            ToolCall::read(&name, payload.get("tool_input").unwrap_or(&Value::Null))
        };
        let kind = match event.native.as_str() {
            "SessionStart" => EventKind::SessionStarted,
            "BeforeAgent" => EventKind::PromptSubmitted,
            "BeforeTool" => EventKind::ToolWanted(call()),
            "AfterTool" => EventKind::ToolUsed(call()),
            "AfterAgent" => EventKind::Stopping { again: is_true(payload, "stop_hook_active") },
            "PreCompress" => EventKind::Compacting,
            "SessionEnd" => EventKind::SessionEnded,
            _ => EventKind::Other,
        };
        HookEvent { kind, ..event }
    }

    fn reply(&self, event: &HookEvent, reply: &Reply) -> Option<String> {
        match (reply, &event.kind) {
            (Reply::Neutral, _) => Some(self.neutral().to_owned()),
            (Reply::Context(text), EventKind::PromptSubmitted | EventKind::ToolUsed(_)) => {
                specific(event, json!({ "additionalContext": text }))
            }
            (Reply::Deny(reason), EventKind::ToolWanted(_)) | (Reply::Ask(reason), EventKind::Stopping { .. }) => {
                Some(json!({ "decision": "deny", "reason": reason }).to_string())
            }
            _ => None,
        }
    }

    fn headless(&self) -> &'static [&'static str] {
        &["-p", "--prompt"]
    }

    fn loses_context(&self, event: &HookEvent) -> bool {
        match event.kind {
            EventKind::SessionStarted => true,
            // Gemini reports an automatic compression at every turn, whether one happens or not: only a manual one counts.
            ref kind => *kind == EventKind::Compacting && event.reason.as_deref() == Some("manual"),
        }
    }

    fn escapes_tags(&self) -> bool {
        true
    }

    fn reads(&self) -> &'static [OwnFile] {
        const FILES: [OwnFile; 1] = [OwnFile::always("GEMINI.md")];
        &FILES
    }

    /// Hooks are told the id of the session; the commands that the agent runs are not.
    fn marks(&self) -> Marks {
        Marks::named(&["GEMINI_CLI", "GEMINI_SESSION_ID"]).programs(&["gemini", "gemini-cli"])
    }

    fn servers(&self) -> Option<ServerList> {
        Some(ServerList {
            user: ".gemini/settings.json",
            variable: Some(("GEMINI_CLI_HOME", ".gemini/settings.json")),
            project: ".gemini/settings.json",
            form: ListForm::Json("mcpServers"),
        })
    }

    fn form(&self) -> Option<OwnForm> {
        Some(OwnForm {
            dir: ".gemini/extensions/last-word",
            variable: Some(("GEMINI_CLI_HOME", ".gemini/extensions/last-word")),
            hooks: None,
            files: form::gemini_cli,
        })
    }

    fn wiring(&self) -> Option<Wiring> {
        const TOOLS: Option<&str> = Some("write_file|replace|run_shell_command|read_file|read_many_files|mcp_.*");
        const UNSEEN: Option<&str> = Some("run_shell_command|mcp_.*");
        Some(Wiring {
            user: ".gemini/settings.json",
            variable: Some(("GEMINI_CLI_HOME", ".gemini/settings.json")),
            project: ".gemini/settings.json",
            nesting: HookNesting::Grouped,
            hooks: &[
                Hook { event: "SessionStart", matcher: None, timeout_s: 10 },
                Hook { event: "BeforeAgent", matcher: None, timeout_s: 10 },
                Hook { event: "BeforeTool", matcher: TOOLS, timeout_s: 10 },
                Hook { event: "AfterTool", matcher: UNSEEN, timeout_s: 10 },
                Hook { event: "AfterAgent", matcher: None, timeout_s: 10 },
                // An automatic one is told at every turn, whether it happens or not.
                Hook { event: "PreCompress", matcher: Some("manual"), timeout_s: 10 },
                Hook { event: "SessionEnd", matcher: None, timeout_s: 10 },
            ],
            shown_as: Some("last-word"),
            timeout: Timeout::Millis("timeout"),
            top: &[],
            allow: None,
            deny: None,
            rules: Some(RulesFile {
                file: "policies/last-word.toml",
                in_project: true,
                // A project's own directory of policies is not read (0.61.0). What its trusted settings list is, in place of
                // the person's directory.
                listed: Some(RulesList {
                    keys: &["policyPaths"],
                    usual: "~/.gemini/policies",
                    file: ".gemini/policies/last-word.toml",
                }),
                text: rules,
            }),
            instructions: Instructions { user: Some(".gemini/GEMINI.md"), is_announced: true, project: "GEMINI.md" },
            trusted_in: None,
            afterwards: "hooks run only in folders that Gemini CLI trusts",
        })
    }
}

/// The policy files beside its settings are read at every start; the rule with the highest priority counts, of 0 to 999. An
/// "always allow" that a person clicked once is one of 950, for all commands of a program. A rule that allows
/// holds for a simple command alone: lists, redirects and substitutions are judged by their parts, or asked about.
fn rules(about: &RulesText<'_>) -> String {
    let rules = |begins: &[String], verbs: &[&str], decision: &str, priority: u32| -> String {
        let commands = begins.iter().flat_map(|begin| verbs.iter().map(move |verb| format!("{begin} {verb}")));
        let rule = |command: String| {
            let prefix = json!(command);
            format!("\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = {prefix}\ndecision = \"{decision}\"\npriority = {priority}\n")
        };
        commands.map(rule).collect()
    };
    let plain: Vec<String> = about.programs.iter().map(|&program| program.to_owned()).collect();
    let named = about.home.map(|home| {
        plain.iter().map(|program| format!("{program} --home {}", home.quoted)).collect::<Vec<_>>()
    });
    let allowed = rules(named.as_ref().unwrap_or(&plain), about.allowed, "allow", 800);
    let denied = rules(&plain, about.denied, "deny", 999)
        + &named.map(|named| rules(&named, about.denied, "deny", 999)).unwrap_or_default();
    format!("# Written by `last-word install gemini_cli`: what declares and reads needs no yes, with the others a person decides.\n{allowed}{denied}")
}
