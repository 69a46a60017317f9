//! Screens that fit, at the sizes that terminals have: what is most important is in sight, and what is not is counted.

use crate::support::User;
use crate::support::terminal::{Screen, Terminal};
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

/// Columns and rows: the smallest that people use, a usual window, half a large screen.
const SIZES: [(usize, usize); 3] = [(80, 24), (120, 40), (200, 50)];

/// A home with 300 failures of five kinds, two documents that nothing is merged into, and a proposal.
fn broken() -> User {
    let user = User::bare();
    user.run(["demo", "--broken"]).ok();
    user
}

#[track_caller]
fn assert_in_sight(screen: &Screen, what: &str, words: &[&str]) {
    let text = screen.text();
    for word in words {
        assert!(text.contains(word), "{what}: `{word}` is not in sight:\n{text}");
    }
}

#[test]
fn a_status_fits_its_window() {
    let user = broken();
    for size in SIZES {
        let Some(terminal) = Terminal::open(&user, size, "--home demo-home/home status") else { return };
        let screen = terminal.end();
        assert_in_sight(
            &screen,
            &format!("status {size:?}"),
            &["NEEDS SOMEBODY: ", "300 failed", "last-word resolve --error ambiguous", "1 proposal waits"],
        );
        // What went wrong, as far as it tells one from another.
        let examples =
            ["`Decisions` means 2 headings: line 3", "107 characters, 27 over", "is not there and may"];
        assert_in_sight(&screen, &format!("status {size:?}"), &examples);
        assert!(screen.lines()[0].starts_with("NEEDS SOMEBODY: "), "{size:?}: the headline is the first row");
        let whole = screen.text().contains("last-word release --document rewrite");
        assert!(whole || screen.text().contains(" more lines: last-word status -v"), "{}", screen.text());
        assert!(whole || size.1 == 24, "at {size:?} all of it fits:\n{}", screen.text());

        let mut watching = Terminal::open(&user, size, "--home demo-home/home status --watch").unwrap();
        watching.until("Ctrl-C ends");
        watching.until("Ctrl-C ends");
        assert!(watching.screen.lines()[0].starts_with("NEEDS SOMEBODY: "), "{}", watching.screen.text());
        assert_in_sight(
            &watching.screen,
            "watch",
            &["300 failed", "resolve --error ambiguous", "Ctrl-C ends"],
        );
        watching.types("\u{3}");
        watching.end();
    }
}

/// Why a document is stuck is told in whole, however narrow the window is.
#[test]
fn what_a_document_waits_for_is_told_in_whole() {
    let user = broken();
    let words = "--home demo-home/home status -v";
    let Some(terminal) = Terminal::open(&user, (80, 60), words) else { return };
    let said = terminal.end().lines().join(" ");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let reason = "demo-home/documents/shared is no directory, so there can be no document below it";
    assert!(said.contains(reason) && said.contains(": last-word why "), "{said}");
}

/// What is asked about stands above the question with its number and its document, whatever the job is about.
#[test]
fn what_is_decided_is_in_sight() {
    let user = broken();
    let asked = "[?]? ";
    for size in SIZES {
        let cases = [
            ("conflict", "1 of 40", "project", "[t]heirs"),
            ("section_missing", "1 of 60", "runbook", "did you mean `## Restart` (line 3)?"),
            ("over_budget", "1 of 60", "user", "[r]etry"),
            ("ambiguous", "1 of 120", "team", "rename one of the headings"),
            ("yaml_syntax", "1 of 20", "a file that is no job", "[d]iscard"),
        ];
        for (code, number, document, more) in cases {
            let words = format!("--home demo-home/home resolve --error {code}");
            let Some(mut terminal) = Terminal::open(&user, size, &words) else { return };
            terminal.until(asked);
            assert_in_sight(
                &terminal.screen,
                &format!("{code} {size:?}"),
                &[&format!("── {number}: {code} ──"), &format!("{number}, {document}: "), more, "[q]uit"],
            );
            // All the texts, and it is still known what the question is about.
            terminal.types("v\n");
            terminal.until(asked);
            assert_in_sight(&terminal.screen, "view", &[&format!("{number}, {document}: "), "[q]uit"]);
            terminal.types("q\n");
            assert_in_sight(&terminal.end(), "the end", &["not decided"]);
        }
        let mut review = Terminal::open(&user, size, "--home demo-home/home review").unwrap();
        review.until(asked);
        assert_in_sight(
            &review.screen,
            "review",
            &["── 1 of 1: needs_review ──", "voice", "+plain, short and kind", "[a]pprove"],
        );
        review.types("q\n");
        review.end();
    }
}

