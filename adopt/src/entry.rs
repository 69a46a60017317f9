//! What a reader returns: entries with their origin, and what it left out with the reason.

use declaration::Trust;
use serde::Serialize;
use std::path::PathBuf;

/// The kind of an entry.
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
    /// Its letter in an item.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            MemoryKind::W => "W",
            MemoryKind::B => "B",
            MemoryKind::O => "O",
        }
    }

    /// The kind with this letter.
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
    /// Rules of work in every project.
    Global,
    /// One project.
    Project,
    /// Anything else that the agent found worth keeping.
    Memory,
    /// The agent's character and way of speaking.
    Soul,
    /// The events of a day.
    Log,
    /// A user or a group.
    Profile {
        /// `user` or `group`.
        sort: String,
        /// The id.
        id: String,
    },
    /// An event in a group or with a user, which must not be told to anybody else.
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
    /// The file it was found in.
    pub path: PathBuf,
    /// Its line there, from 1; 0 in a file without lines.
    pub line: usize,
    /// A name for the entry that stays the same when its text changes, unique in its system. `None` if the entry is identified by
    /// its text.
    pub id: Option<String>,
    /// Its text.
    pub text: String,
    /// Its kind.
    pub kind: MemoryKind,
    /// A kind as a word of our own format, for stores that were exported from a home: the item keeps it as it is. An empty word
    /// means an item without a kind.
    pub word: Option<String>,
    /// Whether a home exported it: then it is an item of ours, with the lines below it, and is taken over as it was.
    pub exported: bool,
    /// Its subject.
    pub about: About,
    /// The heading above it, or its category in the store.
    pub heading: Option<String>,
    /// Names in it, which become tags.
    pub entities: Vec<String>,
    /// When it was written: `YYYY-MM-DD`, or a time with its zone. `None` if the store does not say.
    pub date: Option<String>,
    /// Who wrote it.
    pub author: Trust,
    /// How sure its author was, 0 to 1.
    pub confidence: Option<f64>,
    /// The directory of its project, if that is known.
    pub project: Option<PathBuf>,
    /// Why a person must approve it before it is used; `None` if nobody has to.
    pub waits: Option<&'static str>,
}

impl Memory {
    /// An entry with the fields that every reader knows. The others are those of an undated note of an agent about the world.
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
            exported: false,
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

    /// The entry as the word of this author, as far as an adoption believes that: what is from further away than an agent waits.
    #[must_use]
    pub(crate) fn said_by(self, author: Trust) -> Memory {
        let waits = match author {
            Trust::Web => Some("it is from the web"),
            Trust::Tool => Some("it is from a tool"),
            Trust::Agent | Trust::User => self.waits,
        };
        Memory { author: author.min(Trust::Agent), waits, ..self }
    }
}

/// Something that a reader found and does not return.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct LeftOut {
    /// The system's name.
    pub system: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Its line there, from 1; 0 for the whole file.
    pub line: usize,
    /// Its text or its name; empty if it must not be shown.
    pub what: String,
    /// Why.
    pub why: &'static str,
}

/// What a reader found.
#[derive(Debug, Default)]
pub struct FoundMemories {
    /// The entries, in the order of files and lines.
    pub entries: Vec<Memory>,
    /// What was left out, and why.
    pub left_out: Vec<LeftOut>,
}

impl FoundMemories {
    /// Adds an entry if its text is not empty.
    pub fn add(&mut self, entry: Memory) {
        if !entry.text.trim().is_empty() {
            self.entries.push(entry);
        }
    }

    /// Records that something was left out, and why.
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
