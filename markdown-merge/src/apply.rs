//! One entry into one document: find the section, work out its new text, make the edit, and see that it reads back.

use super::address::{Address, Lookup};
use super::body::{self, Body, Follows, Leaves};
use super::content::{self, Content};
use super::document::Document;
use super::list_item;
use super::memory::Core;
use super::piece::{self, ChangedPiece};
use super::refusal::refuse;
use super::replace::{self, Replacement, TextsThere};
use super::request::Edit;
use super::splice::{self, AllowedHeadings, Splice, Undo};
use super::table_row::{self, Upsert};
use super::text::{self, part, with_line_ends};
use super::{
    ChangeKind, Conflict, Create, Operation, Refusal, RefusalCode, Rules, Scope, append, base, create,
    front_matter_key, growing_list, machine, marker, parse,
};
use std::ops::Range;

/// What the document's policy and history say, for all entries of a job.
pub(super) struct Facts<'a> {
    pub rules: &'a Rules,
    pub base_text: &'a dyn Fn(&str) -> Option<String>,
}

/// What became of an entry, with the edit to take back if a later entry is refused.
pub(super) struct Applied {
    pub kind: ChangeKind,
    pub before: Option<String>,
    pub after: Option<String>,
    pub undo: Option<Undo>,
    /// For an item, or a row of a table: what took the place of what.
    pub piece: Option<ChangedPiece>,
}

/// An entry whose own words are checked.
pub(super) struct Request<'a> {
    pub entry: &'a Edit<'a>,
    pub address: Address,
    /// For `update`, `append` and `prepend`.
    pub content: Option<Content>,
    /// Where edits are allowed, when the document has a machine block.
    pub within: Option<Range<usize>>,
    /// Where no section of this document is, as it is made from another one.
    pub made: Option<Range<usize>>,
    /// Whether definitions at the section's end stay, from the first one on that other text needs.
    pub leaves_needed: bool,
}

/// What an operation makes of a core.
enum Wanted {
    Same,
    /// The whole core (LF); empty means: clear.
    Core(String, ChangeKind),
    /// At each of these places, in their order, bytes of the core (LF) become these others.
    Splice(Vec<Range<usize>>, String),
    Delete,
}

/// Applies one entry. A refusal leaves the document as it was.
pub(super) fn entry(document: &mut Document, entry: &Edit<'_>, facts: &Facts) -> Result<Applied, Refusal> {
    if let Some(key) = front_matter_key::key_of(entry, facts.rules) {
        return front_matter_key::entry(document, entry, key, facts.rules);
    }
    of_section(document, entry, facts)
}

/// The same for an entry that is about a section.
pub(super) fn of_section(
    document: &mut Document,
    entry: &Edit<'_>,
    facts: &Facts,
) -> Result<Applied, Refusal> {
    let address = Address::read(&entry.heading, entry.level)?;
    if entry.operation == Operation::NoOp {
        return Ok(looked_at(document, &address, entry.scope));
    }
    let content = match entry.operation {
        Operation::Update | Operation::Append | Operation::Prepend => {
            Some(Content::read(entry.content.as_deref().unwrap_or(""), &address, entry.scope)?)
        }
        _ => None,
    };
    let within = if facts.rules.machine_block { Some(machine::inside(document)?) } else { None };
    document.memory.look_for(&document.sections);
    let found = match address.find(document) {
        // Whoever deletes what they saw, and it is gone, has nothing left to do, whatever else is there.
        Err(refusal) if is_gone(entry, &refusal) => Lookup::Missing,
        found => found?,
    };
    let made = if facts.rules.block_is_made { machine::inside(document).ok() } else { None };
    let mut request = Request { entry, address, content, within, made, leaves_needed: false };
    match found {
        Lookup::Section(i) => existing(document, &request, i, facts).or_else(|refusal| {
            if entry.operation != Operation::Clear || refusal.code != RefusalCode::OrphansReference {
                return Err(refusal);
            }
            request.leaves_needed = true;
            existing(document, &request, i, facts).map_err(|_| refusal)
        }),
        Lookup::Missing => missing(document, &request, facts),
    }
}

