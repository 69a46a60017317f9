//! `apply`: runs the worker by hand. With `--dry-run` it prints a diff per document and changes nothing.

use super::work::stop_on_signals;
use crate::failure::{self, Failure};
use crate::progress;
use crate::render;
use crate::world::World;
use engine::output::{WouldChange, WouldNotMerge};
use engine::{ApplyScope, Declared, Format, RunByHand, output, sentence};

/// The worker by hand, for some documents; --dry-run shows the diffs and changes nothing
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Only jobs of this document (a path, or a knowledge base), also before they are due
    #[arg(long, value_name = "DOC")]
    pub file: Option<String>,
    /// Also what was put off, before it is due
    #[arg(long)]
    pub now: bool,
    /// Jobs (ids or their beginnings), also before they are due; or declarations that are not enqueued yet
    #[arg(value_name = "JOB|FILE.yaml")]
    pub what: Vec<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let scope = scope(args, world)?;
    if args.dry_run { dry_run(world, scope) } else { apply(world, scope) }
}

/// Sorts the arguments: a file is a declaration, everything else names a job.
fn scope(args: &Args, world: &World) -> Result<ApplyScope, Failure> {
    let (files, jobs): (Vec<&String>, Vec<&String>) =
        args.what.iter().partition(|what| *what == "-" || world.is_input(what));
    let declared = files.into_iter().try_fold(Declared::new(), |declared, file| {
        let bytes = world.read_input(file)?;
        let format = (file != "-").then(|| Format::guess(Some(file), &bytes));
        Ok::<_, Failure>(declared.text(file, bytes, format))
    })?;
    let jobs = jobs.into_iter().cloned().collect();
    Ok(ApplyScope::new().jobs(jobs).document(args.file.clone()).before_due(args.now).declared(declared))
}

fn apply(world: &World, scope: ApplyScope) -> Result<u8, Failure> {
    let worker = world.worker(world.caller(None, None), world.person()).control(stop_on_signals()?);
    let RunByHand { report, put_off, held } = worker.apply(scope)?;
    if world.json {
        render::json(&output::Applied::from(&report))?;
    } else {
        render::say(&sentence(&report))?;
        for fault in put_off {
            render::say(&format!("could not be merged yet: {} [{}]", fault.message, fault.code))?;
            fault.hint.as_ref().map_or(Ok(()), |hint| render::say(&format!("hint: {hint}")))?;
        }
        if held {
            render::say("something is held and was left alone: `last-word hold` lists it")?;
        }
    }
    Ok(if report.failed + report.review > 0 { failure::SOMEBODY_NEEDED } else { 0 })
}

fn dry_run(world: &World, scope: ApplyScope) -> Result<u8, Failure> {
    let caller = world.caller(None, None);
    let changes = progress::waiting("trying it", || world.would_apply(&caller, scope))?;
    if world.json {
        render::json(&changes)?;
        return Ok(0);
    }
    if changes.is_empty() {
        render::say("nothing waits")?;
    }
    for change in &changes {
        show(world, change)?;
    }
    Ok(0)
}

fn show(world: &World, change: &WouldChange) -> Result<(), Failure> {
    if change.diff.is_empty() {
        render::say(&format!("{}: nothing would change", world.short(&change.document)))?;
    } else {
        render::line(change.diff.trim_end())?;
    }
    for WouldNotMerge { id, review, error } in &change.refused {
        let id = id.map_or_else(|| "the declaration".to_owned(), |id| id.to_string());
        let would = if *review { "would wait for a review" } else { "would fail" };
        render::say(&format!("{id} {would}: {} [{}]", error.message, error.code))?;
        if let Some(hint) = &error.hint {
            render::say(&format!("  hint: {hint}"))?;
        }
    }
    Ok(())
}
