//! Which files programs write that an option, an address or a script in their arguments names, and which commands they run of those.

use super::options::Options;
use super::run::{base_name, positional};
use super::unpacking;

/// What the lines that `sqlite3` is given write (`.once FILE`, `.output FILE`) and run (`.shell CMD`).
pub(super) fn by_sqlite<'t>(texts: impl Iterator<Item = &'t String>) -> Carried {
    let mut found = Carried::default();
    for line in texts.flat_map(|text| text.lines()).map(str::trim) {
        let behind = |words: &[&str]| words.iter().find_map(|word| line.strip_prefix(word));
        if let Some(rest) = behind(&[".once", ".output", ".excel"]) {
            let file = rest.split_whitespace().rfind(|word| !word.starts_with('-'));
            found.files.extend(file.map(|word| word.trim_matches(['\'', '"']).to_owned()));
        }
        found.lines.extend(behind(&[".shell ", ".system "]).map(str::to_owned));
    }
    found
}

/// The files that `.read FILE` names.
pub(super) fn read_by_sqlite(args: &[String]) -> Vec<String> {
    let lines = args.iter().flat_map(|text| text.lines()).map(str::trim);
    lines
        .filter_map(|line| Some(line.strip_prefix(".read ")?.trim().trim_matches(['\'', '"']).to_owned()))
        .collect()
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
    found.extend(changelogs(name, args));
    found.extend(packed(name, args));
    found.extend(last_argument(name, args));
    found
}

/// The files that `chmod` takes from their owner's hands, to read or to write (`000`, `a-w`), and whether it goes below directories.
pub(super) fn locked_out(args: &[String]) -> Option<(&[String], bool)> {
    let is_option = |arg: &String| {
        let letters = arg.strip_prefix('-');
        letters.is_some_and(|rest| rest.starts_with('-') || rest.chars().all(|c| "RvcfhHLP".contains(c)))
    };
    let at = args.iter().take_while(|arg| is_option(arg)).count();
    let (mode, files) = args.get(at..)?.split_first()?;
    let is_deep = args
        .iter()
        .any(|arg| arg == "--recursive" || is_option(arg) && !arg.starts_with("--") && arg.contains('R'));
    let by_number = u32::from_str_radix(mode, 8).map(|mode| mode & 0o600 != 0o600);
    let by_letters = || {
        mode.split(',').any(|clause| {
            let Some(sign) = clause.find(['+', '-', '=']) else { return false };
            let (who, what) = clause.split_at(sign);
            let of_owner = who.is_empty() || who.contains(['u', 'a']);
            let is_taken = match what.as_bytes()[0] {
                b'-' => what.contains(['r', 'w']),
                b'=' => !(what.contains('r') && what.contains('w')),
                _ => false,
            };
            of_owner && is_taken
        })
    };
    by_number.unwrap_or_else(|_| by_letters()).then_some((files, is_deep))
}

