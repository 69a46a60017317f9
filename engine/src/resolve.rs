//! What a person decides about jobs that failed or wait for a yes: retried, mended, one side of a conflict, ended; approved or
//! not. A job is claimed before anything is done to it, so that a process that dies half-way loses nothing.

use crate::output::{Decided, MovedSection};
use crate::{Caller, Control, Exit, Failure, Home, Notice, chain};
use declaration::Code;
use declaration::code::CodeKind;
use declaration::{Advice, Fault, Problem, reading};
use operator::{Action, Actor, ConflictPlace, conflict_of, leaves, resolve_one, resolve_together};
use queue_layout::{Claimant, Holds, Job, JobId, Listed, QueueError, StagedItem, State};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

/// How the hash of what an author saw stands in the file of a staged job.
const BASE: &[u8] = b"base: ";

/// One person deciding about one job after another.
#[derive(Debug)]
pub struct Decisions {
    pub(crate) home: Home,
    caller: Caller,
    who: Actor,
    control: Control,
    /// Whether this person may say yes or no by the channel they are known by: looked up once.
    may_review: OnceLock<Result<(), Failure>>,
    /// What sections will say once the jobs' sides of these decisions stand.
    left: Mutex<BTreeMap<ConflictPlace, String>>,
}

/// Why a job was not decided, and whether others may still be.
#[derive(Debug)]
pub struct Undecided {
    /// Why.
    pub failure: Failure,
    /// Nothing more should be tried.
    pub stops: bool,
    /// What was decided before; of these and later jobs `not_asked` counts those that were not.
    pub before: Box<Decided>,
    /// Of the machine: what was moved may not be durable.
    trouble: bool,
}

impl Undecided {
    /// For this reason, after which nothing more should be tried.
    #[must_use]
    pub fn for_good(failure: Failure) -> Undecided {
        Undecided { stops: true, ..failure.into() }
    }
}

impl From<Failure> for Undecided {
    fn from(failure: Failure) -> Self {
        Undecided { failure, stops: false, before: Box::default(), trouble: false }
    }
}

impl From<QueueError> for Undecided {
    fn from(e: QueueError) -> Self {
        let trouble = e.is_machine_trouble();
        Undecided { stops: trouble, trouble, ..Failure::from(e).into() }
    }
}

impl Home {
    /// Whether somebody may say yes or no by the channel they are known by.
    pub(crate) fn may_review(&self, who: &Actor) -> Result<(), Failure> {
        let settings = self.settings()?;
        if settings.reviews_by(&who.channel) {
            return Ok(());
        }
        let by = settings.review_channels.join(" or ");
        let by = if by.is_empty() { "nothing" } else { by.as_str() };
        Err(Failure::new(format!("`review: channels` of config.yaml takes a yes or a no by {by} alone"))
            .hint("decide there"))
    }

    /// The heading that the author of a failed job most likely meant, by what its document says now.
    #[must_use]
    pub fn meant(&self, job: &Job) -> Option<operator::Meant> {
        let document = self.documents().find(&job.document.path).ok()?;
        let read = self.documents().read(&document).ok()?;
        operator::meant(job, std::str::from_utf8(&read.bytes).ok()?)
    }

    /// Begins to decide in the name of a person.
    #[must_use]
    pub fn decisions(&self, caller: Caller, who: Actor) -> Decisions {
        let (may_review, left) = (OnceLock::new(), Mutex::default());
        Decisions { home: self.clone(), caller, who, control: Control::new(), may_review, left }
    }

    /// The sections that changed since these staged jobs proposed to change them, as far as their authors said what they saw.
    ///
    /// # Errors
    /// A disk error.
    pub fn moved_sections(&self, jobs: &[Listed]) -> Result<Vec<MovedSection>, Failure> {
        let mut seen: BTreeMap<PathBuf, Vec<Job>> = BTreeMap::new();
        for listed in jobs {
            // Most say nothing of what they saw, and are not taken apart for it.
            let says = |text: &[u8]| text.windows(BASE.len()).any(|bytes| bytes == BASE);
            if self.queue().staged_text(listed).is_ok_and(|text| says(&text))
                && let Ok(StagedItem::Job(job)) = self.queue().read_staged(listed)
            {
                seen.entry(job.document.path.clone()).or_default().push(*job);
            }
        }
        let mut moved = Vec::new();
        for (path, jobs) in seen {
            let Ok(document) = self.documents().find(&path) else { continue };
            let Ok(present) = self.documents().read(&document) else { continue };
            moved.extend(operator::moved_of(&present.bytes, &jobs.iter().collect::<Vec<_>>()));
        }
        moved.sort();
        Ok(moved.into_iter().map(|(id, heading)| MovedSection { heading, id }).collect())
    }
}

