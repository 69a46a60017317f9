//! Makes the control characters and bidirectional controls in foreign text visible as `\u{1b}` before it reaches a
//! terminal. A terminal obeys them (they move the cursor, set the clipboard, reverse the reading order), so a proposal
//! could change the screen on which a person decides about it.

use declaration::terminal::{hidden, not_shown};
use std::borrow::Cow;

/// The text with every such character written out, and with what nobody sees and a model reads.
pub fn visible(text: &str) -> Cow<'_, str> {
    let mut unseen = hidden(text).peekable();
    if unseen.peek().is_none() && !text.chars().any(|c| not_shown(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        let is_unseen = unseen.next_if(|(hidden, _)| *hidden == at).is_some();
        if is_unseen || not_shown(c).is_some() { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        for (text, shown) in [
            ("a\u{1b}[1A\u{1b}[2Kb", r"a\u{1b}[1A\u{1b}[2Kb"),
            ("\u{1b}]52;c;ZXZpbA==\u{7}", r"\u{1b}]52;c;ZXZpbA==\u{7}"),
            ("\u{9b}2J", r"\u{9b}2J"),
            ("x\rgood", r"x\u{d}good"),
            ("abc\u{8}\u{8}\u{7f}", r"abc\u{8}\u{8}\u{7f}"),
            ("a\u{fe0f}\u{fe01}b", r"a\u{fe0f}\u{fe01}b"),
            ("1\u{fe0f}\u{20e3}", "1\u{fe0f}\u{20e3}"),
            ("if \u{202e}nimda\u{2066}\u{2069}\u{200f}", r"if \u{202e}nimda\u{2066}\u{2069}\u{200f}"),
        ] {
            assert_eq!(visible(text), shown);
        }
        for plain in ["", "two\nlines\tand a tab", "中文，日本語 עברית عربى 👩‍👩‍👧", "zero\u{200b}width"]
        {
            assert!(matches!(visible(plain), Cow::Borrowed(same) if same == plain), "{plain:?}");
        }
    }
}
