//! Writes items as files that other programs read, and that `adopt` reads back as the same items. Pure: returns names and texts.

use declaration::Trust;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A line in every exported Markdown file. It tells `adopt` to read the items back unchanged.
pub(crate) const EXPORTED: &str = "<!-- exported by last-word -->";
/// The name of the file with one JSON object a line.
pub(crate) const LINES: &str = "last-word.jsonl";
/// The heading above items without a date.
pub(crate) const UNDATED: &str = "Undated";

/// What a line below an item begins with.
pub(crate) const BELOW: &str = "  ";

/// The formats of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A folder of notes, one for each month.
    BasicMemory,
    /// JSON lines: one item each, with all its fields.
    Jsonl,
    /// A `CLAUDE.md`.
    Claude,
    /// An `AGENTS.md`.
    AgentsMd,
}

impl ExportFormat {
    /// Every format, by its name on a command line.
    pub const NAMES: [(&'static str, ExportFormat); 4] = [
        ("basic-memory", ExportFormat::BasicMemory),
        ("jsonl", ExportFormat::Jsonl),
        ("claude", ExportFormat::Claude),
        ("agents-md", ExportFormat::AgentsMd),
    ];

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<ExportFormat> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, format)| format)
    }
}

/// An item as it is exported and read back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExportedItem {
    /// Its id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Its knowledge base.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kb: String,
    /// `W`, `B`, `O`, `E` or a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its text, with its tags; and the lines below, indented.
    pub text: String,
    /// When it was said: a day, or a minute with its zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// How sure its author was, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Whose word it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What there is to doubt of it, in the words of a mark; for formats that have no field for it.
    #[serde(skip)]
    pub doubt: Option<String>,
}

impl ExportedItem {
    fn day(&self) -> &str {
        self.date.as_deref().and_then(|date| date.get(..10)).unwrap_or(UNDATED)
    }
}

/// The files of an export: names relative to its folder, and texts. Without items there are none.
#[must_use]
pub fn export(items: &[ExportedItem], format: ExportFormat) -> Vec<(String, String)> {
    if items.is_empty() {
        return Vec::new();
    }
    match format {
        ExportFormat::Jsonl => {
            let lines = items.iter().filter_map(|item| serde_json::to_string(item).ok());
            vec![(LINES.to_owned(), lines.map(|line| line + "\n").collect())]
        }
        ExportFormat::Claude => vec![("CLAUDE.md".to_owned(), document(items))],
        ExportFormat::AgentsMd => vec![("AGENTS.md".to_owned(), document(items))],
        ExportFormat::BasicMemory => {
            let mut months: BTreeMap<&str, Vec<ExportedItem>> = BTreeMap::new();
            for item in items {
                let day = item.day();
                months
                    .entry(day.get(..7).filter(|_| day != UNDATED).unwrap_or(day))
                    .or_default()
                    .push(item.clone());
            }
            let note = |month: &str, items: &[ExportedItem]| {
                let title = format!("Memory {month}");
                format!("---\ntitle: {title}\ntype: note\n---\n\n{}", days(items))
            };
            let named = |month: &str| format!("basic-memory/memory-{}.md", month.to_lowercase());
            months.into_iter().map(|(month, items)| (named(month), note(month, &items))).collect()
        }
    }
}

fn document(items: &[ExportedItem]) -> String {
    format!("# Memory\n\n{}", days(items))
}

/// The items below a heading for each day; those without a date come last.
fn days(items: &[ExportedItem]) -> String {
    let mut days: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for item in items {
        let kind = item.kind.as_ref().map_or_else(String::new, |kind| format!("[{kind}] "));
        let mark = item.doubt.as_ref().map_or_else(String::new, |doubt| format!(" <!-- {doubt} -->"));
        let (line, below) = item.text.split_at(item.text.find('\n').unwrap_or(item.text.len()));
        days.entry(item.day()).or_default().push(format!("- {kind}{line}{mark}{below}\n"));
    }
    let mut text = format!("{EXPORTED}\n");
    for (day, lines) in days {
        text.push_str(&format!("\n## {day}\n\n{}", lines.concat()));
    }
    text
}

/// An item's line without the mark behind it, and what that says.
pub(crate) fn without_mark(line: &str) -> (&str, Option<&str>) {
    let mark = line.trim_end().strip_suffix(" -->").and_then(|line| line.rsplit_once("<!-- "));
    match mark.filter(|(_, said)| is_doubt(said)) {
        Some((line, said)) => (line.trim_end(), Some(said)),
        None => (line, None),
    }
}

/// Whether a comment is a mark of doubt.
pub(crate) fn is_doubt(comment: &str) -> bool {
    let origins = [Trust::Web, Trust::Tool].map(Trust::origin);
    origins.into_iter().chain(["a guess, "]).any(|begin| comment.starts_with(begin))
}

/// How sure the author of an item was, and whose word it is, as a mark of doubt says it.
pub(crate) fn doubted(mark: &str) -> (Option<f64>, Trust) {
    let percent = mark.strip_prefix("a guess, ").and_then(|said| said.split_once(" %"));
    let sure = percent.and_then(|(percent, _)| percent.parse::<f64>().ok()).map(|percent| percent / 100.0);
    let far = [Trust::Web, Trust::Tool].into_iter().find(|trust| mark.contains(trust.origin()));
    (sure, far.unwrap_or(Trust::Agent))
}
