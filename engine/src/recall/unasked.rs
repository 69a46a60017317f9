//! What the documents know about a prompt, for whoever sits in front of an agent that waits: what the index has is asked as it is, no
//! lock is waited for, and where anything is in the way the answer is nothing.

use super::Source;
use super::indexed::NotIndexed;
use super::managed::Managed;
use crate::output::RecallHit;
use crate::{DEFAULT_SOUL, Home};
use ::recall::{HitFilter, SearchedDocument, Unit, UnitKind, Weights, question_of, worth_saying};
use policy::knowledge_base::{KnowledgeBase, Root};
use policy::settings::Settings;
use policy::{family, scope};
use std::path::Path;

/// How many hits are looked at: some were told before.
const LOOKED_AT: usize = 16;

impl Home {
    /// The items that are worth saying beside this prompt, the best first: of the project that `cwd` is in or of none, and not of
    /// the documents named in `known`.
    pub(crate) fn recall_unasked(
        &self,
        prompt: &str,
        cwd: &Path,
        project: Option<&Path>,
        settings: &Settings,
        known: &[String],
    ) -> Vec<RecallHit> {
        let real = project.map(|project| self.canonicalise(project).unwrap_or_else(|_| project.to_owned()));
        let here = real.map(|project| scope::name(&project, &self.user_home));
        let may_have =
            |kb: &KnowledgeBase, name: &str, value: &str| may_have(kb, name, value, here.as_deref());
        let mut managed = self.searched_of(cwd, project, settings, &may_have);
        managed.retain(|document| !known.contains(&document.kb) && !self.is_default_soul(document));
        if managed.is_empty() {
            return Vec::new();
        }
        let weights = Weights::DEFAULT;
        let query = question_of(prompt, &weights);
        if query.terms.is_empty() {
            return Vec::new();
        }
        let journals: Vec<bool> = managed.iter().map(|document| is_journal(document, settings)).collect();
        // A text of a journal does not say which project it is of; its items do.
        let may = |document: usize, unit: &Unit| {
            let is_item = unit.kind == UnitKind::Item;
            let fits =
                is_item || !journals.get(document).copied().unwrap_or(true) && unit.kind == UnitKind::Section;
            fits && scope::is_shown(unit.item.project.as_deref(), here.as_deref())
        };
        let today = self.moment().day();
        let wanted = HitFilter { all: false, may: &may, today: &today, limit: LOOKED_AT };
        match self.ask_index_at_once(&query, &weights, &wanted, &managed) {
            Ok(hits) => hits,
            Err(NotIndexed::Trouble(_)) => Vec::new(),
            // So little that it is read faster.
            Err(NotIndexed::Needless) => {
                let read = |managed: Managed| {
                    let units = ::recall::cut(&self.text_of(&managed).ok()?);
                    Some(Source { managed, units, waits: None })
                };
                // One that cannot be read still has its number.
                let sources: Vec<Option<Source>> = managed.into_iter().map(read).collect();
                let units = |source: &Option<Source>| source.as_ref().map_or(0, |source| source.units.len());
                let texts: Vec<SearchedDocument<'_>> = sources
                    .iter()
                    .map(|source| {
                        source.as_ref().map_or(SearchedDocument { units: &[], ages: false }, Source::searched)
                    })
                    .collect();
                if sources.iter().map(units).sum::<usize>() == 0 {
                    return Vec::new();
                }
                let hits = worth_saying(::recall::scan(&texts, &query, &wanted, &weights), LOOKED_AT);
                let found = hits.into_iter().filter_map(|hit| {
                    let source = sources.get(hit.document)?.as_ref()?;
                    Some(self.found(&source.managed, None, source.units.get(hit.unit)?, hit))
                });
                found.collect()
            }
        }
    }

    /// Whether a document is the text that `init` wrote, which says nothing about this user. Of a family, none is.
    fn is_default_soul(&self, document: &Managed) -> bool {
        let path = &document.canonical;
        let is_as_long = || {
            let stat = self.disk.stat(path).ok().flatten();
            stat.is_some_and(|stat| stat.len == DEFAULT_SOUL.len() as u64)
        };
        document.values.is_empty()
            && is_as_long()
            && self
                .disk
                .read(path, documents::DOCUMENT_BYTES_MAX)
                .is_ok_and(|text| text == DEFAULT_SOUL.as_bytes())
    }

    /// Reads into the index what changed since, so that a prompt finds it there: after a worker merged something. Nothing depends on
    /// it, so an error is ignored.
    pub(crate) fn keep_index_fresh(&self, cwd: &Path, settings: &Settings, is_stopped: &dyn Fn() -> bool) {
        let project = self.project(cwd);
        let managed = self.searched_documents(cwd, project.as_deref(), settings);
        let _ = self.refresh_index(&managed, settings.embeddings.as_ref(), is_stopped);
    }
}

/// Whether the documents of a family with this value may answer here: none that are of one person, event or project alone,
/// unless of this one.
fn may_have(kb: &KnowledgeBase, name: &str, value: &str, here: Option<&str>) -> bool {
    match name {
        _ if kb.root == Root::Project => true,
        family::DATE | family::MONTH => true,
        "project" => here.and_then(|here| here.rsplit('/').next()) == Some(value),
        _ => false,
    }
}

/// Whether all projects write into it.
fn is_journal(document: &Managed, settings: &Settings) -> bool {
    settings.knowledge_base(&document.kb).is_none_or(scope::is_shared_journal)
}

/// The first line of a hit, which is what an item says.
#[must_use]
pub(crate) fn line_of(hit: &RecallHit) -> &str {
    hit.text.lines().next().unwrap_or_default()
}

/// The same with what there is to doubt of it.
pub(crate) fn line_with_doubt(hit: &RecallHit) -> String {
    let line = line_of(hit);
    hit.doubt.as_ref().map_or_else(|| line.to_owned(), |doubt| format!("{line} ({doubt})"))
}

/// What a hit goes by in the log of a session: its id, or a hash of what it says.
pub(crate) fn name_of(hit: &RecallHit) -> String {
    hit.id.clone().unwrap_or_else(|| markdown_merge::item::derived_id(&hit.text))
}
