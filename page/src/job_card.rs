//! One job as a person reads it: who declared it, what it says, what it would change, why it waits, how it ended.

use crate::Page;
use crate::diff::{self, DiffLine};
use crate::markdown;
use crate::words::{plain, state_word, what_helps, written_hint};
use engine::{
    Because, Code, DocKey, Entry, Failure, Fault, Job, Listed, LogFilter, Preview, Remedy, State, Timestamp,
};

/// Events of a job that are shown.
const EVENTS_MAX: usize = 60;

/// A job on a screen.
pub(crate) struct JobCard {
    pub(crate) id: String,
    pub(crate) state: State,
    pub(crate) declared: String,
    pub(crate) document: String,
    pub(crate) kb: String,
    pub(crate) doc: Option<DocKey>,
    /// The stamp of what its screen shows: its forms send it along.
    pub(crate) seen: String,
    /// The agent that declared it.
    pub(crate) who: String,
    pub(crate) from: String,
    /// Who changed what its author said, where a person did that.
    pub(crate) edited_by: Option<String>,
    pub(crate) source: String,
    pub(crate) why: String,
    pub(crate) entries: Vec<EntryCard>,
    pub(crate) fault: Option<FaultCard>,
    /// What most often helps against what it waits for.
    pub(crate) helps: Option<&'static str>,
    pub(crate) attempts: Vec<String>,
    pub(crate) sections: Vec<SectionCard>,
    pub(crate) diff: Vec<DiffLine>,
    pub(crate) moved: Vec<String>,
    pub(crate) refused: Option<String>,
    pub(crate) conflict: Option<ConflictCard>,
    /// The hash of its words. A yes is recorded with this hash, so it is a yes to these words only.
    pub(crate) words: Option<String>,
    /// The heading that its author probably meant.
    pub(crate) meant: Option<String>,
    /// The remedies that fit it.
    pub(crate) remedies: Vec<Remedy>,
    /// The text of a file that is no job.
    pub(crate) text: Option<String>,
    pub(crate) ended: Option<String>,
}

pub(crate) struct EntryCard {
    pub(crate) operation: &'static str,
    pub(crate) heading: String,
    pub(crate) content: Option<String>,
    pub(crate) rendered: String,
    pub(crate) old_text: Option<String>,
    /// How sure its author was, whose words they are, and until when they hold, as a sentence.
    pub(crate) about: Vec<String>,
    pub(crate) reason: Option<String>,
}

pub(crate) struct FaultCard {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) over_budget: bool,
}

