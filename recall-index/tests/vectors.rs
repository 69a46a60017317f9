//! Vectors of units: kept with their units, gone with them, and never more than a help.
#![allow(clippy::unwrap_used)]

use recall::{HitFilter, Query, Tier, Weights};
use recall_index::{AskedDocument, FileStamp, Index, IndexQuestion, UnitId, Writing};
use tempfile::TempDir;

/// Thirty lines that mean nothing to each other, and one that is asked for.
fn text(asked: &str) -> String {
    let others: String = (0..30).map(|at| format!("- word{at} stands here\n")).collect();
    format!("# Facts\n\n- {asked}\n{others}")
}

fn stamp(text: &str, now: u64) -> FileStamp {
    FileStamp { len: text.len() as u64, modified_ms: now, changed_ms: now, inode: 1, device: 1 }
}

/// The line that is asked for lies in direction 0, every other elsewhere.
fn vector(text: &str) -> Vec<f32> {
    let number = text.split("word").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    let other = number.map_or(1, |number| number + 2);
    let mut vector = vec![0.01; 40];
    vector[if text.contains("gets up") { 0 } else { other }] = 1.0;
    vector
}

fn put(writing: &mut Writing<'_>, path: &str, text: &str, now: u64) {
    writing.put(path, stamp(text, now), text, now + 5_000).unwrap();
}

fn complete(index: &mut Index, documents: &[AskedDocument<'_>], model: &str) -> usize {
    let units = index.without_vector(documents, model).unwrap();
    let units = index.described(&units).unwrap();
    let made: Vec<(UnitId, Option<Vec<f32>>)> =
        units.iter().map(|(unit, text)| (*unit, Some(vector(text)))).collect();
    let mut writing = index.write().unwrap();
    writing.keep_vectors(model, &made).unwrap();
    writing.commit().unwrap();
    made.len()
}

fn asked(index: &mut Index, documents: &[AskedDocument<'_>], dimensions: usize) -> Vec<(String, Tier)> {
    let mut question = vec![0.0; dimensions];
    question[0] = 3.0;
    let weights = Weights::DEFAULT;
    let query = Query::new("nobody says this", &weights);
    let wanted = HitFilter { all: false, may: &|_, _| true, today: "2026-11-22", limit: 5 };
    let found = index.search(&IndexQuestion {
        query: &query,
        weights: &weights,
        documents,
        others: &[],
        wanted: &wanted,
        narrows: false,
        vector: Some(&question),
    });
    found.unwrap().found.into_iter().map(|hit| (hit.unit.text, hit.hit.tier)).collect()
}

#[test]
fn vectors_live_and_die_with_their_units() {
    let dir = TempDir::new().unwrap();
    let mut index = Index::open(&dir.path().join("recall.sqlite")).unwrap();
    let documents = [AskedDocument { path: "a", ages: false }, AskedDocument { path: "b", ages: false }];
    let mut writing = index.write().unwrap();
    put(&mut writing, "a", &text("gets up at five"), 1_000);
    put(&mut writing, "b", "- another document\n- ~~a retired line~~ <!-- lw del=2026-01-01 -->\n", 1_000);
    writing.commit().unwrap();
    assert_eq!(index.vectors(&documents, "m").unwrap(), (33, 0));
    assert_eq!(index.model().unwrap(), None);
    assert_eq!(asked(&mut index, &documents, 40), [], "without vectors words alone answer");
    assert_eq!(complete(&mut index, &documents, "m"), 33, "a retired line has none");
    assert_eq!(index.vectors(&documents, "m").unwrap(), (33, 33));
    assert_eq!(asked(&mut index, &documents, 40), [("gets up at five".to_owned(), Tier::Meaning)]);
    assert_eq!(asked(&mut index, &documents, 39), [], "a vector of another length is near to nothing");
    assert_eq!(asked(&mut index, &documents[1..], 40), [], "what is not asked does not answer");

    // A line that changes loses its vector, the others keep theirs.
    let mut writing = index.write().unwrap();
    put(&mut writing, "a", &text("sleeps until noon"), 2_000);
    writing.commit().unwrap();
    assert_eq!(index.vectors(&documents, "m").unwrap(), (33, 32));
    assert_eq!(asked(&mut index, &documents, 40), []);
    assert_eq!(complete(&mut index, &documents, "m"), 1);

    // Vectors of another model take the place of all.
    assert_eq!(index.vectors(&documents, "n").unwrap(), (33, 0));
    assert_eq!(complete(&mut index, &documents, "n"), 33);
    assert_eq!(index.vectors(&documents, "m").unwrap(), (33, 0));

    assert_eq!(index.model().unwrap().as_deref(), Some("n"));
    let of_a = index.without_vector(&documents[..1], "m").unwrap();
    let mut writing = index.write().unwrap();
    writing.forget("a").unwrap();
    writing.commit().unwrap();
    assert_eq!(
        (of_a.len(), index.described(&of_a).unwrap()),
        (32, Vec::new()),
        "a unit that is gone says nothing"
    );
    assert_eq!(index.vectors(&documents, "n").unwrap(), (1, 1));
}
