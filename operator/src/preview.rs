//! What a job would do to its document now: a diff, or the reason why not. Changes nothing.

use declaration::Entry;
use documents::{DocumentError, Documents};
use markdown_merge::Merger;
use markdown_merge::rollback::put_back;
use policy::confidence_note::marked;
use policy::knowledge_base::KnowledgeBase;
use policy::stamp::stamp;
use queue_layout::{Job, JobError, State};
use serde::Serialize;
use std::borrow::Cow;

/// Earlier versions that are looked through for what an author saw; more than are kept is no harm.
const BACK: u32 = 100;

/// What would happen.
#[derive(Debug, Clone, Serialize)]
pub struct Preview {
    /// The change as a unified diff; empty when the document says it already.
    pub diff: String,
    /// Why it could not be merged.
    pub refused: Option<JobError>,
    /// The headings of sections that changed since the job's author (or whoever proposed it) saw them.
    pub moved: Vec<String>,
}

/// Merges a job into its document as it is now, in memory.
///
/// # Errors
/// The document cannot be read.
pub fn preview(documents: &Documents, base: &KnowledgeBase, job: &Job) -> Result<Preview, DocumentError> {
    let document = documents.find(&job.document.path)?;
    let present = documents.read(&document)?;
    let rules = base.rules();
    let merged = Merger::open(&present.bytes).map_err(JobError::from).and_then(|mut merger| {
        if let Some(restore) = &job.restore {
            let text = put_back(&restore.base, merger.text(), &restore.text);
            return text
                .ok_or_else(|| JobError::new("conflict", "the document changed since, in the same lines"));
        }
        let seen = |hash: &str| documents.section_seen(&document, hash, BACK).ok().flatten();
        let changes = merger.apply(&*written(base, job), &rules, &seen)?;
        stamp(&mut merger, base, &changes, job.created_at, job.said_by());
        Ok(merger.text().to_owned())
    });
    let moved = moved(&present.bytes, job);
    Ok(match merged {
        Ok(text) => {
            let before = String::from_utf8_lossy(&present.bytes);
            Preview {
                diff: unified_diff(&before, &text, &job.document.path.display().to_string()),
                refused: None,
                moved,
            }
        }
        Err(error) => Preview { diff: String::new(), refused: Some(error), moved },
    })
}

/// What the worker would write: a guess is marked, unless a person said yes to it.
fn written<'j>(base: &KnowledgeBase, job: &'j Job) -> Cow<'j, [Entry]> {
    // What waits for a yes is shown as that yes would have it.
    let waits = job.waits_in == Some(State::Review);
    if waits || job.approved_by.is_some() {
        return Cow::Borrowed(&job.entries);
    }
    marked(base, job.producer.trust(), &job.entries)
}

fn moved(text: &[u8], job: &Job) -> Vec<String> {
    let Ok(merger) = Merger::open(text) else { return Vec::new() };
    let differs = |entry: &&Entry| {
        let now = merger.section_text(&entry.key.heading, entry.key.level, entry.scope);
        let now = now.ok().flatten().map(markdown_merge::hash);
        entry.base.is_some() && entry.base != now
    };
    job.entries.iter().filter(differs).map(|entry| entry.key.heading.join(" > ")).collect()
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
