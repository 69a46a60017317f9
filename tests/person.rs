//! A person who edits the document while a worker runs: in every way editors save, at every moment of a commit, and
//! with a buffer from before the merge. No edit lost, ever, and nothing silent.

use crate::support::{User, skipped};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const MINE: &str = "# Notes\n\nMine.\n\n## Log\n\n- one\n";

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn with_document() -> (User, PathBuf) {
    let user = User::new();
    let notes = user.with_notes();
    fs::write(&notes, MINE).unwrap();
    (user, notes)
}

/// Starts a worker that stops at a point (or several: `a,stop=b`), does something meanwhile, and lets it go on, each time it comes there.
fn meanwhile(user: &User, point: &str, mut act: impl FnMut(usize)) {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    let mut worker =
        user.command(["work"]).env("LAST_WORD_TROUBLE", format!("stop={point}")).spawn().unwrap();
    let pid = Pid::from_child(&worker);
    let mut stops = 0;
    while let Some((_, status)) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap() {
        if !status.stopped() {
            // Reaped here; `wait` would find nobody.
            assert_eq!(status.exit_status(), Some(0), "{point}");
            break;
        }
        act(stops);
        stops += 1;
        kill_process(pid, Signal::CONT).unwrap();
    }
    assert!(stops > 0, "{point}: the worker never came there, the test proves nothing");
    let _ = worker.try_wait();
}

/// How editors save: over the file itself, or a new file renamed over it.
fn save_in_place(path: &Path, said: &str) {
    fs::write(path, said).unwrap();
}

fn save_by_rename(path: &Path, said: &str) {
    let beside = path.with_extension("swp");
    fs::write(&beside, said).unwrap();
    fs::rename(beside, path).unwrap();
}

const POINTS: [&str; 6] = [
    "claim.secured",
    "commit.staged",
    "commit.intended",
    "commit.exchanged",
    "commit.archived",
    "receipts.written",
];

/// Nothing is anywhere but in the document, in `done/` and in the history.
fn assert_done(user: &User, jobs: usize, what: &str) {
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, jobs], "{what}");
    user.assert_clean();
    let beside: Vec<_> = fs::read_dir(user.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!beside.iter().any(|name| name.to_string_lossy().contains("last-word-")), "{what}: {beside:?}");
}

#[test]
fn saves_while_a_worker_runs() {
    type Save = fn(&Path, &str);
    let saves: [(&str, Save); 2] = [("in place", save_in_place), ("by rename", save_by_rename)];
    for point in POINTS {
        for ((way, save), saves_max) in saves.into_iter().flat_map(|way| [(way, 1), (way, 3)]) {
            let what = format!("{way} at {point}, {saves_max} times at most");
            let (user, notes) = with_document();
            user.note("Log", "append", "- two");
            user.note("New", "update", "three");
            let mut said = 0;
            meanwhile(&user, point, |stops| {
                if stops < saves_max {
                    save(&notes, &text(&notes).replacen("Mine.\n", &format!("Mine.\nMe {stops}.\n"), 1));
                    said = stops + 1;
                }
            });
            user.run(["work"]).ok();
            let end = text(&notes);
            // Also what was saved first by somebody who then saved onto a text that lacked it.
            for mine in (0..said).map(|n| format!("Me {n}.\n")) {
                assert_eq!(end.matches(&mine).count(), 1, "{what}: {mine} is lost: {end}");
            }
            assert_eq!(end.matches("- two\n").count(), 1, "{what}: {end}");
            assert!(end.ends_with("\n## New\n\nthree\n"), "{what}: {end}");
            assert_done(&user, 2, &what);
        }
    }
}

/// What a person saves in the middle of a commit may lack what they saved before, because our text stood there. Whoever goes
/// on from *that* save has not seen it either.
#[test]
fn a_buffer_of_a_save_that_lacks_an_earlier_one_loses_nothing_silently() {
    for (saves_max, kept) in [(2, 0), (2, 1), (3, 1), (3, 2), (5, 2), (5, 4)] {
        let (user, notes) = with_document();
        user.note("Log", "append", "- two");
        let mut buffers = Vec::new();
        meanwhile(&user, "commit.intended", |stops| {
            if stops < saves_max {
                let said = text(&notes).replacen("Mine.\n", &format!("Mine.\nMe {stops}.\n"), 1);
                save_by_rename(&notes, &said);
                buffers.push(said);
            }
        });
        let stale = buffers.swap_remove(kept);
        save_by_rename(&notes, &stale.replacen("Mine.\n", "Mine.\nLast.\n", 1));
        user.note("Log", "append", "- three");
        user.run(["work"]).ok();
        let (end, shown) = (text(&notes), said_to_a_person(&user));
        for words in (0..saves_max).map(|n| format!("Me {n}.")).chain(["Last.".to_owned()]) {
            let case = format!("{words} of {saves_max}, and a buffer of save {kept}");
            assert!(end.contains(&words) || shown.contains(&words), "{case}: {end}\n{shown}");
        }
    }
}

/// Somebody saves into every round of a commit, and does not stop.
#[test]
fn a_commit_among_saves_that_do_not_stop_ends() {
    let (user, notes) = with_document();
    let id = user.note("Log", "append", "- two");
    user.note("Log", "append", "- three");
    let mut saved = Vec::new();
    meanwhile(&user, "commit.intended", |_| {
        let n = saved.len();
        // More than there can be: this test is to fail, not to hang.
        if n < 60 {
            let said = text(&notes).replacen("Mine.\n", &format!("Mine.\nMe {n}.\n"), 1);
            save_by_rename(&notes, &said);
            saved.push(said);
        }
    });
    assert!((8..60).contains(&saved.len()), "{} saves", saved.len());
    assert_eq!(text(&notes), *saved.last().unwrap(), "the last save stands as it was saved");
    let journal = user.tree().into_iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "jsonl"));
    let journal: String = journal.map(|(_, text)| String::from_utf8_lossy(&text).into_owned()).collect();
    let put_off =
        |line: &str| line.contains(&id) && line.contains("deferred") && line.contains("document_busy");
    assert!(journal.lines().any(put_off), "the jobs wait for a quieter moment: {journal}");
    let told = said_to_a_person(&user);
    for words in (0..saved.len()).map(|n| format!("Me {n}.\n")) {
        let end = text(&notes);
        assert!(
            end.matches(&words).count() <= 1 && (end.contains(&words) || told.contains(&words)),
            "{words}: {end}{told}"
        );
    }
    // Somebody who had loaded what stood in between lacks what came later.
    save_by_rename(&notes, &saved[3].replacen("Mine.\n", "Mine.\nStale.\n", 1));
    user.run(["work", "--wait-retries", "30"]).ok();
    let (end, told) = (text(&notes), said_to_a_person(&user));
    for words in (0..saved.len()).map(|n| format!("Me {n}.\n")) {
        assert!(end.contains(&words) || told.contains(&words), "{words}: {end}{told}");
    }
    for line in ["- two\n", "- three\n"] {
        assert_eq!(end.matches(line).count(), 1, "{end}");
    }
    assert_eq!(user.counts()[..3], [0, 0, 0]);
    let history = user.json(["history", "notes"]);
    let first =
        history["versions"].as_array().unwrap().iter().find(|version| version["version"] == 1).unwrap();
    assert_eq!(first["jobs"], json!([]), "the saves are a version without jobs: {history}");
}

/// A worker dies on its way back from such a commit, at each exchange and each step of it.
#[test]
fn a_worker_that_dies_while_it_gives_back_what_was_saved_loses_nothing() {
    let points = [
        "commit.exchanged:9",
        "commit.exchanged:10",
        "commit.given-back",
        "commit.archived",
        "commit.logged",
    ];
    for (point, end_now) in points.into_iter().flat_map(|point| [(point, false), (point, true)]) {
        let (user, notes) = with_document();
        user.note("Log", "append", "- two");
        let mut said = 0;
        let mut save = |_: usize| {
            let now = text(&notes).replacen("Mine.\n", &format!("Mine.\nMe {said}.\n"), 1);
            save_by_rename(&notes, &now);
            said += 1;
        };
        let order = format!("stop=commit.intended,point={point}");
        stopped_then_gone(user.command(["work"]).env("LAST_WORD_TROUBLE", order), &mut save);
        if !end_now {
            save(0);
        }
        user.run(["work", "--wait-retries", "30"]).ok();
        let (end, told) = (text(&notes), said_to_a_person(&user));
        for words in (0..said).map(|n| format!("Me {n}.\n")) {
            assert!(end.matches(&words).count() <= 1, "{point}: {words} is there twice: {end}");
            assert!(end.contains(&words) || told.contains(&words), "{point}: {words} is lost: {end}{told}");
        }
        assert_eq!(end.matches("- two\n").count(), 1, "{point}: {end}");
        assert_eq!(user.counts()[..3], [0, 0, 0], "{point}");
        assert_eq!(user.counts()[5], 1, "{point}");
    }
}

