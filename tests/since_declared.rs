//! Between a declaration and its merge hours may pass: what a person, or a job declared later, wrote in that place meanwhile is not
//! taken out by an update that never saw it.

use crate::support::User;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

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

/// While nobody could tell which section is meant, nobody saw what it says: whatever stands there when that is mended is a person's.
#[test]
fn what_a_person_wrote_while_they_mended_the_document_stays() {
    let broken: [&[u8]; 4] = [
        b"# N\n\n## P\n\n- one\n\n## P\n\n- two\n",
        b"# N\n\n### P\n\n- one\n",
        b"# N\n\n## P!\n\n- one\n",
        b"# N\n\n## P\n\n- caf\xe9\n",
    ];
    for (broken, op) in
        broken.into_iter().flat_map(|broken| ["update", "delete", "clear"].map(|op| (broken, op)))
    {
        for was_tried in [false, true] {
            let on = Declaring::new();
            fs::write(&on.notes, broken).unwrap();
            let words = to("P", op, "- by the job");
            on.user
                .run(["enqueue"].into_iter().chain(words.into_iter().take(if op == "update" {
                    8
                } else {
                    6
                })))
                .ok();
            if was_tried {
                on.user.run(["work"]);
            }
            on.is("# N\n\n## P\n\n- one\n- mine\n");
            on.user.run(["--as", "tests", "resolve", "--all", "--retry"]);
            let text = on.merged();
            assert!(text.contains("- mine") && on.failed() == 1, "{op}: {text}");
            assert_eq!(on.user.json(["list", "failed"])[0]["error"], "conflict", "{op}");
        }
    }
    // Where nothing stands in the end, nothing is taken out.
    let on = Declaring::new();
    on.is("# N\n\n## P\n\n- one\n\n## P\n\n- two\n");
    on.enqueue(to("P", "update", "- by the job"));
    on.is("# N\n");
    assert!(on.merged().contains("- by the job"));
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

/// A comment that a person put behind a value is theirs, whoever deletes the key.
#[test]
fn a_comment_in_front_matter_stays() {
    let user = User::new();
    let notes = user.root().join("n.md");
    let kb = format!("notes: {{ path: {}, frontmatter: true }}", notes.display());
    user.configure(&format!("version: 1\nknowledge_bases:\n  {kb}\n"));
    fs::write(&notes, "---\ncolor: red\nname: Joe\n---\n").unwrap();
    let key = ["--heading", "front matter", "--heading", "color", "--level", "0"];
    user.run(["enqueue", "--to", "notes", "--op", "delete"].into_iter().chain(key)).ok();
    fs::write(&notes, "---\ncolor: red # my own\nname: Joe\n---\n").unwrap();
    user.run(["work"]).ok();
    let text = fs::read_to_string(&notes).unwrap();
    assert!(text.starts_with("---\n# my own\nname: Joe\n"), "{text}");
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

const PIECES: &str = "# N\n\n## P\n\n- Port: 5432\n- other\n\n## T\n\n| k | v |\n|---|---|\n| port | 5432 |\n\n## Q\n\n- q ^k7m2q9xa\n- r\n";

/// What a person puts in the place of what.
type Edited = (&'static str, &'static str);

/// An entry for one item or one row, what a person makes of that meanwhile, and what they make of the rest of the section.
fn pieces() -> [(Vec<&'static str>, Edited, Edited); 5] {
    let item =
        |op: &'static str, words: &[&'static str]| [&["--item", "k7m2q9xa", "--op", op][..], words].concat();
    [
        (
            to("P", "upsert_item", "- Port: 5433").to_vec(),
            ("- Port: 5432", "- Port: 6000"),
            ("- other", "- mine"),
        ),
        (
            to("T", "upsert_row", "| port | 5433 |").to_vec(),
            ("| port | 5432 |", "| port | 6000 |"),
            ("## Q", "Mine.\n\n## Q"),
        ),
        (item("retire", &[]), ("- q ", "- q, by hand "), ("- r", "- mine")),
        (item("supersede", &["--content", "new"]), ("- q ", "- q, by hand "), ("- r", "- mine")),
        (item("revise", &["--content", "new"]), ("- q ", "- q, by hand "), ("- r", "- mine")),
    ]
}

/// An item or a row that a person changed since is a conflict, also after a yes; the rest of its section may become what it will.
#[test]
fn an_item_or_a_row_that_a_person_changed_since_stays() {
    for (policy, (words, of_it, of_others)) in
        ["auto", "review"].into_iter().flat_map(|policy| pieces().map(|piece| (policy, piece)))
    {
        let on = Declaring::new();
        on.user.configure(&format!(
            "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: {policy} }}\n",
            on.notes.display()
        ));
        let declare = || {
            on.user.run(["enqueue"].iter().chain(&words).copied()).ok();
            if policy == "review" {
                on.user.run(["work"]).ok();
                on.user.run(["--as", "tests", "review", "--all", "--approve"]).ok();
            }
        };
        on.is(PIECES);
        declare();
        let edited = PIECES.replacen(of_it.0, of_it.1, 1);
        on.is(&edited);
        assert_eq!(on.merged(), edited, "{policy}: {words:?}");
        assert_eq!(on.failed(), 1, "{policy}: {words:?}");
        on.is(PIECES);
        declare();
        let edited = PIECES.replacen(of_others.0, of_others.1, 1);
        on.is(&edited);
        let text = on.merged();
        assert!(text != edited && text.contains(of_others.1), "{policy}: {words:?}: {text}");
        assert_eq!(on.failed(), 1, "{policy}: {words:?}");
    }
}

/// A job that left the item as it was says nothing of what stands there; nor does one that made it say what a person made of it.
#[test]
fn what_a_job_before_it_did_not_change_is_a_persons() {
    let of_item = |op: &'static str, words: &'static [&'static str]| {
        [&["enqueue", "--item", "k7m2q9xa", "--op", op][..], words].concat()
    };
    let add = vec!["enqueue", "--to", "notes", "--heading", "Q", "--op", "add", "--content", "q"];
    for (first, last, edited) in [
        (of_item("restore", &[]), of_item("revise", &["--content", "new"]), "- q, by hand ^k7m2q9xa\n"),
        (of_item("uncheck", &[]), of_item("retire", &[]), "- [ ] q, by hand ^k7m2q9xa\n"),
        (add, of_item("revise", &["--content", "new\n  more"]), "- q ^k7m2q9xa\n  - by hand\n"),
    ] {
        let on = Declaring::new();
        let start =
            if first.contains(&"uncheck") { START.replace("- q", "- [ ] q") } else { START.to_owned() };
        on.is(&start);
        on.user.run(&first).ok();
        on.user.run(&last).ok();
        let edited = START.replace("- q ^k7m2q9xa\n", edited);
        on.is(&edited);
        assert_eq!(on.merged(), edited, "{first:?} {last:?}");
        assert_eq!(on.failed(), 1, "{first:?} {last:?}");
    }
    for op in ["revise", "retire", "supersede"] {
        let on = Declaring::new();
        on.is(START);
        on.user.run(of_item("supersede", &["--content", "put there"])).ok();
        let text = on.merged();
        let new =
            text.split("put there").nth(1).unwrap().split('^').nth(1).unwrap().split('\n').next().unwrap();
        let words = if op == "retire" { &[][..] } else { &["--content", "new"] };
        on.user.run([&["enqueue", "--item", new, "--op", op], words].concat()).ok();
        let edited = text.replace("put there", "put there, and by hand");
        on.is(&edited);
        assert_eq!(on.merged(), edited, "{op}");
        assert_eq!(on.failed(), 1, "{op}");
    }
}

/// Who ticks a task, or puts an item back, means the one that they saw.
#[test]
fn a_task_that_a_person_rewrote_is_not_ticked() {
    for (op, line) in [
        ("check", "- [ ] do it"),
        ("uncheck", "- [x] do it"),
        ("restore", "- ~~do it~~ <!-- lw del=2026-01-01 -->"),
    ] {
        let on = Declaring::new();
        let start = START.replace("- q ", &format!("{line} "));
        on.is(&start);
        on.user.run(["enqueue", "--item", "k7m2q9xa", "--op", op]).ok();
        let edited = start.replace("do it", "do something else");
        on.is(&edited);
        assert_eq!(on.merged(), edited, "{op}");
        assert_eq!(on.failed(), 1, "{op}");
    }
}

/// So are lines below an item: who says what its line said has seen no more than that.
#[test]
fn what_a_person_wrote_below_an_item_stays() {
    for (op, more) in
        [("revise", &["--content", "new\n  more"][..]), ("supersede", &["--content", "new"]), ("retire", &[])]
    {
        for old in [&[][..], &["--old-text", "q"]] {
            let on = Declaring::new();
            on.is(START);
            if op != "retire" || old.is_empty() {
                on.user.run([&["enqueue", "--item", "k7m2q9xa", "--op", op], more, old].concat()).ok();
                let edited = START.replace("^k7m2q9xa\n", "^k7m2q9xa\n  by hand\n");
                on.is(&edited);
                assert_eq!(on.merged(), edited, "{op} {old:?}");
                assert_eq!(on.failed(), 1, "{op} {old:?}");
            }
        }
    }
}

/// What jobs before it made of the item or the row is none, whatever a person wrote beside it; what a person made of that is.
#[test]
fn what_jobs_before_it_made_of_an_item_or_a_row_is_replaced() {
    for (words, of_it, of_others) in pieces() {
        let [first, last] = ["first", "last"].map(|n| {
            let words = words.iter().map(|word| word.replace("5433", n).replace("new", n));
            ["enqueue".to_owned()].into_iter().chain(words).collect::<Vec<_>>()
        });
        let on = Declaring::new();
        on.is(PIECES);
        on.user.run(&first).ok();
        let id = on.user.run(&last).ok().trim().to_owned();
        on.user.run(["--as", "tests", "hold", &id]).ok();
        on.user.run(["work"]).ok();
        let text = fs::read_to_string(&on.notes).unwrap();
        on.is(&text.replacen(of_others.0, of_others.1, 1));
        on.user.run(["--as", "tests", "release", &id]).ok();
        let text = on.merged();
        let is_over = words.contains(&"supersede");
        assert_eq!(on.failed(), u64::from(is_over), "{words:?}: {text}");
        assert!(is_over || words.contains(&"retire") || text.contains("last"), "{words:?}: {text}");
        // The words of the first, changed by a person, are theirs.
        if words.contains(&"revise") || words.iter().any(|word| word.starts_with("upsert")) {
            on.is(PIECES);
            on.user.run(&first).ok();
            let id = on.user.run(&last).ok().trim().to_owned();
            on.user.run(["--as", "tests", "hold", &id]).ok();
            on.user.run(["work"]).ok();
            let text = fs::read_to_string(&on.notes).unwrap().replacen("first", "first, by hand", 1);
            on.is(&text);
            on.user.run(["--as", "tests", "release", &id]).ok();
            assert_eq!(on.merged(), text, "{words:?}, {of_it:?}");
        }
    }
}

/// Two proposals of one section that are approved together are merged in the order in which they were declared.
#[test]
fn proposals_that_are_approved_together_are_merged_one_after_the_other() {
    let on = Declaring::new();
    on.user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: review }}\n",
        on.notes.display()
    ));
    on.is(START);
    on.enqueue(to("P", "update", "- A"));
    on.enqueue(to("P", "update", "- B"));
    on.user.run(["work"]).ok();
    on.user.run(["--as", "tests", "review", "--all", "--approve"]).ok();
    let text = on.merged();
    assert!(text.contains("- B") && !text.contains("- A") && on.failed() == 0, "{text}");
}

