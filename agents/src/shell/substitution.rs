//! What a command within a word (`$(pwd)`) prints, where its text shows that. The output of a command that reads files is not
//! known.

use super::run::{base_name, positional};
use std::path::Path;

/// The name of what `mktemp` makes.
pub(super) const MADE: &str = "made-by-mktemp";

/// The directory of a program that is looked for in the path.
pub(super) const FOUND_IN_PATH: &str = "/found-in-path";

/// The words that a command without pipes and lists prints; `None` where that is not known.
pub(super) fn printed(words: &[String], cwd: &Path) -> Option<Vec<String>> {
    let [program, args @ ..] = words else { return None };
    let files = positional(args);
    let here = || Some(vec![cwd.display().to_string()]);
    match (base_name(program), files.as_slice()) {
        ("pwd", []) => here(),
        // As a rule an agent works in the root of its repository.
        ("git", [verb]) if verb == "rev-parse" && args.iter().any(|arg| arg == "--show-toplevel") => here(),
        // The time is not known here, so it may be any text.
        ("date", _) => Some(vec!["*".to_owned()]),
        // A new file, so no document.
        ("mktemp", _) => {
            let dir = args.windows(2).find(|pair| matches!(pair[0].as_str(), "-p" | "--tmpdir"));
            let dir = dir.map_or("/tmp", |pair| pair[1].as_str());
            Some(vec![format!("{dir}/{MADE}")])
        }
        ("echo" | "realpath" | "readlink", [_, ..]) => Some(files),
        ("printf", [format, rest @ ..]) if !rest.is_empty() && format.contains("%s") => {
            Some(formatted(format, rest))
        }
        ("printf", [text]) if !text.contains('%') => Some(vec![text.clone()]),
        ("which" | "type" | "whence", [name, ..]) => Some(vec![format!("{FOUND_IN_PATH}/{name}")]),
        ("command", [name]) if args[0] == "-v" => Some(vec![format!("{FOUND_IN_PATH}/{name}")]),
        ("basename", [path, ..]) => Some(vec![base_name(path.trim_end_matches('/')).to_owned()]),
        ("dirname", [_, ..]) => Some(files.iter().map(|path| directory(path)).collect()),
        _ => None,
    }
}

/// What `printf` makes of its arguments: a format that is all of a line is used for each of them.
fn formatted(format: &str, args: &[String]) -> Vec<String> {
    let format = format.trim_end_matches("\\n").trim_end_matches('\n');
    match format.matches("%s").count() {
        1 => args.iter().map(|arg| format.replace("%s", arg)).collect(),
        _ => vec![args.iter().fold(format.to_owned(), |text, arg| text.replacen("%s", arg, 1))],
    }
}

/// The longest text that `printf` makes which is looked at.
const PRINTED_BYTES_MAX: usize = 64 << 10;

/// The text that `printf FORMAT ARGUMENTS` prints: the format is used again until the arguments are used up.
pub(super) fn printf(args: &[String]) -> Option<String> {
    let args = args.strip_prefix(&["--".to_owned()]).unwrap_or(args);
    let (format, args) = args.split_first().filter(|(format, _)| *format != "-v")?;
    let mut rest = args.iter();
    let mut text = String::new();
    loop {
        let before = rest.len();
        fill_in(format, &mut rest, &mut text);
        if rest.len() == 0 || rest.len() == before || text.len() > PRINTED_BYTES_MAX {
            return Some(text);
        }
    }
}

fn fill_in<'a>(format: &str, args: &mut impl Iterator<Item = &'a String>, text: &mut String) {
    let mut pieces = format.split('%');
    text.push_str(&unescaped(pieces.next().unwrap_or_default()));
    while let Some(piece) = pieces.next() {
        // `%%`
        if piece.is_empty() {
            text.push('%');
            text.push_str(&unescaped(pieces.next().unwrap_or_default()));
            continue;
        }
        // `%-10s`
        let end = piece.find(|c: char| c.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
        let value = args.next().map_or("", String::as_str);
        text.push_str(&if piece[..end].ends_with('b') { unescaped(value) } else { value.to_owned() });
        text.push_str(&unescaped(&piece[end..]));
    }
}

/// A text in which `\n`, `\0` and `\t` are what they stand for.
pub(super) fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\0", "\n").replace("\\t", "\t")
}

fn directory(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((dir, _)) => dir.to_owned(),
        None => ".".to_owned(),
    }
}