impl Decisions {
    /// The same, and `control` can stop them.
    #[must_use]
    pub fn controlled(self, control: &Control) -> Decisions {
        Decisions { control: control.clone(), ..self }
    }

    /// The same for each of these jobs, in this order, many together. Claims of operators that died are given back first.
    /// One that cannot be done, or is held, is left as it was, and why is part of the answer; alone it is the failure.
    /// Once the control stops, the rest is left (`not_asked`).
    ///
    /// # Errors
    /// The only one could not be decided, or the machine is in trouble: what was decided before stays decided.
    pub fn all(&self, jobs: &[Listed], action: &Action) -> Result<Decided, Undecided> {
        operator::give_back_staged(self.home.queue(), self.home.now())?;
        let claimant = self.home.queue().claimant()?;
        let mut decided = Decided::default();
        (self.home.host.tell)(Notice::DecisionsBegin { jobs: jobs.len(), action });
        let done = self.each(&claimant, jobs, action, &mut decided);
        (self.home.host.tell)(Notice::DecisionsEnd);
        let done = done.and(self.forget_drafts(&decided, action));
        match self.end(claimant, done) {
            Ok(()) => Ok(decided),
            Err(undecided) => {
                decided.not_asked = jobs.len() - decided.count();
                Err(Undecided { before: Box::new(decided), ..undecided })
            }
        }
    }

    /// Removes what somebody wrote for jobs, once it is their word.
    fn forget_drafts(&self, decided: &Decided, action: &Action) -> Result<(), Undecided> {
        let ids = decided.requeued.iter().chain(&decided.ended).filter_map(|id| id.parse().ok());
        for id in ids {
            self.forget_draft(id, action)?;
        }
        Ok(())
    }

    /// What is decided otherwise leaves it: an editor may be open on it, with words that stand nowhere else.
    fn forget_draft(&self, id: JobId, action: &Action) -> Result<(), Failure> {
        if matches!(action, Action::Edit(_) | Action::Mend(_)) {
            self.home.disk.remove(&self.home.layout.edit_draft(id))?;
        }
        Ok(())
    }

    fn each(
        &self,
        claimant: &Claimant,
        jobs: &[Listed],
        action: &Action,
        decided: &mut Decided,
    ) -> Result<(), Undecided> {
        for together in jobs.chunks(operator::TOGETHER_MAX) {
            let (mut asked, mut answers) = (Vec::with_capacity(together.len()), BTreeMap::new());
            let holds = self.home.queue().holds()?;
            for listed in together {
                if holds.job(listed.id) {
                    let release = self.home.host.say(&Advice::Release(listed.id.to_string()));
                    answers.insert(listed.id, Err(Failure::new(format!("held; {release}"))));
                    continue;
                }
                match self.checked(listed, action) {
                    Ok(action) => asked.push((listed, action)),
                    Err(undecided) if jobs.len() > 1 && !undecided.stops => {
                        answers.insert(listed.id, Err(undecided.failure));
                    }
                    Err(undecided) => return Err(undecided),
                }
            }
            let done = resolve_together(claimant, &asked, &self.who, self.home.now());
            let done = done.map_err(|e| Undecided { stops: true, ..e.into() })?;
            for ((listed, _), answer) in asked.iter().zip(done) {
                match answer {
                    Err(e) if jobs.len() == 1 => return Err(e.into()),
                    answer => answers.insert(listed.id, answer.map_err(Failure::from)),
                };
            }
            for listed in together {
                match answers.remove(&listed.id) {
                    Some(Ok(now_in)) => decided.add(listed, now_in),
                    Some(Err(failure)) => decided.skip(listed, Some(failure.sentence())),
                    None => {}
                }
            }
            (self.home.host.tell)(Notice::Decided(together.len()));
            if self.control.is_stopped() {
                decided.not_asked = jobs.len() - decided.count();
                break;
            }
        }
        Ok(())
    }

    /// What is to be done with a job, where it may be done.
    fn checked(&self, listed: &Listed, action: &Action) -> Result<Action, Undecided> {
        let action = if *action == Action::Retry { self.revalidated(listed)? } else { action.clone() };
        self.may(listed, &action)?;
        Ok(if matches!(action, Action::Theirs(_)) { self.over_the_last(listed)? } else { action })
    }

    /// Decides about one job, with a claim of its own.
    ///
    /// # Errors
    /// It is somebody else's by now, or it cannot be done; or an agent decides about what it did not declare, and only a person may.
    pub fn one(&self, listed: &Listed, action: Action) -> Result<State, Undecided> {
        let action = if action == Action::Retry { self.revalidated(listed)? } else { action };
        let claimant = self.home.queue().claimant()?;
        let done = self.claimed(&claimant, listed, action);
        self.end(claimant, done)
    }

