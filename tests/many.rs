//! Deciding about many jobs in one call: in steps that share their syncs, ended by a signal between two of them.

use crate::support::{Said, User, has_crash_points};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde_json::Value;
use std::fs;
use std::process::Stdio;

/// Three steps, the last of them smaller.
const MANY: usize = 600;
const STEP: usize = 250;

/// So many jobs in `staging/`: proposals, or jobs that failed because their section was there twice.
fn user(proposals: bool) -> User {
    let user = User::in_memory();
    let notes = user.root().join("notes.md");
    let policy = if proposals { ", policy: review" } else { "" };
    let kbs = format!("  notes: {{ path: {}{policy} }}\n", notes.display());
    user.configure(&format!("version: 1\nknowledge_bases:\n{kbs}session_bootstrap: []\n"));
    fs::write(&notes, if proposals { "## Log\n" } else { "## Log\n\n## Log\n" }).unwrap();
    let entry = |n: usize| {
        format!(
            "{{\"version\":\"1.0.0\",\"entries\":[{{\"key\":{{\"kb\":\"notes\",\"heading\":\"Log\"}},\"operation\":\"append\",\"content\":\"- {n}\"}}]}}\n"
        )
    };
    user.run_with(["enqueue", "-"], (0..MANY).map(entry).collect::<String>().as_bytes()).ok();
    user.run(["work"]).ok();
    assert_eq!(waiting(&user), [0, MANY]);
    user
}

/// Jobs in `pending/`, and in `staging/`.
fn waiting(user: &User) -> [usize; 2] {
    let staged = ["staging/failed", "staging/review"].map(|state| user.files(state).len());
    [user.files("pending").len(), staged.iter().sum()]
}

