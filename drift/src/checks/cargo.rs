//! Targets of cargo: `cargo run --example demo`, `--bin`, `--bench`, `--test`, `-p`, `--features`.

use super::is_plain;
use super::paths::is_placeholder;
use crate::document::Reading;
use crate::tree::name_of;
use crate::typed::{Typed, typed};
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
    for Typed { line, words, within, .. } in typed {
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
            // Packages are packed one by one, and tests and examples often not.
            if look.is_packed() && (what == "package" || known.is_empty()) {
                continue;
            }
            let is_of_any = words.iter().any(|word| chooses_a_package(word)) || within.is_some();
            if let (false, "feature", Some(of_here)) = (is_of_any, what, &of_here) {
                known = of_here.iter().map(String::as_str).collect();
            }
            let is_meant = |name: &&str| is_plain(name) && !is_placeholder(name) && !name.ends_with("-name");
            let named = value.unwrap_or_default().split([',', ' ']).filter(is_meant);
            for name in named {
                let own = project.own_targets(look, what, name).filter(|_| !is_of_any);
                let of = if own.is_some() { "package" } else { "workspace" };
                let known = own.as_ref().unwrap_or(&known);
                if known.contains(name) {
                    continue;
                }
                let says = format!("cargo {} {flag} {name}", words[1]);
                let why = format!("the {of} has no {what} of that name");
                let near = known.iter().find(|known| crate::evidence::is_near(known, name));
                // What packages for other languages leave out is not known; of what cargo leaves out the manifest may speak.
                let is_spoken_of = || look.is_packed() && near.is_none() && speaks_of(look, name);
                if look.is_packed_for_python() && near.is_none() || is_spoken_of() {
                    continue;
                }
                let now = near.map(|known| format!("cargo {} {flag} {known}", words[1]));
                found.push(DriftFinding { line, check: DriftCheck::Cargo, says, why, now });
            }
        }
    }
    found
}

/// Whether a manifest of a package has settings for what it does not have.
fn speaks_of(look: &Look<'_>, name: &str) -> bool {
    let manifest = (look.read)("Cargo.toml").unwrap_or_default();
    manifest.lines().any(|line| line.starts_with("[package.metadata") && line.ends_with(&format!(".{name}]")))
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
    /// What is built, by its kind and its name: the directories of the packages that have one.
    targets: BTreeMap<&'static str, BTreeMap<String, BTreeSet<String>>>,
}

/// The kinds of what is built, and where the files of each are found without being named.
const TARGETS: [(&str, &str); 4] =
    [("binary", "src/bin/"), ("example", "examples/"), ("test", "tests/"), ("benchmark", "benches/")];

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
        let bare = dir.trim_end_matches('/').to_owned();
        let mut table = String::new();
        let mut features = BTreeSet::new();
        // A file that is named has the name which is said with it, and not its own.
        let mut named_files = BTreeSet::new();
        self.has_default_members |= manifest.contains("default-members");
        for line in manifest.lines().map(str::trim) {
            if line.starts_with('[') {
                table = line.trim_matches(['[', ']']).to_owned();
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim(), value.trim().trim_matches('"').to_owned());
            match (table.as_str(), key) {
                ("package", "name") => {
                    if look.tree.is_file(&format!("{dir}src/main.rs")) {
                        self.add_target("binary", value.clone(), &bare);
                    }
                    self.packages.insert(value);
                    self.by_directory.entry(bare.clone()).or_default();
                }
                ("bin", "name") => self.add_target("binary", value, &bare),
                ("example", "name") => self.add_target("example", value, &bare),
                ("test", "name") => self.add_target("test", value, &bare),
                ("bench", "name") => self.add_target("benchmark", value, &bare),
                ("bin" | "example" | "test" | "bench", "path") => drop(named_files.insert(value)),
                ("features", _) => drop(features.insert(key.trim_matches('"').to_owned())),
                // An optional dependency makes a feature of the same name.
                (of, _) if of.contains("dependencies") && line.contains("optional") => {
                    let of_table = of.rsplit('.').next().filter(|_| key == "optional");
                    features.insert(of_table.unwrap_or(key).trim_matches('"').to_owned());
                }
                _ => {}
            }
        }
        self.features.extend(features.iter().cloned());
        if let Some(own) = self.by_directory.get_mut(&bare) {
            own.extend(features);
        }
        for (what, folder) in TARGETS {
            let unnamed = |path: &&str| !named_files.contains(&format!("{folder}{path}"));
            let place = format!("{dir}{folder}");
            let names = look.tree.below(&place).filter(unnamed);
            let names = names.filter_map(|path| match path.split_once('/') {
                Some((name, "main.rs")) => Some(name.to_owned()),
                Some(_) => None,
                None => path.strip_suffix(".rs").map(str::to_owned),
            });
            names.for_each(|name| self.add_target(what, name, &bare));
        }
    }

    fn add_target(&mut self, what: &'static str, name: String, dir: &str) {
        self.targets.entry(what).or_default().entry(name).or_default().insert(dir.to_owned());
    }

    /// What a package has, where the README of that package names a thing which it does not have and several others have, as examples do:
    /// cargo looks for it in this one.
    fn own_targets(&self, look: &Look<'_>, what: &str, name: &str) -> Option<BTreeSet<&str>> {
        let (all, dir) = (self.targets.get(what)?, look.document.dir());
        let of = all.get(name)?;
        let is_around = |other: &String| other.starts_with(dir) || dir.starts_with(other.as_str());
        let own = all.iter().filter(|(_, dirs)| dirs.contains(dir)).map(|(name, _)| name.as_str());
        let own: BTreeSet<&str> = own.collect();
        let is_of_several = look.document.is_readme() && !dir.is_empty() && of.len() > 1;
        (is_of_several && !own.is_empty() && !of.iter().any(is_around)).then_some(own)
    }

    /// The features of the packages in the directory of a document and in those above it, where a command of cargo that names no package
    /// is of those; `None` where it may be of any.
    fn features_of(&self, document: &Reading<'_>) -> Option<BTreeSet<String>> {
        let known = self.by_directory.contains_key("") && !self.has_default_members;
        let of_dirs = document.dirs().filter_map(|dir| self.by_directory.get(dir)).flatten();
        known.then(|| of_dirs.cloned().collect())
    }

    fn of(&self, flag: &str) -> Option<(&'static str, BTreeSet<&str>)> {
        let names = |what: &'static str| {
            let of = self.targets.get(what).into_iter().flat_map(BTreeMap::keys);
            (what, of.map(String::as_str).collect())
        };
        Some(match flag {
            "--bin" => names("binary"),
            "--example" => names("example"),
            "--test" => names("test"),
            "--bench" => names("benchmark"),
            "-p" | "--package" => ("package", self.packages.iter().map(String::as_str).collect()),
            "--features" | "-F" => ("feature", self.features.iter().map(String::as_str).collect()),
            _ => return None,
        })
    }
}
