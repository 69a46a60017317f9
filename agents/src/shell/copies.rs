//! Which files are changed by commands that copy, move and link.

use super::options::{Arguments, Options};

/// What a command copies, and where to.
#[derive(Debug)]
pub(super) struct Copies {
    /// The target: a file, or a directory into which each source is copied under its name.
    pub(super) target: String,
    /// The sources.
    pub(super) sources: Vec<String>,
    /// Whether directories are copied with their content.
    pub(super) whole: bool,
    /// Whether what the sources do not have is removed from the target: `rsync --delete`.
    pub(super) deletes: bool,
    /// Whether the target is always the copy itself, also where it is a directory (`-T`).
    pub(super) plain: bool,
    /// Whether the target is always a directory: it is named by `-t`, or there are several sources.
    pub(super) is_into: bool,
    /// What the copies are where they are links.
    pub(super) links: Option<Links>,
}

/// How the target of a link is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// The text is kept in the link, and read from the directory that the link is in: `ln -s`.
    FromTheirPlace,
    /// It is a path from where the command runs: a hard link, `ln -r`.
    FromHere,
}

const RSYNC: [&str; 24] = [
    "exclude",
    "include",
    "filter",
    "files-from",
    "exclude-from",
    "include-from",
    "rsh",
    "rsync-path",
    "log-file",
    "backup-dir",
    "temp-dir",
    "partial-dir",
    "compare-dest",
    "copy-dest",
    "link-dest",
    "max-size",
    "min-size",
    "bwlimit",
    "timeout",
    "port",
    "out-format",
    "chmod",
    "chown",
    "suffix",
];

fn options(name: &str) -> Options {
    let (letters, long): (&str, &'static [&'static str]) = match name {
        "rsync" => ("efTBM", &RSYNC),
        "scp" => ("PiFJloScX", &[]),
        "install" => ("mogtS", &["mode", "owner", "group", "target-directory", "suffix", "strip-program"]),
        "ditto" => ("", &["arch", "bom", "keychain", "password"]),
        _ => ("St", &["suffix", "target-directory"]),
    };
    Options { letters, long }
}

/// Reads the arguments of one of `cp`, `mv`, `install`, `ln`, `link`, `rsync`, `scp`, `ditto`.
pub(super) fn copies(name: &str, args: &[String]) -> Option<Copies> {
    let Arguments { mut files, options } = options(name).all(args);
    let said = Arguments { options, files: Vec::new() };
    let by_option = match name {
        "rsync" | "scp" | "ditto" => None,
        _ => said.value(&["-t", "--target-directory"]),
    };
    let is_into = by_option.is_some() || files.len() > 2;
    let target = match by_option {
        Some(dir) => dir.to_owned(),
        // `ln -s FILE` makes the link where it runs.
        None if name == "ln" && files.len() == 1 => ".".to_owned(),
        None => files.pop()?,
    };
    let whole = match name {
        "rsync" => said.has(&["-a", "-r", "--archive", "--recursive"]),
        "ditto" => true,
        "scp" => said.has(&["-r"]),
        "cp" => said.has(&["-r", "-R", "-a", "--recursive", "--archive"]),
        _ => false,
    };
    let plain = matches!(name, "ditto" | "link")
        || (matches!(name, "cp" | "mv" | "ln" | "install") && said.has(&["-T", "--no-target-directory"]));
    let deletes = name == "rsync" && said.options.iter().any(|(option, _)| option.starts_with("--del"));
    let links = links(name, &said);
    Some(Copies { target, sources: files, whole, deletes, plain, is_into, links })
}

/// What kind of links a command makes; `None` where it copies.
fn links(name: &str, said: &Arguments) -> Option<Links> {
    let symbolic = said.has(&["-s", "--symbolic", "--symbolic-link"]);
    let relative = name == "ln" && said.has(&["-r", "--relative"]);
    match name {
        "ln" | "cp" if symbolic && !relative => Some(Links::FromTheirPlace),
        "ln" | "link" => Some(Links::FromHere),
        "cp" if said.has(&["-l", "--link"]) => Some(Links::FromHere),
        _ => None,
    }
}

/// Options of `split` that take a value.
pub(super) const SPLIT: Options = Options {
    letters: "abClnt",
    long: &["lines", "bytes", "line-bytes", "number", "suffix-length", "additional-suffix", "filter"],
};
/// Options of `patch` that take a value.
pub(super) const PATCH: Options = Options {
    letters: "dipoFVrzBDYg",
    long: &["directory", "input", "strip", "output", "fuzz", "reject-file"],
};
