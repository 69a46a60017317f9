//! What an operator asks of the queue: which jobs are where, what became of one, what happened; and holds and retention.

use crate::output::{Held, Released, WouldPrune, WouldPruneIn};
use crate::{Exit, Failure, Home};
use declaration::{Advice, Timestamp};
use documents::Document;
use operator::{Actor, Filter, LogFilter, Logged, Row, Verified, Why};
use policy::settings::Settings;
use queue_layout::{HeldThing, Hold, JobId, JournalEntry, Listed, LocatedJob, Pruned, State};
use std::collections::BTreeMap;
use std::path::Path;

/// Files between two looks at what is left to clear away.
const STEP_FILES: usize = 2_000;
/// What documents said before a command is kept so long, also where nobody compared it since: an agent may have been killed. A week.
const COPIES_KEPT_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// How far somebody has read the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPosition {
    day: String,
    /// Where the lines of that day ended, in bytes.
    end: u64,
}

impl LogPosition {
    /// Behind all that `Home::log` has read.
    #[must_use]
    pub fn after(logged: &Logged, now: Timestamp) -> LogPosition {
        let day = logged.day.clone().unwrap_or_else(|| now.day());
        LogPosition { day, end: logged.end }
    }
}

impl Home {
    /// The jobs a filter lets through.
    ///
    /// # Errors
    /// A disk error.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Row>, Failure> {
        Ok(operator::list(self.queue(), filter)?)
    }

    /// The one job whose id begins like this.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn find(&self, prefix: &str) -> Result<Listed, Failure> {
        Ok(self.queue().find(prefix)?)
    }

    /// The same, whole: the job, its receipt where it has ended, its error where it cannot be read.
    ///
    /// # Errors
    /// As for `find`, or a disk error.
    pub fn load(&self, prefix: &str) -> Result<LocatedJob, Failure> {
        Ok(self.queue().load(&self.find(prefix)?)?)
    }

    /// What became of a job, with the hash of its document.
    ///
    /// # Errors
    /// As for `find`.
    pub fn verify(&self, prefix: &str) -> Result<Verified, Failure> {
        Ok(operator::verify(self.queue(), prefix)?)
    }

    /// What became of each of these jobs, in this order.
    ///
    /// # Errors
    /// As for `find`: one that nobody knows is the failure of all.
    pub fn outcomes(&self, ids: &[JobId]) -> Result<Vec<Verified>, Failure> {
        ids.iter().map(|id| self.verify(&id.to_string())).collect()
    }

    /// Why a job is where it is.
    ///
    /// # Errors
    /// As for `find`.
    pub fn why(&self, prefix: &str) -> Result<Why, Failure> {
        self.why_listed(&self.find(prefix)?)
    }

    /// The same of a job that is listed.
    ///
    /// # Errors
    /// It moved meanwhile; a disk error.
    pub fn why_listed(&self, listed: &Listed) -> Result<Why, Failure> {
        Ok(operator::why(self.queue(), listed)?)
    }

    /// What happened, from the journal: the last so many events that a filter wants.
    ///
    /// # Errors
    /// A disk error.
    pub fn log(&self, filter: &LogFilter, limit: usize) -> Result<Logged, Failure> {
        Ok(operator::log(self.queue(), filter, limit)?)
    }

    /// The newest events that a filter wants, newest first: what a screen has room for, without a look at the rest.
    ///
    /// # Errors
    /// A disk error.
    pub fn newest_events(&self, filter: &LogFilter, limit: usize) -> Result<Vec<JournalEntry>, Failure> {
        Ok(operator::newest(self.queue(), filter, limit)?)
    }

    /// The events that a filter wants and that were written since this position, which moves on.
    ///
    /// # Errors
    /// A disk error.
    pub fn log_since(
        &self,
        filter: &LogFilter,
        position: &mut LogPosition,
    ) -> Result<Vec<JournalEntry>, Failure> {
        let mut new = Vec::new();
        let begun = position.end;
        loop {
            let (events, end) = self.queue().journal().lines_from(&position.day, position.end)?;
            if end == position.end {
                break;
            }
            position.end = end;
            new.extend(events.into_iter().filter(|event| filter.wants(event)));
        }
        let today = self.now().day();
        if position.end == begun && today != position.day {
            // Only after a look that found nothing new: the last events of a day are written when the next has begun.
            *position = LogPosition { day: today, end: 0 };
        }
        Ok(new)
    }

    /// Everything that is held.
    ///
    /// # Errors
    /// A disk error.
    pub fn holds(&self) -> Result<Vec<Hold>, Failure> {
        Ok(self.queue().operator().hold_notes()?)
    }

    /// Holds something: it is not merged until it is released.
    ///
    /// # Errors
    /// A disk error.
    pub fn hold(&self, held: HeldThing, who: &Actor) -> Result<Held, Failure> {
        let new = operator::hold(self.queue(), held.clone(), who, self.now())?;
        Ok(Held { held, new })
    }

    /// Lets go what was held.
    ///
    /// # Errors
    /// A disk error.
    pub fn release(&self, released: HeldThing, who: &Actor) -> Result<Released, Failure> {
        let was_held = operator::release(self.queue(), &released, who, self.now())?;
        Ok(Released { released, was_held })
    }

    /// A document that is to be held, as `document` finds it; or one that is held but no longer configured, by the path it
    /// is listed with.
    ///
    /// # Errors
    /// No knowledge base has it.
    pub fn holdable_document(&self, named: &str, cwd: &Path) -> Result<HeldThing, Failure> {
        match self.document(named, cwd, &self.settings()?) {
            Ok(resolved) => Ok(HeldThing::Document(resolved.canonical)),
            Err(failure) => {
                let mut held = self.queue().operator().hold_notes()?.into_iter().map(|hold| hold.held);
                let is_it = |held: &HeldThing| match held {
                    HeldThing::Document(path) => path.to_str() == Some(named) || self.short(path) == named,
                    _ => false,
                };
                held.find(is_it).ok_or(failure)
            }
        }
    }

    /// A job that is to be held.
    ///
    /// # Errors
    /// As for `find`; or it has ended.
    pub fn holdable_job(&self, prefix: &str) -> Result<HeldThing, Failure> {
        let listed = self.find(prefix)?;
        if listed.state == State::Done {
            return Err(Failure::new(format!("job {} has ended; there is nothing to hold", listed.id))
                .hint(Advice::SeeOutcome(listed.id.to_string())));
        }
        Ok(HeldThing::Job(listed.id))
    }

    /// Clears away what is older than `retention` keeps it.
    ///
    /// # Errors
    /// The configuration cannot be used, or a disk error; what was cleared away before is gone.
    pub fn prune(&self, by: &str, cwd: &Path) -> Result<Pruned, Failure> {
        let settings = self.settings()?;
        let mut total = Pruned::default();
        loop {
            let (pruned, more) =
                operator::prune_some(self.queue(), self.now(), &settings.retention, STEP_FILES)?;
            total = total.plus(pruned);
            if !more || pruned.is_nothing() {
                break;
            }
        }
        total.texts = self.prune_texts(&settings, cwd, false)? + self.prune_copies(false)?;
        operator::tell_pruned(self.queue(), &total, by, self.now());
        Ok(total)
    }

    /// What `prune` would clear away.
    ///
    /// # Errors
    /// The configuration cannot be used, or a disk error.
    pub fn would_prune(&self, cwd: &Path) -> Result<WouldPrune, Failure> {
        let settings = self.settings()?;
        let queue = self.queue();
        let plan = operator::look_for_old(queue, self.now(), &settings.retention)?;
        let mut receipts = 0;
        for day in &plan.done {
            receipts += queue.count_receipts(day)?;
        }
        let texts = self.prune_texts(&settings, cwd, true)? + self.prune_copies(true)?;
        let holds = queue.operator().stale_holds()?.len();
        let operator::PrunePlan { done, journal } = plan;
        Ok(WouldPrune { would: WouldPruneIn { done, holds, journal, receipts, texts } })
    }

    /// What documents said before commands ran that ended long ago.
    pub(crate) fn prune_copies(&self, dry_run: bool) -> Result<usize, Failure> {
        let old = Timestamp(self.now().millis().saturating_sub(COPIES_KEPT_MS));
        Ok(self.documents().forget_before(old, dry_run)?)
    }

    /// Earlier texts beyond what each knowledge base keeps. A document that cannot be told from here (of a project
    /// elsewhere) keeps the most that any keeps.
    fn prune_texts(&self, settings: &Settings, cwd: &Path, dry_run: bool) -> Result<usize, Failure> {
        let project = self.project(cwd);
        let around = self.around(cwd, project.as_deref());
        let canonicalise = |path: &Path| self.canonicalise(path);
        let mut keep: BTreeMap<String, u32> = BTreeMap::new();
        for (index, kb) in settings.knowledge_bases.iter().enumerate() {
            if let Ok(found) = policy::knowledge_base::document(index, kb, &around, &canonicalise) {
                let document = Document { path: found.path, canonical: found.canonical };
                keep.insert(document.key(), kb.snapshots.unwrap_or(settings.retention.snapshots));
            }
        }
        let most = settings.knowledge_bases.iter().filter_map(|kb| kb.snapshots).max().unwrap_or(0);
        let unknown = settings.retention.snapshots.max(most);
        let keep = |key: &str| keep.get(key).copied().unwrap_or(unknown);
        Ok(operator::prune_texts(self.documents(), &keep, dry_run)?)
    }

    /// The job of an id that may have ended so long ago that only the journal knows it.
    ///
    /// # Errors
    /// As for `find`.
    pub fn id(&self, text: &str) -> Result<JobId, Failure> {
        match text.parse() {
            Ok(id) => Ok(id),
            Err(_) => Ok(self.find(text)?.id),
        }
    }
}

impl crate::Caller {
    /// What only a person may do: what an agent proposes, it does not approve.
    pub(crate) fn refuse_agents(&self, to_do: &str) -> Result<(), Failure> {
        if self.trust == declaration::Trust::User {
            return Ok(());
        }
        Err(Failure::new(format!("an agent's session cannot {to_do}"))
            .hint("do it from a shell of your own")
            .exit(Exit::CouldNot))
    }
}
