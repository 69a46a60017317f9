//! Comments that mark a block (`<!-- BEGIN toc -->` … `<!-- END toc -->`, `<!-- toc -->` … `<!-- tocstop -->`) and anchor
//! lines (`<a id="x"></a>`): text that belongs to somebody else or to the next heading, and so ends a section's body.

use super::document::Section;
use super::text::{content_end, is_blank, part};
use std::collections::HashMap;

/// Which side of its block a marker stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Start,
    End,
}

/// How a marker is written, which says when it counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// With a keyword in capitals (`BEGIN`, `END`, …): it counts even without its partner.
    Capitals,
    /// With a keyword in lower case. Like all below it counts only with its partner: `<!-- end of list -->` is prose until a
    /// `<!-- start of list -->` turns up.
    Keyword,
    /// A name alone: any comment of one line can be the beginning of `<!-- NAME_END -->` or `<!-- /NAME -->`.
    Name,
    /// `<!-- /NAME -->`.
    Slash,
    /// A linter's switch (`<!-- markdownlint-disable -->`). What it is put around is the section's own text.
    Linter,
}

/// A marker comment at document level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// Offset of its first line; what it counts from is its holder's choice (a scan or a section).
    pub start: usize,
    /// Offset after its last line.
    pub end: usize,
    pub mark: Mark,
}

/// What a marker comment says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Mark {
    pub side: Side,
    /// What the two sides have in common, upper case.
    pub name: Box<str>,
    pub form: Form,
}

impl Mark {
    /// Whether it counts without its partner.
    pub(super) fn counts_alone(&self) -> bool {
        self.form == Form::Capitals
    }

    /// Keys of which two partners share one.
    fn keys(&self) -> Vec<String> {
        let name = &self.name;
        match self.form {
            Form::Capitals | Form::Keyword => vec![name.to_string()],
            Form::Slash => vec![format!("/{name}")],
            Form::Linter => vec![format!("linter {name}")],
            Form::Name => {
                // `<!-- automd:badges color=red -->` ends with `<!-- /automd -->`.
                let first = name.split([' ', ':']).next().unwrap_or(name);
                let mut keys = vec![name.to_string(), format!("/{name}")];
                keys.extend((*first != **name).then(|| format!("/{first}")));
                keys
            }
        }
    }
}

/// Names longer than this many bytes are prose.
const NAME_MAX: usize = 120;

/// The mark of an HTML block that is exactly one comment which can be a marker.
pub(super) fn of_html(html: &str) -> Option<Mark> {
    let inner = html.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    // A program that makes text (cog) stands in the comment that begins its block.
    let program = inner.trim_start().starts_with("[[[");
    if inner.contains("-->") || !program && inner.trim().contains('\n') {
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
pub(super) fn of_comment(inner: &str) -> Option<Mark> {
    let inner = inner.trim().trim_matches('-').trim();
    let first_word = inner.split_whitespace().next().unwrap_or("");
    program(inner)
        .or_else(|| linter(inner))
        .or_else(|| keyword_first(inner))
        .or_else(|| keyword_last(inner))
        .or_else(|| keyword_last(first_word))
        .or_else(|| slash_or_name(inner))
}

/// `[[[cog …]]]` and `[[[end]]]`.
fn program(text: &str) -> Option<Mark> {
    let side = match text {
        "[[[end]]]" => Side::End,
        _ if text.starts_with("[[[") => Side::Start,
        _ => return None,
    };
    Some(Mark { side, name: "[[[".into(), form: Form::Keyword })
}

/// `markdownlint-disable MD001`, `lint disable`, `cspell:enable`; not `markdownlint-disable-next-line`.
fn linter(text: &str) -> Option<Mark> {
    const TOOLS: [&str; 6] = ["MARKDOWNLINT", "RUMDL", "TEXTLINT", "CSPELL", "SPELLCHECKER", "LINT"];
    let text = text.get(..text.len().min(NAME_MAX)).unwrap_or(text).to_ascii_uppercase();
    let tool = TOOLS.into_iter().find(|tool| text.starts_with(tool))?;
    let rest = part(&text, tool.len()..text.len());
    let switch = rest.trim_start_matches(is_separator).split_whitespace().next()?;
    let side = match switch {
        "DISABLE" | "CAPTURE" => Side::Start,
        "ENABLE" | "RESTORE" => Side::End,
        _ => return None,
    };
    rest.starts_with(is_separator).then(|| Mark { side, name: tool.into(), form: Form::Linter })
}

/// `/NAME` ends what `NAME`, `NAME/` or `NAME:more` begins; `tocstop` what `toc` does.
fn slash_or_name(text: &str) -> Option<Mark> {
    if text.is_empty() || text.len() > NAME_MAX || text.contains('\n') {
        return None;
    }
    if text.eq_ignore_ascii_case("tocstop") {
        return Some(Mark { side: Side::End, name: "TOC".into(), form: Form::Keyword });
    }
    let (side, form, rest) = match text.strip_prefix('/') {
        Some(rest) => (Side::End, Form::Slash, rest),
        None => (Side::Start, Form::Name, text.strip_suffix('/').unwrap_or(text)),
    };
    Some(Mark { side, name: name(rest), form }).filter(|mark| !mark.name.is_empty())
}

fn keyword_first(text: &str) -> Option<Mark> {
    let end = text.find(is_separator).unwrap_or(text.len());
    let (side, form) = keyword(part(text, 0..end))?;
    Some(Mark { side, name: name(part(text, end..text.len())), form })
        .filter(|mark| mark.counts_alone() || !mark.name.is_empty())
}

fn keyword_last(text: &str) -> Option<Mark> {
    let (at, c) = text.char_indices().rev().find(|(_, c)| is_separator(*c))?;
    let (side, form) = keyword(part(text, at + c.len_utf8()..text.len()))?;
    Some(Mark { side, name: name(part(text, 0..at)), form }).filter(|mark| !mark.name.is_empty())
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '_' | ':' | '-')
}

fn keyword(word: &str) -> Option<(Side, Form)> {
    let side = match word.to_ascii_uppercase().as_str() {
        "START" | "BEGIN" => Side::Start,
        "END" | "STOP" => Side::End,
        _ => return None,
    };
    let capitals = word.bytes().all(|b| b.is_ascii_uppercase());
    Some((side, if capitals { Form::Capitals } else { Form::Keyword }))
}

fn name(text: &str) -> Box<str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_matches(is_separator).to_uppercase().into()
}

