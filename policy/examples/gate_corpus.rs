//! How much of ordinary text the gate touches: sentences by line on standard input, counts on standard output. With
//! `--show`, every sentence it would change; with `--gold`, where the words of a line are parted by blanks, every hit that
//! cuts one. `docs/GATE.md` has what came out.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool for measuring, run by hand")]

use declaration::{Meta, Timestamp};
use policy::time_words::{Moment, absolute, hits};
use std::io::BufRead;

fn main() {
    let gold = std::env::args().any(|arg| arg == "--gold");
    let show = std::env::args().any(|arg| arg == "--show");
    let moment = Moment::new(Timestamp(1_773_194_400_000), 480);
    let (mut all, mut rewritten, mut marked, mut cut) = (0, 0, 0, 0);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        all += 1;
        let mut ends = vec![0];
        let line = if gold {
            line.split(' ').fold(String::new(), |text, word| {
                ends.push(text.len() + word.len());
                text + word
            })
        } else {
            line
        };
        let changed = absolute(&line, &moment, &Meta::default());
        if changed != line {
            rewritten += 1;
            if show {
                println!("{line}\n  {changed}");
            }
        }
        let hits = hits(&line);
        marked += usize::from(!hits.is_empty());
        let cuts = |hit: &&policy::time_words::Hit| {
            hit.certain && !(ends.contains(&hit.range.start) && ends.contains(&hit.range.end))
        };
        for hit in hits.iter().filter(cuts).filter(|_| gold) {
            cut += 1;
            println!("cut: {} in {line}", &line[hit.range.clone()]);
        }
    }
    println!("{all} sentences, {rewritten} rewritten, {marked} with a hit, {cut} hits cut a word");
}
