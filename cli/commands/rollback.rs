//! `rollback`: a document goes back to an earlier version. By a job, so that it keeps its place among the others, is
//! in the history, and can itself be rolled back.

use crate::args::operate::Rollback;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use engine::output;

pub fn run(args: &Rollback, world: &World) -> Result<u8, Failure> {
    world.refuse_agents("roll back")?;
    world.check()?;
    let who = world.who(args.reason.as_deref())?;
    let caller = world.caller(None, None);
    let back = world.rollback(&caller, &who, &args.document, args.to, args.dry_run)?;
    if world.json {
        render::json_sorted(&back)?;
        return Ok(0);
    }
    let output::Rollback { diff, document, id, to } = back;
    if diff.is_empty() {
        let name = world.short(&document);
        render::line(&format!("{name} is as it was in version {to}; nothing to do"))?;
        return Ok(0);
    }
    render::diff(world.page, &diff)?;
    match id {
        Some(id) => render::line(&format!("{id}  back to version {to}; `last-word work` merges it"))?,
        None => render::line(&format!("would go back to version {to}"))?,
    }
    Ok(0)
}
