//! What a job would do to its document now: a diff, or the reason why not. Changes nothing.

use declaration::{Entry, Fault};
use documents::DocumentError;
use markdown_merge::{Merger, Section};
use queue_layout::{Job, JobId, Outcome, State};
use serde::Serialize;
use trial::{ApprovedAs, Trial, Tried};

/// What would happen.
#[derive(Debug, Clone, Serialize)]
pub struct Preview {
    /// The change as a unified diff; empty when the document says it already.
    pub diff: String,
    /// Why it could not be merged.
    pub refused: Option<Fault>,
    /// Why a person's yes is needed before it is merged; the diff is what it makes with that yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Fault>,
    /// The headings of sections that changed since the job's author (or whoever proposed it) saw them.
    pub moved: Vec<String>,
    /// The sections that it changes, whole, for who shows them rendered.
    #[serde(skip)]
    pub sections: Vec<ChangedSection>,
}

/// A section before and after a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChangedSection {
    /// The headings above it, and its own; empty for the text before the first heading.
    pub heading: Vec<String>,
    /// Its own text before; `None` for a new one.
    pub before: Option<String>,
    /// Its own text after; `None` for one that is gone.
    pub after: Option<String>,
}

/// Merges a job into its document as it is now, in memory. What waits for a yes is shown as that yes would have it.
///
/// # Errors
/// The document cannot be read.
pub fn preview(trial: &Trial<'_>, job: &Job) -> Result<Preview, DocumentError> {
    preview_behind(trial, &[], job)
}

/// The same with the document as it will be once these jobs are written, to which a person said yes.
///
/// # Errors
/// The document cannot be read.
pub fn preview_behind(trial: &Trial<'_>, approved: &[Job], job: &Job) -> Result<Preview, DocumentError> {
    let onto = written(trial, approved)?;
    let merged = |approved_as| match &onto {
        None => trial.now(&[job], approved_as),
        Some(onto) => Ok(Tried { before: onto.clone(), merged: trial.merge(onto, &[job], approved_as) }),
    };
    let waits = job.waits_in == Some(State::Review);
    let approved_as = if waits { ApprovedAs::IfApproved } else { ApprovedAs::Given };
    let mut tried = merged(approved_as)?;
    let mut review = None;
    if let Some(Outcome::Review { fault, .. }) = tried.merged.outcomes.first() {
        review = Some(fault.clone());
        tried = merged(ApprovedAs::IfApproved)?;
    }
    let refused = tried.merged.outcomes.first().and_then(Outcome::fault).cloned();
    let diff = diff_of_trial(&tried, &job.document.path.display().to_string());
    let sections = changed_sections(&tried.before, &tried.merged.text);
    Ok(Preview { diff, refused, review, moved: moved(&tried.before, job), sections })
}

/// What approved jobs make of their document; `None` where they leave it as it is.
fn written(trial: &Trial<'_>, approved: &[Job]) -> Result<Option<Vec<u8>>, DocumentError> {
    if approved.is_empty() {
        return Ok(None);
    }
    let jobs: Vec<&Job> = approved.iter().collect();
    let Tried { before, merged } = trial.now(&jobs, ApprovedAs::IfApproved)?;
    Ok((merged.text != before).then_some(merged.text))
}

/// The sections whose own text differs, in the order of the text after, then those that are gone. Sections of one name and
/// one text are told apart by how many there are.
fn changed_sections(before: &[u8], after: &[u8]) -> Vec<ChangedSection> {
    let (Ok(before), Ok(after)) = (Merger::open(before), Merger::open(after)) else { return Vec::new() };
    let own = |merger: &Merger, section: &Section| merger.text().get(section.own.clone()).map(str::to_owned);
    let mut left = before.sections();
    let mut new = after.sections();
    new.retain(|section| {
        let same = |old: &Section| old.heading == section.heading && old.hash == section.hash;
        let at = left.iter().position(same);
        at.map(|at| left.remove(at)).is_none()
    });
    let mut changed = Vec::new();
    for section in &new {
        let at = left.iter().position(|old| old.heading == section.heading);
        let old = at.map(|at| left.remove(at)).and_then(|old| own(&before, &old));
        changed.push(ChangedSection {
            heading: section.heading.clone(),
            before: old,
            after: own(&after, section),
        });
    }
    changed.extend(left.iter().map(|old| ChangedSection {
        heading: old.heading.clone(),
        before: own(&before, old),
        after: None,
    }));
    changed
}

/// A unified diff of what jobs make of their document; empty when they change nothing.
#[must_use]
pub fn diff_of_trial(tried: &Tried, name: &str) -> String {
    let (before, after) =
        (String::from_utf8_lossy(&tried.before), String::from_utf8_lossy(&tried.merged.text));
    unified_diff(&before, &after, name)
}

fn moved(text: &[u8], job: &Job) -> Vec<String> {
    moved_of(text, &[job]).into_iter().map(|(_, heading)| heading).collect()
}

/// The headings of sections of a text that changed since the authors of jobs saw them.
#[must_use]
pub fn moved_of(text: &[u8], jobs: &[&Job]) -> Vec<(JobId, String)> {
    let Ok(merger) = Merger::open(text) else { return Vec::new() };
    let differs = |entry: &&Entry| {
        let key = &entry.key;
        let section = || merger.section_text(&key.heading, key.level, entry.scope).ok().flatten();
        let now = key.item().map_or_else(section, |id| merger.item_text(id)).map(markdown_merge::hash);
        entry.base.is_some() && entry.base != now
    };
    let of_job = |job: &Job| {
        let entries = job.entries.iter().filter(differs);
        entries.map(|entry| (job.id, entry.key.heading.join(" > "))).collect::<Vec<_>>()
    };
    jobs.iter().flat_map(|job| of_job(job)).collect()
}

/// A unified diff of a document before and after a merge; empty when they are equal.
#[must_use]
pub fn unified_diff(before: &str, after: &str, name: &str) -> String {
    diff_of(before, after, name, &format!("{name} (merged)"))
}

/// A unified diff of two texts with the names of both; empty when they are equal.
#[must_use]
pub fn diff_of(before: &str, after: &str, before_name: &str, after_name: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = similar::TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(3).header(before_name, after_name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_change_are_told_whole() {
        let before = "# a\n\none\n\n## b\n\ntwo\n\n## c\n\nthree\n";
        let after = "# a\n\none\n\n## b\n\ntwo and more\n\n## d\n\nfour\n";
        let told = changed_sections(before.as_bytes(), after.as_bytes());
        let told: Vec<_> = told
            .iter()
            .map(|section| (section.heading.join("/"), section.before.as_deref(), section.after.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                ("a/b".to_owned(), Some("## b\n\ntwo"), Some("## b\n\ntwo and more")),
                ("a/d".to_owned(), None, Some("## d\n\nfour")),
                ("a/c".to_owned(), Some("## c\n\nthree"), None),
            ]
        );
        assert_eq!(changed_sections(before.as_bytes(), before.as_bytes()), []);
    }
}
