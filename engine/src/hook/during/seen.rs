//! What is looked at before and behind an agent's commands: the documents, and what decides about them.

use super::super::{Call, agent_settings, git_index};
use super::Running;
use crate::drift;
use crate::recall::managed::Managed;
use ::documents::{Document, hash};
use declaration::Timestamp;
use durable::Stat;
use policy::knowledge_base::{KnowledgeBase, Root};
use policy::settings::{Mode, Settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most documents that are noted before a command. Of families the members with the latest names are.
pub(super) const DOCUMENTS_MAX: usize = 256;
/// A copy of a document that is older than this is made again, so that it is there as long as a command runs: a day.
pub(super) const COPY_MS_MAX: u64 = 24 * 60 * 60 * 1000;
/// The largest file of settings that is compared, in bytes.
pub(super) const SETTINGS_BYTES_MAX: u64 = 4 << 20;

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenFile {
    pub(super) what: SeenAs,
    pub(super) path: PathBuf,
    pub(super) canonical: PathBuf,
    /// Its newest version then.
    #[serde(default)]
    pub(super) version: u64,
    pub(super) stat: Option<SeenStat>,
    pub(super) hash: Option<String>,
    /// The commit that was checked out in its repository, and whether that has it as it was.
    #[serde(default)]
    pub(super) commit: Option<String>,
    /// How much git had noted there of what was checked out, in bytes.
    #[serde(default)]
    pub(super) noted: Option<u64>,
    pub(super) committed: bool,
    /// Somebody committed to it when it was to be compared, so that is still to be done.
    #[serde(default)]
    pub(super) late: bool,
}

/// Why a file is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum SeenAs {
    /// The document of this target.
    Document(String),
    /// What we are told by a person: the configuration, the file that switches hooks off, what new documents begin with.
    Settings,
    /// An agent's settings, which have a hash where they call our hook.
    Hooks,
}

/// By what a file is taken for unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenStat {
    len: u64,
    modified_ms: u64,
    changed_ms: u64,
    file: (u64, u64),
}

impl From<Stat> for SeenStat {
    fn from(stat: Stat) -> SeenStat {
        let Stat { len, modified_ms, changed_ms, device, inode, .. } = stat;
        SeenStat { len, modified_ms, changed_ms, file: (device, inode) }
    }
}