/// Everything that was put before a person, as one text.
fn said_to_a_person(user: &User) -> String {
    let mut said = String::new();
    for state in ["staging/failed", "staging/review"] {
        for entry in fs::read_dir(user.home().join(state)).unwrap() {
            said.push_str(&fs::read_to_string(entry.unwrap().path()).unwrap());
        }
    }
    said
}

#[test]
fn two_saves_in_one_commit_that_exclude_each_other() {
    for crash in [false, true] {
        let (user, notes) = with_document();
        user.note("Log", "append", "- two");
        let mut worker = user.command(["work"]);
        if !crash {
            drop(worker);
            meanwhile(&user, "commit.intended", |stops| {
                let said = ["Mine, first.\n", "Mine, second.\n"].get(stops);
                if let Some(said) = said {
                    save_by_rename(&notes, &MINE.replace("Mine.\n", said));
                }
            });
        } else {
            // The same, with a worker that is gone after the second exchange.
            let mut act = |stops: usize| {
                if let Some(said) = ["Mine, first.\n", "Mine, second.\n"].get(stops) {
                    save_by_rename(&notes, &MINE.replace("Mine.\n", said));
                }
            };
            let order = "stop=commit.intended,point=commit.intended:3";
            stopped_then_gone(worker.env("LAST_WORD_TROUBLE", order), &mut act);
        }
        user.run(["work"]).ok();
        let end = text(&notes);
        assert_eq!(end, MINE.replace("Mine.\n", "Mine, second.\n").replace("- one\n", "- one\n- two\n"));
        assert_eq!(user.counts(), [0, 0, 0, 1, 0, 1], "the first text waits for a person");
        let failed = user.json(["list", "failed"]);
        let id = failed[0]["id"].as_str().unwrap();
        assert_eq!(failed[0]["error"], "left_out", "{failed}");
        let shown = user.run(["show", id]).ok();
        assert!(shown.contains("Mine, first."), "{shown}");
        user.run(["resolve", id, "--discard"]).ok();
        user.run(["work"]).ok();
        assert_eq!(user.counts(), [0, 0, 0, 0, 0, 3], "told once; the text stays in `done`");
    }
}

/// Runs a worker that stops some times and then aborts.
fn stopped_then_gone(command: &mut std::process::Command, act: &mut dyn FnMut(usize)) {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    let mut worker = command.spawn().unwrap();
    let pid = Pid::from_child(&worker);
    let mut stops = 0;
    while let Some((_, status)) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap() {
        if !status.stopped() {
            assert!(status.signaled(), "it was to abort");
            break;
        }
        act(stops);
        stops += 1;
        kill_process(pid, Signal::CONT).unwrap();
    }
    let _ = worker.try_wait();
}

#[test]
fn a_buffer_from_before_the_merge_is_saved_over_it() {
    let (user, notes) = with_document();
    let first = user.note("Log", "append", "- two");
    user.note("New", "update", "three");
    user.run(["work"]).ok();
    let merged = text(&notes);
    save_by_rename(&notes, MINE);
    user.run(["work"]).ok();
    assert_eq!(text(&notes), MINE, "it is theirs: nothing is changed without a yes");
    assert_eq!(user.counts(), [0, 0, 0, 0, 2, 2]);
    let waiting = user.json(["list", "review"]);
    assert_eq!(waiting[0]["error"], "reverted", "{waiting}");
    assert!(waiting[0].to_string().contains(&first), "the first job is named: {waiting}");
    assert!(user.run(["status"]).ok().contains("last-word review"), "status says what to type");
    user.run(["work"]).ok();
    assert_eq!(user.counts(), [0, 0, 0, 0, 2, 2], "told once");
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), merged);
    assert_done(&user, 4, "written again");
}

/// The author of an item goes on with it under the id it was told, also when a save took it away and a yes brought it back.
#[test]
fn an_item_that_comes_back_keeps_its_id() {
    let (user, notes) = with_document();
    let said = user.json(["remember", "Prefers tabs over spaces", "--to", "notes", "--heading", "Said"]);
    let item = said["item"].as_str().unwrap();
    user.run(["work"]).ok();
    save_by_rename(&notes, MINE);
    user.run(["work"]).ok();
    let waiting = user.json(["list", "review"]);
    assert_eq!(waiting[0]["error"], "reverted", "{waiting}");
    let listed = user.json(["item", "list", "--all"]);
    assert!(
        listed.as_array().unwrap().iter().any(|one| one["id"] == item),
        "it waits under that id: {listed}"
    );
    let early = user.run(["item", "supersede", item, "Prefers spaces"]);
    early.fails(3, &format!("item {item} is in no document yet: job {}", waiting[0]["id"].as_str().unwrap()));
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert!(text(&notes).contains(&format!("^{item}")), "{}", text(&notes));
    user.run(["item", "supersede", item, "Prefers spaces"]).ok();
    user.run(["work"]).ok();
    assert!(text(&notes).contains("Prefers spaces"), "{}", text(&notes));
}

/// Who tidies up what a job wrote loses nothing: nothing is offered again that would stand there twice.
#[test]
fn what_a_person_renamed_or_moved_is_not_offered_again() {
    let line = |text: &str| text.lines().find(|line| line.contains("tabs")).unwrap().to_owned() + "\n";
    type Tidied<'t> = (&'t str, &'t str, &'t dyn Fn(&str) -> String);
    let moved =
        |text: &str, as_line: &str| text.replace(&line(text), "") + &format!("\n## Kept\n\n{as_line}\n");
    let tidied: [Tidied<'_>; 8] = [
        ("append", "New", &|text| text.replace("## New", "## Newer")),
        ("update", "New", &|text| text.replace("## New", "## Newer")),
        ("append", "Log", &|text| text.replace(&line(text), "") + "\n## Kept\n\n" + &line(text)),
        ("add", "Log", &|text| text.replace(&line(text), "") + "\n## Kept\n\n" + &line(text)),
        ("append", "Log", &|text| moved(text, "likes tabs")),
        ("append", "Log", &|text| moved(text, "* [ ] **likes tabs**")),
        ("append", "New", &|text| text.replace("## New", "### New")),
        ("append", "Log", &|text| text.replace("- likes tabs", "- likes tabs, no spaces")),
    ];
    for (op, heading, edit) in tidied {
        let (user, notes) = with_document();
        user.note(heading, op, if op == "add" { "likes tabs" } else { "- likes tabs" });
        user.run(["work"]).ok();
        save_by_rename(&notes, &edit(&text(&notes)));
        user.run(["work"]).ok();
        assert_eq!(user.counts()[4], 0, "{op} {heading}: {}", user.json(["list", "review"]));
        // A buffer from before it is another matter.
        save_by_rename(&notes, MINE);
        user.run(["work"]).ok();
        assert_eq!(user.counts()[4], 1, "{op} {heading}");
    }
}

/// What stands in another section because another job said it there is no place to which it was moved.
#[test]
fn the_words_of_another_job_are_not_taken_for_those_that_are_gone() {
    let (user, notes) = with_document();
    for heading in ["Log", "Other"] {
        user.note(heading, "append", "- [ ] write tests");
        user.run(["work"]).ok();
    }
    save_in_place(&notes, &text(&notes).replacen("- [ ] write tests\n", "", 1));
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 1);
}

