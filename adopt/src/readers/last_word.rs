//! What another last-word exported: `last-word.jsonl`, one item a line.

use super::MemoryStore;
use crate::entry::{FoundMemories, Memory, MemoryKind};
use crate::export::{ExportedItem, LINES};
use declaration::Trust;

pub(super) const NAME: &str = "last_word";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let Some(text) = store.text(NAME, &store.home.join(LINES), found) else { return };
    for (n, line) in text.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Ok(item) = serde_json::from_str::<ExportedItem>(line) else {
            found.leave_out(NAME, text.path.as_path(), n + 1, "", "the line is no item in JSON");
            continue;
        };
        let kind = MemoryKind::of_letter(item.kind.as_deref().unwrap_or_default());
        let author = item.by.as_deref().and_then(Trust::parse).unwrap_or(Trust::Agent);
        let entry = Memory {
            id: Some(item.id).filter(|id| !id.is_empty()),
            kind: kind.unwrap_or(MemoryKind::W),
            word: Some(item.kind.unwrap_or_default()),
            exported: true,
            date: item.date,
            confidence: item.confidence.filter(|sure| (0.0..=1.0).contains(sure)),
            ..Memory::new(NAME, text.path.as_path(), n + 1, item.text)
        };
        found.add(entry.said_by(author));
    }
}
