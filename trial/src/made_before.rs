//! A `replace` whose old text is gone, and a `rename` whose heading is: whether that was done before, or whether the new text, or another
//! section of that name, stands there for another reason. What stood there when it was declared tells, and the history.

use crate::Trial;
use crate::declared::{ABSENT, Run, place_and_document};
use declaration::{Entry, Operation, Timestamp};
use markdown_merge::{Change, Edit, Merger, TextsThere, is_same_heading};

/// What is recorded of the place of a `replace` or a `rename`: how often the two texts stand there, or the hash of the section's text.
/// `None` for other entries.
#[must_use]
pub fn seen_to_replace(merger: &Merger, entry: &Entry) -> Option<String> {
    match entry.operation {
        Operation::Replace => {
            let TextsThere { old, new, .. } = merger.texts_there(&Edit::from(entry))?;
            Some(format!("{old},{new}"))
        }
        Operation::Rename => {
            let body = merger.body_hash(&entry.key.heading, entry.key.level);
            Some(body.unwrap_or_else(|| ABSENT.to_owned()))
        }
        _ => None,
    }
}

/// Whether an entry was done before, where that is known.
pub(crate) fn made(trial: &Trial<'_>, merger: &Merger, entry: &Entry, run: &Run<'_>) -> Option<bool> {
    let (seen, _) = place_and_document(entry.meta.seen.as_deref()?);
    match entry.operation {
        Operation::Replace => replaced(trial, merger, entry, seen, run),
        Operation::Rename => renamed(trial, merger, entry, seen, run),
        _ => None,
    }
}

fn replaced(trial: &Trial<'_>, merger: &Merger, entry: &Entry, seen: &str, run: &Run<'_>) -> Option<bool> {
    let edit = Edit::from(entry);
    let now = merger.texts_there(&edit)?;
    let (old, new) = seen.split_once(',')?;
    let then = TextsThere { old: old.parse().ok()?, new: new.parse().ok()?, ..now };
    if now.old > 0 || now.new < now.wanted {
        return None;
    }
    // A job of this run may have brought the old text, and another one have replaced it.
    let of_section = |change: &Change| change.heading.last() == entry.key.heading.last();
    let in_run = || run.done.iter().any(|done| of_section(&done.change)) && now.new >= then.new + now.wanted;
    let before = |earlier: &Merger| earlier.texts_there(&edit).is_some_and(|then| now.came_of(&then));
    Some(now.came_of(&then) || in_run() || trial.any_kept(&before))
}

fn renamed(trial: &Trial<'_>, merger: &Merger, entry: &Entry, seen: &str, run: &Run<'_>) -> Option<bool> {
    let key = &entry.key;
    let to = entry.content.as_deref()?.trim();
    let mut heading = key.heading.clone();
    *heading.last_mut()? = to.to_owned();
    let there = merger.body_hash(&heading, key.level)?;
    if merger.body_hash(&key.heading, key.level).is_some() {
        return None;
    }
    let is_it = |change: &Change| {
        let from = change.heading.last().zip(key.heading.last());
        change.level == key.level
            && from.is_some_and(|(one, other)| is_same_heading(one, other))
            && change.renamed.as_ref().is_some_and(|renamed| is_same_heading(&renamed.to, to))
    };
    if seen == there || run.done.iter().any(|done| is_it(&done.change)) {
        return Some(true);
    }
    let mut found = false;
    let told = trial.documents.each_change_since(trial.document, Timestamp(0), &mut |by| {
        found |= by.changes.iter().any(is_it);
    });
    told.ok().map(|()| found)
}
