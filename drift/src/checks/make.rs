//! Targets of make: `make check`.

use super::{Named, Typed, is_plain, missing, typed};
use crate::{DriftFinding, Look};
use std::collections::BTreeSet;

const FILES: [&str; 3] = ["GNUmakefile", "Makefile", "makefile"];

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let typed = typed(look, "make");
    // The Makefile is read only for a document that names a target.
    if typed.is_empty() {
        return Vec::new();
    }
    let Some(text) = FILES.iter().find_map(|name| (look.read)(name)) else { return Vec::new() };
    let Some(targets) = Targets::of(&text) else { return Vec::new() };
    // Somewhere else, or of another file.
    let is_other = |word: &&str| word.starts_with("-C") || word.starts_with("-f") || word.starts_with("--");
    let here = typed.into_iter().filter(|typed| !typed.words.iter().any(is_other));
    let named: Vec<Named> = here
        .flat_map(|Typed { line, words, sure }| {
            let targets = words.into_iter().skip(1).take_while(|word| is_plain(word) || word.contains('='));
            let plain = targets.filter(|word| is_plain(word));
            plain.map(move |name| Named { line, name: name.to_owned(), sure })
        })
        .collect();
    let is_defined = |name: &str| targets.have(name) || look.tree.has(name);
    missing(
        look,
        "make",
        "the Makefile has no such target",
        &named,
        targets.names.iter().copied(),
        &is_defined,
    )
}

/// What a Makefile can make.
#[derive(Default)]
struct Targets<'t> {
    names: BTreeSet<&'t str>,
    /// What stands before and behind the `%` of a pattern.
    patterns: Vec<(&'t str, &'t str)>,
}

impl<'t> Targets<'t> {
    /// `None` where it takes some from elsewhere.
    fn of(text: &'t str) -> Option<Targets<'t>> {
        let mut targets = Targets::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if matches!(words.next(), Some("include" | "-include" | "sinclude" | ".DEFAULT:"))
                || line.contains("$(eval")
            {
                return None;
            }
            if line.starts_with(['\t', ' ', '#']) {
                continue;
            }
            let Some((left, right)) = line.split_once(':') else { continue };
            if right.starts_with('=') || left.contains('=') {
                continue;
            }
            if left.contains('$') {
                return None;
            }
            let (patterns, names): (Vec<&str>, Vec<&str>) =
                left.split_whitespace().partition(|name| name.contains('%'));
            targets.patterns.extend(patterns.into_iter().filter_map(|pattern| pattern.split_once('%')));
            targets.names.extend(names);
            if left.trim() == ".PHONY" {
                targets.names.extend(right.split_whitespace());
            }
        }
        (!targets.names.is_empty()).then_some(targets)
    }

    fn have(&self, name: &str) -> bool {
        let fits = |(before, behind): &(&str, &str)| {
            name.len() > before.len() + behind.len() && name.starts_with(before) && name.ends_with(behind)
        };
        self.names.contains(name) || self.patterns.iter().any(fits)
    }
}
