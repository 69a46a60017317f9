//! Each law of MERGE.md (P1–P14) as one function over one document and one section.

use super::{Verdict, apply, apply_or_keep, comrak_headings, entry, events, read_alike, sections};
use markdown_merge::{ChangeKind, Edit, Operation, RefusalCode, Scope, Section};

/// Everything that holds for one section of a document and one content.
pub fn of_section(text: &str, at: usize, content: &str) -> Verdict {
    let all = sections(text);
    let Some(section) = all.get(at) else { return Ok(()) };
    let (heading, level) = (&section.heading, section.level);
    let own = &text[section.body.clone()];
    let word = own.split_whitespace().next().unwrap_or("nothing");
    let make = |operation, content| entry(heading, level, operation, content);
    let replace =
        Edit { old_text: Some(word.to_owned().into()), ..make(Operation::Replace, Some("replaced")) };
    let entries = [
        make(Operation::Update, Some(content)),
        make(Operation::Append, Some(content)),
        make(Operation::Prepend, Some(content)),
        make(Operation::UpsertRow, Some("| a | b |")),
        make(Operation::UpsertItem, Some("Zebra: crossing")),
        make(Operation::Clear, None),
        make(Operation::Delete, None),
        Edit { scope: Scope::Subtree, ..make(Operation::Update, Some(content)) },
        Edit { scope: Scope::Subtree, ..make(Operation::Delete, None) },
        replace,
    ];
    for entry in &entries {
        one_entry(text, section, &all, entry).map_err(|why| tell(&why, text, entry))?;
        line_ends(text, entry).map_err(|why| tell(&why, text, entry))?;
    }
    own_text_again(text, section).map_err(|why| tell(&why, text, &entries[0]))?;
    clear_and_fill(text, section, content).map_err(|why| tell(&why, text, &entries[4]))?;
    let rename = make(Operation::Rename, Some(NEW_HEADING));
    renamed(text, section, &rename).map_err(|why| tell(&why, text, &rename))?;
    let hashes = "#".repeat(level.into());
    let whole = format!("{hashes} {NEW_HEADING}\n\nblack and white");
    for operation in [Operation::InsertBefore, Operation::InsertAfter] {
        let insert = make(operation, Some(&whole));
        inserted(text, &all, &insert).map_err(|why| tell(&why, text, &insert))?;
    }
    for place in ["first", "last"] {
        let moves = make(Operation::Move, Some(place));
        moved(text, &all, &moves).map_err(|why| tell(&why, text, &moves))?;
    }
    finds_itself(text, section).map_err(|why| tell(&why, text, &entries[4]))
}

/// What a section is and says, wherever it stands.
fn said(section: &Section) -> (Vec<String>, u8, String) {
    (section.heading.clone(), section.level, section.hash.clone())
}

/// An insertion leaves every section that is there where it is, in bytes too, and done again it changes nothing.
fn inserted(text: &str, all: &[Section], insert: &Edit<'_>) -> Verdict {
    let Ok((after, _)) = apply(text, insert) else { return Ok(()) };
    let again = apply_or_keep(&after, insert);
    if again != after {
        return Err(format!("P4: a second run changed it\nonce:  {after:?}\ntwice: {again:?}"));
    }
    let is_new = |section: &&Section| section.heading.last().is_some_and(|title| title == NEW_HEADING);
    let now = sections(&after);
    // Not their hashes: an anchor at the end of the document becomes that of the new heading.
    let called = |section: &Section| (section.heading.clone(), section.level);
    let others: Vec<_> = now.iter().filter(|section| !is_new(section)).map(called).collect();
    let ahead = text.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let behind = text.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
    let same = others == all.iter().map(called).collect::<Vec<_>>() && ahead + behind >= text.len();
    if !same || now.iter().filter(is_new).count() != 1 {
        return Err(format!("P1: other sections changed: {after:?}"));
    }
    if read_alike(text) && comrak_headings(&after).len() != comrak_headings(text).len() + 1 {
        return Err(format!("P3: another reader sees other headings: {after:?}"));
    }
    Ok(())
}

