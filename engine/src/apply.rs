//! `apply`: the worker by hand, for everything that waits or for a part of it; and what it would change, as a diff for each
//! document.

use crate::output::{WouldChange, WouldNotMerge};
use crate::{Caller, Declared, Failure, Home, Worker};
use declaration::{Advice, Fault};
use operator::diff_of_trial;
use policy::knowledge_base::KnowledgeBase;
use policy::settings::Settings;
use queue_layout::{DocKey, Draft, Job, JobId, Listed, Outcome, State};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use trial::ApprovedAs;
use worker::Report;

/// What is to be merged by hand: all that waits, where nothing is named.
#[derive(Debug, Clone, Default)]
pub struct ApplyScope {
    jobs: Vec<String>,
    document: Option<String>,
    declared: Declared,
    before_due: bool,
}

/// What a run by hand did, and why not more.
#[derive(Debug, Clone, PartialEq)]
pub struct RunByHand {
    /// What it did, in jobs.
    pub report: Report,
    /// For each document that was asked for and is put off: why its first job is.
    pub put_off: Vec<Fault>,
    /// Whether something that was asked for is held, and was left alone.
    pub held: bool,
}

impl ApplyScope {
    /// All that waits.
    #[must_use]
    pub fn new() -> ApplyScope {
        ApplyScope::default()
    }

    /// Only these jobs, by ids or their beginnings; also before they are due.
    #[must_use]
    pub fn jobs(self, jobs: Vec<String>) -> ApplyScope {
        ApplyScope { jobs, ..self }
    }

    /// Only jobs of this document: a knowledge base, or a path.
    #[must_use]
    pub fn document(self, document: Option<String>) -> ApplyScope {
        ApplyScope { document, ..self }
    }

    /// Also what was put off, before it is due, where no job and no document is named.
    #[must_use]
    pub fn before_due(self, before_due: bool) -> ApplyScope {
        ApplyScope { before_due, ..self }
    }

    /// These declarations, which are not enqueued yet. A run enqueues them first; a preview does not.
    #[must_use]
    pub fn declared(self, declared: Declared) -> ApplyScope {
        ApplyScope { declared, ..self }
    }
}

impl Home {
    /// What merging now would change, a diff for each document. Nothing is changed, and nothing enqueued.
    ///
    /// # Errors
    /// A job is not known or does not wait to be merged; the declarations are refused; a document cannot be read.
    pub fn would_apply(&self, caller: &Caller, scope: ApplyScope) -> Result<Vec<WouldChange>, Failure> {
        let settings = self.settings()?;
        let chosen = self.chosen(caller, scope, &settings)?;
        let mut by_document: BTreeMap<PathBuf, Vec<(Option<JobId>, Job)>> = BTreeMap::new();
        for (id, job) in self.jobs_of(chosen)? {
            by_document.entry(job.document.path.clone()).or_default().push((id, job));
        }
        by_document.into_iter().map(|(path, jobs)| self.would_change(&settings, path, &jobs)).collect()
    }

    fn chosen(&self, caller: &Caller, scope: ApplyScope, settings: &Settings) -> Result<InScope, Failure> {
        let ApplyScope { jobs, document, mut declared, before_due } = scope;
        let mut chosen = InScope { drafts: Vec::new(), jobs: Vec::new(), docs: Vec::new(), before_due };
        if !declared.is_empty() {
            chosen.drafts = self.drafts_of(caller, "apply", &mut declared)?;
        }
        for prefix in jobs {
            let listed = self.find(&prefix)?;
            if !matches!(listed.state, State::Pending | State::Deferred) {
                let message =
                    format!("job {} is {}, not waiting to be merged", listed.id, listed.state.as_str());
                return Err(Failure::new(message).hint(Advice::SeeWhatItWaitsFor(listed.id.to_string())));
            }
            chosen.docs.push(listed.doc);
            chosen.jobs.push(listed.id);
        }
        chosen.docs.extend(chosen.drafts.iter().map(|draft| draft.document.doc));
        if let Some(named) = document {
            chosen.docs.push(DocKey::of(&self.document(&named, &caller.cwd, settings)?.canonical));
        }
        Ok(chosen)
    }

    fn jobs_of(&self, chosen: InScope) -> Result<Vec<(Option<JobId>, Job)>, Failure> {
        let queue = self.queue();
        let only_drafts = chosen.jobs.is_empty() && !chosen.drafts.is_empty();
        let mut jobs = Vec::new();
        if !only_drafts {
            for listed in queue.list_runnable()?.0.jobs.iter().filter(|listed| !listed.is_drop()) {
                let named = chosen.jobs.is_empty() || chosen.jobs.contains(&listed.id);
                if named
                    && chosen.has_document(listed.doc)
                    && let Some(job) = queue.load(listed)?.job
                {
                    jobs.push((Some(listed.id), job));
                }
            }
        }
        jobs.extend(chosen.drafts.into_iter().map(|draft| (None, draft.into_job(self.now()))));
        Ok(jobs)
    }

