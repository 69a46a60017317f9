//! The sections that an edit with `scope: subtree` takes out and puts in: who declared a change of one of them before it was merged saw
//! what stood there then.

use super::address::{Address, Lookup};
use super::apply;
use super::document::Document;
use super::piece::shortened;
use super::request::Edit;
use super::{ChangeKind, Scope};
use serde::{Deserialize, Serialize};

/// How many sections a change says at most; of more it says none.
const SECTIONS_MAX: usize = 1_000;

/// The sections of a subtree before and after: a hash of the own text of each (`sha256:` and 16 digits), in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedSections {
    /// What stood there.
    pub before: Vec<String>,
    /// What stands there now.
    pub after: Vec<String>,
}

/// The sections that an edit with `scope: subtree` is about, as they are before it.
pub(super) struct Below(Vec<String>);

/// None where the edit is about one section alone, or about very many.
pub(super) fn sections(document: &Document, edit: &Edit<'_>) -> Option<Below> {
    (edit.scope == Scope::Subtree).then(|| of(document, edit)).flatten().map(Below)
}

impl Below {
    /// With what became of them.
    pub(super) fn changed(
        self,
        document: &Document,
        edit: &Edit<'_>,
        kind: ChangeKind,
    ) -> Option<Box<ChangedSections>> {
        let after = || if kind == ChangeKind::Deleted { Some(Vec::new()) } else { of(document, edit) };
        let is_told = kind != ChangeKind::Unchanged && !self.0.is_empty();
        Some(Box::new(ChangedSections { before: self.0, after: is_told.then(after).flatten()? }))
    }
}

fn of(document: &Document, edit: &Edit<'_>) -> Option<Vec<String>> {
    let Lookup::Section(i) = Address::read(&edit.heading, edit.level).ok()?.find(document).ok()? else {
        return Some(Vec::new());
    };
    let all = i..document.subtree_end(i);
    let hash = |i| Some(shortened(&apply::own_hash(document, i)?).to_owned());
    (all.len() <= SECTIONS_MAX).then(|| all.filter_map(hash).collect())
}
