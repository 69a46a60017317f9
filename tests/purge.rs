//! A purge: afterwards a search of every byte of the home, the documents and the cache finds nothing of a text but its tombstone.

use crate::support::User;
use crate::support::terminal::Terminal;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// What the item says at the end, and what it said before.
pub const SECRET: &str = "The spare key lies under the blue pot";
const EARLIER: &str = "The spare key is with the neighbour";

/// The files below a user's home directory that hold one of the texts, also where JSON or YAML write it in another way.
pub fn who_says_it(user: &User) -> Vec<String> {
    let mut found = Vec::new();
    search(user.root(), &mut found);
    let root = format!("{}/", user.root().display());
    found.iter().map(|path| path.replace(&root, "")).collect()
}

fn search(dir: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(&path, found);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ");
        // Written by the test itself.
        let own = path.ends_with("trace");
        if !own && [SECRET, EARLIER, "blue pot", "neighbour"].iter().any(|said| text.contains(said)) {
            found.push(path.display().to_string());
        }
    }
}

/// An item `k7m2q9xa` in `notes.md` whose text stands wherever a home keeps texts: earlier versions, log, receipts, a bundle, a
/// key, a job that failed, a session's context, an editor's draft, a journal, a hold, the index of recall.
pub fn with_a_secret_everywhere(user: &User) {
    let notes = user.root().join("notes.md");
    let text = fs::read_to_string(&notes).unwrap_or_default();
    fs::write(&notes, format!("{text}\n## Keys\n\n- {EARLIER} #home ^k7m2q9xa\n- other\n")).unwrap();
    let config = user.home().join("config.yaml");
    let settings = fs::read_to_string(&config).unwrap();
    fs::write(&config, settings.replace("session_bootstrap: []", "session_bootstrap: [notes]")).unwrap();
    user.run(["context", "--agent", "codex", "--session", "s1"]).ok();
    let revise = ["enqueue", "--item", "k7m2q9xa", "--op", "revise", "--content", SECRET, "--key", "once"];
    user.run(revise).ok();
    user.run(["work"]).ok();
    // Two in one file, and one whose words say it in the middle of others.
    let line = |content: &str| {
        format!(
            "{{\"version\":\"1.0.0\",\"entries\":[{{\"key\":{{\"kb\":\"notes\",\"heading\":\"Log\"}},\"operation\":\"append\",\"content\":\"{content}\"}}]}}\n"
        )
    };
    let lines = [
        line("- one"),
        line("- she said: \\u0054he spare key lies under the blue pot, I think"),
        line("- two"),
    ];
    fs::write(user.root().join("many.jsonl"), lines.concat()).unwrap();
    user.run(["enqueue", "many.jsonl"]).ok();
    fs::remove_file(user.root().join("many.jsonl")).unwrap();
    user.run(["work"]).ok();
    // The document says it in other words' midst: a person takes that line out.
    let text = fs::read_to_string(&notes).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("she said")).collect();
    fs::write(&notes, kept.join("\n") + "\n").unwrap();
    user.run([
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "Missing",
        "--op",
        "replace",
        "--old-text",
        SECRET,
        "--content",
        "x",
    ])
    .ok();
    user.run(["work"]).ok();
    let failed = user.json(["list", "failed"])[0]["id"].as_str().unwrap().to_owned();
    fs::write(user.home().join(format!("tmp/{failed}.edit.yaml")), format!("old_text: {SECRET}\n")).unwrap();
    user.run(["hold", &failed, "--reason", SECRET]).ok();
    user.run(["release", &failed]).ok();
    let session = user.home().join("sessions/codex-s1");
    fs::create_dir_all(&session).unwrap();
    fs::write(session.join("context.md"), format!("# Notes\n\n- {SECRET} ^k7m2q9xa\n")).unwrap();
    // What the document says before a command of an agent is kept until it ended.
    let command = "{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s2\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"make\"}}";
    user.run_with(["hook", "--agent", "claude_code"], command.as_bytes()).ok();
    user.run(["recall", "spare key"]).ok();
}

fn with_notes(user: &User) -> std::path::PathBuf {
    let notes = user.with_notes();
    user.lets_tests_decide();
    fs::write(&notes, "# Notes\n\n## Log\n\n- old\n").unwrap();
    with_a_secret_everywhere(user);
    notes
}

