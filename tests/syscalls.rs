//! What an `enqueue` asks of the kernel, one call after another: an agent waits for each of them. Counted by strace from
//! the first look at the home to the end.

use crate::support::{User, skipped};
use std::fs;
use std::process::Command;

/// Calls that say nothing of the path: memory, and what the loader and the libc of a system do in their own way.
const LEFT_OUT: [&str; 17] = [
    "brk",
    "mmap",
    "munmap",
    "mremap",
    "mprotect",
    "madvise",
    "getrandom",
    "close",
    "fstat",
    "uname",
    "getpid",
    "gettid",
    "futex",
    // Debug builds of std ask it on closing.
    "fcntl",
    "sigaltstack",
    "rt_sigprocmask",
    "exit_group",
];

/// The calls of a command after its first look at the home: `verb path`, the path below the home without ids.
/// `None` where there is no strace, or none that may trace.
fn calls(user: &User, args: &[&str]) -> Option<Vec<String>> {
    // The first to read a configuration keeps it for those after it.
    let first = ["enqueue", "--to", "user", "--heading", "H", "--op", "append", "--content", "- first"];
    user.run(first);
    let log = user.root().join("strace.log");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-s", "0", "-o"]).arg(&log).arg(crate::support::binary()).args(args);
    command.env_clear().env("HOME", user.root()).env("PATH", "/usr/bin:/bin").current_dir(user.root());
    let output = match command.output() {
        Ok(output) => output,
        Err(e) => {
            skipped(format!("strace cannot be started: {e}"));
            return None;
        }
    };
    if !output.status.success() {
        skipped(format!("strace cannot trace here: {}", String::from_utf8_lossy(&output.stderr)));
        return None;
    }
    let home = user.home();
    let home = home.to_str().unwrap();
    let text = fs::read_to_string(log).unwrap();
    let ours = text.lines().skip_while(|line| !line.contains(home));
    Some(ours.filter_map(|line| call(line, home)).collect())
}

fn call(line: &str, home: &str) -> Option<String> {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let (name, rest) = line.split_once('(')?;
    let verb = match name {
        name if LEFT_OUT.contains(&name) => return None,
        "openat" | "open" => "open",
        "newfstatat" | "statx" | "stat" | "lstat" => "stat",
        "renameat2" | "renameat" | "rename" => "rename",
        "readlink" | "readlinkat" => "readlink",
        "pread64" | "read" => "read",
        "pwrite64" | "write" | "writev" => "write",
        other => other,
    };
    let path = match rest.split_once(home) {
        Some((_, path)) => below(path),
        None if rest.starts_with("0<") => "stdin".to_owned(),
        None if rest.starts_with("1<") => "stdout".to_owned(),
        // The document, outside of the home: as many links may be looked at as it has directories above it.
        None => "outside".to_owned(),
    };
    Some(format!("{verb} {path}"))
}

/// `/pending/<id>~<doc>~0.json` is `pending/*`.
fn below(path: &str) -> String {
    let path = path.split(['"', '>', ',']).next().unwrap().trim_start_matches('/');
    match path.split_once('/') {
        Some((dir @ ("tmp" | "pending" | "keys"), name)) if !name.is_empty() => format!("{dir}/*"),
        _ if path.is_empty() => "home".to_owned(),
        _ => path.to_owned(),
    }
}

const ENTRY: [&str; 9] =
    ["enqueue", "--to", "user", "--heading", "Notes", "--op", "append", "--content", "- one line more"];

/// From the id until its file is safe in `pending/`.
const ONE_FILE: [&str; 10] = [
    "open locks/seq",
    "flock locks/seq",
    "read locks/seq",
    "write locks/seq",
    "open tmp/*",
    "write tmp/*",
    "fsync tmp/*",
    "rename tmp/*",
    "open pending",
    "fsync pending",
];

/// Many files that cannot be read hold up what waits behind them: each cost seven syncs.
#[test]
fn torn_files_are_set_aside_together() {
    let user = User::new();
    fs::write(user.user_md(), "# User\n").unwrap();
    let syncs_of = |torn: usize| {
        for n in 0..torn {
            fs::write(user.home().join(format!("pending/torn-{torn}-{n:02}.json")), "{").unwrap();
        }
        let calls = calls(&user, &["work"])?;
        Some(calls.iter().filter(|call| call.starts_with("fsync ") || call.starts_with("syncfs ")).count())
    };
    let (Some(one), Some(many)) = (syncs_of(1), syncs_of(41)) else { return };
    assert_eq!(user.files("staging/failed").len(), 2 * 42);
    // The reason of each is a file of its own.
    assert!(many <= one + 40, "{one} syncs for one, {many} for 41");
}

