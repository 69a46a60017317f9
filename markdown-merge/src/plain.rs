//! Lists of items below headings, read line by line: what the Markdown parser would say of them, in a fraction of its time. A month of
//! facts consists of little else. Every other part of a document is given to the parser; and all of it where a link or footnote may
//! be defined, which concerns the whole.
//!
//! Why a list can be read so: a line that is not indented goes on with an item only as text of its paragraph. A line that begins with a
//! bullet or with a heading's hashes does not: it ends the item, with every fence, comment and list that was opened in it. So the
//! section holds no heading and no marker but its own, and each item looks up the labels that it looks up when it is read alone.

use super::document::{Section, sections_of};
use super::growing_list::ListEnd;
use super::parse::{self, Events, Known};
use super::text::{is_blank, line_end, part};
use memchr::{memchr, memchr_iter, memchr3, memmem};
use std::ops::Range;

/// Shorter parts go to the parser together with their neighbours: to begin it costs more than it takes for so many bytes.
const BYTES_MIN: usize = 512;

/// What was found without parsing all of a text.
#[derive(Debug, Default)]
pub(super) struct Plain {
    pub sections: Vec<Section>,
    /// How sections end, by their index, where that is a list without blank lines.
    pub lists: Vec<(usize, ListEnd)>,
}

/// The sections of a text that begins a document; `None` where all of it is to be parsed.
pub(super) fn read(markdown: &str, offset: usize) -> Option<Plain> {
    read_parts(markdown, offset, BYTES_MIN)
}

fn read_parts(markdown: &str, offset: usize, bytes_min: usize) -> Option<Plain> {
    let bytes = markdown.as_bytes();
    // A tab is several columns, and the parser is shown other bytes for the two others.
    if memmem::find(bytes, b"]:").is_some() || memchr3(b'\t', 0x0b, 0x0c, bytes).is_some() {
        return None;
    }
    let mut plain = Plain::default();
    let (mut at, mut unread) = (0, 0);
    while at < markdown.len() {
        let end = next_heading(markdown, at);
        let part = (end - at >= bytes_min).then(|| plain_section(markdown, at..end, offset)).flatten();
        if let Some((section, list)) = part {
            if unread < at {
                plain.sections.extend(parsed(markdown, unread..at, offset)?);
            } else if at == 0 && section.head.is_some() {
                plain.sections.push(Section::empty(offset));
            }
            plain.lists.extend(list.map(|list| (plain.sections.len(), list)));
            plain.sections.push(section);
            unread = end;
        }
        at = end;
    }
    if unread == 0 {
        return None;
    }
    if unread < markdown.len() {
        plain.sections.extend(parsed(markdown, unread..markdown.len(), offset)?);
    }
    Some(plain)
}

/// What the parser finds in a part of the text; `None` where that part leaves something open, so that the heading behind it is none.
fn parsed(markdown: &str, range: Range<usize>, offset: usize) -> Option<Vec<Section>> {
    let own = part(markdown, range.clone());
    let bound = part(markdown, range.start..line_end(markdown, range.end));
    let mut scan = parse::scan(bound, &Known::NOTHING, Events::None);
    if range.end < markdown.len() {
        scan.headings.pop().filter(|heading| heading.start == own.len())?;
        scan.uses.retain(|(at, _)| *at < own.len());
    }
    Some(sections_of(own, offset + range.start, &mut scan, range.start == 0))
}

/// The section in this range, where nothing stands in it but a heading, blank lines and items.
fn plain_section(markdown: &str, range: Range<usize>, offset: usize) -> Option<(Section, Option<ListEnd>)> {
    let text = part(markdown, range.clone());
    let heading = if is_heading(text) { part(text, 0..line_end(text, 0)) } else { "" };
    let items = Items::of(text, heading.len())?;
    let section = if heading.is_empty() {
        Section::empty(offset + range.start)
    } else {
        let mut scan = parse::scan(heading, &Known::NOTHING, Events::None);
        let found = sections_of(heading, offset + range.start, &mut scan, false);
        let [section] = found.try_into().ok()?;
        section
    };
    Some((section.with_uses(&items.labels.found), items.list_end(text)))
}

/// The items of a section.
#[derive(Default)]
struct Items<'t> {
    labels: Labels<'t>,
    first: Option<usize>,
    last: usize,
}

