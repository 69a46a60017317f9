//! What a hook answers: takes an agent's event and gives the reply to it. Reads no environment and starts no process: the
//! answer says whether the caller is to start a worker.

mod agent_settings;
mod archive;
mod control_plane;
mod due;
mod during;
mod git_index;
mod guard;
mod line_files;
mod links;
mod other_projects;
mod out_of_the_way;
mod prompt;
mod start;
mod words;

use crate::{Exit, Failure, Home, OtherHome, drift, flush};
use agents::{Agent, CommandDirs, EventKind, HookEvent, Reply, ToolCall, ToolIntent};
use declaration::Timestamp;
use documents::CanonicalPaths;
use durable::Lock;
use policy::context::{Frame, harmless};
use policy::settings::{Mode, Settings};
use queue_layout::{EndedSession, Event, JournalEntry, Noted, Queue, Session, What, Who, has_ended};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Two start events of one session within this time are one start that was reported twice, where the agent does not say its own
/// time of them.
const SAME_START_MS: u64 = 10_000;
/// A sign of life is written into a session's log at most this often.
const HEARD_EVERY_MS: u64 = 60_000;
/// A session's lock is tried so many times, with this pause in between: half a second in all.
const LOCK_TRIES: u32 = 100;
const LOCK_WAIT: Duration = Duration::from_millis(5);

/// So many digits of its hash stand for a session's id that has a secret in it.
const HIDDEN_CHARS: usize = 16;

/// What to answer an agent, and what to do besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookAnswer {
    /// The exact bytes for the agent; `None` for its neutral reply.
    pub reply: Option<String>,
    /// Whether a worker is to be started, which outlives the hook.
    pub start_worker: bool,
}

/// How a hook was called.
#[derive(Clone, Copy)]
pub struct HookCall<'a> {
    /// The directory, for events that do not say where their session is.
    pub cwd: &'a Path,
    /// Whether the environment switches off what sessions are shown.
    pub switched_off: bool,
    /// The homes whose rules hold beside ours; asked where a tool may change something.
    pub beside: &'a dyn Fn() -> Vec<OtherHome>,
}

/// How much of the hooks is switched off in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HooksOff {
    /// Nothing.
    No,
    /// Sessions are shown, asked and reminded of nothing. The guard still works.
    Context,
    /// Everything.
    All,
}

impl Home {
    /// Answers an event of an agent's hook. `unattended` says whether the agent runs without a person in front of it; it is asked
    /// only where that matters, because it may have to look at the machine's processes.
    ///
    /// # Errors
    /// Whatever fails. The caller then gives the agent its neutral reply, and `note_hook_failure` the reason.
    pub fn answer_hook(
        &self,
        agent: &'static dyn Agent,
        event: &[u8],
        called: HookCall<'_>,
        unattended: &dyn Fn() -> bool,
    ) -> Result<HookAnswer, Failure> {
        let text = event.strip_prefix(b"\xef\xbb\xbf").unwrap_or(event);
        let payload = crate::nearly_json::parse(text)
            .map_err(|e| Failure::new(format!("the event on standard input is not JSON: {e}")))?;
        let event = without_secrets(agent.read(&payload));
        let cwd = event.cwd.as_deref().or(event.project.as_deref()).unwrap_or(called.cwd);
        let is_tool = matches!(event.kind, EventKind::ToolWanted(_) | EventKind::ToolUsed(_));
        let seen = Seen::new(self);
        let here = Here { home: self, cwd, seen: &seen };
        let context_off = match here.hooks_off(called.switched_off)? {
            HooksOff::No => false,
            HooksOff::Context if is_tool => true,
            // A command may have switched them off: what was noted when it began is compared.
            HooksOff::All if matches!(event.kind, EventKind::ToolUsed(_)) => true,
            HooksOff::Context | HooksOff::All if ends_commands(&event.kind) => {
                let beside = called.beside;
                Call { agent, event: &event, here, unattended, beside, context_off: true }.commands_ended();
                return Ok(HookAnswer::default());
            }
            HooksOff::Context | HooksOff::All => return Ok(HookAnswer::default()),
        };
        let call = Call { agent, event: &event, here, unattended, beside: called.beside, context_off };
        if call.is_its_end() {
            return Ok(HookAnswer { reply: None, start_worker: call.ended()? });
        }
        let reply = call.reply()?.and_then(|reply| agent.reply(&event, &reply));
        Ok(HookAnswer { reply, start_worker: false })
    }

