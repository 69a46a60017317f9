//! `resolve`: retry, edit, decide or discard what failed. On a terminal it goes through the jobs one by one; otherwise a
//! flag says what to do. A job is claimed before anything is done to it, so a crash or Ctrl-C loses nothing.

pub mod editor;
pub mod guided;
mod sight;
mod substitution;
pub mod together;

use super::select::{self, Selection, WHICH};
use crate::failure::{self, Failure};
use crate::language;
use crate::question;
use crate::render::{self, Tone};
use crate::world::{World, variable};
use editor::Editor;
use engine::output::WouldDecide;
use engine::output::{Decided, LeftAlone};
use engine::{Caller, Decisions, Undecided, Which};
use guided::Guided;
use operator::{Action, Actor};
use queue_layout::{Listed, State};
use substitution::Substitution;

/// The heading of the flags that say what shall be done.
const WHAT: &str = "What to do";

/// Retry, edit, decide or discard what failed; on a terminal it asks
#[derive(Debug, clap::Args)]
#[command(
    after_help = "On a terminal, without an action, it goes through the jobs one by one and asks. Each answer is done at once: quit, or lose
the connection, and go on later where you were. In a script say what to do:

  last-word resolve --error ambiguous --retry --dry-run   how many, and which
  last-word resolve --error ambiguous --retry             all of them, in the order they were declared
  last-word resolve --error section_missing --edit --sed 's/Restrat/Restart/'     shows the change first
  last-word list failed --json | jq -r '.[].id' | last-word resolve - --discard --reason 'old'

What is held (`last-word hold ID`) is left alone. Ctrl-C ends it after the step in hand (exit 75): each job is decided, or
waits as before. Say the same again to go on."
)]
pub struct Args {
    /// Jobs: ids, their beginnings, or their files in staging/failed; `-` reads ids from standard input
    #[arg(value_name = "ID|FILE")]
    pub ids: Vec<String>,
    /// All that failed
    #[arg(long, conflicts_with = "ids", help_heading = WHICH)]
    pub all: bool,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub action: ResolveAction,
    /// With --edit: the new text of the job, instead of an editor; `-` is standard input
    #[arg(long, value_name = "FILE", requires = "edit", help_heading = WHAT)]
    pub with: Option<String>,
    /// With --edit: change headings and texts so, in all of them, instead of an editor; what changes is shown first
    #[arg(long, value_name = "s/…/…/", requires = "edit", conflicts_with = "with", help_heading = WHAT)]
    pub sed: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Why, for the journal
    #[arg(long)]
    pub reason: Option<String>,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub struct ResolveAction {
    /// Back into the queue, attempts reset
    #[arg(long, help_heading = WHAT)]
    pub retry: bool,
    /// Change it in $EDITOR first, then back into the queue
    #[arg(long, help_heading = WHAT)]
    pub edit: bool,
    /// Of a conflict: the document's side stands, and the entry is left out
    #[arg(long, help_heading = WHAT)]
    pub ours: bool,
    /// Of a conflict: the job's side stands, over the text it was in conflict with
    #[arg(long, help_heading = WHAT)]
    pub theirs: bool,
    /// End it: the document stays as it is
    #[arg(long, help_heading = WHAT)]
    pub discard: bool,
}

pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    world.check()?;
    World::check_reason(args.reason.as_deref())?;
    let sed = args.sed.as_deref().map(Substitution::read).transpose()?;
    if !args.dry_run {
        world.give_back_staged()?;
    }
    let chosen = chosen(args, world)?;
    if chosen.is_empty() {
        render::say("nothing to resolve")?;
        return Ok(0);
    }
    let action = ActionFlag::of(args);
    let (caller, who) = decider(args, world, &chosen, action)?;
    let decisions = world.decisions(caller, who);
    if let Some(decision) = action.and_then(ActionFlag::alike).filter(|_| !args.dry_run) {
        let done = together::until_a_signal(decisions)?.all(&chosen, &decision);
        let done = done.or_else(|undecided| after_some(undecided, world))?;
        return ended(&done, world, true);
    }
    let session = ResolveSession::new(world, decisions);
    let text = match (&sed, args.with.as_deref()) {
        (Some(sed), _) => NewText::Sed(sed),
        (None, Some(file)) => NewText::File(file),
        (None, None) => NewText::Editor,
    };
    let goes_on = sed.as_ref().map_or(Ok(true), |sed| session.is_wanted(&chosen, sed, args.dry_run))?;
    if !goes_on {
        render::say("nothing was changed")?;
        return Ok(0);
    }
    if args.dry_run {
        let refused = |listed: &Listed| match action {
            Some(ActionFlag::Edit) => session.not_edited(listed, text),
            action => {
                let alike = action.and_then(ActionFlag::alike);
                alike.and_then(|decision| session.decisions.why_not(listed, &decision))
            }
        };
        let word = action.map_or("ask about", ActionFlag::word);
        let jobs = chosen.iter().map(|listed| (listed, refused(listed))).collect();
        return dry_run(world, &session.decisions.would(jobs, word)?);
    }
    let done = match action {
        Some(_) => session.edit_all(&chosen, text)?,
        None if world.interactive() => Guided::new(&session).go(&chosen)?,
        None => {
            let message = format!("{} chosen, but not what to do", render::count(chosen.len(), "job"));
            return Err(Failure::new(message)
                .hint("say --retry, --edit, --ours, --theirs or --discard")
                .exit(failure::Exit::Usage));
        }
    };
    ended(&done, world, action.is_some())
}

