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