/// A section that it changes, as HTML before and after.
pub(crate) struct SectionCard {
    pub(crate) heading: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// The three texts of a conflict.
pub(crate) struct ConflictCard {
    pub(crate) base: Option<String>,
    pub(crate) current: String,
    pub(crate) wanted: String,
}

impl JobCard {
    /// The card of a job.
    pub(crate) fn new(page: &Page, listed: &Listed) -> Result<JobCard, Failure> {
        // First: what changes while it is read for the screen makes its forms old ones.
        let seen = page.seen_of(listed);
        let view = page.home.view(listed)?;
        let (found, home) = (&view.found, &page.home);
        let now = home.now();
        let job = found.job.as_ref();
        let fault = job.and_then(|job| job.error.as_ref()).or(found.unreadable.as_ref());
        let is_conflict = fault.is_some_and(|fault| fault.conflict.is_some());
        let preview = view.preview.as_ref().filter(|_| !is_conflict);
        let waits = matches!(found.listed.state, State::Failed | State::Review);
        Ok(JobCard {
            id: found.listed.id.to_string(),
            state: found.listed.state,
            declared: found.listed.id.declared_at().ago(now),
            document: job.map_or_else(String::new, |job| home.short(&job.document.path)),
            kb: job.map_or_else(String::new, |job| job.document.kb.clone()),
            doc: job.map(|job| job.document.doc),
            seen,
            who: job.map_or_else(String::new, who),
            from: job.map_or_else(String::new, origin),
            edited_by: job.and_then(Job::edited_by).map(str::to_owned),
            source: job.map_or_else(String::new, |job| job.source.clone()),
            why: home.why_listed(&found.listed).map(|why| because(&why.because, now)).unwrap_or_default(),
            entries: job.map_or_else(Vec::new, |job| job.entries.iter().map(entry).collect()),
            fault: fault.filter(|_| found.receipt.is_none()).map(fault_card),
            helps: fault
                .or_else(|| job.and_then(|job| job.attempts.last()).map(|last| &last.error))
                .filter(|_| matches!(found.listed.state, State::Failed | State::Deferred))
                .and_then(|fault| what_helps(&fault.code, &fault.message)),
            attempts: job.map_or_else(Vec::new, |job| attempts(job, now)),
            sections: preview.map_or_else(Vec::new, sections),
            diff: preview.map_or_else(Vec::new, |preview| diff::lines(&preview.diff)),
            moved: preview.map_or_else(Vec::new, |preview| preview.moved.clone()),
            // Where it is refused for the reason that it waits for, that is said already.
            refused: preview
                .and_then(|preview| preview.refused.as_ref())
                .map(|refused| refused.message.clone())
                .filter(|message| fault.is_none_or(|fault| fault.message != *message))
                .map(|message| plain(&message)),
            conflict: fault.and_then(conflict),
            words: job.map(Job::words_hash),
            meant: job
                .filter(|_| found.listed.state == State::Failed)
                .and_then(|job| home.meant(job))
                .map(|meant| meant.heading),
            remedies: fault.filter(|_| waits).map_or_else(Vec::new, |fault| fault.code.actions().to_vec()),
            text: view.text(),
            ended: found.receipt.as_ref().map(|receipt| {
                let how =
                    receipt.channel.as_ref().map_or_else(String::new, |channel| format!(" ({channel})"));
                let why = receipt.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
                let yes = receipt.approval.as_ref();
                let yes =
                    yes.map_or_else(String::new, |yes| format!("; approved by {} ({})", yes.by, yes.channel));
                format!(
                    "{} {} by {}{how}{yes}{why}",
                    receipt.outcome.as_str(),
                    receipt.at.ago(now),
                    receipt.by
                )
            }),
        })
    }

    /// Where it is, in words.
    pub(crate) fn state_word(&self) -> &'static str {
        state_word(self.state)
    }

    /// What it is about, as far as that is known.
    pub(crate) fn title(&self) -> String {
        let heading = self.entries.first().map_or("", |entry| entry.heading.as_str());
        match (self.kb.as_str(), heading) {
            ("", _) => format!("A change, {}", self.id),
            (kb, "") => format!("A change to {kb}"),
            (kb, heading) => format!("A change to {kb}: {heading}"),
        }
    }

    /// The texts of its entries that can be edited, each with its number.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (usize, &str)> {
        self.entries.iter().filter_map(|entry| entry.content.as_deref()).enumerate()
    }

    /// Whether its document has no room for it.
    pub(crate) fn is_full(&self) -> bool {
        let full = self.fault.as_ref().is_some_and(|fault| fault.over_budget);
        full && self.state == State::Failed && !self.kb.is_empty()
    }

    /// Whether a remedy is offered.
    pub(crate) fn can(&self, word: &str) -> bool {
        self.state == State::Failed && self.remedies.iter().any(|remedy| remedy.as_str() == word)
    }
}

/// What happened to a job, the oldest first, a line each.
pub(crate) fn life(page: &Page, id: engine::JobId) -> Result<Vec<LifeEvent>, Failure> {
    let filter = LogFilter { id: Some(id), ..LogFilter::default() };
    let mut events = page.home.newest_events(&filter, EVENTS_MAX)?;
    events.reverse();
    let line = |event: &engine::JournalEntry| LifeEvent {
        at: page.home.wall_clock(event.at),
        what: event.event.in_words(),
        by: event.by.clone().unwrap_or_default(),
        message: event.message.clone().unwrap_or_default(),
    };
    Ok(events.iter().map(line).collect())
}

/// Something that happened.
pub(crate) struct LifeEvent {
    pub(crate) at: String,
    pub(crate) what: &'static str,
    pub(crate) by: String,
    pub(crate) message: String,
}

