//! The job document: a declaration for one document, with a `job` block on top that only the pipeline writes, and,
//! where they apply, the `error` it waits with or the `receipt` it ended with.

use super::approval::Approval;
use super::hex;
use super::id::JobId;
use super::name::DocKey;
use super::state::State;
use declaration::Asked;
use declaration::reading::{self, Format};
use declaration::{Code, Entry, Fault, Meta, Problem, Timestamp, Trust};
use markdown_merge::Change;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The version of the job document this build writes. A newer one is refused and never rewritten.
pub const FORMAT: u32 = 1;

/// A job: the unit of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its id; the order of ids is the order of declaring.
    pub id: JobId,
    /// How often it moved.
    pub rev: u32,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// The document all its entries are for.
    pub document: DocumentRef,
    /// The idempotency key it was enqueued with.
    pub key: Option<String>,
    /// Who declared it, as we saw it ourselves.
    pub producer: Producer,
    /// What was tried and failed, oldest first.
    pub attempts: Vec<Attempt>,
    /// How many workers died while they held it and nothing else.
    pub kills: u32,
    /// How many workers died while they held it among others: any of them may be to blame.
    pub suspected: u32,
    /// What the declaration says of its source.
    pub source: String,
    /// The changes asked for, in order.
    pub entries: Vec<Entry>,
    /// Why it waits for a person; only in `staging/`.
    pub error: Option<Fault>,
    /// In which part of `staging/` it waits, `failed` or `review`; only there.
    pub waits_in: Option<State>,
    /// Who said yes to it in `review`; policies that ask for a yes are then content. A worker believes it only where the
    /// record of that yes fits (`Queue::approval`).
    pub approved_by: Option<String>,
    /// The hash of the words that the worker proposed (`words_hash`); only in `staging/review/`. Where it does not fit, the
    /// file was edited since.
    pub seal: Option<String>,
    /// The file, links resolved, that its document was when the worker proposed it or a person asked for it. A yes is for that
    /// file: where the document leads elsewhere when it is merged, it is asked about again. `None` in jobs of older builds.
    pub proposed_for: Option<PathBuf>,
    /// Hash of the template's text that its document would begin with, where that was not there when the worker proposed it. A yes is for a
    /// document that begins so.
    pub begins_with: Option<String>,
    /// The job whose words it offers again, because a save took them out.
    pub again: Option<Again>,
    /// For a rollback: the text its document is put back to. Its one entry only says which document.
    pub restore: Option<Box<Restore>>,
}

/// A job that was merged, and the version of the document that it made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// The job.
    pub job: JobId,
    /// The version.
    pub version: u64,
}

/// A document put back to an earlier version. The texts are in the job, so that it does not depend on how long the
/// history is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// The version whose text it is.
    pub version: u64,
    /// The document as it was when somebody asked for this. What has changed since is kept, or it is a conflict.
    pub base: String,
    /// The text it gets back.
    pub text: String,
}

/// A document as a job names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentRef {
    /// The knowledge base it belongs to.
    pub kb: String,
    /// Its absolute path, as configured (a symbolic link is kept).
    pub path: PathBuf,
    /// The root of the project it was resolved in, for knowledge bases with `root: project`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// The hint in the names of its jobs.
    pub doc: DocKey,
}

/// Where a declaration came from. Stamped by the tool, never believed from an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Producer {
    /// The agent, e.g. `claude-code`; empty for a person's shell.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The hook event it was said in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The agent's session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// Host name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Process id of the enqueuing process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// How far it is trusted; by its agent where nothing is stamped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// Whether nobody but the job's file says so: its `stamped` does not fit, because somebody wrote or edited it by hand, or an
    /// older build wrote it. It is then trusted no more than an agent.
    #[serde(skip)]
    pub claimed: bool,
}

impl Producer {
    /// How far it is trusted.
    #[must_use]
    pub fn trust(&self) -> Trust {
        let stamped = self.trust.unwrap_or(if self.agent.is_empty() { Trust::User } else { Trust::Agent });
        if self.claimed { stamped.min(Trust::Agent) } else { stamped }
    }

