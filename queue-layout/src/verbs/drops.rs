//! Declarations that arrive as files: what was moved into `pending/` or left in an inbox. Each is claimed under an id of
//! its own first, and its jobs get ids that follow from that one: whoever reads it again after a crash makes the same
//! jobs, not new ones.

use super::WorkerVerbs;
use crate::error::Result;
use crate::format::id::JobId;
use crate::format::name::{DocKey, Form, JobName};
use crate::format::state::State;
use crate::layout::INBOX_ENDING;
use crate::look::names::Listed;
use crate::moves::NewFile;
use crate::moves::seq::take_stamps;
use crate::ownership;
use crate::verbs::claimant::{Claimant, Claimed};
use crate::verbs::draft::{Draft, Enqueued, encode, job_of};
use crate::{JOB_BYTES_MAX, Queue, QueueError};
use declaration::Timestamp;
use durable::{FileKind, Moved, Stat};
use std::path::{Path, PathBuf};

/// A declaration in `pending/` that is not a job yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stray {
    /// A file under a name of somebody's own.
    Foreign(String),
    /// One that was claimed before and came back.
    Known(Listed),
}

/// What lies in an inbox.
#[derive(Debug, Default)]
pub struct Inbox {
    /// What may be taken in, in the order of the names.
    pub ready: Vec<PathBuf>,
    /// What somebody else wrote, or could have written: it stays where it is. With the reason.
    pub refused: Vec<(PathBuf, QueueError)>,
}

/// A file changed this recently in an inbox may still be being written: nobody moves files there atomically.
const INBOX_REST_MS: u64 = 2000;
const TAKEN_MARK: &str = ".taken-";

impl WorkerVerbs<'_> {
    /// What was moved into `pending/` and is not a job yet.
    ///
    /// # Errors
    /// A disk error.
    pub fn strays(&self) -> Result<Vec<Stray>> {
        let mut scan = self.queue.scan_strays()?;
        if let Some(last) = scan.dropped.last() {
            // A second listing sees every file that came before the last one of the first. Files that came later are
            // left for the next look.
            let last = last.clone();
            scan = self.queue.scan_strays()?;
            scan.dropped.retain(|name| *name <= last);
        }
        let pending = self.queue.layout.dir(State::Pending);
        let known: Vec<PathBuf> = scan.jobs.iter().map(|listed| pending.join(&*listed.name)).collect();
        let gone = self.queue.drop_second_names(&known, &scan.dropped)?;
        scan.dropped.retain(|name| !gone.contains(name));
        let known = scan.jobs.into_iter().map(Stray::Known);
        Ok(known.chain(scan.dropped.into_iter().map(Stray::Foreign)).collect())
    }

    /// The declarations in an inbox directory (`*.md.yaml`) that have come to rest, and those whose taking was cut
    /// short. What is not our user's, or can be written to by others, is refused.
    ///
    /// # Errors
    /// A disk error, except for a directory that is not there.
    pub fn inbox(&self, dir: &Path, now: Timestamp) -> Result<Inbox> {
        let Some(stat) = self.queue.disk.stat(dir)? else { return Ok(Inbox::default()) };
        let mut found = self.queue.at_rest(dir, &stat, now)?;
        if let Some(last) = found.ready.last().cloned() {
            // As in `strays`.
            found = self.queue.at_rest(dir, &stat, now)?;
            found.ready.retain(|path| *path <= last);
        }
        Ok(found)
    }

    /// Those that lie there for longer than any worker leaves them (nobody can take them, or nobody comes), and those that
    /// are refused.
    ///
    /// # Errors
    /// As `inbox`.
    pub fn left_in_inbox(&self, dir: &Path, now: Timestamp, longer_than_ms: u64) -> Result<Vec<PathBuf>> {
        let Inbox { ready: mut left, refused } = self.inbox(dir, now)?;
        let lies = |path: &PathBuf| {
            let stat = self.queue.disk.stat_link(path).ok().flatten();
            stat.is_some_and(|stat| now.millis().saturating_sub(stat.modified_ms) > longer_than_ms)
        };
        left.retain(lies);
        left.extend(refused.into_iter().map(|(path, _)| path));
        Ok(left)
    }
}

