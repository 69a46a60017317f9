//! Databases that their program is at work on: what it has committed is read, and nothing is changed, made or locked.

#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes its files itself

use adopt::{FoundMemories, MemoryStore, MemorySystem};
use durable::RealDisk;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const HISTORY: &str = "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, new_memory TEXT, event TEXT, updated_at TEXT);";

fn add(db: &Connection, id: &str, said: &str) {
    let sql = "INSERT INTO history VALUES (?1, ?1, ?2, 'ADD', '2026-11-22T16:20:28+00:00')";
    db.execute(sql, [id, said]).unwrap();
}

/// A home directory with a database of mem0, open in write-ahead mode, as a running program has it.
fn live(dir: &Path) -> Connection {
    fs::create_dir_all(dir.join(".mem0")).unwrap();
    let db = Connection::open(dir.join(".mem0/history.db")).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    db.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    db.execute_batch(HISTORY).unwrap();
    db
}

fn read(home: &Path) -> FoundMemories {
    let store =
        MemoryStore { disk: &RealDisk::new(), home, project: None, within: None, variable: &|_| None };
    MemorySystem::named("mem0").unwrap().read(&store)
}

fn texts(found: &FoundMemories) -> Vec<&str> {
    let mut texts: Vec<&str> = found.entries.iter().map(|entry| entry.text.as_str()).collect();
    texts.sort_unstable();
    texts
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir.join(".mem0")).unwrap().map(|entry| entry.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

#[test]
fn what_stands_in_the_log_only_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let db = live(dir.path());
    add(&db, "a", "one");
    db.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    add(&db, "b", "two");
    let many = "long ".repeat(2_000);
    add(&db, "c", &many);
    let before = files(dir.path());
    assert!(before.contains_key("history.db-wal"));
    let found = read(dir.path());
    assert_eq!(texts(&found), [many.trim(), "one", "two"], "{:?}", found.left_out);
    assert_eq!(files(dir.path()), before);
    db.execute("DELETE FROM history", []).unwrap();
    assert!(read(dir.path()).entries.is_empty());
}

#[test]
fn a_transaction_that_has_not_ended_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let db = live(dir.path());
    add(&db, "a", "one");
    // So little memory for pages that they are written to the log before the end.
    db.pragma_update(None, "cache_size", 1).unwrap();
    db.execute_batch("BEGIN").unwrap();
    for n in 0..200 {
        add(&db, &format!("n{n}"), &format!("{n} {}", "x".repeat(1_000)));
    }
    assert!(files(dir.path())["history.db-wal"].len() > 100_000, "nothing was written before the end");
    assert_eq!(texts(&read(dir.path())), ["one"]);
    db.execute_batch("COMMIT").unwrap();
    assert_eq!(read(dir.path()).entries.len(), 201);
}

#[test]
fn a_torn_or_older_log_counts_as_far_as_its_sums_hold() {
    let dir = tempfile::tempdir().unwrap();
    let db = live(dir.path());
    add(&db, "a", "one");
    let one = files(dir.path());
    add(&db, "b", "two");
    let two = files(dir.path());
    drop(db);
    let log = dir.path().join(".mem0/history.db-wal");
    fs::write(dir.path().join(".mem0/history.db"), &two["history.db"]).unwrap();
    let wal = &two["history.db-wal"];
    for (cut, wanted) in
        [(wal.len(), vec!["one", "two"]), (wal.len() - 1, vec!["one"]), (31, vec![]), (0, vec![])]
    {
        fs::write(&log, &wal[..cut]).unwrap();
        let found = read(dir.path());
        assert_eq!(texts(&found), wanted, "{cut}");
    }
    let mut flipped = wal.clone();
    let at = one["history.db-wal"].len() + 30;
    flipped[at] ^= 1;
    fs::write(&log, &flipped).unwrap();
    assert_eq!(texts(&read(dir.path())), ["one"], "a page with a flipped bit");
}