/// Who edits a job that is in conflict saw both sides: what they made of it is merged.
#[test]
fn a_conflict_that_is_edited_is_merged() {
    for revised in [false, true] {
        let on = Declaring::new();
        on.is(START);
        let item = ["--item", "k7m2q9xa", "--op", "revise", "--content", "of the job"];
        let section = to("P", "update", "of the job");
        let words = if revised { &item[..] } else { &section[..] };
        let id = on.user.run(["enqueue"].iter().chain(words).copied()).ok().trim().to_owned();
        on.is(&START.replace("- one", "- one, mine").replace("- q", "- q, mine"));
        on.merged();
        assert_eq!(on.failed(), 1);
        let file = on.user.home().join("staging/failed").join(&on.user.files("staging/failed")[0]);
        let edited = fs::read_to_string(file).unwrap().replace("content: of the job", "content: of both");
        let with = on.user.root().join("edited.yaml");
        fs::write(&with, edited).unwrap();
        let with = with.display().to_string();
        on.user.run(["--as", "tests", "resolve", &id, "--edit", "--with", &with]).ok();
        let text = on.merged();
        assert!(text.contains("of both") && on.failed() == 0, "{text}");
    }
}

/// What a person wrote before anybody was asked is a conflict too: whoever says yes to all that waits was shown no diff.
#[test]
fn what_was_written_before_a_proposal_was_made_is_a_conflict() {
    let of_section = [
        (to("P", "update", "- new").to_vec(), ("- Port: 5432", "- Port: 6000"), ("- r", "- mine")),
        (vec!["--to", "notes", "--heading", "P", "--op", "clear"], ("- other", "- mine"), ("- r", "- mine")),
        (vec!["--to", "notes", "--heading", "P", "--op", "delete"], ("- other", "- mine"), ("- r", "- mine")),
    ];
    for (words, of_it, of_others) in pieces().into_iter().chain(of_section) {
        let on = Declaring::new();
        on.user.configure(&format!(
            "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: review }}\n",
            on.notes.display()
        ));
        on.is(PIECES);
        on.user.run(["enqueue"].iter().chain(&words).copied()).ok();
        let edited = PIECES.replacen(of_it.0, of_it.1, 1);
        on.is(&edited);
        on.user.run(["work"]).ok();
        on.user.run(["--as", "tests", "review", "--all", "--approve"]);
        assert_eq!(on.merged(), edited, "{words:?}");
        assert_eq!(on.failed(), 1, "{words:?}");
        let failed = on.user.json(["list", "failed"]);
        assert!(failed.to_string().contains("conflict"), "{failed}");
        // The person's side stands where they say so, and the job's after a yes of its own.
        on.user.run(["--as", "tests", "resolve", "--all", "--theirs"]).ok();
        on.user.run(["work"]).ok();
        on.user.run(["--as", "tests", "review", "--all", "--approve"]).ok();
        assert_ne!(on.merged(), edited, "{words:?}");
        assert_eq!(on.failed(), 0, "{words:?}");
        // What a person wrote elsewhere is none.
        on.is(PIECES);
        on.user.run(["enqueue"].iter().chain(&words).copied()).ok();
        on.is(&PIECES.replacen(of_others.0, of_others.1, 1));
        on.user.run(["work"]).ok();
        on.user.run(["--as", "tests", "review", "--all", "--approve"]).ok();
        let text = on.merged();
        assert!(text.contains(of_others.1) && on.failed() == 0, "{words:?}: {text}");
    }
}

