//! claude-mem: what a model noticed in sessions of Claude Code, in a database that its worker keeps open. Decisions and facts
//! are taken; of what was done, the title; the person's own prompts are named and never facts.

use super::{MemoryStore, too_many};
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::markdown::pieces;
use crate::sqlite::Database;
use std::path::Path;

pub(super) const NAME: &str = "claude_mem";

const OBSERVED: [&str; 11] = [
    "id",
    "memory_session_id",
    "project",
    "type",
    "title",
    "facts",
    "files_modified",
    "created_at",
    "content_hash",
    "merged_into_project",
    "text",
];
const SUMMED_UP: [&str; 6] = ["id", "memory_session_id", "project", "learned", "completed", "created_at"];
/// How many prompts are named one by one; of the rest only the number is given.
const PROMPTS_NAMED: usize = 20;

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let path = store.folder("CLAUDE_MEM_DATA_DIR", ".claude-mem").join("claude-mem.db");
    let Some(mut database) = store.database(NAME, &path, found) else { return };
    match database.rows("observations", &OBSERVED) {
        Some(mut rows) => {
            too_many(NAME, &path, &mut rows, found);
            rows.iter().for_each(|row| observation(&path, row, found));
        }
        None => found.leave_out(NAME, path.as_path(), 0, "", "it has no table `observations`"),
    }
    let mut sums = database.rows("session_summaries", &SUMMED_UP).unwrap_or_default();
    too_many(NAME, &path, &mut sums, found);
    sums.iter().for_each(|row| summary(&path, row, found));
    prompts(&path, &mut database, found);
}

fn observation(path: &Path, row: &[String], found: &mut FoundMemories) {
    let [id, session, project, sort, title, facts, files, at, hash, moved, text] =
        std::array::from_fn(|at| row.get(at).map_or("", String::as_str));
    let name = [hash, &format!("{session}/{title}"), id].map(str::to_owned);
    let [hash, by_title, by_id] = name;
    let identity = [hash, if title.is_empty() { String::new() } else { by_title }, by_id];
    let identity = identity.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let project = if moved.is_empty() { project } else { moved };
    let names = |with_files: bool| {
        let files = words(files).into_iter().filter(|_| with_files);
        [project.to_owned()].into_iter().filter(|name| !name.is_empty()).chain(files).collect::<Vec<_>>()
    };
    let base = |what: &str, part: &str| Memory {
        id: Some(format!("{identity}#{part}")),
        entities: names(part != "title"),
        date: Some(at.to_owned()).filter(|at| !at.is_empty()),
        ..Memory::new(NAME, path, 0, what.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let facts = words(facts);
    // Its oldest rows have one text and no parts.
    let title = if title.is_empty() && facts.is_empty() { text } else { title };
    match sort {
        "decision" => found.add(Memory { heading: Some("Decisions".to_owned()), ..base(title, "title") }),
        "change" | "bugfix" | "feature" | "refactor" => {
            found.add(Memory { kind: MemoryKind::B, about: About::Log, ..base(title, "title") });
        }
        _ if facts.is_empty() => found.add(base(title, "title")),
        _ => {}
    }
    for (n, fact) in facts.iter().enumerate() {
        found.add(base(fact, &n.to_string()));
    }
}

/// The summary of a session: what it learned and what it finished. What it planned to do next is ignored.
fn summary(path: &Path, row: &[String], found: &mut FoundMemories) {
    let [id, session, project, learned, completed, at] =
        std::array::from_fn(|at| row.get(at).map_or("", String::as_str));
    let parts = [(learned, MemoryKind::W, About::Memory), (completed, MemoryKind::B, About::Log)];
    for (text, kind, about) in parts {
        let mut said = pieces(text);
        said.retain(|piece| super::is_taken(NAME, path, 0, piece, found));
        for (n, piece) in said.into_iter().enumerate() {
            found.add(Memory {
                id: Some(format!("{session}/{id}#{}{n}", kind.letter())),
                kind,
                about: about.clone(),
                entities: Some(project.to_owned()).into_iter().filter(|name| !name.is_empty()).collect(),
                date: Some(at.to_owned()).filter(|at| !at.is_empty()),
                ..Memory::new(NAME, path, 0, piece.text)
            });
        }
    }
}

fn prompts(path: &Path, database: &mut Database, found: &mut FoundMemories) {
    let prompts = database.rows("user_prompts", &["prompt_text"]).unwrap_or_default();
    for prompt in prompts.iter().flatten().take(PROMPTS_NAMED) {
        let start: String = prompt.chars().take(80).collect();
        found.leave_out(NAME, path, 0, start, "it was asked in a session, and is nothing to know");
    }
    if let Some(more) = prompts.len().checked_sub(PROMPTS_NAMED).filter(|more| *more > 0) {
        found.leave_out(NAME, path, 0, format!("{more} more"), "they were asked in sessions");
    }
}

/// The texts of a JSON list; anything else counts as an empty list.
fn words(list: &str) -> Vec<String> {
    let words: Vec<serde_json::Value> = serde_json::from_str(list).unwrap_or_default();
    words.iter().filter_map(serde_json::Value::as_str).map(str::to_owned).collect()
}
