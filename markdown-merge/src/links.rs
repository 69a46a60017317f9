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
        for (label, _) in sections.iter().flat_map(|s| &s.definitions) {
            *self.defined.entry(*label).or_default() += 1;
        }
    }

    pub(super) fn remove(&mut self, sections: &[Section]) {
        for (label, _) in sections.iter().flat_map(|s| &s.definitions) {
            if let Some(count) = self.defined.get_mut(label) {
                *count -= 1;
                if *count == 0 {
                    self.defined.remove(label);
                }
            }
        }
    }

    /// Footnote labels are kept as written, for parsing a part of the document alone.
    pub(super) fn add_footnotes(&mut self, labels: Vec<(u64, String)>) {
        self.footnotes.extend(labels);
    }

    /// How a footnote label that is defined outside of these sections is written.
    pub(super) fn footnote_outside(&self, label: u64, inside: &[Section]) -> Option<String> {
        self.footnotes.get(&label).filter(|_| self.is_defined_outside(label, inside)).cloned()
    }

    fn is_defined(&self, label: u64) -> bool {
        self.defined.contains_key(&label)
    }

    /// Whether a label is defined outside of these sections.
    pub(super) fn is_defined_outside(&self, label: u64, inside: &[Section]) -> bool {
        let here = inside.iter().flat_map(|s| &s.definitions).filter(|(l, _)| *l == label).count();
        self.defined.get(&label).is_some_and(|count| *count > here)
    }
}

/// Labels that would mean something else once `new` stands in the place of the sections `old`.
pub(super) fn changed(document: &Document, old: &Range<usize>, new: &[Section]) -> Vec<u64> {
    let before = document.sections.get(old.clone()).unwrap_or(&[]);
    let mut labels: Vec<u64> =
        before.iter().chain(new).flat_map(|s| &s.definitions).map(|(l, _)| *l).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.retain(|label| {
        let value_before = value(before, *label);
        let value_after = value(new, *label);
        value_before != value_after && {
            let rest = rest_value(document, old, *label);
            match rest {
                // A definition above wins over whatever happens below it.
                Some((true, _)) => false,
                Some((false, below)) => value_before.unwrap_or(below) != value_after.unwrap_or(below),
                None => true,
            }
        }
    });
    labels
}

fn value(sections: &[Section], label: u64) -> Option<u64> {
    sections.iter().flat_map(|s| &s.definitions).find(|(l, _)| *l == label).map(|(_, value)| *value)
}

/// The definition outside of `old` that counts: whether it stands above, and its value.
fn rest_value(document: &Document, old: &Range<usize>, label: u64) -> Option<(bool, u64)> {
    let inside = document.sections.get(old.clone()).unwrap_or(&[]);
    if !document.labels.is_defined(label) || !document.labels.is_defined_outside(label, inside) {
        return None;
    }
    let above = document.sections.get(..old.start).unwrap_or(&[]);
    let below = document.sections.get(old.end..).unwrap_or(&[]);
    value(above, label).map(|v| (true, v)).or_else(|| value(below, label).map(|v| (false, v)))
}
