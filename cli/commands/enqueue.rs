//! `enqueue`: declarations become jobs. An id is printed only when its job is durable.

use crate::args::Enqueue;
use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use declaration::reading::Format;
use engine::Declared;
use engine::output::Acknowledged;
use operator::Fate;
use queue_layout::JobId;
use std::time::Duration;

pub fn run(args: &Enqueue, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let declared = declared(args, world)?;
    let caller = world.caller(args.agent.as_deref(), args.session.as_deref());
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    let mut printed = Ok(());
    // Jobs without a key become durable at the same moment.
    let together = args.key.is_none();
    let result = world.enqueue_telling(&caller, declared, &mut |enqueued| {
        if !world.json && !together && printed.is_ok() {
            printed = render::line(&enqueued.id.to_string());
        }
        acknowledged.push(enqueued.into());
    });
    if !world.json && together && !acknowledged.is_empty() {
        printed = render::line(&ids(&acknowledged, "\n"));
    }
    result?;
    printed.map_err(|failure| unsaid(failure, &acknowledged))?;
    match args.wait {
        Some(seconds) => wait(world, &acknowledged, seconds),
        None => {
            if world.json {
                render::json(&acknowledged).map_err(|failure| unsaid(failure, &acknowledged))?;
            }
            Ok(0)
        }
    }
}

fn ids(acknowledged: &[Acknowledged], between: &str) -> String {
    let ids: Vec<String> = acknowledged.iter().map(|job| job.id.to_string()).collect();
    ids.join(between)
}

/// The jobs are queued, though nobody could be told on standard output: to enqueue them again would do it twice.
fn unsaid(failure: Failure, acknowledged: &[Acknowledged]) -> Failure {
    let ids = ids(acknowledged, ", ");
    let messages = failure.messages.iter().map(|message| format!("{message}; queued all the same: {ids}"));
    Failure { messages: messages.collect(), ..failure }
}

fn declared(args: &Enqueue, world: &World) -> Result<Declared, Failure> {
    let declared = Declared::new().key(args.key.clone());
    if args.entry.to.is_some() {
        return Ok(declared.declaration("the command line", crate::entry::by_flags(&args.entry, world)?));
    }
    let standard_input = ["-".to_owned()];
    let names = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    names.iter().try_fold(declared, |declared, name| {
        let bytes = world.read_input(name)?;
        let format = (name != "-").then(|| Format::guess(Some(name), &bytes));
        Ok(declared.text(shown(name), bytes, format))
    })
}

fn shown(name: &str) -> &str {
    if name == "-" { "standard input" } else { name }
}

/// Waits until every job ended or waits for somebody.
fn wait(world: &World, enqueued: &[Acknowledged], seconds: u64) -> Result<u8, Failure> {
    let ids: Vec<JobId> = enqueued.iter().map(|job| job.id).collect();
    let verdicts = world.wait_for(&ids, Duration::from_secs(seconds))?;
    let bad = verdicts.iter().any(|verdict| matches!(verdict.fate, Fate::Failed | Fate::Review));
    super::verify::print(world, &verdicts)?;
    Ok(if bad { failure::SOMEBODY_NEEDED } else { 0 })
}
