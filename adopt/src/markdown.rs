//! A Markdown text as pieces: list items, paragraphs, rows of tables, each with its headings and line. It is read line by
//! line, without a grammar of lists, so that a note that is cut off or badly nested still yields what can be read of it. Every
//! line that says something is in a piece, also where nothing is taken over of it: whoever reads a store names those.

use crate::export::{BELOW, is_doubt, without_mark};
use markdown_merge::item::struck_lines;

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A list item.
    Item,
    /// A task of a list; whether it is done.
    Task(bool),
    /// Text between blank lines.
    Paragraph,
    /// A row of a table, but the first and the line below it.
    Row,
    /// A code block.
    Code,
    /// A block of HTML with its text.
    Html,
    /// What a person struck out.
    Struck,
    /// What stands in a comment, or in a block of ours, that nothing ends.
    Unended,
}

impl Form {
    /// Why nothing is taken over of it; `None` of what can be understood alone.
    #[must_use]
    pub fn why_not(self) -> Option<&'static str> {
        match self {
            Form::Item | Form::Paragraph => None,
            Form::Task(false) => Some("it is a task: something to do, and nothing to know"),
            Form::Task(true) => Some("it is a task that is done"),
            Form::Row => Some("it is a row of a table, which says nothing without the others"),
            Form::Code => Some("it is code, or indented as code is"),
            Form::Html => Some("it is HTML"),
            Form::Struck => Some("it is struck out"),
            Form::Unended => Some("it stands in a comment that does not end"),
        }
    }
}

/// One piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidPiece {
    /// Its first line, 1-based.
    pub line: usize,
    /// The headings above it.
    pub headings: Vec<String>,
    /// Its text on one line; the cells of a row have ` | ` between them. Of an item that we exported also the lines below.
    pub text: String,
    /// Its kind.
    pub form: Form,
    /// What a comment of ours beside it says to doubt of it.
    pub doubt: Option<String>,
}

impl SaidPiece {
    /// The nearest heading.
    #[must_use]
    pub fn heading(&self) -> Option<&str> {
        self.headings.last().map(String::as_str)
    }

    /// Whether one of its headings is this one; case does not matter.
    #[must_use]
    pub fn is_under(&self, heading: &str) -> bool {
        self.headings.iter().any(|above| above.to_lowercase() == heading.to_lowercase())
    }

    /// Whether it is a list item or a paragraph, which can be understood alone.
    #[must_use]
    pub fn is_said(&self) -> bool {
        self.form.why_not().is_none()
    }
}

/// The pieces of a text, in order. Comments are no pieces.
#[must_use]
pub fn pieces(text: &str) -> Vec<SaidPiece> {
    read(text, false)
}

/// The pieces of a text that we exported: its items have their comments and the lines below as they are written.
#[must_use]
pub fn exported_pieces(text: &str) -> Vec<SaidPiece> {
    read(text, true)
}

fn read(text: &str, is_export: bool) -> Vec<SaidPiece> {
    let lines: Vec<&str> = text.lines().collect();
    let mut reading = Reading { is_export, struck: struck_lines(&lines, false), ..Reading::default() };
    for (n, line) in lines.into_iter().enumerate() {
        reading.line(n + 1, line);
    }
    reading.pieces.extend(reading.unended);
    reading.pieces
}

#[derive(Default)]
struct Reading {
    pieces: Vec<SaidPiece>,
    /// Level and text of the headings above.
    headings: Vec<(usize, String)>,
    fence: Option<&'static str>,
    in_comment: bool,
    /// Whether the next line continues the last piece.
    open: bool,
    /// Whether the header of a table has been read, and the line of it.
    in_table: bool,
    head_at: usize,
    /// The last line of code.
    code_until: usize,
    /// Whether the lines are inside a block that `last-word` wrote.
    in_ours: bool,
    /// What a comment or a block of ours has said so far, while it is open.
    unended: Option<SaidPiece>,
    /// What the comments of the line say.
    comments: Vec<String>,
    /// Which lines are struck out.
    struck: Vec<bool>,
    /// Whether we exported the text.
    is_export: bool,
    /// Whether the next line may stand below an item that we exported.
    in_exported: bool,
}

/// The first and the last line of the block that `last-word` writes into agents' instructions. It contains nothing to adopt.
const OURS: (&str, &str) = ("<!-- last-word:begin", "<!-- last-word:end");

