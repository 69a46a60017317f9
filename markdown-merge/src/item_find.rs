//! Where a document's items are: by id, by what they say, and all of them. Only lists at the top of a section hold items.

use super::body::{self, Body};
use super::document::Document;
use super::item::{Item, items};
use super::item_line::{derived_id, fold};
use super::item_text::ItemText;
use super::refusal::refuse;
use super::request::Stamp;
use super::said_again::says_all_of;
use super::struck::struck_blocks;
use super::{Refusal, RefusalCode, Scope};
use memchr::memmem;
use std::ops::Range;

/// An item of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundItem<'d> {
    /// The headings above it, outermost first; empty for text before the first heading.
    pub heading: Vec<String>,
    /// The level of the last one.
    pub level: u8,
    /// 1-based line of the document.
    pub line: usize,
    /// Where it stands, with everything below it.
    pub bytes: Range<usize>,
    /// What it says.
    pub item: Item<'d>,
    /// Whether it stands in a block that is struck out.
    pub in_struck: bool,
}

impl FoundItem<'_> {
    /// Whether it holds: it is live, and so is all around it.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.in_struck && self.item.is_live()
    }
}

/// The place of one item: its section, and its bytes in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemPlace {
    pub section: usize,
    pub bytes: Range<usize>,
}

impl ItemPlace {
    pub(super) fn item<'d>(&self, document: &'d Document) -> Option<Item<'d>> {
        Item::read(document.slice(self.bytes.clone()))
    }
}

/// All items that say something, in their order.
pub(super) fn all(document: &Document) -> Vec<FoundItem<'_>> {
    let mut found = Vec::new();
    let (mut line, mut counted) = (1, 0);
    let blocks = struck_blocks(document.text());
    for section in 0..document.sections.len() {
        let places = of_section(document, section);
        if places.is_empty() {
            continue;
        }
        let heading: Vec<String> = document.titles(section).into_iter().map(str::to_owned).collect();
        for (place, item) in places {
            line += memchr::memchr_iter(b'\n', document.slice(counted..place.bytes.start).as_bytes()).count();
            counted = place.bytes.start;
            let (heading, level) = (heading.clone(), document.level(section));
            let next = blocks.partition_point(|block| block.end <= place.bytes.start);
            let in_struck = blocks.get(next).is_some_and(|block| block.contains(&place.bytes.start));
            found.push(FoundItem { heading, level, line, bytes: place.bytes, item, in_struck });
        }
    }
    found
}

/// The items of one section.
fn of_section(document: &Document, section: usize) -> Vec<(ItemPlace, Item<'_>)> {
    let Body { start, core, .. } = body::body(document, section, Scope::Own, None);
    let text = document.slice(start..core.end);
    if !text.contains(['-', '*', '+', '.', ')']) {
        return Vec::new();
    }
    let places =
        items(text).into_iter().map(|at| ItemPlace { section, bytes: start + at.start..start + at.end });
    let read = places.filter_map(|place| Some((place.item(document)?, place)));
    read.filter(|(item, _)| !item.text().is_empty()).map(|(item, place)| (place, item)).collect()
}

/// The one item with this id, written or derived from its text.
pub(super) fn by_id(document: &Document, id: &str) -> Result<ItemPlace, Refusal> {
    let id = id.trim_start_matches('^');
    let mut found = written_with(document, id);
    if found.is_empty() {
        found = unnamed(document, id);
    }
    let mut lines = found.iter().map(|place| document.line(place.bytes.start));
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(refuse(RefusalCode::ItemNotFound, format!("no item has the id {id}")).hint(
            "look at the items of this document for its id; an item that was moved elsewhere keeps it",
        )),
        _ => Err(refuse(RefusalCode::ItemAmbiguous, format!("{} items have the id {id}", found.len()))
            .hint("take the id off the copy, or say in it what makes it another item")
            .lines(lines.by_ref())),
    }
}

/// Items that have none written behind them and go by this id.
fn unnamed(document: &Document, id: &str) -> Vec<ItemPlace> {
    saying(document, &|item: &Item| item.id().is_none() && derived_id(item.text()) == id)
}

/// Whether there is such an item.
pub(super) fn goes_by(document: &Document, id: &str) -> bool {
    !unnamed(document, id).is_empty()
}

/// The items that have this id written behind them.
pub(super) fn written_with(document: &Document, id: &str) -> Vec<ItemPlace> {
    let wanted = format!("^{id}");
    let mut sections: Vec<usize> =
        memmem::find_iter(document.text().as_bytes(), &wanted).map(|at| document.section_at(at)).collect();
    sections.dedup();
    let items = sections.into_iter().flat_map(|section| of_section(document, section));
    items.filter(|(_, item)| item.id() == Some(id)).map(|(place, _)| place).collect()
}

/// A live item that says all of this, and is no task that was done.
pub(super) fn live_saying(
    document: &mut Document,
    new: &ItemText,
    stamp: Option<&Stamp<'_>>,
) -> Option<ItemPlace> {
    let said = fold(&new.text);
    let mut memory = std::mem::take(&mut document.memory);
    let may = memory.may_say(document.text(), &said);
    document.memory = memory;
    let says = |item: &Item| item.is_live() && item.done() != Some(true) && fold(item.text()) == said;
    let places = if may { saying(document, &says) } else { Vec::new() };
    places.into_iter().find(|place| place.item(document).is_some_and(|item| says_all_of(&item, new, stamp)))
}

/// The items of which this is true. Sections are parsed only where a line of them alone says so.
fn saying(document: &Document, says: &dyn Fn(&Item) -> bool) -> Vec<ItemPlace> {
    let mut found = Vec::new();
    for section in 0..document.sections.len() {
        let text = document.slice(document.body_of(section)..document.start_of(section + 1));
        if text.lines().filter_map(Item::read).any(|item| says(&item)) {
            let items = of_section(document, section).into_iter();
            found.extend(items.filter(|(_, item)| says(item)).map(|(place, _)| place));
        }
    }
    found
}