/// Jobs of one commit, sections that were renamed, rollbacks of something else: a save of an old buffer takes all of it out, and is told.
#[test]
fn whatever_came_since_is_offered_again() {
    let start = format!("{MINE}\n## Keys\n\n- k\n");
    let old = |edit: bool| if edit { start.replace("- one\n", "- one\n- my own\n") } else { start.clone() };
    let approved = |user: &User| {
        for _ in 0..3 {
            user.run(["work"]).ok();
            user.run(["review", "--all", "--approve"]);
        }
        user.run(["work"]).ok();
    };
    // Two jobs of one commit, and words of their own in the section of the first.
    let (user, notes) = with_document();
    fs::write(&notes, &start).unwrap();
    user.note("Log", "append", "- two");
    user.note("Keys", "append", "- l");
    user.run(["work"]).ok();
    save_in_place(&notes, &old(true));
    approved(&user);
    let now = text(&notes);
    assert!(["- two", "- l", "- my own"].iter().all(|line| now.contains(line)), "{now}");
    // A section that was made and renamed.
    let (user, notes) = with_document();
    fs::write(&notes, &start).unwrap();
    user.note("New", "append", "- two");
    user.run(["work"]).ok();
    user.note("New", "rename", "Newer");
    user.run(["work"]).ok();
    let merged = text(&notes);
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 0, "as it was left");
    save_in_place(&notes, &old(false));
    approved(&user);
    assert_eq!(text(&notes), merged);
    // Behind a rollback of something else.
    let (user, notes) = with_document();
    fs::write(&notes, &start).unwrap();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    user.note("Keys", "append", "- l");
    user.run(["work"]).ok();
    user.run(["rollback", "notes"]).ok();
    user.run(["work"]).ok();
    let kept = text(&notes);
    save_in_place(&notes, &old(false));
    approved(&user);
    assert_eq!(text(&notes), kept, "and what was rolled back stays so");
}

/// A rollback that waits while somebody saves an old buffer decides about what it brings back and takes back, and hides nothing else.
#[test]
fn what_a_save_took_out_beside_a_rollback_is_told() {
    let start = format!("{MINE}\n## Keys\n\n- k\n");
    for section in ["Log", "Keys"] {
        let (user, notes) = with_document();
        fs::write(&notes, &start).unwrap();
        user.note("Log", "append", "- zero");
        user.run(["work"]).ok();
        let buffer = text(&notes);
        user.note(section, "append", "- of a job");
        user.run(["work"]).ok();
        user.note("Keys", "append", "- taken back");
        user.run(["work"]).ok();
        user.run(["rollback", "notes"]).ok();
        save_in_place(&notes, &buffer);
        user.run(["work"]).ok();
        let waiting = user.json(["list", "review"]).to_string();
        let what = format!("append {section}");
        assert_eq!(waiting.matches(&what).count(), 1, "{section}: {waiting}");
        user.run(["review", "--all", "--approve"]);
        user.run(["work"]).ok();
        let now = text(&notes);
        assert!(now.contains("- of a job") && !now.contains("- taken back"), "{section}: {now}");
    }
}

/// An editor that gives all lines other ends when it saves changes nothing of what they say.
#[test]
fn a_stale_buffer_with_other_line_ends_is_told() {
    for to_crlf in [true, false] {
        let (user, notes) = with_document();
        let with = |crlf: bool| if crlf { MINE.replace('\n', "\r\n") } else { MINE.to_owned() };
        fs::write(&notes, with(!to_crlf)).unwrap();
        user.note("Log", "append", "- two");
        user.run(["work"]).ok();
        save_by_rename(&notes, &with(to_crlf));
        user.run(["work"]).ok();
        assert_eq!(user.counts()[4], 1, "{to_crlf}");
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        let said = text(&notes).replace("\r\n", "\n");
        assert_eq!(said, MINE.replace("- one\n", "- one\n- two\n"));
        // As it was left, with other ends: nothing is lost.
        save_by_rename(&notes, &if to_crlf { said.clone() } else { said.replace('\n', "\r\n") });
        user.run(["work"]).ok();
        assert_eq!(user.counts()[4], 0, "{to_crlf}");
    }
}

/// Another section says when it was loaded; they gave theirs another level or name, took it out, or have seen one job and not the next.
#[test]
fn a_stale_buffer_in_which_they_changed_a_heading_is_told() {
    let start = format!("{MINE}\n## Keys\n\n- k\n");
    let edits: [(&str, &str); 3] =
        [("## Log", "### Log"), ("## Log", "## Diary"), ("## Log\n\n- one\n\n", "")];
    let key = ["enqueue", "--to", "notes", "--heading", "Log"];
    let ops: [&[&str]; 3] = [
        &["--op", "append", "--content", "- likes tabs"],
        &["--op", "upsert_item", "--content", "- tabs: liked"],
        &["--op", "replace", "--old-text", "one", "--content", "likes tabs"],
    ];
    for (from, to) in edits {
        for op in ops {
            let (user, notes) = with_document();
            fs::write(&notes, &start).unwrap();
            user.run(key.iter().chain(op)).ok();
            user.note("Keys", "append", "- l");
            user.run(["work"]).ok();
            save_by_rename(&notes, &start.replace(from, to));
            user.run(["work"]).ok();
            assert_eq!(user.counts()[4], 2, "{to} {op:?}");
        }
    }
    // They edited what the first job wrote; the second came after they had loaded that.
    let (user, notes) = with_document();
    fs::write(&notes, &start).unwrap();
    user.note("Log", "append", "- likes tabs");
    user.run(["work"]).ok();
    let loaded = text(&notes);
    user.note("Keys", "append", "- l");
    user.run(["work"]).ok();
    save_by_rename(&notes, &loaded.replace("likes tabs", "likes tabs, no spaces"));
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 1, "{}", user.json(["list", "review"]));
}

/// So does one that formats: blanks, blank lines, marks.
#[test]
fn a_stale_buffer_that_was_formatted_is_told() {
    let set = |text: &str| {
        let set = text.replace("\n\n", "\n\n\n").replace("- ", "*   ").replace("one\n", "one  \n");
        set.replace("~~~", "```")
    };
    let keys = format!("{MINE}\n## Keys\n\n- k\n\n~~~sh\nls\n~~~\n");
    for edit in ["", "- mine\n"] {
        let (user, notes) = with_document();
        fs::write(&notes, &keys).unwrap();
        user.note("Log", "append", "- two");
        user.note("Keys", "append", "- l");
        user.run(["work"]).ok();
        save_by_rename(&notes, &set(&keys.replace("- k\n", &format!("- k\n{edit}"))));
        user.run(["work"]).ok();
        assert_eq!(user.counts()[4], 2, "{edit}");
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        let now = text(&notes);
        assert!(
            ["- two", "- l", edit.trim_start_matches("- ").trim()].iter().all(|line| now.contains(line)),
            "{now}"
        );
        // What is there now, set otherwise, lacks nothing.
        save_by_rename(&notes, &set(&now));
        user.run(["work"]).ok();
        assert_eq!(user.counts()[4], 0, "{edit}");
    }
}

/// Lines that begin or sound like those of jobs are none of them: a person's own, in a buffer from before.
#[test]
fn what_only_sounds_like_it_is_another_line() {
    let start = format!("{MINE}\n## Keys\n\n- k\n");
    let pairs = [
        ("- User prefers dark mode", "- User prefers tea", "## Log\n\n"),
        ("- 用户喜欢茶", "- 用户喜欢狗", "## Log\n\n"),
        ("- 2026-11-28: met Ann", "- 2026-11-28: ran", "## Log\n\n"),
        ("- likes tabs", "- dislikes tabs", "## Keys\n\n"),
        ("- use tabs", "- do not use tabs", "## Keys\n\n"),
        ("- 测试", "- 明天不要跑测试", "## Keys\n\n"),
    ];
    for (said, mine, below) in pairs {
        let (user, notes) = with_document();
        fs::write(&notes, format!("{start}\n## More\n\n- m\n")).unwrap();
        user.note("Log", "append", said);
        user.note("More", "append", "- l");
        user.run(["work"]).ok();
        let buffer = format!("{start}\n## More\n\n- m\n").replace(below, &format!("{below}{mine}\n"));
        save_by_rename(&notes, &buffer);
        user.run(["work"]).ok();
        assert_eq!(user.counts()[4], 2, "{said} / {mine}");
    }
}

/// Of two texts that took the place of each other the newer one is offered, and a loss is told once, however it is set.
#[test]
fn a_loss_is_told_once_and_a_replaced_text_is_not_offered() {
    let (user, notes) = with_document();
    user.note("Log", "update", "- one\n- older");
    user.run(["work"]).ok();
    user.note("Log", "update", "- one\n- newer");
    user.run(["work"]).ok();
    for set in [MINE.to_owned(), MINE.replace("- ", "* "), MINE.replace("one", "**one**"), MINE.to_owned()] {
        save_by_rename(&notes, &set);
        user.run(["work"]).ok();
        assert_eq!(user.counts()[4], 1, "{set}");
    }
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert!(text(&notes).contains("newer") && !text(&notes).contains("older"), "{}", text(&notes));
}

