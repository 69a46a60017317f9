//! What one entry found out about a section and the next one on that section asks again: the hash of its text, and how
//! it reads. Many entries on one section would otherwise read all of it anew, each time several times.
//!
//! Nothing here is believed: a reading counts only for exactly the text it was made of, and a hash for the bytes in
//! front of whatever was edited since.

use super::document::Section;
use super::growing_list::ListEnd;
use super::item_line;
use super::item_said;
use super::links::Labels;
use super::marker::Marker;
use super::parse::{self, Happening, Scan};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// By the index of a section.
#[derive(Debug, Default)]
pub(super) struct Memory {
    titles: Titles,
    hashes: HashMap<usize, Hashed>,
    regions: HashMap<usize, Region>,
    cores: HashMap<usize, Core>,
    lists: HashMap<usize, ListEnd>,
    bytes: usize,
    /// What the lines say that look like items, folded and hashed; `None` until several asked. May hold lines that are gone.
    said: Option<HashSet<u64>>,
    /// How many asked whether a line says something.
    asked_said: usize,
}

/// Where the headings of a name are, made after some entries that left all headings as they are: a few entries, or many
/// new sections, are found faster without.
#[derive(Debug, Default)]
struct Titles {
    asked: usize,
    /// Hashes of names, each with its section; sorted. Empty as long as it is not made.
    places: Vec<(u64, usize)>,
}

/// To make the index costs what it saves about so many entries.
const ENTRIES_MIN: usize = 8;

/// A hash of a section's first bytes, which goes on where more follow.
#[derive(Debug)]
struct Hashed {
    len: usize,
    state: Sha256,
    said: String,
}

/// How a stretch of a document without link or footnote definitions reads, but for what stands in `zone`.
#[derive(Debug)]
pub(super) struct Region {
    pub text: String,
    pub zone: Range<usize>,
    pub events: Vec<Happening>,
    pub markers: Vec<Marker>,
    pub uses: Vec<(usize, u64)>,
}

/// What a section's core (LF) consists of when it is read alone.
#[derive(Debug)]
pub(super) struct Core {
    pub text: String,
    pub events: Vec<Happening>,
}

/// Most bytes that are kept: above it all is forgotten, and read again.
const BYTES_MAX: usize = 2 << 20;

impl Memory {
    /// The hash of the first bytes of section `i`.
    pub(super) fn hash(&mut self, i: usize, text: &str) -> String {
        let nothing = || Hashed { len: 0, state: Sha256::new(), said: String::new() };
        let hashed = self.hashes.entry(i).or_insert_with(nothing);
        if hashed.len > text.len() {
            *hashed = nothing();
        }
        let more = text.as_bytes().get(hashed.len..).unwrap_or(&[]);
        if hashed.said.is_empty() || !more.is_empty() {
            hashed.state.update(more);
            hashed.len = text.len();
            hashed.said = super::base::as_hex(&hashed.state.clone().finalize());
        }
        hashed.said.clone()
    }

    /// The reading of `text` that was kept for section `i`, where it is of that text and says what stands outside of
    /// `zone`.
    pub(super) fn region(
        &mut self,
        i: usize,
        text: &str,
        zone: &Range<usize>,
        labels: &Labels,
    ) -> Option<Scan> {
        let known = self.regions.remove(&i)?;
        self.bytes = self.bytes.saturating_sub(known.size());
        let inside = zone.start <= known.zone.start && known.zone.end <= zone.end;
        let Region { text: of, events, markers, uses, .. } = known;
        (inside && labels.is_empty() && of == text).then(|| Scan { events, markers, uses, ..Scan::default() })
    }

    pub(super) fn keep_region(&mut self, i: usize, region: Region) {
        self.make_room(region.size());
        self.regions.insert(i, region);
    }

    /// The reading that was kept of the core of section `i`, whatever text it is of.
    pub(super) fn core(&mut self, i: usize) -> Option<Core> {
        let known = self.cores.remove(&i)?;
        self.bytes = self.bytes.saturating_sub(known.size());
        Some(known)
    }

