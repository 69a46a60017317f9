//! What stood where an entry writes when it was declared. An update that names no base takes out what it finds; what somebody else
//! than our merges wrote there since, nobody meant to take out.

use crate::Trial;
use declaration::{Entry, Operation, Scope, Timestamp};
use markdown_merge::{Change, Merger, hash};
use queue_layout::Job;

/// How long a commit may have been under way, in milliseconds, when what it then changed was seen as it was before.
const UNDER_WAY_MS: u64 = 10_000;
/// What is recorded where no such section is.
const ABSENT: &str = "none";

/// The hash of the text that an entry would take out and names no base for; `None` where it takes out nothing, or only what it says.
#[must_use]
pub fn seen(merger: &Merger, entry: &Entry) -> Option<String> {
    let Entry { key, operation, scope, base, old_text, .. } = entry;
    if base.is_some() || old_text.is_some() {
        return None;
    }
    if let Some(id) = key.item() {
        return merger.item_text(id).filter(|_| *operation == Operation::Revise).map(hash);
    }
    if !matches!(operation, Operation::Update | Operation::Clear | Operation::Delete) || *scope != Scope::Own
    {
        return None;
    }
    let text = merger.section_text(&key.heading, key.level, *scope).ok()?;
    Some(text.map_or_else(|| ABSENT.to_owned(), hash))
}

/// The base of an entry that names none: what it saw, where its section says something else now that our merges did not put there.
/// `done`: what the jobs before it changed in this trial.
pub(crate) fn base(
    trial: &Trial<'_>,
    merger: &Merger,
    job: &Job,
    entry: &Entry,
    done: &[Change],
) -> Option<String> {
    let seen_then = entry.meta.seen.as_deref()?;
    let now = seen(merger, entry)?;
    if now == seen_then {
        return None;
    }
    let mut standing = seen_then.to_owned();
    let mut follow = |change: &Change| {
        let is_item = |id: &str| change.item.as_ref().is_some_and(|item| item.id == id);
        let begins = match &change.before {
            Some(before) => *before == standing,
            None => standing == ABSENT && change.heading.last() == entry.key.heading.last(),
        };
        match entry.key.item() {
            Some(id) if is_item(id) => standing.clone_from(&now),
            None if begins => standing = change.after.clone().unwrap_or_else(|| ABSENT.to_owned()),
            _ => {}
        }
    };
    // A history that cannot be read says so when it is written; what it would tell is taken for a person's.
    let since = Timestamp(job.created_at.millis().saturating_sub(UNDER_WAY_MS));
    let _ = trial.documents.each_change_since(trial.document, since, &mut |by| {
        by.changes.iter().for_each(&mut follow);
    });
    done.iter().for_each(follow);
    (standing != now).then(|| seen_then.to_owned())
}
