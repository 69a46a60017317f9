//! The tables of an index, and how its file is opened.

use crate::{Index, Trouble};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// Raised whenever the tables change, or the tokens and units that `recall` makes of a text: an index of another version is
/// made again.
const VERSION: i64 = 11;

/// How long a process waits for another one that is writing. After that it reads the documents themselves.
const PATIENCE: Duration = Duration::from_millis(250);

/// `live` and `retired` say which token stands in which unit. Tokens are written in hexadecimal, so that no text and no
/// question can be a syntax error of FTS5. Only the rows of a token are stored, not its positions (`detail=none`). The
/// number of a row is that of its unit: `document << UNIT_BITS | serial`. `long_value` has where units stand and how a document was
/// cut. `vector` has what a model made of live units, where
/// one is configured, and `vectors_of` which.
const TABLES: &str = "
    CREATE TABLE document (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,
        len INTEGER NOT NULL, modified_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL,
        inode INTEGER NOT NULL, device INTEGER NOT NULL, seen_ms INTEGER NOT NULL,
        units INTEGER NOT NULL, live_units INTEGER NOT NULL, live_words INTEGER NOT NULL, next_serial INTEGER NOT NULL
    );
    CREATE TABLE long_value (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE unit (
        id INTEGER PRIMARY KEY, same INTEGER NOT NULL, kind INTEGER NOT NULL, retired INTEGER NOT NULL, words INTEGER NOT NULL,
        text TEXT NOT NULL, folded TEXT, heading TEXT NOT NULL, day TEXT, item TEXT
    );
    CREATE TABLE vector (unit INTEGER PRIMARY KEY, vector BLOB NOT NULL);
    CREATE TABLE vectors_of (model TEXT NOT NULL);
    CREATE VIRTUAL TABLE live USING fts5(tokens, content='', contentless_delete=1, detail=none, tokenize='ascii');
    CREATE VIRTUAL TABLE retired USING fts5(tokens, content='', contentless_delete=1, detail=none, tokenize='ascii');
";

impl Index {
    /// The index in this file; an empty one where there is none. Its directory must exist.
    ///
    /// # Errors
    /// It is no index of this version, another process is just making it, or it cannot be read or written.
    pub fn open(path: &Path) -> Result<Index, Trouble> {
        Index::open_waiting(path, PATIENCE)
    }

    /// The same without waiting: `Trouble::Busy` at once where another process holds the file.
    ///
    /// # Errors
    /// As for `open`.
    pub fn open_at_once(path: &Path) -> Result<Index, Trouble> {
        Index::open_waiting(path, Duration::ZERO)
    }

    fn open_waiting(path: &Path, patience: Duration) -> Result<Index, Trouble> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let db = Connection::open_with_flags(path, flags)?;
        db.busy_timeout(patience)?;
        let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let mut index = Index { db };
        match version {
            VERSION => {}
            0 => index.make()?,
            other => {
                return Err(Trouble::Unusable(format!(
                    "its version is {other}, this program's is {VERSION}"
                )));
            }
        }
        // Commits do not wait for the disk. A power cut can lose the last changes of the index, but never make it
        // inconsistent.
        index.db.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(index)
    }

    fn make(&mut self) -> Result<(), Trouble> {
        // With a write-ahead log a writer does not stop readers.
        self.db.pragma_update(None, "journal_mode", "WAL")?;
        let making = self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let version: i64 = making.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            making.execute_batch(TABLES)?;
            making.pragma_update(None, "user_version", VERSION)?;
        }
        making.commit()?;
        Ok(())
    }
}
