//! Jobs are merged in the order in which they were declared, although a listing of `pending/` takes time: files are moved
//! in meanwhile, and on ext4 the hash of its name decides whether a listing still sees one.

use crate::support::User;
use std::fs;
use std::process::Stdio;

/// So many names that the directory is not read with one system call.
const WAITING: usize = 400;
/// Jobs declared one after another while the worker is stopped in the middle of a listing.
const MEANWHILE: usize = 12;

/// Jobs of two other documents by turns, so that each has a file of its own.
fn many_waiting(user: &User) {
    let entry = |n: usize| {
        format!(
            "  - {{ key: {{ kb: {}, heading: Other {n} }}, operation: append, content: \"- {n}\" }}\n",
            ["one", "other"][n % 2]
        )
    };
    let entries: String = (0..WAITING).map(entry).collect();
    let declaration = format!("version: \"1.0.0\"\nentries:\n{entries}");
    user.run_with(["enqueue", "-"], declaration.as_bytes()).ok();
}

#[test]
fn jobs_that_arrive_while_the_directory_is_read_keep_their_order() {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    let user = User::new();
    let notes = user.root().join("notes.md");
    let kb = |name: &str| format!("  {name}: {{ path: {}/{name}.md }}\n", user.root().display());
    let kbs: String = ["notes", "one", "other"].map(kb).concat();
    user.configure(&format!("version: 1\nknowledge_bases:\n{kbs}session_bootstrap: [notes]\n"));
    many_waiting(&user);
    let mut worker = user
        .command(["work"])
        .env("LAST_WORD_TROUBLE", "stop=list.pending")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let pid = Pid::from_child(&worker);
    let (mut stops, mut lines) = (0, String::new());
    while let Some((_, status)) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap() {
        if !status.stopped() {
            assert_eq!(status.exit_status(), Some(0));
            break;
        }
        if stops < 3 {
            for n in 0..MEANWHILE {
                let line = format!("- {stops}.{n}");
                user.note("Log", "append", &line);
                lines.push_str(&format!("{line}\n"));
            }
        }
        stops += 1;
        kill_process(pid, Signal::CONT).unwrap();
    }
    assert!(stops > 0, "the worker never came there, the test proves nothing");
    let _ = worker.try_wait();
    user.run(["work"]).ok();
    let text = fs::read_to_string(notes).unwrap();
    assert!(text.contains(&lines), "wanted in this order:\n{lines}\nit says:\n{text}");
}

/// Names of knowledge bases: so many that right order in all of them is no luck.
const MOVED: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

#[test]
fn jobs_keep_their_order_where_their_document_moved_meanwhile() {
    let user = User::new();
    let bases = |place: &str| {
        let kb = |name| format!("  {name}: {{ path: {}/{place}/{name}.md }}\n", user.root().display());
        format!("version: 1\nknowledge_bases:\n{}", MOVED.map(kb).concat())
    };
    let say = |text: &str| {
        for name in MOVED {
            user.run(["enqueue", "--to", name, "--heading", "Log", "--op", "append", "--content", text]).ok();
        }
    };
    user.configure(&bases("before"));
    say("- first");
    user.configure(&bases("after"));
    say("- second");
    user.run(["work"]).ok();
    for name in MOVED {
        let text = fs::read_to_string(user.root().join("after").join(format!("{name}.md"))).unwrap();
        assert!(text.contains("- first\n- second\n"), "{name}: {text}");
    }
}

/// One file under two names, each with a knowledge base of its own: what is declared for one name and for the other keeps its order, as it
/// is one document. It was merged name by name, so that an update took out what was appended after it.
#[test]
fn jobs_of_one_file_under_two_names_keep_their_order() {
    let user = User::new();
    user.configure(
        "version: 1\nknowledge_bases:\n  agents: { path: ~/AGENTS.md }\n  claude: { path: ~/CLAUDE.md }\nsession_bootstrap: [agents]\n",
    );
    let document = user.root().join("AGENTS.md");
    fs::write(&document, "## Build\n\n- one\n\n## Work\n\n- w\n").unwrap();
    std::os::unix::fs::symlink("AGENTS.md", user.root().join("CLAUDE.md")).unwrap();
    for (to, heading, op, content) in [
        ("agents", "Work", "append", "- first"),
        ("claude", "Build", "update", "- second"),
        ("agents", "Build", "append", "- third"),
        ("claude", "Build", "append", "- fourth"),
    ] {
        user.run(["enqueue", "--to", to, "--heading", heading, "--op", op, "--content", content]).ok();
    }
    user.run(["work"]).ok();
    let text = fs::read_to_string(&document).unwrap();
    assert_eq!(text, "## Build\n\n- second\n- third\n- fourth\n\n## Work\n\n- w\n- first\n");
    assert_eq!(user.counts()[..5], [0; 5], "all in one run");
}
