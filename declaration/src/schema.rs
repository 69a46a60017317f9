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
    use super::*;
    use crate::reading::schema::{self, Schema};

    /// The field names of a record, and below it those of its records.
    fn names(shape: &Schema, of: &str, found: &mut Vec<String>) {
        let Schema::Record(fields) = shape else { return };
        for field in *fields {
            found.push(format!("{of}.{}", field.name));
            names(&field.shape, field.name, found);
        }
    }

    #[test]
    fn the_schema_has_the_fields_that_are_read() {
        let mut read = Vec::new();
        names(&schema::DECLARATION, "declaration", &mut read);
        names(&schema::ENTRY, "entry", &mut read);
        let schema = declaration().unwrap();
        let defs = &schema["$defs"];
        let places = [
            ("declaration", &schema),
            ("entry", &defs["entry"]),
            ("key", &defs["key"]),
            ("meta", &defs["meta"]),
        ];
        let mut written: Vec<String> = Vec::new();
        for (of, place) in places {
            assert_eq!(place["additionalProperties"], false, "{of}");
            written
                .extend(place["properties"].as_object().unwrap().keys().map(|name| format!("{of}.{name}")));
        }
        read.sort();
        written.sort();
        assert_eq!(read, written);
    }
}
