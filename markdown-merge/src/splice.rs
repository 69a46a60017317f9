//! The only way a document changes: one splice of bytes, accepted when a parse of the sections around it shows that
//! nothing outside of its zone means anything else than before, and taken back otherwise.
//!
//! Why parsing a part is enough: at a heading at document level every block before it is closed, so what follows is
//! parsed as if the document began there. The part reaches from a heading before the zone to the end of the heading
//! behind it; if that heading is seen again, everything below it is as it was. What is not local (link and footnote
//! labels, front matter, whose child a heading is) is checked for the whole document from the index.

use super::document::{Document, Section, body_start, sections_of};
use super::links;
use super::marker::{self, Form, Mark, Marker};
use super::memory;
use super::parse::{self, Events, Happening, Kind, Known, Scan};
use super::refusal::refuse;
use super::text::part;
use super::{Refusal, RefusalCode};
use std::collections::HashMap;
use std::ops::Range;

/// A splice, and the part of the document it may change the meaning of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    /// The bytes that go.
    pub range: Range<usize>,
    /// What comes in their place.
    pub with: String,
    /// What the operation owns: holds `range`; outside of it no event may change.
    pub zone: Range<usize>,
    /// Where anchor lines begin that stand between the body and the next heading; they move, and must stay anchors.
    pub anchors: Option<usize>,
    /// Headings the zone may hold afterwards.
    pub headings: AllowedHeadings,
    /// Marker comments in the zone must all be there afterwards.
    pub keeps_markers: bool,
}

/// Which headings an edit's zone may hold afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AllowedHeadings {
    None,
    /// Any number, deeper than this level.
    Below(u8),
    /// A new heading of this level first, and nothing but sub-headings (or, with `false`, nothing) behind it.
    New(u8, bool),
}

/// What it takes to take an edit back.
#[derive(Debug)]
pub(super) struct Undo {
    range: Range<usize>,
    text: String,
    sections: Range<usize>,
    old: Vec<Section>,
    /// Where Markdown began before.
    body_start: usize,
}

/// The sections that are parsed again, before and after.
struct Region {
    first: usize,
    /// The first section that is not part of it; its heading is.
    next: usize,
    /// Whether there is such a section; else the region runs to the end of the document.
    bounded: bool,
    range: Range<usize>,
    after: String,
    old: Scan,
    new: Scan,
    /// The zone in the old and in the new text, counted from the region's beginning.
    zones: (Range<usize>, Range<usize>),
}

/// Makes the edit, or says what it would do to the rest of the document and leaves it as it was.
pub(super) fn make(document: &mut Document, edit: &Splice) -> Result<Undo, Refusal> {
    let mut region = Region::parse(document, edit);
    if let Err(refusal) = region.same_outside(document) {
        return Err(region.lost_link(document).unwrap_or(refusal));
    }
    region.same_anchors(document, edit)?;
    region.allowed_headings(document, edit)?;
    region.no_new_marker(document, edit)?;
    let uses = region.new.uses.clone();
    let sections = region.sections();
    region.same_labels(document, &sections)?;
    region.same_parent(document, edit, &sections)?;
    let alone = document.labels.is_empty();
    let undo = commit(document, edit, region.first..region.next, sections);
    document.labels.add_footnotes(region.new.footnotes);
    if front_matter_moved(document) {
        take_back(document, undo);
        return Err(refuse(
            RefusalCode::SideEffect,
            "the document would begin with what reads as front matter",
        )
        .hint("put text above the `---` line"));
    }
    if alone {
        let (text, (_, zone)) = (region.after, region.zones);
        let Scan { events, markers, .. } = region.new;
        document.memory.keep_region(region.first, memory::Region { text, zone, events, markers, uses });
    }
    Ok(undo)
}

/// Splices, and puts these sections in the place of those. The caller has seen, or sees, that the text reads so.
pub(super) fn commit(
    document: &mut Document,
    edit: &Splice,
    replaced: Range<usize>,
    new: Vec<Section>,
) -> Undo {
    let text = document.slice(edit.range.clone()).to_owned();
    let range = edit.range.start..edit.range.start + edit.with.len();
    document.replace_bytes(edit.range.clone(), &edit.with);
    document.lines_came(range.clone());
    let sections = replaced.start..replaced.start + new.len();
    let old = exchange(document, replaced, new, edit.range.start, (edit.range.len(), edit.with.len()));
    Undo { range, text, sections, old, body_start: document.body_start }
}

