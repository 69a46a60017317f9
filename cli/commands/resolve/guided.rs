//! A session on a terminal: one job after another, what is the matter with it, what it would do now, and what shall be
//! done. Each answer is carried out at once, so that a session can end at any moment and go on later.

use super::ResolveSession;
use crate::commands::show::{self, kept_where};
use crate::failure::{self, Failure};
use crate::render::{self, Tone};
use declaration::Remedy;
use declaration::code::CodeKind;
use engine::output::Decided;
use markdown_merge::Conflict;
use operator::{Action, Shown, conflict_of, diff_of};
use queue_layout::{Found, Job, Listed, State};

/// What can be answered: letter, word with the letter marked, what it does.
type Choice = (char, &'static str, &'static str);

const RETRY: Choice = ('r', "[r]etry", "back into the queue as it is, attempts reset");
const EDIT: Choice = ('e', "[e]dit", "change it in your editor; checked when you save");
const OURS: Choice = ('o', "[o]urs", "the document stays as it is in this section");
const THEIRS: Choice = ('t', "[t]heirs", "the job's text goes over what the document says now");
const DISCARD: Choice = ('d', "[d]iscard", "end it; the receipt says who and why");
const APPROVE: Choice = ('a', "[a]pprove", "yes: it is merged");
const REJECT: Choice = ('x', "[x] reject", "no: it ends; the receipt says who and why");
const SKIP: Choice = ('s', "[s]kip", "leave it, go to the next");
const QUIT: Choice = ('q', "[q]uit", "stop here; what was answered is done, the rest stays");
const VIEW: Choice = ('v', "[v]iew", "the whole texts");

/// What an answer is for.
enum Scope {
    /// This job and these others.
    These(Vec<Listed>),
    /// Nothing: the question is asked again.
    Cancel,
    /// Nothing, and the person has had enough.
    Quit,
}

/// A person going through jobs.
pub struct Guided<'s> {
    session: &'s ResolveSession<'s>,
}

impl<'s> Guided<'s> {
    pub fn new(session: &'s ResolveSession<'s>) -> Self {
        Guided { session }
    }

    /// Goes through the jobs until the last, or until the person has had enough.
    pub fn go(&self, chosen: &[Listed]) -> Result<Decided, Failure> {
        let mut done = Decided::default();
        let holds = self.session.queue.holds()?;
        let mut rest: Vec<&Listed> = chosen.iter().filter(|listed| !holds.job(listed.id)).collect();
        for held in chosen.iter().filter(|listed| holds.job(listed.id)) {
            done.skip(held, Some(format!("held; last-word release {}", held.id)));
        }
        let all = rest.len();
        while !rest.is_empty() {
            let listed = rest.remove(0);
            render::line(&format!("\n── {} of {all} ──", all - rest.len()))?;
            let left = rest.len() + 1;
            let found = match self.session.queue.load(listed) {
                Ok(found) => found,
                Err(e) => {
                    done.skip(listed, Some(failure::chain(&e)));
                    continue;
                }
            };
            if !self.one(&found, &mut rest, &mut done)? {
                done.not_asked = left;
                break;
            }
        }
        Ok(done)
    }

