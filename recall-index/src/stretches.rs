//! A document in stretches of some kilobytes, each with a hash: of a document that changed only the stretches around the change are cut
//! into units again.

use crate::Trouble;
use recall::{Seam, Unit, cut_from};

/// A stretch ends at the first seam behind so many bytes.
pub(crate) const STRETCH_BYTES: usize = 4 * 1024;

/// A part of a document, from one seam to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Its length in bytes.
    bytes: usize,
    /// How many lines it has; 0 of the last one.
    lines: usize,
    /// How many units.
    units: usize,
    /// How many sections begin in it; 0 of the last one.
    sections: usize,
    /// The headings it stands under, each with its level.
    headings: Vec<(usize, String)>,
    /// The hash of its bytes.
    hash: u64,
}

impl Stretch {
    /// Whether it stands at this byte of a text.
    fn is_at(&self, byte: usize, text: &str) -> bool {
        text.as_bytes().get(byte..byte + self.bytes).is_some_and(|here| hash(here) == self.hash)
    }
}

/// How a text is to be cut of which earlier stretches are known.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Recut {
    /// The stretches of the text.
    pub stretches: Vec<Stretch>,
    /// How many units at the beginning stay where they were.
    pub before: usize,
    /// The units that were cut.
    pub units: Vec<Unit>,
    /// How many lines stand before what was cut, and its first byte.
    pub from: (usize, usize),
    /// Where it ends.
    pub to: usize,
    /// How many units at the end stay as they were.
    pub after: usize,
    /// How much further down those stand now than they did.
    pub moved: Moved,
}

/// How far units moved.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moved {
    pub bytes: i64,
    pub lines: i64,
    pub sections: i64,
}

/// Where a stretch begins.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Start {
    bytes: usize,
    lines: usize,
    units: usize,
    sections: usize,
}

impl Start {
    fn behind(self, stretch: &Stretch) -> Start {
        Start {
            bytes: self.bytes + stretch.bytes,
            lines: self.lines + stretch.lines,
            units: self.units + stretch.units,
            sections: self.sections + stretch.sections,
        }
    }
}

/// Cuts what is new in a text. `old` are the stretches of what it said before, `stretch_bytes` is how long a stretch is at least. `None` where
/// nothing is new.
pub(crate) fn recut(old: &[Stretch], text: &str, stretch_bytes: usize) -> Option<Recut> {
    let starts = starts(old);
    let same =
        old.iter().zip(&starts).take_while(|(stretch, start)| stretch.is_at(start.bytes, text)).count();
    let last = starts[old.len()];
    if same > 0 && same == old.len() && last.bytes == text.len() {
        return None;
    }
    // How a stretch ends may depend on the first line of the next one.
    let first = same.saturating_sub(1);
    let begun = starts[first];
    let headings = old.get(first).map(|stretch| stretch.headings.clone()).unwrap_or_default();
    let seam =
        Seam { byte: begun.bytes, lines: begun.lines, sections: begun.sections, headings: headings.clone() };
    let mut stretches = old[..first].to_vec();
    let mut open = Opened { start: begun, headings };
    let (mut next, mut resumed) = (first + not_at_the_end(&old[first..], text, begun.bytes), None);
    let units = cut_from(text, &seam, &mut |passed| {
        let here = Start {
            bytes: passed.byte,
            lines: passed.lines,
            units: begun.units + passed.units,
            sections: passed.sections,
        };
        // Of stretches that stay as they are: where they begin now.
        let now = |number: usize| text.len() - (last.bytes - starts[number].bytes);
        while next < old.len() && now(next) < here.bytes {
            next += 1;
        }
        if next < old.len() && now(next) == here.bytes && passed.stands_under(&old[next].headings) {
            resumed = Some(here);
            return true;
        }
        if here.bytes - open.start.bytes >= stretch_bytes {
            stretches.push(open.until(here, text));
            open = Opened { start: here, headings: passed.headings() };
        }
        false
    });
    let Some(here) = resumed else {
        stretches.push(open.until(open.end_of(text, begun.units + units.len()), text));
        let (from, to) = ((begun.lines, begun.bytes), text.len());
        return Some(Recut {
            stretches,
            before: begun.units,
            units,
            from,
            to,
            after: 0,
            moved: Moved::default(),
        });
    };
    stretches.push(open.until(here, text));
    stretches.extend_from_slice(&old[next..]);
    let by = |now: usize, before: usize| (now.cast_signed() - before.cast_signed()) as i64;
    let moved = Moved {
        bytes: by(here.bytes, starts[next].bytes),
        lines: by(here.lines, starts[next].lines),
        sections: by(here.sections, starts[next].sections),
    };
    let (from, to, after) = ((begun.lines, begun.bytes), here.bytes, last.units - starts[next].units);
    Some(Recut { stretches, before: begun.units, units, from, to, after, moved })
}