/// Whether a section that is not found was there when its deletion was declared.
fn is_gone(entry: &Edit<'_>, refusal: &Refusal) -> bool {
    let other = matches!(refusal.code, RefusalCode::NearMatch | RefusalCode::LevelMismatch);
    entry.operation == Operation::Delete && entry.base.is_some() && other
}

fn looked_at(document: &Document, address: &Address, scope: Scope) -> Applied {
    let hash = match address.find(document) {
        Ok(Lookup::Section(i)) => hash_of(document, &body::body(document, i, scope, None)),
        _ => None,
    };
    Applied { kind: ChangeKind::Unchanged, before: hash.clone(), after: hash, undo: None, piece: None }
}

/// The hash of the text a body's scope covers; none for text before the first heading that is not there.
pub(super) fn hash_of(document: &Document, body: &Body) -> Option<String> {
    let text = body.own_text(document);
    let exists = document.head(body.section).is_some() || !text.is_empty();
    exists.then(|| base::hash(text))
}

/// The hash of a section's own text.
pub(super) fn own_hash(document: &Document, section: usize) -> Option<String> {
    hash_of(document, &body::body(document, section, Scope::Own, None))
}

/// A section that is as it was to become.
pub(super) fn unchanged(document: &Document, section: usize) -> Applied {
    let hash = own_hash(document, section);
    Applied { kind: ChangeKind::Unchanged, before: hash.clone(), after: hash, undo: None, piece: None }
}

/// As `hash_of`, with what an earlier entry on the section left to be hashed.
pub(super) fn known_hash(document: &mut Document, body: &Body) -> Option<String> {
    let i = body.section;
    if document.head(i).is_none() || body.next != i + 1 {
        return hash_of(document, body);
    }
    let mut memory = std::mem::take(&mut document.memory);
    let hash = memory.hash(i, body.own_text(document));
    document.memory = memory;
    Some(hash)
}

fn missing(document: &mut Document, request: &Request, facts: &Facts) -> Result<Applied, Refusal> {
    let entry = request.entry;
    let shown = entry.heading.join(" > ");
    match (&request.content, entry.operation) {
        (_, Operation::Delete) => {
            Ok(Applied { kind: ChangeKind::Unchanged, before: None, after: None, undo: None, piece: None })
        }
        (Some(content), _) => {
            if let Some(hash) = &entry.base {
                let base = (facts.base_text)(hash);
                let wanted = section_text(request, content.text());
                return Err(base::conflict(Conflict { base, current: None, wanted }));
            }
            if entry.create == Create::Never || !facts.rules.create {
                let has_headings = document.sections.iter().any(|section| section.head.is_some());
                return Err(refuse(
                    RefusalCode::SectionMissing,
                    format!("`{shown}` is not there and may not be created"),
                )
                .hint(match has_headings {
                    true => "use a heading the document has, or allow `create`",
                    false => {
                        "the document has no heading yet: write the first one yourself, or allow `create`"
                    }
                }));
            }
            let undo = create::section(document, request, content)?;
            let after = match request.address.find(document) {
                Ok(Lookup::Section(i)) => hash_of(document, &bounded_body(document, request, i)),
                _ => None,
            };
            Ok(Applied { kind: ChangeKind::Created, before: None, after, undo: Some(undo), piece: None })
        }
        (None, operation) => {
            let level = entry.level;
            let message = format!("there is no level {level} heading `{shown}` to {}", operation.as_str());
            Err(refuse(RefusalCode::HeadingNotFound, message)
                .hint("use a heading the document has; `update` and `append` create missing ones"))
        }
    }
}

/// The body an operation works on, within the machine block where there is one. Asked anew after an edit: the block
/// grows and shrinks with what is in it.
pub(super) fn bounded_body(document: &Document, request: &Request, i: usize) -> Body {
    let within = request.within.as_ref().and_then(|_| machine::inside(document).ok());
    body::body(document, i, request.entry.scope, within.as_ref())
}

