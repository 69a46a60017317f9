//! Jobs of one call for one document share a file. Through the binary they are jobs like any others, even when one fails
//! and another does not.

use crate::support::User;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

fn entry(kb: &str, heading: &str, operation: &str, content: Option<&str>) -> Value {
    json!({ "version": "1.0.0", "source": "t", "entries": [
        { "key": { "kb": kb, "heading": heading }, "operation": operation, "content": content } ] })
}

fn note(line: &str) -> Value {
    entry("notes", "Log", "append", Some(line))
}

/// Declares several things in one call, and answers their ids.
fn declare(user: &User, declarations: &[Value]) -> Vec<String> {
    let lines: Vec<String> = declarations.iter().map(Value::to_string).collect();
    let said = user.run_with(["enqueue", "-"], lines.join("\n").as_bytes()).ok();
    said.lines().map(str::to_owned).collect()
}

fn with_log() -> (User, PathBuf) {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# Notes\n\n## Log\n\n- zero\n").unwrap();
    (user, notes)
}

fn log_of(notes: &PathBuf) -> Vec<String> {
    let text = fs::read_to_string(notes).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect()
}

fn listed(user: &User, state: &str) -> Vec<String> {
    let rows = user.json(["list", state]);
    rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

fn fate(user: &User, id: &str) -> String {
    user.json(["verify", id])["fate"].as_str().unwrap().to_owned()
}

/// The one bundle in a state.
fn bundle(user: &User, state: &str) -> PathBuf {
    let mut found: Vec<PathBuf> = user
        .tree()
        .into_keys()
        .filter(|path| path.to_str().unwrap().contains(&format!("/{state}/")))
        .collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    assert_eq!(found.len(), 1, "{found:?}");
    user.root().join(found.remove(0))
}

#[test]
fn what_is_said_at_once_is_one_file_and_as_many_jobs() {
    let (user, notes) = with_log();
    let ids = declare(&user, &[note("- one"), note("- two"), note("- three")]);
    assert_eq!(ids.len(), 3);
    let files = user.files("pending");
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].starts_with(&ids[0]) && files[0].ends_with("~3.jsonl"), "{files:?}");
    assert_eq!(listed(&user, "pending"), ids);
    let shown = user.json(["show", &ids[1]]);
    assert_eq!(shown["job"]["job"]["id"], *ids[1]);
    assert_eq!(shown["job"]["entries"][0]["content"], "- two");
    assert_eq!(user.json(["why", &ids[2]])["because"], "next_run");
    assert_eq!(fate(&user, &ids[2]), "waiting");
    let status = user.json(["status"]);
    assert_eq!((&status["states"][0]["count"], &status["documents"][0]["pending"]), (&json!(3), &json!(3)));
    let preview = user.run(["apply", "--dry-run"]).ok();
    assert!(preview.contains("+- one\n+- two\n+- three"), "{preview}");

    user.run(["work"]).ok();
    assert_eq!(log_of(&notes), ["zero", "one", "two", "three"]);
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
    bundle(&user, "done");
    for id in &ids {
        let verdict = user.json(["verify", id]);
        assert_eq!((&verdict["fate"], &verdict["version"]), (&json!("applied"), &json!(1)));
        assert_eq!(user.json(["show", id])["job"]["job"]["id"], **id);
        assert_eq!(user.json(["log", "--id", id]).as_array().unwrap().len(), 1);
    }
    let mut ended = listed(&user, "done");
    ended.sort();
    assert_eq!(ended, ids);
    let status = user.json(["status"]);
    assert_eq!(status["states"][5]["count"], 3);
    // A beginning that only the last one has.
    let other = ids[2].bytes().zip(ids[1].bytes()).position(|(a, b)| a != b).unwrap();
    assert_eq!(user.json(["show", &ids[2][..=other]])["job"]["job"]["id"], *ids[2]);
    assert!(user.run(["doctor"]).ok().contains("ok"));
    user.assert_clean();
}

