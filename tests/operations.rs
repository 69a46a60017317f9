//! What an entry may ask for beside its operation, by flags and in files: `create: ancestors`, `expect`, and a deletion
//! of what is gone.

use crate::support::{User, write_program};
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

/// A document on which each of the operations on sections, lists and front matter has something to do.
const PAGE: &str = "---\ntitle: Notes\ntags: [a, \"b c\"] # mine\n---\n\n# Notes\n\n## Hosts\n\n- Port: 5433\n- Host: db1\n\n## Log\n\ntext\n\n### Old\n\nolder\n\n## Ideas\n\nnone\n";

fn with_page(policy: &str) -> User {
    let user = user(&format!(", frontmatter: true{policy}"));
    user.lets_tests_decide();
    fs::write(user.root().join("notes.md"), PAGE).unwrap();
    user
}

/// Each with its heading, its content, and what it changes in the document.
const BESIDE: [(&str, &[&str], &str, &str, &str); 6] = [
    ("upsert_item", &["Hosts"], "Port: 6000", "- Port: 5433\n", "- Port: 6000\n"),
    ("insert_before", &["Log"], "## Plans\n\n- one", "## Log\n", "## Plans\n\n- one\n\n## Log\n"),
    ("insert_after", &["Log"], "## After\n\nx", "## Ideas\n", "## After\n\nx\n\n## Ideas\n"),
    (
        "move",
        &["Ideas"],
        "before: Log",
        "## Log\n\ntext\n\n### Old\n\nolder\n\n## Ideas\n\nnone\n",
        "## Ideas\n\nnone\n\n## Log\n\ntext\n\n### Old\n\nolder\n",
    ),
    ("add_value", &["front matter", "tags"], "new", "[a, \"b c\"]", "[a, \"b c\", new]"),
    ("remove_value", &["front matter", "tags"], "a", "[a, \"b c\"]", "[\"b c\"]"),
];

/// The flags of one of them.
fn flags<'a>(operation: &'a str, heading: &[&'a str], content: &'a str) -> Vec<&'a str> {
    let level = if heading.len() > 1 { "0" } else { "2" };
    let mut args = vec!["--to", "notes", "--level", level, "--op", operation, "--content", content];
    args.extend(heading.iter().flat_map(|title| ["--heading", title]));
    args
}

/// The document without what the worker says of itself in the front matter.
fn unstamped(text: &str) -> String {
    let stamp = |line: &&str| line.starts_with("updated_at: ") || line.starts_with("source: ");
    text.split_inclusive('\n').filter(|line| !stamp(line)).collect()
}

#[test]
fn every_door_takes_the_operations_on_sections_and_lists() {
    for (operation, heading, content, gone, come) in BESIDE {
        let wanted = PAGE.replacen(gone, come, 1);
        let level = u8::from(heading.len() == 1) * 2;
        let entry = json!({ "key": { "kb": "notes", "heading": heading, "level": level }, "operation": operation, "content": content });
        for door in ["declaration", "flags", "plan"] {
            let user = with_page("");
            match door {
                "declaration" => drop(declared(&user, entry.clone())),
                "flags" => {
                    user.run([&["enqueue"][..], &flags(operation, heading, content)].concat()).ok();
                }
                _ => {
                    let session = ["--agent", "codex", "--session", "s1"];
                    user.run([&["plan"][..], &session, &flags(operation, heading, content)].concat()).ok();
                    user.run([&["flush"][..], &session].concat()).ok();
                }
            }
            user.run(["work"]).ok();
            assert_eq!(unstamped(&text(&user)), wanted, "{operation} by {door}");
            // Said again it changes nothing.
            let again = declared(&user, entry.clone());
            user.run(["work"]).ok();
            assert_eq!(user.json(["verify", &again])["fate"], "unchanged", "{operation} by {door}");
            user.run(["rollback", "notes", "--to", "0"]).ok();
            user.run(["work"]).ok();
            assert_eq!(unstamped(&text(&user)), PAGE, "{operation} by {door}, rolled back");
        }
    }
}

#[test]
fn a_proposal_of_one_of_them_shows_what_it_would_change() {
    for (operation, heading, content, gone, come) in BESIDE {
        let user = with_page(", policy: review");
        let id = user.run([&["enqueue"][..], &flags(operation, heading, content)].concat()).ok();
        let id = id.trim();
        user.run(["work"]).ok();
        assert_eq!(text(&user), PAGE, "{operation} waits");
        let shown = user.run(["show", id]).ok();
        assert!(shown.contains(operation), "{shown}");
        let line = come.lines().find(|line| !gone.contains(line)).unwrap_or("## Ideas");
        assert!(shown.lines().any(|of| of.starts_with('+') && of.contains(line)), "{operation}: {shown}");
        user.run(["review", id, "--approve"]).ok();
        user.run(["work"]).ok();
        assert_eq!(unstamped(&text(&user)), PAGE.replacen(gone, come, 1), "{operation}");
    }
}

