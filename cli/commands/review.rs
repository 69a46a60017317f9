//! `review`: a yes or a no to what waits for one. An agent's session cannot say yes.

use super::select;
use crate::args::Review;
use crate::failure::{self, Failure};
use crate::render;
use crate::world::World;
use operator::{Action, Who, resolve_one};
use queue_layout::State;

pub fn run(args: &Review, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let chosen = match (args.ids.is_empty(), args.all) {
        (false, _) => select::staged(&queue, world, &args.ids, State::Review)?,
        (true, _) => queue.list(State::Review)?.jobs,
    };
    let action = match (args.approve, args.reject) {
        (true, _) => Action::Approve,
        (_, true) => Action::Reject,
        _ => return super::list::run(&listing(), world),
    };
    if args.ids.is_empty() && !args.all {
        return Err(Failure::new("no job is named").hint("name ids, or say --all").code(failure::USAGE));
    }
    world.refuse_agents("approve or reject proposals")?;
    let who = Who { name: world.person(), reason: args.reason.clone() };
    let claimant = queue.claimant()?;
    let mut done = Vec::new();
    for listed in &chosen {
        resolve_one(&claimant, listed, action.clone(), &who, world.now())?;
        done.push(listed.id);
    }
    claimant.end()?;
    let word = if action == Action::Approve { "approved" } else { "rejected" };
    if world.json {
        return render::json(&serde_json::json!({ word: done })).map(|()| 0);
    }
    render::line(&format!(
        "{} {word}{}",
        done.len(),
        if args.approve { "; `last-word work` merges them" } else { "" }
    ))?;
    Ok(0)
}

fn listing() -> crate::args::List {
    crate::args::List {
        state: Some(crate::args::StateName::Review),
        selection: crate::args::Selection::default(),
        limit: 100,
    }
}
