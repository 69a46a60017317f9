//! The commands that a new user types first, and the first mistake: a command that we print to be typed does no harm.

use crate::support::terminal::Terminal;
use crate::support::{Said, User};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Types a line into a shell that finds our program.
fn typed(user: &User, line: &str) -> Said {
    let program = Path::new(crate::support::binary());
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(user.root()).env("HOME", user.root()).env("PATH", path);
    Said::of(command.env_remove("LAST_WORD_HOME").output().unwrap())
}

/// The first printed command with these words in it.
fn printed(said: &str, words: &str) -> String {
    let line = said.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {said}"));
    line[line.find("last-word ").unwrap()..].to_owned()
}

#[test]
fn what_init_says_to_type_adds_and_replaces_nothing() {
    let user = User::bare();
    let said = user.run(["init"]).ok();
    let line = printed(&said, "enqueue");
    typed(&user, &line).ok();
    typed(&user, &line.replace("likes short answers", "likes tea")).ok();
    typed(&user, &printed(&said, "last-word work")).ok();
    let text = fs::read_to_string(user.user_md()).unwrap();
    assert!(text.contains("- likes short answers\n- likes tea"), "{text}");
}

#[test]
fn init_names_the_home_and_a_document_that_are_there() {
    let user = User::bare();
    let said = user.run(["init", "--home", "elsewhere"]).ok();
    let line = printed(&said, "enqueue");
    assert!(line.starts_with("last-word --home elsewhere enqueue --to user "), "{line}");
    typed(&user, &line).ok();
    let user = User::new();
    user.with_notes();
    let said = user.run(["init"]).ok();
    assert!(said.is_empty() || !said.contains("--to user"), "{said}");
}

/// Else who types them asks another home.
#[test]
fn commands_to_type_next_name_the_home_that_was_named() {
    let user = User::new();
    user.with_notes();
    let id = user.note("Log", "append", "- one");
    let here = ["--home", ".config/agents/last-word"];
    let named = "last-word --home ~/.config/agents/last-word";
    let said = |words: &[&str]| user.run(words.iter().chain(&here)).ok();
    assert!(said(&["why", &id]).contains(&format!("{named} work")));
    user.run(["hold", &id]).ok();
    assert!(said(&["release", &id]).contains(&format!("`{named} work` merges what waits")));
    user.run(["work"]).ok();
    let rolled = said(&["rollback", "notes", "--to", "0"]);
    assert!(rolled.contains(&format!("`{named} work` merges it")), "{rolled}");
}

#[test]
fn a_project_s_inbox_is_explained_where_it_is_made() {
    let user = User::new();
    let project = user.root().join("site");
    fs::create_dir_all(project.join(".git")).unwrap();
    let mut command = user.command(["init", "--project"]);
    let said = Said::of(command.current_dir(&project).output().unwrap()).ok();
    assert!(said.contains("listed ~/site in config.yaml: declarations in its .agents/"), "{said}");
}

#[test]
fn an_update_that_nobody_named_replaces_nothing() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "# Notes\n\n## Log\n\n- one\n- two\n").unwrap();
    let words = ["enqueue", "--to", "notes", "--heading", "Log", "--content", "- it's three"];
    let stderr = user.run(words).fails(3, "2 lines of `Log` in notes would be replaced (in the document)");
    assert!(stderr.contains("- one") && stderr.contains("--op update"), "{stderr}");
    assert_eq!(user.counts(), [0; 6]);
    let add = stderr.lines().find(|line| line.contains("to add to it:")).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &add[add.find(':').unwrap() + 1..]]).env("HOME", user.root());
    Said::of(command.env("LAST_WORD_HOME", user.home()).output().unwrap()).ok();
    user.run(["work"]).ok();
    let text = fs::read_to_string(&notes).unwrap();
    assert_eq!(text, "# Notes\n\n## Log\n\n- one\n- two\n- it's three\n");
    // The same text again is no loss; a new section neither; what waits is not lost either.
    user.run(["enqueue", "--to", "notes", "--heading", "New", "--content", "- a"]).ok();
    user.run(["enqueue", "--to", "notes", "--heading", "New", "--content", "- a"]).ok();
    let said = user.run(["enqueue", "--to", "notes", "--heading", "New", "--content", "- b"]);
    said.fails(3, "declared, not merged yet");
}

