//! A walk through a command line: variables, `cd`, links and redirects on the way, and what each known command writes.

use super::lex::{Part, Token, lex};
use super::{Analysis, CommandDirs, How, SimpleCommand, WrittenPath, absolute, code};
use std::path::PathBuf;

/// Commands within commands that are looked into.
const DEPTH_MAX: usize = 8;
/// Words one word may become.
const WORDS_MAX: usize = 64;
/// A command longer than this is looked at only so far.
const COMMAND_BYTES_MAX: usize = 256 << 10;

const KEYWORDS: [&str; 12] =
    ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "time", "coproc"];
/// String literals of a program that are put together to a path, at most.
const PARTS_MAX: usize = 16;
/// Links that one line makes, at most: each path that it writes is held against them.
const LINKS_MAX: usize = 64;
/// Which of their options have a value of its own behind them.
const WRAPPER_VALUES: [(&str, &str); 9] = [
    ("sudo", "ugphCDRTr"),
    ("doas", "uC"),
    ("env", "uCS"),
    ("nice", "n"),
    ("ionice", "cnpPu"),
    ("stdbuf", "ioe"),
    ("timeout", "ks"),
    ("xargs", "InPdsLEa"),
    ("exec", "a"),
];
/// They run the command that follows their options.
const WRAPPERS: [&str; 16] = [
    "sudo",
    "doas",
    "env",
    "command",
    "builtin",
    "exec",
    "nohup",
    "nice",
    "ionice",
    "stdbuf",
    "xargs",
    "setsid",
    "timeout",
    "caffeinate",
    "busybox",
    "unbuffer",
];
pub(super) const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"];
pub(super) const INTERPRETERS: [&str; 13] = [
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
];
pub(super) const REMOVE: [&str; 7] = ["rm", "unlink", "shred", "rmdir", "srm", "trash", "trash-put"];
pub(super) const WRITE: [&str; 14] = [
    "tee", "sponge", "truncate", "ed", "ex", "vi", "vim", "nvim", "emacs", "nano", "micro", "dos2unix",
    "mdformat", "sd",
];
pub(super) const COPY: [&str; 7] = ["cp", "mv", "install", "ln", "rsync", "scp", "ditto"];
/// Where `-o FILE` is something else.
const OTHER_O: [&str; 8] = ["grep", "egrep", "rg", "ls", "ps", "find", "set", "test"];

pub(super) fn run(command: &str, place: &CommandDirs<'_>) -> Analysis {
    let mut run = Run {
        home: place.home.to_owned(),
        cwd: place.cwd.to_owned(),
        variables: place.variables.iter().map(|(name, value)| (name.clone(), vec![value.clone()])).collect(),
        aliases: Vec::new(),
        exported: Vec::new(),
        links: Vec::new(),
        found: Analysis::default(),
        depth: 0,
        piped: false,
    };
    run.text(command);
    run.found
}

struct Run {
    home: PathBuf,
    cwd: PathBuf,
    variables: Vec<(String, Vec<String>)>,
    aliases: Vec<(String, String)>,
    /// Variables that the later commands of the line find in their environment.
    exported: Vec<(String, String)>,
    /// Links this command makes itself: name, target.
    links: Vec<(PathBuf, PathBuf)>,
    found: Analysis,
    depth: usize,
    /// The next command reads a pipe.
    piped: bool,
}

