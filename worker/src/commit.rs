//! The commit protocol: exactly once, and no edit of a person is lost.
//!
//! The document and a complete new text beside it are exchanged in one step; what comes out is compared with what was
//! read. If it differs, a person saved in between: the jobs are merged again onto their text and exchanged again, until
//! what comes out is what we put there ourselves. The intent, written down before each exchange, tells whoever
//! recovers after a crash how far it came.

use crate::batch::Ready;
use crate::concurrent_edits::Saves;
use crate::error::{RunError, outcome_of};
use crate::stale_saves::StaleSaves;
use crate::validate::Validated;
use crate::{Context, REDO_MAX};
use declaration::trust::of_entry;
use declaration::{Advice, Code, Entry, Fault, Meta, Timestamp, Trust};
use documents::{Document, DocumentError, Exchanged, Hashed, JobRecord, Note, Revision, Staged, hash};
use durable::Stat;
use markdown_merge::{Change, ChangeKind};
use policy::knowledge_base::KnowledgeBase;
use queue_layout::{
    Claimant, DocKey, DocumentRef, Ending, Event, Intent, Job, JobId, JournalEntry, Outcome, QueueError,
    Receipt,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trial::{ApprovedAs, Merged, Trial};

/// Where a commit stands before an exchange.
#[derive(Debug)]
pub(crate) struct CommitState {
    /// Names the commit: the id of its first job.
    pub batch: JobId,
    /// The version the new text gets.
    pub version: u64,
    /// The text the jobs are merged onto: what was read, or what a person saved since.
    pub onto: Arc<Vec<u8>>,
    /// Mode and owner to keep.
    pub like: Option<Stat>,
    /// Hash of what the exchange should displace; `None` when no document should be there.
    pub expected: Option<String>,
    /// The file that holds `onto`, when an earlier exchange of this commit displaced it.
    pub kept: Option<PathBuf>,
    /// The staged text that the intent names and that is not in the document's place. It must not go before the intent
    /// does, or names another one: a temp file that is gone is what an exchange leaves.
    pub left: Option<PathBuf>,
    /// What people saved since this commit began.
    pub saves: Saves,
    /// Exchanges made so far.
    pub round: u32,
}

impl CommitState {
    /// What an exchange should displace, where nobody saved since: the text that was merged onto, and no hash is needed to tell.
    fn expects(&self) -> Option<&[u8]> {
        (self.kept.is_none() && self.expected.is_some()).then_some(&self.onto)
    }

    fn is_expected(&self, out: &[u8]) -> bool {
        match self.expects() {
            Some(onto) => out == onto,
            None => Some(hash(out)) == self.expected,
        }
    }
}

/// What a commit made of its jobs.
#[derive(Debug, Default)]
pub(crate) struct Committed {
    /// One per job, in order.
    pub outcomes: Vec<Outcome>,
    /// Hash of the document with the jobs in it.
    pub document_hash: Option<String>,
    /// The version; `None` when nothing changed.
    pub version: Option<u64>,
    /// The document as it is left; `None` where its versions cannot be told.
    pub left: Option<Left>,
    /// Hash of the template that it would begin with, where it was not there.
    pub begins_with: Option<String>,
}

/// A document as we left it, or looked back at it, under its lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    /// The last version.
    pub version: u64,
    /// Hash of what it said.
    pub hash: Option<String>,
}

/// What became of a file that was given back.
enum GivenBack {
    /// It is in its place, and ours is out.
    All,
    /// It is in its place, and out came what somebody else had saved over ours.
    For(Vec<u8>),
    /// The document was gone.
    Nothing,
}

/// One document's batch on its way.
pub(crate) struct Commit<'a> {
    pub context: Context<'a>,
    pub claimant: &'a Claimant,
    pub document: &'a Document,
    pub kb: &'a KnowledgeBase,
    pub jobs: &'a [Ready],
    /// How it was left by the commit before this one, since it was locked.
    pub left: Option<Left>,
}

