//! Items through the binary: declared, merged, revised by their id alone, reviewed, in conflict, put back.

use crate::support::User;
use std::fs;

/// A home with a knowledge base of items at `facts.md`.
fn with_facts(user: &User, policy: &str) -> std::path::PathBuf {
    let path = user.root().join("facts.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  facts: {{ path: {}, policy: {policy} }}\nsession_bootstrap: []\n",
        path.display()
    ));
    path
}

fn declared(user: &User, entries: &str) {
    let text = format!("version: \"1.0.0\"\nentries:\n{entries}");
    user.run_with(["enqueue", "-"], text.as_bytes()).ok();
}

fn work(user: &User) {
    user.run(["work"]).ok();
}

/// The id behind the one line that says this.
fn id_of(text: &str, says: &str) -> String {
    let mut lines = text.lines().filter(|line| line.contains(says));
    let line = lines.next().unwrap_or_else(|| panic!("nothing says {says}:\n{text}"));
    assert_eq!(lines.next(), None, "{says} twice:\n{text}");
    line.rsplit_once(" ^").unwrap_or_else(|| panic!("no id: {line}")).1.to_owned()
}

/// A document that cannot be read is named wherever its items would be: what is shown is not all there is.
#[test]
fn items_of_a_document_that_cannot_be_read_are_not_passed_over_in_silence() {
    let user = User::new();
    let (facts, other) = (user.root().join("facts.md"), user.root().join("other.md"));
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  facts: {{ path: {} }}\n  other: {{ path: {} }}\nsession_bootstrap: []\n",
        facts.display(),
        other.display()
    ));
    fs::write(&other, "# Other\n\n- can be read ^bbbbbbb1\n").unwrap();
    let mut large = b"# Facts\n\n- a fact ^aaaaaaa1\n".to_vec();
    large.resize((16 << 20) + 1, b'\n');
    for (bytes, why) in [
        (b"# Facts\n\n- a fact ^aaaaaaa1\n- caf\xe9 ^aaaaaaa2\n".to_vec(), "facts.md is not UTF-8 text"),
        (large, "facts.md is larger than 16777216 bytes"),
    ] {
        fs::write(&facts, bytes).unwrap();
        let warning = "warning: not searched: ";
        for list in [&["item", "list"][..], &["item", "list", "--json"]] {
            let said = user.run(list);
            assert!(said.code == Some(0) && said.stdout.contains("can be read"), "{said:?}");
            assert!(said.stderr.contains(warning) && said.stderr.contains(why), "{said:?}");
        }
        assert_eq!(user.json(["item", "list"]).as_array().map(Vec::len), Some(1));
        assert_eq!(user.run(["item", "list", "--document", "other"]).stderr, "", "which is not asked for");
        user.run(["item", "show", "bbbbbbb1"]).ok();
        for (args, code, start) in [
            (&["item", "show", "aaaaaaa1"][..], 1, "no document that could be read has an item aaaaaaa1"),
            (&["item", "retire", "aaaaaaa1"], 3, "no document that could be read has an item aaaaaaa1"),
            (
                &["item", "purge", "aaaaaaa1", "--dry-run"],
                1,
                "nothing that could be read knows an item aaaaaaa1",
            ),
        ] {
            let said = user.run(args);
            assert_eq!(said.code, Some(code), "{said:?}");
            let one_line = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(one_line.contains(&format!("{start}; not searched: ")), "{one_line}");
            assert!(said.stderr.contains(why), "{said:?}");
        }
        for format in ["basic-memory", "jsonl", "claude", "agents-md"] {
            let folder = tempfile::tempdir_in(user.root()).unwrap();
            let to = ["export", "--format", format, "--to", folder.path().to_str().unwrap()];
            let said = user.run(to);
            assert_eq!(said.code, Some(1), "{said:?}");
            assert!(said.stdout.contains("1 item;"), "{said:?}");
            assert!(said.stderr.contains(warning) && said.stderr.contains(why), "{said:?}");
            assert_ne!(fs::read_dir(folder.path()).unwrap().count(), 0, "{format}: the rest is written");
            let json = user.run([&to[..], &["--json"]].concat());
            assert!(json.code == Some(1) && json.stderr.contains(why), "{json:?}");
            serde_json::from_str::<serde_json::Value>(&json.stdout).unwrap();
        }
        let said = user.run(["export", "--format", "jsonl"]);
        assert_eq!((said.code, said.stdout.lines().count()), (Some(1), 1), "{said:?}");
    }
}