/// What one job wrote and the next one took out is not missed in a text that is set otherwise.
#[test]
fn a_formatted_document_lacks_nothing() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    user.note("Log", "update", "- one");
    user.run(["work"]).ok();
    assert_eq!(text(&notes), MINE);
    save_by_rename(&notes, &MINE.replace("- one", "*  one"));
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 0, "{}", user.json(["list", "review"]));
}

/// Their own words in a section that a job replaces are merged with what it says, or it is a conflict: a yes takes none of them out.
#[test]
fn a_yes_to_an_update_keeps_what_they_wrote_meanwhile() {
    for (mine, stays) in [("- mine\n- one\n", true), ("- mine\n", false)] {
        let (user, notes) = with_document();
        user.note("Log", "update", "- one\n- two");
        user.note("Other", "append", "- more");
        user.run(["work"]).ok();
        save_in_place(&notes, &MINE.replace("- one\n", mine));
        user.run(["work"]).ok();
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        let now = text(&notes);
        assert!(now.contains("- mine\n") && now.contains("- more\n"), "{now}");
        assert_eq!((now.contains("- two\n"), user.counts()[3]), (stays, usize::from(!stays)), "{now}");
        // What waits as a conflict is not asked about a second time, however they go on editing or saving the section.
        for again in
            [now.replace("- mine\n", "- mine, too\n"), MINE.to_owned(), MINE.replace("- one\n", "- new\n")]
        {
            save_in_place(&notes, &again);
            user.run(["work"]).ok();
            let review = user.json(["list", "review"]);
            assert!(stays || !review.to_string().contains("update Log"), "{again}: {review}");
        }
    }
}

/// So it is of a `clear` and a `delete`: a yes takes out nothing that the person wrote in that very save.
#[test]
fn a_yes_to_a_clear_keeps_what_they_wrote_meanwhile() {
    for operation in ["clear", "delete"] {
        let (user, notes) = with_document();
        fs::write(&notes, format!("{MINE}\n## Keys\n\n- k\n")).unwrap();
        user.run(["enqueue", "--to", "notes", "--heading", "Log", "--op", operation]).ok();
        user.note("Keys", "append", "- l");
        user.run(["work"]).ok();
        save_in_place(&notes, &format!("{MINE}\n## Keys\n\n- k\n").replace("- one\n", "- one\n- mine\n"));
        user.run(["work"]).ok();
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        let now = text(&notes);
        assert!(now.contains("- mine\n") && now.contains("- l\n"), "{operation}: {now}");
        assert_eq!(user.counts()[3], 1, "{operation}");
    }
}

/// What one section said once is not what another one of that name says now.
#[test]
fn sections_of_one_name_are_told_apart() {
    let (user, notes) = with_document();
    fs::write(&notes, "# A\n\n## Notes\n\n# B\n\n## Notes\n\n- x\n").unwrap();
    for parent in ["A", "B"] {
        let key = ["--heading", parent, "--heading", "Notes", "--op", "append", "--content", "- job"];
        user.run(["enqueue", "--to", "notes"].into_iter().chain(key)).ok();
        user.run(["work"]).ok();
    }
    save_in_place(&notes, &text(&notes).replace("- x\n- job\n", ""));
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 0, "{}", user.json(["list", "review"]));
}

/// An editor that makes its old file a backup first, and a checkout of another branch: made anew at once, the document would be saved over.
#[test]
fn a_document_that_is_away_for_a_moment_is_waited_for() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    let backup = notes.with_extension("md~");
    user.note("Log", "append", "- three");
    fs::rename(&notes, &backup).unwrap();
    meanwhile(&user, "settle.durable", |stops| {
        if stops == 0 {
            assert!(!notes.exists());
            fs::rename(&backup, &notes).unwrap();
        }
    });
    assert_eq!(text(&notes), MINE.replace("- one\n", "- one\n- two\n- three\n"));
    assert_done(&user, 2, "it came back");
}

/// It was away for longer, and made anew; then they saved the text they had, with words of theirs in that section.
#[test]
fn a_document_that_was_away_and_is_saved_back_is_told() {
    let (user, notes) = with_document();
    user.note("Other", "append", "- zero");
    user.run(["work"]).ok();
    let loaded = text(&notes);
    fs::remove_file(&notes).unwrap();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    assert_eq!(text(&notes), "## Log\n\n- two\n");
    save_in_place(&notes, &loaded.replace("- one\n", "- one\n- mine\n"));
    user.run(["work"]).ok();
    assert_eq!(user.json(["list", "review"])[0]["error"], "reverted");
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), loaded.replace("- one\n", "- one\n- mine\n- two\n"));
}

/// So it is where a person had changed each section in it, and so nobody knows how it read.
#[test]
fn a_document_that_was_changed_by_hand_and_comes_back_is_told() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    let by_hand = text(&notes).replace("- one\n", "- one\n- mine\n").replace("Mine.", "Mine, too.");
    fs::remove_file(&notes).unwrap();
    user.note("Log", "append", "- three");
    user.run(["work"]).ok();
    assert_eq!(text(&notes), "## Log\n\n- three\n");
    // A person who begins anew is not told of what they never had.
    fs::write(&notes, "# Anew\n\n## Log\n\n- three\n- four\n").unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 0);
    fs::write(&notes, &by_hand).unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.json(["list", "review"])[0]["error"], "reverted");
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), format!("{by_hand}- three\n"));
}

/// A yes to it that found the words there already (they had put them back by hand) is no answer to the next such save.
#[test]
fn a_buffer_that_is_saved_over_it_once_more_is_told_again() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    let merged = text(&notes);
    for times in 1..=3 {
        save_by_rename(&notes, MINE);
        for _ in 0..2 {
            user.run(["work"]).ok();
            assert_eq!(user.counts()[4], 1, "the save number {times} is told once");
        }
        save_by_rename(&notes, &merged);
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        assert_eq!(text(&notes), merged, "said already");
        assert_eq!(user.counts()[4], 0);
    }
    save_by_rename(&notes, MINE);
    user.run(["work"]).ok();
    user.run(["review", "--all", "--reject"]).ok();
    save_by_rename(&notes, &merged);
    user.run(["work"]).ok();
    save_by_rename(&notes, MINE);
    user.run(["work"]).ok();
    assert_eq!(user.counts()[4], 0, "a no is for good");
}

/// So is a section that was put beside another one, and a key of the front matter.
#[test]
fn what_was_put_beside_or_in_front_is_offered_again() {
    let (user, notes) = with_document();
    let config = user.home().join("config.yaml");
    let edited = text(&config).replace("notes:\n    path:", "notes:\n    frontmatter: true\n    path:");
    user.configure(&edited);
    let mine = format!("---\nname: Joe\n---\n{MINE}");
    fs::write(&notes, &mine).unwrap();
    let beside = ["--heading", "Log", "--op", "insert_after", "--content", "## New\n\nnew"];
    user.run(["enqueue", "--to", "notes"].into_iter().chain(beside)).ok();
    let key = ["--heading", "front matter", "--heading", "name", "--level", "0", "--op", "update"];
    user.run(["enqueue", "--to", "notes", "--content", "Jim"].into_iter().chain(key)).ok();
    user.run(["work"]).ok();
    assert!(text(&notes).contains("## New\n\nnew") && text(&notes).contains("name: Jim"), "{}", text(&notes));
    save_by_rename(&notes, &mine);
    user.run(["work"]).ok();
    assert_eq!(text(&notes), mine);
    assert_eq!(user.counts()[4], 2, "{}", user.json(["list", "review"]));
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert!(text(&notes).contains("## New\n\nnew") && text(&notes).contains("name: Jim"), "{}", text(&notes));
}

