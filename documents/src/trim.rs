//! Keeps a document's log within bounds. Of old versions it keeps only the changes that are still the last one to their
//! section, so that the log says who wrote each section, but not what every commit ever did.

use crate::document::Document;
use crate::following::SectionKey;
use crate::history::{JobRecord, Revision};
use crate::{Documents, Result};
use markdown_merge::{Change, ChangeKind};
use std::collections::BTreeMap;
use std::path::Path;

/// A log longer than this is trimmed, in bytes.
pub const LOG_BYTES_MAX: u64 = 16 << 20;
/// The newest versions that stay whole, in bytes of their lines.
const WHOLE_BYTES: u64 = LOG_BYTES_MAX / 2;
/// What is written of a trimmed log at a time, in bytes.
const PIECE_BYTES: usize = 256 << 10;

impl Documents {
    /// Trims the log of a document when it has become long. The document's lock is held by whoever calls. Whole or not
    /// at all: after a crash the log is the old one or the new one. True when it was trimmed.
    ///
    /// # Errors
    /// A disk error, `BadHistory`: the log is as it was.
    pub fn trim(&self, document: &Document) -> Result<bool> {
        self.trim_to(document, LOG_BYTES_MAX, WHOLE_BYTES)
    }

    /// The same with other bounds, in bytes: of the log, and of the newest versions that stay whole.
    ///
    /// # Errors
    /// As `trim`.
    pub fn trim_to(&self, document: &Document, bytes_max: u64, whole_bytes: u64) -> Result<bool> {
        let log = self.log_of(document);
        let Some(stat) = self.disk.stat(&log)?.filter(|stat| stat.len > bytes_max) else { return Ok(false) };
        let plan = self.plan(&log, stat.len, whole_bytes)?;
        let new = log.with_extension("jsonl.new");
        // Left by an earlier trim that was killed.
        self.disk.remove(&new)?;
        if let Err(e) = self.write_trimmed(&log, stat.len, &plan, &new) {
            // It may be the disk that is full. If it cannot be removed now, the next trim removes it.
            let _ = self.disk.remove(&new);
            return Err(e);
        }
        self.disk.point("trim.written");
        self.disk.replace(&new, &log)?;
        if let Some(dir) = log.parent() {
            self.disk.sync_dir(dir)?;
        }
        self.disk.point("trim.replaced");
        Ok(true)
    }

    fn plan(&self, log: &Path, end: u64, whole_bytes: u64) -> Result<Plan> {
        let mut plan = Plan::default();
        let mut lengths = Vec::new();
        self.each_line(log, 0, end, &mut |revision: Revision| {
            plan.learn(lengths.len(), &revision);
            lengths.push(crate::history::line(&revision).len() as u64);
        })?;
        plan.whole_from = newest(&lengths, whole_bytes);
        Ok(plan)
    }

    /// Piece by piece: a log may be long, and what a worker takes for a moment it keeps.
    fn write_trimmed(&self, log: &Path, end: u64, plan: &Plan, new: &Path) -> Result<()> {
        let (mut n, mut piece, mut written) = (0, Vec::new(), Ok(()));
        self.each_line(log, 0, end, &mut |revision: Revision| {
            if let Some(kept) = plan.kept(n, revision) {
                piece.extend(crate::history::line(&kept));
            }
            n += 1;
            if piece.len() >= PIECE_BYTES {
                // After an error nothing more is written, and nothing more is held.
                if written.is_ok() {
                    written = self.disk.append(new, &piece);
                }
                piece.clear();
            }
        })?;
        written?;
        self.disk.append(new, &piece)?;
        Ok(self.disk.sync_file(new)?)
    }
}

/// What stays of a log: the newest versions whole, and of the older ones only changes that no later change replaced.
#[derive(Debug, Default)]
struct Plan {
    /// The first line that stays whole.
    whole_from: usize,
    /// Of each section the change that was the last one: in which line, by which of its jobs, which of that one's changes.
    last: BTreeMap<SectionKey, (usize, usize, usize)>,
}

impl Plan {
    fn learn(&mut self, line: usize, revision: &Revision) {
        for (j, job) in revision.jobs.iter().enumerate() {
            for (n, change) in job.changes.iter().enumerate() {
                if change.kind != ChangeKind::Unchanged {
                    self.last.insert((change.heading.clone(), change.level), (line, j, n));
                }
            }
        }
    }

    fn kept(&self, line: usize, mut revision: Revision) -> Option<Revision> {
        if line < self.whole_from {
            let jobs = std::mem::take(&mut revision.jobs).into_iter().enumerate();
            revision.jobs = jobs.filter_map(|(j, job)| self.last_words(line, j, job)).collect();
        }
        (!revision.jobs.is_empty() || line >= self.whole_from).then_some(revision)
    }

    /// The changes of a job that are the last ones to their sections; `None` if there are none. A section that was deleted needs
    /// no author.
    fn last_words(&self, line: usize, j: usize, job: JobRecord) -> Option<JobRecord> {
        let is_last = |n: usize, change: &Change| {
            change.kind != ChangeKind::Unchanged
                && change.after.is_some()
                && self.last.get(&(change.heading.clone(), change.level)) == Some(&(line, j, n))
        };
        let changes = job.changes.iter().enumerate();
        let of_them: Vec<usize> = changes.filter(|(n, change)| is_last(*n, change)).map(|(n, _)| n).collect();
        let one_note_each = job.notes.len() == job.changes.len();
        let notes = |n: &usize| job.notes.get(*n).cloned();
        (!of_them.is_empty()).then(|| JobRecord {
            changes: of_them.iter().filter_map(|n| job.changes.get(*n).cloned()).collect(),
            notes: if one_note_each { of_them.iter().filter_map(notes).collect() } else { job.notes.clone() },
            ..job.clone()
        })
    }
}

