//! Where a new section goes and how its heading is written.

use super::address::{Ancestors, Lookup, Step};
use super::apply::Request;
use super::body::{self, Follows};
use super::content::Content;
use super::document::Document;
use super::parse::{self, Known};
use super::refusal::refuse;
use super::splice::{self, AllowedHeadings, Splice, Undo};
use super::text::{self, with_line_ends};
use super::{Refusal, RefusalCode, machine, marker};
use crate::{Create, Scope};
use std::ops::Range;

/// Where a new section is put.
struct InsertionPoint {
    at: usize,
    follows: Follows,
    /// The first section behind it.
    next: usize,
}

/// Makes the section at the end of its parent's, exactly where the next heading begins, so that deleting it gives
/// back the same bytes.
pub(super) fn section(
    document: &mut Document,
    request: &Request,
    content: &Content,
) -> Result<Undo, Refusal> {
    let Ancestors { parent, missing } = match request.entry.create {
        Create::Ancestors => request.address.ancestors(document, request.made.as_ref())?,
        _ => Ancestors {
            parent: request.address.parent(document, request.made.as_ref())?,
            missing: Vec::new(),
        },
    };
    let place = place(document, parent, request.within.as_ref())?;
    at_place(document, request, content, (parent, &place), missing)
}

/// Makes the section right before a sibling, or right behind it and those below it.
pub(super) fn beside(
    document: &mut Document,
    request: &Request,
    content: &Content,
    sibling: usize,
    before: bool,
) -> Result<Undo, Refusal> {
    let parent = document.parent_of(sibling, request.address.level);
    let (of, scope) =
        if before { (sibling.saturating_sub(1), Scope::Own) } else { (sibling, Scope::Subtree) };
    let body = body::body(document, of, scope, None);
    let place = InsertionPoint { at: body.end, follows: body.follows, next: body.next };
    if place.follows == Follows::Marker
        && let Some(at) = marker::trailing_anchors(document.slice(body.start..body.end))
    {
        let message = "an anchor above a marker would become that of the new heading";
        return Err(refuse(RefusalCode::SideEffect, message)
            .hint("put the section behind another one, or the anchor below the marker")
            .lines([document.line(body.start + at)]));
    }
    if let Some(inside) =
        request.within.as_ref().filter(|inside| place.at < inside.start || place.at > inside.end)
    {
        return Err(machine::outside(document, place.at, inside));
    }
    at_place(document, request, content, (parent, &place), Vec::new())
}

fn at_place(
    document: &mut Document,
    request: &Request,
    content: &Content,
    (parent, place): (Option<usize>, &InsertionPoint),
    missing: Vec<(&Step, u8)>,
) -> Result<Undo, Refusal> {
    let top = missing.first().map_or(request.address.level, |(_, level)| *level);
    stays_under(document, top, parent, place)?;
    closed_before(document, place)?;
    let last = (request.address.last(), request.address.level);
    let lines = missing.into_iter().chain([last]).map(|(step, level)| heading_line(step, level));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    let edit = insertion(document, place, (request, top), &lines, content);
    let undo = splice::make(document, &edit)?;
    reads_back(document, request, content, undo)
}

fn place(
    document: &Document,
    parent: Option<usize>,
    within: Option<&Range<usize>>,
) -> Result<InsertionPoint, Refusal> {
    let sections = document.sections.len();
    let end = document.text().len();
    let place = match parent {
        Some(parent) => {
            let body = body::body(document, parent, Scope::Subtree, None);
            InsertionPoint { at: body.end, follows: body.follows, next: body.next }
        }
        None => InsertionPoint { at: end, follows: Follows::End, next: sections },
    };
    match within {
        // The parent may stand above the block: what is new still goes into it.
        Some(inside) if place.at > inside.end => {
            let next = document.sections.partition_point(|s| s.start < inside.end);
            Ok(InsertionPoint { at: inside.end, follows: Follows::Marker, next })
        }
        Some(inside) if place.at < inside.start => Err(machine::outside(document, place.at, inside)),
        _ => Ok(place),
    }
}

/// The new heading must be a child of the parent it was declared with, else its address would not find it again.
fn stays_under(
    document: &Document,
    level: u8,
    parent: Option<usize>,
    place: &InsertionPoint,
) -> Result<(), Refusal> {
    let actual = document.parent_of(place.next, level);
    let shallow_enough = (0..place.next).rev().find(|i| document.level(*i) > 0).map(|i| document.level(i));
    if actual == parent || (parent.is_none() && shallow_enough.is_none()) {
        return Ok(());
    }
    let between = actual.unwrap_or(0);
    let message = format!("a level {level} heading there would belong to {}", document.place(between));
    Err(refuse(RefusalCode::LevelMismatch, message)
        .hint(format!("use level {} or name that heading as the parent", document.level(between).max(1)))
        .lines([document.line(document.start_of(between))]))
}

