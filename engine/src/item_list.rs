//! The items of all managed documents, and what became of one: who said it, when, in which session, what it replaced.

use crate::items::{in_no_document, is_of_copy, keep_originals};
use crate::output::{ItemPast, ItemShown, ListedItem};
use crate::recall::managed::Managed;
use crate::{Exit, Failure, Home};
use declaration::Advice;
use declaration::time::is_day;
use documents::{Document, JobRecord, Revision};
use markdown_merge::{ChangeKind, FoundItem, Merger, hash, item};
use operator::Waiting;
use policy::knowledge_base;
use policy::settings::Settings;
use queue_layout::Job;
use std::collections::BTreeSet;
use std::path::Path;

/// Which items are asked for.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// Only these kinds.
    pub kinds: Vec<String>,
    /// Only with one of these tags.
    pub entities: Vec<String>,
    /// Only of these knowledge bases, or members of a family.
    pub documents: Vec<String>,
    /// Only from this day or later, `YYYY-MM-DD`.
    pub from: Option<String>,
    /// Only from this day or earlier.
    pub to: Option<String>,
    /// Also what is retired or superseded.
    pub all: bool,
}

impl ItemFilter {
    pub(crate) fn takes(&self, item: &ListedItem) -> bool {
        let day = item.day.as_deref();
        let tag = |entity: &String| {
            let entity = entity.trim_start_matches('#').to_lowercase();
            item.tags.iter().any(|tag| tag.to_lowercase() == entity)
        };
        (self.all || item.live)
            && (self.kinds.is_empty() || item.kind.as_ref().is_some_and(|kind| self.kinds.contains(kind)))
            && (self.entities.is_empty() || self.entities.iter().any(tag))
            && self.from.as_deref().is_none_or(|from| day.is_some_and(|day| day >= from))
            && self.to.as_deref().is_none_or(|to| day.is_some_and(|day| day <= to))
    }

    /// Whether a document's text may have such an item: one without any of the tags need not be taken apart.
    pub(crate) fn may_be_in(&self, bytes: &[u8]) -> bool {
        if self.entities.is_empty() {
            return true;
        }
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        let tag =
            |entity: &String| text.contains(&format!("#{}", entity.trim_start_matches('#').to_lowercase()));
        self.entities.iter().any(tag)
    }

    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.from.iter().chain(&self.to).find(|day| !is_day(day)) {
            None => Ok(()),
            Some(day) => Err(Failure::new(format!("`{day}` is not a day"))
                .hint("a day is written YYYY-MM-DD")
                .exit(Exit::Usage)),
        }
    }

    pub(crate) fn asks(&self, managed: &Managed) -> bool {
        let named = |name: &String| managed.kb == *name || managed.name() == *name;
        self.documents.is_empty() || self.documents.iter().any(named)
    }
}

/// Leaves out the items of a copy (`copy_of`) whose originals are listed as well.
fn without_copies(settings: &Settings, found: &mut Vec<ListedItem>) {
    let is_copy = |item: &ListedItem| is_of_copy(settings, &item.kb);
    if !found.iter().any(is_copy) {
        return;
    }
    let originals: BTreeSet<String> =
        found.iter().filter(|item| !is_copy(item)).map(|item| item.id.clone()).collect();
    found.retain(|item| !is_copy(item) || !originals.contains(&item.id));
}

impl Home {
    /// The items of the managed documents, in the order of documents and lines; then those that wait for their document. What cannot be
    /// read is passed over: who has to tell of it asks [`Home::items_and_unread`].
    ///
    /// # Errors
    /// The filter or the configuration cannot be used; a disk error that is no single document's.
    pub fn items(&self, filter: &ItemFilter, cwd: &Path) -> Result<Vec<ListedItem>, Failure> {
        Ok(self.items_and_unread(filter, cwd)?.0)
    }

