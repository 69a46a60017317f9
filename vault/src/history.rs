//! Every earlier version of a document: `history/<name>-<key>/<version>.md` holds the text that a commit displaced,
//! `log.jsonl` says who changed what, one line a version.

use crate::document::{Document, hash};
use crate::{DOCUMENT_BYTES_MAX, Result, Vault, VaultError};
use durable::{Attributes, Moved};
use knowledge::Timestamp;
use knowledge::merge::Change;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One version of a document and how it came to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Counted from 1; the text before our first commit is version 0.
    pub version: u64,
    /// When.
    pub at: Timestamp,
    /// Names the commit.
    pub batch: String,
    /// Which worker.
    pub by: String,
    /// Hash of the text it displaced; `None` when there was no document.
    pub before: Option<String>,
    /// Hash of the text of this version.
    pub after: String,
    /// The jobs it contains.
    pub jobs: Vec<JobRecord>,
}

/// A job's part in a version: what `blame` shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRecord {
    /// The job.
    pub id: String,
    /// What it changed.
    pub changes: Vec<Change>,
}

impl Vault<'_> {
    /// Every version of a document that we made, oldest first.
    ///
    /// # Errors
    /// A disk error; `BadHistory` for a line that is neither a version nor the torn last line of a power cut.
    pub fn revisions(&self, document: &Document) -> Result<Vec<Revision>> {
        let path = self.history_of(document).join("log.jsonl");
        let bytes = match self.disk.read(&path, 1 << 30) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let complete = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        let mut revisions: Vec<Revision> = Vec::new();
        for (at, line) in bytes[..complete].split(|b| *b == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let revision: Revision = serde_json::from_slice(line).map_err(|e| VaultError::BadHistory {
                path: path.clone(),
                line: at + 1,
                message: e.to_string(),
            })?;
            // A line written again after a crash says the same once more.
            if revisions.last().is_none_or(|last| last.batch != revision.batch) {
                revisions.push(revision);
            }
        }
        Ok(revisions)
    }

    /// The last version we made, without reading the whole log; 0 when we made none.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn version(&self, document: &Document) -> Result<u64> {
        Ok(self.revisions(document)?.last().map_or(0, |last| last.version))
    }

    /// The text that a version displaced, i.e. the document as it was just before it.
    ///
    /// # Errors
    /// A disk error.
    pub fn before(&self, document: &Document, version: u64) -> Result<Option<Vec<u8>>> {
        match self.disk.read(&self.snapshot(document, version), DOCUMENT_BYTES_MAX) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Moves a displaced text into the history and writes the version down; both durable. Done again after a crash it
    /// changes nothing.
    ///
    /// # Errors
    /// A disk error.
    pub fn archive(&self, document: &Document, displaced: Option<&Path>, revision: &Revision) -> Result<()> {
        let dir = self.history_of(document);
        if self.disk.make_dir(&dir)? {
            self.disk.sync_dir(&self.history)?;
        }
        if let Some(displaced) = displaced {
            self.keep(displaced, &self.snapshot(document, revision.version))?;
            self.disk.sync_dir(&dir)?;
            // The name beside the document is gone for good before the intent is.
            self.disk.sync_dir(document.directory())?;
        }
        self.disk.point("commit.archived");
        let mut line = serde_json::to_vec(revision).unwrap_or_default();
        line.push(b'\n');
        let log = dir.join("log.jsonl");
        let fresh = self.disk.stat(&log)?.is_none();
        self.mend(&log)?;
        self.disk.append(&log, &line)?;
        self.disk.sync_file(&log)?;
        if fresh {
            self.disk.sync_dir(&dir)?;
        }
        self.disk.point("commit.logged");
        Ok(())
    }

    /// Whether the version is written down already.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn has_batch(&self, document: &Document, batch: &str) -> Result<bool> {
        Ok(self.revisions(document)?.iter().any(|revision| revision.batch == batch))
    }

    /// A person's text that one commit displaced before the one it ended with: kept beside the version.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_aside(&self, document: &Document, displaced: &Path, version: u64, n: u32) -> Result<()> {
        let dir = self.history_of(document);
        if self.disk.make_dir(&dir)? {
            self.disk.sync_dir(&self.history)?;
        }
        self.keep(displaced, &dir.join(format!("{version:06}.{n}.md")))?;
        self.disk.sync_dir(&dir)?;
        Ok(())
    }

    /// Looks again at the text that the last commit displaced: an editor that still held the old file open may have
    /// written into it since. Answers that late text, once.
    ///
    /// # Errors
    /// A disk error.
    pub fn late_write(&self, document: &Document) -> Result<Option<(Revision, Vec<u8>)>> {
        let Some(last) = self.revisions(document)?.pop() else { return Ok(None) };
        let Some(before) = &last.before else { return Ok(None) };
        let snapshot = self.snapshot(document, last.version);
        let Some(bytes) = self.before(document, last.version)? else { return Ok(None) };
        if hash(&bytes) == *before {
            return Ok(None);
        }
        // Told once: the late text gets a name of its own, and the snapshot's name goes with it.
        let late = self.history_of(document).join(format!("{:06}.late.md", last.version));
        self.disk.replace(&snapshot, &late)?;
        self.disk.sync_dir(&self.history_of(document))?;
        Ok(Some((last, bytes)))
    }

    /// Where a late text is kept, to name it in a report.
    #[must_use]
    pub fn late_path(&self, document: &Document, version: u64) -> PathBuf {
        self.history_of(document).join(format!("{version:06}.late.md"))
    }

    /// Moves a file into the history by rename; from another file system by a durable copy.
    fn keep(&self, from: &Path, to: &Path) -> Result<()> {
        match self.disk.move_new(from, to) {
            Ok(Moved::Done | Moved::Gone) => Ok(()),
            // Kept before a crash, and the temp file is a second copy.
            Ok(Moved::Taken) => Ok(drop(self.disk.remove(from)?)),
            Err(e) if e.kind() == std::io::ErrorKind::CrossesDevices => {
                let bytes = self.disk.read(from, DOCUMENT_BYTES_MAX)?;
                let part = to.with_extension("part");
                self.disk.remove(&part)?;
                self.disk.write_new(&part, &bytes, Attributes::PRIVATE)?;
                self.disk.replace(&part, to)?;
                if let Some(dir) = to.parent() {
                    self.disk.sync_dir(dir)?;
                }
                Ok(drop(self.disk.remove(from)?))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// A log whose last line was torn by a power cut gets its line end, so that the next line is one of its own.
    fn mend(&self, log: &Path) -> Result<()> {
        match self.disk.read(log, 1 << 30) {
            Ok(bytes) if bytes.last().is_some_and(|b| *b != b'\n') => Ok(self.disk.append(log, b"\n")?),
            Ok(_) => Ok(()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    fn snapshot(&self, document: &Document, version: u64) -> PathBuf {
        self.history_of(document).join(format!("{version:06}.md"))
    }

    fn history_of(&self, document: &Document) -> PathBuf {
        self.history.join(format!("{}-{}", document.file_name(), document.key()))
    }
}