/// Behind a fence or comment that is never closed, the new heading would be code.
fn closed_before(document: &Document, place: &InsertionPoint) -> Result<(), Refusal> {
    if place.follows != Follows::End || document.is_closed() {
        return Ok(());
    }
    let line = document.line(document.start_of(document.last_section()));
    let message = format!("a fence, comment or raw HTML block below line {line} is never closed");
    Err(refuse(RefusalCode::UnclosedBlockInDocument, message)
        .hint("close it in the document: a new section behind it would become part of it")
        .lines([line]))
}

/// The heading's line, written so that it reads back as the text that was asked for.
pub(super) fn heading_line(step: &Step, level: u8) -> Result<String, Refusal> {
    let hashes = "#".repeat(level.into());
    let plain = format!("{hashes} {}", step.written);
    let escaped = escape_closing_hashes(&step.written).map(|text| format!("{hashes} {text}"));
    let lines = std::iter::once(plain).chain(escaped);
    let mut good = lines.filter(|line| reads_as(line, step, level));
    good.next().ok_or_else(|| {
        refuse(RefusalCode::BadHeading, format!("`{}` cannot be written as a heading", step.written))
            .hint("write the heading as one line of plain text")
    })
}

/// `Issue #` is written `Issue \#`: hashes at the end would be taken for the closing sequence.
fn escape_closing_hashes(text: &str) -> Option<String> {
    let body = text.trim_end_matches('#');
    let hashes = text.len() - body.len();
    (hashes > 0).then(|| format!("{body}\\{}", "#".repeat(hashes)))
}

fn reads_as(line: &str, step: &Step, level: u8) -> bool {
    let scan = parse::scan(line, &Known::NOTHING, parse::Events::None);
    match scan.headings.as_slice() {
        [only] => {
            only.level == level && only.start == 0 && only.forms.iter().any(|form| **form == *step.title)
        }
        _ => false,
    }
}

fn insertion(
    document: &Document,
    place: &InsertionPoint,
    (request, top): (&Request, u8),
    headings: &[String],
    content: &Content,
) -> Splice {
    let eol = document.line_end();
    let text = with_line_ends(content.text(), eol);
    let block = format!("{}{eol}{eol}{text}", headings.join(&format!("{eol}{eol}")));
    let deeper = headings.len() > 1 || request.entry.scope == Scope::Subtree;
    let headings = AllowedHeadings::New(top, deeper);
    let edit = |at: usize, with: String, zone: Range<usize>, anchors: Option<usize>| Splice {
        range: at..at,
        with,
        zone,
        anchors,
        headings,
        keeps_markers: true,
    };
    match place.follows {
        Follows::End => {
            let before = document.text().trim_start_matches('\u{feff}');
            let bom = document.text().len() - before.len();
            match text::last_content_end(before) {
                Some(end) => edit(bom + end, format!("{eol}{eol}{block}"), bom + end..bom + end, None),
                None => edit(bom, format!("{block}{eol}"), bom..bom, None),
            }
        }
        Follows::Marker => {
            let gap = if content.ends_in_html { eol } else { "" };
            edit(place.at, format!("{block}{eol}{gap}"), place.at..place.at, None)
        }
        Follows::Heading | Follows::Definitions => {
            edit(place.at, format!("{block}{eol}{eol}"), place.at..place.at, None)
        }
        Follows::Anchor => {
            let zone = place.at..document.start_of(place.next);
            edit(place.at, format!("{block}{eol}{eol}"), zone, Some(place.at))
        }
    }
}

fn reads_back(doc: &mut Document, request: &Request, content: &Content, undo: Undo) -> Result<Undo, Refusal> {
    let found = match request.address.find(doc) {
        Ok(Lookup::Section(i)) => {
            let within = request.within.as_ref().and_then(|_| machine::inside(doc).ok());
            let body = body::body(doc, i, request.entry.scope, within.as_ref());
            text::same_lines(doc.slice(body.core), content.text())
        }
        _ => false,
    };
    if found {
        return Ok(undo);
    }
    splice::take_back(doc, undo);
    Err(refuse(RefusalCode::SideEffect, "the new section would not read back as declared")
        .hint("change the content so that it begins and ends by itself"))
}
