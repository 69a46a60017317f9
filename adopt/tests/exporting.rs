//! What is exported is read back as the same items, in every format.

#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes its files itself

use adopt::{ExportFormat, ExportedItem, MemoryStore, SYSTEMS, export, fold, plain};
use durable::RealDisk;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn write(dir: &Path, files: &[(String, String)]) {
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Line and moment of everything that an adoption from this folder would take over.
fn adopted(dir: &Path) -> BTreeSet<(String, String, Option<String>)> {
    let store = MemoryStore {
        disk: &RealDisk::new(),
        home: dir,
        project: Some(dir),
        within: None,
        variable: &|_| None,
    };
    let folded = fold(SYSTEMS.iter().map(|system| system.read(&store)).collect());
    assert!(folded.left_out.is_empty(), "{:?}", folded.left_out);
    let proposals = folded.proposals.iter();
    proposals.map(|p| (p.line(), p.said_at(), p.entry.confidence.map(|sure| sure.to_string()))).collect()
}

/// The same of items, as far as a format can say it.
fn said(items: &[ExportedItem], format: ExportFormat) -> BTreeSet<(String, String, Option<String>)> {
    let all = format == ExportFormat::Jsonl;
    let items = items.iter().map(|item| {
        let kind = item.kind.as_ref().map_or_else(String::new, |kind| format!("[{kind}] "));
        let date = item.date.clone().unwrap_or_default();
        let date = if all { date } else { date.chars().take(10).collect() };
        (format!("{kind}{}", item.text), date, item.confidence.filter(|_| all).map(|sure| sure.to_string()))
    });
    items.collect()
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{1,8}",
        2 => "[潮汐港口预测服务端]{1,5}",
        1 => Just("`cargo test`".to_owned()),
        1 => Just("[link](a.md)".to_owned()),
        1 => Just("@docs/a.md".to_owned()),
        1 => Just("(2026-01-01)".to_owned()),
        1 => Just("**bold**".to_owned()),
        1 => Just("a|b".to_owned()),
        1 => Just("—".to_owned()),
        1 => "#[a-z]{2,6}",
        1 => "[0-9]{1,4}",
    ]
}

fn item() -> impl Strategy<Value = ExportedItem> {
    let kind = prop_oneof![Just(None), prop_oneof!["W", "B", "O", "E", "decision", "todo"].prop_map(Some),];
    let date = prop_oneof![
        Just(None),
        (1..=12_u8, 1..=28_u8).prop_map(|(month, day)| Some(format!("2026-{month:02}-{day:02}"))),
        (1..=28_u8).prop_map(|day| Some(format!("2026-02-{day:02}T14:30+08:00"))),
    ];
    let text = ("[a-z]{2,6}", prop::collection::vec(word(), 0..6));
    let sure = prop::option::of((0..=100_u8).prop_map(|sure| f64::from(sure) / 100.0));
    (kind, text, date, sure).prop_map(|(kind, (first, words), date, confidence)| ExportedItem {
        kind,
        text: [vec![first], words].concat().join(" "),
        date,
        confidence,
        ..ExportedItem::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn an_adoption_of_an_export_gives_the_same_items(items in prop::collection::vec(item(), 1..12)) {
        // What says the same is one item in a home, too.
        let mut texts = BTreeSet::new();
        let items: Vec<ExportedItem> = items.into_iter().filter(|item| texts.insert(plain(&item.text))).collect();
        for (name, format) in ExportFormat::NAMES {
            let dir = tempfile::tempdir().unwrap();
            write(dir.path(), &export(&items, format));
            prop_assert_eq!(adopted(dir.path()), said(&items, format), "{}", name);
        }
    }
}

#[test]
fn an_export_reads_well() {
    let item = |kind: &str, text: &str, date: &str| ExportedItem {
        kind: Some(kind.to_owned()).filter(|kind| !kind.is_empty()),
        text: text.to_owned(),
        date: Some(date.to_owned()).filter(|date| !date.is_empty()),
        ..ExportedItem::default()
    };
    let items =
        [item("O", "tea #a", "2026-02-16T14:30+08:00"), item("", "plants", ""), item("W", "x", "2026-01-02")];
    let days = "<!-- exported by last-word -->\n\n## 2026-01-02\n\n- [W] x\n\n## 2026-02-16\n\n- [O] tea #a\n\n## Undated\n\n- plants\n";
    let claude = export(&items, ExportFormat::Claude);
    assert_eq!(claude, [("CLAUDE.md".to_owned(), format!("# Memory\n\n{days}"))]);
    assert_eq!(export(&items, ExportFormat::AgentsMd)[0], ("AGENTS.md".to_owned(), claude[0].1.clone()));
    let notes = export(&items, ExportFormat::BasicMemory);
    let names: Vec<&str> = notes.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = ["memory-2026-01.md", "memory-2026-02.md", "memory-undated.md"];
    assert_eq!(names, wanted.map(|name| format!("basic-memory/{name}")));
    assert!(notes[1].1.starts_with("---\ntitle: Memory 2026-02\ntype: note\n---\n"));
    let lines = &export(&items, ExportFormat::Jsonl)[0].1;
    assert_eq!(lines.lines().nth(1), Some("{\"text\":\"plants\"}"));
    assert!(export(&[], ExportFormat::Claude).is_empty());
}

/// An item of ours is taken over however long it is; another system's text of that length is none.
#[test]
fn a_long_item_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let text = "word ".repeat(500).trim_end().to_owned();
    let item = ExportedItem { text: text.clone(), ..ExportedItem::default() };
    write(dir.path(), &export(std::slice::from_ref(&item), ExportFormat::Jsonl));
    assert_eq!(adopted(dir.path()), said(&[item], ExportFormat::Jsonl));
}
