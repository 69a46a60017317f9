//! The languages that people are spoken to in (`cli/languages/`): the locale chooses, machines and agents are answered in English, and
//! no phrase is translated that the program does not say any more. What the help of the commands that are typed most says in Chinese is
//! kept in `fixtures/help/zh/`; `UPDATE_FIXTURES=1` writes it anew.

use crate::support::{Said, User};
use queue_layout::{Ending, Event, State};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The commands that are typed most, and the program itself.
const TRANSLATED: [&str; 11] =
    ["", "init", "install", "remember", "enqueue", "work", "status", "read", "recall", "review", "resolve"];

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn in_locale(user: &User, variables: &[(&str, &str)], words: &[&str]) -> Said {
    let mut command = user.command(words);
    command.envs(variables.iter().copied());
    Said::of(command.output().unwrap())
}

const CHINESE: [(&str, &str); 1] = [("LANG", "zh_CN.UTF-8")];

fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

#[test]
fn the_help_of_the_commands_that_are_typed_most_is_chinese_in_a_chinese_locale() {
    let user = User::bare();
    let mut differ = Vec::new();
    for name in TRANSLATED {
        let words: Vec<&str> = [name, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let said = in_locale(&user, &CHINESE, &words).ok();
        let explained = said.lines().skip_while(|line| !line.starts_with("用法：")).skip(1);
        // Each flag and each command: its words and, behind two blanks, what it does. Examples are commands, in any language.
        for line in
            explained.filter(|line| line.starts_with("  ") && !line.trim_start().starts_with("last-word"))
        {
            let Some((_, does)) = line.trim_start().split_once("  ") else { continue };
            assert!(is_chinese(does), "{name}: {line}");
        }
        assert!(is_chinese(said.lines().next().unwrap()), "{name}: {said}");
        let path = project("fixtures/help/zh")
            .join(if name.is_empty() { "last-word" } else { name })
            .with_extension("txt");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &said).unwrap();
        }
        if fs::read_to_string(&path).unwrap_or_default() != said {
            differ.push(format!("{}:\n{said}", path.display()));
        }
    }
    assert!(differ.is_empty(), "UPDATE_FIXTURES=1 writes them anew:\n{}", differ.join("\n"));
}

/// `LC_ALL` before `LC_MESSAGES` before `LANG`; English where none of them says otherwise.
#[test]
fn messages_follow_the_locale() {
    let user = User::bare();
    for (variables, chinese) in [
        (&[][..], false),
        (&[("LANG", "zh_CN.UTF-8")], true),
        (&[("LANG", "en_US.UTF-8"), ("LC_MESSAGES", "zh_CN.UTF-8")], true),
        (&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")], false),
        (&[("LANG", "fr_FR.UTF-8")], false),
        // An agent reads it, whatever its person's locale is.
        (&[("LANG", "zh_CN.UTF-8"), ("CLAUDECODE", "1")], false),
    ] {
        let said = in_locale(&user, variables, &["status"]).fails(1, "last-word");
        assert_eq!(is_chinese(&said), chinese, "{variables:?}: {said}");
    }
}

#[test]
fn machines_are_answered_alike_in_every_locale() {
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    user.run(["work"]).ok();
    for words in [
        &["list", "--json"][..],
        &["read", "notes"],
        &["read", "notes", "--json"],
        &["schema"],
        &["--version"],
    ] {
        assert_eq!(in_locale(&user, &CHINESE, words).ok(), user.run(words).ok(), "{words:?}");
    }
    let check = in_locale(&user, &CHINESE, &["status", "--check"]).ok();
    assert!(check.starts_with("OK: "), "{check}");
}

/// What the program may say as one text: the Rust code, a string that goes on in the next line as one, and the default configuration.
fn sources(dir: &Path, text: &mut String) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir()
            && !["target", "tests", "fixtures", "fuzz", "benches"].contains(&name.as_str())
            && !name.starts_with('.')
        {
            sources(&path, text);
        } else if name.ends_with(".rs") || name == "default-config.yaml" {
            let code = fs::read_to_string(&path).unwrap();
            let mut lines = code.split("\\\n");
            text.push_str(lines.next().unwrap());
            lines.for_each(|line| text.push_str(line.trim_start()));
        }
    }
}

/// A phrase of `cli/languages/`: its English, and the pieces of the code that it is put together from, where a comment names them
/// (`#. one | another`).
struct Phrase {
    english: String,
    pieces: Option<Vec<String>>,
}

