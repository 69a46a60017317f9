//! Markdown as a reader sees it: its words, whatever markup stands around and within them, and which of them a comment stands beside.
//! For comparing what two texts say; nothing of it bears on an edit.

use super::bounds;
use super::item::{Item, without_our_end};
use super::parse::{self, Events, Known};
use super::text::{line_end, line_start, part};
use pulldown_cmark::{Event, Tag, TagEnd};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// Bytes by which places are kept in order; beyond them each is compared.
const HEAD: usize = 64;

/// From Thai on there are scripts without blanks between words.
const FIRST_WITHOUT_BLANKS: char = '\u{e00}';

/// Elements that stand within a word (`dou<b>bt</b>`); every other one ends it.
const WITHIN_WORDS: [&str; 17] = [
    "a", "b", "code", "del", "em", "font", "i", "ins", "mark", "s", "small", "span", "strong", "sub", "sup",
    "u", "wbr",
];

/// Comments one above the other that are taken to stand beside the block below them.
const WAITING_MAX: usize = 64;

/// The words of a text, and the comments among them that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenWords {
    /// Letters and digits one behind the other, without case and accents.
    letters: String,
    /// Where in them words begin, in their order. In scripts without blanks between words each letter is one.
    begins: Vec<usize>,
    /// The same by what is said there, as far as [`HEAD`].
    by_words: Vec<usize>,
    remarks: Vec<Remark>,
    /// Comments that were asked for, also those that stand beside no words.
    comments: usize,
}

/// A comment that stands beside words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The comment, as it is written.
    pub comment: String,
    /// The letters it stands beside: those before it in its paragraph, item or row; where there are none, those of the block behind it.
    /// At the end of an item's first paragraph it stands beside the rest of the item, too, up to a list within that.
    pub beside: Range<usize>,
    /// The same by paragraphs, items, rows and blocks of code, and in these by lines. The head of a table with rows is left out.
    pub blocks: Vec<Vec<Range<usize>>>,
}

impl SeenWords {
    /// Reads a text. A comment is one only where Markdown has it as one, which it is not in code.
    #[must_use]
    pub fn of(text: &str, is_wanted: impl Fn(&str) -> bool) -> SeenWords {
        let mut reader = Reader {
            text,
            is_wanted: &is_wanted,
            seen: SeenWords::default(),
            blocks: Vec::new(),
            block: Block::default(),
            in_word: false,
            depth: 0,
            images: 0,
            html: None,
            kind: 0..0,
            waiting: Vec::new(),
            item: None,
        };
        // What holds too much to be parsed is not merged either.
        if bounds::check(text).is_ok() {
            parse::each_event(text, |event, range| reader.event(event, range));
            reader.end_block();
        }
        reader.seen.remarks.retain(|remark| !remark.beside.is_empty());
        let mut by_words = reader.seen.begins.clone();
        by_words.sort_by(|one, other| reader.seen.head(*one).cmp(reader.seen.head(*other)));
        SeenWords { by_words, ..reader.seen }
    }

    fn head(&self, at: usize) -> &[u8] {
        let end = self.letters.len().min(at + HEAD);
        self.letters.as_bytes().get(at..end).unwrap_or_default()
    }

    /// Its comments that stand beside words, in their order.
    #[must_use]
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// How many of the comments that were asked for Markdown reads as comments, whatever they stand beside.
    #[must_use]
    pub fn comments(&self) -> usize {
        self.comments
    }

    /// The letters in this range.
    #[must_use]
    pub fn letters(&self, at: &Range<usize>) -> &str {
        part(&self.letters, at.clone())
    }

    /// All of its letters.
    #[must_use]
    pub fn all_letters(&self) -> &str {
        &self.letters
    }

    /// Where it says these letters as whole words, in no order.
    pub fn places<'r>(&'r self, letters: &'r str) -> impl Iterator<Item = Range<usize>> + 'r {
        let head = letters.as_bytes().get(..HEAD).unwrap_or(letters.as_bytes());
        let first = self.by_words.partition_point(|at| self.head(*at) < head);
        let near = self.by_words.get(first..).unwrap_or_default().iter().copied();
        let ends = |at: usize| at == self.letters.len() || self.begins.binary_search(&at).is_ok();
        near.take_while(move |at| !head.is_empty() && self.head(*at).starts_with(head))
            .map(|at| at..at + letters.len())
            .filter(move |at| self.letters(at) == letters && ends(at.end))
    }
}

