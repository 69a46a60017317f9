//! `add_value` and `remove_value`: one value of a list in YAML front matter, in brackets on one line (`tags: [a, b]`) or one value a
//! line. Gives back where bytes of the YAML change; who makes the change reads it again and sees that nothing else did.

use super::front_matter_key::{offset, quoted_len};
use super::text::{content_end, line_end, line_start, part};
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::ops::Range;

/// A key with a list of single values.
struct Values {
    /// The value of the key with everything in it; where it would go, where there is none.
    at: Range<usize>,
    /// Each value and where it is written.
    values: Vec<(String, Range<usize>)>,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `[a, b]` on one line.
    Brackets,
    /// A value a line.
    Lines,
    /// `key:` and nothing.
    Nothing,
    /// `key: value`.
    Single,
}

/// What changes in the YAML.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ListEdit {
    /// It says so already.
    Same,
    /// The key is not there.
    NoKey,
    /// These bytes become others.
    At(Range<usize>, String),
}

/// Adds a value to the key's list, behind the others. `written` is how it stands in YAML, `value` what it says.
pub(super) fn add(yaml: &str, key: &str, value: &str, written: &str) -> Result<ListEdit, String> {
    let Some(list) = read(yaml, key)? else { return Ok(ListEdit::NoKey) };
    if list.values.iter().any(|(known, _)| known == value) {
        return Ok(ListEdit::Same);
    }
    let written = if list.form == Form::Lines { written.to_owned() } else { in_brackets(written) };
    let last = list.values.last().map(|(_, at)| at.clone());
    Ok(match (list.form, last) {
        (Form::Brackets, Some(last)) => ListEdit::At(last.end..last.end, format!(", {written}")),
        (Form::Brackets, None) => ListEdit::At(list.at, format!("[{written}]")),
        (Form::Lines, Some(last)) => {
            let line = line_start(yaml, last.start)..line_end(yaml, last.start);
            let dash = part(yaml, line.start..last.start).to_owned();
            let text = part(yaml, line.clone());
            // The last line of front matter ends in a line end: a fence follows.
            let eol = part(text, text.trim_end_matches(['\r', '\n']).len()..text.len());
            ListEdit::At(line.end..line.end, format!("{dash}{written}{eol}"))
        }
        (Form::Nothing | Form::Lines, _) => {
            let gap = if part(yaml, 0..list.at.start).ends_with(':') { " " } else { "" };
            ListEdit::At(list.at, format!("{gap}[{written}]"))
        }
        (Form::Single, _) => return Err(format!("`{key}` is one value, not a list")),
    })
}

/// Takes a value out of the key's list. A list that has no other is an empty one then.
pub(super) fn remove(yaml: &str, key: &str, value: &str) -> Result<ListEdit, String> {
    let Some(list) = read(yaml, key)? else { return Ok(ListEdit::Same) };
    if list.form == Form::Single {
        return Err(format!("`{key}` is one value, not a list"));
    }
    let mut places = list.values.iter().enumerate().filter(|(_, (known, _))| known == value);
    let Some((n, (_, at))) = places.next() else { return Ok(ListEdit::Same) };
    if places.next().is_some() {
        return Err(format!("`{key}` has that value twice"));
    }
    // A comment behind the value is somebody's: it stays, as a line of its own.
    let comment = comment_behind(yaml, at);
    let before = n.checked_sub(1).and_then(|before| list.values.get(before));
    let behind = list.values.get(n + 1);
    Ok(match (list.form, before, behind) {
        (_, None, None) if list.form == Form::Lines => {
            let first = line_start(yaml, at.start);
            let key_line = part(yaml, 0..first).trim_end_matches(['\r', '\n']).len();
            ListEdit::At(key_line..content_end(yaml, at.start), format!(" []{comment}"))
        }
        (_, None, None) => ListEdit::At(list.at, "[]".to_owned()),
        (Form::Lines, ..) if !comment.is_empty() => {
            // From the end of the line before it, so that the comment brings that line's end along.
            let first = part(yaml, 0..line_start(yaml, at.start)).trim_end_matches(['\r', '\n']).len();
            ListEdit::At(first..content_end(yaml, at.start), comment)
        }
        (Form::Lines, ..) => {
            ListEdit::At(line_start(yaml, at.start)..line_end(yaml, at.start), String::new())
        }
        (_, Some((_, before)), _) => ListEdit::At(before.end..at.end, String::new()),
        (_, None, Some((_, behind))) => ListEdit::At(at.start..behind.start, String::new()),
    })
}

