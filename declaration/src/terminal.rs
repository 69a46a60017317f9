//! Which characters a terminal does not show: text of somebody else's could paint over the screen on which a person decides
//! about it, or look like another text.

use crate::variation;
use std::borrow::Cow;

/// What a terminal does with a character instead of showing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotShown {
    /// It obeys: the cursor moves, the clipboard is set, the reading order of all that follows is turned round.
    Obeyed,
    /// A letter of Unicode's tag block, or of what is kept free around it for more of them: nobody sees it, and a language model reads it. Flags of regions are written with them.
    Tag,
    /// A mark that only orders the letters beside it. Right-to-left text needs it, and nobody sees it.
    Mark,
}

/// What a terminal does with this character; `None` where it shows it. Newline and tab are harmless.
///
/// Obeyed are C0 and C1 controls and DEL (ECMA-48), and the embeddings, overrides and isolates of Unicode's
/// bidirectional algorithm (UAX #9); its three marks and the tag block are only invisible.
#[must_use]
pub fn not_shown(c: char) -> Option<NotShown> {
    match c {
        '\n' | '\t' => None,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => Some(NotShown::Mark),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(NotShown::Obeyed),
        '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{effff}' => Some(NotShown::Tag),
        c => c.is_control().then_some(NotShown::Obeyed),
    }
}

/// The first character of a text that may not be declared, and where; see `hidden`.
#[must_use]
pub fn first_hidden(text: &str) -> Option<(usize, char)> {
    hidden(text).next()
}

/// The characters of a text that may not be declared, and where they are: what terminals obey, and what nobody sees and a
/// model reads. That are tags that spell no flag, variation selectors behind what has no form for them, invisible characters behind
/// another one or between blanks, marks of the reading order without a letter that is read from the right, line ends that no
/// editor makes, and code points that are no characters. A line's end of two characters is one.
pub fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> {
    hidden_or(text, |_| false)
}

/// Those, and others that are meant as well.
fn hidden_or(text: &str, is_meant: impl Fn(char) -> bool) -> impl Iterator<Item = (usize, char)> {
    let mut before = ' ';
    let mut flag_end = 0;
    text.char_indices().filter(move |(at, c)| {
        let last = std::mem::replace(&mut before, *c);
        if c.is_ascii() && !c.is_ascii_control() {
            return false;
        }
        match not_shown(*c) {
            _ if is_meant(*c) => true,
            Some(NotShown::Obeyed) => *c != '\0' && !(*c == '\r' && text[at + 1..].starts_with('\n')),
            Some(NotShown::Tag) => *at >= flag_end,
            Some(NotShown::Mark) => is_invisible(last) || !is_beside_right_to_left(text, *at, *c),
            None if *c == FLAG => {
                flag_end = at + flag_bytes(&text[*at..]);
                false
            }
            None if is_selector(*c) => !variation::has_form(last, *c),
            None if is_invisible(*c) => is_invisible(last) || is_alone(text, *at, *c),
            None if matches!(*c, '\u{2028}' | '\u{2029}') => true,
            None => is_no_character(*c),
        }
    })
}

/// The black flag, which begins the flag of a region.
const FLAG: char = '\u{1f3f4}';
/// The tag that ends one.
const FLAG_END: char = '\u{e007f}';
/// The regions that have one: England, Scotland and Wales.
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// The bytes of the flag of a region that a text begins with, as Unicode recommends them; 0 where its tags spell none.
fn flag_bytes(text: &str) -> usize {
    let spelt = text.chars().skip(1).map_while(|c| char::from_u32(u32::from(c).checked_sub(0xe0000)?));
    let spelt: String = spelt.take(FLAGS[0].len()).collect();
    let letters = spelt.chars().count();
    let ends = text.chars().nth(1 + letters) == Some(FLAG_END);
    // Every one of them has four bytes in UTF-8.
    if ends && FLAGS.contains(&spelt.as_str()) { 4 * (letters + 2) } else { 0 }
}

/// A variation selector: it says which form of the character before it is meant.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}')
}

/// Characters that are looked at for a letter on each side of a mark.
const AROUND: usize = 32;

/// Whether the nearest letter before or behind it, in its line, is read from the right.
fn is_beside_right_to_left(text: &str, at: usize, mark: char) -> bool {
    nearest_is_right_to_left(text[..at].chars().rev())
        || nearest_is_right_to_left(text[at + mark.len_utf8()..].chars())
}

fn nearest_is_right_to_left(away: impl Iterator<Item = char>) -> bool {
    let mut letters = away.take(AROUND).take_while(|c| *c != '\n').filter(|c| c.is_alphabetic());
    letters.next().is_some_and(is_right_to_left)
}

/// Letters of Hebrew, Arabic, Syriac, Thaana, N'Ko, Adlam and the old scripts beside them.
fn is_right_to_left(c: char) -> bool {
    matches!(u32::from(c), 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfefc | 0x1_0800..=0x1_0fff | 0x1_e800..=0x1_efff)
}

/// Whether nothing that is shown stands right before or behind it.
fn is_alone(text: &str, at: usize, c: char) -> bool {
    let is_blank = |beside: Option<char>| beside.is_none_or(char::is_whitespace);
    // A byte order mark at the start of a text is none of it.
    let begins = c == '\u{feff}' && at == 0;
    !begins && is_blank(text[..at].chars().next_back()) && is_blank(text[at + c.len_utf8()..].chars().next())
}

/// A character without a shape: one of them joins or parts the letters beside it, several in a row say nothing to a reader.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2065}' | '\u{3164}'
            | '\u{2800}' | '\u{feff}' | '\u{ffa0}' | '\u{13430}'..='\u{1343f}' | '\u{16fe4}' | '\u{1d159}'
    )
}

