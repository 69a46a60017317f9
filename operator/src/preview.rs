//! What a job would do to its document now: a diff, or the reason why not. Changes nothing.

use knowledge::base::KnowledgeBase;
use knowledge::merge::Merger;
use knowledge::rollback::put_back;
use queue_layout::{Job, JobError};
use serde::Serialize;
use vault::{Vault, VaultError};

/// What would happen.
#[derive(Debug, Clone, Serialize)]
pub struct Preview {
    /// The change as a unified diff; empty when the document says it already.
    pub diff: String,
    /// Why it could not be merged.
    pub refused: Option<JobError>,
}

/// Merges a job into its document as it is now, in memory.
///
/// # Errors
/// The document cannot be read.
pub fn preview(vault: &Vault<'_>, base: &KnowledgeBase, job: &Job) -> Result<Preview, VaultError> {
    let document = vault.find(&job.document.path)?;
    let present = vault.read(&document)?;
    let rules = base.rules();
    let merged = Merger::open(&present.bytes).map_err(JobError::from).and_then(|mut merger| {
        if let Some(restore) = &job.restore {
            let text = put_back(&restore.base, merger.text(), &restore.text);
            return text
                .ok_or_else(|| JobError::new("conflict", "the document changed since, in the same lines"));
        }
        merger.apply(&job.entries, &rules, &|_| None)?;
        Ok(merger.text().to_owned())
    });
    Ok(match merged {
        Ok(text) => {
            let before = String::from_utf8_lossy(&present.bytes);
            Preview {
                diff: unified_diff(&before, &text, &job.document.path.display().to_string()),
                refused: None,
            }
        }
        Err(error) => Preview { diff: String::new(), refused: Some(error) },
    })
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
