//! Earlier texts that a purge cut something out of: where the mark stands for words that a later text still has, they are taken from
//! there. What a person wrote is not known by the mark, and must not be replaced by it.

use crate::item::{Item, PURGED};
use crate::rollback::{Part, parts};
use crate::{Merger, Section};
use std::ops::Range;

/// Most ways to fill the marks of one section that are tried, and most bytes that are read in doing so.
const WAYS_MAX: usize = 1_024;
const BYTES_MAX: usize = 64 << 20;
/// Most lines that one mark stands for.
const LINES_MAX: usize = 12;
/// Most lines of both texts that are compared; the time it takes grows with their product.
const COMPARED_MAX: usize = 6_000;

/// An earlier text, with what is known again of what was cut out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The text.
    pub text: String,
    /// Marks in it for words that the later text does not have in that place, where it says something else there.
    pub gone: usize,
    /// Marks in it for words that may be one of several lines of the later text, or none.
    pub untold: usize,
}

/// What is known of the sections of the earlier text.
pub trait SectionHistory {
    /// Whether a section said this at some time, by the hash of its own text.
    fn was(&self, hash: &str) -> bool;
    /// Whether what this section of the earlier text said is known for certain, so that nothing but that is right.
    fn is_told(&self, section: &Section) -> bool;
}

/// A line with a mark in it.
struct Hole {
    /// Whether anything else of it may be overwritten: something stands there now, and it is no item with an id.
    matters: bool,
    /// Where it stands in the earlier text.
    at: Range<usize>,
    /// Runs of lines of the later text that may have been there: by the number of the change, and of their lines.
    fits: Vec<(usize, Range<usize>)>,
}

/// `earlier` with the words of `later` in the place of each mark that stands for them.
#[must_use]
pub fn filled(earlier: &str, later: &str, known: &dyn SectionHistory) -> Filled {
    let lines = earlier.lines().count() + later.lines().count();
    let marks = earlier.lines().filter(|line| line.contains(PURGED)).count();
    if marks == 0 || earlier == later || lines > COMPARED_MAX {
        let untold = if earlier == later { 0 } else { marks };
        return Filled { text: earlier.to_owned(), gone: 0, untold };
    }
    let parts = parts(earlier, later);
    let holes = holes(&parts);
    let sections = crate::sections(earlier).unwrap_or_default();
    let mut filling =
        Filling { earlier, parts: &parts, known, chosen: vec![None; holes.len()], gone: 0, untold: 0 };
    let mut from = 0;
    while let Some(first) = holes.get(from) {
        let section = sections.iter().position(|section| section.bytes.contains(&first.at.start));
        let is_beside = |hole: &&Hole| section.is_some_and(|n| sections[n].bytes.contains(&hole.at.start));
        let count = holes[from..].iter().take_while(is_beside).count().max(1);
        filling.choose(&holes, from..from + count, section.map(|n| (n, &sections[n])));
        from += count;
    }
    let text = filling.text(&holes, &filling.chosen);
    Filled { text, gone: filling.gone, untold: filling.untold }
}

/// Which lines were chosen for each mark.
type Chosen = Vec<Option<(usize, Range<usize>)>>;

struct Filling<'a> {
    earlier: &'a str,
    parts: &'a [Part<'a>],
    known: &'a dyn SectionHistory,
    chosen: Chosen,
    gone: usize,
    untold: usize,
}