/// Words say the same in any case, code does not: what it means may be another command.
#[test]
fn code_is_remembered_as_it_is_written() {
    let user = User::new();
    user.with_notes();
    let state = |text: &str| {
        let said = user.json(["remember", text, "--to", "notes", "--heading", "Said"]);
        user.run(["work"]).ok();
        said["state"].as_str().unwrap().to_owned()
    };
    for (text, known) in [
        ("clean up by `rm -rf a`", "durable"),
        ("Clean up by `rm -rf a`.", "known"),
        ("clean up by `rm -rf A`", "durable"),
        ("clean up by ``rm -rf A``", "durable"),
        ("Clean  up by `rm -rf A`", "known"),
        ("clean up by `rm  -rf A`", "durable"),
    ] {
        assert_eq!(state(text) == "known", known == "known", "{text}");
    }
}

/// What is remembered is a sentence: only `- ` before it is a bullet.
#[test]
fn a_sign_that_a_text_begins_with_stays() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    for text in
        ["* is a wildcard", "+ 5 degrees are enough", "3. Oktober is a holiday", "- a bullet", "* [ ] a task"]
    {
        user.run(["remember", "--heading", "Said", "--", text]).ok();
    }
    work(&user);
    let text = fs::read_to_string(&path).unwrap();
    for line in [
        r"- \* is a wildcard ",
        r"- \+ 5 degrees are enough ",
        r"- 3\. Oktober is a holiday ",
        "- a bullet ",
        "- [ ] a task ",
    ] {
        assert!(text.contains(&format!("\n{line}")), "{line}: {text}");
    }
}

