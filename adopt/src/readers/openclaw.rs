//! OpenClaw: a workspace of free Markdown with one file a day. Its own task lists and indexes are left out.

use super::{MemoryStore, daily, said_in};
use crate::entry::{About, FoundMemories};

pub(super) const NAME: &str = "openclaw";

/// Its folder, and the names that older releases gave it.
const FOLDERS: [&str; 3] = [".openclaw", ".clawdbot", ".moltbot"];

pub(super) fn read(store: &MemoryStore<'_>, found: &mut FoundMemories) {
    for folder in FOLDERS {
        let workspace = store.home.join(folder).join("workspace");
        let files = [
            ("MEMORY.md", About::Memory),
            ("USER.md", About::User),
            ("SOUL.md", About::Soul),
            ("IDENTITY.md", About::Soul),
        ];
        for (name, about) in files {
            said_in(store, NAME, &workspace.join(name), &about, None, found);
        }
        daily(store, NAME, &workspace.join("memory"), found);
    }
}
