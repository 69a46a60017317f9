//! Between a declaration and its merge hours may pass: what a person, or a job declared later, wrote in that place meanwhile is not
//! taken out by an update that never saw it.

use crate::support::User;
use std::fs;
use std::path::PathBuf;

const START: &str = "# N\n\n## P\n\n- one\n\n## Q\n\n- q ^k7m2q9xa\n";
const TREE: &str = "# N\n\n## P\n\n- one\n\n### Sub\n\nsub\n\n## Q\n\n- q\n";
const ALL_OF_P: &str = "version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: P }, scope: subtree, operation: update, content: new }\n";

/// A user with the document `notes`, and what is declared for it.
struct Declaring {
    user: User,
    notes: PathBuf,
}

impl Declaring {
    fn new() -> Declaring {
        let user = User::new();
        let notes = user.with_notes();
        Declaring { user, notes }
    }

    fn is(&self, text: &str) {
        fs::write(&self.notes, text).unwrap();
    }

    fn plan(&self, words: [&str; 8]) {
        let whose = ["plan", "--agent", "codex", "--session", "s1"];
        self.user.run(whose.into_iter().chain(words)).ok();
    }

    fn enqueue(&self, words: [&str; 8]) -> String {
        self.user.run(["enqueue"].into_iter().chain(words)).ok()
    }

    fn merged(&self) -> String {
        self.user.run(["flush", "--agent", "codex", "--session", "s1"]).ok();
        self.user.run(["work"]).ok();
        fs::read_to_string(&self.notes).unwrap()
    }

    fn failed(&self) -> u64 {
        self.user.counts()[3].try_into().unwrap()
    }
}

fn to<'w>(heading: &'w str, op: &'w str, content: &'w str) -> [&'w str; 8] {
    ["--to", "notes", "--heading", heading, "--op", op, "--content", content]
}

/// What jobs did that were declared before is no person's; what was declared later is not taken out, nor by a second try.
#[test]
fn what_was_declared_before_is_replaced_and_what_came_later_is_not() {
    let on = Declaring::new();
    // What jobs did that were declared before is no person's.
    on.is(START);
    on.enqueue(to("P", "append", "- appended"));
    on.plan(to("P", "update", "- planned"));
    on.user.run(["work"]).ok();
    on.is(&fs::read_to_string(&on.notes).unwrap().replace("- q", "- changed by hand"));
    let text = on.merged();
    assert!(text.contains("- planned") && text.contains("- changed by hand"), "{text}");
    assert_eq!(on.failed(), 0, "{:?}", on.user.json(["list", "failed"]));
    on.enqueue(to("P", "update", "- first"));
    on.enqueue(to("P", "update", "- second"));
    let text = on.merged();
    assert!(text.contains("- second") && on.failed() == 0, "{text}");
    // What was declared after it, and merged before, is not taken out.
    on.plan(to("P", "update", "- planned long ago"));
    on.enqueue(to("P", "append", "- of another session"));
    on.user.run(["work"]).ok();
    let text = on.merged();
    assert!(text.contains("- of another session") && on.failed() == 1, "{text}");
    // Nor by a second try.
    on.user.run(["--as", "tests", "resolve", "--all", "--retry"]);
    let text = on.merged();
    assert!(text.contains("- of another session") && on.failed() == 1, "{text}");
}

/// What a person wrote in a section, or made of one, is a conflict.
#[test]
fn what_a_person_wrote_since_is_not_replaced() {
    let on = Declaring::new();
    for (words, edit, kept) in [
        (to("P", "update", "- new"), ("- one", "- one, and more"), "- one, and more"),
        (to("P", "clear", ""), ("- one", "- one, and more"), "- one, and more"),
        (to("New", "update", "- new"), ("## Q", "## New\n\nmine\n\n## Q"), "mine"),
    ] {
        on.is(START);
        let failed = on.failed();
        let words: Vec<&str> = if words[5] == "clear" { words[..6].to_vec() } else { words.to_vec() };
        on.user.run(["enqueue"].into_iter().chain(words)).ok();
        on.is(&START.replacen(edit.0, edit.1, 1));
        let text = on.merged();
        assert!(text.contains(kept) && !text.contains("- new"), "{text}");
        assert_eq!(on.failed(), failed + 1, "{text}");
    }
    let failed = on.user.json(["list", "failed"]);
    assert!(failed.to_string().contains("conflict"), "{failed}");
}

