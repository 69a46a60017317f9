//! `rename`: a section gets another heading; its level, its text and how the heading is written stay. Links within the document
//! that lead to the old heading are told, not changed: they are other sections' text.

use super::address::{Address, Lookup};
use super::apply::{self, Applied, Facts};
use super::document::{Document, Head};
use super::refusal::refuse;
use super::request::Edit;
use super::splice::{self, AllowedHeadings, Splice};
use super::text::{content_end, part};
use super::{ChangeKind, Refusal, RefusalCode, RenamedHeading, base, create, machine};
use std::ops::Range;

type Done = Result<(Applied, Option<RenamedHeading>), Refusal>;

/// Applies one entry whose content is the new heading. A refusal leaves the document as it was.
pub(super) fn entry(document: &mut Document, entry: &Edit<'_>, facts: &Facts) -> Done {
    let old = Address::read(&entry.heading, entry.level)?;
    if old.level == 0 {
        return Err(refuse(RefusalCode::BadHeading, "the text before the first heading has no heading")
            .hint("name the heading that is to be renamed"));
    }
    let new = renamed(entry)?;
    let section = match (old.find(document), there(document, &new)) {
        (Ok(Lookup::Section(i)), Some(j)) if i == j => return Ok((apply::unchanged(document, i), None)),
        (Ok(Lookup::Section(_)), Some(j)) => return Err(taken(document, &new, j)),
        (Ok(Lookup::Section(i)), None) => i,
        // Done before; or another one is called so.
        (_, Some(j)) if entry.made != Some(false) => return Ok((apply::unchanged(document, j), None)),
        (Err(refusal), _) => return Err(refusal),
        (Ok(Lookup::Missing), _) => {
            let message =
                format!("there is no level {} heading `{}` to rename", old.level, old.last().written);
            return Err(refuse(RefusalCode::HeadingNotFound, message).hint("use a heading the document has"));
        }
    };
    if facts.rules.machine_block {
        let (inside, at) = (machine::inside(document)?, document.start_of(section));
        if !inside.contains(&at) {
            return Err(machine::outside(document, at, &inside));
        }
    }
    let renamed = |now: &str| {
        let title = part(document.text(), title_of(document, section));
        now.replacen(title, entry.content.as_deref().unwrap_or(""), 1)
    };
    base::as_seen(document, section, entry, facts, renamed)?;
    carry_out(document, section, &old, &new)
}

/// The section that an address fits; `None` where it fits none.
fn there(document: &Document, address: &Address) -> Option<usize> {
    match address.find(document) {
        Ok(Lookup::Section(i)) => Some(i),
        _ => None,
    }
}

/// The address the section has afterwards.
fn renamed(entry: &Edit<'_>) -> Result<Address, Refusal> {
    let title = entry.content.as_deref().unwrap_or("").trim();
    if title.is_empty() || title.contains(['\n', '\r']) {
        return Err(refuse(RefusalCode::BadHeading, "the new heading is not one line of text")
            .hint("give the new heading as `content`, in one line"));
    }
    let mut heading = entry.heading.to_vec();
    heading.pop();
    heading.push(title.to_owned());
    Address::read(&heading, entry.level)
}

fn carry_out(document: &mut Document, section: usize, old: &Address, new: &Address) -> Done {
    let before = apply::own_hash(document, section);
    let links = links_to(document, document.head(section).map_or("", Head::title));
    let written = create::heading_line(new.last(), new.level)?;
    let title = written.trim_start_matches('#').trim_start().to_owned();
    let splice = Splice {
        range: title_of(document, section),
        with: title,
        zone: document.start_of(section)..document.body_of(section),
        anchors: None,
        headings: AllowedHeadings::New(new.level, false),
        keeps_markers: true,
    };
    let undo = splice::make(document, &splice)?;
    let stands = there(document, new) == Some(section);
    let gone = there(document, old).is_none();
    if !(stands && gone) {
        splice::take_back(document, undo);
        let message = format!("`{}` would not be found by that name", new.last().written);
        return Err(refuse(RefusalCode::BadHeading, message)
            .hint("write the heading as one line of plain text that no other heading has"));
    }
    let renamed =
        RenamedHeading { to: new.last().written.clone(), links, hash: apply::own_hash(document, section) };
    // Of the old heading: the section it names is there no more.
    let applied = Applied { kind: ChangeKind::Renamed, before, after: None, undo: Some(undo), piece: None };
    Ok((applied, Some(renamed)))
}

/// Where the words of a heading stand in its lines: without hashes before and behind, or above its underline.
fn title_of(document: &Document, section: usize) -> Range<usize> {
    let start = document.start_of(section);
    let end = content_end(document.text(), start);
    let lines = document.slice(start..document.body_of(section));
    let blank = [' ', '\t'];
    let line = document.slice(start..end);
    let body = line.trim_start_matches(blank);
    let is_underlined = !body.starts_with('#');
    if is_underlined {
        // The underline is the last line.
        let text = lines.trim_end();
        let text = text.rfind('\n').map_or(text, |at| part(text, 0..at)).trim_end();
        let from = text.len() - text.trim_start_matches(blank).len();
        return start + from..start + text.len();
    }
    let words = body.trim_start_matches('#').trim_start_matches(blank);
    let from = line.len() - words.len();
    let words = words.trim_end_matches(blank);
    let bare = words.trim_end_matches('#');
    let closed = bare.len() < words.len() && (bare.is_empty() || bare.ends_with(blank));
    let words = if closed { bare.trim_end_matches(blank) } else { words };
    start + from..start + from + words.len()
}

/// The lines that link to a heading by the anchor that renderers make of it.
fn links_to(document: &Document, title: &str) -> Vec<usize> {
    let keep = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let anchor: String =
        title.to_lowercase().chars().filter(keep).map(|c| if c == ' ' { '-' } else { c }).collect();
    if anchor.is_empty() {
        return Vec::new();
    }
    let wanted = [format!("](#{anchor})"), format!("[[#{title}]]"), format!("[[#{title}|")];
    let lines = document.text().lines().enumerate();
    let linking = lines.filter(|(_, line)| {
        let lower = line.to_lowercase();
        wanted.iter().any(|link| line.contains(link.as_str()) || lower.contains(link.as_str()))
    });
    linking.map(|(n, _)| n + 1).collect()
}

fn taken(document: &Document, new: &Address, other: usize) -> Refusal {
    let line = document.line(document.start_of(other));
    refuse(
        RefusalCode::Ambiguous,
        format!("there is a heading `{}` already, at line {line}", new.last().written),
    )
    .hint("use another name, or move the text into that section")
    .lines([line])
}
