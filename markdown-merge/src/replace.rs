//! A text becomes another where it stands, once or as often as its author says: where, and what happens when it was done
//! before.

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
    /// These bytes of the core become the new text, in their order.
    At(Vec<Range<usize>>),
}

/// Finds the places where `old` becomes `new`: one, or as many as are expected. `made`: whether this was done before, where that is
/// known; else it was if the new text stands there by itself, and not as a piece of another word.
pub(super) fn find(
    core: &str,
    old: &str,
    new: &str,
    expect: Option<u32>,
    made: Option<bool>,
) -> Result<Replacement, Refusal> {
    let found = open_places(core, old, new);
    let wanted = times(expect);
    if found.is_empty() {
        let there = occurrences(core, new);
        let done = match made {
            _ if new.is_empty() => true,
            Some(made) => made && there.len() >= wanted,
            None => there.iter().filter(|at| stands_by_itself(core, at)).count() >= wanted,
        };
        return if done { Ok(Replacement::Done) } else { Err(not_there(old)) };
    }
    if found.len() != wanted {
        return Err(as_often(core, &found, old, expect));
    }
    if old == new {
        return Ok(Replacement::Done);
    }
    if found.windows(2).any(|two| matches!(two, [one, next] if next.start < one.end)) {
        let message = format!("{} overlaps with itself in the section", quoted(old));
        return Err(refuse(RefusalCode::TextAmbiguous, message).hint("give more of the text around it"));
    }
    repeatable(core, found, old, new)
}

fn times(expect: Option<u32>) -> usize {
    expect.map_or(1, |times| times as usize)
}

/// How often the two texts of a replacement stand in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextsThere {
    /// The old one, where it is no part of the new one.
    pub old: usize,
    /// The new one.
    pub new: usize,
    /// How many are to be replaced.
    pub wanted: usize,
}

impl TextsThere {
    /// Whether what stands here now came of what stood there then by this replacement.
    #[must_use]
    pub fn came_of(&self, then: &TextsThere) -> bool {
        self.old == 0 && then.old >= self.wanted && self.new >= then.new + self.wanted
    }
}

pub(super) fn texts_there(core: &str, old: &str, new: &str, expect: Option<u32>) -> TextsThere {
    let new_texts = if new.is_empty() { 0 } else { occurrences(core, new).len() };
    let old_texts = if old.is_empty() { 0 } else { open_places(core, old, new).len() };
    TextsThere { old: old_texts, new: new_texts, wanted: times(expect) }
}

/// So many characters of a script without blanks between its words are more than a word that stands in others by chance.
const UNSPACED_MIN: usize = 4;

/// Whether a text is no piece of a longer word.
fn stands_by_itself(text: &str, at: &Range<usize>) -> bool {
    let found = part(text, at.clone());
    let is_long = found.chars().filter(|c| is_unspaced(*c)).count() >= UNSPACED_MIN;
    let go_on = |one: Option<char>, next: Option<char>| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        one.zip(next).is_some_and(|(one, next)| match (is_unspaced(one), is_unspaced(next)) {
            (true, true) => !is_long,
            (false, false) => is_word(one) && is_word(next),
            _ => false,
        })
    };
    let (above, below) = (part(text, 0..at.start), part(text, at.end..text.len()));
    !go_on(above.chars().next_back(), found.chars().next())
        && !go_on(found.chars().next_back(), below.chars().next())
}

/// Letters of scripts that set no blanks between words: Chinese, Japanese, Thai, Lao, Khmer and Burmese.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3041..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn not_there(old: &str) -> Refusal {
    refuse(RefusalCode::TextNotFound, format!("the section does not hold {}", quoted(old)))
        .hint("copy the text to replace from the document as it is now")
}

fn as_often(core: &str, found: &[Range<usize>], old: &str, expect: Option<u32>) -> Refusal {
    let mut lines: Vec<usize> = found.iter().map(|at| line_number(core, at.start)).collect();
    lines.dedup();
    lines.truncate(8);
    let times = match found.len() {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let message = format!("the section holds {} {times}", quoted(old));
    let (message, hint) = match expect {
        None => {
            let hint =
                format!("give more of the text around it, or say `expect: {}` to replace all", found.len());
            (message, hint)
        }
        Some(expected) => {
            let hint =
                format!("read the section again: `expect: {}`, or more of the text around it", found.len());
            (format!("{message}, not {expected} times"), hint)
        }
    };
    refuse(RefusalCode::TextAmbiguous, message).hint(hint).lines(lines)
}

/// A second run must find the work done: `ab` → `` in `aabb` would go on for ever.
fn repeatable(core: &str, at: Vec<Range<usize>>, old: &str, new: &str) -> Result<Replacement, Refusal> {
    let after = with(core, &at, new);
    let after = without_blank_edges(&after);
    let again = open_places(after, old, new);
    if again.is_empty() && (new.is_empty() || occurrences(after, new).len() >= at.len()) {
        return Ok(Replacement::At(at));
    }
    let message = format!("a second run would replace {} again", quoted(old));
    Err(refuse(RefusalCode::NotRepeatable, message).hint("give more of the text around it, or use `update`"))
}

/// The core after replacing at these places.
pub(super) fn with(core: &str, places: &[Range<usize>], new: &str) -> String {
    let (mut text, mut last) = (String::with_capacity(core.len() + places.len() * new.len()), 0);
    for at in places {
        text.push_str(part(core, last..at.start));
        text.push_str(new);
        last = at.end;
    }
    text.push_str(part(core, last..core.len()));
    text
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
