//! Which project a directory is in.

use crate::Home;
use declaration::{Declaration, Target};
use durable::Stat;
use policy::family;
use policy::knowledge_base::{Root, Surroundings};
use policy::scope;
use policy::settings::Settings;
use std::path::{Path, PathBuf};

/// What a project has in its root.
const MARKS: [&str; 2] = [".agents", ".git"];
/// The administrator, who can write everywhere anyway.
const ROOT: u32 = 0;
/// The permission bit that lets everybody write.
const WRITABLE_BY_ALL: u32 = 0o002;

impl Home {
    /// The project a directory is in: the nearest directory above it with `.agents/` or `.git`, where that is our user's or root's,
    /// or a person listed it in `projects:`. Whoever makes `.git` in a directory that others reach would else speak
    /// to every session below it.
    #[must_use]
    pub fn project(&self, cwd: &Path) -> Option<PathBuf> {
        self.marked(cwd).find(|dir| self.is_trusted(dir)).map(Path::to_owned)
    }

    /// The projects that a file lies in, the nearest first, whoever they belong to: their rules only make others stricter.
    pub(crate) fn projects_around(&self, file: &Path, settings: &Settings) -> Vec<PathBuf> {
        let dirs = file.ancestors().skip(1).take_while(|dir| *dir != self.user_home);
        let is_one = |dir: &&Path| self.marks(dir).next().is_some() || self.is_listed(settings, dir);
        dirs.filter(is_one).map(Path::to_owned).collect()
    }

    /// The projects that lie in a directory itself, of so many of its names.
    pub(crate) fn projects_in(&self, dir: &Path, names_max: usize) -> Vec<PathBuf> {
        let mut names = self.disk.list(dir).unwrap_or_default();
        names.truncate(names_max);
        let is_one = |dir: &PathBuf| {
            *dir != self.user_home && self.marks(dir).next().is_some() && self.is_trusted(dir)
        };
        names.into_iter().map(|name| dir.join(name)).filter(is_one).collect()
    }

    /// Whether a directory with a mark is a project for us.
    fn is_trusted(&self, dir: &Path) -> bool {
        self.not_ours(dir).is_none() || self.is_listed_project(dir)
    }

    /// The directory that would be the project here, but belongs to another user or is open to everybody; and which of these.
    #[must_use]
    pub fn project_of_others(&self, cwd: &Path) -> Option<(PathBuf, String)> {
        let dir = self.marked(cwd).next()?;
        let why = self.not_ours(dir)?;
        (!self.is_listed_project(dir)).then(|| (dir.to_owned(), why))
    }

    /// Directories above, the nearest first, with a mark of a project in them.
    fn marked<'a>(&'a self, cwd: &'a Path) -> impl Iterator<Item = &'a Path> {
        // The user's home directory is no project, even when it is under version control.
        cwd.ancestors()
            .take_while(|dir| *dir != self.user_home)
            .filter(|dir| self.marks(dir).next().is_some())
    }

    fn marks<'a>(&'a self, dir: &'a Path) -> impl Iterator<Item = Stat> + 'a {
        MARKS.iter().filter_map(|mark| self.disk.stat_link(&dir.join(mark)).ok().flatten())
    }

    /// Why a directory, or a mark in it, may be another user's doing.
    fn not_ours(&self, dir: &Path) -> Option<String> {
        let stat = self.disk.stat(dir).ok().flatten()?;
        let owners = std::iter::once(stat).chain(self.marks(dir));
        if let Some(other) = owners.map(|stat| stat.uid).find(|uid| *uid != ROOT && *uid != self.disk.uid()) {
            return Some(format!("it or its .git or .agents belongs to user id {other}"));
        }
        (stat.mode & WRITABLE_BY_ALL != 0).then(|| "everybody can write to it".to_owned())
    }

    /// Whether a person listed it. The settings are read only where this is asked.
    fn is_listed_project(&self, dir: &Path) -> bool {
        self.settings().is_ok_and(|settings| self.is_listed(&settings, dir))
    }

    /// The same, where one of these declarations may be about it: it costs a look into every directory above.
    pub(crate) fn project_of(
        &self,
        cwd: &Path,
        declarations: &[Declaration],
        settings: &Settings,
    ) -> Option<PathBuf> {
        let may_be = |target: &Target| match target {
            Target::Kb(name) => {
                let kb = settings.knowledge_base(family::split(name).0);
                // What is said into a journal of all projects says in which.
                kb.is_some_and(|kb| kb.root == Root::Project || scope::is_shared_journal(kb))
            }
            Target::Path(_) | Target::Url(_) | Target::Item(_) => true,
        };
        let mut entries = declarations.iter().flat_map(|declaration| &declaration.entries);
        entries.any(|entry| may_be(&entry.key.target)).then(|| self.project(cwd)).flatten()
    }

    /// Where a declaration comes from that is made in this directory, of this project.
    #[must_use]
    pub fn around<'a>(&'a self, cwd: &'a Path, project: Option<&'a Path>) -> Surroundings<'a> {
        Surroundings { home: &self.user_home, project, cwd, today: None }
    }
}
