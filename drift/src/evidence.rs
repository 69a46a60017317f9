//! Decides when a missing path is a finding. A document also names paths of its readers' projects, parts of paths and
//! placeholders. A missing path is reported only if something shows that it was once here: the file is found in another place,
//! a file beside it has nearly the same name, or most other paths of the document exist.

use crate::document::{Mention, Reading};
use crate::package::LeftOut;
use crate::site::is_for_users;
use crate::tree::{Tree, joined, name_of};
use crate::{DriftCheck, DriftFinding, Look};
use std::collections::{BTreeMap, BTreeSet};
use strsim::levenshtein;

/// File names that many directories have: such a name alone does not show where a file went.
const COMMON: [&str; 28] = [
    "Taskfile.yml",
    "justfile",
    "go.mod",
    "pyproject.toml",
    "docker-compose.yml",
    "compose.yaml",
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

/// A missing path without other evidence is reported only if at least this many paths of the document exist, and at least this
/// many times as many as are missing.
const THERE_MIN: usize = 2;
const THERE_TIMES: usize = 2;
/// A list of at least this many directories is taken for a map of the repository; for each one that is missing, this many must exist.
const LISTED_MIN: usize = 3;
/// So many files of one directory that are all missing were hardly all deleted.
const OTHERS_MIN: usize = 5;

/// Beside so many files one of nearly the name shows nothing, and it is not looked for: that is done for each missing path.
const BESIDE_MAX: usize = 1_000;

/// What became of a path that a document names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It exists.
    There,
    /// It is missing; the file is now here.
    Moved(String),
    /// It is missing; something beside its place has nearly its name.
    Near(String),
    /// It is missing; several things have nearly its name, or what is below it.
    Lost,
    /// It is missing, and nothing shows where the file went.
    Gone,
    /// It is missing, and may never have been here.
    Unknown,
}

/// What became of a path, by the tree alone. `dir` is the directory of the document.
pub(crate) fn fate(tree: &Tree, dir: &str, path: &str) -> Fate {
    let bare = path.trim_start_matches("./").trim_end_matches('/');
    if !tree.is_complete() {
        return Fate::Unknown;
    }
    let mut above = Some(dir);
    while let Some(from) = above {
        if joined(from, bare).is_some_and(|path| tree.has(&path)) {
            return Fate::There;
        }
        above = (!from.is_empty()).then(|| from.rsplit_once('/').map_or("", |(above, _)| above));
    }
    if tree.is_made(bare) || joined(dir, bare).is_some_and(|path| tree.is_made(&path)) {
        return if is_end(tree, bare) { Fate::There } else { Fate::Unknown };
    }
    // A document may name a file by the end of its path. A path that begins with a hidden directory is a whole one, and
    // `src/main.rs` in the document of a package means the file of that package, even if another package has one.
    let is_elsewhere = !bare.starts_with('.') && tree.ends(bare).next().is_some();
    let is_of_here =
        USUAL.contains(&bare.split('/').next().unwrap_or(bare)) && !is_guide(dir) && !dir.is_empty();
    let is_below = |path: &str| path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    if is_elsewhere && (!is_of_here || tree.ends(bare).any(is_below)) {
        return Fate::There;
    }
    let is_meant = |now: &String| !is_elsewhere || is_below(now);
    // What a document further down names is below its own directory or below the root.
    let bases: &[&str] = if dir.is_empty() { &[""] } else { &[dir, ""] };
    let paths: Vec<String> = bases.iter().filter_map(|base| joined(base, bare)).collect();
    let is_without_ending =
        || paths.iter().any(|path| tree.has_without_ending(path)) || tree.has_end_without_ending(bare);
    if !path.ends_with('/') && is_without_ending() {
        return Fate::There;
    }
    // TypeScript names the file that is made of `util.ts`.
    let source = |ending: &str| bare.strip_suffix(".js").map(|stem| format!("{stem}{ending}"));
    if [".ts", ".tsx"].into_iter().filter_map(source).any(|path| tree.ends(&path).next().is_some()) {
        return Fate::There;
    }
    // A file that became a directory of files: `settings.py`, then `settings/`.
    let split = |path: &String| {
        let stem = path.rsplit_once('.').filter(|(_, ending)| !ending.contains('/')).map(|(stem, _)| stem);
        let stem = stem.filter(|stem| tree.is_directory(stem));
        stem.filter(|stem| !stem.is_empty()).map(|stem| format!("{stem}/"))
    };
    if let Some(now) = paths.iter().find_map(split).filter(|_| bare.contains('/')) {
        return Fate::Moved(now);
    }
    let of_packages = packages_above(tree, dir).filter_map(|base| joined(base, bare));
    let of_ends = below_known_end(tree, bare);
    let paths: Vec<String> = paths.into_iter().chain(of_packages).chain(of_ends).collect();
    if let Some(now) = paths.iter().find_map(|path| moved(tree, path, bare).filter(is_meant)) {
        return Fate::Moved(now);
    }
    if let Some(now) = paths.iter().find_map(|path| near(tree, path).filter(is_meant)) {
        return Fate::Near(now);
    }
    if is_elsewhere {
        return Fate::There;
    }
    if paths.iter().any(|path| is_one_of_several(tree, path)) {
        return Fate::Lost;
    }
    // Surely gone only if its first directory exists. A single name (`receipts/`) may be a directory that a program makes when it
    // runs.
    let first = bare.split_once('/').map(|(first, _)| first).filter(|first| !first.is_empty());
    let is_there = |base: &&str| {
        first.is_some_and(|first| joined(base, first).is_some_and(|dir| tree.is_directory(&dir)))
    };
    if bases.iter().any(is_there) { Fate::Gone } else { Fate::Unknown }
}

