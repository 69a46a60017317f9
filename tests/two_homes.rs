//! Two homes with one document (root and a user, a container and its host, a second `--home`): neither removes what the
//! other has begun, neither merges onto a text that the other is about to replace, and nobody's words are lost.

use crate::support::{Said, User, has_crash_points};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// A person's document and two homes that have it.
struct Two {
    user: User,
    second: PathBuf,
}

impl Two {
    fn new() -> Two {
        let user = User::in_memory();
        let notes = user.with_notes();
        let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
        let other = format!("  other:\n    path: {}/other.md\n", user.root().display());
        user.configure(&config.replace("session_bootstrap", &format!("{other}session_bootstrap")));
        fs::write(&notes, "# Notes\n\n## Mine\n\n- begin\n").unwrap();
        let second = user.root().join("second");
        user.run(["--home", second.to_str().unwrap(), "init"]).ok();
        fs::copy(user.home().join("config.yaml"), second.join("config.yaml")).unwrap();
        Two { user, second }
    }

    fn notes(&self) -> PathBuf {
        self.user.root().join("notes.md")
    }

    fn home(&self, which: usize) -> PathBuf {
        [self.user.home(), self.second.clone()][which].clone()
    }

    fn command(&self, which: usize, args: &[&str]) -> Command {
        let mut command = self.user.command(["--home", self.home(which).to_str().unwrap()]);
        command.args(args);
        command
    }

    fn run(&self, which: usize, args: &[&str]) -> Said {
        Said::of(self.command(which, args).output().unwrap())
    }

