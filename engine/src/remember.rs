//! What a person or an agent says in a line: one item more, another text for one. Each is an entry like any
//! other; the answer says under which id it can be spoken of, and what it waits for.

use crate::output::{Acknowledged, Fate, Foreseen, Remembered};
use crate::{Begun, Caller, Declared, EntryFields, Exit, Failure, Home};
use declaration::{Advice, Code, Fault, Operation, Problem};
use documents::Document;
use markdown_merge::Headings;
use markdown_merge::item::{self, Item};
use operator::{Waiting, Whereabouts};
use policy::judge::{Verdict, judge};
use policy::knowledge_base::KnowledgeBase;
use policy::settings::Settings;
use queue_layout::{DocKey, Draft, Job, JobId, Noted, Outcome, State, What, Who};
use std::collections::HashSet;
use trial::ApprovedAs;

/// The knowledge bases that a fact goes to where none is named, the first of them that is there.
const FACTS: [&str; 2] = ["facts", "memory"];
/// A longer document is not merged on trial to say what will become of one item more, in bytes.
const TRIED_BYTES_MAX: u64 = 256 * 1024;

/// One fact, event or opinion.
#[derive(Debug, Clone, Default)]
pub struct Remember {
    /// What it says.
    pub text: String,
    /// `W`, `B`, `O`, `E` or a lower-case word.
    pub kind: Option<String>,
    /// What it is about: tags.
    pub entities: Vec<String>,
    /// How sure its author is, 0 to 1.
    pub confidence: Option<f64>,
    /// The knowledge base; `facts` where none is named.
    pub to: Option<String>,
    /// The heading it goes under; the day where none is named.
    pub heading: Vec<String>,
    /// Why it is said.
    pub reason: Option<String>,
    /// The day on which somebody should look whether it still holds.
    pub review_by: Option<String>,
}

/// A change of an item that is there.
#[derive(Debug, Clone, Default)]
pub struct ChangeItem {
    /// Its id.
    pub id: String,
    /// What is done to it: `revise`, `supersede`, `retire`, `restore`, `check` or `uncheck`.
    pub operation: String,
    /// Its new text.
    pub text: Option<String>,
    /// What it said when its author saw it.
    pub old_text: Option<String>,
    /// How sure its author is.
    pub confidence: Option<f64>,
    /// Why.
    pub reason: Option<String>,
}

impl Home {
    /// Adds an item; durable when it returns.
    ///
    /// # Errors
    /// `Exit::Refused`: something is wrong with it, and nothing was enqueued.
    pub fn remember(&self, caller: &Caller, said: &Remember) -> Result<Remembered, Failure> {
        self.begin_remember(caller, said)?.finish()
    }

