//! Every text under `fixtures/secrets/`: what is found in it, and that what is said of it does not repeat it.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::problem::Place;
use declaration::secrets::{find, in_input, problem};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    text: String,
    what: String,
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../fixtures/secrets/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn found() -> Vec<Case> {
    let mut cases: Vec<Case> = serde_json::from_str(&fixture("found.json")).unwrap();
    cases.iter_mut().for_each(|case| case.text = case.text.replace('~', ""));
    cases
}

#[test]
fn each_secret_is_found_and_named() {
    let missed: Vec<String> = found()
        .iter()
        .filter(|case| find(&case.text).is_none_or(|secret| secret.what != case.what))
        .map(|case| format!("{}: {} {:?}", case.what, case.text, find(&case.text)))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_is_none_is_left_alone() {
    let texts: Vec<String> = serde_json::from_str(&fixture("left.json")).unwrap();
    assert!(texts.len() >= 40);
    let wrong: Vec<String> =
        texts.iter().filter_map(|text| find(text).map(|secret| format!("{text}: {}", secret.what))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No six characters of a secret in a row are in what is said of it, but for the mark every such token has.
#[test]
fn what_is_said_does_not_repeat_it() {
    for case in found() {
        let said =
            format!("{:?} {:?}", problem("content", &case.text).unwrap(), in_input(&case.text).unwrap());
        let tail: Vec<char> = case.text.chars().rev().take(12).collect();
        for part in tail.windows(6) {
            let part: String = part.iter().rev().collect();
            assert!(
                !said.contains(&part) || part.contains("KEY") || part.contains("-----"),
                "{part}: {said}"
            );
        }
    }
}

#[test]
fn the_place_is_that_of_its_first_character() {
    let token = found().into_iter().find(|case| case.what == "a Slack token").unwrap().text;
    let secret = find(&format!("# 标题\n\n- 令牌: {token}\n")).unwrap();
    assert_eq!(secret.place, Place { line: 3, column: 7 });
    let url = found().into_iter().find(|case| case.what == "a password in a URL").unwrap().text;
    assert_eq!(find(&format!("at {url}")).unwrap().place, Place { line: 1, column: 4 });
}

/// 64 KiB of the worst text there is (every word may begin a token) in one pass.
#[test]
fn long_texts_are_looked_at_once() {
    for part in [
        "sk-a ",
        "eyJabc.eyJ",
        "://:",
        "-----BEGIN ",
        "a://b:c",
        "ghp_",
        "_eyJ",
        "_xoxb-",
        "://a",
        "aws_secret_key = ",
    ] {
        assert_eq!(find(&part.repeat(64 * 1024 / part.len())), None, "{part}");
    }
}
