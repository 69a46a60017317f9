//! The operator's commands, through the binary: holding, going back, clearing away, looking.

use crate::support::User;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

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
    assert!(user.run(["release", "--all"]).ok().contains("there is no hold on the whole queue"));
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

// ---- history, diff, blame, rollback ----

/// `notes` with three versions: two appends by agents, then one by a person's shell.
fn three_versions() -> (User, PathBuf) {
    let (user, notes, _) = two_documents();
    for (agent, content, reason) in [("codex", "- one", "asked for"), ("claude-code", "- two", "seen")] {
        let mut args =
            vec!["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", content];
        args.extend(["--agent", agent, "--session", "s1", "--reason", reason, "--confidence", "0.5"]);
        user.run(args).ok();
        user.run(["work"]).ok();
    }
    say(&user, "notes", "- three");
    user.run(["work"]).ok();
    (user, notes)
}

#[test]
fn history_and_blame_say_who_and_why_also_without_receipts() {
    let (user, notes) = three_versions();
    fs::write(&notes, text(&notes) + "\n## Mine\n\nby hand\n").unwrap();
    fs::remove_dir_all(user.home().join("done")).unwrap();
    fs::create_dir(user.home().join("done")).unwrap();
    let history = user.json(["history", "notes"]);
    let versions = history["versions"].as_array().unwrap();
    assert_eq!(versions.len(), 4);
    assert_eq!((&versions[0]["version"], &versions[0]["edited_by_hand"]), (&json!(3), &json!(true)));
    assert_eq!(versions[2]["jobs"][0]["agent"], "codex");
    let said = user.run(["history", "notes"]).ok();
    assert!(said.contains("claude-code") && said.contains("append Log; then edited by hand"), "{said}");
    let blame = user.json(["blame", "notes"]);
    let sections = blame["sections"].as_array().unwrap();
    let log = &sections[1];
    assert_eq!(
        (&log["heading"], &log["last"]["version"], &log["by_hand"]),
        (&json!(["Notes", "Log"]), &json!(3), &json!(false))
    );
    assert_eq!((&sections[2]["last"], &sections[2]["by_hand"]), (&json!(null), &json!(true)));
    assert!(user.run(["blame", "notes"]).ok().contains("by hand"));
    user.run(["history", "nobody"]).fails(1, "nobody");
}

