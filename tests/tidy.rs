//! A document that is nearly full: it is said which, somebody is asked for a shorter section, and that waits for a yes.

use crate::support::{User, write_program};
use std::fs;

const BUDGET: usize = 300;

fn nearly_full() -> (User, std::path::PathBuf) {
    let user = User::new();
    let notes = user.root().join("notes.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, budget_chars: {BUDGET}, on_over_budget: review }}\nsession_bootstrap: [notes]\n",
        notes.display()
    ));
    let long: Vec<String> = (0..12).map(|n| format!("- likes tabs, said {n} times")).collect();
    fs::write(
        &notes,
        format!("# Notes\n\n## Short\n\nkept\n\n## Likes\n\n{}\n- speaks French\n", long.join("\n")),
    )
    .unwrap();
    (user, notes)
}

#[test]
fn a_shorter_section_is_asked_for_and_waits_for_a_yes() {
    let (user, notes) = nearly_full();
    assert!(user.run(["status"]).ok().contains("last-word tidy notes"));
    assert!(user.run(["tidy"]).ok().contains("last-word tidy notes"));
    let asked = user.run(["tidy", "notes"]).ok();
    for words in
        ["at most 300", "`Notes > Likes`, has", "- speaks French", "--heading 'Notes > Likes' --with -"]
    {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    assert!(!asked.contains("kept"), "only the section that is asked for: {asked}");

    // An agent does what it was asked: the heading comes back with the text.
    let shorter = "## Likes\n\n- likes tabs, said often\n";
    let before = fs::read_to_string(&notes).unwrap();
    let said = user
        .run_with(["tidy", "notes", "--heading", "Notes > Likes", "--with", "-"], shorter.as_bytes())
        .ok();
    assert!(said.contains("\n- - speaks French\n") && said.contains("13 lines not in it"), "{said}");
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), before, "not without a yes");
    assert_eq!(user.counts()[4], 1);
    let id = user.json(["list", "review"])[0]["id"].as_str().unwrap().to_owned();
    assert!(user.run(["show", &id]).ok().contains("-- speaks French"), "what would be lost is marked");
    user.run(["review", &id, "--approve"]).ok();
    user.run(["work"]).ok();
    let after = fs::read_to_string(&notes).unwrap();
    assert_eq!(after, "# Notes\n\n## Short\n\nkept\n\n## Likes\n\n- likes tabs, said often\n");
    assert!(user.run(["tidy"]).ok().contains("no document is nearly full"));
}

#[test]
fn what_is_not_shorter_or_not_there_is_refused() {
    let (user, _) = nearly_full();
    let give = |heading: &str, text: &str| {
        user.run_with(["tidy", "notes", "--heading", heading, "--with", "-"], text.as_bytes())
    };
    give("Likes", &"long ".repeat(200)).fails(3, "make it shorter");
    give("Nowhere", "x").fails(1, "no section `Nowhere`");
    user.run(["tidy", "nots"]).fails(1, "did you mean `notes`");
    assert_eq!(user.counts(), [0; 6]);
}

/// What is asked for says the command in words that a shell takes as they are.
#[test]
fn the_command_that_is_asked_for_can_be_typed() {
    let (user, notes) = nearly_full();
    fs::write(&notes, format!("## It's \"long\"\n\n{}\n", "- word\n".repeat(40))).unwrap();
    let asked = user.run(["tidy", "notes"]).ok();
    let line = asked.lines().find(|line| line.contains("--with -")).unwrap();
    let command = line.trim().split(" <<").next().unwrap();
    let script = user.root().join("answers");
    let program = command.split_once(' ').unwrap().1;
    write_program(&script, &format!("#!/bin/sh\necho '- word' | {} {program}\n", crate::support::binary()));
    let mut shell = std::process::Command::new(&script);
    shell.env_clear().env("HOME", user.root()).env("PATH", "/usr/bin:/bin").current_dir(user.root());
    crate::support::Said::of(shell.output().unwrap()).ok();
    assert_eq!(user.counts()[0], 1);
}
