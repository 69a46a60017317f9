//! A home as crashes, other programs and newer versions leave it: an id in two places, files that are not ours in every
//! directory, jobs of a version that is not supported. Recovered or reported, never guessed, never rewritten.

use crate::support::User;
use last_word::Timestamp;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

const STATES: [&str; 5] = ["pending", "deferred", "processing/w5", "staging/failed", "staging/review"];

fn with_document() -> (User, PathBuf) {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# Notes\n\n## Log\n\n- old\n").unwrap();
    (user, notes)
}

/// The day on which this id was made, as `done/` has it: an id begins with its time, in milliseconds.
fn day_of(id: &str) -> String {
    Timestamp(u64::from_str_radix(&id.replace('-', "")[..12], 16).unwrap()).day()
}

/// The only file of a state, and its name.
fn only(user: &User, state: &str) -> (PathBuf, String) {
    let files = user.files(state);
    assert_eq!(files.len(), 1, "{state}: {files:?}");
    let name = files.into_iter().next().unwrap();
    let name = Path::new(&name).file_name().unwrap().to_str().unwrap().to_owned();
    (user.home().join(state).join(&name), name)
}

#[test]
fn a_job_that_was_copied_under_another_id_is_a_job_of_its_own() {
    let (user, notes) = with_document();
    let id = user.note("Log", "append", "- one");
    let (from, name) = only(&user, "pending");
    let other = format!("01a00000{}", &id[8..]);
    fs::copy(&from, from.with_file_name(name.replace(&id, &other))).unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2], "the name says who it is, not what was written in it");
    for id in [&id, &other] {
        assert!(user.run(["show", id]).ok().contains(id.as_str()), "{id}");
        user.run(["verify", id]).ok();
    }
    assert_eq!(fs::read_to_string(&notes).unwrap().matches("- one\n").count(), 1);
}

#[test]
fn what_is_no_receipt_ends_no_job() {
    type Bytes = fn(&User) -> String;
    let foreign: Bytes = |user: &User| {
        let id = user.note("Log", "append", "- another");
        user.run(["work"]).ok();
        let (receipt, other) = (&user.files("done")[0], "01a00000-0000-7000-8000-000000000000");
        let day = fs::read_dir(user.home().join("done")).unwrap().next().unwrap().unwrap().path();
        fs::read_to_string(day.join(receipt)).unwrap().replace(&id, other)
    };
    let torn: [(&str, Bytes); 4] = [
        ("empty", |_| String::new()),
        ("torn", |_| "{\"job\":{\"rec".to_owned()),
        ("no job", |_| "{}".to_owned()),
        ("another job's", foreign),
    ];
    for (what, bytes) in torn {
        for dead in [false, true] {
            let (user, notes) = with_document();
            let bytes = bytes(&user);
            let id = user.note("Log", "append", "- the real words");
            if dead {
                let (from, name) = only(&user, "pending");
                fs::create_dir(user.home().join("processing/w5")).unwrap();
                fs::rename(from, user.home().join("processing/w5").join(name)).unwrap();
            }
            let day = user.home().join("done").join(day_of(&id));
            fs::create_dir_all(&day).unwrap();
            fs::write(day.join(format!("{id}.json")), &bytes).unwrap();
            user.run(["work"]).ok();
            let said = user.run(["show", &id]).ok();
            assert!(said.contains("the real words"), "{what}, {dead}: {said}");
            assert!(said.contains(&format!("{id}.unreadable")), "{what}, {dead}: {said}");
            let aside = fs::read_to_string(day.join(format!("{id}.unreadable"))).unwrap();
            assert_eq!(aside, bytes, "{what}: it stays as it was");
            user.run(["resolve", &id, "--retry"]).ok();
            user.run(["work"]).ok();
            assert_eq!(
                fs::read_to_string(&notes).unwrap().matches("- the real words\n").count(),
                1,
                "{what}"
            );
            assert!(user.run(["verify", &id]).ok().contains("applied"), "{what}, {dead}");
        }
    }
}

#[test]
fn an_id_in_two_places_has_one_effect() {
    let moved = |name: &str| name.replace("~0.json", "~1.json");
    type Copy = fn(&User, &str) -> PathBuf;
    let copies: [(&str, Copy); 4] = [
        ("a newer copy in pending", |user, name| user.home().join("pending").join(name)),
        ("a newer copy in deferred, long due", |user, name| {
            user.home().join("deferred").join(format!("000000000000001~{name}"))
        }),
        ("a newer copy that a dead worker held", |user, name| {
            fs::create_dir(user.home().join("processing/w5")).unwrap();
            user.home().join("processing/w5").join(name)
        }),
        ("an older copy in deferred", |user, name| {
            user.home()
                .join("deferred")
                .join(format!("000000000000001~{}", name.replace("~1.json", "~0.json")))
        }),
    ];
    for (what, copy) in copies {
        let (user, notes) = with_document();
        user.note("Log", "append", "- one");
        let (from, name) = only(&user, "pending");
        if what.starts_with("an older") {
            let newer = from.with_file_name(moved(&name));
            fs::rename(&from, &newer).unwrap();
            fs::copy(newer, copy(&user, &moved(&name))).unwrap();
        } else {
            fs::copy(from, copy(&user, &moved(&name))).unwrap();
        }
        user.run(["work"]).ok();
        user.run(["work"]).ok();
        assert_eq!(fs::read_to_string(notes).unwrap(), "# Notes\n\n## Log\n\n- old\n- one\n", "{what}");
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1], "{what}");
    }
}

