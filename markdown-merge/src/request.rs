//! What is asked of a document: one change to one section, addressed by its headings.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// The first text of the address of a front matter key: `[front matter, <key>]` at level 0.
pub const FRONT_MATTER: &str = "front matter";

/// The first text of the address of an item: `[item, <id>]` at level 0.
pub const ITEM: &str = "item";

/// One change to one section. Its texts are borrowed from whoever asks, or owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<'e> {
    /// Ancestors … heading: one text where that is enough. For level 0 empty, `[front matter, <key>]` or `[item, <id>]`. For
    /// `add`, empty at another level means the day of the stamp.
    pub heading: Cow<'e, [String]>,
    /// 1–6; 0 is the preamble (the text before the first heading).
    pub level: u8,
    /// What is done to the section.
    pub operation: Operation,
    /// The new text: for `update`, `append` (not blank) and `replace` (may be empty); `None` for the others.
    pub content: Option<Cow<'e, str>>,
    /// For `replace`: the text that `content` takes the place of.
    pub old_text: Option<Cow<'e, str>>,
    /// For `replace`: how often the section holds `old_text`; all of them are replaced. Once where it is not said.
    pub expect: Option<u32>,
    /// Whether sub-headings belong to the section the operation is about.
    pub scope: Scope,
    /// Whether a missing section is created.
    pub create: Create,
    /// `sha256:<hex>` of the section its author saw (see [`crate::hash`]); `None` when the author saw none.
    pub base: Option<Cow<'e, str>>,
    /// What is written beside a new or revised item; nothing where it is not given.
    pub stamp: Option<Stamp<'e>>,
    /// For a `replace` or `rename` of what is not there: whether that was done before, where it is known; else the document decides.
    pub made: Option<bool>,
}

/// Who says an item and when: what is written into its comment, and the id of a new one. Never taken from the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp<'e> {
    /// The id of a new item: [`crate::item::id_of`] of what makes it the same again when the edit is repeated.
    pub id: Cow<'e, str>,
    /// When it was said, by the speaker's calendar: `2026-02-16T14:30+08:00`.
    pub at: Cow<'e, str>,
    /// `c`, `by`, `s`, `until`, `of` … with their values, in the order they are written.
    pub fields: Vec<(&'static str, String)>,
    /// Whether a new item is something that happened: two of one wording are two.
    pub occurs: bool,
}

impl Stamp<'_> {
    /// The day it was said on.
    pub(super) fn day(&self) -> &str {
        self.at.split('T').next().unwrap_or("")
    }
}

impl<'e> Edit<'e> {
    /// An edit of this section that may create it; content, old text and base are still to be given.
    #[must_use]
    pub fn new(heading: impl Into<Cow<'e, [String]>>, level: u8, operation: Operation) -> Self {
        Edit {
            heading: heading.into(),
            level,
            operation,
            content: None,
            old_text: None,
            expect: None,
            scope: Scope::Own,
            create: Create::Section,
            base: None,
            stamp: None,
            made: None,
        }
    }
}

impl<'e> From<&'e Edit<'_>> for Edit<'e> {
    fn from(edit: &'e Edit<'_>) -> Self {
        Edit {
            heading: Cow::Borrowed(&edit.heading),
            content: edit.content.as_deref().map(Cow::Borrowed),
            old_text: edit.old_text.as_deref().map(Cow::Borrowed),
            base: edit.base.as_deref().map(Cow::Borrowed),
            stamp: edit.stamp.clone(),
            ..*edit
        }
    }
}