/// Takes the last edit back.
pub(super) fn take_back(document: &mut Document, undo: Undo) {
    let (from, gone, back) = (undo.range.start, undo.range.len(), undo.text.len());
    document.replace_bytes(undo.range, &undo.text);
    drop(exchange(document, undo.sections, undo.old, from, (gone, back)));
    document.body_start = undo.body_start;
}

/// Replaces bytes above the first section, for whoever knows that they are not Markdown.
pub(super) fn shift_all(document: &mut Document, range: Range<usize>, with: &str) -> Undo {
    let text = document.slice(range.clone()).to_owned();
    let undo = Undo {
        range: range.start..range.start + with.len(),
        text,
        sections: 0..0,
        old: Vec::new(),
        body_start: document.body_start,
    };
    document.replace_bytes(range.clone(), with);
    drop(exchange(document, 0..0, Vec::new(), range.start, (range.len(), with.len())));
    document.body_start = document.body_start + with.len() - range.len();
    undo
}

/// Puts sections in the place of others and moves the ones behind. From the byte `from` on, so many went and came.
fn exchange(
    doc: &mut Document,
    at: Range<usize>,
    new: Vec<Section>,
    from: usize,
    (gone, come): (usize, usize),
) -> Vec<Section> {
    let behind = at.start + new.len();
    doc.memory.changed(doc.sections.get(at.clone()).unwrap_or(&[]), at.start, &new, from);
    doc.labels.add(&new);
    doc.markers.add(&new);
    let old: Vec<Section> = doc.sections.splice(at, new).collect();
    doc.labels.remove(&old);
    doc.markers.remove(&old);
    for section in doc.sections.iter_mut().skip(behind) {
        section.start = section.start + come - gone;
    }
    doc.look_above(behind);
    old
}

/// Front matter ends where it did, unless the first line opens some: a line far below could close it.
pub(super) fn front_matter_moved(document: &Document) -> bool {
    let text = document.text();
    let opens = text.starts_with(['-', '+', '\u{feff}']) || document.body_start > 0;
    opens && (document.body_start <= '\u{feff}'.len_utf8()) && body_start(text) != document.body_start
}

impl Region {
    fn parse(document: &mut Document, edit: &Splice) -> Self {
        let holding = document.section_at(edit.zone.start);
        let on_boundary = holding > 0 && document.start_of(holding) == edit.zone.start;
        let first = document.fresh_section(if on_boundary { holding - 1 } else { holding });
        let next = document.sections.partition_point(|s| s.start < edit.zone.end).max(first + 1);
        let range = document.start_of(first)..document.body_of(next);
        let before = document.slice(range.clone()).to_owned();
        let (from, to) = (edit.range.start - range.start, edit.range.end - range.start);
        let after = [part(&before, 0..from), &edit.with, part(&before, to..before.len())].concat();
        let zone = edit.zone.start - range.start..edit.zone.end - range.start;
        let new_zone = zone.start..zone.end + edit.with.len() - edit.range.len();
        let remembered = document.memory.region(first, &before, &zone, &document.labels);
        let inside = links::Inside::of(document.sections.get(first..next).unwrap_or(&[]));
        let known = Known {
            link: &|label| document.labels.is_defined_outside(label, &inside),
            footnotes: &|label| document.labels.footnote_outside(label, &inside),
        };
        let old = remembered.unwrap_or_else(|| parse::scan(&before, &known, Events::Outside(&zone)));
        let new = parse::scan(&after, &known, Events::Outside(&new_zone));
        let bounded = document.section(next).is_some();
        Region { first, next, bounded, range, after, old, new, zones: (zone, new_zone) }
    }

    fn same_outside(&self, document: &Document) -> Result<(), Refusal> {
        let (old_zone, new_zone) = &self.zones;
        let old = outside(&self.old.events, old_zone, new_zone);
        let new = outside(&self.new.events, new_zone, new_zone);
        let mut pairs = OldAndNew { old, new };
        let Some((old, new)) = pairs.find(|(old, new)| old != new) else { return Ok(()) };
        Err(self.side_effect(document, old.or(new)))
    }

    /// Whether the heading behind the zone is one still.
    fn bound_is_seen(&self, document: &Document) -> bool {
        let start = self.after.len() - document.head(self.next).map_or(0, |h| h.len);
        !self.bounded || self.new.headings.last().is_some_and(|h| h.start == start)
    }

    /// The better reason when what changed nearby is a link.
    fn lost_link(&mut self, document: &Document) -> Option<Refusal> {
        if !self.bound_is_seen(document) {
            return None;
        }
        let sections = self.sections();
        self.same_labels(document, &sections).err()
    }

