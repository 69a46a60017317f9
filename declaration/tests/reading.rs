//! Limits, whole jobs, and what must hold for any input: no panic, no endless reading, and what is written is read back
//! as it was.
// Clippy knows only functions marked `#[test]` as tests, not their helpers.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::reading::{self, Format, limits};
use declaration::{Create, Declaration, Entry, Key, Meta, Operation, Problem, Scope, Target};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn one(content: &str) -> String {
    serde_json::json!({"version": "1.0.0", "entries": [
        {"key": {"kb": "user", "heading": "A"}, "content": content},
    ]})
    .to_string()
}

fn codes(result: Result<Vec<Declaration>, Vec<Problem>>) -> Vec<String> {
    result.err().unwrap_or_default().into_iter().map(|problem| problem.code.to_string()).collect()
}

#[test]
fn each_limit_has_its_own_code_on_both_sides_of_it() {
    let content = "x".repeat(limits::CONTENT_BYTES_MAX);
    let in_yaml = |text: &str| {
        format!("version: \"1.0.0\"\nentries:\n  - key: {{kb: user, heading: A}}\n    content: {text}\n")
    };
    let entries = |count: usize| {
        let entry =
            |n: usize| serde_json::json!({"key": {"kb": "user", "heading": format!("h{n}")}, "content": "x"});
        serde_json::json!({"version": "1.0.0", "entries": (0..count).map(entry).collect::<Vec<_>>()})
            .to_string()
    };
    let four = |size: usize| {
        let entry = |n: usize| serde_json::json!({"key": {"kb": "user", "heading": n.to_string()}, "content": "x".repeat(size)});
        serde_json::json!({"version": "1.0.0", "entries": (0..4).map(entry).collect::<Vec<_>>()}).to_string()
    };
    let yaml = Some(Format::Yaml);
    for (name, input, format, expected) in [
        ("content at its limit", one(&content), None, vec![]),
        ("content beyond it", one(&format!("{content}x")), None, vec!["content_too_large"]),
        ("content of 2 MiB", one(&"x".repeat(2 << 20)), None, vec!["too_large"]),
        ("content of 2 MiB in YAML", in_yaml(&"x".repeat(2 << 20)), yaml, vec!["too_large"]),
        ("YAML at its limit", in_yaml(&"x".repeat(limits::YAML_BYTES_MAX - 100)), yaml, vec![]),
        ("YAML beyond it", in_yaml(&"x".repeat(limits::YAML_BYTES_MAX)), yaml, vec!["too_large"]),
        ("1000 entries", entries(1000), None, vec![]),
        ("1001 entries", entries(1001), None, vec!["too_many_entries"]),
        ("almost 1 MiB of JSON", four(limits::CONTENT_BYTES_MAX - 100), None, vec![]),
        ("1 MiB of JSON and a little", four(limits::CONTENT_BYTES_MAX), None, vec!["too_large"]),
        ("lines of 9 MiB", format!("{}\n", one(&content)).repeat(36), None, vec![]),
        ("lines of 17 MiB", format!("{}\n", one(&content)).repeat(68), None, vec!["too_large"]),
    ] {
        assert_eq!(codes(reading::read(input.as_bytes(), format)), expected, "{name}");
    }
}

/// A secret that is not found shows that nothing was searched: that cost more than a second for each megabyte of one long word.
#[test]
fn what_is_too_large_is_refused_before_anything_is_searched_in_it() {
    let token = format!("ghp_{}", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78");
    let with = |bytes: usize| one(&format!("{token} {}", "x".repeat(bytes)));
    let bare = |input: &str| reading::read(input.as_bytes(), None).unwrap_err();
    assert_eq!(bare(&with(10).replace("\"heading\"", "\"heeding\""))[0].code.as_str(), "secret");
    let lines = format!("{}\n{}\n{}\n", one("x"), with(limits::CONTENT_BYTES_MAX), with(10));
    for (input, code, line) in [
        (with(limits::CONTENT_BYTES_MAX), "content_too_large", 1),
        (lines, "content_too_large", 2),
        (with(2 << 20), "too_large", 1),
    ] {
        let found = bare(&input);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].code.as_str(), found[0].place.unwrap().line), (code, line));
        assert!(!found[0].to_string().contains("ghp_"), "{found:?}");
    }
    // No value of it is built: its first one would be refused as one that is no declaration.
    let many = format!("{{\"entries\": [{}]}}", vec!["{\"key\": 1}"; 200_000].join(","));
    assert_eq!(bare(&many)[0].code.as_str(), "too_large");
}