/// A code point that Unicode keeps free of characters for ever or for more that nobody sees, or no longer wants used: the
/// interlinear annotations, the deprecated format characters, those of shorthand and of musical notation.
fn is_no_character(c: char) -> bool {
    let is_free = u32::from(c) & 0xfffe == 0xfffe || matches!(c, '\u{fdd0}'..='\u{fdef}');
    is_free
        || matches!(
            c,
            '\u{206a}'..='\u{206f}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
        )
}

/// The text with everything written out that may not be declared: `\u{e0041}`. For texts that nobody declared and that a model is
/// to read: whoever looks at the document must see what the model sees.
#[must_use]
pub fn without_hidden(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut from = 0;
    // U+0000 in what is declared has a refusal of its own.
    for (at, c) in hidden_or(text, |c| c == '\0') {
        shown.push_str(&text[from..at]);
        shown.extend(c.escape_unicode());
        from = at + c.len_utf8();
    }
    if from == 0 { Cow::Borrowed(text) } else { Cow::Owned(shown + &text[from..]) }
}

#[cfg(test)]
mod tests {
    use super::{first_hidden, without_hidden};

    #[test]
    fn what_nobody_sees_is_found() {
        for (text, found) in [
            ("a\tb\r\nc\n", None),
            ("עברית C++\u{200e} \u{200f}(עברית)", None),
            ("\u{61c}١ عربي", None),
            ("a \u{200e} b", Some((2, '\u{200e}'))),
            ("עברית\na\u{200f}b", Some((12, '\u{200f}'))),
            ("a\u{2028}b", Some((1, '\u{2028}'))),
            ("a \u{2029} b", Some((2, '\u{2029}'))),
            ("a \u{200b} b", Some((2, '\u{200b}'))),
            ("a \u{3164}", Some((2, '\u{3164}'))),
            ("\u{feff}a ᅠb", None),
            ("α\u{e0149}", Some((2, '\u{e0149}'))),
            ("•\u{fe01}", Some((3, '\u{fe01}'))),
            ("漢\u{e0149}", Some((3, '\u{e0149}'))),
            ("a\u{fdd0}", Some((1, '\u{fdd0}'))),
            // A region that has no flag.
            ("\u{1f3f4}\u{e0075}\u{e0073}\u{e0072}\u{e006d}\u{e0078}\u{e007f}", Some((4, '\u{e0075}'))),
            (
                "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
                None,
            ),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} wins", None),
            ("a\u{e0041}", Some((1, '\u{e0041}'))),
            ("\u{1f3f4} \u{e0041}", Some((5, '\u{e0041}'))),
            // Behind a flag: letters that spell none, too many, or no end.
            ("\u{1f3f4}\u{e0069}\u{e0067}\u{e0020}\u{e007f}", Some((4, '\u{e0069}'))),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}", Some((4, '\u{e0067}'))),
            ("1\u{fe0f}\u{20e3} 葛\u{e0100} 👁\u{fe0f}\u{200d}🗨\u{fe0f}", None),
            ("葛\u{e0100}\u{e0149}\u{e0167}", Some((7, '\u{e0149}'))),
            ("a\u{fe0f}", Some((1, '\u{fe0f}'))),
            ("\u{13000}\u{13430}\u{13001}", None),
            ("a\u{13430}\u{13431}", Some((5, '\u{13431}'))),
            ("a\u{1d159}\u{16fe4}", Some((5, '\u{16fe4}'))),
            ("\u{2803}\u{2800}\u{2817} a\u{2800}\u{2800}", Some((14, '\u{2800}'))),
            ("a\u{e1000}", Some((1, '\u{e1000}'))),
            ("1\u{e0149}", Some((1, '\u{e0149}'))),
            ("a\u{e0080}", Some((1, '\u{e0080}'))),
            ("a\u{e0fff}", Some((1, '\u{e0fff}'))),
            ("a\u{fff0}", Some((1, '\u{fff0}'))),
            ("a\u{1d173}", Some((1, '\u{1d173}'))),
            (" \u{e0149}", Some((1, '\u{e0149}'))),
            ("می\u{200c}خواهم a\u{ad}b", None),
            ("a\u{200b}\u{200c}\u{200b}", Some((4, '\u{200c}'))),
            ("a\u{200f}\u{200f}", Some((1, '\u{200f}'))),
            ("a\u{fffe}", Some((1, '\u{fffe}'))),
            ("a\u{206a}", Some((1, '\u{206a}'))),
            ("a\rb", Some((1, '\r'))),
            ("T\u{202e}", Some((1, '\u{202e}'))),
        ] {
            assert_eq!(first_hidden(text), found, "{text:?}");
        }
    }

    #[test]
    fn what_nobody_sees_is_written_out() {
        for (text, shown) in [
            ("a\u{e0041}\u{e0042}b\u{1b}[2J", r"a\u{e0041}\u{e0042}b\u{1b}[2J"),
            ("\u{1f3f4}\u{e0067}\u{e007f} \u{202e}x\r\ny", "\u{1f3f4}\\u{e0067}\\u{e007f} \\u{202e}x\r\ny"),
            ("☺\u{fe0f}\u{fe01}\u{fe02}", "☺\u{fe0f}\\u{fe01}\\u{fe02}"),
            ("likes\0tea\u{1}", r"likes\u{0}tea\u{1}"),
            ("two\nlines, a\ttab, \u{200f}עברית", "two\nlines, a\ttab, \u{200f}עברית"),
        ] {
            assert_eq!(without_hidden(text), shown);
        }
    }
}
