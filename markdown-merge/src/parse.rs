//! The one place that calls the Markdown parser. It gives back facts with byte ranges (headings at document level,
//! marker comments, link labels, every event with its depth) and never any rendering.
//!
//! The parser's known traps are dealt with here: vertical tab and form feed are blanks to it and text to CommonMark,
//! ranges of containers reach over the blank lines behind them, and headings occur inside quotes and lists too.

use super::marker::{self, Marker};
use super::text::{line_end, line_start, part};
use super::title::TitleBuilder;
use memchr::{memchr, memchr2, memmem};
use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// What a stretch of Markdown consists of. Offsets count from its beginning.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub headings: Vec<Heading>,
    pub markers: Vec<Marker>,
    /// Link and footnote labels looked up here, whether or not they are defined.
    pub uses: Vec<(usize, u64)>,
    /// Link and footnote labels defined here (of two link definitions with one label, the first).
    pub definitions: Vec<Definition>,
    /// Where the last block before the first heading ends; see `Heading::text_end`.
    pub text_end: usize,
    /// Footnote labels defined here, as written.
    pub footnotes: Vec<(u64, String)>,
    /// Every event but the ends; only when asked for.
    pub events: Vec<Happening>,
}

/// Which events are wanted, and whether what they say is to be compared.
#[derive(Debug, Clone, Copy)]
pub(super) enum Events<'z> {
    /// None: headings, markers and labels alone.
    None,
    /// Their kinds and places.
    Places,
    /// With what they mean to a reader, but for those that begin in this range and are no HTML: an operation owns it,
    /// and reading its text for nothing is most of what a long section costs.
    Outside(&'z Range<usize>),
}

/// A heading at document level, snapped to whole lines.
#[derive(Debug)]
pub(super) struct Heading {
    pub start: usize,
    pub end: usize,
    pub level: u8,
    pub forms: Vec<Box<str>>,
    /// Where the last block of the text below it ends; definitions, footnotes, comments and anchors at the end of that
    /// text do not count.
    pub text_end: usize,
}

/// A link or footnote label that is defined, in the order of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Definition {
    /// Where its first line begins; what it counts from is its holder's choice (a scan or a section).
    pub at: usize,
    pub label: u64,
    /// Equal where a link leads to the same place under the same title; 0 for footnotes.
    pub value: u64,
}

/// One event, reduced to what a reader would notice if it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Happening {
    /// What it says; 0 where it was not asked for.
    pub what: u64,
    pub kind: Kind,
    pub depth: u32,
    pub start: usize,
    /// Blank lines behind it excluded.
    pub end: usize,
}

/// The sorts of event some rule asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Paragraph,
    Heading,
    List,
    LooseItem,
    Item,
    Table,
    Row,
    IndentedCode,
    FencedCode,
    Html,
    Other,
}

/// What the rest of the document defines, for a stretch that is parsed alone.
pub(super) struct Known<'a> {
    /// Whether a link label is defined outside the stretch.
    pub link: &'a dyn Fn(u64) -> bool,
    /// Footnote labels defined outside the stretch.
    pub footnotes: &'a dyn Fn(u64) -> Option<String>,
}

impl Known<'static> {
    /// Nothing is defined elsewhere: the stretch is a whole document.
    pub(super) const NOTHING: Known<'static> = Known { link: &|_| false, footnotes: &|_| None };
}

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// The copy the parser sees: same length, vertical tab and form feed as a control character that is text to it, and
/// blanks for tabs behind hashes at the end of a line, which it does not take for a closing sequence otherwise.
fn shadow(text: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    if memchr2(0x0b, 0x0c, text.as_bytes()).is_some() {
        shown = Cow::Owned(text.replace(['\u{b}', '\u{c}'], "\u{1}"));
    }
    let tabs = tabs_behind_hashes(text);
    for at in tabs {
        shown.to_mut().replace_range(at.clone(), &" ".repeat(at.len()));
    }
    shown
}

/// Blanks with a tab among them between a hash and the end of its line.
fn tabs_behind_hashes(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = bytes.get(from..).and_then(|rest| memchr(b'\t', rest)).map(|at| from + at) {
        let blank = |b: &u8| matches!(b, b' ' | b'\t');
        let start =
            bytes.get(..at).and_then(|head| head.iter().rposition(|b| !blank(b))).map_or(0, |i| i + 1);
        let rest = bytes.get(at..).unwrap_or(&[]);
        let end = rest.iter().position(|b| !blank(b)).map_or(bytes.len(), |i| at + i);
        let ends_line = bytes.get(end).is_none_or(|b| matches!(b, b'\r' | b'\n'));
        if ends_line && start.checked_sub(1).and_then(|i| bytes.get(i)) == Some(&b'#') {
            found.push(start..end);
        }
        from = end;
    }
    found
}

