//! The systems there are, one file each.

mod basic_memory;
mod claude_code;
mod codex;
mod cursor;
mod gemini_cli;
mod hermes;
mod qwen_code;
mod server_memory;

use crate::entry::{About, FoundMemories, Memory};
use crate::markdown::SaidPiece;
use crate::store::{MemoryStore, Text};
use crate::wording;
use std::path::Path;

/// A system whose memory can be read.
#[derive(Debug, Clone, Copy)]
pub struct MemorySystem {
    /// How it is named on a command line and in entries.
    pub name: &'static str,
    /// How people call it.
    pub title: &'static str,
    read: fn(&MemoryStore<'_>, &mut FoundMemories),
}

/// Every system, the commonest first.
pub const SYSTEMS: [MemorySystem; 8] = [
    MemorySystem { name: claude_code::NAME, title: "Claude Code", read: claude_code::read },
    MemorySystem { name: codex::NAME, title: "Codex", read: codex::read },
    MemorySystem { name: gemini_cli::NAME, title: "Gemini CLI", read: gemini_cli::read },
    MemorySystem { name: cursor::NAME, title: "Cursor, Windsurf and Copilot rules", read: cursor::read },
    MemorySystem { name: qwen_code::NAME, title: "Qwen Code", read: qwen_code::read },
    MemorySystem { name: basic_memory::NAME, title: "basic-memory", read: basic_memory::read },
    MemorySystem { name: server_memory::NAME, title: "MCP server-memory", read: server_memory::read },
    MemorySystem { name: hermes::NAME, title: "Hermes", read: hermes::read },
];

impl MemorySystem {
    /// The system of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<MemorySystem> {
        let plain = name.to_lowercase().replace('-', "_");
        SYSTEMS.into_iter().find(|system| system.name == plain)
    }

    /// What it knows. Nothing when it was never used here.
    #[must_use]
    pub fn read(&self, store: &MemoryStore<'_>) -> FoundMemories {
        let mut found = FoundMemories::default();
        (self.read)(store, &mut found);
        found
    }
}

/// The entry of a piece of a text, about this.
fn entry_of(system: &'static str, text: &Text, piece: &SaidPiece, about: About) -> Memory {
    Memory {
        kind: wording::kind(&piece.text),
        about,
        heading: piece.heading().map(str::to_owned),
        ..Memory::new(system, text.path.as_path(), piece.line, piece.text.as_str())
    }
}

/// A link to a file of the same folder, as lists of pointers have them: the file's name.
fn pointer(text: &str) -> Option<&str> {
    let (_, rest) = text.strip_prefix('[')?.split_once("](")?;
    let target = rest.split(')').next()?;
    (!target.contains("://")).then_some(target)
}

/// `[[links]]` of a text.
fn links(text: &str) -> Vec<String> {
    let parts = text.split("[[").skip(1).filter_map(|part| part.split_once("]]"));
    parts.map(|(name, _)| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Whether a path has this folder in it.
fn is_in(path: &Path, folder: &str) -> bool {
    path.components().any(|part| part.as_os_str() == folder)
}

/// A name for people in place of every character that is no letter or digit of ASCII: how Claude Code and Qwen Code call
/// a project's folder.
fn slug(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