/// The part of it that the operation is about: definitions at its end that others need are left where they are.
fn own_body(document: &Document, request: &Request, body: Body) -> Body {
    if request.leaves_needed {
        return body::without_needed_elsewhere(document, body);
    }
    let leaves = match (request.entry.operation, &request.content) {
        (Operation::Append, Some(content)) => content.appended_above(),
        (Operation::Prepend, Some(_)) => Leaves::Nothing,
        (_, Some(content)) => Leaves::Others { said: &content.defines, used: &content.uses },
        (_, None) => Leaves::Nothing,
    };
    body::without_definitions(document, body, leaves)
}

/// A section's text as an entry would have it, for people to compare.
fn section_text(request: &Request, core: &str) -> String {
    match (request.address.level, core.is_empty()) {
        (0, _) => core.to_owned(),
        (level, empty) => {
            let hashes = "#".repeat(level.into());
            let gap = if empty { "" } else { "\n\n" };
            format!("{hashes} {}{gap}{core}", request.address.last().written)
        }
    }
}

fn existing(document: &mut Document, request: &Request, i: usize, facts: &Facts) -> Result<Applied, Refusal> {
    let entry = request.entry;
    if let Some(inside) = &request.within {
        let plain = body::body(document, i, entry.scope, None);
        let end = document.start_of(plain.next);
        machine::reaches(document, i, end, inside)?;
    }
    let body = body::body(document, i, entry.scope, request.within.as_ref());
    let before = known_hash(document, &body);
    let body = own_body(document, request, body);
    if let Some(undo) = grown(document, request, &body) {
        let after = known_hash(document, &bounded_body(document, request, i));
        return Ok(Applied { kind: ChangeKind::Changed, before, after, undo: Some(undo), piece: None });
    }
    let core = with_line_ends(document.slice(body.core.clone()), "\n");
    // Text that is there already needs no look; what is to be added is read together with what it is added to.
    let adds = entry.operation == Operation::Append;
    if adds
        && body.follows == Follows::End
        && !request.content.as_ref().is_some_and(|content| append::is_there(&core, content))
    {
        closed_at_end(document, &body)?;
    }
    let mut known = if adds { document.memory.core(i) } else { None };
    let wanted = wanted(request, &core, &mut known).map_err(|refusal| on_lines_of(document, &body, refusal));
    let unchanged = |before: Option<String>| {
        Ok(Applied { kind: ChangeKind::Unchanged, after: before.clone(), before, undo: None, piece: None })
    };
    if matches!(wanted, Ok(Wanted::Same)) {
        return unchanged(before);
    }
    let wanted = match stale_base(document, request, &body) {
        Some(hash) => {
            let sides = Sides { core: &core, wanted, base: (facts.base_text)(hash) };
            match onto_current(document, request, &body, sides)? {
                Wanted::Same => return unchanged(before),
                merged => merged,
            }
        }
        None => wanted?,
    };
    if !adds {
        closed_at_end(document, &body)?;
    }
    let piece = match &wanted {
        Wanted::Splice(at, new) => {
            at.first().and_then(|at| piece::of_upsert(entry.operation, &core, at, new))
        }
        Wanted::Core(new, ChangeKind::Changed) => piece::of_upsert(entry.operation, &core, &(0..0), new),
        _ => None,
    };
    let (kind, undo) = carry_out(document, request, &body, &core, wanted)?;
    if let Some(known) = known {
        let list = growing_list::end_of(document, &bounded_body(document, request, i), &known);
        document.memory.keep_list(i, list);
        document.memory.keep_core(i, known);
    }
    let after = if kind == ChangeKind::Deleted {
        None
    } else {
        known_hash(document, &bounded_body(document, request, i))
    };
    Ok(Applied { kind, before, after, undo: Some(undo), piece })
}

/// An append to a list that the section ends with, where that is known from the append before it.
fn grown(document: &mut Document, request: &Request, body: &Body) -> Option<Undo> {
    let Edit { operation, scope, base, .. } = request.entry;
    let plain =
        *operation == Operation::Append && *scope == Scope::Own && base.is_none() && request.within.is_none();
    let content = request.content.as_ref().filter(|_| plain)?;
    growing_list::append(document, body, content)
}

