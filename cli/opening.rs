//! What the system says about the process that opened our terminal: whether its program was there before, and whether anybody
//! may look at what it shows. Refuses nothing: where the system says nothing, the answer is no, and a question is asked.

use agents::{Opens, Process};
use durable::{Disk, RealDisk};
use engine::Host;
use engine::system;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use worker::{Program, Ran};

/// The most of a table of the kernel that is read, in bytes.
const TABLE_BYTES_MAX: u64 = 16 << 20;
/// A program that was put somewhere longer ago than this is not one that was copied there to be taken for a terminal.
const INSTALLED_MS: u64 = 60 * 60 * 1000;
/// How long tmux may take to answer, in milliseconds.
const ANSWER_MS: u64 = 2000;
/// Where programs of the system are: what root keeps elsewhere may be a copy as well.
const OF_THE_SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/opt", "/nix", "/snap", "/lib"];

/// Whether a program was not put there just now: it belongs to root and we cannot write to it, or nothing about its file has
/// changed for an hour. Of an interpreter also its script.
pub fn is_installed(disk: &RealDisk, process: &Process) -> bool {
    let Some(program) = &process.program else {
        // Another user's: not ours to copy.
        return true;
    };
    let dir = Path::new("/proc").join(process.pid.to_string());
    let of_script = process.script_file().is_none_or(|script| {
        let path = if script.starts_with('/') { PathBuf::from(script) } else { dir.join("cwd").join(script) };
        // A module (`-m`) is no file by this name.
        matches!(disk.stat(&path), Ok(None)) || is_kept(disk, &path, &path)
    });
    of_script && is_kept(disk, &dir.join("exe"), Path::new(program))
}

fn is_kept(disk: &RealDisk, file: &Path, name: &Path) -> bool {
    let Ok(Some(stat)) = disk.stat(file) else { return false };
    let us = rustix::process::geteuid().as_raw();
    let is_in_system = us != 0 || OF_THE_SYSTEM.iter().any(|dir| name.starts_with(dir));
    let is_of_root = stat.uid == 0 && stat.mode & 0o022 == 0 && is_in_system;
    let now = Host::system().now().millis();
    is_of_root || stat.changed_ms.saturating_add(INSTALLED_MS) < now
}

/// Whether a client is attached to a multiplexer or an editor, so that somebody may look at this terminal of its. `above`: what
/// started it.
pub fn is_watched(disk: &RealDisk, opener: &Process, above: Option<&Process>, terminal: u32) -> bool {
    match opener.opens() {
        Opens::Multiplexer if opener.title() == "tmux" => is_shown_by_tmux(disk, opener, terminal),
        // A server of screen opens the terminals of its clients, others are connected to them.
        Opens::Multiplexer => holds_terminal(disk, opener) || has_connection(disk, opener),
        Opens::Editor => {
            let in_window = above.is_some_and(|above| above.is_plain() && above.opens() == Opens::Window);
            in_window || holds_terminal(disk, opener) || has_window(opener)
        }
        _ => true,
    }
}

/// Whether an Emacs has a display to show a window on.
fn has_window(process: &Process) -> bool {
    let named = |names: &[&str]| process.environment.iter().any(|(name, _)| names.iter().any(|n| name == n));
    let is_batch = process
        .arguments
        .iter()
        .any(|word| ["-batch", "--batch", "-script", "--script", "-x"].contains(&word.as_str()));
    process.title().starts_with("emacs") && named(&["DISPLAY", "WAYLAND_DISPLAY"]) && !is_batch
}

/// Whether a client shows the session that this terminal belongs to: the server's own program asks it.
fn is_shown_by_tmux(disk: &RealDisk, server: &Process, terminal: u32) -> bool {
    let sockets = sockets(disk, server);
    let mut table = unix_sockets(disk);
    let Some(Socket { path, .. }) = table.find(|socket| socket.listens && sockets.contains(&socket.inode))
    else {
        return false;
    };
    let exe = format!("/proc/{}/exe", server.pid);
    let format = "#{pane_tty} #{session_attached}";
    let argv = [exe.as_str(), "-S", path.as_str(), "list-panes", "-a", "-F", format].map(str::to_owned);
    let program = Program { argv: &argv, stdin: b"", directory: None, time_ms: ANSWER_MS };
    let Ran::Ended { code: Some(0), stdout, .. } = system::run(&program) else { return false };
    let ours = terminal_name(terminal);
    let is_ours = |line: &str| {
        line.rsplit_once(' ')
            .is_some_and(|(name, clients)| name == ours && clients.parse().is_ok_and(|n: u32| n > 0))
    };
    String::from_utf8_lossy(&stdout).lines().any(is_ours)
}