#[test]
fn a_text_that_is_purged_is_nowhere() {
    let user = User::new();
    let notes = with_notes(&user);
    // So long that recall makes an index of it.
    let text = fs::read_to_string(&notes).unwrap();
    let long: String = (0..4000).map(|n| format!("Line {n} of a long text.\n")).collect();
    fs::write(&notes, format!("{text}\n## Long\n\n{long}")).unwrap();
    user.run(["recall", "spare key"]).ok();
    let before = who_says_it(&user).join(" ");
    for place in
        ["history/", "/before-", "log.jsonl", "done/", "keys/", "staging/", "tmp/", "journal/", "sessions/"]
    {
        assert!(before.contains(place), "{place} never said it, the test proves nothing: {before}");
    }
    let would = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    assert!(
        would.contains(SECRET) && would.contains("in history/") && would.contains("is discarded"),
        "{would}"
    );
    assert_eq!(who_says_it(&user).join(" "), before, "a dry run changes nothing");
    let indexes = || fs::read_dir(user.root().join(".cache/last-word")).unwrap().count();
    assert!(indexes() > 0, "recall made no index, the test proves nothing");

    let said =
        user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes", "--reason", "moved out"]).ok();
    assert!(said.contains("is forgotten"), "{said}");
    assert_eq!(indexes(), 0);
    assert_eq!(who_says_it(&user), Vec::<String>::new());
    let text = fs::read_to_string(&notes).unwrap();
    let line = text.lines().find(|line| line.ends_with("^k7m2q9xa")).unwrap();
    assert!(line.starts_with("- ~~(purged)~~ <!-- lw del=20") && line.contains(" by=user --> "), "{line}");
    assert!(text.contains("- one\n- two\n") && text.contains("- other\n"), "{text}");

    // What is left is a home as it was: its jobs are read, its versions go together, nobody is told of an editor's save.
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3..5], [0, 0], "{:?}", user.json(["list"]));
    let shown = user.run(["item", "show", "k7m2q9xa"]).ok();
    assert!(shown.contains("purged by") && shown.contains("moved out"), "{shown}");
    for job in user.json(["list", "done"]).as_array().unwrap() {
        user.run(["show", job["id"].as_str().unwrap()]).ok();
    }
    let diff = user.run(["diff", "notes", "1"]).ok();
    assert!(diff.contains("(purged)"), "{diff}");
    user.run(["--as", "tests", "rollback", "notes", "--to", "1"]).ok();
    user.run(["work"]).ok();
    assert_eq!(who_says_it(&user), Vec::<String>::new(), "an earlier version brought it back");
    user.run(["item", "restore", "k7m2q9xa"]);
    user.run(["work"]).ok();
    assert!(!fs::read_to_string(&notes).unwrap().contains("spare"));
    // The hook that said it fires again: with its key it is the same job, and done.
    let again = ["enqueue", "--item", "k7m2q9xa", "--op", "revise", "--content", SECRET, "--key", "once"];
    user.run(again).ok();
    user.run(["work"]).ok();
    assert_eq!(who_says_it(&user), Vec::<String>::new());
    assert!(user.run(["doctor"]).code.is_some_and(|code| code <= 1));
}

