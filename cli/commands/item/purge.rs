//! `item purge`: shows what would be forgotten, asks, forgets it, and says what it could not reach.

use super::PurgeArgs;
use crate::failure::{COULD_NOT, Failure};
use crate::language::said;
use crate::progress;
use crate::question;
use crate::render;
use crate::visible::visible;
use crate::world::World;
use engine::output::{Purged, WouldPurge};
use std::path::PathBuf;

/// Below the flags.
pub const HELP: &str =
    "The text, and why it was said, goes from the document, its earlier versions, receipts, journals, sessions, keys, drafts, jobs that wait
for a decision, and the index of recall; a line with the id, the day and who is left. There is no way back: `item retire` is
what can be undone. Copies elsewhere (backups, git, other homes, an agent's own logs) are not reached.

Examples:
  last-word item purge k7m2q9xa --dry-run    what it would touch
  last-word item purge k7m2q9xa              asks, then forgets it
  last-word --as cleanup item purge k7m2q9xa --yes --says \"a word\"
        by a script that a person lets do it (last-word deciders), and not if it says something else by then";

pub fn run(asked: &PurgeArgs, world: &World) -> Result<u8, Failure> {
    if asked.dry_run {
        for id in &asked.ids {
            show(world, &would_purge(world, id)?)?;
        }
        return Ok(0);
    }
    let who = world.who("purge", asked.reason.as_deref())?;
    if !asked.yes && !world.interactive() {
        return Err(Failure::new("a purge cannot be undone, and nobody is here to be asked")
            .hint("look with --dry-run, then say --yes")
            .exit(engine::Exit::Usage));
    }
    if asked.says.is_some() && asked.ids.len() > 1 {
        return Err(Failure::new("--says is for one item, and several are named").exit(engine::Exit::Usage));
    }
    let mut code = 0;
    for id in &asked.ids {
        let mut shown = asked.says.clone();
        if !asked.yes {
            let would = would_purge(world, id)?;
            show(world, &would)?;
            shown = shown.or(Some(would.text));
            let question = format!("forget {} for good? [y]es, [n]o:", visible(id));
            if question::letter(world, &format!("{} ", said(&question)))? != Some('y') {
                render::say("nothing was changed")?;
                continue;
            }
        }
        let forget = || world.purge(&world.person_calls(), &who, id, shown.as_deref());
        let purged = progress::waiting("forgetting it", forget)?;
        tell(world, &purged)?;
        if !purged.ended {
            code = COULD_NOT;
        }
    }
    Ok(code)
}

fn would_purge(world: &World, id: &str) -> Result<WouldPurge, Failure> {
    progress::waiting("looking for everything that says it", || world.would_purge(id, &world.cwd))
}

fn show(world: &World, would: &WouldPurge) -> Result<(), Failure> {
    if world.json {
        return render::json(would);
    }
    let document = would
        .document
        .as_ref()
        .map_or_else(|| "in no document any more".to_owned(), |path| world.short(path));
    render::say(&format!("{}  {document}", would.item))?;
    for line in would.text.lines() {
        render::line(&format!("  {}", visible(line)))?;
    }
    let files = would.files.iter().map(|(what, count)| format!("{count} in {what}/"));
    let files: Vec<String> = files.collect();
    if !files.is_empty() {
        render::say(&format!("  files that say it: {}", files.join(", ")))?;
    }
    for job in &would.discards {
        render::say(&format!("  job {} says it, and is discarded", job.id))?;
        for line in job.says.iter().flat_map(|text| text.lines()) {
            render::line(&format!("    {}", visible(line)))?;
        }
    }
    let lines =
        |lines: &[String]| lines.iter().try_for_each(|line| render::line(&format!("    {}", visible(line))));
    if !would.cut.is_empty() {
        render::say("  cut out of these lines of earlier versions:")?;
        lines(&would.cut)?;
    }
    for (document, cut) in &would.cut_elsewhere {
        let document = visible(&world.short(document)).into_owned();
        render::say(&format!("  cut out of these lines of earlier versions of {document}:"))?;
        lines(cut)?;
    }
    paths(world, "  is merged first, and its document says it then", &would.waiting)?;
    if would.short {
        render::say(
            "  the text is short: elsewhere it goes only where it stands alone, not from among other words",
        )?;
    }
    paths(world, "  stays: take it out there by hand", &would.elsewhere)
}

fn tell(world: &World, purged: &Purged) -> Result<(), Failure> {
    if world.json {
        return render::json(purged);
    }
    let changed = format!(
        "{} changed, {} discarded",
        render::count(purged.files, "file"),
        render::count(purged.discarded, "job")
    );
    let said = match purged.ended {
        true => format!("{}  is forgotten ({changed})", purged.item),
        false => format!(
            "{}  is forgotten but for what has not ended ({changed}); a worker goes on by itself",
            purged.item
        ),
    };
    render::say(&said)?;
    paths(world, "  still to come", &purged.waiting)?;
    paths(world, "  still says it: take it out there by hand", &purged.elsewhere)
}

fn paths(world: &World, what: &str, paths: &[PathBuf]) -> Result<(), Failure> {
    paths.iter().try_for_each(|path| render::say(&format!("{what}: {}", visible(&world.short(path)))))
}
