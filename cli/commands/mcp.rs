//! `mcp`: serves the tools of the Model Context Protocol to an agent that starts this command. Standard output belongs to
//! the protocol.

use crate::failure::Failure;
use crate::world::World;
use clap::ValueEnum;
use mcp::ToolSet;
use std::io::IsTerminal;

/// Serve an agent the tools recall, read, remember, revise and outcome (Model Context Protocol, stdio)
#[derive(Debug, clap::Args)]
#[command(after_help = "An agent starts it and speaks to it; docs/AGENTS.md says how each is told of it.")]
pub struct Args {
    /// five, or s4: also end, search_events, get_profile and search_profiles
    #[arg(long, value_name = "SET", default_value = "five", hide_possible_values = true)]
    pub tools: Tools,
}

/// Which tools there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Tools {
    /// The five.
    Five,
    /// Also those of S4.
    S4,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    // A missing home is reported at each call, because an agent shows that to its person, but not why a server did not
    // start.
    let tools = match args.tools {
        Tools::Five => ToolSet::Five,
        Tools::S4 => ToolSet::S4,
    };
    if std::io::stdin().is_terminal() {
        crate::render::tell_line("last-word: an agent's program speaks here, not a person; Ctrl-D ends it");
        crate::render::tell_line("hint: last-word install AGENT --mcp has an agent start it");
    }
    mcp::serve(world.home.clone(), world.cwd.clone(), tools)?;
    Ok(0)
}
