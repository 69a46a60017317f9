//! The names by which an S4 agent knows its memory: the end of a turn, events of the group or user it speaks with, profiles. What is
//! asked in one group is never answered from another, so a question says where it is asked.

use super::{Tool, read, recall};
use crate::call::{Call, ToolAnswer, arguments};
use crate::schema::{OPTIONAL, REQUIRED, flag, input, output, text, texts, whole};
use engine::{Failure, Question, TurnEnd, path_name, scope_of};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

/// The knowledge base of events.
const EVENTS: &str = "events";
/// The knowledge base of profiles.
const PROFILE: &str = "profile";

pub(super) const END: Tool = Tool {
    name: "end",
    description: "End this turn; keep what was done and learned. Empty: nothing is kept.",
    changes: true,
    takes: turn,
    answers: ended,
    run: end,
};

pub(super) const SEARCH_EVENTS: Tool = Tool {
    name: "search_events",
    description: "Search what happened in this group, or with this user.",
    changes: false,
    takes: || search("The group asked in", "Without a group: the user"),
    answers: recall::answers,
    run: |call, given| find(call, given, SearchedMemory::Events),
};

pub(super) const SEARCH_PROFILES: Tool = Tool {
    name: "search_profiles",
    description: "Search the profiles of people, and this group's own.",
    changes: false,
    takes: || search("The group asked in", "Only this user"),
    answers: recall::answers,
    run: |call, given| find(call, given, SearchedMemory::Profiles),
};

pub(super) const GET_PROFILE: Tool = Tool {
    name: "get_profile",
    description: "Read one profile.",
    changes: false,
    takes: one,
    answers: read::answers,
    run: get,
};

enum SearchedMemory {
    Events,
    Profiles,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Search {
    query: Option<String>,
    group_id: Option<String>,
    user_id: Option<String>,
    from: Option<String>,
    to: Option<String>,
    limit: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct One {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<String>,
}

fn turn() -> JsonObject {
    input(vec![
        ("action_summary", text("What was done"), OPTIONAL),
        ("new_info", texts("What was learned"), OPTIONAL),
        ("force", flag("Although nothing was sent"), OPTIONAL),
        ("request_id", text(""), OPTIONAL),
        ("end_seq", whole(""), OPTIONAL),
        ("group_id", text(""), OPTIONAL),
        ("user_id", text(""), OPTIONAL),
        ("sender_id", text(""), OPTIONAL),
    ])
}

fn ended() -> JsonObject {
    output(vec![
        ("state", text("durable, known or empty"), REQUIRED),
        ("id", text(""), OPTIONAL),
        ("items", texts(""), OPTIONAL),
    ])
}

fn search(group: &str, user: &str) -> JsonObject {
    input(vec![
        ("query", text(""), REQUIRED),
        ("group_id", text(group), OPTIONAL),
        ("user_id", text(user), OPTIONAL),
        ("from", text(""), OPTIONAL),
        ("to", text(""), OPTIONAL),
        ("limit", whole(""), OPTIONAL),
    ])
}

fn one() -> JsonObject {
    input(vec![("type", text("user or group"), REQUIRED), ("id", text(""), REQUIRED)])
}

fn end(call: &Call, given: JsonObject) -> Result<ToolAnswer, Failure> {
    let turn: TurnEnd = arguments(given, "{\"action_summary\": \"moved the backup\", \"group_id\": \"7\"}")?;
    let begun = call.home.begin_end(&call.caller, &turn)?;
    call.let_next_begin();
    let ended = begun.finish()?;
    let Some(job) = ended.job else {
        let text = "the turn is over; nothing was said, nothing is kept".to_owned();
        return Ok(ToolAnswer { text, value: json!({ "state": "empty" }), is_error: false });
    };
    call.session.note(job);
    let state = if ended.new { "durable" } else { "known" };
    let value: Value = json!({ "state": state, "id": job.to_string(), "items": ended.items });
    Ok(ToolAnswer { text: format!("{state}: {job}, {} events", ended.items.len()), value, is_error: false })
}

fn find(call: &Call, given: JsonObject, searched: SearchedMemory) -> Result<ToolAnswer, Failure> {
    let args: Search = arguments(given, "{\"query\": \"the move to Berlin\", \"group_id\": \"7\"}")?;
    let some = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (group, user) = (some(args.group_id), some(args.user_id));
    let mut question = Question {
        text: args.query.unwrap_or_default(),
        from: some(args.from),
        to: some(args.to),
        limit: recall::limit(args.limit),
        ..Question::default()
    };
    match searched {
        SearchedMemory::Events if group.is_none() && user.is_none() => {
            return Err(Failure::new("it is not said where this is asked")
                .hint("give `group_id`, or `user_id` where it is no group"));
        }
        SearchedMemory::Events => {
            question.documents = vec![EVENTS.to_owned()];
            question.scope = vec![("scope".to_owned(), scope_of(group.as_deref(), user.as_deref()))];
        }
        SearchedMemory::Profiles => {
            let person = user.map_or_else(String::new, |user| format!(":{}", path_name(&user)));
            let group = group.map(|group| format!("{PROFILE}:group:{}", path_name(&group)));
            question.documents = [format!("{PROFILE}:user{person}")].into_iter().chain(group).collect();
        }
    }
    recall::ask(call, &question)
}

fn get(call: &Call, given: JsonObject) -> Result<ToolAnswer, Failure> {
    let args: One = arguments(given, "{\"type\": \"user\", \"id\": \"42\"}")?;
    let (kind, id) = (args.kind.unwrap_or_default(), args.id.unwrap_or_default());
    read::document_text(call, &format!("{PROFILE}:{kind}:{}", path_name(&id)), Vec::new(), 1)
}
