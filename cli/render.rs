//! Printing: tables for people, JSON for programs, relative times.

use crate::failure::Failure;
use comfy_table::{ContentArrangement, Table, presets};
use knowledge::Timestamp;
use serde::Serialize;
use std::io::Write;

/// Prints a value as JSON, indented, on stdout.
pub fn json<T: Serialize>(value: &T) -> Result<(), Failure> {
    let text =
        serde_json::to_string_pretty(value).map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
    line(&text)
}

/// Prints a value as JSON on a line of its own.
pub fn json_line<T: Serialize>(value: &T) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
    line(&text)
}

/// Prints a line on stdout, flushed. A reader that went away is no failure of ours.
pub fn line(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Prints a unified diff.
pub fn diff(diff: &str) -> Result<(), Failure> {
    line(diff.trim_end_matches('\n'))
}

/// A table with a header line and no frame, as wide as the terminal or as its content.
pub fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = terminal_width() {
        table.set_width(width);
    } else {
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
    table.set_header(header.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// How long ago a moment was, in its largest unit: `3 m`.
pub fn ago(now: Timestamp, then: Timestamp) -> String {
    if then > now {
        return format!("in {}", span(then.since_ms(now)));
    }
    format!("{} ago", span(now.since_ms(then)))
}

/// A length of time in its largest unit.
pub fn span(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// A length of time as a person types it: `90s`, `10m`, `2h`, `3d`.
pub fn parse_span(text: &str) -> Result<u64, Failure> {
    let bad = || {
        Failure::new(format!("`{text}` is not a length of time"))
            .hint("90s, 10m, 2h, 3d")
            .code(crate::failure::USAGE)
    };
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| bad())?;
    let unit = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(bad()),
    };
    number.checked_mul(unit).ok_or_else(bad)
}

fn terminal_width() -> Option<u16> {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .ok()
        .map(|size| size.ws_col)
        .filter(|columns| *columns >= 40)
}