/// And a value of a list there, whichever way it is written.
#[test]
fn a_value_of_a_list_is_offered_again() {
    for (list, op) in [("[a, b]", "add_value"), ("[a, b]", "remove_value"), ("\n- a\n- b", "add_value")] {
        let (user, notes) = with_document();
        let config = user.home().join("config.yaml");
        let edited = text(&config).replace("notes:\n    path:", "notes:\n    frontmatter: true\n    path:");
        user.configure(&edited);
        let mine = format!("---\ntags: {list}\n---\n{MINE}").replace(": \n", ":\n");
        fs::write(&notes, &mine).unwrap();
        let value = if op == "add_value" { "c" } else { "a" };
        let key = ["--heading", "front matter", "--heading", "tags", "--level", "0", "--op", op];
        let job = user.run(["enqueue", "--to", "notes", "--content", value].into_iter().chain(key)).ok();
        let job = job.trim().to_owned();
        user.run(["work"]).ok();
        let merged = text(&notes);
        assert_ne!(merged, mine);
        save_by_rename(&notes, &mine);
        user.run(["work"]).ok();
        let waiting = user.json(["list", "review"]);
        assert_eq!(waiting[0]["error"], "reverted", "{list} {op}: {waiting}");
        // `why` of the job that was merged says where its change is.
        let why = user.run(["why", &job]).ok();
        let again = waiting[0]["id"].as_str().unwrap();
        assert!(
            why.contains("has ended: applied")
                && why.contains(&format!("job {again} says it anew, and waits")),
            "{why}"
        );
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        let tags = |text: &str| text.split("updated_at").next().unwrap().to_owned();
        assert_eq!(tags(&text(&notes)), tags(&merged), "{list} {op}");
    }
}

#[test]
fn a_line_to_be_written_again_holds_whatever_was_written_meanwhile() {
    let (user, notes) = with_document();
    // Nobody knows the text of today when the yes comes.
    let config = user.home().join("config.yaml");
    user.configure(&format!("{}retention: {{ snapshots: 1 }}\n", text(&config)));
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    save_by_rename(&notes, MINE);
    user.run(["work"]).ok();
    for n in 3..8 {
        user.note("Log", "append", &format!("- {n}"));
        user.run(["work"]).ok();
    }
    user.run(["prune"]).ok();
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), MINE.replace("- one\n", "- one\n- 3\n- 4\n- 5\n- 6\n- 7\n- two\n"));
    assert_done(&user, 7, "written again");
}

/// What was taken out may come back before the yes, from another editor that had it: then the yes does not write it a second time.
#[test]
fn what_came_back_is_not_written_twice() {
    let merged = MINE.replace("- one\n", "- one\n- Jim likes green tea\n");
    let came_back = [
        merged.replace("\n- ", "\n+ "),
        merged.replace("- Jim", "1. Jim"),
        merged.replace("green tea", "green tea  "),
        merged.replace("green tea", "green tea, mostly"),
        MINE.replace("Mine.\n", "Mine.\n\n- Jim likes green tea\n"),
    ];
    for came_back in came_back {
        let (user, notes) = with_document();
        user.note("Log", "append", "- Jim likes green tea");
        user.run(["work"]).ok();
        assert_eq!(text(&notes), merged);
        save_by_rename(&notes, MINE);
        user.run(["work"]).ok();
        assert_eq!(user.json(["list", "review"])[0]["error"], "reverted");
        save_by_rename(&notes, &came_back);
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        assert_eq!(text(&notes), came_back);
        assert_done(&user, 2, &came_back);
    }
    // Some of its lines, and an item behind whose id somebody typed on.
    for (operation, said) in [("append", "- one\n- b\n- a\n- c\n"), ("prepend", "- a\n- c\n- one\n- b\n")] {
        let (user, notes) = with_document();
        user.note("Log", operation, "- a\n- b\n- c");
        user.run(["work"]).ok();
        save_by_rename(&notes, MINE);
        user.run(["work"]).ok();
        save_by_rename(&notes, &MINE.replace("- one\n", "- one\n- b\n"));
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        assert_eq!(text(&notes), MINE.replace("- one\n", said));
    }
    let (user, notes) = with_document();
    user.run(["remember", "--to", "notes", "Jim likes green tea most"]).ok();
    user.run(["work"]).ok();
    let merged = text(&notes);
    save_by_rename(&notes, MINE);
    user.run(["work"]).ok();
    let typed_on = format!("{} (so he says)\n", merged.trim_end());
    save_by_rename(&notes, &typed_on);
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), typed_on);
    // Words that another job says are no sign of it.
    let (user, notes) = with_document();
    user.note("Log", "append", "- Jim likes tea");
    user.run(["work"]).ok();
    save_by_rename(&notes, MINE);
    user.run(["work"]).ok();
    user.note("Log", "append", "- Jim likes tea a lot");
    user.run(["work"]).ok();
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), MINE.replace("- one\n", "- one\n- Jim likes tea a lot\n- Jim likes tea\n"));
}

#[test]
fn a_buffer_from_before_the_rollback_is_saved_over_it() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    let merged = text(&notes);
    user.run(["rollback", "notes"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), MINE);
    save_by_rename(&notes, &merged.replace("Mine.\n", "Mine.\nMe.\n"));
    for _ in 0..2 {
        user.run(["work"]).ok();
        let waiting = user.json(["list", "review"]);
        assert_eq!(waiting[0]["error"], "reverted", "{waiting}");
        assert_eq!(user.counts(), [0, 0, 0, 0, 1, 2], "told once");
    }
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), MINE.replace("Mine.\n", "Mine.\nMe.\n"), "rolled back again, their line kept");
    assert_done(&user, 3, "rolled back again");
}

/// An item that an agent gave another wording, and one that it retired, stand as it left them, whatever a person changes beside them.
#[test]
fn items_that_stand_are_not_offered_again() {
    let (user, notes) = with_document();
    fs::write(
        &notes,
        "# Notes\n\n## A\n\n- tea is green\n- rice is white\n\n## B\n\n- milk is white\n- rain is wet\n",
    )
    .unwrap();
    let id = |words: &str| {
        let items = user.json(["item", "list"]);
        let found =
            items.as_array().unwrap().iter().find(|item| item["text"].as_str().unwrap().contains(words));
        found.unwrap()["id"].as_str().unwrap().to_owned()
    };
    user.run(["item", "supersede", &id("tea"), "tea is black"]).ok();
    user.run(["work"]).ok();
    user.run(["item", "retire", &id("milk")]).ok();
    user.run(["work"]).ok();
    user.note("B", "append", "- said by an agent");
    user.run(["work"]).ok();
    let now = text(&notes).replace("- said by an agent\n", "").replace("- rice", "- mine\n- rice");
    save_by_rename(&notes, &now);
    user.run(["work"]).ok();
    let review = user.json(["list", "review"]);
    assert_eq!(review.as_array().unwrap().len(), 1, "{review}");
    assert!(review[0]["what"].as_str().unwrap().starts_with("append"), "{review}");
}

#[test]
fn what_a_person_took_out_stays_out_once_they_said_so() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    save_in_place(&notes, MINE);
    user.run(["work"]).ok();
    user.run(["review", "--all", "--reject"]).ok();
    for _ in 0..2 {
        user.run(["work"]).ok();
        assert_eq!(text(&notes), MINE);
        assert_done(&user, 2, "not asked again");
    }
    // A section of which they made something else is theirs without a question.
    user.note("Log", "append", "- three");
    user.run(["work"]).ok();
    save_in_place(&notes, &text(&notes).replace("- three", "- 3"));
    user.run(["work"]).ok();
    assert_done(&user, 3, "their own words");
}

#[test]
fn an_editor_goes_on_writing_into_the_displaced_file() {
    for commits_since in [0, 1, 7] {
        let (user, notes) = with_document();
        let editor = fs::File::options().read(true).write(true).open(&notes).unwrap();
        user.note("Log", "append", "- two");
        user.run(["work"]).ok();
        for n in 0..commits_since {
            user.note("Log", "append", &format!("- later {n}"));
            user.run(["work"]).ok();
        }
        editor.write_all_at(b"# NOTES", 0).unwrap();
        drop(editor);
        user.note("Log", "append", "- last");
        user.run(["work"]).ok();
        if commits_since < 5 {
            let failed = user.json(["list", "failed"]);
            assert_eq!(failed[0]["error"], "late_write", "{commits_since}: {failed}");
            let shown = user.run(["show", failed[0]["id"].as_str().unwrap()]).ok();
            assert!(shown.contains("# NOTES"), "{shown}");
        } else {
            // Five versions later the file they held is no version of ours any more; nobody sees it, its writer least.
            assert_eq!(user.counts()[3], 0);
        }
        assert!(text(&notes).starts_with("# Notes\n"), "the document is as it was");
        let told = user.counts();
        user.run(["work"]).ok();
        assert_eq!(user.counts(), told, "told once");
    }
}

