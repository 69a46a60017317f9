//! What verbs answer, for machines: the shapes behind every `--json`. Names of fields are stable; fields may be added.

mod adopted;

use crate::Filling;
pub use ::recall::Tier;
use declaration::{Entry, Fault, Problem, Timestamp};
pub use drift::{DriftCheck, DriftFinding};
pub use operator::ListedVersion;
use operator::{Blamed, Waiting, Whereabouts};
pub use operator::{
    DocumentStatus, Expired, FailureGroup, Fate, Preview, Row, StateCount, Status, Timeline, TimelineStep,
    Verified, Why,
};
use policy::knowledge_base::Budget;
pub use queue_layout::{Counters, Hold, JournalEntry, Pruned, Receipt};
use queue_layout::{Enqueued, HeldThing, JobId, Listed, State};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use worker::Report;

/// A job that is on stable storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Acknowledged {
    /// The job.
    pub id: JobId,
    /// Its document.
    pub document: PathBuf,
    /// The knowledge base of that.
    pub kb: String,
    /// Whether it is new; not, when its key was known.
    pub new: bool,
}

impl From<&Enqueued> for Acknowledged {
    fn from(enqueued: &Enqueued) -> Self {
        let Enqueued { id, document, new } = enqueued;
        Acknowledged { id: *id, document: document.path.clone(), kb: document.kb.clone(), new: *new }
    }
}

/// An entry that was put into a session's buffer.
#[derive(Debug, Clone, Serialize)]
pub struct Planned {
    /// The agent whose session it is.
    pub agent: String,
    /// The document it is for.
    pub document: PathBuf,
    /// The id it keeps as a job.
    pub id: JobId,
    /// The knowledge base of the document.
    pub kb: String,
    /// How we know whose session it is, in words.
    pub known_by: &'static str,
    /// Whether it will wait for a person's yes.
    pub review: bool,
    /// The session.
    pub session: String,
    /// The entry as it was understood.
    #[serde(skip)]
    pub entry: Option<Entry>,
}

/// An entry of a session's buffer.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedEntry {
    /// The entry; `None` when it cannot be read.
    pub entry: Option<Entry>,
    /// The id it keeps as a job.
    pub id: String,
    /// The knowledge base of its document.
    pub kb: String,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

impl From<queue_layout::BufferedEntry> for PlannedEntry {
    fn from(planned: queue_layout::BufferedEntry) -> Self {
        let id = planned.id.to_string();
        match planned.job {
            Ok(job) => {
                PlannedEntry { id, kb: job.document.kb, entry: job.entries.into_iter().next(), problem: None }
            }
            Err(problems) => {
                let problem = problems.first().map(ToString::to_string);
                PlannedEntry { id, kb: String::new(), entry: None, problem }
            }
        }
    }
}

/// An item of a document, or one that waits for its document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedItem {
    /// Its id; where a person wrote it without one, the id that is derived from its text.
    pub id: String,
    /// Its knowledge base; of a family with what fills its variables.
    pub kb: String,
    /// Its document.
    pub document: PathBuf,
    /// Its line there; `None` while it waits.
    pub line: Option<usize>,
    /// The headings above it.
    pub heading: Vec<String>,
    /// `W`, `B`, `O`, `E` or a word.
    pub kind: Option<String>,
    /// What it says, without kind, comment and id.
    pub text: String,
    /// What stands below its line and belongs to it.
    #[serde(skip)]
    pub below: String,
    /// Its tags, without `#`.
    pub tags: Vec<String>,
    /// Whether a task is done; `None` for what is no task.
    pub done: Option<bool>,
    /// Whether it holds: neither retired nor superseded.
    pub live: bool,
    /// The id of the item that took its place.
    pub superseded_by: Option<String>,
    /// The day it was said on, `YYYY-MM-DD`.
    pub day: Option<String>,
    /// The time of its comment.
    pub at: Option<String>,
    /// Whose word it is.
    pub by: Option<String>,
    /// How sure its author was, 0 to 1.
    pub confidence: Option<f64>,
    /// The agent and the beginning of its session.
    pub session: Option<String>,
    /// The day from which on somebody should look whether it still holds.
    pub until: Option<String>,
    /// What it was made from: the keys of its origins, with commas between them.
    pub of: Option<String>,
    /// What an entry may name as its `base`; `None` while it waits.
    pub base: Option<String>,
    /// What it waits for, in words; `None` for one that is in its document.
    pub waits: Option<String>,
}

