//! Scripts that a line starts, and shells, containers and Makefiles that are given commands.

use super::super::chosen::Chosen;
use super::super::lex::{Token, lex};
use super::super::{WrittenPath, containers, led, makefile, plain};
use super::finding::files_of;
use super::known_programs::{SHOWING, base_name, is_input, is_interpreter};
use super::limits::{DEPTH_MAX, LOOKED_AT_BYTES_MAX, TEXTS_MAX};
use super::pipes::files_shown;
use super::{Run, positional};
use std::path::{Path, PathBuf};

impl Run<'_> {
    /// Looks into a script that is called by its path. True when it was read.
    pub(super) fn is_script(&mut self, words: &[String]) -> bool {
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
    pub(super) fn scripts(&mut self, word: &str) -> Vec<String> {
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

    pub(super) fn script_on_disk(&mut self, path: &Path) -> Option<String> {
        self.texts_read += 1;
        if self.texts_read > TEXTS_MAX {
            return None;
        }
        let text = self.files.script(path);
        text.filter(|text| self.bytes.saturating_add(text.len()) <= LOOKED_AT_BYTES_MAX)
    }

    /// The scripts that a command reads as its input, by `<` or from a pipe: of those the bodies are only the names.
    pub(super) fn scripts_read(&mut self, bodies: &[String]) -> Vec<String> {
        let named = |body: &&String| !body.contains(char::is_whitespace) && !body.is_empty();
        bodies.iter().filter(named).flat_map(|file| self.scripts(file)).collect()
    }

    /// The scripts whose text a word is: `$(cat FILE)`, `<(cat FILE)`, `$(< FILE)`.
    pub(super) fn scripts_shown(&mut self, word: &str) -> Vec<String> {
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

    pub(super) fn written_text(&self, path: &Path) -> Option<String> {
        self.texts.iter().rev().find(|(written, _)| written == path).map(|(_, text)| text.clone())
    }

    pub(super) fn run_script(&mut self, text: &str, args: &[String]) {
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
    pub(super) fn container(&mut self, name: &str, args: &[String], bodies: &[String]) {
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
    pub(super) fn shell(&mut self, args: &[String], bodies: &[String]) {
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
    pub(super) fn make(&mut self, args: &[String]) {
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
}

/// Whether a shell is told to look at the syntax of its script alone: `bash -n FILE`.
pub(super) fn only_checks(args: &[String]) -> bool {
    let mut options = args.iter().take_while(|arg| arg.starts_with('-') && !arg.starts_with("--"));
    options.any(|arg| arg.contains('n'))
}

/// Whether an argument tells a shell to read its script from its input.
pub(super) fn says_s(arg: &str) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.contains('s')
}

/// Whether a shell is given a text (`-c`), and what stands behind its options, which may go on behind that: `bash -c -e TEXT`,
/// `bash -o pipefail FILE`.
pub(super) fn behind_options(args: &[String]) -> (bool, &[String]) {
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
