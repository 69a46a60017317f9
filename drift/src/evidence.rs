//! When a path that is not there is a finding. A document has examples for its readers' projects, partial paths, placeholders; only
//! what says that the path was here makes it drift: it moved and is found again, a name beside it is nearly the same, or the
//! document's other paths are all here.

use crate::document::Mention;
use crate::tree::{Tree, joined, name_of};
use crate::{DriftFinding, Look};
use strsim::levenshtein;

/// Names that many directories have: alone they say nothing of where a file went.
const COMMON: [&str; 22] = [
    "mod.rs",
    "lib.rs",
    "main.rs",
    "build.rs",
    "Cargo.toml",
    "README.md",
    "index.md",
    "index.js",
    "index.ts",
    "index.html",
    "index.tsx",
    "package.json",
    "tsconfig.json",
    "__init__.py",
    "__main__.py",
    "setup.py",
    "conftest.py",
    "Makefile",
    "Dockerfile",
    "main.py",
    "main.go",
    "config.yaml",
];

/// So many other paths of the document must be there, and so many times as many as are not, where nothing else tells.
const THERE_MIN: usize = 2;
const THERE_TIMES: usize = 2;

/// What became of a path a document names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is there.
    There,
    /// It is not; this is where it went.
    Moved(String),
    /// It is not, and nothing says where it went.
    Gone,
    /// Whether it ever was cannot be told.
    Unknown,
}

/// What became of a path, by the tree alone. `dir` is the document's.
pub(crate) fn fate(tree: &Tree, dir: &str, path: &str) -> Fate {
    let bare = path.trim_start_matches("./").trim_end_matches('/');
    if !tree.is_complete() || tree.is_made(bare) {
        return Fate::Unknown;
    }
    let mut above = Some(dir);
    while let Some(from) = above {
        if joined(from, bare).is_some_and(|path| tree.has(&path)) {
            return Fate::There;
        }
        above = (!from.is_empty()).then(|| from.rsplit_once('/').map_or("", |(above, _)| above));
    }
    if tree.has_end(bare) {
        return Fate::There;
    }
    let Some(path) = joined("", bare) else { return Fate::Unknown };
    moved(tree, &path).map_or_else(|| gone(tree, &path), Fate::Moved)
}

/// A path that is not there is gone for sure only where something of it is.
fn gone(tree: &Tree, path: &str) -> Fate {
    match path.split_once('/') {
        Some((first, _)) if tree.is_directory(first) => Fate::Gone,
        // A name alone (`receipts/`) may be of a directory that a program makes.
        Some(_) | None => Fate::Unknown,
    }
}

/// Where a path went, where one place alone can be it.
fn moved(tree: &Tree, path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    // A directory was renamed: the rest of the path is below another one beside it.
    for at in 0..parts.len().saturating_sub(1) {
        let (above, rest) = (parts[..at].join("/"), parts[at + 1..].join("/"));
        if !tree.is_directory(&above) {
            break;
        }
        let under = |dir: &str| {
            if above.is_empty() { format!("{dir}/{rest}") } else { format!("{above}/{dir}/{rest}") }
        };
        let there: Vec<String> =
            tree.children(&above).into_iter().map(under).filter(|path| tree.has(path)).collect();
        let is_telling = parts.len() - at > 2 || !COMMON.contains(&name_of(path));
        match there.as_slice() {
            [one] if is_telling => return Some(one.clone()),
            [] => {}
            several => {
                let near = several
                    .iter()
                    .filter(|path| is_near(path.split('/').nth(at).unwrap_or_default(), parts[at]));
                let near: Vec<&String> = near.collect();
                if let [one] = near.as_slice() {
                    return Some((*one).clone());
                }
            }
        }
    }
    // The file moved as it is, or was given nearly the same name where it is.
    let name = name_of(path);
    let is_file = name.contains('.');
    if is_file && !COMMON.contains(&name) && parts.len() > 1 {
        let mut ends = tree.ends(name);
        if let (Some(one), None) = (ends.next(), ends.next()) {
            return Some(one.to_owned());
        }
    }
    let dir = parts[..parts.len() - 1].join("/");
    if !tree.is_directory(&dir) || (dir.is_empty() && parts.len() < 2) {
        return None;
    }
    let children = tree.children(&dir);
    let mut near = children
        .into_iter()
        .filter(|other| ending(other) == ending(name) && is_near(stem(other), stem(name)));
    let one = near.next().filter(|_| near.next().is_none())?;
    Some(if dir.is_empty() { one.to_owned() } else { format!("{dir}/{one}") })
}

fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether two names may be one that was changed: one begins with the other, or few letters differ.
pub(crate) fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let shorter = one.chars().count().min(other.chars().count());
    if shorter < 3 || one == other {
        return false;
    }
    one.starts_with(&other) || other.starts_with(&one) || levenshtein(&one, &other) * 4 <= shorter
}

/// Whether one of two names is the other with few letters changed.
pub(crate) fn is_misspelt(one: &str, other: &str) -> bool {
    let shorter = one.chars().count().min(other.chars().count());
    shorter >= 3 && one != other && levenshtein(one, other) * 4 <= shorter
}

/// The mentions of paths that are decided, as findings of this check.
pub(crate) fn findings(
    look: &Look<'_>,
    mentions: &[Mention],
    check: &'static str,
    why: &str,
) -> Vec<DriftFinding> {
    let fates: Vec<Fate> =
        mentions.iter().map(|mention| fate(look.tree, look.document.dir(), &mention.text)).collect();
    let found = decided(mentions, &fates).into_iter().map(|(mention, now)| DriftFinding {
        line: mention.line,
        check,
        says: mention.text.clone(),
        why: why.to_owned(),
        now,
    });
    found.collect()
}

/// Those of the mentions that are decided, with where they went. `fates` has one for each.
fn decided<'m>(mentions: &'m [Mention], fates: &[Fate]) -> Vec<(&'m Mention, Option<String>)> {
    let count = |wanted: fn(&Fate) -> bool| fates.iter().filter(|fate| wanted(fate)).count();
    let there = count(|fate| *fate == Fate::There);
    let gone = count(|fate| *fate == Fate::Gone);
    let speaks_of_this_tree = there >= THERE_MIN && there >= gone * THERE_TIMES;
    // Where a path below a directory says that this was renamed, the directory alone is another one as well.
    let renamed: Vec<(&str, &str)> = mentions
        .iter()
        .zip(fates)
        .filter_map(|(mention, fate)| match fate {
            Fate::Moved(now) => renamed_directory(&mention.text, now),
            _ => None,
        })
        .collect();
    let found = mentions.iter().zip(fates).filter_map(|(mention, fate)| {
        let bare = mention.text.trim_end_matches('/');
        let of_rename = || renamed.iter().find(|(was, _)| *was == bare).map(|(_, now)| format!("{now}/"));
        match fate {
            Fate::Moved(now) => Some((mention, Some(now.clone()))),
            Fate::Gone if speaks_of_this_tree => Some((mention, of_rename())),
            Fate::Gone | Fate::Unknown => of_rename().map(|now| (mention, Some(now))),
            Fate::There => None,
        }
    });
    found.collect()
}

/// The directories in which two paths with the same end differ.
fn renamed_directory<'p>(was: &'p str, now: &'p str) -> Option<(&'p str, &'p str)> {
    let (mut was, mut now) = (was.trim_start_matches("./"), now);
    let mut same = false;
    while let (Some((before, name)), Some((other, found))) = (was.rsplit_once('/'), now.rsplit_once('/')) {
        if name != found {
            break;
        }
        (was, now, same) = (before, other, true);
    }
    same.then_some((was, now))
}

/// Whether names of which these are there and those are not are meant to be this project's: where a document, or a part of it, is
/// for people who work on the project, all of them are.
pub(crate) fn is_for_developers(path: &str, text: &str, line: usize) -> bool {
    const FILES: [&str; 8] =
        ["contribut", "develop", "agents", "claude", "architecture", "hacking", "testing", "building"];
    const HEADINGS: [&str; 10] = [
        "contribut",
        "develop",
        "hacking",
        "building",
        "build",
        "run tests",
        "running tests",
        "testing",
        "tests",
        "release",
    ];
    let lower = path.to_lowercase();
    if FILES.iter().any(|word| name_of(&lower).starts_with(word)) || lower.contains("memory-bank/") {
        return true;
    }
    let above = text.lines().take(line).filter(|line| line.starts_with('#'));
    above.last().is_some_and(|heading| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        HEADINGS.iter().any(|word| heading.starts_with(word))
    })
}