/// The hash the author saw, when it is not that of the section now.
fn stale_base<'a>(document: &Document, request: &Request<'a>, body: &Body) -> Option<&'a str> {
    let base = request.entry.base.as_deref()?;
    let plain = body::body(document, body.section, request.entry.scope, None);
    (!base::is_hash_of(base, plain.own_text(document))).then_some(base)
}

/// What the operation makes of a core, be it the document's or the one the author saw. `known` is how it reads, if that
/// is known, and afterwards how the new one does.
fn wanted(request: &Request, core: &str, known: &mut Option<Core>) -> Result<Wanted, Refusal> {
    let entry = request.entry;
    let content = request.content.as_ref();
    match (entry.operation, content) {
        (Operation::NoOp, _) => Ok(Wanted::Same),
        (Operation::Update, Some(content)) if content.is(core) => Ok(Wanted::Same),
        (Operation::Append | Operation::Prepend, Some(content)) if append::is_there(core, content) => {
            Ok(Wanted::Same)
        }
        (Operation::Prepend, Some(content)) if !core.is_empty() => {
            let added = format!("{}{}", content.text(), append::separator_below(content, core)?);
            Ok(Wanted::Splice(std::iter::once(0..0).collect(), added))
        }
        (Operation::Append, Some(content)) if !core.is_empty() => {
            let added = format!("{}{}", append::separator(core, content, known)?, content.text());
            let end = core.len()..core.len();
            Ok(Wanted::Splice(vec![end], added))
        }
        (Operation::Update | Operation::Append | Operation::Prepend, content) => {
            Ok(Wanted::Core(content.map_or("", Content::text).to_owned(), ChangeKind::Changed))
        }
        (Operation::Replace, _) => replaced(entry, core),
        (Operation::UpsertRow, _) => {
            Ok(match table_row::find(core, entry.content.as_deref().unwrap_or(""))? {
                Upsert::Done(_) => Wanted::Same,
                Upsert::At(at, row) => Wanted::Splice(vec![at], row),
            })
        }
        (Operation::UpsertItem, _) if core.is_empty() => {
            let item = list_item::alone(entry.content.as_deref().unwrap_or(""))?;
            Ok(Wanted::Core(item, ChangeKind::Changed))
        }
        (Operation::UpsertItem, _) => {
            Ok(match list_item::find(core, entry.content.as_deref().unwrap_or(""))? {
                Upsert::Done(_) => Wanted::Same,
                Upsert::At(at, item) => Wanted::Splice(vec![at], item),
            })
        }
        (of_value, _) if of_value.is_of_value() => {
            let message = format!("`{}` is about a list in the front matter", of_value.as_str());
            Err(refuse(RefusalCode::FrontMatterOperation, message)
                .hint("name it by `heading: [front matter, <key>]` and `level: 0`"))
        }
        (Operation::Clear, _) if core.is_empty() => Ok(Wanted::Same),
        (Operation::Clear, _) => Ok(Wanted::Core(String::new(), ChangeKind::Cleared)),
        (Operation::Delete, _) if entry.level == 0 && core.is_empty() => Ok(Wanted::Same),
        (Operation::Delete, _) if entry.level == 0 => Ok(Wanted::Core(String::new(), ChangeKind::Deleted)),
        (Operation::Delete, _) => Ok(Wanted::Delete),
        (other, _) => Err(refuse(RefusalCode::BadItem, format!("`{}` is about an item", other.as_str()))
            .hint("name the item by its id")),
    }
}