/// As when a backup of `pending/` is put back: alone or with others in its file, whole or one after another at their end.
#[test]
fn what_is_done_and_waits_again_is_not_done_again() {
    let entry = |heading: &str, operation: &str, text: &str| {
        json!({ "version": "1.0.0", "source": "t", "entries": [
            { "key": { "kb": "notes", "heading": heading }, "operation": operation, "content": text } ] })
        .to_string()
    };
    let alone = vec![entry("Log", "update", "old")];
    let together = vec![entry("Log", "update", "old"), entry("Other", "update", "old")];
    let split =
        vec![entry("Log", "update", "old"), entry("Twice", "append", "no"), entry("Other", "update", "old")];
    for state in ["pending", "deferred", "processing/w5"] {
        for declared in [&alone, &together, &split] {
            let (user, notes) = with_document();
            fs::write(&notes, "## Log\n\n## Other\n\n## Twice\n\n## Twice\n").unwrap();
            user.run_with(["enqueue", "-"], declared.join("\n").as_bytes()).ok();
            let (from, name) = only(&user, "pending");
            let bytes = fs::read(from).unwrap();
            user.run(["work"]).ok();
            assert!(fs::read_to_string(&notes).unwrap().contains("old"));
            // Somebody has written something else since.
            user.note("Log", "update", "new");
            user.run(["work"]).ok();
            user.note("Other", "update", "new");
            user.run(["work"]).ok();
            let before = (fs::read_to_string(&notes).unwrap(), user.counts());
            assert!(!before.0.contains("old"), "{}", before.0);
            let dir = user.home().join(state);
            fs::create_dir_all(&dir).unwrap();
            let due = if state == "deferred" { "000000000000001~" } else { "" };
            let is_bundle = name.ends_with(".jsonl");
            if is_bundle && state == "deferred" {
                continue;
            }
            fs::write(dir.join(format!("{due}{name}")), bytes).unwrap();
            user.run(["work"]).ok();
            user.run(["work"]).ok();
            let after = (fs::read_to_string(&notes).unwrap(), user.counts());
            assert_eq!(after, before, "{state}, {} at once", declared.len());
            user.assert_clean();
        }
    }
}

