//! Ending what waits for a person: back to `pending` (as it is, or edited), or to `done` with who and why. Each action
//! claims the job first, so two people at two terminals cannot both do it.

use crate::sides::{Ours, conflict_of, ours, theirs};
use crate::undo;
use declaration::{Code, Entry, Fault, Meta, Timestamp};
use queue_layout::{
    Approval, Claimant, Claimed, Ending, Event, Job, JobId, JournalEntry, Listed, Queue, QueueError, Receipt,
    Rejection, Result, Settlement, StagedItem, State,
};
use std::collections::BTreeSet;

/// What to do with a job that waits.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Back to `pending`, its attempts reset.
    Retry,
    /// Back to `pending` with changed entries (checked by `Job::read_edited`).
    Edit(Box<Job>),
    /// Back to `pending` as bytes that somebody mended, for a file that could not be read.
    Mend(Vec<u8>),
    /// The document's side of the conflict stands: the entry is left out, and the job ended when nothing is left of it.
    Ours,
    /// The job's side of the conflict stands: back to `pending`, to be put over what was looked at; or over the section
    /// with this hash, which an earlier job of the same person leaves there.
    Theirs(Option<String>),
    /// Ended: thrown away.
    Discard,
    /// Back to `pending` with a person's yes to what they were shown.
    Approve(ApprovedWords),
    /// Ended: a person's no.
    Reject,
    /// A yes or a no is taken back: it waits for one again.
    TakeBack,
}

/// Which words a person says yes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovedWords {
    /// Those that the worker proposed, whoever may have edited the file since.
    AsProposed,
    /// Those with this hash (`Job::words_hash`): they stood on the screen.
    Words(String),
}

impl ApprovedWords {
    /// A job that stands on the screen.
    #[must_use]
    pub fn of(job: Option<&Job>) -> ApprovedWords {
        job.map_or(ApprovedWords::AsProposed, |job| ApprovedWords::Words(job.words_hash()))
    }
}

/// Who acts, how, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The person, e.g. the login name.
    pub name: String,
    /// How they are known to decide: on a terminal, or as which decider of the configuration.
    pub channel: String,
    /// Why, in their words.
    pub reason: Option<String>,
}

/// Puts back into `staging/` the claims of a `resolve` whose process died: else the jobs declared after
/// it would be chosen without it, and overtake it.
///
/// # Errors
/// A disk error.
pub fn give_back_staged(queue: &Queue, now: Timestamp) -> Result<()> {
    let released = queue.operator().give_back_staged(now)?;
    let told: Vec<JournalEntry> = released
        .into_iter()
        .map(|id| JournalEntry { id: Some(id), ..JournalEntry::new(now, Event::Recovered) })
        .collect();
    // They are back; a journal that cannot be written changes nothing of it.
    let _ = queue.journal().write(&told);
    Ok(())
}

/// The most jobs that are claimed and decided together: a stop waits until these are settled.
pub const TOGETHER_MAX: usize = 250;

/// Does one action on each of these staged jobs, which share their syncs. Answers for each of them where it is now: in
/// `pending` again, or in `done`; or why it was left as it was, e.g. `TakenMeanwhile`.
///
/// # Errors
/// A disk error. Then nobody can say how far it came: each job is as it was or decided, or goes back to where it waited when
/// the next command recovers it.
pub fn resolve_together(
    claimant: &Claimant,
    asked: &[(&Listed, Action)],
    who: &Actor,
    now: Timestamp,
) -> Result<Vec<Result<State>>> {
    let (answers, claims, again, events) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut batch = Batch { claimant, who, now, answers, claims, again, events };
    for (listed, action) in asked {
        batch.take(listed, action)?;
    }
    batch.settle()?;
    // What was done is durable; a journal that cannot be written changes nothing of it.
    let _ = claimant.queue().journal().write(&batch.events);
    Ok(batch.answers)
}

/// The same of one job.
///
/// # Errors
/// `TakenMeanwhile` when it is no longer there; why it was left as it was; a disk error.
pub fn resolve_one(
    claimant: &Claimant,
    listed: &Listed,
    action: Action,
    who: &Actor,
    now: Timestamp,
) -> Result<State> {
    let answer = resolve_together(claimant, &[(listed, action)], who, now)?.pop();
    answer.unwrap_or_else(|| Err(QueueError::TakenMeanwhile(listed.id.to_string())))
}

