//! Compares what a document says about a repository with its files. Pure: a text, the list of files and their texts come in,
//! findings come out. What cannot be decided is not reported.

/// The examples of README.md, so that they are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

mod checks;
mod document;
mod evidence;
mod package;
mod past;
mod repository;
mod site;
mod tree;
mod typed;

use document::Reading;
pub use past::{Earlier, Past};
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt;
pub use tree::{Ignored, Tree};

/// A document to be checked against a tree.
#[derive(Debug, Clone, Copy)]
pub struct CheckedDocument<'a> {
    /// Its path in the tree, with `/`.
    pub path: &'a str,
    /// What it says.
    pub text: &'a str,
}

/// A kind of check; each has the file of its name in `checks/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DriftCheck {
    /// A link to a heading.
    Anchor,
    /// A package, binary, example or feature of cargo.
    Cargo,
    /// A script that is to be run.
    Command,
    /// A copy that `copy_of` keeps.
    Copy,
    /// A recipe of just.
    Just,
    /// A link to a file.
    Link,
    /// A target of make.
    Make,
    /// A script of package.json.
    Npm,
    /// A path in backticks.
    Path,
    /// An item that was to be looked at by a day.
    Until,
    /// A variable of the environment.
    Variable,
    /// A version.
    Version,
}

impl DriftCheck {
    /// Its name in answers: `path`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DriftCheck::Anchor => "anchor",
            DriftCheck::Cargo => "cargo",
            DriftCheck::Command => "command",
            DriftCheck::Copy => "copy",
            DriftCheck::Just => "just",
            DriftCheck::Link => "link",
            DriftCheck::Make => "make",
            DriftCheck::Npm => "npm",
            DriftCheck::Path => "path",
            DriftCheck::Until => "until",
            DriftCheck::Variable => "variable",
            DriftCheck::Version => "version",
        }
    }
}

impl fmt::Display for DriftCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A statement of a document that is not true any more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DriftFinding {
    /// The line, from 1.
    pub line: usize,
    /// The check that found it.
    pub check: DriftCheck,
    /// The statement, as the line has it.
    pub says: String,
    /// Why it is not true.
    pub why: String,
    /// What it should say now, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// Reads a file of the tree by its path; `None` for one that is no text or too large.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What every check is given.
pub(crate) struct Look<'a> {
    pub(crate) document: &'a Reading<'a>,
    pub(crate) tree: &'a Tree,
    pub(crate) read: ReadFile<'a>,
    pub(crate) past: Option<&'a dyn Past>,
    pub(crate) today: &'a str,
    pub(crate) asides: Asides,
}

/// What a document says beside what the checks ask for, found once for all of it.
#[derive(Default)]
pub(crate) struct Asides {
    /// Files that it shows whole.
    pub(crate) shown: OnceCell<BTreeSet<String>>,
    /// Paths that it names below a directory that is ignored or another repository's, as they are called from there.
    pub(crate) checked_out: OnceCell<BTreeSet<String>>,
    /// The names of other repositories to which it has links.
    pub(crate) others: OnceCell<BTreeSet<String>>,
    /// The owners in its addresses: `kit` of `https://host/kit/x`.
    pub(crate) owners: OnceCell<BTreeSet<String>>,
    /// The scripts of packages of this repository that it names.
    pub(crate) scripts: OnceCell<BTreeSet<String>>,
    /// Whether it is a page of a site.
    pub(crate) is_page: OnceCell<bool>,
    /// Whether it is a copy of the README at the root.
    pub(crate) is_copy_of_the_root: OnceCell<bool>,
    /// Earlier texts of the document.
    pub(crate) own_past: OnceCell<Vec<Earlier>>,
}

/// The findings in a document, in the order of its lines. `past`: what the repository had before, where that is known; `today` is
/// `YYYY-MM-DD`.
#[must_use]
pub fn drift(
    document: &CheckedDocument<'_>,
    tree: &Tree,
    read: ReadFile<'_>,
    past: Option<&dyn Past>,
    today: &str,
) -> Vec<DriftFinding> {
    let reading = Reading::of(document);
    let look = Look { document: &reading, tree, read, past, today, asides: Asides::default() };
    let mut found: Vec<DriftFinding> = checks::ALL.iter().flat_map(|check| check(&look)).collect();
    found.sort();
    found.dedup_by(|a, b| a.line == b.line && a.says == b.says);
    // A link that shows a path and leads to its page says one thing.
    let paths: Vec<(usize, String)> = found
        .iter()
        .filter(|finding| finding.check == DriftCheck::Path)
        .map(|finding| (finding.line, finding.says.trim_end_matches('/').to_owned()))
        .collect();
    found.retain(|finding| {
        let is_of = |(line, path): &(usize, String)| finding.line == *line && finding.says.ends_with(path);
        finding.check != DriftCheck::Link || !finding.says.contains("://") || !paths.iter().any(is_of)
    });
    found
}

/// Whether a document describes the present. A change log does not: what it says was true when it was written; and a proposal tells of
/// what may come.
#[must_use]
pub fn is_about_now(path: &str) -> bool {
    /// Directories of texts that tell of one day, or of what may come.
    const DIRS: [&str; 7] = ["blog", "posts", "adr", "adrs", "decisions", "design", "designs"];
    const THEN: [&str; 16] = [
        "changelog",
        "changes",
        "breaking",
        "histor",
        "news",
        "release",
        "upgrad",
        "downgrad",
        "migrat",
        "roadmap",
        "authors",
        "license",
        "whatsnew",
        "todo",
        "rfc",
        "proposal",
    ];
    let file = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let parts = path.to_lowercase();
    let dirs = parts.rsplit_once('/').map_or("", |(dirs, _)| dirs);
    let is_then = |name: &str| THEN.iter().any(|word| name.trim_start_matches('.').starts_with(word));
    // `notes/kit-1.0.3.md`.
    let is_of_version = file.split(|c: char| !(c.is_ascii_digit() || c == '.')).any(|part| {
        let numbers = part.trim_matches('.').split('.').filter(|number| !number.is_empty());
        numbers.count() >= 3
    });
    !is_then(&file) && !is_of_version && !dirs.split('/').any(|dir| is_then(dir) || DIRS.contains(&dir))
}