    /// Decides about these jobs one after another: `choose` says for each what is to be done, `None` leaves it. One that is held,
    /// or cannot be done, is left as it was, and why is part of the answer; of a single job it is the failure. Once the control
    /// stops, the rest is left (`not_asked`).
    ///
    /// # Errors
    /// Why nothing more was tried; a disk error. What was decided before stays decided, and is part of it.
    pub fn in_turn(
        &self,
        jobs: &[Listed],
        choose: &dyn Fn(&Listed) -> Result<Option<Action>, Undecided>,
    ) -> Result<Decided, Undecided> {
        let holds = self.home.queue().holds()?;
        let claimant = self.home.queue().claimant()?;
        let mut turn =
            InTurn { decisions: self, claimant, holds, jobs: jobs.len(), decided: Decided::default() };
        let mut done = Ok(());
        for listed in jobs {
            if turn.is_free(listed) {
                done = turn.decide(listed, choose(listed));
            }
            if done.is_err() || self.control.is_stopped() {
                break;
            }
        }
        turn.end(done)
    }

    /// Decides about a job with a claimant that may decide about several, and forgets what somebody began to write for it.
    fn claimed(&self, claimant: &Claimant, listed: &Listed, action: Action) -> Result<State, Undecided> {
        self.may(listed, &action)?;
        let action = if matches!(action, Action::Theirs(_)) { self.over_the_last(listed)? } else { action };
        let now_in = resolve_one(claimant, listed, action.clone(), &self.who, self.home.now())?;
        self.forget_draft(listed.id, &action)?;
        Ok(now_in)
    }

    /// A person decides; an agent's session retries what it declared itself.
    fn may(&self, listed: &Listed, action: &Action) -> Result<(), Failure> {
        if listed.state == State::Review {
            self.may_review.get_or_init(|| self.home.may_review(&self.who)).clone()?;
        }
        let own = *action == Action::Retry
            && matches!(self.home.queue().read_staged(listed)?, StagedItem::Job(job) if self.caller.said(&job.producer));
        if own { Ok(()) } else { self.caller.refuse_agents("decide about jobs") }
    }

    /// Ends a claimant. Also after a refusal: a directory left in `processing/` would look like a dead worker's. After trouble
    /// it is one's: what was moved out of it may not be durable yet.
    fn end<T>(&self, claimant: Claimant, done: Result<T, Undecided>) -> Result<T, Undecided> {
        if !done.as_ref().is_err_and(|undecided| undecided.trouble) {
            claimant.end().map_err(|e| Undecided::for_good(e.into()))?;
        }
        done
    }

    /// A retry, where it may end otherwise than the last attempt: a file that cannot be read any longer would only fail again.
    ///
    /// # Errors
    /// Why it would.
    pub fn revalidated(&self, listed: &Listed) -> Result<Action, Failure> {
        match self.home.queue().read_staged(listed)? {
            StagedItem::Original { error } if error.code.kind() == CodeKind::PersonsText => {
                let message = format!("job {} is somebody's text, and no job: {}", listed.id, error.message);
                Err(Failure::new(message).hint("put into the document what should be there, then discard it"))
            }
            // A newer version, a configuration that has changed since, may read what this one did not.
            StagedItem::Original { error } if error.code != Code::FutureVersion => {
                self.readable_now(listed, &error).map(|()| Action::Retry)
            }
            _ => Ok(Action::Retry),
        }
    }

    /// Whether a file that could not be read would be read now.
    fn readable_now(&self, listed: &Listed, error: &Fault) -> Result<(), Failure> {
        let (id, queue) = (listed.id, self.home.queue());
        let refused = |why: &str, hint: Advice| {
            Err(Failure::new(format!("job {id} cannot be read: {why}")).hint(hint).exit(Exit::Refused))
        };
        let still = match queue.staged_text(listed) {
            Err(QueueError::Unreadable { problems, .. }) => problems.into_iter().next(),
            Err(e) => return Err(e.into()),
            // All that was wrong with it.
            Ok(_) if error.code == Code::UnreadableFile => return Ok(()),
            Ok(bytes) if !listed.is_staged_job() && reading::read(&bytes, None).is_ok() => {
                return Ok(());
            }
            Ok(_) => return refused(&error.message, Advice::Edit(id.to_string())),
        };
        let why = still.as_ref().map_or(error.message.as_str(), |problem| problem.message.as_str());
        let discard = Advice::DiscardAndKeep(id.to_string());
        let mend = error.hint.clone().filter(|_| error.code == Code::UnreadableFile);
        refused(why, mend.map_or(discard, Advice::Words))
    }

