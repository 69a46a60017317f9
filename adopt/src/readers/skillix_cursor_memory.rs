//! The memory skill for Cursor: facts and sessions as JSON lines, and a distilled `MEMORY.md`. What was deleted there stays in its
//! files, with a mark.

use super::{MemoryStore, Text, entry_of};
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::markdown::Form;
use serde_json::Value;
use std::path::Path;

pub(super) const NAME: &str = "skillix_cursor_memory";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let Some(project) = store.project else { return };
    let folder = project.join(".cursor/skills/memory-data");
    let mut facts = store.files(NAME, &folder.join("daily"), ".jsonl", found);
    facts.push(folder.join("facts.jsonl"));
    for path in facts {
        each_line(store, &path, found, |text, line, said, found| fact(text, line, said, project, found));
    }
    each_line(store, &folder.join("sessions.jsonl"), found, |text, line, said, found| {
        session(text, line, said, project, found);
    });
    if let Some(text) = store.text(NAME, &folder.join("MEMORY.md"), found) {
        distilled(&text, project, found);
    }
}

fn each_line(
    store: &MemoryStore<'_>,
    path: &Path,
    found: &mut FoundMemories,
    read: impl Fn(&Text, usize, &Value, &mut FoundMemories),
) {
    let Some(text) = store.text(NAME, path, found) else { return };
    for (n, line) in text.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(said) => read(&text, n + 1, &said, found),
            Err(_) => found.leave_out(NAME, path, n + 1, "", "the line is no JSON"),
        }
    }
}

fn field<'v>(said: &'v Value, name: &str) -> &'v str {
    said.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn words(said: &Value, name: &str) -> Vec<String> {
    let values = said.get(name).and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn date(said: &Value) -> Option<String> {
    let at = ["timestamp", "created_at"].map(|name| field(said, name));
    at.into_iter().find(|at| !at.is_empty()).map(str::to_owned)
}

fn fact(text: &Text, line: usize, said: &Value, project: &Path, found: &mut FoundMemories) {
    let content = field(said, "content");
    if said.get("deleted_at").is_some_and(|at| !at.is_null()) {
        return found.leave_out(NAME, text.path.as_path(), line, content, "it was deleted there");
    }
    let kind = match field(said, "memory_type") {
        "O" => MemoryKind::O,
        "B" | "S" => MemoryKind::B,
        _ => MemoryKind::W,
    };
    let about = match kind {
        MemoryKind::O => About::User,
        MemoryKind::B => About::Log,
        MemoryKind::W => About::Project,
    };
    let date = date(said);
    let day = date.as_deref().and_then(|date| date.get(..10)).unwrap_or_default();
    found.add(Memory {
        // Its id is a time of day: unique only with the day.
        id: Some(format!("{}#{day}#{}", project.display(), field(said, "id"))),
        kind,
        about,
        entities: words(said, "entities"),
        confidence: said.get("confidence").and_then(Value::as_f64).filter(|sure| (0.0..=1.0).contains(sure)),
        date,
        project: Some(project.to_owned()),
        ..Memory::new(NAME, text.path.as_path(), line, content)
    });
}

/// The entries of a session: its summary, and each decision.
fn session(text: &Text, line: usize, said: &Value, project: &Path, found: &mut FoundMemories) {
    let base = |what: &str| Memory {
        date: date(said),
        project: Some(project.to_owned()),
        ..Memory::new(NAME, text.path.as_path(), line, what)
    };
    let id = format!("{}#{}", project.display(), field(said, "id"));
    let summary =
        Memory { id: Some(id), kind: MemoryKind::B, about: About::Log, ..base(field(said, "summary")) };
    found.add(summary);
    for decision in words(said, "decisions") {
        let heading = Some("Decisions".to_owned());
        found.add(Memory { about: About::Project, heading, ..base(&decision) });
    }
}

/// The distilled memory: fixed headings, one of which is about the person.
fn distilled(text: &Text, project: &Path, found: &mut FoundMemories) {
    for piece in &super::said(NAME, text, found) {
        if piece.form != Form::Item {
            let why = "it is text between the items";
            found.leave_out(NAME, text.path.as_path(), piece.line, piece.text.as_str(), why);
            continue;
        }
        let (about, kind) = match piece.heading().unwrap_or_default() {
            "用户偏好" => (About::User, MemoryKind::O),
            _ => (About::Project, MemoryKind::W),
        };
        found.add(Memory { kind, project: Some(project.to_owned()), ..entry_of(NAME, text, piece, about) });
    }
}
