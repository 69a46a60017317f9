//! Every earlier version of a document: `history/<name>-<key>/<version>.md` holds the text that a commit displaced,
//! `log.jsonl` says who changed what, one line a version. How many are kept is a setting (`retention.snapshots`), not known here.

use crate::document::{Document, hash};
use crate::during::DuringCommand;
use crate::{DOCUMENT_BYTES_MAX, DocumentError, Documents, Result};
use declaration::{Meta, Operation, Timestamp};
use durable::{Attributes, FileKind, Moved};
use markdown_merge::Change;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One version of a document and how it came to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// Counted from 1; the text before our first commit is version 0.
    pub version: u64,
    /// When.
    pub at: Timestamp,
    /// Names the commit.
    pub batch: String,
    /// The document's canonical path, where this was written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<PathBuf>,
    /// Which worker.
    pub by: String,
    /// Hash of the text it displaced; `None` when there was no document.
    pub before: Option<String>,
    /// Hash of the text of this version.
    pub after: String,
    /// The jobs it contains.
    pub jobs: Vec<JobRecord>,
    /// The command that it stands for: then no commit of ours made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub during: Option<DuringCommand>,
}

/// What a version is, without the jobs in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Version {
    /// As in `Revision`, like the rest.
    pub version: u64,
    /// When.
    pub at: Timestamp,
    /// Names the commit.
    pub batch: String,
    /// The document's canonical path, where this was written down.
    #[serde(default)]
    pub document: Option<PathBuf>,
    /// Hash of the text it displaced; `None` when there was no document.
    pub before: Option<String>,
    /// Hash of the text of this version.
    pub after: String,
    /// Whether it stands for a command, as in `Revision`.
    #[serde(default)]
    pub during: Option<SomeCommand>,
    #[serde(default)]
    format: u32,
}

/// A command of which nothing is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct SomeCommand {}

/// A job's part in a version: what `blame` shows. It says who and why itself, because receipts are pruned and the log
/// is not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobRecord {
    /// The job.
    pub id: String,
    /// The agent that declared it; empty for a person's shell.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Its session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// What the declaration says of its source.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The version it put the document back to, for a rollback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback_to: Option<u64>,
    /// What it changed.
    pub changes: Vec<Change>,
    /// What its entries say of themselves, one per change; of a rollback one for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

impl JobRecord {
    /// Who changed what its author said, where a person did that.
    #[must_use]
    pub fn edited_by(&self) -> Option<&str> {
        self.notes.iter().find_map(|note| note.meta.edited_by.as_deref())
    }
}

/// What an entry says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// What it does.
    pub operation: Operation,
    /// Why, and how sure.
    #[serde(flatten)]
    pub meta: Meta,
}

impl Documents {
    /// Every version of a document that we made, oldest first.
    ///
    /// # Errors
    /// A disk error; `BadHistory` or `NewerHistory` for a line that is neither a version nor the torn last line of a power cut.
    pub fn revisions(&self, document: &Document) -> Result<Vec<Revision>> {
        let path = self.log_of(document);
        let bytes = match self.disk.read(&path, 1 << 30) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        parse(&path, &bytes)
    }

