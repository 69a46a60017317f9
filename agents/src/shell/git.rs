//! Which files commands of git change, and which names of files they print.

use super::How;
use super::chosen::{ByGit, Chosen};
use super::options::{Arguments, Options};
use super::searches::{self, Names};

/// Files that a command of git changes.
#[derive(Debug)]
pub(super) struct GitChange {
    /// A path, or a pattern.
    pub(super) word: String,
    pub(super) how: How,
    pub(super) chosen: Chosen,
}

/// A command of git behind git's own options.
#[derive(Debug, Default)]
pub(super) struct GitCommand<'a> {
    /// The directory that `-C` or `--work-tree` names.
    pub(super) dir: Option<&'a str>,
    pub(super) verb: &'a str,
    pub(super) args: &'a [String],
}

/// Reads git's own options.
pub(super) fn command(args: &[String]) -> GitCommand<'_> {
    let mut found = GitCommand::default();
    let mut rest = args;
    while let [flag, tail @ ..] = rest {
        let value = tail.first().map(String::as_str);
        match flag.as_str() {
            "-C" | "--work-tree" => found.dir = value,
            "-c" | "--git-dir" | "--namespace" | "--exec-path" | "--config-env" => {}
            _ if flag.starts_with("--work-tree=") => {
                found.dir = flag.strip_prefix("--work-tree=");
                rest = tail;
                continue;
            }
            _ if flag.starts_with('-') => {
                rest = tail;
                continue;
            }
            verb => {
                found.verb = verb;
                found.args = tail;
                break;
            }
        }
        rest = tail.get(1..).unwrap_or_default();
    }
    found
}

/// Every file of the repository that has changes which are not committed.
fn whole(git: ByGit) -> Vec<GitChange> {
    vec![GitChange { word: "./*".to_owned(), how: How::Below, chosen: Chosen { git, ..Chosen::default() } }]
}

const UNCOMMITTED: ByGit = ByGit::Uncommitted { everywhere: true };
const OPTIONS: Options = Options {
    letters: "bBsmeUt",
    long: &["source", "message", "orphan", "exclude", "conflict", "pathspec-from-file"],
};

/// The same for `git checkout`, whose `-m` is no message.
const CHECKOUT: Options = Options { letters: "bBU", ..OPTIONS };

/// The files that a command changes.
pub(super) fn changes(command: &GitCommand<'_>) -> Vec<GitChange> {
    let options = if command.verb == "checkout" { CHECKOUT } else { OPTIONS };
    let mut said = options.all(command.args);
    // What stands before `--` is no path: `git checkout HEAD -- ':!src'`.
    let behind = command.args.iter().position(|arg| arg == "--").map(|at| &command.args[at + 1..]);
    if let Some(behind) = behind.filter(|_| matches!(command.verb, "checkout" | "restore")) {
        said.files = behind.to_vec();
    }
    let has = |options: &[&str]| said.has(options);
    match command.verb {
        "checkout" | "switch" if has(&["-f", "--force", "--discard-changes"]) => whole(UNCOMMITTED),
        "checkout" if has(&["-b", "-B", "--orphan"]) => Vec::new(),
        "checkout" => specs(&said.files, ByGit::Uncommitted { everywhere: false }, How::Here),
        "restore" if has(&["-S", "--staged"]) && !has(&["-W", "--worktree"]) => Vec::new(),
        "restore" => specs(&said.files, ByGit::Uncommitted { everywhere: false }, How::Here),
        "reset" if has(&["--hard", "--merge"]) => whole(UNCOMMITTED),
        "read-tree" if has(&["--reset"]) && has(&["-u"]) => whole(UNCOMMITTED),
        "checkout-index" if has(&["-a", "--all"]) && has(&["-f", "--force"]) => whole(UNCOMMITTED),
        "checkout-index" if has(&["-f", "--force"]) => specs(&said.files, ByGit::Any, How::Here),
        "merge-file" if !has(&["-p", "--stdout"]) => {
            specs(said.files.get(..1).unwrap_or_default(), ByGit::Any, How::Here)
        }
        "rm" if has(&["--cached", "-n", "--dry-run"]) => Vec::new(),
        "rm" => specs(&said.files, ByGit::Any, How::Gone),
        "mv" => {
            let change =
                |word: &String| GitChange { word: word.clone(), how: How::Here, chosen: Chosen::default() };
            said.files.iter().map(change).collect()
        }
        "worktree" if said.files.first().is_some_and(|verb| verb == "remove") && has(&["-f", "--force"]) => {
            specs(said.files.get(1..).unwrap_or_default(), ByGit::Any, How::Gone)
        }
        "cliff" => {
            let prepended = Options { letters: "po", long: &["prepend", "output"] }.all(command.args);
            let files = prepended.values(&["--prepend", "--output", "-p", "-o"]);
            if files.is_empty() { Vec::new() } else { specs(&files, ByGit::Any, How::Here) }
        }
        "stash" => stashed(&said),
        "clean" => cleaned(command.args),
        _ => Vec::new(),
    }
}

