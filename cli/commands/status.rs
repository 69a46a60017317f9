//! `status`: is it working?

use crate::args;
use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use knowledge::Timestamp;
use operator::Status;
use queue_layout::State;

pub fn run(args: &args::Status, world: &World) -> Result<u8, Failure> {
    let status = operator::status(&world.queue()?, world.now())?;
    if args.check {
        render::line(&check_line(&status))?;
        return Ok(if status.needs_somebody { failure::SOMEBODY_NEEDED } else { 0 });
    }
    if world.json {
        render::json(&Report { status: &status, hooks: hooks(world) })?;
        return Ok(0);
    }
    people(world, &status)?;
    if hooks(world) == OFF {
        render::line("\nhooks are switched off (`enabled: false`, a file `disabled`, or LAST_WORD_DISABLE)")?;
    }
    Ok(0)
}

#[derive(serde::Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    status: &'a Status,
    hooks: &'static str,
}

const OFF: &str = "off";

/// Whether agents' hooks do anything, as seen from here.
fn hooks(world: &World) -> &'static str {
    let by_file = crate::hook::is_switched_off(world).unwrap_or(false);
    let by_config = world.settings().is_ok_and(|settings| !settings.enabled);
    if by_file || by_config || crate::hook::is_disabled_here() { OFF } else { "on" }
}

fn count(status: &Status, state: State) -> usize {
    status.states.iter().find(|of| of.state == state).map_or(0, |of| of.count)
}

fn check_line(status: &Status) -> String {
    let words: Vec<String> = [State::Pending, State::Deferred, State::Failed, State::Review]
        .iter()
        .map(|state| format!("{} {}", count(status, *state), state.as_str()))
        .collect();
    let verdict = if status.needs_somebody { "NEEDS SOMEBODY" } else { "OK" };
    let foreign = match status.foreign.len() {
        0 => String::new(),
        n => format!(", {n} foreign files"),
    };
    let held = match status.held.len() {
        0 => String::new(),
        n => format!(", {n} held"),
    };
    format!("{verdict}: {}{held}{foreign}", words.join(", "))
}

fn people(world: &World, status: &Status) -> Result<(), Failure> {
    let now = status.at;
    render::line(&format!("{}  ({})", check_line(status), world.short(&status.home)))?;
    render::line(&last_run(status, now))?;
    held(world, status)?;
    let states = status.states.iter().map(|of| {
        let oldest = of.oldest.map_or_else(|| "-".to_owned(), |oldest| render::ago(now, oldest));
        vec![of.state.as_str().to_owned(), of.count.to_string(), oldest]
    });
    render::line(&format!("\n{}", render::table(&["STATE", "JOBS", "OLDEST"], states.collect())))?;
    documents(world, status)?;
    failures(status)?;
    waiting_for_somebody(status)
}

fn held(world: &World, status: &Status) -> Result<(), Failure> {
    for hold in &status.held {
        let why = hold.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
        render::line(&format!(
            "HELD {} by {}: {}{why}; {}",
            render::ago(status.at, hold.at),
            hold.by,
            super::hold::name(world, &hold.held),
            super::hold::release_command(world, &hold.held)
        ))?;
    }
    Ok(())
}

fn last_run(status: &Status, now: Timestamp) -> String {
    let working = match status.working.as_slice() {
        [] => String::new(),
        some => format!("; at work now: {}", some.join(", ")),
    };
    match &status.last_run {
        Some(run) => format!(
            "last run {} by {}: {}{working}",
            render::ago(now, run.at),
            run.by.as_deref().unwrap_or("somebody"),
            run.message.as_deref().unwrap_or("nothing noted")
        ),
        None => format!("no run today or yesterday{working}; `last-word work` merges what waits"),
    }
}

fn documents(world: &World, status: &Status) -> Result<(), Failure> {
    if status.documents.is_empty() {
        return Ok(());
    }
    let rows = status.documents.iter().map(|document| {
        let path = document.path.as_ref().map_or_else(|| document.doc.to_string(), |path| world.short(path));
        vec![path, document.pending.to_string(), document.deferred.to_string(), document.first.to_string()]
    });
    render::line(&format!(
        "\n{}",
        render::table(&["DOCUMENT", "PENDING", "DEFERRED", "FIRST"], rows.collect())
    ))
}

fn failures(status: &Status) -> Result<(), Failure> {
    if status.failures.is_empty() {
        return Ok(());
    }
    let rows = status.failures.iter().map(|group| {
        vec![
            group.code.clone(),
            group.count.to_string(),
            group.example.clone(),
            format!("last-word resolve --error {}", group.code),
        ]
    });
    render::line(&format!("\n{}", render::table(&["FAILED", "JOBS", "FOR EXAMPLE", "NEXT"], rows.collect())))
}

fn waiting_for_somebody(status: &Status) -> Result<(), Failure> {
    if count(status, State::Review) > 0 {
        render::line("\nwaiting for your yes: last-word review")?;
    }
    for worker in &status.dead {
        render::line(&format!("\n{worker} died with jobs in hand; the next `last-word work` recovers them"))?;
    }
    if !status.foreign.is_empty() {
        render::line("\nnot ours, and not touched:")?;
        for name in &status.foreign {
            render::line(&format!("  {name}"))?;
        }
    }
    Ok(())
}