/// Whether a path of several parts ends another one.
fn is_end(tree: &Tree, path: &str) -> bool {
    path.contains('/') && tree.ends(path).next().is_some()
}

/// A path whose first directories are those of one other place: `kit/parts/a.py` where there is `src/kit/parts/`.
fn below_known_end(tree: &Tree, bare: &str) -> Option<String> {
    let parts: Vec<&str> = bare.split('/').collect();
    let is_usual = |parts: &[&str]| parts.iter().all(|part| USUAL.contains(part));
    if parts.len() < 3 || is_usual(&parts[..2]) {
        return None;
    }
    let known = (2..parts.len()).rev().find_map(|known| {
        let lead = parts[..known].join("/");
        let mut ends = tree.ends(&lead).filter(|end| tree.is_directory(end));
        let only = ends.next().filter(|_| ends.next().is_none())?.to_owned();
        Some((only, known))
    });
    known.map(|(dir, known)| format!("{dir}/{}", parts[known..].join("/")))
}

/// Whether a path has a directory, or is one, of which several beside it have nearly the name, and what is below it.
fn is_one_of_several(tree: &Tree, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let above = |at: usize| parts[..at].join("/");
    let first_missing = (0..parts.len()).find(|at| !tree.has(&above(at + 1)));
    let Some(at) = first_missing.filter(|at| tree.is_directory(&above(*at)) && !parts[*at].contains('.'))
    else {
        return false;
    };
    let rest = &parts[at + 1..];
    let has_rest = |name: &&str| {
        let whole = [&parts[..at], &[name], rest].concat().join("/");
        is_misspelt(name, parts[at])
            && if rest.is_empty() { tree.is_directory(&whole) } else { tree.has(&whole) }
    };
    let beside = tree.children(&above(at));
    beside.len() <= BESIDE_MAX && beside.iter().filter(|name| has_rest(name)).count() > 1
}

/// The directories between this one and the root that are packages of their own: their documents name paths from there, too.
fn packages_above<'d>(tree: &Tree, dir: &'d str) -> impl Iterator<Item = &'d str> {
    const MANIFESTS: [&str; 7] = [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "setup.py",
        "go.mod",
        "configure.ac",
        "CMakeLists.txt",
    ];
    let above = dir.rmatch_indices('/').map(|(at, _)| &dir[..at]);
    above.filter(|above| MANIFESTS.iter().any(|name| tree.is_file(&format!("{above}/{name}"))))
}

/// Names of directories that many repositories have: that one exists does not show that a document means this repository.
const USUAL: [&str; 31] = [
    "src",
    "lib",
    "libs",
    "docs",
    "doc",
    "test",
    "tests",
    "app",
    "apps",
    "examples",
    "config",
    "public",
    "assets",
    "scripts",
    "bin",
    "packages",
    "components",
    "static",
    "tools",
    "internal",
    "cmd",
    "pkg",
    "core",
    "util",
    "utils",
    "common",
    "server",
    "client",
    "ui",
    "api",
    "include",
];

/// Whether a path begins with such a name.
pub(crate) fn is_usual(path: &str) -> bool {
    USUAL.contains(&path.split('/').next().unwrap_or(path))
}

/// Whether documents of this directory speak of all of the repository, or of what a reader makes.
pub(crate) fn is_guide(dir: &str) -> bool {
    ["doc", "guide", "site", "web", "memory-bank", ".github", ".claude"].iter().any(|word| dir.contains(word))
}

/// Whether a missing path begins with a directory that is there and that another repository would hardly have: `kit-server/src/lib.rs`.
fn has_own_directory(look: &Look<'_>, path: &str) -> bool {
    let parts: Vec<&str> = path.trim_start_matches("./").trim_end_matches('/').split('/').collect();
    let [above @ .., _] = parts.as_slice() else { return false };
    let is_own = |known: usize| {
        let lead = above[..known].join("/");
        // `_static/` of a site is beside its pages or above them.
        let mut dirs = look.document.dirs().filter(|dir| dir.is_empty() || lead.starts_with('_'));
        dirs.any(|dir| joined(dir, &lead).is_some_and(|dir| look.tree.is_directory(&dir)))
    };
    let own = above.iter().position(|part| !USUAL.contains(part));
    // One directory alone may be of any project, but for one of several words: `kit-server/rules.json`.
    let is_telling = above.len() > 1 || above.iter().any(|part| part.contains(['-', '_']));
    is_telling && own.is_some_and(|at| is_own(at + 1))
}

