//! What jobs would make of their document: its text or its template, policy, the waiver of a budget on approval,
//! confidence marks, base texts, the merge, the stamp, rollbacks, and one last look at the whole. The worker commits
//! this text and every preview shows it, so that a preview cannot differ from what the worker writes. Writes
//! nothing and starts no program.

mod copy;
mod declared;
mod index;
mod made_before;
mod merge;
mod oldest;
mod provenance;
mod restore;
pub mod said;
mod since;
mod stamp;
mod template;

pub use copy::is_copy;
use declaration::Fault;
pub use declared::{UNKNOWN, is_nothing, leads, may_take_out, seen, seen_in};
pub use index::index_of;
pub use made_before::seen_to_replace;
pub use merge::Merged;
pub use since::Since;

use documents::{Document, DocumentError, Documents};
use markdown_merge::Merger;
use policy::knowledge_base::{self, KnowledgeBase, Root};
use queue_layout::{Job, Outcome, Queue};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A document that jobs are tried on.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// Where its text and its earlier versions are read.
    pub documents: &'a Documents,
    /// Where other jobs are read, of which a job says something.
    pub queue: &'a Queue,
    /// The document.
    pub document: &'a Document,
    /// Its knowledge base.
    pub kb: &'a KnowledgeBase,
    /// The user's home directory (`~`), for the template.
    pub user_home: &'a Path,
    /// Earlier versions that are kept, where the knowledge base does not say.
    pub snapshots: u32,
    /// Whether the knowledge base's rewriter has seen the jobs. A preview starts no program: it leaves open what a
    /// rewriter would have done, and judges relative words only where no rewriter is configured.
    pub rewritten: bool,
}

/// Whether the jobs are taken as approved by a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovedAs {
    /// Each job as it is: approved when it says who approved it.
    Given,
    /// All of them approved: what a yes to a proposal would make.
    IfApproved,
}

/// A trial on the document as it is now.
#[derive(Debug, Clone)]
pub struct Tried {
    /// What the document says now; empty when there is none.
    pub before: Vec<u8>,
    /// What the jobs make of it.
    pub merged: Merged,
}

impl Trial<'_> {
    /// Where a path of the knowledge base's settings begins that is relative to its root.
    fn root_of(&self, job: &Job) -> PathBuf {
        match self.kb.root {
            Root::Project => job.document.project.clone().unwrap_or_default(),
            Root::Home => self.user_home.to_owned(),
            Root::None => PathBuf::from("/"),
        }
    }

    /// Whether a path that a person named leads, by links, out of what this document and it share. Who can write into a repository
    /// can put a link there, and what it leads to would be copied into a document that others read.
    fn leads_out(&self, named: &Path) -> bool {
        let shared = named.ancestors().skip(1).find(|above| self.document.path.starts_with(above));
        let beside = named.parent();
        let Ok(found) = self.documents.canonical(named) else { return true };
        [shared, beside]
            .into_iter()
            .flatten()
            .any(|dir| self.documents.canonical(dir).map_or(true, |dir| !found.starts_with(dir)))
    }

    /// The text the jobs are merged onto: the document's, or the template of one that is not there yet (`None`).
    ///
    /// # Errors
    /// `template_unreadable`: it may be there later.
    pub fn start(&self, present: Option<Arc<Vec<u8>>>) -> Result<Arc<Vec<u8>>, Fault> {
        present.map_or_else(|| template::text(self).map(Arc::new), Ok)
    }

    /// Merges jobs onto a text, in their order.
    #[must_use]
    pub fn merge(&self, onto: &[u8], jobs: &[&Job], approved_as: ApprovedAs) -> Merged {
        merge::merge_jobs(self, onto, jobs, approved_as)
    }

    /// Merges jobs onto the document as it is now. Where its template cannot be read, that is the outcome of each job.
    ///
    /// # Errors
    /// The document cannot be read.
    pub fn now(&self, jobs: &[&Job], approved_as: ApprovedAs) -> Result<Tried, DocumentError> {
        let archives = knowledge_base::archive(self.kb, self.user_home).map(|(archive, _)| archive);
        let present = self.documents.and_archives(archives).read(self.document)?;
        let before = Arc::new(present.bytes);
        let merged = match self.start(present.stat.map(|_| Arc::clone(&before))) {
            Ok(onto) => match self.merge(&onto, jobs, approved_as) {
                // Nothing to commit: a template alone makes no document.
                Merged { text, outcomes } if text == *onto => Merged { text: before.to_vec(), outcomes },
                merged => merged,
            },
            Err(error) => Merged {
                text: before.to_vec(),
                outcomes: jobs.iter().map(|_| Outcome::Retry(error.clone())).collect(),
            },
        };
        Ok(Tried { before: Arc::unwrap_or_clone(before), merged })
    }

    /// The section text that a `base` hash stands for, where a version that is still kept has it.
    #[must_use]
    pub fn section_of(&self, wanted: &str) -> Option<String> {
        let back = self.kb.snapshots.unwrap_or(self.snapshots);
        self.documents.section_seen(self.document, wanted, back).ok().flatten()
    }

    /// Whether this is so of a text that the document had before one of the versions that are kept.
    fn any_kept(&self, is_so: &dyn Fn(&Merger) -> bool) -> bool {
        let oldest = self.documents.oldest_kept(self.document).ok().flatten();
        let versions = self.documents.versions_back_to(self.document, oldest).unwrap_or_default();
        versions.iter().rev().any(|version| {
            let text = self.documents.before(self.document, version.version).ok().flatten();
            text.and_then(|text| Merger::open(&text).ok()).is_some_and(|merger| is_so(&merger))
        })
    }
}
