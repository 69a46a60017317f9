//! What can be asked of a document: its text with what waits for it, its versions, who wrote which section; and how it is put
//! back. A document is named as people name it: by its knowledge base, or by its path.

use crate::output::{ArchivedText, Blame, Diff, History, ReadText, Rollback, WaitingEntries};
use crate::recall::managed::Managed;
use crate::{Caller, Failure, Home};
use declaration::{Advice, Entry, Key, Meta, Problem, Scope, Target};
use documents::Document;
use markdown_merge::{Merger, Refusal, hash};
use operator::{Actor, Waiting, Whereabouts, comparable, diff_of, text_during};
use policy::family;
use policy::knowledge_base::{self, Resolved, Surroundings};
use policy::settings::Settings;
use queue_layout::{DocKey, DocumentRef, Draft, JobId, Restore, State};
use std::path::Path;

/// Which part of a document is read.
#[derive(Debug, Clone, Default)]
pub struct SectionNamed {
    /// Its heading, below the headings it is in; empty for the whole document.
    pub heading: Vec<String>,
    /// Its level; that of the first section with this heading where it is not said.
    pub level: Option<u8>,
    /// With the sections below it.
    pub subtree: bool,
}

impl Home {
    /// The document that is named, if it may be written.
    ///
    /// # Errors
    /// No knowledge base has it.
    pub fn document(&self, named: &str, cwd: &Path, settings: &Settings) -> Result<Resolved, Failure> {
        let is_file = || self.disk.stat(&cwd.join(named)).is_ok_and(|stat| stat.is_some());
        let target = match settings.knowledge_base(family::split(named).0) {
            // A word that is no file here is a misspelt name: of those there is a list.
            None if named.contains('/') || named.ends_with(".md") || is_file() => {
                Target::Path(named.to_owned())
            }
            _ => Target::Kb(named.to_owned()),
        };
        self.resolve_target(&target, cwd, settings)
    }

    /// The name of the knowledge base that is this document alone, if one is: shorter to read and to type than its path.
    #[must_use]
    pub fn called(&self, path: &Path, cwd: &Path) -> Option<String> {
        let settings = self.settings().ok()?;
        let found = self.resolve_target(&Target::Path(path.to_str()?.to_owned()), cwd, &settings).ok()?;
        let kb = settings.knowledge_base(&found.name)?;
        (found.path == path && !kb.path.contains('{')).then_some(found.name)
    }

    pub(crate) fn resolve_target(
        &self,
        target: &Target,
        cwd: &Path,
        settings: &Settings,
    ) -> Result<Resolved, Failure> {
        let project = self.project(cwd);
        let today = self.moment().day();
        let around = Surroundings { today: Some(&today), ..self.around(cwd, project.as_deref()) };
        let canonicalise = |path: &Path| self.canonicalise(path);
        let found = knowledge_base::resolve(target, &settings.knowledge_bases, &around, &canonicalise);
        found.map_err(|Problem { message, hint, .. }| Failure {
            hint: hint.map(Advice::Words),
            ..Failure::new(message)
        })
    }

    /// The same for looking only: also a document that is no longer configured, where its history is still there.
    ///
    /// # Errors
    /// No knowledge base has it, and no history.
    pub fn known_document(&self, named: &str, cwd: &Path) -> Result<Document, Failure> {
        let settings = self.settings()?;
        match self.document(named, cwd, &settings) {
            Ok(found) => Ok(Document { path: found.path, canonical: found.canonical }),
            Err(failure) => {
                let found = self.documents().find(&cwd.join(self.expand(named)))?;
                if self.documents().last_revision(&found)?.is_some() { Ok(found) } else { Err(failure) }
            }
        }
    }

