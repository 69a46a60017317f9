//! What a command prints, and who takes it: the next one of a pipe, a loop, or a file that is run or applied later in the line.

use super::super::lex::{Part, Token};
use super::super::searches::{self, Names};
use super::super::{fixers, possible, substitution, wrappers};
use super::expansion::assignment;
use super::known_programs::{KEYWORDS, SHELLS, SHOWING, base_name, is_input, is_interpreter};
use super::limits::{
    CALLS_MAX, COMMAND_BYTES_MAX, SEARCHES_MAX, TEXTS_MAX, WORD_BYTES_MAX, WORDS_BEFORE_MAX, WORDS_MAX,
};
use super::{Run, positional, words_in};
use std::path::Path;

/// Words that open a block, each with the one that closes it.
const BLOCKS: [(&str, &str); 7] = [
    ("{", "}"),
    ("for", "done"),
    ("while", "done"),
    ("until", "done"),
    ("select", "done"),
    ("if", "fi"),
    ("case", "esac"),
];
/// Programs that hand on what they read, as it is or changed a little, if they are given no file.
const PASSING: [&str; 9] = ["sed", "gsed", "tr", "head", "tail", "tac", "sort", "envsubst", "tee"];

/// What a command prints, where its text shows that.
#[derive(Default)]
pub(super) struct Output {
    /// As words: names of files, or patterns of them.
    pub(super) names: Option<Names>,
    /// As it is printed, where that is known to the letter.
    pub(super) text: Option<String>,
    /// The files whose text it prints, as written.
    files: Vec<String>,
}

impl Output {
    pub(super) fn of_words(words: Vec<String>) -> Output {
        Output { names: Some(Names { words, ..Names::default() }), text: None, files: Vec::new() }
    }

    /// Adds what the next command of a block prints.
    fn add(&mut self, next: Output) {
        self.names = match (self.names.take(), next.names) {
            (Some(mut names), Some(more)) => {
                names.words.extend(more.words);
                names.words.truncate(WORDS_MAX);
                names.chosen = names.chosen.or(&more.chosen);
                names.in_text |= more.in_text;
                Some(names)
            }
            (names, more) => names.or(more),
        };
        self.text = match (self.text.take(), next.text) {
            (Some(text), Some(more)) if text.len() < COMMAND_BYTES_MAX => Some(format!("{text}\n{more}")),
            (text, more) => text.or(more),
        };
        self.files.extend(next.files);
        self.files.truncate(WORDS_MAX);
    }
}

/// What the commands of a pipe hand on to each other.
#[derive(Default)]
pub(super) struct Pipe {
    /// What the command in front of `|` prints.
    printed: Option<Output>,
    /// The blocks and brackets that are open: what closes each, and what was printed in it.
    open: Vec<(&'static str, Output)>,
    /// What the block or bracket printed that was closed just before.
    closed: Option<Output>,
    /// Whether a bracket was closed just before.
    is_behind_bracket: bool,
    /// How many files had been redirected into in front of the command.
    redirected: usize,
}

impl Pipe {
    /// Of a list of commands, behind so many redirects.
    pub(super) fn behind(redirected: usize) -> Pipe {
        Pipe { redirected, ..Pipe::default() }
    }

    /// Opens the blocks with which a command begins, and closes one that it ends.
    fn blocks(&mut self, words: &[String]) {
        for word in words {
            match BLOCKS.iter().find(|(open, _)| open == word) {
                Some((_, close)) => self.open.push((close, Output::default())),
                None if KEYWORDS.contains(&word.as_str()) && word != "}" => {}
                None => break,
            }
        }
        if let Some(first) = words.first() {
            self.close(first);
        }
    }

