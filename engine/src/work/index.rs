//! Generated indexes and copies: where a document's would be another one now, a job asks for it, and it is merged in the order of all
//! others.

use super::drain::Drain;
use crate::{Failure, Notice};
use declaration::{Entry, Key, Target};
use documents::Document;
use policy::knowledge_base::{self, KnowledgeBase, Resolved, Root};
use queue_layout::{DocKey, DocumentRef, Draft, INDEX_EVENT, Outcome};
use std::path::{Path, PathBuf};
use trial::ApprovedAs;

impl Drain<'_> {
    /// Asks for every index that is not as its documents are now; whether one was asked for. One that waits already (its document is
    /// held, say) is not asked for again. `warns`: whether it is said which cannot be made.
    pub(super) fn ask_for_indexes(&self, warns: bool) -> Result<bool, Failure> {
        let mut drafts = Vec::new();
        for kb in self.settings.knowledge_bases.iter().filter(|kb| kb.is_generated()) {
            for project in self.projects_of(kb) {
                drafts.extend(self.draft_of_index(kb, project.as_deref(), warns)?);
            }
        }
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

    fn draft_of_index(
        &self,
        kb: &KnowledgeBase,
        project: Option<&Path>,
        warns: bool,
    ) -> Result<Option<Draft>, Failure> {
        let home = &self.worker.home;
        let cwd = project.unwrap_or(&home.user_home);
        let (around, kbs) = (home.around(cwd, project), &self.settings.knowledge_bases);
        let canonicalise = |path: &Path| home.canonicalise(path);
        let target = Target::Kb(kb.name.clone());
        let Ok(resolved) = knowledge_base::resolve(&target, kbs, &around, &canonicalise) else {
            return Ok(None);
        };
        let document = Document { path: resolved.path.clone(), canonical: resolved.canonical.clone() };
        if !home.disk.stat(&document.canonical).is_ok_and(|stat| stat.is_some()) {
            return Ok(None);
        }
        let draft = self.asking_for(&resolved, project);
        let job = draft.clone().into_job(home.now());
        let tried = home.trial(&document, kb, self.settings).now(&[&job], ApprovedAs::Given);
        let outcome = tried.map(|mut tried| tried.merged.outcomes.pop());
        // Mostly nothing is to be done, and then nobody needs to know what waits: that is a look at all that waits for a person.
        let is_asked_for = || -> Result<bool, Failure> {
            let waiting = operator::waiting(home.queue(), DocKey::of(&document.canonical))?;
            Ok(waiting.iter().any(|waiting| waiting.job.is_index()))
        };
        match outcome {
            Ok(Some(Outcome::Applied(_))) => Ok((!is_asked_for()?).then_some(draft)),
            Ok(Some(Outcome::Failed(fault))) if warns && !self.again && !is_asked_for()? => {
                let document = home.short(&document.path);
                let what = if kb.index.is_some() { "no index" } else { "no current copy" };
                let why = format!("{document} has {what}: {}", fault.message);
                let hint = fault.hint.map_or_else(String::new, |hint| format!("; hint: {hint}"));
                (home.host.tell)(Notice::Warning(&format!("{why}{hint}")));
                Ok(None)
            }
            // What cannot be read now is looked at again by the next run.
            _ => Ok(None),
        }
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
