//! The contract on disk: the job document, the directories, the names, the moves, claims and recovery.
//! `LAYOUT.md` beside this crate states it as tables.
//!
//! The rest of the product says (state, id) and never a path: no path of the queue is built outside this crate. A `Queue`
//! looks; what changes something is a method of a handle, one for each role: `queue.producer()`, `worker()`, `operator()`,
//! `sessions()`, `journal()`. A process that moves waiting jobs, a worker or an operator, is a `Claimant`.
//!
//! Inside, from the bottom up, each using only those before it: `format` (values, pure), `layout` (paths), `moves` (how
//! files move), `look` (reading), `verbs` (the handles).

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod error;
mod format;
mod layout;
mod look;
mod moves;
mod ownership;
mod verbs;

pub use durable::Space;

pub use error::{QueueError, Result, advice_of_disk};
pub use format::approval::Approval;
pub use format::id::JobId;
pub use format::intent::Intent;
pub use format::job::{
    Again, Attempt, DROP_EVENT, DocumentRef, Ending, INBOX_EVENT, INDEX_EVENT, Job, Producer, Receipt,
    Restore, item_id,
};
pub use format::name::DocKey;
pub use format::outcome::{Outcome, SeenPlace};
pub use format::state::State;
pub use layout::{HOME_DIRS, LATER_DIRS, Layout};
pub use look::doubtful::EndedJobs;
pub use look::locate::LocatedJob;
pub use look::names::{Listed, Scan};
pub use look::staging::StagedItem;
pub use look::unread::KeptBytes;
pub use look::watch::Sign;
pub use verbs::adoption::{ADOPTION_FORMAT, AdoptionRecord, AdoptionUndo};
pub use verbs::claimant::{Claimant, Claimed};
pub use verbs::counters::{BOUNDS_MS, Counters, Durations};
pub use verbs::draft::{Draft, Enqueued};
pub use verbs::drops::{DropVerbs, Inbox, Stray};
pub use verbs::holds::{HeldThing, Hold, Holds};
pub use verbs::intent::CommitVerbs;
pub use verbs::journal::{Event, JournalEntry};
pub use verbs::prune::Pruned;
pub use verbs::purge::{Holder, PURGE_FORMAT, Purge, SaidOf};
pub use verbs::recover::{Recovered, RecoveryVerbs};
pub use verbs::rejected::Rejection;
pub use verbs::sessions::{
    BufferedEntry, EndedSession, FlushedBuffers, Noted, QUIET_MS_MAX, Session, What, Who, has_ended,
};
pub use verbs::settle::Settlement;
pub use verbs::together::Brought;
pub use verbs::{Journal, OperatorVerbs, ProducerVerbs, SessionVerbs, WorkerVerbs};

use declaration::{Advice, Wording};
use durable::Disk;
use std::path::Path;
use std::sync::Arc;
use verbs::together::Together;

/// Largest file that is read as a job or a dropped declaration, in bytes.
pub const JOB_BYTES_MAX: u64 = declaration::reading::limits::JOB_BYTES_MAX as u64;

/// A queue in a home directory on a disk. Owned, so that it can be stored; a clone costs three reference counts. Threads that
/// enqueue through clones of one share their syncs.
#[derive(Debug, Clone)]
pub struct Queue {
    disk: Arc<dyn Disk>,
    layout: Layout,
    wording: Wording,
    together: Arc<Together>,
}

impl Queue {
    /// The queue of this layout. Nothing is touched until a verb is used.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, layout: Layout) -> Self {
        Queue { disk, layout, wording: Advice::in_words, together: Arc::default() }
    }

    /// The same queue, which says in the words of a surface what a person can do: in what it keeps for them in `staging/`.
    #[must_use]
    pub fn with_wording(self, wording: Wording) -> Self {
        Queue { wording, ..self }
    }

    /// An advice in the words of the surface.
    #[must_use]
    pub fn say(&self, advice: &Advice) -> String {
        (self.wording)(advice)
    }

    /// Where it lives.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.layout.home()
    }

    /// What is left on the file system it is on.
    ///
    /// # Errors
    /// A disk error.
    pub fn space(&self) -> Result<Space> {
        Ok(self.disk.space(self.home())?)
    }
}
