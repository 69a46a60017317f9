//! The piece of a section that an edit takes the place of: an item, or a row of a table. What somebody else wrote in it since the
//! author saw it is not to be taken out, whatever became of the rest of the section.

use super::address::{Address, Lookup};
use super::apply;
use super::body;
use super::document::Document;
use super::item_find;
use super::request::Edit;
use super::table_row::Upsert;
use super::text::{part, with_line_ends};
use super::{ITEM, Operation, RefusalCode, base, list_item, table_row};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Hexadecimal digits of a piece's hash that are kept in a change.
const DIGITS: usize = 16;

/// What an entry put in the place of what. Hashes (`sha256:` and 16 digits), of texts without blanks at their ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedPiece {
    /// What stood there; nothing where the piece is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What stands there now.
    pub after: String,
}

impl ChangedPiece {
    pub(super) fn of(before: Option<&str>, after: &str) -> ChangedPiece {
        let short = |text: &str| shortened(&hash(text)).to_owned();
        ChangedPiece { before: before.map(short), after: short(after) }
    }
}

/// What an author sees of the place that an edit writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenPiece {
    /// `sha256:<hex>` of the piece, without blanks at its ends; `None` where there is none yet.
    pub piece: Option<String>,
    /// `sha256:<hex>` of the own text of the section around it; `None` where that is not there.
    pub section: Option<String>,
}

/// A hash as changes keep it of a piece.
#[must_use]
pub fn shortened(hash: &str) -> &str {
    hash.get(..hash.find(':').map_or(0, |at| at + 1) + DIGITS).unwrap_or(hash)
}

fn hash(text: &str) -> String {
    base::hash(text.trim())
}

/// Whether `base` stands for this item, whatever blank lines it has at its end.
pub(super) fn is_base(base: &str, item: &str) -> bool {
    base::is_hash_of(base, item) || base::is_hash_of(base, item.trim())
}

/// The piece that this edit would take the place of; `None` where it is about none, or cannot be made.
pub(super) fn seen(document: &Document, edit: &Edit<'_>) -> Option<SeenPiece> {
    if let [first, id] = &*edit.heading
        && edit.level == 0
        && first == ITEM
    {
        let place = match item_find::by_id(document, id) {
            Ok(place) => place,
            Err(refusal) if refusal.code == RefusalCode::ItemNotFound => {
                return Some(SeenPiece { piece: None, section: None });
            }
            Err(_) => return None,
        };
        let piece = Some(hash(document.slice(place.bytes)));
        return Some(SeenPiece { piece, section: apply::own_hash(document, place.section) });
    }
    let find = match edit.operation {
        Operation::UpsertRow => table_row::find,
        Operation::UpsertItem => list_item::find,
        _ => return None,
    };
    let Lookup::Section(i) = Address::read(&edit.heading, edit.level).ok()?.find(document).ok()? else {
        return Some(SeenPiece { piece: None, section: None });
    };
    let body = body::body(document, i, edit.scope, None);
    let core = with_line_ends(document.slice(body.core.clone()), "\n");
    let at = match find(&core, edit.content.as_deref()?) {
        Ok(Upsert::Done(at) | Upsert::At(at, _)) => part(&core, at),
        Err(_) => "",
    };
    Some(SeenPiece { piece: (!at.is_empty()).then(|| hash(at)), section: apply::hash_of(document, &body) })
}

/// The piece that a row or an item with a key takes the place of, and that itself. `core`: the section's text, LF.
pub(super) fn of_upsert(
    operation: Operation,
    core: &str,
    at: &Range<usize>,
    new: &str,
) -> Option<ChangedPiece> {
    let is_upsert = matches!(operation, Operation::UpsertRow | Operation::UpsertItem);
    let old = Some(part(core, at.clone())).filter(|old| !old.is_empty());
    is_upsert.then(|| ChangedPiece::of(old, new))
}
