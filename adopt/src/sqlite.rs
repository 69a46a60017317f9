//! Reads a SQLite database from its bytes while its program may be writing: the file and the committed part of its write-ahead log
//! are joined in memory. SQLite itself never opens the file, so that no file is made beside it and no lock is taken.

use crate::store::LINK_ELSEWHERE;
use crate::{FoundMemories, MemoryStore};
use durable::{FileKind, Stat};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::path::{Path, PathBuf};

/// Bytes of a database, and of its log.
const DATABASE_BYTES_MAX: u64 = 128 << 20;
/// The most rows that one query returns.
pub(crate) const ROWS_MAX: usize = 20_000;
/// The most steps of SQLite's virtual machine that one query may take, in thousands.
const KILOSTEPS_MAX: u32 = 200_000;
/// The first bytes of a database.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// Bytes before the first frame of a log, and before the page of each frame.
const LOG_HEAD: usize = 32;
const FRAME_HEAD: usize = 24;
/// The first four bytes of a log; the last bit is set where its sums count in big-endian words.
const LOG: u32 = 0x377f_0682;

/// A database in memory.
pub(crate) struct Database {
    db: Connection,
}

impl MemoryStore<'_> {
    /// A database; `None` if there is none. One that cannot be read is recorded as left out.
    pub(crate) fn database(
        &self,
        system: &'static str,
        path: &Path,
        found: &mut FoundMemories,
    ) -> Option<Database> {
        let read = self.joined(path)?;
        match read.and_then(|bytes| Database::of(bytes).ok_or("it is no database that can be read")) {
            Ok(database) => Some(database),
            Err(why) => {
                found.leave_out(system, path, 0, "", why);
                None
            }
        }
    }

    /// The bytes of a database as of its last commit.
    fn joined(&self, path: &Path) -> Option<Result<Vec<u8>, &'static str>> {
        let (log, journal) = (beside(path, "-wal"), beside(path, "-journal"));
        let stats = || [path, &log, &journal].map(|path| self.disk.stat(path).ok().flatten());
        let before = stats();
        before[0].filter(|stat| stat.kind == FileKind::File)?;
        Some(self.read_joined(path, &log, &journal, &before).and_then(|bytes| match stats() == before {
            true => Ok(bytes),
            false => Err("it changed while it was read; run it again"),
        }))
    }

    fn read_joined(
        &self,
        path: &Path,
        log: &Path,
        journal: &Path,
        stats: &[Option<Stat>; 3],
    ) -> Result<Vec<u8>, &'static str> {
        if self.leads_out_of_the_project(path) {
            return Err(LINK_ELSEWHERE);
        }
        if stats.iter().flatten().any(|stat| stat.len > DATABASE_BYTES_MAX) {
            return Err("it is larger than 128 MB");
        }
        let read = |path: &Path| self.disk.read(path, DATABASE_BYTES_MAX).map_err(|_| "it cannot be read");
        // As long as a rollback journal is empty or begins with zeros, no page of the file has been changed.
        let begins = |path: &Path| self.disk.read_at(path, 0, 1).map_err(|_| "it cannot be read");
        if stats[2].is_some() && begins(journal)?.first().is_some_and(|byte| *byte != 0) {
            return Err("its program was writing to it; run it again");
        }
        let mut bytes = read(path)?;
        if stats[1].is_some() {
            take_in(&mut bytes, &read(log)?);
        }
        Ok(bytes)
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Copies the committed pages of a write-ahead log into the database (SQLite, "WAL-mode File Format"). Pages after the last commit,
/// and pages of an earlier use of the log, are ignored.
fn take_in(database: &mut Vec<u8>, log: &[u8]) {
    let Some(log) = Log::of(log) else { return };
    let mut committed = 0;
    let (mut frames, mut pages) = (Vec::new(), 0);
    for frame in log.frames() {
        frames.push(frame);
        if frame.pages > 0 {
            (committed, pages) = (frames.len(), frame.pages);
        }
    }
    let size = pages as usize * log.page_size;
    if committed == 0 || size as u64 > DATABASE_BYTES_MAX {
        return;
    }
    database.resize(size, 0);
    for frame in &frames[..committed] {
        let start = (frame.number as usize).saturating_sub(1) * log.page_size;
        if let Some(place) = database.get_mut(start..start + log.page_size) {
            place.copy_from_slice(frame.page);
        }
    }
}

/// A write-ahead log with a valid header.
struct Log<'l> {
    bytes: &'l [u8],
    page_size: usize,
    big_endian: bool,
}

/// A page of a log.
#[derive(Clone, Copy)]
struct Frame<'l> {
    number: u32,
    /// The size of the database in pages after the commit that this frame ends; 0 if the frame does not end one.
    pages: u32,
    page: &'l [u8],
}

