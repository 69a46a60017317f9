//! The name under which this program is called: what hooks, schedules and agents are told to type.

use durable::{Disk, RealDisk};
use engine::quoted;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Where every shell looks, also a login shell that sets its own PATH.
const SYSTEM_DIRS: [&str; 4] = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];

/// How an agent's shell can call us, as a word for it: by name where every shell finds that, else by path.
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

/// How we were called, where that was by name alone, as a project's hooks do it: its rules know us by that name. Else `program`.
pub fn as_called() -> &'static str {
    match std::env::args_os().next() {
        Some(called) if called == "last-word" => "last-word",
        _ => program(),
    }
}

/// The name under which this program was called or is found, which stays when it is upgraded: what the system says of a
/// running program has its links resolved, and may have a version in it.
pub fn stable_path() -> PathBuf {
    let this = std::env::current_exe().unwrap_or_default();
    let called = std::env::args_os().next().map(PathBuf::from).filter(|called| called.is_absolute());
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let disk = RealDisk::new();
    let same = |path: &PathBuf| path.is_absolute() && disk.canonical(path).is_ok_and(|found| found == this);
    let mut named = called.into_iter().chain(std::env::split_paths(&paths).map(|dir| dir.join("last-word")));
    named.find(same).unwrap_or(this)
}
