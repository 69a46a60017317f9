//! `item`: the items of the managed documents: look at them, and change one by its id.

mod purge;

use super::remember::say;
use crate::failure::{self, Failure};
use crate::language::said;
use crate::progress;
use crate::render;
use crate::table::{Cell, table};
use crate::visible::visible;
use crate::world::World;
use engine::output::{ItemPast, ListedItem};
use engine::{ChangeItem, ItemFilter};

/// Look at items, and change one by its id
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// The items there are
    List(List),
    /// One item, and who said it when, and what it replaced
    Show(Show),
    /// Give an item another text; its id stays
    Revise(Anew),
    /// Put a new item in the place of one, which is struck out
    Supersede(Anew),
    /// Strike items out
    Retire(Ids),
    /// Take back what struck items out, byte for byte
    Restore(Ids),
    /// Mark tasks as done
    Check(Ids),
    /// Mark tasks as not done
    Uncheck(Ids),
    /// Forget items for good: their text goes from the document and from everything kept of it
    Purge(PurgeArgs),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Only this kind
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Only with this #tag
    #[arg(long, value_name = "NAME")]
    entity: Vec<String>,
    /// Only of this knowledge base
    #[arg(long, value_name = "KB")]
    document: Vec<String>,
    /// Only from this day or later
    #[arg(long, value_name = "DAY")]
    from: Option<String>,
    /// Only from this day or earlier
    #[arg(long, value_name = "DAY")]
    to: Option<String>,
    /// Also what is retired or superseded
    #[arg(long)]
    all: bool,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// Its id
    #[arg(value_name = "ID")]
    id: String,
}

#[derive(Debug, clap::Args)]
struct Anew {
    /// Its id
    #[arg(value_name = "ID")]
    id: String,
    /// The new text
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// What it says now: if it does not, the change waits as a conflict
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    old_text: Option<String>,
    /// How sure you are, 0 to 1
    #[arg(long, value_name = "0..1")]
    confidence: Option<f64>,
    /// Why
    #[arg(long)]
    reason: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Ids {
    /// Their ids
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Why
    #[arg(long)]
    reason: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = purge::HELP)]
struct PurgeArgs {
    /// Their ids
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Why; it is kept
    #[arg(long)]
    reason: Option<String>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Only if it says this, as --dry-run showed it: else nothing is forgotten
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    says: Option<String>,
    /// Only show what it would touch
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    match &args.verb {
        Verb::List(asked) => list(asked, world),
        Verb::Show(asked) => show(asked, world),
        Verb::Revise(anew) => change(world, "revise", &anew.id, Some(anew), anew.reason.as_ref()),
        Verb::Supersede(anew) => change(world, "supersede", &anew.id, Some(anew), anew.reason.as_ref()),
        Verb::Retire(ids) => each(world, "retire", ids),
        Verb::Restore(ids) => each(world, "restore", ids),
        Verb::Check(ids) => each(world, "check", ids),
        Verb::Uncheck(ids) => each(world, "uncheck", ids),
        Verb::Purge(asked) => purge::run(asked, world),
    }
}

fn each(world: &World, operation: &str, ids: &Ids) -> Result<u8, Failure> {
    for id in &ids.ids {
        change(world, operation, id, None, ids.reason.as_ref())?;
    }
    Ok(0)
}

fn change(
    world: &World,
    operation: &str,
    id: &str,
    anew: Option<&Anew>,
    reason: Option<&String>,
) -> Result<u8, Failure> {
    let change = ChangeItem {
        id: id.to_owned(),
        operation: operation.to_owned(),
        text: anew.map(|anew| anew.text.join(" ")),
        old_text: anew.and_then(|anew| anew.old_text.clone()),
        confidence: anew.and_then(|anew| anew.confidence),
        reason: reason.cloned(),
    };
    let caller = world.caller(None, None);
    say(world, &progress::waiting("looking for the item", || world.change_item(&caller, &change))?)
}

fn list(asked: &List, world: &World) -> Result<u8, Failure> {
    let filter = ItemFilter {
        kinds: asked.kind.clone(),
        entities: asked.entity.clone(),
        documents: asked.document.clone(),
        from: asked.from.clone(),
        to: asked.to.clone(),
        all: asked.all,
    };
    let look = || world.items_and_unread(&filter, &world.cwd);
    let (items, unread) = progress::waiting("looking through the documents", look)?;
    render::tell_unread(&unread);
    if world.json {
        render::json(&items)?;
        return Ok(0);
    }
    if items.is_empty() {
        render::tell("no items; `last-word remember TEXT` makes one, --all shows what is retired");
        return Ok(failure::COULD_NOT);
    }
    // Where all are live and merged, a column that says so is left out.
    let with_state = items.iter().any(|item| !item.live || item.waits.is_some());
    let rows = items.iter().map(|item| row(world, item, with_state)).collect();
    let header: &[&str] = match with_state {
        true => &["ID", "DAY", "KIND", "STATE", "TEXT", "DOCUMENT"],
        false => &["ID", "DAY", "KIND", "TEXT", "DOCUMENT"],
    };
    render::line(&table(world.page, header, rows))?;
    Ok(0)
}

