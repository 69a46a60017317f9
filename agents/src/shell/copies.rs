//! Which files are changed by commands that copy, move and link, and by programs that write a file named in an option.

use super::options::{Arguments, Options};
use super::run::base_name;

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

/// The files that `.once FILE` and `.output FILE` of `sqlite3` name.
pub(super) fn outputs_of_sqlite(args: &[String], bodies: &[String]) -> Vec<String> {
    let lines = args.iter().chain(bodies).flat_map(|text| text.lines());
    let file = |line: &str| {
        let rest = [".once", ".output", ".excel"].iter().find_map(|word| line.trim().strip_prefix(word))?;
        rest.split_whitespace()
            .rfind(|word| !word.starts_with('-'))
            .map(|word| word.trim_matches(['\'', '"']).to_owned())
    };
    lines.filter_map(file).collect()
}

/// Programs for which `-o` does not name a file to write.
const OTHER_O: [&str; 16] = [
    "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep", "ls", "ps", "pgrep", "find", "fd", "set",
    "test", "ssh",
];

/// The files that a program writes by its options (`-o FILE`, `-sSLo FILE`, `-oFILE`, `--output=FILE`), and those of downloads.
pub(super) fn outputs(name: &str, args: &[String]) -> Vec<String> {
    if OTHER_O.contains(&name) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let next = || args.get(at + 1).cloned();
        if let Some(long) = arg.strip_prefix("--") {
            let (long, value) =
                long.split_once('=').map_or((long, None), |(long, value)| (long, Some(value)));
            let writes = long.starts_with("out") && !long.ends_with("dir");
            if writes
                || ["junitxml", "junit-xml", "log-file", "report-file", "prepend", "readme-file"]
                    .contains(&long)
            {
                found.extend(value.map(str::to_owned).or_else(next));
            }
        } else if arg == "-out" {
            found.extend(next());
        } else if let Some(letter) = arg.strip_prefix('-').and_then(|rest| rest.find(['o', 'O'])) {
            // Letters can stand together; what follows the last is its value.
            let value = arg[letter + 2..].trim_start_matches('=');
            found.extend(if value.is_empty() { next() } else { Some(value.to_owned()) });
        }
    }
    found.extend(downloads(name, args));
    found.extend(last_argument(name, args));
    found
}

/// The last argument of a program that writes it: `docker cp`, `kubectl cp`, `aws s3 cp`, `uniq IN OUT`.
fn last_argument(name: &str, args: &[String]) -> Vec<String> {
    let files = super::run::positional(args);
    let verb = |at: usize, verbs: &[&str]| files.get(at).is_some_and(|word| verbs.contains(&word.as_str()));
    let writes = match name {
        "docker" | "podman" | "kubectl" | "nerdctl" | "adb" => verb(0, &["cp", "pull"]),
        "aws" | "gcloud" => verb(0, &["s3", "storage"]) && verb(1, &["cp", "mv"]),
        "gsutil" | "rclone" => verb(0, &["cp", "mv", "copy", "move", "sync", "copyto", "moveto"]),
        "uniq" => files.len() == 2,
        _ => false,
    };
    let [.., source, target] = files.as_slice() else { return Vec::new() };
    // Into a directory a copy comes under its name.
    let inside = format!(
        "{}/{}",
        target.trim_end_matches('/'),
        base_name(source.rsplit(':').next().unwrap_or(source))
    );
    if writes { vec![target.clone(), inside] } else { Vec::new() }
}

/// The files of downloads that are named by their address: of `wget`, and of `curl -O`.
fn downloads(name: &str, args: &[String]) -> Vec<String> {
    let (letters, dir): (&str, &[&str]) = match name {
        "wget" => ("OoaPQTtweUilADRIXB", &["-P", "--directory-prefix"]),
        "curl" => ("oXHdFuAebcEKTmxwrYyzCDQUtq", &["--output-dir"]),
        _ => return Vec::new(),
    };
    let long = &["directory-prefix", "output-dir", "output-document", "header", "output", "user-agent"];
    let said = Options { letters, long }.all(args);
    let by_name = name == "wget" && !said.has(&["-O", "--output-document"])
        || name == "curl" && said.has(&["-O", "--remote-name", "--remote-name-all", "-J"]);
    let dir = said.value(dir).unwrap_or(".");
    let address = |file: &String| file.split(['?', '#']).next().unwrap_or(file).to_owned();
    let files = said.files.iter().filter(|_| by_name).map(address);
    files.map(|file| format!("{dir}/{}", base_name(&file))).collect()
}
