//! What a program does with its string literals: a name that is only read, said or compared is none that it writes. A literal is
//! followed outward through what holds it, and by name through variables, loops, parameters, attributes and lists.

use super::code::{self, Literal};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

pub(super) mod certain;

/// What becomes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// It is read, said, compared or written into something as text.
    Harmless,
    /// It is among the words of a command that is started.
    Started,
    /// It is a file that is copied elsewhere.
    Copied,
    /// It cannot be told.
    Unknown,
    /// It names a file that is written.
    Written,
}

/// Calls and methods that only read, look or say; and words of a language behind which a value is only looked at.
const HARMLESS: [&str; 78] = [
    "print",
    "println",
    "printf",
    "puts",
    "pp",
    "say",
    "echo",
    "warn",
    "die",
    "abort",
    "exit",
    "log",
    "info",
    "debug",
    "error",
    "warning",
    "critical",
    "exception",
    "fail",
    "Error",
    "Exception",
    "ValueError",
    "RuntimeError",
    "SystemExit",
    "FileNotFoundError",
    "TypeError",
    "assert",
    "describe",
    "it",
    "test",
    "expect",
    "if",
    "elif",
    "while",
    "unless",
    "switch",
    "len",
    "repr",
    "isinstance",
    "hash",
    "bool",
    "any",
    "all",
    "read_text",
    "read_bytes",
    "read",
    "readFile",
    "readFileSync",
    "readlines",
    "readLines",
    "readTextFile",
    "file_get_contents",
    "load_text",
    "exists",
    "existsSync",
    "isfile",
    "isdir",
    "is_file",
    "is_dir",
    "getsize",
    "getmtime",
    "stat",
    "statSync",
    "lstat",
    "startswith",
    "endswith",
    "startsWith",
    "endsWith",
    "start_with?",
    "includes",
    "index",
    "indexOf",
    "count",
    "write_text",
    "write_bytes",
    "writelines",
    "fnmatch",
    "match",
];
/// Attributes of a path that are no path of that file.
const PARTS: [&str; 9] = ["name", "stem", "suffix", "parts", "size", "length", "parent", "split", "lines"];
/// Calls that give what they are given, perhaps in another form.
const WRAPPERS: [&str; 62] = [
    "glob",
    "rglob",
    "iglob",
    "globSync",
    "listdir",
    "scandir",
    "iterdir",
    "readdirSync",
    "Path",
    "PurePath",
    "PosixPath",
    "PathBuf",
    "str",
    "String",
    "join",
    "joinpath",
    "resolve",
    "absolute",
    "abspath",
    "realpath",
    "normpath",
    "expanduser",
    "expandvars",
    "expand_path",
    "fspath",
    "as_posix",
    "strip",
    "lower",
    "upper",
    "toString",
    "to_s",
    "format",
    "with_suffix",
    "with_name",
    "list",
    "tuple",
    "set",
    "sorted",
    "reversed",
    "enumerate",
    "zip",
    "dict",
    "iter",
    "next",
    "map",
    "filter",
    "field",
    "File",
    "new",
    "URL",
    "from",
    "get",
    "items",
    "values",
    "keys",
    "Object",
    "entries",
    "encode",
    "as_ref",
    "to_path_buf",
    "of",
    "concat",
];
/// Calls that give the names in a directory.
const LISTING: [&str; 10] = [
    "listdir",
    "scandir",
    "glob",
    "iglob",
    "rglob",
    "iterdir",
    "walk",
    "readdirSync",
    "globSync",
    "children",
];
/// Methods that put a value into what they are called on.
const COLLECTING: [&str; 7] = ["append", "add", "push", "insert", "extend", "unshift", "appendleft"];
/// Methods that go through a list with a function.
const GOING_THROUGH: [&str; 8] = ["forEach", "map", "filter", "flatMap", "some", "every", "each", "find"];
/// Calls that open a file, for reading where they do not say otherwise.
const OPENING: [&str; 5] = ["open", "fopen", "openSync", "fdopen", "open_text"];
/// How the names of modules begin whose calls take files.
const OF_FILES: [&str; 5] = ["os.", "fs.", "shutil.", "File", "path."];
/// Calls that start a program.
const STARTING: [&str; 38] = [
    "Command",
    "system",
    "run",
    "Popen",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "popen",
    "popen2",
    "popen3",
    "capture2",
    "capture2e",
    "capture3",
    "exec",
    "execSync",
    "execFile",
    "execFileSync",
    "execa",
    "spawn",
    "spawnSync",
    "execl",
    "execle",
    "execlp",
    "execlpe",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "spawnl",
    "spawnlp",
    "spawnv",
    "spawnvp",
    "posix_spawn",
    "shell_exec",
    "passthru",
    "create_subprocess_exec",
];
/// How far a value is followed, and how many names of a program are.
const DEPTH_MAX: usize = 12;
const NAMES_MAX: usize = 256;
const STEPS_MAX: usize = 4_000;
/// So far away a bracket is that opens or closes, and so many bytes are looked at for where a statement begins.
const BYTES_MAX: usize = 16 << 10;
/// The most values of a name that are put into a command line, and the most such lines.
const VALUES_MAX: usize = 16;
const LINES_MAX: usize = 32;

