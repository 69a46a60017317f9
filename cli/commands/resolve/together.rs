//! One decision about many jobs: with progress, and a signal ends it between two steps.

use crate::commands::work::stop_on_signals;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::world::World;
use engine::output::{Decided, Reviewed};
use engine::{Decisions, Undecided};
use operator::Action;
use queue_layout::Listed;

/// Decides about all of them, in this order. What SIGINT or SIGTERM left is counted as not asked about.
pub fn decide(
    decisions: &Decisions,
    jobs: &[Listed],
    action: &Action,
    word: &str,
) -> Result<Decided, Undecided> {
    let control = stop_on_signals()?;
    let mut progress = Progress::new(jobs.len(), word);
    decisions.all(jobs, action, &mut |more| {
        progress.steps(more);
        !control.is_stopped()
    })
}

/// Says yes or no to all of them, in this order.
pub fn review(
    decisions: &Decisions,
    jobs: Vec<Listed>,
    yes: bool,
) -> Result<(Reviewed, Option<Failure>), Failure> {
    let control = stop_on_signals()?;
    let mut progress = Progress::new(jobs.len(), if yes { "approved" } else { "rejected" });
    decisions.review(jobs, yes, &mut |more| {
        progress.steps(more);
        !control.is_stopped()
    })
}

/// Says that a signal came before all were decided about.
pub fn stopped(not_asked: usize, world: &World) -> Result<u8, Failure> {
    if !world.json {
        eprintln!("last-word: stopped by a signal; say the same again to go on with the {not_asked}");
    }
    Ok(Exit::TryAgain.code())
}
