//! What a heading is called: the texts an author may write to mean it, and the looser form that finds its twins.

use super::text::part;
use unicode_normalization::UnicodeNormalization;

/// NFC with every run of white space as one space: the form in which headings are compared.
pub(super) fn normal(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { made_normal(text) }
}

fn made_normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfc() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Words of printable ASCII with one space between them, as most headings are: those are in that form already.
fn is_plain(text: &str) -> bool {
    let mut after_space = true;
    let plain = text.bytes().all(|byte| {
        let good = byte.is_ascii_graphic() || byte == b' ' && !after_space;
        after_space = byte == b' ';
        good
    });
    plain && !after_space
}

/// What is left of a title when case, spaces, punctuation and emoji are ignored.
///
/// Two exceptions keep headings apart that people keep apart on purpose: a separator between two digits (`1.10` is
/// not `11.0`) and a `+` or `#` that follows a letter or digit directly (`C`, `C#`, `C++`).
pub(super) fn fold(title: &str) -> String {
    let chars: Vec<char> = match title.is_ascii() {
        true => title.bytes().map(|byte| char::from(byte.to_ascii_lowercase())).collect(),
        false => title.nfkc().flat_map(char::to_lowercase).collect(),
    };
    let mut out = String::with_capacity(title.len());
    let mut attached = false;
    for (i, c) in chars.iter().copied().enumerate() {
        let next = chars.get(i + 1).copied();
        if c.is_alphanumeric() {
            out.push(c);
            attached = true;
        } else if attached && matches!(c, '+' | '#') {
            out.push(c);
        } else {
            let between_digits = attached && ends_in_digit(&out) && next.is_some_and(char::is_numeric);
            if between_digits {
                out.push('.');
            }
            attached = false;
        }
    }
    out
}

fn ends_in_digit(text: &str) -> bool {
    text.chars().next_back().is_some_and(char::is_numeric)
}

/// Collects the texts of one heading while its events go by.
#[derive(Debug, Default)]
pub(super) struct TitleBuilder {
    shown: String,
    /// The same with the descriptions of images, from the first image on.
    with_alt: Option<String>,
    images: usize,
    source: Option<(usize, usize)>,
}

impl TitleBuilder {
    /// Text a reader sees, at these bytes of the source.
    pub(super) fn text(&mut self, text: &str) {
        if let Some(with_alt) = &mut self.with_alt {
            with_alt.push_str(text);
        }
        if self.images == 0 {
            self.shown.push_str(text);
        }
    }

    /// An image begins (+1) or ends (-1): its description is not shown, but may be all there is.
    pub(super) fn image(&mut self, begins: bool) {
        self.with_alt.get_or_insert_with(|| self.shown.clone());
        self.images = if begins { self.images + 1 } else { self.images.saturating_sub(1) };
    }

    /// The heading's inline source reaches at least over these bytes.
    pub(super) fn covers(&mut self, start: usize, end: usize) {
        let (from, to) = self.source.unwrap_or((start, end));
        self.source = Some((from.min(start), to.max(end)));
    }

    /// The heading's names, best first: as shown, with image descriptions, as written.
    pub(super) fn forms(&self, source: &str) -> Vec<Box<str>> {
        let raw = self.source.map_or("", |(start, end)| {
            let escaped = start > 0 && source.as_bytes().get(start - 1) == Some(&b'\\');
            part(source, start - usize::from(escaped)..end)
        });
        let mut forms: Vec<Box<str>> = Vec::with_capacity(1);
        for (i, text) in
            [&self.shown, self.with_alt.as_ref().unwrap_or(&self.shown), raw].into_iter().enumerate()
        {
            if i > 0 && *text == self.shown {
                continue;
            }
            let form = normal(text);
            if !form.is_empty() && !forms.iter().any(|f| **f == *form) {
                forms.push(form.into());
            }
        }
        forms
    }
}

#[cfg(test)]
mod tests {
    use super::{is_plain, made_normal};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
        #[test]
        fn what_is_plain_is_normal(text in "[a ~!\t\u{b}\u{7f}\u{e9}\u{a0}]{0,6}") {
            prop_assert_eq!(is_plain(&text), text.is_ascii() && !text.is_empty() && made_normal(&text) == text
                && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()));
            if is_plain(&text) {
                prop_assert_eq!(made_normal(&text), text);
            }
        }
    }
}
