//! `page`: the home in a browser on this machine. Serves until nobody uses it, or a signal ends it; the link that opens it goes
//! to a terminal, and nowhere else.

use crate::failure::{Exit, Failure};
use crate::language::said;
use crate::render;
use crate::world::World;
use ::page::{ConnectionBounds, Listening, PageEnd, Serving};
use std::io::IsTerminal;
use std::time::Duration;

/// Look and decide in a browser on this machine
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It prints a link that works once: whoever opens it first is you. Then it stays until nobody has used it for a while,
or Ctrl-C. It listens on 127.0.0.1 alone. docs/PAGE.md says what it shows, and what keeps others out.

Examples:
  last-word page              decide on it: approve, reject, retry, roll back
  last-word page --look       only look
  last-word page --idle 480   stay for a working day"
)]
pub struct Args {
    /// Only show: nothing can be decided
    #[arg(long)]
    pub look: bool,
    /// Listen on this port [default: any that is free]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// End when it was not used for so many minutes
    #[arg(long, value_name = "MIN", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=10_080))]
    pub idle: u64,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let person = if args.look { None } else { Some(world.who("page", None)?.name) };
    let control = super::work::stop_on_signals()?;
    let serving = Serving {
        cwd: world.cwd.clone(),
        person,
        port: args.port,
        idle: Duration::from_secs(args.idle * 60),
        bounds: ConnectionBounds::default(),
    };
    let home = world.home.clone().beside(world.homes_beside());
    let listening = Listening::new(home, serving, control)?;
    tell(args, &listening.link())?;
    match listening.serve() {
        PageEnd::Idle => render::tell(&format!("nobody used the page for {} min; it has ended", args.idle)),
        PageEnd::Closed => render::tell("the page was closed in the browser; it has ended"),
        PageEnd::Stopped => {}
    }
    Ok(0)
}

/// Shows the link to the person alone: another reader of it could decide in their place. A page that only shows takes no decision.
fn tell(args: &Args, link: &str) -> Result<(), Failure> {
    let open = match args.look {
        true => "Open this to look; it works once:",
        false => "Open this to look and decide; it works once:",
    };
    let lines = format!("{open}\n\n{link}\n\nCtrl-C ends the page.");
    if args.look || std::io::stdout().is_terminal() {
        return render::line(&said(&lines));
    }
    if std::io::stderr().is_terminal() {
        crate::render::tell_line(said(&lines));
        return Ok(());
    }
    Err(Failure::new("the link to the page is shown on a terminal alone, and neither output is one")
        .hint("do not redirect the output; or say --look, and the page only shows")
        .exit(Exit::Usage))
}
