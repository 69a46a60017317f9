//! What an author saw and what is there now: the hash that tells them apart, and the three-way merge.

use super::Refusal;
use super::refusal::refuse;
use super::text::with_line_ends;
use super::{Conflict, body};
use sha2::{Digest, Sha256};

const PREFIX: &str = "sha256:";

/// `sha256:<hex>` of a section's own text.
pub(super) fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{PREFIX}{}", hex.concat())
}

/// Whether `base` stands for this text. An editor that only changed line ends is no conflict.
pub(super) fn is_hash_of(base: &str, text: &str) -> bool {
    let same = |text: &str| hash(text).eq_ignore_ascii_case(base);
    same(text) || (text.contains('\r') && same(&with_line_ends(text, "\n")))
}

/// The core (LF) of the version an author saw, where it is still known and reads as that section.
pub(super) fn core_of(base_text: &str, level: u8) -> Option<String> {
    let text = with_line_ends(base_text.trim_start_matches('\u{feff}'), "\n");
    body::core_of_text(&text, level).map(str::to_owned)
}

/// Both changes of one core (LF), or `None` when they overlap.
pub(super) fn merge(base: &str, current: &str, wanted: &str) -> Option<String> {
    let whole = |core: &str| if core.is_empty() { String::new() } else { format!("{core}\n") };
    let merged = diffy::merge(&whole(base), &whole(current), &whole(wanted)).ok()?;
    Some(super::text::without_blank_edges(&merged).to_owned())
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
    refuse("conflict", message)
        .hint("look at both texts, then resolve with `--ours`, `--theirs` or `--edit`")
        .conflict(conflict)
}