/// A document that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedDocument {
    /// Its name as a target: its knowledge base; of a family with what fills its variables.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What belongs there.
    pub title: String,
}

/// A document as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentNow {
    /// Its knowledge base.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its text; what is no UTF-8 in it is replaced.
    pub text: String,
    /// The jobs that wait to be merged into it.
    pub waiting: Vec<JobId>,
    /// Those that failed or wait for a yes, the newest first.
    pub undecided: Vec<Listed>,
    /// How many older ones, of whichever document, were not looked into for this.
    pub not_looked_into: usize,
}

/// How long the documents of a knowledge base may get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budgets {
    /// The knowledge base.
    pub kb: String,
    /// The document whose length is given: of several the one that would be the longest.
    pub document: Option<PathBuf>,
    /// Its budgets, as far as there are some.
    pub budgets: Vec<BudgetNow>,
    /// How many jobs were not tried for this.
    pub more: usize,
}

/// A budget, and how long the document is by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetNow {
    /// Which one.
    pub budget: Budget,
    /// How much it allows.
    pub most: usize,
    /// How much there is.
    pub now: usize,
    /// How much there would be with the jobs that were asked about.
    pub needed: usize,
}

/// The settings, for who looks at them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingsRead {
    /// The documents that may be written.
    pub knowledge_bases: Vec<KnowledgeBaseRead>,
    /// Whether nothing is written without a yes.
    pub explicit_only: bool,
    /// Whether hooks do anything.
    pub hooks: bool,
    /// Scripts that may decide, and by which commands.
    pub deciders: Vec<(String, Vec<String>)>,
    /// The text of `config.yaml`.
    pub text: String,
}

/// A knowledge base as it was configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnowledgeBaseRead {
    /// Its name.
    pub name: String,
    /// Its path, with its variables.
    pub path: String,
    /// What belongs there.
    pub title: String,
    /// `auto`, `review` or `read-only`.
    pub policy: &'static str,
    /// How long a document of it may get.
    pub budget_chars: Option<usize>,
}

/// Something that happened to an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemPast {
    /// The version of the document that has it first.
    pub version: u64,
    /// When.
    pub at: Timestamp,
    /// The job.
    pub job: String,
    /// What was done.
    pub operation: Option<declaration::Operation>,
    /// The agent that declared it; empty for a person's shell.
    pub agent: String,
    /// Who changed what its author said, where a person did that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_by: Option<String>,
    /// Its session.
    pub session: String,
    /// What the declaration said of its source.
    pub source: String,
    /// Why, as its author said.
    pub reason: Option<String>,
    /// What the item said before.
    pub was: Option<String>,
    /// The item whose place it took.
    pub replaced: Option<String>,
    /// The item that took its place.
    pub replaced_by: Option<String>,
}

/// An item, and what happened to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemShown {
    /// The item.
    #[serde(flatten)]
    pub item: ListedItem,
    /// The whole of it as it stands in the document.
    pub written: String,
    /// What happened to it, the newest first.
    pub past: Vec<ItemPast>,
    /// Who wrote its section, as `blame` says: it may have come with that, or have been edited since. Nothing where it only waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<Blamed>,
}

/// What becomes of something that is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Foreseen {
    /// The document says it already.
    Known,
    /// As things are, it will wait for a yes.
    WillAsk,
    /// As things are, it cannot be merged.
    WillFail,
    /// None of these: how its job stands.
    #[serde(untagged)]
    Stands(Fate),
}

/// Something that was said in a line, and is on stable storage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remembered {
    /// The id of its item, or of the one that said the same before; empty for what is no item.
    pub item: String,
    /// The job.
    pub job: JobId,
    /// The knowledge base.
    pub kb: String,
    /// The document.
    pub document: PathBuf,
    /// What becomes of it.
    pub state: Foreseen,
    /// Why it will ask or fail.
    pub why: Option<String>,
}

/// A turn of a conversation that is over.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TurnEnded {
    /// The job that keeps what was said; `None` where nothing was.
    pub job: Option<JobId>,
    /// The ids of its events, in the order they were said.
    pub items: Vec<String>,
    /// The knowledge base they go to, with the scope and the day; empty where nothing was said.
    pub kb: String,
    /// The document.
    pub document: Option<PathBuf>,
    /// Whether it was not kept before under this request and number.
    pub new: bool,
    /// Why it waits for a yes, where its knowledge base wants one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<String>,
}

