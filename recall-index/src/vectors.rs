//! Vectors of units, made elsewhere: kept with the units, so that one whose text changes loses its own; and which units are
//! near to a question. A vector is kept as one byte a dimension.

use crate::place::UNIT_BITS;
use crate::search::AskedDocument;
use crate::store::{BEFORE_HEADING, Writing};
use crate::{Index, Trouble};
use recall::is_day;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;

/// Most characters of a unit that a model is given: what it is about stands at its beginning.
const CHARS_MAX: usize = 2_000;

/// A unit by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitId(i64);

/// The cosines of units and a question's vector.
#[derive(Debug, Default)]
pub(crate) struct Nearness {
    /// By unit, in the order of their numbers.
    cosines: Vec<(i64, f32)>,
    pub(crate) mean: f32,
    pub(crate) deviation: f32,
}

impl Nearness {
    pub(crate) fn units(&self) -> u64 {
        self.cosines.len() as u64
    }

    pub(crate) fn of(&self, unit: i64) -> Option<f32> {
        let at = self.cosines.binary_search_by_key(&unit, |(id, _)| *id).ok()?;
        Some(self.cosines[at].1)
    }

    /// The units in the order of nearness.
    pub(crate) fn nearest(&self) -> Vec<i64> {
        let mut nearest: Vec<&(i64, f32)> = self.cosines.iter().collect();
        nearest.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        nearest.into_iter().map(|(unit, _)| *unit).collect()
    }
}

impl Index {
    /// Live units of these documents that have no vector of this model.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn without_vector(
        &self,
        documents: &[AskedDocument<'_>],
        model: &str,
    ) -> Result<Vec<UnitId>, Trouble> {
        let is_other = self.model()?.is_some_and(|of| of != model);
        let mut document = self.db.prepare_cached("SELECT id FROM document WHERE path = ?1")?;
        let mut units = self.db.prepare_cached(
            "SELECT id FROM unit WHERE id >= ?1 AND id < ?2 AND retired = 0
             AND (?3 OR NOT EXISTS (SELECT 1 FROM vector WHERE vector.unit = unit.id)) ORDER BY id DESC",
        )?;
        let mut found = Vec::new();
        for asked in documents {
            let id: Option<i64> = document.query_row([asked.path], |row| row.get(0)).optional()?;
            let Some(id) = id else { continue };
            let (from, to) = (id << UNIT_BITS, (id + 1) << UNIT_BITS);
            let mut rows = units.query(params![from, to, is_other])?;
            while let Some(row) = rows.next()? {
                found.push(UnitId(row.get(0)?));
            }
        }
        Ok(found)
    }

    /// The texts to make the vectors of these units of; nothing of a unit that is gone.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn described(&self, units: &[UnitId]) -> Result<Vec<(UnitId, String)>, Trouble> {
        let mut unit =
            self.db.prepare_cached("SELECT heading, text FROM unit WHERE id = ?1 AND retired = 0")?;
        let mut texts = Vec::new();
        for id in units {
            let text = unit.query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)));
            let text: Option<(String, String)> = text.optional()?;
            texts.extend(text.map(|(heading, text)| (*id, described(&heading, &text))));
        }
        Ok(texts)
    }

    /// The model whose vectors are kept; `None` before the first.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn model(&self) -> Result<Option<String>, Trouble> {
        model(&self.db)
    }

    /// How many live units of these documents there are, and how many have a vector of this model.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn vectors(&self, documents: &[AskedDocument<'_>], model: &str) -> Result<(u64, u64), Trouble> {
        let (mut units, mut ids) = (0, HashSet::<i64>::new());
        let mut document = self.db.prepare_cached("SELECT id, live_units FROM document WHERE path = ?1")?;
        for asked in documents {
            let row = document.query_row([asked.path], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)));
            if let Some((id, live)) = row.optional()? {
                ids.insert(id);
                units += live.cast_unsigned();
            }
        }
        if self.model()?.is_none_or(|of| of != model) {
            return Ok((units, 0));
        }
        let mut all = self.db.prepare_cached("SELECT unit FROM vector")?;
        let mut rows = all.query([])?;
        let mut with = 0;
        while let Some(row) = rows.next()? {
            with += u64::from(ids.contains(&(row.get::<_, i64>(0)? >> UNIT_BITS)));
        }
        Ok((units, with))
    }
}

fn model(on: &Connection) -> Result<Option<String>, Trouble> {
    Ok(on.query_row("SELECT model FROM vectors_of", [], |row| row.get(0)).optional()?)
}

impl Writing<'_> {
    /// Keeps vectors of units, all of one model; `None` for a unit of which there is to be none. Those of another model go. A
    /// unit that has gone meanwhile gets none.
    ///
    /// # Errors
    /// The index cannot be written to.
    pub fn keep_vectors(
        &mut self,
        model: &str,
        vectors: &[(UnitId, Option<Vec<f32>>)],
    ) -> Result<(), Trouble> {
        if self::model(&self.on)?.is_none_or(|of| of != model) {
            self.on.execute_batch("DELETE FROM vector; DELETE FROM vectors_of;")?;
            self.on.execute("INSERT INTO vectors_of VALUES (?1)", [model])?;
        }
        let mut keep = self.on.prepare_cached(
            "INSERT OR REPLACE INTO vector SELECT id, ?2 FROM unit WHERE id = ?1 AND retired = 0",
        )?;
        for (unit, vector) in vectors {
            keep.execute(params![unit.0, vector.as_deref().map(packed).unwrap_or_default()])?;
        }
        Ok(())
    }
}