#[test]
fn what_is_not_ours_is_left_alone_and_named() {
    let (user, _) = with_document();
    let dirs = STATES.into_iter().chain([
        "processing",
        "done",
        "tmp",
        "keys",
        "journal",
        "locks",
        "history",
        "sessions",
        "purges",
        "adoptions",
        "approvals",
        "holds",
        "receipts",
        "installed",
    ]);
    let mut foreign = Vec::new();
    for dir in dirs {
        let dir = user.home().join(dir);
        fs::create_dir_all(&dir).unwrap();
        for name in ["README.txt", ".DS_Store", "01938f00-0000-7000-8000-00000000000a~zz~0.json~"] {
            fs::write(dir.join(name), "not ours").unwrap();
            foreign.push(dir.join(name));
        }
        // A directory in `processing/` is a worker's.
        if !dir.ends_with("processing") {
            fs::create_dir(dir.join("a folder")).unwrap();
            foreign.push(dir.join("a folder"));
        }
    }
    std::os::unix::fs::symlink("nowhere", user.home().join("processing/leads nowhere")).unwrap();
    user.note("Log", "append", "- one");
    let said = user.run(["work"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    for path in foreign {
        assert!(path.exists(), "{} was taken away", path.display());
    }
    assert!(user.files("done").iter().any(|name| name.ends_with(".json")), "the job is done all the same");
    let status = user.run(["status"]).ok();
    let unknown = ["pending/README.txt", "deferred/README.txt", "failed/README.txt", "processing/README.txt"];
    for state in unknown.into_iter().chain(["processing/leads nowhere"]) {
        assert!(status.contains(state), "{state} is not named: {status}");
    }
    assert!(!status.contains(".DS_Store"), "hidden files are nobody's business: {status}");
}

#[test]
fn a_record_of_a_purge_that_cannot_be_read_stops_no_run() {
    let (user, notes) = with_document();
    let record = user.home().join("purges/zz.json");
    fs::create_dir_all(record.parent().unwrap()).unwrap();
    fs::write(&record, "not ours").unwrap();
    user.note("Log", "append", "- one");
    let said = user.run(["work"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("purges/zz.json"), "it is named: {}", said.stderr);
    assert!(fs::read_to_string(&notes).unwrap().contains("- one"), "the job is done all the same");
    let doctor = user.run(["doctor"]).stdout;
    assert!(doctor.contains("purges/zz.json"), "{doctor}");
    assert!(record.exists());
}

#[test]
fn a_job_of_a_newer_version_is_kept_and_never_rewritten() {
    for state in STATES {
        let (user, notes) = with_document();
        user.note("Log", "append", "- one");
        let before = fs::read_to_string(&notes).unwrap();
        let (from, name) = only(&user, "pending");
        let text = fs::read_to_string(&from).unwrap().replace("\"format\":1", "\"format\":2");
        fs::remove_file(from).unwrap();
        let id = name.split('~').next().unwrap().to_owned();
        let dir = user.home().join(state);
        fs::create_dir_all(&dir).unwrap();
        let name = match state {
            "deferred" => format!("000000000000001~{name}"),
            "staging/failed" | "staging/review" => format!("20261122-101112-{id}.yaml"),
            _ => name,
        };
        fs::write(dir.join(name), &text).unwrap();
        user.run(["work"]).ok();
        assert_eq!(fs::read_to_string(&notes).unwrap(), before, "{state}: nothing is guessed");
        let kept: Vec<PathBuf> = user
            .tree()
            .into_iter()
            .filter(|(_, bytes)| bytes == text.as_bytes())
            .map(|(path, _)| path)
            .collect();
        assert_eq!(kept.len(), 1, "{state}: kept byte for byte, once: {kept:?}");
        assert!(kept[0].to_string_lossy().contains("/staging/"), "{state}: where people look: {kept:?}");
        let shown = user.run(["show", &id]).ok();
        assert!(shown.contains("newer") || shown.contains("version"), "{state}: {shown}");
    }
}

#[test]
fn a_torn_intent_or_a_claim_without_one_is_recovered() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- one");
    let (from, name) = only(&user, "pending");
    let held = user.home().join("processing/w5");
    fs::create_dir(&held).unwrap();
    fs::rename(from, held.join(name)).unwrap();
    fs::write(held.join("commit-01938f00-0000-7000-8000-00000000000a.json"), "{\"format\":1,\"bat").unwrap();
    let said = user.run(["work"]);
    // Written down before anything was exchanged, and renamed to this name only when it was whole: somebody else's hand.
    assert!(matches!(said.code, Some(0 | 1)), "{}", said.stderr);
    if said.code == Some(1) {
        assert!(said.stderr.contains("commit-01938f00") && said.stderr.contains("hint:"), "{}", said.stderr);
        fs::remove_file(held.join("commit-01938f00-0000-7000-8000-00000000000a.json")).unwrap();
        user.run(["work"]).ok();
    }
    assert!(fs::read_to_string(notes).unwrap().ends_with("- old\n- one\n"));
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1]);
}

/// A worker dies in the middle of a commit, and then the documents are elsewhere, as in a home that was restored under
/// another name, or gone with their directory. Neither may keep the next run from ending what was begun.
#[test]
fn a_commit_cut_short_whose_directory_is_elsewhere_or_gone_is_ended() {
    if !crate::support::has_crash_points() {
        return;
    }
    let kb = |dir: &Path| {
        format!("version: 1\nknowledge_bases:\n  notes: {{ path: {} }}\n", dir.join("notes.md").display())
    };
    for moved in [true, false] {
        let mut cut = 0;
        for step in 1.. {
            let user = User::new();
            let (dir, other) = (user.root().join("docs"), user.root().join("elsewhere"));
            user.configure(&kb(&dir));
            fs::create_dir(&dir).unwrap();
            fs::write(dir.join("notes.md"), "# Notes\n\n## Log\n\n- old\n").unwrap();
            let id = user.note("Log", "append", "- one");
            let order = format!("step={step}");
            let died = user.command(["work"]).env("LAST_WORD_TROUBLE", &order).output().unwrap();
            if died.status.success() {
                break;
            }
            cut += 1;
            if moved {
                fs::rename(&dir, &other).unwrap();
                user.configure(&kb(&other));
            } else {
                fs::remove_dir_all(&dir).unwrap();
            }
            user.run(["work"]).ok();
            assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1], "{order}, moved: {moved}");
            assert_eq!(user.json(["verify", &id])["fate"], "applied", "{order}, moved: {moved}");
            let said = fs::read_to_string(other.join("notes.md")).unwrap_or_default();
            assert_eq!(said.matches("- one\n").count(), usize::from(moved), "{order}, moved: {moved}");
            if moved {
                assert_eq!(said, "# Notes\n\n## Log\n\n- old\n- one\n", "{order}");
                let left = fs::read_dir(&other).unwrap().count();
                assert_eq!(left, 1, "{order}: nothing is left beside the document");
            }
        }
        assert!(cut > 20, "{cut} steps were cut, moved: {moved}");
    }
}
