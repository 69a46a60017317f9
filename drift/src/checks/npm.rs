//! Scripts of package.json: `npm run build`, `yarn lint`, `pnpm test:unit`.

use super::{NEAR_MAX, Named, first_in, has_one_of, is_plain, undefined};
use crate::document::{Mention, slug};
use crate::evidence::{is_for_developers, is_guide, is_misspelt};
use crate::site::is_for_users;
use crate::tree::{dirs_above, joined};
use crate::typed::{Typed, entered, typed};
use crate::{DriftCheck, DriftFinding, Look};
use std::collections::{BTreeMap, BTreeSet};

/// Commands that npm has itself, which run a script of that name.
const OWN: [&str; 2] = ["test", "start"];
/// Scripts that yarn, pnpm and bun run by their bare name; another bare word may be a command of theirs or of a dependency.
const USUAL: [&str; 25] = [
    "debug",
    "dev",
    "build",
    "start",
    "test",
    "lint",
    "format",
    "fmt",
    "fix",
    "check",
    "typecheck",
    "type-check",
    "watch",
    "clean",
    "serve",
    "preview",
    "docs",
    "coverage",
    "e2e",
    "generate",
    "release",
    "storybook",
    "bench",
    "compile",
    "codegen",
];

/// How a script is called.
struct Call<'l> {
    line: usize,
    program: &'static str,
    script: &'l str,
    /// `yarn build`, not `yarn run build`.
    bare: bool,
}

impl Call<'_> {
    fn says(&self, script: &str) -> String {
        let own = self.program == "npm" && OWN.contains(&script);
        if self.bare || own {
            format!("{} {script}", self.program)
        } else {
            format!("{} run {script}", self.program)
        }
    }
}

pub(crate) fn find(look: &Look<'_>) -> Vec<DriftFinding> {
    let by_directory = calls(look).into_iter();
    by_directory.flat_map(|(within, calls)| of_directory(look, within.as_deref(), calls)).collect()
}

/// What is wrong of the scripts that are run in a directory, or in that of the document.
fn of_directory(look: &Look<'_>, within: Option<&str>, calls: Vec<Call<'_>>) -> Vec<DriftFinding> {
    let Some(package) = within.map_or_else(|| Package::of(look), |dir| Package::within(look, dir)) else {
        return Vec::new();
    };
    let is_defined = |name: &str| package.scripts.contains(name);
    let manifests = match within {
        Some(dir) => dirs_above(dir).filter_map(|dir| joined(dir, "package.json")).collect(),
        None => look.beside_and_above(&["package.json"]),
    };
    let was_defined = |says: &str, name: &str| {
        look.once_had(&|path| manifests.contains(path), says, &|text| has_script(text, name))
    };
    let near = near_names(&calls, &package.scripts);
    let near = |name: &str| near.get(name).copied().flatten();
    // A bare word that is no script is a command of the program or of a dependency, unless it looks like a script.
    let is_script = |call: &Call<'_>| {
        // Who works on the project is told its scripts, and a name of several words is hardly a program's.
        let is_of_words = || {
            call.script.contains('-') && call.program == "yarn" && is_for_developers(look.document, call.line)
        };
        let looks_like_one = || call.script.contains(':') || USUAL.contains(&call.script) || is_of_words();
        !call.bare
            || is_defined(call.script)
            || looks_like_one() && !package.dependencies.contains(call.script)
            || was_defined(&call.says(call.script), call.script)
    };
    let calls: Vec<Call<'_>> = calls.into_iter().filter(is_script).collect();
    // A README that names one script may speak of the scripts of its reader.
    let named = |call: &Call<'_>| Named { line: call.line, name: call.script.to_owned(), sure: false };
    let named: Vec<Named> = calls.iter().map(named).collect();
    let ours: BTreeSet<(usize, &str)> = undefined(look, &named, &is_defined, &|_| false)
        .into_iter()
        // A reader starts a program of their own.
        .filter(|named| {
            let says_whose = || has_one_of(look.document.line(named.line), &["your "]);
            named.name != "start" || is_for_developers(look.document, named.line) && !says_whose()
        })
        .map(|named| (named.line, named.name.as_str()))
        .collect();
    let is_known_before = |call: &Call<'_>| was_defined(&call.says(call.script), call.script);
    let is_ours = |call: &Call<'_>| {
        package.is_of_the_document || near(call.script).is_some() || ours.contains(&(call.line, call.script))
    };
    // Those who read a page of a site have a package.json of their own. `npm run kit` is a script of those who use `kit`.
    let own_name = crate::repository::own(look).and_then(|own| own.rsplit('/').next());
    let is_elsewhere = |call: &Call<'_>| {
        own_name == Some(call.script)
            || is_for_users(look, call.line)
            || within.is_none() && is_of_another_package(look, call)
    };
    let is_gone = |call: &&Call<'_>| {
        !is_defined(call.script) && (is_ours(call) && !is_elsewhere(call) || is_known_before(call))
    };
    let gone = calls.iter().filter(is_gone);
    let found = gone.map(|call| DriftFinding {
        line: call.line,
        check: DriftCheck::Npm,
        says: call.says(call.script),
        why: "package.json has no such script".to_owned(),
        now: near(call.script).map(|known| call.says(known)),
    });
    found.collect()
}

