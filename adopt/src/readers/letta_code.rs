//! Letta Code: notes with front matter in a folder of each agent. The name of a file in `system/` tells whether it is about
//! the person or the agent. Skills are procedures: they are named and not taken over.

use super::{MemoryStore, entry_of, leave_pointer, said_from};
use crate::entry::{About, FoundMemories};
use crate::front_matter::note;
use crate::markdown::{Form, pieces};
use std::path::Path;

pub(super) const NAME: &str = "letta_code";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    for agent in store.folders(&store.home.join(".letta/agents")) {
        let folder = agent.join("memory");
        for path in store.files(NAME, &folder, ".md", found) {
            match path.strip_prefix(&folder) {
                Ok(below) if below.starts_with("skills") => skill(store, &path, found),
                Ok(below) => memory(store, &path, about(below), found),
                Err(_) => {}
            }
        }
    }
}

fn about(below: &Path) -> About {
    let name = below.strip_prefix("system").ok().and_then(|name| name.to_str()).unwrap_or_default();
    match name {
        human if human.starts_with("human") => About::User,
        persona if persona.starts_with("persona") => About::Soul,
        _ => About::Memory,
    }
}

fn memory(store: &MemoryStore<'_>, path: &Path, about: About, found: &mut FoundMemories) {
    let Some(text) = store.text(NAME, path, found) else { return };
    let read = note(&text.text);
    for piece in &said_from(NAME, &text, read.body, read.first_line, found) {
        if piece.form == Form::Paragraph && piece.text.starts_with("See [[") {
            leave_pointer(NAME, &text, piece, found);
            continue;
        }
        found.add(entry_of(NAME, &text, piece, about.clone()));
    }
}

/// Names each line of a skill as left out: it is something to do, not something to know.
fn skill(store: &MemoryStore<'_>, path: &Path, found: &mut FoundMemories) {
    let Some(text) = store.text(NAME, path, found) else { return };
    let read = note(&text.text);
    for piece in pieces(read.body) {
        let line = piece.line + read.first_line - 1;
        found.leave_out(NAME, path, line, piece.text, "it is a skill: something to do, and nothing to know");
    }
}
