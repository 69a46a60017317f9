//! A document as sections by byte ranges. It is parsed once; an edit parses only the sections around it again and
//! brings the index up to date, so that a hundred entries cost little more than one.

use super::bounds;
use super::front_matter;
use super::marker::{self, Marker};
use super::memory::Memory;
use super::parse::{self, Definition, Known, Scan};
use super::plain;
use super::refusal::refuse;
use super::text::{first_terminator, line_number, part};
use super::title;
use super::{Refusal, RefusalCode, links::Labels};
use memchr::{memchr, memmem};
use std::cell::OnceCell;
use std::ops::Range;

const BOM: &str = "\u{feff}";

/// A document's text with the index of its sections.
#[derive(Debug)]
pub(super) struct Document {
    text: String,
    /// Where Markdown begins: behind a byte order mark and front matter.
    pub body_start: usize,
    /// From one heading at document level to the next; the first has no heading and may be empty.
    pub sections: Vec<Section>,
    pub labels: Labels,
    pub markers: marker::Index,
    pub memory: Memory,
    /// Where the first byte stands that was ever replaced; `None` as long as the text is as it was read.
    pub touched: Option<usize>,
}

/// The text from one heading at document level to the next of any level.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Section {
    pub start: usize,
    /// `None` for the text before the first heading.
    pub head: Option<Head>,
    /// What most sections have none of.
    notes: Option<Box<Notes>>,
}

/// Markers and labels of a section.
#[derive(Debug, Clone, Default, PartialEq)]
struct Notes {
    /// Marker comments, counted from the section's start.
    markers: Vec<Marker>,
    /// Labels defined here, in order; places counted from the section's start.
    definitions: Vec<Definition>,
    /// Labels looked up here, sorted.
    uses: Vec<u64>,
    /// Where text ends and definitions may follow, counted from the section's start; 0 where there are none.
    text_end: usize,
}

/// A section's heading.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head {
    /// Bytes of the heading's lines, terminator included.
    pub len: usize,
    pub level: u8,
    /// The texts that name it, best first.
    pub forms: Vec<Box<str>>,
    /// What is left of the best one without case and punctuation, once somebody asked.
    fold: Fold,
    /// Whether a parse that begins here sees the same. A setext heading right below other text may be the rest of a
    /// paragraph that began with link definitions: alone, its first line could be an HTML block or a list.
    pub fresh: bool,
}

/// What follows from a heading's title, worked out when it is asked for: of most headings nobody asks.
#[derive(Debug, Clone, Default)]
struct Fold(OnceCell<Box<str>>);

impl PartialEq for Fold {
    fn eq(&self, _: &Fold) -> bool {
        // Equal titles have it in common, asked for or not.
        true
    }
}

impl Head {
    /// What is left of the title without case and punctuation.
    pub(super) fn fold(&self) -> &str {
        self.fold.0.get_or_init(|| title::fold(self.title()).into())
    }

    pub(super) fn is_called(&self, title: &str) -> bool {
        self.forms.iter().any(|form| **form == *title)
    }

    pub(super) fn title(&self) -> &str {
        self.forms.first().map_or("", |form| form)
    }
}