#[test]
fn blame_shows_agent_session_reason_and_confidence() {
    let (user, _, _) = two_documents();
    user.run([
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "Tabs",
        "--content",
        "yes",
        "--agent",
        "codex",
        "--session",
        "s9",
        "--reason",
        "said so",
        "--confidence",
        "0.75",
    ])
    .ok();
    user.run(["work"]).ok();
    let said = user.run(["blame", "notes"]).ok();
    for word in ["codex", "s9", "said so", "75 % sure", "## Tabs"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn diff_between_versions() {
    let (user, _) = three_versions();
    let last = user.run(["diff", "notes"]).ok();
    assert!(last.contains("+- three") && !last.contains("+- two"), "{last}");
    let from_first = user.run(["diff", "notes", "0"]).ok();
    assert!(from_first.contains("+- one") && from_first.contains("+- three"), "{from_first}");
    let middle = user.run(["diff", "notes", "1", "2"]).ok();
    assert!(middle.contains("+- two") && !middle.contains("+- three"), "{middle}");
    assert!(user.run(["diff", "notes", "3"]).ok().contains("are the same"));
    user.run(["diff", "notes", "9"]).fails(1, "has no version 9");
}

#[test]
fn a_rollback_is_a_job_and_can_be_rolled_back() {
    let (user, notes) = three_versions();
    let (newest, before) = (text(&notes), text(&notes).replace("- three\n", ""));
    let said = user.run(["rollback", "notes", "--dry-run"]).ok();
    assert!(said.contains("---- three") || said.contains("-- three"), "{said}");
    assert_eq!(user.counts()[0], 0, "a dry run enqueues nothing");
    let id = user.json(["rollback", "notes", "--reason", "too much"])["id"].as_str().unwrap().to_owned();
    assert_eq!(text(&notes), newest, "nothing is written before the worker comes");
    user.run(["work"]).ok();
    assert_eq!(text(&notes), before);
    assert_eq!(user.json(["verify", &id])["fate"], "applied");
    assert!(user.run(["history", "notes"]).ok().contains("rollback to version 2"));
    assert_eq!(user.json(["blame", "notes"])["sections"][1]["last"]["rollback_to"], 2);
    user.run(["rollback", "notes"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), newest, "the rollback was rolled back");
    user.run(["rollback", "notes", "--to", "0"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), "# Notes\n\n## Log\n\n- zero\n");
    assert!(user.run(["rollback", "notes", "--to", "6"]).ok().contains("nothing to do"));
    user.assert_clean();
}

/// What waited when a rollback was asked for is merged first, as it was declared first; it says the same in the text that comes back.
#[test]
fn a_rollback_keeps_what_waited_when_it_was_asked_for() {
    let (user, notes) = three_versions();
    let before = text(&notes).replace("- three\n", "");
    user.note("Log", "append", "- waited");
    user.note("Log", "append", "- three");
    let said = user.run(["rollback", "notes"]).ok();
    assert!(said.contains("waits for this document is merged first: 2 jobs"), "{said}");
    user.run(["work"]).ok();
    // To say again what goes back changed nothing, so it keeps nothing either.
    assert_eq!(text(&notes), before.replace("- two\n", "- two\n- waited\n"));
    assert_eq!(user.counts()[3], 0);
    // Under the name that the section had when the job was declared.
    user.note("Log", "rename", "Diary");
    user.run(["work"]).ok();
    user.note("Log", "append", "- again");
    user.run(["rollback", "notes", "--to", "0"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), "# Notes\n\n## Log\n\n- zero\n- again\n");
    user.assert_clean();
}

#[test]
fn a_rollback_keeps_what_came_since_and_asks_where_it_cannot() {
    let (user, notes) = three_versions();
    user.run(["rollback", "notes"]).ok();
    fs::write(&notes, text(&notes).replace("# Notes\n", "# Notes\n\nMy own words.\n")).unwrap();
    user.run(["work"]).ok();
    let now = text(&notes);
    assert!(now.contains("My own words.") && !now.contains("- three"), "{now}");
    user.run(["rollback", "notes"]).ok();
    fs::write(&notes, now.replace("- two\n", "- two, I think\n")).unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3], 1, "somebody must look");
    assert!(text(&notes).contains("- two, I think"));
    let mut agent = user.command(["rollback", "notes"]);
    crate::support::Said::of(agent.env("CLAUDECODE", "1").output().unwrap())
        .fails(1, "an agent's session cannot roll back");
}

/// The attack: a person's edits since the last merge went with it, unasked.
#[test]
fn undoing_the_last_merge_leaves_what_a_person_edited_since() {
    let (user, notes) = three_versions();
    let before = text(&notes).replace("- three\n", "");
    let edit = |from: &str, to: &str| fs::write(&notes, text(&notes).replace(from, to)).unwrap();
    edit("- zero", "- zero, PERSON");
    edit("- three\n", "- three\n- mine\n");
    let said = user.run(["rollback", "notes", "--dry-run"]).ok();
    assert!(said.contains("version 2, but for what was edited by hand since, which stays"), "{said}");
    assert_eq!(user.json(["rollback", "notes"])["keeps_edits"], true);
    user.run(["work"]).ok();
    assert_eq!(text(&notes), before.replace("- zero", "- zero, PERSON") + "- mine\n");
    assert!(user.run(["history", "notes"]).ok().contains("rollback to version 2"));
    // In the lines that were merged themselves: nothing goes that nobody named.
    say(&user, "notes", "- four");
    user.run(["work"]).ok();
    edit("- four", "- four, I think");
    let now = text(&notes);
    user.run(["rollback", "notes"]).fails(1, "was edited by hand since version 5");
    user.run(["work"]).ok();
    assert_eq!(text(&notes), now);
    let said = user.json(["rollback", "notes", "--to", "4"]);
    assert_eq!(said["keeps_edits"], false);
    user.run(["work"]).ok();
    assert_eq!(text(&notes), before.replace("- zero", "- zero, PERSON") + "- mine\n");
    user.assert_clean();
}