/// The changelog that a program puts an entry into: `conventional-changelog -i FILE -s`.
fn changelogs(name: &str, args: &[String]) -> Option<String> {
    const SAID: Options = Options {
        letters: "iokpnclrt",
        long: &[
            "infile",
            "outfile",
            "preset",
            "pkg",
            "config",
            "context",
            "release-count",
            "lerna-package",
            "tag-prefix",
        ],
    };
    let said = SAID.all(args);
    let writes = match name {
        "conventional-changelog" | "standard-changelog" => said.has(&["-s", "--same-file"]),
        "standard-version" | "commit-and-tag-version" => true,
        _ => false,
    };
    said.value(&["-i", "--infile"]).filter(|_| writes).map(str::to_owned)
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

/// Long options of downloads that take a value; so many of them only read, and the others name a file that is written.
const DOWNLOADS: [&str; 18] = [
    "directory-prefix",
    "output-dir",
    "output-document",
    "header",
    "output",
    "user-agent",
    "cookie-jar",
    "dump-header",
    "trace",
    "trace-ascii",
    "stderr",
    "etag-save",
    "libcurl",
    "hsts",
    "alt-svc",
    "append-output",
    "save-cookies",
    "rejected-log",
];
const OTHERS_OF_DOWNLOADS: usize = 6;

/// The files of downloads that are named by their address, of `wget` and of `curl -O`, and those of their other options.
fn downloads(name: &str, args: &[String]) -> Vec<String> {
    let (letters, written, dir): (&str, &[&str], &[&str]) = match name {
        "wget" => ("OoaPQTtweUilADRIXB", &["-a"], &["-P", "--directory-prefix"]),
        "curl" => ("oXHdFuAebcEKTmxwrYyzCDQUtq", &["-c", "-D"], &["--output-dir"]),
        _ => return Vec::new(),
    };
    let said = Options { letters, long: &DOWNLOADS }.all(args);
    let by_name = name == "wget" && !said.has(&["-O", "--output-document"])
        || name == "curl" && said.has(&["-O", "--remote-name", "--remote-name-all", "-J"]);
    let dir = said.value(dir).unwrap_or(".");
    let address = |file: &String| file.split(['?', '#']).next().unwrap_or(file).to_owned();
    let files = said.files.iter().filter(|_| by_name).map(address);
    let files = files.map(|file| format!("{dir}/{}", base_name(&file)));
    let is_written = |option: &str| {
        written.contains(&option)
            || option.strip_prefix("--").is_some_and(|long| DOWNLOADS[OTHERS_OF_DOWNLOADS..].contains(&long))
    };
    let others = said.options.iter().filter(|(option, _)| is_written(option));
    files.chain(others.filter_map(|(_, file)| file.clone())).collect()
}

/// Options of `zip` that take a value.
const ZIP: Options = Options { letters: "xbintP", long: &["exclude", "include", "temp-path", "password"] };

/// The archive that a command makes or changes.
fn packed(name: &str, args: &[String]) -> Option<String> {
    match name {
        "zip" => {
            let file = ZIP.all(args).files.into_iter().next()?;
            Some(if base_name(&file).contains('.') { file } else { format!("{file}.zip") })
        }
        "7z" | "7za" | "7zz" | "7zr" | "rar" => match positional(args).as_slice() {
            [verb, file, ..] if matches!(verb.as_str(), "a" | "u" | "d") => Some(file.clone()),
            _ => None,
        },
        _ => unpacking::packed(name, args),
    }
}

/// What a program makes of its arguments besides the files of its options.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    /// Files that it writes.
    pub(super) files: Vec<String>,
    /// Command lines that it runs.
    pub(super) lines: Vec<String>,
}

/// What the scripts, addresses and actions in the arguments of a program say.
pub(super) fn said(name: &str, args: &[String]) -> Carried {
    match name {
        "sed" | "gsed" => by_sed(args),
        "vi" | "vim" | "nvim" | "ex" => by_vim(args),
        "socat" => by_socat(args),
        "tar" | "bsdtar" | "gtar" => {
            let action = |arg: &String| {
                let begins = ["--checkpoint-action=exec=", "--to-command=", "--use-compress-program="];
                begins.iter().find_map(|begin| arg.strip_prefix(begin)).map(str::to_owned)
            };
            Carried { files: Vec::new(), lines: args.iter().filter_map(action).collect() }
        }
        // `gdb -ex 'shell CMD'`
        "gdb" | "lldb" => {
            let line = |arg: &String| {
                ["shell ", "!"].iter().find_map(|word| arg.strip_prefix(word)).map(str::to_owned)
            };
            Carried { files: Vec::new(), lines: args.iter().filter_map(line).collect() }
        }
        // `"CMD" | getline`
        "awk" | "gawk" | "mawk" => {
            let programs = args.iter().filter(|program| program.contains('|') && program.contains("getline"));
            let lines = programs.flat_map(|program| program.split('"').skip(1).step_by(2));
            Carried { files: Vec::new(), lines: lines.map(str::to_owned).collect() }
        }
        _ => Carried::default(),
    }
}

/// Options of `sed` that take a value.
const SED: Options = Options { letters: "efl", long: &["expression", "file", "line-length"] };

/// The files with scripts that `sed` is told.
pub(super) fn scripts_of_sed(name: &str, args: &[String]) -> Vec<String> {
    let is_sed = matches!(name, "sed" | "gsed");
    if is_sed { SED.all(args).values(&["-f", "--file"]) } else { Vec::new() }
}

fn by_sed(args: &[String]) -> Carried {
    let said = SED.all(args);
    let mut scripts = said.values(&["-e", "--expression"]);
    if scripts.is_empty() && !said.has(&["-f", "--file"]) {
        scripts.extend(said.files.into_iter().find(|file| !file.is_empty()));
    }
    script_of_sed(&scripts.join("\n"))
}

/// The files that the command `w` of a script of sed, or that flag of its `s`, names; and the commands of its `e`.
pub(super) fn script_of_sed(script: &str) -> Carried {
    let mut found = Carried::default();
    for line in script.lines() {
        found
            .files
            .extend(behind_letter(line, 'w').map(|file| file.trim().trim_end_matches('}').trim().to_owned()));
        let run = behind_letter(line, 'e').filter(|text| text.starts_with(' '));
        found.lines.extend(run.map(str::to_owned));
        found.lines.extend(replacement_that_runs(line));
    }
    found.files.retain(|file| !file.is_empty());
    found
}

