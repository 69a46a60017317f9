//! What an author saw and what is there now: the hash that tells them apart, and the three-way merge.

use super::apply::Facts;
use super::document::Document;
use super::refusal::refuse;
use super::request::Edit;
use super::text::with_line_ends;
use super::{Conflict, body};
use super::{Refusal, RefusalCode};
use sha2::{Digest, Sha256};

const PREFIX: &str = "sha256:";

/// `sha256:<hex>` of a section's own text.
pub(super) fn hash(text: &str) -> String {
    as_hex(&Sha256::digest(text.as_bytes()))
}

/// A digest as it is written.
pub(super) fn as_hex(digest: &[u8]) -> String {
    let mut said = String::with_capacity(PREFIX.len() + 64);
    said.push_str(PREFIX);
    for byte in digest {
        let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
        said.extend([digit(byte >> 4), digit(byte & 0xf)]);
    }
    said
}

/// Whether `base` stands for this text. An editor that only changed line ends is no conflict.
pub(super) fn is_hash_of(base: &str, text: &str) -> bool {
    let same = |text: &str| hash(text).eq_ignore_ascii_case(base);
    let other_ends = if text.contains('\r') { "\n" } else { "\r\n" };
    same(text) || (text.contains('\n') && same(&with_line_ends(text, other_ends)))
}

/// The core (LF) of the version an author saw, where it is still known and reads as that section, without definitions of
/// the labels `left` at its end.
pub(super) fn core_of(base_text: &str, level: u8, left: &[u64]) -> Option<String> {
    let text = with_line_ends(base_text.trim_start_matches('\u{feff}'), "\n");
    body::core_of_text(&text, level, left)
}

/// Both changes of one core (LF), or `None` when they overlap.
pub(super) fn merge(base: &str, current: &str, wanted: &str) -> Option<String> {
    if !(is_near(base, current) && is_near(base, wanted)) {
        return None;
    }
    let whole = |core: &str| if core.is_empty() { String::new() } else { format!("{core}\n") };
    let merged = diffy::merge(&whole(base), &whole(current), &whole(wanted)).ok()?;
    Some(super::text::without_blank_edges(&merged).to_owned())
}

/// Most lines that may have come or gone between two texts that are merged. Finding a way from one to the other takes
/// time in the product of lines and changes: two long texts with nothing in common are a conflict, not a puzzle.
const CHANGED_LINES_MAX: usize = 2_000;

/// Whether few enough lines came and went between two texts.
pub(super) fn is_near(one: &str, other: &str) -> bool {
    let few = one.lines().count() + other.lines().count() <= CHANGED_LINES_MAX;
    few || distance(one, other).is_some()
}

/// How many lines came and went between two texts (Myers' greedy comparison); `None` above the limit.
pub(super) fn distance(one: &str, other: &str) -> Option<usize> {
    let (a, b): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    // Diagonals are counted from this one, so that none is negative: there `a` and `b` are at the same line.
    let middle = CHANGED_LINES_MAX + 1;
    let mut furthest = vec![0_usize; 2 * middle + 1];
    for changes in 0..=CHANGED_LINES_MAX {
        for diagonal in (middle - changes..=middle + changes).step_by(2) {
            let at = |k: usize| furthest.get(k).copied().unwrap_or(0);
            let inserted = diagonal == middle - changes
                || diagonal != middle + changes && at(diagonal - 1) < at(diagonal + 1);
            let mut x = if inserted { at(diagonal + 1) } else { at(diagonal - 1) + 1 };
            let Some(mut y) = (x + middle).checked_sub(diagonal) else { continue };
            while x < a.len() && y < b.len() && a.get(x) == b.get(y) {
                (x, y) = (x + 1, y + 1);
            }
            if x >= a.len() && y >= b.len() {
                return Some(changes);
            }
            if let Some(place) = furthest.get_mut(diagonal) {
                *place = x;
            }
        }
    }
    None
}

/// The section is not what its author saw, and their change cannot be put on top of it.
pub(super) fn conflict(conflict: Conflict) -> Refusal {
    let message = match (&conflict.current, &conflict.base) {
        (None, _) => "the section its author saw is gone",
        (Some(_), None) => {
            "the section changed since its author saw it, and the version they saw is not known"
        }
        (Some(_), Some(_)) => "the section changed since its author saw it, in the same lines",
    };
    refuse(RefusalCode::Conflict, message)
        .hint("look at both texts, then keep the document's side, take the job's, or edit it")
        .conflict(conflict)
}

/// Compare-and-set: the section must be what its author saw, where they say what that was. `wanted` makes of the section as it
/// is what the entry would have made of it.
///
/// # Errors
/// A conflict with the three texts.
pub(super) fn as_seen(
    document: &Document,
    section: usize,
    entry: &Edit<'_>,
    facts: &Facts,
    wanted: impl FnOnce(&str) -> String,
) -> Result<(), Refusal> {
    let Some(hash) = entry.base.as_deref() else { return Ok(()) };
    let body = body::body(document, section, entry.scope, None);
    let now = body.own_text(document);
    if is_hash_of(hash, now) {
        return Ok(());
    }
    Err(conflict(Conflict {
        base: (facts.base_text)(hash),
        current: Some(now.to_owned()),
        wanted: wanted(now),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(range: std::ops::Range<usize>) -> String {
        range.map(|n| format!("{n}\n")).collect()
    }

    #[test]
    fn long_texts_with_few_changes_are_merged_and_strangers_are_not() {
        let base = numbers(0..9_000);
        let (current, wanted) = (format!("{base}end\n"), format!("start\n{base}"));
        assert_eq!(merge(&base, &current, &wanted), Some(format!("start\n{base}end")));
        assert_eq!(merge(&base, &numbers(10_000..19_000), &wanted), None);
    }

    #[test]
    fn near_means_at_most_so_many_lines_came_or_went() {
        let base = numbers(0..9_000);
        assert!(is_near(&base, &numbers(0..7_000)));
        assert!(!is_near(&base, &numbers(0..6_999)));
        assert!(is_near(&numbers(2_000..9_000), &base));
        assert!(is_near(&numbers(1_000..9_000), &numbers(0..8_000)));
        assert!(!is_near(&numbers(1_001..9_001), &numbers(0..8_000)));
    }
}
