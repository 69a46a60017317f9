//! The reference memory server of MCP: a graph as JSON lines, entities with observations and relations between them. It has no
//! dates.

use super::{MemoryStore, Text};
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::wording;
use serde_json::Value;
use std::path::PathBuf;

pub(super) const NAME: &str = "mcp_server_memory";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    for path in files(store, found) {
        if let Some(text) = store.text(NAME, &path, found) {
            graph(&text, found);
        }
    }
}

/// Where clients were told to keep it, and where people put it.
fn files(store: &MemoryStore<'_>, found: &mut FoundMemories) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = (store.variable)("MEMORY_FILE_PATH").into_iter().collect();
    let usual = [".local/share/mcp/memory.jsonl", ".mcp/memory.jsonl", "memory.jsonl"];
    files.extend(usual.map(|path| store.home.join(path)));
    let mut clients = vec![store.home.join(".claude.json"), store.home.join(".cursor/mcp.json")];
    clients.push(store.home.join(".config/Claude/claude_desktop_config.json"));
    for client in clients {
        let Some(text) = store.text(NAME, &client, found) else { continue };
        if let Ok(settings) = serde_json::from_str::<Value>(&text.text) {
            named(&settings, &mut files);
        }
    }
    // What a repository names counts only within it: it must not choose which of a person's files are read.
    if let Some(project) = store.project
        && let Some(text) = store.text(NAME, &project.join(".mcp.json"), found)
        && let Ok(settings) = serde_json::from_str::<Value>(&text.text)
    {
        let mut of_project = Vec::new();
        named(&settings, &mut of_project);
        let of_project = of_project.into_iter().map(|path| project.join(path));
        let (within, outside): (Vec<_>, Vec<_>) =
            of_project.partition(|path| store.disk.is_within(path, project));
        files.extend(within);
        for path in outside {
            found.leave_out(NAME, path, 0, "", "a file of the project names it, and it lies elsewhere");
        }
    }
    let codex = store.text(NAME, &store.folder("CODEX_HOME", ".codex").join("config.toml"), found);
    for line in codex.iter().flat_map(|text| text.text.lines()) {
        let said = line
            .split_once("MEMORY_FILE_PATH")
            .and_then(|(_, rest)| rest.split('"').find(|part| part.contains('/')));
        files.extend(said.map(PathBuf::from));
    }
    let mut known = std::collections::BTreeSet::new();
    files.retain(|path| known.insert(path.clone()));
    files
}

/// Every `MEMORY_FILE_PATH` of some settings.
fn named(settings: &Value, files: &mut Vec<PathBuf>) {
    match settings {
        Value::Object(fields) => {
            files.extend(fields.get("MEMORY_FILE_PATH").and_then(Value::as_str).map(PathBuf::from));
            fields.values().for_each(|value| named(value, files));
        }
        Value::Array(values) => values.iter().for_each(|value| named(value, files)),
        _ => {}
    }
}

fn graph(text: &Text, found: &mut FoundMemories) {
    for (n, line) in text.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Ok(said) = serde_json::from_str::<Value>(line) else {
            found.leave_out(NAME, text.path.as_path(), n + 1, "", "the line is no JSON");
            continue;
        };
        let field = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default();
        match field("type") {
            "entity" => entity(text, n + 1, &said, field("name"), field("entityType"), found),
            "relation" => {
                let sentence = format!("{} — {} — {}", field("from"), field("relationType"), field("to"));
                found.add(Memory {
                    entities: vec![field("from").to_owned(), field("to").to_owned()],
                    ..Memory::new(NAME, text.path.as_path(), n + 1, sentence)
                });
            }
            _ => found.leave_out(NAME, text.path.as_path(), n + 1, "", "neither an entity nor a relation"),
        }
    }
}

fn entity(text: &Text, line: usize, said: &Value, name: &str, sort: &str, found: &mut FoundMemories) {
    let observations = said.get("observations").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for observation in observations.iter().filter_map(Value::as_str) {
        let is_person = matches!(sort.to_lowercase().as_str(), "person" | "user" | "人");
        let one_line = observation.split_whitespace().collect::<Vec<_>>().join(" ");
        found.add(Memory {
            kind: if is_person { wording::kind(&one_line) } else { MemoryKind::W },
            about: if is_person { About::User } else { About::Memory },
            heading: Some(name.to_owned()),
            entities: vec![name.to_owned()],
            ..Memory::new(NAME, text.path.as_path(), line, one_line)
        });
    }
}
