//! The first line of what the worker makes in a machine block: with the hash of the rest, so that what a person wrote there is known.

use markdown_merge::hash;

/// Characters of the hash that it has.
const HASH_CHARS: usize = 16;

/// How it ends.
const ENDS: &str = "; what is written here is lost -->";

/// A text below its stamp, which begins so. `plain` is what is hashed of it.
pub(crate) fn stamped(begins: &str, text: &str, plain: Plain) -> String {
    let text = text.trim();
    format!("{begins}{}{ENDS}\n\n{text}", short_hash(&plain(text)))
}

/// What a text says, whatever else an editor may change of it.
pub(crate) type Plain = fn(&str) -> String;

/// What stands below the stamp of a block; `None` where it has none.
pub(crate) fn unstamped<'b>(block: &'b str, begins: &str) -> Option<&'b str> {
    let block = block.trim_start();
    let (stamp, rest) = block.split_once('\n').unwrap_or((block, ""));
    // Words beside it are somebody's.
    (stamp.starts_with(begins) && stamp.trim_end().ends_with(ENDS)).then_some(rest)
}

/// Whether a block says what was written into it, or nothing.
pub(crate) fn is_as_written(block: &str, begins: &str, plain: Plain) -> bool {
    let lines: Vec<&str> = block.lines().map(str::trim_end).collect();
    let Some((stamp, rest)) = lines.split_first() else { return true };
    let rest = rest.join("\n");
    let said = stamp.strip_prefix(begins).and_then(|said| said.strip_suffix(ENDS));
    said.is_some_and(|said| said.rsplit(' ').next() == Some(&short_hash(&plain(rest.trim()))))
}

/// Whether two texts say the same in all their lines, however those end.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.trim().lines().map(str::trim_end).eq(other.trim().lines().map(str::trim_end))
}

fn short_hash(text: &str) -> String {
    hash(text).chars().rev().take(HASH_CHARS).collect()
}
