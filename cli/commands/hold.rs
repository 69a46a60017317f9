//! `hold`: nothing of the queue, of a document or of a job is merged until it is released.

use crate::failure::Failure;
use crate::render;
use crate::table::{Cell, table};
use crate::world::World;
use queue_layout::HeldThing;

/// Stop merging: the whole queue, a document or a job; alone it lists what is held
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without anything to hold it lists what is held. What is held still takes declarations; they wait.
A worker finishes the batch it has in hand and begins no further one. Later jobs of a document wait behind a held one.

Examples:
  last-word hold --document user --reason 'I am rewriting it'
  last-word hold --all"
)]
pub struct Args {
    #[command(flatten)]
    pub what: HoldTargets,
    /// Why, for `status` and the journal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// What `hold` and `release` are about.
#[derive(Debug, clap::Args)]
pub struct HoldTargets {
    /// Jobs: ids, or beginnings of them that no other has
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// A document: a knowledge base, or a path
    #[arg(long, value_name = "DOC")]
    pub document: Vec<String>,
    /// The whole queue
    #[arg(long)]
    pub all: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let things = things(&args.what, world)?;
    if things.is_empty() {
        return list(world).map(|()| 0);
    }
    let who = world.who("hold", args.reason.as_deref())?;
    let mut rows = Vec::new();
    for thing in things {
        let held = world.hold(thing, &who)?;
        if !world.json {
            let said = if held.new { "held" } else { "was held already" };
            render::say(&format!("{said}: {}", name(world, &held.held)))?;
        }
        rows.push(held);
    }
    if world.json {
        render::json_sorted(&rows)?;
    } else if !world.working()?.is_empty() {
        render::say("a worker is running: it finishes the batch it has in hand, and begins no further one")?;
    }
    Ok(0)
}

/// What is named, in the form that can be held.
pub fn things(held: &HoldTargets, world: &World) -> Result<Vec<HeldThing>, Failure> {
    let all = held.all.then_some(Ok(HeldThing::Queue));
    let documents = held.document.iter().map(|named| world.holdable_document(named, &world.cwd));
    let jobs = held.ids.iter().map(|id| world.holdable_job(id));
    all.into_iter().chain(documents).chain(jobs).collect()
}

/// The name that a person uses for it.
pub fn name(world: &World, held: &HeldThing) -> String {
    match held {
        HeldThing::Queue => "the whole queue".to_owned(),
        HeldThing::Document(path) => {
            let called = world.called(path, &world.cwd).filter(|_| world.page.is_narrow());
            called.unwrap_or_else(|| world.short(path))
        }
        HeldThing::Job(id) => format!("job {id}"),
    }
}

/// The command that releases it.
pub fn release_command(world: &World, held: &HeldThing) -> String {
    match held {
        HeldThing::Queue => "last-word release --all".to_owned(),
        HeldThing::Document(path) => {
            let named = world.called(path, &world.cwd).unwrap_or_else(|| world.short(path));
            format!("last-word release --document {named}")
        }
        HeldThing::Job(id) => format!("last-word release {id}"),
    }
}

/// A table of what is held, by whom and why.
pub fn list(world: &World) -> Result<(), Failure> {
    let notes = world.holds()?;
    if world.json {
        return render::json(&notes);
    }
    if notes.is_empty() {
        return render::say("nothing is held");
    }
    let rows = notes.iter().map(|hold| {
        vec![
            Cell::said(&name(world, &hold.held)),
            Cell::said(&render::ago(world.now(), hold.at)),
            hold.by.as_str().into(),
            hold.reason.as_deref().unwrap_or("-").into(),
            release_command(world, &hold.held).into(),
        ]
    });
    render::line(&table(world.page, &["HELD", "SINCE", "BY", "WHY", "NEXT"], rows.collect()))
}