/// The text of a section below its own heading.
#[must_use]
pub fn without_heading(section: &str) -> &str {
    let scan = parse::scan(section, &Known::NOTHING, Events::None);
    let heading = scan.headings.first().filter(|heading| heading.start == 0);
    part(section, heading.map_or(0, |heading| heading.end)..section.len())
}

/// The items of a text that is nothing but lists, nested ones too, in their order: from its bullet to where a remark about it has its
/// place, at the end of its first paragraph and before what we write there. `None` for another text, and where an item does not begin with
/// a paragraph.
#[must_use]
pub fn items_to_remark(text: &str) -> Option<Vec<Range<usize>>> {
    let mut list = ListReader { text, depth: 0, item: None, found: Some(Vec::new()) };
    if bounds::check(text).is_ok() {
        parse::each_event(text, |event, range| list.event(event, &range));
    }
    list.found.filter(|found| !found.is_empty())
}

struct ListReader<'t> {
    text: &'t str,
    depth: usize,
    /// Where the item began whose first paragraph is being read, and how far that was read.
    item: Option<(usize, Option<usize>)>,
    /// Nothing once something else than a list was seen.
    found: Option<Vec<Range<usize>>>,
}

impl ListReader<'_> {
    fn event(&mut self, event: &Event, range: &Range<usize>) {
        let is_first = matches!(self.item, Some((_, None)));
        match event {
            Event::Start(tag) if is_inline(&tag.to_end()) => self.reads_to(range.end),
            Event::End(tag) if is_inline(tag) => {}
            Event::Start(Tag::Paragraph) if self.depth > 0 && is_first => self.depth += 1,
            Event::Start(tag) => {
                self.end_paragraph();
                if self.depth == 0 && !matches!(tag, Tag::List(_)) {
                    self.found = None;
                }
                if matches!(tag, Tag::Item) {
                    self.item = Some((range.start, None));
                }
                self.depth += 1;
            }
            Event::End(_) => {
                self.end_paragraph();
                self.depth -= 1;
            }
            Event::Text(_) | Event::Code(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) => {
                self.reads_to(range.end);
            }
            // A rule, or raw HTML.
            _ => {}
        }
    }

    fn reads_to(&mut self, to: usize) {
        if let Some((_, end)) = &mut self.item {
            *end = Some(end.unwrap_or(0).max(to));
        }
    }

    fn end_paragraph(&mut self) {
        let Some((start, end)) = self.item.take() else { return };
        let Some(end) = end else { return self.found = None };
        let from = line_start(self.text, end);
        let end = from + without_our_end(part(self.text, from..end)).len();
        self.found.iter_mut().for_each(|found| found.push(start..end));
    }
}

/// Whether a tag of HTML ends no word.
fn is_within_words(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    WITHIN_WORDS.iter().any(|within| name[..end].eq_ignore_ascii_case(within))
}

/// Whether a tag stands within a line.
fn is_inline(tag: &TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Letters between two ends of blocks.
#[derive(Debug, Default)]
struct Block {
    at: Range<usize>,
    lines: Vec<Range<usize>>,
    is_head: bool,
    /// The comment that stands where it begins, within a paragraph.
    behind: Option<usize>,
}

/// A comment with no words before it, until those behind it are read.
struct Waiting {
    remark: usize,
    /// Where the words begin that may be meant.
    from: usize,
    /// The block that is being read for it: how deep it stands, and the first of the blocks it consists of.
    within: Option<(usize, usize)>,
}

struct Reader<'t> {
    text: &'t str,
    is_wanted: &'t dyn Fn(&str) -> bool,
    seen: SeenWords,
    blocks: Vec<Block>,
    /// The one being read: from the last line's end on, its last line is open.
    block: Block,
    in_word: bool,
    depth: usize,
    /// How many images the text stands in: of what is there only words are shown.
    images: usize,
    /// Raw HTML of a block, until all of it is there.
    html: Option<String>,
    /// Bytes of an item's kind (`[W]`), which is none of its words.
    kind: Range<usize>,
    waiting: Vec<Waiting>,
    item: Option<OwnText>,
}

