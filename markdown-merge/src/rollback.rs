//! A whole document put back to an earlier text, and what that means for each of its sections.

use crate::{Change, ChangeKind, Merger, Section};
use std::collections::BTreeMap;

/// Most lines of the three texts together that are merged with each other; the time it takes grows with their product.
const LINES_MAX: usize = 6_000;

/// `wanted`, with what `now` has changed since `base`; `None` where both changed the same lines.
#[must_use]
pub fn put_back(base: &str, now: &str, wanted: &str) -> Option<String> {
    if now == base || now == wanted {
        return Some(wanted.to_owned());
    }
    let lines: usize = [base, now, wanted].iter().map(|text| text.lines().count()).sum();
    (lines <= LINES_MAX).then(|| diffy::merge(base, now, wanted).ok()).flatten()
}

/// What became of each section, for the receipt and for `blame`.
#[must_use]
pub fn changes(before: &Merger, after: &Merger) -> Vec<Change> {
    let (was, is) = (named(before), named(after));
    let mut changes = Vec::new();
    for (name, section) in &is {
        let old = was.get(name).map(|old| old.hash.clone());
        if old.as_ref() != Some(&section.hash) {
            let kind = if old.is_some() { ChangeKind::Changed } else { ChangeKind::Created };
            changes.push(change(kind, section, old, Some(section.hash.clone())));
        }
    }
    for (_, section) in was.iter().filter(|(name, _)| !is.contains_key(*name)) {
        changes.push(change(ChangeKind::Deleted, section, Some(section.hash.clone()), None));
    }
    if changes.is_empty() && before.text() != after.text() {
        // Only blank lines between sections.
        let kind = ChangeKind::Changed;
        changes.push(Change {
            kind,
            heading: Vec::new(),
            level: 0,
            before: None,
            after: None,
            item: None,
            renamed: None,
        });
    }
    changes
}

fn change(kind: ChangeKind, section: &Section, before: Option<String>, after: Option<String>) -> Change {
    Change {
        kind,
        heading: section.heading.clone(),
        level: section.level,
        before,
        after,
        item: None,
        renamed: None,
    }
}

/// Sections by heading, level, and how many there were before of the same name.
fn named(merger: &Merger) -> BTreeMap<(Vec<String>, u8, usize), Section> {
    let mut seen: BTreeMap<(Vec<String>, u8), usize> = BTreeMap::new();
    let mut named = BTreeMap::new();
    for section in merger.sections() {
        let count = seen.entry((section.heading.clone(), section.level)).or_default();
        named.insert((section.heading.clone(), section.level, *count), section);
        *count += 1;
    }
    named
}