/// Jobs that are decided together.
struct Batch<'b> {
    claimant: &'b Claimant,
    who: &'b Actor,
    now: Timestamp,
    /// One for each job that was asked about so far.
    answers: Vec<Result<State>>,
    /// The jobs that are claimed.
    claims: Vec<InHand<'b>>,
    /// What was rejected and is proposed again: its place among the answers, and the job.
    again: Vec<(usize, Job)>,
    /// What was done, for the journal.
    events: Vec<JournalEntry>,
}

/// A claimed job, and what shall become of it.
struct InHand<'b> {
    /// Its place among the answers.
    at: usize,
    claimed: Claimed,
    waited_in: State,
    action: &'b Action,
}

/// What becomes of a claimed job.
struct Consequence {
    settlement: Settlement,
    answer: Result<State>,
    /// What must be durable before it is settled.
    record: Record,
}

/// What changes in the records of people's decisions.
enum Record {
    Nothing,
    /// A yes is added.
    Yes(Approval),
    /// The yes to this job is removed.
    YesTakenBack(JobId),
}

impl<'b> Batch<'b> {
    /// Claims a job. What is no job is settled at once, after those before it.
    fn take(&mut self, listed: &Listed, action: &'b Action) -> Result<()> {
        let answer = match action {
            // A job that was decided about is no longer in `staging/`.
            Action::TakeBack => self.take_decided(listed, action),
            _ => self.take_staged(listed, action),
        };
        match answer {
            // What a directory refuses for one it refuses for all, and later jobs are not to pass this one.
            Err(e @ QueueError::Disk(_)) => Err(e),
            answer => {
                self.answers.push(answer);
                Ok(())
            }
        }
    }

    fn take_staged(&mut self, listed: &Listed, action: &'b Action) -> Result<State> {
        // A yes that was given would be asked for again, and what waits to be merged taken out of its turn.
        if !matches!(listed.state, State::Failed | State::Review) {
            let (id, state) = (listed.id.to_string(), listed.state.as_str());
            return Err(QueueError::NotInStaging { id, state });
        }
        match self.claimant.queue().read_staged(listed)? {
            StagedItem::Job(job) => self.claim(listed, &job, action),
            StagedItem::Original { error } => {
                self.settle()?;
                let answer = original(self.claimant, listed, &error, action, self.who, self.now)?;
                let code = Some(error.code.to_string());
                self.events.push(JournalEntry { code, ..self.event(listed.id, action) });
                Ok(answer)
            }
        }
    }

    fn claim(&mut self, listed: &Listed, job: &Job, action: &'b Action) -> Result<State> {
        if matches!(action, Action::Ours | Action::Theirs(_)) && conflict_of(job).is_none() {
            return Err(no_conflict(job));
        }
        let claimed = self.claimant.claim_staged(listed, job)?;
        let claimed = claimed.ok_or_else(|| QueueError::TakenMeanwhile(listed.id.to_string()))?;
        self.claims.push(InHand { at: self.answers.len(), claimed, waited_in: listed.state, action });
        // Until it is settled.
        Ok(State::Processing)
    }

    /// Claims a job whose decision is taken back; one that was rejected is to be proposed again.
    fn take_decided(&mut self, listed: &Listed, action: &'b Action) -> Result<State> {
        match undo::standing(self.claimant.queue().load(listed)?)? {
            undo::Standing::Yes => {
                let claimed = self.claimant.claim(listed)?;
                let claimed = claimed.ok_or_else(|| QueueError::TakenMeanwhile(listed.id.to_string()))?;
                let at = self.answers.len();
                self.claims.push(InHand { at, claimed, waited_in: listed.state, action });
            }
            undo::Standing::No(job) => self.again.push((self.answers.len(), *job)),
        }
        Ok(State::Processing)
    }