/// A declaration in a file, on standard input or in an inbox, whose author named no operation.
#[test]
fn a_declaration_without_an_operation_replaces_nothing() {
    let user = User::new();
    let notes = user.with_notes();
    let before = "# Notes\n\n## Log\n\n- one\n- two\n";
    fs::write(&notes, before).unwrap();
    let yaml =
        "version: \"1.0.0\"\nentries:\n  - key: { kb: notes, heading: Log }\n    content: \"- three\"\n";
    fs::write(user.root().join("a.yaml"), yaml).unwrap();
    let says = "2 lines of `Log` in notes would be replaced (in the document)";
    let stderr = user.run(["enqueue", "a.yaml"]).fails(3, says);
    assert!(stderr.contains("a.yaml:3:5: ") && stderr.contains("  - one\n"), "{stderr}");
    assert!(stderr.contains("write `operation: append` to add to it, or `operation: update`"), "{stderr}");
    assert_eq!(user.run(["validate", "a.yaml"]).code, Some(3));
    let line = |heading: &str, text: &str| {
        format!(
            "{{\"version\":\"1\",\"entries\":[{{\"key\":{{\"kb\":\"notes\",\"heading\":\"{heading}\"}},\"content\":\"{text}\"}}]}}\n"
        )
    };
    user.run_with(["enqueue"], line("Log", "- three").as_bytes()).fails(3, says);
    // To empty it is a loss as well, and the second line of an input takes out what the first said.
    user.run_with(["enqueue"], line("Log", "").as_bytes()).fails(3, says);
    let two = line("New", "- a") + &line("New", "- b");
    user.run_with(["enqueue"], two.as_bytes())
        .fails(3, "1 line of `New` in notes would be replaced (declared, not");
    assert_eq!(user.counts(), [0; 6]);
    // What was left as a file waits for somebody, with the reason.
    fs::write(user.home().join("notes.md.yaml"), yaml).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(user.home().join("notes.md.yaml"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), before);
    assert!(user.run(["list", "failed", "--json"]).ok().contains("operation_missing"));
    // Nothing to lose: the same text, a new section, a hook that fires twice with its key.
    user.run_with(["enqueue"], line("Log", "- one\\n- two").as_bytes()).ok();
    let first = user.run_with(["enqueue", "-", "--key", "k"], line("New", "- a").as_bytes()).ok();
    user.run(["work"]).ok();
    fs::write(&notes, format!("{before}\n## New\n\n- a\n- mine\n")).unwrap();
    assert_eq!(user.run_with(["enqueue", "-", "--key", "k"], line("New", "- a").as_bytes()).ok(), first);
    // As a power cut leaves its key that takes back the rename which nobody syncs.
    let mut keys = fs::read_dir(user.home().join("keys")).unwrap();
    let known = keys.next().unwrap().unwrap().path();
    fs::rename(&known, known.with_extension("new")).unwrap();
    assert_eq!(user.run_with(["enqueue", "-", "--key", "k"], line("New", "- a").as_bytes()).ok(), first);
    assert!(known.is_file() && keys.next().is_none());
    user.run_with(["enqueue"], line("New", "- a").as_bytes()).fails(3, "2 lines of `New`");
}

#[test]
fn what_waits_is_counted_beside_what_stands() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "## Log\n\n- one\n- two\n- three\n").unwrap();
    user.note("Log", "append", "- four");
    let words = ["enqueue", "--to", "notes", "--heading", "Log", "--content", "- five"];
    user.run(words)
        .fails(3, "4 lines of `Log` in notes would be replaced (3 in the document, 1 declared and");
}