    /// `sha256:<hex>` of who declared a job, which one and for which document. Every field is named here, so that one more is
    /// not forgotten.
    fn stamped(&self, id: JobId, document: &DocumentRef) -> String {
        let Producer { agent, event, session, host, pid, cwd, trust, claimed: _ } = self;
        let DocumentRef { kb, path, project, doc: _ } = document;
        let mut digest = Sha256::new();
        let mut add = |bytes: &[u8]| {
            digest.update(bytes.len().to_le_bytes());
            digest.update(bytes);
        };
        let of_path = |path: &Option<PathBuf>| {
            path.as_ref().map_or_else(Vec::new, |path| path.as_os_str().as_encoded_bytes().to_vec())
        };
        add(id.to_string().as_bytes());
        [kb, agent, event, session, host].into_iter().for_each(|text| add(text.as_bytes()));
        add(path.as_os_str().as_encoded_bytes());
        add(&of_path(project));
        add(&of_path(cwd));
        add(pid.map_or_else(String::new, |pid| pid.to_string()).as_bytes());
        add(trust.map_or("", |trust| trust.as_str()).as_bytes());
        format!("sha256:{}", hex(&digest.finalize()))
    }

    /// What policy is asked about entries that nobody has approved or rewritten yet.
    pub(crate) fn asked<'e>(&self, document: &DocumentRef, entries: &'e [Entry]) -> Asked<'e> {
        let beyond_inbox = self.is_beyond_inbox(document);
        Asked { entries, who: self.trust(), beyond_inbox, approved: false, rewritten: false }
    }

    /// Whether this was left as a file, which says of its document what it was when that file was written.
    #[must_use]
    pub fn is_of_a_file(&self) -> bool {
        [INBOX_EVENT, DROP_EVENT].contains(&self.event.as_str())
    }

    /// Whether this came out of the inbox of a project and is for a document that is not that project's own.
    fn is_beyond_inbox(&self, document: &DocumentRef) -> bool {
        self.event == INBOX_EVENT && document.project.is_none()
    }
}

/// The event of a declaration that was left in the inbox of a project.
pub const INBOX_EVENT: &str = "inbox";

/// The event of a declaration that was moved into `pending/` or left in the inbox of the home.
pub const DROP_EVENT: &str = "drop";

/// The event of a job that makes a document's generated index anew. Its one entry only says which document.
pub const INDEX_EVENT: &str = "index";

/// One attempt that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// When.
    pub at: Timestamp,
    /// By which worker.
    pub worker: String,
    /// What failed.
    pub error: Fault,
}

/// How a job ended well, or was ended by a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The document changed.
    Applied,
    /// The document said it already.
    Unchanged,
    /// An operator threw it away.
    Discarded,
    /// A reviewer said no.
    Rejected,
    /// A reviewer had said no to the same not long ago.
    RejectedAgain,
}

impl Ending {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Ending::Applied => "applied",
            Ending::Unchanged => "unchanged",
            Ending::Discarded => "discarded",
            Ending::Rejected => "rejected",
            Ending::RejectedAgain => "rejected_again",
        }
    }
}

/// What became of a job, for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// How it ended.
    pub outcome: Ending,
    /// When.
    pub at: Timestamp,
    /// Which worker or person did it.
    pub by: String,
    /// How they decided it, when a person did: on a terminal, or as which decider of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The yes that was given to it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// Why, when a person did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The job that was rejected, for one that asked the same again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<JobId>,
    /// `sha256:<hex>` of the document with this job's changes in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_hash: Option<String>,
    /// The version of the document, counted from 1, that has them first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// What changed, one per entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// Borrowed where it is written, owned where it is read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Block<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Cow<'a, Fault>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    receipt: Option<Cow<'a, Receipt>>,
    format: u32,
    id: JobId,
    #[serde(default)]
    rev: u32,
    created_at: Timestamp,
    document: Cow<'a, DocumentRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Cow<'a, str>>,
    #[serde(default)]
    producer: Cow<'a, Producer>,
    /// The hash of `producer` as we stamped it. Not a signature: it shows what was edited, not who forged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stamped: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    waits_in: Option<State>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approved_by: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proposed_for: Option<Cow<'a, Path>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begins_with: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    again: Option<Again>,
    #[serde(default, skip_serializing_if = "is_zero")]
    kills: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    suspected: u32,
    #[serde(default, skip_serializing_if = "is_empty")]
    attempts: Cow<'a, [Attempt]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    restore: Option<Cow<'a, Restore>>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn is_empty(attempts: &[Attempt]) -> bool {
    attempts.is_empty()
}

#[derive(Serialize)]
struct Out<'a, E> {
    job: Block<'a>,
    version: &'static str,
    source: &'a str,
    entries: E,
}

/// What to do instead of editing a job into one for another document.
const ELSEWHERE: &str =
    "edit the entries; to write to another document, discard this job and enqueue a new one";

