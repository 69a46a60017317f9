//! `demo`, which a new user runs first: the main job on sample data, in a directory that stays for inspection.

use crate::support::User;
use std::fs;

/// The runbook after the demo: one line more, every other byte as it was.
fn runbook() -> Vec<u8> {
    let before = include_bytes!("../fixtures/demo/documents/runbook.md");
    let next = b"\r\n\r\n## Contacts\r\n";
    let at = before.windows(next.len()).position(|window| window == next).unwrap();
    [&before[..at], b"\r\n3. `Get-Service carriers` says *Running*", &before[at..]].concat()
}

/// The number in the line of the account that begins with these words.
fn counted(said: &str, words: &str) -> usize {
    let line = said.lines().find_map(|line| line.trim_start().strip_prefix(words));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_else(|| panic!("{words}:\n{said}"))
}

#[test]
fn the_demo_kills_and_nothing_is_lost_or_done_twice() {
    let user = User::bare();
    let said = user.run(["demo"]).ok();
    let documents = user.root().join("demo-home/documents");
    assert_eq!(fs::read(documents.join("runbook.md")).unwrap(), runbook());
    let log = fs::read_to_string(documents.join("LOG.md")).unwrap();
    assert_eq!(log.lines().filter(|line| line.starts_with("- hook ")).count(), 8, "{log}");
    assert!(log.contains("- written by a person, meanwhile"), "{log}");
    let declared = counted(&said, "declared ");
    assert_eq!((declared, counted(&said, "merged "), counted(&said, "wait for you ")), (13, 12, 1), "{said}");
    assert!(counted(&said, "killed ") > 0, "{said}");
    for wanted in ["level_mismatch", "+- AI agents", "会议记录", "NEEDS SOMEBODY"] {
        assert!(said.contains(wanted), "{wanted} is not in:\n{said}");
    }
    assert!(said.lines().count() < 140, "a minute to read, {} lines:\n{said}", said.lines().count());
    let again = user.run(["demo", "--lang", "zh"]).ok();
    assert!(again.contains("demo-home-2"), "an earlier demo is left alone:\n{again}");
    assert_eq!(
        (counted(&again, "已声明"), counted(&again, "已合并"), counted(&again, "等待您决定")),
        (13, 12, 1)
    );
}

/// Pasted from anywhere, into a shell that knows neither our PATH nor our home.
#[test]
fn the_demos_next_steps_can_be_pasted() {
    let user = User::bare();
    let said = user.run(["demo"]).ok();
    let (_, steps) = said.rsplit_once("== ").unwrap();
    let steps: Vec<&str> = steps.lines().skip(1).filter(|line| !line.trim().is_empty()).collect();
    assert!(steps.len() > 3 && !said.contains("HOME="), "{said}");
    for step in steps.iter().filter(|step| !step.ends_with(" resolve")) {
        let mut shell = std::process::Command::new("/bin/sh");
        shell
            .args(["-c", step])
            .current_dir("/")
            .env_clear()
            .env("HOME", user.root())
            .env("PATH", "/usr/bin:/bin");
        crate::support::Said::of(shell.output().unwrap()).ok();
    }
    let log = fs::read_to_string(user.root().join("demo-home/documents/LOG.md")).unwrap();
    assert!(log.contains("- me too"), "{log}");
}

#[test]
fn a_broken_home_is_broken_as_it_says() {
    let user = User::bare();
    user.run(["demo", "--broken"]).ok();
    let home = user.root().join("demo-home/home");
    let mut command = user.command(["status", "--json"]);
    command.env("LAST_WORD_HOME", home).env("HOME", user.root().join("demo-home"));
    let status: serde_json::Value =
        serde_json::from_str(&crate::support::Said::of(command.output().unwrap()).ok()).unwrap();
    let groups = status["failures"].as_array().unwrap().iter();
    let mut codes: Vec<_> =
        groups.map(|group| (group["code"].as_str().unwrap(), group["count"].as_u64().unwrap())).collect();
    codes.sort_unstable();
    let wanted = [
        ("ambiguous", 120),
        ("conflict", 40),
        ("over_budget", 60),
        ("section_missing", 60),
        ("yaml_syntax", 20),
    ];
    assert_eq!(codes, wanted);
    assert_eq!(status["states"][4]["count"], 1, "one proposal");
    let stuck = status["documents"].as_array().unwrap();
    assert_eq!(stuck.len(), 2);
    assert_eq!(stuck.iter().filter(|document| document["held"] == true).count(), 1);
    assert_eq!(stuck.iter().filter(|document| !document["due"].is_null()).count(), 1);
}
