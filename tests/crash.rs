//! A crash before every change of the disk and at every named point, in each command; then the next command; then
//! everything must be as if nothing had happened. Needs the feature `crash-points`.

use crate::support::User;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENT: &str = "# Notes\n\nmine\n\n## Log\n\n- old\n\n## Other\n\nkept\n";

/// One command under test: what is there before, the command, what must be true afterwards.
struct Case {
    name: &'static str,
    prepare: fn(&User),
    args: &'static [&'static str],
    /// Brings the home to rest after the crash, as the next cron run (or the same hook fired again) would.
    after: fn(&User),
    check: fn(&User),
}

fn document(user: &User) -> PathBuf {
    user.root().join("notes.md")
}

fn fresh(case: &Case) -> User {
    let user = User::new();
    user.with_notes();
    fs::write(document(&user), DOCUMENT).unwrap();
    (case.prepare)(&user);
    user
}

/// The steps and points a command passes when nothing goes wrong.
fn trace(case: &Case) -> (u64, BTreeSet<String>) {
    let user = fresh(case);
    let trace = user.root().join("trace");
    let order = format!("trace={}", trace.display());
    let said =
        crate::support::Said::of(user.command(case.args).env("LAST_WORD_TROUBLE", order).output().unwrap());
    assert_eq!(said.code, Some(0), "{}: {}", case.name, said.stderr);
    (case.after)(&user);
    (case.check)(&user);
    let lines = fs::read_to_string(trace).unwrap();
    let steps = lines.lines().filter(|line| line.starts_with("step ")).count() as u64;
    (steps, lines.lines().filter_map(|line| line.strip_prefix("point ")).map(str::to_owned).collect())
}

/// What is there before a command, made once and kept as a copy: each crash begins with the same files at the same paths.
struct Prepared {
    user: User,
    copy: tempfile::TempDir,
}

impl Prepared {
    fn of(case: &Case) -> Prepared {
        let (user, copy) = (fresh(case), tempfile::tempdir().unwrap());
        copy_all(user.root(), copy.path());
        Prepared { user, copy }
    }

    fn again(&self) -> &User {
        for entry in fs::read_dir(self.user.root()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        copy_all(self.copy.path(), self.user.root());
        &self.user
    }
}

/// With modes, times and links as they are.
fn copy_all(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(status.success());
}

fn crash<'p>(case: &Case, prepared: &'p Prepared, order: &str) -> &'p User {
    let user = prepared.again();
    let output = user.command(case.args).env("LAST_WORD_TROUBLE", order).output().unwrap();
    assert!(!output.status.success(), "{} {order}: was to crash", case.name);
    user
}

fn run(case: &Case) {
    let (steps, points) = trace(case);
    let orders =
        (1..=steps).map(|n| format!("step={n}")).chain(points.iter().map(|point| format!("point={point}")));
    let orders: Vec<String> = orders.collect();
    let prepared = Prepared::of(case);
    for order in &orders {
        let user = crash(case, &prepared, order);
        (case.after)(user);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (case.check)(user)));
        assert!(checked.is_ok(), "{} crashed at {order}", case.name);
    }
    println!("{}: crashed at {steps} steps and {} points", case.name, points.len());
}

/// What a change of the disk can fail with: a disk that breaks or is full, mounted read-only or out of descriptors, a
/// permission that is gone.
const ERRNOS: [(i32, &str); 5] = [(5, "EIO"), (28, "ENOSPC"), (30, "EROFS"), (24, "EMFILE"), (13, "EACCES")];