    fn side_effect(&self, document: &Document, at: Option<Happening>) -> Refusal {
        if !self.bound_is_seen(document) {
            let place = document.place(self.next);
            return refuse(RefusalCode::SideEffect, format!("the heading at {place} would no longer be one"))
                .hint("close what the text leaves open (fence, comment, raw HTML, list) before the next heading")
                .lines([document.line(document.start_of(self.next))]);
        }
        let (old_zone, new_zone) = &self.zones;
        let at = at.map_or(old_zone.start, |e| e.start);
        let at = if at >= new_zone.end { at - new_zone.end + old_zone.end } else { at.min(old_zone.start) };
        let line = document.line(self.range.start + at);
        refuse(
            RefusalCode::SideEffect,
            format!("text outside the section, at line {line}, would mean something else"),
        )
        .hint("change the content so that it ends by itself, e.g. with a paragraph that is not indented")
        .lines([line])
    }

    /// Anchor lines may become a paragraph of their own, but must stay anchors and not sink into something.
    fn same_anchors(&self, document: &Document, edit: &Splice) -> Result<(), Refusal> {
        let Some(cut) = edit.anchors else { return Ok(()) };
        let (old_zone, new_zone) = &self.zones;
        let cut = cut - self.range.start;
        let html = |e: &&Happening| e.kind == Kind::Html;
        let old: Vec<_> = self
            .old
            .events
            .iter()
            .filter(html)
            .filter(|e| e.start >= cut && e.start < old_zone.end)
            .collect();
        let shift = |at: usize| (at + new_zone.end) - old_zone.end;
        let new: Vec<_> = self
            .new
            .events
            .iter()
            .filter(html)
            .filter(|e| e.start >= shift(cut) && e.start < new_zone.end)
            .collect();
        let same = old.len() == new.len()
            && old
                .iter()
                .zip(&new)
                .all(|(o, n)| o.what == n.what && n.depth <= o.depth && shift(o.start) == n.start);
        if same {
            return Ok(());
        }
        let line = document.line(self.range.start + cut);
        Err(refuse(RefusalCode::SideEffect, format!("the anchor at line {line} would no longer be one"))
            .hint("end the content with a paragraph")
            .lines([line]))
    }

    fn allowed_headings(&self, document: &Document, edit: &Splice) -> Result<(), Refusal> {
        let (_, zone) = &self.zones;
        let mut inside = self.new.headings.iter().filter(|h| zone.contains(&h.start)).peekable();
        let deeper_than = match edit.headings {
            AllowedHeadings::None => 6,
            AllowedHeadings::Below(level) => level,
            AllowedHeadings::New(level, sub_headings) => {
                if inside.next_if(|h| h.level == level).is_none() {
                    return Err(refuse(RefusalCode::BadHeading, "the new heading would not be read as one")
                        .hint("write the heading as one line of plain text"));
                }
                if sub_headings { level } else { 6 }
            }
        };
        let Some(heading) = inside.find(|h| h.level <= deeper_than) else { return Ok(()) };
        let line = document.line(edit.range.start);
        let title = heading.forms.first().map_or("", |f| f);
        let message =
            format!("the text at line {line} would hold the heading `{title}` (level {})", heading.level);
        Err(refuse(RefusalCode::ContentHasHeading, message)
            .hint("use `scope: subtree`, or declare the heading as an entry of its own")
            .lines([line]))
    }

    /// No edit may make a marker: also not by putting together what was harmless in parts.
    fn no_new_marker(&self, document: &Document, edit: &Splice) -> Result<(), Refusal> {
        let mut old: HashMap<&Mark, Vec<&Marker>> = HashMap::new();
        for marker in &self.old.markers {
            old.entry(&marker.mark).or_default().push(marker);
        }
        let single = marker::pairs(&self.new.markers).single;
        for (i, Marker { mark, .. }) in self.new.markers.iter().enumerate() {
            let known = old.get_mut(mark).and_then(Vec::pop).is_some();
            // A linter's switch that is switched back is the section's own.
            let own = mark.form == Form::Linter && single.binary_search(&i).is_err();
            if !known && !own && document.markers.counts(mark) {
                let line = document.line(edit.range.start);
                let message = format!("the text at line {line} would hold a `{}` block marker", mark.name);
                return Err(refuse(RefusalCode::ReservedMarker, message)
                    .hint("leave the marker comments out: they belong to the document's owner")
                    .lines([line]));
            }
        }
        let left = old.into_values().flatten().filter(|m| edit.keeps_markers && m.mark.counts_alone());
        let lost = left.min_by_key(|m| m.start);
        let Some(lost) = lost else { return Ok(()) };
        let line = document.line(self.range.start + lost.start);
        Err(refuse(RefusalCode::MarkerBlock, format!("the block marker at line {line} would be lost"))
            .hint("leave marker comments and their line ends as they are")
            .lines([line]))
    }

