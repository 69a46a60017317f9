//! `plan`: one entry into the session's buffer, checked while the agent still listens, durable at once.

use crate::output::{Planned, PlannedEntry};
use crate::{Caller, Exit, Failure, Home, Speaker, chain};
use declaration::reading;
use declaration::{Advice, Code, Declaration, Fault, Problem};
use policy::settings::Settings;
use queue_layout::{Draft, Event, Job, JobId, JournalEntry, Noted, Outcome, QueueError, What, Who};
use trial::ApprovedAs;

impl Home {
    /// Puts one entry into a session's buffer; durable when it returns, and merged after the session ends.
    ///
    /// # Errors
    /// `Exit::Refused`: it could not be merged as things are, and nothing was planned. `Exit::TryAgain`: a sync failed, and
    /// it may or may not be planned.
    pub fn plan(
        &self,
        caller: &Caller,
        speaker: &Speaker,
        declaration: Result<Declaration, Vec<Problem>>,
    ) -> Result<Planned, Failure> {
        let queue = self.queue();
        let settings = self.settings_to_keep()?;
        let declaration = declaration.map_err(|problems| refused(&problems))?;
        let draft = self.planned_draft(caller, &settings, speaker, declaration).map_err(refuse_hinting)?;
        let job = draft.clone().into_job(self.now());
        let known = settings.knowledge_base(&draft.document.kb).is_some();
        let prospect = known.then(|| self.prospect(&settings, &job)).transpose()?;
        if let Some(Prospect::Refused(error)) = prospect {
            let problem = Problem::new(error.code, error.message);
            return Err(refuse_hinting(vec![error.hint.into_iter().fold(problem, Problem::hint)]));
        }
        let review = matches!(prospect, Some(Prospect::Reviewed));
        if review && let Some(rejection) = queue.worker().rejected_before(&job, self.now())? {
            let problem = Problem::new(Code::RejectedBefore, rejection.sentence());
            return Err(refused(&[problem]).hint("a person decided; plan something else"));
        }
        let entry = draft.entries.first().cloned();
        let now = self.now();
        let place = speaker.place(queue);
        let planned = place.plan(draft, now, &mut || (self.host.random)()).map_err(uncertain)?;
        let who = Who {
            agent: speaker.agent.clone(),
            session: speaker.session.clone(),
            cwd: Some(caller.cwd.clone()),
            project: self.project(&caller.cwd),
        };
        // The entry is durable already; the log only says that something was declared.
        let noted =
            Noted { detail: Some(planned.id.to_string()), who: Some(who), ..Noted::new(now, What::Planned) };
        let _ = place.note(&[noted]);
        Ok(Planned {
            id: planned.id,
            document: planned.document.path,
            kb: planned.document.kb,
            review,
            agent: speaker.agent.clone(),
            session: speaker.session.clone(),
            known_by: speaker.known_by,
            entry,
        })
    }

    fn planned_draft(
        &self,
        caller: &Caller,
        settings: &Settings,
        speaker: &Speaker,
        declaration: Declaration,
    ) -> Result<Draft, Vec<Problem>> {
        let project = self.project(&caller.cwd);
        let named =
            Caller { agent: speaker.agent.clone(), session: speaker.session.clone(), ..caller.clone() };
        let drafts = self
            .saying(settings, &caller.cwd, &named.producer("plan"), project.as_deref(), |said| {
                producer::drafts(vec![declaration], &said)
            })
            .map_err(reading::bare)?;
        drafts.into_iter().next().ok_or_else(|| vec![Problem::new(Code::EmptyInput, "there is no entry")])
    }

