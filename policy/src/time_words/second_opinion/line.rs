//! A line as items, words or characters, and what in it is no word of its author's own: a quotation, code, a name.

use crate::time_words::Language;
use std::borrow::Cow;
use std::ops::Range;

/// A word, a number or a sign; in Chinese a character.
pub(super) struct Token<'t> {
    pub word: &'t str,
    start: usize,
    /// In lower case; `#` for a number, `#4` for a year, `_wd` and `_mo` for the name of a day or month.
    pub norm: Cow<'t, str>,
}

pub(super) struct Line<'t> {
    pub text: &'t str,
    pub items: Vec<Token<'t>>,
}

impl<'t> Line<'t> {
    pub(super) fn of(text: &'t str, language: Language) -> Line<'t> {
        let mut items = Vec::new();
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let length = length(&text[at..], c, language);
            let word = &text[at..at + length];
            if !c.is_whitespace() {
                items.push(Token { word, start: at, norm: norm(word, language) });
            }
            at += length;
        }
        Line { text, items }
    }

    /// Where some items stand in the text.
    pub(super) fn range(&self, first: usize, end: usize) -> Range<usize> {
        let last = &self.items[end - 1];
        self.items[first].start..last.start + last.word.len()
    }

    pub(super) fn norm(&self, at: usize) -> &str {
        &self.items[at].norm
    }

    /// Whether some items are quoted, code or a part of a name.
    pub(super) fn is_other(&self, range: &Range<usize>, kind: &str, language: Language) -> bool {
        let (before, behind) = (&self.text[..range.start], &self.text[range.end..]);
        let count = |signs: &[char]| before.matches(signs).count();
        count(&['"']) % 2 == 1 && behind.contains('"')
            || count(&['`']) % 2 == 1
            || count(&['“', '《', '「', '『', '〈']) > count(&['”', '》', '」', '』', '〉'])
            || language == Language::English && self.is_name(range, kind)
    }

    /// TODAY in a line of small letters, a/here, now(), x.now.
    fn is_name(&self, range: &Range<usize>, kind: &str) -> bool {
        let word = &self.text[range.clone()];
        let is_upper = |text: &str| !text.chars().any(char::is_lowercase);
        if word.len() > 2 && word.is_ascii() && is_upper(word) && !is_upper(self.text) && kind != "EOX" {
            return true;
        }
        let mut before = self.text[..range.start].chars().rev();
        let mut behind = self.text[range.end..].chars();
        let glued = before.next().is_some_and(|c| "-_/.<$#@".contains(c))
            && before.next().is_some_and(|c| !" -".contains(c));
        let goes_on = behind.next().is_some_and(|c| "-_(/".contains(c))
            && behind.next().is_some_and(|c| c != ')' && !c.is_whitespace());
        glued || goes_on && !matches!(kind, "WD" | "REL")
    }
}

/// The bytes of the item that a text begins with.
fn length(text: &str, c: char, language: Language) -> usize {
    let letters = |text: &str| text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if c.is_ascii_alphabetic() {
        return letters(text);
    }
    if c.is_ascii_digit() {
        return digits(text);
    }
    // 's, 'll
    let rest = &text[c.len_utf8()..];
    let small = rest.bytes().take_while(u8::is_ascii_lowercase).count();
    let is_ending = language == Language::English && matches!(c, '\'' | '’');
    c.len_utf8() + if is_ending { small } else { 0 }
}

/// The bytes of a number with the signs in it: 3.5, 2026-03-11, 10:30.
fn digits(text: &str) -> usize {
    let run = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = run(text);
    while text[end..].starts_with(['.', ':', ',', '/', '-']) && run(&text[end + 1..]) > 0 {
        end += 1 + run(&text[end + 1..]);
    }
    end
}

fn norm(word: &str, language: Language) -> Cow<'_, str> {
    const NUMBERS: [&str; 24] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "eighteen", "twenty", "thirty", "forty", "fifty",
        "sixty", "ninety", "hundred",
    ];
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    const SHORT_DAYS: [&str; 9] = ["Mon", "Tue", "Tues", "Wed", "Thu", "Thurs", "Fri", "Sat", "Sun"];
    // Without those that are other words as well: may, march, mar, jun, dec.
    const MONTHS: [&str; 19] = [
        "january",
        "february",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "jan",
        "feb",
        "apr",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
    ];
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        return Cow::Borrowed(if is_year && word.bytes().all(|b| b.is_ascii_digit()) { "#4" } else { "#" });
    }
    let low = if word.chars().any(|c| c.is_uppercase() || c == '’') {
        Cow::Owned(word.to_lowercase().replace('’', "'"))
    } else {
        Cow::Borrowed(word)
    };
    if language == Language::Chinese {
        return low;
    }
    if DAYS.contains(&&*low) || SHORT_DAYS.contains(&word) {
        return Cow::Borrowed("_wd");
    }
    if MONTHS.contains(&&*low) {
        return Cow::Borrowed("_mo");
    }
    if NUMBERS.contains(&&*low) { Cow::Borrowed("#") } else { low }
}
