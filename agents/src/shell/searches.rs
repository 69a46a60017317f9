//! Which names a command prints that looks for files, and what a filter behind it leaves of them. A search of a whole directory is
//! a pattern (`./**/*.md`), with what is known of the files that it finds.

use super::chosen::{ByGit, Chosen};
use super::git;
use super::options::Options;
use super::possible;
use super::run::{base_name, positional};

/// The most names of one search.
pub(super) const NAMES_MAX: usize = 64;
/// A longer text in a search is not compared with files.
const TEXT_BYTES_MAX: usize = 256;

/// Names of files that a command prints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// The names, or patterns of them.
    pub(super) words: Vec<String>,
    /// What is known of the files that fit the patterns.
    pub(super) chosen: Chosen,
    /// Whether they stand among other text, which a filter may be for.
    pub(super) in_text: bool,
}

/// The names that a search prints; `None` for any other command.
pub(super) fn names(words: &[String]) -> Option<Names> {
    let [program, args @ ..] = words else { return None };
    match base_name(program) {
        "find" => found_or_searched(args),
        "fd" | "fdfind" => (!args.iter().any(|arg| is_exec_of_fd(arg))).then(|| found_by_fd(args)),
        "ls" | "dir" | "vdir" | "eza" | "exa" | "lsd" => listed(args),
        "grep" | "egrep" | "fgrep" | "ugrep" => by_grep(args),
        "rg" | "ag" | "ack" => by_rg(args),
        "git" => git::names(args),
        _ => None,
    }
}

/// `find DIR`, also with `-exec grep -l TEXT {} +`.
fn found_or_searched(args: &[String]) -> Option<Names> {
    let Some(at) = args.iter().position(|arg| arg.starts_with("-exec")) else { return Some(found(args)) };
    let words = args.get(at + 1..)?;
    let program = base_name(words.first()?);
    let searches = matches!(program, "grep" | "egrep" | "fgrep" | "rg") && has_letter(words, 'l');
    let text = pattern_of(&words[1..]).and_then(said_in).filter(|_| !has_letter(words, 'i'));
    let mut names = found(&args[..at]);
    if searches {
        names.chosen.with = text;
        return Some(names);
    }
    // `-exec md5sum {} +`
    names.in_text = true;
    possible::names(words, Some(&names), true)
}

/// What a filter leaves of names that it reads from a pipe; `None` where its output is not known.
pub(super) fn filtered(words: &[String], names: &Names) -> Option<Names> {
    let [program, args @ ..] = words else { return None };
    match base_name(program) {
        "awk" | "gawk" | "mawk" | "sed" => {
            let mut left = names.clone();
            left.chosen.git = of_status(left.chosen.git, &args.join(" "), false);
            Some(left)
        }
        "sort" | "uniq" | "head" | "tail" | "tac" | "cat" | "tr" | "shuf" | "cut" | "column" | "nl"
        | "tee" => Some(names.clone()),
        "grep" | "egrep" | "fgrep" | "rg" => Some(matching(args, names)),
        _ => None,
    }
}

/// What `grep PATTERN` leaves of names.
fn matching(args: &[String], names: &Names) -> Names {
    let Some(pattern) = pattern_of(args) else { return names.clone() };
    let mut left = names.clone();
    let is_left_out = has_letter(args, 'v') || args.iter().any(|arg| arg == "--invert-match");
    left.chosen.git = of_status(names.chosen.git, pattern, is_left_out);
    let alternatives = alternatives(pattern);
    let is_of_the_name =
        |pieces: &Vec<Piece<'_>>| pieces.iter().all(|one| one.at_end || one.text.contains(['.', '/']));
    if names.in_text && !is_left_out && !alternatives.as_ref().is_some_and(is_of_the_name) {
        return left;
    }
    if has_letter(args, 'i') && !is_left_out {
        let pieces: Vec<String> =
            alternatives.iter().flatten().map(|one| super::run::any_case(&one.glob())).collect();
        let narrowed = |word: &String| match word.rsplit_once('/') {
            Some((dir, "*")) => pieces.iter().map(|piece| format!("{dir}/{piece}")).collect(),
            None if word == "*" => pieces.clone(),
            _ => vec![word.clone()],
        };
        left.words = names.words.iter().flat_map(narrowed).take(NAMES_MAX).collect();
    } else if is_left_out {
        left.chosen.except.extend(alternatives.iter().flatten().map(|one| one.glob()));
    } else if let Some(alternatives) = alternatives {
        let narrowed =
            |word: &String| alternatives.iter().filter_map(|one| one.narrows(word)).collect::<Vec<_>>();
        left.words = names.words.iter().flat_map(narrowed).take(NAMES_MAX).collect();
    }
    left
}

