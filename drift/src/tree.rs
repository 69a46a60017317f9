//! The files of a repository, and questions about them: does this path exist, as it is written or as the end of a longer one.

use crate::ReadFile;
use crate::checks::CodeVariables;
use crate::document::inclusions;
use crate::evidence::is_usual;
use crate::package::Package;
use crate::past::Gone;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::OnceLock;

/// Directories that a program makes and a repository does not have.
const MADE: [&str; 12] = [
    "target",
    "node_modules",
    ".git",
    "coverage",
    "__pycache__",
    ".venv",
    "venv",
    "tmp",
    ".tox",
    ".cache",
    "htmlcov",
    ".next",
];
/// Directories that a build makes in some repositories and that hold its scripts in others: where there is a `.gitignore`, it decides.
const MADE_OR_OWN: [&str; 7] = ["dist", "build", "out", "env", "site", "_build", "obj"];

/// The files of a repository.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    files: BTreeSet<String>,
    directories: BTreeSet<String>,
    /// The paths by their last part.
    named: BTreeMap<String, Vec<String>>,
    ignored: Ignored,
    complete: bool,
    /// What the code says of variables, once it was asked for.
    pub(crate) variables: OnceLock<Option<CodeVariables>>,
    /// The versions of this repository's packages, and those that its lock files have, once they were asked for.
    pub(crate) own_versions: OnceLock<BTreeMap<String, String>>,
    pub(crate) locked_versions: OnceLock<BTreeMap<String, Vec<String>>>,
    /// The documents that include another one, by its path, once they were asked for.
    includers: OnceLock<BTreeMap<String, Vec<String>>>,
    /// What is gone since earlier commits, once it was asked for.
    pub(crate) gone: OnceLock<Gone>,
    /// What the code said of variables before, by name with the ages, once it was asked for.
    pub(crate) earlier_variables: OnceLock<BTreeMap<String, BTreeSet<usize>>>,
    /// `owner/name` of this repository and the directory in it that the root is, once they were asked for.
    pub(crate) repository: OnceLock<Option<(String, String)>>,
    /// What is known of the package in the root, once it was asked for; nothing where that is a repository.
    pub(crate) package: OnceLock<Option<Package>>,
}

/// What version control is told to ignore, by the directory of each `.gitignore`; and other repositories inside of this one.
#[derive(Debug, Clone, Default)]
pub struct Ignored {
    by_directory: BTreeMap<String, Gitignore>,
    other_repositories: BTreeSet<String>,
}

impl Ignored {
    /// From the text of the `.gitignore` at the root.
    #[must_use]
    pub fn of(gitignore: &str) -> Ignored {
        let mut ignored = Ignored::default();
        ignored.add("", gitignore);
        ignored
    }

    /// Adds the text of the `.gitignore` in this directory. At the root a line that says only "anything" is left out: it would hide
    /// everything.
    pub fn add(&mut self, dir: &str, gitignore: &str) {
        let mut builder = GitignoreBuilder::new(dir);
        let says_something = |line: &&str| !dir.is_empty() || line.contains(char::is_alphanumeric);
        for line in gitignore.lines().filter(says_something) {
            // A line that is no pattern ignores nothing, as for git.
            let _ = builder.add_line(None, line);
        }
        if let Some(built) = builder.build().ok().filter(|built| !built.is_empty()) {
            self.by_directory.insert(dir.to_owned(), built);
        }
    }

    /// Adds the submodules of a `.gitmodules`: they may be there or not, and their files are another repository's.
    pub fn add_submodules(&mut self, gitmodules: &str) {
        let keys = gitmodules.lines().filter_map(|line| line.split_once('='));
        let paths = keys.filter(|(key, _)| key.trim() == "path");
        self.other_repositories.extend(paths.map(|(_, path)| path.trim().trim_matches('/').to_owned()));
    }

    /// Adds a directory that is a repository of its own.
    pub fn add_repository(&mut self, dir: &str) {
        self.other_repositories.insert(dir.to_owned());
    }

