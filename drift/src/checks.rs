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

pub(crate) use variables::CodeVariables;

use crate::evidence::{is_for_developers, is_near};
use crate::{DriftCheck, DriftFinding, Look};
use std::collections::BTreeSet;

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

/// A name that a document gives to something that this repository should define.
struct Named {
    line: usize,
    name: String,
    /// As `Typed::sure`.
    sure: bool,
}

/// The names that are not defined and must be this repository's: those in a text for people who work on it, in a document whose
/// other names are mostly defined, or where only one name is not defined; and those that were once.
fn undefined<'n>(
    look: &Look<'_>,
    named: &'n [Named],
    is_defined: &dyn Fn(&str) -> bool,
    was_defined: &dyn Fn(&str) -> bool,
) -> Vec<&'n Named> {
    let names: BTreeSet<&str> = named.iter().map(|named| named.name.as_str()).collect();
    let there = names.iter().filter(|name| is_defined(name)).count();
    let gone = names.len() - there;
    let is_ours = |named: &Named| {
        there >= 1 && there >= gone || named.sure && gone <= 1 || is_for_developers(look.document, named.line)
    };
    let is_gone = |named: &&Named| !is_defined(&named.name) && (is_ours(named) || was_defined(&named.name));
    named.iter().filter(is_gone).collect()
}

/// For so many missing names of a document one of nearly the same name is looked for, among all that are defined.
pub(crate) const NEAR_MAX: usize = 200;

/// A finding for each of these names that this repository should define and does not, as its program would be called with it. A
/// known name that is spelt almost like it is what is meant now.
fn missing<'k>(
    look: &Look<'_>,
    program: DriftCheck,
    why: &str,
    named: &[Named],
    known: impl Iterator<Item = &'k str> + Clone,
    is_defined: &dyn Fn(&str) -> bool,
    was_defined: &dyn Fn(&str) -> bool,
) -> Vec<DriftFinding> {
    let finding = |(n, named): (usize, &Named)| {
        let mut known = known.clone().take_while(|_| n < NEAR_MAX);
        let now = known.find(|known| is_near(known, &named.name));
        DriftFinding {
            line: named.line,
            check: program,
            says: format!("{program} {}", named.name),
            why: why.to_owned(),
            now: now.map(|known| format!("{program} {known}")),
        }
    };
    undefined(look, named, is_defined, was_defined).into_iter().enumerate().map(finding).collect()
}

/// The text of the first of these files that a directory has.
fn first_in(look: &Look<'_>, dir: &str, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| (look.read)(&crate::tree::joined(dir, name)?))
}

/// Whether a line has one of these words, in whichever letters.
pub(crate) fn has_one_of(line: &str, words: &[&str]) -> bool {
    let line = line.to_lowercase();
    words.iter().any(|word| line.contains(word))
}

/// Whether a word is a name as it would be typed: no flag, no placeholder like `NAME`, no pattern.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        && !word.starts_with('-')
        && word.chars().any(char::is_lowercase)
}
