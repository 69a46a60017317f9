//! Files in the queue that our user may not read, that are too large, or that are no files: each is reported by itself.
//! The jobs beside it go on, every command still answers, and the person can have it merged or get rid of it.

use crate::support::{NOBODY, Said, User};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A user whom permission bits bind.
fn bound_user() -> (User, PathBuf) {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# Notes\n").unwrap();
    user.is_bound();
    (user, notes)
}

fn run(user: &User, args: &[&str]) -> Said {
    Said::of(user.bound(args).output().unwrap())
}

fn declared(content: &str) -> String {
    format!(
        "{{\"version\":\"1.0.0\",\"entries\":[{{\"key\":{{\"kb\":\"notes\",\"heading\":\"Log\"}},\"operation\":\"append\",\"content\":\"{content}\"}}]}}\n"
    )
}

/// Takes the right to read a file away from its user: by its mode, or by giving it to root where we are root.
fn shut(path: &Path, by_owner: bool) {
    if by_owner && rustix::process::geteuid().is_root() {
        chown(path, Some(0), Some(0)).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    } else {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
}

fn open(path: &Path) {
    if rustix::process::geteuid().is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn only(user: &User, state: &str, ending: &str) -> PathBuf {
    let names = user.files(state);
    let mut fits = names.iter().filter(|name| name.ends_with(ending));
    let name = fits.next().unwrap_or_else(|| panic!("no {ending} in {state}: {names:?}"));
    assert_eq!(fits.next(), None, "{names:?}");
    user.home().join(state).join(name)
}

/// Two lines that a file in `pending/` says: as a declaration, as jobs of their own, or as jobs in one file. Answers the id
/// by which the second is known.
fn arrives(user: &User, how: &str) -> Option<String> {
    let lines = declared("- shut one") + &declared("- shut two");
    match how {
        "a declaration" => {
            let path = user.home().join("pending/left.jsonl.json");
            fs::write(&path, lines).unwrap();
            open(&path);
            None
        }
        "a job" => {
            let args = ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content"];
            let id = run(user, &[&args[..], &["- shut one\n- shut two"]].concat()).ok();
            Some(id.trim().to_owned())
        }
        _ => {
            let path = user.root().join("two.jsonl");
            fs::write(&path, lines).unwrap();
            open(&path);
            let ids = run(user, &["enqueue", path.to_str().unwrap()]).ok();
            Some(ids.lines().nth(1).unwrap().to_owned())
        }
    }
}

#[test]
fn a_file_that_may_not_be_read_keeps_nobody_waiting_and_can_be_retried() {
    for (how, by_owner) in
        [("a declaration", true), ("a declaration", false), ("a job", true), ("several jobs", true)]
    {
        let (user, notes) = bound_user();
        let second = arrives(&user, how);
        let ending = if how == "several jobs" { ".jsonl" } else { ".json" };
        shut(&only(&user, "pending", ending), by_owner);
        run(
            &user,
            &["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- open"],
        )
        .ok();
        if how != "a declaration" {
            // Also before a worker comes.
            run(&user, &["list"]).ok();
            assert!(run(&user, &["show", second.as_deref().unwrap()]).ok().contains("[unreadable_file]"));
        }
        run(&user, &["work"]).ok();
        assert!(fs::read_to_string(&notes).unwrap().ends_with("- open\n"), "{how}: the others go on");
        assert_eq!(user.counts(), [0, 0, 0, 1, 0, 1], "{how}");
        user.assert_clean();
        run(&user, &["work"]).ok();

        let original = only(&user, "staging/failed", ".original");
        let listed = run(&user, &["list", "failed", "--json"]).ok();
        let rows: serde_json::Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(rows[0]["error"], "unreadable_file", "{how}: {rows}");
        let id = rows[0]["id"].as_str().unwrap();
        let check = run(&user, &["status", "--check"]);
        assert!(check.code == Some(4) && check.stdout.contains("1 failed"), "{}", check.stdout);
        assert!(run(&user, &["status"]).ok().contains("last-word resolve --error unreadable_file"));
        for id in [Some(id), second.as_deref()].into_iter().flatten() {
            let shown = run(&user, &["show", id]).ok();
            assert!(shown.contains("may not be read") && shown.contains(", mode 0"), "{how}: {shown}");
            assert!(shown.contains(original.file_name().unwrap().to_str().unwrap()), "{how}: {shown}");
            assert!(run(&user, &["why", id]).ok().contains("--retry, or --discard"), "{how}");
            assert_eq!(run(&user, &["verify", id]).code, Some(4), "{how}");
        }
        let dry = run(&user, &["resolve", "--all", "--retry", "--dry-run"]).ok();
        assert!(dry.contains("would leave 1") && !dry.contains("would retry 1"), "{how}: {dry}");
        let stderr = run(&user, &["resolve", id, "--retry"]).fails(3, "may not be read");
        let root = by_owner && rustix::process::geteuid().is_root();
        let advice =
            if root { format!("hint: sudo chown {NOBODY} '") } else { "hint: chmod 600 '".to_owned() };
        assert!(stderr.contains(&advice) && stderr.contains(original.to_str().unwrap()), "{how}: {stderr}");
        assert_eq!(user.counts(), [0, 0, 0, 1, 0, 1], "{how}: it stayed");

        open(&original);
        run(&user, &["resolve", id, "--retry"]).ok();
        run(&user, &["work"]).ok();
        let text = fs::read_to_string(&notes).unwrap();
        assert!(text.ends_with("- open\n- shut one\n- shut two\n"), "{how}: {text}");
        assert_eq!(user.counts()[..5], [0, 0, 0, 0, 0], "{how}");
        assert_eq!(run(&user, &["verify", second.as_deref().unwrap_or(id)]).code, Some(0), "{how}");
        assert_eq!(run(&user, &["status", "--check"]).code, Some(0), "{how}");
        user.assert_clean();
    }
}

#[test]
fn a_file_that_may_not_be_read_is_discarded_unread_and_pruned() {
    let (user, _) = bound_user();
    arrives(&user, "several jobs");
    shut(&only(&user, "pending", ".jsonl"), true);
    run(&user, &["work"]).ok();
    let dry = run(&user, &["resolve", "--all", "--discard", "--dry-run"]).ok();
    assert!(dry.contains("would discard 1 job (1 unreadable_file)"), "{dry}");
    run(&user, &["resolve", "--all", "--discard"]).ok();
    assert_eq!(user.files("staging/failed"), Vec::<String>::new());
    only(&user, "done", ".original");
    let done: serde_json::Value =
        serde_json::from_str(&run(&user, &["list", "done", "--json"]).ok()).unwrap();
    assert_eq!(done[0]["outcome"], "discarded");
    assert!(
        run(&user, &["show", done[0]["id"].as_str().unwrap()]).ok().contains("not shown: it may not be read")
    );
    assert_pruned(&user);
}

/// A day of `done/` goes when it is old, whatever is in it.
fn assert_pruned(user: &User) {
    let done = user.home().join("done");
    let day = fs::read_dir(&done).unwrap().next().unwrap().unwrap().path();
    fs::rename(day, done.join("2020-01-01")).unwrap();
    run(user, &["prune"]).ok();
    assert_eq!(user.files("done"), Vec::<String>::new());
}

#[test]
fn a_staged_job_that_may_not_be_read() {
    let (user, _) = bound_user();
    let args = ["enqueue", "--to", "notes", "--heading", "None", "--op", "clear"];
    let id = run(&user, &args).ok().trim().to_owned();
    run(&user, &["work"]).ok();
    let staged = only(&user, "staging/failed", ".yaml");
    shut(&staged, false);
    assert_answers(&user, &id);
    run(&user, &["resolve", &id, "--retry"]).fails(3, "may not be read");
    open(&staged);
    run(&user, &["resolve", &id, "--retry"]).ok();
    assert_eq!(user.counts(), [1, 0, 0, 0, 0, 0]);
}

#[test]
fn a_proposal_that_may_not_be_read_is_not_approved_as_something_else() {
    let (user, _) = bound_user();
    let text = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    user.configure(&text.replace("notes.md\n", "notes.md\n    policy: review\n"));
    let id = run(&user, &["enqueue", "--to", "notes", "--heading", "New", "--content", "x"]).ok();
    run(&user, &["work"]).ok();
    let proposal = only(&user, "staging/review", ".yaml");
    shut(&proposal, false);
    run(&user, &["review", id.trim(), "--approve"]).fails(1, "may not be read");
    open(&proposal);
    run(&user, &["review", id.trim(), "--approve"]).ok();
    run(&user, &["work"]).ok();
    assert_eq!(run(&user, &["verify", id.trim()]).code, Some(0));
}

/// Whatever waits there, every command that only looks still answers.
#[track_caller]
fn assert_answers(user: &User, id: &str) {
    for args in [&["status"][..], &["list"], &["metrics"], &["log"], &["show", id], &["why", id]] {
        let said = run(user, args);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.stderr);
    }
    for args in [&["status", "--check"][..], &["verify", id]] {
        let said = run(user, args);
        assert_eq!(said.code, Some(4), "{args:?}: {}{}", said.stdout, said.stderr);
    }
    let doctor = run(user, &["doctor"]);
    assert!(doctor.stdout.contains("configuration"), "{}", doctor.stderr);
}

fn failed_id(user: &User) -> String {
    let rows: serde_json::Value =
        serde_json::from_str(&run(user, &["list", "failed", "--json"]).ok()).unwrap();
    rows[0]["id"].as_str().unwrap().to_owned()
}

const TOO_MANY: usize = (8 << 20) + 1;

#[test]
fn a_file_that_is_too_large_is_set_aside_seen_and_thrown_away() {
    let (user, _) = bound_user();
    let path = user.home().join("pending/big.yaml");
    fs::write(&path, "x".repeat(TOO_MANY)).unwrap();
    open(&path);
    run(&user, &["work"]).ok();
    let id = failed_id(&user);
    assert_answers(&user, &id);
    let original = only(&user, "staging/failed", ".original");
    let shown = run(&user, &["show", &id]).ok();
    let name = original.file_name().unwrap().to_str().unwrap();
    assert!(shown.contains("[job_too_large]") && shown.contains(&TOO_MANY.to_string()), "{shown}");
    assert!(shown.contains(name) && shown.len() < 4000, "where it is, and no more: {}", shown.len());
    let dry = run(&user, &["resolve", "--all", "--retry", "--dry-run"]).ok();
    assert!(dry.contains("would leave 1"), "{dry}");
    let stderr = run(&user, &["resolve", &id, "--retry"]).fails(3, "larger than 8388608 bytes");
    assert!(stderr.contains(&format!("hint: last-word resolve {id} --discard")), "{stderr}");
    assert!(original.exists());
    run(&user, &["resolve", "--all", "--discard"]).ok();
    assert_eq!(run(&user, &["status", "--check"]).code, Some(0));
    assert!(run(&user, &["show", &id]).ok().contains("discarded"));
    assert_pruned(&user);
}

#[test]
fn a_late_write_into_a_large_document_is_reported_and_ended() {
    use std::io::Write;
    let (user, notes) = bound_user();
    let filler = "filler filler filler filler filler filler\n".repeat(TOO_MANY / 42 + 1);
    fs::write(&notes, format!("# Notes\n\n{filler}")).unwrap();
    let note = ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content"];
    run(&user, &[&note[..], &["- one"]].concat()).ok();
    let mut editor = fs::File::options().append(true).open(&notes).unwrap();
    run(&user, &["work"]).ok();
    editor.write_all(b"late words\n").unwrap();
    run(&user, &["work"]).ok();
    let id = failed_id(&user);
    assert_answers(&user, &id);
    assert!(run(&user, &["show", &id]).ok().contains("[late_write]"));
    run(&user, &["resolve", &id, "--discard"]).ok();
    assert_eq!(run(&user, &["status", "--check"]).code, Some(0));
}

#[test]
fn a_directory_in_pending_stays_where_it_is_and_is_named() {
    let (user, notes) = bound_user();
    let dir = user.home().join("pending/notes.yaml");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("inside"), "x").unwrap();
    run(&user, &["enqueue", "--to", "notes", "--heading", "Log", "--content", "- open"]).ok();
    run(&user, &["work"]).ok();
    assert!(fs::read_to_string(&notes).unwrap().ends_with("- open\n"));
    assert!(dir.join("inside").exists());
    let status = run(&user, &["status"]).ok();
    assert!(status.starts_with("NEEDS SOMEBODY") && status.contains("pending/notes.yaml"), "{status}");
    fs::remove_dir_all(&dir).unwrap();
    assert_eq!(run(&user, &["status", "--check"]).code, Some(0));
}