/// Every change of the disk fails, once and from there on; the command says so in the way a script and a person need;
/// then the fault is gone, and nothing was lost.
fn run_faults(case: &Case, errnos: &[(i32, &str)]) {
    let (steps, _) = trace(case);
    let (mut faults, mut refused) = (0, 0);
    let prepared = Prepared::of(case);
    for step in 1..=steps {
        for (errno, name) in errnos.iter().copied() {
            // All of them once; of those that stay, in turn one at each step: the rest is for the simulated disk.
            let for_good = usize::try_from(step).unwrap() % errnos.len();
            let orders = [Some(format!("fail={step}:{errno}")), Some(format!("fail-from={step}:{errno}"))];
            let orders = orders.into_iter().take(if errnos[for_good].0 == errno { 2 } else { 1 });
            for order in orders.flatten() {
                let user = prepared.again();
                let trace = user.root().join("trace");
                let trouble = format!("{order},trace={}", trace.display());
                let said = crate::support::Said::of(
                    user.command(case.args).env("LAST_WORD_TROUBLE", trouble).output().unwrap(),
                );
                let at = format!("{} with {order} ({name}): {}{}", case.name, said.stdout, said.stderr);
                match said.code {
                    Some(0) => assert!(!syncs(&trace, step), "success after a failed fsync: {at}"),
                    Some(1 | 75) => {
                        refused += 1;
                        assert!(said.stderr.contains("hint:"), "no hint: {at}");
                        assert!(said.stderr.contains("os error"), "no cause: {at}");
                        assert!(said.stderr.contains(user.root().to_str().unwrap()), "no file: {at}");
                    }
                    code => panic!("exit {code:?}: {at}"),
                }
                faults += 1;
                (case.after)(user);
                let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (case.check)(user)));
                assert!(checked.is_ok(), "{at}");
                if errno != 13 {
                    assert!(!spent_attempts(user), "trouble of the machine cost an attempt: {at}");
                }
            }
        }
    }
    println!("{}: {faults} faults at {steps} steps, {refused} of them ended the command", case.name);
}

/// Whether the change that failed was an fsync.
fn syncs(trace: &std::path::Path, step: u64) -> bool {
    let lines = fs::read_to_string(trace).unwrap();
    let line = lines.lines().find(|line| line.starts_with(&format!("step {step} ")));
    line.unwrap().contains("sync")
}

/// Whether a job says that it was tried in vain.
fn spent_attempts(user: &User) -> bool {
    let done = user.tree().into_iter().filter(|(path, _)| path.to_string_lossy().contains("/done/"));
    done.into_iter().any(|(_, bytes)| String::from_utf8_lossy(&bytes).contains("\"attempts\":[{"))
}

/// The recovery is itself killed at every step, from a few of the first crashes on.
fn run_nested(case: &Case, first: &str) {
    let recovery: &[&str] = &["work"];
    let prepared = Prepared::of(case);
    let user = crash(case, &prepared, first);
    let trace = user.root().join("trace");
    let order = format!("trace={}", trace.display());
    user.command(recovery).env("LAST_WORD_TROUBLE", order).output().unwrap();
    let steps = fs::read_to_string(trace).unwrap().lines().filter(|line| line.starts_with("step ")).count();
    for n in 1..=steps {
        let user = crash(case, &prepared, first);
        user.command(recovery).env("LAST_WORD_TROUBLE", format!("step={n}")).output().unwrap();
        (case.after)(user);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (case.check)(user)));
        assert!(checked.is_ok(), "{} crashed at {first}, then its recovery at step {n}", case.name);
    }
    println!("{} crashed at {first}: recovery crashed at {steps} steps", case.name);
}

fn drain(user: &User) {
    user.run(["work"]).ok();
}

const MERGED: &str = "# Notes\n\nmine\n\n## Log\n\n- old\n- one\n- two\n- three\n\n## Other\n\nkept\n";

fn beside(user: &User) -> Vec<String> {
    let names =
        fs::read_dir(user.root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".last-word-")).collect()
}

const WORK: Case = Case {
    name: "work",
    prepare: |user| {
        for line in ["- one", "- two", "- three"] {
            user.note("Log", "append", line);
        }
        user.note("Missing", "clear", "");
    },
    args: &["work"],
    after: drain,
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap(), MERGED);
        assert_eq!(user.counts(), [0, 0, 0, 1, 0, 3]);
        assert_eq!(beside(user), Vec::<String>::new());
        user.assert_clean();
    },
};

