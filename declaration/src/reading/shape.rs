//! The shape of a document as a table, to report everything that does not fit at once: serde stops at the first.
//! The happy path never looks here.

use super::near::did_you_mean;
use super::node::{At, Node, Value, shortened};
use crate::problem::Problem;
use std::collections::HashMap;

/// What a value may be. `null` counts as absent.
pub enum Shape {
    /// Whatever; judged elsewhere.
    Any,
    /// A text.
    Text,
    /// A text or a list of texts.
    Texts,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Bool,
    /// One of a few words; anything else has this code.
    Word(&'static str, &'static [&'static str]),
    /// A list of such.
    List(&'static Shape),
    /// A mapping with these fields and no others.
    Record(&'static [Field]),
    /// A mapping from names of the author's choosing.
    Named(&'static Shape),
}

/// A field of a record.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
}

/// A field that may be absent.
pub const fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, required: false }
}

/// A field that must be there.
pub const fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, required: true }
}

/// The shape of a declaration; its entries are looked at one by one with `ENTRY`.
pub static DECLARATION: Shape = Shape::Record(&[
    must("version", Shape::Text),
    may("source", Shape::Text),
    must("entries", Shape::List(&Shape::Any)),
]);

/// The shape of a job.
pub static JOB: Shape = Shape::Record(&[
    must("version", Shape::Text),
    may("source", Shape::Text),
    must("entries", Shape::List(&Shape::Any)),
    may("job", Shape::Any),
]);

/// The shape of an entry.
pub static ENTRY: Shape = Shape::Record(&[
    must("key", Shape::Record(KEY)),
    may("operation", Shape::Word("unknown_operation", OPERATIONS)),
    may("content", Shape::Text),
    may("old_text", Shape::Text),
    may("scope", Shape::Word("unknown_scope", &["own", "subtree"])),
    may("create", Shape::Bool),
    may("base", Shape::Text),
    may("meta", Shape::Record(META)),
]);

const KEY: &[Field] = &[
    may("path", Shape::Text),
    may("kb", Shape::Text),
    may("url", Shape::Text),
    may("heading", Shape::Texts),
    may("level", Shape::Integer),
];

const META: &[Field] = &[
    may("confidence", Shape::Number),
    may("reason", Shape::Text),
    may("trust", Shape::Word("unknown_trust", &["user", "agent", "tool", "web"])),
    may("review_by", Shape::Text),
    may("speaker", Shape::Text),
    may("user", Shape::Text),
    may("place", Shape::Text),
];

const OPERATIONS: &[&str] = &["no-op", "update", "append", "replace", "clear", "delete"];

/// A problem of shape, where it is.
pub struct Misfit {
    /// Where.
    pub at: At,
    /// Where the other thing it is about is.
    pub other: Option<At>,
    /// What.
    pub problem: Problem,
}

/// Everything in `node` that does not fit `shape`. Plain YAML scalars become texts where a text is wanted.
pub fn misfits(node: &mut Node, shape: &Shape, path: &str, found: &mut Vec<Misfit>) {
    if let (Shape::Text, Value::Integer(_) | Value::Number(_) | Value::Bool(_), Some(plain)) =
        (shape, &node.value, &node.plain)
    {
        node.value = Value::Text(plain.clone());
    }
    if matches!(node.value, Value::Null) && !path.is_empty() && !path.ends_with(']') {
        return;
    }
    match (shape, &mut node.value) {
        (Shape::Record(fields), Value::Map(_)) => record(node, fields, path, found),
        (Shape::Named(inner), Value::Map(pairs)) => {
            repeated(pairs.iter().map(|pair| (pair.name.as_str(), pair.at)), path, found);
            for pair in pairs {
                misfits(&mut pair.value, inner, &join(path, &pair.name), found);
            }
        }
        (Shape::List(inner), Value::List(items)) => each(items, inner, path, found),
        (Shape::Texts, Value::List(items)) => each(items, &Shape::Text, path, found),
        (Shape::Word(code, words), Value::Text(word)) => {
            if !words.contains(&word.as_str()) {
                let message = format!("{path} is `{}`", shortened(word));
                let problem = Problem::new(*code, message).hint(did_you_mean(word, words.iter().copied()));
                found.push(Misfit { at: node.at, other: None, problem });
            }
        }
        (Shape::Any, _)
        | (Shape::Text | Shape::Texts, Value::Text(_))
        | (Shape::Integer, Value::Integer(_))
        | (Shape::Number, Value::Integer(_))
        | (Shape::Bool, Value::Bool(_)) => {}
        (Shape::Number, Value::Number(number)) if number.is_finite() => {}
        _ => found.push(wrong_type(node, shape, path)),
    }
}