/// In pieces, with workers between: all of it is put before them.
#[test]
fn an_editor_goes_on_writing_into_what_was_told_already() {
    let (user, notes) = with_document();
    let mut editor = fs::File::options().append(true).open(&notes).unwrap();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    for (n, said) in ["- first\n", "- second\n", "- third\n"].iter().enumerate() {
        editor.write_all(said.as_bytes()).unwrap();
        user.run(["work"]).ok();
        let failed = user.json(["list", "failed"]);
        assert_eq!(failed.as_array().unwrap().len(), n + 1, "{failed}");
        let shows = |job: &serde_json::Value| {
            user.run(["show", job["id"].as_str().unwrap()]).ok().contains(said.trim_end())
        };
        assert_eq!(failed.as_array().unwrap().iter().filter(|job| shows(job)).count(), 1, "{said}");
        user.run(["work"]).ok();
        assert_eq!(user.counts()[3], n + 1, "told once");
    }
    user.run(["resolve", "--all", "--discard"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.counts()[3], 0, "it is theirs to do");
}

#[test]
fn an_editor_goes_on_writing_into_a_save_that_a_commit_kept_aside() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    let mut editor = None;
    meanwhile(&user, "commit.intended", |stops| {
        if stops < 2 {
            save_by_rename(&notes, &text(&notes).replace("Mine.\n", &format!("Mine.\nSave {stops}.\n")));
        }
        if stops == 0 {
            editor = Some(fs::File::options().write(true).open(&notes).unwrap());
        }
    });
    assert_done(&user, 1, "both saves are in the document");
    assert!(text(&notes).contains("Save 0.") && text(&notes).contains("Save 1."), "{}", text(&notes));
    editor.unwrap().write_all_at(b"# NOTES", 0).unwrap();
    for _ in 0..2 {
        user.run(["work"]).ok();
        let failed = user.json(["list", "failed"]);
        assert_eq!(failed.as_array().map(Vec::len), Some(1), "{failed}");
        assert_eq!(failed[0]["error"], "late_write", "{failed}");
    }
}

#[test]
fn an_editor_goes_on_writing_into_a_text_that_stood_in_the_middle_of_a_commit() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    let mut editor = None;
    meanwhile(&user, "commit.intended", |stops| match stops {
        0 => save_by_rename(&notes, &text(&notes).replace("Mine.\n", "Mine.\nSaved.\n")),
        _ => editor = Some(fs::File::options().write(true).open(&notes).unwrap()),
    });
    assert_done(&user, 1, "the save is in the document");
    assert!(text(&notes).contains("Saved."), "{}", text(&notes));
    editor.unwrap().write_all_at(b"# NOTES", 0).unwrap();
    for _ in 0..2 {
        user.run(["work"]).ok();
        let failed = user.json(["list", "failed"]);
        assert_eq!(failed.as_array().map(Vec::len), Some(1), "{failed}");
        assert_eq!(failed[0]["error"], "late_write", "{failed}");
        let shown = user.run(["show", failed[0]["id"].as_str().unwrap()]).ok();
        assert!(shown.contains("# NOTES"), "{shown}");
    }
    assert!(text(&notes).starts_with("# Notes\n"), "the document is as it was");
}

/// A commit dies twice, each time while it holds a save that is nowhere else; people go on from what stands there then.
#[test]
fn a_save_that_two_dead_workers_held_is_not_taken_out_by_one_that_never_saw_it() {
    for last_too in [false, true] {
        let (user, notes) = with_document();
        user.note("Log", "append", "- two");
        let save = |said: &str| {
            save_by_rename(&notes, &text(&notes).replacen("Mine.\n", &format!("Mine.\n{said}\n"), 1));
        };
        let run = |trouble: &str, act: &mut dyn FnMut(usize)| {
            stopped_then_gone(user.command(["work"]).env("LAST_WORD_TROUBLE", trouble), act);
        };
        run("stop=commit.intended,point=commit.exchanged", &mut |_| save("Me 0."));
        save("Me 1.");
        run("stop=commit.intended,point=commit.exchanged:2", &mut |stops| {
            if stops == 1 {
                save("Me 2.");
            }
        });
        save("Me 3.");
        meanwhile(&user, "commit.intended", |stops| {
            if stops == 1 && last_too {
                save("Me 4.");
            }
        });
        user.run(["work"]).ok();
        let told = said_to_a_person(&user);
        for line in (0..if last_too { 5 } else { 4 }).map(|n| format!("Me {n}.\n")) {
            let end = text(&notes);
            assert!(end.matches(&line).count() <= 1, "{line} is there twice: {end}");
            assert!(end.contains(&line) || told.contains(&line), "{line} is lost: {end}{told}");
        }
        assert_eq!(text(&notes).matches("- two\n").count(), 1, "{}", text(&notes));
    }
}

#[test]
fn an_editor_that_moves_the_document_away_puts_an_old_buffer_in_its_place() {
    let (user, notes) = with_document();
    let before = text(&notes);
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    user.note("Log", "append", "- three");
    meanwhile(&user, "commit.intended", |stops| match stops {
        0 => fs::rename(&notes, notes.with_extension("md~")).unwrap(),
        1 => fs::write(&notes, &before).unwrap(),
        _ => {}
    });
    assert!(!text(&notes).contains("- two") && text(&notes).contains("- three"), "{}", text(&notes));
    let review = user.json(["list", "review"]);
    assert_eq!(review[0]["error"], "reverted", "{review}");
}

#[test]
fn a_stale_buffer_takes_out_what_came_into_the_section_they_were_writing_in() {
    let (user, notes) = with_document();
    let before = text(&notes) + "\n## Plans\n\n- rest\n";
    fs::write(&notes, &before).unwrap();
    for (heading, line) in [("Log", "- two"), ("Plans", "- travel"), ("Plans", "- read")] {
        user.note(heading, "append", line);
        user.run(["work"]).ok();
    }
    // One of them they had typed themselves.
    save_in_place(&notes, &(before + "- mine\n- read\n"));
    for _ in 0..2 {
        user.run(["work"]).ok();
        let review = user.json(["list", "review"]);
        let told: Vec<_> = review.as_array().unwrap().iter().map(|job| job["message"].to_string()).collect();
        assert_eq!(told.len(), 2, "{review}");
        assert!(
            told.iter().any(|told| told.contains("`Log`"))
                && told.iter().any(|told| told.contains("`Plans`"))
        );
    }
    user.run(["review", "--all", "--approve"]).ok();
    user.run(["work"]).ok();
    let text = text(&notes);
    for line in ["- two", "- travel", "- read", "- mine"] {
        assert_eq!(text.lines().filter(|other| *other == line).count(), 1, "{line}: {text}");
    }
    assert_eq!(user.counts()[4], 0);
}

/// The section says what it said before a person changed it, which no job had seen: a text that is kept had it.
#[test]
fn a_stale_buffer_from_before_somebody_else_changed_a_section_is_told() {
    for is_command in [false, true] {
        let (user, notes) = with_document();
        fs::write(&notes, text(&notes) + "\n## Plans\n\n- rest\n").unwrap();
        user.note("Log", "append", "- two");
        user.run(["work"]).ok();
        let loaded = text(&notes);
        let event = |name: &str| {
            let call = json!({ "hook_event_name": name, "session_id": "s", "tool_name": "Bash", "tool_use_id": "c",
                "tool_input": { "command": "make" } });
            user.run_with(["hook", "--agent", "claude_code"], call.to_string().as_bytes()).ok();
        };
        if is_command {
            event("PreToolUse");
        }
        save_in_place(&notes, &loaded.replace("- rest\n", "- rest\n- by somebody\n"));
        if is_command {
            event("PostToolUse");
        }
        user.note("Plans", "append", "- travel");
        user.run(["work"]).ok();
        save_in_place(&notes, &loaded);
        for _ in 0..2 {
            user.run(["work"]).ok();
            let review = user.json(["list", "review"]);
            let told: Vec<_> =
                review.as_array().unwrap().iter().map(|job| job["message"].to_string()).collect();
            assert!(told.len() == 1 && told[0].contains("`Plans`"), "{is_command}: {review}");
        }
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
        assert_eq!(text(&notes), loaded + "- travel\n");
    }
}

