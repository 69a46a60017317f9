//! Tables: columns aligned by display width, cut to the terminal where there is one, whole in a pipe.

use crate::language::said;
use crate::render::{Page, Tone};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// A text of ours, in the person's language.
    pub fn said(text: &str) -> Cell {
        Cell::from(said(text))
    }

    /// A text with a tone.
    pub fn new(text: impl Into<String>, tone: Tone) -> Cell {
        // A line break or a control character in a cell would break the table, or the terminal.
        let text: String = text.into();
        Cell { text: text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(), tone }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell::new(text, Tone::Plain)
    }
}

/// What is to be typed next.
const NEXT: &str = "NEXT";
/// Columns that are never cut, because people type what is in them.
const WHOLE: [&str; 4] = ["ID", NEXT, "FIRST", "VERSION"];
/// Columns that are cut at their beginning, because the end of a path says more.
const CUT_LEFT: [&str; 2] = ["DOCUMENT", "HELD"];
/// Columns of numbers, aligned at their last digit.
const RIGHT: [&str; 5] = ["JOBS", "PENDING", "DEFERRED", "LINE", "VERSION"];
/// The narrowest that a column is cut to.
const LEAST: usize = 6;
const GAP: usize = 2;

/// A text with blanks behind it up to so many columns.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// A table with a header line and no frame. Where what is to be typed next would not fit beside the rest, it stands below
/// its row.
pub fn table(page: Page, header: &[&str], mut rows: Vec<Vec<Cell>>) -> String {
    let fits = |widths: &[usize]| {
        let gaps = GAP * widths.len().saturating_sub(1);
        page.width.is_none_or(|limit| widths.iter().sum::<usize>() + gaps <= limit)
    };
    match header.split_last() {
        Some((&NEXT, rest)) if !fits(&widths(page.width, header, &rows)) => {
            let next: Vec<Option<Cell>> = rows.iter_mut().map(Vec::pop).collect();
            let text = aligned(page, rest, rows);
            let (titles, rows) = text.split_once('\n').unwrap_or((&text, ""));
            let below = |(row, next): (&str, Option<Cell>)| {
                let next = next.map_or_else(String::new, |cell| cell.text);
                [row.to_owned(), format!("{:GAP$}{next}", "")]
            };
            let lines = rows.lines().zip(next).flat_map(below);
            std::iter::once(titles.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
        }
        _ => aligned(page, header, rows),
    }
}

fn aligned(page: Page, header: &[&str], rows: Vec<Vec<Cell>>) -> String {
    let widths = widths(page.width, header, &rows);
    let titles = header.iter().map(|title| Cell::new(said(title), Tone::Strong)).collect();
    let lines = std::iter::once(titles).chain(rows).map(|row: Vec<Cell>| {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            let (Some(width), Some(title)) = (widths.get(at), header.get(at)) else { continue };
            let text = cut(&cell.text, *width, CUT_LEFT.contains(title));
            let padding = " ".repeat(width - text.width().min(*width));
            let painted = page.paint(cell.tone, &text);
            let last = at + 1 == header.len();
            match (RIGHT.contains(title), last) {
                (true, _) => line.push_str(&format!("{padding}{painted}")),
                (false, true) => line.push_str(&painted),
                (false, false) => line.push_str(&format!("{painted}{padding}")),
            }
            if !last {
                line.push_str(&" ".repeat(GAP));
            }
        }
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// How wide each column becomes: as wide as its widest cell; where the table is too wide, the widest columns are narrowed
/// first.
fn widths(limit: Option<usize>, header: &[&str], rows: &[Vec<Cell>]) -> Vec<usize> {
    let titles: Vec<usize> = header.iter().map(|title| said(title).width()).collect();
    let widest = |(at, title): (usize, &usize)| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.text.width());
        cells.chain([*title]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = titles.iter().enumerate().map(widest).collect();
    let Some(limit) = limit else { return widths };
    let gaps = GAP * header.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > limit {
        let yields = |(at, width): &(usize, &mut usize)| {
            let title = header.get(*at).copied().unwrap_or_default();
            let least = LEAST.max(titles.get(*at).copied().unwrap_or_default());
            !WHOLE.contains(&title) && **width > least
        };
        match widths.iter_mut().enumerate().filter(yields).max_by_key(|(_, width)| **width) {
            Some((_, width)) => *width -= 1,
            None => break,
        }
    }
    widths
}

/// The text, at most `width` columns wide.
pub fn cut(text: &str, width: usize, left: bool) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let mut used = 0;
    let mut fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= room
    };
    if left {
        let mut end: Vec<char> = text.chars().rev().take_while(|c| fits(c)).collect();
        end.push('…');
        end.into_iter().rev().collect()
    } else {
        let mut begin: String = text.chars().take_while(|c| fits(c)).collect();
        begin.push('…');
        begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Page = Page { width: None, height: None, colour: false };

    fn rows(cells: &[&[&str]]) -> Vec<Vec<Cell>> {
        cells.iter().map(|row| row.iter().map(|text| Cell::from(*text)).collect()).collect()
    }

    #[test]
    fn columns_stand_by_display_width() {
        let text = table(
            WIDE,
            &["NAME", "JOBS", "NOTE"],
            rows(&[&["笔记.md", "7", "a"], &["notes.md", "12", "b\nc"]]),
        );
        assert_eq!(text, "NAME      JOBS  NOTE\n笔记.md      7  a\nnotes.md    12  b c");
    }

    #[test]
    fn the_widest_gives_way_and_ids_do_not() {
        let narrow = Page { width: Some(30), height: None, colour: false };
        let text = table(
            narrow,
            &["ID", "DOCUMENT", "NOTE"],
            rows(&[&["01a200aa-04f6", "~/very/long/notes.md", "short"]]),
        );
        assert_eq!(
            text,
            "ID             DOCUMENT  NOTE\n01a200aa-04f6  …otes.md  sho…".replace("sho…", "short").as_str()
        );
        for line in text.lines() {
            assert!(line.width() <= 30, "{line}");
        }
    }

    #[test]
    fn what_to_type_stands_below_where_it_does_not_fit_beside() {
        let next = |width| {
            let cells = rows(&[&["笔记.md", "7", "last-word release --all"], &["b", "12", "last-word work"]]);
            table(
                Page { width: Some(width), height: None, colour: false },
                &["DOCUMENT", "JOBS", "NEXT"],
                cells,
            )
        };
        let beside =
            "DOCUMENT  JOBS  NEXT\n笔记.md      7  last-word release --all\nb           12  last-word work";
        assert_eq!(next(39), beside);
        let below =
            "DOCUMENT  JOBS\n笔记.md      7\n  last-word release --all\nb           12\n  last-word work";
        assert_eq!(next(38), below);
    }

    #[test]
    fn wide_characters_are_cut_whole() {
        assert_eq!(cut("笔记笔记", 6, false), "笔记…");
        assert_eq!(cut("笔记笔记", 5, true), "…笔记");
        assert_eq!(cut("abc", 3, false), "abc");
    }

    #[test]
    fn colour_does_not_count() {
        let colour = Page { width: None, height: None, colour: true };
        let text = table(colour, &["STATE", "X"], vec![vec![Cell::new("bad", Tone::Bad), "x".into()]]);
        assert!(crate::render::coloured(&text).ends_with("\x1b[31mbad\x1b[0m    x"), "{text:?}");
    }
}
