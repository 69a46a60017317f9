//! How far a section's body reaches, and which part of it is text: body = blank lines, core, blank lines.

use super::document::Document;
use super::marker::{self, Form, Marker};
use super::parse::{self, Definition};
use super::text::{last_content_end, leading_blank, line_start, terminator};
use crate::Scope;
use std::ops::Range;

/// What follows a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    Heading,
    /// Anchor lines that belong to the next heading.
    Anchor,
    /// A marker comment whose partner stands elsewhere.
    Marker,
    /// Definitions of links or footnotes that the operation leaves where they are.
    Definitions,
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
    Body { section: i, start, core: core_of(document, start..end), end, follows, next }
}

/// The text in `range` without blank lines at its edges; empty at its start if there is none.
fn core_of(document: &Document, range: Range<usize>) -> Range<usize> {
    let text = document.slice(range.clone());
    match last_content_end(text) {
        Some(last) => range.start + leading_blank(text)..range.start + last,
        None => range.start..range.start,
    }
}

/// Which definitions at the end of a section an operation that writes leaves where they are. Only the section and the content
/// decide, never the rest of the document: changes to two sections must come to the same in any order.
#[derive(Debug, Clone, Copy)]
pub(super) enum Leaves<'l> {
    /// None of them: `replace` is about the whole text.
    Nothing,
    /// All of them, but none if one of these labels is among them: text above would take over its meaning.
    All { unless_said: &'l [u64] },
    /// From the first one on that is not for the old text alone: the old text does not use it, or the heading or the
    /// new text does. Labels in `said` the new text defines itself; those in `used` it looks up.
    Others { said: &'l [u64], used: &'l [u64] },
}

/// The body without the definitions at its end that an operation leaves where they are. They go on behind the text as
/// anchors do.
pub(super) fn without_definitions(document: &Document, body: Body, leaves: Leaves) -> Body {
    let Some(last) = body.next.checked_sub(1).and_then(|i| document.section(i)) else { return body };
    let inside = |d: &&Definition| (body.start..body.end).contains(&(last.start + d.at));
    let definitions: Vec<Definition> = last.last_definitions().iter().filter(inside).copied().collect();
    let Some(first) = definitions.first() else { return body };
    let labels_in = |range: Range<usize>| parse::labels(document.slice(range));
    let left = match leaves {
        Leaves::Nothing => None,
        Leaves::All { unless_said } => {
            let said = definitions.iter().any(|d| unless_said.contains(&d.label));
            Some(first).filter(|_| !said)
        }
        Leaves::Others { said, used } => {
            let in_heading = labels_in(document.start_of(body.section)..body.start);
            let in_text = labels_in(body.start..last.start + first.at);
            definitions.iter().find(|d| {
                let has = |labels: &[u64]| labels.contains(&d.label);
                !has(said) && (!has(&in_text) || has(&in_heading) || has(used))
            })
        }
    };
    let Some(left) = left else { return body };
    ends_at(document, with_comments_above(document, body.start, last.start + left.at), body)
}

/// The body without the definitions at its end, from the first one on that other text needs.
pub(super) fn without_needed_elsewhere(document: &Document, body: Body) -> Body {
    match needed_elsewhere(document, &body) {
        Some(end) => ends_at(document, end, body),
        None => body,
    }
}

/// The body up to the definitions that begin at `end`.
fn ends_at(document: &Document, end: usize, body: Body) -> Body {
    Body { core: core_of(document, body.start..end), end, follows: Follows::Definitions, ..body }
}

/// Where the definitions at the end of a body begin, from the first one on that text outside of the section needs.
pub(super) fn needed_elsewhere(document: &Document, body: &Body) -> Option<usize> {
    let last = body.next.checked_sub(1).and_then(|i| document.section(i))?;
    let inside = |d: &&Definition| (body.start..body.end).contains(&(last.start + d.at));
    let outside = |i: usize| i < body.section || i >= body.next;
    let others = || document.sections.iter().enumerate().filter(|(i, _)| outside(*i));
    let needed = |d: &&Definition| others().any(|(_, s)| s.uses().binary_search(&d.label).is_ok());
    let first = last.last_definitions().iter().filter(inside).find(needed)?;
    Some(with_comments_above(document, body.start, last.start + first.at))
}

