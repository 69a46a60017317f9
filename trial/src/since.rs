//! What became of a job's words since it was merged: whether they stand in the document after all, where somebody put them elsewhere,
//! set them in other marks or edited them. Reads what the document said before the job, and what others have said since.

use crate::said::{has_lines, is_edited, says_something, times, words};
use declaration::{Entry, Operation, Scope};
use documents::{ChangedBy, Document, Documents};
use markdown_merge::Merger;
use queue_layout::{Again, JobId, Queue};
use std::cell::OnceCell;

/// So many later jobs are asked what they said.
const OTHERS_MAX: usize = 200;

/// A job that was merged, and what is known of the document before and since. Each is read once it is asked for.
pub struct Since<'a> {
    documents: &'a Documents,
    document: &'a Document,
    queue: &'a Queue,
    merged: Again,
    before: OnceCell<Option<String>>,
    others: OnceCell<Option<Vec<Entry>>>,
}

impl<'a> Since<'a> {
    /// Of a job that made a version of a document.
    #[must_use]
    pub fn new(
        documents: &'a Documents,
        document: &'a Document,
        queue: &'a Queue,
        merged: Again,
    ) -> Since<'a> {
        let (before, others) = (OnceCell::new(), OnceCell::new());
        Since { documents, document, queue, merged, before, others }
    }

    /// What the document said before the job; `None` where that is not kept.
    #[must_use]
    pub fn before(&self) -> Option<&str> {
        let read = || self.documents.before(self.document, self.merged.version).ok().flatten();
        self.before.get_or_init(|| String::from_utf8(read()?).ok()).as_deref()
    }

    /// Whether somebody gave the section another name, or moved the words: the document has them once more than before the job, and
    /// than other jobs have said them since.
    #[must_use]
    pub fn is_elsewhere(&self, now: &Merger, entry: &Entry) -> bool {
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
        let now = times(now.text(), said);
        let ours = |before: &str| Some(times(before, said) + 1 + self.others_saying(said)?);
        now > 0 && self.before().and_then(ours).is_some_and(|ours| now >= ours)
    }

    /// Whether an entry that was offered again stands in the document by now, as somebody brought it back: its section has the words, or
    /// a line that is made of them, or they stand elsewhere.
    #[must_use]
    pub fn is_back(&self, now: &Merger, entry: &Entry) -> bool {
        self.is_back_in_its_section(now, entry) == Some(true) || self.is_elsewhere(now, entry)
    }

    fn is_back_in_its_section(&self, now: &Merger, entry: &Entry) -> Option<bool> {
        let said = entry.content.as_deref().filter(|_| says_something(entry))?;
        let before = Merger::open(self.before()?.as_bytes()).ok()?;
        let section = |merger: &Merger| {
            let text = merger.section_text(&entry.key.heading, entry.key.level, Scope::Own).ok()?;
            Some(text.unwrap_or_default().to_owned())
        };
        let (was, is) = (section(&before)?, section(now)?);
        if has_lines(&was, said) {
            return None;
        }
        let theirs = self.others()?.iter().filter_map(|other| other.content.as_deref());
        let known: String = [before.text()].into_iter().chain(theirs).flat_map(|text| [text, "\n"]).collect();
        Some(has_lines(&is, said) || is_edited(&known, said, &is))
    }

    /// How many entries of other jobs said these words since; `None` where there are too many to ask.
    fn others_saying(&self, said: &str) -> Option<usize> {
        let is_it = |other: &&Entry| other.content.as_deref().is_some_and(|other| times(other, said) > 0);
        Some(self.others()?.iter().filter(is_it).count())
    }

    /// What other jobs have added since.
    fn others(&self) -> Option<&[Entry]> {
        self.others.get_or_init(|| self.read_others()).as_deref()
    }

    fn read_others(&self) -> Option<Vec<Entry>> {
        let Again { job, version } = self.merged;
        let mut ids = Vec::new();
        let mut other = |by: ChangedBy| {
            if by.version >= version && by.id != job.to_string() {
                ids.extend(by.id.parse::<JobId>());
            }
        };
        self.documents.each_change_since(self.document, job.declared_at(), &mut other).ok()?;
        if ids.len() > OTHERS_MAX {
            return None;
        }
        let mut said = Vec::new();
        for id in ids {
            let found = self.queue.load(&self.queue.locate(id).ok()??).ok()?;
            said.extend(found.job?.entries.into_iter().filter(says_something));
        }
        Some(said)
    }
}
