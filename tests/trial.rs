//! What `show`, `apply --dry-run` and `plan` say a job would do, and what the worker then does: the same.

use crate::support::User;
use std::fs;
use std::path::PathBuf;

/// A knowledge base `notes` with these lines more.
fn with_lines(lines: &[&str]) -> (User, PathBuf) {
    let user = User::new();
    let notes = user.with_notes();
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    let more: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    user.configure(&config.replace("    path:", &format!("{more}    path:")));
    (user, notes)
}

/// The lines that a unified diff adds.
fn added(diff: &str) -> String {
    let lines = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    lines.map(|line| format!("{}\n", &line[1..])).collect()
}

/// Over its budget a proposal waits for a yes. `show` says what that yes would make of it, and it does.
#[test]
fn a_proposal_over_its_budget_is_shown_as_a_yes_would_have_it() {
    let (user, notes) = with_lines(&["budget_chars: 10", "on_over_budget: review"]);
    let id = user.note("Log", "append", "- longer than ten");
    let shown = user.run(["show", &id]).ok();
    assert!(shown.contains("merged now, it would wait for a person's yes"), "{shown}");
    assert_eq!(user.json(["show", &id])["preview"]["review"]["code"], "over_budget");
    assert_eq!(user.json(["apply", "--dry-run"])[0]["refused"][0]["review"], true);
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 1, 0]);
    let shown = user.run(["show", &id]).ok();
    assert!(shown.contains("merged now, it would make this change"), "{shown}");
    let diff = user.json(["show", &id])["preview"]["diff"].as_str().unwrap().to_owned();
    user.run(["review", &id, "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(added(&diff), fs::read_to_string(notes).unwrap());
}

/// The first job of a new document brings its template, and the previews say so.
#[test]
fn a_new_document_is_shown_with_its_template() {
    let (user, notes) = with_lines(&["template: ~/template.md"]);
    fs::write(user.root().join("template.md"), "# Notes\n\nby hand\n\n## Log\n").unwrap();
    let id = user.note("Log", "append", "- one");
    let shown = user.json(["show", &id])["preview"]["diff"].as_str().unwrap().to_owned();
    let dry = user.json(["apply", "--dry-run"])[0]["diff"].as_str().unwrap().to_owned();
    user.run(["work"]).ok();
    let written = fs::read_to_string(notes).unwrap();
    assert_eq!(written, "# Notes\n\nby hand\n\n## Log\n\n- one\n");
    assert_eq!((added(&shown), added(&dry)), (written.clone(), written));
}

/// A template alone is not written: when every job is left out, no document is made.
#[test]
fn a_template_alone_is_no_document() {
    let (user, notes) = with_lines(&["template: ~/template.md"]);
    fs::write(user.root().join("template.md"), "# Notes\n").unwrap();
    user.run(["enqueue", "--to", "notes", "--heading", "Missing", "--op", "delete"]).ok();
    let change = user.json(["apply", "--dry-run"])[0].clone();
    assert_eq!(change["diff"], "", "{change}");
    user.run(["work"]).ok();
    assert!(!notes.exists());
}

/// What its author saw is in the history: both sides go together, in the preview as in the worker.
#[test]
fn a_known_base_merges_in_the_dry_run_too() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "## Log\n\n- a\n- b\n- c\n- d\n- e\n").unwrap();
    let base = user.json(["read", "notes", "--heading", "Log"])["base"].as_str().unwrap().to_owned();
    user.note("Log", "update", "- a, mended\n- b\n- c\n- d\n- e");
    user.run(["work"]).ok();
    let entry = serde_json::json!({ "key": { "kb": "notes", "heading": "Log" }, "operation": "update",
        "content": "- a\n- b\n- c\n- d\n- e, mended", "base": base });
    let declaration = serde_json::json!({ "version": "1.0.0", "entries": [entry] }).to_string();
    let id = user.run_with(["enqueue", "-"], declaration.as_bytes()).ok().trim().to_owned();
    let change = user.json(["apply", "--dry-run"])[0].clone();
    assert_eq!(change["refused"], serde_json::json!([]), "{change}");
    assert_eq!(user.json(["show", &id])["preview"]["refused"], serde_json::Value::Null);
    user.run(["work"]).ok();
    assert_eq!(
        fs::read_to_string(notes).unwrap(),
        "## Log\n\n- a, mended\n- b\n- c\n- d\n- e, mended\n",
        "both sides"
    );
}

/// An agent that plans something over a budget that asks is told that it waits for a yes, and not that it is refused.
#[test]
fn a_plan_over_a_budget_that_asks_waits_for_a_yes() {
    let (user, _) = with_lines(&["budget_chars: 10", "on_over_budget: review"]);
    let plan = |heading: &str| {
        user.json([
            "plan",
            "--agent",
            "a",
            "--session",
            "s",
            "--to",
            "notes",
            "--heading",
            heading,
            "--op",
            "append",
            "--content",
            "- longer than ten",
        ])
    };
    assert_eq!(plan("Log")["review"], true);
}
