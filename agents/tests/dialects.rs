//! Every recorded payload is understood, and every answer is one its agent accepts.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use agents::{ALL, Agent, EventKind, HookEvent, Reply, WantedHooks, find, unwire, wire};
use serde_json::{Value, json};

fn fixture(name: &str) -> String {
    let path = format!("{}/../fixtures/hooks/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The recorded payloads of an agent with the tag of whoever recorded them.
fn recorded(agent: &str) -> Vec<(String, Value)> {
    let lines: Vec<Value> =
        fixture(&format!("{agent}.jsonl")).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines
        .into_iter()
        .map(|line| (line["tag"].as_str().unwrap().to_owned(), line["payload"].clone()))
        .collect()
}

fn is(kind: &EventKind, tag: &str) -> bool {
    match tag {
        "start" => *kind == EventKind::SessionStarted,
        "prompt" => *kind == EventKind::PromptSubmitted,
        "pretool" => {
            matches!(kind, EventKind::ToolWanted(call) if !call.paths.is_empty() || call.command.is_some())
        }
        "precompact" => *kind == EventKind::Compacting,
        "stop" => matches!(kind, EventKind::Stopping { .. }),
        "end" => *kind == EventKind::SessionEnded,
        "interrupt" => *kind == EventKind::Other,
        other => panic!("a tag nobody knows: {other}"),
    }
}

#[test]
fn recorded_payloads() {
    let mut seen = 0;
    for name in ["claude_code", "codex", "gemini_cli", "copilot", "qwen_code"] {
        for (tag, payload) in recorded(name) {
            let event = find(name).unwrap().read(&payload);
            assert!(is(&event.kind, &tag), "{name} {tag}: {event:?}");
            assert_eq!(event.session.as_deref(), payload["session_id"].as_str(), "{name} {tag}");
            assert_eq!(
                event.cwd.as_deref(),
                payload["cwd"].as_str().map(std::path::Path::new),
                "{name} {tag}"
            );
            assert!(!event.subagent);
            // What no person typed has no text of its own.
            let typed = payload["prompt"].as_str() != Some("");
            assert_eq!(event.continued, name == "qwen_code" && tag == "prompt" && !typed, "{name} {tag}");
            if let EventKind::Stopping { again } = event.kind {
                assert_eq!(again, payload["stop_hook_active"].as_bool().unwrap());
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 15 + 12 + 10 + 9 + 11);
}

/// One event of each kind as an agent would say it.
fn events(agent: &dyn Agent) -> Vec<HookEvent> {
    let names: [&str; 8] = match agent.name() {
        "gemini_cli" => [
            "SessionStart",
            "BeforeAgent",
            "BeforeTool",
            "AfterTool",
            "PreCompress",
            "AfterAgent",
            "?",
            "SessionEnd",
        ],
        "cursor" => [
            "sessionStart",
            "beforeSubmitPrompt",
            "preToolUse",
            "postToolUse",
            "preCompact",
            "stop",
            "subagentStop",
            "sessionEnd",
        ],
        "generic" | "opencode" => [
            "pre-session",
            "pre-agent-turn",
            "pre-tool-call",
            "post-tool-call",
            "pre-context-compact",
            "pre-agent-turn-stop",
            "post-subagent",
            "post-session",
        ],
        _ => [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PreCompact",
            "Stop",
            "SubagentStop",
            "SessionEnd",
        ],
    };
    let payload = |name: &&str| {
        json!({
            "hook_event_name": name, "event_type": name, "session_id": "s", "cwd": "/p", "work_dir": "/p",
            "workspace_roots": ["/p"], "tool_name": "Bash", "tool_input": { "command": "ls" }, "unknown": [1, {}],
        })
    };
    names.iter().map(|name| agent.read(&payload(name))).collect()
}

#[test]
fn every_agent_knows_the_eight_kinds() {
    for agent in ALL {
        let events = events(*agent);
        let names: Vec<String> = events
            .iter()
            .map(|e| format!("{:?}", e.kind).split([' ', '(']).next().unwrap().to_owned())
            .collect();
        let expected = [
            "SessionStarted",
            "PromptSubmitted",
            "ToolWanted",
            "ToolUsed",
            "Compacting",
            "Stopping",
            "SubagentStopped",
            "SessionEnded",
        ];
        for (name, expected) in names.iter().zip(expected) {
            // Gemini has no subagents' end.
            assert!(name == expected || agent.name() == "gemini_cli", "{}: {names:?}", agent.name());
        }
        assert!(events.iter().all(|event| event.session.as_deref() == Some("s")), "{}", agent.name());
        assert!(events.iter().all(|event| event.cwd.is_some()), "{}", agent.name());
    }
}

fn replies() -> [Reply; 4] {
    let text = "a \"quoted\" text\nof two lines, ünd 中文".to_owned();
    [Reply::Neutral, Reply::Context(text.clone()), Reply::Deny(text.clone()), Reply::Ask(text)]
}

#[test]
fn codex_accepts_every_answer() {
    let codex = find("codex").unwrap();
    let schemas = [
        ("SessionStart", "session-start"),
        ("UserPromptSubmit", "user-prompt-submit"),
        ("PreToolUse", "pre-tool-use"),
        ("PostToolUse", "post-tool-use"),
        ("PreCompact", "pre-compact"),
        ("Stop", "stop"),
        ("SubagentStop", "subagent-stop"),
    ];
    let mut said = 0;
    for event in events(codex) {
        for reply in replies() {
            let Some(text) = codex.reply(&event, &reply).filter(|text| !text.is_empty()) else { continue };
            let name = schemas.iter().find(|(native, _)| *native == event.native).map(|(_, file)| file);
            let name = name.unwrap_or_else(|| panic!("{} takes no answer: {text}", event.native));
            let schema = fixture(&format!("codex-schemas/{name}.command.output.schema.json"));
            let schema: Value = serde_json::from_str(&schema).unwrap();
            let answer: Value = serde_json::from_str(&text).unwrap();
            let valid = jsonschema::draft7::new(&schema).unwrap().is_valid(&answer);
            assert!(valid, "{}: {text}", event.native);
            said += 1;
        }
    }
    assert_eq!(said, 6, "context at four events, a refusal, an asking");
}

#[test]
fn the_recorded_payloads_are_what_codex_says_they_are() {
    for (tag, payload) in recorded("codex") {
        let name = match tag.as_str() {
            "start" => "session-start",
            "prompt" => "user-prompt-submit",
            "pretool" => "pre-tool-use",
            "precompact" => "pre-compact",
            "stop" => "stop",
            "end" => "session-end",
            "interrupt" => "interrupt",
            other => panic!("{other}"),
        };
        let schema: Value =
            serde_json::from_str(&fixture(&format!("codex-schemas/{name}.command.input.schema.json")))
                .unwrap();
        assert!(jsonschema::draft7::new(&schema).unwrap().is_valid(&payload), "{payload}");
    }
}

#[test]
fn answers_to_the_letter() {
    let cases: Value = serde_json::from_str(&fixture("replies.json")).unwrap();
    for case in cases["replies"].as_array().unwrap() {
        let agent = find(case["agent"].as_str().unwrap()).unwrap();
        let kinds = ["start", "prompt", "tool", "used", "compact", "stop", "subagent", "end"];
        let kind = kinds.iter().position(|kind| case["event"] == *kind).unwrap();
        let reply = match case["reply"].as_str().unwrap() {
            "neutral" => Reply::Neutral,
            "context" => Reply::Context("C".into()),
            "deny" => Reply::Deny("D".into()),
            "ask" => Reply::Ask("A".into()),
            other => panic!("{other}"),
        };
        assert_eq!(agent.reply(&events(agent)[kind], &reply).as_deref(), case["stdout"].as_str(), "{case}");
    }
}

#[test]
fn the_two_dialects_of_copilot() {
    let copilot = find("copilot").unwrap();
    let kinds = [
        (json!({ "sessionId": "s", "timestamp": 1, "cwd": "/p", "source": "new" }), "SessionStart"),
        (json!({ "sessionId": "s", "cwd": "/p", "prompt": "hi" }), "UserPromptSubmit"),
        (
            json!({ "sessionId": "s", "cwd": "/p", "toolName": "create", "toolArgs": "{\"path\":\"a.md\"}" }),
            "PreToolUse",
        ),
        (json!({ "sessionId": "s", "stopReason": "end_turn" }), "Stop"),
        (json!({ "sessionId": "s", "reason": "complete" }), "SessionEnd"),
        (json!({ "sessionId": "s", "hookEventName": "Stop", "cwd": "/p" }), "Stop"),
        (json!({ "session_id": "s", "hook_event_name": "sessionEnd", "reason": "abort" }), "SessionEnd"),
    ];
    for (payload, native) in kinds {
        let event = copilot.read(&payload);
        assert_eq!((event.native.as_str(), event.session.as_deref()), (native, Some("s")), "{payload}");
        if let EventKind::ToolWanted(call) = event.kind {
            assert_eq!((call.paths, call.writes), (vec!["a.md".to_owned()], true));
        }
    }
}

#[test]
fn anything_is_read() {
    for agent in ALL {
        for payload in [
            json!(null),
            json!([]),
            json!("x"),
            json!({}),
            json!({ "session_id": 7, "cwd": [], "source": {} }),
        ] {
            let event = agent.read(&payload);
            assert_eq!(event.session, None);
            assert_eq!(agent.reply(&event, &Reply::Neutral).as_deref(), Some(agent.neutral()));
            assert_eq!(
                agent.reply(&event, &Reply::Deny("x".into())),
                None,
                "{}: nothing to refuse",
                agent.name()
            );
        }
    }
}

/// Gemini CLI writes the name of each hook that runs on the screen, for three seconds: without one the whole command line.
#[test]
fn a_hook_that_is_shown_has_a_short_name() {
    for agent in ALL {
        let Some(wiring) = agent.wiring() else { continue };
        let mark = format!("hook --agent {}", agent.name());
        let command = format!("/home/dev/.cargo/bin/last-word --home /home/dev/notes {mark}");
        let (allowed, denied, denied_files) = ([], [], []);
        let wanted = WantedHooks {
            wiring: &wiring,
            command: &command,
            mark: &mark,
            allowed: &allowed,
            denied: &denied,
            denied_files: &denied_files,
            project: false,
        };
        let wired = wire("{}\n", &wanted).unwrap();
        let named = wired.matches("\"name\": \"last-word\"").count();
        let expected = if agent.name() == "gemini_cli" { wiring.hooks.len() } else { 0 };
        assert_eq!(named, expected, "{}: {wired}", agent.name());
        assert_eq!(wire(&wired, &wanted).unwrap(), wired, "{}: it is there", agent.name());
        let before = wired.replace("\"name\": \"last-word\",", "");
        assert_eq!(wire(&before, &wanted).unwrap() == before, expected == 0, "{}", agent.name());
        assert_eq!(unwire(&wired, &wanted).unwrap(), unwire(&before, &wanted).unwrap(), "{}", agent.name());
    }
}

/// What a project lists stands in for the person's own directory of policies, which therefore has to be in the list with ours, and
/// stays in it as long as other files are.
#[test]
fn the_rules_of_a_project_take_nothing_from_the_usual_ones() {
    let wiring = find("gemini_cli").unwrap().wiring().unwrap();
    let wanted = WantedHooks {
        wiring: &wiring,
        command: "last-word hook --agent gemini_cli",
        mark: "hook --agent gemini_cli",
        allowed: &[],
        denied: &[],
        denied_files: &[],
        project: true,
    };
    let listed = |text: &str| serde_json::from_str::<Value>(text).unwrap()["policyPaths"].clone();
    let (usual, ours) = ("~/.gemini/policies", ".gemini/policies/last-word.toml");
    for (before, wired, after) in [
        ("{}", json!([usual, ours]), json!(null)),
        (r#"{"policyPaths":["a.toml"]}"#, json!(["a.toml", usual, ours]), json!(["a.toml", usual])),
        (
            r#"{"policyPaths":["~/.gemini/policies","a.toml"]}"#,
            json!([usual, "a.toml", ours]),
            json!([usual, "a.toml"]),
        ),
    ] {
        let text = wire(before, &wanted).unwrap();
        assert_eq!(listed(&text), wired, "{text}");
        assert_eq!(wire(&text, &wanted).unwrap(), text, "it is there");
        let left = unwire(&text, &wanted).unwrap().unwrap_or_else(|| "{}".to_owned());
        assert_eq!(listed(&left), after, "{left}");
    }
    let of_user = wire("{}", &WantedHooks { project: false, ..wanted }).unwrap();
    assert!(!of_user.contains("policyPaths"), "{of_user}");
}

/// An earlier version denied every form of a command of which now some are named; what a person denies stays.
#[test]
fn an_earlier_rule_for_all_of_a_command_is_taken_out() {
    let wiring = find("claude_code").unwrap().wiring().unwrap();
    let denied = ["last-word resolve --all", "last-word item purge"].map(str::to_owned);
    let wanted = WantedHooks {
        wiring: &wiring,
        command: "last-word hook --agent claude_code",
        mark: "hook --agent claude_code",
        allowed: &[],
        denied: &denied,
        denied_files: &[],
        project: false,
    };
    let before = r#"{"permissions":{"deny":["Bash(last-word resolve:*)","Bash(last-word item:*)","Bash(last-word:*)"]}}"#;
    let text = wire(before, &wanted).unwrap();
    let rules = serde_json::from_str::<Value>(&text).unwrap()["permissions"]["deny"].clone();
    let left = ["item:*", "", "resolve --all:*", "item purge:*"].map(|rule| match rule {
        "" => "Bash(last-word:*)".to_owned(),
        rule => format!("Bash(last-word {rule})"),
    });
    assert_eq!(rules, json!(left), "{text}");
    assert_eq!(wire(&text, &wanted).unwrap(), text, "it is there");
}

/// The tools of an agent with which the guard has something to do are those of which it is told.
#[test]
fn the_guard_is_asked_about_every_tool_that_it_knows() {
    let tools: &[(&str, &[&str])] = &[
        (
            "claude_code",
            &["Bash", "PowerShell", "Monitor", "Edit", "MultiEdit", "NotebookEdit", "Write", "Read"],
        ),
        ("codex", &["Bash", "apply_patch", "Edit", "Write"]),
        ("gemini_cli", &["run_shell_command", "write_file", "replace", "read_file", "read_many_files"]),
        ("qwen_code", &["run_shell_command", "monitor", "write_file", "edit", "read_file"]),
    ];
    for (agent, tools) in tools {
        let wiring = find(agent).unwrap().wiring().unwrap();
        let hook = wiring.hooks.iter().find(|hook| hook.event.contains("Tool")).unwrap();
        let matched: Vec<&str> = hook.matcher.unwrap().split('|').collect();
        for tool in *tools {
            assert!(matched.contains(tool), "{agent}: {tool}");
        }
        assert!(matched.iter().any(|name| name.starts_with("mcp_")), "{agent}");
        assert_eq!(matched.len(), tools.len() + 1, "{agent}: each stands in this list");
    }
    // These take lines for a shell, which the guard reads.
    for tool in ["PowerShell", "Monitor"] {
        let call = agents::ToolCall::read(tool, &json!({ "command": "echo x > AGENTS.md" }));
        assert!(call.command.is_some(), "{tool}");
    }
}

#[test]
fn timeouts_are_in_the_right_unit() {
    for agent in ALL {
        let Some(wiring) = agent.wiring() else { continue };
        for hook in wiring.hooks {
            let (_, number) = wiring.timeout.field(hook.timeout_s);
            match agent.name() {
                "gemini_cli" => assert!((1000..=60_000).contains(&number), "milliseconds: {number}"),
                _ => assert!((1..=60).contains(&number), "seconds: {number}"),
            }
        }
    }
}