    /// The new index of the region, without the heading that bounds it.
    fn sections(&mut self) -> Vec<Section> {
        let end = match self.new.headings.last() {
            Some(bound) if self.bounded => {
                let end = bound.start;
                self.new.headings.pop();
                end
            }
            _ => self.after.len(),
        };
        self.new.uses.retain(|(at, _)| *at < end);
        sections_of(part(&self.after, 0..end), self.range.start, &mut self.new, self.first == 0)
    }

    fn same_labels(&self, document: &Document, new: &[Section]) -> Result<(), Refusal> {
        let changed = links::changed(document, &(self.first..self.next), new);
        if changed.is_empty() {
            return Ok(());
        }
        let (zone, _) = &self.zones;
        let near = self.old.uses.iter().filter(|(at, _)| !zone.contains(at));
        let mut lines: Vec<usize> = near
            .filter(|(_, label)| changed.contains(label))
            .map(|(at, _)| document.line(self.range.start + at))
            .collect();
        for (i, section) in document.sections.iter().enumerate() {
            let far = i < self.first || i >= self.next;
            if far && changed.iter().any(|label| section.uses().binary_search(label).is_ok()) {
                lines.push(document.line(section.start));
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        lines.sort_unstable();
        lines.dedup();
        let at: Vec<String> = lines.iter().take(8).map(ToString::to_string).collect();
        let message =
            format!("a link or footnote outside the section would change (from line {})", at.join(", "));
        Err(refuse(RefusalCode::OrphansReference, message)
            .hint("keep the definitions (`[label]: …`) other sections use, and give new ones labels of their own")
            .lines(lines))
    }

    /// The heading behind keeps its parent; with it, every later one does.
    fn same_parent(&self, document: &Document, edit: &Splice, new: &[Section]) -> Result<(), Refusal> {
        let Some(head) = document.head(self.next) else { return Ok(()) };
        let before = document.parent_of(self.next, head.level).map(|i| document.start_of(i));
        let shallower = |s: &&Section| s.head.as_ref().is_some_and(|h| h.level < head.level);
        let after = match new.iter().rev().find(shallower) {
            Some(section) => Some(section.start),
            None => document.parent_of(self.first, head.level).map(|i| document.start_of(i)),
        };
        // A section that is renamed begins with the zone, and stays the parent it was.
        let renamed = |at: usize| at == edit.zone.start && matches!(edit.headings, AllowedHeadings::New(..));
        let stands = |start: Option<usize>| {
            start.is_none_or(|at| at < edit.zone.start || edit.zone.is_empty() || renamed(at))
        };
        if before == after && stands(before) {
            return Ok(());
        }
        let place = document.place(self.next);
        Err(refuse(RefusalCode::NewParent, format!("the heading at {place} would get another parent"))
            .hint("use `scope: subtree`, or name a parent that is not followed by deeper headings")
            .lines([document.line(document.start_of(self.next))]))
    }
}

/// Both streams side by side, the shorter one padded.
struct OldAndNew<A, B> {
    old: A,
    new: B,
}

impl<A: Iterator<Item = Happening>, B: Iterator<Item = Happening>> Iterator for OldAndNew<A, B> {
    type Item = (Option<Happening>, Option<Happening>);

    fn next(&mut self) -> Option<Self::Item> {
        let pair = (self.old.next(), self.new.next());
        (pair.0.is_some() || pair.1.is_some()).then_some(pair)
    }
}

/// The events outside of `zone`, with offsets as if the zone were `target`.
fn outside<'e>(
    events: &'e [Happening],
    zone: &'e Range<usize>,
    target: &'e Range<usize>,
) -> impl Iterator<Item = Happening> + 'e {
    let start = |at: usize| if at >= zone.end { at - zone.end + target.end } else { at };
    // What begins before the zone and ends in it has no end of its own to compare.
    let end = |at: usize| match at {
        _ if at <= zone.start => at,
        _ if at < zone.end => zone.start + 1,
        _ => at - zone.end + target.end,
    };
    events.iter().filter(|e| e.start < zone.start || e.start >= zone.end).map(move |e| Happening {
        start: start(e.start),
        end: end(e.end),
        ..*e
    })
}
