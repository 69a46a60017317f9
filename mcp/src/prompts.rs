//! Two prompts, which a person calls by name: to have something remembered, and to see what waits for their yes.

use engine::{Filter, Home, State};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// How many proposals are listed; of the others only their number is said.
const LISTED_MAX: usize = 20;

/// Both, as a client lists them.
pub(crate) fn all() -> Vec<Prompt> {
    let what = PromptArgument::new("what")
        .with_description("What to remember; left out: what this conversation taught");
    vec![
        Prompt::new("remember", Some("Have something remembered"), Some(vec![what.with_required(false)])),
        Prompt::new("review", Some("What waits for your yes or no"), None),
    ]
}

/// The text of the prompt of this name, as things are now.
pub(crate) fn say(name: &str, arguments: &JsonObject, home: &Home) -> Option<GetPromptResult> {
    let text = match name {
        "remember" => remember(arguments.get("what").and_then(Value::as_str)),
        "review" => review(home),
        _ => return None,
    };
    Some(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

fn remember(what: Option<&str>) -> String {
    let what = match what.map(str::trim).filter(|what| !what.is_empty()) {
        Some(what) => format!("Remember this: {what}"),
        None => "Remember what this conversation taught that will still be true and useful later.".to_owned(),
    };
    format!(
        "{what}\n\nFirst recall whether something like it is there already: if it is, revise or supersede that item by its \
         id, else call remember, one entry for each fact, each a sentence that stands by itself. Then call outcome, and \
         tell me in one line what is in a document, what is queued, and what waits for my yes, with its command."
    )
}

/// What waits, in a sentence each, and the command with which a person decides.
fn review(home: &Home) -> String {
    let waiting =
        home.check().and_then(|()| home.list(&Filter { state: Some(State::Review), ..Filter::default() }));
    let rows = match waiting {
        Ok(rows) if rows.is_empty() => return "Tell me that nothing waits for my yes.".to_owned(),
        Ok(rows) => rows,
        Err(failure) => {
            return format!(
                "Tell me that what waits cannot be listed: {}",
                crate::call::sentence(&failure, home)
            );
        }
    };
    let lines = rows.iter().take(LISTED_MAX).map(|row| {
        let document = row.document.as_deref().map_or_else(String::new, |path| home.short(path));
        let why = row.message.as_deref().map_or_else(String::new, |why| format!(" ({why})"));
        format!("- {} {document}: {}{why}\n", row.id, row.what.as_deref().unwrap_or("cannot be read"))
    });
    let more = rows.len().saturating_sub(LISTED_MAX);
    let more = if more > 0 { format!("- and {more} more\n") } else { String::new() };
    let command = home.host().say(&engine::Advice::ReviewSome);
    format!(
        "These changes wait for my yes or no. Explain each in a line, and say which you would take. You cannot decide them: \
         I do that in a terminal with `{command}`.\n\n{}{more}",
        lines.collect::<String>()
    )
}