impl<'t> Items<'t> {
    /// The items behind a heading of so many bytes; `None` where something else stands between them.
    fn of(text: &'t str, heading: usize) -> Option<Items<'t>> {
        let mut items = Items::default();
        let mut at = heading;
        while at < text.len() {
            let end = line_end(text, at);
            let line = part(text, at..end);
            let is_below_item = || items.first.is_some() && line.starts_with("  ") && !is_blank(line);
            if begins_item(line.as_bytes()) {
                items.begin(text, at);
            } else if !matches!(line, "\n" | "\r\n") && !is_below_item() {
                return None;
            }
            at = end;
        }
        items.begin(text, text.len());
        Some(items)
    }

    /// An item begins here, or the text ends: the item before has been seen whole.
    fn begin(&mut self, text: &'t str, at: usize) {
        if self.first.is_some() {
            self.labels.look_up(part(text, self.last..at));
        }
        if at < text.len() {
            self.first.get_or_insert(at);
            self.last = at;
        }
    }

    /// How a section ends that holds these items, where all of them stand without a blank line.
    fn list_end(&self, text: &str) -> Option<ListEnd> {
        let end = text.trim_end_matches('\n').len();
        let list = part(text, self.first?..end).as_bytes();
        let is_tight = memmem::find(list, b"\n\n").is_none() && memchr(b'\r', text.as_bytes()).is_none();
        is_tight.then_some(ListEnd { item: self.last, end })
    }
}

/// Labels, and the kinds of items among them: most items look up the same few.
#[derive(Default)]
struct Labels<'t> {
    found: Vec<u64>,
    kinds: Vec<&'t str>,
}

/// More kinds are looked for longer than they are hashed.
const KINDS_MAX: usize = 16;

impl<'t> Labels<'t> {
    /// One item, with what is below it.
    fn look_up(&mut self, item: &'t str) {
        let mut brackets = memchr_iter(b'[', item.as_bytes());
        let Some(first) = brackets.next() else { return };
        let Some(kind) = kind(item).filter(|_| first == BULLET && brackets.next().is_none()) else {
            return self.found.extend(parse::labels(item));
        };
        if !self.kinds.contains(&kind) {
            self.found.push(parse::link_label(kind));
            if self.kinds.len() < KINDS_MAX {
                self.kinds.push(kind);
            }
        }
    }
}

/// Bytes of a bullet and its blank.
const BULLET: usize = 2;

/// The kind that an item begins with, where no box of a task can be meant.
fn kind(item: &str) -> Option<&str> {
    let rest = item.get(BULLET..)?.strip_prefix('[')?;
    let (kind, behind) = rest.split_at_checked(memchr(b']', rest.as_bytes())?)?;
    let is_word =
        !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    (is_word && !kind.eq_ignore_ascii_case("x") && behind.starts_with("] ")).then_some(kind)
}

/// Whether a line begins an item at document level whose text is two columns in. To the parser a box without a text is an item without
/// one, which ends with the next blank line.
fn begins_item(line: &[u8]) -> bool {
    let [bullet @ (b'-' | b'*' | b'+'), b' ', rest @ ..] = line else { return false };
    let is_blank = |b: &u8| matches!(b, b' ' | b'\r' | b'\n');
    let is_rule = |b: &u8| b == bullet || is_blank(b);
    let text = match rest {
        [b'[', b' ' | b'x' | b'X', b']', text @ ..] => text,
        _ => rest,
    };
    rest.first().is_some_and(|first| !is_blank(first))
        && !rest.iter().all(is_rule)
        && !text.iter().all(is_blank)
}

/// Whether a text begins with a heading of hashes.
fn is_heading(text: &str) -> bool {
    let hashes = text.bytes().take_while(|b| *b == b'#').count();
    let behind = text.as_bytes().get(hashes);
    (1..=6).contains(&hashes) && behind.is_none_or(|b| matches!(b, b' ' | b'\r' | b'\n'))
}

