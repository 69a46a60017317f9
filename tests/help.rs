//! What `--help` says, command by command, as files under `fixtures/help/`: a change of it is seen in a review. Written
//! anew with `UPDATE_FIXTURES=1 cargo test help::`. And what is generated from the same command line.

use crate::support::User;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/help")
}

/// The commands as `--help` lists them.
fn commands(user: &User) -> Vec<String> {
    let help = user.run(["--help"]).ok();
    let groups = help.split("Everywhere:").next().unwrap();
    let listed = groups.lines().filter_map(|line| line.strip_prefix("  "));
    listed.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn help_reads_as_it_was_reviewed() {
    let user = User::new();
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut known = BTreeSet::from(["last-word.txt".to_owned()]);
    let mut differ = Vec::new();
    let mut check = |name: &str, said: String| {
        let path = fixtures().join(name);
        if update {
            fs::create_dir_all(fixtures()).unwrap();
            fs::write(&path, &said).unwrap();
        }
        if fs::read_to_string(&path).unwrap_or_default() != said {
            differ.push(format!("{name}:\n{said}"));
        }
    };
    check("last-word.txt", user.run(["--help"]).ok());
    for command in commands(&user) {
        let name = format!("{command}.txt");
        check(&name, user.run([command.as_str(), "--help"]).ok());
        known.insert(name);
    }
    assert!(differ.is_empty(), "UPDATE_FIXTURES=1 writes them anew:\n{}", differ.join("\n"));
    let there: BTreeSet<String> = fs::read_dir(fixtures())
        .unwrap()
        .map(|entry| entry.unwrap())
        // Those in other languages: tests/languages.rs.
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert_eq!(there, known, "left: fixtures/help, right: the commands");
}

#[test]
fn a_word_that_is_no_text_is_a_mistake_and_no_panic() {
    use std::os::unix::ffi::OsStringExt;
    let bad = || std::ffi::OsString::from_vec(vec![b'a', 0xff]);
    let user = User::new();
    let said = |words: &[&str]| {
        let mut command = user.command(words);
        crate::support::Said::of(command.arg(bad()).output().unwrap())
    };
    for words in
        [&[][..], &["enqueue", "--to", "user", "--heading"], &["show"], &["--color"], &["plan", "--list"]]
    {
        said(words).fails(2, "error:");
    }
    // An agent is told nothing, whatever is wrong: exit 2 would stop it.
    assert_eq!(said(&["hook", "--agent"]).ok(), "{}");
}

/// The nearest spelling would send somebody who wants to remove an item to `restore`.
#[test]
fn a_word_of_other_programs_gets_the_command_that_does_it_here() {
    let user = User::new();
    for (words, tip) in [
        (&["item", "remove", "k7m2q9xa"][..], "`last-word item retire`"),
        (&["item", "edit", "k7m2q9xa"], "`last-word item revise`"),
        (&["search", "tabs"], "`last-word recall`"),
        (&["version"], "`last-word --version`"),
        (&["undo"], "`last-word rollback`"),
    ] {
        let said = user.run(words).fails(2, tip);
        assert!(!said.contains("similar"), "{said}");
    }
    user.run(["reviw"]).fails(2, "'review'");
}

#[test]
fn the_version_names_the_commit_where_it_is_known() {
    let said = User::new().run(["--version"]).ok();
    let said = said.trim().strip_prefix(concat!("last-word ", env!("CARGO_PKG_VERSION"))).unwrap().to_owned();
    let commit = said.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    let is_hex = |text: &str| text.len() >= 7 && text.chars().all(|c| c.is_ascii_hexdigit());
    assert!(said.is_empty() || commit.is_some_and(is_hex), "{said}");
}

#[test]
fn every_flag_is_explained() {
    let user = User::new();
    let mut silent = Vec::new();
    for command in commands(&user) {
        let help = user.run([command.as_str(), "--help"]).ok();
        let lines: Vec<&str> = help.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let flag = line.trim_start();
            let explained = flag.split("  ").nth(1).is_some()
                || lines.get(at + 1).is_some_and(|next| next.starts_with("          "));
            if line.starts_with("  ") && flag.starts_with('-') && !explained {
                silent.push(format!("{command}: {flag}"));
            }
        }
    }
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let user = User::new();
    for (shell, sign) in
        [("bash", "complete -"), ("zsh", "#compdef last-word"), ("fish", "complete --keep-order")]
    {
        let script = user.run(["completions", shell]).ok();
        assert!(script.contains(sign) && script.contains("LAST_WORD_COMPLETE"), "{shell}: {script}");
    }
    assert!(user.run(["man"]).ok().contains(".TH last-word 1"));
    assert!(user.run(["man", "resolve"]).ok().contains("\\-\\-theirs"));
    user.run(["man", "nothing"]).fails(2, "no command `nothing`");
    user.run(["man", "--dir", "pages"]).ok();
    let names = fs::read_dir(user.root().join("pages")).unwrap();
    let pages: BTreeSet<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(pages.contains("last-word.1") && pages.contains("last-word-status.1"), "{pages:?}");
    assert_eq!(pages.len(), commands(&user).len() + 1);
}
