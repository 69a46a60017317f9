//! What stands on the disk, as values: the job document, its id, the names of files, the states. Pure: nothing here knows a
//! disk or a directory.

pub(crate) mod id;
pub(crate) mod job;
pub(crate) mod name;
pub(crate) mod outcome;
pub(crate) mod state;
