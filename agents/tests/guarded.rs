//! Which tool calls would change a managed document: the cases are data, in `fixtures/hooks/guard.json`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use agents::{ToolCall, intent};
use serde_json::Value;
use std::path::Path;

fn changes(tool: &str, input: &Value) -> bool {
    let written =
        intent(&ToolCall::read(tool, input), Path::new("/home/dev"), Path::new("/home/dev/myapp"), &[])
            .written;
    let managed = ["/home/dev/myapp/USER.md", "/home/dev/.config/agents/SOUL.md"];
    written.iter().any(|one| managed.iter().any(|file| one.reaches(Path::new(file))))
}

#[test]
fn every_case() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/hooks/guard.json");
    let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let wrong: Vec<String> = cases["calls"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| {
            changes(case["tool"].as_str().unwrap(), &case["input"]) != case["writes"].as_bool().unwrap()
        })
        .map(ToString::to_string)
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
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