impl Commit<'_> {
    /// Reads the document, merges the jobs, and commits the new text if there is one. The document is locked by the
    /// caller until the jobs are settled, and so is its directory.
    pub fn run(&self) -> Result<Committed, RunError> {
        let documents = self.context.documents;
        let Hashed { text, stat: like, hash: expected } = match documents.read_saved(self.document) {
            Ok(read) => read,
            Err(e) => return self.stopped_by(e),
        };
        if text.is_empty() && self.says_something_soon(like.is_none())? {
            return Ok(self.stopped(Outcome::Retry(emptied(self.document, like.is_some()))));
        }
        // Judged by the bytes that were read: a save after that comes out of the exchange.
        let last = match &self.left {
            Some(left) if left.hash == expected => Some(left.version),
            _ => self.stale_saves().before_commit(&text, expected.as_deref())?,
        };
        let left = || last.map(|version| Left { version, hash: expected.clone() });
        let onto = match self.trial().start(like.map(|_| text)) {
            Ok(onto) => onto,
            Err(fault) => return Ok(self.stopped(Outcome::Retry(fault))),
        };
        let begins_with = (like.is_none() && self.kb.template.is_some()).then(|| hash(&onto));
        if let Some(jobs) = begins_with.as_ref().and_then(|hash| self.asked_again(hash)) {
            let Commit { context, claimant, document, kb, .. } = *self;
            let left = self.left.clone();
            return Commit { context, claimant, document, kb, jobs: &jobs, left }.run();
        }
        let merged = match self.validated(&onto, self.merge(&onto))? {
            Validated::Merged(merged) => merged,
            Validated::Later(fault) => return Ok(self.stopped(Outcome::Retry(fault))),
        };
        if merged.text == *onto {
            let (outcomes, left) = (merged.outcomes, left());
            return Ok(Committed { outcomes, document_hash: expected, version: None, left, begins_with });
        }
        let claims: Vec<_> = self.jobs.iter().map(|ready| ready.claimed.clone()).collect();
        // First of all, or a power cut could put a job back into `pending/` whose effect is in the document.
        self.claimant.secure(&claims)?;
        let last = match last {
            Some(last) => last,
            None => match documents.last_revision(self.document) {
                Ok(last) => last.map_or(0, |last| last.version),
                Err(e) => return self.stopped_by(e),
            },
        };
        let version = last + 1;
        let batch = self.jobs.first().map(|ready| ready.job.id);
        let Some(batch) = batch else {
            let left = left();
            return Ok(Committed { document_hash: expected, left, ..Committed::default() });
        };
        self.exchange_until_ours(
            CommitState {
                batch,
                version,
                onto,
                like,
                expected,
                kept: None,
                left: None,
                saves: Saves::default(),
                round: 0,
            },
            Some(merged),
        )
    }

    /// The jobs, where one has a yes that was given when its document would have begun with another text: it is approved by nobody.
    fn asked_again(&self, begins_with: &str) -> Option<Vec<Ready>> {
        let is_other = |ready: &Ready| {
            let Job { approved_by, restore, begins_with: before, .. } = &ready.job;
            approved_by.is_some() && restore.is_none() && before.as_deref() != Some(begins_with)
        };
        let asked = |ready: &Ready| match ready.clone() {
            ready if is_other(&ready) => ready.for_another_template(self.kb, self.context.queue),
            ready => ready,
        };
        self.jobs.iter().any(is_other).then(|| self.jobs.iter().map(asked).collect())
    }

    /// Whether a document that said something when we wrote it last may be away or empty for a moment only: many editors and git put a new
    /// file in the place of the old one, others empty it first, and what we make meanwhile would be replaced. They are waited for once,
    /// where a try is left.
    /// So are links to it.
    fn says_something_soon(&self, is_away: bool) -> Result<bool, RunError> {
        if !self.may_wait() {
            return Ok(false);
        }
        if is_away && self.context.documents.was_a_link(&self.document.path).map_err(RunError::from)? {
            return Ok(true);
        }
        let last = match self.context.documents.last_revision(self.document) {
            Err(e) if e.is_machine_trouble() => return Err(e.into()),
            // Said when it is written.
            Err(_) => None,
            Ok(last) => last,
        };
        Ok(last.is_some_and(|last| last.after != documents::hash(b"")))
    }

    /// Whether the jobs have not waited for their document yet, and have a try left.
    fn may_wait(&self) -> bool {
        !self.jobs.iter().any(|ready| {
            let mut tried = ready.job.attempts.iter().map(|tried| &tried.error.code);
            tried.any(|code| *code == Code::DocumentBusy)
                || ready.job.attempts.len() >= self.context.retry.retries as usize
        })
    }

    /// Nothing is committed: this is the outcome of every job.
    pub(crate) fn stopped(&self, outcome: Outcome) -> Committed {
        let outcomes = self.jobs.iter().map(|_| outcome.clone()).collect();
        Committed { outcomes, ..Committed::default() }
    }

    /// The same for trouble with the document's file.
    fn stopped_by(&self, e: DocumentError) -> Result<Committed, RunError> {
        Ok(self.stopped(outcome_of(e)?))
    }

    pub fn stale_saves(&self) -> StaleSaves<'_> {
        StaleSaves { context: self.context, claimant: self.claimant, document: self.document }
    }

    /// Exchanges until what comes out is what was expected. `merged` is the merge onto `standing.onto`, if it is made.
    pub fn exchange_until_ours(
        &self,
        mut standing: CommitState,
        mut merged: Option<Merged>,
    ) -> Result<Committed, RunError> {
        loop {
            if standing.round > REDO_MAX && standing.kept.is_none() {
                self.withdraw(&standing)?;
                return Ok(self.stopped(Outcome::Retry(busy(self.document, REDO_MAX))));
            }
            let now = (self.context.now)();
            let merged_now = match merged
                .take()
                .map(Validated::Merged)
                .map_or_else(|| self.merged_again(&standing), Ok)?
            {
                Validated::Merged(merged) => merged,
                Validated::Later(fault) => {
                    self.withdraw(&standing)?;
                    return Ok(self.stopped(Outcome::Retry(fault)));
                }
            };
            let (documents, like) = (self.context.documents, standing.like.as_ref());
            let staged = match documents.stage(self.document, &merged_now.text, like, standing.round) {
                Ok(staged) => staged,
                Err(e) => return self.withdrawn(&standing, e),
            };
            let intent = self.intent(&standing, &merged_now, &staged, now);
            self.claimant.commits().write_intent(&intent)?;
            self.context.disk.point("commit.intended");
            if let Some(left) = standing.left.replace(staged.temp.clone()) {
                // No intent names it any more.
                documents.unstage(&left).map_err(RunError::from)?;
            }
            let there = standing.expected.is_some();
            match documents.exchange(self.document, &staged.temp, there, standing.expects()) {
                Err(e) => return self.not_exchanged(&standing, &staged, e),
                Ok(Exchanged::Moved) => {
                    if let Some(ended) = self.moved(&mut standing)? {
                        return Ok(ended);
                    }
                }
                Ok(Exchanged::Displaced(out)) if !standing.is_expected(&out) => {
                    standing.left = None;
                    if standing.saves.are_endless() {
                        return self.let_saves_stand(standing, out, staged, merged_now.text);
                    }
                    if self.saved_over(&mut standing, out, staged, merged_now.text)? {
                        return self.waits(&standing);
                    }
                }
                Ok(Exchanged::Created | Exchanged::AsExpected | Exchanged::Displaced(_)) => {
                    return self.finish(intent, merged_now, &standing.saves, now);
                }
            }
        }
    }

    /// The document was created, or removed, since it was read. Nothing was exchanged: it is looked at again. Some end of the commit, where
    /// that cannot be done or is to wait.
    fn moved(&self, standing: &mut CommitState) -> Result<Option<Committed>, RunError> {
        let said = !standing.onto.is_empty();
        if let Err(e) = self.look_again(standing) {
            return self.withdrawn(standing, e).map(Some);
        }
        if said && standing.kept.is_none() && standing.onto.is_empty() && self.may_wait() {
            return self.waits(standing).map(Some);
        }
        if standing.kept.is_none() && standing.expected.is_some() {
            self.stale_saves().saved_meanwhile(&standing.onto)?;
        }
        Ok(None)
    }

    /// What came out of an exchange is not what was expected: somebody saved. Whether that is to wait, because they have only begun.
    fn saved_over(
        &self,
        standing: &mut CommitState,
        out: Vec<u8>,
        staged: Staged,
        ours: Vec<u8>,
    ) -> Result<bool, RunError> {
        let out = self.context.documents.displaced_saved(&staged.temp, out, &standing.onto)?;
        if out.is_empty() && !standing.onto.is_empty() && standing.kept.is_none() && self.may_wait() {
            match self.given_back(standing, &staged)? {
                GivenBack::All => return Ok(true),
                GivenBack::For(came) => {
                    standing.saves.placed(ours);
                    self.person_saved(standing, came, &staged.temp, hash(&out))?;
                    return Ok(false);
                }
                GivenBack::Nothing => {}
            }
        }
        self.person_saved(standing, out, &staged.temp, staged.hash)?;
        standing.saves.placed(ours);
        Ok(false)
    }

    /// Trouble with the document's file before it was exchanged: this commit never was. Unless it holds a person's text,
    /// which an earlier exchange displaced and which must go back: then recovery goes on with it.
    fn withdrawn(&self, standing: &CommitState, e: DocumentError) -> Result<Committed, RunError> {
        if e.is_machine_trouble() || standing.kept.is_some() {
            return Err(e.into());
        }
        self.withdraw(standing)?;
        self.stopped_by(e)
    }

    /// The intent goes first, and for good: without its temp file it would be taken for one that was carried out.
    fn withdraw(&self, standing: &CommitState) -> Result<(), RunError> {
        self.claimant.commits().withdraw_intent(standing.batch)?;
        standing.left.iter().try_for_each(|temp| self.context.documents.unstage(temp))?;
        Ok(())
    }

    /// Trouble in the exchange. It did not happen when the new text is where it was; else only recovery can tell, and
    /// nobody may run these jobs again before.
    fn not_exchanged(
        &self,
        standing: &CommitState,
        staged: &Staged,
        e: DocumentError,
    ) -> Result<Committed, RunError> {
        match self.context.documents.displaced(&staged.temp) {
            Ok(Some(bytes)) if hash(&bytes) == staged.hash => self.withdrawn(standing, e),
            _ => Err(e.into()),
        }
    }

    /// After the exchange: the displaced text becomes the earlier version, and the new one is written down.
    /// Its trouble ends the run: the jobs are in the document, and must not be tried again.
    fn finish(
        &self,
        intent: Intent,
        merged: Merged,
        saves: &Saves,
        now: Timestamp,
    ) -> Result<Committed, RunError> {
        let documents = self.context.documents;
        let displaced = match (&intent.kept, &intent.before) {
            (Some(kept), _) => Some(kept.as_path()),
            (None, Some(_)) => Some(intent.temp.as_path()),
            (None, None) => None,
        };
        let jobs: Vec<&Job> = self.jobs.iter().map(|ready| &ready.job).collect();
        documents.archive(self.document, displaced, &revision(&intent, &jobs, self.claimant.name(), now))?;
        if intent.kept.is_some() {
            documents.keep_lacking(self.document, intent.version, &saves.lacking())?;
            let (temp, read) = (&intent.temp, intent.before.as_deref());
            documents.keep_interim(self.document, intent.version, temp, read, Some(&merged.text))?;
        }
        let keep = self.kb.snapshots.unwrap_or(self.context.snapshots);
        // Old snapshots that cannot be removed now are removed another time.
        let _ = documents.prune(self.document, intent.version, keep);
        documents.left(merged.text);
        // What it helps to tell can be told otherwise, less exactly.
        let _ = documents.keep_merged(self.document);
        let _ = documents.keep_name(self.document);
        Ok(Committed {
            outcomes: merged.outcomes,
            left: Some(Left { version: intent.version, hash: Some(intent.after.clone()) }),
            document_hash: Some(intent.after),
            version: Some(intent.version),
            begins_with: None,
        })
    }

    /// The merge onto what a person saved meanwhile. Where we hold their text it must go back in any case: validators
    /// that cannot say yes now have said no.
    fn merged_again(&self, standing: &CommitState) -> Result<Validated, RunError> {
        let merged = self.merge(&standing.onto);
        match self.validated(&standing.onto, merged.clone())? {
            Validated::Later(fault) if standing.kept.is_some() => {
                let failed = |outcome: Outcome| match outcome {
                    Outcome::Applied(_) | Outcome::Unchanged(_) => Outcome::Failed(fault.clone()),
                    other => other,
                };
                Ok(Validated::Merged(Merged {
                    text: standing.onto.to_vec(),
                    outcomes: merged.outcomes.into_iter().map(failed).collect(),
                }))
            }
            other => Ok(other),
        }
    }

    fn merge(&self, onto: &[u8]) -> Merged {
        let jobs: Vec<_> = self.jobs.iter().map(|ready| &ready.job).collect();
        self.trial().merge(onto, &jobs, ApprovedAs::Given)
    }

    pub(crate) fn trial(&self) -> Trial<'_> {
        Trial {
            documents: self.context.documents,
            queue: self.context.queue,
            document: self.document,
            kb: self.kb,
            user_home: self.context.user_home,
            snapshots: self.context.snapshots,
            rewritten: true,
        }
    }

    fn look_again(&self, standing: &mut CommitState) -> Result<(), DocumentError> {
        standing.round += 1;
        let present = self.context.documents.read_saved(self.document)?;
        if standing.kept.is_some() {
            // A person's text that we hold must go back in any case; only whether a document is there has changed.
            // A document that stands there now is not ours: the empty hash matches no text, so that the next exchange
            // takes it for a concurrent edit.
            standing.expected = present.stat.map(|_| standing.expected.take().unwrap_or_default());
            return Ok(());
        }
        standing.expected = present.hash;
        standing.onto = present.text;
        standing.like = present.stat.or(standing.like);
        Ok(())
    }

    /// The document's file is half saved: the jobs wait. Nothing of this commit is in its place.
    fn waits(&self, standing: &CommitState) -> Result<Committed, RunError> {
        self.withdraw(standing)?;
        Ok(self.stopped(Outcome::Retry(emptied(self.document, standing.expected.is_some()))))
    }

    /// What came out says nothing, as somebody has just begun to save it: it goes back, so that they write on into the document. A crash
    /// after that finds the staged text where it was, and takes the commit for one that was not begun.
    fn given_back(&self, standing: &mut CommitState, staged: &Staged) -> Result<GivenBack, RunError> {
        Ok(match self.context.documents.exchange(self.document, &staged.temp, true, None)? {
            // Removed meanwhile, so that nothing was exchanged.
            Exchanged::Moved | Exchanged::Created => GivenBack::Nothing,
            Exchanged::Displaced(came) if hash(&came) != staged.hash => GivenBack::For(came),
            Exchanged::AsExpected | Exchanged::Displaced(_) => {
                standing.left = Some(staged.temp.clone());
                GivenBack::All
            }
        })
    }

    /// What came out is a person's text, which the file `held` holds: merge onto it next, expecting to displace what stands `in_place` (its
    /// hash): what we just put there, as a rule.
    fn person_saved(
        &self,
        standing: &mut CommitState,
        out: Vec<u8>,
        held: &Path,
        in_place: String,
    ) -> Result<(), RunError> {
        if standing.kept.is_none() {
            standing.saves.placed(Arc::unwrap_or_clone(std::mem::take(&mut standing.onto)));
        }
        self.stale_saves().saved_meanwhile(&out)?;
        let earlier_read = standing.saves.last().map(hash).unwrap_or_default();
        let onto = standing.saves.saved(out);
        self.left_out(standing.batch, &onto.left_out)?;
        standing.onto = Arc::new(onto.text);
        if let Some(earlier) = standing.kept.replace(held.to_owned()) {
            let (version, round) = (standing.version, standing.round);
            self.context.documents.keep_aside(self.document, &earlier, version, round, &earlier_read)?;
        }
        standing.expected = Some(in_place);
        standing.round += 1;
        let event = JournalEntry::new((self.context.now)(), Event::PersonSaved)
            .job(standing.batch, &self.document.path)
            .by(self.claimant.name())
            .saying(None, "saved by somebody while we merged; merged again onto their text");
        self.context.happened(&[event]);
        Ok(())
    }

    /// Puts texts before a person that are no longer in the document.
    pub fn left_out(&self, batch: JobId, texts: &[Vec<u8>]) -> Result<(), QueueError> {
        let path = self.document.path.display();
        for text in texts {
            let message = format!(
                "{path} was saved more than once while we merged, and this text does not go into the one saved after \
                 it: it is kept here"
            );
            let id = JobId::of_report(batch.declared_at(), &["left_out", &batch.to_string(), &hash(text)]);
            let why = Fault::new(Code::LeftOut, message)
                .hint(self.context.queue.say(&Advice::PutTextByHand(id.to_string())));
            let now = (self.context.now)();
            if self.claimant.report_text(id, text, &why, now)? {
                let event = JournalEntry::new(now, Event::LeftOut)
                    .job(id, &self.document.path)
                    .by(self.claimant.name())
                    .saying(Some(why.code.as_str()), &why.message);
                self.context.happened(&[event]);
            }
        }
        Ok(())
    }

    fn intent(&self, standing: &CommitState, merged: &Merged, staged: &Staged, now: Timestamp) -> Intent {
        let mut jobs = Vec::new();
        for (ready, outcome) in self.jobs.iter().zip(&merged.outcomes) {
            if let Some(changes) = outcome.changes() {
                let receipt = receipt(
                    changes.to_vec(),
                    Some(staged.hash.clone()),
                    Some(standing.version),
                    self.claimant.name(),
                    now,
                );
                jobs.push((ready.job.id, Receipt { approval: ready.approval.clone(), ..receipt }));
            }
        }
        Intent {
            format: match self.jobs.iter().any(|ready| ready.claimed.is_bundled()) {
                true => Intent::FORMAT_OF_BUNDLES,
                false => Intent::FORMAT,
            },
            batch: standing.batch,
            document: self.document_ref(),
            canonical: self.document.canonical.clone(),
            temp: staged.temp.clone(),
            before: standing.expected.clone(),
            after: staged.hash.clone(),
            kept: standing.kept.clone(),
            earlier: standing.saves.last().map(hash).or_else(|| standing.expected.clone()),
            version: standing.version,
            jobs,
        }
    }

    pub(crate) fn document_ref(&self) -> DocumentRef {
        let named = self.jobs.first().map(|ready| ready.job.document.clone());
        named.unwrap_or_else(|| DocumentRef {
            kb: self.kb.name.clone(),
            path: self.document.path.clone(),
            project: None,
            doc: DocKey::of(&self.document.canonical),
        })
    }
}

