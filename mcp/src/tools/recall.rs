//! `recall`: what the documents say about something.

use super::Tool;
use crate::call::{Call, ToolAnswer, arguments};
use crate::schema::{OPTIONAL, REQUIRED, flag, input, list, output, text, texts, whole};
use engine::output::{RecallHit, Recalled};
use engine::{Failure, Question};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "recall",
    description: "Search the memory; the best hits first, none if nothing fits.",
    changes: false,
    takes,
    answers,
    run,
};

/// The same for an agent that speaks with many groups: where it names no scope, what is of one is left out.
pub(super) const APART: Tool = Tool { run: run_apart, ..TOOL };

/// Hits, where the client names no number.
const LIMIT: usize = 8;
/// The most hits of one answer.
const LIMIT_MAX: usize = 50;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Args {
    query: Option<String>,
    kind: Option<String>,
    tag: Option<String>,
    document: Option<String>,
    from: Option<String>,
    to: Option<String>,
    scope: Option<Vec<String>>,
    limit: Option<usize>,
    all: Option<bool>,
}

fn takes() -> JsonObject {
    input(vec![
        ("query", text("Words, phrase or identifier, any language"), REQUIRED),
        ("kind", text("W fact, O opinion, B deed, E event or a category"), OPTIONAL),
        ("tag", text(""), OPTIONAL),
        ("document", text(""), OPTIONAL),
        ("from", text("YYYY-MM-DD"), OPTIONAL),
        ("to", text(""), OPTIONAL),
        ("scope", texts("e.g. user_id=42"), OPTIONAL),
        ("limit", whole(""), OPTIONAL),
        ("all", flag("Also what no longer holds"), OPTIONAL),
    ])
}

pub(super) fn answers() -> JsonObject {
    let hit = output(vec![
        ("text", text(""), REQUIRED),
        ("document", text(""), REQUIRED),
        ("path", text(""), REQUIRED),
        ("line", whole(""), OPTIONAL),
        ("heading", text(""), OPTIONAL),
        ("id", text(""), OPTIONAL),
        ("kind", text(""), OPTIONAL),
        ("day", text(""), OPTIONAL),
        ("by", text(""), OPTIONAL),
        ("doubt", text(""), OPTIONAL),
        ("note", text(""), OPTIONAL),
    ]);
    output(vec![("hits", list(hit), REQUIRED), ("unread", texts(""), OPTIONAL)])
}

fn run(call: &Call, given: JsonObject) -> Result<ToolAnswer, Failure> {
    ask(call, &question(given)?)
}

fn run_apart(call: &Call, given: JsonObject) -> Result<ToolAnswer, Failure> {
    ask(call, &Question { apart: true, ..question(given)? })
}

fn question(given: JsonObject) -> Result<Question, Failure> {
    let args: Args = arguments(given, "{\"query\": \"which database\"}")?;
    let some = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let documents: Vec<String> = some(args.document).into_iter().collect();
    Ok(Question {
        text: args.query.unwrap_or_default(),
        kinds: some(args.kind).into_iter().collect(),
        entities: some(args.tag).into_iter().collect(),
        scope: scopes(args.scope.unwrap_or_default(), &documents)?,
        documents,
        from: some(args.from),
        to: some(args.to),
        limit: limit(args.limit),
        all: args.all.unwrap_or(false),
        ..Question::default()
    })
}

/// As many hits as were asked for, within bounds.
pub(super) fn limit(asked: Option<usize>) -> usize {
    asked.filter(|limit| *limit > 0).map_or(LIMIT, |limit| limit.min(LIMIT_MAX))
}

pub(super) fn scopes(given: Vec<String>, documents: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let pair =
        |text: String| match text.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), engine::scope_said(name, value, documents))),
            None => Err(Failure::new(format!("`{text}` is no scope"))
                .hint("write NAME=VALUE, for example user_id=42")),
        };
    given.into_iter().filter(|text| !text.is_empty()).map(pair).collect()
}

/// Asks, and says what was found.
pub(super) fn ask(call: &Call, question: &Question) -> Result<ToolAnswer, Failure> {
    let recalled = call.home.recall(question, call.session.cwd())?;
    let hits: Vec<Value> = recalled.hits.iter().map(hit).collect();
    let mut value = json!({ "hits": hits });
    if !recalled.searched.unread.is_empty() {
        value["unread"] = json!(recalled.searched.unread);
    }
    Ok(ToolAnswer { text: words(&recalled), value, is_error: false })
}

fn hit(found: &RecallHit) -> Value {
    let mut value = json!({ "text": found.text, "document": found.kb, "path": found.path });
    let heading = found.heading.join(" > ");
    let more = [
        ("line", found.line.map(Value::from)),
        ("heading", Some(heading).filter(|heading| !heading.is_empty()).map(Value::from)),
        ("id", found.id.clone().map(Value::from)),
        ("kind", found.kind.clone().map(Value::from)),
        ("day", found.day.clone().map(Value::from)),
        ("by", found.by.clone().map(Value::from)),
        ("doubt", found.doubt.clone().map(Value::from)),
        ("note", note(found).map(Value::from)),
    ];
    for (name, said) in more {
        if let Some(said) = said {
            value[name] = said;
        }
    }
    value
}

/// What a reader must know of a hit beside its text: that it is not in the document yet, or is no longer live.
fn note(found: &RecallHit) -> Option<String> {
    let gone = || match &found.superseded_by {
        Some(id) => format!("superseded by {id}"),
        None => "retired".to_owned(),
    };
    found
        .waits
        .as_ref()
        .map(|waits| format!("not in the document yet: {waits}"))
        .or_else(|| (!found.live).then(gone))
}

fn words(recalled: &Recalled) -> String {
    let mut text = String::new();
    for found in &recalled.hits {
        let place = found.line.map_or_else(|| found.path.clone(), |line| format!("{}:{line}", found.path));
        let id = found.id.as_ref().map(|id| format!(" ^{id}")).unwrap_or_default();
        let notes: Vec<String> = found.doubt.clone().into_iter().chain(note(found)).collect();
        let note = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        text.push_str(&format!("{}{id}\n  {place}{note}\n", found.text));
    }
    if recalled.hits.is_empty() {
        text = format!("nothing says this; documents searched: {}\n", recalled.searched.documents);
    }
    for unread in &recalled.searched.unread {
        text.push_str(&format!("not searched: {unread}\n"));
    }
    text
}