/// With all below it; what our own merges made of that is none.
#[test]
fn nor_what_they_wrote_below_it() {
    let on = Declaring::new();
    for (edit, is_kept) in
        [(("sub\n", "sub, mine\n"), true), (("- one", "- mine"), true), (("- q", "- other"), false)]
    {
        on.is(TREE);
        on.user.run_with(["enqueue", "-"], ALL_OF_P.as_bytes()).ok();
        on.is(&TREE.replacen(edit.0, edit.1, 1));
        let text = on.merged();
        assert!(text.contains(edit.1.trim()) && text.contains("new") != is_kept, "{text}");
    }
    on.is(TREE);
    let before = on.failed();
    on.user
        .run([
            "enqueue",
            "--to",
            "notes",
            "--heading",
            "Sub",
            "--level",
            "3",
            "--op",
            "append",
            "--content",
            "ours",
        ])
        .ok();
    on.user.run_with(["enqueue", "-"], ALL_OF_P.as_bytes()).ok();
    on.user.run_with(["enqueue", "-"], ALL_OF_P.replace("new", "newer").as_bytes()).ok();
    let text = on.merged();
    assert!(text.contains("newer") && !text.contains("ours") && on.failed() == before, "{text}");
}

/// A text that stood there before may be put back by hand; a section that is gone is made again where a person says so; and the words of an item are a person's as well.
#[test]
fn what_stands_there_by_somebodys_will() {
    let on = Declaring::new();
    // A text that stood there before may be put back by hand, and two are queued for it.
    on.is(START);
    on.enqueue(to("P", "update", "- B"));
    on.user.run(["work"]).ok();
    on.is(START);
    on.user.run(["work"]).ok();
    on.enqueue(to("P", "update", "- C"));
    on.enqueue(to("P", "update", "- D"));
    let text = on.merged();
    assert!(text.contains("- D") && on.failed() == 0, "{text}");
    // A section that is gone is made again where a person says so.
    on.is(START);
    let id = on.enqueue(to("P", "update", "- new")).trim().to_owned();
    on.is(&START.replace("## P", "## Other"));
    on.merged();
    on.user.run(["--as", "tests", "resolve", &id, "--theirs"]).ok();
    let text = on.merged();
    assert!(text.contains("## P\n\n- new") && text.contains("## Other"), "{text}");
    // The words of an item as well.
    on.is(START);
    on.user.run(["enqueue", "--item", "k7m2q9xa", "--op", "revise", "--content", "revised"]).ok();
    on.is(&START.replace("- q", "- q, by hand"));
    let text = on.merged();
    assert!(text.contains("- q, by hand") && !text.contains("revised"), "{text}");
}

/// The same of a key of the front matter; and after a yes of it and of a section with all below it.
#[test]
fn what_a_person_wrote_since_stays_in_front_matter_and_below() {
    for policy in ["auto", "review"] {
        let user = User::new();
        let notes = user.root().join("n.md");
        user.configure(&format!(
            "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: {policy}, frontmatter: true }}\n",
            notes.display()
        ));
        let start = "---\nname: Joe\n---\n# N\n\n## P\n\n- one\n\n### Sub\n\nsub\n";
        fs::write(&notes, start).unwrap();
        let key = ["--heading", "front matter", "--heading", "name", "--level", "0"];
        let said = ["enqueue", "--to", "notes", "--op", "update", "--content", "Jim"];
        user.run(said.into_iter().chain(key)).ok();
        let declared = "version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: P }, scope: subtree, operation: update, content: new }\n";
        user.run_with(["enqueue", "-"], declared.as_bytes()).ok();
        if policy == "review" {
            user.run(["work"]).ok();
            user.run(["--as", "tests", "review", "--all", "--approve"]).ok();
        }
        let edited = start.replace("Joe", "Joseph").replace("\nsub\n", "\nsub, mine\n");
        fs::write(&notes, &edited).unwrap();
        user.run(["work"]).ok();
        assert_eq!(fs::read_to_string(&notes).unwrap(), edited, "{policy}");
        assert_eq!(user.counts()[3], 2, "{policy}: {:?}", user.json(["list"]));
    }
}
