//! What is found and what is left alone, by the cases of `fixtures/drift/`; and that no text makes it panic.
// Clippy knows only functions marked `#[test]` as tests, not their helpers.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use drift::{CheckedDocument, DriftFinding, Earlier, Ignored, Past, Tree, drift, is_about_now};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    document: String,
    text: String,
    files: BTreeMap<String, Option<String>>,
    /// What was there before: path → text (null: not looked into).
    before: Option<BTreeMap<String, Option<String>>>,
    #[serde(default = "yes")]
    complete: bool,
    found: Vec<String>,
}

/// One state before the present one.
struct Before {
    gone: BTreeMap<String, usize>,
    texts: Vec<Earlier>,
}

impl Before {
    fn of(files: &BTreeMap<String, Option<String>>) -> Before {
        let texts = files.iter().filter(|(path, text)| text.is_some() || path.ends_with(".md"));
        let earlier = |(path, text): (&String, &Option<String>)| Earlier {
            path: path.clone(),
            age: 0,
            text: text.clone(),
        };
        Before {
            gone: files.keys().map(|path| (path.clone(), 0)).collect(),
            texts: texts.map(earlier).collect(),
        }
    }
}

impl Past for Before {
    fn gone(&self) -> &BTreeMap<String, usize> {
        &self.gone
    }

    fn earlier(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<Earlier> {
        self.texts.iter().filter(|earlier| wanted(&earlier.path)).cloned().collect()
    }
}

fn yes() -> bool {
    true
}

fn shown(found: &DriftFinding) -> String {
    let now = found.now.as_ref().map_or_else(String::new, |now| format!(" -> {now}"));
    format!("{} {}: {}{now}", found.line, found.check, found.says)
}

fn cases() -> Vec<Case> {
    serde_yaml::from_str(&std::fs::read_to_string("../fixtures/drift/cases.yaml").unwrap()).unwrap()
}

fn found(case: &Case, text: &str) -> Vec<String> {
    let mut ignored = Ignored::default();
    for (path, text) in &case.files {
        match (path.rsplit_once('/').unwrap_or(("", path)), text) {
            ((dir, ".gitignore"), Some(text)) => ignored.add(dir, text),
            (("", ".gitmodules"), Some(text)) => ignored.add_submodules(text),
            _ => {}
        }
    }
    let files = case.files.keys().cloned().chain([case.document.clone()]);
    let tree = Tree::new(files, case.complete).ignoring(ignored);
    let read = |path: &str| case.files.get(path).cloned().flatten();
    let document = CheckedDocument { path: &case.document, text };
    let before = case.before.as_ref().map(Before::of);
    let past = before.as_ref().map(|before| before as &dyn Past);
    drift(&document, &tree, &read, past, "2026-11-23").iter().map(shown).collect()
}

#[test]
fn what_is_found_and_what_is_left_alone() {
    let cases = cases();
    assert!(cases.len() > 25);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let found = found(case, &case.text);
            (found != case.found)
                .then(|| format!("{}:\n  found    {found:?}\n  expected {:?}", case.name, case.found))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Texts that are cut anywhere, or have another letter anywhere, do not make it panic.
#[test]
fn any_text_is_survived() {
    for case in cases() {
        for at in (0..case.text.len()).filter(|at| case.text.is_char_boundary(*at)) {
            found(&case, &case.text[..at]);
            for with in ["`", "[", "#", "é", "/", "\n"] {
                found(&case, &format!("{}{with}{}", &case.text[..at], &case.text[at..]));
            }
        }
    }
}

#[test]
fn what_is_about_another_time_is_not_asked() {
    for path in [
        "CHANGELOG.md",
        "docs/changes/1.0.md",
        ".changes/2.0.0.md",
        "docs/rfcs/status.md",
        "HISTORY.md",
        "UPGRADING.md",
        "BREAKING-CHANGES.md",
        "docs/release-notes.md",
        "site/blog/2024/faster.md",
        "docs/designs/tokens.md",
        "design/20190708.tokens.md",
        "notes/kit-1.0.3.md",
        "relnotes/v0.57.0.md",
    ] {
        assert!(!is_about_now(path), "{path}");
    }
    for path in ["README.md", "docs/guide.md", "docs/http-1.1.md", "memory-bank/MEMORY.md", "CONTRIBUTING.md"]
    {
        assert!(is_about_now(path), "{path}");
    }
}