/// What a job did to an item, a text or a heading there can be seen to be gone as well.
#[test]
fn a_stale_buffer_undoes_a_change_of_the_section_they_were_writing_in_and_it_is_told() {
    for (op, old, content) in [
        ("upsert_item", None, Some("Port: 2")),
        ("upsert_row", None, Some("| b | 2 |")),
        ("replace", Some("rest"), Some("walk")),
        ("rename", None, Some("Aims")),
        ("delete", None, None),
        ("clear", None, None),
    ] {
        let (user, notes) = with_document();
        let before = text(&notes) + "\n## Plans\n\n- rest\n- Port: 1\n\n| k | v |\n|---|---|\n| a | 1 |\n";
        fs::write(&notes, &before).unwrap();
        user.note("Log", "append", "- two");
        user.run(["work"]).ok();
        let mut words = vec!["enqueue", "--to", "notes", "--heading", "Plans", "--op", op];
        words.extend(old.into_iter().flat_map(|old| ["--old-text", old]));
        words.extend(content.into_iter().flat_map(|content| ["--content", content]));
        user.run(words).ok();
        user.run(["work"]).ok();
        save_in_place(&notes, &before.replace("- rest\n", "- rest\n- mine\n"));
        user.run(["work"]).ok();
        let review = user.json(["list", "review"]);
        let told: Vec<_> = review.as_array().unwrap().iter().map(|job| job["what"].to_string()).collect();
        assert!(told.iter().any(|told| told.contains(&format!("{op} Plans"))), "{op}: {told:?}");
        assert!(text(&notes).contains("- mine"), "{op}");
    }
}

/// Three commits of so many jobs that the end of the log which is read at first tells of the last one alone.
fn three_long_commits(user: &User) {
    for n in 0..3 {
        let note = |at: u32| {
            json!({ "version": "1.0.0", "source": "t", "entries": [{ "key": { "kb": "notes", "heading": "Log" },
                "operation": "append", "content": format!("- {n} {at}") }] })
        };
        let lines: Vec<String> = (0..120).map(|at| note(at).to_string()).collect();
        user.run_with(["enqueue", "-"], lines.join("\n").as_bytes()).ok();
        user.run(["work"]).ok();
    }
    let history = user.home().join("history");
    let log = fs::read_dir(history).unwrap().next().unwrap().unwrap().path().join("log.jsonl");
    let lines = text(&log).lines().map(str::len).collect::<Vec<_>>();
    assert!(lines.iter().rev().take(2).all(|len| (33_000..64_000).contains(len)), "{lines:?}");
}

#[test]
fn what_happened_before_a_long_log_is_not_forgotten() {
    let (user, notes) = with_document();
    let before = text(&notes);
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    let editor = fs::File::options().write(true).open(&notes).unwrap();
    three_long_commits(&user);
    // Into the text that the first of them displaced.
    editor.write_all_at(b"# NOTES", 0).unwrap();
    drop(editor);
    user.run(["work"]).ok();
    let failed = user.json(["list", "failed"]);
    assert_eq!(failed[0]["error"], "late_write", "{failed}");
    // A buffer from before the first commit of all.
    save_in_place(&notes, &before);
    user.run(["work"]).ok();
    let review = user.json(["list", "review", "--limit", "0"]);
    let reverted = review.as_array().unwrap().iter().filter(|job| job["error"] == "reverted").count();
    assert_eq!(reverted, 1 + 3 * 120, "each of them");
}

#[test]
fn a_document_that_is_being_saved_is_waited_for() {
    let saved = MINE.replace("Mine.\n", "Mine.\nMe.\n");
    // What is there of a save: nothing, or a beginning.
    for begun in [0, saved.len() - 3] {
        for point in ["", "commit.staged", "commit.intended"] {
            let (user, notes) = with_document();
            user.note("Log", "append", "- two");
            user.run(["work"]).ok();
            let saved = format!("{saved}- two\n");
            user.note("Log", "append", "- three");
            if point.is_empty() {
                fs::write(&notes, &saved[..begun]).unwrap();
            }
            let mut writing = None;
            let stops =
                if point.is_empty() { "save.begun".to_owned() } else { format!("{point},stop=save.begun") };
            meanwhile(&user, &stops, |stops| match (stops, point) {
                (0, "") => save_in_place(&notes, &saved),
                // They opened it, and emptied it; the file is theirs until they have written all.
                (0, _) => {
                    let mut file = fs::File::create(&notes).unwrap();
                    file.write_all(&saved.as_bytes()[..begun]).unwrap();
                    writing = Some(file);
                }
                _ => writing.take().into_iter().for_each(|mut file| {
                    file.write_all(&saved.as_bytes()[begun..]).unwrap();
                }),
            });
            user.run(["work"]).ok();
            assert_eq!(text(&notes), format!("{saved}- three\n"), "{begun} {point}");
            assert_done(&user, 2, point);
        }
    }
}

#[test]
fn a_document_that_is_empty_for_longer_is_waited_for_once() {
    for is_cleared in [false, true] {
        let (user, notes) = with_document();
        user.note("Log", "append", "- two");
        user.run(["work"]).ok();
        let saved = text(&notes);
        user.note("Log", "append", "- three");
        fs::write(&notes, "").unwrap();
        meanwhile(&user, "settle.durable", |stops| {
            if stops > 0 {
                return;
            }
            assert_eq!(text(&notes), "", "nothing is merged into what may be half a save");
            if !is_cleared {
                fs::write(&notes, &saved).unwrap();
            }
        });
        let expected =
            if is_cleared { "## Log\n\n- three\n".to_owned() } else { format!("{saved}- three\n") };
        assert_eq!(text(&notes), expected);
    }
}

/// So it is where that begins in the middle of a commit, also for a job that fits nothing in an empty document.
#[test]
fn a_document_that_goes_in_the_middle_of_a_commit_is_waited_for() {
    for is_renamed in [false, true] {
        for operation in ["append", "replace"] {
            let (user, notes) = with_document();
            let aside = notes.with_extension("md~");
            let said = match operation {
                "replace" => json!({ "old_text": "- one", "content": "- one\n- two" }),
                _ => json!({ "content": "- two" }),
            };
            let mut entry = json!({ "key": { "kb": "notes", "heading": "Log" }, "operation": operation });
            entry.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
            let declaration = json!({ "version": "1.0.0", "entries": [entry] });
            user.run_with(["enqueue", "-"], declaration.to_string().as_bytes()).ok();
            meanwhile(&user, "commit.intended,stop=settle.durable", |stops| match (stops, is_renamed) {
                (0, false) => drop(fs::File::create(&notes).unwrap()),
                (0, true) => fs::rename(&notes, &aside).unwrap(),
                (1, false) => fs::write(&notes, MINE.replace("Mine.", "Me.")).unwrap(),
                (1, true) => {
                    assert!(!notes.exists(), "nothing is put in its place");
                    fs::write(&notes, MINE.replace("Mine.", "Me.")).unwrap();
                }
                _ => {}
            });
            let expected = MINE.replace("Mine.", "Me.").replace("- one\n", "- one\n- two\n");
            assert_eq!(text(&notes), expected, "{operation} {is_renamed}");
            assert_done(&user, 1, operation);
        }
    }
}

/// And where somebody else saves before it is given back: both are in the document, or put before them.
#[test]
fn a_save_over_one_that_has_begun_is_merged() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    let mut writing = None;
    let mut begun = 0;
    meanwhile(&user, "commit.intended,stop=save.begun", |stops| match stops {
        0 => writing = Some(fs::File::create(&notes).unwrap()),
        1 => {
            assert!(text(&notes).contains("- two"), "ours stands there while they are waited for");
            save_by_rename(&notes, &text(&notes).replace("Mine.\n", "Mine.\n\nCame.\n"));
        }
        _ => {
            begun += 1;
            // They go on once their file is the document again.
            if text(&notes).is_empty() {
                let rest = MINE.replace("- one\n", "- zero\n- one\n");
                writing.take().into_iter().for_each(|mut file| file.write_all(rest.as_bytes()).unwrap());
            }
        }
    });
    assert!(begun > 0 && writing.is_none());
    user.run(["work"]).ok();
    let end = text(&notes) + &reports(&user).concat();
    for line in ["Came.\n", "- zero\n", "- one\n", "- two\n"] {
        assert!(end.contains(line), "{line} is lost: {end}");
    }
    assert!(text(&notes).contains("- two\n"));
}

/// A worker that dies before it gives the file back, and one that dies right after.
#[test]
fn a_worker_that_dies_while_it_gives_back_an_empty_file_loses_nothing() {
    for nth in [1, 2] {
        let (user, notes) = with_document();
        user.note("Log", "append", "- two");
        let mut writing = None;
        let order = format!("stop=commit.intended,point=commit.exchanged:{nth}");
        let mut worker = user.command(["work"]);
        stopped_then_gone(worker.env("LAST_WORD_TROUBLE", order), &mut |_| {
            writing = Some(fs::File::create(&notes).unwrap());
        });
        let saved = MINE.replace("Mine.", "Me.");
        writing.unwrap().write_all(saved.as_bytes()).unwrap();
        user.run(["work"]).ok();
        assert_eq!(text(&notes), saved.replace("- one\n", "- one\n- two\n"), "{nth}");
        assert_done(&user, 1, "given back");
    }
}

