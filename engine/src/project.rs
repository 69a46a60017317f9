//! Which project a directory is in.

use crate::Home;
use declaration::{Declaration, Target};
use policy::family;
use policy::knowledge_base::{Root, Surroundings};
use policy::settings::Settings;
use std::path::{Path, PathBuf};

impl Home {
    /// The project a directory is in: the nearest directory above it with `.agents/` or `.git`.
    #[must_use]
    pub fn project(&self, cwd: &Path) -> Option<PathBuf> {
        let marked = |dir: &&Path| {
            [".agents", ".git"]
                .iter()
                .any(|mark| self.disk.stat(&dir.join(mark)).is_ok_and(|stat| stat.is_some()))
        };
        // The user's home directory is nobody's project, even when it is under version control.
        cwd.ancestors().take_while(|dir| *dir != self.user_home).find(marked).map(Path::to_owned)
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
                // What is said into a journal says in which project.
                kb.is_some_and(|kb| kb.root == Root::Project || family::is_dated(&kb.path))
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
