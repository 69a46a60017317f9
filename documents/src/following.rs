//! Logs followed: what the log of a document said is remembered, so that a worker that stays reads of it only what was added.
//! The disk stays the truth: a log that is another file now, is shorter, or says something else where it was last read to is
//! read anew; and what is remembered of earlier changes only tells whether the log must be read, never what it says.

use crate::document::Document;
use crate::history::{LOG, LogLine, TAIL_BYTES, Version, parse};
use crate::{Documents, Result};
use declaration::Timestamp;
use durable::Stat;
use markdown_merge::{Change, ChangeKind};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Versions that are remembered of a document: as many as are looked at before each commit, and twice the texts that are kept.
const RECENT_MAX: usize = 16;
/// Logs that are remembered: some 5 KiB each, and `MARK_BYTES` where changes were looked for.
const LOGS_MAX: usize = 256;
/// What is read again of the end of what is known, to see that it is the same log, in bytes: more than the longest field that
/// two lines may share.
const ANCHOR_BYTES: u64 = 1024;
/// If more than this was added, in bytes, the log is read as if nothing of it were known.
const ADDED_BYTES_MAX: u64 = 1 << 20;
/// Bytes of a long log that are read at a time.
const CHUNK_BYTES: u64 = 256 << 10;

/// What the marks of a log take up, however many changes it tells of: 30,000, some more than a log has, leave every eighth other
/// text taken for one of them.
const MARK_BYTES: usize = 16 << 10;

/// What is remembered of the logs of a home's documents.
pub(crate) type FollowedLogs = Arc<Mutex<BTreeMap<PathBuf, Followed>>>;

/// The hashes of a section, with and without its sub-sections; `None` where it is not there.
pub type SectionHashes = [Option<String>; 2];

/// A section as a declaration names it.
pub(crate) type SectionKey = (Vec<String>, u8);

/// A state of a document in which some section may say what it said at an earlier moment; to be compared with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unexplained([u8; 16]);

/// What is known of a log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Followed {
    /// Device and inode.
    file: (u64, u64),
    /// Read to here, which is the end of a line.
    read_to: u64,
    /// What was read last.
    anchor: Vec<u8>,
    recent: VecDeque<Version>,
    /// What was changed in the last days; not known until it is asked for.
    changes: Option<Changes>,
    /// A version, and the file with the text that it displaced, which was read and had not changed since.
    displaced: Option<(u64, Stat)>,
}

/// Every section that was changed and, as marks, every text that it had. As long as no new section comes, nothing of it grows.
#[derive(Debug, Clone, Default)]
struct Changes {
    /// Changes since this time are known. If the clock is set back, earlier ones are needed and the log is read again.
    since: Timestamp,
    /// The hash of each section after its last change.
    left: BTreeMap<SectionKey, Option<String>>,
    marks: Marks,
    /// Whether we made the document anew, because it was away.
    made_anew: bool,
    /// The state of the document that was checked last.
    looked_into: Option<Unexplained>,
}

/// Which texts sections had: a filter of a fixed size that knows every mark it was given, and takes others for one of them now and
/// then. If it does, the log is only read once more than needed.
#[derive(Debug, Clone)]
struct Marks(Box<[u64]>);

impl Default for Marks {
    fn default() -> Marks {
        Marks(vec![0; MARK_BYTES / size_of::<u64>()].into_boxed_slice())
    }
}

impl Marks {
    fn insert(&mut self, mark: u64) {
        for (word, bit) in self.places(mark) {
            if let Some(word) = self.0.get_mut(word) {
                *word |= bit;
            }
        }
    }

    fn contains(&self, mark: u64) -> bool {
        self.places(mark).iter().all(|(word, bit)| self.0.get(*word).is_some_and(|word| word & bit != 0))
    }

    /// A mark is two bits: which word, and which of its bits.
    fn places(&self, mark: u64) -> [(usize, u64); 2] {
        let bits = self.0.len() as u64 * u64::from(u64::BITS);
        [mark >> 32, mark & u64::from(u32::MAX)].map(|half| {
            let at = half % bits;
            (usize::try_from(at / u64::from(u64::BITS)).unwrap_or(0), 1 << (at % u64::from(u64::BITS)))
        })
    }
}