#[test]
fn a_person_is_asked_what_to_do() {
    for (key, expected) in [("a", "- one\n- two\n"), ("r", "- two\n")] {
        let user = User::new();
        let notes = user.with_notes();
        fs::write(&notes, "## Log\n\n- one\n").unwrap();
        let words = "enqueue --to notes --heading Log --content '- two'";
        let Some(sent) = user.on_terminal(words, &format!("{key}\n"), Path::new("/bin/true")) else { return };
        assert!(sent.contains("1 line of `Log`") && sent.contains("[a]dd"), "{sent}");
        user.run(["work"]).ok();
        assert_eq!(fs::read_to_string(&notes).unwrap(), format!("## Log\n\n{expected}"), "{key}");
        // The same of a file.
        let yaml =
            "version: \"1.0.0\"\nentries:\n  - key: { kb: notes, heading: Log }\n    content: \"- file\"\n";
        fs::write(user.root().join("a.yaml"), yaml).unwrap();
        let sent = user.on_terminal("enqueue a.yaml", &format!("{key}\n"), Path::new("/bin/true")).unwrap();
        assert!(sent.contains("of `Log`") && sent.contains("[a]dd"), "{sent}");
        user.run(["work"]).ok();
        let text = fs::read_to_string(&notes).unwrap();
        assert_eq!(text.contains("- two"), key == "a", "{text}");
        assert!(text.ends_with("- file\n"), "{text}");
    }
}

#[test]
fn a_forgotten_text_is_refused() {
    let user = User::new();
    user.with_notes();
    for command in ["enqueue", "plan"] {
        let words = [command, "--to", "notes", "--heading", "Log", "--session", "s1"];
        user.run(words).fails(3, "there is no --content");
    }
    assert_eq!(user.counts(), [0; 6]);
}

/// With an operation said, the flag that is missing is named.
#[test]
fn a_forgotten_text_is_asked_for_by_its_flag() {
    let user = User::new();
    user.with_notes();
    let said = user.run(["enqueue", "--to", "notes", "--heading", "Log", "--op", "append"]);
    assert!(said.stderr.contains("hint: say the text with --content"), "{}", said.stderr);
    said.fails(3, "--content is missing");
    // Of these an empty one is meant.
    user.run(["enqueue", "--to", "notes", "--heading", "Log", "--op", "clear"]).ok();
}

/// Who types a command alone, or a word that is nearly right, is shown what could be typed.
#[test]
fn a_command_alone_gives_an_example() {
    let user = User::new();
    for (words, example) in [
        (&["recall"][..], "`last-word recall tabs or spaces`"),
        (&["remember"], "`last-word remember 'likes short answers'`"),
        (&["report"], "`last-word report --html report.html`"),
        (&["install"], "`last-word install claude_code` (an agent), or `last-word install cron`"),
        (&["verify"], "`last-word verify 01a200aa`"),
        (&["item", "show"], "`last-word item show k7m2q9xa`"),
        (&["install", "cluade"], "did you mean `claude_code`?"),
        (&["enqueue", "--wait", "7", "--key", "k"], "`--wait=7`"),
    ] {
        user.run(words).fails(2, example);
    }
}

/// A document's name that is none, a job that nobody merges, a configuration that is not there: each says what there is.
#[test]
fn what_is_not_there_is_said() {
    let user = User::new();
    user.with_notes();
    for command in ["history", "diff", "blame", "rollback"] {
        user.run([command, "Notes"]).fails(1, "did you mean `notes`?");
    }
    let words = "enqueue --to notes --heading Log --op append --content x --wait=0";
    let said = |user: &User| Terminal::open(user, (80, 24), words).map(|terminal| terminal.end().text());
    let Some(alone) = said(&user) else { return };
    assert!(alone.contains("no worker is at work: `last-word work` merges what waits"), "{alone}");
    user.run(["work"]).ok();
    let lately = said(&user).unwrap();
    assert!(!lately.contains("no worker is at work"), "one has just been: {lately}");
    fs::remove_file(user.home().join("config.yaml")).unwrap();
    fs::remove_file(user.home().join("config.cache")).unwrap();
    let doctor = user.run(["doctor"]).stdout;
    let line = doctor.lines().find(|line| line.starts_with("config.yaml")).unwrap();
    assert!(line.contains("-") && line.ends_with("there is none: every setting has its default"), "{doctor}");
}

