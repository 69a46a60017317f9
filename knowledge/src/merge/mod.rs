//! How a document takes in entries (MERGE.md): a pure function of the text, the entries and the facts of policy.

use crate::declaration::Entry;
use serde::{Deserialize, Serialize};

/// Facts of the document's knowledge base that bear on a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// False: a missing section is not created (`section_missing`).
    pub create: bool,
    /// True: only the text between `<!-- MACHINE_BLOCK_START -->` and `<!-- MACHINE_BLOCK_END -->` may change.
    pub machine_block: bool,
    /// True: an entry with `heading: [front matter key]`, level 0 … addresses front matter (see `front_matter`).
    pub front_matter: bool,
    /// Most bytes the document may have afterwards; `None` for no limit. Ops that shrink are always allowed.
    pub bytes_max: Option<usize>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { create: true, machine_block: false, front_matter: false, bytes_max: None }
    }
}

/// A document taking in one job after another; each job's entries apply whole or not at all.
#[derive(Debug)]
pub struct Merger {
    text: String,
}

/// What became of one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// The section, as in the declaration (ancestors … heading).
    pub heading: Vec<String>,
    /// Its level.
    pub level: u8,
    /// `sha256:<hex>` of the section's own text before, when it existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// `sha256:<hex>` of the section's own text after, when it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// What happened to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Nothing changed: the document said it already, or there was nothing to remove.
    Unchanged,
    /// The section was made.
    Created,
    /// Its text changed (update, append, replace).
    Changed,
    /// Its text went.
    Cleared,
    /// It went.
    Deleted,
    /// A three-way merge with a person's change.
    Merged,
}

/// Why entries could not be merged. Nothing of their job was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Stable `snake_case` code, e.g. `ambiguous`, `content_has_heading`, `conflict`.
    pub code: String,
    /// What was found, where; lower case, no full stop.
    pub message: String,
    /// What the author can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Index of the entry within its job; `None` when the document itself is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// 1-based lines of the document that are concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<usize>,
    /// For `conflict`: the three texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
}

/// The three sides of a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The section its author saw, where it is still known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The section as it is now; `None` when it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// What the entry wants it to be.
    pub wanted: String,
}

impl Merger {
    /// Opens a document.
    ///
    /// # Errors
    /// `not_utf8` or `lone_cr` when the bytes are not a document we can edit without risk.
    pub fn open(bytes: &[u8]) -> Result<Self, Refusal> {
        let _ = bytes;
        Ok(Merger { text: String::new() })
    }

    /// Applies the entries of one job, all of them or none. `base_text` answers a `base` hash with the section text
    /// it stands for, where an earlier version still has it.
    ///
    /// # Errors
    /// A refusal leaves the document as it was before the call.
    pub fn apply(
        &mut self,
        entries: &[Entry],
        rules: &Rules,
        base_text: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<Change>, Refusal> {
        let _ = (entries, rules, base_text);
        Ok(Vec::new())
    }

    /// The document as it now is, BOM included.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}
