//! What it is worth to write the texts of a job's entries by `wire::Texts` and not by serde_json alone: nanoseconds an entry,
//! both ways in turn, for texts of several kinds. `cargo bench -p last-word-declaration --bench json`.
//!
//! To be held against what a job costs as a whole: 38,000 ns where 100 are enqueued in one call (docs/PERFORMANCE.md).
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench that cannot go on stops")]

use declaration::reading::wire::{Texts, append_json};
use declaration::{Declaration, Entry};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 15;
const ENTRIES: usize = 2000;

/// Nanoseconds for each call.
fn nanos(mut write: impl FnMut(&mut Vec<u8>)) -> f64 {
    let mut out = Vec::with_capacity(1 << 20);
    let begun = Instant::now();
    for _ in 0..ENTRIES {
        out.clear();
        write(&mut out);
        black_box(&out);
    }
    begun.elapsed().as_nanos() as f64 / ENTRIES as f64
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn entries(content: &str) -> Vec<Entry> {
    let content = serde_json::to_string(content).unwrap();
    let text = format!(
        r#"{{"version":"1.0.0","entries":[{{"key":{{"kb":"user","heading":"H"}},"operation":"append","content":{content}}}]}}"#
    );
    let read: Vec<Declaration> = declaration::reading::read(text.as_bytes(), None).unwrap();
    read.into_iter().next().unwrap().entries
}

fn main() {
    let texts = [
        ("1 KiB, a line break every 34 bytes", "- a line of what is known by now\n".repeat(30)),
        ("1 KiB, one line", "a line of what is known by now ".repeat(33)),
        ("1 KiB, Chinese", "- 这一行是目前已知的内容\n".repeat(28)),
        ("64 KiB, a line break every 34 bytes", "- a line of what is known by now\n".repeat(1900)),
    ];
    println!("| text | `Texts` ns | serde_json ns | saved ns |\n|---|---|---|---|");
    for (name, text) in texts {
        let entries = entries(&text);
        let (mut ours, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(nanos(|out| append_json(out, &Texts(&entries)).unwrap()));
            plain.push(nanos(|out| serde_json::to_writer(out, &entries).unwrap()));
        }
        let (ours, plain) = (middle(ours), middle(plain));
        println!("| {name} | {ours:.0} | {plain:.0} | {:.0} |", plain - ours);
    }
}