    /// False when the person has had enough.
    fn one(&self, found: &Found, rest: &mut Vec<&Listed>, done: &mut Decided) -> Result<bool, Failure> {
        let listed = &found.listed;
        match found.job.as_ref().and_then(conflict_of) {
            // What it would do now is what the three ways show.
            Some(conflict) => {
                show::people(self.session.world, found, None)?;
                self.three_ways(conflict)?;
            }
            None => {
                let preview = self.session.world.preview(found)?;
                show::people(self.session.world, found, preview.as_ref())?;
            }
        }
        if found.job.is_none() {
            self.head_of_text(found)?;
        }
        let choices = choices(found, self.session.decisions.revalidated(listed).is_ok());
        let (action, others) = loop {
            let action = match self.ask(&choices)? {
                'v' => {
                    self.view(found)?;
                    continue;
                }
                'e' => match self.session.editor.edit(&self.session.queue, &self.session.decisions, listed) {
                    Ok(Some(action)) => Some(action),
                    Ok(None) => {
                        render::line("left as it was")?;
                        continue;
                    }
                    Err(failure) => {
                        failure::print(&failure);
                        continue;
                    }
                },
                'q' => return Ok(false),
                letter => action(letter, found.job.as_ref()),
            };
            let Some(action) = action else {
                done.skip(listed, None);
                return Ok(true);
            };
            match self.scope(found, &action, rest)? {
                Scope::These(others) => break (action, others),
                Scope::Cancel => {}
                Scope::Quit => return Ok(false),
            }
        };
        if let (Action::Approve(Shown::Words(words)), Ok(now)) = (&action, self.session.queue.load(listed))
            && now.job.as_ref().is_some_and(|job| job.words_hash() != *words)
        {
            render::line("\nit was changed while it stood here, and is not approved; it says now:")?;
            return self.one(&now, rest, done);
        }
        rest.retain(|listed| others.iter().all(|other| other.id != listed.id));
        self.session.apply_alone(listed, action.clone(), done)?;
        // The others did not stand on the screen.
        let action =
            if matches!(action, Action::Approve(_)) { Action::Approve(Shown::AsProposed) } else { action };
        for other in &others {
            self.session.apply_alone(other, action.clone(), done)?;
        }
        Ok(true)
    }

    /// What an answer is for: this job, or also the others that wait with the same error. Nothing is done yet.
    fn scope(&self, found: &Found, action: &Action, rest: &[&Listed]) -> Result<Scope, Failure> {
        if matches!(action, Action::Edit(_) | Action::Mend(_)) {
            return Ok(Scope::These(Vec::new()));
        }
        let code = self.session.queue.staged_code(&found.listed)?;
        let mut alike = Vec::new();
        for listed in rest {
            if self.session.queue.staged_code(listed).is_ok_and(|other| other == code) {
                alike.push((*listed).clone());
            }
        }
        if alike.is_empty() {
            return Ok(Scope::These(alike));
        }
        let all = alike.len() + 1;
        let question = format!("[o]nly this one, [a]ll {all} with `{code}`, [c]ancel? ");
        loop {
            return Ok(match self.read_letter(&question)? {
                Some('a' | 'y') => Scope::These(alike),
                Some('o' | 'n') => Scope::These(Vec::new()),
                Some('c') => Scope::Cancel,
                Some('q') | None => Scope::Quit,
                Some(_) => {
                    render::line("please type o, a or c; q leaves it, and ends")?;
                    continue;
                }
            });
        }
    }

    /// The letter of one of the choices; `q` at the end of input.
    fn ask(&self, choices: &[Choice]) -> Result<char, Failure> {
        let words: Vec<&str> = choices.iter().map(|(_, word, _)| *word).collect();
        let question = format!("\n{}, [?]? ", words.join(", "));
        loop {
            match self.read_letter(&question)? {
                None => return Ok('q'),
                // To a proposal, "yes" and "no" are answers as well.
                Some('y') if choices.contains(&APPROVE) => return Ok('a'),
                Some('n') if choices.contains(&APPROVE) => return Ok('x'),
                Some(letter) if choices.iter().any(|(known, ..)| *known == letter) => return Ok(letter),
                Some('?') => {
                    for (letter, _, does) in choices {
                        render::line(&format!("  {letter}  {does}"))?;
                    }
                }
                Some(_) => {
                    let letters: Vec<String> =
                        choices.iter().map(|(letter, ..)| letter.to_string()).collect();
                    render::line(&format!("please type one of {}", letters.join(", ")))?;
                }
            }
        }
    }

    /// The first letter of a line, `\n` for an empty one; `None` at the end of input.
    fn read_letter(&self, question: &str) -> Result<Option<char>, Failure> {
        render::write(&self.session.world.page.paint(Tone::Strong, question))?;
        let mut line = String::new();
        let read =
            std::io::stdin().read_line(&mut line).map_err(|e| Failure::new(format!("cannot read: {e}")))?;
        if read == 0 {
            return Ok(None);
        }
        Ok(Some(line.trim().chars().next().map_or('\n', |c| c.to_ascii_lowercase())))
    }