/// Hand-written, in Chinese, short, retired, gone from its document by hand.
#[test]
fn whatever_it_is_it_goes() {
    let user = User::new();
    let notes = user.with_notes();
    user.lets_tests_decide();
    fs::write(&notes, "# N\n\n- water the old fig tree\n- 喝茶从来不加糖 ^aaaaaaaa\n- rum ^bbbbbbbb\n  - with lime\n- gone by hand ^cccccccc\n").unwrap();
    user.run(["enqueue", "--item", "aaaaaaaa", "--op", "retire"]).ok();
    user.run(["enqueue", "--item", "cccccccc", "--op", "revise", "--content", "gone by an editor"]).ok();
    user.run(["work"]).ok();
    let text = fs::read_to_string(&notes).unwrap();
    fs::write(
        &notes,
        text.lines()
            .filter(|line| !line.contains("cccccccc"))
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    )
    .unwrap();
    let fig = user.json(["item", "list"])[0]["id"].as_str().unwrap().to_owned();
    for id in [&fig, "aaaaaaaa", "bbbbbbbb", "cccccccc"] {
        user.run(["--as", "tests", "item", "purge", id, "--yes"]).ok();
    }
    let text = fs::read_to_string(&notes).unwrap();
    assert_eq!(text.matches("~~(purged)~~").count(), 3, "{text}");
    let mut left = Vec::new();
    for (path, bytes) in user.tree() {
        let said = String::from_utf8_lossy(&bytes).into_owned();
        let says = ["fig tree", "不加糖", "- rum", "with lime", "gone by"]
            .into_iter()
            .filter(|word| said.contains(word));
        left.extend(says.map(|word| format!("{}: {word}", path.display())));
    }
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn only_a_person_purges() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "- tea at five o'clock ^k7m2q9xa\n").unwrap();
    user.lets_tests_decide();
    let agent = user.command(["item", "purge", "k7m2q9xa", "--yes"]).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(agent.status.code(), Some(1), "{}", String::from_utf8_lossy(&agent.stderr));
    user.run(["item", "purge", "k7m2q9xa", "--yes"]).fails(1, "only a person can purge");
    user.run(["--as", "tests", "item", "purge", "k7m2q9xa"]).fails(2, "--yes");
    let other = ["--as", "tests", "item", "purge", "k7m2q9xa", "--yes", "--says", "something else"];
    user.run(other).fails(1, "says something else since it was shown");
    user.run([&other[..], &["p4n8w2ve"]].concat()).fails(2, "--says is for one item");
    user.run(["--as", "tests", "item", "purge", "zzzzzzzz", "--yes"])
        .fails(1, "nothing here knows an item zzzzzzzz");
    let twice = user.root().join("notes.md");
    let before = fs::read_to_string(&twice).unwrap();
    fs::write(&twice, format!("{before}- one ^dupdup02\n- two ^dupdup02\n")).unwrap();
    user.run(["--as", "tests", "item", "purge", "dupdup02", "--yes"])
        .fails(1, "2 items have the id dupdup02");
    fs::write(&twice, before).unwrap();
    user.run(["enqueue", "--item", "k7m2q9xa", "--op", "purge"]).fails(3, "person_only");
    let declared = "version: \"1.0.0\"\nentries:\n  - { key: { item: k7m2q9xa }, operation: purge }\n";
    user.run_with(["enqueue", "-"], declared.as_bytes()).fails(3, "person_only");
    fs::write(user.root().join("d.yaml"), declared).unwrap();
    fs::rename(user.root().join("d.yaml"), user.home().join("pending/d.yaml")).unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), "- tea at five o'clock ^k7m2q9xa\n");
    assert_eq!(user.counts()[3], 1, "what was dropped waits for a person");
}

/// What has not ended is not taken apart: the purge says so, and a worker ends it when that has.
#[test]
fn what_still_waits_is_told_and_forgotten_later() {
    let user = User::new();
    with_notes(&user);
    fs::write(user.root().join("other.md"), format!("# Other\n\nShe knows: {SECRET}.\n")).unwrap();
    let config = user.home().join("config.yaml");
    let text = fs::read_to_string(&config).unwrap();
    let other =
        format!("knowledge_bases:\n  other: {{ path: {} }}\n", user.root().join("other.md").display());
    fs::write(&config, text.replacen("knowledge_bases:\n", &other, 1)).unwrap();
    user.run(["hold", "--document", "other"]).ok();
    user.run(["enqueue", "--to", "other", "--heading", "A", "--content", &format!("It is said: {SECRET}.")])
        .ok();
    let shown = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    assert!(shown.contains("is merged first, and its document says it then: "), "{shown}");
    let said = user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stdout.contains("still to come") && said.stdout.contains("pending/"), "{}", said.stdout);
    assert!(
        said.stdout.contains("other.md"),
        "a document that says it in a sentence of its own: {}",
        said.stdout
    );
    let mut left = who_says_it(&user);
    left.retain(|path| path != "other.md");
    assert!(left.len() == 1 && left[0].contains("/pending/"), "{left:?}");
    assert!(user.run(["doctor"]).stdout.contains("k7m2q9xa"), "it has not ended");
    user.run(["release", "--document", "other"]).ok();
    user.run(["work"]).ok();
    // Its own document says it now, and that is another person's sentence; the home no longer does.
    assert_eq!(who_says_it(&user), ["other.md"]);
    assert!(user.run(["log"]).ok().contains("still said by "), "nobody named it");
    assert!(!user.home().join("purges/k7m2q9xa.json").exists());
}