#[test]
fn the_second_of_several_lines_may_not_be_too_large_either() {
    let input = format!("{}\n{}\n", one("x"), one(&"x".repeat(2 << 20)));
    let problems = reading::read(input.as_bytes(), None).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!((problems[0].code.as_str(), problems[0].place.unwrap().line), ("too_large", 2));
}

#[test]
fn many_problems_are_counted_not_listed() {
    let entries = serde_json::json!([{"key": {"kb": "user", "heading": "", "level": 9}}]);
    let many: Vec<_> = (0..500).map(|_| entries[0].clone()).collect();
    let input = serde_json::json!({"version": "1.0.0", "entries": many}).to_string();
    let problems = reading::read(input.as_bytes(), None).unwrap_err();
    assert_eq!(problems.len(), limits::PROBLEMS_MAX + 1);
    assert_eq!(problems.last().unwrap().code.as_str(), "more_problems");
}

#[test]
fn hostile_inputs_are_refused_soon() {
    let mib = 1 << 20;
    for (name, input) in [
        ("brackets", "[".repeat(mib)),
        ("braces", "{\"a\":".repeat(mib / 5)),
        ("flow mappings", "{a: ".repeat(60_000)),
        ("block sequences", "- ".repeat(120_000)),
        ("explicit keys", "? ".repeat(120_000)),
        ("bracket lines", "- [\n".repeat(60_000)),
        ("quotes", "'".repeat(250_000)),
        ("anchors", (0..15_000).map(|n| format!("- &a{n} x\n")).collect()),
        ("documents", "---\n".repeat(60_000)),
        (
            "long alias",
            format!(
                "version: \"1.0.0\"\nsource: &s {}\nentries:\n{}",
                "x".repeat(100_000),
                "  - *s\n".repeat(9000)
            ),
        ),
        ("one bad object after the other", "{\"version\":[]}".repeat(30_000)),
        ("nested raw JSON", format!("{{\"version\":{}1{}}}", "[".repeat(64), "]".repeat(64)).repeat(10_000)),
    ] {
        for format in [None, Some(Format::Json), Some(Format::Yaml)] {
            let start = Instant::now();
            let result = reading::read(input.as_bytes(), format);
            let took = start.elapsed();
            println!("{name} {format:?} {took:?}");
            assert!(result.is_err(), "{name}");
            assert!(took < Duration::from_secs(5), "{name} as {format:?} took {took:?}");
        }
    }
}

#[test]
fn a_format_is_guessed_from_name_then_text() {
    for (name, text, expected) in [
        (Some("a.json"), "a: b", Format::Json),
        (Some("x/a.JSONL"), "", Format::Json),
        (Some("USER.md.yaml"), "{\"a\": 1}", Format::Yaml),
        (Some("a.yml"), "", Format::Yaml),
        (Some("a.txt"), "{\"a\": 1}", Format::Json),
        (None, " \n{ \"a\": 1}", Format::Json),
        (None, "\u{feff}{}", Format::Json),
        (None, "{version: 1}", Format::Yaml),
        (None, "[{", Format::Json),
        (None, "version: 1", Format::Yaml),
        (None, "", Format::Yaml),
    ] {
        assert_eq!(Format::guess(name, text.as_bytes()), expected, "{name:?} {text:?}");
    }
}

