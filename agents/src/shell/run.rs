//! Walks through a command line command by command: follows variables, `cd`, links and redirects, and notes what each known
//! command writes.

use super::chosen::Chosen;
use super::copies::Links;
use super::git::GitChange;
use super::lex::{Part, Token, lex};
use super::options::Options;
use super::searches::Names;
use super::{
    Analysis, CommandDirs, CopiedTree, DiskOfLine, How, NOT_LOOKED_AT, SimpleCommand, WrittenPath, absolute,
    code, led, plain,
};
use super::{
    containers, copies, fixers, functions, interpreters, makefile, outputs, searches, substitution,
    unpacking, wrappers,
};
use pipes::{Output, Pipe, files_shown, here_document, inputs_of_loops};
use std::path::{Path, PathBuf};

mod git_runs;
mod package_json;
mod pipes;
mod programs;
mod runs;

/// How deep commands within commands are looked into.
const DEPTH_MAX: usize = 8;
/// The most words that one word may expand to.
const WORDS_MAX: usize = 64;
/// Of a longer command only so many bytes are looked at.
const COMMAND_BYTES_MAX: usize = 256 << 10;

const KEYWORDS: [&str; 11] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "coproc"];
/// The most calls of functions that the line itself defines.
const CALLS_MAX: usize = 64;
/// The most string literals of a program that are joined to a path.
const PARTS_MAX: usize = 16;
/// Of so many literals also those without a directory are looked for in the user's home.
const HOME_MAX: usize = 64;
/// The most commands of one `find` that are looked at.
const FIND_COMMANDS_MAX: usize = 8;
/// The most texts and commands in one line that are looked at.
const STEPS_MAX: usize = 2_000;
/// The most bytes of a line that are looked at, counted after variables were replaced: a line may double a variable again and again
/// (`a=$a$a`).
const LOOKED_AT_BYTES_MAX: usize = 1 << 20;
/// What a byte counts for that is looked at again as a part of another command.
const TIMES_OF_A_WORD: usize = 16;
/// What a token counts for in that.
const BYTES_OF_A_TOKEN: usize = 8;
/// A word that is longer after its variables were replaced counts as unknown.
const WORD_BYTES_MAX: usize = 16 << 10;
/// The most directories that a line may be in, or go back to.
const ELSEWHERE_MAX: usize = 8;
/// A longer value that is changed (`${name%.md}`) counts as unknown.
const CHANGED_BYTES_MAX: usize = 512;
/// How many comparisons of a changed value count as one byte of a line.
const CHANGE_BYTES_OF_A_STEP: usize = 16;
/// The most searches of one line that are remembered.
const SEARCHES_MAX: usize = 64;
/// The most directories of a program that are joined with a name which it fills in.
const DIRS_MAX: usize = 4;
/// The most paths of one patch that are looked at.
const PATCHED_MAX: usize = 200;
/// The most scripts and patches of one line that are read from the disk.
const TEXTS_MAX: usize = 64;
/// The most expressions of loaded and found programs of one line whose value is asked for.
const CERTAIN_STEPS_MAX: usize = 10_000;
/// Behind so many words a command has begun: `sudo -u dev xargs`.
const WORDS_BEFORE_MAX: usize = 4;
/// The most links of one line that are remembered: each path that the line writes is compared with them.
const LINKS_MAX: usize = 64;
pub(super) const SHELLS: [&str; 15] = [
    "sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "csh", "tcsh", "mksh", "nu", "xonsh", "elvish",
    "yash", "rbash",
];
const INTERPRETERS: [&str; 60] = [
    "python",
    "perl",
    "ruby",
    "node",
    "deno",
    "bun",
    "php",
    "awk",
    "gawk",
    "mawk",
    "lua",
    "osascript",
    "pypy",
    "ipython",
    "nodejs",
    "tsx",
    "ts-node",
    "julia",
    "rscript",
    "Rscript",
    "pwsh",
    "powershell",
    "elixir",
    "groovy",
    "tclsh",
    "guile",
    "swift",
    "expect",
    "raku",
    "crystal",
    "luajit",
    "gjs",
    "qjs",
    "bb",
    "clojure",
    "clj",
    "racket",
    "sbcl",
    "clisp",
    "scheme",
    "gosh",
    "janet",
    "fennel",
    "ghc",
    "ghci",
    "runghc",
    "ocaml",
    "utop",
    "erl",
    "iex",
    "mix",
    "scala",
    "amm",
    "kotlin",
    "jshell",
    "octave",
    "sage",
    "rails",
    "flask",
    "R",
];
/// Programs that run or compile a program in a file.
const COMPILERS: [&str; 14] = [
    "go", "java", "javac", "rustc", "gcc", "cc", "g++", "clang", "clang++", "zig", "swiftc", "kotlinc",
    "tcc", "dotnet",
];
const CODE: [&str; 13] =
    [".go", ".java", ".rs", ".c", ".cc", ".cpp", ".zig", ".swift", ".kt", ".kts", ".cs", ".scala", ".hs"];
pub(super) const REMOVE: [&str; 9] =
    ["rm", "unlink", "shred", "rmdir", "srm", "trash", "trash-put", "rename", "mmv"];
/// Programs that replace each file by a packed or unpacked one of another name, unless an option keeps it.
const PACK: [&str; 11] =
    ["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "compress", "uncompress", "zstd", "unzstd"];
pub(super) const WRITE: [&str; 18] = [
    "logsave", "hx", "kak", "joe", "pico", "tee", "sponge", "truncate", "ed", "ex", "vi", "vim", "nvim",
    "emacs", "nano", "micro", "dos2unix", "sd",
];
/// Ends of the names of variables whose value a program runs: `GIT_EDITOR`, `MANPAGER`, `GIT_SSH_COMMAND`.
const COMMANDS_OF_VARIABLES: [&str; 7] =
    ["EDITOR", "PAGER", "VISUAL", "_COMMAND", "BROWSER", "ASKPASS", "EXTERNAL_DIFF"];
/// What changes a file in PowerShell, and in nushell.
const CMDLETS: [&str; 9] = [
    "Add-Content",
    "Set-Content",
    "Clear-Content",
    "Out-File",
    "Remove-Item",
    "Move-Item",
    "Rename-Item",
    "Copy-Item",
    "save",
];
/// Other systems than git that keep versions, and the verbs with which they put files back.
const VERSIONED: [&str; 8] = ["hg", "sl", "jj", "svn", "fossil", "bzr", "brz", "got"];
const PUT_BACK: [&str; 3] = ["revert", "restore", "shelve"];
/// Programs that print the text of files, or what they read from a pipe, as it is or changed a little.
const SHOWING: [&str; 14] = [
    "cat", "head", "tail", "tac", "sed", "gsed", "grep", "egrep", "tr", "tee", "sort", "bat", "envsubst",
    "dos2unix",
];
pub(super) const COPY: [&str; 8] = ["cp", "mv", "install", "ln", "link", "rsync", "scp", "ditto"];

/// Programs that make no archive, and do not wait for one.
const MAKING_NO_ARCHIVE: [&str; 8] = ["tar", "bsdtar", "unzip", "cd", "mkdir", "ls", "echo", "pwd"];

/// Options of `watch` that take a value.
const WATCH: Options = Options { letters: "nq", long: &["interval", "equexit"] };

const AT: Options = Options { letters: "fqt", long: &[] };

/// Whether a shell is told to look at the syntax of its script alone: `bash -n FILE`.
fn only_checks(args: &[String]) -> bool {
    let mut options = args.iter().take_while(|arg| arg.starts_with('-') && !arg.starts_with("--"));
    options.any(|arg| arg.contains('n'))
}

/// Whether an argument tells a shell to read its script from its input.
fn says_s(arg: &str) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.contains('s')
}

/// Whether a shell is given a text (`-c`), and what stands behind its options, which may go on behind that: `bash -c -e TEXT`,
/// `bash -o pipefail FILE`.
fn behind_options(args: &[String]) -> (bool, &[String]) {
    let (mut is_text, mut at) = (false, 0);
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.as_str() {
            "--" | "-" => break,
            "--rcfile" | "--init-file" => at += 1,
            long if long.starts_with("--") => {}
            short if short.starts_with(['-', '+']) => {
                is_text |= short.starts_with('-') && short.contains('c');
                at += short.matches(['o', 'O']).count();
            }
            _ => {
                at -= 1;
                break;
            }
        }
    }
    (is_text, args.get(at..).unwrap_or(&[]))
}

/// Whether a program of this name, perhaps with a version behind it, runs programs that are given to it as text.
pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

pub(super) fn run(command: &str, place: &CommandDirs<'_>) -> Analysis {
    let variables = place.variables.iter().map(|(name, value)| (name.clone(), vec![value.clone()]));
    let mut run = Run {
        home: place.home.to_owned(),
        cwd: place.cwd.to_owned(),
        variables: variables.collect(),
        ..Run::with(place.files)
    };
    run.text(command);
    if run.is_longer {
        run.not_looked_at(command);
    }
    run.leave_out_missing_archives();
    run.found.links = run.links;
    run.found
}

/// A command without the words that stand before it.
#[derive(Default)]
struct Bare {
    words: Vec<String>,
    assigned: Vec<(String, String)>,
    /// Whether another program starts it.
    is_started: bool,
    /// Whether arguments come from a pipe.
    fed: bool,
    /// The word that each of them is put in place of.
    place: Option<String>,
    /// How many files the line had written before it, and before what starts it wrote one (`valgrind --log-file FILE`).
    before: usize,
    /// Whether it runs in another directory than the line (`env -C`).
    is_elsewhere: bool,
}

/// The directories of a list of commands.
struct Places {
    /// Where it began: `… &` runs it in a shell of its own.
    began: PathBuf,
    /// Those in front of each open bracket.
    outer: Vec<PathBuf>,
}

