//! A Markdown text as pieces: list items, paragraphs, rows of tables, each with its headings and line. It is read line by
//! line, without a grammar of lists, so that a note that is cut off or badly nested still yields what can be read of it.

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
}

/// One piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidPiece {
    /// Its first line, 1-based.
    pub line: usize,
    /// The headings above it.
    pub headings: Vec<String>,
    /// Its text on one line; the cells of a row have ` | ` between them.
    pub text: String,
    /// Its kind.
    pub form: Form,
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
        matches!(self.form, Form::Item | Form::Paragraph)
    }
}

/// The pieces of a text, in order. Code blocks and comments are no pieces.
#[must_use]
pub fn pieces(text: &str) -> Vec<SaidPiece> {
    let mut reading = Reading::default();
    for (n, line) in text.lines().enumerate() {
        reading.line(n + 1, line);
    }
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
    /// Whether the header of a table has been read.
    in_table: bool,
    /// Whether the lines are inside a block that `last-word` wrote.
    in_ours: bool,
}

/// The first and the last line of the block that `last-word` writes into agents' instructions. It contains nothing to adopt.
const OURS: (&str, &str) = ("<!-- last-word:begin", "<!-- last-word:end");

impl Reading {
    /// A line without its comments; `None` in a code block, and in a block that `last-word` wrote.
    fn without_comments(&mut self, line: &str) -> Option<String> {
        let bare = line.trim();
        if let Some(fence) = self.fence {
            self.fence = Some(fence).filter(|_| !bare.starts_with(fence));
            return None;
        }
        if self.in_ours || bare.starts_with(OURS.0) {
            (self.in_ours, self.open) = (!bare.starts_with(OURS.1), false);
            return None;
        }
        let line = self.without_comment(line);
        let opens = ["```", "~~~"].into_iter().find(|fence| line.trim().starts_with(fence));
        if opens.is_some() {
            (self.fence, self.open) = (opens, false);
            return None;
        }
        Some(line)
    }

    fn line(&mut self, number: usize, line: &str) {
        let Some(line) = &self.without_comments(line) else { return };
        let bare = line.trim();
        self.in_table &= bare.starts_with('|');
        if bare.is_empty() || is_rule(bare) {
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
        } else if !is_code(line) {
            self.push(number, bare, Form::Paragraph);
        }
    }

    /// The line without comments (`<!-- … -->`).
    fn without_comment(&mut self, line: &str) -> String {
        let mut kept = String::with_capacity(line.len());
        let mut rest = line;
        loop {
            let mark = if self.in_comment { "-->" } else { "<!--" };
            let Some((before, behind)) = rest.split_once(mark) else { break };
            if !self.in_comment {
                kept.push_str(before);
            }
            self.in_comment = !self.in_comment;
            rest = behind;
        }
        if !self.in_comment {
            kept.push_str(rest);
        }
        kept
    }

    fn row(&mut self, number: usize, bare: &str) {
        self.open = false;
        let cells: Vec<&str> = bare.trim_matches('|').split('|').map(str::trim).collect();
        let is_line = cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':')));
        if self.in_table && !is_line {
            let text = cells.join(" | ");
            self.push(number, &text, Form::Row);
            self.open = false;
        }
        self.in_table = true;
    }

    fn push(&mut self, line: usize, text: &str, form: Form) {
        let headings = self.headings.iter().map(|(_, title)| title.clone()).collect();
        self.pieces.push(SaidPiece { line, headings, text: text.to_owned(), form });
        self.open = true;
    }
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
        let Some(line) = reading.without_comments(line) else { continue };
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
            (19, "star  end", Form::Item),
            (20, "first", Form::Item),
            (24, "a | b", Form::Row),
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
        let said: Vec<_> = pieces(text).into_iter().map(|piece| piece.text).collect();
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
