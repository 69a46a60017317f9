//! The front door: `demo` runs the main job on sample data and leaves it for inspection.

use crate::support::User;
use std::fs;

#[test]
fn demo_merges_fails_one_and_leaves_everything() {
    let user = User::bare();
    let said = user.run(["demo"]).ok();
    let documents = user.root().join("demo-home/documents");
    let runbook = fs::read(documents.join("runbook.md")).unwrap();
    let before = include_bytes!("../fixtures/demo/documents/runbook.md");
    let next = b"\r\n\r\n## Contacts\r\n";
    let at = before.windows(next.len()).position(|window| window == next).unwrap();
    let expected = [&before[..at], b"\r\n3. `Get-Service carriers` says *Running*", &before[at..]].concat();
    assert_eq!(String::from_utf8_lossy(&runbook), String::from_utf8_lossy(&expected));
    let log = fs::read_to_string(documents.join("LOG.md")).unwrap();
    assert_eq!(log.lines().filter(|line| line.starts_with("- hook ")).count(), 8);
    for wanted in ["level_mismatch", "+- AI agents", "last-word resolve", "会议记录"] {
        assert!(said.contains(wanted), "{wanted} is not in:\n{said}");
    }
    let again = user.run(["demo"]).ok();
    assert!(again.contains("demo-home-2"), "an earlier demo is left alone:\n{again}");
}

#[test]
fn a_broken_home_is_broken_as_it_says() {
    let user = User::bare();
    user.run(["demo", "--broken"]).ok();
    let home = user.root().join("demo-home/home");
    let mut command = user.command(["status", "--json"]);
    command.env("LAST_WORD_HOME", home).env("HOME", user.root().join("demo-home"));
    let status: serde_json::Value =
        serde_json::from_str(&crate::support::Said::of(command.output().unwrap()).ok()).unwrap();
    let groups = status["failures"].as_array().unwrap().iter();
    let mut codes: Vec<_> =
        groups.map(|group| (group["code"].as_str().unwrap(), group["count"].as_u64().unwrap())).collect();
    codes.sort_unstable();
    let wanted = [
        ("ambiguous", 120),
        ("conflict", 40),
        ("over_budget", 60),
        ("section_missing", 60),
        ("yaml_syntax", 20),
    ];
    assert_eq!(codes, wanted);
    assert_eq!(status["states"][4]["count"], 1, "one proposal");
    let stuck = status["documents"].as_array().unwrap();
    assert_eq!(stuck.len(), 2);
    assert_eq!(stuck.iter().filter(|document| document["held"] == true).count(), 1);
    assert_eq!(stuck.iter().filter(|document| !document["due"].is_null()).count(), 1);
}
