//! What can be seen of the queue: lists, single jobs, receipts. Nothing here changes anything.

pub(crate) mod doubtful;
pub(crate) mod list;
pub(crate) mod locate;
pub(crate) mod names;
pub(crate) mod receipts;
pub(crate) mod staging;
pub(crate) mod unread;
pub(crate) mod watch;
