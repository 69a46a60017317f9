//! What a document is cut into for a search: its list items, the blocks of text between them, its headings, and the keys
//! of its front matter. A unit is the smallest thing that can be found.

use crate::item::{self, ItemFields, is_day};
use crate::struck::{closes, is_footnote, is_struck, may_strike, opened, struck_lines};

/// Longest block that stays one unit, in bytes; a longer one is divided where a line or a sentence ends.
const BLOCK_BYTES_MAX: usize = 6_000;

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// A list item, with what is nested in it.
    Item,
    /// A block of a section's text: a paragraph, a code block, a table.
    Section,
    /// A heading, for the section below it.
    Heading,
    /// A key of the front matter, with its value.
    FrontMatter,
}

/// The smallest thing that can be found.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// What it is.
    pub kind: UnitKind,
    /// Its first line in the document, from 1.
    pub line: usize,
    /// How many lines it has.
    pub lines: usize,
    /// What a reader is shown of it: no bullet, no comment, no id.
    pub text: String,
    /// The headings it stands under, the outermost first.
    pub heading: Vec<String>,
    /// The number of its section in the document: neighbours in one section belong together.
    pub section: usize,
    /// The day it is from: of its comment, else of its heading.
    pub day: Option<String>,
    /// The fields of an item.
    pub item: ItemFields,
}

/// The units of a document in their order. Every text has units: one that is no Markdown is a block after another.
#[must_use]
pub fn cut(text: &str) -> Vec<Unit> {
    cut_from(text, &Seam::default(), &mut |_| false)
}

/// The beginning of a list item or of a section: from there on a text is cut in the same way whatever the text before it says, as
/// long as it stands under the same headings. The default is the beginning of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seam {
    /// Its first byte.
    pub byte: usize,
    /// How many lines stand before it.
    pub lines: usize,
    /// How many sections begin before it.
    pub sections: usize,
    /// The headings it stands under, each with its level, the outermost first. Of a section with its own.
    pub headings: Vec<(usize, String)>,
}

/// A seam that is being passed.
#[derive(Debug)]
pub struct PassedSeam<'c> {
    /// As in `Seam`, like the next two.
    pub byte: usize,
    /// As in `Seam`.
    pub lines: usize,
    /// As in `Seam`.
    pub sections: usize,
    /// How many units of this cut stand before it.
    pub units: usize,
    above: &'c [(usize, String)],
    own: Option<(usize, &'c str)>,
}

impl PassedSeam<'_> {
    /// The headings it stands under, as `Seam` has them.
    #[must_use]
    pub fn headings(&self) -> Vec<(usize, String)> {
        let own = self.own.map(|(level, title)| (level, title.to_owned()));
        self.above.iter().cloned().chain(own).collect()
    }

    /// Whether these are the headings it stands under.
    #[must_use]
    pub fn stands_under(&self, headings: &[(usize, String)]) -> bool {
        let mine = self.above.iter().map(|(level, title)| (*level, title.as_str())).chain(self.own);
        mine.eq(headings.iter().map(|(level, title)| (*level, title.as_str())))
    }
}

