//! A session of `resolve` or `review` on a terminal: it shows one job after another (why it waits, what it would do now)
//! and takes a key for what to do with it. Each answer is carried out at once, so that a session can end at any moment and
//! be continued later.

use super::ResolveSession;
use super::sight::{self, JobHeader};
use crate::commands::show::{self, Told, kept_where};
use crate::failure::{self, Failure};
use crate::language::said;
use crate::question::{letter, word};
use crate::render::{self, Tone};
use declaration::Remedy;
use declaration::code::CodeKind;
use engine::output::Decided;
use markdown_merge::Conflict;
use operator::{Action, ApprovedWords, Meant, conflict_of, diff_of};
use queue_layout::{Job, Listed, LocatedJob, State};
use std::borrow::Cow;

/// The possible answers: letter, word with the letter marked, what it does.
type Choice = (char, &'static str, &'static str);

const MEANT: Choice = ('m', "[m]eant that", "the heading you were asked about, then back into the queue");
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

/// Of so many jobs beside the one on the screen a line each would push all else off it.
const MANY: usize = 10;

/// Which jobs an answer is about.
enum AnswerScope {
    /// This job and these others.
    These(Vec<Listed>),
    /// No job: the question is asked again.
    Cancel,
    /// No job, and the person wants to stop.
    Quit,
}

/// A job that a person is asked about.
struct OnScreen<'f> {
    found: &'f LocatedJob,
    told: Told,
    /// The heading that its author most likely meant.
    meant: Option<Meant>,
    choices: Vec<Choice>,
    question: String,
    /// All of it was on the screen: only then a yes is taken.
    seen: bool,
}

/// What a person answered.
enum PersonsAnswer {
    /// This action, for the job on the screen and for these others.
    Do(Action, Vec<Listed>),
    /// Leave this one as it is.
    Skip,
    /// Stop the session.
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

    /// Goes through the jobs until the last one, or until the person stops.
    pub fn go(&self, chosen: &[Listed]) -> Result<Decided, Failure> {
        let mut done = Decided::default();
        let (mut rest, held) = self.session.world.free_and_held(chosen)?;
        for held in held {
            done.skip(held, Some(format!("held; last-word release {}", held.id)));
        }
        let all = rest.len();
        while !rest.is_empty() {
            let listed = rest.remove(0);
            let left = rest.len() + 1;
            let found = match self.session.world.load_listed(listed) {
                Ok(found) => found,
                Err(failure) => {
                    done.skip(listed, Some(failure.sentence()));
                    continue;
                }
            };
            let place = JobHeader::of(self.session.world, &found, all - rest.len(), all);
            if !self.one(&found, &place, &mut rest, &mut done)? {
                done.not_asked = left;
                break;
            }
        }
        Ok(done)
    }

    /// False when the person wants to stop.
    fn one(
        &self,
        found: &LocatedJob,
        place: &JobHeader,
        rest: &mut Vec<&Listed>,
        done: &mut Decided,
    ) -> Result<bool, Failure> {
        let listed = &found.listed;
        let mut shown = self.show(found, place)?;
        let (action, others) = match self.answer(&mut shown, rest)? {
            PersonsAnswer::Do(action, others) => (action, others),
            PersonsAnswer::Quit => return Ok(false),
            PersonsAnswer::Skip => {
                done.skip(listed, None);
                return Ok(true);
            }
        };
        if let (Action::Approve(ApprovedWords::Words(words)), Ok(now)) =
            (&action, self.session.world.load_listed(listed))
            && now.job.as_ref().is_some_and(|job| job.words_hash() != *words)
        {
            render::say("\nit was changed while it stood here, and is not approved; it says now:")?;
            return self.one(&now, place, rest, done);
        }
        rest.retain(|listed| others.iter().all(|other| other.id != listed.id));
        let quiet = others.len() >= MANY;
        self.session.apply_alone(listed, action.clone(), done, quiet)?;
        others.iter().try_for_each(|other| self.same_to(other, &action, done, quiet))?;
        Ok(true)
    }

