//! The list of commands: one file each, with its arguments and what it does.

mod adopt;
mod apply;
mod blame;
mod completions;
mod context;
mod deciders;
mod demo;
mod diff;
mod doctor;
mod drift;
mod end;
mod enqueue;
mod export;
mod flush;
mod history;
mod hold;
mod init;
pub mod install;
mod item;
mod list;
mod log;
mod man;
mod mcp;
mod metrics;
mod page;
mod plan;
mod prune;
mod read;
mod recall;
mod release;
mod remember;
mod report;
mod resolve;
mod review;
mod rollback;
mod schema;
mod select;
mod session;
mod show;
mod status;
mod tidy;
mod uninstall;
mod validate;
mod verify;
mod why;
mod work;

use crate::args::Global;
use crate::failure::{self, Failure};
use crate::homes::StartedBy;
use crate::hook;
use crate::logs;
use crate::world::World;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::process::ExitCode;

/// A command as the command line knows it.
#[derive(Debug)]
pub struct ListedCommand {
    /// Its name.
    pub name: &'static str,
    /// Its heading in the help, by what a person uses it for.
    pub group: &'static str,
    /// Adds its arguments and its help to the clap command of that name.
    pub define: fn(Command) -> Command,
    /// Runs it; the exit code.
    pub run: fn(ArgMatches, &Global) -> ExitCode,
}

/// A command's row: the module of its name has `Args` and `run`.
macro_rules! command {
    ($group:expr, $name:ident) => {
        ListedCommand {
            name: stringify!($name),
            group: $group,
            define: $name::Args::augment_args,
            run: |matches, global| in_world(matches, global, StartedBy::Anybody, $name::run),
        }
    };
}

const DECLARE: &str = "Declare what was learned";
const LOOK: &str = "Look";
const DECIDE: &str = "Decide what waits for a person";
const OPERATE: &str = "Operate";
const INSTALL: &str = "Install";

/// Every command, in the order of the help.
pub static ALL: &[ListedCommand] = &[
    command!(DECLARE, remember),
    command!(DECLARE, item),
    command!(DECLARE, session),
    command!(DECLARE, end),
    command!(DECLARE, enqueue),
    command!(DECLARE, plan),
    command!(DECLARE, flush),
    command!(DECLARE, adopt),
    command!(DECLARE, validate),
    command!(DECLARE, schema),
    command!(LOOK, status),
    command!(LOOK, list),
    command!(LOOK, show),
    command!(LOOK, why),
    command!(LOOK, verify),
    command!(LOOK, log),
    command!(LOOK, recall),
    command!(LOOK, read),
    command!(LOOK, context),
    command!(LOOK, history),
    command!(LOOK, diff),
    command!(LOOK, drift),
    command!(LOOK, blame),
    command!(LOOK, metrics),
    command!(LOOK, export),
    command!(LOOK, report),
    command!(DECIDE, resolve),
    command!(DECIDE, review),
    command!(DECIDE, page),
    command!(DECIDE, rollback),
    command!(DECIDE, hold),
    command!(DECIDE, release),
    command!(DECIDE, deciders),
    command!(OPERATE, work),
    command!(OPERATE, apply),
    command!(OPERATE, doctor),
    command!(OPERATE, tidy),
    command!(OPERATE, prune),
    command!(INSTALL, init),
    command!(INSTALL, install),
    command!(INSTALL, uninstall),
    // Nothing may fail before a hook answers: it makes its `World` itself.
    ListedCommand { name: "hook", group: INSTALL, define: hook::Args::augment_args, run: hook::run },
    ListedCommand {
        name: "mcp",
        group: INSTALL,
        define: mcp::Args::augment_args,
        run: |matches, global| in_world(matches, global, StartedBy::AgentForTools, mcp::run),
    },
    command!(INSTALL, completions),
    command!(INSTALL, man),
    command!(INSTALL, demo),
];

/// Runs a command in the environment of this process, and prints what went wrong.
fn in_world<A: FromArgMatches>(
    mut matches: ArgMatches,
    global: &Global,
    by: StartedBy,
    run: fn(&A, &World) -> Result<u8, Failure>,
) -> ExitCode {
    // Moved out of them: `from_arg_matches` would copy everything first.
    let args = match A::from_arg_matches_mut(&mut matches) {
        Ok(args) => args,
        Err(e) => {
            failure::print_usage(&e);
            return ExitCode::from(failure::USAGE);
        }
    };
    logs::begin(global.verbose);
    match World::started_by(by, global).and_then(|world| run(&args, &world)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure::print(&failure);
            ExitCode::from(failure.exit.code())
        }
    }
}
