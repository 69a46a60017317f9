//! The JSON Schema (draft 2020-12) of a declaration, for editors and agents. Written by hand: it says rules and reasons
//! that a generator cannot know. Tests hold it to what `reading` accepts.

/// The schema as YAML, with comments: what `schema.yaml` holds.
pub const DECLARATION_YAML: &str = include_str!("schema.yaml");

/// The schema as a JSON value.
///
/// # Errors
/// Never in a build whose tests pass.
pub fn declaration() -> Result<serde_json::Value, serde_yaml::Error> {
    serde_yaml::from_str(DECLARATION_YAML)
}

#[cfg(test)]
mod tests {
    //! `reading::schema` is the table of the format. What serde reads and writes, and the JSON Schema, are held to it here:
    //! names, types, words, and what must be there.

    use super::*;
    use crate::reading::schema::{self, Field, Schema};
    use crate::reading::written;
    use crate::{Create, Entry, Key, Meta, Operation, Scope, Target, Trust};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn fields(record: &'static Schema) -> &'static [Field] {
        let Schema::Record(fields) = record else { panic!("not a record") };
        fields
    }

    fn names(fields: &[Field]) -> BTreeSet<String> {
        fields.iter().map(|field| field.name.to_owned()).collect()
    }

    /// The record that a field of an entry holds.
    fn inner(name: &str) -> &'static [Field] {
        let field = fields(&schema::ENTRY).iter().find(|field| field.name == name).unwrap();
        fields(&field.schema)
    }

    /// `said`, `said_at`, `of`, `project`, `seen`, `edited_by`, `item` and `occasion` are ours to set: they are written into jobs, and no author can declare
    /// them.
    fn meta_in_jobs() -> BTreeSet<String> {
        let mut names = names(inner("meta"));
        for ours in ["said", "said_at", "of", "project", "seen", "edited_by", "item", "occasion"] {
            assert!(names.insert(ours.to_owned()), "the table offers `{ours}` to authors");
        }
        names
    }

    /// What serde would have taken instead of `zzz`: it lists it in its message.
    fn expected<T: serde::de::DeserializeOwned + std::fmt::Debug>(value: Value) -> BTreeSet<String> {
        let message = serde_json::from_value::<T>(value).unwrap_err().to_string();
        assert!(message.contains("`zzz`"), "{message}");
        message.split('`').skip(1).step_by(2).filter(|name| *name != "zzz").map(str::to_owned).collect()
    }

    #[test]
    fn serde_reads_the_fields_of_the_table() {
        assert_eq!(expected::<written::Declaration>(json!({"zzz": 1})), names(fields(&schema::DECLARATION)));
        assert_eq!(expected::<written::Job<Value>>(json!({"zzz": 1})), names(fields(&schema::JOB)));
        assert_eq!(expected::<written::Entry>(json!({"zzz": 1})), names(fields(&schema::ENTRY)));
        assert_eq!(expected::<written::Key>(json!({"zzz": 1})), names(inner("key")));
        assert_eq!(expected::<Meta>(json!({"zzz": 1})), meta_in_jobs());
    }

