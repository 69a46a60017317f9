//! The default configuration, and what becomes of a user's file laid over it.
// Clippy knows only functions marked `#[test]` as tests, not their helpers.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use declaration::Code;
use policy::knowledge_base::{OnOverBudget, Policy, Root};
use policy::settings::{DECIDABLE, Mode, Retention, Retry, Settings, with_decider, with_project};
use proptest::prelude::*;

const DEFAULTS: &str = include_str!("../../engine/src/default-config.yaml");
const DAY_MS: u64 = 24 * 3600 * 1000;

fn defaults() -> Settings {
    Settings::parse(DEFAULTS, None).unwrap()
}

#[test]
fn a_yes_is_taken_by_the_channels_that_are_named() {
    let by = |yaml: &str| Settings::parse(&format!("version: 1\n{yaml}"), Some(&defaults()));
    let usual = by("").unwrap();
    for channel in ["terminal", "terminal, asked", "page", "decider nightly", "program"] {
        assert!(usual.reviews_by(channel), "{channel}");
    }
    let strict = by("review: { channels: [terminal] }").unwrap();
    for (channel, may) in
        [("terminal, asked", true), ("page", false), ("decider nightly", false), ("program", true)]
    {
        assert_eq!(strict.reviews_by(channel), may, "{channel}");
    }
    let problems = by("review: { channels: [terminal, phone] }").unwrap_err();
    assert_eq!(problems[0].code, Code::UnknownChannel, "{problems:?}");
}

#[test]
fn a_command_that_no_script_can_have_is_answered_with_all_that_one_can() {
    let problems =
        Settings::parse("version: 1\ndeciders: { nightly: [items] }", Some(&defaults())).unwrap_err();
    assert_eq!(problems[0].code, Code::UnknownCommand, "{problems:?}");
    let hint = problems[0].hint.as_deref().unwrap_or_default();
    assert_eq!(hint, format!("known are: {}", DECIDABLE.join(", ")));
}

#[test]
fn the_defaults_are_those_of_the_design() {
    let defaults = defaults();
    let kbs: Vec<_> = defaults
        .knowledge_bases
        .iter()
        .map(|b| (b.name.as_str(), b.policy, b.root, b.budget_chars, b.create))
        .collect();
    assert_eq!(
        kbs,
        [
            ("user", Policy::Auto, Root::None, Some(2500), true),
            ("memory", Policy::Auto, Root::None, Some(4000), true),
            ("soul", Policy::Review, Root::None, Some(2000), true),
            ("global", Policy::Auto, Root::None, None, true),
            ("project", Policy::Auto, Root::Project, None, false),
            ("log", Policy::Auto, Root::None, Some(4000), true),
        ]
    );
    assert_eq!(defaults.session_bootstrap, ["soul", "user", "memory", "global", "project"]);
    assert_eq!(defaults.retry, Retry { retries: 3, base_ms: 1000, cap_ms: 10_000, lock_wait_ms: 5000 });
    assert_eq!(defaults.retention, Retention { done_ms: 30 * DAY_MS, journal_ms: 90 * DAY_MS, snapshots: 5 });
    assert!(defaults.enabled && defaults.projects.is_empty());
    let hooks = &defaults.hooks;
    assert_eq!((hooks.context_chars, hooks.ask, hooks.remind, hooks.drain), (9000, true, true, false));
    assert_eq!((defaults.guard.documents, defaults.guard.unread), (Mode::Block, Mode::Warn));
    let tags: Vec<_> = defaults.knowledge_bases.iter().map(|kb| kb.tag.as_str()).collect();
    assert_eq!(
        tags,
        ["user-profile", "agent-memory", "agent-identity", "agent-notes", "project-knowledge", "log"]
    );
}

#[test]
fn every_field_of_the_defaults_is_needed_and_named_when_missing() {
    let problems = Settings::parse("version: 1\n", None).unwrap_err();
    let missing: Vec<_> = problems.iter().map(|p| p.message.split(' ').next().unwrap()).collect();
    assert!(problems.iter().all(|p| p.code.as_str() == "missing_field"));
    assert_eq!(missing.len(), 34, "{missing:?}");
}

#[test]
fn a_users_file_lies_over_the_defaults() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/config/good/own.yaml"))
            .unwrap();
    let settings = Settings::parse(&text, Some(&defaults())).unwrap();
    assert_eq!(settings.retry, Retry { retries: 5, base_ms: 1000, cap_ms: 120_000, lock_wait_ms: 5000 });
    assert_eq!(settings.retention, Retention { done_ms: 7 * DAY_MS, ..defaults().retention });
    assert_eq!(settings.projects, ["~/work/website", "/srv/agents"]);
    assert!(!settings.enabled);
    let names: Vec<_> = settings.knowledge_bases.iter().map(|kb| kb.name.as_str()).collect();
    assert_eq!(names, ["notes", "diary"]);
    let diary = settings.knowledge_base("diary").unwrap();
    assert_eq!((diary.policy, diary.root, diary.create), (Policy::Review, Root::Home, false));
    assert!(diary.front_matter && diary.machine_block);
    assert_eq!((diary.budget_chars, diary.on_over_budget), (Some(1000), OnOverBudget::Review));
    assert_eq!((diary.min_confidence, diary.snapshots), (Some(0.8), Some(20)));
    assert_eq!(
        (&diary.headings.allow[0], &diary.headings.deny[0]),
        (&"Today".to_owned(), &"Secrets".to_owned())
    );
    assert_eq!(settings.knowledge_base("notes").unwrap().title, "notes");
    assert_eq!((settings.hooks.context_chars, settings.hooks.ask), (4000, true));
    assert_eq!((settings.guard.documents, settings.guard.unread), (Mode::Off, Mode::Warn));
    assert_eq!(diary.tag, "the-diary");
}