/// A label as the parser compares it: runs of white space as one blank, case folded.
fn label_key(label: &str, footnote: bool) -> u64 {
    let mut folded = String::with_capacity(label.len());
    for word in label.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    // Folding twice is for letters beyond ASCII; a document may hold thousands of labels, and most are ASCII.
    if folded.is_ascii() {
        folded.make_ascii_lowercase();
    } else {
        folded = folded.to_lowercase().to_uppercase().to_lowercase();
    }
    hash(&(footnote, folded))
}

/// A link's label, as it is looked up.
pub(super) fn link_label(label: &str) -> u64 {
    label_key(label, false)
}

/// A number that equal values share.
pub(super) fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Parses `text`.
pub(super) fn scan<'t>(text: &'t str, known: &Known, events: Events<'t>) -> Scan {
    let mut source = shadow(text);
    let footnotes = foreign_footnotes(text, known);
    if !footnotes.is_empty() {
        source.to_mut().push_str(&footnotes);
    }
    let mut unresolved = Vec::new();
    let mut out = Scanner::new(text, events);
    {
        let callback = |link: BrokenLink<'_>| {
            let key = label_key(&link.reference, false);
            unresolved.push((link.span.start, key));
            (known.link)(key).then_some((CowStr::Borrowed("#"), CowStr::Borrowed("")))
        };
        let parser = Parser::new_with_broken_link_callback(&source, OPTIONS, Some(callback));
        out.scan.definitions = link_definitions_of(&parser);
        for (event, range) in parser.into_offset_iter() {
            out.event(&event, range);
        }
    }
    out.scan.uses.extend(unresolved.into_iter().filter(|(at, _)| *at < text.len()));
    out.scan
}

/// Labels that `text` looks up, whether or not they are defined.
pub(super) fn labels(text: &str) -> Vec<u64> {
    scan(text, &Known::NOTHING, Events::None).uses.into_iter().map(|(_, label)| label).collect()
}

/// Link definitions of `text` alone, without reading its inline text: label and value. If `text` is not `fresh` (the
/// rest of a paragraph that began with definitions), it is read behind a definition nobody can write.
pub(super) fn link_definitions(text: &str, fresh: bool) -> Vec<Definition> {
    const BEFORE: &str = "[\u{1}\u{1}]: x \"title\"\n";
    let before = if fresh { "" } else { BEFORE };
    let all = link_definitions_of(&Parser::new_ext(&format!("{before}{}", shadow(text)), OPTIONS));
    let own = all.into_iter().filter_map(|d| Some((d.at.checked_sub(before.len())?, d)));
    own.map(|(at, d)| Definition { at: line_start(text, at), ..d }).collect()
}

fn link_definitions_of<'a, F: pulldown_cmark::BrokenLinkCallback<'a>>(
    parser: &Parser<'a, F>,
) -> Vec<Definition> {
    let defined = parser.reference_definitions().iter();
    let mut found: Vec<_> = defined
        .map(|(label, def)| Definition {
            at: def.span.start,
            label: label_key(label, false),
            value: hash(&(&*def.dest, def.title.as_deref())),
        })
        .collect();
    // The parser keeps them in a hash map: without sorting, two runs would differ.
    found.sort_unstable();
    found
}

/// Hands over every event of a text that stands alone, with links and footnotes read as if all of them were defined.
pub(super) fn each_event(text: &str, mut each: impl FnMut(&Event, Range<usize>)) {
    let mut source = shadow(text);
    let labels: BTreeSet<&str> = footnote_labels(text).collect();
    for label in labels {
        source.to_mut().push_str(&format!("\n\n[^{label}]: x"));
    }
    let defined = |_: BrokenLink<'_>| Some((CowStr::Borrowed("#"), CowStr::Borrowed("")));
    let parser = Parser::new_with_broken_link_callback(&source, OPTIONS, Some(defined));
    for (event, range) in parser.into_offset_iter().filter(|(_, range)| range.start < text.len()) {
        each(&event, range);
    }
}