    #[test]
    fn serde_writes_the_fields_of_the_table() {
        let meta = Meta {
            confidence: Some(0.5),
            reason: Some("r".into()),
            trust: Some(Trust::Web),
            review_by: Some("2030-01-01".into()),
            speaker: Some("s".into()),
            user: Some("u".into()),
            place: Some("p".into()),
            said: Some("t".into()),
            said_at: Some("2026-02-16T14:30+08:00".into()),
            of: Some("k7m2q9xa1f2c".into()),
            project: Some("~/work/app".into()),
            seen: Some("none".into()),
            edited_by: Some("me".into()),
            item: Some("k7m2q9xa".into()),
            occasion: Some(crate::Occasion::default()),
        };
        let entry = |target| Entry {
            key: Key { target, heading: vec!["A".into()], level: 3 },
            operation: Operation::Replace,
            content: Some("new".into()),
            old_text: Some("old".into()),
            expect: Some(2),
            scope: Scope::Subtree,
            create: Create::Ancestors,
            base: Some("sha256:0".into()),
            meta: meta.clone(),
        };
        let targets = [Target::Path("p".into()), Target::Kb("k".into()), Target::Url("u".into())];
        let written = targets.map(|target| serde_json::to_value(entry(target)).unwrap());
        let of = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(of(&written[0]), names(fields(&schema::ENTRY)));
        assert_eq!(of(&written[0]["meta"]), meta_in_jobs());
        let item = vec!["item".to_owned(), "k7m2q9xa".to_owned()];
        let item = Key { target: Target::Item("k7m2q9xa".into()), heading: item, level: 0 };
        let item = serde_json::to_value(Entry { key: item, ..entry(Target::Kb("k".into())) }).unwrap();
        assert_eq!(item["key"], json!({"item": "k7m2q9xa"}));
        let keys: BTreeSet<String> =
            written.iter().chain([&item]).flat_map(|entry| of(&entry["key"])).collect();
        assert_eq!(keys, names(inner("key")));
    }

    #[test]
    fn the_words_of_the_table_are_those_of_the_types() {
        let words =
            |fields: &[Field], name: &str| match fields.iter().find(|f| f.name == name).unwrap().schema {
                Schema::Word(_, words) => {
                    words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>()
                }
                _ => panic!("{name} is not a word"),
            };
        assert_eq!(words(fields(&schema::ENTRY), "operation"), expected::<Operation>(json!("zzz")));
        assert_eq!(words(fields(&schema::ENTRY), "scope"), expected::<Scope>(json!("zzz")));
        assert_eq!(words(inner("meta"), "trust"), expected::<Trust>(json!("zzz")));
    }

    /// One object of the JSON Schema against a record of the table.
    fn same(place: &Value, fields: &[Field]) {
        assert_eq!(place["additionalProperties"], false);
        let properties = place["properties"].as_object().unwrap();
        assert_eq!(properties.keys().cloned().collect::<BTreeSet<_>>(), names(fields));
        let required = place["required"].as_array().cloned().unwrap_or_default();
        for field in fields {
            let property = &properties[field.name];
            assert_eq!(required.contains(&json!(field.name)), field.required, "{}: required", field.name);
            let json_type = match &field.schema {
                Schema::Text if field.name == "version" => continue,
                Schema::Text => "string",
                Schema::Integer => "integer",
                Schema::Number => "number",
                Schema::Bool => "boolean",
                Schema::List(_) => "array",
                Schema::BoolOr(_, words) => {
                    let bools = [json!(true), json!(false)];
                    let words: Vec<Value> = bools
                        .into_iter()
                        .chain(words.iter().map(|word| json!(word)))
                        .chain([Value::Null])
                        .collect();
                    assert_eq!(property["enum"], Value::Array(words), "{}", field.name);
                    continue;
                }
                Schema::Word(_, words) => {
                    let words: Vec<Value> =
                        words.iter().map(|word| json!(word)).chain([Value::Null]).collect();
                    assert_eq!(property["enum"], Value::Array(words), "{}", field.name);
                    continue;
                }
                Schema::Record(_) => {
                    assert_eq!(property["$ref"], format!("#/$defs/{}", field.name));
                    continue;
                }
                Schema::Any | Schema::Texts | Schema::Named(_) => continue,
            };
            let has = property["type"] == json_type || property["type"] == json!([json_type, "null"]);
            assert!(has, "{}: {} is not {json_type}", field.name, property["type"]);
        }
    }

    #[test]
    fn the_json_schema_says_what_the_table_says() {
        let schema = declaration().unwrap();
        same(&schema, fields(&schema::DECLARATION));
        same(&schema["$defs"]["entry"], fields(&schema::ENTRY));
        same(&schema["$defs"]["key"], inner("key"));
        same(&schema["$defs"]["meta"], inner("meta"));
    }
}
