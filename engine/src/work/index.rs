//! Generated indexes and copies: where a document's would be another one now, a job asks for it, and it is merged in the order of all
//! others.

use super::Worker;
use super::drain::Drain;
use crate::{Failure, Notice};
use declaration::{Entry, Forgetting, Key, Target};
use documents::Document;
use markdown_merge::item::PURGED;
use markdown_merge::{Merger, Rules};
use policy::knowledge_base::{self, KnowledgeBase, Resolved, Root};
use policy::settings::Settings;
use queue_layout::{DocKey, DocumentRef, Draft, INDEX_EVENT, Outcome};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use trial::ApprovedAs;

impl Drain<'_> {
    /// Asks for every index that is not as its documents are now; whether one was asked for. One that waits already (its document is
    /// held, say) is not asked for again. `warns`: whether it is said which cannot be made.
    pub(super) fn ask_for_indexes(&self, warns: bool) -> Result<bool, Failure> {
        let stale = self.stale(warns)?;
        self.ask(stale.into_iter().filter_map(|(_, draft)| draft).collect())
    }

    /// The indexes and copies that are not as their documents are now, each with the job that asks for it; without one, where that
    /// waits already.
    fn stale(&self, warns: bool) -> Result<Vec<(Document, Option<Draft>)>, Failure> {
        let mut stale = Vec::new();
        for kb in self.settings.knowledge_bases.iter().filter(|kb| kb.is_generated()) {
            for project in self.projects_of(kb) {
                stale.extend(self.stale_index(kb, project.as_deref(), warns)?);
            }
        }
        Ok(stale)
    }

    fn ask(&self, drafts: Vec<Draft>) -> Result<bool, Failure> {
        if drafts.is_empty() {
            return Ok(false);
        }
        let home = &self.worker.home;
        let mut random = || (home.host.random)();
        home.queue().producer().enqueue(drafts, home.now(), &mut random, &mut |_| {})?;
        Ok(true)
    }

    /// The projects in which a knowledge base has a document: those that a person listed, and the one we are called in.
    fn projects_of(&self, kb: &KnowledgeBase) -> Vec<Option<PathBuf>> {
        if kb.root != Root::Project {
            return vec![None];
        }
        let home = &self.worker.home;
        let listed = self.settings.projects.iter().map(|project| home.expand(project));
        let mut projects: Vec<PathBuf> = listed.chain(home.project(&self.worker.caller.cwd)).collect();
        projects.sort();
        projects.dedup();
        projects.into_iter().map(Some).collect()
    }

    fn stale_index(
        &self,
        kb: &KnowledgeBase,
        project: Option<&Path>,
        warns: bool,
    ) -> Result<Option<(Document, Option<Draft>)>, Failure> {
        let Some((document, draft, outcome)) = self.tried(kb, project) else { return Ok(None) };
        let home = &self.worker.home;
        // Mostly nothing is to be done, and then nobody needs to know what waits: that is a look at all that waits for a person.
        let is_asked_for = || -> Result<bool, Failure> {
            let waiting = operator::waiting(home.queue(), DocKey::of(&document.canonical))?;
            Ok(waiting.iter().any(|waiting| waiting.job.is_index()))
        };
        match outcome {
            Outcome::Applied(_) => {
                let draft = (!is_asked_for()?).then_some(draft);
                Ok(Some((document, draft)))
            }
            Outcome::Failed(fault) if warns && !self.again && !is_asked_for()? => {
                let document = home.short(&document.path);
                let what = if kb.index.is_some() { "no index" } else { "no current copy" };
                let why = format!("{document} has {what}: {}", fault.message);
                let hint = fault.hint.map_or_else(String::new, |hint| format!("; hint: {hint}"));
                (home.host.tell)(Notice::Warning(&format!("{why}{hint}")));
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// What would become of an index or a copy now. What cannot be read now is looked at again by the next run.
    fn tried(&self, kb: &KnowledgeBase, project: Option<&Path>) -> Option<(Document, Draft, Outcome)> {
        let home = &self.worker.home;
        let cwd = project.unwrap_or(&home.user_home);
        let (around, kbs) = (home.around(cwd, project), &self.settings.knowledge_bases);
        let canonicalise = |path: &Path| home.canonicalise(path);
        let target = Target::Kb(kb.name.clone());
        let resolved = knowledge_base::resolve(&target, kbs, &around, &canonicalise).ok()?;
        let document = Document { path: resolved.path.clone(), canonical: resolved.canonical.clone() };
        home.disk.stat(&document.canonical).ok()??;
        let draft = self.asking_for(&resolved, project);
        let job = draft.clone().into_job(home.now());
        let tried = home.trial(&document, kb, self.settings).now(&[&job], ApprovedAs::Given);
        let outcome = tried.ok()?.merged.outcomes.pop()?;
        Some((document, draft, outcome))
    }

    /// One entry that changes nothing: it says which document.
    fn asking_for(&self, resolved: &Resolved, project: Option<&Path>) -> Draft {
        let key = Key { target: resolved.target(), heading: Vec::new(), level: 0 };
        let document = DocumentRef {
            kb: resolved.name.clone(),
            doc: DocKey::of(&resolved.canonical),
            path: resolved.path.clone(),
            project: project.map(Path::to_owned),
        };
        let producer = self.worker.caller.producer(INDEX_EVENT);
        Draft { document, entries: vec![Entry::no_op(key)], source: String::new(), producer, key: None }
    }
}

impl Worker {
    /// The copies that still say what is forgotten, or have the item, while their originals do not any more. Each is asked for.
    pub(crate) fn copies_to_renew(
        &self,
        settings: &Settings,
        item: &str,
        forgetting: &Forgetting,
    ) -> Result<Vec<Document>, Failure> {
        let settings = &*self.home.bound(settings);
        let drain = self.looking(settings);
        let has_it = |document: &Document| {
            let Ok(now) = self.home.documents().read(document) else { return false };
            let has_item = |merger: Merger| {
                let mut items = merger.items().into_iter().map(|found| found.item);
                items.any(|own| own.known_as() == item && !own.text().contains(PURGED))
            };
            forgetting.is_in(&now.bytes) || Merger::open(&now.bytes).is_ok_and(has_item)
        };
        let (mut copies, mut drafts) = (Vec::new(), Vec::new());
        for (document, draft) in drain.stale(false)?.into_iter().filter(|(document, _)| has_it(document)) {
            copies.push(document);
            drafts.extend(draft);
        }
        drain.ask(drafts)?;
        Ok(copies)
    }

    /// The copies that say it in nothing but their block, which is made anew with their original.
    pub(crate) fn copies_that_follow(&self, settings: &Settings, forgetting: &Forgetting) -> Vec<PathBuf> {
        let settings = &*self.home.bound(settings);
        let drain = self.looking(settings);
        let follows = |document: &Document, outcome: &Outcome| {
            let now = self.home.documents().read(document).ok()?;
            let mut merger = Merger::open(&now.bytes).ok()?;
            merger.replace_machine_block("", &Rules::default()).ok()?;
            Some(outcome.changes().is_some() && !forgetting.is_in(merger.text().as_bytes()))
        };
        let mut copies = Vec::new();
        for kb in settings.knowledge_bases.iter().filter(|kb| kb.copy_of.is_some()) {
            let tried = drain.projects_of(kb).into_iter().filter_map(|at| drain.tried(kb, at.as_deref()));
            let follow = tried.filter(|(document, _, outcome)| follows(document, outcome) == Some(true));
            copies.extend(follow.map(|(document, _, _)| document.path));
        }
        copies
    }

    /// What only looks, and asks: it drains nothing and warns of nothing.
    fn looking<'a>(&'a self, settings: &'a Settings) -> Drain<'a> {
        Drain {
            worker: self,
            settings,
            changed: &|| false,
            only: None,
            again: true,
            further: true,
            others: OnceLock::new(),
        }
    }
}