struct Run<'d> {
    files: &'d dyn DiskOfLine,
    home: PathBuf,
    cwd: PathBuf,
    variables: Vec<(String, Vec<String>)>,
    aliases: Vec<(String, String)>,
    /// Variables that are in the environment of the commands that follow.
    exported: Vec<(String, String)>,
    /// Links that the line makes: name, target.
    links: Vec<(PathBuf, PathBuf)>,
    /// Files that it copies: the copy, what was copied.
    copied: Vec<(PathBuf, PathBuf)>,
    /// Functions the line defines: name, body.
    functions: Vec<(String, Vec<Token>)>,
    /// The values of `$1`, `$2`, …, where they are known.
    arguments: Option<Vec<String>>,
    /// Where `cd -` and `popd` lead, the nearest last.
    before: Vec<PathBuf>,
    /// Other directories that it may be in: a `cd` behind a condition may not have happened.
    elsewhere: Vec<PathBuf>,
    /// What was left behind a condition in the list of commands that is walked through: until its end the condition holds.
    left: Vec<PathBuf>,
    /// Whether the next command depends on the one before it.
    is_conditional: bool,
    /// How many blocks of `if`, loops and functions are open.
    blocks: usize,
    /// What is known of files that a search found, by the pattern that stands for them.
    searched: Vec<(String, Chosen)>,
    /// Files that the line writes with a text that is known.
    texts: Vec<(PathBuf, String)>,
    /// Files that it appends to.
    appended: Vec<PathBuf>,
    /// Settings of git that the line makes: name, value.
    git_settings: Vec<(String, String)>,
    /// Paths that it takes out of git's index: the directory, what was taken out.
    unindexed: Vec<(PathBuf, GitChange)>,
    /// Scripts that it puts into a `package.json`: name, text.
    scripts_set: Vec<(String, String)>,
    /// Commands of git that print into a file: `git diff > x.diff`.
    printed: Vec<(PathBuf, Vec<String>)>,
    /// The directory of the program that is read.
    program_dir: Option<PathBuf>,
    /// Files that programs of the line load, of those that were looked for.
    loaded: Vec<PathBuf>,
    /// How many bytes of files that runners find were read.
    found_bytes: usize,
    /// How many steps are left for what programs write for certain.
    certain_room: usize,
    /// How many texts were read from the disk.
    texts_read: usize,
    /// Whether the line ends where a command fails (`set -e`).
    stops: bool,
    found: Analysis,
    depth: usize,
    /// Whether the next command reads from a pipe.
    piped: bool,
    calls: usize,
    /// How many texts and commands were looked at, and how many bytes these had.
    steps: usize,
    bytes: usize,
    /// Whether the line has more than the limits allow to look at.
    is_longer: bool,
}

impl<'d> Run<'d> {
    fn with(files: &'d dyn DiskOfLine) -> Run<'d> {
        Run {
            files,
            home: PathBuf::new(),
            cwd: PathBuf::new(),
            variables: Vec::new(),
            aliases: Vec::new(),
            exported: Vec::new(),
            links: Vec::new(),
            copied: Vec::new(),
            functions: Vec::new(),
            arguments: None,
            before: Vec::new(),
            elsewhere: Vec::new(),
            left: Vec::new(),
            is_conditional: false,
            blocks: 0,
            searched: Vec::new(),
            texts: Vec::new(),
            appended: Vec::new(),
            git_settings: Vec::new(),
            unindexed: Vec::new(),
            scripts_set: Vec::new(),
            printed: Vec::new(),
            program_dir: None,
            loaded: Vec::new(),
            found_bytes: 0,
            certain_room: CERTAIN_STEPS_MAX,
            texts_read: 0,
            stops: false,
            found: Analysis::default(),
            depth: 0,
            piped: false,
            calls: 0,
            steps: 0,
            bytes: 0,
            is_longer: false,
        }
    }

    fn text(&mut self, command: &str) {
        drop(self.walked(command));
    }

    /// Walks through a text. Returns what it prints, when it is one command or pipe and nothing else.
    fn walked(&mut self, command: &str) -> Option<Output> {
        if self.depth >= DEPTH_MAX {
            self.not_looked_at(command);
            return None;
        }
        if !self.goes_on(command.len()) {
            return None;
        }
        let mut looked_at = command;
        if command.len() > COMMAND_BYTES_MAX {
            self.not_looked_at(command);
            let end = (0..=COMMAND_BYTES_MAX).rev().find(|end| command.is_char_boundary(*end));
            looked_at = &command[..end.unwrap_or(0)];
        }
        let tokens = lex(looked_at);
        let is_of_a_pipe =
            |token: &Token| matches!(token, Token::Word(_) | Token::Op("|" | "|&" | ">" | ">&" | "&>"));
        let is_one = looked_at.len() == command.len() && tokens.iter().all(is_of_a_pipe);
        self.functions.extend(functions::defined(&tokens));
        let shown = here_document(&tokens);
        self.tokens(tokens).filter(|_| is_one).or(shown)
    }

    /// Walks through tokens. Returns what the last command prints.
    fn tokens(&mut self, tokens: Vec<Token>) -> Option<Output> {
        self.depth += 1;
        let loops = inputs_of_loops(&tokens);
        // A command within a word reads from the same pipe as the command around it, and ends before that one runs.
        let piped = self.piped;
        let mut places = Places { began: self.cwd.clone(), outer: Vec::new() };
        let mut words: Vec<String> = Vec::new();
        let mut bodies: Vec<String> = Vec::new();
        let mut pipe = Pipe::behind(self.found.redirected.len());
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            // The whole line is noted as one that was not looked at: its rest tells nothing more.
            if self.is_longer {
                break;
            }
            match token {
                Token::Word(parts) => words.extend(self.expand(&parts)),
                Token::List(list) => {
                    let name = words.pop().unwrap_or_default();
                    self.array(&name, &list);
                }
                Token::Body { text, commands } => {
                    commands.iter().for_each(|command| self.text(command));
                    bodies.push(text);
                }
                Token::Op(op @ (">" | ">>" | ">|" | "&>" | "&>>" | ">&" | "<>")) => {
                    // `>! FILE` of zsh.
                    tokens.next_if(|next| matches!(next, Token::Word(parts) if is_bang(parts)));
                    if let Some(Token::Word(parts)) = tokens.next_if(|next| matches!(next, Token::Word(_))) {
                        self.redirect(op, &parts);
                    }
                }
                Token::Op(op @ ("<" | "<<<" | "<&")) => {
                    if let Some(Token::Word(parts)) = tokens.next_if(|next| matches!(next, Token::Word(_))) {
                        bodies.extend(self.input(op, &parts));
                    }
                }
                // The bodies of here-documents come after the line's end.
                Token::Op("<<" | "<<-") => {}
                Token::Op(op) => {
                    if op == "\n" {
                        while let Some(Token::Body { text, commands }) =
                            tokens.next_if(|next| matches!(next, Token::Body { .. }))
                        {
                            commands.iter().for_each(|command| self.text(command));
                            bodies.push(text);
                        }
                    }
                    self.hand_on(op, &words, &mut bodies, &loops, &mut pipe);
                    // `name() {` defines, and calls nothing.
                    if op == "(" && words.len() == 1 && tokens.peek() == Some(&Token::Op(")")) {
                        words.clear();
                    }
                    let ended = (std::mem::take(&mut words), std::mem::take(&mut bodies));
                    self.ended(op, ended.0, &ended.1, &mut places);
                }
            }
        }
        let output = self.passed_on(&words, &mut bodies, &loops, &mut pipe);
        self.simple(words, &bodies);
        self.is_conditional = false;
        self.may_be_left();
        self.piped = piped;
        self.depth -= 1;
        output
    }

    /// What a command reads by `<` or `<<<`: the words, and the text of a file that the line itself writes.
    fn input(&mut self, op: &str, parts: &[Part]) -> Vec<String> {
        let words = self.expand(parts);
        let files = words.iter().filter(|_| op == "<");
        let mut found: Vec<String> = files.filter_map(|file| self.written_text(&self.path(file))).collect();
        found.extend(words);
        found
    }

    /// `NAME=(LIST)`; of `m=([key]=value)` the values count.
    fn array(&mut self, name: &str, list: &str) {
        let value = |word: String| match word.strip_prefix('[').and_then(|rest| rest.split_once("]=")) {
            Some((_, value)) => value.to_owned(),
            None => word,
        };
        let values = self.words_of(list).into_iter().map(value).collect();
        if let Some(name) = name.strip_suffix('=') {
            self.variables.push((name.strip_suffix('+').unwrap_or(name).to_owned(), values));
        }
    }

    /// Looks at a command that ends here: by what stands behind it, the next one runs in the same directory or in another.
    fn ended(&mut self, op: &str, words: Vec<String>, bodies: &[String], places: &mut Places) {
        let dir = self.cwd.clone();
        self.simple(words, bodies);
        // Each part of a pipe runs in a shell of its own.
        if self.piped || matches!(op, "|" | "|&") {
            self.cwd = dir;
        }
        self.piped = matches!(op, "|" | "|&") || (op == "(" && self.piped);
        self.is_conditional = matches!(op, "&&" | "||");
        match op {
            "(" => places.outer.push(self.cwd.clone()),
            ")" => self.cwd = places.outer.pop().unwrap_or_else(|| self.cwd.clone()),
            "&" => self.cwd.clone_from(&places.began),
            "\n" | ";" | "||" | ";;" => self.may_be_left(),
            _ => {}
        }
        if matches!(op, "\n" | ";" | "&" | "(" | ")" | ";;") {
            places.began.clone_from(&self.cwd);
        }
    }

    /// Behind the end of a list its conditions need not have held.
    fn may_be_left(&mut self) {
        for dir in std::mem::take(&mut self.left) {
            if self.elsewhere.len() < ELSEWHERE_MAX && dir != self.cwd && !self.elsewhere.contains(&dir) {
                self.elsewhere.push(dir);
            }
        }
    }

    /// Goes to a directory.
    fn enter(&mut self, dir: PathBuf) {
        let left = std::mem::replace(&mut self.cwd, dir);
        if self.is_conditional || self.blocks > 0 {
            self.left.push(left.clone());
        }
        if self.before.len() == ELSEWHERE_MAX {
            self.before.remove(0);
        }
        self.before.push(left);
    }

    /// `cd DIR`, `cd -`, `pushd DIR`, `popd`.
    fn change_directory(&mut self, name: &str, named: Option<&String>) {
        let back = name == "popd" || named.is_some_and(|dir| dir == "-");
        let dir = match named.filter(|dir| !dir.is_empty()) {
            _ if back => self.before.pop(),
            Some(dir) => Some(self.by_cdpath(dir).unwrap_or_else(|| self.path(dir))),
            None if name == "pushd" => self.before.pop(),
            None => Some(self.home.clone()),
        };
        let Some(dir) = dir else { return };
        let stays = !self.stops && self.is_missing(&dir);
        let here = self.cwd.clone();
        self.enter(dir);
        // Where there is no such directory, what stands behind the list runs here.
        if stays {
            self.left.push(here);
        }
        if name == "popd" {
            // What it left is no place to go back to.
            self.before.pop();
        }
    }

    /// A directory that `cd` finds by `CDPATH`.
    fn by_cdpath(&self, dir: &str) -> Option<PathBuf> {
        let named = self.value("CDPATH").into_iter().filter(|_| !dir.starts_with(['/', '~', '.', '$']));
        let dirs: Vec<PathBuf> = named
            .flat_map(|dirs| dirs.split(':').map(str::to_owned).collect::<Vec<_>>())
            .filter(|parent| !parent.is_empty() && !parent.starts_with('$'))
            .map(|parent| self.path(&parent).join(dir))
            .collect();
        dirs.into_iter().find(|dir| !self.files.is_missing(dir))
    }

    /// Whether there is no such directory, as far as the line does not make it.
    fn is_missing(&self, dir: &Path) -> bool {
        let text = dir.to_string_lossy();
        let Some(name) = dir.file_name().map(|name| name.to_string_lossy()) else { return false };
        let is_known = !text.contains(['$', '`', '*', '?', '[']) && !text.contains(substitution::MADE);
        let is_made = || {
            let makes = |words: &&Vec<String>| !matches!(words[0].as_str(), "cd" | "pushd");
            self.found.commands.iter().filter(makes).flatten().any(|word| word.contains(&*name))
        };
        is_known && self.files.is_missing(dir) && !is_made()
    }