    /// The same, for a caller with others behind it: the next one may begin when this returns.
    ///
    /// # Errors
    /// As for `remember`.
    pub fn begin_remember(&self, caller: &Caller, said: &Remember) -> Result<Begun<'_, Remembered>, Failure> {
        let to = match &said.to {
            Some(to) => to.clone(),
            None => facts(&self.settings()?)?,
        };
        let fields = EntryFields {
            to,
            heading: said.heading.clone(),
            op: Some(Operation::Add.as_str().to_owned()),
            content: Some(said.content()?),
            confidence: said.confidence,
            reason: said.reason.clone(),
            review_by: said.review_by.clone(),
            ..EntryFields::default()
        };
        let (begun, caller) = (self.begin_say(caller, &fields)?, caller.clone());
        Ok(Begun::new(move || {
            let said_it = begun.finish()?;
            self.note_said(&caller, What::Planned, said_it.job);
            Ok(said_it)
        }))
    }

    /// Changes an item by its id; durable when it returns.
    ///
    /// # Errors
    /// `Exit::Refused`: there is no such item, or something is wrong with the change; nothing was enqueued.
    pub fn change_item(&self, caller: &Caller, change: &ChangeItem) -> Result<Remembered, Failure> {
        let fields = EntryFields {
            item: Some(change.id.clone()),
            op: Some(change.operation.clone()),
            content: self.text_of_change(change, &caller.cwd)?,
            old_text: change.old_text.clone(),
            confidence: change.confidence,
            reason: change.reason.clone(),
            ..EntryFields::default()
        };
        self.say(caller, &fields)
    }

    /// Writes into the log of the session that it remembered something, so that it is not asked for that. It is durable already:
    /// a log that cannot be written changes nothing of it.
    pub(crate) fn note_said(&self, caller: &Caller, what: What, job: JobId) {
        if caller.session.is_empty() {
            return;
        }
        let who = Who {
            agent: caller.agent.clone(),
            session: caller.session.clone(),
            cwd: Some(caller.cwd.clone()),
            project: self.project(&caller.cwd),
        };
        let noted = Noted { detail: Some(job.to_string()), who: Some(who), ..Noted::new(self.now(), what) };
        let _ = self.queue().sessions().of(&caller.agent, &caller.session).note(&[noted]);
    }

    /// Declares one entry by its fields; durable when it returns.
    ///
    /// # Errors
    /// `Exit::Refused`: something is wrong with it, or it could only fail as things are, and nothing was enqueued.
    pub fn say(&self, caller: &Caller, fields: &EntryFields) -> Result<Remembered, Failure> {
        self.begin_say(caller, fields)?.finish()
    }

    /// The same, for a caller with others behind it: the next one may begin when this returns.
    ///
    /// # Errors
    /// As for `say`.
    pub fn begin_say(&self, caller: &Caller, fields: &EntryFields) -> Result<Begun<'_, Remembered>, Failure> {
        let mut declared = Declared::new().declaration("the entry", fields.declaration()?);
        let drafts = self.drafts_of(caller, "enqueue", &mut declared)?;
        let foresight = self.foresight(&drafts)?;
        let brought = self.bring(drafts)?;
        let fields = fields.clone();
        Ok(Begun::new(move || {
            let mut acknowledged = None;
            self.make_durable(brought, &mut |enqueued| acknowledged = Some(Acknowledged::from(enqueued)))?;
            let job = acknowledged.ok_or_else(|| Failure::new("nothing was enqueued"))?;
            Ok(self.said(&job, item_of(job.id, &fields), foresight))
        }))
    }

    /// What became of an entry that is durable, or will.
    fn said(&self, job: &Acknowledged, item: String, foresight: Foresight) -> Remembered {
        // It is safe. That it cannot be looked at now, because a worker takes it at this moment, says nothing against that.
        let fate =
            operator::verify(self.queue(), &job.id.to_string()).map_or(Fate::Waiting, |found| found.fate);
        let stands = |state, why| Remembered { item: item.clone(), state, why, ..Remembered::of(job) };
        match foresight {
            _ if fate != Fate::Waiting => stands(Foreseen::Stands(fate), None),
            Foresight::Open => stands(Foreseen::Stands(fate), None),
            Foresight::Known(same) => {
                Remembered { item: same.unwrap_or(item.clone()), ..stands(Foreseen::Known, None) }
            }
            Foresight::WillAsk(fault) => stands(Foreseen::WillAsk, Some(fault.message)),
            Foresight::WillFail(fault) => stands(Foreseen::WillFail, Some(fault.message)),
        }
    }

    /// What will become of an entry as things are. Refuses what can only fail; of a conflict a person decides, who is shown both texts.
    fn foresight(&self, drafts: &[Draft]) -> Result<Foresight, Failure> {
        let [draft] = drafts else { return Ok(Foresight::Open) };
        // What cannot be looked at now is for the worker to tell.
        let look = || self.look_ahead(draft).unwrap_or(Foresight::Open);
        match look() {
            // A job before it that a worker takes at this moment may have been missed: a second look finds what it did.
            Foresight::WillFail(first) if first.code != Code::Conflict => match look() {
                Foresight::WillFail(fault) if fault.code == first.code => Err(refused(fault)),
                other => Ok(other),
            },
            other => Ok(other),
        }
    }

    /// The same, as a merge onto the document as it is now tells, behind what waits for it.
    fn look_ahead(&self, draft: &Draft) -> Result<Foresight, Failure> {
        let settings = self.settings()?;
        let job = draft.clone().into_job(self.now());
        let document = self.documents().find(&job.document.path)?;
        let named = &job.document;
        let Some(kb) = self.strictest(&settings, &named.kb, &document, named.project.as_deref()) else {
            return Ok(Foresight::Open);
        };
        let doc = DocKey::of(&document.canonical);
        let brought = self.queue().brought(doc);
        let waiting = operator::waiting(self.queue(), doc)?;
        // What waits for a person, or for the end of a session, is merged later or never.
        let comes_before = |place: &Whereabouts| matches!(place, Whereabouts::Queue(state) if !matches!(state, State::Failed | State::Review));
        let before = waiting.iter().filter(|waiting| comes_before(&waiting.place));
        let is_new = |brought: &&Job| waiting.iter().all(|waiting| waiting.job.id != brought.id);
        let brought = brought.iter().filter(is_new);
        let jobs: Vec<_> = before.map(|waiting| &waiting.job).chain(brought).chain([&job]).collect();
        if self.is_plainly_new(&document, &kb, &jobs)? {
            return Ok(Foresight::Open);
        }
        let outcome =
            self.trial(&document, &kb, &settings).now(&jobs, ApprovedAs::Given)?.merged.outcomes.pop();
        Ok(match outcome {
            Some(Outcome::Unchanged(changes)) => {
                let known = changes.into_iter().find_map(|change| change.item).map(|item| item.id);
                Foresight::Known(known)
            }
            Some(Outcome::Failed(fault)) => {
                let waits = |id: &str| waiting.iter().find(|waiting| waiting.job.entry_of_item(id).is_some());
                let item = job.entries.first().and_then(|entry| entry.key.item());
                let maker = item.and_then(waits).filter(|_| fault.code == Code::ItemNotFound);
                Foresight::WillFail(maker.map_or(fault, |maker| self.not_there_yet(maker, item)))
            }
            Some(Outcome::Review { fault, .. }) => Foresight::WillAsk(fault),
            _ => Foresight::Open,
        })
    }

    /// Why nothing can be changed of an item that a person has to decide about first.
    fn not_there_yet(&self, maker: &Waiting, item: Option<&str>) -> Fault {
        let (job, item) = (maker.job.id, item.unwrap_or_default());
        let waits = maker.place.describe(&|advice| self.host.say(advice));
        Fault::new(Code::ItemNotFound, format!("the item {item} is in no document yet: job {job} {waits}"))
            .hint("say it again when that is decided")
    }

    /// Whether the last of these jobs adds items to a long document, and neither it nor the jobs before say them. Then no merge is
    /// tried, which would cost as much as reading all of it anew: what else may be wrong, a worker tells.
    fn is_plainly_new(
        &self,
        document: &Document,
        kb: &KnowledgeBase,
        jobs: &[&Job],
    ) -> Result<bool, Failure> {
        let Some((job, before)) = jobs.split_last() else { return Ok(false) };
        let rules = kb.rules();
        let budgets = [rules.chars_max, rules.tokens_max, rules.section_chars_max];
        let is_held = !rules.create
            || rules.machine_block
            || budgets.iter().any(Option::is_some)
            || rules.headings != Headings::default();
        let adds = |job: &&Job| job.entries.iter().all(|entry| entry.operation == Operation::Add);
        let is_long = self.disk.stat(&document.canonical)?.is_some_and(|stat| stat.len > TRIED_BYTES_MAX);
        if !is_long || is_held || !jobs.iter().all(adds) || judge(kb, &job.asked()) != Verdict::Write {
            return Ok(false);
        }
        let contents =
            before.iter().flat_map(|job| &job.entries).filter_map(|entry| entry.content.as_deref());
        let waiting: String = contents.map(|content| format!("- {content}\n")).collect();
        let is_known_by = |lines: &str| {
            let is_said = |content: &str| item::is_said(lines, content);
            job.entries.iter().any(|entry| entry.content.as_deref().is_none_or(is_said))
        };
        let mut is_known = is_known_by(&waiting);
        let is_text = self.documents().each_lines(document, &mut |lines| {
            is_known = is_known || is_known_by(lines);
            !is_known
        })?;
        Ok(is_text && !is_known)
    }
}

