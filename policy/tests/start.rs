//! What a session is shown at its start: the facts by the cases of `fixtures/start/`, and how the parts come together.
// Clippy knows only functions marked `#[test]` as tests, not their helpers.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::Timestamp;
use policy::context::Block;
use policy::facts::chosen;
use policy::settings::Settings;
use policy::start::{Start, StartPart, StartTexts, StartWords, blocks};
use policy::time_words::Moment;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    now: String,
    #[serde(default)]
    here: Option<String>,
    documents: Vec<String>,
    shown: String,
    left_out: usize,
}

fn moment(text: &str) -> Moment {
    let at = chrono::DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%:z").unwrap();
    Moment::new(Timestamp(at.timestamp_millis().cast_unsigned()), at.offset().local_minus_utc() / 60)
}

#[test]
fn facts_by_their_age() {
    let cases: Vec<Case> =
        serde_yaml::from_str(&std::fs::read_to_string("../fixtures/start/facts.yaml").unwrap()).unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        let documents: Vec<&str> = case.documents.iter().map(String::as_str).collect();
        let found = chosen(&documents, case.here.as_deref(), &moment(&case.now));
        assert_eq!(
            (found.text.as_str(), found.left_out),
            (case.shown.as_str(), case.left_out),
            "{}",
            case.name
        );
    }
}

fn texts() -> StartTexts {
    let document = Block { tag: "user-profile".into(), text: "likes tea".into(), ..Block::default() };
    let of = |texts: &[(&str, &str)]| {
        texts.iter().map(|(day, text)| ((*day).to_owned(), (*text).to_owned())).collect()
    };
    StartTexts {
        documents: vec![document],
        indexes: of(&[("bank", "| when | read |")]),
        facts: vec!["## 2026-02-20\n- [W] new\n## 2026-01-01\n- [W] old\n".to_owned()],
        sessions: of(&[
            (
                "2026-02-20",
                "## b1 · elsewhere\n\nIn b.\n\n<!-- lw in=~/b -->\n\n## h · by hand\n\nOf nobody.\n",
            ),
            (
                "2026-02-19",
                "## a1 · first\n\nOne.\n\n<!-- lw in=~/a -->\n\n## a2 · second\n\nTwo.\n\n- [decision] x\n\n<!-- lw in=~/a -->\n",
            ),
        ]),
        logs: of(&[
            ("2026-02-20", "- did a <!-- lw in=~/a -->\n- did b <!-- lw in=~/b -->\n"),
            ("2026-02-19", "- b alone <!-- lw in=~/b -->\n"),
        ]),
    }
}

fn shown(start: &Start, here: Option<&str>) -> Vec<Block> {
    let read = |name: &str| format!("lw read {name}");
    let words = StartWords { logs_tag: "recent", read: &read, facts: "lw item list", logs: "cat logs" };
    blocks(&texts(), start, here, &moment("2026-02-20T12:00+00:00"), words)
}

fn defaults() -> Start {
    Settings::parse(include_str!("../../engine/src/default-config.yaml"), None).unwrap().start
}

#[test]
fn the_parts_in_their_order_without_other_projects() {
    let found = shown(&defaults(), Some("~/a"));
    let said: Vec<(&str, &str)> =
        found.iter().map(|block| (block.tag.as_str(), block.text.as_str())).collect();
    assert_eq!(
        said,
        [
            ("user-profile", "likes tea"),
            ("index", "| when | read |"),
            ("recent-facts", "2026-02-20:\n- [W] new"),
            ("last-session", "2026-02-19:\n## a2 · second\n\nTwo.\n\n- [decision] x"),
            ("recent", "2026-02-20:\n- did a"),
        ]
    );
    assert_eq!(found[2].note, "1 more fact is not shown: lw item list");
    assert_eq!(found[3].more, "lw read sessions:2026-02-19");
    let of_b: String = shown(&defaults(), Some("~/b")).iter().map(|block| block.text.clone()).collect();
    assert!(of_b.contains("In b.") && of_b.contains("b alone") && !of_b.contains("did a"), "{of_b}");
    let nowhere: String = shown(&defaults(), None).iter().map(|block| block.text.clone()).collect();
    assert!(nowhere.contains("Of nobody.") && !nowhere.contains("did "), "{nowhere}");
}

#[test]
fn order_and_shares_are_settings() {
    let start = Start { order: vec![StartPart::Logs, StartPart::Facts], log_chars: 7, ..defaults() };
    let found = shown(&start, Some("~/a"));
    let said: Vec<(&str, Option<usize>)> =
        found.iter().map(|block| (block.tag.as_str(), block.chars_max)).collect();
    assert_eq!(said, [("recent", Some(7)), ("recent-facts", Some(2000))]);
}