#[test]
fn what_changes_nothing_ends_together_and_says_so() {
    let (user, notes) = with_log();
    let ids = declare(&user, &[note("- zero"), note("- zero")]);
    user.run(["work"]).ok();
    assert_eq!(log_of(&notes), ["zero"]);
    bundle(&user, "done");
    assert_eq!(ids.iter().map(|id| fate(&user, id)).collect::<Vec<_>>(), ["unchanged", "unchanged"]);
    user.assert_clean();
}

#[test]
fn one_that_fails_does_so_alone_and_is_resolved_alone() {
    let (user, notes) = with_log();
    let missing = entry("notes", "Missing", "clear", None);
    let ids = declare(&user, &[note("- one"), missing, note("- two")]);
    user.run(["work"]).ok();
    assert_eq!(log_of(&notes), ["zero", "one", "two"]);
    assert_eq!(user.counts(), [0, 0, 0, 1, 0, 2]);
    assert_eq!(listed(&user, "failed"), [ids[1].clone()]);
    let fates: Vec<String> = ids.iter().map(|id| fate(&user, id)).collect();
    assert_eq!(fates, ["applied", "failed", "applied"]);
    user.assert_clean();
    fs::write(&notes, fs::read_to_string(&notes).unwrap() + "\n## Missing\n\nnot any more\n").unwrap();
    // A second try takes out nothing that a person wrote since; they say that it may.
    user.run(["resolve", &ids[1], "--retry"]).ok();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&notes).unwrap().contains("not any more"));
    user.run(["resolve", &ids[1], "--theirs"]).ok();
    user.run(["work"]).ok();
    assert!(!fs::read_to_string(&notes).unwrap().contains("not any more"));
    assert_eq!(fate(&user, &ids[1]), "applied");
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
    user.assert_clean();
}

#[test]
fn those_before_a_held_one_go_on_and_those_behind_it_wait() {
    let (user, notes) = with_log();
    let ids = declare(&user, &[note("- one"), note("- two"), note("- three")]);
    user.run(["hold", &ids[1], "--reason", "not yet"]).ok();
    user.run(["work"]).ok();
    assert_eq!(log_of(&notes), ["zero", "one"]);
    assert_eq!(listed(&user, "pending"), ids[1..]);
    assert_eq!(user.json(["why", &ids[1]])["because"], "job_held");
    assert_eq!(user.json(["why", &ids[2]])["because"]["behind"]["id"], *ids[1]);
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [2, 0, 0, 0, 0, 1]);
    user.run(["release", &ids[1]]).ok();
    user.run(["work"]).ok();
    assert_eq!(log_of(&notes), ["zero", "one", "two", "three"]);
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
    user.assert_clean();
}

#[test]
fn a_held_first_one_keeps_the_file_as_it_is() {
    let (user, notes) = with_log();
    let ids = declare(&user, &[note("- one"), note("- two")]);
    let before = user.files("pending");
    user.run(["hold", &ids[0]]).ok();
    user.run(["work"]).ok();
    assert_eq!((log_of(&notes), user.files("pending")), (vec!["zero".to_owned()], before));
    user.run(["release", &ids[0]]).ok();
    user.run(["work"]).ok();
    assert_eq!(log_of(&notes), ["zero", "one", "two"]);
}

#[test]
fn a_document_that_cannot_be_written_puts_off_the_first_and_keeps_the_order() {
    let (user, notes) = with_log();
    let ids = declare(&user, &[note("- one"), note("- two"), note("- three")]);
    fs::remove_file(&notes).unwrap();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes:\n    path: {}\n    validate: [[\"sh\", \"-c\", \"exit 75\", \"{{candidate}}\"]]\nsession_bootstrap: [notes]\nretry: {{ retries: 3, base: 1h, cap: 1h }}\n",
        notes.display()
    ));
    user.run(["work"]).ok();
    assert_eq!((listed(&user, "deferred"), listed(&user, "pending")), (ids[..1].to_vec(), ids[1..].to_vec()));
    user.with_notes();
    user.run(["apply", &ids[0]]).ok();
    user.run(["work"]).ok();
    assert_eq!(log_of(&notes), ["one", "two", "three"]);
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
    user.assert_clean();
}

