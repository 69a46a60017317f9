//! AgentKit: sections of Markdown in `SOUL.md`, `USER.md`, `MEMORY.md` and one file a day. Its files are cut off when they grow too
//! large; what is left is read.

use super::{MemoryStore, daily, said_in};
use crate::entry::{About, FoundMemories};

pub(super) const NAME: &str = "agentkit";

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    let root = store.home.join(".agentkit");
    said_in(store, NAME, &root.join("SOUL.md"), &About::Soul, None, found);
    let memories = root.join("memories");
    said_in(store, NAME, &memories.join("USER.md"), &About::User, None, found);
    said_in(store, NAME, &memories.join("MEMORY.md"), &About::Memory, None, found);
    daily(store, NAME, &memories.join("daily"), found);
}
