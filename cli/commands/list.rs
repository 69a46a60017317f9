//! `list`: which jobs are where.

use super::select::{self, Selection};
use crate::args::one_of;
use crate::failure::Failure;
use crate::language::said;
use crate::progress;
use crate::render::{self, Tone};
use crate::table::{Cell, table};
use crate::world::World;
use declaration::Timestamp;
use operator::{Filter, Row, Sort};
use queue_layout::State;

/// List jobs
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this state [default: all but done]
    #[arg(value_parser = one_of(&State::ALL, State::as_str))]
    pub state: Option<State>,
    #[command(flatten)]
    pub selection: Selection,
    /// oldest, newest, or due (what is due next) first [default: by state, then oldest]
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    pub sort: Option<SortName>,
    /// At most so many; 0 for all [default: 100, on a terminal what fits, with --json all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// An order as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SortName {
    /// Oldest first
    Oldest,
    /// Newest first
    Newest,
    /// What is due next first
    Due,
}

/// Jobs that are shown to a person where no number was given.
const PAGE: usize = 100;

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    // A program could not notice that there are more.
    let usual = match world.page.height {
        _ if world.json => 0,
        // Rows are also needed for the headline, two lines that say there are more, and the next prompt.
        Some(rows) if world.verbose == 0 => rows.saturating_sub(4).clamp(1, PAGE),
        _ => PAGE,
    };
    let limit = Some(args.limit.unwrap_or(usual)).filter(|limit| *limit > 0);
    // One more job than is shown is asked for, to know whether there are more.
    let filter = Filter {
        state: args.state,
        limit: limit.map(|n| n.saturating_add(1)),
        sort: args.sort.map(Into::into),
        ..select::filter(&args.selection, world)?
    };
    let mut rows = progress::waiting("looking at the jobs", || world.list(&filter))?;
    let more = limit.is_some_and(|limit| rows.len() > limit);
    rows.truncate(limit.unwrap_or(usize::MAX));
    if world.json {
        render::json(&rows)?;
        return Ok(0);
    }
    if rows.is_empty() {
        render::say(if select::is_empty(&args.selection) { "no jobs" } else { "no jobs that fit" })?;
        return Ok(0);
    }
    let now = world.now();
    let ids = short_ids(world, &rows);
    let cells = rows.iter().zip(ids).map(|(row, id)| cells(world, row, id, now)).collect();
    render::line(&table(world.page, &["ID", "STATE", "DECLARED", "DOCUMENT", "WHAT", "NOTE"], cells))?;
    if more {
        render::say(
            "… and more: --limit 0 shows all; a state, --document, --error, --text and others show fewer",
        )?;
    }
    Ok(0)
}

/// The part of an id that is its time.
pub fn clock(id: &str) -> Option<String> {
    const CLOCK: usize = "01a200aa-04f6-7000".len();
    id.get(..CLOCK).map(str::to_owned)
}

/// On a terminal the time part of an id, which no other call has; the whole id in a pipe, and where several jobs came from
/// one call.
fn short_ids(world: &World, rows: &[Row]) -> Vec<String> {
    let whole: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    let mut clocks: Vec<_> = whole.iter().map(|id| clock(id)).collect();
    let short: Vec<_> = clocks.clone();
    clocks.sort();
    let twice =
        |id: &Option<String>| clocks.partition_point(|c| c <= id) - clocks.partition_point(|c| c < id) > 1;
    let is_short = |id: &Option<String>| world.page.width.is_some() && !twice(id);
    whole
        .into_iter()
        .zip(short)
        .map(|(whole, short)| if is_short(&short) { short.unwrap_or(whole) } else { whole })
        .collect()
}

fn cells(world: &World, row: &Row, id: String, now: Timestamp) -> Vec<Cell> {
    let document = row.document.as_ref().map_or_else(|| "-".to_owned(), |path| world.short(path));
    let due = row.due.map(|due| format!("due {}", render::ago(now, due)));
    let error =
        row.error.as_ref().map(|code| format!("{code}: {}", row.message.as_deref().unwrap_or_default()));
    let note =
        [due, row.held_by.as_ref().map(|by| format!("held by {by}")), row.outcome.map(str::to_owned), error];
    let note: Vec<String> = note.into_iter().flatten().map(|part| said(&part).into_owned()).collect();
    vec![
        id.into(),
        Cell::new(said(row.state.as_str()), tone(row.state)),
        Cell::said(&render::ago(now, row.declared)),
        document.into(),
        row.what.as_deref().unwrap_or("-").into(),
        note.join(", ").into(),
    ]
}

fn tone(state: State) -> Tone {
    match state {
        State::Failed => Tone::Bad,
        State::Deferred | State::Review => Tone::Warn,
        State::Done => Tone::Dim,
        State::Pending | State::Processing => Tone::Plain,
    }
}

impl From<SortName> for Sort {
    fn from(name: SortName) -> Sort {
        match name {
            SortName::Oldest => Sort::Oldest,
            SortName::Newest => Sort::Newest,
            SortName::Due => Sort::Due,
        }
    }
}