    fn would_change(
        &self,
        settings: &Settings,
        path: PathBuf,
        jobs: &[(Option<JobId>, Job)],
    ) -> Result<WouldChange, Failure> {
        let name = jobs.first().map(|(_, job)| job.document.kb.clone()).unwrap_or_default();
        let unlisted = KnowledgeBase::plain(&name, &path.to_string_lossy());
        let document = self.documents().find(&path)?;
        let project = jobs.first().and_then(|(_, job)| job.document.project.clone());
        let kb = self
            .strictest(settings, &name, &document, project.as_deref())
            .unwrap_or(Cow::Borrowed(&unlisted));
        let borrowed: Vec<&Job> = jobs.iter().map(|(_, job)| job).collect();
        let tried = self.trial(&document, &kb, settings).now(&borrowed, ApprovedAs::Given)?;
        let diff = diff_of_trial(&tried, &self.short(&path));
        let refused = jobs.iter().zip(tried.merged.outcomes).filter_map(|((id, _), outcome)| match outcome {
            Outcome::Applied(_) | Outcome::Unchanged(_) => None,
            Outcome::Failed(error) | Outcome::Retry(error) => {
                Some(WouldNotMerge { id: *id, review: false, error })
            }
            Outcome::Review { fault: error, .. } => Some(WouldNotMerge { id: *id, review: true, error }),
        });
        Ok(WouldChange { refused: refused.collect(), diff, document: path })
    }
}

impl Worker {
    /// Merges what is named, also before it is due. What is declared with it is enqueued first.
    ///
    /// # Errors
    /// As for `work` and `Home::would_apply`.
    pub fn apply(&self, scope: ApplyScope) -> Result<RunByHand, Failure> {
        let home = &self.home;
        let settings = home.settings()?;
        let mut chosen = home.chosen(&self.caller, scope, &settings)?;
        home.make_due(&chosen)?;
        let drafts = std::mem::take(&mut chosen.drafts);
        home.queue().producer().enqueue(drafts, home.now(), &mut || home.host.random(), &mut |_| {})?;
        let report = self.work_on(&chosen.docs, &settings)?;
        Ok(RunByHand { report, put_off: home.put_off(&chosen)?, held: home.is_held(&chosen)? })
    }
}

/// What a scope means in this home, now.
struct InScope {
    /// What is not enqueued yet.
    drafts: Vec<Draft>,
    /// Jobs that were named.
    jobs: Vec<JobId>,
    /// Documents it is limited to; empty for all.
    docs: Vec<DocKey>,
    /// Whether jobs of all documents that were put off are taken, too, where it is not limited.
    before_due: bool,
}

impl InScope {
    fn has_document(&self, doc: DocKey) -> bool {
        self.docs.is_empty() || self.docs.contains(&doc)
    }
}

impl Home {
    /// Makes jobs that were put off runnable again: those that were named, those of named documents, or all of them.
    fn make_due(&self, chosen: &InScope) -> Result<(), Failure> {
        let named = |listed: &&Listed| match chosen.jobs.as_slice() {
            [] if chosen.docs.is_empty() => chosen.before_due,
            [] => chosen.docs.contains(&listed.doc),
            jobs => jobs.contains(&listed.id),
        };
        let deferred = self.queue().list(State::Deferred)?.jobs;
        let early: Vec<Listed> = deferred.iter().filter(named).cloned().collect();
        Ok(self.queue().operator().make_due(&early)?)
    }

    /// Why each document that was asked for and is put off is so: what its first job was told.
    fn put_off(&self, chosen: &InScope) -> Result<Vec<Fault>, Failure> {
        let queue = self.queue();
        let (mut seen, mut faults) = (Vec::new(), Vec::new());
        for listed in queue.list(State::Deferred)?.jobs {
            if seen.contains(&listed.doc) || !chosen.has_document(listed.doc) {
                continue;
            }
            seen.push(listed.doc);
            let job = queue.load(&listed)?.job;
            faults.extend(job.and_then(|mut job| job.attempts.pop()).map(|last| last.error));
        }
        Ok(faults)
    }

    fn is_held(&self, chosen: &InScope) -> Result<bool, Failure> {
        let holds = self.queue().holds()?;
        let documents = chosen.docs.is_empty() || chosen.docs.iter().any(|doc| holds.hint(*doc));
        let jobs = holds.jobs().any(|id| chosen.jobs.is_empty() || chosen.jobs.contains(&id));
        Ok(holds.queue() || !holds.is_empty() && (documents || jobs))
    }
}
