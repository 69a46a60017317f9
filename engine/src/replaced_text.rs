//! The text of a section that an entry without an operation would replace. Whoever declares is shown it,
//! or refused, because a text that nobody meant to take out is lost to them.

use crate::Home;
use declaration::{Entry, Operation, Timestamp};
use documents::{Document, hash};
use markdown_merge::Merger;
use operator::Whereabouts;
use policy::knowledge_base::Resolved;
use queue_layout::{DocKey, State};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

/// Lines of what would be replaced that are shown.
const LINES_SHOWN: usize = 3;
/// Characters of each.
const LINE_CHARS: usize = 60;

/// The texts that an update would take out.
#[derive(Default)]
struct ReplacedText {
    /// In the document.
    merged: String,
    /// Declared and not merged yet.
    waiting: Vec<String>,
}

/// A document as it is, and what waits for it. Of one input they are read once.
pub(crate) struct PresentText {
    merger: Merger,
    waiting: Vec<Entry>,
}

/// The documents that an input names.
pub(crate) type Presents = RefCell<HashMap<PathBuf, Option<PresentText>>>;

/// The same, without what waits.
pub(crate) type DocumentsRead = RefCell<HashMap<PathBuf, Option<TextSeen>>>;

/// A document as it is, and its hash.
pub(crate) struct TextSeen {
    merger: Merger,
    hash: String,
}

impl Home {
    /// The hash of what an entry that names no base would take out. Of a document that cannot be
    /// read now nothing is known.
    /// `written`: when it was declared, where that was not now.
    pub(crate) fn seen(
        &self,
        entry: &Entry,
        found: &Resolved,
        written: Option<Timestamp>,
        read: &DocumentsRead,
    ) -> Option<String> {
        let takes_out = trial::may_take_out(entry);
        let looks_for = matches!(entry.operation, Operation::Replace | Operation::Rename);
        match written {
            Some(written) if takes_out => return self.seen_before(entry, found, written),
            None if takes_out || looks_for => {}
            _ => return None,
        }
        let mut read = read.borrow_mut();
        let read = read.entry(found.canonical.clone()).or_insert_with(|| {
            let document = Document { path: found.path.clone(), canonical: found.canonical.clone() };
            let text = self.text_now(&document).ok()?.bytes;
            Some(TextSeen { merger: Merger::open(&text).ok()?, hash: hash(&text) })
        });
        let Some(TextSeen { merger, hash }) = read.as_ref() else {
            return takes_out.then(|| trial::UNKNOWN.to_owned());
        };
        if looks_for {
            return trial::seen_to_replace(merger, entry);
        }
        trial::seen(merger, entry).map(|seen| trial::seen_in(&seen, hash))
    }

    /// What this entry would take out that is not its own text, in words. `None` where there is nothing to lose, or where it
    /// cannot be read: the enqueue itself refuses that. `earlier`: what the same input said of that section before.
    pub(crate) fn would_replace(
        &self,
        entry: &Entry,
        found: &Resolved,
        earlier: &[Entry],
        presents: &Presents,
    ) -> Option<String> {
        if entry.key.item().is_some() {
            return None;
        }
        let mut presents = presents.borrow_mut();
        let present = presents.entry(found.canonical.clone()).or_insert_with(|| self.present(found));
        let present = present.as_ref()?;
        let mut standing = ReplacedText { merged: present.text_of(entry)?, ..ReplacedText::default() };
        let same =
            |other: &&Entry| other.key.heading == entry.key.heading && other.key.level == entry.key.level;
        present.waiting.iter().chain(earlier).filter(same).for_each(|other| standing.take(other));
        standing.replaced_by(entry, &found.name)
    }

    fn present(&self, found: &Resolved) -> Option<PresentText> {
        let document = Document { path: found.path.clone(), canonical: found.canonical.clone() };
        let merger = Merger::open(&self.text_now(&document).ok()?.bytes).ok()?;
        let waiting = operator::waiting(self.queue(), DocKey::of(&found.canonical)).ok()?;
        // What failed or waits for a yes may never be merged.
        let goes_on =
            |place: &Whereabouts| !matches!(place, Whereabouts::Queue(State::Failed | State::Review));
        let waiting = waiting.into_iter().filter(|waiting| goes_on(&waiting.place));
        Some(PresentText { merger, waiting: waiting.flat_map(|waiting| waiting.job.entries).collect() })
    }
}

impl PresentText {
    /// What the document says in the entry's section, without its heading.
    fn text_of(&self, entry: &Entry) -> Option<String> {
        let key = &entry.key;
        let text = self.merger.section_text(&key.heading, key.level, entry.scope).ok()?.unwrap_or_default();
        if key.level == 0 {
            return Some(text.to_owned());
        }
        // Without its heading line, and the line below it that makes a text a heading.
        let body = text.lines().skip(1).skip_while(|line| is_underline(line));
        Some(body.collect::<Vec<_>>().join("\n"))
    }
}

impl ReplacedText {
    /// The text of the section once this entry is merged as well.
    fn take(&mut self, entry: &Entry) {
        match entry.operation {
            Operation::Update | Operation::Clear | Operation::Delete => {
                *self = ReplacedText::default();
                self.waiting.extend(entry.content.clone());
            }
            Operation::Append | Operation::Prepend | Operation::Add => {
                self.waiting.extend(entry.content.clone())
            }
            _ => {}
        }
    }

    fn replaced_by(&self, entry: &Entry, kb: &str) -> Option<String> {
        let texts = std::iter::once(&self.merged).chain(&self.waiting);
        let lines: Vec<&str> = texts.flat_map(|text| text.trim().lines()).collect();
        let merged = self.merged.trim().lines().count();
        let content = entry.content.as_deref().unwrap_or_default();
        if lines.is_empty() || lines == content.trim().lines().collect::<Vec<_>>() {
            return None;
        }
        let place = match (merged, lines.len() - merged) {
            (_, 0) => "in the document".to_owned(),
            (0, _) => "declared, not merged yet".to_owned(),
            (merged, waiting) => format!("{merged} in the document, {waiting} declared and not merged yet"),
        };
        let noun = if lines.len() == 1 { "line" } else { "lines" };
        let section = entry.key.heading.join(" > ");
        let mut told = format!("{} {noun} of `{section}` in {kb} would be replaced ({place}):", lines.len());
        for line in lines.iter().take(LINES_SHOWN) {
            told.push_str(&format!("\n  {}", line.chars().take(LINE_CHARS).collect::<String>()));
        }
        if lines.len() > LINES_SHOWN {
            told.push_str(&format!("\n  … {} more", lines.len() - LINES_SHOWN));
        }
        Some(told)
    }
}

fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    !line.is_empty() && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}