    /// Walks through a text that a shell of its own runs.
    fn apart(&mut self, command: &str) -> Option<Output> {
        let (cwd, elsewhere) = (self.cwd.clone(), self.elsewhere.clone());
        let state = (self.is_conditional, self.blocks);
        let (left, before) = (std::mem::take(&mut self.left), self.before.clone());
        (self.is_conditional, self.blocks) = (false, 0);
        let searched = self.searched.clone();
        let output = self.walked(command);
        self.searched = searched;
        (self.cwd, self.elsewhere, self.left, self.before) = (cwd, elsewhere, left, before);
        (self.is_conditional, self.blocks) = state;
        output
    }

    fn redirect(&mut self, op: &str, target: &[Part]) {
        let is_descriptor =
            |target: &String| op == ">&" && target.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let before = self.found.written.len();
        let targets = self.expand(target);
        for target in targets.iter().filter(|target| !is_descriptor(target)) {
            self.write(target, How::Here);
        }
        let written = &self.found.written[before..];
        self.found.redirected.extend_from_slice(written);
        let paths = written.iter().map(|written| written.path.clone());
        match op {
            ">>" | "&>>" => self.appended.extend(paths.take(WORDS_MAX)),
            _ => self.appended.retain(|known| paths.clone().all(|path| path != *known)),
        }
    }

    /// Notes a text that is too long or too deep to look into as one unknown command.
    fn not_looked_at(&mut self, command: &str) {
        self.found.simple.push(SimpleCommand {
            words: vec![NOT_LOOKED_AT.to_owned(), command.to_owned()],
            cwd: self.cwd.clone(),
            ..SimpleCommand::default()
        });
    }

    /// The words that a word expands to. Commands in it are looked at; their output is known for some of them.
    fn expand(&mut self, parts: &[Part]) -> Vec<String> {
        let mut words = vec![String::new()];
        // `NAME=$value` takes the value as it is.
        let assigns =
            matches!(parts.first(), Some(Part::Text { text, quoted: false }) if assignment(text).is_some());
        for part in parts {
            let values = match part {
                Part::Text { text, quoted: true } => vec![text.clone()],
                Part::Text { text, quoted: false } => braces(text),
                Part::Variable { name, quoted } if *quoted || assigns => self.value(name),
                Part::Variable { name, .. } => split(self.value(name)),
                Part::Default { name, text } => self.value_or(name, text),
                Part::Changed { name, change } => {
                    let values = self.value(name);
                    // Each end of a value is held against the pattern.
                    let cost =
                        |value: &String| value.len() * value.len() / CHANGE_BYTES_OF_A_STEP + change.len();
                    if values.iter().any(|value| value.len() > CHANGED_BYTES_MAX)
                        || !self.goes_on(values.iter().map(cost).sum())
                    {
                        vec![format!("${name}")]
                    } else {
                        let changed = |value: String| changed(&value, change).unwrap_or(value);
                        values.into_iter().map(changed).collect()
                    }
                }
                Part::Indirect(name) => {
                    let named = self.value(name);
                    named.iter().take(WORDS_MAX).flat_map(|name| self.value(name)).collect()
                }
                Part::Command { command, quoted } => self.printed_by(command, *quoted || assigns),
            };
            let glue =
                |head: &String| values.iter().map(move |tail| format!("{head}{tail}")).collect::<Vec<_>>();
            words = words.iter().flat_map(glue).take(WORDS_MAX).collect();
            if matches!(part, Part::Text { .. }) {
                continue;
            }
            let bytes: usize = words.iter().map(String::len).sum();
            if bytes > WORD_BYTES_MAX || !self.goes_on(bytes) {
                self.is_longer = true;
                return vec!["$…".to_owned()];
            }
        }
        words
    }

    /// What stands in place of a command in a word: its output as it is, or the words of it.
    fn printed_by(&mut self, command: &str, is_one_word: bool) -> Vec<String> {
        match self.apart(command) {
            Some(Output { text: Some(text), .. }) if is_one_word => {
                vec![text.trim_end_matches('\n').to_owned()]
            }
            Some(Output { names: Some(names), .. }) => {
                self.remember(&names);
                // What else it prints is not known: the word is that, too.
                let untold = || names.in_text.then(|| format!("$({command})")).into_iter();
                untold().chain(names.words.iter().cloned()).chain(untold()).collect()
            }
            // Where the output is not known, the word keeps `$(…)`.
            _ => vec![format!("$({command})")],
        }
    }

    fn value(&self, name: &str) -> Vec<String> {
        if let Some(values) = self.argument(name) {
            return values;
        }
        let known = self.variables.iter().rev().find(|(known, _)| known == name);
        match (known, name) {
            (Some((_, values)), _) => values.clone(),
            (None, "HOME") => vec![self.home.display().to_string()],
            (None, "PWD") => vec![self.cwd.display().to_string()],
            // Where the value is not known, the word keeps `$name`.
            _ => vec![format!("${name}")],
        }
    }

    /// `${name:-text}`: the value where it is known, else `$name` or the text.
    fn value_or(&mut self, name: &str, text: &str) -> Vec<String> {
        let known = self.value(name);
        if known != [format!("${name}")] || self.depth >= DEPTH_MAX {
            return known;
        }
        let words = self.words_of(text);
        known.into_iter().chain(words).collect()
    }

    /// The words of a text that is not a command.
    fn words_of(&mut self, text: &str) -> Vec<String> {
        if self.depth >= DEPTH_MAX {
            return Vec::new();
        }
        self.depth += 1;
        let words = lex(text).into_iter().filter_map(|token| match token {
            Token::Word(parts) => Some(self.expand(&parts)),
            Token::Body { .. } | Token::List(_) | Token::Op(_) => None,
        });
        let words: Vec<String> = words.flatten().take(WORDS_MAX).collect();
        self.depth -= 1;
        words
    }

    /// The value of `$1`, `$@` and so on, in a function or a script with known arguments.
    fn argument(&self, name: &str) -> Option<Vec<String>> {
        let arguments = self.arguments.as_ref()?;
        match name {
            "0" => None,
            "@" | "*" => Some(arguments.iter().take(WORDS_MAX).cloned().collect()),
            _ => {
                let place: usize = name.parse().ok()?;
                Some(place.checked_sub(1).and_then(|at| arguments.get(at)).into_iter().cloned().collect())
            }
        }
    }

    fn path(&self, word: &str) -> PathBuf {
        absolute(word, &self.home, &self.cwd)
    }

    fn write(&mut self, word: &str, how: How) {
        let searched = self.searched.iter().find(|(known, _)| known == word);
        let chosen = searched.map(|(_, chosen)| chosen.clone()).unwrap_or_default();
        self.write_chosen(word, how, &chosen);
    }

    fn write_chosen(&mut self, word: &str, how: How, chosen: &Chosen) {
        if word.is_empty() {
            return;
        }
        // Below any directory: `docs/**/*.md`, `docs/**`.
        let (word, how) = match word.split_once("**/") {
            Some((dir, name)) => (format!("{dir}{}", base_name(name)), How::Below),
            None if word == "**" || word.ends_with("/**") => (word[..word.len() - 1].to_owned(), How::Below),
            None => (word.to_owned(), how),
        };
        let path = self.path(&word);
        let is_longer = self.bytes > LOOKED_AT_BYTES_MAX;
        let linked = if is_longer { Vec::new() } else { led(&self.links, &path) };
        let dirs = self.elsewhere.iter().filter(|_| !is_longer);
        let others = dirs.map(|dir| absolute(&word, &self.home, dir));
        let others = others.filter(|other| *other != path).collect::<Vec<_>>();
        // Each directory that may be entered, and each link that is passed, makes another path of each word.
        let bytes: usize = others.iter().chain(&linked).map(|other| other.as_os_str().len()).sum();
        self.bytes = self.bytes.saturating_add(bytes);
        self.is_longer |= self.bytes > LOOKED_AT_BYTES_MAX;
        let paths = linked.into_iter().chain([path]).chain(others);
        let written = paths.map(|path| WrittenPath { path, how, chosen: chosen.clone() });
        self.found.written.extend(written);
    }

    fn write_all(&mut self, words: &[String], how: How) {
        for word in words {
            self.write(word, how);
        }
    }

    /// Counts a step that looks at so many bytes. False when the limits are reached.
    fn goes_on(&mut self, bytes: usize) -> bool {
        self.steps += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        let goes_on = self.steps <= STEPS_MAX && self.bytes <= LOOKED_AT_BYTES_MAX;
        self.is_longer |= !goes_on;
        goes_on
    }

    /// One command with its arguments, redirects taken out. `bodies` is what it reads from here-documents.
    fn simple(&mut self, words: Vec<String>, bodies: &[String]) {
        if !self.goes_on(0) {
            return;
        }
        let outside = self.cwd.clone();
        let mut bare = self.bare(words);
        if bare.fed {
            feed(&mut bare, words_in(bodies));
        }
        // `parallel 'sed -i … {}' ::: FILE`, `yarn exec 'sed -i …'`: a shell runs the text.
        if bare.is_started && bare.words.len() == 1 && bare.words[0].contains(' ') {
            bare.words.insert(0, "eval".to_owned());
        }
        if !bare.words.is_empty() {
            let is_elsewhere = bare.is_elsewhere;
            self.bare_command(bare, bodies);
            if is_elsewhere {
                self.cwd = outside;
            }
        } else {
            self.cwd = outside;
        }
    }

    /// Removes assignments, keywords and programs that only start the command; resolves aliases.
    fn bare(&mut self, mut words: Vec<String>) -> Bare {
        let mut bare = Bare { before: self.found.written.len(), ..Bare::default() };
        // As in a shell, an alias means itself where it stands in what it stands for.
        let mut resolved: Vec<String> = Vec::new();
        // What was removed so far: a line may have nothing but such words.
        let mut at = 0;
        while let Some(first) = words.get(at) {
            if let Some((name, value)) = assignment(first) {
                let assigned = (name.to_owned(), value.to_owned());
                self.assign(&assigned, bare.assigned.last());
                bare.assigned.push(assigned);
                at += 1;
            } else if let Some((name, value)) = appended(first) {
                let (name, value) = (name.to_owned(), value.to_owned());
                self.append_to(&name, &value);
                at += 1;
            } else if KEYWORDS.contains(&first.as_str()) {
                self.blocks += usize::from(matches!(first.as_str(), "then" | "do" | "{"));
                self.blocks -= usize::from(first == "}").min(self.blocks);
                at += 1;
            } else if let Some((name, meant)) =
                self.aliases.iter().rev().find(|(name, _)| name == first && !resolved.contains(name))
            {
                resolved.push(name.clone());
                let meant: Vec<String> = meant.split_whitespace().map(str::to_owned).collect();
                words.splice(at..=at, meant);
            } else if let Some(wrapper) = wrappers::unwrapped(&words[at..]) {
                at += wrapper.words;
                bare.is_started = true;
                wrapper.written.iter().for_each(|file| self.write(file, How::Here));
                bare.fed |= wrapper.fed;
                bare.place = wrapper.place.or(bare.place);
                if let Some(dir) = wrapper.dir {
                    self.cwd = self.path(&dir);
                    bare.is_elsewhere = true;
                }
                if let Some(text) = wrapper.text {
                    words.splice(..at, ["eval".to_owned(), text]);
                    at = 0;
                }
            } else {
                break;
            }
        }
        self.found.fed |= bare.fed;
        words.drain(..at.min(words.len()));
        bare.words = words;
        bare
    }