impl Job {
    /// Reads this job as a person edited it. What the pipeline wrote stays the pipeline's: id, document and provenance must be
    /// as they were.
    ///
    /// # Errors
    /// Everything that is wrong with it, with its place in the text.
    pub fn read_edited(&self, text: &str) -> Result<Job, Vec<Problem>> {
        let edited = Job::from_yaml(text)?;
        let same = edited.id == self.id
            && edited.document == self.document
            && edited.producer == self.producer
            && edited.created_at == self.created_at;
        if !same {
            return Err(vec![
                Problem::new(Code::JobBlockChanged, "the `job` block was changed").hint(ELSEWHERE),
            ]);
        }
        // The document that is shown beside the words is the one they are for.
        let is_known = |entry: &Entry| self.entries.iter().any(|own| own.key.target == entry.key.target);
        if let Some(n) = edited.entries.iter().position(|entry| !is_known(entry)) {
            let message = format!("entries[{n}] is for another document than the job");
            return Err(vec![Problem::new(Code::JobBlockChanged, message).hint(ELSEWHERE)]);
        }
        // Words of their own are written whatever stands there by now.
        let again = self.again.filter(|_| edited.entries == self.entries);
        Ok(Job { again, ..edited })
    }

    /// Who said it, in a word: what the declaration says of its source, else the session, else the agent.
    #[must_use]
    pub fn said_by(&self) -> &str {
        let words = [&self.source, &self.producer.session, &self.producer.agent];
        words.into_iter().find(|word| !word.is_empty()).map_or("", String::as_str)
    }

    /// Who changed what its author said, where a person did that.
    #[must_use]
    pub fn edited_by(&self) -> Option<&str> {
        self.entries.iter().find_map(|entry| entry.meta.edited_by.as_deref())
    }

    /// Whether it makes a generated index anew.
    #[must_use]
    pub fn is_index(&self) -> bool {
        self.producer.event == INDEX_EVENT && self.restore.is_none()
    }

    /// The id of the item that the entry with this index adds, or puts in the place of another. The same whenever it is done.
    #[must_use]
    pub fn item_id(&self, entry: usize) -> String {
        let kept = self.entries.get(entry).and_then(|entry| entry.meta.item.clone());
        kept.unwrap_or_else(|| item_id(self.id, entry))
    }

    /// The entry that writes the item of this id.
    #[must_use]
    pub fn entry_of_item(&self, id: &str) -> Option<&Entry> {
        let mut entries = self.entries.iter().enumerate();
        let (_, entry) =
            entries.find(|(n, entry)| entry.operation.writes_item() && self.item_id(*n) == id)?;
        Some(entry)
    }

    /// Its entries, whose items keep their ids wherever they go: in another job, or behind other entries.
    #[must_use]
    pub fn entries_with_ids(&self) -> Vec<Entry> {
        let with_id = |(n, entry): (usize, &Entry)| {
            let item = entry.operation.writes_item().then(|| self.item_id(n));
            Entry { meta: Meta { item, ..entry.meta.clone() }, ..entry.clone() }
        };
        self.entries.iter().enumerate().map(with_id).collect()
    }

    /// What policy is asked about it.
    #[must_use]
    pub fn asked(&self) -> Asked<'_> {
        let approved = self.approved_by.is_some();
        Asked { approved, rewritten: true, ..self.producer.asked(&self.document, &self.entries) }
    }

    /// As JSON: what `pending/`, `deferred/`, `processing/` and, with its receipt, `done/` hold.
    ///
    /// # Errors
    /// When serde cannot: a path that is not UTF-8.
    pub fn to_json(&self, receipt: Option<&Receipt>) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.append_json(receipt, &mut bytes)?;
        Ok(bytes)
    }

    /// The same behind others, as a line.
    pub(crate) fn append_json(&self, receipt: Option<&Receipt>, lines: &mut Vec<u8>) -> Result<(), String> {
        // Room for all of it, as far as can be told: what grows is copied.
        let texts: usize = self.entries.iter().filter_map(|entry| Some(entry.content.as_ref()?.len())).sum();
        lines.reserve(1024 * (1 + self.entries.len()) + texts);
        serde_json::to_writer(&mut *lines, &self.out(receipt, &self.entries)).map_err(|e| e.to_string())?;
        lines.push(b'\n');
        Ok(())
    }

    /// As YAML: what `staging/` holds, for people to read and edit.
    ///
    /// # Errors
    /// When serde cannot: a path that is not UTF-8.
    pub fn to_yaml(&self) -> Result<String, String> {
        serde_yaml::to_string(&self.out(None, &self.entries)).map_err(|e| e.to_string())
    }

    /// Reads a job in JSON.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_json(bytes: &[u8]) -> Result<(Job, Option<Receipt>), Vec<Problem>> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(vec![Problem::new(Code::EmptyJob, "the file is empty")]);
        }
        read(bytes, Format::Json)
    }

    /// Reads a job in YAML, as a person may have edited it.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_yaml(text: &str) -> Result<Job, Vec<Problem>> {
        read(text.as_bytes(), Format::Yaml).map(|(job, _)| job)
    }

    fn out<'a, E>(&'a self, receipt: Option<&'a Receipt>, entries: E) -> Out<'a, E> {
        let block = Block {
            error: self.error.as_ref().map(Cow::Borrowed),
            receipt: receipt.map(Cow::Borrowed),
            format: FORMAT,
            id: self.id,
            rev: self.rev,
            created_at: self.created_at,
            document: Cow::Borrowed(&self.document),
            key: self.key.as_deref().map(Cow::Borrowed),
            producer: Cow::Borrowed(&self.producer),
            stamped: (!self.producer.claimed)
                .then(|| Cow::Owned(self.producer.stamped(self.id, &self.document))),
            waits_in: self.waits_in,
            approved_by: self.approved_by.as_deref().map(Cow::Borrowed),
            seal: self.seal.as_deref().map(Cow::Borrowed),
            proposed_for: self.proposed_for.as_deref().map(Cow::Borrowed),
            begins_with: self.begins_with.as_deref().map(Cow::Borrowed),
            again: self.again,
            kills: self.kills,
            suspected: self.suspected,
            attempts: Cow::Borrowed(&self.attempts),
            restore: self.restore.as_deref().map(Cow::Borrowed),
        };
        Out { job: block, version: declaration::VERSION, source: &self.source, entries }
    }
}