/// The comment behind a value that has its line alone, with the line end before it and its indentation; empty where there is none.
fn comment_behind(yaml: &str, value: &Range<usize>) -> String {
    let line = line_start(yaml, value.start);
    let behind = part(yaml, value.end..content_end(yaml, value.start)).trim();
    if !behind.starts_with('#') {
        return String::new();
    }
    let above = part(yaml, 0..line);
    let eol = part(yaml, above.trim_end_matches(['\r', '\n']).len()..line);
    let eol = if eol.starts_with('\r') { "\r\n" } else { "\n" };
    let whole = part(yaml, line..value.start);
    let indent = part(whole, 0..whole.len() - whole.trim_start().len());
    format!("{eol}{indent}{behind}")
}

/// The line of a key that is not there yet.
pub(super) fn new_key(key: &str, written: &str, eol: &str) -> String {
    format!("{key}: [{}]{eol}", in_brackets(written))
}

/// A text as it may stand between brackets.
fn in_brackets(written: &str) -> String {
    let quoted = written.starts_with(['"', '\'']);
    if !quoted && written.contains([',', '[', ']', '{', '}']) {
        return serde_json::Value::from(written).to_string();
    }
    written.to_owned()
}

/// The key's list; `None` where the key is not there.
fn read(yaml: &str, key: &str) -> Result<Option<Values>, String> {
    let mut reader =
        Reader { yaml, key, depth: 0, expects_key: true, ours: None, list: None, counted: (0, 0) };
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|e| e.to_string())?;
        reader.take(&event, span)?;
    }
    Ok(reader.list)
}

struct Reader<'y> {
    yaml: &'y str,
    key: &'y str,
    depth: usize,
    expects_key: bool,
    /// Where our key ends, as long as its value is awaited or being read.
    ours: Option<usize>,
    list: Option<Values>,
    /// A character index that was looked for, and the byte it begins at: the reader's marks come in order.
    counted: (usize, usize),
}

