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

/// However many dead links and names a document has: no file is read, and no name is compared, once for each of them.
#[test]
fn the_work_for_a_document_does_not_grow_with_its_square() {
    let counted = |n: usize| {
        let lines = |line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
        let text = lines(&|i| format!("- [a](docs/x{i}.md#h), [b](#h{i}), [c](gone{i}.md#h)\n"))
            + &lines(&|i| format!("- `docs/y{i}/z.md`: run `make t{i}`, `npm run k{i}` or `just r{i}`\n"));
        let files = BTreeMap::from([
            ("README.md".to_owned(), text.clone()),
            ("docs/a.md".to_owned(), "# A\n".to_owned()),
            (".gitignore".to_owned(), "out\n".to_owned()),
            ("Makefile".to_owned(), "all:\n\techo\n".to_owned()),
            ("justfile".to_owned(), "all:\n  echo\n".to_owned()),
            ("package.json".to_owned(), r#"{ "scripts": { "build": "x" } }"#.to_owned()),
        ]);
        let reads = std::cell::RefCell::new(BTreeMap::<String, usize>::new());
        let read = |path: &str| {
            let text = files.get(path).cloned();
            *reads.borrow_mut().entry(path.to_owned()).or_default() += usize::from(text.is_some());
            text
        };
        let tree = Tree::new(files.keys().cloned(), true);
        let document = CheckedDocument { path: "README.md", text: &text };
        let found = drift(&document, &tree, &read, None, "2026-11-23");
        assert!(found.len() > n, "{}", found.len());
        reads.into_inner().into_values().max().unwrap()
    };
    assert_eq!(counted(400), counted(20));
}

/// A name that is nearly one that is defined is looked for for so many, and the others are told without one.
#[test]
fn near_names_are_looked_for_for_the_first_missing_ones() {
    let names = |ending: &str| (0..300).map(move |i| format!("target-{i}{ending}")).collect::<Vec<_>>();
    let rules = names("").iter().map(|name| format!("{name}:\n\techo\n")).collect::<String>();
    let scripts = names("").iter().map(|name| format!("\"{name}\": \"x\"")).collect::<Vec<_>>().join(", ");
    let package = format!("{{ \"private\": true, \"scripts\": {{ {scripts} }} }}");
    for (program, file, defined) in [("make", "Makefile", rules), ("npm run", "package.json", package)] {
        let text = names("a").iter().map(|name| format!("- run `{program} {name}`\n")).collect::<String>();
        let read = |path: &str| (path == file).then(|| defined.clone());
        let tree = Tree::new(["AGENTS.md", file], true);
        let document = CheckedDocument { path: "AGENTS.md", text: &text };
        let found = drift(&document, &tree, &read, None, "2026-11-23");
        let near = found.iter().filter(|finding| finding.now.is_some()).count();
        assert_eq!((found.len(), near), (300, 200), "{program}");
    }
}