/// Where a path went, if only one place can be it. `bare` is how the document writes it.
fn moved(tree: &Tree, path: &str, bare: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    // A directory was renamed: the rest of the path exists below a sibling of it.
    // Its part before `bare` is the document's own directory, which exists.
    let first = parts.len().saturating_sub(bare.split('/').count());
    for at in first..parts.len().saturating_sub(1) {
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
                let near = several.iter().filter(|path| {
                    let other = path.split('/').nth(at).unwrap_or_default();
                    is_near(other, parts[at]) && !extends(parts[at], other)
                });
                let near: Vec<&String> = near.collect();
                if let [one] = near.as_slice() {
                    return Some((*one).clone());
                }
            }
        }
    }
    // The file moved under its name, with the directories it is in or without them.
    let name = name_of(path);
    if !name.contains('.') || COMMON.contains(&name) || !bare.contains('/') {
        return None;
    }
    let is_telling = tree.is_directory(&parts[..=first].join("/"));
    for at in first + 1..parts.len() {
        if at + 1 == parts.len() && !is_telling {
            break;
        }
        let end = parts[at..].join("/");
        let mut ends = tree.ends(&end).filter(|found| is_data(bare) || !is_data(found));
        if let (Some(one), None) = (ends.next(), ends.next()) {
            return Some(one.to_owned());
        }
    }
    None
}

/// Whether a path is one of test data, or of another project's code: no file of this project moves there.
pub(crate) fn is_data(path: &str) -> bool {
    const DATA: [&str; 10] = [
        "fixtures",
        "testdata",
        "test-data",
        "test_data",
        "__fixtures__",
        "snapshots",
        "__snapshots__",
        "expected",
        "vendor",
        "third_party",
    ];
    path.split('/').any(|part| DATA.contains(&part))
}

/// What has nearly the name of a path, where one thing alone beside it has.
fn near(tree: &Tree, path: &str) -> Option<String> {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    if !tree.is_directory(dir) {
        return None;
    }
    let children = tree.children(dir);
    if children.len() > BESIDE_MAX {
        return None;
    }
    let mut near = children
        .into_iter()
        .filter(|other| ending(other) == ending(name) && is_near(stem(other), stem(name)))
        .filter(|other| name.contains('.') || !extends(name, other));
    let one = near.next().filter(|_| near.next().is_none())?;
    Some(if dir.is_empty() { one.to_owned() } else { format!("{dir}/{one}") })
}

/// Whether a directory's name is another one's with a word more: `kit_calculator` of a tutorial is not `kit` renamed.
fn extends(name: &str, other: &str) -> bool {
    name.strip_prefix(other).is_some_and(|more| more.starts_with(['_', '-']))
}

pub(crate) fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether one name may be the other after a change: one begins with the other, or few letters differ.
pub(crate) fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let shorter = one.chars().count().min(other.chars().count());
    if shorter < 3 || one == other {
        return false;
    }
    one.starts_with(&other) || other.starts_with(&one) || levenshtein(&one, &other) * 4 <= shorter
}

/// Whether the names differ in few letters only.
pub(crate) fn is_misspelt(one: &str, other: &str) -> bool {
    let shorter = one.chars().count().min(other.chars().count());
    shorter >= 3 && one != other && levenshtein(one, other) * 4 <= shorter
}

/// Whether the line of a mention has one of these words before it.
type HasWords<'a> = &'a dyn Fn(&Mention, &[&str]) -> bool;

/// What a check that asks for paths knows of them.
pub(crate) struct Asked<'a> {
    /// The check, and why a missing path is a finding of it.
    pub(crate) check: DriftCheck,
    pub(crate) why: &'static str,
    pub(crate) has_words: HasWords<'a>,
    /// Whether something beside the text says that a path is of this repository.
    pub(crate) is_ours: &'a dyn Fn(&Mention) -> bool,
}

/// Words of a line that gives an example. For a path of which something similar exists, only the plain ones count.
const EXAMPLES: [&str; 4] = ["e.g.", "example", "for instance", "such as"];
pub(crate) const PLAIN_EXAMPLES: [&str; 5] =
    ["e.g.", "for example,", "for example ", "for instance", "such as"];

/// The mentioned paths that are surely missing, as findings of this check.
pub(crate) fn findings(look: &Look<'_>, mentions: &[Mention], asked: &Asked<'_>) -> Vec<DriftFinding> {
    let fates: Vec<Fate> =
        mentions.iter().map(|mention| fate(look.tree, look.document.dir(), &mention.text)).collect();
    let found = decided(look, mentions, &fates, asked).into_iter();
    let found = found
        .filter(|(mention, _)| !speaks_of_another(look, mention) && !is_planned(look.document, mention.line));
    let found = found.map(|(mention, now)| DriftFinding {
        line: mention.line,
        check: asked.check,
        says: mention.text.clone(),
        why: asked.why.to_owned(),
        now,
    });
    found.collect()
}

