//! Walks through a command line command by command: follows variables, `cd`, links and redirects, and notes what each known
//! command writes.

use super::lex::{Part, Token, lex};
use super::{
    Analysis, CommandDirs, CopiedTree, How, NOT_LOOKED_AT, SimpleCommand, WrittenPath, absolute, code, led_by,
};
use super::{copies, fixers, functions, substitution, wrappers};
use std::path::PathBuf;

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
/// The most commands of one `find` that are looked at.
const FIND_COMMANDS_MAX: usize = 8;
/// The most texts and commands in one line that are looked at.
const STEPS_MAX: usize = 2_000;
/// The most bytes of a line that are looked at, counted after variables were replaced: a line may double a variable again and again
/// (`a=$a$a`).
const LOOKED_AT_BYTES_MAX: usize = 1 << 20;
/// What a token counts for in that.
const BYTES_OF_A_TOKEN: usize = 8;
/// A word that is longer after its variables were replaced counts as unknown.
const WORD_BYTES_MAX: usize = 16 << 10;
/// The most directories that a line may be in, or go back to.
const ELSEWHERE_MAX: usize = 8;
/// The most links of one line that are remembered: each path that the line writes is compared with them.
const LINKS_MAX: usize = 64;
pub(super) const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"];
const INTERPRETERS: [&str; 27] = [
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
];
pub(super) const REMOVE: [&str; 8] =
    ["rm", "unlink", "shred", "rmdir", "srm", "trash", "trash-put", "rename"];
