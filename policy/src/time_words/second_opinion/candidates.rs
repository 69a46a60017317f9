//! What may be a hit: the patterns of `policy/words/candidates-*.txt`, which says how they are written, over the items of a line.

use super::line::Line;
use crate::time_words::Language;
use std::collections::HashMap;

/// A line with more of them is a list or data, of which nothing is told.
const CANDIDATES_MAX: usize = 16;

/// Some items of a line.
pub(super) struct Candidate {
    pub first: usize,
    pub end: usize,
    pub kind: &'static str,
}

pub(super) struct Grammar {
    language: Language,
    patterns: Vec<(&'static str, Vec<Element>)>,
    /// By an item the patterns that may begin with it.
    begin: HashMap<&'static str, Vec<usize>>,
    /// By an item the classes it is in.
    classes: HashMap<&'static str, Vec<&'static str>>,
    /// Words that tell something of a Chinese sentence, by name.
    flags: Vec<(&'static str, Vec<&'static str>)>,
}

/// A part of a pattern.
struct Element {
    optional: bool,
    /// By the first item of each alternative its further ones.
    alternatives: HashMap<&'static str, Vec<Vec<&'static str>>>,
}

impl Grammar {
    pub(super) fn of(language: Language, source: &'static str) -> Grammar {
        let mut members: HashMap<&str, Vec<&'static str>> = HashMap::new();
        let mut grammar = Grammar {
            language,
            patterns: Vec::new(),
            begin: HashMap::new(),
            classes: HashMap::new(),
            flags: Vec::new(),
        };
        for line in source.lines() {
            let mut words = line.split(' ');
            match (words.next(), words.next()) {
                (Some("class"), Some(name)) => {
                    members.insert(name, words.clone().collect());
                    words.for_each(|item| grammar.classes.entry(item).or_default().push(name));
                }
                (Some("flag"), Some(name)) => {
                    grammar.flags.push((name, words.flat_map(|words| words.split('|')).collect()));
                }
                (Some("pattern"), Some(kind)) => {
                    let elements = words.map(|word| Element::of(word, language, &members)).collect();
                    grammar.add(kind, elements);
                }
                _ => {}
            }
        }
        grammar
    }

    fn add(&mut self, kind: &'static str, elements: Vec<Element>) {
        for element in &elements {
            for first in element.alternatives.keys() {
                let patterns = self.begin.entry(first).or_default();
                if patterns.last() != Some(&self.patterns.len()) {
                    patterns.push(self.patterns.len());
                }
            }
            if !element.optional {
                break;
            }
        }
        self.patterns.push((kind, elements));
    }

    pub(super) fn classes_of(&self, item: &str) -> &[&'static str] {
        self.classes.get(item).map_or(&[], Vec::as_slice)
    }

    pub(super) fn flags(&self) -> &[(&'static str, Vec<&'static str>)] {
        &self.flags
    }

    /// The candidates of a line in their order: of those that overlap the longest, then the one of the earlier pattern.
    pub(super) fn candidates(&self, line: &Line<'_>) -> Vec<Candidate> {
        let mut found = Vec::new();
        for first in 0..line.items.len() {
            for number in self.begin.get(line.norm(first)).into_iter().flatten() {
                let end = end(line, first, &self.patterns[*number].1).filter(|end| *end > first);
                found.extend(end.map(|end| (first, end, *number)));
            }
        }
        found.sort_by_key(|(first, end, number)| (std::cmp::Reverse(end - first), *number, *first));
        let mut kept: Vec<(usize, usize, usize)> = Vec::new();
        for one in found {
            if !kept.iter().any(|other| one.0 < other.1 && other.0 < one.1) {
                kept.push(one);
            }
        }
        kept.sort_unstable();
        let kept = kept.into_iter().map(|(first, end, number)| Candidate {
            first,
            end,
            kind: self.patterns[number].0,
        });
        let kept: Vec<Candidate> = kept
            .filter(|one| {
                one.kind != "NEVER"
                    && !line.is_other(&line.range(one.first, one.end), one.kind, self.language)
            })
            .collect();
        if kept.len() <= CANDIDATES_MAX { kept } else { Vec::new() }
    }
}

impl Element {
    fn of(word: &'static str, language: Language, members: &HashMap<&str, Vec<&'static str>>) -> Element {
        let bare = word.strip_suffix('?').unwrap_or(word);
        let mut alternatives: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
        for one in bare.split('|') {
            let of_class = one.strip_prefix('@').and_then(|name| members.get(name));
            for some in of_class.map_or(std::slice::from_ref(&one), Vec::as_slice) {
                let mut items = items(some, language).into_iter();
                let Some(first) = items.next() else { continue };
                alternatives.entry(first).or_default().push(items.collect());
            }
        }
        Element { optional: bare.len() < word.len(), alternatives }
    }
}

/// The items of an alternative: parted by `~`; in Chinese each character.
fn items(text: &'static str, language: Language) -> Vec<&'static str> {
    match language {
        Language::English => text.split('~').collect(),
        Language::Chinese if text == "#4" => vec![text],
        Language::Chinese => text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect(),
    }
}

/// Where the longest match of some elements ends.
fn end(line: &Line<'_>, at: usize, elements: &[Element]) -> Option<usize> {
    let Some((element, rest)) = elements.split_first() else { return Some(at) };
    let without = element.optional.then(|| end(line, at, rest)).flatten();
    let known = line.items.get(at).and_then(|item| element.alternatives.get(&*item.norm));
    let matches = known.into_iter().flatten().filter_map(|further| {
        let next = at + 1 + further.len();
        let items = line.items.get(at + 1..next)?;
        let is_here = items.iter().zip(further).all(|(item, word)| item.norm == *word);
        is_here.then(|| end(line, next, rest)).flatten()
    });
    matches.chain(without).max()
}
