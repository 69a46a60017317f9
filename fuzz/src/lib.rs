//! Bytes to a document with entries, and the laws that must hold whatever they are. Shared by the fuzz target and the
//! stress binary, so that an input of one reproduces in the other.

use markdown_merge::{ChangeKind, Edit, ITEM, Merger, Operation, Rules, Scope, Section, Stamp};

/// Splits the input: two bytes of choice, then document, content and old text, separated by 0xFF.
fn parts(bytes: &[u8]) -> Option<(u8, u8, &[u8], &str, &str)> {
    let [choice, at, rest @ ..] = bytes else { return None };
    let mut parts = rest.split(|b| *b == 0xff);
    let document = parts.next()?;
    let content = std::str::from_utf8(parts.next().unwrap_or(b"word")).ok()?;
    let old = std::str::from_utf8(parts.next().unwrap_or(b"word")).ok()?;
    Some((*choice, *at, document, content, old))
}

#[path = "../../markdown-merge/tests/support/second_opinion.rs"]
mod comrak_eyes;

/// Runs one input; panics on a broken law.
pub fn check(bytes: &[u8]) {
    let _ = run(bytes);
}

/// Runs one input; panics on a broken law. Says so when comrak, which saw the document's headings as we do, does not
/// see those of the merged text so.
pub fn second_opinion(bytes: &[u8]) -> Option<String> {
    let (before, after) = run(bytes)?;
    let differs = |text: &str| {
        let ours = markdown_merge::sections(text).unwrap_or_default();
        let ours: Vec<u8> = ours.iter().map(|s| s.level).filter(|level| *level > 0).collect();
        let theirs: Vec<u8> =
            comrak_eyes::comrak_headings(text).into_iter().map(|(level, _)| level).collect();
        (ours != theirs).then(|| format!("we see {ours:?}, comrak {theirs:?}"))
    };
    if before == after || differs(&before).is_some() {
        return None;
    }
    differs(&after).map(|how| format!("{how}\nbefore: {before:?}\nafter:  {after:?}"))
}

/// The document before and after.
fn run(bytes: &[u8]) -> Option<(String, String)> {
    let (choice, at, document, content, old) = parts(bytes)?;
    let mut merger = Merger::open(document).ok()?;
    let before = merger.text().to_owned();
    let found = merger.sections();
    let section = found.get(at as usize % found.len().max(1));
    let (heading, level) = section.map_or((vec![old.to_owned()], 2), |s| (s.heading.clone(), s.level));
    let operations = [
        Operation::Update,
        Operation::Append,
        Operation::Clear,
        Operation::Delete,
        Operation::Replace,
        Operation::Prepend,
        Operation::UpsertRow,
        Operation::UpsertItem,
    ];
    let operation = operations[choice as usize % operations.len()];
    let new_heading = choice & 0x80 != 0 && !heading.is_empty();
    let (heading, level) =
        if new_heading { ([heading, vec![old.to_owned()]].concat(), (level + 1).min(6)) } else { (heading, level) };
    let entry = Edit {
        content: Some(content.into()),
        old_text: Some(old.into()),
        scope: if choice & 0x40 != 0 { Scope::Subtree } else { Scope::Own },
        ..Edit::new(heading, level, operation)
    };
    let rules = Rules { machine_block: choice & 0x20 != 0, ..Rules::default() };
    laws(&mut merger, &entry, &rules);
    items(&before, content, old, &rules);
    siblings(&before, at, content, &rules);
    values(&before, content, old);
    Some((before, merger.text().to_owned()))
}

