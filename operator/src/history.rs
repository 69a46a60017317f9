//! The versions of a document, who wrote which of its sections, and the draft of a rollback. Decides nothing by itself
//! and writes nothing: a rollback is a job.

use declaration::{Meta, Operation, Timestamp};
use documents::{Document, DocumentError, Documents, DuringCommand, JobRecord, Revision, hash};
use markdown_merge::purged::{self, Filled, SectionHistory};
use markdown_merge::rollback::without_merged;
use markdown_merge::{Change, ChangeKind, Merger, Section};
use queue_layout::Restore;
use serde::Serialize;
use std::collections::BTreeSet;

/// A version of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedVersion {
    /// Counted from 1; 0 is the document before our first commit.
    pub version: u64,
    /// When it was made; `None` for version 0.
    pub at: Option<Timestamp>,
    /// By which worker.
    pub by: Option<String>,
    /// The jobs in it.
    pub jobs: Vec<JobRecord>,
    /// Hash of the text that was committed.
    pub hash: Option<String>,
    /// Whether somebody saved the document during this version.
    pub edited_by_hand: bool,
    /// Whether its text is still there: to compare with, and to go back to.
    pub kept: bool,
    /// Whether it is the one of now.
    pub current: bool,
    /// The command of an agent during which the document was changed past the queue, which is all of this version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub during: Option<DuringCommand>,
}

impl ListedVersion {
    /// Whether it is a commit that ended without its jobs: somebody saved the document again and again meanwhile, and their
    /// last save stands.
    #[must_use]
    pub fn is_given_back(&self) -> bool {
        self.version > 0 && self.jobs.is_empty() && self.during.is_none()
    }
}

/// Every version of a document, newest first.
///
/// # Errors
/// A disk error; a log that cannot be read.
pub fn history(documents: &Documents, document: &Document) -> Result<Vec<ListedVersion>, DocumentError> {
    let revisions = documents.revisions(document)?;
    let kept = documents.kept(document)?;
    let now = documents.read(document)?.hash();
    Ok(versions(&revisions, &kept, now.as_deref()))
}

fn versions(revisions: &[Revision], kept: &[String], now: Option<&str>) -> Vec<ListedVersion> {
    let has_text =
        |next: &Revision| next.before.is_none() || kept.contains(&format!("{:06}.md", next.version));
    let mut versions: Vec<ListedVersion> = Vec::with_capacity(revisions.len() + 1);
    versions.push(ListedVersion {
        version: 0,
        at: None,
        by: None,
        jobs: Vec::new(),
        hash: revisions.first().map_or_else(|| now.map(str::to_owned), |first| first.before.clone()),
        edited_by_hand: false,
        kept: revisions.first().is_none_or(has_text),
        current: revisions.is_empty(),
        during: None,
    });
    // A command that took the document away left nothing.
    let nothing = hash(b"");
    for (at, revision) in revisions.iter().enumerate() {
        let next = revisions.get(at + 1);
        let then = next.map_or(now, |next| next.before.as_deref());
        versions.push(ListedVersion {
            version: revision.version,
            at: Some(revision.at),
            by: Some(revision.by.clone()),
            jobs: revision.jobs.clone(),
            hash: Some(revision.after.clone()),
            edited_by_hand: then.unwrap_or(&nothing) != revision.after.as_str(),
            kept: next.is_none_or(has_text),
            current: next.is_none(),
            during: revision.during.clone(),
        });
    }
    versions.reverse();
    versions
}

/// Who wrote a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Blamed {
    /// 1-based line of its heading.
    pub line: usize,
    /// Ancestors … heading; empty for the text before the first one.
    pub heading: Vec<String>,
    /// Its level.
    pub level: u8,
    /// The last change of ours to it; `None` when we never wrote it.
    pub last: Option<LastChange>,
    /// Whether a person wrote its text: it never came from a job, or was changed since.
    pub by_hand: bool,
    /// The command of an agent that wrote it past the queue, or while which a person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub during: Option<InCommand>,
}

/// In which command a section was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InCommand {
    /// The version that has it first.
    pub version: u64,
    /// When that was noticed.
    pub at: Timestamp,
    /// The agent that ran it.
    pub agent: String,
    /// Its session.
    pub session: String,
}

/// Our last change to a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LastChange {
    /// The version that has it first.
    pub version: u64,
    /// When.
    pub at: Timestamp,
    /// The job.
    pub job: String,
    /// The agent that declared it.
    pub agent: String,
    /// Its session.
    pub session: String,
    /// What the declaration said of its source.
    pub source: String,
    /// What it did.
    pub operation: Option<Operation>,
    /// The version it went back to, for a rollback.
    pub rollback_to: Option<u64>,
    /// Why, and how sure, as its author said.
    pub meta: Meta,
}