/// The column of an item's state.
const STATE: usize = 3;

fn row(world: &World, item: &ListedItem, with_state: bool) -> Vec<Cell> {
    let dash = || "-".to_owned();
    let state = match (item.live, &item.superseded_by, &item.waits) {
        (_, _, Some(_)) => "waits",
        (false, Some(_), _) => "superseded",
        (false, None, _) => "retired",
        _ => "-",
    };
    let place = item.line.map_or_else(
        || world.short(&item.document),
        |line| format!("{}:{line}", world.short(&item.document)),
    );
    let cells = [
        item.id.clone(),
        item.day.clone().unwrap_or_else(dash),
        item.kind.clone().unwrap_or_else(dash),
        said(state).into_owned(),
        item.text.clone(),
        place,
    ];
    let shown = cells.into_iter().enumerate().filter(|(column, _)| with_state || *column != STATE);
    shown.map(|(_, cell)| Cell::from(cell)).collect()
}

fn show(asked: &Show, world: &World) -> Result<u8, Failure> {
    let shown = progress::waiting("looking for the item", || world.item(&asked.id, &world.cwd))?;
    if world.json {
        render::json(&shown)?;
        return Ok(0);
    }
    let item = &shown.item;
    let line = item.line.map_or_else(String::new, |line| format!(":{line}"));
    let mut about = vec![item.id.clone(), format!("{}{line}", world.short(&item.document))];
    about.extend(item.kind.clone());
    about.extend(item.heading.last().cloned());
    let taken_over = |id| said(&format!("superseded by {id}")).into_owned();
    about.extend(item.superseded_by.as_ref().map(taken_over));
    if !item.live && item.superseded_by.is_none() {
        about.push(said("retired").into_owned());
    }
    about.extend(item.waits.as_ref().map(|waits| said(waits).into_owned()));
    render::line(&visible(&about.join("  ")))?;
    for line in shown.written.lines() {
        render::line(&format!("  {}", visible(line)))?;
    }
    let of_section =
        shown.section.as_ref().and_then(|section| Some((section.last.as_ref()?, section.by_hand)));
    match of_section {
        Some((last, by_hand)) if shown.past.is_empty() || by_hand => {
            let by = super::history::author_and_editor(&last.agent, last.meta.edited_by.as_deref());
            let by = visible(&by);
            let then = if by_hand { ", then by hand" } else { "" };
            render::say(&format!("  its section: by {by} (version {}){then}", last.version))?;
        }
        None if shown.past.is_empty() && item.waits.is_none() => {
            render::say("  written by hand, or before the history that is kept")?;
        }
        _ => {}
    }
    shown.past.iter().try_for_each(|past| render::line(&format!("  {}", visible(&step(world, past)))))?;
    Ok(0)
}

/// What happened to it once: when, what, by whom, why, what it said before.
fn step(world: &World, past: &ItemPast) -> String {
    let did = match past.operation.map(|operation| operation.as_str()) {
        Some("add") => "added".to_owned(),
        Some("revise") => "revised".to_owned(),
        Some("retire") => "retired".to_owned(),
        Some("restore") => "restored".to_owned(),
        Some("check") => "done".to_owned(),
        Some("uncheck") => "not done again".to_owned(),
        Some("purge") => "purged".to_owned(),
        Some("supersede") => match (&past.replaced, &past.replaced_by) {
            (_, Some(by)) => format!("superseded by {by}"),
            (Some(old), None) => format!("took the place of {old}"),
            (None, None) => "superseded".to_owned(),
        },
        _ => "changed".to_owned(),
    };
    let by = super::history::author_and_editor(&past.agent, past.edited_by.as_deref());
    let did_by = format!("{did} by {by}");
    let session = if past.session.is_empty() { past.source.clone() } else { past.session.clone() };
    let session = if session.is_empty() { session } else { format!(" ({session})") };
    let why = past.reason.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    let was =
        past.was.as_ref().map_or_else(String::new, |was| said(&format!("; it said `{was}`")).into_owned());
    let (ago, did_by) = (render::ago(world.now(), past.at), said(&did_by));
    format!("{}  {did_by}{session}, {}{why}{was}", said(&ago), said(&format!("version {}", past.version)))
}
