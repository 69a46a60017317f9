//! What a program writes and starts for certain. It asks each call that writes a file for the path, which may be put together from
//! literals, variables, the user's home and the working directory. What comes from anywhere else (a temporary directory, a fixture of a
//! test, a function of another file) is not known, and not counted: tests and modules name documents all day and write others.

use super::{OPENING, Reader, STARTING, dotted, is_name, last_word, quoted, split_arguments};
use crate::shell::code;
use std::cell::Cell;
use std::ops::Range;
use std::path::Path;

/// What is certain of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::shell) struct Certain {
    /// The files that it writes: absolute, from the user's home (`~/…`) or from the working directory.
    pub(in crate::shell) written: Vec<String>,
    /// The directories of which it takes all away.
    pub(in crate::shell) gone: Vec<String>,
    /// The command lines that it starts in the working directory. A word of which the value is not known is `UNKNOWN`.
    pub(in crate::shell) lines: Vec<String>,
}

/// In place of a word whose value is not known.
const UNKNOWN: &str = "not-known";
const DEPTH_MAX: usize = 8;
const VALUES_MAX: usize = 16;
/// A longer expression is none of a path.
const EXPRESSION_BYTES_MAX: usize = 4096;
/// The most calls of one program that are looked at.
const CALLS_MAX: usize = 8_000;
/// In so many bytes in front of a parameter its function is named.
const HEAD_BYTES_MAX: usize = 512;
/// How far back a variable's value is looked for, in places that have its name.
const BINDINGS_MAX: usize = 64;
/// With one of these a program puts something else in the place of files: nothing that it writes is known.
const FAKING: [&str; 12] = [
    "pyfakefs",
    "mock_open",
    "mock-fs",
    "memfs",
    "jest.mock(\"fs\"",
    "jest.mock('fs'",
    "jest.mock('node:fs'",
    "vi.mock('fs'",
    "vi.mock(\"fs\"",
    "vi.mock('node:fs'",
    "vi.mock(\"node:fs\"",
    "fakefs",
];
/// Ways to say another working directory.
const ENTERING: [&str; 6] = ["chdir", "isolated_filesystem", "pushd(", "Chdir(", "set_current_dir", "cd("];
/// Ways to say another home.
const MOVING_HOME: [&str; 12] = [
    "setenv(\"HOME\"",
    "setenv('HOME'",
    "Setenv(\"HOME\"",
    "environ[\"HOME\"] =",
    "environ['HOME'] =",
    "env.HOME =",
    "stubEnv('HOME'",
    "stubEnv(\"HOME\"",
    "ENV[\"HOME\"] =",
    "ENV['HOME'] =",
    "set_var(\"HOME\"",
    "patch.dict",
];
/// Words in a call that say another directory for what it starts.
const ELSEWHERE: [&str; 4] = ["cwd", "chdir", "current_dir", "env="];
/// Calls that take a directory away with all that is in it.
const TAKING: [&str; 8] =
    ["rmtree", "rm_rf", "rm_r", "rmSync", "rmdirSync", "remove_tree", "removeSync", "rimraf"];
/// Calls that give a path of what they are given, or of what they are called on.
const SAME: [&str; 27] = [
    "Path",
    "PurePath",
    "PosixPath",
    "WindowsPath",
    "str",
    "String",
    "expanduser",
    "expandvars",
    "abspath",
    "realpath",
    "normpath",
    "fspath",
    "expand_path",
    "absolute",
    "resolve",
    "as_posix",
    "toString",
    "to_s",
    "join",
    "joinpath",
    "Join",
    "get",
    "of",
    "from",
    "normalize",
    "File",
    "new",
];
/// Modules whose `join` puts names together; what another `join` is called on is a text.
const MODULES: [&str; 12] = [
    "",
    "os.path",
    "path",
    "posixpath",
    "filepath",
    "File",
    "Paths",
    "Path",
    "PathBuf",
    "pathlib",
    "nodePath",
    "os",
];
/// Calls that start a program under names which other things have, too, where their module stands before them.
const STARTING_MODULES: [&str; 10] =
    ["subprocess", "os", "child_process", "cp", "Open3", "Process", "exec", "Kernel", "commands", "asyncio"];