fn who(job: &Job) -> String {
    crate::words::who(&job.producer.agent, job.producer.trust())
}

fn origin(job: &Job) -> String {
    let of = &job.producer;
    let who = who(job);
    let session = if of.session.is_empty() { String::new() } else { format!(", session {}", of.session) };
    let host = if of.host.is_empty() { String::new() } else { format!(", on {}", of.host) };
    format!("{who}{session}{host}; trusted as {}", of.trust().as_str())
}

fn entry(entry: &Entry) -> EntryCard {
    let meta = &entry.meta;
    let mut about = Vec::new();
    about.extend(meta.confidence.map(|sure| format!("{:.0} % sure", sure * 100.0)));
    about.extend(meta.trust.map(|trust| format!("from {}", trust.as_str())));
    about.extend(meta.review_by.as_ref().map(|day| format!("to be looked at again on {day}")));
    EntryCard {
        operation: entry.operation.as_str(),
        heading: entry.key.heading.join(" › "),
        rendered: entry.content.as_deref().map_or_else(String::new, markdown::rendered),
        content: entry.content.clone(),
        old_text: entry.old_text.clone(),
        about,
        reason: meta.reason.clone(),
    }
}

fn fault_card(fault: &Fault) -> FaultCard {
    FaultCard {
        code: fault.code.to_string(),
        over_budget: fault.code == Code::OverBudget,
        message: plain(&fault.message),
        hint: fault.hint.as_deref().and_then(written_hint).map(plain),
    }
}

fn attempts(job: &Job, now: Timestamp) -> Vec<String> {
    let said = |attempt: &engine::Attempt| {
        format!("{}: {} [{}]", attempt.at.ago(now), attempt.error.message, attempt.error.code)
    };
    job.attempts.iter().map(said).collect()
}

fn sections(preview: &Preview) -> Vec<SectionCard> {
    let card = |section: &engine::ChangedSection| SectionCard {
        heading: section.heading.last().cloned().unwrap_or_else(|| "before the first heading".to_owned()),
        before: section.before.as_deref().map(|text| beside(text, section.after.as_deref(), "gone")),
        after: section.after.as_deref().map(|text| beside(text, section.before.as_deref(), "new")),
    };
    preview.sections.iter().map(card).collect()
}

/// A section, with what the other text of it lacks marked; nothing is, where there is no other.
fn beside(text: &str, other: Option<&str>, class: &'static str) -> String {
    other.map_or_else(|| markdown::rendered(text), |other| markdown::rendered_beside(text, other, class))
}

pub(crate) fn conflict(fault: &Fault) -> Option<ConflictCard> {
    let conflict = fault.conflict.as_deref()?;
    Some(ConflictCard {
        base: conflict.base.as_deref().map(markdown::rendered),
        current: conflict
            .current
            .as_deref()
            .map_or_else(|| "<p>(it is gone)</p>".to_owned(), markdown::rendered),
        wanted: markdown::rendered(&conflict.wanted),
    })
}

/// Why the job waits or how it ended, as a sentence.
fn because(because: &Because, now: Timestamp) -> String {
    match because {
        Because::QueueHeld => "everything is held".to_owned(),
        Because::DocumentHeld => "its document is held".to_owned(),
        Because::JobHeld => "it is held".to_owned(),
        Because::Behind { id, due, .. } => {
            let due = due.map_or_else(String::new, |due| format!(", which is tried again {}", due.ago(now)));
            format!("an earlier change to its document waits: {id}{due}")
        }
        Because::TriedAgain { due, .. } => format!("it is tried again {}", due.ago(now)),
        Because::InHand { by, alive: true } => format!("{by} has it in hand"),
        Because::InHand { by, alive: false } => {
            format!("{by} died with it in hand; the next run recovers it")
        }
        Because::NextRun => "nothing keeps it: it is written at the next run".to_owned(),
        Because::Failed { .. } => "it failed, and waits for you".to_owned(),
        Because::NeedsYes { .. } => "it waits for your yes".to_owned(),
        Because::Ended { .. } => "it has ended".to_owned(),
    }
}
