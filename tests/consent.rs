//! A yes counts for the words that were approved: a job that changes between the screen and the merge is asked about again.
//! Each case is an attack that once succeeded.

use crate::support::{Said, User, write_program};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A user with a document that takes nothing without a yes, and one that takes everything.
fn user() -> (User, PathBuf) {
    let user = User::new();
    let soul = user.root().join("SOUL.md");
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  soul: {{ path: {}, policy: review }}\n  notes: {{ path: {} }}\nsession_bootstrap: []\n",
        soul.display(),
        user.root().join("notes.md").display()
    ));
    (user, soul)
}

fn propose(user: &User, content: &str) -> String {
    let id = enqueue(user, "soul", content);
    user.run(["work"]).ok();
    assert_eq!(user.files("staging/review").len(), 1);
    id
}

fn enqueue(user: &User, kb: &str, content: &str) -> String {
    let args = ["enqueue", "--to", kb, "--heading", "Tone", "--op", "append", "--content", content];
    user.run(args).ok().trim().to_owned()
}

/// The only file of a state.
fn only(user: &User, state: &str) -> PathBuf {
    let files = user.files(state);
    assert_eq!(files.len(), 1, "{files:?}");
    user.home().join(state).join(&files[0])
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// A job as it waits after a yes: its file's name and its bytes.
fn approved(user: &User) -> (String, Vec<u8>) {
    let pending = only(user, "pending");
    let name = pending.file_name().unwrap().to_str().unwrap().to_owned();
    (name, fs::read(&pending).unwrap())
}

/// Nothing of it is in the document, and it waits for a yes again, with a reason.
fn is_asked_again(user: &User, soul: &Path, why: &str) {
    assert!(!fs::read_to_string(soul).unwrap_or_default().contains("EVIL"));
    assert_eq!(user.files("staging/review").len(), 1);
    let list = user.run(["review"]).ok();
    assert!(list.contains("approval_mismatch"), "{list}");
    let text = fs::read_to_string(only(user, "staging/review")).unwrap();
    assert!(text.contains(why), "{text}");
}

#[test]
fn what_was_approved_is_merged_and_its_receipt_names_who_and_how() {
    let (user, soul) = user();
    let id = propose(&user, "- be honest");
    user.run(["review", &id, "--approve"]).ok();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&soul).unwrap().contains("- be honest"));
    let show = user.json(["show", &id]);
    let approval = &show["receipt"]["approval"];
    assert_eq!(approval["by"], "tester", "{show}");
    assert!(approval["channel"].as_str().is_some_and(|channel| !channel.is_empty()), "{show}");
    let shown = user.run(["show", &id]).ok();
    assert!(shown.contains("approved by tester"), "{shown}");
}

#[test]
fn a_job_that_is_edited_after_the_yes_is_asked_about_again() {
    let (user, soul) = user();
    let id = propose(&user, "- be honest");
    user.run(["review", &id, "--approve"]).ok();
    edit(&only(&user, "pending"), "honest", "EVIL");
    user.run(["work"]).ok();
    is_asked_again(&user, &soul, "what tester approved was changed since");
}

/// The attack: what a job says of its author comes into the document, and is not what was shown.
#[test]
fn a_yes_is_for_whose_words_they_are() {
    let said = r#"{ "version": "1.0.0", "source": "a script", "entries": [
        { "key": { "kb": "soul", "heading": "Tone" }, "operation": "append", "content": "- be honest" }] }"#;
    for (from, to) in [("a script", "EVIL"), ("tuesday", "EVIL")] {
        let (user, soul) = user();
        let id =
            user.run_with(["enqueue", "--agent", "codex", "--session", "tuesday", "-"], said.as_bytes()).ok();
        let id = id.trim().to_owned();
        user.run(["work"]).ok();
        edit(&only(&user, "staging/review"), from, to);
        user.run(["review", &id, "--approve"]).fails(1, "was changed after the worker proposed it");
        edit(&only(&user, "staging/review"), to, from);
        user.run(["review", &id, "--approve"]).ok();
        edit(&only(&user, "pending"), from, to);
        user.run(["work"]).ok();
        is_asked_again(&user, &soul, "what tester approved was changed since");
    }
}

