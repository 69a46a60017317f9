//! The door for agents: event JSON on stdin, reply JSON on stdout, exit 0. Whatever fails here is noted in the journal and
//! stays out of the agent's way: an agent that cannot work because of us would be switched off, and we with it.

mod guard;
mod input;
pub mod start;
pub mod words;

use crate::args::Global;
use crate::commands::flush;
use crate::failure::{Failure, chain};
use crate::world::World;
use agents::{Agent, HookEvent, Intent, Kind, Reply};
use clap::{ArgMatches, FromArgMatches};
use declaration::Timestamp;
use durable::{Disk, Lock};
use policy::settings::{Mode, Settings};
use queue_layout::{EndedSession, Event, Happened, Noted, Queue, Session, What, Who, has_ended};
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// For agents: an event on standard input, the reply on standard output
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`last-word install AGENT` writes the calls of this into the agent's configuration. It always ends with
exit 0 and prints nothing but a reply; what went wrong is in the journal. LAST_WORD_DISABLE=1, `enabled: false` in
config.yaml, or a file named `disabled` in the home or in the project's .agents/ switch it off."
)]
pub struct Args {
    /// claude_code, codex, gemini_cli, copilot, cursor, qwen_code or generic
    #[arg(long)]
    pub agent: String,
}

/// Two starts of one session within this time are one start that was told twice.
const SAME_START_MS: u64 = 10_000;
/// A session is noted as heard of at most this often.
const HEARD_EVERY_MS: u64 = 60_000;
/// How often, and how long each time, a session's lock is waited for: half a second in all.
const LOCK_TRIES: u32 = 100;
const LOCK_WAIT: Duration = Duration::from_millis(5);

/// Answers an agent. Never anything but its reply on stdout, never an exit code but 0.
pub fn run(matches: &ArgMatches, global: &Global) -> ExitCode {
    let Ok(args) = Args::from_arg_matches(matches) else { return unusable() };
    // A panic's message would go to stderr, which Gemini CLI reads.
    std::panic::set_hook(Box::new(|_| {}));
    let Some(agent) = agents::find(&args.agent) else {
        return say(neutral_for_nobody());
    };
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| answer(agent, global)));
    let reply = match answered {
        Ok(Ok(reply)) => reply,
        Ok(Err(failure)) => {
            note_failure(global, agent, &failure.messages.join("; "));
            None
        }
        Err(_) => {
            note_failure(global, agent, "a bug of ours: the hook panicked");
            None
        }
    };
    say(reply.as_deref().unwrap_or(agent.neutral()))
}

/// A command line of ours that cannot be read, in a hook: nothing to say.
pub fn unusable() -> ExitCode {
    say(neutral_for_nobody())
}

fn neutral_for_nobody() -> &'static str {
    "{}"
}

fn say(reply: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    // An agent that is gone hears nothing: nothing to do about it.
    let _ = out.write_all(reply.as_bytes()).and_then(|()| out.flush());
    ExitCode::SUCCESS
}

fn note_failure(global: &Global, agent: &dyn Agent, message: &str) {
    let Ok(world) = World::new(global) else { return };
    let queue = Queue::new(world.disk.clone(), world.layout.clone());
    let event = Happened::new(world.now(), Event::HookFailed).by(agent.name()).saying(None, message);
    // Without a home there is no journal, and nobody is missing it.
    let _ = queue.journal(&[event]);
}

/// The reply's bytes; `None` for the neutral one.
fn answer(agent: &'static dyn Agent, global: &Global) -> Result<Option<String>, Failure> {
    // First, whatever comes: an agent whose event nobody reads may fail on its side.
    let bytes = input::read();
    if is_disabled_here() {
        return Ok(None);
    }
    let mut world = World::new(global)?;
    if world.disk.stat(world.layout.home())?.is_none() {
        return Ok(None);
    }
    let bytes = bytes.map_err(Failure::new)?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let payload = serde_json::from_slice(text)
        .or_else(|_| serde_json::from_str(&String::from_utf8_lossy(text)))
        .map_err(|e| Failure::new(format!("the event on standard input is not JSON: {e}")))?;
    let event = agent.read(&payload);
    if let Some(cwd) = event.cwd.as_ref().or(event.project.as_ref()) {
        world.cwd.clone_from(cwd);
    }
    if is_switched_off(&world)? {
        return Ok(None);
    }
    let call = Call { agent, event: &event, world: &world };
    let Some(reply) = call.reply()? else { return Ok(None) };
    Ok(agent.reply(&event, &reply))
}

/// The managed documents that can be found here, links resolved.
pub fn documents(world: &World, settings: &Settings) -> Vec<std::path::PathBuf> {
    guard::documents(world, settings).into_iter().map(|(_, document)| document.canonical).collect()
}

