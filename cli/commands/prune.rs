//! `prune`: clears away what is older than `retention` in the configuration.

use crate::failure::Failure;
use crate::progress;
use crate::render;
use crate::world::World;
use engine::output::{WouldPrune, WouldPruneIn};
use operator::pruned_sentence;

/// Clear away old receipts, journals and earlier texts
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is kept is set by `retention` in config.yaml. An idempotency key is kept as long as the receipt of its job,
the log that `blame` reads as long as its document, at most 16 MiB of it. `last-word work` clears away a little at the end of each run."
)]
pub struct Args {
    /// Say what would go, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    if args.dry_run {
        let would = progress::waiting("looking for what is old", || world.would_prune(&world.cwd))?;
        return dry_run(world, &would).map(|()| 0);
    }
    let who = world.who("prune", None)?;
    let pruned = progress::waiting("clearing away", || world.prune(&who.name, &world.cwd))?;
    if world.json {
        render::json(&pruned)?;
    } else if pruned.is_nothing() {
        render::say("nothing is old enough")?;
    } else {
        render::say(&format!("cleared away: {}", pruned_sentence(&pruned)))?;
    }
    Ok(0)
}

fn dry_run(world: &World, would: &WouldPrune) -> Result<(), Failure> {
    if world.json {
        return render::json(would);
    }
    let WouldPruneIn { done, holds, journal, receipts, texts } = &would.would;
    let days = |days: &[String]| match days {
        [] => String::new(),
        [one] => format!(" ({one})"),
        [first, .., last] => format!(" ({first} to {last})"),
    };
    render::say("would clear away, without touching a document:")?;
    render::say(&format!("  {} with what belongs to it{}", render::count(*receipts, "receipt"), days(done)))?;
    render::say(&format!("  {} of the journal{}", render::count(journal.len(), "day"), days(journal)))?;
    render::say(&format!("  {} of documents", render::count(*texts, "earlier text")))?;
    render::say(&format!("  {} of jobs that ended", render::count(*holds, "hold")))?;
    render::say("what is kept is set by `retention` in config.yaml")
}