/// A move changes the order of sections and nothing that one says, and done again it changes nothing.
fn moved(text: &str, all: &[Section], moves: &Edit<'_>) -> Verdict {
    let Ok((after, _)) = apply(text, moves) else { return Ok(()) };
    let again = apply_or_keep(&after, moves);
    if again != after {
        return Err(format!("P4: a second run changed it\nonce:  {after:?}\ntwice: {again:?}"));
    }
    let sorted = |all: &[Section]| {
        let mut all: Vec<_> = all.iter().map(said).collect();
        all.sort();
        all
    };
    if sorted(&sections(&after)) != sorted(all) || after.len() != text.len() {
        return Err(format!("P1: a section says something else: {after:?}"));
    }
    let headings = |text: &str| {
        let mut headings = comrak_headings(text);
        headings.sort();
        headings
    };
    if read_alike(text) && headings(&after) != headings(text) {
        return Err(format!("P3: another reader sees other headings: {after:?}"));
    }
    Ok(())
}

/// A heading that no document has.
const NEW_HEADING: &str = "Zebra crossing";

/// A rename changes one heading and not a byte of a text; done again it changes nothing.
fn renamed(text: &str, section: &Section, rename: &Edit<'_>) -> Verdict {
    let Ok((after, _)) = apply(text, rename) else { return Ok(()) };
    let again = apply_or_keep(&after, rename);
    if again != after {
        return Err(format!("P4: a second run changed it\nonce:  {after:?}\ntwice: {again:?}"));
    }
    outside_is_untouched(text, &after, section, section.bytes.end, Operation::Rename)?;
    let body = &text[section.body.clone()];
    let now = sections(&after).into_iter().find(|s| s.bytes.start == section.bytes.start);
    match now {
        Some(now) if after[now.body.clone()] == *body && now.level == section.level => Ok(()),
        _ => Err(format!("the section's text or level changed: {after:?}")),
    }
}

/// The laws about one update only, for documents so large that all of them take seconds.
pub fn of_one_update(text: &str, at: usize, content: &str) -> Verdict {
    let all = sections(text);
    let Some(section) = all.get(at) else { return Ok(()) };
    let update = entry(&section.heading, section.level, Operation::Update, Some(content));
    one_entry(text, section, &all, &update).map_err(|why| tell(&why, text, &update))?;
    finds_itself(text, section).map_err(|why| tell(&why, text, &update))
}

fn tell(why: &str, text: &str, entry: &Edit<'_>) -> String {
    let short: String = text.chars().take(3000).collect();
    format!("{why}\nentry: {entry:?}\ndocument: {short:?}")
}

/// P1–P4, P9, P10: what one entry does, and that it does it once.
pub fn one_entry(text: &str, section: &Section, all: &[Section], entry: &Edit<'_>) -> Verdict {
    let Ok((after, change)) = apply(text, entry) else { return Ok(()) };
    let again = apply_or_keep(&after, entry);
    if again != after {
        return Err(format!("P4: a second run changed it\nonce:  {after:?}\ntwice: {again:?}"));
    }
    let end = end_of(section, all, entry.scope, text);
    outside_is_untouched(text, &after, section, end, entry.operation)?;
    tail_is_kept(text, &after, entry.operation)?;
    if entry.scope == Scope::Own {
        other_headings(text, &after, section, all, entry)?;
        if entry.operation == Operation::Update && change.kind == ChangeKind::Changed {
            reads_back(&text[section.body.clone()], &after, entry)?;
        }
    }
    Ok(())
}

fn end_of(section: &Section, all: &[Section], scope: Scope, text: &str) -> usize {
    let behind = all.iter().filter(|s| s.bytes.start >= section.bytes.end);
    match scope {
        Scope::Own => section.bytes.end,
        Scope::Subtree => {
            let mut behind = behind.filter(|s| section.level == 0 || s.level <= section.level);
            behind.next().map_or(text.len(), |s| s.bytes.start)
        }
    }
}

