//! `metrics`: what is counted is what happened, the names are those of docs/METRICS.md, and each run leaves the file.

use crate::support::User;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The value of a sample, by its name and labels.
#[track_caller]
fn value(text: &str, sample: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{sample} ")));
    line.unwrap_or_else(|| panic!("no {sample} in:\n{text}")).parse().unwrap()
}

#[test]
fn what_is_counted_is_what_happened() {
    let user = User::new();
    user.with_notes();
    let enqueue = [
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "Log",
        "--op",
        "append",
        "--key",
        "k",
        "--content",
        "- one",
    ];
    user.run(enqueue).ok();
    user.run(enqueue).ok();
    user.run([
        "enqueue",
        "--to",
        "notes",
        "--heading",
        "Nowhere",
        "--op",
        "replace",
        "--old-text",
        "a",
        "--content",
        "b",
    ])
    .ok();
    let before = user.run(["metrics"]).ok();
    assert_eq!(value(&before, "last_word_jobs{state=\"pending\"}") as u64, user.counts()[0] as u64);
    assert_eq!(value(&before, "last_word_last_success_timestamp_seconds") as u64, 0);
    user.run(["work"]).ok();
    let held = user.note("Log", "append", "- two");
    user.run(["hold", &held]).ok();
    let after = user.run(["metrics"]).ok();
    let [.., failed, _, done] = user.counts();
    let of =
        |outcome: &str| value(&after, &format!("last_word_jobs_total{{outcome=\"{outcome}\"}}")) as usize;
    assert_eq!((of("applied") + of("unchanged"), of("failed")), (done, failed));
    assert!(of("applied") > 0 && failed > 0);
    assert_eq!(value(&after, "last_word_duplicates_total") as u64, 1);
    assert_eq!(value(&after, "last_word_runs_total{result=\"ok\"}") as u64, 1);
    assert_eq!(value(&after, "last_word_merge_duration_seconds_count") as u64, 1);
    assert_eq!(
        (value(&after, "last_word_held") as u64, value(&after, "last_word_blocked_documents") as u64),
        (1, 1)
    );
    assert_eq!(
        (value(&after, "last_word_needs_somebody") as u64, value(&after, "last_word_watching") as u64),
        (1, 0)
    );
    assert!(value(&after, "last_word_fsyncs_total") > 0.0);
    assert!(value(&after, "last_word_last_success_timestamp_seconds") > 1e9);
}

#[test]
fn trouble_of_the_machine_is_counted_once_it_is_over() {
    if !crate::support::has_crash_points() {
        return;
    }
    let user = User::new();
    user.with_notes();
    user.note("Log", "append", "- one");
    // The eighth change of the run is the claim; what follows it works again.
    let said = user.command(["work"]).env("LAST_WORD_TROUBLE", "fail=8:28").output().unwrap();
    assert_eq!(said.status.code(), Some(1), "{}", String::from_utf8_lossy(&said.stderr));
    user.run(["work"]).ok();
    let text = user.run(["metrics"]).ok();
    assert_eq!(value(&text, "last_word_runs_total{result=\"trouble\"}") as u64, 1);
    assert_eq!(value(&text, "last_word_runs_total{result=\"ok\"}") as u64, 1);
}

#[test]
fn each_run_leaves_the_file_and_others_may_read_it() {
    let user = User::new();
    let path = user.root().join("last-word.prom");
    user.configure("version: 1\nmetrics: { textfile: ~/last-word.prom }\n");
    for runs in 1..=2 {
        user.run(["work"]).ok();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(value(&text, "last_word_runs_total{result=\"ok\"}") as u64, runs);
        assert!(text.ends_with('\n'));
    }
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    let left: Vec<_> = fs::read_dir(user.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "the file and .config, nothing half-written: {left:?}");
    // A directory that is not there is said, and is no failure of the run.
    user.configure("version: 1\nmetrics: { textfile: ~/nowhere/last-word.prom }\n");
    let said = user.run(["work"]);
    assert!(said.code == Some(0) && said.stderr.contains("nowhere"), "{}", said.stderr);
    user.configure("version: 1\nmetrics: { textfile: last-word.txt }\n");
    let said = user.run(["validate"]);
    assert!(said.code != Some(0) && said.stdout.contains("metrics.textfile"), "{}", said.stdout);
}

/// Every `last_word_…` in a text; the parts of a histogram are one name.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let ours = words.filter(|word| word.starts_with("last_word_"));
    let whole = |word: &str| {
        let parts = ["_bucket", "_sum", "_count"];
        parts.iter().find_map(|part| word.strip_suffix(part)).unwrap_or(word).to_owned()
    };
    ours.map(whole).collect()
}

#[test]
fn the_names_are_those_that_are_documented() {
    let user = User::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let read = |name: &str| fs::read_to_string(docs.join(name)).unwrap();
    let printed = names(&user.run(["metrics"]).ok());
    assert!(printed.len() > 10);
    assert_eq!(names(&read("METRICS.md")), printed);
    for name in ["prometheus/alerts.yaml", "prometheus/dashboard.json"] {
        let unknown: Vec<_> = names(&read(name)).difference(&printed).cloned().collect();
        assert_eq!(unknown, [""; 0], "{name}");
    }
    serde_json::from_str::<serde_json::Value>(&read("prometheus/dashboard.json")).unwrap();
    serde_yaml::from_str::<serde_json::Value>(&read("prometheus/alerts.yaml")).unwrap();
}
