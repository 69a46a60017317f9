//! Runs a program the configuration names: its words as they are, no shell, its time and its output bounded. What it
//! started is ended with it.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use worker::{OUTPUT_BYTES_MAX, Program, Ran};

/// How often to look whether it has ended.
const LOOK_MS: u64 = 2;
/// How long to wait for the rest of its output once it has ended: somebody it left behind may hold the pipe.
const REST_MS: u64 = 200;

/// A call of a program, looked for in the directories of `PATH`. One that is no absolute path is passed over, here and by what it starts, for it
/// is another directory in every place, such as one in a repository.
#[must_use]
pub fn command(name: &str) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs: Vec<PathBuf> = std::env::split_paths(&path).filter(|dir| is_one_place(dir)).collect();
    let dirs = std::env::join_paths(&dirs).ok().filter(|dirs| !dirs.is_empty());
    let mut command = Command::new(name);
    command.env("PATH", dirs.unwrap_or_else(|| "/usr/bin:/bin".into()));
    command
}

/// Whether a path is the same directory wherever it is said: none that begins at a process (`/proc/self/cwd`).
fn is_one_place(dir: &Path) -> bool {
    // Behind a link `..` is another directory than its text says.
    let goes_up = dir.components().any(|part| part == Component::ParentDir);
    dir.is_absolute() && !goes_up && !dir.starts_with("/proc") && !dir.starts_with("/dev/fd")
}

/// Runs it to its end, or to the end of its time.
pub fn run(program: &Program<'_>) -> Ran {
    let Some((name, arguments)) = program.argv.split_first() else {
        return Ran::NotStarted("it has no name".to_owned());
    };
    let mut command = command(name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that all of it can be ended.
    command.process_group(0);
    if let Some(directory) = program.directory {
        command.current_dir(directory);
    }
    match command.spawn() {
        Ok(child) => attend(child, program),
        Err(e) => Ran::NotStarted(e.to_string()),
    }
}

fn attend(mut child: Child, program: &Program<'_>) -> Ran {
    let deadline = Instant::now() + Duration::from_millis(program.time_ms);
    if let Some(mut stdin) = child.stdin.take() {
        let text = program.stdin.to_vec();
        // One that does not read must not hold us up; one that closes early is no fault.
        std::thread::spawn(move || stdin.write_all(&text));
    }
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                end_group(&child);
                let (stdout, stderr) = (received(stdout), received(stderr));
                return Ran::Ended { code: status.code(), stdout, stderr };
            }
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(LOOK_MS)),
            Ok(None) | Err(_) => {
                end_group(&child);
                let _ = child.kill();
                let _ = child.wait();
                return Ran::TimedOut;
            }
        }
    }
}

/// Everything it started goes, too: nothing of it may write later, or hold a pipe open.
fn end_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Reads a stream to its end in the background and keeps its beginning.
fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut buffer = [0_u8; 8192];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            let room = OUTPUT_BYTES_MAX - kept.len();
            kept.extend_from_slice(&buffer[..length.min(room)]);
        }
        let _ = sender.send(kept);
    });
    receiver
}

fn received(stream: Option<Receiver<Vec<u8>>>) -> Vec<u8> {
    stream.and_then(|stream| stream.recv_timeout(Duration::from_millis(REST_MS)).ok()).unwrap_or_default()
}