/// The receipt of a job whose changes are in the document.
pub(crate) fn receipt(
    changes: Vec<Change>,
    document_hash: Option<String>,
    version: Option<u64>,
    by: &str,
    now: Timestamp,
) -> Receipt {
    let changed = changes.iter().any(|change| change.kind != ChangeKind::Unchanged);
    let outcome = if changed { Ending::Applied } else { Ending::Unchanged };
    let version = version.filter(|_| changed);
    Receipt {
        outcome,
        at: now,
        by: by.to_owned(),
        channel: None,
        approval: None,
        reason: None,
        same_as: None,
        document_hash,
        version,
        changes,
    }
}

/// The line of a document's log that an intent stands for. `jobs` are the jobs of the intent, as far as they are known.
pub(crate) fn revision(intent: &Intent, jobs: &[&Job], by: &str, now: Timestamp) -> Revision {
    let known: BTreeMap<JobId, &Job> = jobs.iter().map(|job| (job.id, *job)).collect();
    let records = intent.jobs.iter().map(|(id, receipt)| {
        let job = known.get(id).copied();
        let changes = receipt.changes.clone();
        let bare = || JobRecord { id: id.to_string(), ..JobRecord::default() };
        JobRecord { changes, ..job.map_or_else(bare, record) }
    });
    Revision {
        version: intent.version,
        at: now,
        batch: intent.batch.to_string(),
        document: Some(intent.canonical.clone()),
        by: by.to_owned(),
        before: intent.earlier.clone(),
        after: intent.after.clone(),
        jobs: records.collect(),
        during: None,
    }
}