/// Somebody copied a line in an editor, with its id. Both were called missing, where nothing is.
#[test]
fn an_id_that_two_lines_have_is_no_missing_one() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    let text = "## Said\n\n- the ferry leaves at noon ^dupdupdu\n- the ferry leaves at one ^dupdupdu\n";
    fs::write(&path, text).unwrap();
    for change in [&["retire", "dupdupdu"][..], &["revise", "dupdupdu", "the ferry leaves at two"]] {
        let said = user.run([&["item"][..], change].concat()).fails(3, "2 items have the id dupdupdu");
        assert!(said.contains("take the id off the copy"), "{said}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

/// What stands in the block of a copy is the item of the document that it copies.
#[test]
fn an_item_that_a_copy_has_too_is_changed_where_it_was_written() {
    let user = User::new();
    let (path, copy) = (user.root().join("AGENTS.md"), user.root().join("CLAUDE.md"));
    user.configure(
        "version: 1\nknowledge_bases:\n  memory: { path: ~/AGENTS.md }\n  copy: { path: ~/CLAUDE.md, copy_of: ~/AGENTS.md }\nsession_bootstrap: []\n",
    );
    fs::write(&copy, "# Claude\n").unwrap();
    declared(&user, "  - { key: { kb: memory }, operation: add, content: The vault opens with a feather }\n");
    work(&user);
    work(&user);
    let id = id_of(&fs::read_to_string(&path).unwrap(), "vault");
    assert!(fs::read_to_string(&copy).unwrap().contains(&id));
    let list = user.run(["item", "list"]).ok();
    assert_eq!(list.matches(&id).count(), 1, "{list}");
    assert!(user.run(["item", "show", &id]).ok().contains("AGENTS.md"));
    user.run(["enqueue", "--item", &id, "--op", "revise", "--content", "The vault opens with a key"]).ok();
    work(&user);
    work(&user);
    for file in [&path, &copy] {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains("with a key") && !text.contains("feather"), "{text}");
    }
    assert!(user.run(["item", "purge", &id, "--dry-run"]).ok().contains("AGENTS.md"));
}

/// A copy that is its document, by a link of either kind, has nothing to copy: it would grow with each worker.
#[test]
fn a_copy_that_is_its_own_document_stays_as_it_is() {
    for is_hard in [false, true] {
        let user = User::new();
        let (path, copy) = (user.root().join("AGENTS.md"), user.root().join("CLAUDE.md"));
        user.configure(
            "version: 1\nknowledge_bases:\n  copy: { path: ~/CLAUDE.md, copy_of: ~/AGENTS.md }\nsession_bootstrap: []\n",
        );
        fs::write(&path, "# A\n\n- one\n").unwrap();
        if is_hard { fs::hard_link(&path, &copy) } else { std::os::unix::fs::symlink(&path, &copy) }.unwrap();
        for _ in 0..3 {
            work(&user);
            assert_eq!(fs::read_to_string(&path).unwrap(), "# A\n\n- one\n");
        }
    }
    let user = User::new();
    for circle in [
        "{ path: ~/A.md, copy_of: ~/A.md }\n",
        "{ path: ~/A.md, copy_of: ~/B.md }\n  other: { path: ~/B.md, copy_of: ~/A.md }\n",
    ] {
        user.configure(&format!("version: 1\nknowledge_bases:\n  copy: {circle}session_bootstrap: []\n"));
        let said = user.run(["validate"]);
        assert_eq!(said.code, Some(3), "{}", said.stdout);
        assert!(said.stdout.contains("leads back to the document itself"), "{}", said.stdout);
    }
}

/// What is said to a section that only the copy has would be lost with the next one: it is refused, and the copy goes on.
#[test]
fn nothing_is_written_into_a_copy() {
    let user = User::new();
    let (path, copy) = (user.root().join("AGENTS.md"), user.root().join("CLAUDE.md"));
    user.configure(
        "version: 1\nknowledge_bases:\n  memory: { path: ~/AGENTS.md }\n  copy: { path: ~/CLAUDE.md, copy_of: ~/AGENTS.md }\nsession_bootstrap: []\n",
    );
    fs::write(&copy, "# Claude\n\n## Own\n\n- mine\n").unwrap();
    fs::write(&path, "# A\n\n## N\n\n- x\n").unwrap();
    let to = |kb: &str, heading: &str, content: &str| {
        let said = ["enqueue", "--to", kb, "--heading", heading, "--op", "append", "--content", content];
        user.run(said).ok();
    };
    to("memory", "N", "- y");
    work(&user);
    work(&user);
    assert!(fs::read_to_string(&copy).unwrap().contains("- y"));
    to("copy", "N", "- into the copy");
    to("copy", "Own", "- of its own");
    work(&user);
    let text = fs::read_to_string(&copy).unwrap();
    assert!(text.contains("- of its own") && !text.contains("into the copy"), "{text}");
    let failed = user.json(["list", "failed"]).to_string();
    assert!(failed.contains("read_only"), "{failed}");
    to("memory", "N", "- z");
    work(&user);
    work(&user);
    assert!(fs::read_to_string(&copy).unwrap().contains("- z"), "the copy goes on");
}

#[test]
fn an_item_is_added_revised_superseded_retired_and_restored() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    let read = || fs::read_to_string(&path).unwrap();
    fs::write(&path, "# Facts\n\n## By hand\n\n- water the plants\n").unwrap();
    declared(
        &user,
        "  - { key: { kb: facts }, operation: add, content: '[O] Prefers tabs #editor', meta: { confidence: 0.9 } }\n\
         \x20 - { key: { kb: facts }, operation: add, content: '[W] Deploys on Fridays' }\n\
         \x20 - { key: { kb: facts, heading: By hand }, operation: add, content: Water the plants. }\n",
    );
    work(&user);
    let text = read();
    assert!(text.starts_with("# Facts\n\n## By hand\n\n- water the plants\n\n## 20"), "{text}");
    assert!(text.contains(" c=0.9 by="), "{text}");
    let (tabs, fridays) = (id_of(&text, "tabs"), id_of(&text, "Fridays"));

    // By the id alone, by flags, and with what its author saw.
    declared(
        &user,
        &format!(
            "  - {{ key: {{ item: {tabs} }}, operation: revise, content: Prefers spaces, old_text: 'Prefers tabs #editor' }}\n"
        ),
    );
    user.run(["enqueue", "--item", &fridays, "--op", "supersede", "--content", "Deploys on Mondays"]).ok();
    work(&user);
    let text = read();
    assert!(text.contains("- [O] Prefers spaces <!--") && !text.contains("tabs"), "{text}");
    assert_eq!(id_of(&text, "spaces"), tabs);
    let mondays = id_of(&text, "Mondays");
    assert!(
        text.contains("- ~~[W] Deploys on Fridays~~ <!--") && text.contains(&format!("sup=^{mondays}")),
        "{text}"
    );

    let before = read();
    user.run(["enqueue", "--item", &tabs, "--op", "retire"]).ok();
    work(&user);
    assert!(read().contains("- ~~[O] Prefers spaces~~ <!--"), "{}", read());
    user.run(["enqueue", "--item", &tabs, "--op", "restore"]).ok();
    work(&user);
    assert_eq!(read(), before);

    let log = user.json(["history", "facts"]).to_string();
    assert!(log.contains("supersede") || log.contains("revise"), "{log}");
    user.assert_clean();
}

