//! From a declaration for one document to a job in `pending/`: durable before it is acknowledged.

use super::ProducerVerbs;
use crate::error::{QueueError, Result};
use crate::format::approval::Approval;
use crate::format::bundle::{self, goes_with};
use crate::format::id::JobId;
use crate::format::job::{Job, Restore};
use crate::format::name::{Form, JobName};
use crate::format::state::State;
use crate::moves::NewFile;
use crate::moves::order::Arrivals;
use crate::moves::seq::take_stamps;
use crate::verbs::draft::{Draft, Enqueued, encode, encode_behind, job_name, job_of};
use crate::{JOB_BYTES_MAX, Queue};
use declaration::Timestamp;
use std::path::{Path, PathBuf};

impl ProducerVerbs<'_> {
    /// Whether an input was enqueued with this key, as far as can be seen now.
    #[must_use]
    pub fn is_known_key(&self, key: &str) -> bool {
        self.queue.is_known_key(&format!("{key}#0"))
    }

    /// Enqueues drafts in their order. `acknowledge` is called for a job only when it is durable; drafts without a
    /// key share their syncs, and those for one document that follow each other a file. `random` gives the random part
    /// of an id, or of the ids of a file.
    ///
    /// # Errors
    /// `KeyTaken`. A disk error. What was acknowledged before it stays; of the others nothing is promised: after a failed
    /// fsync they may or may not be queued.
    pub fn enqueue(
        &self,
        drafts: Vec<Draft>,
        now: Timestamp,
        random: &mut dyn FnMut() -> u64,
        acknowledge: &mut dyn FnMut(&Enqueued),
    ) -> Result<()> {
        let stamps = take_stamps(&*self.queue.disk, &self.queue.layout, now, drafts.len())?;
        let mut jobs: Vec<Job> = Vec::with_capacity(drafts.len());
        let mut chance = 0;
        for (draft, stamp) in drafts.into_iter().zip(stamps) {
            let mut job = job_of(draft, JobId::new(stamp, chance), now);
            if !jobs.last().is_some_and(|before| goes_with(before, &job)) {
                chance = random();
                job.id = JobId::new(stamp, chance);
            }
            jobs.push(job);
        }
        if jobs.len() > 1 {
            self.queue.keys_are_free(&jobs)?;
        }
        let mut jobs = jobs.into_iter();
        let mut arrivals = self.queue.arrivals();
        while let Some(first) = jobs.as_slice().first() {
            if first.key.is_some() {
                arrivals.next(first.document.doc)?;
                acknowledge(&self.queue.publish_keyed(first)?);
                jobs.next();
                continue;
            }
            let together = jobs.as_slice().iter().take_while(|job| job.key.is_none()).count();
            self.queue.publish(&jobs.as_slice()[..together], &mut arrivals)?;
            for job in jobs.by_ref().take(together) {
                acknowledge(&Enqueued { id: job.id, document: job.document, new: true });
            }
        }
        Ok(())
    }

    /// Enqueues the rollback of a document, which a person asks for; durable when it returns. `draft` says which document, in
    /// one entry that changes nothing; `file` which file that is, links resolved; `by` and `channel` who asks, for the record
    /// of their yes.
    ///
    /// # Errors
    /// A disk error; `TooLarge` when its texts do not fit into a job.
    pub fn enqueue_restore(
        &self,
        draft: Draft,
        restore: Restore,
        file: &Path,
        (by, channel): (&str, &str),
        now: Timestamp,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Enqueued> {
        let stamp =
            take_stamps(&*self.queue.disk, &self.queue.layout, now, 1)?.first().copied().unwrap_or_default();
        let job = Job {
            restore: Some(Box::new(restore)),
            approved_by: Some(by.to_owned()),
            proposed_for: Some(file.to_owned()),
            ..job_of(draft, JobId::new(stamp, random()), now)
        };
        let bytes = encode(&job)?.len() as u64;
        // Half the limit: a rollback that fails waits as YAML, which is longer.
        if bytes * 2 > JOB_BYTES_MAX {
            return Err(QueueError::TooLarge { what: "the rollback", bytes });
        }
        self.queue.record_approvals(&[Approval::of(&job, by, channel, now)])?;
        self.queue.publish(std::slice::from_ref(&job), &mut self.queue.arrivals())?;
        Ok(Enqueued { id: job.id, document: job.document, new: true })
    }
}

impl Queue {
    /// Writes jobs to `tmp/`, moves them to `pending/` in order, and makes the names durable with one sync.
    fn publish(&self, jobs: &[Job], arrivals: &mut Arrivals<'_>) -> Result<()> {
        let (names, files) = self.files_of(jobs)?;
        self.disk.point("enqueue.begin");
        let written = self.moves().write(files)?;
        self.disk.point("enqueue.written");
        let mut docs = names.iter().map(|name| name.doc);
        let renamed = written.place_each(&mut |_| docs.next().map_or(Ok(()), |doc| arrivals.next(doc)))?;
        debug_assert_eq!(renamed.taken(), 0, "an id is used once");
        self.disk.point("enqueue.moved");
        renamed.durable()?;
        self.disk.point("enqueue.durable");
        Ok(())
    }

    /// The files jobs go into, as they are in `tmp/`, and their names to be: those that may share one do.
    fn files_of(&self, jobs: &[Job]) -> Result<(Vec<JobName>, Vec<NewFile>)> {
        let mut names: Vec<JobName> = Vec::new();
        let mut files: Vec<NewFile> = Vec::new();
        let mut before: Option<&Job> = None;
        for job in jobs {
            let together = |name: &JobName| {
                name.jobs() < crate::format::name::JOBS_MAX
                    && job.id == name.id.nth(name.jobs())
                    && before.is_some_and(|before| goes_with(before, job))
            };
            let mut bytes = Vec::new();
            match (names.last_mut(), files.last_mut()) {
                (Some(name), Some(NewFile { bytes: so_far, .. })) if together(name) => {
                    let whole = so_far.len();
                    encode_behind(job, so_far)?;
                    if so_far.len() <= bundle::BYTES_MAX {
                        name.form = Form::Bundle(name.jobs() + 1);
                        before = Some(job);
                        continue;
                    }
                    bytes = so_far.split_off(whole);
                }
                _ => encode_behind(job, &mut bytes)?,
            }
            names.push(job_name(job));
            files.push(NewFile { tmp: self.tmp_of(job), bytes, target: PathBuf::new() });
            before = Some(job);
        }
        // Only now the names say how many jobs are in each.
        let pending = self.layout.dir(State::Pending);
        for (name, file) in names.iter().zip(&mut files) {
            file.target = pending.join(name.to_string());
        }
        Ok((names, files))
    }
}
