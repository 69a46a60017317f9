//! From a job in `pending/` to its one outcome: recover what dead workers left, then batch, judge, merge, commit, settle.
//! The only crate that writes documents. Reads no clock and no configuration file: both are handed in.

mod archive;
mod batch;
mod claim;
mod commit;
mod concurrent_edits;
mod endless_saves;
mod error;
mod group;
mod pass;
mod program;
mod recover;
mod report;
mod retry;
mod rewrite;
mod said_again;
mod settle;
mod stale_saves;
mod take_away;
mod undone;
mod validate;

pub use archive::archive;
pub use concurrent_edits::SAVES_MAX;
pub use error::{RunError, chain};
pub use pass::pass;
pub use program::{OUTPUT_BYTES_MAX, Program, Ran, Runner};
pub use recover::recover;
pub use report::Report;
pub use retry::{Backoff, delay_ms};
pub use stale_saves::stale_saves;
pub use take_away::take_away_empty;
pub use validate::CANDIDATE;

use declaration::{Code, Problem, Target, Timestamp};
use documents::Documents;
use policy::knowledge_base::{self, KnowledgeBase, Resolved, Surroundings};
use policy::reached::{self, OtherRules};
use queue_layout::{DocKey, JournalEntry, Queue};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// What a worker needs to know of the world.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The queue.
    pub queue: &'a Queue,
    /// The disk that the documents are on.
    pub disk: &'a dyn durable::Disk,
    /// The documents.
    pub documents: &'a Documents,
    /// The knowledge bases and their policies.
    pub kbs: &'a [KnowledgeBase],
    /// The rules of other homes of this user.
    pub others: &'a [OtherRules],
    /// The user's home directory (`~`).
    pub user_home: &'a Path,
    /// When and how often to try again.
    pub retry: Backoff,
    /// Earlier versions of a document that are kept, where its knowledge base does not say.
    pub snapshots: u32,
    /// Documents merged at the same time.
    pub threads: usize,
    /// The projects that a file lies in: their rules hold for it, from wherever a job leads to it.
    pub projects: &'a (dyn Fn(&Path) -> Vec<PathBuf> + Sync),
    /// Only these documents; `None` for all.
    pub only: Option<&'a [DocKey]>,
    /// The clock.
    pub now: &'a (dyn Fn() -> Timestamp + Sync),
    /// Chance, for the jitter of retries.
    pub random: &'a (dyn Fn() -> u64 + Sync),
    /// Whether the run is to end after the batch in hand.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Runs the programs that the configuration names.
    pub run: Runner<'a>,
    /// Told what happens, as it happens.
    pub tell: &'a (dyn Fn(&JournalEntry) + Sync),
    /// Told of trouble that does not end the run but that somebody should hear of.
    pub warn: &'a (dyn Fn(&dyn std::error::Error) + Sync),
}

impl Context<'_> {
    /// Writes events to the journal and tells them. A journal that cannot be written fails nothing: what it tells of
    /// is durable already.
    pub(crate) fn happened(&self, events: &[JournalEntry]) {
        if let Err(e) = self.queue.journal().write(events) {
            (self.warn)(&e);
        }
        for event in events {
            (self.tell)(event);
        }
    }

    /// The document a target means, by the configuration and the links of now. A disk that cannot be read ends the run:
    /// the job is not at fault.
    pub(crate) fn resolve(
        &self,
        target: &Target,
        around: &Surroundings<'_>,
    ) -> Result<Result<Resolved, Problem>, RunError> {
        Ok(self.resolve_with_rules(target, around)?.map(|(found, _)| found))
    }

    /// The same, and the other knowledge bases whose rules hold for it because they lead to the same file now.
    pub(crate) fn resolve_with_rules(
        &self,
        target: &Target,
        around: &Surroundings<'_>,
    ) -> Result<Result<(Resolved, Vec<usize>), Problem>, RunError> {
        let trouble = RefCell::new(None);
        let canonical = |path: &Path| {
            self.documents.canonical(path).map_err(|e| {
                let said = std::io::Error::new(e.kind(), e.source.to_string());
                if e.is_machine_trouble() {
                    trouble.replace(Some(e));
                }
                said
            })
        };
        let same_file = |one: &Path, other: &Path| self.documents.is_same_file(one, other);
        let found = knowledge_base::resolve(target, self.kbs, around, &canonical);
        if let Ok(found) = &found
            && let Some(link) = self.documents.foreign_link(&found.path)?
        {
            let message = format!("`{}` is a link of another user: it is not followed", link.display());
            let problem = Problem::new(Code::SymlinkEscape, message);
            return Ok(Err(
                problem.hint("replace the link by the file, or keep the document where only you can write")
            ));
        }
        let found = found.map(|found| {
            let as_archived = |kb: &KnowledgeBase, path: &Path| self.as_archived(kb, path);
            let (same, projects) = (&same_file, self.projects);
            let others =
                reached::stricter(&found, self.kbs, around, &canonical, same, projects, &as_archived);
            (found, others)
        });
        trouble.into_inner().map_or(Ok(found), |e| Err(e.into()))
    }

    /// Where an old day lies in its archive, or will again.
    pub(crate) fn as_archived(&self, kb: &KnowledgeBase, document: &Path) -> Option<PathBuf> {
        let is_there = |path: &Path| !self.documents.is_absent(path);
        knowledge_base::as_archived(kb, self.user_home, document, &(self.now)().day(), &is_there)
    }

    pub(crate) fn stopping(&self) -> bool {
        (self.stop)()
    }
}

/// Most jobs of one document in one commit: bounds memory and the time the document is locked.
pub const BATCH_JOBS_MAX: usize = 1000;
/// Most waiting jobs of one document that are looked at together: bounds memory, however many wait. What is behind them is
/// looked at when they are done.
pub const LOOK_AHEAD_JOBS_MAX: usize = 20 * BATCH_JOBS_MAX;
/// Most waiting jobs that are looked at together, of all documents; where there are more, the oldest of each.
pub const LOOK_AHEAD_IN_ALL_MAX: usize = 100 * BATCH_JOBS_MAX;
/// Most jobs in a commit with one that a worker may have died of before: each death makes the batch smaller, until the
/// poison job is alone.
pub const SUSPECT_JOBS_MAX: usize = 32;
/// Times a commit looks again at a document that was made or removed meanwhile, before its jobs wait for a quieter moment.
pub const REDO_MAX: u32 = 16;
