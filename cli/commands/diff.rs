//! `diff`: what changed in a document between two versions.

use crate::args::operate::Diff;
use crate::failure::Failure;
use crate::render;
use crate::world::World;

pub fn run(args: &Diff, world: &World) -> Result<u8, Failure> {
    let changed = world.diff(&args.document, args.from, args.to, &world.cwd)?;
    if world.json {
        render::json_sorted(&changed)?;
    } else if changed.diff.is_empty() {
        let name = world.short(&changed.document);
        let to = changed.to.map_or_else(|| "now".to_owned(), |to| format!("version {to}"));
        render::line(&format!("{name}: version {} and {to} are the same", changed.from))?;
    } else {
        render::diff(world.page, &changed.diff)?;
    }
    Ok(0)
}
