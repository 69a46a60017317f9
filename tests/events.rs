//! docs/EVENTS.md names every event there is and no other, and `-v` says what it promises.

use crate::support::User;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(dir: &Path, text: &mut String) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

/// What stands in quotes right behind a text.
fn quoted_after(text: &str, before: &str) -> BTreeSet<String> {
    let found = text.split(before).skip(1).filter_map(|rest| rest.split_once('"'));
    found.map(|(word, _)| word.to_owned()).collect()
}

#[test]
fn every_event_is_documented_and_every_documented_one_exists() {
    let journal = fs::read_to_string(root().join("queue-layout/src/verbs/journal.rs")).unwrap();
    let words = journal.split("pub fn as_str").nth(1).unwrap().split("\n    }\n").next().unwrap();
    let mut said = quoted_after(words, "=> \"");
    assert!(said.len() > 25, "this test does not see the events: {said:?}");
    let mut cli = String::new();
    sources(&root().join("cli"), &mut cli);
    for call in ["logs::said(\"", "logs::noted(\""] {
        let found = quoted_after(&cli, call);
        assert!(!found.is_empty(), "this test does not see {call}");
        said.extend(found);
    }
    let page = fs::read_to_string(root().join("docs/EVENTS.md")).unwrap();
    let table = page.split("| event | shown at | when |").nth(1).unwrap();
    assert_eq!(quoted_after(&table.replace('`', "\""), "\n| \""), said);
}

fn said(user: &User, asked: &[&str], rust_log: &str) -> String {
    let mut command = user.command(["work"]);
    let done = command.args(asked).env("RUST_LOG", rust_log).output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert!(done.stdout.is_empty());
    String::from_utf8(done.stderr).unwrap()
}

#[test]
fn nothing_is_said_until_somebody_asks() {
    let user = User::new();
    user.with_notes();
    let note = |said: &str| user.note("Log", "append", said);
    note("- one");
    assert_eq!(said(&user, &[], ""), "");
    note("- two");
    assert_eq!(
        said(&user, &["-v"], ""),
        format!("last-word: run_ended 1 applied by=\"w1 of tester (pid {})\"\n", pid(&user))
    );
    let id = note("- three");
    let lines = said(&user, &["-vv"], "");
    assert!(lines.starts_with(&format!("last-word: applied {id} ")) && lines.lines().count() == 2, "{lines}");
    let id = note("- four");
    let by_name = said(&user, &[], "last_word=debug");
    assert!(by_name.starts_with(&format!("last-word: applied {id} ")), "{by_name}");
    assert_eq!(said(&user, &[], "other=trace"), "");
    assert!(said(&user, &[], "last_word=loud").contains("RUST_LOG"));
}

/// The process that ran last.
fn pid(user: &User) -> String {
    let status = user.json(["status"]);
    let by = status["last_run"]["by"].as_str().unwrap().to_owned();
    by.rsplit("pid ").next().unwrap().trim_end_matches(')').to_owned()
}

#[test]
fn under_journald_the_priority_comes_first() {
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    let done = user.command(["work", "-vv"]).env("JOURNAL_STREAM", "8:1").output().unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    let priorities: Vec<&str> = stderr.lines().map(|line| line.split_once("last-word:").unwrap().0).collect();
    assert_eq!(priorities, ["<7>", "<6>"], "{stderr}");
}
