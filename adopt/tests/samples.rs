//! Every reader against real stores: `fixtures/adopt/<system>` has the files as their program left them, and `expected.json` says
//! what is to be proposed, what is left out with or without a word, and what must never be shown.

#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes its files itself

use adopt::{About, Folded, FoundMemories, MemoryStore, MemorySystem, Proposal, SYSTEMS, fold};
use durable::RealDisk;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the samples were made.
const MADE_IN: &str = "/home/mei/src/tidepool";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/adopt")
}

fn slug(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Copies a store to where its program keeps it: `dot_x` becomes `.x`, the ending `.sample` is dropped, and Mei's home directory becomes
/// the test's.
fn lay_out(system: &str, home: &Path, project: &Path) {
    for (part, base) in [("home", home), ("project", project)] {
        let top = fixtures().join(system).join(part);
        lay_out_folder(&top, base, home, project);
    }
}

fn lay_out_folder(from: &Path, to: &Path, home: &Path, project: &Path) {
    let Ok(entries) = fs::read_dir(from) else { return };
    fs::create_dir_all(to).unwrap();
    let (home_text, project_text) = (home.to_str().unwrap(), project.to_str().unwrap());
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = name.strip_prefix("dot_").map_or(name.to_owned(), |name| format!(".{name}"));
        let name = name.strip_suffix(".sample").unwrap_or(&name).replace(&slug(MADE_IN), &slug(project_text));
        if path.is_dir() {
            lay_out_folder(&path, &to.join(name), home, project);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let text = text.replace(MADE_IN, project_text).replace(&slug(MADE_IN), &slug(project_text));
        let text = text.replace("/home/mei", home_text);
        match name.strip_suffix(".sql") {
            Some(database) => {
                let database = rusqlite::Connection::open(to.join(database)).unwrap();
                database.execute_batch(&format!("PRAGMA foreign_keys=OFF; BEGIN; {text} COMMIT;")).unwrap();
            }
            None => fs::write(to.join(name), text).unwrap(),
        }
    }
}

/// Every file below a folder, with its bytes.
fn tree(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tree(&path, found);
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

fn plain(text: &str) -> String {
    adopt::plain(text)
}

fn about(proposal: &Proposal) -> String {
    match &proposal.entry.about {
        About::Profile { id, .. } => format!("profile:{id}"),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// Whether a value is the expected one, or one of several. Where a sample expects nothing, every value will do.
fn is_one_of(wanted: &Value, got: &str) -> bool {
    match wanted {
        Value::Null => true,
        Value::Array(several) => several.iter().any(|one| is_one_of(one, got)),
        Value::String(text) => text == got,
        other => *other.to_string() == *got,
    }
}

/// Every difference between what was found and what is expected.
fn differences(expected: &Value, folded: &Folded) -> Vec<String> {
    let mut bad = Vec::new();
    for wanted in expected["propose"].as_array().unwrap() {
        let has = wanted["has"].as_str().unwrap();
        let hits: Vec<&Proposal> =
            folded.proposals.iter().filter(|p| plain(&p.entry.text).contains(&plain(has))).collect();
        if hits.is_empty() {
            bad.push(format!("missing: {has}"));
        }
        if hits.len() > 1 && wanted["many"] != true {
            bad.push(format!("proposed {} times: {has}", hits.len()));
        }
        for hit in hits {
            bad.extend(of_one(wanted, hit).into_iter().map(|why| format!("{why}: {has}")));
        }
    }
    for skip in expected["skip"].as_array().into_iter().flatten() {
        let Some(has) = skip["has"].as_str() else { continue };
        if folded.proposals.iter().any(|p| plain(&p.entry.text).contains(&plain(has))) {
            bad.push(format!("should be left out ({}): {has}", skip["why"]));
        }
        let told = folded.left_out.iter().any(|left| plain(&left.what).contains(&plain(has)));
        if skip["told"] == true && !told {
            bad.push(format!("left out without a word: {has}"));
        }
    }
    let shown = format!(
        "{:?} {:?}",
        folded.proposals.iter().map(|p| &p.entry.text).collect::<Vec<_>>(),
        folded.left_out
    );
    let never = expected["never"].as_array().into_iter().flatten().filter_map(Value::as_str);
    bad.extend(never.filter(|text| shown.contains(text)).map(|text| format!("must never be shown: {text}")));
    bad
}

fn of_one(wanted: &Value, hit: &Proposal) -> Vec<String> {
    let mut bad = Vec::new();
    // Files of a person and of an agent lie side by side: no import is trusted like the person.
    let fields = [("base", about(hit)), ("kind", hit.entry.kind.letter().to_owned())];
    for (field, got) in fields {
        if !is_one_of(&wanted[field], &got) {
            bad.push(format!("{field} is {got}, not {}", wanted[field]));
        }
    }
    if wanted["waits"] == true && hit.entry.waits.is_none() {
        bad.push("does not wait".to_owned());
    }
    match (&wanted["date"], &hit.entry.date) {
        (Value::String(day), Some(got)) if !got.starts_with(day.as_str()) => {
            bad.push(format!("date is {got}, not {day}"))
        }
        (Value::String(day), None) => bad.push(format!("no date, not {day}")),
        (Value::Bool(false), Some(got)) => bad.push(format!("a date was invented: {got}")),
        _ => {}
    }
    for entity in wanted["entities"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !hit.entry.entities.iter().any(|got| plain(got) == plain(entity)) {
            bad.push(format!("entity {entity} lost from {:?}", hit.entry.entities));
        }
    }
    bad
}

fn read(system: MemorySystem, home: &Path, project: &Path) -> FoundMemories {
    let store = MemoryStore {
        disk: &RealDisk::new(),
        home,
        project: Some(project),
        within: None,
        variable: &|_| None,
    };
    system.read(&store)
}

/// The fixture of a system whose fixture has another name.
fn fixture_of(system: &MemorySystem) -> &'static str {
    if system.name == "cursor" { "cursor_windsurf_copilot" } else { system.name }
}

#[test]
fn every_store_is_read_as_expected() {
    let mut bad = Vec::new();
    for system in SYSTEMS {
        let fixture = fixture_of(&system);
        let dir = tempfile::tempdir().unwrap();
        let (home, project) = (dir.path().join("home/mei"), dir.path().join("home/mei/src/tidepool"));
        lay_out(fixture, &home, &project);
        fs::create_dir_all(&project).unwrap();
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        tree(dir.path(), &mut before);
        let found = read(system, &home, &project);
        tree(dir.path(), &mut after);
        assert_eq!(before, after, "{fixture}: a source was changed");
        let text = fs::read_to_string(fixtures().join(fixture).join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let folded = fold(vec![found]);
        bad.extend(differences(&expected, &folded).into_iter().map(|why| format!("{fixture}: {why}")));
        for proposal in &folded.proposals {
            let text = proposal.entry.path.to_str().unwrap();
            // Databases, and lists in one line, have no lines to name.
            let has_lines = text.ends_with(".md") || text.ends_with(".jsonl") || text.ends_with(".mdc");
            assert!(
                proposal.entry.path.is_file() && (proposal.entry.line > 0 || !has_lines),
                "{fixture}: {text} is no origin"
            );
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn transcripts_are_never_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let (home, project) = (dir.path().join("home/mei"), dir.path().join("home/mei/src/tidepool"));
    lay_out("transcripts", &home, &project);
    for system in SYSTEMS {
        let found = read(system, &home, &project);
        assert!(found.entries.is_empty() && found.left_out.is_empty(), "{}: {found:?}", system.name);
    }
}

#[test]
fn a_home_without_stores_has_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for system in SYSTEMS {
        let found = read(system, dir.path(), dir.path());
        assert!(found.entries.is_empty() && found.left_out.is_empty(), "{}: {found:?}", system.name);
    }
}

#[test]
fn each_reader_has_its_samples() {
    for system in SYSTEMS {
        assert!(fixtures().join(fixture_of(&system)).join("expected.json").is_file(), "{}", system.name);
    }
}
