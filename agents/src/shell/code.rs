//! Programs for an interpreter, in a line or in a file: which paths in them they may write, and which command lines they may run.

use super::uses::{Reader, Use};
use std::collections::BTreeSet;

/// A program that writes a file has one of these words in it, whatever the language.
pub(super) const WRITING: [&str; 46] = [
    "FileHandler(",
    "urlretrieve(",
    "touch(",
    "symlink",
    "link_to(",
    "with-temp-file",
    "spit",
    "Create(",
    "os.link",
    "File.delete",
    "Files.delete",
    "FileUtils",
    "extractall(",
    "unpack_archive(",
    "write",
    "Write",
    "inplace",
    "file=",
    "cat(",
    "open",
    "'w",
    "\"w",
    "'a",
    "\"a",
    "'r+",
    "unlink",
    "remove",
    "rename",
    "copy",
    "move",
    "truncate",
    "replace",
    ">",
    "append",
    "put_contents",
    "Set-Content",
    "Add-Content",
    "Out-File",
    "sink(",
    "rmtree",
    "rmSync",
    "rmdirSync",
    "rm_rf",
    "rm_r",
    "fs.rm",
    "cpSync",
];
/// A program that removes, moves or copies whole directories has one of these words in it.
const TREES: [&str; 15] = [
    "rmtree",
    "rmSync",
    "rmdirSync",
    "rm_rf",
    "rm_r",
    "fs.rm(",
    "remove_tree",
    "removeSync",
    "copytree",
    "cpSync",
    "cp_r",
    "os.rename",
    "os.replace",
    "renameSync",
    "shutil.move",
];
/// A program that starts another one has one of these words in it.
pub(super) const RUNNING: [&str; 11] =
    ["subprocess", "system", "popen", "Popen", "exec", "spawn", "shell", "run(", "%x", "qx", "| \""];
/// Calls that only read: a file or directory named directly behind one of them is not written by it.
const READS: [&str; 17] = [
    "readFileSync(",
    "readLines(",
    "readFile",
    "slurp",
    "readFile(",
    "read_file(",
    "File.read(",
    "IO.read(",
    "file_get_contents(",
    "listdir(",
    "scandir(",
    "readdirSync(",
    "exists(",
    "isfile(",
    "isdir(",
    "getsize(",
    "stat(",
];
/// Beginnings of the text behind a file's name, in a call that opens it for reading.
const READ_MODES: [&str; 10] = [
    ")",
    ",'r')",
    ",\"r\")",
    ",'rb')",
    ",\"rb\")",
    ",'r',",
    ",\"r\",",
    ",encoding=",
    ",errors=",
    ",newline=",
];
/// The most command lines of one program that are looked at.
const LINES_MAX: usize = 16;

/// A string literal of a program.
pub(super) struct Literal<'t> {
    pub(super) text: &'t str,
    /// Where it begins and ends, with its quotes.
    pub(super) range: std::ops::Range<usize>,
}

/// The string literals of a program that may be paths; none when it writes nothing.
pub(super) fn literals(code: &str) -> Vec<String> {
    if !WRITING.iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    all(code).iter().filter(|literal| is_path(literal)).map(named).collect()
}

fn is_path(literal: &Literal<'_>) -> bool {
    let text = literal.text;
    let is_pattern = text.contains('*') && (!text.ends_with(".md") || text.contains(' '));
    !text.is_empty() && text.len() < 1024 && !text.contains('\n') && !is_pattern
}

/// Whether a text can be a path, as far as its letters tell: no sentence with gaps, no pattern of a regular expression.
fn may_be_path(literal: &Literal<'_>) -> bool {
    let name = named(literal);
    let filled = with_star(&name);
    let is_sentence = filled.contains('*') && filled.contains(' ');
    let has_letters =
        filled.contains(char::is_alphanumeric) || matches!(filled.as_str(), "." | ".." | "~" | "./");
    has_letters
        && !is_sentence
        && !filled.contains(['(', ')', '<', '>', '|', '"', ';', '\\', '=', '!', '?', '^'])
}

/// Perl names the mode before the file: `open(F, ">>AGENTS.md")`.
fn named(literal: &Literal<'_>) -> String {
    literal.text.trim_start_matches(['>', '+', '|']).trim_start().to_owned()
}