#[test]
fn what_is_done_is_said() {
    let user = User::new();
    user.with_notes();
    let yaml = "version: \"1.0.0\"\nentries:\n  - key: { kb: notes, heading: Log }\n    operation: append\n    content: \"- one\"\n";
    fs::write(user.root().join("a.yaml"), yaml).unwrap();
    let said = user.run(["validate", "a.yaml"]).ok();
    assert_eq!(said, "a.yaml: a good declaration; it asks to append to `## Log` of notes\n");
    assert_eq!(user.json(["validate", "a.yaml"])[0]["asks_for"][0], "append `## Log` of notes");
    let said = user.run(["report", "--html", "r.html"]).ok();
    assert!(said.starts_with("wrote ") && said.ends_with("r.html\n"), "{said}");
    user.run(["hold", "--document", "notes", "--reason", "x"]).ok();
    assert!(!user.run(["release", "--document", "notes"]).ok().contains("last-word work"));
    user.run(["hold", "--document", "notes", "--reason", "x"]).ok();
    user.run(["enqueue", "a.yaml"]).ok();
    assert!(user.run(["release", "--document", "notes"]).ok().contains("last-word work"));
}

#[test]
fn the_id_of_an_item_is_told_from_that_of_a_job() {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, "## Log\n\n- likes tea ^k7m2q9xa\n").unwrap();
    for id in ["k7m2q9xa", "^k7m2q9xa"] {
        let said = user.run(["show", id]);
        assert!(
            said.stderr.contains("hint: that is the id of an item: last-word item show k7m2q9xa"),
            "{}",
            said.stderr
        );
        said.fails(1, "no job");
    }
    assert!(!user.run(["show", "k7m2q9xb"]).stderr.contains("of an item"));
}

#[test]
fn plan_typed_by_a_person_has_a_session_of_its_own() {
    let user = User::new();
    user.with_notes();
    user.run(["plan", "--list"]).fails(2, "no agent's session is known here");
    let nobody = Path::new("/bin/true");
    let words = "plan --to notes --heading Log --op append --content '- tea'";
    let Some(sent) = user.on_terminal(words, "", nobody) else { return };
    assert!(sent.contains("in your own session ("), "{sent}");
    let listed = user.on_terminal("plan --list", "", nobody).unwrap();
    assert!(listed.contains("1 planned"), "{listed}");
    user.on_terminal("flush", "", nobody).unwrap();
    assert_eq!(user.counts()[0], 1);
}

/// Before a budget is reached, and not only by the change that fails for it.
#[test]
fn a_document_that_is_nearly_full_is_named() {
    let user = User::new();
    let notes = user.root().join("notes.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, budget_chars: 100 }}\nsession_bootstrap: [notes]\n",
        notes.display()
    ));
    fs::write(&notes, "x".repeat(79)).unwrap();
    assert!(!user.run(["status"]).ok().contains("full"));
    fs::write(&notes, "x".repeat(80)).unwrap();
    let said = user.run(["status"]).ok();
    assert!(said.contains("notes.md is 80 % full (80 of 100 characters)"), "{said}");
    assert!(said.contains("`budget_chars` of `notes`"), "{said}");
    assert_eq!(user.json(["status"])["filling"][0]["chars"], 80);
}

#[test]
fn a_number_or_a_text_that_was_read_as_a_file_is_said() {
    let user = User::new();
    user.with_notes();
    let entry = ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "x"];
    let says = "a number for --wait is written `--wait=5`";
    user.run([&entry[..], &["--wait", "2s"]].concat()).fails(2, "`2s` was read as the name of a file");
    user.run([&entry[..], &["text"]].concat()).fails(2, "a text with blanks stands in quotes");
    user.run(["enqueue", "--wait", "5"]).fails(2, says);
    assert_eq!(user.counts(), [0; 6]);
}

#[test]
fn launchd_is_refused_where_there_is_none() {
    if cfg!(target_os = "macos") {
        return;
    }
    let user = User::new();
    user.run(["install", "launchd", "--yes"]).fails(2, "there is no `launchctl` on this system");
    assert!(!user.root().join("Library").exists());
}

