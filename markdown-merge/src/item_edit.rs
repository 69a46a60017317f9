//! Operations on items: `add`, `revise`, `supersede`, `retire`, `restore`, `check`, `uncheck`, `purge`. Each is one splice of bytes inside its item or right
//! behind it; the list is read again afterwards, and must hold the same items but for that one.

use super::address::{Address, Lookup};
use super::apply::{self, Applied, Facts};
use super::body::{self, Body};
use super::document::{Document, Head};
use super::growing_list;
use super::item::{Item, items, shown};
use super::item_find::{self, ItemPlace};
use super::item_line::{PURGED, derived_id};
use super::item_text::ItemText;
use super::parse::{self, Events, Kind, Known};
use super::piece::{self, ChangedPiece};
use super::refusal::refuse;
use super::request::{Edit, Stamp};
use super::splice::{self, AllowedHeadings, Splice, Undo};
use super::text::part;
use super::{ChangeKind, Conflict, ITEM, ItemChange, Operation, Refusal, RefusalCode, Scope, machine};

/// Where an item is, and what became of it.
pub(super) struct OfItem {
    /// The headings above it, and the level of the last one.
    pub heading: Vec<String>,
    pub level: u8,
    pub change: ItemChange,
}

type Done = Result<(Applied, Option<OfItem>), Refusal>;

/// Applies one entry. A refusal leaves the document as it was.
pub(super) fn entry(document: &mut Document, entry: &Edit<'_>, facts: &Facts) -> Done {
    if entry.operation == Operation::Add {
        return add(document, entry, facts);
    }
    let id = match &*entry.heading {
        [first, id] if entry.level == 0 && first == ITEM => id.as_str(),
        _ => {
            let message = format!("`{}` needs the id of an item", entry.operation.as_str());
            return Err(refuse(RefusalCode::ItemNotFound, message).hint("name it as `key: {item: <id>}`"));
        }
    };
    let place = item_find::by_id(document, id)?;
    match ItemBefore::of(document, &place).wanted(document, entry)? {
        Wanted::Same(change) => Ok(unchanged(document, &place, change)),
        Wanted::Text(text, change) => {
            let before = section_hash(document, place.section);
            let piece = piece_of(document.slice(place.bytes.clone()), &text, entry);
            let undo = match replace(document, &place, &text, facts) {
                Err(refusal) if entry.operation == Operation::Purge => {
                    loosely(document, &place, &text, facts).ok_or(refusal)?
                }
                other => other?,
            };
            let after = section_hash(document, place.section);
            let applied = Applied { kind: ChangeKind::Changed, before, after, undo: Some(undo), piece };
            Ok((applied, Some(of_item(document, &place, change))))
        }
    }
}

/// An item before and after; of one that took the place of another, that one, which was not there before. Of what was purged nothing is
/// kept, not even its hash.
fn piece_of(before: &str, text: &str, entry: &Edit<'_>) -> Option<ChangedPiece> {
    let mut found = items(text).into_iter();
    match entry.operation {
        Operation::Purge => None,
        Operation::Supersede => Some(ChangedPiece::of(None, part(text, found.nth(1)?))),
        _ => Some(ChangedPiece::of(Some(before), part(text, found.next()?))),
    }
}

/// What an operation makes of an item.
enum Wanted {
    Same(ItemChange),
    /// The whole item, and a new one behind it where one takes its place.
    Text(String, ItemChange),
}

/// An item that is there, with what an operation needs to know of where.
struct ItemBefore {
    text: String,
    /// The day that is the heading's, or empty.
    day: String,
    eol: &'static str,
}

impl ItemBefore {
    fn of(document: &Document, place: &ItemPlace) -> ItemBefore {
        let text = document.slice(place.bytes.clone()).to_owned();
        let day = document.head(place.section).map_or("", Head::title).to_owned();
        ItemBefore { text, day, eol: document.line_end_for(place.section) }
    }