/// So it is where it named none at first.
#[test]
fn a_yes_to_nobodys_words_is_for_nobodys_words() {
    let said = r#"{ "version": "1.0.0", "entries": [
        { "key": { "kb": "soul", "heading": "Tone" }, "operation": "append", "content": "- be honest" }] }"#;
    let (user, soul) = user();
    let id = user.run_with(["enqueue", "-"], said.as_bytes()).ok();
    let id = id.trim();
    user.run(["work"]).ok();
    let staged = only(&user, "staging/review");
    edit(&staged, "source: ''", "source: EVIL");
    user.run(["review", id, "--approve"]).fails(1, "was changed after the worker proposed it");
    edit(&staged, "source: EVIL", "source: ''");
    user.run(["review", id, "--approve"]).ok();
    edit(&only(&user, "pending"), r#""event":"enqueue""#, r#""agent":"EVIL","event":"enqueue""#);
    user.run(["work"]).ok();
    is_asked_again(&user, &soul, "what tester approved was changed since");
}

/// The attack: between the yes and the merge the document becomes a link to another file.
#[test]
fn a_yes_is_for_the_file_that_the_document_was() {
    let (user, soul) = user();
    let other = user.root().join("profile");
    fs::write(&soul, "# Soul\n").unwrap();
    fs::write(&other, "umask 077\n").unwrap();
    let id = propose(&user, "- EVIL");
    user.run(["review", &id, "--approve"]).ok();
    fs::remove_file(&soul).unwrap();
    std::os::unix::fs::symlink(&other, &soul).unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&other).unwrap(), "umask 077\n");
    is_asked_again(&user, &soul, "its document leads to");
    // Unseen it is not approved; who sees where it goes may say yes to that.
    user.run(["review", &id, "--approve"]).fails(1, "its document leads to another file");
    let Some(screen) = user.on_terminal("review", "a\n", &user.root().join("none")) else { return };
    assert!(screen.contains("EVIL"), "{screen}");
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&other).unwrap().contains("EVIL"));
}

/// A link that leads where it led is no reason to ask.
/// A document that is not there begins with its template: a yes is for that text, too.
#[test]
fn a_yes_is_for_the_template_that_was_shown() {
    let (user, soul) = user();
    let template = user.root().join("template.md");
    let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
    let with = format!("policy: review, template: {} }}", template.display());
    user.configure(&config.replacen("policy: review }", &with, 1));
    for changes in [true, false] {
        fs::write(&template, "# Soul\n\n## Tone\n\n- calm\n").unwrap();
        propose(&user, "- kind");
        user.run(["review", "--all", "--approve"]).ok();
        if changes {
            fs::write(&template, "# Soul\n\n- EVIL\n\n## Tone\n").unwrap();
            user.run(["work"]).ok();
            is_asked_again(&user, &soul, "says something else since");
            // Shown as it is now, it may be approved.
            user.run(["review", "--all", "--reject"]).ok();
            continue;
        }
        user.run(["work"]).ok();
        assert_eq!(fs::read_to_string(&soul).unwrap(), "# Soul\n\n## Tone\n\n- calm\n- kind\n");
    }
}

/// A yes is for what stood on the screen: a second `y`, or `a`, is none to the proposals behind it.
#[test]
fn a_second_yes_is_for_nothing_that_was_not_shown() {
    for answer in ["y\ny\n", "a\na\n", "y\na\n"] {
        let (user, soul) = user();
        for content in ["- one", "- two", "- three"] {
            enqueue(&user, "soul", content);
        }
        user.run(["work"]).ok();
        let Some(screen) = user.on_terminal("review", answer, &user.root().join("none")) else { return };
        assert!(screen.contains("`all` for all 3"), "{screen}");
        user.run(["work"]).ok();
        assert!(!soul.exists(), "{answer:?}: {screen}");
        let screen = user.on_terminal("review", "y\nall\n", &user.root().join("none")).unwrap();
        user.run(["work"]).ok();
        assert_eq!(fs::read_to_string(&soul).unwrap_or_default().matches("- ").count(), 3, "{screen}");
    }
}