/// How many of these stretches come before those that are at the end of a text, behind `from`.
fn not_at_the_end(stretches: &[Stretch], text: &str, from: usize) -> usize {
    let (mut at, mut before) = (text.len(), stretches.len());
    while let Some(stretch) = stretches[..before].last()
        && let Some(start) = at.checked_sub(stretch.bytes).filter(|start| *start > from)
        && stretch.is_at(start, text)
    {
        (at, before) = (start, before - 1);
    }
    before
}

/// Where each stretch begins, and where the last one ends.
fn starts(stretches: &[Stretch]) -> Vec<Start> {
    let behind = stretches.iter().scan(Start::default(), |at, stretch| {
        *at = at.behind(stretch);
        Some(*at)
    });
    std::iter::once(Start::default()).chain(behind).collect()
}

/// A stretch whose end is not known yet.
struct Opened {
    start: Start,
    headings: Vec<(usize, String)>,
}

impl Opened {
    fn until(&self, end: Start, text: &str) -> Stretch {
        Stretch {
            bytes: end.bytes - self.start.bytes,
            lines: end.lines - self.start.lines,
            units: end.units - self.start.units,
            sections: end.sections - self.start.sections,
            headings: self.headings.clone(),
            hash: hash(&text.as_bytes()[self.start.bytes..end.bytes]),
        }
    }

    /// The end of the text: behind it nobody counts lines and sections.
    fn end_of(&self, text: &str, units: usize) -> Start {
        Start { bytes: text.len(), units, ..self.start }
    }
}

/// 64 bits that tell one text from another, six times faster than a cryptographic hash: all of a document is hashed at each change of it.
/// Who contrives two texts with one hash is found by what theirs said before, and every hit is held against its document.
fn hash(bytes: &[u8]) -> u64 {
    // The golden ratio and the square root of two, in 64 bits.
    const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909];
    let fold = |one: u64, other: u64| {
        let product = u128::from(one) * u128::from(other);
        let [low, high] = [product & u128::from(u64::MAX), product >> 64];
        u64::try_from(low ^ high).unwrap_or(0)
    };
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let step = |hash: u64, sixteen: &[u8]| {
        let (one, other) = sixteen.split_at(8);
        fold(word(one) ^ ODD[1], word(other) ^ hash ^ ODD[0])
    };
    let whole = bytes.chunks_exact(16);
    let mut last = [0; 16];
    last[..whole.remainder().len()].copy_from_slice(whole.remainder());
    let hash = step(whole.fold(ODD[1], step), &last);
    fold(hash ^ ODD[0], bytes.len() as u64 ^ ODD[1])
}

/// In the place of a number of headings: they are those of the stretch before.
const AS_BEFORE: u8 = u8::MAX;

