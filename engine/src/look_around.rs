//! What there is to look at in a home: its documents by name, its items a page at a time, its settings as they were read.

use crate::item_list::written;
use crate::output::{DocumentNow, KnowledgeBaseRead, ListedDocument, ListedItem, SettingsRead};
use crate::settings::CONFIG_BYTES_MAX;
use crate::{DEFAULT_CONFIG, Failure, Home, ItemFilter};
use markdown_merge::Merger;
use policy::knowledge_base::Policy;
use queue_layout::{DocKey, Listed, State};
use std::collections::HashSet;
use std::fmt;
use std::path::Path;

/// Of so many jobs in each state it is looked for which document they are.
const OPENED_MAX: usize = 500;

/// Where a page of items ended: behind this line of this document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPlace {
    kb: String,
    line: usize,
}

impl ItemPlace {
    /// A place as it is written: `facts:2026-02@17`.
    #[must_use]
    pub fn read(text: &str) -> Option<ItemPlace> {
        let (kb, line) = text.rsplit_once('@')?;
        Some(ItemPlace { kb: kb.to_owned(), line: line.parse().ok()? })
    }
}

impl fmt::Display for ItemPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.kb, self.line)
    }
}

impl Home {
    /// Every document that is there now, as seen from this directory.
    ///
    /// # Errors
    /// The configuration cannot be used.
    pub fn documents_here(&self, cwd: &Path) -> Result<Vec<ListedDocument>, Failure> {
        let settings = self.settings()?;
        let project = self.project(cwd);
        let title = |kb: &str| settings.knowledge_base(kb).map_or_else(String::new, |kb| kb.title.clone());
        let found = self.searched_documents(cwd, project.as_deref(), &settings);
        let document = |managed: &crate::recall::managed::Managed| ListedDocument {
            name: managed.name(),
            path: managed.path.clone(),
            title: title(&managed.kb),
        };
        Ok(found.iter().map(document).collect())
    }

    /// A document as it is now, which jobs of the queue wait to be merged into it, and which of the newest that failed or wait for a
    /// yes are for it: the names of those do not say that, so that each is opened.
    ///
    /// # Errors
    /// No knowledge base has it, or it cannot be read.
    pub fn document_now(&self, named: &str, cwd: &Path) -> Result<DocumentNow, Failure> {
        let found = self.document(named, cwd, &self.settings()?)?;
        let bytes = self.text_now(&self.documents().find(&found.path)?)?.bytes;
        let doc = DocKey::of(&found.canonical);
        let mut waiting = Vec::new();
        for state in [State::Pending, State::Deferred] {
            let jobs = self.queue().list(state)?.jobs;
            waiting.extend(jobs.iter().filter(|job| job.doc == doc).map(|job| job.id));
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (undecided, not_looked_into) = self.undecided_for(&doc)?;
        Ok(DocumentNow { name: found.name, path: found.path, text, waiting, undecided, not_looked_into })
    }

    /// The jobs for a document that failed or wait for a yes, of the newest of both; and how many were not opened.
    fn undecided_for(&self, doc: &DocKey) -> Result<(Vec<Listed>, usize), Failure> {
        let (mut found, mut left) = (Vec::new(), 0);
        for state in [State::Review, State::Failed] {
            let jobs = self.queue().list(state)?.jobs;
            left += jobs.len().saturating_sub(OPENED_MAX);
            let is_for = |listed: &Listed| {
                let job = self.queue().load(listed).ok().and_then(|found| found.job);
                job.is_some_and(|job| job.document.doc == *doc)
            };
            found.extend(jobs.into_iter().rev().take(OPENED_MAX).filter(is_for));
        }
        Ok((found, left))
    }

    /// At most so many items of the managed documents, in the order of documents and lines, from behind a place on; and the place
    /// where they end, where there are more. Documents before and after them are not read. What waits in the queue is no part of it.
    ///
    /// # Errors
    /// The filter or the configuration cannot be used.
    pub fn items_page(
        &self,
        filter: &ItemFilter,
        after: Option<&ItemPlace>,
        limit: usize,
        cwd: &Path,
    ) -> Result<(Vec<ListedItem>, Option<ItemPlace>), Failure> {
        filter.check()?;
        let settings = self.settings()?;
        let project = self.project(cwd);
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let mut begun = after.is_none();
        for managed in settings
            .knowledge_bases
            .iter()
            .flat_map(|kb| self.documents_of(kb, cwd, project.as_deref(), &settings))
        {
            // Two names of one file are one document: the first says whose it is.
            if !known.insert(managed.canonical.clone()) {
                continue;
            }
            begun |= after.is_some_and(|place| managed.name() == place.kb);
            if !begun || !filter.asks(&managed) {
                continue;
            }
            let Ok(read) = self.documents().read(&managed.document()) else { continue };
            if !filter.may_be_in(&read.bytes) {
                continue;
            }
            let Ok(merger) = Merger::open(&read.bytes) else { continue };
            let behind = after.filter(|place| place.kb == managed.name()).map_or(0, |place| place.line);
            for item in merger.items().iter().filter(|item| item.line > behind) {
                let item = written(&managed, item);
                if filter.takes(&item) {
                    found.push(item);
                }
                if found.len() > limit {
                    found.truncate(limit);
                    let last = found.last().map(|last| (last.kb.clone(), last.line.unwrap_or(0)));
                    return Ok((found, last.map(|(kb, line)| ItemPlace { kb, line })));
                }
            }
        }
        Ok((found, None))
    }

    /// The settings for who looks at them.
    ///
    /// # Errors
    /// They cannot be used.
    pub fn settings_read(&self) -> Result<SettingsRead, Failure> {
        let settings = self.settings()?;
        let file = self.disk.read(&self.layout.config(), CONFIG_BYTES_MAX).ok();
        let text = file.and_then(|bytes| String::from_utf8(bytes).ok());
        let read = |kb: &policy::knowledge_base::KnowledgeBase| KnowledgeBaseRead {
            name: kb.name.clone(),
            path: kb.path.clone(),
            title: kb.title.clone(),
            policy: match kb.policy {
                Policy::Auto => "auto",
                Policy::Review => "review",
                Policy::ReadOnly => "read-only",
            },
            budget_chars: kb.budget_chars,
        };
        Ok(SettingsRead {
            knowledge_bases: settings.knowledge_bases.iter().map(read).collect(),
            explicit_only: settings.explicit_only,
            hooks: settings.enabled,
            deciders: settings.deciders.iter().map(|of| (of.name.clone(), of.commands.clone())).collect(),
            text: text.unwrap_or_else(|| DEFAULT_CONFIG.to_owned()),
        })
    }
}