impl Document {
    /// Reads `bytes` as UTF-8 without lone carriage returns, and finds its sections.
    pub(super) fn open(bytes: &[u8]) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(bytes).map_err(|e| not_utf8(bytes, e.valid_up_to()))?;
        if let Some(at) = lone_cr(text) {
            let line = line_number(text, at);
            return Err(refuse(
                RefusalCode::LoneCr,
                format!("line {line} has a carriage return without a line feed"),
            )
            .hint("save the file with LF or CRLF line ends")
            .lines([line]));
        }
        bounds::check(text)?;
        // With room for what is added: a text that grows beyond it is copied once more.
        let mut own = String::with_capacity(text.len() + text.len() / 8 + 512);
        own.push_str(text);
        Ok(Document::of(own))
    }

    /// The document with this text, which is known to be without lone carriage returns.
    pub(super) fn of(text: String) -> Self {
        let body_start = body_start(&text);
        let markdown = part(&text, body_start..text.len());
        let mut memory = Memory::default();
        let (sections, footnotes) = match plain::read(markdown, body_start) {
            Some(plain) => {
                plain.lists.into_iter().for_each(|(i, end)| memory.keep_list(i, Some(end)));
                (plain.sections, Vec::new())
            }
            None => {
                let mut scan = parse::scan(markdown, &Known::NOTHING, parse::Events::None);
                (sections_of(markdown, body_start, &mut scan, true), scan.footnotes)
            }
        };
        let labels = Labels::of(&sections, footnotes);
        let mut markers = marker::Index::default();
        markers.add(&sections);
        Document { text, body_start, sections, labels, markers, memory, touched: None }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        part(&self.text, range)
    }

    /// Replaces bytes. The caller brings `sections` up to date.
    pub(super) fn replace_bytes(&mut self, range: Range<usize>, with: &str) {
        // A range of this text only: `replace_range` would panic on any other.
        if self.text.get(range.clone()).is_some() {
            self.touched = Some(self.touched.map_or(range.start, |first| first.min(range.start)));
            self.text.replace_range(range, with);
        }
    }

    /// The lines that hold these bytes are new.
    pub(super) fn lines_came(&mut self, range: Range<usize>) {
        let lines =
            super::text::line_start(&self.text, range.start)..super::text::line_end(&self.text, range.end);
        self.memory.came(part(&self.text, lines));
    }

    pub(super) fn line(&self, at: usize) -> usize {
        line_number(&self.text, at)
    }

    pub(super) fn section(&self, i: usize) -> Option<&Section> {
        self.sections.get(i)
    }

    pub(super) fn head(&self, i: usize) -> Option<&Head> {
        self.sections.get(i).and_then(|s| s.head.as_ref())
    }

    pub(super) fn level(&self, i: usize) -> u8 {
        self.head(i).map_or(0, |h| h.level)
    }

    pub(super) fn start_of(&self, i: usize) -> usize {
        self.sections.get(i).map_or(self.text.len(), |s| s.start)
    }

    /// Looks again whether a parse can begin at section `i`, after the text right above it changed.
    pub(super) fn look_above(&mut self, i: usize) {
        let Some(above) = i.checked_sub(1).map(|above| self.start_of(above)) else { return };
        let (start, end) = (self.start_of(i), self.body_of(i));
        let fresh = is_fresh(self.slice(above..end), start - above, end - above);
        if let Some(head) = self.sections.get_mut(i).and_then(|s| s.head.as_mut()) {
            head.fresh = fresh;
        }
    }

    /// The last section up to `i` at which a parse can begin.
    pub(super) fn fresh_section(&self, i: usize) -> usize {
        (0..=i).rev().find(|i| self.head(*i).is_none_or(|h| h.fresh)).unwrap_or(0)
    }

    /// Whether a heading at the end of the document would be seen as one: no fence, comment or the like is left open.
    pub(super) fn is_closed(&self) -> bool {
        let from = self.start_of(self.fresh_section(self.last_section()));
        parse::is_closed(self.slice(from..self.text.len()))
    }

    pub(super) fn last_section(&self) -> usize {
        self.sections.len().saturating_sub(1)
    }

    /// Where the heading's lines end and the body begins. Front matter is to the text behind it what a heading is.
    pub(super) fn body_of(&self, i: usize) -> usize {
        let start = self.start_of(i);
        match self.head(i) {
            Some(head) => start + head.len,
            None if i == 0 && self.has_front_matter() => {
                start + super::text::leading_terminator(self.slice(start..self.text.len())).len()
            }
            None => start,
        }
    }

    /// Whether Markdown begins behind front matter.
    pub(super) fn has_front_matter(&self) -> bool {
        self.body_start > if self.text.starts_with(BOM) { BOM.len() } else { 0 }
    }

    /// The first section behind `i` that does not belong to it.
    pub(super) fn subtree_end(&self, i: usize) -> usize {
        let level = self.level(i);
        let behind = self.sections.iter().skip(i + 1);
        let inside = behind.take_while(|s| s.head.as_ref().is_none_or(|h| h.level > level)).count();
        if level == 0 { i + 1 } else { i + 1 + inside }
    }

    /// The section holding the byte at `at`; a boundary belongs to the section it begins.
    pub(super) fn section_at(&self, at: usize) -> usize {
        self.sections.partition_point(|s| s.start <= at).saturating_sub(1)
    }

    /// The nearest shallower heading before section `i`, were `i` of this level.
    pub(super) fn parent_of(&self, i: usize, level: u8) -> Option<usize> {
        (0..i).rev().find(|p| self.head(*p).is_some_and(|h| h.level < level))
    }

    /// A section's ancestors and itself, outermost first.
    pub(super) fn chain(&self, i: usize) -> Vec<usize> {
        let mut chain = vec![i];
        let mut at = i;
        while let Some(parent) = self.parent_of(at, self.level(at)) {
            chain.push(parent);
            at = parent;
        }
        chain.reverse();
        chain
    }

    /// `Parent > Child` with line, for messages.
    pub(super) fn place(&self, i: usize) -> String {
        format!("line {} (`{}`)", self.line(self.start_of(i)), self.titles(i).join(" > "))
    }

    /// What a section's ancestors and itself are called, outermost first.
    pub(super) fn titles(&self, i: usize) -> Vec<&str> {
        self.chain(i).iter().filter_map(|i| self.head(*i)).map(Head::title).collect()
    }

    /// The terminator inserted lines take: that of the section's heading, else the file's first, else LF.
    pub(super) fn line_end_for(&self, i: usize) -> &'static str {
        let own = super::text::terminator(self.slice(self.start_of(i)..self.body_of(i)));
        if own.is_empty() { self.line_end() } else { own }
    }

    /// The terminator of the file's first line, else LF.
    pub(super) fn line_end(&self) -> &'static str {
        first_terminator(&self.text).unwrap_or("\n")
    }
}

