//! What is told of a Chinese candidate: characters and words around it, and whether it begins and ends where words do.

use super::candidates::{Candidate, Grammar};
use super::features::Features;
use super::line::Line;
use crate::time_words::segments;
use std::ops::Range;

/// Characters on each side that are looked at.
const NEAR: usize = 8;

/// What is told of the line as a whole.
pub(super) fn of_line(grammar: &Grammar, line: &Line<'_>) -> Vec<String> {
    let has = |parts: &[&str]| parts.iter().any(|part| line.text.contains(part));
    let flags = grammar.flags().iter().filter(|(_, parts)| has(parts));
    let mut said: Vec<String> = flags.map(|(name, _)| (*name).to_owned()).collect();
    if line.items.iter().any(|item| item.norm == "#4") {
        said.push("year".to_owned());
    }
    if line.text.contains(|c: char| c.is_ascii_alphabetic()) {
        said.push("latin".to_owned());
    }
    said.push(format!("len{}", (line.items.len() / 5).min(9)));
    said
}

/// The most likely division of a line into words.
pub(super) fn words(line: &Line<'_>) -> Vec<Range<usize>> {
    segments::division(&line.items.iter().map(|item| &*item.norm).collect::<Vec<_>>())
}

pub(super) fn add(
    features: &mut Features<'_>,
    grammar: &Grammar,
    line: &Line<'_>,
    one: &Candidate,
    clause: &Range<usize>,
    words: &[Range<usize>],
) {
    let join = |range: &Range<usize>, sign: &str| {
        line.items[range.clone()].iter().map(|item| &*item.norm).collect::<Vec<_>>().join(sign)
    };
    let is_edge = |at: usize| u8::from(at == 0 || words.iter().any(|word| word.end == at));
    let edges = format!("wb={}{}", is_edge(one.first), is_edge(one.end));
    features.plain(format_args!("{edges}"));
    features.of_kind(format_args!("{edges}"));
    features.plain(format_args!("{edges}|{}", join(&(one.first..one.end), "~")));
    for at in one.first.saturating_sub(NEAR)..line.items.len().min(one.end + NEAR) {
        if !(one.first..one.end).contains(&at) {
            let side = if at < one.first { '<' } else { '>' };
            features.of_kind(format_args!("a{side}={}", line.norm(at)));
        }
    }
    let before = words.iter().rev().filter(|word| word.end <= one.first).take(2).enumerate();
    let behind = words.iter().filter(|word| word.start >= one.end).take(3).enumerate();
    for (side, (k, word)) in before.map(|word| ('p', word)).chain(behind.map(|word| ('n', word))) {
        let word = join(word, "");
        features.plain(format_args!("{side}w{k}={word}"));
        features.of_kind(format_args!("{side}w{k}={word}"));
    }
    let is_in_clause = |word: &&Range<usize>| {
        clause.start <= word.start
            && word.end <= clause.end
            && (word.start >= one.end || word.end <= one.first)
    };
    for word in words.iter().filter(is_in_clause) {
        features.of_group(format_args!("cw={}", join(word, "")));
    }
    let before = &line.text[..line.range(one.first, one.end).start];
    let persons = grammar.flags().iter().filter(|(name, _)| *name == "person").flat_map(|(_, parts)| parts);
    if persons.into_iter().any(|part| before.contains(part)) {
        features.of_kind(format_args!("named"));
    }
}
