//! At the start of every run: finishes or undoes the commits that dead workers left, by the intents they wrote.

use crate::Context;
use crate::batch::{CommitFacts, Ready, settlement};
use crate::commit::{Commit, CommitState, Committed, revision};
use crate::concurrent_edits::Saves;
use crate::error::RunError;
use crate::report::Report;
use declaration::{Code, Fault, Target};
use documents::{Document, DocumentError, hash};
use durable::FileKind;
use policy::knowledge_base::{KnowledgeBase, Resolved, Surroundings};
use queue_layout::{
    Claimant, Claimed, DocumentRef, Event, Intent, Job, JobId, JournalEntry, Receipt, Recovered, Settlement,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Recovers everything that dead workers left, and adds it to `total`. If it crashes, running it again continues.
///
/// # Errors
/// Trouble of the machine; an intent that cannot be read.
pub fn recover(context: &Context<'_>, total: &mut Report) -> Result<(), RunError> {
    for dead in context.queue.worker().dead_workers()? {
        let mut open = BTreeSet::new();
        for intent in dead.commits().intents()? {
            let intent = where_it_is(context, intent)?;
            match (Recovery { context: *context, dead: &dead, intent: &intent }).run() {
                Ok(true) => {}
                Ok(false) => open.extend(intent.jobs.iter().map(|(id, _)| *id)),
                // Trouble with one document does not stop the others: a later run finishes its commit.
                Err(RunError::Documents(e)) if !e.is_machine_trouble() => {
                    (context.warn)(&e);
                    open.extend(intent.jobs.iter().map(|(id, _)| *id));
                }
                Err(e) => return Err(e),
            }
        }
        let held = without(dead.recovery().held()?, &open);
        let now = (context.now)();
        let recovered = dead.recovery().give_back(&held, now)?;
        tell(context, &dead, &recovered);
        total.count_recovered(&recovered);
        if let Err(e) = dead.count_left() {
            (context.warn)(&e);
        }
        dead.end()?;
    }
    Ok(())
}

/// The claims whose files hold none of these jobs.
fn without(held: Vec<Claimed>, open: &BTreeSet<JobId>) -> Vec<Claimed> {
    let of_file = held.chunk_by(Claimed::shares_file);
    let ended = of_file.filter(|file| !file.iter().any(|claimed| open.contains(&claimed.id())));
    ended.flatten().cloned().collect()
}

fn tell(context: &Context<'_>, dead: &Claimant, recovered: &Recovered) {
    let now = (context.now)();
    let line = |event, id| {
        let mut happened = JournalEntry::new(now, event).by(dead.name());
        happened.id = Some(id);
        happened
    };
    let mut events: Vec<JournalEntry> =
        recovered.released.iter().map(|id| line(Event::Recovered, *id)).collect();
    events.extend(recovered.poisoned.iter().map(|id| line(Event::Poisoned, *id)));
    events.extend(recovered.quarantined.iter().chain(&recovered.doubtful).map(|id| line(Event::Failed, *id)));
    context.happened(&events);
}

/// After a home was moved or restored elsewhere, paths in its intents are the old ones. The document that an intent means is
/// then the one beside which its temp file lies.
fn where_it_is(context: &Context<'_>, intent: Intent) -> Result<Intent, RunError> {
    let Some(found) = document_now(context, &intent)? else { return Ok(intent) };
    let beside = |temp: &Path| temp.file_name().map(|name| found.canonical.with_file_name(name));
    let (Some(temp), kept) = (beside(&intent.temp), intent.kept.as_deref().map(beside)) else {
        return Ok(intent);
    };
    if found.canonical == intent.canonical || context.disk.stat_link(&temp)?.is_none() {
        return Ok(intent);
    }
    let document = DocumentRef { path: found.path, ..intent.document };
    Ok(Intent { document, canonical: found.canonical, temp, kept: kept.flatten(), ..intent })
}

/// The path that today's configuration gives for the intent's document.
fn document_now(context: &Context<'_>, intent: &Intent) -> Result<Option<Resolved>, RunError> {
    let home = context.user_home;
    let around = Surroundings { home, project: intent.document.project.as_deref(), cwd: home, today: None };
    Ok(context.resolve(&Target::Kb(intent.document.kb.clone()), &around)?.ok())
}

/// One commit that its worker's death interrupted.
struct Recovery<'a> {
    context: Context<'a>,
    dead: &'a Claimant,
    intent: &'a Intent,
}

