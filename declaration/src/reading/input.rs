//! From bytes to text: size, encoding, and nothing else. A byte-order mark is tolerated.

use super::limits::INPUT_BYTES_MAX;
use crate::Code;
use crate::problem::{Position, Problem};

/// Advice for who sent nothing.
pub const EMPTY_HINT: &str = "a declaration has at least `version` and `entries`";

/// The text of an input, or the reason why it is not text.
pub fn text(bytes: &[u8]) -> Result<&str, Problem> {
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(too_large("the input", bytes.len(), INPUT_BYTES_MAX));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| bad_utf8(bytes, error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        return Err(Problem::new(Code::NulByte, format!("the input has a NUL byte at byte {at}"))
            .hint("the file may be torn (never completely written), or not a text")
            .at(place_of(text, at)));
    }
    if text.trim().is_empty() {
        return Err(Problem::new(Code::EmptyInput, "the input is empty").hint(EMPTY_HINT));
    }
    Ok(text)
}

/// What to do with a declaration that is too much at once. One call takes as many lines as fit into `INPUT_BYTES_MAX`.
pub const SPLIT_HINT: &str = "split it: JSON, one declaration on each line, up to 16 MiB in one call";

/// The problem of something that has more bytes than it may.
pub fn too_large(what: &str, bytes: usize, bytes_max: usize) -> Problem {
    Problem::new(Code::TooLarge, format!("{what} has {bytes} bytes, more than the {bytes_max} allowed"))
        .hint(SPLIT_HINT)
}

/// Line and column (in characters) of a byte offset.
pub fn place_of(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.get(line_start..).map_or(0, |line| line.chars().count()) + 1;
    Position { line: saturating(line), column: saturating(column) }
}

/// A count as `Position` holds it.
pub fn saturating(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn bad_utf8(bytes: &[u8], error: std::str::Utf8Error) -> Problem {
    let at = error.valid_up_to();
    let good = bytes.get(..at).and_then(|good| std::str::from_utf8(good).ok()).unwrap_or_default();
    let hint = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "it looks like UTF-16; save it as UTF-8"
    } else if error.error_len().is_none() {
        "it ends in the middle of a character: the file may be cut off"
    } else {
        "save it as UTF-8"
    };
    Problem::new(Code::BadUtf8, format!("the input is not UTF-8 at byte {at}"))
        .hint(hint)
        .at(place_of(good, at))
}
