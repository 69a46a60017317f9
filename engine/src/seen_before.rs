//! What an author saw of the place that an entry writes to, where nobody told: a declaration that was left as a file was written
//! before we read it, and a person may have written into the document in between.

use crate::Home;
use declaration::{Entry, Timestamp};
use documents::{Document, Revision, hash};
use markdown_merge::Merger;
use policy::knowledge_base::Resolved;

impl Home {
    /// The hash of what an entry would take out, as it was when its declaration was written.
    pub(crate) fn seen_before(&self, entry: &Entry, found: &Resolved, written: Timestamp) -> Option<String> {
        let document = Document { path: found.path.clone(), canonical: found.canonical.clone() };
        let now = self.text_now(&document).ok()?;
        let known = self.documents().revisions(&document).ok().and_then(|revisions| {
            let next = revisions.iter().find(|revision| revision.at > written);
            let text = match next {
                Some(next) => self.displaced_by(&document, next)?,
                None => now.bytes,
            };
            let last = revisions.iter().rfind(|revision| revision.at <= written);
            let merger = Merger::open(&text).ok()?;
            let there = trial::seen(&merger, entry)?;
            // Not by when it was modified: what is synchronised or copied from elsewhere comes with an older time.
            let is_old = next.is_none() && now.stat.is_none_or(|stat| stat.changed_ms < written.millis());
            let is_ours = || last.is_some_and(|last| last.after == hash(&text));
            let is_as_we_left_it = || last.is_some_and(|last| self.leads(&document, last, entry, &there));
            if is_old || is_ours() {
                return Some(trial::seen_in(&there, &hash(&text)));
            }
            // Of the rest of the document nothing is known then.
            (says_nothing(&merger, entry, &there) || is_as_we_left_it()).then_some(there)
        });
        Some(known.unwrap_or_else(|| trial::UNKNOWN.to_owned()))
    }

    /// Whether a version, made of the text that it displaced, has this in the place of an entry.
    fn leads(&self, document: &Document, version: &Revision, entry: &Entry, there: &str) -> bool {
        let before = self.displaced_by(document, version).and_then(|text| Merger::open(&text).ok());
        let before = before.and_then(|merger| trial::seen(&merger, entry));
        let changes = version.jobs.iter().flat_map(|job| &job.changes);
        before.is_some_and(|before| trial::leads(entry, &before, changes, there))
    }

    fn displaced_by(&self, document: &Document, version: &Revision) -> Option<Vec<u8>> {
        match version.before {
            None => Some(Vec::new()),
            Some(_) => self.documents().before(document, version.version).ok()?,
        }
    }
}

/// Whether nothing stands there that could be taken out.
fn says_nothing(merger: &Merger, entry: &Entry, there: &str) -> bool {
    let key = &entry.key;
    let is_heading_alone = || {
        let section = merger.section_text(&key.heading, key.level, entry.scope).ok()??;
        Some(key.level > 0 && section.lines().count() == 1)
    };
    trial::is_nothing(there) || is_heading_alone() == Some(true)
}