/// The part of a line that tells its changes.
#[derive(Deserialize)]
struct ChangesLine {
    #[serde(default)]
    format: u32,
    version: u64,
    at: Timestamp,
    batch: String,
    #[serde(default)]
    before: Option<String>,
    #[serde(default)]
    after: String,
    jobs: Vec<ChangedBy>,
    /// The command that the version stands for.
    #[serde(default)]
    during: Option<ChangedBy>,
}

/// A job, and what it changed; or a command, which has no id.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ChangedBy {
    /// The job.
    pub id: String,
    /// The version that it is part of.
    #[serde(skip)]
    pub version: u64,
    /// The version it put the document back to, for a rollback.
    pub rollback_to: Option<u64>,
    /// What it changed.
    pub changes: Vec<Change>,
    /// Hash of the document's text before it and the others of its commit; `None` where there was none.
    #[serde(skip)]
    pub displaced: Option<String>,
    /// Hash of the text after them.
    #[serde(skip)]
    pub made: String,
}

impl ChangedBy {
    /// Whether it is a command that changed the document past the queue.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.id.is_empty()
    }
}

impl LogLine for ChangesLine {
    type Line = ChangesLine;

    fn of(line: ChangesLine) -> (u32, ChangesLine) {
        (line.format, line)
    }

    fn name(&self) -> (u64, &str) {
        (self.version, &self.batch)
    }
}