impl Filling<'_> {
    /// Chooses for the marks of one section: what makes of it a text that it had once, else the only line that it can be.
    fn choose(&mut self, holes: &[Hole], of: Range<usize>, section: Option<(usize, &Section)>) {
        if let Some((n, _)) = section
            && let Some(chosen) = self.proven(holes, of.clone(), n)
        {
            self.chosen = chosen;
            return;
        }
        let is_told = section.is_some_and(|(_, section)| self.known.is_told(section));
        for n in of {
            let is_free =
                |fit: &&(usize, Range<usize>)| !self.chosen.iter().flatten().any(|taken| overlap(taken, fit));
            let one: Vec<_> =
                holes[n].fits.iter().filter(|(_, lines)| lines.len() == 1).filter(is_free).collect();
            let marked = |fit: &&&(usize, Range<usize>)| self.lines(fit).contains(PURGED);
            let stones: Vec<_> = one.iter().filter(marked).collect();
            match (stones.as_slice(), one.as_slice(), is_told) {
                ([stone], ..) => self.chosen[n] = Some((**stone).clone()),
                (_, [], _) | (_, _, true) => self.gone += usize::from(holes[n].matters),
                (_, [only], false) => self.chosen[n] = Some((*only).clone()),
                _ => self.untold += 1,
            }
        }
    }

    /// The choice for the marks of a section that makes a text of it which it is known to have had.
    fn proven(&self, holes: &[Hole], of: Range<usize>, section: usize) -> Option<Chosen> {
        let most = WAYS_MAX.min(BYTES_MAX / (self.earlier.len() + 1));
        let mut ways = vec![self.chosen.clone()];
        for n in of {
            let mut longer = Vec::new();
            for way in &ways {
                let follows = |fit: &&(usize, Range<usize>)| {
                    way.iter().flatten().all(|taken| (taken.0, taken.1.end) <= (fit.0, fit.1.start))
                };
                for fit in holes[n].fits.iter().filter(follows) {
                    let mut way = way.clone();
                    way[n] = Some(fit.clone());
                    longer.push(way);
                }
            }
            ways = longer;
            if ways.len() > most {
                return None;
            }
        }
        ways.into_iter().find(|way| {
            let text = self.text(holes, way);
            let sections = Merger::open(text.as_bytes()).map(|merger| merger.sections()).unwrap_or_default();
            sections.get(section).is_some_and(|section| self.known.was(&section.hash))
        })
    }

    fn lines(&self, (part, lines): &(usize, Range<usize>)) -> String {
        self.parts[*part].new[lines.clone()].concat()
    }

    fn text(&self, holes: &[Hole], chosen: &Chosen) -> String {
        let (mut text, mut from) = (String::with_capacity(self.earlier.len()), 0);
        for (hole, fit) in holes.iter().zip(chosen) {
            let Some(fit) = fit else { continue };
            let lines = self.lines(fit);
            let end = &self.earlier[hole.at.clone()];
            text.push_str(&self.earlier[from..hole.at.start]);
            text.push_str(lines.trim_end_matches(['\n', '\r']));
            text.push_str(&end[end.trim_end_matches(['\n', '\r']).len()..]);
            from = hole.at.end;
        }
        text.push_str(&self.earlier[from..]);
        text
    }
}

fn overlap(one: &(usize, Range<usize>), other: &(usize, Range<usize>)) -> bool {
    one.0 == other.0 && one.1.start < other.1.end && other.1.start < one.1.end
}

