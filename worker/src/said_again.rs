//! Which entries of a job are offered again whose change a save has undone: those that are gone from the document, and stand nowhere else.
//! Pure but for what is asked around.

use crate::undone::{SectionKey, Undone};
use declaration::{Entry, Operation, Scope};
use documents::SectionHashes;
use markdown_merge::{Change, ChangeKind, Edit, FRONT_MATTER, Merger, RefusalCode, Rules, hash};
use queue_layout::Job;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// A line with so many letters, in bytes, is hardly part of another one by chance.
const TELLING_BYTES: usize = 6;

/// What is asked around: what the document said before the job, and how often others said something since.
pub(crate) struct Around<'a> {
    pub before: &'a dyn Fn() -> Option<Vec<u8>>,
    pub others: &'a dyn Fn(&str) -> Option<usize>,
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
    let own =
        |(heading, level): &SectionKey| section_hashes(merger, heading, *level).and_then(|[own, _]| own);
    let mut entries = done.entries.clone();
    if done.restore.is_some() {
        // A rollback has one entry, which only names the document; its merge keeps what was changed since it was asked for.
        let seen = undone.sections.iter().map(|section| own(section).unwrap_or_default()).collect();
        return (entries, seen);
    }
    entries.retain(|entry| gone.has(entry));
    let mut seen = String::new();
    for entry in &mut entries {
        let now = own(&(entry.key.heading.clone(), entry.key.level)).filter(|_| entry.scope == Scope::Own);
        // A section with a person's own edits is reported once, however they go on editing it.
        let theirs = undone.perhaps.get(&gone.section(entry));
        seen.push_str(if theirs.is_some() { "theirs" } else { now.as_deref().unwrap_or_default() });
        // The entry is based on the section as it is now: if that changes before the yes, the texts are merged, or it is a
        // conflict. Not so for operations that fit any text of the section: adding a line, finding a text.
        let holds = !matches!(
            entry.operation,
            Operation::Update | Operation::Clear | Operation::Delete | Operation::Rename | Operation::NoOp
        );
        // What they wrote themselves is merged with the text that both began with, or it is a conflict.
        let began = theirs.cloned().flatten().filter(|_| entry.operation == Operation::Update);
        entry.base = began.or(now).filter(|_| !holds);
    }
    (entries, seen)
}

/// `None` when the address now fits no section, or several: then nothing is reported. A section that somebody gave another level, or nearly
/// another name, is there, and says what it never said.
pub(crate) fn section_hashes(merger: &Merger, heading: &[String], level: u8) -> Option<SectionHashes> {
    if let [first, name] = heading
        && level == 0
        && first == FRONT_MATTER
    {
        let value = merger.front_matter_hash(name);
        return Some([value.clone(), value]);
    }
    let text = |scope| match merger.section_text(heading, level, scope) {
        Ok(text) => Some(text.map(hash)),
        Err(e) if matches!(e.code, RefusalCode::LevelMismatch | RefusalCode::NearMatch) => {
            Some(Some(hash(merger.text())))
        }
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
                let text = text.ok().flatten().unwrap_or_default();
                let before = || self.before().unwrap_or_default();
                !has_lines(text, entry.content.as_deref().unwrap_or_default(), &before)
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
fn is_said(merger: &Merger, entry: &Entry) -> bool {
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

/// How often lines stand in a text one after another, however they are set: as items or a paragraph, in bold.
fn times(text: &str, lines: &str) -> usize {
    let of = |text: &str| text.lines().map(letters).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let (text, wanted) = (of(text), of(lines));
    match &wanted[..] {
        [] => 0,
        // Somebody may have put more words beside it.
        [line] if line.len() >= TELLING_BYTES => text.iter().filter(|other| other.contains(line)).count(),
        _ => text.windows(wanted.len()).filter(|stretch| *stretch == wanted).count(),
    }
}

/// What is left of a text that an editor, or a person, sets otherwise.
pub(crate) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether every line of `lines` is one of `text`, as it is or as somebody edited it: then `before` has none like that.
fn has_lines<'b>(text: &str, lines: &str, before: &dyn Fn() -> &'b str) -> bool {
    let known: BTreeSet<&str> = text.lines().map(str::trim).collect();
    let missing = lines.lines().map(str::trim).filter(|line| !line.is_empty() && !known.contains(line));
    let missing: Vec<&str> = missing.collect();
    if missing.is_empty() {
        return true;
    }
    let before: BTreeSet<&str> = before().lines().map(str::trim).collect();
    let is_edited = |line: &str| known.iter().any(|other| !before.contains(other) && is_like(line, other));
    missing.into_iter().all(is_edited)
}

/// Whether one line is most likely made of another: half of that stands at its beginning and its end.
fn is_like(line: &str, edited: &str) -> bool {
    let (line, edited) = (letters(line), letters(edited));
    let same = |one: &mut dyn Iterator<Item = char>, other: &mut dyn Iterator<Item = char>| {
        one.zip(other).take_while(|(one, other)| one == other).count()
    };
    let kept = same(&mut line.chars(), &mut edited.chars())
        + same(&mut line.chars().rev(), &mut edited.chars().rev());
    line.len() >= TELLING_BYTES && kept * 2 >= line.chars().count()
}
