//! The name by which this program is called, for hooks, schedules and agents to use.

use durable::{Disk, RealDisk};
use engine::quoted;
use std::path::PathBuf;
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