/// How far it came.
enum Progress {
    /// The exchange did not happen, nor any earlier one of this commit.
    NotBegun,
    /// The exchange happened and displaced what was expected.
    Exchanged,
    /// A person's text was displaced by an exchange of this commit; the jobs must be merged onto it.
    PersonSaved {
        /// That text.
        onto: Vec<u8>,
        /// The file that holds it.
        held: PathBuf,
        /// What stands in its place, if it was not changed since.
        ours: Option<String>,
        /// A person's text that an earlier exchange displaced.
        earlier: Option<PathBuf>,
    },
    /// Nobody can tell: something else stands where the staged text was, and the document says neither the old text nor
    /// the new one.
    Unclear,
}

impl Recovery<'_> {
    /// False when another home is committing to the document, or to one beside it: then it is done by a later run.
    fn run(&self) -> Result<bool, RunError> {
        let intent = self.intent;
        let document = Document { path: intent.document.path.clone(), canonical: intent.canonical.clone() };
        let _only_writer = self.context.documents.lock(&document)?;
        let Some(_in_place) = self.context.documents.lock_place(&document)? else { return Ok(false) };
        let settled = match self.progress(&document)? {
            Progress::NotBegun => {
                // In this order: an intent without its temp file would be taken for one that was carried out.
                self.dead.commits().withdraw_intent(intent.batch)?;
                self.context.documents.unstage(&intent.temp)?;
                false
            }
            Progress::Exchanged => {
                self.finish(&document)?;
                true
            }
            Progress::PersonSaved { onto, held, ours, earlier } => {
                self.go_on(&document, onto, held, ours, earlier)?
            }
            Progress::Unclear => {
                self.ask_a_person(&document)?;
                true
            }
        };
        if intent.is_given_back() {
            // Its jobs wait: found again behind a later version, it would be written down a second time.
            self.dead.commits().withdraw_intent(intent.batch)?;
        } else if settled {
            self.dead.commits().remove_intent(intent.batch)?;
        }
        self.sweep(&document)?;
        Ok(true)
    }

    fn progress(&self, document: &Document) -> Result<Progress, RunError> {
        let (documents, intent) = (self.context.documents, self.intent);
        if intent.is_given_back() {
            return Ok(Progress::Exchanged);
        }
        if documents.has_version(document, intent.version, &intent.batch.to_string())? {
            return Ok(Progress::Exchanged);
        }
        let temp = match documents.temp_of_the_dead(document, &intent.temp) {
            Err(DocumentError::NotAFile(_)) => return self.without_temp(document),
            other => other?,
        };
        Ok(match (temp, &intent.kept) {
            (Some(bytes), None) if hash(&bytes) == intent.after => Progress::NotBegun,
            (Some(bytes), Some(kept)) if hash(&bytes) == intent.after => {
                self.person_saved(document, kept, intent.before.clone(), None)?
            }
            (Some(bytes), _) if Some(hash(&bytes)) == intent.before => Progress::Exchanged,
            (Some(bytes), kept) => Progress::PersonSaved {
                onto: bytes,
                held: intent.temp.clone(),
                ours: Some(intent.after.clone()),
                earlier: kept.clone(),
            },
            (None, _) if self.was_exchanged(document)? => Progress::Exchanged,
            (None, Some(kept)) => self.person_saved(document, kept, intent.before.clone(), None)?,
            (None, None) => Progress::NotBegun,
        })
    }

    /// What happened when the temp file's name is taken by something that is no file: only the document's text can tell.
    fn without_temp(&self, document: &Document) -> Result<Progress, RunError> {
        let intent = self.intent;
        let says = match self.context.documents.read(document) {
            Err(DocumentError::NotAFile(_) | DocumentError::TooLarge(_)) => return Ok(Progress::Unclear),
            other => other?.hash(),
        };
        Ok(match &intent.kept {
            _ if says.as_ref() == Some(&intent.after) => Progress::Exchanged,
            Some(kept) => self.person_saved(document, kept, intent.before.clone(), None)?,
            None if says == intent.before => Progress::NotBegun,
            None => Progress::Unclear,
        })
    }

    /// Sets its jobs aside for a person, who can see whether the document has their changes.
    fn ask_a_person(&self, document: &Document) -> Result<(), RunError> {
        let (path, temp) = (document.path.display(), self.intent.temp.display());
        let message = format!(
            "a worker died while it wrote {path}; what stands at {temp} now is no file of ours, so nobody can tell \
             whether this job is in the document"
        );
        let hint = format!(
            "look at {path}: if it lacks what the job says, retry the job; if it has it, discard the job"
        );
        let fault = Fault::new(Code::CommitUnclear, message).hint(hint);
        let now = (self.context.now)();
        let told = |job: &Job| {
            let event = JournalEntry::new(now, Event::Failed).job(job.id, &document.path);
            event.by(self.dead.name()).saying(Some(fault.code.as_str()), &fault.message)
        };
        let mut settlements = Vec::new();
        let mut events = Vec::new();
        for (Ready { claimed, mut job, .. }, _) in self.held_jobs()? {
            events.push(told(&job));
            job.error = Some(fault.clone());
            settlements.push((claimed, Settlement::Failed(Box::new(job))));
        }
        self.dead.settle(settlements, now, true)?;
        self.context.happened(&events);
        Ok(())
    }

    /// Goes on with a commit that displaced a person's text: undoing it would lose that text.
    fn person_saved(
        &self,
        document: &Document,
        kept: &Path,
        ours: Option<String>,
        earlier: Option<PathBuf>,
    ) -> Result<Progress, RunError> {
        Ok(match self.context.documents.temp_of_the_dead(document, kept)? {
            Some(onto) => Progress::PersonSaved { onto, held: kept.to_owned(), ours, earlier },
            None => Progress::Exchanged,
        })
    }

    /// The temp file is gone: it was renamed to where no document was, or into the history. Its name was durable before
    /// the intent, so it did exist; only somebody who cleans up dot files could have removed it instead.
    fn was_exchanged(&self, document: &Document) -> Result<bool, RunError> {
        let documents = self.context.documents;
        if self.intent.before.is_some() && documents.before(document, self.intent.version)?.is_some() {
            return Ok(true);
        }
        // An error ends this recovery instead of being taken for an answer; the next one checks again.
        let now_there = match documents.read(document) {
            // What stands there now is no document: not ours, and not one that was displaced.
            Err(DocumentError::NotAFile(_) | DocumentError::TooLarge(_)) => None,
            other => other?.hash(),
        };
        Ok(now_there.as_ref() == Some(&self.intent.after)
            || (self.intent.before.is_none() && now_there.is_some()))
    }

    /// What was left to do after the exchange.
    fn finish(&self, document: &Document) -> Result<(), RunError> {
        let (documents, intent) = (self.context.documents, self.intent);
        let now = (self.context.now)();
        let jobs = self.held_jobs()?;
        let ids: Vec<_> = intent.jobs.iter().map(|(id, _)| *id).collect();
        self.dead.recovery().confirm_receipts(&ids)?;
        let last = documents.last_revision(document)?;
        let written =
            last.filter(|last| last.version == intent.version && last.batch == intent.batch.to_string());
        documents.confirm(document, written.as_ref())?;
        if written.is_none() {
            let displaced = intent.kept.as_deref().or(intent.before.as_ref().map(|_| intent.temp.as_path()));
            // A link was put there meanwhile: it holds no text that could be lost.
            let is_file = |path: &&Path| {
                self.context
                    .disk
                    .stat_link(path)
                    .map(|stat| stat.is_none_or(|stat| stat.kind == FileKind::File))
            };
            let displaced = match displaced {
                Some(path) if !is_file(&path)? => None,
                other => other,
            };
            // Jobs are settled only after the version is written down, so all of them are still claimed.
            let known: Vec<_> = jobs.iter().map(|(ready, _)| &ready.job).collect();
            documents.archive(document, displaced, &revision(intent, &known, self.dead.name(), now))?;
        }
        if intent.kept.is_some() {
            let made = documents.read(document).ok().map(|present| present.bytes);
            let made = made.filter(|bytes| hash(bytes) == intent.after);
            let (temp, read) = (&intent.temp, intent.before.as_deref());
            documents.keep_interim(document, intent.version, temp, read, made.as_deref())?;
        }
        documents.unstage(&intent.temp)?;
        let settlements = jobs
            .into_iter()
            .map(|(ready, receipt)| (ready.claimed, Settlement::Done(Box::new(ready.job), receipt)))
            .collect();
        // The claims were made durable before the intent.
        self.dead.settle(settlements, now, true)?;
        Ok(())
    }

    /// Merges the commit's jobs onto a person's text and exchanges again, as the worker would have done. False when
    /// the jobs are not settled here but given back.
    fn go_on(
        &self,
        document: &Document,
        onto: Vec<u8>,
        held: PathBuf,
        ours: Option<String>,
        earlier: Option<PathBuf>,
    ) -> Result<bool, RunError> {
        let (documents, intent) = (self.context.documents, self.intent);
        let jobs: Vec<Ready> = self.held_jobs()?.into_iter().map(|(ready, _)| ready).collect();
        let unlisted = fallback(intent);
        let kb = self.context.kbs.iter().find(|kb| kb.name == intent.document.kb).unwrap_or(&unlisted);
        let like = self.context.disk.stat(&held)?;
        let commit =
            Commit { context: self.context, claimant: self.dead, document, kb, jobs: &jobs, left: None };
        let mut texts = documents.asides(document, intent.version)?;
        let of_earlier = earlier.as_deref().map(|path| documents.temp_of_the_dead(document, path));
        let of_earlier = of_earlier.transpose()?.flatten();
        let earlier_read = of_earlier.as_deref().map(hash).unwrap_or_default();
        texts.extend(of_earlier);
        commit.stale_saves().saved_meanwhile(&onto)?;
        // Which texts a person saved over was known only to the worker that died.
        let mut saves = Saves::default();
        texts.into_iter().for_each(|text| saves.found(text));
        let carried = saves.saved(onto);
        // Nor is the text known that this commit put there last, and that others may have gone on from since.
        saves.placed_unknown();
        commit.left_out(intent.batch, &carried.left_out)?;
        if let Some(earlier) = earlier {
            documents.keep_aside(document, &earlier, intent.version, 0, &earlier_read)?;
        }
        let present = documents.read(document)?;
        let standing = CommitState {
            batch: intent.batch,
            version: intent.version,
            onto: Arc::new(carried.text),
            saves,
            like,
            expected: present.stat.map(|_| ours.unwrap_or_default()),
            kept: Some(held),
            left: None,
            // A number of its own: the dead worker's temp files may still be named by its intent.
            round: crate::REDO_MAX + 1,
        };
        let committed = commit.exchange_until_ours(standing, None)?;
        // Somebody saves again and again: what they saved stands, and the jobs wait.
        if committed.version.is_none() {
            return Ok(false);
        }
        self.settle_merged(jobs, committed)?;
        Ok(true)
    }

    fn settle_merged(&self, jobs: Vec<Ready>, committed: Committed) -> Result<(), RunError> {
        let now = (self.context.now)();
        let Committed { outcomes, document_hash, version, .. } = committed;
        let file = Some(self.intent.canonical.clone());
        let facts = CommitFacts { document_hash, version, file, begins_with: None };
        let settled = |(Ready { claimed, job, approval }, outcome)| {
            (claimed, settlement(job, approval, outcome, &facts, self.dead.name(), now))
        };
        Ok(self.dead.settle(jobs.into_iter().zip(outcomes).map(settled).collect(), now, true)?)
    }

    /// The intent's jobs that are still held, with the receipts the intent has for them.
    fn held_jobs(&self) -> Result<Vec<(Ready, Receipt)>, RunError> {
        let mut jobs = Vec::new();
        let receipts: BTreeMap<_, _> = self.intent.jobs.iter().map(|(id, receipt)| (*id, receipt)).collect();
        let held = self.dead.recovery().held()?;
        let ended = self.context.queue.ended(&held.iter().map(Claimed::id).collect::<Vec<_>>())?;
        for of_file in held.chunk_by(Claimed::shares_file) {
            let [first, ..] = of_file else { continue };
            if !of_file.iter().any(|claimed| receipts.contains_key(&claimed.id()))
                || ended.contains_key(&first.id())
            {
                continue;
            }
            for job in self.dead.read_file(first)? {
                let claimed = of_file.iter().find(|claimed| claimed.id() == job.id);
                if let (Some(claimed), Some(receipt)) = (claimed, receipts.get(&job.id)) {
                    let ready = Ready::of(claimed.clone(), job, &self.intent.canonical, self.context.queue)?;
                    jobs.push((ready, (*receipt).clone()));
                }
            }
        }
        Ok(jobs)
    }

    /// Temp files beside this document that no intent names.
    fn sweep(&self, document: &Document) -> Result<(), RunError> {
        // Usually there are none, and then no intents have to be read.
        if self.context.documents.temps_beside(document)?.is_empty() {
            return Ok(());
        }
        let mut named = Vec::new();
        for intent in self.context.queue.worker().intents()? {
            named.push(intent.temp);
            named.extend(intent.kept);
        }
        self.context.documents.sweep_beside(document, &named)?;
        Ok(())
    }
}

/// A stand-in for a knowledge base that was taken out of the configuration after the commit began, so that it can be finished.
fn fallback(intent: &Intent) -> KnowledgeBase {
    KnowledgeBase::plain(&intent.document.kb, &intent.document.path.to_string_lossy())
}
