//! Whether a document says something already, without reading each of its lines: only those are read that have every word of what
//! is asked for, and looked for by the longest.

use super::item::Item;
use super::item_line::fold;
use super::item_text::ItemText;
use super::text::{line_end, line_start, part};
use memchr::memmem;

/// Letters that become an ASCII letter without their case: `K` (kelvin) and `İ`.
const FOLDED_TO_ASCII: [&str; 2] = ["\u{212a}", "\u{130}"];

/// Whether a line of a document may be a live item that says what this content says; also where the content is no item's, so that
/// whoever asks looks closer.
#[must_use]
pub fn is_said(text: &str, content: &str) -> bool {
    ItemText::read(content).map_or(true, |item| is_in(text, &fold(&item.text)))
}

/// Whether a line looks like an item that says this, which is folded.
pub(super) fn is_in(text: &str, folded: &str) -> bool {
    let says = |line: &str| Item::read(line).is_some_and(|item| fold(item.text()) == folded);
    // Code keeps its case, and lines are searched without theirs.
    let without_case = folded.to_ascii_lowercase();
    let words = plain_words(&without_case);
    let Some((longest, others)) = words.split_first().filter(|_| words_are_whole(text)) else {
        return text.lines().any(says);
    };
    // To begin a search costs more than to go through a line.
    let longest = memmem::Finder::new(*longest);
    let others: Vec<memmem::Finder<'_>> = others.iter().map(|word| memmem::Finder::new(*word)).collect();
    let (mut lower, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let lines = part(text, at..line_end(text, (at + PIECE_BYTES).min(text.len())));
        lower.clear();
        lower.extend_from_slice(lines.as_bytes());
        lower.make_ascii_lowercase();
        let mut read_to = 0;
        let is_said = longest.find_iter(&lower).any(|at| {
            // A line that has the word twice is read once.
            if at < read_to {
                return false;
            }
            let line = line_start(lines, at)..line_end(lines, at);
            read_to = line.end;
            let words = lower.get(line.clone()).unwrap_or(&[]);
            others.iter().all(|word| word.find(words).is_some())
                && says(part(lines, line).trim_end_matches(['\r', '\n']))
        });
        if is_said {
            return true;
        }
        at += lines.len();
    }
    false
}

/// A document is looked through in pieces of some more bytes than these, which stay in the processor's cache.
const PIECE_BYTES: usize = 32 * 1024;

/// The runs of letters and digits whose case only ASCII decides, the longest first.
fn plain_words(folded: &str) -> Vec<&str> {
    let stays = |c: char| {
        c.is_ascii_alphanumeric()
            || (c.is_alphanumeric() && c.to_lowercase().eq([c]) && c.to_uppercase().eq([c]))
    };
    let mut words: Vec<&str> = folded.split(|c: char| !stays(c)).filter(|word| !word.is_empty()).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words
}

/// Whether a word of an item is in one piece in its line: no letter folds to several or to another script, and no comment
/// stands inside a word.
fn words_are_whole(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut comments = memmem::find_iter(bytes, "<!--");
    let is_apart = |at: usize| {
        at.checked_sub(1).and_then(|before| bytes.get(before)).is_none_or(u8::is_ascii_whitespace)
    };
    let has_none = |letter: &&str| memmem::find(bytes, letter.as_bytes()).is_none();
    comments.all(is_apart) && (text.is_ascii() || FOLDED_TO_ASCII.iter().all(has_none))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_every_line(text: &str, folded: &str) -> bool {
        text.lines().any(|line| Item::read(line).is_some_and(|item| fold(item.text()) == folded))
    }

    #[test]
    fn said_already_or_not() {
        let text = "# T\n\n- [W] Deploys  on FRIDAYS. <!-- lw c=1 --> ^k7m2q9xa\r\n- 备份 每天\n- mil\u{212a}\n- ÖL\n- Use ``rm -rf A``, `b\n";
        for (asked, known) in [
            ("deploys on fridays", true),
            ("Deploys on Fridays.", true),
            ("deploys on friday", false),
            ("fridays", false),
            ("备份 每天", true),
            ("每天", false),
            ("milk", true),
            ("öl", true),
            ("use ``rm -rf A``, `B", true),
            ("Use ``rm -rf a``, `b", false),
            ("", false),
        ] {
            assert_eq!(is_in(text, &fold(asked)), known, "{asked}");
            assert_eq!(by_every_line(text, &fold(asked)), known, "{asked}");
        }
    }

    #[test]
    fn a_long_document_says_what_any_of_its_lines_says() {
        let lines: Vec<String> = (0..3_000).map(|n| format!("- [W] the ferry {n} leaves at noon")).collect();
        let text = lines.join("\n");
        assert!(text.len() > 3 * PIECE_BYTES);
        assert!((0..3_000).all(|n| is_in(&text, &format!("the ferry {n} leaves at noon"))));
        assert!(!is_in(&text, "the ferry 3000 leaves at noon"));
    }

    proptest! {
        /// The same as reading every line.
        #[test]
        fn as_when_every_line_is_read(
            lines in proptest::collection::vec("[-*] (\\[W\\] )?[aAkKiİß备`. <!>-]{0,12}( <!-- lw c=1 -->)?", 0..12),
            asked in "[aAkKiİß备`. <!>-]{1,12}",
            pick in 0_usize..12,
        ) {
            let text = lines.join("\n");
            let of_a_line = lines.get(pick).and_then(|line| Item::read(line)).map(|item| fold(item.text()));
            for asked in [Some(fold(&asked)), of_a_line].into_iter().flatten() {
                prop_assert_eq!(is_in(&text, &asked), by_every_line(&text, &asked), "{}", asked);
            }
        }
    }
}
