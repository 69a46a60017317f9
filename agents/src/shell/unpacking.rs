//! Programs that unpack an archive over a directory: into which one, and what of it they leave alone.

use super::chosen::Chosen;
use super::options::{Arguments, Options};

/// The files that an archive is unpacked to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unpacked {
    /// The directory.
    pub(super) dir: String,
    /// The archive, where it is a file whose kind is known.
    pub(super) archive: Option<String>,
    /// What of the archive is taken out; everything when empty.
    pub(super) members: Vec<String>,
    /// What is left alone. Archives seldom have the hidden directories of a person's home.
    pub(super) chosen: Chosen,
}

const HIDDEN: &str = ".*";

fn into(dir: &str, members: &[String], mut except: Vec<String>) -> Unpacked {
    if members.is_empty() {
        except.push(HIDDEN.to_owned());
    }
    Unpacked { dir: dir.to_owned(), archive: None, members: members.to_vec(), chosen: Chosen::but(except) }
}

/// What a command unpacks; `None` when it unpacks nothing, or keeps files that are there. `is_answered`: whether its questions get
/// answers from a pipe.
pub(super) fn unpacked(name: &str, args: &[String], is_answered: bool) -> Option<Unpacked> {
    match name {
        "tar" | "bsdtar" | "gtar" => tar(args),
        "unzip" => unzip(args, is_answered),
        "7z" | "7za" | "7zz" | "7zr" | "unrar" | "rar" => seven(args, is_answered),
        "jar" => jar(args),
        "cpio" => cpio(args),
        "pax" => pax(args),
        _ => None,
    }
}

const TAR: Options = Options {
    letters: "fCXTbHIKLNVg",
    long: &[
        "file",
        "directory",
        "exclude",
        "exclude-from",
        "strip-components",
        "transform",
        "use-compress-program",
        "owner",
        "group",
        "mode",
        "files-from",
        "blocking-factor",
        "checkpoint",
        "xform",
    ],
};

/// Reads the arguments of `tar`. Of `tar xzf` the first word needs no dash.
fn said_to_tar(args: &[String]) -> Arguments {
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut().filter(|first| !first.starts_with('-')) {
        *first = format!("-{first}");
    }
    TAR.all(&args)
}

/// The archive that `tar` makes or changes.
pub(super) fn packed(name: &str, args: &[String]) -> Option<String> {
    let said = Some(said_to_tar(args)).filter(|_| matches!(name, "tar" | "bsdtar" | "gtar"))?;
    let changes = [
        "-c",
        "-r",
        "-u",
        "-A",
        "--create",
        "--append",
        "--update",
        "--concatenate",
        "--catenate",
        "--delete",
    ];
    said.value(&["-f", "--file"]).filter(|_| said.has(&changes)).map(str::to_owned)
}

fn tar(args: &[String]) -> Option<Unpacked> {
    let said = said_to_tar(args);
    let extracts = said.has(&["-x", "--extract", "--get"]);
    let keeps = [
        "-k",
        "--keep-old-files",
        "--skip-old-files",
        "--keep-newer-files",
        "-O",
        "--to-stdout",
        "--one-top-level",
    ];
    if !extracts || said.has(&keeps) {
        return None;
    }
    let dir = said.value(&["-C", "--directory"]).unwrap_or(".");
    // What gets another name is not known by that in the archive.
    let renames = said.has(&["--transform", "--xform", "-P", "--absolute-names"]);
    let archive = said.value(&["-f", "--file"]).filter(|_| !renames).map(str::to_owned);
    Some(Unpacked { archive, ..into(dir, &said.files, said.values(&["--exclude"])) })
}

fn unzip(args: &[String], is_answered: bool) -> Option<Unpacked> {
    let (mut dir, mut files, mut except) = (".", Vec::new(), Vec::new());
    let (mut overwrites, mut leaves_out) = (is_answered, false);
    let takes_a_value = args.iter().any(|arg| matches!(arg.as_str(), "-P" | "-I" | "-O"));
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "-d" => dir = args.next().unwrap_or("."),
            "-x" => leaves_out = true,
            _ if arg.starts_with("-d") => dir = &arg[2..],
            _ if arg.starts_with('-') && arg.contains(['l', 't', 'p', 'Z', 'v', 'n', 'f']) => return None,
            _ if arg.starts_with('-') => {
                overwrites |= arg.contains('o');
                leaves_out = false;
            }
            _ if leaves_out => except.push(arg.to_owned()),
            _ => files.push(arg.to_owned()),
        }
    }
    // One that is named without its ending, or by a pattern, may be another file.
    let is_plain = |file: &&String| file.ends_with(".zip") && !file.contains(['*', '?', '[', '\\']);
    let archive = files.first().filter(|file| is_plain(file) && !takes_a_value).cloned();
    let found = into(dir, files.get(1..).unwrap_or_default(), except);
    overwrites.then_some(Unpacked { archive, ..found })
}