    /// Writes into the journal that a hook of this agent failed. Without a home there is no journal, and nothing is written.
    pub fn note_hook_failure(&self, agent: &dyn Agent, message: &str) {
        let event = JournalEntry::new(self.now(), Event::HookFailed).by(agent.name()).saying(None, message);
        let _ = self.queue().journal().write(&[event]);
    }

    /// What a file named `disabled` switches off: in the home everything; in the project of this directory only the context, as the
    /// environment does (`switched_off`), because a repository must not be able to switch the guard off.
    ///
    /// # Errors
    /// A disk error.
    pub fn hooks_off(&self, cwd: &Path, switched_off: bool) -> Result<HooksOff, Failure> {
        Here { home: self, cwd, seen: &Seen::new(self) }.hooks_off(switched_off)
    }

    /// The managed documents that can be found from this directory, links resolved.
    #[must_use]
    pub fn managed_documents(&self, settings: &Settings, cwd: &Path) -> Vec<PathBuf> {
        let here = Here { home: self, cwd, seen: &Seen::new(self) };
        guard::documents(here, settings).into_iter().map(|(_, document)| document.canonical).collect()
    }

    /// The first document of this home that the home in `other` manages as well, as both see it from `cwd`.
    #[must_use]
    pub fn shared_document(&self, settings: &Settings, other: &Path, cwd: &Path) -> Option<PathBuf> {
        guard::shared(Here { home: self, cwd, seen: &Seen::new(self) }, settings, other)
    }

    /// The context of a session that starts in this directory; of a session that has started, the text it was given then.
    /// `agent` says how the length of the text is counted.
    ///
    /// # Errors
    /// The home or its configuration cannot be used, or a disk error.
    pub fn context(&self, agent: &dyn Agent, session: Option<&str>, cwd: &Path) -> Result<String, Failure> {
        let settings = self.settings()?;
        match session.map(|session| self.context_given(agent, session)).transpose()?.flatten() {
            Some(text) => Ok(text),
            None => {
                let here = Here { home: self, cwd, seen: &Seen::new(self) };
                Ok(start::build(here, self.queue(), &settings, agent, session)?.text)
            }
        }
    }

    /// The text that a session was given when it started; `None` where none is kept, as of a session that never was.
    ///
    /// # Errors
    /// A disk error.
    pub fn context_given(&self, agent: &dyn Agent, session: &str) -> Result<Option<String>, Failure> {
        Ok(self.queue().sessions().of(agent.name(), session).context()?)
    }
}

/// How what is said to an agent is kept from reading as a tag of its own.
fn frame_of(agent: &dyn Agent) -> Frame {
    if agent.escapes_tags() { Frame::Square } else { Frame::Angle }
}

/// Whether commands have ended by such an event.
fn ends_commands(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Stopping { .. } | EventKind::PromptSubmitted | EventKind::SessionEnded)
}

/// The event as what is kept of it may say it: a session whose id has a secret in it is known by a hash of that id.
fn without_secrets(event: HookEvent) -> HookEvent {
    let has_secret = |text: &String| {
        // The ids of most agents: asked first, because each event waits for this.
        let is_plain = text.len() <= 64 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        !is_plain && declaration::secrets::find(text).is_some()
    };
    let hidden = |id: String| {
        let hash = ::documents::hash(id.as_bytes());
        let digits = hash.strip_prefix("sha256:").unwrap_or(&hash).chars().take(HIDDEN_CHARS);
        format!("hidden-{}", digits.collect::<String>())
    };
    HookEvent {
        session: event.session.map(|id| if has_secret(&id) { hidden(id) } else { id }),
        reason: event.reason.filter(|reason| !has_secret(reason)),
        stamp: event.stamp.filter(|stamp| !has_secret(stamp)),
        ..event
    }
}

