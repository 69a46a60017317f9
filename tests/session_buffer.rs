//! What a session declares while it runs: `plan`, `flush`, `read`, and the worker who comes after a session that died.

use crate::support::{Said, User};
use std::fs;

fn plan(user: &User, heading: &str, op: &str, content: &str) -> Said {
    user.run([
        "plan",
        "--to",
        "notes",
        "--heading",
        heading,
        "--op",
        op,
        "--content",
        content,
        "--agent",
        "codex",
        "--session",
        "s1",
    ])
}

fn user() -> User {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(notes, "# Notes\n\n## Log\n\n- old\n\n## Other\n\nkept\n").unwrap();
    user
}

fn notes(user: &User) -> String {
    fs::read_to_string(user.root().join("notes.md")).unwrap()
}

/// The first `plan` of a session made its directory and did not put anything in yet.
fn while_planning<T>(user: &User, act: impl Fn() -> T) -> T {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    let args = ["plan", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- one"];
    let mut command = user.command(args);
    command.args(["--agent", "codex", "--session", "s1"]).env("LAST_WORD_TROUBLE", "stop=plan.begin");
    let mut plan = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let pid = Pid::from_child(&plan);
    let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
    assert!(status.stopped(), "it never came there, the test proves nothing");
    let seen = act();
    kill_process(pid, Signal::CONT).unwrap();
    assert_eq!(plan.wait().unwrap().code(), Some(0));
    user.run(["flush", "--session", "s1", "--agent", "codex"]).ok();
    user.run(["work"]).ok();
    assert!(notes(user).contains("- old\n- one\n"), "{}", notes(user));
    seen
}

#[test]
fn a_worker_at_the_moment_of_the_first_plan() {
    if !crate::support::has_crash_points() {
        return;
    }
    let user = user();
    let dir = user.home().join("sessions/codex-s1");
    let worked = while_planning(&user, || (user.run(["work"]), dir.exists()));
    assert!(worked.1, "not quiet since 1970: {}", worked.0.ok());
}

#[test]
fn a_session_that_is_forgotten_while_it_plans() {
    if !crate::support::has_crash_points() {
        return;
    }
    let user = user();
    let dir = user.home().join("sessions/codex-s1");
    while_planning(&user, || fs::remove_dir(&dir).unwrap());
}

#[test]
fn planned_then_flushed_then_merged() {
    let user = user();
    let said = plan(&user, "Log", "append", "- one").ok();
    let id = said.split_whitespace().nth(1).unwrap().to_owned();
    assert!(
        said.contains("append `## Log` of notes") && said.contains("session s1 of codex (--session)"),
        "{said}"
    );
    plan(&user, "Log", "append", "- two").ok();
    assert_eq!(user.counts(), [0; 6], "nothing is a job yet");
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0; 6], "the session lives");

    let listed = user.run(["plan", "--list", "--session", "s1", "--agent", "codex"]).ok();
    assert!(
        listed.starts_with("session s1 of codex (--session): 2 planned\n") && listed.contains(&id),
        "{listed}"
    );
    let flushed = user.run(["flush", "--session", "s1", "--agent", "codex"]).ok();
    assert_eq!(flushed.lines().count(), 2);
    assert_eq!(flushed.lines().next(), Some(id.as_str()), "the id it was planned with");
    assert!(user.run(["flush", "--session", "s1", "--agent", "codex"]).ok().contains("nothing was planned"));
    user.run(["work"]).ok();
    assert_eq!(notes(&user), "# Notes\n\n## Log\n\n- old\n- one\n- two\n\n## Other\n\nkept\n");
    let job = user.json(["show", &id]);
    assert!(job.to_string().contains("\"session\":\"s1\""), "{job}");
    user.assert_clean();
}

#[test]
fn what_cannot_be_merged_is_refused_while_the_agent_listens() {
    let user = user();
    plan(&user, "Missing", "clear", "").fails(3, "");
    plan(&user, "Log", "append", "## A heading").fails(3, "hint:");
    let wrong = ["plan", "--to", "nots", "--heading", "A", "--content", "b", "--session", "s1"];
    user.run(wrong).fails(3, "did you mean `notes`");
    assert_eq!(user.files("sessions"), Vec::<String>::new(), "nothing was planned");
    // What was planned before counts: its text can be replaced.
    plan(&user, "New", "update", "first words").ok();
    let replace = [
        "plan",
        "--to",
        "notes",
        "--heading",
        "New",
        "--op",
        "replace",
        "--old-text",
        "first",
        "--content",
        "last",
        "--agent",
        "codex",
        "--session",
        "s1",
    ];
    user.run(replace).ok();
    user.run(["flush", "--all"]).ok();
    user.run(["work"]).ok();
    assert!(notes(&user).ends_with("## New\n\nlast words\n"), "{}", notes(&user));
}

#[test]
fn taken_back() {
    let user = user();
    let id = plan(&user, "Log", "append", "- one").ok().split_whitespace().nth(1).unwrap().to_owned();
    let drop = |id: &str| user.run(["plan", "--drop", id, "--session", "s1", "--agent", "codex"]);
    drop("ffff").fails(1, "plan --list");
    drop(&id).ok();
    drop(&id).fails(1, "plan --list");
    user.run(["flush", "--all"]).ok();
    assert_eq!(user.counts(), [0; 6]);
}

