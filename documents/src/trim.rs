//! Keeps a document's log within bounds. Of old versions it keeps only the changes that are still the last one to their
//! section, so that the log says who wrote each section, but not what every commit ever did.

use crate::document::Document;
use crate::history::{JobRecord, Revision};
use crate::{Documents, Result};
use durable::Attributes;
use markdown_merge::ChangeKind;
use std::collections::BTreeSet;

/// A log longer than this is trimmed, in bytes.
pub const LOG_BYTES_MAX: u64 = 16 << 20;
/// The newest versions that stay whole, in bytes of their lines.
const WHOLE_BYTES: u64 = LOG_BYTES_MAX / 2;

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
        if self.disk.stat(&log)?.is_none_or(|stat| stat.len <= bytes_max) {
            return Ok(false);
        }
        let mut lines = Vec::new();
        for revision in trimmed(self.revisions(document)?, whole_bytes) {
            lines.extend(crate::history::line(&revision));
        }
        let new = log.with_extension("jsonl.new");
        // Left by an earlier trim that was killed.
        self.disk.remove(&new)?;
        self.disk.write_new(&new, &lines, Attributes::PRIVATE)?;
        self.disk.point("trim.written");
        self.disk.replace(&new, &log)?;
        if let Some(dir) = log.parent() {
            self.disk.sync_dir(dir)?;
        }
        self.disk.point("trim.replaced");
        Ok(true)
    }
}

/// The newest versions unchanged, up to so many bytes; of the older ones only changes that no later change replaced.
fn trimmed(revisions: Vec<Revision>, whole_bytes: u64) -> Vec<Revision> {
    let mut followed: BTreeSet<(Vec<String>, u8)> = BTreeSet::new();
    let mut left = whole_bytes;
    let mut kept: Vec<Revision> = Vec::new();
    for mut revision in revisions.into_iter().rev() {
        let bytes = crate::history::line(&revision).len() as u64;
        let whole = kept.is_empty() || bytes <= left;
        left = if whole { left.saturating_sub(bytes) } else { 0 };
        let jobs = std::mem::take(&mut revision.jobs);
        let last_words: Vec<JobRecord> =
            jobs.iter().rev().filter_map(|job| last_words(job, &mut followed)).collect();
        if whole {
            revision.jobs = jobs;
            kept.push(revision);
        } else if !last_words.is_empty() {
            revision.jobs = last_words.into_iter().rev().collect();
            kept.push(revision);
        }
    }
    kept.reverse();
    kept
}

/// The changes of a job that are the last ones to their sections; `None` if there are none.
fn last_words(job: &JobRecord, followed: &mut BTreeSet<(Vec<String>, u8)>) -> Option<JobRecord> {
    let mut of_them: Vec<usize> = Vec::new();
    for (n, change) in job.changes.iter().enumerate().rev() {
        if change.kind == ChangeKind::Unchanged {
            continue;
        }
        let first = followed.insert((change.heading.clone(), change.level));
        // A section that was deleted needs no author.
        if first && change.after.is_some() {
            of_them.push(n);
        }
    }
    of_them.reverse();
    let one_note_each = job.notes.len() == job.changes.len();
    let notes = |n: &usize| job.notes.get(*n).cloned();
    (!of_them.is_empty()).then(|| JobRecord {
        changes: of_them.iter().filter_map(|n| job.changes.get(*n).cloned()).collect(),
        notes: if one_note_each { of_them.iter().filter_map(notes).collect() } else { job.notes.clone() },
        ..job.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Note;
    use declaration::{Meta, Operation, Timestamp};
    use durable::{Disk, RealDisk};
    use markdown_merge::Change;
    use std::path::Path;

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
        }
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