/// As [`Job::item_id`], for who has only the id.
#[must_use]
pub fn item_id(job: JobId, entry: usize) -> String {
    markdown_merge::item::id_of(format!("{job}#{entry}").as_bytes())
}

fn read(bytes: &[u8], format: Format) -> Result<(Job, Option<Receipt>), Vec<Problem>> {
    let (declaration, block) = match reading::read_job::<Block<'static>>(bytes, Some(format)) {
        Ok((declaration, Some(block))) => (declaration, block),
        Ok((_, None)) => return Err(vec![Problem::new(Code::BadJob, "the `job` block is missing")]),
        Err(problems) => return Err(newer(bytes, format).map_or(problems, |newer| vec![newer])),
    };
    if block.format != FORMAT {
        return Err(vec![future(block.format)]);
    }
    let (document, mut producer) = (block.document.into_owned(), block.producer.into_owned());
    producer.claimed = block.stamped.as_deref() != Some(producer.stamped(block.id, &document).as_str());
    let job = Job {
        id: block.id,
        rev: block.rev,
        created_at: block.created_at,
        document,
        key: block.key.map(Cow::into_owned),
        producer,
        attempts: block.attempts.into_owned(),
        kills: block.kills,
        suspected: block.suspected,
        source: declaration.source,
        entries: declaration.entries,
        error: block.error.map(Cow::into_owned),
        waits_in: block.waits_in,
        approved_by: block.approved_by.map(Cow::into_owned),
        seal: block.seal.map(Cow::into_owned),
        proposed_for: block.proposed_for.map(Cow::into_owned),
        begins_with: block.begins_with.map(Cow::into_owned),
        again: block.again,
        restore: block.restore.map(|restore| Box::new(restore.into_owned())),
    };
    Ok((job, block.receipt.map(Cow::into_owned)))
}

/// A newer format may well have other fields: say "newer" rather than "unknown field".
fn newer(bytes: &[u8], format: Format) -> Option<Problem> {
    #[derive(Deserialize)]
    struct Peek {
        job: PeekBlock,
    }
    #[derive(Deserialize)]
    struct PeekBlock {
        format: u32,
    }
    let peek: Option<Peek> = match format {
        Format::Json => serde_json::from_slice(bytes).ok(),
        Format::Yaml => serde_yaml::from_slice(bytes).ok(),
    };
    peek.filter(|peek| peek.job.format > FORMAT).map(|peek| future(peek.job.format))
}

fn future(format: u32) -> Problem {
    Problem::new(Code::FutureVersion, format!("job format {format}, this build reads format {FORMAT}"))
        .hint("it was written by a newer last-word: upgrade this one, then retry the job")
}

/// Why a file waits that cannot be read as a job.
pub(crate) fn unreadable(problems: &[Problem]) -> Fault {
    match problems.first() {
        Some(problem) => problem.clone().into(),
        None => Fault::new(Code::Unreadable, "the file could not be read as a job"),
    }
}
