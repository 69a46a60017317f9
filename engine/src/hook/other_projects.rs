//! The projects that a tool call reaches beside the one its session is in: an agent that was started one directory up, or that works in
//! two repositories, writes into them as well.

use super::Here;
use agents::How;
use policy::family;
use policy::knowledge_base::Root;
use policy::settings::Settings;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// In how many directories a project is looked for: a line may name a thousand files, and its agent waits.
const DIRS_MAX: usize = 64;
/// How many names of a directory above projects are looked at.
const BELOW_MAX: usize = 256;

/// The roots of the other projects in which a document may be changed: `changes` are paths, and how far each reaches. Only what may
/// have a document's name is looked at on the disk: most calls change none.
pub(super) fn reached<'w>(
    here: Here<'_>,
    settings: &Settings,
    changes: impl Iterator<Item = (How, &'w Path)>,
) -> BTreeSet<PathBuf> {
    let names = DocumentNames::of(settings);
    let reaches = changes.filter_map(|(how, path)| Reach::of(how, path, &names));
    let reaches: BTreeSet<Reach<'_>> = reaches.take(DIRS_MAX).collect();
    let mut found = BTreeSet::new();
    for reach in &reaches {
        match here.home.project(reach.dir) {
            Some(root) => drop(found.insert(root)),
            None if reach.below => found.extend(below(here, settings, reach.dir)),
            None => {}
        }
    }
    if let Some(own) = here.project() {
        found.remove(&own);
    }
    found
}

/// A directory in which a change may reach a document.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Reach<'w> {
    dir: &'w Path,
    /// Whether that may be anywhere below it.
    below: bool,
}

impl<'w> Reach<'w> {
    fn of(how: How, path: &'w Path, names: &DocumentNames<'_>) -> Option<Reach<'w>> {
        let dir = match how {
            How::Gone => path,
            How::Here if !names.may_be(path) => return None,
            How::Here | How::Below | How::GoneBelow => path.parent()?,
        };
        // The last directory whose name is known from the text.
        let known = dir.ancestors().find(|dir| !dir.to_str().is_none_or(is_open))?;
        Some(Reach { dir: known, below: how != How::Here || known != dir })
    }
}

/// The projects below a directory that is in none, as far as they are known: those that a person listed, and those in the directory
/// itself.
fn below(here: Here<'_>, settings: &Settings, dir: &Path) -> Vec<PathBuf> {
    let listed = settings.projects.iter().map(|listed| here.home.expand(listed));
    listed.filter(|root| root.starts_with(dir)).chain(here.home.projects_in(dir, BELOW_MAX)).collect()
}

/// Whether a name is a pattern, or not known from the text.
fn is_open(name: &str) -> bool {
    name.contains(['*', '?', '[', '$', '`'])
}

/// What the documents of a project are called.
struct DocumentNames<'s>(Vec<&'s str>);

impl<'s> DocumentNames<'s> {
    fn of(settings: &'s Settings) -> DocumentNames<'s> {
        let of_projects = settings.knowledge_bases.iter().filter(|kb| kb.root == Root::Project);
        DocumentNames(of_projects.filter_map(|kb| kb.path.rsplit('/').next()).collect())
    }

    /// Whether a file is called so, as far as the text tells; of a family each name may be one.
    fn may_be(&self, file: &Path) -> bool {
        let Some(file) = file.file_name().map(|name| name.to_string_lossy()) else { return false };
        let is_open = is_open(&file);
        self.0.iter().any(|name| is_open || family::is_family(name) || file == *name)
    }
}
