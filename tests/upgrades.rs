//! Homes of every released version are read for ever: `fixtures/homes/<version>/` is such a home, frozen, with a job in
//! every state, a commit that was cut short, a session, a hold, keys, history and journal. And what a newer version wrote
//! is refused and never written over.
//!
//! A home of a version to come is made once, at its release, and not changed afterwards.

use crate::support::{User, binary};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Takes a home out of the fixtures. `@ROOT@` in its files is the user's home directory; `KEY` in the name of a history
/// is the hash of the document's path.
fn user_of(version: &str) -> User {
    let user = User::bare();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/homes").join(version);
    let root = user.root().canonicalize().unwrap();
    copy(&from, &root, &root);
    fs::create_dir_all(user.home().parent().unwrap()).unwrap();
    fs::rename(root.join("home"), user.home()).unwrap();
    fs::rename(root.join("other.md.displaced"), root.join(".other.md.last-word-0")).unwrap();
    user.run(["init"]).ok();
    user.lets_tests_decide();
    user
}

fn copy(from: &Path, to: &Path, root: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let mut name = entry.file_name().into_string().unwrap();
        if let Some(document) = name.strip_suffix("-KEY") {
            let hash = Sha256::digest(root.join(document).display().to_string());
            let hex: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            name = format!("{document}-{hex}");
        }
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(name), root);
        } else {
            let text = fs::read_to_string(entry.path()).unwrap();
            fs::write(to.join(name), text.replace("@ROOT@", &root.display().to_string())).unwrap();
        }
    }
}

fn versions() -> Vec<String> {
    let homes = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/homes");
    fs::read_dir(homes).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The id of the only job of a state.
fn id_of(user: &User, state: &str) -> String {
    let jobs = user.json(["list", state]);
    assert_eq!(jobs.as_array().unwrap().len(), 1, "{state}: {jobs}");
    jobs[0]["id"].as_str().unwrap().to_owned()
}

/// A yes to a proposal of a version that wrote no seal: nobody can tell whether it is what was proposed, so it is looked at.
fn approve_unsealed(user: &User, id: &str) {
    user.run(["review", id, "--approve"]).fails(1, "it has no seal");
    user.on_terminal(&format!("review {id}"), "a\n", &user.root().join("none"))
        .expect("a terminal to approve on: `script` of util-linux");
}

#[test]
fn every_old_home_is_read_and_worked_on() {
    assert!(!versions().is_empty());
    for version in versions() {
        let user = user_of(&version);
        let jobs = user.json(["list"]);
        for job in jobs.as_array().unwrap() {
            user.run(["show", job["id"].as_str().unwrap()]).ok();
        }
        let (failed, review, deferred) =
            (id_of(&user, "failed"), id_of(&user, "review"), id_of(&user, "deferred"));
        // A key of then is known now.
        let again = [
            "enqueue",
            "--to",
            "notes",
            "--heading",
            "Log",
            "--op",
            "append",
            "--content",
            "- first",
            "--key",
            "once",
        ];
        let first = user.run(again).ok().trim().to_owned();
        assert_eq!(user.run(["verify", &first]).code, Some(0), "{version}: it ended long ago");
        user.run(["flush", "--all"]).ok();
        user.run(["release", "--all"]).ok();
        let held = user.json(["list", "pending"]);
        for job in held.as_array().unwrap() {
            user.run(["release", job["id"].as_str().unwrap()]);
        }
        user.run(["work"]).ok();
        approve_unsealed(&user, &review);
        user.run(["resolve", &failed, "--discard"]).ok();
        user.run(["work"]).ok();
        assert_eq!(user.counts()[..5], [0; 5], "{version}: all ended");
        assert_eq!(user.run(["verify", &deferred]).code, Some(0), "{version}");
        let text = |name: &str| fs::read_to_string(user.root().join(name)).unwrap();
        assert_eq!(
            text("notes.md"),
            "# Notes\n\n## Log\n\n- before\n- first\n- second\n- waits\n- held\n\n## Style\n\nshort\n\n## Plans\n\n- planned\n",
            "{version}"
        );
        assert_eq!(
            text("other.md"),
            "# Other\n\n## Log\n\n- before\n- cut short\n",
            "{version}: the commit was ended once"
        );
        assert!(text("soul.md").contains("kind") && text("away/gone.md").contains("- late"), "{version}");
        // What happened then, who wrote it, and the way back.
        assert!(
            user.run(["log", "--limit", "0", "--since", "2020-01-01"]).ok().contains(&first),
            "{version}"
        );
        assert!(user.run(["blame", "notes"]).ok().contains("codex"), "{version}");
        assert!(user.run(["history", "notes"]).ok().contains("codex"), "{version}");
        user.run(["rollback", "notes", "--to", "1"]).ok();
        user.run(["work"]).ok();
        assert!(!text("notes.md").contains("- second"), "{version}");
        let metrics = user.run(["metrics"]).ok();
        let failed = metrics
            .lines()
            .find(|line| line.starts_with("last_word_jobs_total{outcome=\"failed\"}"))
            .unwrap();
        assert!(failed.ends_with(" 2"), "{version}: counted on from then: {failed}");
        user.run(["doctor"]).ok();
    }
}

#[test]
fn what_a_newer_version_wrote_is_refused_and_not_written_over() {
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    user.run(["work"]).ok();
    // The counters: left as they are, and the run goes on.
    let counters = user.home().join("locks/counters");
    let newer = "{\"version\":9,\"shape\":\"unheard of\"}\n";
    fs::write(&counters, newer).unwrap();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&counters).unwrap(), newer);
    // A document's history: nothing is written to the document without it.
    let history = fs::read_dir(user.home().join("history")).unwrap().next().unwrap().unwrap().path();
    let log = history.join("log.jsonl");
    let before = format!(
        "{}{}",
        fs::read_to_string(&log).unwrap(),
        "{\"format\":9,\"version\":3,\"at\":\"2027-01-01T00:00:00Z\",\"batch\":\"x\",\"by\":\"w1\",\"before\":null,\"after\":\"x\",\"jobs\":[]}\n"
    );
    fs::write(&log, &before).unwrap();
    let id = user.note("Log", "append", "- three");
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&log).unwrap(), before);
    let why = user.run(["why", &id]).ok();
    assert!(why.contains("newer"), "{why}");
    assert!(!fs::read_to_string(user.root().join("notes.md")).unwrap().contains("- three"));
    // The settings: nothing runs by rules that are only half understood.
    let config = user.home().join("config.yaml");
    let newer = fs::read_to_string(&config).unwrap().replace("version: 1", "version: 2");
    fs::write(&config, &newer).unwrap();
    user.run(["work"]).fails(1, "version 2");
    user.run(["enqueue", "--to", "notes", "--heading", "Log", "--content", "x"]).fails(1, "version 2");
    assert_eq!(fs::read_to_string(&config).unwrap(), newer);
}

