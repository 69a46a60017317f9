//! A guess is marked as one where it is written, by a comment in the Markdown: a later reader sees that it is a guess, with
//! or without this program. An entry beside which no mark can stand waits for a person's yes.

use crate::knowledge_base::KnowledgeBase;
use crate::time_words;
use declaration::trust::{Trust, of_entry};
use declaration::{Entry, Meta, Operation};
use markdown_merge::item::Item;
use markdown_merge::readable::{self, Remark, SeenWords};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Why an entry is to be marked: `a guess, 30 % sure, from the web, says today`; `None` when it may stand as it is. A yes (`approved`)
/// answers where it is from, and what the knowledge base asks about such words; it makes no guess sure, and does not say which day
/// was meant.
#[must_use]
pub fn doubt(kb: &KnowledgeBase, who: Trust, entry: &Entry, approved: bool) -> Option<String> {
    Doubt::of(kb, who, entry, approved).said(|_| true)
}

/// What there is to doubt of an item, as a mark says it to who does not read its comment. `None` when it may stand as it is.
#[must_use]
pub fn doubt_of_item(kb: &KnowledgeBase, sure: Option<f64>, who: Option<Trust>) -> Option<String> {
    let said = of_origin(sure, who.unwrap_or(Trust::User), kb.mark_below).join(", ");
    (!said.is_empty()).then_some(said)
}

/// The same with what marks beside it say, which are among these comments.
#[must_use]
pub fn doubt_of_remarks(
    kb: &KnowledgeBase,
    sure: Option<f64>,
    who: Option<Trust>,
    comments: &[String],
) -> Option<String> {
    let marks = comments.iter().filter(|comment| is_mark(comment));
    let inside = |mark: &String| Some(mark.strip_prefix("<!-- ")?.strip_suffix("-->")?.trim_end().to_owned());
    let mut parts: Vec<String> = marks.filter_map(inside).collect();
    parts.extend(doubt_of_item(kb, sure, who));
    let mut said: Vec<&str> = parts.iter().flat_map(|part| part.split(", ")).collect();
    let mut known = std::collections::HashSet::new();
    said.retain(|part| known.insert(*part));
    (!said.is_empty()).then(|| said.join(", "))
}

/// How sure its author was of a text, and from where it is, as far as that is to be doubted.
fn of_origin(sure: Option<f64>, trust: Trust, mark_below: f64) -> Vec<String> {
    let sure = sure.filter(|sure| *sure < mark_below);
    let guess = sure.map(|sure| format!("a guess, {:.0} % sure", sure * 100.0));
    let origin = (trust < Trust::Agent).then(|| trust.origin().to_owned());
    guess.into_iter().chain(origin).collect()
}

/// What there is to doubt of an entry.
struct Doubt {
    /// Of all of it: how sure it is, and from where.
    of_all: Vec<String>,
    /// Words in it that mean something else to a later reader.
    words: Vec<String>,
}

impl Doubt {
    fn of(kb: &KnowledgeBase, who: Trust, entry: &Entry, approved: bool) -> Doubt {
        // An item's own comment has both as fields, where it is written anew.
        let in_fields = entry.operation.is_of_item() && can_be_marked(entry);
        let sure = entry.meta.confidence.filter(|_| !in_fields);
        let trust = if in_fields || approved { Trust::User } else { of_entry(who, entry) };
        let asked = approved && time_words::stops(kb);
        let words = if asked { Vec::new() } else { time_words::left(kb, entry) };
        Doubt { of_all: of_origin(sure, trust, kb.mark_below), words }
    }

