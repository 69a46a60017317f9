//! Which entries of a job are offered again whose change a save has undone: those that are gone from the document, and stand nowhere else.
//! Pure but for what is asked around.

use crate::undone::{SectionKey, Undone};
use declaration::{Entry, Operation, Scope};
use documents::SectionHashes;
use markdown_merge::{Change, ChangeKind, Edit, FRONT_MATTER, Merger, RefusalCode, Rules, hash};
use queue_layout::Job;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// So many words say something: they stand in another text, in whatever lines, only where they were put there.
const WORDS_MIN: usize = 4;
/// Of a line with so many letters it can be said that another one was made of it.
const LETTERS_MIN: usize = 8;

/// What is asked around: what the document said before the job, and how often others said something since.
pub(crate) struct Around<'a> {
    pub before: &'a dyn Fn() -> Option<Vec<u8>>,
    pub others: &'a dyn Fn(&str) -> Option<usize>,
    /// Whether a later job that is gone as well says something else in the place of an entry's words.
    pub replaced: &'a dyn Fn(&Entry) -> bool,
}

/// The entries to propose again, and the hashes of the sections they are missing from: with the same hashes a loss is not
/// reported twice.
pub(crate) fn said_again(
    done: &Job,
    undone: &Undone,
    merger: &Merger,
    around: &Around<'_>,
) -> (Vec<Entry>, String) {
    let gone = Gone { undone, merger, around, before: OnceCell::new() };
    let own = |(heading, level): &SectionKey| {
        let text = merger.section_text(heading, *level, Scope::Own).ok().flatten();
        text.map(|text| hash(&unformatted(text)))
    };
    let mut entries = done.entries_with_ids();
    if done.restore.is_some() {
        // A rollback has one entry, which only names the document; its merge keeps what was changed since it was asked for.
        let seen = undone.sections.iter().map(|section| own(section).unwrap_or_default()).collect();
        return (entries, seen);
    }
    entries.retain(|entry| gone.has(entry) && !(around.replaced)(entry));
    let mut seen = String::new();
    for entry in &mut entries {
        let text = merger.section_text(&entry.key.heading, entry.key.level, Scope::Own).ok().flatten();
        let now = text.filter(|_| entry.scope == Scope::Own).map(hash);
        // A section with a person's own edits is reported once, however they go on editing it, and one that is set otherwise is the same.
        let theirs = undone.perhaps.get(&gone.section(entry));
        seen.push_str(&match (theirs, text) {
            (Some(_), _) => "theirs".to_owned(),
            (None, text) => hash(&unformatted(text.unwrap_or_default())),
        });
        // The entry is based on the section as it is now: if that changes before the yes, the texts are merged, or it is a
        // conflict. Not so for operations that fit any text of the section: adding a line, finding a text.
        let holds = !matches!(
            entry.operation,
            Operation::Update | Operation::Clear | Operation::Delete | Operation::Rename | Operation::NoOp
        );
        // What they wrote themselves is merged with the text that both began with, or it is a conflict.
        let takes_out = matches!(entry.operation, Operation::Update | Operation::Clear | Operation::Delete);
        let began = theirs.cloned().flatten().filter(|_| takes_out);
        entry.base = began.or(now).filter(|_| !holds);
    }
    (entries, seen)
}

/// `None` when the address fits no section: then nothing is reported. One that somebody gave another level, or nearly another name, or made
/// twice, is there, and says what it never said.
pub(crate) fn section_hashes(merger: &Merger, heading: &[String], level: u8) -> Option<SectionHashes> {
    if let [first, name] = heading
        && level == 0
        && first == FRONT_MATTER
    {
        let value = merger.front_matter_hash(name);
        return Some([value.clone(), value]);
    }
    let changed = [RefusalCode::LevelMismatch, RefusalCode::NearMatch, RefusalCode::Ambiguous];
    let text = |scope| match merger.section_text(heading, level, scope) {
        Ok(text) => Some(text.map(hash)),
        Err(e) if changed.contains(&e.code) => Some(Some(hash(merger.text()))),
        Err(_) => None,
    };
    Some([text(Scope::Own)?, text(Scope::Subtree)?])
}

/// What is gone of a job.
struct Gone<'a> {
    undone: &'a Undone,
    merger: &'a Merger,
    around: &'a Around<'a>,
    /// The document before the job, once it was asked for.
    before: OnceCell<Option<String>>,
}