#[test]
fn nothing_but_a_version_means_the_defaults() {
    assert_eq!(Settings::parse("version: 1\nretry:\n", Some(&defaults())).unwrap(), defaults());
}

#[test]
fn of_the_default_bootstrap_only_what_is_configured_remains() {
    let text = "version: 1\nknowledge_bases: { user: { path: ~/U.md } }\n";
    assert_eq!(Settings::parse(text, Some(&defaults())).unwrap().session_bootstrap, ["user"]);
}

#[test]
fn what_is_kept_of_a_configuration_counts_for_that_text_and_that_build_alone() {
    let own = "version: 1\nknowledge_bases:\n  notes: { path: ~/notes.md, min_confidence: 0.1, headings: { deny: [A] } }\n";
    for (text, settings) in [(DEFAULTS, defaults()), (own, Settings::parse(own, Some(&defaults())).unwrap())]
    {
        let kept = settings.to_cache(text, 7).unwrap();
        assert_eq!(Settings::from_cache(&kept, text, 7).as_ref(), Some(&settings));
        assert_eq!(Settings::from_cache(&kept, text, 8), None, "another build");
        for changed in [format!("{text}\n"), format!("\n{text}"), text[1..].to_owned(), String::new()] {
            assert_eq!(Settings::from_cache(&kept, &changed, 7), None, "the text changed");
        }
        let spaced = settings.to_cache(&format!("\n\n{text}"), 7).unwrap();
        assert_eq!(Settings::from_cache(&spaced, text, 7), None, "lines went from its beginning");
        for len in 0..kept.len() {
            assert_eq!(Settings::from_cache(&kept[..len], text, 7), None, "cut at {len}");
        }
        let mut torn = kept.clone();
        torn[kept.len() - 40..].fill(0);
        assert_eq!(Settings::from_cache(&torn, text, 7), None, "a hole");
    }
}

#[test]
fn a_project_is_listed_and_every_other_byte_stays() {
    let cases = [
        // No list yet, with and without a last line end.
        ("version: 1\n", "version: 1\nprojects:\n  - ~/site\n"),
        ("version: 1 # mine", "version: 1 # mine\nprojects:\n  - ~/site\n"),
        ("version: 1\r\nenabled: true\r\n", "version: 1\r\nenabled: true\r\nprojects:\r\n  - ~/site\r\n"),
        // In brackets.
        ("version: 1\nprojects: []\n", "version: 1\nprojects: [~/site]\n"),
        ("projects: [ ] # none\nversion: 1\n", "projects: [~/site ] # none\nversion: 1\n"),
        (
            "version: 1\nprojects: [~/a, '/b,]c']  # two\n",
            "version: 1\nprojects: [~/a, '/b,]c', ~/site]  # two\n",
        ),
        (
            "version: 1\nprojects: [\n  ~/a, # one ]\n  ~/b, # two\n]\n",
            "version: 1\nprojects: [\n  ~/a, # one ]\n  ~/b, ~/site # two\n]\n",
        ),
        // A line each.
        ("projects:\nversion: 1\n", "projects:\n  - ~/site\nversion: 1\n"),
        (
            "projects: # mine\n- ~/a # first\n\n# second\n- ~/b\n# end\nversion: 1\n",
            "projects: # mine\n- ~/a # first\n\n# second\n- ~/b\n- ~/site\n# end\nversion: 1\n",
        ),
        ("version: 1\nprojects:\n    - ~/a", "version: 1\nprojects:\n    - ~/a\n    - ~/site\n"),
    ];
    for (before, after) in cases {
        assert_eq!(with_project(before, "~/site", &defaults()).as_deref(), Some(after), "{before}");
    }
    let odd = with_project("version: 1\nprojects: [~/a]\n", "~/my site: [\"1\"]", &defaults()).unwrap();
    assert_eq!(Settings::parse(&odd, Some(&defaults())).unwrap().projects, ["~/a", "~/my site: [\"1\"]"]);
    let own = with_project(DEFAULTS, "/srv/x", &defaults()).unwrap();
    assert_eq!(own, DEFAULTS.replace("projects: []", "projects: [/srv/x]"));
    // What is written in another way is left to the person.
    for text in [
        "{version: 1, projects: []}",
        "version: 1\nprojects: &a [~/x]\n",
        "version: 1\nprojects: [\"a\\\"b\"]\n",
        "not yaml: [",
    ] {
        assert_eq!(with_project(text, "~/site", &defaults()), None, "{text}");
    }
}