    /// In the words of a mark, of those of its words that are meant.
    fn said(&self, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).filter(|word| is_meant(word)).collect();
        let relative = (!words.is_empty()).then(|| format!("says {}", words.join(", ")));
        let parts: Vec<String> = self.of_all.iter().cloned().chain(relative).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Whether a mark can stand beside what the entry writes. Text that is put into the middle of another text, or removed, has
/// no place for one.
#[must_use]
pub fn can_be_marked(entry: &Entry) -> bool {
    let of_text = entry.key.level > 0 || entry.key.heading.is_empty();
    entry.operation.writes_item()
        || of_text && matches!(entry.operation, Operation::Update | Operation::Append | Operation::Prepend)
}

/// Whether a comment is one of our marks.
fn is_mark(comment: &str) -> bool {
    const BEGINS: [&str; 4] = ["a guess, ", "from a tool", "from the web", "says "];
    comment.strip_prefix("<!-- ").is_some_and(|inside| BEGINS.iter().any(|begin| inside.starts_with(begin)))
}

/// Whether it is one, or the comment of an item that says so in a field.
fn says_doubt(comment: &str, mark_below: f64) -> bool {
    let mut words = comment.split_whitespace().skip(1).peekable();
    is_mark(comment) || words.next_if_eq(&"lw").is_some() && words.any(|word| is_doubt(word, mark_below))
}

fn comments(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.match_indices("<!-- ").filter_map(|(at, _)| Some(at..at + text[at..].find("-->")? + "-->".len()))
}

/// How many marks stand in a text where Markdown reads no comment: in code, or within another comment.
#[must_use]
pub fn unread_marks(kb: &KnowledgeBase, text: &str) -> usize {
    let doubts = |comment: &str| says_doubt(comment, kb.mark_below);
    let written = comments(text).filter(|at| doubts(&text[at.clone()])).count();
    if written == 0 { 0 } else { written.saturating_sub(SeenWords::of(text, doubts).comments()) }
}

/// Whether what an entry writes is marked as doubted, in its comment or in a field of its item.
#[must_use]
pub fn is_marked(kb: &KnowledgeBase, who: Trust, entry: &Entry) -> bool {
    let in_fields = entry.operation.writes_item()
        && !of_origin(entry.meta.confidence, of_entry(who, entry), kb.mark_below).is_empty();
    let content = entry.content.as_deref().unwrap_or_default();
    in_fields || comments(content).any(|at| is_mark(&content[at]))
}

/// Whether a field of an item says that it is a guess, or from further away than an agent.
fn is_doubt(field: &str, mark_below: f64) -> bool {
    match field.split_once('=') {
        Some(("c", sure)) => sure.parse::<f64>().is_ok_and(|sure| sure < mark_below),
        Some(("by", who)) => Trust::parse(who).is_some_and(|who| who < Trust::Agent),
        _ => false,
    }
}

/// An entry that says an item anew, with the doubt that the item has: how sure it is where the entry does not say that, and
/// from how far away it comes. A person's own words stand for themselves, and so does what takes an item's place and says
/// something else. `item` finds its text, and is asked only where that matters.
#[must_use]
pub fn with_doubt_of<'i>(
    kb: &KnowledgeBase,
    who: Trust,
    entry: &Entry,
    item: impl FnOnce() -> Option<&'i str>,
) -> Option<Entry> {
    let says_anew = matches!(entry.operation, Operation::Revise | Operation::Supersede);
    if !says_anew || who >= Trust::User {
        return None;
    }
    let item = item()?;
    let old = Item::read(item)?;
    let is_replaced = entry.operation == Operation::Supersede;
    let words = |text: &str| SeenWords::of(text, |_| false);
    if is_replaced
        && words(entry.content.as_deref()?).places(words(old.text()).all_letters()).next().is_none()
    {
        return None;
    }
    let said: Vec<&str> = comments(item).map(|at| &item[at]).filter(|comment| is_mark(comment)).collect();
    let percent = |mark: &&str| mark.strip_prefix("<!-- a guess, ")?.split_once(" %")?.0.parse::<f64>().ok();
    let marked = said.iter().find_map(percent).map(|percent| percent / 100.0);
    let sure =
        old.field("c").and_then(|sure| sure.parse().ok()).or(marked).filter(|sure| *sure < kb.mark_below);
    let far = |trust: &Trust| {
        old.field("by") == Some(trust.as_str()) || said.iter().any(|mark| mark.contains(trust.origin()))
    };
    let from = Trust::ALL.into_iter().filter(|trust| *trust < Trust::Agent).find(far);
    let confidence = entry.meta.confidence.or(sure);
    let trust = from.filter(|from| *from < of_entry(who, entry)).or(entry.meta.trust);
    let meta = Meta { confidence, trust, ..entry.meta.clone() };
    (meta != entry.meta).then(|| Entry { meta, ..entry.clone() })
}

/// The mark that an entry would remove from a section, or cut, and leave the words that it stands beside: then a guess would stand there
/// as a fact.
#[must_use]
pub fn mark_taken_out(kb: &KnowledgeBase, entry: &Entry, section: &str) -> Option<String> {
    let doubts = |comment: &str| says_doubt(comment, kb.mark_below);
    let content = entry.content.as_deref();
    if !comments(section).any(|at| doubts(&section[at])) {
        return None;
    }
    match entry.operation {
        Operation::Update => {
            let old = SeenWords::of(without_own_heading(entry, section), doubts);
            mark_lost(&old, &SeenWords::of(content?, doubts), Stood::Elsewhere)
        }
        // The fields of the item stay.
        Operation::UpsertItem | Operation::UpsertRow => {
            let old = SeenWords::of(section, is_mark);
            mark_lost(&old, &SeenWords::of(content?, is_mark), Stood::Here)
        }
        Operation::Replace => {
            let lf = |text: &str| text.replace("\r\n", "\n");
            let section = lf(without_own_heading(entry, section));
            let old = entry.old_text.as_deref().map(lf).filter(|old| !old.is_empty())?;
            let content = lf(content.unwrap_or_default());
            mark_cut(&section, &old, &content, doubts).or_else(|| {
                let new = section.replace(&old, &content);
                mark_lost(&SeenWords::of(&section, doubts), &SeenWords::of(&new, doubts), Stood::Elsewhere)
            })
        }
        _ => None,
    }
}