/// The lines with a mark that the later text does not have as they are, each with what may have stood there.
fn holes(parts: &[Part<'_>]) -> Vec<Hole> {
    let (mut holes, mut at) = (Vec::new(), 0);
    for (n, part) in parts.iter().enumerate() {
        for line in &part.old {
            if part.is_change() && line.contains(PURGED) {
                let id = id(line);
                let matters = id.is_none() && part.new.iter().any(|line| !line.trim().is_empty());
                let of_item = |new: &&str| id.is_some() && self::id(new) == id;
                let fits = match part.new.iter().position(of_item) {
                    Some(at) => vec![(n, at..at + 1)],
                    None => fits(line, n, &part.new),
                };
                holes.push(Hole { matters, at: at..at + line.len(), fits });
            }
            at += line.len();
        }
    }
    holes
}

/// The id that stands behind an item.
fn id(line: &str) -> Option<String> {
    Item::read(line.trim_end()).and_then(|item| item.id().map(str::to_owned))
}

/// Which runs of lines say what a line with marks says around them.
fn fits(line: &str, part: usize, new: &[&str]) -> Vec<(usize, Range<usize>)> {
    let line = line.trim_end_matches(['\n', '\r']);
    let mut found = Vec::new();
    for start in 0..new.len() {
        for end in start + 1..=new.len().min(start + LINES_MAX) {
            let run = new[start..end].concat();
            if says(run.trim_end_matches(['\n', '\r']), line) {
                found.push((part, start..end));
            }
        }
    }
    found
}

/// Whether a text is a line in which each mark stands for anything.
fn says(text: &str, line: &str) -> bool {
    let mut pieces = line.split(PURGED);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use std::collections::BTreeSet;

    #[derive(Default)]
    struct Log {
        hashes: BTreeSet<String>,
        told: bool,
    }

    impl SectionHistory for Log {
        fn was(&self, hash: &str) -> bool {
            self.hashes.contains(hash)
        }

        fn is_told(&self, _: &Section) -> bool {
            self.told
        }
    }

    fn of(earlier: &str, later: &str, known: &Log) -> (String, usize, usize) {
        let found = filled(earlier, later, known);
        (found.text, found.gone, found.untold)
    }

    #[test]
    fn what_stands_there_now_is_what_was_cut() {
        let none = Log::default();
        let earlier = "# B\n\n- (purged)\n- badger\n";
        assert_eq!(
            of(earlier, "# B\n\n- okapi\n- badger\n- new\n", &none),
            ("# B\n\n- okapi\n- badger\n".to_owned(), 0, 0)
        );
        let within = "I say (purged) too.\n\n- x\n";
        assert_eq!(of(within, "I say okapis live too.\n", &none).0, "I say okapis live too.\n\n- x\n");
        let stone = "- ~~(purged)~~ ^k7m2q9xa\n- other\n";
        assert_eq!(of("- (purged) ^k7m2q9xa\n", stone, &none).0, "- ~~(purged)~~ ^k7m2q9xa\n");
        assert_eq!(
            of("- (purged)\n", "- x\n- ~~(purged)~~ ^k7m2q9xa\n", &none).0,
            "- ~~(purged)~~ ^k7m2q9xa\n"
        );
    }

    #[test]
    fn of_several_the_one_that_the_section_is_known_to_have_had() {
        let (earlier, later) = ("# B\n\n- badger\n- (purged)\n", "# B\n\n- badger\n- okapi\n- new\n");
        let before = "# B\n\n- badger\n- okapi\n";
        assert_eq!(of(earlier, later, &Log::default()), (earlier.to_owned(), 0, 1));
        let log = Log { hashes: BTreeSet::from([hash(before.trim_end())]), told: true };
        assert_eq!(of(earlier, later, &log), (before.to_owned(), 0, 0));
        let two = "# B\n\n- (purged)\n- (purged)\n";
        let said = "# B\n\n- okapi\n  below\n- ibis\n";
        let log = Log { hashes: BTreeSet::from([hash(said.trim_end())]), told: true };
        assert_eq!(of(two, &format!("{said}- new\n"), &log), (said.to_owned(), 0, 0));
    }

    #[test]
    fn what_is_gone_stays_marked() {
        let earlier = "# B\n\n- (purged)\n- badger\n";
        assert_eq!(
            of(earlier, "# B\n\n- badger\n", &Log::default()),
            (earlier.to_owned(), 0, 0),
            "nothing stands there"
        );
        let item = "- (purged) #a ^k7m2q9xa\n";
        assert_eq!(of(item, "- ~~(purged)~~ ^k7m2q9xa\n", &Log::default()).0, "- ~~(purged)~~ ^k7m2q9xa\n");
        assert_eq!(of(item, "- other words\n", &Log::default()), (item.to_owned(), 0, 0));
        assert_eq!(of("I (purged)\n", "You\n", &Log::default()), ("I (purged)\n".to_owned(), 1, 0));
        let log = Log { told: true, ..Log::default() };
        assert_eq!(
            of(earlier, "# B\n\n- y\n", &log),
            (earlier.to_owned(), 1, 0),
            "it is known to have said more"
        );
        assert_eq!(of(earlier, earlier, &log).1, 0);
    }
}