/// P1 and P2: bytes and meaning before and behind the section are those of before.
fn outside_is_untouched(
    text: &str,
    after: &str,
    section: &Section,
    end: usize,
    operation: Operation,
) -> Verdict {
    // The last section takes the blank lines before it along; text behind front matter, that one's line end.
    let mut start = section.bytes.start;
    if end == text.len() && (operation == Operation::Delete || section.level == 0) {
        start = text[..start].trim_end_matches([' ', '\t', '\r', '\n']).len();
    }
    let behind = text.len() - end;
    if after.len() < start + behind {
        return Err(format!("P1: bytes of others went: {after:?}"));
    }
    let new_end = after.len() - behind;
    if text.as_bytes()[..start] != after.as_bytes()[..start]
        || text.as_bytes()[end..] != after.as_bytes()[new_end..]
    {
        return Err(format!("P1: bytes outside changed: {after:?}"));
    }
    let outside = |text: &str, end: usize, moved: isize| -> Vec<super::Event> {
        let keep = events(text).into_iter().filter(|(_, _, s, e)| *e <= start || *s >= end);
        let shift = |at: usize| if at >= end { at.wrapping_add_signed(moved) } else { at };
        keep.map(|(what, depth, s, e)| (what, depth, shift(s), shift(e))).collect()
    };
    let old = outside(text, end, new_end as isize - end as isize);
    let new = outside(after, new_end, 0);
    match old.iter().zip(&new).find(|(o, n)| o != n) {
        Some((o, n)) => Err(format!("P2: {o:?} became {n:?}\nafter: {after:?}")),
        None if old.len() != new.len() => {
            Err(format!("P2: {} events became {}: {after:?}", old.len(), new.len()))
        }
        None => Ok(()),
    }
}

/// P10: final newline and blank tail, byte order mark and the kinds of line ends.
fn tail_is_kept(text: &str, after: &str, operation: Operation) -> Verdict {
    let tail = |t: &str| {
        let end = t.trim_end_matches([' ', '\t', '\r', '\n']).len();
        let line = t[end..].find('\n').map_or("", |at| &t[end + at..]);
        line.to_owned()
    };
    // A document of which nothing is left has no last line to put a tail behind.
    let nothing = |t: &str| t.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty();
    let same = nothing(after) || nothing(text) || tail(text) == tail(after);
    // Spaces at the end of the last line go with that line.
    if !same && operation != Operation::NoOp {
        return Err(format!("P10: the tail {:?} became {:?}", tail(text), tail(after)));
    }
    if text.starts_with('\u{feff}') != after.starts_with('\u{feff}') {
        return Err("P10: the byte order mark changed".into());
    }
    let crlf = |t: &str| t.matches("\r\n").count();
    let lf = |t: &str| t.matches('\n').count() - crlf(t);
    if (crlf(text) == 0 && crlf(after) > 0) || (lf(text) == 0 && crlf(text) > 0 && lf(after) > 0) {
        return Err("P10: a new kind of line end came in".into());
    }
    Ok(())
}

/// P3, with comrak's eyes: the other headings are the same ones in the same order.
fn other_headings(text: &str, after: &str, section: &Section, all: &[Section], entry: &Edit<'_>) -> Verdict {
    // A second byte order mark at the top, laid bare, is text to us and nothing to comrak.
    let two_marks = after.starts_with("\u{feff}\u{feff}");
    if two_marks || !read_alike(text) || !read_alike(entry.content.as_deref().unwrap_or("")) {
        return Ok(());
    }
    // A replacement may take out what hid text that the two read differently.
    if entry.operation == Operation::Replace && !read_alike(after) {
        return Ok(());
    }
    let (mut old, new) = (comrak_headings(text), comrak_headings(after));
    if entry.operation == Operation::Delete && section.level > 0 && old.len() == new.len() + 1 {
        let at = all.iter().filter(|s| s.level > 0 && s.bytes.start < section.bytes.start).count();
        old.remove(at);
    }
    if same_titles(&old, &new) {
        Ok(())
    } else {
        Err(format!("P3: headings {old:?} became {new:?}\nafter: {after:?}"))
    }
}

/// Brackets aside: whether `[x]` is a link hangs on definitions, which P2 looks after; the two differ on where one may
/// stand.
fn same_titles(old: &[(u8, String)], new: &[(u8, String)]) -> bool {
    let plain = |(level, title): &(u8, String)| (*level, title.replace(['[', ']'], ""));
    old.iter().map(plain).eq(new.iter().map(plain))
}

