//! A person's yes, as a record of its own: of which job and which words it is (their hash), who gave it, by which channel and
//! when. A job's own `approved_by` counts only while its words fit that record (`words`).

use super::id::JobId;
use declaration::Timestamp;
use serde::{Deserialize, Serialize};

/// A yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The job it is for.
    pub id: JobId,
    /// The words it is for: `Job::words_hash` of the job as it was shown.
    pub hash: String,
    /// Who gave it.
    pub by: String,
    /// How they gave it: on a terminal, or as which decider of the configuration.
    pub channel: String,
    /// When.
    pub at: Timestamp,
}