/// Declarations that one call takes: `many.jsonl` in the user's home directory.
fn many(user: &User, entries: &[(&str, &str, &str)]) {
    let declare = |(heading, operation, content): &(&str, &str, &str)| {
        let content = if content.is_empty() { "null".to_owned() } else { format!("\"{content}\"") };
        format!(
            r#"{{"version":"1.0.0","entries":[{{"key":{{"kb":"notes","heading":"{heading}"}},"operation":"{operation}","content":{content}}}]}}"#
        ) + "\n"
    };
    fs::write(user.root().join("many.jsonl"), entries.iter().map(declare).collect::<String>()).unwrap();
}

const LINES: [(&str, &str, &str); 3] =
    [("Log", "append", "- one"), ("Log", "append", "- two"), ("Log", "append", "- three")];

const ENQUEUE_MANY: Case = Case {
    name: "enqueue of three in one file",
    prepare: |user| many(user, &LINES),
    args: &["enqueue", "many.jsonl"],
    after: drain,
    check: |user| {
        // It never returned, so it promised nothing: all there once, or none.
        let text = fs::read_to_string(document(user)).unwrap();
        let merged = if text == MERGED { 3 } else { 0 };
        assert!(merged == 3 || text == DOCUMENT, "{text}");
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, merged]);
        assert_eq!(user.files("processing"), Vec::<String>::new());
    },
};

const WORK_BUNDLE: Case = Case {
    name: "work on three in one file",
    prepare: |user| {
        many(user, &LINES);
        user.run(ENQUEUE_MANY.args).ok();
    },
    args: &["work"],
    after: drain,
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap(), MERGED);
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
        assert_eq!(beside(user), Vec::<String>::new());
        user.assert_clean();
    },
};

const WORK_BUNDLE_PARTS: Case = Case {
    name: "work on four in one file, one of which fails",
    prepare: |user| {
        let [one, two, three] = LINES;
        many(user, &[one, ("Missing", "clear", ""), two, three]);
        user.run(ENQUEUE_MANY.args).ok();
    },
    ..WORK
};

/// A document with a generated index of two details.
const WORK_INDEX: Case = Case {
    name: "work on a generated index",
    prepare: |user| {
        let notes = document(user);
        let details = user.root().join("details");
        fs::create_dir(&details).unwrap();
        fs::write(details.join("a.md"), "---\nread_when: do a\n---\n# A\n").unwrap();
        fs::write(details.join("b.md"), "# B\n\nOf b.\n").unwrap();
        fs::write(&notes, INDEX.replace("{}", "")).unwrap();
        let (notes, details) = (notes.display(), details.display());
        user.configure(&format!(
            "version: 1\nknowledge_bases:\n  notes:\n    path: {notes}\n    index: {{ of: \"{details}/*.md\" }}\nretry: {{ base: 5ms, cap: 20ms }}\n"
        ));
    },
    args: &["work"],
    after: drain,
    check: |user| {
        let table = "\n<!-- last-word:index 54332d0b15012689; what is written here is lost -->\n\n| when you want to … | read | changed |\n|---|---|---|\n| do a | [details/a.md:4](details/a.md) | – |\n| B: Of b. | [details/b.md:1](details/b.md) | – |\n\n";
        assert_eq!(fs::read_to_string(document(user)).unwrap(), INDEX.replace("{}", table));
        assert_eq!(user.counts()[..5], [0, 0, 0, 0, 0]);
        assert_eq!(beside(user), Vec::<String>::new());
        // A file in `tmp/` of a worker that died while it asked is swept once it is old, as one of an enqueue is.
        assert_eq!(user.files("processing"), Vec::<String>::new());
    },
};

const INDEX: &str = "# Mine\n\n<!-- MACHINE_BLOCK_START -->\n{}<!-- MACHINE_BLOCK_END -->\n\nmine too\n";

const WORK_NEW_DOCUMENT: Case = Case {
    name: "work on a document that is not there yet",
    prepare: |user| {
        fs::remove_file(document(user)).unwrap();
        user.note("Log", "append", "- one");
        user.note("Log", "append", "- two");
    },
    args: &["work"],
    after: drain,
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap(), "## Log\n\n- one\n- two\n");
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2]);
        assert_eq!(beside(user), Vec::<String>::new());
        user.assert_clean();
    },
};