/// Whether a missing path is one of another repository, or one of which its line says that it is gone.
fn speaks_of_another(look: &Look<'_>, mention: &Mention) -> bool {
    let (document, path) = (look.document, mention.text.trim_end_matches('/'));
    // `vite/packages/vite/x.ts`, where `vite/` is ignored: `packages/vite` is that one's.
    let checked_out = look.asides.checked_out.get_or_init(|| checked_out(look));
    let is_below =
        || checked_out.range(path.to_owned()..).next().is_some_and(|below| below.starts_with(path));
    let is_ignored = |heading: &str| {
        let spans = heading.split('`').skip(1).step_by(2).map(|span| span.trim_end_matches('/'));
        // `/build/` at the root is ignored, and `src/kit/build/` is here.
        let is_here = |part: &str| look.tree.ends(part).any(|path| look.tree.is_directory(path));
        let is_one = |span: &str| look.tree.ignored_part(span).is_some_and(|part| !is_here(part));
        spans.into_iter().any(|span| !span.is_empty() && is_one(span))
    };
    let is_other = || {
        is_below()
            || document.headings_above(mention.line).into_iter().any(is_ignored)
            || crate::repository::is_of_another(look, mention.line)
            || crate::repository::is_said_to_be_of_another(look, mention.line)
    };
    // What was here is ours, whatever the heading is about.
    tells_of_the_past(document.line(mention.line)) || is_other() && !look.was_whole(path)
}

/// What the document names below a directory that is ignored or another repository's, as it is called from there.
fn checked_out(look: &Look<'_>) -> BTreeSet<String> {
    let below = |text: &str| Some(text.get(look.tree.ignored_part(text)?.len() + 1..)?.to_owned());
    look.document.spans.iter().filter_map(|span| below(span.text.trim_start_matches("./"))).collect()
}

/// Whether a line says that what it names is gone or has another name now.
fn tells_of_the_past(line: &str) -> bool {
    const WORDS: [&str; 20] = [
        "no longer",
        "deletions of",
        "there is no ",
        "does not exist",
        "doesn't exist",
        "was removed",
        "were removed",
        "been removed",
        "was deleted",
        "been deleted",
        "was renamed",
        "been renamed",
        "renamed from",
        "was moved",
        "been moved",
        "moved from",
        "was replaced",
        "been replaced",
        "formerly",
        "used to be",
    ];
    crate::checks::has_one_of(line, &WORDS)
}

/// Whether a line stands below a heading of what is to come.
pub(crate) fn is_planned(document: &Reading<'_>, line: usize) -> bool {
    const PLANS: [&str; 5] = ["planned", "future", "roadmap", "todo", "to do"];
    let headings = document.headings_above(line);
    headings.iter().any(|heading| PLANS.iter().any(|plan| heading.to_lowercase().starts_with(plan)))
}

/// Whether a line says that a program makes what it names.
fn is_generated(line: &str) -> bool {
    ["is generated", "are generated", "generated by", "saved to", "saved in"]
        .iter()
        .any(|word| line.contains(word))
}

/// Whether a line says what is to be done where there is such a file.
fn is_conditional(line: &str) -> bool {
    let line = line.to_lowercase();
    line.split_once("if ").is_some_and(|(_, behind)| behind.contains(" exists"))
}

/// The directories of which a document names many files and none that is there: what it names is somewhere else.
fn of_other_places<'m>(mentions: &'m [Mention], fates: &[Fate]) -> BTreeSet<&'m str> {
    let (mut there, mut gone) = (BTreeSet::new(), BTreeMap::<&str, BTreeSet<&str>>::new());
    for (mention, fate) in mentions.iter().zip(fates) {
        let Some((dir, name)) = mention.text.trim_end_matches('/').rsplit_once('/') else { continue };
        if *fate == Fate::There {
            there.insert(dir);
        } else if *fate == Fate::Gone {
            gone.entry(dir).or_default().insert(name);
        }
    }
    let many = gone.into_iter().filter(|(dir, names)| names.len() >= OTHERS_MIN && !there.contains(dir));
    many.map(|(dir, _)| dir).collect()
}

/// Whether the document shows what stands in a file of that name, as a tutorial does: a block of it begins with `# path` or `// path`.
fn is_shown(look: &Look<'_>, path: &str) -> bool {
    let document = look.document;
    let shown = look.asides.shown.get_or_init(|| {
        let lines = document.code.iter().chain(&document.shell).chain(&document.bare);
        let named = lines.filter_map(|line| {
            let said = line.text.trim().trim_end_matches(['*', '/', '>', '-', ' ']);
            let said =
                ["# ", "// ", "-- ", "<!-- ", "/* "].iter().find_map(|mark| said.strip_prefix(mark))?;
            Some(said.trim().trim_start_matches("./").to_owned())
        });
        named.chain(document.titles.iter().cloned()).collect()
    });
    shown.contains(path)
}