    /// The same; and of the documents that could not be read each name, with the reason.
    ///
    /// # Errors
    /// As for `items`.
    pub fn items_and_unread(
        &self,
        filter: &ItemFilter,
        cwd: &Path,
    ) -> Result<(Vec<ListedItem>, Vec<String>), Failure> {
        filter.check()?;
        let settings = self.settings()?;
        let project = self.project(cwd);
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        for managed in self.documents_and_old_days(cwd, project.as_deref(), &settings) {
            if !filter.asks(&managed) {
                continue;
            }
            match self.merger_of(&managed) {
                Ok(merger) => found.extend(merger.items().iter().map(|item| written(&managed, item))),
                Err(why) => unread.push(why),
            }
        }
        without_copies(&settings, &mut found);
        for Waiting { place, job } in operator::all_waiting(self.queue())? {
            let managed = Managed::of_job(&job.document, &settings, &self.user_home);
            let waits = place.describe(&|advice| self.host.say(advice));
            found.extend(waiting(&managed, &job, &waits).into_iter().filter(|_| filter.asks(&managed)));
        }
        found.retain(|item| filter.takes(item));
        Ok((found, unread))
    }

    /// One item, and what became of it so far, the newest first.
    ///
    /// # Errors
    /// No document has it, or several have.
    pub fn item(&self, id: &str, cwd: &Path) -> Result<ItemShown, Failure> {
        self.item_in(id, None, cwd)
    }

    /// The same where it is known which document has it, a knowledge base or a member of a family: the others are not read.
    ///
    /// # Errors
    /// As for `item`.
    pub fn item_in(&self, id: &str, document: Option<&str>, cwd: &Path) -> Result<ItemShown, Failure> {
        let id = id.trim_start_matches('^');
        let settings = self.settings()?;
        let project = self.project(cwd);
        let (mut shown, mut unread) = (Vec::new(), Vec::new());
        let mut managed = self.documents_and_old_days(cwd, project.as_deref(), &settings);
        managed.retain(|managed| document.is_none_or(|document| managed.name() == document));
        for managed in managed {
            let merger = match self.merger_of(&managed) {
                Ok(merger) => merger,
                Err(why) => {
                    unread.push(why);
                    continue;
                }
            };
            let around =
                |at: usize| merger.sections().into_iter().find(|section| section.bytes.contains(&at));
            for found in merger.items().iter().filter(|found| found.item.known_as() == id) {
                let document = self.in_place(&managed, &settings);
                let revisions = self.documents().revisions(&document).unwrap_or_default();
                let text = found.item.to_string();
                let section = around(found.bytes.start)
                    .and_then(|section| operator::blame(&[section], &revisions).pop());
                shown.push(ItemShown {
                    item: written(&managed, found),
                    written: text,
                    past: past(&revisions, id),
                    section,
                });
            }
        }
        let waits = || self.items(&ItemFilter { all: true, ..ItemFilter::default() }, cwd);
        if shown.is_empty() {
            let waiting = waits()?.into_iter().filter(|item| item.id == id && item.waits.is_some());
            shown.extend(waiting.map(|item| ItemShown {
                written: item.text.clone(),
                item,
                past: Vec::new(),
                section: None,
            }));
        }
        keep_originals(&settings, &mut shown, |shown| &shown.item.kb);
        if shown.len() > 1 {
            return Err(Failure::new(format!("{} items have the id {id}", shown.len()))
                .hint("take the id off the copy in the document"));
        }
        let none = || Failure::new(in_no_document(id, &unread));
        shown.pop().ok_or_else(|| none().hint(Advice::ListItems))
    }

    /// The document under whose name the history is kept: of a day in `archive/` that of its place.
    fn in_place(&self, managed: &Managed, settings: &Settings) -> Document {
        let kb = settings.knowledge_base(&managed.kb);
        let archive = kb.and_then(|kb| knowledge_base::archive(kb, &self.user_home)).map(|(dir, _)| dir);
        let archive = archive.filter(|dir| managed.path.parent() == Some(dir.as_path()));
        let place = archive.and_then(|dir| Some(dir.parent()?.join(managed.path.file_name()?)));
        place.and_then(|place| self.documents().find(&place).ok()).unwrap_or_else(|| managed.document())
    }

    /// A document taken apart; why it cannot be, with its name.
    pub(crate) fn merger_of(&self, managed: &Managed) -> Result<Merger, String> {
        let text = self.text_of(managed).map_err(|failure| failure.to_string())?;
        Merger::open(text.as_bytes())
            .map_err(|refusal| format!("{}: {}", self.short(&managed.path), refusal.message))
    }
}