/// What stands behind a letter that is a command of sed or a flag of its `s`.
fn behind_letter(line: &str, letter: char) -> impl Iterator<Item = &str> {
    const BEFORE: &str = "/;${|#,gpI";
    let begins = |before: &str| {
        before.is_empty() || before.ends_with(|c: char| c.is_ascii_digit() || BEFORE.contains(c))
    };
    let found = line.match_indices(letter).filter(move |(at, _)| begins(line[..*at].trim_end()));
    found.map(move |(at, _)| &line[at + letter.len_utf8()..])
}

/// The replacement of `s/…/…/e`, which is run.
fn replacement_that_runs(line: &str) -> Option<String> {
    let rest =
        line.trim_start_matches(|c: char| c.is_ascii_digit() || ",$ ".contains(c)).strip_prefix('s')?;
    let sign = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let mut pieces = rest[1..].split(sign);
    let (_, text, flags) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let flags: String = flags.chars().take_while(char::is_ascii_alphanumeric).collect();
    flags.contains('e').then(|| text.to_owned())
}

/// The files that commands of vim write (`-c 'w! FILE'`, `+'wq FILE'`), and the programs they run (`:!CMD`, `:w !CMD`).
fn by_vim(args: &[String]) -> Carried {
    const SAVING: [&str; 7] = ["w", "write", "wq", "x", "sav", "saveas", "up"];
    let with_value =
        |arg: &str| arg == "--cmd" || (arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c'));
    let behind = args.windows(2).filter(|pair| with_value(&pair[0])).map(|pair| pair[1].as_str());
    let texts = behind.chain(args.iter().filter_map(|arg| arg.strip_prefix('+')));
    let mut found = Carried::default();
    for command in texts.flat_map(|text| text.split(['|', '\n'])) {
        let command = command.trim().trim_start_matches(['%', ':', ' ']);
        let end = command.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(command.len());
        let (verb, rest) = command.split_at(end);
        let rest = if verb.is_empty() { rest } else { rest.strip_prefix('!').unwrap_or(rest).trim() };
        match rest.strip_prefix('!') {
            Some(line) => found.lines.push(line.to_owned()),
            None if SAVING.contains(&verb) && !rest.is_empty() => found.files.push(rest.to_owned()),
            None => {}
        }
    }
    found
}

/// What the addresses of `socat` open to write, and run.
fn by_socat(args: &[String]) -> Carried {
    let addresses = positional(args);
    let reads = |at: usize, sign: &str| {
        at == addresses.len().wrapping_sub(if sign == "-u" { 2 } else { 1 })
            && args.iter().any(|arg| arg == sign)
    };
    let mut found = Carried::default();
    for (at, address) in addresses.iter().enumerate() {
        let Some((kind, rest)) = address.split_once(':') else { continue };
        let what = rest.split(',').next().unwrap_or(rest).to_owned();
        match kind.to_ascii_uppercase().as_str() {
            "OPEN" | "FILE" | "GOPEN" | "CREATE" | "CREAT"
                if !rest.contains("rdonly") && !reads(at, "-u") && !reads(at, "-U") =>
            {
                found.files.push(what);
            }
            "EXEC" | "SYSTEM" | "SHELL" => found.lines.push(what),
            _ => {}
        }
    }
    found
}

/// Commands of programs that do what a program of the shell does: `cmake -E copy`, `gio trash`.
const SAME: [(&str, &str, &str); 14] = [
    ("cmake", "copy", "cp"),
    ("cmake", "copy_if_different", "cp"),
    ("cmake", "copy_directory", "cp -r"),
    ("cmake", "rename", "mv"),
    ("cmake", "rm", "rm"),
    ("cmake", "remove", "rm"),
    ("cmake", "remove_directory", "rm"),
    ("cmake", "create_symlink", "ln -s"),
    ("cmake", "tar", "tar"),
    ("gio", "copy", "cp"),
    ("gio", "move", "mv"),
    ("gio", "remove", "rm"),
    ("gio", "trash", "rm"),
    ("gio", "save", "tee"),
];

/// The words of the program of the shell that does the same as these.
pub(super) fn same_as(name: &str, args: &[String]) -> Option<Vec<String>> {
    let args = match name {
        "cmake" => args.strip_prefix(&["-E".to_owned()])?,
        _ => args,
    };
    let (verb, rest) = args.split_first()?;
    let (_, _, same) = SAME.iter().find(|(program, known, _)| *program == name && known == verb)?;
    Some(same.split(' ').map(str::to_owned).chain(rest.iter().cloned()).collect())
}