/// A home, and the directory that an event comes from.
#[derive(Clone, Copy)]
struct Here<'a> {
    home: &'a Home,
    cwd: &'a Path,
    seen: &'a Seen<'a>,
}

/// What one call found out about the disk, so that it looks once.
struct Seen<'a> {
    /// The project the directory is in, once it was asked for: that takes a look into every directory above.
    project: OnceCell<Option<PathBuf>>,
    paths: CanonicalPaths<'a>,
    /// The home as commands have to name it, once it was asked for.
    named: OnceCell<Option<String>>,
    /// The commits that are checked out, by the directory of git.
    heads: RefCell<BTreeMap<PathBuf, Option<drift::ObjectId>>>,
    /// What was read of git.
    indexes: git_index::Indexes,
    /// How many names were looked at for links.
    link_names: Cell<usize>,
}

impl<'a> Seen<'a> {
    fn new(home: &'a Home) -> Seen<'a> {
        Seen {
            project: OnceCell::new(),
            paths: CanonicalPaths::new(home.documents()),
            named: OnceCell::new(),
            heads: RefCell::default(),
            indexes: git_index::Indexes::default(),
            link_names: Cell::new(0),
        }
    }

    /// For a directory of which the project is known.
    fn in_project(home: &'a Home, project: PathBuf) -> Seen<'a> {
        Seen { project: OnceCell::from(Some(project)), ..Seen::new(home) }
    }
}

impl Here<'_> {
    fn project(self) -> Option<PathBuf> {
        self.seen.project.get_or_init(|| self.home.project(self.cwd)).clone()
    }

    /// A path with every link resolved, as `Home::canonicalise`.
    fn canonical(self, path: &Path) -> io::Result<PathBuf> {
        self.seen.paths.of(path).map_err(|e| e.source)
    }

    fn hooks_off(self, switched_off: bool) -> Result<HooksOff, Failure> {
        let home = self.home;
        if home.disk.stat(&home.layout.disabled())?.is_some() {
            return Ok(HooksOff::All);
        }
        if switched_off {
            return Ok(HooksOff::Context);
        }
        let project = self.project().map(|root| home.disk.stat(&root.join(".agents/disabled")));
        let is_there = project.transpose()?.flatten().is_some();
        Ok(if is_there { HooksOff::Context } else { HooksOff::No })
    }

    /// How our program is typed on this machine: one word.
    fn program(self) -> String {
        (self.home.host.command)()
    }

    /// How a command of ours begins that reaches this home.
    fn command(self) -> String {
        match self.named() {
            Some(home) => format!("{} --home {home}", self.program()),
            None => self.program(),
        }
    }

    /// The home as commands have to name it; `None` where one without `--home` reaches it.
    fn named(&self) -> Option<&str> {
        self.seen.named.get_or_init(|| self.home.to_be_named()).as_deref()
    }
}

/// One call of a hook.
struct Call<'a> {
    agent: &'static dyn Agent,
    event: &'a HookEvent,
    here: Here<'a>,
    /// Whether no person sits in front of the agent.
    unattended: &'a dyn Fn() -> bool,
    /// The homes whose rules hold beside ours.
    beside: &'a dyn Fn() -> Vec<OtherHome>,
    /// Whether sessions are shown nothing in this project.
    context_off: bool,
}