/// The missing paths that are written from a directory further down (`wire/codec.rs`), of which others are there or which a document for
/// people who work on the project names, or which are all in one other directory now; with where they are.
fn partial(look: &Look<'_>, mentions: &[Mention], fates: &[Fate]) -> BTreeMap<String, Option<String>> {
    let there = names_by_directory(mentions, fates, &Fate::There);
    let only = |end: &str| -> Option<String> {
        let mut ends = look.tree.ends(end);
        ends.next().filter(|_| ends.next().is_none()).map(str::to_owned)
    };
    let went = |name: &str| only(name).filter(|_| name.contains('.') && !COMMON.contains(&name));
    let mut found = BTreeMap::new();
    for (dir, names) in names_by_directory(mentions, fates, &Fate::Unknown) {
        let is_ours = || {
            is_file_for_developers(look.document.path)
                && only(dir).is_some_and(|of| {
                    let children = look.tree.children(&of);
                    let endings: BTreeSet<_> = children.iter().map(|child| ending(child)).collect();
                    names.iter().all(|name| name.contains('.') && endings.contains(&ending(name)))
                })
        };
        if there.contains_key(dir) || is_ours() {
            let Some(of_dir) = only(dir).filter(|of| look.tree.is_directory(of)) else { continue };
            let now = |name: &str| went(name).or_else(|| near(look.tree, &format!("{of_dir}/{name}")));
            found.extend(names.into_iter().map(|name| (format!("{dir}/{name}"), now(name))));
            continue;
        }
        if is_file_for_developers(look.document.path) {
            let now = |name: &&str| Some((format!("{dir}/{name}"), Some(of_ends(look.tree, dir, name)?)));
            found.extend(names.iter().filter_map(now));
        }
        // Its directory has another name: that of all the others, too.
        let all: Option<Vec<(&str, String)>> = names.iter().map(|name| Some((*name, went(name)?))).collect();
        let Some(all) = all.filter(|all| all.len() > 1) else { continue };
        let dirs: BTreeSet<&str> = all.iter().filter_map(|(_, now)| Some(now.rsplit_once('/')?.0)).collect();
        if dirs.len() == 1 {
            found.extend(all.into_iter().map(|(name, now)| (format!("{dir}/{name}"), Some(now))));
        }
    }
    found
}

/// What became of the end of a path, where one place alone can be it: something beside it has nearly its name, its directory has another name,
/// or a file of a name of its own is elsewhere.
fn of_ends(tree: &Tree, dir: &str, name: &str) -> Option<String> {
    let only = |mut all: BTreeSet<String>| all.pop_first().filter(|_| all.is_empty());
    let beside = tree
        .ends(dir)
        .filter(|end| tree.is_directory(end))
        .filter_map(|end| near(tree, &format!("{end}/{name}")));
    if let Some(now) = only(beside.collect()) {
        return Some(now);
    }
    if !name.contains('.') {
        return None;
    }
    if let Some((above, last)) = dir.rsplit_once('/') {
        let renamed = tree.ends(above).filter(|end| tree.is_directory(end)).flat_map(|end| {
            let others = tree.children(end).into_iter().filter(|other| is_near(other, last));
            others
                .map(|other| format!("{end}/{other}/{name}"))
                .filter(|path| tree.is_file(path))
                .collect::<Vec<_>>()
        });
        if let Some(now) = only(renamed.collect()) {
            return Some(now);
        }
    }
    let is_own = stem(name).trim_matches('_').contains(['-', '_']) && !COMMON.contains(&name);
    only(tree.ends(name).filter(|_| is_own).map(str::to_owned).collect())
}

/// The names of the mentioned paths with this fate, by the directories as the document writes them.
fn names_by_directory<'m>(
    mentions: &'m [Mention],
    fates: &[Fate],
    wanted: &Fate,
) -> BTreeMap<&'m str, BTreeSet<&'m str>> {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (mention, _) in mentions.iter().zip(fates).filter(|(_, fate)| *fate == wanted) {
        let Some((dir, name)) = mention.text.rsplit_once('/') else { continue };
        if !name.is_empty() && !USUAL.contains(&dir.split('/').next().unwrap_or(dir)) {
            names.entry(dir).or_default().insert(name);
        }
    }
    names
}

/// Whether something that is called nearly so is what a missing path means: `./scripts/deploy.sh` of a guide may be a reader's.
fn is_telling(look: &Look<'_>, check: DriftCheck, mention: &Mention) -> bool {
    let (dir, is_readme) = (look.document.dir(), look.document.is_readme());
    let is_below = mention.text.trim_end_matches('/').contains('/');
    match check {
        DriftCheck::Command => !is_below || is_readme,
        _ => is_below || is_readme && !dir.is_empty() && !is_guide(dir),
    }
}