impl Queue {
    /// A power cut may leave a file that was being renamed under both of its names. Under the one somebody gave it, it
    /// would be taken in once more, under another id: that name goes. Answers those that went.
    pub(crate) fn drop_second_names(&self, known: &[PathBuf], dropped: &[String]) -> Result<Vec<String>> {
        if known.is_empty() || dropped.is_empty() {
            return Ok(Vec::new());
        }
        let file = |path: &Path| {
            Ok::<_, QueueError>(self.disk.stat_link(path)?.map(|stat| (stat.device, stat.inode)))
        };
        let ours = known.iter().map(|path| file(path)).collect::<Result<Vec<_>>>()?;
        let pending = self.layout.dir(State::Pending);
        let mut gone = Vec::new();
        let mut renamed = self.moves().begin();
        for name in dropped {
            let found = file(&pending.join(name))?;
            if found.is_some() && ours.contains(&found) && renamed.remove(&pending.join(name))? {
                gone.push(name.clone());
            }
        }
        renamed.durable()?;
        Ok(gone)
    }

    fn at_rest(&self, dir: &Path, dir_stat: &Stat, now: Timestamp) -> Result<Inbox> {
        let mut found = Inbox::default();
        for name in self.list_or_gone(dir)? {
            let path = dir.join(&name);
            let taken = name.starts_with('.') && name.contains(TAKEN_MARK);
            let left = name.ends_with(INBOX_ENDING) && !name.starts_with('.');
            let Some(stat) = (taken || left).then(|| self.disk.stat_link(&path)).transpose()?.flatten()
            else {
                continue;
            };
            let rests = now.millis() < stat.modified_ms || now.millis() - stat.modified_ms >= INBOX_REST_MS;
            if stat.kind != FileKind::File {
                let what = match stat.kind {
                    FileKind::Link => "a link",
                    FileKind::Directory => "a directory",
                    _ => "no file",
                };
                found.refused.push((path.clone(), QueueError::NoFileInInbox { path, what }));
            } else if taken || rests {
                match ownership::ours_in(&*self.disk, dir_stat, &path, &stat) {
                    Ok(()) => found.ready.push(path),
                    Err(e) => found.refused.push((path, e)),
                }
            }
        }
        found.ready.sort();
        Ok(found)
    }

    fn new_id(&self, now: Timestamp, random: &mut dyn FnMut() -> u64) -> Result<JobId> {
        let stamps = take_stamps(&*self.disk, &self.layout, now, 1)?;
        Ok(JobId::new(stamps.first().copied().unwrap_or_default(), random()))
    }
}

/// What is done with files that are declarations and no jobs yet.
#[derive(Debug, Clone, Copy)]
pub struct DropVerbs<'c> {
    claimant: &'c Claimant,
}

impl Claimant {
    /// For taking in declarations that arrive as files.
    #[must_use]
    pub fn drops(&self) -> DropVerbs<'_> {
        DropVerbs { claimant: self }
    }
}

