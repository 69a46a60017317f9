//! Versions of packages. A version of this package (`name = "1.2"`, `name==1.2.0`, `name@1.2`) is compared with its manifest, an
//! exact version of another package with the lock file.

use super::has_one_of;
use crate::document::Mention;
use crate::evidence::{is_data, is_for_developers};
use crate::tree::name_of;
use crate::{DriftCheck, DriftFinding, Look};
use std::collections::BTreeMap;

/// So many major versions ago is another time.
const OLD: u64 = 4;

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let document = look.document;
    // A text between quotes in code (`'kit@1.0.0'`) may be anybody's.
    let is_text = |text: &str| text.contains('@') && !text.contains("==") && text.contains(['"', '\'']);
    let is_pin = |mention: &&Mention| !is_text(&mention.text);
    let written = document.spans.iter().chain(&document.shell).chain(document.code.iter().filter(is_pin));
    let pins: Vec<_> = written
        .filter_map(|mention| Some((mention, pinned(&mention.text)?)))
        .filter(|(mention, _)| !speaks_of_others(document.line(mention.line)))
        .collect();
    // Lock files are large: they are read only for a document that names a version.
    if pins.is_empty() {
        return Vec::new();
    }
    let speaks_of_itself = |mention: &Mention| {
        document.spans.iter().any(|span| span == mention) || is_for_developers(document, mention.line)
    };
    // Read once for all documents.
    let own = look.tree.own_versions.get_or_init(|| own(look));
    let locked = look.tree.locked_versions.get_or_init(|| locked(look));
    let mut found = Vec::new();
    for (mention, (name, sign, version)) in pins {
        let exact = parts(version).len() >= 3 && sign != "=";
        let (what, is) = match (own.get(name), locked.get(name)) {
            (Some(is), _) => ("this package is", vec![is.as_str()]),
            // What a block of a guide pins is its reader's.
            (None, Some(versions)) if exact && sign == "==" && speaks_of_itself(mention) => {
                ("the lock file has", versions.iter().map(String::as_str).collect::<Vec<_>>())
            }
            _ => continue,
        };
        let is_told = |is: &&str| {
            parts(version).first().zip(parts(is).first()).is_some_and(|(asked, is)| asked + OLD <= *is)
        };
        // A sentence about `kit@2` of long ago tells of that one.
        let is_of_then = mention.text.trim().starts_with(&format!("{name}@")) && is.iter().any(is_told);
        if is_of_then || is.iter().any(|is| allows(version, is, sign)) {
            continue;
        }
        found.push(DriftFinding {
            line: mention.line,
            check: DriftCheck::Version,
            says: mention.text.trim().to_owned(),
            why: format!("{what} {name} {}", is.join(", ")),
            now: is.last().map(|is| mention.text.trim().replace(version, is)),
        });
    }
    found
}

/// Whether a line says that it means another version than the present one ("since 1.2", "older", "for example").
fn speaks_of_others(line: &str) -> bool {
    const WORDS: [&str; 27] = [
        "since",
        "before",
        "until",
        "upgrad",
        "migrat",
        "older",
        "legacy",
        "deprecat",
        "or later",
        "or newer",
        "added in",
        "minimum",
        "at least",
        "prior",
        "previous",
        "example",
        "instead of",
        "if you",
        "e.g.",
        "for instance",
        "changed in",
        "only works",
        "as of",
        "introduced",
        "or higher",
        "or above",
        "or greater",
    ];
    has_one_of(line, &WORDS)
}

/// Name, sign and version of a text that names a version: `name = "1.2"`, `name = { version = "1.2"`, `name==1.2`, `name@1.2`.
fn pinned(text: &str) -> Option<(&str, &'static str, &str)> {
    let text = text.trim();
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@'))
            && name.chars().any(char::is_alphabetic)
    };
    for (between, sign) in [("==", "=="), ("@", "@"), (" = ", "=")] {
        for (at, _) in text.match_indices(between) {
            let name = text[..at].rsplit([' ', '"', '\'', '(', '`']).next().unwrap_or_default();
            let name = name.split('[').next().unwrap_or(name);
            let rest = &text[at + between.len()..];
            let rest = match sign {
                "=" => match rest.strip_prefix('"') {
                    Some(version) => version,
                    None => rest
                        .split_once("version = \"")
                        .filter(|_| rest.starts_with('{'))
                        .map(|(_, version)| version)?,
                },
                _ => rest,
            };
            // Who writes `~1.51` wants that one and no later one.
            if sign == "=" && rest.starts_with('~') {
                continue;
            }
            // `@^1.2` asks for what cargo's `= "1.2"` does.
            let sign = if sign == "@" && rest.starts_with('^') { "=" } else { sign };
            let rest = rest.trim_start_matches(['v', '^', '~']);
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+')))
                .unwrap_or(rest.len());
            // `1.0.0...1.0.2` tells of releases.
            if rest[..end].contains("..") {
                continue;
            }
            let version = rest[..end].trim_end_matches('.');
            // `2.x` means all of them, of which the present one need not be.
            let good = version.starts_with(|c: char| c.is_ascii_digit())
                && !is_of_a_day(version)
                && !version.split('.').any(|part| matches!(part, "x" | "X"));
            if good && is_name(name) {
                return Some((name, sign, version));
            }
        }
    }
    None
}