/// What a program does, as far as its text shows, wherever it stands: in a line, in a here-document or in a file.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// The string literals that may be paths it writes.
    pub(super) paths: Vec<String>,
    /// Those of which it may take away all that is below.
    pub(super) trees: Vec<String>,
    /// Those that it copies elsewhere.
    pub(super) copied: Vec<String>,
    /// Endings that it only looks for.
    pub(super) endings: Vec<String>,
    /// Whether it writes files whose names it finds in a directory.
    pub(super) writes_found: bool,
    /// The command lines that it may run.
    pub(super) lines: Vec<String>,
}

/// A program with more literals than this has many that are no paths: there only those count that have the form of one, or that a call
/// writes for certain; and only what it starts for certain is a line.
const SHORT: usize = 48;

/// The most texts of a program that may be paths, where no call writes them for certain: what has more has a table of data.
const PATHS_MAX: usize = 400;

/// Reads a program.
pub(super) fn read(code: &str) -> Program {
    let (writes, runs) = (acts(code, &WRITING), acts(code, &RUNNING));
    if !writes && !runs {
        return Program::default();
    }
    let mut reader = Reader::of(code);
    let uses = reader.uses();
    let is_short = uses.len() <= SHORT;
    let mut found = Program::default();
    let mut known = BTreeSet::new();
    for (text, range, becomes) in &uses {
        let literal = Literal { text, range: range.clone() };
        let is_like_one = is_short || text.contains(['.', '/']) || *becomes == Use::Written;
        if *becomes == Use::Copied && writes {
            found.copied.push((*text).to_owned());
        }
        let may_be = *becomes >= Use::Unknown && is_like_one && is_path(&literal) && may_be_path(&literal);
        if writes && may_be && !is_only_read(code, &literal) && !is_module(&code[..range.start]) {
            let path = in_its_directory(code, &literal);
            let is_taken =
                is_short || *becomes == Use::Written || known.len() < PATHS_MAX && known.insert(path.clone());
            found.paths.extend(is_taken.then_some(path));
            found.trees.extend((is_short || *becomes == Use::Written).then(|| named(&literal)));
        } else if text.starts_with('.') && (2..12).contains(&text.len()) && !text.contains('/') {
            found.endings.push((*text).to_owned());
        }
    }
    let names = reader.found_names();
    let is_written =
        |becomes: Use| becomes == Use::Written || becomes == Use::Unknown && writes_a_variable(code);
    found.writes_found = writes && names.iter().any(|(becomes, _)| is_written(*becomes));
    if found.writes_found && found.endings.is_empty() && !code.contains("if ") {
        let all = names.iter().filter(|(becomes, _)| *becomes == Use::Written);
        found.paths.extend(all.filter_map(|(_, dir)| Some(format!("{}/*", dir.as_ref()?))));
    }
    found.lines = reader.lines();
    found.lines.extend(reader.lines_without_brackets());
    if runs && is_short {
        let said: Vec<&str> = uses.iter().filter(|one| one.2 > Use::Harmless).map(|one| one.0).collect();
        found.lines.extend(command_lines(&said));
    }
    found
}

/// Whether a program writes, removes, renames or starts anything, and does not only read and say something.
pub(super) fn changes_or_starts(code: &str) -> bool {
    const ROUGH: [&str; 13] =
        ["write", "open", "'w", "\"w", "'a", "\"a", "'r+", ">", "append", "replace", "copy", "file=", "move"];
    const ALSO: [&str; 12] = [
        "write(",
        "write_",
        "Write",
        "writeFile",
        "appendFile",
        "os.replace",
        "shutil.",
        "copy2(",
        "copyfile",
        "copyFile",
        ".move(",
        "getline",
    ];
    let (literals, plain) = apart(code);
    let plain = ["stdout.write(", "stderr.write("].iter().fold(plain, |plain, said| plain.replace(said, ""));
    let mode = |literal: &Literal<'_>| {
        let text = literal.text;
        let before = plain[..literal.range.start].trim_end();
        let is_behind = before.ends_with([',', '=', '(']);
        is_behind
            && (text.starts_with(['>', '+'])
                || text.len() <= 3 && ["w", "a", "x", "r+"].iter().any(|mode| text.starts_with(mode)))
    };
    let words = WRITING.iter().filter(|word| !ROUGH.contains(word)).chain(&ALSO).chain(&RUNNING);
    words.clone().any(|word| plain.contains(word))
        || literals.iter().any(mode)
        || plain.lines().any(|line| line.contains('>') && line.contains("print"))
        || plain.contains("O_WRONLY")
        || plain.contains("O_CREAT")
        || code.contains("| \"")
}

