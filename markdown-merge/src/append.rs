//! How text that is appended, or prepended, joins what is there: a list goes on without a blank line, a table takes rows, and everything
//! else becomes a block of its own.

use super::content::Content;
use super::memory::Core;
use super::parse::{self, Events, Happening, Kind, Known, Scan};
use super::refusal::refuse;
use super::text::part;
use super::{Refusal, RefusalCode};
use memchr::memmem;
use pulldown_cmark::Event;
use std::ops::Range;

/// The line ends (LF) between a core and what is appended to it. Both have LF line ends. `known` is how the core reads
/// if that is known already, and then how both together do, if that was found out.
pub(super) fn separator(
    core: &str,
    content: &Content,
    known: &mut Option<Core>,
) -> Result<&'static str, Refusal> {
    let added = content.text();
    let core = tail(core);
    let above = known.take().filter(|known| known.text == core);
    let above = above.map_or_else(|| scan(core).events, |known| known.events);
    let below = content.events();
    let blocks = (last_block(&above), first_block(below));
    let goes_on = match blocks {
        (_, Some(first)) if !begins_with(added, &first) => false,
        (Some(last), Some(first)) if last.kind == Kind::List && first.kind == Kind::List => {
            continues_list(core, &above, &last, added, below, &first, known)
        }
        (Some(last), Some(first)) if last.kind == Kind::Table && first.kind == Kind::Paragraph => {
            continues_table(core, &above, &last, added, &first, known)
        }
        _ => false,
    };
    if goes_on {
        return Ok("\n");
    }
    match blocks.1 {
        Some(first) if !stands_alone(core, added, &first, known) => Err(refuse(
            RefusalCode::SideEffect,
            "the appended text would become part of the list item or block above it",
        )
        .hint("begin the content with a line that is not indented")),
        _ => Ok("\n\n"),
    }
}

/// Whether a text begins with its first block. A link's definition above it is none, and would be read as text right below another list.
fn begins_with(text: &str, first: &Happening) -> bool {
    part(text, 0..first.start).trim().is_empty()
}

/// The line ends (LF) between content that is put above a core, and that core, so that both mean what they meant alone; a list
/// goes on with a list of its kind.
pub(super) fn separator_below(content: &Content, core: &str) -> Result<&'static str, Refusal> {
    let (added, above, below) = (content.text(), content.events(), scan(core).events);
    if let (Some(last), Some(first)) = (last_block(above), first_block(&below)) {
        let lists = last.kind == Kind::List && first.kind == Kind::List && begins_with(core, &first);
        let (mut items, old) = (children(above, &last), children(&below, &first));
        items.extend(old);
        let tight = items.iter().all(|kind| *kind == Kind::Item);
        if lists
            && tight
            && bullet(added, last.start) == bullet(core, first.start)
            && block_after_joining(added, core, &last, &mut None).is_some_and(|found| found == items)
        {
            return Ok("\n");
        }
    }
    let by = added.len() + 2;
    let block = |event: &Happening, by: usize| (event.kind, event.depth, event.start + by);
    let alone: Vec<_> = above.iter().map(|e| block(e, 0)).chain(below.iter().map(|e| block(e, by))).collect();
    let joined = scan(&[added, "\n\n", core].concat()).events;
    if joined.iter().map(|e| block(e, 0)).collect::<Vec<_>>() == alone {
        return Ok("\n\n");
    }
    Err(refuse(RefusalCode::SideEffect, "the section's text would become part of the text above it")
        .hint("end the content with a paragraph, or use `update` with the whole text"))
}

/// The end of a core from its last block on, as far as it can be read alone. A block at document level right below a
/// blank line begins there as it would in a document of its own; what stands above it is closed.
fn tail(core: &str) -> &str {
    if core.len() <= SHORT {
        return core;
    }
    let whole = parse::scan(core, &Known::NOTHING, Events::Places);
    let below_blank =
        |at: usize| at == 0 || part(core, 0..at).trim_end_matches([' ', '\t']).ends_with("\n\n");
    let blocks = whole.events.iter().rev().filter(|e| e.depth == 0);
    let last = blocks.map(|e| super::text::line_start(core, e.start)).find(|at| below_blank(*at));
    part(core, last.unwrap_or(0)..core.len())
}

