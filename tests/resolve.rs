//! Deciding what failed and what waits for a yes: sides of a conflict, editors, holds, a session on a terminal.

use crate::support::{Said, User, binary, write_program};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const NOTES: &str = "# Notes\n\n## Log\n\n- a\n- b\n- c\n\n## Other\n\nkept\n";

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn with_document() -> (User, PathBuf) {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, NOTES).unwrap();
    (user, notes)
}

fn fate(user: &User, id: &str) -> String {
    user.json(["verify", id])["fate"].as_str().unwrap().to_owned()
}

/// The hash of the section `Log` of this text.
fn seen(text: &str) -> String {
    let section = text.split("## Other").next().unwrap().split("# Notes").nth(1).unwrap().trim();
    let digest = <sha2::Sha256 as sha2::Digest>::digest(section.as_bytes());
    digest.iter().fold("sha256:".to_owned(), |hash, byte| hash + &format!("{byte:02x}"))
}

/// A job whose author saw the document as it is in `NOTES`.
fn enqueue_seen(user: &User, wanted: &str, more: Option<Value>) -> String {
    let mut entries = vec![json!({ "key": { "kb": "notes", "heading": "Log" }, "operation": "update",
        "content": wanted, "base": seen(NOTES) })];
    entries.extend(more);
    let declaration = json!({ "version": "1.0.0", "entries": entries }).to_string();
    user.run_with(["enqueue", "-"], declaration.as_bytes()).ok().trim().to_owned()
}

/// The document changed since, in the same lines: the job is a conflict, and the text its author saw is in the history.
fn conflict(more: Option<Value>) -> (User, PathBuf, String) {
    let (user, notes) = with_document();
    user.note("Log", "update", "- a\n- ours\n- c");
    user.run(["work"]).ok();
    let id = enqueue_seen(&user, "- a\n- theirs\n- c", more);
    user.run(["work"]).ok();
    assert_eq!(user.json(["show", &id])["job"]["job"]["error"]["code"], "conflict");
    (user, notes, id)
}

/// What the merge would refuse is not written down before it: it would stay in the queue's files.
#[test]
fn a_secret_in_an_edit_is_refused_at_once() {
    let (user, _, id) = conflict(None);
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let sed = format!("s/- theirs/- {token}/");
    user.run(["resolve", &id, "--edit", "--sed", &sed]).fails(3, "GitHub token");
    assert_eq!(fate(&user, &id), "failed");
    assert!(user.tree().values().all(|bytes| !String::from_utf8_lossy(bytes).contains(token)));
}

fn editor(user: &User, name: &str, script: &str) -> PathBuf {
    let path = user.root().join(name);
    write_program(&path, &format!("#!/bin/sh\n{script}\n"));
    path
}

/// Words that a person put in the place of an agent's are told as theirs, wherever it is told who wrote them; those beside them are not.
#[test]
fn whose_words_an_edit_made_is_told() {
    let also = json!({ "key": { "kb": "notes", "heading": "Other" }, "operation": "append", "content": "- beside",
        "meta": { "reason": "r", "edited_by": "nobody" } });
    let (user, notes, id) = conflict(Some(also));
    let said = user.run(["resolve", &id, "--edit", "--sed", "s/- theirs/- typed/"]).ok();
    assert!(said.contains("+ - typed") && said.contains("- - ours   (in the document now)"), "{said}");
    user.run(["work"]).ok();
    assert!(text(&notes).contains("- typed") && text(&notes).contains("- beside"));
    let sections = user.json(["blame", "notes"])["sections"].clone();
    let editor = |title: &str| {
        let named = |one: &&Value| one["heading"].as_array().unwrap().last().unwrap() == title;
        sections.as_array().unwrap().iter().find(named).unwrap()["last"]["meta"]["edited_by"].clone()
    };
    assert_eq!((editor("Log"), editor("Other")), (json!("tester"), Value::Null));
    for asked in [&["blame", "notes"][..], &["history", "notes"]] {
        let said = user.run(asked).ok();
        assert!(said.contains(", edited by tester"), "{said}");
    }
    assert!(user.run(["show", &id]).ok().contains("edited    by tester"));
    assert!(user.run(["why", &id]).ok().contains("tester changed what its author said"));
    // What is decided without other words is nobody's edit.
    let (user, _, id) = conflict(None);
    user.run(["resolve", &id, "--theirs"]).ok();
    user.run(["work"]).ok();
    assert!(!user.run(["blame", "notes"]).ok().contains("edited by"));
}

// ---- sides ----

#[test]
fn ours_leaves_the_document_and_ends_the_job() {
    let (user, notes, id) = conflict(None);
    let before = text(&notes);
    user.run(["resolve", &id, "--ours", "--reason", "mine is right"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), before);
    assert_eq!(user.json(["verify", &id])["receipt"]["reason"], "mine is right");
    assert_eq!(user.json(["log", "--id", &id]).as_array().unwrap().last().unwrap()["event"], "took_ours");
    user.assert_clean();
}

