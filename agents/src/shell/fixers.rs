//! Programs that correct or format files: with which of their options they write into the files they are given, and whether they go
//! through whole directories.

use super::chosen::Chosen;
use super::run::positional;

/// A program that changes the files it is given.
struct Fixer {
    name: &'static str,
    /// The options or verbs that make it change its files. One with an empty list always changes them.
    switches: &'static [&'static str],
    /// How it goes through directories; `None` when it takes files only.
    walks: Option<Walks>,
    /// How many arguments before the files are none: a text and what is put in its place.
    texts: usize,
}

/// How a program goes through a directory.
struct Walks {
    /// The names of the files that it changes there.
    names: &'static str,
    /// Whether it goes through the working directory when it is given nothing.
    unasked: bool,
    /// Files in which a person says what it leaves alone.
    ignored_by: &'static [&'static str],
}

const fn fixer(name: &'static str, switches: &'static [&'static str]) -> Fixer {
    Fixer { name, switches, walks: None, texts: 0 }
}

const fn walking(
    name: &'static str,
    switches: &'static [&'static str],
    names: &'static str,
    unasked: bool,
    ignored_by: &'static [&'static str],
) -> Fixer {
    Fixer { name, switches, walks: Some(Walks { names, unasked, ignored_by }), texts: 0 }
}

/// One that is first given a text and what is put in its place.
const fn replacing(fixer: Fixer) -> Fixer {
    Fixer { texts: 2, ..fixer }
}

const PRETTIER: [&str; 2] = [".prettierignore", ".gitignore"];
const DPRINT: [&str; 4] = ["dprint.json", "dprint.jsonc", ".dprint.json", ".dprint.jsonc"];
const DENO: [&str; 2] = ["deno.json", "deno.jsonc"];
const CLI2: [&str; 4] = [
    ".markdownlint-cli2.jsonc",
    ".markdownlint-cli2.yaml",
    ".markdownlint-cli2.cjs",
    ".markdownlint-cli2.mjs",
];
const TYPOS: [&str; 5] = ["typos.toml", "_typos.toml", ".typos.toml", "Cargo.toml", "pyproject.toml"];
const CODESPELL: [&str; 3] = [".codespellrc", "setup.cfg", "pyproject.toml"];
const RUMDL: [&str; 3] = [".rumdl.toml", "rumdl.toml", "pyproject.toml"];
const FIXERS: [Fixer; 60] = [
    walking("prettier", &["--write", "-w"], "*", false, &PRETTIER),
    walking("autocorrect", &["--fix", "-i"], "*", false, &[".autocorrectignore", ".gitignore"]),
    fixer("black", &[]),
    walking("codespell", &["-w", "--write-changes"], "*", true, &CODESPELL),
    walking("dprint", &["fmt"], "*", true, &DPRINT),
    walking("deno", &["fmt"], "*.md", true, &DENO),
    walking("markdownlint", &["-f", "--fix"], "*.md", false, &[".markdownlintignore"]),
    walking("markdownlint-cli2", &["--fix"], "*.md", false, &CLI2),
    fixer("mac2unix", &[]),
    walking("mdformat", &[], "*.md", false, &[".mdformat.toml", "pyproject.toml"]),
    walking("doctoc", &[], "*.md", false, &[]),
    walking("misspell", &["-w"], "*", false, &[]),
    fixer("mdfmt", &["-w"]),
    walking("remark", &["-o", "--output"], "*.md", false, &[".remarkignore"]),
    fixer("rpl", &[]),
    walking("rumdl", &["fmt", "--fix"], "*.md", true, &RUMDL),
    walking("textlint", &["--fix"], "*.md", false, &[".textlintignore"]),
    walking("typos", &["-w", "--write-changes"], "*", true, &TYPOS),
    fixer("unix2dos", &[]),
    fixer("unix2mac", &[]),
    fixer("vale", &["--fix"]),
    fixer("zip", &["-m", "--move"]),
    fixer("zstd", &["--rm"]),
    fixer("gio", &["trash", "remove"]),
    replacing(walking("fastmod", &["--accept-all"], "*", true, &[".gitignore"])),
    walking("treefmt", &[], "*", true, &["treefmt.toml", ".treefmt.toml"]),
    replacing(walking("codemod", &["--accept-all"], "*", true, &[])),
    fixer("dos2unix", &[]),
    fixer("ast-grep", &["-U", "--update-all"]),
    fixer("sg", &["-U", "--update-all"]),
    fixer("sad", &["-k", "--commit"]),
    fixer("mlr", &["-I"]),
    replacing(walking("ruplacer", &["--go"], "*", true, &[".gitignore"])),
    fixer("gh-md-toc", &["--insert"]),
    fixer("uncrustify", &["--replace", "--no-backup"]),
    fixer("tidy", &["-m", "-modify"]),
    fixer("comby", &["-i", "-in-place"]),
    fixer("jaq", &["-i"]),
    walking("flowmark", &["-i", "--inplace", "--auto"], "*.md", false, &[".flowmarkignore"]),
    fixer("mdslw", &[]),
    fixer("embedme", &[]),
    fixer("mdsh", &[]),
    fixer("recode", &[]),
    fixer("fromdos", &[]),
    fixer("todos", &[]),
    fixer("repren", &[]),
    fixer("rexreplace", &[]),
    fixer("replace-in-file", &[]),
    fixer("ambr", &[]),
    fixer("replace-in-files", &[]),
    fixer("markdown-magic", &[]),
    fixer("md-magic", &[]),
    fixer("cog", &["-r", "-cr", "-rc"]),
    fixer("embedmd", &["-w"]),
    fixer("blacken-docs", &[]),
    fixer("md_toc", &["-p"]),
    fixer("bumpversion", &[]),
    fixer("bump2version", &[]),
    fixer("bump-my-version", &[]),
    walking("oxfmt", &[], "*.md", true, &[".oxfmtrc.json", ".prettierignore", ".gitignore"]),
];
/// Long options with which any program says that it changes the files it is given.
const IN_PLACE: [&str; 22] = [
    "in-place",
    "inplace",
    "edit-in-place",
    "save-in-place",
    "overwrite",
    "overwrite-original",
    "write",
    "write-changes",
    "fix",
    "fix-all",
    "unsafe-fixes",
    "autofix",
    "auto-fix",
    "apply",
    "apply-all",
    "apply-unsafe",
    "autocorrect",
    "auto-correct",
    "autocorrect-all",
    "auto-correct-all",
    "accept-all",
    "update-all",
];
/// Words with which it says so in front of the files.
const FORMATTING: [&str; 4] = ["fmt", "format", "reformat", "fix"];
/// Parts of the names of programs whose `-w` or `-i` says so.
const FORMATTERS: [&str; 4] = ["fmt", "format", "beautif", "prettif"];
/// With one of these a program only says what it would change.
const LOOKING: [&str; 7] =
    ["--check", "-c", "--dry-run", "--diff", "-l", "--list-different", "--fail-on-change"];
