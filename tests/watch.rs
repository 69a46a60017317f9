//! `work --watch` and `--stay`: what comes is merged without anybody asking, signals are heeded, and nothing hangs.

use crate::support::User;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixDatagram;
use std::process::{Child, Stdio};

/// A worker that stays, and the socket on which it tells systemd how it is.
struct Watching {
    child: Child,
    told: UnixDatagram,
}

impl Watching {
    fn start(user: &User, args: &[&str]) -> Watching {
        Watching::with(user, args, "")
    }

    fn with(user: &User, args: &[&str], trouble: &str) -> Watching {
        let socket = user.root().join("notify");
        let _ = fs::remove_file(&socket);
        let told = UnixDatagram::bind(&socket).unwrap();
        let mut command = user.command(["work"]);
        command.args(args).env("NOTIFY_SOCKET", &socket).env("LAST_WORD_TROUBLE", trouble);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Watching { child, told }
    }

    /// Waits until systemd is told this.
    fn wait_for(&self, word: &str) {
        let mut bytes = [0; 4096];
        loop {
            let length = self.told.recv(&mut bytes).unwrap();
            if String::from_utf8_lossy(&bytes[..length]).lines().any(|line| line.starts_with(word)) {
                return;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Ends it as systemd does. What it said on standard output and standard error.
    #[track_caller]
    fn end(self) -> (String, String) {
        self.signal(Signal::TERM);
        let said = crate::support::Said::of(self.child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        (said.stdout, said.stderr)
    }
}

/// Enqueues, and waits until it is merged: by a file event, for the next scan is a minute away.
#[track_caller]
fn note_and_wait(user: &User, content: &str) {
    let args =
        ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", content, "--wait=30"];
    user.run(args).ok();
}

#[test]
fn what_comes_is_merged_and_nothing_is_said() {
    let user = User::new();
    let notes = user.with_notes();
    user.note("Log", "append", "- waited already");
    let watching = Watching::start(&user, &["--watch"]);
    watching.wait_for("READY=1");
    note_and_wait(&user, "- came");
    assert_eq!(user.run(["work", "-v"]).code, Some(0), "a second worker is no trouble");
    note_and_wait(&user, "- and another");
    assert_eq!(watching.end(), (String::new(), String::new()));
    assert_eq!(fs::read_to_string(notes).unwrap(), "## Log\n\n- waited already\n- came\n- and another\n");
    user.assert_clean();
}

#[test]
fn a_file_moved_in_is_taken_and_the_watchdog_hears_us() {
    let user = User::new();
    user.with_notes();
    let watching = Watching::start(&user, &["--watch"]);
    watching.wait_for("READY=1");
    watching.wait_for("WATCHDOG=1");
    let said = br##"{"version":"1.0.0","entries":[{"key":{"kb":"notes","heading":"Log"},"operation":"append","content":"- by hand"}]}"##;
    user.drop_in(&user.home().join("pending"), "x.json", said);
    // A later job of the same document is merged after it.
    note_and_wait(&user, "- later");
    let said = user.run(["read", "notes"]).ok();
    assert!(said.contains("- by hand") && said.contains("- later"), "{said}");
    watching.end();
}

#[test]
fn bad_settings_leave_those_of_before_and_good_ones_count_at_once() {
    let user = User::new();
    user.with_notes();
    let good = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    let mut watching = Watching::start(&user, &["--watch"]);
    watching.wait_for("READY=1");
    let mut said = BufReader::new(watching.child.stderr.take().unwrap());
    user.drop_in(&user.home(), "config.yaml", b"version: 1\nknowledge_bases: [\n");
    watching.signal(Signal::HUP);
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("the settings of before stay in force") && line.contains("config.yaml"), "{line}");
    // What was enqueued before somebody broke them is merged all the same.
    user.drop_in(&user.home(), "config.yaml", good.as_bytes());
    note_and_wait(&user, "- one");
    user.drop_in(
        &user.home(),
        "config.yaml",
        good.replace("notes:\n", "more:\n").replace("[notes]", "[more]").as_bytes(),
    );
    let args =
        ["enqueue", "--to", "more", "--heading", "Log", "--op", "append", "--content", "- two", "--wait=30"];
    user.run(args).ok();
    watching.end();
    let log = user.run(["log"]).ok();
    assert!(log.contains("settings bad") && log.contains("settings read"), "{log}");
}

#[test]
fn one_watches_and_a_second_says_so() {
    let user = User::new();
    let watching = Watching::start(&user, &["--watch"]);
    watching.wait_for("READY=1");
    user.run(["work", "--watch"]).fails(75, "watches this home already");
    user.run(["work", "--stay", "60"]).ok();
    let doctor = user.run(["doctor"]).ok();
    assert!(doctor.contains("one watches"), "{doctor}");
    watching.end();
    assert!(!user.run(["doctor"]).ok().contains("one watches"));
    let again = Watching::start(&user, &["--watch"]);
    again.wait_for("READY=1");
    again.end();
}

#[test]
fn a_retry_is_merged_when_it_is_due() {
    let user = User::new();
    let dir = user.root().join("sub");
    let config = format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}/notes.md }}\nsession_bootstrap: [notes]\nretry: {{ retries: 9, base: 20ms, cap: 40ms }}\n",
        dir.display()
    );
    user.configure(&config);
    let away = user.root().join("away");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("notes.md"), "## Log\n\n- zero\n").unwrap();
    let id = user.note("Log", "append", "- one");
    fs::rename(&dir, &away).unwrap();
    fs::write(&dir, "in the way").unwrap();
    let mut watching = Watching::start(&user, &["--watch", "-vv"]);
    let mut said = BufReader::new(watching.child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("deferred") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "it was not deferred");
    }
    fs::remove_file(&dir).unwrap();
    fs::rename(&away, &dir).unwrap();
    while !line.contains(&format!("applied {id}")) {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "it was not merged");
    }
    watching.end();
}