/// What a purge would touch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WouldPurge {
    /// The item.
    pub item: String,
    /// Its document; `None` where none has it any more.
    pub document: Option<PathBuf>,
    /// What it says, as it is written.
    pub text: String,
    /// How many files of the home hold its text, by what they are: history, done, journal.
    pub files: BTreeMap<String, usize>,
    /// Jobs that wait for a decision, and entries in sessions' buffers, that say it: they are discarded.
    pub discards: Vec<PurgedJob>,
    /// Lines of earlier versions that it is cut out of, which say more than it.
    pub cut: Vec<String>,
    /// Lines of earlier versions of other documents that it is cut out of, by the document.
    pub cut_elsewhere: BTreeMap<PathBuf, Vec<String>>,
    /// What has not ended and says it: it is merged first, and its document says it then.
    pub waiting: Vec<PathBuf>,
    /// Files of the home that are not ours to change, and say it.
    pub elsewhere: Vec<PathBuf>,
    /// Its text is too short to be looked for among other words.
    pub short: bool,
}

/// A job that a purge discards, or an entry that a session planned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PurgedJob {
    /// Its id.
    pub id: JobId,
    /// The document it is for; `None` where it cannot be read.
    pub document: Option<PathBuf>,
    /// What it says, as it was declared.
    pub says: Vec<String>,
}

/// What became of a purge.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Purged {
    /// The item.
    pub item: String,
    /// Whether nothing of the home that is ours holds its text any more.
    pub ended: bool,
    /// Files that were changed now, its document aside.
    pub files: usize,
    /// Jobs that were discarded now.
    pub discarded: usize,
    /// What has not ended and still holds it: a worker goes on when it has.
    pub waiting: Vec<PathBuf>,
    /// Files of the home that are not ours to change, and say it.
    pub elsewhere: Vec<PathBuf>,
    /// Why its line could not be changed; then nothing was forgotten.
    pub refused: Option<String>,
}

/// The buffer of a session.
#[derive(Debug, Clone, Serialize)]
pub struct Buffer {
    /// The agent whose session it is.
    pub agent: String,
    /// How we know whose session it is, in words.
    pub known_by: &'static str,
    /// What is in it, oldest first.
    pub planned: Vec<PlannedEntry>,
    /// The session.
    pub session: String,
}

/// What a flush made jobs of.
#[derive(Debug, Clone, Serialize)]
pub struct Flushed {
    /// The jobs.
    pub flushed: Vec<JobId>,
}

/// An entry that is in no buffer any more.
#[derive(Debug, Clone, Serialize)]
pub struct TakenBack {
    /// The id it had.
    pub taken_back: JobId,
}

/// A document or a section of it, and what waits for it.
#[derive(Debug, Clone, Serialize)]
pub struct ReadText {
    /// The hash of the text: what an entry may name as its `base`.
    pub base: Option<String>,
    /// The document.
    pub document: PathBuf,
    /// Its knowledge base.
    pub kb: String,
    /// The text; `None` when there is no such section.
    pub text: Option<String>,
    /// What was declared for it and is not merged yet, in the order of its ids.
    pub waiting: Vec<WaitingEntries>,
    /// The same day in `archive/`, where an editor saved a day in its place that had been moved there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<ArchivedText>,
}

/// What a file in `archive/` says.
#[derive(Debug, Clone, Serialize)]
pub struct ArchivedText {
    /// The file.
    pub document: PathBuf,
    /// Its text, or that of the section.
    pub text: String,
}

/// The entries of a job that waits.
#[derive(Debug, Clone, Serialize)]
pub struct WaitingEntries {
    /// The agent that declared them.
    pub agent: String,
    /// When.
    pub declared_at: Timestamp,
    /// What is to change.
    pub entries: Vec<Entry>,
    /// The job.
    pub id: JobId,
    /// Where it waits.
    pub place: Whereabouts,
}

impl From<Waiting> for WaitingEntries {
    fn from(waiting: Waiting) -> Self {
        let Waiting { place, job } = waiting;
        WaitingEntries {
            agent: job.producer.agent,
            declared_at: job.created_at,
            entries: job.entries,
            id: job.id,
            place,
        }
    }
}

