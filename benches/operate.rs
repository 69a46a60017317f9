//! How long an operator waits: `status`, `list`, `show` and `why` with 100,000 jobs on disk, each beside a plain listing of
//! the same tree. `cargo bench --bench operate`, or `… -- 10000` for fewer jobs. Writes into a temporary directory.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use queue_layout::{DocKey, DocumentRef, Draft, Layout, Producer};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 15;
const DOCUMENTS: usize = 5;
const DAYS: usize = 10;
const CODES: [&str; 5] = ["ambiguous", "over_budget", "conflict", "section_missing", "read_only"];

fn main() {
    let jobs = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(100_000);
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let ids = build(dir.path(), &home, jobs);
    let pending = ids.pending.as_str();
    let cases: [(&str, Vec<&str>); 9] = [
        ("status", vec!["status"]),
        ("status --check", vec!["status", "--check"]),
        ("list, first page", vec!["list"]),
        ("list --sort newest", vec!["list", "--sort", "newest"]),
        ("list failed", vec!["list", "failed"]),
        ("show, pending", vec!["show", pending]),
        ("show, done", vec!["show", &ids.done]),
        ("show, beginning of an id", vec!["show", &pending[..18]]),
        ("why, pending", vec!["why", pending]),
    ];
    let listing = median(|| {
        let mut command = Command::new("ls");
        command.args(["-f", "-R"]).arg(&home);
        command
    });
    println!("{jobs} jobs; median of {RUNS} runs, start of the process included\n");
    println!("{:<28} {:>9}  ratio to the listing", "", "ms");
    println!("{:<28} {:>9.1}  1.00", "plain listing (ls -fR)", ms(listing));
    for (name, args) in cases {
        let took = median(|| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_last-word"));
            command.args(&args).env("LAST_WORD_HOME", &home).env("HOME", dir.path());
            command
        });
        println!("{name:<28} {:>9.1}  {:.2}", ms(took), took.as_secs_f64() / listing.as_secs_f64());
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(command: impl Fn() -> Command) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            let status = command().stdout(Stdio::null()).status().unwrap();
            // 4 of `status --check` is an answer as well.
            assert!(matches!(status.code(), Some(0 | 4)), "{status}");
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}

struct Ids {
    pending: String,
    done: String,
}

/// 40 in a hundred are pending, one is deferred, three in a thousand failed, the rest ended on the last ten days. The
/// files are written by hand, without a sync: a hundred thousand of those would take a while.
fn build(root: &Path, home: &Path, jobs: usize) -> Ids {
    let disk = durable::RealDisk::new();
    let layout = Layout::new(home);
    layout.create(&disk).unwrap();
    let paths: Vec<_> = (0..DOCUMENTS).map(|n| root.join(format!("document-{n}.md"))).collect();
    let kbs: Vec<String> = paths
        .iter()
        .enumerate()
        .map(|(n, path)| format!("  d{n}: {{ path: {} }}\n", path.display()))
        .collect();
    fs::write(
        home.join("config.yaml"),
        format!("version: 1\nknowledge_bases:\n{}session_bootstrap: [d0]\n", kbs.concat()),
    )
    .unwrap();
    // The jobs that are done were merged by somebody, who locked their documents.
    let documents = documents::Documents::new(std::sync::Arc::new(disk), layout.history(), layout.locks());
    for path in &paths {
        fs::write(path, "# Document\n\n## Log\n\n- one\n").unwrap();
        documents.try_lock(&documents.find(path).unwrap()).unwrap();
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = declaration::Timestamp(u64::try_from(now.as_millis()).unwrap());
    let sample = sample(&paths, now);
    let id = |n: usize| {
        let millis = now.millis() - jobs as u64 + n as u64;
        format!("{:08x}-{:04x}-7000-8000-{n:012x}", millis >> 16, millis & 0xffff)
    };
    let (pending, deferred, failed) = (jobs * 40 / 100, jobs / 100, jobs * 3 / 1000);
    let mut ids = Ids { pending: String::new(), done: String::new() };
    for n in 0..jobs {
        let (id, document) = (id(n), n % DOCUMENTS);
        let (doc, text) = &sample[document];
        let text = text.replace("<id>", &id);
        let path = if n < failed {
            let code = CODES[n % CODES.len()];
            let head = format!(
                "# last-word: this job failed.\n# next: last-word resolve {id}\njob:\n  error:\n    code: {code}\n    message: for the bench\n"
            );
            let rest =
                serde_yaml::to_string(&serde_json::from_str::<serde_json::Value>(&text).unwrap()).unwrap();
            let name = home.join(format!("staging/failed/{}-{id}.yaml", now.compact()));
            fs::write(name, head + rest.strip_prefix("job:\n").unwrap_or(&rest)).unwrap();
            continue;
        } else if n < failed + deferred {
            home.join(format!("deferred/{:015}~{id}~{doc}~0.json", now.millis() + 600_000))
        } else if n < failed + deferred + pending {
            ids.pending.clone_from(&id);
            home.join(format!("pending/{id}~{doc}~0.json"))
        } else {
            let day = declaration::Timestamp(now.millis() - (n % DAYS) as u64 * 86_400_000).day();
            fs::create_dir_all(home.join("done").join(&day)).unwrap();
            ids.done.clone_from(&id);
            home.join(format!("done/{day}/{id}.json"))
        };
        fs::write(path, text).unwrap();
    }
    ids
}

/// The name's hint and the bytes of a job for each document, as the queue itself writes them.
fn sample(paths: &[std::path::PathBuf], now: declaration::Timestamp) -> Vec<(String, String)> {
    let of = |(n, path): (usize, &std::path::PathBuf)| {
        let doc = DocKey::of(path);
        let document = DocumentRef { kb: format!("d{n}"), path: path.clone(), project: None, doc };
        let producer =
            Producer { agent: "codex".to_owned(), session: "s1".to_owned(), ..Producer::default() };
        let entry = declaration::Entry {
            key: declaration::Key {
                target: declaration::Target::Kb(format!("d{n}")),
                heading: vec!["Log".to_owned()],
                level: 2,
            },
            operation: declaration::Operation::Append,
            content: Some("- one more line".to_owned()),
            old_text: None,
            expect: None,
            scope: declaration::Scope::Own,
            create: declaration::Create::Section,
            base: None,
            meta: declaration::Meta::default(),
        };
        let job = Draft { document, entries: vec![entry], source: "bench".to_owned(), producer, key: None }
            .into_job(now);
        let text = String::from_utf8(job.to_json(None).unwrap()).unwrap();
        (doc.to_string(), text.replace(&job.id.to_string(), "<id>"))
    };
    paths.iter().enumerate().map(of).collect()
}
