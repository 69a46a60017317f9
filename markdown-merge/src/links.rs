//! Link and footnote labels of a whole document: which are defined and used, and whether an edit changes what a label
//! means to text outside of it.

use super::document::{Document, Section};
use super::parse::Definition;
use std::collections::HashMap;
use std::ops::Range;

/// What is known of each label, and how footnote labels are written.
#[derive(Debug, Default)]
pub(super) struct Labels {
    known: HashMap<u64, Known>,
    /// Definitions in the whole document.
    defined: usize,
    footnotes: HashMap<u64, String>,
}

/// How often a label is defined and used.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Known {
    definitions: usize,
    /// The values of all of them, added up: whether some other definition has the same value can be told from it.
    values: u64,
    /// Sections that use it.
    uses: usize,
}

impl Labels {
    pub(super) fn of(sections: &[Section], footnotes: Vec<(u64, String)>) -> Self {
        let footnotes = footnotes.into_iter().collect();
        let mut labels = Labels { footnotes, ..Labels::default() };
        labels.add(sections);
        labels
    }

    /// Whether nothing is defined anywhere.
    pub(super) fn is_empty(&self) -> bool {
        self.defined == 0
    }

    pub(super) fn is_same(&self, other: &Labels) -> bool {
        self.known == other.known
    }

    pub(super) fn add(&mut self, sections: &[Section]) {
        for definition in sections.iter().flat_map(Section::definitions) {
            let known = self.known.entry(definition.label).or_default();
            known.definitions += 1;
            known.values = known.values.wrapping_add(definition.value);
            self.defined += 1;
        }
        for label in sections.iter().flat_map(Section::uses) {
            self.known.entry(*label).or_default().uses += 1;
        }
    }

    pub(super) fn remove(&mut self, sections: &[Section]) {
        for definition in sections.iter().flat_map(Section::definitions) {
            self.change(definition.label, |known| {
                known.definitions -= 1;
                known.values = known.values.wrapping_sub(definition.value);
            });
            self.defined -= 1;
        }
        for label in sections.iter().flat_map(Section::uses) {
            self.change(*label, |known| known.uses -= 1);
        }
    }

    fn change(&mut self, label: u64, change: impl FnOnce(&mut Known)) {
        if let Some(known) = self.known.get_mut(&label) {
            change(known);
            if *known == Known::default() {
                self.known.remove(&label);
            }
        }
    }

    /// Footnote labels are kept as written, for parsing a part of the document alone.
    pub(super) fn add_footnotes(&mut self, labels: Vec<(u64, String)>) {
        self.footnotes.extend(labels);
    }

    /// How a footnote label that is defined outside of these sections is written.
    pub(super) fn footnote_outside(&self, label: u64, inside: &Inside) -> Option<String> {
        self.footnotes.get(&label).filter(|_| self.is_defined_outside(label, inside)).cloned()
    }

    /// Whether a label is defined outside of these sections.
    pub(super) fn is_defined_outside(&self, label: u64, inside: &Inside) -> bool {
        let here = inside.definitions.get(&label).map_or(0, |(count, _)| *count);
        self.known.get(&label).is_some_and(|known| known.definitions > here)
    }
}

/// Whether text outside of these sections would lose or change a link or footnote, were this definition of theirs, and
/// every other one of its label in them, not there.
pub(super) fn is_needed_outside(document: &Document, sections: &Range<usize>, of: &Definition) -> bool {
    let inside = document.sections.get(sections.clone()).unwrap_or(&[]);
    let Some(known) = document.labels.known.get(&of.label) else { return false };
    let used_here = || inside.iter().filter(|s| s.uses().binary_search(&of.label).is_ok()).count();
    if known.uses == 0 || known.uses == used_here() {
        return false;
    }
    let here = inside.iter().flat_map(Section::definitions).filter(|d| d.label == of.label);
    let (mut others, mut values) = (known.definitions, known.values);
    for definition in here {
        (others, values) = (others - 1, values.wrapping_sub(definition.value));
    }
    // One above counts in its place before and after.
    let above =
        || document.sections.get(..sections.start).unwrap_or(&[]).iter().flat_map(Section::definitions);
    others == 0 || values != of.value.wrapping_mul(others as u64) && !above().any(|d| d.label == of.label)
}

/// The labels some sections define: how often, and the value of the first.
#[derive(Debug, Default)]
pub(super) struct Inside {
    definitions: HashMap<u64, (usize, u64)>,
}

impl Inside {
    pub(super) fn of(sections: &[Section]) -> Self {
        let mut definitions = HashMap::new();
        for definition in sections.iter().flat_map(Section::definitions) {
            definitions.entry(definition.label).or_insert((0, definition.value)).0 += 1;
        }
        Inside { definitions }
    }

    fn value(&self, label: u64) -> Option<u64> {
        self.definitions.get(&label).map(|(_, value)| *value)
    }
}

/// Labels that would mean something else once `new` stands in the place of the sections `old`.
pub(super) fn changed(document: &Document, old: &Range<usize>, new: &[Section]) -> Vec<u64> {
    let before = Inside::of(document.sections.get(old.clone()).unwrap_or(&[]));
    let after = Inside::of(new);
    let labels = before.definitions.keys().chain(after.definitions.keys()).copied();
    let mut labels: Vec<u64> = labels.filter(|label| before.value(*label) != after.value(*label)).collect();
    labels.sort_unstable();
    labels.dedup();
    if !labels.iter().any(|label| document.labels.is_defined_outside(*label, &before)) {
        return labels;
    }
    let above = Inside::of(document.sections.get(..old.start).unwrap_or(&[]));
    let below = Inside::of(document.sections.get(old.end..).unwrap_or(&[]));
    labels.retain(|label| match (above.value(*label), below.value(*label)) {
        // A definition above wins over whatever happens below it.
        (Some(_), _) => false,
        (None, Some(below)) => before.value(*label).unwrap_or(below) != after.value(*label).unwrap_or(below),
        (None, None) => true,
    });
    labels
}