/// Prints what was decided, and returns the exit code: a signal stopped it, nothing could be done, or all is well.
fn ended(done: &Decided, world: &World, said_what: bool) -> Result<u8, Failure> {
    report(done, REQUEUED, world)?;
    Ok(match () {
        () if !said_what => 0,
        () if done.not_asked > 0 => together::stopped(done.not_asked, world)?,
        () if done.is_nothing() && !done.skipped.is_empty() => failure::COULD_NOT,
        () => 0,
    })
}

/// What was decided before the command failed is done; the failure does not say so, therefore this does.
fn after_some<T>(undecided: Undecided, world: &World) -> Result<T, Failure> {
    if !undecided.before.is_nothing() {
        report(&undecided.before, REQUEUED, world)?;
    }
    Err(undecided.failure)
}

/// Who decides: a person, a decider of the configuration, or an agent's session that retries what it declared itself.
fn decider(
    args: &Args,
    world: &World,
    chosen: &[Listed],
    action: Option<ActionFlag>,
) -> Result<(Caller, Actor), Failure> {
    let reason = args.reason.as_deref();
    let nobody = || Actor { name: world.person(), channel: String::new(), reason: None };
    let asks = action.is_some() || world.interactive();
    if args.dry_run || !asks {
        return Ok((world.caller(None, None), nobody()));
    }
    if let Some(own) = own_session(world).filter(|_| action == Some(ActionFlag::Retry))
        && world.declared_all(&own, chosen)
    {
        let channel = format!("session {}", own.session);
        let who = Actor { name: own.agent.clone(), channel, reason: reason.map(str::to_owned) };
        return Ok((own, who));
    }
    let who = world.who("resolve", reason)?;
    Ok((world.person_calls(), who))
}

/// The agent's session that the environment names.
fn own_session(world: &World) -> Option<Caller> {
    let named = variable("LAST_WORD_AGENT").zip(variable("LAST_WORD_SESSION"));
    let (agent, session) = named
        .or_else(|| agents::session(None, variable).map(|(agent, session)| (agent.to_owned(), session)))?;
    Some(Caller::agent(&world.cwd, agent, session))
}

/// The action that a flag names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ActionFlag {
    Retry,
    Edit,
    Ours,
    Theirs,
    Discard,
}

impl ActionFlag {
    fn of(args: &Args) -> Option<ActionFlag> {
        let flags = [
            (args.action.retry, ActionFlag::Retry),
            (args.action.edit, ActionFlag::Edit),
            (args.action.ours, ActionFlag::Ours),
            (args.action.theirs, ActionFlag::Theirs),
            (args.action.discard, ActionFlag::Discard),
        ];
        flags.into_iter().find_map(|(given, action)| given.then_some(action))
    }