    /// A document or a section of it as it is now, and what was declared for it and still waits.
    ///
    /// # Errors
    /// No knowledge base has it, or it cannot be read as Markdown.
    pub fn read(&self, named: &str, section: &SectionNamed, cwd: &Path) -> Result<ReadText, Failure> {
        let settings = self.settings()?;
        let target = match settings.knowledge_base(named) {
            None if named.contains('/') || named.ends_with(".md") => Target::Path(named.to_owned()),
            _ => Target::Kb(named.to_owned()),
        };
        let found = self.resolve_target(&target, cwd, &settings)?;
        let is_there = self.disk.stat(&found.canonical)?.is_some();
        let is_same = |archived: &Managed| archived.kb == found.name && archived.values == found.values;
        let archived = self.archived(&settings).into_iter().find(is_same).map(|archived| archived.path);
        let (path, beside) = if is_there { (None, archived) } else { (archived, None) };
        let path = path.unwrap_or_else(|| found.path.clone());
        let text = self.text_at(&path, section)?;
        let archived = match beside {
            Some(document) => self.text_at(&document, section)?.map(|text| ArchivedText { document, text }),
            None => None,
        };
        let archived = archived.filter(|archived| text.as_ref() != Some(&archived.text));
        let mut waiting = operator::waiting(self.queue(), DocKey::of(&found.canonical))?;
        if let Some(last) = section.heading.last() {
            let is_about = |entry: &Entry| entry.key.heading.last() == Some(last);
            waiting.retain(|waiting| waiting.job.entries.iter().any(is_about));
        }
        Ok(ReadText {
            base: text.as_deref().map(hash),
            document: path,
            kb: found.name,
            text,
            waiting: waiting.into_iter().map(WaitingEntries::from).collect(),
            archived,
        })
    }

    /// What a file says, or a section of it.
    fn text_at(&self, path: &Path, section: &SectionNamed) -> Result<Option<String>, Failure> {
        let present = self.documents().read(&self.documents().find(path)?)?;
        let merger = Merger::open(&present.bytes).map_err(refused)?;
        match section.heading.as_slice() {
            [] => Ok(Some(merger.text().to_owned())),
            _ => section_text(section, &merger),
        }
    }

    /// The versions of a document, newest first.
    ///
    /// # Errors
    /// It is not known, or its history cannot be read.
    pub fn history(&self, named: &str, cwd: &Path) -> Result<History, Failure> {
        let document = self.known_document(named, cwd)?;
        let documents = self.documents_and_archives(&self.settings()?);
        let versions = operator::history(&documents, &document)?;
        Ok(History { document: document.path, versions })
    }

    /// What changed between two versions; from the one before the newest, and to the text of now, where they are not said.
    ///
    /// # Errors
    /// It is not known, or a version is not kept.
    pub fn diff(&self, named: &str, from: Option<u64>, to: Option<u64>, cwd: &Path) -> Result<Diff, Failure> {
        let document = self.known_document(named, cwd)?;
        let documents = &self.documents_and_archives(&self.settings()?);
        let (from, before) = text_during(documents, &document, from)?;
        let (until, after) = match to {
            Some(version) => {
                let (version, text) = text_during(documents, &document, Some(version))?;
                (format!("version {version}"), text)
            }
            None => {
                ("now".to_owned(), String::from_utf8_lossy(&documents.read(&document)?.bytes).into_owned())
            }
        };
        let name = self.short(&document.path);
        let (before, after) = comparable(&before, &after, &documents.revisions(&document)?);
        let diff =
            diff_of(&before, &after, &format!("{name} (version {from})"), &format!("{name} ({until})"));
        Ok(Diff { diff, document: document.path, from, to })
    }

    /// For each section of a document when, in which session, by which agent and why it was last written.
    ///
    /// # Errors
    /// It is not known, or it cannot be read as Markdown.
    pub fn blame(&self, named: &str, cwd: &Path) -> Result<Blame, Failure> {
        let document = self.known_document(named, cwd)?;
        let bytes = self.text_now(&document)?.bytes;
        let name = self.short(&document.path);
        let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{name} is not UTF-8 text")))?;
        let sections = markdown_merge::sections(&text).map_err(|refusal| Failure {
            hint: refusal.hint.map(Advice::Words),
            ..Failure::new(format!("{name}: {}", refusal.message))
        })?;
        let sections = operator::blame(&sections, &self.documents().revisions(&document)?);
        Ok(Blame { document: document.path, sections })
    }

    /// Puts a document back to a version, as a job. Where none is said, what the newest one changed is taken out, and what a person
    /// changed since stays. Nothing is enqueued where nothing would change, nor with `dry_run`.
    ///
    /// # Errors
    /// An agent asks, and only a person may; the version is not kept; none is said, and a person changed the same lines since; a disk
    /// error.
    pub fn rollback(
        &self,
        caller: &Caller,
        who: &Actor,
        named: &str,
        to: Option<u64>,
        dry_run: bool,
    ) -> Result<Rollback, Failure> {
        if !dry_run {
            caller.refuse_agents("roll back")?;
            self.may_review(who)?;
        }
        self.rolled_back(caller, who, named, to, &|_| !dry_run)
    }