#[test]
fn what_was_seen_and_is_not_there_any_more_is_a_conflict() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    fs::write(&path, "- tea ^k7m2q9xa\n- milk ^aaaaaaaa\n").unwrap();
    declared(&user, "  - { key: { item: k7m2q9xa }, operation: revise, content: coffee, old_text: water }\n");
    work(&user);
    assert_eq!(fs::read_to_string(&path).unwrap(), "- tea ^k7m2q9xa\n- milk ^aaaaaaaa\n");
    let id = user.json(["list", "failed"])[0]["id"].as_str().unwrap().to_owned();
    user.run(["resolve", &id, "--theirs"]).ok();
    work(&user);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("- coffee <!-- lw 20") && text.ends_with("^k7m2q9xa\n- milk ^aaaaaaaa\n"),
        "{text}"
    );
}

#[test]
fn a_proposal_is_for_the_item_as_it_was() {
    let user = User::new();
    let path = with_facts(&user, "review");
    fs::write(&path, "- tea ^k7m2q9xa\n").unwrap();
    user.run(["enqueue", "--item", "k7m2q9xa", "--op", "revise", "--content", "coffee"]).ok();
    work(&user);
    let id = user.json(["list", "review"])[0]["id"].as_str().unwrap().to_owned();
    let shown = user.run(["show", &id]).ok();
    assert!(shown.contains("-- tea") || shown.contains("-- tea ^k7m2q9xa"), "{shown}");
    fs::write(&path, "- green tea ^k7m2q9xa\n").unwrap();
    user.run(["review", &id, "--approve"]);
    work(&user);
    assert_eq!(fs::read_to_string(&path).unwrap(), "- green tea ^k7m2q9xa\n", "it was not for this");
}

#[test]
fn what_is_no_item_is_refused_before_it_is_queued() {
    let user = User::new();
    with_facts(&user, "auto");
    for (entry, saying) in [
        ("{ key: { kb: facts }, operation: add }", "content_missing"),
        ("{ key: { kb: facts }, operation: retire }", "item_missing"),
        ("{ key: { item: k7m2q9xa }, operation: update, content: x }", "item_not_allowed"),
        ("{ key: { item: 'no id' }, operation: retire }", "bad_item"),
        ("{ key: { item: k7m2q9xa }, operation: retire, content: x }", "content_not_allowed"),
        ("{ key: { item: k7m2q9xa, heading: A }, operation: retire }", "heading_not_allowed"),
        ("{ key: { item: zzzzzzzz }, operation: retire }", "item_not_found"),
    ] {
        let text = format!("version: \"1.0.0\"\nentries:\n  - {entry}\n");
        user.run_with(["enqueue", "-"], text.as_bytes()).fails(3, saying);
    }
    assert_eq!(user.counts(), [0; 6]);
}

/// An item that waits has its id already, and can be spoken of.
#[test]
fn what_still_waits_is_found_by_its_id() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    fs::write(&path, "").unwrap();
    declared(&user, "  - { key: { kb: facts, heading: A }, operation: add, content: tea }\n");
    let waiting = user.json(["apply", "--dry-run"]).to_string();
    let id: String = waiting.rsplit_once("--> ^").unwrap().1.chars().take(8).collect();
    user.run(["enqueue", "--item", &id, "--op", "retire"]).ok();
    work(&user);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("- ~~tea~~ <!-- lw 20") && text.contains(&format!("^{id}\n")), "{text}");
}

fn with_memory(user: &User) {
    user.run(["init"]).ok();
    let text = user.run(["init", "--memory"]).ok();
    assert!(text.contains("added to config.yaml: facts, sessions, events, profile"), "{text}");
    user.lets_tests_decide();
}

