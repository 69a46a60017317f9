//! The schema of a document as a table, to report everything that does not fit at once: serde stops at the first.
//! The happy path never looks here.

use super::mistakes;
use super::near::did_you_mean;
use super::node::{At, Node, Pair, Value, in_words, shortened};
use crate::problem::Problem;
use crate::{Code, Operation};
use std::collections::HashMap;

/// What a value may be. `null` counts as absent.
pub enum Schema {
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
    /// True or false, or one of a few words; any other word has this code.
    BoolOr(&'static Code, &'static [&'static str]),
    /// One of a few words; anything else has this code.
    Word(&'static Code, &'static [&'static str]),
    /// A list of such.
    List(&'static Schema),
    /// A mapping with these fields and no others.
    Record(&'static [Field]),
    /// A mapping from names of the author's choosing.
    Named(&'static Schema),
}

/// A field of a record.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub schema: Schema,
    /// Whether it must be there.
    pub required: bool,
    /// How it is written, for who left it out; empty where that says nothing.
    pub example: &'static str,
    /// Fields that belong inside of it, and are often written beside it.
    pub inner: &'static [&'static str],
}

/// A field that may be absent.
pub const fn may(name: &'static str, schema: Schema) -> Field {
    Field { name, schema, required: false, example: "", inner: &[] }
}

/// A field that must be there, and how it is written.
pub const fn must(name: &'static str, schema: Schema, example: &'static str) -> Field {
    Field { name, schema, required: true, example, inner: &[] }
}

/// The schema of a declaration; its entries are looked at one by one with `ENTRY`.
pub static DECLARATION: Schema = Schema::Record(&[VERSION, may("source", Schema::Text), ENTRIES]);

/// The schema of a job.
pub static JOB: Schema =
    Schema::Record(&[VERSION, may("source", Schema::Text), ENTRIES, may("job", Schema::Any)]);

const VERSION: Field = must("version", Schema::Text, "version: \"1.0.0\"");
const ENTRIES: Field = Field {
    inner: &[
        "key",
        "kb",
        "path",
        "url",
        "item",
        "heading",
        "level",
        "operation",
        "content",
        "old_text",
        "meta",
    ],
    ..must(
        "entries",
        Schema::List(&Schema::Any),
        "entries: [{ key: { kb: user, heading: Preferences }, operation: append, content: … }]",
    )
};

/// The schema of an entry.
pub static ENTRY: Schema = Schema::Record(&[
    Field {
        inner: &["kb", "path", "url", "item", "heading", "level"],
        ..must("key", Schema::Record(KEY), KEY_EXAMPLE)
    },
    may("operation", Schema::Word(&Code::UnknownOperation, &Operation::WORDS)),
    may("content", Schema::Text),
    may("old_text", Schema::Text),
    may("expect", Schema::Integer),
    may("scope", Schema::Word(&Code::UnknownScope, &["own", "subtree"])),
    may("create", Schema::BoolOr(&Code::UnknownCreate, &["ancestors"])),
    may("base", Schema::Text),
    may("meta", Schema::Record(META)),
]);

const KEY_EXAMPLE: &str = "key: { kb: user, heading: Preferences }";

const KEY: &[Field] = &[
    may("path", Schema::Text),
    may("kb", Schema::Text),
    may("url", Schema::Text),
    may("item", Schema::Text),
    may("heading", Schema::Texts),
    may("level", Schema::Integer),
];

const META: &[Field] = &[
    may("confidence", Schema::Number),
    may("reason", Schema::Text),
    may("trust", Schema::Word(&Code::UnknownTrust, &["user", "agent", "tool", "web"])),
    may("review_by", Schema::Text),
    may("speaker", Schema::Text),
    may("user", Schema::Text),
    may("place", Schema::Text),
];

/// A place that does not fit the schema.
pub struct Misfit {
    /// Where.
    pub at: At,
    /// Where the other thing it is about is.
    pub other: Option<At>,
    /// What.
    pub problem: Problem,
}

/// Everything in `node` that does not fit `schema`. Plain YAML scalars become texts where a text is wanted.
pub fn misfits(node: &mut Node, schema: &Schema, path: &str, found: &mut Vec<Misfit>) {
    if let (Schema::Text, Value::Integer(_) | Value::Number(_) | Value::Bool(_), Some(plain)) =
        (schema, &node.value, &node.plain)
    {
        node.value = Value::Text(plain.clone());
    }
    if matches!(node.value, Value::Null) && !path.is_empty() && !path.ends_with(']') {
        return;
    }
    match (schema, &mut node.value) {
        (Schema::Record(fields), Value::Map(_)) => record(node, fields, path, found),
        (Schema::Named(inner), Value::Map(pairs)) => {
            repeated(pairs.iter().map(|pair| (pair.name.as_str(), pair.at)), path, found);
            for pair in pairs {
                misfits(&mut pair.value, inner, &join(path, &pair.name), found);
            }
        }
        (Schema::List(inner), Value::List(items)) => each(items, inner, path, found),
        (Schema::Texts, Value::List(items)) => each(items, &Schema::Text, path, found),
        (Schema::Word(code, words) | Schema::BoolOr(code, words), Value::Text(word)) => {
            if !words.contains(&word.as_str()) {
                let message = format!("{} is `{}`", in_words(path), shortened(word));
                // No declaration may use it; of the commands that a script may have it is one.
                let is_told =
                    |word: &&str| **code != Code::UnknownOperation || *word != Operation::Purge.as_str();
                let known = words.iter().copied().filter(is_told);
                let problem = Problem::new((*code).clone(), message).hint(did_you_mean(word, known));
                found.push(Misfit { at: node.at, other: None, problem });
            }
        }
        (Schema::Any, _)
        | (Schema::Text | Schema::Texts, Value::Text(_))
        | (Schema::Integer, Value::Integer(_))
        | (Schema::Number, Value::Integer(_))
        | (Schema::Bool | Schema::BoolOr(..), Value::Bool(_)) => {}
        (Schema::Number, Value::Number(number)) if number.is_finite() => {}
        _ => found.push(wrong_type(node, schema, path)),
    }
}

fn each(items: &mut [Node], schema: &Schema, path: &str, found: &mut Vec<Misfit>) {
    for (index, item) in items.iter_mut().enumerate() {
        misfits(item, schema, &format!("{path}[{index}]"), found);
    }
}

fn record(node: &mut Node, fields: &[Field], path: &str, found: &mut Vec<Misfit>) {
    let at = node.at;
    let Value::Map(pairs) = &mut node.value else { return };
    repeated(pairs.iter().map(|pair| (pair.name.as_str(), pair.at)), path, found);
    // What belongs inside of a field that is not there is said once, with that field.
    let mut outside: Vec<String> = Vec::new();
    for field in fields.iter().filter(|field| field.required) {
        let there = pairs.iter().any(|p| p.name == field.name && !matches!(p.value.value, Value::Null));
        if !there {
            let inner =
                |pair: &&Pair| field.inner.contains(&pair.name.as_str()) && !is_field(fields, &pair.name);
            let flat: Vec<&Pair> = pairs.iter().filter(inner).collect();
            outside.extend(flat.iter().map(|pair| pair.name.clone()));
            found.push(Misfit { at, other: None, problem: missing(field, path, &flat) });
        }
    }
    for pair in pairs {
        match fields.iter().find(|field| field.name == pair.name) {
            Some(field) => misfits(&mut pair.value, &field.schema, &join(path, field.name), found),
            None if outside.contains(&pair.name) => {}
            // What a language model says before it answers: `Here is the declaration:`.
            None if path.is_empty() && pair.name.contains(' ') && matches!(pair.value.value, Value::Null) => {
                let sentence = shortened(&pair.name);
                let message = format!("a sentence stands beside {}: `{sentence}`", named(path));
                let problem = Problem::new(Code::UnknownField, message).hint(mistakes::SENTENCE_HINT);
                found.push(Misfit { at: pair.at, other: None, problem });
            }
            None => {
                let message = format!("{} has an unknown field `{}`", named(path), shortened(&pair.name));
                let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
                let hint = mistakes::grown_together(&pair.name, &names)
                    .unwrap_or_else(|| did_you_mean(&pair.name, names.iter().copied()));
                let problem = Problem::new(Code::UnknownField, message).hint(hint);
                found.push(Misfit { at: pair.at, other: None, problem });
            }
        }
    }
}

fn is_field(fields: &[Field], name: &str) -> bool {
    fields.iter().any(|field| field.name == name)
}

/// A field that is not there. `flat` is what was written beside it and belongs inside.
fn missing(field: &Field, path: &str, flat: &[&Pair]) -> Problem {
    let problem = Problem::new(Code::MissingField, format!("{} has no `{}`", named(path), field.name));
    let names: Vec<String> = flat.iter().map(|pair| format!("`{}`", pair.name)).collect();
    match (names.is_empty(), &field.schema) {
        (true, _) if field.example.is_empty() => problem,
        (true, _) => problem.hint(format!("write `{}`", field.example)),
        (false, Schema::Record(_)) => {
            let value = |pair: &&Pair| match &pair.value.value {
                Value::Text(text) => format!("{}: {}", pair.name, shortened(text)),
                Value::Integer(number) => format!("{}: {number}", pair.name),
                _ => format!("{}: …", pair.name),
            };
            let inside: Vec<String> = flat.iter().map(value).collect();
            problem.hint(format!("write `{}: {{ {} }}`", field.name, inside.join(", ")))
        }
        (false, _) => {
            let belong = if names.len() == 1 { "belongs" } else { "belong" };
            let hint = format!("{} {belong} below `{}:`, behind a `- `", names.join(", "), field.name);
            problem.hint(format!("{hint}; `enqueue --help` has an example"))
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
        let problem = Problem::new(Code::DuplicateField, message).hint("keep one of them");
        found.push(Misfit { at, other: Some(*earlier), problem });
    }
}

fn wrong_type(node: &Node, schema: &Schema, path: &str) -> Misfit {
    let message = format!("{} is {}, not {}", named(path), node.describe(), schema.wanted());
    let problem = Problem::new(Code::WrongType, message);
    let problem = match (schema, &node.value) {
        (
            Schema::Text | Schema::Texts | Schema::Word(..),
            Value::Integer(_) | Value::Number(_) | Value::Bool(_),
        ) => problem.hint("put quotes around it"),
        (Schema::Integer, Value::Text(text)) if text.parse::<i64>().is_ok() => {
            problem.hint("take the quotes away")
        }
        (Schema::Number, Value::Text(text)) if text.parse::<f64>().is_ok() => {
            problem.hint("take the quotes away")
        }
        (Schema::Number, Value::Text(_)) => problem.hint("write a number, such as 0.8"),
        (Schema::Bool, Value::Text(_)) => problem.hint("write true or false, without quotes"),
        (Schema::List(_), Value::Map(fields)) => problem.hint(match node.at {
            At::Byte(_) => "put it into `[` and `]`",
            At::Position(_) if fields.first().is_some_and(|field| field.name.starts_with('-')) => {
                "put a blank behind the `-`"
            }
            At::Position(_) => "put a `- ` in front of its first field, and indent the others as far",
        }),
        (Schema::Text, Value::List(_)) => problem.hint(match node.at {
            At::Byte(_) => "write one text, with `\\n` between its lines".to_owned(),
            At::Position(_) => {
                let name = path.rsplit('.').next().unwrap_or(path);
                format!("write `{name}: |-`, and below it the lines as they are, indented")
            }
        }),
        (Schema::Record(fields), Value::Text(text)) => match written_as_text(fields, text) {
            Some(hint) => problem.hint(hint),
            None if path.ends_with("key") => problem.hint(format!("write `{KEY_EXAMPLE}`")),
            None if path.is_empty() && is_field(fields, "entries") => problem
                .hint("a declaration has `version:` and `entries:`; one entry alone can be given by flags"),
            None => problem,
        },
        (Schema::Record(fields), Value::List(_)) if path.is_empty() && is_field(fields, "entries") => problem
            .hint(match node.at {
                At::Byte(_) => "write `{\"version\": \"1.0.0\", \"entries\": [...]}` around it",
                At::Position(_) => {
                    "put `version: \"1.0.0\"` and `entries:` before it, and the list below `entries:`"
                }
            }),
        _ => problem,
    };
    Misfit { at: node.at, other: None, problem }
}

/// `version：1` or `kb:user` is one word to YAML, and no field.
fn written_as_text(fields: &[Field], text: &str) -> Option<String> {
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    mistakes::grown_together(&shortened(text), &names)
}

impl Schema {
    fn wanted(&self) -> &'static str {
        match self {
            Schema::Any => "anything",
            Schema::Text => "a text",
            Schema::Texts => "a text or a list of texts",
            Schema::Integer => "a whole number",
            Schema::Number => "a number",
            Schema::Bool => "true or false",
            Schema::BoolOr(..) => "true, false or a word",
            Schema::Word(..) => "a word",
            Schema::List(_) => "a list",
            Schema::Record(_) | Schema::Named(_) => "fields with names",
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn named(path: &str) -> String {
    if path.is_empty() { "the declaration".to_owned() } else { in_words(path) }
}
