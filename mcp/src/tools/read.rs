//! `read`: a document or a section of it as it is now, with the changes that still wait for it; without a name, the list of
//! documents.

use super::Tool;
use crate::call::{Call, ToolAnswer, arguments};
use crate::schema::{OPTIONAL, REQUIRED, input, list, output, text, texts, whole};
use engine::output::ReadText;
use engine::{Failure, SectionNamed};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "read",
    description: "Read a document or one section, and what waits for it. Without a document: list them.",
    changes: false,
    takes,
    answers,
    run,
};

/// Characters of one answer: clients cut a much longer one anywhere.
const CHARS_MAX: usize = 40_000;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Args {
    document: Option<String>,
    heading: Option<Vec<String>>,
    from_line: Option<usize>,
}

fn takes() -> JsonObject {
    input(vec![
        ("document", text("Name, member (profile:42) or path"), OPTIONAL),
        ("heading", texts("The section's, after the headings it is in"), OPTIONAL),
        ("from_line", whole("Where a long text goes on"), OPTIONAL),
    ])
}

pub(super) fn answers() -> JsonObject {
    let document = output(vec![
        ("name", text(""), REQUIRED),
        ("about", text(""), REQUIRED),
        ("policy", text(""), REQUIRED),
    ]);
    let waiting = output(vec![
        ("id", text(""), REQUIRED),
        ("operation", text(""), REQUIRED),
        ("text", text(""), OPTIONAL),
    ]);
    output(vec![
        ("path", text(""), OPTIONAL),
        ("text", text(""), OPTIONAL),
        ("next_line", whole(""), OPTIONAL),
        ("archived", text(""), OPTIONAL),
        ("waiting", list(waiting), OPTIONAL),
        ("documents", list(document), OPTIONAL),
    ])
}

fn run(call: &Call, given: JsonObject) -> Result<ToolAnswer, Failure> {
    let args: Args = arguments(given, "{\"document\": \"user\", \"heading\": [\"Preferences\"]}")?;
    let Some(document) = args.document.filter(|name| !name.trim().is_empty()) else { return documents(call) };
    let heading = args.heading.unwrap_or_default();
    document_text(call, &document, heading, args.from_line.unwrap_or(1).max(1))
}

/// The text of a document or section from a line on, and what waits for it.
pub(super) fn document_text(
    call: &Call,
    document: &str,
    heading: Vec<String>,
    from_line: usize,
) -> Result<ToolAnswer, Failure> {
    let named = heading.join(" > ");
    let section = SectionNamed { heading, level: None, subtree: true };
    let read = call.home.read(document, &section, call.session.cwd())?;
    let Some(shown) = read.shown() else {
        if read.waiting.is_empty() && read.archived.is_none() {
            return Err(Failure::new(format!("{document} has no section `{named}`"))
                .hint(format!("read {document} whole to see which it has")));
        }
        return Ok(answer(call, &read, "", None));
    };
    let (page, next_line) = page(&shown, from_line);
    Ok(answer(call, &read, &page, next_line))
}

/// As many whole lines from this one on as one answer holds, and where the next answer begins.
fn page(text: &str, from_line: usize) -> (String, Option<usize>) {
    let mut page = String::new();
    let mut chars = 0;
    for (n, line) in text.split_inclusive('\n').enumerate().skip(from_line - 1) {
        chars += line.chars().count();
        if chars > CHARS_MAX && !page.is_empty() {
            return (page, Some(n + 1));
        }
        page.push_str(line);
    }
    (page, None)
}

fn answer(call: &Call, read: &ReadText, page: &str, next_line: Option<usize>) -> ToolAnswer {
    let mut waiting = Vec::new();
    let mut text = page.to_owned();
    for job in &read.waiting {
        for entry in &job.entries {
            let operation = entry.operation.as_str();
            let place = job.place.describe(&|advice| call.home.host().say(advice));
            let content = entry.content.as_deref().unwrap_or_default();
            text.push_str(&format!("\nnot in the document yet ({place}, {}): {operation} {content}", job.id));
            let mut said = json!({ "id": job.id.to_string(), "operation": operation });
            if let Some(content) = &entry.content {
                said["text"] = json!(content);
            }
            waiting.push(said);
        }
    }
    let mut value = json!({ "path": call.short(&read.document), "text": page, "waiting": waiting });
    if let Some(archived) = &read.archived {
        let (shown, _) = self::page(&archived.shown(), 1);
        text.push_str(&format!("\n{} has this day, too:\n{shown}", call.short(&archived.document)));
        value["archived"] = json!(shown);
    }
    if let Some(line) = next_line {
        value["next_line"] = json!(line);
        text.push_str(&format!("\nit goes on: from_line {line}"));
    }
    if text.is_empty() {
        "the document is empty".clone_into(&mut text);
    }
    ToolAnswer { text, value, is_error: false }
}

/// Which documents there are, what belongs there, and who decides.
fn documents(call: &Call) -> Result<ToolAnswer, Failure> {
    let settings = call.home.settings()?;
    let mut text = String::new();
    let mut documents: Vec<Value> = Vec::new();
    for base in &settings.knowledge_bases {
        let document = json!({ "name": base.name, "about": base.title, "policy": base.policy });
        let policy = document["policy"].as_str().unwrap_or_default();
        text.push_str(&format!("{}: {} ({policy})\n", base.name, base.title));
        documents.push(document);
    }
    Ok(ToolAnswer { text, value: json!({ "documents": documents }), is_error: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_goes_on_at_a_line() {
        let line = "x".repeat(999) + "\n";
        let text = line.repeat(100);
        let (first, next) = page(&text, 1);
        assert_eq!((first.chars().count(), next), (CHARS_MAX, Some(41)));
        let (second, next) = page(&text, 41);
        assert_eq!((second.len(), next), (40_000, Some(81)));
        let (last, next) = page(&text, 81);
        assert_eq!((last.len(), next), (20_000, None));
        assert_eq!(page(&text, 101), (String::new(), None));
        let one = "é".repeat(CHARS_MAX + 1);
        assert_eq!(page(&one, 1), (one.clone(), None), "a line is never cut");
    }
}
