//! An input as a tree that knows where each thing stands. Built for YAML always (it bounds nesting and aliases before
//! anything else reads the text), for JSON only once something is wrong.

use super::input::place_of;
use crate::problem::Position;

/// Where a node stands. JSON knows byte offsets, which become line and column only for what is reported.
#[derive(Debug, Clone, Copy)]
pub enum At {
    /// Byte offset in the text.
    Byte(usize),
    /// Line and column.
    Position(Position),
}

impl At {
    /// Line and column in `text`.
    pub fn place(self, text: &str) -> Position {
        match self {
            At::Byte(offset) => place_of(text, offset),
            At::Position(place) => place,
        }
    }
}

/// One value with its place.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it begins.
    pub at: At,
    /// What it is.
    pub value: Value,
    /// A plain YAML scalar as written: `1.10` may be meant as a text.
    pub plain: Option<String>,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in order, duplicates kept.
    Map(Vec<Pair>),
}

/// One field of a mapping.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Where the name begins.
    pub at: At,
    /// The field's name.
    pub name: String,
    /// Its value.
    pub value: Node,
}

/// A path as a message says it: entries are counted from 1, as people count them
/// (`entry 2: content is missing, but the operation is append`).
pub fn in_words(path: &str) -> String {
    let index = path.strip_prefix("entries[").and_then(|rest| rest.split_once(']'));
    let Some((number, rest)) = index.and_then(|(index, rest)| Some((index.parse::<usize>().ok()? + 1, rest)))
    else {
        return path.to_owned();
    };
    match rest.strip_prefix('.') {
        Some(field) => format!("entry {number}: {field}"),
        None => format!("entry {number}{rest}"),
    }
}

impl Node {
    /// The field of that name.
    pub fn get(&self, name: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(pairs) => pairs.iter().find(|pair| pair.name == name).map(|pair| &pair.value),
            _ => None,
        }
    }

    /// The place of `path` (`entries[2].key.level`), or of the nearest thing around it that exists.
    pub fn locate(&self, path: &str) -> At {
        let mut here = self;
        for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
            let next = match (&here.value, step.strip_suffix(']').and_then(|index| index.parse().ok())) {
                (Value::List(items), Some(index)) => items.get::<usize>(index),
                _ => here.get(step),
            };
            match next {
                Some(next) => here = next,
                None => break,
            }
        }
        here.at
    }

    /// What it is, for a message: with its value where that is short.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "empty".to_owned(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Integer(value) => format!("the number {value}"),
            Value::Number(value) => format!("the number {value}"),
            Value::Text(text) => format!("the text `{}`", shortened(text)),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a mapping".to_owned(),
        }
    }

    /// How much it is: one per node plus its texts' bytes.
    pub fn weight(&self) -> usize {
        1 + match &self.value {
            Value::Text(text) => text.len(),
            Value::List(items) => items.iter().map(Node::weight).sum(),
            Value::Map(pairs) => pairs.iter().map(|pair| pair.name.len() + pair.value.weight()).sum(),
            _ => 0,
        }
    }

    /// The same without places, for serde.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Integer(value) => (*value).into(),
            Value::Number(value) => (*value).into(),
            Value::Text(text) => text.clone().into(),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(pairs) => pairs.iter().map(|pair| (pair.name.clone(), pair.value.to_json())).collect(),
        }
    }
}

/// The head of a text, on one line, for a message.
pub fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    let line: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() { format!("{line}…") } else { line }
}
