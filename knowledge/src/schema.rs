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
