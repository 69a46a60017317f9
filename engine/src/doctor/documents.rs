//! On which file systems the documents are, and what that takes from the promises. docs/RUNNING.md has the table.

use crate::output::{Finding, Health};
use crate::recall::managed::Managed;
use crate::{Failure, Home};
use durable::{DiskError, FileSystem, Nature};
use policy::knowledge_base::{KnowledgeBase, Root};
use policy::settings::Settings;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Younger ones may be of a commit that goes on.
const LITTER_AGE_MS: u64 = 60 * 60 * 1000;

impl Home {
    /// Looks at each knowledge base whose place the configuration says; those of projects are where the projects are.
    pub(super) fn look_at_documents(&self, settings: &Settings) -> Result<Finding, Failure> {
        let mut found: BTreeMap<&'static str, (FileSystem, Vec<String>)> = BTreeMap::new();
        for kb in settings.knowledge_bases.iter().filter(|kb| kb.root != Root::Project) {
            let on = self.file_system_of(&self.fixed_place(kb))?;
            found.entry(on.name).or_insert((on, Vec::new())).1.push(kb.name.clone());
        }
        let notes: Vec<String> = found.values().filter_map(|(on, kbs)| file_system_note(*on, kbs)).collect();
        if notes.is_empty() {
            let names: Vec<&str> =
                found.keys().copied().filter(|name| *name != FileSystem::UNKNOWN.name).collect();
            let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            return Ok(Finding::new("documents", Health::Ok, format!("on local file systems{names}")));
        }
        let hint = "docs/RUNNING.md, \"Where documents may live\", says what is promised on each";
        Ok(Finding::new("documents", Health::Note, notes.join("; ")).hint(hint))
    }

    /// Days that are in their place and in `archive/`, too: which of them is the day, only a person can say.
    pub(super) fn look_at_days(&self, settings: &Settings) -> Option<Finding> {
        let twice = |archived: &Managed| {
            let archive = archived.path.parent()?;
            let path = archive.parent()?.join(archived.path.file_name()?);
            self.disk.stat_link(&path).ok()??;
            Some(format!("{} and archive/{}", self.short(&path), path.file_name()?.to_string_lossy()))
        };
        let twice: Vec<String> = self.archived(settings).iter().filter_map(twice).collect();
        let hint =
            "put what both say into the first, and remove the one in archive/; `work` moves it there again";
        (!twice.is_empty()).then(|| {
            Finding::new("days", Health::Note, format!("two of one day: {}", twice.join(", "))).hint(hint)
        })
    }

    /// Temp files of commits beside the documents that no commit of this home names: another home's, or an older version's. They
    /// may hold what somebody saved, so nobody removes them but a person.
    pub(super) fn look_at_litter(&self, settings: &Settings) -> Result<Finding, Failure> {
        let mut dirs: BTreeSet<PathBuf> = BTreeSet::new();
        for kb in settings.knowledge_bases.iter().filter(|kb| kb.root != Root::Project) {
            let place = self.fixed_place(kb);
            // Of a family it is the directory that its members are in, or above.
            let dir = if kb.path.contains('{') { Some(place.as_path()) } else { place.parent() };
            dirs.extend(dir.map(Path::to_owned));
        }
        let intents = self.queue().worker().intents()?;
        let named =
            |path: &Path| intents.iter().any(|one| one.temp == path || one.kept.as_deref() == Some(path));
        let is_old = |path: &Path| -> Result<bool, DiskError> {
            let stat = self.disk.stat_link(path)?;
            Ok(stat.is_some_and(|stat| self.now().millis().saturating_sub(stat.modified_ms) > LITTER_AGE_MS))
        };
        let mut litter = Vec::new();
        for dir in dirs {
            for path in self.documents().temps_of_all(&dir).unwrap_or_default() {
                if !named(&path) && is_old(&path)? {
                    litter.push(self.short(&path));
                }
            }
        }
        Ok(match litter.as_slice() {
            [] => Finding::new(
                "temp files beside documents",
                Health::Ok,
                "nothing of a commit is left beside a document",
            ),
            [first, ..] => {
                let said = format!("{} temp files of no commit here, e.g. {first}", litter.len());
                Finding::new("temp files beside documents", Health::Note, said).hint(
                    "another home's or an older version's: what the document lacks of them is worth keeping; then remove them",
                )
            }
        })
    }

    /// Whether what the home holds is still there after a restart.
    pub(super) fn is_kept(&self) -> Result<bool, Failure> {
        let nature = self.file_system_of(self.layout.home())?.nature;
        Ok(!matches!(nature, Nature::Memory | Nature::Layered))
    }

    /// What a file system means for a home on it, in words.
    pub(super) fn words_of_place(&self) -> Result<String, Failure> {
        let on = self.file_system_of(self.layout.home())?;
        Ok(match on.nature {
            Nature::Local => format!("a local file system ({}), synchronised by nobody", on.name),
            Nature::Memory => format!("in memory ({}): what waits is gone after a restart", on.name),
            Nature::Layered => format!("a layer of a container ({}): what waits goes with it", on.name),
            Nature::Daemon => {
                format!("a program's file system ({}): durable as far as it keeps its word", on.name)
            }
            _ => "a local file system, synchronised by nobody".to_owned(),
        })
    }

    /// Where a knowledge base's document is, or what of the path is the same for all members of a family.
    fn fixed_place(&self, kb: &KnowledgeBase) -> PathBuf {
        let fixed = kb.path.split('{').next().unwrap_or_default();
        let path = match kb.root {
            Root::Home => self.user_home.join(fixed),
            _ => self.expand(fixed),
        };
        self.canonicalise(&path).unwrap_or(path)
    }

    /// The file system of a path, or of what there is above it.
    fn file_system_of(&self, path: &Path) -> Result<FileSystem, DiskError> {
        let there = path.ancestors().find(|dir| self.disk.stat(dir).is_ok_and(|stat| stat.is_some()));
        Ok(there.map(|dir| self.disk.file_system(dir)).transpose()?.unwrap_or(FileSystem::UNKNOWN))
    }
}

/// What is worth knowing of a file system that documents are on.
fn file_system_note(on: FileSystem, kbs: &[String]) -> Option<String> {
    let what = match on.nature {
        Nature::Local | Nature::Unknown => return None,
        Nature::Layered => "they go with the container, unless its layer is kept",
        Nature::Memory => "they are gone after a restart",
        Nature::Daemon => "what is promised holds as far as the program behind it keeps it",
        Nature::Network => "what another machine saves while we merge is compared, not kept out",
        Nature::Fat => "it has no second names: before Linux 6.0 a change is refused (no_safe_replace)",
    };
    Some(format!("{} on {}: {what}", kbs.join(", "), on.name))
}
