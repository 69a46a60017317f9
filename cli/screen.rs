//! A screenful: how many rows lines take on a terminal, and what is left out, with its count, where there are too few rows.

use crate::language::said;
use crate::render::{Page, plain};
use crate::visible::visible;
use unicode_width::UnicodeWidthChar;

/// The rows that a line takes on a terminal: long lines wrap, wide characters take two columns, our colours none.
pub fn rows(page: Page, line: &str) -> usize {
    let Some(columns) = page.width.filter(|columns| *columns > 0) else { return 1 };
    let (mut rows, mut at) = (1, 0);
    for c in visible(&plain(line)).chars() {
        // A tab goes to the next eighth column; this counts at least as many columns as are used.
        let wide = if c == '\t' { 8 - at % 8 } else { c.width().unwrap_or(0) };
        if at + wide > columns {
            (rows, at) = (rows + 1, 0);
        }
        at += wide;
    }
    rows
}

/// The rows of all of them.
pub fn all_rows<'l>(page: Page, lines: impl IntoIterator<Item = &'l String>) -> usize {
    lines.into_iter().map(|line| rows(page, line)).sum()
}

/// The first of these lines, as many as fit, and below them how many more there are and which command shows them. Without a
/// limit all of them.
pub fn fitting(page: Page, lines: Vec<String>, limit: Option<usize>, shows_all: &str) -> Vec<String> {
    let Some(limit) = limit.filter(|limit| all_rows(page, &lines) > *limit) else { return lines };
    let kept = lines_that_fit(page, lines.iter(), limit);
    let more = lines.len() - kept;
    let mut shown: Vec<String> = lines.into_iter().take(kept).collect();
    shown.push(more_lines(more, shows_all));
    shown
}

/// The last of these lines, as many as fit, and above them how many were left out and which command shows them.
pub fn fitting_last(page: Page, lines: Vec<String>, limit: Option<usize>, shows_all: &str) -> Vec<String> {
    let Some(limit) = limit.filter(|limit| all_rows(page, &lines) > *limit) else { return lines };
    let kept = lines_that_fit(page, lines.iter().rev(), limit);
    let more = lines.len() - kept;
    let above = format!("… {} before: {shows_all}", crate::render::count(more, "line"));
    std::iter::once(said(&above).into_owned()).chain(lines.into_iter().skip(more)).collect()
}

/// What stands below lines that were cut.
pub fn more_lines(more: usize, shows_all: &str) -> String {
    let lines = if more == 1 { "line" } else { "lines" };
    said(&format!("… {more} more {lines}: {shows_all}")).into_owned()
}

/// How many lines fit beside the one that counts the others.
fn lines_that_fit<'l>(page: Page, lines: impl Iterator<Item = &'l String>, limit: usize) -> usize {
    let mut used = 1;
    lines
        .take_while(|line| {
            used += rows(page, line);
            used <= limit
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Tone;

    const NARROW: Page = Page { width: Some(10), height: None, colour: true };

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn rows_as_a_terminal_counts_them() {
        let painted = NARROW.paint(Tone::Bad, "0123456789");
        for (line, expected) in [
            ("", 1),
            ("0123456789", 1),
            ("0123456789a", 2),
            ("笔记笔记笔", 1),
            ("a笔记笔记笔", 2),
            (painted.as_str(), 1),
            ("a\tb", 1),
            ("a\u{1b}b", 1),
            ("ab\u{1b}[0mcd", 2),
        ] {
            assert_eq!(rows(NARROW, line), expected, "{line:?}");
        }
        assert_eq!(rows(Page { width: None, ..NARROW }, &"x".repeat(99)), 1);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let five = lines("a\nb\n0123456789-\nc\nd");
        assert_eq!(fitting(NARROW, five.clone(), Some(6), "-v"), five);
        assert_eq!(fitting(NARROW, five.clone(), None, "-v"), five);
        assert_eq!(
            fitting(NARROW, five.clone(), Some(5), "-v"),
            lines("a\nb\n0123456789-\n… 2 more lines: -v")
        );
        assert_eq!(fitting(NARROW, five.clone(), Some(4), "-v"), lines("a\nb\n… 3 more lines: -v"));
        assert_eq!(fitting_last(NARROW, five, Some(3), "-v"), lines("… 3 lines before: -v\nc\nd"));
    }
}
