//! Which files commands of git change, and which names of files they print.

use super::How;
use super::chosen::{ByGit, Chosen};
use super::options::{Arguments, Options};
use super::searches::{self, Names};
use std::path::Path;

/// Files that a command of git changes.
#[derive(Debug, Clone)]
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
    /// The settings that it is given with `-c`: name, value.
    pub(super) settings: Vec<(String, String)>,
}

/// Reads git's own options.
pub(super) fn command(args: &[String]) -> GitCommand<'_> {
    let mut found = GitCommand::default();
    let mut rest = args;
    while let [flag, tail @ ..] = rest {
        let value = tail.first().map(String::as_str);
        match flag.as_str() {
            "-C" | "--work-tree" => found.dir = value,
            "-c" => found.settings.extend(value.and_then(setting)),
            "--git-dir" | "--namespace" | "--exec-path" | "--config-env" => {}
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

/// `alias.x=reset --hard`. The section of a name and its last word are the same in any case.
fn setting(text: &str) -> Option<(String, String)> {
    text.split_once('=').map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
}

/// The setting that `git config NAME VALUE` makes, also behind options and `set`.
pub(super) fn configured(command: &GitCommand<'_>) -> Option<(String, String)> {
    const CONFIG: Options = Options { letters: "f", long: &["file", "blob", "type", "comment"] };
    let files = CONFIG.all(command.args).files;
    let files = files.strip_prefix(&["set".to_owned()]).unwrap_or(&files);
    match files {
        [name, value, ..] if command.verb == "config" => Some((name.to_ascii_lowercase(), value.clone())),
        _ => None,
    }
}

/// Ends of the names of settings whose value is a command.
const COMMANDS: [&str; 10] = [
    "editor",
    "pager",
    "sshcommand",
    "external",
    "fsmonitor",
    "askpass",
    "cmd",
    "textconv",
    "clean",
    "smudge",
];

/// Whether a command line is the value of a setting: `core.editor`, `difftool.x.cmd`.
pub(super) fn is_command(setting: &str) -> bool {
    let last = setting.rsplit('.').next().unwrap_or(setting);
    COMMANDS.iter().any(|end| last.ends_with(end))
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
    let is_revision = |word: &String| word.starts_with("HEAD") || word.contains(['~', '^', '@']);
    match command.verb {
        // It goes through all files, and asks of each change.
        "checkout" | "restore" if has(&["-p", "--patch"]) && said.files.iter().all(is_revision) => {
            whole(UNCOMMITTED)
        }
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
            // What is committed there is in the repository.
            let lost = Chosen { git: ByGit::Either { everywhere: false }, ..Chosen::default() };
            let gone = |word: &String| GitChange { word: word.clone(), how: How::Gone, chosen: lost.clone() };
            said.files.iter().skip(1).map(gone).collect()
        }
        "stash" => stashed(&said),
        "clean" => cleaned(command.args),
        _ => Vec::new(),
    }
}

/// Which files a command of git gives other contents: another commit's, or what was put aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitReach {
    /// Any that git knows in the repository.
    All,
    /// Those that its arguments name.
    Named,
}

/// What a command reaches; `None` where it leaves the files as they are.
pub(super) fn reach(args: &[String]) -> Option<GitReach> {
    let command = command(args);
    let args = command.args;
    let said = OPTIONS.all(args);
    let begins = |heads: &[&str]| args.iter().any(|arg| heads.iter().any(|head| arg.starts_with(head)));
    match command.verb {
        "apply" => patches(&command).map(|_| GitReach::All),
        // Git takes long options by their beginnings.
        "reset" => begins(&["--h", "--m", "--k"]).then_some(GitReach::All),
        "clean" if cleaned(args).is_empty() => None,
        "clean" => Some(named(&CLEAN.all(args).files)),
        "stash" => match said.files.split_first() {
            Some((verb, _)) if KEEPING_OF_STASH.contains(&verb.as_str()) => None,
            Some((verb, files)) if verb == "push" => Some(named(files)),
            _ => Some(behind_dashes(args).map_or(GitReach::All, named)),
        },
        "restore" if said.has(&["-S", "--staged"]) && !said.has(&["-W", "--worktree"]) => None,
        "restore" => Some(named(&said.files)),
        "checkout" | "switch" if behind_dashes(args).is_some() => behind_dashes(args).map(named),
        // It takes away what git knows.
        "switch" if begins(&["--o"]) => Some(GitReach::All),
        "checkout" | "switch" => (!begins_a_branch(args)).then_some(GitReach::All),
        verb if LEAVING.contains(&verb) => None,
        verb => {
            let changes = |word: &str| CHANGING.contains(&word);
            (changes(verb) || args.iter().any(|arg| changes(arg))).then_some(GitReach::All)
        }
    }
}

