//! The checks, one file each. A check reports what it knows to be wrong and nothing else.

mod anchors;
mod cargo;
mod commands;
mod copies;
mod just;
mod links;
mod make;
mod npm;
mod paths;
mod until;
mod variables;
mod versions;

use crate::{DriftFinding, Look};

/// Every check.
pub(crate) const ALL: [fn(&Look<'_>) -> Vec<DriftFinding>; 12] = [
    paths::find,
    commands::find,
    links::find,
    anchors::find,
    make::find,
    just::find,
    npm::find,
    cargo::find,
    versions::find,
    variables::find,
    until::find,
    copies::find,
];

/// The words of each command of a shell line. Commands are separated by `&&`, `;` and `|`; variables that are set in front of
/// a command, and words like `sudo`, are left out.
fn commands(line: &str) -> Vec<Vec<&str>> {
    let parts = line.split("&&").flat_map(|part| part.split([';', '|']));
    let words = parts.map(|part| {
        let words = part.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        words
            .skip_while(|word| word.contains('=') || matches!(*word, "sudo" | "$" | "%" | "time" | "env"))
            .collect::<Vec<_>>()
    });
    words.filter(|words| !words.is_empty()).collect()
}

/// The commands of this program that a document tells its reader to type, with their lines: those in shell blocks, and texts in
/// backticks that are a command.
fn typed<'l>(look: &'l Look<'_>, program: &str) -> Vec<(usize, Vec<&'l str>)> {
    let lines = look.document.shell.iter().chain(&look.document.spans);
    let of = lines.flat_map(|mention| commands(&mention.text).into_iter().map(|words| (mention.line, words)));
    of.filter(|(_, words)| words.first() == Some(&program)).collect()
}

/// Whether a word is a name as it would be typed: no flag, no placeholder like `NAME`, no pattern.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        && !word.starts_with('-')
        && word.chars().any(char::is_lowercase)
}
