//! The law of the index: it answers as a scan of all documents does, whatever was put, changed and taken out before.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test reads its fixtures itself

use proptest::prelude::*;
use recall::{HitFilter, Query, SearchedDocument, Unit, Weights, cut, letters, scan};
use recall_index::{AskedDocument, FileStamp, Index, IndexQuestion};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const TODAY: &str = "2026-11-22";

/// An index in a directory of its own, and the documents it was given.
struct Kept {
    dir: TempDir,
    index: Index,
    documents: BTreeMap<String, String>,
}

impl Kept {
    fn new() -> Kept {
        let dir = TempDir::new().unwrap();
        let index = Index::open(&dir.path().join("recall.sqlite")).unwrap();
        Kept { dir, index, documents: BTreeMap::new() }
    }

    fn put(&mut self, path: &str, text: &str) {
        let mut writing = self.index.write().unwrap();
        writing.put(path, stamp(text), text, 1 << 40).unwrap();
        writing.commit().unwrap();
        self.documents.insert(path.to_owned(), text.to_owned());
    }

    fn remove(&mut self, path: &str) {
        let mut writing = self.index.write().unwrap();
        writing.forget(path).unwrap();
        writing.commit().unwrap();
        self.documents.remove(path);
    }

    /// What the index answers: path, line, tier and score of each hit. Each stands where it says.
    fn answers(&mut self, question: &str, all: bool) -> Vec<(String, usize, String)> {
        let weights = Weights::DEFAULT;
        let query = Query::new(question, &weights);
        let documents: Vec<AskedDocument<'_>> = self
            .documents
            .keys()
            .map(|path| AskedDocument { path, ages: path.starts_with("sessions") })
            .collect();
        let wanted = HitFilter { all, may: &|_, _| true, today: TODAY, limit: 10 };
        let question = IndexQuestion {
            query: &query,
            weights: &weights,
            documents: &documents,
            others: &[],
            wanted: &wanted,
            narrows: false,
            vector: None,
        };
        let answer = self.index.search(&question).unwrap();
        let said = answer.found.into_iter().map(|found| {
            let path = documents[found.document].path.to_owned();
            let text = &self.documents[&path];
            assert!(found.place.unwrap().holds(text.as_bytes()), "{path}:{} is not there", found.unit.line);
            (path, found.unit.line, format!("{:?} {:.4}", found.hit.tier, found.hit.score.total))
        });
        said.collect()
    }

    /// What a scan answers.
    fn scanned(&self, question: &str, all: bool) -> Vec<(String, usize, String)> {
        let weights = Weights::DEFAULT;
        let query = Query::new(question, &weights);
        let units: Vec<(&String, Vec<Unit>)> =
            self.documents.iter().map(|(path, text)| (path, cut(text))).collect();
        let documents: Vec<SearchedDocument<'_>> = units
            .iter()
            .map(|(path, units)| SearchedDocument { units, ages: path.starts_with("sessions") })
            .collect();
        let wanted = HitFilter { all, may: &|_, _| true, today: TODAY, limit: 10 };
        let mut hits = scan(&documents, &query, &wanted, &weights);
        if hits.is_empty() {
            hits = letters(&documents, &query, &wanted);
        }
        let said = hits.into_iter().map(|hit| {
            let (path, units) = &units[hit.document];
            ((*path).clone(), units[hit.unit].line, format!("{:?} {:.4}", hit.tier, hit.score.total))
        });
        said.collect()
    }
}

fn stamp(text: &str) -> FileStamp {
    FileStamp { len: text.len() as u64, modified_ms: 1 << 20, changed_ms: 1 << 20, inode: 1, device: 1 }
}

fn fixtures() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/recall/docs");
    let mut found = BTreeMap::new();
    for folder in ["", "facts", "projects", "people"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    assert!(found.len() > 10, "the fixtures are not where this test looks for them");
    found
}

fn questions() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/recall/queries.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let of = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        value["q"].as_str().unwrap().to_owned()
    };
    let mut questions: Vec<String> = text.lines().map(of).collect();
    questions.extend(["tie", "oat mil", "試", "\" OR *", "", "AND"].map(str::to_owned));
    questions
}

#[test]
fn the_index_answers_as_a_scan_does() {
    let mut kept = Kept::new();
    for (path, text) in fixtures() {
        kept.put(&path, &text);
    }
    let mut answered = 0;
    for question in questions() {
        for all in [false, true] {
            let said = kept.answers(&question, all);
            answered += usize::from(!said.is_empty());
            assert_eq!(said, kept.scanned(&question, all), "{question} (all: {all})");
        }
    }
    assert!(answered > 100, "only {answered} were answered");
}

