//! Where the units of a document stand, as one compact value per document: a line that is inserted moves all units below
//! it, and then only this value must be written again.

use crate::Trouble;
use recall::Token;

/// How many bits of a unit's number count the units of its document; the bits above are the document's number.
pub(crate) const UNIT_BITS: u32 = 24;

/// Bytes of a place.
const BYTES: usize = 36;

/// Where a unit stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnitPlace {
    /// Its serial number among all units that this document ever had.
    pub(crate) serial: u32,
    /// Its first line, from 1.
    pub line: u32,
    /// How many lines it has.
    pub lines: u32,
    /// The number of its section in the document.
    pub section: u32,
    /// Its first byte.
    from: u32,
    /// How many bytes its lines have.
    len: u32,
    /// How many words it has.
    pub(crate) words: u32,
    /// A hash of its lines.
    check: u64,
}

impl UnitPlace {
    /// The place of a unit in this text, whose lines begin at `starts` (the text's length is the last of them).
    pub(crate) fn of(unit: &recall::Unit, text: &str, starts: &[usize]) -> UnitPlace {
        let start = |line: usize| starts.get(line).copied().unwrap_or(text.len());
        let (from, to) = (start(unit.line - 1), start(unit.line - 1 + unit.lines));
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        UnitPlace {
            serial: 0,
            words: 0,
            line: number(unit.line),
            lines: number(unit.lines),
            section: number(unit.section),
            from: number(from),
            len: number(to - from),
            check: Token::of(&text[from..to]).0,
        }
    }

    /// Whether the unit still stands there, letter for letter.
    #[must_use]
    pub fn holds(&self, document: &[u8]) -> bool {
        let from = self.from as usize;
        let lines = document.get(from..from + self.len as usize);
        lines
            .and_then(|lines| std::str::from_utf8(lines).ok())
            .is_some_and(|lines| Token::of(lines).0 == self.check)
    }
}

/// Where each line of a text begins.
pub(crate) fn starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

pub(crate) fn to_bytes(places: &[UnitPlace]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(places.len() * BYTES);
    for place in places {
        for number in
            [place.serial, place.line, place.lines, place.section, place.from, place.len, place.words]
        {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&place.check.to_le_bytes());
    }
    bytes
}

pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Vec<UnitPlace>, Trouble> {
    let (places, rest) = bytes.as_chunks::<BYTES>();
    if !rest.is_empty() {
        return Err(Trouble::Unusable("a list of places is cut off".to_owned()));
    }
    let of = |place: &[u8; BYTES]| {
        let number = |at: usize| u32::from_le_bytes([place[at], place[at + 1], place[at + 2], place[at + 3]]);
        let check = u64::from(number(28)) | u64::from(number(32)) << 32;
        UnitPlace {
            serial: number(0),
            line: number(4),
            lines: number(8),
            section: number(12),
            from: number(16),
            len: number(20),
            words: number(24),
            check,
        }
    };
    Ok(places.iter().map(of).collect())
}
