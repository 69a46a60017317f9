//! Budgets of a document and of its sections. Nothing is ever cut to fit: what would exceed one is refused, with by how
//! much, where the room went, and what would fit.

use super::document::Document;
use super::refusal::refuse;
use super::{Refusal, RefusalCode, Rules, listing};
use std::collections::HashMap;
use unicode_segmentation::UnicodeSegmentation;

/// Sections named in a refusal.
const LARGEST: usize = 3;

/// What a document measured before a job, as far as its budgets need it: what shrinks is welcome even where it is over.
pub(super) struct Before {
    chars: usize,
    tokens: usize,
    sections: HashMap<Vec<String>, usize>,
}

impl Before {
    /// Measures what can matter.
    pub(super) fn of(document: &Document, rules: &Rules) -> Before {
        let text = document.text();
        let sections = match rules.section_chars_max {
            Some(_) => sizes(document).map(|(heading, _, chars)| (heading, chars)).collect(),
            None => HashMap::new(),
        };
        Before {
            chars: rules.chars_max.map_or(0, |_| chars(text)),
            tokens: rules.tokens_max.map_or(0, |_| tokens(text)),
            sections,
        }
    }

    /// The refusal of a job that makes a document, or a section, longer than its budget.
    pub(super) fn exceeded(&self, document: &Document, rules: &Rules) -> Option<Refusal> {
        let text = document.text();
        let in_chars = over(rules.chars_max, self.chars, text, chars, "characters");
        let in_tokens = || over(rules.tokens_max, self.tokens, text, tokens, "tokens (estimated)");
        in_chars
            .or_else(in_tokens)
            .map(|(message, fits)| {
                refuse(RefusalCode::OverBudget, message).hint(format!("{fits}; {}", largest(document)))
            })
            .or_else(|| self.section(document, rules))
    }

    fn section(&self, document: &Document, rules: &Rules) -> Option<Refusal> {
        let budget = rules.section_chars_max?;
        let (heading, line, has) = sizes(document).find(|(heading, _, has)| {
            *has > budget && self.sections.get(heading).is_none_or(|before| has > before)
        })?;
        let had = self.sections.get(&heading).copied().unwrap_or(0);
        let message = format!(
            "section `{}` would have {has} characters, {} over its budget of {budget}",
            heading.join(" > "),
            has - budget
        );
        Some(refuse(RefusalCode::OverBudget, message).hint(fitting(budget, had, "characters")).lines([line]))
    }
}

/// What is said of a text over its budget, and what would fit.
fn over(
    budget: Option<usize>,
    had: usize,
    text: &str,
    measure: fn(&str) -> usize,
    unit: &str,
) -> Option<(String, String)> {
    let budget = budget?;
    // A character has at least one byte, and so has a token: most documents need not be counted.
    if text.len() <= budget {
        return None;
    }
    let has = measure(text);
    (has > budget && has > had).then(|| {
        let message =
            format!("the document would have {has} {unit}, {} over its budget of {budget}", has - budget);
        (message, fitting(budget, had, unit))
    })
}

fn fitting(budget: usize, had: usize, unit: &str) -> String {
    match budget.checked_sub(had) {
        None | Some(0) => "nothing more fits: clear what is no longer needed".to_owned(),
        Some(room) => {
            format!("{room} {unit} more would fit; say it in fewer, or clear what is no longer needed")
        }
    }
}

/// Characters as a reader counts them.
#[must_use]
pub fn chars(text: &str) -> usize {
    if text.is_ascii() {
        // Only CR LF is one character of two bytes.
        return text.len() - text.as_bytes().windows(2).filter(|pair| *pair == b"\r\n").count();
    }
    text.graphemes(true).count()
}

/// Tokens of a language model, by estimate: six letters of a word, one sign, one character of Chinese, Japanese or
/// Korean, two letters of other scripts. Tokenisers differ among themselves more than this differs from them.
#[must_use]
pub fn tokens(text: &str) -> usize {
    let mut tokens = 0;
    let (mut ascii, mut other) = (0_usize, 0_usize);
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() {
            ascii += 1;
            continue;
        }
        if c.is_alphanumeric() && !is_cjk(c) {
            other += 1;
            continue;
        }
        tokens += std::mem::take(&mut ascii).div_ceil(6) + std::mem::take(&mut other).div_ceil(2);
        tokens += usize::from(!c.is_whitespace());
    }
    tokens
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0xff00..=0xffef | 0x20000..=0x3ffff)
}

/// Every section with its line and characters.
fn sizes(document: &Document) -> impl Iterator<Item = (Vec<String>, usize, usize)> {
    let text = document.text();
    listing::sections(document).into_iter().map(move |section| {
        let own = text.get(section.own.clone()).unwrap_or_default();
        (section.heading, section.line, chars(own))
    })
}

fn largest(document: &Document) -> String {
    let mut sections: Vec<(usize, String)> =
        sizes(document).map(|(heading, _, size)| (size, heading.join(" > "))).collect();
    sections.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    let named: Vec<String> =
        sections.iter().take(LARGEST).map(|(size, heading)| format!("`{heading}` ({size})")).collect();
    format!("the largest sections are {}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_what_a_reader_counts() {
        assert_eq!(chars("a\u{301}👩‍👩‍👧‍👦中"), 3);
        assert_eq!(chars("a\r\nb\n"), 4);
        assert_eq!(chars("é\r\n"), 2);
    }

    #[test]
    fn tokens_are_estimated() {
        assert_eq!(tokens("the user likes short answers."), 7);
        assert_eq!(tokens("用户喜欢简短的回答。"), 10);
        assert_eq!(tokens("Привет"), 3);
        assert_eq!(tokens(" \n\t"), 0);
    }
}