#[test]
fn ours_leaves_one_entry_out_and_merges_the_rest() {
    let more =
        json!({ "key": { "kb": "notes", "heading": "Other" }, "operation": "append", "content": "more" });
    let (user, notes, id) = conflict(Some(more));
    user.run(["resolve", &id, "--ours"]).ok();
    user.run(["work"]).ok();
    assert!(text(&notes).contains("- ours") && text(&notes).contains("kept\n\nmore\n"), "{}", text(&notes));
    assert_eq!(fate(&user, &id), "applied");
    let log = user.run(["log", "--id", &id]).ok();
    assert!(log.contains("left out: update Log") && log.contains("- theirs"), "{log}");
}

/// An edit changes the words, not the document that is shown beside them: neither of an entry that is there nor by one more.
#[test]
fn an_edit_writes_to_no_other_document() {
    let more = "entries:\\n- key: { kb: soul, heading: Tone }\\n  operation: append\\n  content: more";
    for script in ["0,/    kb: notes/ s/kb: notes/kb: soul/", &format!("s/^entries:/{more}/")] {
        let (user, _, id) = conflict(None);
        let soul = user.root().join("SOUL.md");
        fs::write(&soul, "# Soul\n\n## Log\n\n- a\n- b\n- c\n").unwrap();
        let config = text(&user.home().join("config.yaml"));
        let soul_kb = format!("knowledge_bases:\n  soul: {{ path: {} }}\n", soul.display());
        user.configure(&config.replacen("knowledge_bases:\n", &soul_kb, 1));
        let sed = editor(&user, "sed", &format!("grep -q soul \"$1\" || sed -i \"{script}\" \"$1\""));
        let said = Said::of(user.command(["resolve", &id, "--edit"]).env("EDITOR", &sed).output().unwrap());
        said.fails(3, "is for another document than the job");
        user.run(["work"]).ok();
        assert!(!text(&soul).contains("theirs") && !text(&soul).contains("more"), "{}", text(&soul));
        assert_eq!(fate(&user, &id), "failed");
    }
}

/// An item is known to its author by the id it was told, which entries that are left out or taken out before it do not change.
#[test]
fn an_item_keeps_its_id_where_an_entry_before_it_is_left_out() {
    let beside =
        json!({ "key": { "kb": "notes", "heading": "Other" }, "operation": "add", "content": "Beside it." });
    for edited in [false, true] {
        let (user, notes, id) = conflict(Some(beside.clone()));
        let first = queue_layout::item_id(id.parse().unwrap(), 1);
        match edited {
            false => user.run(["resolve", &id, "--ours"]).ok(),
            true => {
                let awk = "awk '/^entries:/ { e = 1 } e && /^- / { n += 1 } !e || n != 1' \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"";
                let without = editor(&user, "without", awk);
                Said::of(user.command(["resolve", &id, "--edit"]).env("EDITOR", &without).output().unwrap())
                    .ok()
            }
        };
        user.run(["work"]).ok();
        assert!(text(&notes).contains(&format!("^{first}")), "{edited}: {}", text(&notes));
    }
}

#[test]
fn theirs_goes_over_what_was_looked_at_and_over_nothing_else() {
    let (user, notes, id) = conflict(None);
    user.run(["resolve", &id, "--theirs"]).ok();
    fs::write(&notes, text(&notes).replace("- c", "- c, by hand")).unwrap();
    user.run(["work"]).ok();
    assert_eq!(fate(&user, &id), "failed", "what was saved since is not overwritten");
    user.run(["resolve", &id, "--theirs"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), NOTES.replace("- b", "- theirs"));
    assert_eq!(fate(&user, &id), "applied");
}

#[test]
fn theirs_of_several_is_one_after_the_other() {
    let (user, notes, _) = conflict(None);
    for wanted in ["- a\n- second\n- c", "- a\n- third\n- c"] {
        enqueue_seen(&user, wanted, None);
    }
    user.run(["work"]).ok();
    user.run(["resolve", "--all", "--theirs"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3], 0, "{:?}", user.files("staging/failed"));
    assert_eq!(text(&notes), NOTES.replace("- b", "- third"), "the one declared last has the last word");
}

#[test]
fn sides_are_for_conflicts_only() {
    let (user, notes) = with_document();
    fs::write(&notes, format!("{NOTES}\n## Log\n\nagain\n")).unwrap();
    let id = user.note("Log", "update", "x");
    user.run(["work"]).ok();
    for side in ["--ours", "--theirs"] {
        user.run(["resolve", &id, side]).fails(1, "has no conflict but `ambiguous`");
    }
    assert_eq!(fate(&user, &id), "failed");
    user.assert_clean();
}