/// A hook that tries again on 75 must not drop what a full disk kept out.
#[test]
fn a_full_disk_at_enqueue_asks_to_be_tried_again() {
    if !crate::support::has_crash_points() {
        return;
    }
    let user = User::new();
    user.with_notes();
    let words = ["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", "x"];
    let mut command = user.command(words);
    let said = Said::of(command.env("LAST_WORD_TROUBLE", "fail-from=1:28").output().unwrap());
    said.fails(75, "nothing was enqueued");
    assert_eq!(user.counts(), [0; 6]);
    user.run(words).ok();
    let words = ["plan", "--agent", "codex", "--session", "s1"].into_iter().chain(words.into_iter().skip(1));
    let mut command = user.command(words.clone());
    let said = Said::of(command.env("LAST_WORD_TROUBLE", "fail-from=1:28").output().unwrap());
    said.fails(75, "nothing was planned");
    user.run(words).ok();
}

/// To look decides nothing, so nobody has to show that they are a person.
#[test]
fn a_dry_run_of_a_review_asks_for_no_number() {
    let user = User::new();
    let notes = user.root().join("notes.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, policy: review }}\nsession_bootstrap: [notes]\n",
        notes.display()
    ));
    user.note("Log", "append", "- a");
    user.run(["work"]).ok();
    let Some(sent) = user.on_terminal("review --dry-run", "", Path::new("/bin/true")) else { return };
    assert!(!sent.contains("type these digits") && sent.contains("notes.md"), "{sent}");
}

#[test]
fn an_empty_document_says_so() {
    let user = User::new();
    let said = user.run(["read", "user"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), ""));
    assert!(said.stderr.contains("nothing stands there yet"), "{}", said.stderr);
}

/// In a home where nothing has happened yet, each command says so, and names nothing that is not there.
#[test]
fn a_new_home_answers_each_question_with_what_there_is() {
    let user = User::bare();
    user.run(["init"]).ok();
    assert!(user.run(["status"]).ok().contains("no worker has run yet; `last-word work` merges what waits"));
    assert_eq!(user.run(["review"]).ok(), "nothing waits for your yes\n");
    let blame = user.run(["blame", "user"]);
    assert!(blame.code == Some(0) && blame.stderr.contains("nothing stands there yet"), "{}", blame.stderr);
    let diff = user.run(["diff", "user"]);
    assert!(diff.stderr.contains("nothing has been merged into"), "{}", diff.stderr);
    assert!(!diff.stderr.contains("last-word history"), "it would be empty: {}", diff.stderr);
}

/// Whoever moved a file in looks for its name, and for what the run says of it.
#[test]
fn a_file_that_is_no_declaration_is_counted_and_named_as_it_was_left() {
    let user = User::new();
    fs::write(user.home().join("pending/mine.yaml"), "entries: [\n").unwrap();
    user.run(["work"]).ok();
    assert!(user.run(["list", "failed"]).ok().contains("(left as mine.yaml)"));
    let said = user.run(["status"]).ok();
    assert!(said.contains(": 1 failed\n"), "{said}");
    let left: Vec<_> = user.run(["prune", "--dry-run"]).ok().lines().map(str::to_owned).collect();
    assert!(left.iter().any(|line| line.contains("0 days of the journal")), "{left:?}");
}

/// A name that is half right, and what is made beside a home that is there already.
#[test]
fn half_a_name_is_enough_for_a_hint_and_only_what_was_made_is_named() {
    let user = User::new();
    user.run(["install", "claude"]).fails(2, "did you mean `claude_code`?");
    user.run(["adopt", "claude"]).fails(2, "did you mean `claude_code`?");
    let project = user.root().join("site");
    fs::create_dir_all(project.join(".git")).unwrap();
    let said = Said::of(user.command(["init", "--project"]).current_dir(&project).output().unwrap()).ok();
    assert!(said.contains("made ~/site/.agents") && !said.contains("made ~/.config"), "{said}");
}
