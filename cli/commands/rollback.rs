//! `rollback`: puts a document back to an earlier version. It does so by a job, which keeps its place among the others, is
//! in the history, and can itself be rolled back.

use crate::failure::Failure;
use crate::progress;
use crate::render;
use crate::world::World;
use engine::{Actor, output};

/// Put a document back to an earlier version, by a job that can itself be rolled back
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A rollback is a job like any other: `last-word work` merges it, and it can itself be rolled back. Without --to the
last merge is taken out, and what you edited since stays; with --to the whole document is put back, and your edits since go,
too. What is changed between now and then stays; where both changed the same lines the job fails, and you decide.

Examples:
  last-word rollback user               undo the last merge
  last-word rollback user --to 3        as it was in version 3 (`last-word history user`)
  last-word rollback user --dry-run     only show the change"
)]
pub struct Args {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
    /// The whole document, as it was in this version [default: undo the newest]
    #[arg(long, value_name = "REV")]
    pub to: Option<u64>,
    /// Why, for the history
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Show the change, and enqueue nothing
    #[arg(long)]
    pub dry_run: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    World::check_reason(args.reason.as_deref())?;
    // A dry run decides nothing, so anybody may ask for it.
    let who = match args.dry_run {
        true => Actor { name: world.person(), channel: String::new(), reason: args.reason.clone() },
        false => world.who("rollback", args.reason.as_deref())?,
    };
    let caller = world.person_calls();
    let look = || world.rollback(&caller, &who, &args.document, args.to, args.dry_run);
    let back = progress::waiting("reading its versions", look)?;
    if world.json {
        render::json_sorted(&back)?;
        return Ok(0);
    }
    let output::Rollback { diff, document, id, to, keeps_edits, waiting } = back;
    let but = if keeps_edits { ", but for what was edited by hand since, which stays" } else { "" };
    if diff.is_empty() {
        let name = world.short(&document);
        render::say(&format!("{name} is as it was in version {to}; nothing to do"))?;
        return Ok(0);
    }
    render::diff(world.page, &diff)?;
    match id {
        Some(id) => render::say(&format!("{id}  back to version {to}{but}; `last-word work` merges it"))?,
        None => render::say(&format!("would go back to version {to}{but}"))?,
    }
    if waiting > 0 {
        let jobs = render::count(waiting, "job");
        render::say(&format!(
            "what waits for this document is merged first: {jobs}; it stays, and where it replaces what goes back you decide"
        ))?;
    }
    Ok(0)
}
