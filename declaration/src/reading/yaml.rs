//! YAML: one or several documents. Read twice: first as events, into a tree with places (which bounds nesting and
//! aliases before anything recursive or expanding sees the text), then typed. The only module that reads YAML.

use super::input::{saturating, too_large};
use super::limits::{ALIAS_WEIGHT_MAX, NESTING_MAX};
use super::mistakes::{self, Stop};
use super::node::{At, Node, Pair, Value};
use crate::Code;
use crate::problem::{Position, Problem};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// Every document of the input as a `T`; empty documents are left out.
pub fn typed<T: DeserializeOwned>(text: &str, bytes_max: usize) -> Result<Vec<T>, Problem> {
    nodes(text, bytes_max)?;
    let mut values = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        values.extend(Option::<T>::deserialize(document).map_err(|error| unreadable(&error))?);
    }
    Ok(values)
}

/// Every document of the input as a tree; empty documents are left out.
pub fn nodes(text: &str, bytes_max: usize) -> Result<Vec<Node>, Problem> {
    if text.len() > bytes_max {
        return Err(too_large("the YAML", text.len(), bytes_max));
    }
    let mut builder = Builder::default();
    let lines: Vec<&str> = text.lines().collect();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| syntax(text, &error))?;
        builder.cut(&event, &span.end, &lines)?;
        builder.take(event, &span.start)?;
    }
    builder.documents.retain(|node| !matches!(node.value, Value::Null));
    Ok(builder.documents)
}

/// Builds trees from events, without recursion.
#[derive(Default)]
struct Builder {
    documents: Vec<Node>,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    alias_weight: usize,
}

/// A list or mapping whose end has not come yet.
struct Open {
    node: Node,
    anchor: usize,
    /// A mapping's field name that waits for its value.
    name: Option<(At, String)>,
}

impl Builder {
    /// Refuses a text that a comment cuts off, because nobody would see what is lost.
    fn cut(&self, event: &Event<'_>, end: &Marker, lines: &[&str]) -> Result<(), Problem> {
        let Event::Scalar(kept, ScalarStyle::Plain, ..) = event else { return Ok(()) };
        let Some((at, name)) = self.open.last().and_then(|open| open.name.as_ref()) else { return Ok(()) };
        // Nothing at all ends where its field's name does, whatever the parser looked at to know.
        let (line, column) = match at {
            At::Position(at) if matches!(&**kept, "" | "~") => {
                (at.line as usize, at.column as usize + name.chars().count())
            }
            _ => (end.line(), end.col()),
        };
        let Some(text) = lines.get(line.saturating_sub(1)) else { return Ok(()) };
        let byte = text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
        mistakes::cut(name, kept, (line, text, byte)).map_or(Ok(()), Err)
    }

    fn take(&mut self, event: Event<'_>, mark: &Marker) -> Result<(), Problem> {
        let at = At::Position(place(mark));
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                self.put(scalar(at, &text, plain), anchor)
            }
            Event::SequenceStart(anchor, _) => self.enter(at, Value::List(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => self.enter(at, Value::Map(Vec::new()), anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => self.put(open.node, open.anchor),
                None => Ok(()),
            },
            Event::Alias(anchor) => self.alias(anchor, at),
            _ => Ok(()),
        }
    }

    fn enter(&mut self, at: At, value: Value, anchor: usize) -> Result<(), Problem> {
        if self.open.len() >= NESTING_MAX {
            return Err(too_deep(at));
        }
        self.open.push(Open { node: Node { at, value, plain: None }, anchor, name: None });
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: At) -> Result<(), Problem> {
        let Some(target) = self.anchors.get(&anchor) else {
            return Err(placed(Code::YamlSyntax, "an alias stands inside what it refers to", at));
        };
        self.alias_weight += target.weight();
        if self.alias_weight > ALIAS_WEIGHT_MAX {
            let problem =
                placed(Code::TooManyAliases, "the YAML's aliases expand to more than is allowed", at);
            return Err(problem.hint("write the values out"));
        }
        let node = Node { at, ..target.clone() };
        self.put(node, 0)
    }

    /// Puts a finished node where it belongs.
    fn put(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.push(node);
            return Ok(());
        };
        match (&mut open.node.value, open.name.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(pairs), Some((at, name))) => pairs.push(Pair { at, name, value: node }),
            (_, _) => open.name = Some((node.at, name_of(node)?)),
        }
        Ok(())
    }
}

fn name_of(node: Node) -> Result<String, Problem> {
    match (node.value, node.plain) {
        (Value::Text(text), _) | (_, Some(text)) => Ok(text),
        _ => Err(placed(Code::BadField, "a field's name is a list or a mapping, not a word", node.at)),
    }
}

fn scalar(at: At, text: &str, plain: bool) -> Node {
    let value = if plain { resolved(text) } else { Value::Text(text.to_owned()) };
    Node { at, value, plain: plain.then(|| text.to_owned()) }
}

/// What a plain scalar is, by the core schema. Only for messages: the typed reading decides.
fn resolved(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::Number(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" => return Value::Number(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Value::Number(f64::NEG_INFINITY),
        _ => {}
    }
    let digits = text.trim_start_matches(['+', '-']);
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && !(digits.len() > 1 && digits.bytes().all(|b| b.is_ascii_digit()) && digits.starts_with('0'));
    match (numeric, text.parse(), text.parse()) {
        (true, Ok(whole), _) => Value::Integer(whole),
        (true, _, Ok(number)) => Value::Number(number),
        _ => Value::Text(text.to_owned()),
    }
}

fn syntax(text: &str, error: &ScanError) -> Problem {
    let place = place(error.marker());
    if error.info().contains("recursion limit") {
        return too_deep(At::Position(place));
    }
    let stop = Stop { text, place, says: error.info() };
    mistakes::yaml(&stop).unwrap_or_else(|| {
        Problem::new(Code::YamlSyntax, format!("the YAML cannot be read: {}", error.info()))
            .hint(
                "a text that is not one plain word goes into quotes, or below `content: |-`, indented deeper",
            )
            .at(place)
    })
}

/// The events were fine, the types are not: only when the tree's own checks find nothing is this shown.
fn unreadable(error: &serde_yaml::Error) -> Problem {
    let message = error.to_string();
    let bare = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    let problem = Problem::new(Code::YamlUnreadable, format!("the YAML cannot be read: {bare}"));
    match error.location() {
        Some(at) => problem.at(Position { line: saturating(at.line()), column: saturating(at.column()) }),
        None => problem,
    }
}

fn too_deep(at: At) -> Problem {
    placed(Code::TooDeep, &format!("the input is nested deeper than {NESTING_MAX} levels"), at)
}

fn placed(code: Code, message: &str, at: At) -> Problem {
    Problem::new(code, message).at(at.place(""))
}

fn place(mark: &Marker) -> Position {
    Position { line: saturating(mark.line()), column: saturating(mark.col() + 1) }
}