impl Documents {
    /// The last versions we made of a document, oldest first: at least the newest.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn recent_versions(&self, document: &Document) -> Result<Vec<Version>> {
        self.recent_in(&self.history_of(document))
    }

    /// The same, back to a version at least.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn versions_back_to(&self, document: &Document, oldest: Option<u64>) -> Result<Vec<Version>> {
        self.versions_in(&self.history_of(document), oldest)
    }

    pub(crate) fn versions_in(&self, history: &Path, oldest: Option<u64>) -> Result<Vec<Version>> {
        let is_enough = |version: &Version| oldest.is_none_or(|oldest| version.version <= oldest);
        let recent = self.recent_in(history)?;
        if recent.first().is_some_and(is_enough) { Ok(recent) } else { self.tail_of(history, &is_enough) }
    }

    pub(crate) fn recent_in(&self, history: &Path) -> Result<Vec<Version>> {
        let Some(followed) = self.followed(history)? else { return Ok(Vec::new()) };
        let recent = followed.recent.iter().cloned().collect();
        self.remember(history, followed);
        Ok(recent)
    }

    /// Whether a section may say again what it said before or after one of our changes since that time, and has not been left
    /// so by the last of them: then `each_change_since` says what is undone. `None` also where that state was looked into already.
    /// `now` tells the hashes of a section, `None` where its name is no section's; `kept`, whether a text that is kept has it as it is now.
    /// Under the document's lock.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn unexplained(
        &self,
        document: &Document,
        since: Timestamp,
        now: &dyn Fn(&[String], u8) -> Option<SectionHashes>,
        kept: &dyn Fn(&[String], u8) -> bool,
    ) -> Result<Option<Unexplained>> {
        let history = self.history_of(document);
        let Some(mut followed) = self.followed(&history)? else { return Ok(None) };
        let mut changes = match followed.changes.take().filter(|changes| changes.since <= since) {
            Some(changes) => changes,
            None => {
                let mut changes = Changes { since, ..Changes::default() };
                self.each_line_since(&history, followed.read_to, since, &mut |line| changes.learn(&line))?;
                changes
            }
        };
        let state = changes.unexplained(now, kept);
        followed.changes = Some(changes);
        self.remember(&history, followed);
        Ok(state)
    }

    /// Remembers that this state of a document was checked and reported, so that it is not checked again.
    pub fn looked_into(&self, document: &Document, state: Unexplained) {
        let mut logs = self.logs();
        let changes = logs.get_mut(&self.history_of(document)).and_then(|log| log.changes.as_mut());
        if let Some(changes) = changes {
            changes.looked_into = Some(state);
        }
    }

    /// Whether this file with the text that a version displaced was read before, and was what it is now.
    pub(crate) fn knows_displaced(&self, document: &Document, version: u64, file: Stat) -> bool {
        let logs = self.logs();
        logs.get(&self.history_of(document)).is_some_and(|log| log.displaced == Some((version, file)))
    }

    /// Remembers that a file with the text that a version displaced was read and says what it said.
    pub(crate) fn read_displaced(&self, document: &Document, version: u64, file: Stat) {
        if let Some(log) = self.logs().get_mut(&self.history_of(document)) {
            log.displaced = Some((version, file));
        }
    }

    /// Gives each job that changed a document since that time, oldest first: one after another, because a log may tell of
    /// very many. Under the document's lock.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn each_change_since(
        &self,
        document: &Document,
        since: Timestamp,
        each: &mut dyn FnMut(ChangedBy),
    ) -> Result<()> {
        self.each_change_or_command_since(document, since, &mut |by| {
            if !by.is_command() {
                each(by);
            }
        })
    }

    /// The same with the commands between them, of which nobody says that they were ours.
    ///
    /// # Errors
    /// As `revisions`.
    pub fn each_change_or_command_since(
        &self,
        document: &Document,
        since: Timestamp,
        each: &mut dyn FnMut(ChangedBy),
    ) -> Result<()> {
        let history = self.history_of(document);
        let Some(stat) = self.disk.stat(&history.join(LOG))? else { return Ok(()) };
        self.each_line_since(&history, stat.len, since, &mut |line| {
            let ChangesLine { version, before, after, jobs, during, .. } = line;
            jobs.into_iter().chain(during).for_each(|job| {
                each(ChangedBy { version, displaced: before.clone(), made: after.clone(), ..job });
            });
        })
    }

    /// What is known of a log, brought up to date; `None` where there is none. It is taken out until it is given back with
    /// `remember`, so two threads that ask at the same time both read the log.
    fn followed(&self, history: &Path) -> Result<Option<Followed>> {
        let log = history.join(LOG);
        let known = self.logs().remove(history);
        let Some(stat) = self.disk.stat(&log)? else { return Ok(None) };
        let known = known.filter(|known| known.may_go_on(&stat));
        match known.map(|known| self.gone_on(&log, known, &stat)).transpose()?.flatten() {
            Some(followed) => Ok(Some(followed)),
            None => self.begun(history, &stat).map(Some),
        }
    }

    /// What was added to the log since it was read; `None` if another log is there now.
    fn gone_on(&self, log: &Path, mut known: Followed, stat: &Stat) -> Result<Option<Followed>> {
        let from = known.read_to - known.anchor.len() as u64;
        let bytes = self.disk.read_at(log, from, stat.len - from)?;
        let Some(added) = bytes.strip_prefix(known.anchor.as_slice()) else { return Ok(None) };
        let added = whole_lines(added);
        parse::<Version>(log, added)?.into_iter().for_each(|version| known.learn(version));
        if let Some(changes) = &mut known.changes {
            parse::<ChangesLine>(log, added)?.iter().for_each(|line| changes.learn(line));
        }
        known.read(added);
        Ok(Some(known))
    }

    /// Reads a log of which nothing is known.
    fn begun(&self, history: &Path, stat: &Stat) -> Result<Followed> {
        let (log, mut bytes_max) = (history.join(LOG), TAIL_BYTES);
        loop {
            let start = stat.len.saturating_sub(bytes_max);
            let bytes = self.disk.read_at(&log, start, stat.len - start)?;
            let cut = if start == 0 { 0 } else { first_line(&bytes) };
            let lines = whole_lines(bytes.get(cut..).unwrap_or(&[]));
            let versions = parse::<Version>(&log, lines)?;
            if start == 0 || !versions.is_empty() {
                let read_to = start + cut as u64;
                let mut followed =
                    Followed { file: (stat.device, stat.inode), read_to, ..Followed::default() };
                versions.into_iter().for_each(|version| followed.learn(version));
                followed.read(lines);
                return Ok(followed);
            }
            bytes_max = bytes_max.saturating_mul(8);
        }
    }

    /// Gives each line since that time, and perhaps some before it, oldest first, of a log that is read to `end`.
    fn each_line_since(
        &self,
        history: &Path,
        end: u64,
        since: Timestamp,
        each: &mut dyn FnMut(ChangesLine),
    ) -> Result<()> {
        let log = history.join(LOG);
        let start = self.start_of(&log, end, since)?;
        self.each_line(&log, start, end, &mut |line: ChangesLine| {
            if line.at >= since {
                each(line);
            }
        })
    }

    /// Gives each line between two offsets, oldest first, and those that recovery wrote a second time once. One piece of the log is
    /// held at a time.
    pub(crate) fn each_line<T: LogLine>(
        &self,
        log: &Path,
        start: u64,
        end: u64,
        each: &mut dyn FnMut(T),
    ) -> Result<()> {
        let mut at = start;
        let mut rest: Vec<u8> = Vec::new();
        let mut last = None;
        while at < end {
            let bytes = self.disk.read_at(log, at, CHUNK_BYTES.min(end - at))?;
            if bytes.is_empty() {
                break;
            }
            at += bytes.len() as u64;
            rest.extend(bytes);
            // The last line of the log counts even without its line end, as in `revisions`.
            let lines = if at < end { whole_lines(&rest).len() } else { rest.len() };
            for line in parse::<T>(log, rest.get(..lines).unwrap_or(&[]))? {
                let (version, batch) = line.name();
                let name = Some((version, batch.to_owned()));
                // Also where one that is there twice is in two pieces.
                if name != last {
                    last = name;
                    each(line);
                }
            }
            rest.drain(..lines);
        }
        Ok(())
    }

    /// The offset from which the log must be read to see all changes since that time.
    fn start_of(&self, log: &Path, end: u64, since: Timestamp) -> Result<u64> {
        let mut back = TAIL_BYTES;
        while back < end {
            let start = end - back;
            let bytes = self.disk.read_at(log, start, TAIL_BYTES)?;
            let cut = first_line(&bytes);
            let lines = whole_lines(bytes.get(cut..).unwrap_or(&[]));
            if parse::<Version>(log, lines)?.first().is_some_and(|version| version.at < since) {
                return Ok(start + cut as u64);
            }
            back = back.saturating_mul(8);
        }
        Ok(0)
    }

    fn remember(&self, history: &Path, followed: Followed) {
        let mut logs = self.logs();
        logs.insert(history.to_owned(), followed);
        if logs.len() > LOGS_MAX {
            // Whichever is dropped: its log is read again when it is needed.
            logs.pop_first();
        }
    }

    fn logs(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, Followed>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Followed {
    fn may_go_on(&self, stat: &Stat) -> bool {
        let added = stat.len.checked_sub(self.read_to);
        self.file == (stat.device, stat.inode) && added.is_some_and(|added| added <= ADDED_BYTES_MAX)
    }

    fn learn(&mut self, version: Version) {
        // Recovery may have written the same line a second time.
        if self.recent.back().is_some_and(|last| last.name() == version.name()) {
            return;
        }
        self.recent.push_back(version);
        if self.recent.len() > RECENT_MAX {
            self.recent.pop_front();
        }
    }

    /// Takes in these whole lines.
    fn read(&mut self, lines: &[u8]) {
        self.read_to += lines.len() as u64;
        self.anchor.extend(lines);
        let excess = self.anchor.len().saturating_sub(usize::try_from(ANCHOR_BYTES).unwrap_or(usize::MAX));
        self.anchor = self.anchor.split_off(excess);
    }
}

impl Changes {
    fn learn(&mut self, line: &ChangesLine) {
        self.made_anew |= line.before.is_none() && !self.left.is_empty();
        for job in &line.jobs {
            for change in job.changes.iter().filter(|change| change.kind != ChangeKind::Unchanged) {
                let section = (change.heading.clone(), change.level);
                self.marks.insert(mark(&section, change.before.as_ref()));
                self.marks.insert(mark(&section, change.after.as_ref()));
                self.left.insert(section, change.after.clone());
                if let Some(renamed) = &change.renamed {
                    let section = (change.called_since(), change.level);
                    self.marks.insert(mark(&section, None));
                    self.left.extend(renamed.hash.clone().map(|hash| (section, Some(hash))));
                }
            }
        }
    }

    fn unexplained(
        &mut self,
        now: &dyn Fn(&[String], u8) -> Option<SectionHashes>,
        kept: &dyn Fn(&[String], u8) -> bool,
    ) -> Option<Unexplained> {
        let mut state = Sha256::new();
        let mut said_before = false;
        let mut unsaid: Vec<&SectionKey> = Vec::new();
        for (section, left) in &self.left {
            let Some(hashes) = now(&section.0, section.1) else { continue };
            if hashes.contains(left) {
                continue;
            }
            for hash in hashes.iter().chain([left]) {
                state.update(mark(section, hash.as_ref()).to_le_bytes());
                state.update(hash.as_deref().unwrap_or_default());
            }
            said_before |= hashes.iter().any(|hash| self.marks.contains(mark(section, hash.as_ref())));
            unsaid.push(section);
        }
        let digest = state.finalize();
        let mut first = [0; 16];
        first.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        let state = Unexplained(first);
        if self.looked_into == Some(state) {
            return None;
        }
        // Texts are read last: a person's own words are nearly always in none.
        if said_before
            || self.made_anew && !unsaid.is_empty()
            || unsaid.into_iter().any(|(heading, level)| kept(heading, *level))
        {
            return Some(state);
        }
        self.looked_into = Some(state);
        None
    }
}

/// A short hash of a section's text.
fn mark(section: &SectionKey, hash: Option<&String>) -> u64 {
    let mut digest = Sha256::new();
    // By its last name: jobs may call one section in several ways.
    digest.update(section.0.last().map_or("", String::as_str));
    digest.update([0]);
    digest.update([section.1]);
    digest.update(hash.map_or("", String::as_str));
    let digest = digest.finalize();
    digest.iter().take(8).fold(0, |mark, byte| mark << 8 | u64::from(*byte))
}

/// The lines that are there with their ends.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    bytes.get(..end).unwrap_or(&[])
}