/// The scripts that are called nearly as those that are named and missing, the first `NEAR_MAX` of these.
fn near_names<'n>(
    calls: &[Call<'n>],
    scripts: &'n BTreeSet<String>,
) -> BTreeMap<&'n str, Option<&'n String>> {
    let mut near = BTreeMap::new();
    for name in calls.iter().map(|call| call.script).filter(|name| !scripts.contains(*name)) {
        if near.len() == NEAR_MAX {
            break;
        }
        near.entry(name).or_insert_with(|| scripts.iter().find(|known| is_misspelt(known, name)));
    }
    near
}

/// Whether a document is the README of a directory of sources: not at the root, of no package of its own, and of no example or guide.
fn is_of_a_part(look: &Look<'_>) -> bool {
    const FOR_READERS: [&str; 8] =
        ["example", "template", "demo", "starter", "sample", "playground", "tutorial", "recipe"];
    let dir = look.document.dir().to_lowercase();
    let is_for_readers = is_guide(&dir) || FOR_READERS.iter().any(|word| dir.contains(word));
    look.document.is_readme()
        && !dir.is_empty()
        && !is_for_readers
        && !look.tree.is_file(&format!("{}/package.json", look.document.dir()))
}

/// The package.json of a directory.
fn manifest(look: &Look<'_>, dir: &str) -> Option<serde_json::Value> {
    serde_json::from_str(&first_in(look, dir, &["package.json"])?).ok()
}

/// Whether a package.json has a script.
fn has_script(manifest: &str, name: &str) -> bool {
    let read: Option<serde_json::Value> = serde_json::from_str(manifest).ok();
    read.is_some_and(|package| package.get("scripts").is_some_and(|scripts| scripts.get(name).is_some()))
}

/// Whether the script is one of another package of this repository, of which the document or a heading above speaks: "`pnpm build`
/// from `apps/web`".
fn is_of_another_package(look: &Look<'_>, call: &Call<'_>) -> bool {
    let document = look.document;
    let scripts_of = |name: &str| -> Vec<String> {
        let packages = look.tree.ends(name).filter_map(|dir| manifest(look, dir));
        let scripts = packages.filter_map(|package| package.get("scripts")?.as_object().cloned());
        scripts.flat_map(|scripts| scripts.into_iter().map(|(script, _)| script)).collect()
    };
    let bare = |span: &Mention| span.text.trim_matches(['.', '/']).to_owned();
    let of_document = look.asides.scripts.get_or_init(|| {
        let named = document.spans.iter().filter(|span| span.text.contains('/')).map(bare);
        // What was entered in another block may be where one still is.
        let named: BTreeSet<String> = named.filter(|name| !name.is_empty()).chain(entered(look)).collect();
        named.iter().flat_map(|name| scripts_of(name)).collect()
    });
    let from = document.spans.partition_point(|span| span.line < call.line);
    let of_line = document.spans[from..].iter().take_while(|span| span.line == call.line).map(bare);
    let titles = document.headings_above(call.line).into_iter().map(slug);
    // "Run `yarn start` in the website directory."
    let words =
        document.line(call.line).split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/')));
    let mut spoken_of = of_line.chain(titles).chain(words.map(str::to_owned)).filter(|name| !name.is_empty());
    // Each package has a `build`, and the one at the root is meant.
    let of_entered =
        || entered(look).iter().any(|dir| scripts_of(dir).iter().any(|name| name == call.script));
    of_document.contains(call.script) && !USUAL.contains(&call.script)
        || of_entered()
        || spoken_of.any(|name| scripts_of(&name).iter().any(|script| script == call.script))
}

