//! Which documents there are: those of single knowledge bases, and the members of families that are on disk. A family may have
//! thousands of members, and an agent waits: of one that nobody asks for only the name is read.

use super::transcripts::TRANSCRIPT;
use crate::Home;
use ::recall::ItemFields;
use declaration::{Target, Trust};
use documents::{CanonicalPaths, Document};
use durable::FileKind;
use policy::confidence_note::doubt_of_remarks;
use policy::family;
use policy::knowledge_base::{self, KnowledgeBase, Surroundings};
use policy::settings::Settings;
use queue_layout::DocumentRef;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The knowledge base whose sections are of a session, so that they lose weight with time.
const SESSIONS: &str = "sessions";

/// Most members of one family that are looked at.
const MEMBERS_MAX: usize = 100_000;

/// A document of a knowledge base.
#[derive(Debug, Clone)]
pub(crate) struct Managed {
    /// Its knowledge base.
    pub(crate) kb: String,
    /// What fills the variables of that.
    pub(crate) values: Vec<String>,
    /// The same with their names.
    pub(crate) variables: Vec<(String, String)>,
    /// Where it is configured to be.
    pub(crate) path: PathBuf,
    /// The same with every link resolved.
    pub(crate) canonical: PathBuf,
    /// Below this confidence what it says is a guess.
    pub(super) mark_below: f64,
}

impl Managed {
    /// Its name as a target: `people:paulo`.
    pub(crate) fn name(&self) -> String {
        family::join(&self.kb, &self.values)
    }

    /// Where it is on disk.
    pub(crate) fn document(&self) -> Document {
        Document { path: self.path.clone(), canonical: self.canonical.clone() }
    }

    /// Whether what it says loses weight with time.
    pub(super) fn ages(&self) -> bool {
        self.kb == SESSIONS || self.kb == TRANSCRIPT
    }

    /// What there is to doubt of a part of it.
    pub(super) fn doubt(&self, item: &ItemFields) -> Option<String> {
        let kb = KnowledgeBase { mark_below: self.mark_below, ..KnowledgeBase::default() };
        let who = item.by.as_deref().and_then(Trust::parse);
        doubt_of_remarks(&kb, item.confidence, who, &item.remarks)
    }

    /// An agent's transcript, which is no document of ours.
    pub(super) fn transcript(agent: &str, path: PathBuf) -> Managed {
        let (kb, values, variables) = (TRANSCRIPT.to_owned(), vec![agent.to_owned()], Vec::new());
        // Nothing there says how sure it is.
        Managed { kb, values, variables, canonical: path.clone(), path, mark_below: 0.0 }
    }

    fn new(kb: &KnowledgeBase, values: Vec<String>, path: PathBuf, canonical: PathBuf) -> Managed {
        let names = family::variables(&kb.path).unwrap_or_default();
        let variables = names.into_iter().map(str::to_owned).zip(values.iter().cloned()).collect();
        Managed { kb: kb.name.clone(), values, variables, path, canonical, mark_below: kb.mark_below }
    }

    /// The document a job is for.
    pub(crate) fn of_job(document: &DocumentRef, settings: &Settings, user_home: &Path) -> Managed {
        let (path, canonical) = (document.path.clone(), document.path.clone());
        match settings.knowledge_base(&document.kb) {
            Some(kb) => {
                let values = knowledge_base::member_values(kb, &path, user_home).unwrap_or_default();
                Managed::new(kb, values, path, canonical)
            }
            None => {
                let (values, variables) = (Vec::new(), Vec::new());
                let mark_below = KnowledgeBase::default().mark_below;
                Managed { kb: document.kb.clone(), values, variables, path, canonical, mark_below }
            }
        }
    }
}

/// Whether a variable of a knowledge base's family may have this value: those of which not every one may are not looked for.
type MayHave<'a> = &'a dyn Fn(&KnowledgeBase, &str, &str) -> bool;

impl Home {
    /// Every document of a knowledge base that is on disk now, as seen from this directory. One that cannot be found (no
    /// project, a link that leads out of its family) is passed over.
    pub(crate) fn searched_documents(
        &self,
        cwd: &Path,
        project: Option<&Path>,
        settings: &Settings,
    ) -> Vec<Managed> {
        self.searched_of(cwd, project, settings, &|_, _, _| true)
    }

    /// The same, and the old days that lie in `archive/`: what is entered for one of them goes there.
    pub(crate) fn documents_and_old_days(
        &self,
        cwd: &Path,
        project: Option<&Path>,
        settings: &Settings,
    ) -> Vec<Managed> {
        let mut managed = self.searched_documents(cwd, project, settings);
        managed.extend(self.archived(settings));
        managed
    }

    /// The same as those, but for the members of families of which a variable may not have its value.
    pub(super) fn searched_of(
        &self,
        cwd: &Path,
        project: Option<&Path>,
        settings: &Settings,
        may_have: MayHave<'_>,
    ) -> Vec<Managed> {
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let paths = CanonicalPaths::new(self.documents());
        for (at, kb) in settings.knowledge_bases.iter().enumerate() {
            // A document that a family before has as a member that was passed over is that member here, too.
            let passed_over = |managed: &Managed| {
                settings.knowledge_bases[..at].iter().any(|before| {
                    let values =
                        || knowledge_base::member_values(before, &managed.canonical, &self.user_home);
                    let values = family::is_family(&before.path).then(values).flatten().unwrap_or_default();
                    let names = family::variables(&before.path).unwrap_or_default();
                    names.iter().zip(&values).any(|(name, value)| !may_have(before, name, value))
                })
            };
            for managed in self.resolved_of(kb, cwd, project, settings, &paths, may_have) {
                // Two names of one file are one document: the first says whose it is.
                if !passed_over(&managed) && known.insert(managed.canonical.clone()) {
                    found.push(managed);
                }
            }
        }
        found
    }

