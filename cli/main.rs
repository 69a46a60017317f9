//! The binary: arguments, configuration, clock, environment, printing, exit codes. Everything else is in the crates.

mod args;
mod commands;
mod entry;
mod failure;
mod progress;
mod render;
mod speaker;
mod table;
mod world;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        // clap prints help to stdout (exit 0) and mistakes to stderr (exit 2).
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { failure::USAGE } else { 0 });
        }
    };
    match world::World::new(&args.global).and_then(|world| commands::run(args.command, &world)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code)
        }
    }
}
