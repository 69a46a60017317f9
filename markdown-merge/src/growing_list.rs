//! Many appends to one list. Where a section ends with a list, more items are read together with its last one alone: read as
//! everything else is, each append would read the whole list again, three times.
//!
//! Why that is enough: at the line of an item of a list at document level every block before it is closed, so what follows is
//! read as if the document began there. What is not local is known of the whole: no blank line stands in the list, so that all of it
//! is tight, and no label of a link or footnote is defined anywhere. Whatever is not as simple as that is left to the reading of the whole section.

use super::append;
use super::body::{self, Body, Follows};
use super::content::Content;
use super::document::Document;
use super::memory::Core;
use super::parse::{self, Events, Happening, Kind, Known, Scan};
use super::splice::{self, AllowedHeadings, Splice, Undo};
use super::text::{is_blank, part};
use crate::Scope;
use std::ops::Range;

/// How a section's text ends: with a list at document level that has no blank lines, all of the text with line feeds. In bytes from
/// the section's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListEnd {
    /// Where the line of the last item begins.
    pub item: usize,
    /// Where the list ends, and with it the section's text.
    pub end: usize,
}

/// Appends items to the list at the end of a section. `None` where that is not known to be simple; the document is as it was then.
pub(super) fn append(document: &mut Document, body: &Body, content: &Content) -> Option<Undo> {
    let start = document.start_of(body.section);
    let known = document.memory.list(body.section)?;
    let simple = matches!(body.follows, Follows::End | Follows::Heading)
        && body.next == body.section + 1
        && start + known.end == body.core.end
        && document.labels.is_empty()
        && document.line_end_for(body.section) == "\n"
        && (body.follows == Follows::End || body.has_gap_behind(document))
        && has_no_blank_line(content.text())
        && !append::is_there(document.slice(body.core.clone()), content);
    if !simple {
        return None;
    }
    let range = start + known.item..document.body_of(body.next);
    let with = format!("\n{}", content.text());
    let (uses, item) = read(document, body, &range, content, &with)?;
    let section = document.section(body.section)?.with_uses(&uses);
    let at = body.core.end;
    let edit = Splice {
        range: at..at,
        with,
        zone: body.start..body.end,
        anchors: None,
        headings: AllowedHeadings::None,
        keeps_markers: true,
    };
    let undo = splice::commit(document, &edit, body.section..body.next, vec![section]);
    let after = body::body(document, body.section, Scope::Own, None);
    let grown =
        Body { core: body.core.start..at + edit.with.len(), end: body.end + edit.with.len(), ..body.clone() };
    if after != grown || splice::front_matter_moved(document) {
        splice::take_back(document, undo);
        return None;
    }
    let end = ListEnd { item: at + 1 + item - start, end: grown.core.end - start };
    document.memory.keep_list(body.section, Some(end));
    Some(undo)
}

/// Reads the last item, the content below it, and what follows up to the next heading. The labels that the content looks up, and
/// where in it the last item begins; `None` unless the content is nothing but more items of the list, and all else is as it was.
fn read(
    document: &Document,
    body: &Body,
    range: &Range<usize>,
    content: &Content,
    with: &str,
) -> Option<(Vec<u64>, usize)> {
    let before = document.slice(range.clone());
    let at = body.core.end - range.start;
    let after = [part(before, 0..at), with, part(before, at..before.len())].concat();
    let (old, new) = (scan(before), scan(&after));
    let behind = at + with.len();
    let expected = above(&old, at)
        .chain(content.events().iter().skip(1).map(|event| moved(event, at + 1)))
        .chain(old.events.iter().filter(|event| event.start >= at).map(|event| moved(event, with.len())));
    let same = expected.map(without_meaning).eq(open_ended(&new, at).map(without_meaning))
        && above(&old, at).map(|event| event.what).eq(above(&new, at).map(|event| event.what));
    let own = |event: &&Happening| event.depth == 0 && event.start < behind;
    let one_list = old.events.first().is_some_and(|first| first.kind == Kind::List && first.start == 0)
        && content.events().first().is_some_and(|first| first.kind == Kind::List && first.start == 0)
        && new.events.iter().filter(own).count() == 1;
    let headings = document.head(body.next).map(|head| after.len() - head.len);
    let plain = new.headings.iter().map(|heading| heading.start).eq(headings)
        && new.markers.is_empty()
        && old.markers.is_empty()
        && new.definitions.is_empty();
    if !(same && one_list && plain) {
        return None;
    }
    let last = content.events().iter().rev().find(|event| event.depth == 1)?.start;
    let begins_line = last == 0 || content.text().as_bytes().get(last - 1) == Some(&b'\n');
    let uses = new.uses.iter().filter(|(place, _)| (at..behind).contains(place)).map(|(_, label)| *label);
    begins_line.then(|| (uses.collect(), last))
}

/// What stands in a text that begins with a list. Where that list ends is left out: it ends where its last item does.
fn open_ended(scan: &Scan, at: usize) -> impl Iterator<Item = Happening> + '_ {
    let events = scan.events.iter().enumerate();
    events.map(move |(n, event)| Happening { end: if n == 0 { at } else { event.end }, ..*event })
}

