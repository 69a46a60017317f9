//! The entries of one job and who stands behind them: what policy judges, and what a job on disk can say of itself.

use crate::entry::Entry;
use crate::trust::Trust;

/// What is asked for, and by whom.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The changes, in order.
    pub entries: &'a [Entry],
    /// How far who declares them is trusted, as we saw it ourselves.
    pub who: Trust,
    /// Whether it was left in the inbox of a project and is for a document that is not that project's.
    pub beyond_inbox: bool,
    /// Whether a person said yes to them already.
    pub approved: bool,
    /// Whether a rewriter, where there is one, has had its chance.
    pub rewritten: bool,
}