#[test]
fn of_a_noisy_store_decisions_and_facts_come_first_and_the_rest_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(".claude-mem")).unwrap();
    let db = Connection::open(dir.path().join(".claude-mem/claude-mem.db")).unwrap();
    // An older release: it has no `content_hash` and no `merged_into_project`.
    db.execute_batch(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, type TEXT, title TEXT, facts TEXT, created_at TEXT);
         CREATE TABLE user_prompts (prompt_text TEXT); BEGIN",
    )
    .unwrap();
    let word = |n: usize| ["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op", "qr", "st"][n % 10];
    let name = |n: usize| [word(n / 100), word(n / 10), word(n)].concat();
    for n in 0..1_000 {
        let sort = if n % 100 == 0 { "decision" } else { "change" };
        let day = format!("2026-{:02}-{:02}T09:00:00.000Z", n / 100 + 1, n % 28 + 1);
        let facts = if n % 10 == 0 { format!("[\"the fact is {}\"]", name(n)) } else { "[]".to_owned() };
        db.execute(
            "INSERT INTO observations VALUES (?1, 's', 'tidepool', ?2, ?3, ?4, ?5)",
            rusqlite::params![n as i64, sort, format!("the title is {}", name(n)), facts, day],
        )
        .unwrap();
    }
    db.execute_batch("COMMIT; INSERT INTO user_prompts SELECT 'asked ' || id FROM observations").unwrap();
    let store = MemoryStore {
        disk: &RealDisk::new(),
        home: dir.path(),
        project: None,
        within: None,
        variable: &|_| None,
    };
    let found = MemorySystem::named("claude-mem").unwrap().read(&store);
    let told: Vec<&str> = found.left_out.iter().map(|left| left.what.as_str()).collect();
    assert_eq!((told.len(), told[0], told[20]), (21, "asked 999", "980 more"));
    let mut folded = adopt::fold(vec![found]);
    folded.cap();
    assert_eq!((folded.proposals.len(), folded.beyond["claude_mem"]), (200, 900));
    let lines: Vec<String> = folded.proposals.iter().map(adopt::Proposal::line).collect();
    let of = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!((of("[W] the title"), of("[W] the fact"), of("[B] the title")), (10, 100, 90));
    assert!(
        lines.contains(&format!("[B] the title is {} #tidepool", name(999))),
        "the newest of what was done"
    );
    assert!(!lines.contains(&format!("[B] the title is {} #tidepool", name(1))));
}

#[test]
fn what_is_no_database_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(".mem0")).unwrap();
    let path = dir.path().join(".mem0/history.db");
    for bytes in [&b""[..], b"SQLite format 3\0", &[b'x'; 4096], &[0; 100]] {
        fs::write(&path, bytes).unwrap();
        let found = read(dir.path());
        assert!(found.entries.is_empty());
        assert_eq!(found.left_out[0].why, "it is no database that can be read");
    }
    // A view that never ends is no table.
    fs::remove_file(&path).unwrap();
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "CREATE VIEW history AS WITH RECURSIVE n(memory_id) AS (SELECT 1 UNION ALL SELECT memory_id FROM n) SELECT memory_id FROM n",
    )
    .unwrap();
    drop(db);
    let found = read(dir.path());
    assert_eq!(found.left_out[0].why, "it has no table `history`");
}

#[test]
fn a_column_that_is_computed_is_not_asked() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(".mem0")).unwrap();
    let db = Connection::open(dir.path().join(".mem0/history.db")).unwrap();
    db.execute_batch(
        "CREATE TABLE history (id TEXT, memory_id TEXT, n INTEGER, new_memory TEXT AS (hex(zeroblob(n))), event TEXT, updated_at TEXT);
         INSERT INTO history (id, memory_id, n, event, updated_at) VALUES ('1', '1', 40, 'ADD', '2026-11-22T16:20:28+00:00');",
    )
    .unwrap();
    drop(db);
    let found = read(dir.path());
    assert!(found.entries.is_empty());
    assert_eq!(found.left_out[0].why, "it has no table `history`");
}

#[test]
fn a_database_that_is_being_written_to_in_place_waits() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(".mem0")).unwrap();
    let db = Connection::open(dir.path().join(".mem0/history.db")).unwrap();
    db.execute_batch(HISTORY).unwrap();
    db.pragma_update(None, "cache_size", 1).unwrap();
    db.execute_batch("BEGIN").unwrap();
    add(&db, "a", "one");
    assert!(read(dir.path()).left_out.is_empty(), "its pages are untouched as yet");
    for n in 0..200 {
        add(&db, &format!("n{n}"), &format!("{n} {}", "x".repeat(1_000)));
    }
    let found = read(dir.path());
    assert_eq!(found.left_out[0].why, "its program was writing to it; run it again");
    assert!(found.entries.is_empty());
    db.execute_batch("COMMIT").unwrap();
    assert_eq!(read(dir.path()).entries.len(), 201);
}
