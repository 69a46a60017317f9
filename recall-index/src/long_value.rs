//! Values of a document that have many kilobytes, each in rows of nearly a page: where such a value changed in a few places, those
//! rows are written and no others.

use crate::Trouble;
use crate::place::UNIT_BITS;
use rusqlite::{Connection, params};

/// Bytes of a row: as many as a page holds that are a whole number of places.
const ROW_BYTES: usize = 3_996;

/// Which value of a document it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LongValue {
    Places,
    Stretches,
}

impl LongValue {
    /// The number of a row of it. Half of the numbers of a document are for either value.
    fn row(self, document: i64, n: usize) -> i64 {
        let half = 1 << (UNIT_BITS - 1);
        let first = document << UNIT_BITS | if matches!(self, LongValue::Places) { 0 } else { half };
        first + (n as i64).min(half - 1)
    }

    fn last_row(self, document: i64) -> i64 {
        self.row(document, usize::MAX >> 1)
    }

    /// The value; empty where there is none.
    pub(crate) fn read(self, on: &Connection, document: i64) -> Result<Vec<u8>, Trouble> {
        let mut bytes = Vec::new();
        self.read_into(&mut bytes, on, document)?;
        Ok(bytes)
    }

    /// The same in the place of what these bytes were.
    pub(crate) fn read_into(
        self,
        bytes: &mut Vec<u8>,
        on: &Connection,
        document: i64,
    ) -> Result<(), Trouble> {
        let mut of =
            on.prepare_cached("SELECT bytes FROM long_value WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
        let mut rows = of.query(params![self.row(document, 0), self.last_row(document)])?;
        bytes.clear();
        while let Some(row) = rows.next()? {
            let row = row.get_ref(0)?.as_blob().map_err(|e| Trouble::Unusable(e.to_string()))?;
            bytes.extend_from_slice(row);
        }
        Ok(())
    }

    /// Puts a value in the place of the one that was read.
    pub(crate) fn write(
        self,
        on: &Connection,
        document: i64,
        before: &[u8],
        now: &[u8],
    ) -> Result<(), Trouble> {
        let mut put = on.prepare_cached("INSERT OR REPLACE INTO long_value (id, bytes) VALUES (?1, ?2)")?;
        let mut stood = before.chunks(ROW_BYTES);
        for (n, row) in now.chunks(ROW_BYTES).enumerate() {
            if stood.next() != Some(row) {
                put.execute(params![self.row(document, n), row])?;
            }
        }
        if stood.next().is_some() {
            self.forget_from(on, document, now.len().div_ceil(ROW_BYTES))
        } else {
            Ok(())
        }
    }

    pub(crate) fn forget(self, on: &Connection, document: i64) -> Result<(), Trouble> {
        self.forget_from(on, document, 0)
    }

    fn forget_from(self, on: &Connection, document: i64, row: usize) -> Result<(), Trouble> {
        let mut gone = on.prepare_cached("DELETE FROM long_value WHERE id BETWEEN ?1 AND ?2")?;
        gone.execute(params![self.row(document, row), self.last_row(document)])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_only_rows_that_differ_are_written() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE long_value (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)").unwrap();
        let value = |rows: &[u8]| rows.iter().flat_map(|byte| vec![*byte; ROW_BYTES]).collect::<Vec<u8>>();
        let mut before = Vec::new();
        for (now, rows) in [
            (value(b""), 0),
            (value(b"abc"), 3),
            ([value(b"abc"), b"d".to_vec()].concat(), 1),
            (value(b"abcd"), 1),
            (value(b"aXcd"), 1),
            (value(b"aX"), 2),
            (value(b"b"), 2),
            (Vec::new(), 1),
        ] {
            for document in [7, 8] {
                let changed = db.total_changes();
                for of in [LongValue::Places, LongValue::Stretches] {
                    of.write(&db, document, &before, &now).unwrap();
                    assert_eq!(of.read(&db, document).unwrap(), now);
                }
                assert_eq!(db.total_changes() - changed, 2 * rows);
            }
            before = now;
        }
    }
}
