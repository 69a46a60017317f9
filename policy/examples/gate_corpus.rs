//! How much of ordinary text the gate changes. Reads sentences from standard input, one a line, with an empty line between
//! two texts. Counts, by word, what the gate makes of each sentence alone and of each text as one entry. With `--words` the
//! words of a line are divided by blanks, and every hit that cuts one is printed; `--show` prints samples. Run by
//! `benches/gate-corpus`; `docs/GATE.md` has the results. `--rules` prints for each line what the rules alone hit, as
//! START:END:NEW in bytes (NEW is empty for a mark), for `policy/words/train`, `--written` all that is written; `--time` how long hits take, with and without the second opinion.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool for measuring, run by hand")]

use declaration::{Meta, Timestamp};
use policy::time_words::{Moment, TimeWord, hits, hits_by_rules, rewritten, rewritten_by_rules};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::time::Instant;

/// Samples of one word that are shown.
const SAMPLES: usize = 6;

#[derive(Default)]
struct Count {
    sentences: usize,
    rewritten: usize,
    marked: usize,
    touched: usize,
    /// Sentences that change when the whole text they stand in is one entry.
    touched_in_text: usize,
    cut: usize,
    cut_rewritten: usize,
    by_word: BTreeMap<(bool, String), Vec<String>>,
}

fn main() {
    let words = std::env::args().any(|arg| arg == "--words");
    let show = std::env::args().any(|arg| arg == "--show");
    for (option, told) in [("--rules", by_rules as fn(&str) -> String), ("--written", written)] {
        if std::env::args().any(|arg| arg == option) {
            std::io::stdin()
                .lock()
                .lines()
                .map_while(Result::ok)
                .for_each(|line| println!("{}", told(&line)));
            return;
        }
    }
    if std::env::args().any(|arg| arg == "--time") {
        time(&std::io::stdin().lock().lines().map_while(Result::ok).collect::<Vec<_>>());
        return;
    }
    let mut count = Count::default();
    let mut text: Vec<String> = Vec::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok).chain([String::new()]) {
        if line.is_empty() {
            count.text(&std::mem::take(&mut text));
            continue;
        }
        let (line, ends) = if words { joined(&line) } else { (line, Vec::new()) };
        count.sentence(&line, words.then_some(&ends[..]));
        text.push(line);
    }
    count.print(show);
}

/// What the rules alone hit in a line, and by what they replace it.
fn by_rules(line: &str) -> String {
    let (after, replaced) = rewritten_by_rules(line, &moment(), &Meta::default());
    let hit = |range: std::ops::Range<usize>| {
        let new = replaced.iter().find(|(old, _)| *old == range);
        format!("{}:{}:{}", range.start, range.end, new.map_or("", |(_, new)| &after[new.clone()]))
    };
    let hits: Vec<String> = hits_by_rules(line).into_iter().map(|found| hit(found.range)).collect();
    hits.join("\t")
}

/// What is written in a line, and where.
fn written(line: &str) -> String {
    let (after, replaced) = rewritten(line, &moment(), &Meta::default());
    let hit = |(old, new): &(std::ops::Range<usize>, std::ops::Range<usize>)| {
        format!("{}:{}:{}", old.start, old.end, &after[new.clone()])
    };
    replaced.iter().map(hit).collect::<Vec<_>>().join("\t")
}

/// A way to find the hits of a text.
type Way = fn(&str) -> Vec<TimeWord>;

/// How long the hits of some lines take.
#[allow(clippy::cast_precision_loss)]
fn time(lines: &[String]) {
    let ways: [(&str, Way); 2] = [("rules alone", hits_by_rules), ("with the second opinion", hits)];
    for (name, way) in ways {
        let begin = Instant::now();
        way("he is here today 他今天在这里");
        println!("{name}, the first line: {:.0} µs", begin.elapsed().as_secs_f64() * 1e6);
        let begin = Instant::now();
        let found: usize = lines.iter().map(|line| way(line).len()).sum();
        let each = begin.elapsed().as_secs_f64() * 1e6 / lines.len().max(1) as f64;
        println!("{name}: {each:.1} µs a line, {} lines, {found} hits", lines.len());
    }
}

/// A line without the blanks between its words, and where they end.
fn joined(line: &str) -> (String, Vec<usize>) {
    let mut ends = vec![0];
    let text = line.split(' ').fold(String::new(), |text, word| {
        ends.push(text.len() + word.len());
        text + word
    });
    (text, ends)
}

/// Wednesday, 2026-03-11, 10:00 in +08:00.
fn moment() -> Moment {
    Moment::new(Timestamp(1_773_194_400_000), 480)
}

impl Count {
    fn sentence(&mut self, line: &str, ends: Option<&[usize]>) {
        self.sentences += 1;
        let found = hits(line);
        let (after, replaced) = rewritten(line, &moment(), &Meta::default());
        self.rewritten += usize::from(!replaced.is_empty());
        self.marked += usize::from(!hits(&after).is_empty());
        self.touched += usize::from(!found.is_empty());
        for hit in &found {
            let replaced = replaced.iter().any(|(old, _)| *old == hit.range);
            self.by_word
                .entry((replaced, line[hit.range.clone()].to_lowercase()))
                .or_default()
                .push(line.to_owned());
            if ends.is_some_and(|ends| !ends.contains(&hit.range.start) || !ends.contains(&hit.range.end)) {
                self.cut += 1;
                self.cut_rewritten += usize::from(replaced);
                println!(
                    "cut{}: {} in {line}",
                    if replaced { " and rewritten" } else { "" },
                    &line[hit.range.clone()]
                );
            }
        }
    }

    fn text(&mut self, lines: &[String]) {
        let whole = lines.concat();
        let (found, mut at) = (hits(&whole), 0);
        for line in lines {
            let end = at + line.len();
            self.touched_in_text += usize::from(found.iter().any(|hit| (at..end).contains(&hit.range.start)));
            at = end;
        }
    }

    #[allow(clippy::cast_precision_loss)]
    fn print(&self, show: bool) {
        let share =
            |part: usize| format!("{part} ({:.2} %)", part as f64 * 100.0 / self.sentences.max(1) as f64);
        println!(
            "{} sentences; each alone: {} touched, {} rewritten, {} marked; in their texts: {} touched; {} hits cut a word, {} of them rewritten",
            self.sentences,
            share(self.touched),
            share(self.rewritten),
            share(self.marked),
            share(self.touched_in_text),
            self.cut,
            self.cut_rewritten
        );
        let mut words: Vec<_> = self.by_word.iter().collect();
        words.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.len()));
        for ((replaced, word), lines) in words.into_iter().take(40) {
            println!("  {:5} {word}{}", lines.len(), if *replaced { ", rewritten" } else { "" });
            for line in lines.iter().step_by(lines.len().div_ceil(SAMPLES).max(1)).filter(|_| show) {
                println!("          {line}");
            }
        }
    }
}
