//! Names that may stand in what a command prints of which no more is known: each of its words that is a path or a pattern.

use super::options::Options;
use super::run::{COPY, REMOVE, base_name, positional};
use super::searches::{self, Names};

/// Programs that print what stands in files, or nothing: their words are no names that they print. What `grep` and `git` print is known.
const OF_TEXT: [&str; 46] = [
    "cat",
    "bat",
    "sed",
    "gsed",
    "awk",
    "gawk",
    "mawk",
    "jq",
    "yq",
    "cut",
    "tr",
    "tee",
    "echo",
    "printf",
    "grep",
    "egrep",
    "fgrep",
    "git",
    "curl",
    "wget",
    "date",
    "for",
    "select",
    "case",
    "[",
    "[[",
    "test",
    "export",
    "declare",
    "local",
    "readonly",
    "typeset",
    "cd",
    "pushd",
    "popd",
    "set",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "alias",
    "trap",
    "eval",
    "source",
    ".",
    "last-word",
];
/// Programs that print a name only in front of the text of several files.
const OF_SEVERAL: [&str; 5] = ["head", "tail", "tac", "sort", "uniq"];
/// Programs that change what they are given, and say so only if they are asked to.
const SILENT: [&str; 4] = ["mkdir", "touch", "chmod", "chown"];
/// Programs that go through the directories they are given.
const RECURSING: [&str; 6] = ["du", "tree", "tar", "bsdtar", "rsync", "zip"];
/// The same without a directory: what is here.
const LISTING: [&str; 2] = ["du", "tree"];
const DIRECTORIES: Options =
    Options { letters: "LPIHdtBX", long: &["max-depth", "exclude", "threshold", "filelimit"] };

/// The names that a command may print that is none of those which are known; `read` are those that it reads from a pipe, for its
/// arguments where it is `fed` with them.
pub(super) fn names(words: &[String], read: Option<&Names>, fed: bool) -> Option<Names> {
    let (program, args) = words.split_first()?;
    let name = base_name(program);
    if OF_TEXT.contains(&name) || program.contains('=') || is_silent(name, args) {
        return None;
    }
    let counts = name == "wc" && !fed;
    let mut found: Vec<String> = positional(args).into_iter().filter(|word| is_path(word)).collect();
    if OF_SEVERAL.contains(&name) && !searches::are_several(&found) {
        found.clear();
    }
    found.extend(in_directories(name, args));
    let read = read.filter(|_| !counts);
    found.extend(read.into_iter().flat_map(|read| read.words.iter().cloned()));
    let chosen = read.map(|read| read.chosen.clone()).unwrap_or_default();
    found.truncate(searches::NAMES_MAX);
    (!found.is_empty()).then_some(Names { words: found, chosen, in_text: true })
}

/// Whether a program prints no name because nothing asks it to: `cp` without `-v`, `stat -c %s`.
fn is_silent(name: &str, args: &[String]) -> bool {
    let is_verbose = || {
        let is_letter = |arg: &String| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('v');
        args.iter().any(|arg| arg == "--verbose" || is_letter(arg))
    };
    let has_format = |arg: &String| arg.contains('%');
    let names = |arg: &String| ["%n", "%N"].iter().any(|one| arg.contains(one));
    match name {
        "stat" => args.iter().any(has_format) && !args.iter().any(names),
        _ => (SILENT.contains(&name) || COPY.contains(&name) || REMOVE.contains(&name)) && !is_verbose(),
    }
}

/// What stands in the directories that a program goes through.
fn in_directories(name: &str, args: &[String]) -> Vec<String> {
    let recurses = |arg: &String| {
        arg == "--recursive" || !arg.starts_with("--") && arg.starts_with('-') && arg.contains(['r', 'R'])
    };
    if !RECURSING.contains(&name) && !args.iter().any(recurses) {
        return Vec::new();
    }
    let is_directory = |word: &String| word.chars().all(is_of_a_name) && !word.contains(['*', '?', '[']);
    let mut dirs = DIRECTORIES.all(args).files;
    let names_none = dirs.is_empty();
    dirs.retain(is_directory);
    if dirs.is_empty() && !(names_none && LISTING.contains(&name)) {
        return Vec::new();
    }
    searches::below(&dirs, &[])
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || "_-./*?[]~+@,!".contains(c)
}

/// Whether a word is a path or a pattern. A directory alone is no file that a program would name.
fn is_path(word: &str) -> bool {
    let is_alone = word.trim_matches(['.', '/', '~']).is_empty();
    !is_alone && word.contains(['/', '.', '*', '?', '[']) && word.chars().all(is_of_a_name)
}