#[test]
fn a_declaration_under_a_name_that_is_not_taken_in_is_told() {
    use std::os::unix::ffi::OsStrExt;
    let (user, _) = bound_user();
    let pending = user.home().join("pending");
    // An editor's own files are nobody's concern.
    fs::write(pending.join(".h.json.swp"), "x").unwrap();
    run(&user, &["work"]).ok();
    assert_eq!(run(&user, &["status", "--check"]).code, Some(0));
    for (name, told) in
        [(&b".h.json"[..], "pending/.h.json"), (&b"a\xff\xfeb.json"[..], r"pending/a\xff\xfeb.json")]
    {
        let path = pending.join(std::ffi::OsStr::from_bytes(name));
        fs::write(&path, declared("- dropped")).unwrap();
        crate::support::give_to_nobody(&pending);
        run(&user, &["work"]).ok();
        let status = run(&user, &["status"]).ok();
        assert!(status.starts_with("NEEDS SOMEBODY") && status.contains(told), "{status}");
        assert!(status.contains("hint: move it away"), "{status}");
        let doctor = run(&user, &["doctor"]);
        assert!(doctor.code == Some(4) && doctor.stdout.contains(told), "{}", doctor.stdout);
        fs::remove_file(&path).unwrap();
        assert_eq!(run(&user, &["status", "--check"]).code, Some(0));
    }
}