/// Where Markdown begins in `text`.
pub(super) fn body_start(text: &str) -> usize {
    let bom = if text.starts_with(BOM) { BOM.len() } else { 0 };
    bom + front_matter::len(part(text, bom..text.len()))
}

/// The sections a scan found, with everything the index keeps of them. `at_top` says that the stretch begins with the
/// document's text before the first heading, which is a section even where it is empty. Takes the headings' names.
pub(super) fn sections_of(markdown: &str, offset: usize, scan: &mut Scan, at_top: bool) -> Vec<Section> {
    let mut sections = Vec::with_capacity(scan.headings.len() + 1);
    if at_top {
        sections.push(Section::empty(offset));
    }
    for heading in &mut scan.headings {
        let len = heading.end - heading.start;
        let fresh = is_fresh(markdown, heading.start, heading.end);
        let forms = std::mem::take(&mut heading.forms);
        let head = Head { len, level: heading.level, forms, fold: Fold::default(), fresh };
        sections.push(Section { head: Some(head), ..Section::empty(offset + heading.start) });
    }
    fill(&mut sections, markdown, offset, scan);
    sections
}

/// A heading of one line (with hashes) closes what is above it; one of more lines does so behind a blank line.
fn is_fresh(markdown: &str, start: usize, end: usize) -> bool {
    let own = part(markdown, start..end);
    let one_line = super::text::line_end(own, 0) == own.len();
    let above = part(markdown, super::text::line_start(markdown, start.saturating_sub(1))..start);
    one_line || super::text::is_blank(above)
}

impl Section {
    pub(super) fn empty(start: usize) -> Self {
        Section { start, head: None, notes: None }
    }

    fn notes(&mut self) -> &mut Notes {
        self.notes.get_or_insert_default()
    }

    /// Marker comments, counted from `start`.
    pub(super) fn markers(&self) -> &[Marker] {
        self.notes.as_ref().map_or(&[], |notes| &notes.markers)
    }

    /// Labels defined here, in order; places counted from `start`.
    pub(super) fn definitions(&self) -> &[Definition] {
        self.notes.as_ref().map_or(&[], |notes| &notes.definitions)
    }