/// The text of an item outside of lists within it.
#[derive(Debug, Default)]
struct OwnText {
    /// Comments in its first paragraph; behind that, those that end it.
    remarks: Vec<usize>,
    is_below_first: bool,
}

impl Reader<'_> {
    fn event(&mut self, event: &Event, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(*tag),
            Event::Text(text) | Event::Code(text) if !self.kind.contains(&range.start) => self.say(text),
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            Event::Html(html) => self.html.get_or_insert_default().push_str(html),
            Event::InlineHtml(html) if self.images == 0 => self.say_html(html),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag, range: Range<usize>) {
        match tag {
            Tag::Image { .. } => return self.images += 1,
            tag if is_inline(&tag.to_end()) => return,
            Tag::TableCell => return self.in_word = false,
            Tag::Item => self.kind = kind_of_item(self.text, &range),
            _ => {}
        }
        self.end_block();
        match tag {
            Tag::Item => self.item = Some(OwnText::default()),
            Tag::List(_) => self.item = None,
            _ => {}
        }
        self.depth += 1;
        self.block.is_head = matches!(tag, Tag::TableHead);
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.within.is_none()) {
            waiting.within = Some((self.depth, self.blocks.len()));
            waiting.from = self.seen.letters.len();
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Image => return self.images -= 1,
            tag if is_inline(&tag) => return,
            TagEnd::TableCell => return self.in_word = false,
            TagEnd::HtmlBlock => {
                let html = self.html.take().unwrap_or_default();
                self.say_html(&html);
            }
            _ => {}
        }
        self.end_block();
        self.item = self.item.take().filter(|_| tag != TagEnd::Item);
        let ended = |waiting: &Waiting| waiting.within.is_some_and(|(depth, _)| depth == self.depth);
        let (ended, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(ended);
        self.waiting = waiting;
        ended.into_iter().for_each(|waiting| self.stands_before(waiting));
        self.depth -= 1;
    }

    /// The block behind a comment has been read; the next one is meant where it says nothing.
    fn stands_before(&mut self, waiting: Waiting) {
        let beside = waiting.from..self.seen.letters.len();
        let blocks = waiting.within.and_then(|(_, first)| self.blocks.get(first..)).unwrap_or_default();
        let heads = if blocks.iter().all(|block| block.is_head) { blocks } else { &[] };
        let rows = blocks.iter().filter(|block| !block.is_head).chain(heads);
        let blocks = rows.map(|block| block.lines.clone()).collect();
        match self.seen.remarks.get_mut(waiting.remark).filter(|_| !beside.is_empty()) {
            Some(remark) => (remark.beside, remark.blocks) = (beside, blocks),
            None => self.waiting.push(Waiting { within: None, ..waiting }),
        }
    }

    fn say(&mut self, text: &str) {
        for c in text.nfkd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)) {
            match c {
                '\n' => self.end_line(),
                c if c.is_alphanumeric() => {
                    if !self.in_word || c >= FIRST_WITHOUT_BLANKS {
                        self.seen.begins.push(self.seen.letters.len());
                    }
                    self.seen.letters.extend(c.to_lowercase());
                    self.in_word = true;
                }
                _ => self.in_word = false,
            }
        }
    }

    /// The text of raw HTML, and the comments in it.
    fn say_html(&mut self, html: &str) {
        let mut rest = html;
        while let Some((before, _)) = rest.split_once('<') {
            self.say_decoded(before);
            let tag = part(rest, before.len()..rest.len());
            let begins = |c: char| c == '/' || c.is_ascii_alphabetic();
            let is_tag = tag[1..].starts_with(begins) || tag.starts_with("<!--");
            if !is_tag {
                rest = &tag[1..];
                self.in_word = false;
                continue;
            }
            let close = if tag.starts_with("<!--") { "-->" } else { ">" };
            let Some(end) = tag.find(close).map(|at| at + close.len()) else { return };
            let (tag, behind) = tag.split_at(end);
            if (self.is_wanted)(tag) {
                self.remark(tag);
            }
            self.in_word &= close == "-->" || is_within_words(tag);
            rest = behind;
        }
        self.say_decoded(rest);
    }

    fn say_decoded(&mut self, text: &str) {
        if !text.contains('&') {
            return self.say(text);
        }
        for line in text.split_inclusive('\n') {
            parse::each_event(line, |event, _| {
                if let Event::Text(text) | Event::Code(text) = event {
                    self.say(text);
                }
            });
            self.end_line();
        }
    }

    /// A comment that was asked for stands here.
    fn remark(&mut self, comment: &str) {
        self.seen.comments += 1;
        self.end_line();
        let here = self.seen.letters.len();
        let remark = self.seen.remarks.len();
        let lines = std::mem::take(&mut self.block.lines);
        let before = self.block.behind.and_then(|before| self.seen.remarks.get(before));
        let (beside, blocks) = match before.filter(|_| self.block.at.start == here) {
            Some(before) => (before.beside.clone(), before.blocks.clone()),
            None => (self.block.at.start..here, vec![lines.clone()]),
        };
        if beside.is_empty() {
            if self.waiting.len() == WAITING_MAX {
                self.waiting.remove(0);
            }
            self.waiting.push(Waiting { remark, from: here, within: None });
        } else {
            // What follows is a block of its own for the next comment, but for one that stands right behind.
            let is_head = self.block.is_head;
            let behind = Block { at: here..here, behind: Some(remark), is_head, ..Block::default() };
            let block = std::mem::replace(&mut self.block, behind);
            if block.at.start < here {
                self.blocks.push(Block { at: block.at.start..here, lines, ..block });
            }
            let first = self.item.as_mut().filter(|item| !item.is_below_first);
            first.into_iter().for_each(|item| item.remarks.push(remark));
        }
        self.seen.remarks.push(Remark { comment: comment.to_owned(), beside, blocks });
    }

    fn end_line(&mut self) {
        self.in_word = false;
        let here = self.seen.letters.len();
        let from = self.block.lines.last().map_or(self.block.at.start, |line| line.end);
        if from < here {
            self.block.lines.push(from..here);
        }
    }

    /// The paragraph, or whatever was being read, ends here.
    fn end_block(&mut self) {
        self.end_line();
        let here = self.seen.letters.len();
        let block = std::mem::replace(&mut self.block, Block { at: here..here, ..Block::default() });
        let block = Block { at: block.at.start..here, ..block };
        self.end_block_of_item(&block);
        if block.at.is_empty() {
            return;
        }
        // Words in the same paragraph behind a comment, none before it.
        for waiting in self.waiting.extract_if(.., |waiting| waiting.within.is_none()) {
            if let Some(remark) = self.seen.remarks.get_mut(waiting.remark) {
                (remark.beside, remark.blocks) = (block.at.clone(), vec![block.lines.clone()]);
            }
        }
        self.blocks.push(block);
    }

    fn end_block_of_item(&mut self, block: &Block) {
        let Some(item) = self.item.as_mut().filter(|item| !block.at.is_empty() || !item.remarks.is_empty())
        else {
            return;
        };
        if !item.is_below_first {
            item.is_below_first = true;
            let is_last = block.at.is_empty();
            item.remarks.retain(|_| is_last);
        } else if !block.at.is_empty() {
            for remark in &item.remarks {
                let Some(remark) = self.seen.remarks.get_mut(*remark) else { continue };
                remark.beside.end = block.at.end;
                remark.blocks.push(block.lines.clone());
            }
        }
    }
}

