//! `doctor`: whether everything is in place for declarations to come in and be merged. Looks, and changes nothing.

use crate::failure::{self, Failure};
use crate::install::{self, agent};
use crate::render::{self, Tone};
use crate::table::{Cell, table};
use crate::world::World;
use durable::Disk;
use knowledge::Timestamp;
use queue_layout::{HOME_DIRS, Queue};
use serde::Serialize;
use std::collections::BTreeMap;

/// How well something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Ok,
    /// Worth knowing; nothing is broken.
    Note,
    /// Something does not work until somebody acts.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: String,
    health: Health,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Finding {
    fn new(what: &str, health: Health, found: impl Into<String>) -> Finding {
        Finding { what: what.to_owned(), health, found: found.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }
}

pub fn run(world: &World) -> Result<u8, Failure> {
    let mut findings = vec![home(world), place(world)?, configuration(world)];
    // Without a whole home there is nothing more to look at.
    if let Ok(queue) = world.queue() {
        findings.push(permissions(world)?);
        findings.push(settings_file(world)?);
        findings.push(worker(world, &queue)?);
        findings.push(dead(&queue)?);
        findings.push(hooks(world));
        // What is wired depends on the configuration.
        if world.settings().is_ok() {
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
    match world.layout.check(&world.disk) {
        Ok(()) => Finding::new("home", Health::Ok, world.short(world.layout.home())),
        Err(e) => {
            let finding = Finding::new("home", Health::Bad, e.to_string());
            match e.hint() {
                Some(hint) => finding.hint(hint),
                None => finding,
            }
        }
    }
}

fn place(world: &World) -> Result<Finding, Failure> {
    Ok(match world.layout.unfit(&world.disk)? {
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
            Finding::new("configuration", Health::Bad, first(&e)).hint("last-word validate names every place")
        }
    }
}

/// The first thing that is wrong, and how many more there are.
fn first(failure: &Failure) -> String {
    let first = failure.messages.first().map_or("", |message| message.lines().next().unwrap_or(""));
    match failure.messages.len() {
        0 | 1 => first.to_owned(),
        all => format!("{first} (and {} more)", all - 1),
    }
}

fn permissions(world: &World) -> Result<Finding, Failure> {
    let mut open = Vec::new();
    for dir in HOME_DIRS.iter().map(|name| world.layout.home().join(name)) {
        if world.disk.stat(&dir)?.is_some_and(|stat| stat.mode & 0o077 != 0) {
            open.push(world.short(&dir));
        }
    }
    Ok(match open.as_slice() {
        [] => Finding::new("permissions", Health::Ok, "the directories are yours alone"),
        [first, ..] => {
            Finding::new("permissions", Health::Note, format!("others may look into {}", open.join(", ")))
                .hint(format!("chmod 700 {first}"))
        }
    })
}

/// Who can write the configuration can have anything written, and programs started.
fn settings_file(world: &World) -> Result<Finding, Failure> {
    let path = world.layout.config();
    let mode = world.disk.stat(&path)?.map_or(0, |stat| stat.mode);
    if mode & 0o022 == 0 {
        return Ok(Finding::new("config.yaml", Health::Ok, "yours alone to change"));
    }
    let found = format!("others can change {} (mode {:03o})", world.short(&path), mode & 0o777);
    Ok(Finding::new("config.yaml", Health::Bad, found).hint(format!("chmod go-w {}", world.short(&path))))
}

fn worker(world: &World, queue: &Queue<'_>) -> Result<Finding, Failure> {
    let status = operator::status(queue, world.now())?;
    let schedule = "schedule it: README, \"You schedule the worker\"; by hand: last-word work";
    Ok(match (&status.last_run, status.stalled) {
        (_, Some(since)) => {
            let waits = render::span(status.at.since_ms(since));
            Finding::new("worker", Health::Bad, format!("jobs wait since {waits}, nobody merges them"))
                .hint(schedule)
        }
        (Some(run), None) => {
            Finding::new("worker", Health::Ok, format!("last run {}", render::ago(status.at, run.at)))
        }
        (None, None) => Finding::new("worker", Health::Note, "no run today or yesterday").hint(schedule),
    })
}

fn dead(queue: &Queue<'_>) -> Result<Finding, Failure> {
    let mut dead = Vec::new();
    for worker in queue.claimants()? {
        if !queue.is_alive(&worker)? {
            dead.push(worker);
        }
    }
    Ok(match dead.as_slice() {
        [] => Finding::new("claims", Health::Ok, "none is left by a dead worker"),
        _ => Finding::new("claims", Health::Note, format!("{} died with jobs in hand", dead.join(", ")))
            .hint("the next last-word work recovers them"),
    })
}

fn hooks(world: &World) -> Finding {
    if super::status::hooks(world) == super::status::OFF {
        return Finding::new("hooks", Health::Note, "switched off: every agent is told nothing").hint(
            "`enabled: true` in config.yaml; no file `disabled` in the home or in .agents/; LAST_WORD_DISABLE unset",
        );
    }
    Finding::new("hooks", Health::Ok, "switched on")
}

/// For each agent whether it is wired to call us, and when it last did.
fn wiring(world: &World, queue: &Queue<'_>) -> Result<Vec<Finding>, Failure> {
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
        Err(e) => return Finding::new(name, Health::Note, format!("{}; {called}", first(&e))),
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
fn last_called(queue: &Queue<'_>) -> Result<BTreeMap<String, Timestamp>, Failure> {
    let mut called: BTreeMap<String, Timestamp> = BTreeMap::new();
    let mut heard = |agent: &str, at: Timestamp| {
        let last = called.entry(agent.replace('-', "_")).or_insert(at);
        *last = (*last).max(at);
    };
    for ended in queue.ended_sessions()? {
        heard(&ended.who.agent, ended.ended_at);
    }
    for session in queue.sessions()? {
        let log = session.log()?;
        if let Some(who) = log.iter().find_map(|noted| noted.who.as_ref()) {
            heard(&who.agent, session.last_heard(&log)?);
        }
    }
    Ok(called)
}
