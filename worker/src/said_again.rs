//! Which entries of a job are offered again whose change a save has undone: those that are gone from the document, and stand nowhere else.
//! Pure but for what is asked around.

use crate::undone::{SectionKey, Undone};
use declaration::{Entry, Operation, Scope};
use documents::SectionHashes;
use markdown_merge::{FRONT_MATTER, Merger, RefusalCode, hash};
use queue_layout::Job;
use trial::Since;
use trial::said::{has_lines, is_change, is_edited, is_said, merged_again, says_something, times};

/// The entries to propose again, and the hashes of the sections they are missing from: with the same hashes a loss is not
/// reported twice. `is_replaced`: whether a later job that is gone as well says something else in the place of an entry's words.
pub(crate) fn said_again(
    done: &Job,
    undone: &Undone,
    merger: &Merger,
    since: &Since<'_>,
    is_replaced: &dyn Fn(&Entry) -> bool,
) -> (Vec<Entry>, String) {
    let gone = Gone { undone, merger, since };
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
    entries.retain(|entry| gone.has(entry) && !is_replaced(entry));
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
    since: &'a Since<'a>,
}

impl Gone<'_> {
    /// Whether an entry is to be said again.
    fn has(&self, entry: &Entry) -> bool {
        let Undone { sections, perhaps, .. } = self.undone;
        let section = self.section(entry);
        let is_undone = entry.operation.is_of_item() || sections.contains(&section);
        let is_gone = match entry.operation {
            Operation::Rename => would_change(self.merger, entry) || self.is_gone_with_its_words(entry),
            _ => !is_said(self.merger, entry) && !self.since.is_elsewhere(self.merger, entry),
        };
        let is_missing = match entry.operation {
            Operation::Rename => is_gone,
            _ => self.is_missing(entry) && !self.since.is_elsewhere(self.merger, entry),
        };
        is_undone && is_gone || perhaps.contains_key(&section) && is_missing
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
                    let before = self.since.before().filter(|_| !self.undone.is_unseen);
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

    /// Whether a section that was renamed is there under no name: where its words stand, somebody gave it another one.
    fn is_gone_with_its_words(&self, entry: &Entry) -> bool {
        let before = self.since.before().and_then(|text| Merger::open(text.as_bytes()).ok());
        let said = before.as_ref().and_then(|before| body(before, &entry.key.heading, entry.key.level));
        said.is_some_and(|said| !said.trim().is_empty() && times(self.merger.text(), said) == 0)
    }
}

/// What a section says below its heading's first line; `None` where it is not there.
pub(crate) fn body<'m>(merger: &'m Merger, heading: &[String], level: u8) -> Option<&'m str> {
    let text = merger.section_text(heading, level, Scope::Own).ok()??;
    Some(text.split_once('\n').map_or("", |(_, below)| below))
}

/// The heading of the section that an entry makes beside the one that it names.
fn made_beside(entry: &Entry) -> Option<String> {
    let content = entry.content.as_deref().filter(|_| entry.operation.is_beside())?;
    let line = content.trim_start().lines().next()?;
    Some(line.trim_matches(['#', ' ', '\t']).to_owned())
}

/// Whether an entry would change the document if it were merged once more: a row, an item, a replaced text or a heading is not as it says.
fn would_change(merger: &Merger, entry: &Entry) -> bool {
    merged_again(merger, entry).is_some_and(|changes| changes.iter().any(is_change))
}

/// What is left of a text when an editor that formats has set blanks, bullets, emphasis, tables, fences and headings anew.
pub(crate) fn unformatted(text: &str) -> String {
    let is_rule = |line: &&str| line.trim().chars().all(|c| "|-:= ".contains(c));
    let plain = |line: &str| {
        let line = line.trim();
        let item = line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(char::is_whitespace));
        let line = item.map_or_else(|| line.trim_matches('#').to_owned(), |rest| format!("-{rest}"));
        let line = ["```", "~~~"].iter().find_map(|fence| line.strip_prefix(fence)).unwrap_or(&line);
        line.chars().filter(|c| !c.is_whitespace() && !"*_\\".contains(*c)).collect::<String>()
    };
    text.lines().filter(|line| !is_rule(line)).map(plain).collect()
}
