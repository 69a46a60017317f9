//! What a command of an agent changed in a document past the queue. Before such a command runs, what the document says is
//! copied beside its history; where it reads otherwise afterwards, and no commit of ours explains that, the change becomes a
//! version of its own, so that `history` tells it and `rollback` takes it back. A person who saved at that moment is not told
//! apart from the command: nobody says who wrote a file.

use crate::document::{Document, hash};
use crate::history::{LATE, Revision, mark_of};
use crate::{Documents, Result};
use declaration::Timestamp;
use durable::Attributes;
use markdown_merge::rollback::changes;
use markdown_merge::{Change, Merger, Operation};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The beginning of the name of such a copy, before the mark of its hash; and its ending.
const BEFORE: &str = "before-";
/// The same of the text that the last merge made, where commands may run: what a command changes after a merge is told from it.
const MERGED: &str = "merged-";
const COPY: &str = ".copy";

/// The command during which a document was changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DuringCommand {
    /// The agent that ran it.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// What became of each section.
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// A document as it was when a command began.
#[derive(Debug, Clone, Copy)]
pub struct BeforeCommand<'a> {
    /// The hash of what it said; `None` where there was no document.
    pub hash: Option<&'a str>,
    /// Its newest version by then.
    pub version: u64,
    /// When it was looked at.
    pub at: Timestamp,
}

/// What became of a look at a document after a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterCommand {
    /// It says what it said, or what our own commits made of that.
    Explained,
    /// It was changed, and that is this version now. Where it was changed more than once, what it said besides is kept in these files.
    Version(u64, Vec<PathBuf>),
    /// It was changed, and merged over since: what it said before is kept in these files.
    Beside(Vec<PathBuf>),
    /// It was changed; what it said before was not kept.
    NotKept,
    /// Somebody commits to it now: look again later.
    Busy,
}

impl Documents {
    /// Copies what a document says, for as long as commands run that may change it; a text that was copied since `fresh` is not copied
    /// again. The hash of it; `None` where there is no document. Not synced: a copy that a power cut takes was of the moment.
    ///
    /// # Errors
    /// As `read`.
    pub fn keep_before(&self, document: &Document, fresh: Timestamp) -> Result<Option<String>> {
        let present = self.read(document)?;
        if present.stat.is_none() {
            return Ok(None);
        }
        let hash = hash(&present.bytes);
        if !self.has_before(document, &hash, present.bytes.len() as u64, fresh)? {
            self.disk.make_dir(&self.history_of(document))?;
            let copy = self.copy_of(document, &hash);
            // Another session may copy it at the same time.
            let part = copy.with_extension(format!("{}.part", std::process::id()));
            self.disk.remove(&part)?;
            self.disk.append(&part, &present.bytes)?;
            self.disk.replace(&part, &copy)?;
        }
        Ok(Some(hash))
    }

    /// Copies what a merge has just made of a document, in place of the merge before, where anything was copied because commands run. Under the
    /// document's lock.
    ///
    /// # Errors
    /// As `read`.
    pub fn keep_merged(&self, document: &Document) -> Result<()> {
        let dir = self.history_of(document);
        let mut copies = self.kept(document)?;
        copies.retain(|name| mark_of_copy(name).is_some());
        if copies.is_empty() {
            return Ok(());
        }
        let bytes = self.read(document)?.bytes;
        let name = format!("{MERGED}{}{COPY}", mark_of(&hash(&bytes)));
        for old in copies.iter().filter(|old| old.starts_with(MERGED) && **old != name) {
            self.disk.remove(&dir.join(old))?;
        }
        let part = dir.join("merged.part");
        self.disk.remove(&part)?;
        self.disk.append(&part, &bytes)?;
        Ok(self.disk.replace(&part, &dir.join(name))?)
    }

    /// Whether the copy of a text with this hash and so many bytes is there, whole, and was made since a moment.
    ///
    /// # Errors
    /// A disk error.
    pub fn has_before(&self, document: &Document, hash: &str, len: u64, fresh: Timestamp) -> Result<bool> {
        let copy = self.disk.stat_link(&self.copy_of(document, hash))?;
        Ok(copy.is_some_and(|copy| copy.len == len && copy.modified_ms >= fresh.millis()))
    }

