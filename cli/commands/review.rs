//! `review`: a yes or a no to proposals, or neither any more. An agent's session can say neither.

use super::resolve::guided::Guided;
use super::resolve::{ResolveSession, dry_run, report, together};
use super::select;
use crate::failure::{self, Failure};
use crate::render::{self, parse_span};
use crate::world::World;
use engine::output::{AlreadyMerged, LeftAlone, MovedSection, Reviewed};
use engine::{ReviewAnswer, Timestamp, Which, quoted};
use operator::Actor;
use queue_layout::{Listed, State};

/// Say yes or no to what waits for a review
#[derive(Debug, clap::Args)]
#[command(
    after_help = "On a terminal, without --approve or --reject, it shows each proposal with the change it would make now, and asks. A proposal
whose section changed meanwhile is merged with that change, which is said; where it cannot be, it becomes a failed job
with a conflict. An agent's session can neither approve nor reject.

--undo takes a yes back as long as it is not merged, and a no: they wait for a review again, what was rejected as a new job. What
is merged is taken out by a rollback: of jobs that you name, it says to which version.

  last-word review --all --reject --json | jq -r '.rejected[]' > ids
  last-word review - --undo < ids           of exactly these
  last-word review --all --undo --newer 1h  every yes that is not merged yet, and every no of the last hour

Ctrl-C ends it after the step in hand (exit 75): each proposal is decided, or still waits. Say the same again to go on."
)]
pub struct Args {
    /// Jobs: ids or their beginnings; `-` reads ids from standard input
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
    /// Take a yes or a no back: it waits for one again
    #[arg(long, conflicts_with_all = ["approve", "reject"])]
    pub undo: bool,
    /// With --all --undo: only noes since then [default: 1d]
    #[arg(long, value_name = "AGE", requires = "undo", conflicts_with = "ids")]
    pub newer: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Why, for the journal
    #[arg(long)]
    pub reason: Option<String>,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    // A secret in the reason is refused first, before the choice of jobs can fail for another reason.
    World::check_reason(args.reason.as_deref())?;
    if !args.dry_run {
        world.give_back_staged()?;
    }
    let verdict = match args {
        Args { approve: true, .. } => Some(ReviewAnswer::Yes),
        Args { reject: true, .. } => Some(ReviewAnswer::No),
        Args { undo: true, .. } => Some(ReviewAnswer::TakenBack),
        _ => None,
    };
    let chosen = match (args.ids.is_empty(), args.all) {
        _ if args.undo && (args.all || !args.ids.is_empty()) => decided(args, world)?,
        (false, _) => select::named(world, &args.ids, State::Review)?,
        (true, _) => world.staged(State::Review, &Which::All)?.jobs,
    };
    let Some(verdict) = verdict else {
        let asks = world.interactive() && !world.json && !args.dry_run && !chosen.is_empty();
        if chosen.is_empty() && !world.json {
            return render::say("nothing waits for your yes").map(|()| 0);
        }
        return if asks { ask(args, world, &chosen) } else { super::list::run(&listing(), world) };
    };
    if args.ids.is_empty() && !args.all {
        return Err(Failure::new("no job is named")
            .hint("name ids, or say --all")
            .exit(failure::Exit::Usage));
    }
    if args.dry_run {
        let nobody = Actor { name: world.person(), channel: String::new(), reason: None };
        let word = match verdict {
            ReviewAnswer::Yes => "approve",
            ReviewAnswer::No => "reject",
            ReviewAnswer::TakenBack => "take back",
        };
        let decisions = world.decisions(world.caller(None, None), nobody);
        let jobs = chosen.iter().map(|listed| (listed, None)).collect();
        return dry_run(world, &decisions.would(jobs, word)?);
    }
    let who = world.who("review", args.reason.as_deref())?;
    let decisions = world.decisions(world.person_calls(), who);
    let (reviewed, failure) = together::until_a_signal(decisions)?.review(chosen, verdict)?;
    match failure {
        None => say(verdict, world, &reviewed),
        Some(failure) => {
            if !reviewed.decided().is_empty() {
                say(verdict, world, &reviewed)?;
            }
            Err(failure)
        }
    }
}

/// The jobs whose decisions are to be taken back.
fn decided(args: &Args, world: &World) -> Result<Vec<Listed>, Failure> {
    let age_ms = parse_span(args.newer.as_deref().unwrap_or("1d"))?;
    let since = Timestamp(world.now().millis().saturating_sub(age_ms));
    world.decided(&select::names(world, &args.ids)?, since)
}

/// Prints what was decided.
fn say(verdict: ReviewAnswer, world: &World, reviewed: &Reviewed) -> Result<u8, Failure> {
    let code = match reviewed.not_asked {
        0 if reviewed.skipped.is_empty() && reviewed.merged.is_empty() => 0,
        0 => failure::COULD_NOT,
        left => together::stopped(left, world)?,
    };
    if world.json {
        return render::json(reviewed).map(|()| code);
    }
    let decided = reviewed.decided().len();
    let them = super::resolve::one_or_many(decided, "it", "them");
    let word = match verdict {
        ReviewAnswer::Yes => format!("approved; `last-word work` merges {them}"),
        ReviewAnswer::No => "rejected".to_owned(),
        ReviewAnswer::TakenBack if decided == 0 && !reviewed.merged.is_empty() => "taken back".to_owned(),
        ReviewAnswer::TakenBack if decided == 0 => {
            "taken back: no yes waits to be merged, and no no is that young; `last-word rollback` takes out what is merged"
                .to_owned()
        }
        ReviewAnswer::TakenBack => format!("taken back; `last-word review` has {them}"),
    };
    render::say(&format!("{decided} {word}"))?;
    for MovedSection { id, heading } in &reviewed.moved {
        render::say(&format!(
            "{id}: `{heading}` changed since it was proposed; merged with that change, or a conflict"
        ))?;
    }
    reviewed.merged.iter().try_for_each(|merged| render::say(&already_merged(world, merged)))?;
    for id in &reviewed.held {
        render::say(&format!("{id} is held and was left alone; last-word release {id}"))?;
    }
    let left = reviewed.skipped.iter().filter_map(LeftAlone::sentence);
    left.for_each(|message| render::tell(&message));
    Ok(code)
}

/// What takes jobs out that are merged, and what else goes with them.
fn already_merged(world: &World, merged: &AlreadyMerged) -> String {
    let AlreadyMerged { back_to, document, jobs, others } = merged;
    let (are, them) = if *jobs == 1 { ("is", "it") } else { ("are", "them") };
    let with = match others {
        0 => String::new(),
        1 => ", and 1 other job that came since with it".to_owned(),
        others => format!(", and {others} other jobs that came since with it"),
    };
    let short = world.short(document);
    let named = quoted(&document.display().to_string());
    format!(
        "{jobs} {are} merged into {short}, and only a rollback takes {them} out{with}: last-word rollback {named} --to {back_to}"
    )
}

/// One by one, on a terminal.
fn ask(args: &Args, world: &World, chosen: &[Listed]) -> Result<u8, Failure> {
    let who = world.who("review", args.reason.as_deref())?;
    let session = ResolveSession::new(world, world.decisions(world.person_calls(), who));
    report(&Guided::new(&session).go(chosen)?, "approved", world)?;
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