/// A program, with what was found out of it so far.
pub(super) struct Reader<'c> {
    code: &'c str,
    /// The same, as long, with blanks for what stands in literals and comments.
    plain: Rc<str>,
    literals: Vec<Literal<'c>>,
    brackets: Brackets,
    functions: Vec<Function>,
    /// Names that were followed.
    names: BTreeMap<String, Use>,
    /// The literals that a name may be, and the names that it gets its value from.
    values: BTreeMap<String, Vec<usize>>,
    given: BTreeMap<String, Vec<String>>,
    steps: usize,
}

/// A function that the program defines.
struct Function {
    name: String,
    parameters: Vec<String>,
}

impl<'c> Reader<'c> {
    pub(super) fn of(code: &'c str) -> Reader<'c> {
        let (literals, plain) = code::apart(code);
        let functions = functions(&plain);
        let (names, values, given) = Default::default();
        let brackets = Brackets::of(&plain);
        let plain = plain.into();
        Reader { code, plain, literals, brackets, functions, names, values, given, steps: 0 }
    }

    /// Each literal, with what becomes of it.
    pub(super) fn uses(&mut self) -> Vec<(&'c str, Range<usize>, Use)> {
        let all: Vec<_> = self.literals.iter().map(|one| (one.text, one.range.clone())).collect();
        let found = all.into_iter().enumerate();
        found.map(|(at, (text, range))| (text, range.clone(), self.value(range, Some(at), None, 0))).collect()
    }

    /// What becomes of the value of a place in the program: a literal or a name.
    fn value(
        &mut self,
        mut range: Range<usize>,
        literal: Option<usize>,
        name: Option<&str>,
        depth: usize,
    ) -> Use {
        let from = Origin { literal, name: name.map(str::to_owned), depth: depth + 1 };
        for _ in 0..DEPTH_MAX {
            self.steps += 1;
            if depth > DEPTH_MAX || self.steps > STEPS_MAX {
                return Use::Unknown;
            }
            match self
                .behind(&range, &from)
                .or_else(|| self.before(&range, &from))
                .unwrap_or_else(|| self.around(&range, &from))
            {
                Step::Is(found) => return found,
                Step::Within(outer) => range = outer,
            }
        }
        Use::Unknown
    }

    /// What the text behind a value says of it.
    fn behind(&mut self, range: &Range<usize>, from: &Origin) -> Option<Step> {
        let plain = Rc::clone(&self.plain);
        let rest = &plain[range.end..];
        let text = rest.trim_start_matches([' ', '\t']);
        let at = range.end + rest.len() - text.len();
        if ["==", "!=", "in ", "not in ", "is ", "=~", "!~"].iter().any(|sign| text.starts_with(sign)) {
            return Some(Step::Is(Use::Harmless));
        }
        if text.starts_with('[') && at == range.end {
            return Some(Step::Within(range.start..self.closed(at)));
        }
        let method = text.strip_prefix('.').map(word).filter(|method| !method.is_empty())?;
        let end = at + 1 + method.len();
        let is_call = plain[end..].starts_with('(');
        if GOING_THROUGH.contains(&method) {
            let found = self.handed_on(&plain[end..]).iter().map(|name| self.follow(name, from)).max();
            return Some(Step::Is(found.unwrap_or(Use::Unknown)));
        }
        let close = if is_call { self.closed(end) } else { end };
        let arguments = || &self.code[end..close];
        Some(match method {
            "open" => Step::Is(mode_of(arguments(), &[])),
            "replace" if arguments().contains(',') => Step::Within(range.start..close),
            _ if code::writes_itself(method) && is_call => Step::Is(Use::Written),
            _ if HARMLESS.contains(&method) || PARTS.contains(&method) => Step::Is(Use::Harmless),
            "remove" | "discard" | "pop" if arguments().len() > 2 => Step::Is(Use::Harmless),
            _ if COLLECTING.contains(&method) => Step::Is(Use::Harmless),
            _ if WRAPPERS.contains(&method) => Step::Within(range.start..close),
            // An attribute: `args.path`, of what `args` is.
            _ if !is_call => Step::Within(range.start..close),
            _ => Step::Is(Use::Unknown),
        })
    }

    /// The parameter of the function that a list hands its values to: `(f => …`, ` do |f|`.
    fn handed_on(&self, rest: &str) -> Option<String> {
        let line = rest.lines().next().unwrap_or_default();
        let head = line.split_once("=>").map(|(head, _)| head);
        let head = head.or_else(|| line.split('|').nth(1)).or_else(|| line.split("function").nth(1));
        let name = head?.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').split([',', ')']).next()?;
        is_name(name).then(|| name.to_owned())
    }

