//! Every case under `fixtures/merge/`: a document, what is asked of it, and what must come of it. A case costs no code.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops"
)]

use markdown_merge::{ChangeKind, Create, Edit, Merger, Operation, Rules, Scope};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// One document and what becomes of it. `fixtures/merge/README.md` says what each field means.
#[derive(Debug, Deserialize)]
struct Case {
    name: String,
    #[serde(default)]
    #[expect(dead_code, reason = "for the reader of the case")]
    why: String,
    doc: String,
    #[serde(flatten)]
    single: Option<Step>,
    #[serde(default)]
    entries: Vec<Step>,
    #[serde(default)]
    rules: CaseRules,
    /// The version the author saw: `base` is its hash, and the callback knows it.
    base_text: Option<String>,
    /// The same, but the callback does not know it.
    lost_base_text: Option<String>,
    expect: Option<String>,
    error: Option<String>,
    /// What became of each entry.
    kinds: Option<Vec<ChangeKind>>,
    /// Words the refusal's message must have.
    message: Option<String>,
    /// Lines the refusal must name.
    lines: Option<Vec<usize>>,
}

/// One entry.
#[derive(Debug, Clone, Deserialize)]
struct Step {
    heading: OneOrMany,
    level: u8,
    op: Operation,
    content: Option<String>,
    old_text: Option<String>,
    /// The entry's `expect`.
    times: Option<u32>,
    #[serde(default)]
    scope: Scope,
    #[serde(default)]
    create: Create,
}

/// A heading as one text or as a list with its ancestors.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// Policy, as far as the case needs it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CaseRules {
    create: Option<bool>,
    machine_block: bool,
    block_is_made: bool,
    front_matter: bool,
    bytes_max: Option<usize>,
    headings: markdown_merge::Headings,
    chars_max: Option<usize>,
    tokens_max: Option<usize>,
    section_chars_max: Option<usize>,
}

impl Case {
    fn entries(&self) -> Vec<Edit<'static>> {
        let base =
            self.base_text.as_ref().or(self.lost_base_text.as_ref()).map(|text| markdown_merge::hash(text));
        let steps = self.single.iter().chain(&self.entries);
        steps.map(|step| Edit { base: base.clone().map(Into::into), ..step.entry() }).collect()
    }

    fn rules(&self) -> Rules {
        Rules {
            create: self.rules.create.unwrap_or(true),
            machine_block: self.rules.machine_block,
            block_is_made: self.rules.block_is_made,
            front_matter: self.rules.front_matter,
            bytes_max: self.rules.bytes_max,
            headings: self.rules.headings.clone(),
            chars_max: self.rules.chars_max,
            tokens_max: self.rules.tokens_max,
            section_chars_max: self.rules.section_chars_max,
        }
    }
}

impl Step {
    fn entry(&self) -> Edit<'static> {
        let heading = match &self.heading {
            OneOrMany::One(text) if text.is_empty() => Vec::new(),
            OneOrMany::One(text) => vec![text.clone()],
            OneOrMany::Many(texts) => texts.clone(),
        };
        Edit {
            content: self.content.clone().map(Into::into),
            old_text: self.old_text.clone().map(Into::into),
            expect: self.times,
            scope: self.scope,
            create: self.create,
            ..Edit::new(heading, self.level, self.op)
        }
    }
}

/// Runs one case; the text of a failure, if any.
fn check(case: &Case) -> Result<(), String> {
    let entries = case.entries();
    let known = |hash: &str| case.base_text.clone().filter(|text| markdown_merge::hash(text) == hash);
    let mut merger = match Merger::open(case.doc.as_bytes()) {
        Ok(merger) => merger,
        Err(refusal) => return refused(case, &refusal),
    };
    let result = merger.apply(&entries, &case.rules(), &known);
    let changes = match result {
        Err(refusal) if merger.text() == case.doc => return refused(case, &refusal),
        Err(refusal) => return Err(format!("refused ({}) but changed to {:?}", refusal.code, merger.text())),
        Ok(changes) => changes,
    };
    if let Some(code) = &case.error {
        return Err(format!("expected {code}, got {:?}", merger.text()));
    }
    let expect = case.expect.as_deref().ok_or("a case needs `expect` or `error`")?;
    if merger.text() != expect {
        return Err(format!("expected {expect:?}\n     got {:?}", merger.text()));
    }
    let kinds: Vec<ChangeKind> = changes.iter().map(|change| change.kind).collect();
    if case.kinds.as_ref().is_some_and(|wanted| *wanted != kinds) {
        return Err(format!("expected {:?}, got {kinds:?}", case.kinds));
    }
    merger.verify().map_err(|r| format!("the index is wrong afterwards: {}", r.message))?;
    let fresh = Merger::open(merger.text().as_bytes()).map_err(|r| r.message)?;
    if fresh.sections() != merger.sections() {
        return Err(format!("read whole it has other sections than the edits say: {:?}", merger.text()));
    }
    again(case, &mut merger, &entries, &known)
}

/// A second run changes nothing (one that is refused changes nothing either).
fn again(
    case: &Case,
    merger: &mut Merger,
    entries: &[Edit<'_>],
    known: &dyn Fn(&str) -> Option<String>,
) -> Result<(), String> {
    let once = merger.text().to_owned();
    let _ = merger.apply(entries, &case.rules(), known);
    if merger.text() == once { Ok(()) } else { Err(format!("a second run made {:?}", merger.text())) }
}

fn refused(case: &Case, refusal: &markdown_merge::Refusal) -> Result<(), String> {
    let what = format!("{}: {} (lines {:?})", refusal.code, refusal.message, refusal.lines);
    if case.error.as_deref() != Some(refusal.code.as_str()) {
        return Err(format!("expected {:?} {:?}\n     got {what}", case.error, case.expect));
    }
    let says = case.message.as_ref().is_none_or(|words| refusal.message.contains(words));
    let names = case.lines.as_ref().is_none_or(|lines| *lines == refusal.lines);
    let well_put = !refusal.message.ends_with('.')
        && !refusal.message.starts_with(char::is_uppercase)
        && refusal.hint.as_ref().is_some_and(|hint| !hint.ends_with('.'));
    if says && names && well_put {
        Ok(())
    } else {
        Err(format!("the refusal reads {what}, hint {:?}", refusal.hint))
    }
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/merge");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "json"));
    files.sort();
    files
}

#[test]
fn every_case() {
    let (mut count, mut failures) = (0, Vec::new());
    let mut names = std::collections::HashSet::new();
    for file in fixtures() {
        let text = std::fs::read_to_string(&file).unwrap();
        let cases: Vec<Case> =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for case in &cases {
            count += 1;
            assert!(names.insert(case.name.clone()), "two cases are called {}", case.name);
            if let Err(why) = check(case) {
                let file = file.file_name().unwrap_or_default().to_string_lossy();
                failures.push(format!("{file}: {}\n     {why}", case.name));
            }
        }
    }
    println!("{count} cases of fixtures/merge, {} failed", failures.len());
    assert!(failures.is_empty(), "{} of {count} cases failed\n{}", failures.len(), failures.join("\n"));
}
