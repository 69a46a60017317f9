//! Takes an adoption back: a document goes back to its text of before where only the adoption changed it, else its items are
//! retired. What somebody edited since stays, whichever way.

use super::known::is_edited;
use super::{SOURCE, nothing_adopted};
use crate::item_list::ItemFilter;
use crate::output::{AdoptionUndone, KeptEdit, ListedItem};
use crate::{Action, Actor, Caller, ChangeItem, Exit, Failure, Home};
use declaration::Advice;
use documents::{Document, Revision};
use queue_layout::{Restore, State};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl Home {
    /// Takes an adoption back as a whole; the latest that has live items where none is named.
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
        let id = match adoption {
            Some(id) => id.to_owned(),
            None => self.latest_adoption(&items)?,
        };
        let mut undone = AdoptionUndone { adoption: id.clone(), ..AdoptionUndone::default() };
        self.end_waiting(caller, who, &mut undone)?;
        let ours = items.iter().filter(|item| item.live && item.waits.is_none() && is_of(item, &id));
        let ours: Vec<&ListedItem> = ours.collect();
        if ours.is_empty() && undone.ended.is_empty() {
            return Err(nothing_adopted());
        }
        let documents: BTreeSet<&PathBuf> = ours.iter().map(|item| &item.document).collect();
        for path in documents {
            let of_document = ours.iter().filter(|item| item.document == *path).copied();
            match self.text_before(path, &id)? {
                Some(restore) => {
                    let resolved =
                        self.document(&path.display().to_string(), &caller.cwd, &self.settings()?)?;
                    undone.jobs.push(self.enqueue_restore(caller, who, &resolved, restore)?);
                    undone.put_back.push(path.clone());
                }
                None => self.retire_each(caller, of_document.collect(), &mut undone)?,
            }
        }
        Ok(undone)
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

    /// What puts a document back to its text before an adoption. `None` where other jobs came in between, where its texts are
    /// not kept, or where the same lines were edited since.
    fn text_before(&self, path: &Path, id: &str) -> Result<Option<Restore>, Failure> {
        let document = self.documents().find(path)?;
        let revisions = self.documents().revisions(&document)?;
        let is_its =
            |revision: &Revision| revision.jobs.iter().any(|job| job.session == id && job.source == SOURCE);
        let first = revisions.iter().position(is_its);
        let last = revisions.iter().rposition(is_its);
        let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
        let own = |job: &documents::JobRecord| job.session == id && job.source == SOURCE;
        if !revisions[first..=last].iter().flat_map(|revision| &revision.jobs).all(own) {
            return Ok(None);
        }
        let version = revisions[first].version - 1;
        let text = self.text_during(&document, version, &revisions)?;
        let base = self.text_during(&document, revisions[last].version, &revisions)?;
        let now = String::from_utf8(self.documents().read(&document)?.bytes).ok();
        let (Some(text), Some(base), Some(now)) = (text, base, now) else { return Ok(None) };
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
                undone.kept.push(KeptEdit { item: item.id.clone(), text: item.text.clone() });
                continue;
            }
            let change = ChangeItem {
                id: item.id.clone(),
                operation: "retire".to_owned(),
                old_text: Some(item.text.clone()),
                reason: Some(format!("adoption {} is taken back", undone.adoption)),
                ..ChangeItem::default()
            };
            undone.jobs.push(self.change_item(caller, &change)?.job);
            undone.retired.push(item.id.clone());
        }
        Ok(())
    }
}

/// Whether an item is of this adoption.
fn is_of(item: &ListedItem, id: &str) -> bool {
    item.of.is_some() && adoption_of(item) == Some(id)
}

/// The adoption in an item's `s=`: what stands behind the system's name.
fn adoption_of(item: &ListedItem) -> Option<&str> {
    item.session.as_deref()?.split_once('/').map(|(_, id)| id)
}
