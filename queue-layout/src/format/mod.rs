//! What stands on the disk of a job, as values: the job document, its id, the names of files, the states, files of several jobs, the
//! intent of a commit. What is written beside jobs is where it is written: `verbs/journal.rs`, `counters.rs`, `sessions.rs`. Pure: nothing here knows a disk or a directory.

pub(crate) mod approval;
pub(crate) mod bundle;
pub(crate) mod id;
pub(crate) mod intent;
pub(crate) mod job;
pub(crate) mod name;
pub(crate) mod outcome;
pub(crate) mod state;
mod words;

pub(crate) use declaration::hex;
use declaration::{Code, Problem};

/// Bytes of a file as text.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Vec<Problem>> {
    std::str::from_utf8(bytes)
        .map_err(|e| vec![Problem::new(Code::BadUtf8, format!("not UTF-8 text at byte {}", e.valid_up_to()))])
}
