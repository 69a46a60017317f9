//! The languages that people are spoken to in (`cli/languages/`): the locale chooses, machines and agents are answered in English, and
//! no phrase is translated that the program does not say any more. What the help of the commands that are typed most says in Chinese is
//! kept in `fixtures/help/zh/`; `UPDATE_FIXTURES=1` writes it anew.

use crate::support::{Said, User};
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

/// The Rust code as one text, a string that goes on in the next line as one.
fn sources(dir: &Path, text: &mut String) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir()
            && !["target", "tests", "fixtures", "fuzz", "benches"].contains(&name.as_str())
            && !name.starts_with('.')
        {
            sources(&path, text);
        } else if name.ends_with(".rs") {
            let code = fs::read_to_string(&path).unwrap();
            let mut lines = code.split("\\\n");
            text.push_str(lines.next().unwrap());
            lines.for_each(|line| text.push_str(line.trim_start()));
        }
    }
}

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
    let holes = regex::Regex::new(r"\{\d[*?#]?\}").unwrap();
    let mut unsaid = Vec::new();
    for phrase in fs::read_to_string(project("cli/languages/zh.po")).unwrap().lines() {
        let Some(english) = phrase.strip_prefix("msgid \"").and_then(|rest| rest.strip_suffix('"')) else {
            continue;
        };
        let english = english.replace("\\\"", "\"").replace("\\\\", "\\");
        // What is wrong with a command line is said by clap.
        if ["error: ", "tip: ", "For more information"].iter().any(|begin| english.starts_with(begin)) {
            continue;
        }
        // A message is put together from several, so that its pieces of four letters and more are looked for.
        let pieces =
            holes.split(&english).flat_map(|part| part.split("; ")).flat_map(|part| part.split(": "));
        let pieces = pieces.map(|piece| piece.trim_matches([' ', ',', ';', ':', '(', ')', '\'', '[', ']']));
        unsaid.extend(
            pieces
                .filter(|piece| piece.len() > 3 && !said.contains(piece))
                .map(|piece| format!("{piece:?} of {english:?}")),
        );
    }
    assert!(unsaid.is_empty(), "not said any more:\n{}", unsaid.join("\n"));
}
