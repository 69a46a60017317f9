//! What verbs answer, for machines: the shapes behind every `--json`. Names of fields are stable; fields may be added.

use declaration::{Entry, Timestamp};
use queue_layout::{Enqueued, JobId};
use serde::Serialize;
use std::path::PathBuf;
use worker::Report;

/// A job that is on stable storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Acknowledged {
    /// The job.
    pub id: JobId,
    /// Its document.
    pub document: PathBuf,
    /// The knowledge base of that.
    pub kb: String,
    /// Whether it is new; not, when its key was known.
    pub new: bool,
}

impl From<&Enqueued> for Acknowledged {
    fn from(enqueued: &Enqueued) -> Self {
        let Enqueued { id, document, new } = enqueued;
        Acknowledged { id: *id, document: document.path.clone(), kb: document.kb.clone(), new: *new }
    }
}

/// An entry that was put into a session's buffer.
#[derive(Debug, Clone, Serialize)]
pub struct Planned {
    /// The agent whose session it is.
    pub agent: String,
    /// The document it is for.
    pub document: PathBuf,
    /// The id it keeps as a job.
    pub id: JobId,
    /// The knowledge base of the document.
    pub kb: String,
    /// How we know whose session it is, in words.
    pub known_by: &'static str,
    /// Whether it will wait for a person's yes.
    pub review: bool,
    /// The session.
    pub session: String,
    /// The entry as it was understood.
    #[serde(skip)]
    pub entry: Option<Entry>,
}

/// An entry of a session's buffer.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedEntry {
    /// The entry; `None` when it cannot be read.
    pub entry: Option<Entry>,
    /// The id it keeps as a job.
    pub id: String,
    /// The knowledge base of its document.
    pub kb: String,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

impl From<queue_layout::Planned> for PlannedEntry {
    fn from(planned: queue_layout::Planned) -> Self {
        let id = planned.id.to_string();
        match planned.job {
            Ok(job) => {
                PlannedEntry { id, kb: job.document.kb, entry: job.entries.into_iter().next(), problem: None }
            }
            Err(problems) => {
                let problem = problems.first().map(ToString::to_string);
                PlannedEntry { id, kb: String::new(), entry: None, problem }
            }
        }
    }
}

/// The buffer of a session.
#[derive(Debug, Clone, Serialize)]
pub struct Buffer {
    /// The agent whose session it is.
    pub agent: String,
    /// How we know whose session it is, in words.
    pub known_by: &'static str,
    /// What is in it, oldest first.
    pub planned: Vec<PlannedEntry>,
    /// The session.
    pub session: String,
}

/// What a flush made jobs of.
#[derive(Debug, Clone, Serialize)]
pub struct Flushed {
    /// The jobs.
    pub flushed: Vec<JobId>,
}

/// An entry that is in no buffer any more.
#[derive(Debug, Clone, Serialize)]
pub struct TakenBack {
    /// The id it had.
    pub taken_back: JobId,
}

/// What a run over all documents did, in jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Merged into their documents.
    pub applied: u64,
    /// Put off until later.
    pub deferred: u64,
    /// Failed for good; somebody is needed.
    pub failed: u64,
    /// When the next that was put off is due.
    pub next_due: Option<Timestamp>,
    /// Waiting for a yes.
    pub review: u64,
    /// Their documents said it already.
    pub unchanged: u64,
}

impl From<&Report> for Run {
    fn from(report: &Report) -> Self {
        let Report { applied, unchanged, deferred, failed, review, next_due, .. } = *report;
        Run { applied, deferred, failed, next_due, review, unchanged }
    }
}

/// What a run over some documents did, in jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Merged into their documents.
    pub applied: u64,
    /// Put off until later.
    pub deferred: u64,
    /// Failed for good; somebody is needed.
    pub failed: u64,
    /// Waiting for a yes.
    pub review: u64,
    /// Their documents said it already.
    pub unchanged: u64,
}

impl From<&Report> for Applied {
    fn from(report: &Report) -> Self {
        let Report { applied, unchanged, deferred, failed, review, .. } = *report;
        Applied { applied, deferred, failed, review, unchanged }
    }
}