    /// Labels looked up here, sorted.
    pub(super) fn uses(&self) -> &[u64] {
        self.notes.as_ref().map_or(&[], |notes| &notes.uses)
    }

    /// The same section, where text came to it that looks these labels up, too.
    pub(super) fn with_uses(&self, labels: &[u64]) -> Section {
        let mut section = self.clone();
        if !labels.is_empty() {
            let uses = &mut section.notes().uses;
            uses.extend(labels);
            uses.sort_unstable();
            uses.dedup();
        }
        section
    }

    /// The definitions behind the last block of text.
    pub(super) fn last_definitions(&self) -> &[Definition] {
        let Some(notes) = &self.notes else { return &[] };
        let first = notes.definitions.partition_point(|d| d.at < notes.text_end);
        notes.definitions.get(first..).unwrap_or(&[])
    }
}

fn fill(sections: &mut [Section], markdown: &str, offset: usize, scan: &Scan) {
    let owner =
        |sections: &[Section], at: usize| sections.partition_point(|s| s.start <= at).saturating_sub(1);
    for marker in &scan.markers {
        let i = owner(sections, offset + marker.start);
        if let Some(section) = sections.get_mut(i) {
            let start_in_markdown = section.start - offset;
            let (start, end) = (marker.start - start_in_markdown, marker.end - start_in_markdown);
            section.notes().markers.push(Marker { start, end, ..marker.clone() });
        }
    }
    for (at, label) in &scan.uses {
        let i = owner(sections, offset + at);
        if let Some(section) = sections.get_mut(i) {
            section.notes().uses.push(*label);
        }
    }
    for notes in sections.iter_mut().filter_map(|section| section.notes.as_mut()) {
        notes.uses.sort_unstable();
        notes.uses.dedup();
    }
    if !scan.definitions.is_empty() {
        fill_definitions(sections, markdown, offset, scan);
    }
}

/// The scan knows only the first definition of a label. Which one would take its place is asked of each section that
/// can hold one, alone: at a heading, the parser's state is that of a new document.
fn fill_definitions(sections: &mut [Section], markdown: &str, offset: usize, scan: &Scan) {
    let starts: Vec<usize> = sections.iter().map(|s| s.start - offset).collect();
    let headless = sections.first().is_some_and(|section| section.head.is_none());
    let text_ends = headless.then_some(scan.text_end).into_iter();
    let mut text_ends = text_ends.chain(scan.headings.iter().map(|heading| heading.text_end));
    let mut footnotes = scan.definitions.iter().filter(|d| d.value == 0).peekable();
    for (i, section) in sections.iter_mut().enumerate() {
        let start = section.start - offset;
        let end = starts.get(i + 1).copied().unwrap_or(markdown.len());
        let text_end = text_ends.next().unwrap_or(end);
        let own = part(markdown, start..end);
        let mut definitions = Vec::new();
        if memmem::find(own.as_bytes(), b"]:").is_some() {
            let fresh = section.head.as_ref().is_none_or(|h| h.fresh);
            definitions = parse::link_definitions(own, fresh);
        }
        while let Some(footnote) = footnotes.next_if(|d| d.at < end) {
            definitions.push(Definition { at: footnote.at.saturating_sub(start), ..*footnote });
        }
        if !definitions.is_empty() {
            definitions.sort_unstable();
            let notes = section.notes();
            (notes.definitions, notes.text_end) = (definitions, text_end.saturating_sub(start));
        }
    }
}

fn not_utf8(bytes: &[u8], at: usize) -> Refusal {
    let line = bytes.get(..at).unwrap_or(bytes).iter().filter(|b| **b == b'\n').count() + 1;
    refuse(RefusalCode::NotUtf8, format!("line {line} is not UTF-8 (byte {at} of the file)"))
        .hint("save the file as UTF-8")
        .lines([line])
}

fn lone_cr(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = memchr(b'\r', bytes.get(from..)?).map(|i| from + i) {
        if bytes.get(at + 1) != Some(&b'\n') {
            return Some(at);
        }
        from = at + 2;
    }
    None
}