/// The laws of items: what is done twice is done once, an item that was retired and restored has its bytes again, and nothing
/// but the item changes.
fn items(text: &str, content: &str, old: &str, rules: &Rules) {
    let Ok(mut merger) = Merger::open(text.as_bytes()) else { return };
    let stamp = |id: &'static str| Stamp { id: id.into(), at: "2026-03-01T14:30+08:00".into(), fields: Vec::new(), occurs: false };
    let once = |merger: &mut Merger, edit: &Edit<'_>| {
        let result = merger.apply(std::slice::from_ref(edit), rules, &|_| None);
        merger.verify().unwrap_or_else(|r| panic!("{}: {text:?} {edit:?}", r.message));
        let after = merger.text().to_owned();
        let _ = merger.apply(std::slice::from_ref(edit), rules, &|_| None);
        assert_eq!(after, merger.text(), "a second run changed it: {text:?} {edit:?}");
        result.is_ok()
    };
    let headings = merger.sections().len();
    let add = Edit { content: Some(content.into()), stamp: Some(stamp("fuzzadd1")), ..Edit::new(Vec::new(), 2, Operation::Add) };
    once(&mut merger, &add);
    let ids: Vec<(String, Vec<u8>)> =
        merger.items().iter().take(8).map(|found| (found.item.known_as(), merger.text()[found.bytes.clone()].into())).collect();
    for (id, bytes) in ids {
        let of = |operation| Edit { stamp: Some(stamp("fuzznew1")), ..Edit::new(vec![ITEM.to_owned(), id.clone()], 0, operation) };
        let before = merger.text().to_owned();
        let was_live = merger.items().iter().any(|found| found.item.known_as() == id && found.item.is_live());
        if was_live && once(&mut merger, &of(Operation::Retire)) && once(&mut merger, &of(Operation::Restore)) {
            assert_eq!(before, merger.text(), "retired and restored: {text:?} {id} {:?}", String::from_utf8_lossy(&bytes));
        }
        for operation in [Operation::Revise, Operation::Supersede, Operation::Purge] {
            once(&mut merger, &Edit { content: Some(old.into()), ..of(operation) });
        }
    }
    assert!(merger.sections().len() <= headings + 1, "an item made a heading: {text:?} {content:?} {old:?}");
}

/// The laws of what stands beside: an insertion leaves all other sections in their order, a move changes nothing but the order,
/// and what is done twice is done once.
fn siblings(text: &str, at: u8, content: &str, rules: &Rules) {
    let Ok(sections) = markdown_merge::sections(text) else { return };
    let Some(section) = sections.get(at as usize % sections.len().max(1)) else { return };
    let said = |sections: &[Section]| -> Vec<_> {
        sections.iter().map(|s| (s.heading.clone(), s.level, s.hash.clone())).collect()
    };
    let whole = format!("{} Zebra crossing\n\n{content}", "#".repeat(section.level.into()));
    for (operation, content) in [
        (Operation::InsertBefore, whole.as_str()),
        (Operation::InsertAfter, &whole),
        (Operation::Move, "first"),
        (Operation::Move, "last"),
    ] {
        let Ok(mut merger) = Merger::open(text.as_bytes()) else { return };
        let edit = Edit { content: Some(content.into()), ..Edit::new(section.heading.clone(), section.level, operation) };
        let result = merger.apply(std::slice::from_ref(&edit), rules, &|_| None);
        merger.verify().unwrap_or_else(|r| panic!("{}: {text:?} {edit:?}", r.message));
        let once = merger.text().to_owned();
        if result.is_err() {
            assert_eq!(text, once, "a refusal changed the document: {edit:?}");
            continue;
        }
        let _ = merger.apply(std::slice::from_ref(&edit), rules, &|_| None);
        assert_eq!(once, merger.text(), "a second run changed it: {text:?} {edit:?}");
        let (mut before, mut after) = (said(&sections), said(&markdown_merge::sections(&once).unwrap_or_default()));
        if operation == Operation::Move {
            before.sort();
            after.sort();
        } else {
            after.retain(|(heading, ..)| !heading.iter().any(|title| title == "Zebra crossing"));
            // An anchor at the end of the document becomes that of the new heading.
            before.iter_mut().chain(&mut after).for_each(|(_, _, hash)| hash.clear());
        }
        assert_eq!(before, after, "other sections changed: {text:?} {once:?} {edit:?}");
    }
}

/// The laws of lists in front matter: a value that comes or goes changes nothing from the closing line on, done twice it is done once,
/// and a value that was added, taken out and added again stands where it stood.
fn values(text: &str, content: &str, old: &str) {
    let rules = Rules { front_matter: true, ..Rules::default() };
    for value in [content, old] {
        let Ok(mut merger) = Merger::open(text.as_bytes()) else { return };
        let mut texts = vec![text.to_owned()];
        for operation in [Operation::AddValue, Operation::RemoveValue, Operation::AddValue] {
            let heading = vec!["front matter".to_owned(), "tags".to_owned()];
            let edit = Edit { content: Some(value.into()), ..Edit::new(heading, 0, operation) };
            let before = merger.text().to_owned();
            let result = merger.apply(std::slice::from_ref(&edit), &rules, &|_| None);
            merger.verify().unwrap_or_else(|r| panic!("{}: {before:?} {edit:?}", r.message));
            let once = merger.text().to_owned();
            let Ok(changes) = result else {
                assert_eq!(before, once, "a refusal changed the document: {edit:?}");
                break;
            };
            let unchanged = changes[0].kind == ChangeKind::Unchanged;
            assert_eq!(unchanged, before == once, "kind and bytes disagree: {before:?} {once:?} {edit:?}");
            assert_eq!(behind_yaml(&before), behind_yaml(&once), "text behind it changed: {before:?} {once:?} {edit:?}");
            let _ = merger.apply(std::slice::from_ref(&edit), &rules, &|_| None);
            assert_eq!(once, merger.text(), "a second run changed it: {before:?} {edit:?}");
            texts.push(once);
        }
        if let [before, added, _, again] = &texts[..] {
            assert!(before == added || added == again, "added, taken out and added: {texts:?}");
        }
    }
}