    fn wanted(&self, document: &Document, entry: &Edit<'_>) -> Result<Wanted, Refusal> {
        let Some(item) = Item::read(&self.text) else {
            return Err(refuse(RefusalCode::ItemNotFound, "the item is none").hint("name another one"));
        };
        match entry.operation {
            Operation::Revise => self.revised(&item, entry),
            Operation::Supersede => self.superseded(document, &item, entry),
            Operation::Retire if !item.is_live() => Ok(Wanted::Same(change(&item))),
            Operation::Retire => {
                self.as_seen(&item, entry, None)?;
                let day = entry.stamp.as_ref().map_or("", Stamp::day);
                let field = if day.is_empty() { "del=1".to_owned() } else { format!("del={day}") };
                Ok(Wanted::Text(item.struck_out(&field), change(&item)))
            }
            Operation::Check | Operation::Uncheck => self.checked(&item, entry),
            Operation::Purge if item.is_purged() => Ok(Wanted::Same(change(&item))),
            Operation::Purge => {
                self.as_seen(&item, entry, None)?;
                Ok(Wanted::Text(item.tombstone(entry.stamp.as_ref()), change(&item)))
            }
            Operation::Restore if item.is_purged() => is_live(&item).map(|()| Wanted::Same(change(&item))),
            Operation::Restore if item.is_live() => Ok(Wanted::Same(change(&item))),
            // Which of its signs strike it out, only who wrote them knows.
            Operation::Restore if item.is_struck_by_hand() && !item.is_marked() => {
                is_live(&item).map(|()| Wanted::Same(change(&item)))
            }
            _ => {
                self.as_seen(&item, entry, None)?;
                Ok(Wanted::Text(item.given_back(), change(&item)))
            }
        }
    }

    fn checked(&self, item: &Item<'_>, entry: &Edit<'_>) -> Result<Wanted, Refusal> {
        let done = entry.operation == Operation::Check;
        let Some(text) = item.checked(done) else {
            return Err(refuse(RefusalCode::BadItem, format!("the item {} is no task", item.known_as()))
                .hint("a task begins with `[ ]` behind its bullet"));
        };
        is_live(item)?;
        if item.done() == Some(done) {
            return Ok(Wanted::Same(change(item)));
        }
        self.as_seen(item, entry, Some(&text))?;
        Ok(Wanted::Text(text, change(item)))
    }

    fn revised(&self, item: &Item<'_>, entry: &Edit<'_>) -> Result<Wanted, Refusal> {
        let text = ItemText::read(entry.content.as_deref().unwrap_or(""))?;
        is_live(item)?;
        if text.is(item) {
            let Some(surely) = entry.stamp.as_ref().and_then(|stamp| item.as_sure_as(stamp)) else {
                return Ok(Wanted::Same(change(item)));
            };
            self.as_seen(item, entry, Some(&surely))?;
            return Ok(Wanted::Text(surely, change(item)));
        }
        let anew = item.said_anew(&text, entry.stamp.as_ref(), &self.day, self.eol);
        self.as_seen(item, entry, Some(&anew))?;
        // What takes the place of the lines below as well was said by somebody who saw them.
        if !text.below.is_empty() && !item.below().trim().is_empty() && !self.is_whole(item, entry) {
            return Err(self.changed(entry, Some(&anew)));
        }
        let was = Some([item.task, item.kind, item.text].concat());
        Ok(Wanted::Text(anew, ItemChange { was, ..change(item) }))
    }