    /// Puts a job on the screen.
    fn show<'f>(&self, found: &'f LocatedJob, place: &JobHeader) -> Result<OnScreen<'f>, Failure> {
        let meant = found.job.as_ref().and_then(|job| self.session.world.meant(job));
        let readable = self.session.decisions.revalidated(&found.listed).is_ok();
        let choices = choices(found, readable, meant.is_some());
        let question = question(place, &choices);
        let told = self.screen_of(found, meant.as_ref())?;
        let seen = sight::show(self.session.world.page, place, &told, &question)?;
        Ok(OnScreen { found, told, meant, choices, question, seen })
    }

    /// A person's answer, once it is clear which jobs it is about.
    fn answer(&self, shown: &mut OnScreen<'_>, rest: &[&Listed]) -> Result<PersonsAnswer, Failure> {
        loop {
            let action = match self.ask(&shown.question, &shown.choices)? {
                'v' => {
                    self.view(shown)?;
                    continue;
                }
                'a' if !shown.seen => {
                    self.view(shown)?;
                    render::say("\nthat is all of it; a yes is for all of it")?;
                    continue;
                }
                'e' => match self.edited(shown.found)? {
                    Some(action) => return Ok(PersonsAnswer::Do(action, Vec::new())),
                    None => continue,
                },
                'q' => return Ok(PersonsAnswer::Quit),
                'm' => shown.meant.as_ref().map(|meant| Action::Edit(Box::new(meant.job.clone()))),
                letter => action(letter, shown.found.job.as_ref()),
            };
            let Some(action) = action else { return Ok(PersonsAnswer::Skip) };
            match self.scope(shown.found, rest, &action)? {
                AnswerScope::These(others) => return Ok(PersonsAnswer::Do(action, others)),
                AnswerScope::Cancel => {}
                AnswerScope::Quit => return Ok(PersonsAnswer::Quit),
            }
        }
    }

    /// The same action for another job, which was not on the screen.
    fn same_to(
        &self,
        other: &Listed,
        action: &Action,
        done: &mut Decided,
        quiet: bool,
    ) -> Result<(), Failure> {
        let action = match action {
            Action::Approve(_) => Action::Approve(ApprovedWords::AsProposed),
            // Each job has a most likely heading of its own.
            Action::Edit(_) => {
                let found = self.session.world.load_listed(other)?;
                match found.job.as_ref().and_then(|job| self.session.world.meant(job)) {
                    Some(meant) => Action::Edit(Box::new(meant.job)),
                    None => {
                        done.skip(other, Some("no heading of its document is nearly its own".to_owned()));
                        return Ok(());
                    }
                }
            }
            other => other.clone(),
        };
        self.session.apply_alone(other, action, done, quiet)
    }

    /// What the screen says about a job, with the three texts of a conflict.
    fn screen_of(&self, found: &LocatedJob, meant: Option<&Meant>) -> Result<Told, Failure> {
        let world = self.session.world;
        let mut told = match found.job.as_ref().and_then(conflict_of) {
            // The three texts show already what it would do now.
            Some(conflict) => Told { text: self.three_ways(conflict), ..show::told(world, found, None) },
            None => show::told(world, found, world.preview(found)?.as_ref()),
        };
        if found.job.is_none() {
            told.text.extend(self.head_of_text(found)?);
        }
        told.why.extend(meant.map(|meant| {
            let text = format!("meant     did you mean `{}` (line {})?", meant.heading, meant.line);
            world.page.paint(Tone::Warn, &said(&text))
        }));
        Ok(told)
    }

    /// The action after a person's edit; `None`, with a message, when there is nothing to do.
    fn edited(&self, found: &LocatedJob) -> Result<Option<Action>, Failure> {
        match self.session.editor.edit(&self.session.decisions, &found.listed) {
            Ok(Some(action)) => Ok(Some(action)),
            Ok(None) => render::say("left as it was").map(|()| None),
            Err(failure) => {
                failure::print(&failure);
                Ok(None)
            }
        }
    }

    /// Which jobs an answer is about: this one, or also the others that wait with the same error. Nothing is carried out
    /// yet.
    fn scope(&self, found: &LocatedJob, rest: &[&Listed], action: &Action) -> Result<AnswerScope, Failure> {
        let code = self.session.world.staged_code(&found.listed)?;
        let mut alike = Vec::new();
        for listed in rest {
            if self.session.world.staged_code(listed).is_ok_and(|other| other == code) {
                alike.push((*listed).clone());
            }
        }
        if alike.is_empty() {
            return Ok(AnswerScope::These(alike));
        }
        let all = alike.len() + 1;
        // A yes is for what was shown. For more of them than that it wants a word of its own, which no second `y` or `a` is.
        let is_yes = matches!(action, Action::Approve(_));
        let (question, hint) = match is_yes {
            true => (
                format!(
                    "[o]nly this one, `all` for all {all} with `{code}` although they were not shown, [c]ancel?"
                ),
                "type o, all or c, then Enter; q leaves it, and ends",
            ),
            false => (
                format!("[o]nly this one, [a]ll {all} with `{code}`, [c]ancel?"),
                "type o, a or c, then Enter; q leaves it, and ends",
            ),
        };
        loop {
            let answer = word(self.session.world, &format!("{} ", said(&question)))?;
            return Ok(match answer.as_deref() {
                Some("all") => AnswerScope::These(alike),
                Some("a") if !is_yes => AnswerScope::These(alike),
                Some("o" | "only" | "n" | "no") => AnswerScope::These(Vec::new()),
                Some("c" | "cancel") => AnswerScope::Cancel,
                Some("q") | None => AnswerScope::Quit,
                Some(_) => {
                    render::say(hint)?;
                    continue;
                }
            });
        }
    }

    /// The letter of one of the choices; `q` at the end of input.
    fn ask(&self, question: &str, choices: &[Choice]) -> Result<char, Failure> {
        loop {
            match letter(self.session.world, question)? {
                None => return Ok('q'),
                // To a proposal "yes" and "no" are answers too.
                Some('y') if choices.contains(&APPROVE) => return Ok('a'),
                Some('n') if choices.contains(&APPROVE) => return Ok('x'),
                Some(letter) if choices.iter().any(|(known, ..)| *known == letter) => return Ok(letter),
                Some('?') => {
                    for (letter, _, does) in choices {
                        render::say(&format!("  {letter}  {does}"))?;
                    }
                }
                Some(_) => {
                    let letters: Vec<String> =
                        choices.iter().map(|(letter, ..)| letter.to_string()).collect();
                    render::say(&format!("type one of {} ?, then Enter", letters.join(" ")))?;
                }
            }
        }
    }

    /// What changed in the document since the author saw the section, and what the job wants.
    fn three_ways(&self, conflict: &Conflict) -> Vec<String> {
        let page = self.session.world.page;
        let now = conflict.current.as_deref().unwrap_or_default();
        let way = |title: &str, from: (&str, &str), to: (&str, &str)| {
            let diff = diff_of(&ended(from.1), &ended(to.1), &said(from.0), &said(to.0));
            let head = [String::new(), page.paint(Tone::Strong, &said(title))];
            head.into_iter().chain(render::diff_lines(page, &diff)).collect::<Vec<_>>()
        };
        let (document, job) = (("the document now", now), ("the job", conflict.wanted.as_str()));
        match &conflict.base {
            Some(base) => {
                let seen = ("as its author saw it", base.as_str());
                let ours = way("what the document changed since (ours)", seen, document);
                ours.into_iter().chain(way("what the job wants to change (theirs)", seen, job)).collect()
            }
            None => way(
                "from the document (ours) to the job (theirs); what its author saw is not known",
                document,
                job,
            ),
        }
    }

    /// The first lines of a file that is no job, with the line numbers that its error uses.
    fn head_of_text(&self, found: &LocatedJob) -> Result<Vec<String>, Failure> {
        const LINES: usize = 15;
        let Some(kept) = self.session.world.kept(&found.listed)? else { return Ok(Vec::new()) };
        let Ok(bytes) = &kept.bytes else { return Ok(vec![kept_where(self.session.world, &kept)]) };
        let text = String::from_utf8_lossy(bytes);
        let numbered =
            |(at, line): (usize, &str)| crate::table::cut(&format!("{:>4} | {line}", at + 1), 200, false);
        let mut lines = vec![String::new()];
        lines.extend(text.lines().enumerate().take(LINES).map(numbered));
        let rest = || format!("   … | {}", said("[v]iew shows all of it"));
        lines.extend(text.lines().nth(LINES).map(|_| rest()));
        Ok(lines)
    }

    /// Everything that is known of the job, with its whole texts.
    fn view(&self, shown: &mut OnScreen<'_>) -> Result<(), Failure> {
        let (page, found) = (self.session.world.page, shown.found);
        shown.seen = true;
        render::say("")?;
        shown.told.lines().try_for_each(|line| render::line(line))?;
        let show = |title: &str, text: Option<&str>| {
            render::line(&format!("\n{}", page.paint(Tone::Strong, &said(title))))?;
            match text {
                Some(text) => render::line(text.trim_end_matches('\n')),
                None => render::say("(there is none)"),
            }
        };
        match found.job.as_ref().and_then(conflict_of) {
            Some(Conflict { base, current, wanted }) => {
                show("as its author saw it", base.as_deref())?;
                show("the document now (ours)", current.as_deref())?;
                show("the job (theirs)", Some(wanted))
            }
            None => {
                let Some(kept) = self.session.world.kept(&found.listed)? else { return Ok(()) };
                match &kept.bytes {
                    Ok(bytes) => show("the file", Some(&String::from_utf8_lossy(bytes))),
                    Err(_) => render::line(&kept_where(self.session.world, &kept)),
                }
            }
        }
    }
}