/// Programs that change only files of programming languages, whatever they are given.
const CODE_ONLY: [&str; 20] = [
    "eslint",
    "stylelint",
    "tslint",
    "ruff",
    "black",
    "isort",
    "autopep8",
    "yapf",
    "rubocop",
    "gofmt",
    "goimports",
    "rustfmt",
    "cargo",
    "clang-format",
    "shfmt",
    "biome",
    "golangci-lint",
    "ktlint",
    "standard",
    "xo",
];
/// Options behind whose value is a file that is left alone.
const EXCEPT: [&str; 9] =
    ["--exclude", "--excludes", "--ignore", "-i", "--skip", "-S", "--ignore-path", "-x", "--extend-exclude"];

/// Whether a program with these arguments changes the files among them.
pub(super) fn writes(name: &str, args: &[String]) -> bool {
    find(name, args).is_some()
}

/// The program of that name, or of the package of that name: `markdownlint-cli` has `markdownlint`.
fn known(name: &str) -> Option<&'static Fixer> {
    let by_name = |name: &str| FIXERS.iter().find(|fixer| fixer.name == name);
    by_name(name).or_else(|| by_name(name.strip_suffix("-cli")?))
}

/// Whether a program of this name changes the files it is given, as far as it is told to.
pub(super) fn is_known(name: &str) -> bool {
    known(name).is_some()
}

fn find(name: &str, args: &[String]) -> Option<&'static Fixer> {
    let found = known(name)?;
    let writes = found.switches.is_empty() || args.iter().any(|arg| found.switches.contains(&arg.as_str()));
    let looks = found.walks.is_some() && args.iter().any(|arg| LOOKING.contains(&arg.as_str()));
    (writes && !looks).then_some(found)
}