    /// Makes a version of what a document says now, where it said something else when a command began and no commit of ours explains
    /// it. `is_settled` answers, under the document's lock, whether no commit of it is to be recovered. Durable when this returns.
    ///
    /// # Errors
    /// A disk error; a log that cannot be read.
    pub fn after_command(
        &self,
        document: &Document,
        seen: BeforeCommand<'_>,
        now: Timestamp,
        by: &DuringCommand,
        is_settled: &dyn Fn() -> bool,
    ) -> Result<AfterCommand> {
        let Some(_only_writer) = self.try_lock(document)? else { return Ok(AfterCommand::Busy) };
        let Some(_in_place) = self.try_lock_place(document)? else { return Ok(AfterCommand::Busy) };
        if !is_settled() {
            return Ok(AfterCommand::Busy);
        }
        let before = seen.hash;
        let back_to_seen = |first: &Revision| first.version <= seen.version + 1;
        let revisions = self.tail_of(&self.history_of(document), &back_to_seen)?;
        let newest = revisions.last().map_or(0, |last| last.version);
        let since = revisions.partition_point(|one| one.version <= seen.version);
        let since = revisions.get(since..).unwrap_or_default();
        let begun = before.map(|before| self.kept_before(document, before)).transpose()?.flatten();
        // What our last merge made, where one came in between: that stood there when the document was changed.
        let made = since.last().map(|last| last.after.as_str());
        let merged = made.map(|made| self.kept_before(document, made)).transpose()?.flatten();
        let present = match self.read(document) {
            Ok(present) => present,
            Err(e) if e.is_machine_trouble() => return Err(e),
            // What stands there now can have no versions.
            Err(_) => return self.beside_or_not(document, newest, merged.or(begun), None),
        };
        let after = present.stat.map(|_| hash(&present.bytes));
        let meanwhile = || self.seen_meanwhile(document, seen, after.as_deref(), since);
        if is_explained(before, after.as_deref(), since) {
            // Whoever wrote it down may have been killed before anybody was told, or was told while a command of another session ran.
            let of_a_command = |last: &&Revision| last.during.is_some();
            let untold = since.last().filter(of_a_command).filter(|_| before != after.as_deref());
            return Ok(untold
                .map_or(AfterCommand::Explained, |last| AfterCommand::Version(last.version, Vec::new())));
        }
        if made.is_some() && (merged.is_none() || made == after.as_deref()) {
            return self.beside_or_not(document, newest, begun, meanwhile()?);
        }
        let is_told_by_merges = made.is_none_or(|made| is_explained(before, Some(made), since));
        let (before, text) = if made.is_some() { (made, merged) } else { (before, begun.clone()) };
        let is_none = is_no_text(&present.bytes) || text.as_deref().is_some_and(is_no_text);
        if is_none || before.is_some() && text.is_none() {
            return self.beside_or_not(document, newest, text, meanwhile()?);
        }
        let meanwhile = meanwhile()?;
        let revision = Revision {
            version: newest + 1,
            at: now,
            batch: format!("command-{}-{}", now.millis(), mark_of(&hash(by.session.as_bytes()))),
            document: Some(document.canonical.clone()),
            by: by.agent.clone(),
            before: before.map(str::to_owned),
            after: after.unwrap_or_else(nothing),
            jobs: Vec::new(),
            during: Some(DuringCommand {
                changes: what_changed(text.as_deref().unwrap_or_default(), &present.bytes),
                ..by.clone()
            }),
        };
        let draft = text.map(|text| self.drafted(document, &text)).transpose()?;
        self.archive(document, draft.as_deref(), &revision)?;
        // Somebody wrote into it before that merge as well.
        let besides = [begun.filter(|_| !is_told_by_merges), meanwhile];
        Ok(AfterCommand::Version(revision.version, self.kept_beside(document, newest, besides)?))
    }

    /// Where no version can be made: what it said beside the versions.
    fn beside_or_not(
        &self,
        document: &Document,
        newest: u64,
        before: Option<Vec<u8>>,
        meanwhile: Option<Vec<u8>>,
    ) -> Result<AfterCommand> {
        let kept = self.kept_beside(document, newest, [before, meanwhile])?;
        Ok(if kept.is_empty() { AfterCommand::NotKept } else { AfterCommand::Beside(kept) })
    }

