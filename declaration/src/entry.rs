//! The checked form of what an agent says: a declaration and its entries. What it looks like in YAML and JSON, and
//! every rule it is held to, is `reading`'s subject; a value of these types has passed them.

use crate::occasion::Occasion;
use crate::target::Target;
use crate::trust::Trust;
use markdown_merge::{Create, Edit, FRONT_MATTER, ITEM, Operation, Scope};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The version of the declaration format this build speaks.
pub const VERSION: &str = "1.0.0";

/// A set of changes an agent asks for, for one or several documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// Who says it, free text (by convention `session_<date>-<id>`); empty when not given.
    pub source: String,
    /// The changes, in the order declared.
    pub entries: Vec<Entry>,
    /// Which of them have a content and name no operation, so that they replace or empty their section: their author may
    /// not know that. Not written down: in a job every operation is named.
    pub unnamed: Vec<usize>,
}

impl Declaration {
    /// The same with the operation that its author means where none was named: `append` adds, anything else replaces.
    pub fn mean(&mut self, operation: Operation) {
        for n in self.unnamed.drain(..) {
            if let Some(entry) = self.entries.get_mut(n).filter(|_| operation == Operation::Append) {
                // To add nothing is to change nothing.
                entry.operation = entry.content.as_ref().map_or(Operation::NoOp, |_| Operation::Append);
            }
        }
    }
}

/// One change to one section of one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Which section of which document.
    pub key: Key,
    /// What is done to it.
    pub operation: Operation,
    /// The new text. `Some` and not blank for `update`, `append`, `add`, `revise`, `supersede`; `Some` (maybe empty) for
    /// `replace`; else `None`.
    pub content: Option<String>,
    /// For `replace`: the text that `content` takes the place of. For operations on an item that is there: what its author saw
    /// it say. `None` for every other operation.
    pub old_text: Option<String>,
    /// For `replace`: how often the section holds `old_text`; all of them are replaced. Once where it is not said.
    pub expect: Option<u32>,
    /// Whether sub-headings belong to the section the operation is about.
    pub scope: Scope,
    /// Whether a missing section is created.
    pub create: Create,
    /// `sha256:<hex>` of the section its author saw.
    pub base: Option<String>,
    /// Why, and how sure.
    pub meta: Meta,
}

/// The address of a section.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which document.
    pub target: Target,
    /// Ancestors … heading: one text where that is enough. For level 0 empty, `[front matter, <key>]` or `[item, <id>]`. For
    /// `add` it may be empty at another level: the day it is said on.
    pub heading: Vec<String>,
    /// 1–6; 0 is the preamble (the text before the first heading).
    pub level: u8,
}

/// What an author says about an entry; kept and shown, never merged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// How sure the author is, 0–1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why it is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where its author has it from; never more trusted than the author itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// `YYYY-MM-DD`: from that day on somebody should look whether it still holds. Nothing is deleted by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_by: Option<String>,
    /// Who "I" is in what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Who "you", "he" or "she" is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Where "here" is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What the author said, where `content` is that with relative words resolved. Ours to set: what a declaration says
    /// here is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// When an item was said, by its author's calendar: `2026-02-16T14:30+08:00`; a day alone, or nothing, where no more is known.
    /// Ours to set, like `said`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_at: Option<String>,
    /// What an item was made from: the keys of its origins, with commas between them. Ours to set, like `said`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The project it was said in, where it goes into a document that all projects share: sessions of others are not shown it.
    /// Ours to set, like `said`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The hash of what stood where the entry writes when it was declared, `none` where nothing did, and behind `@` that of the document:
    /// for an update that names no base. Of a `replace` how often its texts stood there, of a `rename` the hash of the section's text.
    /// Ours to set, like `said`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
    /// Who changed what its author said, where a person did that (`resolve --edit`). Ours to set, like `said`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_by: Option<String>,
    /// The id of the item it writes, where that is not the one its place in its job gives it: the job was proposed again, or lost an entry,
    /// and its author knows the item by the first one. Ours to set, like `said`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// What an event happened in. Ours to set, like `said`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occasion: Option<Occasion>,
}

impl Key {
    /// The id of the item it means, where it means one.
    #[must_use]
    pub fn item(&self) -> Option<&str> {
        match self.heading.as_slice() {
            [first, id] if self.level == 0 && first == ITEM => Some(id),
            _ => None,
        }
    }
}

impl Entry {
    /// An entry that changes nothing.
    #[must_use]
    pub fn no_op(key: Key) -> Entry {
        Entry {
            key,
            operation: Operation::NoOp,
            content: None,
            old_text: None,
            expect: None,
            scope: Scope::Own,
            create: Create::Never,
            base: None,
            meta: Meta::default(),
        }
    }
}

/// What a merge is asked for by an entry. Which document it is about, and why, is no part of that.
impl<'e> From<&'e Entry> for Edit<'e> {
    fn from(entry: &'e Entry) -> Self {
        Edit {
            heading: Cow::Borrowed(&entry.key.heading),
            level: entry.key.level,
            operation: entry.operation,
            content: entry.content.as_deref().map(Cow::Borrowed),
            old_text: entry.old_text.as_deref().map(Cow::Borrowed),
            expect: entry.expect,
            scope: entry.scope,
            create: entry.create,
            base: entry.base.as_deref().map(Cow::Borrowed),
            stamp: None,
            made: None,
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.heading.as_slice() {
            [] if self.level > 0 => write!(f, "the items of {}", self.target),
            [] => write!(f, "the text before the first heading of {}", self.target),
            [first, key] if self.level == 0 && first == FRONT_MATTER => {
                write!(f, "`{key}` in the front matter of {}", self.target)
            }
            [_, id] if self.item().is_some() => write!(f, "item `{id}` of {}", self.target),
            parts => write!(
                f,
                "`{} {}` of {}",
                "#".repeat(usize::from(self.level)),
                parts.join(" > "),
                self.target
            ),
        }
    }
}