/// Whether a program that is not known here says by its options, or by its verb, that it changes the files among its arguments.
pub(super) fn rewrites(name: &str, args: &[String]) -> bool {
    let is_option = |arg: &&String| {
        let said = arg.trim_start_matches('-').to_ascii_lowercase().replace('_', "-");
        let (option, value) =
            said.split_once('=').map_or((said.as_str(), ""), |(option, value)| (option, value));
        let is_said = IN_PLACE.contains(&option) || option.len() > 3 && IN_PLACE[0].starts_with(option);
        is_said && !matches!(value, "false" | "no" | "never" | "0")
    };
    let letters = FORMATTERS.iter().any(|part| name.contains(part));
    let by_letter = letters && args.iter().any(|arg| matches!(arg.as_str(), "-w" | "-i"));
    let verb = positional(args).into_iter().next();
    let by_verb = verb.is_some_and(|verb| FORMATTING.contains(&verb.as_str()))
        && !args.iter().any(|arg| LOOKING.contains(&arg.as_str()) || arg == "-d");
    by_letter || by_verb || args.iter().filter(|arg| arg.starts_with('-')).any(|arg| is_option(&arg))
}

/// Whether a program reads the names of the files that it changes.
pub(super) fn reads_names(name: &str) -> bool {
    name == "sad"
}

/// Whether a program never changes a text in Markdown, so that a pattern it is given means other files.
pub(super) fn is_for_code_only(name: &str) -> bool {
    CODE_ONLY.contains(&name)
}

/// Which files of a directory or a pattern a program leaves alone.
pub(super) fn left_alone(name: &str, args: &[String]) -> Chosen {
    chosen(name, args).0
}

/// The same, and the arguments that say so.
fn chosen<'a>(name: &str, args: &'a [String]) -> (Chosen, Vec<&'a String>) {
    let walks = known(name).and_then(|fixer| fixer.walks.as_ref());
    let ignored_by = walks.map_or(&[] as &[&str], |walks| walks.ignored_by);
    let mut chosen = Chosen { ignored_by, ..Chosen::default() };
    let mut values: Vec<&String> = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let (option, value) =
            arg.split_once('=').map_or((arg.as_str(), None), |(option, value)| (option, Some(value)));
        if let Some(left_out) = arg.strip_prefix('!').or_else(|| arg.strip_prefix('#')) {
            chosen.except.push(left_out.to_owned());
        } else if EXCEPT.contains(&option) {
            let next = args.get(at + 1).filter(|_| value.is_none());
            values.extend(next);
            let value = value.or(next.map(String::as_str)).unwrap_or_default();
            chosen.except.extend(value.split(',').map(str::to_owned));
        }
    }
    (chosen, values)
}

/// The directories that a program goes through, each as a pattern for the files in it, and which of them are meant.
pub(super) fn directories(name: &str, args: &[String]) -> Option<(Vec<String>, Chosen)> {
    let fixer = find(name, args)?;
    let walks = fixer.walks.as_ref()?;
    let (chosen, values) = chosen(name, args);
    let is_file = |word: &String| !values.contains(&word) && !word.starts_with(['!', '#']);
    let mut files: Vec<String> = positional(args).into_iter().filter(is_file).skip(fixer.texts).collect();
    // `rumdl check --fix`: a verb is no directory.
    if files.first().is_some_and(|verb| matches!(verb.as_str(), "check" | "lint")) {
        files.remove(0);
    }
    let files: Vec<String> =
        files.into_iter().filter(|word| !fixer.switches.contains(&word.as_str())).collect();
    let is_directory = |word: &&String| {
        let last = word.trim_end_matches('/').rsplit('/').next().unwrap_or(word);
        matches!(last, "." | "..") || !last.trim_start_matches('.').contains(['.', '*', '?', '['])
    };
    let pattern = |dir: &str| format!("{}/**/{}", dir.trim_end_matches('/'), walks.names);
    let mut found: Vec<String> = files.iter().filter(is_directory).map(|dir| pattern(dir)).collect();
    if files.is_empty() && walks.unasked {
        found.push(pattern("."));
    }
    (!found.is_empty()).then_some((found, chosen))
}
