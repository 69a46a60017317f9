//! What a client is told: within its budget by a real tokenizer, and in the dialect of JSON Schema that all take.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use mcp::{ToolSet, listing};
use serde_json::Value;

/// Tokens that instructions, tools and prompts may cost (o200k, the vocabulary of OpenAI's models since 2024).
const TOKENS_MAX: usize = 1_500;
/// With the tools of S4.
const TOKENS_MAX_S4: usize = 2_400;
/// What of it the clients show a model that were run, and with the tools of S4.
const SHOWN_MAX: usize = 850;
const SHOWN_MAX_S4: usize = 1_200;

fn tokens(value: &Value) -> usize {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    // One tokenizer for all tests: reading its vocabulary takes a second.
    tiktoken_rs::o200k_base_singleton().encode_ordinary(&text).len()
}

/// What the clients that were run pass on: names, descriptions and input schemas, and the instructions.
fn shown(listing: &Value) -> usize {
    let parts = ["name", "description", "inputSchema"];
    let tools = listing["tools"].as_array().unwrap().iter();
    let of = |tool: &Value| parts.iter().map(|part| tokens(&tool[*part])).sum::<usize>();
    tokens(&listing["instructions"]) + tools.map(of).sum::<usize>()
}

#[test]
fn what_a_model_is_told_stays_within_its_budget() {
    let budgets = [(ToolSet::Five, TOKENS_MAX, SHOWN_MAX), (ToolSet::S4, TOKENS_MAX_S4, SHOWN_MAX_S4)];
    for (set, most, most_shown) in budgets {
        let listing = listing(set);
        let parts: Vec<(&str, usize)> = ["instructions", "tools", "prompts"]
            .iter()
            .map(|part| (*part, tokens(&listing[*part])))
            .collect();
        let all: usize = parts.iter().map(|(_, tokens)| tokens).sum();
        let shown = shown(&listing);
        println!("{set:?}: {all} tokens: {parts:?}; as models are shown it {shown}");
        assert!(all <= most && shown <= most_shown, "{set:?}: {all} tokens, {parts:?}, {shown} shown");
    }
}

/// Every schema of every tool, with where it stands.
fn schemas(set: ToolSet) -> Vec<(String, Value)> {
    let listing = listing(set);
    let tools = listing["tools"].as_array().unwrap();
    let of = |tool: &Value, which: &str| {
        assert!(tool[which].is_object(), "{} has no {which}", tool["name"]);
        (format!("{}.{which}", tool["name"].as_str().unwrap()), tool[which].clone())
    };
    tools.iter().flat_map(|tool| [of(tool, "inputSchema"), of(tool, "outputSchema")]).collect()
}

fn walk(place: &str, schema: &Value, visit: &mut dyn FnMut(&str, &serde_json::Map<String, Value>)) {
    let schema = schema.as_object().unwrap_or_else(|| panic!("{place} is no schema"));
    visit(place, schema);
    for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        walk(&format!("{place}.{name}"), inner, visit);
    }
    if let Some(items) = schema.get("items") {
        walk(&format!("{place}[]"), items, visit);
    }
}

/// Gemini's function declarations know a part of OpenAPI's schemas, OpenAI's strict mode a part of JSON Schema; this is what
/// both have.
#[test]
fn the_schemas_use_what_every_client_takes() {
    const KEYWORDS: [&str; 7] =
        ["type", "description", "properties", "required", "items", "enum", "additionalProperties"];
    const TYPES: [&str; 6] = ["object", "array", "string", "number", "integer", "boolean"];
    let mut seen = 0;
    for (place, schema) in schemas(ToolSet::S4) {
        walk(&place, &schema, &mut |place, schema| {
            seen += 1;
            for keyword in schema.keys() {
                assert!(KEYWORDS.contains(&keyword.as_str()), "{place}: {keyword}");
            }
            let kind = schema["type"].as_str().unwrap_or_else(|| panic!("{place}: one type, as a word"));
            assert!(TYPES.contains(&kind), "{place}: {kind}");
            assert_eq!(
                kind == "array",
                schema.contains_key("items"),
                "{place}: Gemini wants items, and only of arrays"
            );
            if kind == "object" {
                let properties = schema["properties"].as_object().unwrap();
                assert!(!properties.is_empty(), "{place}: an object without properties is refused");
                let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
                for name in required {
                    assert!(properties.contains_key(name.as_str().unwrap()), "{place}: {name}");
                }
                let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
                assert_eq!(
                    closed,
                    place.contains("inputSchema"),
                    "{place}: strict clients want what they send closed"
                );
            }
            let words = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            assert!(words.clone().all(|word| word.as_str().is_some_and(|word| !word.is_empty())), "{place}");
            assert!(
                words.clone().next().is_none() || kind == "string",
                "{place}: only texts are chosen from"
            );
        });
    }
    assert!(seen > 60, "{seen} schemas: this test does not see them");
    for (place, schema) in schemas(ToolSet::S4) {
        jsonschema::meta::validate(&schema).unwrap_or_else(|e| panic!("{place}: {e}"));
    }
}

/// A client may refuse a name, or a description that is cut.
#[test]
fn names_and_descriptions_fit_every_client() {
    let listing = listing(ToolSet::S4);
    for tool in listing["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(
            name.len() <= 20
                && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        );
        assert!(tool["description"].as_str().unwrap().len() <= 300, "{name}");
    }
}