const ENQUEUE: Case = Case {
    name: "enqueue",
    prepare: |_| {},
    args: &["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- one"],
    after: drain,
    check: |user| {
        let text = fs::read_to_string(document(user)).unwrap();
        let merged = text.matches("- one\n").count();
        // It never returned, so it promised nothing: there once, or not at all.
        assert!(merged <= 1, "{text}");
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, merged]);
        assert_eq!(user.files("processing"), Vec::<String>::new());
    },
};

const ENQUEUE_KEYED: Case = Case {
    name: "enqueue --key, repeated",
    prepare: |_| {},
    args: &[
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "Log",
        "--op",
        "append",
        "--content",
        "- one",
        "--key",
        "k",
    ],
    after: |user| {
        // What a hook does that was killed: it fires again, perhaps after a worker came by, perhaps before.
        drain(user);
        user.run(ENQUEUE_KEYED.args).ok();
        user.run(ENQUEUE_KEYED.args).ok();
        drain(user);
    },
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap().matches("- one\n").count(), 1);
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1]);
    },
};

const DROP: Case = Case {
    name: "work on a file moved into pending/",
    prepare: |user| {
        let entry = |line: &str| {
            format!(r##"{{"key":{{"kb":"notes","heading":"Log"}},"operation":"append","content":"{line}"}}"##)
        };
        let lines: Vec<String> = ["- one", "- two", "- three"]
            .iter()
            .map(|line| format!(r#"{{"version":"1.0.0","entries":[{}]}}"#, entry(line)))
            .collect();
        let from = user.root().join("dropped.json");
        fs::write(&from, lines.join("\n")).unwrap();
        fs::rename(from, user.home().join("pending/dropped.json")).unwrap();
    },
    args: &["work"],
    after: drain,
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap(), MERGED);
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
        user.assert_clean();
    },
};

const RESOLVE: Case = Case {
    name: "resolve --retry",
    prepare: |user| {
        three_notes_failed(user);
    },
    args: &["resolve", "--all", "--retry"],
    after: |user| {
        drain(user);
        // Whatever the crash left in staging is resolved again.
        user.run(["resolve", "--all", "--retry"]).ok();
        drain(user);
    },
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap(), MERGED);
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
        user.assert_clean();
    },
};

/// Nobody runs a worker in between: the person types the same command again, and the order is still kept.
const RESOLVE_AGAIN: Case = Case {
    name: "resolve --retry, typed again",
    prepare: RESOLVE.prepare,
    args: RESOLVE.args,
    after: |user| {
        user.run(["resolve", "--all", "--retry"]).ok();
        drain(user);
    },
    check: RESOLVE.check,
};

const SESSION: [&str; 4] = ["--agent", "codex", "--session", "s1"];

fn plan(user: &User, line: &str) {
    let entry = ["plan", "--to", "notes", "--heading", "Log", "--op", "append", "--content", line];
    user.run(entry.iter().chain(&SESSION)).ok();
}

fn flush(user: &User) {
    user.run(["flush"].iter().chain(&SESSION)).ok();
}

const PLAN: Case = Case {
    name: "plan",
    prepare: |user| plan(user, "- one"),
    args: &[
        "plan",
        "--to",
        "notes",
        "--heading",
        "Log",
        "--op",
        "append",
        "--content",
        "- two",
        "--agent",
        "codex",
        "--session",
        "s1",
    ],
    after: |user| {
        flush(user);
        drain(user);
    },
    check: |user| {
        let text = fs::read_to_string(document(user)).unwrap();
        assert_eq!(text.matches("- one\n").count(), 1, "what was acknowledged before");
        let second = text.matches("- two\n").count();
        assert!(second <= 1, "{text}");
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 1 + second]);
    },
};

const FLUSH: Case = Case {
    name: "flush",
    prepare: |user| {
        for line in ["- one", "- two", "- three"] {
            plan(user, line);
        }
    },
    args: &["flush", "--agent", "codex", "--session", "s1"],
    after: |user| {
        // A worker comes by between the crash and the second call.
        drain(user);
        flush(user);
        drain(user);
    },
    check: |user| {
        let text = fs::read_to_string(document(user)).unwrap();
        for line in ["- one\n", "- two\n", "- three\n"] {
            assert_eq!(text.matches(line).count(), 1, "{text}");
        }
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
        user.assert_clean();
    },
};