#[test]
fn blame_and_validators_know_them() {
    for (operation, heading, content, ..) in BESIDE.into_iter().filter(|of| of.1.len() == 1) {
        let user = with_page("");
        user.run(
            [&["enqueue", "--agent", "codex", "--session", "s7"][..], &flags(operation, heading, content)]
                .concat(),
        )
        .ok();
        user.run(["work"]).ok();
        let blame = user.json(["blame", "notes"]);
        let title = content.strip_prefix("## ").map_or(heading[0], |rest| rest.lines().next().unwrap());
        let sections = blame["sections"].as_array().unwrap();
        let of =
            sections.iter().find(|section| section["heading"].as_array().unwrap().last().unwrap() == title);
        assert_eq!(of.unwrap()["last"]["session"], "s7", "{operation}: {blame}");

        let judge = user.root().join("judge");
        write_program(&judge, "#!/bin/sh\necho 'not like this' >&2\nexit 1\n");
        let refusing = format!(", validate: [[{}, \"{{candidate}}\"]]", judge.display());
        let user = with_page(&refusing);
        let id = user.run([&["enqueue"][..], &flags(operation, heading, content)].concat()).ok();
        user.run(["work"]).ok();
        assert_eq!(text(&user), PAGE, "{operation} was refused");
        assert!(user.run(["show", id.trim()]).ok().contains("not like this"), "{operation}");
    }
}

/// A heading that a job renames is that job's: no hand touched that section, nor those below it, whatever they were called before.
#[test]
fn blame_follows_a_renamed_heading() {
    let user = with_page("");
    let say = |agent: &str, words: &[&str]| {
        user.run([&["enqueue", "--to", "notes", "--agent", agent][..], words].concat()).ok();
        user.run(["work"]).ok();
    };
    let blamed = |title: &str| {
        let blame = user.json(["blame", "notes"]);
        let sections = blame["sections"].as_array().unwrap();
        let one = sections.iter().find(|one| one["heading"].as_array().unwrap().last().unwrap() == title);
        let one = one.unwrap();
        (one["last"]["agent"].as_str().unwrap_or("-").to_owned(), one["by_hand"].as_bool().unwrap())
    };
    let by = |agent: &str| (agent.to_owned(), false);
    say("codex", &["--heading", "Prefs", "--op", "append", "--content", "- J1"]);
    let sub = "version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: [Prefs, Sub], level: 3 }, operation: update, content: \"- s\" }\n";
    user.run_with(["enqueue", "--agent", "cursor", "-"], sub.as_bytes()).ok();
    user.run(["work"]).ok();
    say("gemini_cli", &["--heading", "Prefs", "--op", "rename", "--content", "Likes"]);
    assert_eq!((blamed("Likes"), blamed("Sub")), (by("gemini_cli"), by("cursor")));
    say("codex", &["--heading", "Likes", "--op", "rename", "--content", "Loves"]);
    assert_eq!((blamed("Loves"), blamed("Sub")), (by("codex"), by("cursor")));
    // Another section gets the name that this one had.
    say("qwen_code", &["--heading", "Likes", "--op", "append", "--content", "- J2"]);
    assert_eq!(
        (blamed("Loves"), blamed("Likes"), blamed("Sub")),
        (by("codex"), by("qwen_code"), by("cursor"))
    );
    // A hand is told all the same, where it was.
    let hand = text(&user).replace("- J1", "- J1\n- HAND").replace("- s", "- s\n- HAND");
    fs::write(user.root().join("notes.md"), hand).unwrap();
    assert_eq!((blamed("Loves").1, blamed("Sub").1, blamed("Likes").1), (true, true, false));
}

#[test]
fn what_one_of_them_cannot_do_is_said_and_changes_nothing() {
    let cases = [
        ("move", &["Log"][..], "sideways", "bad_heading"),
        ("move", &["Log"], "before: Nowhere", "heading_not_found"),
        ("move", &["Nowhere"], "first", "heading_not_found"),
        ("insert_after", &["Log"], "no heading", "bad_heading"),
        ("insert_before", &["Log"], "### Too deep", "bad_heading"),
        ("upsert_item", &["Ideas"], "no colon", "bad_item"),
        ("add_value", &["front matter", "title"], "new", "front_matter_not_editable"),
        ("remove_value", &["front matter", "title"], "Notes", "front_matter_not_editable"),
    ];
    let user = with_page("");
    for (operation, heading, content, why) in cases {
        let id = user.run([&["enqueue"][..], &flags(operation, heading, content)].concat()).ok();
        user.run(["work"]).ok();
        assert_eq!(code(&user, id.trim()), why, "{operation} {content}");
    }
    assert_eq!(text(&user), PAGE);
}