/// An update says a section's text without its heading.
fn without_own_heading<'s>(entry: &Entry, section: &'s str) -> &'s str {
    if entry.key.heading.is_empty() { section } else { readable::without_heading(section) }
}

/// The mark that a replacement touches and does not bring again.
fn mark_cut(section: &str, old: &str, content: &str, doubts: impl Fn(&str) -> bool) -> Option<String> {
    let replaced: Vec<_> = section.match_indices(old).map(|(at, _)| at..at + old.len()).collect();
    let touched =
        |mark: &Range<usize>| replaced.iter().any(|old| old.start < mark.end && mark.start < old.end);
    let mut marks = comments(section).filter(|at| doubts(&section[at.clone()]));
    let cut = marks.find(|at| touched(at) && !content.contains(&section[at.clone()]))?;
    Some(section[cut].to_owned())
}

/// Whether words of the new text may be those that stood in the section without a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stood {
    Elsewhere,
    Here,
}

/// Fewer letters may be said again by chance, in a sentence about something else.
const LETTERS_MIN: usize = 16;

/// The mark of a text beside whose words it stands no longer in the new one, where those words are still said. Most of a block's
/// words are enough: a line of it may have been mended.
fn mark_lost(old: &SeenWords, new: &SeenWords, stood: Stood) -> Option<String> {
    let (was, is) = (MarkedWords::of(old), MarkedWords::of(new));
    let is_lost = |mark: &str, letters: &str| {
        let (was_marked, was_bare) = was.said(mark, letters);
        let (marked, bare) = is.said(mark, letters);
        let was_bare = if stood == Stood::Elsewhere { was_bare } else { 0 };
        bare > was_bare && (marked < was_marked || letters.len() >= LETTERS_MIN)
    };
    // Many items say the same few things, and each is looked for in all of both texts.
    let mut known: HashMap<(&str, &str), bool> = HashMap::new();
    for Remark { comment: mark, blocks, .. } in old.remarks() {
        for block in blocks {
            let (mut lost, mut all) = (0, 0);
            for letters in block.iter().map(|line| old.letters(line)) {
                all += letters.len();
                if *known.entry((mark, letters)).or_insert_with(|| is_lost(mark, letters)) {
                    lost += letters.len();
                }
            }
            if lost > 0 && 2 * lost >= all {
                return Some(mark.clone());
            }
        }
    }
    None
}

/// A text, and which of its words stand beside which mark.
struct MarkedWords<'w> {
    words: &'w SeenWords,
    beside: HashMap<&'w str, Vec<Range<usize>>>,
}

impl<'w> MarkedWords<'w> {
    fn of(words: &'w SeenWords) -> MarkedWords<'w> {
        let mut beside: HashMap<&str, Vec<Range<usize>>> = HashMap::new();
        for remark in words.remarks() {
            beside.entry(&remark.comment).or_default().push(remark.beside.clone());
        }
        for ranges in beside.values_mut() {
            ranges.sort_by_key(|range| range.start);
            ranges.dedup_by(|next, one| {
                let overlap = next.start < one.end;
                one.end = if overlap { one.end.max(next.end) } else { one.end };
                overlap
            });
        }
        MarkedWords { words, beside }
    }

    /// How often these letters are said beside this mark, and how often elsewhere.
    fn said(&self, mark: &str, letters: &str) -> (usize, usize) {
        let ranges = self.beside.get(mark).map(Vec::as_slice).unwrap_or_default();
        let is_marked = |at: &Range<usize>| {
            let before = ranges.partition_point(|range| range.start <= at.start);
            before.checked_sub(1).is_some_and(|last| at.end <= ranges[last].end)
        };
        self.words.places(letters).fold((0, 0), |(marked, bare), at| match is_marked(&at) {
            true => (marked + 1, bare),
            false => (marked, bare + 1),
        })
    }
}

/// The entries, with marks where they need one, also those that a person said yes to (`approved`): what was shown to them was
/// marked as well.
#[must_use]
pub fn marked<'e>(kb: &KnowledgeBase, who: Trust, entries: &'e [Entry], approved: bool) -> Cow<'e, [Entry]> {
    let doubt = |entry: &Entry| {
        let doubt = can_be_marked(entry).then(|| Doubt::of(kb, who, entry, approved))?;
        Some((doubt.said(|_| true)?, doubt))
    };
    // Once for each: the search for words costs most here.
    let doubts: Vec<Option<(String, Doubt)>> = entries.iter().map(doubt).collect();
    if doubts.iter().all(Option::is_none) {
        return Cow::Borrowed(entries);
    }
    let one = |(entry, doubt): (&Entry, Option<(String, Doubt)>)| match doubt {
        Some((said, doubt)) => Entry {
            content: entry.content.as_deref().map(|text| {
                let mark = as_comment(&said);
                if entry.operation.writes_item() {
                    item_with_mark(text, &mark)
                } else {
                    each_with_mark(text, &doubt)
                        .or_else(|| each_paragraph_with_mark(text, &doubt))
                        .unwrap_or_else(|| with_mark(text, &mark))
                }
            }),
            ..entry.clone()
        },
        None => entry.clone(),
    };
    Cow::Owned(entries.iter().zip(doubts).map(one).collect())
}