/// Whether the paths of a document are there, but for few.
fn speaks_of_this_tree(mentions: &[Mention], fates: &[Fate]) -> bool {
    // A path that is named ten times counts once.
    let count = |wanted: fn(&Fate) -> bool| {
        let of = mentions.iter().zip(fates).filter(|(_, fate)| wanted(fate));
        of.map(|(mention, _)| mention.text.as_str()).collect::<BTreeSet<_>>().len()
    };
    let there = count(|fate| *fate == Fate::There);
    there >= THERE_MIN && there >= count(|fate| *fate == Fate::Gone) * THERE_TIMES
}

/// Whether a missing path may be one of a reader's, whatever the tree has that is like it.
fn may_be_readers<'l>(
    look: &'l Look<'_>,
    mentions: &'l [Mention],
    fates: &[Fate],
    asked: &Asked<'_>,
) -> impl Fn(&Mention) -> bool + 'l {
    let is_path = asked.check == DriftCheck::Path;
    let of_others = of_other_places(mentions, fates);
    // A guide has its reader make files with names that the repository has as well.
    let is_guide = is_path
        && is_of_guides(look.document.path)
        && !is_file_for_developers(look.document.path)
        && (look.has_past() || !speaks_of_this_tree(mentions, fates));
    // A page of a site is for those who have a project of their own. What lies in a directory of this repository's own is none of theirs.
    let is_of_page =
        move |mention: &Mention| is_for_users(look, mention.line) && !has_own_directory(look, &mention.text);
    let went =
        |(mention, fate): (&Mention, &Fate)| is_certain(&mention.text, fate).then(|| mention.text.clone());
    let certain: BTreeSet<String> = mentions.iter().zip(fates).filter_map(went).collect();
    move |mention| {
        if !is_guide && certain.contains(&mention.text) {
            return false;
        }
        let bare = mention.text.trim_end_matches('/');
        is_guide
            || is_of_page(mention)
            || of_others.contains(bare.rsplit_once('/').map_or("", |(dir, _)| dir))
            || is_path && (is_shown(look, bare) || is_conditional(look.document.line(mention.line)))
    }
}

/// Whether what became of a path shows that it is this repository's, and no reader's: a file with a name of its own is in another place now
/// whose name is nearly the same, or with the directory it was in.
fn is_certain(written: &str, fate: &Fate) -> bool {
    let bare = written.trim_start_matches("./").trim_end_matches('/');
    let name = name_of(bare);
    let is_of_words = |name: &str| stem(name).trim_matches('_').contains(['-', '_']);
    let Fate::Moved(now) = fate else {
        return matches!(fate, Fate::Near(now) if is_of_words(name) && is_misspelt(name, name_of(now)));
    };
    let (mut was, mut now) = (bare.rsplit('/').peekable(), now.rsplit('/').peekable());
    let mut same = 0;
    while was.peek().is_some() && was.peek() == now.peek() {
        (same, _, _) = (same + 1, was.next(), now.next());
    }
    let is_near_directory = was.next().zip(now.next()).is_some_and(|(was, now)| is_near(was, now));
    let is_own = !COMMON.contains(&name) && name.contains('.');
    is_own && same > 0 && (is_of_words(name) || same > 1 || is_near_directory)
}

/// Whether a package may be without what is mentioned; nothing where that is a reader's, or surely left out.
fn asked_of(
    look: &Look<'_>,
    mention: &Mention,
    fate: &Fate,
    asked: &Asked<'_>,
    may_be_readers: &dyn Fn(&Mention) -> bool,
) -> Option<LeftOut> {
    let bare = mention.text.trim_end_matches('/');
    if *fate == Fate::There {
        return Some(LeftOut::No);
    }
    let was_there = || look.was_there(bare, mention.line);
    let is_readers = may_be_readers(mention) && !(asked.is_ours)(mention) && !was_there();
    let left_out = (!is_readers).then(|| look.left_out_as_written(bare))?;
    (left_out != LeftOut::Surely || was_there()).then_some(left_out)
}

/// Whether a script is one of the document's directory: `./run.sh` in a README is, and in a guide it may be the reader's; or one of several
/// at the root.
fn is_script_of_here(look: &Look<'_>, mention: &Mention) -> bool {
    let dir = look.document.dir();
    !mention.text.contains('/') && !dir.is_empty() && !is_guide(dir) || has_siblings(look.tree, &mention.text)
}