/// Whether a program speaks of a user's home directory: only then its relative names may be below that.
pub(super) fn speaks_of_home(code: &str) -> bool {
    ["home", "Home", "HOME", "~", "USERPROFILE", "getpw", "${", "f\"", "f'", "%s"]
        .iter()
        .any(|word| code.contains(word))
}

/// A program without comments and without what it only reads or says; nothing of one that starts no other program.
pub(super) fn without_said(code: &str) -> String {
    const ALSO: [&str; 5] = ["getline", "`", "Command", "cmd", "Process"];
    if !RUNNING.iter().chain(&ALSO).any(|word| code.contains(word)) {
        return String::new();
    }
    let (_, plain) = apart(code);
    let (mut left, mut from) = (String::with_capacity(code.len()), 0);
    for (_, range, becomes) in Reader::of(code).uses() {
        left.push_str(&plain[from..range.start]);
        if becomes > Use::Harmless {
            left.push_str(&code[range.clone()]);
        }
        from = range.end;
    }
    left + &plain[from..]
}

/// A literal as a path; a pattern in the directory below which its call looks: `Path("docs").glob("*.md")`.
fn in_its_directory(code: &str, literal: &Literal<'_>) -> String {
    let before = code[..literal.range.start].trim_end().trim_end_matches(['f', 'r']);
    let dir = globbed(code, before).map(|dir| format!("{dir}/")).unwrap_or_default();
    let below = if before.ends_with("rglob(") { "**/" } else { "" };
    format!("{dir}{below}{}", named(literal))
}

pub(super) fn acts(code: &str, words: &[&str]) -> bool {
    words.iter().any(|word| code.contains(word))
}

/// Whether a call writes the file that stands in its brackets first, or last; a method the one it is called on.
pub(super) fn writes_first(call: &str) -> bool {
    WRITES_FIRST.iter().any(|known| call.ends_with(known))
}

pub(super) fn writes_last(call: &str) -> bool {
    WRITES_LAST.iter().any(|known| call.ends_with(known))
}

pub(super) fn writes_itself(method: &str) -> bool {
    WRITES_ITSELF.iter().any(|known| known.trim_matches(['.', '(']) == method)
}

/// The beginnings of calls that write the file they are given first.
const WRITES_FIRST: [&str; 35] = [
    "rmtree(",
    "rm_rf(",
    "rm_r(",
    "remove_tree(",
    "removeSync(",
    "rimraf(",
    "IO.write(",
    "writeFileSync(",
    "writeFile(",
    "appendFileSync(",
    "appendFile(",
    "createWriteStream(",
    "unlinkSync(",
    "rmSync(",
    "os.remove(",
    "os.unlink(",
    "File.write(",
    "file_put_contents(",
    "File.delete(",
    "truncateSync(",
    "os.truncate(",
    "Bun.write(",
    "writeTextFile(",
    "writeTextFileSync(",
    "WriteFile(",
    "OpenFile(",
    "os.Create(",
    "fs::write(",
    "File::create(",
    "WriteAllText(",
    "AppendAllText(",
    "FileWriter(",
    "ofstream(",
    "writeString(Path.of(",
    "writeString(Paths.get(",
];
/// The ends of calls that write the file of the variable or path before them.
const WRITES_ITSELF: [&str; 8] = [
    ".write_text(",
    ".write_bytes(",
    ".unlink(",
    ".touch(",
    ".rename(",
    ".replace(",
    ".symlink_to(",
    ".hardlink_to(",
];
/// The beginnings of calls whose last argument is written.
const WRITES_LAST: [&str; 10] = [
    "shutil.copytree(",
    "shutil.copy(",
    "shutil.copyfile(",
    "shutil.copy2(",
    "shutil.move(",
    "os.replace(",
    "os.rename(",
    "copyFileSync(",
    "renameSync(",
    "cpSync(",
];
/// The directory below which a glob looks, whose call the text before ends with: `Path("docs").glob(`, or by a variable that is set once.
fn globbed<'c>(code: &'c str, before: &'c str) -> Option<&'c str> {
    let call = before.strip_suffix("rglob(").or_else(|| before.strip_suffix("glob("))?.strip_suffix('.')?;
    let path = if call.ends_with(')') {
        call
    } else {
        let name = &call[call.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1)..];
        set_once(code, name)?
    };
    let (start, dir) = path.strip_suffix(')')?.rsplit_once("Path(")?;
    let is_alone =
        start.ends_with("pathlib.") || !start.ends_with(|c: char| c.is_alphanumeric() || "_.".contains(c));
    let dir = ['"', '\''].iter().find_map(|quote| dir.strip_prefix(*quote)?.strip_suffix(*quote))?;
    let is_plain = dir.chars().all(|c| c.is_alphanumeric() || "./_-".contains(c)) && !dir.is_empty();
    (is_alone && is_plain).then_some(dir)
}

