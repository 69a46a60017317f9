//! What a worker puts before a person of its own accord: a text of theirs that is not in the document, or a job whose
//! change is gone from it again. Reported once: the id follows from what is reported.

use crate::error::{QueueError, Result};
use crate::format::id::{IdTime, JobId};
use crate::format::job::Job;
use crate::format::state::State;
use crate::look::names::stem;
use crate::look::staging;
use crate::moves::NewFile;
use crate::verbs::claimant::Claimant;
use declaration::Fault;
use declaration::Timestamp;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

impl JobId {
    /// The id of a report about something of that moment; the same for the same words.
    #[must_use]
    pub fn of_report(moment: Timestamp, words: &[&str]) -> JobId {
        let mut digest = Sha256::new();
        for word in words {
            digest.update(word.len().to_le_bytes());
            digest.update(word.as_bytes());
        }
        let digest = digest.finalize();
        let random = digest.iter().take(8).fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
        JobId::new(IdTime { millis: moment.millis(), count: 0 }, random)
    }
}

impl Claimant {
    /// Puts a person's text into `staging/failed/`, verbatim, with the reason beside it. False when that was done
    /// before, also when somebody has dealt with it since.
    ///
    /// # Errors
    /// A disk error.
    pub fn report_text(&self, id: JobId, text: &[u8], why: &Fault, now: Timestamp) -> Result<bool> {
        let failed = self.layout().dir(State::Failed);
        match self.queue.locate_alone(id)? {
            None => {}
            // A crash came between the text and its reason.
            Some(listed) if listed.state == State::Failed => {
                let stem = listed.name.trim_end_matches(".original");
                if self.disk().stat_link(&failed.join(format!("{stem}.yaml")))?.is_some() {
                    return Ok(false);
                }
                let reason = self.reason(&failed.join(stem), id, why, now);
                return self.place_report(vec![reason]).map(|()| true);
            }
            Some(_) => return Ok(false),
        }
        let stem = failed.join(stem(now, id));
        let tmp = self.layout().tmp().join(format!("{}.{id}.text", self.name()));
        let text = NewFile { tmp, bytes: text.to_vec(), target: stem.with_extension("original") };
        // Both are written before either has its name: without its reason a text is shown as a job that cannot be read.
        self.place_report(vec![text, self.reason(&stem, id, why, now)]).map(|()| true)
    }

    fn reason(&self, stem: &Path, id: JobId, why: &Fault, now: Timestamp) -> NewFile {
        let tmp = self.layout().tmp().join(format!("{}.{id}.reason", self.name()));
        let bytes = staging::reason_of_text(id, why, now, self.queue.wording).into_bytes();
        NewFile { tmp, bytes, target: stem.with_extension("yaml") }
    }

    /// In this order, and made durable together.
    fn place_report(&self, files: Vec<NewFile>) -> Result<()> {
        self.queue.moves().write_again(files)?.place()?.durable()?;
        self.disk().point("report.durable");
        Ok(())
    }

    /// Puts a job into `staging/review/` that nobody enqueued: it carries why as its error. False when that was done
    /// before, also when somebody has dealt with it since.
    ///
    /// # Errors
    /// A disk error.
    pub fn propose(&self, job: Job, now: Timestamp) -> Result<bool> {
        if self.queue.locate_alone(job.id)?.is_some() {
            return Ok(false);
        }
        self.put_into_review(vec![job], now).map(|()| true)
    }

    /// The same for many, which share their syncs. Answers for each whether it was put there now.
    ///
    /// # Errors
    /// A disk error: some of them may be there, and are passed over the next time.
    pub fn propose_all(&self, jobs: Vec<Job>, now: Timestamp) -> Result<Vec<bool>> {
        // Two who propose the same at a time would both find that nobody has.
        let _one_at_a_time = self.disk().lock(&self.layout().locks().join("proposals"))?;
        let ids: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
        let mut known: BTreeSet<JobId> = self.queue.ended(&ids)?.into_keys().collect();
        for state in State::ALL.into_iter().filter(|state| *state != State::Done) {
            known.extend(self.queue.scan(state)?.jobs.iter().map(|listed| listed.id));
        }
        let is_new: Vec<bool> = ids.iter().map(|id| known.insert(*id)).collect();
        let new = jobs.into_iter().zip(&is_new).filter(|(_, is_new)| **is_new).map(|(job, _)| job);
        self.put_into_review(new.collect(), now)?;
        Ok(is_new)
    }

    fn put_into_review(&self, jobs: Vec<Job>, now: Timestamp) -> Result<()> {
        let (mut files, mut first) = (Vec::with_capacity(jobs.len()), Vec::with_capacity(jobs.len()));
        for job in jobs {
            let seal = job.words_hash();
            first.push((job.id, seal.clone()));
            let job = Job { waits_in: Some(State::Review), seal: Some(seal), ..job };
            let yaml =
                job.to_yaml().map_err(|message| QueueError::Encode { what: "a job in YAML", message })?;
            let text = staging::with_header(&job, State::Review, &yaml, self.queue.wording);
            let dir = self.layout().dir(State::Review);
            let tmp = self.layout().tmp().join(format!("{}.{}.report", self.name(), job.id));
            let target = dir.join(format!("{}.yaml", stem(now, job.id)));
            files.push(NewFile { tmp, bytes: text.into_bytes(), target });
        }
        if files.is_empty() {
            return Ok(());
        }
        self.queue.moves().write_again(files)?.place()?.durable()?;
        self.disk().point("report.durable");
        self.queue.remember_seals(self.name(), &first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_report() {
        let id = |words: &[&str]| JobId::of_report(Timestamp(1_700_000_000_000), words);
        assert_eq!(id(&["a", "bc"]), id(&["a", "bc"]));
        assert_ne!(id(&["a", "bc"]), id(&["ab", "c"]));
        assert_eq!(id(&["a"]).to_string().parse(), Ok(id(&["a"])));
        assert_eq!(id(&["a"]).declared_at(), Timestamp(1_700_000_000_000));
    }
}