/// The versions of a document.
#[derive(Debug, Clone, Serialize)]
pub struct History {
    /// The document.
    pub document: PathBuf,
    /// Newest first.
    pub versions: Vec<ListedVersion>,
}

/// What changed in a document.
#[derive(Debug, Clone, Serialize)]
pub struct Diff {
    /// A unified diff; empty when nothing did.
    pub diff: String,
    /// The document.
    pub document: PathBuf,
    /// From which version.
    pub from: u64,
    /// To which; `None`: to the text of now.
    pub to: Option<u64>,
}

/// Who wrote what of a document.
#[derive(Debug, Clone, Serialize)]
pub struct Blame {
    /// The document.
    pub document: PathBuf,
    /// Its sections, in their order.
    pub sections: Vec<Blamed>,
}

/// A document that is put back.
#[derive(Debug, Clone, Serialize)]
pub struct Rollback {
    /// What it changes, as a unified diff; empty when nothing.
    pub diff: String,
    /// The document.
    pub document: PathBuf,
    /// The job that does it; `None` when nothing was enqueued.
    pub id: Option<JobId>,
    /// Back to which version.
    pub to: u64,
    /// Whether what a person changed since the newest version stays.
    pub keeps_edits: bool,
    /// How many jobs of that document wait in the queue; they are merged first.
    pub waiting: usize,
}

/// Something that is held.
#[derive(Debug, Clone, Serialize)]
pub struct Held {
    /// What.
    pub held: HeldThing,
    /// Whether it was not held before.
    pub new: bool,
}

/// Something that is held no longer.
#[derive(Debug, Clone, Serialize)]
pub struct Released {
    /// What.
    pub released: HeldThing,
    /// Whether it was held before.
    pub was_held: bool,
}

/// A script or a schedule that may decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedDecider {
    /// Its name: it says `--as NAME`.
    pub name: String,
    /// The commands it may use as a person would; none when it was removed.
    pub commands: Vec<String>,
}

/// What `prune` would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WouldPrune {
    /// What it would clear away.
    pub would: WouldPruneIn,
}

/// What `prune` would clear away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WouldPruneIn {
    /// Days of receipts.
    pub done: Vec<String>,
    /// Holds of jobs that ended.
    pub holds: usize,
    /// Days of the journal.
    pub journal: Vec<String>,
    /// Receipts of those days.
    pub receipts: usize,
    /// Earlier texts of documents.
    pub texts: usize,
}

/// A document that could be shorter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tidy {
    /// The document.
    pub document: PathBuf,
    /// Its knowledge base.
    pub kb: String,
    /// How long it is, in characters as a person counts them.
    pub chars: usize,
    /// How long it may get, where that is limited.
    pub budget_chars: Option<usize>,
    /// Its sections, the longest first.
    pub sections: Vec<operator::LongSection>,
}

/// A shorter section, as a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposed {
    /// Its jobs.
    pub jobs: Vec<Acknowledged>,
    /// How long the section is, in characters.
    pub chars_before: usize,
    /// How long it would be.
    pub chars_after: usize,
    /// The lines that it does not say any longer, word for word.
    pub lost: Vec<String>,
}

/// What was decided about jobs that failed or waited for a yes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Decided {
    /// Back in the queue.
    pub requeued: Vec<String>,
    /// Ended.
    pub ended: Vec<String>,
    /// Left as they were.
    pub skipped: Vec<LeftAlone>,
    /// Left because the person stopped before they were decided.
    pub not_asked: usize,
}

/// A job that was left as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftAlone {
    /// The job.
    pub id: String,
    /// Why; `None` when a person chose to.
    pub why: Option<String>,
}

impl LeftAlone {
    /// The same as a sentence; `None` when there is nothing to say.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        self.why.as_ref().map(|why| format!("job {}: {why}", self.id))
    }
}

impl Decided {
    /// Whether nothing was decided.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.requeued.is_empty() && self.ended.is_empty()
    }

    /// How many jobs it says something of, without those that were left undecided.
    #[must_use]
    pub fn count(&self) -> usize {
        self.requeued.len() + self.ended.len() + self.skipped.len()
    }

    /// One more was left as it was.
    pub fn skip(&mut self, listed: &Listed, why: Option<String>) {
        self.skipped.push(LeftAlone { id: listed.id.to_string(), why });
    }

    /// One more was decided, and is there now.
    pub fn add(&mut self, listed: &Listed, now_in: State) {
        let id = listed.id.to_string();
        match now_in {
            State::Done => self.ended.push(id),
            _ => self.requeued.push(id),
        }
    }
}

