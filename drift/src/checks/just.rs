//! Recipes of just: `just test`.

use super::{Named, is_plain, missing};
use crate::tree::{dirs_above, joined};
use crate::typed::{Typed, typed};
use crate::{DriftCheck, DriftFinding, Look};
use std::collections::{BTreeMap, BTreeSet};

const FILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];

/// How deep one justfile imports another.
const DEPTH_MAX: usize = 4;

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let mut by_directory: BTreeMap<Option<String>, Vec<Named>> = BTreeMap::new();
    for Typed { line, words, sure, within } in typed(look, "just") {
        // What follows the first may be its arguments.
        if let Some(name) = words.get(1).filter(|word| is_plain(word)) {
            let named = Named { line, name: (*name).to_owned(), sure };
            by_directory.entry(within).or_default().push(named);
        }
    }
    by_directory.iter().flat_map(|(within, named)| of_directory(look, within.as_deref(), named)).collect()
}

/// What is wrong of the recipes that are run in a directory, or in that of the document.
fn of_directory(look: &Look<'_>, within: Option<&str>, named: &[Named]) -> Vec<DriftFinding> {
    // A README speaks of the justfile beside it, and just takes the first one; another document may mean one further up.
    let is_first = within.is_some() || look.document.is_readme();
    let from = within.unwrap_or(look.document.dir());
    let mut recipes = Recipes::default();
    for dir in dirs_above(from) {
        let of_dir = FILES.iter().find_map(|name| joined(dir, name).filter(|path| look.tree.is_file(path)));
        let Some(path) = of_dir else { continue };
        if recipes.add(look, &path, DEPTH_MAX).is_none() {
            return Vec::new();
        }
        if is_first && dir == from && !recipes.falls_back {
            break;
        }
    }
    if recipes.names.is_empty() {
        return Vec::new();
    }
    let why = "the justfile has no such recipe";
    let known = recipes.names.iter().map(String::as_str);
    let files: BTreeSet<String> =
        dirs_above(from).flat_map(|dir| FILES.iter().filter_map(move |name| joined(dir, name))).collect();
    let was_defined = |name: &str| {
        look.once_had(&|path| files.contains(path), &format!("just {name}"), &|text| has_recipe(text, name))
    };
    missing(look, DriftCheck::Just, why, named, known, &|name| recipes.have(name), &was_defined)
}

/// Whether a justfile has a recipe of this name.
fn has_recipe(text: &str, name: &str) -> bool {
    let begins = |line: &str| {
        let behind = line.trim_start_matches('@').strip_prefix(name);
        behind.is_some_and(|behind| {
            behind.starts_with([':', ' ']) && behind.contains(':') && !behind.contains(":=")
        })
    };
    text.lines().any(begins)
}

/// What justfiles define.
#[derive(Default)]
struct Recipes {
    /// Recipes, aliases, and modules, whose name stands before a recipe of theirs.
    names: BTreeSet<String>,
    modules: BTreeSet<String>,
    /// What is not there is looked for further up.
    falls_back: bool,
}

impl Recipes {
    /// Adds those of a justfile and of what it imports; `None` where an import cannot be read.
    fn add(&mut self, look: &Look<'_>, path: &str, depth: usize) -> Option<()> {
        let text = (look.read)(path)?;
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        self.falls_back |= text.lines().any(|line| line.starts_with("set fallback"));
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some(word @ ("import" | "import?")) => {
                    let file = line[word.len()..].trim().trim_matches(['"', '\'']);
                    let imported = joined(dir, file).filter(|path| look.tree.is_file(path));
                    match imported.filter(|_| depth > 0) {
                        Some(path) => self.add(look, &path, depth - 1)?,
                        None if word == "import?" => {}
                        None => return None,
                    }
                    continue;
                }
                Some("mod" | "mod?") if !line.contains(':') => {
                    self.names.extend(words.clone().next().map(str::to_owned));
                    self.modules.extend(words.next().map(str::to_owned));
                    continue;
                }
                Some("alias") => {
                    let alias = line.trim_start_matches("alias").split(":=").next();
                    self.names.extend(alias.map(|alias| alias.trim().to_owned()));
                    continue;
                }
                _ => {}
            }
            let is_recipe = line.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '@'))
                && !line.contains(":=");
            if let (true, Some((left, _))) = (is_recipe, line.split_once(':')) {
                let name = left.split_whitespace().next();
                self.names.extend(name.map(|name| name.trim_start_matches('@').to_owned()));
            }
        }
        Some(())
    }

    /// `test`, and `ui::test` of a module.
    fn have(&self, name: &str) -> bool {
        self.names.contains(name)
            || name.split_once("::").is_some_and(|(module, _)| self.modules.contains(module))
    }
}