/// The mentions that are surely missing, with where they went. `fates` has one element for each mention.
fn decided<'m>(
    look: &Look<'_>,
    mentions: &'m [Mention],
    fates: &[Fate],
    asked: &Asked<'_>,
) -> Vec<(&'m Mention, Option<String>)> {
    let check = asked.check;
    let speaks_of_this_tree = speaks_of_this_tree(mentions, fates);
    let is_near_enough = |mention: &Mention, now: &str| {
        speaks_of_this_tree || is_telling(look, check, mention) || is_near_enough(look, mention, now)
    };
    // A document for people who work on the project tells them to run scripts that exist.
    let is_for_them = |mention: &Mention, bare: &str| {
        (check == DriftCheck::Command || is_beside_its_like(look, bare))
            && is_for_developers(look.document, mention.line)
    };
    let is_in_map = in_map(look, mentions, fates);
    let beside = beside_its_file(look, mentions, fates);
    let renamed = renamed_directories(mentions, fates, &beside);
    let partial = partial(look, mentions, fates);
    let may_be_readers = may_be_readers(look, mentions, fates, asked);
    let found = mentions.iter().zip(fates).filter_map(|(mention, fate)| {
        let bare = mention.text.trim_end_matches('/');
        let left_out = asked_of(look, mention, fate, asked, &may_be_readers)?;
        let of_rename = || renamed.get(bare).map(|now| format!("{now}/"));
        let gives = |words: &[&str]| (asked.has_words)(mention, words);
        let if_it_was = || {
            let now = of_rename();
            (now.is_some() || look.was_there(bare, mention.line)).then_some((mention, now))
        };
        match fate {
            Fate::Moved(now) => Some((mention, Some(now.clone()))),
            Fate::Near(now) if is_near_enough(mention, now) && !gives(&PLAIN_EXAMPLES) => {
                Some((mention, Some(now.clone())))
            }
            Fate::Lost if is_near_enough(mention, "") && !gives(&PLAIN_EXAMPLES) => Some((mention, None)),
            // A package may be without it.
            Fate::Gone | Fate::Unknown
                if left_out == LeftOut::Perhaps && !partial.contains_key(&mention.text) =>
            {
                if_it_was()
            }
            Fate::Gone
                if (speaks_of_this_tree && !is_shown(look, bare)
                    || is_for_them(mention, bare)
                    || (asked.is_ours)(mention)
                    || has_own_directory(look, &mention.text))
                    && !(gives(&EXAMPLES) || is_generated(look.document.line(mention.line))) =>
            {
                Some((mention, of_rename()))
            }
            Fate::Unknown
                if is_in_map(mention)
                    || check == DriftCheck::Command && is_script_of_here(look, mention)
                    || (asked.is_ours)(mention) && !look.tree.is_made(bare) =>
            {
                Some((mention, of_rename()))
            }
            Fate::Unknown if partial.contains_key(&mention.text) => {
                Some((mention, partial.get(&mention.text).cloned().flatten()))
            }
            Fate::Gone | Fate::Unknown | Fate::Near(_) | Fate::Lost => if_it_was(),
            // Another one of its name is not what was here.
            Fate::There if look.tree.ends(bare).next().is_none() => None,
            Fate::There => look.was_whole(bare).then_some((mention, None)),
        }
    });
    found.collect()
}

/// Whether a path is one of a directory that is there and has others of its kind, and has a name of several words, as nobody gives to an
/// example.
fn is_beside_its_like(look: &Look<'_>, path: &str) -> bool {
    let Some((dir, name)) = path.trim_start_matches("./").rsplit_once('/') else { return false };
    let is_like = |other: &&&str| ending(other) == ending(name);
    let is_of_words = name.contains('.') && stem(name).trim_matches('_').contains(['-', '_']);
    is_of_words && look.tree.children(dir).iter().filter(is_like).count() > 1
}

/// Whether a document for people who work on the project names something of which another one has nearly the name; or a README a directory
/// that has another letter: `benchmark/`, where there is `benchmarks/` now.
fn is_near_enough(look: &Look<'_>, mention: &Mention, now: &str) -> bool {
    let bare = mention.text.trim_end_matches('/');
    let is_directory = look.document.is_readme() && mention.text.ends_with('/') && !is_usual(bare);
    is_for_developers(look.document, mention.line) || is_directory && is_misspelt(bare, now)
}

/// Whether scripts at the root are called nearly so: `runtest-cluster` beside `runtest`.
pub(crate) fn has_siblings(tree: &Tree, script: &str) -> bool {
    let is_longer = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.starts_with(['-', '_']) && !rest.contains('.'))
    };
    let is_sibling = |other: &&str| {
        tree.is_file(other) && script.len() > 3 && (is_longer(other, script) || is_longer(script, other))
    };
    !script.contains(['/', '.']) && tree.children("").iter().any(is_sibling)
}

/// Whether a directory at the root stands in a map: a list of directories, one a line, in a document for people who work on the
/// project, of which nearly all exist.
fn in_map<'l>(look: &'l Look<'_>, mentions: &[Mention], fates: &[Fate]) -> impl Fn(&Mention) -> bool + 'l {
    let is_listed = |mention: &Mention| {
        let line = look.document.line(mention.line).trim_start();
        let name = mention.text.trim_end_matches('/');
        let first = line.trim_start_matches(['-', '*', '|', ' ', '`']).trim_start_matches("./");
        mention.text.ends_with('/')
            && !name.contains('/')
            && line.starts_with(['-', '*', '|'])
            && first.starts_with(&mention.text)
    };
    let of = |wanted: bool| {
        let listed = mentions.iter().zip(fates).filter(|(mention, _)| is_listed(mention));
        let of = listed.filter(|(_, fate)| (**fate == Fate::There) == wanted);
        of.map(|(mention, _)| mention.text.as_str()).collect::<BTreeSet<_>>().len()
    };
    let (there, gone) = (of(true), of(false));
    let is_map =
        there >= LISTED_MIN && there >= gone * LISTED_MIN && is_file_for_developers(look.document.path);
    move |mention| is_map && is_listed(mention)
}

