//! `doctor`: whether everything is in place for declarations to come in and be merged. It looks and changes nothing; with
//! `--fix` it first mends what can be mended, and then looks.

mod fix;
mod other_homes;

use crate::failure::{self, Failure};
use crate::install::schedule::{BESIDE_CRON, Schedule};
use crate::install::{self, agent};
use crate::language::said;
use crate::progress;
use crate::render::{self, Page, Tone};
use crate::table::{Cell, table};
use crate::world::World;
use declaration::Timestamp;
use engine::NO_CONFIG;
use engine::output::{Finding, Health};

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
    let look = || world.doctor(&world.cwd, crate::hook::is_disabled_here());
    let mut findings = progress::waiting("looking at home and documents", look)?;
    // Schedules and wiring can be looked at only where the home is whole and its configuration can be read.
    if world.check().is_ok()
        && let Ok(settings) = world.settings()
    {
        findings.push(other_homes::finding(world, &settings));
        findings.extend(project_of_others(world));
        findings.push(scheduled(world));
        findings.extend(wiring(world)?);
    }
    let bad = findings.iter().any(|finding| finding.health == Health::Bad);
    if world.json {
        render::json(&findings)?;
    } else {
        people(world, findings)?;
    }
    Ok(if bad { failure::SOMEBODY_NEEDED } else { 0 })
}

/// A project that sessions here are not shown, because it may be another user's doing.
fn project_of_others(world: &World) -> Option<Finding> {
    let (dir, why) = world.project_of_others(&world.cwd)?;
    let said = format!("{} is not taken for a project: {why}", world.short(&dir));
    let hint = "if you trust what is in it, list it: `last-word init --project` there";
    Some(Finding::new("project", Health::Bad, said).hint(hint))
}

/// The schedules that are installed, and whether they are as we would install them now.
fn scheduled(world: &World) -> Finding {
    let (mut there, mut odd) = (Vec::new(), None);
    for (name, schedule) in Schedule::ALL {
        match schedule.installed(world) {
            Some(Ok(plan)) if plan.is_done() => there.push(name),
            Some(Ok(_)) => {
                let hint = format!("last-word install {name}, or last-word doctor --fix");
                odd = odd.or(Some((format!("{name}, but not as it should be"), Some(hint))));
            }
            Some(Err(e)) => odd = odd.or(Some((format!("{name}: {}", e.first()), None))),
            None => {}
        }
    }
    if let Some((found, hint)) = odd {
        // A schedule that works is named beside one that does not.
        let others =
            if there.is_empty() { String::new() } else { format!("; {} is in order", there.join(", ")) };
        let finding = Finding::new("schedule", Health::Note, format!("{found}{others}"));
        return hint.into_iter().fold(finding, Finding::hint);
    }
    match there.as_slice() {
        [] => Finding::new("schedule", Health::Note, "`last-word install` has made none").hint(format!(
            "last-word install cron or {BESIDE_CRON}; if something else calls last-word work, all is well"
        )),
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
            Health::Ok if finding.found.starts_with(NOT_WIRED) || finding.found == NO_CONFIG => {
                ("-", Tone::Dim)
            }
            Health::Ok => ("ok", Tone::Good),
            Health::Note => ("note", Tone::Warn),
            Health::Bad => ("BAD", Tone::Bad),
        };
        vec![Cell::said(&finding.what), Cell::new(said(word), tone), Cell::said(&finding.found)]
    };
    let rows = findings.into_iter().map(row).collect();
    // What was found is a sentence: on a terminal it goes on below instead of being cut.
    let whole = table(Page { width: None, ..world.page }, &["WHAT", "IS", "FOUND"], rows);
    render::say(&whole)?;
    hints.iter().try_for_each(|hint| render::say(hint))
}

/// What is found of an agent that does not call us.
const NOT_WIRED: &str = "not wired";

/// For each agent whether it is wired to call us, and when it last did.
fn wiring(world: &World) -> Result<Vec<Finding>, Failure> {
    let called = world.last_called()?;
    let agents = agents::ALL.iter().filter(|agent| agent.can_be_installed());
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
    let marked =
        |change: &install::FileChange| change.before.as_deref().is_some_and(|text| text.contains(&mark));
    let install = format!("last-word install {name}");
    let whole = |plan: &install::Plan| plan.changes.iter().all(|change| change.before == change.after);
    let in_project = agent::plan(world, name, true, true).ok();
    let in_project = in_project.filter(|plan| plan.changes.iter().any(marked));
    if whole(&plan) {
        match agent::switched_off(&plan) {
            Some(path) => {
                let found = format!("wired, but its settings switch all hooks off; {called}");
                let hint = format!("take `disableAllHooks` out of {}", world.short(path));
                Finding::new(name, Health::Note, found).hint(hint)
            }
            None => trusted(world, name, "wired", &called),
        }
    } else if !plan.changes.iter().any(marked)
        && let Some(project) = in_project
    {
        if whole(&project) {
            trusted(world, name, "wired in this project", &called)
        } else {
            let found = format!("wired in this project, but not as it should be; {called}");
            Finding::new(name, Health::Note, found).hint(format!("{install} --project"))
        }
    } else if plan.changes.iter().any(marked) {
        let names_no_home = |change: &install::FileChange| {
            let text = change.before.as_deref().unwrap_or_default();
            text.lines().any(|line| line.contains(&mark) && !line.contains("--home"))
        };
        let wrong = if plan.changes.iter().any(names_no_home) {
            "its hooks name no home, so that a repository's variables may lead them to another"
        } else {
            "not as it should be"
        };
        Finding::new(name, Health::Note, format!("wired, but {wrong}; {called}")).hint(install)
    } else {
        // Nobody uses all of these agents: one that is not wired is no fault, and nothing that is well either.
        Finding::new(name, Health::Ok, format!("{NOT_WIRED}, {called}"))
    }
}

/// An agent that is wired. Some run only hooks that a person trusted, and do not say so.
fn trusted(world: &World, name: &str, wired: &str, called: &str) -> Finding {
    if agent::is_trusted(world, name) {
        return Finding::new(name, Health::Ok, format!("{wired}, {called}"));
    }
    let found = format!("{wired}, but nobody trusted its hooks there, so that it runs none; {called}");
    Finding::new(name, Health::Note, found).hint("start it, and look at them with /hooks")
}