/// What a session planned goes as what waits for a decision does, and is named before the yes; what a job that waits will say in
/// its document is named before the yes, and when a worker ended the purge.
#[test]
fn what_a_session_planned_is_dropped() {
    let user = User::new();
    with_notes(&user);
    let said = format!("- It is said: {SECRET}.");
    let planned = ["plan", "--agent", "claude_code", "--session", "s9", "--to", "notes", "--heading", "Log"];
    let id = user.run(planned.into_iter().chain(["--op", "append", "--content", &said])).ok();
    let id = id.split_whitespace().nth(1).unwrap().to_owned();
    user.run(planned.into_iter().chain(["--op", "append", "--content", "- harmless"])).ok();
    let shown = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    assert!(shown.contains(&format!("job {id} says it, and is discarded\n    {said}\n")), "{shown}");
    assert!(!shown.contains("is merged first"), "{shown}");
    let purged = user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]).ok();
    assert!(purged.contains("is forgotten ("), "{purged}");
    user.run(["flush", "--agent", "claude_code", "--session", "s9"]).ok();
    user.run(["work"]).ok();
    assert_eq!(who_says_it(&user), Vec::<String>::new());
    let notes = fs::read_to_string(user.root().join("notes.md")).unwrap();
    assert!(notes.contains("- harmless"), "{notes}");
    let log = user.run(["log"]).ok();
    assert!(log.contains("item k7m2q9xa was purged"), "{log}");
}

/// What is cut is shown before the yes, and what comes back of it with an earlier version is no fact.
#[test]
fn lines_that_say_more_are_shown_before_they_are_cut() {
    let user = User::new();
    let notes = user.with_notes();
    user.lets_tests_decide();
    let other = user.root().join("other.md");
    let config = user.home().join("config.yaml");
    let text = fs::read_to_string(&config).unwrap();
    let kb = format!("knowledge_bases:\n  other: {{ path: {} }}\n", other.display());
    fs::write(&config, text.replacen("knowledge_bases:\n", &kb, 1)).unwrap();
    fs::write(&notes, "# N\n\n## Log\n\n- Prefers tabs ^k7m2q9xa\n").unwrap();
    fs::write(&other, "# O\n\n## Log\n\n- Prefers tabs for Go, as I wrote\n").unwrap();
    for to in ["notes", "other"] {
        user.run(["enqueue", "--to", to, "--heading", "Log", "--op", "append", "--content", "- x"]).ok();
    }
    user.run(["work"]).ok();
    let shown = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    let cut =
        "cut out of these lines of earlier versions of ~/other.md:\n    - Prefers tabs for Go, as I wrote\n";
    assert!(shown.contains(cut), "{shown}");
    user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]).ok();
    user.run(["--as", "tests", "rollback", "notes", "--to", "0"]).ok();
    user.run(["work"]).ok();
    let back = fs::read_to_string(&notes).unwrap();
    assert!(back.contains("(purged)") && !back.contains("tabs"), "{back}");
    assert!(!user.run(["item", "list"]).stdout.contains("(purged)"), "it is no fact");
    assert_eq!(user.run(["recall", "purged"]).code, Some(1));
}

