//! basic-memory: notes of observations `- [category] text #tag (context)` and relations `- type [[Target]]`. The files are the
//! truth; its database is an index.

use super::{MemoryStore, Text, entry_of, links, said_from};
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::front_matter::{Note, note};
use crate::markdown::Form;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

pub(super) const NAME: &str = "basic_memory";

/// Categories of what somebody likes or thinks.
const OPINIONS: [&str; 9] =
    ["preference", "preferences", "opinion", "idea", "style", "偏好", "喜好", "观点", "意见"];
/// Categories of what was done.
const DONE: [&str; 7] = ["done", "event", "log", "milestone", "完成", "事件", "进展"];

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    for folder in folders(store, found) {
        for path in store.files(NAME, &folder, ".md", found) {
            if let Some(text) = store.text(NAME, &path, found) {
                observations(&text, found);
            }
        }
    }
}

/// Where its projects keep their notes.
fn folders(store: &MemoryStore<'_>, found: &mut FoundMemories) -> BTreeSet<PathBuf> {
    let config = store.folder("BASIC_MEMORY_CONFIG_DIR", ".basic-memory").join("config.json");
    let config =
        store.text(NAME, &config, found).and_then(|text| serde_json::from_str::<Value>(&text.text).ok());
    let projects = config.as_ref().and_then(|config| config.get("projects")).and_then(Value::as_object);
    let said = projects.into_iter().flat_map(|projects| projects.values());
    // Older releases have the path itself in place of an object.
    let paths = said.filter_map(|project| project.get("path").unwrap_or(project).as_str());
    let expand = |path: &str| match path.strip_prefix("~/") {
        Some(rest) => store.home.join(rest),
        None => PathBuf::from(path),
    };
    let mut folders: BTreeSet<PathBuf> = paths.map(expand).collect();
    if folders.is_empty() {
        folders.insert(store.folder("BASIC_MEMORY_HOME", "basic-memory"));
    }
    folders
}

fn observations(text: &Text, found: &mut FoundMemories) {
    let read = note(&text.text);
    let pieces = said_from(NAME, text, read.body, read.first_line, found);
    if text.is_export {
        return pieces.iter().for_each(|piece| found.add(entry_of(NAME, text, piece, About::Memory)));
    }
    let stem = text.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let title = read.get("title").map(str::to_owned).or(stem).unwrap_or_default();
    let confidence = read.get("confidence").and_then(|sure| sure.parse().ok());
    let of_note = about_note(&read, &title);
    for piece in &pieces {
        let observed = observation(&piece.text).filter(|_| piece.form == Form::Item);
        let Some((category, said)) = observed else {
            found.leave_out(
                NAME,
                text.path.as_path(),
                piece.line,
                piece.text.as_str(),
                "it is no observation",
            );
            continue;
        };
        let plain = category.to_lowercase();
        let kind = match plain.as_str() {
            opinion if OPINIONS.contains(&opinion) => MemoryKind::O,
            done if DONE.contains(&done) => MemoryKind::B,
            _ => MemoryKind::W,
        };
        let about = if kind == MemoryKind::O { About::User } else { About::Memory };
        found.add(Memory {
            kind,
            about,
            heading: Some(title.clone()),
            entities: of_note.clone(),
            date: day_of(said),
            confidence,
            ..Memory::new(NAME, text.path.as_path(), piece.line, said)
        });
    }
}

/// What every observation of a note is about: its title, its tags, and what it stands in relation to.
fn about_note(read: &Note<'_>, title: &str) -> Vec<String> {
    let mut about = vec![title.to_owned()];
    for name in read.list("tags").into_iter().chain(links(read.body)) {
        if !about.contains(&name) {
            about.push(name);
        }
    }
    about
}

/// Category and text of an observation; `None` for a link, a relation or a task.
fn observation(item: &str) -> Option<(&str, &str)> {
    let (category, rest) = item.strip_prefix('[')?.split_once(']')?;
    let said = rest.strip_prefix(' ')?.trim();
    (!category.is_empty() && !category.starts_with(['[', '^']) && !said.is_empty())
        .then_some((category, said))
}

/// A day that stands alone as the context: `(2026-11-16)`.
fn day_of(said: &str) -> Option<String> {
    let day = said.strip_suffix(')')?.rsplit_once('(')?.1;
    declaration::time::is_day(day).then(|| day.to_owned())
}