#[test]
fn a_knowledge_base_that_is_gone_fails_each_of_them() {
    let (user, _) = with_log();
    let ids = declare(&user, &[note("- one"), note("- two")]);
    user.configure(
        "version: 1\nknowledge_bases:\n  other: { path: ~/other.md }\nsession_bootstrap: [other]\n",
    );
    user.run(["work"]).ok();
    assert_eq!(listed(&user, "failed"), ids);
    assert_eq!(user.counts(), [0, 0, 0, 2, 0, 0]);
    user.assert_clean();
}

#[test]
fn what_somebody_spoilt_waits_verbatim_and_the_others_go_on() {
    type Spoil = fn(&[&str]) -> String;
    type Left<'a> = (usize, Spoil, &'a str);
    // What the file says then, what is merged, and what is left of the jobs that are not.
    let cases: [(Spoil, &[&str], &[Left<'_>]); 7] = [
        (
            |l| l.concat().replacen("- two", "- \u{0}", 1),
            &["one", "three"],
            &[(1, |l| l[1].trim_end().replacen("- two", "- \u{0}", 1), "NUL byte")],
        ),
        (|l| l.concat().trim_end().to_owned(), &["one", "two", "three"], &[]),
        (|l| l[..2].concat(), &["one", "two"], &[(2, |_| String::new(), "the file is empty")]),
        (
            |l| l.concat()[..l.concat().len() - 5].to_owned(),
            &["one", "two"],
            &[(2, |l| l[2][..l[2].len() - 5].to_owned(), "middle of a value")],
        ),
        (|l| [l[2], l[1], l[0]].concat(), &["one", "two", "three"], &[]),
        (
            |l| l.concat() + "mine\n",
            &["one", "two"],
            &[(2, |l| l[2].to_owned() + "mine", "`mine` stands behind")],
        ),
        (
            |_| String::new(),
            &[],
            &[
                (0, |_| String::new(), "empty"),
                (1, |_| String::new(), "empty"),
                (2, |_| String::new(), "empty"),
            ],
        ),
    ];
    for (case, (spoil, merged, spoilt)) in cases.into_iter().enumerate() {
        let (user, notes) = with_log();
        let ids = declare(&user, &[note("- one"), note("- two"), note("- three")]);
        let path = bundle(&user, "pending");
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        fs::write(&path, spoil(&lines)).unwrap();
        user.run(["work"]).ok();
        assert_eq!(log_of(&notes)[1..], *merged, "{case}");
        assert_eq!(user.counts(), [0, 0, 0, spoilt.len(), 0, merged.len()], "{case}");
        for (n, left, says) in spoilt {
            assert_eq!(fate(&user, &ids[*n]), "failed", "{case}");
            let shown = user.run(["show", &ids[*n]]).ok();
            assert!(shown.contains(says), "{case}: {says}: {shown}");
            let ending = format!("{}.original", ids[*n]);
            let original =
                user.files("staging/failed").into_iter().find(|name| name.ends_with(&ending)).unwrap();
            let kept = fs::read_to_string(user.home().join("staging/failed").join(original)).unwrap();
            assert_eq!(kept, left(&lines), "{case}");
        }
        user.assert_clean();
    }
}

#[test]
fn a_file_holds_so_many_jobs_and_so_many_bytes() {
    let (user, notes) = with_log();
    let lines: Vec<String> = (0..260).map(|n| format!("n{n:03}")).collect();
    let ids = declare(&user, &lines.iter().map(|line| note(&format!("- {line}"))).collect::<Vec<_>>());
    let files = user.files("pending");
    assert!(
        files.len() == 2 && files[0].ends_with("~250.jsonl") && files[1].ends_with("~10.jsonl"),
        "{files:?}"
    );
    assert_eq!(listed(&user, "pending"), ids);
    user.run(["work"]).ok();
    assert_eq!(log_of(&notes)[1..], lines);
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 260]);
    let large: Vec<Value> = (0..6).map(|n| note(&format!("{n} {}", "x".repeat(250_000)))).collect();
    declare(&user, &large);
    let files = user.files("pending");
    assert!(
        files.len() == 2 && files[0].ends_with("~4.jsonl") && files[1].ends_with("~2.jsonl"),
        "{files:?}"
    );
    user.assert_clean();
}

