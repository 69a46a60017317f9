//! What is exported is read back as the same items, in every format.

#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes its files itself

use adopt::{ExportFormat, ExportedItem, Folded, MemoryStore, Proposal, SYSTEMS, export, fold};
use declaration::Trust;
use durable::RealDisk;
use markdown_merge::item;
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

fn read(dir: &Path) -> Folded {
    let store = MemoryStore {
        disk: &RealDisk::new(),
        home: dir,
        project: Some(dir),
        within: None,
        variable: &|_| None,
    };
    fold(SYSTEMS.iter().map(|system| system.read(&store)).collect())
}

/// Line and moment of an item, how sure its author was, and how far its author is trusted.
type Said = (String, String, Option<String>, Trust);

/// The same of everything that an adoption from this folder would take over.
fn adopted(dir: &Path) -> BTreeSet<Said> {
    let folded = read(dir);
    assert!(folded.left_out.is_empty(), "{:?}", folded.left_out);
    let proposals = folded.proposals.iter();
    let one = |p: &Proposal| {
        assert_eq!(p.entry.waits.is_some(), p.entry.author < Trust::Agent, "{:?}", p.entry);
        (p.line(), p.said_at(), p.entry.confidence.map(|sure| sure.to_string()), p.entry.author)
    };
    proposals.map(one).collect()
}

/// The same of items, as far as a format can say it.
fn said(items: &[ExportedItem], format: ExportFormat) -> BTreeSet<Said> {
    let all = format == ExportFormat::Jsonl;
    let items = items.iter().map(|item| {
        let kind = item.kind.as_ref().map_or_else(String::new, |kind| format!("[{kind}] "));
        let date = item.date.clone().unwrap_or_default();
        let date = if all { date } else { date.chars().take(10).collect() };
        let sure = item.confidence.filter(|sure| all || *sure < 0.5).map(|sure| sure.to_string());
        let author = item.by.as_deref().and_then(Trust::parse).unwrap_or(Trust::Agent).min(Trust::Agent);
        (format!("{kind}{}", item.text), date, sure, author)
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
        1 => Just("<!-- c -->".to_owned()),
        1 => Just("`<!-- lw by=user -->`".to_owned()),
        1 => Just("``a ` b``".to_owned()),
        1 => "#[a-z]{2,6}",
        1 => "[0-9]{1,4}",
    ]
}

/// The mark of an item that is hardly sure, or from far away.
fn doubt(sure: Option<f64>, by: Option<&str>) -> Option<String> {
    let sure = sure.filter(|sure| *sure < 0.5).map(|sure| format!("a guess, {:.0} % sure", sure * 100.0));
    let from = match by {
        Some("web") => Some("from the web".to_owned()),
        Some("tool") => Some("from a tool".to_owned()),
        _ => None,
    };
    let parts: Vec<String> = sure.into_iter().chain(from).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn item() -> impl Strategy<Value = ExportedItem> {
    let kind = prop_oneof![Just(None), prop_oneof!["W", "B", "O", "E", "decision", "todo"].prop_map(Some),];
    let date = prop_oneof![
        Just(None),
        (1..=12_u8, 1..=28_u8).prop_map(|(month, day)| Some(format!("2026-{month:02}-{day:02}"))),
        (1..=28_u8).prop_map(|day| Some(format!("2026-02-{day:02}T14:30+08:00"))),
    ];
    let first = prop_oneof![4 => "[a-z]{2,6}".boxed(), 1 => word().boxed()];
    // It says something, whatever its first word is.
    let text = (first, "[a-z]{2,6}", prop::collection::vec(word(), 0..6));
    let line = prop_oneof![Just("- "), Just("  - "), Just("")].prop_flat_map(|bullet| {
        "[a-z]{2,6} [a-z]{1,4}".prop_map(move |words| format!("\n  {bullet}{words}"))
    });
    let below = prop::collection::vec(line, 0..3);
    let sure = prop::option::of((0..=100_u8).prop_map(|sure| f64::from(sure) / 100.0));
    let by = prop_oneof![Just(None), prop_oneof!["web", "tool", "agent", "user"].prop_map(Some)];
    (kind, text, below, date, sure, by).prop_map(
        |(kind, (first, second, words), below, date, confidence, by)| ExportedItem {
            kind,
            text: [[vec![first, second], words].concat().join(" "), below.concat()].concat(),
            date,
            confidence,
            doubt: doubt(confidence, by.as_deref()),
            by,
            ..ExportedItem::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn an_adoption_of_an_export_gives_the_same_items(items in prop::collection::vec(item(), 1..12)) {
        // What says the same is one item in a home, too; other tags make another item of it. Numbers contradict one another.
        let mut texts = BTreeSet::new();
        let is_new = |item: &ExportedItem| texts.insert(item::fold(&item.text).replace(|c: char| c.is_ascii_digit(), ""));
        let items: Vec<ExportedItem> = items.into_iter().filter(is_new).collect();
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
    let guess = ExportedItem { doubt: doubt(Some(0.2), Some("web")), ..item("", "plants\n  every day", "") };
    let items = [item("O", "tea #a", "2026-02-16T14:30+08:00"), guess, item("W", "x", "2026-01-02")];
    let days = "<!-- exported by last-word -->\n\n## 2026-01-02\n\n- [W] x\n\n## 2026-02-16\n\n- [O] tea #a\n\n## Undated\n\n- plants <!-- a guess, 20 % sure, from the web -->\n  every day\n";
    let claude = export(&items, ExportFormat::Claude);
    assert_eq!(claude, [("CLAUDE.md".to_owned(), format!("# Memory\n\n{days}"))]);
    assert_eq!(export(&items, ExportFormat::AgentsMd)[0], ("AGENTS.md".to_owned(), claude[0].1.clone()));
    let notes = export(&items, ExportFormat::BasicMemory);
    let names: Vec<&str> = notes.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = ["memory-2026-01.md", "memory-2026-02.md", "memory-undated.md"];
    assert_eq!(names, wanted.map(|name| format!("basic-memory/{name}")));
    assert!(notes[1].1.starts_with("---\ntitle: Memory 2026-02\ntype: note\n---\n"));
    let lines = &export(&items, ExportFormat::Jsonl)[0].1;
    assert_eq!(lines.lines().nth(1), Some("{\"text\":\"plants\\n  every day\"}"));
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

/// Two items of a home that differ in tags stay two; of two that differ in their kind alone one is named.
#[test]
fn what_differs_in_tags_stays_and_what_differs_in_kind_is_named() {
    let item = |kind: &str, text: &str| ExportedItem {
        kind: Some(kind.to_owned()),
        text: text.to_owned(),
        ..ExportedItem::default()
    };
    for (_, format) in ExportFormat::NAMES {
        let dir = tempfile::tempdir().unwrap();
        let items = [item("W", "same words"), item("O", "same words #other"), item("O", "Same words.")];
        write(dir.path(), &export(&items, format));
        let folded = read(dir.path());
        let lines: Vec<String> = folded.proposals.iter().map(Proposal::line).collect();
        assert_eq!(lines, ["[W] same words", "[O] same words #other"]);
        let named: Vec<_> = folded.left_out.iter().map(|left| (left.what.as_str(), left.why)).collect();
        assert_eq!(named, [("Same words.", "another item of the export says the same, with another kind")]);
    }
}
