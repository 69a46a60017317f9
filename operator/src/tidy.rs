//! Making a full document shorter: which of its sections are long, and what a shorter text no longer says. Pure.

use markdown_merge::{Section, chars};
use serde::Serialize;

/// A section that could be shorter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LongSection {
    /// Its heading, below the headings it is in.
    pub heading: Vec<String>,
    /// Its level.
    pub level: u8,
    /// How long its text is without the heading, in characters as a person counts them.
    pub chars: usize,
    /// That text.
    pub text: String,
    /// The hash of heading and text: a change is made only to what was seen.
    pub base: String,
}

/// The sections of a document that say something, the longest first.
#[must_use]
pub fn longest_first(document: &str, sections: Vec<Section>) -> Vec<LongSection> {
    let long = |section: Section| {
        let text = document.get(section.body.clone())?.to_owned();
        let Section { heading, level, hash, .. } = section;
        Some(LongSection { heading, level, chars: chars(&text), text, base: hash })
    };
    let says_something = |section: &LongSection| section.level > 0 && section.chars > 0;
    let mut found: Vec<LongSection> = sections.into_iter().filter_map(long).filter(says_something).collect();
    found.sort_by_key(|section| std::cmp::Reverse(section.chars));
    found
}

/// The lines of a text that a shorter one does not have any longer, with whatever words.
#[must_use]
pub fn lost(before: &str, after: &str) -> Vec<String> {
    let said = |line: &str| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        // The number of a list's item is no word either.
        let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = unnumbered.strip_prefix(['.', ')']).filter(|_| unnumbered.len() < line.len());
        item.unwrap_or(line).trim().to_lowercase()
    };
    let after = said(after).lines().map(said).collect::<Vec<_>>().join("\n");
    let is_lost = |line: &&str| !said(line).is_empty() && !after.contains(&said(line));
    before.lines().filter(is_lost).map(|line| line.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_comes_first_and_the_lead_is_left_alone() {
        let text = "lead, which is long enough\n\n# A\n\n## B\n\n- one\n\n## C\n\n- one\n- two\n";
        let found = longest_first(text, markdown_merge::sections(text).unwrap());
        let names: Vec<(&str, usize)> =
            found.iter().map(|section| (section.heading[1].as_str(), section.chars)).collect();
        assert_eq!(names, [("C", 11), ("B", 5)]);
        assert_eq!(found[1].base, markdown_merge::hash("## B\n\n- one"));
    }

    #[test]
    fn what_is_lost_is_what_no_line_says_any_longer() {
        let before = "- likes tabs\n- Likes short answers\n\n1. uses vim\n- speaks French";
        let after = "* likes short answers; uses Vim\n- LIKES TABS";
        assert_eq!(lost(before, after), ["- speaks French"]);
        assert!(lost(before, before).is_empty());
    }
}
