//! Comments that mark a block (`<!-- BEGIN toc -->` … `<!-- END toc -->`) and anchor lines (`<a id="x"></a>`):
//! text that belongs to somebody else or to the next heading, and so ends a section's body.

use super::text::{content_end, is_blank, part};
use std::collections::HashMap;

/// Which side of its block a marker stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Start,
    End,
}

/// A marker comment at document level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// Offset of its first line; what it counts from is its holder's choice (a scan or a section).
    pub start: usize,
    /// Offset after its last line.
    pub end: usize,
    pub side: Side,
    /// What the two sides have in common, upper case.
    pub name: Box<str>,
    /// Written in capitals, so it counts even without its partner. `<!-- end of list -->` is prose until a
    /// `<!-- start of list -->` turns up.
    pub strong: bool,
}

/// Side, name and whether it counts alone, of an HTML block that is exactly one marker comment.
pub(super) fn of_html(html: &str) -> Option<(Side, Box<str>, bool)> {
    let inner = html.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    if inner.contains("-->") || inner.trim().contains('\n') {
        return None;
    }
    of_comment(inner)
}

/// Whether an HTML block is exactly one comment.
pub(super) fn is_comment(html: &str) -> bool {
    let inner = html.trim().strip_prefix("<!--").and_then(|text| text.strip_suffix("-->"));
    inner.is_some_and(|inner| !inner.contains("-->"))
}

/// The same for what stands between `<!--` and `-->`.
pub(super) fn of_comment(inner: &str) -> Option<(Side, Box<str>, bool)> {
    let inner = inner.trim();
    let first_word = inner.split_whitespace().next().unwrap_or("");
    keyword_first(inner).or_else(|| keyword_last(inner)).or_else(|| keyword_last(first_word))
}

fn keyword_first(text: &str) -> Option<(Side, Box<str>, bool)> {
    let end = text.find(is_separator).unwrap_or(text.len());
    let (side, strong) = keyword(part(text, 0..end))?;
    Some((side, name(part(text, end..text.len())), strong))
        .filter(|(_, name, strong)| *strong || !name.is_empty())
}

fn keyword_last(text: &str) -> Option<(Side, Box<str>, bool)> {
    let (at, c) = text.char_indices().rev().find(|(_, c)| is_separator(*c))?;
    let (side, strong) = keyword(part(text, at + c.len_utf8()..text.len()))?;
    Some((side, name(part(text, 0..at)), strong)).filter(|(_, name, _)| !name.is_empty())
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '_' | ':' | '-')
}

fn keyword(word: &str) -> Option<(Side, bool)> {
    let side = match word.to_ascii_uppercase().as_str() {
        "START" | "BEGIN" => Side::Start,
        "END" | "STOP" => Side::End,
        _ => return None,
    };
    Some((side, word.bytes().all(|b| b.is_ascii_uppercase())))
}

fn name(text: &str) -> Box<str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_matches(is_separator).to_uppercase().into()
}

/// Of markers in their order, the ones whose partner is not among them; sorted.
pub(super) fn unpaired(markers: &[Marker]) -> Vec<usize> {
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut single: Vec<usize> = Vec::new();
    for (i, marker) in markers.iter().enumerate() {
        let same_name = open.entry(&marker.name).or_default();
        match marker.side {
            Side::Start => same_name.push(i),
            Side::End if same_name.pop().is_none() => single.push(i),
            Side::End => {}
        }
    }
    single.extend(open.into_values().flatten());
    single.sort_unstable();
    single
}

/// Whether a line holds nothing but empty anchors: `<a id="x"></a>`, also several, indented at most 3 spaces.
pub(super) fn is_anchor_line(line: &str) -> bool {
    let text = line.trim_end();
    let mut rest = text.trim_start_matches(' ');
    if rest.is_empty() || text.len() - rest.len() > 3 {
        return false;
    }
    while !rest.is_empty() {
        let Some(after) = after_anchor(rest) else { return false };
        rest = after.trim_start_matches([' ', '\t']);
    }
    true
}

fn after_anchor(text: &str) -> Option<&str> {
    let open = text.get(..2).filter(|t| t.eq_ignore_ascii_case("<a"))?;
    let rest = part(text, open.len()..text.len());
    let end = rest.find('>')?;
    let attributes = part(rest, 0..end);
    let names_a_place = ["id", "name"].iter().any(|name| {
        let mut words = attributes.split_ascii_whitespace();
        words.any(|w| w.get(..name.len()).is_some_and(|w| w.eq_ignore_ascii_case(name)))
    });
    let close = part(rest, end + 1..rest.len());
    let close = close.get(..4).filter(|t| t.eq_ignore_ascii_case("</a>")).map(|t| t.len())?;
    (attributes.starts_with([' ', '\t']) && names_a_place && !attributes.contains("href"))
        .then(|| part(rest, end + 1 + close..rest.len()))
}

/// Where the anchor lines at the end of `text` begin, blank lines between and after them allowed.
pub(super) fn trailing_anchors(text: &str) -> Option<usize> {
    let mut found = None;
    let mut end = text.len();
    while end > 0 {
        let start = super::text::line_start(text, end - 1);
        let line = part(text, start..content_end(text, start).min(end));
        if is_anchor_line(line) {
            found = Some(start);
        } else if !is_blank(line) {
            break;
        }
        end = start;
    }
    found
}