/// An earlier build moved directories there; and one may have the name of a job.
#[test]
fn a_directory_in_staging_is_thrown_away_whole() {
    let (user, _) = bound_user();
    let id = "01a20355-2a89-7000-9484-86a2e74d123c";
    let dir = user.home().join(format!("staging/failed/20261122-125200-{id}.original"));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("inside"), "x").unwrap();
    crate::support::give_to_nobody(&dir);
    assert_answers(&user, id);
    run(&user, &["resolve", id, "--retry"]).fails(3, "it is a directory");
    run(&user, &["resolve", id, "--edit"]).fails(1, "it is a directory");
    run(&user, &["resolve", "--all", "--discard"]).ok();
    assert_eq!(run(&user, &["status", "--check"]).code, Some(0));
    // What is in it is nobody's but the person's: it outlives its day.
    let done = user.home().join("done");
    let day = fs::read_dir(&done).unwrap().next().unwrap().unwrap().path();
    fs::rename(day, done.join("2020-01-01")).unwrap();
    run(&user, &["prune"]).ok();
    assert_eq!(user.files("done"), ["inside"]);
    run(&user, &["prune"]).ok();
}

/// What a newer build wrote is read by it as what it is.
#[test]
fn a_job_of_a_newer_build_waits_for_that_build() {
    let (user, notes) = bound_user();
    let id = arrives(&user, "a job").unwrap();
    let job = only(&user, "pending", ".json");
    let rewrite = |path: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    };
    rewrite(&job, "\"format\":1", "\"format\":2");
    run(&user, &["work"]).ok();
    assert!(run(&user, &["show", &id]).ok().contains("[future_version]"));
    // Still this build: it comes back as it was.
    run(&user, &["resolve", &id, "--retry"]).ok();
    run(&user, &["work"]).ok();
    assert!(run(&user, &["show", &id]).ok().contains("[future_version]"));
    // As if this were the newer one.
    rewrite(&only(&user, "staging/failed", ".original"), "\"format\":2", "\"format\":1");
    run(&user, &["resolve", &id, "--retry"]).ok();
    run(&user, &["work"]).ok();
    assert_eq!(run(&user, &["verify", &id]).code, Some(0));
    assert!(fs::read_to_string(&notes).unwrap().ends_with("- shut one\n- shut two\n"));
}