#[test]
fn a_job_is_a_declaration_with_a_block() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Block {
        id: String,
    }
    let with = |block: &str| one("x").replacen('{', &format!("{{{block}"), 1);
    let read = |text: &str| reading::read_job::<Block>(text.as_bytes(), None);
    assert_eq!(read(&with(r#""job":{"id":"7"},"#)).unwrap().1, Some(Block { id: "7".to_owned() }));
    assert_eq!(read(&one("x")).unwrap().1, None);
    let code = |text: &str| read(text).unwrap_err().remove(0).code.to_string();
    assert_eq!(code(&with(r#""job":{"ib":"7"},"#)), "json_unreadable");
    assert_eq!(code(&with(r#""jub":{"id":"7"},"#)), "unknown_field");
    assert_eq!(code(&format!("{}{}", one("x"), one("y"))), "several_jobs");
    assert_eq!(code(&one(&"x".repeat(limits::CONTENT_BYTES_MAX + 1))), "content_too_large");
    let big = format!(
        "version: \"1.0.0\"\nentries:\n{}",
        (0..4)
            .map(|n| {
                format!(
                    "- key: {{kb: user, heading: h{n}}}\n  content: |\n{}",
                    "    some line\n".repeat(17_000)
                )
            })
            .collect::<String>()
    );
    assert_eq!(read(&big).unwrap().0.entries.len(), 4);
    assert_eq!(codes(reading::read(big.as_bytes(), None)), ["too_large"]);
}

#[test]
fn what_is_not_said_is_derived() {
    let text = r#"
version: "1.0.0"
entries:
  - key: { kb: user, heading: A }
  - key: { kb: user, heading: B }
    content: ""
  - key: { kb: user, heading: C, level: ~ }
    content: 1.10
  - key: { kb: user, heading: D }
    operation: clear
    content: ""
  - key: { kb: user, level: 0 }
    operation: replace
    old_text: x
    content: ""
"#;
    let entries = reading::read(text.as_bytes(), None).unwrap().remove(0).entries;
    let seen: Vec<_> = entries
        .iter()
        .map(|e| (e.operation, e.content.as_deref(), e.key.level, e.create == Create::Section, e.scope))
        .collect();
    assert_eq!(
        seen,
        [
            (Operation::NoOp, None, 2, true, Scope::Own),
            (Operation::Clear, None, 2, true, Scope::Own),
            (Operation::Update, Some("1.10"), 2, true, Scope::Own),
            (Operation::Clear, None, 2, true, Scope::Own),
            (Operation::Replace, Some(""), 0, true, Scope::Own),
        ]
    );
}

#[test]
fn two_names_of_one_document_are_one_document() {
    let text = r##"{"version":"1.0.0","entries":[
        {"key":{"kb":"user","heading":"A"},"content":"x"},
        {"key":{"path":"~/USER.md","heading":"A"},"content":"y"},
        {"key":{"path":"~/USER.md","heading":"A","level":3},"content":"z"}]}"##;
    let entries = reading::read(text.as_bytes(), None).unwrap().remove(0).entries;
    let keys = || entries.iter().enumerate().map(|(index, entry)| (index, &entry.key));
    let problems = reading::same_sections(keys().map(|(index, key)| (index, "USER.md", key)));
    assert_eq!(problems.len(), 1);
    let (path, problem) = &problems[0];
    assert_eq!(path, "entries[1].key");
    assert!(problem.message.starts_with("entry 2 names the same section as entry 1"), "{problem:?}");
    assert!(reading::same_sections(keys().map(|(index, key)| (index, index, key))).is_empty());
}

#[test]
fn a_declaration_is_written_without_its_defaults() {
    let written = serde_json::to_value(&reading::read(one("x").as_bytes(), None).unwrap()[0]).unwrap();
    let expected = serde_json::json!({"version": "1.0.0", "entries": [
        {"key": {"kb": "user", "heading": "A"}, "operation": "update", "content": "x"},
    ]});
    assert_eq!(written, expected);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "\\PC{1,40}",
        "[ \\t\\n:#\\-|>'\"&*!%@`\\[\\]{},?~a0-9\\\\]{1,40}",
        proptest::collection::vec(any::<char>(), 1..20).prop_map(|chars| chars.into_iter().collect()),
        Just("null".to_owned()),
        Just("1.10".to_owned()),
        Just("true".to_owned()),
        Just("0x1F".to_owned()),
        Just("  leading\n\n  spaces\n\n\n".to_owned()),
        Just("\u{85}\u{2028}\u{feff}x".to_owned()),
    ]
    .prop_map(|text: String| text.replace('\0', ""))
}

fn name() -> impl Strategy<Value = String> {
    said()
        .prop_map(|text| seen(text.replace(['\n', '\r'], " ").trim().to_owned()).trim().to_owned())
        .prop_filter("blank", |text| !text.is_empty())
}

fn key() -> impl Strategy<Value = Key> {
    let target = prop_oneof![
        name().prop_map(Target::Path),
        name().prop_map(Target::Kb),
        Just(Target::Url("file:///home/me/a%20b.md".to_owned()))
    ];
    let heading = prop_oneof![(proptest::collection::vec(name(), 1..=6), 1..=6u8), Just((Vec::new(), 0)),];
    (target, heading).prop_map(|(target, (heading, level))| Key { target, heading, level })
}

/// A text as an author may say it: without what terminals obey and what nobody sees.
fn said() -> impl Strategy<Value = String> {
    let obeyed = |c: char| {
        c.is_control() && c != '\n' && c != '\t'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
    };
    text().prop_map(move |text| seen(text.replace(obeyed, "")))
}

/// The text without what may not be declared because nobody sees it.
fn seen(mut text: String) -> String {
    while let Some((at, c)) = declaration::terminal::first_hidden(&text) {
        text.replace_range(at..at + c.len_utf8(), "");
    }
    text
}

fn entry() -> impl Strategy<Value = Entry> {
    let meta = (proptest::option::of(0.0..=1.0f64), proptest::option::of(said()));
    let meta = meta.prop_map(|(confidence, reason)| Meta { confidence, reason, ..Meta::default() });
    let content = said().prop_filter("blank", |text| !text.trim().is_empty());
    let operation = prop_oneof![
        Just((Operation::NoOp, None, None)),
        Just((Operation::Clear, None, None)),
        Just((Operation::Delete, None, None)),
        content.prop_map(|text| (Operation::Update, Some(text), None)),
        "[a-z]{1,9}\n".prop_map(|text| (Operation::Append, Some(text), None)),
        (said(), text())
            .prop_map(|(new, old)| (Operation::Replace, Some(new), Some(old)))
            .prop_filter("empty", |(_, _, old)| old.as_ref().is_some_and(|old| !old.is_empty())),
    ];
    let base = prop_oneof![Just(None), Just(Some(format!("sha256:{}", "0a".repeat(32))))];
    (key(), operation, any::<bool>(), any::<bool>(), base, meta).prop_map(
        |(key, (operation, content, old_text), subtree, create, base, meta)| Entry {
            key,
            operation,
            content,
            expect: (old_text.is_some() && subtree).then_some(3),
            old_text,
            create: if subtree && create { Create::Ancestors } else { create.into() },
            base,
            meta,
            scope: if subtree { Scope::Subtree } else { Scope::Own },
        },
    )
}

fn declaration() -> impl Strategy<Value = Declaration> {
    (prop_oneof![Just(String::new()), text()], proptest::collection::vec(entry(), 1..5)).prop_map(
        |(source, mut entries)| {
            let mut seen = std::collections::HashSet::new();
            entries.retain(|entry| seen.insert(entry.key.clone()));
            Declaration { source, entries, unnamed: Vec::new() }
        },
    )
}

/// Good and bad fixtures, to be mutated.
fn fixture() -> impl Strategy<Value = Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/declarations/");
    let files: Vec<Vec<u8>> = ["good", "bad"]
        .iter()
        .flat_map(|sub| std::fs::read_dir(format!("{folder}{sub}")).unwrap())
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .collect();
    proptest::sample::select(files)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(declaration in declaration()) {
        let json = serde_json::to_string(&declaration).unwrap();
        prop_assert_eq!(reading::read(json.as_bytes(), None), Ok(vec![declaration.clone()]));
        let pretty = serde_json::to_string_pretty(&declaration).unwrap();
        prop_assert_eq!(reading::read(format!("{pretty}\n{json}").as_bytes(), None).map(|all| all.len()), Ok(2));
        let yaml = serde_yaml::to_string(&declaration).unwrap();
        prop_assert_eq!(reading::read(yaml.as_bytes(), Some(Format::Yaml)), Ok(vec![declaration]), "{}", yaml);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), json: bool) {
        let _ = reading::read(&bytes, None);
        let _ = reading::read(&bytes, Some(if json { Format::Json } else { Format::Yaml }));
    }

    #[test]
    fn no_yaml_like_text_makes_it_panic(text in "([ \\t]{0,4}[-?:&*!|>'\"%@`{}\\[\\],#a~0.\\\\]{1,4}[ \n]){0,40}") {
        let _ = reading::read(text.as_bytes(), Some(Format::Yaml));
    }

    #[test]
    fn no_changed_fixture_makes_it_panic(
        mut bytes in fixture(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0..4u8), 1..8),
    ) {
        for (at, byte, how) in changes {
            if bytes.is_empty() { break }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, b"\n\t :-{}[]\",&*'#"[usize::from(byte) % 14]),
                _ => bytes.truncate(at),
            }
        }
        for format in [Format::Json, Format::Yaml] {
            if let Err(problems) = reading::read(&bytes, Some(format)) {
                prop_assert!(!problems.is_empty());
            }
        }
    }
}