/// What an editor wrote past a commit waits for its person, who is told nowhere else: the words are cut out of it, and it goes on waiting.
#[test]
fn a_text_of_a_person_that_waits_keeps_the_rest() {
    let user = User::new();
    let notes = user.with_notes();
    user.lets_tests_decide();
    fs::write(&notes, "# N\n\n## Log\n\n- Prefers tabs ^k7m2q9xa\n").unwrap();
    let editor = fs::File::options().append(true).open(&notes).unwrap();
    user.run(["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "- x"]).ok();
    user.run(["work"]).ok();
    (&editor).write_all(b"\nA paragraph of today.\n").unwrap();
    drop(editor);
    user.run(["work"]).ok();
    let waiting = user.json(["list", "failed"]);
    assert_eq!(waiting[0]["error"], "late_write", "{waiting}");
    let shown = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    assert!(!shown.contains("is discarded") && shown.contains("1 in staging/"), "{shown}");
    user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.json(["list", "failed"]), waiting);
    let text = user.run(["show", waiting[0]["id"].as_str().unwrap()]).ok();
    assert!(text.contains("A paragraph of today.") && !text.contains("tabs"), "{text}");
}

/// What stands in another project's document is named, wherever the person is.
#[test]
fn another_projects_document_that_says_it_is_named() {
    let user = User::new();
    with_notes(&user);
    let config = user.home().join("config.yaml");
    let text = fs::read_to_string(&config).unwrap();
    let project = "knowledge_bases:\n  project: { path: AGENTS.md, root: project }\n";
    fs::write(&config, text.replacen("knowledge_bases:\n", project, 1)).unwrap();
    let root = user.root().join("app");
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join("AGENTS.md"), "# App\n\n## Notes\n\n- one\n").unwrap();
    let said = format!("- It is said: {SECRET}.");
    let to = ["enqueue", "--to", "project", "--heading", "Notes", "--op", "append", "--content", &said];
    let declared = user.command(to).current_dir(&root).output().unwrap();
    assert!(declared.status.success(), "{}", String::from_utf8_lossy(&declared.stderr));
    user.run(["work"]).ok();
    assert!(fs::read_to_string(root.join("AGENTS.md")).unwrap().contains(SECRET));
    let shown = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    assert!(shown.contains("take it out there by hand: ~/app/AGENTS.md"), "{shown}");
    let purged = user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]);
    assert!(
        purged.stdout.contains("still says it: take it out there by hand: ~/app/AGENTS.md"),
        "{}",
        purged.stdout
    );
}

/// A day that went to `archive/` is no job's any more: it is named.
#[test]
fn an_archived_day_that_says_it_is_named() {
    let user = User::new();
    with_notes(&user);
    let config = user.home().join("config.yaml");
    let text = fs::read_to_string(&config).unwrap();
    let log = "knowledge_bases:\n  log: { path: '~/logs/{date}.md', keep_days: 2 }\n";
    fs::write(&config, text.replacen("knowledge_bases:\n", log, 1)).unwrap();
    fs::create_dir_all(user.root().join("logs")).unwrap();
    fs::write(user.root().join("logs/2001-02-03.md"), format!("- {SECRET}\n")).unwrap();
    user.run(["work"]).ok();
    let shown = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    assert!(shown.contains("take it out there by hand: ~/logs/archive/2001-02-03.md"), "{shown}");
    let purged = user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]);
    assert!(purged.stdout.contains("~/logs/archive/2001-02-03.md"), "{}", purged.stdout);
    assert_eq!(who_says_it(&user), ["logs/archive/2001-02-03.md"]);
}

/// The reason says as much as the text. Another's that is the same goes with it, and no job that waits is discarded for it.
#[test]
fn why_it_was_said_goes_with_it() {
    const WHY: &str = "heard from Bob, who put it there";
    let user = User::new();
    let notes = user.with_notes();
    user.lets_tests_decide();
    fs::write(&notes, "# N\n\n- drinks green tea ^k7m2q9xa\n").unwrap();
    let revise = |content: &str| {
        let said = ["enqueue", "--item", "k7m2q9xa", "--op", "revise", "--reason", WHY, "--content"];
        user.run(said.into_iter().chain([content])).ok();
    };
    revise("drinks black tea");
    user.run(["work"]).ok();
    let missing = ["enqueue", "--to", "notes", "--heading", "Missing", "--op", "replace", "--old-text", "x"];
    user.run(missing.into_iter().chain(["--content", "y", "--reason", WHY])).ok();
    user.run(["work"]).ok();
    assert_eq!(user.json(["list", "failed"]).as_array().unwrap().len(), 1);
    let says = |what: &str| {
        let tree = user.tree();
        let found = tree.iter().filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(what));
        found.map(|(path, _)| path.display().to_string()).collect::<Vec<_>>()
    };
    let before = says(WHY).join(" ");
    assert!(before.contains("done/") && before.contains("log.jsonl"), "it was never kept: {before}");
    user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes", "--reason", "moved out"]).ok();
    let left = says(WHY);
    assert!(left.iter().all(|path| path.contains("/staging/")), "{left:?}");
    assert_eq!(user.json(["list", "failed"]).as_array().unwrap().len(), 1, "it says something else");
    let shown = user.run(["item", "show", "k7m2q9xa"]).ok();
    assert!(!shown.contains("Bob") && shown.contains("moved out"), "{shown}");
}