    fn superseded(&self, document: &Document, item: &Item<'_>, entry: &Edit<'_>) -> Result<Wanted, Refusal> {
        let text = ItemText::read(entry.content.as_deref().unwrap_or(""))?;
        let id = entry.stamp.as_ref().map_or_else(|| derived_id(&text.text), |stamp| stamp.id.to_string());
        let by_this = item.field("sup").is_some_and(|by| by.trim_start_matches('^') == id);
        let replaced = Some(item.known_as());
        if by_this || !item_find::written_with(document, &id).is_empty() {
            return Ok(Wanted::Same(ItemChange { id, replaced, was: None, same_as: false }));
        }
        is_live(item)?;
        if text.is(item) {
            return Ok(Wanted::Same(ItemChange { same_as: true, ..change(item) }));
        }
        let kind = if text.kind.is_empty() { item.kind.to_owned() } else { text.kind.clone() };
        let new = ItemText { kind, ..text }.written(item.bullet, entry.stamp.as_ref(), &self.day, self.eol);
        self.as_seen(item, entry, Some(&new))?;
        let old = item.struck_out(&format!("sup=^{id}"));
        let both = [old.as_str(), self.eol, &new].concat();
        Ok(Wanted::Text(both, ItemChange { id, replaced, was: None, same_as: false }))
    }

    /// Compare-and-set: the item must be what its author saw, where they say what that was.
    fn as_seen(&self, item: &Item<'_>, entry: &Edit<'_>, wanted: Option<&str>) -> Result<(), Refusal> {
        let line = [item.task, item.strike, item.kind, item.text, item.strike_end].concat();
        let said = [item.kind, item.text].concat();
        let forms = [item.text, &said, &line, self.text.lines().next().unwrap_or(""), &self.text];
        let old = entry.old_text.as_deref().map(words_of);
        let seen = old
            .is_none_or(|old| forms.iter().any(|form| words_of(form) == old) || self.is_whole(item, entry));
        let based = entry.base.as_deref().is_none_or(|hash| piece::is_base(hash, &self.text));
        if seen && based {
            return Ok(());
        }
        Err(self.changed(entry, wanted))
    }

    /// Whether its author names no text, or all of it.
    fn is_whole(&self, item: &Item<'_>, entry: &Edit<'_>) -> bool {
        let Some(old) = entry.old_text.as_deref() else { return true };
        let below = shown(item.below());
        let forms =
            [item.text, &[item.kind, item.text].concat()].map(|line| words_of(&format!("{line} {below}")));
        let old = words_of(&shown(old));
        forms.contains(&old) || words_of(&shown(&self.text)) == old
    }

    fn changed(&self, entry: &Edit<'_>, wanted: Option<&str>) -> Refusal {
        refuse(RefusalCode::Conflict, "the item changed since its author saw it")
            .hint("look at both texts, then keep the document's side, take the job's, or edit it")
            .conflict(Conflict {
                base: entry.old_text.as_deref().map(str::to_owned),
                current: Some(self.text.clone()),
                wanted: wanted.unwrap_or_default().to_owned(),
            })
    }
}