/// Cores up to this many bytes are read whole.
const SHORT: usize = 8 * 1024;

fn scan(text: &str) -> Scan {
    parse::scan(text, &Known::NOTHING, Events::Places)
}

fn read(text: String) -> Core {
    Core { events: scan(&text).events, text }
}

fn last_block(events: &[Happening]) -> Option<Happening> {
    events.iter().rev().find(|e| e.depth == 0).copied()
}

fn first_block(events: &[Happening]) -> Option<Happening> {
    events.iter().find(|e| e.depth == 0).copied()
}

/// The kinds of a list's items or of a table's rows.
fn children(events: &[Happening], parent: &Happening) -> Vec<Kind> {
    let from = events.iter().skip_while(|e| *e != parent).skip(1);
    from.take_while(|e| e.depth > parent.depth)
        .filter(|e| e.depth == parent.depth + 1)
        .map(|e| e.kind)
        .collect()
}

fn continues_list(
    core: &str,
    above: &[Happening],
    last: &Happening,
    added: &str,
    below: &[Happening],
    first: &Happening,
    joined: &mut Option<Core>,
) -> bool {
    if bullet(core, last.start) != bullet(added, first.start) {
        return false;
    }
    let (mut items, new) = (children(above, last), children(below, first));
    items.extend(new);
    let tight = items.iter().all(|kind| *kind == Kind::Item);
    tight && block_after_joining(core, added, last, joined).is_some_and(|found| found == items)
}

fn continues_table(
    core: &str,
    above: &[Happening],
    last: &Happening,
    added: &str,
    first: &Happening,
    joined: &mut Option<Core>,
) -> bool {
    let lines: Vec<&str> = part(added, first.start..first.end).lines().collect();
    let mut rows = children(above, last);
    rows.extend(lines.iter().map(|_| Kind::Row));
    let are_rows = lines.iter().all(|line| line.trim_start().starts_with('|'));
    are_rows && block_after_joining(core, added, last, joined).is_some_and(|found| found == rows)
}

/// What the last block of the core consists of once the content follows without a blank line.
fn block_after_joining(
    core: &str,
    added: &str,
    last: &Happening,
    joined: &mut Option<Core>,
) -> Option<Vec<Kind>> {
    let joined = joined.insert(read([core, "\n", added].concat()));
    let same = joined.events.iter().find(|e| e.depth == 0 && e.start == last.start && e.kind == last.kind)?;
    Some(children(&joined.events, same))
}

/// The bullet or delimiter of the list at `at`: lists of another kind are other lists.
fn bullet(text: &str, at: usize) -> Option<char> {
    part(text, at..text.len()).trim_start().chars().find(|c| !c.is_ascii_digit())
}

/// Whether, behind a blank line, the content's first block is one of the document or goes on with its like.
fn stands_alone(core: &str, added: &str, first: &Happening, joined: &mut Option<Core>) -> bool {
    let at = core.len() + 2 + first.start;
    let joined = joined.insert(read([core, "\n\n", added].concat()));
    let begins_there = |depth: u32, e: &&Happening| e.depth == depth && e.start == at;
    if joined.events.iter().any(|e| begins_there(0, &e)) {
        return true;
    }
    let around = joined.events.iter().rev().find(|e| e.depth == 0 && e.start < at);
    match around.map(|e| e.kind) {
        Some(Kind::List) => first.kind == Kind::List && joined.events.iter().any(|e| begins_there(1, &e)),
        Some(kind) => kind == Kind::IndentedCode && first.kind == Kind::IndentedCode,
        None => false,
    }
}

/// Whether the same whole lines are there already: what is delivered twice is appended once. Within a fence, a comment or a block of
/// HTML they are part of that, and lines within a paragraph are part of what it says: `tea` is not said by `I do not like⏎tea`.
pub(super) fn is_there(core: &str, content: &Content) -> bool {
    let wanted = format!("\n{}\n", content.text());
    let (head, tail) = (wanted.get(1..).unwrap_or(""), wanted.get(..wanted.len() - 1).unwrap_or(""));
    let stands =
        || core.starts_with(head) || core.ends_with(tail) || holds(core.as_bytes(), wanted.as_bytes());
    core == content.text() || stands() && is_seen(core, content.text())
}