/// After the first line, which is the text of an item.
fn item_with_mark(text: &str, mark: &str) -> String {
    let text = text.trim();
    let (line, below) = text.split_at(text.find('\n').unwrap_or(text.len()));
    format!("{} {mark}{below}", line.trim_end())
}

fn as_comment(said: &str) -> String {
    format!("<!-- {said} -->")
}

/// In each item and row that there is something to doubt of, where the text consists of these: each is found again by itself. `None` for
/// another text, and where a mark would not be read as one.
fn each_with_mark(text: &str, doubt: &Doubt) -> Option<String> {
    let places = match rows(text) {
        Some(rows) => rows,
        None => readable::items_to_remark(text)?,
    };
    let ends = places.iter().skip(1).map(|next| next.start).chain([text.len()]);
    let parts: Vec<(usize, &str)> =
        places.iter().zip(ends).map(|(place, end)| (place.end, &text[place.start..end])).collect();
    let said = |(at, part): &(usize, &str)| Some((*at, as_comment(&doubt.said(|word| says(part, word))?)));
    let marks: Vec<(usize, String)> = parts.iter().filter_map(said).collect();
    let mut marked = text.to_owned();
    marks.iter().rev().for_each(|(at, mark)| marked.insert_str(*at, &format!(" {mark}")));
    let (old, new) = (
        SeenWords::of(text, |_| false),
        SeenWords::of(&marked, |one| marks.iter().any(|(_, mark)| mark == one)),
    );
    let is_read = old.all_letters() == new.all_letters() && new.remarks().len() == marks.len();
    let is_said = |word: &String| parts.iter().any(|(_, part)| says(part, word));
    (is_read && doubt.words.iter().all(is_said)).then_some(marked)
}

/// In each paragraph, list and table of a text that consists of several of these.
fn each_paragraph_with_mark(text: &str, doubt: &Doubt) -> Option<String> {
    let parts: Vec<&str> =
        text.trim_matches('\n').split("\n\n").map(|part| part.trim_matches('\n')).collect();
    // What begins in another way is no text, or may reach over blank lines.
    let begins_otherwise = |part: &str| {
        part.starts_with([' ', '\t', '#', '>', '<', '`', '~', '[']) || part.chars().next().is_none()
    };
    let is_line =
        |line: &str| ["===", "---", "***", "```", "~~~", "$$"].iter().any(|sign| line.starts_with(sign));
    if parts.len() < 2 || parts.iter().any(|part| begins_otherwise(part) || part.lines().any(is_line)) {
        return None;
    }
    let one = |part: &&str| match doubt.said(|word| says(part, word)) {
        Some(said) => each_with_mark(part, doubt).unwrap_or_else(|| with_mark(part, &as_comment(&said))),
        None => (*part).to_owned(),
    };
    let is_said = |word: &String| parts.iter().any(|part| says(part, word));
    doubt.words.iter().all(is_said).then(|| parts.iter().map(one).collect::<Vec<_>>().join("\n\n"))
}

/// The rows of a text that consists of these alone, to be appended to a table: each up to the end of its last cell.
fn rows(text: &str) -> Option<Vec<Range<usize>>> {
    let row = |line: &str| {
        let row = line.trim_end();
        let cells = row.strip_suffix('|').filter(|cells| !cells.ends_with('\\')).unwrap_or(row).trim_end();
        let is_row = line.trim_start().starts_with('|') && cells.contains(char::is_alphanumeric);
        let start = line.as_ptr().addr() - text.as_ptr().addr();
        is_row.then(|| start..start + cells.len())
    };
    text.trim_end().lines().map(row).collect::<Option<Vec<_>>>().filter(|rows| !rows.is_empty())
}