/// How often the texts of a `replace` stand in its section.
pub(super) fn texts_there(document: &Document, entry: &Edit<'_>) -> Option<TextsThere> {
    if entry.operation != Operation::Replace {
        return None;
    }
    let core = match Address::read(&entry.heading, entry.level).and_then(|address| address.find(document)) {
        Ok(Lookup::Section(i)) => {
            let body = body::body(document, i, entry.scope, None);
            with_line_ends(document.slice(body.core), "\n")
        }
        _ => String::new(),
    };
    let text = |text: &Option<std::borrow::Cow<'_, str>>| with_line_ends(text.as_deref().unwrap_or(""), "\n");
    Some(replace::texts_there(&core, &text(&entry.old_text), &text(&entry.content), entry.expect))
}

fn replaced(entry: &Edit<'_>, core: &str) -> Result<Wanted, Refusal> {
    let new = entry.content.as_deref().unwrap_or("");
    content::no_nul(new)?;
    let old = with_line_ends(entry.old_text.as_deref().unwrap_or(""), "\n");
    if old.is_empty() {
        return Err(refuse(RefusalCode::EmptyOldText, "the text to replace is empty")
            .hint("give the text as the document has it, or use `append`"));
    }
    let new = with_line_ends(new, "\n");
    let at = match replace::find(core, &old, &new, entry.expect, entry.made)? {
        Replacement::Done => return Ok(Wanted::Same),
        Replacement::At(at) => at,
    };
    let after = replace::with(core, &at, &new);
    let trimmed = text::without_blank_edges(&after);
    if marker::trailing_anchors(trimmed).is_some() {
        return Err(refuse(RefusalCode::TrailingAnchor, "the section's text would end with an anchor")
            .hint("an anchor right above a heading belongs to that heading: put text behind it"));
    }
    if trimmed.is_empty() {
        Ok(Wanted::Core(String::new(), ChangeKind::Changed))
    } else if trimmed.len() < after.len() {
        Ok(Wanted::Core(trimmed.to_owned(), ChangeKind::Changed))
    } else {
        Ok(Wanted::Splice(at, new))
    }
}

/// A refusal that counts lines of a section's text, with lines of the document instead.
fn on_lines_of(document: &Document, body: &Body, refusal: Refusal) -> Refusal {
    let above = document.line(body.core.start) - 1;
    let lines: Vec<usize> = refusal.lines.iter().map(|line| above + line).collect();
    refusal.lines(lines)
}

/// A section as it is now, what the operation makes of that (or why it cannot), and the text its author saw.
struct Sides<'a> {
    core: &'a str,
    wanted: Result<Wanted, Refusal>,
    base: Option<String>,
}

impl Wanted {
    /// The whole core an operation makes of `core`; none where the section goes.
    fn of(&self, core: &str) -> Option<String> {
        match self {
            Wanted::Same => Some(core.to_owned()),
            Wanted::Core(core, _) => Some(core.clone()),
            Wanted::Splice(at, with) => Some(replace::with(core, at, with)),
            Wanted::Delete => None,
        }
    }
}

/// The operation as its author meant it, put on top of what the section says now.
fn onto_current(
    document: &Document,
    request: &Request,
    body: &Body,
    sides: Sides,
) -> Result<Wanted, Refusal> {
    let Sides { core, wanted: now, base } = sides;
    let left = body::left_labels(document, body);
    let base_core = base.as_deref().and_then(|text| base::core_of(text, request.address.level, &left));
    let (meant, merged) = match &base_core {
        Some(base_core) => {
            let meant = wanted(request, base_core, &mut None).ok().and_then(|wanted| wanted.of(base_core));
            let merged = meant.as_deref().and_then(|meant| base::merge(base_core, core, meant));
            (meant, merged)
        }
        None => (None, None),
    };
    match merged {
        Some(merged) if merged == core => Ok(Wanted::Same),
        Some(merged) if parse::is_closed(&merged) && says_it_once(request, &merged) => {
            Ok(Wanted::Core(merged, ChangeKind::Merged))
        }
        _ => {
            // Nothing to compare with: what the operation makes of the section now, or why it makes nothing of it.
            let meant = match meant {
                Some(meant) => Some(meant),
                None => now?.of(core),
            };
            let wanted = meant.map_or_else(String::new, |meant| section_text(request, &meant));
            let current = Some(bounded_body(document, request, body.section).own_text(document).to_owned());
            Err(base::conflict(Conflict { base, current, wanted }))
        }
    }
}

