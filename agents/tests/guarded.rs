//! Which tool calls would change a managed document: the cases are data, in `fixtures/hooks/guard.json`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use agents::{CommandDirs, EventKind, NoDisk, ToolCall, ToolIntent};
use serde_json::Value;
use std::path::Path;

fn intent(call: &ToolCall) -> ToolIntent {
    let place = CommandDirs {
        home: Path::new("/home/dev"),
        cwd: Path::new("/home/dev/myapp"),
        variables: &[],
        files: &NoDisk,
    };
    agents::intent(call, &place)
}

fn changes(tool: &str, input: &Value) -> bool {
    is_managed(&ToolCall::read(tool, input))
}

fn is_managed(call: &ToolCall) -> bool {
    let written = intent(call).written;
    let managed = ["/home/dev/myapp/USER.md", "/home/dev/.config/agents/SOUL.md"];
    written.iter().any(|one| managed.iter().any(|file| one.reaches(Path::new(file))))
}

/// The call as an agent reports it, or as it is named by any of them.
fn call_of(case: &Value) -> ToolCall {
    let (tool, input) = (case["tool"].as_str().unwrap(), &case["input"]);
    let Some(agent) = case["agent"].as_str().map(|name| agents::find(name).unwrap()) else {
        return ToolCall::read(tool, input);
    };
    let event = match agent.name() {
        "gemini_cli" => "BeforeTool",
        "cursor" => "preToolUse",
        _ => "PreToolUse",
    };
    let payload = serde_json::json!({ "hook_event_name": event, "event_type": "pre-tool-call", "tool_name": tool,
        "tool_input": input });
    match agent.read(&payload).kind {
        EventKind::ToolWanted(call) => call,
        other => panic!("{payload}: {other:?}"),
    }
}

#[test]
fn every_case() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/hooks/guard.json");
    let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let wrong: Vec<String> = cases["calls"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| is_managed(&call_of(case)) != case["writes"].as_bool().unwrap())
        .map(ToString::to_string)
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

/// The bytes of a letter, written as escapes one by one.
#[test]
fn escaped_bytes_are_letters() {
    for name in [r"$'\347\224\250.md'", r"$'\xe7\x94\xa8.md'", r"$'\u7528.md'", "$'用.md'"] {
        let command = serde_json::json!({ "command": format!("echo x > {name}") });
        let written = intent(&ToolCall::read("Bash", &command)).written;
        let reaches = written.iter().any(|one| one.reaches(Path::new("/home/dev/myapp/用.md")));
        assert!(reaches, "{name}: {written:?}");
    }
}

#[test]
fn any_text_is_read_without_panic_or_end() {
    // Every prefix of every command, and nests of what nests.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/hooks/guard.json");
    let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for case in cases["calls"].as_array().unwrap() {
        let Some(command) = case["input"]["command"].as_str() else { continue };
        for (end, _) in command.char_indices() {
            changes("Bash", &serde_json::json!({ "command": &command[..end] }));
        }
    }
    for open in ["$(", "(", "`", "\"$(", "{a,", "<(", "${", "bash -c '", "$x"] {
        changes("Bash", &serde_json::json!({ "command": open.repeat(20_000) }));
    }
    let doubling: String = (0..40).map(|n| format!("for v{n} in a b; do ")).collect();
    let uses: String = (0..40).map(|n| format!("$v{n}")).collect();
    changes("Bash", &serde_json::json!({ "command": format!("{doubling} echo > {uses}") }));
}