/// P9: the section says what was declared, and below it at most definitions that it ended with before (`body`).
fn reads_back(body_before: &str, after: &str, entry: &Edit<'_>) -> Verdict {
    let lines = |t: &str| t.lines().map(str::to_owned).collect::<Vec<_>>();
    let clean = |t: &str| {
        let all = lines(&t.replace("\r\n", "\n").replace('\r', "\n"));
        let blank = |l: &String| l.trim_matches([' ', '\t']).is_empty();
        let first = all.iter().position(|l| !blank(l)).unwrap_or(0);
        let last = all.iter().rposition(|l| !blank(l)).map_or(0, |i| i + 1);
        all[first..last].to_vec()
    };
    let declared = clean(entry.content.as_deref().unwrap_or(""));
    let all = sections(after);
    let found = all.iter().any(|s| {
        s.level == entry.level && {
            let body = lines(&after[s.body.clone()]);
            // Content that begins with the section's own heading is taken without it.
            let is = |said: &[String]| said == declared || declared.ends_with(said);
            let kept = kept_definitions(&lines(body_before), &body);
            is(&body) || kept.is_some_and(|kept| is(&clean(&body[..body.len() - kept].join("\n"))))
        }
    });
    if found { Ok(()) } else { Err(format!("P9: {declared:?} is not in {after:?}")) }
}

/// The last lines of `after` that are the last ones of `before`, begin behind a blank line, and hold nothing but definitions
/// of links and footnotes with comments and empty anchors among them: how many, at most.
fn kept_definitions(before: &[String], after: &[String]) -> Option<usize> {
    let same = before.iter().rev().zip(after.iter().rev()).take_while(|(b, a)| b == a).count();
    let shown = |lines: &[String]| {
        let mut footnotes = 0_i32;
        let anchor = |line: &&String| !(line.trim().starts_with("<a ") && line.trim().ends_with("></a>"));
        let lines: Vec<&str> = lines.iter().filter(anchor).map(String::as_str).collect();
        events(&lines.join("\n")).iter().any(|(what, depth, ..)| {
            let begins = *depth == 0;
            footnotes =
                if begins { i32::from(what.starts_with("Start(FootnoteDefinition")) } else { footnotes };
            begins && footnotes == 0 && what != "Start(HtmlBlock)"
        })
    };
    let starts = (1..=same.min(after.len().saturating_sub(1))).rev();
    let mut starts = starts.filter(|n| after[after.len() - n - 1].trim_matches([' ', '\t']).is_empty());
    starts.find(|n| {
        let kept = &after[after.len() - n..];
        !shown(kept) && kept.iter().any(|line| line.contains("]:"))
    })
}

/// P13: a document with CRLF is merged like the same document with LF.
fn line_ends(text: &str, entry: &Edit<'_>) -> Verdict {
    if text.contains('\r') || !text.contains('\n') {
        return Ok(());
    }
    let crlf = |t: &str| t.replace('\n', "\r\n");
    let (lf, other) = (apply(text, entry), apply(&crlf(text), entry));
    match (lf, other) {
        (Ok((lf, _)), Ok((other, _))) if crlf(&lf) == other => Ok(()),
        (Err(lf), Err(other)) if lf.code == other.code => Ok(()),
        (lf, other) => Err(format!("P13: LF gives {lf:?}\nCRLF gives {other:?}")),
    }
}

/// P5: saying what the document says changes nothing.
fn own_text_again(text: &str, section: &Section) -> Verdict {
    let own = &text[section.body.clone()];
    let update = entry(&section.heading, section.level, Operation::Update, Some(own));
    let after = apply_or_keep(text, &update);
    if after == text { Ok(()) } else { Err(format!("P5: its own text changed it to {after:?}")) }
}

/// P8: emptied, filled and emptied is emptied.
fn clear_and_fill(text: &str, section: &Section, content: &str) -> Verdict {
    let clear = entry(&section.heading, section.level, Operation::Clear, None);
    let update = entry(&section.heading, section.level, Operation::Update, Some(content));
    let Ok((cleared, change)) = apply(text, &clear) else { return Ok(()) };
    // A section that was empty and flush from the start gets a blank line with its first text, and keeps it.
    if change.kind == ChangeKind::Unchanged {
        return Ok(());
    }
    let Ok((filled, _)) = apply(&cleared, &update) else { return Ok(()) };
    match apply(&filled, &clear) {
        Ok((again, _)) if again == cleared => Ok(()),
        // Content may say a definition anew that is left because others need it.
        Ok((again, _)) if without_definitions(&again) == without_definitions(&cleared) => Ok(()),
        other => Err(format!("P8: cleared {cleared:?}\nfilled {filled:?}\ncleared again {other:?}")),
    }
}