/// A link that is put anew is away for a moment, and what it leads to is the document.
#[test]
fn a_link_that_is_away_for_a_moment_is_waited_for() {
    let (user, notes) = with_document();
    let real = user.root().join("vault.md");
    fs::rename(&notes, &real).unwrap();
    std::os::unix::fs::symlink(&real, &notes).unwrap();
    user.note("Log", "append", "- two");
    user.run(["work"]).ok();
    user.note("Log", "append", "- three");
    fs::remove_file(&notes).unwrap();
    meanwhile(&user, "settle.durable", |stops| {
        if stops == 0 {
            assert!(!notes.exists(), "nothing is put in its place");
            std::os::unix::fs::symlink(&real, &notes).unwrap();
        }
    });
    assert_eq!(text(&real), MINE.replace("- one\n", "- one\n- two\n- three\n"));
    assert!(fs::symlink_metadata(&notes).unwrap().is_symlink());
    assert_done(&user, 2, "it came back");
}

#[test]
fn a_document_that_is_deleted_is_made_again_by_the_next_job_only() {
    for point in POINTS {
        let (user, notes) = with_document();
        user.note("Log", "append", "- two");
        user.note("Log", "append", "- three");
        meanwhile(&user, point, |stops| {
            if stops == 0 {
                fs::remove_file(&notes).unwrap();
            }
        });
        user.run(["work"]).ok();
        let late = matches!(point, "commit.exchanged" | "commit.archived" | "receipts.written");
        match fs::read_to_string(&notes) {
            Ok(text) => assert!(!late && text == "## Log\n\n- two\n- three\n", "{point}: {text}"),
            Err(e) => assert!(late && e.kind() == std::io::ErrorKind::NotFound, "{point}: {e}"),
        }
        assert_done(&user, 2, point);
    }
}

#[test]
fn a_directory_or_a_locked_file_where_the_document_should_be() {
    let (user, notes) = with_document();
    user.note("Log", "append", "- two");
    fs::remove_file(&notes).unwrap();
    fs::create_dir(&notes).unwrap();
    user.run(["work"]).ok();
    assert_eq!(user.json(["list", "failed"])[0]["error"], "document_not_a_file");
    fs::remove_dir(&notes).unwrap();
    fs::write(&notes, MINE).unwrap();
    // Read-only is how the person left it, and how it stays; the bytes are ours to change.
    let mut mode = fs::metadata(&notes).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(&notes, mode.clone()).unwrap();
    user.run(["resolve", "--all", "--retry"]).ok();
    user.run(["work"]).ok();
    assert_eq!(text(&notes), MINE.replace("- one\n", "- one\n- two\n"));
    assert_eq!(fs::metadata(&notes).unwrap().permissions(), mode);
    assert_done(&user, 1, "written");
}

#[test]
fn a_document_behind_a_link_on_another_file_system() {
    let elsewhere = match tempfile::tempdir_in("/dev/shm") {
        Ok(dir) => dir,
        Err(e) => return skipped(format!("no second file system to write to ({e})")),
    };
    use std::os::unix::fs::MetadataExt;
    let (user, notes) = with_document();
    if fs::metadata(elsewhere.path()).unwrap().dev() == fs::metadata(user.root()).unwrap().dev() {
        return skipped("/dev/shm is the file system of the temp folder");
    }
    let real = elsewhere.path().join("real.md");
    fs::write(&real, MINE).unwrap();
    fs::remove_file(&notes).unwrap();
    std::os::unix::fs::symlink(&real, &notes).unwrap();
    for point in POINTS {
        fs::write(&real, MINE).unwrap();
        // Two: what one job alone ends with passes other points.
        for start in ["-", "- and"] {
            user.note("Log", "append", &format!("{start} {point}"));
        }
        meanwhile(&user, point, |stops| {
            if stops == 0 {
                save_by_rename(&real, &text(&real).replacen("Mine.\n", "Mine.\nMe.\n", 1));
            }
        });
        user.run(["work"]).ok();
        let end = text(&real);
        let added = format!("- {point}\n- and {point}\n");
        assert_eq!(end, MINE.replace("Mine.\n", "Mine.\nMe.\n") + &added, "{point}");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1, "nothing is left beside it");
        assert!(fs::symlink_metadata(&notes).unwrap().is_symlink(), "the link is kept");
        // Starting over at the old text looks like a buffer from before: this person means it.
        user.run(["review", "--all", "--reject"]);
    }
}

/// Commits of the storm below: `LAST_WORD_STORM` says another number.
const STORM: usize = 150;

/// A worker and a person at one document, as fast as both can. The person reads, thinks, and saves what they have, in
/// place or by rename; so now and then a merge is saved over. In the end every line of both is there once, or is put
/// before a person: nothing is silent.
#[test]
fn a_storm_of_both_sides() {
    let wanted = std::env::var("LAST_WORD_STORM").ok().and_then(|n| n.parse().ok()).unwrap_or(STORM);
    let (user, notes) = with_document();
    let over = std::sync::atomic::AtomicBool::new(false);
    let (said, saves) = std::thread::scope(|scope| {
        // Also when this side panics: else the worker would go on for ever.
        let _ends = Ends(&over);
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::SeqCst) {
                user.run(["work"]).ok();
            }
        });
        let (mut n, mut saves) = (0, Vec::new());
        while versions(&user) < wanted {
            let before = versions(&user);
            user.note("Log", "append", &format!("- job {n}."));
            // Up to three saves into one commit, then a person looks at what became of it.
            for _ in 0..=n % 3 {
                let (now, id) = (text(&notes), saves.len());
                let save = if n % 2 == 0 { save_by_rename } else { save_in_place };
                save(&notes, &now.replacen("Mine.\n", &format!("Mine.\nMe {id}.\n"), 1));
                // A save in place empties the file first: who reads it at that moment has nothing to add a line to.
                saves.extend(now.contains("Mine.\n").then_some(id));
            }
            n += 1;
            while versions(&user) == before && user.counts()[..3] != [0, 0, 0] {
                std::thread::yield_now();
            }
        }
        (n, saves)
    });
    user.run(["work"]).ok();
    let reverted = user.counts()[4];
    while user.counts()[4] > 0 {
        user.run(["review", "--all", "--approve"]).ok();
        user.run(["work"]).ok();
    }
    let end = text(&notes);
    let reports = reports(&user);
    for n in 0..said {
        let job = format!("- job {n}.\n");
        // A person who is kept from writing for long enough in the middle of a save saves all of it somewhere else: that is put before them.
        match end.matches(&job).count() {
            1 => {}
            0 if reports.iter().any(|text| text.contains(&job)) => {}
            times => panic!("{job} is there {times} times, in none of {} reports", reports.len()),
        }
    }
    let (mut mine, mut told) = (0, 0);
    for me in saves.iter().map(|n| format!("Me {n}.\n")) {
        match end.matches(&me).count() {
            1 => mine += 1,
            0 if reports.iter().any(|text| text.contains(&me)) => told += 1,
            n => panic!("{me} is there {n} times, in none of {} reports", reports.len()),
        }
    }
    println!(
        "{} commits, {} saves: {mine} lines of the person in the document, {reverted} merges saved over and written \
         again, {} texts put before them ({told} lines)",
        versions(&user),
        saves.len(),
        reports.len(),
    );
    assert_eq!(user.counts()[..3], [0, 0, 0]);
    user.assert_clean();
}

/// Says that a storm is over when it goes.
struct Ends<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::SeqCst);
    }
}

/// How many versions of the document there are.
fn versions(user: &User) -> usize {
    let Some(history) = fs::read_dir(user.home().join("history")).unwrap().next() else { return 0 };
    let log = fs::read(history.unwrap().path().join("log.jsonl")).unwrap_or_default();
    log.iter().filter(|b| **b == b'\n').count()
}

/// The texts of a person's that wait in `staging/failed`.
fn reports(user: &User) -> Vec<String> {
    let originals =
        user.tree().into_iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "original"));
    originals.map(|(_, text)| String::from_utf8(text).unwrap()).collect()
}