    /// Proposes again what was rejected.
    fn propose_again(&mut self) -> Result<()> {
        let (places, rejected): (Vec<usize>, Vec<Job>) = std::mem::take(&mut self.again).into_iter().unzip();
        if rejected.is_empty() {
            return Ok(());
        }
        let queue = self.claimant.queue();
        let again = rejected.iter().map(|job| undo::proposed_again(queue, job, self.who, self.now));
        let is_new = self.claimant.propose_all(again.collect(), self.now)?;
        queue.operator().forget_no(&rejected)?;
        for ((at, job), is_new) in places.into_iter().zip(&rejected).zip(is_new) {
            self.answers[at] = match is_new {
                true => Ok(State::Review),
                false => Err(QueueError::NothingToTakeBack {
                    id: job.id.to_string(),
                    why: "it was proposed again before".to_owned(),
                }),
            };
            let event = self.event_of_job(job, &Action::TakeBack);
            self.events.extend(is_new.then_some(event));
        }
        Ok(())
    }

    /// Settles the claimed jobs.
    fn settle(&mut self) -> Result<()> {
        self.propose_again()?;
        let in_hand = std::mem::take(&mut self.claims);
        if in_hand.is_empty() {
            return Ok(());
        }
        let claims: Vec<Claimed> = in_hand.iter().map(|one| one.claimed.clone()).collect();
        self.claimant.secure(&claims)?;
        let (mut settlements, mut approvals, mut rejections) = (Vec::new(), Vec::new(), Vec::new());
        let mut taken_back = Vec::new();
        for InHand { at, claimed, waited_in, action } in in_hand {
            // What was claimed, not what was looked at before: somebody may have saved the file in between.
            let job = match self.claimant.read(&claimed) {
                Err(e) if e.is_machine_trouble() => return Err(e),
                // It stays claimed, and is set aside when it is recovered.
                Err(e) => {
                    self.answers[at] = Err(e);
                    continue;
                }
                Ok(job) => job,
            };
            let event = self.event_of_job(&job, action);
            let consequence = self.consequence(job, waited_in, action);
            if let Settlement::Done(job, receipt) = &consequence.settlement {
                rejections
                    .extend(Rejection::of(job, receipt).map(|rejection| (job.fingerprint(), rejection)));
            }
            match consequence.record {
                Record::Nothing => {}
                Record::Yes(approval) => approvals.push(approval),
                Record::YesTakenBack(id) => taken_back.push(id),
            }
            self.events.extend(consequence.answer.is_ok().then_some(event));
            self.answers[at] = consequence.answer;
            settlements.push((claimed, consequence.settlement));
        }
        // First: a job that was approved may be merged only with the record of its yes, and a no counts only with its receipt.
        let operator = self.claimant.queue().operator();
        operator.record_approvals(&approvals)?;
        operator.remember_rejections(&rejections)?;
        // First, too: if we crash here, the job is given back without its yes and waits for another one.
        operator.forget_yes(&taken_back)?;
        self.claimant.settle(settlements, self.now, true)
    }

    /// What becomes of a claimed job.
    fn consequence(&self, job: Job, waited_in: State, action: &Action) -> Consequence {
        let (who, now) = (self.who, self.now);
        let afresh = |job: Job| Job { attempts: Vec::new(), kills: 0, suspected: 0, ..job };
        let settled = |settlement, answer| Consequence { settlement, answer, record: Record::Nothing };
        let pending = |job: Job| settled(Settlement::Pending(Box::new(job)), Ok(State::Pending));
        let approved = |job: Job| {
            let job = Job { approved_by: Some(who.name.clone()), ..job };
            let record = Record::Yes(Approval::of(&job, &who.name, &who.channel, now));
            Consequence { record, ..pending(job) }
        };
        match action {
            Action::Retry | Action::Mend(_) => pending(afresh(job)),
            Action::Edit(edited) => {
                // Whoever writes a proposal's text themselves has said yes to it.
                let asks = waited_in == State::Review || job.approved_by.is_some();
                let entries = signed(&edited.entries, &job, who);
                let edited = Job { entries, source: edited.source.clone(), ..afresh(job) };
                if asks { approved(edited) } else { pending(edited) }
            }
            Action::Ours | Action::Theirs(_) => match side(&job, action) {
                Some(Side::Nothing) => settled(ended(job, Ending::Discarded, who, now), Ok(State::Done)),
                // Of what was approved before, another part stands now.
                Some(Side::Again(job)) if job.approved_by.is_some() => approved(afresh(*job)),
                Some(Side::Again(job)) => pending(afresh(*job)),
                None => {
                    // Somebody saved the file while we claimed it: it goes back as they saved it.
                    let refusal = no_conflict(&job);
                    settled(Settlement::Failed(Box::new(job)), Err(refusal))
                }
            },
            Action::Approve(shown) => match not_shown(&job, shown) {
                None => approved(afresh(job)),
                // As it is, and with the seal it has: whoever looks at it next sees what was refused here.
                Some(refusal) => settled(Settlement::Review(Box::new(job)), Err(refusal)),
            },
            Action::Discard => settled(ended(job, Ending::Discarded, who, now), Ok(State::Done)),
            Action::Reject => settled(ended(job, Ending::Rejected, who, now), Ok(State::Done)),
            Action::TakeBack => {
                let record = Record::YesTakenBack(job.id);
                let job = undo::without_yes(self.claimant.queue(), job, who);
                Consequence { record, ..settled(Settlement::Review(Box::new(job)), Ok(State::Review)) }
            }
        }
    }

