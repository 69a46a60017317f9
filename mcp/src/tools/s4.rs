//! The names by which an S4 agent knows its memory: recall with kinds and scopes, and one profile.

use super::{Tool, read, recall};
use crate::call::{Answer, Call, arguments};
use crate::schema::{OPTIONAL, REQUIRED, input, text, texts, whole};
use engine::{Failure, Question};
use rmcp::model::JsonObject;
use serde::Deserialize;

/// The knowledge base of profiles.
const PROFILE: &str = "profile";

pub(super) const SEARCH_EVENTS: Tool = Tool {
    name: "search_events",
    description: "Search what happened.",
    changes: false,
    takes: search,
    answers: recall::answers,
    run: |call, given| find(call, given, true),
};

pub(super) const SEARCH_PROFILES: Tool = Tool {
    name: "search_profiles",
    description: "Search the profiles of people and groups.",
    changes: false,
    takes: search,
    answers: recall::answers,
    run: |call, given| find(call, given, false),
};

pub(super) const GET_PROFILE: Tool = Tool {
    name: "get_profile",
    description: "Read one profile.",
    changes: false,
    takes: one,
    answers: read::answers,
    run: get,
};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Search {
    query: Option<String>,
    limit: Option<usize>,
    scope: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct One {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<String>,
}

fn search() -> JsonObject {
    input(vec![
        ("query", text(""), REQUIRED),
        ("scope", texts("Only documents with e.g. user_id=42"), OPTIONAL),
        ("limit", whole(""), OPTIONAL),
    ])
}

fn one() -> JsonObject {
    input(vec![("type", text("user or group"), REQUIRED), ("id", text(""), REQUIRED)])
}

fn find(call: &Call, given: JsonObject, events: bool) -> Result<Answer, Failure> {
    let args: Search = arguments(given, "{\"query\": \"the move to Berlin\"}")?;
    let mut question = Question {
        text: args.query.unwrap_or_default(),
        scope: recall::scopes(args.scope.unwrap_or_default())?,
        limit: recall::limit(args.limit),
        ..Question::default()
    };
    match events {
        true => question.kinds = vec!["E".to_owned()],
        false => question.documents = vec![PROFILE.to_owned()],
    }
    recall::ask(call, &question)
}

fn get(call: &Call, given: JsonObject) -> Result<Answer, Failure> {
    let args: One = arguments(given, "{\"type\": \"user\", \"id\": \"42\"}")?;
    let (kind, id) = (args.kind.unwrap_or_default(), args.id.unwrap_or_default());
    read::document_text(call, &format!("{PROFILE}:{kind}:{id}"), Vec::new(), 1)
}