#[test]
fn an_enqueue_asks_for_no_more_than_it_must() {
    let user = User::new();
    fs::write(user.user_md(), "# User\n").unwrap();
    let Some(mut calls) = calls(&user, &ENTRY) else { return };
    calls.retain(|call| call != "readlink outside");
    // Whose we are; and whether the configuration and what was kept of it are ours alone.
    for once in ["geteuid outside", "stat config.yaml", "stat config.cache"] {
        assert_eq!(calls.iter().filter(|call| *call == once).count(), 1, "{once}: {calls:?}");
        calls.retain(|call| call != once);
    }
    // Whether a person sits there. With an agent's mark in the environment nothing is asked.
    let is_terminal = ["ioctl stdin", "ioctl stdout", "ioctl outside"];
    assert_eq!(calls.iter().filter(|call| is_terminal.contains(&call.as_str())).count(), 3, "{calls:?}");
    calls.retain(|call| !is_terminal.contains(&call.as_str()));
    // Whether the home is complete and on one file system.
    let state_dirs = calls.iter().take_while(|call| call.starts_with("stat ")).count();
    // The home once more with the configuration: a hook reads that without a look at the rest.
    let dirs = queue_layout::HOME_DIRS.len() + queue_layout::LATER_DIRS.len();
    assert_eq!(state_dirs, 2 + dirs, "{calls:?}");
    calls.drain(..state_dirs);
    let settings = ["open config.yaml", "read config.yaml", "open config.cache", "read config.cache"];
    let known = [&settings[..], &ONE_FILE, &["write stdout"]].concat();
    assert_eq!(calls, known, "an agent waits for each of these: is one more worth it?");
}

/// Twenty declarations in one call, each for the knowledge base of its number.
fn calls_of_twenty(kb_of: fn(usize) -> &'static str) -> Option<Vec<String>> {
    let user = User::new();
    let entry = |n: usize| {
        let kb = kb_of(n);
        format!(
            r#"{{"version":"1.0.0","source":"t","entries":[{{"key":{{"kb":"{kb}","heading":"H {n}"}},"content":"x"}}]}}"#
        )
    };
    let many = user.root().join("many.jsonl");
    fs::write(&many, (0..20).map(|n| entry(n) + "\n").collect::<String>()).unwrap();
    calls(&user, &["enqueue", many.to_str().unwrap()])
}

#[test]
fn jobs_of_one_call_for_one_document_cost_no_more_than_one() {
    let Some(calls) = calls_of_twenty(|_| "user") else { return };
    let begun = calls.iter().position(|call| call == "open locks/seq").unwrap();
    let known = [&ONE_FILE[..], &["write stdout"]].concat();
    assert_eq!(calls[begun..], known);
}

#[test]
fn jobs_of_one_call_share_their_syncs() {
    let Some(calls) = calls_of_twenty(|n| if n % 2 == 0 { "user" } else { "global" }) else { return };
    let count = |wanted: &str| calls.iter().filter(|call| *call == wanted).count();
    assert_eq!(count("rename tmp/*"), 20, "{calls:?}");
    assert_eq!(count("fsync pending"), 1);
    // Once for the ids. Then, for each of two documents, before its second to its tenth file, one for both: a listing must
    // not see a document's later file and miss an earlier one (`queue-layout/src/moves/order.rs`).
    assert_eq!(count("flock locks/seq"), 1 + 9);
    let is_sync = |call: &String| call == "syncfs tmp/*" || call == "fsync tmp/*";
    let written = calls.iter().rposition(|call| call == "write tmp/*").unwrap();
    assert!(
        written < calls.iter().position(is_sync).unwrap(),
        "all are being written before one is waited for"
    );
    let moved = calls.iter().position(|call| call == "rename tmp/*").unwrap();
    assert!(calls.iter().rposition(is_sync).unwrap() < moved, "none is moved before all are durable");
    if count("syncfs tmp/*") > 0 {
        assert_eq!(
            (count("syncfs tmp/*"), count("fsync tmp/*")),
            (1, 1),
            "and that one tells of a file system shut down"
        );
    }
}