    /// The newest text that another session saw there since a command began, where it is neither what stands there now nor what a commit of
    /// ours found or left: somebody wrote it while the command ran.
    fn seen_meanwhile(
        &self,
        document: &Document,
        seen: BeforeCommand<'_>,
        after: Option<&str>,
        since: &[Revision],
    ) -> Result<Option<Vec<u8>>> {
        let dir = self.history_of(document);
        let copied = |hash: &str| self.disk.stat_link(&self.copy_of(document, hash));
        let begun = seen.hash.map(copied).transpose()?.flatten().map_or(0, |copy| copy.modified_ms);
        let begun = begun.max(seen.at.millis());
        let of_commits = since.iter().flat_map(|one| [one.before.as_deref(), Some(one.after.as_str())]);
        let known: Vec<&str> = of_commits.chain([seen.hash, after]).flatten().map(mark_of).collect();
        let mut newest = None;
        for name in self.kept(document)? {
            let mark = name.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(COPY));
            if mark.is_none_or(|mark| known.contains(&mark)) {
                continue;
            }
            let copy = self.disk.stat_link(&dir.join(&name))?.filter(|copy| copy.modified_ms > begun);
            newest = newest.max(copy.map(|copy| (copy.modified_ms, name)));
        }
        Ok(newest.map(|(_, name)| self.read_kept(&dir.join(name))).transpose()?.flatten())
    }

    /// Keeps the copy of a file that is no document, and was changed: for good, in the file that is answered.
    ///
    /// # Errors
    /// A disk error.
    pub fn keep_changed(&self, file: &Document, before: &str) -> Result<AfterCommand> {
        let Some(_only_writer) = self.try_lock(file)? else { return Ok(AfterCommand::Busy) };
        let text = self.kept_before(file, before)?;
        self.beside_or_not(file, 0, text, None)
    }

    /// Removes copies that were made before this moment, or counts them. One that is older than a day is made again at the next command.
    ///
    /// # Errors
    /// A disk error.
    pub fn forget_before(&self, moment: Timestamp, dry_run: bool) -> Result<usize> {
        let mut removed = 0;
        for history in self.histories()? {
            let dir = self.history.join(&history.name);
            let names = self.disk.list(&dir)?.into_iter().filter_map(|name| name.into_string().ok());
            let is_half =
                |name: &str| name.starts_with(BEFORE) && name.ends_with(".part") || name == "merged.part";
            for name in names.filter(|name| mark_of_copy(name).is_some() || is_half(name)) {
                let path = dir.join(name);
                let is_old = |stat: durable::Stat| stat.modified_ms < moment.millis();
                if self.disk.stat_link(&path)?.is_some_and(is_old) {
                    removed += usize::from(dry_run || self.disk.remove(&path)?);
                }
            }
        }
        Ok(removed)
    }

    fn copy_of(&self, document: &Document, hash: &str) -> PathBuf {
        self.history_of(document).join(format!("{BEFORE}{}{COPY}", mark_of(hash)))
    }

    /// The text that was copied; `None` where it is gone, or says something else.
    fn kept_before(&self, document: &Document, said: &str) -> Result<Option<Vec<u8>>> {
        let merged = self.history_of(document).join(format!("{MERGED}{}{COPY}", mark_of(said)));
        for copy in [self.copy_of(document, said), merged] {
            if let Some(text) = self.read_kept(&copy)?.filter(|text| hash(text) == said) {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// A text in a file that is to be moved into the history.
    fn drafted(&self, document: &Document, text: &[u8]) -> Result<PathBuf> {
        let part = self.history_of(document).join("command.part");
        self.disk.remove(&part)?;
        self.disk.write_new(&part, text, Attributes::PRIVATE)?;
        Ok(part)
    }

    /// Each by a name that is never cleared away: it is nowhere else.
    fn kept_beside(
        &self,
        document: &Document,
        version: u64,
        texts: [Option<Vec<u8>>; 2],
    ) -> Result<Vec<PathBuf>> {
        let mut kept = Vec::new();
        for text in texts.into_iter().flatten() {
            let dir = self.root(document)?;
            let names = self.kept(document)?;
            let name = |n: u32| format!("{version:06}.command-{n}.{LATE}");
            let n = (1..).find(|n| !names.contains(&name(*n))).unwrap_or(u32::MAX);
            let path = dir.join(name(n));
            self.keep(&self.drafted(document, &text)?, &path)?;
            self.disk.sync_dir(&dir)?;
            kept.push(path);
        }
        Ok(kept)
    }
}

/// The hash of a document that is gone: it says nothing.
fn nothing() -> String {
    hash(b"")
}

/// Whether our commits lead from one state to another, each told by the hash of its text. A purge leads on from whatever was there: it
/// changed the texts of before, whose hashes are other ones since.
fn is_explained(before: Option<&str>, now: Option<&str>, revisions: &[Revision]) -> bool {
    let nothing = nothing();
    let said = |text: Option<&str>| text.unwrap_or(&nothing).to_owned();
    let mut state = said(before);
    for revision in revisions {
        if said(revision.before.as_deref()) == state || is_purge(revision) {
            state.clone_from(&revision.after);
        }
    }
    state == said(now)
}

fn is_purge(revision: &Revision) -> bool {
    revision.jobs.iter().flat_map(|job| &job.notes).any(|note| note.operation == Operation::Purge)
}

/// Whether it cannot be read as a document: then no rollback leads from it, or back to it.
fn is_no_text(bytes: &[u8]) -> bool {
    Merger::open(bytes).is_err()
}

fn what_changed(before: &[u8], now: &[u8]) -> Vec<Change> {
    let mergers = Merger::open(before).ok().zip(Merger::open(now).ok());
    mergers.map(|(before, now)| changes(&before, &now)).unwrap_or_default()
}

/// The mark in the name of a copy.
pub(crate) fn mark_of_copy(name: &str) -> Option<&str> {
    name.strip_prefix(BEFORE).or_else(|| name.strip_prefix(MERGED))?.strip_suffix(COPY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a commit found, and what it made of that.
    type State = (Option<&'static str>, &'static str);

    fn revisions(states: &[State]) -> Vec<Revision> {
        let revision = |(before, after): &State| Revision {
            version: 1,
            at: Timestamp(1),
            batch: String::new(),
            document: None,
            by: String::new(),
            before: before.map(str::to_owned),
            after: (*after).to_owned(),
            jobs: Vec::new(),
            during: None,
        };
        states.iter().map(revision).collect()
    }

    #[test]
    fn commits_of_ours_explain_what_they_led_to_and_nothing_else() {
        let explained = |states: &[State], before: Option<&str>, now: Option<&str>| {
            is_explained(before, now, &revisions(states))
        };
        assert!(explained(&[], Some("a"), Some("a")));
        assert!(!explained(&[], Some("a"), Some("b")));
        assert!(explained(&[(Some("a"), "b")], Some("a"), Some("b")));
        assert!(explained(&[(None, "a"), (Some("a"), "b"), (Some("b"), "c")], Some("a"), Some("c")));
        assert!(explained(&[(None, "a")], None, Some("a")));
        // Somebody wrote after it, or before it.
        assert!(!explained(&[(Some("a"), "b")], Some("a"), Some("c")));
        assert!(!explained(&[(Some("x"), "b")], Some("a"), Some("b")));
        // An earlier state came back.
        assert!(!explained(&[(Some("b"), "a"), (Some("a"), "b")], Some("b"), Some("a")));
        assert!(!explained(&[(None, "a")], Some("a"), None));
    }

    #[test]
    fn what_changed_is_told_by_sections() {
        let (before, now) = (b"# A\n\n## B\n\nb\n", b"# A\n\n## B\n\nc\n");
        assert_eq!(what_changed(before, before), []);
        let changed = what_changed(before, now);
        assert!(
            changed.iter().any(|change| change.heading == ["A", "B"] && change.before != change.after),
            "{changed:?}"
        );
        assert_eq!(what_changed(b"", now).len(), 2);
    }

    #[test]
    fn copies_are_known_by_their_names() {
        assert_eq!(mark_of_copy("before-0123456789ab.copy"), Some("0123456789ab"));
        assert!(["000001.md", "before-x.part", "log.jsonl"].iter().all(|name| mark_of_copy(name).is_none()));
    }
}