/// In the words of a person: said, looked at, changed, and what became of it.
#[test]
fn remembered_in_a_line_and_changed_by_its_id() {
    let user = User::bare();
    with_memory(&user);
    let said = user
        .run([
            "remember",
            "Prefers tabs over spaces",
            "--kind",
            "O",
            "--entity",
            "editor",
            "--confidence",
            "0.9",
        ])
        .ok();
    let (id, then) = said.trim().split_once("  ").unwrap();
    assert!(then.contains("at the next `last-word work`") && then.contains("/facts/20"), "{said}");
    let waiting = user.run(["item", "show", id]).ok();
    assert!(waiting.contains("Prefers tabs"), "{waiting}");
    work(&user);
    let listed = user.json(["item", "list"]);
    let item = &listed[0];
    assert_eq!(
        (item["id"].as_str(), item["kind"].as_str(), item["confidence"].as_f64()),
        (Some(id), Some("O"), Some(0.9))
    );
    assert_eq!(
        (item["tags"][0].as_str(), item["by"].is_string(), item["line"].as_u64()),
        (Some("editor"), true, Some(3))
    );

    // The document says it already.
    let again = user.json(["remember", "prefers tabs over  spaces #editor."]);
    assert_eq!((again["state"].as_str(), again["item"].as_str()), (Some("known"), Some(id)));
    work(&user);

    user.run(["item", "revise", id, "Prefers spaces", "--reason", "asked again"]).ok();
    work(&user);
    let new = user.json(["item", "supersede", id, "Prefers two spaces"])["item"].as_str().unwrap().to_owned();
    work(&user);
    let shown = user.run(["item", "show", id]).ok();
    let steps: Vec<&str> =
        ["superseded by", "asked again; it said `[O] Prefers tabs over spaces #editor`", "added by"].to_vec();
    let mut from = 0;
    for step in steps {
        from += shown[from..].find(step).unwrap_or_else(|| panic!("no {step} in {shown}"));
    }
    assert!(user.run(["item", "show", &new]).ok().contains(&format!("took the place of {id}")));
    assert_eq!(user.json(["item", "list"]).as_array().unwrap().len(), 1, "one is live");
    assert_eq!(user.json(["item", "list", "--all"]).as_array().unwrap().len(), 2);
    user.run(["item", "retire", &new]).ok();
    work(&user);
    user.run(["item", "list"]).fails(1, "no items");
    user.run(["item", "restore", &new]).ok();
    work(&user);
    assert!(user.run(["item", "list", "--entity", "nobody"]).fails(1, "no items").contains("--all"));
    assert!(user.run(["item", "list", "--kind", "O"]).ok().contains("Prefers two spaces"));
    user.run(["item", "retire", "zzzzzzzz"]).fails(3, "item_not_found");
    user.run(["remember", "x", "--kind", "NO"]).fails(2, "no kind of item");
    user.assert_clean();
}

/// What could only fail is not taken for kept: nothing is enqueued, and the reason is told at once.
#[test]
fn what_can_only_fail_is_refused_while_it_is_said() {
    let user = User::new();
    user.configure(
        "version: 1\nknowledge_bases:\n  facts: { path: ~/facts.md }\n  tiny: { path: ~/tiny.md, budget_chars: 60 }\n  \
         closed: { path: ~/closed.md, create: false }\n  bytes: { path: ~/bytes.md }\n  twice: { path: ~/twice.md }\n  \
         block: { path: ~/block.md, block: machine }\n  open: { path: ~/open.md }\nsession_bootstrap: []\n",
    );
    for (name, text) in [
        ("tiny.md", "## X\n\nThis document is as long as it may be, in characters.\n".as_bytes()),
        ("bytes.md", b"a\xff\xfeb\n"),
        ("twice.md", b"# T\n\n## A\n\nx\n\n## A\n\ny\n"),
        ("block.md", b"# T\n\nno block\n"),
        ("open.md", b"# T\n\n```\nopen\n"),
    ] {
        fs::write(user.root().join(name), text).unwrap();
    }
    for (to, said, code) in [
        ("tiny", "a short fact", "over_budget"),
        ("closed", "a short fact", "section_missing"),
        ("bytes", "a short fact", "not_utf8"),
        ("twice", "a short fact", "ambiguous"),
        ("block", "a short fact", "machine_block_missing"),
        ("open", "a short fact", "unclosed_block_in_document"),
        ("facts", "one\n\ntwo", "bad_item"),
        ("facts", "# no item", "bad_item"),
    ] {
        let why = user.run(["remember", said, "--to", to, "--heading", "A"]).fails(3, code);
        assert!(why.contains("hint:"), "{why}");
        assert_eq!(user.json(["list"]).as_array().map(Vec::len), Some(0), "{to}: something was enqueued");
    }
    // What waits before it makes the difference.
    user.run(["remember", "kept", "--heading", "A"]).ok();
    assert_eq!(user.json(["remember", "Kept.", "--heading", "A"])["state"], "known");
    let id = user.json(["remember", "another", "--heading", "A"])["item"].as_str().unwrap().to_owned();
    work(&user);
    user.run(["item", "retire", &id]).ok();
    user.run(["item", "revise", &id, "said too late"]).fails(3, "item_not_live");
    user.run(["item", "restore", &id]).ok();
    user.run(["item", "revise", &id, "said in time"]).ok();
    work(&user);
    assert!(fs::read_to_string(user.root().join("facts.md")).unwrap().contains("said in time"));
}

