//! Walks through a command line command by command: follows variables, `cd`, links and redirects, and notes what each known
//! command writes.

use super::chosen::Chosen;
use super::git::GitChange;
use super::lex::{Part, Token, lex};
use super::{
    Analysis, CommandDirs, DiskOfLine, How, NOT_LOOKED_AT, SimpleCommand, WrittenPath, absolute, functions,
    led,
};
pub(super) use known_programs::{COPY, REMOVE, SHELLS, WRITE, base_name, is_interpreter};
use limits::{CERTAIN_STEPS_MAX, COMMAND_BYTES_MAX, DEPTH_MAX, LOOKED_AT_BYTES_MAX, STEPS_MAX, WORDS_MAX};
use pipes::{Output, Pipe, here_document, inputs_of_loops};
use places::Places;
use std::path::PathBuf;

mod copying;
mod expansion;
mod finding;
mod git_runs;
mod known_programs;
mod limits;
mod literals;
mod one_command;
mod package_json;
mod pipes;
mod places;
mod programs;
mod runs;
mod scripts;

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
        let below = if how == How::Gone { How::GoneBelow } else { How::Below };
        let (word, how) = match word.split_once("**/") {
            Some((dir, name)) => (format!("{dir}{}", base_name(name)), below),
            None if word == "**" || word.ends_with("/**") => (word[..word.len() - 1].to_owned(), below),
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

/// A pattern for a name in upper and lower case.
pub(super) fn any_case(name: &str) -> String {
    let both = |c: char| match c.is_ascii_alphabetic() {
        true => format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase()),
        false => c.to_string(),
    };
    name.chars().map(both).collect()
}

fn is_bang(parts: &[Part]) -> bool {
    matches!(parts, [Part::Text { text, quoted: false }] if text == "!")
}
