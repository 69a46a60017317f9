//! Makes the control characters and bidirectional controls in foreign text visible as `\u{1b}` before it reaches a
//! terminal. A terminal obeys them (they move the cursor, set the clipboard, reverse the reading order), so a proposal
//! could change the screen on which a person decides about it.

use crate::render::mark;
use declaration::terminal::{hidden, not_shown};
use std::borrow::Cow;

/// The text with every such character written out, and with what nobody sees and a model reads.
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, |c, shown| shown.extend(c.escape_unicode()))
}

/// A name or a message within a line: a line's end and a tab in it are written out as well, or it could look like a line of ours.
pub fn in_a_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        shown if shown.contains(['\n', '\t']) => {
            Cow::Owned(shown.replace('\n', r"\u{a}").replace('\t', r"\u{9}"))
        }
        shown => shown,
    }
}

/// A text of JSON with the same characters as JSON's own escapes, which mean the same value.
pub fn in_json(text: &str) -> Cow<'_, str> {
    written_out(text, |c, escaped| {
        let units =
            c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
        escaped.push_str(&units);
    })
}

fn written_out(text: &str, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let mut unseen = hidden(text).peekable();
    if unseen.peek().is_none() && !text.chars().any(|c| not_shown(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        let is_unseen = unseen.next_if(|(hidden, _)| *hidden == at).is_some();
        // What paints a text begins with a code point that is no character, and with a number that no foreign text knows.
        let is_unseen = is_unseen && !(c == '\u{fdd0}' && text[at..].starts_with(mark()));
        if is_unseen || not_shown(c).is_some() { write(c, &mut shown) } else { shown.push(c) }
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
            ("a\u{fdd0}1;b", r"a\u{fdd0}1;b"),
            ("if \u{202e}nimda\u{2066}\u{2069}\u{200f}", r"if \u{202e}nimda\u{2066}\u{2069}\u{200f}"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(in_a_line("a\n\tb\u{1b}"), r"a\u{a}\u{9}b\u{1b}");
        for plain in ["", "two\nlines\tand a tab", "中文，日本語 עברית عربى 👩‍👩‍👧", "zero\u{200b}width"]
        {
            assert!(matches!(visible(plain), Cow::Borrowed(same) if same == plain), "{plain:?}");
        }
    }
    #[test]
    fn json_keeps_its_value() {
        let text = "\u{7f}\u{9b}\u{202e}x\u{e0041}";
        let json = serde_json::to_string(text).unwrap();
        let shown = in_json(&json);
        assert_eq!(shown, r#""\u007f\u009b\u202ex\udb40\udc41""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
