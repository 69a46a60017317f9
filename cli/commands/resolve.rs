//! `resolve`: retry, edit or discard what failed. On a terminal it goes through the jobs one by one; otherwise the
//! action is a flag. Nothing is done to a job before it is claimed, so a crash or Ctrl-C loses nothing.

use super::{select, show};
use crate::args::Resolve;
use crate::failure::{self, Failure, problem_lines};
use crate::render;
use crate::world::World;
use durable::{Attributes, Disk};
use knowledge::{Problem, reading};
use operator::{Action, Resolved, Who, resolve_one};
use queue_layout::{Claimant, Job, Listed, Queue, StagedItem, State};
use serde::Serialize;
use std::io::Write;

pub fn run(args: &Resolve, world: &World) -> Result<u8, Failure> {
    let queue = world.queue()?;
    let chosen = chosen(args, world, &queue)?;
    if chosen.is_empty() {
        render::line("nothing to resolve")?;
        return Ok(0);
    }
    let action = Chosen::of(args);
    if args.dry_run {
        return dry_run(world, &chosen, action);
    }
    let session = Session { world, queue, who: Who { name: world.person(), reason: args.reason.clone() } };
    let done = match action {
        Some(action) => session.all(&chosen, action, args.with.as_deref())?,
        None if world.interactive() => session.guided(&chosen)?,
        None => {
            let message = format!("{} jobs are chosen, but not what to do with them", chosen.len());
            return Err(Failure::new(message).hint("say --retry, --edit or --discard").code(failure::USAGE));
        }
    };
    report(world, &done)?;
    Ok(0)
}

/// What a flag asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chosen {
    Retry,
    Edit,
    Discard,
}

impl Chosen {
    fn of(args: &Resolve) -> Option<Chosen> {
        let flags = [
            (args.action.retry, Chosen::Retry),
            (args.action.edit, Chosen::Edit),
            (args.action.discard, Chosen::Discard),
        ];
        flags.into_iter().find_map(|(given, action)| given.then_some(action))
    }

    fn word(self) -> &'static str {
        match self {
            Chosen::Retry => "retry",
            Chosen::Edit => "edit",
            Chosen::Discard => "discard",
        }
    }
}

/// What was done, for the report.
#[derive(Debug, Default, Serialize)]
struct Done {
    requeued: Vec<String>,
    ended: Vec<String>,
    skipped: Vec<String>,
}

fn chosen(args: &Resolve, world: &World, queue: &Queue<'_>) -> Result<Vec<Listed>, Failure> {
    if !args.ids.is_empty() {
        return select::staged(queue, world, &args.ids, State::Failed);
    }
    let filter = select::filter(&args.selection, world)?;
    if !args.all && select::is_empty(&args.selection) && !world.interactive() {
        return Err(Failure::new("no job is named")
            .hint("name ids, say --all, or filter, e.g. --error ambiguous")
            .code(failure::USAGE));
    }
    if select::is_empty(&args.selection) {
        return Ok(queue.list(State::Failed)?.jobs);
    }
    select::filtered(queue, &filter, State::Failed)
}

fn dry_run(world: &World, chosen: &[Listed], action: Option<Chosen>) -> Result<u8, Failure> {
    let ids: Vec<String> = chosen.iter().map(|listed| listed.id.to_string()).collect();
    let word = action.map_or("ask about", Chosen::word);
    if world.json {
        render::json(&serde_json::json!({ "would": word, "ids": ids }))?;
        return Ok(0);
    }
    render::line(&format!("would {word} {} jobs:", ids.len()))?;
    ids.iter().try_for_each(|id| render::line(&format!("  {id}")))?;
    Ok(0)
}

