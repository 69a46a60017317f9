//! How well questions are answered, on labelled memories (`fixtures/recall`). The shares are what is reached: a change that
//! loses some of them fails here.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test reads its fixtures itself

use recall::{Hit, HitFilter, Query, SearchedDocument, Unit, Weights, cut, letters, scan};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

struct Memory {
    documents: Vec<(String, Vec<Unit>)>,
    questions: Vec<Value>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/recall")
}

fn courier() -> Memory {
    let mut documents = Vec::new();
    let root = fixtures().join("docs");
    for folder in ["", "facts", "projects", "people"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                documents.push((name, cut(&fs::read_to_string(&path).unwrap())));
            }
        }
    }
    let text = fs::read_to_string(fixtures().join("queries.jsonl")).unwrap();
    Memory { documents, questions: text.lines().map(|line| serde_json::from_str(line).unwrap()).collect() }
}

fn bakery() -> Memory {
    in_one_file("bakery.json")
}

fn in_one_file(name: &str) -> Memory {
    let set: Value = serde_json::from_str(&fs::read_to_string(fixtures().join(name)).unwrap()).unwrap();
    let document = |of: &Value| (of["path"].as_str().unwrap().to_owned(), cut(of["text"].as_str().unwrap()));
    Memory {
        documents: set["docs"].as_array().unwrap().iter().map(document).collect(),
        questions: set["queries"].as_array().unwrap().clone(),
    }
}

impl Memory {
    fn ask(&self, question: &str) -> Vec<Hit> {
        let weights = Weights::DEFAULT;
        let documents: Vec<SearchedDocument<'_>> =
            self.documents.iter().map(|(_, units)| SearchedDocument { units, ages: false }).collect();
        let wanted = HitFilter { all: false, may: &|_, _| true, today: "2026-11-22", limit: 10 };
        let query = Query::new(question, &weights);
        let hits = scan(&documents, &query, &wanted, &weights);
        if hits.is_empty() { letters(&documents, &query, &wanted) } else { hits }
    }

    fn is_one_of(&self, hit: &Hit, lines: &Value) -> bool {
        let (path, units) = &self.documents[hit.document];
        let line = units[hit.unit].line as u64;
        lines.as_array().into_iter().flatten().any(|gold| {
            let of = |key: &str, at: usize| gold.get(key).unwrap_or(&gold[at]).clone();
            of("path", 0) == path.as_str()
                && (of("from", 1).as_u64()..=of("to", 2).as_u64()).contains(&Some(line))
        })
    }

    /// By category: asked, right first, right among the first five, answered at all.
    fn scores(&self) -> BTreeMap<String, [usize; 4]> {
        let mut scores: BTreeMap<String, [usize; 4]> = BTreeMap::new();
        for question in self.questions.iter().filter(|question| question["cat"] != "scope") {
            let hits = self.ask(question["q"].as_str().unwrap());
            let rank = hits.iter().position(|hit| self.is_one_of(hit, &question["gold"]));
            let older = hits.iter().position(|hit| self.is_one_of(hit, &question["older"]));
            let rank = rank.filter(|rank| older.is_none_or(|older| older > *rank));
            let score = scores.entry(question["cat"].as_str().unwrap().to_owned()).or_default();
            let marks = [true, rank == Some(0), rank.is_some_and(|rank| rank < 5), !hits.is_empty()];
            score.iter_mut().zip(marks).for_each(|(count, mark)| *count += usize::from(mark));
        }
        scores
    }
}

/// Category, right first, right among the first five, answered: at least, at least, at most.
#[track_caller]
fn assert_reached(memory: &Memory, wanted: &[(&str, usize, usize, usize)]) {
    let scores = memory.scores();
    for (category, first, five, answered) in wanted {
        let [asked, is_first, is_five, is_answered] = scores[*category];
        let reached = is_first >= *first && is_five >= *five && is_answered <= *answered;
        assert!(
            reached,
            "{category}: of {asked} {is_first} first, {is_five} of five, {is_answered} answered"
        );
    }
}

#[test]
fn a_memory_in_two_languages_is_answered() {
    let wanted = [
        ("symbol", 20, 20, 20),
        ("short", 20, 20, 20),
        ("fold", 18, 20, 20),
        ("stem", 3, 4, 4),
        ("now", 10, 10, 10),
        ("none", 0, 0, 0),
        ("purged", 2, 2, 2),
        ("edited", 1, 1, 1),
    ];
    assert_reached(&courier(), &wanted);
}

#[test]
fn another_memory_is_answered_by_the_same_weights() {
    assert_reached(&bakery(), &[("hand", 36, 36, 41), ("none", 0, 0, 2)]);
}

/// Written when the weights stood, and nothing was tuned to it. `meaning` asks in words that are not there.
#[test]
fn a_memory_that_nothing_was_tuned_to_is_answered() {
    let wanted = [
        ("symbol", 15, 15, 15),
        ("short", 8, 8, 8),
        ("fold", 6, 6, 6),
        ("words", 16, 16, 18),
        ("meaning", 0, 0, 0),
        ("none", 0, 0, 0),
    ];
    assert_reached(&in_one_file("observatory.json"), &wanted);
}

/// The questions of one memory, asked of the other: almost none has an answer there.
#[test]
fn foreign_questions_are_not_answered() {
    let (courier, bakery) = (courier(), bakery());
    let answered = |memory: &Memory, other: &Memory| {
        let questions = other.questions.iter().map(|question| question["q"].as_str().unwrap());
        questions.filter(|question| !memory.ask(question).is_empty()).count()
    };
    let (one, other) = (answered(&courier, &bakery), answered(&bakery, &courier));
    assert!(
        one <= 10 && other <= 4,
        "{one} of {}, {other} of {}",
        bakery.questions.len(),
        courier.questions.len()
    );
}

/// A hit says what stands at its line, and nothing of a comment.
#[test]
fn hits_stand_where_they_say() {
    let memory = courier();
    for (_, units) in &memory.documents {
        assert!(units.iter().all(|unit| !unit.text.contains("<!--") && !unit.text.contains(" ^")));
    }
}