    /// Old documents of families of days that lie in `archive/`: no job reaches them, and what they say is found all the same.
    pub(crate) fn archived(&self, settings: &Settings) -> Vec<Managed> {
        let of_kb = |kb: &KnowledgeBase| -> Vec<Managed> {
            let Some((dir, file)) = knowledge_base::archive(kb, &self.user_home) else { return Vec::new() };
            let is_day = |path: &PathBuf| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| family::matched(&file, name).is_some())
            };
            let found = self.below(&dir, false, &is_day).into_iter().filter_map(|path| {
                let values = family::matched(&file, path.file_name()?.to_str()?)?;
                // What a link leads to is no document of this family.
                let is_file = self.disk.stat_link(&path).ok()??.kind == FileKind::File;
                is_file.then(|| Managed::new(kb, values, path.clone(), path))
            });
            found.collect()
        };
        settings.knowledge_bases.iter().flat_map(of_kb).collect()
    }

    /// The documents of one knowledge base that are on disk now: one, or the members of a family.
    pub(crate) fn documents_of(
        &self,
        kb: &KnowledgeBase,
        cwd: &Path,
        project: Option<&Path>,
        settings: &Settings,
    ) -> Vec<Managed> {
        self.resolved_of(kb, cwd, project, settings, &CanonicalPaths::new(self.documents()), &|_, _, _| true)
    }

    fn resolved_of(
        &self,
        kb: &KnowledgeBase,
        cwd: &Path,
        project: Option<&Path>,
        settings: &Settings,
        paths: &CanonicalPaths<'_>,
        may_have: MayHave<'_>,
    ) -> Vec<Managed> {
        let around = self.around(cwd, project);
        let canonicalise = |path: &Path| paths.of(path).map_err(|e| e.source);
        let members = match family::is_family(&kb.path) {
            true => self.members(kb, &around, &|name, value| may_have(kb, name, value)),
            // What is not there is not resolved, which takes longer than to look.
            false
                if knowledge_base::pattern(kb, &around)
                    .is_some_and(|path| !self.is_document(path.as_ref())) =>
            {
                Vec::new()
            }
            false => vec![Vec::new()],
        };
        let found = members.into_iter().filter_map(|values| {
            let target = Target::Kb(family::join(&kb.name, &values));
            let resolved =
                knowledge_base::resolve(&target, &settings.knowledge_bases, &around, &canonicalise).ok()?;
            self.is_document(&resolved.canonical)
                .then(|| Managed::new(kb, resolved.values, resolved.path, resolved.canonical))
        });
        found.collect()
    }

    fn is_document(&self, path: &Path) -> bool {
        self.disk.stat(path).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::File))
    }

    /// What fills the variables of each member of a family that has a file. What is below a directory whose name is no value
    /// that is asked for is not looked at.
    fn members(
        &self,
        kb: &KnowledgeBase,
        around: &Surroundings<'_>,
        may_have: &dyn Fn(&str, &str) -> bool,
    ) -> Vec<Vec<String>> {
        let Some(pattern) = knowledge_base::pattern(kb, around) else { return Vec::new() };
        let is_asked = |part: &str, path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str());
            let value = name.and_then(|name| family::matched(part, name)).unwrap_or_default();
            let names = family::variables(part).unwrap_or_default();
            !value.is_empty() && names.iter().zip(&value).all(|(name, value)| may_have(name, value))
        };
        let root = family::root(&pattern);
        let parts: Vec<&str> = pattern[root.len()..].split('/').filter(|part| !part.is_empty()).collect();
        let mut paths = vec![PathBuf::from(root)];
        for (depth, part) in parts.iter().enumerate() {
            paths = match family::is_family(part) {
                false => paths.into_iter().map(|path| path.join(part)).collect(),
                true => {
                    let is_asked = |path: &PathBuf| is_asked(part, path);
                    let directories = depth + 1 < parts.len();
                    paths.iter().flat_map(|path| self.below(path, directories, &is_asked)).collect()
                }
            };
            paths.truncate(MEMBERS_MAX);
        }
        paths.sort();
        paths.iter().filter_map(|path| family::matched(&pattern, path.to_str()?)).collect()
    }

    /// What stands in a directory, where it is one, and is asked for. Names beginning with a dot are nobody's value.
    fn below(&self, dir: &Path, directories: bool, is_asked: &dyn Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
        let names = self.disk.list(dir).unwrap_or_default();
        let named = names.into_iter().filter(|name| !name.as_encoded_bytes().starts_with(b"."));
        let paths = named.map(|name| dir.join(name)).filter(is_asked);
        let is_directory = |path: &PathBuf| {
            self.disk.stat(path).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::Directory))
        };
        paths.filter(|path| !directories || is_directory(path)).collect()
    }
}
