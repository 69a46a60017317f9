//! The last-word of monoco, which has our home's name: declarations that wait, one file for each document, and those it refused.
//! Ours have other names, so both can lie in one directory.

use super::MemoryStore;
use crate::entry::{About, FoundMemories, Memory};
use crate::markdown::pieces;
use crate::store::FILE_BYTES_MAX;
use crate::wording;
use declaration::reading::yaml;
use serde_json::Value;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "monoco_last_word";

/// The folder of declarations that it refused. Our own two folders are below this one.
const REFUSED: &str = "staging";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let agents = store.folder("XDG_CONFIG_HOME", ".config").join("agents");
    let home = agents.join("last-word");
    for (folder, prefix, waits) in
        [(home.clone(), "kb-", None), (home.join(REFUSED), "2", Some("it was refused there"))]
    {
        let names = store.names(&folder).into_iter();
        for name in names.filter(|name| name.starts_with(prefix) && name.ends_with(".yaml")) {
            declarations(store, &agents, &folder.join(name), waits, found);
        }
    }
}

fn declarations(
    store: &MemoryStore<'_>,
    agents: &Path,
    path: &Path,
    waits: Option<&'static str>,
    found: &mut FoundMemories,
) {
    let Some(text) = store.text(NAME, path, found) else { return };
    let Ok(declarations) = yaml::typed::<Value>(&text.text, FILE_BYTES_MAX as usize) else {
        return found.leave_out(NAME, path, 0, "", "it is no YAML");
    };
    let lists = declarations.iter().filter_map(|declaration| declaration.get("entries")?.as_array());
    for entry in lists.flatten() {
        let field = |names: &[&str]| names.iter().try_fold(entry, |value, name| value.get(name));
        let text = |names: &[&str]| field(names).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (heading, target) = (text(&["key", "heading"]), PathBuf::from(text(&["key", "path"])));
        let Some(about) = about(agents, &target) else {
            found.leave_out(NAME, path, 0, heading, "its document is none of those that agents share");
            continue;
        };
        let content = text(&["content"]);
        if !matches!(text(&["operation"]).as_str(), "update" | "append") || content.trim().is_empty() {
            found.leave_out(NAME, path, 0, heading, "it says nothing to know");
            continue;
        }
        for piece in pieces(&content) {
            if !super::is_taken(NAME, path, 0, &piece, found) {
                continue;
            }
            found.add(Memory {
                kind: wording::kind(&piece.text),
                about: about.clone(),
                heading: Some(heading.clone()).filter(|heading| !heading.is_empty()),
                // Its times have no zone: the day is all they say.
                date: text(&["meta", "created_at"]).get(..10).map(str::to_owned),
                confidence: field(&["meta", "confidence"]).and_then(Value::as_f64),
                waits,
                ..Memory::new(NAME, path, 0, piece.text)
            });
        }
    }
}

/// What a document of the agents' common folder is about.
fn about(agents: &Path, target: &Path) -> Option<About> {
    let name = match target.strip_prefix("~/.config/agents") {
        Ok(below) => below,
        Err(_) => target.strip_prefix(agents).ok()?,
    };
    Some(match name.to_str()? {
        "USER.md" => About::User,
        "SOUL.md" => About::Soul,
        "AGENTS.md" => About::Global,
        "MEMORY.md" => About::Memory,
        _ => return None,
    })
}