#[test]
fn old_texts_go_and_blame_stays() {
    let (user, notes, _) = two_documents();
    for n in 0..9 {
        say(&user, "notes", &format!("- line {n}"));
        user.run(["work"]).ok();
    }
    let kept = user.files("history").iter().filter(|name| name.ends_with(".md")).count();
    assert_eq!(kept, 5, "retention.snapshots");
    user.run(["rollback", "notes", "--to", "1"]).fails(1, "is not kept any longer");
    assert_eq!(user.json(["blame", "notes"])["sections"][1]["last"]["version"], 9);
    // What changes nothing makes no version.
    user.run([
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "Log",
        "--content",
        text(&notes).split("## Log\n\n").nth(1).unwrap(),
    ])
    .ok();
    user.run(["work"]).ok();
    assert_eq!(user.json(["history", "notes"])["versions"][0]["version"], 9);
}

// ---- prune ----

/// Puts what ended today into a day long ago.
fn as_if_long_ago(user: &User) {
    let done = user.home().join("done");
    for day in fs::read_dir(&done).unwrap() {
        fs::rename(day.unwrap().path(), done.join("2020-02-29")).unwrap();
    }
}

#[test]
fn prune_clears_receipts_with_their_keys_and_journals() {
    let (user, notes, _) = two_documents();
    let keyed = |key: &str| {
        let mut args = vec!["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--key", key];
        args.extend(["--content", key]);
        user.run(args).ok().trim().to_owned()
    };
    keyed("old");
    user.run(["work"]).ok();
    as_if_long_ago(&user);
    fs::write(user.home().join("journal/2020-02-29.jsonl"), "{}\n").unwrap();
    let young = keyed("young");
    let said = user.run(["prune", "--dry-run"]).ok();
    assert!(
        said.contains("1 receipt with what belongs to it (2020-02-29)")
            && said.contains("1 day of the journal"),
        "{said}"
    );
    assert_eq!(
        (user.files("keys").len(), user.counts()),
        (2, [1, 0, 0, 0, 0, 1]),
        "a dry run removes nothing"
    );
    let pruned = user.json(["prune"]);
    assert_eq!(
        (&pruned["receipts"], &pruned["keys"], &pruned["journals"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!((user.files("keys").len(), user.counts()), (1, [1, 0, 0, 0, 0, 0]));
    assert_eq!(keyed("young"), young, "its job has not ended");
    user.run(["work"]).ok();
    assert!(text(&notes).contains("old") && text(&notes).contains("young"));
    assert!(user.run(["prune"]).ok().contains("nothing is old enough"));
}

#[test]
fn work_clears_away_a_little_each_time() {
    let (user, _, _) = two_documents();
    say(&user, "notes", "- one");
    let held = say(&user, "notes", "- two");
    user.run(["hold", &held]).ok();
    user.run(["work"]).ok();
    user.run(["release", &held]).ok();
    user.run(["work"]).ok();
    as_if_long_ago(&user);
    user.run(["hold", "--all"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0; 6], "also while the queue is held");
    assert_eq!(user.files("holds").len(), 1);
}

#[test]
fn a_key_that_was_used_again_is_not_forgotten_with_the_old_receipt() {
    let (user, _, _) = two_documents();
    let args =
        ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- k", "--key", "k"];
    user.run(args).ok();
    user.run(["work"]).ok();
    as_if_long_ago(&user);
    // As a crash leaves it: the key is forgotten, the receipt is not; and the hook fires once more.
    let key = user.files("keys").pop().unwrap();
    fs::remove_file(user.home().join("keys").join(key)).unwrap();
    let again = user.run(args).ok();
    assert_eq!(user.json(["prune"])["keys"], 0);
    assert_eq!(user.run(args).ok(), again, "still the same job");
}

#[test]
fn prune_removes_texts_that_are_no_longer_to_be_kept() {
    let (user, _) = three_versions();
    let config = text(&user.home().join("config.yaml"));
    user.configure(&format!("{config}retention: {{ snapshots: 1 }}\n"));
    assert_eq!(user.json(["prune", "--dry-run"])["would"]["texts"], 2);
    assert_eq!(user.json(["prune"])["texts"], 2);
    assert_eq!(user.json(["blame", "notes"])["sections"][1]["last"]["version"], 3);
    assert!(user.run(["diff", "notes"]).ok().contains("+- three"), "the newest one is kept");
}

// ---- log ----

#[test]
fn log_tells_what_happened_to_a_job_and_a_document() {
    let (user, notes, _) = two_documents();
    let one = say(&user, "notes", "- one");
    say(&user, "other", "- one");
    user.run(["hold", "--document", "other", "--reason", "wait"]).ok();
    user.run(["work"]).ok();
    let all = user.json(["log"]);
    let words: Vec<_> =
        all.as_array().unwrap().iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(words, ["held", "applied", "run_ended"]);
    assert_eq!(user.json(["log", "--id", &one[..13]])[0]["id"], one);
    assert_eq!(user.json(["log", "--document", "notes"])[0]["document"], notes.to_str().unwrap());
    assert_eq!(user.json(["log", "--limit", "1"])[0]["event"], "run_ended");
    assert_eq!(user.json(["log", "--since", "2100-01-01"]), json!([]));
    assert_eq!(user.json(["log", "--since", "1h"]).as_array().unwrap().len(), 3);
    assert!(user.run(["log"]).ok().contains("wait"));
    assert_eq!(user.json(["log", "--event", "held", "--event", "applied"]).as_array().unwrap().len(), 2);
    user.run(["log", "--event", "helt"]).fails(2, "helt");
    // A run that did nothing is counted, and not written; what a job waits for is not an event.
    user.run(["work"]).ok();
    assert_eq!(user.json(["log"]).as_array().unwrap().len(), 3);
    assert_eq!(user.json(["status"])["last_run"]["message"], "nothing to do");
    let waits = say(&user, "other", "- two");
    let said = user.run(["log", "--id", &waits]).ok();
    assert!(
        said.contains("enqueued") && said.contains("nothing happened to it yet: it has waited for"),
        "{said}"
    );
    assert!(user.run(["log", "--since", "2100-01-01"]).ok().contains("no matching events"));
    user.run(["log", "--since", "yesterday"]).fails(2, "not a length of time");
}

#[test]
fn log_follows() {
    use std::io::{BufRead, BufReader};
    let (user, _, _) = two_documents();
    user.run(["hold", "--all"]).ok();
    let mut follow =
        user.command(["log", "--follow", "--json"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    let mut next = || {
        serde_json::from_str::<serde_json::Value>(&lines.next().unwrap().unwrap()).unwrap()["event"].clone()
    };
    assert_eq!(next(), "held");
    user.run(["release", "--all"]).ok();
    assert_eq!(next(), "released");
    let pid = rustix::process::Pid::from_child(&follow);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(follow.wait().unwrap().code(), Some(0));
}

// ---- status, list, why ----

#[test]
fn why_says_what_a_job_waits_for() {
    let (user, notes, _) = two_documents();
    let [one, two] = ["- one", "- two"].map(|content| say(&user, "notes", content));
    assert_eq!(user.json(["why", &one])["because"], "next_run");
    user.run(["hold", &one]).ok();
    assert_eq!(user.json(["why", &one])["because"], "job_held");
    assert_eq!(user.json(["why", &two])["because"]["behind"]["id"], one.as_str());
    let said = user.run(["why", &two]).ok();
    assert!(said.contains(&format!("hint: last-word release {one}")), "{said}");
    user.run(["hold", "--document", "notes"]).ok();
    assert_eq!(user.json(["why", &two])["because"], "document_held");
    let said = user.run(["why", &two]).ok();
    assert!(said.contains("hint: last-word release --document notes"), "{said}");
    user.run(["hold", "--all"]).ok();
    assert_eq!(user.json(["why", &two])["because"], "queue_held");
    let said = user.run(["why", &two]).ok();
    assert!(said.contains("hint: last-word release --all"), "{said}");
    for what in [vec!["--all"], vec!["--document", "notes"], vec![&one]] {
        user.run([vec!["release"], what].concat()).ok();
    }
    fs::write(&notes, "# Notes\n\n## Log\n\na\n\n## Log\n\nb\n").unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.json(["why", &one])["because"]["failed"]["error"]["code"], "ambiguous");
    let said = user.run(["why", &one]).ok();
    assert!(
        said.contains("[ambiguous]") && said.contains("tell headings with the same parents apart"),
        "{said}"
    );
    assert!(said.contains("hint: rename one of the headings"), "{said}");
    assert!(said.contains(&format!("hint: last-word resolve {one}\n")), "{said}");
    user.run(["resolve", &one, "--discard", "--reason", "old"]).ok();
    assert!(user.run(["why", &one]).ok().contains("has ended: discarded by tester: old"));
    user.run(["why", "ffff"]).fails(1, "no job");
}

/// Whoever has just mended what was in the way does not want to wait for the next attempt. And `status` tells what that run
/// did, although a drain after it looked again for what still waits and moved nothing.
#[test]
fn what_is_tried_again_later_can_be_tried_at_once_and_status_tells_what_a_run_did() {
    let (user, _, other) = two_documents();
    let dir = other.parent().unwrap().join("sub");
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    let config = config.replace("base: 5ms, cap: 20ms", "base: 60s, cap: 60s");
    user.configure(&config.replace(other.to_str().unwrap(), dir.join("other.md").to_str().unwrap()));
    fs::write(&dir, "a file where a directory should be").unwrap();
    let [one, two] = ["- one", "- two"].map(|content| say(&user, "other", content));
    say(&user, "notes", "- three");
    user.run(["work", "--wait-retries", "0"]).ok();
    assert!(user.run(["status"]).ok().contains("1 applied"), "{}", user.run(["status"]).ok());
    let hint = format!("hint: last-word apply {one}   (tries it at once)");
    for id in [&one, &two] {
        let said = user.run(["why", id]).ok();
        assert!(said.contains("[document_unreachable]") && said.contains(&hint), "{said}");
    }
    user.run(["resolve", &one, "--retry"]).fails(1, &format!("`last-word why {one}` says what it waits for"));

    fs::remove_file(&dir).unwrap();
    user.run(["apply", &one]).ok();
    assert_eq!(user.json(["why", &one])["because"]["ended"]["outcome"], "applied");
}

#[test]
fn status_says_what_is_done_and_by_whom_and_what_nobody_does() {
    let (user, _, _) = two_documents();
    say(&user, "notes", "- one");
    user.run(["work"]).ok();
    let status = user.json(["status"]);
    assert!(status["last_run"]["by"].as_str().unwrap().starts_with("w1"), "{status}");
    assert_eq!(status["jobs_per_minute"], 1.0);
    assert_eq!((&status["stalled"], &status["needs_somebody"]), (&json!(null), &json!(false)));
    let said = user.run(["status"]).ok();
    assert!(said.contains(": 1 applied\n"), "of so few no rate is told: {said}");
    // A job that nothing keeps from being merged, and that waits all the same, says that no worker comes.
    let id = say(&user, "notes", "- two");
    let pending = user.home().join("pending");
    let name = user.files("pending").pop().unwrap();
    fs::rename(pending.join(&name), pending.join(name.replace(&id[..8], "01900000"))).unwrap();
    let said = user.run(["status", "--check"]);
    assert_eq!(said.code, Some(4));
    assert!(said.stdout.contains("nothing has been merged for"), "{}", said.stdout);
    user.run(["hold", "--all"]).ok();
    assert_eq!(user.run(["status", "--check"]).code, Some(0), "it is meant to wait");
}

/// No retry mends a file where a directory should be: it is said as what it is, and `OK` is not the word for it.
#[test]
fn status_names_a_document_that_stands_still() {
    let user = User::new();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  shared: {{ path: {} }}\nretry: {{ retries: 3, base: 10m, cap: 20m }}\n",
        user.root().join("shared/notes.md").display()
    ));
    fs::write(user.root().join("shared"), "somebody's backup\n").unwrap();
    let id = say(&user, "shared", "- one");
    user.run(["work", "--wait-retries", "0"]).ok();
    let status = user.json(["status"]);
    assert_eq!((&status["stuck"], &status["needs_somebody"]), (&json!(1), &json!(true)), "{status}");
    let said = user.run(["status"]).ok();
    assert!(said.contains("NEEDS SOMEBODY") && said.contains("1 document stuck"), "{said}");
    assert!(said.contains("/shared is no directory"), "{said}");
    user.run(["why", &id]).ok();
    fs::remove_file(user.root().join("shared")).unwrap();
    user.run(["apply", "--file", user.root().join("shared/notes.md").to_str().unwrap()]).ok();
    assert_eq!(user.json(["status"])["stuck"], 0);
    assert_eq!(text(&user.root().join("shared/notes.md")), "## Log\n\n- one\n");
}

/// What was left as it was is an error of the command, and stands where errors stand.
#[test]
fn what_resolve_leaves_is_said_on_stderr() {
    let (user, notes, _) = two_documents();
    let ids = ["- one", "- two"].map(|content| say(&user, "notes", content));
    fs::write(&notes, "# Notes\n\n## Log\n\na\n\n## Log\n\nb\n").unwrap();
    user.run(["work"]).ok();
    let said = user.run(["resolve", "--all", "--ours"]);
    assert_eq!(said.code, Some(1), "{}", said.stdout);
    assert!(ids.iter().all(|id| said.stderr.contains(&format!("last-word: job {id}: "))), "{}", said.stderr);
    assert!(said.stdout.contains("2 left as they were"), "{}", said.stdout);
    let said = user.run(["release", &ids[0]]).ok();
    assert_eq!(said, format!("was not held: job {}\n", ids[0]), "nothing waits for this");
}

#[test]
fn status_watches_only_on_a_terminal() {
    User::new().run(["status", "--watch"]).fails(2, "--watch needs a terminal");
}

#[test]
fn lists_are_sorted_and_cut_and_plain_in_a_pipe() {
    let (user, _, _) = two_documents();
    let ids = ["- one", "- two", "- three"].map(|content| say(&user, "notes", content));
    let listed = |args: &[&str]| -> Vec<String> {
        let rows = user.json([&["list"], args].concat());
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&["--sort", "newest", "--limit", "2"]), [ids[2].clone(), ids[1].clone()]);
    assert_eq!(listed(&["--sort", "oldest", "--text", "two"]), [ids[1].clone()]);
    let said = user.run(["list", "--limit", "2"]).ok();
    assert!(said.contains(&ids[1]) && !said.contains(&ids[2]) && said.contains("… and more"), "{said}");
    assert!(!said.contains('\u{1b}'));
    assert!(user.run(["list", "--color", "always"]).ok().contains("\u{1b}[1mID"));
    let mut plain = user.command(["list", "--color", "auto"]);
    assert!(!crate::support::Said::of(plain.env("NO_COLOR", "1").output().unwrap()).ok().contains('\u{1b}'));
}

#[test]
fn verify_says_hash_and_version() {
    let (user, _, _) = two_documents();
    let id = say(&user, "notes", "- one");
    user.run(["work"]).ok();
    let verdict = user.json(["verify", &id]);
    assert_eq!(verdict["version"], 1);
    assert_eq!(verdict["document_hash"], user.json(["history", "notes"])["versions"][0]["hash"]);
}

#[test]
fn a_length_of_time_is_written_the_same_everywhere() {
    let user = User::new();
    let config = user.home().join("config.yaml");
    for (text, is_known) in [
        ("90s", true),
        ("10m", true),
        ("5min", true),
        ("2h", true),
        ("3d", true),
        ("2w", true),
        ("10 s", true),
        ("10", false),
        ("2 fortnights", false),
        ("1.5h", false),
        ("-1h", false),
        ("40000d", false),
    ] {
        let option = format!("--older={text}");
        let typed = user.run(["list", &option]).code;
        let since = user.run(["log", &format!("--since={text}")]).code;
        fs::write(&config, format!("version: 1\nretention: {{ done: \"{text}\" }}\n")).unwrap();
        let configured = user.run(["validate"]).code;
        fs::remove_file(&config).unwrap();
        assert_eq!([typed, since, configured].map(|code| code == Some(0)), [is_known; 3], "{text}");
    }
}
