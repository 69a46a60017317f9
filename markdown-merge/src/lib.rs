//! What a section of a Markdown document is, and how a document takes in changes to its sections: a pure function of the
//! text, the edits and the rules. Usable alone: it knows no file, no clock and no other type of this workspace.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod address;
mod append;
mod apply;
mod base;
mod body;
mod bounds;
mod budget;
mod content;
mod create;
mod document;
mod front_matter;
mod front_matter_key;
mod front_matter_list;
mod growing_list;
mod headings;
pub mod item;
mod item_edit;
mod item_find;
mod item_ids;
mod item_line;
mod item_said;
mod item_shown;
mod item_text;
mod links;
mod list_item;
mod listing;
mod machine;
mod marker;
mod memory;
mod parse;
mod piece;
mod plain;
pub mod purged;
pub mod readable;
mod rebase_edit;
mod refusal;
mod rename;
mod replace;
mod request;
pub mod rollback;
mod said_again;
mod sibling;
mod signed;
mod splice;
mod struck;
mod subtree;
mod table_row;
mod text;
mod title;
mod verify;

pub use bounds::HEADINGS_MAX;
pub use budget::{chars, tokens};
use document::Document;
pub use headings::Headings;
pub use item_find::FoundItem;
pub use listing::Section;
pub use piece::{ChangedPiece, SeenPiece, shortened};
pub use rebase_edit::{Rebased, nearest, rebase_edit};
pub use refusal::RefusalCode;
pub use replace::TextsThere;
pub use request::{Create, Edit, FRONT_MATTER, ITEM, Operation, Scope, Stamp};
use serde::{Deserialize, Serialize};
pub use subtree::ChangedSections;

/// Facts of the document's knowledge base that bear on a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// False: a missing section is not created (`section_missing`).
    pub create: bool,
    /// True: only the text between `<!-- MACHINE_BLOCK_START -->` and `<!-- MACHINE_BLOCK_END -->` may change.
    pub machine_block: bool,
    /// True: what stands in the machine block is made from another document, so a new section goes under none of its headings.
    pub block_is_made: bool,
    /// True: an entry with `heading: ["front matter", <key>]` and level 0 sets that key of YAML front matter.
    pub front_matter: bool,
    /// Most bytes the document may have afterwards; `None` for no limit. Ops that shrink are always allowed.
    pub bytes_max: Option<usize>,
    /// Most characters, as a reader counts them (grapheme clusters), the document may have afterwards. As for
    /// `bytes_max`, what shrinks is always allowed.
    pub chars_max: Option<usize>,
    /// The same in tokens of a language model, by estimate.
    pub tokens_max: Option<usize>,
    /// Most characters any one section may have afterwards, without those below it.
    pub section_chars_max: Option<usize>,
    /// Which sections may change, by their headings and those above them.
    pub headings: Headings,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            create: true,
            machine_block: false,
            block_is_made: false,
            front_matter: false,
            bytes_max: None,
            chars_max: None,
            tokens_max: None,
            section_chars_max: None,
            headings: Headings::default(),
        }
    }
}

/// A document taking in one job after another; each job's entries apply whole or not at all.
#[derive(Debug)]
pub struct Merger {
    document: Document,
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
    /// What happened to the item, where the entry was about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Box<ItemChange>>,
    /// What the section is called now, where the entry renamed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed: Option<Box<RenamedHeading>>,
    /// What took the place of what, where the entry wrote an item that was there, or a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<Box<ChangedPiece>>,
    /// Which sections took the place of which, where the entry was about a section with all below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<Box<ChangedSections>>,
}

impl Change {
    /// The section under the name that it has since: a renamed one under its new heading.
    #[must_use]
    pub fn called_since(&self) -> Vec<String> {
        let mut called = self.heading.clone();
        if let (Some(renamed), Some(last)) = (&self.renamed, called.last_mut()) {
            last.clone_from(&renamed.to);
        }
        called
    }
}

