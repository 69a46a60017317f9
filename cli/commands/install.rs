//! `install`: wires an agent to call us, or schedules the worker. `uninstall` makes its plan here too.

use crate::failure::Failure;
use crate::install::schedule::Schedule;
use crate::install::{Plan, agent, carry_out, server};
use crate::world::World;

/// Wire an agent, or schedule the worker (cron, systemd, launchd); shows the diff first
#[derive(Debug, clap::Args)]
pub struct Args {
    /// claude_code, codex, gemini_cli, copilot, cursor, qwen_code or opencode; or cron, systemd, launchd; with --mcp also vscode
    #[arg(value_name = "AGENT|SCHEDULE")]
    pub what: String,
    /// An agent: for this project only, in its own files
    #[arg(long)]
    pub project: bool,
    /// An agent: as a server of tools (`last-word mcp`) instead of hooks; for agents without a shell
    #[arg(long)]
    pub mcp: bool,
    /// systemd: one service that stays (`work --watch`), instead of one that is started when there is something to do
    #[arg(long)]
    pub watch: bool,
    /// systemd: without what needs unprivileged user namespaces
    #[arg(long)]
    pub unconfined: bool,
    /// Write, or take out, without asking
    #[arg(long, short)]
    pub yes: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    if Schedule::find(&args.what).is_none() && !args.mcp {
        agent::find(&args.what)?;
    }
    // Without a home every hook would be silent and every scheduled run would fail.
    world.check()?;
    let plan = plan(args, world, true)?;
    if !plan.leaves.is_empty() {
        world.refuse_agents("take out another home's hooks")?;
    }
    carry_out(world, &plan, args.yes)
}

/// What wiring, or taking it out again, would write.
pub fn plan(args: &Args, world: &World, install: bool) -> Result<Plan, Failure> {
    match Schedule::find(&args.what) {
        Some(_) if args.mcp => Err(Failure::new("--mcp is for an agent").exit(crate::failure::Exit::Usage)),
        Some(schedule) => schedule.plan(world, args, install),
        None if args.watch || args.unconfined => {
            Err(Failure::new("--watch and --unconfined are for systemd").exit(crate::failure::Exit::Usage))
        }
        None if args.mcp => server::plan(world, &args.what, args.project, install),
        None => agent::plan(world, &args.what, args.project, install),
    }
}
