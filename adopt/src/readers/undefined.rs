//! Undefined: a bot that keeps facts, events, and pages about people and groups below the directory it runs in. What it says about
//! people needs a person's yes; its judgement of them and its jokes are not taken over.

use super::MemoryStore;
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::front_matter::note;
use crate::markdown::pieces;
use crate::wording;
use serde_json::Value;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "undefined";

/// The collection of events. Pages about people are in the same tables.
const EVENTS: &str = "SELECT e.embedding_id, said.string_value, day.string_value, utc.string_value, grp.string_value, usr.string_value
    FROM embeddings e
    JOIN segments s ON s.id = e.segment_id
    JOIN collections c ON c.id = s.collection AND c.name = 'cognitive_events'
    JOIN embedding_metadata said ON said.id = e.id AND said.key = 'chroma:document'
    LEFT JOIN embedding_metadata day ON day.id = e.id AND day.key = 'timestamp_local'
    LEFT JOIN embedding_metadata utc ON utc.id = e.id AND utc.key = 'timestamp_utc'
    LEFT JOIN embedding_metadata grp ON grp.id = e.id AND grp.key = 'group_id'
    LEFT JOIN embedding_metadata usr ON usr.id = e.id AND usr.key = 'user_id'
    ORDER BY e.rowid DESC LIMIT 20001";
const TABLES: [&str; 4] = ["embeddings", "segments", "collections", "embedding_metadata"];

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    for data in folders(store) {
        facts(store, &data.join("memory.json"), found);
        summaries(store, &data.join("end_summaries.json"), found);
        let cognitive = data.join("cognitive");
        for sort in ["users", "groups"] {
            for path in store.files(NAME, &cognitive.join("profiles").join(sort), ".md", found) {
                profile(store, &path, found);
            }
        }
        events(store, &cognitive.join("chromadb/chroma.sqlite3"), found);
        for state in ["pending", "processing", "failed"] {
            for path in store.files(NAME, &cognitive.join("queues").join(state), ".json", found) {
                unmerged(store, &path, found);
            }
        }
    }
}

/// The `data` folders of bots: in the home directory, one below it, and in the project.
fn folders(store: &MemoryStore<'_>) -> Vec<PathBuf> {
    let mut places = vec![store.home.to_owned()];
    places.extend(store.folders(store.home));
    places.extend(store.project.map(Path::to_owned));
    places.dedup();
    let data = places.into_iter().map(|place| place.join("data"));
    data.filter(|data| store.is_there(&data.join("cognitive"))).collect()
}

fn list(store: &MemoryStore<'_>, path: &Path, found: &mut FoundMemories) -> Vec<Value> {
    let Some(text) = store.text(NAME, path, found) else { return Vec::new() };
    serde_json::from_str(&text.text).unwrap_or_else(|_| {
        found.leave_out(NAME, path, 0, "", "it is no list in JSON");
        Vec::new()
    })
}

fn field<'v>(said: &'v Value, name: &str) -> &'v str {
    said.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn known(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn facts(store: &MemoryStore<'_>, path: &Path, found: &mut FoundMemories) {
    for said in list(store, path, found) {
        let fact = field(&said, "fact");
        found.add(Memory {
            id: known(field(&said, "uuid")),
            kind: wording::kind(fact),
            // Its times have no zone: the day is all they say.
            date: known(field(&said, "created_at").get(..10).unwrap_or_default()),
            ..Memory::new(NAME, path, 0, fact)
        });
    }
}

/// How conversations ended. The oldest form is the plain text, without a date.
fn summaries(store: &MemoryStore<'_>, path: &Path, found: &mut FoundMemories) {
    for said in list(store, path, found) {
        let summary = said.as_str().unwrap_or_else(|| field(&said, "summary"));
        found.add(Memory {
            kind: MemoryKind::B,
            about: About::Log,
            date: known(field(&said, "timestamp")),
            ..Memory::new(NAME, path, 0, summary)
        });
    }
}

/// A page about somebody: front matter, then a judgement, what is known, and a joke, separated by lines of `---`. A page with only
/// one part has what is known.
fn profile(store: &MemoryStore<'_>, path: &Path, found: &mut FoundMemories) {
    let Some(text) = store.text(NAME, path, found) else { return };
    let read = note(&text.text);
    let mut parts: Vec<(usize, Vec<&str>)> = vec![(read.first_line, Vec::new())];
    for (n, line) in read.body.lines().enumerate() {
        match (line == "---", parts.last_mut()) {
            (false, Some((_, part))) => part.push(line),
            _ => parts.push((read.first_line + n + 1, Vec::new())),
        }
    }
    let known = if parts.len() > 1 { 1 } else { 0 };
    for (at, _) in parts.iter().enumerate().filter(|(at, _)| *at != known) {
        found.leave_out(NAME, path, parts[at].0, "", "it is a judgement or a joke about somebody");
    }
    let (first_line, lines) = &parts[known];
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let id = read.get("entity_id").unwrap_or(&stem).to_owned();
    let sort = read.get("entity_type").unwrap_or("user").to_owned();
    for piece in pieces(&lines.join("\n")) {
        if !super::is_taken(NAME, path, piece.line + first_line - 1, &piece, found) {
            continue;
        }
        found.add(Memory {
            kind: wording::kind(&piece.text),
            about: About::Profile { sort: sort.clone(), id: id.clone() },
            heading: read.get("name").map(str::to_owned),
            entities: read.list("tags"),
            date: read.get("updated_at").map(str::to_owned),
            waits: Some("it is about somebody"),
            ..Memory::new(NAME, path, piece.line + first_line - 1, piece.text)
        });
    }
}

fn events(store: &MemoryStore<'_>, path: &Path, found: &mut FoundMemories) {
    let Some(mut database) = store.database(NAME, path, found) else { return };
    let events = database.has(&TABLES).then(|| database.select(EVENTS)).flatten();
    let Some(mut events) = events else {
        return found.leave_out(NAME, path, 0, "", "it has other tables than those of its events");
    };
    super::too_many(NAME, path, &mut events, found);
    for event in events {
        let [id, said, local, utc, group, user] =
            std::array::from_fn(|at| event.get(at).map_or("", String::as_str));
        found.add(happened(path, id, said, [local, utc], [group, user]));
    }
}

fn happened(path: &Path, id: &str, said: &str, times: [&str; 2], [group, user]: [&str; 2]) -> Memory {
    Memory {
        id: known(id),
        kind: MemoryKind::B,
        word: Some("E".to_owned()),
        about: About::Event { group: known(group), user: known(user) },
        date: times.into_iter().find_map(known),
        ..Memory::new(NAME, path, 0, said)
    }
}

/// What waits in the bot's own queue and is in no event yet.
fn unmerged(store: &MemoryStore<'_>, path: &Path, found: &mut FoundMemories) {
    let Some(text) = store.text(NAME, path, found) else { return };
    let Ok(job) = serde_json::from_str::<Value>(&text.text) else {
        return found.leave_out(NAME, path, 0, "", "it is no JSON");
    };
    let times = ["timestamp_local", "timestamp_utc"].map(|name| field(&job, name));
    let scope = ["group_id", "user_id"].map(|name| field(&job, name));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let noticed = job.get("observations").and_then(Value::as_array).into_iter().flatten();
    for (n, said) in noticed.filter_map(Value::as_str).enumerate() {
        found.add(happened(path, &format!("{stem}#{n}"), said, times, scope));
    }
}