/// For every section of a document who wrote it, by the document's log alone: no receipt and no earlier text is needed.
#[must_use]
pub fn blame(sections: &[Section], revisions: &[Revision]) -> Vec<Blamed> {
    sections.iter().map(|section| blame_one(section, revisions)).collect()
}

fn blame_one(section: &Section, revisions: &[Revision]) -> Blamed {
    let mut called = section.heading.clone();
    let changes = revisions.iter().rev().flat_map(|revision| {
        let jobs = revision.jobs.iter().rev();
        jobs.flat_map(move |job| {
            job.changes.iter().enumerate().rev().map(move |(n, change)| (revision, job, n, change))
        })
    });
    // Backwards, so that before a rename a section is looked for by the name it had then, and so are those below it.
    let mut found = None;
    for (revision, job, n, change) in changes {
        if is_about(change, &called, section.level) {
            found = Some((revision, job, n, change));
            break;
        }
        if change.level < section.level {
            called_before(change, &mut called);
        }
    }
    let made = found.map(|(.., change)| match &change.renamed {
        // Older versions did not record what it said then.
        Some(renamed) => renamed.hash.as_ref().is_none_or(|hash| *hash == section.hash),
        None => change.after.as_ref() == Some(&section.hash),
    });
    let by_hand = made != Some(true);
    Blamed {
        line: section.line,
        heading: section.heading.clone(),
        level: section.level,
        last: found.map(|(revision, job, n, _)| last_change(revision, job, n)),
        by_hand,
        during: by_hand.then(|| in_command(section, revisions)).flatten(),
    }
}

/// The newest command that left a section as it is.
fn in_command(section: &Section, revisions: &[Revision]) -> Option<InCommand> {
    let is_here = |change: &&Change| is_about(change, &section.heading, section.level);
    let changed = |revision: &&Revision| {
        let of_commands = revision.during.iter().flat_map(|during| &during.changes);
        revision.jobs.iter().flat_map(|job| &job.changes).chain(of_commands).any(|change| is_here(&change))
    };
    // What was changed again since is of whoever did that.
    let revision = revisions.iter().rev().find(changed)?;
    let left = |change: &Change| is_here(&change) && change.after.as_ref() == Some(&section.hash);
    let during = revision.during.as_ref().filter(|during| during.changes.iter().any(left))?;
    let DuringCommand { agent, session, .. } = during.clone();
    Some(InCommand { version: revision.version, at: revision.at, agent, session })
}

fn last_change(revision: &Revision, job: &JobRecord, n: usize) -> LastChange {
    let note = job.notes.get(n).or_else(|| job.notes.first());
    LastChange {
        version: revision.version,
        at: revision.at,
        job: job.id.clone(),
        agent: job.agent.clone(),
        session: job.session.clone(),
        source: job.source.clone(),
        operation: note.map(|note| note.operation).filter(|_| job.rollback_to.is_none()),
        rollback_to: job.rollback_to,
        meta: note.map(|note| note.meta.clone()).unwrap_or_default(),
    }
}

/// Whether a change is about the section of this address. A declaration may name only some of the ancestors.
fn is_about(change: &Change, heading: &[String], level: u8) -> bool {
    if change.kind == ChangeKind::Unchanged || change.level != level {
        return false;
    }
    let called = change.called_since();
    names(&called, heading) && called.last().map(|part| part.trim()) == heading.last().map(|part| part.trim())
}

/// Whether the parts of a declared address stand in an address in their order.
fn names(declared: &[String], heading: &[String]) -> bool {
    let mut parts = heading.iter();
    declared.iter().all(|part| parts.any(|ancestor| ancestor.trim() == part.trim()))
}

/// Gives an address the names that its ancestors had before a change. Of ancestors no level is known: the innermost one that is called
/// so is taken.
fn called_before(change: &Change, heading: &mut [String]) {
    let (Some(_), Some(was)) = (&change.renamed, change.heading.last()) else { return };
    let called = change.called_since();
    let Some(above) = heading.len().checked_sub(1) else { return };
    let is_it = |end: &usize| {
        let path = heading.get(..=*end).unwrap_or_default();
        names(&called, path) && called.last().map(|part| part.trim()) == path.last().map(|part| part.trim())
    };
    if let Some(part) = (0..above).rev().find(is_it).and_then(|at| heading.get_mut(at)) {
        part.clone_from(was);
    }
}