/// Definitions to put behind a stretch so that its footnote references are read as in the whole document.
fn foreign_footnotes(text: &str, known: &Known) -> String {
    let mut out = String::new();
    let mut seen: Vec<u64> = Vec::new();
    for label in footnote_labels(text) {
        let key = label_key(&shadow(label), true);
        if let Some(label) = (known.footnotes)(key).filter(|_| !seen.contains(&key)) {
            seen.push(key);
            out.push_str(&format!("\n\n[^{label}]: x"));
        }
    }
    out
}

/// What may be a footnote's label, wherever it stands.
fn footnote_labels(text: &str) -> impl Iterator<Item = &str> {
    memmem::find_iter(text.as_bytes(), b"[^").filter_map(|at| footnote_label(part(text, at + 2..text.len())))
}

/// The label at the head of `text`, up to its `]`; a footnote's label is one line of at most 999 bytes, and a bracket
/// in it is escaped.
fn footnote_label(text: &str) -> Option<&str> {
    let near = text.as_bytes().get(..text.len().min(1000))?;
    let mut escaped = false;
    let end = near.iter().position(|b| {
        let ends = matches!(b, b'\n') || !escaped && matches!(b, b']' | b'[');
        escaped = !escaped && *b == b'\\';
        ends
    })?;
    text.get(..end).filter(|label| !label.is_empty() && near.get(end) == Some(&b']'))
}

