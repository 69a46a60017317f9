//! A home that can be kept: its disk, its paths, its user and its host in one owned value, which every verb is called on.

use crate::{Failure, Host, OtherHome};
use declaration::{Timestamp, Wording};
use documents::{Document, Documents, Present};
use durable::{Disk, DiskError};
use policy::knowledge_base::{KnowledgeBase, Resolved};
use policy::reached;
use policy::settings::Settings;
use policy::time_words::Moment;
use queue_layout::{Layout, Queue};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use trial::Trial;

/// A home directory of `last-word`, and the machine it is on. Cheap to clone, may be shared between threads and kept for as
/// long as a server lives: it holds no lock and no open file.
#[derive(Debug, Clone)]
pub struct Home {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) layout: Layout,
    queue: Queue,
    documents: Documents,
    pub(crate) user_home: PathBuf,
    /// Where what can be deleted at any moment may be kept.
    pub(crate) cache: Option<PathBuf>,
    /// Homes whose rules hold too.
    pub(crate) others: Vec<OtherHome>,
    /// How often its configuration was waited for, since it could be read.
    pub(crate) config_naps: Arc<AtomicU32>,
    pub(crate) host: Host,
}

impl Home {
    /// The home in this directory, which is whole: made by `last-word init`, and the only kind that verbs work on.
    /// `user_home` is what `~` means in its configuration.
    ///
    /// # Errors
    /// It is not there, not complete, or somebody else can write to it.
    pub fn open(dir: impl Into<PathBuf>, user_home: impl Into<PathBuf>, host: Host) -> Result<Home, Failure> {
        let home = Home::on(Arc::new(crate::system::disk()), Layout::new(dir), user_home, host);
        home.check()?;
        Ok(home)
    }

    /// A home on a disk of the caller's, who is to `check` it before the first verb. Nothing is touched.
    #[must_use]
    pub fn on(disk: Arc<dyn Disk>, layout: Layout, user_home: impl Into<PathBuf>, host: Host) -> Home {
        let queue = Queue::new(Arc::clone(&disk), layout.clone()).with_wording(host.wording);
        let documents = Documents::new(Arc::clone(&disk), layout.history(), layout.locks());
        Home {
            disk,
            layout,
            queue,
            documents,
            user_home: user_home.into(),
            cache: None,
            others: Vec::new(),
            config_naps: Arc::default(),
            host,
        }
    }

    /// The same home with a directory of this user's where an index for `recall` may be kept. It is made when it is needed;
    /// without one every document is read at each question.
    #[must_use]
    pub fn with_cache(mut self, dir: impl Into<PathBuf>) -> Home {
        self.cache = Some(dir.into());
        self
    }

    /// The same home in the words of another surface.
    #[must_use]
    pub fn with_wording(mut self, wording: Wording) -> Home {
        self.host = self.host.with_wording(wording);
        self.queue = self.queue.with_wording(wording);
        self
    }

    /// Another home of the same user on the same machine. Nothing is touched.
    #[must_use]
    pub fn another(&self, dir: &Path) -> Home {
        Home::on(Arc::clone(&self.disk), Layout::new(dir), self.user_home.clone(), self.host.clone())
    }

    /// Whether it is whole, and nobody but its user can write to it or decides what its configuration says. The verbs take
    /// that for granted, and do not look again.
    ///
    /// # Errors
    /// As for `open`.
    pub fn check(&self) -> Result<(), Failure> {
        Ok(self.layout.check(&*self.disk)?)
    }

    /// The same before a verb that reads the settings, and so looks at the configuration itself: an agent waits for each look.
    ///
    /// # Errors
    /// As for `open`.
    pub fn check_dirs(&self) -> Result<(), Failure> {
        Ok(self.layout.check_dirs(&*self.disk)?)
    }

    /// Its queue. Surfaces call verbs instead.
    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The documents' history and locks.
    #[must_use]
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The same for who only looks: a day that was moved to `archive/` is read there.
    pub(crate) fn documents_and_archives(&self, settings: &Settings) -> Documents {
        let archives = policy::knowledge_base::archives(&settings.knowledge_bases, &self.user_home);
        self.documents.and_archives(archives)
    }

    /// What a document says now, also one that was moved to `archive/`.
    pub(crate) fn text_now(&self, found: &Document) -> Result<Present, Failure> {
        let present = self.documents.read(found)?;
        match present.stat {
            Some(_) => Ok(present),
            // Only then: whoever declares waits for the settings to be read.
            None => Ok(self.documents_and_archives(&self.settings()?).read(found)?),
        }
    }