    /// What the document's side did since its author saw the section, and what the job wants.
    fn three_ways(&self, conflict: &Conflict) -> Result<(), Failure> {
        let page = self.session.world.page;
        let now = conflict.current.as_deref().unwrap_or_default();
        let title = |text: &str| render::line(&format!("\n{}", page.paint(Tone::Strong, text)));
        match &conflict.base {
            Some(base) => {
                title("what the document changed since (ours)")?;
                render::diff(
                    page,
                    &diff_of(&ended(base), &ended(now), "as its author saw it", "the document now"),
                )?;
                title("what the job wants to change (theirs)")?;
                render::diff(
                    page,
                    &diff_of(&ended(base), &ended(&conflict.wanted), "as its author saw it", "the job"),
                )
            }
            None => {
                title("from the document (ours) to the job (theirs); what its author saw is not known")?;
                render::diff(
                    page,
                    &diff_of(&ended(now), &ended(&conflict.wanted), "the document now", "the job"),
                )
            }
        }
    }

    /// The first lines of bytes that are no job, numbered as the error counts them.
    fn head_of_text(&self, found: &Found) -> Result<(), Failure> {
        const LINES: usize = 15;
        let Some(kept) = self.session.queue.kept(&found.listed)? else { return Ok(()) };
        let Ok(bytes) = &kept.bytes else { return render::line(&kept_where(self.session.world, &kept)) };
        let text = String::from_utf8_lossy(bytes);
        render::line("")?;
        for (at, line) in text.lines().take(LINES).enumerate() {
            render::line(&crate::table::cut(&format!("{:>4} | {line}", at + 1), 200, false))?;
        }
        if text.lines().nth(LINES).is_some() {
            render::line("   … | [v]iew shows all of it")
        } else {
            Ok(())
        }
    }

    /// The whole texts.
    fn view(&self, found: &Found) -> Result<(), Failure> {
        let page = self.session.world.page;
        let show = |title: &str, text: Option<&str>| {
            render::line(&format!("\n{}", page.paint(Tone::Strong, title)))?;
            render::line(text.unwrap_or("(there is none)").trim_end_matches('\n'))
        };
        match found.job.as_ref().and_then(conflict_of) {
            Some(Conflict { base, current, wanted }) => {
                show("as its author saw it", base.as_deref())?;
                show("the document now (ours)", current.as_deref())?;
                show("the job (theirs)", Some(wanted))
            }
            None => {
                let Some(kept) = self.session.queue.kept(&found.listed)? else { return Ok(()) };
                match &kept.bytes {
                    Ok(bytes) => show("the file", Some(&String::from_utf8_lossy(bytes))),
                    Err(_) => render::line(&kept_where(self.session.world, &kept)),
                }
            }
        }
    }
}

/// Sections have no line end at their end; as texts of a diff they have.
fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// What makes sense for a job; `readable` when a retry may end otherwise than the last attempt.
fn choices(found: &Found, readable: bool) -> Vec<Choice> {
    let conflict = found.job.as_ref().and_then(conflict_of).is_some();
    if found.listed.state == State::Review {
        return vec![APPROVE, REJECT, EDIT, VIEW, SKIP, QUIT];
    }
    if found.unreadable.as_ref().is_some_and(|error| error.code.kind() == CodeKind::PersonsText) {
        return vec![DISCARD, VIEW, SKIP, QUIT];
    }
    if !readable && found.unreadable.as_ref().is_some_and(|error| !error.code.allows(Remedy::Edit)) {
        return vec![DISCARD, VIEW, SKIP, QUIT];
    }
    if !readable {
        return vec![EDIT, DISCARD, VIEW, SKIP, QUIT];
    }
    let mut choices = vec![RETRY, EDIT];
    if conflict {
        choices.extend([OURS, THEIRS]);
    }
    choices.extend([DISCARD, SKIP, QUIT, VIEW]);
    choices
}

/// What a letter does to the job that stands on the screen; `None`: nothing, go on.
fn action(letter: char, shown: Option<&Job>) -> Option<Action> {
    match letter {
        'r' => Some(Action::Retry),
        'o' => Some(Action::Ours),
        't' => Some(Action::Theirs(None)),
        'd' => Some(Action::Discard),
        'a' => Some(Action::Approve(Shown::of(shown))),
        'x' => Some(Action::Reject),
        _ => None,
    }
}