impl Gone<'_> {
    /// Whether an entry is to be said again.
    fn has(&self, entry: &Entry) -> bool {
        let Undone { sections, perhaps, .. } = self.undone;
        let section = self.section(entry);
        let is_undone = entry.operation.is_of_item() || sections.contains(&section);
        let is_gone = match entry.operation {
            Operation::Rename => would_change(self.merger, entry) || self.is_gone_with_its_words(entry),
            _ => !is_said(self.merger, entry) && !self.is_elsewhere(entry),
        };
        is_undone && is_gone
            || perhaps.contains_key(&section) && self.is_missing(entry) && !self.is_elsewhere(entry)
    }

    /// The section that an entry is about; of one that is put beside another, the new one.
    fn section(&self, entry: &Entry) -> SectionKey {
        let Undone { sections, perhaps, .. } = self.undone;
        let made = made_beside(entry).and_then(|title| {
            sections.iter().chain(perhaps.keys()).find(|(names, _)| names.last() == Some(&title)).cloned()
        });
        made.unwrap_or_else(|| (entry.key.heading.clone(), entry.key.level))
    }

    /// Whether its section lacks what an entry says.
    fn is_missing(&self, entry: &Entry) -> bool {
        let text = self.merger.section_text(&entry.key.heading, entry.key.level, Scope::Own);
        match says_something(entry) {
            true => {
                let (text, said) = (text.ok().flatten().unwrap_or_default(), entry.content.as_deref());
                let said = said.unwrap_or_default();
                let is_edited = || {
                    let before = self.before().filter(|_| !self.undone.is_unseen);
                    before.is_some_and(|before| is_edited(before, said, text))
                };
                !has_lines(text, said) && !is_edited()
            }
            false => match merged_again(self.merger, entry) {
                Some(changes) => changes.iter().any(is_change),
                // It fits nothing there now.
                None => entry
                    .content
                    .as_deref()
                    .map(str::trim)
                    .is_some_and(|said| !said.is_empty() && !self.merger.text().contains(said)),
            },
        }
    }

    /// Whether somebody gave the section another name, or moved the words: the document has them once more than before the job, and
    /// than other jobs have said them since.
    fn is_elsewhere(&self, entry: &Entry) -> bool {
        let is_put_in = says_something(entry)
            || entry.operation.is_beside()
            || matches!(entry.operation, Operation::UpsertItem | Operation::UpsertRow | Operation::Replace);
        let said = entry.content.as_deref().filter(|_| is_put_in).unwrap_or_default();
        // What it put beside another section may have another heading by now.
        let below = said
            .trim_start()
            .split_once('\n')
            .map(|(_, below)| below)
            .filter(|below| !words(below).is_empty());
        let said = below.filter(|_| entry.operation.is_beside()).unwrap_or(said);
        let now = times(self.merger.text(), said);
        let ours = |before: &str| Some(times(before, said) + 1 + (self.around.others)(said)?);
        now > 0 && self.before().and_then(ours).is_some_and(|ours| now >= ours)
    }

    /// Whether a section that was renamed is there under no name: where its words stand, somebody gave it another one.
    fn is_gone_with_its_words(&self, entry: &Entry) -> bool {
        let before = self.before().and_then(|text| Merger::open(text.as_bytes()).ok());
        let said = before.and_then(|before| {
            let text = before.section_text(&entry.key.heading, entry.key.level, Scope::Own).ok()??;
            let body: Vec<&str> = text.lines().skip(1).skip_while(|line| line.trim().is_empty()).collect();
            Some(body.join("\n"))
        });
        said.is_some_and(|said| !said.trim().is_empty() && times(self.merger.text(), &said) == 0)
    }

    fn before(&self) -> Option<&str> {
        let text = || (self.around.before)().and_then(|text| String::from_utf8(text).ok());
        self.before.get_or_init(text).as_deref()
    }
}

/// The heading of the section that an entry makes beside the one that it names.
fn made_beside(entry: &Entry) -> Option<String> {
    let content = entry.content.as_deref().filter(|_| entry.operation.is_beside())?;
    let line = content.trim_start().lines().next()?;
    Some(line.trim_matches(['#', ' ', '\t']).to_owned())
}

/// Whether an entry adds words that can be looked for.
pub(crate) fn says_something(entry: &Entry) -> bool {
    matches!(entry.operation, Operation::Append | Operation::Prepend | Operation::Update)
}

/// Whether an entry would change the document if it were merged once more: a row, an item, a replaced text or a heading is not as it says.
fn would_change(merger: &Merger, entry: &Entry) -> bool {
    merged_again(merger, entry).is_some_and(|changes| changes.iter().any(is_change))
}

/// Whether it would change nothing, as a line or an item that somebody put elsewhere.
pub(crate) fn is_said(merger: &Merger, entry: &Entry) -> bool {
    merged_again(merger, entry).is_some_and(|changes| !changes.iter().any(is_change))
}

fn is_change(change: &Change) -> bool {
    change.kind != ChangeKind::Unchanged
}

/// What an entry would do if it were merged once more; `None` where it would be refused.
fn merged_again(merger: &Merger, entry: &Entry) -> Option<Vec<Change>> {
    let rules = Rules { front_matter: true, ..Rules::default() };
    let edit = Edit { base: None, ..Edit::from(entry) };
    let mut again = Merger::open(merger.text().as_bytes()).ok()?;
    again.apply([edit], &rules, &|_| None).ok()
}

/// How often words stand in a text, however they are set: as items or a paragraph, in bold, in other lines. A few words only where they are
/// a line by themselves.
pub(crate) fn times(text: &str, said: &str) -> usize {
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
fn words(text: &str) -> Vec<&str> {
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

/// What is left of a text when an editor that formats has set blanks, bullets, emphasis, tables and headings anew.
pub(crate) fn unformatted(text: &str) -> String {
    let is_rule = |line: &&str| line.trim().chars().all(|c| "|-:= ".contains(c));
    let plain = |line: &str| {
        let line = line.trim();
        let item = line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(char::is_whitespace));
        let line = item.map_or_else(|| line.trim_matches('#').to_owned(), |rest| format!("-{rest}"));
        line.chars().filter(|c| !c.is_whitespace() && !"*_\\".contains(*c)).collect::<String>()
    };
    text.lines().filter(|line| !is_rule(line)).map(plain).collect()
}

/// Whether a text has what is said, each line or all of it, in whatever lines.
fn has_lines(text: &str, said: &str) -> bool {
    let lines: BTreeSet<Vec<&str>> = text.lines().map(words).collect();
    let is_there = |line: &str| {
        let line = words(line);
        line.is_empty() || lines.contains(&line)
    };
    said.lines().all(is_there) || times(text, said) > 0
}

/// Whether what is said stands in a text as somebody edited it: each line that is missing has another one there which was not in the
/// document before, and is made of it.
fn is_edited(before: &str, said: &str, text: &str) -> bool {
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
