//! What a comparison finds that no merge of ours and no commit explains: written down as a version where it can be one.

use super::super::{Call, words};
use super::Running;
use super::seen::{SETTINGS_BYTES_MAX, SeenAs, SeenFile, SeenStat};
use crate::{Failure, Home};
use ::documents::{AfterCommand, BeforeCommand, Document, Documents, DuringCommand, hash};
use declaration::Timestamp;
use durable::DiskError;
use policy::settings::Settings;
use queue_layout::{Event, JournalEntry, Queue};
use std::io;
use std::path::{Path, PathBuf};

/// By so much the time of a file may lie behind the clock: those of file systems are coarse.
pub(super) const CLOCK_MS: u64 = 2000;

/// A change that a command made, or that somebody made while it ran.
pub(in crate::hook) struct Told {
    pub(in crate::hook) what: String,
    /// The target, where it is a document.
    pub(in crate::hook) document: Option<String>,
    /// Its project, where that is not the one of the event: there its target means it.
    pub(in crate::hook) project: Option<String>,
    pub(in crate::hook) version: Option<u64>,
    /// The files with what it said when the command began, or meanwhile, if that is in no version.
    pub(in crate::hook) kept: Option<String>,
}

/// What a comparison says of a file.
pub(super) enum Compared {
    /// Nothing that anybody needs to know.
    Quiet,
    Changed(Told),
    /// It cannot be said yet.
    Later,
}

