//! What can be done to the queue, by who does it: a handle for producers, workers, operators and sessions, and one for the
//! journal. A `Queue` itself only looks; what changes something is a method of a handle, or of a `Claimant`.

pub(crate) mod adoption;
pub(crate) mod approvals;
pub(crate) mod candidate;
pub(crate) mod claimant;
pub(crate) mod counters;
pub(crate) mod draft;
pub(crate) mod drops;
mod ended;
pub(crate) mod enqueue;
pub(crate) mod holds;
pub(crate) mod home;
pub(crate) mod intent;
pub(crate) mod journal;
pub(crate) mod keys;
pub(crate) mod operate;
pub(crate) mod proposals;
pub(crate) mod prune;
pub(crate) mod purge;
pub(crate) mod receipts;
mod record;
pub(crate) mod recover;
pub(crate) mod rejected;
mod release;
pub(crate) mod report;
pub(crate) mod sessions;
pub(crate) mod settle;
pub(crate) mod split;
pub(crate) mod together;
mod undo;

use crate::Queue;

/// What a producer does: enqueue.
#[derive(Debug, Clone, Copy)]
pub struct ProducerVerbs<'q> {
    queue: &'q Queue,
}

/// What a worker does beside claiming: recover, take in, count, sweep.
#[derive(Debug, Clone, Copy)]
pub struct WorkerVerbs<'q> {
    queue: &'q Queue,
}

/// What an operator does: hold, release, put back, discard, prune.
#[derive(Debug, Clone, Copy)]
pub struct OperatorVerbs<'q> {
    queue: &'q Queue,
}

/// The sessions of agents and their buffers; one of them is a `Session`.
#[derive(Debug, Clone, Copy)]
pub struct SessionVerbs<'q> {
    queue: &'q Queue,
}

/// What happened, one event a line.
#[derive(Debug, Clone, Copy)]
pub struct Journal<'q> {
    queue: &'q Queue,
}

impl Queue {
    /// For who brings jobs.
    #[must_use]
    pub fn producer(&self) -> ProducerVerbs<'_> {
        ProducerVerbs { queue: self }
    }

    /// For who merges them.
    #[must_use]
    pub fn worker(&self) -> WorkerVerbs<'_> {
        WorkerVerbs { queue: self }
    }

    /// For who looks after the queue.
    #[must_use]
    pub fn operator(&self) -> OperatorVerbs<'_> {
        OperatorVerbs { queue: self }
    }

    /// For agents' sessions.
    #[must_use]
    pub fn sessions(&self) -> SessionVerbs<'_> {
        SessionVerbs { queue: self }
    }

    /// For whoever tells or asks what happened.
    #[must_use]
    pub fn journal(&self) -> Journal<'_> {
        Journal { queue: self }
    }
}