/// The first of the newest lines that have so many bytes together; at least the last one.
fn newest(lengths: &[u64], bytes: u64) -> usize {
    let mut left = bytes;
    let mut first = lengths.len();
    for (n, length) in lengths.iter().enumerate().rev() {
        if first < lengths.len() && *length > left {
            break;
        }
        left = left.saturating_sub(*length);
        first = n;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Note;
    use declaration::{Meta, Operation, Timestamp};
    use durable::{Attributes, Disk, RealDisk};

    fn change(heading: &str, kind: ChangeKind) -> Change {
        let gone = kind == ChangeKind::Deleted;
        let after = (!gone).then(|| "sha256:x".to_owned());
        Change {
            kind,
            heading: vec![heading.to_owned()],
            level: 2,
            before: None,
            after,
            item: None,
            renamed: None,
            piece: None,
            sections: None,
        }
    }

    fn revision(version: u64, changes: &[(&str, ChangeKind)]) -> Revision {
        let note = |(heading, _): &(&str, ChangeKind)| Note {
            operation: Operation::Append,
            meta: Meta { reason: Some(format!("{heading} {version}")), ..Meta::default() },
        };
        let job = JobRecord {
            id: format!("job-{version}"),
            changes: changes.iter().map(|(heading, kind)| change(heading, *kind)).collect(),
            notes: changes.iter().map(note).collect(),
            ..JobRecord::default()
        };
        Revision {
            version,
            at: Timestamp(version),
            batch: format!("batch-{version}"),
            document: None,
            by: "w1".to_owned(),
            before: None,
            after: "sha256:y".to_owned(),
            jobs: vec![job],
            during: None,
        }
    }

    fn trimmed(log: Vec<Revision>, whole_bytes: u64) -> Vec<Revision> {
        let mut plan = Plan::default();
        log.iter().enumerate().for_each(|(n, revision)| plan.learn(n, revision));
        let length = |revision: &Revision| crate::history::line(revision).len() as u64;
        plan.whole_from = newest(&log.iter().map(length).collect::<Vec<_>>(), whole_bytes);
        log.into_iter().enumerate().filter_map(|(n, revision)| plan.kept(n, revision)).collect()
    }

    use ChangeKind::{Changed, Created, Deleted, Unchanged};

    #[test]
    fn of_old_versions_the_last_word_on_each_section_stays() {
        let log = vec![
            revision(1, &[("A", Created), ("B", Created), ("Gone", Created)]),
            revision(2, &[("A", Changed)]),
            revision(3, &[("Gone", Deleted)]),
            revision(4, &[("C", Created), ("B", Unchanged)]),
            revision(5, &[("C", Changed)]),
        ];
        let last = crate::history::line(&log[4]).len() as u64;
        let kept = trimmed(log.clone(), last);
        let said: Vec<(u64, Vec<&str>, Vec<&str>)> = kept
            .iter()
            .map(|revision| {
                let job = &revision.jobs[0];
                let headings = job.changes.iter().map(|change| change.heading[0].as_str()).collect();
                let notes = job.notes.iter().filter_map(|note| note.meta.reason.as_deref()).collect();
                (revision.version, headings, notes)
            })
            .collect();
        assert_eq!(
            said,
            [(1, vec!["B"], vec!["B 1"]), (2, vec!["A"], vec!["A 2"]), (5, vec!["C"], vec!["C 5"])]
        );
        assert_eq!(trimmed(log.clone(), u64::MAX), log, "what is new stays whole");
        assert_eq!(
            trimmed(log, 0).last().map(|revision| revision.version),
            Some(5),
            "the newest stays, however long"
        );
    }

    #[test]
    fn a_log_that_is_long_becomes_short_and_says_the_same_of_its_sections() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, root) = (std::sync::Arc::new(RealDisk::new()), dir.path());
        for name in ["history", "locks"] {
            disk.make_dir(&root.join(name)).unwrap();
        }
        let documents = Documents::new(disk.clone(), root.join("history"), root.join("locks"));
        let document = Document { path: root.join("a.md"), canonical: root.join("a.md") };
        for version in 1..=500 {
            let headings = [["Rare", "Often"], ["Often", "Often"]][usize::from(version > 3)];
            let said = revision(version, &[(headings[0], Changed), (headings[1], Changed)]);
            documents.archive(&document, None, &said).unwrap();
        }
        let log = documents.log_of(&document);
        let len = |path: &Path| disk.stat(path).unwrap().unwrap().len;
        assert!(!documents.trim(&document).unwrap(), "it is not long yet");
        let before = len(&log);
        disk.write_new(&log.with_extension("jsonl.new"), b"half", Attributes::PRIVATE).unwrap();
        assert!(documents.trim_to(&document, 10_000, 5_000).unwrap());
        assert!(len(&log) <= 5_500 && before > 100_000, "{before} to {}", len(&log));
        let kept = documents.revisions(&document).unwrap();
        assert_eq!((kept[0].version, kept[kept.len() - 1].version), (3, 500));
        assert_eq!(documents.last_revision(&document).unwrap(), kept.last().cloned());
        assert!(!documents.trim_to(&document, 10_000, 5_000).unwrap());
        documents.archive(&document, None, &revision(501, &[("Often", Changed)])).unwrap();
        assert_eq!(documents.revisions(&document).unwrap().last().unwrap().version, 501);
    }
}