/// A yes to replace a text is for the line in which it was shown.
#[test]
fn a_yes_to_a_replacement_is_for_its_line() {
    let (user, soul) = user();
    fs::write(&soul, "# Soul\n\n## Tone\n\n- never shout\n").unwrap();
    let replace = ["--heading", "Tone", "--op", "replace", "--old-text", "never ", "--content", ""];
    let asks = || {
        user.run(["enqueue", "--to", "soul"].into_iter().chain(replace)).ok();
        user.run(["work"]).ok();
        user.run(["review", "--all", "--approve"]).ok();
    };
    asks();
    let edited = "# Soul\n\n## Tone\n\n- be quiet\n- never delete files unasked, EVILLY\n";
    fs::write(&soul, edited).unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&soul).unwrap(), edited);
    assert!(user.run(["review"]).ok().contains("approval_mismatch"));
    user.run(["review", "--all", "--reject"]).ok();
    // What a person did by hand meanwhile is done.
    fs::write(&soul, "# Soul\n\n## Tone\n\n- never shout\n").unwrap();
    let drink =
        ["--heading", "Tone", "--op", "replace", "--old-text", "shout", "--content", "whisper loudly"];
    let id = user.run(["enqueue", "--to", "soul"].into_iter().chain(drink)).ok().trim().to_owned();
    user.run(["work"]).ok();
    user.run(["review", "--all", "--approve"]).ok();
    fs::write(&soul, "# Soul\n\n## Tone\n\n- never whisper loudly\n").unwrap();
    user.run(["work"]).ok();
    assert!(user.run(["why", &id]).ok().contains("unchanged"), "{}", user.run(["why", &id]).stdout);
    // Of several lines each is one that was shown.
    fs::write(&soul, "# Soul\n\n## Tone\n\n- never shout\n- never lie\n").unwrap();
    let twice =
        ["--heading", "Tone", "--op", "replace", "--old-text", "never ", "--expect", "2", "--content", ""];
    user.run(["enqueue", "--to", "soul"].into_iter().chain(twice)).ok();
    user.run(["work"]).ok();
    user.run(["review", "--all", "--approve"]).ok();
    let edited = "# Soul\n\n## Tone\n\n- never shout\n- never ask, EVILLY\n";
    fs::write(&soul, edited).unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&soul).unwrap(), edited);
    user.run(["review", "--all", "--reject"]).ok();
    // The line stayed, and others did not.
    fs::write(&soul, "# Soul\n\n## Tone\n\n- never shout\n").unwrap();
    asks();
    fs::write(&soul, "# Soul\n\n## Tone\n\n- kind\n- never shout\n- more\n").unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&soul).unwrap(), "# Soul\n\n## Tone\n\n- kind\n- shout\n- more\n");
}

/// What is generated asks for no yes, and what others may write is in it: a document that wants one gets none.
#[test]
fn what_is_generated_is_not_written_where_a_yes_is_wanted() {
    let other = "notes: { path: ";
    for (policy, explicit) in [("review", "false"), ("auto", "true"), ("auto", "false")] {
        for generated in ["copy_of: ~/other.md", "index: { of: \"~/details/*.md\" }"] {
            let (user, _) = user();
            fs::create_dir_all(user.root().join("details")).unwrap();
            fs::write(user.root().join("details/a.md"), "# EVIL\n\nEVIL words.\n").unwrap();
            fs::write(user.root().join("other.md"), "# Other\n\nEVIL words.\n").unwrap();
            let notes = user.root().join("notes.md");
            fs::write(&notes, "# Notes\n\n<!-- MACHINE_BLOCK_START -->\n<!-- MACHINE_BLOCK_END -->\n")
                .unwrap();
            let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
            let config = config.replace(other, &format!("notes: {{ policy: {policy}, {generated}, path: "));
            user.configure(&format!("{config}explicit_only: {explicit}\n"));
            let said = user.run(["work"]);
            let is_written = fs::read_to_string(&notes).unwrap().contains("EVIL");
            assert_eq!(
                is_written,
                policy == "auto" && explicit == "false",
                "{policy} {generated} {}",
                said.stderr
            );
            assert_eq!(said.stderr.contains("asks for your yes"), !is_written, "{}", said.stderr);
        }
    }
}

