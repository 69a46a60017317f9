//! Jobs that ended together: what of them is counted, and by which mark it is known again.

use super::keys::key_hash;
use crate::format::job::Ending;
use crate::format::name::JobName;

/// Jobs that ended together, to be counted once.
#[derive(Debug)]
pub(crate) struct Ended {
    pub mark: String,
    pub applied: u64,
    pub unchanged: u64,
    /// Whether a worker that died may have counted them.
    pub perhaps_counted: bool,
}

impl Ended {
    /// `first`: of the jobs that ended together the first one, as it was claimed. No other claim has this name.
    pub(crate) fn new(first: &JobName, outcomes: impl IntoIterator<Item = Ending>) -> Ended {
        let JobName { id, doc, rev, .. } = first;
        let mut ended = Ended {
            mark: key_hash(&format!("{id}~{doc}~{rev}")),
            applied: 0,
            unchanged: 0,
            perhaps_counted: false,
        };
        ended.mark.truncate(12);
        for outcome in outcomes {
            match outcome {
                Ending::Applied => ended.applied += 1,
                Ending::Unchanged | Ending::RejectedAgain => ended.unchanged += 1,
                // An operator ended it: not counted as merged.
                Ending::Discarded | Ending::Rejected => {}
            }
        }
        ended
    }
}