/// The units of a text from a seam on. At each further one `ends` says whether to end before it.
pub fn cut_from(text: &str, from: &Seam, ends: &mut dyn FnMut(&PassedSeam<'_>) -> bool) -> Vec<Unit> {
    let rest = text.get(from.byte..).unwrap_or_default();
    let rest = if from.byte == 0 { rest.strip_prefix('\u{feff}').unwrap_or(rest) } else { rest };
    let lines: Vec<&str> = rest.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let mut cutter = Cutter {
        headings: from.headings.clone(),
        section: from.sections,
        first: from.lines,
        ..Cutter::new(ends)
    };
    let mut at = if from.byte == 0 { cutter.front_matter(&lines) } else { 0 };
    let mut commented = false;
    while let Some(line) = lines.get(at).filter(|_| !cutter.ended) {
        let next = lines.get(at + 1).copied();
        let opens = !commented && line.trim_start().starts_with("<!--") && cutter.block.is_none();
        if commented || opens {
            commented = !line.contains("-->");
            if opens && !commented {
                cutter.stands_alone(item::commented(line).remarks);
            }
            if !commented
                && let Some((_, rest)) = line.split_once("-->")
                && !rest.trim().is_empty()
            {
                cutter.line(at, None, rest, next);
            }
        } else {
            let byte = line.as_ptr().addr() - text.as_ptr().addr();
            cutter.line(at, Some(byte), line, next);
        }
        at += 1;
    }
    cutter.end_block();
    cutter.units
}

struct Cutter<'t, 'e> {
    units: Vec<Unit>,
    headings: Vec<(usize, String)>,
    section: usize,
    block: Option<Block<'t>>,
    /// How many lines stand before the first that is cut.
    first: usize,
    /// Called at each seam, but not in a text whose first line may open front matter: a line below may still close it.
    ends: Option<&'e mut dyn FnMut(&PassedSeam<'_>) -> bool>,
    /// Whether `ends` said yes.
    ended: bool,
    /// What closes the block that is struck out here.
    struck: Option<&'static str>,
    /// Comments that stand alone: they are said of the block or list below them.
    above: Vec<String>,
    /// Whether that is a list, and its first item was read.
    above_list: bool,
}

/// The unit that is being collected.
struct Block<'t> {
    kind: UnitKind,
    start: usize,
    lines: Vec<&'t str>,
    /// How many columns a line must be indented by to belong to the item.
    indent: usize,
    /// The fence that closes it, while it is a fenced code block.
    fence: Option<&'t str>,
    /// A blank line has been seen in it.
    blank: bool,
}

