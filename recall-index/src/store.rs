//! Writes documents into the index as they were read. A document that is read again keeps the units that are unchanged, so
//! that one changed line costs one row.

use crate::long_value::LongValue;
use crate::place::{self, Lines, Places, UNIT_BITS, UnitPlace};
use crate::stretches::{self, Recut, STRETCH_BYTES, Stretch};
use crate::{Index, Trouble};
use recall::{ItemFields, Token, Tokens, Unit, UnitKind, fold};
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::HashMap;

/// The separator before each heading in a column.
pub(crate) const BEFORE_HEADING: &str = "\u{1f}";

/// A file that changed less than so many milliseconds before it was read may have been changed again without another time
/// stamp: file systems count time in steps of up to 2 s.
const TIME_STEP_MS: u64 = 2_000;

/// A document's file as the file system describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// Bytes.
    pub len: u64,
    /// Its last change, in milliseconds since the epoch.
    pub modified_ms: u64,
    /// The last change of it, its name or its rights, which no program sets to another time: what is written in place and given its
    /// old time again shows here.
    pub changed_ms: u64,
    /// With `device` the identity of the file.
    pub inode: u64,
    /// The file system.
    pub device: u64,
}

/// A change of the index: kept as a whole or not at all.
pub struct Writing<'i> {
    pub(crate) on: Transaction<'i>,
}

impl Index {
    /// The numbers of those documents (path, stamp) that must be read again: the index does not have them, or their stamp
    /// is another one or too young to be trusted.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn outdated(&self, documents: &[(&str, FileStamp)]) -> Result<Vec<usize>, Trouble> {
        let mut known = self.db.prepare_cached(
            "SELECT len, modified_ms, changed_ms, inode, device, seen_ms FROM document WHERE path = ?1",
        )?;
        let mut outdated = Vec::new();
        for (number, (path, stamp)) in documents.iter().enumerate() {
            let row = known.query_row([path], |row| {
                let column = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
                let stamp = FileStamp {
                    len: column(0)?,
                    modified_ms: column(1)?,
                    changed_ms: column(2)?,
                    inode: column(3)?,
                    device: column(4)?,
                };
                Ok((stamp, column(5)?))
            });
            let holds = row.optional()?.is_some_and(|(known, seen_ms)| {
                let last_ms = stamp.modified_ms.max(stamp.changed_ms);
                known == *stamp && seen_ms >= last_ms.saturating_add(TIME_STEP_MS)
            });
            if !holds {
                outdated.push(number);
            }
        }
        Ok(outdated)
    }

    /// Begins a change. Others can read meanwhile, and see what was there before.
    ///
    /// # Errors
    /// Another process is writing, or the index cannot be written to.
    pub fn write(&mut self) -> Result<Writing<'_>, Trouble> {
        Ok(Writing { on: self.db.transaction_with_behavior(TransactionBehavior::Immediate)? })
    }
}

/// What is known of a document beside its row.
const LONG_VALUES: [LongValue; 2] = [LongValue::Places, LongValue::Stretches];

/// A document as the index has it.
#[derive(Default)]
struct Known {
    id: i64,
    next_serial: u32,
    live_units: i64,
    live_words: i64,
    places: Vec<UnitPlace>,
    stretches: Vec<Stretch>,
    /// Both as they were read.
    stored: [Vec<u8>; 2],
}

