//! How much a document may hold to be edited. Looked at before the parser is started: what it keeps of a text is many times
//! the text where every byte is markup, and nobody writes such documents by hand.

use super::refusal::refuse;
use super::{Refusal, RefusalCode};
use memchr::{memchr_iter, memrchr};

/// Most headings of a document.
pub const HEADINGS_MAX: usize = 250_000;

/// Most lines and bytes of markup of a document, as [`pieces`] counts them. The parser keeps about 60 bytes of each.
const PIECES_MAX: usize = 3_000_000;

/// Most quotes and lists that one line may open, one in the other: the parser's time grows with the square of it.
const NESTING_MAX: usize = 10_000;

/// Refuses a text that holds too much to be read.
pub(super) fn check(text: &str) -> Result<(), Refusal> {
    // A heading has at least two bytes, a line of its own, and a piece one, so most texts are not looked at.
    if text.len() > 2 * HEADINGS_MAX && memchr_iter(b'\n', text.as_bytes()).count() >= HEADINGS_MAX {
        let lines = text.split('\n').filter(|line| may_be_heading(line)).count();
        if lines > HEADINGS_MAX {
            return Err(too_many_headings(lines));
        }
    }
    if has_line_of(text, NESTING_MAX)
        && let Some(line) = text.split('\n').position(|line| nesting(line) > NESTING_MAX)
    {
        let message =
            format!("line {} opens more than {NESTING_MAX} quotes and lists in each other", line + 1);
        return Err(refuse(RefusalCode::TooLarge, message)
            .hint("split the document, or take that line out")
            .lines([line + 1]));
    }
    if text.len() > PIECES_MAX {
        let pieces = pieces(text);
        if pieces > PIECES_MAX {
            let message = format!(
                "the document has {pieces} lines and characters of markup, and at most {PIECES_MAX} can be edited"
            );
            return Err(refuse(RefusalCode::TooLarge, message).hint("split the document"));
        }
    }
    Ok(())
}

/// Whether a line is longer than so many bytes: looked for from one line end to the last one within reach, so that few of them are
/// looked at.
fn has_line_of(text: &str, bytes_max: usize) -> bool {
    let mut rest = text.as_bytes();
    while let Some(reach) = rest.get(..=bytes_max) {
        match memrchr(b'\n', reach) {
            Some(end) => rest = &rest[end + 1..],
            None => return true,
        }
    }
    false
}

/// The refusal of a document, or of what would become one, with so many headings.
pub(super) fn too_many_headings(count: usize) -> Refusal {
    let message = format!("the document has {count} headings, and at most {HEADINGS_MAX} can be edited");
    refuse(RefusalCode::TooLarge, message).hint("split the document")
}

/// Whether a line could be a heading or the underline of one. Only a parse could tell whether it is in a code block.
fn may_be_heading(line: &str) -> bool {
    let text = line.trim_start_matches(' ').trim_end_matches(['\r', ' ', '\t']);
    let mut bytes = text.bytes();
    match bytes.next() {
        Some(b'#') => true,
        Some(first @ (b'=' | b'-')) => bytes.all(|b| b == first),
        _ => false,
    }
}

/// Quotes and lists that begin with the line.
fn nesting(line: &str) -> usize {
    if line.len() <= NESTING_MAX {
        return 0;
    }
    let opens =
        |b: &u8| matches!(b, b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'.' | b')') || b.is_ascii_digit();
    let opening = line.bytes().take_while(opens);
    opening.filter(|b| matches!(b, b'>' | b'-' | b'+' | b'*' | b'.' | b')')).count()
}

/// Lines (a paragraph of one line is two pieces) and bytes that can begin or end a piece of markup.
fn pieces(text: &str) -> usize {
    let mut last = b'\n';
    let markup = text.bytes().filter(|byte| {
        let of_list = matches!(byte, b'.' | b')') && last.is_ascii_digit();
        last = *byte;
        of_list || b"\\&<>*_~`[]!|+-#".contains(byte)
    });
    let markup = markup.count();
    markup + 2 * memchr_iter(b'\n', text.as_bytes()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edit, Merger, Operation, Rules};

    fn code_of(text: &str) -> Option<RefusalCode> {
        check(text).err().map(|refusal| refusal.code)
    }

    #[test]
    fn headings_are_counted_before_they_are_parsed() {
        for line in ["#\n", "# A heading\r\n", "a\n===\n", "  ## a\n"] {
            assert_eq!(code_of(&line.repeat(HEADINGS_MAX)), None, "{line:?}");
            assert_eq!(code_of(&line.repeat(HEADINGS_MAX + 1)), Some(RefusalCode::TooLarge), "{line:?}");
        }
        assert_eq!(code_of(&"text with - and =\n".repeat(HEADINGS_MAX + 1)), None);
    }

    #[test]
    fn markup_is_counted_before_it_is_parsed() {
        for piece in ["*a", "- ", ">", "[]", "1) ", "\n", "`", "|a"] {
            assert_eq!(code_of(&piece.repeat(16 << 20 >> 1)), Some(RefusalCode::TooLarge), "{piece:?}");
        }
        let line =
            "An ordinary line of prose, with *emphasis*, a [link](https://example.com/a) and `code` in it.\n";
        assert_eq!(code_of(&line.repeat((16 << 20) / line.len())), None);
    }

    #[test]
    fn a_line_opens_only_so_many_quotes_and_lists() {
        for opener in ["> ", ">", "- ", "1. "] {
            let text = format!("text\n\n{}text\n", opener.repeat(NESTING_MAX + 1));
            assert_eq!(code_of(&text), Some(RefusalCode::TooLarge), "{opener:?}");
            assert_eq!(code_of(&text.replacen(opener, "", 1)), None, "{opener:?}");
        }
    }

    #[test]
    fn a_long_line_is_found_wherever_it_stands() {
        for (text, longest) in
            [("", 0), ("abc", 3), ("abc\n", 3), ("\nab\n\nabcd\nabc\n", 4), ("a\nabcde", 5)]
        {
            for bytes in 0..8 {
                assert_eq!(has_line_of(text, bytes), longest > bytes, "{text:?} {bytes}");
            }
        }
    }

    #[test]
    fn no_entry_makes_more_headings_than_can_be_read() {
        let text = "# A\n".repeat(HEADINGS_MAX);
        let mut merger = Merger::open(text.as_bytes()).unwrap();
        let mut new = Edit::new(vec!["B".to_owned()], 1, Operation::Update);
        new.content = Some("text".into());
        let refusal = merger.apply([&new], &Rules::default(), &|_| None).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::TooLarge, "{}", refusal.message);
        assert_eq!(merger.text(), text);
    }
}
