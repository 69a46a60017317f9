//! The commands that a document tells to type, and in which directory of the repository each of them runs.

use crate::tree::{joined, name_of};
use crate::{Look, document, repository};

/// So many lines before a directory is entered it may have been made.
const MADE_LINES: usize = 6;

/// A command that a document tells to type.
pub(crate) struct Typed<'l> {
    pub(crate) line: usize,
    pub(crate) words: Vec<&'l str>,
    /// Whether it stands where only commands stand: in a span, or in a block that says that it is shell.
    pub(crate) sure: bool,
    /// The directory that was entered before (`cd web`), from the root; nothing where it is the one of which the document speaks.
    pub(crate) within: Option<String>,
}

/// Where a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Where the document is, or above.
    Here,
    Within(String),
    /// In what is none of this repository's directories.
    Elsewhere,
}

/// The commands of a program that a document tells to type in this repository: of shell blocks, and of spans that are one.
pub(crate) fn typed<'l>(look: &'l Look<'_>, program: &str) -> Vec<Typed<'l>> {
    let document = look.document;
    let of = |mentions: &'l [document::Mention], sure: bool| {
        mentions.iter().filter(move |mention| mention.text.contains(program)).flat_map(move |mention| {
            in_order(look, mention).into_iter().map(move |(place, words)| (mention.line, place, words, sure))
        })
    };
    let all = of(&document.shell, true).chain(of(&document.spans, true)).chain(of(&document.bare, false));
    let of_program = all.filter(|(_, _, words, _)| words.first() == Some(&program));
    let ours = of_program.filter(|(line, ..)| !repository::is_of_another(look, *line));
    let typed = ours.filter_map(|(line, place, words, sure)| {
        let within = match place {
            Place::Here => None,
            Place::Within(dir) => Some(dir),
            Place::Elsewhere => return None,
        };
        Some(Typed { line, words, sure, within })
    });
    typed.collect()
}

/// The directory of this repository into which `-C web` leads; nothing where that is none.
pub(crate) fn led_into(look: &Look<'_>, typed: &Typed<'_>, dir: &str) -> Option<String> {
    let from = typed.within.as_ref().map_or(Place::Here, |within| Place::Within(within.clone()));
    match after(look, &from, dir, typed.line) {
        Place::Within(dir) => Some(dir),
        Place::Here | Place::Elsewhere => None,
    }
}

/// The directories of this repository that a document enters anywhere.
pub(crate) fn entered(look: &Look<'_>) -> Vec<String> {
    let dirs = look.document.entered.iter().filter_map(|entered| resolved(look, &entered.dir));
    dirs.filter(|dir| !dir.is_empty()).collect()
}

/// The commands of a line, each with the place in which it runs.
fn in_order<'l>(look: &Look<'_>, mention: &'l document::Mention) -> Vec<(Place, Vec<&'l str>)> {
    let is_before = |entered: &&document::Entered| (entered.from + 1..=entered.to).contains(&mention.line);
    let mut place = Place::Here;
    for entered in look.document.entered.iter().filter(is_before) {
        place = match after(look, &place, &entered.dir, entered.from) {
            Place::Within(_) if !entered.is_alone => Place::Elsewhere,
            place => place,
        };
    }
    let mut found: Vec<(Place, Vec<&str>)> = Vec::new();
    // `(cd web && make); make`: behind the bracket it is as it was before.
    let mut outside: Option<Place> = None;
    for mut words in commands(&mention.text) {
        let first = words[0].trim_start_matches('(');
        if first.len() < words[0].len() {
            outside = Some(place.clone());
        }
        words[0] = first;
        let closes = outside.is_some() && words.last().is_some_and(|word| word.ends_with(')'));
        if let Some(last) = words.last_mut().filter(|_| closes) {
            *last = last.trim_end_matches(')');
        }
        match words.as_slice() {
            ["cd", "-", ..] => place = Place::Here,
            ["cd", dir, ..] => {
                let is_made = found.iter().any(|(_, words)| words.contains(dir));
                // In one line nobody clones this repository, enters it and goes on: what is not there is a reader's.
                let is_known = is_own(look, dir) || resolved(look, dir).is_some() || place != Place::Here;
                place = if is_made || !is_known {
                    Place::Elsewhere
                } else {
                    after(look, &place, dir, mention.line)
                };
            }
            _ => found.push((place.clone(), words)),
        }
        if closes {
            place = outside.take().unwrap_or(place);
        }
    }
    found
}

