//! `plan`: puts one entry into the session's buffer. It is checked while the agent still listens, and durable at once.

use crate::entry::EntryFlags;
use crate::failure::{Exit, Failure};
use crate::language::said;
use crate::render;
use crate::speaker::{SpeakerFlags, check_own, speaker};
use crate::world::World;
use declaration::Entry;
use engine::Speaker;
use engine::output::{Buffer, Planned, TakenBack};

/// Put one entry into the session's buffer; it becomes a job when the session ends
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  last-word plan --to user --heading Preferences --op append --content '- prefers tabs'
  last-word plan --list
  last-word plan --drop 01a200aa
The entry is checked at once and is durable when its id is printed. It becomes a job when the session ends, at `flush`,
or when a worker finds the session gone. Typed by a person it goes into a session of their own, until `last-word flush`.")]
pub struct Args {
    #[command(flatten)]
    pub entry: EntryFlags,
    /// What this session planned so far
    #[arg(long, conflicts_with_all = ["to", "drop"])]
    pub list: bool,
    /// Take an entry back: its id, or a beginning of it that no other has
    #[arg(long, value_name = "ID", conflicts_with = "to")]
    pub drop: Option<String>,
    #[command(flatten)]
    pub speaker: SpeakerFlags,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let speaker = speaker(&args.speaker, world)?;
    if args.list {
        return list(world, &speaker);
    }
    match &args.drop {
        Some(id) => check_own(&speaker).and_then(|()| take_back(world, &speaker, id)),
        None if args.entry.is_given() => {
            let declaration = crate::entry::by_flags(&args.entry, world)?;
            let plan = |declaration| world.plan(&world.caller(None, None), &speaker, declaration);
            let planned = plan(declaration.clone()).or_else(|refused| {
                let operation = crate::replaces::meant(refused, args.entry.given(), world)?;
                plan(declaration.map(|mut declaration| {
                    declaration.mean(operation);
                    declaration
                }))
            })?;
            say(world, &speaker, &planned)
        }
        None => Err(Failure::new("nothing to plan")
            .hint("last-word plan --to KB --heading TEXT --op append --content TEXT; or --list, or --drop ID")
            .exit(Exit::Usage)),
    }
}

fn say(world: &World, speaker: &Speaker, planned: &Planned) -> Result<u8, Failure> {
    if world.json {
        render::json(planned)?;
        return Ok(0);
    }
    let entry = planned.entry.as_ref().map(words).unwrap_or_default();
    let planned_as = said(&format!("planned {}", planned.id)).into_owned();
    render::line(&format!("{planned_as}  {entry}"))?;
    let after = if planned.review { ", then waits for a person's yes" } else { "" };
    // A person's session ends by that command alone.
    let said = match speaker.agent.as_str() {
        Speaker::PERSON => format!("in {}: it waits for `last-word flush`{after}", speaker.describe()),
        _ => {
            format!("in {} ({}); merged after the session ends{after}", speaker.describe(), speaker.known_by)
        }
    };
    render::say(&said)?;
    Ok(0)
}

fn words(entry: &Entry) -> String {
    format!("{} {}", entry.operation.as_str(), entry.key)
}

fn list(world: &World, speaker: &Speaker) -> Result<u8, Failure> {
    let planned = world.planned(speaker)?;
    let Speaker { agent, session, known_by } = speaker.clone();
    if world.json {
        render::json_sorted(&Buffer { agent, session, known_by, planned })?;
        return Ok(0);
    }
    render::say(&format!("{} ({known_by}): {} planned", speaker.describe(), planned.len()))?;
    for entry in planned {
        let says = entry.entry.as_ref().map(words).or(entry.problem).unwrap_or_default();
        render::line(&format!("{}  {says}", entry.id))?;
    }
    Ok(0)
}

fn take_back(world: &World, speaker: &Speaker, prefix: &str) -> Result<u8, Failure> {
    let id = world.take_back(speaker, prefix)?;
    if world.json {
        render::json(&TakenBack { taken_back: id })?;
    } else {
        render::say(&format!("taken back {id}"))?;
    }
    Ok(0)
}