const AMBIGUOUS: [&str; 6] = ["run", "call", "exec", "spawn", "Command", "capture2"];

/// Reads a program in a file, or in a line where no file is named.
/// `room` is how many steps may be taken, and is less behind it.
pub(in crate::shell) fn read(code: &str, file: &Path, room: &mut usize) -> Certain {
    let mut found = Certain::default();
    if !code::acts(code, &code::WRITING) && !code::acts(code, &code::RUNNING) {
        return found;
    }
    let asked = Asked { reader: Reader::of(code), file, room: Cell::new(*room) };
    let enters = code::acts(code, &ENTERING);
    // A command of Go is told its directory behind the call.
    let starts_here = !enters && !code::acts(code, &[".Dir ="]);
    let fakes = code::acts(code, &FAKING);
    let is_elsewhere = |path: &String| match path.strip_prefix('~') {
        Some(_) => code::acts(code, &MOVING_HOME),
        None => enters && !path.starts_with('/'),
    };
    let plain = std::rc::Rc::clone(&asked.reader.plain);
    let opens = plain.match_indices(['(', ' ']).map(|(at, _)| at).filter(|at| asked.is_call(*at));
    for open in opens.take(CALLS_MAX) {
        let (written, is_gone) = asked.written_by(open);
        let written = written.into_iter().filter(|path| !fakes && !path.is_empty() && !is_elsewhere(path));
        if is_gone {
            found.gone.extend(written)
        } else {
            found.written.extend(written)
        }
        if starts_here {
            found.lines.extend(asked.started_by(open));
        }
    }
    *room = asked.room.get();
    found
}

/// A program that is asked for the values of expressions.
struct Asked<'c> {
    reader: Reader<'c>,
    file: &'c Path,
    room: Cell<usize>,
}

