//! Many producers and workers at once, killed at random: every job's effect exactly once, order per producer kept,
//! nothing left anywhere else.

use crate::support::User;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const PRODUCERS: usize = 16;
const JOBS_EACH: usize = 50;

/// What some producers say in one call, and so in one file.
const SAID_AT_ONCE: usize = 5;

/// One producer: a hook that fires again and again, each time in a process of its own.
fn produce(user: &User, producer: usize) {
    let lines: Vec<String> = (0..JOBS_EACH).map(|n| format!("- p{producer:02} n{n:03}")).collect();
    if producer.is_multiple_of(2) {
        for line in &lines {
            user.run(["enqueue", "--to", "notes", "--heading", "Log", "--op", "append", "--content", line])
                .ok();
        }
        return;
    }
    for lines in lines.chunks(SAID_AT_ONCE) {
        let declared: Vec<String> = lines.iter().map(|line| format!(
            r#"{{"version":"1.0.0","entries":[{{"key":{{"kb":"notes","heading":"Log"}},"operation":"append","content":"{line}"}}]}}"#
        )).collect();
        user.run_with(["enqueue", "-"], declared.join("\n").as_bytes()).ok();
    }
}

/// Every line there exactly once, and the lines of each producer in their order.
fn assert_complete(document: &Path) {
    let text = fs::read_to_string(document).unwrap();
    let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("- p")) {
        let (producer, n) = line.split_once(" n").unwrap();
        seen.entry(producer).or_default().push(n);
    }
    assert_eq!(seen.len(), PRODUCERS);
    let expected: Vec<String> = (0..JOBS_EACH).map(|n| format!("{n:03}")).collect();
    for (producer, lines) in seen {
        assert_eq!(lines, expected, "producer {producer}");
    }
}

fn assert_settled(user: &User) {
    assert_eq!(user.counts(), [0, 0, 0, 0, 0, PRODUCERS * JOBS_EACH]);
    user.assert_clean();
    let beside: Vec<_> = fs::read_dir(user.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!beside.iter().any(|name| name.to_string_lossy().contains("last-word-")), "{beside:?}");
}

#[test]
fn sixteen_producers_and_two_workers() {
    let user = User::new();
    let document = user.with_notes();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    user.run(["work", "--join"]).ok();
                }
            });
        }
        let producers: Vec<_> = (0..PRODUCERS)
            .map(|p| {
                scope.spawn({
                    let user = &user;
                    move || produce(user, p)
                })
            })
            .collect();
        producers.into_iter().for_each(|producer| producer.join().unwrap());
        done.store(true, Ordering::SeqCst);
    });
    user.run(["work"]).ok();
    assert_complete(&document);
    assert_settled(&user);
}

#[test]
fn the_same_with_workers_killed_until_the_queue_drains() {
    let user = User::new();
    let document = user.with_notes();
    // What is kept of the configuration is written by the first that reads it: who dies of it leaves its draft, which the next one
    // that writes it takes away, and none would.
    user.run(["work"]).ok();
    let producing = AtomicBool::new(true);
    let mut kills = 0_u64;
    std::thread::scope(|scope| {
        let producers: Vec<_> = (0..PRODUCERS)
            .map(|p| {
                scope.spawn({
                    let user = &user;
                    move || produce(user, p)
                })
            })
            .collect();
        scope.spawn(|| {
            producers.into_iter().for_each(|producer| producer.join().unwrap());
            producing.store(false, Ordering::SeqCst);
        });
        let mut older: Child = user.start(["work", "--join"]);
        while producing.load(Ordering::SeqCst) || user.counts()[..3] != [0, 0, 0] {
            let younger = user.start(["work", "--join"]);
            // The killer's clock, not a wait for anything: every 50 ms the older of two workers dies. On a machine so
            // busy that nobody gets anything done in that time, the killer tires. On a quick one, where a worker ends within
            // that time, the first is hit sooner.
            std::thread::sleep(Duration::from_millis(if kills == 0 { 5 } else { 50 + kills / 8 }));
            older.kill().unwrap();
            kills += u64::from(!older.wait().unwrap().success());
            older = younger;
        }
        older.wait().unwrap();
    });
    println!("{kills} workers were killed at work");
    assert!(kills > 0, "the killer hit nobody: the test proves nothing");
    // Poison is a verdict on jobs that kill workers; here the killer is to blame, and an operator says so.
    user.run(["work"]).ok();
    let poisoned = user.counts()[3];
    println!("{poisoned} jobs were found guilty");
    while user.counts()[3] > 0 {
        user.run(["resolve", "--all", "--retry"]).ok();
        user.run(["work"]).ok();
    }
    if poisoned == 0 {
        assert_complete(&document);
    } else {
        // A job that ended in staging let the others pass: only its own place in the order is lost.
        let text = fs::read_to_string(&document).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("- p")).count(), PRODUCERS * JOBS_EACH);
    }
    assert_settled(&user);
}

