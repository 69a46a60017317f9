//! Keeps agents from taking this program out of the way: from its file and its package, from the schedule that calls it, and from
//! starting another agent that does not call it.

use super::{Here, agent_settings, words};
use agents::{How, SimpleCommand, ToolIntent, WrittenPath, plain};
use durable::FileKind;
use std::cell::LazyCell;
use std::path::PathBuf;

/// The name of this program, of its package and of its schedules.
const NAME: &str = "last-word";
/// Where a program of that name may be, besides the paths by which hooks call it and where it is found; `~` is the user's home.
const DIRS: [&str; 7] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin", "~/.local/bin", "~/.cargo/bin", "~/bin"];
/// Programs that install packages, and the words with which they remove one.
const PACKAGERS: [&str; 22] = [
    "apt", "apt-get", "aptitude", "dpkg", "dnf", "yum", "rpm", "zypper", "pacman", "apk", "brew", "npm",
    "pnpm", "yarn", "bun", "pip", "pip3", "pipx", "uv", "cargo", "snap", "nix-env",
];
const REMOVING: [&str; 15] = [
    "remove",
    "purge",
    "uninstall",
    "rm",
    "un",
    "unlink",
    "autoremove",
    "erase",
    "del",
    "-r",
    "-e",
    "-R",
    "-Rs",
    "-Rns",
    "--remove",
];
/// Where schedules are kept, below the user's home.
const SCHEDULES: [&str; 4] = [
    ".config/systemd/user/last-word.service",
    ".config/systemd/user/last-word.path",
    ".config/systemd/user/last-word.timer",
    "Library/LaunchAgents/last-word.work.plist",
];
/// Words with which a service manager stops what it runs.
const STOPPING: [&str; 11] = [
    "stop", "disable", "mask", "kill", "revert", "clean", "unload", "bootout", "remove", "isolate", "freeze",
];
/// The largest crontab that is looked into, in bytes.
const CRONTAB_BYTES_MAX: u64 = 1 << 20;

/// Why a tool call must not run; `None` where it leaves this program where it is.
pub(super) fn objection(here: Here<'_>, intent: &ToolIntent, changed: &[&WrittenPath]) -> Option<String> {
    // Looked up once, and only for a call that changes something: every call waits for its hook.
    let files = LazyCell::new(|| own_files(here));
    let reached = changed.iter().find_map(|written| reached(here, written, &files));
    let permitted = || intent.simple.iter().find_map(|command| unpermitted(here, command, &files));
    if let Some(path) = reached.or_else(permitted) {
        return Some(words::own_program(&here.home.short(&path)));
    }
    if intent.simple.iter().any(is_removed_by_a_packager) {
        return Some(words::own_program(NAME));
    }
    if intent.simple.iter().any(|command| stops_a_schedule(here, command, intent)) {
        return Some(words::own_schedule(&here.program()));
    }
    let without = intent.simple.iter().find(|command| agent_settings::starts_without_hooks(here, command));
    without.map(|command| words::without_hooks(command.program()))
}

/// This program's own file under each of its names, and those of its schedules, as far as they are there.
fn own_files(here: Here<'_>) -> Vec<PathBuf> {
    let user = &here.home.user_home;
    let called = here.program();
    let called = Some(PathBuf::from(called.trim_matches('\''))).filter(|path| path.is_absolute());
    let named = DIRS.iter().map(|dir| agents::absolute(dir, user, user).join(NAME));
    let schedules = SCHEDULES.iter().map(|file| user.join(file));
    let found = (here.home.host.program_files)().into_iter().chain(agent_settings::programs_named(here));
    // The home has the same name as the program.
    let is_there = |path: &PathBuf| {
        let stat = here.home.disk.stat_link(path).ok().flatten();
        stat.is_some_and(|stat| stat.kind != FileKind::Directory)
    };
    let all = called.into_iter().chain(found).chain(named).chain(schedules);
    let files: Vec<PathBuf> = all.filter(is_there).collect();
    let resolved: Vec<PathBuf> = files.iter().filter_map(|path| here.canonical(path).ok()).collect();
    files.into_iter().chain(resolved).collect()
}

/// The file of ours that a change reaches. `$(which last-word)` is one, wherever that is.
fn reached(here: Here<'_>, written: &WrittenPath, files: &[PathBuf]) -> Option<PathBuf> {
    let found = agents::found_in_path(NAME);
    let path = plain(&written.path);
    let resolved = (written.how == How::Here).then(|| here.canonical(&path).ok()).flatten();
    let is_one = |file: &&PathBuf| written.reaches(file) || resolved.as_ref() == Some(file);
    files.iter().find(is_one).cloned().or_else(|| written.reaches(&found).then(|| PathBuf::from(NAME)))
}

