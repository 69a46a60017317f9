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
use crate::verbs::keys::key_hash;
use crate::verbs::together::{Call, Ended, KEYS_MAX};
use crate::{JOB_BYTES_MAX, Queue};
use declaration::Timestamp;
use std::path::{Path, PathBuf};

impl ProducerVerbs<'_> {
    /// Whether an input was enqueued with this key, as far as can be seen now.
    #[must_use]
    pub fn is_known_key(&self, key: &str) -> bool {
        self.queue.is_known_key(&format!("{key}#0"))
    }

    /// Enqueues drafts in their order. `acknowledge` is called for a job only when it is durable; drafts share their syncs, also
    /// with those of other threads, and those for one document that follow each other and have no key share a file. `random`
    /// gives the random part of an id, or of the ids of a file.
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
        self.bring(drafts, now, random)?.wait(acknowledge)
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
        let files = self.queue.files_of(std::slice::from_ref(&job))?;
        let files = files.into_iter().map(|(name, file)| (name, file, None));
        self.queue.publish(files.collect(), &mut self.queue.arrivals())?;
        Ok(Enqueued::new(&job))
    }
}

/// A file on its way to `pending/`, with the jobs in it and the number of their call in the round.
struct Arriving<'r> {
    call: usize,
    jobs: &'r [Job],
    name: JobName,
    file: NewFile,
}

impl Queue {
    /// Makes jobs of drafts, with ids above every id taken before.
    pub(super) fn jobs_of(
        &self,
        drafts: Vec<Draft>,
        now: Timestamp,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Vec<Job>> {
        let stamps = take_stamps(&*self.disk, &self.layout, now, drafts.len())?;
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
            self.keys_are_free(&jobs)?;
        }
        Ok(jobs)
    }

    /// Makes a round of calls durable and tells each how it ended. An error of the disk ends the round: it is told to every
    /// call that it covered and to those behind them.
    pub(super) fn publish_round(&self, mut round: Vec<Call>) {
        let files: Vec<_> = round.iter_mut().map(|call| std::mem::take(&mut call.files)).collect();
        let mut ended: Vec<Ended> = round.iter().map(|_| Ended::default()).collect();
        let mut arriving = arriving(&round, files).into_iter().peekable();
        let mut arrivals = self.arrivals();
        while arriving.peek().is_some() {
            let mut keys = 0;
            let step = std::iter::from_fn(|| {
                arriving.next_if(|next| {
                    keys += usize::from(next.key().is_some());
                    keys <= KEYS_MAX
                })
            });
            if let Err(e) = self.publish_step(step.collect(), &mut arrivals, &mut ended) {
                for (call, ended) in round.iter().zip(&mut ended) {
                    if ended.failed.is_none() && ended.durable.len() < call.jobs.len() {
                        ended.failed = Some(e.clone());
                    }
                }
                break;
            }
        }
        drop(arriving);
        round.into_iter().zip(ended).for_each(|(call, ended)| call.end(ended));
    }

    /// Makes files durable, but those whose key is known: their jobs are in the queue already. A call with a key that stands for
    /// something else fails alone.
    fn publish_step(
        &self,
        step: Vec<Arriving<'_>>,
        arrivals: &mut Arrivals<'_>,
        ended: &mut [Ended],
    ) -> Result<()> {
        let _held = self.lock_keys(step.iter().filter_map(Arriving::key))?;
        let mut known: Vec<Option<Enqueued>> = Vec::with_capacity(step.len());
        for one in &step {
            known.push(match self.known_by_key(&one.jobs[0]) {
                Err(e @ QueueError::Disk(_)) => return Err(e),
                Err(e) => {
                    ended[one.call].failed.get_or_insert(e);
                    None
                }
                Ok(known) => known,
            });
        }
        let mut step: Vec<_> = step.into_iter().zip(known).collect();
        step.retain(|(one, _)| ended[one.call].failed.is_none());
        let told: Vec<_> = step.iter().map(|(one, known)| (one.call, one.jobs, known.clone())).collect();
        let new = step.into_iter().filter(|(_, known)| known.is_none());
        let new = new.map(|(one, _)| (one.name, one.file, one.jobs[0].key.as_deref().map(key_hash)));
        let published = self.publish(new.collect(), arrivals);
        for (call, jobs, known) in told {
            let durable = &mut ended[call].durable;
            match known {
                Some(known) => durable.push(known),
                None if published.is_ok() => durable.extend(jobs.iter().map(Enqueued::new)),
                None => {}
            }
        }
        published
    }

    /// Writes files to `tmp/`, moves them to `pending/` in order, and makes the names durable with one sync. One with a key
    /// is linked to it before, so that whoever comes after a crash knows what was begun.
    fn publish(
        &self,
        files: Vec<(JobName, NewFile, Option<String>)>,
        arrivals: &mut Arrivals<'_>,
    ) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        let mut docs = Vec::with_capacity(files.len());
        let (mut begun, mut known) = (Vec::new(), Vec::new());
        let keys = self.layout.keys();
        let mut new = Vec::with_capacity(files.len());
        for (name, file, key) in files {
            docs.push(name.doc);
            begun.push(key.as_ref().map(|key| keys.join(format!("{key}.new"))));
            known.extend(key.map(|key| keys.join(key)));
            new.push(file);
        }
        self.disk.point("enqueue.begin");
        let written = self.moves().write(new)?;
        self.disk.point("enqueue.written");
        if !known.is_empty() {
            written.link_each(&begun)?.durable()?;
            self.disk.point("key.linked");
        }
        let renamed = written.place_each(&mut |n| docs.get(n).map_or(Ok(()), |doc| arrivals.next(*doc)))?;
        debug_assert_eq!(renamed.taken(), 0, "an id is used once");
        self.disk.point("enqueue.moved");
        renamed.durable()?;
        self.disk.point("enqueue.durable");
        if !known.is_empty() {
            let mut renamed = self.moves().begin();
            for (begun, known) in begun.iter().flatten().zip(&known) {
                renamed.rename_over(begun, known)?;
            }
            // A power cut may take this back: `.new` says the same of a job that is in the queue.
            renamed.not_durable();
            self.disk.point("key.known");
        }
        Ok(())
    }

    /// The files jobs go into, as they are in `tmp/`, and their names to be: those that may share one do.
    pub(super) fn files_of(&self, jobs: &[Job]) -> Result<Vec<(JobName, NewFile)>> {
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
        Ok(names.into_iter().zip(files).collect())
    }
}

impl<'r> Arriving<'r> {
    fn key(&self) -> Option<&'r str> {
        self.jobs.first()?.key.as_deref()
    }
}

/// The files of a round in the order of their ids, each with its jobs.
fn arriving(round: &[Call], files: Vec<Vec<(JobName, NewFile)>>) -> Vec<Arriving<'_>> {
    let mut arriving = Vec::new();
    for (call, files) in files.into_iter().enumerate() {
        let mut rest: &[Job] = &round[call].jobs;
        for (name, file) in files {
            let (jobs, behind) = rest.split_at(name.jobs() as usize);
            rest = behind;
            arriving.push(Arriving { call, jobs, name, file });
        }
    }
    arriving
}