/// How near the units of these documents (by their numbers in the index) are to a question. Vectors of other lengths, and units
/// that are to have none, are left out.
pub(crate) fn nearness(
    on: &Connection,
    question: &[f32],
    is_asked: impl Fn(i64) -> bool,
) -> Result<Nearness, Trouble> {
    let mut all = on.prepare_cached("SELECT unit, vector FROM vector ORDER BY unit")?;
    let mut rows = all.query([])?;
    let mut found = Nearness::default();
    let length = length(question);
    while let Some(row) = rows.next()? {
        let unit: i64 = row.get(0)?;
        let vector = row.get_ref(1)?.as_blob().map_err(|e| Trouble::Unusable(e.to_string()))?;
        if is_asked(unit >> UNIT_BITS)
            && let Some(cosine) = cosine(question, length, vector)
        {
            found.cosines.push((unit, cosine));
        }
    }
    let count = found.cosines.len().max(1) as f32;
    found.mean = found.cosines.iter().map(|(_, cosine)| cosine).sum::<f32>() / count;
    let apart = found.cosines.iter().map(|(_, cosine)| (cosine - found.mean).powi(2)).sum::<f32>();
    found.deviation = (apart / count).sqrt();
    Ok(found)
}

/// A vector of length 1, one byte a dimension, behind the value of the largest.
fn packed(vector: &[f32]) -> Vec<u8> {
    let length = length(vector).max(f32::MIN_POSITIVE);
    let largest = vector.iter().fold(0f32, |most, x| most.max((x / length).abs())).max(f32::MIN_POSITIVE);
    let bytes = vector.iter().map(|x| ((x / length / largest * 127.0).round() as i8).cast_unsigned());
    largest.to_le_bytes().into_iter().chain(bytes).collect()
}

/// The cosine of a question's vector of this length and a packed one; `None` where they do not fit.
fn cosine(question: &[f32], length: f32, packed: &[u8]) -> Option<f32> {
    let (largest, bytes) = packed.split_first_chunk::<4>()?;
    if bytes.len() != question.len() || bytes.is_empty() {
        return None;
    }
    let sum: f32 = question.iter().zip(bytes).map(|(x, byte)| x * f32::from(byte.cast_signed())).sum();
    let cosine = sum * f32::from_le_bytes(*largest) / 127.0 / length.max(f32::MIN_POSITIVE);
    cosine.is_finite().then_some(cosine)
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

/// What a model is given of a unit: its text under the heading it stands under, which often says what it is about.
fn described(heading: &str, text: &str) -> String {
    let above = heading.split(BEFORE_HEADING).filter(|title| {
        !title.is_empty() && *title != text && !is_day(title.split_whitespace().next().unwrap_or_default())
    });
    let all = match above.last() {
        Some(title) => format!("{title}: {text}"),
        None => text.to_owned(),
    };
    all.chars().take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::{cosine, described, length, packed};
    use crate::store::BEFORE_HEADING;
    use proptest::prelude::*;

    fn near(question: &[f32], packed: &[u8]) -> Option<f32> {
        cosine(question, length(question), packed)
    }

    #[test]
    fn a_unit_is_described_under_its_heading() {
        let heading = format!("{BEFORE_HEADING}Facts{BEFORE_HEADING}Opening hours{BEFORE_HEADING}2026-02-03");
        assert_eq!(described(&heading, "from nine"), "Opening hours: from nine");
        assert_eq!(described("", "from nine"), "from nine");
        assert_eq!(described(&format!("{BEFORE_HEADING}Hours"), "Hours"), "Hours");
        assert_eq!(described("", &"长".repeat(9_000)).chars().count(), 2_000);
    }

    #[test]
    fn vectors_that_do_not_fit_have_no_cosine() {
        assert_eq!(near(&[1.0, 0.0], &packed(&[1.0])), None);
        assert_eq!(near(&[], &packed(&[])), None);
        assert_eq!(near(&[1.0], &[]), None);
        assert_eq!(near(&[f32::INFINITY, 0.0], &packed(&[1.0, 0.0])), None);
    }

    proptest! {
        #[test]
        fn a_byte_a_dimension_loses_little(
            one in proptest::collection::vec(-1f32..1.0, 64),
            other in proptest::collection::vec(-1f32..1.0, 64),
        ) {
            let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
            let exact = one.iter().zip(&other).map(|(a, b)| a * b).sum::<f32>() / length(&one) / length(&other);
            let kept = near(&one, &packed(&other)).unwrap();
            prop_assert!((exact - kept).abs() < 0.01, "{exact} {kept}");
        }
    }
}
