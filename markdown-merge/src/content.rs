//! What a declaration's content must be before it comes near a document, whatever that document says.

use super::address::Address;
use super::body::Leaves;
use super::marker::{self, Form, Mark};
use super::parse::{self, Events, Happening, Known, Scan};
use super::refusal::refuse;
use super::text::{line_number, line_start, part, with_line_ends, without_blank_edges};
use super::{Refusal, RefusalCode};
use crate::Scope;
use memchr::memchr;

/// Content that passed: LF line ends, no blank lines at its edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    text: String,
    /// Ends in raw HTML, which would go on in a line right below, to this parser or to another.
    pub ends_in_html: bool,
    /// Labels of links and footnotes that it defines.
    pub defines: Vec<u64>,
    /// Labels that it looks up, whether or not it defines them.
    pub uses: Vec<u64>,
    events: Vec<Happening>,
}

impl Content {
    /// The checks, in the order the specification gives them.
    pub(super) fn read(raw: &str, address: &Address, scope: Scope) -> Result<Self, Refusal> {
        no_nul(raw)?;
        let text = with_line_ends(raw.trim_start_matches('\u{feff}'), "\n");
        let text = without_blank_edges(&text);
        let mut scan = parse::scan(text, &Known::NOTHING, Events::Places);
        let rest = without_heading(text, &scan, address);
        if rest.len() < text.len() {
            scan = parse::scan(rest, &Known::NOTHING, Events::Places);
        }
        let text = rest.to_owned();
        if text.is_empty() {
            return Err(refuse(RefusalCode::EmptyContent, "the content is empty")
                .hint("use `clear` to remove a section's text, `delete` to remove the section"));
        }
        closed(&text)?;
        no_marker(&text, &scan)?;
        no_anchor_last(&text)?;
        no_heading(&text, &scan, address.level, scope)?;
        let ends_in_html = ends_in_html(&text, &scan);
        let (defines, uses) = (defines(&scan), uses(&scan));
        Ok(Content { text, ends_in_html, defines, uses, events: scan.events })
    }

    /// What a three-way merge made of content that passed; the document is still asked afterwards.
    pub(super) fn merged(text: &str) -> Self {
        let text = without_blank_edges(text).to_owned();
        let scan = parse::scan(&text, &Known::NOTHING, Events::Places);
        Content {
            ends_in_html: ends_in_html(&text, &scan),
            defines: defines(&scan),
            uses: uses(&scan),
            text,
            events: scan.events,
        }
    }

    /// Which definitions at the end of a section stay below this when it is appended.
    pub(super) fn appended_above(&self) -> Leaves<'_> {
        // Nothing but definitions joins its like.
        if self.events.is_empty() { Leaves::Nothing } else { Leaves::All { unless_said: &self.defines } }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What it consists of when it is read alone.
    pub(super) fn events(&self) -> &[Happening] {
        &self.events
    }

    /// Whether a core (LF) says the same. A byte order mark is taken off content, so it does not count there either.
    pub(super) fn is(&self, core: &str) -> bool {
        self.text == core || self.text == without_blank_edges(core.trim_start_matches('\u{feff}'))
    }
}

/// A NUL byte cannot stand in a text file.
pub(super) fn no_nul(raw: &str) -> Result<(), Refusal> {
    match memchr(0, raw.as_bytes()) {
        None => Ok(()),
        Some(at) => Err(refuse(
            RefusalCode::NulInContent,
            format!("line {} of the content has a NUL", line_number(raw, at)),
        )
        .hint("send text, not binary data")),
    }
}

/// Models like to repeat the heading: the first one is dropped when it is the section's own.
fn without_heading<'t>(text: &'t str, scan: &Scan, address: &Address) -> &'t str {
    let own = scan.headings.first().filter(|h| {
        h.start == 0 && h.level == address.level && h.forms.iter().any(|form| **form == *address.last().title)
    });
    own.map_or(text, |heading| without_blank_edges(part(text, heading.end..text.len())))
}

