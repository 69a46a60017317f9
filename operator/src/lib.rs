//! Everything an operator can ask or do, as plain data. Prints nothing; decides nothing that a person has not asked for.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod expiry;
mod history;
mod hold;
mod list;
mod log;
mod meant;
mod metrics;
mod preview;
mod prune;
mod resolve;
mod sides;
mod space;
mod status;
mod tidy;
mod timeline;
mod undo;
mod verify;
mod waiting;
mod why;

pub use expiry::{Expired, expired};
pub use history::{
    Blamed, LastChange, ListedVersion, NoRollback, blame, comparable, history, restore, text_during,
};
pub use hold::{hold, release};
pub use list::{Filter, Row, Sort, list};
pub use log::{LogFilter, Logged, log, newest};
pub use meant::{Meant, meant};
pub use metrics::{Measured, blocked_documents, metrics};
pub use preview::{
    ChangedSection, Preview, diff_of, diff_of_trial, moved_of, preview, preview_behind, unified_diff,
};
pub use prune::{PrunePlan, look_for_old, plan_prune, prune_some, prune_texts, pruned_sentence, tell_pruned};
pub use resolve::{
    Action, Actor, ApprovedWords, TOGETHER_MAX, give_back_staged, resolve_one, resolve_together,
};
pub use sides::{ConflictPlace, conflict_of, leaves, over_both};
pub use space::{SPACE_LOW, SPACE_NEEDED, Shortage, is_below, shortage};
pub use status::{
    DocumentStatus, FailureGroup, STALLED_MS, StateCount, Status, Unlisted, WorkerHealth, failure_groups,
    status, worker_health,
};
pub use tidy::{LongSection, longest_first, lost};
pub use timeline::{JournalTally, STEP_MS, Timeline, TimelineStep};
pub use undo::decided;
pub use verify::{Fate, Verified, verify};
pub use waiting::{Waiting, Whereabouts, all_waiting, waiting};
pub use why::{Because, SaidAgain, Why, why};