impl Asked<'_> {
    fn plain(&self) -> &str {
        &self.reader.plain
    }

    /// Whether the arguments of a call begin behind this place: a bracket behind a name, or, as in Ruby and Perl, a blank between a name
    /// and a text.
    fn is_call(&self, at: usize) -> bool {
        let plain = self.plain();
        let callee = dotted(&plain[..at]);
        let called = callee.rsplit(['.', ':']).next().unwrap_or_default();
        !called.is_empty()
            && (plain[at..].starts_with('(')
                || plain[at + 1..].starts_with('"') && self.is_known(callee, called))
    }

    fn is_known(&self, callee: &str, called: &str) -> bool {
        let call = format!("{callee}(");
        code::writes_first(&call) || matches!(called, "system" | "sh" | "exec") && callee == called
    }

    /// The arguments of a call.
    fn arguments(&self, open: usize) -> Vec<Range<usize>> {
        let end = match self.plain()[open..].starts_with('(') {
            true => self.reader.closed(open).saturating_sub(1).max(open + 1),
            false => self.end_of_expression(open + 1),
        };
        split_arguments(self.plain(), open + 1..end)
    }

    /// The paths that a call writes, and whether it takes all of them away.
    fn written_by(&self, open: usize) -> (Vec<String>, bool) {
        let plain = self.plain();
        let callee = dotted(&plain[..open]);
        let called = callee.rsplit(['.', ':']).next().unwrap_or_default();
        let call = format!("{callee}(");
        let is_gone = TAKING.contains(&called);
        let may_write = code::writes_first(&call)
            || code::writes_last(&call)
            || code::writes_itself(called)
            || OPENING.contains(&called)
            || callee.ends_with("File.new");
        if !may_write {
            return (Vec::new(), false);
        }
        let arguments = self.arguments(open);
        let of =
            |range: Option<&Range<usize>>| range.map(|one| self.values(one.clone(), 0)).unwrap_or_default();
        let start = open - callee.len();
        let receiver = || {
            let start = self.reader.chain(start);
            let end = (open - called.len()).saturating_sub(1);
            if start < end { self.values(start..end, 0) } else { Vec::new() }
        };
        let is_named = |one: &&Range<usize>| {
            plain[(*one).clone()]
                .split_once('=')
                .is_some_and(|(name, rest)| is_name(name.trim()) && !rest.starts_with('='))
        };
        let written = if code::writes_first(&call) {
            of(arguments.first())
        } else if code::writes_last(&call) {
            let plain: Vec<&Range<usize>> = arguments.iter().filter(|one| !is_named(one)).collect();
            let moves = ["move", "replace", "rename", "renameSync"].contains(&called);
            let source = if moves { of(plain.first().copied()) } else { Vec::new() };
            [source, of(plain.get(1).copied())].concat()
        } else if code::writes_itself(called)
            && callee.contains('.')
            && (called != "replace" || arguments.len() == 1)
        {
            let target =
                if matches!(called, "rename" | "replace") { of(arguments.first()) } else { Vec::new() };
            // `"a".replace("b", "c")` is no file.
            [receiver(), target].concat()
        } else if called == "open"
            && callee.contains('.')
            && !["io", "os", "fs", "codecs", "File"].iter().any(|one| callee.starts_with(one))
        {
            if self.is_to_write(&arguments) { receiver() } else { Vec::new() }
        } else if OPENING.contains(&called) || callee.ends_with("File.new") {
            let rest = arguments.get(1..).unwrap_or_default();
            if self.is_to_write(rest) { of(arguments.first()) } else { Vec::new() }
        } else {
            Vec::new()
        };
        (written, is_gone)
    }

    /// Whether the mode among these arguments of a call that opens a file is one for writing, as it stands there.
    fn is_to_write(&self, arguments: &[Range<usize>]) -> bool {
        arguments.iter().any(|one| {
            let text = self.reader.code[one.clone()].trim();
            let text = text
                .split_once('=')
                .map_or(text, |(name, value)| if is_name(name.trim()) { value.trim() } else { text });
            let mode = text.trim_matches(['"', '\'']);
            let is_mode =
                mode.len() < text.len() && mode.len() <= 4 && mode.chars().all(|c| "rwabxtU+".contains(c));
            is_mode && mode.contains(['w', 'a', 'x', '+'])
                || ["O_WRONLY", "O_RDWR", "O_APPEND", "O_CREATE", "O_CREAT"]
                    .iter()
                    .any(|flag| text.contains(flag))
        })
    }

    /// The command line that a call starts, where it starts one.
    fn started_by(&self, open: usize) -> Option<String> {
        let plain = self.plain();
        let callee = dotted(&plain[..open]);
        let (module, called) = callee.rsplit_once(['.', ':']).unwrap_or(("", callee));
        let is_ambiguous = AMBIGUOUS.contains(&called);
        let is_of_a_module =
            STARTING_MODULES.contains(&module.rsplit('.').next().unwrap_or_default().trim_end_matches(':'));
        let is_defined = self.reader.functions.iter().any(|one| one.name == called);
        let starts = (STARTING.contains(&called) || called == "sh" && module.is_empty()) && !is_defined;
        if !starts || is_ambiguous && !is_of_a_module {
            return None;
        }
        let arguments = self.arguments(open);
        let text = &plain[open..arguments.last().map_or(open, |last| last.end)];
        if code::acts(text, &ELSEWHERE) {
            return None;
        }
        let words: Vec<String> = arguments.iter().flat_map(|one| self.words(one.clone())).collect();
        match words.as_slice() {
            [] => None,
            [text] => Some(text.clone()),
            [text, ..] if text.contains(' ') => Some(text.clone()),
            words => Some(quoted(words)),
        }
    }

    /// The words that an argument of such a call stands for; none for a setting.
    fn words(&self, range: Range<usize>) -> Vec<String> {
        let range = self.trimmed(range);
        let text = &self.plain()[range.clone()];
        let is_setting =
            text.split_once('=').is_some_and(|(name, rest)| is_name(name.trim()) && !rest.starts_with('='));
        if text.is_empty() || is_setting || text.starts_with('{') {
            return Vec::new();
        }
        if text.starts_with('[') && text.ends_with(']') && text.len() > 1 {
            let list = split_arguments(self.plain(), range.start + 1..range.end - 1);
            return list.into_iter().flat_map(|one| self.words(one)).take(VALUES_MAX).collect();
        }
        let text = match self.reader.literals.iter().find(|one| one.range == range) {
            Some(literal) => self.filled(literal.text, range.start, 0, true),
            None => self.values(range, 0),
        };
        vec![text.into_iter().next().unwrap_or_else(|| UNKNOWN.to_owned())]
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.plain()[range.clone()];
        let start = range.start + text.len() - text.trim_start().len();
        start..(start + text.trim().len())
    }

    /// The values that an expression may have; none where one of them is not known.
    fn values(&self, range: Range<usize>, depth: usize) -> Vec<String> {
        let range = self.trimmed(range);
        let text = self.plain().get(range.clone()).unwrap_or_default();
        if depth > DEPTH_MAX || text.is_empty() || text.len() > EXPRESSION_BYTES_MAX || self.room.get() == 0 {
            return Vec::new();
        }
        self.room.set(self.room.get() - 1);
        if let Some(literal) = self.reader.literals.iter().find(|one| one.range == range) {
            return self.filled(literal.text, range.start, depth, false);
        }
        if text.starts_with('(') && self.reader.closed(range.start) == range.end {
            return self.values(range.start + 1..range.end - 1, depth + 1);
        }
        if let Some((at, sign)) = self.operator(&range) {
            let (left, right) =
                (self.values(range.start..at, depth + 1), self.values(at + 1..range.end, depth + 1));
            let join = |left: &String, right: &String| {
                if sign == '/' { joined(left, right) } else { format!("{left}{right}") }
            };
            return left
                .iter()
                .flat_map(|left| right.iter().map(move |right| join(left, right)))
                .take(VALUES_MAX)
                .collect();
        }
        if text.ends_with(')') {
            return self.called(&range, depth);
        }
        self.told(&range, depth)
    }

    /// The last operator of an expression outside of brackets: `/` of paths, `+` of texts.
    fn operator(&self, range: &Range<usize>) -> Option<(usize, char)> {
        let bytes = &self.plain().as_bytes()[range.clone()];
        let mut depth = 0_usize;
        for (at, byte) in bytes.iter().enumerate().rev() {
            match byte {
                b')' | b']' | b'}' => depth += 1,
                b'(' | b'[' | b'{' => depth = depth.saturating_sub(1),
                b'/' | b'+' if depth == 0 && at > 0 => return Some((range.start + at, char::from(*byte))),
                _ => {}
            }
        }
        None
    }

    /// The value of a call.
    fn called(&self, range: &Range<usize>, depth: usize) -> Vec<String> {
        let plain = self.plain();
        let Some(open) = self.reader.opened(range.end - 1) else { return Vec::new() };
        if open < range.start {
            return Vec::new();
        }
        let callee = plain[range.start..open].trim();
        let called = callee.rsplit(['.', ':']).next().unwrap_or_default();
        let arguments = self.arguments(open);
        let first = arguments
            .first()
            .map(|one| self.reader.code[one.clone()].trim().trim_matches(['"', '\'']))
            .unwrap_or_default();
        let before = range.start..(open - called.len()).saturating_sub(1).max(range.start);
        let receiver = || self.values(before.clone(), depth + 1);
        let home = || vec!["~".to_owned()];
        match called {
            "home" | "homedir" | "UserHomeDir" | "home_dir" => home(),
            "getenv" | "Getenv" | "get" | "fetch" if matches!(first, "HOME" | "USERPROFILE") => home(),
            "cwd" | "getcwd" | "pwd" | "Getwd" => vec![String::new()],
            "dirname" => {
                parents(&arguments.first().map(|one| self.values(one.clone(), depth + 1)).unwrap_or_default())
            }
            "with_suffix" | "with_name" => {
                let dirs = receiver();
                let change = |path: &String| match called {
                    "with_name" => Path::new(path).with_file_name(first),
                    _ => Path::new(path).with_extension(first.trim_start_matches('.')),
                };
                dirs.iter().map(|path| change(path).display().to_string()).collect()
            }
            _ if !SAME.contains(&called) => Vec::new(),
            _ => {
                let module = plain[before.clone()].trim().trim_end_matches(':');
                let of_a_method = !before.is_empty() && (arguments.is_empty() || !MODULES.contains(&module));
                let mut found = if of_a_method { receiver() } else { vec![String::new()] };
                if of_a_method && matches!(called, "get" | "from" | "of" | "join" | "Join" | "new") {
                    return Vec::new();
                }
                for argument in &arguments {
                    let values = self.values(argument.clone(), depth + 1);
                    found = found
                        .iter()
                        .flat_map(|head| values.iter().map(|tail| joined(head, tail)).collect::<Vec<_>>())
                        .collect();
                    found.truncate(VALUES_MAX);
                }
                found
            }
        }
    }

    /// The value of a name, an attribute or an element.
    fn told(&self, range: &Range<usize>, depth: usize) -> Vec<String> {
        let code = &self.reader.code[range.clone()];
        if is_home(code) {
            return vec!["~".to_owned()];
        }
        let own = self.file.display().to_string();
        match code {
            "__file__" | "__FILE__" | "__filename" | "import.meta.filename" => vec![own],
            "__dirname" | "__dir__" | "import.meta.dirname" | "import.meta.dir" => parents(&[own]),
            _ => match code.rsplit_once('.') {
                Some((_, "parent")) => {
                    parents(&self.values(range.start..range.end - ".parent".len(), depth + 1))
                }
                Some(("self" | "this", _)) => self.named(code, range.start, depth),
                Some(_) => Vec::new(),
                None if is_name(code.trim_start_matches('$')) => self.named(code, range.start, depth),
                None => Vec::new(),
            },
        }
    }

    /// A literal with the values of what is filled into it; a gap that is not known leaves nothing, or a word in its place.
    fn filled(&self, text: &str, at: usize, depth: usize, is_line: bool) -> Vec<String> {
        let text = if is_line { text } else { text.trim_start_matches(['>', '+']).trim_start() };
        let mut found = vec![String::new()];
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let Some(close) = rest[open..].find('}').map(|close| open + close) else { break };
            let head = rest[..open].trim_end_matches(['$', '#']);
            let inner = rest[open + 1..close].trim();
            let mut values = match inner {
                _ if is_home(inner) || matches!(inner, "Path.home()" | "os.homedir()" | "homedir()") => {
                    vec!["~".to_owned()]
                }
                _ if is_name(inner) => self.named(inner, at, depth + 1),
                _ => Vec::new(),
            };
            if values.is_empty() && is_line {
                values.push(UNKNOWN.to_owned());
            }
            found = found
                .iter()
                .flat_map(|one| values.iter().map(move |value| format!("{one}{head}{value}")))
                .take(VALUES_MAX)
                .collect();
            rest = &rest[close + 1..];
        }
        let is_path = |one: &String| is_line || one.len() < 1024 && !one.contains('\n');
        found.into_iter().map(|one| format!("{one}{rest}")).filter(is_path).collect()
    }

    /// The values of a name at a place: what it was given last before that, as a variable, in a loop or as a parameter.
    fn named(&self, name: &str, at: usize, depth: usize) -> Vec<String> {
        if depth > DEPTH_MAX {
            return Vec::new();
        }
        let plain = self.plain();
        let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let is_whole = |place: &usize| {
            !plain[..*place].ends_with(part) && !plain[place + name.len()..].starts_with(part)
        };
        let before =
            plain[..at].rmatch_indices(name).map(|(place, _)| place).filter(is_whole).take(BINDINGS_MAX);
        let behind =
            plain[at..].match_indices(name).map(|(place, _)| at + place).filter(is_whole).take(BINDINGS_MAX);
        let bound = before.chain(behind).find_map(|place| self.bound(name, place, depth));
        bound.unwrap_or_default()
    }

    /// The values that a name is given at a place; `None` where it is only used there.
    fn bound(&self, name: &str, place: usize, depth: usize) -> Option<Vec<String>> {
        let plain = self.plain();
        let (head, rest) = (&plain[..place], &plain[place + name.len()..]);
        let last = last_word(head.trim_end());
        if last == "as" {
            return Some(Vec::new());
        }
        // Asked of few: how far brackets go is found by walking back.
        let near = head.get(head.len().saturating_sub(HEAD_BYTES_MAX)..).unwrap_or(head);
        let may_be_parameter = head.trim_end_matches([' ', '\n', '\t', '*', '$']).ends_with(['(', ','])
            && ["def ", "function", "func ", "fn "].iter().any(|word| near.contains(word));
        if may_be_parameter && self.reader.is_parameter(place) {
            return Some(self.given(name, place, depth));
        }
        let line = &head[head.rfind(['\n', ';']).map_or(0, |at| at + 1)..];
        if line.contains("for ") || line.contains("for(") {
            let (_, iterated) = rest.split_once(" in ").or_else(|| rest.split_once(" of "))?;
            let is_head = rest[..rest.len() - iterated.len()].len() < name.len() + 32
                && !rest[..rest.len() - iterated.len()].contains('\n');
            if !is_head {
                return None;
            }
            let start = plain.len() - iterated.len();
            return Some(self.elements(start..self.end_of_expression(start), depth));
        }
        let behind = rest.trim_start_matches([' ', '\t']);
        let value = behind.strip_prefix(":=").or_else(|| {
            let behind = match behind.strip_prefix(':') {
                Some(typed) => typed
                    .trim_start()
                    .trim_start_matches(|c: char| c.is_alphanumeric() || "_.[]|".contains(c))
                    .trim_start(),
                None => behind,
            };
            behind.strip_prefix('=').filter(|value| !value.starts_with(['=', '>', '~']))
        })?;
        let is_alone = ["const", "let", "var", "my", "our"].contains(&line.trim()) || line.trim().is_empty();
        let start = plain.len() - value.len();
        // With others at once (`a, b = …`), or in brackets (`f(name=…)`), it is another thing.
        Some(if is_alone {
            self.values(start..self.end_of_expression(start), depth + 1)
        } else {
            return None;
        })
    }

    /// The elements of a list that is written out.
    fn elements(&self, range: Range<usize>, depth: usize) -> Vec<String> {
        let range = self.trimmed(range);
        let text = &self.plain()[range.clone()];
        let text = text.trim_end_matches([':', ')', ' ', '{']);
        let range = range.start..range.start + text.len();
        let range = if text.starts_with('(') { range.start..self.reader.closed(range.start) } else { range };
        let text = &self.plain()[range.clone()];
        if !text.starts_with(['[', '(']) || text.len() < 2 {
            return Vec::new();
        }
        let elements = split_arguments(self.plain(), range.start + 1..range.end - 1);
        elements.into_iter().take(VALUES_MAX).flat_map(|one| self.values(one, depth + 1)).collect()
    }

    /// The values that a parameter is given where its function is called.
    fn given(&self, name: &str, place: usize, depth: usize) -> Vec<String> {
        let plain = self.plain();
        let Some(open) = self.reader.opened(place) else { return Vec::new() };
        let function = dotted(&plain[..open]);
        let parameters = self.arguments(open);
        let is_self = |one: &Range<usize>| matches!(plain[one.clone()].trim(), "self" | "cls");
        let index = parameters.iter().filter(|one| !is_self(one)).position(|one| one.contains(&place));
        let (Some(index), false) = (index, function.is_empty()) else { return Vec::new() };
        let call = format!("{function}(");
        let calls = plain.match_indices(&call).map(|(at, _)| at + call.len() - 1).filter(|at| *at != open);
        let values = calls.take(VALUES_MAX).flat_map(|open| {
            let arguments = self.arguments(open);
            let by_name = arguments.iter().find(|one| {
                plain[(*one).clone()].split_once('=').is_some_and(|(before, _)| before.trim() == name)
            });
            match by_name {
                Some(one) => {
                    let at = plain[one.clone()].find('=').unwrap_or(0);
                    self.values(one.start + at + 1..one.end, depth + 1)
                }
                None => {
                    arguments.get(index).map(|one| self.values(one.clone(), depth + 1)).unwrap_or_default()
                }
            }
        });
        values.take(VALUES_MAX).collect()
    }

    /// Where an expression ends that begins here and stands in no brackets.
    fn end_of_expression(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        for (at, byte) in self.plain().as_bytes()[start..].iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return start + at,
                b')' | b']' | b'}' => depth -= 1,
                b'\n' | b';' if depth == 0 => return start + at,
                _ => {}
            }
        }
        self.plain().len()
    }
}

