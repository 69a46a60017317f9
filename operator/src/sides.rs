//! The two sides of a conflict: what is left of a job when the document's side stands, and what it becomes when its own
//! side does. Pure.

use declaration::{Entry, Operation};
use markdown_merge::rollback::put_back_over;
use markdown_merge::{Conflict, hash};
use queue_layout::{Job, Restore};
use std::path::PathBuf;

/// What is left of a job whose conflict is decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ours {
    /// The entry that is left out.
    pub left_out: Option<Entry>,
    /// The entries that are still to be merged; empty when nothing is left of the job.
    pub rest: Vec<Entry>,
}

/// The conflict a job waits with.
#[must_use]
pub fn conflict_of(job: &Job) -> Option<&Conflict> {
    job.error.as_ref().and_then(|error| error.conflict.as_deref())
}

/// The document's side stands: the entry in conflict is left out. `None` for a job without a conflict.
pub(crate) fn ours(job: &Job) -> Option<Ours> {
    conflict_of(job)?;
    let at = in_conflict(job);
    let mut rest = job.entries_with_ids();
    if at < rest.len() {
        rest.remove(at);
    }
    let says_something = job.restore.is_none() && rest.iter().any(|entry| entry.operation != Operation::NoOp);
    Some(Ours {
        left_out: job.entries.get(at).cloned(),
        rest: if says_something { rest } else { Vec::new() },
    })
}

/// The job's side stands, over the text that was looked at: what the document says after that is again a conflict.
/// `None` for a job without one, and for a rollback that would take out what somebody wrote elsewhere since.
pub(crate) fn theirs(job: &Job, over: Option<&str>) -> Option<Job> {
    let conflict = conflict_of(job)?.clone();
    let mut job = job.clone();
    if let Some(restore) = &job.restore {
        // Only where the two differ it goes over what stands there: the rest of what was changed since stays.
        let base = conflict.current.unwrap_or_default();
        let text = put_back_over(&restore.base, &base, &restore.text)?;
        job.restore = Some(Box::new(Restore { base, text, ..(**restore).clone() }));
        return Some(job);
    }
    let at = in_conflict(&job);
    let entry = job.entries.get_mut(at)?;
    if entry.operation.is_of_item() {
        entry.old_text = None;
    }
    entry.base = over.map(str::to_owned).or_else(|| conflict.current.as_deref().map(hash));
    // Where nothing stands there now, the job's side makes it again.
    entry.meta.seen = None;
    Some(job)
}

/// The edit of a job, by a person who saw both sides of the conflict that it waits with: their text goes over the text that the
/// document had then, and what the document says after that is again a conflict. The edit stays as it is where there is no
/// conflict, where they named another base, and where they left the text that is in conflict as it was.
#[must_use]
pub fn over_both(edited: Job, waits: &Job) -> Job {
    let of = |job: &Job| job.entries.get(in_conflict(waits)).cloned();
    let is_third_text = |new: Entry, old: Entry| new.base == old.base && new.content != old.content;
    if !of(&edited).zip(of(waits)).is_some_and(|(new, old)| is_third_text(new, old)) {
        return edited;
    }
    let in_conflict = Job { error: waits.error.clone(), ..edited.clone() };
    theirs(&in_conflict, None).unwrap_or(edited)
}

/// Which section a conflict is about.
pub type ConflictPlace = (PathBuf, Vec<String>, u8);

/// Where a conflict is, and the hash of the section once the job's side stands: what the next job of the same place goes
/// over, when both are decided in one go. `None` without a conflict, and for a rollback, which is about all sections.
#[must_use]
pub fn leaves(job: &Job) -> Option<(ConflictPlace, String)> {
    let conflict = conflict_of(job).filter(|_| job.restore.is_none())?;
    let key = &job.entries.get(in_conflict(job))?.key;
    let place = (job.document.path.clone(), key.heading.clone(), key.level);
    Some((place, hash(&conflict.wanted)))
}

fn in_conflict(job: &Job) -> usize {
    job.error.as_ref().and_then(|error| error.entry).unwrap_or(0)
}