/// Somebody else planned in our home, root say: what they planned waits, and nobody else.
#[test]
fn a_session_that_is_not_ours_to_look_into() {
    let (user, notes) = bound_user();
    let entry = ["--to", "notes", "--heading", "Log", "--op", "append", "--content"];
    run(&user, &[&["plan", "--agent", "codex", "--session", "s1"], &entry[..], &["- planned"]].concat()).ok();
    run(&user, &["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- open"])
        .ok();
    let session = user.home().join("sessions/codex-s1");
    let log = session.join("log.jsonl");
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for (path, shut, again) in [(&log, 0o000, 0o600), (&session, 0o000, 0o700)] {
        mode(path, shut);
        let said = run(&user, &["work"]);
        assert!(said.stderr.contains("sessions/codex-s1 is left where it is"), "{}", said.stderr);
        said.ok();
        assert!(fs::read_to_string(&notes).unwrap().ends_with("- open\n"));
        let doctor = run(&user, &["doctor"]);
        assert!(doctor.code == Some(4) && doctor.stdout.contains("sessions/codex-s1"), "{}", doctor.stdout);
        run(&user, &["read", "notes"]).ok();
        mode(path, again);
    }
    run(&user, &["flush", "--all"]).ok();
    run(&user, &["work"]).ok();
    assert!(fs::read_to_string(&notes).unwrap().ends_with("- open\n- planned\n"));
}

