//! Programs given to an interpreter on the command line: which of the paths in them they may write.

/// Words without which a program in any of these languages writes no file.
const WRITING: [&str; 16] = [
    "write", "open", "'w", "\"w", "'a", "\"a", "'r+", "unlink", "remove", "rename", "copy", "move",
    "truncate", "replace", ">", "append",
];

/// The string literals of a program that writes, if it does.
pub(super) fn literals(code: &str) -> Vec<String> {
    if !WRITING.iter().any(|word| code.contains(word)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find(['\'', '"', '`']) {
        let quote = char::from(rest.as_bytes()[start]);
        let inside = &rest[start + 1..];
        let end = inside.find(quote).unwrap_or(inside.len());
        let literal = &inside[..end];
        let is_path = !literal.is_empty() && literal.len() < 1024 && !literal.contains(['\n', '*']);
        if is_path {
            found.push(literal.to_owned());
        }
        rest = inside.get(end + 1..).unwrap_or_default();
    }
    found
}