/// Verbs, also of programs of git that we know no more of, which change files in the whole repository.
const CHANGING: [&str; 18] = [
    "pull",
    "merge",
    "rebase",
    "am",
    "revert",
    "cherry-pick",
    "checkout",
    "switch",
    "reset",
    "restore",
    "bisect",
    "read-tree",
    "sparse-checkout",
    "checkout-index",
    "filter-branch",
    "subtree",
    "svn",
    "quiltimport",
];
/// Verbs that change no file, whatever words stand behind them.
const LEAVING: [&str; 22] = [
    "status",
    "diff",
    "log",
    "show",
    "add",
    "commit",
    "branch",
    "fetch",
    "push",
    "tag",
    "notes",
    "blame",
    "grep",
    "ls-files",
    "rev-parse",
    "rev-list",
    "remote",
    "config",
    "reflog",
    "shortlog",
    "describe",
    "help",
];

/// What stands behind `--`, where something does.
fn behind_dashes(args: &[String]) -> Option<&[String]> {
    let at = args.iter().position(|arg| arg == "--")?;
    args.get(at + 1..).filter(|files| !files.is_empty())
}

/// Whether files are named, and not by patterns, which mean any.
fn named(files: &[String]) -> GitReach {
    let is_pattern = |file: &String| file.contains(['*', '?', '[']) || file.starts_with(':');
    if files.is_empty() || files.iter().any(is_pattern) { GitReach::All } else { GitReach::Named }
}

/// Whether it makes a branch that begins with what is there: no other beginning is named.
fn begins_a_branch(args: &[String]) -> bool {
    const NEW: [&str; 7] = ["-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"];
    let Some(flag) = args.iter().find(|arg| NEW.iter().any(|new| arg.starts_with(new))) else { return false };
    let its_name = usize::from(NEW.contains(&flag.as_str()));
    let words = args.iter().filter(|arg| !arg.starts_with('-'));
    let others = words.skip(its_name).filter(|word| !matches!(word.as_str(), "HEAD" | "@"));
    others.count() == 0 && !args.iter().any(|arg| arg.starts_with("-t") || arg.starts_with("--t"))
}

/// Verbs of `git stash` that leave the files as they are.
const KEEPING_OF_STASH: [&str; 6] = ["list", "show", "drop", "clear", "create", "store"];

/// What a command takes out of the index, so that git does not know it any more.
pub(super) fn unindexed(command: &GitCommand<'_>) -> Vec<GitChange> {
    let said = OPTIONS.all(command.args);
    let files: Vec<String> = match command.verb {
        "rm" if said.has(&["--cached"]) => said.files,
        "update-index" if said.has(&["--force-remove", "--remove"]) => said.files,
        // What is not committed yet. All of it stays as a rule.
        "reset" => said.files.into_iter().filter(|word| word.contains('.') && word != ".").collect(),
        _ => return Vec::new(),
    };
    if files.is_empty() { Vec::new() } else { specs(&files, ByGit::Any, How::Here) }
}

/// What `git clean` takes away besides what git does not know now: what the line took out of the index before, in this directory.
pub(super) fn cleaned_too(command: &GitCommand<'_>, unindexed: &[GitChange]) -> Vec<GitChange> {
    let cleaned = if command.verb == "clean" { cleaned(command.args) } else { Vec::new() };
    let Some(first) = cleaned.first().filter(|_| !unindexed.is_empty()) else { return Vec::new() };
    let named = CLEAN.all(command.args).files;
    let mut found = if named.is_empty() { unindexed.to_vec() } else { specs(&named, ByGit::Any, How::Here) };
    let except = &first.chosen.except;
    let left = Chosen::but(except.clone());
    found.retain(|change| !left.leaves_out(Path::new("/*"), Path::new(&change.word)));
    found.iter_mut().for_each(|change| change.chosen.except.extend(except.iter().cloned()));
    found
}