/// What a run over all documents did, in jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Merged into their documents.
    pub applied: u64,
    /// Put off until later.
    pub deferred: u64,
    /// Failed for good; somebody is needed.
    pub failed: u64,
    /// When the next that was put off is due.
    pub next_due: Option<Timestamp>,
    /// Waiting for a yes.
    pub review: u64,
    /// Their documents said it already.
    pub unchanged: u64,
}

impl From<&Report> for Run {
    fn from(report: &Report) -> Self {
        let Report { applied, unchanged, deferred, failed, review, next_due, .. } = *report;
        Run { applied, deferred, failed, next_due, review, unchanged }
    }
}

/// What a run over some documents did, in jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Merged into their documents.
    pub applied: u64,
    /// Put off until later.
    pub deferred: u64,
    /// Failed for good; somebody is needed.
    pub failed: u64,
    /// Waiting for a yes.
    pub review: u64,
    /// Their documents said it already.
    pub unchanged: u64,
}

impl From<&Report> for Applied {
    fn from(report: &Report) -> Self {
        let Report { applied, unchanged, deferred, failed, review, .. } = *report;
        Applied { applied, deferred, failed, review, unchanged }
    }
}

/// What was found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Recalled {
    /// What was asked.
    pub query: String,
    /// The hits, the best first.
    pub hits: Vec<RecallHit>,
    /// What was looked through.
    pub searched: Searched,
}

/// What was looked through.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Searched {
    /// Documents on disk.
    pub documents: usize,
    /// Items, blocks, headings and keys in them.
    pub units: usize,
    /// Documents that could not be read, with why.
    pub unread: Vec<String>,
    /// How it was looked through.
    pub by: SearchedBy,
    /// Why the index could not be used, so that every document was read.
    pub index_trouble: Option<String>,
    /// How meaning counted, where a server is configured for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<SearchedMeaning>,
}

/// How meaning counted beside words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SearchedMeaning {
    /// Live units that were asked.
    pub units: u64,
    /// How many of them could be found by their meaning: the others have no vector yet.
    pub with_vector: u64,
    /// Why words alone answered.
    pub trouble: Option<String>,
}

impl SearchedMeaning {
    /// The same where the index could not be used, in which vectors are kept.
    pub(crate) fn without_index(self) -> SearchedMeaning {
        let trouble = self.trouble.or_else(|| Some("the index could not be used".to_owned()));
        SearchedMeaning { trouble, with_vector: 0, ..self }
    }
}

/// How documents were looked through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchedBy {
    /// Every document was read.
    #[default]
    Reading,
    /// The index was asked, and what it found was read in the documents.
    Index,
}

/// Which part of a document was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecallPart {
    /// A list item.
    Item,
    /// A block of a section's text.
    Section,
    /// A heading.
    Heading,
    /// A key of the front matter.
    FrontMatter,
}

impl From<recall::UnitKind> for RecallPart {
    fn from(kind: ::recall::UnitKind) -> Self {
        match kind {
            ::recall::UnitKind::Item => RecallPart::Item,
            ::recall::UnitKind::Section => RecallPart::Section,
            ::recall::UnitKind::Heading => RecallPart::Heading,
            ::recall::UnitKind::FrontMatter => RecallPart::FrontMatter,
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, Serialize)]
pub struct RecallHit {
    /// The document, with `~`.
    pub path: String,
    /// Its first line there, from 1; `None` while it waits in the queue.
    pub line: Option<usize>,
    /// How many lines it has.
    pub lines: usize,
    /// The document as a target.
    pub kb: String,
    /// Which part of a document it is.
    pub part: RecallPart,
    /// What a reader is shown of it.
    pub text: String,
    /// The headings it stands under.
    pub heading: Vec<String>,
    /// The kind of an item.
    pub kind: Option<String>,
    /// The tags of an item.
    pub tags: Vec<String>,
    /// The block id of an item.
    pub id: Option<String>,
    /// The day it is from.
    pub day: Option<String>,
    /// The trust class of who said it.
    pub by: Option<String>,
    /// What there is to doubt of it, as its mark says: `a guess, 20 % sure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Whether it is neither retired nor superseded.
    pub live: bool,
    /// The id of the item that took its place.
    pub superseded_by: Option<String>,
    /// The job that would write it, while it waits.
    pub job: Option<JobId>,
    /// Where that waits, in words.
    pub waits: Option<String>,
    /// By which step of the ladder it was found.
    pub tier: Tier,
    /// What it was ranked by.
    pub score: f32,
    /// Words of the question that stand in it.
    pub matched: Vec<String>,
    /// How the score was made.
    #[serde(rename = "why")]
    pub parts: ::recall::Score,
}

/// A session's context, as `context` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionContext {
    /// The agent it is made for.
    pub agent: &'static str,
    /// The text; empty where there is nothing to show.
    pub context: String,
    /// Its length as that agent counts it.
    pub length: usize,
}