/// An agent, or a program that is not known to be one, that did not say which it is.
const UNNAMED: &str = "agent";

/// What stands behind the author of a job whose own file is all that says who that is.
const CLAIMED: &str = " (claimed)";

fn record(job: &Job) -> JobRecord {
    let stamp = job.producer.trust();
    // What an entry claims is held against our own stamp before anybody reads it again.
    let trust = |entry: &Entry| entry.meta.trust.map(|_| of_entry(stamp, entry));
    let note = |entry: &Entry| Note {
        operation: entry.operation,
        meta: Meta { trust: trust(entry), ..entry.meta.clone() },
    };
    let unnamed = job.producer.agent.is_empty() && stamp < Trust::User;
    let agent = if unnamed { UNNAMED } else { &job.producer.agent };
    JobRecord {
        id: job.id.to_string(),
        agent: format!("{agent}{}", if job.producer.claimed { CLAIMED } else { "" }),
        session: job.producer.session.clone(),
        source: job.source.clone(),
        rollback_to: job.restore.as_ref().map(|restore| restore.version),
        changes: Vec::new(),
        notes: job.entries.iter().map(note).collect(),
    }
}

/// Why a document that was there is not made again at once.
/// `is_there`: it is, and says nothing.
fn emptied(document: &Document, is_there: bool) -> Fault {
    let path = document.path.display();
    let (message, hint) = match is_there {
        true => (
            format!("{path} is empty, though it was not: somebody may be saving it now"),
            "it is tried again, and written where it stays empty",
        ),
        false => (
            format!("{path} is not there, though it was: somebody may be saving it now"),
            "it is tried again, and made anew where it stays away",
        ),
    };
    Fault::new(Code::DocumentBusy, message).hint(hint)
}

pub(crate) fn busy(document: &Document, times: impl std::fmt::Display) -> Fault {
    let message = format!("{} was saved by somebody {times} times while we merged", document.path.display());
    Fault::new(Code::DocumentBusy, message)
        .hint("it is tried again; if a program keeps rewriting that file, stop it")
}
