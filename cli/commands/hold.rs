//! `hold`: nothing of the queue, of a document or of a job is merged until it is released.

use super::select;
use crate::failure::Failure;
use crate::render;
use crate::table::table;
use crate::world::World;
use policy::settings::Settings;
use queue_layout::{HeldThing, Queue, State};
use serde_json::json;

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
    pub what: Held,
    /// Why, for `status` and the journal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// What `hold` and `release` are about.
#[derive(Debug, clap::Args)]
pub struct Held {
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
    let queue = world.queue()?;
    let things = things(&args.what, world, &queue)?;
    if things.is_empty() {
        return list(world, &queue).map(|()| 0);
    }
    let who = world.who(args.reason.as_deref())?;
    let mut rows = Vec::new();
    for thing in things {
        let new = operator::hold(&queue, thing.clone(), &who, world.now())?;
        if !world.json {
            let said = if new { "held" } else { "was held already" };
            render::line(&format!("{said}: {}", name(world, &thing)))?;
        }
        rows.push(json!({ "held": thing, "new": new }));
    }
    if world.json {
        render::json(&rows)?;
    } else if !world.working()?.is_empty() {
        render::line("a worker is running: it finishes the batch it has in hand, and begins no further one")?;
    }
    Ok(0)
}

/// What is named, in a form that can be held.
pub fn things(held: &Held, world: &World, queue: &Queue) -> Result<Vec<HeldThing>, Failure> {
    let mut things = Vec::new();
    if held.all {
        things.push(HeldThing::Queue);
    }
    let settings = if held.document.is_empty() { None } else { Some(world.settings()?) };
    for (document, settings) in held.document.iter().zip(settings.iter().cycle()) {
        things.push(document_thing(document, world, queue, settings)?);
    }
    for id in &held.ids {
        let listed = queue.find(id)?;
        if listed.state == State::Done {
            return Err(Failure::new(format!("job {} has ended; there is nothing to hold", listed.id))
                .hint(format!("last-word verify {}", listed.id)));
        }
        things.push(HeldThing::Job(listed.id));
    }
    Ok(things)
}

/// A document by its knowledge base or path; one that is held but no longer configured by the path it is listed with.
fn document_thing(
    named: &str,
    world: &World,
    queue: &Queue,
    settings: &Settings,
) -> Result<HeldThing, Failure> {
    match select::document(named, world, settings) {
        Ok(resolved) => Ok(HeldThing::Document(resolved.canonical)),
        Err(failure) => {
            let mut held = queue.hold_notes()?.into_iter().map(|hold| hold.held);
            let listed = |held: &HeldThing| matches!(held, HeldThing::Document(path) if path.to_str() == Some(named) || world.short(path) == named);
            held.find(listed).ok_or(failure)
        }
    }
}

/// What a person calls it.
pub fn name(world: &World, held: &HeldThing) -> String {
    match held {
        HeldThing::Queue => "the whole queue".to_owned(),
        HeldThing::Document(path) => world.short(path),
        HeldThing::Job(id) => format!("job {id}"),
    }
}

/// What lets it go.
pub fn release_command(world: &World, held: &HeldThing) -> String {
    match held {
        HeldThing::Queue => "last-word release --all".to_owned(),
        HeldThing::Document(path) => format!("last-word release --document {}", world.short(path)),
        HeldThing::Job(id) => format!("last-word release {id}"),
    }
}

/// A table of what is held, by whom and why.
pub fn list(world: &World, queue: &Queue) -> Result<(), Failure> {
    let notes = queue.hold_notes()?;
    if world.json {
        return render::json(&notes);
    }
    if notes.is_empty() {
        return render::line("nothing is held");
    }
    let rows = notes.iter().map(|hold| {
        vec![
            name(world, &hold.held).into(),
            render::ago(world.now(), hold.at).into(),
            hold.by.as_str().into(),
            hold.reason.as_deref().unwrap_or("-").into(),
            release_command(world, &hold.held).into(),
        ]
    });
    render::line(&table(world.page, &["HELD", "SINCE", "BY", "WHY", "NEXT"], rows.collect()))
}