#[test]
fn a_decider_is_added_changed_and_removed_and_nothing_else_changes() {
    let all: &[&str] = &["resolve", "prune"];
    let cases: [(&str, &[&str], &str); 14] = [
        // No list yet.
        ("version: 1", all, "version: 1\ndeciders:\n  nightly: [resolve, prune]\n"),
        ("version: 1\n", &[], "version: 1\n"),
        // In braces.
        ("deciders: {}\nversion: 1\n", all, "deciders: { nightly: [resolve, prune] }\nversion: 1\n"),
        (
            "deciders: { a: [hold] } # who\nversion: 1\n",
            all,
            "deciders: { a: [hold], nightly: [resolve, prune] } # who\nversion: 1\n",
        ),
        (
            "version: 1\ndeciders: { nightly: [hold] }",
            all,
            "version: 1\ndeciders: { nightly: [resolve, prune] }",
        ),
        ("version: 1\ndeciders: { nightly: [hold] }\n", &[], "version: 1\ndeciders: {}\n"),
        // A line each.
        ("deciders:\nversion: 1\n", all, "deciders:\n  nightly: [resolve, prune]\nversion: 1\n"),
        (
            "deciders: # who\n    a: [hold] # one\n\n# two\n    b:\n      - hold\n# end\nversion: 1\n",
            all,
            "deciders: # who\n    a: [hold] # one\n\n# two\n    b:\n      - hold\n    nightly: [resolve, prune]\n# end\nversion: 1\n",
        ),
        (
            "version: 1\ndeciders:\n  nightly: [hold] # why\n  z: [hold]\n",
            all,
            "version: 1\ndeciders:\n  nightly: [resolve, prune] # why\n  z: [hold]\n",
        ),
        (
            "version: 1\ndeciders:\n  nightly: [hold]\n  z: [hold]\n",
            &[],
            "version: 1\ndeciders:\n  z: [hold]\n",
        ),
        ("deciders: # who\n  nightly: [hold]\nversion: 1\n", &[], "deciders: {} # who\nversion: 1\n"),
        (
            "version: 1\r\ndeciders:\r\n  a: [hold]\r\n",
            all,
            "version: 1\r\ndeciders:\r\n  a: [hold]\r\n  nightly: [resolve, prune]\r\n",
        ),
        (
            "version: 1\ndeciders:\n  a: [hold]",
            all,
            "version: 1\ndeciders:\n  a: [hold]\n  nightly: [resolve, prune]\n",
        ),
        ("version: 1\ndeciders: { a: [hold] }\n", &[], "version: 1\ndeciders: { a: [hold] }\n"),
    ];
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for (before, commands, after) in cases {
        let said = with_decider(before, "nightly", &words(commands), &defaults());
        assert_eq!(said.as_deref(), Some(after), "{before}");
    }
    let own = with_decider(DEFAULTS, "nightly", &words(all), &defaults()).unwrap();
    assert_eq!(own, DEFAULTS.replace("\ndeciders: {}", "\ndeciders: { nightly: [resolve, prune] }"));
}

#[test]
fn deciders_that_are_written_in_another_way_are_left_to_the_person_and_so_is_a_bad_name() {
    let all = ["resolve".to_owned()];
    for (text, name) in [
        ("{version: 1, deciders: {}}", "nightly"),
        ("version: 1\ndeciders: &a { nightly: [hold] }\n", "nightly"),
        ("version: 1\ndeciders: {\n  a: [hold] }\n", "nightly"),
        ("version: 1\ndeciders:\n  nightly:\n    - hold\n", "nightly"),
        ("version: 1\ndeciders:\n  \"nightly\": [hold]\n", "nightly"),
        ("version: 1\n", "Nightly"),
        ("version: 1\n", "a: [review]\n  b"),
        ("version: 1\n", ""),
    ] {
        assert_eq!(with_decider(text, name, &all, &defaults()), None, "{text}");
    }
    assert_eq!(with_decider("version: 1\n", "nightly", &["deciders".to_owned()], &defaults()), None);
}

fn fixture() -> impl Strategy<Value = Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/config/good");
    let mut all: Vec<Vec<u8>> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .chain([DEFAULTS.as_bytes().to_vec()])
        .collect();
    all.sort();
    proptest::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_yaml_like_text_makes_it_panic(text in "([ \\t]{0,4}[-?:&*!|>'\"%@`{}\\[\\],#a~0.\\\\]{1,4}[ \n]){0,40}") {
        let _ = Settings::parse(&text, None);
    }

    #[test]
    fn no_changed_configuration_makes_it_panic(
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
        let _ = Settings::parse(&String::from_utf8_lossy(&bytes), None);
    }
}