    fn close(&mut self, word: &str) {
        if self.open.last().is_some_and(|(close, _)| *close == word) {
            self.closed = self.open.pop().map(|(_, output)| output);
        }
    }
}

impl Run<'_> {
    /// Hands on what a command prints that ends with this operator.
    pub(super) fn hand_on(
        &mut self,
        op: &str,
        words: &[String],
        bodies: &mut Vec<String>,
        loops: &[(&str, Vec<Part>)],
        pipe: &mut Pipe,
    ) {
        // `… | (sh)`
        if op != "(" || !words.is_empty() {
            let output = self.passed_on(words, bodies, loops, pipe);
            pipe.redirected = self.found.redirected.len();
            match (op, output, pipe.open.last_mut()) {
                ("|" | "|&", output, _) => pipe.printed = output,
                (_, Some(output), Some((_, printed))) => printed.add(output),
                _ => {}
            }
        }
        pipe.is_behind_bracket = op == ")";
        match op {
            "(" => pipe.open.push((")", Output::default())),
            ")" => pipe.close(")"),
            _ => {}
        }
    }

    /// Gives a command what it reads from a pipe, and remembers the text that it writes into a file. Returns what it prints; behind
    /// the end of a block, what was printed in that.
    pub(super) fn passed_on(
        &mut self,
        words: &[String],
        bodies: &mut Vec<String>,
        loops: &[(&str, Vec<Part>)],
        pipe: &mut Pipe,
    ) -> Option<Output> {
        let input = pipe.printed.take();
        pipe.blocks(words);
        let of_block = pipe.closed.take();
        let output = match of_block {
            Some(output) => Some(output),
            None if pipe.is_behind_bracket && words.is_empty() => None,
            None => {
                let output = self.output(words, bodies, input.as_ref());
                self.reads(words, bodies, input, loops);
                output
            }
        };
        self.keep_text(words, output.as_ref(), pipe.redirected);
        output
    }

    /// What a command prints; `input` is what it reads from a pipe.
    fn output(&mut self, words: &[String], bodies: &[String], input: Option<&Output>) -> Option<Output> {
        if matches!(words, [program, flag, ..] if program == "command" && flag == "-v") {
            return substitution::printed(words, &self.cwd).map(Output::of_words);
        }
        let mut at = words.iter().take_while(|word| KEYWORDS.contains(&word.as_str())).count();
        let assigned = |at: usize| words[at..].iter().take_while(|word| assignment(word).is_some()).count();
        at += assigned(at);
        let mut fed = false;
        while let Some(wrapper) = wrappers::unwrapped(&words[at..]).filter(|wrapper| wrapper.text.is_none()) {
            fed |= wrapper.fed;
            at += wrapper.words;
            at += assigned(at);
        }
        let mut words = words[at..].to_vec();
        let text = printed_text(&words, bodies, input.and_then(|input| input.text.as_deref()));
        let read = input.and_then(|input| input.names.as_ref());
        if let Some(read) = read.filter(|_| fed) {
            words.extend(read.words.iter().cloned());
        }
        let mut names = searches::names(&words).or_else(|| searches::filtered(&words, read?)).or_else(|| {
            let printed = substitution::printed(&words, &self.cwd);
            let words = printed.or_else(|| Some(words_in(&[text.clone()?])))?;
            Some(Names { words, ..Names::default() })
        });
        names = names.or_else(|| possible::names(&words, read, fed));
        if let (Some(names), Some(read)) = (&mut names, read.filter(|_| fed)) {
            names.chosen.except.extend(read.chosen.except.iter().cloned());
        }
        let mut files = files_shown(&words, bodies);
        let passes = words.first().is_some_and(|word| SHOWING.contains(&base_name(word)));
        files.extend(input.into_iter().filter(|_| passes).flat_map(|input| input.files.iter().cloned()));
        (names.is_some() || text.is_some() || !files.is_empty()).then_some(Output { names, text, files })
    }

    /// Gives a command the text that it reads from a pipe: its program, names for its arguments, or the values of a loop's variable.
    fn reads(
        &mut self,
        words: &[String],
        bodies: &mut Vec<String>,
        input: Option<Output>,
        loops: &[(&str, Vec<Part>)],
    ) {
        let reads_names = reads_names(words);
        let is_loop = words.first().is_some_and(|word| word == "while");
        if let Some(output) = input {
            let is_program = words.first().is_some_and(|word| reads_text(word))
                || starts_a_reader(words)
                || copies_input(words);
            match (output.text, output.names) {
                (Some(text), _) if is_program || reads_names => bodies.push(text),
                (None, Some(names)) if reads_names => {
                    bodies.push(names.words.join("\n"));
                    // What was found before by the same pattern was used by the commands before this one.
                    self.searched.retain(|(known, _)| !names.words.contains(known));
                    self.remember(&names);
                }
                _ if is_loop => bodies.extend(self.scripts_read(&output.files)),
                // As if it was read by `<`.
                _ if is_program => bodies.extend(output.files),
                _ => {}
            }
        } else if reads_names && bodies.is_empty() && is_loop {
            for (op, parts) in loops {
                let words = self.expand(parts);
                bodies.extend(if *op == "<" && !prints(parts) { self.scripts_read(&words) } else { words });
            }
        }
    }