    /// What the text right before a value says of it.
    fn before(&mut self, range: &Range<usize>, from: &Origin) -> Option<Step> {
        let plain = Rc::clone(&self.plain);
        let head = plain[..range.start].trim_end();
        if ["==", "!=", "=~", "!~"].iter().any(|sign| head.ends_with(sign)) {
            return Some(Step::Is(Use::Harmless));
        }
        let last = last_word(head);
        let line = self.statement(range.start);
        // `print > "FILE"`, of awk
        if head.ends_with('>') && !head.ends_with("=>") && plain[line..range.start].contains("print") {
            return Some(Step::Is(Use::Written));
        }
        match last {
            "in" | "of" => {
                let variables = loop_variables(&self.plain[line..head.len()]);
                let found = variables.iter().map(|name| self.follow(name, from)).max();
                return Some(Step::Is(found.unwrap_or(Use::Harmless)));
            }
            "return" | "yield" => {
                let above =
                    self.plain[..line].rfind("def ").or_else(|| self.plain[..line].rfind("function "))?;
                let name = self.plain[above..].split([' ', '(']).nth(1).map(str::to_owned)?;
                return Some(Step::Is(self.follow(&name, from)));
            }
            "not" | "assert" | "raise" => return Some(Step::Is(Use::Harmless)),
            _ if HARMLESS.contains(&last) && !self.plain[range.end..].lines().next()?.contains('>') => {
                return Some(Step::Is(Use::Harmless));
            }
            _ => {}
        }
        if !head.ends_with('=') || head.ends_with("<=") || head.ends_with(">=") {
            return None;
        }
        if let Some(open) = self.opened(range.start).filter(|open| plain[*open..].starts_with('(')) {
            return Some(self.keyword(open, head, range, from));
        }
        let names = assigned_names(&self.plain[line..head.len() - 1]);
        let found = names.iter().map(|name| self.follow(name, from)).max();
        Some(Step::Is(found.unwrap_or(Use::Unknown)))
    }

    /// A value behind `name=` in brackets: the default of a parameter, or an argument.
    fn keyword(&mut self, open: usize, head: &str, range: &Range<usize>, from: &Origin) -> Step {
        let name = assigned_names(&head[open + 1..head.len() - 1]).pop().unwrap_or_default();
        let plain = Rc::clone(&self.plain);
        let callee = dotted(&plain[..open]);
        let before = plain[..open - callee.len()].trim_end();
        let called = callee.rsplit('.').next().unwrap_or_default();
        let is_defined = ["def", "function", "func", "fn"].contains(&last_word(before));
        if is_defined || self.functions.iter().any(|one| one.name == called) {
            return Step::Is(self.follow(&name, from));
        }
        match (called, name.as_str()) {
            (_, "help" | "description" | "cwd" | "text" | "encoding" | "msg" | "message") => {
                Step::Is(Use::Harmless)
            }
            ("add_argument" | "option" | "argument", "default") => {
                let option = self.literals.iter().find(|one| one.range.start > open);
                let name = option.map(|one| one.text.trim_start_matches('-').replace('-', "_"));
                Step::Is(name.map_or(Use::Unknown, |name| self.follow(&name, from)))
            }
            _ => self.called(open, range, from),
        }
    }