impl Call<'_> {
    /// What was changed since the files were seen, written down; they are known as they are now. One that cannot be compared is, when the
    /// next event comes.
    pub(super) fn compared(
        &self,
        queue: &Queue,
        settings: Option<&Settings>,
        running: &mut Running,
        until: Option<Timestamp>,
    ) -> Vec<Told> {
        let mut told = Vec::new();
        // A worker that moves an old day to `archive/` changes nothing of it.
        let home = self.here.home;
        let documents =
            settings.map_or_else(|| home.documents().clone(), |of| home.documents_and_archives(of));
        self.add_new(settings, running);
        let seen_at = running.seen_at;
        for file in &mut running.files {
            let stat = match home.disk.stat(&file.canonical) {
                Ok(stat) => stat,
                Err(e) if may_be_looked_at_later(&e) => {
                    file.late = true;
                    continue;
                }
                // A link that leads nowhere: in a circle, or to a name that no file can have.
                Err(_) => None,
            };
            let is_later = stat.zip(until).is_some_and(|(stat, until)| stat.changed_ms > until.millis());
            if is_later && !file.late {
                continue;
            }
            let leads_to = self.here.canonical(&file.path).unwrap_or_else(|_| file.canonical.clone());
            if stat.map(SeenStat::from) == file.stat && leads_to == file.canonical {
                file.late = false;
                continue;
            }
            let compared =
                self.compared_one(queue, &documents, file, &leads_to, seen_at).unwrap_or_else(|failure| {
                    home.note_hook_failure(self.agent, &failure.sentence());
                    Compared::Later
                });
            match compared {
                Compared::Later => {
                    file.late = true;
                    continue;
                }
                Compared::Changed(changed) => {
                    self.write_down(queue, file, &changed);
                    told.push(changed);
                }
                Compared::Quiet => {}
            }
            *file = self.seen(file.what.clone(), file.path.clone(), leads_to, None);
        }
        told
    }

    /// `leads_to`: the file that its name leads to now.
    fn compared_one(
        &self,
        queue: &Queue,
        documents: &Documents,
        file: &SeenFile,
        leads_to: &Path,
        seen_at: Timestamp,
    ) -> Result<Compared, Failure> {
        match &file.what {
            // That one has other versions, or none.
            SeenAs::Document(name) if leads_to != file.canonical => {
                self.kept_aside(file, self.told_of(file, Some(name.clone())))
            }
            SeenAs::Document(name) => self.document_after(queue, documents, file, name, seen_at),
            SeenAs::Settings if self.says_the_same(file) => Ok(Compared::Quiet),
            SeenAs::Settings => self.kept_aside(file, self.told_of(file, None)),
            SeenAs::Hooks if file.hash.is_none() => Ok(Compared::Quiet),
            // An agent keeps settings of its own there, too.
            SeenAs::Hooks if self.hooks_are_on(file) => Ok(Compared::Quiet),
            SeenAs::Hooks => Ok(Compared::Changed(self.told_of(file, None))),
        }
    }

    /// Whether a file of settings says what it said; a directory in its place is there, too.
    fn says_the_same(&self, file: &SeenFile) -> bool {
        let is_there = self.here.home.disk.stat(&file.canonical).ok().flatten().is_some();
        is_there == file.stat.is_some() && self.hash_of(&file.canonical) == file.hash
    }

    /// Whether an agent's settings say of us what they said, and switch no hooks off.
    fn hooks_are_on(&self, file: &SeenFile) -> bool {
        let text = self.here.home.disk.read(&file.canonical, SETTINGS_BYTES_MAX).unwrap_or_default();
        let is_off = agents::switches_hooks_off(&String::from_utf8_lossy(&text));
        !is_off && self.our_part_of(&file.canonical) == file.hash
    }

    /// Documents that were made since the others were looked at, as such.
    fn add_new(&self, settings: Option<&Settings>, running: &mut Running) {
        // One that was not looked at need not be new: an event may come from another directory.
        if !running.whole || self.here.project().is_some_and(|project| !running.projects.contains(&project)) {
            return;
        }
        for (what, path, canonical) in self.watched(settings, &running.projects) {
            let is_known = running.files.iter().any(|file| file.canonical == canonical || file.path == path);
            let stat = self.here.home.disk.stat(&canonical).ok().flatten();
            let is_new = stat.is_some_and(|stat| stat.changed_ms + CLOCK_MS >= running.seen_at.millis());
            if matches!(what, SeenAs::Document(_)) && !is_known && is_new {
                let (version, stat, hash) = (0, None, None);
                let (commit, noted, committed, late) = (None, None, false, false);
                running.files.push(SeenFile {
                    what,
                    path,
                    canonical,
                    version,
                    stat,
                    hash,
                    commit,
                    noted,
                    committed,
                    late,
                });
            }
        }
    }

    fn document_after(
        &self,
        queue: &Queue,
        documents: &Documents,
        file: &SeenFile,
        name: &str,
        seen_at: Timestamp,
    ) -> Result<Compared, Failure> {
        let home = self.here.home;
        let git_has_it = || {
            let now = home.disk.read(&file.canonical, ::documents::DOCUMENT_BYTES_MAX).ok();
            self.has_committed(&file.canonical, now.map(|bytes| hash(&bytes)).as_deref())
        };
        // Another commit was checked out: git has both texts.
        if (file.committed || file.hash.is_none()) && git_has_it() && !self.was_committed_since(file) {
            return Ok(Compared::Quiet);
        }
        // What could not be read then is not compared with what it says now.
        if file.stat.is_some() && file.hash.is_none() {
            return Ok(Compared::Changed(self.told_of(file, Some(name.to_owned()))));
        }
        let document = Document { path: file.path.clone(), canonical: file.canonical.clone() };
        let by = DuringCommand {
            agent: self.agent.name().to_owned(),
            session: self.event.session.clone().unwrap_or_default(),
            changes: Vec::new(),
        };
        let is_settled = || {
            let intents = queue.worker().intents();
            intents.is_ok_and(|intents| intents.iter().all(|intent| intent.canonical != document.canonical))
        };
        let seen = BeforeCommand { hash: file.hash.as_deref(), version: file.version, at: seen_at };
        let after = documents.after_command(&document, seen, home.now(), &by, &is_settled)?;
        Ok(self.said_of(after, self.told_of(file, Some(name.to_owned()))))
    }

    /// A file that can have no versions: what it said before is kept, for whoever puts it back. So is a document's whose name leads
    /// elsewhere now.
    fn kept_aside(&self, file: &SeenFile, told: Told) -> Result<Compared, Failure> {
        let home = self.here.home;
        let of = Document { path: file.path.clone(), canonical: file.canonical.clone() };
        let kept = file.hash.as_ref().map(|hash| home.documents().keep_changed(&of, hash)).transpose()?;
        Ok(self.said_of(kept.unwrap_or(AfterCommand::NotKept), told))
    }

    fn said_of(&self, after: AfterCommand, told: Told) -> Compared {
        let short = |files: Vec<PathBuf>| {
            let files: Vec<String> = files.iter().map(|file| self.here.home.short(file)).collect();
            (!files.is_empty()).then(|| files.join(" and "))
        };
        match after {
            AfterCommand::Explained => Compared::Quiet,
            AfterCommand::Version(version, besides) => {
                Compared::Changed(Told { version: Some(version), kept: short(besides), ..told })
            }
            AfterCommand::Beside(files) => Compared::Changed(Told { kept: short(files), ..told }),
            AfterCommand::NotKept => Compared::Changed(told),
            AfterCommand::Busy => Compared::Later,
        }
    }

    fn told_of(&self, file: &SeenFile, document: Option<String>) -> Told {
        let home = self.here.home;
        let of = file.canonical.parent().filter(|_| document.is_some()).and_then(|dir| home.project(dir));
        let project = of.filter(|of| Some(of) != self.here.project().as_ref()).map(|of| typed(home, &of));
        Told { what: home.short(&file.path), document, project, version: None, kept: None }
    }

    /// Into the journal, for `status` and `log`.
    fn write_down(&self, queue: &Queue, file: &SeenFile, told: &Told) {
        let session = self.event.session.as_deref().unwrap_or_default();
        let by = format!("{} {session}", self.agent.name());
        let mut entry = JournalEntry::new(self.here.home.now(), Event::ChangedInCommand).by(by.trim());
        entry.document = Some(file.path.to_string_lossy().into_owned());
        let entry = entry.saying(None, words::noted_in_command(self.agent.title(), told));
        // Told all the same where it cannot be written down.
        let _ = queue.sessions().note_changed(&entry);
        let _ = queue.journal().write(&[entry]);
    }
}

/// A directory as a shell takes it.
fn typed(home: &Home, dir: &Path) -> String {
    let short = home.short(dir);
    let is_plain = |c: char| c.is_alphanumeric() || "/~._-".contains(c);
    match short.chars().all(is_plain) {
        true => short,
        false => format!("'{}'", dir.to_string_lossy().replace('\'', r"'\''")),
    }
}

/// Whether a file may be there, though nobody can say so now.
fn may_be_looked_at_later(error: &DiskError) -> bool {
    const EIO: i32 = 5;
    error.kind() == io::ErrorKind::PermissionDenied || error.source.raw_os_error() == Some(EIO)
}
