//! Hermes: two files of entries with a line `§` between them. They are no Markdown.

use super::MemoryStore;
use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::wording;

pub(super) const NAME: &str = "hermes";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let folder = store.folder("HERMES_HOME", ".hermes").join("memories");
    for (name, about) in [("USER.md", About::User), ("MEMORY.md", About::Memory)] {
        let Some(text) = store.text(NAME, &folder.join(name), found) else { continue };
        let (mut first, mut lines) = (1, Vec::new());
        for (n, line) in text.text.lines().chain(["§"]).enumerate() {
            if line.trim() != "§" {
                lines.push(line.trim());
                continue;
            }
            let said = lines.join(" ").trim().to_owned();
            let kind = if about == About::User { wording::kind(&said) } else { MemoryKind::W };
            found.add(Memory {
                kind,
                about: about.clone(),
                ..Memory::new(NAME, text.path.as_path(), first, said)
            });
            (first, lines) = (n + 2, Vec::new());
        }
    }
}