/// The other limits of a document hold for it as for what anybody declares: headings, a person's word, budgets.
#[test]
fn what_is_generated_is_held_to_the_limits_of_its_document() {
    for (rule, why) in [
        ("headings: { deny: [Rules] }", "may not be written"),
        ("headings: { review: [Rules] }", "need your approval"),
        ("headings: { allow: [Mine] }", "may not be written"),
        ("min_trust: user", "takes only what a person says"),
        ("budget_chars: 60", "over its budget"),
    ] {
        for generated in ["copy_of: ~/other.md", "index: { of: \"~/details/*.md\" }"] {
            let (user, _) = user();
            fs::create_dir_all(user.root().join("details")).unwrap();
            fs::write(user.root().join("details/a.md"), "# EVIL\n\nEVIL words of a document.\n").unwrap();
            fs::write(user.root().join("other.md"), "# Other\n\n## Rules\n\nEVIL words, and more of them.\n")
                .unwrap();
            let (notes, text) = (
                user.root().join("notes.md"),
                "# N\n\n## Rules\n\n<!-- MACHINE_BLOCK_START -->\n<!-- MACHINE_BLOCK_END -->\n",
            );
            fs::write(&notes, text).unwrap();
            let config = fs::read_to_string(user.home().join("config.yaml")).unwrap();
            let notes_kb = format!("notes: {{ {rule}, {generated}, path: ");
            user.configure(&config.replace("notes: { path: ", &notes_kb));
            let said = user.run(["work"]).stderr;
            assert_eq!(fs::read_to_string(&notes).unwrap(), text, "{rule} {generated}");
            assert!(said.contains(why), "{rule} {generated}: {said}");
        }
    }
}

#[test]
fn a_document_that_is_a_link_and_stays_one_is_merged() {
    let (user, soul) = user();
    let kept = user.root().join("dotfiles-SOUL.md");
    fs::write(&kept, "# Soul\n").unwrap();
    std::os::unix::fs::symlink(&kept, &soul).unwrap();
    let id = propose(&user, "- be honest");
    user.run(["review", &id, "--approve"]).ok();
    // As an editor saves: another file under the same name.
    fs::write(user.root().join("new"), "# Soul\n\nMine.\n").unwrap();
    fs::rename(user.root().join("new"), &kept).unwrap();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&kept).unwrap().contains("- be honest"));
}

/// The attack: the file of a job that was approved, merged and taken out again is put into `pending/` once its receipt is gone.
#[test]
fn a_yes_is_used_up_by_the_merge() {
    let (user, soul) = user();
    for together in [1, 3] {
        let ids: Vec<String> =
            (0..together).map(|n| enqueue(&user, "soul", &format!("- EVIL {together} {n}"))).collect();
        user.run(["work"]).ok();
        user.run(["review", "--all", "--approve"]).ok();
        let before: Vec<(String, Vec<u8>)> = user
            .files("pending")
            .into_iter()
            .map(|name| (name.clone(), fs::read(user.home().join("pending").join(name)).unwrap()))
            .collect();
        user.run(["work"]).ok();
        assert!(fs::read_to_string(&soul).unwrap().contains("EVIL"));
        fs::remove_file(&soul).unwrap();
        for dir in ["done", "receipts"] {
            let _ = fs::remove_dir_all(user.home().join(dir));
        }
        fs::create_dir(user.home().join("done")).unwrap();
        for (name, bytes) in before {
            user.drop_in(&user.home().join("pending"), &name, &bytes);
        }
        user.run(["work"]).ok();
        assert!(!soul.exists(), "{together}");
        assert_eq!(user.files("staging/review").len(), ids.len());
        let text = user.run(["show", &ids[0]]).ok();
        assert!(text.contains("there is no record of that"), "{text}");
        user.run(["review", "--all", "--reject"]).ok();
    }
}

/// A yes to a job that a person then ended is no yes to its file either.
#[test]
fn a_yes_is_used_up_by_a_no() {
    let (user, soul) = user();
    let id = propose(&user, "- EVIL");
    user.run(["review", &id, "--approve"]).ok();
    let (name, bytes) = approved(&user);
    edit(&only(&user, "pending"), "EVIL", "EVIL 2");
    user.run(["work"]).ok();
    user.run(["review", &id, "--reject"]).ok();
    fs::remove_dir_all(user.home().join("done")).unwrap();
    fs::create_dir(user.home().join("done")).unwrap();
    user.drop_in(&user.home().join("pending"), &name, &bytes);
    user.run(["work"]).ok();
    assert!(!soul.exists());
}

#[test]
fn a_proposal_that_is_edited_before_the_yes_is_not_approved_unseen() {
    let (user, soul) = user();
    let id = propose(&user, "- be honest");
    user.run(["review", "--all", "--dry-run"]).ok();
    edit(&only(&user, "staging/review"), "honest", "EVIL");
    for args in [["review", &id, "--approve"], ["review", "--all", "--approve"]] {
        let said = user.run(args).fails(1, "was changed after the worker proposed it");
        assert!(said.contains(&format!("last-word review {id}")), "{said}");
    }
    user.run(["work"]).ok();
    assert!(!soul.exists());
    assert_eq!(user.files("staging/review").len(), 1);
}