/// What `init` made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Made {
    /// The home.
    pub home: PathBuf,
    /// The project that was listed in the configuration just now.
    pub listed: Option<PathBuf>,
    /// The knowledge bases that were added to the configuration just now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<&'static str>,
    /// What is new.
    pub made: Vec<String>,
}

/// The queue in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Metrics {
    /// Documents whose first waiting job is held, or waits for its next attempt.
    pub blocked_documents: usize,
    /// Totals since the home was made.
    pub counters: Counters,
    /// The state of the queue.
    pub status: Status,
    /// Whether a watching worker lives.
    pub watching: bool,
}

/// What `--dry-run` of a decision about several jobs would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WouldDecide {
    /// The jobs it would be done to.
    pub ids: Vec<String>,
    /// The jobs that would be left as they are.
    pub left: Vec<LeftAlone>,
    /// What would be done.
    pub would: String,
    /// With which codes the jobs wait that it would be done to, and how many with each.
    #[serde(skip)]
    pub codes: BTreeMap<String, usize>,
}

/// What a yes or a no to several proposals did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reviewed {
    /// They are merged by the next run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<Vec<JobId>>,
    /// Held, and left as they are.
    pub held: Vec<JobId>,
    /// Those whose yes cannot be taken back, because they are merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<AlreadyMerged>,
    /// Sections that changed since they were proposed.
    pub moved: Vec<MovedSection>,
    /// Left because a signal came before they were decided.
    pub not_asked: usize,
    /// They ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Vec<JobId>>,
    /// Not decided, and why.
    pub skipped: Vec<LeftAlone>,
    /// The decision about them was taken back: they wait for one again; what was rejected does so as a new job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<Vec<JobId>>,
}

/// Jobs of one document that are merged, and what a rollback would take that takes them out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AlreadyMerged {
    /// The version before them, to which it goes back.
    pub back_to: u64,
    /// Where they are merged.
    pub document: PathBuf,
    /// How many they are.
    pub jobs: usize,
    /// Other jobs of these versions and of later ones, which it takes out as well.
    pub others: usize,
}

/// A section that changed since a job proposed to change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedSection {
    /// Its heading.
    pub heading: String,
    /// The job.
    pub id: JobId,
}

/// The JSON Schema of a declaration.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct PrintedSchema(pub serde_json::Value);

/// One job whole, and what it would make of its document.
#[derive(Debug, Clone, Serialize)]
pub struct ShownJob {
    /// The job.
    pub id: String,
    /// Where it is.
    pub state: State,
    /// Its document.
    pub document: Option<PathBuf>,
    /// The job document, as it is on disk.
    pub job: Option<serde_json::Value>,
    /// How it ended.
    pub receipt: Option<Receipt>,
    /// Why it cannot be read.
    pub unreadable: Option<Fault>,
    /// The text of a file that is no job.
    pub text: Option<String>,
    /// A file that is no job, and where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptAt>,
    /// What it would do now.
    pub preview: Option<Preview>,
}

/// A file that is no job, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptAt {
    /// Where.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// What jobs would make of a document.
#[derive(Debug, Clone, Serialize)]
pub struct WouldChange {
    /// The document.
    pub document: PathBuf,
    /// A unified diff; empty when nothing would change.
    pub diff: String,
    /// The jobs that would not be merged.
    pub refused: Vec<WouldNotMerge>,
}

/// A job that would not be merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WouldNotMerge {
    /// The job; `None` for a declaration that is not enqueued.
    pub id: Option<JobId>,
    /// Whether a yes is all that it needs.
    pub review: bool,
    /// Why.
    pub error: Fault,
}