    /// Remembers what is known of the files that a search found. What two searches found is known as far as they agree.
    pub(super) fn remember(&mut self, names: &Names) {
        for word in &names.words {
            let before = self.searched.iter_mut().find(|(known, _)| known == word);
            if let Some((_, chosen)) = before {
                *chosen = std::mem::take(chosen).or(&names.chosen);
            } else if self.searched.len() < SEARCHES_MAX {
                self.searched.push((word.clone(), names.chosen.clone()));
            }
        }
    }

    /// Remembers the text that a command writes into files by redirects, for a script or a patch that is used later in the line.
    fn keep_text(&mut self, words: &[String], output: Option<&Output>, redirected: usize) {
        let written = self.found.redirected.get(redirected..).unwrap_or_default();
        let paths: Vec<_> = written.iter().map(|written| written.path.clone()).collect();
        for path in paths.into_iter().take(TEXTS_MAX) {
            if words.first().is_some_and(|program| matches!(base_name(program), "git" | "diff")) {
                self.printed.push((path.clone(), words.to_vec()));
            }
            for file in output.iter().flat_map(|output| output.files.clone()) {
                self.remember_copy(path.clone(), self.path(&file));
            }
            if let Some(text) = output.and_then(|output| output.text.as_ref()) {
                self.keep(&path, text);
            }
        }
    }

    /// Remembers what a command that copies its input writes: `tee FILE`, `dd of=FILE`, `install /dev/stdin FILE`. `before`: how many
    /// files the line had written in front of it.
    pub(super) fn keep_input(&mut self, words: &[String], bodies: &[String], before: usize) {
        if !copies_input(words) {
            return;
        }
        let written = self.found.written.get(before..).unwrap_or_default();
        let paths: Vec<_> = written.iter().map(|written| written.path.clone()).take(TEXTS_MAX).collect();
        for path in &paths {
            if words.iter().any(|word| matches!(word.as_str(), "-a" | "--append")) {
                self.appended.push(path.clone());
            }
            for body in bodies {
                match body.trim().contains(char::is_whitespace) {
                    true => self.keep(path, body),
                    false => self.remember_copy(path.clone(), self.path(body)),
                }
            }
        }
    }

    fn keep(&mut self, path: &Path, text: &str) {
        let before = self.written_text(path).filter(|_| self.appended.iter().any(|known| known == path));
        let text = before.map_or_else(|| text.to_owned(), |before| format!("{before}\n{text}"));
        if self.texts.len() < SEARCHES_MAX && text.len() < COMMAND_BYTES_MAX && self.goes_on(text.len()) {
            self.texts.push((path.to_owned(), text));
        }
    }
}

/// What a command prints, where its text shows that; `input` is the text that it reads from a pipe.
fn printed_text(words: &[String], bodies: &[String], input: Option<&str>) -> Option<String> {
    let (program, args) = words.split_first()?;
    match base_name(program) {
        "echo" => {
            let text =
                args.iter().skip_while(|word| matches!(word.as_str(), "-e" | "-n" | "-ne" | "-en" | "-E"));
            let text: Vec<String> = text.map(|word| substitution::unescaped(word)).collect();
            Some(text.join(" "))
        }
        "printf" => substitution::printf(args),
        "cat" if positional(args).iter().all(|file| is_input(file)) => match bodies {
            [] => input.map(str::to_owned),
            _ => Some(bodies.concat()),
        },
        // Of a file that it reads by `<` a body is the name.
        name if PASSING.contains(&name) => {
            let text = bodies.iter().find(|body| body.contains(char::is_whitespace));
            text.map(String::as_str).or(input).map(str::to_owned)
        }
        _ => None,
    }
}

