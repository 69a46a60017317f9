//! Programs that correct files: with which of their options they write into the files they are given.

/// Programs, each with the options or verbs that make it change its files. One with an empty list always changes them.
const FIXERS: [(&str, &[&str]); 20] = [
    ("autocorrect", &["--fix", "-i"]),
    ("black", &[]),
    ("codespell", &["-w", "--write-changes"]),
    ("dprint", &["fmt"]),
    ("markdownlint", &["-f", "--fix"]),
    ("markdownlint-cli2", &["--fix"]),
    ("mac2unix", &[]),
    ("misspell", &["-w"]),
    ("mdfmt", &["-w"]),
    ("remark", &["-o", "--output"]),
    ("rpl", &[]),
    ("rumdl", &["fmt", "--fix"]),
    ("textlint", &["--fix"]),
    ("typos", &["-w", "--write-changes"]),
    ("unix2dos", &[]),
    ("unix2mac", &[]),
    ("vale", &["--fix"]),
    ("zip", &["-m", "--move"]),
    ("zstd", &["--rm"]),
    ("gio", &["trash", "remove"]),
];

/// Whether a program with these arguments changes the files among them.
pub(super) fn writes(name: &str, args: &[String]) -> bool {
    let found = FIXERS.iter().find(|(program, _)| *program == name);
    found.is_some_and(|(_, options)| {
        options.is_empty() || args.iter().any(|arg| options.contains(&arg.as_str()))
    })
}
