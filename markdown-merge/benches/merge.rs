//! What a merge costs in process, beside a plain read, UTF-8 check and write of the same bytes. Prints a table.
//!
//! `cargo bench -p last-word-markdown-merge --bench merge`. Goals: one entry into 1 MiB with 1,000 sections under 15 ms; 100 entries
//! in one call under three times that; linear up to 16 MiB.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops"
)]

use markdown_merge::{Edit, ITEM, Merger, Operation, Rules, Stamp};
use std::hint::black_box;
use std::time::Duration;

const MIB: usize = 1024 * 1024;

/// A document of about `bytes` bytes with `sections` second-level sections: prose, lists, tables, fences, links.
fn document(bytes: usize, sections: usize) -> String {
    const PARAGRAPHS: [&str; 6] = [
        "A paragraph with *emphasis*, `code`, a [link](https://example.org/a/b) and a [reference][home] in it,\nlong enough to be one.\n\n",
        "- first item\n- second item with **strong** text\n  - nested\n- third\n\n",
        "| name | value |\n|------|-------|\n| a    | 1     |\n| b    | 2     |\n\n",
        "```rust\nfn main() {\n    // # not a heading\n}\n```\n\n",
        "> quoted words\n> on two lines\n\n",
        "日本語の段落です。これは見出しではありません。\n\n",
    ];
    let mut text = String::from("---\ntitle: bench\n---\n\n# Document\n\nSee [home].\n\n");
    let each = bytes / sections;
    for i in 0..sections {
        let start = text.len();
        text.push_str(&format!("## Section {i}\n\n"));
        let mut n = i;
        while text.len() - start < each {
            text.push_str(PARAGRAPHS[n % PARAGRAPHS.len()]);
            n += 1;
        }
    }
    text.push_str("## Links\n\n[home]: https://example.org\n");
    text
}

fn entry(section: usize, content: String) -> Edit<'static> {
    Edit {
        content: Some(content.into()),
        ..Edit::new(vec![format!("Section {section}")], 2, Operation::Update)
    }
}

fn entries(count: usize, sections: usize, definitions: bool) -> Vec<Edit<'static>> {
    let content = |i: usize| match definitions {
        true => format!("See [n{i}].\n\n[n{i}]: https://example.org/{i}"),
        false => format!("- fact {i}\n- another, with a [reference][home]"),
    };
    (0..count).map(|i| entry((i * 37 + 5) % sections, content(i))).collect()
}

/// Time this thread has had a core for. The clock counts every nanosecond; `/proc/thread-self/schedstat` moves only
/// with the scheduler's tick.
fn on_core() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).expect("less than a second"))
}

/// The median of some runs, as time on a core, so that a busy machine does not count.
fn median(runs: usize, mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let before = on_core();
            work();
            on_core().saturating_sub(before)
        })
        .collect();
    times.sort();
    times[runs / 2]
}

/// A batch of jobs, one entry each, as a worker merges them: into sections that are as good as empty.
fn batch(jobs: usize, sections: usize) {
    let each: String = (0..sections).map(|i| format!("## Section {i}\n\n- noop\n\n")).collect();
    let text = format!("# Document\n\n{each}");
    let words = "the quick brown fox jumps over the lazy dog ".repeat(20);
    let mut merger = Merger::open(text.as_bytes()).expect("the document is sound");
    for i in 0..jobs {
        let own =
            Edit { operation: Operation::Append, ..entry(i % sections, format!("- note {i}: {words}")) };
        merger.apply(std::slice::from_ref(&own), &Rules::default(), &|_| None).expect("the entry is sound");
    }
    merger.verify().expect("sound");
    black_box(merger.text().len());
}

