//! Foreign text on a terminal: nothing is sent that a terminal would obey, wherever the text comes from.

use crate::support::User;
use std::fs;
use std::path::Path;

/// Cursor up, clear a line, the clipboard, a title, C1, backspaces, an override, an isolate.
const EVIL: &str = "- be kind\u{1b}[1A\u{1b}[2K\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}]2;t\u{7}\u{9b}2Jgood\u{8}\u{8}\u{202e}drow\u{2066}";

/// What of a terminal's input it would obey: everything but text, line ends, tabs and our own colours.
fn obeyed(sent: &str) -> String {
    let mut rest = sent.replace("\r\n", "\n");
    for colour in ["0", "1", "2", "31", "32", "33"] {
        rest = rest.replace(&format!("\u{1b}[{colour}m"), "");
    }
    let is_obeyed = |c: &char| {
        c.is_control() && !"\n\t".contains(*c) || ('\u{202a}'..='\u{202e}').contains(c) || *c == '\u{2066}'
    };
    rest.chars().filter(is_obeyed).collect()
}

/// A document with such words where a proposal would change them, and a file that is no job and has them.
fn user() -> User {
    let user = User::new();
    let notes = user.root().join("notes.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: review }}\nsession_bootstrap: [notes]\n",
        notes.display()
    ));
    fs::write(&notes, format!("# Notes\n\n## Tone\n\n{EVIL}\n\n## Other\n\nplain\n")).unwrap();
    user.note("Tone", "update", "- be words");
    user.drop_in(&user.home().join("pending"), "bad.json", format!("no job {EVIL}").as_bytes());
    user.run(["work"]).ok();
    assert_eq!((user.files("staging/review").len(), user.files("staging/failed").len()), (1, 2));
    user
}

#[test]
fn a_terminal_is_sent_nothing_that_it_obeys() {
    let user = user();
    for args in ["review", "resolve", "read notes", "list", "log", "status", "context"] {
        let Some(sent) = user.on_terminal(args, "q\n", Path::new("/bin/true")) else { return };
        assert_eq!(obeyed(&sent), "", "{args}: {sent:?}");
        let evil =
            matches!(args, "review" | "resolve" | "read notes" | "context").then_some(r"\u{1b}[1A\u{1b}[2K");
        assert!(sent.contains(evil.unwrap_or_default()), "{args}: {sent}");
    }
}

#[test]
fn a_pipe_gets_the_documents_bytes() {
    let user = user();
    assert!(user.run(["read", "notes"]).ok().contains(EVIL));
    let said = user.run(["read", "x\u{1b}[7m\u{202e}"]).fails(1, r"x\u{1b}[7m\u{202e}");
    assert_eq!(obeyed(&said), "");
    for args in [["list", "x\u{202e}y"], ["status", "x\u{202e}y"]] {
        let said = user.run(args).fails(2, r"x\u{202e}y");
        assert_eq!(obeyed(&said), "", "{args:?}");
    }
}

/// Behind `head`, `tee` or `grep` there is a terminal again, and an agent that reads a pipe is a model.
#[test]
fn what_a_person_reads_is_written_out_in_a_pipe_as_well() {
    let user = user();
    user.drop_in(&user.home().join("pending"), "e\u{1b}]0;t\u{7}\u{202e}.yaml", EVIL.as_bytes());
    user.run(["work"]).ok();
    let mut escaped = 0;
    for args in [
        "list",
        "log",
        "log -v",
        "status",
        "resolve --dry-run --all",
        "review --dry-run --all",
        "doctor",
        "recall kind",
    ] {
        let said = user.run(args.split(' '));
        let both = format!("{}{}", said.stdout, said.stderr);
        assert_eq!(obeyed(&both), "", "{args}: {both:?}");
        escaped += usize::from(both.contains(r"\u{1b}"));
    }
    assert!(escaped >= 3, "{escaped}");
    // JSON is for programs: the same value, written with escapes of its own.
    let json = user.run(["read", "notes", "--json"]).ok();
    assert_eq!(obeyed(&json), "");
    let read: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(read["text"].as_str().unwrap().contains(EVIL));
}

/// A name with a line's end in it would look like a second finding.
#[test]
fn a_files_name_makes_no_line_of_its_own() {
    let user = User::new();
    let repo = user.root().join("repo");
    fs::create_dir_all(repo.join(".git")).unwrap();
    fs::write(repo.join("a\nFORGED.md:1  x.md"), "See [this](gone/forever.md).\n").unwrap();
    let out = user.run(["drift", "repo"]).stdout;
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(out.contains(r"a\u{a}FORGED.md:1"), "{out}");
}

#[test]
fn what_terminals_obey_is_refused_at_the_door() {
    let user = User::new();
    user.with_notes();
    let said = user.run([
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "H",
        "--op",
        "append",
        "--content",
        "- a\u{1b}[2K",
    ]);
    said.fails(3, "control_character");
    assert_eq!(user.counts(), [0; 6]);
}