impl DropVerbs<'_> {
    /// Takes strays, giving an id to those that have none; `None` for each that somebody else took. Durable at once where they are
    /// new: jobs will be made of them, and after a power cut none must be found under its old name again.
    ///
    /// # Errors
    /// A disk error.
    pub fn claim(
        &self,
        strays: &[Stray],
        now: Timestamp,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Vec<Option<Claimed>>> {
        let mut claims = Vec::with_capacity(strays.len());
        for stray in strays {
            claims.push(match stray {
                Stray::Known(listed) => self.claimant.claim(listed)?,
                Stray::Foreign(name) => {
                    let id = self.claimant.queue.new_id(now, random)?;
                    self.claim_foreign(name, id)?
                }
            });
        }
        if strays.iter().any(|stray| matches!(stray, Stray::Foreign(_))) {
            let taken: Vec<Claimed> = claims.iter().flatten().cloned().collect();
            self.claimant.secure(&taken)?;
        }
        Ok(claims)
    }

    /// Takes a file out of an inbox, which may be on another file system; `None` when somebody else was faster.
    ///
    /// # Errors
    /// A disk error.
    pub fn claim_from_inbox(
        &self,
        path: &Path,
        now: Timestamp,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Option<Claimed>> {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Ok(None);
        };
        // First a name that carries the id, beside the file: whoever finds it after a crash goes on with the same id.
        let (taken, id) = match name.split_once(TAKEN_MARK).and_then(|(_, id)| id.parse().ok()) {
            Some(id) => {
                self.drop_first_name(path, name)?;
                (path.to_owned(), id)
            }
            None => {
                let id = self.claimant.queue.new_id(now, random)?;
                let taken = dir.join(format!(".{name}{TAKEN_MARK}{id}"));
                let mut renamed = self.claimant.queue.moves().begin();
                let moved = renamed.rename(path, &taken)?;
                renamed.not_durable();
                if moved != Moved::Done {
                    return Ok(None);
                }
                (taken, id)
            }
        };
        // Also when somebody else moved it, who may have died before it was durable.
        self.claimant.queue.moves().confirm([dir])?;
        self.claimant.disk().point("inbox.taken");
        let name = JobName { id, doc: DocKey::UNKNOWN, rev: 1, due: None, form: Form::Drop };
        let claimed = Claimed { id, name, from: None };
        if self.claimant.queue.is_known(id)? {
            // Published before a crash: only the inbox's copy is left.
            self.claimant.disk().remove(&taken)?;
            return Ok(None);
        }
        match self.claimant.rename_in(&taken, &claimed.name) {
            Ok(Moved::Gone) => return Ok(None),
            Ok(_) => {}
            Err(QueueError::Disk(e)) if e.kind() == std::io::ErrorKind::CrossesDevices => {
                let bytes = self.claimant.disk().read(&taken, JOB_BYTES_MAX)?;
                self.claimant.queue.moves().copy(&bytes, &self.claimant.path(&claimed))?;
                self.claimant.secure(std::slice::from_ref(&claimed))?;
                self.claimant.disk().remove(&taken)?;
            }
            Err(e) => return Err(e),
        }
        self.claimant.secure(std::slice::from_ref(&claimed))?;
        self.claimant.queue.moves().confirm([dir])?;
        Ok(Some(claimed))
    }

    /// A power cut in the rename may have left the file under the name it was left under, too: it would be taken twice.
    fn drop_first_name(&self, taken: &Path, name: &str) -> Result<()> {
        let first = name.split_once(TAKEN_MARK).and_then(|(first, _)| first.strip_prefix('.'));
        let Some(first) = first.map(|first| taken.with_file_name(first)) else { return Ok(()) };
        let file = |path: &Path| {
            Ok::<_, QueueError>(self.claimant.disk().stat_link(path)?.map(|s| (s.device, s.inode)))
        };
        if file(&first)? == file(taken)? {
            let mut renamed = self.claimant.queue.moves().begin();
            renamed.remove(&first)?;
            renamed.durable()?;
        }
        Ok(())
    }

    /// Publishes the jobs of a claimed file and lets the file go. Unless it is `fresh`, jobs that exist already are
    /// left as they are. `declared`: when it was written.
    ///
    /// # Errors
    /// A disk error: the file stays claimed, and is read again by whoever recovers it.
    pub fn publish(
        &self,
        claimed: &Claimed,
        drafts: Vec<Draft>,
        fresh: bool,
        declared: Timestamp,
    ) -> Result<Vec<Enqueued>> {
        let mut files = Vec::new();
        let mut enqueued = Vec::new();
        for (n, draft) in (1u32..).zip(drafts) {
            // Not the file's own id: under that, a file of which only some jobs were published would look finished.
            let id = claimed.id().sibling(n);
            let job = job_of(draft, id, declared);
            enqueued.push(Enqueued { id, document: job.document.clone(), new: true });
            if fresh || !self.claimant.queue.is_known(id)? {
                let (tmp, target) =
                    (self.claimant.queue.tmp_of(&job), self.claimant.queue.pending_path(&job));
                files.push(NewFile { tmp, bytes: encode(&job)?, target });
            }
        }
        // The directory is synced also when all jobs were there: whoever published them may have died before it was
        // durable.
        let pending = self.claimant.layout().dir(State::Pending);
        self.claimant.queue.moves().write_again(files)?.place()?.and(pending).durable()?;
        self.claimant.disk().point("drop.published");
        self.claimant.let_go(std::slice::from_ref(claimed))?;
        Ok(enqueued)
    }

    /// The bytes of a claimed file as they are.
    ///
    /// # Errors
    /// A disk error; what is wrong with this file alone (too large, not ours to read) as `Unreadable`.
    pub fn bytes(&self, claimed: &Claimed) -> Result<Vec<u8>> {
        self.claimant.bytes(claimed)
    }

    /// When a claimed file was last written: a move keeps that time.
    ///
    /// # Errors
    /// A disk error.
    pub fn written_at(&self, claimed: &Claimed) -> Result<Option<Timestamp>> {
        let stat = self.claimant.disk().stat_link(&self.claimant.path(claimed))?;
        Ok(stat.map(|stat| Timestamp(stat.modified_ms)).filter(|at| at.millis() > 0))
    }

    /// Takes a file somebody moved into `pending/` and gives it an id. Not durable by itself.
    fn claim_foreign(&self, file: &str, id: JobId) -> Result<Option<Claimed>> {
        let name = JobName { id, doc: DocKey::UNKNOWN, rev: 1, due: None, form: Form::Drop };
        let claimed = Claimed { id, name, from: Some(State::Pending) };
        let from = self.claimant.layout().dir(State::Pending).join(file);
        match self.claimant.rename_in(&from, &claimed.name)? {
            Moved::Done => Ok(Some(claimed)),
            Moved::Gone | Moved::Taken => Ok(None),
        }
    }
}
