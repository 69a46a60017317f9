//! What was changed past the queue while commands of an agent ran. The guard reads the text of a line and cannot know all that it
//! starts; so what the documents say is noted before, and compared after: by the hook behind the tool where the agent has one, else
//! when its next tool is wanted, or its turn ends. What changed is told to the session, to `history` and to `status`. Nothing is put back by itself:
//! a person may have saved at that moment.

use super::git_index;
use super::{Call, agent_settings, words};
use crate::recall::managed::Managed;
use crate::{Failure, drift};
use ::documents::{AfterCommand, Document, Documents, DuringCommand, hash};
use agents::{Reply, ToolCall};
use declaration::Timestamp;
use durable::Stat;
use policy::settings::{Mode, Settings};
use queue_layout::{Event, JournalEntry, Queue, Session};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Most documents that are noted before a command. Of families the members with the latest names are.
const DOCUMENTS_MAX: usize = 256;
/// A call of which nothing was heard for so long has ended without a word: not every agent tells of one that failed.
const CALL_MS_MAX: u64 = 6 * 60 * 60 * 1000;
/// The same when a person speaks: nearly every command has ended by then, and they may have written since.
const CALL_BESIDE_PROMPT_MS_MAX: u64 = 10 * 60 * 1000;
/// The same for one that was left to run by itself: nobody tells its end.
const LEFT_BEHIND_MS_MAX: u64 = 60 * 60 * 1000;
/// A copy of a document that is older than this is made again, so that it is there as long as a command runs: a day.
const COPY_MS_MAX: u64 = 24 * 60 * 60 * 1000;
/// By so much the time of a file may lie behind the clock: those of file systems are coarse.
const CLOCK_MS: u64 = 2000;
/// So many projects of a session are looked at.
const PROJECTS_MAX: usize = 8;
/// The largest file of settings that is compared, in bytes.
const SETTINGS_BYTES_MAX: u64 = 4 << 20;

/// What is known of a session's commands, and of the files that one of them may change.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Running {
    calls: Vec<RunningCall>,
    files: Vec<SeenFile>,
    /// Whether every document that there was is among the files.
    #[serde(default)]
    whole: bool,
    /// When they were looked at.
    #[serde(default)]
    seen_at: Timestamp,
    /// The projects that the session has worked in, the newest last: a command may go elsewhere and write here.
    #[serde(default)]
    projects: Vec<PathBuf>,
    /// What was found, and nobody could be told yet.
    #[serde(default)]
    untold: String,
}

impl Running {
    /// Forgets calls of which nothing was heard for so long that they have ended.
    fn forget_ended(&mut self, now: Timestamp, ms_max: u64) {
        self.calls.retain(|call| {
            now.since_ms(call.began) < if call.is_left_behind { LEFT_BEHIND_MS_MAX } else { ms_max }
        });
    }

    fn told(&mut self) -> Option<String> {
        Some(std::mem::take(&mut self.untold)).filter(|text| !text.is_empty())
    }

    /// Whether something may have changed that is to be told.
    fn is_due(&self) -> bool {
        self.calls.iter().any(|call| !call.is_over) || self.files.iter().any(|file| file.late)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct RunningCall {
    id: String,
    began: Timestamp,
    /// It goes on behind its hook.
    #[serde(default)]
    is_left_behind: bool,
    /// Its turn ended: only a hook behind it can say that it still ran.
    #[serde(default)]
    is_over: bool,
}

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SeenFile {
    what: SeenAs,
    path: PathBuf,
    canonical: PathBuf,
    /// Its newest version then.
    #[serde(default)]
    version: u64,
    stat: Option<SeenStat>,
    hash: Option<String>,
    /// The commit that was checked out in its repository, and whether that has it as it was.
    #[serde(default)]
    commit: Option<String>,
    committed: bool,
    /// Somebody committed to it when it was to be compared, so that is still to be done.
    #[serde(default)]
    late: bool,
}

/// Why a file is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum SeenAs {
    /// The document of this target.
    Document(String),
    /// What we are told by a person: the configuration, the file that switches hooks off.
    Settings,
    /// An agent's settings, which have a hash where they call our hook.
    Hooks,
}

/// By what a file is taken for unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct SeenStat {
    len: u64,
    modified_ms: u64,
    changed_ms: u64,
    file: (u64, u64),
}

