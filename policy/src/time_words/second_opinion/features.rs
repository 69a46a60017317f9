//! What is told of a candidate: strings, each with a weight or none. They are those of `policy/words/train`, which says nothing else.

use super::candidates::{Candidate, Grammar};
use super::line::Line;
use super::{Model, Scores, chinese, english};
use crate::time_words::Language;
use std::fmt::{Arguments, Write};
use std::ops::Range;

/// Items of a clause on each side of a candidate that are looked at.
const CLAUSE: usize = 12;

/// The features of one candidate that have a weight.
pub(super) struct Features<'m> {
    model: &'m Model,
    name: String,
    known: Vec<usize>,
    kind: &'static str,
    group: &'static str,
}

impl Features<'_> {
    fn look_up(&mut self) {
        self.known.extend(self.model.features.get(self.name.as_str()));
    }

    /// `name`
    pub(super) fn plain(&mut self, name: Arguments<'_>) {
        self.name.clear();
        let _ = self.name.write_fmt(name);
        self.look_up();
    }

    /// `name|KIND`
    pub(super) fn of_kind(&mut self, name: Arguments<'_>) {
        let kind = self.kind;
        self.plain(format_args!("{name}|{kind}"));
    }

    /// `name|GROUP`
    pub(super) fn of_group(&mut self, name: Arguments<'_>) {
        let group = self.group;
        self.plain(format_args!("{name}|{group}"));
    }

    /// All three.
    fn each(&mut self, name: Arguments<'_>) {
        self.plain(name);
        let length = self.name.len();
        for of in [self.kind, self.group] {
            self.name.truncate(length);
            self.name.push('|');
            self.name.push_str(of);
            self.look_up();
        }
    }

    /// The sums of their weights, each once.
    fn scores(mut self) -> Scores {
        self.known.sort_unstable();
        self.known.dedup();
        self.known.iter().fold(self.model.intercept, |sums, at| {
            let weights = self.model.weights[*at];
            std::array::from_fn(|model| sums[model] + weights[model])
        })
    }
}

/// A person, a place or a time.
pub(super) fn group(kind: &str) -> &'static str {
    match kind {
        "I" | "WE" => "P1",
        "YOU" => "P2",
        "HE" | "THEY" => "P3",
        "PLACE" | "PLACE2" => "L",
        _ => "T",
    }
}

/// The scores of each candidate of a line.
pub(super) fn scores(model: &Model, line: &Line<'_>, found: &[Candidate]) -> Vec<Scores> {
    if found.is_empty() {
        return Vec::new();
    }
    let said = of_line(model, line, found);
    let words = if model.language == Language::Chinese { chinese::words(line) } else { Vec::new() };
    let scores = |(number, one): (usize, &Candidate)| {
        let mut features = Features {
            model,
            name: String::new(),
            known: Vec::new(),
            kind: one.kind,
            group: group(one.kind),
        };
        if number == 0 {
            features.of_kind(format_args!("first"));
        }
        for what in &said {
            features.each(format_args!("g={what}"));
        }
        let clause = clause(&model.grammar, model.language, line, one);
        of_either(&mut features, line, one, &clause);
        match model.language {
            Language::Chinese => chinese::add(&mut features, &model.grammar, line, one, &clause, &words),
            Language::English => english::add(&mut features, &model.grammar, line, one, &clause),
        }
        features.scores()
    };
    found.iter().enumerate().map(scores).collect()
}

/// What is told of the line as a whole.
fn of_line(model: &Model, line: &Line<'_>, found: &[Candidate]) -> Vec<String> {
    let mut said = match model.language {
        Language::Chinese => chinese::of_line(&model.grammar, line),
        Language::English => english::of_line(&model.grammar, line),
    };
    if line.text.ends_with(['.', '。', '!', '！', '?', '？']) {
        said.push("stop".to_owned());
    }
    said.extend(found.iter().map(|one| format!("has{}", one.kind)));
    if found.len() > 1 {
        said.push(format!("many{}", found.len().min(4)));
    }
    said
}

/// The words of the candidate, its neighbours, and how far the ends of its clause are.
fn of_either(features: &mut Features<'_>, line: &Line<'_>, one: &Candidate, clause: &Range<usize>) {
    let items = &line.items[one.first..one.end];
    let phrase: Vec<&str> = items.iter().map(|item| &*item.norm).collect();
    features.plain(format_args!("t={}", one.kind));
    features.plain(format_args!("p={}", phrase.join("~")));
    features.of_kind(format_args!("s={}", phrase[0]));
    features.of_kind(format_args!("e={}", phrase[phrase.len() - 1]));
    features.of_kind(format_args!("c0={}", (one.first - clause.start).min(4)));
    features.of_kind(format_args!("c1={}", (clause.end - one.end).min(4)));
    for (k, at) in neighbours(one) {
        let norm = match at {
            Some(at) => line.items.get(at).map_or("</s>", |item| &*item.norm),
            None => "<s>",
        };
        features.each(format_args!("w{k}={norm}"));
    }
}

/// The two places before a candidate, of which there may be none, and the two behind it.
pub(super) fn neighbours(one: &Candidate) -> [(i32, Option<usize>); 4] {
    [
        (-2, one.first.checked_sub(2)),
        (-1, one.first.checked_sub(1)),
        (0, Some(one.end)),
        (1, Some(one.end + 1)),
    ]
}

impl Features<'_> {
    /// A feature of a neighbour, in all three ways.
    pub(super) fn of_neighbour(&mut self, k: i32, class: &str) {
        self.each(format_args!("c{k}={class}"));
    }
}

/// The clause of a candidate.
fn clause(grammar: &Grammar, language: Language, line: &Line<'_>, one: &Candidate) -> Range<usize> {
    let ends = |at: usize| match language {
        Language::Chinese => {
            matches!(line.norm(at), "，" | "," | "。" | "；" | ";" | "：" | ":" | "！" | "!" | "？" | "?")
        }
        Language::English => {
            matches!(line.norm(at), "," | ";" | ":" | "." | "-" | "–" | "—")
                || grammar.classes_of(line.norm(at)).contains(&"CONJ")
        }
    };
    let least = one.first.saturating_sub(CLAUSE);
    let start = (least..one.first).rev().find(|at| ends(*at)).map_or(least, |at| at + 1);
    let most = line.items.len().min(one.end + CLAUSE);
    start..(one.end..most).find(|at| ends(*at)).unwrap_or(most)
}