/// The words of an item without its bullet, a blank between them.
fn words_of(text: &str) -> String {
    text.trim_start_matches("- ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn change(item: &Item<'_>) -> ItemChange {
    ItemChange { id: item.known_as(), replaced: None, was: None, same_as: false }
}

fn is_live(item: &Item<'_>) -> Result<(), Refusal> {
    if item.is_live() {
        return Ok(());
    }
    let id = item.known_as();
    let refusal = match item.field("sup") {
        Some(by) => {
            let by = by.trim_start_matches('^');
            let message = format!("the item {id} is no longer live: {by} took its place");
            refuse(RefusalCode::ItemNotLive, message).hint(format!("name {by} instead"))
        }
        None if item.is_purged() => refuse(
            RefusalCode::ItemNotLive,
            format!("the item {id} was purged: nobody has its text any more"),
        )
        .hint("add a new item"),
        None if item.is_struck_by_hand() => {
            refuse(RefusalCode::ItemNotLive, format!("the item {id} was struck out by hand"))
                .hint("take its strokes out in the document, or add a new item")
        }
        None => refuse(RefusalCode::ItemNotLive, format!("the item {id} is retired"))
            .hint("restore it first, or add a new item"),
    };
    Err(refusal)
}

fn add(document: &mut Document, entry: &Edit<'_>, facts: &Facts) -> Done {
    let text = ItemText::read(entry.content.as_deref().unwrap_or(""))?;
    let stamp = entry.stamp.as_ref();
    let id = stamp.map_or_else(|| derived_id(&text.text), |stamp| stamp.id.to_string());
    let change = |id: String, same_as| ItemChange { id, replaced: None, was: None, same_as };
    if let Some(place) =
        stamp.and_then(|stamp| item_find::written_with(document, &stamp.id).into_iter().next())
    {
        return Ok(unchanged(document, &place, change(id, false)));
    }
    let occurs = stamp.is_some_and(|stamp| stamp.occurs);
    if let Some(place) = (!occurs).then(|| item_find::live_saying(document, &text, stamp)).flatten() {
        let other = place.item(document).map_or(id, |item| item.known_as());
        return Ok(unchanged(document, &place, change(other, true)));
    }
    let day = stamp.map_or("", Stamp::day);
    let heading = if entry.heading.is_empty() && entry.level > 0 {
        vec![day.to_owned()]
    } else {
        entry.heading.to_vec()
    };
    let section = match Address::read(&heading, entry.level)?.find(document)? {
        Lookup::Section(i) => Some(i),
        Lookup::Missing => None,
    };
    let bullet = section.map_or("- ", |i| bullet_of(document, i));
    let title = section.and_then(|i| document.head(i)).map_or("", Head::title);
    let title = if section.is_none() { heading.last().map_or("", String::as_str) } else { title };
    let written = text.written(bullet, stamp, title, "\n");
    let append = Edit {
        heading: heading.clone().into(),
        operation: Operation::Append,
        content: Some(written.as_str().into()),
        stamp: None,
        ..Edit::from(entry)
    };
    let mut applied = apply::of_section(document, &append, facts)?;
    let found = Address::read(&heading, entry.level)?.find(document)?;
    let Lookup::Section(section) = found else { return Ok((applied, None)) };
    let body = body::body(document, section, Scope::Own, None);
    let is_item = || {
        let lf = super::text::with_line_ends(document.slice(body.start..body.end), "\n");
        items(&lf).into_iter().any(|at| part(&lf, at) == written)
    };
    let stands = growing_list::last_item(document, section) == Some(&written) || is_item();
    if let Some(undo) = applied.undo.take_if(|_| !stands) {
        splice::take_back(document, undo);
        return Err(side_effect(document, document.start_of(section)));
    }
    applied.piece = applied.undo.is_some().then(|| ChangedPiece::of(None, &written));
    let place = ItemPlace { section, bytes: body.core };
    Ok((applied, Some(of_item(document, &place, change(id, false)))))
}

/// The bullet of the list a section ends with, so that an item more goes on with it.
fn bullet_of(document: &Document, section: usize) -> &'static str {
    let first_of_list = || {
        let Body { start, core, .. } = body::body(document, section, Scope::Own, None);
        let text = document.slice(start..core.end);
        let scan = parse::scan(text, &Known::NOTHING, Events::Places);
        let last = scan.events.iter().rev().find(|event| event.depth == 0);
        let list = last.filter(|event| event.kind == Kind::List)?;
        part(text, list.start..text.len()).trim_start().chars().next()
    };
    let last = growing_list::last_item(document, section).and_then(|item| item.chars().next());
    match last.or_else(first_of_list) {
        Some('*') => "* ",
        Some('+') => "+ ",
        _ => "- ",
    }
}

