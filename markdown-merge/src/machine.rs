//! Documents of which only the machine block may change: the text between two marker comments.

use super::document::Document;
use super::marker::{Form, Mark, Side};
use super::refusal::refuse;
use super::{Refusal, RefusalCode};
use std::ops::Range;

const NAME: &str = "MACHINE_BLOCK";
const START: &str = "<!-- MACHINE_BLOCK_START -->";
const END: &str = "<!-- MACHINE_BLOCK_END -->";

/// Where the machine block's inside begins and ends.
pub(super) fn inside(document: &Document) -> Result<Range<usize>, Refusal> {
    let sections = document.sections.iter();
    let markers =
        sections.flat_map(|s| s.markers().iter().map(|m| (s.start + m.start, s.start + m.end, &m.mark)));
    let (starts, ends): (Vec<_>, Vec<_>) =
        markers.filter(|(_, _, mark)| is_ours(mark)).partition(|(_, _, mark)| mark.side == Side::Start);
    let start = only(document, &starts.iter().map(|(at, end, _)| (*at, *end)).collect::<Vec<_>>(), START)?;
    let end = only(document, &ends.iter().map(|(at, end, _)| (*at, *end)).collect::<Vec<_>>(), END)?;
    if end.0 < start.1 {
        let (first, second) = (document.line(end.0), document.line(start.0));
        let message =
            format!("the machine block's end (line {first}) stands above its start (line {second})");
        return Err(refuse(RefusalCode::MachineBlockOrder, message)
            .hint(format!("put {START} above {END}"))
            .lines([first, second]));
    }
    Ok(start.1..end.0)
}

/// The document with another text in its machine block, on lines of its own.
pub(super) fn replaced(document: &Document, text: &str) -> Result<String, Refusal> {
    let inside = inside(document)?;
    let whole = document.text();
    let eol = if document.slice(0..inside.start).contains("\r\n") { "\r\n" } else { "\n" };
    let text = super::text::with_line_ends(text.trim_matches(['\n', '\r']), eol);
    let (before, behind) =
        (super::text::part(whole, 0..inside.start), super::text::part(whole, inside.end..whole.len()));
    let first = if before.ends_with('\n') { "" } else { eol };
    Ok([before, first, eol, &text, eol, eol, behind].concat())
}

fn is_ours(mark: &Mark) -> bool {
    *mark.name == *NAME && matches!(mark.form, Form::Capitals | Form::Keyword)
}

fn only(document: &Document, found: &[(usize, usize)], marker: &str) -> Result<(usize, usize), Refusal> {
    match found {
        [one] => Ok(*one),
        [] => Err(refuse(RefusalCode::MachineBlockMissing, format!("the document has no line {marker}"))
            .hint(format!(
                "mark the part machines may write with {START} and {END}, each on a line of its own"
            ))),
        several => {
            let lines: Vec<usize> = several.iter().map(|(at, _)| document.line(*at)).collect();
            let shown: Vec<String> = lines.iter().map(ToString::to_string).collect();
            let message =
                format!("the document has {} lines {marker} (lines {})", found.len(), shown.join(", "));
            Err(refuse(RefusalCode::MachineBlockDoubled, message).hint("keep one machine block").lines(lines))
        }
    }
}

/// Refuses a section no part of whose body lies in the block.
pub(super) fn reaches(
    document: &Document,
    i: usize,
    end: usize,
    inside: &Range<usize>,
) -> Result<(), Refusal> {
    let (start, body) = (document.start_of(i), document.body_of(i));
    let holds_heading = document.head(i).is_some() && inside.contains(&start);
    let holds_block = body < inside.start && inside.start <= end;
    let begins_with_block = body == inside.start;
    if holds_heading || holds_block || begins_with_block {
        return Ok(());
    }
    Err(outside(document, start, inside))
}

/// The refusal for something at `at`.
pub(super) fn outside(document: &Document, at: usize, inside: &Range<usize>) -> Refusal {
    let (first, last) = (document.line(inside.start), document.line(inside.end).saturating_sub(1));
    let line = document.line(at);
    let text =
        if last < first { "it is empty".to_owned() } else { format!("its text: lines {first} to {last}") };
    let message = format!("line {line} is outside the machine block ({text})");
    refuse(RefusalCode::OutsideMachineBlock, message)
        .hint("only the machine block of this document may change; declare a section inside it")
        .lines([line])
}