/// Where one is behind `cd DIR`.
fn after(look: &Look<'_>, place: &Place, dir: &str, line: usize) -> Place {
    let bare = dir.trim_end_matches('/');
    let is_absolute = bare.starts_with(['/', '~', '$']);
    match place {
        // It was cloned there.
        Place::Elsewhere if is_own(look, bare) => Place::Here,
        Place::Elsewhere => Place::Elsewhere,
        Place::Within(from) => {
            let inner = joined(from, bare).filter(|dir| look.tree.is_directory(dir) && !is_absolute);
            inner
                .map_or(Place::Elsewhere, |dir| if dir.is_empty() { Place::Here } else { Place::Within(dir) })
        }
        // `app` may be the document's own directory.
        Place::Here if is_own(look, bare) || bare == look.document.dir() => Place::Here,
        Place::Here if is_absolute || is_made(look, line, bare) => Place::Elsewhere,
        // What is not there may be what this repository is called where somebody cloned it.
        Place::Here => resolved(look, bare).filter(|dir| !dir.is_empty()).map_or(Place::Here, Place::Within),
    }
}

/// Whether a directory is called like this repository: what was cloned is this one, whatever is called so in it.
fn is_own(look: &Look<'_>, dir: &str) -> bool {
    let name = name_of(dir.trim_end_matches('/')).to_lowercase();
    repository::own(look).and_then(|own| own.rsplit('/').next()) == Some(&*name)
}

/// The directory of the tree that is called so from the document's directory or one above it.
fn resolved(look: &Look<'_>, dir: &str) -> Option<String> {
    let mut from = look.document.dirs().filter_map(|above| joined(above, dir));
    from.find(|dir| look.tree.is_directory(dir))
}

/// Whether a command before made a directory: `npx create-kit app`, then `cd app`. That is a reader's, whatever it is called; what is
/// cloned is this repository.
fn is_made(look: &Look<'_>, entered: usize, dir: &str) -> bool {
    let document = look.document;
    let mut before = document.shell.iter().chain(&document.bare);
    before.any(|typed| {
        (entered.saturating_sub(MADE_LINES)..entered).contains(&typed.line)
            && !typed.text.starts_with("git ")
            && !typed.text.starts_with("cd ")
            && typed.text.split_whitespace().any(|word| word == dir)
    })
}

/// The words of each command of a shell line. Commands are separated by `&&`, `;` and `|`; variables that are set in front of
/// a command, and words like `sudo`, are left out.
pub(crate) fn commands(line: &str) -> Vec<Vec<&str>> {
    let parts = line.split("&&").flat_map(|part| part.split([';', '|']));
    let words = parts.map(|part| {
        // `FLAGS="-a -b" kit`: a value of several words ends with its quote.
        let mut in_value = false;
        let is_before = |word: &&str| {
            let opens = !in_value && word.contains('=') && word.matches('"').count() == 1;
            let closes = in_value && word.contains('"');
            let is_value = in_value;
            in_value = (in_value || opens) && !closes;
            is_value || word.contains('=') || matches!(*word, "sudo" | "$" | "%" | "time" | "env")
        };
        let words = part.split_whitespace().skip_while(is_before);
        words.map(|word| word.trim_matches(['"', '\''])).collect::<Vec<_>>()
    });
    words.filter(|words| !words.is_empty()).collect()
}
