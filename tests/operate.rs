//! The operator's commands, through the binary: holding, going back, clearing away, looking.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

mod support;

use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use support::User;

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// A user with two documents, `notes` and `other`.
fn two_documents() -> (User, PathBuf, PathBuf) {
    let user = User::new();
    let (notes, other) = (user.root().join("notes.md"), user.root().join("other.md"));
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {} }}\n  other: {{ path: {} }}\nsession_bootstrap: [notes]\nretry: {{ retries: 3, base: 5ms, cap: 20ms }}\n",
        notes.display(),
        other.display()
    ));
    fs::write(&notes, "# Notes\n\n## Log\n\n- zero\n").unwrap();
    fs::write(&other, "# Other\n").unwrap();
    (user, notes, other)
}

fn say(user: &User, to: &str, content: &str) -> String {
    let args = ["enqueue", "--to", to, "--heading", "Log", "--op", "append", "--content", content];
    user.run(args).ok().trim().to_owned()
}

// ---- hold, release ----

#[test]
fn a_held_queue_takes_declarations_and_merges_none() {
    let (user, notes, _) = two_documents();
    assert!(user.run(["hold"]).ok().contains("nothing is held"));
    user.run(["hold", "--all", "--reason", "moving house"]).ok();
    say(&user, "notes", "- one");
    let before = text(&notes);
    user.run(["work"]).ok();
    assert_eq!(text(&notes), before);
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 0]);
    let status = user.json(["status"]);
    assert_eq!(status["held"][0]["held"], "queue");
    assert_eq!(status["held"][0]["reason"], "moving house");
    let said = user.run(["status"]).ok();
    assert!(said.contains("moving house") && said.contains("last-word release --all"), "{said}");
    assert_eq!(user.json(["hold", "--all"])[0]["new"], false, "held once");
    user.run(["release", "--all"]).ok();
    user.run(["work"]).ok();
    assert!(text(&notes).contains("- one"));
    assert!(user.run(["release", "--all"]).ok().contains("was not held"));
    user.assert_clean();
}

#[test]
fn a_held_document_waits_and_the_others_do_not() {
    let (user, notes, other) = two_documents();
    user.run(["hold", "--document", "notes"]).ok();
    say(&user, "notes", "- one");
    say(&user, "other", "- one");
    user.run(["work"]).ok();
    assert!(!text(&notes).contains("- one") && text(&other).contains("- one"));
    let path = notes.to_str().unwrap();
    // By its path it is the same document, also when it is no longer configured.
    assert_eq!(user.json(["release", "--document", path])[0]["was_held"], true);
    user.run(["work"]).ok();
    assert!(text(&notes).contains("- one"));
    user.run(["hold", "--document", "nowhere"]).fails(1, "nowhere");
}

#[test]
fn what_comes_after_a_held_job_waits_behind_it() {
    let (user, notes, other) = two_documents();
    let ids = ["- one", "- two", "- three"].map(|content| say(&user, "notes", content));
    say(&user, "other", "- one");
    user.run(["hold", &ids[1]]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), "# Notes\n\n## Log\n\n- zero\n- one\n");
    assert!(text(&other).contains("- one"));
    assert_eq!(user.counts(), [2, 0, 0, 0, 0, 2]);
    user.run(["hold", &ids[0]]).fails(1, "has ended");
    user.run(["release", &ids[1]]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), "# Notes\n\n## Log\n\n- zero\n- one\n- two\n- three\n");
}

#[test]
fn a_hold_that_cannot_be_read_holds_all_the_same() {
    let (user, notes, _) = two_documents();
    user.run(["hold", "--document", "notes"]).ok();
    let name = user.files("holds").pop().unwrap();
    fs::write(user.home().join("holds").join(name), "").unwrap();
    say(&user, "notes", "- one");
    user.run(["work"]).ok();
    assert!(!text(&notes).contains("- one"));
    assert_eq!(user.json(["hold"]).as_array().unwrap().len(), 1);
    assert_eq!(
        user.json(["release", "--document", "notes"])[0],
        json!({ "released": { "document": notes }, "was_held": true })
    );
}
