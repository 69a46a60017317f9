//! `completions`: what the shell offers when Tab is pressed, generated from the command line itself.

use crate::args::Args;
use crate::args::operate::Completions;
use crate::failure::Failure;
use crate::render;
use clap::CommandFactory;

pub fn run(args: &Completions) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "last-word", &mut script);
    render::line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(0)
}
