//! Ids that content brings along: an item that is there keeps its own. A second one with that id would make it an item that nobody can
//! name any more.

use super::document::Document;
use super::item::Item;
use super::item_find;
use super::refusal::refuse;
use super::request::Edit;
use super::{Refusal, RefusalCode};

/// The ids in what a job writes, and how many items had each before.
pub(super) struct BroughtIds(Vec<(String, Owners)>);

#[derive(Clone, Copy)]
struct Owners {
    written: usize,
    /// Whether an item without one goes by it.
    derived: bool,
}

impl Owners {
    fn of(document: &Document, id: &str) -> Owners {
        let written = item_find::written_with(document, id).len();
        Owners { written, derived: item_find::goes_by(document, id) }
    }
}

impl BroughtIds {
    pub(super) fn before(document: &Document, edits: &[Edit<'_>]) -> BroughtIds {
        let contents = edits.iter().filter(|edit| !edit.operation.is_of_item());
        let lines = contents.filter_map(|edit| edit.content.as_deref()).filter(|text| text.contains('^'));
        let ids = lines.flat_map(str::lines).filter_map(|line| Item::read(line)?.id());
        let mut ids: Vec<String> = ids.map(str::to_owned).collect();
        ids.sort();
        ids.dedup();
        BroughtIds(
            ids.into_iter()
                .map(|id| {
                    let owners = Owners::of(document, &id);
                    (id, owners)
                })
                .collect(),
        )
    }

    /// Why the job is refused: an id is another item's.
    pub(super) fn doubled(&self, document: &Document) -> Option<Refusal> {
        let is_doubled = |(id, before): &&(String, Owners)| {
            let now = Owners::of(document, id);
            now.written > before.written && (now.written > 1 || before.derived && now.derived)
        };
        let (id, _) = self.0.iter().find(is_doubled)?;
        let lines = item_find::written_with(document, id).into_iter();
        Some(
            refuse(RefusalCode::ItemAmbiguous, format!("an item with the id {id} is there already"))
                .hint("leave the id out: a new item gets its own; `revise` says an item anew")
                .lines(lines.map(|place| document.line(place.bytes.start))),
        )
    }
}