/// Where the next heading of hashes begins behind the line at `at`, or the end of the text.
fn next_heading(text: &str, at: usize) -> usize {
    let behind = part(text, at..text.len());
    let starts = memmem::find_iter(behind.as_bytes(), b"\n#").map(|end| at + end + 1);
    let mut headings = starts.filter(|start| is_heading(part(text, *start..text.len())));
    headings.next().unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::memory::Memory;
    use crate::{Edit, Merger, Operation, Rules, Stamp};
    use proptest::prelude::*;

    fn by_the_parser(text: &str) -> Vec<Section> {
        let mut scan = parse::scan(text, &Known::NOTHING, Events::None);
        sections_of(text, 7, &mut scan, true)
    }

    /// Lines of which documents are made: what a list has, and what ends one.
    const LINES: &[&str] = &[
        "",
        "",
        "",
        "## 2026-02-16",
        "## A [W] `x`",
        "###",
        "####### seven",
        "#tag",
        "# closed #",
        "   # indented",
        "- a",
        "- [W] a #b <!-- lw 14:30+00:00 c=0.9 --> ^k7m2q9xa",
        "- ~~[O] tabs~~ <!-- lw del=1 -->",
        "- [ ] todo",
        "- [x] done [W]",
        "- [x]",
        "* [B] c",
        "+ d",
        "- ```",
        "- ~~~ [W]",
        "- <!-- open",
        "- <div>",
        "-->",
        "```",
        "  ```",
        "  - nested [n]",
        "    code [c]",
        "  more",
        " lazy",
        "lazy [l]",
        "  ===",
        "===",
        "---",
        "- - -",
        "* * *",
        "- ***",
        "-",
        "- ",
        "-  wide",
        "- # h",
        "- > q [r]",
        "> q",
        "1. one",
        "- 1. x",
        "- | a | b |",
        "- |---|---|",
        "| a |",
        "|---|",
        "- [a](b) [c]",
        "- [a][b]",
        "- [^n]",
        "- [W]x",
        "- [W]",
        "- [w w] x",
        "- \\[W] x",
        "- `[W]` x",
        "- [[l]] x",
        "<!-- c -->",
        "<!-- BEGIN x -->",
        "- [苍] 鹭",
        "\u{feff}",
        "- a\r",
        "\r",
        "## B\r",
        "- [A] *b [c* d]",
        "- a <!-- [x",
        "  b --> [y]",
    ];

    fn line() -> impl Strategy<Value = String> {
        let whole = prop::sample::select(LINES);
        let piece = prop::sample::select(vec![
            "- ", "  ", "# ", "[", "]", "W", "x", " ", "`", "``", "*", "<!--", "-->", "<a", ">", "\\", "!",
            "^", "(", ")", "~~", "|",
        ]);
        prop_oneof![4 => whole.prop_map(str::to_owned), 1 => prop::collection::vec(piece, 0..8).prop_map(|of| of.concat())]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]
        /// Read by lines or by the parser: the same sections, whatever the text.
        #[test]
        fn as_when_all_of_it_is_parsed(lines in prop::collection::vec(line(), 0..12), end in prop::sample::select(vec!["", "\n"])) {
            let text = lines.join("\n");
            let text = text.trim_end_matches('\r').to_owned() + end;
            if let Some(plain) = read_parts(&text, 7, 0) {
                prop_assert_eq!(plain.sections, by_the_parser(&text), "{:?}", text);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]
        /// What comes behind a list whose end is known from its lines comes where it comes when its section is parsed.
        #[test]
        fn what_is_added_below_a_list_is_added_as_when_it_is_parsed(
            lines in prop::collection::vec(line(), 1..10), content in line(), adds in any::<bool>(),
        ) {
            let text = format!("# T\n\n{}\n", lines.join("\n").trim_end_matches('\r'));
            let Some(plain) = read_parts(&text, 0, 0) else { return Ok(()) };
            let stamp = Stamp { id: "k7m2q9xa".into(), at: "2026-02-16T14:30".into(), fields: Vec::new(), occurs: false };
            for (i, end) in plain.lists {
                let merged = [Some(end), None].map(|end| {
                    let mut document = Document::of(text.clone());
                    document.memory = Memory::default();
                    document.memory.keep_list(i, end);
                    let heading: Vec<String> = document.titles(i).into_iter().map(str::to_owned).collect();
                    let level = document.level(i);
                    let mut merger = Merger { document };
                    let edit = match adds {
                        true => Edit { stamp: Some(stamp.clone()), ..Edit::new(heading, level, Operation::Add) },
                        false => Edit::new(heading, level, Operation::Append),
                    };
                    let edit = Edit { content: Some(content.as_str().into()), ..edit };
                    let done = merger.apply([edit], &Rules::default(), &|_| None).map_err(|refusal| refusal.code);
                    (done, merger.verify().is_ok(), merger.into_text())
                });
                prop_assert_eq!(&merged[0], &merged[1], "{:?}", text);
                prop_assert!(merged[0].1);
            }
        }
    }

    #[test]
    fn a_month_of_facts_is_not_parsed_and_what_defines_a_link_is() {
        let item = "- [W] the ferry leaves at noon #harbour <!-- lw 14:30+00:00 --> ^k7m2q9xa\n";
        let month = format!(
            "# Facts\n\nOf a month.\n\n## 2026-02-16\n\n{0}- [ ] call\n  - nested\n{0}",
            item.repeat(9)
        );
        let plain = read(&month, 7).unwrap();
        assert_eq!(plain.sections, by_the_parser(&month));
        let [(2, end)] = plain.lists[..] else { panic!("{:?}", plain.lists) };
        let section = &month[plain.sections[2].start - 7..];
        assert_eq!(format!("{}\n", &section[end.item..end.end]), item);
        for parsed in [&format!("{month}\n[W]: /a\n"), &format!("```\n{month}"), "# T\n\ntext\n"] {
            assert!(read(parsed, 7).is_none(), "{parsed}");
        }
    }
}
