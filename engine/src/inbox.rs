//! The inboxes: where declarations may be left as `*.md.yaml`. The home, the configured projects, and the project somebody
//! works in.

use crate::Home;
use operator::STALLED_MS;
use policy::settings::Settings;
use queue_layout::QueueError;
use std::path::{Path, PathBuf};

/// A directory that is looked into, and its project.
pub(crate) struct Inbox {
    pub(crate) dir: PathBuf,
    /// `None` for the home's own.
    pub(crate) project: Option<PathBuf>,
}

impl Home {
    /// All of them; `cwd` is in the project that counts beside those of the configuration.
    pub(crate) fn inboxes(&self, settings: &Settings, cwd: &Path) -> Vec<Inbox> {
        let configured = settings.projects.iter().map(|project| self.expand(project));
        let mut projects: Vec<PathBuf> = configured.chain(self.project(cwd)).collect();
        projects.sort();
        projects.dedup();
        let of_project = |project: PathBuf| Inbox { dir: project.join(".agents"), project: Some(project) };
        let home = Inbox { dir: self.layout.home().to_owned(), project: None };
        std::iter::once(home).chain(projects.into_iter().map(of_project)).collect()
    }

    /// What nobody takes out of them: files that lie there for long, and directories that cannot be looked into.
    ///
    /// # Errors
    /// The machine is in trouble.
    pub fn left_in_inboxes(&self, settings: &Settings, cwd: &Path) -> Result<Vec<PathBuf>, QueueError> {
        let queue = self.queue();
        let now = self.now();
        let mut left = Vec::new();
        for Inbox { dir, .. } in self.inboxes(settings, cwd) {
            match queue.worker().left_in_inbox(&dir, now, STALLED_MS) {
                Err(e) if !e.is_machine_trouble() => left.push(dir),
                other => left.extend(other?),
            }
        }
        Ok(left)
    }
}
