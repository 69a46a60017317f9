//! Random inputs for `check` on the stable compiler, put together from the lines that have tripped Markdown tools.
//!
//! `cargo run --release --example stress -- [seconds] [seed]`, or with a file: runs that one input.

use std::time::{Duration, Instant};

const LINES: &[&str] = &[
    "# T",
    "## A",
    "## B ##",
    "### C",
    "   ## I",
    "##\tTab",
    "#",
    "Setext\n===",
    "Two\n---",
    "a\nb\n===",
    "word",
    "two words",
    "    code",
    "\tcode",
    "- item",
    "- a\n  - b",
    "- a\n\n  b",
    "* s",
    "1. one",
    "2) two",
    "-",
    "- ## h",
    "> q",
    "> ## h",
    ">",
    "```",
    "````",
    "~~~",
    "```\n# x\n```",
    "<div>",
    "</div>",
    "<!-- c -->",
    "<!--",
    "-->",
    "<!-- BEGIN x -->",
    "<!-- END x -->",
    "<!-- MACHINE_BLOCK_START -->",
    "<!-- MACHINE_BLOCK_END -->",
    "<!-- y: start -->",
    "<!-- y: end -->",
    "<pre>",
    "</pre>",
    "<script>",
    "<?p",
    "?>",
    "<a id=\"x\"></a>",
    "<span>",
    "| a |\n|---|\n| 1 |",
    "| 3 |",
    "|---|",
    "[r]: u",
    "[r]: v \"t\"",
    "[r]:",
    "[r]",
    "![i][r]",
    "[^n]",
    "[^n]: n",
    "[^n]: n\n\n    m",
    "***",
    "---",
    "===",
    "+++",
    "k: v",
    "\\",
    "l\\",
    "s  ",
    "*o",
    "`o",
    "t <!-- i -->",
    "\u{b}",
    "a\u{c}",
    "\u{a0}",
    "\u{feff}",
    "🙂",
    "e\u{301}",
    "&amp;",
    "[1.0]: x\n<b>\nS\n===",
    "",
    "",
    "",
    "",
    "",
    "",
];

/// Stands for front matter with lists in it.
const YAML: &str = "yaml";

const FRONT_MATTER: &[&str] = &[
    "k: v # c",
    "tags: [a, \"b c\"] # why",
    "tags: []",
    "tags:",
    "tags: one",
    "tags:\n  - word\n  - b # second",
    "tags:\n- a\n- 'it''s'",
    "tags: [a,\n  b]",
    "tags: { a: 1 }",
    "\"tags\": [x]",
    "# a comment",
    "tags: &anchor [a]",
    "other: *anchor",
    "text: |\n  tags: [a]\n  - b",
    "tags: [苍鹭, 2026-02-16]",
    "",
];

/// A small generator of numbers: chance is an argument here, so that a run can be repeated.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn text(&mut self, most: usize) -> String {
        let lines: Vec<&str> = (0..self.below(most)).map(|_| LINES[self.below(LINES.len())]).collect();
        let eol = ["\n", "\n", "\n", "\r\n"][self.below(4)];
        let end = ["", "\n", "\n", "\n\n"][self.below(4)];
        (lines.join("\n") + end).replace('\n', eol)
    }

    fn front_matter(&mut self) -> String {
        let lines: Vec<&str> = (0..self.below(5)).map(|_| FRONT_MATTER[self.below(FRONT_MATTER.len())]).collect();
        format!("---\n{}\n---\n", lines.join("\n"))
    }

    fn input(&mut self) -> Vec<u8> {
        let head = [self.below(256) as u8, self.below(256) as u8];
        let front = ["", "", "", "---\nk: v\n---\n", "---\n", "\u{feff}", YAML][self.below(7)].to_owned();
        let front = if front == YAML { self.front_matter() } else { front };
        let (document, content, old) = (self.text(16), self.text(5), self.text(2));
        [&head, front.as_bytes(), document.as_bytes(), b"\xff", content.as_bytes(), b"\xff", old.as_bytes()]
            .concat()
    }
}

fn keep(name: &str, input: &[u8]) -> std::path::PathBuf {
    let file = std::env::temp_dir().join(format!("last-word-{name}"));
    std::fs::write(&file, input).expect("the temp folder is writable");
    file
}

fn main() {
    let first = std::env::args().nth(1).unwrap_or_else(|| "60".into());
    let Ok(seconds) = first.parse::<u64>() else {
        return last_word_fuzz::check(&std::fs::read(first).expect("the file of an input"));
    };
    let seed = std::env::args().nth(2).and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut chance = Chance(seed | 1);
    let (start, mut runs, mut broken, mut differ) = (Instant::now(), 0_u64, 0_u64, 0_u64);
    while start.elapsed() < Duration::from_secs(seconds) {
        let input = chance.input();
        runs += 1;
        match std::panic::catch_unwind(|| last_word_fuzz::second_opinion(&input)) {
            Ok(None) => {}
            Ok(Some(why)) => {
                differ += 1;
                if differ <= 10 {
                    eprintln!("{why}\nkept as {}", keep(&format!("differs-{differ}"), &input).display());
                }
            }
            Err(_) => {
                broken += 1;
                eprintln!("kept as {}", keep(&format!("broken-{broken}"), &input).display());
                if broken >= 10 {
                    break;
                }
            }
        }
    }
    println!(
        "{runs} inputs in {:?} (seed {seed}), {broken} broken, comrak differs on {differ}",
        start.elapsed()
    );
    std::process::exit(i32::from(broken > 0));
}
