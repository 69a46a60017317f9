//! Lines, blank lines and line ends of a text, as byte offsets. Nothing here knows Markdown, and nothing panics on
//! an offset that is out of range or inside a character.

use std::ops::Range;

/// The part of `text` in `range`, empty when the range is not one of this text.
pub(super) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or("")
}

/// Whether a line says nothing: CommonMark counts spaces and tabs only.
pub(super) fn is_blank(line: &str) -> bool {
    line.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Where the line holding `at` begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.as_bytes().get(..at).and_then(|head| memchr::memrchr(b'\n', head)).map_or(0, |i| i + 1)
}

/// Where the line holding `at` ends, its terminator included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or(&[]);
    memchr::memchr(b'\n', rest).map_or(text.len(), |i| at + i + 1)
}

/// Where the text of the line holding `at` ends, its terminator excluded.
pub(super) fn content_end(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    end - terminator(part(text, 0..end)).len()
}

/// The line terminator `text` ends with; empty when it ends without one.
pub(super) fn terminator(text: &str) -> &'static str {
    if text.ends_with("\r\n") {
        "\r\n"
    } else if text.ends_with('\n') {
        "\n"
    } else {
        ""
    }
}

/// Bytes of the blanks and tabs a line begins with.
pub(super) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The line terminator `text` begins with.
pub(super) fn leading_terminator(text: &str) -> &'static str {
    if text.starts_with("\r\n") {
        "\r\n"
    } else if text.starts_with('\n') {
        "\n"
    } else {
        ""
    }
}

/// The terminator of the first line of `text`, where that line has one.
pub(super) fn first_terminator(text: &str) -> Option<&'static str> {
    Some(terminator(part(text, 0..line_end(text, 0)))).filter(|t| !t.is_empty())
}

/// How many bytes of blank lines `text` begins with; a blank rest without a terminator counts too.
pub(super) fn leading_blank(text: &str) -> usize {
    let first = text.bytes().position(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
    first.map_or(text.len(), |at| line_start(text, at))
}

/// Where the text of the last line that is not blank ends; `None` when every line is blank.
pub(super) fn last_content_end(text: &str) -> Option<usize> {
    let last = text.bytes().rposition(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n'))?;
    Some(content_end(text, last))
}

/// Whether the last line of `text` is not blank.
pub(super) fn ends_with_text(text: &str) -> bool {
    last_content_end(text).is_some_and(|end| part(text, end..text.len()).matches('\n').count() < 2)
}

/// `text` without the blank lines at its edges and without its last terminator; the first line keeps its indent.
pub(super) fn without_blank_edges(text: &str) -> &str {
    last_content_end(text).map_or("", |end| part(text, leading_blank(text)..end))
}

/// `text` with every line end written as `eol`. A lone carriage return is a line end too, as in CommonMark.
pub(super) fn with_line_ends(text: &str, eol: &str) -> String {
    if eol == "\n" && memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\r', '\n']) {
        out.push_str(part(rest, 0..at));
        out.push_str(eol);
        let skip = if part(rest, at..rest.len()).starts_with("\r\n") { 2 } else { 1 };
        rest = part(rest, at + skip..rest.len());
    }
    out.push_str(rest);
    out
}

/// Whether two texts have the same lines, whatever their line ends.
pub(super) fn same_lines(one: &str, other: &str) -> bool {
    one == other || with_line_ends(one, "\n") == with_line_ends(other, "\n")
}

/// The lines of `text` without their terminators, each with the offset where it begins.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, part(line, 0..line.len() - terminator(line).len()))
    })
}

/// The 1-based number of the line holding `at`.
pub(super) fn line_number(text: &str, at: usize) -> usize {
    let head = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b'\n', head).count() + 1
}
