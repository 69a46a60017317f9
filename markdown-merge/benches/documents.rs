//! What a merge refuses, and whether it breaks anything, on a directory of other people's Markdown: many operations on each
//! document, the laws of docs/MERGE.md on each result, and the refusals by reason.
//!
//! `cargo bench -p last-word-markdown-merge --bench documents -- DIR… [--show CODE]`; `benches/corpus` fetches DIR.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench that cannot go on stops"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use markdown_merge::{Edit, Merger, Operation, Scope, Section};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use support::{apply, comrak_headings, entry, laws, sections};

/// Sections of one document that are operated on.
const SECTIONS_MAX: usize = 4;
/// A document above this many bytes is left out: the laws parse it hundreds of times.
const BYTES_MAX: usize = 512 * 1024;

/// What came of the operations.
#[derive(Debug, Default)]
struct Tally {
    documents: usize,
    bytes: usize,
    operations: usize,
    not_a_document: BTreeMap<String, usize>,
    parsers_differ: usize,
    /// By code and operation: how often, and where first.
    refused: BTreeMap<(String, &'static str), Vec<String>>,
    broken: Vec<String>,
}

fn main() {
    let mut folders: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let show = folders.iter().position(|arg| arg == "--show").map(|at| {
        folders.remove(at);
        folders.remove(at)
    });
    if folders.is_empty() {
        return println!("documents: give a directory of Markdown files (see benches/corpus)");
    }
    let mut paths = Vec::new();
    folders.iter().for_each(|folder| markdown_below(Path::new(folder), &mut paths));
    paths.sort();
    let (mut tally, mut seen) = (Tally::default(), HashSet::new());
    for path in &paths {
        let bytes = std::fs::read(path).unwrap();
        if bytes.len() <= BYTES_MAX && seen.insert(bytes.clone()) {
            document(path, bytes, &mut tally);
        }
    }
    report(&tally, show.as_deref());
    assert!(tally.broken.is_empty(), "{} laws broken", tally.broken.len());
}

fn markdown_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            markdown_below(&path, found);
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("md")) {
            found.push(path);
        }
    }
}

fn document(path: &Path, bytes: Vec<u8>, tally: &mut Tally) {
    if let Err(refusal) = Merger::open(&bytes) {
        *tally.not_a_document.entry(refusal.code.to_string()).or_default() += 1;
        return;
    }
    let text = String::from_utf8(bytes).unwrap();
    let all = sections(&text);
    tally.documents += 1;
    tally.bytes += text.len();
    let levels = all.iter().filter(|s| s.level > 0).map(|s| s.level);
    tally.parsers_differ += usize::from(comrak_headings(&text).iter().map(|(level, _)| *level).ne(levels));
    // First, last and some between: introductions, licences and changelogs differ in kind.
    let step = (all.len() / SECTIONS_MAX).max(1);
    let picked = (0..all.len()).step_by(step).chain(all.len().checked_sub(1));
    let picked: std::collections::BTreeSet<usize> = picked.collect();
    for at in picked {
        for (name, entry) in operations(&text, &all[at]) {
            operation(path, (&text, &all, at), (name, &entry), tally);
        }
    }
}

/// What an agent that has read the document might declare about one section.
fn operations(text: &str, section: &Section) -> Vec<(&'static str, Edit<'static>)> {
    let (heading, level) = (&section.heading, section.level);
    let make = |operation, content| entry(heading, level, operation, content);
    let own = &text[section.body.clone()];
    let mut all = vec![
        ("update", make(Operation::Update, Some("Said anew.\n\n- one\n- two"))),
        ("append", make(Operation::Append, Some("- one thing more"))),
        ("append", make(Operation::Append, Some("A paragraph more."))),
        ("clear", make(Operation::Clear, None)),
    ];
    if level > 0 {
        let delete = make(Operation::Delete, None);
        all.push(("delete", Edit { scope: Scope::Subtree, ..delete }));
    }
    if level < 6 {
        let mut below = heading.clone();
        below.push("A heading nobody has".to_owned());
        let new = entry(&below, level + 1, Operation::Update, Some("New words."));
        all.push(("create", new));
    }
    let once = |line: &&str| line.len() > 3 && line.contains(' ') && own.matches(*line).count() == 1;
    if let Some(line) = own.lines().map(str::trim).find(once) {
        let (first, rest) = line.split_at(line.rfind(' ').unwrap_or(0));
        let changed = format!("{first} changed{rest}");
        let replace = make(Operation::Replace, Some(&changed));
        all.push(("replace", Edit { old_text: Some(line.to_owned().into()), ..replace }));
    }
    all
}

fn operation(
    path: &Path,
    (text, all, at): (&str, &[Section], usize),
    (name, entry): (&'static str, &Edit<'static>),
    tally: &mut Tally,
) {
    tally.operations += 1;
    let place = || format!("{}:{}", path.display(), all[at].line);
    match apply(text, entry) {
        Err(refusal) => {
            let found = tally.refused.entry((refusal.code.to_string(), name)).or_default();
            found.push(format!("{}: {}", place(), refusal.message));
        }
        Ok((after, _)) if name == "delete" => {
            let again = apply(&after, entry);
            if let Err(refusal) = again {
                let found = tally.refused.entry((refusal.code.to_string(), "delete again")).or_default();
                found.push(format!("{}: {}", place(), refusal.message));
            }
        }
        Ok(_) => {}
    }
    let verdict = match name {
        "create" => Ok(()),
        _ => laws::one_entry(text, &all[at], all, entry),
    };
    tally.broken.extend(verdict.err().map(|why| format!("{} ({name}): {why}", place())));
}

fn report(tally: &Tally, show: Option<&str>) {
    let refused: usize = tally.refused.values().map(Vec::len).sum();
    let percent = |n: usize| 100.0 * n as f64 / tally.operations.max(1) as f64;
    println!(
        "{} documents, {} bytes; not documents: {:?}; comrak sees other headings in {}",
        tally.documents, tally.bytes, tally.not_a_document, tally.parsers_differ
    );
    println!("{} operations, {refused} refused ({:.2} %)", tally.operations, percent(refused));
    for ((code, name), found) in &tally.refused {
        println!("{:6} {:5.2} %  {code} ({name})", found.len(), percent(found.len()));
    }
    let shown = tally.refused.iter().filter(|((code, _), _)| Some(code.as_str()) == show);
    for (_, found) in shown {
        found.iter().for_each(|line| println!("{line}"));
    }
    println!("{} laws broken", tally.broken.len());
    tally.broken.iter().take(20).for_each(|why| println!("{}", why.chars().take(2_000).collect::<String>()));
}
