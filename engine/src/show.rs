//! One job whole: where it is, what it says, how it ended, and what it would make of its document now.

use crate::output::{KeptAt, ShownJob};
use crate::{Failure, Home};
use operator::Preview;
use queue_layout::{Job, KeptBytes, Listed, LocatedJob, State};

/// Behind how many approved jobs of a document a preview looks: each is read and merged for one screen.
const BEHIND_MAX: usize = 500;

/// Everything that is known of one job. `output::Shown` is the same for machines.
#[derive(Debug, Clone)]
pub struct JobView {
    /// The job, its receipt where it has ended, its error where it cannot be read.
    pub found: LocatedJob,
    /// The file of one that is no job: bytes that nobody could read, or a person's text that is not in the document.
    pub kept: Option<KeptBytes>,
    /// What it would do to its document now. `None` for what has ended, and for a document that cannot be read.
    pub preview: Option<Preview>,
}

impl JobView {
    /// The text of a file that is no job, as far as it is text.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let bytes = self.kept.as_ref()?.bytes.as_deref().ok()?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

impl Home {
    /// The one job whose id begins like this, whole.
    ///
    /// # Errors
    /// There is none, or more than one; the configuration cannot be used; a disk error.
    pub fn show(&self, prefix: &str) -> Result<JobView, Failure> {
        self.view(&self.find(prefix)?)
    }

    /// The same of a job that is listed.
    ///
    /// # Errors
    /// It is somebody else's by now; the configuration cannot be used; a disk error.
    pub fn view(&self, listed: &Listed) -> Result<JobView, Failure> {
        let found = self.queue().load(listed)?;
        let preview = self.preview(&found)?;
        let kept = if is_no_job(&found) { self.queue().kept(&found.listed)? } else { None };
        Ok(JobView { found, kept, preview })
    }

    /// What a job would do to its document now. `None` for what has ended, and for a document that cannot be read.
    ///
    /// # Errors
    /// The configuration cannot be used.
    pub fn preview(&self, found: &LocatedJob) -> Result<Option<Preview>, Failure> {
        self.preview_behind(found, &[])
    }

    /// The same as it will be once what a person said yes to is written into that document: this stays as it is when a worker does so.
    ///
    /// # Errors
    /// It is somebody else's by now; the configuration cannot be used; a disk error.
    pub fn preview_behind_approved(&self, listed: &Listed) -> Result<Option<Preview>, Failure> {
        let found = self.queue().load(listed)?;
        let Some(doc) = found.job.as_ref().map(|job| job.document.doc) else { return Ok(None) };
        let waits = self.queue().operator().approved_waiting()?.into_iter();
        let of_document = waits.filter(|other| other.doc == doc).take(BEHIND_MAX);
        // One that a worker took meanwhile is missed here; the next look has it.
        let approved: Vec<Job> =
            of_document.filter_map(|other| self.queue().load(&other).ok()?.job).collect();
        self.preview_behind(&found, &approved)
    }

    fn preview_behind(&self, found: &LocatedJob, approved: &[Job]) -> Result<Option<Preview>, Failure> {
        let Some(job) = found.job.as_ref().filter(|_| found.receipt.is_none()) else { return Ok(None) };
        let settings = self.settings()?;
        let Ok(document) = self.documents().find(&job.document.path) else { return Ok(None) };
        let named = &job.document;
        let Some(kb) = self.strictest(&settings, &named.kb, &document, named.project.as_deref()) else {
            return Ok(None);
        };
        Ok(operator::preview_behind(&self.trial(&document, &kb, &settings), approved, job).ok())
    }
}

/// Whether its file is kept for what is in it, and is no job.
fn is_no_job(found: &LocatedJob) -> bool {
    match found.listed.state {
        State::Done => found.job.is_none(),
        State::Failed | State::Review => found.unreadable.is_some(),
        _ => false,
    }
}

impl From<JobView> for ShownJob {
    fn from(view: JobView) -> ShownJob {
        let json = |job: &Job| job.to_json(None).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let text = view.text();
        let JobView { found, kept, preview } = view;
        ShownJob {
            id: found.listed.id.to_string(),
            state: found.listed.state,
            document: found.job.as_ref().map(|job| job.document.path.clone()),
            job: found.job.as_ref().and_then(json),
            receipt: found.receipt,
            unreadable: found.unreadable,
            text,
            kept: kept.map(|kept| KeptAt { path: kept.path, bytes: kept.len }),
            preview,
        }
    }
}