impl Call<'_> {
    /// What the files of a list are now. What was seen and has the same state is not read again.
    pub(super) fn seen_now(&self, settings: Option<&Settings>, running: &Running) -> Vec<SeenFile> {
        let mut seen = Vec::new();
        for (what, path, canonical) in self.watched(settings, &running.projects) {
            let before = running.files.iter().find(|file| file.canonical == canonical && file.what == what);
            seen.push(match before.filter(|before| before.late) {
                Some(late) => late.clone(),
                None => self.seen(what, path, canonical, before),
            });
        }
        seen
    }

    /// What is to be looked at: the documents that are there, and what decides about them.
    pub(super) fn watched(
        &self,
        settings: Option<&Settings>,
        projects: &[PathBuf],
    ) -> Vec<(SeenAs, PathBuf, PathBuf)> {
        let home = self.here.home;
        let mode = |of: fn(&Settings) -> Mode| settings.map_or(Mode::Block, of);
        let mut watched = Vec::new();
        if mode(|settings| settings.guard.control) != Mode::Off {
            let layout = home.layout();
            let templates = settings.into_iter().flat_map(|settings| &settings.knowledge_bases);
            let templates = templates.filter_map(|kb| kb.template.as_deref()).map(|path| home.expand(path));
            let ours = [layout.config(), layout.disabled()].into_iter().chain(templates);
            let ours: BTreeSet<PathBuf> = ours.collect();
            let ours = ours.into_iter().map(|path| (SeenAs::Settings, path));
            let is_there = |path: &PathBuf| home.disk.stat(path).is_ok_and(|stat| stat.is_some());
            let hooks = agent_settings::users(self.here).filter(is_there).map(|path| (SeenAs::Hooks, path));
            watched.extend(ours.into_iter().chain(hooks).map(|(what, path)| {
                let canonical = self.here.canonical(&path).unwrap_or_else(|_| path.clone());
                (what, path, canonical)
            }));
        }
        if let Some(settings) = settings.filter(|settings| settings.guard.documents != Mode::Off) {
            let project = self.here.project();
            let own = home.documents_and_old_days(self.here.cwd, project.as_deref(), settings);
            let mut others: Vec<Managed> = Vec::new();
            let of_projects = |kb: &&KnowledgeBase| kb.root == Root::Project;
            for other in projects.iter().filter(|other| Some(*other) != project.as_ref()) {
                for kb in settings.knowledge_bases.iter().filter(of_projects) {
                    for managed in home.documents_of(kb, other, Some(other), settings) {
                        if own.iter().chain(&others).all(|known| known.canonical != managed.canonical) {
                            others.push(managed);
                        }
                    }
                }
            }
            let found = latest_first(own).into_iter().chain(latest_first(others)).take(DOCUMENTS_MAX);
            watched.extend(
                found.map(|managed| {
                    (SeenAs::Document(managed.name()), managed.path.clone(), managed.canonical)
                }),
            );
        }
        watched
    }

    /// A file as it is now. What cannot be looked at, or read, has no state or no hash.
    pub(super) fn seen(
        &self,
        what: SeenAs,
        path: PathBuf,
        canonical: PathBuf,
        before: Option<&SeenFile>,
    ) -> SeenFile {
        let home = self.here.home;
        let stat = home.disk.stat(&canonical).ok().flatten().map(SeenStat::from);
        let repository = match &what {
            SeenAs::Document(_) => self.checked_out(&canonical),
            _ => None,
        };
        let noted = repository.as_ref().map(|(git, _)| drift::noted(&*home.disk, git));
        let commit = repository.map(|(_, id)| id.map(|byte| format!("{byte:02x}")).concat());
        let document = Document { path, canonical };
        let fresh = Timestamp(home.now().millis().saturating_sub(COPY_MS_MAX));
        if let Some(before) = before.filter(|before| before.stat == stat && before.commit == commit) {
            let is_copied = match (&what, &before.hash) {
                (SeenAs::Document(_) | SeenAs::Settings, Some(hash)) => {
                    let len = stat.map_or(0, |stat| stat.len);
                    home.documents().has_before(&document, hash, len, fresh).unwrap_or_default()
                }
                _ => true,
            };
            if is_copied {
                return SeenFile { noted, ..before.clone() };
            }
        }
        // Before the text is read: a version that comes in between explains what is read then.
        let last = home.documents().last_revision(&document).ok().flatten();
        let version = last.map_or(0, |last| last.version);
        let hash = match &what {
            SeenAs::Hooks if !agent_settings::calls_us(self.here, &document.canonical) => None,
            SeenAs::Hooks => self.our_part_of(&document.canonical),
            _ => home.documents().keep_before(&document, fresh).unwrap_or_default(),
        };
        let committed =
            matches!(what, SeenAs::Document(_)) && self.has_committed(&document.canonical, hash.as_deref());
        let Document { path, canonical } = document;
        SeenFile { what, path, canonical, version, stat, hash, commit, noted, committed, late: false }
    }

    /// The directory of git that a file is in, and the commit that is checked out there.
    fn checked_out(&self, file: &Path) -> Option<(PathBuf, drift::ObjectId)> {
        let disk = &*self.here.home.disk;
        let git = git_index::root_of(disk, file)?.join(".git");
        let mut known = self.here.seen.heads.borrow_mut();
        let head = *known.entry(git.clone()).or_insert_with(|| drift::head_of(disk, &git));
        Some((git, head?))
    }

    /// Whether that commit has a file with this text. What is only in git's index is not kept by any commit.
    pub(super) fn has_committed(&self, file: &Path, hash: Option<&str>) -> bool {
        let text = || {
            let (git, commit) = self.checked_out(file)?;
            let name = file.strip_prefix(git.parent()?).ok()?;
            drift::committed(&*self.here.home.disk, &git, &commit, name)
        };
        hash.is_some_and(|hash| text().is_some_and(|text| ::documents::hash(text.as_bytes()) == hash))
    }

    /// Whether somebody committed a change of a file since it was seen: then it came from no other branch.
    pub(super) fn was_committed_since(&self, file: &SeenFile) -> bool {
        let committed = || {
            let (git, _) = self.checked_out(&file.canonical)?;
            let name = file.canonical.strip_prefix(git.parent()?).ok()?;
            Some(drift::has_committed_since(&*self.here.home.disk, &git, file.noted?, name))
        };
        committed().unwrap_or_default()
    }

    /// The hash of what a file of settings says of us.
    pub(super) fn our_part_of(&self, settings: &Path) -> Option<String> {
        agent_settings::our_part(self.here, settings).map(|part| hash(part.as_bytes()))
    }

    pub(super) fn hash_of(&self, path: &Path) -> Option<String> {
        let read = self.here.home.disk.read(path, SETTINGS_BYTES_MAX);
        read.ok().map(|bytes| hash(&bytes))
    }
}

/// Of families the members with the latest names come first: those are written.
fn latest_first(mut documents: Vec<Managed>) -> Vec<Managed> {
    let is_member = |of: &Managed| !of.values.is_empty();
    documents.sort_by(|one, other| {
        is_member(one).cmp(&is_member(other)).then_with(|| other.values.cmp(&one.values))
    });
    documents
}
