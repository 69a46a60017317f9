//! Whether what an entry says stands in a text, as it was declared or in whatever lines. Pure.

use declaration::{Entry, Operation};
use markdown_merge::{Change, ChangeKind, Edit, Merger, Rules, Stamp};
use std::collections::BTreeSet;

/// So many words say something: they stand in another text, in whatever lines, only where they were put there.
pub const WORDS_MIN: usize = 4;
/// Of a line with so many letters it can be said that another one was made of it.
const LETTERS_MIN: usize = 8;

/// Whether an entry adds words that can be looked for.
pub fn says_something(entry: &Entry) -> bool {
    matches!(entry.operation, Operation::Append | Operation::Prepend | Operation::Update)
}

/// Whether it would change nothing, as a line or an item that somebody put elsewhere.
pub fn is_said(merger: &Merger, entry: &Entry) -> bool {
    merged_again(merger, entry).is_some_and(|changes| !changes.iter().any(is_change))
}

/// Whether it changed the document.
#[must_use]
pub fn is_change(change: &Change) -> bool {
    change.kind != ChangeKind::Unchanged
}

/// What an entry would do if it were merged once more; `None` where it would be refused.
pub fn merged_again(merger: &Merger, entry: &Entry) -> Option<Vec<Change>> {
    let rules = Rules { front_matter: true, ..Rules::default() };
    // What it wrote is known by the id that it gave.
    let stamp = entry.meta.item.as_deref().map(|id| Stamp {
        id: id.into(),
        at: entry.meta.said_at.as_deref().unwrap_or_default().into(),
        fields: Vec::new(),
        occurs: entry.meta.occasion.is_some(),
    });
    let edit = Edit { base: None, stamp, ..Edit::from(entry) };
    let mut again = Merger::open(merger.text().as_bytes()).ok()?;
    again.apply([edit], &rules, &|_| None).ok()
}

/// How often words stand in a text, however they are set: as items or a paragraph, in bold, in other lines. A few words only where they are
/// a line by themselves.
pub fn times(text: &str, said: &str) -> usize {
    let wanted = words(said);
    if wanted.len() >= WORDS_MIN {
        return stretches(&words(text), &wanted);
    }
    stretches(&lines(text), &lines(said))
}

/// The words of each line that has some.
fn lines(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(words).filter(|line| !line.is_empty()).collect()
}

/// How often pieces stand one after another.
fn stretches<T: PartialEq>(text: &[T], wanted: &[T]) -> usize {
    match wanted {
        [] => 0,
        _ => text.windows(wanted.len()).filter(|stretch| *stretch == wanted).count(),
    }
}

/// The words of a text, without the marks of lists and tasks; what is written without blanks is taken letter by letter.
pub fn words(text: &str) -> Vec<&str> {
    let of_line = |line| {
        without_marks(line).split(|c: char| !c.is_alphanumeric()).flat_map(|run| {
            let is_alone = |c: char| c >= FIRST_ALONE;
            let mut rest = run;
            std::iter::from_fn(move || {
                let first = rest.chars().next()?;
                let len = if is_alone(first) {
                    first.len_utf8()
                } else {
                    rest.find(is_alone).unwrap_or(rest.len())
                };
                let (word, behind) = rest.split_at(len);
                rest = behind;
                Some(word)
            })
        })
    };
    text.lines().flat_map(of_line).collect()
}

/// From here on scripts write no blanks between words.
const FIRST_ALONE: char = '\u{2e80}';

/// A line without what makes it an item, a task, a heading or a quotation.
fn without_marks(line: &str) -> &str {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "-*+>#".contains(c));
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line =
        number.strip_prefix(['.', ')']).filter(|_| number.len() < line.len()).unwrap_or(line).trim_start();
    ["[ ]", "[x]", "[X]"].iter().find_map(|task| line.strip_prefix(task)).unwrap_or(line)
}

/// Whether a text has what is said, each line or all of it, in whatever lines.
pub fn has_lines(text: &str, said: &str) -> bool {
    let lines: BTreeSet<Vec<&str>> = text.lines().map(words).collect();
    let is_there = |line: &str| {
        let line = words(line);
        line.is_empty() || lines.contains(&line)
    };
    said.lines().all(is_there) || times(text, said) > 0
}

/// Whether what is said stands in a text as somebody edited it: each line that is missing has another one there which was not in the
/// document before, and is made of it.
pub fn is_edited(before: &str, said: &str, text: &str) -> bool {
    let known: BTreeSet<Vec<&str>> = before.lines().map(words).collect();
    let mut new: Vec<&str> = text.lines().filter(|line| !known.contains(&words(line))).collect();
    said.lines().filter(|line| !words(line).is_empty()).all(|line| {
        let at = new.iter().position(|other| is_made_of(other, line));
        at.map(|at| new.swap_remove(at)).is_some()
    })
}

/// Whether a line is most likely another one that somebody edited: it has all its words, or either has four of five letters of the other at
/// its beginning and end.
fn is_made_of(edited: &str, line: &str) -> bool {
    let (wanted, found) = (words(line), words(edited));
    if wanted.len() > 1 && stretches(&found, &wanted) > 0 {
        return true;
    }
    let [line, edited] = [wanted, found].map(|words| words.concat().chars().collect::<Vec<char>>());
    let same = |one: &mut dyn Iterator<Item = &char>, other: &mut dyn Iterator<Item = &char>| {
        one.zip(other).take_while(|(one, other)| one == other).count()
    };
    let kept =
        same(&mut line.iter(), &mut edited.iter()) + same(&mut line.iter().rev(), &mut edited.iter().rev());
    line.len() >= LETTERS_MIN && [line, edited].iter().all(|text| kept * 5 >= text.len() * 4)
}
