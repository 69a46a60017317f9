//! `completions`: the script by which a shell asks this program what to offer when Tab is pressed.

use crate::completing;
use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;

/// Print what completes commands, flags and values in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The script asks this program: knowledge bases, agents, jobs and error codes are those of your home. In the shell's start-up
file:

  bash   source <(last-word completions bash)      in ~/.bashrc
  zsh    source <(last-word completions zsh)       in ~/.zshrc, after compinit
  fish   last-word completions fish | source       in ~/.config/fish/config.fish

Written into a file instead, it is to be written anew after each update."
)]
pub struct Args {
    /// For which shell
    #[arg(value_name = "SHELL", value_parser = completing::shells())]
    pub shell: String,
}

pub fn run(own: &Args, _: &World) -> Result<u8, Failure> {
    let script = completing::script(&own.shell).ok_or_else(|| {
        Failure::new(format!("no shell `{}` is known", own.shell)).exit(failure::Exit::Usage)
    })?;
    let script = script.map_err(failure::unwritable)?;
    render::line(String::from_utf8_lossy(&script).trim())?;
    Ok(0)
}
