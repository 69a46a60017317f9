//! `doctor`: whether everything is in place for declarations to come in and be merged. Looks, and changes nothing; with
//! `--fix` it mends first what can be mended, and then looks.

mod fix;
mod other_homes;

use crate::failure::{self, Failure};
use crate::install::schedule::Schedule;
use crate::install::{self, agent};
use crate::render::{self, Tone};
use crate::table::{Cell, table};
use crate::world::World;
use declaration::Timestamp;
use durable::Disk;
use engine::output::{Finding, Health};
use operator::{SPACE_LOW, is_below, shortage};
use policy::settings::Settings;
use queue_layout::{HOME_DIRS, Queue, QueueError, State};
use std::collections::BTreeMap;

/// Is everything in place? Home, permissions, worker, which agents are wired and when each last called
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 all is well, or worth knowing at most; 4 something does not work until somebody acts."
)]
pub struct Args {
    /// Mend what can be mended: missing directories, permissions, what the dead left, an outdated schedule or wiring, and, when the disk is nearly full, what is older than `retention`
    #[arg(long)]
    pub fix: bool,
    /// With --fix: also write files that are not ours (schedules, agents' settings) without asking
    #[arg(long, short, requires = "fix")]
    pub yes: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    if args.fix {
        fix::fix(world, args.yes)?;
    }
    let mut findings =
        vec![home(world), place(world)?, space(world)?, settings_file(world), configuration(world)];
    // Without a whole home there is nothing more to look at.
    if let Ok(queue) = world.queue() {
        findings.push(permissions(world)?);
        findings.push(clock(world, &queue)?);
        findings.push(leftovers(world, &queue)?);
        findings.push(worker(world, &queue)?);
        findings.push(dead(&queue)?);
        findings.push(foreign(&queue)?);
        findings.push(hooks(world));
        // What is scheduled and wired depends on the configuration.
        if let Ok(settings) = world.settings() {
            findings.push(inboxes(world, &settings)?);
            findings.push(sessions(world, &queue)?);
            findings.push(other_homes::finding(world, &settings));
            findings.push(scheduled(world));
            findings.extend(wiring(world, &queue)?);
        }
    }
    let bad = findings.iter().any(|finding| finding.health == Health::Bad);
    if world.json {
        render::json(&findings)?;
    } else {
        people(world, findings)?;
    }
    Ok(if bad { failure::SOMEBODY_NEEDED } else { 0 })
}

fn space(world: &World) -> Result<Finding, Failure> {
    let there =
        world.layout().home().ancestors().find(|dir| world.disk.stat(dir).is_ok_and(|stat| stat.is_some()));
    let Some(dir) = there else { return Ok(Finding::new("space", Health::Ok, "nothing is there yet")) };
    let space = world.disk.space(dir)?;
    let files = space.files.map_or(String::new(), |files| format!(" and {files} files"));
    let left = format!("{} MiB{files} are left", space.bytes >> 20);
    Ok(match shortage(space) {
        Some(short) => {
            let said = format!("the disk {}; {left}", short.sentence());
            Finding::new("space", Health::Bad, said).hint(crate::advice::sentence(&short.next()))
        }
        None if is_below(space, SPACE_LOW) => {
            Finding::new("space", Health::Note, left).hint("last-word prune --dry-run")
        }
        None => Finding::new("space", Health::Ok, left),
    })
}

/// How far ids may be ahead of the clock before it is worth a word.
const AHEAD_MS: u64 = 60_000;

fn clock(world: &World, queue: &Queue) -> Result<Finding, Failure> {
    let ahead_ms = queue.operator().ids_ahead_ms(world.now())?;
    Ok(if ahead_ms < AHEAD_MS {
        Finding::new("clock", Health::Ok, "it has not been set back")
    } else {
        let said = format!("it was {} ahead, and set back", render::span(ahead_ms));
        Finding::new("clock", Health::Note, said)
            .hint("nothing to do: order is kept; until it has caught up, ages are shown too short")
    })
}