    fn event(&self, id: JobId, action: &Action) -> JournalEntry {
        let event = JournalEntry::new(self.now, event_of(action)).by(&self.who.name);
        JournalEntry { id: Some(id), message: self.who.reason.clone(), ..event }
    }

    fn event_of_job(&self, job: &Job, action: &Action) -> JournalEntry {
        let event = self.event(job.id, action);
        // The only place that tells of an entry whose job goes on without it.
        let message = if *action == Action::Ours { left_out(job, self.who) } else { event.message };
        let document = Some(job.document.path.display().to_string());
        let code = job.error.as_ref().map(|error| error.code.to_string());
        JournalEntry { message, document, code, ..event }
    }
}

/// Why a yes is not for what the file says now.
fn not_shown(job: &Job, shown: &ApprovedWords) -> Option<QueueError> {
    let why = match (shown, &job.seal) {
        (ApprovedWords::Words(words), _) if *words == job.words_hash() => return None,
        (ApprovedWords::Words(_), _) => "its file was changed while it was on the screen",
        (ApprovedWords::AsProposed, Some(seal)) if job.has_words(seal) => return None,
        (ApprovedWords::AsProposed, Some(_)) => "its file was changed after the worker proposed it",
        (ApprovedWords::AsProposed, None) if changed_since(job) => {
            "its words were changed after they were proposed, or its document leads to another file"
        }
        // Proposed by a version that wrote none, or somebody took it out: nobody can tell, so that it has to be looked at.
        (ApprovedWords::AsProposed, None) => {
            "it has no seal: an older version proposed it, or somebody took the seal out of its file"
        }
    };
    Some(QueueError::ProposalChanged { id: job.id.to_string(), why })
}

/// Whether the worker that proposed it found that it had been proposed, or approved, with other words before.
fn changed_since(job: &Job) -> bool {
    job.error.as_ref().is_some_and(|error| error.code == Code::ApprovalMismatch)
}

fn original(
    claimant: &Claimant,
    listed: &Listed,
    error: &Fault,
    action: &Action,
    who: &Actor,
    now: Timestamp,
) -> Result<State> {
    let queue = claimant.queue();
    match action {
        // A job whose YAML a hand had spoilt, and another hand mended.
        Action::Edit(mended) if listed.is_staged_job() => {
            let claimed = claimant
                .claim_staged(listed, mended)?
                .ok_or_else(|| QueueError::TakenMeanwhile(listed.id.to_string()))?;
            let job =
                Job { id: listed.id, attempts: Vec::new(), kills: 0, suspected: 0, ..(**mended).clone() };
            claimant.settle(vec![(claimed, Settlement::Pending(Box::new(job)))], now, false)?;
        }
        Action::Ours | Action::Theirs(_) => {
            return Err(QueueError::NoConflict { id: listed.id.to_string(), code: None });
        }
        // A staged job is no declaration: as it is it would come back as something else.
        Action::Retry | Action::Approve(_) if listed.is_staged_job() => {
            return Err(queue.unreadable(listed, error));
        }
        Action::Retry | Action::Edit(_) | Action::Approve(_) => {
            queue.operator().retry_original(listed, None)?
        }
        Action::TakeBack => return Err(QueueError::TakenMeanwhile(listed.id.to_string())),
        Action::Mend(bytes) => queue.operator().retry_original(listed, Some(bytes))?,
        Action::Discard | Action::Reject => {
            queue.operator().discard_original(listed, &receipt(Ending::Discarded, who, now), now)?;
            return Ok(State::Done);
        }
    }
    Ok(State::Pending)
}

