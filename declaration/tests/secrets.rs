//! Every text under `fixtures/secrets/`: what is found in it, and that what is said of it does not repeat it.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::problem::Position;
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
    assert!(texts.len() >= 200);
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
    assert_eq!(secret.place, Position { line: 3, column: 7 });
    let url = found().into_iter().find(|case| case.what == "a password in a URL").unwrap().text;
    assert_eq!(find(&format!("at {url}")).unwrap().place, Position { line: 1, column: 4 });
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

/// Letters by chance that are the same at every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 40).unwrap()
    }

    /// A line of `formats.txt` with letters in it: `{n40}`.
    fn filled(&mut self, format: &str) -> String {
        let (small, capitals, digits) =
            ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789");
        let mut out = String::new();
        let mut rest = format;
        while let Some((before, (class, behind))) =
            rest.split_once('{').and_then(|(a, b)| Some((a, b.split_once('}')?)))
        {
            let Ok(length) = class[1..].parse::<usize>() else {
                out.push_str(&rest[..=before.len()]);
                rest = &rest[before.len() + 1..];
                continue;
            };
            let letters = match &class[..1] {
                "n" => [small, capitals, digits].concat(),
                "k" => [small, capitals, digits, "_-"].concat(),
                "b" => [small, capitals, digits, "+/"].concat(),
                "l" => [small, capitals].concat(),
                "a" => [small, digits].concat(),
                "u" => [capitals, digits].concat(),
                "c" => capitals.to_owned(),
                "h" => "0123456789abcdef".to_owned(),
                "d" => digits.to_owned(),
                other => panic!("{other}"),
            };
            out.push_str(before);
            out.extend((0..length).map(|_| char::from(letters.as_bytes()[self.next() % letters.len()])));
            rest = behind;
        }
        (out + rest).replace("~~", "\0").replace('~', "").replace('\0', "~").replace("\\|", "|")
    }
}

/// The formats of one half, each filled in four ways.
fn formats(held_out: bool) -> Vec<(String, String)> {
    let text = fixture("formats.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#') && line.starts_with("? ") == held_out);
    let mut chance = Chance(20_261_122);
    lines
        .flat_map(|line| {
            let (name, format) = line.trim_start_matches("? ").split_once('\t').unwrap();
            (0..4).map(|_| (name.to_owned(), chance.filled(format))).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn known_formats_are_found() {
    let all = formats(false);
    let missed: Vec<String> = all
        .iter()
        .filter(|(_, text)| find(text).is_none())
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    assert!(all.len() >= 4 * 66, "{}", all.len());
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), all.len(), missed.join("\n"));
}

/// Of the formats that nobody looked at while the rules were written, nine in ten; which ones is not told.
#[test]
fn unseen_formats_are_found() {
    let all = formats(true);
    let found = all.iter().filter(|(_, text)| find(text).is_some()).count();
    println!("{found} of {} unseen", all.len());
    assert!(all.len() >= 4 * 40 && found * 10 >= all.len() * 9, "{found} of {}", all.len());
}

/// What is found for sure is found when it is hidden as well.
#[test]
fn a_hidden_token_is_found() {
    let token = Chance(7).filled("gh~p_{n36}");
    let base64 = |text: &str| {
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let bits: String = text.bytes().map(|byte| format!("{byte:08b}")).collect();
        let six = |part: &[u8]| {
            usize::from_str_radix(&format!("{:0<6}", std::str::from_utf8(part).unwrap()), 2).unwrap()
        };
        bits.as_bytes().chunks(6).map(|part| char::from(letters[six(part)])).collect::<String>()
    };
    let (head, tail) = token.split_at(20);
    let wide: String = token.chars().map(|c| char::from_u32(u32::from(c) - 0x21 + 0xff01).unwrap()).collect();
    let hidden = [
        format!("x{token}"),
        format!("-{token}"),
        format!("{token}x"),
        format!("token{token}"),
        format!("{head}\u{200b}{tail}"),
        format!("{head}\u{ad}{tail}"),
        format!("g\u{2060}{}", &token[1..]),
        token.replace('_', "\\_"),
        token.replace('_', "&#95;"),
        token.replace('_', "&#x5f;"),
        token.replace('_', "&lowbar;"),
        token.replace('_', "%5F"),
        wide,
        format!("{head}\n{tail}"),
        format!("> {head}\n> {tail}"),
        format!("- {}\n  {}", &token[..5], &token[5..]),
        format!("{head}**{tail}**"),
        base64(&token),
        format!("it is {}, decode it", base64(&format!("the token is {token}!"))),
    ];
    let missed: Vec<&String> = hidden.iter().filter(|text| find(text).is_none()).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
