//! Forgetting: the record of a purge under way, what jobs said of an item, and taking its texts out of everything of the queue
//! that is at rest: receipts, keys, journals, logs and contexts of sessions, holds, approvals, drafts of editors. A directory
//! more of the home goes into `forget` and `holder`. Jobs that have not ended are not touched: they end first, or are discarded.
//!
//! The record says what is forgotten by fingerprints alone, so that whoever goes on after a crash needs no text and the record
//! holds none. Taking out is done file by file, each whole or not at all, and done again it changes nothing.

use super::OperatorVerbs;
use super::record::Records;
use super::sessions::{BufferedEntry, Session};
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::job::{DocumentRef, Job, item_id};
use crate::format::name::JobName;
use crate::moves::NewFile;
use crate::{JOB_BYTES_MAX, Queue};
use declaration::{Fingerprint, Forgetting, Timestamp};
use durable::FileKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A purge that a person asked for and that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purge {
    /// 1.
    pub format: u32,
    /// The item.
    pub item: String,
    /// Its document; `None` where none has it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<DocumentRef>,
    /// That document as a target: `facts:2026-11`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// The hash of what the item said when a person decided. Records of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// When it was asked for.
    pub at: Timestamp,
    /// By whom.
    pub by: String,
    /// How they are known to decide.
    pub channel: String,
    /// Why, in their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is forgotten.
    pub prints: Vec<Fingerprint>,
    /// The reasons that were given for it, which are forgotten where one is a whole reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Fingerprint>,
    /// The same texts as they are compared where nothing is changed: documents that say it in another form are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<Fingerprint>,
}

/// What was said of an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaidOf {
    /// Contents, and what they were held against.
    pub texts: BTreeSet<String>,
    /// Why, each time.
    pub reasons: BTreeSet<String>,
}

impl Purge {
    /// What is forgotten, to be looked for.
    #[must_use]
    pub fn forgetting(&self) -> Forgetting {
        Forgetting::new(self.prints.iter().cloned()).and_reasons(self.reasons.iter().cloned())
    }
}

/// The version of the record this build writes.
pub const PURGE_FORMAT: u32 = 1;
/// A record larger than this is none, in bytes.
const RECORD_BYTES_MAX: u64 = 16 << 20;
/// The largest file that is searched, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// How the names of our own files in `tmp/` begin.
const TMP: &str = "purge-";

/// Where a file of the home stands that holds a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// A job that has not ended, or a declaration that is no job yet.
    Waiting,
    /// Written by a command that is running, or that died.
    Tmp,
    /// At rest, and ours: it can be taken out.
    AtRest,
    /// None of our files.
    Foreign,
}