/// Why a document cannot be rolled back.
#[derive(Debug, thiserror::Error)]
pub enum NoRollback {
    /// The document or its history cannot be read.
    #[error(transparent)]
    Documents(#[from] DocumentError),
    /// There is no such version.
    #[error("{document} has no version {version}; the newest is {newest}")]
    NoSuchVersion {
        /// The document.
        document: String,
        /// What was asked for.
        version: u64,
        /// The newest one.
        newest: u64,
    },
    /// Its text is not kept any longer.
    #[error("the text of version {version} of {document} is not kept any longer")]
    NotKept {
        /// The document.
        document: String,
        /// What was asked for.
        version: u64,
    },
    /// The file that keeps its text says something else than its log: an editor wrote into it late, or somebody changed it.
    #[error("the kept text of version {version} of {document} was changed after it was kept")]
    Changed {
        /// The document.
        document: String,
        /// What was asked for.
        version: u64,
    },
    /// No commit of ours to undo.
    #[error("nothing has been merged into {0} yet, so there is no earlier version")]
    Nothing(String),
    /// What its newest version changed was changed by hand since, so that it cannot be taken out alone.
    #[error("{document} was edited by hand since version {merged}, in what that changed or beside it")]
    EditedSince {
        /// The document.
        document: String,
        /// Its newest version.
        merged: u64,
        /// The one before.
        version: u64,
    },
    /// A purge cut something out of its text, and whether what stands there now is that is not known.
    #[error(
        "version {version} of {document} said what was purged since; what stands there now may be that, or something else"
    )]
    Purged {
        /// The document.
        document: String,
        /// What was asked for.
        version: u64,
    },
    /// Not a text.
    #[error("version {version} of {document} is not UTF-8 text")]
    NotText {
        /// The document.
        document: String,
        /// What was asked for.
        version: u64,
    },
}

/// A document's text during a version (`None`: the one before the newest), and which one that is.
///
/// # Errors
/// `NoRollback`.
pub fn text_during(
    documents: &Documents,
    document: &Document,
    version: Option<u64>,
) -> Result<(u64, String), NoRollback> {
    let revisions = documents.revisions(document)?;
    let shown = document.path.display().to_string();
    let newest = revisions.last().map_or(0, |last| last.version);
    let version = match version {
        Some(version) => version,
        None => newest.checked_sub(1).ok_or_else(|| NoRollback::Nothing(shown.clone()))?,
    };
    if version > newest {
        return Err(NoRollback::NoSuchVersion { document: shown, version, newest });
    }
    let bytes = documents.during(document, version, &revisions)?;
    let bytes = bytes.ok_or_else(|| NoRollback::NotKept { document: shown.clone(), version })?;
    let text = String::from_utf8(bytes).map_err(|_| NoRollback::NotText { document: shown, version })?;
    Ok((version, text))
}

/// What puts a document back to what it was during a version. Without one the newest is undone, and what a person changed since
/// stays.
///
/// # Errors
/// `NoRollback`.
pub fn restore(documents: &Documents, document: &Document, to: Option<u64>) -> Result<Restore, NoRollback> {
    let (version, text) = text_during(documents, document, to)?;
    let revisions = documents.revisions(document)?;
    let next = revisions.iter().find(|revision| revision.version == version.saturating_add(1));
    // A file that somebody put into the history was never a version of the document.
    if next.and_then(|next| next.before.as_deref()).is_some_and(|said| said != hash(text.as_bytes())) {
        return Err(NoRollback::Changed { document: document.path.display().to_string(), version });
    }
    let now = documents.read(document)?.bytes;
    let newest = documents.last_revision(document)?.map_or(0, |last| last.version);
    let base = String::from_utf8(now).map_err(|_| NoRollback::NotText {
        document: document.path.display().to_string(),
        version: newest,
    })?;
    let merged = next.filter(|_| to.is_none()).map(|next| next.after.as_str());
    let is_merged = |text: &str| merged == Some(hash(text.as_bytes()).as_str());
    let filled = filled(&text, &base, next, &revisions);
    // What we took out ourselves is no person's: then the mark may take its place.
    if filled.untold > 0 || filled.gone > 0 && !is_merged(&base) {
        return Err(NoRollback::Purged { document: document.path.display().to_string(), version });
    }
    let text = with_copy_of(filled.text, &base);
    let text = if merged.is_none() || is_merged(&base) {
        text
    } else {
        without_merged(&text, &base, is_merged).ok_or_else(|| NoRollback::EditedSince {
            document: document.path.display().to_string(),
            merged: newest,
            version,
        })?
    };
    Ok(Restore { version, base, text })
}

/// The texts of two versions for a comparison: what a purge cut out of one, and the other still has, is no difference.
#[must_use]
pub fn comparable(before: &str, after: &str, revisions: &[Revision]) -> (String, String) {
    let known = |one: &str, other: &str| filled(one, other, None, revisions).text;
    (known(before, after), known(after, before))
}