/// Also where something else is wrong with the job, which a person mends before they say yes.
#[test]
fn what_was_written_before_a_proposal_is_not_forgotten_for_another_refusal() {
    let on = Declaring::new();
    on.user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: review }}\n",
        on.notes.display()
    ));
    on.is(START);
    let declared = "version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: Nope }, operation: rename, content: Other }\n  - { key: { kb: notes, heading: P }, operation: clear }\n";
    on.user.run_with(["enqueue", "-"], declared.as_bytes()).ok();
    on.is(&START.replace("- one", "- one, by hand"));
    on.user.run(["work"]).ok();
    let edited = START.replace("- one", "- one, by hand") + "\n## Nope\n";
    on.is(&edited);
    on.user.run(["--as", "tests", "review", "--all", "--approve"]).ok();
    assert_eq!(on.merged(), edited);
    assert_eq!(on.failed(), 1);
}

const SUB_OF_P: &str = "version: \"1.0.0\"\nentries:\n  - { key: { kb: notes, heading: [P, Sub], level: 3 }, operation: update, content: last }\n";

/// Who replaces or deletes a section with all below it, and then says what is to stand in one of these, takes out nothing of anybody's.
#[test]
fn what_a_job_before_it_did_to_all_below_is_no_conflict() {
    let with_sub = ALL_OF_P.replace("content: new", "content: \"new\\n\\n### Sub\\n\\nnewer\"");
    let deleted = ALL_OF_P.replace("update, content: new", "delete");
    let own = ALL_OF_P.replace("scope: subtree, ", "").replace("new", "last");
    let cleared = own.replace("update, content: last", "clear");
    // The first, the last, what that puts there, and what a person may have made of the first one's words.
    for (first, last, put, theirs) in [
        (ALL_OF_P, own.as_str(), "last", "new\n"),
        (ALL_OF_P, cleared.as_str(), "## P\n\n## Q", "new\n"),
        (ALL_OF_P, SUB_OF_P, "### Sub\n\nlast", ""),
        (with_sub.as_str(), own.as_str(), "last", "new\n"),
        (with_sub.as_str(), SUB_OF_P, "### Sub\n\nlast", "newer\n"),
        (deleted.as_str(), own.as_str(), "## P\n\nlast", ""),
    ] {
        let on = Declaring::new();
        let declare = || {
            on.is(TREE);
            on.user.run_with(["enqueue", "-"], first.as_bytes()).ok();
            on.user.run_with(["enqueue", "-"], last.as_bytes()).ok().trim().to_owned()
        };
        declare();
        let text = on.merged();
        let failed = on.user.json(["list", "failed"]);
        assert!(text.contains(put) && on.failed() == 0, "{first}{last}{text}{failed:?}");
        if !theirs.is_empty() {
            let id = declare();
            on.user.run(["--as", "tests", "hold", &id]).ok();
            let text = on.merged().replace(theirs, "mine\n");
            on.is(&text);
            on.user.run(["--as", "tests", "release", &id]).ok();
            assert_eq!(on.merged(), text, "{first}{last}");
            assert_eq!(on.failed(), 1, "{first}{last}");
        }
    }
}

