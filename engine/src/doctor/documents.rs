//! On which file systems the documents are, and what that takes from the promises. docs/RUNNING.md has the table.

use crate::output::{Finding, Health};
use crate::{Failure, Home};
use durable::{DiskError, FileSystem, Nature};
use policy::knowledge_base::Root;
use policy::settings::Settings;
use std::collections::BTreeMap;
use std::path::Path;

impl Home {
    /// Looks at each knowledge base whose place the configuration says; those of projects are where the projects are.
    pub(super) fn look_at_documents(&self, settings: &Settings) -> Result<Finding, Failure> {
        let mut found: BTreeMap<&'static str, (FileSystem, Vec<String>)> = BTreeMap::new();
        for base in settings.knowledge_bases.iter().filter(|base| base.root != Root::Project) {
            let fixed = base.path.split('{').next().unwrap_or_default();
            let path = match base.root {
                Root::Home => self.user_home.join(fixed),
                _ => self.expand(fixed),
            };
            let path = self.canonicalise(&path).unwrap_or(path);
            let on = self.file_system_of(&path)?;
            found.entry(on.name).or_insert((on, Vec::new())).1.push(base.name.clone());
        }
        let told: Vec<String> = found.values().filter_map(|(on, bases)| told(*on, bases)).collect();
        if told.is_empty() {
            let names: Vec<&str> =
                found.keys().copied().filter(|name| *name != FileSystem::UNKNOWN.name).collect();
            let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            return Ok(Finding::new("documents", Health::Ok, format!("on local file systems{names}")));
        }
        let hint = "docs/RUNNING.md, \"Where documents may live\", says what is promised on each";
        Ok(Finding::new("documents", Health::Note, told.join("; ")).hint(hint))
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

    /// The file system of a path, or of what there is above it.
    fn file_system_of(&self, path: &Path) -> Result<FileSystem, DiskError> {
        let there = path.ancestors().find(|dir| self.disk.stat(dir).is_ok_and(|stat| stat.is_some()));
        Ok(there.map(|dir| self.disk.file_system(dir)).transpose()?.unwrap_or(FileSystem::UNKNOWN))
    }
}

/// What is worth knowing of a file system that documents are on.
fn told(on: FileSystem, bases: &[String]) -> Option<String> {
    let what = match on.nature {
        Nature::Local | Nature::Unknown => return None,
        Nature::Layered => "they go with the container, unless its layer is kept",
        Nature::Memory => "they are gone after a restart",
        Nature::Daemon => "what is promised holds as far as the program behind it keeps it",
        Nature::Network => "what another machine saves while we merge is compared, not kept out",
        Nature::Fat => "it has no second names: before Linux 6.0 a change is refused (no_safe_replace)",
    };
    Some(format!("{} on {}: {what}", bases.join(", "), on.name))
}
