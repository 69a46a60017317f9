//! The binary: arguments, configuration, clock, environment, printing, exit codes. Everything else is in the crates.

mod advice;
mod args;
mod asking;
mod commands;
mod completing;
mod entry;
mod failure;
mod homes;
mod hook;
mod install;
mod language;
mod logs;
mod notices;
mod opening;
mod own_name;
mod progress;
mod question;
mod render;
mod replaces;
mod screen;
mod speaker;
mod table;
mod visible;
mod world;
mod wrap;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    if completing::answered() {
        return ExitCode::SUCCESS;
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    match args::CommandLine::read(&words) {
        Ok(line) => line.run(),
        // clap prints help to stdout (exit 0) and mistakes to stderr (exit 2).
        Err(e) if e.use_stderr() && is_hook(&words) => hook::unusable(),
        Err(e) => {
            failure::print_usage(&e);
            ExitCode::from(if e.use_stderr() { failure::USAGE } else { 0 })
        }
    }
}

/// Whether an agent calls, and not a person who mistyped: an agent would take exit code 2 as an order to stop what it does.
fn is_hook(words: &[OsString]) -> bool {
    use std::io::IsTerminal;
    args::first_named(words) == Some("hook") && !std::io::stdin().is_terminal()
}
