//! Qwen Code: `QWEN.md` of the person and the project, and memories in the form of Claude Code's.

use super::gemini_cli::added_memories;
use super::{MemoryStore, claude_code};
use crate::entry::{About, FoundMemories};

pub(super) const NAME: &str = "qwen_code";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let root = store.folder("QWEN_HOME", ".qwen");
    for text in store.with_imports(NAME, &root.join("QWEN.md"), store.home, found) {
        added_memories(NAME, &text, &About::User, None, found);
    }
    claude_code::memories(store, NAME, &root.join("memories"), None, found);
    for project in store.folders(&root.join("projects")) {
        let chats = project.join("chats");
        let directory =
            claude_code::project_of(store, &chats).or_else(|| claude_code::project_of(store, &project));
        claude_code::memories(store, NAME, &project.join("memory"), directory.as_ref(), found);
    }
    let Some(project) = store.project else { return };
    for text in store.with_imports(NAME, &project.join("QWEN.md"), project, found) {
        added_memories(NAME, &text, &About::Project, Some(project), found);
    }
    let project = project.to_owned();
    claude_code::memories(store, NAME, &project.join(".qwen/team-memory"), Some(&project), found);
}
