//! What stood where an entry writes when it was declared. An update that names no base takes out what it finds; what somebody else
//! than our merges wrote there since, nobody meant to take out.

use crate::Trial;
use declaration::{Entry, Operation, Scope, Timestamp};
use markdown_merge::{Change, FRONT_MATTER, Merger, hash};
use queue_layout::Job;
use std::collections::BTreeSet;

/// How long a commit may have been under way, in milliseconds, when what it then changed was seen as it was before.
const UNDER_WAY_MS: u64 = 10_000;
/// What is recorded where nothing is.
const ABSENT: &str = "none";
/// Of several sections that are taken out together each is recorded by so much of its hash.
const SHORT: usize = "sha256:".len() + 16;

/// Whether an entry may take out a text that it does not name: known without a look at the document.
#[must_use]
pub fn may_take_out(entry: &Entry) -> bool {
    let takes = match entry.key.item() {
        Some(_) => entry.operation == Operation::Revise,
        None => matches!(entry.operation, Operation::Update | Operation::Clear | Operation::Delete),
    };
    takes && entry.base.is_none() && entry.old_text.is_none()
}

/// The hash of the text that an entry would take out and names no base for; with `scope: subtree` also of each section in it, with commas
/// between them. `None` where it takes out nothing, or only what it says.
#[must_use]
pub fn seen(merger: &Merger, entry: &Entry) -> Option<String> {
    if !may_take_out(entry) {
        return None;
    }
    let Entry { key, scope, .. } = entry;
    if let Some(id) = key.item() {
        return merger.item_text(id).map(hash);
    }
    if let [first, name] = key.heading.as_slice()
        && key.level == 0
        && first == FRONT_MATTER
    {
        return Some(merger.front_matter_hash(name).unwrap_or_else(|| ABSENT.to_owned()));
    }
    let text = merger.section_text(&key.heading, key.level, *scope).ok()?;
    Some(match (text, scope) {
        (None, _) => ABSENT.to_owned(),
        (Some(text), Scope::Own) => hash(text),
        (Some(text), Scope::Subtree) => {
            let sections = markdown_merge::sections(text).ok()?;
            let each = sections.iter().map(|section| short(&section.hash).to_owned());
            std::iter::once(hash(text)).chain(each).collect::<Vec<_>>().join(",")
        }
    })
}

/// The hash of all that was seen; `None` where nothing was there.
pub(crate) fn whole(seen: &str) -> Option<&str> {
    seen.split(',').next().filter(|whole| *whole != ABSENT)
}

fn short(hash: &str) -> &str {
    hash.get(..SHORT).unwrap_or(hash)
}

/// The base of an entry that names none: what it saw, where something else stands there now that no job before it put there.
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
    // Every text that may stand there by our own doing. Not one after another: what we wrote may have been undone.
    let mut ours: BTreeSet<String> = seen_then.split(',').map(|hash| short(hash).to_owned()).collect();
    let mut is_ours = false;
    let mut follow = |change: &Change| {
        let is_item = |id: &str| change.item.as_ref().is_some_and(|item| item.id == id);
        is_ours |= entry.key.item().is_some_and(is_item);
        let begins = match &change.before {
            Some(before) => ours.contains(short(before)),
            None => entry.scope == Scope::Subtree || change.heading.last() == entry.key.heading.last(),
        };
        if begins {
            ours.insert(change.after.as_deref().map_or(ABSENT, short).to_owned());
        }
    };
    let id = job.id.to_string();
    let since = Timestamp(job.created_at.millis().saturating_sub(UNDER_WAY_MS));
    // A history that cannot be read says so when it is written; what it would tell is taken for a person's.
    let _ = trial.documents.each_change_since(trial.document, since, &mut |by| {
        // What was declared later and is there already (this one was planned, or failed) is not to be taken out either.
        if by.id < id {
            by.changes.iter().for_each(&mut follow);
        }
    });
    done.iter().for_each(follow);
    let mut parts = now.split(',').map(short);
    let whole = parts.next().is_some_and(|whole| ours.contains(whole));
    let of_parts = now.contains(',') && parts.all(|part| ours.contains(part));
    if is_ours || whole || of_parts {
        return None;
    }
    seen_then.split(',').next().map(str::to_owned)
}