fn merge(bytes: &[u8], entries: &[Edit<'_>]) {
    let mut merger = Merger::open(bytes).expect("the document is sound");
    let changes = merger.apply(entries, &Rules::default(), &|_| None).expect("the entries are sound");
    assert_eq!(changes.len(), entries.len());
    black_box(merger.text().len());
}

/// A month of facts: so many items, a day's under its heading, 1 MiB together.
fn month(items: usize) -> String {
    let words = "the quick brown fox jumps over the lazy dog and goes on to say what was learned ".repeat(2);
    let mut text = String::from("# Facts\n");
    for i in 0..items {
        if i % items.div_ceil(31) == 0 {
            text.push_str(&format!("\n## 2026-03-{:02}\n\n", i / items.div_ceil(31) + 1));
        }
        text.push_str(&format!(
            "- [W] fact {i}: {words} #fox <!-- lw 14:30+08:00 c=0.9 by=agent --> ^{i:08}\n"
        ));
    }
    text
}

/// New items, or operations on items that are there, one job each.
fn items(text: &str, operation: Operation, jobs: usize) {
    let mut merger = Merger::open(text.as_bytes()).expect("the document is sound");
    for i in 0..jobs {
        let stamp = Stamp {
            id: format!("new{i:05}").into(),
            at: "2026-03-31T14:30+08:00".into(),
            fields: Vec::new(),
            occurs: false,
        };
        let heading = if operation == Operation::Add {
            Vec::new()
        } else {
            vec![ITEM.to_owned(), format!("{:08}", i * 7)]
        };
        let level = if operation == Operation::Add { 2 } else { 0 };
        let content =
            Some(format!("[W] something new, number {i}").into()).filter(|_| operation.writes_item());
        let edit = Edit { content, stamp: Some(stamp), ..Edit::new(heading, level, operation) };
        merger.apply([edit], &Rules::default(), &|_| None).expect("the item is sound");
    }
    black_box(merger.text().len());
}

/// Reads, checks UTF-8 and writes the same bytes, without any merge: the floor.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    let bytes = std::fs::read(from).expect("the bench wrote it");
    let text = std::str::from_utf8(&bytes).expect("it is text");
    std::fs::write(to, black_box(text)).expect("the temp folder is writable");
}

fn row(what: &str, took: Duration, one: Duration) {
    let (ms, times) = (took.as_secs_f64() * 1e3, took.as_secs_f64() / one.as_secs_f64());
    println!("{what:<58} {ms:>9.2} ms {times:>7.2} x");
}

fn main() {
    let folder = std::env::temp_dir();
    let (from, to) = (folder.join("last-word-bench-a.md"), folder.join("last-word-bench-b.md"));
    let text = document(MIB, 1000);
    println!("document: {} bytes, 1,000 sections; times are medians, `x` is against one entry\n", text.len());
    let one = median(31, || merge(text.as_bytes(), &entries(1, 1000, false)));
    row("open + 1 entry", one, one);
    row(
        "open + 100 entries in one call",
        median(15, || merge(text.as_bytes(), &entries(100, 1000, false))),
        one,
    );
    let defined = entries(100, 1000, true);
    row("open + 100 entries with link definitions", median(15, || merge(text.as_bytes(), &defined)), one);
    row("open alone", median(31, || drop(black_box(Merger::open(text.as_bytes())))), one);
    let parse = || {
        use pulldown_cmark::{Options, Parser};
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS;
        black_box(Parser::new_ext(&text, options).into_offset_iter().count());
    };
    row("the Markdown parser alone, all events", median(31, parse), one);
    let merger = Merger::open(text.as_bytes()).expect("the document is sound");
    row("verify (a whole parse, once per write)", median(31, || merger.verify().expect("sound")), one);
    std::fs::write(&from, &text).expect("the temp folder is writable");
    row("plain read, UTF-8 check, write of the same bytes", median(31, || copy(&from, &to)), one);
    row("1 job into 1,000 short sections", median(31, || batch(1, 1000)), one);
    row("100 jobs of 1 KiB into 1,000 short sections", median(15, || batch(100, 1000)), one);
    row("1,000 jobs of 1 KiB into 100 short sections", median(7, || batch(1000, 100)), one);
    println!();
    for count in [100, 4000] {
        let text = month(count);
        let what = |what: &str| format!("{what} a month of {count} items ({} KiB)", text.len() / 1024);
        row(&what("open alone,"), median(15, || drop(black_box(Merger::open(text.as_bytes())))), one);
        row(&what("add 1 item to"), median(15, || items(&text, Operation::Add, 1)), one);
        row(&what("add 100 items to"), median(7, || items(&text, Operation::Add, 100)), one);
        row(&what("revise 1 item of"), median(15, || items(&text, Operation::Revise, 1)), one);
        row(&what("retire 10 items of"), median(7, || items(&text, Operation::Retire, 10)), one);
    }
    println!();
    for size in [1, 2, 4, 8, 16] {
        let text = document(size * MIB, 1000 * size);
        let took = median(5, || merge(text.as_bytes(), &entries(1, 1000, false)));
        std::fs::write(&from, &text).expect("the temp folder is writable");
        let plain = median(5, || copy(&from, &to));
        let plain_ms = plain.as_secs_f64() * 1e3;
        row(&format!("{size:>2} MiB, {} sections (plain copy {plain_ms:.2} ms)", 1000 * size), took, one);
    }
    let flat = format!("# T\n\n{}", "word and *more* words\n".repeat(4 * MIB / 22));
    let own = Edit { content: Some("end".into()), ..Edit::new(vec!["T".to_owned()], 1, Operation::Append) };
    row(" 4 MiB, one section, append", median(5, || merge(flat.as_bytes(), std::slice::from_ref(&own))), one);
    for path in [from, to] {
        let _ = std::fs::remove_file(path);
    }
}