/// Whether the environment says that hooks do nothing.
pub fn is_disabled_here() -> bool {
    std::env::var_os("LAST_WORD_DISABLE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether a file says that hooks do nothing, for everything or for one project.
pub fn is_switched_off(world: &World) -> Result<bool, Failure> {
    let home = world.layout.disabled();
    let project = world.project().map(|root| root.join(".agents/disabled"));
    for path in [Some(home), project].into_iter().flatten() {
        if world.disk.stat(&path)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// One call of a hook.
struct Call<'a> {
    agent: &'static dyn Agent,
    event: &'a HookEvent,
    world: &'a World,
}

impl Call<'_> {
    fn reply(&self) -> Result<Option<Reply>, Failure> {
        match &self.event.kind {
            Kind::SessionStarted if !self.event.subagent => self.started(),
            Kind::PromptSubmitted => self.prompted(),
            Kind::ToolWanted(call) => {
                let intent = agents::intent(call, &self.world.user_home, &self.world.cwd);
                self.wanted(&intent)
            }
            Kind::Compacting if !self.event.subagent => {
                self.ask("This conversation is about to be summarised.")
            }
            Kind::Stopping { again: false } if !self.event.subagent && !self.is_unattended() => {
                self.ask("Before you stop.")
            }
            Kind::SessionEnded if !self.event.subagent => self.ended(),
            _ => Ok(None),
        }
    }

    fn is_unattended(&self) -> bool {
        let begins =
            |(name, begins): (&str, &str)| std::env::var(name).is_ok_and(|value| value.starts_with(begins));
        self.agent.unattended().is_some_and(begins)
    }

    /// The settings; `None` when they switch hooks off.
    fn settings(&self) -> Result<Option<Settings>, Failure> {
        Ok(Some(self.world.settings()?).filter(|settings| settings.enabled))
    }

    /// The session and the right to decide for it; `None` when it has no name, or another agent has it: two agents that
    /// read one configuration both call, and one effect is enough.
    fn session(&self, queue: &Queue) -> Result<Option<(Session, Lock)>, Failure> {
        let Some(name) = &self.event.session else { return Ok(None) };
        let session = queue.session(self.agent.name(), name);
        let mut tries = 0;
        let held = loop {
            match session.try_lock()? {
                Some(held) => break held,
                None if tries == LOCK_TRIES => {
                    return Err(Failure::new(format!("session {} is busy", session.name())));
                }
                None => {
                    tries += 1;
                    std::thread::sleep(LOCK_WAIT);
                }
            }
        };
        let owned = session.is_known()? || queue.twins(&session)?.is_empty();
        Ok(owned.then_some((session, held)))
    }

    fn who(&self) -> Who {
        Who {
            agent: self.agent.name().to_owned(),
            session: self.event.session.clone().unwrap_or_default(),
            cwd: Some(self.world.cwd.clone()),
            project: self.world.project(),
        }
    }

    fn noted(&self, what: What, detail: Option<&str>) -> Noted {
        Noted { at: self.world.now(), what, detail: detail.map(str::to_owned), who: None }
    }

    /// Shows the context: the same bytes each time, unless the conversation was cleared.
    fn started(&self) -> Result<Option<Reply>, Failure> {
        let Some(settings) = self.settings()? else { return Ok(None) };
        let queue = self.world.queue()?;
        let Some((session, _held)) = self.session(&queue)? else { return Ok(None) };
        let now = self.world.now();
        let log = session.log()?;
        let reason = self.event.reason.as_deref();
        let last = log.iter().rev().find(|noted| noted.what == What::Started);
        let told = |noted: &Noted| {
            noted.detail.as_deref() == reason && now.since_ms(noted.at) < SAME_START_MS && !has_ended(&log)
        };
        if last.is_some_and(told) {
            return Ok(None);
        }
        let kept = if reason == Some("clear") { None } else { session.context()? };
        let mut notes = vec![Noted { who: Some(self.who()), ..self.noted(What::Started, reason) }];
        let text = match kept {
            Some(text) => text,
            None => {
                let length = |text: &str| self.agent.length(text);
                let shown = start::build(self.world, &queue, &settings, &length)?;
                session.keep_context(&shown.text, now)?;
                notes.extend(shown.whole.iter().map(|name| self.noted(What::Shown, Some(name))));
                if start::waiting(&queue)?.is_some() {
                    notes.push(self.noted(What::Reminded, None));
                }
                shown.text
            }
        };
        session.note(&notes)?;
        Ok((!text.is_empty()).then_some(Reply::Context(text)))
    }

    /// Says once what failed or waits for a yes.
    fn prompted(&self) -> Result<Option<Reply>, Failure> {
        let Some(settings) = self.settings()? else { return Ok(None) };
        let queue = self.world.queue()?;
        let Some((session, _held)) = self.session(&queue)? else { return Ok(None) };
        let log = session.log()?;
        self.heard(&session, &log)?;
        if !settings.hooks.remind || log.iter().any(|noted| noted.what == What::Reminded) {
            return Ok(None);
        }
        let Some(text) = start::waiting(&queue)? else { return Ok(None) };
        let reply = Reply::Context(text);
        if self.agent.reply(self.event, &reply).is_some() {
            session.note(&[self.noted(What::Reminded, None)])?;
        }
        Ok(Some(reply))
    }

    /// Notes that the session lives, now and then.
    fn heard(&self, session: &Session, log: &[Noted]) -> Result<(), Failure> {
        let lately = |noted: &Noted| self.world.now().since_ms(noted.at) < HEARD_EVERY_MS;
        if !log.last().is_some_and(lately) || has_ended(log) {
            session.note(&[Noted { who: Some(self.who()), ..self.noted(What::Heard, None) }])?;
        }
        Ok(())
    }

    fn wanted(&self, intent: &Intent) -> Result<Option<Reply>, Failure> {
        if *intent == Intent::default() {
            return Ok(None);
        }
        let Some(settings) = self.settings()? else { return Ok(None) };
        let queue = self.world.queue()?;
        let session = self.session(&queue)?;
        let log = session.as_ref().map(|(session, _)| session.log()).transpose()?.unwrap_or_default();
        let of = |what: What| {
            log.iter().filter(move |noted| noted.what == what).filter_map(|noted| noted.detail.clone())
        };
        let read: Vec<String> = of(What::Shown).collect();
        if let Some((session, _)) = &session {
            self.heard(session, &log)?;
            let new =
                guard::reads(self.world, &settings, intent).into_iter().filter(|name| !read.contains(name));
            let new: Vec<Noted> = new.map(|name| self.noted(What::Shown, Some(&name))).collect();
            if !new.is_empty() {
                session.note(&new)?;
            }
        }
        let found = guard::judge(self.world, &settings, self.event, self.agent.name(), intent, &read);
        if let (Some(guard::Finding::Unread(Mode::Warn, text)), Some((session, _))) = (&found, &session) {
            // Once is enough: it was said, and it is allowed.
            if of(What::Warned).any(|warned| warned == *text) {
                return Ok(None);
            }
            session.note(&[self.noted(What::Warned, Some(text))])?;
        }
        Ok(found.map(|found| found.reply()))
    }

    /// Asks once a session, and only one that declared nothing. It is written down first: what cannot be written down is
    /// not asked, or a stop would never end.
    fn ask(&self, when: &str) -> Result<Option<Reply>, Failure> {
        let Some(settings) = self.settings()?.filter(|settings| settings.hooks.ask) else { return Ok(None) };
        let queue = self.world.queue()?;
        let Some((session, _held)) = self.session(&queue)? else { return Ok(None) };
        let log = session.log()?;
        self.heard(&session, &log)?;
        let over = |noted: &Noted| matches!(noted.what, What::Asked | What::Planned | What::Flushed);
        if log.iter().any(over) || session.planned_count()? > 0 {
            return Ok(None);
        }
        let project = self.world.project();
        let used = |base| start::document(self.world, &settings, base, project.as_deref());
        let found = guard::documents(self.world, &settings);
        let bases: Vec<_> = start::writable(&settings)
            .into_iter()
            .filter(|base| found.iter().any(|(known, _)| known.name == base.name))
            .map(|base| (base, used(base).map_or(0, |text| text.chars().count())))
            .collect();
        if bases.is_empty() {
            return Ok(None);
        }
        let whose = words::whose(self.agent.name(), self.event.session.as_deref());
        let reply = Reply::Ask(words::ask(when, &bases, &whose));
        if self.agent.reply(self.event, &reply).is_none() {
            return Ok(None);
        }
        session.note(&[self.noted(What::Asked, Some(&self.event.native))])?;
        Ok(Some(reply))
    }

    /// The buffer becomes jobs first of all; then the record, and a worker where that is wished.
    fn ended(&self) -> Result<Option<Reply>, Failure> {
        let settings = self.settings();
        if matches!(settings, Ok(None)) {
            return Ok(None);
        }
        let queue = self.world.queue()?;
        let Some(name) = &self.event.session else { return Ok(None) };
        let session = queue.session(self.agent.name(), name);
        let flushed = flush::one(&queue, &session, self.world.now())?;
        if let Some((session, _held)) = self.session(&queue)? {
            self.record(&queue, &session)?;
        }
        if settings?.is_some_and(|settings| settings.hooks.drain) && !flushed.is_empty() {
            self.start_worker();
        }
        Ok(None)
    }

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
        let ended_at: Timestamp = self.world.now();
        let reason = self.event.reason.clone();
        queue.note_ended(&EndedSession { who, started_at: first.at, ended_at, reason, declared })?;
        Ok(())
    }

    /// A worker that outlives us: it leaves our process session itself, first thing.
    fn start_worker(&self) {
        let Ok(program) = std::env::current_exe() else { return };
        let mut command = Command::new(program);
        command.arg("--home").arg(self.world.layout.home()).args(["work", "--own-session"]);
        command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Err(e) = command.spawn() {
            let queue = Queue::new(self.world.disk.clone(), self.world.layout.clone());
            let message = format!("cannot start a worker: {}", chain(&e));
            let event = Happened::new(self.world.now(), Event::HookFailed)
                .by(self.agent.name())
                .saying(None, message);
            let _ = queue.journal(&[event]);
        }
    }
}