#[test]
fn a_document_that_is_unchanged_is_not_read_again() {
    let mut kept = Kept::new();
    kept.put("a.md", "- one\n");
    let same = stamp("- one\n");
    let outdated = |kept: &Kept, stamp| kept.index.outdated(&[("a.md", stamp)]).unwrap().len();
    assert_eq!(outdated(&kept, same), 0);
    assert_eq!(kept.index.outdated(&[("b.md", same)]).unwrap(), [0]);
    let others = [
        FileStamp { len: 7, ..same },
        FileStamp { modified_ms: same.modified_ms + 1, ..same },
        // Written in place, and given its old time again.
        FileStamp { changed_ms: same.changed_ms + 1, ..same },
        FileStamp { inode: 2, ..same },
        FileStamp { device: 2, ..same },
    ];
    for other in others {
        assert_eq!(outdated(&kept, other), 1, "{other:?}");
    }
}

#[test]
fn a_document_that_was_read_right_after_a_change_is_read_again() {
    let mut kept = Kept::new();
    let text = "- one\n";
    for (read_ms, again) in [(10_000, 1), (11_999, 1), (12_000, 0)] {
        for (modified_ms, changed_ms) in [(10_000, 0), (0, 10_000)] {
            let stamp = FileStamp { modified_ms, changed_ms, ..stamp(text) };
            let mut writing = kept.index.write().unwrap();
            writing.put("a.md", stamp, text, read_ms).unwrap();
            writing.commit().unwrap();
            assert_eq!(
                kept.index.outdated(&[("a.md", stamp)]).unwrap().len(),
                again,
                "{stamp:?} at {read_ms}"
            );
        }
    }
}

#[test]
fn what_was_not_committed_is_not_there() {
    let mut kept = Kept::new();
    kept.put("a.md", "- the heron stands\n");
    let mut writing = kept.index.write().unwrap();
    writing.put("a.md", stamp("- gone"), "- gone\n", 1 << 40).unwrap();
    drop(writing);
    assert_eq!(kept.answers("heron", false).len(), 1);
}

#[test]
fn who_reads_is_not_stopped_by_who_writes() {
    let mut kept = Kept::new();
    kept.put("a.md", "- the heron stands\n");
    let mut other = Index::open(&kept.dir.path().join("recall.sqlite")).unwrap();
    let mut writing = other.write().unwrap();
    writing.put("a.md", stamp("- gone"), "- gone\n", 1 << 40).unwrap();
    assert_eq!(kept.answers("heron", false).len(), 1);
    assert!(matches!(kept.index.write().map(|_| ()), Err(recall_index::Trouble::Busy)));
    writing.commit().unwrap();
    kept.documents.insert("a.md".to_owned(), "- gone\n".to_owned());
    assert_eq!(kept.answers("heron", false), []);
}

#[test]
fn what_is_no_index_is_told() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("recall.sqlite");
    let unusable = |path: &Path| matches!(Index::open(path), Err(recall_index::Trouble::Unusable(_)));
    fs::write(&path, "no database at all, but long enough to be taken for one".repeat(40)).unwrap();
    assert!(unusable(&path));
    fs::remove_file(&path).unwrap();
    drop(Index::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    drop(connection);
    assert!(unusable(&path));
    assert!(matches!(
        Index::open(&dir.path().join("missing/recall.sqlite")),
        Err(recall_index::Trouble::Failed(_))
    ));
}

/// One of a few lines, so that changes meet: words that questions have, retired items, headings, blanks.
fn line() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "- [W] the heron stands in the reeds #birds",
        "- ~~[W] the heron flew~~ <!-- lw del=2026-03-01 --> ^aaaaaaaa",
        "- reeds grow by the water",
        "- reeds grow by the water <!-- lw 2026-02-17T08:00Z by=web --> ^bbbbbbbb",
        "- 苍鹭站在芦苇里",
        "# Birds",
        "## 2026-02-16",
        "",
        "The water is low in v4.0.1 of the plan.",
        "Nothing.",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_was_changed_the_index_answers_as_a_scan_does(
        versions in prop::collection::vec((0..3usize, prop::collection::vec(line(), 0..12)), 1..12),
    ) {
        let mut kept = Kept::new();
        for (document, lines) in versions {
            let path = ["a.md", "b.md", "sessions/c.md"][document];
            if lines.is_empty() {
                kept.remove(path);
            } else {
                kept.put(path, &lines.join("\n"));
            }
            for question in ["heron in the reeds", "water", "v4.0.1", "蒼鷺", "eed"] {
                for all in [false, true] {
                    prop_assert_eq!(kept.answers(question, all), kept.scanned(question, all));
                }
            }
        }
    }
}