/// Where the kind of an item stands.
fn kind_of_item(text: &str, item: &Range<usize>) -> Range<usize> {
    let line = part(text, item.start..line_end(text, item.start));
    let kind = Item::read(line).map(|item| {
        let before = item.bullet.len() + item.task.len() + item.strike.len();
        before..before + item.kind.trim_end().len()
    });
    kind.map_or(0..0, |kind| item.start + kind.start..item.start + kind.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pieces that begin, go on with and end blocks, and comments among them.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "\n",
            "\n\n",
            "    ",
            "- ",
            "1. ",
            "> ",
            "# ",
            "===\n",
            "```",
            "`",
            "~~~\n",
            "<!-- m -->",
            "<!-- m -->\n",
            "<!--",
            "-->",
            "<div>\n",
            "</div>",
            "<b>",
            "<",
            "[a]: ",
            "[^a]: ",
            "[^a]",
            "[a][b]",
            "](",
            "| a | b |\n",
            "|---|---|\n",
            "|",
            "word",
            "tea time ",
            "用户",
            "\\",
            "*",
            "~~",
            "&#111;",
            "- [ ] ",
            "- [O] ",
            " <!-- lw c=0.1 -->",
            " ^id1",
            "É",
            "\r\n",
            "\t",
            "\u{c}",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]
        /// What a comment stands beside is said where it stands, whatever the text.
        #[test]
        fn lines_beside_a_comment_are_found(pieces in prop::collection::vec(piece(), 0..14)) {
            let text = pieces.concat();
            let seen = SeenWords::of(&text, |comment| comment == "<!-- m -->");
            for remark in seen.remarks() {
                for line in remark.blocks.iter().flatten() {
                    prop_assert!(remark.beside.start <= line.start && line.end <= remark.beside.end, "{:?} {:?}", text, seen);
                    prop_assert!(seen.places(seen.letters(line)).any(|at| at == *line), "{:?} {:?}", text, seen);
                }
            }
        }
    }

    /// The words, and what the comments that begin with `<!-- m` stand beside, by their lines.
    fn seen(text: &str) -> (String, Vec<String>) {
        let seen = SeenWords::of(text, |comment| comment.starts_with("<!-- m"));
        let ends = seen.begins.iter().skip(1).copied().chain([seen.letters.len()]);
        let word = |(from, to): (&usize, usize)| seen.letters(&(*from..to)).to_owned();
        let words: Vec<String> = seen.begins.iter().zip(ends).map(word).collect();
        let lines = |block: &Vec<Range<usize>>| {
            block.iter().map(|line| seen.letters(line)).collect::<Vec<_>>().join("/")
        };
        let beside = |remark: &Remark| remark.blocks.iter().map(lines).collect::<Vec<_>>().join(" ");
        (words.join(" "), seen.remarks().iter().map(beside).collect())
    }

    #[test]
    fn words_are_what_a_reader_sees() {
        for (text, words) in [
            ("A *b* `c` **dou**bt, &#111;k\\\nEnd", "a b c doubt ok end"),
            ("a\n\n    code 1\n\n```sh\ncode 2\n```", "a code 1 code 2"),
            ("[a][1] [b] [c](d) ![e](f)[^g] <http://h>\n\n[1]: http://x\n[b]: <y> \"t\"", "a b c e http h"),
            ("a[^1]\n\n[^1]: note", "a note"),
            ("| A b | c |\n|--|--|\n| d | e \\| f |", "a b c d e f"),
            (
                "- [x] task\n- [O] kind\n- [why] ~~kind~~\n  - [link](x) z\n1. [b2] c",
                "task kind kind link z c",
            ),
            (
                "<div class=\"x\">\nin <b>h</b>tml d&#111;ubt <!-- hidden -->\n</div>\n\nx<br>y",
                "in html doubt x y",
            ),
            ("ＡÉ ﬁ e\u{301} 用户", "ae fi e 用 户"),
            ("<p>\na < b, 1<2\n</p>", "a b 1 2"),
            ("<![CDATA[a]]> <?b ?>", "cdata a b"),
            ("<!-- open\n\ntext", ""),
            ("", ""),
        ] {
            assert_eq!(seen(text).0, words, "{text}");
        }
    }

    #[test]
    fn a_comment_stands_beside_the_words_before_it_or_the_block_behind_it() {
        for (text, beside) in [
            ("a b <!-- m --> c <!-- m -->", &["ab", "c"][..]),
            ("a\nb <!-- m -->", &["a/b"]),
            ("a <!-- m --><!-- m --> b", &["a", "a"]),
            ("- a <!-- m --> <!-- m -->\n\n  b", &["a b", "a b"]),
            ("- a <!-- m -->\n- <!-- m --> b", &["a", "b"]),
            ("- a <!-- m -->\n- b <!-- m --> ^id\n  - c", &["a", "b"]),
            ("- a <!-- m -->\n\n  text\n  ```\n  code\n  ```\n  - c\n\n  d\n- b", &["a text code"]),
            ("- a <!-- m --> x\n\n  text", &["a"]),
            ("- a\n\n  text <!-- m -->\n\n  more", &["text"]),
            ("a <!-- m -->\n\ntext", &["a"]),
            ("<!-- m -->\n\n```sh\na b\n\nc\n```\n\nd", &["ab/c"]),
            ("<!-- m -->\n\n- a\n  - b\n- c\n\nd", &["a b c"]),
            ("<!-- m -->\n\n| h |\n|---|\n| a |\n| b |", &["a b"]),
            ("<!-- m -->\n\n| h |\n|---|\n\nx", &["h"]),
            ("<!-- m -->\n<!-- m2 -->\n\n> a\n\nb", &["a", "a"]),
            ("<!-- m --> a", &["a"]),
            ("## <!-- m --> a", &["a"]),
            ("- <!-- m --> a\n- b", &["a"]),
            ("| h | i |\n|---|---|\n| a <!-- m --> |\n| b <!-- m --> | c |", &["a", "b"]),
            ("| h | i |\n|---|---|\n| a | b <!-- m --> |", &["ab"]),
            ("<div>a <!-- m --> b</div>", &["a"]),
            ("```\na <!-- m -->\n```\n`b <!-- m -->` c \\<!-- m -->", &[]),
            ("a\n<!-- m -->", &[]),
            ("a ![<!-- m --> b](c)", &[]),
            ("a <!-- other -->", &[]),
        ] {
            assert_eq!(seen(text).1, beside, "{text}");
        }
    }

    #[test]
    fn letters_are_found_as_whole_words() {
        for (text, letters, found) in [
            ("tea, instead of T-ea. Tea", "tea", 3),
            ("a teapot or two", "tea", 0),
            ("a teapot or two", "teapotor", 1),
            ("我喜欢茶吧", "喜欢茶", 1),
            ("x\n\ny<br>z", "xy", 1),
            ("a", "", 0),
            ("a", "ab", 0),
        ] {
            assert_eq!(SeenWords::of(text, |_| false).places(letters).count(), found, "{text}");
        }
        let long = "a long sentence that says the same for more than a few letters";
        let seen = SeenWords::of(&format!("{long} but once\n\n{long} twice"), |_| false);
        let count = |words: &str| seen.places(&words.replace(' ', "")).count();
        assert_eq!((count(long), count(&format!("{long} twice"))), (2, 1));
        assert_eq!(without_heading("## H\n\na\n"), "\na\n");
        assert_eq!(without_heading("a\n\n## H\n"), "a\n\n## H\n");
    }

    #[test]
    fn a_remark_stands_at_the_end_of_an_items_first_paragraph() {
        for (text, marked) in [
            ("- a\n- [ ] b\n  c\n* [x](y)\n  - *d*\n", Some("- a@\n- [ ] b\n  c@\n* [x](y)@\n  - *d*@\n")),
            (
                "1. a\n   ```\n   b\n   ```\n2. `c`\n\n   d",
                Some("1. a@\n   ```\n   b\n   ```\n2. `c`@\n\n   d"),
            ),
            ("- a <!-- lw c=0.1 --> ^id1\r\n- b ^id2", Some("- a@ <!-- lw c=0.1 --> ^id1\r\n- b@ ^id2")),
            ("- a\n\n1. b[^1]", Some("- a@\n\n1. b[^1]@")),
            ("- a\n\ntext", None),
            ("# H\n- a", None),
            ("- a\n-", None),
            ("- ```\n  a\n  ```", None),
            ("- a\n  ---", None),
            ("- | a |\n  |---|", None),
            ("text", None),
            ("", None),
        ] {
            let places = items_to_remark(text).map(|items| {
                let mut with = text.to_owned();
                items.iter().rev().for_each(|item| with.insert(item.end, '@'));
                with
            });
            assert_eq!(places.as_deref(), marked, "{text}");
        }
    }
}
