//! A recording of a terminal as a picture that plays: SVG of text alone, which any browser shows without a script.

use super::terminal::{Cell, Screen};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Stands in a recording where the picture rests for a while.
pub const REST: char = '\u{1e}';
/// How long, in seconds.
const REST_S: usize = 4;
/// Of one column and one row, in tenths of a pixel.
const COLUMN: usize = 84;
const ROW: usize = 180;
const MARGIN: usize = 120;

/// The picture of a recording on a terminal of this size.
pub fn picture(recording: &str, (columns, rows): (usize, usize)) -> String {
    let mut screen = Screen::new(columns, rows);
    let mut frames = Vec::new();
    for part in recording.split(REST) {
        screen.feed(part.as_bytes());
        frames.push(frame(&screen));
    }
    let (width, height) = (columns * COLUMN + 2 * MARGIN, rows * ROW + 2 * MARGIN);
    let (width, height) = (tenths(width), tenths(height));
    let all_s = frames.len() * REST_S;
    let part = 1000 / frames.len();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>\n\
         text{{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d4d4d4;white-space:pre}}\n\
         .s{{font-weight:bold;fill:#fff}}.d{{fill:#8a8a8a}}.b{{fill:#f2777a}}.g{{fill:#99cc99}}.w{{fill:#ffcc66}}\n\
         .f{{visibility:hidden;animation:f {all_s}s step-end infinite}}\n\
         .f:last-of-type{{visibility:visible}}\n\
         @keyframes f{{0%{{visibility:visible}}{}%{{visibility:hidden}}100%{{visibility:hidden}}}}\n\
         </style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1d1f21\"/>\n",
        tenths(part)
    );
    for (at, frame) in frames.iter().enumerate() {
        let _ = writeln!(svg, "<g class=\"f\" style=\"animation-delay:{}s\">\n{frame}</g>", at * REST_S);
    }
    svg.push_str("</svg>\n");
    svg
}

fn tenths(of: usize) -> String {
    format!("{}.{}", of / 10, of % 10)
}

fn frame(screen: &Screen) -> String {
    let mut text = String::new();
    for (at, row) in
        screen.rows.iter().enumerate().filter(|(_, row)| row.iter().any(|cell| !cell.text.is_empty()))
    {
        let y = tenths(MARGIN + at * ROW + ROW * 3 / 4);
        let _ = writeln!(text, "<text y=\"{y}\">{}</text>", spans(row));
    }
    text
}

/// The parts of a row that stand together: one colour, and no character that may be drawn wider than it counts.
fn spans(row: &[Cell]) -> String {
    let end = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |at| at + 1);
    let mut spans: Vec<(usize, u8, bool, String)> = Vec::new();
    let mut right_of_wide = 0;
    for (at, cell) in row.iter().take(end).enumerate() {
        if right_of_wide > 0 && cell.text.is_empty() {
            right_of_wide -= 1;
            continue;
        }
        let seen = if cell.text.is_empty() { " " } else { &cell.text };
        let wide = seen.width() > 1;
        right_of_wide = seen.width().saturating_sub(1);
        match spans.last_mut() {
            Some((_, tone, false, text)) if *tone == cell.tone && !wide => text.push_str(seen),
            _ => spans.push((at, cell.tone, wide, seen.to_owned())),
        }
    }
    let span = |(at, tone, _, text): &(usize, u8, bool, String)| {
        let class = match tone {
            1 => " class=\"s\"",
            2 => " class=\"d\"",
            31 => " class=\"b\"",
            32 => " class=\"g\"",
            33 => " class=\"w\"",
            _ => "",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        format!("<tspan x=\"{}\"{class}>{text}</tspan>", tenths(MARGIN + at * COLUMN))
    };
    spans.iter().filter(|(.., text)| !text.trim().is_empty()).map(span).collect()
}