/// The list above the end of the section's text.
fn above(scan: &Scan, at: usize) -> impl Iterator<Item = Happening> + '_ {
    open_ended(scan, at).filter(move |event| event.start < at)
}

/// Where there is one, a list may be loose; of items that consist of HTML alone, no event says so.
fn has_no_blank_line(text: &str) -> bool {
    !text.lines().any(is_blank)
}

fn moved(event: &Happening, by: usize) -> Happening {
    Happening { start: event.start + by, end: event.end + by, ..*event }
}

/// Content is read for its places alone.
fn without_meaning(event: Happening) -> Happening {
    Happening { what: 0, ..event }
}

fn scan(text: &str) -> Scan {
    parse::scan(text, &Known::NOTHING, Events::Outside(&(0..0)))
}

/// The last item of the list that a section ends with, where that is known.
pub(super) fn last_item(document: &Document, section: usize) -> Option<&str> {
    let ListEnd { item, end } = document.memory.list(section)?;
    let start = document.start_of(section);
    Some(document.slice(start + item..start + end))
}

/// How a section's text ends after an append. `core` is how its end reads, or that of some other text.
pub(super) fn end_of(document: &Document, body: &Body, core: &Core) -> Option<ListEnd> {
    let text = document.slice(body.core.clone());
    let last = core.events.iter().rev().find(|event| event.depth == 0)?;
    let tight = last.kind == Kind::List && has_no_blank_line(part(&core.text, last.start..core.text.len()));
    let items = core.events.iter().rev().take_while(|event| event.start >= last.start);
    let item = items.filter(|event| event.depth == 1).map(|event| event.start).next()?;
    let begins_line = item == 0 || core.text.as_bytes().get(item - 1) == Some(&b'\n');
    let is_end = tight
        && begins_line
        && text.ends_with(&core.text)
        && memchr::memchr(b'\r', text.as_bytes()).is_none();
    let start = document.start_of(body.section);
    let end = body.core.end - start;
    is_end.then(|| ListEnd { item: end - (core.text.len() - item), end })
}

#[cfg(test)]
mod tests {
    use crate::{Edit, Merger, Operation, Rules};

    fn appended(merger: &mut Merger, content: &str) {
        let heading = ["L".to_owned()];
        let edit = Edit { content: Some(content.into()), ..Edit::new(&heading[..], 2, Operation::Append) };
        merger.apply([edit], &Rules::default(), &|_| None).unwrap();
    }

    fn list_end(merger: &Merger) -> Option<&str> {
        let end = merger.document.memory.list(1)?;
        let start = merger.document.start_of(1);
        Some(merger.document.slice(start + end.item..start + end.end))
    }

    #[test]
    fn the_last_item_of_a_list_is_known_from_the_second_append_on() {
        let mut merger = Merger::open(b"## L\n\n- a\n- b\n\n## End\n").unwrap();
        for (content, known) in [
            ("- c", Some("- c")),
            ("- d\n  - nested\n- e\n  more", Some("- e\n  more")),
            ("- f [x] `g`", Some("- f [x] `g`")),
            ("a paragraph", None),
            ("- another list", Some("- another list")),
            ("- h\n\n  loose", None),
        ] {
            appended(&mut merger, content);
            assert_eq!(list_end(&merger), known, "{content}");
        }
        let list = "- a\n- b\n- c\n- d\n  - nested\n- e\n  more\n- f [x] `g`";
        let below = "a paragraph\n\n- another list\n\n- h\n\n  loose";
        assert_eq!(merger.text(), format!("## L\n\n{list}\n\n{below}\n\n## End\n"));
        merger.verify().unwrap();
    }

    #[test]
    fn a_list_that_is_loose_without_a_word_of_text_is_read_whole() {
        let mut merger = Merger::open(b"## L\n\n- a\n").unwrap();
        appended(&mut merger, "- <!-- b -->");
        assert_eq!(list_end(&merger), Some("- <!-- b -->"));
        appended(&mut merger, "- <!-- c -->\n\n- <!-- d -->");
        assert_eq!(merger.text(), "## L\n\n- a\n- <!-- b -->\n\n- <!-- c -->\n\n- <!-- d -->\n");
        assert_eq!(list_end(&merger), None);
    }

    #[test]
    fn what_is_changed_in_between_is_read_anew() {
        let mut merger = Merger::open(b"## L\n\n- a\n\n## End\n").unwrap();
        appended(&mut merger, "- b");
        let heading = ["L".to_owned()];
        let update =
            Edit { content: Some("- b\n- c\n".into()), ..Edit::new(&heading[..], 2, Operation::Update) };
        merger.apply([update], &Rules::default(), &|_| None).unwrap();
        assert_eq!(list_end(&merger), None);
        appended(&mut merger, "* d");
        assert_eq!(merger.text(), "## L\n\n- b\n- c\n\n* d\n\n## End\n");
    }
}
