//! The commonest mistakes of syntax, recognised by the text around the place where a parser stopped: what is wrong in
//! the author's words, at the place of the cause, and what to write instead. Whatever is not recognised keeps the
//! parser's own words. `fixtures/declarations/mistakes` has each of them with its message.

mod json;
mod yaml;

pub(super) use json::json;
pub(super) use yaml::{cut, yaml};

use super::input::{place_of, saturating};
use crate::Code;
use crate::problem::{Position, Problem};

/// Where a parser stopped, and in which words.
pub(super) struct Stop<'a> {
    /// The whole input.
    pub text: &'a str,
    /// Where the parser stopped.
    pub place: Position,
    /// What the parser says.
    pub says: &'a str,
}

/// A mistake that was recognised.
struct Mistake {
    place: Position,
    message: String,
    hint: String,
}

impl Mistake {
    fn new(place: Position, message: impl Into<String>, hint: impl Into<String>) -> Mistake {
        Mistake { place, message: message.into(), hint: hint.into() }
    }

    fn problem(self, code: Code) -> Problem {
        Problem::new(code, self.message).hint(self.hint).at(self.place)
    }
}

impl<'a> Stop<'a> {
    /// The byte offset of the place.
    fn offset(&self) -> usize {
        offset_of(self.text, self.place)
    }

    /// The lines up to the place, the nearest first, each with its number.
    fn lines_above(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let last = self.place.line as usize;
        let lines: Vec<(usize, &str)> =
            self.text.lines().take(last).enumerate().map(|(n, line)| (n + 1, line)).collect();
        lines.into_iter().rev()
    }

    /// The line of the place.
    fn line(&self) -> &'a str {
        self.text.lines().nth((self.place.line as usize).saturating_sub(1)).unwrap_or_default()
    }
}

/// The byte offset of a place; the end of the text for a place behind it.
pub(super) fn offset_of(text: &str, place: Position) -> usize {
    let above = (place.line as usize).saturating_sub(1);
    let line: usize = text.split_inclusive('\n').take(above).map(str::len).sum();
    let rest = text.get(line..).unwrap_or_default();
    let column = (place.column as usize).saturating_sub(1);
    line + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
}

/// A place by the number of its line and the bytes before it in that line.
fn place_in(number: usize, line: &str, byte: usize) -> Position {
    let column = line.get(..byte).map_or(0, |before| before.chars().count()) + 1;
    Position { line: saturating(number), column: saturating(column) }
}

/// What to do with words that are no part of a declaration.
pub(super) const SENTENCE_HINT: &str = "take it out, or make a comment of it: `# ` in front";

/// Lines of a Markdown fence around the declaration, as language models write them. At the margin only: inside a block of
/// YAML they are indented, and part of the text.
fn fence(stop: &Stop<'_>) -> Option<Mistake> {
    let fences: Vec<usize> = stop
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.starts_with("```"))
        .map(|(n, _)| n + 1)
        .collect();
    let first = *fences.first().filter(|first| **first <= stop.place.line as usize)?;
    let (lines, rest) = match fences.as_slice() {
        [_, .., last] => (format!("lines {first} and {last}"), "them"),
        _ => (format!("line {first}"), "it"),
    };
    Some(Mistake::new(
        place_in(first, "", 0),
        "a Markdown fence (```) stands around the declaration",
        format!("take out {lines} and what stands outside of {rest}"),
    ))
}

/// The marks of a merge that left a conflict in the file.
fn conflict(stop: &Stop<'_>) -> Option<Mistake> {
    let (n, _) = stop.text.lines().enumerate().find(|(_, line)| line.starts_with("<<<<<<< "))?;
    let message = "a conflict of a merge (`<<<<<<<`) stands in the file";
    Some(Mistake::new(place_in(n + 1, "", 0), message, "keep one of its sides, and take out the marks"))
}

/// The name of a character that only looks like a mark of YAML or JSON (`“`, `：`), and the mark that is meant.
fn lookalike(found: char) -> Option<(&'static str, char)> {
    match found {
        '“' | '”' | '„' | '‟' | '«' | '»' | '＂' => Some(("typographic quote", '"')),
        '‘' | '’' | '‚' | '‛' | '＇' => Some(("typographic quote", '\'')),
        '：' => Some(("full-width colon", ':')),
        '，' | '、' => Some(("full-width comma", ',')),
        '｛' => Some(("full-width brace", '{')),
        '｝' => Some(("full-width brace", '}')),
        '［' | '【' => Some(("full-width bracket", '[')),
        '］' | '】' => Some(("full-width bracket", ']')),
        _ => None,
    }
}

/// What to say of a value that begins with a typographic quote: `version: “1.0.0”`.
pub(super) fn quoted_typographically(value: &str) -> Option<String> {
    let first = value.chars().next()?;
    let (name, meant) = lookalike(first).filter(|(name, _)| name.ends_with("quote"))?;
    Some(format!("`{first}` is a {name}; write `{meant}`, here and wherever else a text is quoted"))
}

/// What to say of a field's name that is a name and a value grown together: `heading：A`, `kb:user`.
pub(super) fn grown_together(name: &str, known: &[&str]) -> Option<String> {
    if let Some(bare) = name.strip_prefix('-').filter(|bare| known.contains(bare)) {
        return Some(format!("a space is missing behind the `-`: write `- {bare}: …`"));
    }
    let odd = name.chars().find(|c| !c.is_ascii() && c.is_whitespace());
    if let Some(odd) = odd.filter(|odd| name.starts_with(*odd)) {
        return Some(format!(
            "a blank that is no space (U+{:04X}) stands before it; YAML is indented with spaces only",
            u32::from(odd)
        ));
    }
    let at = name.find([':', '：'])?;
    let field = name[..at].trim();
    let colon = name[at..].chars().next()?;
    if !known.contains(&field) {
        return None;
    }
    let value = name[at + colon.len_utf8()..].trim();
    Some(match colon {
        ':' => format!("a space is missing behind the colon: write `{field}: {value}`"),
        // The lines below it may have grown into the value.
        _ if value.contains('：') => {
            format!("`{colon}` is a full-width colon; write `{field}: …`, and `:` on the lines below as well")
        }
        _ => format!("`{colon}` is a full-width colon; write `{field}: {value}`"),
    })
}