/// Reads the events of one parse.
struct Scanner<'t> {
    text: &'t str,
    scan: Scan,
    events: Events<'t>,
    depth: u32,
    title: Option<TitleBuilder>,
    trimmed: (usize, usize),
    /// Inside a footnote at document level.
    in_footnote: bool,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, events: Events<'t>) -> Self {
        Scanner {
            text,
            scan: Scan::default(),
            events,
            depth: 0,
            title: None,
            trimmed: (0, 0),
            in_footnote: false,
        }
    }

    fn event(&mut self, event: &Event, range: Range<usize>) {
        if let Event::End(tag) = event {
            self.depth = self.depth.saturating_sub(1);
            return self.end(*tag, range);
        }
        if range.start < self.text.len() || self.text.is_empty() {
            self.text_end(event, &range);
            self.note(event, &range);
            self.labels(event, &range);
            self.title_part(event, &range);
        }
        if let Event::Start(tag) = event {
            self.start(tag, range);
            self.depth += 1;
        }
    }

    fn start(&mut self, tag: &Tag, range: Range<usize>) {
        match tag {
            Tag::Heading { .. } if self.depth == 0 => self.title = Some(TitleBuilder::default()),
            Tag::HtmlBlock if self.depth == 0 => self.marker(range),
            Tag::Image { .. } => {
                if let Some(title) = &mut self.title {
                    title.image(true);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Heading(level) if self.depth == 0 => {
                let Some(title) = self.title.take() else { return };
                let end = range.end.min(self.text.len()).max(range.start + 1);
                self.scan.headings.push(Heading {
                    start: line_start(self.text, range.start),
                    end: line_end(self.text, end - 1),
                    level: level as u8,
                    forms: title.forms(self.text),
                    text_end: line_end(self.text, end - 1),
                });
            }
            TagEnd::FootnoteDefinition if self.depth == 0 => self.in_footnote = false,
            TagEnd::Image => {
                if let Some(title) = &mut self.title {
                    title.image(false);
                }
            }
            _ => {}
        }
    }

    /// Notes where text ends. What may stand behind it and not be text has no event (definitions of links), is a footnote,
    /// or is a comment or an anchor. A list or quote reaches over definitions behind it, so what is in it counts.
    fn text_end(&mut self, event: &Event, range: &Range<usize>) {
        let Event::Start(tag) = event else {
            // The text of a tight item has no paragraph around it.
            // A rule reaches over the end of its line, where there is one.
            if matches!(event, Event::Rule | Event::Text(_)) && !self.in_footnote && self.title.is_none() {
                let end = if matches!(event, Event::Rule) { self.trimmed_end(range) } else { range.end };
                self.text_ends_at(end);
            }
            return;
        };
        self.in_footnote |= self.depth == 0 && matches!(tag, Tag::FootnoteDefinition(_));
        let source = || part(self.text, range.start..range.end.min(self.text.len()));
        match tag {
            _ if self.in_footnote => {}
            Tag::Heading { .. } if self.depth == 0 => {}
            Tag::HtmlBlock if self.depth == 0 && marker::is_comment(source()) && is_remark(source()) => {}
            Tag::Paragraph if self.depth == 0 && source().lines().all(marker::is_anchor_line) => {}
            Tag::List(_) | Tag::Item | Tag::BlockQuote(_) => {
                self.text_ends_at(line_end(self.text, range.start));
            }
            Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_) => {
                let end = self.trimmed_end(range);
                self.text_ends_at(end);
            }
            _ => {}
        }
    }

    fn text_ends_at(&mut self, end: usize) {
        let last = self.scan.headings.last_mut().map(|heading| &mut heading.text_end);
        let last = last.unwrap_or(&mut self.scan.text_end);
        *last = end.max(*last);
    }

    fn marker(&mut self, range: Range<usize>) {
        let end = range.end.min(self.text.len());
        let html = part(self.text, range.start..end);
        if let Some(mark) = marker::of_html(html) {
            let last = range.start + html.trim_end().len().max(1) - 1;
            let (start, end) = (line_start(self.text, range.start), line_end(self.text, last));
            self.scan.markers.push(Marker { start, end, mark });
        }
    }

    fn labels(&mut self, event: &Event, range: &Range<usize>) {
        match event {
            Event::Start(Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. })
                if matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut) =>
            {
                self.scan.uses.push((range.start, label_key(id, false)));
            }
            Event::FootnoteReference(label) => self.scan.uses.push((range.start, label_key(label, true))),
            Event::Start(Tag::FootnoteDefinition(label)) => {
                let key = label_key(label, true);
                let at = line_start(self.text, range.start);
                self.scan.definitions.push(Definition { at, label: key, value: 0 });
                self.scan.footnotes.push((key, label.to_string()));
            }
            // A footnote reference without its definition is plain text to the parser.
            Event::Text(text)
                if text.starts_with('^')
                    && range.start > 0
                    && self.text.as_bytes().get(range.start - 1) == Some(&b'[') =>
            {
                let rest = part(self.text, range.start + 1..self.text.len());
                let key = footnote_label(rest).map(|label| label_key(&shadow(label), true));
                self.scan.uses.extend(key.map(|key| (range.start, key)));
            }
            _ => {}
        }
    }

    fn title_part(&mut self, event: &Event, range: &Range<usize>) {
        let Some(title) = &mut self.title else { return };
        title.covers(range.start, range.end.min(self.text.len()));
        match event {
            Event::Text(text) | Event::Code(text) => title.text(text),
            Event::SoftBreak | Event::HardBreak => title.text(" "),
            _ => {}
        }
    }

    fn note(&mut self, event: &Event, range: &Range<usize>) {
        if matches!(self.events, Events::None) {
            return;
        }
        if let Event::Start(Tag::Paragraph) = event {
            // A paragraph directly in an item is what makes a list loose.
            let in_item =
                self.scan.events.last_mut().filter(|e| e.kind == Kind::Item && e.depth + 1 == self.depth);
            if let Some(item) = in_item {
                item.kind = Kind::LooseItem;
            }
        }
        let end = self.trimmed_end(range);
        let kind = kind(event);
        let what = match self.events {
            Events::Outside(zone) if kind == Kind::Html || !zone.contains(&range.start) => meaning(event),
            _ => 0,
        };
        self.scan.events.push(Happening { what, kind, depth: self.depth, start: range.start, end });
    }

    /// The end of `range` without the blanks before it. Nested containers share their end, so the last answer is
    /// kept: a thousand open lists before a thousand blank lines must not cost a million steps.
    fn trimmed_end(&mut self, range: &Range<usize>) -> usize {
        let end = range.end.min(self.text.len());
        let (from, to) = self.trimmed;
        if !(to <= end && end <= from) {
            let head = self.text.as_bytes().get(..end).unwrap_or(&[]);
            let last = head.iter().rposition(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
            self.trimmed = (end, last.map_or(0, |i| i + 1));
        }
        self.trimmed.1.max(range.start)
    }
}

/// Whether a comment is no marker, or one only where another names it.
fn is_remark(html: &str) -> bool {
    marker::of_html(html).is_none_or(|mark| mark.form == marker::Form::Name)
}

fn kind(event: &Event) -> Kind {
    use pulldown_cmark::CodeBlockKind::Indented;
    match event {
        Event::Start(Tag::Paragraph) => Kind::Paragraph,
        Event::Start(Tag::Heading { .. }) => Kind::Heading,
        Event::Start(Tag::List(_)) => Kind::List,
        Event::Start(Tag::Item) => Kind::Item,
        Event::Start(Tag::Table(_)) => Kind::Table,
        Event::Start(Tag::TableHead | Tag::TableRow) => Kind::Row,
        Event::Start(Tag::CodeBlock(Indented)) => Kind::IndentedCode,
        Event::Start(Tag::CodeBlock(_)) => Kind::FencedCode,
        Event::Start(Tag::HtmlBlock) | Event::Html(_) | Event::InlineHtml(_) => Kind::Html,
        _ => Kind::Other,
    }
}

