//! What a running session has declared so far: `sessions/<agent>-<session>/` holds one file an entry, each a finished job
//! that is durable from the moment it was planned. Flushing is a rename: nothing is written again, nothing happens twice.

use super::SessionVerbs;
use crate::Queue;
use crate::error::{QueueError, Result};
use crate::format::id::JobId;
use crate::format::job::Job;
use crate::format::name::{DocKey, JobName};
use crate::format::state::State;
use crate::moves::NewFile;
use crate::moves::order::first_differences;
use crate::moves::seq::take_stamps;
use crate::verbs::draft::{Draft, Enqueued, encode, job_name, job_of};
use crate::verbs::journal::JournalEntry;
use declaration::{Problem, Timestamp};
use durable::{Lock, Moved};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A session nobody heard of for so long is gone: its buffer is flushed by the next worker. Flushing a living one early
/// costs it nothing but the chance to take an entry back.
pub const QUIET_MS_MAX: u64 = 30 * 60 * 1000;

/// What came of the buffers of sessions that are gone.
#[derive(Debug, Default)]
pub struct FlushedBuffers {
    /// What became jobs.
    pub jobs: Vec<JobId>,
    /// Sessions that our user may not touch, and what the system said: somebody else began those, and nobody waits for them.
    pub left: Vec<(PathBuf, QueueError)>,
}

/// The part of a session's log that is read: its end.
const LOG_BYTES_MAX: u64 = 64 << 10;
/// The longest agent or session name that is used as it is.
const PLAIN_CHARS_MAX: usize = 64;
/// The most that is read of what was noted when a command began: 256 documents and the settings, each with the longest paths there are.
const RUNNING_BYTES_MAX: u64 = 4 << 20;
/// How often an entry is moved into a directory that goes away meanwhile.
const MOVES_MAX: usize = 4;
const LOG: &str = "log.jsonl";
const CONTEXT: &str = "context.md";
const RUNNING: &str = "running.json";
/// Records of all sessions, beside their directories.
const ENDED: &str = "ended.jsonl";
const CHANGED: &str = "changed.jsonl";
/// One is shortened when it is longer by this than what is read of it, in bytes.
const RECORD_BYTES_MAX: u64 = 1 << 20;

/// One session's place on the disk. Nothing is touched until a verb is used.
#[derive(Debug, Clone)]
pub struct Session {
    queue: Queue,
    name: String,
}

/// One line of a session's log. Not synced: nothing declared depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: What,
    /// More of it: a start's source, an end's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The agent's own time of a start, as it wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
    /// Whose session it is; in the first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<Who>,
}

impl Noted {
    /// That, and nothing more of it.
    #[must_use]
    pub fn new(at: Timestamp, what: What) -> Noted {
        Noted { at, what, detail: None, stamp: None, who: None }
    }
}

/// Whose session it is, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Who {
    /// The agent.
    pub agent: String,
    /// The session, as the agent names it.
    pub session: String,
    /// Its working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// Its project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
}

/// What is noted of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It was heard of.
    Heard,
    /// It started, or started again.
    Started,
    /// It was shown a knowledge base.
    Shown,
    /// It declared something.
    Planned,
    /// It was told an item beside a prompt.
    Recalled,
    /// What it did and decided was saved.
    Saved,
    /// A person said something in it.
    Prompted,
    /// What it was shown is gone, or may not have been heard.
    ContextLost,
    /// It was shown it again.
    ContextGiven,
    /// It was asked to declare what it learned.
    Asked,
    /// It was reminded of what waits for a person.
    Reminded,
    /// It was warned of something.
    Warned,
    /// Its buffer became jobs.
    Flushed,
    /// It ended.
    Ended,
}

/// What remains of a session that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedSession {
    /// Whose.
    #[serde(flatten)]
    pub who: Who,
    /// When it was first heard of.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Why, as the agent says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Entries that became jobs.
    pub declared: usize,
}

/// An entry in a session's buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct BufferedEntry {
    /// The id it will have as a job.
    pub id: JobId,
    /// The job it will be; why not, when the file cannot be read.
    pub job: std::result::Result<Job, Vec<Problem>>,
}

/// Whether a directory can be a session's, by its name: others' files in `sessions/` are left alone.
fn is_session(name: &str) -> bool {
    let known = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'z' | b'_' | b'-');
    name.contains('-') && name.bytes().all(known)
}

