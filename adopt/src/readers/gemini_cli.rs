//! Gemini CLI: `GEMINI.md` with the memories that older releases added to it, its private memory of each project, and the inbox
//! of changes it proposes, which wait for a person here as they do there.

use super::{MemoryStore, Text, entry_of, leave_pointer, pointer, said, said_from};
use crate::entry::{About, FoundMemories, Memory};
use crate::markdown::{Form, imports};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "gemini_cli";

/// Its folder with one folder for each project.
const BY_PROJECT: &str = "tmp";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let root = match (store.variable)("GEMINI_CLI_HOME") {
        Some(moved) => moved.join(".gemini"),
        None => store.home.join(".gemini"),
    };
    for text in store.with_imports(NAME, &root.join("GEMINI.md"), store.home, found) {
        added_memories(NAME, &text, &About::User, None, found);
    }
    for folder in store.folders(&root.join(BY_PROJECT)) {
        let root = store.text(NAME, &folder.join(".project_root"), found);
        let project = root.map(|root| PathBuf::from(root.text.trim()));
        memory(store, &folder.join("memory"), project.as_deref(), found);
    }
    let Some(project) = store.project else { return };
    for text in store.with_imports(NAME, &project.join("GEMINI.md"), project, found) {
        added_memories(NAME, &text, &About::Project, Some(project), found);
    }
}

/// A person's instructions, with a section at the end in which the agent wrote what it was asked to remember.
pub(super) fn added_memories(
    system: &'static str,
    text: &Text,
    about: &About,
    project: Option<&Path>,
    found: &mut FoundMemories,
) {
    for piece in &said(system, text, found) {
        if piece.form == Form::Paragraph && !imports(&piece.text).is_empty() {
            leave_pointer(system, text, piece, found);
            continue;
        }
        let entry = entry_of(system, text, piece, about.clone());
        found.add(Memory { project: project.map(Path::to_owned), ..entry });
    }
}

fn memory(store: &MemoryStore<'_>, folder: &Path, project: Option<&Path>, found: &mut FoundMemories) {
    for path in store.files(NAME, folder, ".md", found) {
        let Some(text) = store.text(NAME, &path, found) else { continue };
        for piece in &said(NAME, &text, found) {
            let see = piece.text.starts_with("See /") || piece.text.starts_with("See ~");
            if see || pointer(&piece.text).is_some() {
                leave_pointer(NAME, &text, piece, found);
                continue;
            }
            found.add(Memory {
                project: project.map(Path::to_owned),
                ..entry_of(NAME, &text, piece, About::Memory)
            });
        }
    }
    for (inbox, about) in [("private", About::Memory), ("global", About::User)] {
        let path = folder.join(".inbox").join(inbox).join("extraction.patch");
        let Some(text) = store.text(NAME, &path, found) else { continue };
        proposed(store, &text, &about, project, found);
    }
}

/// The lines that a patch would add and that its file does not have yet.
fn proposed(
    store: &MemoryStore<'_>,
    text: &Text,
    about: &About,
    project: Option<&Path>,
    found: &mut FoundMemories,
) {
    let mut there = BTreeSet::new();
    for (n, line) in text.text.lines().enumerate() {
        if let Some(target) = line.strip_prefix("+++ ") {
            let target =
                store.text(NAME, Path::new(target.trim()), found).map_or(String::new(), |text| text.text);
            there = target.lines().map(|line| line.trim().to_owned()).collect();
            continue;
        }
        let Some(added) = line.strip_prefix('+').filter(|line| !line.trim().is_empty()) else { continue };
        if there.contains(added.trim()) {
            continue;
        }
        for piece in &said_from(NAME, text, added, n + 1, found) {
            found.add(Memory {
                project: project.map(Path::to_owned),
                waits: Some("the agent proposed it, and nobody said yes to it yet"),
                ..entry_of(NAME, text, piece, about.clone())
            });
        }
    }
}
