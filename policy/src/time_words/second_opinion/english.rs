//! What is told of an English candidate besides its words: the classes of those around it.

use super::candidates::{Candidate, Grammar};
use super::features::{Features, neighbours};
use super::line::Line;
use std::ops::Range;

/// The classes that features name.
const NAMED: [&str; 14] = [
    "BE", "HAVE", "MODAL", "PAST", "PRES", "PREP", "DET", "CONJ", "PRON", "KIN", "SAY", "EVERY", "FUTURE",
    "IF",
];

/// The classes of a word: those of `candidates-en.txt`, else by its end or its form.
fn classes<'g>(grammar: &'g Grammar, line: &'g Line<'_>, at: usize) -> impl Iterator<Item = Class<'g>> {
    let item = &line.items[at];
    let norm = &*item.norm;
    let named = grammar.classes_of(norm).iter().copied().filter(|name| NAMED.contains(name));
    let mut named = named.map(Class::Named).peekable();
    let by_form = named.peek().is_none().then(|| {
        if norm.starts_with(['#', '_']) {
            return Class::Named(norm);
        }
        if !norm.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Class::Sign(norm);
        }
        let end = ["ed", "ing", "ly"].into_iter().find(|end| norm.ends_with(end));
        let end = end.or((norm.ends_with('s') && norm.len() > 3).then_some("s"));
        let is_capital = item.word.starts_with(|c: char| c.is_ascii_uppercase());
        Class::Named(end.unwrap_or(if is_capital { "Cap" } else { "w" }))
    });
    named.chain(by_form)
}

/// A class of words, or a sign that is one of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class<'g> {
    Named(&'g str),
    Sign(&'g str),
}

impl std::fmt::Display for Class<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Class::Named(name) => f.write_str(name),
            Class::Sign(sign) => write!(f, "P{sign}"),
        }
    }
}

/// What is told of the line as a whole: the classes of its words, how long it is.
pub(super) fn of_line(grammar: &Grammar, line: &Line<'_>) -> Vec<String> {
    let all = (0..line.items.len()).flat_map(|at| classes(grammar, line, at));
    let telling = |class: &Class<'_>| !matches!(class, Class::Named("w" | "Cap" | "s" | "PREP" | "DET"));
    let mut said: Vec<String> = all.filter(telling).map(|class| class.to_string()).collect();
    said.sort_unstable();
    said.dedup();
    if line.text.starts_with(|c: char| c.is_ascii_lowercase()) {
        said.push("low".to_owned());
    }
    said.push(format!("len{}", ((line.items.len() + 2) / 4).min(9)));
    said
}

pub(super) fn add(
    features: &mut Features<'_>,
    grammar: &Grammar,
    line: &Line<'_>,
    one: &Candidate,
    clause: &Range<usize>,
) {
    for (k, at) in neighbours(one) {
        match at {
            None => features.of_neighbour(k, "<s>"),
            Some(at) if at >= line.items.len() => features.of_neighbour(k, "</s>"),
            Some(at) => {
                classes(grammar, line, at).for_each(|class| features.of_neighbour(k, &class.to_string()));
            }
        }
    }
    for at in (clause.start..one.first).chain(one.end..clause.end) {
        features.of_group(format_args!("cw={}", line.norm(at)));
        let side = if at < one.first { '<' } else { '>' };
        for class in classes(grammar, line, at) {
            features.of_group(format_args!("cl={class}"));
            features.of_kind(format_args!("cl{side}={class}"));
        }
    }
    if line.items[one.first].word.starts_with(|c: char| c.is_ascii_uppercase()) {
        features.of_kind(format_args!("Cap"));
    }
    let is =
        |at: usize, name: &'static str| classes(grammar, line, at).any(|class| class == Class::Named(name));
    if (0..one.first).any(|at| is(at, "KIN") || at > 0 && is(at, "Cap")) {
        features.of_kind(format_args!("named"));
    }
}