/// A yes is for the text that was shown: the id may stand behind another line by the time it is given.
#[test]
fn a_yes_forgets_nothing_but_what_was_shown() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "- nonsense about geese ^k7m2q9xa\n").unwrap();
    let Some(mut terminal) = Terminal::open(&user, (80, 24), "item purge k7m2q9xa") else { return };
    terminal.until("[n]o: ");
    let precious = "- the only copy of these words ^k7m2q9xa\n";
    fs::write(&notes, precious).unwrap();
    terminal.types("y\n");
    let screen = terminal.end().text();
    assert!(screen.contains("says something else since it was shown"), "{screen}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), precious);
}

/// An `AGENTS.md` with an item that says the text, and a copy of it that was made.
fn with_a_copy(user: &User) -> (std::path::PathBuf, std::path::PathBuf) {
    let (path, copy) = (user.root().join("AGENTS.md"), user.root().join("CLAUDE.md"));
    user.configure(
        "version: 1\nknowledge_bases:\n  memory: { path: ~/AGENTS.md }\n  copy: { path: ~/CLAUDE.md, copy_of: ~/AGENTS.md }\nsession_bootstrap: []\n",
    );
    user.lets_tests_decide();
    fs::write(&path, format!("# A\n\n- {SECRET} ^k7m2q9xa\n- stays\n")).unwrap();
    fs::write(&copy, "# Claude\n\nMine.\n").unwrap();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&copy).unwrap().contains(SECRET));
    (path, copy)
}

/// A copy is ours: it is made anew before the purge ends, and what that displaces does not stay in its history.
#[test]
fn a_copy_of_its_document_is_made_anew() {
    let user = User::new();
    let (_, copy) = with_a_copy(&user);
    let shown = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    assert!(!shown.contains("CLAUDE.md"), "nobody has to take it out there by hand: {shown}");
    let purged = user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]).ok();
    assert!(purged.contains("is forgotten (") && !purged.contains("CLAUDE.md"), "{purged}");
    assert_eq!(who_says_it(&user), Vec::<String>::new());
    let text = fs::read_to_string(&copy).unwrap();
    assert!(text.starts_with("# Claude\n\nMine.\n") && text.contains("- stays\n"), "{text}");
    user.run(["work"]).ok();
    assert_eq!(who_says_it(&user), Vec::<String>::new());
}

/// A copy that cannot be made anew yet is told, and the purge ends when it was.
#[test]
fn a_copy_that_is_held_is_made_anew_later() {
    let user = User::new();
    let (_, copy) = with_a_copy(&user);
    user.run(["hold", "--document", "copy"]).ok();
    let purged = user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]);
    assert_eq!(purged.code, Some(1), "{}", purged.stderr);
    assert!(purged.stdout.contains("still to come: ~/CLAUDE.md"), "{}", purged.stdout);
    user.run(["work"]).ok();
    assert_eq!(who_says_it(&user), ["CLAUDE.md"]);
    user.run(["release", "--document", "copy"]).ok();
    user.run(["work"]).ok();
    assert_eq!(who_says_it(&user), Vec::<String>::new());
    assert!(!user.home().join("purges/k7m2q9xa.json").exists());
    // What a person wrote into a copy is theirs: it is named, and holds no purge up.
    let text = fs::read_to_string(&copy).unwrap();
    fs::write(&copy, text.replace("- stays", &format!("- stays ^p4n8w2ve, and {SECRET}"))).unwrap();
    let agents = user.root().join("AGENTS.md");
    fs::write(&agents, format!("# A\n\n- {SECRET} ^p4n8w2ve\n")).unwrap();
    let shown = user.run(["item", "purge", "p4n8w2ve", "--dry-run"]).ok();
    assert!(shown.contains("take it out there by hand: ~/CLAUDE.md"), "{shown}");
    let purged = user.run(["--as", "tests", "item", "purge", "p4n8w2ve", "--yes"]).ok();
    assert!(purged.contains("take it out there by hand: ~/CLAUDE.md"), "{purged}");
    assert_eq!(who_says_it(&user), ["CLAUDE.md"]);
}

