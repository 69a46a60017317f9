//! `review`: a yes or a no to what waits for one. An agent's session can say neither.

use super::resolve::guided::Guided;
use super::resolve::{ResolveSession, dry_run, report};
use super::select;
use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use engine::output::{MovedSection, Reviewed};
use operator::{Action, Shown, resolve_one};
use queue_layout::{Listed, Queue, State};

/// Say yes or no to what waits for a review
#[derive(Debug, clap::Args)]
#[command(
    after_help = "On a terminal, without --approve or --reject, it shows each proposal with the change it would make now, and asks. A proposal
whose section changed meanwhile is merged with that change, which is said; where it cannot be, it becomes a failed job
with a conflict. An agent's session can neither approve nor reject."
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
    all(args, world, queue, &chosen, &action)
}

/// The same to each that is not held.
fn all(args: &Args, world: &World, queue: Queue, chosen: &[Listed], action: &Action) -> Result<u8, Failure> {
    let who = world.who("review", args.reason.as_deref())?;
    let holds = queue.holds()?;
    let (held, free): (Vec<_>, Vec<_>) = chosen.iter().partition(|listed| holds.job(listed.id));
    let mut moved = Vec::new();
    for listed in free.iter().filter(|_| args.approve) {
        let found = queue.load(listed)?;
        let preview = world.preview(&found)?;
        moved.extend(
            preview.into_iter().flat_map(|preview| preview.moved).map(|heading| (listed.id, heading)),
        );
    }
    let claimant = queue.claimant()?;
    let mut done = Vec::new();
    for listed in free {
        resolve_one(&claimant, listed, action.clone(), &who, world.now())?;
        done.push(listed.id);
    }
    claimant.end()?;
    let word = if args.approve { "approved" } else { "rejected" };
    if world.json {
        let held: Vec<_> = held.iter().map(|listed| listed.id).collect();
        let moved = moved.into_iter().map(|(id, heading)| MovedSection { heading, id }).collect();
        let (approved, rejected) = if args.approve { (Some(done), None) } else { (None, Some(done)) };
        return render::json(&Reviewed { approved, held, moved, rejected }).map(|()| 0);
    }
    let next = if args.approve { "; `last-word work` merges them" } else { "" };
    render::line(&format!("{} {word}{next}", done.len()))?;
    for (id, heading) in moved {
        render::line(&format!(
            "{id}: `{heading}` changed since it was proposed; merged with that change, or a conflict"
        ))?;
    }
    for listed in held {
        render::line(&format!("{} is held and was left alone; last-word release {}", listed.id, listed.id))?;
    }
    Ok(0)
}

/// One by one, on a terminal.
fn ask(args: &Args, world: &World, queue: Queue, chosen: &[Listed]) -> Result<u8, Failure> {
    let who = world.who("review", args.reason.as_deref())?;
    let session = ResolveSession::new(world, queue, world.person_calls(), who);
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
