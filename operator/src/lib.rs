//! Everything an operator can ask or do, as plain data. Prints nothing; decides nothing that a person has not asked for.

mod list;
mod preview;
mod resolve;
mod status;
mod verify;
mod waiting;

pub use list::{Filter, Row, list};
pub use preview::{Preview, preview, unified_diff};
pub use resolve::{Action, Resolved, Who, resolve_one};
pub use status::{DocumentStatus, FailureGroup, StateCount, Status, status};
pub use verify::{Fate, Verdict, verify};
pub use waiting::{Place, Waiting, waiting};