/// Whether lines that stand in a text stand there once outside of such a block, and are no part of a longer paragraph. A block that they
/// begin themselves is theirs.
fn is_seen(core: &str, wanted: &str) -> bool {
    let events = scan(core).events;
    let hiding = events.iter().filter(|e| matches!(e.kind, Kind::FencedCode | Kind::Html));
    // One may stand in another: then the outer one's end counts.
    let outermost = |end: &mut usize, e: &Happening| {
        *end = e.end.max(*end);
        Some(e.start + 1..*end)
    };
    let hiding: Vec<Range<usize>> = hiding.scan(0, outermost).collect();
    let mut breaks: Vec<Range<usize>> = Vec::new();
    parse::each_event(core, |event, range| {
        if matches!(event, Event::SoftBreak | Event::HardBreak) {
            breaks.push(range);
        }
    });
    let is_line_feed = |at: usize| core.as_bytes().get(at) == Some(&b'\n');
    let ends_block = |at: usize| is_line_feed(at) && !is_within(&breaks, at);
    let is_whole = |at: usize| {
        let end = at + wanted.len();
        (at == 0 || ends_block(at - 1)) && (end == core.len() || ends_block(end))
    };
    each_match(core.as_bytes(), wanted.as_bytes()).any(|at| is_whole(at) && !is_within(&hiding, at))
}

/// Where a text stands in another one, also where one occurrence overlaps the next, as of `word\n\nword` below a line that ends with `word`.
/// In one pass whatever they repeat (Knuth, Morris and Pratt, 1977).
fn each_match<'t>(text: &'t [u8], wanted: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    // For each beginning of what is wanted, how much of its end is a beginning as well.
    let mut borders = vec![0; wanted.len()];
    let go_on = |borders: &[usize], mut held: usize, byte: u8| {
        while held > 0 && wanted.get(held) != Some(&byte) {
            held = borders[held - 1];
        }
        held + usize::from(wanted.get(held) == Some(&byte))
    };
    for (at, byte) in wanted.iter().enumerate().skip(1) {
        borders[at] = go_on(&borders, borders[at - 1], *byte);
    }
    let mut held = 0;
    text.iter().enumerate().filter_map(move |(at, byte)| {
        held = go_on(&borders, held, *byte);
        (held > 0 && held == wanted.len()).then(|| at + 1 - wanted.len())
    })
}

/// Whether one of these has it: they stand in their order, and none ends before one that begins above it.
fn is_within(ranges: &[Range<usize>], at: usize) -> bool {
    let before = ranges.partition_point(|range| range.start <= at);
    before.checked_sub(1).and_then(|last| ranges.get(last)).is_some_and(|range| range.contains(&at))
}

/// Whether `wanted` stands somewhere in `text`. To prepare a search for a long text costs more than to look for how it
/// begins; where many places begin like it, it is prepared after all, so that the time stays that of one pass.
fn holds(text: &[u8], wanted: &[u8]) -> bool {
    let begin = memmem::Finder::new(wanted.get(..BEGIN).unwrap_or(wanted));
    let mut rest = text;
    for _ in 0..text.len() / wanted.len().max(1) + FEW {
        let Some(found) = begin.find(rest).and_then(|at| rest.get(at..)) else { return false };
        if found.starts_with(wanted) {
            return true;
        }
        rest = found.get(1..).unwrap_or(&[]);
    }
    memmem::find(rest, wanted).is_some()
}

/// A piece that is looked for without preparation, in bytes.
const BEGIN: usize = 32;
/// Places that are compared, however short the text.
const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use super::holds;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
        #[test]
        fn a_long_text_is_found_where_it_stands(
            text in prop::collection::vec(prop::sample::select(vec!["\n- a", "\n- a", "\n- a", "\n- a", "\n- a", "\n- a", "\n- a", "\n- b"]), 0..200),
            from in any::<prop::sample::Index>(), lines in 1..40_usize, end in prop::sample::select(vec!["\n", "x\n", "\n- b\n"]),
        ) {
            let from = if text.is_empty() { 0 } else { from.index(text.len()) };
            let wanted = text.iter().skip(from).take(lines).copied().collect::<String>() + end;
            let text = text.concat();
            prop_assert_eq!(holds(text.as_bytes(), wanted.as_bytes()), text.contains(&wanted));
        }
    }
}