impl Reading {
    /// A line without its comments; `None` in a code block, and in a block that `last-word` wrote.
    fn without_comments(&mut self, number: usize, line: &str) -> Option<String> {
        let bare = line.trim();
        if let Some(fence) = self.fence {
            self.fence = Some(fence).filter(|_| !bare.starts_with(fence));
            if self.fence.is_some() {
                self.code(number, bare);
            }
            return None;
        }
        if self.in_ours || bare.starts_with(OURS.0) {
            (self.in_ours, self.open) = (!bare.starts_with(OURS.1), false);
            self.unended(number, self.in_ours, bare);
            return None;
        }
        let line = self.without_comment(number, line);
        let is_fence = |fence: &&str| line.trim().strip_prefix(fence).is_some_and(|info| !info.contains('`'));
        let opens = ["```", "~~~"].into_iter().find(is_fence);
        if opens.is_some() {
            (self.fence, self.open) = (opens, false);
            return None;
        }
        Some(line)
    }

    fn line(&mut self, number: usize, line: &str) {
        if self.is_export && self.exported(number, line) {
            return;
        }
        let Some(line) = &self.without_comments(number, line) else { return };
        let bare = line.trim();
        self.in_table &= bare.starts_with('|');
        if bare.is_empty() || is_rule(bare) || is_tags(bare) {
            self.open = false;
        } else if let Some((level, title)) = heading(bare).filter(|_| !is_code(line)) {
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, title.to_owned()));
            self.open = false;
        } else if bare.starts_with('|') {
            self.row(number, bare);
        } else if let Some(item) = item(bare) {
            let (form, text) = task(item);
            self.push(number, text, form);
        } else if self.open
            && let Some(last) = self.pieces.last_mut()
        {
            last.text.push(' ');
            last.text.push_str(bare);
            last.doubt = last.doubt.take().or_else(|| self.comments.iter().find_map(|said| doubt(said)));
        } else if is_code(line) {
            self.code(number, bare);
        } else if is_html(bare) {
            self.push(number, bare, Form::Html);
        } else {
            self.push(number, bare, Form::Paragraph);
        }
    }

    /// Takes in a line of an item that we exported; whether it is one.
    fn exported(&mut self, number: usize, line: &str) -> bool {
        if self.in_exported && line.trim().is_empty() {
            return true;
        }
        if let Some(item) = self.pieces.last_mut().filter(|_| self.in_exported && line.starts_with(BELOW)) {
            item.text.push('\n');
            item.text.push_str(line.trim_end());
            return true;
        }
        self.in_exported = self.fence.is_none() && !self.in_comment && line.starts_with("- ");
        if self.in_exported {
            let (said, mark) = without_mark(&line["- ".len()..]);
            let (form, text) = task(said.trim());
            self.comments = mark.into_iter().map(str::to_owned).collect();
            self.push(number, text, form);
            self.open = false;
        }
        self.in_exported
    }

    /// The line without comments (`<!-- … -->`), but for those in code.
    fn without_comment(&mut self, number: usize, line: &str) -> String {
        self.comments.clear();
        let mut kept = String::with_capacity(line.len());
        let mut rest = line;
        while !rest.is_empty() {
            if self.in_comment {
                let (said, behind) = rest.split_once("-->").map_or((rest, None), |(a, b)| (a, Some(b)));
                self.in_comment = behind.is_none();
                self.unended(number, self.in_comment, said);
                self.comments.push(said.trim().to_owned());
                rest = behind.unwrap_or_default();
                continue;
            }
            let next = rest.find(['`', '<']).unwrap_or(rest.len());
            let (plain, at) = rest.split_at(next);
            kept.push_str(plain);
            self.in_comment = at.starts_with("<!--");
            let taken = match self.in_comment {
                true => "<!--".len(),
                false => code_span(at).unwrap_or_else(|| at.chars().next().map_or(0, char::len_utf8)),
            };
            let (one, behind) = at.split_at(taken);
            if !self.in_comment {
                kept.push_str(one);
            } else if behind.is_empty() {
                self.unended(number, true, "");
            }
            rest = behind;
        }
        kept
    }

    /// Keeps what a comment or a block of ours says while it is open.
    fn unended(&mut self, number: usize, is_open: bool, said: &str) {
        if !is_open {
            self.unended = None;
            return;
        }
        let headings = self.titles();
        let piece = self.unended.get_or_insert_with(|| SaidPiece {
            line: number,
            headings,
            text: String::new(),
            form: Form::Unended,
            doubt: None,
        });
        join(&mut piece.text, said.trim());
    }

    /// A line of code: of the block that the last piece is, or of a new one.
    fn code(&mut self, number: usize, bare: &str) {
        let goes_on = self.code_until + 1 == number;
        match self.pieces.last_mut().filter(|last| goes_on && last.form == Form::Code) {
            Some(last) => join(&mut last.text, bare),
            None if bare.is_empty() => return,
            None => self.push(number, bare, Form::Code),
        }
        (self.code_until, self.open) = (number, false);
    }

    fn row(&mut self, number: usize, bare: &str) {
        let cells: Vec<&str> = bare.trim_matches('|').split('|').map(str::trim).collect();
        let is_line = cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':')));
        let is_first = !self.in_table;
        if is_line && self.head_at + 1 == number {
            // The row above it names the columns.
            self.pieces.pop();
        } else if !is_line {
            self.push(number, &cells.join(" | "), Form::Row);
            self.head_at = if is_first { number } else { 0 };
        }
        (self.in_table, self.open) = (true, false);
    }

    fn push(&mut self, line: usize, text: &str, form: Form) {
        let is_struck = self.struck.get(line - 1).is_some_and(|struck| *struck);
        let form = if is_struck && form != Form::Code { Form::Struck } else { form };
        let doubt = self.comments.iter().find_map(|said| doubt(said));
        self.pieces.push(SaidPiece { line, headings: self.titles(), text: text.to_owned(), form, doubt });
        self.open = true;
    }

    fn titles(&self) -> Vec<String> {
        self.headings.iter().map(|(_, title)| title.clone()).collect()
    }
}