    /// What holds a value: a call, a list, a group; or a statement.
    fn around(&mut self, range: &Range<usize>, from: &Origin) -> Step {
        let line = self.statement(range.start);
        let Some(open) = self.opened(range.start) else { return self.stated(line, range, from) };
        let plain = Rc::clone(&self.plain);
        let before = plain[..open].trim_end();
        match plain.as_bytes()[open] {
            b'(' => self.called(open, range, from),
            b'[' if plain[..open].ends_with(|c: char| c.is_alphanumeric() || "_)]".contains(c)) => {
                Step::Is(Use::Harmless)
            }
            b'{' if before.ends_with([')', '>'])
                || ["else", "try", "do", "finally"].contains(&last_word(before)) =>
            {
                self.stated(line.max(open + 1), range, from)
            }
            _ => Step::Within(open..self.closed(open)),
        }
    }

    /// A value that stands in a statement and in no brackets of it.
    fn stated(&mut self, line: usize, range: &Range<usize>, from: &Origin) -> Step {
        let plain = Rc::clone(&self.plain);
        let head = &plain[line.min(range.start)..range.start];
        let first = word(head.trim_start());
        if HARMLESS.contains(&first)
            && !self.plain[range.end..].lines().next().unwrap_or_default().contains('>')
        {
            return Step::Is(Use::Harmless);
        }
        let sets = head.char_indices().find(|(at, c)| {
            *c == '='
                && !head[at + 1..].starts_with(['=', '>', '~'])
                && !head[..*at].ends_with(['=', '!', '<', '>'])
        });
        let names = sets.map(|(at, _)| assigned_names(&head[..at])).unwrap_or_default();
        let found = names.iter().map(|name| self.follow(name, from)).max();
        // A statement that is a text alone says something of the program.
        let alone =
            head.trim().is_empty() && from.name.is_none() && self.plain[range.end..].starts_with('\n');
        Step::Is(found.unwrap_or(if alone { Use::Harmless } else { Use::Unknown }))
    }

    /// A value among the arguments of a call.
    fn called(&mut self, open: usize, range: &Range<usize>, from: &Origin) -> Step {
        let plain = Rc::clone(&self.plain);
        let callee = dotted(&plain[..open]);
        let close = self.closed(open);
        let called = callee.rsplit(['.', ':']).next().unwrap_or_default();
        let arguments = split_arguments(&plain, open + 1..close.saturating_sub(1).max(open + 1));
        let at = arguments.iter().position(|one| one.end >= range.end).unwrap_or(0);
        let whole = Step::Within(self.chain(open - callee.len())..close);
        if callee.is_empty() {
            return whole;
        }
        let call = format!("{callee}(");
        if let Some(function) = self.functions.iter().find(|one| one.name == called) {
            let is_method = function.parameters.first().is_some_and(|first| first == "self");
            let parameter = function.parameters.get(at + usize::from(is_method)).cloned();
            return Step::Is(parameter.map_or(Use::Unknown, |name| self.follow(&name, from)));
        }
        Step::Is(match called {
            _ if OPENING.contains(&called) || callee.ends_with("File.new") => {
                self.opening(range, &arguments, open)
            }
            _ if code::writes_first(&call) => [Use::Written, Use::Harmless][at.min(1)],
            _ if code::writes_last(&call) => {
                let is_named = |one: &Range<usize>| {
                    let text = plain[one.clone()].trim();
                    text.split_once('=').is_some_and(|(name, _)| is_name(name.trim()))
                };
                let last = arguments.iter().rposition(|one| !is_named(one)).unwrap_or(0);
                let takes = ["move", "replace", "rename", "renameSync"].contains(&called);
                if takes || at >= last { Use::Written } else { Use::Copied }
            }
            "replace" if arguments.len() > 1 => Use::Harmless,
            "write" | "update" if arguments.len() == 1 => Use::Harmless,
            // Of a list or a dictionary, and no file.
            "remove" | "discard" | "pop"
                if callee.contains('.') && !OF_FILES.iter().any(|module| callee.starts_with(module)) =>
            {
                Use::Harmless
            }
            _ if STARTING.contains(&called) => Use::Started,
            _ if HARMLESS.contains(&called) => Use::Harmless,
            _ if COLLECTING.contains(&called) => {
                let receiver = callee.rsplit('.').nth(1).unwrap_or_default().to_owned();
                self.follow(&receiver, from)
            }
            _ if WRAPPERS.contains(&called) => return whole,
            _ => Use::Unknown,
        })
    }