impl Run {
    fn text(&mut self, command: &str) {
        if self.depth >= DEPTH_MAX || command.len() > COMMAND_BYTES_MAX {
            self.not_looked_at(command);
            return;
        }
        self.depth += 1;
        let tokens = lex(command);
        let mut outer = Vec::new();
        let mut words: Vec<String> = Vec::new();
        let mut bodies: Vec<String> = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(parts) => words.extend(self.expand(&parts)),
                Token::Body { text, commands } => {
                    commands.iter().for_each(|command| self.text(command));
                    bodies.push(text);
                }
                Token::Op(op @ (">" | ">>" | ">|" | "&>" | "&>>" | ">&" | "<>")) => {
                    if let Some(Token::Word(parts)) = tokens.next_if(|next| matches!(next, Token::Word(_))) {
                        let targets = self.expand(&parts);
                        let is_descriptor = |target: &String| {
                            op == ">&" && target.bytes().all(|b| b.is_ascii_digit() || b == b'-')
                        };
                        targets.iter().filter(|target| !is_descriptor(target)).for_each(|t| {
                            let before = self.found.written.len();
                            self.write(t, How::Here);
                            self.found.redirected.extend_from_slice(&self.found.written[before..]);
                        });
                    }
                }
                Token::Op("<" | "<<<" | "<&") => {
                    if let Some(Token::Word(parts)) = tokens.next_if(|next| matches!(next, Token::Word(_))) {
                        bodies.extend(self.expand(&parts));
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
                    self.simple(std::mem::take(&mut words), &std::mem::take(&mut bodies));
                    self.piped = matches!(op, "|" | "|&") || (op == "(" && self.piped);
                    match op {
                        "(" => outer.push(self.cwd.clone()),
                        ")" => self.cwd = outer.pop().unwrap_or_else(|| self.cwd.clone()),
                        _ => {}
                    }
                }
            }
        }
        self.simple(words, &bodies);
        self.piped = false;
        self.depth -= 1;
    }

    /// A text that is too long or too deep to look into is one command that nobody knows.
    fn not_looked_at(&mut self, command: &str) {
        self.found.simple.push(SimpleCommand {
            words: vec!["?".to_owned(), command.to_owned()],
            cwd: self.cwd.clone(),
            ..SimpleCommand::default()
        });
    }

    /// The words a word becomes; commands in it are looked at, what they print is not known.
    fn expand(&mut self, parts: &[Part]) -> Vec<String> {
        let mut words = vec![String::new()];
        for part in parts {
            let values = match part {
                Part::Text { text, quoted: true } => vec![text.clone()],
                Part::Text { text, quoted: false } => braces(text),
                Part::Variable(name) => self.value(name),
                Part::Command(command) => {
                    self.text(command);
                    // What the command prints is not known: the word keeps `$(…)`, which shows that.
                    vec![format!("$({command})")]
                }
            };
            let glue =
                |head: &String| values.iter().map(move |tail| format!("{head}{tail}")).collect::<Vec<_>>();
            words = words.iter().flat_map(glue).take(WORDS_MAX).collect();
        }
        words
    }

    fn value(&self, name: &str) -> Vec<String> {
        let known = self.variables.iter().rev().find(|(known, _)| known == name);
        match (known, name) {
            (Some((_, values)), _) => values.clone(),
            (None, "HOME") => vec![self.home.display().to_string()],
            (None, "PWD") => vec![self.cwd.display().to_string()],
            // The value is not known: the word keeps `$name`, which shows that.
            _ => vec![format!("${name}")],
        }
    }

    fn path(&self, word: &str) -> PathBuf {
        absolute(word, &self.home, &self.cwd)
    }

    fn write(&mut self, word: &str, how: How) {
        if word.is_empty() {
            return;
        }
        let path = self.path(word);
        let through = |(name, target): &(PathBuf, PathBuf)| {
            let rest = path.strip_prefix(name).ok()?;
            Some(if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) })
        };
        let linked: Vec<PathBuf> = self.links.iter().filter_map(through).collect();
        let paths: Vec<PathBuf> = linked.into_iter().chain([path.clone()]).collect();
        self.found.written.extend(paths.into_iter().map(|path| WrittenPath { path, how }));
    }

    fn write_all(&mut self, words: &[String], how: How) {
        for word in words {
            self.write(word, how);
        }
    }

    /// One command with its arguments, redirects taken out. `bodies` is what it reads from here-documents.
    fn simple(&mut self, mut words: Vec<String>, bodies: &[String]) {
        let mut assigned = Vec::new();
        let mut fed = false;
        loop {
            let Some(first) = words.first() else {
                self.found.fed |= fed;
                return;
            };
            if let Some((name, value)) = assignment(first) {
                self.variables.push((name.to_owned(), vec![value.to_owned()]));
                assigned.push((name.to_owned(), value.to_owned()));
                words.remove(0);
            } else if KEYWORDS.contains(&first.as_str()) {
                words.remove(0);
            } else if let Some((_, meant)) = self.aliases.iter().rev().find(|(name, _)| name == first) {
                let meant: Vec<String> = meant.split_whitespace().map(str::to_owned).collect();
                if meant.first() == Some(first) {
                    break;
                }
                words.splice(..1, meant);
            } else if WRAPPERS.contains(&base_name(first)) {
                fed |= base_name(first) == "xargs";
                let wrapper = base_name(&words.remove(0)).to_owned();
                let arguments = usize::from(wrapper == "timeout");
                let options = options_of(&wrapper, &words);
                words.drain(..(options + arguments).min(words.len()));
            } else {
                break;
            }
        }
        self.found.fed |= fed;
        self.found.commands.push(words.clone());
        let at = self.found.simple.len();
        let before = self.found.written.len();
        self.found.simple.push(SimpleCommand {
            words: words.clone(),
            assigned: self.exported.iter().cloned().chain(assigned).collect(),
            bodies: bodies.to_vec(),
            cwd: self.cwd.clone(),
            fed,
            piped: self.piped,
            written: Vec::new(),
        });
        let name = base_name(&words[0]);
        let exported = self.exported.len();
        if SHELLS.contains(&name) {
            self.exported
                .extend(self.found.simple[at].assigned.iter().skip(exported).cloned().collect::<Vec<_>>());
        }
        self.command(name, &words[1..], bodies);
        if SHELLS.contains(&name) {
            self.exported.truncate(exported);
        }
        // The files that an inner shell writes are recorded with the commands in it.
        if !SHELLS.contains(&name) && name != "eval" {
            self.found.simple[at].written = self.found.written[before..].to_vec();
        }
    }

    fn command(&mut self, name: &str, args: &[String], bodies: &[String]) {
        let files = positional(args);
        match name {
            "cd" | "pushd" => {
                if let Some(dir) = files.first().filter(|dir| !dir.is_empty()) {
                    self.cwd = self.path(dir);
                }
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                for (variable, value) in files.iter().filter_map(|word| assignment(word)) {
                    self.variables.push((variable.to_owned(), vec![value.to_owned()]));
                    if name == "export" {
                        self.exported.push((variable.to_owned(), value.to_owned()));
                    }
                }
            }
            "for" => {
                if let [variable, _, values @ ..] = args {
                    self.variables.push((variable.clone(), values.iter().take(WORDS_MAX).cloned().collect()));
                }
            }
            "alias" => {
                let defined = args.iter().filter_map(|word| word.split_once('='));
                self.aliases.extend(defined.map(|(name, meant)| (name.to_owned(), meant.to_owned())));
            }
            "eval" => self.text(&args.join(" ")),
            "dd" => args
                .iter()
                .filter_map(|arg| arg.strip_prefix("of="))
                .for_each(|file| self.write(file, How::Here)),
            "find" => self.find(args),
            "git" => self.git(args),
            "patch" => self.patch(&files, bodies),
            "apply_patch" | "applypatch" => {
                let named: Vec<String> =
                    files.iter().chain(bodies).flat_map(|text| crate::patch::paths(text)).collect();
                self.write_all(&named, How::Here);
            }
            _ if REMOVE.contains(&name) => self.write_all(&files, How::Gone),
            _ if WRITE.contains(&name) => self.write_all(&files, How::Here),
            _ if COPY.contains(&name) => self.copy(name, args, &files),
            _ if SHELLS.contains(&name) => self.shell(args, bodies),
            _ => self.other(name, args, &files, bodies),
        }
    }

    /// `sh -c TEXT`, or a shell that reads a here-document.
    fn shell(&mut self, args: &[String], bodies: &[String]) {
        let flag =
            args.iter().position(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c'));
        match flag.and_then(|at| args.get(at + 1)) {
            Some(script) => self.text(script),
            None => bodies.iter().for_each(|body| self.text(body)),
        }
    }

    /// Whatever else: editing in place, an output file by option, a program for an interpreter.
    fn other(&mut self, name: &str, args: &[String], files: &[String], bodies: &[String]) {
        let short_i = |arg: &String| {
            arg.starts_with('-')
                && !arg.starts_with("--")
                && arg.split(['e', '=', '\'']).next().is_some_and(|head| head.contains('i'))
        };
        let edits = match name {
            "sed" | "gsed" | "perl" | "ruby" | "awk" | "gawk" | "yq" => args.iter().any(short_i),
            _ => false,
        };
        let long = |arg: &String| {
            ["--in-place", "--inplace", "--write", "--fix"].iter().any(|option| arg.starts_with(option))
        };
        if edits || args.iter().any(long) {
            self.write_all(files, How::Here);
        }
        if !OTHER_O.contains(&name) {
            for pair in args.windows(2).filter(|pair| matches!(pair[0].as_str(), "-o" | "-O" | "--output")) {
                self.write(&pair[1], How::Here);
            }
            args.iter()
                .filter_map(|arg| arg.strip_prefix("--output="))
                .for_each(|file| self.write(file, How::Here));
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if INTERPRETERS.contains(&stem) {
            for program in args.iter().chain(bodies) {
                // `Path.home() / ".config" / "agents" / …`.
                let mut joined = self.home.clone();
                for (at, literal) in code::literals(program).iter().enumerate() {
                    self.write(literal, How::Here);
                    let plain = literal.trim_start_matches('/');
                    // `Path.home() / ".config/…"`, `process.env.HOME + "/…"`.
                    let below_home = self.home.join(plain);
                    self.found.written.push(WrittenPath { path: below_home, how: How::Here });
                    if at < PARTS_MAX {
                        joined.push(plain);
                        self.found.written.push(WrittenPath { path: joined.clone(), how: How::Here });
                    }
                }
            }
        }
    }

    /// The last argument (or `-t DIR`) is written, and each source's name in it; a move takes its sources away.
    fn copy(&mut self, name: &str, args: &[String], files: &[String]) {
        // `-rt DIR`, `-tDIR`; a long option can be cut short.
        let is_long = |option: &str| option.len() > 3 && "--target-directory".starts_with(option);
        let is_short =
            |option: &str| option.starts_with('-') && !option.starts_with("--") && option.ends_with('t');
        let by_word = args.windows(2).find(|pair| is_short(&pair[0]) || is_long(&pair[0]));
        let by_value = args.iter().find_map(|arg| match arg.split_once('=') {
            Some((option, dir)) if is_long(option) => Some(dir),
            _ => arg.strip_prefix("-t").filter(|dir| !dir.is_empty()),
        });
        let by_option = by_word.map(|pair| pair[1].as_str()).or(by_value);
        let (target, sources): (String, Vec<String>) = match (by_option, files) {
            (Some(dir), files) => {
                (dir.to_owned(), files.iter().filter(|file| **file != dir).cloned().collect())
            }
            (None, [sources @ .., target]) => (target.clone(), sources.to_vec()),
            (None, []) => return,
        };
        self.write(&target, How::Here);
        for source in &sources {
            self.write(&format!("{target}/{}", base_name(source)), How::Here);
            if name == "mv" {
                self.write(source, How::Gone);
            }
            if name == "ln" {
                let link = (self.path(&target), self.path(source));
                if self.links.len() < LINKS_MAX && !self.links.contains(&link) {
                    self.links.push(link);
                }
            }
        }
    }

    fn find(&mut self, args: &[String]) {
        let runs = |arg: &String| matches!(arg.as_str(), "-exec" | "-execdir" | "-ok");
        let run = args.iter().position(runs).map(|at| &args[at + 1..]);
        let changes =
            args.iter().any(|arg| arg == "-delete") || run.is_some_and(|run| self.would_change(run));
        if !changes {
            return;
        }
        let mut dirs: Vec<String> =
            args.iter().take_while(|arg| !arg.starts_with(['-', '(', '!'])).cloned().collect();
        if dirs.is_empty() {
            dirs.push(".".to_owned());
        }
        let named = args.windows(2).find(|pair| matches!(pair[0].as_str(), "-name" | "-iname"));
        let name = named.map_or("*", |pair| pair[1].as_str());
        for dir in dirs {
            self.write(&format!("{dir}/{name}"), How::Below);
        }
    }

    /// Whether the command that `find` runs changes the files it finds.
    fn would_change(&self, run: &[String]) -> bool {
        const FOUND: &str = "/found-by-find";
        let words = run.iter().take_while(|word| !matches!(word.as_str(), ";" | "+" | "\\;"));
        let words = words.map(|word| word.replace("{}", FOUND)).collect();
        let mut probe = Run {
            home: self.home.clone(),
            cwd: self.cwd.clone(),
            variables: Vec::new(),
            aliases: Vec::new(),
            exported: Vec::new(),
            links: Vec::new(),
            found: Analysis::default(),
            depth: self.depth,
            piped: false,
        };
        probe.simple(words, &[]);
        probe.found.written.iter().any(|written| written.path.as_os_str() == FOUND)
    }

    fn git(&mut self, args: &[String]) {
        let mut rest = args;
        let before = self.cwd.clone();
        while let [flag, value, tail @ ..] = rest {
            match flag.as_str() {
                "-C" => self.cwd = self.path(value),
                "-c" | "--git-dir" | "--work-tree" => {}
                _ => break,
            }
            rest = tail;
        }
        if let [command, tail @ ..] = rest
            && matches!(command.as_str(), "checkout" | "restore" | "rm" | "mv")
        {
            self.write_all(&positional(tail), How::Here);
        }
        self.cwd = before;
    }

    fn patch(&mut self, files: &[String], bodies: &[String]) {
        self.write_all(files, How::Here);
        let named: Vec<String> = bodies.iter().flat_map(|body| crate::patch::paths(body)).collect();
        self.write_all(&named, How::Here);
    }
}

/// What is no option; after `--` everything.
pub(super) fn positional(args: &[String]) -> Vec<String> {
    let ends = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let before = args[..ends].iter().filter(|arg| !arg.starts_with('-') || *arg == "-");
    before.chain(args.iter().skip(ends + 1)).cloned().collect()
}

/// How many words after a wrapper are its options and their values.
fn options_of(wrapper: &str, words: &[String]) -> usize {
    let valued = WRAPPER_VALUES.iter().find(|(name, _)| *name == wrapper).map_or("", |(_, letters)| letters);
    let mut options = 0;
    while let Some(option) = words.get(options).filter(|word| word.starts_with('-')) {
        let takes_next = option.len() == 2 && valued.contains(&option[1..]);
        options += 1 + usize::from(takes_next);
    }
    options
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(letters))
        .then_some((name, value))
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
    inside
        .split(',')
        .take(WORDS_MAX)
        .map(|one| format!("{}{one}{}", &text[..open], &text[close + 1..]))
        .collect()
}
