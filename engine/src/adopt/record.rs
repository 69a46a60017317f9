//! What an adoption makes beside its items: lines of `config.yaml`, documents, directories. It is written down before it is made, and
//! goes again when the adoption was taken back and its jobs have ended, as far as nobody else uses it.

use crate::settings::CONFIG_BYTES_MAX;
use crate::{Failure, Home, defaults};
use durable::FileKind;
use policy::settings::{with_memory, without_base};
use queue_layout::{AdoptionRecord, AdoptionUndo, Draft, Event, JobId, JournalEntry};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A knowledge base's name, and its line in `config.yaml`.
type ConfigLine = (String, String);

impl Home {
    /// Notes the lines that adding the knowledge bases of a memory will write.
    pub(super) fn note_lines(&self, record: &mut AdoptionRecord) -> Result<(), Failure> {
        let text = self.config_text()?;
        let Some((edited, names)) = with_memory(&text, &defaults()?) else { return Ok(()) };
        let line_of = |name: &str| {
            let begins = format!("{name}:");
            let new = edited.lines().filter(|line| !text.lines().any(|old| old == *line));
            new.into_iter().find(|line| line.trim_start().starts_with(&begins)).map(str::to_owned)
        };
        record.lines = names.iter().filter_map(|name| Some(((*name).to_owned(), line_of(name)?))).collect();
        record.bare_end = !text.ends_with('\n');
        Ok(())
    }

    /// The directories that the documents of these drafts need and that are not there.
    pub(super) fn missing_directories(&self, drafts: &[Draft]) -> Result<Vec<PathBuf>, Failure> {
        let mut missing = BTreeSet::new();
        for draft in drafts {
            for dir in draft.document.path.ancestors().skip(1) {
                if missing.contains(dir) || self.disk.stat_link(dir)?.is_some() {
                    break;
                }
                missing.insert(dir.to_owned());
            }
        }
        Ok(missing.into_iter().collect())
    }

    /// Ends the adoptions that are taken back, as far as their jobs have ended.
    ///
    /// # Errors
    /// A disk error: the next run goes on.
    pub(crate) fn go_on_undoing(&self) -> Result<(), Failure> {
        let records = self.queue().operator().adoptions()?;
        if records.iter().all(|record| record.undo.is_none()) {
            return Ok(());
        }
        let waiting = operator::all_waiting(self.queue())?;
        let waits = |id: &JobId| waiting.iter().any(|waiting| waiting.job.id == *id);
        let is_used =
            |kb: &str| waiting.iter().any(|waiting| waiting.job.document.kb.split(':').next() == Some(kb));
        for record in &records {
            let Some(AdoptionUndo { documents, jobs: Some(jobs), by }) = &record.undo else { continue };
            if jobs.iter().any(waits) {
                continue;
            }
            let Some(mut gone) = worker::take_away_empty(self.documents(), documents)? else { continue };
            let (taken, left) = self.take_lines_back(record, &is_used)?;
            gone.extend(self.remove_directories(&record.directories)?);
            self.hand_over(record, left, &records)?;
            self.queue().operator().end_adoption(&record.id)?;
            let mut went: Vec<String> = gone.iter().map(|path| self.short(path)).collect();
            went.extend(taken.iter().map(|name| format!("{name} of config.yaml")));
            let went = if went.is_empty() {
                "nothing more to take away".to_owned()
            } else {
                format!("gone: {}", went.join(", "))
            };
            let happened = JournalEntry::new(self.now(), Event::AdoptionUndone).by(by);
            let happened = happened.saying(None, format!("{}: {went}", record.id));
            self.host.happened(&happened);
            // What was done is durable; a journal that cannot be written changes nothing of it.
            let _ = self.queue().journal().write(&[happened]);
        }
        Ok(())
    }

    /// Takes the lines of an adoption out of `config.yaml` whose knowledge bases have no document and nothing that waits: their
    /// names, and the lines that stay.
    fn take_lines_back(
        &self,
        record: &AdoptionRecord,
        is_used: &dyn Fn(&str) -> bool,
    ) -> Result<(Vec<String>, Vec<ConfigLine>), Failure> {
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for (name, line) in &record.lines {
            let settings = self.settings()?;
            let Some(kb) = settings.knowledge_base(name) else { continue };
            let has_documents = !self.documents_of(kb, &self.user_home, None, &settings).is_empty();
            let without = |text: &str| without_base(text, name, line, record.bare_end, &defaults().ok()?);
            if has_documents || is_used(name) || without(&self.config_text()?).is_none() {
                left.push((name.clone(), line.clone()));
                continue;
            }
            self.edit_config(without, || Failure::new("config.yaml changed meanwhile"))?;
            taken.push(name.clone());
        }
        Ok((taken, left))
    }

    /// Removes those of these directories that are empty, the deepest first: those that went.
    fn remove_directories(&self, directories: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        let mut gone = Vec::new();
        // Sorted, a directory stands before what is below it.
        for dir in directories.iter().rev() {
            let is_dir = self.disk.stat_link(dir)?.is_some_and(|stat| stat.kind == FileKind::Directory);
            if is_dir && self.disk.remove_dir(dir)? {
                if let Some(above) = dir.parent() {
                    self.disk.sync_dir(above)?;
                }
                gone.push(dir.clone());
            }
        }
        Ok(gone)
    }

    /// What must stay because another adoption uses it goes when that one does.
    fn hand_over(
        &self,
        record: &AdoptionRecord,
        left: Vec<ConfigLine>,
        records: &[AdoptionRecord],
    ) -> Result<(), Failure> {
        let there = |dir: &PathBuf| self.disk.stat_link(dir).is_ok_and(|stat| stat.is_some());
        let directories: Vec<PathBuf> = record.directories.iter().filter(|dir| there(dir)).cloned().collect();
        let next = records.iter().rev().find(|other| other.id != record.id && other.undo.is_none());
        let Some(next) = next.filter(|_| !left.is_empty() || !directories.is_empty()) else { return Ok(()) };
        let mut next = next.clone();
        next.bare_end |= record.bare_end;
        next.lines.extend(left);
        next.directories.extend(directories);
        next.directories.sort();
        next.directories.dedup();
        Ok(self.queue().operator().record_adoption(&next)?)
    }

    fn config_text(&self) -> Result<String, Failure> {
        let bytes = self.disk.read(&self.layout.config(), CONFIG_BYTES_MAX)?;
        String::from_utf8(bytes).map_err(|_| Failure::new("config.yaml is no UTF-8 text"))
    }
}
