//! Codex CLI. It rejects an answer that has a key it does not know, and then lets the action go ahead: a test validates
//! every answer here against its own schemas. A session that is resumed still has what it was shown.

use crate::{Agent, OwnFile, ReadWhen};
use crate::claude_code::{kind, structured};
use crate::event::{HookEvent, Reply};
use crate::fields::common_fields;
use crate::form::{self, OwnForm};
use crate::marks::Marks;
use crate::server::{ListForm, ServerList};
use crate::wiring::{Hook, Instructions, RulesFile, RulesText, HookNesting, Timeout, Wiring};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) struct Codex;
pub(crate) static AGENT: Codex = Codex;

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex CLI"
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

    fn headless(&self) -> &'static [&'static str] {
        &["exec", "e"]
    }

    fn keeps_context(&self, event: &HookEvent) -> bool {
        event.reason.as_deref() == Some("resume")
    }

    /// `write_stdin`, as seen with 0.169.0.
    fn hides_what_is_typed(&self) -> bool {
        true
    }

    fn reads(&self) -> &'static [OwnFile] {
        const FILES: [OwnFile; 1] = [OwnFile { name: "AGENTS.md", when: ReadWhen::Unless("AGENTS.override.md") }];
        &FILES
    }

    /// It counts a token for every four bytes.
    fn length(&self, text: &str) -> usize {
        text.len()
    }

    fn marks(&self) -> Marks {
        Marks {
            prefix: Some("CODEX_"),
            of_people: &["_HOME", "_API_KEY", "_CONFIG_DIR"],
            session: Some("CODEX_THREAD_ID"),
            ..Marks::named(&["CODEX_SANDBOX", "CODEX_CI"]).programs(&["codex", "codex-exec", "codex-tui"])
        }
    }

    fn servers(&self) -> Option<ServerList> {
        Some(ServerList {
            user: ".codex/config.toml",
            variable: Some(("CODEX_HOME", "config.toml")),
            project: ".codex/config.toml",
            form: ListForm::Toml,
        })
    }

    fn form(&self) -> Option<OwnForm> {
        Some(OwnForm {
            dir: ".codex/skills/last-word",
            variable: Some(("CODEX_HOME", "skills/last-word")),
            hooks: None,
            files: form::skill_alone,
        })
    }

    fn wiring(&self) -> Option<Wiring> {
        const TOOLS: Option<&str> = Some("Bash|apply_patch|Edit|Write|mcp__");
        Some(Wiring {
            user: ".codex/hooks.json",
            variable: Some(("CODEX_HOME", "hooks.json")),
            project: ".codex/hooks.json",
            nesting: HookNesting::Grouped,
            hooks: &[
                Hook { event: "SessionStart", matcher: None, timeout_s: 10 },
                Hook { event: "UserPromptSubmit", matcher: None, timeout_s: 10 },
                Hook { event: "PreToolUse", matcher: TOOLS, timeout_s: 10 },
                Hook { event: "Stop", matcher: None, timeout_s: 10 },
                // Codex cuts a longer timeout to three seconds, with a warning.
                Hook { event: "SessionEnd", matcher: None, timeout_s: 3 },
            ],
            shown_as: None,
            timeout: Timeout::Seconds("timeout"),
            top: &[],
            allow: None,
            deny: None,
            rules: Some(RulesFile { file: "rules/last-word.rules", in_project: true, listed: None, text: rules }),
            instructions: Instructions { user: Some(".codex/AGENTS.md"), is_announced: false, project: "AGENTS.md" },
            trusted_in: Some("config.toml"),
            afterwards: "in Codex, type /hooks and trust them: it runs no hook nobody looked at",
        })
    }
}

/// In the sandbox of Codex the home is read-only. The allowed commands may run outside of it. Those with which a person
/// decides are forbidden: where several rules match, Codex takes the strictest.
fn rules(about: &RulesText<'_>) -> String {
    let rule = |pattern: serde_json::Value, decision: &str, why: &str| {
        format!("prefix_rule(pattern = {pattern}, decision = \"{decision}\", justification = \"{why}\")\n")
    };
    let forbidden = |pattern| rule(pattern, "forbidden", "decides, which is for a person");
    // A command and its verb are two words of a line.
    let (phrases, words): (Vec<&str>, Vec<&str>) = about.denied.iter().partition(|phrase| phrase.contains(' '));
    let begun = |begin: &[&str], is_allowed: bool| {
        let with = |last: serde_json::Value| {
            let begin = begin.iter().map(|word| json!(word));
            serde_json::Value::Array(begin.chain([last]).collect())
        };
        // `item purge`; of `resolve` the forms that decide, as one list.
        let mut lasts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        phrases.iter().filter_map(|phrase| phrase.split_once(' ')).for_each(|(head, last)| lasts.entry(head).or_default().push(last));
        let phrase = |(head, lasts): (&&str, &Vec<&str>)| {
            let last = if let [last] = lasts.as_slice() { json!(last) } else { json!(lasts) };
            let begin = begin.iter().map(|word| json!(word)).chain([json!(head), last]);
            forbidden(serde_json::Value::Array(begin.collect()))
        };
        let allowed = is_allowed.then(|| rule(with(json!(about.allowed)), "allow", "declares and reads knowledge"));
        allowed.unwrap_or_default() + &forbidden(with(json!(words))) + &lasts.iter().map(phrase).collect::<String>()
    };
    let of_program = |program: &&str| {
        let named = about.home.map(|home| begun(&[program, "--home", home.path], true));
        begun(&[program], named.is_none()) + &named.unwrap_or_default()
    };
    format!("# Written by `last-word install codex`.\n{}", about.programs.iter().map(of_program).collect::<String>())
}
