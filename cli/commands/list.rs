//! `list`: which jobs are where.

use super::select;
use crate::args::List;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use operator::{Filter, Row};

pub fn run(args: &List, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let limit = Some(args.limit).filter(|limit| *limit > 0);
    let state = args.state.map(Into::into);
    // One more than is shown: to know whether there are more.
    let filter = Filter {
        state,
        limit: limit.map(|n| n.saturating_add(1)),
        ..select::filter(&args.selection, world)?
    };
    let mut rows = operator::list(&queue, &filter)?;
    let more = limit.is_some_and(|limit| rows.len() > limit);
    rows.truncate(limit.unwrap_or(usize::MAX));
    if world.json {
        render::json(&rows)?;
        return Ok(0);
    }
    if rows.is_empty() {
        render::line("no jobs")?;
        return Ok(0);
    }
    let now = world.now();
    let cells = rows.iter().map(|row| cells(world, row, now)).collect();
    render::line(&render::table(&["ID", "STATE", "DECLARED", "DOCUMENT", "WHAT", "NOTE"], cells))?;
    if more {
        render::line(&format!(
            "… and more; --limit 0 shows all, `last-word list STATE --document {}` fewer",
            "DOC"
        ))?;
    }
    Ok(0)
}

fn cells(world: &World, row: &Row, now: knowledge::Timestamp) -> Vec<String> {
    let document = row.document.as_ref().map_or_else(|| "-".to_owned(), |path| world.short(path));
    let due = row.due.map(|due| format!("due {}", render::ago(now, due)));
    let error =
        row.error.as_ref().map(|code| format!("{code}: {}", row.message.as_deref().unwrap_or_default()));
    let note =
        [due, row.held_by.as_ref().map(|by| format!("held by {by}")), row.outcome.map(str::to_owned), error];
    let note: Vec<String> = note.into_iter().flatten().collect();
    vec![
        row.id.to_string(),
        row.state.as_str().to_owned(),
        render::ago(now, row.declared),
        document,
        row.what.clone().unwrap_or_else(|| "-".to_owned()),
        note.join(", "),
    ]
}
