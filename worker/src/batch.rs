//! A claimed job on its way through the worker.

use declaration::Fault;
use queue_layout::{Claimed, Job};

/// A claimed job, read.
#[derive(Debug, Clone)]
pub(crate) struct Ready {
    /// The claim.
    pub claimed: Claimed,
    /// The job.
    pub job: Job,
}

/// A job that waits for a yes, with what its author's sections said when it came.
pub(crate) fn proposed(mut job: Job, error: Fault, seen: Vec<Option<String>>) -> Job {
    for (entry, seen) in job.entries.iter_mut().zip(seen) {
        entry.base = entry.base.take().or(seen);
    }
    job.error = Some(error);
    job
}