/// One file that `validate` looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Its name, as it was given.
    pub file: String,
    /// `declaration` or `configuration`.
    pub kind: &'static str,
    /// All that is wrong with it.
    pub problems: Vec<Problem>,
    /// What a declaration without problems asks for: operation and section of each entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks_for: Vec<String>,
}

/// The state of the queue, and of what is around it.
#[derive(Debug, Clone, Serialize)]
pub struct StatusReport {
    /// The state of the queue.
    #[serde(flatten)]
    pub status: Status,
    /// Whether agents' hooks do anything: `on` or `off`.
    pub hooks: &'static str,
    /// What is to be looked at again.
    pub expired: Vec<Expired>,
    /// Documents that have reached 80 % of their budget.
    pub filling: Vec<Filling>,
    /// Lines of this project's managed documents that are not so any more.
    pub drifted: Vec<DriftedLine>,
}

/// What the documents of a repository say that is not so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DriftReport {
    /// The repository.
    pub root: PathBuf,
    /// How many documents were looked at.
    pub documents: usize,
    /// Whether all files of the repository were: of a part, what is missing is not decided.
    pub whole: bool,
    /// What was not looked at: nothing is known of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadPath>,
    /// The lines, by document.
    pub lines: Vec<DriftedLine>,
}

/// A document, or a directory, that could not be looked into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadPath {
    /// It, below the root.
    pub path: String,
    /// Why.
    pub why: String,
}

/// A line that is not so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DriftedLine {
    /// Its document, below the root.
    pub path: String,
    /// Which line, and what of it.
    #[serde(flatten)]
    pub finding: DriftFinding,
}

/// How well something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Ok,
    /// Worth knowing; nothing is broken.
    Note,
    /// Something does not work until somebody acts.
    Bad,
}

/// One thing that `doctor` looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What.
    pub what: String,
    /// How well it is.
    pub health: Health,
    /// What was found.
    pub found: String,
    /// What can be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Finding {
    /// Something that was looked at.
    #[must_use]
    pub fn new(what: &str, health: Health, found: impl Into<String>) -> Finding {
        Finding { what: what.to_owned(), health, found: found.into(), hint: None }
    }

    /// The same with what can be done.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }
}

/// What `install` or `uninstall` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Installed {
    /// What is to be done by hand after it.
    pub afterwards: Vec<String>,
    /// Whether the crontab changed.
    pub crontab: bool,
    /// Files that are gone.
    pub removed: Vec<PathBuf>,
    /// Files that were written.
    pub written: Vec<PathBuf>,
}

pub use adopted::{
    AdoptedEntry, AdoptedOrigin, AdoptedSystem, Adoption, AdoptionUndone, Exported, KeptEdit, ManagedInPlace,
    NotAdopted,
};

/// What a command may print for machines: the types of this module, one or several of a kind. A surface can print nothing
/// else with `--json`, because nobody else can implement this.
pub trait Answer: Serialize + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! answers {
    ($($name:ty),* $(,)?) => {
        $(
            impl sealed::Sealed for $name {}
            impl Answer for $name {}
        )*
    };
}

answers!(
    Acknowledged,
    Adoption,
    AdoptionUndone,
    Applied,
    Blame,
    Buffer,
    Checked,
    Decided,
    ListedDecider,
    Diff,
    DriftReport,
    Expired,
    Exported,
    Filling,
    Finding,
    Flushed,
    Held,
    History,
    Hold,
    Installed,
    ListedItem,
    ItemShown,
    JournalEntry,
    Made,
    ManagedInPlace,
    Metrics,
    Planned,
    PlannedEntry,
    Proposed,
    Pruned,
    Purged,
    ReadText,
    Recalled,
    Released,
    Remembered,
    Reviewed,
    Rollback,
    Row,
    Run,
    PrintedSchema,
    SessionContext,
    ShownJob,
    StatusReport,
    TakenBack,
    Tidy,
    TurnEnded,
    Verified,
    WaitingEntries,
    Why,
    WouldChange,
    WouldDecide,
    WouldPrune,
    WouldPurge,
);

impl<T: Answer> sealed::Sealed for [T] {}
impl<T: Answer> Answer for [T] {}
impl<T: Answer> sealed::Sealed for Vec<T> {}
impl<T: Answer> Answer for Vec<T> {}