/// Where the first whole line begins.
fn first_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // as somebody else would change a log
mod tests {
    use super::*;
    use crate::{JobRecord, Revision};
    use durable::{Disk, RealDisk};
    use std::fs;

    struct Desk {
        dir: tempfile::TempDir,
        disk: Arc<dyn Disk>,
        document: Document,
        /// One that follows, as a worker that stays does.
        stays: Documents,
    }

    impl Desk {
        fn new() -> Desk {
            let dir = tempfile::tempdir().unwrap();
            let disk: Arc<dyn Disk> = Arc::new(RealDisk::new());
            for name in ["history", "locks"] {
                disk.make_dir(&dir.path().join(name)).unwrap();
            }
            let path = dir.path().join("a.md");
            let document = Document { path: path.clone(), canonical: path };
            let mut desk =
                Desk { stays: Documents::new(disk.clone(), "/".into(), "/".into()), dir, disk, document };
            desk.stays = desk.comes();
            desk
        }

        /// One that comes anew and knows nothing.
        fn comes(&self) -> Documents {
            let (history, locks) = (self.dir.path().join("history"), self.dir.path().join("locks"));
            Documents::new(self.disk.clone(), history, locks)
        }

        fn log(&self) -> PathBuf {
            self.stays.log_of(&self.document)
        }