/// A text from the line on that closes its front matter.
fn behind_yaml(text: &str) -> Option<&str> {
    let first = text.find('\n')? + 1;
    let mut at = first;
    for line in text[first..].split_inclusive('\n') {
        if matches!(line.trim_end_matches([' ', '\t', '\r', '\n']), "---" | "...") {
            return Some(&text[at..]);
        }
        at += line.len();
    }
    None
}

fn laws(merger: &mut Merger, entry: &Edit<'_>, rules: &Rules) {
    let before = merger.text().to_owned();
    let places = merger.sections();
    let result = merger.apply(std::slice::from_ref(entry), rules, &|_| None);
    merger.verify().unwrap_or_else(|r| panic!("{}: {before:?} {entry:?}", r.message));
    let once = merger.text().to_owned();
    let whole = markdown_merge::sections(&once).unwrap_or_default();
    assert_eq!(whole, merger.sections(), "read whole it is another document: {before:?} {entry:?}");
    match &result {
        Err(_) => return assert_eq!(before, once, "a refusal changed the document: {entry:?}"),
        Ok(changes) => {
            let unchanged = changes[0].kind == ChangeKind::Unchanged;
            assert_eq!(unchanged, before == once, "kind and bytes disagree: {before:?} {entry:?}");
            outside(&before, &once, &places, entry, changes[0].kind);
        }
    }
    let _ = merger.apply(std::slice::from_ref(entry), rules, &|_| None);
    assert_eq!(once, merger.text(), "a second run changed it: {before:?} {entry:?}");
    other_headings(&before, &once, entry, &result.unwrap_or_default()[0].kind);
}

/// Bytes above the section and from the next heading on are what they were.
fn outside(before: &str, after: &str, places: &[Section], entry: &Edit<'_>, kind: ChangeKind) {
    let same_ahead = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let same_behind = before.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
    if kind == ChangeKind::Created {
        let only_added = same_ahead + same_behind >= before.len();
        return assert!(only_added, "creation took bytes away: {before:?} {after:?} {entry:?}");
    }
    let named: Vec<usize> = (0..places.len())
        .filter(|i| places[*i].level == entry.level && entry.heading == places[*i].heading)
        .collect();
    let [own] = named[..] else { return };
    let start = places[own].bytes.start;
    // The last section takes the blank lines above it along; text below front matter its line end.
    let takes_along = kind == ChangeKind::Deleted || entry.level == 0;
    let start = if takes_along { before[..start].trim_end().len() } else { start };
    assert!(same_ahead >= start, "bytes above changed: {before:?} {after:?} {entry:?}");
    let level = |i: usize| places[i].level;
    let next = match entry.scope {
        Scope::Own => own + 1,
        Scope::Subtree if level(own) == 0 => own + 1,
        Scope::Subtree => (own + 1..places.len()).find(|i| level(*i) <= level(own)).unwrap_or(places.len()),
    };
    if let Some(next) = places.get(next) {
        let rest = before.len() - next.bytes.start;
        assert!(same_behind >= rest, "bytes below changed: {before:?} {after:?} {entry:?}");
    }
}

/// The number of sections changes by what was asked for, no more.
fn other_headings(before: &str, after: &str, entry: &Edit<'_>, kind: &ChangeKind) {
    if entry.scope == Scope::Subtree {
        return;
    }
    let count = |text: &str| {
        let sections = markdown_merge::sections(text).unwrap_or_default();
        sections.into_iter().filter(|s| s.level > 0).map(|s| (s.level, s.heading)).collect::<Vec<_>>()
    };
    let (old, new) = (count(before), count(after));
    let expected = match kind {
        ChangeKind::Created => old.len() + 1,
        ChangeKind::Deleted if entry.level > 0 => old.len() - 1,
        _ => old.len(),
    };
    assert_eq!(expected, new.len(), "headings {old:?} became {new:?}: {before:?} {entry:?}");
    if expected == old.len() {
        assert_eq!(old, new, "{before:?} {entry:?}");
    }
}
