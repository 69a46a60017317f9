//! What a shell is offered when Tab is pressed: commands, flags, and the values that this home has.

use crate::support::{Said, User, skipped};
use std::process::Command;

/// What is offered for the last of these words.
fn offered(user: &User, words: &[&str]) -> Vec<String> {
    let mut command = user.command(["--", "last-word"]);
    command
        .args(words)
        .env("LAST_WORD_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let said = Said::of(command.output().unwrap()).ok();
    said.split(['\n', '\u{b}']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[track_caller]
fn assert_offers(user: &User, words: &[&str], wanted: &[&str]) {
    let offered = offered(user, words);
    for word in wanted {
        assert!(offered.iter().any(|one| one == word), "{words:?}: `{word}` is not in {offered:?}");
    }
}

#[test]
fn values_are_those_of_this_home() {
    let user = User::new();
    user.with_notes();
    let id = user.note("Log", "append", "- waits");
    std::fs::write(user.root().join("notes.md"), "## Twice\n\n## Twice\n").unwrap();
    user.run(["work"]).ok();
    let failed = user.note("Twice", "append", "- x");
    user.run(["work"]).ok();
    assert_offers(&user, &["r"], &["resolve", "review", "rollback", "read"]);
    assert_offers(&user, &["enqueue", "--t"], &["--to"]);
    assert_offers(&user, &["enqueue", "--to", ""], &["notes"]);
    assert_offers(&user, &["enqueue", "--to", "notes", "--op", ""], &["append", "replace", "no-op"]);
    assert_offers(&user, &["history", "n"], &["notes"]);
    assert_offers(&user, &["hold", "--document", ""], &["notes"]);
    assert_offers(&user, &["list", ""], &["failed", "pending"]);
    assert_offers(&user, &["install", "c"], &["claude_code", "codex", "copilot", "cursor", "cron"]);
    assert_eq!(offered(&user, &["install", "gen"]), [""; 0], "generic is no agent that can be wired");
    std::fs::write(user.root().join("declaration.yaml"), "").unwrap();
    for words in [&["enqueue", "decl"][..], &["validate", "decl"], &["enqueue", "--content-file", "decl"]] {
        assert_offers(&user, words, &["declaration.yaml"]);
    }
    assert_offers(&user, &["resolve", ""], &[&failed]);
    assert_offers(&user, &["resolve", "--error", ""], &["ambiguous"]);
    // Ids begin with the time: what both begin with is shorter where they lie on two sides of a round one.
    let shared = id.bytes().zip(failed.bytes()).take_while(|(a, b)| a == b).count();
    assert_offers(&user, &["show", &id[..shared]], &[&id, &failed]);
    assert_eq!(offered(&user, &["resolve", &id]), [""; 0], "it did not fail");
    let home = user.home();
    let elsewhere = User::bare();
    assert_offers(&elsewhere, &["--home", home.to_str().unwrap(), "history", ""], &["notes"]);
    assert_eq!(offered(&elsewhere, &["history", "no"]), [""; 0], "no home, no values, no message");
}

/// Where bash is, its script offers the same.
#[test]
fn bash_asks_this_program() {
    let user = User::new();
    let script = user.run(["completions", "bash"]).ok();
    let bin = std::path::Path::new(crate::support::binary()).parent().unwrap().display().to_string();
    let typed = "COMP_WORDS=(last-word history us) COMP_CWORD=2 COMP_TYPE=9; _clap_complete_last_word last-word us history; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &format!("{script}\n{typed}")]).env_clear().current_dir(user.root());
    let Ok(said) = bash.env("HOME", user.root()).env("PATH", format!("{bin}:/usr/bin:/bin")).output() else {
        skipped("no bash here");
        return;
    };
    assert_eq!(
        String::from_utf8_lossy(&said.stdout).trim(),
        "user",
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
}