/// The name of a pseudo-terminal by its number in `/proc/<pid>/stat`.
fn terminal_name(number: u32) -> String {
    let (major, minor) = ((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xf_ff00));
    format!("/dev/pts/{}", minor + major.saturating_sub(136) * 256)
}

/// What a process has open.
fn open_files(disk: &RealDisk, process: &Process) -> Vec<String> {
    let dir = Path::new("/proc").join(process.pid.to_string()).join("fd");
    let names = disk.list(&dir).unwrap_or_default();
    let links = names.iter().filter_map(|name| disk.read_link(&dir.join(name)).ok());
    links.map(|link| link.to_string_lossy().into_owned()).collect()
}

/// Whether it has a terminal open that somebody may sit at; those that it keeps itself are behind `/dev/ptmx`.
fn holds_terminal(disk: &RealDisk, process: &Process) -> bool {
    let is_terminal = |file: &String| {
        let after = file.strip_prefix("/dev/pts/").or_else(|| file.strip_prefix("/dev/tty"));
        after.is_some_and(|after| after.ends_with(|c: char| c.is_ascii_digit()))
    };
    open_files(disk, process).iter().any(is_terminal)
}

/// Whether somebody is connected to a socket that it listens at.
fn has_connection(disk: &RealDisk, process: &Process) -> bool {
    let sockets = sockets(disk, process);
    unix_sockets(disk).any(|socket| socket.is_connected && sockets.contains(&socket.inode))
}

fn sockets(disk: &RealDisk, process: &Process) -> Vec<String> {
    let files = open_files(disk, process).into_iter();
    files.filter_map(|file| Some(file.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())).collect()
}

/// A socket with a name.
struct Socket {
    inode: String,
    path: String,
    listens: bool,
    is_connected: bool,
}

/// The named sockets of `/proc/net/unix`: number, count, protocol, flags, type, state, inode, path.
fn unix_sockets(disk: &RealDisk) -> impl Iterator<Item = Socket> {
    let table = disk.read(Path::new("/proc/net/unix"), TABLE_BYTES_MAX).unwrap_or_default();
    let line = |line: &str| {
        let mut fields = line.split_whitespace().skip(3);
        let (flags, _, state) = (fields.next()?, fields.next()?, fields.next()?);
        let inode = fields.next()?.to_owned();
        let path = line.split_once(&format!(" {inode} "))?.1.to_owned();
        let listens = flags == "00010000";
        Some(Socket { inode, path, listens, is_connected: state == "03" })
    };
    String::from_utf8_lossy(&table).lines().filter_map(line).collect::<Vec<_>>().into_iter()
}

/// Whether `SSH_CONNECTION` says that both ends are this machine.
pub fn is_from_here(connection: &OsStr) -> bool {
    let told = connection.to_string_lossy();
    let mut fields = told.split(' ');
    let (client, server) = (fields.next().unwrap_or_default(), fields.nth(1).unwrap_or_default());
    client == server || client.starts_with("127.") || client == "::1"
}

#[cfg(test)]
mod tests {
    use super::{is_from_here, terminal_name};
    use std::ffi::OsStr;

    #[test]
    fn terminals_by_number() {
        assert_eq!(terminal_name(0x8805), "/dev/pts/5");
        assert_eq!(terminal_name(0x88ff), "/dev/pts/255");
        assert_eq!(terminal_name(0x0010_8801), "/dev/pts/257");
        assert_eq!(terminal_name(0x8901), "/dev/pts/257");
    }

    #[test]
    fn who_logs_in_from_this_machine() {
        for (told, is_here) in [
            ("127.0.0.1 40000 127.0.0.1 22", true),
            ("::1 40000 ::1 22", true),
            ("10.0.0.5 40000 10.0.0.5 22", true),
            ("10.0.0.6 40000 10.0.0.5 22", false),
        ] {
            assert_eq!(is_from_here(OsStr::new(told)), is_here, "{told}");
        }
    }
}