/// Three jobs that failed because their document was no document, and now is one.
fn three_notes_failed(user: &User) {
    fs::remove_file(document(user)).unwrap();
    fs::create_dir(document(user)).unwrap();
    for line in ["- one", "- two", "- three"] {
        user.note("Log", "append", line);
    }
    drain(user);
    assert_eq!(user.counts()[3], 3, "they failed");
    fs::remove_dir(document(user)).unwrap();
    fs::write(document(user), DOCUMENT).unwrap();
}

const DISCARD: Case = Case {
    name: "resolve --discard",
    prepare: three_notes_failed,
    args: &["resolve", "--all", "--discard"],
    after: |user| {
        drain(user);
        user.run(["resolve", "--all", "--discard"]).ok();
    },
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap(), DOCUMENT);
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3]);
        user.assert_clean();
    },
};

const STALE_SAVES: Case = Case {
    name: "work that reports a stale buffer and a late write",
    prepare: |user| {
        use std::os::unix::fs::FileExt;
        let editor = fs::File::options().write(true).open(document(user)).unwrap();
        user.note("Log", "append", "- one");
        drain(user);
        editor.write_all_at(b"# NOTES", 0).unwrap();
        fs::write(document(user), DOCUMENT).unwrap();
    },
    args: &["work"],
    after: drain,
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap(), DOCUMENT);
        assert_eq!(user.counts(), [0, 0, 0, 1, 1, 1]);
        let errors = |state| user.json(["list", state])[0]["error"].as_str().unwrap().to_owned();
        assert_eq!(errors("failed"), "late_write");
        assert_eq!(errors("review"), "reverted");
        let late =
            user.tree().into_iter().find(|(path, _)| path.extension().is_some_and(|e| e == "original"));
        assert!(late.unwrap().1.starts_with(b"# NOTES\n"));
        user.assert_clean();
    },
};

const HOLD: Case = Case {
    name: "hold",
    prepare: |user| {
        user.note("Log", "append", "- one");
    },
    args: &["hold", "--document", "notes"],
    after: |user| {
        // Held again, as somebody whose command was killed would.
        user.run(HOLD.args).ok();
        drain(user);
    },
    check: |user| {
        assert_eq!(fs::read_to_string(document(user)).unwrap(), DOCUMENT);
        assert_eq!((user.counts(), user.files("holds").len()), ([1, 0, 0, 0, 0, 0], 1));
        user.assert_clean();
    },
};

/// The document with one line merged, which a rollback takes out again.
fn one_merged(user: &User) {
    user.note("Log", "append", "- one");
    drain(user);
}

const ROLLBACK_ASKED: Case = Case {
    name: "rollback, asked for",
    prepare: one_merged,
    args: &["rollback", "notes", "--to", "0"],
    after: |user| {
        // It never returned, so it is asked for again; twice is once.
        user.run(ROLLBACK_ASKED.args).ok();
        drain(user);
    },
    check: rolled_back,
};

const ROLLBACK_MERGED: Case = Case {
    name: "rollback, merged",
    prepare: |user| {
        one_merged(user);
        user.run(ROLLBACK_ASKED.args).ok();
        user.note("Other", "append", "more");
    },
    args: &["work"],
    after: |user| {
        drain(user);
        let text = fs::read_to_string(document(user)).unwrap();
        assert_eq!(text, DOCUMENT.replace("kept\n", "kept\n\nmore\n"));
        // And it can itself be rolled back.
        user.run(["rollback", "notes", "--to", "1"]).ok();
        drain(user);
        assert!(fs::read_to_string(document(user)).unwrap().contains("- one\n"));
        user.run(ROLLBACK_ASKED.args).ok();
        drain(user);
    },
    check: rolled_back,
};