fn closed(text: &str) -> Result<(), Refusal> {
    if parse::is_closed(text) {
        return Ok(());
    }
    Err(refuse(RefusalCode::UnclosedBlock, "the content leaves a code fence, comment or raw HTML block open")
        .hint("close it, else everything below in the document would become part of it"))
}

fn no_marker(text: &str, scan: &Scan) -> Result<(), Refusal> {
    let alone = scan.markers.iter().filter(|m| m.mark.counts_alone()).map(|m| m.start);
    let blocks = marker::pairs(&scan.markers).blocks.into_iter();
    let starts = blocks.filter_map(|(start, _)| scan.markers.get(start));
    let starts = starts.filter(|m| m.mark.form != Form::Linter).map(|m| m.start);
    let block = alone.chain(starts).min();
    let Some(at) = block.or_else(|| inner_marker(text, scan)) else { return Ok(()) };
    Err(refuse(
        RefusalCode::ReservedMarker,
        format!("line {} of the content is a block marker", line_number(text, at)),
    )
    .hint("leave the marker comments out: they belong to the document's owner"))
}

/// A marker inside a line, a list or a quote: not one to the parser yet, but after the next edit it may be.
fn inner_marker(text: &str, scan: &Scan) -> Option<usize> {
    let html = scan.events.iter().filter(|e| e.kind == parse::Kind::Html);
    html.filter_map(|e| {
        let source = part(text, e.start..e.end);
        let at = source.find("<!--")?;
        let comment = part(source, at + 4..source.len());
        let comment = part(comment, 0..comment.find("-->")?);
        marker::of_comment(comment).filter(Mark::counts_alone).map(|_| e.start + at)
    })
    .next()
}

fn no_anchor_last(text: &str) -> Result<(), Refusal> {
    let Some(at) = marker::trailing_anchors(text) else { return Ok(()) };
    Err(refuse(
        RefusalCode::TrailingAnchor,
        format!("line {} of the content is an anchor at its end", line_number(text, at)),
    )
    .hint("an anchor right above a heading belongs to that heading: put text behind it, or leave it out"))
}

fn no_heading(text: &str, scan: &Scan, level: u8, scope: Scope) -> Result<(), Refusal> {
    if let Some(heading) = scan.headings.iter().find(|h| h.level <= level) {
        let line = line_number(text, heading.start);
        let title = heading.forms.first().map_or("", |f| f);
        let message = format!("line {line} of the content is a level {} heading (`{title}`)", heading.level);
        return Err(refuse(RefusalCode::HeadingLevel, message).hint(format!(
            "headings in this content must be deeper than level {level}; declare others as entries"
        )));
    }
    let first = scan.headings.first().filter(|_| scope == Scope::Own);
    let Some(heading) = first else { return Ok(()) };
    let line = line_number(text, heading.start);
    let title = heading.forms.first().map_or("", |f| f);
    Err(refuse(
        RefusalCode::ContentHasHeading,
        format!("line {line} of the content is a heading (`{title}`)"),
    )
    .hint("use `scope: subtree`, or declare the sub-heading as an entry of its own"))
}

fn defines(scan: &Scan) -> Vec<u64> {
    scan.definitions.iter().map(|d| d.label).collect()
}

fn uses(scan: &Scan) -> Vec<u64> {
    scan.uses.iter().map(|(_, label)| *label).collect()
}

fn ends_in_html(text: &str, scan: &Scan) -> bool {
    let mut html = scan.events.iter().filter(|e| e.kind == parse::Kind::Html);
    html.any(|e| match e.depth {
        0 => e.end >= text.trim_end().len(),
        // A tag that begins a line of a document's own paragraph is part of that paragraph to everybody.
        1 => false,
        // In a list or a quote it may be a lazy line, which cmark (and so GitHub) reads as the beginning of a block.
        _ => begins_line(text, e.start) && !has_blank_line(part(text, e.start..text.len())),
    })
}

fn begins_line(text: &str, at: usize) -> bool {
    part(text, line_start(text, at)..at).trim_matches([' ', '\t']).is_empty()
}

fn has_blank_line(text: &str) -> bool {
    text.lines().any(|line| line.trim_matches([' ', '\t']).is_empty())
}