fn report(world: &World, done: &Done) -> Result<(), Failure> {
    if world.json {
        return render::json(done);
    }
    if !done.requeued.is_empty() {
        render::line(&format!("{} back in the queue; `last-word work` merges them", done.requeued.len()))?;
    }
    if !done.ended.is_empty() {
        render::line(&format!("{} discarded; their receipts are in done/", done.ended.len()))?;
    }
    if !done.skipped.is_empty() {
        render::line(&format!("{} left as they were", done.skipped.len()))?;
    }
    Ok(())
}

/// One person resolving.
struct Session<'a> {
    world: &'a World,
    queue: Queue<'a>,
    who: Who,
}

impl Session<'_> {
    fn all(&self, chosen: &[Listed], action: Chosen, with: Option<&str>) -> Result<Done, Failure> {
        let claimant = self.queue.claimant()?;
        let done = self.each(&claimant, chosen, action, with);
        // Also after a refusal: a directory left in `processing/` would look like a dead worker's.
        let ended = claimant.end();
        let done = done?;
        ended?;
        Ok(done)
    }

    fn each(
        &self,
        claimant: &Claimant<'_>,
        chosen: &[Listed],
        action: Chosen,
        with: Option<&str>,
    ) -> Result<Done, Failure> {
        let mut done = Done::default();
        for listed in chosen {
            let action = match action {
                Chosen::Retry => Some(self.revalidated(listed)?),
                Chosen::Discard => Some(Action::Discard),
                Chosen::Edit => self.edit(listed, with)?,
            };
            self.apply(claimant, listed, action, &mut done)?;
        }
        Ok(done)
    }

    /// A job that cannot be read any longer would only fail again: say so now.
    fn revalidated(&self, listed: &Listed) -> Result<Action, Failure> {
        match self.queue.read_staged(listed)? {
            StagedItem::Original { error, .. }
                if error.code != "future_version" && listed_as_yaml(&self.queue, listed) =>
            {
                Err(Failure::new(format!("job {} cannot be read: {}", listed.id, error.message))
                    .hint(format!("last-word resolve {} --edit", listed.id))
                    .code(failure::REFUSED))
            }
            _ => Ok(Action::Retry),
        }
    }

    fn apply(
        &self,
        claimant: &Claimant<'_>,
        listed: &Listed,
        action: Option<Action>,
        done: &mut Done,
    ) -> Result<(), Failure> {
        let id = listed.id.to_string();
        let Some(action) = action else {
            done.skipped.push(id);
            return Ok(());
        };
        match resolve_one(claimant, listed, action, &self.who, self.world.now())? {
            Resolved::Requeued => done.requeued.push(id),
            Resolved::Ended => done.ended.push(id),
        }
        Ok(())
    }

    /// Goes through the jobs with a person.
    fn guided(&self, chosen: &[Listed]) -> Result<Done, Failure> {
        let mut done = Done::default();
        for (at, listed) in chosen.iter().enumerate() {
            render::line(&format!("\n── {} of {} ──", at + 1, chosen.len()))?;
            let found = self.queue.load(listed)?;
            let preview = show::preview(self.world, &found)?;
            show::people(self.world, &found, preview.as_ref())?;
            let action = match self.ask()? {
                'r' => Some(Action::Retry),
                'e' => self.edit(listed, None)?,
                'd' => Some(Action::Discard),
                'q' => break,
                _ => None,
            };
            let claimant = self.queue.claimant()?;
            self.apply(&claimant, listed, action, &mut done)?;
            claimant.end()?;
        }
        Ok(done)
    }

    /// The letter of what to do; `q` at the end of input.
    fn ask(&self) -> Result<char, Failure> {
        loop {
            let mut out = std::io::stdout().lock();
            write!(out, "\n[r]etry, [e]dit, [d]iscard, [s]kip, [q]uit? ")?;
            out.flush()?;
            drop(out);
            let mut line = String::new();
            let read = std::io::stdin()
                .read_line(&mut line)
                .map_err(|e| Failure::new(format!("cannot read: {e}")))?;
            match line.trim().chars().next().map(|c| c.to_ascii_lowercase()) {
                _ if read == 0 => return Ok('q'),
                Some(letter @ ('r' | 'e' | 'd' | 's' | 'q')) => return Ok(letter),
                _ => render::line("please type one of r, e, d, s, q")?,
            }
        }
    }

    /// Lets a person edit a job, until it is good or they leave it as it was (`None`).
    fn edit(&self, listed: &Listed, with: Option<&str>) -> Result<Option<Action>, Failure> {
        let before = self.queue.staged_text(listed)?;
        if let Some(file) = with {
            let text = self.world.read_input(file)?;
            return self
                .checked(listed, &text)
                .map(Some)
                .map_err(|problems| Failure::refused(file, &problems));
        }
        let draft = self.world.layout.edit_draft(listed.id);
        let mut text = before.clone();
        loop {
            text = self.in_editor(&draft, &text)?;
            let bare = without_complaint(&text);
            if bare == before {
                return Ok(None);
            }
            match self.checked(listed, &bare) {
                Ok(action) => return Ok(Some(action)),
                Err(problems) => text = with_complaint(&bare, &problems),
            }
        }
    }

    fn in_editor(&self, draft: &std::path::Path, text: &[u8]) -> Result<Vec<u8>, Failure> {
        let disk = &self.world.disk;
        disk.remove(draft)?;
        disk.write_new(draft, text, Attributes::PRIVATE)?;
        let editor = self.world.editor();
        let mut words = editor.split_whitespace();
        let program = words.next().unwrap_or("vi");
        let status = std::process::Command::new(program).args(words).arg(draft).status();
        let status = status.map_err(|e| {
            Failure::new(format!("cannot start the editor `{editor}`: {e}")).hint("set EDITOR")
        })?;
        let edited = disk.read(draft, 8 << 20)?;
        disk.remove(draft)?;
        if !status.success() {
            return Err(Failure::new(format!(
                "the editor `{editor}` ended with {status}; nothing was changed"
            )));
        }
        Ok(edited)
    }

    fn checked(&self, listed: &Listed, text: &[u8]) -> Result<Action, Vec<Problem>> {
        let utf8 = std::str::from_utf8(text).map_err(|e| {
            vec![Problem::new("bad_utf8", format!("not UTF-8 text at byte {}", e.valid_up_to()))]
        })?;
        match self.queue.read_staged(listed) {
            Ok(StagedItem::Job(original)) => {
                Ok(Action::Edit(Box::new(self.queue.read_edited(&original, utf8)?)))
            }
            Ok(StagedItem::Original { .. }) if listed_as_yaml(&self.queue, listed) => {
                let job = Job::from_yaml(utf8)?;
                Ok(Action::Edit(Box::new(job)))
            }
            Ok(StagedItem::Original { .. }) => reading::read(text, None).map(|_| Action::Mend(text.to_vec())),
            Err(e) => Err(vec![Problem::new("taken", failure::chain(&e))]),
        }
    }
}

/// Whether a staged item is a job in YAML (perhaps spoilt by an edit by hand) rather than bytes that never were one.
fn listed_as_yaml(queue: &Queue<'_>, listed: &Listed) -> bool {
    queue.is_staged_job(listed)
}

const COMPLAINT: &str = "#! ";

/// The problems as comments on top, for the next round in the editor.
fn with_complaint(text: &[u8], problems: &[Problem]) -> Vec<u8> {
    let lines = problem_lines("this job", problems);
    let mut out: Vec<u8> = lines
        .iter()
        .flat_map(|line| line.lines())
        .flat_map(|line| format!("{COMPLAINT}{line}\n").into_bytes())
        .collect();
    out.extend_from_slice(text);
    out
}

fn without_complaint(text: &[u8]) -> Vec<u8> {
    text.split_inclusive(|b| *b == b'\n')
        .filter(|line| !line.starts_with(COMPLAINT.as_bytes()))
        .flatten()
        .copied()
        .collect()
}
