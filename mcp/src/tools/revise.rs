//! `revise`: an item that is there, by its id; or a section of a document, by its heading.

use super::Tool;
use super::remember::{Said, said_schema};
use crate::call::{Call, ToolAnswer, arguments};
use crate::schema::{OPTIONAL, REQUIRED, choice, input, number, text, texts};
use engine::{Begun, EntryFields, Failure, Operation};
use rmcp::model::JsonObject;
use serde::Deserialize;

pub(super) const TOOL: Tool = Tool {
    name: "revise",
    description: "Change one item by its id (recall and read show it: ^id) or one section by document and heading.",
    changes: true,
    takes,
    answers: said_schema,
    run,
};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Args {
    operation: Option<String>,
    item: Option<String>,
    document: Option<String>,
    heading: Option<Vec<String>>,
    text: Option<String>,
    old_text: Option<String>,
    confidence: Option<f64>,
    reason: Option<String>,
}

/// What can be done to an item and to a section: every operation except adding (that is `remember`), `nothing`, and what
/// only a person does. Rows of tables, keyed items, siblings and lists in
/// front matter are changed with `update`: every word listed here costs every model tokens.
fn operations() -> Vec<&'static str> {
    use Operation::{Add, Move, NoOp, Purge, UpsertItem, UpsertRow};
    let left = |one: &Operation| matches!(one, Add | NoOp | Purge | UpsertRow | UpsertItem | Move);
    let offered = |one: &Operation| !left(one) && !one.is_beside() && !one.is_of_value();
    Operation::ALL.into_iter().filter(offered).map(Operation::as_str).collect()
}

fn takes() -> JsonObject {
    input(vec![
        ("operation", choice(&operations()), REQUIRED),
        ("item", text("For revise, supersede, retire, restore, check, uncheck"), OPTIONAL),
        ("document", text("Else, with heading"), OPTIONAL),
        ("heading", texts(""), OPTIONAL),
        ("text", text("The new text"), OPTIONAL),
        ("old_text", text("What it says now, to be safe"), OPTIONAL),
        ("confidence", number(""), OPTIONAL),
        ("reason", text(""), OPTIONAL),
    ])
}

fn run(call: &Call, given: JsonObject) -> Result<ToolAnswer, Failure> {
    let args: Args = arguments(
        given,
        "{\"operation\": \"revise\", \"item\": \"k7m2q9xa\", \"text\": \"Deploys on Mondays\"}",
    )?;
    let fields = args.fields()?;
    let begun = call.home.begin_say(&call.caller, &fields);
    call.let_next_begin();
    let said = Said::of(call, begun.and_then(Begun::finish));
    Ok(ToolAnswer { is_error: said.is_refused, text: said.line, value: said.value })
}

impl Args {
    fn fields(self) -> Result<EntryFields, Failure> {
        let some = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let operation = some(self.operation).unwrap_or_default();
        let offered = operations();
        if !offered.contains(&operation.as_str()) {
            return Err(Failure::new(format!("there is no operation `{operation}`")).hint(offered.join(", ")));
        }
        let item = some(self.item);
        let heading = self.heading.unwrap_or_default();
        let of_item =
            Operation::ALL.iter().any(|known| known.as_str() == operation && known.is_of_known_item());
        if of_item != item.is_some() {
            let (message, hint) = if of_item {
                (
                    format!("`{operation}` is for an item, and none is named"),
                    "recall it: the answer has its id",
                )
            } else {
                (
                    format!("`{operation}` is for a section, not for an item"),
                    "give document and heading instead of item",
                )
            };
            return Err(Failure::new(message).hint(hint));
        }
        // A whole document is never removed in one call.
        if item.is_none() && heading.iter().all(|title| title.trim().is_empty()) {
            return Err(Failure::new(format!("`{operation}` is for one section, and no heading is given"))
                .hint("read the document to see its headings"));
        }
        Ok(EntryFields {
            to: some(self.document).unwrap_or_default(),
            item,
            heading,
            op: Some(operation),
            content: self.text.filter(|text| !text.is_empty()),
            old_text: self.old_text.filter(|text| !text.is_empty()),
            confidence: self.confidence,
            reason: some(self.reason),
            ..EntryFields::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_takes_a_whole_document() {
        for operation in operations() {
            let section =
                Args { operation: Some(operation.into()), document: Some("user".into()), ..Args::default() };
            assert!(section.fields().is_err(), "{operation}");
        }
        assert!(!operations().contains(&"add") && operations().contains(&"supersede"));
    }
}
