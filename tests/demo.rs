//! The front door: `demo` runs the main job on sample data and leaves it for inspection.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

mod support;

use std::fs;
use support::User;

#[test]
fn demo_merges_fails_one_and_leaves_everything() {
    let user = User::bare();
    let said = user.run(["demo"]).ok();
    let documents = user.root().join("demo-home/documents");
    let runbook = fs::read(documents.join("runbook.md")).unwrap();
    let before = include_bytes!("../fixtures/demo/documents/runbook.md");
    let at = before.windows(16).position(|w| w == b"\r\n\r\n## Contacts\r\n").unwrap();
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