/// The attack: the proposal is taken out of `staging/` after somebody looked at it, and put into `pending/` with other words.
#[test]
fn a_proposal_that_comes_again_with_other_words_is_approved_only_where_it_is_shown() {
    let (user, soul) = user();
    let id = enqueue(&user, "soul", "- be honest");
    let pending = only(&user, "pending");
    let (name, text) =
        (pending.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&pending).unwrap());
    user.run(["work"]).ok();
    assert!(user.run(["show", &id]).ok().contains("be honest"));
    fs::remove_file(only(&user, "staging/review")).unwrap();
    user.drop_in(&user.home().join("pending"), &name, text.replace("honest", "EVIL").as_bytes());
    user.run(["work"]).ok();
    for args in [["review", &id, "--approve"], ["review", "--all", "--approve"]] {
        user.run(args).fails(1, "its words were changed after they were proposed");
    }
    user.run(["work"]).ok();
    is_asked_again(&user, &soul, "its words were changed after they were proposed");
    let Some(screen) = user.on_terminal("review", "a\n", &user.root().join("none")) else { return };
    assert!(screen.contains("be EVIL"), "{screen}");
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&soul).unwrap().contains("EVIL"), "who looked at it has said yes to it");
}

#[test]
fn a_proposal_that_comes_again_as_it_was_is_the_same() {
    let (user, soul) = user();
    let id = enqueue(&user, "soul", "- be honest");
    let pending = only(&user, "pending");
    let (name, text) = (pending.file_name().unwrap().to_owned(), fs::read(&pending).unwrap());
    user.run(["work"]).ok();
    fs::remove_file(only(&user, "staging/review")).unwrap();
    user.drop_in(&user.home().join("pending"), name.to_str().unwrap(), &text);
    user.run(["work"]).ok();
    user.run(["review", &id, "--approve"]).ok();
    user.run(["work"]).ok();
    assert!(fs::read_to_string(&soul).unwrap().contains("- be honest"));
}

#[test]
fn a_proposal_without_its_seal_is_approved_only_where_it_is_shown() {
    let (user, soul) = user();
    let id = propose(&user, "- be honest");
    let file = only(&user, "staging/review");
    let text = fs::read_to_string(&file).unwrap().replace("honest", "EVIL");
    let unsealed: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("seal:")).collect();
    assert_eq!(unsealed.len() + 1, text.lines().count(), "{text}");
    fs::write(&file, unsealed.join("\n") + "\n").unwrap();
    for args in [["review", &id, "--approve"], ["review", "--all", "--approve"]] {
        let said = user.run(args).fails(1, "it has no seal");
        assert!(said.contains(&format!("last-word review {id}")), "{said}");
    }
    user.run(["work"]).ok();
    assert!(!soul.exists());
    let Some(screen) = user.on_terminal("review", "a\n", &user.root().join("none")) else { return };
    assert!(screen.contains("be EVIL"), "{screen}");
    user.run(["work"]).ok();
    assert!(
        fs::read_to_string(&soul).unwrap().contains("EVIL"),
        "who looked at it and said yes has said yes"
    );
}

#[test]
fn a_proposal_that_is_edited_while_it_stands_on_the_screen_is_shown_again() {
    let (user, soul) = user();
    propose(&user, "- be honest");
    // The editor leaves the draft as it was, and changes the proposal behind the reviewer's back.
    let editor = user.root().join("editor");
    let review = user.home().join("staging/review");
    write_program(&editor, &format!("#!/bin/sh\nsed -i s/honest/EVIL/ {}/*.yaml\n", review.display()));
    let Some(screen) = user.on_terminal("review", "e\na\nq\n", &editor) else { return };
    let after =
        screen.split("it was changed while it stood here").nth(1).unwrap_or_else(|| panic!("{screen}"));
    assert!(after.contains("be EVIL"), "{screen}");
    user.run(["work"]).ok();
    assert!(!soul.exists());
    assert_eq!(user.counts(), [0, 0, 0, 0, 1, 0]);
}