    /// What a call that opens a file does with it, by its other arguments.
    fn opening(&self, range: &Range<usize>, arguments: &[Range<usize>], open: usize) -> Use {
        let others = arguments.iter().filter(|one| one.end < range.start || one.start > range.end);
        let texts: Vec<&str> = others.map(|one| self.code[one.clone()].trim()).collect();
        let own = self.code[range.clone()].trim_start_matches(['"', '\'']);
        let is_mode =
            own.len() < 7 && own.trim_end_matches(['"', '\'']).chars().all(|c| "rwabxtU+:gz2".contains(c));
        if is_mode {
            return Use::Harmless;
        }
        // Perl's mode before the name; Rust's in calls of its own.
        match own.starts_with(['>', '|', '+']) {
            true => Use::Written,
            false if self.plain[self.statement(open)..open].contains("Options::new()") => Use::Unknown,
            false => mode_of("", &texts),
        }
    }

    /// What becomes of everything that a name stands for.
    fn follow(&mut self, name: &str, from: &Origin) -> Use {
        if name.is_empty() || from.name.as_deref() == Some(name) {
            return Use::Harmless;
        }
        match (&from.name, from.literal) {
            (Some(before), _) => noted(self.given.entry(name.to_owned()).or_default(), before.clone()),
            (None, Some(literal)) => noted(self.values.entry(name.to_owned()).or_default(), literal),
            _ => {}
        }
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        if self.names.len() >= NAMES_MAX {
            return Use::Unknown;
        }
        // What comes back to itself adds nothing.
        self.names.insert(name.to_owned(), Use::Harmless);
        let places: Vec<Range<usize>> = self.places_of(name);
        let found = places.into_iter().map(|range| self.value(range, None, Some(name), from.depth)).max();
        let found = found.unwrap_or(Use::Harmless);
        self.names.insert(name.to_owned(), found);
        found
    }