fn phrases() -> Vec<Phrase> {
    let mut phrases = Vec::new();
    let mut pieces = None;
    for file in ["zh.po", "zh-refusals.po"] {
        for line in fs::read_to_string(project("cli/languages").join(file)).unwrap().lines() {
            if let Some(comment) = line.strip_prefix("#. ") {
                pieces = Some(comment.split(" | ").map(str::to_owned).collect());
            } else if let Some(quoted) = line.strip_prefix("msgid ") {
                let english: String = serde_json::from_str(quoted).unwrap();
                phrases.push(Phrase { english, pieces: pieces.take() });
            }
        }
    }
    phrases
}

/// What is said by clap of a command line, and by the system of a file.
const SAID_BY_OTHERS: [&str; 12] = [
    "error: ",
    "tip: ",
    "a similar value",
    "to pass '",
    "For more information",
    "No such file",
    "Permission denied",
    "No space left",
    "Read-only file system",
    "Is a directory",
    "Not a directory",
    "File exists",
];

/// A message that is reworded is translated anew: each piece of a phrase between its holes is somewhere in the code, or in the help.
#[test]
fn every_phrase_is_one_that_the_program_says() {
    let mut said = String::new();
    sources(&project(""), &mut said);
    for entry in fs::read_dir(project("fixtures/help")).unwrap() {
        let path = entry.unwrap().path();
        said.push_str(&if path.is_file() { fs::read_to_string(path).unwrap() } else { String::new() });
    }
    let said = said.replace("\\\"", "\"").replace("\\n", "\n").replace("{{", "{").replace("}}", "}");
    let said = said.replace("\\\\", "\\");
    let holes = regex::Regex::new(r"\{\d[*?#]?\}").unwrap();
    let mut unsaid = Vec::new();
    for Phrase { english, pieces } in phrases() {
        if SAID_BY_OTHERS.iter().any(|begin| english.starts_with(begin)) {
            continue;
        }
        // A message is put together from several, so that its pieces of four letters and more are looked for.
        let of_phrase = || holes.split(&english).flat_map(pieces_of).map(str::to_owned).collect();
        let pieces: Vec<String> = pieces.unwrap_or_else(of_phrase);
        unsaid.extend(
            pieces
                .iter()
                .filter(|piece| piece.len() > 3 && !said.contains(piece.as_str()))
                .map(|piece| format!("{piece:?} of {english:?}")),
        );
    }
    assert!(unsaid.is_empty(), "not said any more:\n{}", unsaid.join("\n"));
}

/// What stands around a piece of a message.
const AROUND: [char; 9] = [' ', ',', ';', ':', '(', ')', '\'', '[', ']'];

