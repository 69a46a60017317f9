//! What `adopt` found in other agents' memories, what came of it, and what taking it back did; and what `export` wrote.

use queue_layout::JobId;
use serde::Serialize;
use std::path::PathBuf;

/// What was found, and what was taken over of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Adoption {
    /// The adoption's id, for taking it back; `None` where nothing was taken over.
    pub adoption: Option<String>,
    /// The systems that are in use here.
    pub systems: Vec<AdoptedSystem>,
    /// What is new or has changed, in the order it is shown.
    pub entries: Vec<AdoptedEntry>,
    /// How many entries are known already, from an earlier adoption or otherwise.
    pub known: usize,
    /// What is not taken over, and why.
    pub left_out: Vec<NotAdopted>,
    /// The knowledge bases that were added to the configuration for it.
    pub added: Vec<&'static str>,
    /// The jobs that take it over.
    pub jobs: Vec<JobId>,
}

/// A system that is in use here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdoptedSystem {
    /// Its name.
    pub system: &'static str,
    /// How people call it.
    pub title: &'static str,
    /// How many things it knows.
    pub entries: usize,
    /// How many of them are not shown, because there are too many at a time.
    pub beyond: usize,
    /// The earliest day that one of them is of.
    pub from: Option<String>,
    /// The latest.
    pub to: Option<String>,
}

/// One thing to take over.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdoptedEntry {
    /// `new`, or `changed` where an item of an earlier adoption is to say something else.
    pub state: &'static str,
    /// The item that changes.
    pub item: Option<String>,
    /// The item's line: kind, text, tags.
    pub text: String,
    /// The knowledge base it goes to.
    pub kb: String,
    /// When it was said, as far as the store knows; empty where it does not.
    pub said_at: String,
    /// Its keys, which tell it again.
    pub of: String,
    /// Where it stands.
    pub origins: Vec<AdoptedOrigin>,
    /// Why it will wait for a yes.
    pub waits: Option<&'static str>,
    /// What says the same with another number.
    pub contradicts: Option<String>,
}

/// Where a thing stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdoptedOrigin {
    /// The system's name.
    pub system: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Its line; 0 where it has none.
    pub line: usize,
}

/// Something that is not taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotAdopted {
    /// The system's name.
    pub system: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Its line; 0 for all of it.
    pub line: usize,
    /// Its text, where that may be shown.
    pub what: String,
    /// Why.
    pub why: String,
}

/// An adoption that is taken back.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AdoptionUndone {
    /// Its id.
    pub adoption: String,
    /// Documents that go back to their text of before; what was edited in them since stays.
    pub put_back: Vec<PathBuf>,
    /// Those of them that the adoption made: they go, if nobody else wrote into them.
    pub created: Vec<PathBuf>,
    /// Knowledge bases that the adoption added to `config.yaml`: those that nobody else uses go.
    pub lines: Vec<String>,
    /// Items that are retired, because more than the adoption changed their document since.
    pub retired: Vec<String>,
    /// Items that somebody edited since, and that stay.
    pub kept: Vec<KeptEdit>,
    /// Jobs that waited for a yes or had failed, and are ended.
    pub ended: Vec<JobId>,
    /// The jobs that take it back.
    pub jobs: Vec<JobId>,
}

/// A document that is managed where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ManagedInPlace {
    /// Its knowledge base.
    pub kb: String,
    /// The document.
    pub path: PathBuf,
    /// Whether the knowledge base was added for it.
    pub new: bool,
}

/// Files that other programs read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Items in them.
    pub items: usize,
    /// Tasks, which are not among them: no format has them.
    pub tasks: usize,
}

/// An item that stays although its adoption is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptEdit {
    /// Its id.
    pub item: String,
    /// What it says now.
    pub text: String,
}
