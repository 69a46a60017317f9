//! Copies of another document that `copy_of` keeps in a block: one that does not say what its source says was edited by hand, or is
//! older than its source.

use crate::tree::joined;
use crate::{DriftCheck, DriftFinding, Look};

/// How a copy's first line begins, as the worker writes it; behind it the source's name and a hash.
const STAMP: &str = "<!-- last-word:copy of ";
/// What every line around a block has.
const MARKER: &str = "MACHINE_BLOCK_";

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let lines: Vec<&str> = look.document.text.lines().map(str::trim_end).collect();
    let stamps = lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.strip_prefix(STAMP)?)));
    stamps.filter_map(|(at, stamp)| of_copy(look, &lines, at, stamp)).collect()
}

fn of_copy(look: &Look<'_>, lines: &[&str], at: usize, stamp: &str) -> Option<DriftFinding> {
    let (said, _) = stamp.split_once(';')?;
    let (name, _) = said.rsplit_once(' ')?;
    let copy: Vec<&str> =
        lines.iter().skip(at + 1).take_while(|line| !line.contains(MARKER)).copied().collect();
    let sources = sources(look, name);
    // The block does not say which of several files of that name it copies: any with the same text will do.
    if sources.is_empty() || sources.iter().any(|source| said_of(source) == trimmed(copy.iter().copied())) {
        return None;
    }
    let why = format!("the copy was edited by hand, or {name} has changed since it was made");
    Some(DriftFinding {
        line: at + 1,
        check: DriftCheck::Copy,
        says: format!("copy of {name}"),
        why,
        now: None,
    })
}

/// The files of that name that we see, beside the document or above it.
fn sources(look: &Look<'_>, name: &str) -> Vec<String> {
    let mut dirs = vec![look.document.dir()];
    while let Some((above, _)) = dirs.last().and_then(|dir| dir.rsplit_once('/')) {
        dirs.push(above);
    }
    dirs.push("");
    let paths = dirs.iter().filter_map(|dir| joined(dir, name)).filter(|path| path != look.document.path);
    paths.filter_map(|path| (look.read)(&path)).collect()
}

/// What a copy of this text consists of.
fn said_of(text: &str) -> String {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_end);
    trimmed(lines.filter(|line| !line.contains(MARKER) && !line.starts_with(STAMP)))
}

fn trimmed<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