/// The numbers at the beginning of a version: `1.2.3-rc1` has 1, 2 and 3.
fn parts(version: &str) -> Vec<u64> {
    let bare = version.split(['-', '+']).next().unwrap_or(version);
    bare.split('.').map_while(|part| part.parse().ok()).collect()
}

/// Whether the version that is there satisfies the one a document asks for. `=` means what cargo means by it: the same up to the
/// first number that is not 0, and not older. `==` and `@` mean the same numbers, as many as are given.
fn allows(asked: &str, is: &str, sign: &str) -> bool {
    let (asked, is) = (parts(asked), parts(is));
    if asked.is_empty() || is.is_empty() {
        return true;
    }
    if sign == "=" {
        let significant = asked.iter().position(|part| *part != 0).unwrap_or(asked.len() - 1);
        return asked.iter().zip(&is).take(significant + 1).all(|(a, b)| a == b) && asked <= is;
    }
    asked.iter().zip(&is).all(|(a, b)| a == b)
}

/// The packages of this repository, with their versions. One that is not released yet (`1.0.0-rc1`) is left out: documents name the
/// release before it.
fn own(look: &Look<'_>) -> BTreeMap<String, String> {
    let mut own = BTreeMap::new();
    let mut of_workspace = None;
    // The root first: it says what the others take from it.
    let manifests = |wanted: &'static str| {
        let is_own = move |path: &&str| path.contains('/') && name_of(path) == wanted && !is_data(path);
        let below = look.tree.files().filter(is_own);
        [wanted].into_iter().chain(below)
    };
    for path in manifests("Cargo.toml").chain(["pyproject.toml"]) {
        let Some(text) = (look.read)(path) else { continue };
        let mut table = "";
        let (mut name, mut version) = (None, None);
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                table = line;
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let value = value.trim().split('#').next().unwrap_or_default().trim().trim_matches('"');
            match (table, key.trim()) {
                ("[workspace.package]", "version") => of_workspace = Some(value.to_owned()),
                ("[package]" | "[project]" | "[tool.poetry]", "name") => name = Some(value.to_owned()),
                ("[package]" | "[project]" | "[tool.poetry]", "version") => version = Some(value.to_owned()),
                ("[package]", "version.workspace") => version.clone_from(&of_workspace),
                _ => {}
            }
        }
        if version.as_deref().is_some_and(|version| version.starts_with('{')) {
            version.clone_from(&of_workspace);
        }
        own.extend(name.zip(version));
    }
    for path in manifests("package.json") {
        let text = (look.read)(path);
        let Some(package) = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok())
        else {
            continue;
        };
        let text = |key: &str| package.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        own.extend(text("name").zip(text("version").filter(|version| !version.starts_with("0.0.0"))));
    }
    own.retain(|_, version| is_released(version));
    own
}

/// Whether a version is one build that somebody means: `1.3.3-nightly.ced82da`.
fn is_of_a_day(version: &str) -> bool {
    ["-nightly", "-canary", "-dev", "-snapshot"].iter().any(|word| version.contains(word))
}

/// Whether a version has numbers only.
fn is_released(version: &str) -> bool {
    let bare = version.split('+').next().unwrap_or(version);
    !bare.is_empty() && bare.split('.').all(|part| part.chars().all(|c| c.is_ascii_digit()))
}

/// The versions of other packages, by the lock files in the root.
fn locked(look: &Look<'_>) -> BTreeMap<String, Vec<String>> {
    let mut locked: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in ["Cargo.lock", "poetry.lock", "uv.lock"] {
        let Some(text) = (look.read)(file) else { continue };
        let mut name: Option<String> = None;
        for line in text.lines() {
            if let Some(value) = line.strip_prefix("name = ") {
                name = Some(value.trim_matches('"').to_owned());
            } else if let (Some(value), Some(of)) = (line.strip_prefix("version = "), &name) {
                locked.entry(of.clone()).or_default().push(value.trim_matches('"').to_owned());
                name = None;
            }
        }
    }
    let lock = (look.read)("package-lock.json")
        .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let packages = lock.as_ref().and_then(|lock| lock.get("packages")?.as_object());
    for (path, package) in packages.into_iter().flatten() {
        let version = package.get("version").and_then(|version| version.as_str());
        if let (Some((_, name)), Some(version)) = (path.rsplit_once("node_modules/"), version) {
            locked.entry(name.to_owned()).or_default().push(version.to_owned());
        }
    }
    if let Some(text) = (look.read)("requirements.txt") {
        let pinned = text.lines().filter_map(|line| line.split_once("=="));
        for (name, version) in pinned {
            let version = version.split([' ', ';', '#']).next().unwrap_or_default();
            locked.entry(name.trim().to_owned()).or_default().push(version.to_owned());
        }
    }
    locked
}