/// Runs a command that stops at a point, and sends it a signal there, once.
#[allow(clippy::zombie_processes)] // `waitpid` waits for it until it has ended
fn interrupted(user: &User, args: &[&str], point: &str, signal: Signal) -> Said {
    let mut command = user.command(args);
    command.env("LAST_WORD_TROUBLE", format!("stop={point}"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_child(&child);
    let mut stops = 0;
    let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
    let mut status = status;
    while status.stopped() {
        if stops == 0 {
            kill_process(pid, signal).unwrap();
        }
        stops += 1;
        kill_process(pid, Signal::CONT).unwrap();
        (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
    }
    assert!(stops > 0, "{point}: it never came there, the test proves nothing");
    let mut said = Said { code: status.exit_status(), stdout: String::new(), stderr: String::new() };
    std::io::Read::read_to_string(&mut child.stdout.unwrap(), &mut said.stdout).unwrap();
    std::io::Read::read_to_string(&mut child.stderr.unwrap(), &mut said.stderr).unwrap();
    said
}

#[test]
fn a_signal_ends_an_approval_between_two_steps_and_the_same_again_goes_on() {
    if !has_crash_points() {
        return;
    }
    let user = user(true);
    let all = ["review", "--all", "--approve"];
    let said = interrupted(&user, &all, "approval.durable", Signal::INT);
    assert_eq!(said.code, Some(75), "{}", said.stderr);
    assert!(said.stdout.starts_with("250 approved"), "{}", said.stdout);
    assert!(said.stderr.contains("say the same again to go on with the 350"), "{}", said.stderr);
    assert_eq!(waiting(&user), [STEP, MANY - STEP]);
    let is_yes = |name: &&String| name.ends_with(".json");
    assert_eq!(user.files("approvals").iter().filter(is_yes).count(), STEP);
    assert!(user.run(all).ok().starts_with("350 approved"));
    user.run(["work"]).ok();
    let lines: String = (0..MANY).map(|n| format!("- {n}\n")).collect();
    assert_eq!(fs::read_to_string(user.root().join("notes.md")).unwrap(), format!("## Log\n\n{lines}"));
    user.assert_clean();
}

#[test]
fn a_signal_ends_a_rejection_a_retry_and_a_discard_alike() {
    if !has_crash_points() {
        return;
    }
    let proposals = user(true);
    let said = interrupted(
        &proposals,
        &["review", "--all", "--reject", "--json"],
        "rejected.remembered",
        Signal::TERM,
    );
    let told: Value = serde_json::from_str(&said.stdout).unwrap();
    let (done, left) = (told["rejected"].as_array().unwrap().len(), told["not_asked"].as_u64());
    assert_eq!((said.code, done, left), (Some(75), STEP, Some(350)), "{}", said.stderr);
    assert_eq!((proposals.files("done").len(), waiting(&proposals)), (STEP, [0, MANY - STEP]));
    let failed = user(false);
    let said = interrupted(&failed, &["resolve", "--all", "--retry"], "settle.durable", Signal::INT);
    assert_eq!((said.code, waiting(&failed)), (Some(75), [STEP, MANY - STEP]), "{}", said.stderr);
    let said = interrupted(&failed, &["resolve", "--all", "--discard"], "settle.durable", Signal::INT);
    assert_eq!((said.code, waiting(&failed)), (Some(75), [STEP, MANY - 2 * STEP]), "{}", said.stderr);
    assert_eq!(failed.files("done").len(), STEP);
}

#[test]
fn one_that_was_changed_leaves_the_others_alone() {
    let user = user(true);
    let changed = user.home().join("staging/review").join(&user.files("staging/review")[7]);
    let text = fs::read_to_string(&changed).unwrap();
    fs::write(&changed, text.replace("content: '", "content: 'EVIL")).unwrap();
    let said = user.run(["review", "--all", "--approve"]);
    said.fails(1, "its file was changed after the worker proposed it");
    assert_eq!(waiting(&user), [MANY - 1, 1]);
    user.run(["work"]).ok();
    assert!(!fs::read_to_string(user.root().join("notes.md")).unwrap().contains("EVIL"));
}

#[test]
fn ids_from_a_listing_are_decided_and_those_that_are_done_passed_over() {
    let user = user(true);
    let listed = user.json(["list", "review"]);
    let ids: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|row| row["id"].as_str()).collect();
    let first = ids[..3].join("\n");
    user.run_with(["review", "--reject", "-"], first.as_bytes()).ok();
    let said = user.run_with(["review", "--approve", "-"], ids[..5].join("\n").as_bytes());
    assert!(said.ok().starts_with("2 approved"));
    user.run_with(["review", "--approve", "-"], first.as_bytes()).fails(1, "is done, not in staging");
}

/// Every line of a document, by how often it is there.
fn merged(user: &User) -> usize {
    let text = fs::read_to_string(user.root().join("notes.md")).unwrap();
    (0..MANY).filter(|n| text.lines().any(|line| line == format!("- {n}"))).count()
}

#[test]
fn a_yes_and_a_no_to_many_are_taken_back() {
    let user = user(true);
    user.run(["review", "--all", "--approve"]).ok();
    assert!(user.run(["review", "--all", "--undo"]).ok().starts_with("600 taken back"));
    assert_eq!(waiting(&user), [0, MANY]);
    assert!(!user.files("approvals").iter().any(|name| name.ends_with(".json")), "no yes is left");
    user.run(["work"]).ok();
    assert_eq!((merged(&user), waiting(&user)), (0, [0, MANY]), "nothing is merged without one");
    // A no, by the ids that it says it was given to; and a second time nothing comes twice.
    let said = user.json(["review", "--all", "--reject"]);
    let ids: Vec<&str> = said["rejected"].as_array().unwrap().iter().filter_map(|id| id.as_str()).collect();
    for taken_back in [Some("600 taken back"), None] {
        let said = user.run_with(["review", "-", "--undo"], ids.join("\n").as_bytes());
        match taken_back {
            Some(words) => assert!(said.ok().starts_with(words)),
            None => drop(said.fails(1, "it was proposed again before")),
        }
        assert_eq!(waiting(&user), [0, MANY]);
    }
    user.run(["work"]).ok();
    assert_eq!(waiting(&user), [0, MANY], "the old no does not count for them");
    let said = user.json(["review", "--all", "--approve"]);
    user.run(["work"]).ok();
    assert_eq!((merged(&user), waiting(&user)), (MANY, [0, 0]));
    let nothing = user.run(["review", "--all", "--undo"]).ok();
    assert!(nothing.starts_with("0 taken back") && nothing.contains("last-word rollback"), "{nothing}");
    let ids: Vec<&str> = said["approved"].as_array().unwrap().iter().filter_map(|id| id.as_str()).collect();
    user.run(["review", ids[0], "--undo"]).fails(1, "only a rollback");
    // Of many it says once what takes them out, and that is what it says.
    user.note("Log", "append", "- later");
    user.run(["work"]).ok();
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    let undo = ["review", "-", "--undo"];
    let told = user.run_with(undo, ids.join("\n").as_bytes());
    let notes = user.root().join("notes.md");
    let command = format!("last-word rollback {} --to 0", notes.display());
    assert_eq!((told.code, told.stderr.contains("rollback")), (Some(1), false), "{}", told.stderr);
    assert!(
        told.stdout.contains(&format!("and 1 other job that came since with it: {command}\n")),
        "{}",
        told.stdout
    );
    let json: Value = serde_json::from_str(
        &user.run_with(["review", "-", "--undo", "--json"], ids.join("\n").as_bytes()).stdout,
    )
    .unwrap();
    let merged = serde_json::json!([{ "back_to": 0, "document": notes, "jobs": MANY, "others": 1 }]);
    assert_eq!((&json["merged"], &json["skipped"]), (&merged, &serde_json::json!([])));
    user.run(["rollback", notes.to_str().unwrap(), "--to", "0"]).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), "## Log\n");
    user.assert_clean();
}