/// Programs that replace each file by a packed or unpacked one of another name, unless an option keeps it.
const PACK: [&str; 8] = ["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "compress"];
pub(super) const WRITE: [&str; 19] = [
    "doctoc", "hx", "kak", "joe", "pico", "tee", "sponge", "truncate", "ed", "ex", "vi", "vim", "nvim",
    "emacs", "nano", "micro", "dos2unix", "mdformat", "sd",
];
pub(super) const COPY: [&str; 7] = ["cp", "mv", "install", "ln", "rsync", "scp", "ditto"];

/// Whether a program of this name, perhaps with a version behind it, runs programs that are given to it as text.
pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// The name of the files that `find` is told to look for.
pub(super) fn name_sought(args: &[String]) -> &str {
    let named = args.windows(2).find(|pair| matches!(pair[0].as_str(), "-name" | "-iname"));
    named.map_or("*", |pair| pair[1].as_str())
}

pub(super) fn run(command: &str, place: &CommandDirs<'_>) -> Analysis {
    let variables = place.variables.iter().map(|(name, value)| (name.clone(), vec![value.clone()]));
    let mut run = Run {
        home: place.home.to_owned(),
        cwd: place.cwd.to_owned(),
        variables: variables.collect(),
        ..Run::default()
    };
    run.text(command);
    if run.is_longer {
        run.not_looked_at(command);
    }
    run.found.links = run.links;
    run.found
}

/// A command without the words that stand before it.
#[derive(Default)]
struct Bare {
    words: Vec<String>,
    assigned: Vec<(String, String)>,
    /// Whether arguments come from a pipe.
    fed: bool,
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

#[derive(Default)]
struct Run {
    home: PathBuf,
    cwd: PathBuf,
    variables: Vec<(String, Vec<String>)>,
    aliases: Vec<(String, String)>,
    /// Variables that are in the environment of the commands that follow.
    exported: Vec<(String, String)>,
    /// Links that the line makes: name, target.
    links: Vec<(PathBuf, PathBuf)>,
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

impl Run {
    fn text(&mut self, command: &str) {
        drop(self.walked(command));
    }

    /// Walks through a text. Returns its words when it is one command and nothing else.
    fn walked(&mut self, command: &str) -> Option<Vec<String>> {
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
        let is_one =
            looked_at.len() == command.len() && tokens.iter().all(|token| matches!(token, Token::Word(_)));
        self.functions.extend(functions::defined(&tokens));
        let words = self.tokens(tokens);
        is_one.then_some(words)
    }

    /// Walks through tokens. Returns the words of the last command.
    fn tokens(&mut self, tokens: Vec<Token>) -> Vec<String> {
        self.depth += 1;
        // A command within a word reads from the same pipe as the command around it, and ends before that one runs.
        let piped = self.piped;
        let mut places = Places { began: self.cwd.clone(), outer: Vec::new() };
        let mut words: Vec<String> = Vec::new();
        let mut bodies: Vec<String> = Vec::new();
        let mut printed: Option<String> = None;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            // The whole line is noted as one that was not looked at: its rest tells nothing more.
            if self.is_longer {
                break;
            }
            match token {
                Token::Word(parts) => words.extend(self.expand(&parts)),
                Token::List(list) => {
                    let values = self.words_of(&list);
                    if let Some(name) = words.pop().as_deref().and_then(|word| word.strip_suffix('=')) {
                        let name = name.strip_suffix('+').unwrap_or(name);
                        self.variables.push((name.to_owned(), values));
                    }
                }
                Token::Body { text, commands } => {
                    commands.iter().for_each(|command| self.text(command));
                    bodies.push(text);
                }
                Token::Op(op @ (">" | ">>" | ">|" | "&>" | "&>>" | ">&" | "<>")) => {
                    if let Some(Token::Word(parts)) = tokens.next_if(|next| matches!(next, Token::Word(_))) {
                        self.redirect(op, &parts);
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
                    let printing = printed.take();
                    if op == "|" {
                        printed = printed_text(&words, &bodies);
                    }
                    bodies.extend(printing.filter(|_| words.first().is_some_and(|word| reads_text(word))));
                    // `name() {` defines, and calls nothing.
                    if op == "(" && words.len() == 1 && tokens.peek() == Some(&Token::Op(")")) {
                        words.clear();
                    }
                    let ended = (std::mem::take(&mut words), std::mem::take(&mut bodies));
                    self.ended(op, ended.0, &ended.1, &mut places);
                }
            }
        }
        bodies.extend(printed.filter(|_| words.first().is_some_and(|word| reads_text(word))));
        self.simple(words.clone(), &bodies);
        self.is_conditional = false;
        self.may_be_left();
        self.piped = piped;
        self.depth -= 1;
        words
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
            Some(dir) => Some(self.path(dir)),
            None if name == "pushd" => self.before.pop(),
            None => Some(self.home.clone()),
        };
        let Some(dir) = dir else { return };
        self.enter(dir);
        if name == "popd" {
            // What it left is no place to go back to.
            self.before.pop();
        }
    }

    /// Walks through a text that a shell of its own runs.
    fn apart(&mut self, command: &str) -> Option<Vec<String>> {
        let (cwd, elsewhere) = (self.cwd.clone(), self.elsewhere.clone());
        let state = (self.is_conditional, self.blocks);
        let (left, before) = (std::mem::take(&mut self.left), self.before.clone());
        (self.is_conditional, self.blocks) = (false, 0);
        let words = self.walked(command);
        (self.cwd, self.elsewhere, self.left, self.before) = (cwd, elsewhere, left, before);
        (self.is_conditional, self.blocks) = state;
        words
    }

    fn redirect(&mut self, op: &str, target: &[Part]) {
        let is_descriptor =
            |target: &String| op == ">&" && target.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let before = self.found.written.len();
        let targets = self.expand(target);
        for target in targets.iter().filter(|target| !is_descriptor(target)) {
            self.write(target, How::Here);
        }
        self.found.redirected.extend_from_slice(&self.found.written[before..]);
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
        for part in parts {
            let values = match part {
                Part::Text { text, quoted: true } => vec![text.clone()],
                Part::Text { text, quoted: false } => braces(text),
                Part::Variable(name) => self.value(name),
                Part::Default { name, text } => self.value_or(name, text),
                Part::Changed { name, change } => {
                    let changed = |value: String| changed(&value, change).unwrap_or(value);
                    self.value(name).into_iter().map(changed).collect()
                }
                Part::Indirect(name) => {
                    let named = self.value(name);
                    named.iter().take(WORDS_MAX).flat_map(|name| self.value(name)).collect()
                }
                Part::Command(command) => {
                    let words = self.apart(command);
                    let printed = words.and_then(|words| substitution::printed(&words, &self.cwd));
                    // Where the output is not known, the word keeps `$(…)`.
                    printed.unwrap_or_else(|| vec![format!("$({command})")])
                }
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
        if word.is_empty() {
            return;
        }
        // Below any directory: `docs/**/*.md`.
        let (word, how) = match word.split_once("**/") {
            Some((dir, name)) => (format!("{dir}{}", base_name(name)), How::Below),
            None => (word.to_owned(), how),
        };
        let path = self.path(&word);
        let linked: Vec<PathBuf> = self.links.iter().filter_map(|link| led_by(link, &path)).collect();
        let is_longer = self.bytes > LOOKED_AT_BYTES_MAX;
        let dirs = self.elsewhere.iter().filter(|_| !is_longer);
        let others = dirs.map(|dir| absolute(&word, &self.home, dir));
        let others = others.filter(|other| *other != path).collect::<Vec<_>>();
        // Each directory that may be entered makes another path of each word.
        let bytes: usize = others.iter().map(|other| other.as_os_str().len()).sum();
        self.bytes = self.bytes.saturating_add(bytes);
        self.is_longer |= self.bytes > LOOKED_AT_BYTES_MAX;
        let paths = linked.into_iter().chain([path]).chain(others);
        self.found.written.extend(paths.map(|path| WrittenPath { path, how }));
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
            bare.words.extend(words_in(bodies));
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
        let mut bare = Bare::default();
        // As in a shell, an alias means itself where it stands in what it stands for.
        let mut resolved: Vec<String> = Vec::new();
        while let Some(first) = words.first() {
            if let Some((name, value)) = assignment(first) {
                self.variables.push((name.to_owned(), vec![value.to_owned()]));
                bare.assigned.push((name.to_owned(), value.to_owned()));
                words.remove(0);
            } else if KEYWORDS.contains(&first.as_str()) {
                self.blocks += usize::from(matches!(first.as_str(), "then" | "do" | "{"));
                self.blocks -= usize::from(first == "}").min(self.blocks);
                words.remove(0);
            } else if let Some((name, meant)) =
                self.aliases.iter().rev().find(|(name, _)| name == first && !resolved.contains(name))
            {
                resolved.push(name.clone());
                let meant: Vec<String> = meant.split_whitespace().map(str::to_owned).collect();
                words.splice(..1, meant);
            } else if let Some(wrapper) = wrappers::unwrapped(&words) {
                bare.fed |= wrapper.fed;
                words.drain(..wrapper.words);
                if let Some(dir) = wrapper.dir {
                    self.cwd = self.path(&dir);
                    bare.is_elsewhere = true;
                }
                if let Some(text) = wrapper.text {
                    words = vec!["eval".to_owned(), text].into_iter().chain(words).collect();
                }
            } else {
                break;
            }
        }
        self.found.fed |= bare.fed;
        bare.words = words;
        bare
    }

    fn bare_command(&mut self, bare: Bare, bodies: &[String]) {
        let Bare { words, assigned, fed, .. } = bare;
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
        if !self.called(&words) {
            self.command(name, &words[1..], bodies);
        }
        if SHELLS.contains(&name) {
            self.exported.truncate(exported);
        }
        // What an inner shell writes is noted with the commands in it.
        if !SHELLS.contains(&name) && name != "eval" {
            self.found.simple[at].written = self.found.written[before..].to_vec();
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
            "set" => {
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
            "read" => {
                let words = words_in(bodies);
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
        match name {
            "cd" | "pushd" | "popd" => self.change_directory(name, files.first()),
            "fi" | "done" => self.blocks = self.blocks.saturating_sub(1),
            "eval" | "watch" => self.text(&args.join(" ")),
            "hyperfine" => files.iter().for_each(|text| self.text(text)),
            "trap" => files.first().into_iter().for_each(|text| self.text(text)),
            "deno" if args.first().is_some_and(|verb| verb == "fmt") => self.write_all(&files, How::Here),
            "dd" => args
                .iter()
                .filter_map(|arg| arg.strip_prefix("of="))
                .for_each(|file| self.write(file, How::Here)),
            "find" => self.find(args),
            "fd" | "fdfind" => self.fd(args),
            "git" => self.git(args),
            "patch" => self.patch(&files, bodies),
            "apply_patch" | "applypatch" => {
                let named: Vec<String> =
                    files.iter().chain(bodies).flat_map(|text| crate::patch::paths(text)).collect();
                self.write_all(&named, How::Here);
            }
            _ if PACK.contains(&name) => {
                let keeps = |arg: &String| {
                    let letters =
                        !arg.starts_with("--") && arg.starts_with('-') && arg.contains(['c', 'k', 'l', 't']);
                    letters || ["--stdout", "--keep", "--list", "--test"].contains(&arg.as_str())
                };
                if !args.iter().any(keeps) {
                    self.write_all(&files, How::Here);
                }
            }
            _ if REMOVE.contains(&name) => self.write_all(&files, How::Gone),
            _ if WRITE.contains(&name) && is_viewer(name, args) => {}
            _ if WRITE.contains(&name) => self.write_all(&files, How::Here),
            _ if fixers::writes(name, args) => self.write_all(&files, How::Here),
            _ if COPY.contains(&name) => self.copy(name, args),
            _ if SHELLS.contains(&name) || matches!(name, "su" | "script") => self.shell(args, bodies),
            _ => self.other(name, args, &files, bodies),
        }
    }

    /// `sh -c TEXT`, or a shell that reads a here-document.
    fn shell(&mut self, args: &[String], bodies: &[String]) {
        let flag =
            args.iter().position(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c'));
        match flag.and_then(|at| args.get(at + 1..)) {
            Some([script, rest @ ..]) => {
                let outside = self.arguments.replace(rest.iter().skip(1).cloned().collect());
                self.apart(script);
                self.arguments = outside;
            }
            _ => {
                bodies.iter().for_each(|body| drop(self.apart(body)));
                // `bash <(echo TEXT)`: no file is called so.
                let script = positional(args).into_iter().next().filter(|file| file.contains(' '));
                script.into_iter().for_each(|text| self.text(&text));
            }
        }
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
        let long = |arg: &String| {
            ["--in-place", "--inplace", "--write", "--fix"].iter().any(|option| arg.starts_with(option))
                || name == "prettier" && arg == "-w"
        };
        if edits || args.iter().any(long) {
            self.write_all(files, How::Here);
        }
        self.write_all(&copies::outputs(name, args), How::Here);
        if is_interpreter(name) {
            args.iter().chain(bodies).for_each(|program| self.program(program));
            // `python3 - AGENTS.md`, with a program that opens its arguments.
            if args.iter().chain(bodies).any(|program| code::writes_arguments(program)) {
                self.write_all(files, How::Here);
            }
        }
    }

    /// A program for an interpreter: the paths in it that it may write, and the command lines that it may run.
    fn program(&mut self, program: &str) {
        let literals = code::literals(program);
        if code::changes_trees(program) {
            self.trees(&literals);
        }
        let mut joined = self.home.clone();
        for (at, literal) in literals.iter().enumerate() {
            self.write(literal, How::Here);
            // `f"{home}/.config/…"`, `${home}/.config/…`: the variable may be any directory, also the user's home.
            if let Some((_, rest)) = literal.split_once('}').filter(|(head, _)| head.contains('{')) {
                self.write(&format!("$unknown/{}", rest.trim_start_matches('/')), How::Here);
                self.write(&format!("~/{}", rest.trim_start_matches('/')), How::Here);
            }
            let plain = literal.trim_start_matches('/');
            // `Path.home() / ".config/…"`, `process.env.HOME + "/…"`.
            self.found.written.push(WrittenPath { path: self.home.join(plain), how: How::Here });
            // `Path.home() / ".config" / "agents" / …`.
            if ["~", "HOME", "$HOME"].contains(&literal.as_str()) {
                joined.clone_from(&self.home);
            } else if at < PARTS_MAX {
                joined.push(plain);
                self.found.written.push(WrittenPath { path: joined.clone(), how: How::Here });
            }
        }
        // `os.chdir(dir); open(name, "w")`, `shutil.copy(file, dir)`.
        for (at, first) in literals.iter().enumerate().take(PARTS_MAX) {
            for second in literals.iter().skip(at + 1).take(PARTS_MAX) {
                if first.starts_with(['/', '~']) && !second.starts_with(['/', '~']) {
                    self.write(&format!("{first}/{second}"), How::Here);
                }
                if second == "." || second.ends_with('/') || second.starts_with(['/', '~']) {
                    self.write(&format!("{second}/{}", base_name(first)), How::Here);
                }
            }
        }
        for line in code::command_lines(program) {
            self.text(&line);
        }
    }

    /// The directories that a program may remove, move or copy over, with all that is in them: each literal that is a path, and the
    /// pieces that are joined to one.
    fn trees(&mut self, literals: &[String]) {
        let mut joined: Option<PathBuf> = None;
        for literal in literals.iter().take(PARTS_MAX) {
            let rest = literal.split_once('}').filter(|(head, _)| head.contains('{')).map(|(_, rest)| rest);
            let below_home = rest.unwrap_or(literal).trim_start_matches('/');
            let is_path = !literal.trim_matches(['.', '/', '~']).is_empty() && literal != "HOME";
            if is_path {
                self.write(literal, How::Gone);
            }
            if is_path && (literal.contains('/') || rest.is_some()) {
                self.found.written.push(WrittenPath { path: self.home.join(below_home), how: How::Gone });
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
        self.found.written.extend(path.map(|path| WrittenPath { path, how: How::Gone }));
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
            if name == "ln" {
                let link = (self.path(&copies.target), self.path(source));
                if self.links.len() < LINKS_MAX && !self.links.contains(&link) {
                    self.links.push(link);
                }
            }
        }
    }

    fn find(&mut self, args: &[String]) {
        let name = name_sought(args);
        let runs = |arg: &str| matches!(arg, "-exec" | "-execdir" | "-ok" | "-okdir");
        let commands = args.iter().enumerate().filter(|(_, arg)| runs(arg));
        let commands: Vec<usize> = commands.take(FIND_COMMANDS_MAX).map(|(at, _)| at + 1).collect();
        let changed: Vec<bool> = commands.into_iter().map(|at| self.run_by_find(&args[at..], name)).collect();
        if !changed.contains(&true) && !args.iter().any(|arg| arg == "-delete") {
            return;
        }
        let name = if args.iter().any(|arg| arg == "-iname") { any_case(name) } else { name.to_owned() };
        let mut dirs: Vec<String> =
            args.iter().take_while(|arg| !arg.starts_with(['-', '(', '!'])).cloned().collect();
        if dirs.is_empty() {
            dirs.push(".".to_owned());
        }
        for dir in dirs {
            self.write(&format!("{dir}/{name}"), How::Below);
        }
    }

    /// `fd PATTERN DIR -x COMMAND`: the pattern is a part of a name.
    fn fd(&mut self, args: &[String]) {
        let runs = |arg: &String| matches!(arg.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
        let Some(at) = args.iter().position(runs) else { return };
        let (before, run) = (&args[..at], &args[at + 1..]);
        let ending = before.windows(2).find(|pair| matches!(pair[0].as_str(), "-e" | "--extension"));
        let name = ending.map_or("*".to_owned(), |pair| format!("*.{}", pair[1].trim_start_matches('.')));
        let mut run: Vec<String> = run.iter().take_while(|word| *word != ";").cloned().collect();
        // Any of its words may stand for the file: `{}`, `{/}`.
        run.iter_mut().filter(|word| word.starts_with('{')).for_each(|word| *word = "{}".to_owned());
        if !run.iter().any(|word| word == "{}") {
            run.push("{}".to_owned());
        }
        if self.run_by_find(&run, &name) {
            let mut dirs = positional(before);
            dirs.retain(|word| Some(word) != ending.map(|pair| &pair[1]));
            let mut dirs: Vec<String> = dirs.into_iter().skip(1).collect();
            dirs.push(".".to_owned());
            dirs.iter().for_each(|dir| self.write(&format!("{dir}/{name}"), How::Below));
        }
    }

    /// Looks at a command that `find` runs. True when it changes the files that were found; other files it changes are noted.
    fn run_by_find(&mut self, run: &[String], name: &str) -> bool {
        const FOUND: &str = "/found-by-find";
        let found = format!("{FOUND}/{name}");
        let words = run.iter().take_while(|word| !matches!(word.as_str(), ";" | "+" | "\\;"));
        let words: Vec<String> = words.map(|word| word.replace("{}", &found)).collect();
        // A command of `find` may be `find` again, which looks at the same words once more.
        if self.depth >= DEPTH_MAX || !self.goes_on(words.iter().map(String::len).sum()) {
            self.is_longer = true;
            return true;
        }
        let mut probe = Run {
            home: self.home.clone(),
            cwd: self.cwd.clone(),
            depth: self.depth + 1,
            calls: self.calls,
            steps: self.steps,
            bytes: self.bytes,
            ..Run::default()
        };
        probe.simple(words, &[]);
        (self.calls, self.steps, self.bytes) = (probe.calls, probe.steps, probe.bytes);
        self.is_longer |= probe.is_longer;
        let (changed, others): (Vec<_>, Vec<_>) =
            probe.found.written.into_iter().partition(|written| written.path.starts_with(FOUND));
        self.found.written.extend(others);
        !changed.is_empty()
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

/// The arguments that are no options; behind `--` all of them.
pub(super) fn positional(args: &[String]) -> Vec<String> {
    let ends = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let before = args[..ends].iter().filter(|arg| !arg.starts_with('-') || *arg == "-");
    before.chain(args.iter().skip(ends + 1)).cloned().collect()
}

/// The words of a command's input.
fn words_in(bodies: &[String]) -> Vec<String> {
    let words = bodies.iter().flat_map(|body| body.split_whitespace().map(str::to_owned));
    words.take(WORDS_MAX).collect()
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

/// Whether an editor is started read-only.
fn is_viewer(name: &str, args: &[String]) -> bool {
    matches!(name, "vi" | "vim" | "nvim") && args.iter().any(|arg| matches!(arg.as_str(), "-R" | "-M"))
}

/// A pattern for a name in upper and lower case.
fn any_case(name: &str) -> String {
    let both = |c: char| match c.is_ascii_alphabetic() {
        true => format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase()),
        false => c.to_string(),
    };
    name.chars().map(both).collect()
}

/// A value as `${name%text}`, `${name#text}` or `${name/text/other}` changes it; `None` without a change.
fn changed(value: &str, change: &str) -> Option<String> {
    let first = change.chars().next()?;
    let (text, all) = match change[1..].strip_prefix(first) {
        Some(text) => (text, true),
        None => (&change[1..], false),
    };
    let fits = |part: &str| super::fits(text, part);
    let mut ends: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
    match first {
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

/// What a command prints into a pipe, where its text shows that.
fn printed_text(words: &[String], bodies: &[String]) -> Option<String> {
    match words {
        [program, text @ ..] if matches!(base_name(program), "echo" | "printf") => Some(
            text.iter()
                .filter(|word| !matches!(word.as_str(), "-e" | "-n" | "%s" | "%s\\n"))
                .map(|word| word.replace("\\n", "\n"))
                .collect::<Vec<_>>()
                .join(" "),
        ),
        [program] if base_name(program) == "cat" && !bodies.is_empty() => Some(bodies.concat()),
        _ => None,
    }
}

/// Whether a program runs the text that it reads from a pipe.
fn reads_text(word: &str) -> bool {
    let name = base_name(word);
    SHELLS.contains(&name) || is_interpreter(name) || matches!(name, "xargs" | "parallel")
}
