//! JSON Schemas in the dialect that every client takes; Gemini and OpenAI are strict about it. Only `type` (one word),
//! `properties`, `required`, `items`, `enum`, `description` and `additionalProperties: false`; never a reference, an
//! alternative or a format. A field that may be left out may also be null, empty or zero, because strict clients send every
//! property.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// One property: its name, its schema, and whether it must be given.
pub(crate) type Property = (&'static str, Value, bool);

/// Must be given.
pub(crate) const REQUIRED: bool = true;
/// May be left out.
pub(crate) const OPTIONAL: bool = false;

/// What a tool takes: nothing but these.
pub(crate) fn input(properties: Vec<Property>) -> JsonObject {
    let mut schema = output(properties);
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    schema
}

/// What a tool answers.
pub(crate) fn output(properties: Vec<Property>) -> JsonObject {
    let required: Vec<&str> =
        properties.iter().filter(|(.., given)| *given).map(|(name, ..)| *name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    let properties = properties.into_iter().map(|(name, schema, _)| (name.to_owned(), schema));
    schema.insert("properties".to_owned(), Value::Object(properties.collect()));
    schema
}

/// A text.
pub(crate) fn text(description: &str) -> Value {
    described("string", description)
}

/// One of these words.
pub(crate) fn choice(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// A whole number.
pub(crate) fn whole(description: &str) -> Value {
    described("integer", description)
}

/// A number.
pub(crate) fn number(description: &str) -> Value {
    described("number", description)
}

/// Yes or no.
pub(crate) fn flag(description: &str) -> Value {
    described("boolean", description)
}

/// Several texts.
pub(crate) fn texts(description: &str) -> Value {
    let mut schema = described("array", description);
    schema["items"] = json!({ "type": "string" });
    schema
}

/// Several objects.
pub(crate) fn list(of: JsonObject) -> Value {
    json!({ "type": "array", "items": of })
}

fn described(kind: &str, description: &str) -> Value {
    match description {
        "" => json!({ "type": kind }),
        _ => json!({ "type": kind, "description": description }),
    }
}