fn rolled_back(user: &User) {
    assert_eq!(fs::read_to_string(document(user)).unwrap(), DOCUMENT);
    assert_eq!(user.counts()[..5], [0, 0, 0, 0, 0]);
    assert_eq!(beside(user), Vec::<String>::new());
    let left: Vec<String> = user.files("tmp").into_iter().filter(|name| name.starts_with('w')).collect();
    assert_eq!(left, Vec::<String>::new(), "what an enqueue left in tmp/ goes by age");
}

const KEYED: [&str; 11] =
    ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- one", "--key", "k"];

const PRUNE: Case = Case {
    name: "prune",
    prepare: |user| {
        user.run(KEYED).ok();
        one_merged(user);
        let done = user.home().join("done");
        let today = fs::read_dir(&done).unwrap().next().unwrap().unwrap().path();
        fs::rename(today, done.join("2020-02-29")).unwrap();
        fs::write(user.home().join("journal/2020-02-29.jsonl"), "{}\n").unwrap();
        user.note("Log", "append", "- two");
    },
    args: &["prune"],
    after: |user| {
        user.run(["prune"]).ok();
    },
    check: |user| {
        assert_eq!((user.files("keys"), user.counts()), (vec![], [1, 0, 0, 0, 0, 0]));
        assert!(!user.files("journal").contains(&"2020-02-29.jsonl".to_owned()));
        assert!(!user.home().join("done/2020-02-29").exists());
        user.assert_clean();
    },
};

const PURGE: Case = Case {
    name: "item purge",
    prepare: |user| {
        user.lets_tests_decide();
        crate::purge::with_a_secret_everywhere(user);
    },
    args: &["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"],
    after: |user| {
        drain(user);
        // Which document it was in decides nothing about what is read of the others.
        drain(user);
    },
    check: |user| {
        let text = fs::read_to_string(document(user)).unwrap();
        if text.contains("(purged)") {
            assert_eq!(crate::purge::who_says_it(user), Vec::<String>::new());
            assert_eq!(user.json(["item", "show", "k7m2q9xa"])["live"], false);
            assert!(!user.home().join("purges/k7m2q9xa.json").exists());
            assert!(user.run(["history", "notes"]).ok().contains("purge"));
        } else {
            // It had not begun.
            assert!(text.contains(crate::purge::SECRET), "{text}");
            assert_eq!(fs::read_dir(user.home().join("purges")).map_or(0, Iterator::count), 0);
        }
        assert_eq!(beside(user), Vec::<String>::new());
        assert_eq!(user.files("staging").len(), if text.contains("(purged)") { 0 } else { 1 });
    },
};

/// Adopted and merged, beside a copy of what the configuration said before.
fn adopted(user: &User) {
    user.lets_tests_decide();
    fs::copy(user.home().join("config.yaml"), user.root().join("config.before")).unwrap();
    fs::create_dir(user.root().join(".codex")).unwrap();
    fs::write(user.root().join(".codex/AGENTS.md"), "# Mine\n\n- answers in Chinese\n- never force-push\n")
        .unwrap();
    user.run(["--as", "tests", "adopt", "--yes"]).ok();
    drain(user);
    assert!(user.root().join(".config/agents/facts").exists());
}

const ADOPTION_UNDONE: Case = Case {
    name: "adopt --undo",
    prepare: adopted,
    args: &["--as", "tests", "adopt", "--undo"],
    after: |user| {
        // It goes on, is being taken back already, or is gone.
        let said = user.run(["--as", "tests", "adopt", "--undo"]);
        assert!(matches!(said.code, Some(0 | 1 | 75)), "{}", said.stderr);
        drain(user);
    },
    check: nothing_is_adopted,
};

const UNDO_MERGED: Case = Case {
    name: "work after adopt --undo",
    prepare: |user| {
        adopted(user);
        user.run(ADOPTION_UNDONE.args).ok();
    },
    args: &["work"],
    after: drain,
    check: nothing_is_adopted,
};