    /// What jobs would make of a document, as things are. Starts no program.
    #[must_use]
    pub fn trial<'a>(
        &'a self,
        document: &'a Document,
        kb: &'a KnowledgeBase,
        settings: &Settings,
    ) -> Trial<'a> {
        let (documents, user_home) = (&self.documents, self.user_home.as_path());
        let snapshots = settings.retention.snapshots;
        let queue = &self.queue;
        Trial { documents, queue, document, kb, user_home, snapshots, rewritten: false }
    }

    /// The knowledge base of a document, with what is stricter in others that lead to the same file now. `project`: the
    /// one that the document was named in.
    #[must_use]
    pub fn strictest<'s>(
        &self,
        settings: &'s Settings,
        name: &str,
        document: &Document,
        project: Option<&Path>,
    ) -> Option<Cow<'s, KnowledgeBase>> {
        let kbs = settings.knowledge_bases.as_slice();
        let index = kbs.iter().position(|kb| kb.name == name)?;
        let (path, canonical) = (document.path.clone(), document.canonical.clone());
        let found = Resolved { index, name: name.to_owned(), path, canonical, values: Vec::new() };
        let around = self.around(&self.user_home, project);
        let same_file = |one: &Path, other: &Path| self.documents.is_same_file(one, other);
        let canonicalise = |path: &Path| self.canonicalise(path);
        let projects = |file: &Path| self.projects_around(file, settings);
        let is_there = |path: &Path| !self.documents.is_absent(path);
        let today = self.now().day();
        let as_archived = |kb: &KnowledgeBase, path: &Path| {
            policy::knowledge_base::as_archived(kb, &self.user_home, path, &today, &is_there)
        };
        let others =
            reached::stricter(&found, kbs, &around, &canonicalise, &same_file, &projects, &as_archived);
        Some(reached::strictest(kbs, index, &others))
    }

    /// The disk it is on.
    #[must_use]
    pub fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// Its paths.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The home directory of its user: `~`.
    #[must_use]
    pub fn user_home(&self) -> &Path {
        &self.user_home
    }

    /// The machine it is on.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.host.now()
    }

    /// The day it is for whoever speaks here.
    #[must_use]
    pub fn moment(&self) -> Moment {
        self.moment_at(None)
    }

    /// The day it is, or was at a given time, for whoever speaks here; by the zone of now.
    #[must_use]
    pub fn moment_at(&self, at: Option<Timestamp>) -> Moment {
        let east_min = (self.host.offset_min)();
        Moment::new(at.unwrap_or_else(|| self.now()), east_min)
    }

    /// A moment as a clock on the wall here says it: `2026-11-22 14:03:07`, by the zone of now.
    #[must_use]
    pub fn wall_clock(&self, at: Timestamp) -> String {
        let east_ms = i64::from((self.host.offset_min)()) * 60_000;
        let shifted = Timestamp(at.millis().saturating_add_signed(east_ms)).to_string();
        shifted.chars().take(19).map(|c| if c == 'T' { ' ' } else { c }).collect()
    }

    /// A path with every link resolved, also of a document that is not there yet.
    ///
    /// # Errors
    /// A disk error.
    pub fn canonicalise(&self, path: &Path) -> std::io::Result<PathBuf> {
        self.documents().canonical(path).map_err(|e| e.source)
    }

    /// Its path quoted for a shell, where a command that names no home would use another one; else `None`.
    #[must_use]
    pub fn to_be_named(&self) -> Option<String> {
        let named = self.layout.home();
        let without = (self.host.home_without_option)()?;
        let canonical = |path: &Path| self.canonicalise(path).unwrap_or_else(|_| path.to_owned());
        let same = without == named || canonical(&without) == canonical(named);
        (!same).then(|| declaration::quoted(&named.display().to_string()))
    }

    /// A path as a person writes it: with `~`.
    #[must_use]
    pub fn short(&self, path: &Path) -> String {
        let text = match path.strip_prefix(&self.user_home) {
            Ok(rest) => Path::new("~").join(rest).display().to_string(),
            Err(_) => path.display().to_string(),
        };
        // A name may have a line's end in it, and would break the line that shows it.
        if !text.contains(char::is_control) {
            return text;
        }
        let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        text.chars().map(escaped).collect()
    }

    /// A path of the configuration: `~/` is the user's home directory.
    #[must_use]
    pub fn expand(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.user_home.join(rest),
            None => PathBuf::from(path),
        }
    }

    /// The workers and operators at work now.
    ///
    /// # Errors
    /// A disk error.
    pub fn working(&self) -> Result<Vec<String>, Failure> {
        let queue = self.queue();
        let mut working = Vec::new();
        for worker in queue.claimants()? {
            if queue.is_alive(&worker)? {
                working.push(worker);
            }
        }
        Ok(working)
    }

    /// Whether one that stays watches it.
    ///
    /// # Errors
    /// A disk error.
    pub fn is_watched(&self) -> Result<bool, DiskError> {
        Ok(self.disk.try_lock(&self.layout.watch_lock())?.is_none())
    }
}
