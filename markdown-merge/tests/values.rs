//! The laws of `add_value` and `remove_value`: whatever the front matter looks like, one value of one list comes or goes, the YAML says
//! everything else as before, the text behind it keeps its bytes, and a second run changes nothing. The second reader is a
//! YAML parser that the merge does not edit with.

use markdown_merge::{Edit, Merger, Operation, Rules};
use proptest::prelude::*;
use serde_yaml::{Mapping, Value};

/// The document with one value added or removed; `None` where that is refused, and then nothing may have changed.
fn changed(text: &str, operation: Operation, value: &str) -> Result<Option<String>, TestCaseError> {
    let Ok(mut merger) = Merger::open(text.as_bytes()) else { return Ok(None) };
    let heading = vec!["front matter".to_owned(), "tags".to_owned()];
    let edit = Edit { content: Some(value.to_owned().into()), ..Edit::new(heading, 0, operation) };
    let rules = Rules { front_matter: true, ..Rules::default() };
    if merger.apply(std::slice::from_ref(&edit), &rules, &|_| None).is_err() {
        prop_assert_eq!(merger.text(), text, "a refusal changed it");
        return Ok(None);
    }
    prop_assert!(merger.verify().is_ok(), "{:?}", merger.text());
    let once = merger.text().to_owned();
    let _ = merger.apply(std::slice::from_ref(&edit), &rules, &|_| None);
    prop_assert_eq!(merger.text(), &once, "a second run changed it");
    Ok(Some(once))
}

/// What the front matter says, and the text behind it.
fn said(text: &str) -> Option<(Mapping, String)> {
    let (yaml, rest) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    let yaml = if yaml.trim().is_empty() {
        Value::Mapping(Mapping::new())
    } else {
        serde_yaml::from_str(&format!("{yaml}\n")).ok()?
    };
    Some((yaml.as_mapping()?.clone(), rest.to_owned()))
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}

/// The values of the list, each as it is written.
fn tags(said: &Mapping) -> Vec<String> {
    said.get("tags").and_then(Value::as_sequence).into_iter().flatten().map(written).collect()
}

/// What an entry's content says: one value as YAML has it, else its letters.
fn says(content: &str) -> String {
    match serde_yaml::from_str(content) {
        Ok(value @ (Value::String(_) | Value::Bool(_) | Value::Number(_))) => written(&value),
        _ => content.trim().to_owned(),
    }
}

fn others(said: &Mapping) -> Mapping {
    said.iter()
        .filter(|(key, _)| key.as_str() != Some("tags"))
        .map(|(key, of)| (key.clone(), of.clone()))
        .collect()
}

fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "title: A plan # mine",
        "tags: [a, \"b c\"] # why",
        "tags: []",
        "tags:",
        "tags: one",
        "tags:\n  - a\n  - b # second",
        "tags:\n- a\n- 'it''s'",
        "tags: [a,\n  b]",
        "tags: { a: 1 }",
        "\"tags\": [x]",
        "# a comment",
        "aliases: [a]",
        "nested:\n  tags: [a]",
        "text: |\n  tags: [a]\n  - b",
        "key: 'one: two'",
        "tags: [a, [b]]",
        "tags: [苍鹭, 2026-02-16]",
        "tags: &anchor [a]",
        "other: *anchor",
        "",
    ])
}

fn value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "new",
        "a",
        "b c",
        "it's",
        "x: y",
        "#no",
        "- dash",
        "苍鹭",
        "[in]",
        "true",
        "42",
        "a, b",
        "\"quoted\"",
        "one",
        " padded ",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn one_value_comes_or_goes_and_nothing_else(
        lines in prop::collection::vec(line(), 0..5), value in value(), adds in any::<bool>(),
    ) {
        let text = format!("---\n{}\n---\n\n# T\n\ntags: [a]\n", lines.join("\n"));
        let operation = if adds { Operation::AddValue } else { Operation::RemoveValue };
        let Some(after) = changed(&text, operation, value)? else { return Ok(()) };
        // What is no YAML for the second reader, or has a key twice, only has its laws of bytes.
        let Some((before, rest)) = said(&text) else { return Ok(()) };
        let Some((now, rest_now)) = said(&after) else {
            return Err(TestCaseError::fail(format!("it is no front matter any more: {after:?}")));
        };
        prop_assert_eq!(rest, rest_now);
        prop_assert_eq!(others(&before), others(&now), "{:?} -> {:?}", &text, &after);
        let was_list = before.get("tags").is_none_or(|tags| tags.is_sequence() || tags.is_null());
        let (mut wanted, value_said) = (tags(&before), says(value));
        let known = wanted.contains(&value_said);
        if adds && !known {
            wanted.push(value_said);
        } else if !adds {
            wanted.retain(|tag| *tag != value_said);
        }
        if was_list {
            prop_assert_eq!(tags(&now), wanted, "{:?} -> {:?}", &text, &after);
        }
        if adds && !known && was_list {
            let back = changed(&after, Operation::RemoveValue, value)?.and_then(|back| said(&back));
            prop_assert_eq!(back.map(|(now, _)| tags(&now)), Some(tags(&before)), "{:?}", &after);
        }
    }
}
