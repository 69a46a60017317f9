//! What the screen says when the machine is in trouble: `status`, `status --check`, the metrics and `doctor` agree, and
//! each names the next step.

use crate::support::{Said, User, binary, has_crash_points, skipped};
use std::fs;
use std::process::Command;

/// Runs a script of the shell in a mount namespace of its own, where `$BIN` is the binary and `$HOME` the user's; `None`,
/// said, where that is not allowed.
fn with_mounts(user: &User, script: &str) -> Option<Said> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--", "sh", "-c", &format!("echo begun; {script}")]).env_clear();
    unshare.env("HOME", user.root()).env("PATH", "/usr/sbin:/usr/bin:/bin:/sbin").env("BIN", binary());
    let said = unshare.output().map(Said::of);
    match said {
        Ok(said) if said.stdout.starts_with("begun") && !said.stderr.contains("mount:") => Some(said),
        Ok(said) => {
            skipped(format!("no mount namespace here: {}", said.stderr.trim()));
            None
        }
        Err(e) => {
            skipped(format!("no unshare here: {e}"));
            None
        }
    }
}

/// `status --check` needs somebody, and says each of these; so do the screen, and the metrics one of theirs.
#[track_caller]
fn assert_said(user: &User, words: &[&str], sample: &str) {
    let check = user.run(["status", "--check"]);
    assert_eq!(check.code, Some(4), "{}{}", check.stdout, check.stderr);
    let screen = user.run(["status"]).ok();
    for said in [&check.stdout, &screen] {
        assert!(said.starts_with("NEEDS SOMEBODY: "), "{said}");
        for word in words {
            assert!(said.contains(word), "{word} is not in: {said}");
        }
    }
    let metrics = user.run(["metrics"]).ok();
    assert!(metrics.contains("\nlast_word_needs_somebody 1\n"), "{metrics}");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&format!("{sample} "))).unwrap();
    assert_ne!(line.parse::<f64>().unwrap().to_bits(), 0.0f64.to_bits(), "{sample}: {metrics}");
}

#[track_caller]
fn assert_ok(user: &User) {
    let check = user.run(["status", "--check"]);
    assert!(check.code == Some(0) && check.stdout.starts_with("OK: "), "{}", check.stdout);
}

#[test]
fn a_disk_that_is_full_is_on_the_screen() {
    let user = User::bare();
    let script = r#"mount -t tmpfs -o size=3m tmpfs "$HOME" || exit
cd "$HOME"
"$BIN" init >/dev/null
"$BIN" enqueue --to user --heading Log --op append --content '- one' >/dev/null
dd if=/dev/zero of="$HOME/fill" bs=4k 2>/dev/null
"$BIN" work 2>/dev/null; echo "work $?"
"$BIN" status --check; echo "check $?"
"$BIN" status | head -3; "$BIN" metrics | grep ^last_word_space_short
"$BIN" doctor | grep ^space"#;
    let Some(said) = with_mounts(&user, script) else { return };
    let text = said.stdout;
    assert!(text.contains("work 1\n"), "the disk is full: {text}{}", said.stderr);
    assert!(text.contains("check 4\n") && text.contains("NEEDS SOMEBODY"), "{text}");
    assert_eq!(text.matches("the disk of the home is full").count(), 2, "{text}");
    assert!(text.contains("last-word doctor --fix") && text.contains("last_word_space_short 1"), "{text}");
    assert!(text.contains("the disk is full"), "{text}");
}

#[test]
fn a_disk_without_inodes_or_read_only_is_on_the_screen() {
    let user = User::bare();
    let script = r#"mount -t tmpfs -o size=64m,nr_inodes=300 tmpfs "$HOME" || exit
cd "$HOME"
"$BIN" init >/dev/null
"$BIN" status --check; echo "check $?"
mount -o remount,ro "$HOME"
"$BIN" status --check; echo "check $?""#;
    let Some(said) = with_mounts(&user, script) else { return };
    let text = said.stdout;
    assert_eq!(text.matches("check 4\n").count(), 2, "{text}{}", said.stderr);
    assert!(text.contains("out of inodes") && text.contains("more files only"), "{text}");
    assert!(text.contains("mounted read-only: remount it writable"), "{text}");
}

#[test]
fn a_run_that_trouble_ended_is_on_the_screen_until_one_ends_well() {
    if !has_crash_points() {
        return;
    }
    let mut failed = 0;
    for step in 1..=24 {
        let user = User::new();
        user.with_notes();
        user.note("Log", "append", "- one");
        user.run(["work"]).ok();
        user.note("Log", "append", "- two");
        // On a disk that is full no line can be added to the journal.
        let journal = user.home().join("journal").join(&user.files("journal")[0]);
        fs::remove_file(&journal).unwrap();
        fs::create_dir(&journal).unwrap();
        let said =
            user.command(["work"]).env("LAST_WORD_TROUBLE", format!("fail={step}:5")).output().unwrap();
        fs::remove_dir(&journal).unwrap();
        if said.status.success() {
            continue; // what failed was not needed for this run
        }
        failed += 1;
        assert_said(&user, &["every run has failed", "last-word work"], "last_word_failing_seconds");
        user.run(["work"]).ok();
        assert_ok(&user);
    }
    assert!(failed > 15, "only {failed} steps ended the run");
}

#[test]
fn jobs_in_the_hands_of_a_dead_worker_are_on_the_screen() {
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    assert_ok(&user);
    let pending = user.home().join("pending").join(&user.files("pending")[0]);
    let held = user.home().join("processing/w7");
    fs::create_dir(&held).unwrap();
    assert_ok(&user);
    fs::rename(&pending, held.join(pending.file_name().unwrap())).unwrap();
    let words =
        ["1 in the hands of dead workers", "w7 died with jobs in hand", "last-word work recovers them"];
    assert_said(&user, &words, "last_word_dead_claims");
    user.run(["work"]).ok();
    assert_ok(&user);
}