/// A program as an upgrade puts it: written beside, renamed over the one that is there.
fn put_program(from: &str, at: &Path) {
    let beside = at.with_extension("new");
    let copied = std::process::Command::new("cp").arg(from).arg(&beside).status().unwrap();
    assert!(copied.success());
    fs::rename(beside, at).unwrap();
}

/// Hooks call the program by its path, again and again, while an upgrade renames another file over it; the worker that
/// watches goes on with the old one. Nothing is refused, lost or merged twice.
#[test]
fn hooks_keep_working_while_the_program_is_replaced() {
    let user = User::new();
    let notes = user.with_notes();
    let program = user.root().join("last-word");
    put_program(binary(), &program);
    let call = |words: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command.args(words).env_clear().env("HOME", user.root()).current_dir(user.root());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
        command
    };
    let mut watching = call(&["work", "--watch"]).spawn().unwrap();
    let lines: Vec<String> = (0..24).map(|number| format!("- hook {number}")).collect();
    for (number, line) in lines.iter().enumerate() {
        if number % 3 == 1 {
            put_program(binary(), &program);
        }
        let said =
            call(&["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", line])
                .output();
        let said = said.unwrap();
        assert!(said.status.success(), "{line}: {}", String::from_utf8_lossy(&said.stderr));
    }
    // The new program beside the old worker; what is left when both are through is counted.
    assert!(call(&["work"]).status().unwrap().success());
    rustix::process::kill_process(rustix::process::Pid::from_child(&watching), rustix::process::Signal::TERM)
        .unwrap();
    assert!(watching.wait().unwrap().success());
    assert!(call(&["work"]).status().unwrap().success());
    assert_eq!(fs::read_to_string(notes).unwrap(), format!("## Log\n\n{}\n", lines.join("\n")));
    assert_eq!(user.counts()[..5], [0; 5]);
}

/// What a newer program may leave in each place of a home: a later form of what is there. No command of ours, one after
/// another, changes a byte of it; what cannot be worked on is set aside whole.
#[test]
fn a_newer_home_is_not_damaged_by_any_command() {
    let user = user_of("0.1.0");
    let job = |id: &str| {
        format!(
            "{{\"job\":{{\"format\":9,\"id\":\"{id}\",\"rev\":0,\"kept\":\"in a new way\"}},\"version\":\"3.0.0\",\"entries\":[]}}\n"
        )
    };
    let id = "01a20205-7777-7000-8000-00000000000";
    let home = user.home();
    let files = [
        (format!("pending/{id}1~08a0d116~0.json"), job(&format!("{id}1"))),
        (format!("deferred/001795330233160~{id}2~08a0d116~2.json"), job(&format!("{id}2"))),
        (format!("staging/failed/20261122-065031-{id}3.yaml"), job(&format!("{id}3"))),
        (format!("staging/review/20261122-065031-{id}4.yaml"), job(&format!("{id}4"))),
    ];
    for (path, text) in &files {
        fs::write(home.join(path), text).unwrap();
    }
    for words in [
        &["status"][..],
        &["list"],
        &["doctor", "--fix"],
        &["work"],
        &["flush", "--all"],
        &["prune"],
        &["metrics"],
        &["resolve", "--all", "--retry"],
        &["review", "--all", "--approve"],
        &["work"],
    ] {
        user.run(words);
    }
    let kept: Vec<Vec<u8>> = user.tree().into_values().collect();
    for (path, text) in &files {
        assert!(kept.iter().any(|bytes| bytes == text.as_bytes()), "{path} is nowhere as it was");
    }
}
