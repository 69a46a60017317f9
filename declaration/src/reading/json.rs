//! JSON: one object, several in a row, or one a line. The typed way is serde_json's; the tree with places is built from
//! borrowed raw values, whose addresses are their offsets, only when something is wrong.

use super::input::{place_of, saturating, too_large};
use super::limits::{NESTING_MAX, PROBLEMS_MAX};
use super::mistakes::{self, Stop};
use super::node::{At, Node, Pair, Value};
use crate::Code;
use crate::problem::{Position, Problem};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Every value of the input as a `T`; none is built where one of them is too large.
pub(crate) fn typed<T: DeserializeOwned>(text: &str, bytes_max: usize) -> Result<Vec<T>, Problem> {
    if let Some(problem) = oversized(text, bytes_max) {
        return Err(problem);
    }
    let stream = serde_json::Deserializer::from_str(text).into_iter::<T>();
    stream.map(|value| value.map_err(|error| syntax(text, &error))).collect()
}

/// The first value that is too large. What is no JSON is left to whoever reads it.
fn oversized(text: &str, bytes_max: usize) -> Option<Problem> {
    if text.len() <= bytes_max {
        return None;
    }
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let large = values.map_while(Result::ok).find(|raw| raw.get().len() > bytes_max)?;
    let at = place_of(text, offset(text, large));
    Some(too_large("the declaration", large.get().len(), bytes_max).at(at))
}

/// Every value of the input as a tree; what could not be read is a problem.
pub(crate) fn nodes(text: &str, bytes_max: usize) -> (Vec<Node>, Vec<Problem>) {
    let mut nodes = Vec::new();
    let mut problems = Vec::new();
    for raw in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        let built = raw.map_err(|error| syntax(text, &error)).and_then(|raw| {
            let size = raw.get().len();
            if size > bytes_max {
                let at = place_of(text, offset(text, raw));
                return Err(too_large("the declaration", size, bytes_max).at(at));
            }
            node(text, raw, 0)
        });
        match built {
            Ok(node) => nodes.push(node),
            Err(problem) => problems.push(problem),
        }
        if problems.len() > PROBLEMS_MAX {
            break;
        }
    }
    (nodes, problems)
}

fn node(text: &str, raw: &RawValue, depth: usize) -> Result<Node, Problem> {
    let start = offset(text, raw);
    if depth > NESTING_MAX {
        let problem =
            Problem::new(Code::TooDeep, format!("the input is nested deeper than {NESTING_MAX} levels"));
        return Err(problem.at(place_of(text, start)));
    }
    let inside = |error: serde_json::Error| {
        Problem::new(Code::JsonSyntax, format!("the JSON cannot be read: {}", bare(&error)))
            .at(place_of(text, start))
    };
    let value = match raw.get().as_bytes().first() {
        Some(b'{') => {
            let pairs: Pairs<'_> = serde_json::from_str(raw.get()).map_err(inside)?;
            Value::Map(pairs.0.into_iter().map(|pair| field(text, pair, depth)).collect::<Result<_, _>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(inside)?;
            Value::List(items.into_iter().map(|item| node(text, item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Some(b'"') => Value::Text(serde_json::from_str(raw.get()).map_err(inside)?),
        Some(b'n') => Value::Null,
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        _ => match raw.get().parse() {
            Ok(whole) => Value::Integer(whole),
            Err(_) => Value::Number(serde_json::from_str(raw.get()).map_err(inside)?),
        },
    };
    Ok(Node { at: At::Byte(start), value, plain: None })
}

fn field(text: &str, (name, value): (&RawValue, &RawValue), depth: usize) -> Result<Pair, Problem> {
    let at = offset(text, name);
    let name = serde_json::from_str(name.get()).map_err(|error| {
        Problem::new(Code::JsonSyntax, format!("the field name cannot be read: {}", bare(&error)))
            .at(place_of(text, at))
    })?;
    Ok(Pair { at: At::Byte(at), name, value: node(text, value, depth + 1)? })
}

/// Where a raw value begins: it borrows from the text, so the distance of the addresses is the offset.
fn offset(text: &str, raw: &RawValue) -> usize {
    (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The fields of an object in order, duplicates kept.
struct Pairs<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

fn syntax(text: &str, error: &serde_json::Error) -> Problem {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    // serde_json counts bytes and points at the last one it took.
    let bytes = error.column().saturating_sub(1);
    let column = 1 + line.char_indices().take_while(|(at, _)| *at < bytes).count();
    let place = Position { line: saturating(error.line().max(1)), column: saturating(column) };
    let says = bare(error);
    let stop = Stop { text, place, says: &says };
    let cut_off = error.is_eof() || stop.is_end_of_open_text();
    if error.is_syntax()
        && !cut_off
        && let Some(problem) = mistakes::json(&stop)
    {
        return problem;
    }
    let problem = if cut_off {
        Problem::new(Code::JsonTruncated, "the JSON ends in the middle of a value")
            .hint("the file may be cut off; write it elsewhere and move it here when it is complete")
    } else {
        // `Data`: the syntax is right, the types are not. Shown only where the tree's own checks find nothing.
        let code = if error.is_data() { Code::JsonUnreadable } else { Code::JsonSyntax };
        Problem::new(code, format!("the JSON cannot be read: {says}"))
    };
    problem.at(place)
}

/// serde_json's message without the place, which we say our own way.
fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_owned()
}
