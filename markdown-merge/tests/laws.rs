//! The laws over generated documents. `PROPTEST_CASES` runs more of them.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops"
)]

mod support;

use markdown_merge::{Merger, Operation, Rules};
use proptest::prelude::*;
use support::{entry, generate, laws, read_alike, sections};

const DEFAULT_CASES: u32 = 500;

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(DEFAULT_CASES);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn of_one_section(text in generate::document(), content in generate::content(), at in any::<prop::sample::Index>()) {
        let found = sections(&text);
        if !found.is_empty() {
            let verdict = laws::of_section(&text, at.index(found.len()), &content);
            prop_assert!(verdict.is_ok(), "{}", verdict.unwrap_err());
        }
    }

    #[test]
    fn made_and_deleted(text in generate::document(), content in generate::content(), at in any::<prop::sample::Index>()) {
        let found: Vec<_> = sections(&text).into_iter().filter(|s| s.level > 0 && s.level < 6).collect();
        let parent = if found.is_empty() { None } else { Some(&found[at.index(found.len())]) };
        for parent in [parent, None] {
            let verdict = laws::create_and_delete(&text, parent, &content);
            prop_assert!(verdict.is_ok(), "{}", verdict.unwrap_err());
        }
    }

    #[test]
    fn in_any_order(
        text in generate::document(),
        one in generate::content(), other in generate::content(),
        a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>(),
        first in 0..3_usize, second in 0..3_usize,
    ) {
        let found = sections(&text);
        if !found.is_empty() {
            let operations = [Operation::Update, Operation::Append, Operation::Clear];
            let make = |at: &prop::sample::Index, operation: Operation, content: &str| {
                let section = &found[at.index(found.len())];
                entry(&section.heading, section.level, operation, Some(content))
            };
            let (one, other) = (make(&a, operations[first], &one), make(&b, operations[second], &other));
            let verdict = laws::order(&text, &one, &other);
            prop_assert!(verdict.is_ok(), "{}\n{text:?}", verdict.unwrap_err());
        }
    }

    /// What a merger remembers of earlier entries changes nothing: one merger for all of them says and makes what a new
    /// one for each does.
    #[test]
    fn nothing_is_remembered_wrongly(
        text in generate::document(),
        contents in prop::collection::vec((generate::content(), 0..3_usize, 0..5_usize), 2..30),
    ) {
        let Ok(mut merger) = Merger::open(text.as_bytes()) else { return Ok(()) };
        let sections = merger.sections();
        let operations = [Operation::Append, Operation::Append, Operation::Append, Operation::Update, Operation::Delete];
        for (content, at, operation) in &contents {
            let section = sections.get(at * 5 % sections.len().max(1));
            let heading = section.map_or(vec!["New".to_owned()], |s| s.heading.clone());
            let entry = [entry(&heading, section.map_or(2, |s| s.level), operations[*operation], Some(content))];
            let mut anew = Merger::open(merger.text().as_bytes()).expect("it was one before");
            let expected = anew.apply(&entry, &Rules::default(), &|_| None);
            let said = merger.apply(&entry, &Rules::default(), &|_| None);
            prop_assert_eq!(&said, &expected, "{:?} {:?}", &text, &contents);
            prop_assert_eq!(merger.text(), anew.text());
        }
        prop_assert!(merger.verify().is_ok());
    }

    /// The same of lists that grow, of which only the end is read again, among other text and refusals.
    #[test]
    fn a_list_that_grows_is_not_remembered_wrongly(
        text in generate::document(),
        contents in prop::collection::vec((generate::items(), 0..9_usize, 0..12_usize), 2..30),
    ) {
        let Ok(mut merger) = Merger::open(text.as_bytes()) else { return Ok(()) };
        for (content, at, operation) in &contents {
            let sections = merger.sections();
            let section = sections.get(at / 4 % sections.len().max(1));
            let heading = section.map_or(vec!["New".to_owned()], |s| s.heading.clone());
            let level = section.map_or(2, |s| s.level);
            let operation = match operation {
                0 => Operation::Update,
                1 => Operation::Prepend,
                _ => Operation::Append,
            };
            // The second one of a job is refused now and then, and takes the first one back.
            let mut entries = vec![entry(&heading, level, operation, Some(content))];
            if *at == 8 {
                entries.push(entry(&["Not there".to_owned()], 2, Operation::Clear, None));
            }
            let mut anew = Merger::open(merger.text().as_bytes()).expect("it was one before");
            let expected = anew.apply(&entries, &Rules::default(), &|_| None);
            let said = merger.apply(&entries, &Rules::default(), &|_| None);
            prop_assert_eq!(&said, &expected, "{:?} {:?}", &text, &contents);
            prop_assert_eq!(merger.text(), anew.text());
        }
        prop_assert!(merger.verify().is_ok());
    }

    /// P12, and all or nothing: a job of many entries leaves either everything or nothing.
    #[test]
    fn whole_or_not_at_all(text in generate::document(), contents in prop::collection::vec(generate::content(), 1..6)) {
        let Ok(mut merger) = Merger::open(text.as_bytes()) else { return Ok(()) };
        let found = merger.sections();
        let operations = [Operation::Update, Operation::Append, Operation::Clear, Operation::Delete];
        let entries: Vec<_> = contents.iter().enumerate().map(|(i, content)| {
            let section = found.get(i * 7 % found.len().max(1));
            let heading = section.map_or(vec![format!("New {i}")], |s| s.heading.clone());
            entry(&heading, section.map_or(2, |s| s.level), operations[i % 4], Some(content))
        }).collect();
        let result = merger.apply(&entries, &Rules::default(), &|_| None);
        prop_assert!(merger.verify().is_ok(), "{text:?} {entries:?}");
        if result.is_err() {
            prop_assert_eq!(merger.text(), &text);
        }
    }

    /// P12: any bytes at all.
    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,80}") {
        let _ = Merger::open(&bytes);
        if let Ok(mut merger) = Merger::open(text.as_bytes()) {
            let entries = [entry(std::slice::from_ref(&text), 2, Operation::Update, Some(&text))];
            let _ = merger.apply(&entries, &Rules::default(), &|_| None);
        }
    }
}

/// P15: on generated documents the two parsers may differ (dialects); how often is printed, and must stay rare.
#[test]
fn two_parsers_agree() {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut differ, total) = (Vec::new(), 3000);
    for _ in 0..total {
        let text = generate::document().new_tree(&mut runner).unwrap().current();
        if !read_alike(&text) {
            differ.push(text);
        }
    }
    println!(
        "{total} generated documents, comrak sees other headings or raw HTML in {}: {:?}",
        differ.len(),
        differ.first()
    );
    assert!(differ.len() * 50 < total, "{} of {total} differ, e.g. {:?}", differ.len(), &differ[..3]);
}

#[test]
fn a_section_that_was_written_anew_is_read_anew() {
    let mut merger = Merger::open(b"## A\n\nx\n").unwrap();
    let said = [(Operation::Append, "p"), (Operation::Update, "- a"), (Operation::Append, "- b")];
    for (operation, content) in said {
        let entry = entry(&["A".to_owned()], 2, operation, Some(content));
        merger.apply(&[entry], &Rules::default(), &|_| None).unwrap();
    }
    assert_eq!(merger.text(), "## A\n\n- a\n- b\n");
}