fn leftovers(world: &World, queue: &Queue) -> Result<Finding, Failure> {
    Ok(match queue.operator().abandoned(world.now())?.len() {
        0 => Finding::new("temp files", Health::Ok, "none is abandoned"),
        n => Finding::new("temp files", Health::Note, format!("{n} were left by the dead"))
            .hint("the next last-word work removes them"),
    })
}

/// What to do about a file in a directory of the queue that is no job and is not taken in.
pub const FOREIGN_HINT: &str = "move it away; a declaration is taken in under a name in UTF-8 that ends in .yaml or .json and begins with no dot";

/// Files in the queue's directories that nobody takes.
fn foreign(queue: &Queue) -> Result<Finding, Failure> {
    let mut names = Vec::new();
    for state in State::ALL.into_iter().filter(|state| *state != State::Done) {
        let scan = queue.scan(state)?;
        names.extend(scan.foreign.iter().map(|name| format!("{}/{name}", state.as_str())));
    }
    Ok(if names.is_empty() {
        Finding::new("queue", Health::Ok, "holds only what is ours")
    } else {
        let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(5);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Finding::new("queue", Health::Bad, format!("not ours, and not taken in: {shown}{more}"))
            .hint(FOREIGN_HINT)
    })
}

/// What was left in an inbox, and nobody took.
fn inboxes(world: &World, settings: &Settings) -> Result<Finding, Failure> {
    let left = world.left_in_inboxes(settings)?;
    let Some(first) = left.first() else {
        return Ok(match world.unlisted_inbox(settings, &world.cwd)? {
            Some(unlisted) => {
                let said = super::status::unlisted_sentence(world, &unlisted);
                Finding::new("inboxes", Health::Note, said).hint(super::status::LIST_PROJECT)
            }
            None => Finding::new("inboxes", Health::Ok, "no old files in them"),
        });
    };
    let names: Vec<String> = left.iter().map(|path| world.short(path)).collect();
    let dir = if world.is_file(&first.to_string_lossy()) { first.parent() } else { None };
    let said = format!("nobody takes in {}", names.join(", "));
    Ok(Finding::new("inboxes", Health::Bad, said)
        .hint(format!("last-word work says why; look with ls -ld {}", world.short(dir.unwrap_or(first)))))
}

/// What somebody else began in our home: it cannot be flushed.
fn sessions(world: &World, queue: &Queue) -> Result<Finding, Failure> {
    let closed = queue.sessions().closed()?;
    let Some(first) = closed.first() else {
        return Ok(Finding::new("buffers", Health::Ok, "the entries of every session can be read"));
    };
    let names: Vec<String> = closed.iter().map(|path| world.short(path)).collect();
    Ok(Finding::new("buffers", Health::Bad, format!("not ours to look into: {}", names.join(", ")))
        .hint(format!("give it back to your user: sudo chown -R \"$USER\" {}", world.short(first))))
}

/// The schedules that are installed, and whether they are as we would install them now.
fn scheduled(world: &World) -> Finding {
    let mut there = Vec::new();
    for (name, schedule) in Schedule::ALL {
        match schedule.installed(world) {
            Some(Ok(plan)) if plan.is_done() => there.push(name),
            Some(Ok(_)) => {
                return Finding::new("schedule", Health::Note, format!("{name}, but not as it should be"))
                    .hint(format!("last-word install {name}, or last-word doctor --fix"));
            }
            Some(Err(e)) => return Finding::new("schedule", Health::Note, format!("{name}: {}", e.first())),
            None => {}
        }
    }
    match there.as_slice() {
        [] => Finding::new("schedule", Health::Note, "none of ours").hint(
            "last-word install cron, systemd or launchd; if something else calls last-word work, all is well",
        ),
        _ => Finding::new("schedule", Health::Ok, there.join(", ")),
    }
}

