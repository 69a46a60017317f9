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
        is_kept(disk, &path, &path)
    });
    let exe = dir.join("exe");
    of_script && is_there(disk, &exe, program) && is_kept(disk, &exe, Path::new(program))
}

/// Whether the file that a process runs is the one that we find by its name. In a mount namespace of its own an old program of
/// root may stand under any name. One that was replaced since (`(deleted)`) has only its age to go by.
fn is_there(disk: &RealDisk, exe: &Path, name: &str) -> bool {
    let identity = |path: &Path| disk.stat(path).ok().flatten().map(|stat| (stat.device, stat.inode));
    name.ends_with(" (deleted)")
        || identity(exe).is_some_and(|found| identity(Path::new(name)) == Some(found))
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
/// started it; `by_person`: whether a person may sit where a process is.
pub fn is_watched(
    disk: &RealDisk,
    opener: &Process,
    above: Option<&Process>,
    terminal: u32,
    by_person: &dyn Fn(u32) -> bool,
) -> bool {
    match opener.opens() {
        Opens::Multiplexer if opener.title() == "tmux" => {
            let clients = clients_of_tmux(disk, opener, terminal);
            clients.into_iter().any(by_person)
        }
        // A server of screen opens the terminals of its clients, others are connected to them.
        Opens::Multiplexer => {
            let is_client = |process: &Attached| process.name.eq_ignore_ascii_case(opener.title());
            (!terminals_held(disk, opener).is_empty() || has_connection(disk, opener))
                && attached(disk).any(|process| is_client(&process) && by_person(process.pid))
        }
        Opens::Editor => {
            let in_window = above.is_some_and(|above| above.is_plain() && above.opens() == Opens::Window);
            let held = terminals_held(disk, opener);
            let is_held = |process: &Attached| held.contains(&process.terminal);
            in_window
                || has_window(opener)
                || !held.is_empty()
                    && attached(disk).any(|process| is_held(&process) && by_person(process.pid))
        }
        _ => true,
    }
}

/// A process with a terminal.
struct Attached {
    pid: u32,
    name: String,
    terminal: String,
}

/// Every process with a terminal that the system shows.
fn attached(disk: &RealDisk) -> impl Iterator<Item = Attached> {
    let names = disk.list(Path::new("/proc")).unwrap_or_default().into_iter();
    let pids = names.filter_map(|name| name.to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let stat = crate::asking::stat(disk, &pid.to_string()).filter(|stat| stat.terminal != 0)?;
        let name = stat.name.split(':').next().unwrap_or_default().to_owned();
        Some(Attached { pid, name, terminal: terminal_name(stat.terminal) })
    })
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

/// The clients that show the session which this terminal belongs to: the server's own program is asked.
fn clients_of_tmux(disk: &RealDisk, server: &Process, terminal: u32) -> Vec<u32> {
    let sockets = sockets(disk, server);
    let mut table = unix_sockets(disk);
    let Some(Socket { path, .. }) = table.find(|socket| socket.listens && sockets.contains(&socket.inode))
    else {
        return Vec::new();
    };
    let exe = format!("/proc/{}/exe", server.pid);
    let panes = ["list-panes", "-a", "-F", "pane #{pane_tty} #{session_id}"];
    let clients = ["list-clients", "-F", "client #{session_id} #{client_pid} #{client_control_mode}"];
    let argv = [&[exe.as_str(), "-S", path.as_str()][..], &panes, &[";"], &clients].concat();
    let argv: Vec<String> = argv.into_iter().map(str::to_owned).collect();
    let program = Program { argv: &argv, stdin: b"", directory: None, time_ms: ANSWER_MS };
    let Ran::Ended { code: Some(0), stdout, .. } = system::run(&program) else { return Vec::new() };
    clients_told(&String::from_utf8_lossy(&stdout), &terminal_name(terminal))
}

/// Reads what tmux tells of its panes and clients. One in control mode is a program's.
fn clients_told(text: &str, terminal: &str) -> Vec<u32> {
    let fields = || text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let of_ours = |fields: Vec<&str>| match fields[..] {
        ["pane", name, session] if name == terminal => Some(session.to_owned()),
        _ => None,
    };
    let sessions: Vec<String> = fields().filter_map(of_ours).collect();
    let client = |fields: Vec<&str>| match fields[..] {
        ["client", session, pid, control] if control != "1" && sessions.iter().any(|of| of == session) => {
            pid.parse().ok()
        }
        _ => None,
    };
    fields().filter_map(client).collect()
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

/// The terminals that it has open and somebody may sit at; those that it keeps itself are behind `/dev/ptmx`.
fn terminals_held(disk: &RealDisk, process: &Process) -> Vec<String> {
    let is_terminal = |file: &String| {
        let after = file.strip_prefix("/dev/pts/").or_else(|| file.strip_prefix("/dev/tty"));
        after.is_some_and(|after| after.ends_with(|c: char| c.is_ascii_digit()))
    };
    open_files(disk, process).into_iter().filter(is_terminal).collect()
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
    use super::{clients_told, is_from_here, terminal_name};
    use std::ffi::OsStr;

    #[test]
    fn terminals_by_number() {
        assert_eq!(terminal_name(0x8805), "/dev/pts/5");
        assert_eq!(terminal_name(0x88ff), "/dev/pts/255");
        assert_eq!(terminal_name(0x0010_8801), "/dev/pts/257");
        assert_eq!(terminal_name(0x8901), "/dev/pts/257");
    }

    #[test]
    fn clients_of_the_session_that_shows_a_terminal() {
        let told = "pane /dev/pts/3 $0\npane /dev/pts/4 $1\npane /dev/pts/4 $2\n\
                    client $0 11 0\nclient $1 12 0\nclient $1 13 1\nclient $2 14 \nclient $2 x 0\n";
        assert_eq!(clients_told(told, "/dev/pts/3"), [11]);
        assert_eq!(clients_told(told, "/dev/pts/4"), [12, 14], "not in control mode");
        assert_eq!(clients_told(told, "/dev/pts/5"), [0_u32; 0]);
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
