//! The memory bank of Cline and its kin: free Markdown by a convention of prompts, and rules beside it. A bank with machine blocks
//! or details is another system's.

use super::{MemoryStore, said_in};
use crate::entry::{About, FoundMemories, MemoryKind};

pub(super) const NAME: &str = "cline_memory_bank";

/// The files that describe the project, and those that describe the work at the time they were written.
const FACTS: [&str; 4] = ["projectbrief.md", "productContext.md", "systemPatterns.md", "techContext.md"];
const DOINGS: [&str; 2] = ["activeContext.md", "progress.md"];

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let Some(project) = store.project else { return };
    let bank = project.join("memory-bank");
    if !store.is_there(&bank.join("details")) {
        for name in FACTS.into_iter().chain(DOINGS) {
            let before = found.entries.len();
            said_in(store, NAME, &bank.join(name), &About::Project, Some(project), found);
            for entry in found.entries.iter_mut().skip(before) {
                entry.kind = if FACTS.contains(&name) { MemoryKind::W } else { MemoryKind::B };
            }
        }
    }
    let rules =
        [".clinerules", ".roo/rules"].map(|folder| store.files(NAME, &project.join(folder), ".md", found));
    let single = [project.join(".clinerules")];
    for path in rules.into_iter().flatten().chain(single) {
        said_in(store, NAME, &path, &About::Project, Some(project), found);
    }
}