/// What is left of a job in conflict when one side stands.
enum Side {
    Nothing,
    Again(Box<Job>),
}

fn side(job: &Job, action: &Action) -> Option<Side> {
    if let Action::Theirs(over) = action {
        return theirs(job, over.as_deref()).map(|job| Side::Again(Box::new(job)));
    }
    let Ours { rest, .. } = ours(job)?;
    Some(match rest.is_empty() {
        true => Side::Nothing,
        false => Side::Again(Box::new(Job { entries: rest, ..job.clone() })),
    })
}

/// Entries with the name of whoever changed what their author said; which text one takes the place of is none of that. Each writes the item
/// that it wrote before, also where others were taken out above it, and one that is new writes an item of its own.
fn signed(edited: &[Entry], job: &Job, who: &Actor) -> Vec<Entry> {
    let mut before = job.entries_with_ids();
    let known = before.len();
    let words = |entry: &Entry| Entry {
        base: None,
        meta: Meta { seen: None, edited_by: None, item: None, ..entry.meta.clone() },
        ..entry.clone()
    };
    let mut take = |is_it: &dyn Fn(&Entry) -> bool| Some(before.remove(before.iter().position(is_it)?));
    let as_said: Vec<Option<Entry>> = edited
        .iter()
        .map(|entry| {
            let said = words(entry);
            take(&|before| words(before) == said)
        })
        .collect();
    let mut signed: Vec<Entry> = Vec::with_capacity(edited.len());
    for (entry, as_said) in edited.iter().zip(as_said) {
        let is_of_place = |before: &Entry| before.operation == entry.operation && before.key == entry.key;
        let (edited_by, item) = match as_said {
            Some(before) => (before.meta.edited_by, before.meta.item),
            None => (Some(who.name.clone()), take(&is_of_place).and_then(|before| before.meta.item)),
        };
        signed.push(Entry { meta: Meta { edited_by, item, ..entry.meta.clone() }, ..entry.clone() });
    }
    let used: BTreeSet<String> = signed.iter().filter_map(|entry| entry.meta.item.clone()).collect();
    let mut unused = (known..).map(|n| queue_layout::item_id(job.id, n)).filter(|id| !used.contains(id));
    for entry in signed.iter_mut().filter(|entry| entry.operation.writes_item() && entry.meta.item.is_none())
    {
        entry.meta.item = unused.next();
    }
    signed
}

/// What is left out when the document's side stands, whole: its job goes on without it.
fn left_out(job: &Job, who: &Actor) -> Option<String> {
    let Ours { left_out, rest } = ours(job)?;
    let entry = left_out.filter(|_| !rest.is_empty());
    let left_out = entry.map(|entry| {
        let content = entry.content.unwrap_or_default();
        format!("left out: {} {}: {content}", entry.operation.as_str(), entry.key.heading.join(" > "))
    });
    let parts: Vec<String> = [who.reason.clone(), left_out].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Why a job in staging has no side that could be taken.
fn no_conflict(job: &Job) -> QueueError {
    if job.restore.is_some() && conflict_of(job).is_some() {
        return QueueError::SidesMixed { id: job.id.to_string() };
    }
    QueueError::NoConflict {
        id: job.id.to_string(),
        code: job.error.as_ref().map(|error| error.code.to_string()),
    }
}

fn ended(job: Job, outcome: Ending, who: &Actor, now: Timestamp) -> Settlement {
    Settlement::Done(Box::new(job), receipt(outcome, who, now))
}

fn receipt(outcome: Ending, who: &Actor, now: Timestamp) -> Receipt {
    Receipt {
        outcome,
        at: now,
        by: who.name.clone(),
        channel: Some(who.channel.clone()),
        approval: None,
        reason: who.reason.clone(),
        same_as: None,
        document_hash: None,
        version: None,
        changes: Vec::new(),
    }
}

fn event_of(action: &Action) -> Event {
    match action {
        Action::Retry => Event::Retried,
        Action::Edit(_) | Action::Mend(_) => Event::Edited,
        Action::Ours => Event::TookOurs,
        Action::Theirs(_) => Event::TookTheirs,
        Action::Discard => Event::Discarded,
        Action::Approve(_) => Event::Approved,
        Action::Reject => Event::Rejected,
        Action::TakeBack => Event::Review,
    }
}
