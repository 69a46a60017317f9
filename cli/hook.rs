//! The entry point for agents: event JSON on stdin, reply JSON on stdout, exit 0. A failure is noted in the journal and never
//! shown to the agent: people remove hooks that get in their agent's way.

mod input;

use crate::args::Global;
use crate::asking;
use crate::failure::{Failure, chain};
use crate::homes::StartedBy;
use crate::world::World;
use agents::Agent;
use clap::{ArgMatches, FromArgMatches};
use durable::{Disk, RealDisk};
use engine::HookCall;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::process::{Command, ExitCode, Stdio};

/// For agents: an event on standard input, the reply on standard output
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`last-word install AGENT` writes the calls of this into the agent's configuration. It always ends with
exit 0 and prints nothing but a reply; what went wrong is in the journal. `enabled: false` in config.yaml, or a file named
`disabled` in the home switch it off; LAST_WORD_DISABLE=1, or such a file in the project's .agents/, switch off what sessions
are shown and asked, and not what agents are kept from. Without --home it is the usual home that is meant, where there is one."
)]
pub struct Args {
    /// claude_code, codex, gemini_cli, copilot, cursor, qwen_code, opencode or generic
    #[arg(long)]
    pub agent: String,
}

/// Answers an agent. It prints nothing but the reply on stdout, and its exit code is always 0.
pub fn run(mut matches: ArgMatches, global: &Global) -> ExitCode {
    let Ok(args) = Args::from_arg_matches_mut(&mut matches) else { return unusable() };
    // A panic's message would go to stderr, which Gemini CLI reads.
    std::panic::set_hook(Box::new(|_| {}));
    let Some(agent) = agents::find(&args.agent) else {
        return say(neutral_for_nobody());
    };
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| answer(agent, global)));
    let reply = match answered {
        Ok(Ok(reply)) => reply,
        Ok(Err(failure)) => {
            note_failure(global, agent, &failure.sentence());
            None
        }
        Err(_) => {
            note_failure(global, agent, "a bug of ours: the hook panicked");
            None
        }
    };
    say(reply.as_deref().unwrap_or(agent.neutral()))
}

/// A hook command line that cannot be read: the neutral reply.
pub fn unusable() -> ExitCode {
    say(neutral_for_nobody())
}

fn neutral_for_nobody() -> &'static str {
    "{}"
}

fn say(reply: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    // It fails where the agent has closed the pipe: then nobody reads the reply.
    let _ = out.write_all(reply.as_bytes()).and_then(|()| out.flush());
    ExitCode::SUCCESS
}

fn note_failure(global: &Global, agent: &dyn Agent, message: &str) {
    if let Ok(world) = World::started_by(StartedBy::AgentForHook, global) {
        world.note_hook_failure(agent, message);
    }
}

/// The reply's bytes; `None` for the neutral one.
fn answer(agent: &'static dyn Agent, global: &Global) -> Result<Option<String>, Failure> {
    // The event is read first, whatever fails then: an agent may fail when nobody reads what it writes.
    let bytes = input::read();
    let world = World::started_by(StartedBy::AgentForHook, global)?;
    if world.disk.stat(world.layout().home())?.is_none() {
        return Ok(None);
    }
    let bytes = bytes.map_err(Failure::new)?;
    let beside = || world.homes_beside();
    let called = HookCall { cwd: &world.cwd, switched_off: is_disabled_here(), beside: &beside };
    let answer = world.answer_hook(agent, &bytes, called, &|| is_unattended(agent))?;
    if answer.start_worker {
        start_worker(&world, agent);
    }
    Ok(answer.reply)
}

/// Whether the environment says that hooks do nothing but guard: a variable may be a repository's.
pub fn is_disabled_here() -> bool {
    std::env::var_os("LAST_WORD_DISABLE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether a variable, or the command line of the agent, says that no person is at the terminal.
fn is_unattended(agent: &dyn Agent) -> bool {
    let begins =
        |(name, begins): (&str, &str)| std::env::var(name).is_ok_and(|value| value.starts_with(begins));
    agent.unattended().is_some_and(begins)
        || asking::above_us(&RealDisk::new()).iter().any(|ancestor| ancestor.process.is_headless(agent))
}

/// Starts a worker that outlives this process: `--own-session` makes it leave our process session first of all.
fn start_worker(world: &World, agent: &dyn Agent) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.arg("--home").arg(world.layout().home()).args(["work", "--own-session"]);
    // What the agent was told by a repository is nothing to the worker.
    command.env("HOME", world.user_home()).env_remove("LAST_WORD_HOME");
    command.envs(world.cache.parent().map(|dir| ("XDG_CACHE_HOME", dir)));
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(e) = command.spawn() {
        world.note_hook_failure(agent, &format!("cannot start a worker: {}", chain(&e)));
    }
}