#[test]
fn a_signal_ends_the_taking_back_between_two_steps() {
    if !has_crash_points() {
        return;
    }
    for (answer, point) in [("--approve", "settle.durable"), ("--reject", "report.durable")] {
        let user = user(true);
        user.run(["review", "--all", answer]).ok();
        let undo = ["review", "--all", "--undo"];
        let said = interrupted(&user, &undo, point, Signal::INT);
        assert_eq!(said.code, Some(75), "{}", said.stderr);
        assert!(said.stdout.starts_with("250 taken back"), "{}", said.stdout);
        assert!(said.stderr.contains("say the same again to go on with the 350"), "{}", said.stderr);
        assert!(user.run(undo).ok().starts_with("350 taken back"));
        assert_eq!(waiting(&user), [0, MANY], "{answer}");
    }
}

/// Wherever it dies, each decision is taken back or stands, and the same again takes back the rest.
#[test]
fn taking_decisions_back_may_die_anywhere() {
    if !has_crash_points() {
        return;
    }
    for (answer, point, merged_then) in [
        ("--approve", "claim.moved", 1),
        ("--approve", "claim.secured", STEP),
        ("--approve", "undo.yes_forgotten", 0),
        ("--approve", "settle.moved", 0),
        ("--approve", "settle.removed", 0),
        ("--reject", "report.durable", 0),
    ] {
        let user = user(true);
        user.run(["review", "--all", answer]).ok();
        let undo = ["review", "--all", "--undo"];
        let died = user.command(undo).env("LAST_WORD_TROUBLE", format!("point={point}")).output().unwrap();
        assert!(!died.status.success(), "{answer} {point}");
        user.run(undo);
        // What it had in hand is given back by a worker: with its yes it is merged, without one it waits again.
        user.run(["work"]).ok();
        user.run(["work"]).ok();
        let case = format!("{answer} {point}");
        assert_eq!((merged(&user), waiting(&user)), (merged_then, [0, MANY - merged_then]), "{case}");
    }
}