    /// `name=value`; `name=$(…)` is several such words where more than one is known that it may be.
    fn assign(&mut self, (name, value): &(String, String), before: Option<&(String, String)>) {
        match self.variables.last_mut().filter(|_| before.is_some_and(|(before, _)| before == name)) {
            Some((_, values)) => values.push(value.clone()),
            None => self.variables.push((name.clone(), vec![value.clone()])),
        }
    }

    /// `name+=value`
    fn append_to(&mut self, name: &str, value: &str) {
        let values: Vec<String> = self.value(name).iter().map(|head| format!("{head}{value}")).collect();
        let bytes = values.iter().map(String::len).sum();
        let is_known = bytes <= WORD_BYTES_MAX && self.goes_on(bytes);
        self.is_longer |= !is_known;
        self.variables.push((name.to_owned(), if is_known { values } else { vec!["$…".to_owned()] }));
    }

    fn bare_command(&mut self, bare: Bare, bodies: &[String]) {
        let Bare { words, assigned, fed, before: outside, .. } = bare;
        self.found.commands.push(words.clone());
        let at = self.found.simple.len();
        let before = self.found.written.len();
        let own = assigned.clone();
        self.found.simple.push(SimpleCommand {
            words: words.clone(),
            assigned: self.exported.iter().cloned().chain(assigned).collect(),
            bodies: bodies.to_vec(),
            cwd: self.cwd.clone(),
            fed,
            piped: self.piped,
            programs: Vec::new(),
            written: Vec::new(),
        });
        let name = meant_by_pattern(program_name(&words[0]));
        let exported = self.exported.len();
        if SHELLS.contains(&name) {
            self.exported
                .extend(self.found.simple[at].assigned.iter().skip(exported).cloned().collect::<Vec<_>>());
        }
        self.run_by_variables(&own);
        if self.called(&words) {
        } else if words[0].starts_with("$(") {
            // `eval "$(cat FILE)"`, `bash <(cat FILE)`
            let texts = self.scripts_shown(&words[0]);
            texts.iter().for_each(|text| self.run_script(text, &words[1..]));
        } else if name == "-" {
            // `uv run - <<EOF`
            bodies.iter().for_each(|program| self.program(program));
        } else if name.ends_with(".py") {
            // `uv run fix.py FILE`, `./manage.py shell -c TEXT`
            self.command("python3", &words, bodies);
        } else if !self.is_script(&words) {
            self.command(name, &words[1..], bodies);
        }
        if SHELLS.contains(&name) {
            self.exported.truncate(exported);
        }
        self.keep_input(&words, bodies, before);
        // What an inner shell writes is noted with the commands in it.
        let is_inner = SHELLS.contains(&name) || name == "eval";
        let end = if is_inner { before } else { self.found.written.len() };
        self.found.simple[at].written = self.found.written[outside..end].to_vec();
    }

    /// Looks at what variables of a command make it run: an editor, a pager; the script that a shell begins with.
    fn run_by_variables(&mut self, variables: &[(String, String)]) {
        let names_command = |name: &str| COMMANDS_OF_VARIABLES.iter().any(|end| name.ends_with(end));
        for (name, value) in variables {
            match name.as_str() {
                "BASH_ENV" | "ENV" => self.scripts(value).iter().for_each(|text| drop(self.apart(text))),
                "NODE_OPTIONS" | "RUBYOPT" => {
                    let name = if name == "RUBYOPT" { "ruby" } else { "node" };
                    let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
                    self.preloaded(&interpreters::told(name, &words));
                }
                name if names_command(name) => drop(self.apart(value)),
                _ => {}
            }
        }
    }

    /// Walks through the body of a function that the line defines, where these words call one.
    fn called(&mut self, words: &[String]) -> bool {
        let Some((_, body)) = self.functions.iter().rev().find(|(name, _)| *name == words[0]) else {
            return false;
        };
        // A call walks through a copy of the body: a line of definitions within each other would be walked through again
        // from each of them.
        let looked_at = body.len().saturating_mul(BYTES_OF_A_TOKEN);
        self.calls += 1;
        if self.calls > CALLS_MAX || self.depth >= DEPTH_MAX || self.bytes + looked_at > LOOKED_AT_BYTES_MAX {
            self.not_looked_at(&words.join(" "));
            return true;
        }
        let body = body.clone();
        self.bytes += looked_at;
        let outside = self.arguments.replace(words[1..].to_vec());
        self.tokens(body);
        self.arguments = outside;
        true
    }

