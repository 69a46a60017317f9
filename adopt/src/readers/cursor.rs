//! Rules of editors: Cursor, Windsurf and Copilot. The entry of a rule for some files says for which.

use super::{MemoryStore, Text, entry_of, leave_pointer, said_from};
use crate::entry::{About, FoundMemories, Memory};
use crate::front_matter::note;
use crate::markdown::imports;
use std::path::Path;

pub(super) const NAME: &str = "cursor";

/// Tools that write rules so that they themselves are called.
const GENERATED: [&str; 1] = ["memory-rules.mdc"];

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let global = store.home.join(".codeium/windsurf/memories/global_rules.md");
    if let Some(text) = store.text(NAME, &global, found) {
        rule(NAME, &text, "globs", &About::User, None, found);
    }
    let Some(project) = store.project else { return };
    let mut paths = Vec::new();
    for (folder, ending) in [
        (".cursor/rules", ".mdc"),
        (".cursor/rules", ".md"),
        (".windsurf/rules", ".md"),
        (".github/instructions", ".instructions.md"),
    ] {
        paths.extend(store.files(NAME, &project.join(folder), ending, found));
    }
    for name in [".cursorrules", ".windsurfrules", ".github/copilot-instructions.md"] {
        paths.push(project.join(name));
    }
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        if GENERATED.iter().any(|generated| name == *generated) {
            found.leave_out(NAME, path, 0, "", "a tool wrote it to have itself called");
        } else if let Some(text) = store.text(NAME, &path, found) {
            rule(NAME, &text, scope_key(&text.path), &About::Project, Some(project), found);
        }
    }
    for path in store.files(NAME, &project.join(".github/prompts"), ".prompt.md", found) {
        found.leave_out(NAME, path, 0, "", "it is a command and says nothing to know");
    }
}

fn scope_key(path: &Path) -> &'static str {
    if super::is_in(path, "instructions") { "applyTo" } else { "globs" }
}

/// The items and paragraphs of a rule; `scope` is the key of its front matter that says for which files it holds.
pub(super) fn rule(
    system: &'static str,
    text: &Text,
    scope: &str,
    about: &About,
    project: Option<&Path>,
    found: &mut FoundMemories,
) {
    let read = note(&text.text);
    let patterns: Vec<String> = read.list(scope).into_iter().filter(|pattern| pattern != "**").collect();
    let scope = match patterns.as_slice() {
        [] => String::new(),
        patterns => {
            format!("for {}: ", patterns.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>().join(", "))
        }
    };
    for piece in &said_from(system, text, read.body, read.first_line, found) {
        if !imports(&piece.text).is_empty() {
            leave_pointer(system, text, piece, found);
            continue;
        }
        let mut entry = entry_of(system, text, piece, about.clone());
        entry.text = format!("{scope}{}", entry.text);
        let stem = text.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        found.add(Memory {
            project: project.map(Path::to_owned),
            heading: entry.heading.clone().or(stem),
            ..entry
        });
    }
}