/// The files into which a command prints: `diff --output=FILE`, `archive -o FILE`, `bundle create FILE`.
pub(super) fn outputs(command: &GitCommand<'_>) -> Vec<String> {
    let (letters, names): (&str, &[&str]) = match command.verb {
        "archive" => ("o", &["-o", "--output"]),
        "cliff" => ("po", &["--prepend", "--output", "-p", "-o"]),
        _ => ("", &["--output"]),
    };
    let long = &["output", "prepend", "trailer", "where", "if-exists", "if-missing"];
    let said = Options { letters, long }.all(command.args);
    let mut found = said.values(names);
    found.extend(match (command.verb, said.files.as_slice()) {
        ("bundle", [create, file, ..]) if create == "create" => vec![file.clone()],
        ("interpret-trailers", files) if said.has(&["--in-place"]) => files.to_vec(),
        _ => Vec::new(),
    });
    found
}

/// The file in which the paths stand that a command is for; `-` is its input.
pub(super) fn list_of_paths<'a>(command: &GitCommand<'a>) -> Option<&'a str> {
    const LIST: &str = "--pathspec-from-file";
    let args = command.args;
    if command.verb == "checkout-index" {
        return args.iter().any(|arg| arg == "--stdin").then_some("-");
    }
    let at = args.iter().position(|arg| arg.starts_with(LIST))?;
    args[at].strip_prefix(LIST)?.strip_prefix('=').or_else(|| args.get(at + 1).map(String::as_str))
}

