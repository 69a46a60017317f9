//! Ninety days of declarations leave a home that does not grow: receipts, keys and journals go with their days, texts and
//! logs are bounded. Every day is lived by real runs of the worker, whose clock runs ahead. `LAST_WORD_JOBS_A_DAY=1000
//! cargo test --all-features --test tests retention:: -- --nocapture` shows the table of docs/RUNNING.md; with `LAST_WORD_KEYS=no`
//! as well the jobs have no keys, and those of one call for one document share a file.

use crate::support::User;
use serde_json::json;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

const DAYS: u64 = 90;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const DOCUMENTS: u64 = 20;
const PARTS: [&str; 7] = ["done", "keys", "receipts", "journal", "history", "locks", "sessions"];

struct Years {
    user: User,
    began_ms: u64,
    jobs_a_day: u64,
    runs_a_day: u64,
    keys: bool,
}

/// What a directory holds: directories, files, bytes, bytes on the disk.
#[derive(Default, Clone, Copy)]
struct Held {
    dirs: u64,
    files: u64,
    bytes: u64,
    disk_bytes: u64,
}

fn held(dir: &Path) -> Held {
    let mut held = Held::default();
    let Ok(entries) = fs::read_dir(dir) else { return held };
    for entry in entries {
        let entry = entry.unwrap();
        let facts = entry.metadata().unwrap();
        if facts.is_dir() {
            let below = held_below(&entry.path(), &mut held);
            held.dirs += 1 + below;
        } else {
            held.files += 1;
            held.bytes += facts.len();
            held.disk_bytes += facts.blocks() * 512;
        }
    }
    held
}

fn held_below(dir: &Path, total: &mut Held) -> u64 {
    let below = held(dir);
    total.files += below.files;
    total.bytes += below.bytes;
    total.disk_bytes += below.disk_bytes;
    below.dirs
}

impl Years {
    fn new(jobs_a_day: u64, keys: bool) -> Years {
        let user = User::in_memory();
        let kb = |n: u64| format!("  doc{n}: {{ path: ~/doc{n}.md }}\n");
        let kbs: String = (0..DOCUMENTS).map(kb).collect();
        user.configure(&format!("version: 1\nknowledge_bases:\n{kbs}session_bootstrap: [doc0]\n"));
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
        // A run clears away 500 receipts at most, as once a minute: enough runs for as many as there are, and some more.
        let runs_a_day = jobs_a_day.div_ceil(500) + 2;
        Years { user, began_ms: u64::try_from(now).unwrap(), jobs_a_day, runs_a_day, keys }
    }

    fn run(&self, day: u64, part: u64, args: &[&str], stdin: Option<String>) {
        let at = self.began_ms + day * DAY_MS + part * (DAY_MS / (self.runs_a_day + 2));
        let mut command = self.user.command(args);
        command.env("LAST_WORD_CLOCK", format!("{at}x1")).stdout(Stdio::null()).stderr(Stdio::piped());
        command.stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn().unwrap();
        if let Some(text) = stdin {
            use std::io::Write;
            child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        }
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// A day's declarations, in parts that one input may hold, and the runs that merge them.
    fn live(&self, day: u64) {
        // Jobs with keys have files of their own; without, a session says some for one document after another.
        let together = if self.keys { 1 } else { 25 };
        let line = |n: u64| {
            let (doc, heading) = (n / together % DOCUMENTS, n / DOCUMENTS % 20);
            let entry = json!({ "key": { "kb": format!("doc{doc}"), "heading": format!("Part {heading}") },
                "operation": "update", "content": format!("- as of day {day}, job {n}: {}", "what was learned ".repeat(12)),
                "meta": { "reason": "discussed", "confidence": 0.9 } });
            format!(
                "{}\n",
                json!({ "version": "1.0.0", "source": format!("session-{day}"), "entries": [entry] })
            )
        };
        for (part, first) in (0..self.jobs_a_day).step_by(500).enumerate() {
            let text: String = (first..self.jobs_a_day.min(first + 500)).map(line).collect();
            let key = format!("{day}-{part}");
            let mut args = vec!["enqueue", "-", "--agent", "codex", "--session", &key];
            if self.keys {
                args.extend(["--key", &key]);
            }
            self.run(day, 0, &args, Some(text));
        }
        for part in 1..=self.runs_a_day {
            self.run(day, part, &["work"], None);
        }
    }
}

#[test]
fn ninety_days_leave_a_home_that_does_not_grow() {
    let asked = std::env::var("LAST_WORD_JOBS_A_DAY").ok().and_then(|text| text.parse().ok());
    let keys = std::env::var("LAST_WORD_KEYS").map_or(true, |said| said != "no");
    let years = Years::new(asked.unwrap_or(40), keys);
    println!(" day      part | directories files KiB KiB-on-disk");
    let mut at_forty = [Held::default(); PARTS.len()];
    for day in 0..DAYS {
        years.live(day);
        for (at, part) in PARTS.iter().enumerate() {
            let found = held(&years.user.home().join(part));
            if day == 40 {
                at_forty[at] = found;
            }
            if (day + 1) % 15 == 0 {
                let Held { dirs, files, bytes, disk_bytes } = found;
                println!("{:>4} {part:>9} | {dirs} {files} {} {}", day + 1, bytes >> 10, disk_bytes >> 10);
            }
        }
    }
    let [done, keys_kept, receipts, journal, history, locks, _] =
        PARTS.map(|part| held(&years.user.home().join(part)));
    // Thirty whole days, the one that is not yet thirty days over, and today.
    assert!(done.dirs <= 32, "{} days of receipts", done.dirs);
    assert!(done.files <= 32 * years.jobs_a_day, "{} receipts", done.files);
    assert!(!keys || done.files >= 30 * years.jobs_a_day, "{} receipts", done.files);
    assert!(keys_kept.files <= 32 * years.jobs_a_day, "{} keys", keys_kept.files);
    assert!(receipts.dirs <= 32 && receipts.files > 0, "{} days of receipts of batches", receipts.dirs);
    assert!(journal.files <= 92, "{} days of the journal", journal.files);
    // Per document: five texts, the one before, the log.
    assert!(history.files <= DOCUMENTS * 7, "{} files of history", history.files);
    assert!(history.bytes <= DOCUMENTS * (17 << 20), "{} bytes of history", history.bytes);
    assert!(locks.files < 400, "{} locks", locks.files);
    // From day 40 on nothing of what is kept by days grows.
    assert!(
        done.files <= at_forty[0].files + years.jobs_a_day
            && keys_kept.files <= at_forty[1].files + years.jobs_a_day
    );
    years.user.assert_clean();
}
