//! Takes an adoption back: a document goes back to its text of before where only the adoption changed it, else its items are
//! retired. What somebody edited since stays, whichever way.

use super::known::is_edited;
use super::{SOURCE, nothing_adopted};
use crate::item_list::ItemFilter;
use crate::output::{AdoptionUndone, KeptEdit, ListedItem};
use crate::{Action, Actor, Caller, ChangeItem, Exit, Failure, Home};
use declaration::{Advice, Operation};
use documents::{Document, JobRecord, Note, Revision};
use markdown_merge::item::PURGED;
use queue_layout::{ADOPTION_FORMAT, AdoptionRecord, AdoptionUndo, JobId, Restore, State};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl Home {
    /// Takes an adoption back as a whole; the latest where none is named. What it made beside its items goes when the jobs of this
    /// have ended. Cut short, it goes on when it is asked for again.
    ///
    /// # Errors
    /// An agent asks; there is no such adoption; jobs of it wait for a worker; a disk error.
    pub fn undo_adoption(
        &self,
        caller: &Caller,
        who: &Actor,
        adoption: Option<&str>,
    ) -> Result<AdoptionUndone, Failure> {
        caller.refuse_agents("take an adoption back")?;
        let items = self.items(&ItemFilter { all: true, ..ItemFilter::default() }, &caller.cwd)?;
        let records = self.queue().operator().adoptions()?;
        let id = match (adoption, records.last()) {
            (Some(id), _) => id.to_owned(),
            (None, Some(latest)) => latest.id.clone(),
            // Made by a build from before the records.
            (None, None) => self.latest_adoption(&items)?,
        };
        let record = records.into_iter().find(|record| record.id == id);
        let mut undone = AdoptionUndone { adoption: id.clone(), ..AdoptionUndone::default() };
        if let Some(AdoptionUndo { jobs: Some(jobs), .. }) =
            record.as_ref().and_then(|known| known.undo.as_ref())
        {
            self.refuse_while_waiting(jobs)?;
        }
        self.end_waiting(caller, who, &mut undone)?;
        let ours = items.iter().filter(|item| item.live && item.waits.is_none() && is_of(item, &id));
        let ours: Vec<&ListedItem> = ours.collect();
        if ours.is_empty() && undone.ended.is_empty() && record.is_none() {
            return Err(nothing_adopted());
        }
        let documents: BTreeSet<&PathBuf> = ours.iter().map(|item| &item.document).collect();
        let mut record = record.unwrap_or_else(|| AdoptionRecord {
            format: ADOPTION_FORMAT,
            id: id.clone(),
            at: self.now(),
            ..AdoptionRecord::default()
        });
        undone.created = self.created(&documents)?;
        undone.lines = record.lines.iter().map(|(name, _)| name.clone()).collect();
        let mut undo = record.undo.take().unwrap_or_default();
        undo.by.clone_from(&who.name);
        undo.documents.extend(undone.created.iter().cloned());
        undo.documents.sort();
        undo.documents.dedup();
        undo.jobs = None;
        self.record_undo(&mut record, undo.clone())?;
        let who = &Actor { reason: Some(taken_back(&id)), ..who.clone() };
        for path in documents {
            let of_document = ours.iter().filter(|item| item.document == *path).copied();
            match self.text_before(path, &id, &items)? {
                Some(restore) => {
                    if !restore.text.trim().is_empty() {
                        undone.created.retain(|created| created != path);
                    }
                    let resolved =
                        self.document(&path.display().to_string(), &caller.cwd, &self.settings()?)?;
                    undone.jobs.push(self.enqueue_restore(caller, who, &resolved, restore)?);
                    undone.put_back.push(path.clone());
                }
                None => self.retire_each(caller, of_document.collect(), &mut undone)?,
            }
        }
        undone.created.retain(|path| undone.put_back.contains(path));
        undo.jobs = Some(undone.jobs.clone());
        self.record_undo(&mut record, undo)?;
        if undone.jobs.is_empty() {
            self.go_on_undoing()?;
        }
        Ok(undone)
    }

    fn record_undo(&self, record: &mut AdoptionRecord, undo: AdoptionUndo) -> Result<(), Failure> {
        record.undo = Some(undo);
        Ok(self.queue().operator().record_adoption(record)?)
    }

    /// Refuses to take an adoption back a second time while jobs of the first time have not ended.
    fn refuse_while_waiting(&self, jobs: &[JobId]) -> Result<(), Failure> {
        let waiting = operator::all_waiting(self.queue())?;
        let Some(waiting) = waiting.iter().find(|waiting| jobs.contains(&waiting.job.id)) else {
            return Ok(());
        };
        let id = waiting.job.id;
        let staged = matches!(waiting.place, operator::Whereabouts::Queue(State::Failed | State::Review));
        let failure = Failure::new(format!("it is being taken back already: job {id} of that has not ended"));
        Err(if staged {
            failure.hint(Advice::Resolve(id.to_string())).exit(Exit::CouldNot)
        } else {
            failure.hint(Advice::RunWorker).exit(Exit::TryAgain)
        })
    }

    /// Those of these documents that an adoption made: the last time they came into being.
    fn created(&self, documents: &BTreeSet<&PathBuf>) -> Result<Vec<PathBuf>, Failure> {
        let mut created = Vec::new();
        for path in documents {
            let revisions = self.documents().revisions(&self.documents().find(path)?)?;
            let made = revisions.iter().rev().find(|revision| revision.before.is_none());
            if made.is_some_and(|made| made.jobs.iter().all(|job| job.source == SOURCE)) {
                created.push((*path).clone());
            }
        }
        Ok(created)
    }

    /// The adoption that was merged last, of those that have live items.
    fn latest_adoption(&self, items: &[ListedItem]) -> Result<String, Failure> {
        let live = items.iter().filter(|item| item.live && item.of.is_some());
        let live: Vec<(&ListedItem, &str)> =
            live.filter_map(|item| Some((item, adoption_of(item)?))).collect();
        let documents: BTreeSet<&PathBuf> = live.iter().map(|(item, _)| &item.document).collect();
        let mut latest = None;
        for path in documents {
            let document = self.documents().find(path)?;
            for revision in self.documents().revisions(&document)? {
                let jobs = revision.jobs.iter().filter(|job| job.source == SOURCE);
                for job in jobs.filter(|job| live.iter().any(|(_, id)| *id == job.session)) {
                    latest = latest.max(Some((revision.at, job.session.clone())));
                }
            }
        }
        // One whose jobs all wait is in no document yet.
        let waits = || live.iter().find(|(item, _)| item.waits.is_some()).map(|(_, id)| (*id).to_owned());
        latest.map(|(_, id)| id).or_else(waits).ok_or_else(nothing_adopted)
    }

    /// Ends the jobs of an adoption that wait for a person.
    fn end_waiting(&self, caller: &Caller, who: &Actor, undone: &mut AdoptionUndone) -> Result<(), Failure> {
        let jobs = operator::all_waiting(self.queue())?.into_iter().map(|waiting| waiting.job);
        let ours = jobs.filter(|job| job.source == SOURCE && job.producer.session == undone.adoption);
        let (mut review, mut failed) = (Vec::new(), Vec::new());
        for job in ours {
            let listed = self.find(&job.id.to_string())?;
            match listed.state {
                State::Review => review.push(listed),
                State::Failed => failed.push(listed),
                _ => {
                    let message = format!("job {} of the adoption still waits for a worker", job.id);
                    return Err(Failure::new(message).hint(Advice::RunWorker).exit(Exit::TryAgain));
                }
            }
        }
        let decisions = self.decisions(caller.clone(), who.clone());
        for (jobs, action) in [(review, Action::Reject), (failed, Action::Discard)] {
            if !jobs.is_empty() {
                undone.ended.extend(jobs.iter().map(|listed| listed.id));
                decisions.all(&jobs, &action).map_err(|undecided| undecided.failure)?;
            }
        }
        Ok(())
    }

    /// What puts a document back to its text before an adoption, and before those around it that were taken back. `None` where other
    /// jobs came in between, where its texts are not kept, or where the same lines were edited since.
    fn text_before(&self, path: &Path, id: &str, items: &[ListedItem]) -> Result<Option<Restore>, Failure> {
        let document = self.documents().find(path)?;
        let revisions = self.documents().revisions(&document)?;
        let Some((first, last)) = versions_of(id, &revisions, items) else { return Ok(None) };
        let version = revisions[first].version - 1;
        let text = self.text_during(&document, version, &revisions)?;
        let base = self.text_during(&document, revisions[last].version, &revisions)?;
        let now = String::from_utf8(self.documents().read(&document)?.bytes).ok();
        let (Some(text), Some(base), Some(now)) = (text, base, now) else { return Ok(None) };
        // What was purged since is not put back as the mark of that.
        let marks = |text: &str| text.matches(PURGED).count();
        if marks(&text) > marks(&now) {
            return Ok(None);
        }
        // The text of that version, and not one that a person saved over it; and that of before as it was then.
        let kept = documents::hash(base.as_bytes()) == revisions[last].after
            && revisions[first]
                .before
                .as_ref()
                .is_none_or(|before| documents::hash(text.as_bytes()) == *before);
        let fits = kept && markdown_merge::rollback::put_back(&base, &now, &text).is_some();
        Ok(fits.then_some(Restore { version, base, text }))
    }

    fn text_during(
        &self,
        document: &Document,
        version: u64,
        revisions: &[Revision],
    ) -> Result<Option<String>, Failure> {
        let bytes = self.documents().during(document, version, revisions)?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    fn retire_each(
        &self,
        caller: &Caller,
        items: Vec<&ListedItem>,
        undone: &mut AdoptionUndone,
    ) -> Result<(), Failure> {
        for item in items {
            if is_edited(item) {
                undone
                    .kept
                    .push(KeptEdit { item: item.id.clone(), text: [&*item.text, &item.below].concat() });
                continue;
            }
            let change = ChangeItem {
                id: item.id.clone(),
                operation: "retire".to_owned(),
                reason: Some(taken_back(&undone.adoption)),
                ..ChangeItem::default()
            };
            undone.jobs.push(self.change_item(caller, &change)?.job);
            undone.retired.push(item.id.clone());
        }
        Ok(())
    }
}

/// The first and the last version of an adoption in a document that only it made; with those before and behind that are of
/// adoptions which were taken back, as far as nobody saved in between. `None` where other jobs came in between.
fn versions_of(id: &str, revisions: &[Revision], items: &[ListedItem]) -> Option<(usize, usize)> {
    let is_own = |job: &JobRecord| job.session == id && job.source == SOURCE;
    let is_live = |id: &str| items.iter().any(|item| item.live && is_of(item, id));
    let jobs = revisions.iter().flat_map(|revision| &revision.jobs);
    let ended: BTreeSet<&str> = jobs.filter_map(ended_by).filter(|ended| !is_live(ended)).collect();
    let is_gone = |job: &JobRecord| {
        ended_by(job).is_some() || job.source == SOURCE && ended.contains(job.session.as_str())
    };
    let fits = |at: usize| {
        revisions
            .get(at)
            .is_some_and(|one| !one.jobs.is_empty() && one.jobs.iter().all(|job| is_own(job) || is_gone(job)))
    };
    let own = |revision: &Revision| revision.jobs.iter().any(is_own);
    let mut first = revisions.iter().position(own)?;
    let mut last = revisions.iter().rposition(own)?;
    if !(first..=last).all(fits) {
        return None;
    }
    let follows = |at: usize| {
        at > 0 && revisions.get(at).is_some_and(|next| next.before.as_ref() == Some(&revisions[at - 1].after))
    };
    let (own_first, own_last) = (first, last);
    while follows(last + 1) && fits(last + 1) {
        last += 1;
    }
    while follows(first) && fits(first - 1) {
        first -= 1;
    }
    // With a person's save between them, taking all of them back would remove what that person wrote.
    let whole = (first + 1..=last).all(follows);
    Some(if whole { (first, last) } else { (own_first, own_last) })
}

/// The reason of the jobs that take an adoption back.
fn taken_back(id: &str) -> String {
    format!("adoption {id} is taken back")
}

/// The adoption that a job takes back.
fn ended_by(job: &JobRecord) -> Option<&str> {
    let takes_back = |note: &Note| job.rollback_to.is_some() || note.operation == Operation::Retire;
    let reason = job.notes.iter().all(takes_back).then(|| job.notes.first()?.meta.reason.as_deref())??;
    reason.strip_prefix("adoption ")?.strip_suffix(" is taken back")
}

/// Whether an item is of this adoption.
fn is_of(item: &ListedItem, id: &str) -> bool {
    item.of.is_some() && adoption_of(item) == Some(id)
}

/// The adoption in an item's `s=`: what stands behind the system's name.
fn adoption_of(item: &ListedItem) -> Option<&str> {
    item.session.as_deref()?.split_once('/').map(|(_, id)| id)
}
