//! `diff`: what changed in a document between two versions.

use crate::failure::Failure;
use crate::progress;
use crate::render;
use crate::world::World;

/// What changed in a document between two versions
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word diff user          what the last commit changed, and what was saved since
  last-word diff user 3        from version 3 to now
  last-word diff user 3 4      from version 3 to version 4")]
pub struct Args {
    /// A knowledge base, or the document's path
    #[arg(value_name = "DOC")]
    pub document: String,
    /// From this version [default: the one before the newest]
    #[arg(value_name = "A")]
    pub from: Option<u64>,
    /// To this version [default: the document as it is now]
    #[arg(value_name = "B")]
    pub to: Option<u64>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let look = || world.diff(&args.document, args.from, args.to, &world.cwd);
    let changed = progress::waiting("reading its versions", look)?;
    if world.json {
        render::json_sorted(&changed)?;
    } else if changed.diff.is_empty() {
        let name = world.short(&changed.document);
        let to = changed.to.map_or_else(|| "now".to_owned(), |to| format!("version {to}"));
        render::say(&format!("{name}: version {} and {to} are the same", changed.from))?;
    } else {
        render::diff(world.page, &changed.diff)?;
    }
    Ok(0)
}
