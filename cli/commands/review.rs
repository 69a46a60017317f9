//! `review`: a yes or a no to what waits for one. An agent's session can say neither.

use super::resolve::guided::Guided;
use super::resolve::{ResolveSession, dry_run, report, together};
use super::select;
use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use engine::output::{Decided, LeftAlone, MovedSection, Reviewed};
use operator::{Action, Shown};
use queue_layout::{Listed, Queue, State};
use std::collections::BTreeSet;

/// Say yes or no to what waits for a review
#[derive(Debug, clap::Args)]
#[command(
    after_help = "On a terminal, without --approve or --reject, it shows each proposal with the change it would make now, and asks. A proposal
whose section changed meanwhile is merged with that change, which is said; where it cannot be, it becomes a failed job
with a conflict. An agent's session can neither approve nor reject.

Ctrl-C ends it after the step in hand (exit 75): each proposal is decided, or still waits. Say the same again to go on."
)]
pub struct Args {
    /// Jobs: ids or their beginnings
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// All that wait
    #[arg(long, conflicts_with = "ids")]
    pub all: bool,
    /// Yes: they are merged
    #[arg(long, conflicts_with = "reject")]
    pub approve: bool,
    /// No: they end
    #[arg(long)]
    pub reject: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Why, for the journal
    #[arg(long)]
    pub reason: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    // A secret is refused before the choice of jobs can fail for another reason.
    World::check_reason(args.reason.as_deref())?;
    if !args.dry_run {
        operator::give_back_staged(&queue, world.now())?;
    }
    let chosen = match (args.ids.is_empty(), args.all) {
        (false, _) => select::staged(&queue, world, &args.ids, State::Review)?,
        (true, _) => queue.list(State::Review)?.jobs,
    };
    let action = match (args.approve, args.reject) {
        (true, _) => Action::Approve(Shown::AsProposed),
        (_, true) => Action::Reject,
        _ if world.interactive() && !world.json && !chosen.is_empty() => {
            return ask(args, world, queue, &chosen);
        }
        _ => return super::list::run(&listing(), world),
    };
    if args.ids.is_empty() && !args.all {
        return Err(Failure::new("no job is named")
            .hint("name ids, or say --all")
            .exit(failure::Exit::Usage));
    }
    let word = if args.approve { "approve" } else { "reject" };
    if args.dry_run {
        return dry_run(world, &queue, &chosen, word, &|_| None);
    }
    all(args, world, &queue, chosen, &action)
}

/// The same to each that is not held.
fn all(
    args: &Args,
    world: &World,
    queue: &Queue,
    chosen: Vec<Listed>,
    action: &Action,
) -> Result<u8, Failure> {
    let who = world.who("review", args.reason.as_deref())?;
    let holds = queue.holds()?;
    let (held, free): (Vec<_>, Vec<_>) = chosen.into_iter().partition(|listed| holds.job(listed.id));
    let moved = if args.approve { world.moved_sections(&free)? } else { Vec::new() };
    let decisions = world.decisions(world.person_calls(), who);
    let word = if args.approve { "approved" } else { "rejected" };
    match together::decide(world, &decisions, &free, action, word) {
        Ok(done) => say(args, world, &done, (moved, &held)),
        Err(undecided) => {
            if !undecided.before.is_nothing() {
                say(args, world, &undecided.before, (moved, &held))?;
            }
            Err(undecided.failure)
        }
    }
}

/// Says what was decided.
fn say(
    args: &Args,
    world: &World,
    done: &Decided,
    (mut moved, held): (Vec<MovedSection>, &[Listed]),
) -> Result<u8, Failure> {
    let decided = if args.approve { &done.requeued } else { &done.ended };
    let code = match done.not_asked {
        0 if done.skipped.is_empty() => 0,
        0 => failure::COULD_NOT,
        _ => together::stopped(done, world)?,
    };
    let now_decided: BTreeSet<&str> = decided.iter().map(String::as_str).collect();
    moved.retain(|section| now_decided.contains(section.id.to_string().as_str()));
    if world.json {
        let held: Vec<_> = held.iter().map(|listed| listed.id).collect();
        let ids = decided.iter().filter_map(|id| id.parse().ok()).collect();
        let (approved, rejected) = if args.approve { (Some(ids), None) } else { (None, Some(ids)) };
        let (not_asked, skipped) = (done.not_asked, done.skipped.clone());
        render::json(&Reviewed { approved, held, moved, not_asked, rejected, skipped })?;
        return Ok(code);
    }
    let word = if args.approve { "approved" } else { "rejected" };
    let next = if args.approve { "; `last-word work` merges them" } else { "" };
    render::line(&format!("{} {word}{next}", decided.len()))?;
    for MovedSection { id, heading } in moved {
        render::line(&format!(
            "{id}: `{heading}` changed since it was proposed; merged with that change, or a conflict"
        ))?;
    }
    for listed in held {
        render::line(&format!("{} is held and was left alone; last-word release {}", listed.id, listed.id))?;
    }
    done.skipped
        .iter()
        .filter_map(LeftAlone::sentence)
        .for_each(|message| eprintln!("last-word: {}", crate::visible::visible(&message)));
    Ok(code)
}

/// One by one, on a terminal.
fn ask(args: &Args, world: &World, queue: Queue, chosen: &[Listed]) -> Result<u8, Failure> {
    let who = world.who("review", args.reason.as_deref())?;
    let session = ResolveSession::new(world, queue, world.decisions(world.person_calls(), who));
    report(&Guided::new(&session).go(chosen)?, world)?;
    Ok(0)
}

fn listing() -> super::list::Args {
    super::list::Args {
        state: Some(State::Review),
        selection: super::select::Selection::default(),
        sort: None,
        limit: None,
    }
}
