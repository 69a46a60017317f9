//! What a hook costs its agent: fresh processes from start to exit, beside a static C program that makes the same system
//! calls and nothing else. Prints a table.
//!
//! `cargo bench --bench hook`. Goals: p95 of any event under 30 ms, with ten entries to flush; a start under 15 ms.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops"
)]

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 100;
const ENTRIES: usize = 10;
const BINARY: &str = env!("CARGO_BIN_EXE_last-word");

struct Bench {
    dir: tempfile::TempDir,
    floor: PathBuf,
}

impl Bench {
    /// A home on the disk of the build, with documents as they get after a while.
    fn new() -> Bench {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let dir = tempfile::tempdir_in(target).unwrap();
        fs::create_dir_all(dir.path().join("app/.git")).unwrap();
        let floor = dir.path().join("hook_floor");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/hook_floor.c");
        let built = Command::new("cc").args(["-O2", "-static", "-o"]).arg(&floor).arg(source).status();
        assert!(built.is_ok_and(|status| status.success()), "`cc -static` is needed for the floor");
        let bench = Bench { dir, floor };
        bench.ours(&["init"], None);
        let document = |name: &str, lines: usize| {
            fs::write(bench.home().join("..").join(name), "- a line of what is known by now\n".repeat(lines))
                .unwrap();
        };
        document("USER.md", 40);
        document("AGENTS.md", 300);
        bench
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join(".config/agents/last-word")
    }

    fn ours(&self, args: &[&str], stdin: Option<&Value>) -> Duration {
        self.run(Command::new(BINARY).args(args), stdin)
    }

    fn run(&self, command: &mut Command, stdin: Option<&Value>) -> Duration {
        command.env_clear().env("HOME", self.dir.path()).env("PATH", "/usr/bin:/bin");
        command.current_dir(self.dir.path().join("app"));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let text = stdin.map(Value::to_string).unwrap_or_default();
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        assert!(child.wait().unwrap().success());
        begun.elapsed()
    }

    fn event(&self, name: &str, session: &str) -> Value {
        json!({ "session_id": session, "cwd": self.dir.path().join("app"), "hook_event_name": name, "source": "startup" })
    }

    fn hook(&self, name: &str, session: &str) -> Duration {
        self.ours(&["hook", "--agent", "codex"], Some(&self.event(name, session)))
    }

    fn floor(&self, event: &str, session: &str, documents: &[&str]) -> Duration {
        let mut command = Command::new(&self.floor);
        command.arg(event).arg(self.home()).arg(session);
        command.args(documents.iter().map(|name| self.home().join("..").join(name)));
        self.run(&mut command, Some(&self.event(event, session)))
    }

    fn plan(&self, session: &str) {
        for n in 0..ENTRIES {
            let content = format!("- entry {n}");
            self.ours(
                &[
                    "plan",
                    "--to",
                    "global",
                    "--heading",
                    "H",
                    "--op",
                    "append",
                    "--content",
                    &content,
                    "--agent",
                    "codex",
                    "--session",
                    session,
                ],
                None,
            );
        }
    }

    /// What is queued goes, so that every round finds the same.
    fn empty(&self) {
        for file in fs::read_dir(self.home().join("pending")).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
    }
}

fn row(name: &str, mut ours: Vec<Duration>, mut floor: Vec<Duration>) {
    ours.sort();
    floor.sort();
    let ms =
        |times: &[Duration], percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
    println!(
        "{name:28} p50 {:6.2}  p95 {:6.2} ms    floor p50 {:6.2}  p95 {:6.2} ms    ratio of p50 {:.2}",
        ms(&ours, 50),
        ms(&ours, 95),
        ms(&floor, 50),
        ms(&floor, 95),
        ms(&ours, 50) / ms(&floor, 50)
    );
}

fn main() {
    let bench = Bench::new();
    let rounds = || 0..ROUNDS;
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for n in rounds() {
        ours.push(bench.hook("SessionStart", &format!("a{n}")));
        floor.push(bench.floor("start", &format!("f{n}"), &["USER.md", "AGENTS.md"]));
    }
    row("start, with context", ours, floor);
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for n in rounds() {
        ours.push(bench.hook("Stop", &format!("s{n}")));
        floor.push(bench.floor("start", &format!("g{n}"), &["USER.md", "AGENTS.md"]));
    }
    row("stop, asking", ours, floor);
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for n in 0..ROUNDS / 4 {
        let (mine, its) = (format!("e{n}"), format!("h{n}"));
        bench.plan(&mine);
        bench.plan(&its);
        ours.push(bench.hook("SessionEnd", &mine));
        floor.push(bench.floor("end", &format!("codex-{its}"), &[]));
        bench.empty();
    }
    row("end, ten entries flushed", ours, floor);
}
