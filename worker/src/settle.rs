//! From outcomes to moves: what is put off, what a person has refused before, what fails; counted and told once. The
//! receipt of a merged job is made in `commit`.

use crate::batch::{CommitFacts, Ready, event, settlement};
use crate::error::RunError;
use crate::group::Group;
use crate::report::Report;
use crate::retry::delay_ms;
use declaration::{Fault, Timestamp, Trust};
use queue_layout::{Attempt, Claimed, Ending, Job, Outcome, Receipt, Rejection, Settlement};

/// Jobs and what became of them, in order.
type Batch = Vec<(Ready, Outcome)>;

impl Group<'_> {
    /// Settles jobs by their outcomes, and counts and tells them.
    pub(crate) fn settle(
        &self,
        batch: Vec<(Ready, Outcome)>,
        facts: &CommitFacts,
        now: Timestamp,
        secured: bool,
    ) -> Result<(), RunError> {
        let (batch, behind) = self.without_those_behind(batch)?;
        let mut settlements = Vec::with_capacity(batch.len());
        for (ready, outcome) in batch {
            settlements.push((ready.claimed.clone(), self.settlement(ready, outcome, facts, now)?));
        }
        self.settle_as(settlements, now, secured)?;
        // After the one that is put off: were they back before it, they could overtake it after a crash.
        Ok(self.claimant.release(&behind)?)
    }

    /// Makes the moves, counts them, and tells of them.
    pub(crate) fn settle_as(
        &self,
        settlements: Vec<(Claimed, Settlement)>,
        now: Timestamp,
        secured: bool,
    ) -> Result<(), RunError> {
        let mut done = Report::default();
        settlements.iter().for_each(|(_, settlement)| done.count(settlement));
        let by = self.claimant.name();
        let told =
            settlements.iter().filter_map(|(_, settlement)| event(settlement, by, now)).collect::<Vec<_>>();
        self.claimant.settle(settlements, now, secured)?;
        self.count(done);
        self.context.happened(&told);
        Ok(())
    }

    /// Where the first job is tried again later, those behind it go back as they are and wait for it, because order is
    /// kept: the claims of those.
    fn without_those_behind(
        &self,
        mut batch: Vec<(Ready, Outcome)>,
    ) -> Result<(Batch, Vec<Claimed>), RunError> {
        if !matches!(batch.first(), Some((_, Outcome::Retry(_)))) {
            return Ok((batch, Vec::new()));
        }
        let claims: Vec<Claimed> = batch.iter().map(|(ready, _)| ready.claimed.clone()).collect();
        let mut claims = self.claimant.split(&claims)?.into_iter();
        batch.truncate(1);
        for ((ready, _), claimed) in batch.iter_mut().zip(&mut claims) {
            ready.claimed = claimed;
        }
        Ok((batch, claims.collect()))
    }

    fn settlement(
        &self,
        ready: Ready,
        outcome: Outcome,
        facts: &CommitFacts,
        now: Timestamp,
    ) -> Result<Settlement, RunError> {
        let Ready { job, approval, .. } = ready;
        let by = self.claimant.name();
        if let Outcome::Retry(fault) = outcome {
            return Ok(self.put_off(job, fault, now));
        }
        if let Some(rejection) = self.said_no(&job, &outcome, now)? {
            return Ok(rejected_again(job, rejection, by, now));
        }
        Ok(settlement(job, approval, outcome, facts, by, now))
    }

    /// The attempt is written into the job; without a further one it fails.
    fn put_off(&self, mut job: Job, fault: Fault, now: Timestamp) -> Settlement {
        let worker = self.claimant.name().to_owned();
        job.attempts.push(Attempt { at: now, worker, error: fault.clone() });
        let failed = u32::try_from(job.attempts.len()).unwrap_or(u32::MAX);
        match delay_ms(&self.context.retry, failed, (self.context.random)()) {
            Some(delay) => Settlement::Deferred(Box::new(job), now.plus_ms(delay)),
            None => Settlement::Failed(Box::new(Job { error: Some(fault), ..job })),
        }
    }

    /// Whether a person said no to the same not long ago. What a person proposes themselves is always asked.
    fn said_no(&self, job: &Job, outcome: &Outcome, now: Timestamp) -> Result<Option<Rejection>, RunError> {
        let asks = matches!(outcome, Outcome::Review { .. }) && job.producer.trust() < Trust::User;
        Ok(asks.then(|| self.context.queue.worker().rejected_before(job, now)).transpose()?.flatten())
    }
}

fn rejected_again(job: Job, rejection: Rejection, by: &str, now: Timestamp) -> Settlement {
    let receipt = Receipt {
        outcome: Ending::RejectedAgain,
        at: now,
        by: by.to_owned(),
        channel: None,
        approval: None,
        reason: Some(rejection.sentence()),
        same_as: Some(rejection.id),
        document_hash: None,
        version: None,
        changes: Vec::new(),
    };
    Settlement::Done(Box::new(job), receipt)
}
