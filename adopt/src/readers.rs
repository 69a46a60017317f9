//! The systems there are, one file each.

mod agentkit;
mod basic_memory;
mod claude_code;
mod claude_mem;
mod cline_memory_bank;
mod codex;
mod cursor;
mod gemini_cli;
mod hermes;
mod last_word;
mod letta_code;
mod mem0;
mod memory_bank;
mod monoco_last_word;
mod openclaw;
mod qwen_code;
mod server_memory;
mod skillix_cursor_memory;
mod undefined;

use crate::entry::{About, FoundMemories, Memory, MemoryKind};
use crate::export::doubted;
use crate::markdown::{SaidPiece, exported_pieces, pieces};
use crate::sqlite::ROWS_MAX;
use crate::store::{MemoryStore, Text};
use crate::wording;
use declaration::Trust;
use declaration::time::is_day;
use markdown_merge::item::Item;
use std::path::Path;

/// A system whose memory can be read.
#[derive(Debug, Clone, Copy)]
pub struct MemorySystem {
    /// Its name on a command line and in entries.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    read: fn(&MemoryStore<'_>, &mut FoundMemories),
}

/// The name of what another last-word exported.
pub(crate) const EXPORTED: &str = last_word::NAME;

/// Every system, the commonest first.
pub const SYSTEMS: [MemorySystem; 19] = [
    MemorySystem { name: claude_code::NAME, title: "Claude Code", read: claude_code::read },
    MemorySystem { name: codex::NAME, title: "Codex", read: codex::read },
    MemorySystem { name: gemini_cli::NAME, title: "Gemini CLI", read: gemini_cli::read },
    MemorySystem { name: cursor::NAME, title: "Cursor, Windsurf and Copilot rules", read: cursor::read },
    MemorySystem { name: qwen_code::NAME, title: "Qwen Code", read: qwen_code::read },
    MemorySystem { name: basic_memory::NAME, title: "basic-memory", read: basic_memory::read },
    MemorySystem { name: server_memory::NAME, title: "MCP server-memory", read: server_memory::read },
    MemorySystem { name: claude_mem::NAME, title: "claude-mem", read: claude_mem::read },
    MemorySystem { name: mem0::NAME, title: "mem0", read: mem0::read },
    MemorySystem { name: hermes::NAME, title: "Hermes", read: hermes::read },
    MemorySystem {
        name: skillix_cursor_memory::NAME,
        title: "Cursor memory skill",
        read: skillix_cursor_memory::read,
    },
    MemorySystem { name: memory_bank::NAME, title: "memory-bank skill", read: memory_bank::read },
    MemorySystem { name: cline_memory_bank::NAME, title: "Cline memory bank", read: cline_memory_bank::read },
    MemorySystem { name: letta_code::NAME, title: "Letta Code", read: letta_code::read },
    MemorySystem { name: openclaw::NAME, title: "OpenClaw", read: openclaw::read },
    MemorySystem { name: agentkit::NAME, title: "AgentKit", read: agentkit::read },
    MemorySystem { name: undefined::NAME, title: "Undefined", read: undefined::read },
    MemorySystem { name: last_word::NAME, title: "Export of last-word", read: last_word::read },
    MemorySystem { name: monoco_last_word::NAME, title: "last-word of monoco", read: monoco_last_word::read },
];

impl MemorySystem {
    /// The system of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<MemorySystem> {
        let plain = name.to_lowercase().replace('-', "_");
        SYSTEMS.into_iter().find(|system| system.name == plain)
    }

    /// Everything it knows; nothing if it was never used.
    #[must_use]
    pub fn read(&self, store: &MemoryStore<'_>) -> FoundMemories {
        let mut found = FoundMemories::default();
        (self.read)(store, &mut found);
        // A copy of a home directory does not count as a project.
        for entry in &mut found.entries {
            entry.project = entry.project.take().filter(|project| project != store.home);
        }
        found
    }
}

/// The pieces of a text that can be taken over. What else it says is left out, with the reason.
fn said(system: &'static str, text: &Text, found: &mut FoundMemories) -> Vec<SaidPiece> {
    said_from(system, text, &text.text, 1, found)
}