/// Of a proposal that does not fit, a yes is taken only when all of it stood there.
#[test]
fn a_yes_is_for_all_of_it() {
    let user = User::new();
    let notes = user.root().join("notes.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: review }}\nsession_bootstrap: [notes]\n",
        notes.display()
    ));
    let long: Vec<String> = (0..60).map(|n| format!("- line {n}")).collect();
    let id = user.note("Log", "append", &long.join("\n"));
    user.run(["work"]).ok();
    let Some(mut terminal) = Terminal::open(&user, (80, 24), "review") else { return };
    terminal.until("[?]? ");
    assert_in_sight(
        &terminal.screen,
        "cut",
        &["── 1 of 1: needs_review ──", "notes", " more lines: [v]iew shows all"],
    );
    terminal.types("a\n");
    terminal.until("[?]? ");
    assert_in_sight(&terminal.screen, "all", &["line 59", "a yes is for all of it", "1 of 1, notes: "]);
    assert_eq!(user.json(["verify", &id])["fate"], "review");
    terminal.types("a\n");
    terminal.end();
    assert_eq!(user.json(["verify", &id])["fate"], "waiting");
}

#[test]
fn history_and_log_fit_their_window() {
    let user = User::new();
    user.with_notes();
    for round in 0..30 {
        for n in 0..if round == 29 { 8 } else { 1 } {
            user.note(&format!("Section {n}"), "append", &format!("- line {round} with some words to it"));
        }
        user.run(["work"]).ok();
    }
    for size in SIZES {
        let Some(terminal) = Terminal::open(&user, size, "history notes") else { return };
        let screen = terminal.end();
        let lines = screen.lines();
        assert!(lines[0].ends_with("notes.md") && lines[1].starts_with("VERSION"), "{}", screen.text());
        assert_in_sight(&screen, "history", &["append × 8 in 8 sections", "--limit 0"]);
        let screen = Terminal::open(&user, size, "log").unwrap().end();
        assert_in_sight(&screen, "log", &["applied", "before: last-word log -v", "run ended", "8 applied"]);
        assert!(lines.iter().chain(&screen.lines()).all(|line| line.width() <= size.0));
    }
    let piped = user.run(["history", "notes"]).ok();
    assert!(piped.lines().all(|line| line.len() < 200), "{piped}");
    assert!(user.run(["log", "--limit", "0"]).ok().lines().count() > 60);
}

#[test]
fn what_other_agents_know_fits_its_window() {
    let user = User::new();
    std::fs::create_dir(user.root().join(".codex")).unwrap();
    let lines: String = (0..60).map(|n| format!("- harbour number {n} has a tide gauge 潮位计\n")).collect();
    std::fs::write(user.root().join(".codex/AGENTS.md"), lines).unwrap();
    for size in SIZES {
        let Some(terminal) = Terminal::open(&user, size, "adopt --dry-run") else { return };
        let screen = terminal.end();
        let first = screen.lines()[0].clone();
        assert!(first.contains("60 entries"), "{size:?}: {}", screen.text());
        assert_in_sight(&screen, "adopt", &["harbour number 0", "more (last-word adopt --dry-run -v)"]);
    }
    let whole = user.run(["adopt", "--dry-run", "-v"]).ok();
    assert!(whole.contains("harbour number 59"), "{whole}");
}

#[test]
fn a_listing_fits_its_window() {
    let user = broken();
    for size in SIZES {
        let words = "--home demo-home/home list failed";
        let Some(terminal) = Terminal::open(&user, size, words) else { return };
        let screen = terminal.end();
        assert!(screen.lines()[0].starts_with("ID "), "{size:?}: {}", screen.text());
        assert_in_sight(&screen, &format!("list {size:?}"), &["STATE", "… and more: --limit 0"]);
    }
}

/// The number that shows that a person decides is asked for in whole words, its digits in a line of their own.
#[test]
fn the_number_is_asked_for_in_whole_words() {
    let user = broken();
    for columns in [40, 80] {
        let words = "--home demo-home/home review";
        let Some(mut terminal) = Terminal::open(&user, (columns, 24), words) else { return };
        let lines = terminal.until("\n> ").lines();
        let digits = lines.iter().find(|line| line.starts_with("  ") && number_words(line) == 5);
        assert!(digits.is_some(), "{lines:?}");
        let said = lines.join(" ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("type these digits as a number, and Enter:"), "{lines:?}");
        assert!(said.contains("`script` (process"), "{lines:?}");
        terminal.types("q\n");
        terminal.end();
    }
}

/// How many words a line has, where each is a digit's.
fn number_words(line: &str) -> usize {
    const WORDS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let words = || line.split_whitespace();
    if words().all(|word| WORDS.contains(&word)) { words().count() } else { 0 }
}

/// What does not fit into a line goes on in the next one with a whole word.
#[test]
fn sentences_are_broken_between_words() {
    let user = broken();
    for words in ["--home demo-home/home doctor", "init --help", "recall --help"] {
        let Some(terminal) = Terminal::open(&user, (80, 80), words) else { return };
        let screen = terminal.end();
        let whole = user.run(words.split(' ')).stdout;
        let known: BTreeSet<&str> = whole.split_whitespace().collect();
        for line in screen.lines() {
            assert!(line.width() <= 80, "{line}");
            // Times and sizes differ from run to run.
            let of_text = |word: &&str| {
                !word.contains(|c: char| c.is_ascii_digit()) && !["just", "now", "s", "ago"].contains(word)
            };
            let torn = line.split_whitespace().filter(of_text).find(|word| !known.contains(word));
            assert_eq!(torn, None, "{words}:\n{}", screen.text());
        }
    }
}