/// Of an inbox that is not ours to change, nothing can be taken: it is said, and nobody waits for it.
#[test]
fn an_inbox_that_is_not_ours_to_change() {
    let (user, notes) = bound_user();
    let inbox = user.root().join("site/.agents");
    fs::create_dir_all(&inbox).unwrap();
    let config = user.home().join("config.yaml");
    let text = fs::read_to_string(&config).unwrap();
    let text =
        text.replace("knowledge_bases:\n", "knowledge_bases:\n  site: { path: site.md, root: project }\n");
    fs::write(&config, text + "projects: [~/site]\n").unwrap();
    let left = inbox.join("x.md.yaml");
    fs::write(&left, declared("- left").replace("notes", "site")).unwrap();
    crate::support::give_to_nobody(&user.root().join("site"));
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(&left).unwrap().set_modified(long_ago).unwrap();
    run(&user, &["enqueue", "--to", "notes", "--heading", "Log", "--content", "- open"]).ok();
    for mode in [0o555, 0o000] {
        fs::set_permissions(&inbox, fs::Permissions::from_mode(mode)).unwrap();
        let said = run(&user, &["work"]);
        assert!(said.stderr.contains("is left where it is: cannot"), "{mode:o}: {}", said.stderr);
        said.ok();
        assert!(fs::read_to_string(&notes).unwrap().ends_with("- open\n"));
        let check = run(&user, &["status", "--check"]);
        assert!(check.code == Some(4) && check.stdout.contains("1 left in inboxes"), "{}", check.stdout);
        let doctor = run(&user, &["doctor"]);
        assert!(doctor.code == Some(4) && doctor.stdout.contains("site/.agents"), "{}", doctor.stdout);
    }
    fs::set_permissions(&inbox, fs::Permissions::from_mode(0o700)).unwrap();
    crate::support::give_to_nobody(&inbox);
    run(&user, &["work"]).ok();
    assert!(fs::read_to_string(user.root().join("site/site.md")).unwrap().ends_with("- left\n"));
    assert_eq!(run(&user, &["status", "--check"]).code, Some(0));
}

/// A pipe in the place of a log of ours: opened as a file it waits for a writer, for ever, and no signal ends that.
#[test]
fn a_pipe_in_the_place_of_a_log_keeps_nobody_waiting() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# Notes\n").unwrap();
    let enqueue = |content: &str| {
        user.run(["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", content])
            .ok();
    };
    enqueue("- first");
    user.run(["work"]).ok();
    let only = |dir: &str| fs::read_dir(user.home().join(dir)).unwrap().next().unwrap().unwrap().path();
    for (log, content) in [(only("journal"), "- second"), (only("history").join("log.jsonl"), "- third")] {
        let kept = fs::read(&log).unwrap();
        fs::remove_file(&log).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&log).status().unwrap().success());
        enqueue(content);
        // Each of these ends: that is what is tried here.
        for args in [&["work"][..], &["status"], &["doctor"], &["history", "notes"]] {
            user.run(args.iter().copied());
        }
        fs::remove_file(&log).unwrap();
        fs::write(&log, kept).unwrap();
    }
    user.run(["work"]).ok();
    assert_eq!(user.counts().iter().sum::<usize>(), 3, "no job is lost");
    assert_eq!(user.counts()[..3], [0; 3], "and none waits: {:?}", user.counts());
}