/// What a script says that it saw: the line, or what it says; and a reason is kept, so it must not say it again.
#[test]
fn a_script_says_what_it_saw_and_no_reason_says_it_again() {
    let user = User::new();
    let notes = user.with_notes();
    user.lets_tests_decide();
    let line = "- plain okapi in the yard";
    fs::write(&notes, format!("# N\n\n{line} ^k7m2q9xa\n- a zebra\n  - with stripes ^p4n8w2ve\n")).unwrap();
    let purge = ["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"];
    let because = [&purge[..], &["--reason", "plain okapi in the yard is wrong"]].concat();
    user.run(because).fails(2, "the reason says what is to be forgotten of k7m2q9xa");
    assert!(!user.home().join("purges/k7m2q9xa.json").exists());
    user.run([&purge[..], &["--says", line]].concat()).fails(1, "says something else");
    user.run([&purge[..], &["--says", &format!("{line} ^k7m2q9xa")]].concat()).ok();
    fs::write(&notes, format!("# N\n\n{line} ^k7m2q9xb\n- a zebra ^p4n8w2ve\n  - with stripes\n")).unwrap();
    let of = |id: &'static str, says: &'static str| {
        ["--as", "tests", "item", "purge", id, "--yes", "--says", says]
    };
    user.run(of("p4n8w2ve", "a zebra")).fails(1, "says something else");
    user.run(of("k7m2q9xb", "plain okapi in the yard")).ok();
    assert!(!fs::read_to_string(&notes).unwrap().contains("okapi"));
}

/// A purge cuts a text out of earlier versions of other documents, too. Undoing a merge there leaves what stands there now.
#[test]
fn an_undo_elsewhere_does_not_take_what_a_person_wrote_for_what_was_cut() {
    let user = User::new();
    let other = user.root().join("other.md");
    user.configure(
        "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md }\n  other: { path: ~/other.md }\nsession_bootstrap: []\n",
    );
    user.lets_tests_decide();
    fs::write(user.root().join("notes.md"), "# A\n\n## Facts\n\n- Okapi lives in Bolsover zoo ^okapi001\n")
        .unwrap();
    let written = "# B\n\n## Facts\n\n- the badger of b\n- Okapi lives in Bolsover zoo\n";
    fs::write(&other, written).unwrap();
    let append = |content: &str| {
        user.run(["enqueue", "--to", "other", "--heading", "Facts", "--op", "append", "--content", content])
            .ok();
        user.run(["work"]).ok();
    };
    append("- from b");
    let shown = user.run(["item", "purge", "okapi001", "--dry-run"]).ok();
    let cut =
        "cut out of these lines of earlier versions of ~/other.md:\n    - Okapi lives in Bolsover zoo\n";
    assert!(shown.contains(cut), "{shown}");
    user.run(["--as", "tests", "item", "purge", "okapi001", "--yes"]);
    let diff = user.run(["diff", "other", "0"]).ok();
    assert!(diff.contains("+- from b") && !diff.contains("purged"), "it never said that: {diff}");
    let undo = ["--as", "tests", "rollback", "other"];
    user.run(undo).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&other).unwrap(), written);
    // Two versions back, after a person wrote beside it; and where what stands there may be it or not, nothing is done.
    append("- from c");
    fs::write(&other, fs::read_to_string(&other).unwrap() + "\nMine.\n").unwrap();
    user.run([&undo[..], &["--to", "0"]].concat()).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&other).unwrap(), written);
    append("- from d");
    fs::write(&other, "# B\n\n## Facts\n\n- the badger of b\n- Okapis live in zoos\n- and elsewhere\n")
        .unwrap();
    user.run([&undo[..], &["--to", "0"]].concat()).fails(1, "said what was purged since");
    user.run(undo).fails(1, "since");
}

