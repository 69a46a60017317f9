//! The states of a job, by the directories it is found in.

use serde::{Deserialize, Serialize};

/// Where a job can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Runnable.
    Pending,
    /// Waiting for its next attempt.
    Deferred,
    /// Claimed by a worker or an operator.
    Processing,
    /// Waiting for `resolve`.
    Failed,
    /// Waiting for `review`.
    Review,
    /// Ended, with a receipt.
    Done,
}

impl State {
    /// Every state, in the order a job meets them.
    pub const ALL: [State; 6] =
        [State::Pending, State::Deferred, State::Processing, State::Failed, State::Review, State::Done];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Deferred => "deferred",
            State::Processing => "processing",
            State::Failed => "failed",
            State::Review => "review",
            State::Done => "done",
        }
    }
}
