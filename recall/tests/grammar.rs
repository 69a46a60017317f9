//! `recall` reads items by itself, because it is used without the merge and reads generously what a person broke. What the
//! grammar of items says in its cases (`fixtures/items/grammar.json`) holds for it too, but for the cases named here.
// Clippy knows only functions marked `#[test]` as tests, not their helpers.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use recall::{Unit, UnitKind, cut};
use serde_json::Value;
use std::path::Path;

/// Cases that are read in another way on purpose, and why.
const OTHERWISE: [(&str, &str); 8] = [
    ("not-at-the-top", "an indented list is found, too"),
    ("broken-comment", "what a comment of ours says counts, also without its end"),
    ("comment-of-a-person", "no comment is shown, whoever wrote it"),
    ("two-comments", "no comment is shown, whoever wrote it"),
    ("id-that-is-none", "an item without a text cannot be found"),
    ("id-before-comment", "an id counts on either side of the comment"),
    ("empty", "an item without a text cannot be found"),
    ("hostile-strikes", "`~~~~` opens a code block, which has no text here"),
];

/// What both readers must agree on: kind, id, tags, whether it is live, and the first line that is shown.
type Seen = (Option<String>, Option<String>, Vec<String>, bool, String);

fn expected(item: &Value) -> Seen {
    let text = |name: &str| item[name].as_str().map(str::to_owned);
    let tags = item["tags"].as_array().into_iter().flatten().map(|tag| tag.as_str().unwrap().to_owned());
    let retired = item["retired"].as_bool().unwrap_or(false);
    (text("kind"), text("id"), tags.collect(), retired, text("text").unwrap_or_default())
}

fn found(unit: &Unit) -> Seen {
    let first = unit.text.lines().next().unwrap_or_default().to_owned();
    let fields = unit.item.clone();
    (fields.kind, fields.id, fields.tags, fields.retired, first)
}

/// What a person struck out in other forms than ours.
#[test]
fn what_a_hand_struck_out_is_retired() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/items/struck.json");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    for case in &cases {
        let text = case["text"].as_str().unwrap();
        assert_eq!(cut(text)[0].item.retired, case["struck"].as_bool().unwrap(), "{text}");
    }
}

#[test]
fn items_are_read_as_the_grammar_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/items/grammar.json");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let mut differ = Vec::new();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let units = cut(case["text"].as_str().unwrap());
        let seen: Vec<Seen> = units.iter().filter(|unit| unit.kind == UnitKind::Item).map(found).collect();
        let wanted: Vec<Seen> = case["items"].as_array().unwrap().iter().map(expected).collect();
        if (seen == wanted) == OTHERWISE.iter().any(|(other, _)| *other == name) {
            differ.push(format!("{name}:\n  grammar {wanted:?}\n  recall  {seen:?}"));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