        /// A version that leaves section `A` with this text.
        fn commit(&self, version: u64, before: Option<&str>, after: &str) {
            let change = Change {
                kind: ChangeKind::Changed,
                heading: vec!["A".to_owned()],
                level: 2,
                before: before.map(str::to_owned),
                after: Some(after.to_owned()),
                item: None,
                renamed: None,
                piece: None,
                sections: None,
            };
            let job =
                JobRecord { id: format!("job-{version}"), changes: vec![change], ..JobRecord::default() };
            let revision = Revision {
                version,
                at: Timestamp(1000 + version),
                batch: format!("batch-{version}"),
                document: Some(self.document.canonical.clone()),
                by: "w1".to_owned(),
                before: before.map(|_| "sha256:y".to_owned()),
                after: "sha256:y".to_owned(),
                jobs: vec![job],
                during: None,
            };
            // By somebody else, as far as the one that stays can tell.
            self.comes().archive(&self.document, None, &revision).unwrap();
        }

        /// What both say of the log is the same; and this, by their numbers.
        fn recent(&self) -> Vec<u64> {
            let versions = |documents: &Documents| -> Vec<u64> {
                let recent = documents.recent_versions(&self.document).unwrap();
                recent.iter().rev().take(RECENT_MAX).rev().map(|version| version.version).collect()
            };
            let (stays, comes) = (versions(&self.stays), versions(&self.comes()));
            assert_eq!(stays, comes);
            stays
        }

