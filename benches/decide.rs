//! What it takes to decide about many jobs: 20,000 proposals approved, or rejected, 20,000 that failed retried, or discarded, and
//! what was approved undone by a rollback. `cargo bench --bench decide`, or `… -- 2000` for fewer. Writes into a temporary
//! directory (`TMPDIR`): choose a disk.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Sections that the proposals are for.
const SECTIONS: usize = 200;

/// A home, and what it decides about.
struct Home {
    dir: tempfile::TempDir,
    jobs: usize,
}

fn main() {
    let jobs = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(20_000);
    println!("{jobs} jobs; processes from start to end\n");
    println!("{:<34} {:>8}  {:>12}", "", "s", "ms for a job");
    let proposals = Home::new(jobs, true);
    proposals.told("review --all --approve", &["review", "--all", "--approve"], "pending");
    proposals.told("review --all --undo, of a yes", &["review", "--all", "--undo"], "staging/review");
    proposals.run(&["review", "--all", "--approve"]);
    proposals.told("work, which merges them", &["work"], "done");
    proposals.told("rollback notes, and work", &["rollback", "notes"], "done");
    proposals.run(&["work"]);
    assert!(!fs::read_to_string(proposals.notes()).unwrap().contains("- line 1\n"));
    let rejected = Home::new(jobs, true);
    rejected.told("review --all --reject", &["review", "--all", "--reject"], "done");
    rejected.told("review --all --undo, of a no", &["review", "--all", "--undo"], "staging/review");
    let failed = Home::new(jobs, false);
    failed.told("resolve --all --retry", &["resolve", "--all", "--retry"], "pending");
    failed.run(&["work"]);
    failed.told("resolve --all --discard", &["resolve", "--all", "--discard"], "done");
}

impl Home {
    fn new(jobs: usize, proposals: bool) -> Home {
        let home = Home { dir: tempfile::tempdir().unwrap(), jobs };
        home.run(&["init"]);
        let policy = if proposals { ", policy: review" } else { "" };
        let config = format!(
            "version: 1\nknowledge_bases:\n  notes: {{ path: {}{policy} }}\nsession_bootstrap: []\ndeciders: {{ bench: [resolve, review, rollback] }}\n",
            home.notes().display()
        );
        fs::write(home.home().join("config.yaml"), config).unwrap();
        // Twice the same heading: every job of it is ambiguous.
        fs::write(home.notes(), if proposals { "## Log\n" } else { "## Log\n\n## Log\n" }).unwrap();
        let mut command = home.command(&["enqueue", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for n in 0..jobs {
            let heading = if proposals { format!("Log {}", n % SECTIONS) } else { "Log".to_owned() };
            writeln!(stdin, r#"{{"version":"1.0.0","entries":[{{"key":{{"kb":"notes","heading":"{heading}"}},"operation":"append","content":"- line {n}"}}]}}"#).unwrap();
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
        home.run(&["work"]);
        home
    }

    fn home(&self) -> std::path::PathBuf {
        self.dir.path().join("home")
    }

    fn notes(&self) -> std::path::PathBuf {
        self.dir.path().join("notes.md")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_last-word"));
        command.args(["--as", "bench"].iter().filter(|_| !matches!(args[0], "init" | "work" | "enqueue")));
        command.args(args).env_clear().env("LAST_WORD_HOME", self.home()).env("HOME", self.dir.path());
        command.env("PATH", "/usr/bin:/bin").current_dir(self.dir.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Duration {
        let begin = Instant::now();
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        begin.elapsed()
    }

    /// Runs it, says how long it took, and sees that all jobs are there now.
    fn told(&self, name: &str, args: &[&str], state: &str) {
        let took = self.run(args);
        println!(
            "{name:<34} {:>8.2}  {:>12.3}",
            took.as_secs_f64(),
            took.as_secs_f64() * 1000.0 / self.jobs as f64
        );
        assert!(count(&self.home().join(state)) >= self.jobs.min(1), "{name}");
    }
}

fn count(dir: &Path) -> usize {
    let of = |entry: fs::DirEntry| {
        if entry.file_type().unwrap().is_dir() { count(&entry.path()) } else { 1 }
    };
    fs::read_dir(dir).unwrap().map(Result::unwrap).map(of).sum()
}