    pub(super) fn keep_core(&mut self, i: usize, core: Core) {
        self.make_room(core.size());
        self.cores.insert(i, core);
    }

    /// How the text of section `i` ends, where that is a list.
    pub(super) fn list(&self, i: usize) -> Option<ListEnd> {
        self.lists.get(&i).copied()
    }

    pub(super) fn keep_list(&mut self, i: usize, end: Option<ListEnd>) {
        match end {
            Some(end) => self.lists.insert(i, end),
            None => self.lists.remove(&i),
        };
    }

    fn make_room(&mut self, bytes: usize) {
        if self.bytes + bytes > BYTES_MAX {
            (self.regions, self.cores, self.bytes) = (HashMap::new(), HashMap::new(), 0);
        }
        self.bytes += bytes;
    }

    /// Whether a line of `text`, the whole document, may be an item that says this.
    pub(super) fn may_say(&mut self, text: &str, fold: &str) -> bool {
        self.asked_said += 1;
        if self.said.is_none() && self.asked_said <= ENTRIES_MIN {
            return item_said::is_in(text, fold);
        }
        let said = self.said.get_or_insert_with(|| text.lines().filter_map(item_line::said_by).collect());
        said.contains(&parse::hash(fold))
    }

    /// These lines came into the document.
    pub(super) fn came(&mut self, lines: &str) {
        if let Some(said) = &mut self.said {
            said.extend(lines.lines().filter_map(item_line::said_by));
        }
    }

    /// An entry looks for a section.
    pub(super) fn look_for(&mut self, sections: &[Section]) {
        self.titles.asked += 1;
        if self.titles.asked <= ENTRIES_MIN || !self.titles.places.is_empty() {
            return;
        }
        let heads = sections.iter().enumerate().filter_map(|(i, section)| Some((i, section.head.as_ref()?)));
        let named = heads.flat_map(|(i, head)| head.forms.iter().map(move |form| (parse::hash(&**form), i)));
        self.titles.places = named.collect();
        self.titles.places.sort_unstable();
    }

    /// The sections that may have this name, every one that has it among them, in order; `None` where that is not known.
    pub(super) fn called(&self, title: &str) -> Option<impl Iterator<Item = usize>> {
        let (places, hash) = (&self.titles.places, parse::hash(title));
        let from = places.partition_point(|(other, _)| *other < hash);
        let same = places.iter().skip(from).take_while(move |(other, _)| *other == hash);
        (!places.is_empty()).then(|| same.map(|(_, i)| *i))
    }

    /// Sections were exchanged for others, and bytes from `from` on changed.
    pub(super) fn changed(&mut self, old: &[Section], at: usize, new: &[Section], from: usize) {
        if !old.iter().map(names).eq(new.iter().map(names)) {
            self.titles = Titles::default();
        }
        if self.hashes.is_empty() && self.lists.is_empty() {
            return;
        }
        if old.len() != new.len() {
            self.hashes.clear();
            return self.lists.clear();
        }
        for (i, (old, new)) in old.iter().zip(new).enumerate() {
            let stands = |len: usize| old.start == new.start && old.start + len <= from;
            if self.hashes.get(&(at + i)).is_some_and(|hashed| !stands(hashed.len)) {
                self.hashes.remove(&(at + i));
            }
            if self.lists.get(&(at + i)).is_some_and(|list| !stands(list.end)) {
                self.lists.remove(&(at + i));
            }
        }
    }
}

/// What a section is called.
fn names(section: &Section) -> &[Box<str>] {
    section.head.as_ref().map_or(&[], |head| &head.forms)
}

impl Region {
    fn size(&self) -> usize {
        self.text.len() + size_of_val(self.events.as_slice()) + size_of_val(self.markers.as_slice())
    }
}

impl Core {
    fn size(&self) -> usize {
        self.text.len() + size_of_val(self.events.as_slice())
    }
}