/// The value of a variable that is set in one line and otherwise only asked for what it has: `root.glob(…)`.
fn set_once<'c>(code: &'c str, name: &str) -> Option<&'c str> {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut value = None;
    for (at, _) in code.match_indices(name).filter(|_| is_name(name)) {
        let behind = &code[at + name.len()..];
        if code[..at].ends_with(part_of_name) || behind.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            continue;
        }
        let sets = behind.trim_start().strip_prefix('=').filter(|behind| !behind.starts_with('='));
        match sets {
            Some(behind) if value.is_none() => value = behind.lines().next().map(str::trim),
            None if behind.starts_with('.') => {}
            _ => return None,
        }
    }
    value
}

/// Whether the text behind a file's name opens it for writing.
fn opens_to_write(behind: &str) -> bool {
    let call: String = behind.chars().take(24).filter(|c| !c.is_whitespace()).collect();
    ["'w", "\"w", "'a", "\"a", "'r+", "\"r+", "'x", "\"x"].iter().any(|mode| call.contains(mode))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a program changes whole directories.
pub(super) fn changes_trees(code: &str) -> bool {
    TREES.iter().any(|word| code.contains(word))
}

/// The texts of a program's literals, with quotes that are escaped in them.
pub(super) fn texts(code: &str) -> Vec<String> {
    all(code).iter().map(|literal| literal.text.replace("\\\"", "\"")).collect()
}

/// What a program loads: modules of Python, by name, and files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Loaded {
    /// `a.b` of `import a.b`, `from a.b import c` and `from a import b`; the dots in front of a name are left out.
    pub(super) modules: Vec<String>,
    /// `./a.js` of `require("./a.js")`.
    pub(super) files: Vec<String>,
}

/// The most modules and files of one program.
const LOADED_MAX: usize = 64;

/// What a program loads, as far as it says that by name.
pub(super) fn loaded(code: &str) -> Loaded {
    const BY_NAME: [&str; 3] = ["import_module(", "__import__(", "run_module("];
    const BY_FILE: [&str; 14] = [
        "require(",
        "import(",
        " from",
        "import",
        "run_path(",
        "execfile(",
        "dofile(",
        "load(",
        "load",
        "do",
        "require",
        "require_relative",
        "source(",
        "include",
    ];
    let mut found = Loaded::default();
    let dotted = |text: &str| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        text.split(|c| !is_name(c)).next().unwrap_or_default().trim_matches('.').to_owned()
    };
    for statement in code.split(['\n', ';']).map(str::trim) {
        if let Some(names) = statement.strip_prefix("import ") {
            found.modules.extend(names.split(',').map(|name| dotted(name.trim())));
        } else if let Some((module, names)) =
            statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            let module = dotted(module.trim());
            let within = names.split(',').map(|name| dotted(name.trim_matches([' ', '(', ')'])));
            found.modules.extend(within.map(|name| format!("{module}.{name}").trim_matches('.').to_owned()));
            found.modules.push(module);
        }
    }
    for literal in all(code) {
        let before = code[..literal.range.start].trim_end();
        let runs_a_text = || {
            before.ends_with("open(")
                && ["exec(", "compile(", "eval("].iter().any(|call| before.contains(call))
        };
        if BY_NAME.iter().any(|call| before.ends_with(call)) {
            found.modules.push(literal.text.to_owned());
        } else if literal.text.contains(['/', '.'])
            && (BY_FILE.iter().any(|call| before.ends_with(call)) || runs_a_text())
        {
            found.files.push(literal.text.to_owned());
        }
    }
    found.modules.retain(|name| !name.is_empty());
    found.modules.truncate(LOADED_MAX);
    found.files.truncate(LOADED_MAX);
    found
}