/// What a filter leaves of the files that `git status` lists: what git does not have is marked by `??`.
fn of_status(git: ByGit, pattern: &str, is_left_out: bool) -> ByGit {
    let asks = pattern.replace('\\', "").contains("??");
    match git {
        ByGit::Either { .. } if asks && is_left_out => ByGit::Uncommitted { everywhere: true },
        ByGit::Either { .. } if asks => ByGit::Untracked { ignored: false },
        git => git,
    }
}

/// A piece of a name that a regular expression asks for.
struct Piece<'p> {
    text: &'p str,
    at_end: bool,
}

impl Piece<'_> {
    /// As a pattern of names.
    fn glob(&self) -> String {
        let text = self.text.trim_matches('/');
        match (self.text.contains('/'), self.at_end) {
            (true, _) => text.to_owned(),
            (false, true) => format!("*{text}"),
            (false, false) => format!("*{text}*"),
        }
    }

    /// The word, or the pattern it is, as far as it has this piece; `None` where it does not.
    fn narrows(&self, word: &str) -> Option<String> {
        if !word.contains(['*', '?', '[', '$']) {
            let fits = if self.at_end { word.ends_with(self.text) } else { word.contains(self.text) };
            return fits.then(|| word.to_owned());
        }
        match word.rsplit_once('/') {
            // Of a pattern that ends in one of its own, both would have to fit.
            Some((dir, "*")) if !self.text.contains('/') => Some(format!("{dir}/{}", self.glob())),
            None if word == "*" && !self.text.contains('/') => Some(self.glob()),
            _ => Some(word.to_owned()),
        }
    }
}

/// The pieces of which a name has one, where a regular expression says nothing else: `\.ts$`, `\.(ts|tsx)$`, `node_modules`.
fn alternatives(pattern: &str) -> Option<Vec<Piece<'_>>> {
    let pattern = pattern.trim_start_matches('^');
    let (body, at_end) = match pattern.strip_suffix('$') {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    // `\.(ts|tsx)`, `\.\(ts\|tsx\)`.
    let body = body.strip_prefix("\\.").unwrap_or(body);
    let body = body.strip_prefix("\\(").or_else(|| body.strip_prefix('(')).unwrap_or(body);
    let body = body.strip_suffix("\\)").or_else(|| body.strip_suffix(')')).unwrap_or(body);
    let pieces = body.split('|').map(|one| one.trim_end_matches('\\').trim_start_matches("\\."));
    let is_plain =
        |one: &&str| !one.is_empty() && one.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c));
    let pieces: Vec<&str> = pieces.take(NAMES_MAX).collect();
    pieces.iter().all(is_plain).then(|| pieces.into_iter().map(|text| Piece { text, at_end }).collect())
}

/// Options of `grep` and of its kind that take a value.
pub(super) const GREP: Options = Options {
    letters: "efmABCdD",
    long: &[
        "include",
        "exclude",
        "exclude-dir",
        "regexp",
        "file",
        "max-count",
        "after-context",
        "before-context",
        "context",
        "color",
        "exclude-from",
    ],
};
const RG: Options = Options {
    letters: "egtTmABCfjMrE",
    long: &[
        "regexp",
        "glob",
        "iglob",
        "type",
        "type-not",
        "max-count",
        "max-depth",
        "file",
        "threads",
        "sort",
        "ignore",
    ],
};

fn has_letter(args: &[String], letter: char) -> bool {
    args.iter().any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter))
}

/// The first pattern of a `grep`.
fn pattern_of(args: &[String]) -> Option<&str> {
    let by_option = args.windows(2).find(|pair| pair[0] == "-e" || pair[0] == "--regexp");
    let first = || args.iter().find(|arg| !arg.starts_with('-'));
    by_option.map(|pair| &pair[1]).or_else(first).map(String::as_str)
}

/// Whether words name more than one file.
pub(super) fn are_several(files: &[String]) -> bool {
    files.len() > 1 || files.iter().any(|file| file.contains(['*', '?', '[']))
}

