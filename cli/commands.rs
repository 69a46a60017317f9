//! One file per command; this is only their list.

mod apply;
mod blame;
mod completions;
mod context;
mod demo;
mod diff;
mod doctor;
mod enqueue;
mod flush;
mod history;
mod hold;
mod init;
mod install;
mod list;
mod log;
mod man;
mod metrics;
mod plan;
mod prune;
mod read;
mod release;
mod resolve;
mod review;
mod rollback;
mod schema;
mod select;
mod show;
mod status;
mod validate;
mod verify;
mod why;
mod work;

use crate::args::Command;
use crate::failure::Failure;
use crate::world::World;

/// Runs a command; the exit code.
pub fn run(command: Command, world: &World) -> Result<u8, Failure> {
    match command {
        Command::Init(args) => init::run(&args, world),
        Command::Enqueue(args) => enqueue::run(&args, world),
        Command::Plan(args) => plan::run(&args, world),
        Command::Flush(args) => flush::run(&args, world),
        Command::Read(args) => read::run(&args, world),
        Command::Context(args) => context::run(&args, world),
        Command::Install(args) => install::run(&args, world),
        Command::Uninstall(args) => install::undo(&args, world),
        // `main` answers it before there is a world: nothing may fail there.
        Command::Hook(_) => Ok(0),
        Command::Work(args) => work::run(&args, world),
        Command::Apply(args) => apply::run(&args, world),
        Command::Status(args) => status::run(&args, world),
        Command::List(args) => list::run(&args, world),
        Command::Show(args) => show::run(&args, world),
        Command::Why(args) => why::run(&args, world),
        Command::Verify(args) => verify::run(&args, world),
        Command::Doctor(args) => doctor::run(&args, world),
        Command::Resolve(args) => resolve::run(&args, world),
        Command::Review(args) => review::run(&args, world),
        Command::Hold(args) => hold::run(&args, world),
        Command::Release(args) => release::run(&args, world),
        Command::History(args) => history::run(&args, world),
        Command::Diff(args) => diff::run(&args, world),
        Command::Blame(args) => blame::run(&args, world),
        Command::Rollback(args) => rollback::run(&args, world),
        Command::Prune(args) => prune::run(&args, world),
        Command::Log(args) => log::run(&args, world),
        Command::Metrics => metrics::run(world),
        Command::Validate(args) => validate::run(&args, world),
        Command::Schema => schema::run(world),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args, world),
        Command::Demo(args) => demo::run(&args, world),
    }
}