impl SessionVerbs<'_> {
    /// A session's place.
    #[must_use]
    pub fn of(&self, agent: &str, session: &str) -> Session {
        let agent = agent.replace('-', "_");
        Session { queue: self.queue.clone(), name: format!("{}-{}", plain(&agent), plain(session)) }
    }

    /// Every session that left something, in no order.
    ///
    /// # Errors
    /// A disk error.
    pub fn all(&self) -> Result<Vec<Session>> {
        let names = self.queue.list_or_gone(&self.queue.layout.sessions())?;
        let mut sessions = Vec::new();
        for name in names.into_iter().filter(|name| is_session(name)) {
            let stat = self.queue.disk.stat_link(&self.queue.layout.sessions().join(&name))?;
            if stat.is_some_and(|stat| stat.kind == durable::FileKind::Directory) {
                sessions.push(Session { queue: self.queue.clone(), name });
            }
        }
        Ok(sessions)
    }

    /// Sessions of this id that belong to another agent: two agents read one configuration, and both call.
    ///
    /// # Errors
    /// A disk error.
    pub fn twins(&self, session: &Session) -> Result<Vec<Session>> {
        let tail = |name: &str| name.split_once('-').map(|(_, tail)| tail.to_owned());
        let mut others = self.queue.sessions().all()?;
        others.retain(|other| other.name != session.name && tail(&other.name) == tail(&session.name));
        Ok(others)
    }

    /// Flushes the buffers of sessions that ended or that nobody heard of for `QUIET_MS_MAX`, and forgets those that
    /// were quiet for longer than `keep_ms`.
    ///
    /// # Errors
    /// A disk error; what was flushed before it stays flushed.
    pub fn flush_gone(&self, now: Timestamp, keep_ms: u64) -> Result<FlushedBuffers> {
        let mut flushed = FlushedBuffers::default();
        for session in self.queue.sessions().all()? {
            match session.flush_if_gone(now, keep_ms) {
                Err(e) if !e.is_machine_trouble() => flushed.left.push((session.dir(), e)),
                other => flushed.jobs.extend(other?),
            }
        }
        Ok(flushed)
    }

    /// The sessions that our user may not look into.
    ///
    /// # Errors
    /// Trouble of the machine.
    pub fn closed(&self) -> Result<Vec<PathBuf>> {
        let mut closed = Vec::new();
        for session in self.queue.sessions().all()? {
            match session.names().and_then(|_| session.log()) {
                Err(e) if !e.is_machine_trouble() => closed.push(session.dir()),
                other => drop(other?),
            }
        }
        Ok(closed)
    }

    /// Writes down that a session ended.
    ///
    /// # Errors
    /// A disk error.
    pub fn note_ended(&self, ended: &EndedSession) -> Result<()> {
        Ok(self.queue.disk.append(&self.queue.layout.sessions().join(ENDED), &line(ended))?)
    }

    /// The sessions that ended last, oldest first: what fits into the last 64 KiB.
    ///
    /// # Errors
    /// A disk error.
    pub fn ended(&self) -> Result<Vec<EndedSession>> {
        self.queue.tail(&self.queue.layout.sessions().join(ENDED), LOG_BYTES_MAX)
    }

    /// Writes down that something was changed past the queue while a command ran: beside the journal, where a busy day would put it
    /// out of sight.
    ///
    /// # Errors
    /// A disk error.
    pub fn note_changed(&self, changed: &JournalEntry) -> Result<()> {
        Ok(self.queue.disk.append(&self.queue.layout.sessions().join(CHANGED), &line(changed))?)
    }

    /// What was changed so, oldest first: what fits into the last 1 MiB, so that nothing of a day is pushed out by what commands did to
    /// many documents.
    ///
    /// # Errors
    /// A disk error.
    pub fn changed(&self) -> Result<Vec<JournalEntry>> {
        self.queue.tail(&self.queue.layout.sessions().join(CHANGED), RECORD_BYTES_MAX)
    }

    /// Keeps the records of all sessions short: what is ever read of them is their end. A line that a hook appends meanwhile
    /// may be lost; nothing is decided by it.
    ///
    /// # Errors
    /// A disk error.
    pub fn trim_records(&self) -> Result<()> {
        self.trim(ENDED, LOG_BYTES_MAX)?;
        self.trim(CHANGED, RECORD_BYTES_MAX)
    }

    fn trim(&self, name: &str, kept: u64) -> Result<()> {
        let path = self.queue.layout.sessions().join(name);
        if self.queue.disk.stat(&path)?.is_none_or(|stat| stat.len <= kept + RECORD_BYTES_MAX) {
            return Ok(());
        }
        let (tail, _) = self.queue.disk.read_tail(&path, kept)?;
        let start = tail.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let bytes = tail.get(start..).unwrap_or_default().to_vec();
        let new = NewFile { tmp: self.queue.layout.tmp().join(name), bytes, target: path };
        self.queue.moves().write_again(vec![new])?.replace()?.not_durable();
        Ok(())
    }
}