    fn word(self) -> &'static str {
        match self {
            ActionFlag::Retry => "retry",
            ActionFlag::Edit => "edit",
            ActionFlag::Ours => "take the document's side of",
            ActionFlag::Theirs => "take the job's side of",
            ActionFlag::Discard => "discard",
        }
    }

    /// The action for every job; `None` for an edit, whose text differs from job to job.
    fn alike(self) -> Option<Action> {
        Some(match self {
            ActionFlag::Retry => Action::Retry,
            ActionFlag::Ours => Action::Ours,
            ActionFlag::Theirs => Action::Theirs(None),
            ActionFlag::Discard => Action::Discard,
            ActionFlag::Edit => return None,
        })
    }
}

/// The words for one, or those for any other number.
pub fn one_or_many<'w>(number: usize, one: &'w str, many: &'w str) -> &'w str {
    if number == 1 { one } else { many }
}

/// What became of a failed job that a person decided to try again.
const REQUEUED: &str = "back in the queue";

/// Prints what was decided; `requeued` says what it is to be back in the queue.
pub fn report(done: &Decided, requeued: &str, world: &World) -> Result<(), Failure> {
    if world.json {
        return render::json(done);
    }
    if !done.requeued.is_empty() {
        let jobs = done.requeued.len();
        let them = one_or_many(jobs, "it", "them");
        render::say(&format!("{jobs} {requeued}; `last-word work` merges {them}"))?;
    }
    if !done.ended.is_empty() {
        let ended = done.ended.len();
        let receipts = one_or_many(ended, "its receipt is", "their receipts are");
        render::say(&format!("{ended} ended; {receipts} in done/"))?;
    }
    if done.not_asked > 0 {
        render::say(&format!("{} not decided", done.not_asked))?;
    }
    if !done.skipped.is_empty() {
        let left = done.skipped.len();
        render::say(&format!("{left} left as {}", one_or_many(left, "it was", "they were")))?;
    }
    done.skipped.iter().filter_map(LeftAlone::sentence).for_each(|message| render::tell(&message));
    Ok(())
}

fn chosen(args: &Args, world: &World) -> Result<Vec<Listed>, Failure> {
    if !args.ids.is_empty() {
        return select::named(world, &args.ids, State::Failed);
    }
    let filter = select::filter(&args.selection, world)?;
    if !args.all && select::is_empty(&args.selection) && !world.interactive() {
        return Err(Failure::new("no job is named")
            .hint("name ids, say --all, or filter, e.g. --error ambiguous")
            .exit(failure::Exit::Usage));
    }
    let which = match select::is_empty(&args.selection) {
        true => Which::All,
        false => Which::Filtered(Box::new(filter)),
    };
    Ok(world.staged(State::Failed, &which)?.jobs)
}

/// How many ids a `--dry-run` lists without `--verbose`.
const IDS_SHOWN: usize = 20;

/// How many jobs, with which codes, and their ids; then those that would be left as they are, and why.
pub fn dry_run(world: &World, would: &WouldDecide) -> Result<u8, Failure> {
    if world.json {
        return render::json(would).map(|()| 0);
    }
    let WouldDecide { ids, left, would: word, codes } = would;
    let codes: Vec<String> = codes.iter().map(|(code, count)| format!("{count} {code}")).collect();
    let jobs = if ids.len() == 1 { "job" } else { "jobs" };
    let of = if ids.is_empty() { String::new() } else { format!(" ({})", codes.join(", ")) };
    // Many ids tell a person nothing and push the rest off the screen.
    let shown = if world.verbose > 0 || ids.len() <= IDS_SHOWN { ids.len() } else { 0 };
    let colon = if shown > 0 { ":" } else { "" };
    render::say(&format!("would {word} {} {jobs}{of}{colon}", ids.len()))?;
    ids.iter().take(shown).try_for_each(|id| render::line(&format!("  {id}")))?;
    if shown < ids.len() {
        render::say("  (-v lists them)")?;
    }
    if !left.is_empty() {
        render::say(&format!("would leave {} as they are:", left.len()))?;
    }
    left.iter()
        .filter_map(LeftAlone::sentence)
        .try_for_each(|message| render::say(&format!("  {message}")))?;
    Ok(0)
}