impl<'l> Log<'l> {
    fn of(bytes: &'l [u8]) -> Option<Log<'l>> {
        let magic = word(bytes, 0)?;
        let page_size = word(bytes, 8)? as usize;
        let fits = magic & !1 == LOG && page_size.is_power_of_two() && (512..=65_536).contains(&page_size);
        let log = Log { bytes, page_size, big_endian: magic & 1 == 1 };
        let said = (word(bytes, 24)?, word(bytes, 28)?);
        (fits && log.sum((0, 0), bytes.get(..24)?) == said).then_some(log)
    }

    /// The frames of this use of the log, up to the first whose checksum is wrong.
    fn frames(&self) -> impl Iterator<Item = Frame<'l>> {
        let whole = self.bytes.get(LOG_HEAD..).unwrap_or_default();
        let mut sum = (word(self.bytes, 24).unwrap_or(0), word(self.bytes, 28).unwrap_or(0));
        whole.chunks_exact(FRAME_HEAD + self.page_size).map_while(move |frame| {
            let (head, page) = frame.split_at(FRAME_HEAD);
            sum = self.sum(self.sum(sum, &head[..8]), page);
            let said = (word(head, 16)?, word(head, 20)?);
            let of_this_use = head.get(8..16) == self.bytes.get(16..24);
            (of_this_use && sum == said).then_some(Frame {
                number: word(head, 0)?,
                pages: word(head, 4)?,
                page,
            })
        })
    }

    /// The checksum, continued over these bytes.
    fn sum(&self, (mut one, mut two): (u32, u32), bytes: &[u8]) -> (u32, u32) {
        let word = |part: &[u8]| {
            let part: [u8; 4] = part.try_into().unwrap_or_default();
            if self.big_endian { u32::from_be_bytes(part) } else { u32::from_le_bytes(part) }
        };
        for pair in bytes.chunks_exact(8) {
            one = one.wrapping_add(word(&pair[..4])).wrapping_add(two);
            two = two.wrapping_add(word(&pair[4..])).wrapping_add(one);
        }
        (one, two)
    }
}

/// A big-endian number of four bytes.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl Database {
    fn of(mut bytes: Vec<u8>) -> Option<Database> {
        if bytes.get(..DATABASE.len()) != Some(DATABASE) || bytes.len() < 512 {
            return None;
        }
        // A database in memory cannot have a write-ahead log: the file format versions in its header must say so.
        for version in bytes.get_mut(18..20)? {
            *version = 1;
        }
        let mut db = Connection::open_in_memory().ok()?;
        db.deserialize_read_exact("main", &bytes[..], bytes.len(), true).ok()?;
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).ok()?;
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).ok()?;
        db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)).ok()?;
        Some(Database { db })
    }

    /// These columns of all rows of a table, the newest first. A column that the table lacks is empty. `None` if there is no such
    /// table.
    pub(crate) fn rows(&mut self, table: &str, columns: &[&str]) -> Option<Vec<Vec<String>>> {
        let known = self.columns(table)?;
        let columns: Vec<String> = columns
            .iter()
            .map(|name| {
                if known.iter().any(|known| known == name) {
                    format!("\"{name}\"")
                } else {
                    "NULL".to_owned()
                }
            })
            .collect();
        self.select(&format!(
            "SELECT {} FROM \"{table}\" ORDER BY rowid DESC LIMIT {}",
            columns.join(", "),
            ROWS_MAX + 1
        ))
    }

    /// The columns of a table. Views, virtual tables and tables with computed columns do not count as tables.
    fn columns(&self, table: &str) -> Option<Vec<String>> {
        let of_schema = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let sql: String = self.db.query_row(of_schema, [table], |row| row.get(0)).ok()?;
        if sql.trim_start().to_lowercase().starts_with("create virtual") {
            return None;
        }
        let mut of_table = self.db.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1)").ok()?;
        let columns = of_table
            .query_map([table], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)? != 0)))
            .ok()?;
        let columns: Vec<(String, bool)> = columns.flatten().collect();
        // What a column computes can be gigabytes, of a file of some bytes.
        (!columns.iter().any(|(_, computed)| *computed))
            .then(|| columns.into_iter().map(|(name, _)| name).collect())
    }

    /// Whether all of these tables exist.
    pub(crate) fn has(&self, tables: &[&str]) -> bool {
        tables.iter().all(|table| self.columns(table).is_some())
    }

    /// The rows of a query as texts; a value that is neither text nor number is empty. `None` if the query fails or takes too long.
    pub(crate) fn select(&mut self, sql: &str) -> Option<Vec<Vec<String>>> {
        let mut steps = 0;
        let too_long = move || {
            steps += 1;
            steps > KILOSTEPS_MAX
        };
        self.db.progress_handler(1_000, Some(too_long)).ok()?;
        let mut statement = self.db.prepare(sql).ok()?;
        let width = statement.column_count();
        let mut rows = statement.query([]).ok()?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().ok()? {
            found.push((0..width).map(|at| text_of(row, at)).collect());
        }
        Some(found)
    }
}

fn text_of(row: &Row<'_>, at: usize) -> String {
    match row.get_ref(at) {
        Ok(ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
        Ok(ValueRef::Integer(number)) => number.to_string(),
        Ok(ValueRef::Real(number)) => number.to_string(),
        _ => String::new(),
    }
}