/// Whether a command writes what it reads as its input into files that it names.
fn copies_input(words: &[String]) -> bool {
    let Some((program, args)) = words.split_first() else { return false };
    match base_name(program) {
        "tee" | "sponge" | "dd" => true,
        "sudo" | "doas" => copies_input(args),
        "cp" | "install" | "mv" => args.iter().any(|file| is_input(file)),
        _ => false,
    }
}

/// What `cat <<EOF` alone prints.
pub(super) fn here_document(tokens: &[Token]) -> Option<Output> {
    let [Token::Word(parts), Token::Op("<<" | "<<-"), Token::Op("\n"), Token::Body { text, .. }, ..] = tokens
    else {
        return None;
    };
    let is_cat = matches!(parts.as_slice(), [Part::Text { text, .. }] if text == "cat");
    let is_all = tokens[4..].iter().all(|token| matches!(token, Token::Op("\n")));
    let is_short = text.len() < WORD_BYTES_MAX / 2;
    let output = || Output { text: Some(text.clone()), ..Output::of_words(vec![text.clone()]) };
    (is_cat && is_all && is_short).then(output)
}

/// What loops read behind their end: `done < <(git ls-files)`, `done <<< TEXT`.
pub(super) fn inputs_of_loops(tokens: &[Token]) -> Vec<(&'static str, Vec<Part>)> {
    let is_done = |token: &Token| matches!(token, Token::Word(parts) if matches!(parts.as_slice(), [Part::Text { text, .. }] if text == "done"));
    let input = |window: &[Token]| match window {
        [done, Token::Op(op @ ("<" | "<<<")), Token::Word(parts)] if is_done(done) => {
            Some((*op, parts.clone()))
        }
        _ => None,
    };
    tokens.windows(3).filter_map(input).take(CALLS_MAX).collect()
}

/// Whether a word is what a command prints: `<(git ls-files)`.
fn prints(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Command { .. }))
}

/// Whether a command takes names from a pipe: for the arguments of another one, or for a variable.
fn reads_names(words: &[String]) -> bool {
    let is_one =
        |names: &[&str]| words.iter().take(WORDS_BEFORE_MAX).any(|word| names.contains(&base_name(word)));
    let is_loop = words.first().is_some_and(|word| matches!(word.as_str(), "while" | "until"));
    let is_list = |word: &String| matches!(word.as_str(), "--stdin" | "--pathspec-from-file=-");
    is_one(&["xargs", "parallel"])
        || words.iter().any(is_list)
        || words.first().is_some_and(|word| fixers::reads_names(base_name(word)))
        || is_one(&["read", "mapfile", "readarray"]) && (is_loop || words[0] != "echo")
}

/// The files whose text a command prints, as they are or changed a little; `read` are those that it reads by `<`.
pub(super) fn files_shown(words: &[String], read: &[String]) -> Vec<String> {
    let args = match words.split_first() {
        // `$(< FILE)`
        None => Vec::new(),
        Some((program, args)) if SHOWING.contains(&base_name(program)) => positional(args),
        Some(_) => return Vec::new(),
    };
    let named = |word: &String| !word.contains(char::is_whitespace) && !word.is_empty() && word != "-";
    args.iter().chain(read).filter(|word| named(word)).take(TEXTS_MAX).cloned().collect()
}

/// Whether a shell or an interpreter stands behind assignments and programs that only start it: `sudo sh`, `env A=1 bash`.
fn starts_a_reader(words: &[String]) -> bool {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if assignment(word).is_some() || KEYWORDS.contains(&word.as_str()) {
            at += 1;
            continue;
        }
        match wrappers::unwrapped(&words[at..]) {
            Some(wrapper) if wrapper.fed || wrapper.text.is_some() => return false,
            Some(wrapper) => at += wrapper.words,
            None => return SHELLS.contains(&base_name(word)) || is_interpreter(base_name(word)),
        }
    }
    false
}

/// Whether a program runs the text that it reads from a pipe.
fn reads_text(word: &str) -> bool {
    let name = base_name(word);
    SHELLS.contains(&name)
        || is_interpreter(name)
        || matches!(name, "xargs" | "parallel" | "at" | "batch" | "source" | "." | "sqlite3")
}