fn people(world: &World, findings: Vec<Finding>) -> Result<(), Failure> {
    let hints: Vec<String> = findings
        .iter()
        .filter_map(|finding| Some(format!("hint: {}: {}", finding.what, finding.hint.as_ref()?)))
        .collect();
    let row = |finding: Finding| {
        let (word, tone) = match finding.health {
            Health::Ok => ("ok", Tone::Good),
            Health::Note => ("note", Tone::Warn),
            Health::Bad => ("BAD", Tone::Bad),
        };
        vec![
            Cell::new(finding.what, Tone::Plain),
            Cell::new(word, tone),
            Cell::new(finding.found, Tone::Plain),
        ]
    };
    let rows = findings.into_iter().map(row).collect();
    render::line(&table(world.page, &["WHAT", "IS", "FOUND"], rows))?;
    hints.iter().try_for_each(|hint| render::line(hint))
}

fn home(world: &World) -> Finding {
    match world.layout().check(&*world.disk) {
        Ok(()) => Finding::new("home", Health::Ok, world.short(world.layout().home())),
        Err(e) => {
            let finding = Finding::new("home", Health::Bad, e.to_string());
            match e.advice() {
                Some(advice) => finding.hint(crate::advice::sentence(&advice)),
                None => finding,
            }
        }
    }
}

fn place(world: &World) -> Result<Finding, Failure> {
    Ok(match world.layout().unfit(&*world.disk)? {
        None => Finding::new("place", Health::Ok, "a local file system, synchronised by nobody"),
        Some(why) => Finding::new("place", Health::Bad, why)
            .hint("move the home to a local folder: --home, LAST_WORD_HOME or XDG_CONFIG_HOME name it"),
    })
}

fn configuration(world: &World) -> Finding {
    match world.settings() {
        Ok(settings) => {
            let bases = settings.knowledge_bases.len();
            Finding::new("configuration", Health::Ok, format!("{bases} knowledge bases"))
        }
        Err(e) => {
            let hint = e.hint.clone().filter(|_| e.problems.is_empty());
            let names_places = || "last-word validate names every place".to_owned();
            let hint = hint.as_ref().map_or_else(names_places, crate::advice::sentence);
            Finding::new("configuration", Health::Bad, e.first()).hint(hint)
        }
    }
}

fn permissions(world: &World) -> Result<Finding, Failure> {
    let mut open = Vec::new();
    let home = world.layout().home();
    for dir in std::iter::once(home.to_owned()).chain(HOME_DIRS.iter().map(|name| home.join(name))) {
        if world.disk.stat(&dir)?.is_some_and(|stat| stat.mode & 0o077 != 0) {
            open.push(world.short(&dir));
        }
    }
    Ok(match open.as_slice() {
        [] => Finding::new("permissions", Health::Ok, "the directories are yours alone"),
        [first, ..] => {
            Finding::new("permissions", Health::Note, format!("others may look into {}", open.join(", ")))
                .hint(format!("chmod 700 {first}; or last-word doctor --fix"))
        }
    })
}

/// Who can write the configuration can have anything written, and programs started.
fn settings_file(world: &World) -> Finding {
    let Err(e) = world.layout().check_config(&*world.disk) else {
        return Finding::new("config.yaml", Health::Ok, "yours alone to change");
    };
    let found = match &e {
        QueueError::OpenToOthers { path, mode, .. } => {
            format!("others can change {} (mode {:03o})", world.short(path), mode & 0o777)
        }
        other => other.to_string(),
    };
    Finding::new("config.yaml", Health::Bad, found)
        .hint(e.advice().map_or_else(String::new, |advice| crate::advice::sentence(&advice)))
}

fn worker(world: &World, queue: &Queue) -> Result<Finding, Failure> {
    let status = operator::status(queue, world.now())?;
    let schedule = "schedule it: last-word install cron, systemd or launchd; by hand: last-word work";
    if let Some(since) = status.failing_since {
        let words = status.trouble.as_ref().and_then(|trouble| trouble.message.as_deref());
        let why = words.map_or_else(String::new, |words| format!(" ({words})"));
        let said = format!("every run has failed for {}{why}", render::span(status.at.since_ms(since)));
        return Ok(Finding::new("worker", Health::Bad, said)
            .hint("last-word work tries again, and says what is wrong"));
    }
    Ok(match (&status.last_run, status.stalled) {
        (_, Some(since)) => {
            let waits = render::span(status.at.since_ms(since));
            Finding::new(
                "worker",
                Health::Bad,
                format!("jobs have waited since {waits}, and nothing merges them"),
            )
            .hint(schedule)
        }
        (Some(run), None) => {
            let watching = world.is_watched()?;
            let watching = if watching { ", one watches" } else { "" };
            Finding::new(
                "worker",
                Health::Ok,
                format!("last run {}{watching}", render::ago(status.at, run.at)),
            )
        }
        (None, None) => Finding::new("worker", Health::Note, "no run today or yesterday").hint(schedule),
    })
}