/// The body without its last bytes, which are definitions that an operation left there.
pub(super) fn without_last(document: &Document, body: Body, bytes: usize) -> Body {
    if bytes == 0 {
        return body;
    }
    ends_at(document, body.end.saturating_sub(bytes).max(body.start), body)
}

/// Where the comments begin that stand right above the line at `at`, which they are about.
fn with_comments_above(document: &Document, from: usize, mut at: usize) -> usize {
    while at > from {
        let start = line_start(document.text(), at - 1).max(from);
        if !marker::is_comment(document.slice(start..at)) {
            break;
        }
        at = start;
    }
    at
}

/// The markers of some sections that lie in `range`, with offsets in the document.
pub(super) fn markers_in(document: &Document, sections: Range<usize>, range: &Range<usize>) -> Vec<Marker> {
    let sections = document.sections.get(sections).unwrap_or(&[]);
    let all = sections.iter().flat_map(|s| {
        let moved = |m: &Marker| Marker { start: s.start + m.start, end: s.start + m.end, ..m.clone() };
        s.markers().iter().map(moved)
    });
    all.filter(|m| m.start >= range.start && m.end <= range.end).collect()
}

/// The first marker comment in `range` whose partner is not there too.
fn foreign_marker(document: &Document, sections: Range<usize>, range: Range<usize>) -> Option<usize> {
    let markers = markers_in(document, sections, &range);
    let single = marker::pairs(&markers).single;
    let mut single = single.into_iter().filter_map(|i| markers.get(i));
    single.find(|m| document.markers.counts(&m.mark)).map(|m| m.start)
}

/// Whole marker blocks in the core, which belong to somebody else: from the first marker's line to behind the last one's.
pub(super) fn blocks_in_core(document: &Document, body: &Body) -> Vec<Range<usize>> {
    let core = body.core.start..body.end;
    let markers = markers_in(document, body.section..body.next, &core);
    let blocks = marker::pairs(&markers).blocks.into_iter();
    let both = blocks.filter_map(|(start, end)| Some((markers.get(start)?, markers.get(end)?)));
    let foreign = both.filter(|(start, _)| start.mark.form != Form::Linter);
    let mut found: Vec<_> = foreign.map(|(start, end)| start.start..end.end).collect();
    found.sort_unstable_by_key(|block| block.start);
    found
}

/// The labels of the definitions that an operation on this body leaves where they are.
pub(super) fn left_labels(document: &Document, body: &Body) -> Vec<u64> {
    let last = body.next.checked_sub(1).and_then(|i| document.section(i));
    let Some(last) = last.filter(|_| body.follows == Follows::Definitions) else { return Vec::new() };
    let left = last.last_definitions().iter().filter(|d| last.start + d.at >= body.end);
    left.map(|d| d.label).collect()
}

/// The core of a section text that stands alone (a base version): what is behind its heading, up to definitions of
/// these labels at its end.
pub(super) fn core_of_text(text: &str, level: u8, left: &[u64]) -> Option<String> {
    let document = Document::of(text.to_owned());
    let i = if level == 0 { 0 } else { 1 };
    let begins_with_heading = level == 0 || document.start_of(1) == 0 && document.level(1) == level;
    if !begins_with_heading {
        return None;
    }
    let last = document.section(document.last_section())?;
    let first = last.last_definitions().iter().find(|d| left.contains(&d.label));
    let start = document.body_of(i);
    let end = first.map_or(text.len(), |d| with_comments_above(&document, start, last.start + d.at));
    Some(super::text::without_blank_edges(document.slice(start..end)).to_owned())
}
