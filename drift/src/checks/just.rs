//! Recipes of just: `just test`.

use super::{Named, Typed, first_in, is_plain, missing, typed};
use crate::{DriftFinding, Look};
use std::collections::BTreeSet;

const FILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let typed = typed(look, "just");
    if typed.is_empty() {
        return Vec::new();
    }
    // A document beside a justfile of its own may mean that or one further up.
    let mut texts = Vec::new();
    for dir in look.document.dirs() {
        texts.extend(first_in(look, dir, &FILES));
    }
    let mut known = BTreeSet::new();
    for text in &texts {
        let Some(recipes) = recipes(text) else { return Vec::new() };
        known.extend(recipes);
    }
    if known.is_empty() {
        return Vec::new();
    }
    // What follows the first may be its arguments.
    let named: Vec<Named> = typed
        .into_iter()
        .filter_map(|Typed { line, words, sure }| {
            let name = words.get(1).filter(|word| is_plain(word))?;
            Some(Named { line, name: (*name).to_owned(), sure })
        })
        .collect();
    let why = "the justfile has no such recipe";
    missing(look, "just", why, &named, known.iter().copied(), &|name| known.contains(name))
}

/// The recipes and aliases of a justfile; `None` if it takes some from other files.
fn recipes(text: &str) -> Option<BTreeSet<&str>> {
    let mut recipes = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("import ") || line.starts_with("mod ") || line.starts_with("set fallback") {
            return None;
        }
        if let Some(alias) = line.strip_prefix("alias ") {
            recipes.extend(alias.split(":=").next().map(str::trim));
            continue;
        }
        let is_recipe =
            line.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '@')) && !line.contains(":=");
        if let (true, Some((left, _))) = (is_recipe, line.split_once(':')) {
            recipes.extend(left.split_whitespace().next().map(|name| name.trim_start_matches('@')));
        }
    }
    (!recipes.is_empty()).then_some(recipes)
}