/// The file of ours whose permission to run a command takes.
fn unpermitted(here: Here<'_>, command: &SimpleCommand, files: &[PathBuf]) -> Option<PathBuf> {
    let args = command.words.get(1..).unwrap_or_default();
    let keeps = |word: &String| {
        word.ends_with("+x")
            || word.ends_with("+rx")
            || matches!(word.trim_start_matches('0'), "755" | "775" | "555")
    };
    if !matches!(command.program(), "chmod" | "chown" | "setfacl" | "chattr") || args.iter().any(keeps) {
        return None;
    }
    let named = args.iter().map(|word| agents::absolute(word, &here.home.user_home, &command.cwd));
    named.map(|path| WrittenPath::of(path, How::Here)).find_map(|written| reached(here, &written, files))
}

fn is_removed_by_a_packager(command: &SimpleCommand) -> bool {
    // `python3 -m pip uninstall …`
    let module = command.words.iter().position(|word| word == "-m").filter(|_| command.is_interpreter());
    let words = module.map_or(&command.words[..], |at| &command.words[at + 1..]);
    let Some((program, args)) = words.split_first() else { return false };
    let is_ours = |word: &String| {
        let end = word.find(['@', '=', ':', '[', '<', '>', '~']).filter(|at| *at > 0).unwrap_or(word.len());
        as_package(&word[..end]) == NAME
    };
    PACKAGERS.contains(&program.rsplit('/').next().unwrap_or(program))
        && args.iter().any(|word| REMOVING.contains(&word.as_str()))
        && args.iter().any(is_ours)
}

/// A name as package managers compare it: in small letters, with one `-` for each run of `-`, `_` and `.` (PEP 503).
fn as_package(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Whether a command stops the schedule that calls us, or replaces the table it may stand in.
fn stops_a_schedule(here: Here<'_>, command: &SimpleCommand, intent: &ToolIntent) -> bool {
    let args = command.words.get(1..).unwrap_or_default();
    let names_us = || args.iter().any(|word| word.contains(NAME));
    let stops = || args.iter().any(|word| STOPPING.contains(&word.as_str()));
    match command.program() {
        "systemctl" | "launchctl" => stops() && names_us(),
        // A worker that waits for jobs: `work --watch`.
        "pkill" | "killall" => args.iter().any(|word| as_package(word).contains(NAME)),
        "kill" => {
            let finds = |words: &str| {
                let name = words.trim_start_matches(['$', '(', '`', ' ']);
                ["pgrep", "pidof"].iter().any(|program| name.starts_with(program))
                    && as_package(words).contains(NAME)
            };
            let by_pipe = || intent.simple.iter().any(|one| finds(&one.words.join(" ")));
            args.iter().any(|word| finds(word)) || command.fed && by_pipe()
        }
        "crontab" => replaces_the_table(here, command, args, intent),
        _ => false,
    }
}

/// Whether `crontab` removes the table, or puts another one in its place that does not come from it.
fn replaces_the_table(here: Here<'_>, command: &SimpleCommand, args: &[String], intent: &ToolIntent) -> bool {
    if args
        .iter()
        .any(|arg| arg == "-r" || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('r'))
    {
        return true;
    }
    if args.iter().any(|arg| matches!(arg.as_str(), "-l" | "-e" | "-h" | "--help" | "-V")) {
        return false;
    }
    let schedules = SCHEDULES.iter().map(|file| here.home.user_home.join(file));
    let is_kept_elsewhere =
        schedules.into_iter().any(|file| here.home.disk.stat(&file).is_ok_and(|stat| stat.is_some()));
    let lists = |command: &&SimpleCommand| {
        command.program() == "crontab" && command.words.iter().any(|word| word == "-l")
    };
    // `crontab -l | grep -v last-word | crontab -`
    let drops_us = || {
        let filters =
            |command: &SimpleCommand| matches!(command.program(), "grep" | "egrep" | "sed" | "awk" | "perl");
        let mut others = intent.simple.iter().filter(|command| filters(command));
        others.any(|command| command.words.iter().any(|word| word.contains(NAME)))
    };
    if intent.simple.iter().any(|command| lists(&command)) {
        return drops_us();
    }
    let file = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map(|file| agents::absolute(file, &here.home.user_home, &command.cwd));
    let text = file
        .map(|file| here.home.disk.read(&file, CRONTAB_BYTES_MAX).unwrap_or_default())
        .unwrap_or_default();
    let has_us = String::from_utf8_lossy(&text).contains(NAME)
        || command.bodies.iter().any(|body| body.contains(NAME));
    !has_us && !is_kept_elsewhere
}