fn each(items: &mut [Node], shape: &Shape, path: &str, found: &mut Vec<Misfit>) {
    for (index, item) in items.iter_mut().enumerate() {
        misfits(item, shape, &format!("{path}[{index}]"), found);
    }
}

fn record(node: &mut Node, fields: &[Field], path: &str, found: &mut Vec<Misfit>) {
    let at = node.at;
    let Value::Map(pairs) = &mut node.value else { return };
    repeated(pairs.iter().map(|pair| (pair.name.as_str(), pair.at)), path, found);
    for field in fields.iter().filter(|field| field.required) {
        let there = pairs.iter().any(|p| p.name == field.name && !matches!(p.value.value, Value::Null));
        if !there {
            let message = format!("{} has no `{}`", named(path), field.name);
            found.push(Misfit { at, other: None, problem: Problem::new("missing_field", message) });
        }
    }
    for pair in pairs {
        match fields.iter().find(|field| field.name == pair.name) {
            Some(field) => misfits(&mut pair.value, &field.shape, &join(path, field.name), found),
            None => {
                let message = format!("{} has an unknown field `{}`", named(path), shortened(&pair.name));
                let hint = did_you_mean(&pair.name, fields.iter().map(|field| field.name));
                let problem = Problem::new("unknown_field", message).hint(hint);
                found.push(Misfit { at: pair.at, other: None, problem });
            }
        }
    }
}

fn repeated<'a>(names: impl Iterator<Item = (&'a str, At)>, path: &str, found: &mut Vec<Misfit>) {
    let mut first: HashMap<&str, At> = HashMap::new();
    for (name, at) in names {
        let Some(earlier) = first.get(name) else {
            first.insert(name, at);
            continue;
        };
        let message = format!("{} has the field `{}` twice", named(path), shortened(name));
        let problem = Problem::new("duplicate_field", message).hint("keep one of them");
        found.push(Misfit { at, other: Some(*earlier), problem });
    }
}

fn wrong_type(node: &Node, shape: &Shape, path: &str) -> Misfit {
    let message = format!("{} is {}, not {}", named(path), node.describe(), shape.wanted());
    let problem = Problem::new("wrong_type", message);
    let problem = match (shape, &node.value) {
        (
            Shape::Text | Shape::Texts | Shape::Word(..),
            Value::Integer(_) | Value::Number(_) | Value::Bool(_),
        ) => problem.hint("put quotes around it"),
        (Shape::Integer, Value::Text(text)) if text.parse::<i64>().is_ok() => {
            problem.hint("take the quotes away")
        }
        (Shape::Number, Value::Text(text)) if text.parse::<f64>().is_ok() => {
            problem.hint("take the quotes away")
        }
        (Shape::Bool, Value::Text(_)) => problem.hint("write true or false, without quotes"),
        _ => problem,
    };
    Misfit { at: node.at, other: None, problem }
}

impl Shape {
    fn wanted(&self) -> &'static str {
        match self {
            Shape::Any => "anything",
            Shape::Text => "a text",
            Shape::Texts => "a text or a list of texts",
            Shape::Integer => "a whole number",
            Shape::Number => "a number",
            Shape::Bool => "true or false",
            Shape::Word(..) => "a word",
            Shape::List(_) => "a list",
            Shape::Record(_) | Shape::Named(_) => "a mapping of fields",
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn named(path: &str) -> &str {
    if path.is_empty() { "the document" } else { path }
}