fn seven(args: &[String], is_answered: bool) -> Option<Unpacked> {
    let [verb, rest @ ..] = args else { return None };
    let keeps = |arg: &String| matches!(arg.as_str(), "-aos" | "-aou" | "-aot" | "-o-" | "-or" | "-so");
    let overwrites = |arg: &String| matches!(arg.as_str(), "-y" | "-aoa" | "-o+");
    if !matches!(verb.as_str(), "x" | "e") || rest.iter().any(keeps) {
        return None;
    }
    let dir = rest.iter().find_map(|arg| arg.strip_prefix("-o").filter(|dir| !matches!(*dir, "" | "+")));
    let except = rest.iter().filter_map(|arg| arg.strip_prefix("-x!").or_else(|| arg.strip_prefix("-xr!")));
    let except = except.map(str::to_owned).collect();
    let files: Vec<String> = rest.iter().filter(|arg| !arg.starts_with('-')).cloned().collect();
    let overwrites = is_answered || rest.iter().any(overwrites);
    // The last argument of `unrar` may be the directory.
    let last = files.last().filter(|file| files.len() > 1 && file.ends_with('/'));
    let members = files.get(1..).unwrap_or_default();
    let dir = dir.or(last.map(String::as_str)).unwrap_or(".");
    overwrites.then(|| into(dir, if last.is_some() { &[] } else { members }, except))
}

fn jar(args: &[String]) -> Option<Unpacked> {
    let first = args.first()?;
    let extracts = first == "--extract" || !first.starts_with("--") && first.contains('x');
    let at = args.iter().position(|arg| arg == "-C");
    let dir = at.and_then(|at| args.get(at + 1)).map_or(".", String::as_str);
    extracts.then(|| into(dir, &[], Vec::new()))
}

const CPIO: Options = Options { letters: "DIFHECRM", long: &["directory", "file", "format", "pattern-file"] };

fn cpio(args: &[String]) -> Option<Unpacked> {
    let said = CPIO.all(args);
    let overwrites = said.has(&["-i", "--extract"]) && said.has(&["-u", "--unconditional"]);
    overwrites.then(|| into(said.value(&["-D", "--directory"]).unwrap_or("."), &said.files, Vec::new()))
}

const PAX: Options = Options { letters: "fsxopbEBTUG", long: &[] };

fn pax(args: &[String]) -> Option<Unpacked> {
    let said = PAX.all(args);
    let extracts = said.has(&["-r"]) && !said.has(&["-w", "-k", "-u"]);
    extracts.then(|| into(".", &said.files, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_where() {
        for (line, expected) in [
            ("tar xzf a.tgz", Some((".", ""))),
            ("tar -C d -xf a.tar b c", Some(("d", "b c"))),
            ("tar --extract --file=a.tar --directory d", Some(("d", ""))),
            ("tar xf a.tar --strip-components 1", Some((".", ""))),
            ("tar czf a.tgz x", None),
            ("tar tf a.tgz", None),
            ("tar xkf a.tgz", None),
            ("tar xf a.tgz -O", None),
            ("unzip -o a.zip -d d", Some(("d", ""))),
            ("unzip -oq a.zip b", Some((".", "b"))),
            ("unzip a.zip", None),
            ("unzip -l a.zip", None),
            ("7z x -y a.7z -od", Some(("d", ""))),
            ("7z x a.7z", None),
            ("7z l -y a.7z", None),
            ("cpio -idmu", Some((".", ""))),
            ("cpio -idm", None),
            ("pax -rf a", Some((".", ""))),
            ("jar xf a.jar", Some((".", ""))),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found = unpacked(&words[0], &words[1..], false);
            let found = found.map(|found| (found.dir, found.members.join(" ")));
            assert_eq!(found, expected.map(|(dir, members)| (dir.to_owned(), members.to_owned())), "{line}");
        }
    }
}