    /// Follows a command that sets variables, arguments or aliases for the commands after it. False for any other command.
    fn kept(&mut self, name: &str, args: &[String], bodies: &[String]) -> bool {
        let files = positional(args);
        match name {
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                let is_reference = args.iter().any(|arg| arg.starts_with('-') && arg.contains('n'));
                for (variable, value) in files.iter().filter_map(|word| assignment(word)) {
                    let values = if is_reference { self.value(value) } else { vec![value.to_owned()] };
                    self.variables.push((variable.to_owned(), values));
                    if name == "export" {
                        let exported = (variable.to_owned(), value.to_owned());
                        self.run_by_variables(std::slice::from_ref(&exported));
                        self.exported.push(exported);
                    }
                }
            }
            "for" | "select" => {
                // `for f; do` goes through the arguments.
                if let [variable] = args {
                    self.variables.push((variable.clone(), self.arguments.clone().unwrap_or_default()));
                }
                if let [variable, _, values @ ..] = args {
                    self.variables.push((variable.clone(), values.iter().take(WORDS_MAX).cloned().collect()));
                }
            }
            "alias" => {
                let defined = args.iter().filter_map(|word| word.split_once('='));
                self.aliases.extend(defined.map(|(name, meant)| (name.to_owned(), meant.to_owned())));
            }
            "set" => {
                let stops =
                    |arg: &String| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('e');
                self.stops |= args.iter().any(stops);
                if let Some(at) = args.iter().position(|arg| arg == "--") {
                    self.arguments = Some(args[at + 1..].to_vec());
                }
            }
            "printf" if args.first().is_some_and(|arg| arg == "-v") => {
                if let [_, variable, text @ ..] = args {
                    let words = [&["printf".to_owned()], text].concat();
                    let printed = substitution::printed(&words, &self.cwd).unwrap_or_default();
                    self.variables.push((variable.clone(), printed));
                }
            }
            "read" | "mapfile" | "readarray" => {
                // One variable gets all of a line.
                let lines = bodies.iter().flat_map(|body| body.lines()).map(|line| line.trim().to_owned());
                let words = match files.as_slice() {
                    [_] => lines.filter(|line| !line.is_empty()).take(WORDS_MAX).collect(),
                    _ => words_in(bodies),
                };
                for name in files.iter().filter(|_| !words.is_empty()) {
                    self.variables.push((name.clone(), words.clone()));
                }
            }
            _ => return false,
        }
        true
    }

    fn command(&mut self, name: &str, args: &[String], bodies: &[String]) {
        if self.kept(name, args, bodies) {
            return;
        }
        let files = positional(args);
        if self.runs_another(name, args, &files, bodies) {
            return;
        }
        self.besides(name, args, &files);
        match name {
            "cd" | "pushd" | "popd" => self.change_directory(name, files.first()),
            "fi" | "done" => self.blocks = self.blocks.saturating_sub(1),
            "dd" => args
                .iter()
                .filter_map(|arg| arg.strip_prefix("of="))
                .for_each(|file| self.write(file, How::Here)),
            "git" => self.git(args, bodies),
            "gh" if matches!(args, [pr, checkout, ..] if pr == "pr" && checkout == "checkout") => {
                self.git(&args[1..], bodies);
            }
            _ if VERSIONED.contains(&name) => self.write_all(&put_back(args), How::Here),
            "patch" => self.patch(args, bodies),
            "split" => {
                let files = copies::SPLIT.all(args).files;
                files.get(1).into_iter().for_each(|prefix| self.write(&format!("{prefix}*"), How::Here));
            }
            "xxd" if args.iter().any(|arg| arg == "-r") => {
                self.write_all(files.get(1..).unwrap_or_default(), How::Here)
            }
            "sqlite3" => self.sqlite(args, bodies),
            "apply_patch" | "applypatch" => {
                let named: Vec<String> =
                    files.iter().chain(bodies).flat_map(|text| crate::patch::paths(text)).collect();
                self.write_all(&named, How::Here);
            }
            _ if CMDLETS.iter().any(|cmdlet| name.eq_ignore_ascii_case(cmdlet)) => {
                self.write_all(&files, How::Here);
            }
            _ if PACK.contains(&name) => self.pack(args, &files),
            _ if REMOVE.contains(&name) => self.write_all(&files, How::Gone),
            _ if WRITE.contains(&name) && is_viewer(name, args) => {}
            _ if WRITE.contains(&name) => {
                if name == "emacs" {
                    args.iter().for_each(|program| self.program(program));
                }
                self.write_all(&files, How::Here);
            }
            _ if fixers::writes(name, args) && fixers::reads_names(name) => {
                self.write_all(&[files, words_in(bodies)].concat(), How::Here);
            }
            _ if fixers::writes(name, args) => self.fix(name, args, &files),
            _ if COPY.contains(&name) => self.copy(name, args),
            _ if SHELLS.contains(&name) || matches!(name, "su" | "sg" | "script") => {
                if name == "script" {
                    self.write_all(&files, How::Here);
                }
                // `su root -c TEXT`
                let at = args.iter().position(|arg| arg == "-c").filter(|_| matches!(name, "su" | "sg"));
                self.shell(&args[at.unwrap_or(0)..], bodies);
            }
            _ => {
                if let Some(unpacked) = unpacking::unpacked(name, args, self.piped) {
                    self.unpack(&unpacked);
                }
                self.other(name, args, &files, bodies);
            }
        }
    }

    /// What a command takes away, and what scripts and actions in its arguments write and run.
    fn besides(&mut self, name: &str, args: &[String], files: &[String]) {
        let is_taken = |arg: &String| matches!(arg.as_str(), "--remove-files" | "--remove-source-files");
        let moves = |arg: &String| {
            name == "zip" && arg.starts_with('-') && !arg.starts_with("--") && arg.contains('m')
        };
        let takes = matches!(name, "tar" | "bsdtar" | "gtar" | "rsync") && args.iter().any(is_taken);
        if takes || args.iter().any(moves) {
            self.write_all(files, How::Gone);
        }
        let mut said = vec![outputs::said(name, args)];
        // `sed -f FILE`
        let scripts = outputs::scripts_of_sed(name, args);
        let texts: Vec<String> = scripts.iter().flat_map(|file| self.scripts(file)).collect();
        said.extend(texts.iter().map(|text| outputs::script_of_sed(text)));
        for outputs::Carried { files: written, lines } in said {
            self.write_all(&written, How::Here);
            lines.iter().for_each(|line| drop(self.apart(line)));
        }
    }

    /// A program that packs or unpacks files: what is unpacked has the name without the ending.
    fn pack(&mut self, args: &[String], files: &[String]) {
        let has = |letters: &[char], long: &[&str]| {
            args.iter().any(|arg| match arg.strip_prefix("--") {
                Some(name) => long.contains(&name),
                None => arg.starts_with('-') && arg.contains(letters),
            })
        };
        if has(&['c', 'l', 't'], &["stdout", "list", "test"]) {
            return;
        }
        if !has(&['k'], &["keep"]) {
            self.write_all(files, How::Here);
        }
        let unpacked = files.iter().filter_map(|file| Some(file.rsplit_once('.')?.0.to_owned()));
        self.write_all(&unpacked.collect::<Vec<_>>(), How::Here);
    }

    /// Looks into the texts and commands that a command runs. False for a command that runs none.
    fn runs_another(&mut self, name: &str, args: &[String], files: &[String], bodies: &[String]) -> bool {
        let reads_its_file = || {
            let mut pairs = args.windows(2);
            pairs.any(|pair| pair[0] == "-f" && matches!(pair[1].as_str(), "-" | "/dev/stdin"))
        };
        match name {
            "eval" => self.text(&args.strip_prefix(&["--".to_owned()]).unwrap_or(args).join(" ")),
            "watch" => {
                let (_, used) = WATCH.leading(args);
                self.text(&args[used..].join(" "));
            }
            "hyperfine" | "concurrently" => files.iter().for_each(|text| self.text(text)),
            "trap" => files.first().into_iter().for_each(|text| self.text(text)),
            "find" => self.find(args),
            "fd" | "fdfind" => self.fd(args),
            "source" | "." => match files.first() {
                Some(file) if is_input(file) => {
                    bodies.iter().for_each(|body| self.text(body));
                    self.scripts_read(bodies).iter().for_each(|text| self.text(text));
                }
                // `source <(cat FILE)`
                Some(file) if file.contains(char::is_whitespace) => self.text(file),
                Some(file) => self.scripts(file).iter().for_each(|text| self.text(text)),
                None => {}
            },
            "tmux" | "screen" => self.text(&multiplexed(args)),
            "ssh" => self.text(&on_this_machine(files)),
            "at" | "batch" => {
                let named = AT.all(args).values(&["-f"]);
                named
                    .iter()
                    .flat_map(|file| self.scripts(file))
                    .collect::<Vec<_>>()
                    .iter()
                    .for_each(|text| self.text(text));
                bodies.iter().for_each(|body| self.text(body));
                self.scripts_read(bodies).iter().for_each(|text| self.text(text));
            }
            "make" | "gmake" if reads_its_file() => {
                let lines = bodies.iter().flat_map(|body| body.lines());
                lines.for_each(|line| self.text(line.trim_start_matches(['\t', '@', '-'])));
            }
            "make" | "gmake" => {
                self.make(args);
                return false;
            }
            "docker" | "podman" | "nerdctl" => self.container(name, args, bodies),
            _ if package_json::RUNNERS.contains(&name) => {
                self.package_scripts(name, args);
                return false;
            }
            _ => match outputs::same_as(name, args) {
                Some(words) if self.depth < DEPTH_MAX => self.command(&words[0], &words[1..], bodies),
                _ => return false,
            },
        }
        true
    }

    /// A program that corrects files, or all of a directory.
    fn fix(&mut self, name: &str, args: &[String], files: &[String]) {
        let named = |word: &&String| !word.starts_with(['!', '#']);
        let directories = fixers::directories(name, args);
        let (found, chosen) = directories.unwrap_or_default();
        let files: Vec<String> = files.iter().filter(named).flat_map(|word| all_braces(word)).collect();
        for word in &files {
            let is_many = word.contains('*');
            if !(is_many && fixers::is_for_code_only(name)) {
                let chosen = if is_many { fixers::left_alone(name, args) } else { Chosen::default() };
                let known =
                    self.searched.iter().find(|(known, _)| known == word).map(|(_, chosen)| chosen.clone());
                self.write_chosen(word, How::Here, &known.unwrap_or(chosen));
            }
        }
        for word in found {
            self.write_chosen(&word, How::Below, &chosen);
        }
    }

    fn unpack(&mut self, unpacked: &unpacking::Unpacked) {
        let dir = unpacked.dir.trim_end_matches('/');
        // What is unpacked into the user's home is seldom a copy of it.
        if unpacked.members.is_empty() && self.path(dir) != self.home {
            let archive = unpacked.archive.as_ref().map(|file| self.path(file));
            // What the line itself makes is not there yet.
            let archive =
                archive.filter(|file| !self.found.written.iter().any(|written| written.reaches(file)));
            let chosen = Chosen { archive, ..unpacked.chosen.clone() };
            self.write_chosen(&format!("{dir}/*"), How::Below, &chosen);
        }
        for member in &unpacked.members {
            let member = member.trim_end_matches('/');
            self.write_chosen(&format!("{dir}/{member}"), How::Here, &unpacked.chosen);
            self.write_chosen(&format!("{dir}/{member}/*"), How::Below, &unpacked.chosen);
        }
    }

    /// Nothing is unpacked from an archive that is not there, where no command of the line can make it.
    fn leave_out_missing_archives(&mut self) {
        let makes_none = |command: &SimpleCommand| MAKING_NO_ARCHIVE.contains(&command.program());
        if !self.found.simple.iter().all(makes_none) {
            return;
        }
        let files = self.files;
        let is_missing = |file: &PathBuf| {
            let text = file.to_string_lossy();
            let is_known = !text.ends_with("/-")
                && !text.contains(['$', '`', '*', '?', '[', '{', ':'])
                && !text.contains(substitution::MADE);
            is_known && files.is_missing(file)
        };
        let stays = |written: &WrittenPath| !written.chosen.archive.as_ref().is_some_and(is_missing);
        self.found.written.retain(stays);
        self.found.simple.iter_mut().for_each(|command| command.written.retain(stays));
    }

    /// Looks into a script that is called by its path. True when it was read.
    fn is_script(&mut self, words: &[String]) -> bool {
        let mut found = if words[0].contains('/') { self.scripts(&words[0]) } else { Vec::new() };
        // Of `PATH` only directories count that the line puts there.
        let is_known = |dir: &&str| !words[0].contains('/') && !dir.is_empty() && !dir.starts_with('$');
        let dirs: Vec<String> = self
            .value("PATH")
            .iter()
            .flat_map(|dirs| dirs.split(':'))
            .filter(is_known)
            .map(str::to_owned)
            .collect();
        found.extend(dirs.iter().flat_map(|dir| self.scripts(&format!("{dir}/{}", words[0]))));
        found.iter().for_each(|text| self.run_script(text, &words[1..]));
        !found.is_empty()
    }

    /// The texts of the scripts that a word names, perhaps by a pattern: those that the line itself writes, or that the agent may have
    /// written before.
    fn scripts(&mut self, word: &str) -> Vec<String> {
        let path = self.path(word);
        // What the line copies or links over a file is not there yet.
        let paths = [led(&self.copied, &path), led(&self.links, &path), vec![path]].concat();
        let written = paths.iter().rev().find_map(|path| Some((path, self.written_text(path)?)));
        if let Some((path, text)) = written {
            // What it appends to is there before.
            let is_appended = self.appended.contains(path);
            let before = is_appended.then(|| self.script_on_disk(path)).flatten();
            return vec![before.into_iter().chain([text]).collect::<Vec<_>>().join("\n")];
        }
        let is_pattern = |path: &PathBuf| path.to_string_lossy().contains(['*', '?', '[']);
        let (patterns, named): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(is_pattern);
        let patterns: Vec<WrittenPath> = patterns.iter().map(|path| files_of(path)).collect();
        let is_meant = |path: &&PathBuf| patterns.iter().any(|pattern| pattern.reaches(path));
        let written: Vec<PathBuf> =
            self.texts.iter().map(|(path, _)| path).filter(is_meant).cloned().collect();
        let mut texts: Vec<String> = written.iter().filter_map(|path| self.written_text(path)).collect();
        // What may lead through a link is looked for.
        let named = named.into_iter().find(|path| plain(path) != *path || !self.files.is_missing(path));
        let found = patterns.iter().flat_map(|pattern| self.files.scripts(pattern)).chain(named);
        let found: Vec<PathBuf> = found.filter(|path| !written.contains(path)).take(TEXTS_MAX).collect();
        texts.extend(found.iter().filter_map(|path| self.script_on_disk(path)));
        texts
    }

    fn script_on_disk(&mut self, path: &Path) -> Option<String> {
        self.texts_read += 1;
        if self.texts_read > TEXTS_MAX {
            return None;
        }
        let text = self.files.script(path);
        text.filter(|text| self.bytes.saturating_add(text.len()) <= LOOKED_AT_BYTES_MAX)
    }

    /// The scripts that a command reads as its input, by `<` or from a pipe: of those the bodies are only the names.
    fn scripts_read(&mut self, bodies: &[String]) -> Vec<String> {
        let named = |body: &&String| !body.contains(char::is_whitespace) && !body.is_empty();
        bodies.iter().filter(named).flat_map(|file| self.scripts(file)).collect()
    }

    /// The scripts whose text a word is: `$(cat FILE)`, `<(cat FILE)`, `$(< FILE)`.
    fn scripts_shown(&mut self, word: &str) -> Vec<String> {
        let inner = word.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).map(str::trim_start);
        let shows = |inner: &&str| {
            let first = inner.split_whitespace().next().unwrap_or_default();
            first.starts_with('<') || SHOWING.contains(&base_name(first))
        };
        let Some(inner) = inner.filter(shows).filter(|_| self.depth < DEPTH_MAX) else { return Vec::new() };
        if !self.goes_on(inner.len()) {
            return Vec::new();
        }
        let (mut words, mut read) = (Vec::new(), Vec::new());
        self.depth += 1;
        let mut tokens = lex(inner).into_iter();
        while let Some(token) = tokens.next() {
            match (token, tokens.as_slice().first()) {
                (Token::Word(parts), _) => words.extend(self.expand(&parts)),
                (Token::Op("<"), Some(Token::Word(parts))) => {
                    read.extend(self.expand(parts));
                    tokens.next();
                }
                _ => break,
            }
        }
        self.depth -= 1;
        let files = files_shown(&words, &read);
        files.iter().flat_map(|file| self.scripts(file)).collect()
    }

    fn written_text(&self, path: &Path) -> Option<String> {
        self.texts.iter().rev().find(|(written, _)| written == path).map(|(_, text)| text.clone())
    }

    fn run_script(&mut self, text: &str, args: &[String]) {
        let first = text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or_default();
        let is_of_an_interpreter = first.split(['/', ' ']).any(is_interpreter);
        if is_of_an_interpreter {
            self.program_file(text, args);
        } else {
            let outside = self.arguments.replace(args.to_vec());
            self.apart(text);
            self.arguments = outside;
        }
    }

    /// `docker run -v DIR:/work IMAGE COMMAND`, `docker cp`.
    fn container(&mut self, name: &str, args: &[String], bodies: &[String]) {
        let Some(run) = containers::run(args) else {
            for (word, how) in containers::copied(args) {
                self.write_chosen(&word, how, &Chosen::default());
            }
            return self.other(name, args, &positional(args), bodies);
        };
        let (links, cwd) = (self.links.len(), self.cwd.clone());
        let mounts: Vec<(PathBuf, PathBuf)> =
            run.mounts.iter().map(|(host, inside)| (PathBuf::from(inside), self.path(host))).collect();
        let outside = |text: &String| containers::as_outside(text, &mounts);
        let words: Vec<String> = run.words.iter().map(outside).collect();
        let bodies: Vec<String> = bodies.iter().map(outside).collect();
        if let Some(dir) = &run.dir {
            self.cwd = PathBuf::from(outside(dir));
        }
        // Where a path in it is put together: `cd /; touch work/FILE`.
        self.links.extend(mounts);
        let (elsewhere, left) = (std::mem::take(&mut self.elsewhere), std::mem::take(&mut self.left));
        self.simple(words, &bodies);
        (self.elsewhere, self.left) = (elsewhere, left);
        self.cwd = cwd;
        self.links.truncate(links);
    }

    /// `sh -c TEXT`, or a shell that reads a here-document.
    fn shell(&mut self, args: &[String], bodies: &[String]) {
        if only_checks(args) {
            return;
        }
        let (is_text, behind) = behind_options(args);
        let startup = args.windows(2).filter(|pair| matches!(pair[0].as_str(), "--rcfile" | "--init-file"));
        for pair in startup {
            self.scripts(&pair[1]).iter().for_each(|text| drop(self.apart(text)));
        }
        match behind {
            [script, rest @ ..] if is_text => {
                self.variables.extend(rest.first().map(|name| ("0".to_owned(), vec![name.clone()])));
                let outside = self.arguments.replace(rest.iter().skip(1).cloned().collect());
                self.apart(script);
                self.arguments = outside;
            }
            _ => {
                let files = positional(behind);
                let is_of_input = files.first().is_none_or(|file| is_input(file))
                    || args[..args.len() - behind.len()].iter().any(|arg| says_s(arg));
                let named = usize::from(!is_of_input || files.first().is_some_and(|file| is_input(file)));
                let given = files.get(named..).unwrap_or_default();
                let outside = self.arguments.replace(given.to_vec());
                bodies.iter().for_each(|body| drop(self.apart(body)));
                self.arguments = outside;
                match files.first().filter(|_| !is_of_input) {
                    None => self.scripts_read(bodies).iter().for_each(|text| self.run_script(text, given)),
                    // `bash <(echo TEXT)`: no file is called so.
                    Some(text) if text.contains(char::is_whitespace) => self.text(text),
                    Some(file) => self.scripts(file).iter().for_each(|text| self.run_script(text, given)),
                }
            }
        }
    }

    /// What `make` runs of a Makefile that the agent may have written.
    fn make(&mut self, args: &[String]) {
        let Some(made) = makefile::made(args) else { return };
        let before = self.cwd.clone();
        if let Some(dir) = &made.dir {
            self.cwd = self.path(dir);
        }
        let is_there = |path: &PathBuf| self.written_text(path).is_some() || !self.files.is_missing(path);
        let usual = || makefile::NAMES.into_iter().find(|name| is_there(&self.path(name)));
        let file = made.file.as_deref().or_else(usual);
        let read = file.map(|file| self.scripts(file)).unwrap_or_default();
        if let Some(shell) = made.value("SHELL") {
            drop(self.apart(&shell));
        }
        let text = made.evaluated.iter().chain(&read).cloned().collect::<Vec<_>>().join("\n");
        if self.goes_on(text.len()) {
            makefile::lines(&text, &made).iter().for_each(|line| drop(self.apart(line)));
        }
        self.cwd = before;
    }

    /// Any other command: may edit in place, write a file named in an option, or run a program given as text.
    fn other(&mut self, name: &str, args: &[String], files: &[String], bodies: &[String]) {
        let short_i = |arg: &String| {
            arg.starts_with('-')
                && !arg.starts_with("--")
                && arg.split(['e', '=', '\'']).next().is_some_and(|head| head.contains('i'))
        };
        let edits = match name {
            "sed" | "gsed" | "perl" | "ruby" | "awk" | "gawk" | "yq" | "markdown-toc" => {
                args.iter().any(short_i)
            }
            _ => false,
        };
        if edits || fixers::rewrites(name, args) {
            let is_meant = |word: &&String| !(word.contains('*') && fixers::is_for_code_only(name));
            let files: Vec<String> = files.iter().filter(is_meant).cloned().collect();
            self.write_all(&files, How::Here);
        }
        if matches!(name, "jq" | "jaq" | "gojq" | "yq" | "dasel") {
            self.scripts_of_a_filter(args);
        }
        self.carried(name, args, bodies);
        self.started_by_a_runner(name, args);
        self.write_all(&outputs::outputs(name, args), How::Here);
        if let Some((files, is_deep)) = outputs::locked_out(args).filter(|_| name == "chmod") {
            self.write_all(files, How::Here);
            let below =
                files.iter().filter(|_| is_deep).map(|dir| format!("{}/*", dir.trim_end_matches('/')));
            self.write_all(&below.collect::<Vec<_>>(), How::Below);
        }
        if matches!(name, "pwsh" | "powershell") {
            args.iter().for_each(|text| self.text(text));
        }
        if name == "last-word" {
            self.write_all(&super::ours::written_by_us(args), How::Here);
        }
        if programs::RUNNING_FILES.contains(&name) {
            self.file_that_is_run(args, bodies);
        }
        if matches!(name, "awk" | "gawk" | "mawk") {
            self.awk(args, files);
        }
        if COMPILERS.contains(&name) {
            let code = files.iter().filter(|file| is_code(file));
            let texts: Vec<String> = code.flat_map(|file| self.scripts(file)).collect();
            texts.iter().for_each(|text| self.program_file(text, &[]));
        }
        if is_interpreter(name) {
            // `python3 - AGENTS.md`, with a program that opens its arguments.
            args.iter().chain(bodies).for_each(|program| self.program_with(program, files));
            self.program_in_files(name, args, bodies);
        }
    }

    /// `awk -v f=FILE '{print > f}'`, `awk '{print > FILENAME}' FILE`
    fn awk(&mut self, args: &[String], files: &[String]) {
        if args.iter().any(|program| program.contains("> FILENAME")) {
            self.write_all(files, How::Here);
        }
        if args.iter().any(|program| program.contains('>')) {
            let values =
                args.windows(2).filter(|pair| pair[0] == "-v").filter_map(|pair| assignment(&pair[1]));
            let values: Vec<String> = values.map(|(_, value)| value.to_owned()).collect();
            self.write_all(&values, How::Here);
        }
    }

    /// Looks at the commands that may follow in the arguments of an unknown program.
    fn carried(&mut self, name: &str, args: &[String], bodies: &[String]) {
        let runs_none = is_interpreter(name) && !matches!(name, "deno" | "bun");
        let carried = if runs_none { Vec::new() } else { wrappers::carried(name, args) };
        if self.depth >= DEPTH_MAX && !carried.is_empty() {
            return self.not_looked_at(&args.join(" "));
        }
        self.depth += 1;
        for words in carried {
            // Its words are looked at once more, also by those who ask what each of them names.
            if !self.goes_on(words.iter().map(|word| word.len() * TIMES_OF_A_WORD).sum()) {
                break;
            }
            match words.as_slice() {
                [text, ..] if text.contains(' ') => self.text(text),
                _ => self.simple(words, bodies),
            }
        }
        self.depth -= 1;
    }

    /// A program for an interpreter: the paths in it that it may write, and the command lines that it may run.
    fn program(&mut self, program: &str) {
        let code::Program { paths: literals, trees, copied, endings, writes_found, lines } =
            code::read(program);
        if code::changes_trees(program) {
            self.trees(&trees);
        }
        for dir in code::unpacked(program) {
            self.write_chosen(&format!("{dir}/*"), How::Below, &Chosen::but(vec![".*".to_owned()]));
        }
        for dir in code::entered(program) {
            for name in literals.iter().filter(|name| !name.starts_with(['/', '~'])).take(PARTS_MAX) {
                self.write(&format!("{dir}/{name}"), How::Here);
            }
        }
        let of_home = code::speaks_of_home(program);
        let begun = self.joined(&literals, of_home);
        self.pairs(&[copied, literals.clone()].concat());
        let names = [literals, endings].concat();
        self.filled_in(&names, program, &begun, writes_found);
        lines.iter().for_each(|line| self.text(line));
    }

    /// The literals of a program as paths, and joined to one: those below the user's home, where the program speaks of that, and those
    /// below the last path that begins at the root. Gives those below the home, as they grow.
    fn joined(&mut self, literals: &[String], of_home: bool) -> Vec<PathBuf> {
        let mut joined = [self.home.clone(), self.home.clone()];
        let mut begun: Vec<PathBuf> = Vec::new();
        let mut begins_at_root = false;
        for (at, literal) in literals.iter().enumerate() {
            self.write(literal, How::Here);
            // `f"{home}/.config/…"`, `${home}/.config/…`: the variable may be any directory, also the user's home.
            let gap = literal.split_once('}').filter(|(head, _)| head.contains('{'));
            if let Some((_, rest)) = gap.filter(|(_, rest)| rest.contains(char::is_alphanumeric)) {
                self.write(&format!("$unknown/{}", rest.trim_start_matches('/')), How::Here);
                self.write(&format!("~/{}", rest.trim_start_matches('/')), How::Here);
            }
            let plain = literal.trim_start_matches('/');
            // `Path.home() / ".config/…"`, `process.env.HOME + "/…"`.
            if of_home && (at < HOME_MAX || plain.contains('/')) {
                self.found.written.push(WrittenPath::of(self.home.join(plain), How::Here));
            }
            // `Path.home() / ".config" / "agents" / …`.
            if ["~", "HOME", "$HOME"].contains(&literal.as_str()) {
                joined = [self.home.clone(), self.home.clone()];
            } else if at < PARTS_MAX {
                begins_at_root |= literal.starts_with(['/', '~']);
                joined[0].push(plain);
                joined[1] =
                    if literal.starts_with(['/', '~']) { self.path(literal) } else { joined[1].join(plain) };
                let known = joined.iter().zip([of_home, of_home || begins_at_root]);
                let known = known.filter(|(_, is_meant)| *is_meant).map(|(path, _)| path.clone());
                self.found.written.extend(known.map(|path| WrittenPath::of(path, How::Here)));
                begun.extend((of_home && begun.len() < DIRS_MAX).then(|| joined[0].clone()));
            }
        }
        begun
    }

    /// Names that a program fills in, alone and in each directory that it names; `begun` are those that it puts together.
    fn filled_in(&mut self, literals: &[String], program: &str, begun: &[PathBuf], writes_found: bool) {
        let named = literals.iter().filter(|literal| code::is_directory(literal)).take(DIRS_MAX);
        let below_home = |path: &str| self.home.join(path.trim_start_matches(['~', '/']));
        let dirs: Vec<PathBuf> =
            named.flat_map(|dir| [self.path(dir), below_home(dir)]).chain(begun.iter().cloned()).collect();
        for (at, name) in code::names_with_a_gap(literals, program, writes_found).iter().enumerate() {
            self.write(name, How::Here);
            let inside =
                dirs.iter().filter(|_| at < PARTS_MAX && !name.contains('/')).map(|dir| dir.join(name));
            let paths: Vec<PathBuf> =
                inside.chain([self.home.join(name.trim_start_matches(['~', '/']))]).collect();
            self.found.written.extend(paths.into_iter().map(|path| WrittenPath::of(path, How::Here)));
        }
        let dated = code::dated_endings(literals, program);
        let paths = dated.iter().flat_map(|name| dirs.iter().map(move |dir| dir.join(name)));
        let paths: Vec<WrittenPath> = paths.map(|path| WrittenPath::of(path, How::Here)).collect();
        self.found.written.extend(paths);
    }

    /// Paths that two literals of a program may be together: `os.chdir(dir); open(name, "w")`, `shutil.copy(file, dir)`,
    /// `dir + "/name"`, `Path("AGENTS").with_suffix(".md")`.
    fn pairs(&mut self, literals: &[String]) {
        for (at, first) in literals.iter().enumerate().take(PARTS_MAX) {
            for second in literals.iter().skip(at + 1).take(PARTS_MAX) {
                if first.starts_with(['/', '~']) && !second.starts_with(['/', '~']) {
                    self.write(&format!("{first}/{second}"), How::Here);
                }
                // `"%s/USER.md" % dir`
                let behind = second.strip_prefix("%s").unwrap_or(second);
                if behind.starts_with(['/', '.']) && !matches!(behind, "." | "/") && !first.contains(' ') {
                    let below_home = first.strip_prefix('/').filter(|rest| rest.starts_with('.'));
                    self.write(&format!("{first}{behind}"), How::Here);
                    // `ENVIRON["HOME"] "/.config/agents"`
                    below_home
                        .into_iter()
                        .for_each(|rest| self.write(&format!("~/{rest}{behind}"), How::Here));
                }
                if second == "." || second.ends_with('/') || second.starts_with(['/', '~']) {
                    self.write(&format!("{second}/{}", base_name(first)), How::Here);
                }
            }
        }
    }

    /// The directories that a program may remove, move or copy over, with all that is in them: each literal that is a path, and the
    /// pieces that are joined to one.
    fn trees(&mut self, literals: &[String]) {
        let mut joined: Option<PathBuf> = None;
        for literal in literals.iter().take(PARTS_MAX) {
            let rest = literal.split_once('}').filter(|(head, _)| head.contains('{')).map(|(_, rest)| rest);
            let rest = rest.filter(|rest| rest.contains(char::is_alphanumeric));
            let below_home = rest.unwrap_or(literal).trim_start_matches('/');
            let is_path = !literal.trim_matches(['.', '/', '~']).is_empty() && literal != "HOME";
            if is_path {
                self.write(literal, How::Gone);
            }
            if is_path && (literal.contains('/') || rest.is_some()) {
                self.found.written.push(WrittenPath::of(self.home.join(below_home), How::Gone));
            }
            // `Path.home() / ".config" / "agents"`: nearly all that is hidden is directly below the home.
            let begins = literal.starts_with('.') && is_path && !literal.contains('/');
            if begins || !is_path || literal.contains('/') {
                self.gone(joined.take());
            }
            if begins {
                joined = Some(self.home.join(literal));
            } else if let Some(dir) = joined.as_mut().filter(|_| is_path) {
                dir.push(literal);
            }
        }
        self.gone(joined);
    }

    fn gone(&mut self, path: Option<PathBuf>) {
        self.found.written.extend(path.map(|path| WrittenPath::of(path, How::Gone)));
    }

    /// Notes the target as written, and each source's name in it; the sources of a move as removed.
    fn copy(&mut self, name: &str, args: &[String]) {
        let Some(copies) = copies::copies(name, args) else { return };
        self.write(&copies.target, if copies.deletes { How::Gone } else { How::Here });
        for source in &copies.sources {
            let bare = source.trim_end_matches('/');
            let (dir, last) = bare.rsplit_once('/').unwrap_or((".", bare));
            // `host:file` of scp.
            let last = last.rsplit(':').next().unwrap_or(last);
            let to = self.path(&copies.target);
            if matches!(name, "cp" | "rsync") && last.contains(['*', '?', '[']) {
                let dir = if source.starts_with('/') && dir.is_empty() { "/" } else { dir };
                self.found.trees.push(CopiedTree { from: self.path(dir), to, names: Some(last.to_owned()) });
                continue;
            }
            self.write(&format!("{}/{last}", copies.target), How::Here);
            if copies.whole {
                let from = self.path(source);
                let below = to.join(last);
                if !copies.plain {
                    self.found.trees.push(CopiedTree { from: from.clone(), to: below, names: None });
                }
                self.found.trees.push(CopiedTree { from, to, names: None });
            }
            if name == "mv" {
                self.write(source, How::Gone);
            }
        }
        self.link(name, &copies);
    }

    /// Remembers the links and copies that a command makes, and where a link of the line is moved to.
    fn link(&mut self, name: &str, copies: &copies::Copies) {
        for source in &copies.sources {
            let last = base_name(source.trim_end_matches('/'));
            let inside = (!copies.plain && !matches!(last, "" | "." | ".."))
                .then(|| format!("{}/{last}", copies.target.trim_end_matches('/')));
            let is_dir = copies.is_into || copies.target.ends_with('/') || copies.target == ".";
            let itself = (!is_dir).then(|| copies.target.clone());
            for place in inside.into_iter().chain(itself) {
                let place = plain(&self.path(&place));
                let from = match copies.links {
                    Some(Links::FromTheirPlace) => place.parent().unwrap_or(&place).to_owned(),
                    Some(Links::FromHere) => self.cwd.clone(),
                    None => {
                        let from = self.path(source);
                        let targets = led(&self.links, &from).into_iter().filter(|_| name == "mv");
                        targets.for_each(|target| self.remember_link(place.clone(), target));
                        self.remember_copy(place, from);
                        continue;
                    }
                };
                // `ln -s ../*.md DIR`: each of them has its name there.
                match source.rsplit_once('/').filter(|_| last.contains(['*', '?', '['])) {
                    Some((dir, _)) => {
                        let place = place.parent().unwrap_or(&place).to_owned();
                        self.remember_link(place, absolute(dir, &self.home, &from));
                    }
                    None => self.remember_link(place, absolute(source, &self.home, &from)),
                }
            }
        }
    }

    fn remember_copy(&mut self, place: PathBuf, original: PathBuf) {
        if self.copied.len() < LINKS_MAX && place != original {
            self.copied.push((place, original));
        }
    }

    fn remember_link(&mut self, place: PathBuf, target: PathBuf) {
        let link = (place, target);
        let is_new = !self.links.contains(&link) && link.0 != plain(&link.1);
        if self.links.len() < LINKS_MAX && is_new {
            self.links.push(link);
        }
    }

    fn find(&mut self, args: &[String]) {
        let found = searches::found(args);
        let runs = |arg: &str| matches!(arg, "-exec" | "-execdir" | "-ok" | "-okdir");
        let commands = args.iter().enumerate().filter(|(_, arg)| runs(arg));
        let commands: Vec<usize> = commands.take(FIND_COMMANDS_MAX).map(|(at, _)| at + 1).collect();
        let changed: Vec<String> =
            commands.into_iter().flat_map(|at| self.run_by_find(&args[at..], &found)).collect();
        // Directories are deleted where nothing is in them.
        let of_directories = args.windows(2).any(|pair| pair[0] == "-type" && pair[1] == "d");
        let is_deleted =
            args.iter().any(|arg| arg == "-delete") && (!of_directories || searches::has_or(args));
        self.write_found(&found, &changed, is_deleted);
    }

    /// `fd PATTERN DIR -x COMMAND`.
    fn fd(&mut self, args: &[String]) {
        let Some(at) = args.iter().position(|arg| searches::is_exec_of_fd(arg)) else { return };
        let found = searches::found_by_fd(&args[..at]);
        let mut run: Vec<String> = args[at + 1..].iter().take_while(|word| *word != ";").cloned().collect();
        // Any of its words may stand for the file: `{}`, `{/}`.
        run.iter_mut().filter(|word| word.starts_with('{')).for_each(|word| *word = "{}".to_owned());
        if !run.iter().any(|word| word == "{}") {
            run.push("{}".to_owned());
        }
        let changed = self.run_by_find(&run, &found);
        self.write_found(&found, &changed, false);
    }

    /// Notes the files that a search found as changed; of a directory that it found, what is changed in it.
    fn write_found(&mut self, found: &Names, changed: &[String], is_deleted: bool) {
        for word in &found.words {
            if is_deleted || changed.iter().any(String::is_empty) {
                self.write_chosen(word, How::Here, &found.chosen);
            }
            for inside in changed.iter().filter(|inside| !inside.is_empty()) {
                self.write_chosen(&format!("{word}/{inside}"), How::Here, &found.chosen);
            }
        }
    }

    /// Looks at a command that `find` runs. Returns what it changes of the files that were found: nothing behind their path, or a path
    /// inside of one. Other files it changes are noted.
    fn run_by_find(&mut self, run: &[String], names: &Names) -> Vec<String> {
        const FOUND: &str = "/found-by-find";
        let name = match names.words.as_slice() {
            [word] => base_name(word),
            _ => "*",
        };
        let found = format!("{FOUND}/{name}");
        let words = run.iter().take_while(|word| !matches!(word.as_str(), ";" | "+" | "\\;"));
        let words: Vec<String> = words.map(|word| word.replace("{}", &found)).collect();
        // A command of `find` may be `find` again, which looks at the same words once more.
        if self.depth >= DEPTH_MAX || !self.goes_on(words.iter().map(String::len).sum()) {
            self.is_longer = true;
            return vec![String::new()];
        }
        let mut probe = Run {
            home: self.home.clone(),
            cwd: self.cwd.clone(),
            depth: self.depth + 1,
            calls: self.calls,
            steps: self.steps,
            bytes: self.bytes,
            texts_read: self.texts_read,
            ..Run::with(self.files)
        };
        // The files that it finds are those that a command of it may run.
        for word in &names.words {
            probe.remember_copy(PathBuf::from(&found), self.path(word));
        }
        probe.texts.clone_from(&self.texts);
        probe.simple(words, &[]);
        self.found.simple.append(&mut probe.found.simple);
        (self.calls, self.steps, self.bytes) = (probe.calls, probe.steps, probe.bytes);
        self.texts_read = probe.texts_read;
        self.is_longer |= probe.is_longer;
        let (changed, others): (Vec<_>, Vec<_>) =
            probe.found.written.into_iter().partition(|written| written.path.starts_with(FOUND));
        self.found.written.extend(others);
        // What is copied for each file that is found: `find docs -name '*.md' -exec cp {} . \\;`.
        for tree in probe.found.trees.iter().filter(|tree| tree.from.starts_with(FOUND)) {
            let dirs = names.words.iter().filter_map(|word| Some(word.rsplit_once("/**/")?.0));
            let from: Vec<PathBuf> = dirs.map(|dir| self.path(dir)).collect();
            self.found.trees.extend(from.into_iter().map(|from| CopiedTree { from, ..tree.clone() }));
        }
        let inside = |written: WrittenPath| {
            let rest = written.path.strip_prefix(&found).map(|rest| rest.display().to_string());
            rest.unwrap_or_default()
        };
        changed.into_iter().map(inside).collect()
    }
}

