//! Where everything of a home lives. The only place that knows the names of the directories.

use crate::QueueError;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::state::State;
use crate::ownership;
use durable::{Disk, FileKind, FileSystem, Nature};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every directory of a home, parents first.
pub const HOME_DIRS: [&str; 13] = [
    "tmp",
    "pending",
    "deferred",
    "processing",
    "staging",
    "staging/failed",
    "staging/review",
    "done",
    "sessions",
    "keys",
    "history",
    "journal",
    "locks",
];

/// Directories that are made when they are first needed: approvals, holds, batches of receipts, purges, what `uninstall` puts
/// back, adoptions. An agent must not write them either.
pub const LATER_DIRS: [&str; 6] = ["approvals", "holds", "receipts", "purges", "installed", "adoptions"];

/// The ending of a declaration's name in an inbox.
pub(crate) const INBOX_ENDING: &str = ".md.yaml";

/// The ending of the name of a draft in an editor.
pub(crate) const EDIT_DRAFT: &str = ".edit.yaml";

/// How the names of folders begin that a program synchronises with other machines.
const SYNCED: [&str; 6] =
    ["Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "Nextcloud", "Mobile Documents"];

/// The paths of one home; a clone shares them.
#[derive(Debug, Clone)]
pub struct Layout {
    home: Arc<Path>,
}

impl Layout {
    /// The layout of a home; nothing is touched.
    #[must_use]
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Layout { home: home.into().into() }
    }

    /// The home itself.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// `config.yaml`.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.home.join("config.yaml")
    }

    /// `config.cache`: what `config.yaml` says, read already. Anybody may remove it.
    #[must_use]
    pub fn config_cache(&self) -> PathBuf {
        self.home.join("config.cache")
    }

    /// Where anybody may write a file, to move it into `drop_into` as a declaration.
    #[must_use]
    pub fn drop_from(&self) -> PathBuf {
        self.tmp()
    }

    /// Where a file that is moved in is a declaration.
    #[must_use]
    pub fn drop_into(&self) -> PathBuf {
        self.dir(State::Pending)
    }

    /// One path of each kind that decides what is written: to test whether a pattern, or a directory that is removed, reaches any
    /// of them. They need not exist.
    #[must_use]
    pub fn samples(&self) -> Vec<PathBuf> {
        let draft = self.tmp().join(format!("x{EDIT_DRAFT}"));
        let files = [self.config(), self.schema(), self.disabled(), draft];
        let dirs = HOME_DIRS.iter().map(|name| self.home.join(name)).filter(|dir| *dir != self.tmp());
        let inside = dirs.flat_map(|dir| ["x.json", "x.yaml", "x/x.jsonl"].map(|name| dir.join(name)));
        files.into_iter().chain(inside).collect()
    }

    /// Patterns of the paths that an agent must not write. Commands that agents run (`plan`, `flush`, `enqueue`) write to others.
    #[must_use]
    pub fn closed_to_agents(&self) -> Vec<PathBuf> {
        const DIRS: [&str; 9] = [
            "staging",
            "deferred",
            "processing",
            "history",
            "done",
            "holds",
            "purges",
            "adoptions",
            "approvals",
        ];
        let files = [self.config(), self.schema(), self.disabled()];
        files.into_iter().chain(DIRS.map(|dir| self.home.join(dir).join("**"))).collect()
    }

    /// `schema.yaml`.
    #[must_use]
    pub fn schema(&self) -> PathBuf {
        self.home.join("schema.yaml")
    }

    /// A file whose being there switches every hook off.
    #[must_use]
    pub fn disabled(&self) -> PathBuf {
        self.home.join("disabled")
    }

    /// The part of the home that belongs to `documents`.
    #[must_use]
    pub fn history(&self) -> PathBuf {
        self.home.join("history")
    }

    /// Where `install` keeps what a file said before it changed it.
    #[must_use]
    pub fn installed(&self, name: &str) -> PathBuf {
        self.home.join("installed").join(format!("{name}.json"))
    }

    /// Lock files, never unlinked.
    #[must_use]
    pub fn locks(&self) -> PathBuf {
        self.home.join("locks")
    }

    /// The lock of the one worker that drains.
    #[must_use]
    pub fn run_lock(&self) -> PathBuf {
        self.lock("run")
    }

    /// The lock of the one worker that stays and watches.
    #[must_use]
    pub fn watch_lock(&self) -> PathBuf {
        self.lock("watch")
    }

    /// Where a job is put while a person edits it.
    #[must_use]
    pub fn edit_draft(&self, id: JobId) -> PathBuf {
        self.tmp().join(format!("{id}{EDIT_DRAFT}"))
    }

    /// Whether a path has the name of such a draft.
    #[must_use]
    pub fn is_edit_draft(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains(EDIT_DRAFT))
    }

    /// Where a draft is written before it is renamed to its name.
    #[must_use]
    pub fn edit_draft_new(&self, id: JobId) -> PathBuf {
        self.tmp().join(format!("{id}{EDIT_DRAFT}.new"))
    }

    /// Checks that the home is complete, ours, and on one file system, and that nobody else decides what its configuration says.
    ///
    /// # Errors
    /// As for `check_dirs`; `NotOurs`, `OpenToOthers` of the configuration.
    pub fn check(&self, disk: &dyn Disk) -> Result<()> {
        self.check_dirs(disk)?;
        ownership::ours_or_roots(disk, &self.config())
    }

    /// Checks that the home is complete, ours, and on one file system. For callers that read the configuration as well, and so
    /// check that themselves (`check_config`).
    ///
    /// # Errors
    /// `NoHome` when it or one of its directories is missing; `ForeignFileSystem`; `NotOurs`, `OpenToOthers` when somebody
    /// else owns it, or can write to it.
    pub fn check_dirs(&self, disk: &dyn Disk) -> Result<()> {
        let home = disk
            .stat(&self.home)?
            .ok_or_else(|| QueueError::NoHome { home: self.home.to_path_buf(), missing: None })?;
        ownership::ours_alone(disk, &self.home, &home)?;
        for name in HOME_DIRS {
            let dir = self.home.join(name);
            match disk.stat(&dir)? {
                Some(stat) if stat.kind == FileKind::Directory => {
                    ownership::ours_alone(disk, &dir, &stat)?;
                    if stat.device != home.device {
                        return Err(QueueError::ForeignFileSystem { home: self.home.to_path_buf(), dir });
                    }
                }
                _ => return Err(QueueError::NoHome { home: self.home.to_path_buf(), missing: Some(dir) }),
            }
        }
        for dir in LATER_DIRS.map(|name| self.home.join(name)) {
            if let Some(stat) = disk.stat(&dir)? {
                ownership::ours_alone(disk, &dir, &stat)?;
            }
        }
        Ok(())
    }

    /// Checks that nobody but our user (and root) decides what `config.yaml` says: it may name programs to run. That it, or
    /// the home, is not there is fine.
    ///
    /// # Errors
    /// `NotOurs`, `OpenToOthers`: of the home, of the file, of what it leads to where it is a link, or of the directory that
    /// is in. A disk error.
    pub fn check_config(&self, disk: &dyn Disk) -> Result<()> {
        if let Some(home) = disk.stat(&self.home)? {
            ownership::ours_alone(disk, &self.home, &home)?;
        }
        ownership::ours_or_roots(disk, &self.config())
    }

    /// Whether a file of the home is our user's, and nobody else can write to it.
    #[must_use]
    pub fn is_ours(&self, disk: &dyn Disk, path: &Path) -> bool {
        let stat = disk.stat_link(path).ok().flatten();
        stat.is_some_and(|stat| ownership::ours(disk, path, &stat).is_ok())
    }

    /// Checks that a project's inbox (`DIR/.agents`) is a directory of ours, in a directory of ours, that nobody else can
    /// write to. One that is not there is fine.
    ///
    /// # Errors
    /// `NotOurs`, `OpenToOthers`, `InboxIsALink`; a disk error.
    pub fn check_inbox(&self, disk: &dyn Disk, project: &Path, inbox: &Path) -> Result<()> {
        let Some(stat) = disk.stat_link(inbox)? else { return Ok(()) };
        if stat.kind == FileKind::Link {
            return Err(QueueError::InboxIsALink { path: inbox.to_owned() });
        }
        ownership::ours(disk, inbox, &stat)?;
        match disk.stat(project)? {
            Some(stat) => ownership::ours(disk, project, &stat),
            None => Ok(()),
        }
    }

    /// Why this is no place for a queue, when it is none: a network file system, or a folder that a program synchronises
    /// behind our back.
    ///
    /// # Errors
    /// A disk error.
    pub fn unfit(&self, disk: &dyn Disk) -> Result<Option<String>> {
        let there = self.home.ancestors().find(|dir| disk.stat(dir).is_ok_and(|stat| stat.is_some()));
        let on = there.map(|dir| disk.file_system(dir)).transpose()?.unwrap_or(FileSystem::UNKNOWN);
        if on.nature == Nature::Network {
            return Ok(Some(format!("{} is on a network file system ({})", self.home.display(), on.name)));
        }
        let synced =
            |part: &std::ffi::OsStr| SYNCED.iter().any(|name| part.to_string_lossy().starts_with(name));
        let folder = self.home.iter().find(|part| synced(part));
        Ok(folder.map(|part| {
            format!("{} is in a synchronised folder ({})", self.home.display(), part.to_string_lossy())
        }))
    }

    pub(crate) fn dir(&self, state: State) -> PathBuf {
        self.home.join(match state {
            State::Pending => "pending",
            State::Deferred => "deferred",
            State::Processing => "processing",
            State::Failed => "staging/failed",
            State::Review => "staging/review",
            State::Done => "done",
        })
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.home.join("tmp")
    }

    pub(crate) fn holds(&self) -> PathBuf {
        self.home.join("holds")
    }

    pub(crate) fn approvals(&self) -> PathBuf {
        self.home.join("approvals")
    }

    pub(crate) fn adoptions(&self) -> PathBuf {
        self.home.join("adoptions")
    }

    pub(crate) fn purges(&self) -> PathBuf {
        self.home.join("purges")
    }

    pub(crate) fn sessions(&self) -> PathBuf {
        self.home.join("sessions")
    }

    pub(crate) fn keys(&self) -> PathBuf {
        self.home.join("keys")
    }

    pub(crate) fn journal(&self, day: &str) -> PathBuf {
        self.home.join("journal").join(format!("{day}.jsonl"))
    }

    pub(crate) fn receipts(&self) -> PathBuf {
        self.home.join("receipts")
    }

    pub(crate) fn receipts_day(&self, day: &str) -> PathBuf {
        self.receipts().join(day)
    }

    pub(crate) fn done_day(&self, day: &str) -> PathBuf {
        self.home.join("done").join(day)
    }

    pub(crate) fn worker_lock(&self, worker: &str) -> PathBuf {
        self.home.join("locks").join(format!("worker-{worker}"))
    }

    pub(crate) fn lock(&self, name: &str) -> PathBuf {
        self.home.join("locks").join(name)
    }
}
