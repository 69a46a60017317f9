//! `log`: what happened, from the journal; with `--follow` as it happens.

use crate::args::one_of;
use crate::failure::Failure;
use crate::language::said;
use crate::progress;
use crate::render;
use crate::screen;
use crate::table::padded;
use crate::world::World;
use crate::wrap::wrapped_lines;
use declaration::Timestamp;
use engine::LogPosition;
use operator::LogFilter;
use queue_layout::{Event, JobId, JournalEntry, State};
use std::time::Duration;

/// What happened: to everything, a job or a document; --follow as it happens
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Times are those of your clock; with --json they are UTC. Runs that did nothing are counted, not written.
With --json an array; with --json --follow one object a line.

Examples:
  last-word log --since 2h
  last-word log --follow
  last-word log --event failed --event poisoned
  last-word log --id 01a200aa-04f6      everything that happened to a job

On a terminal the last that fit are shown; -v shows a hundred."
)]
pub struct Args {
    /// Only since then: an age (90s, 10m, 2h, 3d), a day (2026-11-22), or a time in RFC 3339
    #[arg(long, value_name = "AGE|TIME")]
    pub since: Option<String>,
    /// Go on as it happens, until Ctrl-C
    #[arg(short, long)]
    pub follow: bool,
    /// Only of this job: its id, or a beginning of it that no other has
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Only of this document: a knowledge base, or part of its path
    #[arg(long, value_name = "DOC")]
    pub document: Option<String>,
    /// Only this event, of those in docs/EVENTS.md; may be given several times
    #[arg(long, value_name = "EVENT", value_parser = one_of(Event::ALL, Event::as_str), hide_possible_values = true)]
    pub event: Vec<Event>,
    /// At most so many, the newest; 0 for all [default: 100, with --since all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// How often `--follow` looks.
const FOLLOW_MS: u64 = 300;

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let filter = filter(args, world)?;
    let limit = match (args.limit, args.follow, args.since.is_some()) {
        (Some(0), ..) | (None, _, true) => usize::MAX,
        (Some(limit), ..) => limit,
        (None, true, _) => 10,
        (None, false, _) => 100,
    };
    let logged = progress::waiting("reading the journal", || world.log(&filter, limit))?;
    if world.json && !args.follow {
        render::json(&logged.events)?;
        return Ok(0);
    }
    // Somebody who names a time or a number wants all of those.
    let chosen = args.limit.is_some() || args.since.is_some() || args.id.is_some() || args.follow;
    let rows = world.page.height.filter(|_| !chosen && !world.json && world.verbose == 0);
    let declared = args.id.is_some() && args.event.is_empty() && !args.follow;
    let is_known = |id: &JobId| !logged.events.is_empty() || world.find(&id.to_string()).is_ok();
    if let Some(id) = filter.id.filter(|id| declared && !world.json && is_known(id)) {
        // The enqueueing of a job is not in the journal, so that no hook waits for a journal: the id holds its time.
        let time = world.wall_clock(id.declared_at());
        render::line(&format!("{time}  {} {id}", padded(&said("enqueued"), EVENT_COLUMNS)))?;
    }
    let (idle, events): (Vec<_>, Vec<_>) = logged.events.iter().partition(|event| is_idle(event));
    match rows {
        // One row is kept for the prompt, and one for the line about idle runs.
        Some(rows) => {
            let lines = events.iter().flat_map(|event| lines_of(world, event)).collect();
            let rows = Some(rows.saturating_sub(1 + usize::from(!idle.is_empty())));
            let lines = screen::fitting_last(world.page, lines, rows, "last-word log -v");
            lines.iter().try_for_each(|line| render::line(line))?;
        }
        None => events.iter().try_for_each(|event| tell(world, event))?,
    }
    if !idle.is_empty() {
        render::say(&format!("({} that did nothing: not shown)", render::count(idle.len(), "run")))?;
    }
    if args.follow {
        follow(world, &filter, LogPosition::after(&logged, world.now()))?;
    } else if let Some(id) = filter.id.filter(|_| events.is_empty()) {
        still_waits(world, id)?;
    } else if events.is_empty() {
        render::say("no matching events")?;
    }
    Ok(0)
}

/// A run that did nothing: older builds wrote such a line every minute.
fn is_idle(event: &JournalEntry) -> bool {
    event.event == Event::RunEnded && event.message.as_deref() == Some("nothing to do")
}

/// The line about a job of which the journal says nothing yet.
fn still_waits(world: &World, id: JobId) -> Result<(), Failure> {
    let waits = world.find(&id.to_string()).is_ok_and(|listed| listed.state != State::Done);
    let since = render::span(world.now().since_ms(id.declared_at()));
    render::say(&match waits {
        true => format!("nothing happened to it yet: it has waited for {since}; last-word why {id}"),
        false => "no matching events".to_owned(),
    })
}

fn filter(args: &Args, world: &World) -> Result<LogFilter, Failure> {
    let since = args.since.as_deref().map(|since| moment(since, world)).transpose()?;
    let id = args.id.as_deref().map(|id| world.id(id)).transpose()?;
    let document = args.document.as_ref().map(|named| match world.known_document(named, &world.cwd) {
        Ok(document) => document.path.display().to_string(),
        Err(_) => named.clone(),
    });
    Ok(LogFilter { since, id, document, events: args.event.clone() })
}

/// A moment as a person says it: an age, a day, or a time.
fn moment(text: &str, world: &World) -> Result<Timestamp, Failure> {
    let day = Timestamp::parse(&format!("{text}T00:00:00Z"));
    match Timestamp::parse(text).or(day) {
        Some(moment) => Ok(moment),
        None => Ok(Timestamp(world.now().millis().saturating_sub(render::parse_span(text)?))),
    }
}

fn follow(world: &World, filter: &LogFilter, mut position: LogPosition) -> Result<(), Failure> {
    let stop = super::work::stop_on_signals()?;
    while !stop.is_stopped() {
        for event in world.log_since(filter, &mut position)? {
            tell(world, &event)?;
        }
        std::thread::sleep(Duration::from_millis(FOLLOW_MS));
    }
    Ok(())
}

fn tell(world: &World, event: &JournalEntry) -> Result<(), Failure> {
    if world.json {
        return render::json_line(event);
    }
    render::line(&lines_of(world, event).join("\n"))
}

/// The columns of an event's words.
const EVENT_COLUMNS: usize = 12;

fn lines_of(world: &World, event: &JournalEntry) -> Vec<String> {
    let document = event.document.as_deref().map(|path| world.short(std::path::Path::new(path)));
    let id = event.id.map(|id| id.to_string());
    let narrow = |id: String| if world.page.is_narrow() { super::list::clock(&id).unwrap_or(id) } else { id };
    let id = id.map(narrow);
    let code = event.code.as_ref().map(|code| format!("[{code}]"));
    let by = event.by.as_ref().map(|by| said(&format!("by {by}")).into_owned());
    let message = event.message.as_deref().map(|message| said(message).replace('\n', " "));
    let rest = [id, document, by, message, code];
    let rest: Vec<String> = rest.into_iter().flatten().collect();
    let what = padded(&said(event.event.in_words()), EVENT_COLUMNS);
    let line = format!("{}  {what} {}", world.wall_clock(event.at), rest.join("  "));
    wrapped_lines(world.page, &line)
}