/// The files that a pattern means: `docs/*.sh`, `./**/*.sh`.
fn files_of(pattern: &Path) -> WrittenPath {
    let text = pattern.to_string_lossy();
    match text.split_once("/**/") {
        Some((dir, name)) => WrittenPath::of(Path::new(dir).join(base_name(name)), How::Below),
        None => WrittenPath::of(pattern.to_owned(), How::Here),
    }
}

/// The words of values that stand in no quotes. What a command would print is not known, and stays one.
fn split(values: Vec<String>) -> Vec<String> {
    let is_known = |value: &String| value.contains([' ', '\t', '\n']) && !value.contains(['$', '`']);
    let words = |value: String| match is_known(&value) {
        true => value.split_whitespace().map(str::to_owned).collect(),
        false => vec![value],
    };
    values.into_iter().flat_map(words).take(WORDS_MAX).collect()
}

/// The arguments that are no options; behind `--` all of them.
pub(super) fn positional(args: &[String]) -> Vec<String> {
    let ends = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let before = args[..ends].iter().filter(|arg| !arg.starts_with('-') || *arg == "-");
    before.chain(args.iter().skip(ends + 1)).cloned().collect()
}

/// The files that a system of versions puts back; all of a directory where none is named.
fn put_back(args: &[String]) -> Vec<String> {
    let files = positional(args);
    let Some((_, files)) = files.split_first().filter(|(verb, _)| PUT_BACK.contains(&verb.as_str())) else {
        return Vec::new();
    };
    let of =
        |file: &String| if matches!(file.as_str(), "." | "./") { "**/*".to_owned() } else { file.clone() };
    if files.is_empty() { vec!["**/*".to_owned()] } else { files.iter().map(of).collect() }
}