/// What is done to a section (MERGE.md, Semantics).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Nothing; kept so that an agent can say "I looked, and it stands".
    NoOp,
    /// The section's text becomes the content; created where missing.
    Update,
    /// The content is added at the section's end; created where missing.
    Append,
    /// `old_text` becomes the content, where it stands: once, or as often as `expect` says.
    Replace,
    /// The text goes, the heading stays.
    Clear,
    /// Heading and text go.
    Delete,
    /// An item is added at the end of a section, which is made where it is missing. A live item that says the same is enough.
    Add,
    /// An item gets another text; its id stays.
    Revise,
    /// An item is struck out, and a new one takes its place below it.
    Supersede,
    /// An item is struck out.
    Retire,
    /// An item that was struck out is live again, as it was.
    Restore,
    /// A task is done.
    Check,
    /// A task is not done.
    Uncheck,
    /// A section gets another heading: the content.
    Rename,
    /// The content is added at the section's beginning, right below its heading; created where missing.
    Prepend,
    /// A row of the section's table, known by its first cell: in the place of the one that is there, else behind the last one.
    #[serde(rename = "upsert_row")]
    UpsertRow,
    /// An item of the section's list, known by what stands before its first colon: it gets the new text, else comes behind the
    /// last one.
    #[serde(rename = "upsert_item")]
    UpsertItem,
    /// A new section, with its heading, right before the one that is named.
    #[serde(rename = "insert_before")]
    InsertBefore,
    /// The same right behind it and the sections below it.
    #[serde(rename = "insert_after")]
    InsertAfter,
    /// A section goes to another place among its siblings: `first`, `last`, `before: <heading>`, `after: <heading>`.
    Move,
    /// A value is added to a list in the front matter, where it is not there.
    #[serde(rename = "add_value")]
    AddValue,
    /// A value is taken out of a list in the front matter.
    #[serde(rename = "remove_value")]
    RemoveValue,
    /// The text of an item goes for good: a tombstone with its id is left. For a person only.
    Purge,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 23] = [
        Operation::NoOp,
        Operation::Update,
        Operation::Append,
        Operation::Replace,
        Operation::Clear,
        Operation::Delete,
        Operation::Add,
        Operation::Revise,
        Operation::Supersede,
        Operation::Retire,
        Operation::Restore,
        Operation::Check,
        Operation::Uncheck,
        Operation::Rename,
        Operation::Prepend,
        Operation::UpsertRow,
        Operation::UpsertItem,
        Operation::InsertBefore,
        Operation::InsertAfter,
        Operation::Move,
        Operation::AddValue,
        Operation::RemoveValue,
        Operation::Purge,
    ];

    /// The words for them, in the same order.
    pub const WORDS: [&'static str; Operation::ALL.len()] = {
        let mut words = [""; Operation::ALL.len()];
        let mut at = 0;
        while at < words.len() {
            words[at] = Operation::ALL[at].as_str();
            at += 1;
        }
        words
    };

    /// Whether it is about one item of a list, not about a section.
    #[must_use]
    pub fn is_of_item(self) -> bool {
        self == Operation::Add || self.is_of_known_item()
    }

    /// Whether it is about an item that is there already.
    #[must_use]
    pub fn is_of_known_item(self) -> bool {
        use Operation::{Check, Purge, Restore, Retire, Revise, Supersede, Uncheck};
        matches!(self, Revise | Supersede | Retire | Restore | Check | Uncheck | Purge)
    }

    /// Whether it has content that is no item's text; there must be some.
    #[must_use]
    pub fn writes_text(self) -> bool {
        use Operation::{Append, Prepend, Rename, Update, UpsertItem, UpsertRow};
        matches!(self, Update | Append | Prepend | Rename | UpsertRow | UpsertItem)
            || self.is_beside()
            || self == Operation::Move
            || self.is_of_value()
    }

    /// Whether it makes a section beside the one that is named.
    #[must_use]
    pub fn is_beside(self) -> bool {
        matches!(self, Operation::InsertBefore | Operation::InsertAfter)
    }

    /// Whether it is about one value of a list in the front matter.
    #[must_use]
    pub fn is_of_value(self) -> bool {
        matches!(self, Operation::AddValue | Operation::RemoveValue)
    }

    /// Whether its content is the text of an item.
    #[must_use]
    pub fn writes_item(self) -> bool {
        matches!(self, Operation::Add | Operation::Revise | Operation::Supersede)
    }

    /// The word for it in declarations and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Operation::NoOp => "no-op",
            Operation::Update => "update",
            Operation::Append => "append",
            Operation::Replace => "replace",
            Operation::Clear => "clear",
            Operation::Delete => "delete",
            Operation::Add => "add",
            Operation::Revise => "revise",
            Operation::Supersede => "supersede",
            Operation::Retire => "retire",
            Operation::Restore => "restore",
            Operation::Check => "check",
            Operation::Uncheck => "uncheck",
            Operation::Rename => "rename",
            Operation::Prepend => "prepend",
            Operation::UpsertRow => "upsert_row",
            Operation::UpsertItem => "upsert_item",
            Operation::InsertBefore => "insert_before",
            Operation::InsertAfter => "insert_after",
            Operation::Move => "move",
            Operation::AddValue => "add_value",
            Operation::RemoveValue => "remove_value",
            Operation::Purge => "purge",
        }
    }
}

/// Whether a missing section is created. In a declaration `false`, `true` or `ancestors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Create {
    /// Never.
    Never,
    /// Below a parent that is there.
    #[default]
    Section,
    /// With the parents it names that are missing.
    Ancestors,
}

impl Create {
    /// The word for [`Create::Ancestors`].
    pub const ANCESTORS: &'static str = "ancestors";

    /// The word for it in declarations.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Create::Never => "false",
            Create::Section => "true",
            Create::Ancestors => Create::ANCESTORS,
        }
    }
}

impl From<bool> for Create {
    fn from(create: bool) -> Self {
        if create { Create::Section } else { Create::Never }
    }
}

impl Serialize for Create {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Create::Ancestors => serializer.serialize_str(Create::ANCESTORS),
            other => serializer.serialize_bool(*other == Create::Section),
        }
    }
}

impl<'de> Deserialize<'de> for Create {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Bool(bool),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Bool(create) => Ok(create.into()),
            Written::Word(word) if word == Create::ANCESTORS => Ok(Create::Ancestors),
            Written::Word(word) => Err(D::Error::custom(format!("`{word}` is not true, false or ancestors"))),
        }
    }
}

/// Whether sub-headings belong to the section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Up to the next heading of any level, so that parent and child are different keys.
    #[default]
    Own,
    /// Up to the next heading of the same or a higher rank.
    Subtree,
}