/// Arguments with paths behind them.
pub(super) fn with_paths(args: &[String], paths: Vec<String>) -> Vec<String> {
    let mark = (!args.iter().any(|arg| arg == "--")).then(|| "--".to_owned());
    args.iter().cloned().chain(mark).chain(paths).collect()
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

/// What stands in front of a path: `:!`, `:(top,icase)`.
#[derive(Default)]
struct Magic {
    excludes: bool,
    top: bool,
    any_case: bool,
}

fn magic(word: &str) -> (Magic, &str) {
    let mut found = Magic::default();
    let Some(rest) = word.strip_prefix(':') else { return (found, word) };
    if let Some((names, path)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        for name in names.split(',') {
            match name {
                "exclude" => found.excludes = true,
                "top" => found.top = true,
                "icase" => found.any_case = true,
                _ => {}
            }
        }
        return (found, path);
    }
    let path = rest.trim_start_matches(['!', '^', '/']);
    let signs = &rest[..rest.len() - path.len()];
    found.excludes = signs.contains(['!', '^']);
    found.top = signs.contains('/');
    (found, path.strip_prefix(':').unwrap_or(path))
}

/// The files that paths of a command mean: `docs/`, `'*.md'`, `:!AGENTS.md`. For a file that is named, `git` does not matter.
fn specs(files: &[String], git: ByGit, how: How) -> Vec<GitChange> {
    let (excluded, named): (Vec<&String>, Vec<&String>) =
        files.iter().partition(|word| magic(word).0.excludes);
    let except: Vec<String> = excluded.into_iter().map(|word| magic(word).1.to_owned()).collect();
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
    let (Magic { top, any_case, .. }, word) = magic(word);
    let word = &if any_case { super::run::any_case(word) } else { word.to_owned() };
    let whole = matches!(word.as_str(), "" | "." | "./" | "*");
    let change = |word: String, how: How, chosen: Chosen| GitChange { word, how, chosen };
    if whole && how == How::Gone {
        return vec![change(".".to_owned(), how, chosen)];
    }
    if whole {
        return vec![change("./*".to_owned(), How::Below, if top { everywhere(chosen) } else { chosen })];
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

/// Options with which a command says something of each file.
const PER_FILE: &[&str] = &["--name-only", "--name-status", "--numstat", "--stat"];
const OTHERS: &[&str] = &["-o", "--others"];

const LS_FILES: Options = Options { letters: "xX", long: &["exclude", "exclude-from", "format"] };

/// The names that a command of git prints.
pub(super) fn names(args: &[String]) -> Option<Names> {
    let command = command(args);
    let options = match command.verb {
        "grep" => searches::GREP,
        "ls-files" => LS_FILES,
        _ => LISTING,
    };
    let said = options.all(command.args);
    let has = |options: &[&str]| said.has(options);
    let ends = command.args.iter().position(|arg| arg == "--");
    let behind = ends.map(|at| &command.args[at + 1..]);
    let uncommitted = ByGit::Uncommitted { everywhere: true };
    let either = ByGit::Either { everywhere: said.files.is_empty() };
    let (files, git, with) = match command.verb {
        "ls-files" if has(&["-m", "--modified"]) && has(OTHERS) => (said.files.clone(), either, None),
        "ls-files" if has(&["-m", "--modified"]) => (said.files.clone(), uncommitted, None),
        "ls-files" if has(OTHERS) && !has(&["-c", "--cached", "-s", "--stage"]) => {
            (said.files.clone(), ByGit::Untracked { ignored: !has(&["--exclude-standard"]) }, None)
        }
        // What is not there is no document that could be lost.
        "ls-files" if has(&["-d", "--deleted"]) && !has(&["-c", "--cached", "-k"]) => return None,
        "ls-tree" => (said.files.get(1..).unwrap_or_default().to_vec(), ByGit::Any, None),
        "clean" if has(&["-n", "--dry-run"]) => {
            (said.files.clone(), ByGit::Untracked { ignored: has(&["-x", "-X"]) }, None)
        }
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
        "diff" | "diff-index" | "diff-files" if has(PER_FILE) => {
            let revisions = said.files.len() - behind.map_or(0, <[String]>::len);
            let own = said.files.iter().take(revisions).all(|word| word == "HEAD");
            (behind.unwrap_or_default().to_vec(), if own { uncommitted } else { ByGit::Any }, None)
        }
        "status" => (said.files.clone(), either, None),
        "stash" if has(PER_FILE) && said.files.first().is_some_and(|verb| verb == "show") => {
            (Vec::new(), ByGit::Any, None)
        }
        "show" | "log" | "diff-tree" if has(PER_FILE) => {
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
    found.in_text = matches!(command.verb, "status" | "clean");
    Some(found)
}

/// Options of which values are command lines.
const RUNNING: Options = Options {
    letters: "xsXC",
    long: &[
        "exec",
        "extcmd",
        "onto",
        "strategy",
        "strategy-option",
        "env-filter",
        "tree-filter",
        "index-filter",
        "parent-filter",
        "msg-filter",
        "commit-filter",
        "tag-name-filter",
    ],
};

/// The commands that a command of git runs: `rebase -x TEXT`, `bisect run CMD`, `submodule foreach CMD`.
pub(super) fn runs(command: &GitCommand<'_>) -> Vec<Vec<String>> {
    let args = command.args;
    let behind = |verb: &str| args.iter().position(|arg| arg == verb).map(|at| &args[at + 1..]);
    let begin = |words: &[String]| words.iter().skip_while(|word| word.starts_with('-')).cloned().collect();
    let found: Vec<Vec<String>> = match command.verb {
        "bisect" => behind("run").map(begin).into_iter().collect(),
        "submodule" => behind("foreach").map(begin).into_iter().collect(),
        "rebase" | "difftool" => {
            let texts = RUNNING.all(args).values(&["-x", "--exec", "--extcmd"]);
            texts.into_iter().map(|text| vec![text]).collect()
        }
        "filter-branch" => {
            let options = RUNNING.all(args).options.into_iter();
            let filters = options.filter(|(name, _)| name.ends_with("-filter"));
            // What it takes out of the index is not there in the end.
            filters.filter_map(|(_, text)| Some(vec![text?.replace("--cached", "")])).collect()
        }
        _ => Vec::new(),
    };
    found.into_iter().filter(|words| !words.is_empty()).collect()
}

/// What is changed by applying the patch that a command prints, perhaps reversed: the files that it names, or all that is not
/// committed.
pub(super) fn patched(words: &[String]) -> Vec<GitChange> {
    let args = match words.split_first() {
        Some((program, args)) if super::run::base_name(program) == "git" => args,
        Some((program, args)) if super::run::base_name(program) == "diff" => return compared(args),
        _ => return Vec::new(),
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

/// What a patch changes that `diff FILE FILE` prints: `patch` takes the one of its files that is there.
fn compared(args: &[String]) -> Vec<GitChange> {
    const DIFF: Options = Options {
        letters: "UCWFIxXD",
        long: &["unified", "context", "label", "exclude", "width", "ignore-matching-lines"],
    };
    let files = DIFF.all(args).files.into_iter().filter(|file| file != "-");
    let change = |word: String, how: How| GitChange { word, how, chosen: Chosen::default() };
    files.flat_map(|file| [change(format!("{file}/*"), How::Below), change(file, How::Here)]).collect()
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