    /// The places at which a name is used: in the program, and in literals that it is put into.
    fn places_of(&self, name: &str) -> Vec<Range<usize>> {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let mut found = Vec::new();
        for (at, _) in self.plain.match_indices(name) {
            let (head, rest) = (&self.plain[..at], &self.plain[at + name.len()..]);
            if head.ends_with(part) || rest.starts_with(part) {
                continue;
            }
            let behind = rest.trim_start();
            let is_set = behind.starts_with('=') && !behind.starts_with("==")
                || behind.starts_with("+=")
                || behind.starts_with(":=");
            let is_said = [
                "def", "function", "class", "fn", "func", "for", "const", "let", "var", "my", "import",
                "global",
            ]
            .contains(&last_word(head.trim_end()));
            let is_of_a_module = head.ends_with("os.") || head.ends_with("sys.");
            if is_set || is_said || is_of_a_module || self.is_parameter(at) {
                continue;
            }
            let start = self.chain(at - dotted(head).len());
            let end = at + name.len();
            let end = if rest.starts_with('(') && !head.ends_with('.') { self.closed(end) } else { end };
            found.push(start..end);
        }
        let signs = [format!("{{{name}"), format!("${name}"), format!("self.{name}"), format!("args.{name}")];
        let inside = |one: &&Literal<'_>| {
            let stands = |sign: &String| {
                one.text
                    .match_indices(sign.as_str())
                    .any(|(at, _)| !one.text[at + sign.len()..].starts_with(part))
            };
            one.text.contains(name) && signs.iter().any(stands)
        };
        found.extend(self.literals.iter().filter(inside).map(|one| one.range.clone()));
        found
    }

    /// Whether a place is in the brackets of a function's definition.
    fn is_parameter(&self, at: usize) -> bool {
        let Some(open) = self.opened(at).filter(|open| self.plain[*open..].starts_with('(')) else {
            return false;
        };
        let callee = dotted(&self.plain[..open]);
        let before = self.plain[..open - callee.len()].trim_end();
        ["def", "function", "func", "fn"].contains(&last_word(before)) || callee == "function"
    }

    /// The innermost bracket that is open at a place, as far as that is looked back.
    fn opened(&self, at: usize) -> Option<usize> {
        let before = self.brackets.places.partition_point(|(place, _)| *place < at);
        let open = before.checked_sub(1).and_then(|last| self.brackets.places[last].1);
        open.filter(|open| at - open <= BYTES_MAX)
    }

    /// Where an expression begins that goes on here with a dot: `Path("docs")` in front of `.glob`.
    fn chain(&self, mut at: usize) -> usize {
        while self.plain[at..].starts_with('.') && self.plain[..at].ends_with([')', ']', '"']) {
            at = match self.literals.iter().find(|one| one.range.end == at) {
                Some(literal) => literal.range.start,
                None => self.opened(at - 1).unwrap_or(at),
            };
            at -= dotted(&self.plain[..at]).len();
        }
        at
    }

    /// What becomes of the names that the program finds in directories, and those directories, where it names them.
    pub(super) fn found_names(&mut self) -> Vec<(Use, Option<String>)> {
        let plain = Rc::clone(&self.plain);
        let calls = plain.match_indices('(').map(|(open, _)| open).filter(|open| {
            LISTING.contains(&dotted(&plain[..*open]).rsplit(['.', ':']).next().unwrap_or_default())
        });
        let calls: Vec<usize> = calls.take(LINES_MAX).collect();
        let look = |open: usize| {
            let (start, end) = (self.chain(open - dotted(&plain[..open]).len()), self.closed(open));
            let dir = self.literals.iter().find(|one| one.range.start >= start && one.range.end <= end);
            let dir = dir.map(|one| one.text.to_owned());
            (self.value(start..end, None, Some("()"), 0), dir)
        };
        calls.into_iter().map(look).collect()
    }

    /// The place behind the bracket that closes one.
    fn closed(&self, open: usize) -> usize {
        let close = self.brackets.closing.get(&open).filter(|close| *close - open < BYTES_MAX);
        close.map_or(open, |close| *close) + 1
    }

    /// Where the statement begins that a place is in: brackets go over lines.
    fn statement(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for (back, byte) in self.plain.as_bytes()[..at].iter().rev().take(BYTES_MAX).enumerate() {
            match byte {
                b')' | b']' | b'}' => depth += 1,
                b'(' | b'[' | b'{' => depth = depth.saturating_sub(1),
                b'\n' | b';' if depth == 0 => return at - back,
                _ => {}
            }
        }
        let from = at.saturating_sub(BYTES_MAX);
        (from..=at).find(|at| self.plain.is_char_boundary(*at)).unwrap_or(at)
    }

    /// The command lines that the program starts: the text of each such call, or its words, with the values of variables.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut found = Vec::new();
        let calls = self.plain.match_indices('(').map(|(open, _)| open).filter(|open| {
            STARTING.contains(&dotted(&self.plain[..*open]).rsplit(['.', ':']).next().unwrap_or_default())
        });
        for open in calls.take(LINES_MAX) {
            let close = self.closed(open).saturating_sub(1).max(open + 1);
            let arguments = split_arguments(&self.plain, open + 1..close);
            let words: Vec<Vec<String>> = arguments.into_iter().map(|one| self.words(one)).collect();
            let all = words.concat();
            match all.as_slice() {
                [] => {}
                [text] => found.push(text.clone()),
                [first, ..] if first.contains(' ') => found.push(first.clone()),
                all => {
                    found.push(quoted(all));
                    found.extend(words.iter().filter(|words| words.len() > 1).map(|words| quoted(words)));
                }
            }
        }
        found
    }

    /// What Perl and Ruby start without brackets: `system "./a.sh"`.
    pub(super) fn lines_without_brackets(&self) -> Vec<String> {
        let is_one = |one: &&Literal<'_>| {
            let head = &self.plain[..one.range.start];
            let called = last_word(head.trim_end_matches(' '));
            head.ends_with(' ') && ["system", "exec", "sh", "popen"].contains(&called)
        };
        self.literals.iter().filter(is_one).map(|one| self.filled(one.text)).take(LINES_MAX).collect()
    }

    /// The words that an argument of such a call stands for.
    fn words(&self, range: Range<usize>) -> Vec<String> {
        let text = &self.plain[range.clone()];
        let start = range.start + text.len() - text.trim_start().len();
        let text = text.trim();
        let keyword =
            text.split_once('=').filter(|(name, rest)| is_name(name.trim()) && !rest.starts_with('='));
        if let Some((name, value)) = keyword {
            let at = start + text.len() - value.len();
            return if matches!(name.trim(), "args" | "command" | "cmd") {
                self.words(at..start + text.len())
            } else {
                Vec::new()
            };
        }
        if text.starts_with('{') {
            return Vec::new();
        }
        if text.starts_with(['[', '(']) && text.ends_with([']', ')']) && text.len() > 1 {
            let inner = split_arguments(&self.plain, start + 1..start + text.len() - 1);
            return inner.into_iter().flat_map(|one| self.words(one)).collect();
        }
        if is_name(text.rsplit('.').next().unwrap_or_default().trim_start_matches('*')) {
            let name = text.rsplit('.').next().unwrap_or_default().trim_start_matches('*');
            let values = self.values_of(name, 0);
            return if values.is_empty() { vec![format!("${name}")] } else { values };
        }
        let pieces = self
            .literals
            .iter()
            .filter(|one| one.range.start >= start && one.range.end <= start + text.len());
        let whole: String = pieces.map(|one| self.filled(one.text)).collect();
        if text.is_empty() || whole.is_empty() { Vec::new() } else { vec![whole] }
    }

    /// A literal with the values of the names that stand in it, where there is one of each.
    fn filled(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for name in self.values.keys().filter(|name| text.contains(name.as_str())) {
            let values = self.values_of(name, 0);
            if let Some(value) = values.first() {
                filled =
                    filled.replace(&format!("${{{name}}}"), value).replace(&format!("{{{name}}}"), value);
            }
        }
        filled
    }

    fn values_of(&self, name: &str, depth: usize) -> Vec<String> {
        let own = self.values.get(name).into_iter().flatten();
        let mut found: Vec<String> = own.map(|at| self.literals[*at].text.to_owned()).collect();
        if depth < 4 {
            let given = self.given.get(name).into_iter().flatten();
            found.extend(given.flat_map(|before| self.values_of(before, depth + 1)));
        }
        found.truncate(VALUES_MAX);
        found
    }
}

