//! What was changed past the queue while commands of an agent ran. The guard reads the text of a line and cannot know all that it
//! starts; so what the documents say is noted before, and compared after: by the hook behind the tool where the agent has one, else
//! when its next tool is wanted, or its turn ends. What changed is told to the session, to `history` and to `status`. Nothing is put back by itself:
//! a person may have saved at that moment.

use super::{Call, frame_of, words};
use crate::Failure;
use ::documents::hash;
use agents::{Reply, ToolCall};
use declaration::Timestamp;
use durable::FileKind;
use policy::context::harmless;
use policy::settings::{Mode, Settings};
use queue_layout::{Queue, Session, Who};
use seen::{DOCUMENTS_MAX, SeenAs, SeenFile};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

mod compared;
mod left_over;
mod seen;

pub(super) use compared::Told;

/// A call of which nothing was heard for so long has ended without a word: not every agent tells of one that failed.
const CALL_MS_MAX: u64 = 6 * 60 * 60 * 1000;
/// The same when a person speaks: nearly every command has ended by then, and they may have written since.
const CALL_BESIDE_PROMPT_MS_MAX: u64 = 10 * 60 * 1000;
/// The same for one that was left to run by itself: nobody tells its end.
const LEFT_BEHIND_MS_MAX: u64 = 60 * 60 * 1000;
/// A project in which we changed a document within this time is looked at, in milliseconds: 30 days.
const KNOWN_PROJECTS_MS: u64 = 30 * 24 * 60 * 60 * 1000;
/// So much is kept for a session that nothing can be told, in bytes.
const UNTOLD_BYTES_MAX: usize = 16 << 10;
/// So many projects of a session are looked at.
const PROJECTS_MAX: usize = 8;

/// What is known of a session's commands, and of the files that one of them may change.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Running {
    /// Whose they are.
    #[serde(default)]
    who: Option<Who>,
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
    /// Whether it was asked which there are besides.
    #[serde(default)]
    asked: bool,
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
        let settings = match self.guarding() {
            Ok(None) => return Ok(None),
            Ok(settings) => settings,
            Err(_) => None,
        };
        let queue = self.queue()?;
        let Some((session, _held)) = self.session(queue)? else { return Ok(None) };
        let mut running: Running = session.running()?.unwrap_or_default();
        running.who = Some(self.who());
        let now = self.here.home.now();
        self.add_projects(&session, &mut running, settings.as_ref())?;
        if running.is_due() {
            self.compare(queue, settings.as_ref(), &mut running, None);
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
        let told = if can_be_told { self.told(&mut running) } else { None };
        session.keep_running(&running, now)?;
        Ok(told)
    }

    /// The project of the event; at first also those that a person listed or whose documents were changed lately, and those that the session
    /// was in before it ran any command.
    fn add_projects(
        &self,
        session: &Session,
        running: &mut Running,
        settings: Option<&Settings>,
    ) -> Result<(), Failure> {
        let mut before = Vec::new();
        if !running.asked {
            running.asked = true;
            before = self.known_projects(settings);
            before.extend(session.log()?.into_iter().filter_map(|noted| noted.who?.project));
        }
        for project in before.into_iter().chain(self.here.project()) {
            if let Some(at) = running.projects.iter().position(|known| *known == project) {
                // The one that was named last is kept longest.
                running.projects[at..].rotate_left(1);
                continue;
            }
            running.projects.push(project);
            // Its documents are not new because they were not looked at.
            running.whole = false;
        }
        let more = running.projects.len().saturating_sub(PROJECTS_MAX);
        running.projects.drain(..more);
        Ok(())
    }

    /// The projects in which we changed a document within a month, the last one last, and behind them those that are listed. Of one whose
    /// `.git` is a file each checkout would be told.
    fn known_projects(&self, settings: Option<&Settings>) -> Vec<PathBuf> {
        let home = self.here.home;
        let Some(settings) = settings else { return Vec::new() };
        let since = Timestamp(home.now().millis().saturating_sub(KNOWN_PROJECTS_MS));
        let mut changed: Vec<(u64, PathBuf)> = Vec::new();
        for document in home.documents().changed_since(since).unwrap_or_default() {
            let modified = home.disk.stat(&document.canonical).ok().flatten().map(|stat| stat.modified_ms);
            let of = document.canonical.parent().and_then(|dir| home.project(dir));
            changed.extend(modified.zip(of));
        }
        changed.sort();
        let is_worktree = |project: &PathBuf| {
            let git = home.disk.stat_link(&project.join(".git")).ok().flatten();
            git.is_some_and(|git| git.kind == FileKind::File)
        };
        let listed = settings.projects.iter().map(|project| home.expand(project));
        let known = changed.into_iter().map(|(_, project)| project).chain(listed);
        let mut projects: Vec<PathBuf> = Vec::new();
        for project in known.filter(|project| !is_worktree(project)) {
            projects.retain(|known| *known != project);
            projects.push(project);
        }
        projects
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
                self.compare(queue, self.guarding().ok().flatten().as_ref(), &mut running, None);
            } else if running.untold.is_empty() {
                return Ok(None);
            }
            running.forget_ended(now, CALL_BESIDE_PROMPT_MS_MAX);
            let told = self.told(&mut running);
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
        self.compare(queue, self.guarding().ok().flatten().as_ref(), &mut running, None);
        let told = if can_be_told { self.told(&mut running) } else { None };
        session.keep_running(&running, now)?;
        Ok(told)
    }

    /// What the session is told now, which is not said again; nothing where its agent takes no words at this event.
    fn told(&self, running: &mut Running) -> Option<String> {
        let is_heard = |text: &String| self.agent.reply(self.event, &Reply::Context(text.clone())).is_some();
        Some(running.untold.clone())
            .filter(|text| !text.is_empty() && is_heard(text))
            .inspect(|_| running.untold.clear())
    }

    /// Compares now what was not changed later than `until`; what was found is to be told.
    fn compare(
        &self,
        queue: &Queue,
        settings: Option<&Settings>,
        running: &mut Running,
        until: Option<Timestamp>,
    ) {
        let told = self.compared(queue, settings, running, until);
        if !told.is_empty() {
            let text =
                harmless(&words::changed_in_command(&self.here.command(), &told), frame_of(self.agent));
            // What is told more often than it is heard is in `status`.
            if running.untold.len() + text.len() <= UNTOLD_BYTES_MAX || running.untold.is_empty() {
                running.untold =
                    [std::mem::take(&mut running.untold), text].join("\n").trim_start().to_owned();
            }
        }
    }

    /// By what two events are known to be of one call: as the agent names it, else by what the call is.
    fn id_of(&self, call: &ToolCall) -> String {
        self.event.call.clone().unwrap_or_else(|| hash(format!("{call:?}").as_bytes()))
    }
}
