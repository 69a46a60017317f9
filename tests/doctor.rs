//! `doctor`: says what is in place and what is not, and changes nothing.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use support::User;

/// What was found of one thing: its health and the words.
fn found(user: &User, what: &str) -> (String, String) {
    let all = user.json(["doctor"]);
    let of = all.as_array().unwrap().iter().find(|finding| finding["what"] == what);
    let of = of.unwrap_or_else(|| panic!("nothing is said of {what}: {all}"));
    (of["health"].as_str().unwrap().to_owned(), of["found"].as_str().unwrap().to_owned())
}

#[test]
fn a_fresh_home_is_well_and_stays_as_it_is() {
    let user = User::new();
    let before = user.tree();
    let said = user.run(["doctor"]).ok();
    assert!(!said.contains("BAD"), "{said}");
    assert_eq!(user.tree(), before);
    assert_eq!(found(&user, "codex"), ("ok".to_owned(), "not wired, never called".to_owned()));
}

#[test]
fn what_does_not_work_is_named_with_what_to_do() {
    let user = User::bare();
    let said = user.run(["doctor"]);
    assert_eq!(said.code, Some(4), "{}", said.stdout);
    assert!(said.stdout.contains("last-word init"), "{}", said.stdout);
    user.run(["init"]).ok();
    user.configure("version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md, policy: atuo }\n");
    let said = user.run(["doctor"]);
    assert_eq!(said.code, Some(4), "{}", said.stdout);
    assert!(said.stdout.contains("config.yaml:3:") && said.stdout.contains("atuo"), "{}", said.stdout);
}

#[test]
fn what_others_may_look_into_is_noted() {
    let user = User::new();
    let done = user.home().join("done");
    fs::set_permissions(&done, fs::Permissions::from_mode(0o755)).unwrap();
    let (health, words) = found(&user, "permissions");
    assert!(health == "note" && words.contains("done"), "{health}: {words}");
    assert_eq!(user.run(["doctor"]).code, Some(0), "a note is no failure");
}

#[test]
fn claims_of_the_dead_are_noted_until_they_are_recovered() {
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    let pending = user.home().join("pending").join(&user.files("pending")[0]);
    let held = user.home().join("processing/w7");
    fs::create_dir(&held).unwrap();
    fs::rename(&pending, held.join(pending.file_name().unwrap())).unwrap();
    assert!(found(&user, "claims").1.contains("w7"));
    user.run(["work"]).ok();
    assert_eq!(found(&user, "claims").0, "ok");
    assert!(found(&user, "worker").1.contains("last run"));
}

#[test]
fn an_agent_is_wired_and_when_it_last_called() {
    let user = User::new();
    user.run(["install", "codex", "--yes"]).ok();
    assert_eq!(found(&user, "codex").1, "wired, never called");
    let event = format!(
        r#"{{"session_id":"s1","hook_event_name":"SessionStart","cwd":"{}","source":"startup"}}"#,
        user.root().display()
    );
    user.run_with(["hook", "--agent", "codex"], event.as_bytes()).ok();
    let (health, words) = found(&user, "codex");
    assert!(health == "ok" && words.starts_with("wired, last called"), "{words}");
    // A hook somebody took out by hand.
    let config = fs::read_dir(user.root().join(".codex")).unwrap().map(|entry| entry.unwrap().path());
    let hooks = config
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("hook --agent codex")))
        .last()
        .unwrap();
    let text = fs::read_to_string(&hooks).unwrap();
    fs::write(&hooks, text.replacen("hook --agent codex", "hook --agent nobody", 1)).unwrap();
    let (health, words) = found(&user, "codex");
    assert!(health == "note" && words.contains("not as it should be"), "{health}: {words}");
    user.run(["uninstall", "codex", "--yes"]).ok();
    assert!(found(&user, "codex").1.starts_with("not wired, last called"));
}
