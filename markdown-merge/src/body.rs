//! How far a section's body reaches, and which part of it is text: body = blank lines, core, blank lines.

use super::document::Document;
use super::marker::{self, Marker, Side};
use super::text::{last_content_end, leading_blank, part, terminator};
use crate::Scope;
use std::ops::Range;

/// What stands right behind a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    Heading,
    /// Anchor lines that belong to the next heading.
    Anchor,
    /// A marker comment whose partner stands elsewhere.
    Marker,
    End,
}

/// The part of a section an operation may replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    /// The section's index.
    pub section: usize,
    /// Behind the heading's lines.
    pub start: usize,
    /// The text without blank lines at its edges and without its last terminator; empty at `start` if there is none.
    pub core: Range<usize>,
    pub end: usize,
    pub follows: Follows,
    /// The first section behind, as the scope counts.
    pub next: usize,
}

impl Body {
    pub(super) fn is_empty(&self) -> bool {
        self.core.is_empty()
    }

    /// Whether a blank line stands between the core (or heading) and what follows.
    pub(super) fn has_gap_behind(&self, document: &Document) -> bool {
        let behind = if self.is_empty() { self.start } else { self.core.end };
        let gap = document.slice(behind..self.end);
        if self.is_empty() { !gap.is_empty() } else { gap.len() > super::text::leading_terminator(gap).len() }
    }

    /// Where the text before the body ends, its terminator excluded; `None` at the very beginning of the file.
    pub(super) fn previous_end(&self, document: &Document) -> Option<usize> {
        let before = document.slice(0..self.start);
        let end = self.start - terminator(before).len();
        (!document.slice(0..end).trim_start_matches('\u{feff}').is_empty()).then_some(end)
    }

    /// The section's own text: heading and body without the blank lines at its edges.
    pub(super) fn own_text<'d>(&self, document: &'d Document) -> &'d str {
        let start = document.start_of(self.section);
        let heading_end = self.start - terminator(document.slice(start..self.start)).len();
        if document.head(self.section).is_none() {
            document.slice(self.core.clone())
        } else if self.is_empty() {
            document.slice(start..heading_end)
        } else {
            document.slice(start..self.core.end)
        }
    }
}

/// The body of section `i`; with `within`, only what lies between those offsets (a machine block).
pub(super) fn body(document: &Document, i: usize, scope: Scope, within: Option<&Range<usize>>) -> Body {
    let next = if scope == Scope::Own { i + 1 } else { document.subtree_end(i) };
    let (mut start, mut end) = (document.body_of(i), document.start_of(next));
    let mut follows = if document.section(next).is_some() { Follows::Heading } else { Follows::End };
    if let Some(within) = within {
        start = start.max(within.start).min(end);
        if within.end < end {
            (end, follows) = (within.end.max(start), Follows::Marker);
        }
    }
    if let Some(cut) = foreign_marker(document, i..next, start..end) {
        (end, follows) = (cut, Follows::Marker);
    } else if follows == Follows::Heading
        && let Some(cut) = marker::trailing_anchors(document.slice(start..end))
    {
        (end, follows) = (start + cut, Follows::Anchor);
    }
    let text = document.slice(start..end);
    let core = match last_content_end(text) {
        Some(last) => start + leading_blank(text)..start + last,
        None => start..start,
    };
    Body { section: i, start, core, end, follows, next }
}

/// The markers of some sections that lie in `range`, with offsets in the document.
pub(super) fn markers_in(document: &Document, sections: Range<usize>, range: &Range<usize>) -> Vec<Marker> {
    let sections = document.sections.get(sections).unwrap_or(&[]);
    let all = sections.iter().flat_map(|s| {
        let moved = |m: &Marker| Marker { start: s.start + m.start, end: s.start + m.end, ..m.clone() };
        s.markers.iter().map(moved)
    });
    all.filter(|m| m.start >= range.start && m.end <= range.end).collect()
}

/// The first marker comment in `range` whose partner is not there too.
fn foreign_marker(document: &Document, sections: Range<usize>, range: Range<usize>) -> Option<usize> {
    let markers = markers_in(document, sections, &range);
    let single = marker::unpaired(&markers);
    let mut single = single.into_iter().filter_map(|i| markers.get(i));
    single.find(|m| m.strong || has_partner(document, m)).map(|m| m.start)
}

fn has_partner(document: &Document, marker: &Marker) -> bool {
    let side = if marker.side == Side::Start { Side::End } else { Side::Start };
    document.has_marker(&marker.name, side)
}

/// The first whole marker block in the core, which belongs to somebody else.
pub(super) fn block_in_core(document: &Document, body: &Body) -> Option<Marker> {
    blocks_in_core(document, body).into_iter().next()
}

/// Markers of whole blocks in the core.
pub(super) fn blocks_in_core(document: &Document, body: &Body) -> Vec<Marker> {
    let core = body.core.start..body.end;
    let markers = markers_in(document, body.section..body.next, &core);
    let single = marker::unpaired(&markers);
    markers
        .into_iter()
        .enumerate()
        .filter(|(i, _)| single.binary_search(i).is_err())
        .map(|(_, m)| m)
        .collect()
}

/// The core of a section text that stands alone (a base version): what is behind its heading.
pub(super) fn core_of_text(text: &str, level: u8) -> Option<&str> {
    let document = Document::of(text.to_owned());
    let i = if level == 0 { 0 } else { 1 };
    let begins_with_heading = level == 0 || document.start_of(1) == 0 && document.level(1) == level;
    if !begins_with_heading {
        return None;
    }
    let start = document.body_of(i);
    Some(super::text::without_blank_edges(part(text, start..text.len())))
}