impl Reader<'_> {
    /// The byte offset of a character index.
    fn offset(&mut self, index: usize) -> usize {
        let (chars, bytes) = if index < self.counted.0 { (0, 0) } else { self.counted };
        let at = bytes + offset(part(self.yaml, bytes..self.yaml.len()), index - chars);
        self.counted = (index, at);
        at
    }

    fn take(&mut self, event: &Event<'_>, span: Span) -> Result<(), String> {
        match event {
            Event::SequenceStart(..) if self.depth == 1 && self.ours.is_some() => {
                let start = self.offset(span.start.index());
                if part(self.yaml, start..self.yaml.len()).starts_with(['&', '!']) {
                    return Err(format!("`{}` has an anchor or a tag (`&`, `!`) before its list", self.key));
                }
                let form =
                    if part(self.yaml, start..start + 1) == "[" { Form::Brackets } else { Form::Lines };
                self.list = Some(Values { at: start..start, values: Vec::new(), form });
                self.depth += 1;
            }
            Event::SequenceEnd if self.depth == 2 && self.ours.is_some() => {
                let end = self.offset(span.end.index());
                if let Some(list) = &mut self.list {
                    list.at.end = end;
                    let one_line = !part(self.yaml, list.at.clone()).contains('\n');
                    if list.form == Form::Brackets && !one_line {
                        return Err(format!("the list of `{}` goes over several lines", self.key));
                    }
                }
                self.depth = 1;
                (self.ours, self.expects_key) = (None, true);
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if self.ours.is_some() {
                    return Err(format!("`{}` is no list of single values", self.key));
                }
                self.depth += 1;
                self.expects_key = self.depth == 1;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                self.depth = self.depth.saturating_sub(1);
                self.expects_key = self.depth == 1;
            }
            Event::Alias(_) if self.ours.is_some() => return Err(format!("`{}` has an alias", self.key)),
            Event::Alias(_) if self.depth == 1 => self.expects_key = !self.expects_key,
            Event::Scalar(text, style, anchor, tag) => {
                let plain = *anchor == 0
                    && tag.is_none()
                    && !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                self.scalar(text, *style, plain, span)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, plain: bool, span: Span) -> Result<(), String> {
        let (start, reader_end) = (self.offset(span.start.index()), self.offset(span.end.index()));
        match (self.depth, self.ours) {
            (1, None) if self.expects_key => {
                self.expects_key = false;
                if text == self.key {
                    if self.list.is_some() {
                        return Err(format!("`{}` is there twice", self.key));
                    }
                    self.ours = Some(reader_end);
                }
            }
            (1, Some(key_end)) => {
                let colon =
                    part(self.yaml, key_end..self.yaml.len()).find(':').ok_or("the key has no colon")?;
                let at = key_end + colon + 1;
                let nothing = text.is_empty() && style == ScalarStyle::Plain;
                let form = if nothing { Form::Nothing } else { Form::Single };
                self.list = Some(Values { at: at..at, values: Vec::new(), form });
                (self.ours, self.expects_key) = (None, true);
            }
            (1, None) => self.expects_key = true,
            (2, Some(_)) => {
                // The reader's end of a value reaches over the blanks and the comment behind it.
                let own = match style {
                    ScalarStyle::SingleQuoted => quoted_len(part(self.yaml, start..reader_end), '\''),
                    ScalarStyle::DoubleQuoted => quoted_len(part(self.yaml, start..reader_end), '"'),
                    _ => part(self.yaml, start..reader_end)
                        .split(" #")
                        .next()
                        .map(|text| text.trim_end().len()),
                };
                let end = start + own.unwrap_or(0);
                let one_line = own.is_some() && !part(self.yaml, start..end).contains('\n');
                if !plain || !one_line {
                    return Err(format!("a value of `{}` is not plain text on one line", self.key));
                }
                if let Some(list) = &mut self.list {
                    list.values.push((text.to_owned(), start..end));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(yaml: &str, change: Result<ListEdit, String>) -> String {
        match change {
            Ok(ListEdit::At(at, with)) => {
                [part(yaml, 0..at.start), &with, part(yaml, at.end..yaml.len())].concat()
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_value_comes_and_goes_and_nothing_else_moves() {
        for list in ["tags: &x [a]", "tags: !t [a]", "tags: &x\n- a"] {
            assert!(remove(list, "tags", "a").is_err() && add(list, "tags", "b", "b").is_err(), "{list}");
        }
        for (yaml, added, removed) in [
            (
                "tags: [a, \"b c\"] # mine\nx: 1\n",
                "tags: [a, \"b c\", new] # mine\nx: 1\n",
                "tags: [\"b c\"] # mine\nx: 1\n",
            ),
            ("tags: [ a ]\n", "tags: [ a, new ]\n", "tags: []\n"),
            ("tags: []\n", "tags: [new]\n", "Ok(Same)"),
            ("tags:\n", "tags: [new]\n", "Ok(Same)"),
            (
                "x: 1\ntags:\n  - b # why\n  - a\ny: 2\n",
                "x: 1\ntags:\n  - b # why\n  - a\n  - new\ny: 2\n",
                "x: 1\ntags:\n  - b # why\ny: 2\n",
            ),
            ("tags:\n- a\n", "tags:\n- a\n- new\n", "tags: []\n"),
            (
                "tags:\n- \"b c\" # why\n- a\n",
                "tags:\n- \"b c\" # why\n- a\n- new\n",
                "tags:\n- \"b c\" # why\n",
            ),
            ("tags:\r\n- a\r\n- b\r\n", "tags:\r\n- a\r\n- b\r\n- new\r\n", "tags:\r\n- b\r\n"),
            (
                "tags:\n  - a # why\n  - b\n",
                "tags:\n  - a # why\n  - b\n  - new\n",
                "tags:\n  # why\n  - b\n",
            ),
            (
                "tags:\r\n- b\r\n- a # why\r\n",
                "tags:\r\n- b\r\n- a # why\r\n- new\r\n",
                "tags:\r\n- b\r\n# why\r\n",
            ),
            ("tags:\n- a # why\nx: 1\n", "tags:\n- a # why\n- new\nx: 1\n", "tags: []\n# why\nx: 1\n"),
            ("x: {tags: [a]}\n", "Ok(NoKey)", "Ok(Same)"),
            ("x: [tags]\ntags: [a]\n", "x: [tags]\ntags: [a, new]\n", "x: [tags]\ntags: []\n"),
        ] {
            assert_eq!(after(yaml, add(yaml, "tags", "new", "new")), added, "{yaml}");
            assert_eq!(after(yaml, remove(yaml, "tags", "a")), removed, "{yaml}");
        }
        for odd in [
            "tags: a\n",
            "tags: [a,\n  b]\n",
            "tags: [[a]]\n",
            "tags: {a: 1}\n",
            "tags:\n  - a: 1\n",
            "tags: [*x]\n",
            "tags:\n  - |\n    a\n",
        ] {
            assert!(add(odd, "tags", "new", "new").is_err(), "{odd}");
        }
        assert_eq!(add("tags: [a]\n", "tags", "a", "a"), Ok(ListEdit::Same));
        assert!(remove("tags: [a, a]\n", "tags", "a").is_err());
    }
}
