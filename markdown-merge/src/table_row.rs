//! `upsert_row`: a row of the one table of a section, known by its first cell: it takes the place of the row with the same first
//! cell, or comes behind the last one. Works on a section's text with LF line ends.

use super::content;
use super::parse::{self, Events, Kind, Known};
use super::refusal::refuse;
use super::text::{line_number, part};
use super::{Refusal, RefusalCode};
use std::ops::Range;

/// What becomes of a section's text: nothing, or these bytes become others.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Upsert {
    /// It stands here already.
    Done(Range<usize>),
    At(Range<usize>, String),
}

/// A line of the table.
struct Line<'t> {
    at: Range<usize>,
    cells: Vec<&'t str>,
}

/// Finds where a row goes in a section's text, and how it is written there.
pub(super) fn find(core: &str, row: &str) -> Result<Upsert, Refusal> {
    content::no_nul(row)?;
    let row = row.trim();
    let new = cells(row);
    if row.contains(['\n', '\r']) || new.iter().all(|cell| cell.is_empty()) {
        return Err(refuse(RefusalCode::BadRow, "the row is not one line with cells")
            .hint("write it as the table has its rows: | key | value |"));
    }
    let table = only_table(core)?;
    let lines = lines_of(core, &table);
    let [head, _, rows @ ..] = lines.as_slice() else { return Err(no_table()) };
    if head.cells.len() != new.len() {
        let message = format!("the table has {} columns and the row {}", head.cells.len(), new.len());
        return Err(
            refuse(RefusalCode::BadRow, message).hint("give every cell, also the empty ones: | key | |")
        );
    }
    let same: Vec<&Line<'_>> = rows.iter().filter(|line| line.cells.first() == new.first()).collect();
    let written = format!("| {} |", new.join(" | "));
    let upsert = match same.as_slice() {
        [one] if one.cells == new => return Ok(Upsert::Done(one.at.clone())),
        [one] => {
            let line = part(core, one.at.clone());
            let indent = line.len() - line.trim_start().len();
            Upsert::At(one.at.start + indent..one.at.end, written)
        }
        [] => Upsert::At(table.end..table.end, format!("\n{written}")),
        several => {
            let at: Vec<usize> = several.iter().map(|line| line_number(core, line.at.start)).collect();
            let key = new.first().copied().unwrap_or_default();
            return Err(refuse(RefusalCode::TextAmbiguous, format!("{} rows begin with `{key}`", at.len()))
                .hint("make the first cells differ, or use `replace`")
                .lines(at));
        }
    };
    // The head counts as a row.
    stays_a_table(core, &table, 1 + rows.len() + usize::from(same.is_empty()), &upsert)?;
    Ok(upsert)
}

fn only_table(core: &str) -> Result<Range<usize>, Refusal> {
    let scan = parse::scan(core, &Known::NOTHING, Events::Places);
    let tables: Vec<_> = scan.events.iter().filter(|e| e.depth == 0 && e.kind == Kind::Table).collect();
    match tables.as_slice() {
        [one] => Ok(one.start..one.end),
        [] => Err(no_table()),
        several => {
            let at: Vec<usize> = several.iter().map(|table| line_number(core, table.start)).collect();
            Err(refuse(RefusalCode::TextAmbiguous, format!("the section has {} tables", at.len()))
                .hint("put each under a heading of its own, or use `replace`")
                .lines(at))
        }
    }
}

fn no_table() -> Refusal {
    refuse(RefusalCode::TextNotFound, "the section has no table")
        .hint("write one with `update` or `append` first")
}

fn lines_of<'t>(core: &'t str, table: &Range<usize>) -> Vec<Line<'t>> {
    let mut lines = Vec::new();
    let mut start = super::text::line_start(core, table.start);
    for line in part(core, start..table.end).split_inclusive('\n') {
        let end = start + line.trim_end_matches('\n').len();
        lines.push(Line { at: start..end, cells: cells(line) });
        start += line.len();
    }
    lines
}

/// The cells of a row, blanks around each aside. A pipe behind a backslash is part of its cell.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let (mut cells, mut from, mut escaped) = (Vec::new(), 0, false);
    for (at, c) in inner.char_indices() {
        if c == '|' && !escaped {
            cells.push(part(inner, from..at).trim());
            from = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    let last = part(inner, from..inner.len()).trim();
    if !last.is_empty() || cells.is_empty() {
        cells.push(last);
    }
    cells
}

/// With the row in it the table must be one table still, with so many rows.
fn stays_a_table(core: &str, table: &Range<usize>, rows: usize, upsert: &Upsert) -> Result<(), Refusal> {
    let Upsert::At(at, with) = upsert else { return Ok(()) };
    // To some readers a line that is set in as code is ends the table.
    let is_code = |line: &str| line.starts_with("    ") || line.trim_start_matches(' ').starts_with('\t');
    let is_one = !part(core, table.clone()).lines().any(is_code);
    let new = [part(core, 0..at.start), with, part(core, at.end..core.len())].concat();
    let scan = parse::scan(&new, &Known::NOTHING, Events::Places);
    let mut behind =
        scan.events.iter().skip_while(|e| !(e.kind == Kind::Table && e.start == table.start)).skip(1);
    let found =
        behind.by_ref().take_while(|e| e.depth > 0).filter(|e| e.depth == 1 && e.kind == Kind::Row).count();
    if is_one && found == rows {
        return Ok(());
    }
    Err(refuse(RefusalCode::SideEffect, "the table would not read as one with that row")
        .hint("write the row as plain text; a pipe in a cell is written \\|"))
}