/// Whether a merged text has the row or item of an upsert as it was declared, and no other with its key that somebody wrote meanwhile.
fn says_it_once(request: &Request, merged: &str) -> bool {
    let is_upsert = matches!(request.entry.operation, Operation::UpsertRow | Operation::UpsertItem);
    !is_upsert || matches!(wanted(request, merged, &mut None), Ok(Wanted::Same))
}

/// A fence or comment that is never closed hides whatever headings follow: where the section ends is a guess then.
pub(super) fn closed_at_end(document: &Document, body: &Body) -> Result<(), Refusal> {
    if body.follows != Follows::End {
        return Ok(());
    }
    if document.is_closed() {
        return Ok(());
    }
    let line = document.line(document.start_of(document.last_section()));
    let message = format!("a fence, comment or raw HTML block below line {line} is never closed");
    Err(refuse(RefusalCode::UnclosedBlockInSection, message)
        .hint("close it in the document: it hides every heading behind it")
        .lines([line]))
}

fn carry_out(
    document: &mut Document,
    request: &Request,
    body: &Body,
    core: &str,
    wanted: Wanted,
) -> Result<(ChangeKind, Undo), Refusal> {
    let below = bounded_body(document, request, body.section).end - body.end;
    let written = |new| Written { section: body.section, new, below };
    match wanted {
        Wanted::Delete => delete(document, request, body).map(|undo| (ChangeKind::Deleted, undo)),
        Wanted::Core(new, kind) => {
            no_block_in_core(document, body)?;
            let made =
                if new.is_empty() { clear(document, body) } else { set(document, request, body, &new) };
            let undo = splice::make(document, &made)?;
            let undo = reads_back(document, request, &written(&new), undo)?;
            let undo = if kind == ChangeKind::Merged || request.content.is_none() {
                leaves_nothing_open(document, request, body.section, undo)?
            } else {
                undo
            };
            Ok((kind, undo))
        }
        Wanted::Splice(at, with) => {
            let made = splice(document, request, body, core, (&at, &with))?;
            let undo = splice::make(document, &made)?;
            let new = replace::with(core, &at, &with);
            let mut undo = reads_back(document, request, &written(&new), undo)?;
            if request.content.is_none() {
                undo = leaves_nothing_open(document, request, body.section, undo)?;
            }
            Ok((ChangeKind::Changed, undo))
        }
        Wanted::Same => Err(refuse(RefusalCode::SideEffect, "nothing was to be done")),
    }
}

/// What an edit made of a section.
struct Written<'w> {
    section: usize,
    /// Its core (LF).
    new: &'w str,
    /// Bytes of definitions that were left below it.
    below: usize,
}

/// What was written must be what the next run finds; otherwise it would write again.
fn reads_back(doc: &mut Document, request: &Request, written: &Written, undo: Undo) -> Result<Undo, Refusal> {
    let Written { section: i, new, below } = *written;
    let body = bounded_body(doc, request, i);
    let body = match request.entry.operation {
        // Appended text may end with definitions of its own, which a second run finds as whole lines.
        Operation::Append => body::without_last(doc, body, below),
        _ => own_body(doc, request, body),
    };
    if text::same_lines(doc.slice(body.core.clone()), new) {
        return Ok(undo);
    }
    let place = doc.place(i);
    splice::take_back(doc, undo);
    Err(refuse(
        RefusalCode::SideEffect,
        format!("the text of the section at {place} would not read back as declared"),
    )
    .hint("change the content so that it begins and ends by itself"))
}

/// Content is looked at before; what a replacement or a merge makes of a section's text only now.
pub(super) fn leaves_nothing_open(
    doc: &mut Document,
    request: &Request,
    i: usize,
    undo: Undo,
) -> Result<Undo, Refusal> {
    if closed_at_end(doc, &bounded_body(doc, request, i)).is_ok() {
        return Ok(undo);
    }
    splice::take_back(doc, undo);
    Err(refuse(
        RefusalCode::UnclosedBlock,
        "the text would leave a code fence, comment or raw HTML block open",
    )
    .hint("close it, else everything below in the document would become part of it"))
}