#[test]
fn a_session_saved_twice_is_there_once() {
    let user = User::bare();
    with_memory(&user);
    for summary in ["Began.", "Done."] {
        let args = [
            "session",
            "save",
            "--topic",
            "The parser",
            "--summary",
            summary,
            "--decision",
            "Use one pass",
            "--todo",
            "Measure it",
        ];
        user.run(args.iter().chain(&["--agent", "codex", "--session", "9f1c2d3e-44"])).ok();
        work(&user);
    }
    let folder = user.root().join(".config/agents/sessions");
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(file).unwrap();
    let body = "## c2d3e-44 · The parser\n\nDone.\n\nDecisions:\n\n- [decision] Use one pass\n\nTo do:\n\n- [ ] Measure it\n";
    assert_eq!(text, body);
}

/// A session does not look at what it saved: what a person made of that meanwhile is not taken out by its next save.
#[test]
fn what_a_person_wrote_into_a_sessions_note_stays() {
    let user = User::bare();
    with_memory(&user);
    let save = |summary: &str, todo: &str| {
        let note = ["session", "save", "--topic", "The parser", "--summary", summary, "--todo", todo];
        user.run(note.iter().chain(&["--agent", "codex", "--session", "9f1c2d3e-44"])).ok();
        work(&user);
        let folder = user.root().join(".config/agents/sessions");
        let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        (fs::read_to_string(&file).unwrap(), file)
    };
    save("Began.", "Measure it");
    let (text, file) = save("Half done.", "Measure it");
    assert!(text.contains("Half done.") && user.counts()[3] == 0, "{text}");
    fs::write(&file, text.replace("Measure it", "Measure it (I did half of it)") + "- owner: mine\n")
        .unwrap();
    let (text, _) = save("Done.", "Measure it again");
    assert!(text.contains("I did half of it") && text.contains("owner: mine"), "{text}");
    assert_eq!(user.counts()[3], 1, "{text}");
}

/// Names that begin with the day were once cut to it, and the second session took the place of the first.
#[test]
fn two_sessions_of_one_day_and_topic_are_both_there() {
    let user = User::bare();
    with_memory(&user);
    for (session, summary) in [("20260220-143022-9f1c", "Began."), ("20260220-170511-77aa", "Done.")] {
        let note = ["session", "save", "--topic", "The parser", "--summary", summary];
        user.run(note.iter().chain(&["--agent", "codex", "--session", session])).ok();
        work(&user);
    }
    let folder = user.root().join(".config/agents/sessions");
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("Began.") && text.contains("Done."), "{text}");
}

/// Nobody names a session that is not an agent's: two projects once took each other's place.
#[test]
fn sessions_without_a_name_are_told_apart_by_their_project() {
    let user = User::bare();
    with_memory(&user);
    for (place, agent) in [("a/app", ""), ("b/app", ""), ("a/app", "main"), ("b/app", "main")] {
        let project = user.root().join(place);
        fs::create_dir_all(project.join(".git")).unwrap();
        for summary in ["Began.", "Done."] {
            let note = ["session", "save", "--topic", "The parser", "--summary", summary];
            let named = ["--agent", "codex", "--session", agent];
            let named = if agent.is_empty() { &named[..0] } else { &named[..] };
            let output = user.command(note.iter().chain(named)).current_dir(&project).output().unwrap();
            assert!(output.status.success());
            work(&user);
        }
    }
    let folder = user.root().join(".config/agents/sessions");
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(file).unwrap();
    let (saved, begun) = (text.matches("Done.").count(), text.matches("Began.").count());
    assert_eq!((saved, begun), (4, 0), "each once, and as it was saved last: {text}");
}