/// Sets when a file was written, in seconds from now.
fn written(file: &Path, seconds: i64) {
    let by = Duration::from_secs(seconds.unsigned_abs());
    let now = SystemTime::now();
    let at = if seconds < 0 { now - by } else { now + by };
    fs::File::options().write(true).open(file).unwrap().set_modified(at).unwrap();
}

/// A declaration that is left as a file saw the document of the moment in which it was written, whenever a worker comes by.
#[test]
fn what_a_person_wrote_after_a_file_was_left_is_not_replaced() {
    let declared = ALL_OF_P.replace("scope: subtree, ", "").replace("new", "of the file");
    for dir in ["pending", ""] {
        let leave = |on: &Declaring, seconds: i64| {
            let (dir, name) = (on.user.home().join(dir), if dir.is_empty() { "x.md.yaml" } else { "x.yaml" });
            let beside = on.user.root().join("x");
            fs::write(&beside, &declared).unwrap();
            written(&beside, seconds);
            fs::rename(beside, dir.join(name)).unwrap();
        };
        // In a document that nothing was merged into yet, by when it came there, whatever time it brought along.
        for (seconds, is_kept) in [(-3600, true), (3600, false)] {
            let on = Declaring::new();
            on.is(START);
            written(&on.notes, -7200);
            if is_kept || dir == "pending" {
                leave(&on, seconds);
                let text = on.merged();
                assert_eq!((text == START, on.failed()), (is_kept, u64::from(is_kept)), "{dir}: {text}");
            }
        }
    }
    // In another one, by the section: what was written elsewhere is none.
    for (old, new, is_kept) in [("- one", "- one, by hand", true), ("- q", "- q, by hand", false)] {
        let on = Declaring::new();
        on.is(START);
        on.enqueue(to("Q", "append", "- merged"));
        let text = on.merged();
        on.user.drop_in(&on.user.home().join("pending"), "x.yaml", declared.as_bytes());
        on.is(&text.replacen(old, new, 1));
        written(&on.notes, 3600);
        let text = on.merged();
        assert!(text.contains(new) && text.contains("of the file") != is_kept, "{text}");
        assert_eq!(on.failed(), u64::from(is_kept), "{text}");
    }
}