/// Where a value came from: a literal, or a name that is followed.
struct Origin {
    literal: Option<usize>,
    name: Option<String>,
    depth: usize,
}

/// Notes a value once, and no more of them than are used.
fn noted<T: PartialEq>(known: &mut Vec<T>, value: T) {
    if known.len() < VALUES_MAX && !known.contains(&value) {
        known.push(value);
    }
}

/// One step outward.
enum Step {
    /// It is told what becomes of it.
    Is(Use),
    /// It is part of this, which goes on.
    Within(Range<usize>),
}

/// How a call opens a file, by its other arguments: those of a method as one text, or each alone.
fn mode_of(of_method: &str, arguments: &[&str]) -> Use {
    let inner = of_method.trim_matches(['(', ')']);
    let of_method: Vec<&str> = inner.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let all = of_method.iter().chain(arguments);
    let modes = all.filter_map(|argument| {
        let (name, value) =
            argument.split_once('=').map_or(("", *argument), |(name, value)| (name.trim(), value.trim()));
        let is_mode = name.is_empty() || matches!(name, "mode" | "flag" | "flags");
        is_mode.then_some(value)
    });
    let mut found = Use::Harmless;
    for mode in modes {
        let text = mode.trim_matches(['"', '\'', '`']);
        let is_literal = text.len() < mode.len();
        let is_plain = is_literal && !text.contains(['w', 'a', 'x', '+', '>']) || text.contains("O_RDONLY");
        // A literal that is no mode is an encoding or a name; a number is that of a buffer.
        let is_none = is_literal && (text.len() > 4 || text.is_empty())
            || text.starts_with(|c: char| c.is_ascii_digit() || "-{$".contains(c))
            || text.starts_with("my ");
        let is_handle = !is_literal && text.chars().all(|c| c.is_ascii_uppercase());
        if !is_plain && !is_none && !is_handle {
            found = Use::Written;
        }
    }
    found
}

