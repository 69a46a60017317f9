//! What an entry may ask for beside its operation, by flags and in files: `create: ancestors`, `expect`, and a deletion
//! of what is gone.

use crate::support::User;
use serde_json::json;
use std::fs;

const NOTES: &str = "# Notes\n\n## Log\n\ntwo, two\n";

/// A user with a document, which asks for a yes where `policy` says so.
fn user(policy: &str) -> User {
    let user = User::new();
    let notes = user.root().join("notes.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}{policy} }}\nsession_bootstrap: []\n",
        notes.display()
    ));
    fs::write(notes, NOTES).unwrap();
    user
}

fn text(user: &User) -> String {
    fs::read_to_string(user.root().join("notes.md")).unwrap()
}

const BELOW: [&str; 12] = [
    "--to",
    "notes",
    "--heading",
    "Projects",
    "--heading",
    "Alpha",
    "--level",
    "3",
    "--op",
    "append",
    "--content",
    "- x",
];
const REPLACE: [&str; 10] =
    ["--to", "notes", "--heading", "Log", "--op", "replace", "--old-text", "two", "--content", "2"];

fn declared(user: &User, entry: serde_json::Value) -> String {
    let declaration = json!({ "version": "1.0.0", "entries": [entry] }).to_string();
    user.run_with(["enqueue", "-"], declaration.as_bytes()).ok().trim().to_owned()
}

fn code(user: &User, id: &str) -> serde_json::Value {
    user.json(["show", id])["job"]["job"]["error"]["code"].clone()
}

#[test]
fn missing_parents_are_made_when_they_are_asked_for() {
    let user = user("");
    let id = user.run([&["enqueue"][..], &BELOW].concat()).ok().trim().to_owned();
    user.run(["work"]).ok();
    assert_eq!(code(&user, &id), "parent_not_found");
    let said = user.run(["show", &id]).ok();
    assert!(said.contains("create: ancestors"), "{said}");
    user.run([&["enqueue", "--create", "ancestors"][..], &BELOW].concat()).ok();
    user.run(["work"]).ok();
    let whole = format!("{NOTES}\n## Projects\n\n### Alpha\n\n- x\n");
    assert_eq!(text(&user), whole);
    user.run(["enqueue", "--create", "false", "--to", "notes", "--heading", "New", "--content", "x"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&user), whole);
    user.run(["enqueue", "--create", "perhaps", "--to", "notes", "--heading", "New", "--content", "x"])
        .fails(2, "perhaps");
}

#[test]
fn a_session_plans_them_as_well() {
    let user = user("");
    let session = ["--agent", "codex", "--session", "s1"];
    user.run([&["plan", "--create", "ancestors"][..], &session, &BELOW].concat()).ok();
    user.run([&["plan", "--expect", "2"][..], &session, &REPLACE].concat()).ok();
    user.run([&["flush"][..], &session].concat()).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&user), format!("{}\n## Projects\n\n### Alpha\n\n- x\n", NOTES.replace("two", "2")));
}

#[test]
fn a_text_is_replaced_as_often_as_its_author_expects() {
    let user = user("");
    for (expect, says) in [(None, "2 times"), (Some(3), "2 times, not 3 times")] {
        let entry = json!({ "key": { "kb": "notes", "heading": "Log" }, "operation": "replace",
            "old_text": "two", "content": "2", "expect": expect });
        let id = declared(&user, entry);
        user.run(["work"]).ok();
        assert_eq!(code(&user, &id), "text_ambiguous");
        assert!(user.run(["show", &id]).ok().contains(says));
    }
    let id = user.run([&["enqueue", "--expect", "2"][..], &REPLACE].concat()).ok().trim().to_owned();
    assert!(user.run(["show", &id]).ok().contains("replace ## Log (2 times)"));
    user.run(["work"]).ok();
    assert_eq!(text(&user), NOTES.replace("two", "2"));
    let twice = user.run([&["enqueue", "--expect", "2"][..], &REPLACE].concat()).ok().trim().to_owned();
    user.run(["work"]).ok();
    assert_eq!(user.json(["verify", &twice])["fate"], "unchanged");
    user.run([&["enqueue", "--expect", "0"][..], &REPLACE].concat()).fails(3, "not within 1 to 1000");
    user.run(["enqueue", "--expect", "2", "--to", "notes", "--heading", "Log", "--content", "x"])
        .fails(2, "--old-text");
}

#[test]
fn how_often_is_part_of_what_a_person_says_yes_to() {
    let user = user(", policy: review");
    user.run([&["enqueue", "--expect", "2"][..], &REPLACE].concat()).ok();
    user.run(["work"]).ok();
    user.run(["review", "--all", "--approve"]).ok();
    let pending = user.home().join("pending").join(&user.files("pending")[0]);
    let job = fs::read_to_string(&pending).unwrap();
    assert!(job.contains("\"expect\":2"), "{job}");
    fs::write(&pending, job.replace("\"expect\":2", "\"expect\":1")).unwrap();
    user.run(["work"]).ok();
    assert_eq!(text(&user), NOTES);
    assert!(user.run(["review"]).ok().contains("approval_mismatch"));
}

#[test]
fn a_deletion_of_what_its_author_saw_and_is_gone_changes_nothing() {
    let user = user("");
    let delete = |heading: &str, base: Option<String>| {
        declared(
            &user,
            json!({ "key": { "kb": "notes", "heading": heading }, "operation": "delete", "base": base }),
        )
    };
    let seen = format!("sha256:{}", "0a".repeat(32));
    let ids = [delete("log", Some(seen)), delete("log", None), delete("Gone", None)];
    user.run(["work"]).ok();
    let fates = ids.map(|id| user.json(["verify", &id])["fate"].as_str().unwrap().to_owned());
    assert_eq!(fates, ["unchanged", "failed", "unchanged"]);
    assert_eq!(text(&user), NOTES);
}
