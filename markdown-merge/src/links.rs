//! Link and footnote labels of a whole document: which are defined, and whether an edit changes what a label means
//! to text outside of it.

use super::document::{Document, Section};
use std::collections::HashMap;
use std::ops::Range;

/// How often each label is defined, and how footnote labels are written.
#[derive(Debug, Default)]
pub(super) struct Labels {
    defined: HashMap<u64, usize>,
    footnotes: HashMap<u64, String>,
}

impl Labels {
    pub(super) fn of(sections: &[Section], footnotes: Vec<(u64, String)>) -> Self {
        let mut labels = Labels { defined: HashMap::new(), footnotes: footnotes.into_iter().collect() };
        labels.add(sections);
        labels
    }

    /// Whether nothing is defined anywhere.
    pub(super) fn is_empty(&self) -> bool {
        self.defined.is_empty()
    }

    pub(super) fn is_same(&self, other: &Labels) -> bool {
        self.defined == other.defined
    }

    pub(super) fn add(&mut self, sections: &[Section]) {
        for definition in sections.iter().flat_map(Section::definitions) {
            *self.defined.entry(definition.label).or_default() += 1;
        }
    }

    pub(super) fn remove(&mut self, sections: &[Section]) {
        for definition in sections.iter().flat_map(Section::definitions) {
            if let Some(count) = self.defined.get_mut(&definition.label) {
                *count -= 1;
                if *count == 0 {
                    self.defined.remove(&definition.label);
                }
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
        self.defined.get(&label).is_some_and(|count| *count > here)
    }
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