fn no_block_in_core(document: &Document, body: &Body) -> Result<(), Refusal> {
    let Some(block) = body::blocks_in_core(document, body).into_iter().next() else { return Ok(()) };
    Err(marker_block(document, block.start))
}

pub(super) fn marker_block(document: &Document, at: usize) -> Refusal {
    let line = document.line(at);
    refuse(RefusalCode::MarkerBlock, format!("the block marked at line {line} belongs to somebody else"))
        .hint("use `append`, or `replace` on text outside the block, or declare the headings inside it")
        .lines([line])
}

/// The zone of an edit of this body, and where its anchors begin.
fn zone(document: &Document, body: &Body) -> (Range<usize>, Option<usize>) {
    match body.follows {
        Follows::Anchor => (body.start..document.start_of(body.next), Some(body.end)),
        _ => (body.start..body.end, None),
    }
}

fn headings(request: &Request) -> AllowedHeadings {
    if request.entry.scope == Scope::Own {
        AllowedHeadings::None
    } else {
        AllowedHeadings::Below(request.address.level)
    }
}

/// The line ends a content gets that would otherwise stand flush on what follows.
fn gap_behind(document: &Document, body: &Body, ends_in_html: bool, eol: &str) -> String {
    let needed = match body.follows {
        Follows::Heading | Follows::Anchor | Follows::Definitions => true,
        Follows::Marker => ends_in_html,
        Follows::End => false,
    };
    if needed && !body.has_gap_behind(document) { eol.to_owned() } else { String::new() }
}

/// The core becomes `new` (LF).
fn set(document: &Document, request: &Request, body: &Body, new: &str) -> Splice {
    let eol = document.line_end_for(body.section);
    let ends_in_html = Content::merged(new).ends_in_html;
    let gap = gap_behind(document, body, ends_in_html, eol);
    let text = with_line_ends(new, eol);
    let (zone, anchors) = zone(document, body);
    let edit = Splice {
        range: body.core.clone(),
        with: String::new(),
        zone,
        anchors,
        headings: headings(request),
        keeps_markers: false,
    };
    if !body.is_empty() {
        return Splice { with: text + &gap, ..edit };
    }
    match (body.previous_end(document), body.follows) {
        // At the end of the file its tail of line ends stays behind the new text.
        (Some(at), Follows::End) => {
            let zone = at..body.end;
            Splice { range: at..at, with: format!("{eol}{eol}{text}"), zone, ..edit }
        }
        (Some(_), _) => Splice { with: format!("{eol}{text}{eol}{gap}"), ..edit },
        (None, _) => Splice { with: format!("{text}{eol}{gap}"), ..edit },
    }
}

/// The core goes; the heading and one gap stay.
fn clear(document: &Document, body: &Body) -> Splice {
    let (zone, anchors) = zone(document, body);
    let eol = document.line_end_for(body.section);
    let line_after = text::line_end(document.text(), body.core.end).min(body.end);
    let edit = Splice {
        range: body.start..body.end,
        with: String::new(),
        zone,
        anchors,
        headings: AllowedHeadings::None,
        keeps_markers: false,
    };
    match (body.previous_end(document), body.follows) {
        (None, _) => edit,
        (Some(at), Follows::End) => Splice { range: at..body.core.end, zone: at..body.end, ..edit },
        _ if body.has_gap_behind(document) => Splice { range: body.start..line_after, ..edit },
        _ if body.core.start > body.start => Splice { range: body.core.start..line_after, ..edit },
        // Flush above and below: without a blank line, filling and clearing it again would not come back here.
        _ => Splice { range: body.core.start..line_after, with: eol.to_owned(), ..edit },
    }
}