fn is_home(text: &str) -> bool {
    const NAMES: [&str; 8] = [
        "process.env.HOME",
        "os.environ[\"HOME\"]",
        "os.environ['HOME']",
        "environ[\"HOME\"]",
        "ENV[\"HOME\"]",
        "ENV['HOME']",
        "Dir.home",
        "Bun.env.HOME",
    ];
    NAMES.contains(&text)
}

fn joined(head: &str, tail: &str) -> String {
    match tail.starts_with(['/', '~']) || head.is_empty() {
        true => tail.to_owned(),
        false => format!("{}/{}", head.trim_end_matches('/'), tail),
    }
}

fn parents(paths: &[String]) -> Vec<String> {
    paths
        .iter()
        .map(|path| Path::new(path).parent().map(|dir| dir.display().to_string()).unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certain(code: &str) -> Certain {
        read(code, Path::new("/r/tests/a.py"), &mut 10_000)
    }

    #[test]
    fn a_call_that_writes_is_asked_for_its_path() {
        for (code, expected) in [
            ("open('A.md', 'w')", "A.md"),
            ("open('A.md')", ""),
            ("p = Path.home() / '.config'\n(p / 'A.md').write_text('x')", "~/.config/A.md"),
            ("open(os.path.join(d, 'A.md'), 'w')", ""),
            ("open(os.environ['HOME'] + '/A.md', 'a')", "~/A.md"),
            ("(Path(__file__).parent.parent / 'A.md').write_text('')", "/r/A.md"),
            ("def put(p, q=1):\n    open(p, 'w')\nput('A.md')\nput(tmp)\n", "A.md"),
            ("def put(self, p):\n    p.unlink()\nself.put(Path('A.md'))\n", "A.md"),
            ("for f in ['A.md', 'B.md']:\n    os.remove(f)\n", "A.md B.md"),
            ("x = 'A.md'\nx = tmp / x\nx.write_text('')\n", ""),
            ("with open('A.md', 'w') as f:\n    f.write_text('x')\n", "A.md"),
            ("shutil.copy('a', 'A.md')", "A.md"),
            ("fs.writeFileSync(`${dir}/A.md`, 'x')", ""),
            ("const d = os.homedir();\nfs.writeFileSync(`${d}/A.md`, 'x')", "~/A.md"),
            ("fs.writeFileSync(path.join(process.cwd(), 'docs', '..', 'A.md'), 'x')", "docs/../A.md"),
            ("File.write \"A.md\", 'x'", "A.md"),
            ("os.WriteFile(filepath.Join(t.TempDir(), \"A.md\"), b, 0o644)", ""),
            ("os.chdir(d)\nopen('A.md', 'w')\nopen('/a', 'w')", "/a"),
            ("shutil.rmtree('docs')", "gone docs"),
            ("subprocess.run(['rm', p, 'A.md'])", "$ 'rm' 'not-known' 'A.md'"),
            ("subprocess.run(['rm', 'A.md'], cwd=d)", ""),
            ("run(['rm', 'A.md']); re.exec('rm A.md')", ""),
            ("execSync(`rm ${x}/A.md`)", "$ rm not-known/A.md"),
            ("system 'rm A.md'", "$ rm A.md"),
        ] {
            let Certain { written, gone, lines } = certain(code);
            let gone = gone.iter().map(|path| format!("gone {path}"));
            let all = written.into_iter().chain(gone).chain(lines.iter().map(|line| format!("$ {line}")));
            assert_eq!(all.collect::<Vec<_>>().join(" "), expected, "{code}");
        }
    }

    /// Two functions that call each other, each many times: every value leads to many others.
    #[test]
    fn what_leads_back_to_itself_ends() {
        let calls = |name: &str| format!("    {name}(a)\n").repeat(16);
        let code = format!("def f(a):\n{}def g(a):\n{}    open(a, 'w')\n", calls("g"), calls("f"));
        let mut room = 500;
        assert_eq!(read(&code, Path::new("/r/a.py"), &mut room), Certain::default());
        assert_eq!(room, 0);
    }
}
