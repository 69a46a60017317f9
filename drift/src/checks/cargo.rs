//! Targets of cargo: `cargo run --example demo`, `--bin`, `--bench`, `--test`, `-p`, `--features`.

use super::paths::is_placeholder;
use super::{Typed, is_plain, typed};
use crate::document::Reading;
use crate::tree::name_of;
use crate::{DriftCheck, DriftFinding, Look};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let typed = typed(look, "cargo");
    // Only a document with a command of cargo is worth reading every manifest of the workspace.
    if typed.is_empty() {
        return Vec::new();
    }
    let Some(project) = Project::read(look) else { return Vec::new() };
    let of_here = project.features_of(look.document);
    let mut found = Vec::new();
    for Typed { line, words, .. } in typed {
        let is_ours =
            words.get(1).is_some_and(|verb| ["run", "test", "build", "bench", "check", "doc"].contains(verb));
        if !is_ours || words.iter().any(|word| word.starts_with("--manifest-path")) {
            continue;
        }
        let before = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let mut at = 2;
        while at < before {
            let (flag, value) = match words[at].split_once('=') {
                Some((flag, value)) => (flag, Some(value)),
                None => (words[at], words.get(at + 1).copied().filter(|_| at + 1 < before)),
            };
            at += 1;
            let Some((what, mut known)) = project.of(flag) else { continue };
            if what == "feature" && !words.iter().any(|word| chooses_a_package(word)) {
                known = of_here.as_ref().unwrap_or(known);
            }
            let is_meant = |name: &&str| is_plain(name) && !is_placeholder(name) && !name.ends_with("-name");
            let named = value.unwrap_or_default().split([',', ' ']).filter(is_meant);
            for name in named.filter(|name| !known.contains(*name)) {
                let says = format!("cargo {} {flag} {name}", words[1]);
                let why = format!("the workspace has no {what} of that name");
                let near = known.iter().find(|known| crate::evidence::is_near(known, name));
                let now = near.map(|known| format!("cargo {} {flag} {known}", words[1]));
                found.push(DriftFinding { line, check: DriftCheck::Cargo, says, why, now });
            }
        }
    }
    found
}

/// Whether a word of a command says of which package of the workspace it is.
fn chooses_a_package(word: &str) -> bool {
    ["-p", "--package", "--workspace", "--all"].iter().any(|flag| word.split('=').next() == Some(*flag))
}

/// The packages, targets and features of this repository.
#[derive(Default)]
struct Project {
    packages: BTreeSet<String>,
    features: BTreeSet<String>,
    /// The same of each package, by its directory.
    by_directory: BTreeMap<String, BTreeSet<String>>,
    /// Which packages a command at the root is of is a setting there.
    has_default_members: bool,
    bins: BTreeSet<String>,
    examples: BTreeSet<String>,
    tests: BTreeSet<String>,
    benches: BTreeSet<String>,
}

impl Project {
    fn read(look: &Look<'_>) -> Option<Project> {
        let mut project = Project::default();
        for path in look.tree.files().filter(|path| name_of(path) == "Cargo.toml") {
            let text = (look.read)(path)?;
            project.add(&text, path.strip_suffix("Cargo.toml").unwrap_or_default(), look);
        }
        (!project.packages.is_empty()).then_some(project)
    }

    fn add(&mut self, manifest: &str, dir: &str, look: &Look<'_>) {
        let mut table = String::new();
        let mut features = BTreeSet::new();
        self.has_default_members |= manifest.contains("default-members");
        for line in manifest.lines().map(str::trim) {
            if line.starts_with('[') {
                table = line.trim_matches(['[', ']']).to_owned();
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim(), value.trim().trim_matches('"').to_owned());
            match table.as_str() {
                "package" if key == "name" => {
                    if look.tree.is_file(&format!("{dir}src/main.rs")) {
                        self.bins.insert(value.clone());
                    }
                    self.packages.insert(value);
                    self.by_directory.entry(dir.trim_end_matches('/').to_owned()).or_default();
                }
                "bin" if key == "name" => drop(self.bins.insert(value)),
                "example" if key == "name" => drop(self.examples.insert(value)),
                "test" if key == "name" => drop(self.tests.insert(value)),
                "bench" if key == "name" => drop(self.benches.insert(value)),
                "features" => drop(features.insert(key.trim_matches('"').to_owned())),
                // An optional dependency makes a feature of the same name.
                of if of.contains("dependencies") && line.contains("optional") => {
                    let of_table = of.rsplit('.').next().filter(|_| key == "optional");
                    features.insert(of_table.unwrap_or(key).trim_matches('"').to_owned());
                }
                _ => {}
            }
        }
        self.features.extend(features.iter().cloned());
        if let Some(own) = self.by_directory.get_mut(dir.trim_end_matches('/')) {
            own.extend(features);
        }
        for (folder, names) in [
            ("src/bin/", &mut self.bins),
            ("examples/", &mut self.examples),
            ("tests/", &mut self.tests),
            ("benches/", &mut self.benches),
        ] {
            let prefix = format!("{dir}{folder}");
            names.extend(look.tree.below(&prefix).filter_map(|path| match path.split_once('/') {
                Some((name, "main.rs")) => Some(name.to_owned()),
                Some(_) => None,
                None => path.strip_suffix(".rs").map(str::to_owned),
            }));
        }
    }

    /// The features of the packages in the directory of a document and in those above it, where a command of cargo that names no package
    /// is of those; `None` where it may be of any.
    fn features_of(&self, document: &Reading<'_>) -> Option<BTreeSet<String>> {
        let known = self.by_directory.contains_key("") && !self.has_default_members;
        let of_dirs = document.dirs().filter_map(|dir| self.by_directory.get(dir)).flatten();
        known.then(|| of_dirs.cloned().collect())
    }

    fn of(&self, flag: &str) -> Option<(&'static str, &BTreeSet<String>)> {
        Some(match flag {
            "--bin" => ("binary", &self.bins),
            "--example" => ("example", &self.examples),
            "--test" => ("test", &self.tests),
            "--bench" => ("bench", &self.benches),
            "-p" | "--package" => ("package", &self.packages),
            "--features" | "-F" => ("feature", &self.features),
            _ => return None,
        })
    }
}