/// Some bytes of the core become others; what is left of it keeps even its line ends.
fn splice(
    document: &Document,
    request: &Request,
    body: &Body,
    core: &str,
    (places, with): (&[Range<usize>], &str),
) -> Result<Splice, Refusal> {
    let eol = document.line_end_for(body.section);
    let original = document.slice(body.core.clone());
    let in_document = |at: usize| body.core.start + replace::original_offset(original, at);
    let inserts = places.iter().any(|at| at.is_empty() && at.start == core.len());
    let blocks = body::blocks_in_core(document, body);
    let with = with_line_ends(with, eol);
    let (mut text, mut range) = (String::new(), None);
    for Range { start, end } in places.iter().map(|at| in_document(at.start)..in_document(at.end)) {
        let mut blocks = blocks.iter();
        if let Some(block) = blocks.find(|block| !inserts && start < block.end && end > block.start) {
            return Err(marker_block(document, block.start));
        }
        // The text between two of them stays as it is.
        let (first, last) = range.unwrap_or((start, start));
        text.push_str(document.slice(last..start));
        text.push_str(&with);
        range = Some((first, end));
    }
    let (start, end) = range.unwrap_or((body.core.end, body.core.end));
    let gap = match &request.content {
        Some(content) if inserts => gap_behind(document, body, content.ends_in_html, eol),
        _ => String::new(),
    };
    let (zone, anchors) = zone(document, body);
    let with = text + &gap;
    Ok(Splice { range: start..end, with, zone, anchors, headings: headings(request), keeps_markers: true })
}

fn delete(document: &mut Document, request: &Request, body: &Body) -> Result<Undo, Refusal> {
    let i = body.section;
    let start = document.start_of(i);
    if let Some(inside) = request.within.as_ref().filter(|inside| !inside.contains(&start)) {
        return Err(machine::outside(document, start, inside));
    }
    let end_of_subtree = document.subtree_end(i);
    if request.entry.scope == Scope::Own && end_of_subtree > i + 1 {
        let (place, line) = (document.place(i + 1), document.line(document.start_of(i + 1)));
        return Err(refuse(
            RefusalCode::HasSubsections,
            format!("the section has sub-headings, the first at {place}"),
        )
        .hint("use `scope: subtree` to delete them too")
        .lines([line]));
    }
    no_block_in_core(document, body)?;
    let range = match body.follows {
        Follows::End => delete_at_end(document, body, start),
        _ => start..body.end,
    };
    let zone = match body.follows {
        Follows::Anchor => start..document.start_of(body.next),
        Follows::End => range.start..body.end,
        _ => start..body.end,
    };
    let anchors = (body.follows == Follows::Anchor).then_some(body.end);
    let edit = Splice {
        range,
        with: String::new(),
        zone,
        anchors,
        headings: AllowedHeadings::None,
        keeps_markers: false,
    };
    splice::make(document, &edit).or_else(|refusal| {
        let end = match refusal.code {
            RefusalCode::OrphansReference => body::needed_elsewhere(document, body),
            // The line above is text: what follows would become part of it.
            RefusalCode::SideEffect if body.follows != Follows::End => Some(body.end),
            _ => None,
        };
        let Some(end) = end else { return Err(refusal) };
        let above = document.slice(0..start).trim_start_matches('\u{feff}');
        let with =
            if text::ends_with_text(above) { document.line_end_for(i).to_owned() } else { String::new() };
        let edit = Splice { range: start..end, with, zone: start..edit.zone.end, ..edit };
        splice::make(document, &edit).map_err(|_| refusal)
    })
}

/// The last section takes the blank lines before it along, and leaves the file's tail.
fn delete_at_end(document: &Document, body: &Body, start: usize) -> Range<usize> {
    let text = document.text();
    let core_end = if body.is_empty() {
        body.start - text::terminator(document.slice(start..body.start)).len()
    } else {
        body.core.end
    };
    let before = document.slice(0..start).trim_start_matches('\u{feff}');
    match text::last_content_end(before) {
        Some(end) => start - before.len() + end..core_end,
        // Nothing is left but blank lines: one line end less than with the section.
        None => {
            let tail = part(text, core_end..text.len());
            start..core_end + text::leading_terminator(tail).len()
        }
    }
}
