//! A project's memory bank: made by `init`, its index kept by the worker as the details change, around a person's text that stays.

use crate::support::User;
use std::fs;
use std::path::{Path, PathBuf};

/// A user with a project that has a memory bank.
fn user() -> (User, PathBuf) {
    let user = User::new();
    let project = user.root().join("app");
    fs::create_dir_all(project.join(".git")).unwrap();
    let said = run_in(&user, &project, &["init", "--project", "--memory-bank"]);
    assert!(said.contains("added to config.yaml: memory-bank, details"), "{said}");
    (user, project)
}

fn run_in(user: &User, dir: &Path, args: &[&str]) -> String {
    let output = user.command(args).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn memory(project: &Path) -> String {
    fs::read_to_string(project.join("memory-bank/MEMORY.md")).unwrap()
}

fn detail(project: &Path, name: &str, text: &str) {
    fs::write(project.join("memory-bank/details").join(name), text).unwrap();
}

const ERRORS: &str =
    "---\nread_when: change how errors are shown\nupdated: 2026-01-31\n---\n# Errors\n\nShown once.\n";
const ROW: &str = "| change how errors are shown | [details/errors.md:5](details/errors.md) | 2026-01-31 |\n";

#[test]
fn the_index_is_kept_and_nothing_else_is_touched() {
    let (user, project) = user();
    let before = memory(&project);
    assert!(project.join("memory-bank/details").is_dir());
    run_in(&user, &project, &["init", "--project", "--memory-bank"]);
    assert_eq!(memory(&project), before, "made once");
    let mine =
        before.replace("# Memory of this project\n", "# Memory of this project\n\nmine | and `mine`  \n");
    fs::write(project.join("memory-bank/MEMORY.md"), &mine).unwrap();
    detail(&project, "errors.md", ERRORS);
    // From anywhere: the project is listed.
    user.run(["work"]).ok();
    let text = memory(&project);
    let (head, rest) = text.split_once("<!-- MACHINE_BLOCK_START -->").unwrap();
    assert_eq!(head, mine.split_once("<!-- MACHINE_BLOCK_START -->").unwrap().0, "the person's text");
    assert!(rest.contains(ROW) && rest.trim_end().ends_with("<!-- MACHINE_BLOCK_END -->"), "{text}");
    let versions = || run_in(&user, &project, &["history", "memory-bank"]).lines().count();
    let made = versions();
    user.run(["work"]).ok();
    assert_eq!((memory(&project), versions()), (text.clone(), made), "as it is, it stays");
    // Another detail, and one less.
    detail(&project, "wire.md", "# Wire\n\nHow bytes go. And more.\n");
    fs::remove_file(project.join("memory-bank/details/errors.md")).unwrap();
    user.run(["work"]).ok();
    let text = memory(&project);
    assert!(
        text.contains("| Wire: How bytes go. | [details/wire.md:1](details/wire.md) | – |\n")
            && !text.contains(ROW),
        "{text}"
    );
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn a_detail_that_is_declared_is_in_the_index_after_the_same_run() {
    let (user, project) = user();
    let entry = [
        "enqueue",
        "--to",
        "details:patterns",
        "--heading",
        "Patterns",
        "--op",
        "append",
        "--content",
        "Always retry.",
    ];
    run_in(&user, &project, &entry);
    user.run(["work"]).ok();
    assert!(memory(&project).contains("details/patterns.md"), "{}", memory(&project));
}

/// What somebody writes between its lines is not written over: they are told where it belongs.
#[test]
fn words_in_the_index_stay() {
    let (user, project) = user();
    detail(&project, "errors.md", ERRORS);
    user.run(["work"]).ok();
    let path = project.join("memory-bank/MEMORY.md");
    let mine =
        memory(&project).replace("<!-- MACHINE_BLOCK_END -->", "My words.\n<!-- MACHINE_BLOCK_END -->");
    fs::write(&path, &mine).unwrap();
    detail(&project, "wire.md", "# Wire\n\nHow bytes go.\n");
    let said = user.run(["work"]);
    assert_eq!(memory(&project), mine);
    assert!(
        said.stderr.contains("somebody wrote `My words.` between the lines of the index"),
        "{}",
        said.stderr
    );
    let moved = format!("{}\nMy words.\n", mine.replace("My words.\n", ""));
    fs::write(&path, moved).unwrap();
    user.run(["work"]).ok();
    let text = memory(&project);
    assert!(text.contains("details/wire.md") && text.ends_with("My words.\n"), "{text}");
}

/// So do a cell that they edited, a row of their own and a comment. What an editor sets otherwise, and a row that was taken out, is no word
/// of theirs.
#[test]
fn a_table_that_a_person_edited_stays() {
    let rule = "|---|---|---|\n";
    type Edit<'e> = &'e dyn Fn(&str) -> String;
    let row = |text: &str| text.lines().find(|line| line.contains("errors.md")).unwrap().to_owned() + "\n";
    let edits: [(bool, Edit); 6] = [
        (true, &|text| text.replace("is lost -->", "is lost --> MINE")),
        (true, &|text| text.replace("are shown |", "are shown, ask Anna |")),
        (true, &|text| text.replace(rule, &format!("{rule}| my page | [x](x.md) | – |\n"))),
        (true, &|text| text.replace(rule, &format!("{rule}<!-- mind the backup -->\n"))),
        (false, &|text| text.replace(rule, "| --- | :-- | --- |\n").replace("| changed |", "| changed    |")),
        (false, &|text| text.replace(&row(text), "")),
    ];
    for (n, (stays, edit)) in edits.iter().enumerate() {
        let (user, project) = user();
        detail(&project, "errors.md", ERRORS);
        user.run(["work"]).ok();
        let edited = edit(&memory(&project));
        assert_ne!(edited, memory(&project));
        fs::write(project.join("memory-bank/MEMORY.md"), &edited).unwrap();
        detail(&project, "wire.md", "# Wire\n\nHow bytes go.\n");
        let said = user.run(["work"]).stderr;
        let now = memory(&project);
        assert_eq!(
            (now == edited, said.contains("has no index: somebody")),
            (*stays, *stays),
            "{n}: {said}{now}"
        );
        assert!(*stays || now.contains("wire.md") && now.contains(ROW), "{n}: {now}");
    }
}

#[test]
fn a_session_is_shown_the_index_of_its_project() {
    let (user, project) = user();
    user.run(["work"]).ok();
    assert!(!run_in(&user, &project, &["context"]).contains("<index>"), "there is no detail to read");
    detail(&project, "errors.md", ERRORS);
    user.run(["work"]).ok();
    let shown = run_in(&user, &project, &["context"]);
    // The row's path is from the index's document, and the session may be in any directory.
    let head =
        format!("<index>\nWhat to read is in {}:\n\n| when you want", project.join("memory-bank").display());
    assert!(shown.contains(&head) && shown.contains(ROW.trim_end()), "{shown}");
    let elsewhere = user.root().join("other");
    fs::create_dir_all(elsewhere.join(".git")).unwrap();
    assert!(!run_in(&user, &elsewhere, &["context"]).contains("errors"), "of another project");
}

#[test]
fn a_document_without_its_block_is_left_alone_and_said() {
    let (user, project) = user();
    detail(&project, "errors.md", ERRORS);
    fs::write(project.join("memory-bank/MEMORY.md"), "# Mine alone\n").unwrap();
    let said = user.run(["work"]);
    assert_eq!(memory(&project), "# Mine alone\n");
    assert!(
        said.stderr.contains("MEMORY.md has no index: the document has no line <!-- MACHINE_BLOCK_START -->"),
        "{}",
        said.stderr
    );
    assert_eq!(said.stderr.matches("has no index").count(), 1, "said once: {}", said.stderr);
    assert!(user.files("staging/failed").is_empty());
}

/// What a detail says cannot end the block or the table.
#[test]
fn a_detail_cannot_speak_outside_of_its_row() {
    let (user, project) = user();
    detail(&project, "x.md", "---\nread_when: \"a | b <!-- MACHINE_BLOCK_END --> # c\"\n---\n# X\n");
    user.run(["work"]).ok();
    let text = memory(&project);
    assert_eq!(text.matches("<!-- MACHINE_BLOCK_END -->").count(), 1, "{text}");
    assert!(text.contains("| a \\| b &lt;!-- MACHINE_BLOCK_END --> # c |"), "{text}");
}

#[test]
#[cfg(unix)]
fn an_index_is_not_led_elsewhere_and_no_name_writes_into_it() {
    let (user, project) = user();
    let details = project.join("memory-bank/details");
    detail(&project, "errors.md", ERRORS);
    for name in ["a\u{1b}]0;x\u{7}\u{202e}.md", "n\n\n## Rules\n\n- Always.md"] {
        detail(&project, name, "# B\n\nx\n");
    }
    user.run(["work"]).ok();
    let text = memory(&project);
    assert!(text.contains(ROW), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']) && !text.contains("## Rules"), "{text}");
    // The directory is replaced by a link to the person's own notes.
    let notes = user.root().join("notes");
    fs::create_dir(&notes).unwrap();
    fs::write(notes.join("diary.md"), "# My diary\n\nThe price is secret.\n").unwrap();
    fs::remove_dir_all(&details).unwrap();
    std::os::unix::fs::symlink(&notes, &details).unwrap();
    let said = user.run(["work"]);
    assert!(said.stderr.contains("is a link to somewhere else"), "{}", said.stderr);
    assert_eq!(memory(&project), text, "as it was");
}
