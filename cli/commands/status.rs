//! `status`: is it working? One screen, most urgent first; `--watch` keeps it up to date, `--check` is for monitoring.

mod day;
mod expired;

use crate::failure::{self, Failure};
use crate::language::said;
use crate::own_name;
use crate::progress;
use crate::render::{self, Tone};
use crate::screen;
use crate::table::{Cell, table};
use crate::world::World;
use crate::wrap::wrapped_lines;
use declaration::Timestamp;
use engine::output::DriftedLine;
use engine::{DriftFollower, HooksState, JournalFollower};
use operator::{Shortage, StateCount, Status};
use queue_layout::{HeldThing, JournalEntry, State};
use std::path::Path;
use std::time::Duration;

/// Is it working? What failed and what to type, what is held, who ran last
#[derive(Debug, clap::Args)]
pub struct Args {
    /// For monitoring: one line, and exit 4 when somebody is needed
    #[arg(long)]
    pub check: bool,
    /// Keep the screen up to date, until Ctrl-C
    #[arg(long, conflicts_with = "check")]
    pub watch: bool,
}

/// How often `--watch` looks.
const WATCH_MS: u64 = 1000;

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    if args.watch {
        return watch(world).map(|()| 0);
    }
    if world.json && !args.check {
        render::json(&world.status_report(&world.cwd, crate::hook::is_disabled_here())?)?;
        return Ok(0);
    }
    let status = progress::waiting("looking at the queue", || world.status(&world.cwd))?;
    if args.check {
        render::line(&check_line(&status))?;
        return Ok(if status.needs_somebody { failure::SOMEBODY_NEEDED } else { 0 });
    }
    // One row is kept for the prompt.
    let rows = if world.verbose > 0 { None } else { world.page.height.map(|rows| rows.saturating_sub(1)) };
    // The first look reads the journal of a day. Where nobody looks, or there is no room, it is not read for two lines.
    let day = match world.verbose > 0 || world.page.width.is_some_and(|columns| columns >= day::COLUMNS) {
        true => {
            let look = || world.timeline(&status, &mut JournalFollower::default());
            day::lines(&progress::waiting("reading the journal of the day", look)?)
        }
        false => Vec::new(),
    };
    let beside = Beside { day: &day, drifted: &world.drifted(&world.cwd) };
    render::line(&fitted(world, &status, &beside, rows).join("\n"))?;
    Ok(0)
}

/// What the screen shows beside the queue, and whoever shows it again and again does not ask for each time.
struct Beside<'a> {
    day: &'a [String],
    drifted: &'a [DriftedLine],
}