/// A section's text has no line end at its end; a text in a diff needs one.
fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// The question, with the number of the job and its document: they may have scrolled off the screen.
fn question(place: &JobHeader, choices: &[Choice]) -> String {
    let words: Vec<Cow<'_, str>> = choices.iter().map(|(_, word, _)| said(word)).collect();
    let (colon, comma) = (said(": "), said(", "));
    format!("\n{}{colon}{}{comma}[?]? ", place.short(), words.join(&comma))
}

/// The answers that make sense for a job. `readable`: a retry may end differently from the last attempt; `meant`: there is
/// a heading to ask about.
fn choices(found: &LocatedJob, readable: bool, meant: bool) -> Vec<Choice> {
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
    let mut choices = if meant { vec![MEANT, RETRY, EDIT] } else { vec![RETRY, EDIT] };
    if conflict {
        choices.extend([OURS, THEIRS]);
    }
    choices.extend([DISCARD, SKIP, QUIT, VIEW]);
    choices
}

/// What a letter does to the job on the screen; `None`: nothing, go on.
fn action(letter: char, shown: Option<&Job>) -> Option<Action> {
    match letter {
        'r' => Some(Action::Retry),
        'o' => Some(Action::Ours),
        't' => Some(Action::Theirs(None)),
        'd' => Some(Action::Discard),
        'a' => Some(Action::Approve(ApprovedWords::of(shown))),
        'x' => Some(Action::Reject),
        _ => None,
    }
}
