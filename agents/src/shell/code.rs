//! Programs given to an interpreter on the command line: which paths in them they may write, and which command lines they may run.

use std::collections::BTreeMap;

/// A program that writes a file has one of these words in it, whatever the language.
const WRITING: [&str; 44] = [
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
const RUNNING: [&str; 11] =
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
struct Literal<'t> {
    text: &'t str,
    /// Where it begins and ends, with its quotes.
    range: std::ops::Range<usize>,
}

/// The string literals of a program that may be paths it writes; none when it writes nothing.
pub(super) fn literals(code: &str) -> Vec<String> {
    if !WRITING.iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    let is_pattern = |text: &str| text.contains('*') && (!text.ends_with(".md") || text.contains(' '));
    let is_path = |literal: &Literal<'_>| {
        let text = literal.text;
        !text.is_empty() && text.len() < 1024 && !text.contains('\n') && !is_pattern(text)
    };
    let is_file =
        |literal: &Literal<'_>| !is_only_read(code, literal) && !is_module(&code[..literal.range.start]);
    let found = all(code).into_iter().filter(is_path).filter(is_file);
    // Perl names the mode before the file: `open(F, ">>AGENTS.md")`.
    found.map(|literal| literal.text.trim_start_matches(['>', '+', '|']).trim_start().to_owned()).collect()
}

/// What a program in a file of its own shows that it writes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Paths that stand in a call which writes, or in a variable that does.
    pub(super) paths: Vec<String>,
    /// Command lines that it runs.
    pub(super) lines: Vec<String>,
}

/// The beginnings of calls that run a command line.
const RUNS: [&str; 8] =
    ["system(", "run(", "Popen(", "call(", "check_output(", "execSync(", "exec(", "popen("];
