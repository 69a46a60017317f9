//! What is looked at: one file each. A check names what it knows to be wrong, and is silent where it cannot tell.

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

/// The words of each command of a shell line: behind `&&`, `;`, `|`, and without assignments before it.
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

/// The commands a document tells to type, each with its line: of shell blocks, and of spans that are one.
fn typed<'l>(look: &'l Look<'_>, program: &str) -> Vec<(usize, Vec<&'l str>)> {
    let lines = look.document.shell.iter().chain(&look.document.spans);
    let of = lines.flat_map(|mention| commands(&mention.text).into_iter().map(|words| (mention.line, words)));
    of.filter(|(_, words)| words.first() == Some(&program)).collect()
}

/// Whether a word is a plain name that stands for nothing else.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        && !word.starts_with('-')
        && word.chars().any(char::is_lowercase)
}