/// `grep -rl PATTERN DIR…`
fn by_grep(args: &[String]) -> Option<Names> {
    let said = GREP.all(args);
    let lists = said.has(&["-l", "--files-with-matches"]);
    let is_recursive = said.has(&["-r", "-R", "--recursive", "--dereference-recursive", "-d"]);
    let by_option = said.value(&["-e", "--regexp"]).map(str::to_owned);
    let (pattern, files) = match (by_option, said.files.as_slice()) {
        (Some(pattern), files) => (pattern, files.to_vec()),
        (None, [pattern, files @ ..]) => (pattern.clone(), files.to_vec()),
        (None, []) => return None,
    };
    // Before each line that it finds in one of several files stands the file's name, which `cut` or `awk` takes.
    let of_several = is_recursive || are_several(&files) || said.has(&["-H", "--with-filename"]);
    let names = of_several && !said.has(&["-h", "--no-filename"]);
    if !lists && !names && !said.has(&["-L", "--files-without-match"]) {
        return None;
    }
    let mut chosen = Chosen::but(said.values(&["--exclude", "--exclude-dir"]));
    let finds = lists || names && !said.has(&["-L", "--files-without-match"]);
    chosen.with = said_in(&pattern).filter(|_| finds && !said.has(&["-i", "--ignore-case", "-v"]));
    if !is_recursive {
        return Some(Names { words: files, chosen, in_text: false });
    }
    let kinds = said.values(&["--include"]);
    Some(Names { words: below(&files, &kinds), chosen, in_text: false })
}

/// `rg -l PATTERN DIR…`, `rg --files DIR…`
fn by_rg(args: &[String]) -> Option<Names> {
    let said = RG.all(args);
    let lists = said.has(&["-l", "--files-with-matches"]);
    let all = said.has(&["--files"]);
    let without = said.has(&["--files-without-match"]);
    let names = !said.has(&["-I", "--no-filename"]);
    if !lists && !all && !without && !names {
        return None;
    }
    let by_option = said.value(&["-e", "--regexp"]).map(str::to_owned);
    let (pattern, dirs) = match (by_option, said.files.as_slice()) {
        (None, files) if all => (None, files.to_vec()),
        (None, [pattern, files @ ..]) => (Some(pattern.clone()), files.to_vec()),
        (pattern, files) => (pattern, files.to_vec()),
    };
    let globs = said.values(&["-g", "--glob", "--iglob"]);
    let (except, mut kinds): (Vec<String>, Vec<String>) =
        globs.into_iter().partition(|glob| glob.starts_with('!'));
    kinds.extend(said.values(&["-t", "--type"]).iter().map(|kind| of_type(kind)));
    let mut except: Vec<String> = except.iter().map(|glob| glob[1..].to_owned()).collect();
    except.extend(said.values(&["-T", "--type-not"]).iter().map(|kind| of_type(kind)));
    except.extend(said.values(&["--ignore"]));
    let mut chosen = Chosen::but(except);
    chosen.with =
        pattern.and_then(|pattern| said_in(&pattern)).filter(|_| !without && !said.has(&["-i", "-S", "-v"]));
    Some(Names { words: below(&dirs, &kinds), chosen, in_text: false })
}

/// The names of files of a type of `rg`.
fn of_type(kind: &str) -> String {
    match kind {
        "md" | "markdown" => "*.md".to_owned(),
        "all" => "*".to_owned(),
        other => format!("*.{other}"),
    }
}

/// Patterns for files of these kinds anywhere below these directories.
pub(super) fn below(dirs: &[String], kinds: &[String]) -> Vec<String> {
    let here = [".".to_owned()];
    let any = ["*".to_owned()];
    let dirs = if dirs.is_empty() { here.as_slice() } else { dirs };
    let kinds = if kinds.is_empty() { any.as_slice() } else { kinds };
    let each = |dir: &String| {
        let dir = dir.trim_end_matches('/').to_owned();
        kinds.iter().map(move |kind| {
            let (inner, name) = kind.trim_start_matches("**/").rsplit_once('/').unwrap_or(("", kind));
            let inner = inner.trim_end_matches("/**").trim_matches('/');
            let dir = if inner.is_empty() { dir.clone() } else { format!("{dir}/{inner}") };
            format!("{dir}/**/{}", base_name(name))
        })
    };
    dirs.iter().flat_map(each).take(NAMES_MAX).collect()
}

/// A text that a file has in it which fits a regular expression, where that is only text and any characters (`.`): the longest piece.
pub(super) fn said_in(pattern: &str) -> Option<String> {
    let text = pattern.trim_start_matches("\\b").trim_start_matches("\\<");
    let text = text.trim_end_matches("\\b").trim_end_matches("\\>");
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let mut pieces = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let literal = match c {
            '.' => {
                chars.next_if(|next| matches!(next, '*' | '+'));
                pieces.push(String::new());
                continue;
            }
            '\\' => chars.next_if(|next| *next == '.')?,
            c if c.is_alphanumeric() || "_-/:,@#=<>'\" ".contains(c) => c,
            _ => return None,
        };
        pieces.last_mut()?.push(literal);
    }
    pieces.into_iter().max_by_key(String::len).filter(|piece| !piece.is_empty())
}

