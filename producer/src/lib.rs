//! From what was said to a job in `pending/`: targets, policy and splitting by document. Refuses a bad declaration whole,
//! while its author can still be told. Knows nothing of workers.

mod drafts;
mod take_in;

pub use drafts::{Submission, WouldReplace, drafts};
pub use take_in::{InboxFile, TakenIn, take_in};