impl Call<'_> {
    fn reply(&self) -> Result<Option<Reply>, Failure> {
        match &self.event.kind {
            EventKind::SessionStarted if !self.event.subagent => match self.started() {
                Err(failure) if failure.exit == Exit::CouldNot => self.shown_unkept(failure),
                other => other,
            },
            EventKind::PromptSubmitted if !self.event.subagent && !self.event.continued => self.prompted(),
            EventKind::ToolWanted(call) => {
                // A command line that names this variable means this home, also where it is not set.
                let home = self.here.home.layout().home().display().to_string();
                let variables = [("LAST_WORD_HOME".to_owned(), home)];
                let place = CommandDirs {
                    home: &self.here.home.user_home,
                    cwd: self.here.cwd,
                    variables: &variables,
                    files: &line_files::LineFiles(self.here),
                };
                self.may_run(call, self.wanted(&agents::intent(call, &place)))
            }
            EventKind::ToolUsed(call) => self.command_ended(call),
            EventKind::Compacting if !self.event.subagent && self.agent.loses_context(self.event) => {
                self.lost_context()
            }
            EventKind::Stopping { again: false } if !self.event.subagent => {
                self.commands_ended();
                if self.agent.is_asked_at_stop() { self.stopping() } else { Ok(None) }
            }
            _ => Ok(None),
        }
    }

    /// Whether this event ends the main session: the end of a subagent does not.
    fn is_its_end(&self) -> bool {
        let ends = match self.event.kind {
            EventKind::SessionEnded => true,
            EventKind::Stopping { again } => !again && self.agent.ends_at_stop() && (self.unattended)(),
            _ => false,
        };
        ends && !self.event.subagent
    }

    /// The settings; `None` when they switch hooks off.
    fn settings(&self) -> Result<Option<Settings>, Failure> {
        Ok(Some(self.here.home.settings()?).filter(|settings| settings.enabled))
    }

    /// The settings for what guards documents: while the configuration cannot be used, the last ones.
    fn guarding(&self) -> Result<Option<Settings>, Failure> {
        self.settings().or_else(|_| Ok(Some(self.here.home.last_settings()?)))
    }

    /// The session, with its lock. `None` when the event names no session, or when another agent already reported a session of
    /// that name: two agents that read the same configuration both call us, and only one of the calls may have an effect.
    fn session(&self, queue: &Queue) -> Result<Option<(Session, Lock)>, Failure> {
        let Some(name) = &self.event.session else { return Ok(None) };
        let session = queue.sessions().of(self.agent.name(), name);
        let mut tries = 0;
        let held = loop {
            match session.try_lock()? {
                Some(held) => break held,
                None if tries == LOCK_TRIES => {
                    let busy = Failure::new(format!("session {} is busy", session.name()));
                    return Err(busy.exit(Exit::TryAgain));
                }
                None => {
                    tries += 1;
                    (self.here.home.host.sleep)(LOCK_WAIT);
                }
            }
        };
        let owned = session.is_known()? || queue.sessions().twins(&session)?.is_empty();
        Ok(owned.then_some((session, held)))
    }

    /// The queue, after a check that the home's directories are there. Only events that need it pay for the check.
    fn queue(&self) -> Result<&Queue, Failure> {
        self.here.home.check_dirs()?;
        Ok(self.here.home.queue())
    }

    fn who(&self) -> Who {
        Who {
            agent: self.agent.name().to_owned(),
            session: self.event.session.clone().unwrap_or_default(),
            cwd: Some(self.here.cwd.to_owned()),
            project: self.here.project(),
        }
    }

    fn noted(&self, what: What, detail: Option<&str>) -> Noted {
        Noted { detail: detail.map(str::to_owned), ..Noted::new(self.here.home.now(), what) }
    }

    /// Whether this start is the last one in the log, told a second time: an agent that has us in two files calls us twice. Both
    /// reports have the agent's own time of it, where it says one. Where it does not, they come close together, and nothing between.
    fn is_told(&self, log: &[Noted], now: Timestamp) -> bool {
        let Some(at) = log.iter().rposition(|noted| noted.what == What::Started) else { return false };
        let is_same = match (&log[at].stamp, &self.event.stamp) {
            (Some(before), Some(stamp)) => before == stamp,
            _ => {
                let went_on = log[at..].iter().any(|noted| noted.what == What::Prompted) || has_ended(log);
                !went_on && now.since_ms(log[at].at) < SAME_START_MS
            }
        };
        is_same && log[at].detail == self.event.reason
    }

    /// Gives the context: the same bytes each time, unless the conversation was cleared; nothing where the conversation still
    /// has it.
    fn started(&self) -> Result<Option<Reply>, Failure> {
        let settings = match self.settings() {
            Ok(Some(settings)) => settings,
            Ok(None) => return Ok(None),
            // Nobody else is told before something is wanted from it.
            Err(failure) => {
                self.here.home.note_hook_failure(self.agent, &failure.sentence());
                return Ok(Some(self.with_plain_names(Reply::Context(words::unusable(&failure.sentence())))));
            }
        };
        let queue = self.queue()?;
        let Some((session, _held)) = self.session(queue)? else { return Ok(None) };
        let now = self.here.home.now();
        let log = session.log()?;
        let reason = self.event.reason.as_deref();
        if self.is_told(&log, now) {
            return Ok(None);
        }
        let kept = if reason == Some("clear") { None } else { session.context()? };
        let mut notes = vec![Noted {
            stamp: self.event.stamp.clone(),
            who: Some(self.who()),
            ..self.noted(What::Started, reason)
        }];
        // A context that was given beside a prompt is part of the conversation: a resumed one still has it.
        let resumed = reason == Some("resume");
        let still_there = kept.is_some()
            && (self.agent.keeps_context(self.event) || resumed && due::is_context_given(&log));
        let mut text = match kept {
            Some(text) => text,
            None => self.build(queue, &session, &settings, &mut notes)?,
        };
        if self.agent.loses_context(self.event) && !still_there {
            notes.push(self.noted(What::ContextLost, reason));
        } else if reason == Some("compact")
            && let Some(line) = self.asking(&settings, &log, due::AskPoint::Compacted)
        {
            text.push_str(&line);
            notes.push(self.noted(What::Asked, Some(&self.event.native)));
        }
        session.note(&notes)?;
        Ok((!text.is_empty() && !still_there).then_some(Reply::Context(text)))
    }

    /// Gives the context where nothing can be written, on a full disk or a read-only one, and says so: reading needs no room.
    fn shown_unkept(&self, failure: Failure) -> Result<Option<Reply>, Failure> {
        let (settings, queue) = (self.settings()?, self.queue()?);
        let shown = settings.map(|settings| start::build(self.here, queue, &settings, self.agent, None));
        let Some(Ok(shown)) = shown else { return Err(failure) };
        self.here.home.note_hook_failure(self.agent, &failure.sentence());
        Ok(Some(Reply::Context(format!("{}{}", shown.text, words::unwritable(&failure.sentence())))))
    }

    /// Makes the context and stores it. Adds to `notes` which documents it shows.
    fn build(
        &self,
        queue: &Queue,
        session: &Session,
        settings: &Settings,
        notes: &mut Vec<Noted>,
    ) -> Result<String, Failure> {
        let shown = start::build(self.here, queue, settings, self.agent, self.event.session.as_deref())?;
        session.keep_context(&shown.text, self.here.home.now())?;
        notes.extend(shown.whole.iter().map(|name| self.noted(What::Shown, Some(name))));
        if start::waiting(queue)?.is_some() {
            notes.push(self.noted(What::Reminded, None));
        }
        Ok(shown.text)
    }

    /// Notes that the session is to be shown its context again at the next prompt.
    fn lost_context(&self) -> Result<Option<Reply>, Failure> {
        if self.settings()?.is_some()
            && let Some((session, _held)) = self.session(self.queue()?)?
        {
            session.note(&[self.noted(What::ContextLost, Some(&self.event.native))])?;
        }
        Ok(None)
    }

    /// The line that asks for what was learned; `None` where it is too soon to ask again, or no person is there.
    fn asking(&self, settings: &Settings, log: &[Noted], moment: due::AskPoint) -> Option<String> {
        let is_time = settings.hooks.ask && due::is_time(log, moment);
        (is_time && !(self.unattended)()).then(|| {
            let whose = words::whose(self.agent.name(), self.event.session.as_deref());
            words::ask(
                &self.here.command(),
                &start::writable(settings),
                &whose,
                start::has_journals(settings),
            )
        })
    }

    /// Gives the context again where it was lost, says once what failed or waits for a yes, adds items that belong to the
    /// prompt, and sometimes asks for what was learned.
    fn prompted(&self) -> Result<Option<Reply>, Failure> {
        let Some(settings) = self.settings()? else { return Ok(None) };
        let queue = self.queue()?;
        let Some((session, _held)) = self.session(queue)? else { return Ok(None) };
        let in_command = self.commands_so_far(queue, &session);
        let log = session.log()?;
        let mut notes = vec![Noted { who: Some(self.who()), ..self.noted(What::Prompted, None) }];
        let mut said = Vec::new();
        if due::is_context_due(&log) {
            notes.push(self.noted(What::ContextGiven, None));
            said.extend(session.context()?);
        }
        said.extend(in_command);
        if settings.hooks.remind && !log.iter().any(|noted| noted.what == What::Reminded) {
            let waiting = start::waiting(queue)?;
            notes.extend(waiting.as_ref().map(|_| self.noted(What::Reminded, None)));
            said.extend(waiting);
        }
        let told =
            prompt::matching_items(self.here, &settings, self.event, &log, &session, frame_of(self.agent));
        notes.extend(told.iter().map(|item| self.noted(What::Recalled, Some(&item.name))));
        said.extend(words::known(&told));
        if let Some(line) = self.asking(&settings, &log, due::AskPoint::Prompt) {
            notes.push(self.noted(What::Asked, Some(&self.event.native)));
            said.push(line);
        }
        let reply = Reply::Context(said.join("\n"));
        let is_heard = said.is_empty() || self.agent.reply(self.event, &reply).is_some();
        // Written before the reply is given: what cannot be noted would be said again at every prompt.
        session.note(if is_heard { &notes } else { &notes[..1] })?;
        Ok((is_heard && !said.is_empty()).then_some(reply))
    }

    /// Writes a sign of life into the session's log, where the last one is old.
    fn heard(&self, session: &Session, log: &[Noted]) -> Result<(), Failure> {
        let lately = |noted: &Noted| self.here.home.now().since_ms(noted.at) < HEARD_EVERY_MS;
        if !log.last().is_some_and(lately) || has_ended(log) {
            session.note(&[Noted { who: Some(self.who()), ..self.noted(What::Heard, None) }])?;
        }
        Ok(())
    }

    /// Notes what the documents say before a call that may run; what was changed since the one before is said where nothing else is.
    fn may_run(
        &self,
        call: &ToolCall,
        judged: Result<Option<Reply>, Failure>,
    ) -> Result<Option<Reply>, Failure> {
        let judged = judged.map(|reply| reply.map(|reply| self.with_plain_names(reply)));
        if matches!(judged, Ok(Some(Reply::Deny(_)))) {
            return judged;
        }
        match self.command_begins(call, matches!(judged, Ok(None))) {
            Ok(told) => Ok(judged?.or(told.map(Reply::Context))),
            // It runs all the same.
            Err(failure) => {
                self.here.home.note_hook_failure(self.agent, &failure.sentence());
                judged
            }
        }
    }

    /// What we say of files: their names are a repository's.
    fn with_plain_names(&self, reply: Reply) -> Reply {
        match reply {
            Reply::Deny(text) => Reply::Deny(harmless(&text, frame_of(self.agent))),
            Reply::Context(text) => Reply::Context(harmless(&text, frame_of(self.agent))),
            other => other,
        }
    }

    /// Judges a tool call: what decides over documents first, then managed documents, then what is to be read before.
    fn wanted(&self, intent: &ToolIntent) -> Result<Option<Reply>, Failure> {
        if *intent == ToolIntent::default() {
            return Ok(None);
        }
        let settings = self.settings().or_else(|failure| {
            self.here.home.note_hook_failure(self.agent, &failure.sentence());
            self.guarding()
        });
        let mode = settings.as_ref().map_or(Mode::Block, |settings| {
            settings.as_ref().map_or(Mode::Off, |settings| settings.guard.control)
        });
        // Checked first, without queue and session: a configuration that cannot be used, or a session that is busy, must not
        // let a call change the home's own files.
        let known = settings.as_ref().ok().and_then(Option::as_ref);
        if mode != Mode::Off
            && let Some(text) = control_plane::objection(self.here, known, intent)
        {
            return Ok(Some(guard::Objection::Document(mode, text).reply()));
        }
        if let Some(reply) = self.wanted_beside(intent) {
            return Ok(Some(reply));
        }
        let Some(settings) = settings? else { return Ok(None) };
        if let Some(objection) =
            guard::documents_written(self.here, &settings, self.event, self.agent.name(), intent)
        {
            return Ok(Some(objection.reply()));
        }
        if self.agent.hides_what_is_typed()
            && let Some(objection) = guard::typed_unseen(self.here, &settings, intent)
        {
            return Ok(Some(objection.reply()));
        }
        // Only a simple command of ours, which no person has to approve.
        let allows = intent.is_a_line
            && agents::is_allowed(&intent.line, &self.here.command())
            && self.agent.reply(self.event, &Reply::Allow).is_some();
        if self.context_off {
            return Ok(allows.then_some(Reply::Allow));
        }
        let queue = self.queue()?;
        let session = self.session(queue)?;
        let log = session.as_ref().map(|(session, _)| session.log()).transpose()?.unwrap_or_default();
        let of = |what: What| {
            log.iter().filter(move |noted| noted.what == what).filter_map(|noted| noted.detail.clone())
        };
        let read: Vec<String> = of(What::Shown).collect();
        if let Some((session, _)) = &session {
            self.heard(session, &log)?;
            let new =
                guard::reads(self.here, &settings, intent).into_iter().filter(|name| !read.contains(name));
            let new: Vec<Noted> = new.map(|name| self.noted(What::Shown, Some(&name))).collect();
            if !new.is_empty() {
                session.note(&new)?;
            }
        }
        let objections = [
            guard::unread(self.here, &settings, intent, &read),
            // A session without a name has no log that says what it read, so nothing is asked of it.
            session.as_ref().and_then(|_| guard::unprepared(self.here, &settings, intent, &read)),
        ];
        let objections: Vec<guard::Objection> = objections.into_iter().flatten().collect();
        if objections.is_empty() {
            return Ok(allows.then_some(Reply::Allow));
        }
        self.strictest(&objections, session.as_ref().map(|(session, _)| session), &log)
    }

    /// The same for the user's other homes: what decides there, and their documents, are no more for an agent whose hook is ours. They are
    /// looked at where a tool changes something.
    fn wanted_beside(&self, intent: &ToolIntent) -> Option<Reply> {
        let changes = !intent.written.is_empty()
            || intent.simple.iter().any(|command| !command.is_harmless() || command.git_reach().is_some());
        let others = changes.then(|| self.here.home.clone().beside((self.beside)()).others_there());
        others.into_iter().flatten().find_map(|other| {
            let there = Here { home: &other, cwd: self.here.cwd, seen: &Seen::new(&other) };
            if there.hooks_off(false).is_ok_and(|off| off == HooksOff::All) {
                return None;
            }
            let settings = other.settings().or_else(|_| other.last_settings()).ok();
            if settings.as_ref().is_some_and(|settings| !settings.enabled) {
                return None;
            }
            let mode = settings.as_ref().map_or(Mode::Block, |settings| settings.guard.control);
            let fenced = (mode != Mode::Off).then(|| control_plane::fenced_in(there, intent)).flatten();
            let objection = fenced.map(|text| guard::Objection::Document(mode, text)).or_else(|| {
                guard::documents_written(there, settings.as_ref()?, self.event, self.agent.name(), intent)
            });
            objection.map(|objection| objection.reply())
        })
    }

    /// Of what is asked before a call that which stops it, else the first warning that this session was not given.
    fn strictest(
        &self,
        objections: &[guard::Objection],
        session: Option<&Session>,
        log: &[Noted],
    ) -> Result<Option<Reply>, Failure> {
        if let Some(stop) = objections.iter().find(|objection| objection.stops()) {
            return Ok(Some(stop.reply()));
        }
        for warning in objections {
            // A warning does not stop the call, so each is given once in a session.
            // The log gets a hash: the text repeats a line of the agent's, which may have a token in it.
            let hash = ::documents::hash(warning.text().as_bytes());
            let is_given = |noted: &Noted| noted.what == What::Warned && noted.detail.as_ref() == Some(&hash);
            if log.iter().any(is_given) {
                continue;
            }
            if let Some(session) = session {
                session.note(&[self.noted(What::Warned, Some(&hash))])?;
            }
            return Ok(Some(warning.reply()));
        }
        Ok(None)
    }

    /// Asks for what was learned when the agent stops, for agents that can be asked at no other moment. The note is written
    /// first, and nothing is asked when that fails: the answer ends in the next stop, so it would be asked for ever.
    fn stopping(&self) -> Result<Option<Reply>, Failure> {
        let Some(settings) = self.settings()? else { return Ok(None) };
        let queue = self.queue()?;
        let Some((session, _held)) = self.session(queue)? else { return Ok(None) };
        let log = session.log()?;
        self.heard(&session, &log)?;
        let Some(line) = self.asking(&settings, &log, due::AskPoint::Stop) else { return Ok(None) };
        session.note(&[self.noted(What::Asked, Some(&self.event.native))])?;
        Ok(Some(Reply::Ask(line)))
    }

    /// Moves the session's buffer into the queue, then records that the session ended. True when a worker is to be started.
    fn ended(&self) -> Result<bool, Failure> {
        let settings = self.settings();
        if matches!(settings, Ok(None)) {
            return Ok(false);
        }
        let queue = self.queue()?;
        let Some(name) = &self.event.session else { return Ok(false) };
        self.commands_ended();
        let session = queue.sessions().of(self.agent.name(), name);
        let mut flushed = flush::session(queue, &session, self.here.home.now())?;
        if self.agent.names_subagents_apart() {
            flushed.extend(flush::untold(queue, &self.who(), self.here.home.now())?);
        }
        if let Some((session, _held)) = self.session(queue)? {
            self.record(queue, &session)?;
        }
        Ok(settings?.is_some_and(|settings| settings.hooks.drain) && !flushed.is_empty())
    }

    /// Writes the end of the session into its log and into the list of ended sessions, once.
    fn record(&self, queue: &Queue, session: &Session) -> Result<(), Failure> {
        let log = session.log()?;
        let Some(first) = log.first() else { return Ok(()) };
        if has_ended(&log) {
            return Ok(());
        }
        let flushed = log.iter().filter(|noted| noted.what == What::Flushed);
        let declared = flushed.filter_map(|noted| noted.detail.as_ref()?.parse::<usize>().ok()).sum();
        session.note(&[self.noted(What::Ended, self.event.reason.as_deref())])?;
        let who = log.iter().rev().find_map(|noted| noted.who.clone()).unwrap_or_else(|| self.who());
        let ended_at: Timestamp = self.here.home.now();
        let reason = self.event.reason.clone();
        queue.sessions().note_ended(&EndedSession {
            who,
            started_at: first.at,
            ended_at,
            reason,
            declared,
        })?;
        Ok(())
    }
}