/// What a session planned is taken back by it alone, and a person's own is spoken for by no agent, whatever it calls itself.
#[test]
fn no_agent_speaks_for_a_person_or_for_another_session() {
    let user = user();
    let id = plan(&user, "Log", "append", "- one").ok().split_whitespace().nth(1).unwrap().to_owned();
    let by_agent = |words: &[&str]| {
        let mut command = user.command(words);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "s2");
        Said::of(command.output().unwrap())
    };
    let drop = ["plan", "--drop", &id, "--session", "s1", "--agent", "codex"];
    by_agent(&drop).fails(1, "planned it, and this is session s2");
    let entry = ["--to", "notes", "--heading", "Log", "--op", "append", "--content", "- x"];
    for command in ["plan", "flush"] {
        let words = [&[command][..], if command == "plan" { &entry } else { &[] }].concat();
        let as_person = [&words[..], &["--agent", "person", "--session", "root"]].concat();
        by_agent(&as_person).fails(1, "is a person's own session");
        user.run(&as_person).fails(1, "is a person's own session");
    }
    by_agent(&[&["enqueue", "--agent", "person"][..], &entry].concat()).ok();
    user.run(["work"]).ok();
    let blame = user.run(["blame", "notes"]).ok();
    assert!(blame.contains("agent") && !blame.contains("person"), "{blame}");
}

#[test]
fn the_session_is_the_environments_or_the_projects_most_recent() {
    let user = user();
    let entry = ["plan", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- x", "--json"];
    user.run(entry).fails(2, "--session");
    let said = user
        .command(entry)
        .env("LAST_WORD_SESSION", "s2")
        .env("LAST_WORD_AGENT", "qwen_code")
        .output()
        .unwrap();
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&said["session"], &said["agent"]), (&"s2".into(), &"qwen_code".into()));
    let said: serde_json::Value = serde_json::from_str(&user.run(entry).ok()).unwrap();
    assert_eq!(said["session"], "s2", "{said}");
    assert_eq!(said["known_by"], "the most recent session here");
    assert_eq!(user.run(["plan", "--list"]).ok().lines().count(), 3);
}

#[test]
fn a_session_that_ended_without_flushing_is_flushed_by_the_worker() {
    let user = user();
    plan(&user, "Log", "append", "- one").ok();
    let log = user.home().join("sessions/codex-s1/log.jsonl");
    let mut lines = fs::read_to_string(&log).unwrap();
    lines.push_str("{\"at\":\"2026-11-22T00:00:00.000Z\",\"what\":\"ended\"}\n{\"at\":torn");
    fs::write(&log, lines).unwrap();
    user.run(["work"]).ok();
    assert!(notes(&user).contains("- old\n- one\n"));
    let journal = user.files("journal").len();
    assert_eq!(journal, 1);
    user.assert_clean();
}

#[test]
fn read_shows_what_is_merged_and_what_waits() {
    let user = user();
    assert_eq!(user.run(["read", "notes"]).ok(), notes(&user));
    assert_eq!(user.run(["read", "notes", "--heading", "Log"]).ok(), "## Log\n\n- old\n");
    user.run(["read", "notes", "--heading", "Nothing"]).fails(1, "hint:");
    user.run(["read", "nots"]).fails(1, "did you mean `notes`");

    user.note("Log", "append", "- queued");
    plan(&user, "Log", "append", "- planned").ok();
    let read = user.run(["read", "notes", "--heading", "Log"]).ok();
    assert!(read.starts_with("## Log\n\n- old\n\n<!-- declared, not merged yet: -->\n"), "{read}");
    assert!(read.contains("append `Log` (queued) -->\n- queued\n"), "{read}");
    assert!(read.contains("append `Log` (planned in session codex-s1) -->\n- planned\n"), "{read}");
    assert!(!user.run(["read", "notes", "--heading", "Other"]).ok().contains("declared"));
    let json = user.json(["read", "notes", "--heading", "Log"]);
    assert_eq!(json["waiting"].as_array().unwrap().len(), 2);
    assert!(json["base"].as_str().unwrap().starts_with("sha256:"));
    // `read` of a section that is only planned.
    plan(&user, "Fresh", "update", "words").ok();
    assert!(user.run(["read", "notes", "--heading", "Fresh"]).ok().contains("words"));
}

/// Codex runs commands where the home is read-only.
#[test]
fn in_a_sandbox_it_says_how_to_get_out() {
    if !crate::support::has_crash_points() {
        return;
    }
    let user = user();
    let entry = [
        "plan",
        "--to",
        "notes",
        "--heading",
        "Log",
        "--op",
        "append",
        "--content",
        "- x",
        "--session",
        "s1",
    ];
    let said = Said::of(user.command(entry).env("LAST_WORD_TROUBLE", "fail-from=1:30").output().unwrap());
    said.fails(1, "hint: in an agent's sandbox? ask to run this outside of it");
}