    /// The same of who looked at what it would change before: nothing is enqueued where that is another difference by now, which
    /// `is_shown` tells.
    ///
    /// # Errors
    /// As for `rollback`.
    pub fn rollback_as_shown(
        &self,
        caller: &Caller,
        who: &Actor,
        named: &str,
        to: Option<u64>,
        is_shown: &dyn Fn(&str) -> bool,
    ) -> Result<Rollback, Failure> {
        caller.refuse_agents("roll back")?;
        self.may_review(who)?;
        self.rolled_back(caller, who, named, to, is_shown)
    }

    fn rolled_back(
        &self,
        caller: &Caller,
        who: &Actor,
        named: &str,
        to: Option<u64>,
        goes: &dyn Fn(&str) -> bool,
    ) -> Result<Rollback, Failure> {
        let settings = self.settings()?;
        let resolved = self.document(named, &caller.cwd, &settings)?;
        let document = Document { path: resolved.path.clone(), canonical: resolved.canonical.clone() };
        let restore = operator::restore(&self.documents_and_archives(&settings), &document, to)?;
        let newest = self.documents().last_revision(&document)?;
        let is_edited = newest.is_some_and(|last| last.after != documents::hash(restore.base.as_bytes()));
        let keeps_edits = to.is_none() && is_edited;
        let to = restore.version;
        let name = self.short(&document.path);
        let diff = diff_of(&restore.base, &restore.text, &name, &format!("{name} (version {to})"));
        let is_queued = |waiting: &Waiting| matches!(waiting.place, Whereabouts::Queue(state) if !matches!(state, State::Failed | State::Review));
        let waiting = operator::waiting(self.queue(), DocKey::of(&document.canonical))?;
        let waiting = waiting.iter().filter(|waiting| is_queued(waiting)).count();
        let id = match diff.is_empty() || !goes(&diff) {
            true => None,
            false => Some(self.enqueue_restore(caller, who, &resolved, restore)?),
        };
        Ok(Rollback { diff, document: document.path, id, to, keeps_edits, waiting })
    }

    /// Puts a document back to a text, as a job, with a person's yes.
    pub(crate) fn enqueue_restore(
        &self,
        caller: &Caller,
        who: &Actor,
        resolved: &Resolved,
        restore: Restore,
    ) -> Result<JobId, Failure> {
        let draft = self.rollback_draft(caller, who, resolved);
        let mut random = || self.host.random();
        let yes = (who.name.as_str(), who.channel.as_str());
        let producer = self.queue().producer();
        Ok(producer.enqueue_restore(draft, restore, &resolved.canonical, yes, self.now(), &mut random)?.id)
    }

    /// One entry that changes nothing: it says which document.
    fn rollback_draft(&self, caller: &Caller, who: &Actor, resolved: &Resolved) -> Draft {
        let key = Key { target: resolved.target(), heading: Vec::new(), level: 0 };
        let meta = Meta { reason: who.reason.clone(), ..Meta::default() };
        let entry = Entry { meta, ..Entry::no_op(key) };
        let project = self.project(&caller.cwd).filter(|project| resolved.path.starts_with(project));
        let document = DocumentRef {
            kb: resolved.name.clone(),
            doc: DocKey::of(&resolved.canonical),
            path: resolved.path.clone(),
            project,
        };
        let producer = caller.producer("rollback");
        Draft { document, entries: vec![entry], source: who.name.clone(), producer, key: None }
    }
}

impl ReadText {
    /// The text as an agent is shown it: without our comments, and without what no longer holds. The ids stay, by which it
    /// names an item.
    #[must_use]
    pub fn shown(&self) -> Option<std::borrow::Cow<'_, str>> {
        self.text.as_deref().map(markdown_merge::item::shown)
    }
}

impl ArchivedText {
    /// The same as of [`ReadText::shown`].
    #[must_use]
    pub fn shown(&self) -> std::borrow::Cow<'_, str> {
        markdown_merge::item::shown(&self.text)
    }
}

/// The section's text; `None` when it is not there.
fn section_text(section: &SectionNamed, merger: &Merger) -> Result<Option<String>, Failure> {
    let named = |found: &&markdown_merge::Section| found.heading.ends_with(&section.heading);
    let level = section.level.or_else(|| merger.sections().iter().find(named).map(|found| found.level));
    let scope = if section.subtree { Scope::Subtree } else { Scope::Own };
    let text = merger.section_text(&section.heading, level.unwrap_or(2), scope).map_err(refused)?;
    Ok(text.map(str::to_owned))
}

fn refused(refusal: Refusal) -> Failure {
    Failure { hint: refusal.hint.map(Advice::Words), ..Failure::new(refusal.message) }
}
