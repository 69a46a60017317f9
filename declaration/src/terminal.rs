//! Which characters a terminal does not show: text of somebody else's could paint over the screen on which a person decides
//! about it, or look like another text.

use std::borrow::Cow;

/// What a terminal does with a character instead of showing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotShown {
    /// It obeys: the cursor moves, the clipboard is set, the reading order of all that follows is turned round.
    Obeyed,
    /// A letter of Unicode's tag block: nobody sees it, and a language model reads it. Flags of regions are written with them.
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
        '\u{e0000}'..='\u{e007f}' => Some(NotShown::Tag),
        c => c.is_control().then_some(NotShown::Obeyed),
    }
}

/// The first character of a text that may not be declared, and where: what terminals obey, and tags that spell no flag. A line's
/// end of two characters is one.
#[must_use]
pub fn first_hidden(text: &str) -> Option<(usize, char)> {
    const FLAG: char = '\u{1f3f4}';
    let is_tag = |c: char| not_shown(c) == Some(NotShown::Tag);
    text.char_indices().find(|(at, c)| match not_shown(*c) {
        Some(NotShown::Obeyed) => *c != '\0' && !(*c == '\r' && text[at + 1..].starts_with('\n')),
        Some(NotShown::Tag) => !text[..*at].trim_end_matches(is_tag).ends_with(FLAG),
        Some(NotShown::Mark) | None => false,
    })
}

/// The text with everything written out that may not be declared: `\u{e0041}`. For texts that nobody declared and that a model is
/// to read: whoever looks at the document must see what the model sees.
#[must_use]
pub fn without_hidden(text: &str) -> Cow<'_, str> {
    let Some((at, _)) = first_hidden(text) else { return Cow::Borrowed(text) };
    let mut shown = text[..at].to_owned();
    let mut rest = &text[at..];
    while let Some((at, hidden)) = first_hidden(rest) {
        shown.push_str(&rest[..at]);
        shown.extend(hidden.escape_unicode());
        rest = &rest[at + hidden.len_utf8()..];
    }
    Cow::Owned(shown + rest)
}

#[cfg(test)]
mod tests {
    use super::{first_hidden, without_hidden};

    #[test]
    fn what_nobody_sees_is_found() {
        for (text, found) in [
            ("a\tb\r\nc\n\u{200f}", None),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} wins", None),
            ("a\u{e0041}", Some((1, '\u{e0041}'))),
            ("\u{1f3f4} \u{e0041}", Some((5, '\u{e0041}'))),
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
            ("\u{1f3f4}\u{e0067}\u{e007f} \u{202e}x\r\ny", "\u{1f3f4}\u{e0067}\u{e007f} \\u{202e}x\r\ny"),
            ("two\nlines, a\ttab, \u{200f}עברית", "two\nlines, a\ttab, \u{200f}עברית"),
        ] {
            assert_eq!(without_hidden(text), shown);
        }
    }
}
