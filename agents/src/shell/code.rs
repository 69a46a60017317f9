//! Programs given to an interpreter on the command line: which paths in them they may write, and which command lines they may run.

/// A program that writes a file has one of these words in it, whatever the language.
const WRITING: [&str; 32] = [
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
const RUNNING: [&str; 10] =
    ["subprocess", "system", "popen", "Popen", "exec", "spawn", "shell", "run(", "%x", "qx"];
/// Calls that only read: a file or directory named directly behind one of them is not written by it.
const READS: [&str; 14] = [
    "readFileSync(",
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

/// Whether a program changes whole directories.
pub(super) fn changes_trees(code: &str) -> bool {
    TREES.iter().any(|word| code.contains(word))
}

/// Whether the text before a literal shows that it names a module.
fn is_module(before: &str) -> bool {
    let before = before.trim_end();
    ["require(", "import(", " from", "import"].iter().any(|word| before.ends_with(word))
}

/// Whether a program writes files and uses its arguments.
pub(super) fn writes_arguments(code: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    has(&["argv", "ARGV", "commandArgs"])
        && has(&[
            "write", "Write", "'w'", "\"w\"", "'a'", "\"a\"", "inplace", "unlink", "remove", "rename",
            "truncate",
        ])
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

fn all(code: &str) -> Vec<Literal<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].find(['\'', '"', '`']).map(|start| at + start) {
        let quote = char::from(code.as_bytes()[start]);
        let inside = &code[start + 1..];
        let length = inside.find(quote).unwrap_or(inside.len());
        let end = (start + length + 2).min(code.len());
        found.push(Literal { text: &inside[..length], range: start..end });
        at = end;
    }
    found
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