/// Whether a line has a word, not only within another one (`he` in `the`). Chinese words stand without anything between them.
fn says(line: &str, word: &str) -> bool {
    let is_of_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    line.match_indices(word).any(|(at, word)| {
        let (before, behind) = (&line[..at], &line[at + word.len()..]);
        let begins = is_of_word(before.chars().next_back()) && is_of_word(word.chars().next());
        let ends = is_of_word(word.chars().next_back()) && is_of_word(behind.chars().next());
        !begins && !ends
    })
}

/// After the last line where that is plain text. Else on a line of its own above, where it cannot become part of a table,
/// code or raw HTML.
fn with_mark(text: &str, mark: &str) -> String {
    let body = text.trim_end();
    let end = &text[body.len()..];
    let last = body.lines().next_back().unwrap_or("");
    let plain = |line: &str| {
        let line = line.trim_start_matches(['-', '*', '+', ' ']);
        line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '(' | '“' | '「' | '《'))
    };
    let in_code = body.lines().any(|line| line.trim_start().starts_with(['`', '~', '<', '|', '\t', '$']))
        || body.lines().any(|line| line.starts_with("    ") || line.contains(" | "));
    let doubtful = in_code || last.contains('`') || last.contains('|') || last.ends_with(['\\', '-', '=']);
    let behind = || Some(format!("{body} {mark}{end}")).filter(|marked| is_read(text, marked, mark));
    let behind = if plain(last) && !doubtful { behind() } else { None };
    behind.unwrap_or_else(|| format!("{mark}\n\n{text}"))
}