/// A hook that is killed as it fires, and fires again with the same key: was it durable or not, it is done once.
fn produce_killed(user: &User, producer: usize) -> usize {
    let mut kills = 0;
    for n in 0..JOBS_EACH {
        let (line, key) = (format!("- p{producer:02} n{n:03}"), format!("p{producer}-{n}"));
        let args = [
            "enqueue",
            "--to",
            "notes",
            "--heading",
            "Log",
            "--op",
            "append",
            "--content",
            &line,
            "--key",
            &key,
        ];
        // The killer's clock: from before it has begun to long after it is done.
        let mut hook = user.start(args);
        std::thread::sleep(Duration::from_micros((n as u64 * 397 + producer as u64 * 131) % 12_000));
        hook.kill().unwrap();
        kills += usize::from(!hook.wait().unwrap().success());
        user.run(args).ok();
    }
    kills
}

#[test]
fn producers_and_workers_killed() {
    let user = User::new();
    let document = user.with_notes();
    let (producing, mut worker_kills) = (AtomicBool::new(true), 0);
    let producer_kills: usize = std::thread::scope(|scope| {
        let producers: Vec<_> = (0..PRODUCERS)
            .map(|p| {
                scope.spawn({
                    let user = &user;
                    move || produce_killed(user, p)
                })
            })
            .collect();
        let counted = scope.spawn(|| {
            let kills = producers.into_iter().map(|producer| producer.join().unwrap()).sum();
            producing.store(false, Ordering::SeqCst);
            kills
        });
        while producing.load(Ordering::SeqCst) {
            let mut worker = user.start(["work", "--join"]);
            std::thread::sleep(Duration::from_millis(50));
            worker.kill().unwrap();
            worker_kills += usize::from(!worker.wait().unwrap().success());
        }
        counted.join().unwrap()
    });
    println!("{producer_kills} producers and {worker_kills} workers were killed at work");
    assert!(producer_kills > 0, "the killer hit nobody: the test proves nothing");
    user.run(["work"]).ok();
    while user.counts()[3] > 0 {
        // Poison is a verdict on jobs that kill workers; here the killer is to blame.
        user.run(["resolve", "--all", "--retry"]).ok();
        user.run(["work"]).ok();
    }
    let text = fs::read_to_string(&document).unwrap();
    for line in (0..PRODUCERS).flat_map(|p| (0..JOBS_EACH).map(move |n| format!("- p{p:02} n{n:03}\n"))) {
        assert_eq!(text.matches(&line).count(), 1, "{line}");
    }
    let [pending, deferred, processing, failed, review, done] = user.counts();
    assert_eq!([pending, deferred, processing, failed, review, done], [0, 0, 0, 0, 0, PRODUCERS * JOBS_EACH]);
    assert_eq!(user.files("processing"), Vec::<String>::new());
    // What a killed hook left half-written is in `tmp/`, where nobody reads; it is swept when it is an hour old.
    assert!(user.files("tmp").len() <= producer_kills);
}
