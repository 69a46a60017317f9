//! From outcomes to moves: what is put off, what a person has refused before, what fails; counted and told once. The
//! receipt of a merged job is made in `commit`.

use crate::batch::{CommitFacts, Ready, event, settlement};
use crate::error::RunError;
use crate::group::Group;
use crate::report::Report;
use crate::retry::{Backoff, delay_ms};
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
            return Ok(put_off(job, fault, &self.context.retry, (self.context.random)(), by, now));
        }
        if let Some(rejection) = self.said_no(&job, &outcome, now)? {
            return Ok(rejected_again(job, rejection, by, now));
        }
        Ok(settlement(job, approval, outcome, facts, by, now))
    }

    /// Whether a person said no to the same not long ago. What a person proposes themselves is always asked.
    fn said_no(&self, job: &Job, outcome: &Outcome, now: Timestamp) -> Result<Option<Rejection>, RunError> {
        let asks = matches!(outcome, Outcome::Review { .. }) && job.producer.trust() < Trust::User;
        Ok(asks.then(|| self.context.queue.worker().rejected_before(job, now)).transpose()?.flatten())
    }
}

/// The attempt is written into the job; without a further one it fails. `random` is uniform over all of `u64`.
fn put_off(mut job: Job, fault: Fault, retry: &Backoff, random: u64, by: &str, now: Timestamp) -> Settlement {
    job.attempts.push(Attempt { at: now, worker: by.to_owned(), error: fault.clone() });
    let failed = u32::try_from(job.attempts.len()).unwrap_or(u32::MAX);
    match delay_ms(retry, failed, random) {
        Some(delay) => Settlement::Deferred(Box::new(job), now.plus_ms(delay)),
        None => Settlement::Failed(Box::new(Job { error: Some(fault), ..job })),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::tests::job;
    use declaration::Code;
    use markdown_merge::{Change, ChangeKind};
    use queue_layout::Event;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);
    const RETRY: Backoff = Backoff { retries: 1, base_ms: 1000, cap_ms: 1000 };
    const MIDDLE: u64 = 1 << 63;

    fn change(kind: ChangeKind) -> Change {
        Change {
            kind,
            heading: vec!["H".to_owned()],
            level: 2,
            before: None,
            after: None,
            item: None,
            renamed: None,
            piece: None,
            sections: None,
        }
    }

    fn fault() -> Fault {
        Fault::new(Code::OverBudget, "the section is full")
    }

    /// Every outcome; a variant more does not compile until it has its row in `leads_to`.
    fn outcomes() -> Vec<Outcome> {
        vec![
            Outcome::merged(vec![change(ChangeKind::Unchanged), change(ChangeKind::Changed)]),
            Outcome::merged(vec![change(ChangeKind::Unchanged)]),
            Outcome::Retry(fault()),
            Outcome::Failed(fault()),
            Outcome::Review { fault: fault(), seen: Vec::new() },
        ]
    }

    /// Where the job goes, how it ended, what the journal says, and what is counted.
    type LeadsTo = (&'static str, Option<Ending>, Event, Report);

    fn leads_to(outcome: &Outcome) -> LeadsTo {
        let due = Some(NOW.plus_ms(1000));
        match outcome {
            Outcome::Applied(_) => {
                ("done", Some(Ending::Applied), Event::Applied, Report { applied: 1, ..Report::default() })
            }
            Outcome::Unchanged(_) => (
                "done",
                Some(Ending::Unchanged),
                Event::Unchanged,
                Report { unchanged: 1, ..Report::default() },
            ),
            Outcome::Retry(_) => (
                "deferred",
                None,
                Event::Deferred,
                Report { deferred: 1, next_due: due, ..Report::default() },
            ),
            Outcome::Failed(_) => ("failed", None, Event::Failed, Report { failed: 1, ..Report::default() }),
            Outcome::Review { .. } => {
                ("review", None, Event::Review, Report { review: 1, ..Report::default() })
            }
        }
    }

    fn settled(outcome: Outcome, job: Job) -> Settlement {
        match outcome {
            Outcome::Retry(fault) => put_off(job, fault, &RETRY, MIDDLE, "w", NOW),
            outcome => settlement(job, None, outcome, &CommitFacts::default(), "w", NOW),
        }
    }

    #[test]
    fn each_outcome_has_one_move_one_line_in_the_journal_and_one_count() {
        for outcome in outcomes() {
            let expected = leads_to(&outcome);
            let settlement = settled(outcome, job(1));
            let mut counted = Report::default();
            counted.count(&settlement);
            let told = event(&settlement, "w", NOW).unwrap();
            let (place, ending, job) = match &settlement {
                Settlement::Done(job, receipt) => ("done", Some(receipt.outcome), job),
                Settlement::Deferred(job, _) => ("deferred", None, job),
                Settlement::Failed(job) => ("failed", None, job),
                Settlement::Review(job) => ("review", None, job),
                Settlement::Pending(_) | Settlement::Doubtful(..) => panic!("{settlement:?}"),
            };
            assert_eq!((place, ending, told.event, counted), expected);
            // Why it waits: for a person in the job itself, for a worker in its last attempt.
            let waits = job.error.as_ref().or(job.attempts.last().map(|attempt| &attempt.error));
            assert_eq!(waits.is_some(), ending.is_none(), "{place}");
            assert_eq!(job.error.is_some(), matches!(place, "failed" | "review"), "{place}");
            assert_eq!(job.seal.is_some(), place == "review", "a proposal is sealed");
            assert_eq!(told.code.as_deref(), waits.map(|fault| fault.code.as_str()), "{place}");
        }
    }

    #[test]
    fn the_last_attempt_fails_with_what_was_in_the_way() {
        let Settlement::Deferred(once, due) = settled(Outcome::Retry(fault()), job(1)) else { panic!() };
        assert_eq!((due, once.attempts.len(), &once.error), (NOW.plus_ms(1000), 1, &None));
        let Settlement::Failed(twice) = settled(Outcome::Retry(fault()), *once) else { panic!() };
        assert_eq!((twice.attempts.len(), &twice.error), (2, &Some(fault())));
    }
}