/// P14: a section's full path leads to it, or is refused as ambiguous.
fn finds_itself(text: &str, section: &Section) -> Verdict {
    let merger = markdown_merge::Merger::open(text.as_bytes()).map_err(|r| r.message)?;
    match merger.section_text(&section.heading, section.level, Scope::Own) {
        Ok(Some(found)) if markdown_merge::hash(found) == section.hash => Ok(()),
        Err(refusal) if refusal.code == RefusalCode::Ambiguous => Ok(()),
        // A heading without text, or whose text reads as another heading's hashes, has no address.
        Err(refusal) if refusal.code == RefusalCode::BadHeading => Ok(()),
        other => Err(format!("P14: {:?} leads to {other:?}", section.heading)),
    }
}

/// P7: what was made and deleted again was never there; and comrak sees one heading more in between.
pub fn create_and_delete(text: &str, parent: Option<&Section>, content: &str) -> Verdict {
    let mut heading = parent.map(|p| p.heading.clone()).unwrap_or_default();
    let level = parent.map_or(1, |p| p.level + 1).min(6);
    heading.push("A heading nobody has".into());
    let create = entry(&heading, level, Operation::Update, Some(content));
    let Ok((made, change)) = apply(text, &create) else { return Ok(()) };
    if change.kind != ChangeKind::Created {
        return Err(tell(&format!("not created but {:?}", change.kind), text, &create));
    }
    let (old, new) = (comrak_headings(text), comrak_headings(&made));
    let others: Vec<_> = new.iter().filter(|(_, title)| title != "A heading nobody has").cloned().collect();
    if read_alike(text) && read_alike(content) && (!same_titles(&others, &old) || new.len() != old.len() + 1)
    {
        return Err(tell(&format!("P3: headings {old:?} became {new:?}"), text, &create));
    }
    let delete = entry(&heading, level, Operation::Delete, None);
    match apply(&made, &delete) {
        Ok((back, _)) if back == text => Ok(()),
        other => Err(tell(&format!("P7: made {made:?}\ndeleted {other:?}"), text, &create)),
    }
}

/// The lines that are shown: without definitions (with what is indented below them, or stands below a bare label), comments,
/// empty anchors (those behind a definition that stays, stay with it) and blank lines.
fn without_definitions(text: &str) -> Vec<&str> {
    let (mut below, mut bare, mut note, mut is_behind_blank) = (false, false, false, false);
    let shown = |line: &&str| {
        let words = line.trim_matches([' ', '\t', '\r']);
        // What stands below a footnote without a blank line, or is indented, is its text.
        let stays =
            words.is_empty() || line.starts_with("    ") || !is_behind_blank && !words.starts_with('#');
        note = words.starts_with("[^") && words.contains("]:") || note && stays;
        is_behind_blank = words.is_empty();
        let defines = words.starts_with('[') && words.contains("]:");
        let is_underline = !words.is_empty() && words.chars().all(|c| "=-".contains(c));
        let goes_on = bare || below && (words.is_empty() || line.starts_with("    ") || is_underline || note);
        (below, bare) = (defines || goes_on, defines && !goes_on && words.ends_with("]:"));
        let anchor = words.starts_with("<a ") && words.ends_with("></a>");
        !defines && !goes_on && !anchor && !words.is_empty() && !words.starts_with("<!--")
    };
    text.trim_start_matches('\u{feff}').lines().filter(shown).collect()
}

/// P6: the order of entries for different sections does not matter.
pub fn order(text: &str, one: &Edit<'_>, other: &Edit<'_>) -> Verdict {
    if one.heading == other.heading && one.level == other.level {
        return Ok(());
    }
    let both = |a: &Edit<'_>, b: &Edit<'_>| {
        apply(text, a).and_then(|(text, _)| apply(&text, b)).map(|(text, _)| text)
    };
    // `clear` leaves definitions that other text needs at that moment: these may differ, and nothing else.
    let clears = [one, other].iter().any(|entry| entry.operation == Operation::Clear);
    let same = |a: &str, b: &str| a == b || clears && without_definitions(a) == without_definitions(b);
    // In a document of mixed line ends, the one new lines take may go with the text of another section.
    let lines = |text: &str| text.replace("\r\n", "\n");
    match (both(one, other), both(other, one)) {
        (Ok(a), Ok(b)) if !same(&a, &b) && (!text.contains('\r') || !same(&lines(&a), &lines(&b))) => {
            Err(format!("P6: {one:?}\nand {other:?}\n{a:?}\nor {b:?}"))
        }
        _ => Ok(()),
    }
}