/// What will become of an entry, as things are.
enum Foresight {
    /// The document says it already; the id of the item that does.
    Known(Option<String>),
    /// It waits for a yes.
    WillAsk(Fault),
    /// It cannot be merged.
    WillFail(Fault),
    /// It is merged, or nobody knows before a worker tries.
    Open,
}

fn refused(fault: Fault) -> Failure {
    let failure = Failure::refused("the entry", &[Problem::new(fault.code, fault.message)]);
    let failure = failure.hint("nothing was enqueued; it could not be merged as things are");
    fault.hint.into_iter().fold(failure, Failure::hint)
}

/// The id of the item that a job of one entry is about; empty where that is none.
fn item_of(id: JobId, fields: &EntryFields) -> String {
    let said = |operation: &Operation| fields.op.as_deref() == Some(operation.as_str());
    match (&fields.item, Operation::ALL.into_iter().find(said)) {
        // It stays the item it is; what supersedes one is a new item.
        (Some(item), Some(operation))
            if operation.is_of_known_item() && operation != Operation::Supersede =>
        {
            item.trim_start_matches('^').to_owned()
        }
        (None, Some(operation)) if !operation.is_of_item() => String::new(),
        _ => queue_layout::item_id(id, 0),
    }
}

impl Remembered {
    /// What a job says of itself.
    fn of(job: &Acknowledged) -> Remembered {
        Remembered {
            item: String::new(),
            job: job.id,
            kb: job.kb.clone(),
            document: job.document.clone(),
            state: Foreseen::Stands(Fate::Waiting),
            why: None,
        }
    }
}