#[test]
fn memory_is_added_to_a_configuration_once_and_by_a_person() {
    let user = User::bare();
    with_memory(&user);
    let config = fs::read(user.home().join("config.yaml")).unwrap();
    assert!(!user.run(["init", "--memory"]).ok().contains("added"));
    assert_eq!(fs::read(user.home().join("config.yaml")).unwrap(), config);
    let agent = user.command(["init", "--memory"]).env("CLAUDECODE", "1").output().unwrap();
    assert!(!agent.status.success(), "an agent gave itself documents to write");
}

/// What no longer holds is not told to an agent, nor what we wrote beside the rest.
#[test]
fn an_agent_is_shown_what_holds() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    let config = user.home().join("config.yaml");
    let text =
        fs::read_to_string(&config).unwrap().replace("session_bootstrap: []", "session_bootstrap: [facts]");
    fs::write(&config, text).unwrap();
    fs::write(
        &path,
        "- [O] tabs <!-- lw 14:30 c=0.9 --> ^k7m2q9xa\n- ~~[W] gone~~ <!-- lw del=2026-03-01 --> ^aaaaaaaa\n",
    )
    .unwrap();
    let shown = user.run(["context"]).ok();
    assert!(shown.contains("- [O] tabs ^k7m2q9xa\n"), "{shown}");
    assert!(!shown.contains("gone") && !shown.contains("lw 14:30"), "{shown}");
}

/// A new text that names no tags keeps those the item has; one that names some has those.
#[test]
fn a_revised_item_keeps_its_tags() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    fs::write(&path, "- [O] tabs #editor #style ^k7m2q9xa\n- Fridays #release ^aaaaaaaa\n").unwrap();
    user.run(["item", "revise", "k7m2q9xa", "tabs, width 4"]).ok();
    user.run(["item", "supersede", "aaaaaaaa", "Mondays #ops"]).ok();
    work(&user);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("- [O] tabs, width 4 #editor #style <!--"), "{text}");
    assert!(text.contains("- Mondays #ops <!--"), "{text}");
}

#[test]
fn what_is_no_task_is_not_checked() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    fs::write(&path, "- tea ^k7m2q9xa\n- [ ] call ^aaaaaaaa\n").unwrap();
    user.run(["item", "check", "k7m2q9xa"]).fails(3, "is no task, nothing was enqueued: tea");
    assert_eq!(user.counts(), [0; 6]);
    user.run(["item", "check", "aaaaaaaa"]).ok();
}

