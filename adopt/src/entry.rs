//! What a reader returns: entries that say what is known and where it stands, and what was left out and why.

use declaration::Trust;
use serde::Serialize;
use std::path::PathBuf;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum MemoryKind {
    /// A fact about the world or the project.
    W,
    /// What was done or experienced.
    B,
    /// An opinion or a preference.
    O,
}

impl MemoryKind {
    /// The letter that stands for it in an item.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            MemoryKind::W => "W",
            MemoryKind::B => "B",
            MemoryKind::O => "O",
        }
    }

    /// The kind of that letter.
    #[must_use]
    pub fn of_letter(letter: &str) -> Option<MemoryKind> {
        [MemoryKind::W, MemoryKind::B, MemoryKind::O].into_iter().find(|kind| kind.letter() == letter)
    }
}

/// What an entry is about, which decides where it may go.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// The person.
    User,
    /// How to work, in every project.
    Global,
    /// One project.
    Project,
    /// Whatever the agent found worth keeping.
    Memory,
    /// How the agent is and speaks.
    Soul,
    /// What happened on a day.
    Log,
    /// Somebody, or a group: what it is, and its id.
    Profile {
        /// `user` or `group`.
        sort: String,
        /// The id.
        id: String,
    },
    /// What happened in a group, or with a user: nobody else is to hear of it.
    Event {
        /// The group's id.
        group: Option<String>,
        /// The user's.
        user: Option<String>,
    },
}

/// One thing that a system knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The system's name, as `MemorySystem::name` has it.
    pub system: &'static str,
    /// The file it stands in.
    pub path: PathBuf,
    /// Its line there, 1-based; 0 where the file has no lines.
    pub line: usize,
    /// A name for the entry that stays when its text changes, unique in its system; `None` where the text itself identifies
    /// it.
    pub id: Option<String>,
    /// What it says.
    pub text: String,
    /// What it is.
    pub kind: MemoryKind,
    /// The word for what it is, where the store has one of ours that is to stay: then the item has this one, and where it is
    /// empty, none.
    pub word: Option<String>,
    /// What it is about.
    pub about: About,
    /// The heading it stands under, or its store's name for it.
    pub heading: Option<String>,
    /// What it names: tags.
    pub entities: Vec<String>,
    /// When it was written down: `YYYY-MM-DD`, or a time with its zone. `None` where the store does not say.
    pub date: Option<String>,
    /// Who wrote it.
    pub author: Trust,
    /// How sure its author was, 0 to 1.
    pub confidence: Option<f64>,
    /// The project's directory, where that is known.
    pub project: Option<PathBuf>,
    /// Why a person has to say yes before it is used; `None` where nothing speaks against it.
    pub waits: Option<&'static str>,
}

impl Memory {
    /// An entry with what every reader knows; the other fields as for an undated note of an agent about the world.
    #[must_use]
    pub fn new(
        system: &'static str,
        path: impl Into<PathBuf>,
        line: usize,
        text: impl Into<String>,
    ) -> Memory {
        Memory {
            system,
            path: path.into(),
            line,
            id: None,
            text: text.into(),
            kind: MemoryKind::W,
            word: None,
            about: About::Memory,
            heading: None,
            entities: Vec::new(),
            date: None,
            author: Trust::Agent,
            confidence: None,
            project: None,
            waits: None,
        }
    }
}

/// Something that a reader saw and does not return.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// The system's name.
    pub system: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Its line there; 0 for the whole file.
    pub line: usize,
    /// Its text, or a name for it; empty where it must not be shown.
    pub what: String,
    /// Why.
    pub why: &'static str,
}

/// What a reader found.
#[derive(Debug, Default)]
pub struct FoundMemories {
    /// What it returns, in the order of files and lines.
    pub entries: Vec<Memory>,
    /// What it leaves out, and why.
    pub left_out: Vec<LeftOut>,
}

impl FoundMemories {
    /// Adds an entry, unless its text is empty.
    pub fn add(&mut self, entry: Memory) {
        if !entry.text.trim().is_empty() {
            self.entries.push(entry);
        }
    }

    /// Leaves something out, and says why.
    pub fn leave_out(
        &mut self,
        system: &'static str,
        path: impl Into<PathBuf>,
        line: usize,
        what: impl Into<String>,
        why: &'static str,
    ) {
        self.left_out.push(LeftOut { system, path: path.into(), line, what: what.into(), why });
    }
}