/// `ls`: what stands in the directory, or its arguments.
fn listed(args: &[String]) -> Option<Names> {
    let files = positional(args);
    let words = if files.is_empty() { vec!["*".to_owned()] } else { files };
    Some(Names { words, ..Names::default() })
}

/// `find DIR… -name PATTERN`
pub(super) fn found(args: &[String]) -> Names {
    let mut dirs: Vec<String> =
        args.iter().take_while(|arg| !arg.starts_with(['-', '(', '!'])).cloned().collect();
    if dirs.is_empty() {
        dirs.push(".".to_owned());
    }
    let mut kinds = Vec::new();
    let mut except = Vec::new();
    for (at, pair) in args.windows(2).enumerate() {
        let any_case = matches!(pair[0].as_str(), "-iname" | "-ipath" | "-iwholename");
        let is_name = matches!(pair[0].as_str(), "-name" | "-iname");
        if !is_name && !matches!(pair[0].as_str(), "-path" | "-wholename" | "-ipath" | "-iwholename") {
            continue;
        }
        let pattern = if any_case { super::run::any_case(&pair[1]) } else { pair[1].clone() };
        let is_not = at > 0 && matches!(args[at - 1].as_str(), "!" | "-not");
        let is_pruned = is_pruned(&args[at + 2..]);
        match (is_not || is_pruned, is_name) {
            (true, _) => except.push(pattern),
            (false, true) => kinds.push(pattern),
            (false, false) => {}
        }
    }
    let here_only =
        args.windows(2).any(|pair| pair[0] == "-maxdepth" && matches!(pair[1].as_str(), "0" | "1"));
    let words = below(&dirs, &kinds);
    let words = if here_only { words.iter().map(|word| word.replace("/**/", "/")).collect() } else { words };
    let is_plain = |at: usize| at == 0 || !matches!(args[at - 1].as_str(), "!" | "-not");
    let asks_empty = args.iter().enumerate().any(|(at, arg)| arg == "-empty" && is_plain(at));
    let chosen = Chosen { empty: asks_empty && !has_or(args), ..Chosen::but(except) };
    Names { words, chosen, in_text: false }
}

/// Whether `find` is given alternatives.
pub(super) fn has_or(args: &[String]) -> bool {
    args.iter().any(|arg| matches!(arg.as_str(), "-o" | "-or" | ","))
}

/// Whether what was found is left out: `-prune -o`, perhaps behind a bracket.
fn is_pruned(behind: &[String]) -> bool {
    let closes = |arg: &String| arg == ")" || arg == "\\)";
    let prunes =
        |rest: &[String]| matches!(rest, [prune, or, ..] if prune == "-prune" && (or == "-o" || or == "-or"));
    let bracket = behind.iter().position(closes);
    prunes(behind) || bracket.is_some_and(|at| prunes(&behind[at + 1..]))
}

pub(super) fn is_exec_of_fd(arg: &str) -> bool {
    matches!(arg, "-x" | "-X" | "--exec" | "--exec-batch")
}

const FD: Options = Options {
    letters: "etEdcSo",
    long: &["extension", "type", "exclude", "max-depth", "min-depth", "color", "size", "owner", "glob"],
};

/// `fd PATTERN DIR…`: the pattern is a part of a name.
pub(super) fn found_by_fd(args: &[String]) -> Names {
    let said = FD.all(args);
    let mut kinds: Vec<String> = said
        .values(&["-e", "--extension"])
        .iter()
        .map(|ending| format!("*.{}", ending.trim_start_matches('.')))
        .collect();
    if let (true, Some(pattern)) = (kinds.is_empty(), said.files.first()) {
        kinds.extend(
            alternatives(pattern).into_iter().flatten().map(|piece| super::run::any_case(&piece.glob())),
        );
    }
    let dirs: Vec<String> = said.files.iter().skip(1).cloned().collect();
    let chosen = Chosen::but(said.values(&["-E", "--exclude"]));
    Names { words: below(&dirs, &kinds), chosen, in_text: false }
}

/// Files that git knows, or of which it lists the changes.
pub(super) fn of_git(kinds: &[String], except: Vec<String>, git: ByGit) -> Names {
    Names { words: kinds.to_vec(), chosen: Chosen { git, ..Chosen::but(except) }, in_text: false }
}