/// A number two events share when a reader would see the same. Where a reference leads is left out: whether it still
/// leads there is decided by its label, for the whole document (see `links`).
fn meaning(event: &Event) -> u64 {
    let mut h = DefaultHasher::new();
    std::mem::discriminant(event).hash(&mut h);
    match event {
        Event::Start(tag) => {
            std::mem::discriminant(tag).hash(&mut h);
            tag_meaning(tag, &mut h);
        }
        // The last line of a code block has its line end in the text, unless the file ends there.
        Event::Text(t) | Event::Html(t) => t.trim_end_matches(['\r', '\n']).hash(&mut h),
        Event::Code(t) | Event::InlineHtml(t) | Event::FootnoteReference(t) => t.as_bytes().hash(&mut h),
        Event::TaskListMarker(done) => done.hash(&mut h),
        _ => {}
    }
    h.finish()
}

fn tag_meaning(tag: &Tag, h: &mut DefaultHasher) {
    match tag {
        Tag::Heading { level, .. } => (*level as u8).hash(h),
        Tag::List(first) => first.hash(h),
        Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Fenced(info)) => info.as_bytes().hash(h),
        Tag::FootnoteDefinition(label) => label.as_bytes().hash(h),
        Tag::Table(columns) => columns.iter().for_each(|c| (*c as u8).hash(h)),
        Tag::Link {
            link_type: LinkType::Inline | LinkType::Autolink | LinkType::Email,
            dest_url,
            title,
            ..
        }
        | Tag::Image { link_type: LinkType::Inline, dest_url, title, .. } => {
            dest_url.as_bytes().hash(h);
            title.as_bytes().hash(h);
        }
        _ => {}
    }
}

/// Whether a heading put behind `text` is still seen as one: false when a fence, comment or the like is left open.
pub(super) fn is_closed(text: &str) -> bool {
    // Only raw HTML and fences go on behind a blank line, in front of a line that is not indented.
    let bytes = text.as_bytes();
    let may_be_open = memchr2(b'<', b'~', bytes).is_some() || memmem::find(bytes, b"```").is_some();
    if !may_be_open {
        return true;
    }
    is_closed_when_read(text)
}

/// The same, by reading it.
fn is_closed_when_read(text: &str) -> bool {
    let probe = format!("{text}\n\n# S");
    let at = probe.len() - 3;
    let seen = scan(&probe, &Known::NOTHING, Events::None);
    seen.headings.last().is_some_and(|h| h.start == at && h.level == 1)
}

#[cfg(test)]
mod tests {
    use super::{is_closed, is_closed_when_read, label_key};
    use proptest::prelude::*;

    /// Pieces that begin, go on with and end blocks of every kind.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "\n",
            "\n\n",
            "    ",
            "\t",
            " ",
            "- ",
            "1. ",
            "> ",
            "# ",
            "===\n",
            "---\n",
            "```",
            "``",
            "`",
            "~",
            "~~~\n",
            "<",
            "<!--",
            "-->",
            "<pre>\n",
            "<?",
            "<div>\n",
            "[a]: ",
            "[^a]: ",
            "[^a]",
            "[a](",
            "\"",
            "| a | b |\n",
            "|---|---|\n",
            "word",
            "\\",
            "*",
            "$$",
            ":::\n",
            "+++\n",
            "\u{c}",
            "&lt;",
            "- [ ] ",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]
        #[test]
        fn what_need_not_be_read_is_closed(pieces in prop::collection::vec(piece(), 0..12)) {
            let text = pieces.concat();
            prop_assert_eq!(is_closed(&text), is_closed_when_read(&text), "{:?}", text);
        }
    }

    #[test]
    fn labels_are_one_where_commonmark_says_so() {
        for (one, other) in [("A b", " a \n B "), ("K", "\u{212a}"), ("\u{df}", "SS"), ("\u{3a3}", "\u{3c2}")]
        {
            assert_eq!(label_key(one, false), label_key(other, false), "{one:?} and {other:?}");
        }
        assert_ne!(label_key("a b", false), label_key("ab", false));
        assert_ne!(label_key("a", false), label_key("a", true));
    }
}
