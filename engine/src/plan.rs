//! `plan`: one entry into the session's buffer, checked while the agent still listens, durable at once.

use crate::output::{Planned, PlannedEntry};
use crate::{Caller, Exit, Failure, Home, Speaker, chain};
use declaration::reading;
use declaration::{Declaration, Problem};
use markdown_merge::Merger;
use policy::confidence_note::marked;
use policy::judge::{Verdict, judge};
use policy::knowledge_base::KnowledgeBase;
use policy::settings::Settings;
use queue_layout::{Draft, Event, Happened, JobId, Noted, Queue, QueueError, What, Who};

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
        let settings = self.settings()?;
        let declaration = declaration.map_err(|problems| refused(&problems))?;
        let draft = self.planned_draft(caller, &settings, speaker, declaration).map_err(refuse_hinting)?;
        let base = settings.knowledge_base(&draft.document.kb);
        if let Some(base) = base
            && let Some(problem) = self.unmergeable(queue, base, &draft)?
        {
            return Err(refuse_hinting(vec![problem]));
        }
        let review = base.is_some_and(|base| matches!(judge(base, &draft.asked()), Verdict::Review(_)));
        let now = self.now();
        if review && let Some(rejection) = queue.rejected_before(&draft.clone().into_job(now), now)? {
            let problem = Problem::new("rejected_before", rejection.sentence());
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
            Noted { at: now, what: What::Planned, detail: Some(planned.id.to_string()), who: Some(who) };
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
        drafts.into_iter().next().ok_or_else(|| vec![Problem::new("empty_input", "there is no entry")])
    }

    /// Why the entry could not be merged as things are: into the document as it is, after everything that waits for it.
    fn unmergeable(
        &self,
        queue: &Queue,
        base: &KnowledgeBase,
        draft: &Draft,
    ) -> Result<Option<Problem>, Failure> {
        let documents = self.documents();
        let document = documents.find(&draft.document.path)?;
        let present = documents.read(&document)?;
        let text = match present.stat {
            Some(_) => present.bytes,
            // One that cannot be read is the worker's to say: it may be there by then.
            None => {
                worker::template_text(&*self.disk, &self.user_home, base, &document.path).unwrap_or_default()
            }
        };
        let rules = base.rules();
        let merged = Merger::open(&text).and_then(|mut merger| {
            for waiting in operator::waiting(queue, draft.document.doc).unwrap_or_default() {
                // What cannot be merged is told to whoever said it.
                let _ = merger.apply(&waiting.job.entries, &rules, &|_| None);
            }
            merger.apply(&*marked(base, draft.producer.trust(), &draft.entries), &rules, &|_| None)
        });
        Ok(merged.err().map(|refusal| {
            let over = refusal.code == "over_budget";
            let oldest = over.then(|| worker::longest_ago(documents, &document)).flatten();
            let hint: Vec<String> = refusal.hint.into_iter().chain(oldest).collect();
            let problem = Problem::new(refusal.code, refusal.message);
            if hint.is_empty() { problem } else { problem.hint(hint.join("; ")) }
        }))
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
                .hint("last-word plan --list"));
            }
            several => {
                return Err(Failure::new(format!("`{prefix}` fits {} entries", several.len()))
                    .hint("give more digits of the id"));
            }
        };
        if !place.take_back(id)? {
            return Err(Failure::new(format!("{id} is a job already")).hint(format!("last-word show {id}")));
        }
        let mut event = Happened::new(self.now(), Event::TakenBack).by(place.name());
        event.id = Some(id);
        let _ = queue.journal(&[event]);
        Ok(id)
    }
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
                .hint("last-word plan --list")
                .exit(Exit::TryAgain)
        }
        QueueError::Disk(disk)
            if matches!(
                disk.kind(),
                std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied
            ) =>
        {
            Failure::new(chain(&e)).hint(
                "in an agent's sandbox? ask to run this outside of it, or leave the declaration in the project, as \
                 .agents/NAME.md.yaml (`last-word schema` says how it looks)",
            )
        }
        _ => e.into(),
    }
}
