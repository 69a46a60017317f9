//! What the guard reads of git's index, in repositories that git itself made.

use crate::guard_disk::{is_denied, user};
use crate::support::{User, skipped};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// Lines that would take a change out that is not committed.
const TAKING: [&str; 4] =
    ["git stash", "git checkout .", "git reset --hard", "git diff --name-only | xargs git checkout --"];

/// A user whose document is committed; `None` where there is no git.
fn committed() -> Option<(User, PathBuf)> {
    let user = user();
    let repo = user.root().join("repo");
    fs::remove_dir_all(repo.join(".git")).unwrap();
    if Command::new("git").arg("--version").output().is_err() {
        skipped("there is no git here");
        return None;
    }
    fs::write(repo.join("B.md"), "b\n").unwrap();
    git(&user, &["init", "-q"]);
    git(&user, &["add", "--all"]);
    git(&user, &["commit", "-q", "-m", "x"]);
    git(&user, &["status"]);
    Some((user, repo))
}

fn git(user: &User, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args);
    command.current_dir(user.root().join("repo")).env("HOME", user.root());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
}

fn held(user: &User, expected: bool, state: &str) {
    for line in TAKING {
        assert_eq!(is_denied(user, "", line), expected, "{state}: {line}");
    }
}

const CHANGED: &str = "# Notes\n\n- the server is called alpha\n- a person's line\n";

#[test]
fn an_index_that_is_split_is_read_with_the_one_it_shares() {
    let Some((user, repo)) = committed() else { return };
    for state in ["split", "split, with an entry of its own"] {
        git(&user, &["update-index", "--split-index"]);
        held(&user, false, state);
        fs::write(repo.join("AGENTS.md"), CHANGED).unwrap();
        held(&user, true, state);
        git(&user, &["commit", "-q", "-a", "-m", "y"]);
        held(&user, false, state);
        fs::write(repo.join("AGENTS.md"), "# Notes\n").unwrap();
        held(&user, true, state);
        git(&user, &["commit", "-q", "-a", "-m", "z"]);
    }
    git(&user, &["rm", "-q", "--cached", "AGENTS.md"]);
    held(&user, false, "taken out of it");
    assert!(is_denied(&user, "", "git clean -fd"), "git does not know it any more");
}

/// What is in the last commit comes back over a person's line, whether there is an index or not.
#[test]
fn without_an_index_a_commit_comes_back() {
    let Some((user, repo)) = committed() else { return };
    fs::write(repo.join("AGENTS.md"), CHANGED).unwrap();
    fs::remove_file(repo.join(".git/index")).unwrap();
    for line in &TAKING[..3] {
        assert!(is_denied(&user, "", line), "{line}");
    }
    fs::write(repo.join("a.sh"), "echo x >> AGENTS.md\n").unwrap();
    assert!(is_denied(&user, "", "sh a.sh"), "the agent's script is read all the same");
}

#[test]
fn a_change_of_the_same_size_and_time_is_one() {
    let Some((user, repo)) = committed() else { return };
    let file = repo.join("AGENTS.md");
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    let text = fs::read_to_string(&file).unwrap().replace("alpha", "gamma");
    fs::write(&file, text).unwrap();
    File::options().write(true).open(&file).unwrap().set_modified(before).unwrap();
    held(&user, true, "a time that was set back");
}

/// A file with the text that git has is no change, whatever its times and rights are.
#[test]
fn the_same_text_is_no_change() {
    let Some((user, repo)) = committed() else { return };
    let file = repo.join("AGENTS.md");
    let later = std::time::SystemTime::now() - std::time::Duration::from_secs(1000);
    File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
    held(&user, false, "touched");
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    held(&user, false, "other rights");
    fs::copy(&file, repo.join("copy")).unwrap();
    fs::rename(repo.join("copy"), &file).unwrap();
    held(&user, false, "a copy");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace('\n', "\r\n")).unwrap();
    held(&user, false, "other ends of lines");
    fs::write(&file, text + "x").unwrap();
    held(&user, true, "changed");
}
