//! `remember`: adds items, each by itself: one that is refused does not stop the others.

use super::Tool;
use crate::call::{Call, ToolAnswer, arguments, sentence};
use crate::schema::{OPTIONAL, REQUIRED, input, list, number, output, text, texts};
use engine::output::{Fate, Foreseen, Remembered};
use engine::{Advice, Begun, Failure, Remember};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "remember",
    description: "Add facts, events or opinions; what is there already is not added again. Each is durable, waits or refused.",
    changes: true,
    takes,
    answers,
    run,
};

/// Entries of one call.
const ENTRIES_MAX: usize = 100;

const EXAMPLE: &str = "{\"entries\": [{\"text\": \"Deploys on Fridays\", \"kind\": \"W\"}]}";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    entries: Vec<Entry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Entry {
    text: Option<String>,
    kind: Option<String>,
    tags: Option<Vec<String>>,
    to: Option<String>,
    heading: Option<Vec<String>>,
    confidence: Option<f64>,
    reason: Option<String>,
    review_by: Option<String>,
}

fn takes() -> JsonObject {
    let entry = input(vec![
        ("text", text("A sentence that stands by itself: names, not he; dates, not today"), REQUIRED),
        ("kind", text("As in recall"), OPTIONAL),
        ("tags", texts("What it is about"), OPTIONAL),
        ("to", text("Document [facts]"), OPTIONAL),
        ("heading", texts("[the day]"), OPTIONAL),
        ("confidence", number("0 to 1"), OPTIONAL),
        ("reason", text("Why you say it"), OPTIONAL),
        ("review_by", text("YYYY-MM-DD"), OPTIONAL),
    ]);
    input(vec![("entries", list(entry), REQUIRED)])
}

fn answers() -> JsonObject {
    output(vec![("entries", list(said_schema()), REQUIRED)])
}

/// What became of one entry.
pub(super) fn said_schema() -> JsonObject {
    output(vec![
        ("state", crate::schema::choice(&["durable", "waits", "refused"]), REQUIRED),
        ("id", text(""), OPTIONAL),
        ("item", text(""), OPTIONAL),
        ("document", text(""), OPTIONAL),
        ("why", text(""), OPTIONAL),
        ("next", text(""), OPTIONAL),
    ])
}

fn run(call: &Call, given: JsonObject) -> Result<ToolAnswer, Failure> {
    let Args { entries } = arguments(given, EXAMPLE)?;
    if entries.is_empty() || entries.len() > ENTRIES_MAX {
        return Err(Failure::new(format!("{} entries were given; 1 to {ENTRIES_MAX} can be", entries.len()))
            .hint(format!("for example {EXAMPLE}")));
    }
    let all = entries.len();
    let mut begun = Vec::new();
    for (n, entry) in entries.into_iter().enumerate() {
        if call.is_cancelled() {
            break;
        }
        call.is_at(format!("{n} of {all} entries are read"));
        begun.push(call.home.begin_remember(&call.caller, &entry.remember()));
    }
    call.let_next_begin();
    // The first one makes all of them durable.
    let said = begun.into_iter().map(|begun| Said::of(call, begun.and_then(Begun::finish)));
    let said: Vec<Said> = said.collect();
    let is_error = said.iter().all(|said| said.is_refused);
    let text = said.iter().map(|said| said.line.as_str()).collect::<Vec<_>>().join("\n");
    let values: Vec<Value> = said.into_iter().map(|said| said.value).collect();
    Ok(ToolAnswer { text, value: json!({ "entries": values }), is_error })
}

impl Entry {
    fn remember(self) -> Remember {
        let some = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Remember {
            text: self.text.unwrap_or_default(),
            kind: some(self.kind),
            entities: self
                .tags
                .unwrap_or_default()
                .into_iter()
                .filter(|tag| !tag.trim().is_empty())
                .collect(),
            confidence: self.confidence,
            to: some(self.to),
            heading: self.heading.unwrap_or_default(),
            reason: some(self.reason),
            review_by: some(self.review_by),
        }
    }
}

/// One entry's answer, as a line and as a value.
pub(super) struct Said {
    /// Whether nothing was kept.
    pub(super) is_refused: bool,
    pub(super) line: String,
    pub(super) value: Value,
}

impl Said {
    /// The answer to one entry; the job of a durable one becomes the session's.
    pub(super) fn of(call: &Call, said: Result<Remembered, Failure>) -> Said {
        match said {
            Ok(remembered) => {
                call.session.note(remembered.job);
                Said::kept(call, &remembered)
            }
            Err(failure) => Said {
                is_refused: true,
                line: format!("refused, nothing was kept: {}", sentence(&failure, &call.home)),
                value: refusal(&failure, call),
            },
        }
    }

    fn kept(call: &Call, remembered: &Remembered) -> Said {
        let say = |advice: &Advice| call.home.host().say(advice);
        let why = remembered.why.clone().unwrap_or_default();
        let (state, why, next) = match remembered.state {
            Foreseen::Known | Foreseen::Stands(Fate::Unchanged) => {
                ("durable", "the document says it already".to_owned(), None)
            }
            Foreseen::Stands(Fate::Applied) => ("durable", "it is in the document".to_owned(), None),
            Foreseen::WillAsk | Foreseen::Stands(Fate::Review) => {
                ("waits", format!("for a person's yes: {why}"), Some(say(&Advice::ReviewSome)))
            }
            Foreseen::WillFail | Foreseen::Stands(Fate::Failed) => (
                "waits",
                format!("it cannot be merged as things are: {why}"),
                Some(say(&Advice::ResolveSome)),
            ),
            Foreseen::Stands(Fate::Waiting | Fate::Dropped) => {
                ("durable", "a worker merges it at its next run".to_owned(), None)
            }
        };
        let document = call.short(&remembered.document);
        let name = match remembered.item.as_str() {
            "" => remembered.job.to_string(),
            item => format!("^{item} ({})", remembered.job),
        };
        let after = next.as_ref().map(|next| format!("; the person decides: {next}")).unwrap_or_default();
        let line = format!("{state}: {name} for {document}: {why}{after}");
        let mut value =
            json!({ "state": state, "id": remembered.job.to_string(), "document": document, "why": why });
        if !remembered.item.is_empty() {
            value["item"] = json!(remembered.item);
        }
        if let Some(next) = next {
            value["next"] = json!(next);
        }
        Said { is_refused: false, line, value }
    }
}

fn refusal(failure: &Failure, call: &Call) -> Value {
    let mut value = json!({ "state": "refused", "why": crate::call::said(failure) });
    if let Some(hint) = &failure.hint {
        value["next"] = json!(call.home.host().say(hint));
    }
    value
}