/// The words of a command's input.
fn words_in(bodies: &[String]) -> Vec<String> {
    let words = bodies.iter().flat_map(|body| body.split_whitespace().map(str::to_owned));
    words.take(WORDS_MAX).collect()
}

/// `name+=value`
fn appended(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once("+=")?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    // `mdformat==0.7` is a package with its version.
    let (name, value) = word.split_once('=').filter(|(_, value)| !value.starts_with('='))?;
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(letters))
        .then_some((name, value))
}

/// The name of a program, without the version with which a package manager is asked for it: `prettier@3`, `mdformat==0.7`.
pub(super) fn program_name(word: &str) -> &str {
    let name = base_name(word.strip_prefix("npm:").unwrap_or(word));
    let end = name.char_indices().skip(1).find(|(at, c)| *c == '@' || name[*at..].starts_with("=="));
    end.map_or(name, |(at, _)| &name[..at])
}

/// The program that a pattern means: `/usr/bin/t?e`.
fn meant_by_pattern(name: &str) -> &str {
    let known = || REMOVE.iter().chain(&WRITE).chain(&COPY).chain(&SHELLS);
    let meant = known().find(|known| super::fits(name, known));
    meant.filter(|_| name.contains(['*', '?', '['])).copied().unwrap_or(name)
}

