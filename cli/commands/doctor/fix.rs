//! `doctor --fix`: mends the home at once; changes of files that are not ours are shown first and confirmed.

use crate::failure::{self, Failure};
use crate::install::schedule::Schedule;
use crate::install::{agent, carry_out};
use crate::progress;
use crate::render;
use crate::world::World;

/// Mends what can be mended, and says what it did.
pub fn fix(world: &World, yes: bool) -> Result<(), Failure> {
    if world.json {
        return Err(Failure::new("--fix says what it does to people, not in JSON")
            .hint("last-word doctor --fix, then last-word doctor --json")
            .exit(failure::Exit::Usage));
    }
    // What was mended before a failure is said, too.
    let mut mended: Vec<String> = Vec::new();
    let mut tell = |what: &str| {
        mended.push(what.to_owned());
        Ok(())
    };
    let (caller, person) = (world.caller(None, None), world.person());
    let ended = progress::waiting("mending", || world.mend(&caller, &person, &mut tell));
    mended.iter().try_for_each(|what| render::say(&format!("mended: {what}")))?;
    ended?;
    if world.settings().is_ok() {
        schedules(world, yes)?;
        wiring(world, yes)?;
    }
    Ok(())
}

/// Schedules that are installed but not as we would install them now: for example, the program has moved.
fn schedules(world: &World, yes: bool) -> Result<(), Failure> {
    for (name, schedule) in Schedule::ALL {
        if let Some(Ok(plan)) = schedule.installed(world)
            && !plan.is_done()
        {
            carry_out(world, &plan, yes).map_err(|failure| of(name, failure))?;
        }
    }
    Ok(())
}

/// Agents that call us, but are not wired as they should be.
fn wiring(world: &World, yes: bool) -> Result<(), Failure> {
    for agent in agents::ALL.iter().filter(|agent| agent.can_be_installed()) {
        let mark = format!("hook --agent {}", agent.name());
        // What cannot be read is named by the report that follows.
        let Ok(plan) = agent::plan(world, agent.name(), false, true) else { continue };
        if plan.is_begun(&mark) && !plan.is_done() {
            carry_out(world, &plan, yes).map_err(|failure| of(agent.name(), failure))?;
        }
    }
    Ok(())
}

fn of(name: &str, mut failure: Failure) -> Failure {
    failure.messages = failure.messages.iter().map(|message| format!("{name}: {message}")).collect();
    failure
}