/// The scripts that a document tells to run, by the directory that is entered before.
fn calls<'l>(look: &'l Look<'_>) -> BTreeMap<Option<String>, Vec<Call<'l>>> {
    let mut calls: BTreeMap<Option<String>, Vec<Call<'l>>> = BTreeMap::new();
    for program in ["npm", "pnpm", "yarn", "bun"] {
        for Typed { line, words, within, .. } in typed(look, program) {
            let (script, bare) = match words.as_slice() {
                [_, "run" | "run-script", script, ..] => (*script, false),
                [_, script, ..] if program == "npm" && OWN.contains(script) => (*script, false),
                // bun has a `test` and a `build` itself.
                [_, "test" | "build", ..] if program == "bun" => continue,
                [_, script, ..] if program != "npm" => (*script, true),
                _ => continue,
            };
            let is_other = |word: &&str| {
                ["--prefix", "--workspace", "--filter", "--dir", "--cwd"]
                    .iter()
                    .any(|flag| word.starts_with(flag))
                    || matches!(*word, "-w" | "-C" | "-F")
            };
            if is_plain(script) && !words.iter().any(is_other) {
                calls.entry(within).or_default().push(Call { line, program, script, bare });
            }
        }
    }
    calls
}

/// What the package.json nearest to a document, and those above it, say.
#[derive(Default)]
struct Package {
    scripts: BTreeSet<String>,
    /// The packages it depends on, and the last parts of their names: what they bring along is often called so.
    dependencies: BTreeSet<String>,
    /// The document stands beside a package that nobody installs: what it tells to run is that package's.
    is_of_the_document: bool,
}

impl Package {
    /// `None` where no package.json has scripts.
    fn of(look: &Look<'_>) -> Option<Package> {
        let mut package = Package::default();
        for dir in look.document.dirs() {
            let Some(read) = manifest(look, dir) else { continue };
            if dir == look.document.dir() {
                let is_for_itself = read.get("private").is_some_and(|private| private == true)
                    || !dir.is_empty() && read.get("version").is_none_or(|version| version == "0.0.0");
                let has_others = read.get("workspaces").is_some() || look.tree.has("pnpm-workspace.yaml");
                let is_its_own = !dir.is_empty() || !has_others;
                package.is_of_the_document = is_for_itself && is_its_own && look.document.is_readme();
            }
            // What every package has is one's own in a README; another script may be one of the package further up.
            let is_above = look.document.is_readme() && !package.scripts.is_empty();
            package.add(&read, &|name| !is_above || !USUAL.contains(&name));
        }
        // A README of a part of the package is for people who work on it.
        package.is_of_the_document |= is_of_a_part(look);
        (!package.scripts.is_empty()).then_some(package)
    }

    /// That of a directory which is entered: of the nearest package.json, which runs its scripts and no others.
    fn within(look: &Look<'_>, dir: &str) -> Option<Package> {
        let read = dirs_above(dir).find_map(|dir| manifest(look, dir))?;
        let mut package = Package::default();
        package.add(&read, &|_| true);
        (!package.scripts.is_empty()).then_some(package)
    }

    fn add(&mut self, manifest: &serde_json::Value, is_meant: &dyn Fn(&str) -> bool) {
        let keys = |of: &str| -> Vec<String> {
            let of = manifest.get(of).and_then(|of| of.as_object());
            of.into_iter().flat_map(|of| of.keys().cloned()).collect()
        };
        self.scripts.extend(keys("scripts").into_iter().filter(|name| is_meant(name)));
        for of in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
            for name in keys(of) {
                self.dependencies.extend(name.rsplit('/').next().map(str::to_owned));
                self.dependencies.insert(name);
            }
        }
    }
}
