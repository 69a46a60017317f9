//! Sixteen sessions that add, revise, supersede, retire and restore items of one document, or change its lists, sections and front
//! matter, two workers, and a person who edits the same document: nothing is lost, nothing is there twice, and whatever was refused
//! says why.

use crate::support::User;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

const SESSIONS: usize = 16;
const SHARED: usize = 8;
const LINES_OF_A_PERSON: usize = 12;
/// How often a session says a thing again that was refused because its item was on its way.
const TRIES: usize = 200;

fn home() -> (User, std::path::PathBuf) {
    let user = User::new();
    let path = user.root().join("facts.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  facts: {{ path: {} }}\nsession_bootstrap: []\n",
        path.display()
    ));
    user.lets_tests_decide();
    let shared: String = (0..SHARED).map(|n| format!("- shared {n} ^shared0{n}\n")).collect();
    fs::write(&path, format!("# Facts\n\n## Mine\n\n- mine first\n\n## Shared\n\n{shared}")).unwrap();
    (user, path)
}

/// A command of a session, said again while its item cannot be found: it was claimed at that moment, or a save of the person's took
/// it out until they say yes to its coming back.
fn say(user: &User, session: usize, args: &[&str]) -> String {
    let name = format!("s{session}");
    let args = [args, &["--json"]].concat();
    for _ in 0..TRIES {
        let mut command = user.command(&args);
        command.env("LAST_WORD_AGENT", "codex").env("LAST_WORD_SESSION", &name);
        let output = command.output().unwrap();
        let (said, why) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        match output.status.code() {
            Some(0) => {
                let said: serde_json::Value = serde_json::from_str(&said).unwrap();
                return said["item"].as_str().unwrap().to_owned();
            }
            Some(3) => assert!(why.contains("item_not_found") && why.contains("hint:"), "{args:?}: {why}"),
            code => panic!("{args:?}: {code:?} {why}"),
        }
        if why.contains("waits for a person's yes") {
            user.run(["review", "--all", "--approve"]);
        }
    }
    panic!("{args:?} was refused {TRIES} times");
}

fn session(user: &User, n: usize) {
    let (first, second) = (format!("Fact {n}.0 of a session"), format!("Fact {n}.1 of a session"));
    let a = say(user, n, &["remember", &first, "--heading", "Said"]);
    let b = say(user, n, &["remember", &second, "--heading", "Said"]);
    let shared = format!("shared0{}", n % 4);
    say(user, n, &["item", "revise", &shared, &format!("shared {} as {n} says", n % 4)]);
    let struck = format!("shared0{}", 4 + n % 4);
    say(user, n, &["item", if n % 8 < 4 { "retire" } else { "restore" }, &struck]);
    say(user, n, &["item", "supersede", &a, &format!("Fact {n}.0 anew")]);
    say(user, n, &["item", "revise", &b, &format!("Fact {n}.1 revised"), "--old-text", &second]);
    say(user, n, &["item", "revise", &shared, "nothing of this", "--old-text", "what nobody ever said"]);
}

/// Adds lines of their own as an editor does that puts a new file in the old one's place.
fn person(path: &Path) {
    for n in 0..LINES_OF_A_PERSON {
        let text = fs::read_to_string(path).unwrap();
        let mine = text.replacen("- mine first\n", &format!("- mine first\n- mine {n}\n"), 1);
        let new = path.with_extension("new");
        fs::write(&new, mine).unwrap();
        fs::rename(new, path).unwrap();
    }
}

/// A person puts right what they are shown, until nothing is left that could be merged.
fn mend(user: &User, path: &Path) {
    for _ in 0..10 {
        user.run(["work"]).ok();
        put_in_by_hand(user, path);
        let reverted = user.json(["list", "review"]);
        if reverted.as_array().unwrap().is_empty() && waits_for_a_person(user).is_empty() {
            break;
        }
        user.run(["review", "--all", "--approve"]);
        user.run(["resolve", "--all", "--retry"]);
    }
    user.run(["work"]).ok();
}