        /// Whether section `A`, that says this now, may say what it said before.
        fn doubted(&self, now: &str) -> Option<Unexplained> {
            let ask = |documents: &Documents| {
                let hashes = |_: &[String], _| Some([Some(now.to_owned()), Some(now.to_owned())]);
                documents.unexplained(&self.document, Timestamp(0), &hashes, &|_, _| false).unwrap()
            };
            let (stays, comes) = (ask(&self.stays), ask(&self.comes()));
            assert_eq!(stays, comes, "what is remembered changes no answer");
            stays
        }

        /// The ids of the jobs since that time.
        fn changed_since(&self, since: Timestamp) -> Vec<String> {
            let mut ids = Vec::new();
            self.stays.each_change_since(&self.document, since, &mut |job| ids.push(job.id)).unwrap();
            ids
        }

        /// Bytes of all that the one that stays remembers of the log.
        fn remembered(&self) -> usize {
            let logs = self.stays.logs();
            let followed = logs.values().next().unwrap();
            let versions = followed.recent.iter().map(|version| format!("{version:?}").len());
            let changes = followed.changes.as_ref().unwrap();
            let sections = changes.left.iter().map(|section| format!("{section:?}").len());
            followed.anchor.len()
                + versions.sum::<usize>()
                + sections.sum::<usize>()
                + size_of_val(&*changes.marks.0)
        }
    }

    #[test]
    fn what_is_remembered_does_not_grow_with_the_commits() {
        let desk = Desk::new();
        let commit = |version: u64| {
            desk.commit(version, Some(&format!("a{:06}", version - 1)), &format!("a{version:06}"));
            assert!(
                desk.stays
                    .unexplained(&desk.document, Timestamp(0), &|_, _| None, &|_, _| false)
                    .unwrap()
                    .is_none()
            );
        };
        (1_001..=1_100).for_each(commit);
        let after_100 = desk.remembered();
        (1_101..=2_000).for_each(commit);
        assert_eq!(desk.remembered(), after_100);
        assert!(desk.doubted("a001001").is_some(), "and nothing is forgotten");
    }

    #[test]
    fn a_filter_knows_all_it_was_given_and_takes_few_others_for_them() {
        let section = |n: usize| (vec![format!("Section {}", n % 7)], 2);
        let mark = |n: usize| mark(&section(n), Some(&format!("sha256:{n}")));
        let mut marks = Marks::default();
        for (given, wrong_max) in [(1_000, 10), (10_000, 300), (30_000, 1_600)] {
            (0..given).for_each(|n| marks.insert(mark(n)));
            assert!((0..given).all(|n| marks.contains(mark(n))));
            let wrong = (100_000..110_000).filter(|n| marks.contains(mark(*n))).count();
            assert!(wrong <= wrong_max, "of 10,000 others {wrong} after {given}");
        }
    }

