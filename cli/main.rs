//! The binary: arguments, configuration, clock, environment, printing, exit codes. Everything else is in the crates.

mod args;
mod commands;
mod entry;
mod failure;
mod hook;
mod install;
mod logs;
mod notices;
mod own_name;
mod progress;
mod render;
mod speaker;
mod table;
mod visible;
mod world;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // What hooks type is plain, and read at once; help and mistakes are clap's.
    let quick = args::quick::read(std::env::args_os().skip(1));
    let args = match quick.map_or_else(args::Args::try_parse, Ok) {
        Ok(args) => args,
        // clap prints help to stdout (exit 0) and mistakes to stderr (exit 2).
        Err(e) if e.use_stderr() && is_hook() => return hook::unusable(),
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { failure::USAGE } else { 0 });
        }
    };
    if let args::Command::Hook(hook) = &args.command {
        return hook::main(hook, &args.global);
    }
    logs::begin(args.global.verbose);
    match world::World::new(&args.global).and_then(|world| commands::run(args.command, &world)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure::print(&failure);
            ExitCode::from(failure.exit.code())
        }
    }
}

/// Whether an agent calls, and not a person who mistyped: exit 2 would make it stop what it does.
fn is_hook() -> bool {
    use std::io::IsTerminal;
    let mut args = std::env::args().skip(1);
    // The first word that is no option is the command.
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--home" => drop(args.next()),
            option if option.starts_with('-') => {}
            command => return command == "hook" && !std::io::stdin().is_terminal(),
        }
    }
    false
}
