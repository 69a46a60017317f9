//! The name by which this program is called, for hooks, schedules and agents to use, and for people to type.

use crate::failure::{Exit, Failure};
use durable::{Disk, RealDisk};
use engine::quoted;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Directories in which every shell looks, even a login shell that sets its own PATH.
const SYSTEM_DIRS: [&str; 4] = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];

/// How an agent's shell can call us, as one word: the name where every shell finds it, else the path.
pub fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let path = stable_path();
        match path.parent().and_then(|dir| dir.to_str()) {
            Some(dir) if SYSTEM_DIRS.contains(&dir) => "last-word".to_owned(),
            _ => quoted(&path.display().to_string()),
        }
    })
}

/// The name by which we were called, where it was a name without a path, as in a project's hooks: its rules know us by that
/// name. Else `program`.
pub fn as_called() -> &'static str {
    match std::env::args_os().next() {
        Some(called) if called == "last-word" => "last-word",
        _ => program(),
    }
}

/// The path by which this program was called or is found, which stays the same after an upgrade. The system's own path of a
/// running program has its links resolved, and may contain a version.
pub fn stable_path() -> PathBuf {
    let this = std::env::current_exe().unwrap_or_default();
    let called = std::env::args_os().next().map(PathBuf::from).filter(|called| called.is_absolute());
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let disk = RealDisk::new();
    let same = |path: &PathBuf| path.is_absolute() && disk.canonical(path).is_ok_and(|found| found == this);
    let mut named = called.into_iter().chain(std::env::split_paths(&paths).map(|dir| dir.join("last-word")));
    named.find(same).unwrap_or(this)
}

/// Where this program is: the file that runs, and those that the name leads to.
pub fn files() -> Vec<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).map(|dir| dir.join("last-word"));
    std::env::current_exe().into_iter().chain(found.filter(|path| path.is_absolute())).collect()
}

/// The same for what is written down to be called later.
///
/// # Errors
/// The system does not say where this program is, and it was not called by its path.
pub fn known_path() -> Result<PathBuf, Failure> {
    named(stable_path())
}

fn named(path: PathBuf) -> Result<PathBuf, Failure> {
    if path.is_absolute() {
        return Ok(path);
    }
    Err(Failure::new("the path of this program is not known, so nothing can be told to call it")
        .hint("is /proc mounted? (mount -t proc proc /proc); nothing was written")
        .exit(Exit::CouldNot))
}

/// The home that this program was called with, as it is to be typed.
static NAMED_HOME: OnceLock<String> = OnceLock::new();

/// From now on the commands that are shown name this home, from the user's own directory where it lies in there.
pub fn name_home(home: &Path, user_home: &Path) {
    let home = std::path::absolute(home).unwrap_or_else(|_| home.to_owned());
    let whole = quoted(&home.display().to_string());
    let short = home.strip_prefix(user_home).ok().map(|below| below.display().to_string());
    // A shell knows `~` only where nothing is quoted.
    let short = short.filter(|below| quoted(below) == *below).map(|below| format!("~/{below}"));
    // Once in a process: there is one command line.
    drop(NAMED_HOME.set(short.unwrap_or(whole)));
}

/// The home that `--home` named, as it is to be typed.
pub fn named_home() -> Option<&'static str> {
    NAMED_HOME.get().map(String::as_str)
}

/// A text of ours with the commands in it as they are to be typed for this home.
pub fn typed(text: &str) -> Cow<'_, str> {
    match NAMED_HOME.get() {
        Some(home) => Cow::Owned(with_home(text, &format!(" --home {home}"))),
        None => Cow::Borrowed(text),
    }
}

fn with_home(text: &str, named: &str) -> String {
    const NAME: &str = "last-word";
    let mut shown = String::with_capacity(text.len());
    let mut parts = text.split(NAME);
    shown.extend(parts.next());
    for part in parts {
        shown.push_str(NAME);
        let word = part.strip_prefix(' ').unwrap_or_default();
        let end = word.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(word.len());
        if crate::commands::ALL.iter().any(|command| word.get(..end) == Some(command.name)) {
            shown.push_str(named);
        }
        shown.push_str(part);
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    #[test]
    fn a_program_without_a_path_is_not_written_down() {
        assert!(super::named(PathBuf::new()).is_err());
        assert!(super::named(PathBuf::from("/usr/bin/last-word")).is_ok());
    }

    #[test]
    fn a_command_names_the_home_and_a_sentence_about_us_does_not() {
        let named = " --home '/a b'";
        for (text, wanted) in [
            ("`last-word work` merges it", "`last-word --home '/a b' work` merges it"),
            (
                "last-word resolve 01 --retry; last-word status",
                "last-word --home '/a b' resolve 01 --retry; last-word --home '/a b' status",
            ),
            (
                "last-word works, and ~/.config/agents/last-word/done",
                "last-word works, and ~/.config/agents/last-word/done",
            ),
            ("", ""),
        ] {
            assert_eq!(super::with_home(text, named), wanted);
        }
    }
}