/// What was declared after it was written is none that the file saw: in the run that takes it in, and before it.
#[test]
fn what_was_declared_after_a_file_was_written_is_not_replaced() {
    let declared = ALL_OF_P.replace("scope: subtree, ", "").replace("new", "of the file");
    for is_merged_before in [false, true] {
        let on = Declaring::new();
        on.is(START);
        on.enqueue(to("Q", "append", "- merged"));
        on.merged();
        let beside = on.user.root().join("x");
        fs::write(&beside, &declared).unwrap();
        on.enqueue(to("P", "append", "- said later"));
        if is_merged_before {
            on.merged();
        }
        fs::rename(beside, on.user.home().join("pending/x.yaml")).unwrap();
        let text = on.merged();
        assert!(text.contains("- one\n- said later\n"), "{text}");
        assert_eq!(on.failed(), 1, "{text}");
    }
    // What was declared before it was is no reason, and nor is another file of the same time.
    let on = Declaring::new();
    on.is(START);
    on.enqueue(to("P", "append", "- said before"));
    for (name, text) in [("1.yaml", "of the first"), ("2.yaml", "of the second")] {
        let beside = on.user.root().join(name);
        fs::write(&beside, declared.replace("of the file", text)).unwrap();
        // A file's own time may lag behind the clock by some milliseconds.
        written(&beside, 0);
        fs::rename(beside, on.user.home().join("pending").join(name)).unwrap();
    }
    let text = on.merged();
    assert!(text.contains("## P\n\nof the second\n") && on.failed() == 0, "{text}");
}

