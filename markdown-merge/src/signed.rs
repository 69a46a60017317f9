//! What stands under the person's name: comments of ours that say `by=user`, and the words that a reader takes for theirs because of one.

use super::item::Item;
use super::text::{indent_of, is_blank};

/// Words under a comment of ours that names the person as whoever said them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedWords<'t> {
    /// The lines of the item or paragraph, with all that belongs to it below, without the blanks around them.
    pub lines: Vec<&'t str>,
    /// The comment, with what follows it in its line.
    pub stamp: &'t str,
}

/// Comments in a text that read as ours and name the person as whoever said it (`by=user`), each with what follows it in its line;
/// also one whose end is missing, for those are read too.
pub fn said_by_the_person(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(stamp)
}

/// Each of them with the words it stands for.
pub fn signed_by_the_person(text: &str) -> impl Iterator<Item = SignedWords<'_>> {
    let lines: Vec<&str> = if text.contains(BY_USER) { text.lines().collect() } else { Vec::new() };
    (0..lines.len())
        .filter_map(move |at| Some(SignedWords { stamp: stamp(lines[at])?, lines: around(&lines, at) }))
}

const BY_USER: &str = "by=user";

fn stamp(line: &str) -> Option<&str> {
    let is_ours = |at: usize| {
        let inner = line[at + "<!--".len()..].trim_start().strip_prefix("lw");
        inner.is_some_and(|inner| inner.is_empty() || inner.starts_with([' ', '\t']))
    };
    let (at, _) = line.match_indices("<!--").find(|(at, _)| is_ours(*at))?;
    Some(line[at..].trim_end()).filter(|stamp| stamp.contains(BY_USER))
}

/// The item or paragraph around a line: what recall answers with its stamp. A row of a table is one by itself.
fn around<'t>(lines: &[&'t str], at: usize) -> Vec<&'t str> {
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let begins = |line: &str| Item::read(line).is_some();
    if is_row(lines[at]) {
        return vec![lines[at].trim()];
    }
    let mut first = at;
    while !begins(lines[first]) && first > 0 && !ends_text(lines[first - 1]) {
        first -= 1;
    }
    let indent = indent_of(lines[first]);
    let mut words: Vec<&str> = lines[first..=at].iter().map(|line| line.trim()).collect();
    for (n, line) in lines.iter().enumerate().skip(at + 1) {
        let after_blank = is_blank(lines[n - 1]);
        let is_below = indent_of(line) > indent;
        if is_blank(line) {
            continue;
        }
        if !is_below && (after_blank || begins(line) || ends_text(line)) {
            break;
        }
        words.push(line.trim());
    }
    words
}

/// Whether no paragraph goes on in this line.
fn ends_text(line: &str) -> bool {
    let text = line.trim_start();
    is_blank(line)
        || text.starts_with('|')
        || text.starts_with('#') && text.trim_start_matches('#').starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_stamp() {
        for (text, expected) in [
            ("- a <!-- lw by=user --> ^i\n- b", "- a <!-- lw by=user --> ^i"),
            ("- a <!-- lw by=user -->\n  b\n  - c\n\n  d\n- e", "- a <!-- lw by=user -->|b|- c|d"),
            ("- a <!-- lw by=user -->\nlazy\n\nother", "- a <!-- lw by=user -->|lazy"),
            ("- z\n- a\n  b <!-- lw by=user -->\n\nc", "- a|b <!-- lw by=user -->"),
            ("- z\n  - a <!-- lw by=user -->\n  - b\n", "- a <!-- lw by=user -->"),
            ("- a <!-- lw by=user -->\n# H\n", "- a <!-- lw by=user -->"),
            ("# H\none\ntwo <!-- lw by=user -->\nthree\n\nfour", "one|two <!-- lw by=user -->|three"),
            ("| a |\n| b | <!-- lw by=user -->\n| c |", "| b | <!-- lw by=user -->"),
            ("- a <!-- lw by=agent -->\n- by=user <!-- lwx by=user -->", ""),
        ] {
            let found: Vec<String> = signed_by_the_person(text).map(|one| one.lines.join("|")).collect();
            assert_eq!(found.join("/"), expected, "{text}");
        }
    }
}