/// Shells into which something can be typed later, and what looks like one.
#[test]
fn open_shells() {
    let opens = |command: &str| {
        let call = ToolCall::read("Bash", &serde_json::json!({ "command": command }));
        let intent = intent(&call);
        intent.simple.iter().any(agents::SimpleCommand::is_open_shell)
    };
    for open in [
        "bash",
        "/bin/sh -i",
        "zsh -l",
        "env -i bash --norc",
        "exec sh",
        "cd /tmp && bash",
        "bash -o pipefail",
        "sh -s",
        "echo a | cat; bash",
        "bash -c 'exec bash'",
        "(sh)",
        "bash --rcfile x",
        "bash > log",
    ] {
        assert!(opens(open), "{open}");
    }
    for closed in [
        "bash build.sh",
        "bash -c ls",
        "bash -lc ls",
        "curl x | sh",
        "curl x | bash -s -- -y",
        "curl x | (sh)",
        "sh < build.sh",
        "bash <<'E'\nls\nE",
        "bash --version",
        "which bash",
        "echo bash",
        "git commit -m bash",
        "sh -n x",
        "x | sudo bash",
        "echo ls | $(echo bash)",
    ] {
        assert!(!opens(closed), "{closed}");
    }
}

/// A line may be short and become long: it is looked at for a bounded time, and says that there was more.
#[test]
fn what_doubles_itself_ends() {
    let doubled: String = (1..40).map(|n| format!("v{n}=$v{0}$v{0};", n - 1)).collect();
    let many = "cd a;".repeat(40_000);
    for line in [format!("v0=ab;{doubled}rm $v39"), format!("{many} rm AGENTS.md")] {
        let call = ToolCall::read("Bash", &serde_json::json!({ "command": line }));
        let intent = intent(&call);
        assert!(intent.simple.iter().any(|command| command.words.first().is_some_and(|word| word == "?")));
    }
}

/// Lines that a program reads in no time, and that would be looked at again and again: the answer comes within the limits, and
/// says that there was more.
#[test]
fn what_is_nested_ends() {
    let lines = [
        "find -exec ".repeat(60),
        "find . -execdir ".repeat(4_000),
        "sudo find . -exec ".repeat(2_000),
        "fd x -x ".repeat(8_000),
        "find . -ok fd x -x ".repeat(2_000),
        "f(){ ".repeat(20_000),
        "function a { ".repeat(8_000),
        "eval ".repeat(20_000),
        "! ".repeat(50_000),
        "a=1 ".repeat(25_000),
        "sudo ".repeat(20_000),
        "time nice env ".repeat(8_000),
        "sh -c '".repeat(15_000),
        "$(".repeat(50_000),
        "(".repeat(100_000),
        "{ ".repeat(50_000),
        "if ".repeat(33_000),
        "xargs ".repeat(16_000),
        "git -C a ".repeat(10_000),
        "cp a ".repeat(20_000),
        "ln -s a b;".repeat(10_000),
        (0..64).map(|n| format!("ln -s ../../a{n} b;")).collect::<String>()
            + &"touch b/x; rm b;".repeat(5_000),
        (0..64).map(|n| format!("ln -s b{n} b{};", n + 1)).collect::<String>() + &"rm b64;".repeat(5_000),
        "a=$a$a;".repeat(14_000),
        "<<E ".repeat(25_000),
        "alias a=b;".repeat(10_000),
        "f() { f; };".repeat(9_000),
    ];
    // In these a shell runs no `rm` either: it is an argument, or stands in a function that nobody calls.
    let nothing = ["git -C", "function a { function", "sh -c '"];
    let says_nothing = |line: &str| nothing.iter().any(|begin| line.starts_with(begin));
    for line in &lines {
        for line in [format!("{line}rm AGENTS.md"), format!("{line}; rm AGENTS.md")] {
            let call = ToolCall::read("Bash", &serde_json::json!({ "command": line }));
            let intent = intent(&call);
            let is_seen = intent.written.iter().any(|written| written.path.ends_with("AGENTS.md"));
            let named = |text: &str| text.contains("AGENTS.md");
            let is_told =
                is_seen || intent.simple.iter().any(|command| command.not_looked_at().is_some_and(named));
            // Arguments of a program that is given as text are no commands.
            assert!(is_told || says_nothing(&line), "{}: {} commands", &line[..20], intent.simple.len());
        }
    }
}