fn join(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

/// What a comment of ours says to doubt of the text beside it.
fn doubt(comment: &str) -> Option<String> {
    is_doubt(comment).then(|| comment.to_owned())
}

/// How long the code is that begins a text; `None` where none does.
pub(crate) fn code_span(text: &str) -> Option<usize> {
    let run = text.len() - text.trim_start_matches('`').len();
    let (marks, inner) = text.split_at(run);
    let mut from = 0;
    while run > 0
        && let Some(at) = inner[from..].find(marks).map(|at| from + at)
    {
        let end = at + inner[at..].len() - inner[at..].trim_start_matches('`').len();
        if end == at + run {
            return Some(run + end);
        }
        from = end;
    }
    (run > 1).then_some(run)
}

/// The elements of HTML that begin a block; what is only part of a sentence (`<kbd>`, `<del>`) is said in it.
const BLOCKS: [&str; 22] = [
    "article", "aside", "center", "details", "div", "dl", "h1", "h2", "h3", "h4", "li", "ol", "p", "picture",
    "pre", "section", "summary", "table", "td", "th", "tr", "ul",
];

/// Whether a line begins a block of HTML.
fn is_html(bare: &str) -> bool {
    let Some(inside) = bare.strip_prefix('<') else { return false };
    let name = inside.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next();
    name.is_some_and(|name| BLOCKS.contains(&name.to_ascii_lowercase().as_str()))
}

/// Whether a line has nothing but tags of HTML.
fn is_tags(bare: &str) -> bool {
    let mut rest = bare;
    while let Some(inside) = rest.strip_prefix('<') {
        let name = inside.trim_start_matches('/');
        let behind_name = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
        let is_tag = behind_name.len() < name.len() && behind_name.starts_with(['>', ' ', '/']);
        let Some((_, behind)) = inside.split_once('>').filter(|_| is_tag) else { return false };
        rest = behind.trim_start();
    }
    rest.is_empty()
}

/// Level and title of a heading.
fn heading(bare: &str) -> Option<(usize, &str)> {
    let level = bare.bytes().take_while(|byte| *byte == b'#').count();
    let title = bare.get(level..).filter(|_| (1..=6).contains(&level))?;
    let title = title.strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
    Some((level, title))
}

/// The text after a bullet or a number.
fn item(bare: &str) -> Option<&str> {
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => bare.strip_prefix(['-', '*', '+'])?,
        1..=9 => bare.get(digits..)?.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = rest.strip_prefix([' ', '\t'])?.trim();
    (!text.is_empty()).then_some(text)
}

fn task(item: &str) -> (Form, &str) {
    let boxes = [("[ ] ", false), ("[x] ", true), ("[X] ", true)];
    let found =
        boxes.iter().find_map(|(mark, done)| Some((Form::Task(*done), item.strip_prefix(mark)?.trim())));
    found.unwrap_or((Form::Item, item))
}

fn is_rule(bare: &str) -> bool {
    let mark = bare.chars().next().filter(|c| matches!(c, '-' | '*' | '_' | '='));
    bare.len() >= 3 && mark.is_some_and(|mark| bare.chars().all(|c| c == mark || c == ' '))
}

/// Whether a line is indented as code is.
fn is_code(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

/// The paths that a text imports: `@path` at the beginning of a word, outside code. A blank in a path is written `\ `.
#[must_use]
pub fn imports(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut reading = Reading::default();
    for (n, line) in text.lines().enumerate() {
        let Some(line) = reading.without_comments(n + 1, line) else { continue };
        let outside_code = line.split('`').step_by(2);
        found.extend(outside_code.flat_map(in_plain).map(|path| (n + 1, path)));
    }
    found
}

fn in_plain(text: &str) -> Vec<String> {
    let joined = text.replace("\\ ", "\u{0}");
    let words = joined.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    let paths = words.map(|word| word.trim_end_matches([',', ';', ':', '!', '?', ')']));
    let paths = paths.map(|path| path.strip_suffix('.').unwrap_or(path).replace('\u{0}', " "));
    paths.filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_what_says_something() {
        let text = "intro\ngoes on\n\n# A\n\n- one\n  and more\n  - nested\n- [ ] todo\n- [x] done\n\n```\n- code\n```\n\n<!-- - gone\n- gone too -->\n## B\n* star <!-- note --> end\n1. first\n\n| x | y |\n|---|---|\n| a | b |\n\n    indented\n---\n- [link](x)\n";
        let got: Vec<_> =
            pieces(text).into_iter().map(|piece| (piece.line, piece.text.clone(), piece.form)).collect();
        let wanted = [
            (1, "intro goes on", Form::Paragraph),
            (6, "one and more", Form::Item),
            (8, "nested", Form::Item),
            (9, "todo", Form::Task(false)),
            (10, "done", Form::Task(true)),
            (13, "- code", Form::Code),
            (19, "star  end", Form::Item),
            (20, "first", Form::Item),
            (24, "a | b", Form::Row),
            (26, "indented", Form::Code),
            (28, "[link](x)", Form::Item),
        ];
        assert_eq!(got, wanted.map(|(line, text, form)| (line, text.to_owned(), form)));
        let last = pieces(text).pop().unwrap();
        assert_eq!((last.headings.clone(), last.is_under("a")), (vec!["A".to_owned(), "B".to_owned()], true));
    }

    #[test]
    fn a_fence_in_a_comment_opens_no_code_block() {
        let text = "<!--\n```\n-->\n- one @a.md\n\n```\n@no.md\n```\n- two @b.md\n";
        let paths: Vec<_> = imports(text).into_iter().map(|(_, path)| path).collect();
        assert_eq!(paths, ["a.md", "b.md"]);
        let said: Vec<_> =
            pieces(text).into_iter().filter(SaidPiece::is_said).map(|piece| piece.text).collect();
        assert_eq!(said, ["one @a.md", "two @b.md"]);
    }

    #[test]
    fn what_we_told_an_agent_is_nothing_to_know() {
        let text = "- one\n<!-- last-word:begin -->\n## What is worth keeping\n\nDeclare it.\n```sh\nx\n```\n@x.md\n<!-- last-word:end -->\n- two\n";
        let said: Vec<_> = pieces(text).into_iter().map(|piece| (piece.text, piece.headings)).collect();
        assert_eq!(said, [("one".to_owned(), vec![]), ("two".to_owned(), vec![])]);
        assert_eq!(imports(text), []);
    }

    #[test]
    fn an_import_is_a_word_outside_code() {
        let text = "See @docs/a.md for naming and @~/.claude/style.md.\nme@x.example `@docs/old.md` @./b\\ c.md,\n```\n@no.md\n```\n<!-- @no.md -->\n- @last.md\n";
        let got = imports(text);
        let wanted = [(1, "docs/a.md"), (1, "~/.claude/style.md"), (2, "./b c.md"), (7, "last.md")];
        assert_eq!(got, wanted.map(|(line, path)| (line, path.to_owned())));
    }
}