fn dead(queue: &Queue) -> Result<Finding, Failure> {
    let mut dead = Vec::new();
    for worker in queue.claimants()? {
        if !queue.is_alive(&worker)? {
            dead.push(worker);
        }
    }
    Ok(match dead.as_slice() {
        [] => Finding::new("claims", Health::Ok, "none is left by a dead worker"),
        _ => Finding::new("claims", Health::Note, format!("{} died with jobs in hand", dead.join(", ")))
            .hint("the next last-word work recovers them; or last-word doctor --fix"),
    })
}

fn hooks(world: &World) -> Finding {
    match super::status::hooks(world) {
        super::status::OFF => {
            Finding::new("hooks", Health::Note, "switched off: every agent is told nothing").hint(
                "`enabled: true` in config.yaml; no file `disabled` in the home; LAST_WORD_DISABLE unset",
            )
        }
        super::status::GUARD_ONLY => {
            Finding::new("hooks", Health::Note, "sessions are shown nothing in this project")
                .hint("remove .agents/disabled to have them shown it again")
        }
        _ => Finding::new("hooks", Health::Ok, "switched on"),
    }
}

/// For each agent whether it is wired to call us, and when it last did.
fn wiring(world: &World, queue: &Queue) -> Result<Vec<Finding>, Failure> {
    let called = last_called(queue)?;
    let agents = agents::ALL.iter().filter(|agent| agent.wiring().is_some());
    Ok(agents.map(|agent| wired(world, agent.name(), called.get(agent.name()).copied())).collect())
}

fn wired(world: &World, name: &str, called: Option<Timestamp>) -> Finding {
    let now = world.now();
    let called = called
        .map_or_else(|| "never called".to_owned(), |at| format!("last called {}", render::ago(now, at)));
    let mark = format!("hook --agent {name}");
    let plan = match agent::plan(world, name, false, true) {
        Ok(plan) => plan,
        Err(e) => return Finding::new(name, Health::Note, format!("{}; {called}", e.first())),
    };
    let marked = |change: &install::Change| change.before.as_deref().is_some_and(|text| text.contains(&mark));
    let install = format!("last-word install {name}");
    if plan.changes.iter().all(|change| change.before == change.after) {
        Finding::new(name, Health::Ok, format!("wired, {called}"))
    } else if plan.changes.iter().any(marked) {
        Finding::new(name, Health::Note, format!("wired, but not as it should be; {called}")).hint(install)
    } else {
        // Nobody has all of them: that is no fault.
        Finding::new(name, Health::Ok, format!("not wired, {called}"))
    }
}

/// When each agent was last heard of, by the sessions that are known.
fn last_called(queue: &Queue) -> Result<BTreeMap<String, Timestamp>, Failure> {
    let mut called: BTreeMap<String, Timestamp> = BTreeMap::new();
    let mut heard = |agent: &str, at: Timestamp| {
        let last = called.entry(agent.replace('-', "_")).or_insert(at);
        *last = (*last).max(at);
    };
    for ended in queue.sessions().ended()? {
        heard(&ended.who.agent, ended.ended_at);
    }
    for session in queue.sessions().all()? {
        let log = match session.log() {
            // One that is not ours to look into is named among the sessions.
            Err(e) if !e.is_machine_trouble() => continue,
            other => other?,
        };
        if let Some(who) = log.iter().find_map(|noted| noted.who.as_ref()) {
            heard(&who.agent, session.last_heard(&log)?);
        }
    }
    Ok(called)
}