/// Markers in their order, put together.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Indexes of the two sides of each block, in the order of their ends.
    pub blocks: Vec<(usize, usize)>,
    /// Those whose partner is not among them; sorted.
    pub single: Vec<usize>,
}

/// Puts the two sides of each block together.
pub(super) fn pairs(markers: &[Marker]) -> Pairs {
    let mut open: HashMap<(bool, String), Vec<usize>> = HashMap::new();
    let mut taken = vec![false; markers.len()];
    let mut found = Pairs::default();
    for (i, Marker { mark, .. }) in markers.iter().enumerate() {
        let keys = mark.keys();
        if mark.side == Side::Start {
            for key in keys {
                open.entry((mark.form == Form::Name, key)).or_default().push(i);
            }
            continue;
        }
        // A keyword at the beginning is a better partner than a name alone.
        let stacks =
            [false, true].into_iter().flat_map(|name| keys.iter().map(move |key| (name, key.clone())));
        let start = stacks.into_iter().find_map(|key| {
            let stack = open.get_mut(&key)?;
            std::iter::from_fn(|| stack.pop()).find(|i| !taken.get(*i).copied().unwrap_or(true))
        });
        taken[i] = true;
        let Some(start) = start else {
            found.single.push(i);
            continue;
        };
        taken[start] = true;
        found.blocks.push((start, i));
        if mark.form == Form::Linter {
            // Switched on, all that was switched off before is on.
            let others = keys.iter().filter_map(|key| open.remove(&(false, key.clone()))).flatten();
            others.for_each(|i| taken[i] = true);
        }
    }
    found.single.extend((0..markers.len()).filter(|i| !taken[*i]));
    found.single.sort_unstable();
    found
}

/// How many markers of a document could be the partner of one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Index {
    starts: HashMap<String, usize>,
    names: HashMap<String, usize>,
    ends: HashMap<String, usize>,
}

impl Index {
    pub(super) fn add(&mut self, sections: &[Section]) {
        for mark in marks(sections) {
            for key in mark.keys() {
                *self.of(mark).entry(key).or_default() += 1;
            }
        }
    }

    pub(super) fn remove(&mut self, sections: &[Section]) {
        for mark in marks(sections) {
            for key in mark.keys() {
                let counts = self.of(mark);
                if let Some(count) = counts.get_mut(&key) {
                    *count -= 1;
                    if *count == 0 {
                        counts.remove(&key);
                    }
                }
            }
        }
    }

    fn of(&mut self, mark: &Mark) -> &mut HashMap<String, usize> {
        match (mark.side, mark.form) {
            (Side::End, _) => &mut self.ends,
            (Side::Start, Form::Name) => &mut self.names,
            (Side::Start, _) => &mut self.starts,
        }
    }

    /// Whether the document has a marker that could be the other side of this one's block.
    pub(super) fn has_partner(&self, mark: &Mark) -> bool {
        let count = |of: &HashMap<String, usize>, key: &String| of.get(key).copied().unwrap_or(0);
        mark.keys().iter().any(|key| match (mark.side, mark.form) {
            (Side::End, _) => count(&self.starts, key) + count(&self.names, key) > 0,
            // An end that belongs to a keyword leaves nothing for a name alone.
            (Side::Start, Form::Name) => count(&self.ends, key) > count(&self.starts, key),
            (Side::Start, _) => count(&self.ends, key) > 0,
        })
    }

    /// Whether a marker counts as one: by itself, or because the document has its partner.
    pub(super) fn counts(&self, mark: &Mark) -> bool {
        mark.counts_alone() || self.has_partner(mark)
    }
}

fn marks(sections: &[Section]) -> impl Iterator<Item = &Mark> {
    sections.iter().flat_map(|section| section.markers()).map(|marker| &marker.mark)
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
