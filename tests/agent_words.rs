//! What agents and people are shown to type: in a shell it must do what it says, whatever Markdown stands in it.

use crate::support::User;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Flags whose value is somebody's text: Markdown is full of backticks, and between double quotes a shell runs them.
const TEXTS: [&str; 5] = ["content", "heading", "old-text", "reason", "session"];

/// Every text of the project that somebody may be shown: what is printed, documents, help, recorded answers.
fn shown(dir: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "tests", "benches", "fuzz", "CHANGELOG.md"].contains(&name.as_str())
                && !name.starts_with('.')
            {
                shown(&path, found);
            }
        } else if let Ok(text) = fs::read_to_string(&path)
            && [".rs", ".md", ".txt", ".yaml", ".json", ".jsonl", ".html", ".toml", ".js"]
                .iter()
                .any(|end| name.ends_with(end))
        {
            // What a module's own tests try is shown to nobody.
            let shown = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            found.push((path, shown));
        }
    }
}

#[test]
fn no_text_that_is_shown_puts_words_between_double_quotes() {
    let mut texts = Vec::new();
    shown(Path::new(env!("CARGO_MANIFEST_DIR")), &mut texts);
    assert!(texts.len() > 300, "the texts are not where this test looks for them: {}", texts.len());
    let mut wrong = Vec::new();
    for (path, text) in &texts {
        for (n, line) in text.lines().enumerate() {
            let quoted = |flag: &str| {
                [" ", "="].iter().any(|between| {
                    let opening = format!("--{flag}{between}");
                    line.split(&opening).skip(1).any(|rest| rest.trim_start_matches('\\').starts_with('"'))
                })
            };
            if TEXTS.iter().any(|flag| quoted(flag)) {
                wrong.push(format!("{}:{}: {line}", path.display(), n + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "a shell runs what stands in backticks there:\n{}", wrong.join("\n"));
}

/// Markdown as models write it.
const MARKDOWN: &str = "- run `echo RAN` first; it costs $HOME, $(echo RAN) and \"quotes\"\\n!";

fn user() -> User {
    let user = User::new();
    fs::write(user.root().join(".config/agents/USER.md"), "# User\n\nlikes tea\n").unwrap();
    user
}

/// The commands with a text between quotes that stand in an answer.
fn commands(answer: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let texts = [
        answer["reason"].as_str(),
        answer["hookSpecificOutput"]["permissionDecisionReason"].as_str(),
        answer["hookSpecificOutput"]["additionalContext"].as_str(),
    ];
    let lines = texts.into_iter().flatten().flat_map(str::lines);
    lines.filter_map(|line| line.find(" plan --to ").map(|_| line.trim().to_owned())).collect()
}

/// What an agent is told to type, with its own text in the place of ours, run by a shell: the text arrives as it was written.
#[test]
fn what_an_agent_is_told_to_type_takes_any_markdown() {
    let user = user();
    let write = json!({ "session_id": "s1", "cwd": user.root(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": user.root().join(".config/agents/USER.md"), "content": "x" } });
    let said = user.run_with(["hook", "--agent", "claude_code"], write.to_string().as_bytes()).ok();
    let told = commands(&said);
    assert_eq!(told.len(), 1, "{said}");
    let typed = told[0].replace("'text'", &format!("'{MARKDOWN}'"));
    assert!(typed.contains(MARKDOWN), "{typed}");
    let mut shell = std::process::Command::new("sh");
    let done = shell.args(["-c", &typed]).env_clear().env("HOME", user.root()).output().unwrap();
    assert!(done.status.success(), "{typed}: {}", String::from_utf8_lossy(&done.stderr));
    let planned = user.json(["plan", "--list", "--agent", "claude_code", "--session", "s1"]);
    assert_eq!(planned["planned"][0]["entry"]["content"], MARKDOWN, "{planned}");
}

#[test]
fn a_text_with_every_quote_in_it_comes_from_a_file() {
    let user = user();
    let text = format!("{MARKDOWN} it's 'so'\n");
    fs::write(user.root().join("note.md"), &text).unwrap();
    let plan = ["plan", "--to", "user", "--heading", "A", "--op", "append", "--session", "s1"];
    user.run(plan.iter().chain(&["--content-file", "note.md"])).ok();
    let planned = user.json(["plan", "--list", "--session", "s1"]);
    assert_eq!(planned["planned"][0]["entry"]["content"].as_str().map(str::trim_end), Some(text.trim_end()));
    user.run(plan.iter().chain(&["--content-file", "gone.md"])).fails(1, "gone.md does not exist");
    user.run(plan.iter().chain(&["--content-file", "note.md", "--content", "x"])).fails(2, "--content");
    fs::write(user.root().join("latin.md"), b"caf\xe9\n").unwrap();
    user.run(plan.iter().chain(&["--content-file", "latin.md"])).fails(3, "latin.md is not UTF-8 text");
}

/// A directory that agents have no right to by its place alone.
fn outside_of_temporary_directories() -> Option<tempfile::TempDir> {
    let is_temporary =
        |dir: &std::path::Path| ["/tmp", "/private", "/var"].iter().any(|of| dir.starts_with(of));
    let places = [env!("CARGO_TARGET_TMPDIR"), "/dev/shm"].map(std::path::Path::new);
    places
        .into_iter()
        .filter(|dir| dir.canonicalize().is_ok_and(|dir| !is_temporary(&dir)))
        .find_map(|dir| tempfile::tempdir_in(dir).ok())
}

/// A session in the home directory gives what it writes there, and nothing else of the person's.
#[test]
fn an_agent_in_the_home_directory_gives_what_lies_directly_in_it() {
    let user = user();
    let Some(outside) = outside_of_temporary_directories() else {
        return crate::support::skipped("no place here is outside of the temporary directories");
    };
    let home = outside.path();
    fs::create_dir(home.join("letters")).unwrap();
    for name in ["s.md", ".token", "letters/one.md"] {
        fs::write(home.join(name), "- a text\n").unwrap();
    }
    std::os::unix::fs::symlink(home.join("letters/one.md"), home.join("link.md")).unwrap();
    let plan = |file: &str| {
        let mut command = user.command(["--home"]);
        command.arg(user.home()).args(["plan", "--to", "user", "--heading", "A", "--op", "append"]);
        command.args(["--session", "s1", "--content-file"]);
        command.arg(file).env("HOME", home).current_dir(home).env("CLAUDECODE", "1");
        crate::support::Said::of(command.output().unwrap())
    };
    plan("s.md").ok();
    plan("./s.md").ok();
    for file in [".token", "letters/one.md", "link.md"] {
        plan(file).fails(3, &format!("{file} lies deeper in the home directory, or is hidden"));
    }
    plan("/etc/passwd").fails(3, "is outside of the working directory");
}

/// An agent is not asked before `plan`, so what it gives from a file is of its own: the working directory, the project, `/tmp`.
#[test]
fn an_agent_gives_no_text_of_a_file_that_is_not_its_own() {
    let user = user();
    // The tests' own temporary directories are an agent's.
    let Some(outside) = outside_of_temporary_directories() else {
        return crate::support::skipped("no place here is outside of the temporary directories");
    };
    let project = outside.path().join("app");
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(outside.path().join("private.md"), "- private\n").unwrap();
    fs::write(project.join("note.md"), "- of the project\n").unwrap();
    std::os::unix::fs::symlink(outside.path().join("private.md"), project.join("link.md")).unwrap();
    let scratch = tempfile::tempdir_in("/tmp").unwrap();
    fs::write(scratch.path().join("note.md"), "- of a moment\n").unwrap();
    let plan = |dir: &std::path::Path, file: &std::path::Path, mark: &str| {
        let entry =
            ["plan", "--to", "user", "--heading", "A", "--op", "append", "--session", "s1", "--content-file"];
        let mut command = user.command(entry);
        command.arg(file).current_dir(dir).env(mark, "1");
        crate::support::Said::of(command.output().unwrap())
    };
    let private = outside.path().join("private.md");
    for file in [
        &private,
        std::path::Path::new("link.md"),
        std::path::Path::new("../private.md"),
        "/etc/passwd".as_ref(),
    ] {
        plan(&project, file, "CLAUDECODE").fails(3, "an agent cannot give its text");
        plan(user.root(), &private, "CLAUDECODE").fails(3, "is outside of the working directory");
    }
    for file in [project.join("note.md"), "../note.md".into(), scratch.path().join("note.md")] {
        plan(&project.join("src"), &file, "CLAUDECODE").ok();
    }
    plan(&project, &private, "NO_AGENT").ok();
    assert!(!user.run(["plan", "--list", "--session", "s1"]).ok().is_empty());
}