/// "Unchanged, the document said it already" is said of a replacement that was made, not of words that stand there by chance.
#[test]
fn a_text_that_stands_there_by_chance_is_no_replacement() {
    let replace = |old: &str, new: &str| {
        let entry = format!(
            "{{ key: {{ kb: notes, heading: P }}, operation: replace, old_text: {old:?}, content: {new:?} }}"
        );
        format!("version: \"1.0.0\"\nentries: [{entry}]\n")
    };
    let p = |text: &str| START.replace("- one", text);
    for (before, old, new, after) in [
        // A piece of another word, and a word that stood there before.
        ("- mode: off\n- only weekdays", "off", "on", "- mode: PERSON\n- only weekdays"),
        ("- mode: off\n- go on", "off", "on", "- mode: PERSON\n- go on"),
        ("- 模式: 关\n- 仅在开会时", "关", "开", "- 模式: PERSON\n- 仅在开会时"),
        // The old text was never there.
        ("- editor: nano\n- not emacs", "vim", "emacs", "- editor: nano\n- not emacs"),
        ("- editor: nano", "vim", "emacs", "- editor: nano\n- not emacs"),
    ] {
        let on = Declaring::new();
        on.is(&p(before));
        on.user.run_with(["enqueue", "-"], replace(old, new).as_bytes()).ok();
        on.is(&p(after));
        assert_eq!(on.merged(), p(after), "{old} {new}");
        let failed = on.user.json(["list", "failed"]).to_string();
        assert!(failed.contains("text_not_found"), "{before} {old} {new}: {failed}");
    }
    // Declared twice, made by hand meanwhile, and declared again when it was made.
    for is_made_by_hand in [false, true] {
        let on = Declaring::new();
        on.is(&p("- modeoff: off\n- only"));
        let twice = || {
            on.user.run_with(["enqueue", "-"], replace("modeoff: off", "modeon: on").as_bytes()).ok();
        };
        twice();
        twice();
        if is_made_by_hand {
            on.is(&p("- modeon: on\n- only"));
        }
        let text = on.merged();
        assert_eq!(text, p("- modeon: on\n- only"));
        if !is_made_by_hand {
            twice();
        }
        assert_eq!((on.merged(), on.failed()), (text, 0));
    }
}

/// So it is of another section that has the new name.
#[test]
fn another_section_of_that_name_was_not_renamed_so() {
    let rename = |on: &Declaring| on.enqueue(to("P", "rename", "R"));
    let other = START.replace("## P", "## P of mine").replace("## Q", "## R\n\nr\n\n## Q");
    let on = Declaring::new();
    on.is(START);
    rename(&on);
    on.is(&other);
    assert_eq!(on.merged(), other);
    let failed = on.user.json(["list", "failed"]).to_string();
    assert!(failed.contains("heading_not_found"), "{failed}");
    for is_made_by_hand in [false, true] {
        let on = Declaring::new();
        on.is(START);
        rename(&on);
        rename(&on);
        if is_made_by_hand {
            on.is(&START.replace("## P", "## R"));
        }
        let text = on.merged();
        assert_eq!(text, START.replace("## P", "## R"));
        if !is_made_by_hand {
            rename(&on);
        }
        assert_eq!((on.merged(), on.failed()), (text, 0));
    }
}