/// The same of a part of it, which begins on this line.
fn said_from(
    system: &'static str,
    text: &Text,
    part: &str,
    first_line: usize,
    found: &mut FoundMemories,
) -> Vec<SaidPiece> {
    let mut said = if text.is_export { exported_pieces(part) } else { pieces(part) };
    said.retain_mut(|piece| {
        piece.line += first_line - 1;
        is_taken(system, &text.path, piece.line, piece, found)
    });
    said
}

/// Whether a piece can be taken over; one that cannot is left out, with the reason.
fn is_taken(
    system: &'static str,
    path: &Path,
    line: usize,
    piece: &SaidPiece,
    found: &mut FoundMemories,
) -> bool {
    let why = piece.form.why_not();
    why.into_iter().for_each(|why| found.leave_out(system, path, line, piece.text.as_str(), why));
    why.is_none()
}

/// Records that a piece only refers to a file, or to another note. One that is nothing but imports says nothing itself.
fn leave_pointer(system: &'static str, text: &Text, piece: &SaidPiece, found: &mut FoundMemories) {
    if piece.text.split_whitespace().all(|word| word.starts_with('@')) {
        return;
    }
    let why = "it only refers to something else";
    found.leave_out(system, text.path.as_path(), piece.line, piece.text.as_str(), why);
}

/// An entry made of this piece of a text, about this subject. In a text that a home exported, the item is restored as it was.
fn entry_of(system: &'static str, text: &Text, piece: &SaidPiece, about: About) -> Memory {
    let entry = if text.is_export {
        exported(system, text, piece)
    } else {
        Memory {
            kind: wording::kind(&piece.text),
            about,
            heading: piece.heading().map(str::to_owned),
            ..Memory::new(system, text.path.as_path(), piece.line, piece.text.as_str())
        }
    };
    let (confidence, author) = piece.doubt.as_deref().map_or((None, Trust::Agent), doubted);
    Memory { confidence, ..entry }.said_by(author)
}

fn exported(system: &'static str, text: &Text, piece: &SaidPiece) -> Memory {
    let line = format!("- {}", piece.text);
    let item = Item::read(&line);
    let word = item.as_ref().and_then(Item::kind).unwrap_or_default();
    let said = item.as_ref().map_or(piece.text.clone(), |item| [item.text(), item.below()].concat());
    Memory {
        kind: MemoryKind::of_letter(word).unwrap_or(MemoryKind::W),
        word: Some(word.to_owned()),
        exported: true,
        date: piece.heading().filter(|day| is_day(day)).map(str::to_owned),
        ..Memory::new(system, text.path.as_path(), piece.line, said)
    }
}

/// Records that a store has more rows than we read.
fn too_many(system: &'static str, path: &Path, rows: &mut Vec<Vec<String>>, found: &mut FoundMemories) {
    if rows.len() > ROWS_MAX {
        rows.truncate(ROWS_MAX);
        found.leave_out(system, path, 0, "", "it has more than 20,000 rows; the oldest were not looked at");
    }
}

/// The file name that a link to a file of the same folder names, as in lists of pointers.
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

/// A path with `-` in place of every character that is no ASCII letter or digit: how Claude Code and Qwen Code name a
/// project's folder.
#[must_use]
pub fn project_folder(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// The entries of a file of free Markdown, about this subject.
fn said_in(
    store: &MemoryStore<'_>,
    system: &'static str,
    path: &Path,
    about: &About,
    project: Option<&Path>,
    found: &mut FoundMemories,
) {
    let Some(text) = store.text(system, path, found) else { return };
    for piece in &said(system, &text, found) {
        let entry = entry_of(system, &text, piece, about.clone());
        let date = entry.text.get(..10).filter(|day| is_day(day)).map(str::to_owned);
        found.add(Memory { project: project.map(Path::to_owned), date, ..entry });
    }
}

/// The entries of daily files: what was done on each day.
fn daily(store: &MemoryStore<'_>, system: &'static str, folder: &Path, found: &mut FoundMemories) {
    for path in store.files(system, folder, ".md", found) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(day) = name.get(..10).filter(|day| is_day(day)) else { continue };
        let before = found.entries.len();
        said_in(store, system, &path, &About::Log, None, found);
        for entry in found.entries.iter_mut().skip(before) {
            (entry.kind, entry.date) = (MemoryKind::B, Some(day.to_owned()));
        }
    }
}