/// An item as its line says it.
fn read(managed: &Managed, item: &item::Item<'_>, heading: Vec<String>) -> ListedItem {
    let at = item.said_at().map(str::to_owned);
    let day_of = |text: &str| text.get(..10).filter(|day| is_day(day)).map(str::to_owned);
    let day = at.as_deref().and_then(day_of).or_else(|| heading.iter().rev().find_map(|title| day_of(title)));
    let day = day.or_else(|| managed.values.iter().find_map(|value| day_of(value)));
    let field = |key: &str| item.field(key).map(str::to_owned);
    ListedItem {
        id: item.known_as(),
        kb: managed.name(),
        document: managed.path.clone(),
        line: None,
        heading,
        kind: item.kind().map(str::to_owned),
        text: item.text().to_owned(),
        below: item.below().trim_end().to_owned(),
        tags: item.tags().map(str::to_owned).collect(),
        done: item.done(),
        live: item.is_live(),
        superseded_by: field("sup").map(|id| id.trim_start_matches('^').to_owned()),
        day,
        at,
        by: field("by"),
        confidence: item.field("c").and_then(|sure| sure.parse().ok()),
        session: field("s"),
        until: field("until"),
        of: field("of"),
        base: None,
        waits: None,
    }
}

/// An item that stands in its document.
pub(crate) fn written(managed: &Managed, found: &FoundItem<'_>) -> ListedItem {
    let base = Some(hash(&found.item.to_string()));
    let item = read(managed, &found.item, found.heading.clone());
    ListedItem { line: Some(found.line), live: found.is_live(), base, ..item }
}

/// The items that a job makes once it is merged.
fn waiting(managed: &Managed, job: &Job, waits: &str) -> Vec<ListedItem> {
    let entries = job.entries.iter().enumerate().filter(|(_, entry)| entry.operation.writes_item());
    let made = entries.filter_map(|(n, entry)| {
        let content = entry.content.as_deref()?.trim();
        let line =
            if item::Item::read(content).is_some() { content.to_owned() } else { format!("- {content}") };
        let id = entry.key.item().filter(|_| entry.operation == declaration::Operation::Revise);
        let id = id.map_or_else(|| job.item_id(n), str::to_owned);
        let heading = if entry.key.item().is_some() { Vec::new() } else { entry.key.heading.clone() };
        let said = entry.meta.said_at.as_deref();
        let day = said.and_then(|at| at.get(..10)).map(str::to_owned);
        let item = read(managed, &item::Item::read(&line)?, heading);
        let of = entry.meta.of.clone();
        Some(ListedItem { id, day, of, at: said.map(str::to_owned), waits: Some(waits.to_owned()), ..item })
    });
    made.collect()
}

/// What changed an item, the newest first.
fn past(revisions: &[Revision], id: &str) -> Vec<ItemPast> {
    let mut past: Vec<ItemPast> = revisions
        .iter()
        .flat_map(|revision| revision.jobs.iter().map(move |job| (revision, job)))
        .flat_map(|(revision, job)| (0..job.changes.len()).filter_map(move |n| step(revision, job, n, id)))
        .collect();
    past.reverse();
    past
}

fn step(revision: &Revision, job: &JobRecord, n: usize, id: &str) -> Option<ItemPast> {
    let change = job.changes.get(n).filter(|change| change.kind != ChangeKind::Unchanged)?;
    let of_item = change.item.as_deref()?;
    let replaced_by = (of_item.replaced.as_deref() == Some(id)).then(|| of_item.id.clone());
    if of_item.id != id && replaced_by.is_none() {
        return None;
    }
    let note = job.notes.get(n);
    Some(ItemPast {
        version: revision.version,
        at: revision.at,
        job: job.id.clone(),
        operation: note.map(|note| note.operation),
        agent: job.agent.clone(),
        edited_by: note.and_then(|note| note.meta.edited_by.clone()),
        session: job.session.clone(),
        source: job.source.clone(),
        reason: note.and_then(|note| note.meta.reason.clone()),
        was: of_item.was.clone(),
        replaced: of_item.replaced.clone().filter(|old| old != id),
        replaced_by,
    })
}
