//! One decision about many jobs: with progress, and a signal ends it between two steps.

use crate::commands::work::stop_on_signals;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::world::World;
use engine::output::Decided;
use engine::{Decisions, Undecided};
use operator::Action;
use queue_layout::Listed;

/// Decides about all of them, in this order. What SIGINT or SIGTERM left is counted as not asked about.
pub fn decide(
    world: &World,
    decisions: &Decisions,
    jobs: &[Listed],
    action: &Action,
    word: &str,
) -> Result<Decided, Undecided> {
    let control = stop_on_signals()?;
    let mut progress = Progress::new(jobs.len(), word);
    let decided = decisions.all(jobs, action, &mut |more| {
        progress.steps(more);
        !control.is_stopped()
    });
    drop(progress);
    // Drafts of an editor that were not finished; those of jobs that still wait stay.
    let done = decided.as_ref().unwrap_or_else(|undecided| &undecided.before);
    for id in done.requeued.iter().chain(&done.ended).filter_map(|id| id.parse().ok()) {
        super::editor::forget(world, id)?;
    }
    decided
}

/// Says that a signal came before all were decided about.
pub fn stopped(done: &Decided, world: &World) -> Result<u8, Failure> {
    if !world.json {
        eprintln!("last-word: stopped by a signal; say the same again to go on with the {}", done.not_asked);
    }
    Ok(Exit::TryAgain.code())
}
