//! `doctor --fix`: what can be mended without deciding anything for anybody. In the home at once; files that are not ours
//! are shown first, and asked about.

use crate::failure::{self, Failure};
use crate::install::schedule::Schedule;
use crate::install::{agent, carry_out};
use crate::render;
use crate::world::World;
use durable::{Disk, Kind};
use operator::{SPACE_LOW, is_below};
use queue_layout::{HOME_DIRS, Queue};

/// Old files between two looks at the space that is left.
const STEP_FILES: usize = 2_000;

/// Mends what can be mended, and says what it did.
pub fn fix(world: &World, yes: bool) -> Result<(), Failure> {
    if world.json {
        return Err(Failure::new("--fix says what it does to people, not in JSON")
            .hint("last-word doctor --fix, then last-word doctor --json")
            .exit(failure::Exit::Usage));
    }
    permissions(world)?;
    layout(world)?;
    let queue = world.queue()?;
    space(world, &queue)?;
    dead(world, &queue)?;
    if world.settings().is_ok() {
        schedules(world, yes)?;
        wiring(world, yes)?;
    }
    Ok(())
}

fn said(what: &str) -> Result<(), Failure> {
    render::line(&format!("mended: {what}"))
}

/// First of all: a home that others can write to is refused by everything else. Only what is a directory of ours.
fn permissions(world: &World) -> Result<(), Failure> {
    let home = world.layout().home();
    let ours = rustix::process::getuid().as_raw();
    for dir in std::iter::once(home.to_owned()).chain(HOME_DIRS.iter().map(|name| home.join(name))) {
        let Some(stat) = world.disk.stat_link(&dir)? else { continue };
        if stat.kind == Kind::Directory && stat.uid == ours && stat.mode & 0o077 != 0 {
            world.disk.set_mode(&dir, 0o700)?;
            said(&format!("{} is yours alone", world.short(&dir)))?;
        }
    }
    Ok(())
}

/// The directories that are missing in a home that is there. A home that is not there is `init`'s.
fn layout(world: &World) -> Result<(), Failure> {
    if world.disk.stat(world.layout().home())?.is_none() {
        return Ok(());
    }
    for dir in world.layout().create(&*world.disk)? {
        said(&format!("made {}", world.short(&dir)))?;
    }
    Ok(())
}

/// What is older than it is kept goes, when little space is left.
fn space(world: &World, queue: &Queue) -> Result<(), Failure> {
    let Ok(settings) = world.settings() else { return Ok(()) };
    while is_below(world.disk.space(queue.home())?, SPACE_LOW) {
        let (pruned, more) = operator::prune_some(queue, world.now(), &settings.retention, STEP_FILES)?;
        if pruned.is_nothing() {
            return Ok(());
        }
        operator::tell_pruned(queue, &pruned, &world.person(), world.now());
        said(&format!("cleared away {}", operator::pruned_sentence(&pruned)))?;
        if !more {
            return Ok(());
        }
    }
    Ok(())
}

/// What the dead had in hand, and left half-written. A worker that drains does it itself.
fn dead(world: &World, queue: &Queue) -> Result<(), Failure> {
    let Ok(settings) = world.settings() else { return Ok(()) };
    let Some(_alone) = world.disk.try_lock(&world.layout().run_lock())? else { return Ok(()) };
    let before = left(world, queue)?;
    if before == 0 {
        return Ok(());
    }
    let worker = world.worker(world.caller(None, None), world.person());
    worker.recover(&settings)?;
    said(&format!("{before} things the dead had left; the jobs are back in the queue"))
}

fn left(world: &World, queue: &Queue) -> Result<usize, Failure> {
    let mut left = queue.operator().abandoned(world.now())?.len();
    for worker in queue.claimants()? {
        left += usize::from(!queue.is_alive(&worker)?);
    }
    Ok(left)
}

/// Schedules that are installed and are not as we would install them: the program has moved, say.
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

/// Agents that are wired to call us, but not as they should be.
fn wiring(world: &World, yes: bool) -> Result<(), Failure> {
    for agent in agents::ALL.iter().filter(|agent| agent.wiring().is_some()) {
        let mark = format!("hook --agent {}", agent.name());
        // What cannot be read is said by the report that follows.
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