    /// Why a job has no two sides to choose from.
    #[must_use]
    pub fn no_sides(&self, listed: &Listed) -> Option<String> {
        match self.home.queue().read_staged(listed) {
            Ok(StagedItem::Job(job)) if conflict_of(&job).is_some() => None,
            Ok(_) => Some("it has no conflict, so there is neither `ours` nor `theirs`".to_owned()),
            Err(e) => Some(chain(&e)),
        }
    }

    /// The text of a staged job after an edit, as what is to be done with it. Whoever edits a job that is in conflict saw both sides, which
    /// its file has: their text takes the place of the one that the document had then.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn edited(&self, listed: &Listed, text: &[u8]) -> Result<Action, Vec<Problem>> {
        let queue = self.home.queue();
        let utf8 = std::str::from_utf8(text).map_err(|e| {
            vec![Problem::new(Code::BadUtf8, format!("not UTF-8 text at byte {}", e.valid_up_to()))]
        })?;
        match queue.read_staged(listed) {
            Ok(StagedItem::Job(original)) => {
                let edited = original.read_edited(utf8)?;
                self.refuse_secrets(&edited)?;
                Ok(Action::Edit(Box::new(operator::over_both(edited, &original))))
            }
            // A job whose YAML a hand had spoilt.
            Ok(StagedItem::Original { .. }) if listed.is_staged_job() => {
                Ok(Action::Edit(Box::new(Job::from_yaml(utf8)?)))
            }
            Ok(StagedItem::Original { .. }) => reading::read(text, None).map(|_| Action::Mend(text.to_vec())),
            Err(e) => Err(vec![Problem::new(Code::Taken, chain(&e))]),
        }
    }

    /// What the merge would refuse anyway must not be written down before. Without settings the worker asks.
    fn refuse_secrets(&self, job: &Job) -> Result<(), Vec<Problem>> {
        let Ok(settings) = self.home.settings() else { return Ok(()) };
        let redacts = settings.knowledge_base(&job.document.kb).is_none_or(|kb| kb.redact);
        let found = redacts.then(|| declaration::secrets::in_entries(&job.entries)).flatten();
        found.map_or(Ok(()), |problem| Err(vec![problem]))
    }

    /// The job's side, over what an earlier job of these decisions leaves in the same section.
    fn over_the_last(&self, listed: &Listed) -> Result<Action, Failure> {
        let StagedItem::Job(job) = self.home.queue().read_staged(listed)? else {
            return Ok(Action::Theirs(None));
        };
        let Some((place, hash)) = leaves(&job) else { return Ok(Action::Theirs(None)) };
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Action::Theirs(left.insert(place, hash)))
    }
}

/// Decisions about jobs one after another, with one claimant. It must be brought to its `end`.
#[must_use]
struct InTurn<'d> {
    decisions: &'d Decisions,
    claimant: Claimant,
    holds: Holds,
    /// How many jobs there are in all.
    jobs: usize,
    decided: Decided,
}

impl InTurn<'_> {
    /// Whether a job may be decided about. One that is held is left, and need not be asked about.
    fn is_free(&mut self, listed: &Listed) -> bool {
        let held = self.holds.job(listed.id);
        if held {
            let release = self.decisions.home.host.say(&Advice::Release(listed.id.to_string()));
            self.decided.skip(listed, Some(format!("held; {release}")));
        }
        !held
    }

    /// Does what was chosen for a job; `None` leaves it.
    fn decide(
        &mut self,
        listed: &Listed,
        chosen: Result<Option<Action>, Undecided>,
    ) -> Result<(), Undecided> {
        let claimed = |action| self.decisions.claimed(&self.claimant, listed, action);
        match chosen.and_then(|action| action.map(claimed).transpose()) {
            Ok(Some(now_in)) => self.decided.add(listed, now_in),
            Ok(None) => self.decided.skip(listed, None),
            Err(undecided) if self.jobs > 1 && !undecided.stops => {
                self.decided.skip(listed, Some(undecided.failure.sentence()));
            }
            Err(undecided) => return Err(undecided),
        }
        Ok(())
    }

    /// What was decided. Jobs that were not reached, because of a failure or a stop, are counted.
    fn end(self, done: Result<(), Undecided>) -> Result<Decided, Undecided> {
        let InTurn { decisions, claimant, jobs, mut decided, .. } = self;
        let ended = decisions.end(claimant, done);
        decided.not_asked = jobs - decided.count();
        match ended {
            Ok(()) => Ok(decided),
            Err(undecided) => Err(Undecided { before: Box::new(decided), ..undecided }),
        }
    }
}