/// The old and the new names of directories that were renamed, by the paths below them: the directory's own name in the text is wrong as
/// well.
fn renamed_directories<'m>(
    mentions: &'m [Mention],
    fates: &'m [Fate],
    beside: &'m BTreeMap<String, String>,
) -> BTreeMap<&'m str, &'m str> {
    let of = |(mention, fate): (&'m Mention, &'m Fate)| match fate {
        Fate::Moved(now) => renamed_directory(&mention.text, now),
        _ => None,
    };
    let beside = beside.iter().map(|(was, now)| (was.as_str(), now.as_str()));
    mentions.iter().zip(fates).filter_map(of).chain(beside).collect()
}

/// The same for the directory that a line names with a file in it: "`setup.sh` (in `extra/shell`)".
fn beside_its_file(look: &Look<'_>, mentions: &[Mention], fates: &[Fate]) -> BTreeMap<String, String> {
    let is_missing = |fate: &Fate| matches!(fate, Fate::Gone | Fate::Unknown);
    let missing = mentions.iter().zip(fates).filter(|(_, fate)| is_missing(fate)).map(|(mention, _)| mention);
    let went = |mention: &Mention| {
        let bare = mention.text.trim_start_matches("./").trim_end_matches('/');
        let spans = &look.document.spans;
        let from = spans.partition_point(|span| span.line < mention.line);
        let of_line = spans[from..].iter().take_while(|span| span.line == mention.line);
        let mut names = of_line.map(|span| span.text.as_str());
        let is_file = |name: &&str| name.contains('.') && !name.contains('/') && !COMMON.contains(name);
        let name = names.find(is_file).filter(|_| !bare.contains('.'))?;
        let mut ends = look.tree.ends(name);
        let (dir, _) = ends.next().filter(|_| ends.next().is_none())?.rsplit_once('/')?;
        // Beside where it was, or below another directory under its name.
        let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        let (was, now) = (parts(bare), parts(dir));
        let differ = was.iter().zip(&now).filter(|(was, now)| was != now).count();
        (was.len() == now.len() && differ == 1 && was.len() > 1).then(|| (bare.to_owned(), dir.to_owned()))
    };
    missing.filter_map(went).collect()
}

/// What two paths begin with when their equal ends are left out: the old and the new name of a directory.
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

/// Whether a line is written for people who work on this project, so that every name in it must be one of this project.
pub(crate) fn is_for_developers(document: &Reading<'_>, line: usize) -> bool {
    is_said_to_developers(document, line, is_of_guides(document.path))
}

/// The same; of what is written for readers the headings on building and testing are for them as well.
pub(crate) fn is_said_to_developers(document: &Reading<'_>, line: usize, is_for_readers: bool) -> bool {
    /// How the heading of such a line begins, and how one further up does.
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
    const ABOVE: [&str; 3] = ["contribut", "development", "hacking"];
    let begins = |heading: &str, words: &[&str]| {
        let heading = heading.to_lowercase();
        words.iter().any(|word| heading.starts_with(word))
    };
    let above = document.headings_above(line);
    // A guide tells readers how to build and test their own.
    let own = if is_for_readers { &HEADINGS[..3] } else { &HEADINGS[..] };
    is_file_for_developers(document.path)
        || above.first().is_some_and(|heading| begins(heading, own))
        || above.iter().skip(1).any(|heading| begins(heading, &ABOVE))
}

/// Whether a document is one of a directory of guides for readers.
fn is_of_guides(path: &str) -> bool {
    const GUIDES: [&str; 4] = ["guide", "guides", "tutorial", "tutorials"];
    path.split('/').any(|dir| GUIDES.iter().any(|word| dir.eq_ignore_ascii_case(word)))
}

/// Whether a document is for people who work on the project.
fn is_file_for_developers(path: &str) -> bool {
    const FILES: [&str; 8] =
        ["contribut", "develop", "agents", "claude", "architecture", "hacking", "testing", "building"];
    let lower = path.to_lowercase();
    // `docs/guide/contributors/setup.md`
    let is_theirs = |dir: &str| dir.starts_with("contribut") || dir == ".agents" || dir == ".cursor";
    if lower.rsplit('/').skip(1).any(is_theirs) {
        return true;
    }
    // A guide to testing is for those who use it.
    FILES.iter().any(|word| name_of(&lower).starts_with(word)) && !is_of_guides(path)
        || ["memory-bank/", ".claude/", ".github/"].iter().any(|dir| lower.contains(dir))
}
