//! An index of Markdown documents for `recall`, in one SQLite file: their units, and which token stands in which unit. The
//! file can be deleted at any moment and is then made again. What it says of a document holds only while the document is as
//! it was read; `Index::outdated` and `UnitPlace::holds` check that.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod long_value;
mod place;
mod schema;
mod search;
mod store;
mod stretches;
mod vectors;

pub use place::UnitPlace;
pub use search::{AskedDocument, IndexAnswer, IndexHit, IndexQuestion};
pub use store::{FileStamp, Writing};
pub use vectors::UnitId;

/// An open index.
#[derive(Debug)]
pub struct Index {
    db: rusqlite::Connection,
}

/// Why an index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The file is no index of this version, or contradicts itself: it must be deleted and made again.
    #[error("it is not an index of this version: {0}")]
    Unusable(String),
    /// Another process is writing to it.
    #[error("another process is writing to it")]
    Busy,
    /// Any other error of SQLite: a full disk, a directory that may not be written to.
    #[error("{0}")]
    Failed(String),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Trouble::Unusable(error.to_string())
            }
            Some(_) => Trouble::Failed(error.to_string()),
            // No such column, or a value of another type: another program wrote it.
            None => Trouble::Unusable(error.to_string()),
        }
    }
}
