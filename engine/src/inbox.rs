//! The inboxes: where declarations may be left as `*.md.yaml`. The home's own, and those of the projects that a person
//! listed in `config.yaml`. A file in any other directory is not taken in.

use crate::Home;
use declaration::Timestamp;
use operator::{STALLED_MS, Unlisted};
use policy::settings::Settings;
use queue_layout::{Inbox, QueueError};
use std::path::{Path, PathBuf};

/// The directory of a project that is its inbox.
const INBOX: &str = ".agents";

/// A directory that is looked into, and its project.
pub(crate) struct InboxDir {
    pub(crate) dir: PathBuf,
    /// `None` for the home's own.
    pub(crate) project: Option<PathBuf>,
}

impl Home {
    /// All of them.
    pub(crate) fn inboxes(&self, settings: &Settings) -> Vec<InboxDir> {
        let mut projects: Vec<PathBuf> =
            settings.projects.iter().map(|project| self.expand(project)).collect();
        projects.sort();
        projects.dedup();
        let of_project = |project: PathBuf| InboxDir { dir: project.join(INBOX), project: Some(project) };
        let home = InboxDir { dir: self.layout.home().to_owned(), project: None };
        std::iter::once(home).chain(projects.into_iter().map(of_project)).collect()
    }

    /// What lies in one of them.
    ///
    /// # Errors
    /// A disk error; somebody else owns the directory, or can write to it.
    pub(crate) fn inbox(&self, inbox: &InboxDir, now: Timestamp) -> Result<Inbox, QueueError> {
        self.check_inbox(inbox)?;
        self.queue().worker().inbox(&inbox.dir, now)
    }

    fn check_inbox(&self, inbox: &InboxDir) -> Result<(), QueueError> {
        match &inbox.project {
            Some(project) => self.layout.check_inbox(&*self.disk, project, &inbox.dir),
            // Every verb has checked the home.
            None => Ok(()),
        }
    }

    /// What nobody takes out of them: files that lie there for long or are refused, and directories that cannot be looked
    /// into.
    ///
    /// # Errors
    /// The machine is in trouble.
    pub fn left_in_inboxes(&self, settings: &Settings) -> Result<Vec<PathBuf>, QueueError> {
        let queue = self.queue();
        let now = self.now();
        let mut left = Vec::new();
        for inbox in self.inboxes(settings) {
            let found = self
                .check_inbox(&inbox)
                .and_then(|()| queue.worker().left_in_inbox(&inbox.dir, now, STALLED_MS));
            match found {
                Err(e) if !e.is_machine_trouble() => left.push(inbox.dir),
                other => left.extend(other?),
            }
        }
        Ok(left)
    }

    /// The declarations that lie in the project of this directory where nobody listed that project: they are not taken in.
    ///
    /// # Errors
    /// The machine is in trouble.
    pub fn unlisted_inbox(&self, settings: &Settings, cwd: &Path) -> Result<Option<Unlisted>, QueueError> {
        let Some(project) = self.project(cwd).filter(|project| !self.is_listed(settings, project)) else {
            return Ok(None);
        };
        let dir = project.join(INBOX);
        match self.queue().worker().inbox(&dir, self.now()) {
            // The project is not listed, so no message is needed for an inbox that another user owns or that cannot be read.
            Err(e) if !e.is_machine_trouble() => Ok(None),
            found => {
                let Inbox { ready, refused } = found?;
                let files = ready.len() + refused.len();
                Ok((files > 0).then_some(Unlisted { project, files }))
            }
        }
    }

    /// Whether a person listed this project: its inbox counts then.
    #[must_use]
    pub fn is_listed(&self, settings: &Settings, project: &Path) -> bool {
        let same = |listed: &Path| {
            listed == project
                || self
                    .canonicalise(listed)
                    .ok()
                    .is_some_and(|one| self.canonicalise(project).ok() == Some(one))
        };
        settings.projects.iter().any(|listed| same(&self.expand(listed)))
    }
}