#[test]
fn a_rollback_has_sides_too() {
    let (user, notes) = with_document();
    user.note("Log", "update", "- a\n- new\n- c");
    user.run(["work"]).ok();
    user.run(["rollback", "notes"]).ok();
    fs::write(&notes, text(&notes).replace("- new", "- newer")).unwrap();
    user.run(["work"]).ok();
    let ids = user.json(["list", "failed"]);
    let id = ids[0]["id"].as_str().unwrap();
    assert!(user.run(["list", "failed"]).ok().contains("rollback to version 0"));
    user.run(["resolve", id, "--theirs"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), NOTES);
}

/// Also where the document is long; and where it cannot be told apart, it is refused.
#[test]
fn the_side_of_a_rollback_takes_nothing_else_with_it() {
    let user = User::new();
    let notes = user.with_notes();
    let long = "- line\n".repeat(9_000);
    let start = format!("# Notes\n\n## A\n\n- tea\n\n## B\n\n- b\n\n## Long\n\n{long}");
    for is_apart in [true, false] {
        fs::write(&notes, &start).unwrap();
        for (old, new) in [("tea", "beer"), ("beer", "wine")] {
            let replace = ["--heading", "A", "--op", "replace", "--old-text", old, "--content", new];
            user.run(["enqueue", "--to", "notes"].into_iter().chain(replace)).ok();
            if new == "beer" {
                user.run(["work"]).ok();
            }
        }
        user.run(["rollback", "notes"]).ok();
        let now = fs::read_to_string(&notes).unwrap();
        let mine = if is_apart { now.replace("- b\n", "- mine\n") } else { now + "- mine\n" };
        fs::write(&notes, &mine).unwrap();
        user.run(["work"]).ok();
        let id = user.json(["list", "failed"])[0]["id"].as_str().unwrap().to_owned();
        let said = user.run(["resolve", &id, "--theirs"]);
        if is_apart {
            said.ok();
            user.run(["work"]).ok();
            assert_eq!(fs::read_to_string(&notes).unwrap(), start.replace("- b\n", "- mine\n"));
        } else {
            said.fails(1, "what was written there since would go with it");
            user.run(["resolve", &id, "--ours"]).ok();
            assert!(fs::read_to_string(&notes).unwrap().ends_with("- mine\n"));
        }
    }
}

/// It goes over the lines that are in conflict; what was written elsewhere since it was asked for stays.
#[test]
fn the_side_of_a_rollback_leaves_what_is_in_no_conflict() {
    let (user, notes) = with_document();
    user.note("Log", "update", "- a\n- new\n- c");
    user.run(["work"]).ok();
    user.run(["rollback", "notes"]).ok();
    let elsewhere = |text: &str| text.replace("kept", "kept, and more by hand");
    fs::write(&notes, elsewhere(&text(&notes)).replace("- new", "- newer")).unwrap();
    user.run(["work"]).ok();
    let ids = user.json(["list", "failed"]);
    user.run(["resolve", ids[0]["id"].as_str().unwrap(), "--theirs"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), elsewhere(NOTES));
}

// ---- many at once ----

#[test]
fn many_are_resolved_and_what_is_held_is_left_alone() {
    let (user, notes) = with_document();
    fs::write(&notes, format!("{NOTES}\n## Log\n\nagain\n")).unwrap();
    let ids: Vec<String> = (0..4).map(|n| user.note("Log", "append", &format!("- {n}"))).collect();
    user.run(["work"]).ok();
    user.run(["hold", &ids[1]]).ok();
    let said = user.run(["resolve", "--all", "--retry", "--dry-run"]).ok();
    assert!(said.contains("would retry 3 jobs (3 ambiguous):"), "{said}");
    assert!(
        said.contains(&format!("would leave 1 as they are:\n  job {}: held; last-word release", ids[1])),
        "{said}"
    );
    fs::write(&notes, NOTES).unwrap();
    let done = user.json(["resolve", "--error", "ambiguous", "--retry"]);
    assert_eq!(done["requeued"], json!([ids[0], ids[2], ids[3]]), "in the order of declaring");
    assert_eq!(done["skipped"][0]["id"], ids[1].as_str());
    user.run(["work"]).ok();
    assert!(text(&notes).contains("- c\n- 0\n- 2\n- 3\n"), "{}", text(&notes));
    assert_eq!(user.run(["resolve", &ids[1], "--retry"]).code, Some(1), "nothing was done");
    user.run(["release", &ids[1]]).ok();
    user.run(["resolve", &ids[1], "--retry"]).ok();
    user.assert_clean();
}

