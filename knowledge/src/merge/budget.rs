//! A document's budget in characters. Nothing is ever cut to fit: what would exceed it is refused, with by how much and
//! where the room went.

use super::document::Document;
use super::refusal::refuse;
use super::{Refusal, Rules, listing};
use unicode_segmentation::UnicodeSegmentation;

/// Sections named in a refusal.
const LARGEST: usize = 3;

/// Characters as a reader counts them.
pub(super) fn chars(text: &str) -> usize {
    text.graphemes(true).count()
}

/// The refusal of a job that makes a document longer than its budget. `before`: bytes it had before the job.
pub(super) fn exceeded(document: &Document, before: usize, rules: &Rules) -> Option<Refusal> {
    let budget = rules.chars_max?;
    let text = document.text();
    // A character has at least one byte: most documents need not be counted.
    if text.len() <= budget || text.len() <= before {
        return None;
    }
    let has = chars(text);
    (has > budget).then(|| {
        let message =
            format!("the document would have {has} characters, {} over its budget of {budget}", has - budget);
        refuse("over_budget", message)
            .hint(format!("say it in fewer words, or clear what is no longer needed; {}", largest(document)))
    })
}

fn largest(document: &Document) -> String {
    let text = document.text();
    let mut sections: Vec<(usize, String)> = listing::sections(document)
        .iter()
        .map(|section| {
            (chars(text.get(section.own.clone()).unwrap_or_default()), section.heading.join(" > "))
        })
        .collect();
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
    }
}
