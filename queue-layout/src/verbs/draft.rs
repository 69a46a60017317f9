//! What becomes a job: a draft, the job it makes, and where the job's file is written and goes.

use crate::Queue;
use crate::error::{QueueError, Result};
use crate::format::id::{IdTime, JobId};
use crate::format::job::{DocumentRef, Job, Producer};
use crate::format::name::{Form, JobName};
use crate::format::state::State;
use declaration::{Asked, Entry, Timestamp};
use std::path::PathBuf;

/// What becomes a job.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The document all entries are for.
    pub document: DocumentRef,
    /// The changes, in order.
    pub entries: Vec<Entry>,
    /// What the declaration says of its source.
    pub source: String,
    /// Who declares it.
    pub producer: Producer,
    /// Makes it idempotent: a second draft with the same key is the same job. One that says something else is refused.
    pub key: Option<String>,
}

impl Draft {
    /// What policy is asked about it.
    #[must_use]
    pub fn asked(&self) -> Asked<'_> {
        self.producer.asked(&self.document, &self.entries)
    }

    /// The job it would become, without an id of its own: for previews, never to be written.
    #[must_use]
    pub fn into_job(self, now: Timestamp) -> Job {
        job_of(self, JobId::new(IdTime::default(), 0), now)
    }
}

/// A job that is now durable in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enqueued {
    /// Its id.
    pub id: JobId,
    /// Its document.
    pub document: DocumentRef,
    /// False when its key was known already: this is the job of the first time.
    pub new: bool,
}

impl Enqueued {
    /// A job that was not there before.
    pub(super) fn new(job: &Job) -> Enqueued {
        Enqueued { id: job.id, document: job.document.clone(), new: true }
    }
}

impl Queue {
    pub(crate) fn tmp_of(&self, job: &Job) -> PathBuf {
        self.layout.tmp().join(format!("{}.json", job.id))
    }

    pub(crate) fn pending_path(&self, job: &Job) -> PathBuf {
        self.layout.dir(State::Pending).join(job_name(job).to_string())
    }
}

pub(crate) fn job_name(job: &Job) -> JobName {
    JobName { id: job.id, doc: job.document.doc, rev: job.rev, due: None, form: Form::Job }
}

pub(crate) fn encode(job: &Job) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    encode_behind(job, &mut bytes)?;
    Ok(bytes)
}

pub(super) fn encode_behind(job: &Job, lines: &mut Vec<u8>) -> Result<()> {
    job.append_json(None, lines).map_err(|message| QueueError::Encode { what: "a job", message })
}

pub(crate) fn job_of(draft: Draft, id: JobId, now: Timestamp) -> Job {
    let Draft { document, entries, source, producer, key } = draft;
    Job {
        id,
        rev: 0,
        created_at: now,
        document,
        key,
        producer,
        attempts: Vec::new(),
        kills: 0,
        suspected: 0,
        source,
        entries,
        error: None,
        waits_in: None,
        approved_by: None,
        seal: None,
        proposed_for: None,
        begins_with: None,
        again: None,
        restore: None,
    }
}
