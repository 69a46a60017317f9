//! `insert_before`, `insert_after`: a new section right before or behind one that is there, of its level; `move`: a section, with those
//! below it, to another place among its siblings. Other sections' bytes stay as they are.

use super::address::{Address, Lookup};
use super::apply::{self, Applied, Facts, Request};
use super::body::{self, Follows};
use super::content::Content;
use super::document::{Document, Head};
use super::parse::{self, Events, Known};
use super::refusal::refuse;
use super::request::Edit;
use super::splice::{self, AllowedHeadings, Splice};
use super::text::{last_content_end, part, same_lines, with_line_ends, without_blank_edges};
use super::{ChangeKind, Create, Operation, Refusal, RefusalCode, Scope, base, create, machine};
use std::ops::Range;

/// Applies an `insert_before` or `insert_after`, and tells the address of the new section. A refusal leaves the document as it
/// was.
pub(super) fn insert(
    document: &mut Document,
    entry: &Edit<'_>,
    facts: &Facts,
) -> Result<(Applied, Vec<String>), Refusal> {
    let beside = Address::read(&entry.heading, entry.level)?;
    let raw = entry.content.as_deref().unwrap_or("");
    let mut heading = entry.heading.to_vec();
    heading.pop();
    heading.push(own_title(raw, entry.level)?);
    let address = Address::read(&heading, entry.level)?;
    let content = Content::read(raw, &address, Scope::Subtree)?;
    if let Ok(Lookup::Section(there)) = address.find(document) {
        let body = body::body(document, there, Scope::Subtree, None);
        if same_lines(document.slice(body.core), content.text()) {
            return Ok((apply::unchanged(document, there), heading));
        }
        return Err(taken(document, there));
    }
    let sibling = named(document, &beside, "insert beside")?;
    if entry.create == Create::Never || !facts.rules.create {
        let message = format!("`{}` is not there and may not be created", address.last().written);
        return Err(refuse(RefusalCode::SectionMissing, message).hint("allow `create`"));
    }
    let within = if facts.rules.machine_block { Some(machine::inside(document)?) } else { None };
    let synthetic = Edit { heading: heading.clone().into(), scope: Scope::Subtree, ..Edit::from(entry) };
    let request =
        Request { entry: &synthetic, address, content: None, within, made: None, leaves_needed: false };
    let before = entry.operation == Operation::InsertBefore;
    let undo = create::beside(document, &request, &content, sibling, before)?;
    let after = match request.address.find(document) {
        Ok(Lookup::Section(i)) => apply::own_hash(document, i),
        _ => None,
    };
    Ok((Applied { kind: ChangeKind::Created, before: None, after, undo: Some(undo), piece: None }, heading))
}

/// The heading that the content begins with.
fn own_title(raw: &str, level: u8) -> Result<String, Refusal> {
    let text = with_line_ends(raw.trim_start_matches('\u{feff}'), "\n");
    let text = without_blank_edges(&text);
    let scan = parse::scan(text, &Known::NOTHING, Events::None);
    let first = scan.headings.first().filter(|heading| heading.start == 0 && heading.level == level);
    let title = first.and_then(|heading| heading.forms.first());
    title.filter(|title| !title.is_empty()).map(ToString::to_string).ok_or_else(|| {
        let message = format!("the content does not begin with a heading of level {level}");
        let hashes = "#".repeat(level.into());
        refuse(RefusalCode::BadHeading, message)
            .hint(format!("begin it with `{hashes} ` and the new section's name"))
    })
}

/// The section that an address names, or that there is none.
fn named(document: &Document, address: &Address, to: &str) -> Result<usize, Refusal> {
    if address.level == 0 {
        return Err(refuse(RefusalCode::BadHeading, "the text before the first heading has no siblings")
            .hint("name a heading"));
    }
    match address.find(document)? {
        Lookup::Section(i) => Ok(i),
        Lookup::Missing => {
            let message =
                format!("there is no level {} heading `{}` to {to}", address.level, address.last().written);
            Err(refuse(RefusalCode::HeadingNotFound, message).hint("use a heading the document has"))
        }
    }
}

fn taken(document: &Document, there: usize) -> Refusal {
    let line = document.line(document.start_of(there));
    let title = document.head(there).map_or("", Head::title);
    refuse(
        RefusalCode::Ambiguous,
        format!("there is a heading `{title}` already, at line {line}, and it says something else"),
    )
    .hint("use another name, or `update` that section")
    .lines([line])
}

/// Where a section goes among its siblings.
enum Place {
    First,
    Last,
    Before(String),
    After(String),
}

impl Place {
    fn read(raw: &str) -> Result<Place, Refusal> {
        let text = raw.trim();
        let (word, title) = text.split_once(':').unwrap_or((text, ""));
        match (word.trim(), title.trim()) {
            ("first", "") => Ok(Place::First),
            ("last", "") => Ok(Place::Last),
            ("before", title) if !title.is_empty() && !title.contains('\n') => {
                Ok(Place::Before(title.to_owned()))
            }
            ("after", title) if !title.is_empty() && !title.contains('\n') => {
                Ok(Place::After(title.to_owned()))
            }
            _ => Err(refuse(RefusalCode::BadHeading, "the content does not say where to").hint(
                "write `first`, `last`, `before: <heading>` or `after: <heading>` of a section beside it",
            )),
        }
    }
}

