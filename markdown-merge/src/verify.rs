//! The last look at a document that took in edits: read anew, it must say of itself what the edits said.
//!
//! What stands above the first edit is as it was when the document was opened and read whole, so it is not read again: at a
//! heading at document level that closes what is above it, a parse sees what a parse of the whole document sees. Labels and markers
//! are those of the whole document.

use super::document::{Document, body_start, sections_of};
use super::links::{Inside, Labels};
use super::marker;
use super::parse::{self, Events, Known};
use super::text::part;

/// Whether the text, read anew, has the sections, labels and markers that are known of it.
pub(super) fn reads_as_known(document: &Document) -> bool {
    let Some(touched) = document.touched else { return true };
    // The section before as well: where its text ends may have changed with what follows it.
    let first = document.fresh_section(document.section_at(touched).saturating_sub(1));
    let (above, below) = document.sections.split_at(first.min(document.sections.len()));
    let (at_top, text) = (first == 0, document.text());
    // A line far below can close front matter that the first line opens.
    if body_start(text) != document.body_start {
        return false;
    }
    let start = if at_top { document.body_start } else { document.start_of(first) };
    let inside = Inside::of(below);
    let known = Known {
        link: &|label| !at_top && document.labels.is_defined_outside(label, &inside),
        footnotes: &|label| {
            if at_top { None } else { document.labels.footnote_outside(label, &inside) }
        },
    };
    let markdown = part(text, start..text.len());
    let mut scan = parse::scan(markdown, &known, Events::None);
    let fresh = sections_of(markdown, start, &mut scan, at_top);
    let (mut labels, mut markers) = (Labels::of(above, Vec::new()), marker::Index::default());
    labels.add(&fresh);
    markers.add(above);
    markers.add(&fresh);
    below == fresh && document.labels.is_same(&labels) && document.markers == markers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As an edit does that keeps the index in step.
    fn edited(text: &str, at: &str, with: &str) -> Document {
        let place = text.find(at).unwrap();
        let mut document = Document::of(text.replacen(at, with, 1));
        document.touched = Some(place);
        document
    }

    const TEXT: &str =
        "# T\n\n[a]: /a\n\n## One\n\nsee [a] and [b]\n\n## Two\n\n- x\n\n[b]: /b\n\n## Three\n\nend\n";

    #[test]
    fn what_the_edits_say_is_what_is_read() {
        for (at, with) in [
            ("- x", "- y"),
            ("end", "see [a], [b] and [^n]\n\n[^n]: note"),
            ("# T", "# U"),
            ("see", "---\n\nsee"),
        ] {
            assert!(reads_as_known(&edited(TEXT, at, with)), "{at} -> {with}");
        }
        assert!(reads_as_known(&Document::of(TEXT.to_owned())));
    }

    #[test]
    fn what_the_edits_do_not_know_is_found_from_the_section_before_the_first_one_on() {
        let wrong = |at: &str, spoil: &dyn Fn(&mut Document)| {
            let mut document = edited(TEXT, at, at);
            spoil(&mut document);
            !reads_as_known(&document)
        };
        // The text says something that the index does not.
        let other = |from: &'static str, to: &'static str| {
            move |document: &mut Document| {
                let (known, touched) = (Document::of(TEXT.to_owned()), document.touched);
                *document = Document::of(TEXT.replacen(from, to, 1));
                document.touched = touched;
                (document.sections, document.labels, document.markers) =
                    (known.sections, known.labels, known.markers);
            }
        };
        assert!(wrong("end", &other("end", "end\n\n## Four")));
        assert!(wrong("end", &other("[b]: /b", "[c]: /b")), "the section before");
        assert!(wrong("- x", &other("## Three", "### Three")), "behind the edit");
        assert!(wrong("# T", &other("## One", "#### One")), "the whole document");
        assert!(
            wrong("end", &|document| document.labels = Labels::default()),
            "labels of the part above, too"
        );
    }
}