/// Verbs of `git stash` that take nothing out of the files.
const OTHER_OF_STASH: [&str; 9] =
    ["list", "show", "pop", "apply", "drop", "clear", "branch", "create", "store"];

/// `git stash` takes changes out of the files.
fn stashed(said: &Arguments) -> Vec<GitChange> {
    let (verb, files) = match said.files.split_first() {
        Some((verb, files)) if matches!(verb.as_str(), "push" | "save") => (verb.as_str(), files),
        Some((verb, _)) if OTHER_OF_STASH.contains(&verb.as_str()) => return Vec::new(),
        // `git stash -- PATH`
        _ => ("push", said.files.as_slice()),
    };
    // `save` takes a message, and no path.
    let files = if verb == "save" { &[] } else { files };
    let all = said.has(&["-a", "--all"]);
    let mut found = if files.is_empty() {
        whole(UNCOMMITTED)
    } else {
        specs(files, ByGit::Uncommitted { everywhere: false }, How::Here)
    };
    if all || said.has(&["-u", "--include-untracked"]) {
        let untracked = ByGit::Untracked { ignored: all };
        found.extend(if files.is_empty() { whole(untracked) } else { specs(files, untracked, How::Here) });
    }
    found
}

const CLEAN: Options = Options { letters: "e", long: &["exclude"] };

/// `git clean -f` removes what git does not know.
fn cleaned(args: &[String]) -> Vec<GitChange> {
    let said = CLEAN.all(args);
    if !said.has(&["-f", "--force"]) || said.has(&["-n", "--dry-run"]) {
        return Vec::new();
    }
    let git = ByGit::Untracked { ignored: said.has(&["-x", "-X"]) };
    let mut found = if said.files.is_empty() { whole(git) } else { specs(&said.files, git, How::Here) };
    let except = said.values(&["-e", "--exclude"]);
    found.iter_mut().for_each(|change| change.chosen.except.extend(except.iter().cloned()));
    found
}

/// The files that paths of a command mean: `docs/`, `'*.md'`, `:!AGENTS.md`. For a file that is named, `git` does not matter.
fn specs(files: &[String], git: ByGit, how: How) -> Vec<GitChange> {
    let excluded = |word: &String| {
        let rest = word
            .strip_prefix(":!")
            .or_else(|| word.strip_prefix(":^"))
            .or_else(|| word.strip_prefix(":(exclude)"));
        rest.map(str::to_owned)
    };
    let except: Vec<String> = files.iter().filter_map(excluded).collect();
    let named: Vec<&String> = files.iter().filter(|word| excluded(word).is_none()).collect();
    // With nothing but what is left out, all the rest is meant.
    if named.is_empty() {
        let mut all = if except.is_empty() { Vec::new() } else { whole(git) };
        all.iter_mut().for_each(|change| change.chosen.except.clone_from(&except));
        return all;
    }
    named.into_iter().flat_map(|word| spec(word, git, how, &except)).collect()
}

fn spec(word: &str, git: ByGit, how: How, except: &[String]) -> Vec<GitChange> {
    let chosen = Chosen { git, ..Chosen::but(except.to_vec()) };
    let everywhere = |mut chosen: Chosen| {
        if chosen.git == (ByGit::Uncommitted { everywhere: false }) {
            chosen.git = UNCOMMITTED;
        }
        chosen
    };
    let top = word.strip_prefix(":/").or_else(|| word.strip_prefix(":(top)"));
    let word = top.unwrap_or(word).trim_start_matches(":(glob)");
    let whole = matches!(word, "" | "." | "./" | "*");
    let change = |word: String, how: How, chosen: Chosen| GitChange { word, how, chosen };
    if whole && how == How::Gone {
        return vec![change(".".to_owned(), how, chosen)];
    }
    if whole {
        return vec![change(
            "./*".to_owned(),
            How::Below,
            if top.is_some() { everywhere(chosen) } else { chosen },
        )];
    }
    if word.contains(['*', '?', '[']) {
        // A pattern of git reaches into directories.
        let (dir, name) = word.rsplit_once('/').unwrap_or((".", word));
        let dir = dir.split(['*', '?', '[']).next().unwrap_or_default().trim_end_matches('/');
        let dir = if dir.is_empty() { "." } else { dir };
        return vec![change(format!("{dir}/{}", name.trim_start_matches("**")), How::Below, chosen)];
    }
    let bare = word.trim_end_matches('/');
    let named = change(bare.to_owned(), how, Chosen::default());
    let last = bare.rsplit('/').next().unwrap_or_default();
    let may_be_directory = !last.contains('.') || matches!(last, "." | "..") || bare.len() < word.len();
    let is_directory = how != How::Gone && may_be_directory;
    let inside = is_directory.then(|| change(format!("{bare}/*"), How::Below, chosen));
    std::iter::once(named).chain(inside).collect()
}

const LISTING: Options =
    Options { letters: "eoOnABC", long: &["diff-filter", "format", "pretty", "exclude", "max-count"] };