    /// Whether this path, which may be a directory's, or a directory above it is ignored or another repository's.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.outermost(path).is_some()
    }

    /// The outermost part of this path that is ignored or another repository's.
    fn outermost<'p>(&self, path: &'p str) -> Option<&'p str> {
        if self.by_directory.is_empty() && self.other_repositories.is_empty() {
            return None;
        }
        let mut parts = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
        parts.find(|part| self.other_repositories.contains(*part) || self.has_itself(part))
    }

    fn says_something_at_the_root(&self) -> bool {
        self.by_directory.contains_key("")
    }

    /// Decided by the last fitting line of the nearest `.gitignore` that has one.
    fn has_itself(&self, path: &str) -> bool {
        let mut dir = path;
        loop {
            dir = dir.rsplit_once('/').map_or("", |(above, _)| above);
            match self.by_directory.get(dir).map(|of| of.matched(path, true)) {
                Some(found) if !found.is_none() => return found.is_ignore(),
                _ if dir.is_empty() => return false,
                _ => {}
            }
        }
    }
}

impl Tree {
    /// A tree of these files: paths relative to the root, with `/`. `complete`: whether they are all files except those that
    /// version control ignores; if not, no path counts as missing.
    pub fn new<I, S>(files: I, complete: bool) -> Tree
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        let files: BTreeSet<String> = files.into_iter().map(Into::into).collect();
        let mut directories = BTreeSet::new();
        let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in &files {
            let mut dir = path.as_str();
            while let Some((above, _)) = dir.rsplit_once('/') {
                if !directories.insert(above.to_owned()) {
                    break;
                }
                dir = above;
            }
        }
        for path in files.iter().chain(&directories) {
            named.entry(name_of(path).to_owned()).or_default().push(path.clone());
        }
        Tree { files, directories, named, complete, ..Tree::default() }
    }

    /// The same, knowing what version control is told to ignore: that may have been there.
    #[must_use]
    pub fn ignoring(mut self, ignored: Ignored) -> Tree {
        self.ignored = ignored;
        self
    }

    /// Whether a path that is not among the files does not exist.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Whether this path exists, from the root.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty() || self.files.contains(path) || self.directories.contains(path)
    }

    /// Whether this is a directory.
    #[must_use]
    pub fn is_directory(&self, path: &str) -> bool {
        path.is_empty() || self.directories.contains(path)
    }

    /// Whether this is a file.
    #[must_use]
    pub fn is_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// The paths that are this one or end with it.
    pub(crate) fn ends<'t>(&'t self, path: &'t str) -> impl Iterator<Item = &'t str> {
        let of_name = self.named.get(name_of(path)).into_iter().flatten();
        of_name.map(String::as_str).filter(move |known| {
            known.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    }

    /// Whether this is a file without its ending, as code imports one and a site names a page.
    pub(crate) fn has_without_ending(&self, path: &str) -> bool {
        !name_of(path).contains('.') && self.below(&format!("{path}.")).any(|ending| !ending.contains('/'))
    }

    /// The same for the end of a longer path: `rules/words` for `lib/rules/words.rb`.
    pub(crate) fn has_end_without_ending(&self, path: &str) -> bool {
        let name = format!("{}.", name_of(path));
        if !path.contains('/') || name_of(path).contains('.') {
            return false;
        }
        let of_name = self.named.range(name.clone()..).take_while(|(known, _)| known.starts_with(&name));
        let of_name = of_name.flat_map(|(_, paths)| paths);
        // `guide/src/types.md` is no file of code that is called `src/types`.
        let of_name = of_name.filter(|known| !is_usual(path) || !known.ends_with(".md"));
        let mut stems = of_name.filter_map(|known| known.rsplit_once('.'));
        stems.any(|(stem, _)| stem.strip_suffix(path).is_some_and(|before| before.ends_with('/')))
    }

    /// The file that a document includes, as it writes it: from its directory or one above it, else the only one that ends so.
    pub(crate) fn included(&self, document: &str, file: &str) -> Option<String> {
        let mut dir = document;
        while let Some((above, _)) = dir.rsplit_once('/') {
            dir = above;
            if let Some(path) = joined(dir, file).filter(|path| self.is_file(path)) {
                return Some(path);
            }
        }
        let mut ends = self.ends(file.trim_start_matches(['.', '/']));
        let only = ends.next().filter(|_| ends.next().is_none()).map(str::to_owned);
        Some(file.to_owned()).filter(|file| self.is_file(file)).or(only)
    }

    /// The documents that include this one.
    pub(crate) fn includers(&self, read: ReadFile<'_>, path: &str) -> &[String] {
        let by_path = self.includers.get_or_init(|| {
            let mut by_path: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for document in self.files().filter(|path| path.ends_with(".md")) {
                let text = read(document).unwrap_or_default();
                for file in inclusions(&text).iter().filter_map(|file| self.included(document, file)) {
                    by_path.entry(file).or_default().push(document.to_owned());
                }
            }
            by_path
        });
        by_path.get(path).map_or(&[], Vec::as_slice)
    }

    /// The names in a directory.
    pub(crate) fn children(&self, dir: &str) -> BTreeSet<&str> {
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let mut names = BTreeSet::new();
        let mut rest = self.from(&prefix, &prefix);
        while let Some(path) = rest.next() {
            let name = path.split('/').next().unwrap_or_default();
            names.insert(name);
            if name.len() < path.len() {
                // Over all that is below the same directory: `0` comes next to `/`.
                rest = self.from(&format!("{prefix}{name}0"), &prefix);
            }
        }
        names
    }

    /// The rest of each file's path that begins with this.
    pub(crate) fn below<'t>(&'t self, prefix: &str) -> impl Iterator<Item = &'t str> + use<'t> {
        self.from(prefix, prefix)
    }

    /// The same from this path on.
    fn from<'t>(&'t self, first: &str, prefix: &str) -> impl Iterator<Item = &'t str> + use<'t> {
        let from = self.files.range::<str, _>((Bound::Included(first), Bound::Unbounded));
        let with = from.take_while({
            let prefix = prefix.to_owned();
            move |path| path.starts_with(&prefix)
        });
        let length = prefix.len();
        with.map(move |path| &path[length..])
    }

    /// The outermost part of a path that is ignored by version control, or another repository's.
    pub(crate) fn ignored_part<'p>(&self, path: &'p str) -> Option<&'p str> {
        self.ignored.outermost(path)
    }

    /// Whether a path is ignored by version control, or another repository's.
    pub(crate) fn is_ignored(&self, path: &str) -> bool {
        self.ignored.has(path)
    }

    /// Whether a path is made by a build or ignored by version control.
    pub(crate) fn is_made(&self, path: &str) -> bool {
        let may_be_own = self.ignored.says_something_at_the_root();
        let is_made = |part: &str| {
            let made = MADE.contains(&part) || !may_be_own && MADE_OR_OWN.contains(&part);
            made && !self.named.contains_key(part)
        };
        // What is ignored, and what `made/**` ignores all of.
        path.split('/').any(is_made) || !self.has(path) && self.ignored.has(&format!("{path}/_"))
    }
}

/// A directory and those above it, the root last.
pub(crate) fn dirs_above(dir: &str) -> impl Iterator<Item = &str> {
    let above = dir.rmatch_indices('/').map(move |(at, _)| &dir[..at]);
    [dir].into_iter().chain(above).chain((!dir.is_empty()).then_some(""))
}

/// The last part of a path.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path from this directory, without `.` and `..`; `None` if it leads out of the tree.
pub(crate) fn joined(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> =
        if path.starts_with('/') { Vec::new() } else { dir.split('/').filter(|p| !p.is_empty()).collect() };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The path of a file as a link from a directory has it.
pub(crate) fn link_to(dir: &str, path: &str) -> String {
    let mut above = dir;
    let mut up = String::new();
    loop {
        let rest = if above.is_empty() {
            Some(path)
        } else {
            path.strip_prefix(above).and_then(|p| p.strip_prefix('/'))
        };
        if let Some(rest) = rest {
            return format!("{up}{rest}");
        }
        up.push_str("../");
        above = above.rsplit_once('/').map_or("", |(above, _)| above);
    }
}