const ADOPTION: Case = Case {
    name: "adopt",
    prepare: |user| {
        adopted(user);
        user.run(ADOPTION_UNDONE.args).ok();
        drain(user);
    },
    args: &["--as", "tests", "adopt", "--yes"],
    after: |user| {
        drain(user);
        let said = user.run(ADOPTION_UNDONE.args);
        assert!(matches!(said.code, Some(0 | 1)), "{}", said.stderr);
        drain(user);
    },
    check: nothing_is_adopted,
};

fn nothing_is_adopted(user: &User) {
    let before = fs::read_to_string(user.root().join("config.before")).unwrap();
    assert_eq!(fs::read_to_string(user.home().join("config.yaml")).unwrap(), before);
    let facts = user.root().join(".config/agents/facts");
    assert!(!facts.exists(), "{:?}", fs::read_dir(&facts).map(|dir| dir.flatten().collect::<Vec<_>>()));
    assert_eq!(fs::read_dir(user.home().join("adoptions")).map_or(0, Iterator::count), 0);
    assert_eq!(user.counts()[..5], [0, 0, 0, 0, 0]);
}

#[test]
fn adoption_undone() {
    run(&ADOPTION_UNDONE);
}

#[test]
fn adoption_undone_and_merged() {
    run(&UNDO_MERGED);
}

#[test]
fn adoption_cut_short() {
    run(&ADOPTION);
}

#[test]
fn purge() {
    run(&PURGE);
}

#[test]
fn purge_whose_next_run_is_killed_too() {
    for first in ["point=purge.recorded", "point=purge.queue", "point=purge.logged"] {
        run_nested(&PURGE, first);
    }
}

#[test]
fn work_faults() {
    run_faults(&WORK, &ERRNOS);
}

#[test]
fn enqueue_faults() {
    run_faults(&ENQUEUE, &ERRNOS);
    run_faults(&ENQUEUE_KEYED, &ERRNOS);
}

#[test]
fn resolve_faults() {
    // A job it may not move it leaves and names; the others pass it then. Its order is for the person who acts.
    run_faults(&RESOLVE, &ERRNOS[..4]);
}

#[test]
fn stale_saves() {
    run(&STALE_SAVES);
}

#[test]
fn prune() {
    run(&PRUNE);
}

#[test]
fn rollback_asked() {
    run(&ROLLBACK_ASKED);
}

#[test]
fn rollback_merged() {
    run(&ROLLBACK_MERGED);
}

#[test]
fn hold() {
    run(&HOLD);
}

#[test]
fn work() {
    run(&WORK);
}

#[test]
fn work_recovery_killed_too() {
    for first in
        ["point=commit.exchanged", "point=commit.archived", "point=settle.moved", "point=commit.intended"]
    {
        run_nested(&WORK, first);
    }
}

#[test]
fn several_in_one_file() {
    run(&ENQUEUE_MANY);
    run(&WORK_BUNDLE);
    run(&WORK_BUNDLE_PARTS);
}

#[test]
fn several_in_one_file_recovery_killed_too() {
    run_nested(&WORK_BUNDLE, "point=ended.moved");
    for first in
        ["point=commit.exchanged", "point=split.written", "point=split.durable", "point=settle.moved"]
    {
        run_nested(&WORK_BUNDLE_PARTS, first);
    }
}

#[test]
fn several_in_one_file_faults() {
    run_faults(&WORK_BUNDLE_PARTS, &ERRNOS);
    run_faults(&ENQUEUE_MANY, &ERRNOS);
}

#[test]
fn work_new_document() {
    run(&WORK_NEW_DOCUMENT);
    run(&WORK_INDEX);
}

#[test]
fn enqueue() {
    run(&ENQUEUE);
}

#[test]
fn enqueue_keyed() {
    run(&ENQUEUE_KEYED);
}

#[test]
fn plan_an_entry() {
    run(&PLAN);
}

#[test]
fn flush_a_session() {
    run(&FLUSH);
}

#[test]
fn dropped_file() {
    run(&DROP);
}

#[test]
fn resolve_retry() {
    run(&RESOLVE);
}

#[test]
fn resolve_retry_typed_again() {
    run(&RESOLVE_AGAIN);
}

#[test]
fn resolve_discard() {
    run(&DISCARD);
}
