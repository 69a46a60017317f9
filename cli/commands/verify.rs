//! `verify`: what became of a job, for scripts.

use crate::failure::{self, Failure};
use crate::progress;
use crate::render;
use crate::world::World;
use operator::Verified;
use queue_layout::{Ending, Receipt, State};

/// What became of a job, for scripts: its document's hash and version
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 its changes are in the document (or it ended as a person wished), 1 no such job,
4 it failed or waits for a review, 75 it is still on its way."
)]
pub struct Args {
    /// The job: its id, or a beginning of it that no other has
    pub id: String,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let verdict = progress::waiting("reading its versions", || world.verify(&args.id))?;
    let code = match &verdict {
        verdict if verdict.needs_somebody() => failure::SOMEBODY_NEEDED,
        verdict if verdict.is_waiting() => failure::TRY_AGAIN,
        _ => 0,
    };
    if world.json {
        render::json(&verdict)?;
    } else {
        people(world, &verdict)?;
    }
    Ok(code)
}

/// Several verdicts, one a line (`enqueue --wait`).
pub fn print(world: &World, verdicts: &[Verified]) -> Result<(), Failure> {
    if world.json {
        return render::json(verdicts);
    }
    verdicts.iter().try_for_each(|verdict| people(world, verdict))
}

fn people(world: &World, verdict: &Verified) -> Result<(), Failure> {
    let document =
        verdict.document.as_ref().map_or_else(|| "unknown document".to_owned(), |path| world.short(path));
    let id = verdict.id;
    let said = match &verdict.receipt {
        Some(receipt) => ended(receipt),
        None if verdict.needs_somebody() => {
            let word = if verdict.state == State::Failed { "failed" } else { "waits for a review" };
            let error = verdict.error.as_ref();
            error.map_or_else(
                || word.to_owned(),
                |error| format!("{word}: {} [{}]", error.message, error.code),
            )
        }
        None => {
            let due = verdict
                .due
                .map_or_else(String::new, |due| format!(", due {}", render::ago(world.now(), due)));
            format!("waiting ({}{due})", verdict.state.as_str())
        }
    };
    render::say(&format!("{id}  {document}  {said}"))?;
    if let Some(hint) = verdict.error.as_ref().and_then(|error| error.hint.as_ref()) {
        render::say(&format!("  hint: {hint}"))?;
    }
    Ok(())
}

fn ended(receipt: &Receipt) -> String {
    match receipt.outcome {
        Ending::Applied => {
            let version =
                receipt.version.map_or_else(String::new, |version| format!(" in version {version}"));
            format!("applied{version}, {}", receipt.document_hash.as_deref().unwrap_or("no hash"))
        }
        Ending::Unchanged => "unchanged, the document said it already".to_owned(),
        Ending::Discarded | Ending::Rejected | Ending::RejectedAgain => {
            let why = receipt.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            format!("{} by {}{why}", receipt.outcome.as_str(), receipt.by)
        }
    }
}