/// Applies a `move`. A refusal leaves the document as it was.
pub(super) fn reorder(document: &mut Document, entry: &Edit<'_>, facts: &Facts) -> Result<Applied, Refusal> {
    let address = Address::read(&entry.heading, entry.level)?;
    let section = named(document, &address, "move")?;
    base::as_seen(document, section, entry, facts, str::to_owned)?;
    let place = Place::read(entry.content.as_deref().unwrap_or(""))?;
    let siblings = siblings(document, section);
    let at = siblings.iter().position(|other| *other == section).unwrap_or(0);
    let sibling = |title: &str| {
        let mut heading = entry.heading.to_vec();
        heading.pop();
        heading.push(title.to_owned());
        let other = named(document, &Address::read(&heading, entry.level)?, "move beside")?;
        siblings.iter().position(|sibling| *sibling == other).filter(|n| *n != at).ok_or_else(|| {
            refuse(RefusalCode::HeadingNotFound, format!("`{title}` is not beside the section that moves"))
                .hint("name another section below the same heading")
        })
    };
    // The index it has afterwards, among the others.
    let to = match &place {
        Place::First => 0,
        Place::Last => siblings.len() - 1,
        Place::Before(title) => sibling(title).map(|n| if n > at { n - 1 } else { n })?,
        Place::After(title) => sibling(title).map(|n| if n > at { n } else { n + 1 })?,
    };
    if to == at {
        return Ok(apply::unchanged(document, section));
    }
    let starts: Vec<usize> = siblings.iter().map(|i| block_start(document, *i)).collect();
    let last = siblings.last().copied().unwrap_or(section);
    let end = block_start(document, document.subtree_end(last));
    let start = |n: usize| starts.get(n).copied().unwrap_or(end);
    // Two neighbouring stretches change places.
    let (from, middle, until) = if to < at {
        (start(to), start(at), start(at + 1))
    } else {
        (start(at), start(at + 1), start(to + 1))
    };
    swap(document, (from, middle, until), &address, entry, facts)
}

/// The sections of this level below the same heading, in their order.
fn siblings(document: &Document, section: usize) -> Vec<usize> {
    let level = document.level(section);
    let parent = document.parent_of(section, level);
    let (from, until) = match parent {
        Some(parent) => (parent + 1, document.subtree_end(parent)),
        None => (0, document.sections.len()),
    };
    let beside = |i: &usize| document.level(*i) == level && document.parent_of(*i, level) == parent;
    (from..until).filter(beside).collect()
}

/// Where a section begins, with the anchors that stand right above its heading.
fn block_start(document: &Document, i: usize) -> usize {
    let Some(above) = i.checked_sub(1) else { return document.start_of(i) };
    let body = body::body(document, above, Scope::Own, None);
    if body.follows == Follows::Anchor { body.end } else { document.start_of(i) }
}

fn swap(
    document: &mut Document,
    (from, middle, until): (usize, usize, usize),
    address: &Address,
    entry: &Edit<'_>,
    facts: &Facts,
) -> Result<Applied, Refusal> {
    if facts.rules.machine_block {
        let inside = machine::inside(document)?;
        if from < inside.start || until > inside.end {
            return Err(machine::outside(document, from, &inside));
        }
    }
    if !document.is_closed() {
        return Err(refuse(
            RefusalCode::UnclosedBlockInDocument,
            "a fence, comment or raw HTML block is never closed",
        )
        .hint("close it in the document: it would swallow a section that moves behind it"));
    }
    let hash = |document: &Document| match address.find(document) {
        Ok(Lookup::Section(i)) => apply::own_hash(document, i),
        _ => None,
    };
    let before = hash(document);
    // The blank lines stay where they are: how sections are set apart is the document's, not theirs.
    let (first, gap) = split(document, from..middle);
    let (second, tail) = split(document, middle..until);
    let swapped = [&second, &gap, &first, &tail].map(String::as_str).concat();
    let said = |document: &Document, range: &Range<usize>| -> Vec<(u8, String, Option<String>)> {
        let inside = (0..document.sections.len()).filter(|i| range.contains(&document.start_of(*i)));
        let said = |i: usize| {
            let title = document.head(i)?.title().to_owned();
            let hash = apply::own_hash(document, i);
            Some((document.level(i), title, hash))
        };
        inside.filter_map(said).collect()
    };
    let wanted = [said(document, &(middle..until)), said(document, &(from..middle))].concat();
    let splice = Splice {
        range: from..until,
        with: swapped,
        zone: from..until,
        anchors: None,
        headings: AllowedHeadings::Below(entry.level.saturating_sub(1)),
        keeps_markers: true,
    };
    let undo = splice::make(document, &splice)?;
    let after = hash(document);
    if said(document, &(from..until)) == wanted && after == before {
        return Ok(Applied { kind: ChangeKind::Changed, before, after, undo: Some(undo), piece: None });
    }
    splice::take_back(document, undo);
    Err(refuse(RefusalCode::SideEffect, "the sections would not read the same in the other order")
        .hint("end each with a line of text, or move it by hand"))
}

/// A stretch without the blank lines at its end, and those.
fn split(document: &Document, range: Range<usize>) -> (String, String) {
    let text = document.slice(range);
    let end = last_content_end(text).unwrap_or(0);
    (part(text, 0..end).to_owned(), part(text, end..text.len()).to_owned())
}