fn quoted(words: &[String]) -> String {
    let word = |word: &String| {
        if word.starts_with('$') { word.clone() } else { format!("'{}'", word.replace('\'', "")) }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The brackets of a program. They are looked for once: a name may stand in thousands of places.
#[derive(Default)]
struct Brackets {
    /// Each, with the innermost one that is open behind it.
    places: Vec<(usize, Option<usize>)>,
    /// Where those close that do.
    closing: BTreeMap<usize, usize>,
}

impl Brackets {
    fn of(plain: &str) -> Brackets {
        let (mut found, mut open) = (Brackets::default(), Vec::new());
        for (at, byte) in plain.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => open.push(at),
                b')' | b']' | b'}' => drop(open.pop().map(|opened| found.closing.insert(opened, at))),
                _ => continue,
            }
            found.places.push((at, open.last().copied()));
        }
        found
    }
}

/// The functions that a program defines, with the names of their parameters.
fn functions(plain: &str) -> Vec<Function> {
    let defined = ["def ", "function ", "func "].into_iter().flat_map(|keyword| {
        plain.match_indices(keyword).filter_map(move |(at, _)| {
            let behind = &plain[at + keyword.len()..];
            let name = word(behind);
            let list = behind[name.len()..].strip_prefix('(')?;
            let list = &list[..list.find(')').unwrap_or(list.len())];
            let parameter = |text: &str| word(text.trim().trim_start_matches(['$', '*'])).to_owned();
            Some(Function { name: name.to_owned(), parameters: list.split(',').map(parameter).collect() })
        })
    });
    defined.filter(|function| is_name(&function.name)).take(NAMES_MAX).collect()
}

/// The names that an assignment sets, from what stands before its `=`: `const a`, `a, b`, `a: str`.
fn assigned_names(head: &str) -> Vec<String> {
    let head = head.trim_end_matches(['+', ':', '|', '/', ' ']);
    let is_list = head.contains(',');
    let name = |part: &str| {
        let part = part.trim().trim_matches(['(', ')', '[', ']', '{', '}', '$', '*']);
        let part = part.split('[').next().unwrap_or_default();
        last_word(part).to_owned()
    };
    let parts = head.rsplit(['(', '\n']).next().unwrap_or_default();
    let (first, rest) = head.split_once(':').unwrap_or((head, ""));
    let is_typed = first.split_whitespace().count() <= 2
        && !["if", "else", "for", "with", "try"].contains(&word(first.trim()));
    let alone = if is_typed { first } else { rest.rsplit(':').next().unwrap_or_default() };
    let names: Vec<String> = if is_list { parts.split(',').map(name).collect() } else { vec![name(alone)] };
    names.into_iter().filter(|name| is_name(name)).collect()
}

/// The variables of a loop whose head ends here: `for a, b in`; none where `in` is no loop's.
fn loop_variables(head: &str) -> Vec<String> {
    let Some(at) = head.rfind("for ").or_else(|| head.rfind("for(")).or_else(|| head.rfind("foreach "))
    else {
        return Vec::new();
    };
    let names = head[at..].trim_end_matches("in").trim_end_matches("of");
    let names =
        names.trim_start_matches("foreach").trim_start_matches("for").split([',', ' ', '(', ')', '[', ']']);
    names
        .filter(|name| is_name(name) && !["const", "let", "var", "my"].contains(name))
        .map(str::to_owned)
        .collect()
}

/// The arguments in brackets, each with its place.
fn split_arguments(plain: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, range.start);
    for at in range.clone() {
        match plain.as_bytes()[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                found.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !plain[start..range.end].trim().is_empty() {
        found.push(start..range.end);
    }
    found
}

fn word(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

fn last_word(text: &str) -> &str {
    &text[text
        .rfind(|c: char| !c.is_alphanumeric() && c != '_')
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8))..]
}

/// The name with dots that a text ends with: `os.path.join`.
fn dotted(text: &str) -> &str {
    let part = |c: char| c.is_alphanumeric() || "_.:".contains(c);
    &text[text
        .rfind(|c: char| !part(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8))..]
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}