impl OperatorVerbs<'_> {
    fn purge_records(&self) -> Records<'_> {
        let (queue, dir) = (self.queue, self.queue.layout.purges());
        Records { queue, dir, what: "a purge", tmp: TMP, bytes_max: RECORD_BYTES_MAX }
    }

    /// Writes a record down; durable when it returns.
    ///
    /// # Errors
    /// A disk error.
    pub fn record_purge(&self, purge: &Purge) -> Result<()> {
        self.purge_records().write(&purge.item, purge)?;
        self.queue.disk.point("purge.recorded");
        Ok(())
    }

    /// The purges that have not ended, each with why its record cannot be read where it cannot.
    ///
    /// # Errors
    /// A disk error.
    pub fn purges(&self) -> Result<Vec<Result<Purge>>> {
        self.purge_records().each()
    }

    /// Ends a purge: its record goes, for good.
    ///
    /// # Errors
    /// A disk error.
    pub fn end_purge(&self, purge: &Purge) -> Result<()> {
        self.purge_records().end(&purge.item)
    }

    /// Everything that jobs of this home said of an item, ended or not.
    ///
    /// # Errors
    /// A disk error.
    pub fn said_of(&self, item: &str) -> Result<SaidOf> {
        let mut said = SaidOf::default();
        for path in self.queue.files_below(self.queue.layout.home())? {
            if let Some(bytes) = self.queue.searched(&path)? {
                values(&path, &bytes).iter().for_each(|job| said_by(job, item, &mut said));
            }
        }
        Ok(said)
    }

    /// The files of the home that hold a text, and what each is. A reason alone holds no job up that has not ended.
    ///
    /// # Errors
    /// A disk error.
    pub fn holding(&self, forgetting: &Forgetting) -> Result<Vec<(PathBuf, Holder)>> {
        let (mut found, texts) = (Vec::new(), forgetting.texts_alone());
        for path in self.queue.files_below(self.queue.layout.home())? {
            let Some(bytes) = self.queue.searched(&path)? else { continue };
            let holder = self.queue.holder(&path);
            let looked_for = if holder == Holder::AtRest { forgetting } else { &texts };
            if holds(&path, &bytes, looked_for) {
                found.push((path, holder));
            }
        }
        Ok(found)
    }

    /// The staged jobs whose files hold a text.
    ///
    /// # Errors
    /// A disk error.
    pub fn staged_holding(&self, forgetting: &Forgetting) -> Result<Vec<crate::Listed>> {
        use crate::State::{Failed, Review};
        let (mut found, texts) = (Vec::new(), forgetting.texts_alone());
        for state in [Failed, Review] {
            for listed in self.queue.list(state)?.jobs.into_iter().filter(crate::Listed::is_staged_job) {
                let Ok(text) = self.queue.staged_text(&listed) else { continue };
                if holds(Path::new("x.yaml"), &text, &texts) {
                    found.push(listed);
                }
            }
        }
        Ok(found)
    }

    /// The entries in sessions' buffers whose files hold a text.
    ///
    /// # Errors
    /// A disk error.
    pub fn planned_holding(&self, forgetting: &Forgetting) -> Result<Vec<(Session, BufferedEntry)>> {
        let (mut found, texts) = (Vec::new(), forgetting.texts_alone());
        for session in self.queue.sessions().all()? {
            let dir = self.queue.layout.sessions().join(session.name());
            for name in self.queue.list_or_gone(&dir)?.iter().filter_map(|name| JobName::parse(name)) {
                let path = dir.join(name.to_string());
                let bytes = self.queue.searched(&path)?.filter(|bytes| holds(&path, bytes, &texts));
                if let Some(bytes) = bytes {
                    let job = Job::from_json(&bytes).map(|(job, _)| job);
                    found.push((session.clone(), BufferedEntry { id: name.id, job }));
                }
            }
        }
        Ok(found)
    }

    /// Takes the texts out of all files of the queue that are at rest. Answers how many were changed.
    ///
    /// # Errors
    /// A disk error: what was changed is; done again it goes on.
    pub fn forget(&self, forgetting: &Forgetting) -> Result<usize> {
        let (queue, layout) = (self.queue, &self.queue.layout);
        queue.clear_own_tmp()?;
        let mut changed = 0;
        for dir in [layout.dir(crate::State::Done), layout.receipts()] {
            for day in queue.list_or_gone(&dir)? {
                changed += queue.forget_in(&dir.join(day), &|_| true, forgetting)?;
            }
        }
        changed += queue.forget_in(&layout.dir(crate::State::Failed), &is_original, forgetting)?;
        changed += queue.forget_in(&layout.approvals(), &|_| true, forgetting)?;
        changed += queue.forget_in(&layout.holds(), &|_| true, forgetting)?;
        changed += queue.forget_keys(forgetting)?;
        changed += queue.forget_sessions(forgetting)?;
        changed += queue.forget_drafts(forgetting)?;
        for log in queue.logs()? {
            changed += usize::from(queue.forget_in_log(&log, forgetting)?);
        }
        Ok(changed)
    }
}

impl Queue {
    /// The logs that anybody appends to at any time: journals, and the records of all sessions.
    fn logs(&self) -> Result<Vec<PathBuf>> {
        let journal = self.layout.journal("x");
        let dir = journal.parent().unwrap_or(&journal);
        let days = self.list_or_gone(dir)?.into_iter().map(|name| dir.join(name));
        let records = ["ended.jsonl", "changed.jsonl"].map(|name| self.layout.sessions().join(name));
        Ok(days.chain(records).collect())
    }

    /// Files in a directory, whose names tell that they may be changed, without the texts.
    fn forget_in(&self, dir: &Path, may: &dyn Fn(&str) -> bool, forgetting: &Forgetting) -> Result<usize> {
        let names = self.list_or_gone(dir)?.into_iter().filter(|name| may(name));
        self.forget_in_files(names.map(|name| dir.join(name)), forgetting)
    }