pub(super) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// `a{b,c}d` is `abd` and `acd`.
fn braces(text: &str) -> Vec<String> {
    let open = text.find('{');
    let close = open.and_then(|open| text[open..].find('}').map(|close| open + close));
    let (Some(open), Some(close)) = (open, close) else { return vec![text.to_owned()] };
    let inside = &text[open + 1..close];
    if !inside.contains(',') {
        return vec![text.to_owned()];
    }
    // Too many to look at each: a pattern that any of them fits.
    if inside.split(',').count() > WORDS_MAX {
        return vec![format!("{}*{}", &text[..open], &text[close + 1..])];
    }
    inside
        .split(',')
        .take(WORDS_MAX)
        .map(|one| format!("{}{one}{}", &text[..open], &text[close + 1..]))
        .collect()
}

/// The same for every brace in a text: tools read those in patterns that a shell left alone.
fn all_braces(text: &str) -> Vec<String> {
    let mut found = vec![text.to_owned()];
    for _ in 0..DEPTH_MAX {
        let next: Vec<String> = found.iter().flat_map(|one| braces(one)).take(WORDS_MAX).collect();
        if next == found {
            break;
        }
        found = next;
    }
    found
}

fn is_code(file: &str) -> bool {
    CODE.iter().any(|ending| file.ends_with(ending))
}

/// Whether an editor is started read-only.
fn is_viewer(name: &str, args: &[String]) -> bool {
    matches!(name, "vi" | "vim" | "nvim") && args.iter().any(|arg| matches!(arg.as_str(), "-R" | "-M"))
}

/// A pattern for a name in upper and lower case.
pub(super) fn any_case(name: &str) -> String {
    let both = |c: char| match c.is_ascii_alphabetic() {
        true => format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase()),
        false => c.to_string(),
    };
    name.chars().map(both).collect()
}

/// A part of a value: `${name:1}`, `${name:0:3}`, `${name: -3}`. What cannot be read as numbers leaves it as it is.
fn part(value: &str, places: &str) -> Option<String> {
    let (from, len) = places.split_once(':').map_or((places, None), |(from, len)| (from, Some(len)));
    let chars: Vec<char> = value.chars().collect();
    let end = chars.len();
    let place = |text: &str, start: usize| {
        let text = text.trim().trim_matches(['(', ')']);
        let number: isize = if text.is_empty() { 0 } else { text.parse().ok()? };
        let back = number.unsigned_abs();
        Some(if number < 0 { end.saturating_sub(back) } else { start.saturating_add(back) }.min(end))
    };
    let from = place(from, 0)?;
    let to = len.map_or(Some(end), |len| place(len, from))?;
    Some(chars.get(from..to)?.iter().collect())
}

/// A value as `${name%text}`, `${name#text}` or `${name/text/other}` changes it; `None` without a change.
fn changed(value: &str, change: &str) -> Option<String> {
    let first = change.chars().next()?;
    if first == ':' {
        return part(value, &change[1..]);
    }
    let (text, all) = match change[1..].strip_prefix(first) {
        Some(text) => (text, true),
        None => (&change[1..], false),
    };
    let fits = |part: &str| super::fits(text, part);
    let mut ends: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
    match first {
        '^' if all => Some(value.to_uppercase()),
        ',' if all => Some(value.to_lowercase()),
        '^' | ',' => {
            let head = value.chars().next()?;
            let rest = &value[head.len_utf8()..];
            let head = head.to_string();
            Some(format!("{}{rest}", if first == '^' { head.to_uppercase() } else { head.to_lowercase() }))
        }
        '/' => {
            let (text, other) = text.split_once('/').unwrap_or((text, ""));
            Some(if all { value.replace(text, other) } else { value.replacen(text, other, 1) })
        }
        '%' => {
            if !all {
                ends.reverse();
            }
            let end = ends.into_iter().find(|end| fits(&value[*end..]));
            Some(end.map_or(value, |end| &value[..end]).to_owned())
        }
        _ => {
            if all {
                ends.reverse();
            }
            let end = ends.into_iter().find(|end| fits(&value[..*end]));
            Some(end.map_or(value, |end| &value[end..]).to_owned())
        }
    }
}

/// What is typed into a terminal of `tmux` or `screen`, or run in a new one.
fn multiplexed(args: &[String]) -> String {
    const WITH_VALUE: [&str; 12] = ["-t", "-s", "-n", "-c", "-S", "-L", "-f", "-p", "-x", "-y", "-F", "-X"];
    const KEYS: [&str; 5] = ["Enter", "C-m", "KPEnter", "Space", "stuff"];
    let is_verb_alone = |words: &[String]| match words {
        [] => true,
        [verb] => verb.contains(['-', 'w']) || matches!(verb.as_str(), "send" | "run"),
        _ => false,
    };
    let mut words = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-X" | "-dmS" if words.is_empty() => drop(args.next()),
            option if is_verb_alone(&words) && WITH_VALUE.contains(&option) => drop(args.next()),
            option if option.starts_with('-') && words.len() < 2 => {}
            key if KEYS.contains(&key) => {}
            word => words.push(word.replace("\\n", "\n")),
        }
    }
    let is_verb = |word: &String| !word.contains([' ', '/', '.']);
    let text = if words.len() > 1 && is_verb(&words[0]) { &words[1..] } else { &words[..] };
    text.join(" ")
}

/// The command of `ssh`, where that is for this machine.
fn on_this_machine(files: &[String]) -> String {
    let Some((host, command)) = files.split_first() else { return String::new() };
    let host = host.rsplit('@').next().unwrap_or(host);
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "::1" | "ip6-localhost");
    if is_here { command.join(" ") } else { String::new() }
}

/// Puts words that come from a pipe behind a command, or where its own words say.
fn feed(bare: &mut Bare, mut fed: Vec<String>) {
    // `parallel COMMAND ::: ARGUMENTS`
    if let Some(at) = bare.words.iter().position(|word| word == ":::") {
        fed.extend(bare.words.split_off(at).into_iter().skip(1));
    }
    let place =
        bare.place.as_ref().filter(|place| bare.words.iter().any(|word| word.contains(place.as_str())));
    let Some(place) = place else { return bare.words.extend(fed) };
    if fed.is_empty() {
        return;
    }
    let put = |word: &String| {
        if !word.contains(place.as_str()) {
            return vec![word.clone()];
        }
        let put: Vec<String> = fed.iter().map(|one| word.replace(place.as_str(), one)).collect();
        // A text of several words is a script: it is run with each.
        if word.contains(' ') { vec![put.join("\n")] } else { put }
    };
    bare.words = bare.words.iter().flat_map(put).take(WORDS_MAX).collect();
}

fn is_bang(parts: &[Part]) -> bool {
    matches!(parts, [Part::Text { text, quoted: false }] if text == "!")
}

/// Whether a file's name means the standard input.
fn is_input(file: &str) -> bool {
    matches!(file, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}