impl<'t, 'e> Cutter<'t, 'e> {
    fn new(ends: &'e mut dyn FnMut(&PassedSeam<'_>) -> bool) -> Cutter<'t, 'e> {
        let (units, headings) = (Vec::new(), Vec::new());
        Cutter {
            units,
            headings,
            section: 0,
            block: None,
            first: 0,
            ends: Some(ends),
            ended: false,
            struck: None,
            above: Vec::new(),
            above_list: false,
        }
    }

    /// Takes in a line, which begins at `byte`; at none, if it is the rest of one that a comment takes up.
    fn line(&mut self, at: usize, byte: Option<usize>, line: &'t str, next: Option<&str>) {
        if self.goes_on_in_fence(line) {
            return;
        }
        if line.trim().is_empty() {
            match &mut self.block {
                Some(block) if block.kind == UnitKind::Item => block.blank = true,
                _ => self.end_block(),
            }
            return;
        }
        let indent = line.len() - line.trim_start().len();
        if let Some(close) = opened(line).filter(|_| self.block.as_ref().is_none_or(|block| block.blank)) {
            self.end_block();
            self.struck = Some(close);
            self.begin(UnitKind::Section, at, line, 0);
        } else if self.struck.is_some_and(|close| closes(line, close)) {
            self.end_block();
            self.begin(UnitKind::Section, at, line, 0);
            self.end_block();
            self.struck = None;
        } else if self.belongs_to_item(indent, line) {
            self.add(line);
        } else if let Some((level, title)) = heading(line) {
            self.end_block();
            self.struck = None;
            self.above.clear();
            self.headings.retain(|(above, _)| *above < level);
            if !self.ends_at(at, byte, Some((level, &title))) {
                self.begin_section(at, level, title);
            }
        } else if let Some((level, title)) = underlined(line, next).filter(|_| self.block.is_none()) {
            self.begin_section(at, level, title);
        } else if let Some(content) = bullet(line) {
            self.end_block();
            if !self.ends_at(at, byte, None) {
                self.begin(UnitKind::Item, at, line, content);
            }
        } else if is_rule(line) {
            self.end_block();
        } else if self.block.as_ref().is_some_and(|block| block.kind == UnitKind::Section)
            && !is_footnote(line)
        {
            self.add(line);
        } else {
            self.begin(UnitKind::Section, at, line, 0);
        }
    }

    /// Whether the cut ends here, where an item or, with this heading, a section begins.
    fn ends_at(&mut self, at: usize, byte: Option<usize>, own: Option<(usize, &str)>) -> bool {
        // A text that is cut from within a struck block on would not know of it, nor of a comment above a list.
        let byte = byte.filter(|_| self.struck.is_none() && self.above.is_empty());
        let (Some(byte), Some(ends)) = (byte, self.ends.as_mut()) else { return false };
        let (lines, sections, units) = (self.first + at, self.section, self.units.len());
        self.ended = ends(&PassedSeam { byte, lines, sections, units, above: &self.headings, own });
        self.ended
    }

    /// Inside a code block everything belongs to it; one in an item ends with the item.
    fn goes_on_in_fence(&mut self, line: &'t str) -> bool {
        let Some(block) = &mut self.block else { return false };
        let Some(fence) = block.fence else { return false };
        let indent = line.len() - line.trim_start().len();
        if block.kind == UnitKind::Item && !line.trim().is_empty() && indent < block.indent.min(4) {
            block.fence = None;
            block.blank = true;
            return false;
        }
        block.lines.push(line);
        let bare = line.trim();
        if bare.starts_with(fence) && bare.trim_start_matches(&fence[..1]).is_empty() {
            block.fence = None;
        }
        true
    }

    /// Whether a line that is not blank belongs to the item that is being collected.
    fn belongs_to_item(&self, indent: usize, line: &str) -> bool {
        let Some(block) = self.block.as_ref().filter(|block| block.kind == UnitKind::Item) else {
            return false;
        };
        if indent >= block.indent.min(4) && indent > 0 {
            return true;
        }
        // An unindented line goes on with the item only directly below it, and only if it begins nothing new.
        !block.blank
            && heading(line).is_none()
            && bullet(line).is_none()
            && !is_rule(line)
            && fence(line).is_none()
    }

    fn add(&mut self, line: &'t str) {
        if let Some(block) = &mut self.block {
            block.blank = false;
            block.lines.push(line);
            block.fence = fence(line);
        }
    }

    fn begin(&mut self, kind: UnitKind, at: usize, line: &'t str, indent: usize) {
        self.end_block();
        let fence = fence(line);
        self.block = Some(Block { kind, start: at, lines: vec![line], indent, fence, blank: false });
    }

    fn begin_section(&mut self, at: usize, level: usize, title: String) {
        self.end_block();
        self.struck = None;
        self.above.clear();
        self.section += 1;
        self.headings.retain(|(above, _)| *above < level);
        // A day in a heading says when an item was written, not what it says.
        if !title.is_empty() && !is_day(title.split_whitespace().next().unwrap_or_default()) {
            let fields = retired_if(is_struck(&title));
            let unit = self.unit(UnitKind::Heading, at, 1, title.clone(), fields);
            self.units.push(unit);
        }
        self.headings.push((level, title));
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let at = block.start;
        let is_item = block.kind == UnitKind::Item;
        if !is_item && self.above_list {
            self.above.clear();
        }
        self.above_list = is_item;
        if is_item {
            self.end_item(&block);
            return;
        }
        let is_code = fence(block.lines[0]).is_some() || block.lines[0].starts_with("    ");
        let fields = retired_if(
            !is_code && block.lines.iter().any(|line| may_strike(line)) && is_struck(&block.lines.join("\n")),
        );
        let mut is_said = false;
        for (start, lines) in portions(&block.lines) {
            let item::Commented { shown, remarks, .. } = item::commented(&lines.join("\n"));
            let shown = shown.trim();
            if shown.is_empty() {
                self.stands_alone(remarks);
                continue;
            }
            let fields = ItemFields { remarks, ..fields.clone() };
            let unit = self.unit(UnitKind::Section, at + start, lines.len(), shown.to_owned(), fields);
            self.units.push(unit);
            is_said = true;
        }
        if is_said {
            self.above.clear();
        }
    }

    /// Comments with nothing beside them.
    fn stands_alone(&mut self, remarks: Vec<String>) {
        if self.above_list {
            self.above.clear();
            self.above_list = false;
        }
        let room = item::REMARKS_MAX.saturating_sub(self.above.len());
        self.above.extend(remarks.into_iter().take(room));
    }

    /// An item, and below it what is struck out of what is nested in it: nobody is shown that with the item.
    fn end_item(&mut self, block: &Block<'t>) {
        let first = block.lines[0].get(block.indent..).unwrap_or_default();
        let (rest, count) = (&block.lines[1..], block.lines.len());
        let read = |first: &str, rest: &[&str]| {
            let rest = rest.iter().map(|line| line.trim_end());
            item::read(&std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n"))
        };
        let (item, shown) = read(first, rest);
        let struck = if item.retired || !may_strike(&shown) { Vec::new() } else { struck_lines(rest, true) };
        if !struck.contains(&true) {
            self.push_item(block.start, count, shown, item);
            return;
        }
        let kept: Vec<&str> =
            rest.iter().zip(&struck).filter(|(_, struck)| !**struck).map(|(line, _)| *line).collect();
        let (item, shown) = read(first, &kept);
        self.push_item(block.start, count, shown, item);
        let mut at = 0;
        for run in struck.chunk_by(|one, next| one == next) {
            if run[0] {
                let lines = &rest[at..at + run.len()];
                let first = lines[0].get(bullet(lines[0]).unwrap_or(0)..).unwrap_or_default();
                let (item, shown) = read(first.trim_start(), &lines[1..]);
                self.push_item(block.start + 1 + at, run.len(), shown, ItemFields { retired: true, ..item });
            }
            at += run.len();
        }
    }

    fn push_item(&mut self, at: usize, lines: usize, shown: String, item: ItemFields) {
        if !shown.is_empty() {
            let unit = self.unit(UnitKind::Item, at, lines, shown, item);
            self.units.push(unit);
        }
    }

    fn unit(&self, kind: UnitKind, at: usize, lines: usize, text: String, item: ItemFields) -> Unit {
        let retired = item.retired || self.struck.is_some();
        let above = if kind == UnitKind::Heading { &[][..] } else { &self.above };
        let remarks = above.iter().cloned().chain(item.remarks).collect();
        let item = ItemFields { retired, remarks, ..item };
        let heading: Vec<String> = self.headings.iter().map(|(_, title)| title.clone()).collect();
        let of_heading = heading.iter().rev().filter_map(|title| title.get(..10)).find(|day| is_day(day));
        let day = item.day.clone().or_else(|| of_heading.map(str::to_owned));
        Unit { kind, line: self.first + at + 1, lines, text, heading, section: self.section, day, item }
    }

    /// Each key of YAML front matter with the lines below it; the line behind it.
    fn front_matter(&mut self, lines: &[&'t str]) -> usize {
        if lines.first().is_none_or(|line| line.trim_end() != "---")
            || lines.get(1).is_none_or(|line| line.trim().is_empty())
        {
            return 0;
        }
        let is_end = |line: &&str| matches!(line.trim_end(), "---" | "...");
        let Some(end) = lines[1..].iter().position(is_end).map(|at| at + 1) else {
            self.ends = None;
            return 0;
        };
        let mut at = 1;
        while at < end {
            let more =
                lines[at + 1..end].iter().take_while(|line| line.starts_with([' ', '-', '\t'])).count();
            let shown = lines[at..=at + more].join("\n").trim().to_owned();
            if !shown.is_empty() && !shown.starts_with('#') {
                let unit = self.unit(UnitKind::FrontMatter, at, more + 1, shown, ItemFields::default());
                self.units.push(unit);
            }
            at += more + 1;
        }
        end + 1
    }
}

fn retired_if(retired: bool) -> ItemFields {
    ItemFields { retired, ..ItemFields::default() }
}

/// The lines of a block as portions that are not too long, each with the number of its first line.
fn portions<'a, 't>(lines: &'a [&'t str]) -> Vec<(usize, &'a [&'t str])> {
    let mut portions = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        if bytes > 0 && bytes + line.len() > BLOCK_BYTES_MAX {
            portions.push((start, &lines[start..at]));
            (start, bytes) = (at, 0);
        }
        bytes += line.len() + 1;
    }
    portions.push((start, &lines[start..]));
    portions
}

