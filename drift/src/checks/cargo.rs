//! Targets of cargo: `cargo run --example demo`, `--bin`, `--bench`, `--test`, `-p`, `--features`.

use super::paths::is_placeholder;
use super::{Typed, is_plain, typed};
use crate::tree::name_of;
use crate::{DriftFinding, Look};
use std::collections::BTreeSet;

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let typed = typed(look, "cargo");
    // Only a document with a command of cargo is worth reading every manifest of the workspace.
    if typed.is_empty() {
        return Vec::new();
    }
    let Some(project) = Project::read(look) else { return Vec::new() };
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
            let Some((what, known)) = project.of(flag) else { continue };
            let is_meant = |name: &&str| is_plain(name) && !is_placeholder(name) && !name.ends_with("-name");
            let named = value.unwrap_or_default().split([',', ' ']).filter(is_meant);
            for name in named.filter(|name| !known.contains(*name)) {
                let says = format!("cargo {} {flag} {name}", words[1]);
                let why = format!("the workspace has no {what} of that name");
                let near = known.iter().find(|known| crate::evidence::is_near(known, name));
                let now = near.map(|known| format!("cargo {} {flag} {known}", words[1]));
                found.push(DriftFinding { line, check: "cargo", says, why, now });
            }
        }
    }
    found
}

/// The packages, targets and features of this repository.
#[derive(Default)]
struct Project {
    packages: BTreeSet<String>,
    features: BTreeSet<String>,
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
        for line in manifest.lines().map(str::trim) {
            if line.starts_with('[') {
                table = line.trim_matches(['[', ']']).to_owned();
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim(), value.trim().trim_matches('"').to_owned());
            match table.as_str() {
                "package" if key == "name" => {
                    self.bins.insert(value.clone());
                    self.packages.insert(value);
                }
                "bin" if key == "name" => drop(self.bins.insert(value)),
                "example" if key == "name" => drop(self.examples.insert(value)),
                "test" if key == "name" => drop(self.tests.insert(value)),
                "bench" if key == "name" => drop(self.benches.insert(value)),
                "features" => drop(self.features.insert(key.trim_matches('"').to_owned())),
                // An optional dependency makes a feature of the same name.
                of if of.contains("dependencies") && line.contains("optional") => {
                    self.features.insert(key.trim_matches('"').to_owned());
                }
                _ => {}
            }
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
