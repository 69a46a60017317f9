//! `completions`: what the shell offers when Tab is pressed, generated from the command line itself.

use crate::args;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use clap_complete::Shell;

/// Print what completes commands and flags in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "  bash   last-word completions bash > ~/.local/share/bash-completion/completions/last-word
  zsh    last-word completions zsh > ~/.zfunc/_last-word    (with ~/.zfunc in $fpath)
  fish   last-word completions fish > ~/.config/fish/completions/last-word.fish"
)]
pub struct Args {
    /// For which shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

pub fn run(own: &Args, _: &World) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(own.shell, &mut args::whole(), "last-word", &mut script);
    render::line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(0)
}