/// Whether the text before a literal shows that it names a module.
fn is_module(before: &str) -> bool {
    let before = before.trim_end();
    ["require(", "import(", " from", "import"].iter().any(|word| before.ends_with(word))
}

/// What a program has that changes files whose names it does not spell out.
const CHANGING: [&str; 17] = [
    "write", "Write", "'w'", "\"w\"", "'a'", "\"a\"", "inplace", "unlink", "remove", "rename", "truncate",
    "append", "Append", "'>", "\">", "'+<", "\"+<",
];

/// Whether a program writes files and takes their names from its environment.
pub(super) fn writes_variables(code: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    has(&["environ", "getenv", "process.env", "ENV[", "$ENV{", "ENVIRON"]) && has(&CHANGING)
}

/// Whether a program writes files and uses its arguments.
pub(super) fn writes_arguments(code: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    has(&["argv", "ARGV", "commandArgs"]) && has(&CHANGING)
}

/// The program with the names of files that it only reads removed.
pub(super) fn without_reads(code: &str) -> String {
    let mut left = String::with_capacity(code.len());
    let mut from = 0;
    for literal in all(code).into_iter().filter(|literal| is_only_read(code, literal)) {
        left.push_str(&code[from..literal.range.start]);
        from = literal.range.end;
    }
    left + &code[from..]
}

/// The command lines that a program may run, of its literals: each with several words, and all together as the words of one.
fn command_lines(literals: &[&str]) -> Vec<String> {
    let lines = literals.iter().filter(|text| text.contains(' ')).map(|text| (*text).to_owned());
    let words: Vec<String> = literals.iter().map(|text| format!("'{}'", text.replace('\'', ""))).collect();
    lines.take(LINES_MAX).chain((words.len() > 1).then(|| words.join(" "))).collect()
}

/// A template (`` `…` ``) may have more than one line, but not more bytes than this.
const TEMPLATE_BYTES_MAX: usize = 4096;

/// The string literals of a program. A quote that has no other one in its line is no literal's: it stands in a comment, or is an
/// apostrophe.
fn all(code: &str) -> Vec<Literal<'_>> {
    apart(code).0
}

/// The string literals of a program, and the program with quotes in their place and blanks in that of comments.
pub(super) fn apart(code: &str) -> (Vec<Literal<'_>>, String) {
    let mut found = Vec::new();
    let mut plain = code.as_bytes().to_vec();
    let mut at = 0;
    while let Some(start) = code[at..].find(['\'', '"', '`', '#', '/']).map(|start| at + start) {
        let quote = char::from(code.as_bytes()[start]);
        at = start + 1;
        if matches!(quote, '#' | '/') {
            if is_comment(code, start) {
                at = code[start..].find('\n').map_or(code.len(), |end| start + end);
                plain[start..at].fill(b' ');
            }
            continue;
        }
        if quote == '\'' && is_apostrophe(code, start) {
            continue;
        }
        let width = if is_tripled(code, start) { 3 } else { 1 };
        let (text, length) = match width {
            3 => (start + 3, code[start + 3..].find(&code[start..start + 3])),
            _ => (at, closing(&code[at..], quote)),
        };
        let Some(length) = length else { continue };
        let end = text + length + width;
        plain[start..end].fill(b'"');
        let prefix =
            code[..start].len() - code[..start].trim_end_matches(['f', 'r', 'b', 'u', 'F', 'R']).len();
        let is_prefix = !code[..start - prefix].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        plain[start - if is_prefix { prefix } else { 0 }..start].fill(b' ');
        found.push(Literal { text: &code[text..text + length], range: start..end });
        at = end;
    }
    (found, String::from_utf8_lossy(&plain).into_owned())
}

/// Whether three quotes stand here, and again behind them: a text of several lines.
fn is_tripled(code: &str, at: usize) -> bool {
    let rest = &code[at..];
    ["\"\"\"", "'''"].iter().any(|quotes| rest.strip_prefix(quotes).is_some_and(|rest| rest.contains(quotes)))
}