    /// The bytes of a file that is looked through. None of ours is as large as `FILE_BYTES_MAX`: what is, somebody put there, and it
    /// must not keep every other job waiting.
    fn searched(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let is_too_large = self.disk.stat_link(path)?.is_some_and(|stat| stat.len > FILE_BYTES_MAX);
        if is_too_large { Ok(None) } else { self.bytes_of(path, FILE_BYTES_MAX) }
    }

    /// These files without the texts. Answers how many were changed.
    fn forget_in_files(
        &self,
        paths: impl IntoIterator<Item = PathBuf>,
        forgetting: &Forgetting,
    ) -> Result<usize> {
        let mut new = Vec::new();
        for path in paths {
            let Some(bytes) = self.searched(&path)? else { continue };
            new.extend(without(&path, &bytes, forgetting).map(|bytes| (path, bytes)));
        }
        let changed = new.len();
        self.replace_files(new)?;
        Ok(changed)
    }

    /// Keys, each under its lock: it may be a job that is enqueued again at this moment.
    fn forget_keys(&self, forgetting: &Forgetting) -> Result<usize> {
        let dir = self.layout.keys();
        let mut changed = 0;
        for name in self.list_or_gone(&dir)? {
            let lock = self.layout.lock(&format!("key-{}", name.get(..2).unwrap_or("00")));
            let _held = if name.starts_with("no-") { None } else { Some(self.disk.lock(&lock)?) };
            changed += self.forget_in_files([dir.join(&name)], forgetting)?;
        }
        Ok(changed)
    }

    /// What sessions were told and what happened to them. What they planned has not ended. A session that is busy at this
    /// moment is left to the next time.
    fn forget_sessions(&self, forgetting: &Forgetting) -> Result<usize> {
        let mut changed = 0;
        for session in self.sessions().all()? {
            let Some(_held) = session.try_lock()? else { continue };
            let dir = self.layout.sessions().join(session.name());
            changed +=
                self.forget_in(&dir, &|name| matches!(name, "log.jsonl" | "context.md"), forgetting)?;
        }
        Ok(changed)
    }

    /// Drafts that hold a text go: they are of jobs that are discarded, or that say something else now.
    fn forget_drafts(&self, forgetting: &Forgetting) -> Result<usize> {
        let mut gone = 0;
        for name in self.list_or_gone(&self.layout.tmp())? {
            let path = self.layout.tmp().join(&name);
            let is_draft = crate::Layout::is_edit_draft(Path::new(&name));
            let Some(bytes) = self.searched(&path)?.filter(|_| is_draft) else { continue };
            gone += usize::from(holds(&path, &bytes, forgetting) && self.disk.remove(&path)?);
        }
        Ok(gone)
    }

    /// A log that somebody may append to meanwhile: what was added to the old file while the new one was made is added to
    /// that. Who opened the old one before and writes after that loses a line of a log that decides nothing.
    fn forget_in_log(&self, log: &Path, forgetting: &Forgetting) -> Result<bool> {
        let Some(bytes) = self.searched(log)? else { return Ok(false) };
        let Some(new) = forgetting.out_of_json(&bytes) else { return Ok(false) };
        let old = self.layout.tmp().join(format!("{TMP}log"));
        self.disk.remove(&old)?;
        let mut renamed = self.moves().begin();
        renamed.link(log, &old)?;
        renamed.not_durable();
        self.replace_files(vec![(log.to_owned(), new)])?;
        let added = self.disk.read_at(&old, bytes.len() as u64, FILE_BYTES_MAX)?;
        if !added.is_empty() {
            self.disk.append(log, &forgetting.out_of_json(&added).unwrap_or(added))?;
        }
        self.disk.remove(&old)?;
        Ok(true)
    }

    /// What an earlier try left that died.
    fn clear_own_tmp(&self) -> Result<()> {
        for name in self.list_or_gone(&self.layout.tmp())?.iter().filter(|name| name.starts_with(TMP)) {
            self.disk.remove(&self.layout.tmp().join(name))?;
        }
        Ok(())
    }

    /// Puts new files in the place of others, each whole or not at all; durable when it returns.
    fn replace_files(&self, files: Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        let tmp = |n: usize| self.layout.tmp().join(format!("{TMP}{n}"));
        let files = files.into_iter().enumerate();
        let files = files.map(|(n, (target, bytes))| NewFile { tmp: tmp(n), bytes, target }).collect();
        self.moves().write_again(files)?.replace()?.durable()?;
        self.disk.point("purge.replaced");
        Ok(())
    }