/// The level and the title of an ATX heading.
fn heading(line: &str) -> Option<(usize, String)> {
    let bare = line.trim_start_matches(' ');
    let level = bare.len() - bare.trim_start_matches('#').len();
    let rest = &bare[level..];
    let is_heading = (1..=6).contains(&level)
        && line.len() - bare.len() < 4
        && (rest.is_empty() || rest.starts_with([' ', '\t']));
    let title = || item::without_comments(rest.trim().trim_end_matches('#').trim_end());
    is_heading.then(|| (level, title().trim().to_owned()))
}

/// The level and the title of a heading that is underlined.
fn underlined(line: &str, next: Option<&str>) -> Option<(usize, String)> {
    let under = next?.trim_end();
    let of = |sign: char| !under.is_empty() && under.chars().all(|c| c == sign);
    let level = if of('=') {
        1
    } else if of('-') {
        2
    } else {
        return None;
    };
    let good = !line.starts_with([' ', '>', '|']) && bullet(line).is_none() && fence(line).is_none();
    good.then(|| (level, line.trim().to_owned()))
}

/// How many bytes the bullet of a list item takes with its blanks; `None` where the line begins none.
fn bullet(line: &str) -> Option<usize> {
    let bare = line.trim_start_matches([' ', '\t']);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let marker = match bare.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = &bare[marker..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    (blanks > 0 && !is_rule(line)).then(|| line.len() - rest.len() + blanks)
}

fn is_rule(line: &str) -> bool {
    let mut bare = line.chars().filter(|c| !c.is_whitespace());
    let Some(sign @ ('-' | '*' | '_' | '=')) = bare.next() else { return false };
    let mut more = 0;
    bare.all(|c| {
        more += 1;
        c == sign
    }) && more >= 2
}

/// The signs that open a fenced code block.
fn fence(line: &str) -> Option<&'static str> {
    let bare = line.trim_start();
    let bare = bullet(line).and_then(|at| line.get(at..)).unwrap_or(bare);
    if bare.starts_with("```") && !bare[3..].contains('`') {
        Some("```")
    } else if bare.starts_with("~~~") {
        Some("~~~")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{UnitKind, cut};

    /// Line, kind, shown text of each unit.
    fn shown(text: &str) -> Vec<(usize, char, String)> {
        let letter = |kind| match kind {
            UnitKind::Item => 'i',
            UnitKind::Section => 's',
            UnitKind::Heading => 'h',
            UnitKind::FrontMatter => 'f',
        };
        cut(text).into_iter().map(|unit| (unit.line, letter(unit.kind), unit.text)).collect()
    }

    #[test]
    fn documents_are_cut_into_what_can_be_found() {
        type Shown<'a> = (usize, char, &'a str);
        let cases: [(&str, &[Shown<'_>]); 16] = [
            ("- a\n- b\n", &[(1, 'i', "a"), (2, 'i', "b")]),
            (
                "# T\n\n- a\n  more\n\n  and more\n- b",
                &[(1, 'h', "T"), (3, 'i', "a\n  more\n  and more"), (7, 'i', "b")],
            ),
            (
                "- a\nlazy\n\npara\nline\n\nnext",
                &[(1, 'i', "a\nlazy"), (4, 's', "para\nline"), (7, 's', "next")],
            ),
            ("- a\n  - nested\n  - two\n- b", &[(1, 'i', "a\n  - nested\n  - two"), (4, 'i', "b")]),
            ("## 2026-02-16\n\n- a", &[(3, 'i', "a")]),
            (
                "1. one\n2) two\n* three\n+ four",
                &[(1, 'i', "one"), (2, 'i', "two"), (3, 'i', "three"), (4, 'i', "four")],
            ),
            (
                "```\n- no item\n# no heading\n\n```\n\n- item",
                &[(1, 's', "```\n- no item\n# no heading\n\n```"), (7, 'i', "item")],
            ),
            (
                "---\ntitle: A plan\ntags:\n  - x\n---\n\ntext",
                &[(2, 'f', "title: A plan"), (3, 'f', "tags:\n  - x"), (7, 's', "text")],
            ),
            ("---\n\ntext", &[(3, 's', "text")]),
            ("Title\n=====\n\ntext", &[(1, 'h', "Title"), (4, 's', "text")]),
            ("a\n\n---\n\nb", &[(1, 's', "a"), (5, 's', "b")]),
            ("<!-- note\n- hidden\n-->\n- a", &[(4, 'i', "a")]),
            ("<!-- MACHINE_BLOCK_START -->\n- a\n<!-- MACHINE_BLOCK_END -->", &[(2, 'i', "a")]),
            ("\u{feff}- a\r\n- b\r\n", &[(1, 'i', "a"), (2, 'i', "b")]),
            ("text <!-- lw c=1 --> goes on", &[(1, 's', "text goes on")]),
            ("", &[]),
        ];
        for (text, wanted) in cases {
            let wanted: Vec<(usize, char, String)> =
                wanted.iter().map(|(line, kind, text)| (*line, *kind, (*text).to_owned())).collect();
            assert_eq!(shown(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn what_is_struck_out_is_retired_alone() {
        let text = "### ~~Condor~~\n\n~~A paragraph\nabout kestrels.~~\n\n- outer\n  - ~~nested~~\n    below\n  - holds\n\n~~half~~ of it\n\n```\n~~code~~\n```\n";
        let units: Vec<_> =
            cut(text).into_iter().map(|unit| (unit.line, unit.lines, unit.item.retired, unit.text)).collect();
        let wanted = [
            (1, 1, true, "~~Condor~~"),
            (3, 2, true, "~~A paragraph\nabout kestrels.~~"),
            (6, 4, false, "outer\n  - holds"),
            (7, 2, true, "nested\n    below"),
            (11, 1, false, "~~half~~ of it"),
            (13, 3, false, "```\n~~code~~\n```"),
        ];
        let wanted = wanted.map(|(line, lines, retired, text)| (line, lines, retired, text.to_owned()));
        assert_eq!(units, wanted);
    }

    #[test]
    fn a_block_that_is_struck_out_is_retired_to_its_end_or_the_next_heading() {
        let text = "- a\n\n<del class=\"x\">\n\npara\n\n- b\n\n</del>\n\n- c\n\n<s>\n- d\n\n## Next\n\n- e\n";
        let kept: Vec<String> =
            cut(text).into_iter().filter(|unit| !unit.item.retired).map(|unit| unit.text).collect();
        assert_eq!(kept, ["a", "c", "Next", "e"]);
        let retired: Vec<String> =
            cut(text).into_iter().filter(|unit| unit.item.retired).map(|unit| unit.text).collect();
        assert_eq!(retired, ["<del class=\"x\">", "para", "b", "</del>", "<s>", "d"]);
    }

    #[test]
    fn a_unit_knows_where_and_when_it_stands() {
        let units =
            cut("# Facts\n\n## 2026-02-16\n\n- a\n- b <!-- lw 2026-02-17T08:00Z -->\n\n## Other\n\n- c\n");
        let of = |text: &str| units.iter().find(|unit| unit.text == text).unwrap();
        assert_eq!(of("a").heading, ["Facts", "2026-02-16"]);
        assert_eq!(of("a").day.as_deref(), Some("2026-02-16"));
        assert_eq!(of("b").day.as_deref(), Some("2026-02-17"));
        assert_eq!(of("c").day, None);
        assert!(of("a").section == of("b").section && of("b").section != of("c").section);
    }

    #[test]
    fn long_blocks_are_divided() {
        let text = vec!["word word word word word"; 1_000].join("\n");
        let units = cut(&text);
        assert!(units.len() > 3 && units.iter().all(|unit| unit.text.len() <= 6_000), "{}", units.len());
        assert_eq!(units.iter().map(|unit| unit.lines).sum::<usize>(), 1_000);
    }
}
