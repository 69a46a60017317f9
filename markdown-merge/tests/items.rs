//! The grammar of items: every case under `fixtures/items/`, and the law that printing what was read gives the same bytes.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops"
)]

use markdown_merge::item::{Item, items};
use proptest::prelude::*;
use serde::Deserialize;
use std::path::Path;

/// A text and the items at the top of its lists.
#[derive(Debug, Deserialize)]
struct Case {
    name: String,
    text: String,
    items: Vec<Expected>,
}

/// What one item reads as; what is left out must not be there.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Expected {
    text: String,
    kind: Option<String>,
    id: Option<String>,
    done: Option<bool>,
    struck: bool,
    retired: bool,
    tags: Vec<String>,
    /// `key=value` or a word alone.
    fields: Vec<String>,
    /// Without the line end before it.
    below: String,
}

impl Expected {
    fn of(item: &Item) -> Expected {
        let field = |(key, value): (Option<&str>, &str)| match key {
            Some(key) => format!("{key}={value}"),
            None => value.to_owned(),
        };
        Expected {
            text: item.text().to_owned(),
            kind: item.kind().map(str::to_owned),
            id: item.id().map(str::to_owned),
            done: item.done(),
            struck: item.is_struck(),
            retired: !item.is_live(),
            tags: item.tags().map(str::to_owned).collect(),
            fields: item.fields().map(field).collect(),
            below: item.below().trim_start_matches(['\r', '\n']).to_owned(),
        }
    }
}

/// What a person struck out in other forms than ours; `recall` reads the same cases.
#[test]
fn what_a_hand_struck_out_does_not_hold() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/items/struck.json");
    let cases: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    for case in cases.as_array().unwrap() {
        let text = case["text"].as_str().unwrap();
        let item = Item::read(text).unwrap();
        assert_eq!(!item.is_live(), case["struck"].as_bool().unwrap(), "{text}");
    }
}

#[test]
fn every_case() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/items/grammar.json");
    let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut failures = Vec::new();
    for case in &cases {
        let read: Vec<Item> =
            items(&case.text).into_iter().map(|at| Item::read(&case.text[at]).unwrap()).collect();
        let found: Vec<Expected> = read.iter().map(Expected::of).collect();
        if found != case.items {
            failures.push(format!("{}\nexpected {:?}\n     got {found:?}", case.name, case.items));
        }
        for (item, at) in read.iter().zip(items(&case.text)) {
            assert_eq!(item.to_string(), case.text[at], "{}", case.name);
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases failed\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
}

/// Pieces of lines that people and programs write, and that trip readers of them.
const PIECES: &[&str] = &[
    "- ",
    "* ",
    "+ ",
    "1. ",
    "12) ",
    "-",
    "  - ",
    "\t- ",
    "- [ ] ",
    "- [x] ",
    "- [X]",
    "[O] ",
    "[W]",
    "[decision] ",
    "[决定] ",
    "[link](x) ",
    "[^1] ",
    "[a][b] ",
    "text ",
    "#tag ",
    "#标签",
    "#1 ",
    "~~",
    "~",
    "<!-- lw ",
    "<!-- lw -->",
    "<!--lw c=0.9-->",
    "<!-- lw 14:30+08:00 by=user -->",
    " <!-- other --> ",
    "-->",
    "<!--",
    "c=0.9 ",
    "=x ",
    " ^k7m2q9xa",
    "^",
    "^-",
    "^id ",
    "中文 ",
    "עברית ",
    "\u{202e}",
    "\u{feff}",
    "\n",
    "\r\n",
    "\n  lazy",
    "\n  - nested ^a1",
    "\n\n",
    "`<!-- lw -->`",
    "\\",
    "|",
    "> ",
    "🙂",
    "\u{a0}",
];

fn lines() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn what_is_printed_is_what_was_read(text in prop_oneof![3 => lines(), 1 => any::<String>()]) {
        if let Some(item) = Item::read(&text) {
            prop_assert_eq!(item.to_string(), &*text);
        }
        let found = items(&text);
        for at in &found {
            let item = Item::read(&text[at.clone()]);
            prop_assert!(item.is_some(), "{:?} is a list item to the parser only", &text[at.clone()]);
            prop_assert_eq!(item.unwrap().to_string(), &text[at.clone()]);
        }
        prop_assert!(found.windows(2).all(|two| two[0].end <= two[1].start), "items overlap: {:?}", found);
    }
}

/// What a person sees of a text with tags and comments, line by line.
fn shown(text: &str) -> Vec<String> {
    let mut seen = String::new();
    let mut pieces = text.split('<');
    seen.push_str(pieces.next().unwrap());
    for piece in pieces {
        seen.push_str(piece.split_once('>').unwrap_or((piece, "")).1);
    }
    let lines = seen.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_readmes_picture_is_what_its_example_renders_as() {
    let read =
        |name| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap();
    let readme = read("README.md");
    let example = readme.split("```markdown\n").nth(1).unwrap().split("```").next().unwrap();
    let mut options = comrak::Options::default();
    options.extension.strikethrough = true;
    let rendered = comrak::markdown_to_html(example, &options);
    assert!(rendered.contains("<del>[W] Deploys on Fridays</del>"), "{rendered}");
    assert_eq!(shown(&rendered), shown(&read("docs/items.svg")));
    assert_eq!(shown(&rendered).len(), 5, "a heading and four items: {rendered}");
}