/// A heading that was renamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenamedHeading {
    /// The new heading.
    pub to: String,
    /// Lines of the document with links that lead to the old one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<usize>,
    /// `sha256:<hex>` of the section's own text below the new heading; older versions did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// What happened to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemChange {
    /// Its id; after `add` and `supersede` that of the new item, or of the one that said the same before.
    pub id: String,
    /// After `supersede`: the id of the item whose place it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// What the item said before, where that is no longer in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Whether another item said the same, so that none was added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_as: bool,
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
    /// Its heading is another one now: the old one is no section's any more.
    Renamed,
}

/// Why entries could not be merged. Nothing of their job was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Why, as a value that callers can compare.
    pub code: RefusalCode,
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
    pub conflict: Option<Box<Conflict>>,
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
    /// `not_utf8` or `lone_cr` when the bytes are not a document we can edit without risk; `too_large` when it has more than
    /// [`HEADINGS_MAX`] headings or so much markup that reading it would take hundreds of megabytes.
    pub fn open(bytes: &[u8]) -> Result<Self, Refusal> {
        Ok(Merger { document: Document::open(bytes)? })
    }

    /// Applies the edits of one job, all of them or none. `base_text` answers a `base` hash with the section text
    /// it stands for, where an earlier version still has it.
    ///
    /// # Errors
    /// A refusal leaves the document as it was before the call.
    pub fn apply<'e, E: Into<Edit<'e>>>(
        &mut self,
        edits: impl IntoIterator<Item = E>,
        rules: &Rules,
        base_text: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<Change>, Refusal> {
        let edits: Vec<Edit<'_>> = edits.into_iter().map(Into::into).collect();
        self.apply_all(&edits, rules, base_text)
    }

    fn apply_all(
        &mut self,
        entries: &[Edit<'_>],
        rules: &Rules,
        base_text: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<Change>, Refusal> {
        let facts = apply::Facts { rules, base_text };
        let before = self.document.text().len();
        let headings_before = self.document.sections.len() - 1;
        let measured = budget::Before::of(&self.document, rules);
        let guard = headings::Guard::before(&self.document, rules);
        let ids = item_ids::BroughtIds::before(&self.document, entries);
        let mut undos = Vec::new();
        let mut changes = Vec::with_capacity(entries.len());
        let mut refused = None;
        for (i, entry) in entries.iter().enumerate() {
            match self.apply_one(entry, &facts) {
                Ok((change, undo)) => {
                    undos.extend(undo);
                    changes.push(change);
                }
                Err(refusal) => {
                    refused = Some(Refusal { entry: Some(i), ..refusal });
                    break;
                }
            }
        }
        let refused = refused
            .or_else(|| too_large(before, self.document.text().len(), rules))
            .or_else(|| {
                let headings = self.document.sections.len() - 1;
                (headings > headings_before.max(HEADINGS_MAX)).then(|| bounds::too_many_headings(headings))
            })
            .or_else(|| measured.exceeded(&self.document, rules))
            .or_else(|| guard.and_then(|guard| guard.changed(&self.document)))
            .or_else(|| ids.doubled(&self.document));
        match refused {
            None => Ok(changes),
            Some(refusal) => {
                for undo in undos.into_iter().rev() {
                    splice::take_back(&mut self.document, undo);
                }
                Err(refusal)
            }
        }
    }

    /// One edit: what became of it, and how it is taken back.
    fn apply_one(
        &mut self,
        entry: &Edit<'_>,
        facts: &apply::Facts<'_>,
    ) -> Result<(Change, Option<splice::Undo>), Refusal> {
        let document = &mut self.document;
        let below = subtree::sections(document, entry);
        let (mut heading, mut level) = (entry.heading.to_vec(), entry.level);
        let (mut item, mut renamed) = (None, None);
        let applied = match entry.operation {
            of_item if of_item.is_of_item() => {
                let (applied, about) = item_edit::entry(document, entry, facts)?;
                if let Some(about) = about {
                    (heading, level) = (about.heading, about.level);
                    item = Some(Box::new(about.change));
                }
                applied
            }
            Operation::Rename => {
                let (applied, to) = rename::entry(document, entry, facts)?;
                renamed = to.map(Box::new);
                applied
            }
            beside if beside.is_beside() => {
                let (applied, made) = sibling::insert(document, entry, facts)?;
                heading = made;
                applied
            }
            Operation::Move => sibling::reorder(document, entry, facts)?,
            _ => apply::entry(document, entry, facts)?,
        };
        let apply::Applied { kind, before, after, undo, piece } = applied;
        let sections = below.and_then(|below| below.changed(document, entry, kind));
        let piece = piece.map(Box::new);
        Ok((Change { kind, heading, level, before, after, item, renamed, piece, sections }, undo))
    }

    /// Reads the text anew, from a heading before the first edit on, and compares it with what is known of it from the edits: a
    /// last look before a document is written. Once for many jobs is enough.
    ///
    /// # Errors
    /// `index_differs`, which is a bug of ours; the text must not be written.
    pub fn verify(&self) -> Result<(), Refusal> {
        if verify::reads_as_known(&self.document) {
            return Ok(());
        }
        Err(refusal::refuse(RefusalCode::IndexDiffers, "the merged document does not read as the edits said")
            .hint("nothing was written; please report the document and the declaration"))
    }

    /// The document's sections in their order, with places and hashes.
    #[must_use]
    pub fn sections(&self) -> Vec<Section> {
        listing::sections(&self.document)
    }

    /// The hash of the value that a key of the front matter has: what `base` says of an operation on it. `None` where it has none, or
    /// the front matter cannot be read.
    #[must_use]
    pub fn front_matter_hash(&self, key: &str) -> Option<String> {
        front_matter_key::hash_of(&self.document, key)
    }

    /// The value that a key of the front matter has on its line, as it is written. `None` where it has none there, or the front matter
    /// cannot be read.
    #[must_use]
    pub fn front_matter_value(&self, key: &str) -> Option<&str> {
        front_matter_key::value_of(&self.document, key)
    }

    /// The items at the top of the document's lists, in their order.
    #[must_use]
    pub fn items(&self) -> Vec<FoundItem<'_>> {
        item_find::all(&self.document)
    }

    /// The whole text of the item with this id; `None` where none or several have it. Its hash is what `base` says of an
    /// operation on it.
    #[must_use]
    pub fn item_text(&self, id: &str) -> Option<&str> {
        self.one_item(id).ok()
    }

    /// The same, and why there is no one such item.
    ///
    /// # Errors
    /// `item_not_found`, `item_ambiguous`.
    pub fn one_item(&self, id: &str) -> Result<&str, Refusal> {
        Ok(self.document.slice(item_find::by_id(&self.document, id)?.bytes))
    }

    /// What an edit of an item, a row or an item with a key would take the place of, for [`Edit::base`] to hold against what is there
    /// later. `None` for other edits.
    #[must_use]
    pub fn seen_piece(&self, edit: &Edit<'_>) -> Option<SeenPiece> {
        piece::seen(&self.document, edit)
    }

    /// How often the texts of a `replace` stand in its section, nowhere where that is missing. `None` for other edits.
    #[must_use]
    pub fn texts_there(&self, edit: &Edit<'_>) -> Option<TextsThere> {
        apply::texts_there(&self.document, edit)
    }

    /// The hash of what a section says below its heading; `None` where there is no such section.
    #[must_use]
    pub fn body_hash(&self, heading: &[String], level: u8) -> Option<String> {
        let section = self.section_text(heading, level, Scope::Own).ok().flatten()?;
        let own = sections(section).ok()?.into_iter().find(|found| found.level == level)?;
        Some(hash(section.get(own.body)?))
    }

    /// The text of the section an address means (heading and body, no blank lines at the edges); `None` when it is
    /// not there. With `Scope::Own` its hash is what an entry's `base` says.
    ///
    /// # Errors
    /// The same as for an entry with this address: `ambiguous`, `level_mismatch`, `near_match`, `bad_heading` …
    pub fn section_text(&self, heading: &[String], level: u8, scope: Scope) -> Result<Option<&str>, Refusal> {
        listing::text(&self.document, heading, level, scope)
    }

    /// What stands in the machine block, without blank lines at its edges.
    ///
    /// # Errors
    /// There is no such block, or several.
    pub fn machine_block(&self) -> Result<&str, Refusal> {
        Ok(self.document.slice(machine::inside(&self.document)?).trim())
    }

    /// Where its inside stands, in bytes of the text.
    ///
    /// # Errors
    /// There is no such block, or several.
    pub fn machine_block_bytes(&self) -> Result<std::ops::Range<usize>, Refusal> {
        machine::inside(&self.document)
    }

    /// Puts a text into the machine block, as it is: everything around it stays, byte for byte. What sections changed. Budgets and headings
    /// are held as they are in any edit.
    ///
    /// # Errors
    /// There is no such block or several, the text would end it, or a rule forbids what it makes of the document.
    pub fn replace_machine_block(&mut self, text: &str, rules: &Rules) -> Result<Vec<Change>, Refusal> {
        let whole = machine::replaced(&self.document, text)?;
        let after = Merger { document: Document::open(whole.as_bytes())? };
        // A second parse: the block must hold the text and nothing but it.
        let same =
            |one: &str, other: &str| one.lines().map(str::trim_end).eq(other.lines().map(str::trim_end));
        if !same(after.machine_block()?, text.trim()) {
            return Err(refusal::refuse(
                RefusalCode::MachineBlockOrder,
                "the text would end the machine block",
            ));
        }
        let refused = budget::Before::of(&self.document, rules).exceeded(&after.document, rules);
        let guard = || headings::Guard::before(&self.document, rules)?.changed(&after.document);
        if let Some(refusal) = refused.or_else(guard) {
            return Err(refusal);
        }
        let changes = rollback::changes(self, &after);
        *self = after;
        Ok(changes)
    }

    /// The document as it now is, BOM included.
    #[must_use]
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// The same, for who has no other use for the document.
    #[must_use]
    pub fn into_text(self) -> String {
        self.document.into_text()
    }
}

/// The sections of a text that is not to be changed.
///
/// # Errors
/// `lone_cr`, as for [`Merger::open`].
pub fn sections(text: &str) -> Result<Vec<Section>, Refusal> {
    Ok(Merger::open(text.as_bytes())?.sections())
}

/// The text of one section of a text that is not to be changed.
///
/// # Errors
/// As for [`Merger::open`] and [`Merger::section_text`].
pub fn section_text(text: &str, heading: &[String], level: u8) -> Result<Option<String>, Refusal> {
    let merger = Merger::open(text.as_bytes())?;
    Ok(merger.section_text(heading, level, Scope::Own)?.map(str::to_owned))
}

/// Whether two texts name one heading, spelling aside (case, spaces, punctuation).
#[must_use]
pub fn is_same_heading(one: &str, other: &str) -> bool {
    one == other || title::fold(one) == title::fold(other)
}

/// `sha256:<hex>` of a text: what `base` is when the text is a section its author saw.
#[must_use]
pub fn hash(text: &str) -> String {
    base::hash(text)
}

/// A job may not make a document larger than its limit; what shrinks one that is too large already is welcome.
fn too_large(before: usize, after: usize, rules: &Rules) -> Option<Refusal> {
    let limit = rules.bytes_max.filter(|limit| after > *limit && after > before)?;
    let message =
        format!("the document would have {after} bytes, its limit is {limit} (it has {before} now)");
    Some(
        refusal::refuse(RefusalCode::TooLarge, message)
            .hint("say it in fewer words, or clear what is no longer needed"),
    )
}