    /// What the merge would make of the entry as things are: into the document as it is, after everything that waits for
    /// it.
    fn prospect(&self, settings: &Settings, job: &Job) -> Result<Prospect, Failure> {
        let document = self.documents().find(&job.document.path)?;
        let named = &job.document;
        let Some(kb) = self.strictest(settings, &named.kb, &document, named.project.as_deref()) else {
            return Ok(Prospect::Merged);
        };
        let trial = self.trial(&document, &kb, settings);
        // A job that waits and cannot be merged is left out here as well; who declared it is told by its outcome.
        let waiting = operator::waiting(self.queue(), job.document.doc).unwrap_or_default();
        let outcome = |job: &Job| -> Result<Option<Outcome>, Failure> {
            let jobs: Vec<&Job> = waiting.iter().map(|waiting| &waiting.job).chain([job]).collect();
            Ok(trial.now(&jobs, ApprovedAs::Given)?.merged.outcomes.pop())
        };
        Ok(match outcome(job)? {
            Some(Outcome::Failed(error)) => Prospect::Refused(error),
            Some(Outcome::Review { .. }) => {
                let approved = Job { approved_by: Some(String::new()), ..job.clone() };
                match outcome(&approved)? {
                    Some(Outcome::Failed(error)) => Prospect::Refused(error),
                    _ => Prospect::Reviewed,
                }
            }
            // What is in the way now may be gone when the worker comes.
            Some(Outcome::Applied(_) | Outcome::Unchanged(_) | Outcome::Retry(_)) | None => Prospect::Merged,
        })
    }

    /// What a session has planned and not flushed yet, oldest first.
    ///
    /// # Errors
    /// A disk error.
    pub fn planned(&self, speaker: &Speaker) -> Result<Vec<PlannedEntry>, Failure> {
        let queue = self.queue();
        Ok(speaker.place(queue).planned()?.into_iter().map(PlannedEntry::from).collect())
    }

    /// Takes an entry out of the buffer again, by its id or the beginning of it.
    ///
    /// # Errors
    /// There is none, or more than one; or it is a job already.
    pub fn take_back(&self, speaker: &Speaker, prefix: &str) -> Result<JobId, Failure> {
        let queue = self.queue();
        let place = speaker.place(queue);
        let planned = place.planned()?;
        let ids = planned.iter().map(|planned| planned.id);
        let fits: Vec<JobId> = ids.filter(|id| id.to_string().starts_with(prefix)).collect();
        let id = match fits.as_slice() {
            [one] => *one,
            [] => {
                return Err(Failure::new(format!(
                    "{} has planned nothing with the id `{prefix}`",
                    speaker.describe()
                ))
                .hint(Advice::ListPlanned));
            }
            several => {
                return Err(Failure::new(format!("`{prefix}` fits {} entries", several.len()))
                    .hint("give more digits of the id"));
            }
        };
        if !place.take_back(id)? {
            return Err(Failure::new(format!("{id} is a job already")).hint(Advice::SeeJob(id.to_string())));
        }
        let mut event = JournalEntry::new(self.now(), Event::TakenBack).by(place.name());
        event.id = Some(id);
        let _ = queue.journal().write(&[event]);
        Ok(id)
    }
}

/// What would become of a planned entry.
enum Prospect {
    /// It would be merged.
    Merged,
    /// It would be merged after a person's yes.
    Reviewed,
    /// It could not be merged, with or without a yes.
    Refused(Fault),
}

fn refused(problems: &[Problem]) -> Failure {
    Failure::refused("the entry", problems).hint("nothing was planned; change it and plan it again")
}

/// The same with the hint of the first problem, where it has one.
fn refuse_hinting(problems: Vec<Problem>) -> Failure {
    let hint = problems.first().and_then(|problem| problem.hint.clone());
    hint.into_iter().fold(refused(&problems), Failure::hint)
}

/// After a failed fsync nobody can know; in a sandbox the home is read-only.
fn uncertain(e: QueueError) -> Failure {
    match &e {
        QueueError::Disk(disk) if disk.is_sync() => {
            Failure::new(format!("{}; the entry may or may not be planned", chain(&e)))
                .hint(Advice::ListPlanned)
                .exit(Exit::TryAgain)
        }
        // It is not in the buffer: a hook that tries again later loses nothing.
        QueueError::Disk(disk) if disk.is_full() => {
            Failure::new(format!("{}; nothing was planned", chain(&e)))
                .hint("free some space on that disk, then plan it again")
                .exit(Exit::TryAgain)
        }
        QueueError::Disk(disk)
            if matches!(
                disk.kind(),
                std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied
            ) =>
        {
            Failure::new(chain(&e)).hint(Advice::LeaveInProject)
        }
        _ => e.into(),
    }
}