    /// Every file below a directory; links are not followed.
    fn files_below(&self, dir: &Path) -> Result<Vec<PathBuf>> {
        let (mut files, mut dirs) = (Vec::new(), vec![dir.to_owned()]);
        while let Some(dir) = dirs.pop() {
            let mut names = self.list_or_gone(&dir)?;
            names.sort();
            for path in names.into_iter().map(|name| dir.join(name)) {
                match self.disk.stat_link(&path)?.map(|stat| stat.kind) {
                    Some(FileKind::Directory) => dirs.push(path),
                    Some(FileKind::File) => files.push(path),
                    _ => {}
                }
            }
        }
        Ok(files)
    }

    fn holder(&self, path: &Path) -> Holder {
        let below = path.strip_prefix(self.layout.home()).unwrap_or(path);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match below
            .components()
            .next()
            .map(|first| first.as_os_str().to_string_lossy().into_owned())
            .as_deref()
        {
            // A text that is kept for a person, as an editor or an agent left it: no worker takes it up.
            Some("staging") if is_original(&name) => Holder::AtRest,
            Some("pending" | "deferred" | "processing" | "staging") => Holder::Waiting,
            Some("sessions") if !matches!(name.as_str(), "log.jsonl" | "context.md" | "ended.jsonl") => {
                Holder::Waiting
            }
            Some("tmp") => Holder::Tmp,
            Some(
                "done" | "receipts" | "keys" | "journal" | "sessions" | "holds" | "approvals" | "history"
                | "purges" | "adoptions",
            ) => Holder::AtRest,
            Some(first) if first.ends_with(crate::layout::INBOX_ENDING) => Holder::Waiting,
            _ => Holder::Foreign,
        }
    }
}

fn is_original(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "original")
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json" || end == "jsonl" || end == "new")
}

/// The bytes of a file without the texts; `None` where it holds none.
fn without(path: &Path, bytes: &[u8], forgetting: &Forgetting) -> Option<Vec<u8>> {
    // A key has no ending.
    if is_json(path) || bytes.starts_with(b"{") {
        forgetting.out_of_json(bytes)
    } else {
        forgetting.out_of(bytes)
    }
}

fn holds(path: &Path, bytes: &[u8], forgetting: &Forgetting) -> bool {
    without(path, bytes, forgetting).is_some()
        || values(path, bytes).iter().any(|value| forgetting.is_in_value(value))
}

/// The values in a file of JSON lines or YAML.
fn values(path: &Path, bytes: &[u8]) -> Vec<Value> {
    let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    if is_yaml && bytes.len() as u64 <= JOB_BYTES_MAX {
        return serde_yaml::from_slice(bytes).into_iter().collect();
    }
    if !(is_json(path) || bytes.starts_with(b"{")) {
        return Vec::new();
    }
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// What the entries of a job say of an item.
fn said_by(job: &Value, item: &str, said: &mut SaidOf) {
    let id: Option<JobId> = job["job"]["id"].as_str().and_then(|id| id.parse().ok());
    let Some(entries) = job["entries"].as_array() else { return };
    for (n, entry) in entries.iter().enumerate() {
        let of_item =
            entry["key"]["item"].as_str().is_some_and(|named| named.trim_start_matches('^') == item);
        let supersedes = of_item && entry["operation"] == "supersede";
        let makes = match entry["meta"]["item"].as_str() {
            Some(kept) => kept == item,
            None => id.is_some_and(|id| item_id(id, n) == item),
        };
        let texts = match (makes, of_item && !supersedes) {
            (true, _) => vec![&entry["content"], &entry["meta"]["said"]],
            (_, true) => vec![&entry["content"], &entry["old_text"], &entry["meta"]["said"]],
            // What it was held against is the item; what takes its place is another one.
            _ if supersedes => vec![&entry["old_text"]],
            _ => continue,
        };
        said.texts.extend(texts.into_iter().filter_map(Value::as_str).map(str::to_owned));
        // Why it was purged is for who asks later; why another took its place is that one's.
        if makes || !supersedes && entry["operation"] != "purge" {
            said.reasons.extend(entry["meta"]["reason"].as_str().map(str::to_owned));
        }
    }
}