/// The pieces of a message that others may stand between, without what stands between them and without a number before them.
fn pieces_of(part: &str) -> impl Iterator<Item = &str> {
    let pieces = part.split("; ").flat_map(|part| part.split(": "));
    pieces
        .map(|piece| piece.trim_matches(AROUND).trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '))
}

/// The files whose messages people meet in their first days, and directories of such files; what is left out in them.
const FIRST_DAYS: &str = include_str!("../fixtures/languages/first-days.txt");

/// Every sentence in these files is a phrase, or a line of that list says why it is none.
#[test]
fn no_message_of_the_first_days_lacks_its_chinese() {
    let holes = regex::Regex::new(r"\{\d[*?#]?\}").unwrap();
    let translated: Vec<String> =
        phrases().iter().map(|phrase| holes.replace_all(&phrase.english, "\u{1}").into_owned()).collect();
    let translated = translated.join("\n");
    let lines = || FIRST_DAYS.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let left_out =
        lines().filter_map(|line| line.strip_prefix("- ")).filter(|line| !line.starts_with("file "));
    let left_out: BTreeSet<String> = left_out.map(str::to_owned).collect();
    let (mut used, mut missing) = (BTreeSet::new(), Vec::new());
    for named in lines().filter(|line| !line.starts_with("- ")) {
        let mut files = Vec::new();
        rust_files(&project(named), &mut files);
        assert!(!files.is_empty(), "{named} is not there");
        for file in files {
            let literals = literals(&fs::read_to_string(&file).unwrap());
            let pieces = literals.iter().flat_map(|literal| sentences(literal));
            for piece in pieces.filter(|piece| !translated.contains(piece)) {
                if left_out.contains(&piece) {
                    used.insert(piece);
                } else {
                    missing.push(format!("{}: {piece}", file.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "no phrase in cli/languages/:\n{}", missing.join("\n"));
    assert_eq!(left_out, used, "first-days.txt leaves out what is not there");
}

/// The Rust files of a directory, or the file itself, without what `- path` leaves out.
fn rust_files(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
        return;
    }
    let mut below: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    below.sort();
    let left_out = |path: &PathBuf| {
        let name = path.strip_prefix(project("")).unwrap().display().to_string();
        FIRST_DAYS.lines().any(|line| line.strip_prefix("- file ") == Some(name.as_str()))
    };
    for path in below.into_iter().filter(|path| !left_out(path)) {
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "rs") {
            rust_files(&path, files);
        }
    }
}

/// The texts in Rust code, but for its unit tests and the examples below a help.
fn literals(code: &str) -> Vec<String> {
    let string = r##"(?s:r#".*?"#|r"[^"]*"|"(?:\\.|[^"\\])*")"##;
    let help = regex::Regex::new(&format!(r"(?:after_help|HELP: &str) =\s*{string}")).unwrap();
    let token = regex::Regex::new(&format!(r"//[^\n]*|(?P<text>{string})|'(?:\\.[^']*|[^'\\])'")).unwrap();
    let goes_on = regex::Regex::new(r"\\\n\s*").unwrap();
    let code = code.split("#[cfg(test)]\nmod ").next().unwrap();
    let code = help.replace_all(code, "");
    let text = |found: regex::Captures<'_>| {
        let text = found.name("text")?.as_str();
        Some(match text.strip_prefix('r') {
            Some(raw) => raw.trim_matches('#').trim_matches('"').to_owned(),
            None => {
                let inside = goes_on.replace_all(&text[1..text.len() - 1], "");
                inside.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\")
            }
        })
    };
    token.captures_iter(&code).filter_map(text).collect()
}

/// The pieces of a text that say something: two words beside each other, the first of letters alone, which are no command.
fn sentences(literal: &str) -> impl Iterator<Item = String> {
    let says = regex::Regex::new("[a-z]{2,} [a-z]").unwrap();
    let places = regex::Regex::new(r"\{[^{}]*\}").unwrap();
    let literal = literal.replace("{{", "\u{2}").replace("}}", "\u{3}");
    let parts: Vec<String> = literal
        .lines()
        .flat_map(|line| places.split(line).map(str::to_owned).collect::<Vec<_>>())
        .flat_map(|part| part.split("; ").map(str::to_owned).collect::<Vec<_>>())
        .flat_map(|part| part.split(": ").map(str::to_owned).collect::<Vec<_>>())
        .map(|part| part.replace('\u{2}', "{").replace('\u{3}', "}").trim_matches(AROUND).to_owned())
        .filter(|part| says.is_match(part) && !part.starts_with("last-word "))
        .collect();
    parts.into_iter()
}

/// The words of a job's state, of how it ended and of what a log tells.
#[test]
fn states_endings_and_events_have_their_chinese() {
    let words = State::ALL.iter().map(|state| state.as_str());
    let words = words.chain(Event::ALL.iter().map(|event| event.in_words()));
    let endings =
        [Ending::Applied, Ending::Unchanged, Ending::Discarded, Ending::Rejected, Ending::RejectedAgain];
    let words = words.chain(endings.into_iter().map(Ending::as_str));
    let phrases = phrases();
    let missing: Vec<&str> =
        words.filter(|word| !phrases.iter().any(|phrase| phrase.english == *word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// What is typed in the first days (`fixtures/languages/walk.txt`), on a home whose scripts may decide from the line `decide` on.
#[test]
fn a_walk_through_the_first_days_is_told_in_chinese() {
    let user = User::bare();
    let in_english = regex::Regex::new("[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}").unwrap();
    // What is typed, somebody's words, a place, a line of a diff: no message of ours.
    let quoted =
        regex::Regex::new(r#"`[^`]*`|'[^']*'|"[^"]*"|last-word .*$|[~/][^ ]*|^[+-].*$|^ [^ ].*$"#).unwrap();
    let (mut failed, mut review) = (String::new(), String::new());
    let mut english = Vec::new();
    let walk = include_str!("../fixtures/languages/walk.txt");
    for call in walk.lines().filter(|line| !line.starts_with('#')) {
        if call == "decide" {
            user.lets_tests_decide();
            continue;
        }
        let words: Vec<String> = call
            .split(' ')
            .map(|word| match word {
                "FAILED" => failed.clone(),
                "REVIEW" => review.clone(),
                word => word.replace('␣', " "),
            })
            .collect();
        let said = Said::of(user.command(&words).env("LANG", "zh_CN.UTF-8").output().unwrap());
        for line in said.stdout.lines().chain(said.stderr.lines()) {
            if in_english.is_match(&quoted.replace_all(line, "·")) {
                english.push(format!("{call}: {line}"));
            }
        }
        if call == "work" && failed.is_empty() && user.home().join("staging").exists() {
            let id = |state: &str| Some(user.json(["list", state])[0]["id"].as_str()?.to_owned());
            failed = id("failed").unwrap_or_default();
            review = id("review").unwrap_or_default();
        }
    }
    assert!(!failed.is_empty() && !review.is_empty(), "nothing failed, or nothing waits for a yes");
    assert!(english.is_empty(), "English in a Chinese locale:\n{}", english.join("\n"));
}

/// What is no word of ours in a Chinese sentence.
const NAMES: [&str; 17] = [
    "JSON", "YAML", "HTML", "UTF", "NUL", "NaN", "Markdown", "Python", "URL", "json", "dumps", "ms", "min",
    "true", "false", "front", "matter",
];

/// Whether a sentence of ours has an English word that is no name and stands nowhere in their text.
fn has_english(ours: &str, theirs: &str) -> bool {
    let word = regex::Regex::new("[A-Za-z]{2,}").unwrap();
    word.find_iter(ours).any(|found| !NAMES.contains(&found.as_str()) && !theirs.contains(found.as_str()))
}

/// Every mistake of the fixtures, in a Chinese locale: a word of a sentence of ours that is still English is found. What stands in the
/// file is somebody's word, and so is what a parser says.
#[test]
fn what_is_wrong_with_a_declaration_is_said_in_chinese_to_its_end() {
    let user = User::new();
    user.with_notes();
    let span = regex::Regex::new(
        r#"`[^`]*`|"[^"]*"|\[[a-z0-9_]+\]|\{[a-z]+\}|不能读取 JSON：.*|(已知的有|例如).*|\\?\\u\{[0-9a-f]+\}"#,
    );
    let span = span.unwrap();
    let mut english = Vec::new();
    for folder in ["declarations/mistakes", "declarations/bad", "config/bad"] {
        for entry in fs::read_dir(project("fixtures").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "expect") {
                continue;
            }
            let written = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            let path = path.to_str().unwrap();
            let said = in_locale(&user, &CHINESE, &["validate", path]);
            assert_eq!(said.code, Some(3), "{path}: {}{}", said.stdout, said.stderr);
            for line in said.stdout.lines() {
                let ours = line.replace(path, "");
                let ours = span.replace_all(&ours, "·");
                if has_english(&ours, &written) {
                    english.push(line.replace(path, path.rsplit('/').next().unwrap()));
                }
            }
        }
    }
    assert!(english.is_empty(), "English in a Chinese sentence:\n{}", english.join("\n"));
}

/// The same of what a merge refuses: two cases of each code that the fixtures have.
#[test]
fn what_a_merge_refuses_is_said_in_chinese_to_its_end() {
    let user = User::new();
    let notes = user.with_notes();
    let span =
        r#"`[^`]*`|"[^"]*"|\[[a-z0-9_, ]+\]|^[-+@ ].*|^last-word: |case\.json|~/notes\.md|key\.[a-z]+"#;
    let span = regex::Regex::new(span).unwrap();
    let mut of_code: BTreeMap<String, usize> = BTreeMap::new();
    let mut english = Vec::new();
    for case in refused_merges() {
        let code = case["error"].as_str().unwrap();
        let seen = of_code.entry(code.to_owned()).or_default();
        *seen += 1;
        if *seen > 2 {
            continue;
        }
        fs::write(&notes, case["doc"].as_str().unwrap()).unwrap();
        let declared = declared(&case);
        fs::write(user.root().join("case.json"), &declared).unwrap();
        let said = in_locale(&user, &CHINESE, &["apply", "--dry-run", "case.json"]);
        let lines = said.stdout.lines().chain(said.stderr.lines());
        let left = lines.filter(|line| has_english(&span.replace_all(line, "·"), &declared));
        english.extend(left.map(|line| format!("{code}: {line}")));
    }
    assert!(of_code.len() > 20, "cases of every code: {of_code:?}");
    assert!(english.is_empty(), "English in a Chinese sentence:\n{}", english.join("\n"));
}

/// The cases of the merge that are refused.
fn refused_merges() -> Vec<serde_json::Value> {
    let files = fs::read_dir(project("fixtures/merge")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    let cases = |path: PathBuf| -> Vec<serde_json::Value> {
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    };
    let cases = files.into_iter().flat_map(cases);
    cases.filter(|case| case["error"].is_string() && case["doc"].is_string()).collect()
}

/// The declaration of such a case.
fn declared(case: &serde_json::Value) -> String {
    let mut entry = serde_json::json!({ "key": { "kb": "notes" }, "operation": case["op"] });
    let given = |name: &&str| !case[*name].is_null();
    for name in ["heading", "level"].iter().filter(|name| given(name)) {
        entry["key"][*name] = case[*name].clone();
    }
    for name in ["content", "old_text", "create", "scope"].iter().filter(|name| given(name)) {
        entry[*name] = case[*name].clone();
    }
    serde_json::json!({ "version": "1.0.0", "entries": [entry] }).to_string()
}
