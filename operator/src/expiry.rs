//! Sections that are due for review: their last author named a day (`review_by`), and it has come. They are only listed;
//! nothing is deleted.

use crate::history::blame;
use declaration::Timestamp;
use documents::{Document, DocumentError, Documents};
use markdown_merge::sections;
use serde::Serialize;
use std::path::PathBuf;

/// A section whose day has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Expired {
    /// The document.
    pub document: PathBuf,
    /// Ancestors … heading.
    pub heading: Vec<String>,
    /// 1-based line of the heading.
    pub line: usize,
    /// The day, `YYYY-MM-DD`.
    pub review_by: String,
    /// The agent that wrote it; empty for a person's shell.
    pub agent: String,
    /// The job that wrote it.
    pub job: String,
}

/// The sections of a document whose day has come and that nobody changed since, not by hand either: who changed one has
/// looked at it.
///
/// # Errors
/// A disk error; a history that cannot be read.
pub fn expired(
    documents: &Documents,
    document: &Document,
    now: Timestamp,
) -> Result<Vec<Expired>, DocumentError> {
    let revisions = documents.revisions(document)?;
    let dated = revisions.iter().flat_map(|revision| &revision.jobs).flat_map(|job| &job.notes);
    if !dated.into_iter().any(|note| note.meta.review_by.is_some()) {
        return Ok(Vec::new());
    }
    let bytes = documents.read(document)?.bytes;
    // A document that cannot be parsed is reported by its next merge, not here.
    let Some(sections) = String::from_utf8(bytes).ok().and_then(|text| sections(&text).ok()) else {
        return Ok(Vec::new());
    };
    let today = now.day();
    let found = blame(&sections, &revisions).into_iter().filter(|blamed| !blamed.by_hand);
    let due = found.filter_map(|blamed| {
        let last = blamed.last?;
        let review_by = last.meta.review_by.filter(|day| *day <= today)?;
        let document = document.path.clone();
        let (agent, job) = (last.agent, last.job);
        Some(Expired { document, heading: blamed.heading, line: blamed.line, review_by, agent, job })
    });
    Ok(due.collect())
}
