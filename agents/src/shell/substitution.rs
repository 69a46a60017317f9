//! What a command within a word (`$(pwd)`) prints, where its text shows that. The output of a command that reads files is not
//! known.

use super::run::{base_name, name_sought, positional};
use std::path::Path;

/// The words that a command without pipes and lists prints; `None` where that is not known.
pub(super) fn printed(words: &[String], cwd: &Path) -> Option<Vec<String>> {
    let [program, args @ ..] = words else { return None };
    let files = positional(args);
    let here = || Some(vec![cwd.display().to_string()]);
    match (base_name(program), files.as_slice()) {
        ("pwd", []) => here(),
        // As a rule an agent works in the root of its repository.
        ("git", [verb]) if verb == "rev-parse" && args.iter().any(|arg| arg == "--show-toplevel") => here(),
        ("git", [verb, patterns @ ..]) if verb == "ls-files" => {
            Some(if patterns.is_empty() { vec!["*".to_owned()] } else { patterns.to_vec() })
        }
        // The time is not known here, so it may be any text.
        ("date", _) => Some(vec!["*".to_owned()]),
        ("find", dirs) if !args.iter().any(|arg| arg.starts_with("-exec")) => {
            let name = name_sought(args);
            let dirs = dirs.iter().take_while(|dir| args.first() == Some(*dir));
            let found: Vec<String> = dirs.map(|dir| format!("{dir}/**/{name}")).collect();
            (!found.is_empty()).then_some(found)
        }
        // A new file, so no document.
        ("mktemp", _) => {
            let dir = args.windows(2).find(|pair| matches!(pair[0].as_str(), "-p" | "--tmpdir"));
            let dir = dir.map_or("/tmp", |pair| pair[1].as_str());
            Some(vec![format!("{dir}/made-by-mktemp")])
        }
        ("echo" | "ls" | "realpath" | "readlink", [_, ..]) => Some(files),
        ("printf", [format, rest @ ..]) if !rest.is_empty() && format.starts_with("%s") => {
            Some(rest.to_vec())
        }
        ("printf", [text]) if !text.contains('%') => Some(vec![text.clone()]),
        ("basename", [path, ..]) => Some(vec![base_name(path.trim_end_matches('/')).to_owned()]),
        ("dirname", [_, ..]) => Some(files.iter().map(|path| directory(path)).collect()),
        _ => None,
    }
}

fn directory(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((dir, _)) => dir.to_owned(),
        None => ".".to_owned(),
    }
}