impl Queue {
    fn tail<T: serde::de::DeserializeOwned>(&self, path: &Path, bytes_max: u64) -> Result<Vec<T>> {
        match self.disk.read_tail(path, bytes_max) {
            Ok((bytes, _)) => {
                let lines = bytes.split(|byte| *byte == b'\n');
                Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
            }
            Err(e)
                if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
            {
                Ok(Vec::new())
            }
            Err(e) => Err(e.into()),
        }
    }
}

impl Session {
    /// `<agent>-<session>`, as the directory is named.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether there is anything of it.
    ///
    /// # Errors
    /// A disk error.
    pub fn is_known(&self) -> Result<bool> {
        Ok(self.queue.disk.stat(&self.dir())?.is_some())
    }

    /// Becomes the only one who decides for this session; `None` when somebody else does. The lock is of the session's
    /// id alone, so that two agents who call for one session wait for each other.
    ///
    /// # Errors
    /// A disk error.
    pub fn try_lock(&self) -> Result<Option<Lock>> {
        let tail = self.name.split_once('-').map_or(self.name.as_str(), |(_, tail)| tail);
        let lock = format!("session-{}", &digest(tail)[..2]);
        Ok(self.queue.disk.try_lock(&self.queue.layout.lock(&lock))?)
    }

    /// Writes lines to its log, making its directory when it has none.
    ///
    /// # Errors
    /// A disk error.
    pub fn note(&self, lines: &[Noted]) -> Result<()> {
        let bytes: Vec<u8> = lines.iter().flat_map(line).collect();
        let path = self.dir().join(LOG);
        match self.queue.disk.append(&path, &bytes) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                self.queue.disk.make_dir(&self.dir())?;
                Ok(self.queue.disk.append(&path, &bytes)?)
            }
            other => Ok(other?),
        }
    }

    /// The end of its log, oldest first; a line that cannot be read is left out.
    ///
    /// # Errors
    /// A disk error.
    pub fn log(&self) -> Result<Vec<Noted>> {
        self.queue.tail(&self.dir().join(LOG), LOG_BYTES_MAX)
    }

    /// When it was last heard of, by its log and by what it planned; where neither is there yet, by its directory: one
    /// that was made this moment is about to get its first entry.
    ///
    /// # Errors
    /// A disk error.
    pub fn last_heard(&self, log: &[Noted]) -> Result<Timestamp> {
        let planned = self.names()?.last().map(|name| name.id.declared_at());
        if let Some(heard) = log.last().map(|noted| noted.at).max(planned) {
            return Ok(heard);
        }
        let stat = self.queue.disk.stat(&self.dir())?;
        Ok(stat.map(|stat| Timestamp(stat.modified_ms)).unwrap_or_default())
    }

    /// Puts one entry into the buffer: durable when this returns.
    ///
    /// # Errors
    /// A disk error; after a failed fsync the entry may or may not be planned.
    pub fn plan(&self, draft: Draft, now: Timestamp, random: &mut dyn FnMut() -> u64) -> Result<Enqueued> {
        let Queue { disk, layout, .. } = &self.queue;
        let stamp = take_stamps(&**disk, layout, now, 1)?.first().copied().unwrap_or_default();
        let job = job_of(draft, JobId::new(stamp, random()), now);
        disk.make_dir(&self.dir())?;
        disk.point("plan.begin");
        let target = self.dir().join(job_name(&job).to_string());
        let new = NewFile { tmp: self.queue.tmp_of(&job), bytes: encode(&job)?, target };
        let written = self.queue.moves().write(vec![new])?;
        disk.point("plan.written");
        // A worker may forget the session after its directory was made or found, and has synced its jobs before it does.
        written.place_in(&self.dir(), MOVES_MAX)?.durable_unless_gone()?;
        self.queue.moves().confirm([layout.sessions()])?;
        disk.point("plan.durable");
        Ok(Enqueued { id: job.id, document: job.document, new: true })
    }

    fn flush_if_gone(&self, now: Timestamp, keep_ms: u64) -> Result<Vec<JobId>> {
        // Whoever holds it is alive.
        let Some(_held) = self.try_lock()? else { return Ok(Vec::new()) };
        let log = self.log()?;
        let quiet_ms = now.since_ms(self.last_heard(&log)?);
        if !has_ended(&log) && quiet_ms < QUIET_MS_MAX {
            return Ok(Vec::new());
        }
        self.remove_flushed()?;
        let flushed = self.flush()?;
        if quiet_ms > keep_ms {
            self.forget()?;
        }
        Ok(flushed)
    }

    /// What it planned and did not flush yet, in the order planned.
    ///
    /// # Errors
    /// A disk error.
    pub fn planned(&self) -> Result<Vec<BufferedEntry>> {
        let mut planned = Vec::new();
        for name in self.names()? {
            match self.queue.read_one(&self.dir().join(name.to_string())) {
                Ok(read) => {
                    let read = read.map_err(|problem| vec![problem]);
                    let job = read.and_then(|bytes| Job::from_json(&bytes).map(|(job, _)| job));
                    planned.push(BufferedEntry { id: name.id, job });
                }
                // Flushed or taken back meanwhile.
                Err(QueueError::Disk(e)) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(e),
            }
        }
        Ok(planned)
    }

    /// How many entries wait in its buffer.
    ///
    /// # Errors
    /// A disk error.
    pub fn planned_count(&self) -> Result<usize> {
        Ok(self.names()?.len())
    }

    /// Takes an entry back; false when it is not in the buffer (any more).
    ///
    /// # Errors
    /// A disk error.
    pub fn take_back(&self, id: JobId) -> Result<bool> {
        let Some(name) = self.names()?.into_iter().find(|name| name.id == id) else { return Ok(false) };
        let mut renamed = self.queue.moves().begin();
        let removed = renamed.remove(&self.dir().join(name.to_string()))?;
        renamed.durable()?;
        Ok(removed)
    }

    /// The buffer becomes jobs, in the order planned and under the ids they have: renames, then one sync of each
    /// directory. Whoever is slower finds nothing left.
    ///
    /// # Errors
    /// A disk error: what is in `pending` by then is a job, the rest is still in the buffer.
    pub fn flush(&self) -> Result<Vec<JobId>> {
        let disk = &*self.queue.disk;
        let mut flushed = Vec::new();
        let mut arrivals = self.queue.arrivals();
        let mut renamed = self.queue.moves().begin();
        for name in self.names_in_order()? {
            arrivals.next(name.doc)?;
            let from = self.dir().join(name.to_string());
            let to = self.queue.layout.dir(State::Pending).join(name.moved().to_string());
            match renamed.rename(&from, &to)? {
                Moved::Done => flushed.push(name.id),
                Moved::Gone => {}
                // The same entry, moved before a power cut that forgot to take its old name away.
                Moved::Taken => drop(renamed.remove(&from)?),
            }
            disk.point("flush.moved");
        }
        if flushed.is_empty() {
            renamed.not_durable();
            return Ok(flushed);
        }
        renamed.arrived()?;
        disk.point("flush.durable");
        renamed.durable()?;
        Ok(flushed)
    }

    /// The context it was shown at its start.
    ///
    /// # Errors
    /// A disk error.
    pub fn context(&self) -> Result<Option<String>> {
        match self.queue.disk.read(&self.dir().join(CONTEXT), LOG_BYTES_MAX) {
            Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
            Err(e)
                if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Keeps the context it is shown. Whole or absent, but not synced: it can be made again.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_context(&self, text: &str, now: Timestamp) -> Result<()> {
        let tmp = self.queue.layout.tmp().join(format!("{}.{}.context", self.name, now.millis()));
        self.queue.disk.make_dir(&self.dir())?;
        let new = NewFile { tmp, bytes: text.as_bytes().to_vec(), target: self.dir().join(CONTEXT) };
        self.queue.moves().write_unsynced(new)?.replace()?.not_durable();
        Ok(())
    }

    /// Whether anything was noted when a command of it began.
    ///
    /// # Errors
    /// A disk error.
    pub fn has_running(&self) -> Result<bool> {
        Ok(self.queue.disk.stat(&self.dir().join(RUNNING))?.is_some())
    }

    /// What was noted when its commands began that run now; `None` where none runs, or it cannot be read.
    ///
    /// # Errors
    /// A disk error.
    pub fn running<T: serde::de::DeserializeOwned>(&self) -> Result<Option<T>> {
        match self.queue.disk.read(&self.dir().join(RUNNING), RUNNING_BYTES_MAX) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(e)
                if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Keeps that. Whole or absent, but not synced: after a power cut no command runs.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_running<T: Serialize>(&self, running: &T, now: Timestamp) -> Result<()> {
        let tmp = self.queue.layout.tmp().join(format!("{}.{}.running", self.name, now.millis()));
        self.queue.disk.make_dir(&self.dir())?;
        let new = NewFile { tmp, bytes: line(running), target: self.dir().join(RUNNING) };
        self.queue.moves().write_unsynced(new)?.replace()?.not_durable();
        Ok(())
    }

    /// Forgets it: no command runs.
    ///
    /// # Errors
    /// A disk error.
    pub fn forget_running(&self) -> Result<bool> {
        Ok(self.queue.disk.remove(&self.dir().join(RUNNING))?)
    }

    /// After a power cut a name may be here that was moved on long ago: what is known elsewhere is not flushed again.
    fn remove_flushed(&self) -> Result<()> {
        for name in self.names()? {
            if self.queue.is_known(name.id)? {
                self.queue.disk.remove(&self.dir().join(name.to_string()))?;
            }
        }
        Ok(())
    }

    /// Removes what is left of a session that has nothing to flush.
    fn forget(&self) -> Result<()> {
        let disk = &*self.queue.disk;
        // Whoever flushed it may have died before that was durable: the jobs first.
        self.queue.moves().confirm([self.queue.layout.dir(State::Pending)])?;
        for name in [RUNNING, CONTEXT, LOG] {
            disk.remove(&self.dir().join(name))?;
        }
        disk.remove_dir(&self.dir())?;
        Ok(())
    }

    /// The names of its entries, in the order planned.
    fn names(&self) -> Result<Vec<JobName>> {
        let names = self.queue.list_or_gone(&self.dir())?;
        let mut names: Vec<JobName> = names.iter().filter_map(|name| JobName::parse(name)).collect();
        names.sort_by_key(|name| name.id);
        Ok(names)
    }

    /// The same, without those that may have been planned after one that the listing missed: they stay for the next flush.
    fn names_in_order(&self) -> Result<Vec<JobName>> {
        let before = self.queue.mark()?;
        let first = self.names()?;
        if self.queue.mark()? == before {
            return Ok(first);
        }
        let mut second = self.names()?;
        let ids = |names: &[JobName]| names.iter().map(|name| (name.id, DocKey::UNKNOWN)).collect::<Vec<_>>();
        if let Some(from) = first_differences(&ids(&first), &ids(&second)).get(&DocKey::UNKNOWN) {
            second.retain(|name| name.id < *from);
        }
        Ok(second)
    }

    fn dir(&self) -> PathBuf {
        self.queue.layout.sessions().join(&self.name)
    }
}

/// Whether a session ended and was not heard of since.
#[must_use]
pub fn has_ended(log: &[Noted]) -> bool {
    log.last().is_some_and(|noted| noted.what == What::Ended)
}

fn line<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// A name as part of a file's: as it is where that is safe on every file system, else its beginning and a hash.
fn plain(name: &str) -> String {
    let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if !name.is_empty() && name.len() <= PLAIN_CHARS_MAX && name.chars().all(safe) {
        return name.to_owned();
    }
    let head: String = name.to_ascii_lowercase().chars().filter(|c| safe(*c)).take(24).collect();
    format!("{head}_{}", &digest(name)[..16])
}

fn digest(text: &str) -> String {
    crate::format::hex(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories() {
        assert_eq!(plain("b3ef4079-3ae2-41d0-a6e4-971e58b56d2d"), "b3ef4079-3ae2-41d0-a6e4-971e58b56d2d");
        let hashed = ["", "A", "a", "../../etc", "a/b", "a b", "ü", "..", "x~1.json", &"a".repeat(65)];
        let names: std::collections::BTreeSet<String> = hashed.iter().map(|name| plain(name)).collect();
        assert_eq!(names.len(), hashed.len(), "{names:?}");
        for name in names {
            assert!(!name.contains(['/', '.', '~', ' ']) && name.len() < 80, "{name}");
        }
    }
}