/// Whether a comment begins here, that goes to the end of the line.
fn is_comment(code: &str, at: usize) -> bool {
    let (before, rest) = (&code[..at], &code[at..]);
    let begins = before.is_empty() || before.ends_with([' ', '\t', '\n']);
    let is_alone = matches!(
        before.trim_end_matches([' ', '\t']).chars().next_back(),
        None | Some('\n' | ';' | '{' | '}' | ',')
    );
    begins && ["# ", "#!", "##", "#\n"].iter().any(|sign| rest.starts_with(sign))
        || is_alone && rest.starts_with("//")
}

/// Where the quote that closes a literal stands. A quote behind a backslash is one of its letters.
fn closing(inside: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' => return None,
            _ if c == quote => return Some(at),
            _ if at > TEMPLATE_BYTES_MAX && quote == '`' => return None,
            _ => {}
        }
    }
    None
}

/// Whether a single quote stands in a word: `don't`.
fn is_apostrophe(code: &str, at: usize) -> bool {
    const BEHIND: [&str; 7] = ["t", "s", "re", "ll", "ve", "d", "m"];
    const PREFIXES: [&str; 8] = ["r", "b", "f", "u", "rb", "br", "fr", "rf"];
    let before: &str = &code[..at];
    let begin = before.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1);
    let word = before.get(begin..).unwrap_or_default();
    let behind = &code[at + 1..];
    let end = behind.find(|c: char| !c.is_alphanumeric()).unwrap_or(behind.len());
    let is_closed = behind[end..].starts_with('\'');
    !word.is_empty()
        && !PREFIXES.contains(&word.to_ascii_lowercase().as_str())
        && BEHIND.contains(&&behind[..end])
        && !is_closed
}

/// The directories that a program goes into, where it names them.
pub(super) fn entered(code: &str) -> Vec<String> {
    let calls = ["chdir(", "chdir "];
    let found = all(code)
        .into_iter()
        .filter(|literal| calls.iter().any(|call| code[..literal.range.start].ends_with(call)));
    found.map(|literal| literal.text.to_owned()).take(NAMES_MAX).collect()
}

/// The directories that a program unpacks archives into: where it names none, the one it is in.
pub(super) fn unpacked(code: &str) -> Vec<String> {
    let calls = [("extractall(", 0), ("unpack_archive(", 1)];
    let found = calls
        .iter()
        .flat_map(|(call, at)| code.match_indices(call).map(move |(start, call)| (start + call.len(), *at)));
    let dir = |(start, at): (usize, usize)| {
        let inside = &code[start..];
        let inside = &inside[..inside.find([')', '\n']).unwrap_or(inside.len())];
        let argument = inside.split(',').nth(at).map(str::trim).filter(|argument| !argument.is_empty());
        let argument =
            argument.map(|argument| argument.split_once('=').map_or(argument, |(_, value)| value.trim()));
        match argument {
            None => Some(".".to_owned()),
            Some(argument) => {
                let text = argument.trim_matches(['"', '\'']);
                (text.len() < argument.len()).then(|| text.to_owned())
            }
        }
    };
    found.filter_map(dir).take(NAMES_MAX).collect()
}

/// Names with a part that the program fills in: `f"{name}.md"`, `` `${name}.md` ``, `"%s.md"`, `name + ".md"`. Where its directory is
/// known the part may be anything; else it is one of the other literals.
pub(super) fn names_with_a_gap(literals: &[String], code: &str, writes_found: bool) -> Vec<String> {
    const LISTS: [&str; 7] = ["listdir", "glob", "iterdir", "scandir", "readdir", "argv", "os.walk"];
    let lists = LISTS.iter().any(|word| code.contains(word));
    let mut found = Vec::new();
    // What begins with a variable may begin with the user's home.
    let below_home =
        literals.iter().filter(|literal| literal.starts_with(['{', '$', '%'])).filter_map(|literal| {
            let rest = literal.strip_prefix("%s").or_else(|| Some(literal.split_once('}')?.1))?;
            rest.starts_with('/').then(|| format!("~{rest}"))
        });
    let below_home: Vec<String> = below_home.take(NAMES_MAX).collect();
    for literal in literals.iter().take(NAMES_MAX).chain(&below_home) {
        let is_end = literal.starts_with('.') && !literal.contains('/');
        let is_ending = is_end && (is_joined(code, literal) || writes_found);
        let literal = if is_ending { format!("*{literal}") } else { with_star(literal) };
        // What has nothing but gaps may be any name.
        if !literal.contains('*') || literal.contains(' ') || !literal.contains(char::is_alphanumeric) {
            continue;
        }
        let (dir, name) = literal.rsplit_once('/').unwrap_or(("", &literal));
        if (if is_ending { writes_found } else { lists }) || (!dir.is_empty() && !dir.contains('*')) {
            found.push(literal.clone());
        }
        let others =
            literals.iter().filter(|other| !other.contains([' ', '/', '{', '%']) && !other.starts_with('.'));
        let dir = if dir.contains('*') { "$unknown" } else { dir };
        let path = |name: String| if dir.is_empty() { name } else { format!("{dir}/{name}") };
        found.extend(others.take(NAMES_MAX).map(|other| path(name.replacen('*', other, 1))));
    }
    found.truncate(NAMES_MAX);
    found
}