/// A person's sentence in a document with a copy stays as well, and the copy goes on being made.
#[test]
fn an_undo_of_a_copy_that_was_made_anew_leaves_the_rest() {
    let user = User::new();
    let (_, copy) = with_a_copy(&user);
    let mine = format!("# Claude\n\nI say: {SECRET}.\n");
    let text = fs::read_to_string(&copy).unwrap();
    fs::write(&copy, text.replace("# Claude\n\nMine.\n", &mine)).unwrap();
    user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]);
    for to in [&["rollback", "copy"][..], &["rollback", "copy", "--to", "1"]] {
        user.run([&["--as", "tests"], to].concat()).ok();
        user.run(["work"]).ok();
        assert!(
            fs::read_to_string(&copy).unwrap().starts_with(&mine),
            "{}",
            fs::read_to_string(&copy).unwrap()
        );
    }
    fs::write(user.root().join("AGENTS.md"), "# A\n\n- new\n").unwrap();
    let said = user.run(["work"]);
    assert!(!said.stderr.contains("edited by hand"), "{}", said.stderr);
    assert!(fs::read_to_string(&copy).unwrap().contains("- new\n"));
}

/// What is merged before a purge that waits may take the line out: the purge forgets everything else all the same.
#[test]
fn a_purge_that_waited_forgets_what_was_taken_out_meanwhile() {
    let user = User::new();
    let notes = user.with_notes();
    user.lets_tests_decide();
    fs::write(&notes, "# N\n\n## Facts\n\n- Okapi lives in Bolsover zoo ^okapi001\n").unwrap();
    let update = ["enqueue", "--to", "notes", "--heading", "Facts", "--op", "update", "--content", "- other"];
    user.run(update).ok();
    user.run(["--as", "tests", "hold", "--document", "notes"]).ok();
    let said = user.run(["--as", "tests", "item", "purge", "okapi001", "--yes"]);
    assert!(said.code == Some(1) && said.stdout.contains("still to come"), "{}", said.stdout);
    user.run(["--as", "tests", "release", "--document", "notes"]).ok();
    user.run(["work"]).ok();
    user.run(["work"]).ok();
    let tree = user.tree();
    let says = tree.iter().filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("Okapi"));
    assert_eq!(says.map(|(path, _)| path.display().to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!(user.counts()[3..5], [0, 0], "{:?}", user.json(["list"]));
    assert!(user.run(["log"]).ok().contains("item okapi001 ("), "it has not ended");
    user.run(["--as", "tests", "item", "purge", "okapi001", "--yes"]);
}

/// The same words in another form are not cut, but named.
#[test]
fn who_says_it_in_another_form_is_named() {
    let user = User::new();
    let forms = [
        "caf\u{e9} owner zo\u{eb} pays in tideswell on mondays",
        "Cafe\u{301} owner Zoe\u{308} pays in Tideswell on Mondays",
        "- Caf\u{e9} owner Zo\u{eb} pays\n  in Tideswell on Mondays",
        "She says: Caf\u{e9} **owner** Zo\u{eb} pays in *Tideswell* on Mondays.",
    ];
    let mut config = "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md }\n".to_owned();
    for (n, text) in forms.iter().chain(&["Cafe owner Zoe pays in Tideswell on Fridays"]).enumerate() {
        config += &format!("  n{n}: {{ path: ~/n{n}.md }}\n");
        fs::write(user.root().join(format!("n{n}.md")), format!("# N\n\n{text}\n")).unwrap();
    }
    user.configure(&(config + "session_bootstrap: []\n"));
    user.lets_tests_decide();
    let said = "# N\n\n- Caf\u{e9} owner Zo\u{eb} pays in Tideswell on Mondays ^k7m2q9xa\n";
    fs::write(user.root().join("notes.md"), said).unwrap();
    let shown = user.run(["item", "purge", "k7m2q9xa", "--dry-run"]).ok();
    let purged = user.run(["--as", "tests", "item", "purge", "k7m2q9xa", "--yes"]).ok();
    for told in [shown, purged] {
        for n in 0..forms.len() {
            assert!(told.contains(&format!("take it out there by hand: ~/n{n}.md")), "{n}: {told}");
        }
        assert!(!told.contains("n4.md"), "{told}");
    }
}