/// The names that a command of git prints.
pub(super) fn names(args: &[String]) -> Option<Names> {
    let command = command(args);
    let options = if command.verb == "grep" { searches::GREP } else { LISTING };
    let said = options.all(command.args);
    let has = |options: &[&str]| said.has(options);
    let ends = command.args.iter().position(|arg| arg == "--");
    let behind = ends.map(|at| &command.args[at + 1..]);
    let uncommitted = ByGit::Uncommitted { everywhere: true };
    let (files, git, with) = match command.verb {
        "ls-files" if has(&["-m", "--modified"]) => (said.files.clone(), uncommitted, None),
        "ls-files" => (said.files.clone(), ByGit::Any, None),
        "grep" if !has(&["-h", "-L", "--no-filename"]) => {
            let by_option = said.value(&["-e"]).map(str::to_owned);
            let (pattern, files) = match (by_option, said.files.split_first()) {
                (None, Some((pattern, files))) => (pattern.clone(), files.to_vec()),
                (Some(pattern), _) => (pattern, said.files.clone()),
                (None, None) => return None,
            };
            (files, ByGit::Any, searches::said_in(&pattern).filter(|_| !has(&["-i"])))
        }
        // What differs from the last commit is not committed; from another one it may be anything.
        "diff" if has(&["--name-only", "--name-status"]) => {
            let revisions = said.files.len() - behind.map_or(0, <[String]>::len);
            let own = said.files.iter().take(revisions).all(|word| word == "HEAD");
            (behind.unwrap_or_default().to_vec(), if own { uncommitted } else { ByGit::Any }, None)
        }
        "status" if has(&["-s", "--short", "--porcelain"]) => (said.files.clone(), uncommitted, None),
        "show" | "log" | "diff-tree" if has(&["--name-only"]) => {
            (behind.unwrap_or_default().to_vec(), ByGit::Any, None)
        }
        _ => return None,
    };
    let specs = specs(&files, git, How::Below);
    let except = specs.first().map(|spec| spec.chosen.except.clone()).unwrap_or_default();
    let word = |change: GitChange| match change.how {
        How::Below if !change.word.contains("**/") => {
            let (dir, name) = change.word.rsplit_once('/').unwrap_or((".", &change.word));
            format!("{dir}/**/{name}")
        }
        _ => change.word,
    };
    let mut words: Vec<String> = specs.into_iter().map(word).collect();
    if files.is_empty() {
        words = searches::below(&[], &[]);
    }
    let mut found = searches::of_git(&words, except, git);
    found.chosen.with = with;
    Some(found)
}

/// The commands that a command of git runs: `rebase -x TEXT`, `bisect run CMD`, `submodule foreach CMD`.
pub(super) fn runs(command: &GitCommand<'_>) -> Vec<Vec<String>> {
    let args = command.args;
    let behind = |verb: &str| args.iter().position(|arg| arg == verb).map(|at| &args[at + 1..]);
    let begin = |words: &[String]| words.iter().skip_while(|word| word.starts_with('-')).cloned().collect();
    let found: Option<Vec<String>> = match command.verb {
        "rebase" => {
            behind("-x").or_else(|| behind("--exec")).map(|words| words.iter().take(1).cloned().collect())
        }
        "bisect" => behind("run").map(begin),
        "submodule" => behind("foreach").map(begin),
        "filter-branch" => behind("--tree-filter").map(|words| words.iter().take(1).cloned().collect()),
        _ => None,
    };
    found.into_iter().filter(|words| !words.is_empty()).collect()
}

/// What is changed by applying the patch that a command prints, perhaps reversed: the files that it names, or all that is not
/// committed.
pub(super) fn patched(words: &[String]) -> Vec<GitChange> {
    let Some((_, args)) = words.split_first().filter(|(program, _)| super::run::base_name(program) == "git")
    else {
        return Vec::new();
    };
    let command = command(args);
    let said = LISTING.all(command.args);
    let behind = command.args.iter().position(|arg| arg == "--").map(|at| &command.args[at + 1..]);
    let is_path = |word: &&String| word.contains(['/', '.']) && !word.contains("..");
    let files: Vec<String> =
        behind.map_or_else(|| said.files.iter().filter(is_path).cloned().collect(), <[String]>::to_vec);
    let own = said.files.iter().filter(|word| !files.contains(word)).all(|word| word == "HEAD");
    match command.verb {
        "diff" if files.is_empty() && own => whole(UNCOMMITTED),
        "diff" | "show" | "stash" | "log" | "format-patch" if !files.is_empty() => {
            specs(&files, ByGit::Uncommitted { everywhere: false }, How::Here)
        }
        _ => Vec::new(),
    }
}

const APPLY: Options = Options {
    letters: "pCn",
    long: &["directory", "exclude", "include", "whitespace", "strip", "unidiff-zero"],
};
/// With these `git apply` changes no file.
const ONLY_LOOKING: [&str; 5] = ["--check", "--stat", "--numstat", "--summary", "--cached"];

/// The patches that a command applies to files, besides what it reads; `None` when it applies none.
pub(super) fn patches(command: &GitCommand<'_>) -> Option<Vec<String>> {
    let said = APPLY.all(command.args);
    let applies = matches!(command.verb, "apply" | "am") && !said.has(&ONLY_LOOKING);
    applies.then_some(said.files)
}