    /// The last version we made, `None` when we made none; reads only the end of the log.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn last_revision(&self, document: &Document) -> Result<Option<Revision>> {
        match self.recent_revisions(document)?.pop() {
            Some(last) => Ok(Some(last)),
            // There is no log yet, or a power cut tore its last line.
            None => Ok(self.revisions(document)?.pop()),
        }
    }

    /// The text that a version displaced, i.e. the document as it was just before it.
    ///
    /// # Errors
    /// A disk error.
    pub fn before(&self, document: &Document, version: u64) -> Result<Option<Vec<u8>>> {
        self.text_in(&self.history_of(document), version)
    }

    /// The texts that versions displaced and that are kept, each with its version, oldest first: of many the newest, so many bytes of them.
    ///
    /// # Errors
    /// A disk error.
    pub fn displaced_texts(&self, document: &Document, bytes_max: usize) -> Result<Vec<(u64, Vec<u8>)>> {
        let mut versions: Vec<u64> =
            self.kept(document)?.iter().filter_map(|name| version_of_text(name)).collect();
        versions.sort_unstable();
        versions.dedup();
        let (mut texts, mut left) = (Vec::new(), bytes_max);
        for version in versions.into_iter().rev() {
            let Some(text) = self.before(document, version)? else { continue };
            let Some(rest) = left.checked_sub(text.len()) else { break };
            left = rest;
            texts.push((version, text));
        }
        texts.reverse();
        Ok(texts)
    }

    fn text_in(&self, history: &Path, version: u64) -> Result<Option<Vec<u8>>> {
        self.read_kept(&history.join(text_name(version)))
    }

    /// A document as it was during a version: from that commit until the next one, with what people saved in it
    /// meanwhile. Version 0 is what it was before our first commit. `revisions` are all of its versions.
    ///
    /// # Errors
    /// As `read`.
    pub fn during(
        &self,
        document: &Document,
        version: u64,
        revisions: &[Revision],
    ) -> Result<Option<Vec<u8>>> {
        match revisions.iter().find(|revision| revision.version == version.saturating_add(1)) {
            // There was no document before its first version.
            Some(Revision { before: None, .. }) => Ok(Some(Vec::new())),
            Some(next) => self.before(document, next.version),
            None if revisions.last().map_or(0, |last| last.version) == version => {
                Ok(Some(self.read(document)?.bytes))
            }
            None => Ok(None),
        }
    }

    /// The section text with this `base` hash: in the document as it is now, or else in the newest of the last `back` versions that
    /// are kept.
    ///
    /// # Errors
    /// A disk error.
    pub fn section_seen(&self, document: &Document, hash: &str, back: u32) -> Result<Option<String>> {
        let last = self.last_revision(document)?.map_or(0, |last| last.version);
        let oldest = last.saturating_sub(u64::from(back));
        let earlier = (oldest..=last).rev().map(|version| self.before(document, version));
        let texts = std::iter::once(self.read(document).map(|present| Some(present.bytes))).chain(earlier);
        for text in texts {
            let Some(text) = text?.and_then(|bytes| String::from_utf8(bytes).ok()) else { continue };
            let Ok(sections) = markdown_merge::sections(&text) else { continue };
            if let Some(found) = sections.into_iter().find(|section| section.hash == hash) {
                return Ok(text.get(found.own).map(str::to_owned));
            }
        }
        Ok(None)
    }

    /// The file names in a document's history: texts that are kept, and the log.
    ///
    /// # Errors
    /// A disk error.
    pub fn kept(&self, document: &Document) -> Result<Vec<String>> {
        match self.disk.list(&self.history_of(document)) {
            Ok(names) => Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(e.into()),
        }
    }

    /// Moves a displaced text into the history and adds the version to the log; both are durable when it returns. Repeating it
    /// after a crash changes nothing.
    ///
    /// # Errors
    /// A disk error.
    pub fn archive(&self, document: &Document, displaced: Option<&Path>, revision: &Revision) -> Result<()> {
        let dir = self.root(document)?;
        let log = dir.join(LOG);
        let mut fresh = self.disk.stat(&log)?.is_none_or(|stat| stat.len == 0);
        if let Some(displaced) = displaced {
            if fresh {
                // The directory is synced once for both names.
                self.disk.append(&log, b"")?;
            }
            self.keep_version(displaced, &self.snapshot(document, revision.version))?;
            self.disk.sync_dir(&dir)?;
            fresh = false;
            // The temp file's removal must be durable before the intent is removed.
            self.sync_beside(document)?;
        }
        self.disk.point("commit.archived");
        self.write_down(&dir, revision, fresh)?;
        self.disk.point("commit.logged");
        Ok(())
    }

    /// The same for the text that a version displaced. Whoever died after that and before its line was written left a text there: where it is not
    /// this one, somebody else's, it is set aside, as one that was written late.
    fn keep_version(&self, displaced: &Path, to: &Path) -> Result<()> {
        if let Some(left) = self.read_kept(to)?
            && self.read_kept(displaced)?.is_some_and(|text| text != left)
        {
            let named = |n: u32| to.with_extension(format!("{n}.{LATE}"));
            let is_free = |n: &u32| self.disk.stat_link(&named(*n)).is_ok_and(|stat| stat.is_none());
            self.disk.replace(to, &named((1..).find(is_free).unwrap_or(u32::MAX)))?;
        }
        self.keep(displaced, to)
    }

    /// Writes a version's line, `fresh` where the log's name may not be durable yet.
    fn write_down(&self, dir: &Path, revision: &Revision, fresh: bool) -> Result<()> {
        let line = line(revision);
        let log = dir.join(LOG);
        self.mend(&log)?;
        self.disk.append(&log, &line)?;
        self.disk.sync_file(&log)?;
        if fresh {
            self.disk.sync_dir(dir)?;
        }
        Ok(())
    }

    /// The document's history directory, with its name durable: if there is no log in it yet, its maker may have died before
    /// syncing.
    pub(crate) fn root(&self, document: &Document) -> Result<PathBuf> {
        let dir = self.history_of(document);
        self.disk.make_dir(&dir)?;
        if self.disk.stat(&dir.join(LOG))?.is_none() {
            self.disk.sync_dir(&self.history)?;
        }
        Ok(dir)
    }

    /// Makes durable what a worker wrote that died before syncing, or whose fsync failed: the names, and the version's line in the
    /// log. The line is written again, because after a failed fsync a second fsync proves nothing. A line that is there twice
    /// is read once.
    ///
    /// # Errors
    /// A disk error.
    pub fn confirm(&self, document: &Document, written: Option<&Revision>) -> Result<()> {
        self.sync_beside(document)?;
        let dir = self.history_of(document);
        if let Some(revision) = written {
            self.disk.sync_dir(&self.history)?;
            let fresh = self.disk.stat(&dir.join(LOG))?.is_none();
            self.disk.sync_dir(&dir)?;
            self.write_down(&dir, revision, fresh)?;
        }
        Ok(())
    }

    /// Syncs the directory of a document. If that was moved or removed meanwhile there is nothing to sync: an interrupted commit
    /// must not wait for it for ever.
    pub(crate) fn sync_beside(&self, document: &Document) -> Result<()> {
        match self.disk.sync_dir(document.directory()) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            other => Ok(other?),
        }
    }

    /// Whether the version is in the log already.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn has_version(&self, document: &Document, version: u64, batch: &str) -> Result<bool> {
        // Only the last version can be the interrupted one, because the document's lock is held until a commit is settled.
        // The batch alone does not identify it: a retried job may be the first job of two commits.
        Ok(self.last_revision(document)?.is_some_and(|last| last.version == version && last.batch == batch))
    }

    /// Keeps a person's text that a commit displaced in one of its earlier exchanges, beside the version. Its name has the
    /// beginning of the hash of what was `read` of it, so that a later write to it is noticed.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_aside(
        &self,
        document: &Document,
        displaced: &Path,
        version: u64,
        n: u32,
        read: &str,
    ) -> Result<()> {
        let dir = self.root(document)?;
        self.keep(displaced, &dir.join(format!("{version:06}.{n}.{}.md", mark_of(read))))?;
        self.disk.sync_dir(&dir)?;
        Ok(())
    }

    /// The last versions we made of a document, oldest first: those that the end of its log tells of.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn recent_revisions(&self, document: &Document) -> Result<Vec<Revision>> {
        self.tail_of(&self.history_of(document), &|_| true)
    }

    /// The versions that the end of a log tells of, back to one that is old enough.
    pub(crate) fn tail_of<T: LogLine>(
        &self,
        history: &Path,
        is_enough: &dyn Fn(&T) -> bool,
    ) -> Result<Vec<T>> {
        let path = history.join(LOG);
        let mut bytes_max = TAIL_BYTES;
        loop {
            let (tail, whole) = match self.disk.read_tail(&path, bytes_max) {
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
                other => other?,
            };
            // The tail begins in the middle of a line. The line of a version with many jobs may be longer than the tail: then a
            // longer tail is read.
            let cut = if whole { 0 } else { tail.iter().position(|b| *b == b'\n').unwrap_or(tail.len()) };
            let versions = parse(&path, tail.get(cut..).unwrap_or(&[]))?;
            if whole || versions.first().is_some_and(is_enough) {
                return Ok(versions);
            }
            bytes_max = bytes_max.saturating_mul(8);
        }
    }

    /// The documents that we changed last at `since` or later, as their logs name them.
    ///
    /// # Errors
    /// A disk error. A log that cannot be read is passed over: the next commit of that document says so.
    pub fn changed_since(&self, since: Timestamp) -> Result<Vec<Document>> {
        let names = match self.disk.list(&self.history) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut documents = Vec::new();
        for name in names {
            let history = self.history.join(name);
            let last = match self.recent_in(&history) {
                Ok(mut versions) => versions.pop(),
                Err(e) if e.is_machine_trouble() => return Err(e),
                Err(_) => None,
            };
            let path = last.filter(|last| last.at >= since).and_then(|last| last.document);
            let document = path.map(|path| Document { canonical: path.clone(), path });
            // After a home was restored elsewhere, the log may name another document than this history is about.
            documents.extend(document.filter(|document| self.history_of(document) == history));
        }
        Ok(documents)
    }

    /// Notes a link by whose name a document was found, beside its versions. Not synced: without it only a link that is away is not known.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_name(&self, document: &Document) -> Result<()> {
        let is_link = document.path != document.canonical
            && self.disk.stat_link(&document.path)?.is_some_and(|stat| stat.kind == FileKind::Link);
        let note = self.history_of(document).join(name_note(&document.path));
        if is_link && self.disk.stat(&note)?.is_none() {
            self.disk.append(&note, b"")?;
        }
        Ok(())
    }

    /// Whether this path was a link to some document when that was written.
    ///
    /// # Errors
    /// A disk error.
    pub fn was_a_link(&self, path: &Path) -> Result<bool> {
        let note = name_note(path);
        for history in self.histories()? {
            if self.disk.stat(&self.history.join(&history.name).join(&note))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The texts that `keep_aside` kept of a commit, in order.
    ///
    /// # Errors
    /// A disk error.
    pub fn asides(&self, document: &Document, version: u64) -> Result<Vec<Vec<u8>>> {
        let dir = self.history_of(document);
        let mut names: Vec<(u32, String)> = match self.disk.list(&dir) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        }
        .iter()
        .filter_map(|name| {
            let name = name.to_str()?;
            let (of, n, _) = aside(name)?;
            (of == version).then(|| (n, name.to_owned()))
        })
        .collect();
        names.sort_unstable();
        let read = |(_, name): &(u32, String)| Ok(self.disk.read(&dir.join(name), DOCUMENT_BYTES_MAX)?);
        names.iter().map(read).collect()
    }

    /// Looks again at a text that a commit displaced: an editor that still held the old file open may have written
    /// into it since. Answers that late text until it is `set_aside`. One that was looked at before is not read again while its
    /// file is the same; `apart_ms` as for `may_be_late`, so that a later write would have given it another time.
    ///
    /// # Errors
    /// A disk error.
    pub fn late_write(
        &self,
        document: &Document,
        version: &Version,
        apart_ms: u64,
    ) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.disk.stat_link(&self.snapshot(document, version.version))? else {
            return Ok(None);
        };
        if self.knows_displaced(document, version.version, file) {
            return Ok(None);
        }
        let late = self.late_in(&self.history_of(document), version)?;
        if late.is_none() && file.modified_ms.saturating_add(apart_ms) < version.at.millis() {
            self.read_displaced(document, version.version, file);
        }
        Ok(late)
    }

    fn late_in(&self, history: &Path, version: &Version) -> Result<Option<Vec<u8>>> {
        let Some(before) = &version.before else { return Ok(None) };
        if self.hash_of_file(&history.join(text_name(version.version)))?.is_none_or(|hash| hash == *before) {
            return Ok(None);
        }
        let text = self.text_in(history, version.version)?;
        Ok(text.filter(|bytes| hash(bytes) != *before))
    }

    /// Renames a late text that was reported to `<version>.<mark>.told.late.md`: it is a person's text, not an earlier version. `told` is what
    /// was reported: an editor may still have the file open, and go on writing.
    ///
    /// # Errors
    /// A disk error.
    pub fn set_aside(&self, document: &Document, version: u64, told: &[u8]) -> Result<()> {
        self.set_name_aside(document, &text_name(version), told)
    }

    /// Whether the file with the text that a version displaced was modified after that version began; `apart_ms` is how much the
    /// clocks of its file system and of whoever made the version may differ. Cheaper than reading the text.
    ///
    /// # Errors
    /// A disk error.
    pub fn may_be_late(&self, document: &Document, version: &Version, apart_ms: u64) -> Result<bool> {
        let stat = self.disk.stat_link(&self.snapshot(document, version.version))?;
        Ok(stat.is_some_and(|stat| stat.modified_ms.saturating_add(apart_ms) >= version.at.millis()))
    }

    /// The oldest version of which a displaced text is kept.
    ///
    /// # Errors
    /// A disk error.
    pub fn oldest_kept(&self, document: &Document) -> Result<Option<u64>> {
        Ok(self.kept(document)?.iter().filter_map(|name| version_of_text(name)).min())
    }

    /// The texts that `keep_aside` kept, and those that were set aside as late, that somebody wrote to since.
    ///
    /// # Errors
    /// A disk error.
    pub fn late_asides(&self, document: &Document) -> Result<Vec<LateAside>> {
        let mut late = Vec::new();
        for name in self.kept(document)? {
            let Some((version, _)) = watched(&name) else { continue };
            let path = self.history_of(document).join(&name);
            let (Some(text), Some(stat)) = (self.late_aside(&path)?, self.disk.stat_link(&path)?) else {
                continue;
            };
            late.push(LateAside { name, version, at: Timestamp(stat.modified_ms), text });
        }
        Ok(late)
    }

    /// The text in such a file, when it is not what it was.
    fn late_aside(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Some((_, Some(mark))) = watched(&name) else { return Ok(None) };
        Ok(self.read_kept(path)?.filter(|text| mark_of(&hash(text)) != mark))
    }

    /// As `set_aside`, of such a text.
    ///
    /// # Errors
    /// A disk error.
    pub fn set_name_aside(&self, document: &Document, name: &str, told: &[u8]) -> Result<()> {
        let dir = self.history_of(document);
        let stem = match self::told(name) {
            Some((_, mark)) => name.trim_end_matches(&format!(".{mark}.{TOLD}")),
            None => name.trim_end_matches(".md").trim_end_matches(".stood"),
        };
        let name_told = format!("{stem}.{}.{TOLD}", mark_of(&hash(told)));
        self.disk.replace(&dir.join(name), &dir.join(name_told))?;
        self.disk.sync_dir(&dir)?;
        Ok(())
    }

    /// Moves a file into the history by rename; from another file system by a durable copy.
    pub(crate) fn keep(&self, from: &Path, to: &Path) -> Result<()> {
        match self.disk.move_new(from, to) {
            Ok(Moved::Done | Moved::Gone) => Ok(()),
            // It was kept before a crash; the temp file is a second copy.
            Ok(Moved::Taken) => Ok(self.disk.remove(from).map(|_| ())?),
            Err(e) if e.kind() == std::io::ErrorKind::CrossesDevices => {
                let bytes = self.disk.read(from, DOCUMENT_BYTES_MAX)?;
                let part = to.with_extension("part");
                self.disk.remove(&part)?;
                self.disk.write_new(&part, &bytes, Attributes::PRIVATE)?;
                self.disk.replace(&part, to)?;
                if let Some(dir) = to.parent() {
                    self.disk.sync_dir(dir)?;
                }
                Ok(self.disk.remove(from).map(|_| ())?)
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Ends the last line of a log that a power cut tore, so that the next version begins a line of its own.
    fn mend(&self, log: &Path) -> Result<()> {
        match self.disk.read_tail(log, 1) {
            Ok((last, _)) if last.first().is_some_and(|b| *b != b'\n') => Ok(self.disk.append(log, b"\n")?),
            Ok(_) => Ok(()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// Removes the texts of old versions, the newest `keep` excepted; what the log says of them stays.
    ///
    /// # Errors
    /// A disk error.
    pub fn prune(&self, document: &Document, newest: u64, keep: u32) -> Result<usize> {
        let dir = self.history_of(document);
        self.remove_texts(&dir, &old_texts(&self.kept(document)?, newest, keep), keep)
    }

    /// Every document that has a history, also those that are no longer configured.
    ///
    /// # Errors
    /// A disk error.
    pub fn histories(&self) -> Result<Vec<HistoryOf>> {
        let mut found = Vec::new();
        for name in self.disk.list(&self.history)? {
            let Ok(name) = name.into_string() else { continue };
            if let Some((_, key)) = name.rsplit_once('-').filter(|(_, key)| key.len() == 16) {
                found.push(HistoryOf { key: key.to_owned(), name });
            }
        }
        Ok(found)
    }

    /// Removes the texts of a history beyond the newest `keep`, or only counts them.
    ///
    /// # Errors
    /// A disk error.
    pub fn prune_history(&self, history: &HistoryOf, keep: u32, dry_run: bool) -> Result<usize> {
        let dir = self.history.join(&history.name);
        let names = match self.disk.list(&dir) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(0),
            other => other?,
        };
        let names: Vec<String> = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
        // The newest text may be older than the newest version: then more texts are kept than asked for, never fewer.
        let newest = names.iter().filter_map(|name| version_of_text(name)).max().unwrap_or(0);
        let old = old_texts(&names, newest, keep);
        if dry_run { Ok(old.len()) } else { self.remove_texts(&dir, &old, keep) }
    }

    /// Removes the texts of earlier versions, except those that somebody wrote to since: they stay until that is reported.
    fn remove_texts(&self, dir: &Path, names: &[&String], keep: u32) -> Result<usize> {
        if names.is_empty() {
            return Ok(0);
        }
        let oldest = names.iter().filter_map(|name| version_of_text(name)).min().unwrap_or(0);
        let known = self.versions_in(dir, Some(oldest))?;
        let now = known.last().map_or(Timestamp(0), |last| last.at);
        let mut removed = 0;
        for name in names {
            let of = known.iter().find(|version| **name == text_name(version.version));
            // An agent runs command after command: what a person wrote is not to be crowded out by them, nor what commits displaced.
            let is_later = |one: &&Version, of: &Version| one.version > of.version;
            let is_kept = |of: &Version| {
                let later = || known.iter().filter(|one| is_later(one, of));
                let of_commits = later().filter(|one| one.during.is_none()).count();
                let is_young = now.since_ms(of.at) < IN_COMMANDS_KEPT_MS && later().count() < IN_COMMANDS_MAX;
                is_young && (of.during.is_some() || of_commits < keep as usize)
            };
            if of.is_some_and(is_kept) {
                continue;
            }
            let path = dir.join(name);
            let late = match of {
                Some(version) => self.late_in(dir, version)?,
                None => self.late_aside(&path)?,
            };
            removed += usize::from(late.is_none() && self.disk.remove(&path)?);
        }
        Ok(removed)
    }

    pub(crate) fn log_of(&self, document: &Document) -> PathBuf {
        self.history_of(document).join(LOG)
    }

    fn snapshot(&self, document: &Document, version: u64) -> PathBuf {
        self.history_of(document).join(text_name(version))
    }

    pub(crate) fn history_of(&self, document: &Document) -> PathBuf {
        self.history.join(format!("{}-{}", document.file_name(), document.key()))
    }
}

/// A text that was kept aside, and what somebody wrote into it since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateAside {
    /// Its file's name.
    pub name: String,
    /// The version whose commit kept it.
    pub version: u64,
    /// When it was written.
    pub at: Timestamp,
    /// What it says now.
    pub text: Vec<u8>,
}

/// The history of some document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryOf {
    /// `Document::key` of the document.
    pub key: String,
    pub(crate) name: String,
}

/// The name of the note that a path is a link to the document.
fn name_note(path: &Path) -> String {
    format!("{}.name", mark_of(&hash(path.as_os_str().as_encoded_bytes())))
}

/// The name of the text a version displaced.
fn text_name(version: u64) -> String {
    format!("{version:06}.md")
}

/// The version that a text in a history belongs to. Late texts (`.late.md`) belong to none and are never removed: a person wrote
/// them, and they are nowhere else.
fn version_of_text(name: &str) -> Option<u64> {
    let (version, rest) = name.split_once('.')?;
    (!rest.ends_with(LATE) && rest.ends_with("md")).then(|| version.parse().ok()).flatten()
}

/// The ending of a late text's name.
pub(crate) const LATE: &str = "late.md";

/// The ending of one that was reported.
const TOLD: &str = "told.late.md";

/// Version and mark in the name of a late text that was reported.
fn told(name: &str) -> Option<(u64, &str)> {
    let (stem, mark) = name.strip_suffix(TOLD)?.strip_suffix('.')?.rsplit_once('.')?;
    Some((stem.split(['.', '-']).next()?.parse().ok()?, mark))
}

/// Version, number and mark in the name of a text that was kept aside. Those of earlier builds have no mark.
fn aside(name: &str) -> Option<(u64, u32, Option<&str>)> {
    let parts: Vec<&str> = name.split('.').collect();
    let (version, n, mark) = match parts.as_slice() {
        [version, n, "md"] => (version, n, None),
        [version, n, mark, "md"] if *mark != "late" => (version, n, Some(*mark)),
        _ => return None,
    };
    Some((version.parse().ok()?, n.parse().ok()?, mark))
}

/// Version and mark in the name of a text that somebody may still write into: one that was kept aside, or a late one that was reported.
pub(crate) fn watched(name: &str) -> Option<(u64, Option<&str>)> {
    let late = || told(name).map(|(version, mark)| (version, Some(mark)));
    aside(name).map(|(version, _, mark)| (version, mark)).or_else(late)
}

/// The beginning of a hash, for names.
pub(crate) fn mark_of(hash: &str) -> &str {
    let digits = hash.strip_prefix("sha256:").unwrap_or(hash);
    digits.get(..12).unwrap_or(digits)
}

/// The texts that are older than the newest `keep` versions.
fn old_texts(names: &[String], newest: u64, keep: u32) -> Vec<&String> {
    let is_old = |version: u64| version.saturating_add(u64::from(keep)) <= newest;
    names.iter().filter(|name| version_of_text(name).is_some_and(is_old)).collect()
}

/// The versions in a log or a piece of one. A line that a power cut tore is left out: its commit was not finished, and
/// recovery writes the line again.
pub(crate) fn parse<T: LogLine>(path: &Path, bytes: &[u8]) -> Result<Vec<T>> {
    let mut versions: Vec<T> = Vec::new();
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let version = match serde_json::from_slice::<T::Line>(line).map(T::of) {
            Ok((format, version)) if format <= FORMAT => version,
            Ok((format, _)) => {
                let (path, line) = (path.to_owned(), at + 1);
                return Err(DocumentError::NewerHistory { path, line, format });
            }
            // Cut short, or with a hole where data never reached the disk (JSON has no NUL bytes).
            Err(e) if e.is_eof() || line.contains(&0) => continue,
            Err(e) => {
                let message = e.to_string();
                return Err(DocumentError::BadHistory { path: path.to_owned(), line: at + 1, message });
            }
        };
        // Recovery may have written the same line a second time.
        if versions.last().is_none_or(|last| last.name() != version.name()) {
            versions.push(version);
        }
    }
    Ok(versions)
}

/// What is read of a line of a log.
pub(crate) trait LogLine: Sized {
    /// As it is written.
    type Line: DeserializeOwned;
    /// Its format, and what it says.
    fn of(line: Self::Line) -> (u32, Self);
    /// Its version and batch.
    fn name(&self) -> (u64, &str);
}

impl LogLine for Revision {
    type Line = Line;

    fn of(line: Line) -> (u32, Revision) {
        (line.format, line.revision)
    }

    fn name(&self) -> (u64, &str) {
        (self.version, &self.batch)
    }
}

impl LogLine for Version {
    type Line = Version;

    fn of(line: Version) -> (u32, Version) {
        (line.format, line)
    }

    fn name(&self) -> (u64, &str) {
        (self.version, &self.batch)
    }
}

/// A version as a line of the log.
pub(crate) fn line(revision: &Revision) -> Vec<u8> {
    let line = Line { format: FORMAT, revision: revision.clone() };
    let mut line = serde_json::to_vec(&line).unwrap_or_default();
    line.push(b'\n');
    line
}

/// The version of the form of a line.
const FORMAT: u32 = 1;

/// A line of a document's log.
#[derive(Serialize, Deserialize)]
pub(crate) struct Line {
    /// The first lines ever written do not say it.
    #[serde(default)]
    format: u32,
    #[serde(flatten)]
    revision: Revision,
}

/// Texts that commands displaced are kept so long beyond the others, in milliseconds: a week.
const IN_COMMANDS_KEPT_MS: u64 = 7 * 24 * 60 * 60 * 1000;
/// So many versions later none is kept for that.
const IN_COMMANDS_MAX: usize = 100;

/// The log's name in a document's history.
pub(crate) const LOG: &str = "log.jsonl";

/// How much of a log's end is read first, in bytes: in almost every case it holds the last line.
pub(crate) const TAIL_BYTES: u64 = 64 << 10;
