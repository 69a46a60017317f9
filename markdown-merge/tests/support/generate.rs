//! Documents and contents put together from the pieces that have tripped Markdown tools, one line after the other.

use proptest::prelude::*;
use proptest::sample::select;

/// Lines and groups of lines; `\n` inside a piece is the document's own line end.
pub const PIECES: &[&str] = &[
    "# T",
    "# U",
    "## A",
    "## B ##",
    "### C",
    "   ## Indented",
    "##\tTab",
    "#",
    "## C#",
    "## **Bold** `code`",
    "## [link](x) end",
    "## [ref]",
    "## 使用方法",
    "## R&amp;D",
    "####### seven",
    "Setext\n===",
    "Setext two\n---",
    "Two lines\nof setext\n---",
    "word",
    "two words",
    "  indented a little",
    "    indented code",
    "\ttab code",
    "- item",
    "- item\n  - nested",
    "- item\n\n  loose paragraph",
    "* star",
    "+ plus",
    "1. one",
    "2) two",
    "-",
    "- ## heading in item",
    "- [ ] task",
    "> quote",
    "> ## heading in quote",
    ">",
    "lazy",
    "```\ncode\n```",
    "```\n# no heading\n```",
    "~~~\n## no\n~~~",
    "````\n```\n````",
    "```",
    "~~~",
    "- ```\n  open in item",
    "<div>",
    "</div>",
    "<div>\ntext\n</div>",
    "<!-- comment -->",
    "<!--",
    "-->",
    "<!-- BEGIN x -->",
    "<!-- END x -->",
    "<!-- USER_BLOCK_START -->",
    "<!-- USER_BLOCK_END -->",
    "<!-- badges: start -->",
    "<!-- badges: end -->",
    "<pre>",
    "</pre>",
    "<script>",
    "</script>",
    "<?php",
    "?>",
    "<a id=\"x\"></a>",
    "<a name='y'></a>",
    "<span>",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "| 3 | 4 |",
    "|---|",
    "[ref]: https://e/x",
    "[ref]: <other> \"title\"",
    "[ref]:",
    "see [ref] and [text][ref]",
    "[^n]",
    "[^n]: a note",
    "[^n]: a note\n\n    more of it",
    "***",
    "---",
    "===",
    "+++",
    "key: value",
    "\\",
    "line\\",
    "two spaces  ",
    "*open",
    "`open",
    "![image",
    "text <!-- inline -->",
    "text <b>inline</b>",
    "\u{b}",
    "a\u{c}b",
    "\u{a0}",
    "\u{feff}",
    "🙂",
    "é",
];

fn lines(most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![6 => select(PIECES), 4 => Just(""), 1 => Just("word")];
    prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.join("\n"))
}

/// Documents: with and without final newline, front matter, byte order mark, CRLF.
pub fn document() -> impl Strategy<Value = String> {
    let front = prop_oneof![
        8 => Just(""),
        1 => Just("---\nkey: value\n# comment\n---\n"),
        1 => Just("+++\nkey = 1\n+++\n"),
        1 => Just("---\n"),
    ];
    let end = prop_oneof![4 => Just("\n"), 2 => Just(""), 1 => Just("\n\n\n"), 1 => Just("\n  \n")];
    let bom = prop_oneof![9 => Just(""), 1 => Just("\u{feff}")];
    (bom, front, lines(14), end, 0..10_u8).prop_map(|(bom, front, body, end, eol)| {
        let text = format!("{bom}{front}{body}{end}");
        match eol {
            0 => text.replace('\n', "\r\n"),
            1 => text.replacen("\n\n", "\r\n\r\n", 1),
            _ => text,
        }
    })
}

/// Contents, good and bad.
pub fn content() -> impl Strategy<Value = String> {
    lines(5)
}

/// Contents that are mostly items of lists.
pub fn items() -> impl Strategy<Value = String> {
    const ITEMS: &[&str] = &[
        "- item",
        "- [x] done",
        "- see [ref] and [text][ref]",
        "- a [^n]",
        "- item\n  - nested",
        "- item\nlazy",
        "- item\n+++",
        "- item <!-- remark -->",
        "- <!-- remark -->",
        "- <div>",
        "- `open",
        "-   wide",
        "-",
        "- ```\n  open in item",
        "1. one",
        "2. two",
    ];
    let piece = prop_oneof![20 => select(ITEMS), 1 => select(PIECES), 1 => Just("")];
    prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.join("\n"))
}
