//! What became of a job's words since it was merged: whether they stand in the document after all, where somebody put them elsewhere,
//! or set them in other marks. Reads what the document said before the job, and what others have said since.

use crate::said::{WORDS_MIN, has_lines, says_something, times, words};
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
    entries: OnceCell<Option<Vec<Entry>>>,
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
        let (before, entries) = (OnceCell::new(), OnceCell::new());
        Since { documents, document, queue, merged, before, entries }
    }

    /// What the document said before the job; `None` where that is not kept.
    #[must_use]
    pub fn before(&self) -> Option<&str> {
        let read = || self.documents.before(self.document, self.merged.version).ok().flatten();
        self.before.get_or_init(|| String::from_utf8(read()?).ok()).as_deref()
    }

    /// Whether somebody gave the section another name, or moved the words: the document has them once more than before the job, and
    /// than it and other jobs have said them since.
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
        let ours = |before: &str| Some(times(before, said) + self.saying(said)?);
        now > 0 && self.before().and_then(ours).is_some_and(|ours| now >= ours)
    }

    /// Whether an entry that was offered again stands in the document by now, as somebody brought it back: its section has the words, or
    /// they stand elsewhere.
    #[must_use]
    pub fn is_back(&self, now: &Merger, entry: &Entry) -> bool {
        let only_adds =
            matches!(entry.operation, Operation::Append | Operation::Prepend) || entry.operation.is_beside();
        // An item is known by its id, also where somebody typed on behind it.
        let has_id = |id: &String| {
            let mark = format!("^{id}");
            let behind = now.text().match_indices(&mark).map(|(at, _)| &now.text()[at + mark.len()..]);
            behind.into_iter().any(|behind| !behind.starts_with(char::is_alphanumeric))
        };
        if entry.operation == Operation::Add && entry.meta.item.as_ref().is_some_and(has_id) {
            return true;
        }
        // A few words stand elsewhere for many reasons.
        let is_long = entry.content.as_deref().is_some_and(|said| words(said).len() >= WORDS_MIN);
        only_adds
            && (self.is_back_in_its_section(now, entry) == Some(true)
                || is_long && self.is_elsewhere(now, entry))
    }

    /// What is left to be said of an entry that adds items of a list, where some of them came back, and others did not; `None` for any other.
    #[must_use]
    pub fn left_to_say(&self, now: &Merger, entry: &Entry) -> Option<String> {
        let said = entry.content.as_deref().filter(|_| says_something(entry))?;
        let is_item = |line: &str| ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
        if entry.operation == Operation::Update || !said.lines().all(is_item) {
            return None;
        }
        // Each as a line of its own: within a longer one it is something else that somebody says.
        let before = Merger::open(self.before()?.as_bytes()).ok()?;
        let has = |merger: &Merger, line: &str| {
            let text = merger.section_text(&entry.key.heading, entry.key.level, Scope::Own).ok().flatten();
            text.unwrap_or_default().lines().any(|one| words(one) == words(line))
        };
        let is_left = |line: &&str| !has(now, line) || has(&before, line);
        let left: Vec<&str> = said.lines().filter(is_left).collect();
        (left.len() < said.lines().count() && !left.is_empty()).then(|| left.join("\n"))
    }

    /// Only its own words are a sign of it: a line that sounds like them may be somebody else's, and a person has said yes to these.
    fn is_back_in_its_section(&self, now: &Merger, entry: &Entry) -> Option<bool> {
        let said = entry.content.as_deref().filter(|_| says_something(entry))?;
        let before = Merger::open(self.before()?.as_bytes()).ok()?;
        let has = |merger: &Merger| {
            let text = merger.section_text(&entry.key.heading, entry.key.level, Scope::Own).ok()?;
            Some(has_lines(text.unwrap_or_default(), said))
        };
        Some(has(now)? && !has(&before)?)
    }

    /// How many entries of the job, and of others since, said these words; `None` where there are too many to ask.
    fn saying(&self, said: &str) -> Option<usize> {
        let is_it = |other: &&Entry| other.content.as_deref().is_some_and(|other| times(other, said) > 0);
        let entries = self.entries.get_or_init(|| self.read_entries()).as_deref()?;
        Some(entries.iter().filter(is_it).count().max(1))
    }

    /// What the job and others have added since.
    fn read_entries(&self) -> Option<Vec<Entry>> {
        let Again { job, version } = self.merged;
        let mut ids = vec![job];
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
            said.extend(found.job?.entries);
        }
        Some(said)
    }
}