/// A copy of a document: its line ends are those of the document it is put into, front matter stays where it is, a new section
/// goes beside it, and that its original is gone is told.
#[test]
fn a_copy_fits_into_its_document() {
    let user = User::new();
    user.configure(
        "version: 1\nknowledge_bases:\n  copy: { path: ~/CLAUDE.md, copy_of: ~/AGENTS.md }\nsession_bootstrap: []\n",
    );
    let (original, copy) = (user.root().join("AGENTS.md"), user.root().join("CLAUDE.md"));
    fs::write(&original, "---\na: 1\n---\n# P\n\n- x\n").unwrap();
    fs::write(&copy, "# c\r\n\r\nmine\r\n").unwrap();
    user.run(["work"]).ok();
    let text = fs::read_to_string(&copy).unwrap();
    assert!(text.contains("MACHINE_BLOCK_START") && text.contains("# P\r\n"), "{text:?}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    assert!(!text.contains("a: 1"), "{text:?}");
    user.run(["enqueue", "--to", "copy", "--heading", "Mine", "--op", "append", "--content", "- m"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3], 0, "{:?}", user.json(["list"]));
    let text = fs::read_to_string(&copy).unwrap();
    assert!(text.find("## Mine").unwrap() < text.find("MACHINE_BLOCK_START").unwrap(), "{text:?}");
    assert!(!user.run(["work"]).stderr.contains("copy"));
    fs::remove_file(&original).unwrap();
    let told = user.run(["work"]).stderr;
    assert!(
        told.contains("CLAUDE.md has no current copy: ") && told.contains("AGENTS.md is not there"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(&copy).unwrap(), text);
}

/// An author who says the same words and how sure they are changes that alone.
#[test]
fn the_same_words_said_more_surely() {
    let user = User::new();
    let path = with_facts(&user, "auto");
    let said = |surely: &str| {
        let entry = format!(
            "  - {{ key: {{ item: k7m2q9xa }}, operation: revise, content: tabs, meta: {{ confidence: {surely} }} }}\n"
        );
        declared(&user, &entry);
        work(&user);
        fs::read_to_string(&path).unwrap()
    };
    let with = |field: &str| {
        format!("# F\n\n## N\n\n- tabs <!-- lw 14:30{field} by=web s=x/1 --> ^k7m2q9xa\n- other\n")
    };
    fs::write(&path, with(" c=0.3")).unwrap();
    assert_eq!(said("0.3"), with(" c=0.3"));
    assert_eq!(said("1"), with(""));
    assert_eq!(said("1.0"), with(""));
    fs::write(&path, "# F\n\n## N\n\n- tabs ^k7m2q9xa\n").unwrap();
    assert_eq!(said("0.7"), "# F\n\n## N\n\n- tabs <!-- lw c=0.7 --> ^k7m2q9xa\n");
    assert_eq!(said("1"), "# F\n\n## N\n\n- tabs ^k7m2q9xa\n");
}

/// The id of an item is its own: what brings it along a second time would make it one that nobody can name.
#[test]
fn an_id_that_is_there_is_not_written_again() {
    let user = User::new();
    let notes = user.with_notes();
    let start = "# N\n\n## P\n\n- mine ^aaaaaaa1\n- derived\n\n## Q\n\n- q\n";
    fs::write(&notes, start).unwrap();
    // By which an item goes that has none written behind it.
    let derived = "gbfzgiae";
    for content in ["- Evil ^aaaaaaa1".to_owned(), format!("- Evil ^{derived}")] {
        for op in ["append", "prepend", "update"] {
            user.note("Q", op, &content);
        }
    }
    work(&user);
    assert_eq!(fs::read_to_string(&notes).unwrap(), start);
    let failed = user.json(["list", "failed"]).to_string();
    assert!(user.counts()[3] == 6 && failed.contains("item_ambiguous"), "{failed}");
    // Its own section says it anew, and one job may bring it elsewhere.
    user.note("P", "update", &format!("- mine, mended ^aaaaaaa1\n- derived ^{derived}"));
    work(&user);
    let text = fs::read_to_string(&notes).unwrap();
    assert!(text.contains("- mine, mended ^aaaaaaa1"), "{text}");
    let entry = |heading: &str, op: &str, content: &str| {
        format!("  - {{ key: {{ kb: notes, heading: {heading} }}, operation: {op}, content: '{content}' }}\n")
    };
    declared(&user, &(entry("Q", "append", "- mine ^aaaaaaa1") + &entry("P", "update", "- gone")));
    work(&user);
    let text = fs::read_to_string(&notes).unwrap();
    assert!(text.contains("- q\n- mine ^aaaaaaa1") && text.contains("- gone"), "{text}");
}

/// Of lines that came with their section, or were edited since, `item show` says what `blame` does.
#[test]
fn item_show_says_who_wrote_the_section() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# N\n\n## P\n\n- by hand ^aaaaaaa2\n\n## Q\n\n- q\n").unwrap();
    let show = |id: &str| user.run(["item", "show", id]).ok();
    assert!(show("aaaaaaa2").contains("written by hand, or before"), "{}", show("aaaaaaa2"));
    let said =
        ["enqueue", "--to", "notes", "--heading", "Q", "--op", "append", "--content", "- said ^aaaaaaa3"];
    user.run(said.into_iter().chain(["--agent", "codex"])).ok();
    work(&user);
    let told = show("aaaaaaa3");
    assert!(told.contains("its section: by codex (version 1)") && !told.contains("by hand"), "{told}");
    let text = fs::read_to_string(&notes).unwrap();
    fs::write(&notes, text.replace("- said", "- said otherwise")).unwrap();
    let told = show("aaaaaaa3");
    assert!(told.contains("its section: by codex (version 1), then by hand"), "{told}");
}