#[test]
fn only_jobs_that_follow_each_other_for_one_document_share_a_file() {
    let (user, notes) = with_log();
    user.configure(
        "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md }\n  other: { path: ~/other.md }\nsession_bootstrap: [notes]\n",
    );
    let other = |line: &str| entry("other", "Log", "append", Some(line));
    let by_path = json!({ "version": "1.0.0", "source": "t", "entries": [
        { "key": { "path": "~/notes.md", "heading": "Log" }, "operation": "append", "content": "- five" } ] });
    let ids = declare(&user, &[note("- one"), other("- two"), other("- three"), note("- four"), by_path]);
    let endings: Vec<String> =
        user.files("pending").iter().map(|name| name.rsplit_once('~').unwrap().1.to_owned()).collect();
    assert_eq!(endings, ["0.json", "2.jsonl", "0.json", "0.json"]);
    assert_eq!(listed(&user, "pending"), ids);
    user.run(["work"]).ok();
    assert_eq!(log_of(&notes), ["zero", "one", "four", "five"]);
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 5]);
}

#[test]
fn what_ended_together_goes_with_its_day() {
    let (user, _) = with_log();
    declare(&user, &[note("- one"), note("- two")]);
    user.run(["work"]).ok();
    for dir in ["done", "receipts"] {
        let dir = user.home().join(dir);
        let today = fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path();
        fs::rename(today, dir.join("2020-02-29")).unwrap();
    }
    assert_eq!(user.json(["prune"])["receipts"], 2);
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 0]);
    for dir in ["done", "receipts"] {
        assert_eq!(fs::read_dir(user.home().join(dir)).unwrap().count(), 0, "{dir}");
    }
}

/// Declarations for documents in turn share no file: more files than a process may have open.
#[test]
fn one_call_may_have_more_files_than_may_be_open() {
    let user = User::new();
    let [a, b] = ["a.md", "b.md"].map(|name| user.root().join(name));
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  a: {{ path: {} }}\n  b: {{ path: {} }}\nsession_bootstrap: [a]\n",
        a.display(),
        b.display()
    ));
    let line = |n: usize| {
        let kb = if n.is_multiple_of(2) { "a" } else { "b" };
        let key = serde_json::json!({ "kb": kb, "heading": "Log" });
        let entry = serde_json::json!({ "key": key, "operation": "append", "content": format!("- {n}") });
        serde_json::json!({ "version": "1.0.0", "entries": [entry] }).to_string()
    };
    let lines: Vec<String> = (0..600).map(line).collect();
    fs::write(user.root().join("many.jsonl"), lines.join("\n")).unwrap();
    let mut shell = std::process::Command::new("sh");
    let words = format!("ulimit -n 256 && {} enqueue many.jsonl && {0} work", crate::support::binary());
    shell.args(["-c", &words]).current_dir(user.root()).env("HOME", user.root());
    let ids = crate::support::Said::of(shell.env("LAST_WORD_HOME", user.home()).output().unwrap()).ok();
    assert_eq!(ids.lines().count(), 600);
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 600]);
    let expected: Vec<String> = (0..300).map(|n| format!("- {}", 2 * n)).collect();
    assert_eq!(fs::read_to_string(a).unwrap(), format!("## Log\n\n{}\n", expected.join("\n")));
}