impl Writing<'_> {
    /// Stores a document as it was read. `stamp` was taken before reading, `now_ms` is the time of reading.
    ///
    /// # Errors
    /// The index cannot be written to.
    pub fn put(&mut self, path: &str, stamp: FileStamp, text: &str, now_ms: u64) -> Result<(), Trouble> {
        let mut document = match self.known(path)? {
            Some(known) => known,
            None => {
                self.on
                    .prepare_cached(
                        "INSERT INTO document (path, len, modified_ms, changed_ms, inode, device, seen_ms, units, live_units,
                     live_words, next_serial) VALUES (?1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
                    )?
                    .execute([path])?;
                Known { id: self.on.last_insert_rowid(), ..Known::default() }
            }
        };
        let Some(recut) = stretches::recut(&document.stretches, text, STRETCH_BYTES) else {
            return self.see(document.id, stamp, now_ms);
        };
        self.put_units(&mut document, &recut, text)?;
        self.on
            .prepare_cached(
                "UPDATE document SET units = ?2, live_units = ?3, live_words = ?4, next_serial = ?5 WHERE id = ?1",
            )?
            .execute(params![
                document.id,
                document.places.len().cast_signed() as i64,
                document.live_units,
                document.live_words,
                document.next_serial,
            ])?;
        let now = [place::to_bytes(&document.places), stretches::to_bytes(&recut.stretches)];
        for ((of, stood), now) in LONG_VALUES.into_iter().zip(&document.stored).zip(&now) {
            of.write(&self.on, document.id, stood, now)?;
        }
        self.see(document.id, stamp, now_ms)
    }

    fn known(&self, path: &str) -> Result<Option<Known>, Trouble> {
        let mut known = self
            .on
            .prepare_cached("SELECT id, next_serial, live_units, live_words FROM document WHERE path = ?1")?;
        let mut rows = known.query([path])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let id = row.get(0)?;
        let [places, stretches] = LONG_VALUES.map(|of| of.read(&self.on, id));
        let stored = [places?, stretches?];
        Ok(Some(Known {
            id,
            next_serial: row.get(1)?,
            live_units: row.get(2)?,
            live_words: row.get(3)?,
            places: Places::of(&stored[0])?.iter().collect(),
            stretches: stretches::from_bytes(&stored[1])?,
            stored,
        }))
    }

    /// Removes a document that is gone.
    ///
    /// # Errors
    /// The index cannot be written to.
    pub fn forget(&mut self, path: &str) -> Result<(), Trouble> {
        let id: Option<i64> = self
            .on
            .query_row("SELECT id FROM document WHERE path = ?1", [path], |row| row.get(0))
            .optional()?;
        let Some(id) = id else { return Ok(()) };
        for place in self.known(path)?.into_iter().flat_map(|known| known.places) {
            self.take_out(&self.old(id, place)?.1)?;
        }
        for of in LONG_VALUES {
            of.forget(&self.on, id)?;
        }
        self.on.execute("DELETE FROM document WHERE id = ?1", [id])?;
        Ok(())
    }

    /// Every path that the index has.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn paths(&self) -> Result<Vec<String>, Trouble> {
        let mut paths = self.on.prepare("SELECT path FROM document")?;
        let paths = paths.query_map([], |row| row.get(0))?;
        Ok(paths.collect::<Result<_, _>>()?)
    }

    /// Keeps what was put and removed.
    ///
    /// # Errors
    /// The change cannot be written: nothing of it is kept.
    pub fn commit(self) -> Result<(), Trouble> {
        Ok(self.on.commit()?)
    }

    fn see(&self, id: i64, stamp: FileStamp, now_ms: u64) -> Result<(), Trouble> {
        self.on
            .prepare_cached(
                "UPDATE document SET len = ?2, modified_ms = ?3, changed_ms = ?4, inode = ?5, device = ?6, seen_ms = ?7
                 WHERE id = ?1",
            )?
            .execute(params![
                id,
                stamp.len.cast_signed(),
                stamp.modified_ms.cast_signed(),
                stamp.changed_ms.cast_signed(),
                stamp.inode.cast_signed(),
                stamp.device.cast_signed(),
                now_ms.cast_signed(),
            ])?;
        Ok(())
    }

    /// Puts what was cut of a document in the place of what stood there; of that the units that are there again stay.
    fn put_units(&self, document: &mut Known, recut: &Recut, text: &str) -> Result<(), Trouble> {
        let cut_out = recut.before..document.places.len().saturating_sub(recut.after);
        let mut old: HashMap<i64, Vec<Old>> = HashMap::new();
        let stood = document.places.get(cut_out.clone()).map(<[_]>::to_vec);
        let stood = stood.ok_or_else(|| Trouble::Unusable("stretches and places do not fit".to_owned()))?;
        for place in stood.into_iter().rev() {
            let (same, of) = self.old(document.id, place)?;
            document.count(&of, -1);
            old.entry(same).or_default().push(of);
        }
        let lines = Lines::of(text, recut.from, recut.to);
        let mut places = Vec::with_capacity(recut.units.len());
        for unit in &recut.units {
            let row = Row::of(unit)?;
            let of = match old.get_mut(&row.same).and_then(Vec::pop) {
                Some(kept) => kept,
                None => {
                    let serial = document.next_serial;
                    if serial >> UNIT_BITS != 0 {
                        return Err(Trouble::Unusable("a document has been changed too often".to_owned()));
                    }
                    document.next_serial += 1;
                    let id = document.id << UNIT_BITS | i64::from(serial);
                    Old { id, retired: unit.item.retired, words: self.take_in(id, unit, &row)? }
                }
            };
            document.count(&of, 1);
            let mut place = UnitPlace::of(unit, &lines);
            (place.serial, place.words) = (serial(of.id), of.words);
            places.push(place);
        }
        for gone in old.values().flatten() {
            self.take_out(gone)?;
        }
        for behind in &mut document.places[cut_out.end..] {
            *behind = behind.moved(recut.moved);
        }
        document.places.splice(cut_out, places);
        Ok(())
    }

    /// The row of a unit, and the hash of its contents.
    fn old(&self, document: i64, place: UnitPlace) -> Result<(i64, Old), Trouble> {
        let id = document << UNIT_BITS | i64::from(place.serial);
        let mut unit = self.on.prepare_cached("SELECT same, retired FROM unit WHERE id = ?1")?;
        let row = unit
            .query_row([id], |row| Ok((row.get(0)?, Old { id, retired: row.get(1)?, words: place.words })));
        row.optional()?.ok_or_else(|| Trouble::Unusable("a unit is missing".to_owned()))
    }

    fn take_in(&self, id: i64, unit: &Unit, row: &Row) -> Result<u32, Trouble> {
        let tokens = Tokens::of(&unit.text);
        let mut distinct: Vec<Token> = tokens.at.into_iter().map(|(token, _)| token).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let text: Vec<String> = distinct.into_iter().map(spelt).collect();
        let table = if unit.item.retired {
            "INSERT INTO retired (rowid, tokens) VALUES (?1, ?2)"
        } else {
            "INSERT INTO live (rowid, tokens) VALUES (?1, ?2)"
        };
        self.on.prepare_cached(table)?.execute(params![id, text.join(" ")])?;
        let folded = fold(&unit.text);
        self.on
            .prepare_cached("INSERT INTO unit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?
            .execute(params![
                id,
                row.same,
                row.kind,
                unit.item.retired,
                tokens.words,
                unit.text,
                (folded != unit.text).then_some(folded),
                row.heading,
                unit.day,
                row.item,
            ])?;
        Ok(tokens.words)
    }

    fn take_out(&self, old: &Old) -> Result<(), Trouble> {
        let table = if old.retired {
            "DELETE FROM retired WHERE rowid = ?1"
        } else {
            "DELETE FROM live WHERE rowid = ?1"
        };
        self.on.prepare_cached(table)?.execute([old.id])?;
        self.on.prepare_cached("DELETE FROM unit WHERE id = ?1")?.execute([old.id])?;
        self.on.prepare_cached("DELETE FROM vector WHERE unit = ?1")?.execute([old.id])?;
        Ok(())
    }
}