/// The same screen again and again, in place, until Ctrl-C.
fn watch(world: &World) -> Result<(), Failure> {
    if world.page.width.is_none() || world.json {
        return Err(Failure::new("--watch needs a terminal, and says nothing to a program")
            .hint("in a script: last-word status --json, or last-word status --check")
            .exit(failure::Exit::Usage));
    }
    let stop = super::work::stop_on_signals()?;
    let (mut journal, mut drift) = (JournalFollower::default(), DriftFollower::default());
    while !stop.is_stopped() {
        let status = world.status(&world.cwd)?;
        // Lines are overwritten in place, so that nothing flickers; what is left of a longer screen is cleared.
        let end = format!("{}\n", render::escape("K"));
        let rows = world.page.height.map(|rows| rows.saturating_sub(2));
        let day = day::lines(&world.timeline(&status, &mut journal)?);
        let beside = Beside { day: &day, drifted: world.drifted_lately(&world.cwd, &mut drift) };
        let lines = fitted(world, &status, &beside, rows).join(&end);
        let (top, below) = (render::escape("H"), render::escape("J"));
        let ends = world.page.paint(Tone::Dim, "Ctrl-C ends");
        render::line(&format!("{top}{lines}{end}{below}{ends}"))?;
        for _ in 0..WATCH_MS / 100 {
            if !stop.is_stopped() {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
    Ok(())
}

fn hooks(world: &World) -> HooksState {
    world.hooks(&world.cwd, crate::hook::is_disabled_here())
}

fn count(status: &Status, state: State) -> usize {
    status.states.iter().find(|of| of.state == state).map_or(0, |of| of.count)
}

fn check_line(status: &Status) -> String {
    let verdict = if status.needs_somebody { "NEEDS SOMEBODY" } else { "OK" };
    let config = status.configuration.as_ref();
    let why = config.map_or_else(String::new, |why| format!("; {why}; {MEND_CONFIG}"));
    let next: String =
        trouble_of_the_machine(status).iter().map(|(what, next)| format!("; {what}: {next}")).collect();
    format!("{verdict}: {}{why}{next}", facts(status))
}

/// What stops every merge, each with what to do about it.
fn trouble_of_the_machine(status: &Status) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Some(short) = status.shortage {
        found.push((
            format!("the disk of the home {}", short.sentence()),
            crate::advice::sentence(&short.next()),
        ));
    }
    if let Some(since) = status.failing_since {
        let words = status.trouble.as_ref().and_then(|trouble| trouble.message.as_deref());
        let why = words.map_or_else(String::new, |words| format!(" ({words})"));
        let ago = render::span(status.at.since_ms(since));
        let what = format!("every run has failed for {ago}{why}");
        found.push((what, "last-word work tries again, and says what is wrong".to_owned()));
    }
    for worker in &status.dead {
        let what = format!("{worker} died with jobs in hand");
        found.push((what, "the next last-word work recovers them".to_owned()));
    }
    found
}

/// What to type when the configuration cannot be used.
const MEND_CONFIG: &str = "last-word validate";

fn facts(status: &Status) -> String {
    let mut words: Vec<String> = [State::Pending, State::Deferred, State::Failed, State::Review]
        .iter()
        .map(|state| format!("{} {}", count(status, *state), state.as_str()))
        .collect();
    if let Some(since) = status.stalled {
        words.push(format!("nothing has been merged for {}", render::span(status.at.since_ms(since))));
    }
    words
        .extend((status.dead_jobs > 0).then(|| format!("{} in the hands of dead workers", status.dead_jobs)));
    words.extend(status.failing_since.map(|_| "runs fail".to_owned()));
    words.extend(status.shortage.map(|short| match short {
        Shortage::Writing => "disk read-only".to_owned(),
        Shortage::Bytes { .. } => "disk full".to_owned(),
        Shortage::Files { .. } => "out of inodes".to_owned(),
    }));
    words.extend((status.stuck > 0).then(|| match status.stuck {
        1 => "1 document stuck".to_owned(),
        n => format!("{n} documents stuck"),
    }));
    words.extend((!status.held.is_empty()).then(|| format!("{} held", status.held.len())));
    words.extend((!status.foreign.is_empty()).then(|| render::count(status.foreign.len(), "unknown file")));
    words.extend((!status.left.is_empty()).then(|| format!("{} left in inboxes", status.left.len())));
    words.extend(status.configuration.is_some().then(|| "config.yaml cannot be used".to_owned()));
    words.join(", ")
}

/// The lines of the screen that fit, the headline first. Where space is short, the table of states becomes one line.
fn fitted(world: &World, status: &Status, beside: &Beside<'_>, rows: Option<usize>) -> Vec<String> {
    let (above, below) = blocks(world, status, beside);
    let lines = |states: String| -> Vec<String> {
        let blocks = above.iter().chain([&states]).chain(&below);
        blocks.flat_map(|block| wrapped_lines(world.page, block)).collect()
    };
    let whole = lines(format!("\n{}", states(world, status)));
    match rows {
        Some(rows) if screen::all_rows(world.page, &whole) > rows => {
            screen::fitting(world.page, lines(states_in_a_line(status)), Some(rows), "last-word status -v")
        }
        _ => whole,
    }
}

/// The whole screen, as blocks of lines: those above the table of states, and those below it.
fn blocks(world: &World, status: &Status, beside: &Beside<'_>) -> (Vec<String>, Vec<String>) {
    let page = world.page;
    let verdict = match status.needs_somebody {
        true => page.paint(Tone::Bad, &said("NEEDS SOMEBODY")),
        false => page.paint(Tone::Good, &said("OK")),
    };
    let mut above =
        vec![format!("{verdict}{}{}  ({})", said(": "), said(&facts(status)), world.short(&status.home))];
    above.push(said(&last_run(status)).into_owned());
    // Once for all of them: in each line of a table it would push the command out of sight.
    let export =
        |home| said(&format!("what is to be typed here begins with: last-word --home {home}")).into_owned();
    above.extend(own_name::named_home().filter(|_| status.needs_somebody).map(export));
    above.extend(trouble(world, status));
    let mut lines = beside.day.to_vec();
    lines.extend(failures(world, status));
    lines.extend(review(status).iter().map(|line| said(line).into_owned()));
    lines.extend(held(world, status));
    lines.extend(filling(world));
    lines.extend(drifted(world, beside.drifted));
    lines.extend(expired::lines(world));
    lines.extend(documents(world, status));
    lines.extend(others(world, status));
    lines.extend(match hooks(world) {
        HooksState::Off => Some("\nhooks are switched off (`enabled: false`, or a file `disabled`)".to_owned()),
        HooksState::GuardOnly => Some("\nhooks are switched off here but for the guard (.agents/disabled, or LAST_WORD_DISABLE): sessions are shown nothing, and agents are still kept from writing the documents by hand".to_owned()),
        HooksState::On => None,
    }.map(|text| said(&text).into_owned()));
    (above, lines)
}

/// Fewer jobs a minute are not told.
const RATE_SHOWN_MIN: f64 = 10.0;

fn last_run(status: &Status) -> String {
    let working = match status.working.as_slice() {
        [] => String::new(),
        some => format!("; at work now: {}", some.join(", ")),
    };
    // Of a few jobs the line says already how many they were.
    let rate = match status.jobs_per_minute {
        rate if rate < RATE_SHOWN_MIN => String::new(),
        rate => format!("; {rate:.0} jobs a minute"),
    };
    match &status.last_run {
        Some(run) => format!(
            "last run {}{}: {}{rate}{working}",
            render::ago(status.at, run.at),
            run.by.as_ref().map_or_else(String::new, |by| format!(" by {by}")),
            run.message.as_deref().unwrap_or("nothing noted")
        ),
        None if status.configuration.is_some() || !status.working.is_empty() => {
            format!("no worker has run yet{working}")
        }
        None => format!("no worker has run yet{working}; `last-word work` merges what waits"),
    }
}

fn trouble(world: &World, status: &Status) -> Vec<String> {
    let page = world.page;
    let mut lines = Vec::new();
    if let Some(why) = &status.configuration {
        let text = format!("nothing is enqueued, and no worker starts, until this is mended: {why}");
        lines.push(page.paint(Tone::Bad, &said(&text)));
        lines.push(said(&format!("hint: {MEND_CONFIG}")).into_owned());
    }
    for (what, next) in trouble_of_the_machine(status) {
        lines.push(page.paint(Tone::Bad, &said(&what)));
        lines.push(said(&format!("hint: {next}")).into_owned());
    }
    if let Some(since) = status.stalled {
        let waits = render::span(status.at.since_ms(since));
        let text = format!("a job waits for {waits} with nothing in its way: is `last-word work` scheduled?");
        lines.push(page.paint(Tone::Bad, &said(&text)));
    }
    lines
}

/// Documents that have nearly reached their budget.
fn filling(world: &World) -> Vec<String> {
    let line = |full: engine::Filling| {
        let (percent, document) = (full.percent(), world.short(&full.document));
        let text =
            format!("{document} is {percent} % full ({} of {} characters)", full.chars, full.budget_chars);
        let next = format!(
            "`last-word tidy {kb}` asks for a shorter section; or raise `budget_chars` of `{kb}` in config.yaml",
            kb = full.kb
        );
        format!("\n{}: {}", world.page.paint(Tone::Warn, &said(&text)), said(&next))
    };
    world.filling(&world.cwd).into_iter().map(line).collect()
}

/// What this project's documents say that is not so any more.
fn drifted(world: &World, lines: &[DriftedLine]) -> Option<String> {
    let first = lines.first()?;
    let (count, place) =
        (render::count(lines.len(), "line"), format!("{}:{}", first.path, first.finding.line));
    let not_so = if lines.len() == 1 { "is not so any more" } else { "are not so any more" };
    let text = format!("{count} of this project's documents {not_so} (first: {place})");
    let next = said("last-word drift says which and why");
    Some(format!("\n{}: {next}", world.page.paint(Tone::Warn, &said(&text))))
}

fn held(world: &World, status: &Status) -> Vec<String> {
    if status.held.is_empty() {
        return Vec::new();
    }
    let rows = status.held.iter().map(|hold| {
        vec![
            Cell::new(said(&super::hold::name(world, &hold.held)), Tone::Warn),
            Cell::said(&render::ago(status.at, hold.at)),
            hold.by.as_str().into(),
            hold.reason.as_deref().unwrap_or("-").into(),
            super::hold::release_command(world, &hold.held).into(),
        ]
    });
    vec![String::new(), table(world.page, &["HELD", "SINCE", "BY", "WHY", "NEXT"], rows.collect())]
}

fn states(world: &World, status: &Status) -> String {
    let rows = status.states.iter().map(|of| {
        let oldest = of.oldest.map_or_else(|| "-".to_owned(), |oldest| render::ago(status.at, oldest));
        let tone = match of.state {
            _ if of.count == 0 => Tone::Dim,
            State::Failed => Tone::Bad,
            State::Review => Tone::Warn,
            _ => Tone::Plain,
        };
        let name = if of.state == State::Done { "done today" } else { of.state.as_str() };
        vec![Cell::new(said(name), tone), Cell::new(of.count.to_string(), tone), Cell::said(&oldest)]
    });
    table(world.page, &["STATE", "JOBS", "OLDEST"], rows.collect())
}

/// The age of the oldest job of each state, which the headline does not say.
fn states_in_a_line(status: &Status) -> String {
    let oldest = |of: &StateCount| {
        let since = of.oldest.map(|oldest| render::ago(status.at, oldest))?;
        (of.count > 0 && of.state != State::Done).then(|| format!("{} {since}", of.state.as_str()))
    };
    let oldest: Vec<String> = status.states.iter().filter_map(oldest).collect();
    let oldest = if oldest.is_empty() { String::new() } else { format!("oldest: {}; ", oldest.join(", ")) };
    said(&format!("{oldest}done today: {}", count(status, State::Done))).into_owned()
}

fn failures(world: &World, status: &Status) -> Vec<String> {
    if status.failures.is_empty() {
        return Vec::new();
    }
    let next = |code: &str| format!("last-word resolve --error {code}");
    let rows = status.failures.iter().map(|group| {
        let code = Cell::new(&group.code, Tone::Bad);
        let example = Cell::said(&group.example);
        vec![code, group.count.to_string().into(), example, next(&group.code).into()]
    });
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    let mut lines = vec![String::new()];
    match status.failures.as_slice() {
        // A command in each row would leave no room for what went wrong.
        [first, others @ ..] if world.page.is_narrow() => {
            rows.iter_mut().for_each(|row| row.truncate(3));
            lines.push(table(world.page, &["FAILED", "JOBS", "FOR EXAMPLE"], rows));
            let more = if others.is_empty() { "" } else { ", and so for the others" };
            lines.push(said(&format!("{}{more}", next(&first.code))).into_owned());
        }
        _ => lines.push(table(world.page, &["FAILED", "JOBS", "FOR EXAMPLE", "NEXT"], rows)),
    }
    if status.more_failures > 0 {
        let n = status.more_failures;
        let more = format!("… and {n} older ones that were not looked into: last-word list failed");
        lines.push(said(&more).into_owned());
    }
    lines
}

fn review(status: &Status) -> Vec<String> {
    match count(status, State::Review) {
        0 => Vec::new(),
        1 => vec![String::new(), "1 proposal waits for your yes: last-word review".to_owned()],
        n => vec![String::new(), format!("{n} proposals wait for your yes: last-word review")],
    }
}

/// On a page with fewer columns the reason why a document waits would be cut in its row.
const REASON_BESIDE: usize = 160;

fn documents(world: &World, status: &Status) -> Vec<String> {
    if status.documents.is_empty() {
        return Vec::new();
    }
    let rows = status.documents.iter().map(|document| {
        let path = document.path.as_ref();
        let named = path.and_then(|path| world.called(path, &world.cwd)).filter(|_| world.page.is_narrow());
        let path = path.map_or_else(|| document.doc.to_string(), |path| world.short(path));
        let path = named.unwrap_or(path);
        let dir = document.path.as_deref().and_then(Path::parent);
        let shorter = |text: &str| match dir {
            Some(dir) => text.replace(&dir.display().to_string(), &world.short(dir)),
            None => text.to_owned(),
        };
        let error = document.error.as_ref().map(|error| shorter(&error.message));
        let now = format!("last-word why {}", document.first);
        // A reason stands below its row where it would be cut in it.
        let (why, now) = match error {
            Some(why) if world.page.width.is_some_and(|columns| columns < REASON_BESIDE) => {
                (String::new(), format!("{}{}{now}", said(&why), said(": ")))
            }
            why => (why.map_or_else(String::new, |why| format!(": {why}")), now),
        };
        let (waits, next) = match (document.held, document.due) {
            (true, _) => {
                (Cell::new(said("a release"), Tone::Warn), release(world, status, document.path.as_deref()))
            }
            (_, Some(due)) => (Cell::new(said(&format!("{}{why}", due_in(status.at, due))), Tone::Warn), now),
            _ if status.configuration.is_some() => (Cell::said("the configuration"), MEND_CONFIG.to_owned()),
            _ => (Cell::said("the next run"), "last-word work".to_owned()),
        };
        let oldest = render::ago(status.at, document.first.declared_at());
        let (pending, deferred) = (document.pending.to_string(), document.deferred.to_string());
        vec![path.into(), pending.into(), deferred.into(), Cell::said(&oldest), waits, next.into()]
    });
    let header = ["DOCUMENT", "PENDING", "DEFERRED", "OLDEST", "WAITS FOR", "NEXT"];
    let mut lines = vec![String::new(), table(world.page, &header, rows.collect())];
    if status.more_documents > 0 {
        let more = format!("… and {} with fewer jobs", render::count(status.more_documents, "document"));
        lines.push(said(&more).into_owned());
    }
    let put_off = |document: &&operator::DocumentStatus| {
        document.due.is_some_and(|due| due > status.at) && !document.held
    };
    // Of a single one the command above says it.
    if status.documents.iter().filter(put_off).count() > 1 {
        lines.push(said("`last-word apply --now` tries at once what was put off").into_owned());
    }
    lines
}

/// The command that releases a held document.
fn release(world: &World, status: &Status, path: Option<&Path>) -> String {
    let of_document =
        |held: &&HeldThing| matches!(held, HeldThing::Document(held) if Some(held.as_path()) == path);
    let held = || status.held.iter().map(|hold| &hold.held);
    let hold = held().find(of_document).or_else(|| held().find(|held| **held == HeldThing::Queue));
    hold.map_or_else(|| "last-word hold".to_owned(), |held| super::hold::release_command(world, held))
}

fn due_in(now: Timestamp, due: Timestamp) -> String {
    if due <= now { "the next run".to_owned() } else { format!("a retry {}", render::ago(now, due)) }
}

/// So many of the files that were changed while commands ran are named.
const CHANGED_MAX: usize = 5;

fn in_commands(world: &World, status: &Status) -> Vec<String> {
    let changed = &status.changed_in_commands;
    if changed.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        String::new(),
        said("changed while a command of an agent ran; if that was you, all is well:").into_owned(),
    ];
    lines.extend(changed.iter().take(CHANGED_MAX).map(|of| {
        let file = of.document.as_deref().map(|path| world.short(Path::new(path))).unwrap_or_default();
        let what = of.message.as_deref().unwrap_or_default();
        format!("  {file}  {}  {}", said(&render::ago(status.at, of.at)), said(what))
    }));
    if changed.len() > CHANGED_MAX {
        lines
            .push(said(&format!("  … and {} more: last-word log", changed.len() - CHANGED_MAX)).into_owned());
    }
    let is_version = |of: &JournalEntry| of.message.as_ref().is_some_and(|text| text.contains(": version "));
    if changed.iter().any(is_version) {
        let hint = "hint: last-word history DOC shows a version, last-word rollback DOC takes it back";
        lines.push(said(hint).into_owned());
    }
    lines
}

fn others(world: &World, status: &Status) -> Vec<String> {
    let mut lines = Vec::new();
    if !status.left.is_empty() {
        lines.push(String::new());
        lines.push(
            world
                .page
                .paint(Tone::Warn, &said("left in an inbox, and not taken in; last-word work says why:")),
        );
        lines.extend(status.left.iter().map(|path| format!("  {}", world.short(path))));
    }
    lines.extend(in_commands(world, status));
    if let Some(unlisted) = &status.unlisted {
        lines.push(String::new());
        lines.push(said(&world.unlisted_sentence(unlisted)).into_owned());
    }
    if !status.foreign.is_empty() {
        lines.push(String::new());
        lines.push(world.page.paint(
            Tone::Warn,
            &said("unknown files, not touched (rename one to *.yaml to have it read as a declaration):"),
        ));
        lines.extend(status.foreign.iter().map(|name| format!("  {name}")));
        lines.push(said(&format!("hint: {}", engine::UNKNOWN_FILE_HINT)).into_owned());
    }
    lines
}