#[test]
fn a_job_that_says_itself_that_it_was_approved_was_not() {
    let (user, soul) = user();
    enqueue(&user, "soul", "- EVIL");
    let pending = only(&user, "pending");
    edit(&pending, "\"producer\":", "\"approved_by\":\"root\",\"producer\":");
    let name = pending.file_name().unwrap().to_str().unwrap().replace("~0.json", "~4.json");
    fs::rename(&pending, pending.with_file_name(name)).unwrap();
    user.run(["work"]).ok();
    is_asked_again(&user, &soul, "there is no record of that");
}

/// Who declared a job is believed only with the stamp that we wrote beside it: a file edited in `pending/`, or written there whole,
/// goes no further than an agent, and `blame` says that it is a claim.
#[test]
fn what_a_jobs_file_says_of_its_author_is_a_claim_without_our_stamp() {
    let (user, _) = user();
    let (mine, notes) = (user.root().join("mine.md"), user.root().join("notes.md"));
    user.configure(&format!(
        "version: 1\nknowledge_bases:\n  mine: {{ path: {}, min_trust: user }}\n  notes: {{ path: {} }}\nsession_bootstrap: []\n",
        mine.display(),
        notes.display()
    ));
    let by_agent = |kb: &str, content: &str| {
        let args = ["enqueue", "--to", kb, "--heading", "Tone", "--op", "append", "--content", content];
        Said::of(user.command(args).env("CLAUDECODE", "1").output().unwrap()).ok();
        let path = only(&user, "pending");
        let job: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        (path, job)
    };
    let forge = |path: &Path, job: &mut Value, by: &str, stamped: Option<&str>| {
        job["job"]["producer"]["trust"] = "user".into();
        job["job"]["producer"]["agent"] = by.into();
        match stamped {
            Some(stamped) => job["job"]["stamped"] = stamped.into(),
            None => drop(job["job"].as_object_mut().unwrap().remove("stamped")),
        }
        fs::write(path, format!("{job}\n")).unwrap();
    };
    let other = format!("sha256:{}", "0".repeat(64));
    // Other words each time: what was rejected is not asked about again.
    for (content, stamped) in [("- EVIL", None), ("- EVIL too", Some(other.as_str()))] {
        let (path, mut job) = by_agent("mine", content);
        forge(&path, &mut job, "", stamped);
        user.run(["work"]).ok();
        assert!(!mine.exists() && user.run(["review"]).ok().contains("untrusted"), "{stamped:?}");
        user.run(["review", "--all", "--reject"]).ok();
    }
    // A person's own is merged; the stamp of one job is none for another.
    let id = enqueue(&user, "mine", "- my own");
    let text = fs::read_to_string(only(&user, "pending")).unwrap();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&mine).unwrap(), "## Tone\n\n- my own\n");
    let real: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(real["job"]["id"], id.as_str());
    let (path, mut job) = by_agent("mine", "- EVIL 2");
    forge(&path, &mut job, "", real["job"]["stamped"].as_str());
    user.run(["work"]).ok();
    assert!(!fs::read_to_string(&mine).unwrap().contains("EVIL"));
    user.run(["review", "--all", "--reject"]).ok();

    by_agent("notes", "- as it was");
    user.run(["work"]).ok();
    let blame = user.run(["blame", "notes"]).ok();
    assert!(blame.contains(" agent ") && !blame.contains("claimed"), "{blame}");
    let (path, mut job) = by_agent("notes", "- edited");
    forge(&path, &mut job, "codex", None);
    user.run(["work"]).ok();
    let blame = user.run(["blame", "notes"]).ok();
    assert!(blame.contains("codex (claimed)"), "{blame}");
}

#[test]
fn a_yes_to_one_job_is_none_to_a_copy_with_another_id_and_other_words() {
    let (user, soul) = user();
    let first = propose(&user, "- be honest");
    user.run(["review", &first, "--approve"]).ok();
    let approved = fs::read_to_string(only(&user, "pending")).unwrap();
    user.run(["work"]).ok();
    let second = propose(&user, "- be quiet");
    let staged = only(&user, "staging/review");
    let name = only(&user, "done").file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with(&first));
    let doc = approved.split("\"doc\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    fs::remove_file(staged).unwrap();
    let forged = approved.replace(&first, &second).replace("honest", "EVIL");
    user.drop_in(&user.home().join("pending"), &format!("{second}~{doc}~3.json"), forged.as_bytes());
    user.run(["work"]).ok();
    is_asked_again(&user, &soul, "there is no record of that");
}