/// Each stretch in a few dozen bytes. Those of a month stand under the same few headings, which are said once.
pub(crate) fn to_bytes(stretches: &[Stretch]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(stretches.len() * 64);
    let mut before: Option<&[(usize, String)]> = None;
    for stretch in stretches {
        for number in [stretch.bytes, stretch.lines, stretch.units, stretch.sections] {
            bytes.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        bytes.extend_from_slice(&stretch.hash.to_le_bytes());
        if before == Some(stretch.headings.as_slice()) {
            bytes.push(AS_BEFORE);
        } else {
            // No more than a byte tells: each stands below the one before, and the deepest is of level 6.
            bytes.push(u8::try_from(stretch.headings.len()).unwrap_or(0));
            for (level, title) in &stretch.headings {
                bytes.push(u8::try_from(*level).unwrap_or(u8::MAX));
                bytes.extend_from_slice(&u32::try_from(title.len()).unwrap_or(u32::MAX).to_le_bytes());
                bytes.extend_from_slice(title.as_bytes());
            }
        }
        before = Some(stretch.headings.as_slice());
    }
    bytes
}

pub(crate) fn from_bytes(mut bytes: &[u8]) -> Result<Vec<Stretch>, Trouble> {
    let mut stretches: Vec<Stretch> = Vec::new();
    while !bytes.is_empty() {
        let stretch = taken(&mut bytes, stretches.last());
        stretches
            .push(stretch.ok_or_else(|| Trouble::Unusable("a list of stretches is damaged".to_owned()))?);
    }
    Ok(stretches)
}

/// The stretch that these bytes begin with, behind another one.
fn taken(bytes: &mut &[u8], before: Option<&Stretch>) -> Option<Stretch> {
    let number = |bytes: &mut &[u8]| Some(u32::from_le_bytes(first(bytes)?) as usize);
    let (size, lines, units, sections) = (number(bytes)?, number(bytes)?, number(bytes)?, number(bytes)?);
    let hash = u64::from_le_bytes(first(bytes)?);
    let [count] = first(bytes)?;
    let headings = match count {
        AS_BEFORE => before?.headings.clone(),
        count => (0..count)
            .map(|_| {
                let [level] = first(bytes)?;
                let length = number(bytes)?;
                let (title, rest) = bytes.split_at_checked(length)?;
                *bytes = rest;
                Some((usize::from(level), std::str::from_utf8(title).ok()?.to_owned()))
            })
            .collect::<Option<_>>()?,
    };
    Some(Stretch { bytes: size, lines, units, sections, headings, hash })
}

fn first<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::{Recut, Stretch, recut};
    use proptest::prelude::*;
    use recall::{Unit, cut};

    /// The units of a text, where those of an earlier text are known.
    fn units(before: &[Unit], recut: Recut) -> Vec<Unit> {
        let by = |at: usize, by: i64| usize::try_from(at.cast_signed() as i64 + by).unwrap();
        let behind = before[before.len() - recut.after..].iter().cloned().map(|unit| Unit {
            line: by(unit.line, recut.moved.lines),
            section: by(unit.section, recut.moved.sections),
            ..unit
        });
        before[..recut.before].iter().cloned().chain(recut.units).chain(behind).collect()
    }

    fn holds(before: &str, now: &str) -> Result<(usize, Vec<Stretch>), TestCaseError> {
        let known = recut(&[], before, 8).unwrap();
        prop_assert_eq!(&known.units, &cut(before));
        let Some(recut) = recut(&known.stretches, now, 8) else {
            prop_assert_eq!(before, now);
            return Ok((0, known.stretches));
        };
        let (cut_again, stretches) = (recut.units.len(), recut.stretches.clone());
        prop_assert_eq!(&super::from_bytes(&super::to_bytes(&stretches)).unwrap(), &stretches);
        prop_assert_eq!(units(&known.units, recut), cut(now), "{:?} -> {:?}", before, now);
        prop_assert_eq!(super::recut(&stretches, now, 8), None);
        Ok((cut_again, stretches))
    }

    #[test]
    fn a_hash_tells_what_differs_in_a_byte_or_in_length() {
        let text: Vec<u8> = (0..200).map(|n| b'a' + n % 26).collect();
        let mut seen = std::collections::BTreeSet::new();
        for len in 0..text.len() {
            assert!(seen.insert(super::hash(&text[..len])), "{len}");
            assert!(seen.insert(super::hash(&vec![0; len + 1])), "{len} zeros");
        }
        for at in 0..text.len() {
            let mut other = text.clone();
            other[at] ^= 1;
            assert!(seen.insert(super::hash(&other)), "{at}");
        }
        let swapped = [&text[16..32], &text[..16], &text[32..]].concat();
        assert!(seen.insert(super::hash(&swapped)));
    }

    #[test]
    fn stretches_that_are_cut_off_or_damaged_are_none() {
        let text = "# T\n\n## 2026-02-16\n\n- an item\n- another one\n\n## 2026-02-17\n\n- a third\n";
        let whole = super::to_bytes(&recut(&[], text, 8).unwrap().stretches);
        assert_eq!(super::from_bytes(&[]).unwrap(), []);
        let ends = (0..whole.len()).filter(|end| super::from_bytes(&whole[..*end]).is_ok()).count();
        let stretches = super::from_bytes(&whole).unwrap();
        assert!(stretches.len() > 2 && ends == stretches.len(), "cut between two it is a shorter list");
        assert!(super::from_bytes(&[whole, vec![0; 30]].concat()).is_err(), "more than that");
    }

    fn line() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "- [W] a",
            "- b ^aaaaaaaa",
            "- ",
            "-",
            "* c",
            "1. one",
            "# T",
            "# Other",
            "## 2026-02-16",
            "### x",
            "Title",
            "====",
            "---",
            "",
            "",
            "text",
            "  more",
            "  - ~~struck~~",
            "~~struck~~",
            "<del>",
            "</del>",
            "    code",
            "\u{feff}",
            "<!-- note",
            "-->",
            "--> - d",
            "<!-- x --> - e",
            "<!-- m -->",
            "- f <!-- m -->",
            "```",
            "~~~",
            "key: value",
            "苍鹭\r",
        ])
    }

    fn lines() -> impl Strategy<Value = Vec<&'static str>> {
        prop::collection::vec(line(), 0..24)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn a_text_that_is_cut_again_has_the_units_it_has_when_cut_whole(
            begin in lines(), gone in lines(), come in lines(), end in lines(),
        ) {
            let before = [begin.clone(), gone, end.clone()].concat().join("\n");
            let now = [begin, come, end].concat().join("\n");
            holds(&before, &now)?;
        }
    }

    #[test]
    fn of_a_long_text_little_is_cut_again() {
        let days = |of: std::ops::Range<u32>| {
            of.map(|day| format!("## 2026-02-{day:02}\n\n{}", "- an item\n".repeat(9)))
        };
        let before: String = days(1..28).collect();
        for at in [13, before.len() / 2, before.len()] {
            let at = before[..at].rfind('\n').map_or(0, |end| end + 1);
            let now = format!("{}- one more\n{}", &before[..at], &before[at..]);
            let (cut_again, _) = holds(&before, &now).unwrap();
            assert!((1..6).contains(&cut_again), "{cut_again} units for one at {at}");
        }
    }
}