/// What a save of theirs lacked, because it was made from a text in the middle of a commit, is put before them whole: they add it.
fn put_in_by_hand(user: &User, path: &Path) {
    for report in waits_for_a_person(user).iter().filter(|job| job["error"] == "left_out") {
        let id = report["id"].as_str().unwrap();
        let mut names = user.files("staging/failed").into_iter();
        let name = names.find(|name| name.ends_with(&format!("{id}.original"))).unwrap();
        let had = fs::read_to_string(user.home().join("staging/failed").join(name)).unwrap();
        let now = fs::read_to_string(path).unwrap();
        let lacks = |line: &&str| line.starts_with("- mine ") && !now.lines().any(|of| of == *line);
        let lines: Vec<&str> = had.lines().filter(lacks).collect();
        let with = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        fs::write(path, now.replacen("- mine first\n", &format!("- mine first\n{with}"), 1)).unwrap();
        user.run(["resolve", id, "--discard", "--reason", "put in by hand"]).ok();
    }
}

/// The failed jobs, but for those that were to fail.
fn waits_for_a_person(user: &User) -> Vec<serde_json::Value> {
    let failed = user.json(["list", "failed"]);
    let failed = failed.as_array().unwrap().iter().cloned();
    failed.filter(|job| job["error"] != "conflict").collect()
}

/// One less is busy when it is dropped, also by a session that fails: the workers would go on for ever.
struct Busy<'c>(&'c AtomicUsize);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// All sessions, two workers and the person at once; then the person puts right what waits for them.
fn storm(user: &User, path: &Path, session: fn(&User, usize)) {
    let busy = AtomicUsize::new(SESSIONS + 1);
    std::thread::scope(|scope| {
        for n in 0..SESSIONS {
            let busy = &busy;
            scope.spawn(move || {
                let _busy = Busy(busy);
                session(user, n);
            });
        }
        scope.spawn(|| {
            let _busy = Busy(&busy);
            person(path);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while busy.load(Ordering::SeqCst) > 0 {
                    let worked = user.run(["work", "--join"]);
                    assert_eq!(worked.code, Some(0), "{}", worked.stderr);
                }
            });
        }
    });
    mend(user, path);
}

#[test]
fn sixteen_sessions_two_workers_and_a_person() {
    let (user, path) = home();
    storm(&user, &path, session);
    let text = fs::read_to_string(&path).unwrap();
    let items = user.json(["item", "list", "--all"]);
    // What failed is listed as well, as waiting.
    let items: Vec<_> = items.as_array().unwrap().iter().filter(|item| item["waits"].is_null()).collect();
    let ids: BTreeSet<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), items.len(), "an id is there twice:\n{text}");
    let said = |says: &str| items.iter().copied().filter(|item| item["text"] == says).collect::<Vec<_>>();
    let live = |says: &str| {
        let found = said(says);
        assert_eq!(found.len(), 1, "`{says}` is there {} times:\n{text}", found.len());
        found[0]["live"] == true
    };
    for n in 0..SESSIONS {
        assert!(!live(&format!("Fact {n}.0 of a session")), "{n}: it was superseded");
        assert!(live(&format!("Fact {n}.0 anew")) && live(&format!("Fact {n}.1 revised")));
        assert!(said(&format!("Fact {n}.1 of a session")).is_empty(), "{n}: it was revised\n{text}");
    }
    for n in 0..LINES_OF_A_PERSON {
        assert!(live(&format!("mine {n}")), "a person's line");
    }
    assert_eq!(items.len(), 3 * SESSIONS + SHARED + LINES_OF_A_PERSON + 1, "{text}");
    let failed = user.json(["list", "failed"]);
    let failed = failed.as_array().unwrap();
    let content = |job: &serde_json::Value| {
        let shown = user.json(["show", job["id"].as_str().unwrap()]);
        shown["job"]["entries"][0]["content"].as_str().unwrap().to_owned()
    };
    let (unseen, others): (Vec<String>, Vec<String>) =
        failed.iter().map(content).partition(|content| content == "nothing of this");
    assert_eq!(unseen.len(), SESSIONS, "those that saw what nobody said: {failed:?}");
    // A save may have put back the text that another session had seen when it said a shared item anew.
    assert!(others.iter().all(|content| content.starts_with("shared ")), "{failed:?}");
    for job in failed {
        assert_eq!(job["error"], "conflict", "{job}");
        assert!(job["message"].as_str().is_some_and(|why| why.contains("changed since")), "{job}");
    }
    assert_eq!(user.counts()[..3], [0, 0, 0], "all ended or wait for a person");
}