    fn note(&self, which: usize, line: &str) {
        let heading = ["First", "Second"][which];
        let args = ["enqueue", "--to", "notes", "--heading", heading, "--op", "append", "--content", line];
        self.run(which, &args).ok();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.notes()).unwrap()
    }

    /// A person adds a line to what the document says now, as most editors save: a new file over the old one.
    fn save(&self, line: &str) {
        let text = self.text().replace("## Mine\n\n", &format!("## Mine\n\n{line}\n"));
        let new = self.user.root().join(".editor");
        fs::write(&new, text).unwrap();
        fs::rename(&new, self.notes()).unwrap();
    }

    fn waits(&self, which: usize) -> u64 {
        let said = self.run(which, &["status", "--json"]).ok();
        let status: serde_json::Value = serde_json::from_str(&said).unwrap();
        let count = |of: &serde_json::Value| match of["state"].as_str() {
            Some("pending" | "deferred" | "processing") => of["count"].as_u64().unwrap(),
            _ => 0,
        };
        status["states"].as_array().unwrap().iter().map(count).sum()
    }

    /// Everything that waits is merged, or has been told.
    fn settle(&self) {
        for _ in 0..100 {
            for which in 0..2 {
                self.run(which, &["work"]).ok();
            }
            if self.waits(0) + self.waits(1) == 0 {
                return;
            }
        }
        panic!("{} and {} jobs wait for ever", self.waits(0), self.waits(1));
    }

    /// What each home put before a person, as one text.
    fn told(&self) -> String {
        let mut told = String::new();
        for which in 0..2 {
            for state in ["staging/failed", "staging/review"] {
                let dir = self.home(which).join(state);
                for entry in fs::read_dir(dir).unwrap() {
                    told.push_str(&fs::read_to_string(entry.unwrap().path()).unwrap());
                }
            }
        }
        told
    }

    fn assert_nothing_beside(&self) {
        let names = fs::read_dir(self.user.root()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = names.filter(|name| name.to_string_lossy().contains(".last-word-")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_commit_that_another_home_has_begun_is_waited_for() {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    if !has_crash_points() {
        return;
    }
    let two = Two::new();
    two.note(0, "- one");
    two.note(1, "- two");
    let mut first =
        two.command(0, &["work"]).env("LAST_WORD_TROUBLE", "stop=commit.exchanged").spawn().unwrap();
    let pid = Pid::from_child(&first);
    let mut stops = 0;
    while let Some((_, status)) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap() {
        if !status.stopped() {
            assert_eq!(status.exit_status(), Some(0));
            break;
        }
        stops += 1;
        let before = two.text();
        two.run(1, &["work"]).ok();
        assert_eq!((two.text(), two.waits(1)), (before, 1), "the other home is in the middle of it");
        kill_process(pid, Signal::CONT).unwrap();
    }
    let _ = first.try_wait();
    assert_eq!(stops, 1);
    two.settle();
    assert!(two.text().contains("- one") && two.text().contains("- two"), "{}", two.text());
    assert_eq!(two.told(), "");
    two.assert_nothing_beside();
}

/// A save by renaming puts a file at the document's name that no lock was ever taken on: the other home is kept out all the same.
#[test]
fn a_save_by_renaming_lets_no_other_home_into_a_commit() {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    if !has_crash_points() {
        return;
    }
    for point in ["claim.secured", "commit.staged", "commit.intended", "commit.exchanged", "commit.archived"]
    {
        let two = Two::new();
        for n in 0..3 {
            two.note(0, &format!("- one {n}"));
            two.note(1, &format!("- two {n}"));
        }
        let order = format!("stop={point}");
        let mut first = two.command(0, &["work"]).env("LAST_WORD_TROUBLE", order).spawn().unwrap();
        let pid = Pid::from_child(&first);
        let mut saves = 0;
        while let Some((_, status)) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap() {
            if !status.stopped() {
                assert_eq!(status.exit_status(), Some(0));
                break;
            }
            if saves < 3 {
                two.save(&format!("- saved {saves}"));
                saves += 1;
            }
            let before = two.text();
            two.run(1, &["work"]).ok();
            let kept_out = (two.text(), two.waits(1)) == (before, 3);
            kill_process(pid, Signal::CONT).unwrap();
            assert!(kept_out, "{point}: the other home went to a document that is in the middle of a commit");
        }
        let _ = first.try_wait();
        assert!(saves > 0, "{point}: the worker never came there");
        two.settle();
        let lines = |who: &str, many| (0..many).map(|n| format!("- {who} {n}")).collect::<Vec<_>>();
        for line in [lines("one", 3), lines("two", 3), lines("saved", saves)].concat() {
            assert_eq!(two.text().matches(&line).count(), 1, "{point}: {line}: {}", two.text());
        }
        assert_eq!(two.told(), "", "{point}");
        two.assert_nothing_beside();
    }
}

/// Documents of one directory are written by the threads of a home side by side, though the lock is the directory's.
#[test]
fn the_lock_of_a_directory_is_shared_by_the_threads_of_a_home() {
    let two = Two::new();
    for n in 0..40 {
        let to = ["notes", "other"][n % 2];
        let args =
            ["enqueue", "--to", to, "--heading", "H", "--op", "append", "--content", &format!("- {n}")];
        two.run(0, &args).ok();
    }
    two.run(0, &["work", "--threads", "4"]).ok();
    assert_eq!(two.waits(0), 0);
    let other = fs::read_to_string(two.user.root().join("other.md")).unwrap();
    assert_eq!((two.text().matches("- ").count(), other.matches("- ").count()), (21, 20));
}

#[test]
fn what_a_dead_commit_of_another_home_holds_is_left_for_it() {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    if !has_crash_points() {
        return;
    }
    let two = Two::new();
    two.note(0, "- one");
    two.note(1, "- two");
    let order = "stop=commit.intended,point=commit.exchanged:1";
    let mut first = two.command(0, &["work"]).env("LAST_WORD_TROUBLE", order).spawn().unwrap();
    let pid = Pid::from_child(&first);
    let mut stops = 0;
    while let Some((_, status)) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap() {
        if !status.stopped() {
            break;
        }
        stops += 1;
        // What the worker is about to displace: only its file beside the document has it then.
        two.save("- saved");
        kill_process(pid, Signal::CONT).unwrap();
    }
    let _ = first.try_wait();
    assert!(stops > 0 && !two.text().contains("- saved"), "{}", two.text());
    two.run(1, &["work"]).ok();
    two.note(1, "- three");
    two.run(1, &["work"]).ok();
    two.settle();
    let text = two.text();
    for line in ["- one", "- two", "- three"] {
        assert_eq!(text.matches(line).count(), 1, "{line}: {text}");
    }
    // The other home went on from a text without it, and recovery does not guess: it is there, or it was told.
    assert!(text.contains("- saved") || two.told().contains("- saved"), "{text}\n{}", two.told());
    two.assert_nothing_beside();
}

/// Something else stands where a dead commit's file was: that document's jobs are done, given back or asked about, and
/// every other document goes on.
#[test]
fn a_commit_whose_file_became_something_else_keeps_no_other_document_waiting() {
    if !has_crash_points() {
        return;
    }
    for point in ["commit.intended", "commit.exchanged"] {
        for (what, edited) in [("link", false), ("link", true), ("directory", false), ("directory", true)] {
            let two = Two::new();
            let elsewhere = two.user.root().join("elsewhere.md");
            fs::write(&elsewhere, "# Elsewhere\n").unwrap();
            two.note(0, "- one");
            let order = format!("point={point}");
            assert!(!two.command(0, &["work"]).env("LAST_WORD_TROUBLE", order).status().unwrap().success());
            let names = fs::read_dir(two.user.root()).unwrap().map(|entry| entry.unwrap().path());
            let beside: Vec<_> =
                names.filter(|path| path.to_string_lossy().contains(".last-word-")).collect();
            assert_eq!(beside.len(), 1, "{beside:?}");
            fs::remove_file(&beside[0]).unwrap();
            match what {
                "link" => std::os::unix::fs::symlink(&elsewhere, &beside[0]).unwrap(),
                _ => fs::create_dir(&beside[0]).unwrap(),
            }
            if edited {
                fs::write(two.notes(), format!("{}edited\n", two.text())).unwrap();
            }
            two.run(0, &["enqueue", "--to", "other", "--heading", "H", "--op", "append", "--content", "- x"])
                .ok();
            two.run(0, &["work"]).ok();
            let case = format!("{point}, {what}, edited: {edited}");
            let other = fs::read_to_string(two.user.root().join("other.md")).unwrap_or_default();
            assert!(other.contains("- x"), "{case}");
            assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "# Elsewhere\n", "{case}");
            let told = two.told();
            assert_eq!(told.contains("commit_unclear"), edited, "{case}: {told}");
            let there = two.text().matches("- one").count();
            // A directory stands in the way of the next commit too, which tries again and then says so.
            let waits = two.waits(0) > 0 || told.contains("document_unreachable");
            assert!(edited || (there == 1) != waits, "{case}: {}{told}", two.text());
            assert!(!waits || what == "directory", "{case}: {told}");
            assert_eq!(two.run(0, &["doctor", "--fix"]).stderr, "", "{case}");
        }
    }
}

/// Rounds of the storm; `LAST_WORD_STORM` asks for more.
fn rounds() -> usize {
    std::env::var("LAST_WORD_STORM").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(40)
}

#[test]
fn a_storm_of_two_homes_and_a_person() {
    if !has_crash_points() {
        return;
    }
    let two = Two::new();
    let done = AtomicBool::new(false);
    let lines = |who: &str| (0..rounds()).map(|n| format!("- {who} {n:04}")).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let two = &two;
        let done = &done;
        for which in 0..2 {
            scope.spawn(move || {
                let mut runs = 0;
                while !done.load(Ordering::SeqCst) {
                    runs += 1;
                    let mut work = two.command(which, &["work"]);
                    if cfg!(feature = "crash-points") && runs % 3 == 0 {
                        // Some of them die somewhere on their way.
                        work.env("LAST_WORD_TROUBLE", format!("step={}", 5 + runs * 7 % 60));
                    }
                    work.output().unwrap();
                }
            });
        }
        let producers: Vec<_> = [(0, "first"), (1, "second")]
            .map(|(which, who)| scope.spawn(move || lines(who).iter().for_each(|line| two.note(which, line))))
            .into();
        lines("saved").iter().for_each(|line| {
            two.save(line);
            two.run(0, &["status"]).ok();
        });
        producers.into_iter().for_each(|producer| producer.join().unwrap());
        done.store(true, Ordering::SeqCst);
    });
    two.settle();
    let (text, told) = (two.text(), two.told());
    let mut reported = 0;
    for line in ["first", "second", "saved"].iter().flat_map(|who| lines(who)) {
        let there = text.lines().filter(|of| *of == line).count();
        assert!(there <= 1, "{line} is there {there} times: {text}");
        assert!(there == 1 || told.contains(&line), "{line} is neither in the document nor told: {text}");
        reported += usize::from(there == 0);
    }
    println!("{reported} of {} lines were put before a person", 3 * rounds());
    two.assert_nothing_beside();
}
