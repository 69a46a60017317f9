//! Where the units of a document stand, as one compact value per document: a line that is inserted moves all units below
//! it, and then only this value, from there on, must be written again.

use crate::Trouble;
use crate::stretches::Moved;
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

/// Where lines of a text begin.
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// How many lines stand before the first of them.
    before: usize,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// The lines of a text from one line on, which begins at a byte, up to `end`.
    pub(crate) fn of(text: &'t str, (before, byte): (usize, usize), end: usize) -> Lines<'t> {
        let ends = text.as_bytes()[byte..end].iter().enumerate().filter(|(_, b)| **b == b'\n');
        let starts = std::iter::once(byte).chain(ends.map(|(at, _)| byte + at + 1)).collect();
        Lines { text, before, starts }
    }

    /// Where a line begins, or the text ends; the first line is 0.
    fn start(&self, line: usize) -> usize {
        let at = line.checked_sub(self.before).and_then(|line| self.starts.get(line));
        at.copied().unwrap_or(self.text.len())
    }
}

impl UnitPlace {
    /// The place of a unit of these lines.
    pub(crate) fn of(unit: &recall::Unit, lines: &Lines<'_>) -> UnitPlace {
        let (from, to) = (lines.start(unit.line - 1), lines.start(unit.line - 1 + unit.lines));
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        UnitPlace {
            serial: 0,
            words: 0,
            line: number(unit.line),
            lines: number(unit.lines),
            section: number(unit.section),
            from: number(from),
            len: number(to - from),
            check: Token::of(&lines.text[from..to]).0,
        }
    }

    /// The same unit further down or up.
    pub(crate) fn moved(self, by: Moved) -> UnitPlace {
        let number = |at: u32, by: i64| u32::try_from(i64::from(at) + by).unwrap_or(u32::MAX);
        UnitPlace {
            line: number(self.line, by.lines),
            section: number(self.section, by.sections),
            from: number(self.from, by.bytes),
            ..self
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

/// Where the units of a document stand, as `to_bytes` wrote it, in the order of the document. A question needs few of them:
/// each is read where it is asked for.
pub(crate) struct Places<'b>(&'b [[u8; BYTES]]);

impl<'b> Places<'b> {
    pub(crate) fn of(bytes: &'b [u8]) -> Result<Places<'b>, Trouble> {
        match bytes.as_chunks::<BYTES>() {
            (places, []) => Ok(Places(places)),
            _ => Err(Trouble::Unusable("a list of places is cut off".to_owned())),
        }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = UnitPlace> + 'b {
        self.0.iter().map(place_of)
    }
}

fn place_of(place: &[u8; BYTES]) -> UnitPlace {
    let number = |at: usize| u32::from_le_bytes([place[at], place[at + 1], place[at + 2], place[at + 3]]);
    UnitPlace {
        serial: number(0),
        line: number(4),
        lines: number(8),
        section: number(12),
        from: number(16),
        len: number(20),
        words: number(24),
        check: u64::from(number(28)) | u64::from(number(32)) << 32,
    }
}