impl From<Stat> for SeenStat {
    fn from(stat: Stat) -> SeenStat {
        let Stat { len, modified_ms, changed_ms, device, inode, .. } = stat;
        SeenStat { len, modified_ms, changed_ms, file: (device, inode) }
    }
}

/// A change that a command made, or that somebody made while it ran.
pub(super) struct Told {
    pub(super) what: String,
    /// The target, where it is a document.
    pub(super) document: Option<String>,
    pub(super) version: Option<u64>,
    /// Where what it said before is, if it is no version.
    pub(super) kept: Option<String>,
}

/// What a comparison says of a file.
enum Compared {
    /// Nothing that anybody needs to know.
    Quiet,
    Changed(Told),
    /// It cannot be said yet.
    Later,
}

impl Call<'_> {
    /// Notes what the documents say before a command runs. Answers what was changed since the one before, where no hook was called
    /// behind that, if it can be said here.
    pub(super) fn command_begins(
        &self,
        call: &ToolCall,
        can_be_told: bool,
    ) -> Result<Option<String>, Failure> {
        if !agents::may_write_unseen(call) {
            return Ok(None);
        }
        let settings = match self.settings() {
            Ok(None) => return Ok(None),
            Ok(settings) => settings,
            Err(_) => None,
        };
        let queue = self.queue()?;
        let Some((session, _held)) = self.session(queue)? else { return Ok(None) };
        let mut running: Running = session.running()?.unwrap_or_default();
        let now = self.here.home.now();
        self.add_projects(&session, &mut running)?;
        if running.is_due() {
            self.compare(queue, settings.as_ref(), &mut running);
        }
        running.forget_ended(now, CALL_MS_MAX);
        let (id, is_left_behind) = (self.id_of(call), call.is_left_behind);
        running.calls.push(RunningCall { id, began: now, is_left_behind, is_over: false });
        running.files = self.seen_now(settings.as_ref(), &running);
        running.seen_at = now;
        let compares = |settings: &Settings| settings.guard.documents != Mode::Off;
        let is_document = |file: &&SeenFile| matches!(file.what, SeenAs::Document(_));
        let documents = running.files.iter().filter(is_document).count();
        running.whole = settings.as_ref().is_some_and(compares) && documents < DOCUMENTS_MAX;
        let told = if can_be_told { running.told() } else { None };
        session.keep_running(&running, now)?;
        Ok(told)
    }

    /// The project of the event; at first also those that the session was in before it ran any command.
    fn add_projects(&self, session: &Session, running: &mut Running) -> Result<(), Failure> {
        let log = if running.projects.is_empty() { session.log()? } else { Vec::new() };
        let before = log.into_iter().filter_map(|noted| noted.who?.project);
        for project in before.chain(self.here.project()) {
            if !running.projects.contains(&project) {
                running.projects.push(project);
                // Its documents are not new because they were not looked at.
                running.whole = false;
            }
        }
        let more = running.projects.len().saturating_sub(PROJECTS_MAX);
        running.projects.drain(..more);
        Ok(())
    }

    /// Compares what the documents say after a command with what they said before.
    pub(super) fn command_ended(&self, call: &ToolCall) -> Result<Option<Reply>, Failure> {
        let id = self.id_of(call);
        let told = self.compared_where(true, |running| {
            let Some(at) = running.calls.iter().position(|call| call.id == id) else { return false };
            // Of two that are told by the same words one has ended.
            if !running.calls[at].is_left_behind {
                running.calls.remove(at);
            }
            true
        })?;
        Ok(told.map(Reply::Context))
    }

    /// The same when a turn ends, or the session: by then every command of it has, but those that are left to run. It is told when the session can
    /// be told something.
    pub(super) fn commands_ended(&self) {
        let ended = self.compared_where(false, |running| {
            let is_due = running.is_due();
            running.calls.iter_mut().for_each(|call| call.is_over = !call.is_left_behind);
            is_due
        });
        self.or_noted(ended);
    }

    /// The same when a person speaks, where a command may still run, or was interrupted: then no hook was called behind it.
    pub(super) fn commands_so_far(&self, queue: &Queue, session: &Session) -> Option<String> {
        let compared = || {
            let Some(mut running) = session.running::<Running>()? else { return Ok(None) };
            let now = self.here.home.now();
            if running.is_due() {
                self.compare(queue, self.settings().ok().flatten().as_ref(), &mut running);
            } else if running.untold.is_empty() {
                return Ok(None);
            }
            running.forget_ended(now, CALL_BESIDE_PROMPT_MS_MAX);
            let told = running.told();
            session.keep_running(&running, now)?;
            Ok(told)
        };
        self.or_noted(compared())
    }

    /// What cannot be compared keeps nothing else from being done.
    fn or_noted(&self, compared: Result<Option<String>, Failure>) -> Option<String> {
        compared.unwrap_or_else(|failure| {
            self.here.home.note_hook_failure(self.agent, &failure.sentence());
            None
        })
    }

    fn compared_where(
        &self,
        can_be_told: bool,
        is_due: impl FnOnce(&mut Running) -> bool,
    ) -> Result<Option<String>, Failure> {
        let queue = self.queue()?;
        let Some((session, _held)) = self.session(queue)? else { return Ok(None) };
        let Some(mut running) = session.running::<Running>()? else { return Ok(None) };
        let now = self.here.home.now();
        running.forget_ended(now, CALL_MS_MAX);
        if !is_due(&mut running) {
            return Ok(None);
        }
        self.compare(queue, self.settings().ok().flatten().as_ref(), &mut running);
        let told = if can_be_told { running.told() } else { None };
        session.keep_running(&running, now)?;
        Ok(told)
    }

    /// Compares now; what was found is to be told.
    fn compare(&self, queue: &Queue, settings: Option<&Settings>, running: &mut Running) {
        let told = self.compared(queue, settings, running);
        if !told.is_empty() {
            let text = words::changed_in_command(&self.here.command(), &told);
            running.untold = [std::mem::take(&mut running.untold), text].join("\n").trim_start().to_owned();
        }
    }

    /// By what two events are known to be of one call: as the agent names it, else by what the call is.
    fn id_of(&self, call: &ToolCall) -> String {
        self.event.call.clone().unwrap_or_else(|| hash(format!("{call:?}").as_bytes()))
    }

    /// What the files of a list are now. What was seen and has the same state is not read again.
    fn seen_now(&self, settings: Option<&Settings>, running: &Running) -> Vec<SeenFile> {
        let mut seen = Vec::new();
        for (what, path, canonical) in self.watched(settings, &running.projects) {
            let before = running.files.iter().find(|file| file.canonical == canonical && file.what == what);
            seen.push(match before.filter(|before| before.late) {
                Some(late) => late.clone(),
                None => self.seen(what, path, canonical, before),
            });
        }
        seen
    }

    /// What is to be looked at: the documents that are there, and what decides about them.
    fn watched(&self, settings: Option<&Settings>, projects: &[PathBuf]) -> Vec<(SeenAs, PathBuf, PathBuf)> {
        let home = self.here.home;
        let mode = |of: fn(&Settings) -> Mode| settings.map_or(Mode::Block, of);
        let mut watched = Vec::new();
        if mode(|settings| settings.guard.control) != Mode::Off {
            let layout = home.layout();
            let ours = [layout.config(), layout.disabled()].map(|path| (SeenAs::Settings, path));
            let is_there = |path: &PathBuf| home.disk.stat(path).is_ok_and(|stat| stat.is_some());
            let hooks = agent_settings::users(self.here).filter(is_there).map(|path| (SeenAs::Hooks, path));
            watched.extend(ours.into_iter().chain(hooks).map(|(what, path)| {
                let canonical = self.here.canonical(&path).unwrap_or_else(|_| path.clone());
                (what, path, canonical)
            }));
        }
        if let Some(settings) = settings.filter(|settings| settings.guard.documents != Mode::Off) {
            let project = self.here.project();
            let mut found = home.searched_documents(self.here.cwd, project.as_deref(), settings);
            for other in projects.iter().filter(|other| Some(*other) != project.as_ref()) {
                let there = home.searched_documents(other, Some(other), settings);
                let is_new = |one: &Managed| found.iter().all(|known| known.canonical != one.canonical);
                let new: Vec<Managed> = there.into_iter().filter(is_new).collect();
                found.extend(new);
            }
            // Of families the members with the latest names: those are written.
            found.sort_by(|one, other| {
                let is_member = |of: &Managed| !of.values.is_empty();
                is_member(one).cmp(&is_member(other)).then_with(|| other.values.cmp(&one.values))
            });
            let found = found.into_iter();
            watched.extend(
                found.take(DOCUMENTS_MAX).map(|managed| {
                    (SeenAs::Document(managed.name()), managed.path.clone(), managed.canonical)
                }),
            );
        }
        watched
    }

    /// A file as it is now. What cannot be looked at, or read, has no state or no hash.
    fn seen(&self, what: SeenAs, path: PathBuf, canonical: PathBuf, before: Option<&SeenFile>) -> SeenFile {
        let home = self.here.home;
        let stat = home.disk.stat(&canonical).ok().flatten().map(SeenStat::from);
        let commit = match &what {
            SeenAs::Document(_) => {
                self.checked_out(&canonical).map(|(_, id)| id.map(|byte| format!("{byte:02x}")).concat())
            }
            _ => None,
        };
        let document = Document { path, canonical };
        let fresh = Timestamp(home.now().millis().saturating_sub(COPY_MS_MAX));
        if let Some(before) = before.filter(|before| before.stat == stat && before.commit == commit) {
            let is_copied = match (&what, &before.hash) {
                (SeenAs::Document(_) | SeenAs::Settings, Some(hash)) => {
                    let len = stat.map_or(0, |stat| stat.len);
                    home.documents().has_before(&document, hash, len, fresh).unwrap_or_default()
                }
                _ => true,
            };
            if is_copied {
                return before.clone();
            }
        }
        // Before the text is read: a version that comes in between explains what is read then.
        let last = home.documents().last_revision(&document).ok().flatten();
        let version = last.map_or(0, |last| last.version);
        let hash = match &what {
            SeenAs::Hooks if !agent_settings::calls_us(self.here, &document.canonical) => None,
            SeenAs::Hooks => self.hash_of(&document.canonical),
            _ => home.documents().keep_before(&document, fresh).unwrap_or_default(),
        };
        let committed =
            matches!(what, SeenAs::Document(_)) && self.has_committed(&document.canonical, hash.as_deref());
        let Document { path, canonical } = document;
        SeenFile { what, path, canonical, version, stat, hash, commit, committed, late: false }
    }

    /// The directory of git that a file is in, and the commit that is checked out there.
    fn checked_out(&self, file: &Path) -> Option<(PathBuf, drift::ObjectId)> {
        let disk = &*self.here.home.disk;
        let git = git_index::root_of(disk, file)?.join(".git");
        let mut known = self.here.seen.heads.borrow_mut();
        let head = *known.entry(git.clone()).or_insert_with(|| drift::head_of(disk, &git));
        Some((git, head?))
    }

    /// Whether that commit has a file with this text. What is only in git's index is not kept by any commit.
    fn has_committed(&self, file: &Path, hash: Option<&str>) -> bool {
        let text = || {
            let (git, commit) = self.checked_out(file)?;
            let name = file.strip_prefix(git.parent()?).ok()?;
            drift::committed(&*self.here.home.disk, &git, &commit, name)
        };
        hash.is_some_and(|hash| text().is_some_and(|text| ::documents::hash(text.as_bytes()) == hash))
    }

    fn hash_of(&self, path: &Path) -> Option<String> {
        let read = self.here.home.disk.read(path, SETTINGS_BYTES_MAX);
        read.ok().map(|bytes| hash(&bytes))
    }

    /// What was changed since the files were seen, written down; they are known as they are now. One that cannot be compared is, when the
    /// next event comes.
    fn compared(&self, queue: &Queue, settings: Option<&Settings>, running: &mut Running) -> Vec<Told> {
        let mut told = Vec::new();
        // A worker that moves an old day to `archive/` changes nothing of it.
        let home = self.here.home;
        let documents =
            settings.map_or_else(|| home.documents().clone(), |of| home.documents_and_archives(of));
        self.add_new(settings, running);
        for file in &mut running.files {
            let Ok(stat) = home.disk.stat(&file.canonical) else {
                file.late = true;
                continue;
            };
            let leads_to = self.here.canonical(&file.path).unwrap_or_else(|_| file.canonical.clone());
            if stat.map(SeenStat::from) == file.stat && leads_to == file.canonical {
                file.late = false;
                continue;
            }
            let compared = self.compared_one(queue, &documents, file, &leads_to).unwrap_or_else(|failure| {
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
    ) -> Result<Compared, Failure> {
        match &file.what {
            // That one has other versions, or none.
            SeenAs::Document(name) if leads_to != file.canonical => self.moved_away(file, name),
            SeenAs::Document(name) => self.document_after(queue, documents, file, name),
            SeenAs::Settings if self.hash_of(&file.canonical) == file.hash => Ok(Compared::Quiet),
            SeenAs::Settings => self.settings_after(file),
            SeenAs::Hooks if file.hash.is_none() => Ok(Compared::Quiet),
            // An agent keeps settings of its own there, too.
            SeenAs::Hooks if self.hooks_are_on(&file.canonical) => Ok(Compared::Quiet),
            SeenAs::Hooks => Ok(Compared::Changed(self.told_of(file, None))),
        }
    }

    /// Whether an agent's settings call us, and switch no hooks off.
    fn hooks_are_on(&self, settings: &Path) -> bool {
        let text = self.here.home.disk.read(settings, SETTINGS_BYTES_MAX).unwrap_or_default();
        let is_off = agents::switches_hooks_off(&String::from_utf8_lossy(&text));
        !is_off && agent_settings::calls_us(self.here, settings)
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
                let (commit, committed, late) = (None, false, false);
                running.files.push(SeenFile {
                    what,
                    path,
                    canonical,
                    version,
                    stat,
                    hash,
                    commit,
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
    ) -> Result<Compared, Failure> {
        let home = self.here.home;
        let git_has_it = || {
            let now = home.disk.read(&file.canonical, ::documents::DOCUMENT_BYTES_MAX).ok();
            self.has_committed(&file.canonical, now.map(|bytes| hash(&bytes)).as_deref())
        };
        // Another commit was checked out: git has both texts.
        if (file.committed || file.hash.is_none()) && git_has_it() {
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
        let (before, now) = (file.hash.as_deref(), home.now());
        let after = documents.after_command(&document, before, file.version, now, &by, &is_settled)?;
        let told = self.told_of(file, Some(name.to_owned()));
        Ok(match after {
            AfterCommand::Explained => Compared::Quiet,
            AfterCommand::Version(version) => Compared::Changed(Told { version: Some(version), ..told }),
            AfterCommand::Beside(path) => Compared::Changed(Told { kept: Some(home.short(&path)), ..told }),
            AfterCommand::NotKept => Compared::Changed(told),
            AfterCommand::Busy => Compared::Later,
        })
    }

    /// What the configuration said before is kept, for whoever puts it back.
    fn settings_after(&self, file: &SeenFile) -> Result<Compared, Failure> {
        Ok(Compared::Changed(Told { kept: self.kept_aside(file)?, ..self.told_of(file, None) }))
    }

    /// So is what a document said whose name leads elsewhere now.
    fn moved_away(&self, file: &SeenFile, name: &str) -> Result<Compared, Failure> {
        let told = self.told_of(file, Some(name.to_owned()));
        Ok(Compared::Changed(Told { kept: self.kept_aside(file)?, ..told }))
    }

    fn kept_aside(&self, file: &SeenFile) -> Result<Option<String>, Failure> {
        let home = self.here.home;
        let of = Document { path: file.path.clone(), canonical: file.canonical.clone() };
        let kept = file.hash.as_ref().map(|hash| home.documents().keep_changed(&of, hash)).transpose()?;
        Ok(kept.flatten().map(|path| home.short(&path)))
    }

    fn told_of(&self, file: &SeenFile, document: Option<String>) -> Told {
        Told { what: self.here.home.short(&file.path), document, version: None, kept: None }
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
