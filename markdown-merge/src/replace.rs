//! One occurrence of a text becomes another: which one, and what happens when it was done before.

use super::refusal::refuse;
use super::text::{line_number, part, without_blank_edges};
use super::{Refusal, RefusalCode};
use std::ops::Range;

/// Looking for more would only make `text_ambiguous` slower to say.
const OCCURRENCES_MAX: usize = 1000;

/// What a replacement comes to in one core. All texts have LF line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Replacement {
    /// It was made before.
    Done,
    /// These bytes of the core become the new text.
    At(Range<usize>),
}

/// Finds the one place where `old` becomes `new`.
pub(super) fn find(core: &str, old: &str, new: &str) -> Result<Replacement, Refusal> {
    let found = open_places(core, old, new);
    match found.as_slice() {
        [] if new.is_empty() || core.contains(new) => Ok(Replacement::Done),
        [] => Err(refuse(RefusalCode::TextNotFound, format!("the section does not hold {}", quoted(old)))
            .hint("copy the text to replace from the document as it is now")),
        [_] if old == new => Ok(Replacement::Done),
        [one] => repeatable(core, one, old, new),
        several => {
            let mut lines: Vec<usize> = several.iter().map(|at| line_number(core, at.start)).collect();
            lines.dedup();
            lines.truncate(8);
            let message = format!("the section holds {} {} times", quoted(old), several.len());
            Err(refuse(RefusalCode::TextAmbiguous, message)
                .hint("give more of the text around it")
                .lines(lines))
        }
    }
}

/// A second run must find the work done: `ab` → `` in `aabb` would go on for ever.
fn repeatable(core: &str, at: &Range<usize>, old: &str, new: &str) -> Result<Replacement, Refusal> {
    let after = with(core, at, new);
    let again = open_places(without_blank_edges(&after), old, new);
    if again.is_empty() && (new.is_empty() || without_blank_edges(&after).contains(new)) {
        return Ok(Replacement::At(at.clone()));
    }
    let message = format!("a second run would replace {} again", quoted(old));
    Err(refuse(RefusalCode::NotRepeatable, message).hint("give more of the text around it, or use `update`"))
}

/// The core after replacing.
pub(super) fn with(core: &str, at: &Range<usize>, new: &str) -> String {
    [part(core, 0..at.start), new, part(core, at.end..core.len())].concat()
}

/// Occurrences of `old` that are not part of an occurrence of `new`, which may hold `old` itself.
fn open_places(core: &str, old: &str, new: &str) -> Vec<Range<usize>> {
    let mut found = occurrences(core, old);
    if new.contains(old) && new != old && found.len() < OCCURRENCES_MAX {
        let done = occurrences(core, new);
        let mut at = 0;
        found.retain(|o| {
            while done.get(at).is_some_and(|d| d.end < o.end) {
                at += 1;
            }
            done.get(at).is_none_or(|d| !(d.start <= o.start && o.end <= d.end))
        });
    }
    found
}

/// Every place `needle` begins at, overlapping ones too.
fn occurrences(text: &str, needle: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    let step = needle.chars().next().map_or(1, char::len_utf8);
    while let Some(at) = part(text, from..text.len()).find(needle).map(|at| from + at) {
        found.push(at..at + needle.len());
        from = at + step;
        if from >= text.len() || found.len() >= OCCURRENCES_MAX {
            break;
        }
    }
    found
}

fn quoted(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short:?} …") } else { format!("{short:?}") }
}

/// Where the byte at `at` of a text with LF line ends stands in the same text with its own.
pub(super) fn original_offset(original: &str, at: usize) -> usize {
    if memchr::memchr(b'\r', original.as_bytes()).is_none() {
        return at.min(original.len());
    }
    let mut seen = 0;
    for (offset, byte) in original.bytes().enumerate() {
        if seen == at && byte != b'\r' {
            return offset;
        }
        // A carriage return and its line feed are one line end, and stand where the line feed stood.
        if byte == b'\r' {
            if seen == at {
                return offset;
            }
            continue;
        }
        seen += 1;
    }
    original.len()
}