/// An earlier text with what is known again of what a purge cut out of it. `next`: the version that displaced it.
fn filled(earlier: &str, later: &str, next: Option<&Revision>, revisions: &[Revision]) -> Filled {
    let changes = revisions.iter().flat_map(|revision| &revision.jobs).flat_map(|job| &job.changes);
    let hashes = changes.flat_map(|change| [&change.before, &change.after]).flatten().map(String::as_str);
    purged::filled(earlier, later, &LoggedSections { hashes: hashes.collect(), next })
}

/// What the log tells of the sections of an earlier text.
struct LoggedSections<'a> {
    hashes: BTreeSet<&'a str>,
    next: Option<&'a Revision>,
}

impl SectionHistory for LoggedSections<'_> {
    fn was(&self, hash: &str) -> bool {
        self.hashes.contains(hash)
    }

    fn is_told(&self, section: &Section) -> bool {
        let mut changes = self.next.iter().flat_map(|next| &next.jobs).flat_map(|job| &job.changes);
        changes.any(|change| change.before.is_some() && is_about(change, &section.heading, section.level))
    }
}

/// The text with the copy (`copy_of`) of `now` in its machine block, an empty one where that has none: it is made by us, and what
/// it says is not for a rollback to decide.
fn with_copy_of(text: String, now: &str) -> String {
    let block = |text: &str| {
        let merger = Merger::open(text.as_bytes()).ok()?;
        let is_copy = merger.machine_block().is_ok_and(trial::is_copy);
        merger.machine_block_bytes().ok().filter(|_| is_copy)
    };
    let Some(was) = block(&text) else { return text };
    let is = block(now).map_or("\n", |is| &now[is]);
    [&text[..was.start], is, &text[was.end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown_merge::{ChangeKind, sections};

    fn change(heading: &[&str], level: u8, after: Option<&str>) -> Change {
        let heading = heading.iter().map(|part| (*part).to_owned()).collect();
        Change {
            kind: ChangeKind::Changed,
            heading,
            level,
            before: None,
            after: after.map(str::to_owned),
            item: None,
            renamed: None,
            piece: None,
            sections: None,
        }
    }

    fn revision(version: u64, before: Option<&str>, after: &str, changes: Vec<Change>) -> Revision {
        let job = JobRecord { id: format!("job-{version}"), changes, ..JobRecord::default() };
        Revision {
            document: None,
            version,
            at: Timestamp(version),
            batch: format!("job-{version}"),
            by: "w1".to_owned(),
            before: before.map(str::to_owned),
            after: after.to_owned(),
            jobs: vec![job],
            during: None,
        }
    }

    #[test]
    fn versions_say_what_was_edited_and_what_is_kept() {
        let log = [
            revision(1, None, "a", vec![]),
            revision(2, Some("a"), "b", vec![]),
            revision(3, Some("by hand"), "c", vec![]),
        ];
        let kept = ["000003.md".to_owned(), "log.jsonl".to_owned()];
        let found = versions(&log, &kept, Some("c"));
        let facts: Vec<_> = found.iter().map(|v| (v.version, v.edited_by_hand, v.kept, v.current)).collect();
        assert_eq!(
            facts,
            [
                (3, false, true, true),
                (2, true, true, false),
                (1, false, false, false),
                (0, false, true, false)
            ]
        );
        assert!(versions(&log, &kept, Some("saved since"))[0].edited_by_hand);
        assert!(versions(&[], &[], Some("x"))[0].current, "a document nobody committed to is version 0");
    }

    #[test]
    fn blame_finds_the_last_change_and_sees_a_hand() {
        let text = "# A\n\n## Log\n\none\n\n# B\n\n## Log\n\ntwo\n\n## Own\n\nmine\n";
        let all = sections(text).unwrap();
        let of = |name: &[&str]| all.iter().find(|section| section.heading == name).unwrap().hash.clone();
        let log = [
            revision(1, None, "x", vec![change(&["A", "Log"], 2, Some(&of(&["A", "Log"])))]),
            revision(2, None, "y", vec![change(&["B", "Log"], 2, Some(&of(&["B", "Log"])))]),
            revision(3, None, "z", vec![change(&["B", "Log"], 2, Some("since edited"))]),
        ];
        let found = blame(&all, &log);
        let facts: Vec<_> = found
            .iter()
            .map(|b| (b.heading.join(">"), b.last.as_ref().map(|l| l.version), b.by_hand))
            .collect();
        assert_eq!(
            facts,
            [
                ("A".to_owned(), None, true),
                ("A>Log".to_owned(), Some(1), false),
                ("B".to_owned(), None, true),
                ("B>Log".to_owned(), Some(3), true),
                ("B>Own".to_owned(), None, true)
            ]
        );
    }
}