/// Whether Markdown reads a mark that was put into a text as a comment there, and its words as before.
fn is_read(text: &str, marked: &str, mark: &str) -> bool {
    let (old, new) = (SeenWords::of(text, |one| one == mark), SeenWords::of(marked, |one| one == mark));
    old.all_letters() == new.all_letters() && new.comments() == old.comments() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_paragraph_is_marked_by_itself() {
        const GUESS: &str = "<!-- a guess, 20 % sure -->";
        let marked = |content: &str| {
            let key = declaration::Key {
                target: declaration::Target::Kb("g".into()),
                heading: vec!["H".into()],
                level: 2,
            };
            let mut entry = Entry {
                operation: Operation::Append,
                content: Some(content.to_owned()),
                ..Entry::no_op(key)
            };
            entry.meta.confidence = Some(0.2);
            let entries = [entry];
            let marked = marked(&KnowledgeBase::default(), Trust::Agent, &entries, false);
            marked[0].content.clone().unwrap()
        };
        assert_eq!(
            marked("one.\n\ntwo,\nlong.\n\n- three\n- four"),
            format!("one. {GUESS}\n\ntwo,\nlong. {GUESS}\n\n- three {GUESS}\n- four {GUESS}")
        );
        // What is no text of its own has one, as before.
        for other in ["one.\n\n```\ncode\n\nmore\n```", "one.\n\n    code", "one.\n\n### Two\n\ntwo."] {
            assert_eq!(marked(other).matches(GUESS).count(), 1, "{other}");
        }
    }

    #[test]
    fn a_replacement_that_takes_out_a_mark_is_seen() {
        let section = "- may like jazz <!-- a guess, 20 % sure -->\n- other <!-- mine -->\n";
        let key = declaration::Key {
            target: declaration::Target::Kb("g".into()),
            heading: vec!["H".into()],
            level: 2,
        };
        let replace = |old: &str, new: &str| Entry {
            operation: Operation::Replace,
            old_text: Some(old.to_owned()),
            content: Some(new.to_owned()),
            ..Entry::no_op(key.clone())
        };
        for (old, new) in [
            (" <!-- a guess, 20 % sure -->", ""),
            ("jazz <!-- a guess, 20 % sure -->", "jazz"),
            ("20 % sure", "99 % sure"),
            ("<!-- a", "<!-- no"),
            ("jazz <", "jazz"),
        ] {
            let mark = mark_taken_out(&KnowledgeBase::default(), &replace(old, new), section);
            assert_eq!(mark.as_deref(), Some("<!-- a guess, 20 % sure -->"), "{old}");
        }
        for (old, new) in [
            ("may like jazz", "likes jazz"),
            ("other <!-- mine -->", "other"),
            ("jazz <!-- a guess, 20 % sure -->", "blues <!-- a guess, 20 % sure -->"),
        ] {
            assert_eq!(mark_taken_out(&KnowledgeBase::default(), &replace(old, new), section), None, "{old}");
        }
    }

    #[test]
    fn an_update_that_keeps_a_guess_and_leaves_out_its_mark_is_seen() {
        const GUESS: &str = "<!-- a guess, 20 % sure -->";
        let section = format!(
            "- may like jazz {GUESS}\n- other <!-- mine -->\n- may like tea {GUESS}\n\n<!-- says today -->\n\n    code\n"
        );
        let key = declaration::Key {
            target: declaration::Target::Kb("g".into()),
            heading: vec!["H".into()],
            level: 2,
        };
        let update = |content: &str| Entry {
            operation: Operation::Update,
            content: Some(content.to_owned()),
            ..Entry::no_op(key.clone())
        };
        for (content, mark) in [
            ("- may like jazz", GUESS),
            ("* may  like jazz\n", GUESS),
            ("- may like jazz, and more", GUESS),
            (&format!("- may like jazz {GUESS}\n- may like tea"), GUESS),
            (&format!("- may like tea {GUESS}\n\n    code\n"), "<!-- says today -->"),
        ] {
            assert_eq!(
                mark_taken_out(&KnowledgeBase::default(), &update(content), &section).as_deref(),
                Some(mark),
                "{content}"
            );
        }
        for content in [&section, "- other\n", "- plays chess\n", "", &format!("- may like tea {GUESS}")] {
            assert_eq!(
                mark_taken_out(&KnowledgeBase::default(), &update(content), &section),
                None,
                "{content}"
            );
        }
    }

    const GUESS: &str = "<!-- a guess, 10 % sure -->";

    /// A section below `## H`, an update or (`old` → `new`) a replacement of it, and whether that waits for a yes. `G`: a mark.
    fn waits(section: &str, old: Option<&str>, content: &str) -> bool {
        let marked = |text: &str| text.replace("_G_", GUESS);
        let key = declaration::Key {
            target: declaration::Target::Kb("g".into()),
            heading: vec!["H".into()],
            level: 2,
        };
        let entry = Entry {
            operation: if old.is_some() { Operation::Replace } else { Operation::Update },
            old_text: old.map(marked),
            content: Some(marked(content)),
            ..Entry::no_op(key)
        };
        let section = format!("## H\n\n{}\n", marked(section));
        mark_taken_out(&KnowledgeBase::default(), &entry, &section).is_some()
    }

    const CODE: &str = "intro\n\n_G_\n\n```sh\nmake deploy --production\n```\n\nend words";
    const LINE: &str = "A sentence of doubt _G_";
    const TABLE: &str = "_G_\n\n| q | w |\n|---|---|\n| alpha | beta |";
    const LIST: &str =
        "- one claim here _G_\n- two claim there _G_\n  - sub of two\n- [ ] open task thing _G_";

    #[test]
    fn a_guess_that_is_said_in_other_markup_keeps_its_mark_or_waits() {
        for (section, content) in [
            (CODE, "intro\n\n    make deploy --production\n\nend words"),
            (CODE, "intro\n\nRun `make deploy --production`\n\nend words"),
            (CODE, "intro\n\n```sh\nmake deploy --production\n_G_\n```\n\nend words"),
            (CODE, "intro\n\n```sh\nmake deploy --production\n```\n\nend words _G_"),
            (CODE, "_G_\n\nintro\n\n```sh\nmake deploy --production\n```"),
            (CODE, "make deploy --production"),
            (CODE, "intro\n\n<!-- a guess, 90 % sure -->\n\n```sh\nmake deploy --production\n```"),
            (CODE, "intro\n\n\\_G_\n\n```sh\nmake deploy --production\n```"),
            (CODE, "intro\n\n`_G_`\n\n```sh\nmake deploy --production\n```"),
            ("_G_\n\n```\nfoo\n```", "```\nfoo\n```"),
            (
                "_G_\n\n```\none line first\nset the second\nand the third\n```",
                "```\none line first\nset the other\nand the third\n```",
            ),
            (LINE, "A sentence of d&#111;ubt"),
            (LINE, "<p>A sentence of d&#111;ubt</p>"),
            (LINE, "A [sentence][1] of doubt\n\n[1]: http://x"),
            (LINE, "A [sentence][1] of doubt"),
            (LINE, "A [sentence](http://x) of doubt"),
            (LINE, "A sentence[^1] of doubt\n\n[^1]: x"),
            (LINE, "A sentence[^1] of doubt"),
            (LINE, "A ![sentence](x.png) of <b>dou</b>bt"),
            (LINE, "> A sentence\n> of doubt"),
            (LINE, "| A sentence | of doubt |\n|--|--|"),
            (LINE, "### A sentence of doubt"),
            (LINE, "A SENTENCE\\\nof **doubt**."),
            (LINE, "A sentence <!-- x --> of doubt"),
            (LINE, "A sentence of doubt, and much more"),
            (LINE, "A sentence of doubt<br>and much more"),
            (LINE, "First words _G_. A sentence of doubt"),
            (LINE, "Other words. _G_\n\nA sentence of doubt"),
            (LINE, "A sentence of doubt\n\nA sentence of doubt _G_"),
            (LINE, "~~A sentence of doubt~~"),
            (
                "A sentence of doubt, that is broken\ninto two lines. _G_",
                "A sentence of doubt, that is broken\ninto two. ",
            ),
            (TABLE, "- alpha: beta"),
            (TABLE, "|q|w|\n|:--|--:|\n|alpha|beta|\n|x|y|"),
            (
                "| q | w |\n|---|---|\n| alpha | beta _G_ |\n| c | d |",
                "| q | w |\n|---|---|\n| alpha | beta |\n| c | d |",
            ),
            ("_G_\n\n- one\n- two of them", "- two of them"),
            ("_G_\n\n> the quoted claim", "the quoted claim"),
            (LIST, "- one claim here\n- two claim there _G_\n  - sub of two\n- [ ] open task thing _G_"),
            (LIST, "- one claim here _G_\n- two claim there _G_\n- [x] open task thing"),
            (LIST, "- one claim here\n  - two claim there _G_"),
            ("- [O] prefers tabs _G_", "- prefers tabs"),
            ("- deploy _G_\n  ```\n  make deploy --production\n  ```", "```\nmake deploy --production\n```"),
            ("- [O] prefers tabs <!-- lw c=0.1 --> ^aaaa1111", "- prefers tabs ^aaaa1111"),
            ("- 用户喜欢茶 _G_", "我认为用户喜欢茶吧"),
            ("<div>\nin raw html _G_\n</div>", "in raw html"),
        ] {
            assert!(waits(section, None, content), "{section}\n--- becomes\n{content}");
        }
        for (section, old, new) in [
            (CODE, "_G_\n\n```sh\nmake", "```sh\n_G_\nmake"),
            (
                CODE,
                "_G_\n\n```sh\nmake deploy --production\n```\n\nend words",
                "    make deploy --production\n\nend words _G_",
            ),
            ("A sentence of\ndoubt _G_\n\nothers", "doubt _G_\n\nothers", "doubt\n\nothers _G_"),
        ] {
            assert!(waits(section, Some(old), new), "{section}\n--- {old}\n--- becomes\n{new}");
        }
    }

    #[test]
    fn what_changes_the_words_of_a_guess_or_keeps_its_mark_is_free() {
        for (section, content) in [
            (CODE, "intro\n\nend words"),
            (CODE, "intro\n\n```sh\nmake test\n```\n\nend words"),
            (CODE, "intro\n\n_G_\n\n    make deploy --production\n\nend words, and more"),
            (CODE, "intro\n\nRun `make deploy --production` _G_\n\nend words"),
            (
                "_G_\n\n```\n#!/usr/bin/env bash\nrm -r build\ncmake --build . --target all\n```",
                "```\n#!/usr/bin/env bash\nmake --directory build clean install\n```",
            ),
            (LINE, "Another sentence."),
            (LINE, "A **sentence** of doubt _G_\n\nMore words."),
            (LINE, "A sentence\nof doubt _G_"),
            (LINE, "_G_\n\n> A sentence of doubt"),
            (LINE, ""),
            (TABLE, "| q | w |\n|---|---|\n| gamma | delta |"),
            (TABLE, "| q | w |\n|---|---|\n| alpha | beta _G_ |\n| gamma | delta |"),
            (
                "| q | w |\n|---|---|\n| alpha | beta _G_ |",
                "_G_\n\n| q | w |\n|---|---|\n| alpha | beta |\n| c | d |",
            ),
            ("- tea _G_\n- drinks coffee", "- tea _G_\n- drinks coffee, no tea at night"),
            ("- tea _G_\n- drinks coffee", "- drinks coffee instead"),
            ("- tea _G_\n- drinks green tea", "- drinks green tea"),
            (LIST, "- one claim here _G_\n- two claim there _G_\n- [x] open task thing _G_\n- a fourth one"),
            (LIST, "- two claim there _G_"),
            (
                "A long line of which there is more in the next\nhere. _G_",
                "Some other sentence that is right here.",
            ),
            ("- is in Basel <!-- lw c=0.9 by=agent -->", "- is in Basel"),
            ("- other <!-- mine -->", "- other"),
        ] {
            assert!(!waits(section, None, content), "{section}\n--- becomes\n{content}");
        }
        for (section, old, new) in [
            (CODE, "make deploy --production", "make deploy --staging"),
            (CODE, "end words", "last words"),
            (LINE, "A sentence", "Two sentences"),
        ] {
            assert!(!waits(section, Some(old), new), "{section}\n--- {old}\n--- becomes\n{new}");
        }
    }

    #[test]
    fn each_item_and_row_is_marked_by_itself() {
        let doubt = |of_all: &[&str], words: &[&str]| Doubt {
            of_all: of_all.iter().map(|&part| part.to_owned()).collect(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
        };
        let marked = |text: &str, doubt: &Doubt| {
            let marked = each_with_mark(text, doubt)?;
            Some(
                marked
                    .replace(" <!-- a guess, 10 % sure -->", "_G_")
                    .replace(" <!-- a guess, 10 % sure, says today -->", "_GT_"),
            )
        };
        let guess = doubt(&["a guess, 10 % sure"], &[]);
        for (text, with) in [
            ("- one\n- two\n", Some("- one_G_\n- two_G_\n")),
            ("- [ ] do it\n- [x] do that", Some("- [ ] do it_G_\n- [x] do that_G_")),
            (
                "- a\n  ```\n  code\n  ```\n- b\n\n  para two",
                Some("- a_G_\n  ```\n  code\n  ```\n- b_G_\n\n  para two"),
            ),
            ("1. one\n   more\n2. `two`", Some("1. one\n   more_G_\n2. `two`_G_")),
            ("  - [O] one\n    - **sub**", Some("  - [O] one_G_\n    - **sub**_G_")),
            ("- one ^aaaa1111\n- use `x", Some("- one_G_ ^aaaa1111\n- use `x_G_")),
            ("| z | zz |", Some("| z | zz_G_ |")),
            ("| z | zz |\n|y|yy|\n", Some("| z | zz_G_ |\n|y|yy_G_|\n")),
            ("| z | zz", Some("| z | zz_G_")),
            ("| z | z \\|", Some("| z | z \\|_G_")),
            ("| z `| a |\n| b` | c |", None),
            ("| k | v |\n|---|---|\n| a | b |", None),
            ("- a\n\ntext", None),
            ("- ```\n  code\n  ```", None),
            ("- open <!-- comment", None),
            ("text", None),
            ("", None),
        ] {
            assert_eq!(marked(text, &guess).as_deref(), with, "{text}");
        }
        let says_today = doubt(&["a guess, 10 % sure"], &["today"]);
        for (text, with) in [
            ("- one\n- today two\n", Some("- one_G_\n- today two_GT_\n")),
            ("| a | today |\n| b | c |", Some("| a | today_GT_ |\n| b | c_G_ |")),
            ("- one\n- two", None),
        ] {
            assert_eq!(marked(text, &says_today).as_deref(), with, "{text}");
        }
        let words = doubt(&[], &["he"]);
        let he = each_with_mark("- the first\n- he, again", &words);
        assert_eq!(he.as_deref(), Some("- the first\n- he, again <!-- says he -->"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
        /// What is marked within lists and rows is read as marked: to say the same without the marks waits for a yes.
        #[test]
        fn what_is_marked_is_missed_when_it_goes(
            begin in prop::sample::select(vec!["- ", "1. ", "| "]),
            pieces in prop::collection::vec(prop::sample::select(vec![
                "word", "tea ", "多", "\n- ", "\n2. ", "\n  - ", "\n\n  ", "\n  ", "\n| ", " | ", "|", "\n  ```\n  ", "`", "*", "[a](", ")", "[x] ",
                "[O] ", "<b>", "<!--", "-->", " ^id1", " <!-- lw c=0.1 -->", "\\", "\r\n", "~~",
            ]), 1..10),
        ) {
            let doubt = Doubt { of_all: vec!["a guess, 10 % sure".to_owned()], words: Vec::new() };
            let text = format!("{begin}{}", pieces.concat());
            if let Some(marked) = each_with_mark(&text, &doubt) {
                prop_assert_eq!(marked.replace(&format!(" {GUESS}"), ""), text.as_str());
                prop_assert!(waits(&marked, None, &text), "{:?}", text);
                prop_assert!(!waits(&marked, None, &marked), "{:?}", text);
            }
        }
    }

    #[test]
    fn a_mark_stands_where_nothing_swallows_it() {
        for (text, marked) in [
            ("- likes tea", "- likes tea <!-- m -->"),
            ("- one\n- two\n", "- one\n- two <!-- m -->\n"),
            ("- one\n  more\n- two\n", "- one\n  more\n- two <!-- m -->\n"),
            ("plain words.", "plain words. <!-- m -->"),
            ("用户喜欢简短的回答", "用户喜欢简短的回答 <!-- m -->"),
            ("```\ncode\n```", "<!-- m -->\n\n```\ncode\n```"),
            ("a | b\n--|--\n1 | 2", "<!-- m -->\n\na | b\n--|--\n1 | 2"),
            ("see\n\n    indented", "<!-- m -->\n\nsee\n\n    indented"),
            ("use `x", "<!-- m -->\n\nuse `x"),
            ("Title\n---", "<!-- m -->\n\nTitle\n---"),
        ] {
            assert_eq!(with_mark(text, "<!-- m -->"), marked);
        }
    }
}