/// Endings that a program puts behind the name of a day: `strftime("%Y-%m") + ".md"`.
pub(super) fn dated_endings(literals: &[String], code: &str) -> Vec<String> {
    const DAYS: [&str; 5] = ["strftime", "isoformat", "toISOString", "today()", "Date"];
    if !DAYS.iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    let is_ending = |literal: &&String| literal.starts_with('.') && !literal.contains('/');
    let joined = literals.iter().take(NAMES_MAX).filter(is_ending).filter(|literal| is_joined(code, literal));
    joined.map(|literal| format!("*{literal}")).collect()
}

/// The most such names of one program.
const NAMES_MAX: usize = 64;

/// Whether a literal may be a directory: it has a slash, or is hidden, and no ending.
pub(super) fn is_directory(literal: &str) -> bool {
    let last = literal.trim_end_matches('/').rsplit('/').next().unwrap_or(literal);
    literal.contains('/') && !last.trim_start_matches('.').contains('.') && !literal.contains([' ', '{', '%'])
}

/// Whether a program opens a file to write it whose name is in a variable.
fn writes_a_variable(code: &str) -> bool {
    let is_variable = |behind: &str| behind.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let opened = code.match_indices("open(").any(|(at, call)| {
        let behind = &code[at + call.len()..];
        let line = behind.lines().next().unwrap_or_default();
        is_variable(behind) && opens_to_write(line.split_once(',').map_or("", |(_, rest)| rest))
    });
    let by_path = code.match_indices(".write_").any(|(at, _)| code[..at].ends_with(char::is_alphanumeric));
    opened || by_path
}

/// Whether a literal is put behind something: `name + ".md"`, `.with_suffix(".md")`.
fn is_joined(code: &str, literal: &str) -> bool {
    code.match_indices(literal).any(|(at, _)| {
        let before = code[..at].trim_end_matches(['\'', '"', '`']).trim_end();
        at > 0 && ['+', '.', ','].iter().any(|c| before.ends_with(*c)) || before.ends_with("with_suffix(")
    })
}

/// A literal with `*` in place of what is filled in.
fn with_star(literal: &str) -> String {
    let mut text = literal.replace("%s", "*").replace("%d", "*");
    while let Some(open) = text.find('{') {
        let Some(close) = text[open..].find('}').map(|close| open + close) else { break };
        let from = text[..open].strip_suffix(['$', '#']).map_or(open, str::len);
        text.replace_range(from..=close, "*");
    }
    text
}

/// Whether a literal names a file that is only read: `open("x").read()`, `open("x", "r")`, `readFileSync("x")`.
fn is_only_read(code: &str, literal: &Literal<'_>) -> bool {
    let before = code[..literal.range.start].trim_end();
    let behind: String = code[literal.range.end..].chars().take(24).filter(|c| !c.is_whitespace()).collect();
    let opened = before.ends_with("open(") && !before.ends_with("popen(");
    let by_path = before.ends_with("Path(")
        && [").read_text(", ").read_bytes(", ").exists("].iter().any(|read| behind.starts_with(read));
    let says_mode = || {
        let mode = behind.replace("mode=", "");
        READ_MODES.iter().any(|read| mode.starts_with(read))
    };
    by_path || READS.iter().any(|call| before.ends_with(call)) || opened && says_mode()
}