/// A unit that the index has.
struct Old {
    id: i64,
    retired: bool,
    words: u32,
}

impl Known {
    /// Counts a unit that is live, or no longer.
    fn count(&mut self, unit: &Old, by: i64) {
        if !unit.retired {
            self.live_units += by;
            self.live_words += by * i64::from(unit.words);
        }
    }
}

pub(crate) fn serial(id: i64) -> u32 {
    (id & ((1 << UNIT_BITS) - 1)) as u32
}

/// A token as it is written in the tables.
pub(crate) fn spelt(token: Token) -> String {
    format!("{:x}", token.0)
}

/// A unit as columns.
struct Row {
    kind: i64,
    heading: String,
    item: Option<String>,
    /// A hash of everything that is stored of it: a unit with the same hash is the same.
    same: i64,
}

impl Row {
    fn of(unit: &Unit) -> Result<Row, Trouble> {
        let kind = match unit.kind {
            UnitKind::Item => 0,
            UnitKind::Section => 1,
            UnitKind::Heading => 2,
            UnitKind::FrontMatter => 3,
        };
        let heading: String =
            unit.heading.iter().flat_map(|title| [BEFORE_HEADING, title.as_str()]).collect();
        let item = (unit.item != ItemFields::default())
            .then(|| serde_json::to_string(&unit.item))
            .transpose()
            .map_err(|e| Trouble::Failed(e.to_string()))?;
        let day = unit.day.as_deref().unwrap_or_default();
        let all = format!("{kind}\0{heading}\0{day}\0{}\0{}", item.as_deref().unwrap_or_default(), unit.text);
        Ok(Row { kind, heading, item, same: Token::of(&all).0.cast_signed() })
    }
}

/// A unit from its columns `kind, text, heading, day, item`, with the place it stands at.
pub(crate) fn unit(row: &rusqlite::Row<'_>, place: &UnitPlace) -> Result<Unit, Trouble> {
    let kind = match row.get::<_, i64>(0)? {
        0 => UnitKind::Item,
        1 => UnitKind::Section,
        2 => UnitKind::Heading,
        3 => UnitKind::FrontMatter,
        other => return Err(Trouble::Unusable(format!("there is no kind {other} of unit"))),
    };
    let heading: String = row.get(2)?;
    let item: Option<String> = row.get(4)?;
    let item = item.map(|item| serde_json::from_str(&item)).transpose();
    Ok(Unit {
        kind,
        line: place.line as usize,
        lines: place.lines as usize,
        text: row.get(1)?,
        heading: heading.split(BEFORE_HEADING).skip(1).map(str::to_owned).collect(),
        section: place.section as usize,
        day: row.get(3)?,
        item: item.map_err(|e| Trouble::Unusable(e.to_string()))?.unwrap_or_default(),
    })
}