/// What a session does to the list, the sections and the front matter that it shares with others.
fn arranging_session(user: &User, n: usize) {
    let say = |operation: &str, heading: &[&str], content: &str| {
        let level = if heading.len() > 1 { "0" } else { "2" };
        let mut args =
            vec!["enqueue", "--to", "facts", "--level", level, "--op", operation, "--content", content];
        args.extend(heading.iter().flat_map(|title| ["--heading", title]));
        let mut command = user.command(&args);
        let output = command
            .env("LAST_WORD_AGENT", "codex")
            .env("LAST_WORD_SESSION", format!("s{n}"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let (tags, mine) = (["front matter", "tags"], format!("t{n}"));
    for round in 0..2 {
        say("upsert_item", &["Ports"], &format!("Port {}: {n}", n % 4));
        say("insert_after", &["Mine"], &format!("## Of {n} {round}\n\nsaid by {n}"));
        say("add_value", &tags, &mine);
        say("move", &["Ports"], ["first", "before: Last", "last"][(n + round) % 3]);
    }
    if n % 4 == 3 {
        say("remove_value", &tags, &mine);
    }
}

#[test]
fn sixteen_sessions_arrange_one_document_while_a_person_edits_it() {
    let user = User::new();
    let path = user.root().join("facts.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  facts: {{ path: {}, frontmatter: true }}\nsession_bootstrap: []\n",
        path.display()
    ));
    user.lets_tests_decide();
    let text = "---\ntags: [all]\n---\n\n# Facts\n\n## Mine\n\n- mine first\n\n## Ports\n\n- Port 0: none\n\n## Last\n\nthe end\n";
    fs::write(&path, text).unwrap();
    storm(&user, &path, arranging_session);
    let text = fs::read_to_string(&path).unwrap();
    let times = |line: &str| text.lines().filter(|of| *of == line).count();
    for n in 0..SESSIONS {
        assert_eq!([times(&format!("## Of {n} 0")), times(&format!("## Of {n} 1"))], [1, 1], "{n}:\n{text}");
        assert_eq!(times(&format!("said by {n}")), 2, "{n}:\n{text}");
    }
    for n in 0..LINES_OF_A_PERSON {
        assert_eq!(times(&format!("- mine {n}")), 1, "a person's line:\n{text}");
    }
    for port in 0..4 {
        let of_port = text.lines().filter(|line| line.starts_with(&format!("- Port {port}: ")));
        assert_eq!(of_port.count(), 1, "port {port}:\n{text}");
    }
    for heading in ["# Facts", "## Mine", "## Ports", "## Last", "the end"] {
        assert_eq!(times(heading), 1, "{heading}:\n{text}");
    }
    let tags = text.lines().find_map(|line| line.strip_prefix("tags: [")?.strip_suffix(']')).unwrap();
    let mut tags: Vec<&str> = tags.split(", ").collect();
    tags.sort_unstable();
    let kept = (0..SESSIONS).filter(|n| n % 4 != 3).map(|n| format!("t{n}"));
    let wanted: BTreeSet<String> = kept.chain(["all".to_owned()]).collect();
    // What a save took out before it was removed waits for a yes, and comes back with it.
    let log = user.json(["log", "--limit", "0"]);
    let proposed = log.as_array().unwrap().iter().filter(|line| line["event"] == "reverted");
    let added_again: BTreeSet<String> = proposed
        .map(|line| user.json(["show", line["id"].as_str().unwrap()])["job"]["entries"].clone())
        .flat_map(|entries| entries.as_array().cloned().unwrap_or_default())
        .filter(|entry| entry["operation"] == "add_value")
        .map(|entry| entry["content"].as_str().unwrap().to_owned())
        .collect();
    tags.retain(|tag| wanted.contains(*tag) || !added_again.contains(*tag));
    assert_eq!(tags, wanted.iter().collect::<Vec<_>>(), "{text}");
    assert_eq!(user.counts()[..3], [0, 0, 0], "all ended or wait for a person");
    assert_eq!(waits_for_a_person(&user), Vec::<serde_json::Value>::new());
}