/// Puts `new` in the place of an item.
fn replace(document: &mut Document, place: &ItemPlace, new: &str, facts: &Facts) -> Result<Undo, Refusal> {
    let within = if facts.rules.machine_block { Some(machine::inside(document)?) } else { None };
    let outside =
        |inside: &&std::ops::Range<usize>| place.bytes.start < inside.start || place.bytes.end > inside.end;
    if let Some(inside) = within.as_ref().filter(outside) {
        return Err(machine::outside(document, place.bytes.start, inside));
    }
    let body = body::body(document, place.section, Scope::Own, None);
    apply::closed_at_end(document, &body)?;
    let mut blocks = body::blocks_in_core(document, &body).into_iter();
    if let Some(block) = blocks.find(|block| block.start < place.bytes.end && place.bytes.start < block.end) {
        return Err(apply::marker_block(document, block.start));
    }
    let old = document.slice(place.bytes.clone()).to_owned();
    let expected = with_items(document, &body, place, new);
    // Only what differs is exchanged, and only the item may come to mean something else.
    let ahead = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let ahead =
        (0..=ahead).rev().find(|at| old.is_char_boundary(*at) && new.is_char_boundary(*at)).unwrap_or(0);
    let splice = Splice {
        range: place.bytes.start + ahead..place.bytes.end,
        with: part(new, ahead..new.len()).to_owned(),
        zone: place.bytes.clone(),
        anchors: None,
        headings: AllowedHeadings::None,
        keeps_markers: true,
    };
    let undo = splice::make(document, &splice)?;
    let body = body::body(document, place.section, Scope::Own, None);
    let text = document.slice(body.start..body.core.end);
    let now: Vec<&str> = items(text).into_iter().map(|at| part(text, at)).collect();
    if now == expected && apply::closed_at_end(document, &body).is_ok() {
        return Ok(undo);
    }
    splice::take_back(document, undo);
    Err(side_effect(document, place.bytes.start))
}

/// A tombstone in the place of an item whose blank lines made its list a loose one: the other items must stay what they were.
fn loosely(document: &mut Document, place: &ItemPlace, tombstone: &str, facts: &Facts) -> Option<Undo> {
    let eol = document.line_end_for(place.section);
    let line = tombstone.trim_end_matches(['\r', '\n']);
    let end = part(tombstone, line.len()..tombstone.len()).to_owned();
    let indent = " ".repeat(Item::read(line)?.bullet.len());
    let forms = [format!("{line}{end}{eol}"), format!("{line}{eol}{eol}{indent}{PURGED}{end}")];
    forms.iter().find_map(|form| replace(document, place, form, facts).ok())
}

/// The items of a section with `new`, one item or two, in the place of one.
fn with_items(document: &Document, body: &Body, place: &ItemPlace, new: &str) -> Vec<String> {
    let text = document.slice(body.start..body.core.end);
    let mut expected = Vec::new();
    for at in items(text) {
        if body.start + at.start == place.bytes.start {
            expected.extend(items(new).into_iter().map(|at| part(new, at).to_owned()));
        } else {
            expected.push(part(text, at).to_owned());
        }
    }
    expected
}

fn side_effect(document: &Document, at: usize) -> Refusal {
    let line = document.line(at);
    refuse(RefusalCode::SideEffect, format!("the list at line {line} would not read as before"))
        .hint("say it in one plain line, or edit that list by hand")
        .lines([line])
}

fn unchanged(document: &Document, place: &ItemPlace, change: ItemChange) -> (Applied, Option<OfItem>) {
    let hash = section_hash(document, place.section);
    let applied =
        Applied { kind: ChangeKind::Unchanged, before: hash.clone(), after: hash, undo: None, piece: None };
    (applied, Some(of_item(document, place, change)))
}

fn section_hash(document: &Document, section: usize) -> Option<String> {
    apply::hash_of(document, &body::body(document, section, Scope::Own, None))
}

fn of_item(document: &Document, place: &ItemPlace, change: ItemChange) -> OfItem {
    let heading = document.titles(place.section).into_iter().map(str::to_owned).collect();
    OfItem { heading, level: document.level(place.section), change }
}