#[test]
fn one_that_cannot_be_read_does_not_stop_the_others() {
    let (user, notes) = with_document();
    fs::write(&notes, format!("{NOTES}\n## Log\n\nagain\n")).unwrap();
    let ids: Vec<String> = (0..2).map(|n| user.note("Log", "append", &format!("- {n}"))).collect();
    user.run(["work"]).ok();
    let staged = user.home().join("staging/failed");
    let name = user.files("staging/failed").into_iter().find(|name| name.contains(&ids[0])).unwrap();
    fs::write(staged.join(name), "job: [spoilt").unwrap();
    let would = user.json(["resolve", "--all", "--retry", "--dry-run"]);
    assert_eq!(
        (&would["ids"], &would["left"][0]["id"]),
        (&json!([ids[1]]), &json!(ids[0])),
        "as it will be done"
    );
    let done = user.json(["resolve", "--all", "--retry"]);
    assert_eq!(done["requeued"], json!([ids[1]]));
    assert!(done["skipped"][0]["why"].as_str().unwrap().contains("cannot be read"));
}

/// A dropped file that no reader can read is not offered for a retry; one that the configuration was in the way of is.
#[test]
fn a_file_nobody_could_read_is_retried_where_that_may_help() {
    let (user, notes) = with_document();
    let drop = |name: &str, target: &str, end: &str| {
        let entry =
            format!(r#"{{"key":{{{target},"heading":"Log"}},"operation":"append","content":"- {name}"}}"#);
        let text = format!(r#"{{"version":"1.0.0","entries":[{entry}]{end}"#);
        user.drop_in(&user.home().join("pending"), &format!("{name}.json"), text.as_bytes());
        user.run(["work"]).ok();
        user.json(["list", "failed"])[0]["id"].as_str().unwrap().to_owned()
    };
    let torn = drop("torn", r#""kb":"notes""#, "");
    user.run(["resolve", &torn, "--retry"]).fails(3, "cannot be read");
    assert!(user.run(["why", &torn]).ok().contains(&format!("hint: last-word resolve {torn} --edit")));
    if let Some(said) = user.on_terminal("resolve", "q\n", Path::new("/bin/false")) {
        assert!(said.contains("[e]dit, [d]iscard") && !said.contains("[r]etry"), "{said}");
    }
    user.run(["resolve", &torn, "--discard"]).ok();
    let early = drop("early", r#""kb":"later""#, "}");
    if let Some(said) = user.on_terminal("resolve", "q\n", Path::new("/bin/false")) {
        assert!(said.contains("[r]etry"), "{said}");
    }
    let config = text(&user.home().join("config.yaml")).replace(
        "  notes:",
        &format!("  later: {{ path: {} }}\n  notes:", user.root().join("later.md").display()),
    );
    user.configure(&config);
    user.run(["resolve", &early, "--retry"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&user.root().join("later.md")), "## Log\n\n- early\n");
    assert_eq!(text(&notes), NOTES);
}

/// A draft without our remarks in it.
fn bare(draft: &[u8]) -> Vec<u8> {
    let lines = draft.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !line.starts_with(b"#! ")).flatten().copied().collect()
}

/// What can be changed comes first, below one line that says how; the pipeline's own part is below it, said so.
#[test]
fn the_editor_opens_on_the_text() {
    let (user, _, id) = conflict(None);
    let keeps = editor(&user, "keeps", r#"cp "$1" "$0.saw""#);
    assert!(user.command(["resolve", &id, "--edit"]).env("EDITOR", &keeps).output().is_ok());
    let shown = text(&user.root().join("keeps.saw"));
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("#! Change what is below"), "{shown}");
    assert_eq!(lines[1], "entries:", "{shown}");
    let below = lines.iter().position(|line| line.starts_with("#! Bookkeeping")).unwrap();
    assert!(lines[below..].contains(&"job:"), "{shown}");
    assert!(lines[..below].iter().any(|line| line.contains("- theirs")), "{shown}");
    assert_eq!(fate(&user, &id), "failed", "saved as it was");
    // A reader of Chinese is told in Chinese, and what is told is taken out again.
    let mut chinese = user.command(["resolve", &id, "--edit"]);
    assert!(chinese.env("EDITOR", &keeps).env("LANG", "zh_CN.UTF-8").output().is_ok());
    let shown = text(&user.root().join("keeps.saw"));
    let remarks: Vec<&str> = shown.lines().filter(|line| line.starts_with("#! ")).collect();
    assert!(remarks.len() == 2 && !remarks.concat().contains("back into the queue"), "{shown}");
    assert_eq!(fate(&user, &id), "failed", "saved as it was");
}

/// And one that a person mended or put beside it has another one: two of one id would be taken for one.
#[test]
fn items_of_an_edited_job_are_told_apart() {
    let add = |content: &str| json!({ "key": { "kb": "notes", "heading": "Other" }, "operation": "add", "content": content });
    let more = "- key: { kb: notes, heading: Other }\\n  operation: add\\n  content: Third one.\\n";
    for script in
        ["s/Second one/Second one, mended/".to_owned(), format!("s/^#! Bookkeeping/{more}#! Bookkeeping/")]
    {
        let (user, notes) = with_document();
        let fails = json!({ "key": { "kb": "notes", "heading": "Log" }, "operation": "replace", "old_text": "nowhere", "content": "x" });
        let declaration =
            json!({ "version": "1.0.0", "entries": [fails, add("First one."), add("Second one.")] });
        let id = user.run_with(["enqueue", "-"], declaration.to_string().as_bytes()).ok().trim().to_owned();
        user.run(["work"]).ok();
        let awk = "awk '/^entries:/ { e = 1 } e && /^- / { n += 1 } !e || n != 1' \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"";
        let without = editor(&user, "edits", &format!("{awk}; sed -i \"{script}\" \"$1\""));
        Said::of(user.command(["resolve", &id, "--edit"]).env("EDITOR", &without).output().unwrap()).ok();
        user.run(["work"]).ok();
        let text = text(&notes);
        let told = |n| queue_layout::item_id(id.parse().unwrap(), n);
        assert!(text.contains(&format!("^{}", told(1))) && text.contains(&format!("^{}", told(2))), "{text}");
        let wanted = if script.contains("mended") { "Second one, mended." } else { "Third one." };
        assert!(text.contains("First one.") && text.contains(wanted), "{text}");
    }
}

/// What a person wrote for a job is gone on with as long as it waits for them; a draft whose job has ended is swept.
#[test]
fn a_draft_stays_while_its_job_waits() {
    let (user, _, id) = conflict(None);
    let draft = user.home().join(format!("tmp/{id}.edit.yaml"));
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(30 * 24 * 60 * 60);
    let make_old = || {
        fs::write(&draft, "mine\n").unwrap();
        fs::File::options().write(true).open(&draft).unwrap().set_modified(old).unwrap();
    };
    make_old();
    user.run(["work"]).ok();
    assert_eq!(text(&draft), "mine\n");
    user.run(["resolve", &id, "--discard"]).ok();
    make_old();
    user.run(["work"]).ok();
    assert!(!draft.exists());
}

/// An editor that stays open has words that stand nowhere else.
#[test]
fn what_is_decided_under_an_open_editor_leaves_the_draft() {
    for action in ["--discard", "--retry", "--ours"] {
        let (user, _, id) = conflict(None);
        let draft = user.home().join(format!("tmp/{id}.edit.yaml"));
        let binary = binary();
        let script = format!(
            "sed -i 's/content:.*/content: \"My own words.\"/' \"$1\"\n'{binary}' --as tests resolve {id} {action}"
        );
        let saves = editor(&user, "saves", &script);
        let out = user.command(["resolve", &id, "--edit"]).env("EDITOR", &saves).output().unwrap();
        let told = String::from_utf8(out.stderr).unwrap();
        assert!(text(&draft).contains("My own words."), "{action}: {told}");
        assert!(
            told.contains(&format!("{id}.edit.yaml")) && told.contains("decided meanwhile"),
            "{action}: {told}"
        );
    }
}

#[test]
fn a_draft_that_is_empty_or_torn_is_no_draft() {
    let (user, _, id) = conflict(None);
    let draft = user.home().join(format!("tmp/{id}.edit.yaml"));
    let keeps = editor(&user, "keeps", r#"cp "$1" "$0.saw""#);
    assert!(user.command(["resolve", &id, "--edit"]).env("EDITOR", &keeps).output().is_ok());
    let shown = fs::read(user.root().join("keeps.saw")).unwrap();
    let staged = bare(&shown);
    let torn: [&[u8]; 6] = [
        b"",
        b"\n \n",
        &[0; 64],
        &staged[..staged.len() / 2],
        &[&staged[..200], &[0; 99]].concat(),
        b"#! this job:\n",
    ];
    for bytes in torn {
        fs::write(&draft, bytes).unwrap();
        let run = user.command(["resolve", &id, "--edit"]).env("EDITOR", &keeps).output().unwrap();
        let said = Said::of(run);
        let what = String::from_utf8_lossy(bytes);
        assert!(!said.stdout.contains("going on"), "{what:?}: {}{}", said.stdout, said.stderr);
        assert_eq!(fs::read(user.root().join("keeps.saw")).unwrap(), shown, "{what:?}");
        assert!(!draft.exists(), "{what:?}: nothing was changed, so nothing is kept");
    }
    // A draft that was begun, by whomever: who leaves the editor without saving has said nothing.
    let begun = String::from_utf8(staged).unwrap().replace("- theirs", "- mended");
    fs::write(&draft, &begun).unwrap();
    for _ in 0..2 {
        let left = user.command(["resolve", &id, "--edit"]).env("EDITOR", &keeps).output().unwrap();
        let left = Said::of(left).stdout;
        assert!(left.contains("going on with the edit") && left.contains("is kept"), "{left}");
        assert!(text(&draft).contains("- mended"), "{}", text(&draft));
        assert_eq!(fate(&user, &id), "failed");
    }
    // And then saved empty: the job is left as it was.
    let empties = editor(&user, "empties", r#": > "$1""#);
    let said = user.command(["resolve", &id, "--edit"]).env("EDITOR", empties).output().unwrap();
    assert!(Said::of(said).stdout.contains("going on with the edit"));
    assert!(!draft.exists());
    assert_eq!(fate(&user, &id), "failed");
    let appends = editor(
        &user,
        "appends",
        r#"sed -i 's/operation: update/operation: append/; /base: .*sha256/d' "$1""#,
    );
    Said::of(user.command(["resolve", &id, "--edit"]).env("EDITOR", appends).output().unwrap()).ok();
    user.run(["work"]).ok();
    user.assert_clean();
}

#[test]
fn a_draft_is_written_whole_or_not_at_all() {
    if !crate::support::has_crash_points() {
        return;
    }
    let (user, _, id) = conflict(None);
    let trace = user.root().join("trace");
    let dies = editor(&user, "dies", "exit 1");
    let mut edit = user.command(["resolve", &id, "--edit"]);
    edit.env("EDITOR", dies).env("LAST_WORD_TROUBLE", format!("trace={}", trace.display()));
    Said::of(edit.output().unwrap()).fails(1, "the job was not changed");
    let steps = text(&trace);
    let kinds: Vec<&str> = steps
        .lines()
        .filter(|line| line.starts_with("step ") && line.contains("/tmp"))
        .filter(|line| line.contains(".edit.yaml") || line.ends_with("/tmp"))
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    assert_eq!(kinds, ["Remove", "Write", "SyncFile", "Move", "SyncDir"], "{steps}");
    assert!(!steps.lines().any(|line| line.contains("Write") && line.ends_with(".edit.yaml")), "{steps}");
}

// ---- on a terminal ----

/// Where it is asked for how many an answer is, nothing is done before a clear word: a slip of the finger is taken back.
#[test]
fn what_an_answer_is_for_is_asked_before_it_is_done() {
    let (user, notes) = with_document();
    fs::write(&notes, format!("{NOTES}\n## Log\n\nagain\n")).unwrap();
    let [first, second] = ["- 0", "- 1"].map(|content| user.note("Log", "append", content));
    user.run(["work"]).ok();
    let never = Path::new("/bin/false");
    let Some(said) = user.on_terminal("resolve", "d\ncancel\nd\nwhat\nq\n", never) else { return };
    assert!(said.contains("[o]nly this one, [a]ll 2 with `ambiguous`, [c]ancel?"), "{said}");
    assert!(said.contains("type o, a or c") && said.contains("2 not decided"), "{said}");
    assert_eq!([fate(&user, &first), fate(&user, &second)], ["failed", "failed"], "{said}");
    let said = user.on_terminal("resolve", "d\no\nq\n", never).unwrap();
    assert_eq!([fate(&user, &first), fate(&user, &second)], ["dropped", "failed"], "{said}");
    assert!(said.contains("1 ended") && said.contains("1 not decided"), "{said}");
    user.on_terminal("resolve", "r\n", never);
    assert_eq!(fate(&user, &second), "waiting");
}

// ---- editors ----

#[test]
fn a_bad_edit_comes_back_with_the_error_on_top_and_a_lost_one_is_gone_on_with() {
    let (user, _, id) = conflict(None);
    // The first time it writes nonsense, then it looks for the complaint and mends it.
    let mends = editor(
        &user,
        "mends",
        r#"if grep -q '^#! this job' "$1"; then head -3 "$1" > "$0.saw"; sed -i 's/operation: nonsense/operation: append/; /base: .*sha256/d' "$1"
else sed -i 's/operation: update/operation: nonsense/' "$1"; fi"#,
    );
    let dies = editor(&user, "dies", r#"sed -i 's/- theirs/- mended/' "$1"; exit 1"#);
    let run = |editor: &Path| {
        Said::of(user.command(["resolve", &id, "--edit"]).env("EDITOR", editor).output().unwrap())
    };
    run(&dies).fails(1, "the job was not changed");
    assert_eq!(fate(&user, &id), "failed");
    let said = run(&mends).ok();
    assert!(said.contains("going on with the edit that was not finished"), "{said}");
    let saw = text(&user.root().join("mends.saw"));
    assert!(saw.starts_with("#! this job:") && saw.contains("nonsense"), "{saw}");
    user.run(["work"]).ok();
    let notes = text(&user.root().join("notes.md"));
    assert!(notes.contains("- ours") && notes.contains("- mended"), "{notes}");
    user.assert_clean();
}

// ---- many alike ----

/// A document in which no section may be created, and jobs for a heading that is nearly one of its own.
fn misspelt(count: usize) -> (User, PathBuf, Vec<String>) {
    let user = User::new();
    let notes = user.root().join("notes.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, create: false }}\nsession_bootstrap: [notes]\n",
        notes.display()
    ));
    fs::write(&notes, "# Notes\n\n## Restart\n\n- stop\n\n## Other\n").unwrap();
    let ids = (0..count).map(|n| user.note("Restrat", "append", &format!("- n{n}"))).collect();
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, count, 0, 0]);
    (user, notes, ids)
}

#[test]
fn one_substitution_changes_many_alike() {
    let (user, notes, ids) = misspelt(4);
    let other = user.note("Nowhere", "append", "- x");
    user.run(["work"]).ok();
    let sed = |words: &[&str]| {
        user.run([&["resolve", "--all", "--edit", "--sed", "s/Restrat/Restart/"], words].concat())
    };
    let would = sed(&["--dry-run"]).ok();
    for words in
        ["- heading: Restrat   (× 4)", "+ heading: Restart", "would edit 4 jobs", "would stay as it is"]
    {
        assert!(would.contains(words), "{words}: {would}");
    }
    assert_eq!(user.counts(), [0, 0, 0, 5, 0, 0], "a dry run does nothing");
    let said = sed(&[]).ok();
    assert!(said.contains("4 back in the queue") && said.contains("1 left as it was"), "{said}");
    user.run(["work"]).ok();
    assert_eq!(text(&notes), "# Notes\n\n## Restart\n\n- stop\n- n0\n- n1\n- n2\n- n3\n\n## Other\n");
    assert_eq!([fate(&user, &ids[3]), fate(&user, &other)], ["applied", "failed"]);
    user.run(["resolve", "--all", "--edit", "--sed", "s/(/x/"]).fails(2, "the pattern cannot be read");
    // What would be no job any longer is refused, and left as it was.
    let emptied = user.run(["resolve", &other, "--edit", "--sed", "s/Nowhere//"]);
    assert_ne!(emptied.code, Some(0), "{}", emptied.stdout);
    assert_eq!(fate(&user, &other), "failed");
}

#[test]
fn a_substitution_is_shown_and_asked_about_on_a_terminal() {
    let (user, _, _) = misspelt(2);
    let sed = "resolve --all --edit --sed s/Restrat/Restart/";
    let Some(said) = user.on_terminal(sed, "n\n", Path::new("/bin/false")) else { return };
    assert!(said.contains("+ heading: Restart") && said.contains("nothing was changed"), "{said}");
    assert_eq!(user.counts(), [0, 0, 0, 2, 0, 0]);
    user.on_terminal(sed, "y\n", Path::new("/bin/false"));
    assert_eq!(user.counts(), [2, 0, 0, 0, 0, 0]);
}

#[test]
fn the_heading_that_was_meant_is_one_key_away_for_all_alike() {
    let (user, notes, ids) = misspelt(3);
    let Some(said) = user.on_terminal("resolve", "m\na\n", Path::new("/bin/false")) else { return };
    assert!(said.contains("did you mean `## Restart` (line 3)?") && said.contains("[m]eant that"), "{said}");
    assert!(
        said.contains("[a]ll 3 with `section_missing`") && said.contains("3 back in the queue"),
        "{said}"
    );
    user.run(["work"]).ok();
    assert!(text(&notes).contains("- stop\n- n0\n- n1\n- n2\n"), "{}", text(&notes));
    assert_eq!(fate(&user, &ids[0]), "applied");
}

/// A heading at another level, or spelt otherwise; what could be two of them is not guessed.
#[test]
fn what_was_meant_is_asked_only_where_it_is_clear() {
    let cases = [
        ("## Tools\n\n### Python\n\n- uv\n", "Python", Some("did you mean `### Python` (line 3)?")),
        ("## Key facts\n\n- one\n", "Key Facts!", Some("did you mean `## Key facts` (line 1)?")),
        ("## A\n\n### Python\n\n- uv\n\n## B\n\n### Python\n\n- pip\n", "Python", None),
    ];
    for (document, heading, meant) in cases {
        let (user, notes) = with_document();
        fs::write(&notes, document).unwrap();
        let id = user.note(heading, "append", "- more");
        user.run(["work"]).ok();
        assert_eq!(fate(&user, &id), "failed", "{heading}");
        let Some(said) = user.on_terminal("resolve", "q\n", Path::new("/bin/false")) else { return };
        assert_eq!(said.contains("did you mean"), meant.is_some(), "{said}");
        assert!(said.contains(meant.unwrap_or_default()), "{said}");
    }
}

#[test]
fn an_editor_that_mends_nothing_is_not_asked_for_ever() {
    let (user, _, id) = conflict(None);
    let spoils = editor(&user, "spoils", r#"sed -i 's/operation: update/operation: nonsense/' "$1""#);
    Said::of(user.command(["resolve", &id, "--edit"]).env("EDITOR", spoils).output().unwrap())
        .fails(3, "nonsense");
    assert_eq!(fate(&user, &id), "failed");
}

// ---- on a terminal ----

#[test]
fn a_session_shows_three_ways_and_does_the_same_to_all_alike() {
    let (user, notes, first) = conflict(None);
    let second = enqueue_seen(&user, "- a\n- also theirs\n- c", None);
    user.run(["work"]).ok();
    let before = text(&notes);
    let Some(said) = user.on_terminal("resolve", "?\nv\no\na\n", Path::new("true")) else { return };
    for part in [
        "[o]urs, [t]heirs",
        "+- ours",
        "+- theirs",
        "as its author saw it",
        "[a]ll 2 with `conflict`",
        "2 ended",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!((fate(&user, &first).as_str(), fate(&user, &second).as_str()), ("dropped", "dropped"));
    assert_eq!(text(&notes), before);
    user.assert_clean();
}

#[test]
fn a_session_that_ends_early_goes_on_later() {
    let (user, _, first) = conflict(None);
    let second = enqueue_seen(&user, "- a\n- also theirs\n- c", None);
    user.run(["work"]).ok();
    // The connection is lost after the first answer.
    let Some(said) = user.on_terminal("resolve", "d\nn\n", Path::new("true")) else { return };
    assert!(said.contains("1 of 2") && said.contains("2 of 2"), "{said}");
    assert_eq!((fate(&user, &first).as_str(), fate(&user, &second).as_str()), ("dropped", "failed"));
    let said = user.on_terminal("resolve", "t\n", Path::new("true")).unwrap();
    assert!(said.contains("1 of 1") && said.contains("back in the queue"), "{said}");
}

// ---- review ----

/// Whoever is not sure needs a yes.
fn unsure() -> (User, PathBuf, String) {
    let (user, notes) = with_document();
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  notes: {{ path: {}, min_confidence: 0.5 }}\nsession_bootstrap: [notes]\n",
        notes.display()
    ));
    let id = user.note("Log", "update", "- A\n- b\n- c");
    user.run(["work"]).ok();
    assert_eq!(fate(&user, &id), "review");
    (user, notes, id)
}

#[test]
fn a_proposal_whose_section_changed_is_merged_with_the_change() {
    let (user, notes, id) = unsure();
    let sure = [
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "Log",
        "--op",
        "update",
        "--content",
        "- a\n- b\n- C",
        "--confidence",
        "0.9",
    ];
    user.run(sure).ok();
    user.run(["work"]).ok();
    let shown = user.run(["show", &id]).ok();
    assert!(
        shown.contains("`Log` changed since") && shown.contains("+- A") && !shown.contains("-- C"),
        "{shown}"
    );
    let said = user.run(["review", &id, "--approve"]).ok();
    assert!(said.contains("changed since it was proposed"), "{said}");
    user.run(["work"]).ok();
    assert_eq!(text(&notes), NOTES.replace("- a\n- b\n- c", "- A\n- b\n- C"));
}

#[test]
fn a_proposal_that_cannot_be_merged_with_the_change_is_a_conflict() {
    let (user, notes, id) = unsure();
    fs::write(&notes, NOTES.replace("- a\n", "- mine\n")).unwrap();
    user.run(["review", &id, "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.json(["verify", &id])["error"]["code"], "conflict");
    assert!(text(&notes).contains("- mine"), "a person's words are not overwritten by a yes");
}

#[test]
fn its_proposer_approves_nothing() {
    let (user, _, id) = unsure();
    // Each agent that is known, by each of its marks.
    for mark in agents::known().flat_map(|(_, marks)| marks.names.iter().copied().chain(marks.session)) {
        for way in ["--approve", "--reject"] {
            let mut command = user.command(["review", &id, way]);
            Said::of(command.env(mark, "1").output().unwrap()).fails(1, "an agent's session cannot approve");
        }
    }
    assert_eq!(fate(&user, &id), "review");
    assert!(user.run(["review", "--all", "--approve", "--dry-run"]).ok().contains("would approve 1 job"));
    assert_eq!(fate(&user, &id), "review");
    let Some(said) = user.on_terminal("review", "a\n", Path::new("true")) else { return };
    assert!(
        said.contains("[a]pprove") && said.contains("+- A") && said.contains("1 approved; `last-word work`"),
        "{said}"
    );
    user.run(["work"]).ok();
    assert_eq!(fate(&user, &id), "applied");
}
