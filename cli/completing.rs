//! What a shell offers when Tab is pressed: the shell's script calls this program with a variable set, and it answers with
//! commands and flags, and with values of this home: knowledge bases, agents, jobs, error codes.

use crate::args::{self, Colour, Global};
use crate::install::schedule::Schedule;
use crate::world::World;
use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use queue_layout::State;
use std::ffi::OsString;

/// Set by the scripts of `completions`; nobody else does.
const VARIABLE: &str = "LAST_WORD_COMPLETE";
const PROGRAM: &str = "last-word";
/// Zsh runs the script in $fpath at the first Tab: that Tab must be answered too.
const ZSH_FIRST_TAB: &str =
    "\nif [[ ${funcstack[1]} = _last-word ]]; then _clap_dynamic_completer_last_word \"$@\"; fi\n";

/// Answers a shell that asks for completions. False when nobody asked.
pub fn answered() -> bool {
    // If this fails, the shell offers its own completions.
    std::env::var_os(VARIABLE).is_some()
        && CompleteEnv::with_factory(with_values)
            .var(VARIABLE)
            .try_complete(std::env::args_os(), std::env::current_dir().ok().as_deref())
            .is_ok()
}

/// The script of a shell, which calls us from then on; `None` for a shell that is not known.
pub fn script(shell: &str) -> Option<std::io::Result<Vec<u8>>> {
    let shells = Shells::builtins();
    let shell = shells.completer(shell)?;
    let mut script = Vec::new();
    let written = shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script);
    if shell.name() == "zsh" {
        script.extend_from_slice(ZSH_FIRST_TAB.as_bytes());
    }
    Some(written.map(|()| script))
}

/// The shells that are known.
pub fn shells() -> Vec<&'static str> {
    Shells::builtins().names().collect()
}

/// The command line, with the choices for values that are not fixed words.
fn with_values() -> Command {
    let whole = args::whole();
    let names: Vec<String> = whole.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.into_iter().fold(whole, |whole, name| {
        whole.mut_subcommand(&name, |command| command.mut_args(|arg| with_candidates(&name, arg)))
    })
}

/// An argument, by its name in the help.
fn with_candidates(command: &str, arg: Arg) -> Arg {
    let called = arg.get_value_names().and_then(<[_]>::first).map(ToString::to_string).unwrap_or_default();
    let candidates = match (command, called.as_str()) {
        // Here ID is an entry of a session, or a command's name.
        ("plan", "ID") => return arg,
        (_, "DOC" | "KB|PATH") => ArgValueCandidates::new(knowledge_bases),
        ("uninstall" | "install", "AGENT|SCHEDULE") => ArgValueCandidates::new(wirings),
        (_, "AGENT") => ArgValueCandidates::new(agents),
        ("resolve", "ID|FILE") => ArgValueCandidates::new(|| jobs(&[State::Failed])),
        ("review", "ID") => ArgValueCandidates::new(|| jobs(&[State::Review])),
        (_, "ID" | "ID|FILE") => ArgValueCandidates::new(|| jobs(&State::ALL)),
        (_, "CODE") => ArgValueCandidates::new(codes),
        (_, "FILE") => return arg.value_hint(ValueHint::AnyPath),
        ("man", "COMMAND") => ArgValueCandidates::new(commands),
        _ => return arg,
    };
    arg.add(candidates)
}

/// The home that the unfinished line names, or the usual one.
fn world() -> Option<World> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let after = |at: usize| words.get(at + 1).map(Into::into);
    let named = words.iter().enumerate().find_map(|(at, word)| {
        let word = word.to_str()?;
        if word == "--home" { after(at) } else { word.strip_prefix("--home=").map(Into::into) }
    });
    let global = Global { home: named, json: true, color: Colour::Never, decider: None, verbose: 0 };
    World::new(&global).ok()
}

fn knowledge_bases() -> Vec<CompletionCandidate> {
    let settings = world().and_then(|world| world.settings().ok());
    let kbs = settings.as_ref().map(|settings| settings.knowledge_bases.as_slice()).unwrap_or_default();
    kbs.iter().map(|kb| candidate(&kb.name, &kb.path)).collect()
}

/// How many jobs are offered, the newest ones: nobody chooses from a longer list.
const JOBS_MAX: usize = 100;

fn jobs(states: &[State]) -> Vec<CompletionCandidate> {
    let Some(world) = world().filter(|world| world.check().is_ok()) else { return Vec::new() };
    let mut rows = Vec::new();
    for state in states {
        let filter = operator::Filter {
            state: Some(*state),
            sort: Some(operator::Sort::Newest),
            limit: Some(JOBS_MAX),
            ..operator::Filter::default()
        };
        rows.extend(world.list(&filter).unwrap_or_default());
    }
    rows.truncate(JOBS_MAX);
    let told = |row: &operator::Row| {
        let words = [Some(row.state.as_str()), row.error.as_deref(), row.what.as_deref()];
        candidate(&row.id.to_string(), &words.into_iter().flatten().collect::<Vec<_>>().join("  "))
    };
    rows.iter().map(told).collect()
}

fn codes() -> Vec<CompletionCandidate> {
    let world = world();
    let status = world.as_ref().and_then(|world| world.status(&world.cwd).ok());
    let failures = status.map(|status| status.failures).unwrap_or_default();
    failures.iter().map(|group| candidate(&group.code, &format!("{} failed", group.count))).collect()
}

fn agents() -> Vec<CompletionCandidate> {
    agents::ALL.iter().map(|agent| candidate(agent.name(), "")).collect()
}

fn wirings() -> Vec<CompletionCandidate> {
    let schedules = Schedule::ALL.iter().map(|(name, _)| candidate(name, "runs the worker"));
    let wired = agents::ALL.iter().filter(|agent| agent.can_be_installed());
    wired.map(|agent| candidate(agent.name(), "")).chain(schedules).collect()
}

fn commands() -> Vec<CompletionCandidate> {
    crate::commands::ALL.iter().map(|listed| candidate(listed.name, "")).collect()
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    let help = (!help.is_empty()).then(|| help.to_owned().into());
    CompletionCandidate::new(value).help(help)
}
