//! The contract on disk: the job document, the directories, the names, the moves, claims and recovery.
//! `LAYOUT.md` beside this crate states it as tables.
//!
//! The rest of the product says (state, id) and never a path, so that another backend can offer the same verbs:
//! `enqueue`, `claim`, `settle`, `list`, `requeue`, `recover`. No path of the queue is built outside this crate.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod bundle;
mod candidate;
mod claimant;
mod counters;
mod doubtful;
mod drops;
mod enqueue;
mod error;
mod format;
mod holds;
mod intent;
mod journal;
mod keys;
mod layout;
mod list;
mod operate;
mod order;
mod prune;
mod receipts;
mod recover;
mod rejected;
mod report;
mod seq;
mod sessions;
mod settle;
mod staging;
mod unread;
mod watch;

pub use durable::Space;

pub use claimant::{Claimant, Claimed};
pub use counters::{BOUNDS_MS, Counters, Durations};
pub use doubtful::Ended;
pub use drops::Stray;
pub use enqueue::{Draft, Enqueued};
pub use error::{QueueError, Result};
pub use holds::{HeldThing, Hold, Holds};
pub use id::JobId;
pub use intent::Intent;
pub use job::{Attempt, DocumentRef, Job, Outcome, Producer, Receipt, Restore};
pub use journal::{Event, JournalEntry};
pub use layout::{HOME_DIRS, Layout};
pub use list::{Listed, Scan};
pub use name::DocKey;
pub use operate::Found;
pub use prune::Pruned;
pub use recover::Recovered;
pub use rejected::Rejection;
pub use sessions::{EndedSession, Flushed, Noted, Planned, QUIET_MS_MAX, Session, What, Who, has_ended};
pub use settle::Settlement;
pub use staging::StagedItem;
pub use state::State;
pub use unread::Kept;
pub use watch::Sign;

use format::{id, job, name, state};

use durable::Disk;
use std::path::Path;
use std::sync::Arc;

/// Largest file that is read as a job or a dropped declaration, in bytes.
pub const JOB_BYTES_MAX: u64 = declaration::reading::limits::JOB_BYTES_MAX as u64;

/// A queue in a home directory on a disk. Owned: whoever stores one needs nothing else, and a clone is two counters.
#[derive(Debug, Clone)]
pub struct Queue {
    disk: Arc<dyn Disk>,
    layout: Layout,
}

impl Queue {
    /// The queue of this layout. Nothing is touched until a verb is used.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, layout: Layout) -> Self {
        Queue { disk, layout }
    }

    /// The disk it is on.
    #[must_use]
    pub fn disk(&self) -> &dyn Disk {
        &*self.disk
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
