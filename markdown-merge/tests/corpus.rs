//! The laws over real documents: every Markdown file of the crates in cargo's registry, and of the folders named in
//! `LAST_WORD_CORPUS` (colon-separated). `LAST_WORD_LAWS=all` takes every section instead of a few per document.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops"
)]

mod support;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{comrak_headings, laws, sections};

/// Contents that have tripped mergers: HTML, fences, lists, tables, CJK.
const CONTENTS: [&str; 8] = [
    "plain words\non two lines",
    "- one\n- two\n  - nested",
    "<div>\nnot closed",
    "```sh\n# not a heading\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "> quoted\n\n1. first\n2. second",
    "使用方法と文字\n\n    indented code",
    "[a link](x) and [a reference]\n\n<!-- a comment -->",
];

/// A document above this gets the short set of laws, unless `LAST_WORD_LAWS=all`.
const LARGE: usize = 6_000;

fn markdown_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            markdown_below(&path, found);
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("md")) {
            found.push(path);
        }
    }
}

fn corpus() -> Vec<PathBuf> {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let mut found = Vec::new();
    if let Some(cargo) = cargo {
        markdown_below(&cargo.join("registry/src"), &mut found);
    }
    for folder in std::env::var("LAST_WORD_CORPUS").unwrap_or_default().split(':').filter(|f| !f.is_empty()) {
        markdown_below(Path::new(folder), &mut found);
    }
    found.sort();
    found
}

/// What ran, what did not and why.
#[derive(Debug, Default)]
struct Tally {
    documents: usize,
    bytes: usize,
    sections: usize,
    /// Sections of large documents, which get the laws about an update only.
    large: usize,
    merges: usize,
    not_a_document: Vec<String>,
    parsers_differ: Vec<String>,
    broken: Vec<String>,
}

fn check(path: &Path, all: bool, tally: &mut Tally) {
    let name = path.components().rev().take(3).collect::<Vec<_>>();
    let name = name.iter().rev().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    let Ok(bytes) = std::fs::read(path) else { return tally.not_a_document.push(name) };
    if let Err(refusal) = markdown_merge::Merger::open(&bytes) {
        return tally.not_a_document.push(format!("{name}: {}", refusal.code));
    }
    let text = String::from_utf8(bytes).unwrap();
    let found = sections(&text);
    tally.documents += 1;
    tally.bytes += text.len();
    let levels: Vec<u8> = found.iter().filter(|s| s.level > 0).map(|s| s.level).collect();
    if comrak_headings(&text).iter().map(|(level, _)| *level).ne(levels.iter().copied()) {
        tally.parsers_differ.push(name.clone());
    }
    let wanted = match text.len() {
        _ if all => usize::MAX,
        0..1_500 => 2,
        _ => 1,
    };
    let step = (found.len() / wanted).max(1);
    for (n, section) in found.iter().enumerate().step_by(step) {
        let content = CONTENTS[(n + text.len()) % CONTENTS.len()];
        tally.sections += 1;
        tally.merges += 20;
        if text.len() > LARGE && !all {
            tally.large += 1;
            tally
                .broken
                .extend(laws::of_one_update(&text, n, content).err().map(|why| format!("{name}: {why}")));
            continue;
        }
        let verdict = laws::of_section(&text, n, content).and_then(|()| {
            laws::create_and_delete(&text, Some(section).filter(|s| s.level > 0 && s.level < 6), content)
        });
        tally.broken.extend(verdict.err().map(|why| format!("{name}: {why}")));
    }
}

impl Tally {
    fn plus(mut self, other: Tally) -> Tally {
        self.documents += other.documents;
        self.bytes += other.bytes;
        self.sections += other.sections;
        self.large += other.large;
        self.merges += other.merges;
        self.not_a_document.extend(other.not_a_document);
        self.parsers_differ.extend(other.parsers_differ);
        self.broken.extend(other.broken);
        self
    }
}

#[test]
fn the_laws_hold_for_real_documents() {
    let all = std::env::var("LAST_WORD_LAWS").is_ok_and(|v| v == "all");
    let documents = corpus();
    // Each thread takes the next document: they differ much in size.
    let next = AtomicUsize::new(0);
    let some = || {
        let mut tally = Tally::default();
        while let Some(path) = documents.get(next.fetch_add(1, Ordering::Relaxed)) {
            check(path, all, &mut tally);
        }
        tally
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let tally = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).fold(Tally::default(), Tally::plus)
    });
    println!(
        "{} documents ({} bytes), {} sections ({} of large documents, with the short set of laws), about {} merges; not documents: {:?}; comrak sees other headings in: {:?}",
        tally.documents,
        tally.bytes,
        tally.sections,
        tally.large,
        tally.merges,
        tally.not_a_document,
        tally.parsers_differ
    );
    assert!(
        tally.broken.is_empty(),
        "{} laws broken, first:\n{}",
        tally.broken.len(),
        tally.broken[..tally.broken.len().min(5)].join("\n\n")
    );
}
