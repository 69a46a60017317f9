//! `why`: why a job is where it is, in one sentence and what to type next.

use super::hold::release_command;
use super::show;
use crate::failure::Failure;
use crate::render;
use crate::world::World;
use declaration::Fault;
use operator::Because;
use queue_layout::{HeldThing, JobId, State};

/// Why a job is where it is, in one sentence
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The job: its id, or a beginning of it that no other has
    pub id: String,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    let why = world.why(&args.id)?;
    if world.json {
        render::json(&why)?;
        return Ok(0);
    }
    let (sentence, next) = say(world, why.id, &why.because);
    render::say(&format!("job {} {sentence}", why.id))?;
    if let Some(who) = &why.edited_by {
        render::say(&format!("{who} changed what its author said"))?;
    }
    if let Because::Ended { taken_out: Some(again), .. } = &why.because {
        render::say(&said_again(again.id, again.state))?;
    }
    let mut hints = next;
    if why.state == State::Failed {
        hints.extend(show::ways_out(world, &world.load(&args.id)?));
    }
    hints.iter().try_for_each(|hint| render::say(&format!("hint: {hint}")))?;
    Ok(0)
}

fn said_again(id: JobId, state: State) -> String {
    let lost = "a save took what it wrote out again";
    match state {
        State::Review => format!("{lost}: job {id} says it anew, and waits for a yes"),
        State::Failed => format!("{lost}: job {id} says it anew, and failed"),
        State::Done => format!("{lost}: job {id} says it anew, and has ended"),
        _ => format!("{lost}: job {id} says it anew, and is merged by a later run"),
    }
}

/// The sentence, and what to type.
fn say(world: &World, id: JobId, because: &Because) -> (String, Vec<String>) {
    let due = |due| render::ago(world.now(), due);
    let at_once = |id: &JobId| format!("last-word apply {id}   (tries it at once)");
    match because {
        Because::QueueHeld => {
            ("waits: the whole queue is held".to_owned(), vec![release_command(world, &HeldThing::Queue)])
        }
        Because::DocumentHeld => {
            let document = world.load(&id.to_string()).ok().and_then(|found| Some(found.job?.document.path));
            let release = document.map(|path| release_command(world, &HeldThing::Document(path)));
            let release = release.unwrap_or_else(|| "last-word hold".to_owned());
            ("waits: its document is held".to_owned(), vec![release])
        }
        Because::JobHeld => ("waits: it is held".to_owned(), vec![format!("last-word release {id}")]),
        Because::Behind { id, held: true, .. } => (
            format!("waits behind job {id} of the same document, which is held"),
            vec![format!("last-word release {id}")],
        ),
        Because::Behind { id, due: at, error, .. } => {
            let when = at.map_or_else(String::new, |at| format!(" {}", due(at)));
            let text = format!(
                "waits behind job {id} of the same document, which is tried again{when}{}",
                of(error)
            );
            (text, hint_of(error).into_iter().chain([at_once(id)]).collect())
        }
        Because::TriedAgain { due: at, error } => {
            let next = hint_of(error).into_iter().chain([at_once(&id)]).collect();
            (format!("is tried again {}{}", due(*at), of(error)), next)
        }
        Because::InHand { by, alive: true } => (format!("is in the hands of {by} right now"), Vec::new()),
        Because::InHand { by, alive: false } => (
            format!("was in the hands of {by}, which died; the next run recovers it"),
            vec!["last-word work".to_owned()],
        ),
        Because::NextRun => {
            ("is merged by the next run; nothing is in its way".to_owned(), vec!["last-word work".to_owned()])
        }
        Because::Failed { error } => (format!("failed{}", of(error)), hint_of(error).into_iter().collect()),
        Because::NeedsYes { error } => {
            (format!("waits for a yes{}", of(error)), vec![format!("last-word review {id}")])
        }
        Because::Ended { outcome, by, reason, .. } => {
            let how = outcome.map_or("ended", queue_layout::Ending::as_str);
            let by = by.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
            let why = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            (format!("has ended: {how}{by}{why}"), Vec::new())
        }
    }
}

fn of(error: &Option<Fault>) -> String {
    error.as_ref().map_or_else(String::new, |error| format!(": {} [{}]", error.message, error.code))
}

fn hint_of(error: &Option<Fault>) -> Option<String> {
    error.as_ref().and_then(|error| error.hint.clone())
}