#[test]
fn a_rollback_that_nobody_asked_for_is_asked_about() {
    let (user, soul) = user();
    fs::write(&soul, "# Soul\n\n## Tone\n\n- kind\n").unwrap();
    let id = propose(&user, "- honest");
    user.run(["review", &id, "--approve"]).ok();
    user.run(["work"]).ok();
    user.run(["rollback", "soul"]).ok();
    edit(&only(&user, "pending"), "- kind", "- EVIL");
    user.run(["work"]).ok();
    assert!(!fs::read_to_string(&soul).unwrap().contains("EVIL"));
    assert_eq!(user.files("staging/review").len(), 1);
    // The same without any edit is done.
    user.run(["review", "--all", "--reject"]).ok();
    user.run(["rollback", "soul"]).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&soul).unwrap(), "# Soul\n\n## Tone\n\n- kind\n");
}

/// The attack: a job written by hand that says it is a rollback, for a document that takes everything.
#[test]
fn a_rollback_without_a_record_is_asked_about_also_where_nothing_else_is() {
    let (user, _) = user();
    let notes = user.root().join("notes.md");
    fs::write(&notes, "# Notes\n\n## Tone\n\n- kind\n").unwrap();
    enqueue(&user, "notes", "- one");
    user.run(["work"]).ok();
    user.run(["rollback", "notes"]).ok();
    let pending = only(&user, "pending");
    let mut job: serde_json::Value = serde_json::from_slice(&fs::read(&pending).unwrap()).unwrap();
    job["job"].as_object_mut().unwrap().remove("approved_by").unwrap();
    job["job"]["restore"]["text"] = "# Notes\n\n## Tone\n\n- EVIL\n".into();
    fs::write(&pending, job.to_string()).unwrap();
    user.run(["work"]).ok();
    assert!(!fs::read_to_string(&notes).unwrap().contains("EVIL"));
    assert_eq!(user.files("staging/review").len(), 1);
}

#[test]
fn a_version_that_was_changed_in_the_history_is_not_put_back() {
    let (user, _) = user();
    let notes = user.root().join("notes.md");
    fs::write(&notes, "# Notes\n\n## Tone\n\n- kind\n").unwrap();
    for content in ["- one", "- two"] {
        enqueue(&user, "notes", content);
        user.run(["work"]).ok();
    }
    let history = user.home().join("history");
    let dir = fs::read_dir(&history).unwrap().next().unwrap().unwrap().path();
    edit(&dir.join("000002.md"), "- one", "- EVIL");
    user.run(["rollback", "notes"]).fails(1, "was changed after it was kept");
    user.run(["rollback", "notes", "--to", "1"]).fails(1, "was changed after it was kept");
    assert_eq!(user.files("pending").len(), 0);
    // The others are as they were.
    user.run(["rollback", "notes", "--to", "0"]).ok();
    user.run(["work"]).ok();
    assert_eq!(fs::read_to_string(&notes).unwrap(), "# Notes\n\n## Tone\n\n- kind\n");
}

#[test]
fn odd_words_fit_their_seal_as_they_come_back_from_the_file() {
    for content in [
        "- a: b # c",
        "  lead\n\n\ttab\n",
        "- 'x' \"y\" \\ é 名\u{2060}",
        "- ~\n- null\n- 1e3",
        "|-\n  x",
        "- end\n\n\n",
    ] {
        let (user, soul) = user();
        let id = propose(&user, content);
        user.run(["review", &id, "--approve"]).ok();
        user.run(["work"]).ok();
        assert!(soul.exists() && user.files("done").len() == 1, "{content:?}");
    }
}

#[test]
fn the_record_of_a_yes_goes_with_the_merge_and_the_seal_with_the_receipt() {
    let (user, _) = user();
    let id = propose(&user, "- be honest");
    user.run(["review", &id, "--approve"]).ok();
    user.run(["work"]).ok();
    assert_eq!(user.files("approvals"), [format!("{id}.seal")]);
    let day = user
        .home()
        .join("done")
        .join(fs::read_dir(user.home().join("done")).unwrap().next().unwrap().unwrap().file_name());
    fs::rename(&day, day.with_file_name("2020-01-01")).unwrap();
    user.run(["prune"]).ok();
    assert_eq!(user.files("approvals"), Vec::<String>::new());
}