/// One person resolving.
pub struct ResolveSession<'a> {
    pub world: &'a World,
    pub decisions: Decisions,
    pub editor: Editor<'a>,
}

impl<'a> ResolveSession<'a> {
    pub fn new(world: &'a World, decisions: Decisions) -> Self {
        ResolveSession { world, decisions, editor: Editor::new(world) }
    }
}

/// Where the new text of an edited job comes from.
#[derive(Debug, Clone, Copy)]
enum NewText<'a> {
    Editor,
    File(&'a str),
    Sed(&'a Substitution),
}

impl ResolveSession<'_> {
    /// Shows what a substitution changes, and in how many jobs; on a terminal it asks for a confirmation.
    fn is_wanted(&self, chosen: &[Listed], sed: &Substitution, dry_run: bool) -> Result<bool, Failure> {
        if self.world.json {
            return Ok(true);
        }
        let changed = |listed: &Listed| sed.in_job(&self.decisions, listed).ok().flatten();
        let changes: Vec<_> = chosen.iter().filter_map(changed).collect();
        substitution::preview(changes.iter()).iter().try_for_each(|line| {
            let tone = if line.starts_with('-') { Tone::Bad } else { Tone::Good };
            render::line(&self.world.page.paint(tone, line))
        })?;
        if dry_run || !self.world.interactive() || changes.is_empty() {
            return Ok(true);
        }
        let question = format!("change {} of {}? [y]es, [n]o: ", changes.len(), chosen.len());
        Ok(question::letter(self.world, &question)? == Some('y'))
    }

    /// Why a job would be left as it is by an edit.
    fn not_edited(&self, listed: &Listed, text: NewText<'_>) -> Option<String> {
        match text {
            NewText::Sed(sed) => match sed.in_job(&self.decisions, listed) {
                Ok(Some(_)) => None,
                Ok(None) => Some("it would stay as it is".to_owned()),
                Err(failure) => Some(failure.sentence()),
            },
            _ => self.world.staged_text(listed).err().map(|failure| failure.sentence()),
        }
    }

    /// Edits each job, in the order in which they were declared.
    fn edit_all(&self, chosen: &[Listed], text: NewText<'_>) -> Result<Decided, Failure> {
        let why = |failure| match text {
            NewText::Sed(_) => Undecided::from(failure),
            // After a refused file or a failed editor it does not go on with the next job.
            NewText::File(_) | NewText::Editor => Undecided::for_good(failure),
        };
        let done = self.decisions.in_turn(chosen, &|listed| self.edit(listed, text).map_err(why));
        done.or_else(|undecided| after_some(undecided, self.world))
    }

    fn edit(&self, listed: &Listed, text: NewText<'_>) -> Result<Option<Action>, Failure> {
        match text {
            NewText::File(file) => self.editor.with_file(&self.decisions, listed, file).map(Some),
            NewText::Editor => self.editor.edit(&self.decisions, listed),
            NewText::Sed(sed) => {
                let changed = sed.in_job(&self.decisions, listed)?;
                Ok(changed.map(|changed| changed.action))
            }
        }
    }

    /// Carries the action out for one job of a guided session, which goes on unless the machine is in trouble. `quiet`: what
    /// became of it is counted at the end, and said of each only with `-v`.
    pub fn apply_alone(
        &self,
        listed: &Listed,
        action: Action,
        done: &mut Decided,
        quiet: bool,
    ) -> Result<(), Failure> {
        match self.decisions.one(listed, action) {
            Err(undecided) if undecided.stops => Err(undecided.failure),
            Err(undecided) => {
                // For example, somebody else decided first.
                done.skip(listed, Some(undecided.failure.sentence()));
                failure::print(&undecided.failure);
                Ok(())
            }
            Ok(now_in) => {
                done.add(listed, now_in);
                let said = match (listed.state, now_in) {
                    (_, State::Done) => "ended",
                    (State::Review, _) => "approved",
                    _ => REQUEUED,
                };
                if quiet && self.world.verbose == 0 {
                    return Ok(());
                }
                let id = listed.id;
                render::line(&self.world.page.paint(Tone::Good, &language::said(&format!("{id}: {said}"))))
            }
        }
    }
}