/// The beginnings of calls that write the file they are given first.
const WRITES_FIRST: [&str; 28] = [
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
const WRITES_LAST: [&str; 9] = [
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
/// The most variables of a program that are followed.
const VARIABLES_MAX: usize = 128;
/// The most functions of a program that are known.
const FUNCTIONS_MAX: usize = 64;
/// So much of a line is looked at before and behind a place.
const LINE_BYTES_MAX: usize = 1024;

/// Reads a program in a file.
pub(super) fn written(code: &str) -> Written {
    let mut found = Written::default();
    if !WRITING.iter().chain(&RUNS).any(|word| code.contains(word)) {
        return found;
    }
    // Whether each name is written, once it was asked.
    let mut names: BTreeMap<&str, bool> = BTreeMap::new();
    let functions = functions(code);
    let writes_what_it_finds = code.contains("glob") && writes_a_variable(code);
    for literal in all(code) {
        let (text, range) = (literal.text, literal.range);
        if text.is_empty() || text.len() >= 1024 || text.contains('\n') {
            continue;
        }
        let before = code[..range.start].trim_end().trim_end_matches(['f', 'r', 'b', '[']);
        if RUNS.iter().any(|call| before.ends_with(call)) {
            found.lines.extend((found.lines.len() < LINES_MAX).then(|| text.to_owned()));
            continue;
        }
        let behind = line_behind(&code[range.end..]);
        let is_written = is_written(before, behind) || {
            let head = &code[..range.start];
            let found = [assigned(head), loop_variable(head), parameter(&functions, head)];
            found.into_iter().flatten().any(|name| match names.get(name) {
                Some(is_written) => *is_written,
                None if names.len() >= VARIABLES_MAX => false,
                None => *names.entry(name).or_insert_with(|| is_followed(code, name)),
            })
        };
        let finds = writes_what_it_finds && ["glob(", "globSync("].iter().any(|call| before.ends_with(call));
        if is_written || finds {
            let dir = globbed(code, before).map(|dir| format!("{dir}/")).unwrap_or_default();
            let below = if before.ends_with("rglob(") { "**/" } else { "" };
            found.paths.push(format!("{dir}{below}{text}"));
        }
    }
    found
}

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

/// Whether a call writes the file that is named between these two texts.
fn is_written(before: &str, behind: &str) -> bool {
    let line = line_before(before);
    let is_last = WRITES_LAST.iter().any(|call| line.contains(call)) && !behind.trim_start().starts_with(',');
    let itself = WRITES_ITSELF.iter().any(|call| behind.contains(call));
    let opened = line.ends_with("open(") || line.ends_with("Path(") && behind.contains(".open(");
    WRITES_FIRST.iter().any(|call| line.ends_with(call))
        || is_last
        || itself
        || opened && opens_to_write(behind)
        || is_redirected(line)
}

/// Whether the line before a file's name sends something there: `open(my $f, '>', …`, `print >> …` of awk.
fn is_redirected(line: &str) -> bool {
    let before = line.trim_end();
    let mode = before.trim_end_matches([',', ' ']).trim_end_matches(['"', '\'']);
    let by_mode = line.contains("open") && before.ends_with(',') && mode.ends_with(['>', '<']);
    by_mode && !mode.ends_with("'<") && !mode.ends_with("\"<")
        || before.ends_with('>') && line.contains("print") && !before.ends_with("=>")
}

/// Whether the text behind a file's name opens it for writing.
fn opens_to_write(behind: &str) -> bool {
    let call: String = behind.chars().take(24).filter(|c| !c.is_whitespace()).collect();
    ["'w", "\"w", "'a", "\"a", "'r+", "\"r+", "'x", "\"x"].iter().any(|mode| call.contains(mode))
}

/// The variable that gets the value in whose place the code ends: `path = Path(`.
fn assigned(before: &str) -> Option<&str> {
    let line = line_before(before);
    let (name, value) = line.split_once('=')?;
    let name = name.trim().rsplit([' ', '\t']).next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    (is_name && !value.starts_with('=')).then_some(name)
}

/// The variable of the loop in whose list the code ends: `for f in ["a.md", `.
fn loop_variable(before: &str) -> Option<&str> {
    let line = line_before(before);
    let (head, _) = [" in ", " of "].iter().find_map(|word| line.split_once(word))?;
    let name = head.trim_end().rsplit([' ', '(', '\t']).next()?;
    (head.contains("for") && is_name(name)).then_some(name)
}

/// The functions that a program defines, each with its first parameter.
fn functions(code: &str) -> Vec<(&str, &str)> {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let defined = ["def ", "function ", "func "].into_iter().flat_map(|keyword| {
        code.match_indices(keyword).filter_map(move |(at, _)| {
            let behind = &code[at + keyword.len()..];
            let (name, rest) = behind.split_at(word(behind));
            let first = rest.strip_prefix('(')?.trim_start_matches([' ', '$', '\n']);
            let first = &first[..word(first)];
            (is_name(name) && is_name(first)).then_some((name, first))
        })
    });
    defined.take(FUNCTIONS_MAX).collect()
}

/// The first parameter of the function to which the code ends as the first argument: `change("a.md", …` of `def change(path, …`.
fn parameter<'c>(functions: &[(&'c str, &'c str)], before: &str) -> Option<&'c str> {
    let head = before.strip_suffix('(')?;
    let (_, first) = functions.iter().find(|(name, _)| {
        head.strip_suffix(name).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    })?;
    Some(first)
}

/// The text of the line before a place, as far as it is looked back.
fn line_before(before: &str) -> &str {
    let from = before.len().saturating_sub(LINE_BYTES_MAX);
    let from = (from..=before.len()).find(|at| before.is_char_boundary(*at)).unwrap_or(before.len());
    before[from..].rsplit('\n').next().unwrap_or_default()
}

/// The text of the line behind a place, as far as it is looked at.
fn line_behind(behind: &str) -> &str {
    let to = (0..=behind.len().min(LINE_BYTES_MAX)).rev().find(|at| behind.is_char_boundary(*at));
    behind[..to.unwrap_or(0)].lines().next().unwrap_or_default()
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether what stands in a variable is written, or what a loop over it takes from it.
fn is_followed(code: &str, name: &str) -> bool {
    let loops = [format!(" in {name}"), format!(" of {name}")];
    let mut taken =
        loops.iter().flat_map(|text| code.match_indices(text.as_str())).filter_map(|(at, text)| {
            let behind = &code[at + text.len()..];
            let whole = !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            loop_variable(&code[..at + text.len()]).filter(|_| whole)
        });
    is_variable_written(code, name) || taken.any(|variable| is_variable_written(code, variable))
}

fn is_variable_written(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let whole = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let (before, behind) = (&code[..at], &code[at + name.len()..]);
        let behind = line_behind(behind);
        let direct = WRITES_ITSELF.iter().any(|call| behind.starts_with(call))
            || behind.starts_with(".open(") && opens_to_write(behind);
        let named = || {
            let line = line_before(before);
            WRITES_FIRST.iter().any(|call| line.ends_with(call))
                || line.ends_with("open(") && opens_to_write(behind)
                || WRITES_LAST.iter().any(|call| line.contains(call)) && behind.starts_with(')')
        };
        whole(before.chars().next_back()) && whole(behind.chars().next()) && (direct || named())
    })
}

/// Whether a program changes whole directories.
pub(super) fn changes_trees(code: &str) -> bool {
    TREES.iter().any(|word| code.contains(word))
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

/// The command lines that a program may run: each literal with several words, and all literals together as the words of one.
pub(super) fn command_lines(code: &str) -> Vec<String> {
    if !RUNNING.iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    let literals: Vec<&str> = all(code).into_iter().map(|literal| literal.text).collect();
    let lines = literals.iter().filter(|text| text.contains(' ')).map(|text| (*text).to_owned());
    let words: Vec<String> = literals.iter().map(|text| format!("'{}'", text.replace('\'', ""))).collect();
    lines.take(LINES_MAX).chain((words.len() > 1).then(|| words.join(" "))).collect()
}

/// A template (`` `…` ``) may have more than one line, but not more bytes than this.
const TEMPLATE_BYTES_MAX: usize = 4096;

/// The string literals of a program. A quote that has no other one in its line is no literal's: it stands in a comment, or is an
/// apostrophe.
fn all(code: &str) -> Vec<Literal<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].find(['\'', '"', '`']).map(|start| at + start) {
        let quote = char::from(code.as_bytes()[start]);
        at = start + 1;
        if quote == '\'' && is_apostrophe(code, start) {
            continue;
        }
        let Some(length) = closing(&code[at..], quote) else { continue };
        let end = at + length + 1;
        found.push(Literal { text: &code[at..at + length], range: start..end });
        at = end;
    }
    found
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

/// Whether a program unpacks archives.
pub(super) fn unpacks(code: &str) -> bool {
    code.contains("extractall(") || code.contains("unpack_archive(")
}

/// Names with a part that the program fills in: `f"{name}.md"`, `` `${name}.md` ``, `"%s.md"`, `name + ".md"`. Where its directory is
/// known the part may be anything; else it is one of the other literals.
pub(super) fn names_with_a_gap(literals: &[String], code: &str) -> Vec<String> {
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
        let is_ending = is_end && (is_joined(code, literal) || lists && writes_a_variable(code));
        let literal = if is_ending { format!("*{literal}") } else { with_star(literal) };
        if !literal.contains('*') || literal.contains(' ') {
            continue;
        }
        let (dir, name) = literal.rsplit_once('/').unwrap_or(("", &literal));
        if lists || (!dir.is_empty() && !dir.contains('*')) {
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