/// Where facts go.
fn facts(settings: &Settings) -> Result<String, Failure> {
    let there = FACTS.into_iter().find(|name| settings.knowledge_base(name).is_some());
    there.map(str::to_owned).ok_or_else(|| {
        Failure::new("there is no knowledge base `facts`").hint(Advice::MakeMemory).exit(Exit::Usage)
    })
}

impl Remember {
    /// The item's line: kind, text, tags.
    fn content(&self) -> Result<String, Failure> {
        let usage = |message: String, hint: &str| Err(Failure::new(message).hint(hint).exit(Exit::Usage));
        let mut text = self.text.trim().to_owned();
        if text.is_empty() {
            return usage("there is nothing to remember".to_owned(), "say it in a line");
        }
        // What is remembered is a sentence: `+ 5 degrees`, `* is a wildcard` begin with a sign, and only `-` with a bullet.
        let is_plain = |item: Item<'_>| item.kind().is_none() && item.done().is_none() && item.id().is_none();
        if text.starts_with(['*', '+']) && !text.contains('\n') && Item::read(&text).is_some_and(is_plain) {
            text.insert(0, '\\');
        }
        let mut said: HashSet<&str> = self.text.split_whitespace().collect();
        let tags = self.entities.iter().map(|entity| {
            let tag: Vec<&str> = entity.trim_start_matches('#').split_whitespace().collect();
            format!("#{}", tag.join("-"))
        });
        let tags: Vec<String> = tags.collect();
        let new: String = tags.iter().filter(|tag| said.insert(tag)).map(|tag| format!(" {tag}")).collect();
        if !new.is_empty() {
            let (line, below) = text.split_at(text.find('\n').unwrap_or(text.len()));
            text = format!("{}{new}{below}", line.trim_end());
        }
        if let Some(kind) = &self.kind {
            let line = format!("- [{kind}] x");
            if Item::read(&line).and_then(|item| item.kind()) != Some(kind.as_str()) {
                let hint = "W (a fact), B (what was done), O (an opinion), E (an event), or a lower-case word of your own";
                return usage(format!("`{kind}` is no kind of item"), hint);
            }
            text = format!("[{kind}] {text}");
        }
        Ok(text)
    }
}