    #[test]
    fn what_others_add_is_seen_and_what_they_replace_is_read_anew() {
        let desk = Desk::new();
        assert!(desk.recent().is_empty());
        desk.commit(1, None, "a1");
        assert_eq!(desk.recent(), [1]);
        assert!(desk.doubted("a1").is_none() && desk.doubted("theirs").is_none());
        for version in 2..=40 {
            desk.commit(version, Some(&format!("a{}", version - 1)), &format!("a{version}"));
        }
        assert_eq!(desk.recent(), (25..=40).collect::<Vec<_>>());
        assert!(desk.doubted("a40").is_none(), "as it was left");
        assert!(desk.doubted("a39").is_some() && desk.doubted("a1").is_some());
        assert!(desk.doubted("theirs").is_none());
        // Another file in its place.
        assert!(desk.stays.trim_to(&desk.document, 1, 0).unwrap());
        assert_eq!(desk.recent(), [40]);
        assert!(desk.doubted("a39").is_some() && desk.doubted("a38").is_none());
        // The same file, written over: as long as it was, then shorter.
        let text = fs::read_to_string(desk.log()).unwrap();
        fs::write(desk.log(), text.replace("\"version\":40", "\"version\":50")).unwrap();
        assert_eq!(desk.recent(), [50]);
        fs::write(desk.log(), "").unwrap();
        assert!(desk.recent().is_empty());
        fs::remove_file(desk.log()).unwrap();
        assert!(desk.recent().is_empty() && desk.doubted("a39").is_none());
    }

    #[test]
    fn a_line_counts_when_it_is_whole_and_once() {
        let desk = Desk::new();
        desk.commit(1, None, "a1");
        assert_eq!(desk.recent(), [1]);
        let line = fs::read(desk.log()).unwrap();
        // Torn by a power cut; what comes next has a line of its own.
        desk.disk.append(&desk.log(), &line[..line.len() / 2]).unwrap();
        assert_eq!(desk.recent(), [1]);
        desk.commit(2, Some("a1"), "a2");
        assert_eq!(desk.recent(), [1, 2]);
        desk.commit(2, Some("a1"), "a2");
        assert_eq!(desk.recent(), [1, 2], "recovery wrote it again");
        assert_eq!(desk.changed_since(Timestamp(0)).len(), 2);
        assert_eq!(desk.changed_since(Timestamp(1002)).len(), 1);
    }

    #[test]
    fn a_state_is_looked_into_once() {
        let desk = Desk::new();
        desk.commit(1, Some("a0"), "a1");
        let state = desk.doubted("a0").unwrap();
        desk.stays.looked_into(&desk.document, state);
        let again = |now: &str| {
            let hashes = |_: &[String], _| Some([Some(now.to_owned()), Some(now.to_owned())]);
            desk.stays.unexplained(&desk.document, Timestamp(0), &hashes, &|_, _| false).unwrap()
        };
        assert_eq!(again("a0"), None);
        desk.commit(2, Some("a0"), "a2");
        assert!(again("a0").is_some(), "a job more is undone");
    }

    #[test]
    fn a_log_of_many_pieces_is_read_from_where_it_is_young_enough() {
        let desk = Desk::new();
        let text = "x".repeat(40_000);
        for version in 1..=30 {
            desk.commit(version, None, &format!("{text}{version}"));
        }
        let len = fs::metadata(desk.log()).unwrap().len();
        assert!(len > 4 * CHUNK_BYTES, "{len}");
        let ids = |since: u64| desk.changed_since(Timestamp(1000 + since));
        let expected = |from: u64| (from..=30).map(|n| format!("job-{n}")).collect::<Vec<_>>();
        for since in [0, 1, 15, 29, 30, 31] {
            assert_eq!(ids(since), expected(since.max(1)), "{since}");
        }
        assert!(desk.doubted(&format!("{text}1")).is_some());
    }
}
