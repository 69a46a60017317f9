//! The moving pictures of the README: recordings of this program on a terminal, kept as text in `fixtures/recordings/` and
//! drawn as SVG. `docs/record` makes them anew; here it is checked that they show what the program says today.

use crate::support::svg::{REST, picture};
use crate::support::terminal::Terminal;
use crate::support::{User, binary};
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

const SIZE: (usize, usize) = (104, 32);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The demo, with a rest where each of its parts ends.
fn demo() -> Option<String> {
    let user = User::bare();
    let mut terminal = Terminal::open(&user, SIZE, "demo")?;
    terminal.until("");
    let said = plain_names(&user, &terminal.sent());
    let parts: Vec<&str> = said.split("\r\n\r\n\u{1b}[1m== ").collect();
    Some(parts.join(&format!("\r\n{REST}\r\n\u{1b}[1m== ")))
}

/// Sixty jobs with one misspelt heading, corrected by two keys; then a proposal.
fn resolve() -> Option<String> {
    let user = User::bare();
    user.run(["demo", "--broken"]).ok();
    let mut said = String::new();
    for (words, keys) in [
        ("resolve --error section_missing", &[("[?]? ", "m\n"), ("[c]ancel? ", "a\n")][..]),
        ("review", &[("[?]? ", "a\n")]),
    ] {
        let mut terminal = Terminal::open(&user, SIZE, &format!("--home demo-home/home {words}"))?;
        for (question, keys) in keys {
            terminal.until(question);
            terminal.marks(REST);
            terminal.types(keys);
        }
        terminal.until("");
        // The question that shows that a person decides is the terminal's of a test.
        let sent = terminal.sent();
        let (_, after) = sent.split_once("\r\n> ").unwrap();
        let (_, after) = after.split_once("\r\n").unwrap();
        said.push_str(&format!("$ last-word {words}\r\n{after}{REST}"));
    }
    Some(plain_names(&user, &said))
}

/// What differs from run to run, and from machine to machine, by names that do not.
fn plain_names(user: &User, said: &str) -> String {
    let said = said.replace(binary(), "last-word").replace(&user.root().display().to_string(), "/home/ann");
    let mut known: Vec<String> = Vec::new();
    let id = Regex::new("01[0-9a-f]{6}-[0-9a-f]{4}(-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})?").unwrap();
    let said = id.replace_all(&said, |found: &regex::Captures<'_>| {
        let clock = found[0][..13].to_owned();
        let at = known.iter().position(|known| *known == clock).unwrap_or_else(|| {
            known.push(clock);
            known.len() - 1
        });
        let plain = format!("01a20000-{:04x}-7000-8a4c-0123456789ab", 0x0a00 + at);
        plain[..found[0].len()].to_owned()
    });
    let mut said = said.into_owned();
    for (what, plain) in [
        (r"\d+ (ms|s) ago|just now", "1 s ago"),
        (r"pid \d+", "pid 4711"),
        (r"host [^,]+,", "host laptop,"),
        (r"; \d+ jobs? a minute", ""),
        ("tester", "ann"),
    ] {
        said = Regex::new(what).unwrap().replace_all(&said, plain).into_owned();
    }
    said
}

/// What is the same in every run, word by word: who is killed when, in which order hooks come and where a half hour begins is
/// chance, and where a line is broken hangs on the length of a machine's name.
fn without_chance(said: &str) -> Vec<String> {
    let said = said.replace(REST, "");
    let (begin, account) = said.split_once("== The account").unwrap_or(("", &said));
    let title = begin.lines().take(2);
    let chance = |line: &&str| {
        ["- hook ", "   killed ", "last run ", "waiting, 24 h", "merged, 24 h"].iter().any(|begin| {
            let line = line.trim_start_matches("\u{1b}[32m+");
            line.starts_with(begin)
        })
    };
    let ids = Regex::new("01a20000-[0-9a-f]{4}").unwrap();
    // How wide a column is hangs on how long ago something was.
    let words = |line: &str| -> Vec<String> {
        ids.replace_all(line, "ID").split_whitespace().map(str::to_owned).collect()
    };
    title.chain(account.lines().filter(|line| !chance(line))).flat_map(words).collect()
}

/// A picture shows its recording, and the recording is of this program.
fn assert_current(name: &str, recorded: Option<String>) {
    let text = root().join(format!("fixtures/recordings/{name}.txt"));
    let svg = root().join(format!("docs/{name}.svg"));
    if std::env::var_os("UPDATE_FIXTURES").is_some()
        && let Some(recorded) = &recorded
    {
        fs::write(&text, recorded).unwrap();
        fs::write(&svg, picture(recorded, SIZE)).unwrap();
    }
    let kept = fs::read_to_string(text).unwrap();
    assert_eq!(picture(&kept, SIZE), fs::read_to_string(svg).unwrap(), "docs/record draws {name}.svg anew");
    if let Some(recorded) = recorded {
        assert_eq!(without_chance(&recorded), without_chance(&kept), "docs/record records {name} anew");
    }
}

#[test]
fn the_recording_of_the_demo_is_current() {
    assert_current("demo", demo());
}

#[test]
fn the_recording_of_resolve_is_current() {
    assert_current("resolve", resolve());
}