#[test]
fn trouble_of_the_machine_is_said_once_and_ends_nothing() {
    if !crate::support::has_crash_points() {
        return;
    }
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    let watching = Watching::with(&user, &["--watch"], "fail-from=1:28");
    watching.wait_for("STATUS=");
    // What comes is heard and not looked at before the next minute: not one line more.
    user.note("Log", "append", "- two");
    let (_, said) = watching.end();
    assert_eq!(said.matches("No space left").count(), 1, "{said}");
    assert_eq!(user.counts()[0], 2, "nothing was spent");
    let after = Watching::start(&user, &["--watch"]);
    after.wait_for("READY=1");
    after.end();
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, 2]);
}

#[test]
fn it_stays_while_something_is_held_and_ends_when_it_was_merged() {
    let user = User::new();
    let notes = user.with_notes();
    let id = user.note("Log", "append", "- held");
    user.run(["hold", &id]).ok();
    let staying = Watching::start(&user, &["--stay", "3600"]);
    staying.wait_for("READY=1");
    user.run(["release", &id]).ok();
    let said = crate::support::Said::of(staying.child.wait_with_output().unwrap());
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(notes).unwrap(), "## Log\n\n- held\n");
    // With nothing left it does not stay at all.
    user.run(["work", "--stay", "3600"]).ok();
}

#[test]
fn a_lock_that_is_never_given_back_does_not_hang_a_run() {
    let user = User::new();
    let notes = user.with_notes();
    user.note("Log", "append", "- one");
    let lock = fs::File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(user.home().join("locks/epoch"))
        .unwrap();
    lock.lock().unwrap();
    let said = user.run(["work", "--stuck-after", "1"]);
    let stderr = said.fails(1, "nothing moved for 1 s");
    assert!(stderr.contains("hint:"), "{stderr}");
    drop(lock);
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(notes).unwrap(), "## Log\n\n- one\n");
}
